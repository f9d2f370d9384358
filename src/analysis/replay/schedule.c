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
    QUIPU__VEC_RELEASE(schedule->memory, &schedule->sections);
    QUIPU__VEC_RELEASE(schedule->memory, &schedule->ready);
    QUIPU__VEC_RELEASE(schedule->memory, &schedule->events);
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

QUIPU__RARELY struct quipu__schedule_location *add_locations(struct quipu__schedule *schedule,
                                                             uint32_t location) {
    const size_t known = schedule->locations.count;
    if (!QUIPU__VEC_RESERVE(schedule->memory, &schedule->locations, location + 1 - known))
        return NULL;
    for (size_t i = known; i <= location; i++)
        schedule->locations.items[i] =
            (struct quipu__schedule_location){.first = QUIPU_NONE, .last = QUIPU_NONE};
    schedule->locations.count = (size_t)location + 1;
    return &schedule->locations.items[location];
}

QUIPU__INLINE struct quipu__schedule_location *location_of(struct quipu__schedule *schedule,
                                                           uint32_t location) {
    return QUIPU__LIKELY(location < schedule->locations.count) ? &schedule->locations.items[location]
                                                               : add_locations(schedule, location);
}

struct quipu__schedule_location *quipu__schedule_location(struct quipu__schedule *schedule, uint32_t location) {
    return location_of(schedule, location);
}

/* ---- The order of time ---- */

static bool comes_before(const struct quipu__schedule_event *a, const struct quipu__schedule_event *b) {
    if (a->time != b->time)
        return a->time < b->time;
    if (a->kind != b->kind)
        return a->kind < b->kind;
    return a->location != b->location ? a->location < b->location : a->number < b->number;
}

static void swap(struct quipu__schedule_event *a, struct quipu__schedule_event *b) {
    const struct quipu__schedule_event saved = *a;
    *a = *b;
    *b = saved;
}

void quipu__schedule_put_event(struct quipu__schedule *schedule, const struct quipu__schedule_event *event) {
    struct quipu__schedule_event *last = QUIPU__VEC_ADD(schedule->memory, &schedule->events);
    if (!last)
        return;
    struct quipu__schedule_event *heap = schedule->events.items;
    size_t index = schedule->events.count - 1;
    *last = *event;
    for (; index > 0 && comes_before(&heap[index], &heap[(index - 1) / 2]); index = (index - 1) / 2)
        swap(&heap[index], &heap[(index - 1) / 2]);
}

static void remove_event(struct quipu__schedule *schedule) {
    struct quipu__schedule_event *heap = schedule->events.items;
    const size_t count = --schedule->events.count;
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

static void act_next(struct quipu__schedule *schedule, uint32_t location) {
    const struct quipu__schedule_event event = {
        .time = schedule->locations.items[location].position, .kind = QUIPU__EVENT_ACTS, .location = location};
    quipu__schedule_put_event(schedule, &event);
}

void quipu__schedule_start(struct quipu__schedule *schedule, uint32_t location, int64_t time) {
    struct quipu__schedule_location *known = location_of(schedule, location);
    if (!known)
        return;
    known->position = time;
    if (schedule->carrier)
        act_next(schedule, location);
}

/* ---- Going on ---- */

static void postpone(struct quipu__schedule_location *location, int64_t to, uint32_t events) {
    if (to > location->position) {
        location->shift =
            quipu__bounded_sum(location->shift, quipu__bounded_difference(to, location->position));
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
    if (schedule->carrier) {
        act_next(schedule, location);
        return;
    }
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
    if (condition->then == QUIPU__THEN_GO_ON) {
        if (condition->is_waited_for)
            make_ready(schedule, condition->location);
        return;
    }
    const struct quipu__schedule_condition done = *condition;
    forget_condition(schedule, number);
    if (done.then == QUIPU__THEN_ANSWER) {
        schedule->carrier->answer(schedule->carrier->context, done.number, done.latest);
        return;
    }
    schedule->marks.items[done.number].traced = done.traced;
    publish(schedule, done.number, done.latest);
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
        location->position =
            quipu__bounded_sum(location->position, quipu__bounded_difference(condition->leave, from));
}

/* Lets pass what passes at a location behind its wait. */
static void go_behind(struct quipu__schedule *schedule, uint32_t number,
                      const struct quipu__schedule_condition *condition) {
    struct quipu__schedule_location *location = &schedule->locations.items[number];
    switch ((enum quipu__schedule_behind)condition->behind) {
    case QUIPU__BEHIND_NOTHING:
        return;
    case QUIPU__BEHIND_REST:
        add_rest(schedule, location, condition);
        return;
    case QUIPU__BEHIND_TIME:
        location->position = quipu__bounded_sum(location->position, (int64_t)condition->amount);
        return;
    case QUIPU__BEHIND_RECEIVING:
        location->position = schedule->carrier->receive(schedule->carrier->context, number, condition->amount,
                                                        location->position);
        return;
    }
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
    const int64_t limit = action->is_edge ? location->position : INT64_MAX;
    shift_events(schedule, number, action->first_events,
                 quipu__bounded_difference(location->call_began, location->call_traced), limit);
    shift_events(schedule, number, action->events,
                 quipu__bounded_difference(location->position, action->traced), limit);
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

/* What comes of an action: it is done; it waits until it is let go on; or it is not known yet what it does. */
enum outcome { DONE, WAITS, UNKNOWN };

/* What comes with another action is made once. */
static void advance_before(struct quipu__schedule_location *location, struct quipu__schedule_action *action) {
    location->position = quipu__bounded_sum(location->position, action->amount);
    action->amount = 0;
}

static enum outcome await(struct quipu__schedule *schedule, uint32_t number,
                          const struct quipu__schedule_action *action) {
    struct quipu__schedule_location *location = &schedule->locations.items[number];
    struct quipu__schedule_condition *condition = &schedule->conditions.items[action->number];
    if (condition->missing > 0) {
        const bool is_unknown = schedule->carrier && condition->unknown > 0;
        condition->is_waited_for = !is_unknown;
        return is_unknown ? UNKNOWN : WAITS;
    }
    const int64_t before = location->position;
    postpone(location, condition->latest, action->events);
    tell_waited(schedule, action->number, number, before, location->position);
    go_behind(schedule, number, condition);
    forget_condition(schedule, action->number);
    return DONE;
}

static void end_section(struct quipu__schedule *schedule, struct quipu__schedule_location *location,
                        const struct quipu__schedule_action *action) {
    struct quipu__schedule_section *section = &schedule->sections.items[action->number];
    section->missing--;
    if (action->amount > 0 && location->position > section->longest)
        section->longest = location->position;
    location->position = 0;
}

static enum outcome act(struct quipu__schedule *schedule, uint32_t number,
                        struct quipu__schedule_action *action) {
    struct quipu__schedule_location *location = &schedule->locations.items[number];
    switch ((enum quipu__schedule_kind)action->kind) {
    case QUIPU__SCHEDULE_ADVANCE:
        advance(schedule, location, action->amount);
        location->moved += location->shift > 0 ? action->events : 0;
        return DONE;
    case QUIPU__SCHEDULE_PUBLISH:
        advance_before(location, action);
        if (action->is_edge) {
            location->call_began = location->position;
            location->call_traced = schedule->marks.items[action->number].traced;
        }
        tell_published(schedule, action->number, number, location->position);
        publish(schedule, action->number, location->position);
        return DONE;
    case QUIPU__SCHEDULE_AWAIT:
        advance_before(location, action);
        return action->number == QUIPU_NONE ? DONE : await(schedule, number, action);
    case QUIPU__SCHEDULE_SEND:
        return schedule->carrier->send(schedule->carrier->context, number, action->number) ? DONE : UNKNOWN;
    case QUIPU__SCHEDULE_SECTION:
        end_section(schedule, location, action);
        return DONE;
    }
    return DONE;
}

static enum outcome act_and_shift(struct quipu__schedule *schedule, uint32_t number,
                                  struct quipu__schedule_action *action) {
    const enum outcome outcome = act(schedule, number, action);
    if (QUIPU__UNLIKELY(outcome == DONE && schedule->shifts != NULL))
        shift_action(schedule, number, action);
    return outcome;
}

/* Does the first action of a location that has any. */
QUIPU__INLINE enum outcome act_first(struct quipu__schedule *schedule, uint32_t number) {
    struct quipu__schedule_location *location = &schedule->locations.items[number];
    const uint32_t first = location->first;
    struct quipu__schedule_action action = schedule->actions.items[first];
    const enum outcome outcome = act_and_shift(schedule, number, &action);
    if (outcome == DONE) {
        location->first = action.next;
        schedule->actions.items[first].next = schedule->unused_action;
        schedule->unused_action = first;
    } else {
        schedule->actions.items[first].amount = action.amount;
    }
    return outcome;
}

static void advance_location(struct quipu__schedule *schedule, uint32_t number) {
    const struct quipu__schedule_location *location = &schedule->locations.items[number];
    while (location->first != QUIPU_NONE)
        if (act_first(schedule, number) != DONE)
            return;
}

/* Lets go on whoever can. */
static void go_on(struct quipu__schedule *schedule) {
    while (schedule->ready.count > 0)
        advance_location(schedule, schedule->ready.items[--schedule->ready.count]);
}

/* Lets a location act that comes first, as long as nothing else comes before. */
static enum outcome act_in_order(struct quipu__schedule *schedule, uint32_t number) {
    enum outcome outcome = DONE;
    do {
        if (schedule->locations.items[number].first == QUIPU_NONE)
            return schedule->is_ending ? WAITS : UNKNOWN;
        outcome = act_first(schedule, number);
    } while (outcome == DONE && (schedule->events.count == 0 ||
                                 schedule->events.items[0].time > schedule->locations.items[number].position));
    return outcome;
}

void quipu__schedule_run(struct quipu__schedule *schedule, bool is_end) {
    schedule->is_ending |= is_end;
    while (schedule->events.count > 0) {
        const struct quipu__schedule_event event = schedule->events.items[0];
        remove_event(schedule);
        if (event.kind != QUIPU__EVENT_ACTS) {
            schedule->carrier->happens(schedule->carrier->context, &event);
            continue;
        }
        const enum outcome outcome = act_in_order(schedule, event.location);
        if (outcome != WAITS)
            act_next(schedule, event.location);
        if (outcome == UNKNOWN)
            return;
    }
}

/* ---- Actions ---- */

/* Does an action at once when the location has nothing else to do before. It comes by value, so that its parts go from registers to where they
 * are kept: a copy of what was just stored would wait for that. */
QUIPU__INLINE void add_action(struct quipu__schedule *schedule, uint32_t number,
                              struct quipu__schedule_action action) {
    struct quipu__schedule_location *location = location_of(schedule, number);
    uint32_t slot;
    if (location) {
        action.amount = quipu__bounded_sum(action.amount, location->postponed);
        location->postponed = 0;
    }
    if (!location || (location->first == QUIPU_NONE && !schedule->carrier)) {
        struct quipu__schedule_action now = action;
        if (!location || act_and_shift(schedule, number, &now) == DONE) {
            go_on(schedule);
            return;
        }
        action.amount = now.amount;
    }
    NEW_SLOT(schedule, actions, unused_action, next, slot);
    if (slot == QUIPU_NONE)
        return;
    action.next = QUIPU_NONE;
    schedule->actions.items[slot] = action;
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
    return !schedule->shifts || last->events == 0 ||
           (events > 0 && quipu__bounded_difference(traced, last->traced) == amount);
}

/* Advances that follow each other are one. */
void quipu__schedule_advance_slow(struct quipu__schedule *schedule, uint32_t location, int64_t amount,
                                  uint32_t events, int64_t traced) {
    struct quipu__schedule_location *known = location_of(schedule, location);
    if (known) {
        amount = quipu__bounded_sum(amount, known->postponed);
        known->postponed = 0;
    }
    if (known && known->first != QUIPU_NONE) {
        struct quipu__schedule_action *last = &schedule->actions.items[known->last];
        if (continues(schedule, last, amount, events, traced)) {
            last->amount = quipu__bounded_sum(last->amount, amount);
            last->traced = traced;
            last->events += events;
            return;
        }
    }
    const struct quipu__schedule_action action = {
        .kind = QUIPU__SCHEDULE_ADVANCE, .amount = amount, .events = events, .traced = traced};
    add_action(schedule, location, action);
}

static void flush(struct quipu__schedule *schedule, uint32_t location) {
    if (schedule->locations.items[location].postponed != 0)
        quipu__schedule_advance_slow(schedule, location, 0, 0, 0);
}

void quipu__schedule_flush(struct quipu__schedule *schedule) {
    for (uint32_t i = 0; i < schedule->locations.count; i++)
        flush(schedule, i);
}

void quipu__schedule_send(struct quipu__schedule *schedule, uint32_t location, uint32_t message) {
    const struct quipu__schedule_action action = {.kind = QUIPU__SCHEDULE_SEND, .number = message};
    add_action(schedule, location, action);
}

/* ---- Sections ---- */

bool quipu__schedule_cut(struct quipu__schedule *schedule, uint32_t sections) {
    if (!QUIPU__VEC_RESERVE(schedule->memory, &schedule->sections, sections))
        return false;
    schedule->sections.count = sections;
    for (uint32_t i = 0; i < sections; i++)
        schedule->sections.items[i] = (struct quipu__schedule_section){0};
    return true;
}

void quipu__schedule_go_to_section(struct quipu__schedule *schedule, uint32_t location, uint32_t section,
                                   bool counts) {
    struct quipu__schedule_location *known = location_of(schedule, location);
    if (!known || known->section == section)
        return;
    flush(schedule, location);
    const struct quipu__schedule_action action = {
        .kind = QUIPU__SCHEDULE_SECTION, .number = known->section, .amount = counts};
    schedule->sections.items[known->section].missing++;
    known->section = section;
    add_action(schedule, location, action);
}

/* That of what a location does next. */
static uint32_t section_at(const struct quipu__schedule *schedule, uint32_t location) {
    return location < schedule->locations.count ? schedule->locations.items[location].section : 0;
}

/* ---- Marks ---- */

static uint32_t new_mark(struct quipu__schedule *schedule, int64_t traced, uint32_t section) {
    uint32_t number;
    NEW_SLOT(schedule, marks, unused_mark, first_waiting, number);
    if (number != QUIPU_NONE)
        schedule->marks.items[number] = (struct quipu__schedule_mark){
            .traced = traced, .references = 1, .first_waiting = QUIPU_NONE, .section = section};
    return number;
}

/* Publishes at once where a location has nothing else to do before, and no listener is told. */
static void publish_now(struct quipu__schedule_location *location, struct quipu__schedule_mark *mark) {
    mark->time = location->position = quipu__bounded_sum(location->position, location->postponed);
    mark->is_published = true;
    location->postponed = 0;
}

uint32_t quipu__schedule_publish(struct quipu__schedule *schedule, uint32_t location, int64_t traced,
                                 bool begins_call) {
    const uint32_t number = new_mark(schedule, traced, section_at(schedule, location));
    const bool tells = begins_call || schedule->carrier || schedule->listener || schedule->shifts;
    if (!tells && number != QUIPU_NONE && location < schedule->locations.count &&
        schedule->locations.items[location].first == QUIPU_NONE) {
        publish_now(&schedule->locations.items[location], &schedule->marks.items[number]);
        return number;
    }
    const struct quipu__schedule_action action = {
        .kind = QUIPU__SCHEDULE_PUBLISH, .number = number, .is_edge = begins_call};
    if (number != QUIPU_NONE)
        add_action(schedule, location, action);
    return number;
}

uint32_t quipu__schedule_mark(struct quipu__schedule *schedule) {
    return new_mark(schedule, 0, 0);
}

void quipu__schedule_set_mark(struct quipu__schedule *schedule, uint32_t mark, int64_t time) {
    if (mark != QUIPU_NONE)
        publish(schedule, mark, time);
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
        schedule->conditions.items[number] =
            (struct quipu__schedule_condition){.latest = INT64_MIN,
                                               .traced = INT64_MIN,
                                               .location = location,
                                               .section = section_at(schedule, location)};
    return number;
}

/* One where no location waits, which misses what closes it. */
static uint32_t new_standing(struct quipu__schedule *schedule, enum quipu__schedule_then then,
                             uint32_t number) {
    const uint32_t condition = quipu__schedule_condition(schedule, QUIPU_NONE);
    if (condition == QUIPU_NONE)
        return condition;
    schedule->conditions.items[condition].then = (uint8_t)then;
    schedule->conditions.items[condition].number = number;
    schedule->conditions.items[condition].missing = schedule->conditions.items[condition].unknown = 1;
    return condition;
}

uint32_t quipu__schedule_join(struct quipu__schedule *schedule, uint32_t section, uint32_t *mark) {
    *mark = new_mark(schedule, 0, section);
    const uint32_t condition =
        *mark == QUIPU_NONE ? QUIPU_NONE : new_standing(schedule, QUIPU__THEN_PUBLISH, *mark);
    if (condition != QUIPU_NONE)
        schedule->conditions.items[condition].section = section;
    return condition;
}

uint32_t quipu__schedule_answer(struct quipu__schedule *schedule, uint32_t message) {
    return new_standing(schedule, QUIPU__THEN_ANSWER, message);
}

void quipu__schedule_await(struct quipu__schedule *schedule, uint32_t condition, uint32_t events,
                           int64_t traced) {
    if (condition == QUIPU_NONE)
        return;
    const struct quipu__schedule_action action = {
        .kind = QUIPU__SCHEDULE_AWAIT, .number = condition, .events = events, .traced = traced};
    add_action(schedule, schedule->conditions.items[condition].location, action);
}

void quipu__schedule_end_call(struct quipu__schedule *schedule, uint32_t location, uint32_t condition,
                              uint32_t first_events, uint32_t events, int64_t traced) {
    const struct quipu__schedule_action action = {.kind = QUIPU__SCHEDULE_AWAIT,
                                                  .number = condition,
                                                  .first_events = first_events,
                                                  .events = events,
                                                  .traced = traced,
                                                  .is_edge = true};
    add_action(schedule, location, action);
}

void quipu__schedule_add_rest(struct quipu__schedule *schedule, uint32_t condition, int64_t enter,
                              int64_t leave) {
    if (condition == QUIPU_NONE)
        return;
    schedule->conditions.items[condition].behind = QUIPU__BEHIND_REST;
    schedule->conditions.items[condition].enter = enter;
    schedule->conditions.items[condition].leave = leave;
}

void quipu__schedule_add_behind(struct quipu__schedule *schedule, uint32_t condition,
                                enum quipu__schedule_behind behind, uint64_t amount) {
    if (condition == QUIPU_NONE)
        return;
    schedule->conditions.items[condition].behind = (uint8_t)behind;
    schedule->conditions.items[condition].amount = amount;
}

void quipu__schedule_close(struct quipu__schedule *schedule, uint32_t condition) {
    if (condition == QUIPU_NONE)
        return;
    schedule->conditions.items[condition].unknown--;
    fulfil(schedule, condition);
    go_on(schedule);
}

void quipu__schedule_close_at(struct quipu__schedule *schedule, uint32_t condition, int64_t time) {
    if (condition != QUIPU_NONE && time > schedule->conditions.items[condition].latest)
        schedule->conditions.items[condition].latest = time;
    quipu__schedule_close(schedule, condition);
}

void quipu__schedule_give_up(struct quipu__schedule *schedule, uint32_t condition) {
    if (condition != QUIPU_NONE)
        forget_condition(schedule, condition);
}

void quipu__schedule_depend(struct quipu__schedule *schedule, uint32_t condition, uint32_t mark,
                            int64_t distance) {
    uint32_t link;
    if (condition == QUIPU_NONE || mark == QUIPU_NONE ||
        schedule->marks.items[mark].section != schedule->conditions.items[condition].section)
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
