/* seen.h: what a program of this folder sees of MPI goes to the file NAME.RANK, so that runs can be compared byte by byte.
 * Nothing that differs between two runs may be in there: no addresses, times, or orders that are left to chance. */
#ifndef SEEN_H
#define SEEN_H

#include <mpi.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *seen;
static int rank, size;

__attribute__((format(printf, 1, 2), unused)) static void see(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(seen, format, arguments);
    va_end(arguments);
}

/* The code of each call. */
#define CALL(call) see("%s:%d: %s = %d\n", __func__, __LINE__, #call, call)

__attribute__((unused)) static void seen_begin(const char *name) {
    char path[256];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    snprintf(path, sizeof path, "%s.%d", name, rank);
    seen = fopen(path, "w");
    if (!seen)
        abort();
}

__attribute__((unused)) static void seen_init(int *argc, char ***argv, const char *name) {
    MPI_Init(argc, argv);
    seen_begin(name);
}

__attribute__((unused)) static int seen_finalize(int code) {
    see("finalize %d\n", MPI_Finalize());
    fclose(seen);
    return code;
}

__attribute__((unused)) static void see_bytes(const char *what, const void *data, size_t count) {
    see("%s:", what);
    for (size_t i = 0; i < count; i++)
        see(" %02x", ((const unsigned char *)data)[i]);
    see("\n");
}

__attribute__((unused)) static void see_ints(const char *what, const int *values, int count) {
    see("%s:", what);
    for (int i = 0; i < count; i++)
        see(" %d", values[i]);
    see("\n");
}

/* A pattern that shows what is left alone. */
__attribute__((unused)) static void untouched(void *data, size_t count) {
    memset(data, 0x5a, count);
}

__attribute__((unused)) static void see_status(const char *what, const MPI_Status *status) {
    see_bytes(what, status, sizeof *status);
}

/* And what the MPI makes of one that was set. */
__attribute__((unused)) static void see_message(const char *what, MPI_Status *status) {
    int bytes = -7, elements = -7, cancelled = -7;
    see_status(what, status);
    const int got = MPI_Get_count(status, MPI_BYTE, &bytes),
              counted = MPI_Get_elements(status, MPI_INT, &elements);
    see("  source %d tag %d error %d bytes %d (%d) elements %d (%d)", status->MPI_SOURCE, status->MPI_TAG,
        status->MPI_ERROR, bytes, got, elements, counted);
    see(" cancelled %d (%d)\n", MPI_Test_cancelled(status, &cancelled), cancelled);
}

/* The program's own numbers of handles; Open MPI's handles are addresses. */
#define see_handle(what, kind, handle)                                                                         \
    see("%s: %d null %d\n", what, (int)kind##_c2f(handle), (handle) == kind##_null)
#define MPI_Comm_null MPI_COMM_NULL
#define MPI_Type_null MPI_DATATYPE_NULL
#define MPI_Group_null MPI_GROUP_NULL
#define MPI_Win_null MPI_WIN_NULL
#define MPI_Info_null MPI_INFO_NULL
#define MPI_Op_null MPI_OP_NULL
#define MPI_Errhandler_null MPI_ERRHANDLER_NULL
#define MPI_Request_null MPI_REQUEST_NULL
#define MPI_File_null MPI_FILE_NULL

#endif
