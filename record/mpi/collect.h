/* collect.h: DUMPI traces of what the MPI recorder has left in folders, whatever ended the programs.
 *
 * A trace is that of one world: programs that were spawned, or another job that recorded into the same folders, have traces of their own. */
#ifndef QUIPU_RECORD_MPI_COLLECT_H
#define QUIPU_RECORD_MPI_COLLECT_H

#include <quipu/base.h>

struct quipu__mpi_frames; /* frames.h */

struct quipu__mpi_collecting {
    const char *const *folders;
    size_t folder_count;
    const char
        *output;      /* NAME.meta; the second world's is NAME-world1.meta; or, of one process only, NAME.bin */
    uint32_t process; /* only this one, by its number on this machine; 0: all */
    const char *processes; /* a file that lists the processes and their threads; NULL: none */
    bool has_functions;    /* calls that DUMPI has no records for become functions */
    const struct quipu__mpi_frames *
        frames; /* what finds where calls were made, which is in the trace then (formats/dumpi/layout.h); NULL: nothing */
    bool replace;
};

struct quipu__mpi_collected {
    uint64_t calls, functions; /* calls recorded; those of them that DUMPI has no record for */
    uint64_t bytes;            /* of the recorder's files */
    uint64_t bounded;          /* counts and sizes above 2^31 - 1, for which that stands */
    uint64_t sites_left_out;   /* calls of which is recorded, but not in the trace, where they were made */
    uint64_t sites, unresolved_sites; /* places of calls, and those of which no line is known */
    uint32_t worlds, ranks, streams, damaged;
    uint32_t strangers; /* processes that did not initialise MPI */
    uint32_t stopped;   /* processes that could not record to their end */
};

/* QUIPU_END: nothing was recorded, and no trace is written. */
enum quipu_status quipu__mpi_collect(const struct quipu__mpi_collecting *collecting,
                                     struct quipu__mpi_collected *out, struct quipu_error *err);

#endif
