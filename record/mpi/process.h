/* process.h: the recorder in its process: what is recorded, and the stream of each thread. */
#ifndef QUIPU_RECORD_MPI_PROCESS_H
#define QUIPU_RECORD_MPI_PROCESS_H

#include "record/mpi/calls.h"
#include "record/mpi/control.h"
#include "record/mpi/counters.h"
#include "record/mpi/stream.h"
#include "record/ring.h"

#include <sys/types.h>

#define QUIPU__MPI_NAMED 256
#define QUIPU__MPI_STATUS_ROOM 8192 /* bytes */

struct quipu__mpi_thread {
    struct quipu__ring ring;
    struct quipu__mpi_counters counters;
    size_t large_bytes;                  /* of a record under way that has memory of its own */
    uint64_t module_first, module_bytes; /* addresses of the module that the latest call was made in */
    int64_t delay_due;    /* when it is asked next how long the thread has waited for a processor */
    uint32_t depth;       /* of calls within calls */
    bool is_tried;        /* its stream is open, or cannot be */
    uint32_t fortran_row; /* of the outermost call, when it is one of Fortran */
    bool is_done;
    pid_t tid;
    uint32_t number;
    uint32_t ignored[QUIPU__MPI_ROWS];             /* calls that left no record */
    uint64_t named[QUIPU__MPI_NAMED];              /* regions whose names are recorded */
    uint64_t statuses[QUIPU__MPI_STATUS_ROOM / 8]; /* that the program ignores */
};

struct quipu__mpi_process {
    char machine[QUIPU__MPI_TEXT]; /* those of one name have one clock */
    bool is_recorded[QUIPU__MPI_ROWS];
    bool is_recording;                   /* false: calls are counted */
    bool has_call_sites;                 /* where calls are made is recorded */
    bool has_enters, has_leaves;         /* beginnings and ends of regions are recorded */
    bool has_stopped;                    /* there is nowhere to record to */
    uint32_t clocks;                     /* bits of enum quipu__mpi_clock */
    uint32_t statuses;                   /* as in the head of streams */
    bool leaves_statuses;                /* those that the program ignores are not known */
    uint32_t called[QUIPU__MPI_COUNTED]; /* by numbers of DUMPI, when they are counted */
    bool is_counting;
    bool has_world;                        /* MPI_Init was called */
    struct quipu__mpi_world session_world; /* of a program without: rank and size; size 0: not known */
    uint64_t session_comm;                 /* its communicator of all processes */
    bool has_session_comm;
    struct quipu__mpi_observer observer;
};
extern struct quipu__mpi_process quipu__mpi_process;

/* The calling thread, with a stream if there is something to record to. NULL when not even that can be had. */
struct quipu__mpi_thread *quipu__mpi_thread(void);

/* What is done when the buffer is full, or there is none. */
uint8_t *quipu__mpi_make_room(struct quipu__mpi_thread *thread, size_t bytes);
void quipu__mpi_commit_large(struct quipu__mpi_thread *thread, uint8_t *room, size_t bytes);

/* Room for a record of at most that many bytes, NULL: none. Right behind, the record is committed with its real size. */
static inline uint8_t *quipu__mpi_room(struct quipu__mpi_thread *thread, size_t bytes) {
    uint8_t *room = quipu__ring_room(&thread->ring, bytes);
    return __builtin_expect(room != NULL, 1) ? room : quipu__mpi_make_room(thread, bytes);
}
static inline void quipu__mpi_commit(struct quipu__mpi_thread *thread, uint8_t *room, size_t bytes) {
    if (__builtin_expect(room == thread->ring.data + thread->ring.head->used, 1))
        quipu__ring_commit(&thread->ring, bytes);
    else
        quipu__mpi_commit_large(thread, room, bytes);
}

/* Nanoseconds of the processor that the process has had. */
int64_t quipu__mpi_cpu_now(void);

/* Within a call, some time after the latest such record: how long the thread has waited for a processor. */
void quipu__mpi_put_delay(struct quipu__mpi_thread *thread, int64_t time, bool at_end);

/* A whole record. */
void quipu__mpi_put(struct quipu__mpi_thread *thread, enum quipu__mpi_record record, uint16_t row,
                    const void *data, size_t bytes);

/* identity.c: what a stream says about its process: constants when the first stream begins; sizes of datatypes, rank and clock when MPI
 * has been initialised. */
void quipu__mpi_put_constants(struct quipu__mpi_thread *thread);
void quipu__mpi_initialized(struct quipu__mpi_thread *thread);
void quipu__mpi_session_initialized(struct quipu__mpi_thread *thread, uint64_t session);
void quipu__mpi_finalizing(struct quipu__mpi_thread *thread);
void quipu__mpi_put_counts(struct quipu__mpi_thread *thread);

/* Tells whoever stands on the recorder that nothing more is recorded: MPI is finalised or aborts, or the process ends. */
void quipu__mpi_end_recording(void);

/* A program of sessions has made a communicator; and it is about to free one, or has done so. */
void quipu__mpi_session_communicator(struct quipu__mpi_thread *thread, uint64_t communicator);
bool quipu__mpi_session_leaving(struct quipu__mpi_thread *thread, uint64_t communicator);
void quipu__mpi_session_left(struct quipu__mpi_thread *thread);

/* sync.c: compares the clocks of machines; all processes of the communicator call it, which are those of the world in their order. */
void quipu__mpi_synchronize(struct quipu__mpi_thread *thread, const char *machine, uint64_t communicator);

#endif
