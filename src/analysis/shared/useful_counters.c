/* useful_counters.c: see useful_counters.h. */
#include "analysis/shared/useful_counters.h"

#include "core/scale.h"

#include <string.h>

/* What recorders call the counters. */
static const struct {
    const char *name;
    enum quipu__useful_counter counter;
} names[] = {{"instructions", QUIPU__INSTRUCTIONS},
             {"PAPI_TOT_INS", QUIPU__INSTRUCTIONS},
             {"cycles", QUIPU__CYCLES},
             {"PAPI_TOT_CYC", QUIPU__CYCLES}};

void quipu__useful_counters_init(struct quipu__useful_counters *counters, struct quipu__memory *memory,
                                 const struct quipu_definitions *definitions) {
    *counters = (struct quipu__useful_counters){.memory = memory, .definitions = definitions};
    for (int i = 0; i < QUIPU__USEFUL_COUNTERS; i++)
        counters->metrics[i] = QUIPU_NONE;
}

/* The first metric of a name counts. */
void quipu__useful_counters_find(struct quipu__useful_counters *counters) {
    const struct quipu_metrics *metrics = &counters->definitions->metrics;
    for (uint32_t i = 0; i < metrics->count; i++)
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            uint32_t *metric = &counters->metrics[names[k].counter];
            const bool is_it = metrics->items[i].mode == QUIPU_METRIC_ACCUMULATED &&
                               metrics->items[i].value != QUIPU_METRIC_F64 &&
                               strcmp(metrics->items[i].name, names[k].name) == 0;
            if (is_it && *metric == QUIPU_NONE)
                *metric = i;
            counters->has_metrics |= is_it;
        }
}

static struct quipu__counter_value *value_of(struct quipu__useful_counters *counters, int counter,
                                             uint32_t location) {
    const size_t known = counters->values[counter].count;
    if (location >= known) {
        if (!QUIPU__VEC_RESERVE(counters->memory, &counters->values[counter], location + 1 - known))
            return NULL;
        counters->values[counter].count = (size_t)location + 1;
    }
    return &counters->values[counter].items[location];
}

static void add_value(struct quipu__useful_counters *counters, int counter, uint32_t location,
                      struct quipu__counter_value now) {
    struct quipu__counter_value *before = value_of(counters, counter, location);
    if (!before)
        return;
    if (before->is_known && now.value > before->value && now.time > before->time)
        counters->totals[counter] +=
            quipu__scale_rounded(now.value - before->value, (uint64_t)(now.useful - before->useful),
                                 (uint64_t)(now.time - before->time));
    *before = now;
}

void quipu__useful_counters_add(struct quipu__useful_counters *counters, const struct quipu_batch *batch,
                                uint32_t event, int64_t time, int64_t useful) {
    for (int i = 0; i < QUIPU__USEFUL_COUNTERS; i++)
        if (counters->metrics[i] != QUIPU_NONE && batch->object[event] == counters->metrics[i])
            add_value(counters, i, batch->location[event],
                      (struct quipu__counter_value){time, useful, batch->value[event], true});
}
