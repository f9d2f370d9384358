/* format.h: an open trace of Paraver.
 *
 * Opening reads the names (labels.c) and goes over the lines once (scan.c): it finds which threads, types, regions and communicators
 * there are, and notes the events that lines tell out of their turn. A line of a message has the times of both its ends, and is
 * wherever its writer put it; so is a state. Passes (reader.c) put these displaced events of a thread between its others (to_model.c).
 *
 * A trace whose events are in the order of time is one substream; else each thread is one of its own. */
#ifndef QUIPU_PARAVER_FORMAT_H
#define QUIPU_PARAVER_FORMAT_H

#include "core/memory/map.h"
#include "core/memory/vec.h"
#include "formats/descriptor.h"
#include "formats/paraver/lines.h"

enum quipu__paraver_rule {
#define RULE(name, id, severity, text, advice) QUIPU__PARAVER_RULE_##name,
#include "formats/paraver/rules.def"
#undef RULE
    QUIPU__PARAVER_RULE_COUNT
};
extern const struct quipu_rule quipu__paraver_rules[QUIPU__PARAVER_RULE_COUNT];

/* ---- Names ---- */

/* What values are called: some of all labels, ascending by value. */
struct quipu__paraver_names {
    uint32_t first, count;
    uint32_t channels; /* that have them already */
};

struct quipu__paraver_named_type {
    int64_t number;
    const char *name;
    uint32_t block; /* of its values, which it may share */
};

enum quipu__paraver_level {
    QUIPU__PARAVER_NODES,
    QUIPU__PARAVER_TASKS,
    QUIPU__PARAVER_THREADS,
    QUIPU__PARAVER_LEVELS
};

/* What the files beside the trace say; either may be missing. */
struct quipu__paraver_labels {
    struct quipu__arena arena;
    const char *pcf, *row;                              /* paths; NULL: missing */
    QUIPU__VEC(struct quipu__paraver_named_type) types; /* ascending by number */
    QUIPU__VEC(struct quipu_value_label) values;
    QUIPU__VEC(struct quipu__paraver_names) blocks;
    uint32_t states; /* their block, plus 1; 0: there is none */
    QUIPU__VEC(const char *) rows[QUIPU__PARAVER_LEVELS];
};
enum quipu_status quipu__paraver_read_labels(struct quipu__paraver_labels *labels, struct quipu__trace *trace,
                                             struct quipu_error *err);
void quipu__paraver_release_labels(struct quipu__paraver_labels *labels);

/* NULL: the file does not have it. */
const struct quipu__paraver_named_type *quipu__paraver_named(const struct quipu__paraver_labels *labels,
                                                             int64_t type);
struct quipu__paraver_names quipu__paraver_names_of(const struct quipu__paraver_labels *labels, int64_t type);
const char *quipu__paraver_label(const struct quipu__paraver_labels *labels, struct quipu__paraver_names names,
                                 int64_t value);

/* ---- An open trace ---- */

/* A thread, which is a location of the model; the first one of a task is the process. */
struct quipu__paraver_thread {
    int64_t application, task, thread, node;
    uint32_t process;   /* its first thread */
    uint32_t substream; /* that has its events */
    bool is_in_header;
};

/* What events of a type become. */
enum quipu__paraver_use {
    QUIPU__PARAVER_USE_COUNTER,    /* a metric since the last value */
    QUIPU__PARAVER_USE_REGION,     /* enters and leaves */
    QUIPU__PARAVER_USE_COLLECTIVE, /* a column of a collective operation */
    QUIPU__PARAVER_USE_METRIC,
    QUIPU__PARAVER_USE_CHANNEL
};
struct quipu__paraver_used_type {
    int64_t number;
    uint8_t use;
    uint8_t role;        /* of its regions */
    uint8_t column;      /* of a collective operation; quipu_column */
    uint32_t definition; /* metric or channel */
};

struct quipu__paraver_used_region {
    int64_t value;
    uint32_t type;     /* among those used; QUIPU_NONE: it is a state */
    uint32_t number;   /* in the model */
    uint8_t operation; /* enum quipu_collective */
    bool is_call;      /* of MPI */
    bool posts;        /* a call that posts a receive */
};

/* What a line tells out of its turn. */
struct quipu__paraver_displaced {
    int64_t time;
    uint64_t offset; /* of the line */
    uint32_t thread;
    uint32_t item; /* message, or region of a state */
    uint32_t substream;
    uint8_t kind;
    bool is_late; /* at the beginning of its call, else at its end or in the middle */
};

struct quipu__paraver_message {
    uint64_t bytes;
    int64_t tag;
    uint32_t from, to; /* threads */
};

struct quipu__paraver_communicator {
    int64_t application, id;
    const int64_t *members; /* sized */
    uint64_t line;
};

struct quipu__paraver_trace {
    struct quipu__trace *trace;
    struct quipu__paraver_labels labels;
    uint64_t ticks_per_second;
    bool has_header, is_sorted, has_regions;
    int64_t applications, announced; /* as the header says; announced communicators: -1: it does not say */
    uint64_t intercommunicators;     /* lines of them */
    QUIPU__VEC(struct quipu__paraver_thread) threads;
    QUIPU__VEC(struct quipu__paraver_used_type) types;
    QUIPU__VEC(struct quipu__paraver_used_region) regions;
    QUIPU__VEC(struct quipu__paraver_communicator) communicators;
    struct quipu__map thread_of, type_of, region_of, group_of;
    QUIPU__VEC(struct quipu__paraver_message) messages;
    QUIPU__VEC(struct quipu__paraver_displaced) displaced; /* by substream, time, thread, is_late */
    QUIPU__VEC(size_t) first_displaced;                    /* of each substream, and the end */
    uint32_t substreams, first_location; /* first_location: the number of thread 0 in the model */
};

/* Which thread that is; QUIPU_NONE: not known. */
uint32_t quipu__paraver_thread_of(const struct quipu__paraver_trace *own, int64_t application, int64_t task,
                                  int64_t thread);

static inline uint32_t quipu__paraver_type_of(const struct quipu__paraver_trace *own, int64_t number) {
    return quipu__map_get(&own->type_of, (uint64_t)number);
}

/* The region of a value of a type, QUIPU_NONE as a type: of a state. */
uint32_t quipu__paraver_region_of(const struct quipu__paraver_trace *own, uint32_t type, int64_t value);

enum quipu_status quipu__paraver_scan(struct quipu__paraver_trace *own, struct quipu_error *err);
enum quipu_status quipu__paraver_define(struct quipu__paraver_trace *own, struct quipu_error *err);

void quipu__paraver_find(const struct quipu__paraver_trace *own, enum quipu__paraver_rule rule,
                         const struct quipu__paraver_lines *line, const char *found, ...) QUIPU_PRINTF(4, 5);

/* ---- A pass over it ---- */

/* A region that a thread is in. */
struct quipu__paraver_active {
    int64_t since;
    uint32_t region;
};

/* A collective operation that has started. */
struct quipu__paraver_operation {
    uint64_t sent, received;
    uint32_t region, operation, root, group;
    bool is_active, has_own_end;
};

/* Where a thread is. */
struct quipu__paraver_progress {
    QUIPU__VEC(struct quipu__paraver_active) stack;
    struct quipu__paraver_operation operation;
    int64_t left; /* when it last left a region, and of which type */
    uint32_t left_type;
    int64_t
        given; /* its displaced events up to then have been given; given_late: the late ones of that time, too */
    bool given_late;
};

struct quipu__paraver_pass {
    struct quipu__pass pass;
    struct quipu__paraver_trace *own;
    struct quipu__paraver_lines lines;
    struct quipu__scratch scratch;
    struct quipu__paraver_record record;
    uint64_t index;
    uint64_t own_records_of[QUIPU__PRV_TYPE_COUNT], *records_of;

    /* of events */
    struct quipu__batch *batch;
    struct quipu__paraver_progress *progress; /* by thread */
    size_t *displaced;                        /* the next one of each substream */
    uint8_t *posted;                          /* a bit for each message */
    uint32_t thread, step;                    /* of the event at hand: its values are gone over three times */
    bool has_event, has_ended;
    struct quipu__paraver_operation started; /* a collective operation whose columns are being read */
    uint32_t started_thread;
    int64_t started_time;
    uint64_t started_offset;
};

/* Adds the events of the record at hand, as far as there is room; false when it must be called again with an empty batch. */
bool quipu__paraver_add_event(struct quipu__paraver_pass *pass);

/* Adds the displaced events of a substream before a time; the same. */
bool quipu__paraver_add_displaced(struct quipu__paraver_pass *pass, uint32_t substream, int64_t until);

/* Adds the collective operation whose columns have been read. */
void quipu__paraver_add_started(struct quipu__paraver_pass *pass);

/* ---- A trace that is written ---- */

/* Shared by what writes events and what copies records. */
struct quipu__paraver_output {
    struct quipu__file *prv;
    struct quipu__buffer lines; /* of records */
    bool has_records;
};

/* Adds a file beside the trace. */
enum quipu_status quipu__paraver_add_file(struct quipu__output_trace *output, const char *suffix,
                                          struct quipu__file **out, struct quipu_error *err);

/* The rest of a copy: names are those of the trace that is copied. */
enum quipu_status quipu__paraver_end_copy(struct quipu__output_trace *output, struct quipu_error *err);

/* ---- For the descriptor ---- */

extern const struct quipu__reading quipu__paraver_reading;
extern const struct quipu__copying quipu__paraver_copying;
extern const struct quipu__writing quipu__paraver_writing;

#endif
