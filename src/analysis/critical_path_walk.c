/* critical_path_walk.c: the walk from the end of the trace backwards through the waits. */
#include "analysis/critical_path.h"

#include "core/sort.h"

static int compare_waits(const void *a, const void *b) {
    const struct quipu__path_wait *x = a, *y = b;
    if (x->location != y->location)
        return x->location < y->location ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

/* Where the waits of each location end in the sorted list; the walk takes them from there. */
static uint32_t *list_ends(struct quipu__critical_path *path, uint32_t *firsts, size_t locations) {
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

static bool add_segment(struct quipu__critical_path *path, int64_t from, int64_t to, uint32_t location,
                        int reason) {
    if (from >= to)
        return true;
    struct quipu__path_segment *segment = QUIPU__VEC_ADD(&path->memory, &path->segments);
    if (!segment)
        return false;
    *segment = (struct quipu__path_segment){from, to, location, QUIPU_NONE, reason};
    return true;
}

/* Begin and end of the trace; the location where it ends. */
static uint32_t look_at_trace(struct quipu__critical_path *path) {
    const struct quipu__communication *communication = &path->states.communication;
    uint32_t last = QUIPU_NONE;
    for (uint32_t i = 0; i < communication->stacks.count; i++) {
        const struct quipu__call_stack *stack = &communication->stacks.items[i];
        if (!stack->has_events)
            continue;
        path->begin = path->locations == 0 || stack->first < path->begin ? stack->first : path->begin;
        if (path->locations++ == 0 || stack->last > path->end) {
            path->end = stack->last;
            last = i;
        }
    }
    return last;
}

static bool walk(struct quipu__critical_path *path, uint32_t location, const uint32_t *firsts, uint32_t *ends) {
    int64_t now = path->end;
    int reason = -1;
    for (;;) {
        while (ends[location] > firsts[location] && path->waits.items[ends[location] - 1].to > now)
            ends[location]--;
        if (ends[location] == firsts[location])
            return add_segment(path, path->begin, now, location, reason);
        const struct quipu__path_wait *wait = &path->waits.items[--ends[location]];
        if (!add_segment(path, wait->to, now, location, reason))
            return false;
        now = wait->to;
        location = wait->peer;
        reason = (int)wait->pattern;
    }
}

static void reverse(struct quipu__critical_path *path) {
    struct quipu__path_segment *segments = path->segments.items;
    for (size_t i = 0, k = path->segments.count; i + 1 < k; i++) {
        const struct quipu__path_segment segment = segments[i];
        segments[i] = segments[--k];
        segments[k] = segment;
    }
}

bool quipu__critical_path_walk(struct quipu__critical_path *path) {
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
    return has_memory;
}
