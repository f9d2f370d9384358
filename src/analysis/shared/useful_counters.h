/* useful_counters.h: counters of processors, instructions and cycles, as far as they count useful time: what a location counts between
 * two values is shared out by how much of the time between them is useful. */
#ifndef QUIPU_ANALYSIS_SHARED_USEFUL_COUNTERS_H
#define QUIPU_ANALYSIS_SHARED_USEFUL_COUNTERS_H

#include "core/memory/vec.h"

#include <quipu/model.h>

enum quipu__useful_counter { QUIPU__INSTRUCTIONS, QUIPU__CYCLES, QUIPU__USEFUL_COUNTERS };

/* The last value of a location. Times are ns. */
struct quipu__counter_value {
    int64_t time, useful;
    uint64_t value;
    bool is_known;
};

struct quipu__useful_counters {
    struct quipu__memory *memory;
    const struct quipu_definitions *definitions;
    uint32_t metrics[QUIPU__USEFUL_COUNTERS]; /* QUIPU_NONE: none has the name */
    bool has_metrics;
    QUIPU__VEC(struct quipu__counter_value) values[QUIPU__USEFUL_COUNTERS]; /* by location */
    uint64_t totals[QUIPU__USEFUL_COUNTERS];
};

/* Counters that look for no metrics; and those that do. */
void quipu__useful_counters_init(struct quipu__useful_counters *counters, struct quipu__memory *memory,
                                 const struct quipu_definitions *definitions);
void quipu__useful_counters_find(struct quipu__useful_counters *counters);
static inline void quipu__useful_counters_release(struct quipu__useful_counters *counters) {
    for (int i = 0; i < QUIPU__USEFUL_COUNTERS; i++)
        QUIPU__VEC_RELEASE(counters->memory, &counters->values[i]);
}

/* A metric has a value at a time, up to which the location's useful time is this. */
void quipu__useful_counters_add(struct quipu__useful_counters *counters, const struct quipu_batch *batch,
                                uint32_t event, int64_t time, int64_t useful);

#endif
