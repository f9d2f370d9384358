/* sensitivity.h: by how much the run time of a replay grows with the network's latency and with its time per byte: simulations with each
 * 1 % larger and 1 % smaller run beside the replay, over the same events. */
#ifndef QUIPU_ANALYSIS_REPLAY_SENSITIVITY_H
#define QUIPU_ANALYSIS_REPLAY_SENSITIVITY_H

#include "analysis/shared/cells.h"
#include "analysis/replay/simulated_replay.h"

enum quipu__network_parameter { QUIPU__PARAMETER_LATENCY, QUIPU__PARAMETER_BYTE, QUIPU__NETWORK_PARAMETERS };

struct quipu__sensitivity {
    struct quipu__simulated_replay
        *replays[QUIPU__NETWORK_PARAMETERS][2]; /* smaller, larger; NULL: the parameter is 0 */

    /* A difference in run time times factor / divisor is its derivative in millionths. */
    uint64_t factor[QUIPU__NETWORK_PARAMETERS], divisor[QUIPU__NETWORK_PARAMETERS];
};

/* Release in any case. */
enum quipu_status quipu__sensitivity_begin(struct quipu__sensitivity *sensitivity,
                                           const struct quipu__fold_start *start,
                                           const struct quipu__network *network, struct quipu_error *err);
void quipu__sensitivity_release(struct quipu__sensitivity *sensitivity);
enum quipu_status quipu__sensitivity_consume(struct quipu__sensitivity *sensitivity,
                                             const struct quipu_batch *batch, struct quipu_error *err);

/* Ends the simulations and puts a cell per parameter; null where there is no answer. */
void quipu__sensitivity_put(struct quipu__sensitivity *sensitivity, struct quipu__cells *cells);

#endif
