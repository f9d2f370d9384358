/* reconcile.c: combines what trackers of different substreams know.
 *
 * Joining only collects location states. Reconciling accounts for what each of them could not see, and examines only locations
 * with several states and processes with several locations. The order is that of merged events: time, location, stream.
 */
#include "state/slots.h"

#include "model/event.h"

#include <stdlib.h>

static bool join_list(struct quipu__tracker *tracker, uint32_t state, const struct quipu__tracker *other,
                      const struct quipu__interval_list *list) {
    for (uint32_t number = list->oldest; number != QUIPU_NONE;
         number = quipu__interval_at(other, number)->newer) {
        struct quipu__interval interval = *quipu__interval_at(other, number);
        interval.state = state;
        if (!quipu__slot_put(tracker, &interval,
                             quipu__interval_payload(other, quipu__interval_at(other, number)),
                             interval.payload_bytes))
            return false;
    }
    return true;
}

bool quipu__tracker_join_state(struct quipu__tracker *tracker, const struct quipu__tracker *other,
                               uint32_t other_state, uint32_t stream) {
    const struct quipu__location_state *from = &other->states.items[other_state];
    const uint32_t state = quipu__tracker_locate(tracker, from->location, stream);
    for (uint32_t list = 0; state != QUIPU_NONE && list < QUIPU__INTERVAL_LISTS; list++)
        if (!join_list(tracker, state, other, &from->lists[list]))
            return false;
    return state != QUIPU_NONE;
}

bool quipu__tracker_join(struct quipu__tracker *tracker, const struct quipu__tracker *other) {
    if (other->last > tracker->last)
        tracker->last = other->last;
    for (uint32_t i = 0; i < other->states.count; i++)
        if (!quipu__tracker_join_state(tracker, other, i, other->states.items[i].stream))
            return false;
    return !tracker->options.has_messages || quipu__matcher_join(&tracker->matcher, &other->matcher);
}

/* ---- States of one process ---- */

struct member {
    uint32_t process, location, stream, state;
};

/* Not by the numbers of states, which depend on who has read what. */
static int by_process(const void *a, const void *b) {
    const struct member *x = a, *y = b;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    if (x->location != y->location)
        return x->location < y->location ? -1 : 1;
    return (x->stream > y->stream) - (x->stream < y->stream);
}

static bool comes_before(const struct quipu__tracker *tracker, const struct quipu__interval *a,
                         const struct quipu__interval *b) {
    const struct quipu__location_state *x = &tracker->states.items[a->state],
                                       *y = &tracker->states.items[b->state];
    if (a->time != b->time)
        return a->time < b->time;
    return x->location != y->location ? x->location < y->location : x->stream < y->stream;
}

/* Ends, or forgets, what is older in another state than this unmatched end or later value. */
static void reconcile_interval(struct quipu__tracker *tracker, const struct quipu__interval *interval,
                               uint32_t state) {
    struct quipu__transition transition = {.interval_class = quipu__list_class(interval->list),
                                           .key_form = interval->key_form};
    memcpy(transition.key, interval->key, sizeof transition.key);
    uint32_t number;
    while ((number = quipu__tracker_find(tracker, state, &transition)) != QUIPU_NONE &&
           comes_before(tracker, quipu__interval_at(tracker, number), interval))
        quipu__tracker_end(tracker, number);
}

static bool is_reconciled_by(const struct quipu__tracker *tracker, uint32_t list, const struct member *own,
                             const struct member *other) {
    switch (quipu__list_discipline(tracker, list)) {
    case QUIPU__DISCIPLINE_STACK:
        return quipu__list_has_ends(list) && own->location == other->location;
    case QUIPU__DISCIPLINE_KEYED:
        return quipu__list_has_ends(list);
    case QUIPU__DISCIPLINE_VALUE:
        return own->location == other->location;
    case QUIPU__DISCIPLINE_QUEUE:
    case QUIPU__DISCIPLINE_COUNT:
        break;
    }
    return false;
}

/* Applies what one state knows to another one. */
static void reconcile_pair(struct quipu__tracker *tracker, const struct member *own,
                           const struct member *other) {
    for (uint32_t list = 0; list < QUIPU__INTERVAL_LISTS; list++) {
        if (!is_reconciled_by(tracker, list, own, other))
            continue;
        uint32_t number = tracker->states.items[own->state].lists[list].oldest;
        for (; number != QUIPU_NONE; number = quipu__interval_at(tracker, number)->newer) {
            const struct quipu__interval interval = *quipu__interval_at(tracker, number);
            reconcile_interval(tracker, &interval, other->state);
        }
    }
}

static void reconcile_process(struct quipu__tracker *tracker, const struct member *members, size_t count) {
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++)
            if (i != k)
                reconcile_pair(tracker, &members[i], &members[k]);
}

bool quipu__tracker_reconcile(struct quipu__tracker *tracker) {
    const size_t count = tracker->states.count;
    if (tracker->options.has_messages && !quipu__matcher_reconcile(&tracker->matcher))
        return false;
    if (count < 2)
        return true;
    struct member *members = quipu__alloc(tracker->memory, count * sizeof *members);
    if (!members)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const struct quipu__location_state *state = &tracker->states.items[i];
        members[i] = (struct member){quipu__process_of(tracker->options.definitions, state->location),
                                     state->location, state->stream, i};
    }
    qsort(members, count, sizeof *members, by_process);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && members[end].process == members[first].process; end++) {
        }
        reconcile_process(tracker, members + first, end - first);
    }
    quipu__release(tracker->memory, members, count * sizeof *members);
    return true;
}
