/* counters.h: hardware counters of a thread, by PAPI, which is loaded when a program is recorded with some and is linked with nothing. What
 * is not there, the library or an event, is said once, and the program is recorded without it. */
#ifndef QUIPU_RECORD_MPI_COUNTERS_H
#define QUIPU_RECORD_MPI_COUNTERS_H

#include "record/mpi/stream.h"

#include <stdbool.h>

#define QUIPU__MPI_COUNTERS_MOST 128
#define QUIPU__MPI_COUNTER_NAME 80 /* with its end: as DUMPI stores it */

/* The counters of one thread; count 0: none. */
struct quipu__mpi_counters {
    int set;
    uint32_t count;
};

/* An event to count, by PAPI's name; before the first call. */
void quipu__mpi_counters_add(const char *name);

/* Names in a text, with commas between them. */
void quipu__mpi_counters_add_list(const char *names);

/* Begins to count in the calling thread, and ends it. */
void quipu__mpi_counters_start(struct quipu__mpi_counters *counters);
void quipu__mpi_counters_stop(struct quipu__mpi_counters *counters);

/* Stores the values so far, as many as count says. */
void quipu__mpi_counters_read(const struct quipu__mpi_counters *counters, uint8_t *out);

/* The names of what is counted, each with its end; returns their bytes. */
size_t quipu__mpi_counters_names(char out[QUIPU__MPI_COUNTERS_MOST * QUIPU__MPI_COUNTER_NAME]);

#endif
