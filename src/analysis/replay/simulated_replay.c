/* simulated_replay.c: see simulated_replay.h. */
#include "analysis/replay/simulated_replay.h"

#include "core/error.h"

static struct quipu__simulated_call *call_of(struct quipu__simulated_replay *replay, uint32_t location) {
    const size_t known = replay->calls.count;
    if (location < known)
        return &replay->calls.items[location];
    if (!QUIPU__VEC_RESERVE(&replay->memory, &replay->calls, location + 1 - known))
        return NULL;
    for (size_t i = known; i <= location; i++)
        replay->calls.items[i] = (struct quipu__simulated_call){.mark = QUIPU_NONE};
    replay->calls.count = (size_t)location + 1;
    return &replay->calls.items[location];
}

static bool is_in_call(const struct quipu__simulated_replay *replay, uint32_t location) {
    return location < replay->calls.count && replay->calls.items[location].mark != QUIPU_NONE;
}

/* ---- What happens ---- */

static void add_step(void *context, uint32_t location, uint32_t path, int64_t from, int64_t to) {
    struct quipu__simulated_replay *replay = context;
    if (is_in_call(replay, location))
        return;
    const uint32_t region = quipu__call_path_region(&replay->communication.paths, path);
    quipu__simulation_burst(&replay->simulation, location,
                            quipu__burst_time(&replay->bursts, location, region, from, to));
}

static void enter(void *context, uint32_t location, uint32_t path, int64_t time) {
    struct quipu__simulated_replay *replay = context;
    struct quipu__simulated_call *call = call_of(replay, location);
    (void)path;
    if (!call)
        return;
    call->mark = quipu__simulation_call(&replay->simulation, location, time);
    call->events = (struct quipu__call_events){0};
}

/* The leave itself is an event of the call; what the end of the trace ends has none. */
static void leave(void *context, uint32_t location, uint32_t path, int64_t time) {
    struct quipu__simulated_replay *replay = context;
    struct quipu__simulated_call *call = call_of(replay, location);
    (void)path;
    if (!call)
        return;
    quipu__simulation_leave(&replay->simulation, location, time, call->events.first,
                            call->events.rest + (replay->is_event ? 1 : 0));
    quipu__simulation_drop(&replay->simulation, call->mark);
    call->mark = QUIPU_NONE;
}

/* An event outside of any communication call is a call of its own. */
static uint32_t use_call(void *context, const struct quipu__communication_call *used) {
    struct quipu__simulated_replay *replay = context;
    if (!is_in_call(replay, used->location))
        return quipu__simulation_call(&replay->simulation, used->location, used->enter);
    const uint32_t mark = replay->calls.items[used->location].mark;
    quipu__simulation_hold(&replay->simulation, mark);
    return mark;
}

static void forget_call(void *context, const struct quipu__communication_call *call) {
    struct quipu__simulated_replay *replay = context;
    quipu__simulation_drop(&replay->simulation, call->mark);
}

/* ---- Messages and collective operations ---- */

static uint32_t add_end(void *context, const struct quipu__message_end *end) {
    struct quipu__simulated_replay *replay = context;
    return end->is_send ? quipu__simulation_send(&replay->simulation, end)
                        : quipu__simulation_receive(&replay->simulation, end->location);
}

/* A send that blocks waits by itself. */
static uint32_t complete_send(void *context, const struct quipu__message_end *send, int64_t time) {
    struct quipu__simulated_replay *replay = context;
    (void)time;
    if (send->has_request)
        quipu__simulation_send_wait(&replay->simulation, send->location, send->mark);
    return QUIPU_NONE;
}

static void add_matched(void *context, const struct quipu__message_end *send,
                        const struct quipu__message_end *receive) {
    struct quipu__simulated_replay *replay = context;
    const struct quipu__communication_call *posted =
        quipu__communication_call_at(&replay->communication.calls, receive->other_call);
    quipu__simulation_match(&replay->simulation, receive->mark, send->mark, posted ? posted->mark : QUIPU_NONE);
}

static void add_unmatched(void *context, const struct quipu__message_end *receive) {
    struct quipu__simulated_replay *replay = context;
    quipu__simulation_match(&replay->simulation, receive->mark, QUIPU_NONE, QUIPU_NONE);
}

static uint32_t begin_collective(void *context, const struct quipu__collective *collective, uint32_t side) {
    struct quipu__simulated_replay *replay = context;
    return quipu__simulation_meet(&replay->simulation, collective->sides[side].location);
}

static uint32_t end_collective(void *context, const struct quipu__collective *collective, uint32_t side) {
    struct quipu__simulated_replay *replay = context;
    quipu__simulation_part(&replay->simulation, collective->sides[side].location, collective->sides[side].mark);
    return QUIPU_NONE;
}

static void close_collective(void *context, const struct quipu__collective *collective) {
    struct quipu__simulated_replay *replay = context;
    quipu__simulation_operation(&replay->simulation, collective);
}

/* ---- The fold ---- */

enum quipu_status quipu__simulated_replay_begin(const struct quipu__fold_start *start,
                                                const struct quipu__network *network,
                                                struct quipu__simulated_replay **out, struct quipu_error *err) {
    struct quipu__memory memory;
    quipu__memory_like(&memory, start->memory);
    struct quipu__simulated_replay *replay = *out = quipu__alloc_zero(&memory, sizeof *replay);
    if (!replay)
        return quipu__no_memory(err, sizeof *replay);
    replay->memory = memory;
    replay->definitions = start->definitions;
    replay->network = *network;
    quipu__simulation_init(&replay->simulation, &replay->memory, replay->definitions, &replay->network);
    quipu__time_shifts_init(&replay->shifts, &replay->memory);
    replay->simulation.shifts = start->retimes ? &replay->shifts : NULL;
    const struct quipu__communication_listener listener = {.context = replay,
                                                           .step = add_step,
                                                           .outermost_enter = enter,
                                                           .outermost_leave = leave,
                                                           .call_used = use_call,
                                                           .call_forgotten = forget_call,
                                                           .end = add_end,
                                                           .send_completes = complete_send,
                                                           .matched = add_matched,
                                                           .unmatched = add_unmatched,
                                                           .collective_begins = begin_collective,
                                                           .collective_ends = end_collective,
                                                           .collective = close_collective};
    if (!quipu__communication_init(&replay->communication, &replay->memory, replay->definitions, &listener))
        return quipu__no_memory(err, sizeof *replay);
    return quipu__bursts_init(&replay->bursts, &replay->memory, replay->definitions, &start->settings, err);
}

/* An event has been taken in: it has the time that its location has now, or that of the call that it is in. */
static void count_event(struct quipu__simulated_replay *replay, uint32_t location, uint8_t kind,
                        bool was_in_call, int64_t time) {
    struct quipu__simulated_call *call = call_of(replay, location);
    if (!call || (was_in_call && call->mark == QUIPU_NONE))
        return;
    if (call->mark == QUIPU_NONE)
        quipu__simulation_events(&replay->simulation, location, 1, time);
    else
        quipu__call_events_add(&call->events, kind);
}

static bool take_in(struct quipu__simulated_replay *replay, const struct quipu_batch *batch, uint32_t event) {
    const uint32_t location = batch->location[event];
    const uint8_t kind = batch->kind[event];
    const int64_t time = quipu__communication_ns(&replay->communication, batch->time[event]);
    struct quipu__simulated_call *call = call_of(replay, location);
    const bool was_in_call = is_in_call(replay, location);
    if (kind == QUIPU_KIND_summary || kind == QUIPU_KIND_snapshot)
        return true;
    if (call && !call->has_started) {
        call->has_started = true;
        quipu__simulation_begin_location(&replay->simulation, location, time);
    }
    if (!quipu__communication_add(&replay->communication, batch, event))
        return false;
    quipu__bursts_add(&replay->bursts, location, kind, time);
    count_event(replay, location, kind, was_in_call, time);
    return true;
}

enum quipu_status quipu__simulated_replay_consume(struct quipu__simulated_replay *replay,
                                                  const struct quipu_batch *batch, struct quipu_error *err) {
    replay->is_event = true;
    for (uint32_t i = 0; i < batch->count; i++)
        if (!take_in(replay, batch, i))
            return quipu__no_memory(err, replay->memory.used);
    replay->is_event = false;
    quipu__simulation_run(&replay->simulation, false);
    return quipu__memory_status(&replay->memory, err);
}

bool quipu__simulated_replay_finish(struct quipu__simulated_replay *replay, int64_t *out) {
    int64_t first = INT64_MAX, last = INT64_MIN;
    quipu__communication_finish(&replay->communication);
    quipu__simulation_run(&replay->simulation, true);
    for (uint32_t i = 0; i < replay->communication.stacks.count; i++) {
        const struct quipu__call_stack *stack = &replay->communication.stacks.items[i];
        if (!stack->has_events || i >= replay->simulation.locations.count)
            continue;
        const int64_t end = replay->simulation.locations.items[i].now;
        first = stack->first < first ? stack->first : first;
        last = end > last ? end : last;
    }
    *out = last >= first ? last - first : 0;
    return quipu__simulation_is_done(&replay->simulation);
}

void quipu__simulated_replay_release(struct quipu__simulated_replay *replay) {
    quipu__communication_release(&replay->communication);
    quipu__simulation_release(&replay->simulation);
    quipu__bursts_release(&replay->bursts);
    quipu__time_shifts_release(&replay->shifts);
    QUIPU__VEC_RELEASE(&replay->memory, &replay->calls);
    struct quipu__memory memory = replay->memory;
    quipu__release(&memory, replay, sizeof *replay);
}
