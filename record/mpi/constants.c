/* constants.c: the constants of one MPI; compiled with the mpi.h of each, as QUIPU_MPI_LIBRARY. Constants of Open MPI are addresses of
 * symbols, which are taken by name: the recorder is not linked with an MPI. */
#include "record/mpi/library.h"

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#ifdef OPEN_MPI
#undef OMPI_PREDEFINED_GLOBAL
#define OMPI_PREDEFINED_GLOBAL(type, global) #global
#define HANDLE(handle) .symbol = (handle)
#define REMOVED(handle, name) .symbol = (name)
#define MARK "ompi_mpi_comm_world"
#define COUNTS_FROM_0_F08 false
#define IS_POINTER ((UINT32_C(1) << QUIPU__MPI_HANDLES) - 1)
#else
#define HANDLE(handle) .value = (uint64_t)(uintptr_t)(handle)
#define REMOVED(handle, name) .value = (uint64_t)(uintptr_t)(handle)
#define MARK "MPIR_Err_create_code"
#define COUNTS_FROM_0_F08 true
#define IS_POINTER (UINT32_C(1) << QUIPU__MPI_FILE)
#endif

#define KNOWN(space_name, handle, its_number)                                                                  \
    {HANDLE(handle), .number = (its_number), .space = QUIPU__MPI_SPACE_##space_name},
#define OTHER(space_name, handle) KNOWN(space_name, handle, -1)
#define REMOVED_KNOWN(space_name, handle, symbol_name, its_number)                                             \
    {REMOVED(handle, symbol_name), .number = (its_number), .space = QUIPU__MPI_SPACE_##space_name},
#define VALUE(space_name, constant, its_number)                                                                \
    {.value = (uint64_t)(int64_t)(constant), .number = (its_number), .space = QUIPU__MPI_SPACE_##space_name},

static const struct quipu__mpi_constant constants[] = {
#include "record/mpi/constants.def"
};

#ifdef OPEN_MPI
static void get_status(const void *from, struct quipu__mpi_status *out) {
    const MPI_Status *status = from;
    *out = (struct quipu__mpi_status){(int64_t)status->_ucount, status->MPI_SOURCE, status->MPI_TAG,
                                      status->MPI_ERROR, status->_cancelled};
}

static int error_class(int code) {
    return code;
}
#else
static void get_status(const void *from, struct quipu__mpi_status *out) {
    const MPI_Status *status = from;
    const int64_t high = status->count_hi_and_cancelled >> 1;
    *out = (struct quipu__mpi_status){high << 32 | (uint32_t)status->count_lo, status->MPI_SOURCE,
                                      status->MPI_TAG, status->MPI_ERROR, status->count_hi_and_cancelled & 1};
}

/* The class of an error code is in its low bits. */
static int error_class(int code) {
    return code & 0x7f;
}
#endif

const struct quipu__mpi_library QUIPU_MPI_LIBRARY = {
    .name = QUIPU_MPI_NAME,
    .mark = MARK,
    .pointer_handles = IS_POINTER,
    .constants = constants,
    .constant_count = sizeof constants / sizeof *constants,
    .world = {HANDLE(MPI_COMM_WORLD)},
    .bytes = {HANDLE(MPI_BYTE)},
    .null_type = {HANDLE(MPI_DATATYPE_NULL)},
    .null_comm = {HANDLE(MPI_COMM_NULL)},
    .status_ignore = (uint64_t)(uintptr_t)MPI_STATUS_IGNORE,
    .statuses_ignore = (uint64_t)(uintptr_t)MPI_STATUSES_IGNORE,
    .alias = (uint64_t)(uintptr_t)MPI_IN_PLACE,
    .status_bytes = sizeof(MPI_Status),
    .counts_from_0_f08 = COUNTS_FROM_0_F08,
    .undefined = MPI_UNDEFINED,
    .error_in_status = MPI_ERR_IN_STATUS,
    .get_status = get_status,
    .error_class = error_class,
};
