/* imbalance.c: how unevenly the time of each region is spread over the locations, over the whole run and between collective operations
 * of all. A first reading finds these operations, a second one the times. */
#include "analysis/shared/between.h"
#include "analysis/shared/cells.h"
#include "analysis/shared/fold.h"
#include "analysis/shared/region_slots.h"
#include "analysis/shared/settings.h"
#include "analysis/shared/unfinished_calls.h"
#include "core/bounded.h"
#include "core/error.h"
#include "core/os.h"
#include "core/scale.h"
#include "core/memory/sort.h"
#include "state/unneeded_calls.h"

#include <stdlib.h>

/* Times of a region in a window, or in all of them. */
struct spread {
    int64_t most, total; /* of a location; of all */
};

struct imbalance_region {
    struct spread whole;
    uint32_t slowest;
    int64_t windows_most; /* the largest times of all windows together */
};

/* When a location left a collective operation. */
struct imbalance_exit {
    int64_t time;
    uint32_t instance;
};

/* The time of a region at a location. */
struct imbalance_time {
    int64_t in_window, total;
    int64_t since;   /* inclusive times: up to when it is counted, while the region is active */
    uint32_t active; /* inclusive times: calls of it inside each other */
    uint32_t region; /* plus 1 */
};

/* What is known of a location. */
struct imbalance_location {
    QUIPU__VEC(struct imbalance_exit) exits;
    size_t window;                           /* exits that lie behind it */
    int64_t next_exit;                       /* when the window ends; INT64_MAX: with the location */
    QUIPU__VEC(struct imbalance_time) times; /* of the regions that it is in at all */
    QUIPU__VEC(uint32_t) touched;            /* times with something in the window */
    uint32_t path;                           /* inclusive times: the calls that count as active */
    int64_t first, last;
    bool has_events;
};

/* Windows, and windows times calls inside each other where these are counted in each window. */
enum { WINDOWS_MOST = 65536, WINDOW_CALLS_MOST = 1 << 21 };

/* Windows times regions up to which there is a table of them. */
enum { TABLE_MOST = 1 << 19 };

struct imbalance {
    struct quipu__memory memory;
    const struct quipu_definitions *definitions;
    struct quipu__communication communication;
    struct quipu__unfinished_calls unfinished; /* of the first reading */
    struct quipu__reported reported;
    bool is_inclusive, is_second;
    bool is_exclusive_of_all;         /* exclusive times, and no time is left out */
    struct quipu__region_slots slots; /* numbers of times at each location */
    QUIPU__VEC(uint32_t) takers;      /* by instance: locations that took part */
    QUIPU__VEC(struct imbalance_location) locations;
    uint32_t region_count;                  /* with the one outside of any */
    uint64_t location_count, window_count;  /* the locations with events */
    uint64_t reported_count;                /* those of them that are reported */
    size_t first_window, last_window;       /* of the time that is */
    unsigned shift;                         /* so many windows are one: 2 to the power of it */
    struct quipu__map window_of;            /* (region, window) to its number */
    struct spread *table;                   /* the same of all of them, window by window, if they are few */
    size_t table_count;                     /* 0: there is none */
    QUIPU__VEC(struct spread) windows;      /* numbered so */
    QUIPU__VEC(uint32_t) window_regions;    /* and their regions */
    struct imbalance_region *regions;       /* by region plus 1 */
    struct quipu__unneeded_calls elsewhere; /* calls without collective operations */
    struct quipu__between between;          /* calls around the time outside of any */
};

/* When the window of a location ends. */
static inline int64_t imbalance_next_exit(const struct imbalance_location *location) {
    return location->window < location->exits.count ? location->exits.items[location->window].time : INT64_MAX;
}

/* ==== Times ====
 *
 * The times of regions at each location, in the window and in all. Only regions that a location is in take room. Of inclusive times only what
 * begins or ends is looked at, and at the end of a window what is active: not each call around each span.
 */

/* ---- Windows ---- */

static struct spread *window_of(struct imbalance *imbalance, uint32_t region, size_t window) {
    if (imbalance->table_count > 0)
        return &imbalance->table[(window >> imbalance->shift) * imbalance->region_count + region];
    const uint64_t key = (uint64_t)region << 32 | window >> imbalance->shift;
    const uint32_t known = quipu__map_get(&imbalance->window_of, key);
    if (known != QUIPU_NONE)
        return &imbalance->windows.items[known];
    struct spread *spread = QUIPU__VEC_ADD(&imbalance->memory, &imbalance->windows);
    uint32_t *of = QUIPU__VEC_ADD(&imbalance->memory, &imbalance->window_regions);
    if (!spread || !of || !quipu__map_put(&imbalance->window_of, key, (uint32_t)(imbalance->windows.count - 1)))
        return NULL;
    *of = region;
    return spread;
}

/* The window of a location is over: its times count among those of others. */
static void end_window(struct imbalance *imbalance, struct imbalance_location *location) {
    for (size_t i = 0; i < location->touched.count; i++) {
        struct imbalance_time *time = &location->times.items[location->touched.items[i]];
        struct spread *spread = window_of(imbalance, time->region, location->window);
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

/* The time of a region, given plus 1, at a location; NULL when memory is out or the region is not defined. */
static inline struct imbalance_time *time_of(struct imbalance *imbalance, uint32_t number, uint32_t region) {
    struct imbalance_location *location = &imbalance->locations.items[number];
    const uint32_t slot = quipu__region_slot(&imbalance->slots, number, region);
    if (QUIPU__LIKELY(slot < location->times.count))
        return &location->times.items[slot];
    struct imbalance_time *time =
        slot == QUIPU_NONE ? NULL : QUIPU__VEC_ADD(&imbalance->memory, &location->times);
    if (time)
        time->region = region;
    return time;
}

static void add_time(struct imbalance *imbalance, struct imbalance_location *location,
                     struct imbalance_time *time, int64_t amount) {
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

static void begin_call(struct imbalance *imbalance, uint32_t number, uint32_t path, int64_t now) {
    const uint32_t region = quipu__call_path_region(&imbalance->communication.paths, path) + 1;
    struct imbalance_time *time = time_of(imbalance, number, region);
    if (time && time->active++ == 0)
        time->since = now;
}

static void end_call(struct imbalance *imbalance, uint32_t number, uint32_t path, int64_t now) {
    const uint32_t region = quipu__call_path_region(&imbalance->communication.paths, path) + 1;
    struct imbalance_time *time = time_of(imbalance, number, region);
    if (time && time->active > 0 && --time->active == 0)
        add_time(imbalance, &imbalance->locations.items[number], time,
                 quipu__bounded_difference(now, time->since));
}

/* Goes from one path of calls to another one, which costs no more than there were events in between. */
static void move_to(struct imbalance *imbalance, uint32_t number, uint32_t path, int64_t now) {
    const struct quipu__call_path *paths = imbalance->communication.paths.list.items;
    struct imbalance_location *location = &imbalance->locations.items[number];
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
static void count_active(struct imbalance *imbalance, uint32_t number, int64_t now) {
    const struct quipu__call_paths *paths = &imbalance->communication.paths;
    struct imbalance_location *location = &imbalance->locations.items[number];
    for (uint32_t path = location->path; path != QUIPU__NO_CALLS; path = paths->list.items[path].parent) {
        struct imbalance_time *time = time_of(imbalance, number, quipu__call_path_region(paths, path) + 1);
        if (!time)
            continue;
        add_time(imbalance, location, time, quipu__bounded_difference(now, time->since));
        time->since = now;
    }
}

/* ---- Spans ---- */

/* Windows that are merged do not end in between. */
static void next_window(struct imbalance *imbalance, uint32_t number, int64_t now) {
    struct imbalance_location *location = &imbalance->locations.items[number];
    const size_t next = location->window + 1;
    if (next >> imbalance->shift != location->window >> imbalance->shift) {
        count_active(imbalance, number, now);
        end_window(imbalance, location);
    }
    location->window = next;
    location->next_exit = imbalance_next_exit(location);
}

/* The time of the innermost region; of others where only exclusive times count. */
static void add_innermost(struct imbalance *imbalance, uint32_t number, uint32_t path, int64_t amount) {
    struct imbalance_time *time = NULL;
    if (!imbalance->is_inclusive || path == QUIPU__NO_CALLS)
        time = time_of(imbalance, number, quipu__call_path_region(&imbalance->communication.paths, path) + 1);
    if (time)
        add_time(imbalance, &imbalance->locations.items[number], time, amount);
}

/* Nearly always a span lies in one window. */
static void add_span(struct imbalance *imbalance, uint32_t number, uint32_t path, int64_t from, int64_t to) {
    struct imbalance_location *location = &imbalance->locations.items[number];
    from = quipu__reported_from(&imbalance->reported, from);
    to = quipu__reported_to(&imbalance->reported, to);
    quipu__between_step(&imbalance->between, &imbalance->communication.paths, number, path,
                        to > from ? quipu__bounded_difference(to, from) : 0);
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

/* The fast path, if that is all: a span in a call whose region has been counted in the window, which does not end with it. Without this imbalance takes an
 * eighth more instructions. */
static inline bool add_span_fast(struct imbalance *imbalance, uint32_t number, uint32_t path, int64_t from,
                                 int64_t to) {
    struct imbalance_location *location = &imbalance->locations.items[number];
    const struct quipu__between_location *between =
        number < imbalance->between.locations.count ? &imbalance->between.locations.items[number] : NULL;
    if (!imbalance->is_exclusive_of_all || path == QUIPU__NO_CALLS || location->first != from ||
        location->next_exit < to || !between || between->outside != 0)
        return false;
    struct imbalance_time *time =
        time_of(imbalance, number, quipu__call_path_region(&imbalance->communication.paths, path) + 1);
    if (!time || time->in_window == 0)
        return false;
    quipu__between_step(&imbalance->between, &imbalance->communication.paths, number, path, 0);
    time->in_window = quipu__bounded_sum(time->in_window, to - from);
    location->first = to;
    return true;
}

/* Counts time that a location has spent in a path of calls, in whichever windows it lies; context is the imbalance. */
static void imbalance_add_step(void *context, uint32_t number, uint32_t path, int64_t from, int64_t to) {
    struct imbalance *imbalance = context;
    if (number >= imbalance->locations.count || !quipu__reports(&imbalance->reported, number) ||
        add_span_fast(imbalance, number, path, from, to))
        return;
    struct imbalance_location *location = &imbalance->locations.items[number];
    if (location->first < from)
        add_span(imbalance, number, QUIPU__NO_CALLS, location->first, from);
    add_span(imbalance, number, path, from, to);
    location->first = to;
}

/* The time after the last call of a location. */
static void imbalance_end_location(struct imbalance *imbalance, uint32_t number) {
    struct imbalance_location *location = &imbalance->locations.items[number];
    const struct quipu__call_stack *stack =
        number < imbalance->communication.stacks.count ? &imbalance->communication.stacks.items[number] : NULL;
    if (!location->has_events || !quipu__reports(&imbalance->reported, number))
        return;
    const uint32_t path = stack ? stack->calls[stack->depth].path : QUIPU__NO_CALLS;
    const bool has_last = stack && stack->has_events && stack->last > location->first;
    add_span(imbalance, number, has_last ? QUIPU__NO_CALLS : path, location->first,
             has_last ? stack->last : location->last);
    if (has_last)
        add_span(imbalance, number, path, stack->last, location->last);
    if (imbalance->is_inclusive)
        move_to(imbalance, number, QUIPU__NO_CALLS, quipu__reported_to(&imbalance->reported, location->last));
    end_window(imbalance, location);
    quipu__between_end(&imbalance->between, &imbalance->communication.paths, number);
}

static struct imbalance_location *location_of(struct imbalance *imbalance, uint32_t location) {
    const size_t known = imbalance->locations.count;
    if (location < known)
        return &imbalance->locations.items[location];
    if (!QUIPU__VEC_RESERVE(&imbalance->memory, &imbalance->locations, location + 1 - known))
        return NULL;
    imbalance->locations.count = (size_t)location + 1;
    return &imbalance->locations.items[location];
}

/* ---- The first reading ---- */

static void add_collective(void *context, const struct quipu__collective *collective) {
    struct imbalance *imbalance = context;
    if (!collective->is_evaluated)
        return;
    uint32_t *takers = QUIPU__VEC_ADD(&imbalance->memory, &imbalance->takers);
    if (!takers)
        return;
    *takers = collective->side_count;
    for (uint32_t i = 0; i < collective->side_count; i++) {
        struct imbalance_location *location = location_of(imbalance, collective->sides[i].location);
        struct imbalance_exit *exit = location ? QUIPU__VEC_ADD(&imbalance->memory, &location->exits) : NULL;
        if (exit)
            *exit = (struct imbalance_exit){collective->sides[i].end, (uint32_t)(imbalance->takers.count - 1)};
    }
}

static int compare_exits(const void *a, const void *b) {
    const struct imbalance_exit *x = a, *y = b;
    return (x->time > y->time) - (x->time < y->time);
}

/* Which windows the time that is reported of a location lies in. */
static void add_reported_windows(struct imbalance *imbalance, const struct imbalance_location *location) {
    const struct imbalance_exit *exits = location->exits.items;
    size_t first = 0;
    while (first < location->exits.count && exits[first].time <= imbalance->reported.since)
        first++;
    size_t last = first;
    while (last < location->exits.count && exits[last].time < imbalance->reported.until)
        last++;
    imbalance->first_window = first < imbalance->first_window ? first : imbalance->first_window;
    imbalance->last_window = last > imbalance->last_window ? last : imbalance->last_window;
}

/* Only operations in which all locations take part cut the time into windows. */
static void choose_exits(struct imbalance *imbalance, struct imbalance_location *location) {
    size_t chosen = 0;
    for (size_t i = 0; i < location->exits.count; i++)
        if (imbalance->takers.items[location->exits.items[i].instance] == imbalance->location_count)
            location->exits.items[chosen++] = location->exits.items[i];
    location->exits.count = chosen;
    quipu__gate_knows(quipu__sort(&imbalance->memory, location->exits.items, chosen,
                                  sizeof *location->exits.items, compare_exits));
    location->next_exit = imbalance_next_exit(location);
    imbalance->window_count = chosen + 1 > imbalance->window_count ? chosen + 1 : imbalance->window_count;
}

/* How many calls are inside each other at most. */
static uint32_t deepest_path(const struct quipu__call_paths *paths) {
    uint32_t depth = 1;
    for (size_t i = 0; i < paths->list.count; i++)
        depth = paths->list.items[i].depth > depth ? paths->list.items[i].depth : depth;
    return depth;
}

static bool make_table(struct imbalance *imbalance) {
    const uint64_t windows = (imbalance->window_count >> imbalance->shift) + 1;
    if (windows * imbalance->region_count > TABLE_MOST)
        return true;
    imbalance->table_count = (size_t)windows * imbalance->region_count;
    imbalance->table = quipu__alloc_zero(&imbalance->memory, imbalance->table_count * sizeof *imbalance->table);
    return imbalance->table != NULL;
}

static bool end_first(struct imbalance *imbalance) {
    const struct quipu__communication *communication = &imbalance->communication;
    imbalance->window_count = 1;
    for (uint32_t i = 0; i < communication->stacks.count; i++) {
        struct imbalance_location *location = location_of(imbalance, i);
        if (!location)
            return false;
        location->has_events = communication->stacks.items[i].has_events;
        location->first = communication->stacks.items[i].first;
        location->last = communication->stacks.items[i].last;
        imbalance->location_count += location->has_events;
        imbalance->reported_count += location->has_events && quipu__reports(&imbalance->reported, i);
    }
    for (uint32_t i = 0; i < imbalance->locations.count; i++) {
        choose_exits(imbalance, &imbalance->locations.items[i]);
        if (quipu__reports(&imbalance->reported, i))
            add_reported_windows(imbalance, &imbalance->locations.items[i]);
    }
    const uint64_t calls = imbalance->is_inclusive ? deepest_path(&communication->paths) : 1;
    while (imbalance->window_count >> imbalance->shift > WINDOWS_MOST ||
           (imbalance->window_count >> imbalance->shift) * calls > WINDOW_CALLS_MOST)
        imbalance->shift++;
    return make_table(imbalance) &&
           quipu__region_slots_init(&imbalance->slots, &imbalance->memory, imbalance->region_count,
                                    (uint32_t)imbalance->locations.count);
}

/* ---- The second reading ---- */

static void add_window(struct imbalance *imbalance, size_t region, const struct spread *window) {
    int64_t *most = &imbalance->regions[region].windows_most;
    *most = quipu__bounded_sum(*most, window->most);
}

static void add_up_location(struct imbalance *imbalance, uint32_t number) {
    const struct imbalance_location *location = &imbalance->locations.items[number];
    for (size_t i = 0; i < location->times.count; i++) {
        const int64_t total = location->times.items[i].total;
        struct imbalance_region *region = &imbalance->regions[location->times.items[i].region];
        region->whole.total = quipu__bounded_sum(region->whole.total, total);
        if (total <= region->whole.most)
            continue;
        region->whole.most = total;
        region->slowest = number;
    }
}

/* Adds up what was read. False when memory is out. */
static bool imbalance_add_up(struct imbalance *imbalance) {
    imbalance->regions =
        quipu__alloc_zero(&imbalance->memory, imbalance->region_count * sizeof *imbalance->regions);
    if (!imbalance->regions)
        return false;
    for (uint32_t i = 0; i < imbalance->locations.count; i++) {
        imbalance_end_location(imbalance, i);
        add_up_location(imbalance, i);
    }
    if (quipu__memory_status(&imbalance->memory, NULL) != QUIPU_OK)
        return false; /* a window may have no region */
    for (size_t i = 0; i < imbalance->table_count; i++)
        add_window(imbalance, i % imbalance->region_count, &imbalance->table[i]);
    for (size_t i = 0; i < imbalance->windows.count; i++)
        add_window(imbalance, imbalance->window_regions.items[i], &imbalance->windows.items[i]);
    return true;
}

/* ---- The fold ---- */

static enum quipu_status begin(const struct quipu__fold_start *start, void **state, struct quipu_error *err) {
    struct imbalance *imbalance = quipu__fold_state(start, sizeof *imbalance, state);
    if (!imbalance)
        return quipu__no_memory(err, sizeof *imbalance);
    imbalance->definitions = start->definitions;
    imbalance->reported = quipu__reported_of(start);
    imbalance->first_window = SIZE_MAX;
    imbalance->is_inclusive = quipu__settings_say_yes(&start->settings, "inclusive");
    imbalance->is_exclusive_of_all = !imbalance->is_inclusive && imbalance->reported.since == INT64_MIN &&
                                     imbalance->reported.until == INT64_MAX;
    quipu__map_init(&imbalance->window_of, &imbalance->memory);
    quipu__between_init(&imbalance->between, &imbalance->memory);
    const struct quipu__communication_listener listener = {.context = imbalance, .collective = add_collective};
    if (!quipu__unneeded_calls_init(&imbalance->elsewhere, &imbalance->memory, start->definitions,
                                    QUIPU__REGION_COMMUNICATES) ||
        !quipu__communication_init(&imbalance->communication, &imbalance->memory, start->definitions,
                                   &listener))
        return quipu__no_memory(err, sizeof *imbalance);
    imbalance->elsewhere.also = ~(QUIPU_KIND_BIT(QUIPU_KIND_enter) | QUIPU_KIND_BIT(QUIPU_KIND_leave) |
                                  QUIPU_KIND_BIT(QUIPU_KIND_collective_begin) |
                                  QUIPU_KIND_BIT(QUIPU_KIND_collective_end) | QUIPU__NO_EVENTS);
    return QUIPU_OK;
}

/* The first reading looks for collective operations only; of inclusive times also how deep calls are. */
static const struct quipu__unneeded_calls *unneeded(const void *state) {
    const struct imbalance *imbalance = state;
    return !imbalance->is_second && !imbalance->is_inclusive ? &imbalance->elsewhere : NULL;
}

static enum quipu_status consume(void *state, const struct quipu_batch *batch, struct quipu_error *err) {
    struct imbalance *imbalance = state;
    if (!quipu__communication_add_batch(&imbalance->communication, batch))
        return quipu__no_memory(err, imbalance->memory.used);
    return quipu__memory_status(&imbalance->memory, err);
}

static bool next_pass(void *state, struct quipu_selection *selection) {
    struct imbalance *imbalance = state;
    const struct quipu__communication_listener listener = {.context = imbalance, .step = imbalance_add_step};
    if (imbalance->is_second)
        return false;
    imbalance->is_second = true;
    selection->order = QUIPU_ORDER_STREAM;
    selection->kinds = QUIPU_KIND_BIT(QUIPU_KIND_enter) | QUIPU_KIND_BIT(QUIPU_KIND_leave);
    quipu__communication_finish(&imbalance->communication);
    imbalance->unfinished = imbalance->communication.unfinished;
    imbalance->region_count = imbalance->definitions->regions.count + 1;
    if (!end_first(imbalance))
        return false;
    quipu__communication_release(&imbalance->communication);
    const bool has_memory = quipu__communication_init(&imbalance->communication, &imbalance->memory,
                                                      imbalance->definitions, &listener);
    imbalance->communication.only_calls = true;
    return has_memory; /* the tables ask for it */
}

static void release(void *state) {
    struct imbalance *imbalance = state;
    struct quipu__memory *memory = &imbalance->memory;
    for (size_t i = 0; i < imbalance->locations.count; i++) {
        struct imbalance_location *location = &imbalance->locations.items[i];
        QUIPU__VEC_RELEASE(memory, &location->exits);
        QUIPU__VEC_RELEASE(memory, &location->times);
        QUIPU__VEC_RELEASE(memory, &location->touched);
    }
    quipu__region_slots_release(&imbalance->slots);
    quipu__between_release(&imbalance->between);
    quipu__unneeded_calls_release(&imbalance->elsewhere);
    quipu__release(memory, imbalance->table, imbalance->table_count * sizeof *imbalance->table);
    quipu__communication_release(&imbalance->communication);
    QUIPU__VEC_RELEASE(memory, &imbalance->locations);
    QUIPU__VEC_RELEASE(memory, &imbalance->takers);
    QUIPU__VEC_RELEASE(memory, &imbalance->windows);
    QUIPU__VEC_RELEASE(memory, &imbalance->window_regions);
    quipu__map_release(&imbalance->window_of);
    quipu__release(memory, imbalance->regions, imbalance->region_count * sizeof *imbalance->regions);
    struct quipu__memory own = imbalance->memory;
    quipu__release(&own, imbalance, sizeof *imbalance);
}

/* ==== The table ==== */

/* clang-format off */
#define IMBALANCE_TABLES(TABLE, COLUMN, END) \
    TABLE(IMBALANCE, "imbalance", "a row per region") \
    QUIPU__NAMED(COLUMN, IMBALANCE, region, "name of the region, null for time outside of any") \
    COLUMN(IMBALANCE, between, TEXT, "", "of time outside of any region: the calls around most of it at the slowest location") \
    COLUMN(IMBALANCE, lost_total_ns, I64, "ns", "time of all locations lost to imbalance") \
    COLUMN(IMBALANCE, imbalance_percent, F64, "%", "0: all equal, 100: one location does everything") \
    COLUMN(IMBALANCE, behaviour, TEXT, "", "balanced, persistent, rotating or mixed") \
    QUIPU__NAMED(COLUMN, IMBALANCE, slowest, "location with the largest time") \
    COLUMN(IMBALANCE, max_ns, I64, "ns", "its time") \
    COLUMN(IMBALANCE, mean_ns, I64, "ns", "mean of all locations") \
    COLUMN(IMBALANCE, lost_ns, I64, "ns", "lost_total_ns per location") \
    COLUMN(IMBALANCE, windows_lost_total_ns, I64, "ns", "time of all locations lost in each window, together") \
    COLUMN(IMBALANCE, windows, U64, "", "windows between collective operations of all locations") \
    END(IMBALANCE)
/* clang-format on */
QUIPU__TABLES(IMBALANCE_TABLES)
static const struct quipu_analysis_table imbalance_tables[] = {QUIPU__SHAPES(IMBALANCE_TABLES)};

/* A region's losses. */
struct row {
    const struct imbalance *imbalance;
    uint32_t region;
    int64_t most, total, lost, windows_lost, peaks;
    uint32_t slowest;
};

/* What count times most is more than a total; INT64_MAX where that, or the total, is no number of 64 bits. */
static int64_t lost_of(int64_t count, int64_t most, int64_t total) {
    int64_t lost;
    return total < INT64_MAX && quipu__multiply_less(count, most, total, &lost) ? lost : INT64_MAX;
}

static struct row row_of(const struct imbalance *imbalance, uint32_t index) {
    const struct imbalance_region *region = &imbalance->regions[index];
    const int64_t count = (int64_t)imbalance->reported_count;
    return (struct row){.imbalance = imbalance,
                        .region = index - 1,
                        .most = region->whole.most,
                        .total = region->whole.total,
                        .lost = lost_of(count, region->whole.most, region->whole.total),
                        .windows_lost = lost_of(count, region->windows_most, region->whole.total),
                        .peaks = quipu__bounded_product(count, region->windows_most),
                        .slowest = region->slowest};
}

static int compare_rows(const void *a, const void *b) {
    const struct row *x = a, *y = b;
    if (x->lost != y->lost)
        return x->lost > y->lost ? -1 : 1;
    const int order =
        quipu__names_compare(x->imbalance->definitions, QUIPU_REFERS_REGION, x->region, y->region);
    return order != 0 ? order : (x->region > y->region) - (x->region < y->region);
}

static const char *behaviour_of(const struct row *row) {
    if (row->lost == INT64_MAX || row->windows_lost == INT64_MAX)
        return NULL;
    if (quipu__bounded_product(50, row->windows_lost) < row->peaks)
        return "balanced";
    if (quipu__bounded_product(5, row->lost) >= quipu__bounded_product(4, row->windows_lost))
        return "persistent";
    return quipu__bounded_product(5, row->lost) <= row->windows_lost ? "rotating" : "mixed";
}

static enum quipu_status put_row(const struct row *row, struct quipu_table *table, struct quipu_error *err) {
    const struct imbalance *imbalance = row->imbalance;
    const int64_t count = (int64_t)imbalance->reported_count;
    const bool is_alone = count < 2;
    const uint64_t most = is_alone ? 1 : (uint64_t)row->most;
    quipu__table_put_name_and_id(table, IMBALANCE_region, imbalance->definitions, QUIPU_REFERS_REGION,
                                 row->region);
    quipu__table_put_calls_around(table, IMBALANCE_between, imbalance->definitions,
                                  row->region == QUIPU_NONE
                                      ? quipu__between_most(&imbalance->between, row->slowest)
                                      : QUIPU__NO_CALLS_AROUND);
    quipu__table_put_i64_if(table, IMBALANCE_lost_total_ns, row->lost < INT64_MAX, row->lost);
    quipu__table_put_percent(table, IMBALANCE_imbalance_percent, (uint64_t)row->lost,
                             is_alone ? 1 : (uint64_t)(count - 1), row->lost == INT64_MAX ? 0 : most);
    quipu__table_put_text(table, IMBALANCE_behaviour, behaviour_of(row));
    quipu__table_put_location(table, IMBALANCE_slowest, imbalance->definitions, row->slowest);
    quipu__table_put_i64(table, IMBALANCE_max_ns, row->most);
    quipu__table_put_i64_if(table, IMBALANCE_mean_ns, row->total < INT64_MAX,
                            quipu__divide_rounded(row->total, count));
    quipu__table_put_i64_if(table, IMBALANCE_lost_ns, row->lost < INT64_MAX,
                            quipu__divide_rounded(row->lost, count));
    quipu__table_put_i64_if(table, IMBALANCE_windows_lost_total_ns, row->windows_lost < INT64_MAX,
                            row->windows_lost);
    quipu__table_put_u64(table, IMBALANCE_windows,
                         (imbalance->last_window >> imbalance->shift) -
                             (imbalance->first_window >> imbalance->shift) + 1);
    return quipu__table_end_row(table, err);
}

static enum quipu_status put_rows(struct imbalance *imbalance, bool *has_all_totals, struct quipu_table *table,
                                  struct quipu_error *err) {
    const size_t bytes = imbalance->region_count * sizeof(struct row);
    struct row *rows = quipu__alloc(&imbalance->memory, bytes);
    enum quipu_status status = rows ? QUIPU_OK : quipu__no_memory(err, bytes);
    size_t count = 0;
    for (uint32_t i = 0; rows && i < imbalance->region_count; i++)
        if (imbalance->regions[i].whole.total > 0)
            rows[count++] = row_of(imbalance, i);
    if (count > 1)
        qsort(rows, count, sizeof *rows, compare_rows);
    for (size_t i = 0; i < count && status == QUIPU_OK; i++) {
        *has_all_totals &= rows[i].lost < INT64_MAX && rows[i].windows_lost < INT64_MAX;
        status = put_row(&rows[i], table, err);
    }
    quipu__release(&imbalance->memory, rows, bytes);
    return status;
}

static enum quipu_status imbalance_finish(void *state, struct quipu_tables *tables, struct quipu_error *err) {
    struct imbalance *imbalance = state;
    struct quipu_table *table;
    enum quipu_status status = quipu__memory_status(&imbalance->memory, err);
    if (status == QUIPU_OK)
        status = quipu__tables_add(tables, &imbalance_tables[0], &table, err);
    if (status != QUIPU_OK)
        return status;
    if (!imbalance_add_up(imbalance))
        return quipu__no_memory(err, imbalance->memory.used);
    quipu__unfinished_calls_note(&imbalance->unfinished, tables);
    bool has_all_totals = true;
    status = put_rows(imbalance, &has_all_totals, table, err);
    if (!has_all_totals)
        quipu__tables_note_add(tables, "a total of all locations is no number of 64 bits, and null");
    return status == QUIPU_OK ? quipu__memory_status(&imbalance->memory, err) : status;
}

static const struct quipu_option options[] = {
    QUIPU__REPORTED_OPTIONS,
    {.name = "inclusive",
     .kind = QUIPU_OPTION_FLAG,
     .argument = "",
     .doc = "compare times from enter to leave, not those without inner calls"},
};

const struct quipu__fold quipu__imbalance_fold = {
    .info =
        {.name = "imbalance",
         .doc = "show which regions are spread unevenly",
         .details =
             "Compares the time of each region at all locations. lost_total_ns is what would be saved, in "
             "time of all "
             "locations, if all were as slow as the slowest needs to be: 0 when all are equal. "
             "imbalance_percent is "
             "100 when one location does everything.\n\n"
             "Collective operations in which all take part cut the time into windows, 65,536 at most (with "
             "--inclusive fewer where calls are deep), and "
             "windows_lost_total_ns is the same window by window. behaviour says how both compare: "
             "balanced, below "
             "2 % in windows; persistent, the same locations are slow all the time; rotating, others in "
             "turn; mixed.\n\n"
             "With --since, --until and --roi the time counts that lies there, with --location, --processes "
             "and --where that of these locations; windows are those of the whole trace, as far as they lie "
             "there.\n\n"
             "Time outside of any region is a row without a region; between names it by the calls around most "
             "of it at the "
             "slowest location, such as \"between MPI_Wait and MPI_Send\".",
         .examples = "quipu imbalance run.trace --limit 10 # the ten most uneven regions\n"
                     "quipu imbalance run.trace --inclusive # with what they call",
         .options = options,
         .option_count = sizeof options / sizeof *options,
         .tables = imbalance_tables,
         .table_count = 1,
         .empty_answer = "no time passes",
         .needs_everything = true},
    .kinds = QUIPU_ALL_KINDS,
    .is_selective = true,
    .order = QUIPU_ORDER_WINDOWS,
    .begin = begin,
    .consume = consume,
    .unneeded = unneeded,
    .next_pass = next_pass,
    .finish = imbalance_finish,
    .release = release,
};
