/* stream.h: what the recorder writes and the collector reads: a file per thread, HOST.PID.TID.N.mpi, in the byte order of the machine.
 *
 *     struct quipu__mpi_stream_head, then records: struct quipu__mpi_head, then the rest of its bytes
 *
 * Values of calls are raw: handles as MPI has them, numbers as it defines them. The records PREDEFINED say what they mean; the
 * collector numbers handles. Every value takes a multiple of 8 bytes:
 *
 *     number or handle     8 bytes; a handle of a datatype that a call has made is followed by the datatype's size, -1: unknown
 *     list                 its length, -1: absent; then elements of quipu__mpi_element_bytes
 *     string               its length, -1: absent; then its bytes
 *     strs, lists          length, then as many strings or strs
 *     status               a list: -1 is an ignored one
 *
 * Of a stream that has counters BEGIN, END and FAILED begin with their values, behind the CPU time; of one that has call sites BEGIN then has
 * the address that the call returns to, which lies in a module that a record MODULE of any thread before it describes.
 *
 * A call is a BEGIN with what is known when it begins and an END or FAILED with what it has given; only records of regions and DELAY can be between them.
 * A program that is killed inside a call leaves a BEGIN.
 */
#ifndef QUIPU_RECORD_MPI_STREAM_H
#define QUIPU_RECORD_MPI_STREAM_H

#include <stddef.h>
#include <stdint.h>

#define QUIPU__MPI_SUFFIX ".mpi"

/* An empty file beside the streams: a process that could not record any more, which it has said. One that could not make that file has counted
 * itself in another, which holds a struct quipu__notes. */
#define QUIPU__MPI_STOPPED_SUFFIX ".stopped-mpi"
#define QUIPU__MPI_NOTES_SUFFIX ".notes-mpi"
#define QUIPU__MPI_NOTE_STOPPED 0
#define QUIPU__MPI_MAGIC "quipumpi"
#define QUIPU__MPI_VERSION 6
#define QUIPU__MPI_TEXT 64
#define QUIPU__MPI_ANCESTORS 16

enum quipu__mpi_clock { QUIPU__MPI_WALL = 1, QUIPU__MPI_CPU = 2 };

struct quipu__mpi_stream_head {
    char magic[8];
    uint32_t version, size; /* of this head */
    uint64_t table;         /* quipu__mpi_calls_hash */
    uint32_t process, thread;
    uint32_t number;   /* of the thread, in the order of their first calls */
    uint32_t clocks;   /* bits of enum quipu__mpi_clock */
    int64_t time;      /* when the stream begins */
    int64_t real_time; /* the same in nanoseconds since 1970 */
    uint32_t ancestors
        [QUIPU__MPI_ANCESTORS]; /* processes: its parent, the parent of that and so on; 0 behind the last */
    uint32_t statuses;          /* DUMPI's bits of the mask of calls: 0: none are recorded */
    uint32_t counters;          /* values of 8 bytes that each call has at its beginning and at its end */
    uint32_t call_sites;        /* 1: addresses that calls return to are recorded */
    uint32_t has_delays;        /* 1: there are records DELAY */
    char host[QUIPU__MPI_TEXT], user[QUIPU__MPI_TEXT], world[QUIPU__MPI_TEXT], machine[QUIPU__MPI_TEXT];
};

enum quipu__mpi_record {
    QUIPU__MPI_BEGIN,
    QUIPU__MPI_END,
    QUIPU__MPI_FAILED,     /* the end of a call that has not succeeded */
    QUIPU__MPI_PREDEFINED, /* row: space; numbers of values */
    QUIPU__MPI_SIZES,      /* sizes of datatypes */
    QUIPU__MPI_WORLD,      /* rank and size */
    QUIPU__MPI_COUNTS,     /* calls that left no records, so far */
    QUIPU__MPI_REGION_ENTER,
    QUIPU__MPI_REGION_LEAVE,
    QUIPU__MPI_LABEL,    /* name of a region */
    QUIPU__MPI_SYNC,     /* offset of this machine's clock to that of rank 0 */
    QUIPU__MPI_STATUSES, /* row: statuses are recorded like this from now on */
    QUIPU__MPI_LAUNCHED, /* rank and size as the launcher says them: for a program that is killed in MPI_Init */
    QUIPU__MPI_RENUMBERED, /* a communicator: its number from now on, as in PREDEFINED; below 0: one that is new */
    QUIPU__MPI_COUNTERS, /* names of the counters, each with its end */
    QUIPU__MPI_MODULE,   /* struct quipu__mpi_module, and its path */
    QUIPU__MPI_DELAY, /* within a call: ns that the thread was ready to run so far and had no processor; row: 1: when the call ends */
    QUIPU__MPI_RECORDS
};

struct quipu__mpi_head {
    uint32_t size; /* with this head; a multiple of 8 */
    uint16_t record, row;
    int64_t time;
    /* BEGIN, END and FAILED: the CPU time, if it is recorded; counters; FAILED: the result; then values
     * REGION_ENTER, REGION_LEAVE: the key, and the CPU time, if it is recorded */
};

/* What a record of a call has in front of its result or values. */
static inline size_t quipu__mpi_measured_bytes(const struct quipu__mpi_stream_head *head) {
    return (head->clocks & QUIPU__MPI_CPU ? sizeof(int64_t) : 0) + (size_t)head->counters * sizeof(int64_t);
}

/* What a BEGIN has in front of its values. */
static inline size_t quipu__mpi_begin_bytes(const struct quipu__mpi_stream_head *head) {
    return quipu__mpi_measured_bytes(head) + (head->call_sites ? sizeof(uint64_t) : 0);
}

/* Value spaces of PREDEFINED, by the names of DUMPI's domains. */
#define QUIPU__MPI_SPACES                                                                                      \
    SPACE(comm)                                                                                                \
    SPACE(dtype)                                                                                               \
    SPACE(group)                                                                                               \
    SPACE(op)                                                                                                  \
    SPACE(req)                                                                                                 \
    SPACE(info)                                                                                                \
    SPACE(file)                                                                                                \
    SPACE(win)                                                                                                 \
    SPACE(errh)                                                                                                \
    SPACE(keyval)                                                                                              \
    SPACE(source)                                                                                              \
    SPACE(dest)                                                                                                \
    SPACE(tag)                                                                                                 \
    SPACE(cmp)                                                                                                 \
    SPACE(tlevel)                                                                                              \
    SPACE(combiner)                                                                                            \
    SPACE(dist)                                                                                                \
    SPACE(amode)                                                                                               \
    SPACE(lock)                                                                                                \
    SPACE(order)                                                                                               \
    SPACE(whence)                                                                                              \
    SPACE(topo)                                                                                                \
    SPACE(tclass)                                                                                              \
    SPACE(wassert)
enum quipu__mpi_space {
#define SPACE(name) QUIPU__MPI_SPACE_##name,
    QUIPU__MPI_SPACES
#undef SPACE
        QUIPU__MPI_SPACE_COUNT
};

/* PREDEFINED: values. A number below 0 says that the value has none of its own. */
struct quipu__mpi_pair {
    uint64_t value;
    int64_t number;
};

/* A program or library in memory: addresses in it are those of its file plus bias. */
#define QUIPU__MPI_BUILD_ID 20
struct quipu__mpi_module {
    uint64_t bias, first, end; /* end: behind its last byte */
    uint32_t build_id_bytes;   /* 0: it has none */
    uint8_t build_id[QUIPU__MPI_BUILD_ID];
};

struct quipu__mpi_region {
    uint64_t key;
    int64_t cpu;
};

struct quipu__mpi_world {
    int32_t rank, size;
};

struct quipu__mpi_count {
    uint32_t row, ignored;
};

struct quipu__mpi_sync {
    int64_t offset, round_trip; /* nanoseconds to add; how long the exchange took */
};

struct quipu__mpi_status {
    int64_t bytes;
    int32_t source, tag, error, cancelled;
};

#endif
