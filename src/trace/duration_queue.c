/* duration_queue.c: see duration_queue.h. */
#include "trace/duration_queue.h"

#include "core/error.h"

#define CALLS QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_call)

/* Events that wait at first, and those that have left before their room is given back. */
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

/* Gives the times back when neither the call nor an event needs them. */
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
    call->users++; /* until the event at hand has been seen to */
    release_call(queue, queue->ended);
    queue->ended = number;
}

/* ---- Making ---- */

static void init_tracker(struct quipu__duration_queue *queue) {
    const struct quipu__tracker_options options = {.definitions = queue->where->definitions,
                                                   .interval_classes = CALLS,
                                                   .ended = end_call,
                                                   .context = queue};
    quipu__tracker_init(&queue->tracker, queue->memory, &options);
}

enum quipu_status quipu__duration_queue_new(struct quipu__memory *memory,
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
        quipu__file_operations_init(&queue->operations, memory, where->definitions);
    return quipu__batch_new(memory, CAPACITY_LEAST, &queue->events, err);
}

void quipu__duration_queue_free(struct quipu__duration_queue *queue) {
    if (!queue)
        return;
    struct quipu__memory *memory = queue->memory;
    quipu__tracker_release(&queue->tracker);
    quipu__file_operations_release(&queue->operations);
    quipu__batch_free(queue->events);
    QUIPU__VEC_RELEASE(memory, &queue->calls);
    QUIPU__VEC_RELEASE(memory, &queue->waiting);
    quipu__release(memory, queue, sizeof *queue);
}

enum quipu_status quipu__duration_queue_resume(struct quipu__duration_queue *queue, struct quipu__slice bytes,
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
               ? quipu__file_operations_resume(&queue->operations, bytes, err)
               : status;
}

/* ---- Events ---- */

static bool enter(struct quipu__duration_queue *queue, const struct quipu_batch *batch, uint32_t event,
                  uint32_t *call) {
    if (!quipu__tracker_add_event(&queue->tracker, batch, event, batch->stream))
        return false;
    const uint32_t state = quipu__tracker_latest(&queue->tracker, batch->location[event]);
    const uint32_t newest = quipu__active_at(&queue->tracker, state, QUIPU__INTERVAL_call).newest;
    *call = add_call(queue, batch->time[event]);
    quipu__interval_at(&queue->tracker, newest)->count = *call;
    return *call != QUIPU_NONE;
}

static bool leave(struct quipu__duration_queue *queue, const struct quipu_batch *batch, uint32_t event,
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
        return enter(queue, batch, event, call);
    if (batch->kind[event] == QUIPU_KIND_leave)
        return leave(queue, batch, event, call);
    const uint32_t state = quipu__tracker_locate(&queue->tracker, batch->location[event], batch->stream);
    if (state == QUIPU_NONE)
        return false;
    const uint32_t newest = quipu__active_at(&queue->tracker, state, QUIPU__INTERVAL_call).newest;
    if (newest != QUIPU_NONE)
        *call = (uint32_t)quipu__interval_at(&queue->tracker, newest)->count;
    return true;
}

bool quipu__duration_queue_track(struct quipu__duration_queue *queue, const struct quipu_batch *batch,
                                 uint32_t event, struct quipu__waiting *out) {
    *out = (struct quipu__waiting){QUIPU_NONE, QUIPU_NONE, QUIPU_NONE};
    return track_call(queue, batch, event, &out->call) &&
           (!queue->where->needs_operations ||
            quipu__file_operations_track(&queue->operations, batch, event, &out->operation));
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

bool quipu__duration_queue_hold(struct quipu__duration_queue *queue, const struct quipu_batch *batch,
                                uint32_t event, uint32_t *attribute, const struct quipu__waiting *about) {
    if (truth_now(queue, batch, event, about) == QUIPU__FALSE) {
        quipu__duration_queue_pass_over(queue, about);
        return true;
    }
    struct quipu__batch *events = queue->events;
    if (quipu__batch_left(events) == 0 &&
        quipu__batch_grow(events, events->batch.capacity * 2, NULL) != QUIPU_OK)
        return false;
    struct quipu__waiting *waiting = QUIPU__VEC_ADD(queue->memory, &queue->waiting);
    if (!waiting || !quipu__batch_copy(events, batch, event, attribute))
        return false;
    *waiting = *about;
    if (about->call != QUIPU_NONE)
        queue->calls.items[about->call].users++;
    return true;
}

void quipu__duration_queue_pass_over(struct quipu__duration_queue *queue, const struct quipu__waiting *about) {
    quipu__file_operations_drop(&queue->operations, about->operation);
}

void quipu__duration_queue_end(struct quipu__duration_queue *queue) {
    queue->has_ended = true;
}

/* Gives back the room of events that have left. */
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

bool quipu__duration_queue_drain(struct quipu__duration_queue *queue, struct quipu__batch *batch) {
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
        quipu__file_operations_drop(&queue->operations, waiting->operation);
        queue->first++;
    }
    return compact(queue);
}
