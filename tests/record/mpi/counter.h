/* counter.h: an independent count of MPI calls, to compare recordings with. counter.py writes a source of wrappers around it from
 * the MPI's own header and the symbols of its Fortran libraries; it knows nothing of the recorder's table.
 *
 * A wrapper counts a call that is not made inside another one on the same thread, and goes on to the next library, which may be
 * a recorder. When the process ends, COUNT_FOLDER/RANK.counts has a line "NAME CALLS" for each function that was called;
 * processes that never begin MPI leave none. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct counted {
    const char *name;
    atomic_ulong calls;
    void *real;
};

static _Thread_local int depth;
static int rank = -1;

static int find_in_library(struct dl_phdr_info *library, size_t size, void *data) {
    struct counted *function = data;
    (void)size;
    if (!strstr(library->dlpi_name, "libmp"))
        return 0;
    void *handle = dlopen(library->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    if (handle) {
        function->real = dlsym(handle, function->name);
        dlclose(handle);
    }
    return function->real != NULL;
}

/* Behind this library; or in an MPI that was loaded for a library alone. */
static void *real_of(struct counted *function) {
    if (!function->real)
        function->real = dlsym(RTLD_NEXT, function->name);
    if (!function->real)
        dl_iterate_phdr(find_in_library, function);
    if (!function->real) {
        fprintf(stderr, "counter: no %s\n", function->name);
        abort();
    }
    return function->real;
}

static void *count_enter(struct counted *function) {
    if (depth++ == 0)
        atomic_fetch_add(&function->calls, 1);
    return real_of(function);
}

static void count_leave(void) {
    depth--;
}

static void find_rank(void) {
    int is_ready = 0;
    if (rank < 0 && PMPI_Initialized(&is_ready) == MPI_SUCCESS && is_ready)
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
}

static void write_counts(struct counted *functions, size_t function_count) {
    const char *folder = getenv("COUNT_FOLDER");
    char path[4096];
    if (rank < 0 || !folder)
        return;
    snprintf(path, sizeof path, "%s/%d.counts", folder, rank);
    FILE *file = fopen(path, "w");
    for (size_t i = 0; file && i < function_count; i++)
        if (functions[i].calls)
            fprintf(file, "%s %lu\n", functions[i].name, (unsigned long)functions[i].calls);
    if (file)
        fclose(file);
}
