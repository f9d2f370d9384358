/* critical_path_fill.c: how long locations are in regions, and which of these the path leads through: a second reading of the calls,
 * location by location. Threads share it by location. */
#include "analysis/critical_path.h"
#include "core/bounded.h"

#include <string.h>

/* ---- Segments of locations ---- */

static void set_next_begin(struct quipu__path_cursor *cursor) {
    cursor->next_begin = cursor->next < cursor->count ? cursor->segments[cursor->next]->from : INT64_MAX;
}

/* Gives each cursor room for the segments of its location, and these in their order. */
static bool distribute(struct quipu__critical_path *path) {
    const size_t bytes = path->segments.count * sizeof *path->by_location;
    if (bytes == 0)
        return true;
    path->by_location = quipu__alloc(&path->memory, bytes);
    if (!path->by_location)
        return false;
    for (size_t i = 0; i < path->segments.count; i++)
        path->cursors.items[path->segments.items[i].location].count++;
    struct quipu__path_segment **room = path->by_location;
    for (size_t i = 0; i < path->cursors.count; i++) {
        path->cursors.items[i].segments = room;
        room += path->cursors.items[i].count;
        path->cursors.items[i].count = 0;
    }
    for (uint32_t i = 0; i < path->segments.count; i++) {
        struct quipu__path_cursor *cursor = &path->cursors.items[path->segments.items[i].location];
        cursor->segments[cursor->count++] = &path->segments.items[i];
    }
    for (size_t i = 0; i < path->cursors.count; i++)
        set_next_begin(&path->cursors.items[i]);
    return true;
}

/* ---- Times ---- */

static size_t time_count(const struct quipu__critical_path *path) {
    return (size_t)path->definitions->regions.count + 1;
}

/* Counts time on the path, and says which region a segment spends most in. */
static void add_time(struct quipu__critical_path *path, struct quipu__path_cursor *cursor,
                     struct quipu__path_segment *segment, uint32_t region, int64_t time) {
    struct quipu__region_times *times = quipu__critical_path_region(path, region);
    if (!times)
        return;
    times->on_path = quipu__bounded_sum(times->on_path, time);
    if (!cursor->times)
        cursor->times = quipu__alloc_zero(&path->memory, 2 * time_count(path) * sizeof *cursor->times);
    const size_t index = (size_t)(uint32_t)(region + 1);
    if (!cursor->times || index >= time_count(path))
        return;
    cursor->times[index] = quipu__bounded_sum(cursor->times[index], time);
    if (cursor->times[index] > cursor->most) {
        cursor->most = cursor->times[index];
        segment->region = region;
    }
}

/* The next segment has times of its own. */
static void next_segment(const struct quipu__critical_path *path, struct quipu__path_cursor *cursor) {
    cursor->next++;
    cursor->most = 0;
    set_next_begin(cursor);
    int64_t *before = cursor->times ? cursor->times + time_count(path) : NULL;
    for (size_t i = 0; before && i < time_count(path); i++) {
        before[i] = quipu__bounded_sum(before[i], cursor->times[i]);
        cursor->times[i] = 0;
    }
}

/* Counts what of a span lies on the path. */
static void add_span(struct quipu__critical_path *path, struct quipu__path_cursor *cursor, uint32_t region,
                     int64_t to) {
    while (cursor->next_begin < to) {
        struct quipu__path_segment *segment = cursor->segments[cursor->next];
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

static void add_total(struct quipu__critical_path *path, uint32_t region, int64_t time) {
    struct quipu__region_times *times = quipu__critical_path_region(path, region);
    if (times && time > 0)
        times->total = quipu__bounded_sum(times->total, time);
}

static void add_step(void *context, uint32_t location, uint32_t number, int64_t from, int64_t to) {
    struct quipu__critical_path *path = context;
    if (location >= path->cursors.count)
        return;
    struct quipu__path_cursor *cursor = &path->cursors.items[location];
    const uint32_t region = quipu__call_path_region(&path->calls.paths, number);
    add_total(path, region, quipu__bounded_difference(to, from));
    if (cursor->next_begin >= to) { /* as nearly always: others are on the path */
        cursor->reached = to;
        return;
    }
    if (cursor->reached < from)
        add_span(path, cursor, QUIPU_NONE, from);
    add_span(path, cursor, region, to);
}

/* ---- The pass ---- */

static bool begin_calls(struct quipu__critical_path *path, size_t locations) {
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

bool quipu__critical_path_fill_begin(struct quipu__critical_path *path) {
    const size_t locations = path->states.communication.stacks.count;
    if (!begin_calls(path, locations))
        return false;
    for (size_t i = 0; i < locations; i++) {
        const struct quipu__call_stack *stack = &path->states.communication.stacks.items[i];
        path->cursors.items[i] = (struct quipu__path_cursor){
            .next_begin = INT64_MAX, .first = stack->first, .last = stack->last, .reached = path->begin};
    }
    return distribute(path);
}

/* Counts what the calls do not say of a location: the time before the first one; after the last one, until its last event; and after that,
 * until the trace ends. */
static void end_location(struct quipu__critical_path *path, uint32_t location) {
    struct quipu__path_cursor *cursor = &path->cursors.items[location];
    const struct quipu__call_stack *stack =
        location < path->calls.stacks.count ? &path->calls.stacks.items[location] : NULL;
    const bool has_calls = stack && stack->has_events;
    const int64_t first = has_calls ? stack->first : cursor->last;
    const uint32_t region = has_calls ? stack->calls[stack->depth].region : QUIPU_NONE;
    add_total(path, QUIPU_NONE, quipu__bounded_difference(first, cursor->first));
    add_total(path, region, quipu__bounded_difference(cursor->last, has_calls ? stack->last : first));
    if (cursor->reached < first)
        add_span(path, cursor, QUIPU_NONE, first);
    add_span(path, cursor, region, cursor->last);
    add_span(path, cursor, QUIPU_NONE, path->end);
    cursor->is_done = true;
}

void quipu__critical_path_fill_end(struct quipu__critical_path *path) {
    for (uint32_t i = 0; i < path->cursors.count; i++)
        if (!path->cursors.items[i].is_done)
            end_location(path, i);
    for (size_t i = 0; i < path->regions.count; i++) {
        struct quipu__region_times *times = &path->regions.items[i];
        if (times->total < INT64_MAX) /* else it is not known */
            times->total = quipu__bounded_difference(times->total, times->waits);
    }
}

/* ---- Threads ---- */

bool quipu__critical_path_fill_share(struct quipu__critical_path *path,
                                     const struct quipu__critical_path *first) {
    path->end = first->end;
    if (!begin_calls(path, first->cursors.count))
        return false;
    for (size_t i = 0; i < first->cursors.count; i++)
        path->cursors.items[i] = first->cursors.items[i];
    return true;
}

/* A location that another state has read. */
static bool take_over(struct quipu__critical_path *path, struct quipu__path_cursor *cursor,
                      const struct quipu__path_cursor *other) {
    const size_t bytes = 2 * time_count(path) * sizeof *cursor->times;
    quipu__release(&path->memory, cursor->times, cursor->times ? bytes : 0);
    *cursor = *other;
    cursor->times = other->times ? quipu__alloc(&path->memory, bytes) : NULL;
    if (cursor->times)
        memcpy(cursor->times, other->times, bytes);
    return !other->times || cursor->times;
}

static bool add_regions(struct quipu__critical_path *path, const struct quipu__critical_path *other) {
    for (uint32_t i = 0; i < other->regions.count; i++) {
        struct quipu__region_times *times = quipu__critical_path_region(path, i - 1);
        if (!times)
            return false;
        times->on_path = quipu__bounded_sum(times->on_path, other->regions.items[i].on_path);
        times->total = quipu__bounded_sum(times->total, other->regions.items[i].total);
    }
    return true;
}

/* Locations without calls are left to the first state, which has none of those that another one has read. */
bool quipu__critical_path_fill_combine(struct quipu__critical_path *path, struct quipu__critical_path *other) {
    for (uint32_t i = 0; i < other->cursors.count && i < other->calls.stacks.count; i++) {
        if (!other->calls.stacks.items[i].has_events)
            continue;
        end_location(other, i);
        if (!take_over(path, &path->cursors.items[i], &other->cursors.items[i]))
            return false;
    }
    return add_regions(path, other);
}

/* ---- What is known then ---- */

void quipu__critical_path_each_time(const struct quipu__critical_path *path,
                                    void (*tell)(void *context, uint32_t location, uint32_t region,
                                                 int64_t time),
                                    void *context) {
    for (uint32_t location = 0; location < path->cursors.count; location++) {
        const int64_t *times = path->cursors.items[location].times;
        for (uint32_t i = 0; times && i < time_count(path); i++)
            if (times[time_count(path) + i] > 0)
                tell(context, location, i - 1, times[time_count(path) + i]);
    }
}

void quipu__critical_path_fill_release(struct quipu__critical_path *path) {
    const size_t bytes = 2 * time_count(path) * sizeof(int64_t);
    for (size_t i = 0; i < path->cursors.count; i++)
        quipu__release(&path->memory, path->cursors.items[i].times, path->cursors.items[i].times ? bytes : 0);
    quipu__release(&path->memory, path->by_location, path->segments.count * sizeof *path->by_location);
    QUIPU__VEC_RELEASE(&path->memory, &path->cursors);
    if (path->has_calls)
        quipu__communication_release(&path->calls);
}
