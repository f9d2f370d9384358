/* calls.c: single calls: the longest ones with what happened in them, the durations of each region's, and how they are distributed. */
#include "analysis/shared/cells.h"
#include "analysis/shared/fold.h"
#include "analysis/shared/unfinished_calls.h"
#include "analysis/shared/unknown_names.h"
#include "core/bounded.h"
#include "core/error.h"
#include "core/memory/pack.h"
#include "core/memory/vec.h"
#include "state/finished_calls.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Tables ---- */

/* clang-format off */
#define CALLS_TABLES(TABLE, COLUMN, END) \
    TABLE(LONGEST, "longest", "the longest calls") \
    COLUMN(LONGEST, region, TEXT, "", "name of the region") \
    COLUMN(LONGEST, duration_ns, I64, "ns", "from enter to leave; in a window the part of it inside") \
    COLUMN(LONGEST, location, TEXT, "", "name of the process or thread") \
    COLUMN(LONGEST, start_ns, TIME, "ns", "when it was entered, or the window began then, from the trace's origin") \
    COLUMN(LONGEST, peer, TEXT, "", "the other side of its first message") \
    COLUMN(LONGEST, tag, I64, "", "tag of its first message") \
    COLUMN(LONGEST, messages, U64, "", "messages sent and received in it, but not in calls that it made") \
    COLUMN(LONGEST, bytes_sent, U64, "bytes", "bytes that its messages and collective operations sent") \
    COLUMN(LONGEST, bytes_received, U64, "bytes", "bytes that they received") \
    COLUMN(LONGEST, depth, U64, "", "calls that were active around it") \
    COLUMN(LONGEST, unfinished, U64, "", "1: it was never left, and ends with the last call, message or collective operation of its location") \
    COLUMN(LONGEST, location_id, I64, "", "the format's own number of the location") \
    COLUMN(LONGEST, region_id, I64, "", "the format's own number of the region") \
    END(LONGEST) \
    TABLE(REGIONS, "regions", "durations of the calls of each region") \
    COLUMN(REGIONS, region, TEXT, "", "name of the region") \
    COLUMN(REGIONS, calls, U64, "", "number of calls") \
    COLUMN(REGIONS, min_ns, I64, "ns", "the shortest call") \
    COLUMN(REGIONS, mean_ns, I64, "ns", "the mean of all calls; in a window of their parts inside") \
    COLUMN(REGIONS, max_ns, I64, "ns", "the longest call") \
    COLUMN(REGIONS, total_ns, I64, "ns", "all calls, recursive ones too") \
    COLUMN(REGIONS, region_id, I64, "", "the format's own number of the region") \
    END(REGIONS) \
    TABLE(HISTOGRAM, "histogram", "calls by their duration") \
    COLUMN(HISTOGRAM, from_ns, I64, "ns", "shortest duration of the bin") \
    COLUMN(HISTOGRAM, to_ns, I64, "ns", "shortest duration of the next bin; null in the last one") \
    COLUMN(HISTOGRAM, calls, U64, "", "calls that took so long") \
    COLUMN(HISTOGRAM, time_ns, I64, "ns", "time that they took together") \
    END(HISTOGRAM)
/* clang-format on */
QUIPU__TABLES(CALLS_TABLES)
static const struct quipu_analysis_table tables[] = {QUIPU__SHAPES(CALLS_TABLES)};

/* ---- What is known ---- */

/* Durations in nanoseconds, of calls or of their parts in a window. calls: how many were entered there; counted: how many lie there. */
struct durations {
    uint64_t calls, counted;
    int64_t total;
    int64_t back; /* of calls that end before they begin, where times go back: apart, since sums are bounded */
    int64_t least, most;
};

/* Bins begin at 0, 1, 2, 5, 10, 20, 50 … ns. */
enum { BINS = 57 };

struct calls {
    struct quipu__memory memory;
    const struct quipu_definitions *definitions;
    const char *pattern; /* of names of regions; NULL: all */
    struct quipu_calls *active;
    struct quipu_call *longest; /* the longest first */
    size_t longest_count, longest_most;
    QUIPU__VEC(struct durations) regions;
    struct durations bins[BINS];
    struct quipu__unfinished_counter unfinished;
    bool has_all; /* no selection takes the ends of calls away */
    struct quipu__window window;
};

static int64_t duration_of(const struct calls *calls, const struct quipu_call *call) {
    const struct quipu_clock *clock = &calls->definitions->clock;
    return quipu__bounded_difference(quipu_clock_ns(clock, call->leave), quipu_clock_ns(clock, call->enter));
}

static int64_t total_of(const struct durations *durations) {
    return quipu__bounded_sum(durations->total, durations->back);
}

static void add_durations(struct durations *to, const struct durations *from) {
    if (from->counted == 0)
        return;
    to->least = to->counted == 0 || from->least < to->least ? from->least : to->least;
    to->most = to->counted == 0 || from->most > to->most ? from->most : to->most;
    to->total = quipu__bounded_sum(to->total, from->total);
    to->back = quipu__bounded_sum(to->back, from->back);
    to->calls += from->calls;
    to->counted += from->counted;
}

/* Exact: a double holds 5^18 times any power of two. */
#define DECADE(power) (int64_t)1e##power, (int64_t)2e##power, (int64_t)5e##power

static const int64_t bin_starts[BINS] = {
    0,          DECADE(0),  DECADE(1),  DECADE(2),  DECADE(3),  DECADE(4),     DECADE(5),
    DECADE(6),  DECADE(7),  DECADE(8),  DECADE(9),  DECADE(10), DECADE(11),    DECADE(12),
    DECADE(13), DECADE(14), DECADE(15), DECADE(16), DECADE(17), (int64_t)1e18, (int64_t)2e18,
};

static unsigned bin_of(int64_t ns) {
    unsigned number = 0, end = BINS;
    while (end - number > 1) {
        const unsigned middle = (number + end) / 2;
        if (bin_starts[middle] <= ns)
            number = middle;
        else
            end = middle;
    }
    return number;
}

/* ---- The longest ---- */

#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

/* Negative when x comes first. Calls that are equal are of one stream, so that chance decides nothing as long as they stay in its order. */
static int compare(const struct calls *calls, const struct quipu_call *x, const struct quipu_call *y) {
    const int64_t x_duration = duration_of(calls, x), y_duration = duration_of(calls, y);
    if (x_duration != y_duration)
        return x_duration > y_duration ? -1 : 1;
    if (x->enter != y->enter)
        return COMPARE(x->enter, y->enter);
    if (x->location != y->location)
        return COMPARE(x->location, y->location);
    return x->depth != y->depth ? COMPARE(x->depth, y->depth) : COMPARE(x->stream, y->stream);
}

/* Puts a call in its order; the shortest one goes when there are too many. */
static void add_longest(struct calls *calls, const struct quipu_call *call) {
    const size_t most = calls->longest_most;
    if (most == 0 || (calls->longest_count == most && compare(calls, call, &calls->longest[most - 1]) >= 0))
        return;
    size_t rank = calls->longest_count < most ? calls->longest_count++ : most - 1;
    for (; rank > 0 && compare(calls, call, &calls->longest[rank - 1]) < 0; rank--)
        calls->longest[rank] = calls->longest[rank - 1];
    calls->longest[rank] = *call;
}

/* ---- Calls ---- */

static const struct quipu_region *region_at(const struct calls *calls, uint32_t region) {
    return region < calls->definitions->regions.count ? &calls->definitions->regions.items[region] : NULL;
}

static bool is_chosen(const struct calls *calls, uint32_t region) {
    const struct quipu_region *defined = region_at(calls, region);
    return !calls->pattern || (defined && fnmatch(calls->pattern, defined->name, 0) == 0);
}

static bool add_region(struct calls *calls, uint32_t region, const struct durations *durations) {
    const uint32_t number = region == QUIPU_NONE ? 0 : region + 1;
    const size_t known = calls->regions.count;
    if (number >= known) {
        if (!QUIPU__VEC_RESERVE(&calls->memory, &calls->regions, (size_t)number + 1 - known))
            return false;
        calls->regions.count = (size_t)number + 1;
    }
    add_durations(&calls->regions.items[number], durations);
    return true;
}

static inline bool lies_inside(const struct quipu__window *window, const struct quipu_call *call) {
    return QUIPU__LIKELY(call->enter >= window->from && call->leave < window->to);
}

/* Cuts a call to the window. False when nothing of it lies inside. */
static bool cut(const struct quipu__window *window, struct quipu_call *call) {
    const bool is_entered = quipu__window_has(window, call->enter);
    if (!is_entered && (call->enter >= window->from || call->leave <= window->from))
        return false;
    call->is_unfinished &= is_entered;
    call->enter = is_entered ? call->enter : window->from;
    call->leave = quipu__window_has(window, call->leave) ? call->leave : window->to;
    return true;
}

/* Takes in the calls that have ended. False when memory is out. */
static bool take_ended(struct calls *calls) {
    struct quipu_call call;
    bool has_room = true;
    while (quipu_calls_next(calls->active, &call)) {
        const bool is_inside = lies_inside(&calls->window, &call);
        const bool is_entered = is_inside || quipu__window_has(&calls->window, call.enter);
        if (!is_chosen(calls, call.region) || (!is_inside && !cut(&calls->window, &call)))
            continue;
        const int64_t ns = duration_of(calls, &call);
        const struct durations durations = {.calls = is_entered,
                                            .counted = 1,
                                            .total = ns > 0 ? ns : 0,
                                            .back = ns < 0 ? ns : 0,
                                            .least = ns,
                                            .most = ns};
        add_longest(calls, &call);
        add_durations(&calls->bins[bin_of(ns)], &durations);
        has_room =
            has_room && add_region(calls, call.region, &durations) &&
            quipu__unfinished_calls_add(&calls->unfinished, &calls->memory, call.location, call.is_unfinished);
    }
    return has_room;
}

static enum quipu_status end_all(struct calls *calls, struct quipu_error *err) {
    const enum quipu_status status = quipu_calls_end(calls->active, err);
    if (status != QUIPU_OK)
        return status;
    return take_ended(calls) ? QUIPU_OK : quipu__no_memory(err, calls->memory.used);
}

/* ---- The fold ---- */

static void release(void *state) {
    struct calls *calls = state;
    quipu_calls_free(calls->active);
    quipu__release(&calls->memory, calls->longest, calls->longest_most * sizeof *calls->longest);
    QUIPU__VEC_RELEASE(&calls->memory, &calls->regions);
    quipu__unfinished_calls_release(&calls->unfinished, &calls->memory);
    quipu__fold_state_release(calls, sizeof *calls);
}

static size_t number_of(const struct quipu__settings *settings, const char *name) {
    return (size_t)strtoull(quipu__settings_value(settings, name), NULL, 10);
}

/* A name that no region has is a slip; a region without calls is an answer. */
static bool knows_chosen(const struct calls *calls) {
    bool is_known = !calls->pattern;
    for (uint32_t i = 0; i < calls->definitions->regions.count && !is_known; i++)
        is_known = is_chosen(calls, i);
    return is_known;
}

static enum quipu_status begin(const struct quipu__fold_start *start, void **state, struct quipu_error *err) {
    struct calls *calls = quipu__fold_state(start, sizeof *calls, state);
    if (!calls)
        return quipu__no_memory(err, sizeof *calls);
    calls->definitions = start->definitions;
    calls->has_all = quipu__selects_all_calls(start->selection);
    calls->pattern = quipu__settings_value(&start->settings, "region");
    calls->window = start->window ? *start->window : (struct quipu__window){INT64_MIN, INT64_MAX};
    if (!knows_chosen(calls))
        return quipu__no_region(calls->definitions, calls->pattern, err);
    const size_t most = number_of(&start->settings, "top");
    if (most > SIZE_MAX / sizeof *calls->longest)
        return quipu__no_memory(err, most);
    if (most > 0)
        calls->longest = quipu__alloc_zero(&calls->memory, most * sizeof *calls->longest);
    if (most > 0 && !calls->longest)
        return quipu__no_memory(err, most * sizeof *calls->longest);
    calls->longest_most = most;
    const enum quipu_status status =
        quipu__calls_new(&calls->memory, start->definitions, false, &calls->active, err);
    if (status == QUIPU_OK)
        quipu__calls_narrow(calls->active, calls->window.from, calls->window.to);
    return status;
}

static enum quipu_status consume(void *state, const struct quipu_batch *batch, struct quipu_error *err) {
    struct calls *calls = state;
    const enum quipu_status status = quipu_calls_add(calls->active, batch, err);
    if (status != QUIPU_OK)
        return status;
    return take_ended(calls) ? QUIPU_OK : quipu__no_memory(err, calls->memory.used);
}

static enum quipu_status combine(void *state, void *other, struct quipu_error *err) {
    struct calls *calls = state, *other_calls = other;
    const enum quipu_status status = end_all(other_calls, err);
    if (status != QUIPU_OK)
        return status;
    for (size_t i = 0; i < other_calls->longest_count; i++)
        add_longest(calls, &other_calls->longest[i]);
    for (unsigned i = 0; i < BINS; i++)
        add_durations(&calls->bins[i], &other_calls->bins[i]);
    for (size_t i = 0; i < other_calls->regions.count; i++)
        if (!add_region(calls, i == 0 ? QUIPU_NONE : (uint32_t)(i - 1), &other_calls->regions.items[i]))
            return quipu__no_memory(err, calls->memory.used);
    return quipu__unfinished_calls_combine(&calls->unfinished, &calls->memory, &other_calls->unfinished)
               ? QUIPU_OK
               : quipu__no_memory(err, calls->memory.used);
}

/* ---- As bytes ----
 *
 *     number of the longest calls, { call }, bins, number of regions, { durations }, unfinished calls, their locations
 *
 * Durations without calls are a 0.
 */

static void save_call(const struct quipu_call *call, struct quipu__buffer *out) {
    const uint32_t numbers[] = {call->location, call->stream,        call->region, call->depth,
                                call->peer,     call->is_unfinished, call->parent};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        quipu__pack_u64(out, numbers[i]);
    quipu__pack_i64(out, call->enter);
    quipu__pack_i64(out, call->leave);
    quipu__pack_u64(out, call->messages);
    quipu__pack_i64(out, call->tag);
    quipu__pack_u64(out, call->bytes_sent);
    quipu__pack_u64(out, call->bytes_received);
}

static struct quipu_call load_call(struct quipu__slice *from) {
    struct quipu_call call = {0};
    uint32_t is_unfinished;
    uint32_t *const numbers[] = {&call.location, &call.stream,   &call.region, &call.depth,
                                 &call.peer,     &is_unfinished, &call.parent};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        *numbers[i] = (uint32_t)quipu__unpack_up_to(from, QUIPU_NONE);
    call.is_unfinished = is_unfinished != 0;
    call.enter = quipu__unpack_i64(from);
    call.leave = quipu__unpack_i64(from);
    call.messages = quipu__unpack_u64(from);
    call.tag = quipu__unpack_i64(from);
    call.bytes_sent = quipu__unpack_u64(from);
    call.bytes_received = quipu__unpack_u64(from);
    return call;
}

static void save_durations(const struct durations *durations, struct quipu__buffer *out) {
    quipu__pack_u64(out, durations->counted);
    if (durations->counted == 0)
        return;
    quipu__pack_u64(out, durations->calls);
    quipu__pack_i64(out, durations->total);
    quipu__pack_i64(out, durations->back);
    quipu__pack_i64(out, durations->least);
    quipu__pack_i64(out, durations->most);
}

static struct durations load_durations(struct quipu__slice *from) {
    struct durations durations = {.counted = quipu__unpack_u64(from)};
    if (durations.counted == 0)
        return durations;
    durations.calls = quipu__unpack_u64(from);
    durations.total = quipu__unpack_i64(from);
    durations.back = quipu__unpack_i64(from);
    durations.least = quipu__unpack_i64(from);
    durations.most = quipu__unpack_i64(from);
    return durations;
}

static enum quipu_status save(void *state, struct quipu__buffer *out, struct quipu_error *err) {
    struct calls *calls = state;
    const struct quipu__unfinished_counter *unfinished = &calls->unfinished;
    const enum quipu_status status = end_all(calls, err);
    if (status != QUIPU_OK)
        return status;
    quipu__pack_u64(out, calls->longest_count);
    for (size_t i = 0; i < calls->longest_count; i++)
        save_call(&calls->longest[i], out);
    for (unsigned i = 0; i < BINS; i++)
        save_durations(&calls->bins[i], out);
    quipu__pack_u64(out, calls->regions.count);
    for (size_t i = 0; i < calls->regions.count; i++)
        save_durations(&calls->regions.items[i], out);
    quipu__pack_u64(out, unfinished->counts.calls);
    quipu__pack_u64(out, unfinished->counts.locations);
    for (size_t i = 0; i < unfinished->known.count; i++)
        if (unfinished->known.items[i])
            quipu__pack_u64(out, i);
    return QUIPU_OK;
}

/* A number of things, each of which has a byte at least. */
static uint64_t load_count(struct quipu__slice *from) {
    return quipu__unpack_up_to(from, quipu__slice_left(from));
}

/* False when memory is out. */
static bool load_regions(struct calls *calls, struct quipu__slice *from) {
    const uint64_t count = load_count(from);
    bool has_room = true;
    from->failed |= count > (uint64_t)calls->definitions->regions.count + 1;
    for (uint64_t i = 0; i < count && has_room && !from->failed; i++) {
        const struct durations durations = load_durations(from);
        has_room = add_region(calls, i == 0 ? QUIPU_NONE : (uint32_t)(i - 1), &durations);
    }
    return has_room;
}

static bool load_unfinished(struct calls *calls, struct quipu__slice *from) {
    const uint64_t all = quipu__unpack_u64(from), count = load_count(from);
    bool has_room = true;
    for (uint64_t i = 0; i < count && has_room && !from->failed; i++) {
        const uint64_t location = quipu__unpack_u64(from);
        from->failed |= location >= calls->definitions->locations.count;
        has_room = from->failed ||
                   quipu__unfinished_calls_add(&calls->unfinished, &calls->memory, (uint32_t)location, 1);
    }
    calls->unfinished.counts.calls = all;
    return has_room;
}

static enum quipu_status load(const struct quipu__fold_start *start, struct quipu__slice *from, void **state,
                              struct quipu_error *err) {
    const enum quipu_status status = begin(start, state, err);
    struct calls *calls = *state;
    if (status != QUIPU_OK)
        return status;
    for (uint64_t left = load_count(from); left > 0 && !from->failed; left--) {
        const struct quipu_call call = load_call(from);
        if (!from->failed)
            add_longest(calls, &call);
    }
    for (unsigned i = 0; i < BINS; i++)
        calls->bins[i] = load_durations(from);
    return load_regions(calls, from) && load_unfinished(calls, from)
               ? QUIPU_OK
               : quipu__no_memory(err, calls->memory.used);
}

/* ---- Showing ---- */

static enum quipu_status show_call(const struct calls *calls, const struct quipu_call *call,
                                   struct quipu_table *table, struct quipu_error *err) {
    const struct quipu_definitions *definitions = calls->definitions;
    quipu__table_put_region(table, LONGEST_region, definitions, call->region);
    quipu__table_put_i64(table, LONGEST_duration_ns, duration_of(calls, call));
    quipu__table_put_name(table, LONGEST_location, definitions, QUIPU_REFERS_LOCATION, call->location);
    quipu__table_put_time(table, LONGEST_start_ns, quipu_clock_ns(&definitions->clock, call->enter));
    quipu__table_put_name(table, LONGEST_peer, definitions, QUIPU_REFERS_LOCATION, call->peer);
    quipu__table_put_i64_if(table, LONGEST_tag, call->messages > 0, call->tag);
    quipu__table_put_u64(table, LONGEST_messages, call->messages);
    quipu__table_put_u64(table, LONGEST_bytes_sent, call->bytes_sent);
    quipu__table_put_u64(table, LONGEST_bytes_received, call->bytes_received);
    quipu__table_put_u64(table, LONGEST_depth, call->depth);
    quipu__table_put_u64(table, LONGEST_unfinished, call->is_unfinished);
    quipu__table_put_id(table, LONGEST_location_id, definitions, QUIPU_REFERS_LOCATION, call->location);
    quipu__table_put_id(table, LONGEST_region_id, definitions, QUIPU_REFERS_REGION, call->region);
    return quipu__table_end_row(table, err);
}

static enum quipu_status show_longest(const struct calls *calls, struct quipu_tables *list,
                                      struct quipu_error *err) {
    struct quipu_table *table;
    enum quipu_status status = quipu__tables_add(list, &tables[LONGEST], &table, err);
    for (size_t i = 0; i < calls->longest_count && status == QUIPU_OK; i++)
        status = show_call(calls, &calls->longest[i], table, err);
    return status;
}

static enum quipu_status show_region(const struct calls *calls, size_t number, struct quipu_table *table,
                                     struct quipu_error *err) {
    const struct durations *durations = &calls->regions.items[number];
    const uint32_t region = number == 0 ? QUIPU_NONE : (uint32_t)(number - 1);
    const int64_t total = total_of(durations);
    if (durations->counted == 0)
        return QUIPU_OK;
    quipu__table_put_region(table, REGIONS_region, calls->definitions, region);
    quipu__table_put_u64(table, REGIONS_calls, durations->calls);
    quipu__table_put_i64(table, REGIONS_min_ns, durations->least);
    quipu__table_put_i64(table, REGIONS_mean_ns, total / (int64_t)durations->counted);
    quipu__table_put_i64(table, REGIONS_max_ns, durations->most);
    quipu__table_put_i64(table, REGIONS_total_ns, total);
    quipu__table_put_id(table, REGIONS_region_id, calls->definitions, QUIPU_REFERS_REGION, region);
    return quipu__table_end_row(table, err);
}

static enum quipu_status show_regions(const struct calls *calls, struct quipu_tables *list,
                                      struct quipu_error *err) {
    struct quipu_table *table;
    enum quipu_status status = quipu__tables_add(list, &tables[REGIONS], &table, err);
    for (size_t i = 0; i < calls->regions.count && status == QUIPU_OK; i++)
        status = show_region(calls, i, table, err);
    if (status == QUIPU_OK)
        quipu_table_sort(table, REGIONS_total_ns, true);
    return status;
}

/* From the first bin with calls to the last one. */
static enum quipu_status show_histogram(const struct calls *calls, struct quipu_tables *list,
                                        struct quipu_error *err) {
    struct quipu_table *table;
    unsigned first = 0, past = BINS;
    enum quipu_status status = quipu__tables_add(list, &tables[HISTOGRAM], &table, err);
    while (first < BINS && calls->bins[first].counted == 0)
        first++;
    while (past > first && calls->bins[past - 1].counted == 0)
        past--;
    for (unsigned i = first; i < past && status == QUIPU_OK; i++) {
        const bool is_last = i + 1 == BINS;
        quipu__table_put_i64(table, HISTOGRAM_from_ns, bin_starts[i]);
        quipu__table_put_i64_if(table, HISTOGRAM_to_ns, !is_last, is_last ? 0 : bin_starts[i + 1]);
        quipu__table_put_u64(table, HISTOGRAM_calls, calls->bins[i].calls);
        quipu__table_put_i64(table, HISTOGRAM_time_ns, total_of(&calls->bins[i]));
        status = quipu__table_end_row(table, err);
    }
    return status;
}

static enum quipu_status finish(void *state, struct quipu_tables *list, struct quipu_error *err) {
    struct calls *calls = state;
    enum quipu_status status = end_all(calls, err);
    if (calls->has_all)
        quipu__unfinished_calls_note(&calls->unfinished.counts, list);
    if (status == QUIPU_OK)
        status = show_longest(calls, list, err);
    if (status == QUIPU_OK)
        status = show_regions(calls, list, err);
    return status == QUIPU_OK ? show_histogram(calls, list, err) : status;
}

static const struct quipu_option options[] = {
    {.name = "region",
     .kind = QUIPU_OPTION_TEXT,
     .argument = "REGION",
     .letter = 'r',
     .doc = "only calls of regions of this name, in which * and ? stand for anything"},
    {.name = "top",
     .kind = QUIPU_OPTION_NUMBER,
     .argument = "N",
     .default_value = "20",
     .doc = "list the N longest calls; default 20"},
};

const struct quipu__fold quipu__calls_fold = {
    .info =
        {.name = "calls",
         .doc = "show the longest calls",
         .details =
             "Lists the longest calls with their location, start, the peer and tag of their first message and "
             "their bytes; "
             "the shortest, mean and longest call of each region; and how many calls took how long. A call "
             "that is never left "
             "ends with the last call, message or collective operation of its location, as in \"quipu "
             "profile\". With --since and --until calls count with their part in the window, and as calls "
             "where they were "
             "entered.\n\n"
             "Text shows times in a unit of their size, unless --unit fixes it; JSON and CSV have nanoseconds.",
         .examples = "quipu calls run.trace --top 5 # the five longest calls\n"
                     "quipu calls run.trace --region 'MPI_Recv' --where 'rank == 3' # receives of one rank",
         .options = options,
         .option_count = sizeof options / sizeof *options,
         .tables = tables,
         .table_count = 3,
         .empty_answer = "no calls"},
    .kinds = QUIPU_KIND_BIT(QUIPU_KIND_enter) | QUIPU_KIND_BIT(QUIPU_KIND_leave) |
             QUIPU_KIND_BIT(QUIPU_KIND_send) | QUIPU_KIND_BIT(QUIPU_KIND_recv) |
             QUIPU_KIND_BIT(QUIPU_KIND_collective_begin),
    .cuts_calls = true,
    .begin = begin,
    .consume = consume,
    .combine = combine,
    .save = save,
    .load = load,
    .finish = finish,
    .release = release,
};
