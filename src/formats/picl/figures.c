/* figures.c: statistics of the model as records of PICL, and which statistic a pair of a record is.
 *
 * The figures of one process and time are collected and sorted into tables: one for each type of record, for what they are relative
 * to, and, relative to everything, for users' events and the system's. The same pair can come from several summaries: of the
 * region of its event type, of all messages, of some. The first sort that there is counts, and is added up. At the end of a trace they
 * are recomputed from its events. */
#include "formats/picl/figures.h"

#include <stdlib.h>

/* What events are besides calls, and the event type that stands for them where no region does. */
static const struct meaning {
    enum quipu_statistic count, volume;
    int64_t event;
} meanings[] = {
    [QUIPU__PICL_MAPPING_SEND] = {QUIPU_STATISTIC_MESSAGES_SENT, QUIPU_STATISTIC_MESSAGE_BYTES_SENT, -21},
    [QUIPU__PICL_MAPPING_SEND_BEGIN] = {QUIPU_STATISTIC_MESSAGES_SENT, QUIPU_STATISTIC_MESSAGE_BYTES_SENT, -21},
    [QUIPU__PICL_MAPPING_RECEIVE] = {QUIPU_STATISTIC_MESSAGES_RECEIVED, QUIPU_STATISTIC_MESSAGE_BYTES_RECEIVED,
                                     -52},
    [QUIPU__PICL_MAPPING_RECEIVE_DONE] = {QUIPU_STATISTIC_MESSAGES_RECEIVED,
                                          QUIPU_STATISTIC_MESSAGE_BYTES_RECEIVED, -52},
    [QUIPU__PICL_MAPPING_FILE_OPEN] = {QUIPU_STATISTIC_OPENS, QUIPU_STATISTIC_CALL_BYTES, -201},
    [QUIPU__PICL_MAPPING_FILE_CLOSE] = {QUIPU_STATISTIC_CLOSES, QUIPU_STATISTIC_CALL_BYTES, -202},
    [QUIPU__PICL_MAPPING_FILE_WRITE] = {QUIPU_STATISTIC_WRITES, QUIPU_STATISTIC_BYTES_WRITTEN, -221},
    [QUIPU__PICL_MAPPING_FILE_READ] = {QUIPU_STATISTIC_READS, QUIPU_STATISTIC_BYTES_READ, -251},
};
enum { MEANINGS = sizeof meanings / sizeof *meanings };

static struct meaning meaning_of(const struct quipu__picl_event *row) {
    static const struct meaning call = {QUIPU_STATISTIC_CALLS, QUIPU_STATISTIC_CALL_BYTES, 0};
    const bool is_more = row && (unsigned)row->mapping < MEANINGS && meanings[row->mapping].event != 0;
    return is_more ? meanings[row->mapping] : call;
}

enum quipu_statistic quipu__picl_statistic_of(int64_t record_type, const struct quipu__picl_event *row) {
    switch (record_type) {
    case QUIPU__PICL_TIMES:
        return QUIPU_STATISTIC_INCLUSIVE_TIME;
    case QUIPU__PICL_COUNTS:
        return meaning_of(row).count;
    case QUIPU__PICL_VOLUMES:
        return meaning_of(row).volume;
    case QUIPU__PICL_RECEIVED_VOLUMES:
        return QUIPU_STATISTIC_CALL_BYTES_RECEIVED;
    default:
        return QUIPU_STATISTIC_CALL_SIZES;
    }
}

/* ---- Taking ---- */

/* The type of record that has a statistic; 0 for none. */
static int64_t record_type_of(uint32_t statistic) {
    static const struct {
        uint32_t statistics;
        int64_t record_type;
    } rows[] = {
        {QUIPU__PICL_STATISTICS_OF_TIMES, QUIPU__PICL_TIMES},
        {QUIPU__PICL_STATISTICS_OF_COUNTS, QUIPU__PICL_COUNTS},
        {QUIPU__PICL_STATISTICS_OF_VOLUMES, QUIPU__PICL_VOLUMES},
        {QUIPU__STATISTIC(CALL_BYTES_RECEIVED), QUIPU__PICL_RECEIVED_VOLUMES},
        {QUIPU__STATISTIC(CALL_SIZES), QUIPU__PICL_SIZES},
    };
    for (size_t i = 0; statistic < QUIPU_STATISTIC_COUNT && i < sizeof rows / sizeof *rows; i++)
        if ((rows[i].statistics >> statistic & 1) != 0)
            return rows[i].record_type;
    return 0;
}

/* The event type that stands for messages and files that no region does; 0 for calls. */
static int64_t event_of_all(uint32_t statistic) {
    for (size_t i = 0; i < MEANINGS; i++)
        if (meanings[i].event != 0 && (meanings[i].count == statistic || meanings[i].volume == statistic) &&
            statistic != QUIPU_STATISTIC_CALL_BYTES)
            return meanings[i].event;
    return 0;
}

bool quipu__picl_is_of_all(enum quipu_statistic statistic) {
    return event_of_all(statistic) != 0;
}

/* The event type that a figure of a region is about: the call, or what it does where volumes are told. */
static int64_t event_of_region(const struct quipu__picl_source_region *region, int64_t record_type) {
    const bool is_of_call = record_type == QUIPU__PICL_TIMES || record_type == QUIPU__PICL_COUNTS;
    return is_of_call && region->user_event >= 0 ? region->user_event : region->event;
}

static enum quipu__picl_figure_sort sort_of(const struct quipu_event *event) {
    const bool is_of_all = event->peer == QUIPU_NONE && event->group == QUIPU_NONE && event->tag < 0;
    if (event->object != QUIPU_NONE)
        return QUIPU__PICL_OF_REGION;
    return is_of_all ? QUIPU__PICL_OF_ALL : QUIPU__PICL_OF_DETAIL;
}

/* Numbers of messages and files that a region has are the calls of that region, which are told as well. */
static bool is_told_twice(const struct quipu_event *event, int64_t record_type) {
    return record_type == QUIPU__PICL_COUNTS && event->object != QUIPU_NONE &&
           event->operation != QUIPU_STATISTIC_CALLS;
}

bool quipu__picl_take_figure(struct quipu__picl_from_model *from, uint32_t target,
                             const struct quipu_event *event) {
    struct quipu__picl_target *taking = &from->targets[target];
    const int64_t record_type = record_type_of(event->operation);
    const bool has_region = event->object < from->region_count, has_within = event->id < from->region_count;
    const int64_t number = has_region ? event_of_region(&from->regions[event->object], record_type)
                                      : event_of_all(event->operation);
    if (record_type == 0 && event->operation < QUIPU_STATISTIC_COUNT)
        return true; /* there is no such figure, which the report says */
    if (record_type == 0 || (!has_region && number == 0) || (!has_within && event->id != QUIPU_UNKNOWN))
        return false;
    if (taking->figures.count > 0 && taking->figures_time != event->time)
        quipu__picl_put_figures(from, target);
    taking->figures_time = event->time;
    if (is_told_twice(event, record_type))
        return true;
    quipu__gate_knows(QUIPU__VEC_PUT(
        from->memory, &taking->figures,
        (struct quipu__picl_figure){record_type,
                                    has_within ? event_of_region(&from->regions[event->id], QUIPU__PICL_TIMES)
                                               : QUIPU__PICL_ALL,
                                    number, event->value, sort_of(event)}));
    return true;
}

/* ---- Writing ---- */

static int compare_numbers(int64_t a, int64_t b) {
    return (a > b) - (a < b);
}

/* The order of pairs: users' events ascending, then the system's descending. */
static int compare_events(int64_t a, int64_t b) {
    if ((a >= 0) != (b >= 0))
        return a >= 0 ? -1 : 1;
    return a >= 0 ? (a > b) - (a < b) : (a < b) - (a > b);
}

static bool is_of_user(const struct quipu__picl_figure *figure) {
    return figure->relative_to == QUIPU__PICL_ALL && figure->event >= 0;
}

/* Tables in the order in which PICL writes them. */
static int compare_tables(const struct quipu__picl_figure *a, const struct quipu__picl_figure *b) {
    if (a->relative_to != b->relative_to)
        return compare_numbers(a->relative_to, b->relative_to);
    if (is_of_user(a) != is_of_user(b))
        return is_of_user(a) ? 1 : -1;
    return compare_numbers(b->record_type, a->record_type);
}

static int by_table(const void *left, const void *right) {
    const struct quipu__picl_figure *a = left, *b = right;
    const int order = compare_tables(a, b);
    if (order != 0)
        return order;
    return a->event != b->event ? compare_events(a->event, b->event) : compare_numbers(a->sort, b->sort);
}

/* The pair that begins at a figure: adds up the first sort of it. Returns the figure behind it. */
static size_t add_up(const struct quipu__picl_target *target, size_t first, uint64_t *total) {
    const struct quipu__picl_figure *figures = target->figures.items;
    size_t i = first;
    for (*total = 0; i < target->figures.count && by_table(&figures[i], &figures[first]) == 0; i++)
        *total += figures[i].value;
    while (i < target->figures.count && compare_tables(&figures[i], &figures[first]) == 0 &&
           figures[i].event == figures[first].event)
        i++;
    return i;
}

/* A figure as a record of a type has it: ticks as seconds. */
static struct quipu_value figure_value(const struct quipu__picl_from_model *from, int64_t record_type,
                                       int64_t figure) {
    const struct quipu__picl_rate *rate = &from->rate;
    const double per_second =
        (double)rate->ticks_per_second / (double)(rate->per_seconds ? rate->per_seconds : 1);
    if (record_type == QUIPU__PICL_TIMES)
        return (struct quipu_value){.type = QUIPU_VALUE_F64, .f = (double)figure / per_second};
    return (struct quipu_value){.type = QUIPU_VALUE_I64, .i = figure};
}

/* Writes the table that begins at a figure, if any of its pairs is positive. Returns the figure behind it. */
static size_t put_table(struct quipu__picl_from_model *from, const struct quipu__picl_target *taken,
                        size_t first, struct quipu_value *values) {
    const struct quipu__picl_figure *figures = taken->figures.items;
    const int64_t record_type = figures[first].record_type;
    const char *control = record_type == QUIPU__PICL_TIMES ? "\"%d%lf\"" : "\"%d%d\"";
    struct quipu__picl_record record = {
        .record_type = record_type,
        .event_type = figures[first].relative_to,
        .time = quipu__picl_seconds_of(taken->figures_time, &from->rate, from->out->decimals),
        .processor = taken->processor,
        .process = taken->process,
        .descriptor = {.type = QUIPU_VALUE_STRING, .size = (uint32_t)strlen(control), .data = control},
        .values = values};
    size_t i = first;
    while (i < taken->figures.count && compare_tables(&figures[i], &figures[first]) == 0) {
        const int64_t event = figures[i].event;
        uint64_t total;
        i = add_up(taken, i, &total);
        if (total == 0 || total > INT64_MAX)
            continue;
        values[record.value_count++] = (struct quipu_value){.type = QUIPU_VALUE_I64, .i = event};
        values[record.value_count++] = figure_value(from, record_type, (int64_t)total);
    }
    record.count = record.value_count / 2;
    if (record.count > 0)
        quipu__picl_encode_record(from->out, &record);
    return i;
}

void quipu__picl_put_figures(struct quipu__picl_from_model *from, uint32_t target) {
    struct quipu__picl_target *taken = &from->targets[target];
    const size_t count = taken->figures.count;
    struct quipu_value *values = quipu__alloc(from->memory, (2 * count + 2) * sizeof *values);
    if (count > 1)
        qsort(taken->figures.items, count, sizeof *taken->figures.items, by_table);
    for (size_t i = 0; values && i < count;)
        i = put_table(from, taken, i, values);
    quipu__release(from->memory, values, values ? (2 * count + 2) * sizeof *values : 0);
    taken->figures.count = 0;
}

/* ---- The end of a trace ----
 *
 * PICL writes times, counts and volumes of system events relative to everything, times and counts of user events, then all three relative
 * to each user event that is watched (specification, section 9.6). */

static void take_recomputed(struct quipu__picl_from_model *from, struct quipu__picl_target *target,
                            int64_t event, int64_t relative_to) {
    static const int64_t types[] = {QUIPU__PICL_TIMES, QUIPU__PICL_COUNTS, QUIPU__PICL_VOLUMES};
    struct quipu__picl_figures figures;
    if (event == relative_to ||
        !quipu__picl_figures_of(&target->statistics, event, relative_to, from->time, &figures))
        return;
    const uint64_t values[] = {(uint64_t)figures.time, figures.count, (uint64_t)figures.volume};
    const unsigned users_volumes = 1u << 5, left_out = from->statistics_left_out | users_volumes;
    for (unsigned i = 0; i < 3; i++) {
        const unsigned table = event >= 0 ? 3 + i : i;
        if (relative_to == QUIPU__PICL_ALL && (left_out >> table & 1) != 0)
            continue;
        quipu__gate_knows(QUIPU__VEC_PUT(
            from->memory, &target->figures,
            (struct quipu__picl_figure){types[i], relative_to, event, values[i], QUIPU__PICL_OF_REGION}));
    }
}

void quipu__picl_put_statistics(struct quipu__picl_from_model *from, uint32_t number) {
    struct quipu__picl_target *target = &from->targets[number];
    const struct quipu__picl_statistics *statistics = &target->statistics;
    target->figures.count = 0;
    target->figures_time = from->time;
    for (uint32_t table = 0; table <= statistics->watched_count; table++) {
        const int64_t relative_to = table == 0 ? QUIPU__PICL_ALL : statistics->watched[table - 1];
        for (size_t i = 0; i < statistics->events.count; i++)
            take_recomputed(from, target, statistics->events.items[i].event, relative_to);
        quipu__picl_put_figures(from, number);
    }
    QUIPU__VEC_RELEASE(from->memory, &target->figures);
}
