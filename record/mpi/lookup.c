/* lookup.c: programs that open an MPI library themselves and look its functions up in it (ctypes of Python, plugins, languages that are
 * not linked) get those of the recorder. All other questions go to the C library.
 *
 * It answers RTLD_NEXT by the library that it returns to, so it is called last, as a jump: the caller stays who it is. */
#include <ctype.h>
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define NAME_MOST 80

typedef void *look_up(void *library, const char *name);

/* Versions of dlsym in the C libraries of all machines, those of x86-64 first. */
static look_up *find_real(void) {
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17", "GLIBC_2.27", "GLIBC_2.2",
                                           "GLIBC_2.36", "GLIBC_2.0",   "GLIBC_2.3",  "GLIBC_2.4"};
    look_up *function = NULL;
    for (size_t i = 0; i < sizeof versions / sizeof *versions && !function; i++) {
        void *const found = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
        memcpy(&function, &found, sizeof function);
    }
    return function;
}

static look_up *real(void) {
    static _Atomic(look_up *) known;
    look_up *function = atomic_load_explicit(&known, memory_order_relaxed);
    if (!function)
        atomic_store_explicit(&known, function = find_real(), memory_order_relaxed);
    return function;
}

/* The library that this function is in. */
static void *own_library(void) {
    static _Atomic(void *) known;
    void *library = atomic_load_explicit(&known, memory_order_relaxed);
    Dl_info info;
    if (!library && dladdr((const void *)&known, &info))
        atomic_store_explicit(&known, library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD),
                              memory_order_relaxed);
    return library;
}

/* A function of MPI in C. Those of Fortran are in libraries that may be opened after MPI has been called, and are left alone. */
static bool is_function(const char *name) {
    const bool is_extension = strncmp(name, "MPIX_", 5) == 0;
    return (is_extension || strncmp(name, "MPI_", 4) == 0) && name[4] && name[5] &&
           islower((unsigned char)name[5 + is_extension]);
}

/* The recorder's function for one of the MPI; NULL for all others, those of tools that stand in front of MPI included: MPI's own are the
 * same functions under their names for profiling. */
__attribute__((noinline)) static void *recorded(void *library, const char *name) {
    char profiling[NAME_MOST];
    void *const found = real()(library, name);
    if (!found || strlen(name) + 2 > sizeof profiling)
        return NULL;
    snprintf(profiling, sizeof profiling, "P%s", name);
    const bool is_of_mpi = real()(library, profiling) == found;
    return is_of_mpi && own_library() ? real()(own_library(), name) : NULL;
}

/* Whether the library that an address is in has such a function: a tool like this one, behind it, which asks for what it has to call. */
__attribute__((noinline)) static bool has_function(const void *address, const char *name) {
    Dl_info info, found_in;
    void *const library = dladdr(address, &info) ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (!library)
        return false;
    const void *const found = real()(library, name);
    const bool is_there = found && dladdr(found, &found_in) && found_in.dli_fbase == info.dli_fbase;
    dlclose(library);
    return is_there;
}

EXPORT void *dlsym(void *restrict library, const char *restrict name) {
    const bool is_candidate = library != RTLD_NEXT && library != RTLD_DEFAULT && is_function(name) && real() &&
                              !has_function(__builtin_return_address(0), name);
    void *const own = is_candidate ? recorded(library, name) : NULL;
    if (own || !real())
        return own;
    return real()(library, name);
}
