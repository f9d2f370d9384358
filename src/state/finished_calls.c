/* finished_calls.c: see quipu/calls.h. The tracker says when a call ends; each active call has a record, whose number the tracker
 * keeps with it. Records of calls that have ended wait in a queue until they are taken.
 */
#include "state/finished_calls.h"

#include "core/error.h"
#include "state/events.h"

#define CALLS QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_call)

struct record {
    struct quipu_call call;
    uint32_t next; /* next unused record */
};

struct quipu_calls {
    struct quipu__memory memory;
    bool is_merged;
    struct quipu__tracker tracker;
    QUIPU__VEC(int64_t) latest;  /* of location states: time of the latest event */
    QUIPU__VEC(uint64_t) counts; /* of locations: calls that were entered */
    QUIPU__VEC(struct record) records;
    uint32_t unused;
    QUIPU__VEC(struct quipu_call) ended;
    size_t taken; /* ended calls that were fetched */
    int64_t now;
    int64_t from, to; /* messages and collective operations count in this window */
    bool has_no_memory;
};

/* ---- Records ---- */

static uint32_t add_record(struct quipu_calls *calls, const struct quipu_call *call) {
    uint32_t number = calls->unused;
    if (number != QUIPU_NONE) {
        calls->unused = calls->records.items[number].next;
    } else {
        if (!QUIPU__VEC_RESERVE(&calls->memory, &calls->records, 1))
            return QUIPU_NONE;
        number = (uint32_t)calls->records.count++;
    }
    calls->records.items[number].call = *call;
    return number;
}

static void end_record(struct quipu_calls *calls, uint32_t number, int64_t time, bool is_unfinished) {
    struct quipu_call *ended = QUIPU__VEC_ADD(&calls->memory, &calls->ended);
    struct record *record = &calls->records.items[number];
    calls->has_no_memory |= !ended;
    if (ended) {
        *ended = record->call;
        ended->leave = time;
        ended->is_unfinished = is_unfinished;
    }
    record->next = calls->unused;
    calls->unused = number;
}

static void end_call(void *context, const struct quipu__interval *interval) {
    struct quipu_calls *calls = context;
    end_record(calls, (uint32_t)interval->count, calls->now, false);
}

/* ---- Making ---- */

void quipu__calls_narrow(struct quipu_calls *calls, int64_t from, int64_t to) {
    calls->from = from;
    calls->to = to;
}

enum quipu_status quipu__calls_new(const struct quipu__memory *model,
                                   const struct quipu_definitions *definitions, bool is_merged,
                                   struct quipu_calls **out, struct quipu_error *err) {
    struct quipu__memory memory;
    quipu__memory_like(&memory, model);
    struct quipu_calls *calls = *out = quipu__alloc_zero(&memory, sizeof *calls);
    if (!calls)
        return quipu__no_memory(err, sizeof *calls);
    const struct quipu__tracker_options options = {
        .definitions = definitions, .interval_classes = CALLS, .ended = end_call, .context = calls};
    calls->memory = memory;
    calls->is_merged = is_merged;
    calls->unused = QUIPU_NONE;
    quipu__calls_narrow(calls, INT64_MIN, INT64_MAX);
    quipu__tracker_init(&calls->tracker, &calls->memory, &options);
    return QUIPU_OK;
}

enum quipu_status quipu_calls_new(const struct quipu_definitions *definitions,
                                  const struct quipu_tracker_options *options, struct quipu_calls **out,
                                  struct quipu_error *err) {
    static const struct quipu_tracker_options defaults = QUIPU_TRACKER_OPTIONS_INIT;
    const struct quipu_tracker_options *given = options ? options : &defaults;
    struct quipu__memory model;
    quipu__memory_of(&model, given->allocator, given->memory_limit);
    return quipu__calls_new(&model, definitions, given->is_merged, out, err);
}

void quipu_calls_free(struct quipu_calls *calls) {
    if (!calls)
        return;
    quipu__tracker_release(&calls->tracker);
    QUIPU__VEC_RELEASE(&calls->memory, &calls->latest);
    QUIPU__VEC_RELEASE(&calls->memory, &calls->counts);
    QUIPU__VEC_RELEASE(&calls->memory, &calls->records);
    QUIPU__VEC_RELEASE(&calls->memory, &calls->ended);
    struct quipu__memory memory = calls->memory;
    quipu__release(&memory, calls, sizeof *calls);
}

/* ---- Events ---- */

static uint32_t newest_call(const struct quipu_calls *calls, uint32_t state) {
    return quipu__active_at(&calls->tracker, state, QUIPU__INTERVAL_call).newest;
}

static const struct quipu_call *call_of(const struct quipu_calls *calls, uint32_t interval) {
    static const struct quipu_call none = {.region = QUIPU_NONE, .position = QUIPU_UNKNOWN};
    return interval == QUIPU_NONE
               ? &none
               : &calls->records.items[quipu__interval_at(&calls->tracker, interval)->count].call;
}

/* Calls of a location that were entered before this one, which counts from now on; 0 when memory is out, which is remembered. */
static uint64_t take_position(struct quipu_calls *calls, uint32_t location) {
    const size_t more = location < calls->counts.count ? 0 : location + (size_t)1 - calls->counts.count;
    if (more > 0 && !QUIPU__VEC_RESERVE(&calls->memory, &calls->counts, more)) {
        calls->has_no_memory = true;
        return 0;
    }
    calls->counts.count += more;
    return calls->counts.items[location]++;
}

static void enter(struct quipu_calls *calls, const struct quipu_batch *batch, uint32_t event, uint32_t state) {
    const uint32_t newest = newest_call(calls, state);
    const struct quipu_call *parent = call_of(calls, quipu__interval_at(&calls->tracker, newest)->older);
    const struct quipu_call call = {
        .location = batch->location[event],
        .stream = batch->stream,
        .region = batch->object[event],
        .depth = quipu__active_at(&calls->tracker, state, QUIPU__INTERVAL_call).count - 1,
        .enter = batch->time[event],
        .peer = QUIPU_NONE,
        .parent = parent->region,
        .position = take_position(calls, batch->location[event]),
        .parent_position = parent->position};
    const uint32_t number = add_record(calls, &call);
    calls->has_no_memory |= number == QUIPU_NONE;
    quipu__interval_at(&calls->tracker, newest)->count = number;
}

static uint64_t known(uint64_t bytes) {
    return bytes == QUIPU_UNKNOWN ? 0 : bytes;
}

static void add_message(struct quipu_call *call, const struct quipu_batch *batch, uint32_t event) {
    if (call->messages++ == 0) {
        call->peer = batch->peer[event];
        call->tag = batch->tag[event];
    }
    if (batch->kind[event] == QUIPU_KIND_send)
        call->bytes_sent += known(batch->bytes[event]);
    else
        call->bytes_received += known(batch->bytes[event]);
}

/* What happens in the innermost call. */
static void add_traffic(struct quipu_calls *calls, const struct quipu_batch *batch, uint32_t event,
                        uint32_t state) {
    const uint32_t number = newest_call(calls, state);
    const uint8_t kind = batch->kind[event];
    const bool is_before_end = calls->now < calls->to || calls->to == INT64_MAX;
    if (number == QUIPU_NONE || calls->now < calls->from || !is_before_end)
        return;
    struct quipu_call *call = &calls->records.items[quipu__interval_at(&calls->tracker, number)->count].call;
    if (kind == QUIPU_KIND_send || kind == QUIPU_KIND_recv)
        add_message(call, batch, event);
    if (kind == QUIPU_KIND_collective_begin) {
        call->bytes_sent += known(batch->bytes[event]);
        call->bytes_received += known(batch->value[event]);
    }
}

static bool note_time(struct quipu_calls *calls, uint32_t state, int64_t time) {
    while (calls->latest.count <= state) {
        int64_t *latest = QUIPU__VEC_ADD(&calls->memory, &calls->latest);
        if (!latest)
            return false;
        *latest = INT64_MIN;
    }
    calls->latest.items[state] = time > calls->latest.items[state] ? time : calls->latest.items[state];
    return true;
}

static void add_event(struct quipu_calls *calls, const struct quipu_batch *batch, uint32_t event) {
    const uint32_t stream = calls->is_merged ? 0 : batch->stream;
    const uint32_t state = quipu__tracker_locate(&calls->tracker, batch->location[event], stream);
    const bool is_call = batch->kind[event] == QUIPU_KIND_enter || batch->kind[event] == QUIPU_KIND_leave;
    calls->now = batch->time[event];
    calls->has_no_memory |= state == QUIPU_NONE || !note_time(calls, state, calls->now);
    if (!calls->has_no_memory && is_call)
        calls->has_no_memory |= !quipu__tracker_add_event(&calls->tracker, batch, event, stream);
    if (calls->has_no_memory)
        return;
    if (batch->kind[event] == QUIPU_KIND_enter)
        enter(calls, batch, event, state);
    else if (!is_call)
        add_traffic(calls, batch, event, state);
}

enum quipu_status quipu_calls_add(struct quipu_calls *calls, const struct quipu_batch *batch,
                                  struct quipu_error *err) {
    for (uint32_t i = 0; i < batch->count && !calls->has_no_memory; i++)
        add_event(calls, batch, i);
    return calls->has_no_memory ? quipu__no_memory(err, calls->memory.used) : QUIPU_OK;
}

enum quipu_status quipu_calls_end(struct quipu_calls *calls, struct quipu_error *err) {
    for (uint32_t state = 0; state < calls->tracker.states.count && !calls->has_no_memory; state++) {
        uint32_t number;
        while ((number = newest_call(calls, state)) != QUIPU_NONE) {
            end_record(calls, (uint32_t)quipu__interval_at(&calls->tracker, number)->count,
                       calls->latest.items[state], true);
            quipu__tracker_remove(&calls->tracker, number);
        }
    }
    return calls->has_no_memory ? quipu__no_memory(err, calls->memory.used) : QUIPU_OK;
}

bool quipu_calls_next(struct quipu_calls *calls, struct quipu_call *out) {
    if (calls->taken == calls->ended.count) {
        calls->taken = calls->ended.count = 0;
        return false;
    }
    *out = calls->ended.items[calls->taken++];
    return true;
}
