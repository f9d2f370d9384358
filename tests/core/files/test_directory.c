/* test_directory.c: the names in a directory. */
#define _GNU_SOURCE
#include "harness.h"

#include "core/error.h"
#include "core/files/directory.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>

/* Where the names of folders are held. */
static struct quipu__memory memory = {.limit = 1 << 20};

struct visit {
    char names[64];
    int stop_after;
};

static enum quipu_status visit_name(void *context, const char *name) {
    struct visit *visit = context;
    strcat(strcat(visit->names, name), " ");
    return --visit->stop_after == 0 ? QUIPU_END : QUIPU_OK;
}

static const char *folder_with_files(void) {
    const char *folder = harness_folder();
    static const char *const names[] = {"b", "a10", "B", ".hidden", "a2"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        harness_write(harness_text("%s/%s", folder, names[i]), "", 0);
    return folder;
}

static void test_directory_visit_goes_in_order_of_bytes(void **state) {
    (void)state;
    struct visit visit = {"", 0};
    assert_int_equal(quipu__directory_visit(&memory, folder_with_files(), visit_name, &visit, NULL), QUIPU_OK);
    assert_string_equal(visit.names, ".hidden B a10 a2 b ");
}

static void test_directory_visit_stops_when_told(void **state) {
    (void)state;
    struct visit visit = {"", 2};
    assert_int_equal(quipu__directory_visit(&memory, folder_with_files(), visit_name, &visit, NULL), QUIPU_END);
    assert_string_equal(visit.names, ".hidden B ");
}

static void test_directory_visit_needs_memory_for_all_names(void **state) {
    (void)state;
    struct quipu__memory little = {.limit = 1000};
    struct visit visit = {"", 0};
    assert_int_equal(quipu__directory_visit(&little, folder_with_files(), visit_name, &visit, NULL),
                     QUIPU_NO_MEMORY);
    assert_string_equal(visit.names, "");
    assert_int_equal(little.used, 0);
}

static void test_directory_visit_names_what_it_cannot_read(void **state) {
    (void)state;
    struct quipu_error err = QUIPU_ERROR_INIT;
    const char *path = harness_text("%s/none", harness_folder());
    assert_int_equal(quipu__directory_visit(&memory, path, visit_name, NULL, &err), QUIPU_IO);
    assert_string_equal(err.path, path);
    assert_non_null(strstr(err.message, "No such file or directory"));
}

/* A folder whose third name cannot be read, in the place of the C library's. */
static int names_before_failure = -1;
struct dirent *readdir(DIR *directory) {
    static struct dirent name;
    struct dirent *(*real)(DIR *) = (struct dirent * (*)(DIR *)) dlsym(RTLD_NEXT, "readdir");
    if (names_before_failure < 0)
        return real(directory);
    snprintf(name.d_name, sizeof name.d_name, "name%d", names_before_failure);
    errno = EIO;
    return names_before_failure-- > 0 ? &name : NULL;
}

static void test_directory_visit_tells_a_failure_from_the_end(void **state) {
    (void)state;
    struct visit visit = {"", 0};
    struct quipu_error err = QUIPU_ERROR_INIT;
    const char *folder = folder_with_files();
    names_before_failure = 2;
    assert_int_equal(quipu__directory_visit(&memory, folder, visit_name, &visit, &err), QUIPU_IO);
    names_before_failure = -1;
    assert_string_equal(visit.names, "");
    assert_string_equal(err.path, folder);
    assert_string_equal(err.message, "unreadable directory: Input/output error");
}

QUIPU_TESTS(cmocka_unit_test(test_directory_visit_goes_in_order_of_bytes),
            cmocka_unit_test(test_directory_visit_stops_when_told),
            cmocka_unit_test(test_directory_visit_needs_memory_for_all_names),
            cmocka_unit_test(test_directory_visit_names_what_it_cannot_read),
            cmocka_unit_test(test_directory_visit_tells_a_failure_from_the_end))
