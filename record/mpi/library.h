/* library.h: what differs between MPI libraries: what handles are, the values of constants, the layout of a status. constants.c, compiled
 * with the mpi.h of each, says it; nothing else includes mpi.h, and no MPI is linked. */
#ifndef QUIPU_RECORD_MPI_LIBRARY_H
#define QUIPU_RECORD_MPI_LIBRARY_H

#include "record/mpi/calls.h"
#include "record/mpi/stream.h"

/* A constant: a value, or the address of a symbol of the library. */
struct quipu__mpi_constant {
    const char *symbol; /* NULL: value */
    uint64_t value;
    int64_t number; /* DUMPI's, below 0: none of its own */
    uint8_t space;  /* enum quipu__mpi_space */
};

struct quipu__mpi_library {
    const char *name;
    const char *mark;         /* a symbol that only this library has */
    uint32_t pointer_handles; /* bit per kind: handles that are pointers, others are ints */
    const struct quipu__mpi_constant *constants;
    uint32_t constant_count;
    struct quipu__mpi_constant world, bytes, null_type,
        null_comm; /* MPI_COMM_WORLD, MPI_BYTE, MPI_DATATYPE_NULL, MPI_COMM_NULL */
    uint64_t status_ignore, statuses_ignore, alias;
    uint32_t status_bytes;
    bool counts_from_0_f08; /* indices in mpi_f08: MPICH 4.0 gives C's */
    int32_t undefined, error_in_status;
    void (*get_status)(const void *status, struct quipu__mpi_status *out);
    int (*error_class)(int code); /* of codes that MPI_Waitall and its relatives return */
};

extern const struct quipu__mpi_library quipu__mpi_openmpi, quipu__mpi_mpich;

#endif
