/* why.h: the account of lost time while it is made. */
#ifndef QUIPU_ANALYSIS_WHY_WHY_H
#define QUIPU_ANALYSIS_WHY_WHY_H

#include "analysis/clock/offsets.h"
#include "analysis/replay/network_replay.h"
#include "analysis/waits/waits.h"
#include "core/bounded.h"

/* What locations do that is not useful, in the order of these names, and how a sentence says it that goes on with location and region. Commands that show more: those with %s can be narrowed to a region. */
#define QUIPU__WHY_KINDS(KIND)                                                                                 \
    KIND(COMPLETION, "completion", "until a collective operation ends",                                        \
         "quipu waits TRACE --by pattern,region")                                                              \
    KIND(IDLE, "idle", "idleness", "quipu calls TRACE%s")                                                      \
    KIND(IO, "io", "time with files", "quipu io TRACE")                                                        \
    KIND(IO_WAIT, "io-wait", "waiting for files", "quipu io TRACE")                                            \
    KIND(NOT_THERE, "not there", "a location has not begun, or has ended",                                     \
         "quipu profile TRACE --by location")                                                                  \
    KIND(RUNTIME, "runtime", "time in the runtime system", "quipu calls TRACE%s")                              \
    KIND(SYNC, "sync", "synchronisation", "quipu calls TRACE%s")                                               \
    KIND(UNCERTAIN, "uncertain", "waiting that the clocks leave open", "quipu clock TRACE")                    \
    KIND(UNEXPLAINED, "unexplained", "unexplained time of communication", "quipu calls TRACE%s")               \
    KIND(WAITING, "waiting", "others wait for", "quipu waits TRACE --causes")
enum quipu__why_kind {
#define KIND(name, text, saying, command) QUIPU__WHY_##name,
    QUIPU__WHY_KINDS(KIND)
#undef KIND
        QUIPU__WHY_USEFUL
};

/* Time that is spent so, or a finding. */
struct quipu__spent {
    uint8_t kind;
    uint32_t location; /* QUIPU_NONE: all of them */
    uint32_t path;
    uint32_t name, position; /* of location and path, in the order of their texts */
    int64_t time, certain;
};

/* Time in a path is of the kind that its use says, or waiting. */
enum { QUIPU__WHY_OF_PATH, QUIPU__WHY_OF_COMPLETION, QUIPU__WHY_OF_IO_WAIT, QUIPU__WHY_TIMES };

/* A completion, or waiting for files. */
struct quipu__other_wait {
    int64_t from, to;
    uint32_t location, path;
    int of; /* QUIPU__WHY_OF_COMPLETION, QUIPU__WHY_OF_IO_WAIT */
};

/* The call that a location is in, as far as the trace says how long the processor was busy with it. */
struct quipu__cpu_call {
    int64_t enter, busy;
    bool is_known;
};

/* How long a location has waited for a processor so far, by a counter, and since when it has been in its call. */
struct quipu__run_delay {
    int64_t value, time, enter;
    bool is_known, is_in_call;
};

struct quipu__why {
    struct quipu__memory memory;
    const struct quipu_definitions *definitions;
    struct quipu__reported reported;
    struct quipu__network_replay *efficiency;                /* NULL when its answer is known */
    struct quipu__communication_listener replaying, waiting; /* what both want to be told */
    struct quipu__waits *waits;
    struct quipu_setting waits_settings[2];
    struct quipu__fold_start waits_start;
    struct quipu__waits_listener listener;
    struct quipu__clock_pairs clocks;
    QUIPU__VEC(struct quipu__clock_offset) offsets;
    QUIPU__VEC(struct quipu__other_wait) others;

    uint32_t cpu_keys
        [2]; /* attributes of calls: the processor's time when they begin and end; QUIPU_NONE: there are none */
    QUIPU__VEC(struct quipu__cpu_call) cpu_calls; /* by location */
    uint32_t delay_metric;                        /* QUIPU_NONE: there is none */
    QUIPU__VEC(struct quipu__run_delay) delays;   /* by location */
    bool has_cpu_times, has_delays;
    int64_t
        off_processor; /* in calls: while ready to run; by times of processors in those that had one for less than half of their time */
    uint64_t off_processor_calls;
    int64_t off_processor_outside; /* of calls */
    int64_t starved;               /* of both, what is not waiting for others that compute */

    /* The answer. */
    struct quipu__replay_totals totals;
    int64_t begin, end;         /* of the region of interest */
    QUIPU__VEC(int64_t) useful; /* by location with events */
    QUIPU__VEC(struct quipu__spent) spent, findings;
    struct quipu__path_uses paths;
    QUIPU__VEC(uint32_t) names; /* positions of locations in the order of their names */
    bool has_uncertain;
    int64_t *times; /* while a location is looked at: by path for each of QUIPU__WHY_TIMES */
    QUIPU__VEC(uint32_t) touched;
};

static inline const struct quipu__communication *quipu__why_communication(const struct quipu__why *why) {
    return &why->waits->states.communication;
}

static inline const struct quipu__call_stack *quipu__why_stack(const struct quipu__why *why, size_t location) {
    return &quipu__why_communication(why)->stacks.items[location];
}

static inline int64_t quipu__why_overlap(int64_t from, int64_t to, int64_t begin, int64_t end) {
    const int64_t first = from > begin ? from : begin, last = to < end ? to : end;
    return last > first ? quipu__bounded_difference(last, first) : 0;
}

/* ---- spent.c ---- */

/* Everything has been read: finds what was spent, and the findings. False when memory is out. */
QUIPU_CHECKED bool quipu__why_find(struct quipu__why *why);

/* ---- table.c ---- */

enum { QUIPU__WHY_TABLES = 4 };
extern const struct quipu_analysis_table quipu__why_tables[QUIPU__WHY_TABLES];

/* Adds the tables, and notes what is to be said of them. */
enum quipu_status quipu__why_put(const struct quipu__why *why, struct quipu_tables *tables,
                                 struct quipu_error *err);

#endif
