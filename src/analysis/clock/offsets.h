/* offsets.h: how clocks of locations differ, from the shortest messages in both directions. */
#ifndef QUIPU_ANALYSIS_CLOCK_OFFSETS_H
#define QUIPU_ANALYSIS_CLOCK_OFFSETS_H

#include "analysis/clock/hull.h"
#include "core/memory/map.h"

/* Messages from one location to another one. */
struct quipu__clock_pair {
    uint32_t sender, receiver;
    uint64_t messages, violations;
    int64_t worst; /* largest violation, ns */
    int64_t least; /* least time from send to receive beyond the least that a message takes */
    struct quipu__clock_hull
        hull; /* that time over the time of the send; of no points unless lines are wanted */
};

struct quipu__clock_pairs {
    struct quipu__memory *memory;
    QUIPU__VEC(struct quipu__clock_pair) list; /* sorted by sender and receiver once offsets are made */
    struct quipu__map number_of;
};

/* What is to be added to the clock of a location. */
struct quipu__clock_offset {
    int64_t doubled; /* twice the offset: middles of corridors may be halves */
    int64_t corridor;
    int64_t own_doubled, own_corridor; /* the same against the location that the search came from */
    uint32_t parent;                   /* that one; QUIPU_NONE for the first */
    bool is_known;
    bool is_contradicted; /* messages contradict each other on the way there: then it has no corridor */
};

static inline void quipu__clock_pairs_init(struct quipu__clock_pairs *pairs, struct quipu__memory *memory) {
    *pairs = (struct quipu__clock_pairs){.memory = memory};
    quipu__map_init(&pairs->number_of, memory);
}
static inline void quipu__clock_pairs_release(struct quipu__clock_pairs *pairs) {
    for (size_t i = 0; i < pairs->list.count; i++)
        QUIPU__VEC_RELEASE(pairs->memory, &pairs->list.items[i].hull.points);
    QUIPU__VEC_RELEASE(pairs->memory, &pairs->list);
    quipu__map_release(&pairs->number_of);
}

/* The pair of two locations, once they are sorted; NULL when there is none. */
struct quipu__clock_pair *quipu__clock_pair_find(const struct quipu__clock_pairs *pairs, uint32_t sender,
                                                 uint32_t receiver);

/* Adds a message by how much longer it takes than the least that a message does; returns the pair of its locations, NULL when memory is
 * out. */
struct quipu__clock_pair *quipu__clock_pairs_add(struct quipu__clock_pairs *pairs, uint32_t sender,
                                                 uint32_t receiver, int64_t slack);

/* Finds the offsets of count locations against the one that is called first. Leads from location to location over the narrowest
 * corridors. False when memory is out. */
QUIPU_CHECKED bool quipu__clock_offsets_find(struct quipu__clock_pairs *pairs, uint32_t first,
                                             struct quipu__clock_offset *offsets, size_t count);

/* By how much the clocks of two locations may be off against each other, on the way between them over the corridors that were found; below 0
 * where messages contradict each other there; 0 when nothing is known. */
int64_t quipu__clock_corridor(const struct quipu__clock_offset *offsets, size_t count, uint32_t a, uint32_t b);

/* The offset in ns, rounded down; 0 when it is not known. */
static inline int64_t quipu__clock_offset_ns(const struct quipu__clock_offset *offset) {
    return offset->is_known ? offset->doubled / 2 - (offset->doubled % 2 < 0) : 0;
}

#endif
