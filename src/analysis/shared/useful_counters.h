/* useful_counters.h: counters of processors, instructions and cycles, as far as they count useful time in a window: what a location counts between two
 * values comes in proportion to the useful time between them. What has come by the window's begin is not of it, so that windows that touch add up. */
#ifndef QUIPU_ANALYSIS_SHARED_USEFUL_COUNTERS_H
#define QUIPU_ANALYSIS_SHARED_USEFUL_COUNTERS_H

#include "analysis/shared/counter_increases.h"

enum quipu__useful_counter { QUIPU__INSTRUCTIONS, QUIPU__CYCLES, QUIPU__USEFUL_COUNTERS };

/* The useful time of a location up to a time: before the window, and in it. */
struct quipu__useful_time {
    int64_t before_ns, inside_ns;
};

struct quipu__useful_counters {
    struct quipu__memory *memory;
    const struct quipu_definitions *definitions;
    uint32_t metrics[QUIPU__USEFUL_COUNTERS]; /* QUIPU_NONE: none has the name */
    bool has_metrics;
    struct quipu__counter_increases increases;
    QUIPU__VEC(struct quipu__useful_time) latest[QUIPU__USEFUL_COUNTERS]; /* by location: at its latest value */
    struct quipu__counter_amount totals[QUIPU__USEFUL_COUNTERS];
};

/* Counters that look for no metrics; and those that do. */
void quipu__useful_counters_init(struct quipu__useful_counters *counters, struct quipu__memory *memory,
                                 const struct quipu_definitions *definitions);
void quipu__useful_counters_find(struct quipu__useful_counters *counters);
static inline void quipu__useful_counters_release(struct quipu__useful_counters *counters) {
    for (int i = 0; i < QUIPU__USEFUL_COUNTERS; i++)
        QUIPU__VEC_RELEASE(counters->memory, &counters->latest[i]);
    quipu__counter_increases_release(&counters->increases);
}

/* A metric has a value at a time, up to which the location's useful time is this. */
void quipu__useful_counters_add(struct quipu__useful_counters *counters, const struct quipu_batch *batch,
                                uint32_t event, int64_t time, struct quipu__useful_time useful);

#endif
