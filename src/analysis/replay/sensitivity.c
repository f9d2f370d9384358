/* sensitivity.c: see sensitivity.h. */
#include "analysis/replay/sensitivity.h"

#include "core/scale.h"

enum { SMALLER, LARGER, SIDES, PERCENT = 100, MILLION = 1000000 };

/* ---- Other networks ---- */

static bool is_given(const struct quipu__fold_start *start, const char *option) {
    return quipu__settings_value(&start->settings, option) != NULL;
}

/* A hundredth, but no less than what a latency can differ by. */
static int64_t latency_step(int64_t latency) {
    const int64_t hundredth = quipu__divide_rounded(latency, PERCENT);
    return hundredth > 0 ? hundredth : 1;
}

/* Without a latency of its own a node has that between nodes. */
static void change_latency(const struct quipu__fold_start *start, struct quipu__network *network,
                           int64_t change) {
    network->latency += change;
    if (!is_given(start, "intra-latency"))
        network->intra_latency = network->latency;
}

/* A link takes so many per cent of its time for a byte. */
static void change_byte_time(const struct quipu__fold_start *start, struct quipu__network *network,
                             uint64_t percent) {
    network->gap_per_byte.numerator *= percent;
    network->gap_per_byte.denominator *= PERCENT;
    const uint64_t bandwidth = quipu__scale_rounded(network->bandwidth, PERCENT, percent);
    network->bandwidth = bandwidth > 0 ? bandwidth : 1;
    if (!is_given(start, "intra-bandwidth"))
        network->intra_bandwidth = network->bandwidth;
}

static void change(const struct quipu__fold_start *start, enum quipu__network_parameter parameter, int side,
                   struct quipu__network *network) {
    const int64_t step = latency_step(network->latency);
    if (parameter == QUIPU__PARAMETER_LATENCY)
        change_latency(start, network, side == LARGER ? step : -step);
    else
        change_byte_time(start, network, side == LARGER ? PERCENT + 1 : PERCENT - 1);
}

/* ---- Derivatives ---- */

/* False when the parameter is 0, so that a hundredth of it says nothing. */
static bool set_scale(struct quipu__sensitivity *sensitivity, const struct quipu__network *network,
                      enum quipu__network_parameter parameter) {
    uint64_t *factor = &sensitivity->factor[parameter], *divisor = &sensitivity->divisor[parameter];
    if (parameter == QUIPU__PARAMETER_LATENCY) {
        *factor = MILLION;
        *divisor = 2 * (uint64_t)latency_step(network->latency);
        return network->latency > 0;
    }
    if (network->kind == QUIPU__NETWORK_LOGGOPS) {
        *factor = (uint64_t)MILLION * (PERCENT / 2) * network->gap_per_byte.denominator;
        *divisor = network->gap_per_byte.numerator;
        return *divisor > 0;
    }
    *factor =
        network->bandwidth; /* a byte takes 10^9 ns / bandwidth, and the two differ by a fiftieth of that */
    *divisor = 20;
    return true;
}

/* ---- The simulations ---- */

enum quipu_status quipu__sensitivity_begin(struct quipu__sensitivity *sensitivity,
                                           const struct quipu__fold_start *start,
                                           const struct quipu__network *network, struct quipu_error *err) {
    struct quipu__fold_start beside = *start;
    enum quipu_status status = QUIPU_OK;
    beside.retimes = false;
    for (int parameter = 0; parameter < QUIPU__NETWORK_PARAMETERS; parameter++) {
        if (!set_scale(sensitivity, network, (enum quipu__network_parameter)parameter))
            continue;
        for (int side = 0; side < SIDES && status == QUIPU_OK; side++) {
            struct quipu__network changed = *network;
            change(start, (enum quipu__network_parameter)parameter, side, &changed);
            status =
                quipu__simulated_replay_begin(&beside, &changed, &sensitivity->replays[parameter][side], err);
        }
    }
    return status;
}

enum quipu_status quipu__sensitivity_consume(struct quipu__sensitivity *sensitivity,
                                             const struct quipu_batch *batch, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (int parameter = 0; parameter < QUIPU__NETWORK_PARAMETERS; parameter++)
        for (int side = 0; side < SIDES && status == QUIPU_OK && sensitivity->replays[parameter][side]; side++)
            status = quipu__simulated_replay_consume(sensitivity->replays[parameter][side], batch, err);
    return status;
}

void quipu__sensitivity_release(struct quipu__sensitivity *sensitivity) {
    for (int parameter = 0; parameter < QUIPU__NETWORK_PARAMETERS; parameter++)
        for (int side = 0; side < SIDES; side++)
            if (sensitivity->replays[parameter][side])
                quipu__simulated_replay_release(sensitivity->replays[parameter][side]);
}

/* ---- The answer ---- */

void quipu__sensitivity_put(struct quipu__sensitivity *sensitivity, struct quipu__cells *cells) {
    for (int parameter = 0; parameter < QUIPU__NETWORK_PARAMETERS; parameter++) {
        int64_t times[SIDES] = {0, 0};
        bool is_known = true;
        for (int side = 0; side < SIDES; side++) {
            struct quipu__simulated_replay *simulated = sensitivity->replays[parameter][side];
            is_known = is_known && simulated && quipu__simulated_replay_finish(simulated, &times[side]);
        }
        const bool is_less = times[LARGER] < times[SMALLER];
        const uint64_t difference =
            (uint64_t)(is_less ? times[SMALLER] - times[LARGER] : times[LARGER] - times[SMALLER]);
        if (!is_known) {
            quipu__cells_put_null(cells);
            continue;
        }
        const uint64_t millionths =
            quipu__scale_rounded(difference, sensitivity->factor[parameter], sensitivity->divisor[parameter]);
        const double size = (double)millionths / MILLION;
        cells->items[cells->count++] = (struct quipu_cell){.f = is_less ? -size : size};
    }
}
