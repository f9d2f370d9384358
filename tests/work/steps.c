/* steps.c: how much work a program does, as a number that is the same on every machine and on every run.
 *
 * The command is built a second time, with a call of __sanitizer_cov_trace_pc in every basic block of it and of the library,
 * and linked with the functions below in place of those that touch many bytes or ask the system. A basic block is one step,
 * 16 bytes that are touched are one, and a look at a file is as many as the kernel needs for it, roughly. When the program
 * ends, the sum is written to the file that QUIPU_STEPS names. Threads are not told apart: they are to be one.
 */
#include "core/os.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_PER_STEP = 16, STEPS_PER_CALL = 500 };

static uint64_t steps;

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void) {
    steps++;
}

__attribute__((destructor)) static void write_steps(void) {
    const char *path = getenv("QUIPU_STEPS");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file)
        return;
    fprintf(file, "%llu\n", (unsigned long long)steps);
    fclose(file);
}

/* ---- Functions that touch bytes ---- */

#define WRAPPED(type, name, ...)                                                                               \
    type __real_##name(__VA_ARGS__);                                                                           \
    type __wrap_##name(__VA_ARGS__);                                                                           \
    type __wrap_##name(__VA_ARGS__)

WRAPPED(void *, memmove, void *to, const void *from, size_t size) {
    steps += size / BYTES_PER_STEP;
    return __real_memmove(to, from, size);
}

WRAPPED(void *, memcpy, void *to, const void *from, size_t size) {
    steps += size / BYTES_PER_STEP;
    return __real_memcpy(to, from, size);
}

WRAPPED(void *, memset, void *to, int byte, size_t size) {
    steps += size / BYTES_PER_STEP;
    return __real_memset(to, byte, size);
}

WRAPPED(void *, memchr, const void *in, int byte, size_t size) {
    const char *found = __real_memchr(in, byte, size);
    steps += (found ? (size_t)(found - (const char *)in) : size) / BYTES_PER_STEP;
    return (void *)(uintptr_t)found;
}

WRAPPED(size_t, strlen, const char *text) {
    const size_t len = __real_strlen(text);
    steps += len / BYTES_PER_STEP;
    return len;
}

WRAPPED(int, strcmp, const char *a, const char *b) {
    steps += 1 + __real_strlen(a) / BYTES_PER_STEP;
    return __real_strcmp(a, b);
}

WRAPPED(void *, realloc, void *block, size_t size) {
    steps += size / 4096; /* pages are moved, not bytes */
    return __real_realloc(block, size);
}

/* ---- Calls of the system ---- */

/* Maps are seeded with it, so the steps would depend on it. */
WRAPPED(uint64_t, quipu__os_random, void) {
    return 42;
}

WRAPPED(enum quipu__path_kind, quipu__path_kind, const char *path, uint64_t *size) {
    steps += STEPS_PER_CALL;
    return __real_quipu__path_kind(path, size);
}

WRAPPED(int, quipu__os_open_read, const char *path) {
    steps += STEPS_PER_CALL;
    return __real_quipu__os_open_read(path);
}

WRAPPED(int64_t, quipu__os_read, int file, void *data, size_t size) {
    steps += STEPS_PER_CALL;
    return __real_quipu__os_read(file, data, size);
}
