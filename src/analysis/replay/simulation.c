/* simulation.c: see simulation.h. */
#include "analysis/replay/simulation.h"

#include "analysis/replay/simulation_inside.h"
#include "model/event.h"
#include "model/time_shifts.h"

#include <string.h>

void quipu__simulation_init(struct quipu__simulation *simulation, struct quipu__memory *memory,
                            const struct quipu_definitions *definitions, const struct quipu__network *network) {
    *simulation = (struct quipu__simulation){.memory = memory,
                                             .definitions = definitions,
                                             .network = network,
                                             .unused_action = QUIPU_NONE,
                                             .unused_mark = QUIPU_NONE,
                                             .unused_message = QUIPU_NONE,
                                             .unused_receive = QUIPU_NONE,
                                             .unused_side = QUIPU_NONE,
                                             .unused_operation = QUIPU_NONE,
                                             .first_waiting = QUIPU_NONE,
                                             .last_waiting = QUIPU_NONE};
    quipu__hosts_init(&simulation->hosts, memory, definitions);
}

void quipu__simulation_release(struct quipu__simulation *simulation) {
    struct quipu__memory *memory = simulation->memory;
    for (size_t i = 0; memory && i < simulation->operations.count; i++)
        quipu__release(memory, simulation->operations.items[i].sides,
                       simulation->operations.items[i].room * sizeof(uint32_t));
    QUIPU__VEC_RELEASE(memory, &simulation->locations);
    QUIPU__VEC_RELEASE(memory, &simulation->actions);
    QUIPU__VEC_RELEASE(memory, &simulation->marks);
    QUIPU__VEC_RELEASE(memory, &simulation->messages);
    QUIPU__VEC_RELEASE(memory, &simulation->receives);
    QUIPU__VEC_RELEASE(memory, &simulation->sides);
    QUIPU__VEC_RELEASE(memory, &simulation->operations);
    QUIPU__VEC_RELEASE(memory, &simulation->nodes);
    QUIPU__VEC_RELEASE(memory, &simulation->events);
    quipu__hosts_release(&simulation->hosts);
}

/* ---- What comes next ---- */

static bool comes_before(const struct quipu__simulated_event *a, const struct quipu__simulated_event *b) {
    if (a->time != b->time)
        return a->time < b->time;
    if (a->kind != b->kind)
        return a->kind < b->kind;
    return a->who != b->who ? a->who < b->who : a->number < b->number;
}

static void swap(struct quipu__simulated_event *a, struct quipu__simulated_event *b) {
    const struct quipu__simulated_event saved = *a;
    *a = *b;
    *b = saved;
}

void quipu__simulation_put_event(struct quipu__simulation *simulation,
                                 const struct quipu__simulated_event *event) {
    struct quipu__simulated_event *last = QUIPU__VEC_ADD(simulation->memory, &simulation->events);
    if (!last)
        return;
    struct quipu__simulated_event *heap = simulation->events.items;
    size_t index = simulation->events.count - 1;
    *last = *event;
    for (; index > 0 && comes_before(&heap[index], &heap[(index - 1) / 2]); index = (index - 1) / 2)
        swap(&heap[index], &heap[(index - 1) / 2]);
}

static void remove_event(struct quipu__simulation *simulation) {
    struct quipu__simulated_event *heap = simulation->events.items;
    const size_t count = --simulation->events.count;
    heap[0] = heap[count];
    for (size_t index = 0;;) {
        const size_t left = 2 * index + 1, right = left + 1;
        size_t least = index;
        if (left < count && comes_before(&heap[left], &heap[least]))
            least = left;
        if (right < count && comes_before(&heap[right], &heap[least]))
            least = right;
        if (least == index)
            return;
        swap(&heap[index], &heap[least]);
        index = least;
    }
}

/* ---- Locations ---- */

static bool know_location(struct quipu__simulation *simulation, uint32_t location) {
    const size_t known = simulation->locations.count;
    if (location < known)
        return true;
    if (!QUIPU__VEC_RESERVE(simulation->memory, &simulation->locations, location + 1 - known))
        return false;
    for (size_t i = known; i <= location; i++)
        simulation->locations.items[i] =
            (struct quipu__simulated_location){.first = QUIPU_NONE, .last = QUIPU_NONE, .node = QUIPU_NONE};
    simulation->locations.count = (size_t)location + 1;
    return true;
}

static void act_next(struct quipu__simulation *simulation, uint32_t location) {
    quipu__simulation_put_event(
        simulation, &(struct quipu__simulated_event){.time = simulation->locations.items[location].now,
                                                     .kind = QUIPU__SIMULATED_ACTS,
                                                     .who = location});
}

void quipu__simulation_begin_location(struct quipu__simulation *simulation, uint32_t location, int64_t time) {
    if (!know_location(simulation, location) || simulation->locations.items[location].has_started)
        return;
    struct quipu__simulated_location *known = &simulation->locations.items[location];
    known->has_started = true;
    known->now = known->out_free = known->in_free = time;
    act_next(simulation, location);
}

void quipu__simulation_wake(struct quipu__simulation *simulation, uint32_t location, int64_t time) {
    if (location == QUIPU_NONE || !simulation->locations.items[location].is_blocked)
        return;
    struct quipu__simulated_location *known = &simulation->locations.items[location];
    known->is_blocked = false;
    known->now = time > known->now ? time : known->now;
    act_next(simulation, location);
}

/* ---- Programs ---- */

void quipu__simulation_put_action(struct quipu__simulation *simulation, uint32_t location,
                                  const struct quipu__simulated_action *action) {
    uint32_t number = QUIPU_NONE;
    if (location >= simulation->locations.count)
        return;
    QUIPU__SIMULATION_TAKE(simulation, actions, unused_action, next, number);
    if (number == QUIPU_NONE)
        return;
    struct quipu__simulated_location *known = &simulation->locations.items[location];
    simulation->actions.items[number] = *action;
    simulation->actions.items[number].next = QUIPU_NONE;
    if (known->first == QUIPU_NONE)
        known->first = number;
    else
        simulation->actions.items[known->last].next = number;
    known->last = number;
}

void quipu__simulation_burst(struct quipu__simulation *simulation, uint32_t location, int64_t amount) {
    if (location >= simulation->locations.count || amount == 0)
        return;
    const struct quipu__simulated_location *known = &simulation->locations.items[location];
    struct quipu__simulated_action *last =
        known->first == QUIPU_NONE ? NULL : &simulation->actions.items[known->last];
    if (last && last->kind == QUIPU__SIMULATED_BURST && (last->events == 0 || !simulation->shifts))
        last->amount = quipu__bounded_sum(last->amount, amount);
    else
        quipu__simulation_put_action(
            simulation, location,
            &(struct quipu__simulated_action){.kind = QUIPU__SIMULATED_BURST, .amount = amount});
}

void quipu__simulation_events(struct quipu__simulation *simulation, uint32_t location, uint32_t count,
                              int64_t traced) {
    if (!simulation->shifts || location >= simulation->locations.count)
        return;
    const struct quipu__simulated_location *known = &simulation->locations.items[location];
    struct quipu__simulated_action *last =
        known->first == QUIPU_NONE ? NULL : &simulation->actions.items[known->last];
    if (last && last->kind == QUIPU__SIMULATED_BURST && (last->events == 0 || last->traced == traced)) {
        last->events += count;
        last->traced = traced;
        return;
    }
    quipu__simulation_put_action(
        simulation, location,
        &(struct quipu__simulated_action){.kind = QUIPU__SIMULATED_BURST, .traced = traced, .events = count});
}

uint32_t quipu__simulation_call(struct quipu__simulation *simulation, uint32_t location, int64_t traced) {
    uint32_t number = QUIPU_NONE;
    QUIPU__SIMULATION_TAKE(simulation, marks, unused_mark, first_message, number);
    if (number == QUIPU_NONE)
        return number;
    /* Of the caller, and of the action. */
    simulation->marks.items[number] =
        (struct quipu__simulated_mark){.references = 2, .first_message = QUIPU_NONE};
    quipu__simulation_put_action(
        simulation, location,
        &(struct quipu__simulated_action){.kind = QUIPU__SIMULATED_CALL, .number = number, .traced = traced});
    return number;
}

void quipu__simulation_leave(struct quipu__simulation *simulation, uint32_t location, int64_t traced,
                             uint32_t first_events, uint32_t events) {
    quipu__simulation_put_action(
        simulation, location,
        &(struct quipu__simulated_action){
            .kind = QUIPU__SIMULATED_LEAVE, .traced = traced, .first_events = first_events, .events = events});
}

void quipu__simulation_hold(struct quipu__simulation *simulation, uint32_t mark) {
    if (mark != QUIPU_NONE)
        simulation->marks.items[mark].references++;
}

void quipu__simulation_drop(struct quipu__simulation *simulation, uint32_t mark) {
    if (mark != QUIPU_NONE && --simulation->marks.items[mark].references == 0)
        QUIPU__SIMULATION_GIVE(simulation, marks, unused_mark, first_message, mark);
}

/* ---- Acting ---- */

static void shift_events(const struct quipu__simulation *simulation, uint32_t location, uint32_t events,
                         int64_t shift, int64_t limit) {
    if (events > 0 && simulation->shifts)
        quipu__time_shifts_add(simulation->shifts, location, &(struct quipu__time_shift){events, shift, limit});
}

/* A call keeps what lies before its first completion behind its beginning, and the rest before its end. */
static void shift_call(const struct quipu__simulation *simulation, uint32_t location,
                       const struct quipu__simulated_action *action) {
    const struct quipu__simulated_location *known = &simulation->locations.items[location];
    shift_events(simulation, location, action->first_events, known->call_began - known->call_traced,
                 known->now);
    shift_events(simulation, location, action->events, known->now - action->traced, known->now);
}

static enum quipu__simulated_outcome act(struct quipu__simulation *simulation, uint32_t location,
                                         const struct quipu__simulated_action *action) {
    struct quipu__simulated_location *known = &simulation->locations.items[location];
    switch (action->kind) {
    case QUIPU__SIMULATED_BURST:
        known->now = quipu__bounded_sum(known->now, action->amount);
        shift_events(simulation, location, action->events, known->now - action->traced, INT64_MAX);
        return QUIPU__ACTION_DONE;
    case QUIPU__SIMULATED_CALL:
        known->call_began = known->now;
        known->call_traced = action->traced;
        quipu__simulate_mark(simulation, action->number, known->now);
        return QUIPU__ACTION_DONE;
    case QUIPU__SIMULATED_LEAVE:
        shift_call(simulation, location, action);
        return QUIPU__ACTION_DONE;
    case QUIPU__SIMULATED_SEND:
        return quipu__simulate_send(simulation, location, action->number);
    case QUIPU__SIMULATED_SEND_WAIT:
        return quipu__simulate_send_wait(simulation, location, action->number);
    case QUIPU__SIMULATED_RECEIVE:
        return quipu__simulate_receive(simulation, location, action->number);
    case QUIPU__SIMULATED_MEET:
        return quipu__simulate_meet(simulation, location, action->number);
    case QUIPU__SIMULATED_PART:
        return quipu__simulate_part(simulation, location, action->number);
    }
    return QUIPU__ACTION_DONE;
}

/* Lets a location act that comes first: as long as nothing else comes before. */
static enum quipu__simulated_outcome act_on(struct quipu__simulation *simulation, uint32_t location) {
    for (;;) {
        struct quipu__simulated_location *known = &simulation->locations.items[location];
        const uint32_t first = known->first;
        if (first == QUIPU_NONE)
            return simulation->is_ending ? QUIPU__ACTION_BLOCKS : QUIPU__ACTION_UNKNOWN;
        const struct quipu__simulated_action action = simulation->actions.items[first];
        const enum quipu__simulated_outcome outcome = act(simulation, location, &action);
        if (outcome != QUIPU__ACTION_DONE)
            return outcome;
        known = &simulation->locations.items[location];
        known->first = action.next;
        QUIPU__SIMULATION_GIVE(simulation, actions, unused_action, next, first);
        if (simulation->events.count > 0 && simulation->events.items[0].time <= known->now)
            return QUIPU__ACTION_DONE;
    }
}

/* False when the location that comes first does not know what it does next. */
static bool act_first(struct quipu__simulation *simulation, uint32_t location) {
    remove_event(simulation);
    const enum quipu__simulated_outcome outcome = act_on(simulation, location);
    if (outcome == QUIPU__ACTION_BLOCKS)
        simulation->locations.items[location].is_blocked = true;
    else
        act_next(simulation, location);
    return outcome != QUIPU__ACTION_UNKNOWN;
}

void quipu__simulation_run(struct quipu__simulation *simulation, bool is_end) {
    simulation->is_ending |= is_end;
    while (simulation->events.count > 0) {
        const struct quipu__simulated_event event = simulation->events.items[0];
        if (event.kind == QUIPU__SIMULATED_ACTS) {
            if (!act_first(simulation, event.who))
                return;
            continue;
        }
        remove_event(simulation);
        if (event.kind == QUIPU__SIMULATED_ASKS)
            quipu__simulate_ask(simulation, event.item, event.time);
        else
            quipu__simulate_transferred(simulation, event.item, event.time);
    }
}

bool quipu__simulation_is_done(const struct quipu__simulation *simulation) {
    for (size_t i = 0; i < simulation->locations.count; i++)
        if (simulation->locations.items[i].first != QUIPU_NONE)
            return false;
    return true;
}
