/* final_statistics.c: the statistics of a process as PICL writes them at the end (specification, section 9.6): times, counts and
 * volumes of system events relative to everything, times and counts of user events, then all three relative to each user event
 * that is watched. Only positive values are written, and a table without any is left out. */
#include "formats/picl/from_model.h"

#include <stdlib.h>

/* One table: which events, relative to which, what of them. */
struct table {
    struct quipu__picl_from_model *from;
    uint32_t target;
    int64_t record_type, relative_to;
    enum { OF_SYSTEM, OF_USER, OF_ALL } events;
};

static bool is_in_table(const struct table *table, int64_t event) {
    return event != table->relative_to &&
           (table->events == OF_ALL || (event >= 0) == (table->events == OF_USER));
}

struct quipu_value quipu__picl_figure_value(const struct quipu__picl_from_model *from, int64_t record_type,
                                            int64_t figure) {
    const struct quipu__picl_rate *rate = &from->rate;
    const double per_second =
        (double)rate->ticks_per_second / (double)(rate->per_seconds ? rate->per_seconds : 1);
    if (record_type == QUIPU__PICL_TIMES)
        return (struct quipu_value){.type = QUIPU_VALUE_F64, .f = (double)figure / per_second};
    return (struct quipu_value){.type = QUIPU_VALUE_I64, .i = figure};
}

/* The value of an event in a table; false when there is none, or it is not positive. */
static bool value_of(const struct table *table, const struct quipu__picl_statistics *statistics, int64_t event,
                     struct quipu_value *out) {
    struct quipu__picl_figures figures;
    if (!is_in_table(table, event) ||
        !quipu__picl_figures_of(statistics, event, table->relative_to, table->from->time, &figures))
        return false;
    const int64_t values[] = {figures.time, (int64_t)figures.count, figures.volume};
    const int64_t value = values[QUIPU__PICL_TIMES - table->record_type];
    *out = quipu__picl_figure_value(table->from, table->record_type, value);
    return value > 0;
}

int quipu__picl_compare_events(int64_t a, int64_t b) {
    if ((a >= 0) != (b >= 0))
        return a >= 0 ? -1 : 1;
    return a >= 0 ? (a > b) - (a < b) : (a < b) - (a > b);
}

static int by_event(const void *a, const void *b) {
    return quipu__picl_compare_events(*(const int64_t *)a, *(const int64_t *)b);
}

void quipu__picl_put_table(struct quipu__picl_from_model *from, const struct quipu__picl_table *table,
                           const struct quipu_value *values, uint32_t value_count) {
    const char *control = table->record_type == QUIPU__PICL_TIMES ? "\"%d%lf\"" : "\"%d%d\"";
    const struct quipu__picl_record record = {
        .record_type = table->record_type,
        .event_type = table->relative_to,
        .time = quipu__picl_seconds_of(table->time, &from->rate, from->out->decimals),
        .processor = from->targets[table->target].processor,
        .process = from->targets[table->target].process,
        .count = value_count / 2,
        .descriptor = {.type = QUIPU_VALUE_STRING, .size = (uint32_t)strlen(control), .data = control},
        .values = values,
        .value_count = value_count};
    if (value_count > 0)
        quipu__picl_encode_record(from->out, &record);
}

static void put_table(const struct table *table, const int64_t *events, size_t count,
                      struct quipu_value *values) {
    const struct quipu__picl_target *target = &table->from->targets[table->target];
    uint32_t value_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (!value_of(table, &target->statistics, events[i], &values[value_count + 1]))
            continue;
        values[value_count] = (struct quipu_value){.type = QUIPU_VALUE_I64, .i = events[i]};
        value_count += 2;
    }
    const struct quipu__picl_table written = {table->target, table->record_type, table->relative_to,
                                              table->from->time};
    quipu__picl_put_table(table->from, &written, values, value_count);
}

/* Times, counts and volumes, down to the last type, but for those whose bit is set. */
static void put_tables(const struct table *base, int64_t last_type, unsigned left_out, const int64_t *events,
                       size_t count, struct quipu_value *values) {
    struct table table = *base;
    for (table.record_type = QUIPU__PICL_TIMES; table.record_type >= last_type; table.record_type--)
        if ((left_out >> (QUIPU__PICL_TIMES - table.record_type) & 1) == 0)
            put_table(&table, events, count, values);
}

void quipu__picl_put_statistics(struct quipu__picl_from_model *from, uint32_t target) {
    const struct quipu__picl_statistics *statistics = &from->targets[target].statistics;
    const size_t count = statistics->events.count;
    int64_t *events = quipu__alloc(from->memory, (count + 1) * sizeof *events);
    struct quipu_value *values = quipu__alloc(from->memory, (2 * count + 2) * sizeof *values);
    const struct table system = {from, target, 0, QUIPU__PICL_ALL, OF_SYSTEM};
    const struct table user = {from, target, 0, QUIPU__PICL_ALL, OF_USER};
    if (events && values) {
        for (size_t i = 0; i < count; i++)
            events[i] = statistics->events.items[i].event;
        qsort(events, count, sizeof *events, by_event);
        put_tables(&system, QUIPU__PICL_VOLUMES, from->statistics_left_out & 7, events, count, values);
        put_tables(&user, QUIPU__PICL_COUNTS, from->statistics_left_out >> 3, events, count, values);
    }
    for (uint32_t i = 0; events && values && i < statistics->watched_count; i++) {
        const struct table inside = {from, target, 0, statistics->watched[i], OF_ALL};
        put_tables(&inside, QUIPU__PICL_VOLUMES, 0, events, count, values);
    }
    quipu__release(from->memory, events, events ? (count + 1) * sizeof *events : 0);
    quipu__release(from->memory, values, values ? (2 * count + 2) * sizeof *values : 0);
}
