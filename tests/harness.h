/* harness.h: what tests share. A test file lists its functions once and has no main:
 *
 *     #include "harness.h"
 *     static void test_slice_take_stops_at_the_end(void **state) { ... }
 *     QUIPU_TESTS(cmocka_unit_test(test_slice_take_stops_at_the_end))
 *
 * Without arguments the program runs all its tests; ctest runs each one alone, by its name. Everything that the
 * harness hands out (texts, contents, folders) lives until the program ends, which removes it.
 */
#ifndef QUIPU_TESTS_HARNESS_H
#define QUIPU_TESTS_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <quipu/quipu.h>

#define QUIPU_TESTS(...)                                                                                       \
    int main(int argc, char **argv) {                                                                          \
        const struct CMUnitTest tests[] = {__VA_ARGS__};                                                       \
        harness_choose(argc, argv, tests, sizeof tests / sizeof *tests);                                       \
        return cmocka_run_group_tests_name(argv[0], tests, NULL, NULL);                                        \
    }

/* Of thousands of cases that are alike, such as all bytes of a file, one in so many is tried: with sanitizers each takes many times as long,
 * and another build tries all. It is odd. */
#ifdef __SANITIZE_ADDRESS__
#define HARNESS_EVERY 7
#else
#define HARNESS_EVERY 1
#endif

/* Keeps only the test that the command line names; ends the program when there is none of that name. */
void harness_choose(int argc, char **argv, const struct CMUnitTest *tests, size_t count);

/* A printf into a text of its own. */
char *harness_text(const char *format, ...) QUIPU_PRINTF(1, 2);

/* A new empty folder. */
const char *harness_folder(void);

/* Path of a file of tests/data. */
const char *harness_data(const char *name);

/* Path of a file of the folder "shared" beside the project; skips the test when it is not there. */
const char *harness_shared(const char *name);

/* Path of something that was built, for example "quipu"; skips the test when it is not there (parts of the build
 * are optional). */
const char *harness_built(const char *name);

/* The bytes of a file, with a NUL after them; fails the test when it cannot be read. size may be NULL. */
char *harness_read(const char *path, size_t *size);

/* Makes a file with these bytes. */
void harness_write(const char *path, const void *data, size_t size);

bool harness_exists(const char *path);

/* Calls visit for a file, or for each file in a folder and in the folders inside. */
void harness_visit(const char *path, void (*visit)(const char *path));

/* What a command did. code is 128 + the signal when it was killed by one. */
struct harness_run {
    int code;
    const char *out, *err;
    size_t out_size, err_size;
};

/* Runs a shell command, with standard input closed. */
struct harness_run harness_run(const char *format, ...) QUIPU_PRINTF(1, 2);

#endif
