/* schedule.c: see schedule.h. */
#include "analysis/replay/schedule.h"

#include "core/bounded.h"
#include "model/time_shifts.h"

void quipu__schedule_init(struct quipu__schedule *schedule, struct quipu__memory *memory) {
    *schedule = (struct quipu__schedule){.memory = memory,
                                         .unused_action = QUIPU_NONE,
                                         .unused_mark = QUIPU_NONE,
                                         .unused_condition = QUIPU_NONE,
                                         .unused_link = QUIPU_NONE};
}

void quipu__schedule_release(struct quipu__schedule *schedule) {
    QUIPU__VEC_RELEASE(schedule->memory, &schedule->locations);
    QUIPU__VEC_RELEASE(schedule->memory, &schedule->actions);
    QUIPU__VEC_RELEASE(schedule->memory, &schedule->marks);
    QUIPU__VEC_RELEASE(schedule->memory, &schedule->conditions);
    QUIPU__VEC_RELEASE(schedule->memory, &schedule->links);
    QUIPU__VEC_RELEASE(schedule->memory, &schedule->ready);
}

/* ---- Slots ---- */

/* A slot of a list with a chain of unused ones; QUIPU_NONE when memory is out. */
#define NEW_SLOT(schedule, list, unused, chain, out)                                                           \
    do {                                                                                                       \
        (out) = (schedule)->unused;                                                                            \
        if ((out) != QUIPU_NONE)                                                                               \
            (schedule)->unused = (schedule)->list.items[out].chain;                                            \
        else if (QUIPU__VEC_ADD((schedule)->memory, &(schedule)->list))                                        \
            (out) = (uint32_t)((schedule)->list.count - 1);                                                    \
    } while (0)

struct quipu__schedule_location *quipu__schedule_location(struct quipu__schedule *schedule, uint32_t location) {
    const size_t known = schedule->locations.count;
    if (location < known)
        return &schedule->locations.items[location];
    if (!QUIPU__VEC_RESERVE(schedule->memory, &schedule->locations, location + 1 - known))
        return NULL;
    for (size_t i = known; i <= location; i++)
        schedule->locations.items[i] =
            (struct quipu__schedule_location){.first = QUIPU_NONE, .last = QUIPU_NONE};
    schedule->locations.count = (size_t)location + 1;
    return &schedule->locations.items[location];
}

/* ---- Going on ---- */

static void postpone(struct quipu__schedule_location *location, int64_t to, uint32_t events) {
    if (to > location->position) {
        location->shift = quipu__bounded_sum(location->shift, to - location->position);
        location->position = to;
        location->largest = location->shift > location->largest ? location->shift : location->largest;
    }
    location->moved += location->shift > 0 ? events : 0;
}

static void forget_mark(struct quipu__schedule *schedule, uint32_t number) {
    struct quipu__schedule_mark *mark = &schedule->marks.items[number];
    if (mark->references > 0 || !mark->is_published)
        return;
    mark->first_waiting = schedule->unused_mark;
    schedule->unused_mark = number;
}

static void make_ready(struct quipu__schedule *schedule, uint32_t location) {
    uint32_t *ready = QUIPU__VEC_ADD(schedule->memory, &schedule->ready);
    if (ready)
        *ready = location;
}

static void publish(struct quipu__schedule *schedule, uint32_t number, int64_t time);

static void forget_condition(struct quipu__schedule *schedule, uint32_t number) {
    schedule->conditions.items[number].location = schedule->unused_condition;
    schedule->unused_condition = number;
}

static void fulfil(struct quipu__schedule *schedule, uint32_t number) {
    struct quipu__schedule_condition *condition = &schedule->conditions.items[number];
    if (--condition->missing > 0)
        return;
    if (condition->joined == QUIPU_NONE) {
        if (condition->is_waited_for)
            make_ready(schedule, condition->location);
        return;
    }
    forget_condition(schedule, number);
    schedule->marks.items[condition->joined].traced = condition->traced;
    publish(schedule, condition->joined, condition->latest);
}

static void raise(struct quipu__schedule_condition *condition, const struct quipu__schedule_mark *mark,
                  int64_t distance) {
    const int64_t time = quipu__bounded_sum(mark->time, distance);
    condition->latest = time > condition->latest ? time : condition->latest;
    condition->traced = mark->traced > condition->traced ? mark->traced : condition->traced;
}

static void publish(struct quipu__schedule *schedule, uint32_t number, int64_t time) {
    struct quipu__schedule_mark *mark = &schedule->marks.items[number];
    uint32_t link = mark->first_waiting;
    mark->time = time;
    mark->is_published = true;
    mark->first_waiting = QUIPU_NONE;
    while (link != QUIPU_NONE) {
        struct quipu__schedule_link *waiting = &schedule->links.items[link];
        const uint32_t next = waiting->next;
        raise(&schedule->conditions.items[waiting->condition], mark, waiting->distance);
        fulfil(schedule, waiting->condition);
        waiting->next = schedule->unused_link;
        schedule->unused_link = link;
        link = next;
    }
    forget_mark(schedule, number);
}

static void add_rest(struct quipu__schedule *schedule, struct quipu__schedule_location *location,
                     const struct quipu__schedule_condition *condition) {
    const int64_t from = condition->traced > condition->enter ? condition->traced : condition->enter;
    if (condition->leave < from)
        schedule->violations++;
    else
        location->position = quipu__bounded_sum(location->position, condition->leave - from);
}

/* ---- New times ---- */

static void shift_events(struct quipu__schedule *schedule, uint32_t location, uint32_t events, int64_t shift,
                         int64_t limit) {
    if (events > 0)
        quipu__time_shifts_add(schedule->shifts, location, &(struct quipu__time_shift){events, shift, limit});
}

static void shift_action(struct quipu__schedule *schedule, uint32_t number,
                         const struct quipu__schedule_action *action) {
    const struct quipu__schedule_location *location = &schedule->locations.items[number];
    const int64_t limit = action->ends_call ? location->position : INT64_MAX;
    shift_events(schedule, number, action->first_events, location->call_began - location->call_traced, limit);
    shift_events(schedule, number, action->events, location->position - action->traced, limit);
}

/* ---- Acting ---- */

/* A location that is late catches up by what it need not keep of its distances. */
static void advance(const struct quipu__schedule *schedule, struct quipu__schedule_location *location,
                    int64_t amount) {
    location->position = quipu__bounded_sum(location->position, amount);
    if (!schedule->decay || location->shift == 0)
        return;
    const int64_t gained = amount - quipu__multiplied((uint64_t)amount, schedule->decay);
    const int64_t made_up = gained < location->shift ? gained : location->shift;
    location->position -= made_up;
    location->shift -= made_up;
}

static void tell_published(const struct quipu__schedule *schedule, uint32_t mark, uint32_t location,
                           int64_t position) {
    if (QUIPU__UNLIKELY(schedule->listener != NULL))
        schedule->listener->published(schedule->listener->context, mark, location, position);
}

static void tell_waited(const struct quipu__schedule *schedule, uint32_t condition, uint32_t location,
                        int64_t before, int64_t position) {
    if (QUIPU__UNLIKELY(schedule->listener != NULL))
        schedule->listener->waited(schedule->listener->context, condition, location, before, position);
}

/* Does an action of a location; false when it must wait. */
static bool act(struct quipu__schedule *schedule, uint32_t number,
                const struct quipu__schedule_action *action) {
    struct quipu__schedule_location *location = &schedule->locations.items[number];
    if (action->kind == QUIPU__SCHEDULE_ADVANCE) {
        advance(schedule, location, action->amount);
        location->moved += location->shift > 0 ? action->events : 0;
        return true;
    }
    if (action->kind == QUIPU__SCHEDULE_PUBLISH) {
        location->call_began = location->position;
        location->call_traced = schedule->marks.items[action->number].traced;
        tell_published(schedule, action->number, number, location->position);
        publish(schedule, action->number, location->position);
        return true;
    }
    struct quipu__schedule_condition *condition = &schedule->conditions.items[action->number];
    condition->is_waited_for = condition->missing > 0;
    if (condition->missing > 0)
        return false;
    const int64_t before = location->position;
    postpone(location, condition->latest, action->events);
    tell_waited(schedule, action->number, number, before, location->position);
    if (condition->has_rest)
        add_rest(schedule, location, condition);
    forget_condition(schedule, action->number);
    return true;
}

static bool act_and_shift(struct quipu__schedule *schedule, uint32_t number,
                          const struct quipu__schedule_action *action) {
    const bool is_done = act(schedule, number, action);
    if (QUIPU__UNLIKELY(is_done && schedule->shifts != NULL))
        shift_action(schedule, number, action);
    return is_done;
}

static void advance_location(struct quipu__schedule *schedule, uint32_t number) {
    struct quipu__schedule_location *location = &schedule->locations.items[number];
    while (location->first != QUIPU_NONE) {
        const uint32_t first = location->first;
        const struct quipu__schedule_action action = schedule->actions.items[first];
        if (!act_and_shift(schedule, number, &action))
            return;
        location->first = action.next;
        schedule->actions.items[first].next = schedule->unused_action;
        schedule->unused_action = first;
    }
}

/* Lets go on whoever can. */
static void go_on(struct quipu__schedule *schedule) {
    while (schedule->ready.count > 0)
        advance_location(schedule, schedule->ready.items[--schedule->ready.count]);
}

/* ---- Actions ---- */

/* Does an action at once when the location has nothing else to do before. */
static void add_action(struct quipu__schedule *schedule, uint32_t number,
                       const struct quipu__schedule_action *action) {
    struct quipu__schedule_location *location = quipu__schedule_location(schedule, number);
    uint32_t slot;
    if (!location || (location->first == QUIPU_NONE && act_and_shift(schedule, number, action))) {
        go_on(schedule);
        return;
    }
    NEW_SLOT(schedule, actions, unused_action, next, slot);
    if (slot == QUIPU_NONE)
        return;
    schedule->actions.items[slot] = *action;
    schedule->actions.items[slot].next = QUIPU_NONE;
    if (location->first == QUIPU_NONE)
        location->first = slot;
    else
        schedule->actions.items[location->last].next = slot;
    location->last = slot;
}

/* Whether an advance can be added to that action: its events are moved alike. */
static bool continues(const struct quipu__schedule *schedule, const struct quipu__schedule_action *last,
                      int64_t amount, uint32_t events, int64_t traced) {
    if (last->kind != QUIPU__SCHEDULE_ADVANCE || last->events >= UINT32_MAX - events || schedule->decay)
        return false;
    return !schedule->shifts || last->events == 0 || (events > 0 && traced - last->traced == amount);
}

/* Advances that follow each other are one. */
void quipu__schedule_advance(struct quipu__schedule *schedule, uint32_t location, int64_t amount,
                             uint32_t events, int64_t traced) {
    struct quipu__schedule_location *known = quipu__schedule_location(schedule, location);
    if (known && known->first != QUIPU_NONE) {
        struct quipu__schedule_action *last = &schedule->actions.items[known->last];
        if (continues(schedule, last, amount, events, traced)) {
            last->amount += amount;
            last->traced = traced;
            last->events += events;
            return;
        }
    }
    const struct quipu__schedule_action action = {
        .kind = QUIPU__SCHEDULE_ADVANCE, .amount = amount, .events = events, .traced = traced};
    add_action(schedule, location, &action);
}

uint32_t quipu__schedule_publish(struct quipu__schedule *schedule, uint32_t location, int64_t traced) {
    uint32_t number;
    NEW_SLOT(schedule, marks, unused_mark, first_waiting, number);
    if (number == QUIPU_NONE)
        return number;
    schedule->marks.items[number] =
        (struct quipu__schedule_mark){.traced = traced, .references = 1, .first_waiting = QUIPU_NONE};
    const struct quipu__schedule_action action = {.kind = QUIPU__SCHEDULE_PUBLISH, .number = number};
    add_action(schedule, location, &action);
    return number;
}

void quipu__schedule_hold(struct quipu__schedule *schedule, uint32_t mark) {
    if (mark != QUIPU_NONE)
        schedule->marks.items[mark].references++;
}

void quipu__schedule_drop(struct quipu__schedule *schedule, uint32_t mark) {
    if (mark == QUIPU_NONE)
        return;
    schedule->marks.items[mark].references--;
    forget_mark(schedule, mark);
}

/* ---- Conditions ---- */

uint32_t quipu__schedule_condition(struct quipu__schedule *schedule, uint32_t location) {
    uint32_t number;
    NEW_SLOT(schedule, conditions, unused_condition, location, number);
    if (number != QUIPU_NONE)
        schedule->conditions.items[number] = (struct quipu__schedule_condition){
            .latest = INT64_MIN, .traced = INT64_MIN, .location = location, .joined = QUIPU_NONE};
    return number;
}

uint32_t quipu__schedule_join(struct quipu__schedule *schedule, uint32_t *mark) {
    NEW_SLOT(schedule, marks, unused_mark, first_waiting, *mark);
    const uint32_t number = *mark == QUIPU_NONE ? QUIPU_NONE : quipu__schedule_condition(schedule, QUIPU_NONE);
    if (*mark == QUIPU_NONE)
        return number;
    schedule->marks.items[*mark] = (struct quipu__schedule_mark){.references = 1, .first_waiting = QUIPU_NONE};
    if (number != QUIPU_NONE) {
        schedule->conditions.items[number].joined = *mark;
        schedule->conditions.items[number].missing = 1;
    }
    return number;
}

void quipu__schedule_await(struct quipu__schedule *schedule, uint32_t condition, uint32_t events,
                           int64_t traced) {
    if (condition == QUIPU_NONE)
        return;
    const struct quipu__schedule_action action = {
        .kind = QUIPU__SCHEDULE_AWAIT, .number = condition, .events = events, .traced = traced};
    add_action(schedule, schedule->conditions.items[condition].location, &action);
}

void quipu__schedule_end_call(struct quipu__schedule *schedule, uint32_t condition, uint32_t first_events,
                              uint32_t events, int64_t traced) {
    if (condition == QUIPU_NONE)
        return;
    const struct quipu__schedule_action action = {.kind = QUIPU__SCHEDULE_AWAIT,
                                                  .number = condition,
                                                  .first_events = first_events,
                                                  .events = events,
                                                  .traced = traced,
                                                  .ends_call = true};
    add_action(schedule, schedule->conditions.items[condition].location, &action);
}

void quipu__schedule_add_rest(struct quipu__schedule *schedule, uint32_t condition, int64_t enter,
                              int64_t leave) {
    if (condition == QUIPU_NONE)
        return;
    schedule->conditions.items[condition].has_rest = true;
    schedule->conditions.items[condition].enter = enter;
    schedule->conditions.items[condition].leave = leave;
}

void quipu__schedule_open(struct quipu__schedule *schedule, uint32_t condition) {
    if (condition != QUIPU_NONE)
        schedule->conditions.items[condition].missing++;
}

void quipu__schedule_close(struct quipu__schedule *schedule, uint32_t condition) {
    if (condition == QUIPU_NONE)
        return;
    fulfil(schedule, condition);
    go_on(schedule);
}

void quipu__schedule_depend(struct quipu__schedule *schedule, uint32_t condition, uint32_t mark,
                            int64_t distance) {
    uint32_t link;
    if (condition == QUIPU_NONE || mark == QUIPU_NONE)
        return;
    if (schedule->marks.items[mark].is_published) {
        raise(&schedule->conditions.items[condition], &schedule->marks.items[mark], distance);
        return;
    }
    NEW_SLOT(schedule, links, unused_link, next, link);
    if (link == QUIPU_NONE)
        return;
    schedule->links.items[link] =
        (struct quipu__schedule_link){distance, condition, schedule->marks.items[mark].first_waiting};
    schedule->marks.items[mark].first_waiting = link;
    schedule->conditions.items[condition].missing++;
}

bool quipu__schedule_is_done(const struct quipu__schedule *schedule) {
    for (size_t i = 0; i < schedule->locations.count; i++)
        if (schedule->locations.items[i].first != QUIPU_NONE)
            return false;
    return true;
}
