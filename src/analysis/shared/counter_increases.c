/* counter_increases.c: see counter_increases.h. */
#include "analysis/shared/counter_increases.h"

#include "core/real.h"
#include "core/scale.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static double real_of(uint64_t bits) {
    double real;
    memcpy(&real, &bits, sizeof real);
    return real;
}

/* Whether a value is above another one, and by how much. */
static bool find_amount(enum quipu_metric_value kind, uint64_t before, uint64_t now,
                        struct quipu__counter_amount *out) {
    *out = (struct quipu__counter_amount){.whole = now - before};
    switch (kind) {
    case QUIPU_METRIC_U64:
        return now > before;
    case QUIPU_METRIC_I64:
        return (int64_t)now > (int64_t)before;
    case QUIPU_METRIC_F64:
        break;
    }
    *out = (struct quipu__counter_amount){.real = real_of(now) - real_of(before)};
    return out->real > 0;
}

bool quipu__counter_increases_add(struct quipu__counter_increases *increases, const struct quipu_batch *batch,
                                  uint32_t event, int64_t time, struct quipu__counter_increase *out) {
    const uint32_t location = batch->location[event], metric = batch->object[event];
    const struct quipu_metrics *metrics = &increases->definitions->metrics;
    if (metric >= metrics->count || metrics->items[metric].mode != QUIPU_METRIC_ACCUMULATED)
        return false;
    const uint64_t key = (uint64_t)location << 32 | metric;
    const uint32_t number = quipu__map_get(&increases->latest_of, key);
    if (number == QUIPU_NONE) {
        struct quipu__counter_latest *first = QUIPU__VEC_ADD(increases->memory, &increases->latest);
        if (first && quipu__map_put(&increases->latest_of, key, (uint32_t)(increases->latest.count - 1)))
            *first = (struct quipu__counter_latest){time, batch->value[event]};
        return false;
    }
    struct quipu__counter_latest *latest = &increases->latest.items[number];
    *out = (struct quipu__counter_increase){location, metric, latest->time, time, {0, 0}};
    const bool has_any =
        find_amount(metrics->items[metric].value, latest->value, batch->value[event], &out->amount);
    *latest = (struct quipu__counter_latest){time, batch->value[event]};
    return has_any && out->to >= out->from;
}

/* What of it has come by a time. */
static struct quipu__counter_amount amount_by(const struct quipu__counter_increase *increase, int64_t time) {
    const uint64_t length = (uint64_t)increase->to - (uint64_t)increase->from,
                   elapsed = (uint64_t)time - (uint64_t)increase->from;
    uint64_t rest;
    if (time == increase->to)
        return increase->amount;
    return (struct quipu__counter_amount){quipu__scale_down(increase->amount.whole, elapsed, length, &rest),
                                          increase->amount.real * ((double)elapsed / (double)length)};
}

void quipu__counter_amount_add(struct quipu__counter_amount *total,
                               const struct quipu__counter_increase *increase, int64_t from, int64_t to) {
    const bool is_at_once = increase->from == increase->to;
    const struct quipu__counter_amount none = {0, 0}, before = is_at_once ? none : amount_by(increase, from),
                                       after = amount_by(increase, to);
    const uint64_t more = after.whole - before.whole;
    total->whole = total->whole > UINT64_MAX - more ? UINT64_MAX : total->whole + more;
    total->real += after.real - before.real;
}

void quipu__table_put_counted(struct quipu_table *table, size_t column, const struct quipu_metric *metric,
                              const struct quipu__counter_amount *amount) {
    char text[64];
    if (metric->value == QUIPU_METRIC_F64)
        quipu__print(text, sizeof text, "%.15g", amount->real);
    else
        snprintf(text, sizeof text, "%" PRIu64, amount->whole);
    quipu__table_put_cell(table, column, QUIPU_TYPE_DECIMAL, (struct quipu_cell){false, {.text = text}});
}

void quipu__table_put_rate(struct quipu_table *table, size_t column, const struct quipu_metric *metric,
                           const struct quipu__counter_amount *amount, uint64_t ns) {
    const double seconds = (double)ns / 1e9;
    quipu__table_put_f64_if(table, column, ns > 0,
                            ns > 0 ? quipu__counter_number(metric, amount) / seconds : 0);
}
