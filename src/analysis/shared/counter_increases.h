/* counter_increases.h: what accumulated metrics count between two of their values at a location, and how much of it has come by a time in between: in
 * proportion to time, so that parts add up to the whole. A value that is not above the one before, as after a counter has been reset, counts nothing. */
#ifndef QUIPU_ANALYSIS_SHARED_COUNTER_INCREASES_H
#define QUIPU_ANALYSIS_SHARED_COUNTER_INCREASES_H

#include "core/memory/map.h"
#include "core/memory/vec.h"
#include "table/table.h"

#include <quipu/model.h>

/* Integers are counted exactly, up to 2^64 - 1. */
struct quipu__counter_amount {
    uint64_t whole;
    double real; /* of metrics that are no integers */
};

/* Times are ns. */
struct quipu__counter_increase {
    uint32_t location, metric;
    int64_t from, to;
    struct quipu__counter_amount amount;
};

/* The latest value of a metric at a location. */
struct quipu__counter_latest {
    int64_t time;
    uint64_t value;
};

struct quipu__counter_increases {
    struct quipu__memory *memory;
    const struct quipu_definitions *definitions;
    QUIPU__VEC(struct quipu__counter_latest) latest;
    struct quipu__map latest_of; /* (location, metric) */
};

static inline void quipu__counter_increases_init(struct quipu__counter_increases *increases,
                                                 struct quipu__memory *memory,
                                                 const struct quipu_definitions *definitions) {
    *increases = (struct quipu__counter_increases){.memory = memory, .definitions = definitions};
    quipu__map_init(&increases->latest_of, memory);
}
static inline void quipu__counter_increases_release(struct quipu__counter_increases *increases) {
    QUIPU__VEC_RELEASE(increases->memory, &increases->latest);
    quipu__map_release(&increases->latest_of);
}

/* A metric has a value. Whether it has counted anything since the one before, and what. Where memory is out it has not: the gate knows. */
bool quipu__counter_increases_add(struct quipu__counter_increases *increases, const struct quipu_batch *batch,
                                  uint32_t event, int64_t time, struct quipu__counter_increase *out);

/* Adds what comes of an increase from one time to another, both of which lie in it. One that takes no time comes at once. */
void quipu__counter_amount_add(struct quipu__counter_amount *total,
                               const struct quipu__counter_increase *increase, int64_t from, int64_t to);

/* Puts the amount of a metric into a column of decimals, and, where it takes any time, that per second. */
void quipu__table_put_counted(struct quipu_table *table, size_t column, const struct quipu_metric *metric,
                              const struct quipu__counter_amount *amount);
void quipu__table_put_rate(struct quipu_table *table, size_t column, const struct quipu_metric *metric,
                           const struct quipu__counter_amount *amount, uint64_t ns);

/* The amount as a number, however large. */
static inline double quipu__counter_number(const struct quipu_metric *metric,
                                           const struct quipu__counter_amount *amount) {
    return metric->value == QUIPU_METRIC_F64 ? amount->real : (double)amount->whole;
}

#endif
