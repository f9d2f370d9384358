/* reconcile.c: what trackers of different substreams know together.
 *
 * Joining only collects states. Settling makes up for what each of them could not see, and looks only at locations that
 * have several states and processes that have several locations. What comes before what is the order of merged events:
 * time, location, stream.
 */
#include "state/tracker.h"

#include "model/event.h"

#include <stdlib.h>

bool quipu__tracker_join(struct quipu__tracker *tracker, const struct quipu__tracker *other) {
    if (other->last > tracker->last)
        tracker->last = other->last;
    for (size_t i = 0; i < other->states.count; i++) {
        const struct quipu__location_state *from = &other->states.items[i];
        const uint32_t state = quipu__tracker_locate(tracker, from->location, from->stream);
        if (state == QUIPU_NONE)
            return false;
        for (uint32_t list = 0; list < QUIPU__INTERVAL_LISTS; list++)
            for (uint32_t at = from->lists[list].oldest; at != QUIPU_NONE;
                 at = other->intervals.items[at].newer) {
                struct quipu__interval interval = other->intervals.items[at];
                interval.state = state;
                if (!quipu__tracker_add(tracker, &interval))
                    return false;
            }
    }
    return !tracker->has_messages || quipu__matcher_join(&tracker->matcher, &other->matcher);
}

/* ---- Strands of one process ---- */

struct member {
    uint32_t process, location, stream, state;
};

static int by_process(const void *a, const void *b) {
    const struct member *x = a, *y = b;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    return (x->state > y->state) - (x->state < y->state);
}

static bool comes_before(const struct quipu__tracker *tracker, const struct quipu__interval *a,
                         const struct quipu__interval *b) {
    const struct quipu__location_state *x = &tracker->states.items[a->state],
                                       *y = &tracker->states.items[b->state];
    if (a->time != b->time)
        return a->time < b->time;
    return x->location != y->location ? x->location < y->location : x->stream < y->stream;
}

/* Ends, or forgets, in another state what is older than this: an end that had nothing to end, or a later value. */
static void settle_thing(struct quipu__tracker *tracker, const struct quipu__interval *interval,
                         uint32_t state) {
    const enum quipu__interval_class interval_class = quipu__list_class(interval->list);
    uint32_t number;
    while ((number = quipu__tracker_find(tracker, interval, state, interval_class)) != QUIPU_NONE &&
           comes_before(tracker, &tracker->intervals.items[number], interval))
        quipu__tracker_end(tracker, number);
}

static bool is_settled_by(uint32_t list, const struct member *own, const struct member *other) {
    switch (quipu__interval_rows[quipu__list_class(list)].discipline) {
    case QUIPU__DISCIPLINE_STACK:
        return quipu__list_has_ends(list) && own->location == other->location;
    case QUIPU__DISCIPLINE_KEYED:
        return quipu__list_has_ends(list);
    case QUIPU__DISCIPLINE_VALUE:
        return own->location == other->location;
    }
    return false;
}

/* Lets what one state knows take effect in another one. */
static void settle_pair(struct quipu__tracker *tracker, const struct member *own, const struct member *other) {
    for (uint32_t list = 0; list < QUIPU__INTERVAL_LISTS; list++) {
        if (!is_settled_by(list, own, other))
            continue;
        uint32_t at = tracker->states.items[own->state].lists[list].oldest;
        for (; at != QUIPU_NONE; at = tracker->intervals.items[at].newer) {
            const struct quipu__interval interval = tracker->intervals.items[at];
            settle_thing(tracker, &interval, other->state);
        }
    }
}

static void settle_process(struct quipu__tracker *tracker, const struct member *members, size_t count) {
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++)
            if (i != k)
                settle_pair(tracker, &members[i], &members[k]);
}

bool quipu__tracker_reconcile(struct quipu__tracker *tracker) {
    const size_t count = tracker->states.count;
    if (tracker->has_messages && !quipu__matcher_reconcile(&tracker->matcher, tracker->definitions))
        return false;
    if (count < 2)
        return true;
    struct member *members = quipu__alloc(tracker->memory, count * sizeof *members);
    if (!members)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const struct quipu__location_state *state = &tracker->states.items[i];
        members[i] = (struct member){quipu__process_of(tracker->definitions, state->location), state->location,
                                     state->stream, i};
    }
    qsort(members, count, sizeof *members, by_process);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && members[end].process == members[first].process; end++) {
        }
        settle_process(tracker, members + first, end - first);
    }
    quipu__release(tracker->memory, members, count * sizeof *members);
    return true;
}
