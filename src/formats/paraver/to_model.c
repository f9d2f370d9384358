/* to_model.c: events of the model from lines.
 *
 * A value of a type with regions is entered, 0 leaves the one that was entered last. What is around it may be shown again at the same time
 * (from_model.c does so), which is no entry. Ends of messages are displaced events: one that was not told to be at the beginning of its call is in the
 * call that is active at its time, so it comes before the call is left at that time; others come after calls that begin at that time. */
#include "formats/paraver/format.h"

#include "formats/paraver/regions.h"
#include "state/tracker.h"

#include <inttypes.h>

/* Most events that a value makes, besides displaced ones: a collective operation begins or ends, a region is entered or left. */
enum { EVENTS_OF_VALUE = 4 };

static struct quipu_batch *batch_of(struct quipu__paraver_pass *pass) {
    return &pass->batch->batch;
}

static uint32_t location_of(const struct quipu__paraver_pass *pass, uint32_t thread) {
    return pass->own->first_location + thread;
}

static const struct quipu__paraver_used_region *region_at(const struct quipu__paraver_pass *pass,
                                                          uint32_t region) {
    return &pass->own->regions.items[region];
}

static void add_call(struct quipu__paraver_pass *pass, enum quipu_kind kind, int64_t time, uint32_t thread,
                     uint32_t region, uint64_t offset) {
    const uint32_t i = quipu__batch_add(batch_of(pass), time, kind, location_of(pass, thread), offset);
    batch_of(pass)->object[i] = region_at(pass, region)->number;
}

/* ---- Displaced events ---- */

/* The innermost call of MPI that a thread is in; NULL: none. */
static const struct quipu__paraver_active *innermost_call(const struct quipu__paraver_pass *pass,
                                                          uint32_t thread) {
    const struct quipu__paraver_progress *progress = &pass->progress[thread];
    const size_t count = progress->stack.count;
    for (size_t i = count; i > 0 && count - i < QUIPU__LOOK_OUT_MOST; i--)
        if (region_at(pass, progress->stack.items[i - 1].region)->is_call)
            return &progress->stack.items[i - 1];
    return NULL;
}

static bool was_posted(const struct quipu__paraver_pass *pass, uint32_t message) {
    return (pass->posted[message / 8] >> message % 8 & 1) != 0;
}

/* A receive in a call that does more than post is posted by that. */
static bool is_post(const struct quipu__paraver_pass *pass, uint32_t thread) {
    const struct quipu__paraver_active *call = innermost_call(pass, thread);
    return !call || region_at(pass, call->region)->posts;
}

static void add_message(struct quipu__paraver_pass *pass, const struct quipu__paraver_displaced *event) {
    const struct quipu__paraver_message *message = &pass->own->messages.items[event->item];
    struct quipu_batch *batch = batch_of(pass);
    if (event->kind == QUIPU_KIND_recv_post) {
        if (!is_post(pass, event->thread))
            return;
        pass->posted[event->item / 8] |= (uint8_t)(1u << event->item % 8);
    }
    const bool is_send = event->kind == QUIPU_KIND_send;
    const bool has_request = !is_send && was_posted(pass, event->item);
    const uint32_t i = quipu__batch_add(batch, event->time, (enum quipu_kind)event->kind,
                                        location_of(pass, event->thread), event->offset);
    batch->peer[i] = location_of(pass, is_send ? message->to : message->from);
    batch->group[i] = QUIPU_NONE;
    batch->tag[i] = message->tag;
    batch->bytes[i] = message->bytes;
    batch->id[i] = has_request ? event->item : QUIPU_UNKNOWN;
}

static void add_displaced_event(struct quipu__paraver_pass *pass,
                                const struct quipu__paraver_displaced *event) {
    if (event->kind == QUIPU_KIND_enter || event->kind == QUIPU_KIND_leave)
        add_call(pass, (enum quipu_kind)event->kind, event->time, event->thread, event->item, event->offset);
    else
        add_message(pass, event);
}

static bool was_given(const struct quipu__paraver_progress *progress,
                      const struct quipu__paraver_displaced *event) {
    return event->time < progress->given ||
           (event->time == progress->given && (progress->given_late || !event->is_late));
}

bool quipu__paraver_add_displaced(struct quipu__paraver_pass *pass, uint32_t substream, int64_t until) {
    const struct quipu__paraver_trace *own = pass->own;
    const size_t end = own->first_displaced.items[substream + 1];
    for (size_t *at = &pass->displaced[substream]; *at < end; ++*at) {
        const struct quipu__paraver_displaced *event = &own->displaced.items[*at];
        if (event->time >= until)
            return true;
        if (quipu__batch_left(pass->batch) == 0)
            return false;
        if (!was_given(&pass->progress[event->thread], event))
            add_displaced_event(pass, event);
    }
    return true;
}

/* The first event of a thread at a time that has not been passed. */
static size_t first_of(const struct quipu__paraver_pass *pass, uint32_t thread, int64_t time) {
    const struct quipu__paraver_trace *own = pass->own;
    const uint32_t substream = own->threads.items[thread].substream;
    size_t first = pass->displaced[substream], end = own->first_displaced.items[substream + 1];
    while (first < end) {
        const size_t middle = first + (end - first) / 2;
        const struct quipu__paraver_displaced *event = &own->displaced.items[middle];
        if (event->time < time || (event->time == time && event->thread < thread))
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

/* Adds the displaced events of a thread at the time of a call's end. False when memory is out. */
static bool end_displaced(struct quipu__paraver_pass *pass, uint32_t thread, int64_t time, bool with_late) {
    struct quipu__paraver_progress *progress = &pass->progress[thread];
    const struct quipu__paraver_trace *own = pass->own;
    bool has_room = true;
    if (progress->given == time && (progress->given_late || !with_late))
        return true;
    for (size_t i = first_of(pass, thread, time); i < own->displaced.count && has_room; i++) {
        const struct quipu__paraver_displaced *event = &own->displaced.items[i];
        if (event->thread != thread || event->time != time || (event->is_late && !with_late))
            break;
        if (was_given(progress, event))
            continue;
        has_room = quipu__batch_left(pass->batch) > EVENTS_OF_VALUE ||
                   quipu__batch_grow(pass->batch, 2 * batch_of(pass)->capacity, NULL) == QUIPU_OK;
        if (has_room)
            add_displaced_event(pass, event);
    }
    progress->given_late = with_late || (progress->given_late && progress->given == time);
    progress->given = time;
    return has_room;
}

/* ---- Collective operations ---- */

static void add_operation(struct quipu__paraver_pass *pass, enum quipu_kind kind, int64_t time, uint32_t thread,
                          const struct quipu__paraver_operation *operation, uint64_t offset) {
    struct quipu_batch *batch = batch_of(pass);
    const uint32_t i = quipu__batch_add(batch, time, kind, location_of(pass, thread), offset);
    batch->object[i] =
        operation->region == QUIPU_NONE ? QUIPU_NONE : region_at(pass, operation->region)->number;
    batch->operation[i] = operation->operation;
    batch->peer[i] = operation->root;
    batch->group[i] = operation->group;
    batch->bytes[i] = operation->sent;
    batch->value[i] = operation->received;
    batch->id[i] = QUIPU_UNKNOWN;
}

void quipu__paraver_add_started(struct quipu__paraver_pass *pass) {
    if (!pass->started.is_active)
        return;
    pass->progress[pass->started_thread].operation = pass->started;
    add_operation(pass, QUIPU_KIND_collective_begin, pass->started_time, pass->started_thread, &pass->started,
                  pass->started_offset);
    pass->started.is_active = false;
}

static void end_operation(struct quipu__paraver_pass *pass, uint32_t thread, int64_t time, uint64_t offset) {
    struct quipu__paraver_operation *operation = &pass->progress[thread].operation;
    if (operation->is_active)
        add_operation(pass, QUIPU_KIND_collective_end, time, thread, operation, offset);
    operation->is_active = false;
}

static void begin_operation(struct quipu__paraver_pass *pass, int64_t time) {
    const struct quipu__paraver_active *call = innermost_call(pass, pass->thread);
    pass->started = (struct quipu__paraver_operation){
        .sent = QUIPU_UNKNOWN,
        .received = QUIPU_UNKNOWN,
        .region = call ? call->region : QUIPU_NONE,
        .operation = call ? region_at(pass, call->region)->operation : QUIPU_COLLECTIVE_OTHER,
        .root = QUIPU_NONE,
        .group = QUIPU_NONE,
        .is_active = true};
    pass->started_thread = pass->thread;
    pass->started_time = time;
    pass->started_offset = pass->lines.offset;
}

static void add_column(struct quipu__paraver_pass *pass, const struct quipu__paraver_used_type *type,
                       int64_t time, int64_t value) {
    struct quipu__paraver_operation *started = &pass->started;
    const bool is_operation = type->column == QUIPU_COLUMN_operation;
    if (is_operation && value == 0) {
        quipu__paraver_add_started(pass);
        end_operation(pass, pass->thread, time, pass->lines.offset);
        return;
    }
    if (!is_operation && !started->is_active && !innermost_call(pass, pass->thread))
        return; /* some writers have zeros at the end of the call, too */
    if (!started->is_active)
        begin_operation(pass, time);
    switch (type->column) {
    case QUIPU_COLUMN_bytes:
        started->sent = (uint64_t)value;
        break;
    case QUIPU_COLUMN_value:
        started->received = (uint64_t)value;
        break;
    case QUIPU_COLUMN_peer: /* 1: it is the root itself */
        started->root =
            value == 1 ? location_of(pass, pass->own->threads.items[pass->thread].process) : QUIPU_NONE;
        break;
    case QUIPU_COLUMN_group:
        started->group = quipu__map_get(&pass->own->group_of, (uint64_t)value);
        if (started->group == QUIPU_NONE)
            quipu__paraver_find(pass->own, QUIPU__PARAVER_RULE_COMMUNICATOR, &pass->lines, "%" PRId64, value);
        break;
    case QUIPU_COLUMN_object:
        break;
    default:
        started->operation = value <= QUIPU_COLLECTIVE_COUNT ? (uint32_t)value - 1 : QUIPU_COLLECTIVE_OTHER;
        started->has_own_end = true;
    }
}

/* ---- Regions ---- */

/* The object, from 1, of the innermost region of a type in the stack; 0: there is none. */
static size_t innermost(const struct quipu__paraver_pass *pass, uint32_t type) {
    const struct quipu__paraver_progress *progress = &pass->progress[pass->thread];
    const size_t count = progress->stack.count;
    for (size_t i = count; i > 0 && count - i < QUIPU__LOOK_OUT_MOST; i--)
        if (region_at(pass, progress->stack.items[i - 1].region)->type == type)
            return i;
    return 0;
}

/* Whether a value is that of what is around a region that was left at the same time. Calls of MPI are shown in one view of Paraver,
 * whatever their types. */
static bool is_shown_again(struct quipu__paraver_pass *pass, uint32_t type, uint32_t region, int64_t time) {
    struct quipu__paraver_progress *progress = &pass->progress[pass->thread];
    const enum quipu_region_role role = (enum quipu_region_role)pass->own->types.items[type].role;
    const bool is_call = quipu__paraver_is_mpi_role(role);
    const uint32_t left = progress->left_type;
    const bool is_of_mpi = pass->own->types.items[type].number == quipu__paraver_role(true, role).type;
    if (quipu__paraver_is_stacked(is_of_mpi, role))
        return false;
    if (left == QUIPU_NONE || progress->left != time || (!is_call && left != type))
        return false;
    const size_t i = innermost(pass, type);
    if (i == 0 || progress->stack.items[i - 1].region != region)
        return false;
    progress->left_type = is_call ? left : QUIPU_NONE;
    return true;
}

static bool enter(struct quipu__paraver_pass *pass, uint32_t type, int64_t time, int64_t value) {
    struct quipu__paraver_progress *progress = &pass->progress[pass->thread];
    const uint32_t region = quipu__paraver_region_of(pass->own, type, value);
    if (region == QUIPU_NONE || is_shown_again(pass, type, region, time))
        return true;
    struct quipu__paraver_active *active = QUIPU__VEC_ADD(pass->own->trace->memory, &progress->stack);
    if (!active)
        return false;
    *active = (struct quipu__paraver_active){time, region};
    progress->left_type = QUIPU_NONE;
    add_call(pass, QUIPU_KIND_enter, time, pass->thread, region, pass->lines.offset);
    return true;
}

/* Leaves the region of a type that was entered last; of a trace that begins in the middle there may be none. */
static bool leave(struct quipu__paraver_pass *pass, uint32_t type, int64_t time) {
    struct quipu__paraver_progress *progress = &pass->progress[pass->thread];
    const size_t depth = innermost(pass, type);
    if (depth == 0)
        return true;
    const struct quipu__paraver_active active = progress->stack.items[depth - 1];
    if (!end_displaced(pass, pass->thread, time, active.since == time))
        return false;
    if (progress->operation.region == active.region && !progress->operation.has_own_end)
        end_operation(pass, pass->thread, time, pass->lines.offset);
    add_call(pass, QUIPU_KIND_leave, time, pass->thread, active.region, pass->lines.offset);
    for (size_t i = depth; i < progress->stack.count; i++)
        progress->stack.items[i - 1] = progress->stack.items[i];
    progress->stack.count--;
    progress->left = time;
    progress->left_type = type;
    return true;
}

/* ---- Events ---- */

static void add_value(struct quipu__paraver_pass *pass, const struct quipu__paraver_used_type *type,
                      int64_t time, int64_t value) {
    const enum quipu_kind kind =
        type->use == QUIPU__PARAVER_USE_CHANNEL ? QUIPU_KIND_state_set : QUIPU_KIND_metric;
    const uint32_t i =
        quipu__batch_add(batch_of(pass), time, kind, location_of(pass, pass->thread), pass->lines.offset);
    batch_of(pass)->object[i] = type->definition;
    batch_of(pass)->value[i] = (uint64_t)value;
}

/* The values of a line are gone over three times, since their order says nothing: a counter counts up to a call or its end, and what an
 * operation is follows the call that does it. */
static uint32_t step_of(const struct quipu__paraver_used_type *type) {
    switch ((enum quipu__paraver_use)type->use) {
    case QUIPU__PARAVER_USE_COUNTER:
        return 0;
    case QUIPU__PARAVER_USE_REGION:
        return 1;
    default:
        return 2;
    }
}

static bool add_typed_value(struct quipu__paraver_pass *pass, uint32_t number, int64_t time, int64_t value) {
    const struct quipu__paraver_used_type *type = &pass->own->types.items[number];
    if (type->use == QUIPU__PARAVER_USE_COLLECTIVE) {
        add_column(pass, type, time, value);
        return true;
    }
    quipu__paraver_add_started(pass);
    if (type->use == QUIPU__PARAVER_USE_REGION)
        return value != 0 ? enter(pass, number, time, value) : leave(pass, number, time);
    add_value(pass, type, time, value);
    return true;
}

bool quipu__paraver_add_event(struct quipu__paraver_pass *pass) {
    const struct quipu__prv_record_event *event = &pass->record.any.event;
    const uint32_t count = quipu_sized_count(event->values), steps = 3 * count;
    if (pass->started.is_active &&
        (pass->started_thread != pass->thread || pass->started_time != event->time)) {
        if (quipu__batch_left(pass->batch) == 0)
            return false;
        quipu__paraver_add_started(pass);
    }
    if (!quipu__paraver_add_displaced(pass, pass->own->threads.items[pass->thread].substream, event->time))
        return false;
    for (; pass->step < steps; pass->step++) {
        const struct quipu__prv_record_typed_value *typed_value = &event->values[pass->step % count];
        const uint32_t type = quipu__paraver_type_of(pass->own, typed_value->type);
        if (type == QUIPU_NONE || step_of(&pass->own->types.items[type]) != pass->step / count)
            continue;
        if (quipu__batch_left(pass->batch) < EVENTS_OF_VALUE)
            return false;
        if (!add_typed_value(pass, type, event->time, typed_value->value))
            break; /* the gate remembers */
    }
    pass->has_event = false;
    return true;
}
