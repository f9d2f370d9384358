/* from_model.h: events of any trace on their way into records: what from_model.c and the files that it stands on share. */
#ifndef QUIPU_PICL_FROM_MODEL_H
#define QUIPU_PICL_FROM_MODEL_H

#include "formats/picl/statistics.h"
#include "formats/picl/writer.h"

/* Integers that a record of an event has at most. */
#define QUIPU__PICL_FIELDS_MOST 8

/* An entry whose exit is still to come. */
struct quipu__picl_call {
    uint32_t region;
    int64_t event;
    const struct quipu__picl_event *row;
    int64_t user_event; /* that stands around it; -1 for none */
    bool is_mark;       /* the exit is not written */
    int64_t exit_values[QUIPU__PICL_FIELDS_MOST];
    uint32_t exit_count;
};

/* Where a figure of a pair comes from; lower ones replace higher ones. */
enum quipu__picl_figure_sort { QUIPU__PICL_OF_REGION, QUIPU__PICL_OF_ALL, QUIPU__PICL_OF_DETAIL };

/* A pair of a record of statistics that a summary tells. */
struct quipu__picl_figure {
    int64_t record_type, relative_to, event;
    uint64_t value;
    enum quipu__picl_figure_sort sort;
};

/* A collective operation that is active without a call. */
struct quipu__picl_active_collective {
    int64_t event;
    uint64_t matching; /* what ties it to its end; QUIPU_UNKNOWN: the same operation does */
};

/* A process of the model: a processor with one process. */
struct quipu__picl_target {
    int64_t processor, process;
    bool is_written;
    uint64_t reads, writes; /* transfers under way that stand for themselves */
    QUIPU__VEC(struct quipu__picl_active_collective)
    collectives; /* operations that stand for themselves, in the order in which they begin */
    QUIPU__VEC(struct quipu__picl_call) calls;
    struct quipu__picl_statistics statistics;
    QUIPU__VEC(struct quipu__picl_figure) figures; /* of the summaries at one time */
    int64_t figures_time;
    bool has_events; /* besides summaries */
};

/* What a region becomes: a system event of PICL, or a user event with a label. */
struct quipu__picl_source_region {
    const struct quipu__picl_event *row; /* NULL: a user event */
    int64_t event;                       /* of the row, or the set, or the user's */
    int64_t user_event;                  /* the call; -1 in traces of PICL, whose events are calls */
};

/* An enter that waits for the next event, which may have the data of the entry. */
struct quipu__picl_held {
    bool is_held, is_mark;
    uint32_t region, target;
    int64_t time;
    int64_t values[QUIPU__PICL_FIELDS_MOST];
    uint32_t value_count;
    struct quipu__buffer text; /* character data */
    bool has_text;
};

struct quipu__picl_from_model {
    struct quipu__picl_output *out;
    struct quipu__memory *memory;
    const struct quipu_definitions *definitions;
    struct quipu__picl_rate rate;
    bool is_native;   /* the definitions come from a PICL trace */
    bool has_tracing; /* its events say when tracing begins and ends */
    bool has_started;
    int64_t time; /* of the last event */
    struct quipu__picl_target *targets;
    uint32_t target_count;
    uint32_t *target_of; /* location -> target, QUIPU_NONE for none */
    struct quipu__picl_source_region *regions;
    uint32_t region_count, location_count;
    uint32_t world; /* the communicator of all, QUIPU_NONE for none */
    uint32_t key_count;
    struct quipu__picl_held held;
    unsigned
        statistics_left_out; /* a bit for times, counts and volumes of system events, times and counts of users' */
};

/* sources.c: what the definitions of any trace become. */
enum quipu_status quipu__picl_take_definitions(struct quipu__picl_from_model *from, struct quipu_error *err);

/* The header records of the definitions, at a time. */
void quipu__picl_put_header(struct quipu__picl_from_model *from, int64_t time);

/* Number of a group as an identifier of a subset of processes. */
int64_t quipu__picl_subset_of(const struct quipu__picl_from_model *from, uint32_t group);

/* figures.c: the statistics of a process at the end of the trace. */
void quipu__picl_put_statistics(struct quipu__picl_from_model *from, uint32_t target);

/* ---- calls.c: one event as one record ---- */

/* ---- calls.c: calls on their way into entries and exits. Events between enter and leave may have their data ---- */

#endif
