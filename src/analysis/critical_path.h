/* critical_path.h: the critical path while it is found, for those that ask for more than its tables. */
#ifndef QUIPU_ANALYSIS_CRITICAL_PATH_H
#define QUIPU_ANALYSIS_CRITICAL_PATH_H

#include "analysis/shared/fold.h"
#include "analysis/waits/wait_states.h"
#include "state/unneeded_calls.h"

/* A wait that the path may lead through. */
struct quipu__path_wait {
    int64_t from, to;
    uint32_t location, peer;
    enum quipu__wait_pattern pattern;
};

struct quipu__path_segment {
    int64_t from, to;
    uint32_t location, region;
    int reason; /* enum quipu__wait_pattern, -1: the end */
};

/* Where a location is in its segments when they are filled with regions. */
struct quipu__path_cursor {
    struct quipu__path_segment **segments; /* of the location, by time */
    uint32_t count, next;
    int64_t next_begin;  /* when the next one begins, or has begun; INT64_MAX: there is none */
    int64_t first, last; /* its events of any kind */
    int64_t reached;     /* until when its time has been counted */
    int64_t most;        /* in one region of the segment */
    int64_t *times;      /* by region plus 1, in the segment; behind them the same in all segments before */
    bool is_done;        /* all its time has been counted */
};

struct quipu__region_times {
    int64_t on_path;
    int64_t total; /* of all locations; at the end without waits */
    int64_t waits;
};

struct quipu__critical_path {
    struct quipu__memory memory;
    const struct quipu_definitions *definitions;
    struct quipu__wait_states states;
    struct quipu__unneeded_calls computing; /* they do not matter in the first pass */
    QUIPU__VEC(struct quipu__path_wait) waits;
    QUIPU__VEC(struct quipu__path_segment) segments; /* the last one first until the walk is over */
    QUIPU__VEC(struct quipu__region_times) regions;  /* by region plus 1; 0: outside of any */
    bool is_filling;                                 /* the second pass */
    struct quipu__communication calls;               /* of the second pass */
    bool has_calls;
    QUIPU__VEC(struct quipu__path_cursor) cursors; /* by location */
    struct quipu__path_segment **by_location;      /* segments, for the cursors */
    int64_t begin, end;
    uint64_t locations; /* with events */
};

/* After that: calls tell with the time on the path of each location and region. */
void quipu__critical_path_each_time(const struct quipu__critical_path *path,
                                    void (*tell)(void *context, uint32_t location, uint32_t region,
                                                 int64_t time),
                                    void *context);

#endif
