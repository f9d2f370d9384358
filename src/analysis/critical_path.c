/* critical_path.c: what the run time consists of: from the last event backwards, and at the end of each wait to whoever was
 * waited for. A first reading finds the waits, a second one which regions the path leads through. */
#include "analysis/shared/between.h"
#include "analysis/shared/cells.h"
#include "analysis/shared/matching_table.h"
#include "analysis/shared/settings.h"
#include "analysis/waits/wait_states.h"
#include "core/bounded.h"
#include "core/error.h"
#include "core/scale.h"
#include "core/memory/sort.h"
#include "state/unneeded_calls.h"

#include <stdlib.h>
#include <string.h>

/* A wait that the path may lead through. */
struct path_wait {
    int64_t from, to;
    uint32_t location, peer;
    enum quipu__wait_pattern pattern;
};

struct path_segment {
    int64_t from, to;
    uint32_t location, region;
    int reason;      /* enum quipu__wait_pattern, -1: the end */
    int64_t outside; /* its longest time outside of any region, and the calls around that */
    struct quipu__calls_around around;
};

/* Time of a segment outside of any region, whose next call is not known yet. */
struct path_gap {
    struct path_segment *segment;
    int64_t time;
};

/* Where a location is in its segments when they are filled with regions. */
struct path_cursor {
    struct path_segment **segments; /* of the location, by time */
    uint32_t count, next;
    int64_t next_begin;  /* when the next one begins, or has begun; INT64_MAX: there is none */
    int64_t first, last; /* its events of any kind */
    int64_t reached;     /* until when its time has been counted */
    int64_t most;        /* in one region of the segment */
    int64_t *times;      /* by region plus 1, in the segment */
    uint32_t latest;     /* path of its latest call */
    QUIPU__VEC(struct path_gap) gaps;
    bool is_done; /* all its time has been counted */
};

struct region_times {
    int64_t on_path;
    int64_t total; /* of all locations; at the end without waits */
    int64_t waits;
};

struct critical_path {
    struct quipu__memory memory;
    const struct quipu_definitions *definitions;
    struct quipu__reported reported;
    struct quipu__wait_states states;
    struct quipu__unneeded_calls computing; /* they do not matter in the first pass */
    QUIPU__VEC(struct path_wait) waits;
    QUIPU__VEC(struct path_segment) segments; /* the last one first until the walk is over */
    QUIPU__VEC(struct region_times) regions;  /* by region plus 1; 0: outside of any */
    struct quipu__calls_numbers around;       /* of time on the path outside of any */
    QUIPU__VEC(int64_t) outside;              /* such time, by their numbers */
    bool is_filling;                          /* the second pass */
    struct quipu__communication calls;        /* of the second pass */
    bool has_calls;
    QUIPU__VEC(struct path_cursor) cursors; /* by location */
    size_t time_count; /* of a cursor: regions of the first pass, even if the second one should find more */
    struct path_segment **by_location; /* segments, for the cursors */
    int64_t begin, end;
    int64_t shown_from, shown_to; /* as far as that is reported */
    uint64_t locations;           /* with events, of those that are reported */
};

/* The times of a region; NULL when memory is out. */
static struct region_times *critical_path_region(struct critical_path *path, uint32_t region) {
    const size_t index = (size_t)(uint32_t)(region + 1), known = path->regions.count;
    if (index < known)
        return &path->regions.items[index];
    if (!QUIPU__VEC_RESERVE(&path->memory, &path->regions, index + 1 - known))
        return NULL;
    path->regions.count = index + 1;
    return &path->regions.items[index];
}

/* ==== The second reading ====
 *
 * How long locations are in regions, and which of these the path leads through: a second reading of the calls, location by location. Threads
 * share it by location.
 */

/* ---- Segments of locations ---- */

static void set_next_begin(struct path_cursor *cursor) {
    cursor->next_begin = cursor->next < cursor->count ? cursor->segments[cursor->next]->from : INT64_MAX;
}

/* Gives each cursor room for the segments of its location, and these in their order. */
static bool distribute(struct critical_path *path) {
    const size_t bytes = path->segments.count * sizeof *path->by_location;
    if (bytes == 0)
        return true;
    path->by_location = quipu__alloc(&path->memory, bytes);
    if (!path->by_location)
        return false;
    for (size_t i = 0; i < path->segments.count; i++)
        path->cursors.items[path->segments.items[i].location].count++;
    struct path_segment **room = path->by_location;
    for (size_t i = 0; i < path->cursors.count; i++) {
        path->cursors.items[i].segments = room;
        room += path->cursors.items[i].count;
        path->cursors.items[i].count = 0;
    }
    for (uint32_t i = 0; i < path->segments.count; i++) {
        struct path_cursor *cursor = &path->cursors.items[path->segments.items[i].location];
        cursor->segments[cursor->count++] = &path->segments.items[i];
    }
    for (size_t i = 0; i < path->cursors.count; i++)
        set_next_begin(&path->cursors.items[i]);
    return true;
}

/* ---- Times ---- */

static void add_gap(struct critical_path *path, struct path_cursor *cursor, struct path_segment *segment,
                    int64_t time) {
    struct path_gap *gap = QUIPU__VEC_ADD(&path->memory, &cursor->gaps);
    if (gap)
        *gap = (struct path_gap){segment, time};
}

/* Time on the path between calls. */
static void add_outside(struct critical_path *path, struct quipu__calls_around calls, int64_t time) {
    const uint32_t number = quipu__calls_number(&path->around, calls);
    const size_t known = path->outside.count;
    if (number == QUIPU_NONE)
        return;
    if (number >= known) {
        if (!QUIPU__VEC_RESERVE(&path->memory, &path->outside, number + 1 - known))
            return;
        path->outside.count = (size_t)number + 1;
    }
    path->outside.items[number] = quipu__bounded_sum(path->outside.items[number], time);
}

/* The location has come to a call, or to its end: the time before it is between that and the latest one. Of segments the longest such time is told. */
static void close_gaps(struct critical_path *path, struct path_cursor *cursor, uint32_t next) {
    const struct quipu__call_paths *paths = &path->calls.paths;
    const struct quipu__calls_around calls = {quipu__call_path_outermost(paths, cursor->latest),
                                              quipu__call_path_outermost(paths, next)};
    for (size_t i = 0; i < cursor->gaps.count; i++) {
        const struct path_gap *gap = &cursor->gaps.items[i];
        add_outside(path, calls, gap->time);
        if (gap->time <= gap->segment->outside)
            continue;
        gap->segment->outside = gap->time;
        gap->segment->around = calls;
    }
    cursor->gaps.count = 0;
}

/* Counts time on the path, and says which region a segment spends most in. */
static void add_time(struct critical_path *path, struct path_cursor *cursor, struct path_segment *segment,
                     uint32_t region, int64_t time) {
    struct region_times *times = critical_path_region(path, region);
    if (!times)
        return;
    times->on_path = quipu__bounded_sum(times->on_path, time);
    if (region == QUIPU_NONE)
        add_gap(path, cursor, segment, time);
    if (!cursor->times)
        cursor->times = quipu__alloc_zero(&path->memory, path->time_count * sizeof *cursor->times);
    const size_t index = (size_t)(uint32_t)(region + 1);
    if (!cursor->times || index >= path->time_count)
        return;
    cursor->times[index] = quipu__bounded_sum(cursor->times[index], time);
    if (cursor->times[index] > cursor->most) {
        cursor->most = cursor->times[index];
        segment->region = region;
    }
}

/* The next segment has times of its own. */
static void next_segment(const struct critical_path *path, struct path_cursor *cursor) {
    cursor->next++;
    cursor->most = 0;
    set_next_begin(cursor);
    if (cursor->times)
        memset(cursor->times, 0, path->time_count * sizeof *cursor->times);
}

/* Counts what of a span lies on the path. */
static void add_span(struct critical_path *path, struct path_cursor *cursor, uint32_t region, int64_t to) {
    while (cursor->next_begin < to) {
        struct path_segment *segment = cursor->segments[cursor->next];
        const int64_t begin = segment->from > cursor->reached ? segment->from : cursor->reached;
        const int64_t end = segment->to < to ? segment->to : to;
        if (end > begin)
            add_time(path, cursor, segment, region, quipu__bounded_difference(end, begin));
        if (segment->to > to)
            break;
        next_segment(path, cursor);
    }
    cursor->reached = to;
}

static void add_total(struct critical_path *path, uint32_t location, uint32_t region, int64_t from,
                      int64_t to) {
    from = quipu__reported_from(&path->reported, from);
    to = quipu__reported_to(&path->reported, to);
    if (from >= to || !quipu__reports(&path->reported, location))
        return;
    struct region_times *times = critical_path_region(path, region);
    if (times)
        times->total = quipu__bounded_sum(times->total, quipu__bounded_difference(to, from));
}

static void add_step(void *context, uint32_t location, uint32_t number, int64_t from, int64_t to) {
    struct critical_path *path = context;
    if (location >= path->cursors.count)
        return;
    struct path_cursor *cursor = &path->cursors.items[location];
    const uint32_t region = quipu__call_path_region(&path->calls.paths, number);
    add_total(path, location, region, from, to);
    const bool is_on_path = cursor->next_begin < to; /* nearly always others are */
    if (QUIPU__UNLIKELY(is_on_path) && cursor->reached < from)
        add_span(path, cursor, QUIPU_NONE, from);
    if (number != QUIPU__NO_CALLS) {
        if (QUIPU__UNLIKELY(cursor->gaps.count > 0))
            close_gaps(path, cursor, number);
        cursor->latest = number;
    }
    if (QUIPU__UNLIKELY(is_on_path))
        add_span(path, cursor, region, to);
    else
        cursor->reached = to;
}

/* ---- The pass ---- */

static bool begin_calls(struct critical_path *path, size_t locations) {
    const struct quipu__communication_listener listener = {.context = path, .step = add_step};
    if (!QUIPU__VEC_RESERVE(&path->memory, &path->cursors, locations))
        return false;
    path->cursors.count = locations;
    path->is_filling = path->has_calls = true;
    const bool has_memory =
        quipu__communication_init(&path->calls, &path->memory, path->definitions, &listener);
    path->calls.only_calls = true;
    return has_memory;
}

static bool critical_path_fill_begin(struct critical_path *path) {
    const size_t locations = path->states.communication.stacks.count;
    path->time_count = (size_t)path->definitions->regions.count + 1;
    if (!begin_calls(path, locations))
        return false;
    for (size_t i = 0; i < locations; i++) {
        const struct quipu__call_stack *stack = &path->states.communication.stacks.items[i];
        path->cursors.items[i] = (struct path_cursor){
            .next_begin = INT64_MAX, .first = stack->first, .last = stack->last, .reached = path->begin};
    }
    return distribute(path);
}

/* Counts what the calls do not say of a location: the time before the first one; after the last one, until its last event; and after that,
 * until the trace ends. */
static void end_location(struct critical_path *path, uint32_t location) {
    struct path_cursor *cursor = &path->cursors.items[location];
    const struct quipu__call_stack *stack =
        location < path->calls.stacks.count ? &path->calls.stacks.items[location] : NULL;
    const bool has_calls = stack && stack->has_events;
    const int64_t first = has_calls ? stack->first : cursor->last;
    const uint32_t region =
        has_calls ? quipu__call_path_region(&path->calls.paths, stack->calls[stack->depth].path) : QUIPU_NONE;
    add_total(path, location, QUIPU_NONE, cursor->first, first);
    add_total(path, location, region, has_calls ? stack->last : first, cursor->last);
    if (cursor->reached < first)
        add_span(path, cursor, QUIPU_NONE, first);
    add_span(path, cursor, region, cursor->last);
    add_span(path, cursor, QUIPU_NONE, path->end);
    close_gaps(path, cursor, QUIPU__NO_CALLS);
    cursor->is_done = true;
}

static void critical_path_fill_end(struct critical_path *path) {
    for (uint32_t i = 0; i < path->cursors.count; i++)
        if (!path->cursors.items[i].is_done)
            end_location(path, i);
    for (size_t i = 0; i < path->regions.count; i++) {
        struct region_times *times = &path->regions.items[i];
        if (times->total < INT64_MAX) /* else it is not known */
            times->total = quipu__bounded_difference(times->total, times->waits);
    }
}

/* ---- Threads ---- */

/* Begins a state for another thread, which changes the segments of its locations; and joins what it knows of them. */
static bool critical_path_fill_share(struct critical_path *path, const struct critical_path *first) {
    path->end = first->end;
    path->time_count = first->time_count;
    if (!begin_calls(path, first->cursors.count))
        return false;
    for (size_t i = 0; i < first->cursors.count; i++)
        path->cursors.items[i] = first->cursors.items[i];
    return true;
}

static bool add_regions(struct critical_path *path, const struct critical_path *other) {
    for (uint32_t i = 0; i < other->regions.count; i++) {
        struct region_times *times = critical_path_region(path, i - 1);
        if (!times)
            return false;
        times->on_path = quipu__bounded_sum(times->on_path, other->regions.items[i].on_path);
        times->total = quipu__bounded_sum(times->total, other->regions.items[i].total);
    }
    for (size_t i = 0; i < other->outside.count; i++)
        add_outside(path, other->around.list.items[i], other->outside.items[i]);
    return quipu__memory_status(&path->memory, NULL) == QUIPU_OK;
}

/* The calls around most of the time on the path outside of any region; of equals the lowest regions. */
static struct quipu__calls_around calls_around_most(const struct critical_path *path) {
    struct quipu__calls_around most = QUIPU__NO_CALLS_AROUND;
    int64_t time = 0;
    for (size_t i = 0; i < path->outside.count; i++) {
        const struct quipu__calls_around calls = path->around.list.items[i];
        const bool is_before =
            calls.before != most.before ? calls.before < most.before : calls.after < most.after;
        if (path->outside.items[i] < time || (path->outside.items[i] == time && !is_before))
            continue;
        time = path->outside.items[i];
        most = calls;
    }
    return most;
}

/* Locations without calls are left to the first state, which has none of those that another one has read. */
static bool critical_path_fill_combine(struct critical_path *path, struct critical_path *other) {
    for (uint32_t i = 0; i < other->cursors.count && i < other->calls.stacks.count; i++) {
        if (!other->calls.stacks.items[i].has_events)
            continue;
        end_location(other, i);
        path->cursors.items[i].is_done = true;
    }
    return add_regions(path, other);
}

static void critical_path_fill_release(struct critical_path *path) {
    const size_t bytes = path->time_count * sizeof(int64_t);
    for (size_t i = 0; i < path->cursors.count; i++)
        quipu__release(&path->memory, path->cursors.items[i].times, path->cursors.items[i].times ? bytes : 0);
    for (size_t i = 0; i < path->cursors.count; i++)
        QUIPU__VEC_RELEASE(&path->memory, &path->cursors.items[i].gaps);
    quipu__release(&path->memory, path->by_location, path->segments.count * sizeof *path->by_location);
    QUIPU__VEC_RELEASE(&path->memory, &path->cursors);
    if (path->has_calls)
        quipu__communication_release(&path->calls);
}

/* ==== The walk ====
 *
 * From the end of the trace backwards through the waits.
 */

static int compare_waits(const void *a, const void *b) {
    const struct path_wait *x = a, *y = b;
    if (x->location != y->location)
        return x->location < y->location ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

/* Where the waits of each location end in the sorted list; the walk takes them from there. */
static uint32_t *list_ends(struct critical_path *path, uint32_t *firsts, size_t locations) {
    uint32_t *ends = firsts + locations;
    size_t wait = 0;
    for (uint32_t i = 0; i < locations; i++) {
        firsts[i] = (uint32_t)wait;
        while (wait < path->waits.count && path->waits.items[wait].location == i)
            wait++;
        ends[i] = (uint32_t)wait;
    }
    return ends;
}

static bool add_segment(struct critical_path *path, int64_t from, int64_t to, uint32_t location, int reason) {
    if (from >= to)
        return true;
    struct path_segment *segment = QUIPU__VEC_ADD(&path->memory, &path->segments);
    if (!segment)
        return false;
    *segment = (struct path_segment){.from = from,
                                     .to = to,
                                     .location = location,
                                     .region = QUIPU_NONE,
                                     .reason = reason,
                                     .around = QUIPU__NO_CALLS_AROUND};
    return true;
}

/* Begin and end of the trace; the location where it ends. */
static uint32_t look_at_trace(struct critical_path *path) {
    const struct quipu__communication *communication = &path->states.communication;
    uint32_t last = QUIPU_NONE;
    for (uint32_t i = 0; i < communication->stacks.count; i++) {
        const struct quipu__call_stack *stack = &communication->stacks.items[i];
        if (!stack->has_events)
            continue;
        path->begin = last == QUIPU_NONE || stack->first < path->begin ? stack->first : path->begin;
        path->locations += quipu__reports(&path->reported, i);
        if (last == QUIPU_NONE || stack->last > path->end) {
            path->end = stack->last;
            last = i;
        }
    }
    return last;
}

static bool walk(struct critical_path *path, uint32_t location, const uint32_t *firsts, uint32_t *ends) {
    int64_t now = path->end;
    int reason = -1;
    for (;;) {
        while (ends[location] > firsts[location] && path->waits.items[ends[location] - 1].to > now)
            ends[location]--;
        if (ends[location] == firsts[location])
            return add_segment(path, path->begin, now, location, reason);
        const struct path_wait *wait = &path->waits.items[--ends[location]];
        if (!add_segment(path, wait->to, now, location, reason))
            return false;
        now = wait->to;
        location = wait->peer;
        reason = (int)wait->pattern;
    }
}

static void reverse(struct critical_path *path) {
    struct path_segment *segments = path->segments.items;
    for (size_t i = 0, k = path->segments.count; i + 1 < k; i++) {
        const struct path_segment segment = segments[i];
        segments[i] = segments[--k];
        segments[k] = segment;
    }
}

/* Leaves what is reported of the path, the first segment first. */
static void narrow(struct critical_path *path) {
    size_t count = 0;
    for (size_t i = 0; i < path->segments.count; i++) {
        struct path_segment segment = path->segments.items[i];
        segment.from = quipu__reported_from(&path->reported, segment.from);
        segment.to = quipu__reported_to(&path->reported, segment.to);
        if (segment.from < segment.to && quipu__reports(&path->reported, segment.location))
            path->segments.items[count++] = segment;
    }
    path->segments.count = count;
    path->shown_from = quipu__reported_from(&path->reported, path->begin);
    path->shown_to = quipu__reported_to(&path->reported, path->end);
}

/* Sorts the waits and makes the segments. False when memory is out. */
static bool critical_path_walk(struct critical_path *path) {
    const size_t locations = path->states.communication.stacks.count;
    const size_t bytes = 2 * locations * sizeof(uint32_t);
    const uint32_t last = look_at_trace(path);
    if (last == QUIPU_NONE)
        return true;
    uint32_t *firsts = quipu__alloc(&path->memory, bytes);
    if (!firsts)
        return false;
    const bool has_memory = quipu__sort(&path->memory, path->waits.items, path->waits.count,
                                        sizeof *path->waits.items, compare_waits) &&
                            walk(path, last, firsts, list_ends(path, firsts, locations));
    quipu__release(&path->memory, firsts, bytes);
    reverse(path);
    narrow(path);
    return has_memory;
}

static void add_wait(void *context, const struct quipu__wait *wait) {
    struct critical_path *path = context;
    if (!quipu__wait_patterns[wait->pattern].synchronises)
        return;
    struct path_wait *added = QUIPU__VEC_ADD(&path->memory, &path->waits);
    if (added)
        *added = (struct path_wait){wait->from, wait->to, wait->location, wait->peer, wait->pattern};
    const int64_t from = quipu__reported_from(&path->reported, wait->from),
                  to = quipu__reported_to(&path->reported, wait->to);
    if (from >= to || !quipu__reports(&path->reported, wait->location))
        return;
    struct region_times *times =
        critical_path_region(path, quipu__call_path_region(&path->states.communication.paths, wait->path));
    if (times)
        times->waits = quipu__bounded_sum(times->waits, quipu__bounded_difference(to, from));
}

/* ---- The fold ---- */

static enum quipu_status begin(const struct quipu__fold_start *start, void **state, struct quipu_error *err) {
    struct critical_path *path = quipu__fold_state(start, sizeof *path, state);
    if (!path)
        return quipu__no_memory(err, sizeof *path);
    path->definitions = start->definitions;
    path->reported = quipu__reported_of(start);
    quipu__calls_numbers_init(&path->around, &path->memory);
    return quipu__unneeded_calls_init(&path->computing, &path->memory, start->definitions,
                                      QUIPU__REGION_ACCESSES_FILES) &&
                   quipu__wait_states_init(&path->states, &path->memory, start->definitions,
                                           quipu__number_setting(start, "eager-limit"), add_wait, path)
               ? QUIPU_OK
               : quipu__no_memory(err, sizeof *path);
}

static const struct quipu__unneeded_calls *unneeded(const void *state) {
    const struct critical_path *path = state;
    return &path->computing;
}

static enum quipu_status consume(void *state, const struct quipu_batch *batch, struct quipu_error *err) {
    struct critical_path *path = state;
    struct quipu__communication *communication = path->is_filling ? &path->calls : &path->states.communication;
    if (!path->is_filling)
        quipu__wait_states_sweep(&path->states, batch);
    if (!quipu__communication_add_batch(communication, batch))
        return quipu__no_memory(err, path->memory.used);
    return quipu__memory_status(&path->memory, err);
}

/* The second reading needs calls only, location by location: threads can share it. */
static bool next_pass(void *state, struct quipu_selection *selection) {
    struct critical_path *path = state;
    if (path->is_filling)
        return false;
    quipu__wait_states_finish(&path->states);
    selection->order = QUIPU_ORDER_STREAM;
    selection->kinds = QUIPU_KIND_BIT(QUIPU_KIND_enter) | QUIPU_KIND_BIT(QUIPU_KIND_leave);
    return critical_path_walk(path) && critical_path_fill_begin(path);
}

static enum quipu_status share(void *state, const void *first, struct quipu_error *err) {
    struct critical_path *path = state;
    return critical_path_fill_share(path, first) ? QUIPU_OK : quipu__no_memory(err, path->memory.used);
}

static enum quipu_status combine(void *state, void *other, struct quipu_error *err) {
    struct critical_path *path = state;
    return critical_path_fill_combine(path, other) ? QUIPU_OK : quipu__no_memory(err, path->memory.used);
}

static void release(void *state) {
    struct critical_path *path = state;
    critical_path_fill_release(path);
    quipu__unneeded_calls_release(&path->computing);
    quipu__wait_states_release(&path->states);
    QUIPU__VEC_RELEASE(&path->memory, &path->waits);
    QUIPU__VEC_RELEASE(&path->memory, &path->segments);
    QUIPU__VEC_RELEASE(&path->memory, &path->regions);
    QUIPU__VEC_RELEASE(&path->memory, &path->outside);
    quipu__calls_numbers_release(&path->around);
    quipu__fold_state_release(path, sizeof *path);
}

/* ==== The tables ==== */

/* clang-format off */
#define CRITICAL_PATH_TABLES(TABLE, COLUMN, END) \
    TABLE(PATH, "critical_path", "what the path consists of") \
    COLUMN(PATH, runtime_ns, I64, "ns", "from the first event of the trace to the last one, as far as that is reported") \
    COLUMN(PATH, segment_count, U64, "", "segments of the path") \
    COLUMN(PATH, location_count, U64, "", "locations that it leads over") \
    END(PATH) \
    TABLE(PROFILE, "path_profile", "a row per region") \
    COLUMN(PROFILE, region, TEXT, "", "name of the region, null for time outside of any") \
    COLUMN(PROFILE, between, TEXT, "", "of time outside of any region: the calls around most of that on the path") \
    COLUMN(PROFILE, path_ns, I64, "ns", "time on the path") \
    COLUMN(PROFILE, total_ns, I64, "ns", "time of all locations without waiting") \
    COLUMN(PROFILE, imbalance_ns, I64, "ns", "time on the path beyond the mean of all locations") \
    COLUMN(PROFILE, impact_ns, I64, "ns", "the same for the time of all locations; costs run time where it is positive") \
    END(PROFILE) \
    TABLE(SEGMENTS, "segments", "the path from the beginning of the trace to its end") \
    COLUMN(SEGMENTS, from_ns, TIME, "ns", "when the path comes to the location") \
    COLUMN(SEGMENTS, to_ns, TIME, "ns", "when it leaves it") \
    COLUMN(SEGMENTS, duration_ns, I64, "ns", "how long it stays") \
    QUIPU__NAMED(COLUMN, SEGMENTS, location, "name of the process or thread") \
    COLUMN(SEGMENTS, region, TEXT, "", "the region with the most time in it; null: outside of any") \
    COLUMN(SEGMENTS, between, TEXT, "", "then the calls around the longest such time in it") \
    COLUMN(SEGMENTS, reason, TEXT, "", "why the path leaves it: the next location waited for this one so, or the trace ends") \
    END(SEGMENTS)
/* clang-format on */
QUIPU__TABLES(CRITICAL_PATH_TABLES)
static const struct quipu_analysis_table path_tables[] = {QUIPU__SHAPES(CRITICAL_PATH_TABLES)};

enum { PATH_TABLES = sizeof path_tables / sizeof *path_tables };

static uint64_t locations_on_path(const struct critical_path *path) {
    uint64_t count = 0;
    for (size_t i = 0; i < path->cursors.count; i++)
        count += path->cursors.items[i].count > 0;
    return count;
}

static enum quipu_status put_path(struct critical_path *path, struct quipu_table *table,
                                  struct quipu_tables *list, struct quipu_error *err) {
    (void)list;
    const int64_t time = quipu__bounded_difference(path->shown_to, path->shown_from);
    quipu__table_put_i64(table, PATH_runtime_ns, time > 0 ? time : 0);
    quipu__table_put_u64(table, PATH_segment_count, path->segments.count);
    quipu__table_put_u64(table, PATH_location_count, locations_on_path(path));
    return quipu__table_end_row(table, err);
}

/* For sorting, which has no context. */
struct sorted_region {
    const struct critical_path *path;
    uint32_t region;
    struct region_times times;
};

static int compare_regions(const void *a, const void *b) {
    const struct sorted_region *x = a, *y = b;
    if (x->times.on_path != y->times.on_path)
        return x->times.on_path > y->times.on_path ? -1 : 1;
    const int order = quipu__names_compare(x->path->definitions, QUIPU_REFERS_REGION, x->region, y->region);
    return order != 0 ? order : (x->region > y->region) - (x->region < y->region);
}

static enum quipu_status put_region(const struct critical_path *path, const struct sorted_region *row,
                                    struct quipu_table *table, struct quipu_error *err) {
    const int64_t count = path->locations > 0 ? (int64_t)path->locations : 1;
    const bool has_total = row->times.total < INT64_MAX; /* it is a number of 64 bits */
    int64_t impact = 0;
    const bool has_impact =
        has_total && quipu__multiply_less(count, row->times.on_path, row->times.total, &impact);
    quipu__table_put_region(table, PROFILE_region, path->definitions, row->region);
    quipu__table_put_calls_around(table, PROFILE_between, path->definitions,
                                  row->region == QUIPU_NONE ? calls_around_most(path) : QUIPU__NO_CALLS_AROUND);
    quipu__table_put_i64(table, PROFILE_path_ns, row->times.on_path);
    quipu__table_put_i64_if(table, PROFILE_total_ns, has_total, row->times.total);
    quipu__table_put_i64_if(
        table, PROFILE_imbalance_ns, has_total,
        quipu__bounded_difference(row->times.on_path, quipu__divide_rounded(row->times.total, count)));
    quipu__table_put_i64_if(table, PROFILE_impact_ns, has_impact, impact);
    return quipu__table_end_row(table, err);
}

static void note_totals(const struct sorted_region *sorted, size_t count, struct quipu_tables *list) {
    for (size_t i = 0; i < count; i++)
        if (sorted[i].times.total == INT64_MAX) {
            quipu__tables_note_add(list, "a total of all locations is no number of 64 bits, and null");
            return;
        }
}

static enum quipu_status put_profile(struct critical_path *path, struct quipu_table *table,
                                     struct quipu_tables *list, struct quipu_error *err) {
    const size_t bytes = path->regions.count * sizeof(struct sorted_region);
    struct sorted_region *sorted = bytes > 0 ? quipu__alloc(&path->memory, bytes) : NULL;
    size_t count = 0;
    if (!sorted)
        return quipu__memory_status(&path->memory, err);
    for (uint32_t i = 0; i < path->regions.count; i++)
        if (path->regions.items[i].on_path != 0 || path->regions.items[i].total != 0)
            sorted[count++] = (struct sorted_region){path, i - 1, path->regions.items[i]};
    qsort(sorted, count, sizeof *sorted, compare_regions);
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < count && status == QUIPU_OK; i++)
        status = put_region(path, &sorted[i], table, err);
    note_totals(sorted, count, list);
    quipu__release(&path->memory, sorted, bytes);
    return status;
}

static enum quipu_status put_segments(struct critical_path *path, struct quipu_table *table,
                                      struct quipu_tables *list, struct quipu_error *err) {
    (void)list;
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < path->segments.count && status == QUIPU_OK; i++) {
        const struct path_segment *segment = &path->segments.items[i];
        quipu__table_put_time(table, SEGMENTS_from_ns, segment->from);
        quipu__table_put_time(table, SEGMENTS_to_ns, segment->to);
        quipu__table_put_i64(table, SEGMENTS_duration_ns,
                             quipu__bounded_difference(segment->to, segment->from));
        quipu__table_put_location(table, SEGMENTS_location, path->definitions, segment->location);
        quipu__table_put_region(table, SEGMENTS_region, path->definitions, segment->region);
        quipu__table_put_calls_around(table, SEGMENTS_between, path->definitions,
                                      segment->region == QUIPU_NONE ? segment->around : QUIPU__NO_CALLS_AROUND);
        quipu__table_put_text(table, SEGMENTS_reason,
                              segment->reason < 0 ? "end" : quipu__wait_patterns[segment->reason].text);
        status = quipu__table_end_row(table, err);
    }
    return status;
}

static enum quipu_status critical_path_finish(void *state, struct quipu_tables *list, struct quipu_error *err) {
    static enum quipu_status (*const put[PATH_TABLES])(struct critical_path *, struct quipu_table *,
                                                       struct quipu_tables *, struct quipu_error *) = {
        [PATH] = put_path, [PROFILE] = put_profile, [SEGMENTS] = put_segments};
    struct critical_path *path = state;
    struct quipu_table *tables[PATH_TABLES] = {NULL};
    enum quipu_status status = quipu__memory_status(&path->memory, err);
    if (status != QUIPU_OK)
        return status;
    critical_path_fill_end(path);
    status =
        quipu__matched_tables_new(&path->states.communication, path_tables, PATH_TABLES, list, tables, err);
    for (size_t i = 0; i < PATH_TABLES && status == QUIPU_OK; i++)
        status = put[i](path, tables[i], list, err);
    return status == QUIPU_OK ? quipu__memory_status(&path->memory, err) : status;
}

static const struct quipu_option options[] = {QUIPU__REPORTED_OPTIONS, QUIPU__EAGER_LIMIT_OPTION};

const struct quipu__fold quipu__critical_path_fold = {
    .info =
        {.name = "critical-path",
         .doc = "show what the run time consists of",
         .details =
             "Goes back from the last event of the trace. Where a location has waited, the path leads on at "
             "the "
             "location that it waited for (quipu waits says what waiting is). So the path is what would have "
             "to "
             "become shorter for the program to end sooner.\n\n"
             "The table \"path_profile\" has the time on the path by region, and what lies on it beyond a fair "
             "share: imbalance, against the mean of all locations, and impact, the time of all locations that "
             "it "
             "costs. The table \"segments\" has the path from the beginning to the end; the reason of a "
             "segment "
             "says why the path leaves it towards the next one. Time outside of any region is named by the "
             "calls "
             "around it, those that contain others: in the profile by those around most of it on the path, in "
             "a "
             "segment by those around the longest piece.\n\n"
             "--since, --until, --roi, --location, --processes and --where show the part of the path of the "
             "whole "
             "trace that lies there; means and impact are then of these locations.",
         .examples = "quipu critical-path run.trace # regions on the path, and its segments\n"
                     "quipu critical-path run.trace --csv -o path.csv # all of it, for a spreadsheet",
         .options = options,
         .option_count = sizeof options / sizeof *options,
         .tables = path_tables,
         .table_count = PATH_TABLES,
         .empty_answer = "the trace has no events",
         .needs_everything = true},
    .kinds = QUIPU_ALL_KINDS,
    .is_selective = true,
    .order = QUIPU_ORDER_WINDOWS,
    .begin = begin,
    .consume = consume,
    .unneeded = unneeded,
    .next_pass = next_pass,
    .share = share,
    .combine = combine,
    .finish = critical_path_finish,
    .release = release,
};
