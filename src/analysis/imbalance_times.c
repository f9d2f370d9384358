/* imbalance_times.c: the times of regions at each location, in the window and in all. Only regions that a location is in take room. Of
 * inclusive times only what begins or ends is looked at, and at the end of a window what is active: not each call around each span.
 */
#include "analysis/imbalance.h"

#include "core/bounded.h"
#include "core/os.h"

/* ---- Windows ---- */

static struct quipu__spread *window_of(struct quipu__imbalance *imbalance, uint32_t region, size_t window) {
    const uint64_t key = (uint64_t)region << 32 | window >> imbalance->shift;
    const uint32_t known = quipu__map_get(&imbalance->window_of, key);
    if (known != QUIPU_NONE)
        return &imbalance->windows.items[known];
    struct quipu__spread *spread = QUIPU__VEC_ADD(&imbalance->memory, &imbalance->windows);
    uint32_t *of = QUIPU__VEC_ADD(&imbalance->memory, &imbalance->window_regions);
    if (!spread || !of || !quipu__map_put(&imbalance->window_of, key, (uint32_t)(imbalance->windows.count - 1)))
        return NULL;
    *of = region;
    return spread;
}

/* The window of a location is over: its times count among those of others. */
static void end_window(struct quipu__imbalance *imbalance, struct quipu__imbalance_location *location) {
    for (size_t i = 0; i < location->touched.count; i++) {
        struct quipu__imbalance_time *time = &location->times.items[location->touched.items[i]];
        struct quipu__spread *spread = window_of(imbalance, time->region, location->window);
        if (!spread)
            return;
        spread->total = quipu__bounded_sum(spread->total, time->in_window);
        spread->most = time->in_window > spread->most ? time->in_window : spread->most;
        time->total = quipu__bounded_sum(time->total, time->in_window);
        time->in_window = 0;
    }
    location->touched.count = 0;
}

/* ---- Times ---- */

/* Where the number of a region's time at a location is; NULL when memory is out. */
static uint32_t *table_of(struct quipu__imbalance *imbalance, struct quipu__imbalance_location *location) {
    if (!location->time_of)
        location->time_of =
            quipu__alloc_zero(&imbalance->memory, imbalance->region_count * sizeof *location->time_of);
    return location->time_of;
}

static struct quipu__imbalance_time *add_region(struct quipu__imbalance *imbalance,
                                                struct quipu__imbalance_location *location, uint32_t region) {
    struct quipu__imbalance_time *time = QUIPU__VEC_ADD(&imbalance->memory, &location->times);
    if (time)
        time->region = region;
    return time;
}

static struct quipu__imbalance_time *look_up(struct quipu__imbalance *imbalance, uint32_t number,
                                             uint32_t region) {
    struct quipu__imbalance_location *location = &imbalance->locations.items[number];
    const uint64_t key = (uint64_t)number << 32 | region;
    const uint32_t known = quipu__map_get(&imbalance->time_of, key);
    if (known != QUIPU_NONE)
        return &location->times.items[known];
    return quipu__map_put(&imbalance->time_of, key, (uint32_t)location->times.count)
               ? add_region(imbalance, location, region)
               : NULL;
}

static struct quipu__imbalance_time *first_time_of(struct quipu__imbalance *imbalance, uint32_t number,
                                                   uint32_t region) {
    struct quipu__imbalance_location *location = &imbalance->locations.items[number];
    if (region >= imbalance->region_count)
        return NULL;
    if (!imbalance->has_table)
        return look_up(imbalance, number, region);
    uint32_t *table = table_of(imbalance, location);
    if (!table)
        return NULL;
    table[region] = (uint32_t)location->times.count + 1;
    return add_region(imbalance, location, region);
}

/* The time of a region, given plus 1, at a location; NULL when memory is out or the region is not defined. */
static inline struct quipu__imbalance_time *time_of(struct quipu__imbalance *imbalance, uint32_t number,
                                                    uint32_t region) {
    const struct quipu__imbalance_location *location = &imbalance->locations.items[number];
    const bool is_known =
        location->time_of && region < imbalance->region_count && location->time_of[region] > 0;
    return QUIPU__LIKELY(is_known) ? &location->times.items[location->time_of[region] - 1]
                                   : first_time_of(imbalance, number, region);
}

static void add_time(struct quipu__imbalance *imbalance, struct quipu__imbalance_location *location,
                     struct quipu__imbalance_time *time, int64_t amount) {
    if (amount <= 0)
        return;
    if (time->in_window == 0) {
        uint32_t *touched = QUIPU__VEC_ADD(&imbalance->memory, &location->touched);
        if (touched)
            *touched = (uint32_t)(time - location->times.items);
    }
    time->in_window = quipu__bounded_sum(time->in_window, amount);
}

/* ---- Inclusive times ---- */

static void begin_call(struct quipu__imbalance *imbalance, uint32_t number, uint32_t path, int64_t now) {
    const uint32_t region = quipu__call_path_region(&imbalance->communication.paths, path) + 1;
    struct quipu__imbalance_time *time = time_of(imbalance, number, region);
    if (time && time->active++ == 0)
        time->since = now;
}

static void end_call(struct quipu__imbalance *imbalance, uint32_t number, uint32_t path, int64_t now) {
    const uint32_t region = quipu__call_path_region(&imbalance->communication.paths, path) + 1;
    struct quipu__imbalance_time *time = time_of(imbalance, number, region);
    if (time && time->active > 0 && --time->active == 0)
        add_time(imbalance, &imbalance->locations.items[number], time,
                 quipu__bounded_difference(now, time->since));
}

/* Goes from one path of calls to another one, which costs no more than there were events in between. */
static void move_to(struct quipu__imbalance *imbalance, uint32_t number, uint32_t path, int64_t now) {
    const struct quipu__call_path *paths = imbalance->communication.paths.list.items;
    struct quipu__imbalance_location *location = &imbalance->locations.items[number];
    uint32_t from = location->path, to = path;
    while (from != to) {
        const uint32_t from_depth = paths[from].depth, to_depth = paths[to].depth;
        if (from_depth >= to_depth) {
            end_call(imbalance, number, from, now);
            from = paths[from].parent;
        }
        if (to_depth >= from_depth) {
            begin_call(imbalance, number, to, now);
            to = paths[to].parent;
        }
    }
    location->path = path;
}

/* Counts what is active until now. */
static void count_active(struct quipu__imbalance *imbalance, uint32_t number, int64_t now) {
    const struct quipu__call_paths *paths = &imbalance->communication.paths;
    struct quipu__imbalance_location *location = &imbalance->locations.items[number];
    for (uint32_t path = location->path; path != QUIPU__NO_CALLS; path = paths->list.items[path].parent) {
        struct quipu__imbalance_time *time =
            time_of(imbalance, number, quipu__call_path_region(paths, path) + 1);
        if (!time)
            continue;
        add_time(imbalance, location, time, quipu__bounded_difference(now, time->since));
        time->since = now;
    }
}

/* ---- Spans ---- */

/* Windows that are merged do not end in between. */
static void next_window(struct quipu__imbalance *imbalance, uint32_t number, int64_t now) {
    struct quipu__imbalance_location *location = &imbalance->locations.items[number];
    const size_t next = location->window + 1;
    if (next >> imbalance->shift != location->window >> imbalance->shift) {
        count_active(imbalance, number, now);
        end_window(imbalance, location);
    }
    location->window = next;
    location->next_exit = quipu__imbalance_next_exit(location);
}

/* The time of the innermost region; of others where only exclusive times count. */
static void add_innermost(struct quipu__imbalance *imbalance, uint32_t number, uint32_t path, int64_t amount) {
    struct quipu__imbalance_time *time = NULL;
    if (!imbalance->is_inclusive || path == QUIPU__NO_CALLS)
        time = time_of(imbalance, number, quipu__call_path_region(&imbalance->communication.paths, path) + 1);
    if (time)
        add_time(imbalance, &imbalance->locations.items[number], time, amount);
}

/* Nearly always a span lies in one window. */
static void add_span(struct quipu__imbalance *imbalance, uint32_t number, uint32_t path, int64_t from,
                     int64_t to) {
    struct quipu__imbalance_location *location = &imbalance->locations.items[number];
    if (from >= to)
        return;
    if (imbalance->is_inclusive)
        move_to(imbalance, number, path, from);
    for (; QUIPU__UNLIKELY(location->next_exit < to); from = location->next_exit) {
        while (location->next_exit <= from)
            next_window(imbalance, number, from);
        if (location->next_exit >= to)
            break;
        add_innermost(imbalance, number, path, quipu__bounded_difference(location->next_exit, from));
    }
    add_innermost(imbalance, number, path, quipu__bounded_difference(to, from));
}

void quipu__imbalance_add_step(void *context, uint32_t number, uint32_t path, int64_t from, int64_t to) {
    struct quipu__imbalance *imbalance = context;
    if (number >= imbalance->locations.count)
        return;
    struct quipu__imbalance_location *location = &imbalance->locations.items[number];
    if (location->first < from)
        add_span(imbalance, number, QUIPU__NO_CALLS, location->first, from);
    add_span(imbalance, number, path, from, to);
    location->first = to;
}

/* The time after the last call of a location. */
void quipu__imbalance_end_location(struct quipu__imbalance *imbalance, uint32_t number) {
    struct quipu__imbalance_location *location = &imbalance->locations.items[number];
    const struct quipu__call_stack *stack =
        number < imbalance->communication.stacks.count ? &imbalance->communication.stacks.items[number] : NULL;
    if (!location->has_events)
        return;
    const uint32_t path = stack ? stack->calls[stack->depth].path : QUIPU__NO_CALLS;
    const bool has_last = stack && stack->has_events && stack->last > location->first;
    add_span(imbalance, number, has_last ? QUIPU__NO_CALLS : path, location->first,
             has_last ? stack->last : location->last);
    if (has_last)
        add_span(imbalance, number, path, stack->last, location->last);
    if (imbalance->is_inclusive)
        move_to(imbalance, number, QUIPU__NO_CALLS, location->last);
    end_window(imbalance, location);
}
