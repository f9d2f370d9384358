/* merged_recording.h: one trace of what the MPI recorder and the I/O recorder have left of a run: the processes of both are the same by the
 * numbers that the system gave them, and so are their threads. */
#ifndef QUIPU_CLI_MERGED_RECORDING_H
#define QUIPU_CLI_MERGED_RECORDING_H

#include "recording.h"

/* mpi names the list of processes that the collector of the MPI recorder has written: a line for each thread,
 *
 *     WORLD RANK PROCESS THREAD NUMBER      THREAD: in the order of first calls; PROCESS and NUMBER: the system's
 *
 * of which those of world 0 are looked at. Without --to and a known ending the trace has the first format that can represent both. */
enum exit_code merged_recording_write(const struct arguments *arguments, const struct recording *mpi,
                                      const struct recording *io);

#endif
