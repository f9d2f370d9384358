/* control.h: what a program, or a library that stands on the recorder, may have of it besides the recording of calls. */
#ifndef QUIPU_RECORD_MPI_CONTROL_H
#define QUIPU_RECORD_MPI_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

/* Where to record to, an absolute path, instead of QUIPU_RECORD_FOLDER; before the first call. */
void quipu__mpi_set_folder(const char *folder);

/* Calls that are not recorded are counted. Functions are selected by the numbers of their DUMPI records. */
void quipu__mpi_set_recording(bool is_recording);
void quipu__mpi_set_function(uint32_t number, bool is_recorded);
void quipu__mpi_set_statuses(bool are_recorded);         /* of records of all streams; before the first call */
void quipu__mpi_set_clocks(bool has_wall, bool has_cpu); /* before the first call */

/* Calls so far by the numbers of DUMPI's records, 291 of them; counting begins when it is first asked for. */
const uint32_t *quipu__mpi_call_counts(void);

/* Closes the stream of the calling thread; its later calls are not recorded. */
void quipu__mpi_close(void);

/* A region of the program's own, by its address or a key. The name may be NULL where it was given before, or is that of a function at the
 * address. Regions end in the opposite order. */
void quipu__mpi_region_enter(uint64_t key, const char *name);
void quipu__mpi_region_leave(uint64_t key);

#endif
