/* critical_path_fill.c: which regions the path leads through: a second reading of the calls, location by location. */
#include "analysis/critical_path.h"
#include "core/bounded.h"

/* ---- Segments of locations ---- */

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
    uint32_t *room = path->by_location;
    for (size_t i = 0; i < path->cursors.count; i++) {
        path->cursors.items[i].segments = room;
        room += path->cursors.items[i].count;
        path->cursors.items[i].count = 0;
    }
    for (uint32_t i = 0; i < path->segments.count; i++) {
        struct quipu__path_cursor *cursor = &path->cursors.items[path->segments.items[i].location];
        cursor->segments[cursor->count++] = i;
    }
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
    int64_t *before = cursor->times ? cursor->times + time_count(path) : NULL;
    for (size_t i = 0; before && i < time_count(path); i++) {
        before[i] = quipu__bounded_sum(before[i], cursor->times[i]);
        cursor->times[i] = 0;
    }
}

/* Counts what of a span lies on the path. */
static void add_span(struct quipu__critical_path *path, uint32_t location, uint32_t region, int64_t to) {
    struct quipu__path_cursor *cursor = &path->cursors.items[location];
    while (cursor->next < cursor->count) {
        struct quipu__path_segment *segment = &path->segments.items[cursor->segments[cursor->next]];
        const int64_t begin = segment->from > cursor->reached ? segment->from : cursor->reached;
        const int64_t end = segment->to < to ? segment->to : to;
        if (end > begin)
            add_time(path, cursor, segment, region, end - begin);
        if (segment->to > to)
            break;
        next_segment(path, cursor);
    }
    cursor->reached = to;
}

static void add_step(void *context, uint32_t location, uint32_t number, int64_t from, int64_t to) {
    struct quipu__critical_path *path = context;
    if (location >= path->cursors.count)
        return;
    if (path->cursors.items[location].reached < from)
        add_span(path, location, QUIPU_NONE, from);
    add_span(path, location, quipu__call_path_region(&path->calls.paths, number), to);
}

/* ---- The pass ---- */

bool quipu__critical_path_fill_begin(struct quipu__critical_path *path) {
    const size_t locations = path->states.communication.stacks.count;
    const struct quipu__communication_listener listener = {.context = path, .step = add_step};
    if (!QUIPU__VEC_RESERVE(&path->memory, &path->cursors, locations))
        return false;
    path->cursors.count = locations;
    for (size_t i = 0; i < locations; i++)
        path->cursors.items[i].reached = path->begin;
    path->has_calls = true;
    if (!quipu__communication_init(&path->calls, &path->memory, path->definitions, &listener))
        return false;
    path->calls.only_calls = true;
    return distribute(path);
}

/* What comes before the first event of a location, where no time has passed since, after its last call, and after its last event. */
void quipu__critical_path_fill_end(struct quipu__critical_path *path) {
    for (uint32_t i = 0; i < path->cursors.count; i++) {
        const struct quipu__call_stack *stack =
            i < path->calls.stacks.count ? &path->calls.stacks.items[i] : NULL;
        const uint32_t region = stack ? stack->calls[stack->depth].region : QUIPU_NONE;
        if (stack && path->cursors.items[i].reached < stack->first)
            add_span(path, i, QUIPU_NONE, stack->first);
        add_span(path, i, region, path->states.communication.stacks.items[i].last);
        add_span(path, i, QUIPU_NONE, path->end);
    }
}

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
