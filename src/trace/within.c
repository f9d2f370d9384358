/* within.c: see within.h. */
#include "trace/within.h"

#include "core/error.h"
#include "index/index.h"
#include "model/batch.h"
#include "model/where.h"
#include "state/events.h"

/* ==== What operations on files say ==== */

/* What is known of operations on files besides what each of their events says, for expressions that need it: the end may know what the
 * beginning does not, and a handle stands for the file that was opened with it.
 *
 * An event that lacks something belongs to an entry. The entry of a beginning changes when the operation ends; until then the event may
 * wait. */

#define QUIPU__FILE_OPERATION_KINDS                                                                            \
    (QUIPU_KIND_BIT(QUIPU_KIND_io_open) | QUIPU_KIND_BIT(QUIPU_KIND_io_close) |                                \
     QUIPU_KIND_BIT(QUIPU_KIND_io_begin) | QUIPU_KIND_BIT(QUIPU_KIND_io_end) |                                 \
     QUIPU_KIND_BIT(QUIPU_KIND_io_control))

struct quipu__file_operation {
    struct quipu__where_operation known;
    uint32_t
        users; /* number of waiting events, plus the interval while active; for unused entries the next one */
};

struct quipu__file_operations {
    struct quipu__memory *memory;
    const struct quipu_definitions *definitions;
    struct quipu__tracker tracker; /* open files, and operations: count is the number of their entry */
    QUIPU__VEC(struct quipu__file_operation) list;
    uint32_t unused;
};

#define TRACKED (QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_file) | QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_io_operation))

static void file_operations_init(struct quipu__file_operations *operations, struct quipu__memory *memory,
                                 const struct quipu_definitions *definitions) {
    const struct quipu__tracker_options options = {.definitions = definitions,
                                                   .interval_classes = TRACKED,
                                                   .payload_room = sizeof(struct quipu__event_columns)};
    *operations =
        (struct quipu__file_operations){.memory = memory, .definitions = definitions, .unused = QUIPU_NONE};
    quipu__tracker_init(&operations->tracker, memory, &options);
}

static void file_operations_release(struct quipu__file_operations *operations) {
    if (!operations->memory)
        return;
    quipu__tracker_release(&operations->tracker);
    QUIPU__VEC_RELEASE(operations->memory, &operations->list);
}

/* ---- Entries ---- */

static const struct quipu__where_operation nothing_known = {.file = QUIPU_NONE,
                                                            .operation = QUIPU_NONE,
                                                            .handle = QUIPU_UNKNOWN,
                                                            .offset = QUIPU_UNKNOWN,
                                                            .bytes = QUIPU_UNKNOWN};

static uint32_t add_entry(struct quipu__file_operations *operations,
                          const struct quipu__where_operation *known) {
    uint32_t number = operations->unused;
    if (number == QUIPU_NONE) {
        if (!QUIPU__VEC_RESERVE(operations->memory, &operations->list, 1))
            return QUIPU_NONE;
        operations->list.count++;
        number = (uint32_t)(operations->list.count - 1);
    } else {
        operations->unused = operations->list.items[number].users;
    }
    operations->list.items[number] = (struct quipu__file_operation){*known, 1};
    return number;
}

/* An entry has one user less. */
static void file_operations_drop(struct quipu__file_operations *operations, uint32_t entry) {
    if (entry == QUIPU_NONE || --operations->list.items[entry].users > 0)
        return;
    operations->list.items[entry].users = operations->unused;
    operations->unused = entry;
}

/* ---- Files of handles ---- */

/* The interval of the open file that was last opened with a handle at a location, or QUIPU_NONE. */
static uint32_t find_at(const struct quipu__file_operations *operations, uint32_t location, uint64_t handle) {
    const uint32_t state = quipu__tracker_latest(&operations->tracker, location);
    if (state == QUIPU_NONE)
        return QUIPU_NONE;
    uint32_t number = quipu__active_at(&operations->tracker, state, QUIPU__INTERVAL_file).newest;
    while (number != QUIPU_NONE) {
        const struct quipu__interval *interval = quipu__interval_at(&operations->tracker, number);
        if (quipu__interval_columns(&operations->tracker, interval)->id == handle)
            return number;
        number = interval->older;
    }
    return QUIPU_NONE;
}

/* The same, including the locations above: an application may open files for its processes. */
static uint32_t find_file(const struct quipu__file_operations *operations, uint32_t location, uint64_t handle) {
    const struct quipu_locations *locations = &operations->definitions->locations;
    if (handle == QUIPU_UNKNOWN || handle == QUIPU_NONE)
        return QUIPU_NONE;
    uint32_t found = find_at(operations, location, handle);
    for (uint32_t i = 0; found == QUIPU_NONE && location < locations->count && i < locations->count; i++) {
        location = locations->items[location].parent;
        found = find_at(operations, location, handle);
    }
    return found;
}

static uint32_t file_of(const struct quipu__file_operations *operations, uint32_t interval) {
    return quipu__interval_columns(&operations->tracker, quipu__interval_at(&operations->tracker, interval))
        ->object;
}

/* ---- What events say ---- */

/* Fills in what is not known yet. */
static void complete(struct quipu__where_operation *known, const struct quipu__where_operation *other) {
    if (known->file == QUIPU_NONE)
        known->file = other->file;
    if (known->operation == QUIPU_NONE || known->operation == QUIPU_IO_OTHER)
        known->operation = other->operation;
    if (known->handle == QUIPU_UNKNOWN)
        known->handle = other->handle;
    if (known->offset == QUIPU_UNKNOWN)
        known->offset = other->offset;
    if (known->bytes == QUIPU_UNKNOWN)
        known->bytes = other->bytes;
}

static void complete_file(const struct quipu__file_operations *operations, uint32_t location,
                          struct quipu__where_operation *known) {
    const uint32_t file =
        known->file == QUIPU_NONE ? find_file(operations, location, known->handle) : QUIPU_NONE;
    if (file != QUIPU_NONE)
        known->file = file_of(operations, file);
}

static struct quipu__where_operation said_by(const struct quipu_batch *batch, uint32_t event) {
    return (struct quipu__where_operation){.file = batch->object[event],
                                           .operation = batch->operation[event],
                                           .handle = (uint64_t)batch->tag[event],
                                           .offset = batch->value[event],
                                           .bytes = batch->bytes[event]};
}

/* ---- Beginnings and ends ---- */

static bool begin_operation(struct quipu__file_operations *operations, const struct quipu_batch *batch,
                            uint32_t event, uint32_t *entry) {
    struct quipu__where_operation known = said_by(batch, event);
    complete_file(operations, batch->location[event], &known);
    known.is_active = true;
    *entry = add_entry(operations, &known);
    if (*entry == QUIPU_NONE || !quipu__tracker_add_event(&operations->tracker, batch, event, batch->stream))
        return false;
    const uint32_t state = quipu__tracker_latest(&operations->tracker, batch->location[event]);
    const uint32_t newest = quipu__active_at(&operations->tracker, state, QUIPU__INTERVAL_io_operation).newest;
    if (newest == QUIPU_NONE)
        return true;
    quipu__interval_at(&operations->tracker, newest)->count = *entry;
    operations->list.items[*entry].users++;
    return true;
}

/* The interval that an end belongs to; QUIPU_NONE when there is none. */
static uint32_t find_operation(const struct quipu__file_operations *operations, uint32_t state,
                               const struct quipu_batch *batch, uint32_t event) {
    struct quipu__event_columns columns = quipu__unknown_columns;
    columns.object = batch->object[event];
    columns.operation = batch->operation[event];
    columns.tag = batch->tag[event];
    columns.id = batch->id[event];
    return quipu__tracker_find_columns(&operations->tracker, state, QUIPU__INTERVAL_io_operation, &columns);
}

static bool end(struct quipu__file_operations *operations, const struct quipu_batch *batch, uint32_t event,
                uint32_t *entry) {
    struct quipu__tracker *tracker = &operations->tracker;
    const uint32_t state = quipu__tracker_locate(tracker, batch->location[event], batch->stream);
    struct quipu__where_operation known = said_by(batch, event);
    if (state == QUIPU_NONE)
        return false;
    complete_file(operations, batch->location[event], &known);
    const uint32_t interval = find_operation(operations, state, batch, event);
    if (interval == QUIPU_NONE) {
        *entry = add_entry(operations, &known);
    } else {
        *entry = (uint32_t)quipu__interval_at(tracker, interval)->count; /* the caller replaces it as a user */
        complete(&operations->list.items[*entry].known, &known);
        operations->list.items[*entry].known.is_active = false;
    }
    /* Which ends the interval. The event may open or close a file, too. */
    return *entry != QUIPU_NONE && quipu__tracker_add_event(tracker, batch, event, batch->stream);
}

/* Looks up what a handle stands for if the event does not say it. */
static bool look_up(struct quipu__file_operations *operations, const struct quipu_batch *batch, uint32_t event,
                    uint32_t *entry) {
    const uint32_t file = batch->object[event] == QUIPU_NONE
                              ? find_file(operations, batch->location[event], batch->id[event])
                              : QUIPU_NONE;
    struct quipu__where_operation known = nothing_known;
    if (file == QUIPU_NONE)
        return quipu__tracker_add_event(&operations->tracker, batch, event, batch->stream);
    known.file = file_of(operations, file);
    *entry = add_entry(operations, &known);
    if (batch->kind[event] == QUIPU_KIND_io_close)
        quipu__tracker_remove(&operations->tracker, file);
    return *entry != QUIPU_NONE;
}

/* Tracks an event, and says which entry it belongs to, with the caller as a user; QUIPU_NONE: to none. False when memory is out. */
static bool file_operations_track(struct quipu__file_operations *operations, const struct quipu_batch *batch,
                                  uint32_t event, uint32_t *entry) {
    *entry = QUIPU_NONE;
    switch ((enum quipu_kind)batch->kind[event]) {
    case QUIPU_KIND_io_begin:
        return begin_operation(operations, batch, event, entry);
    case QUIPU_KIND_io_end:
        return end(operations, batch, event, entry);
    case QUIPU_KIND_io_open:
    case QUIPU_KIND_io_close:
    case QUIPU_KIND_io_control:
        return look_up(operations, batch, event, entry);
    default:
        return true;
    }
}

/* ---- Indexes ---- */

/* Begins with what is active at a point of an index. */
static enum quipu_status file_operations_resume(struct quipu__file_operations *operations,
                                                struct quipu__slice bytes, struct quipu_error *err) {
    struct quipu__tracker *tracker = &operations->tracker;
    const enum quipu_status status = quipu__tracker_resume(tracker, bytes, err);
    for (uint32_t state = 0; status == QUIPU_OK && state < tracker->states.count; state++) {
        const uint32_t location = tracker->states.items[state].location;
        uint32_t number = quipu__active_at(tracker, state, QUIPU__INTERVAL_io_operation).oldest;
        for (; number != QUIPU_NONE; number = quipu__interval_at(tracker, number)->newer) {
            struct quipu__interval *interval = quipu__interval_at(tracker, number);
            const struct quipu__event_columns *columns = quipu__interval_columns(tracker, interval);
            struct quipu__where_operation known = {columns->object, columns->operation, (uint64_t)columns->tag,
                                                   columns->value,  columns->bytes,     true};
            complete_file(operations, location, &known);
            interval->count = add_entry(operations, &known);
            if (interval->count == QUIPU_NONE)
                return quipu__no_memory(err, operations->memory->used);
        }
    }
    return status;
}

/* ==== Events that wait for a duration ==== */

/* Events that wait until the duration of a call is known, or what the end of a file operation says, for expressions that need it
 * (model/where.h).
 *
 *     track, hold, hold, … → drain → track, hold … → end → drain until nothing is left
 *
 * Every event that may pass waits in one queue, in the order of its substream. The first one leaves it when its call has ended, or has
 * lasted so long that a longer duration makes no difference. So no event waits longer, in the trace's time, than the longest duration in
 * the expression or, if that asks for what only ends say, than the longest operation.
 */

/* From enter to leave. */
struct quipu__call_times {
    int64_t enter, leave;
    bool is_active;
    uint32_t users; /* number of events that wait for it; for unused ones the next */
};

/* What belongs to a waiting event: its call, the call's region, and its operation on a file. */
struct quipu__waiting {
    uint32_t call, region, operation;
};

struct quipu__duration_queue {
    struct quipu__memory *memory;
    const struct quipu__where_clause *where;
    struct quipu__tracker tracker;            /* count: the number of a call's times */
    struct quipu__file_operations operations; /* if the expression needs them */
    QUIPU__VEC(struct quipu__call_times) calls;
    uint32_t unused; /* call times for reuse */
    uint32_t ended;  /* the outermost call that the current event has ended */
    struct quipu__batch *events;
    QUIPU__VEC(struct quipu__waiting) waiting; /* beside the events */
    uint32_t first, attribute;                 /* the next event to leave, and its first attribute */
    int64_t now;
    bool has_ended;
};

#define TRACKED_CALLS QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_call)

/* Initial room for waiting events, and how many may have left before their room is reused. */
enum { CAPACITY_LEAST = 64, LEFT_MOST = 4096 };

/* ---- Times of calls ---- */

static uint32_t add_call(struct quipu__duration_queue *queue, int64_t enter) {
    uint32_t number = queue->unused;
    if (number == QUIPU_NONE) {
        if (!QUIPU__VEC_RESERVE(queue->memory, &queue->calls, 1))
            return QUIPU_NONE;
        queue->calls.count++;
        number = (uint32_t)(queue->calls.count - 1);
    } else {
        queue->unused = queue->calls.items[number].users;
    }
    queue->calls.items[number] = (struct quipu__call_times){.enter = enter, .is_active = true};
    return number;
}

/* Frees the times when neither the call nor an event needs them. */
static void drop_call(struct quipu__duration_queue *queue, uint32_t number) {
    struct quipu__call_times *call = &queue->calls.items[number];
    if (call->is_active || call->users > 0)
        return;
    call->users = queue->unused;
    queue->unused = number;
}

static void release_call(struct quipu__duration_queue *queue, uint32_t number) {
    if (number == QUIPU_NONE)
        return;
    queue->calls.items[number].users--;
    drop_call(queue, number);
}

/* The tracker says that a call ends now. Those inside it come first. */
static void end_call(void *context, const struct quipu__interval *interval) {
    struct quipu__duration_queue *queue = context;
    const uint32_t number = (uint32_t)interval->count;
    struct quipu__call_times *call = &queue->calls.items[number];
    call->leave = queue->now;
    call->is_active = false;
    call->users++; /* until the current event has been handled */
    release_call(queue, queue->ended);
    queue->ended = number;
}

/* ---- Making ---- */

static void init_tracker(struct quipu__duration_queue *queue) {
    const struct quipu__tracker_options options = {.definitions = queue->where->definitions,
                                                   .interval_classes = TRACKED_CALLS,
                                                   .ended = end_call,
                                                   .context = queue};
    quipu__tracker_init(&queue->tracker, queue->memory, &options);
}

static enum quipu_status duration_queue_new(struct quipu__memory *memory,
                                            const struct quipu__where_clause *where,
                                            struct quipu__duration_queue **out, struct quipu_error *err) {
    struct quipu__duration_queue *queue = *out = quipu__alloc_zero(memory, sizeof *queue);
    if (!queue)
        return quipu__no_memory(err, sizeof *queue);
    queue->memory = memory;
    queue->where = where;
    queue->unused = queue->ended = QUIPU_NONE;
    queue->now = INT64_MIN;
    init_tracker(queue);
    if (where->needs_operations)
        file_operations_init(&queue->operations, memory, where->definitions);
    return quipu__batch_new(memory, CAPACITY_LEAST, &queue->events, err);
}

static void duration_queue_free(struct quipu__duration_queue *queue) {
    if (!queue)
        return;
    struct quipu__memory *memory = queue->memory;
    quipu__tracker_release(&queue->tracker);
    file_operations_release(&queue->operations);
    quipu__batch_free(queue->events);
    QUIPU__VEC_RELEASE(memory, &queue->calls);
    QUIPU__VEC_RELEASE(memory, &queue->waiting);
    quipu__release(memory, queue, sizeof *queue);
}

/* Begins with what is active at a point of an index. */
static enum quipu_status duration_queue_resume(struct quipu__duration_queue *queue, struct quipu__slice bytes,
                                               struct quipu_error *err) {
    const enum quipu_status status = quipu__tracker_resume(&queue->tracker, bytes, err);
    for (uint32_t state = 0; status == QUIPU_OK && state < queue->tracker.states.count; state++) {
        uint32_t number = quipu__active_at(&queue->tracker, state, QUIPU__INTERVAL_call).oldest;
        while (number != QUIPU_NONE) {
            struct quipu__interval *interval = quipu__interval_at(&queue->tracker, number);
            const uint32_t call = add_call(queue, interval->time);
            if (call == QUIPU_NONE)
                return quipu__no_memory(err, queue->memory->used);
            interval->count = call;
            number = interval->newer;
        }
    }
    return status == QUIPU_OK && queue->where->needs_operations
               ? file_operations_resume(&queue->operations, bytes, err)
               : status;
}

/* ---- Events ---- */

static bool note_enter(struct quipu__duration_queue *queue, const struct quipu_batch *batch, uint32_t event,
                       uint32_t *call) {
    if (!quipu__tracker_add_event(&queue->tracker, batch, event, batch->stream))
        return false;
    const uint32_t state = quipu__tracker_latest(&queue->tracker, batch->location[event]);
    const uint32_t newest = quipu__active_at(&queue->tracker, state, QUIPU__INTERVAL_call).newest;
    *call = add_call(queue, batch->time[event]);
    quipu__interval_at(&queue->tracker, newest)->count = *call;
    return *call != QUIPU_NONE;
}

static bool note_leave(struct quipu__duration_queue *queue, const struct quipu_batch *batch, uint32_t event,
                       uint32_t *call) {
    if (!quipu__tracker_add_event(&queue->tracker, batch, event, batch->stream))
        return false;
    *call = queue->ended;
    return true;
}

static bool track_call(struct quipu__duration_queue *queue, const struct quipu_batch *batch, uint32_t event,
                       uint32_t *call) {
    release_call(queue, queue->ended);
    queue->ended = *call = QUIPU_NONE;
    queue->now = batch->time[event] > queue->now ? batch->time[event] : queue->now;
    if (batch->kind[event] == QUIPU_KIND_enter)
        return note_enter(queue, batch, event, call);
    if (batch->kind[event] == QUIPU_KIND_leave)
        return note_leave(queue, batch, event, call);
    const uint32_t state = quipu__tracker_locate(&queue->tracker, batch->location[event], batch->stream);
    if (state == QUIPU_NONE)
        return false;
    const uint32_t newest = quipu__active_at(&queue->tracker, state, QUIPU__INTERVAL_call).newest;
    if (newest != QUIPU_NONE)
        *call = (uint32_t)quipu__interval_at(&queue->tracker, newest)->count;
    return true;
}

/* Tracks an event and says which call and operation it belongs to; QUIPU_NONE: to none. False when memory is out. */
static bool duration_queue_track(struct quipu__duration_queue *queue, const struct quipu_batch *batch,
                                 uint32_t event, struct quipu__waiting *out) {
    *out = (struct quipu__waiting){QUIPU_NONE, QUIPU_NONE, QUIPU_NONE};
    return track_call(queue, batch, event, &out->call) &&
           (!queue->where->needs_operations ||
            file_operations_track(&queue->operations, batch, event, &out->operation));
}

static int64_t distance(int64_t from, int64_t to) {
    if (to <= from)
        return 0;
    const uint64_t size = (uint64_t)to - (uint64_t)from;
    return size < INT64_MAX ? (int64_t)size : INT64_MAX;
}

static enum quipu__truth truth_now(const struct quipu__duration_queue *queue, const struct quipu_batch *batch,
                                   uint32_t event, const struct quipu__waiting *about) {
    struct quipu__where_event subject = {.batch = batch,
                                         .event = event,
                                         .kind = batch->kind[event],
                                         .location = batch->location[event],
                                         .is_in_call = about->call != QUIPU_NONE,
                                         .region = about->region};
    struct quipu__where_operation operation;
    if (subject.is_in_call) {
        const struct quipu__call_times *call = &queue->calls.items[about->call];
        const int64_t longest = queue->has_ended ? INT64_MAX : distance(call->enter, queue->now);
        subject.lasts = call->is_active && !queue->has_ended;
        subject.duration = call->is_active ? longest : distance(call->enter, call->leave);
    }
    if (about->operation != QUIPU_NONE) {
        operation = queue->operations.list.items[about->operation].known;
        operation.is_active = operation.is_active && !queue->has_ended;
        subject.operation = &operation;
    }
    return quipu__where_truth(queue->where, &subject);
}

/* Instead of holding, for an event that is not selected. */
static void duration_queue_pass_over(struct quipu__duration_queue *queue, const struct quipu__waiting *about) {
    file_operations_drop(&queue->operations, about->operation);
}

/* Lets the event that was tracked last wait, unless it cannot pass. about: what tracking gave, with the region of its call. False when
 * memory is out. */
static bool duration_queue_hold(struct quipu__duration_queue *queue, const struct quipu_batch *batch,
                                uint32_t event, uint32_t *attribute, const struct quipu__waiting *about) {
    if (truth_now(queue, batch, event, about) == QUIPU__FALSE) {
        duration_queue_pass_over(queue, about);
        return true;
    }
    struct quipu__batch *events = queue->events;
    if (quipu__batch_left(events) == 0 &&
        quipu__batch_grow(events, events->batch.capacity * 2, NULL) != QUIPU_OK)
        return false;
    if (!QUIPU__VEC_PUT(queue->memory, &queue->waiting, *about) ||
        !quipu__batch_copy(events, batch, event, attribute))
        return false;
    if (about->call != QUIPU_NONE)
        queue->calls.items[about->call].users++;
    return true;
}

/* The substream has ended: active calls never end. */
static void duration_queue_end(struct quipu__duration_queue *queue) {
    queue->has_ended = true;
}

/* Reuses the room of events that have left. */
static bool compact(struct quipu__duration_queue *queue) {
    struct quipu__batch *old = queue->events, *fresh;
    const uint32_t left = old->batch.count - queue->first;
    if (left == 0) {
        quipu__batch_clear(old);
        queue->waiting.count = queue->first = queue->attribute = 0;
        return true;
    }
    if (queue->first < LEFT_MOST || queue->first < left)
        return true;
    if (quipu__batch_new(queue->memory, left < CAPACITY_LEAST ? CAPACITY_LEAST : left, &fresh, NULL) !=
        QUIPU_OK)
        return false;
    bool has_room = true;
    for (uint32_t i = 0; i < left && has_room; i++) {
        has_room = quipu__batch_copy(fresh, &old->batch, queue->first + i, &queue->attribute);
        queue->waiting.items[i] = queue->waiting.items[queue->first + i];
    }
    queue->waiting.count = left;
    queue->first = queue->attribute = 0;
    queue->events = fresh;
    quipu__batch_free(old);
    return has_room;
}

/* Adds to an empty batch the next events that pass. False when memory is out. */
static bool duration_queue_drain(struct quipu__duration_queue *queue, struct quipu__batch *batch) {
    const struct quipu_batch *events = &queue->events->batch;
    while (queue->first < events->count && quipu__batch_left(batch) > 0) {
        const uint32_t event = queue->first;
        const struct quipu__waiting *waiting = &queue->waiting.items[event];
        const enum quipu__truth truth = truth_now(queue, events, event, waiting);
        if (truth == QUIPU__MAYBE)
            break;
        if (truth == QUIPU__TRUE && !quipu__batch_copy(batch, events, event, &queue->attribute))
            return false;
        release_call(queue, waiting->call);
        file_operations_drop(&queue->operations, waiting->operation);
        queue->first++;
    }
    return compact(queue);
}

/* ==== Selections ==== */

#define REGION_KINDS (QUIPU_KIND_BIT(QUIPU_KIND_enter) | QUIPU_KIND_BIT(QUIPU_KIND_leave))
#define CALLS QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_call)

/* ---- Active calls ---- */

static struct quipu__interval_list calls_at(const struct quipu__within *within, uint32_t state) {
    return quipu__active_at(&within->calls, state, QUIPU__INTERVAL_call);
}

/* How many selected calls there are among a call and those around it. */
static uint64_t count_up_to(const struct quipu__within *within, uint32_t call) {
    return call == QUIPU_NONE ? 0 : quipu__interval_at(&within->calls, call)->count;
}

/* The region of a call. */
static uint32_t region_of(const struct quipu__within *within, uint32_t call) {
    return (uint32_t)quipu__interval_at(&within->calls, call)->key[1];
}

static bool is_chosen(const struct quipu__within *within, uint32_t call) {
    return call != QUIPU_NONE && quipu__filter_region(within->filter, region_of(within, call));
}

/* Counts from a call inwards. */
static void count_from(struct quipu__within *within, uint32_t call) {
    while (call != QUIPU_NONE) {
        struct quipu__interval *interval = quipu__interval_at(&within->calls, call);
        interval->count = count_up_to(within, interval->older) + is_chosen(within, call);
        call = interval->newer;
    }
}

/* Counts again where a call may have ended: an end searches no farther out. */
static void count_again(struct quipu__within *within, uint32_t innermost) {
    uint32_t call = innermost;
    for (uint32_t i = 0; i < QUIPU__LOOK_OUT_MOST && call != QUIPU_NONE; i++) {
        const uint32_t around = quipu__interval_at(&within->calls, call)->older;
        if (around == QUIPU_NONE)
            break;
        call = around;
    }
    count_from(within, call);
}

static bool enter(struct quipu__within *within, const struct quipu_batch *batch, uint32_t event,
                  uint32_t state) {
    within->has_no_memory |= !quipu__tracker_add_event(&within->calls, batch, event, batch->stream);
    if (within->has_no_memory)
        return false;
    count_from(within, calls_at(within, state).newest);
    return quipu__filter_region(within->filter, batch->object[event]);
}

/* A leave without region belongs to the innermost call. */
static bool leave(struct quipu__within *within, const struct quipu_batch *batch, uint32_t event,
                  uint32_t state) {
    const uint32_t region = batch->object[event], innermost = calls_at(within, state).newest;
    const bool passes =
        region == QUIPU_NONE ? is_chosen(within, innermost) : quipu__filter_region(within->filter, region);
    const bool is_innermost =
        region == QUIPU_NONE || innermost == QUIPU_NONE || region_of(within, innermost) == region;
    within->has_no_memory |= !quipu__tracker_add_event(&within->calls, batch, event, batch->stream);
    if (!is_innermost)
        count_again(within, calls_at(within, state).newest);
    return passes;
}

/* ---- Regions ---- */

static bool is_within(struct quipu__within *within, const struct quipu_batch *batch, uint32_t event) {
    const uint32_t state = quipu__tracker_locate(&within->calls, batch->location[event], batch->stream);
    within->has_no_memory |= state == QUIPU_NONE;
    if (within->has_no_memory)
        return false;
    if (batch->kind[event] == QUIPU_KIND_enter)
        return enter(within, batch, event, state);
    if (batch->kind[event] == QUIPU_KIND_leave)
        return leave(within, batch, event, state);
    return count_up_to(within, calls_at(within, state).newest) > 0;
}

/* ---- Expressions ---- */

/* The region of the call that a leave ends or that an event lies in; for an enter its own. */
static uint32_t region_around(const struct quipu__within *within, const struct quipu_batch *batch,
                              uint32_t event) {
    const uint32_t state = quipu__tracker_latest(&within->calls, batch->location[event]);
    const uint32_t call = state == QUIPU_NONE ? QUIPU_NONE : calls_at(within, state).newest;
    return call == QUIPU_NONE ? QUIPU_NONE : region_of(within, call);
}

static bool is_true(const struct quipu__within *within, const struct quipu_batch *batch, uint32_t event,
                    uint32_t region) {
    const struct quipu__where_event subject = {.batch = batch,
                                               .event = event,
                                               .kind = batch->kind[event],
                                               .location = batch->location[event],
                                               .is_in_call = region != QUIPU_NONE,
                                               .region = region};
    return quipu__where_truth(within->filter->where, &subject) == QUIPU__TRUE;
}

/* An event that may pass waits instead. */
static void hold(struct quipu__within *within, const struct quipu_batch *batch, uint32_t event, bool passes,
                 uint32_t region) {
    struct quipu__waiting about;
    within->has_no_memory |= !duration_queue_track(within->queue, batch, event, &about);
    about.region = region;
    if (within->has_no_memory)
        return;
    if (passes)
        within->has_no_memory |= !duration_queue_hold(within->queue, batch, event, &within->attribute, &about);
    else
        duration_queue_pass_over(within->queue, &about);
}

/* ---- Events ---- */

static bool is_in_window(const struct quipu__filter *filter, const struct quipu_batch *batch, uint32_t event) {
    return quipu__filter_location(filter, batch->location[event]) && batch->time[event] >= filter->from &&
           (batch->time[event] < filter->to || filter->to == INT64_MAX) &&
           quipu__filter_kind(filter, (enum quipu_kind)batch->kind[event]);
}

static bool keeps(void *context, const struct quipu_batch *batch, uint32_t event) {
    struct quipu__within *within = context;
    const struct quipu__filter *filter = within->filter;
    if (within->has_no_memory)
        return false;
    const uint32_t region =
        within->needs_calls && filter->where ? region_around(within, batch, event) : QUIPU_NONE;
    const bool is_in_regions = (!within->needs_calls || is_within(within, batch, event)) || !filter->regions;
    const bool passes = is_in_regions && is_in_window(filter, batch, event);
    if (within->queue) {
        hold(within, batch, event, passes, region);
        return false;
    }
    return passes && (!filter->where || is_true(within, batch, event, region));
}

static enum quipu_status status_of(const struct quipu__within *within, struct quipu_error *err) {
    if (!within->has_no_memory)
        return QUIPU_OK;
    const enum quipu_status status = quipu__no_memory(err, within->calls.memory->used);
    if (within->queue)
        quipu__advise(err, "an expression that asks for shorter durations needs less memory");
    return status;
}

enum quipu_status quipu__within_next(struct quipu__within *within, bool is_end, struct quipu__batch *batch,
                                     struct quipu_error *err) {
    if (!within->queue)
        return QUIPU_OK;
    if (is_end)
        duration_queue_end(within->queue);
    within->has_no_memory |= !duration_queue_drain(within->queue, batch);
    return status_of(within, err);
}

enum quipu_status quipu__within_select(struct quipu__within *within, struct quipu__batch *batch,
                                       struct quipu_error *err) {
    within->attribute = 0;
    quipu__batch_keep(batch, keeps, within);
    if (within->filter->without_attributes)
        batch->attributes.count = batch->batch.attribute_count = 0;
    if (!within->queue || within->has_no_memory)
        return status_of(within, err);
    quipu__batch_clear(batch);
    return quipu__within_next(within, false, batch, err);
}

/* ---- Beginning ---- */

static void init_calls(struct quipu__within *within, struct quipu__trace *trace) {
    const struct quipu__tracker_options options = {.definitions = &trace->define->definitions,
                                                   .interval_classes = CALLS};
    quipu__tracker_init(&within->calls, trace->memory, &options);
}

/* Loads the calls that are active at a point of the index. QUIPU_END when the index has none. */
static enum quipu_status load_calls(struct quipu__within *within, const struct quipu__trace *trace,
                                    uint32_t stream, uint32_t substream, uint32_t point,
                                    struct quipu_error *err) {
    struct quipu__buffer room;
    struct quipu__slice bytes;
    quipu__buffer_init(&room, trace->memory, 0);
    enum quipu_status status = quipu__index_section(trace->index, QUIPU__TRACKER_SECTION, stream, substream,
                                                    point, &room, &bytes, err);
    if (status == QUIPU_OK)
        status = bytes.at ? quipu__tracker_resume(&within->calls, bytes, err) : QUIPU_END;
    if (status == QUIPU_OK && within->queue)
        status = duration_queue_resume(within->queue, bytes, err);
    quipu__buffer_release(&room);
    for (size_t i = 0; i < within->calls.states.count && status == QUIPU_OK; i++)
        count_from(within, calls_at(within, (uint32_t)i).oldest);
    return status;
}

static enum quipu_status init(struct quipu__within *within, struct quipu__trace *trace,
                              struct quipu_error *err) {
    init_calls(within, trace);
    within->wide.from = INT64_MIN;
    return quipu__within_looks_ahead(within->filter)
               ? duration_queue_new(trace->memory, within->filter->where, &within->queue, err)
               : QUIPU_OK;
}

static void release(struct quipu__within *within) {
    quipu__tracker_release(&within->calls);
    duration_queue_free(within->queue);
    within->queue = NULL;
}

/* Begins at the latest point of the index before the window; at the beginning without one. */
static enum quipu_status begin(struct quipu__within *within, struct quipu__trace *trace, uint32_t stream,
                               uint32_t substream, struct quipu_error *err) {
    struct quipu_error trouble = QUIPU_ERROR_INIT;
    const uint32_t point = quipu__index_find(trace->index, within->filter->from);
    enum quipu_status status = init(within, trace, err);
    if (status != QUIPU_OK || point == QUIPU_NONE)
        return status;
    status = load_calls(within, trace, stream, substream, point, &trouble);
    if (status == QUIPU_OK) {
        within->wide.from = quipu__index_time(trace->index, point);
        return QUIPU_OK;
    }
    release(within);
    if (status == QUIPU_CORRUPT)
        quipu__index_report(trace->findings, QUIPU__INDEX_DAMAGED, trace->index->path, trouble.message);
    else if (status != QUIPU_END && err)
        *err = trouble;
    const enum quipu_status again = init(within, trace, err);
    return status == QUIPU_CORRUPT || status == QUIPU_END ? again : status;
}

static bool needs_calls(const struct quipu__filter *filter) {
    return filter->regions || (filter->where && filter->where->needs_calls);
}

static bool needs_operations(const struct quipu__filter *filter) {
    return filter->where && filter->where->needs_operations;
}

bool quipu__within_looks_ahead(const struct quipu__filter *filter) {
    return filter->where && (filter->where->lookahead > 0 || filter->where->needs_operations);
}

struct quipu__filter quipu__within_filter(const struct quipu__filter *filter) {
    struct quipu__filter wide = *filter;
    wide.where = NULL;
    wide.regions = NULL;
    wide.region_bits = 0;
    if (filter->where && filter->where->needs_attributes)
        wide.without_attributes = false;
    if (needs_operations(
            filter)) { /* applications open files for their processes, and ends may come at any time */
        wide.kinds |= QUIPU__FILE_OPERATION_KINDS;
        wide.from = INT64_MIN;
        wide.to = INT64_MAX;
        wide.locations = NULL;
        wide.location_bits = 0;
    }
    if (!needs_calls(filter))
        return wide;
    wide.from = INT64_MIN;
    wide.kinds |= REGION_KINDS;
    if (filter->where && filter->where->lookahead > 0 && !filter->where->needs_operations)
        wide.to = filter->to < INT64_MAX - filter->where->lookahead ? filter->to + filter->where->lookahead
                                                                    : INT64_MAX;
    return wide;
}

enum quipu_status quipu__within_new(struct quipu__trace *trace, const struct quipu__filter *filter,
                                    uint32_t stream, uint32_t substream, struct quipu__within **out,
                                    struct quipu_error *err) {
    struct quipu__within *within = *out = quipu__alloc_zero(trace->memory, sizeof *within);
    if (!within)
        return quipu__no_memory(err, sizeof *within);
    within->filter = filter;
    within->wide = quipu__within_filter(filter);
    within->needs_calls = needs_calls(filter);
    if (within->needs_calls || needs_operations(filter))
        return begin(within, trace, stream, substream, err);
    init_calls(within, trace); /* they stay empty */
    return QUIPU_OK;
}

void quipu__within_free(struct quipu__within *within) {
    if (!within)
        return;
    struct quipu__memory *memory = within->calls.memory;
    release(within);
    quipu__release(memory, within, sizeof *within);
}
