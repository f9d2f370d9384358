/* real.h: the MPI that the program has, found when it is first called: linked with the program, or opened by it later. Its functions are
 * called with words: every argument of MPI's functions is an integer or a pointer, which the machines' calling conventions pass in
 * words of 64 bits whatever its width. So one wrapper serves every MPI, and passes on exactly what it was given. */
#ifndef QUIPU_RECORD_MPI_REAL_H
#define QUIPU_RECORD_MPI_REAL_H

#include "record/mpi/library.h"

typedef uintptr_t word;
typedef void (*quipu__mpi_function)(void);

/* Families of Fortran's names: mpi_send_; of mpi_f08 mpi_send_f08_ or, where buffers are descriptors, mpi_send_f08ts_; and mpi_alloc_mem_cptr_
 * where a buffer's address is a C pointer. */
enum quipu__mpi_family {
    QUIPU__MPI_PLAIN,
    QUIPU__MPI_F08,
    QUIPU__MPI_F08TS,
    QUIPU__MPI_CPTR,
    QUIPU__MPI_FAMILIES
};

/* A constant of Fortran, which is the address of a variable under any of several names; or a variable has its address when MPI has been
 * initialised. */
struct quipu__mpi_sentinel {
    word addresses[5];
    const word *pointer;
};

struct quipu__mpi_real {
    const struct quipu__mpi_library *library; /* NULL: none was found that is known */
    quipu__mpi_function c[QUIPU__MPI_ROWS], fortran[QUIPU__MPI_FAMILIES][QUIPU__MPI_ROWS];
    quipu__mpi_function
        next[QUIPU__MPI_ROWS]; /* where calls of C go on: another tool behind the recorder, or c */
    uint64_t (*from_fortran[QUIPU__MPI_HANDLES])(int32_t handle); /* NULL: the number is the handle */
    bool is_fortran_opened; /* by the program, after its first call of MPI or in a scope of its own */
    word world, bytes, null_type, null_comm;
    struct quipu__mpi_sentinel status_ignore_fortran, statuses_ignore_fortran, alias_fortran,
        errcodes_ignore_fortran;
};
extern struct quipu__mpi_real quipu__mpi_real;

/* Finds the MPI; any thread may call it, any number of times. */
void quipu__mpi_find(void);

/* A function for Fortran, also of a library that was opened after MPI had been found; NULL when there is none. */
quipu__mpi_function quipu__mpi_fortran(enum quipu__mpi_family family, enum quipu__mpi_row row);

/* A function of that name in any library that is loaded, other than the recorder's own and MPI's; NULL when there is none. */
quipu__mpi_function quipu__mpi_namesake(const char *name, quipu__mpi_function own);

/* The value of a constant in this process. */
uint64_t quipu__mpi_value(const struct quipu__mpi_constant *constant);

/* Calls of up to four words. The call must have succeeded so far that its arguments are valid: errors would reach the program's error
 * handlers. */
static inline int quipu__mpi_ask(enum quipu__mpi_row row, word a, word b, word c) {
    return ((int (*)(word, word, word))quipu__mpi_real.c[row])(a, b, c);
}

static inline bool quipu__mpi_is_pointer(unsigned kind) {
    return quipu__mpi_real.library->pointer_handles >> kind & 1;
}

/* A handle in C, as it is passed or as it lies in memory. */
static inline uint64_t quipu__mpi_handle(unsigned kind, word passed) {
    return quipu__mpi_is_pointer(kind) ? passed : (uint32_t)passed;
}

#endif
