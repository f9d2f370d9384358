/* counters.c: what counters count in calls: the increase between two values of a metric is shared by time over what its location was in meanwhile, so that
 * what is counted at enter and leave is that of one call. */
#include "analysis/profile/profile.h"

#include "analysis/shared/cells.h"
#include "analysis/shared/counter_increases.h"
#include "analysis/shared/path_text.h"
#include "core/bisect.h"
#include "core/bounded.h"
#include "core/error.h"
#include "state/communication.h"

#include <stdlib.h>

/* clang-format off */
#define COUNTERS_LIST(TABLE, COLUMN, END) \
    TABLE(COUNTERS, "counters", "with --counters: what each counter counts, a row per region at each location, per region or per path") \
    COLUMN(COUNTERS, counter, TEXT, "", "name of the metric") \
    COLUMN(COUNTERS, path, TEXT, "", "with --by path or --tree: regions from the outermost call to the innermost") \
    COLUMN(COUNTERS, region, TEXT, "", "name of the innermost region, null for what happened outside of any") \
    QUIPU__NAMED(COLUMN, COUNTERS, location, "name of the process or thread; null: all together") \
    COLUMN(COUNTERS, total, DECIMAL, "", "what it counts inside it but not inside regions that it called") \
    COLUMN(COUNTERS, unit, TEXT, "", "of that") \
    COLUMN(COUNTERS, share_percent, F64, "%", "the same, of all that it counts") \
    COLUMN(COUNTERS, counted_ns, I64, "ns", "time inside it between values of the metric") \
    COLUMN(COUNTERS, per_second, F64, "", "the total per second of that time; null where it takes none") \
    END(COUNTERS)
/* clang-format on */
QUIPU__NUMBERS(COUNTERS_LIST)
const struct quipu_table_column quipu__counted_columns[QUIPU__COUNTED_COLUMNS] = {
#define NOTHING(...)
#define COLUMN(table, name, type, unit, doc) {#name, QUIPU_TYPE_##type, unit, doc},
    COUNTERS_LIST(NOTHING, COLUMN, NOTHING)
#undef COLUMN
#undef NOTHING
};
_Static_assert((int)COUNTERS_COLUMNS == (int)QUIPU__COUNTED_COLUMNS, "the header counts the columns");

/* What a location was in, from the time of the step before up to a time. */
struct step {
    int64_t from, to;
    uint32_t path;
};

/* Its steps since the earliest of its latest values, and some before. */
struct counted_location {
    QUIPU__VEC(struct step) steps;
    size_t enough; /* steps after which old ones are dropped */
    bool has_values;
};

/* What a metric counts somewhere. */
struct counted_row {
    uint32_t location, what; /* location: QUIPU_NONE: all; what: a path or a region */
    uint32_t metric;
    int64_t time;
    struct quipu__counter_amount amount;
};

struct quipu__counted {
    struct quipu__memory *memory;
    const struct quipu_definitions *definitions;
    enum quipu__profile_by by;
    struct quipu__window window; /* ns */
    struct quipu__communication calls;
    struct quipu__counter_increases increases;
    QUIPU__VEC(struct counted_location) locations;
    QUIPU__VEC(struct counted_row) rows;
    struct quipu__map number_of; /* (location, what) to a number */
    uint32_t numbers;
    struct quipu__map row_of; /* (that number, metric) */
};

/* ---- Steps ---- */

static struct counted_location *location_of(struct quipu__counted *counted, uint32_t location) {
    const size_t known = counted->locations.count;
    if (location < known)
        return &counted->locations.items[location];
    if (!QUIPU__VEC_RESERVE(counted->memory, &counted->locations, location + 1 - known))
        return NULL;
    counted->locations.count = (size_t)location + 1;
    return &counted->locations.items[location];
}

/* Of a location where nothing has a value yet steps do not matter. */
static void add_step(void *context, uint32_t location, uint32_t path, int64_t from, int64_t to) {
    struct quipu__counted *counted = context;
    struct counted_location *at = location_of(counted, location);
    if (!at || !at->has_values)
        return;
    struct step *last = at->steps.count > 0 ? &at->steps.items[at->steps.count - 1] : NULL;
    if (last && last->path == path && last->to == from) {
        last->to = to;
        return;
    }
    struct step *step = QUIPU__VEC_ADD(counted->memory, &at->steps);
    if (step)
        *step = (struct step){from, to, path};
}

/* The first step that ends after a time. */
static size_t step_behind(const struct counted_location *at, int64_t time) {
    size_t low = 0;
    QUIPU__BISECT(low, at->steps.count, i, at->steps.items[i].to <= time);
    return low;
}

/* The earliest of the latest values of a location. */
static int64_t earliest_value(const struct quipu__counted *counted, uint32_t location) {
    int64_t earliest = INT64_MAX;
    for (uint32_t i = 0; i < counted->definitions->metrics.count; i++) {
        const uint32_t number = quipu__map_get(&counted->increases.latest_of, (uint64_t)location << 32 | i);
        if (number != QUIPU_NONE && counted->increases.latest.items[number].time < earliest)
            earliest = counted->increases.latest.items[number].time;
    }
    return earliest;
}

/* Drops steps that no value to come looks back to, when there are twice as many as were left the last time. */
static void drop_steps(struct quipu__counted *counted, struct counted_location *at, uint32_t location) {
    enum { LEAST = 64 };
    if (at->steps.count < (at->enough > LEAST ? at->enough : LEAST))
        return;
    const size_t first = step_behind(at, earliest_value(counted, location));
    for (size_t i = first; i < at->steps.count; i++)
        at->steps.items[i - first] = at->steps.items[i];
    at->steps.count -= first;
    at->enough = 2 * at->steps.count;
}

/* ---- Rows ---- */

static uint32_t number_of(struct quipu__counted *counted, uint32_t location, uint32_t what) {
    const uint64_t key = (uint64_t)location << 32 | what;
    const uint32_t known = quipu__map_get(&counted->number_of, key);
    if (known != QUIPU_NONE)
        return known;
    return quipu__map_put(&counted->number_of, key, counted->numbers) ? counted->numbers++ : QUIPU_NONE;
}

static struct counted_row *row_of(struct quipu__counted *counted, uint32_t location, uint32_t path,
                                  uint32_t metric) {
    const bool is_path = counted->by == QUIPU__PROFILE_BY_path;
    const uint32_t what = is_path ? path : quipu__call_path_region(&counted->calls.paths, path),
                   where = counted->by == QUIPU__PROFILE_BY_location ? location : QUIPU_NONE;
    const uint32_t number = number_of(counted, where, what);
    if (number == QUIPU_NONE)
        return NULL;
    const uint64_t key = (uint64_t)number << 32 | metric;
    const uint32_t known = quipu__map_get(&counted->row_of, key);
    if (known != QUIPU_NONE)
        return &counted->rows.items[known];
    struct counted_row *row = QUIPU__VEC_ADD(counted->memory, &counted->rows);
    if (!row || !quipu__map_put(&counted->row_of, key, (uint32_t)(counted->rows.count - 1)))
        return NULL;
    *row = (struct counted_row){.location = where, .what = what, .metric = metric};
    return row;
}

static void count(struct quipu__counted *counted, const struct quipu__counter_increase *increase, uint32_t path,
                  int64_t from, int64_t to) {
    from = from > counted->window.from ? from : counted->window.from;
    to = to < counted->window.to ? to : counted->window.to;
    struct counted_row *row = from <= to ? row_of(counted, increase->location, path, increase->metric) : NULL;
    if (!row)
        return;
    quipu__counter_amount_add(&row->amount, increase, from, to);
    row->time = quipu__bounded_sum(row->time, quipu__bounded_difference(to, from));
}

/* What takes no time is counted where the location is, if that is in the window. */
static void count_increase(struct quipu__counted *counted, const struct quipu__counter_increase *increase) {
    struct counted_location *at = location_of(counted, increase->location);
    const struct quipu__call_stack *stack = &counted->calls.stacks.items[increase->location];
    if (!at)
        return;
    if (increase->from == increase->to) {
        if (quipu__window_has(&counted->window, increase->to))
            count(counted, increase, stack->calls[stack->depth].path, increase->from, increase->to);
        return;
    }
    for (size_t i = step_behind(at, increase->from); i < at->steps.count; i++) {
        const struct step *step = &at->steps.items[i];
        const int64_t from = step->from > increase->from ? step->from : increase->from,
                      to = step->to < increase->to ? step->to : increase->to;
        if (from < to && from < counted->window.to && to > counted->window.from)
            count(counted, increase, step->path, from, to);
    }
}

/* ---- The fold ---- */

enum quipu_status quipu__counted_new(struct quipu__profile *profile, const struct quipu__fold_start *start,
                                     struct quipu_error *err) {
    struct quipu__counted *counted = profile->counted = quipu__alloc_zero(&profile->memory, sizeof *counted);
    const struct quipu__communication_listener listener = {.context = counted, .step = add_step};
    const struct quipu_clock *clock = &start->definitions->clock;
    if (!counted)
        return quipu__no_memory(err, sizeof *counted);
    counted->memory = &profile->memory;
    counted->definitions = start->definitions;
    counted->by = profile->by;
    counted->window = (struct quipu__window){INT64_MIN, INT64_MAX};
    if (start->window && start->window->from != INT64_MIN)
        counted->window.from = quipu_clock_ns(clock, start->window->from);
    if (start->window && start->window->to != INT64_MAX)
        counted->window.to = quipu_clock_ns(clock, start->window->to);
    quipu__map_init(&counted->number_of, &profile->memory);
    quipu__map_init(&counted->row_of, &profile->memory);
    quipu__counter_increases_init(&counted->increases, &profile->memory, start->definitions);
    if (!quipu__communication_init(&counted->calls, &profile->memory, start->definitions, &listener))
        return quipu__no_memory(err, profile->memory.used);
    counted->calls.only_calls = true;
    return QUIPU_OK;
}

void quipu__counted_free(struct quipu__profile *profile) {
    struct quipu__counted *counted = profile->counted;
    if (!counted)
        return;
    for (size_t i = 0; i < counted->locations.count; i++)
        QUIPU__VEC_RELEASE(&profile->memory, &counted->locations.items[i].steps);
    QUIPU__VEC_RELEASE(&profile->memory, &counted->locations);
    QUIPU__VEC_RELEASE(&profile->memory, &counted->rows);
    quipu__map_release(&counted->number_of);
    quipu__map_release(&counted->row_of);
    quipu__counter_increases_release(&counted->increases);
    if (counted->calls.memory)
        quipu__communication_release(&counted->calls);
    quipu__release(&profile->memory, counted, sizeof *counted);
}

static void add_value(struct quipu__counted *counted, const struct quipu_batch *batch, uint32_t event) {
    const uint32_t location = batch->location[event];
    const int64_t time = quipu__communication_ns(&counted->calls, batch->time[event]);
    struct counted_location *at = location_of(counted, location);
    struct quipu__counter_increase increase;
    if (!at)
        return;
    at->has_values = true;
    if (quipu__counter_increases_add(&counted->increases, batch, event, time, &increase))
        count_increase(counted, &increase);
    drop_steps(counted, at, location);
}

enum quipu_status quipu__counted_consume(struct quipu__profile *profile, const struct quipu_batch *batch,
                                         struct quipu_error *err) {
    struct quipu__counted *counted = profile->counted;
    bool has_memory = true;
    uint32_t first = 0;
    for (uint32_t i = 0; i < batch->count && has_memory; i++) {
        if (batch->kind[i] != QUIPU_KIND_metric)
            continue;
        has_memory = quipu__communication_add_range(&counted->calls, batch, first, i + 1);
        if (has_memory)
            add_value(counted, batch, i);
        first = i + 1;
    }
    has_memory = has_memory && quipu__communication_add_range(&counted->calls, batch, first, batch->count);
    return has_memory ? quipu__memory_status(&profile->memory, err)
                      : quipu__no_memory(err, profile->memory.used);
}

/* ---- The table ---- */

/* For sorting, which has no context. */
struct sorted_row {
    const struct quipu_metric *metric;
    const struct counted_row *row;
};

#define COMPARE(x, y) (((x) > (y)) - ((x) < (y)))

/* By metric, the largest total first; of equals in the order of locations, then of paths or regions. */
static int compare_rows(const void *a, const void *b) {
    const struct sorted_row *x = a, *y = b;
    if (x->row->metric != y->row->metric)
        return COMPARE(x->row->metric, y->row->metric);
    const double one = quipu__counter_number(x->metric, &x->row->amount),
                 other = quipu__counter_number(y->metric, &y->row->amount);
    if (one > other || one < other)
        return one > other ? -1 : 1;
    return x->row->location != y->row->location ? COMPARE(x->row->location, y->row->location)
                                                : COMPARE(x->row->what, y->row->what);
}

/* What the metric of a row counts everywhere. */
static double total_of(const struct sorted_row *rows, size_t count, size_t row) {
    double total = 0;
    size_t first = row;
    while (first > 0 && rows[first - 1].row->metric == rows[row].row->metric)
        first--;
    for (size_t i = first; i < count && rows[i].row->metric == rows[row].row->metric; i++)
        total += quipu__counter_number(rows[i].metric, &rows[i].row->amount);
    return total;
}

static enum quipu_status put_row(const struct quipu__counted *counted, const struct sorted_row *sorted,
                                 double total, struct quipu__buffer *text, struct quipu_table *table,
                                 struct quipu_error *err) {
    const struct counted_row *row = sorted->row;
    const struct quipu_metric *metric = sorted->metric;
    const bool is_path = counted->by == QUIPU__PROFILE_BY_path;
    const uint32_t region = is_path ? quipu__call_path_region(&counted->calls.paths, row->what) : row->what;
    const double share = quipu__counter_number(metric, &row->amount) * 100;
    if (is_path && row->what != QUIPU__NO_CALLS)
        quipu__path_text(&counted->calls.paths, counted->definitions, row->what, text);
    if (text->failed)
        return quipu__no_memory(err, text->len);
    quipu__table_put_text(table, COUNTERS_counter, metric->name);
    quipu__table_put_text(table, COUNTERS_path,
                          is_path && row->what != QUIPU__NO_CALLS ? (const char *)text->data : NULL);
    quipu__table_put_region(table, COUNTERS_region, counted->definitions, region);
    quipu__table_put_location(table, COUNTERS_location, counted->definitions, row->location);
    quipu__table_put_counted(table, COUNTERS_total, metric, &row->amount);
    quipu__table_put_text(table, COUNTERS_unit, metric->unit);
    quipu__table_put_f64_if(table, COUNTERS_share_percent, total > 0, total > 0 ? share / total : 0);
    quipu__table_put_i64(table, COUNTERS_counted_ns, row->time);
    quipu__table_put_rate(table, COUNTERS_per_second, metric, &row->amount, (uint64_t)row->time);
    return quipu__table_end_row(table, err);
}

static enum quipu_status put_rows(const struct quipu__counted *counted, const struct sorted_row *rows,
                                  struct quipu_table *table, struct quipu_error *err) {
    struct quipu__buffer text;
    enum quipu_status status = QUIPU_OK;
    double total = 0;
    quipu__buffer_init(&text, counted->memory, 0);
    for (size_t i = 0; i < counted->rows.count && status == QUIPU_OK; i++) {
        if (i == 0 || rows[i].row->metric != rows[i - 1].row->metric)
            total = total_of(rows, counted->rows.count, i);
        status = put_row(counted, &rows[i], total, &text, table, err);
    }
    quipu__buffer_release(&text);
    return status;
}

enum quipu_status quipu__counted_finish(struct quipu__profile *profile, struct quipu_table *table,
                                        struct quipu_error *err) {
    const struct quipu__counted *counted = profile->counted;
    const size_t count = counted->rows.count, bytes = count * sizeof(struct sorted_row);
    struct sorted_row *sorted = count > 0 ? quipu__alloc(&profile->memory, bytes) : NULL;
    if (count > 0 && !sorted)
        return quipu__no_memory(err, bytes);
    for (size_t i = 0; i < count; i++)
        sorted[i] = (struct sorted_row){&counted->definitions->metrics.items[counted->rows.items[i].metric],
                                        &counted->rows.items[i]};
    if (count > 0)
        qsort(sorted, count, sizeof *sorted, compare_rows);
    const enum quipu_status status = put_rows(counted, sorted, table, err);
    quipu__release(&profile->memory, sorted, bytes);
    return status == QUIPU_OK ? quipu__memory_status(&profile->memory, err) : status;
}
