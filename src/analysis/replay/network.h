/* network.h: the networks that a replay can model, and what they take. Times are ns. */
#ifndef QUIPU_ANALYSIS_REPLAY_NETWORK_H
#define QUIPU_ANALYSIS_REPLAY_NETWORK_H

#include "analysis/shared/fold.h"

/* How many steps a phase of a collective operation takes. */
enum quipu__phase_steps { QUIPU__STEPS_NONE, QUIPU__STEPS_ONE, QUIPU__STEPS_LOG, QUIPU__STEPS_LINEAR };

/* Which bytes of the participants a phase moves. */
enum quipu__phase_size { QUIPU__SIZE_NONE, QUIPU__SIZE_MAX, QUIPU__SIZE_MEAN, QUIPU__SIZE_TOTAL };

struct quipu__collective_cost {
    uint8_t in, out; /* enum quipu__phase_steps */
    uint8_t size;    /* enum quipu__phase_size */
};

/* A number with at most six decimals. */
struct quipu__decimal {
    uint64_t numerator, denominator;
};

enum quipu__network_kind {
    QUIPU__NETWORK_MEASURED,
    QUIPU__NETWORK_IDEAL,
    QUIPU__NETWORK_LOGGOPS,
    QUIPU__NETWORK_DIMEMAS
};

struct quipu__network {
    enum quipu__network_kind kind;
    int64_t latency;
    uint64_t eager; /* larger messages wait for their receive */

    int64_t overhead, gap; /* loggops */
    struct quipu__decimal gap_per_byte, overhead_per_byte;

    uint64_t bandwidth, intra_bandwidth; /* dimemas: bytes per second; intra: within a node */
    int64_t intra_latency;
    uint32_t links, buses; /* links of a node in each direction; 0: any number */

    struct quipu__collective_cost costs[QUIPU_COLLECTIVE_COUNT];
};

/* What the options of replay say. QUIPU_MISUSE for values that are none. */
enum quipu_status quipu__network_of(const struct quipu__settings *settings, struct quipu__network *out,
                                    struct quipu_error *err);

/* Whether an option of replay means something with a network. */
bool quipu__network_takes(enum quipu__network_kind kind, const char *option);

/* A decimal number such as 0.5 or 2 with at most 12 digits, 6 of them behind the point; false for what is none. */
QUIPU_CHECKED bool quipu__parse_decimal(const char *text, size_t len, struct quipu__decimal *out);

/* A count times a decimal, rounded half up. */
int64_t quipu__multiplied(uint64_t count, const struct quipu__decimal *factor);

/* What the phases of a collective operation take. bytes: the total and the largest of those that each participant sends. */
int64_t quipu__collective_time(const struct quipu__network *network, uint32_t operation, uint32_t participants,
                               uint64_t total, uint64_t largest);

/* The time that so many bytes take on a link. */
int64_t quipu__transfer_time(uint64_t bytes, uint64_t bandwidth);

#endif
