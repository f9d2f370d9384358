/* balance.h: what a replay needs to give each location the mean time of a region: how long each is in it.
 *
 * The time of a location is that outside of communication calls in which the region is the innermost one, as far as it is replayed. The mean is that of the
 * locations that are in the region at all; others stay without it. Each burst in the region takes so many times longer or shorter that all of them
 * together take the mean, but for rounding: each burst is rounded once.
 */
#ifndef QUIPU_ANALYSIS_REPLAY_BALANCE_H
#define QUIPU_ANALYSIS_REPLAY_BALANCE_H

#include "analysis/replay/network_replay.h"

struct quipu__balance {
    struct quipu__memory *memory;
    const struct quipu_definitions *definitions;
    const char *name;  /* of the region; NULL: nothing is balanced */
    bool is_measuring; /* the reading that finds the times */
    struct quipu__communication calls;
    struct quipu__path_uses paths;
    struct quipu__reported reported;
    QUIPU__VEC(int64_t) totals;                /* by location */
    QUIPU__VEC(struct quipu__decimal) factors; /* by location; denominator 0: it is not in the region */
};

/* QUIPU_MISUSE when no region has the name. Release in any case. */
enum quipu_status quipu__balance_init(struct quipu__balance *balance, struct quipu__memory *memory,
                                      const struct quipu__fold_start *start, struct quipu_error *err);
void quipu__balance_release(struct quipu__balance *balance);

/* Takes in a batch of the first reading. False when memory is out. */
QUIPU_CHECKED bool quipu__balance_consume(struct quipu__balance *balance, const struct quipu_batch *batch);

/* The first reading is over: finds the factors. False when memory is out. */
QUIPU_CHECKED bool quipu__balance_find(struct quipu__balance *balance);

/* From here on bursts are balanced. */
void quipu__balance_set(const struct quipu__balance *balance, struct quipu__bursts *bursts);

#endif
