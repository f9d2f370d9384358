/* mpi_time.h: how much of the time of a trace's locations passes in MPI calls: from enter to leave of the outermost one. */
#ifndef QUIPU_ANALYSIS_MPI_TIME_H
#define QUIPU_ANALYSIS_MPI_TIME_H

#include "core/memory.h"

#include <quipu/model.h>

/* Calls that are active at a location, innermost last. */
struct quipu__mpi_stack {
    uint32_t *regions;
    uint32_t depth, capacity;
    uint32_t mpi_depth; /* how many of them are MPI calls */
    uint32_t stream;    /* that the latest event is in */
    bool has_calls;
    int64_t first, last, mpi_begin;
};

struct quipu__mpi_time {
    struct quipu__memory *memory;
    const struct quipu_definitions *definitions;
    struct quipu__mpi_stack *stacks; /* by location */
    uint32_t stack_count;
    uint64_t mpi_ticks;      /* in MPI calls */
    uint64_t location_ticks; /* from the first to the last event of each location that has calls */
};

/* False when memory is out. */
QUIPU_CHECKED bool quipu__mpi_time_add(struct quipu__mpi_time *time, const struct quipu_batch *batch);

/* Ends what is active at the last event of its location, so that the two counts are complete. */
void quipu__mpi_time_end(struct quipu__mpi_time *time);
void quipu__mpi_time_release(struct quipu__mpi_time *time);

#endif
