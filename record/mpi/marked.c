/* marked.c: regions as programs mark them: by the calls of quipu/region.h, in C and Fortran, and by functions that are compiled with
 * -finstrument-functions. */
#include "record/mpi/control.h"

#include <quipu/region.h>

#include <stddef.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define NAME_MOST 255

/* Same for the same text, wherever it lies (FNV-1a). */
static uint64_t key_of(const char *name, size_t len) {
    uint64_t key = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < len; i++)
        key = (key ^ (unsigned char)name[i]) * UINT64_C(1099511628211);
    return key;
}

EXPORT void quipu_recorder_region_begin(const char *name) {
    quipu__mpi_region_enter(key_of(name, strlen(name)), name);
}

EXPORT void quipu_recorder_region_end(const char *name) {
    quipu__mpi_region_leave(key_of(name, strlen(name)));
}

/* ---- Fortran ---- */

/* Blanks at the end are none of the name. */
static size_t trimmed(const char *name, size_t len) {
    while (len > 0 && name[len - 1] == ' ')
        len--;
    return len < NAME_MOST ? len : NAME_MOST;
}

EXPORT void quipu_region_begin_(const char *name, size_t len);
EXPORT void quipu_region_begin_(const char *name, size_t len) {
    char text[NAME_MOST + 1];
    const size_t length = trimmed(name, len);
    memcpy(text, name, length);
    text[length] = '\0';
    quipu__mpi_region_enter(key_of(text, length), text);
}

EXPORT void quipu_region_end_(const char *name, size_t len);
EXPORT void quipu_region_end_(const char *name, size_t len) {
    quipu__mpi_region_leave(key_of(name, trimmed(name, len)));
}

/* ---- Compilers ---- */

EXPORT void __cyg_profile_func_enter(void *function, void *caller);
EXPORT void __cyg_profile_func_enter(void *function, void *caller) {
    (void)caller;
    quipu__mpi_region_enter((uint64_t)(uintptr_t)function, NULL);
}

EXPORT void __cyg_profile_func_exit(void *function, void *caller);
EXPORT void __cyg_profile_func_exit(void *function, void *caller) {
    (void)caller;
    quipu__mpi_region_leave((uint64_t)(uintptr_t)function);
}
