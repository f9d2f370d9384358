/* bursts.h: how long the time between communication calls takes in a replay: with processors that are faster or slower, or with a region that
 * is. A burst is the time that a location spends in one call without a break; each is rounded once. */
#ifndef QUIPU_ANALYSIS_REPLAY_BURSTS_H
#define QUIPU_ANALYSIS_REPLAY_BURSTS_H

#include "analysis/replay/network.h"
#include "core/memory/vec.h"
#include "state/communication.h"

struct quipu__bursts {
    struct quipu__memory *memory;
    bool are_measured; /* all take what they took */
    struct quipu__decimal factor;
    QUIPU__VEC(struct quipu__decimal) of_regions; /* denominator 0: the factor of all */
    QUIPU__VEC(int64_t) from;                     /* by location: when the burst began in the trace */
};

/* What --cpu-factor and --region say. Release in any case. */
enum quipu_status quipu__bursts_init(struct quipu__bursts *bursts, struct quipu__memory *memory,
                                     const struct quipu_definitions *definitions,
                                     const struct quipu__settings *settings, struct quipu_error *err);
void quipu__bursts_release(struct quipu__bursts *bursts);

/* An event has been seen: calls that begin and end separate bursts. */
void quipu__bursts_add(struct quipu__bursts *bursts, uint32_t location, uint8_t kind, int64_t time);

/* How long that part of a burst takes. */
int64_t quipu__burst_time(const struct quipu__bursts *bursts, uint32_t location, uint32_t region, int64_t from,
                          int64_t to);

#endif
