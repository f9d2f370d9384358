/* tournament.h: which of many sources comes first, by (time, location, source): a tree of losers, for k-way merges.
 *
 *              first                      The leaves are the sources. Every node keeps the loser of the match
 *                |                        between its two sides and sends the winner up. When the first source
 *             loser 1                     has moved on, its new key plays only against the losers between its
 *            /       \                    leaf and the top: log2(sources) comparisons, none of them a branch,
 *       loser 2     loser 3               since in a merge the results cannot be predicted.
 *        /   \       /   \
 *       0     1     2     3
 */
#ifndef QUIPU_CORE_MEMORY_TOURNAMENT_H
#define QUIPU_CORE_MEMORY_TOURNAMENT_H

#include "core/memory/memory.h"
#include "core/os.h"

struct quipu__contender {
    int64_t time;
    uint64_t tie; /* location in the upper half, source in the lower */
};

struct quipu__tournament {
    struct quipu__memory *memory;
    struct quipu__contender *nodes; /* nodes[0] is the first of all, nodes[1] the loser at the top */
    uint32_t leaves;                /* a power of two */
    uint32_t count;                 /* of the sources */
    uint32_t left;                  /* sources that have not ended */
};

/* A tournament of count sources, none of which has a key yet: each of them must then enter, in any order. */
enum quipu_status quipu__tournament_init(struct quipu__tournament *tournament, struct quipu__memory *memory,
                                         uint32_t count, struct quipu_error *err);
void quipu__tournament_release(struct quipu__tournament *tournament);

/* Forgets all keys, after which every source must enter, or play as one that has ended. */
void quipu__tournament_clear(struct quipu__tournament *tournament);

static inline uint32_t quipu__contender_source(const struct quipu__contender *contender) {
    return (uint32_t)contender->tie;
}

/* The key of a source that has ended comes after all others, that of one that has not entered before them: no
 * event has the first tick of all, see quipu__tournament_enter. */
#define QUIPU__CONTENDER_ENDED                                                                                 \
    (struct quipu__contender) {                                                                                \
        INT64_MAX, UINT64_MAX                                                                                  \
    }
#define QUIPU__CONTENDER_ABSENT                                                                                \
    (struct quipu__contender) {                                                                                \
        INT64_MIN, 0                                                                                           \
    }

QUIPU__INLINE bool quipu__contender_precedes(const struct quipu__contender *a,
                                             const struct quipu__contender *b) {
    return (a->time < b->time) | ((a->time == b->time) & (a->tie < b->tie));
}

/* Lets a source play with its new key on the way from its leaf to the top; returns the first of all. */
QUIPU__INLINE struct quipu__contender quipu__tournament_play(struct quipu__tournament *tournament,
                                                             uint32_t source, struct quipu__contender up) {
    struct quipu__contender *nodes = tournament->nodes;
    for (uint32_t n = (tournament->leaves + source) / 2; n > 0; n /= 2) {
        const struct quipu__contender here = nodes[n];
        const bool is_earlier = QUIPU__UNLIKELY(here.time == up.time) ? here.tie < up.tie : here.time < up.time;
        const uint64_t swaps = 0 - (uint64_t)is_earlier;
        const uint64_t time = ((uint64_t)here.time ^ (uint64_t)up.time) & swaps;
        const uint64_t tie = (here.tie ^ up.tie) & swaps;
        nodes[n].time = (int64_t)((uint64_t)here.time ^ time);
        nodes[n].tie = here.tie ^ tie;
        up.time = (int64_t)((uint64_t)up.time ^ time);
        up.tie ^= tie;
    }
    nodes[0] = up;
    return up;
}

/* Gives a source its key: at the beginning, and for the first source whenever it has moved on. */
QUIPU__INLINE struct quipu__contender quipu__tournament_enter(struct quipu__tournament *tournament,
                                                              uint32_t source, int64_t time,
                                                              uint32_t location) {
    const struct quipu__contender key = {time > INT64_MIN ? time : INT64_MIN + 1,
                                         (uint64_t)location << 32 | source};
    return quipu__tournament_play(tournament, source, key);
}

/* Says that a source has nothing (more). */
void quipu__tournament_leave(struct quipu__tournament *tournament, uint32_t source);

/* The key that comes right after that of the first source. */
struct quipu__contender quipu__tournament_second(const struct quipu__tournament *tournament);

#endif
