/* intervals.c: the relations of what the tracker follows: values of channels, and bodies of tasks. A row is made where an interval ends;
 * what nothing ends comes last, with a duration of null. */
#include "core/error.h"
#include "relation/relation.h"
#include "state/events.h"

#include <string.h>

/* clang-format off */
#define INTERVALS_TABLES(TABLE, COLUMN, END) \
    TABLE(STATES, "states", "values of channels, from when they are set or put on a stack to when they are replaced or taken off") \
    COLUMN(STATES, begin_ns, TIME, "ns", "when the channel takes the value") \
    COLUMN(STATES, duration_ns, I64, "ns", "how long; null where the trace does not say when it ends") \
    QUIPU__DEFINED(COLUMN, STATES, location, "name of the process, thread or CPU") \
    QUIPU__DEFINED(COLUMN, STATES, channel, "variable of the location") \
    COLUMN(STATES, value, I64, "", "the value") \
    COLUMN(STATES, label, TEXT, "", "name of the value") \
    COLUMN(STATES, stacked, U64, "", "1: it lies on the channel's stack, where others may lie on it") \
    END(STATES) \
    TABLE(TASKS, "tasks", "bodies of tasks, from begin to end") \
    COLUMN(TASKS, begin_ns, TIME, "ns", "when it starts to run") \
    COLUMN(TASKS, duration_ns, I64, "ns", "until it ends, pauses included; null where the trace does not have the end") \
    COLUMN(TASKS, paused_ns, I64, "ns", "how much of that it does not run; null likewise") \
    QUIPU__DEFINED(COLUMN, TASKS, location, "name of the process or thread that runs it") \
    QUIPU__DEFINED(COLUMN, TASKS, type, "type of the task") \
    COLUMN(TASKS, task, U64, "", "the task") \
    COLUMN(TASKS, body, U64, "", "which body of it") \
    END(TASKS)
/* clang-format on */
QUIPU__TABLES(INTERVALS_TABLES)
static const struct quipu_analysis_table tables[] = {QUIPU__SHAPES(INTERVALS_TABLES)};

/* An interval that is to become a row. */
struct found {
    int64_t begin, end;
    uint64_t pauses; /* see take_pause */
    uint32_t location;
    enum quipu__interval_class interval_class;
    bool has_end;
    struct quipu__event_columns columns;
};

struct intervals {
    struct quipu__tracker tracker;
    struct quipu__scan *scan;
    QUIPU__VEC(struct found) found;
    size_t put; /* how many of them are rows already */
};

static void release(struct quipu__scan *scan) {
    struct intervals *intervals = scan->state;
    quipu__tracker_release(&intervals->tracker);
    QUIPU__VEC_RELEASE(&scan->memory, &intervals->found);
    quipu__release(&scan->memory, intervals, sizeof *intervals);
}

/* ---- Finding them ---- */

static void find(struct intervals *intervals, const struct quipu__interval *interval, bool has_end,
                 int64_t end) {
    struct quipu__scan *scan = intervals->scan;
    if (!quipu__scan_has_time(scan, interval->time))
        return;
    struct found *found = QUIPU__VEC_ADD(&scan->memory, &intervals->found);
    if (found)
        *found = (struct found){.begin = interval->time,
                                .end = end,
                                .pauses = interval->count,
                                .location = intervals->tracker.states.items[interval->state].location,
                                .interval_class = (enum quipu__interval_class)interval->list,
                                .has_end = has_end,
                                .columns = *quipu__interval_columns(&intervals->tracker, interval)};
}

/* Some are removed because others replace them whose end is missing, or because there are too many. */
static bool is_ended_by(const struct quipu__interval *interval, const struct quipu_batch *batch,
                        uint32_t event) {
    const enum quipu_kind kind = (enum quipu_kind)batch->kind[event];
    const enum quipu__interval_class interval_class = (enum quipu__interval_class)interval->list;
    return kind == QUIPU_KIND_location_end || quipu__kind_ends(kind, interval_class) ||
           (interval_class == QUIPU__INTERVAL_channel_value && batch->object[event] == interval->key[0]);
}

static void removed(void *context, const struct quipu__interval *interval) {
    struct intervals *intervals = context;
    const struct quipu__scan *scan = intervals->scan;
    find(intervals, interval, is_ended_by(interval, scan->batch, scan->event), scan->batch->time[scan->event]);
}

/* Ticks of pauses are counted in an interval's count, twice: the last bit says that it is paused, since a time that is subtracted already. */
static uint64_t take_pause(uint64_t pauses, int64_t time, bool pausing) {
    const bool was_pausing = (pauses & 1) != 0;
    if (pausing == was_pausing)
        return pauses;
    return pausing ? (pauses - 2 * (uint64_t)time) | 1 : (pauses - 1) + 2 * (uint64_t)time;
}

/* False when memory is out. */
static bool add_pause(struct quipu__tracker *tracker, const struct quipu_batch *batch, uint32_t event) {
    struct quipu__event_columns columns = quipu__unknown_columns;
    const uint32_t state = quipu__tracker_locate(tracker, batch->location[event], batch->stream);
    if (state == QUIPU_NONE)
        return false;
    columns.id = batch->id[event];
    columns.value = batch->value[event];
    const uint32_t number = quipu__tracker_find_columns(tracker, state, QUIPU__INTERVAL_task, &columns);
    if (number == QUIPU_NONE)
        return true;
    struct quipu__interval *interval = quipu__interval_at(tracker, number);
    interval->count =
        take_pause(interval->count, batch->time[event], batch->kind[event] == QUIPU_KIND_task_pause);
    return true;
}

static bool add_event(struct intervals *intervals, const struct quipu_batch *batch, uint32_t event) {
    const uint8_t kind = batch->kind[event];
    return kind == QUIPU_KIND_task_pause || kind == QUIPU_KIND_task_resume
               ? add_pause(&intervals->tracker, batch, event)
               : quipu__tracker_add_event(&intervals->tracker, batch, event, batch->stream);
}

static enum quipu_status add(struct quipu__scan *scan, struct quipu_error *err) {
    struct intervals *intervals = scan->state;
    for (scan->event = 0; scan->event < scan->batch->count; scan->event++)
        if (!add_event(intervals, scan->batch, scan->event))
            return quipu__no_memory(err, scan->memory.used);
    return quipu__memory_status(&scan->memory, err);
}

static enum quipu_status end(struct quipu__scan *scan, struct quipu_error *err) {
    struct intervals *intervals = scan->state;
    const struct quipu__tracker *tracker = &intervals->tracker;
    for (uint32_t state = 0; state < tracker->states.count; state++)
        for (uint32_t list = 0; list < QUIPU__INTERVAL_CLASSES; list++) {
            uint32_t number = tracker->states.items[state].lists[list].oldest;
            for (; number != QUIPU_NONE; number = quipu__interval_at(tracker, number)->newer)
                find(intervals, quipu__interval_at(tracker, number), false, 0);
        }
    return quipu__memory_status(&scan->memory, err);
}

/* ---- Rows ---- */

static void put_state(struct quipu__scan *scan, const struct found *found) {
    struct quipu__row_column *columns = scan->rows->columns;
    const struct quipu_channels *channels = &scan->definitions->channels;
    const uint32_t channel = found->columns.object;
    const int64_t value = (int64_t)found->columns.value;
    const size_t row = scan->rows->count;
    const char *label =
        channel < channels->count ? quipu_channel_label(&channels->items[channel], value) : NULL;
    quipu__row_set(&columns[STATES_begin_ns], row, (uint64_t)quipu__scan_ns(scan, found->begin));
    quipu__row_set_if(&columns[STATES_duration_ns], row, found->has_end,
                      quipu__scan_duration(scan, found->begin, found->end));
    quipu__scan_put_named(scan, STATES_location, QUIPU_REFERS_LOCATION, found->location);
    quipu__scan_put_named(scan, STATES_channel, QUIPU_REFERS_CHANNEL, channel);
    quipu__row_set(&columns[STATES_value], row, (uint64_t)value);
    if (label)
        quipu__scan_put_text(scan, STATES_label, label);
    quipu__row_set(&columns[STATES_stacked], row, found->interval_class == QUIPU__INTERVAL_channel_stack);
}

static void put_task(struct quipu__scan *scan, const struct found *found) {
    struct quipu__row_column *columns = scan->rows->columns;
    const size_t row = scan->rows->count;
    const uint64_t paused = take_pause(found->pauses, found->end, false) / 2;
    quipu__row_set(&columns[TASKS_begin_ns], row, (uint64_t)quipu__scan_ns(scan, found->begin));
    quipu__row_set_if(&columns[TASKS_duration_ns], row, found->has_end,
                      quipu__scan_duration(scan, found->begin, found->end));
    quipu__row_set_if(&columns[TASKS_paused_ns], row, found->has_end,
                      (uint64_t)quipu__scan_ns(scan, (int64_t)paused));
    quipu__scan_put_named(scan, TASKS_location, QUIPU_REFERS_LOCATION, found->location);
    quipu__scan_put_named(scan, TASKS_type, QUIPU_REFERS_TASK_TYPE, found->columns.object);
    quipu__row_set_if(&columns[TASKS_task], row, found->columns.id != QUIPU_UNKNOWN, found->columns.id);
    quipu__row_set_if(&columns[TASKS_body], row, found->columns.value != QUIPU_UNKNOWN, found->columns.value);
}

static void put(struct quipu__scan *scan) {
    struct intervals *intervals = scan->state;
    for (; intervals->put < intervals->found.count && !quipu__scan_is_full(scan); intervals->put++) {
        const struct found *found = &intervals->found.items[intervals->put];
        if (scan->relation.shape == &tables[STATES])
            put_state(scan, found);
        else
            put_task(scan, found);
        scan->rows->count++;
    }
    if (intervals->put == intervals->found.count)
        intervals->put = intervals->found.count = 0;
}

/* ---- The relations ---- */

static enum quipu_status begin(struct quipu__scan *scan, const struct quipu_relation_options *options,
                               struct quipu_error *err) {
    const struct quipu_selection *selection = options->selection;
    const uint32_t interval_classes = scan->relation.shape == &tables[TASKS]
                                          ? QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_task)
                                          : QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_channel_stack) |
                                                QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_channel_value);
    struct quipu__tracker_options tracking = quipu__event_tracker_options(scan->definitions, interval_classes);
    struct quipu_selection read = QUIPU_SELECTION_INIT;
    struct intervals *intervals = scan->state = quipu__alloc_zero(&scan->memory, sizeof *intervals);
    if (!intervals)
        return quipu__no_memory(err, sizeof *intervals);
    tracking.ends = 0;
    tracking.removed = removed;
    tracking.context = intervals;
    intervals->scan = scan;
    quipu__tracker_init(&intervals->tracker, &scan->memory, &tracking);
    read.locations = selection ? selection->locations : NULL;
    read.location_count = selection ? selection->location_count : 0;
    read.without_attributes = true;
    return quipu__scan_select(scan, &read, err);
}

#define BIT(kind) QUIPU_KIND_BIT(QUIPU_KIND_##kind)
#define INTERVAL_RELATION(name, table, its_kinds)                                                              \
    const struct quipu__relation quipu__##name##_relation = {.shape = &tables[table],                          \
                                                             .criteria =                                       \
                                                                 QUIPU__BY_TIMES | QUIPU__BY_LOCATIONS,        \
                                                             .parts = QUIPU__PARTS_OF_STREAMS,                 \
                                                             .kinds = its_kinds,                               \
                                                             .is_streamed = true,                              \
                                                             .begin = begin,                                   \
                                                             .fill = quipu__scan_fill,                         \
                                                             .release = release,                               \
                                                             .add = add,                                       \
                                                             .end = end,                                       \
                                                             .put = put}

INTERVAL_RELATION(states, STATES, BIT(state_set) | BIT(state_push) | BIT(state_pop) | BIT(location_end));
INTERVAL_RELATION(tasks, TASKS, BIT(task_begin) | BIT(task_pause) | BIT(task_resume) | BIT(task_end));
