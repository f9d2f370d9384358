/* stats_collect.c: what dumpistats measures of one rank: which intervals a call belongs to, and what it adds to each. */
#include "stats.h"

#include <string.h>

/* How the last call that a handler matched ended, and where the outside behind it ends so far. */
struct last {
    bool is_set;
    int64_t cpu, wall, cpu_end, wall_end;
    int64_t *counters, *counter_ends;
};

struct cell {
    uint64_t interval;
    bool has_calls;
    struct quipu__undumpi_row_head head;
    int64_t *values;    /* columns of all handlers */
    struct last *lasts; /* one per handler */
};

/* One bin on the rank at hand. */
struct quipu__undumpi_collection {
    struct quipu__undumpi_span span;
    struct quipu__map numbers; /* of intervals in cells */
    QUIPU__VEC(struct cell) cells;
    bool is_open;    /* annotations: between first and last */
    uint64_t opened; /* how many intervals so far */
    int64_t since;   /* start of the open one */
};

static void *allocate_zero(struct quipu__undumpi_collector *collector, size_t count, size_t size) {
    void *memory = quipu__arena_alloc(&collector->arena, (count + 1) * size);
    return memory ? memset(memory, 0, (count + 1) * size) : NULL;
}

static struct cell *add_cell(struct quipu__undumpi_collector *collector,
                             struct quipu__undumpi_collection *collection, uint64_t interval) {
    const size_t handlers = collector->options->handlers.count;
    struct cell *cell = QUIPU__VEC_ADD(collector->memory, &collection->cells);
    if (!cell || !quipu__map_put(&collection->numbers, interval, (uint32_t)collection->cells.count - 1))
        return NULL;
    cell->interval = interval;
    cell->values = allocate_zero(collector, collector->column_count, sizeof *cell->values);
    cell->lasts = allocate_zero(collector, handlers, sizeof *cell->lasts);
    for (size_t i = 0; cell->lasts && i < handlers; i++) {
        cell->lasts[i].counters = allocate_zero(collector, collector->rank.job->counter_count, sizeof(int64_t));
        cell->lasts[i].counter_ends =
            allocate_zero(collector, collector->rank.job->counter_count, sizeof(int64_t));
    }
    return cell->values && cell->lasts ? cell : NULL;
}

static struct cell *cell_of(struct quipu__undumpi_collector *collector,
                            struct quipu__undumpi_collection *collection, uint64_t interval) {
    const uint32_t number = quipu__map_get(&collection->numbers, interval);
    return number != QUIPU_NONE ? &collection->cells.items[number] : add_cell(collector, collection, interval);
}

/* ---- Measuring ---- */

/* Adds a distance. Counters of a damaged file may lie anywhere: they wrap. */
static void add_distance(int64_t *total, int64_t from, int64_t to) {
    *total = (int64_t)((uint64_t)*total + (uint64_t)to - (uint64_t)from);
}

/* A call that matches is inside; outside is what lies between it and the one that matched before. Calls that do not match
 * belong to what is outside. */
static void measure_span(int64_t *inside, int64_t *outside, bool has_last, int64_t last, int64_t start,
                         int64_t stop) {
    add_distance(inside, start, stop);
    if (has_last && start > last)
        add_distance(outside, last, start);
}

/* The first call ends what is before all outside, whether it matches or not. */
static void measure_times(int64_t *values, struct last *last, bool matches,
                          const struct quipu__dumpi_call *call) {
    if (matches) {
        measure_span(&values[0], &values[1], last->is_set, last->cpu, call->cpu_start, call->cpu_stop);
        measure_span(&values[2], &values[3], last->is_set, last->wall, call->wall_start, call->wall_stop);
    }
    last->cpu_end = call->cpu_stop;
    last->wall_end = call->wall_stop;
    if (!matches && last->is_set)
        return;
    last->is_set = true;
    last->cpu = call->cpu_stop;
    last->wall = call->wall_stop;
}

static void measure_counters(int64_t *values, struct last *last, bool matches, uint32_t count,
                             const struct quipu__dumpi_counter *counters) {
    if (quipu_sized_count(counters) < count)
        return;
    for (uint32_t i = 0; i < count; i++) {
        if (matches)
            add_distance(&values[2 * i], counters[i].in, counters[i].out);
        if (matches && last->is_set)
            add_distance(&values[2 * i + 1], last->counters[i], counters[i].in);
        last->counter_ends[i] = matches ? counters[i].out : counters[i].in;
        if (matches || !last->is_set)
            last->counters[i] = counters[i].out;
    }
    last->is_set = true;
}

/* An annotation that an interval begins or ends with matches nothing: it only bounds what is outside. */
static void measure_bound(const struct quipu__undumpi_collector *collector, struct cell *cell, size_t index) {
    const struct quipu__undumpi_handler *handler = &collector->options->handlers.items[index];
    const struct quipu__dumpi_call *call = &collector->decoder->common;
    if (handler->measure == QUIPU__UNDUMPI_TIME)
        measure_times(NULL, &cell->lasts[index], false, call);
    if (handler->measure == QUIPU__UNDUMPI_COUNTED)
        measure_counters(NULL, &cell->lasts[index], false, collector->rank.job->counter_count, call->counters);
}

/* What is behind the last call that matched is outside. */
static void end_outside(const struct quipu__undumpi_collector *collector, struct cell *cell, size_t index) {
    const struct quipu__undumpi_handler *handler = &collector->options->handlers.items[index];
    const struct last *last = &cell->lasts[index];
    int64_t *values = cell->values + handler->first_column;
    if (!last->is_set)
        return;
    if (handler->measure == QUIPU__UNDUMPI_TIME) {
        add_distance(&values[1], last->cpu, last->cpu_end);
        add_distance(&values[3], last->wall, last->wall_end);
    }
    for (uint32_t i = 0; handler->measure == QUIPU__UNDUMPI_COUNTED && i < handler->column_count / 2; i++)
        add_distance(&values[2 * i + 1], last->counters[i], last->counter_ends[i]);
}

/* Size class: class c is above 2^(c-1) and up to 2^c bytes; the last one has no upper end. */
static unsigned class_of(uint64_t bytes) {
    unsigned size_class = 0;
    while (size_class + 1 < QUIPU__UNDUMPI_LUMPS && bytes > UINT64_C(1) << size_class)
        size_class++;
    return size_class;
}

/* Empty messages are in no class. */
static void measure_lumps(int64_t *values, const struct quipu__undumpi_traffic *traffic) {
    if (traffic->sends && traffic->sent > 0)
        values[2 * class_of(traffic->sent)]++;
    if (traffic->receives && traffic->received > 0)
        values[2 * class_of(traffic->received) + 1]++;
}

static void measure_traffic(const struct quipu__undumpi_handler *handler, int64_t *values,
                            const struct quipu__undumpi_traffic *traffic) {
    if (!handler->matches[traffic->reported_as])
        return;
    if (handler->measure == QUIPU__UNDUMPI_SENT)
        values[0] += (int64_t)traffic->sent;
    else if (handler->measure == QUIPU__UNDUMPI_RECEIVED)
        values[0] += (int64_t)traffic->received;
    else if (handler->measure == QUIPU__UNDUMPI_LUMPED)
        measure_lumps(values, traffic);
    else if (traffic->to < handler->column_count)
        values[traffic->to] += (int64_t)traffic->sent;
}

static void measure(struct quipu__undumpi_collector *collector, struct cell *cell, size_t index,
                    const struct quipu__undumpi_traffic *traffic) {
    const struct quipu__undumpi_handler *handler = &collector->options->handlers.items[index];
    const struct quipu__dumpi_call *call = &collector->decoder->common;
    const bool matches = handler->matches[collector->decoder->type];
    int64_t *values = cell->values + handler->first_column;
    switch (handler->measure) {
    case QUIPU__UNDUMPI_COUNT:
        values[0] += matches;
        break;
    case QUIPU__UNDUMPI_TIME:
        measure_times(values, &cell->lasts[index], matches, call);
        break;
    case QUIPU__UNDUMPI_COUNTED:
        measure_counters(values, &cell->lasts[index], matches, collector->rank.job->counter_count,
                         call->counters);
        break;
    default:
        measure_traffic(handler, values, traffic);
        break;
    }
}

static struct cell *count_call(struct quipu__undumpi_collector *collector,
                               struct quipu__undumpi_collection *collection, uint64_t interval,
                               const struct quipu__undumpi_traffic *traffic) {
    struct cell *cell = cell_of(collector, collection, interval);
    for (size_t i = 0; cell && i < collector->options->handlers.count; i++)
        measure(collector, cell, i, traffic);
    return cell;
}

/* The beginning of a function is no call. */
static bool is_call(const struct quipu__undumpi_collector *collector) {
    return collector->decoder->type != QUIPU__DUMPI_TYPE_function_enter;
}

/* ---- Ranges ---- */

/* Stops at the limits of its type. */
static int64_t bounded_add(int64_t a, int64_t b) {
    int64_t all;
    const bool is_beyond = __builtin_add_overflow(a, b, &all);
    const int64_t limit = b > 0 ? INT64_MAX : INT64_MIN;
    return is_beyond ? limit : all;
}

static int64_t time_of(const struct quipu__undumpi_collector *collector,
                       const struct quipu__undumpi_bound *bound) {
    return bounded_add(collector->reference_times[bound->reference], bound->distance_ns);
}

/* Nothing is in a range with an end that the rank does not have. */
static void set_range(const struct quipu__undumpi_collector *collector, const struct quipu__undumpi_bin *bin,
                      struct quipu__undumpi_collection *collection) {
    collection->span.begin_ns = collection->span.end_ns = 0;
    if (collector->reference_times[bin->begin.reference] == QUIPU__UNDUMPI_NOT_REACHED ||
        collector->reference_times[bin->end.reference] == QUIPU__UNDUMPI_NOT_REACHED)
        return;
    collection->span.begin_ns = time_of(collector, &bin->begin);
    collection->span.end_ns = bounded_add(time_of(collector, &bin->end), bin->width_ns == 0);
}

static bool count_in_range(struct quipu__undumpi_collector *collector, const struct quipu__undumpi_bin *bin,
                           struct quipu__undumpi_collection *collection,
                           const struct quipu__undumpi_traffic *traffic) {
    const struct quipu__dumpi_call *call = &collector->decoder->common;
    const int64_t start = call->wall_start;
    if (!is_call(collector) || start < collection->span.begin_ns || start >= collection->span.end_ns)
        return true;
    const uint64_t interval =
        bin->width_ns ? (uint64_t)(start - collection->span.begin_ns) / (uint64_t)bin->width_ns : 0;
    struct cell *cell = count_call(collector, collection, interval, traffic);
    if (!cell)
        return false;
    if (!cell->has_calls)
        cell->head = (struct quipu__undumpi_row_head){.intervals = 1, .first_ns = start};
    cell->has_calls = true;
    cell->head.last_ns = call->wall_stop;
    cell->head.total_ns = cell->head.last_ns - cell->head.first_ns;
    return true;
}

/* ---- Annotations ---- */

static const char *label_of(const struct quipu__undumpi_collector *collector, uint64_t address) {
    const struct quipu__dumpi_file *file = collector->rank.file;
    for (uint32_t i = 0; i < file->label_count; i++)
        if (file->labels[i].address == address)
            return file->labels[i].name;
    return "";
}

/* All intervals of -g are number 0, those of -m count from 1. */
static uint64_t interval_of(const struct quipu__undumpi_bin *bin,
                            const struct quipu__undumpi_collection *collection) {
    return bin->kind == QUIPU__UNDUMPI_GATHER ? 0 : collection->opened;
}

static bool open_interval(struct quipu__undumpi_collector *collector, const struct quipu__undumpi_bin *bin,
                          struct quipu__undumpi_collection *collection) {
    collection->is_open = true;
    collection->since = collector->decoder->common.wall_start;
    collection->opened++;
    struct cell *cell = cell_of(collector, collection, interval_of(bin, collection));
    if (!cell)
        return false;
    if (cell->head.intervals == 0)
        cell->head.first_ns = collection->since;
    cell->head.intervals = collection->opened;
    for (size_t i = 0; i < collector->options->handlers.count; i++) {
        cell->lasts[i].is_set = false;
        measure_bound(collector, cell, i);
    }
    return true;
}

static bool close_interval(struct quipu__undumpi_collector *collector, const struct quipu__undumpi_bin *bin,
                           struct quipu__undumpi_collection *collection) {
    const int64_t now = collector->decoder->common.wall_start;
    struct cell *cell = cell_of(collector, collection, interval_of(bin, collection));
    if (!cell)
        return false;
    for (size_t i = 0; i < collector->options->handlers.count; i++) {
        measure_bound(collector, cell, i);
        end_outside(collector, cell, i);
    }
    collection->is_open = false;
    cell->head.last_ns = now;
    if (bin->kind == QUIPU__UNDUMPI_MARK)
        cell->head.total_ns = now;
    else
        cell->head.total_ns += now - collection->since;
    return true;
}

/* Annotations open and close intervals; the calls between them are counted. */
static bool count_between_marks(struct quipu__undumpi_collector *collector,
                                const struct quipu__undumpi_bin *bin,
                                struct quipu__undumpi_collection *collection,
                                const struct quipu__undumpi_traffic *traffic) {
    if (!is_call(collector)) {
        const char *label = label_of(collector, collector->decoder->data.function_enter.fn);
        const regex_t *wanted = collection->is_open ? &bin->last : &bin->first;
        if (regexec(wanted, label, 0, NULL, 0) != 0)
            return true;
        return collection->is_open ? close_interval(collector, bin, collection)
                                   : open_interval(collector, bin, collection);
    }
    if (!collection->is_open)
        return true;
    struct cell *cell = count_call(collector, collection, interval_of(bin, collection), traffic);
    if (cell)
        cell->has_calls = true;
    return cell != NULL;
}

/* ---- One rank ---- */

bool quipu__undumpi_collector_begin(struct quipu__undumpi_collector *collector,
                                    const struct quipu__dumpi_file *file) {
    quipu__arena_init(&collector->arena, collector->memory);
    collector->rank.file = file;
    collector->rank.next_change = 0;
    quipu__tokens_init(&collector->rank.communicators, collector->memory);
    collector->collections =
        allocate_zero(collector, collector->options->bins.count, sizeof *collector->collections);
    for (size_t b = 0; collector->collections && b < collector->options->bins.count; b++)
        quipu__map_init(&collector->collections[b].numbers, collector->memory);
    return collector->collections != NULL;
}

void quipu__undumpi_collector_end(struct quipu__undumpi_collector *collector) {
    for (size_t b = 0; collector->collections && b < collector->options->bins.count; b++) {
        quipu__map_release(&collector->collections[b].numbers);
        QUIPU__VEC_RELEASE(collector->memory, &collector->collections[b].cells);
    }
    quipu__tokens_release(&collector->rank.communicators);
    quipu__arena_release(&collector->arena);
}

void quipu__undumpi_collector_set_ranges(struct quipu__undumpi_collector *collector) {
    for (size_t b = 0; b < collector->options->bins.count; b++)
        if (collector->options->bins.items[b].kind == QUIPU__UNDUMPI_RANGE)
            set_range(collector, &collector->options->bins.items[b], &collector->collections[b]);
}

bool quipu__undumpi_collector_count(struct quipu__undumpi_collector *collector, uint64_t offset) {
    struct quipu__undumpi_traffic traffic;
    quipu__undumpi_rank_transfer(&collector->rank, offset);
    quipu__undumpi_traffic_of(&collector->rank, collector->decoder->type, &collector->decoder->data, &traffic);
    for (size_t b = 0; b < collector->options->bins.count; b++) {
        const struct quipu__undumpi_bin *bin = &collector->options->bins.items[b];
        struct quipu__undumpi_collection *collection = &collector->collections[b];
        if (!(bin->kind == QUIPU__UNDUMPI_RANGE ? count_in_range(collector, bin, collection, &traffic)
                                                : count_between_marks(collector, bin, collection, &traffic)))
            return false;
    }
    return true;
}

bool quipu__undumpi_collector_add_lines(struct quipu__undumpi_collector *collector,
                                        struct quipu__undumpi_tables *tables) {
    for (uint32_t b = 0; b < collector->options->bins.count; b++) {
        const struct quipu__undumpi_bin *bin = &collector->options->bins.items[b];
        struct quipu__undumpi_collection *collection = &collector->collections[b];
        for (size_t i = 0; i < collection->cells.count; i++) {
            struct cell *cell = &collection->cells.items[i];
            for (size_t k = 0; bin->kind == QUIPU__UNDUMPI_RANGE && k < collector->options->handlers.count; k++)
                end_outside(collector, cell, k);
            if (bin->kind == QUIPU__UNDUMPI_GATHER && !collection->is_open)
                cell->head.total_ns += cell->head.last_ns - collection->since;
            if (cell->has_calls &&
                !quipu__undumpi_tables_add(tables, b, cell->interval, collector->rank.file->rank,
                                           &collection->span, &cell->head, cell->values))
                return false;
        }
    }
    return true;
}
