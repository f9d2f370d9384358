/* io.h: what is known of the input and output of a trace while it is analysed, for the files that fold events into requests
 * (io.c), add requests up (uses.c, timeline.c, extents.c), show them (table.c), and do what workload studies do
 * (study.c, cache.c, study_table.c).
 *
 * A *use* is a file as one location uses it; a *file use* is a file as one application uses it, with all its locations. Memory
 * grows with the uses and with what was touched of files, not with the number of requests. */
#ifndef QUIPU_ANALYSIS_IO_IO_H
#define QUIPU_ANALYSIS_IO_IO_H

#include "analysis/shared/fold.h"
#include "analysis/io/extents.h"
#include "analysis/io/operations.h"

/* Darshan's bins: up to 100 bytes, 1 KiB, 10 KiB, 100 KiB, 1 MiB, 4 MiB, 10 MiB, 100 MiB, 1 GiB, more. */
enum { QUIPU__IO_BINS = 10 };

enum quipu__io_direction { QUIPU__IO_READS, QUIPU__IO_WRITES, QUIPU__IO_DIRECTIONS };

/* A request as it is known where it is counted. Sizes and offsets that are not known are QUIPU_UNKNOWN. */
struct quipu__io_request {
    uint32_t location, file, stream;
    enum quipu__io_direction direction;
    int64_t begin;
    uint64_t offset, bytes;
};

/* ---- Uses ---- */

struct quipu__io_segment {
    int64_t size, stride, start; /* of its first request */
    uint64_t requests;
};

/* Searches for strided patterns among the requests of a use, one after the other. */
struct quipu__io_strides {
    struct quipu__io_segment current;  /* the requests that are alike up to now */
    struct quipu__io_segment latest;   /* the segment that ended last */
    uint64_t latest_end;               /* number of the request behind it */
    int64_t spacing;                   /* of the starts of segments that are alike */
    uint64_t alike;                    /* how many there are */
    uint64_t segments, nested, inside; /* inside: requests in segments */
    struct quipu__io_segment longest;
};

struct quipu__io_use {
    uint32_t location, file, file_use;
    uint32_t stream;     /* of the latest request */
    uint32_t open_count; /* opens that are not closed */
    uint64_t opens;
    uint64_t requests[QUIPU__IO_DIRECTIONS], bytes[QUIPU__IO_DIRECTIONS], ns[QUIPU__IO_DIRECTIONS];
    uint64_t metadata_ns;
    uint64_t sized, least, most; /* requests of known size, the smallest, the largest */
    bool has_previous;
    int64_t previous_offset, previous_end;
    uint64_t placed, successions, sequential, consecutive; /* placed: requests with an offset */
    struct quipu__io_strides strides;
    struct quipu__extent_hint hint;
    struct quipu__client_cache *cache; /* of the study; NULL: none */
};

enum { QUIPU__IO_DISTINCT = 4 };

/* Up to four distinct values: more are not told apart. */
struct quipu__io_distinct {
    int64_t values[QUIPU__IO_DISTINCT];
    uint32_t count;
};

struct quipu__io_file_use {
    uint32_t application, file; /* application: its location, or QUIPU_NONE */
    uint64_t opens;
    bool has_requests[QUIPU__IO_DIRECTIONS];
    struct quipu__extents extents;

    /* For the study only. */
    struct quipu__io_distinct sizes, intervals;
    bool is_created, was_open_twice, is_listed;
    uint32_t open_clients;
    uint32_t next_listed; /* of those that the application has opened: its number plus 1, or 0 */
    uint64_t size;        /* of the file when it was closed, the largest; QUIPU_UNKNOWN */
};

/* ---- Over time ---- */

enum { QUIPU__IO_INTERVALS = 64 };

struct quipu__io_interval {
    uint64_t requests[QUIPU__IO_DIRECTIONS], bytes[QUIPU__IO_DIRECTIONS], opens;
};

/* Intervals of 2^shift ticks, aligned to multiples of that; number n is at n modulo their count. The fewest that have room for
 * all times. */
struct quipu__io_timeline {
    unsigned shift;
    int64_t first, last; /* numbers; empty when last < first */
    struct quipu__io_interval intervals[QUIPU__IO_INTERVALS];
};

void quipu__io_timeline_init(struct quipu__io_timeline *timeline);

/* Intervals from first to last; one may be the last number that there is, so they are counted, not compared. */
static inline unsigned quipu__io_interval_count(const struct quipu__io_timeline *timeline) {
    return (unsigned)((uint64_t)timeline->last - (uint64_t)timeline->first + 1);
}

/* The interval of a time. */
struct quipu__io_interval *quipu__io_timeline_extend(struct quipu__io_timeline *timeline, int64_t time);
static inline int64_t quipu__io_interval_number(int64_t time, unsigned shift) {
    return time < 0 ? ~(~time >> shift) : time >> shift;
}
static inline struct quipu__io_interval *quipu__io_timeline_at(struct quipu__io_timeline *timeline,
                                                               int64_t time) {
    const int64_t number = quipu__io_interval_number(time, timeline->shift);
    return QUIPU__LIKELY(number >= timeline->first && number <= timeline->last)
               ? &timeline->intervals[(uint64_t)number % QUIPU__IO_INTERVALS]
               : quipu__io_timeline_extend(timeline, time);
}

/* ---- All of it ---- */

enum { QUIPU__IO_RECENT = 256 };

struct quipu__io {
    struct quipu__memory memory;
    const struct quipu_definitions *definitions;
    struct quipu__window window; /* ticks: what counts of all that is read */
    int64_t block_size;
    struct quipu__io_operations operations;
    struct quipu__map use_numbers, file_use_numbers;
    QUIPU__VEC(struct quipu__io_use) uses;
    uint32_t recent_uses
        [QUIPU__IO_RECENT]; /* numbers plus 1 of those looked for lately: nearly all are found here */
    QUIPU__VEC(struct quipu__io_file_use) file_uses;
    uint64_t bin_requests[QUIPU__IO_BINS][QUIPU__IO_DIRECTIONS],
        bin_bytes[QUIPU__IO_BINS][QUIPU__IO_DIRECTIONS];
    struct quipu__io_timeline timeline;
    struct quipu__io_study *study; /* NULL: not asked for */
    bool has_all_operations;       /* no selection takes the ends of operations away */
    uint64_t endless;              /* operations that begin before the window ends, and have no end */
};

/* ---- uses.c ---- */

/* Where the use that a location has of a file may be among the recent ones. */
static inline uint32_t quipu__io_recent(uint32_t location, uint32_t file) {
    return (location * 8 + file) % QUIPU__IO_RECENT;
}

/* A location and a file as a key. */
static inline uint64_t quipu__io_key(uint32_t location, uint32_t file) {
    return (uint64_t)location << 32 | file;
}

/* The use of a file by a location, added when it is new; NULL when memory is out. Lives until another one is added. */
struct quipu__io_use *quipu__io_use_find(struct quipu__io *io, uint32_t location, uint32_t file);
static inline struct quipu__io_use *quipu__io_use_of(struct quipu__io *io, uint32_t location, uint32_t file) {
    const uint32_t recent = io->recent_uses[quipu__io_recent(location, file)];
    struct quipu__io_use *use = recent > 0 ? &io->uses.items[recent - 1] : NULL;
    return QUIPU__LIKELY(use && use->location == location && use->file == file)
               ? use
               : quipu__io_use_find(io, location, file);
}

/* A request, counted where it begins. Returns its use; NULL when memory is out. */
struct quipu__io_use *quipu__io_add_request(struct quipu__io *io, const struct quipu__io_request *request);

/* Adds what another use counts. */
void quipu__io_join_use(struct quipu__io_use *use, const struct quipu__io_use *other);

/* The last segment of a use ends. */
void quipu__io_strides_end(struct quipu__io_use *use);

/* ---- Tables ---- */

enum { QUIPU__IO_STUDY = 6, QUIPU__IO_TABLES };
extern const struct quipu_analysis_table quipu__io_tables[QUIPU__IO_TABLES];

enum quipu_status quipu__io_show(struct quipu__io *io, struct quipu_tables *tables, struct quipu_error *err);

/* Adds a figure to the table of the study; its value is JSON. */
enum quipu_status quipu__io_add_figure(struct quipu_table *table, const char *name, const char *json,
                                       struct quipu_error *err);

/* A number that is not negative, to six decimals. */
static inline double quipu__io_rounded(double value) {
    return value < 1e9 ? (double)(uint64_t)(value * 1e6 + 0.5) / 1e6 : value;
}
static inline double quipu__io_fraction(uint64_t amount, uint64_t all) {
    return quipu__io_rounded((double)amount / (double)all);
}

/* "read-only" and so on, by what was done. */
const char *quipu__io_class_name(const struct quipu__io_file_use *file_use);

/* Darshan's estimate of performance. */
struct quipu__io_performance {
    uint64_t bytes, unique_ns, shared_ns;
    uint32_t unique_location;
};
QUIPU_CHECKED bool quipu__io_estimate(struct quipu__io *io, struct quipu__io_performance *out);

/* MiB/s of an estimate, negative when no time was measured. */
double quipu__io_rate(const struct quipu__io_performance *performance);

#endif
