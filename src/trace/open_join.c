/* open_join.c: what followers of different substreams know together.
 *
 * Joining only collects strands. Settling makes up for what each of them could not see, and looks only at locations that
 * have several strands and processes that have several locations. What comes before what is the order of merged events:
 * time, location, stream.
 */
#include "trace/open.h"

#include "model/event.h"

#include <stdlib.h>

bool quipu__follower_join(struct quipu__follower *follower, const struct quipu__follower *other) {
    if (other->last > follower->last)
        follower->last = other->last;
    for (size_t i = 0; i < other->strands.count; i++) {
        const struct quipu__strand *from = &other->strands.items[i];
        const uint32_t strand = quipu__strand_at(follower, from->location, from->stream);
        if (strand == QUIPU_NONE)
            return false;
        for (uint32_t list = 0; list < QUIPU__BEGUN_LISTS; list++)
            for (uint32_t at = from->lists[list].oldest; at != QUIPU_NONE; at = other->things.items[at].newer) {
                struct quipu__begun thing = other->things.items[at];
                thing.strand = strand;
                if (!quipu__begun_add(follower, &thing))
                    return false;
            }
    }
    return !follower->has_messages || quipu__pending_join(&follower->pending, &other->pending);
}

/* ---- Strands of one process ---- */

struct member {
    uint32_t process, location, stream, strand;
};

static int by_process(const void *a, const void *b) {
    const struct member *x = a, *y = b;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    return (x->strand > y->strand) - (x->strand < y->strand);
}

static bool comes_before(const struct quipu__follower *follower, const struct quipu__begun *a,
                         const struct quipu__begun *b) {
    const struct quipu__strand *x = &follower->strands.items[a->strand],
                               *y = &follower->strands.items[b->strand];
    if (a->time != b->time)
        return a->time < b->time;
    return x->location != y->location ? x->location < y->location : x->stream < y->stream;
}

/* Ends, or forgets, in another strand what is older than this: an end that had nothing to end, or a later value. */
static void settle_thing(struct quipu__follower *follower, const struct quipu__begun *thing, uint32_t strand) {
    const enum quipu__begun_class class_of = quipu__list_class(thing->list);
    uint32_t number;
    while ((number = quipu__begun_find(follower, thing, strand, class_of)) != QUIPU_NONE &&
           comes_before(follower, &follower->things.items[number], thing))
        quipu__begun_close(follower, number);
}

static bool is_settled_by(uint32_t list, const struct member *own, const struct member *other) {
    switch (quipu__begun_rows[quipu__list_class(list)].discipline) {
    case QUIPU__BEGUN_STACK:
        return quipu__list_has_ends(list) && own->location == other->location;
    case QUIPU__BEGUN_KEYED:
        return quipu__list_has_ends(list);
    case QUIPU__BEGUN_VALUE:
        return own->location == other->location;
    }
    return false;
}

/* Lets what one strand knows take effect in another one. */
static void settle_pair(struct quipu__follower *follower, const struct member *own,
                        const struct member *other) {
    for (uint32_t list = 0; list < QUIPU__BEGUN_LISTS; list++) {
        if (!is_settled_by(list, own, other))
            continue;
        uint32_t at = follower->strands.items[own->strand].lists[list].oldest;
        for (; at != QUIPU_NONE; at = follower->things.items[at].newer) {
            const struct quipu__begun thing = follower->things.items[at];
            settle_thing(follower, &thing, other->strand);
        }
    }
}

static void settle_process(struct quipu__follower *follower, const struct member *members, size_t count) {
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++)
            if (i != k)
                settle_pair(follower, &members[i], &members[k]);
}

bool quipu__follower_settle(struct quipu__follower *follower) {
    const size_t count = follower->strands.count;
    if (follower->has_messages && !quipu__pending_settle(&follower->pending, follower->definitions))
        return false;
    if (count < 2)
        return true;
    struct member *members = quipu__alloc(follower->memory, count * sizeof *members);
    if (!members)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const struct quipu__strand *strand = &follower->strands.items[i];
        members[i] = (struct member){quipu__process_of(follower->definitions, strand->location),
                                     strand->location, strand->stream, i};
    }
    qsort(members, count, sizeof *members, by_process);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && members[end].process == members[first].process; end++) {
        }
        settle_process(follower, members + first, end - first);
    }
    quipu__release(follower->memory, members, count * sizeof *members);
    return true;
}
