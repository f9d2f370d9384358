/* emulation.h: what the events of all streams do to threads, CPUs, tasks and channels, and which values are written for Paraver.
 *
 *     merged events ──▶ model ovni: states of threads, affinity, marks ┐
 *                  └──▶ other models: tasks, stacks, single values     ┴─▶ channels ──▶ outputs: a value of a row at a time
 *
 * A channel belongs to a thread. Its value is shown at the thread while the thread is in a state that the channel requires, and at the
 * CPU on which it is the only running thread. So a change costs two outputs, however many threads and CPUs there are, and memory is
 * linear in both.
 *
 * An event that breaks a rule is a finding and has no effect. */
#ifndef QUIPU_OVNI_EMULATION_H
#define QUIPU_OVNI_EMULATION_H

#include "formats/ovni/models.h"
#include "core/memory/vec.h"
#include "core/memory/map.h"
#include "formats/ovni/heap.h"
#include "formats/ovni/system.h"
#include "formats/prv.h"

/* ---- Tasks that have ended ---- */

/* Tasks that have ended. Their numbers may not be reused, and some of them may run again; so the type of each is kept, in a byte, and
 * the table of tasks holds only living tasks. In most traces numbers are consecutive: a page has 64 of them, and a page whose tasks
 * have all ended and have one type is stored as that type. */

enum { QUIPU__OVNI_RETIRED_PAGE = 64 };

struct quipu__ovni_retired_page {
    uint8_t types[QUIPU__OVNI_RETIRED_PAGE]; /* plus 1; 0: not retired */
    uint32_t count;
    uint32_t next_unused;
};

struct quipu__ovni_retired {
    struct quipu__memory *memory;
    struct quipu__map pages; /* by number / 64: the page, or the type of a complete page */
    QUIPU__VEC(struct quipu__ovni_retired_page) list;
    uint32_t unused; /* the first page for reuse, plus 1; 0: none */
};

void quipu__ovni_retired_init(struct quipu__ovni_retired *retired, struct quipu__memory *memory);
void quipu__ovni_retired_release(struct quipu__ovni_retired *retired);

/* Adds a task; false when memory is out or there are too many types: then the table must keep it. */
bool quipu__ovni_retired_add(struct quipu__ovni_retired *retired, uint32_t task, uint32_t type);

/* The type of a retired task; QUIPU_NONE when there is none. */
uint32_t quipu__ovni_retired_get(const struct quipu__ovni_retired *retired, uint32_t task);

/* Removes a retired task. False when memory is out. */
QUIPU_CHECKED bool quipu__ovni_retired_remove(struct quipu__ovni_retired *retired, uint32_t task);

/* ---- Editions ---- */

/* The tables of editions.def: what the emulators of different times show of a trace. */

enum quipu__ovni_edition {
#define EDITION(edition, label_base) QUIPU__OVNI_EDITION_##edition,
#include "formats/ovni/editions.def"
    QUIPU__OVNI_EDITIONS
};

/* What a type of Paraver is about. */
enum quipu__ovni_subject {
    QUIPU__OVNI_SUBJECT_PROCESS,
    QUIPU__OVNI_SUBJECT_THREAD,
    QUIPU__OVNI_SUBJECT_RUNNING, /* how many threads run on a CPU */
    QUIPU__OVNI_SUBJECT_STATE,
    QUIPU__OVNI_SUBJECT_APPLICATION, /* has a name, but no lines */
    QUIPU__OVNI_SUBJECT_AFFINITY,
    QUIPU__OVNI_SUBJECT_CHANNEL,
    QUIPU__OVNI_SUBJECTS
};

struct quipu__ovni_edition_output {
    uint8_t edition, subject, channel, when;
    struct {
        uint16_t type;
        const char *title; /* NULL: not in the list of types */
    } at[2];               /* threads, CPUs */
};
extern const struct quipu__ovni_edition_output quipu__ovni_edition_outputs[];
extern const size_t quipu__ovni_edition_output_count;

/* The channels in the order in which older editions show at time 0 that they have no value. */
extern const uint8_t quipu__ovni_edition_beginning[];
extern const size_t quipu__ovni_edition_beginning_count;

/* The value in older editions when there is no single value because several threads run on a CPU. */
#define QUIPU__OVNI_SEVERAL_THREADS 777

/* Names of values in editions before today's. */
extern const struct quipu__ovni_value_row quipu__ovni_edition_values[];
extern const size_t quipu__ovni_edition_value_count;

/* The states of a thread that a model requires in an older edition; 0: it has no such model. */
uint8_t quipu__ovni_edition_needs(enum quipu__ovni_edition edition, uint32_t model);

uint32_t quipu__ovni_edition_label_base(enum quipu__ovni_edition edition);

/* An event of the models that had the letters T and M before 1.1.0; NULL: it is not one. */
const struct quipu__ovni_event_row *quipu__ovni_old_row(uint8_t model, uint8_t category, uint8_t value);

/* Replaces today's events of a dictionary by those of an edition. */
void quipu__ovni_edition_dictionary(struct quipu__ovni_dictionary *dictionary,
                                    enum quipu__ovni_edition edition);

/* ---- Where values go ---- */

enum quipu__ovni_view {
    QUIPU__OVNI_VIEW_THREAD,
    QUIPU__OVNI_VIEW_CPU,
    QUIPU__OVNI_VIEW_NOSV, /* broken down by what CPUs do */
    QUIPU__OVNI_VIEW_NANOS6,
    QUIPU__OVNI_VIEW_OPENMP,
    QUIPU__OVNI_VIEWS
};

/* Types of Paraver besides those of the channels and editions; the type of a thread's state is also that of its channel in the
 * model. */
enum { QUIPU__OVNI_TYPE_STATE = 4, QUIPU__OVNI_TYPE_MARKS = 100, QUIPU__OVNI_TYPE_COUNTERS = 200 };

/* ---- Channels ---- */

/* How values of a type are printed. */
struct quipu__ovni_print {
    struct quipu__prv_type type;
    uint8_t printing;
    bool shows_zero;
    uint8_t add; /* to values */
};

static inline struct quipu__ovni_print quipu__ovni_print_of(uint16_t type, enum quipu__ovni_printing printing,
                                                            bool shows_zero, uint8_t add) {
    return (struct quipu__ovni_print){quipu__prv_type(type), (uint8_t)printing, shows_zero, add};
}

/* A channel that every thread of the trace has. */
struct quipu__ovni_slot {
    struct quipu__ovni_print print, cpu_print; /* at threads, at CPUs */
    uint8_t kind, duplicates, when;
    bool is_linted;        /* must be empty at the end */
    uint8_t channel;       /* enum quipu__ovni_channel; none for marks and counters */
    uint8_t mark;          /* type of marks */
    bool has_idle_default; /* a CPU without thread is resting */
    bool breaks_down;      /* its values at CPUs are broken down */
    const char *title;
    const char *name; /* in findings */
};

/* Empty: no value. Otherwise the latest value, and those under it. */
struct quipu__ovni_values {
    int64_t top;
    uint32_t count, capacity;
    int64_t *below;
};

/* What an output printed last. */
enum { QUIPU__OVNI_PRINTED_NOTHING, QUIPU__OVNI_PRINTED_NULL, QUIPU__OVNI_PRINTED_VALUE };
struct quipu__ovni_output {
    int64_t last;
    uint8_t printed;
};

/* ---- Tasks ---- */

enum quipu__ovni_body_state {
    QUIPU__OVNI_BODY_CREATED,
    QUIPU__OVNI_BODY_RUNNING,
    QUIPU__OVNI_BODY_PAUSED,
    QUIPU__OVNI_BODY_DEAD
};

struct quipu__ovni_body {
    uint32_t task; /* in the table; for an entry for reuse the next such */
    uint32_t number;
    uint8_t state;
};

struct quipu__ovni_task {
    uint32_t id, type; /* in the table of types; for an entry for reuse, type is the next such */
    uint32_t body;     /* of an ordinary task; QUIPU_NONE: none yet */
    bool is_parallel;
};

/* The models that have tasks. */
enum quipu__ovni_tasking {
    QUIPU__OVNI_TASKING_NOSV,
    QUIPU__OVNI_TASKING_NANOS6,
    QUIPU__OVNI_TASKING_OPENMP,
    QUIPU__OVNI_TASKINGS
};

/* Tasks of one model in one process. */
struct quipu__ovni_task_table {
    struct quipu__map types, tasks, bodies; /* by their numbers; bodies of parallel tasks by task and number */
    QUIPU__VEC(struct quipu__ovni_type) type_list;
    QUIPU__VEC(struct quipu__ovni_task) task_list;
    QUIPU__VEC(struct quipu__ovni_body) body_list;
    struct quipu__ovni_retired retired; /* ordinary tasks that have ended; they are in no list */
    uint32_t unused_task, unused_body;  /* the first ones for reuse, plus 1; 0: none */
};

/* Bodies that a thread has begun, the latest last. */
struct quipu__ovni_body_stack {
    QUIPU__VEC(uint32_t) bodies;
};

/* ---- Threads, CPUs, streams ---- */

#define QUIPU__OVNI_BURST_SIZE 100

struct quipu__ovni_thread_state {
    uint8_t state;   /* enum quipu__ovni_life */
    uint8_t allowed; /* bit per model whose events the state allows, see quipu__ovni_allow */
    bool is_out_of_cpu;
    uint32_t cpu;         /* QUIPU_NONE: none */
    uint32_t selected_by; /* the CPU that shows this thread; QUIPU_NONE: none */
    struct quipu__ovni_values *channels;
    struct quipu__ovni_output *outputs; /* by slot */
    struct quipu__ovni_output cpu_output, pid_output, tid_output, state_output;
    struct quipu__ovni_body_stack bodies[QUIPU__OVNI_TASKINGS];
    int64_t flush_begin;
    int64_t *bursts; /* times of the latest; NULL until there is one */
    uint32_t burst_count;
};

struct quipu__ovni_cpu_state {
    uint32_t running;     /* how many threads run here */
    uint32_t running_sum; /* exclusive or of their numbers + 1: gives the number when there is one */
    uint32_t selected;    /* the one thread that runs here; QUIPU_NONE: none or several */
    struct quipu__ovni_output *outputs; /* by slot */
    struct quipu__ovni_output pid_output, tid_output, running_output;
};

struct quipu__ovni_stream_state {
    struct quipu__ovni_walk walk;
    struct quipu__ovni_event event;
    int64_t clock;   /* corrected */
    int64_t offset;  /* of the loom's clock */
    uint32_t thread; /* QUIPU_NONE: the stream does not belong to a thread */
    uint8_t layout;
    bool has_old_models;
    bool is_open, has_started;
};

struct quipu__ovni_breakdown; /* breakdown.c */
struct quipu__ovni_editor;

struct quipu__ovni_emulation {
    struct quipu__ovni_system *system;
    struct quipu__memory *memory;
    struct quipu__arena arena;
    struct quipu_findings *findings;
    struct quipu__prv *lines[QUIPU__OVNI_VIEWS]; /* where values are shown; NULL: nowhere */
    const struct quipu__ovni_editor *editor;
    const struct quipu__ovni_listener *listener;
    struct quipu__prv_tail tail; /* of the line that was printed last */
    bool stops;                  /* at the first error */
    bool is_lenient;             /* with events of older layouts */
    bool knows_streams;          /* problems of streams themselves have already been reported */
    uint64_t errors;

    enum quipu__ovni_edition edition;
    uint16_t types[2][QUIPU__OVNI_SUBJECTS];      /* of threads and CPUs; 0: not shown */
    uint8_t tid_when;                             /* the states in which a thread shows its number */
    uint8_t model_needs[QUIPU__OVNI_MODEL_COUNT]; /* enum quipu__ovni_when; 0: not enabled */
    struct quipu__ovni_dictionary dictionary;
    QUIPU__VEC(struct quipu__ovni_slot) slots;
    uint32_t slot_of[QUIPU__OVNI_CHANNEL_COUNT + 1]; /* QUIPU_NONE: not enabled */
    uint32_t slot_of_mark[QUIPU__OVNI_MARK_TYPES];
    uint32_t counter_slot; /* the first */

    struct quipu__ovni_thread_state *threads;
    struct quipu__ovni_cpu_state *cpus;
    struct quipu__ovni_stream_state *streams;
    struct quipu__ovni_task_table (*tables)[QUIPU__OVNI_TASKINGS]; /* by process */
    struct quipu__ovni_breakdown *breakdowns[QUIPU__OVNI_TASKINGS];
    bool breaks_down;

    struct quipu__ovni_heap heap;

    /* The current event. */
    uint32_t stream, thread;
    const struct quipu__ovni_event_row *row;
    int64_t time, origin;
    uint64_t events;
    uint64_t events_of[QUIPU__OVNI_MODEL_COUNT];
};

/* For repair: edits events before they take effect, and is called for those that break rules. A thread whose stream ends is then gone,
 * since repair ends it. */
struct quipu__ovni_editor {
    bool (*edit)(void *context, uint32_t stream, struct quipu__ovni_event *event); /* false: leaves it out */
    void (*refused)(void *context, uint32_t stream, uint64_t offset);
    void *context;
};

/* Nanoseconds between the events of a burst. */
struct quipu__ovni_burst {
    double mean;
    int64_t median, most;
};

/* Gets what no line shows and no rule needs. */
struct quipu__ovni_listener {
    void (*burst)(void *context, uint32_t thread, const struct quipu__ovni_burst *burst);
    void *context;
};

struct quipu__ovni_emulation_options {
    bool stops, is_lenient, knows_streams, breaks_down;
    bool shows_as_then; /* a trace with events of models before 1.1.0 is shown as by the emulator of its time */
    const struct quipu__ovni_editor *editor;     /* NULL: events are not edited */
    const struct quipu__ovni_listener *listener; /* NULL: none */
};

/* Opens the streams and shows the values of time 0. */
enum quipu_status quipu__ovni_emulation_open(struct quipu__ovni_emulation *emulation,
                                             struct quipu__ovni_system *system,
                                             const struct quipu__ovni_emulation_options *options,
                                             struct quipu_error *err);
void quipu__ovni_emulation_close(struct quipu__ovni_emulation *emulation);

/* Emulates up to that many events. QUIPU_END after the last, or at the first error if it stops there. */
enum quipu_status quipu__ovni_emulate(struct quipu__ovni_emulation *emulation, uint64_t most,
                                      struct quipu_error *err);

/* Checks the rules of the end; lints: also that stacks are empty. */
void quipu__ovni_emulation_end(struct quipu__ovni_emulation *emulation, bool lints);

/* ---- Inside ---- */

/* A finding about the current event; returns false, for the caller to return. */
bool quipu__ovni_breaks(struct quipu__ovni_emulation *emulation, enum quipu__ovni_rule rule,
                        const char *expected, const char *found, ...) QUIPU_PRINTF(4, 5);

/* The same about something that the event names. */
bool quipu__ovni_subject_breaks(struct quipu__ovni_emulation *emulation, enum quipu__ovni_rule rule,
                                const char *subject, const char *expected, const char *found, ...)
    QUIPU_PRINTF(5, 6);

/* Call this when the state of a thread has changed, or whether it is out of its CPU. */
void quipu__ovni_allow(struct quipu__ovni_emulation *emulation, uint32_t thread);

/* Writing channels (channels.c). False with a finding. */
bool quipu__ovni_push(struct quipu__ovni_emulation *emulation, uint32_t thread, uint32_t slot, int64_t value);
bool quipu__ovni_pop(struct quipu__ovni_emulation *emulation, uint32_t thread, uint32_t slot, int64_t value);
bool quipu__ovni_set(struct quipu__ovni_emulation *emulation, uint32_t thread, uint32_t slot, bool is_set,
                     int64_t value);

/* What an older edition shows at time 0: that threads and CPUs (threads.c) and channels (channels.c) have no values yet. */
void quipu__ovni_show_beginning(struct quipu__ovni_emulation *emulation);
void quipu__ovni_show_no_value(struct quipu__ovni_emulation *emulation, enum quipu__ovni_view view,
                               uint32_t row, uint32_t channel);

/* Shows a new state of a thread; shows that a CPU has another thread, or none. */
bool quipu__ovni_show_thread(struct quipu__ovni_emulation *emulation, uint32_t thread);
bool quipu__ovni_show_cpu(struct quipu__ovni_emulation *emulation, uint32_t cpu);

bool quipu__ovni_print(struct quipu__ovni_emulation *emulation, enum quipu__ovni_view view, uint32_t row,
                       struct quipu__ovni_output *output, const struct quipu__ovni_print *style, bool is_set,
                       int64_t value);

/* Events of threads and marks (threads.c), of tasks (tasks.c). False with a finding. */
bool quipu__ovni_thread_event(struct quipu__ovni_emulation *emulation, const struct quipu__ovni_event *event);

/* Removes a thread from its CPU for good. */
void quipu__ovni_remove_thread(struct quipu__ovni_emulation *emulation, uint32_t number);
bool quipu__ovni_task_event(struct quipu__ovni_emulation *emulation, const struct quipu__ovni_event *event);
void quipu__ovni_check_labels(struct quipu__ovni_emulation *emulation);

/* Breakdowns (breakdown.c): making one for the models that have tasks; a CPU's new value of a slot; the end of an event. */
enum quipu_status quipu__ovni_breakdown_init(struct quipu__ovni_emulation *emulation, struct quipu_error *err);
void quipu__ovni_breakdown_note(struct quipu__ovni_emulation *emulation, uint32_t cpu, uint32_t slot,
                                bool is_set, int64_t value);
void quipu__ovni_breakdown_reconcile(struct quipu__ovni_emulation *emulation); /* when it breaks down */
void quipu__ovni_breakdown_release(struct quipu__ovni_emulation *emulation);

static inline int64_t quipu__ovni_stream_i64(const struct quipu__ovni_emulation *emulation, const uint8_t *at) {
    return quipu__ovni_load_i64(emulation->streams[emulation->stream].walk.is_big, at);
}
static inline int32_t quipu__ovni_stream_i32(const struct quipu__ovni_emulation *emulation, const uint8_t *at) {
    return quipu__ovni_load_i32(emulation->streams[emulation->stream].walk.is_big, at);
}
static inline uint32_t quipu__ovni_stream_u32(const struct quipu__ovni_emulation *emulation,
                                              const uint8_t *at) {
    return quipu__ovni_load_32(emulation->streams[emulation->stream].walk.is_big, at);
}

#endif
