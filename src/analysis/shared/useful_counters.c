/* useful_counters.c: see useful_counters.h. */
#include "analysis/shared/useful_counters.h"

#include "core/bounded.h"

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
    quipu__counter_increases_init(&counters->increases, memory, definitions);
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

static struct quipu__useful_time *latest_of(struct quipu__useful_counters *counters, int counter,
                                            uint32_t location) {
    const size_t known = counters->latest[counter].count;
    if (location >= known) {
        if (!QUIPU__VEC_RESERVE(counters->memory, &counters->latest[counter], location + 1 - known))
            return NULL;
        counters->latest[counter].count = (size_t)location + 1;
    }
    return &counters->latest[counter].items[location];
}

/* Useful time runs without the rest, from the value before on. An increase that takes no time is of none. */
static void add_increase(struct quipu__useful_counters *counters, int counter,
                         const struct quipu__counter_increase *increase, struct quipu__useful_time latest,
                         struct quipu__useful_time now) {
    const int64_t from = quipu__bounded_sum(increase->from, now.before_ns - latest.before_ns);
    if (increase->from < increase->to)
        quipu__counter_amount_add(&counters->totals[counter], increase, from,
                                  quipu__bounded_sum(from, now.inside_ns - latest.inside_ns));
}

void quipu__useful_counters_add(struct quipu__useful_counters *counters, const struct quipu_batch *batch,
                                uint32_t event, int64_t time, struct quipu__useful_time useful) {
    struct quipu__counter_increase increase;
    for (int i = 0; i < QUIPU__USEFUL_COUNTERS; i++) {
        const bool is_it = counters->metrics[i] != QUIPU_NONE && batch->object[event] == counters->metrics[i];
        struct quipu__useful_time *latest = is_it ? latest_of(counters, i, batch->location[event]) : NULL;
        if (!latest)
            continue;
        if (quipu__counter_increases_add(&counters->increases, batch, event, time, &increase))
            add_increase(counters, i, &increase, *latest, useful);
        *latest = useful;
    }
}
