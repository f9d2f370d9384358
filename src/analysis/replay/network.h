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

struct quipu__network;
struct quipu__messages;

/* What a network does with messages and collective operations. Without functions it takes no time of its own: calls wait for what they depend on. */
struct quipu__network_model {
    const char *name;
    const char *const *
        options; /* those that mean something to some networks only, and do to this one; NULL behind the last */
    bool is_measured; /* calls take besides what they took in the trace */

    enum quipu_status (*take_options)(const struct quipu__settings *settings, struct quipu__network *network,
                                      struct quipu_error *err);

    /* A step of a collective operation that moves bytes, ns. */
    int64_t (*step)(const struct quipu__network *network, uint64_t bytes);

    /* A message of so many bytes, itself or its request, is sent at a time: when its sender is free again, and from when on (*out) it has
     * arrived, or, where there are transfers, can be transferred. */
    int64_t (*send)(struct quipu__messages *messages, uint32_t message, uint64_t bytes, int64_t time,
                    int64_t *out);

    /* How long the answer takes back to the sender of a message that asks first. */
    int64_t (*answer)(const struct quipu__network *network);

    /* The data of a message may leave: it arrives, or is transferred; the latter ends; NULL: there are no transfers. */
    void (*leave)(struct quipu__messages *messages, uint32_t message, int64_t time);
    void (*transferred)(struct quipu__messages *messages, uint32_t message, int64_t time);

    /* When a location has received a message that is there. */
    int64_t (*receive)(struct quipu__messages *messages, uint32_t location, uint64_t bytes, int64_t time);
};

extern const struct quipu__network_model quipu__ideal_network, quipu__loggops_network, quipu__dimemas_network;

struct quipu__network {
    const struct quipu__network_model *model;
    int64_t latency;
    uint64_t eager; /* larger messages wait for their receive */

    int64_t overhead, gap; /* loggops */
    struct quipu__decimal gap_per_byte, overhead_per_byte;

    uint64_t bandwidth, intra_bandwidth; /* dimemas: bytes per second; intra: within a node */
    int64_t intra_latency;
    uint32_t links, buses; /* links of a node in each direction; 0: any number */

    struct quipu__collective_cost costs[QUIPU_COLLECTIVE_COUNT];
};

/* Whether it says what messages take. */
static inline bool quipu__network_is_modelled(const struct quipu__network *network) {
    return network->model->send != NULL;
}

/* What the options of replay say. QUIPU_MISUSE for values that are none. */
enum quipu_status quipu__network_of(const struct quipu__settings *settings, struct quipu__network *out,
                                    struct quipu_error *err);

/* Whether an option of replay means something with a network. */
bool quipu__network_takes(const struct quipu__network *network, const char *option);

/* For models: the value of an option, *out unless it is given. QUIPU_MISUSE for what is none, or more than most. */
enum quipu_status quipu__network_number(const struct quipu__settings *settings, const char *name, uint64_t most,
                                        uint64_t *out, struct quipu_error *err);
enum quipu_status quipu__network_time(const struct quipu__settings *settings, const char *name, int64_t *out,
                                      struct quipu_error *err);
enum quipu_status quipu__network_decimal(const struct quipu__settings *settings, const char *name,
                                         struct quipu__decimal *out, struct quipu_error *err);

/* A decimal number such as 0.5 or 2 with at most 12 digits, 6 of them behind the point; false for what is none. */
QUIPU_CHECKED bool quipu__parse_decimal(const char *text, size_t len, struct quipu__decimal *out);

/* A count times a decimal, rounded half up; and divided by a number per second, as ns. */
int64_t quipu__multiplied(uint64_t count, const struct quipu__decimal *factor);
int64_t quipu__transfer_time(uint64_t bytes, uint64_t bandwidth);

/* What the phases of a collective operation take. bytes: the total and the largest of those that each participant sends. */
int64_t quipu__collective_time(const struct quipu__network *network, uint32_t operation, uint32_t participants,
                               uint64_t total, uint64_t largest);

#endif
