/* control.h: what a program, or a library that stands on the recorder, may have of it besides the recording of calls. */
#ifndef QUIPU_RECORD_MPI_CONTROL_H
#define QUIPU_RECORD_MPI_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a library that stands on the recorder is told; none may be NULL. */
struct quipu__mpi_observer {
    void (*starting)(void);    /* the first call comes: settings that are due before it can be made */
    void (*initialized)(void); /* MPI_Init has succeeded, and MPI can be asked */
    void (*ending)(void);      /* MPI_Finalize has ended, MPI_Abort begins, or the process ends */
};
void quipu__mpi_observe(const struct quipu__mpi_observer *observer);

/* Of that library, if there is one: called before the program can call MPI, which constructors of its libraries may do. */
void quipu__mpi_prepare(void) __attribute__((weak, visibility("hidden")));

/* Where to record to, an absolute path, instead of QUIPU_RECORD_FOLDER; before the first call. */
void quipu__mpi_set_folder(const char *folder);

/* Bytes of a thread's buffer; before the first call. */
void quipu__mpi_set_buffer(size_t bytes);

/* Calls that are not recorded are counted. Functions are selected by the numbers of their DUMPI records. */
void quipu__mpi_set_recording(bool is_recording);
void quipu__mpi_set_function(uint32_t number, bool is_recorded);
void quipu__mpi_set_regions(bool has_enters, bool has_leaves);
void quipu__mpi_set_clocks(bool has_wall, bool has_cpu); /* before the first call */

/* DUMPI's bits of the mask of calls, from the next call on: 0: none are recorded. */
#define QUIPU__MPI_ALL_STATUSES 3u
void quipu__mpi_set_statuses(unsigned bits);

/* What the program ignores stays unknown. Without this MPI fills in statuses of the recorder's own. */
void quipu__mpi_leave_statuses(void);

/* Calls so far by the numbers of DUMPI's records, and behind them all of these; counting begins when it is first asked for. */
#define QUIPU__MPI_COUNTED 291
const uint32_t *quipu__mpi_call_counts(void);

/* Nothing more is recorded; says once, with the path and errno, why. */
void quipu__mpi_stop(const char *path);

/* Closes the stream of the calling thread. Later calls are not recorded. */
void quipu__mpi_close(void);

/* A region of the program's own, by its address or a key. The name may be NULL where it was given before, or is that of a function at the
 * address. Regions end in the opposite order. */
void quipu__mpi_region_enter(uint64_t key, const char *name);
void quipu__mpi_region_leave(uint64_t key);

#endif
