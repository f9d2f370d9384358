/* modules.h: the program and its libraries in memory, which a stream describes before the first call that is made in each. */
#ifndef QUIPU_RECORD_MPI_MODULES_H
#define QUIPU_RECORD_MPI_MODULES_H

#include "record/mpi/process.h"

/* Describes the module that an address lies in, unless a stream of the process has done so. */
void quipu__mpi_find_module(struct quipu__mpi_thread *thread, uint64_t address);

static inline void quipu__mpi_note_module(struct quipu__mpi_thread *thread, uint64_t address) {
    if (__builtin_expect(address - thread->module_first >= thread->module_bytes, 0))
        quipu__mpi_find_module(thread, address);
}

/* In a child, whose streams describe them again. */
void quipu__mpi_forget_modules(void);

#endif
