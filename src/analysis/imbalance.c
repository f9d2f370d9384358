/* imbalance.c: how unevenly the time of each region is spread over the locations, over the whole run and between collective operations
 * of all.
 *
 * A first reading finds these operations. It also counts the times, on the guess that every operation on the largest communicators will turn out to be
 * one of all; where that was wrong, a second reading counts them. So most traces are read once, which takes little more than a profile. */
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
#include "state/communication.h"
#include "state/tracker.h"

#include <stdlib.h>
#include <string.h>

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

/* An active call, or, outermost, the time outside of any. */
struct imbalance_call {
    uint32_t region, slot; /* number of its time at the location */
};

/* What is known of a location. */
struct imbalance_location {
    QUIPU__VEC(struct imbalance_exit) exits;
    QUIPU__VEC(int64_t) guessed; /* exits that the first reading has cut at */
    size_t window;               /* exits that lie behind it */
    int64_t next_exit;           /* when the window ends; INT64_MAX: with the location */
    int64_t limit;               /* up to there all time lies in that window and is reported */
    QUIPU__VEC(struct imbalance_call) calls;
    QUIPU__VEC(struct imbalance_time) times; /* of the regions that it is in at all */
    QUIPU__VEC(uint32_t) touched;            /* times with something in the window */
    int64_t first, last;                     /* of its events */
    int64_t now;                             /* its time has been counted up to here */
    int64_t turned;                          /* when the outermost call was entered, or left */
    int64_t outside;                         /* outside of any call, since the one before */
    uint32_t before;                         /* region of that: outermost, and it took time */
    bool has_events, has_started;            /* known in the end; in this reading */
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
    bool is_guess;                    /* the first reading still counts times */
    uint32_t most_members;            /* of all communicators */
    uint32_t known_locations;         /* those that times are counted of */
    uint32_t deepest;                 /* inclusive times: calls inside each other */
    bool has_one_window;              /* no location has an operation of all */
    struct quipu__region_slots slots; /* numbers of times at each location */
    QUIPU__VEC(uint32_t) takers;      /* by instance: locations that took part */
    QUIPU__VEC(struct imbalance_location) locations;
    uint32_t region_count;                 /* with the one outside of any */
    uint64_t location_count, window_count; /* the locations with events */
    uint64_t reported_count;               /* those of them that are reported */
    size_t first_window, last_window;      /* of the time that is */
    unsigned shift;                        /* so many windows are one: 2 to the power of it */
    struct quipu__map window_of;           /* (region, window) to its number */
    QUIPU__VEC(struct spread) table;       /* the same of the first ones, window by window */
    QUIPU__VEC(struct spread) windows;     /* of the others, numbered so */
    QUIPU__VEC(uint32_t) window_regions;   /* and their regions */
    struct imbalance_region *regions;      /* by region plus 1 */
    struct quipu__between between;         /* calls around the time outside of any */
};

/* When the window of a location ends. */
static inline int64_t next_exit(const struct imbalance *imbalance, const struct imbalance_location *location) {
    if (!imbalance->is_second)
        return location->window < location->guessed.count ? location->guessed.items[location->window]
                                                          : INT64_MAX;
    return location->window < location->exits.count ? location->exits.items[location->window].time : INT64_MAX;
}

/* ==== Times ====
 *
 * The times of regions at each location, in the window and in all. Only regions that a location is in take room. Of inclusive times only what
 * begins or ends is looked at, and at the end of a window what is active: not each call around each span.
 */

/* ---- Windows ---- */

static struct spread *window_of(struct imbalance *imbalance, uint32_t region, size_t window) {
    const size_t first = (window >> imbalance->shift) * imbalance->region_count,
                 known_count = imbalance->table.count;
    if (first + imbalance->region_count <= TABLE_MOST) {
        if (first >= known_count) {
            const size_t more = first + imbalance->region_count - known_count;
            if (!QUIPU__VEC_RESERVE(&imbalance->memory, &imbalance->table, more))
                return NULL;
            imbalance->table.count += more;
        }
        return &imbalance->table.items[first + region];
    }
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

/* The number of the time of a region, given plus 1, at a location; QUIPU_NONE when memory is out or the region is not defined. */
static inline uint32_t slot_of(struct imbalance *imbalance, struct imbalance_location *location,
                               uint32_t region) {
    const uint32_t number = (uint32_t)(location - imbalance->locations.items);
    if (QUIPU__UNLIKELY(number >= imbalance->known_locations))
        return QUIPU_NONE;
    const uint32_t slot = quipu__region_slot(&imbalance->slots, number, region);
    if (QUIPU__LIKELY(slot < location->times.count) || slot == QUIPU_NONE)
        return slot;
    struct imbalance_time *time = QUIPU__VEC_ADD(&imbalance->memory, &location->times);
    if (!time)
        return QUIPU_NONE;
    time->region = region;
    return slot;
}

static inline void add_time(struct imbalance *imbalance, struct imbalance_location *location, uint32_t slot,
                            int64_t amount) {
    if (QUIPU__UNLIKELY(slot >= location->times.count) || amount <= 0)
        return;
    struct imbalance_time *time = &location->times.items[slot];
    uint32_t *touched = time->in_window == 0 ? QUIPU__VEC_ADD(&imbalance->memory, &location->touched) : NULL;
    if (touched)
        *touched = slot;
    time->in_window = quipu__bounded_sum(time->in_window, amount);
}

/* ---- Inclusive times ---- */

/* Of what is reported, the time up to now in which a region has been active since that was counted last. */
static void count_active(struct imbalance *imbalance, struct imbalance_location *location, uint32_t slot) {
    const uint32_t number = (uint32_t)(location - imbalance->locations.items);
    struct imbalance_time *time = &location->times.items[slot];
    const int64_t now = quipu__reported_to(&imbalance->reported, location->now);
    if (now <= time->since || !quipu__reports(&imbalance->reported, number))
        return;
    add_time(imbalance, location, slot, quipu__bounded_difference(now, time->since));
    time->since = now;
}

static void begin_active(struct imbalance *imbalance, struct imbalance_location *location, uint32_t slot) {
    const uint32_t depth = (uint32_t)location->calls.count - 1;
    imbalance->deepest = depth > imbalance->deepest ? depth : imbalance->deepest;
    if (slot < location->times.count && location->times.items[slot].active++ == 0)
        location->times.items[slot].since = quipu__reported_from(&imbalance->reported, location->now);
}

static void end_active(struct imbalance *imbalance, struct imbalance_location *location, uint32_t slot) {
    if (slot < location->times.count && location->times.items[slot].active > 0 &&
        --location->times.items[slot].active == 0)
        count_active(imbalance, location, slot);
}

/* ---- Spans ---- */

/* Windows that are merged do not end in between. now is where this one ends. */
static void next_window(struct imbalance *imbalance, struct imbalance_location *location) {
    const size_t next = location->window + 1;
    if (next >> imbalance->shift != location->window >> imbalance->shift) {
        for (size_t i = 1; i < location->calls.count && imbalance->is_inclusive; i++)
            if (location->calls.items[i].slot < location->times.count)
                count_active(imbalance, location, location->calls.items[i].slot);
        end_window(imbalance, location);
    }
    location->window = next;
    location->next_exit = next_exit(imbalance, location);
}

/* Time of the innermost call; of calls where only exclusive times count. */
static inline void add_innermost(struct imbalance *imbalance, struct imbalance_location *location,
                                 int64_t amount) {
    const size_t depth = location->calls.count - 1;
    if (!imbalance->is_inclusive || depth == 0)
        add_time(imbalance, location, location->calls.items[depth].slot, amount);
}

static void find_limit(const struct imbalance *imbalance, struct imbalance_location *location) {
    const uint32_t number = (uint32_t)(location - imbalance->locations.items);
    const bool is_reported =
        quipu__reports(&imbalance->reported, number) && location->now >= imbalance->reported.since;
    location->limit = is_reported ? quipu__reported_to(&imbalance->reported, location->next_exit) : INT64_MIN;
}

/* Time that may not be reported, or passes the end of the window. */
static void add_span(struct imbalance *imbalance, struct imbalance_location *location, int64_t from,
                     int64_t to) {
    from = quipu__reported_from(&imbalance->reported, from);
    to = quipu__reported_to(&imbalance->reported, to);
    while (from < to) {
        location->now = from;
        while (location->next_exit <= from)
            next_window(imbalance, location);
        const int64_t until = to < location->next_exit ? to : location->next_exit;
        add_innermost(imbalance, location, quipu__bounded_difference(until, from));
        from = until;
    }
}

/* A location has been in its innermost call up to a time. */
static inline void spend(struct imbalance *imbalance, struct imbalance_location *location, int64_t time) {
    const int64_t from = location->now;
    if (time <= from)
        return;
    if (QUIPU__LIKELY(time <= location->limit)) {
        add_innermost(imbalance, location, quipu__bounded_difference(time, from));
        location->now = time;
        return;
    }
    if (quipu__reports(&imbalance->reported, (uint32_t)(location - imbalance->locations.items)))
        add_span(imbalance, location, from, time);
    location->now = time;
    find_limit(imbalance, location);
}

/* ==== Calls ==== */

static struct imbalance_location *location_of(struct imbalance *imbalance, uint32_t location) {
    const size_t known = imbalance->locations.count;
    if (location < known)
        return &imbalance->locations.items[location];
    if (!QUIPU__VEC_RESERVE(&imbalance->memory, &imbalance->locations, location + 1 - known))
        return NULL;
    imbalance->locations.count = (size_t)location + 1;
    return &imbalance->locations.items[location];
}

/* The location of an event; NULL when memory is out. */
static struct imbalance_location *begin_location(struct imbalance *imbalance, uint32_t number, int64_t time) {
    struct imbalance_location *location = location_of(imbalance, number);
    struct imbalance_call *outside =
        location && !location->has_started ? QUIPU__VEC_ADD(&imbalance->memory, &location->calls) : NULL;
    if (!outside)
        return location && location->has_started ? location : NULL;
    *outside = (struct imbalance_call){QUIPU_NONE, slot_of(imbalance, location, 0)};
    if (!imbalance->is_second)
        location->first = time;
    location->has_started = true;
    location->has_events = true;
    location->now = location->turned = location->first;
    location->before = QUIPU_NONE;
    location->next_exit = next_exit(imbalance, location);
    location->limit = INT64_MIN;
    return location;
}

/* Time outside of any call has passed. */
static void add_outside(struct imbalance *imbalance, struct imbalance_location *location) {
    const int64_t from = quipu__reported_from(&imbalance->reported, location->turned);
    const int64_t to = quipu__reported_to(&imbalance->reported, location->now);
    if (from < to)
        location->outside = quipu__bounded_sum(location->outside, quipu__bounded_difference(to, from));
    location->turned = location->now;
}

/* What calls the time outside lies between is known: after is the one that has ended; QUIPU_NONE: there is none. */
static void end_outside(struct imbalance *imbalance, struct imbalance_location *location, uint32_t after) {
    const uint32_t number = (uint32_t)(location - imbalance->locations.items);
    if (location->outside > 0 && quipu__reports(&imbalance->reported, number))
        quipu__between_add(&imbalance->between, number, (struct quipu__calls_around){location->before, after},
                           location->outside);
    location->outside = 0;
    location->before = after;
}

/* One that takes no time is not seen. */
static void end_outermost(struct imbalance *imbalance, struct imbalance_location *location) {
    if (location->now > location->turned)
        end_outside(imbalance, location, location->calls.items[1].region);
    location->turned = location->now;
}

static inline void enter(struct imbalance *imbalance, struct imbalance_location *location, uint32_t region) {
    if (QUIPU__UNLIKELY(location->calls.count == location->calls.capacity) &&
        !QUIPU__VEC_RESERVE(&imbalance->memory, &location->calls, location->calls.count))
        return;
    if (QUIPU__UNLIKELY(location->calls.count == 1))
        add_outside(imbalance, location);
    const uint32_t named = quipu__communication_first_of_name(&imbalance->communication, region),
                   slot = slot_of(imbalance, location, named + 1);
    location->calls.items[location->calls.count++] = (struct imbalance_call){region, slot};
    if (imbalance->is_inclusive)
        begin_active(imbalance, location, slot);
}

static inline void end_innermost(struct imbalance *imbalance, struct imbalance_location *location) {
    const size_t depth = location->calls.count - 1;
    if (imbalance->is_inclusive)
        end_active(imbalance, location, location->calls.items[depth].slot);
    if (QUIPU__UNLIKELY(depth == 1))
        end_outermost(imbalance, location);
    location->calls.count--;
}

/* Calls inside end with it; one that is not active, or too far out, is not left. */
static void leave(struct imbalance *imbalance, struct imbalance_location *location, uint32_t region) {
    const size_t depth = location->calls.count - 1;
    const size_t least = depth > QUIPU__LOOK_OUT_MOST ? depth - QUIPU__LOOK_OUT_MOST : 0;
    size_t call = depth;
    while (call > least && region != QUIPU_NONE && location->calls.items[call].region != region)
        call--;
    while (call > least && location->calls.count > call)
        end_innermost(imbalance, location);
}

/* Calls that are never left last to the last event of their location. */
static void end_location(struct imbalance *imbalance, uint32_t number) {
    struct imbalance_location *location =
        imbalance->locations.items[number].has_events
            ? begin_location(imbalance, number, imbalance->locations.items[number].first)
            : NULL;
    if (!location)
        return;
    spend(imbalance, location, location->last);
    if (location->calls.count > 1)
        end_outside(imbalance, location, location->calls.items[1].region);
    else
        add_outside(imbalance, location);
    while (location->calls.count > 1)
        end_innermost(imbalance, location);
    end_outside(imbalance, location, QUIPU_NONE);
    end_window(imbalance, location);
}

/* ---- The first reading ---- */

/* An operation ends, perhaps one of all. Many windows will be merged: then there is no guessing. */
static void guess_exit(struct imbalance *imbalance, struct imbalance_location *location, uint32_t group) {
    const struct quipu_groups *groups = &imbalance->definitions->groups;
    if (!imbalance->is_guess || group >= groups->count ||
        groups->items[group].member_count < imbalance->most_members ||
        !QUIPU__VEC_PUT(&imbalance->memory, &location->guessed, location->now))
        return;
    imbalance->is_guess = location->guessed.count < WINDOWS_MOST &&
                          location->guessed.count * imbalance->deepest < WINDOW_CALLS_MOST;
    location->next_exit = next_exit(imbalance, location);
    find_limit(imbalance, location);
}

/* Counts times; of the first reading, operations are matched. False when memory is out. */
static bool count_batch(struct imbalance *imbalance, const struct quipu_batch *batch) {
    struct imbalance_location *location = NULL;
    bool has_memory = true;
    for (uint32_t i = 0; i < batch->count && has_memory; i++) {
        const int64_t time = quipu__communication_ns(&imbalance->communication, batch->time[i]);
        if (QUIPU__UNLIKELY(i == 0 || batch->location[i] != batch->location[i - 1]))
            location = begin_location(imbalance, batch->location[i], time);
        if (QUIPU__UNLIKELY(!location))
            continue;
        spend(imbalance, location, time);
        switch ((enum quipu_kind)batch->kind[i]) {
        case QUIPU_KIND_enter:
            enter(imbalance, location, batch->object[i]);
            break;
        case QUIPU_KIND_leave:
            leave(imbalance, location, batch->object[i]);
            break;
        case QUIPU_KIND_collective_begin:
            has_memory = quipu__communication_add(&imbalance->communication, batch, i);
            break;
        case QUIPU_KIND_collective_end:
            has_memory = quipu__communication_add(&imbalance->communication, batch, i);
            guess_exit(imbalance, location, batch->group[i]);
            break;
        default:
            break;
        }
    }
    return has_memory;
}

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
    imbalance->window_count = chosen + 1 > imbalance->window_count ? chosen + 1 : imbalance->window_count;
}

/* Begins to count times. False when memory is out. */
static bool begin_counting(struct imbalance *imbalance, uint32_t locations) {
    imbalance->region_count = imbalance->definitions->regions.count + 1;
    imbalance->known_locations = locations;
    return (locations == 0 || location_of(imbalance, locations - 1)) &&
           quipu__region_slots_init(&imbalance->slots, &imbalance->memory, imbalance->region_count, locations);
}

static void release_times(struct imbalance *imbalance) {
    struct quipu__memory *memory = &imbalance->memory;
    for (size_t i = 0; i < imbalance->locations.count; i++) {
        QUIPU__VEC_RELEASE(memory, &imbalance->locations.items[i].times);
        QUIPU__VEC_RELEASE(memory, &imbalance->locations.items[i].touched);
        QUIPU__VEC_RELEASE(memory, &imbalance->locations.items[i].guessed);
        QUIPU__VEC_RELEASE(memory, &imbalance->locations.items[i].calls);
    }
    quipu__region_slots_release(&imbalance->slots);
    quipu__between_release(&imbalance->between);
    QUIPU__VEC_RELEASE(memory, &imbalance->table);
    QUIPU__VEC_RELEASE(memory, &imbalance->windows);
    QUIPU__VEC_RELEASE(memory, &imbalance->window_regions);
    quipu__map_release(&imbalance->window_of);
}

/* Forgets times that have been counted. */
static void forget_times(struct imbalance *imbalance) {
    release_times(imbalance);
    imbalance->slots = (struct quipu__region_slots){0};
    quipu__between_init(&imbalance->between, &imbalance->memory);
    quipu__map_init(&imbalance->window_of, &imbalance->memory);
    for (size_t i = 0; i < imbalance->locations.count; i++) {
        imbalance->locations.items[i].window = 0;
        imbalance->locations.items[i].outside = 0;
        imbalance->locations.items[i].has_started = false;
    }
}

static bool has_guessed(const struct imbalance_location *location) {
    bool is_right = location->guessed.count == location->exits.count;
    for (size_t i = 0; i < location->exits.count && is_right; i++)
        is_right = location->guessed.items[i] == location->exits.items[i].time;
    return is_right;
}

/* Whether the first reading has counted the times. */
static bool guess_was_right(const struct imbalance *imbalance) {
    bool is_right = imbalance->is_guess &&
                    imbalance->region_count == imbalance->definitions->regions.count + 1 &&
                    imbalance->locations.count == imbalance->known_locations;
    for (size_t i = 0; i < imbalance->locations.count && is_right && !imbalance->has_one_window; i++)
        is_right = has_guessed(&imbalance->locations.items[i]);
    return is_right;
}

/* Finds out which windows there are. */
static void end_first(struct imbalance *imbalance) {
    imbalance->window_count = 1;
    for (uint32_t i = 0; i < imbalance->locations.count; i++) {
        struct imbalance_location *location = &imbalance->locations.items[i];
        location->last = location->now;
        imbalance->location_count += location->has_events;
        imbalance->reported_count += location->has_events && quipu__reports(&imbalance->reported, i);
        if (!location->has_started)
            continue;
        imbalance->unfinished.calls += location->calls.count - 1;
        imbalance->unfinished.locations += location->calls.count > 1;
    }
    for (uint32_t i = 0; i < imbalance->locations.count; i++) {
        choose_exits(imbalance, &imbalance->locations.items[i]);
        if (quipu__reports(&imbalance->reported, i))
            add_reported_windows(imbalance, &imbalance->locations.items[i]);
    }
    const uint64_t calls = imbalance->deepest > 0 ? imbalance->deepest : 1;
    while (imbalance->window_count >> imbalance->shift > WINDOWS_MOST ||
           (imbalance->window_count >> imbalance->shift) * calls > WINDOW_CALLS_MOST)
        imbalance->shift++;
    imbalance->has_one_window = imbalance->window_count == 1;
}

/* ---- Together ---- */

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
        end_location(imbalance, i);
        add_up_location(imbalance, i);
    }
    if (quipu__memory_status(&imbalance->memory, NULL) != QUIPU_OK)
        return false; /* a window may have no region */
    for (size_t i = 0; i < imbalance->table.count && !imbalance->has_one_window; i++)
        add_window(imbalance, i % imbalance->region_count, &imbalance->table.items[i]);
    for (size_t i = 0; i < imbalance->windows.count && !imbalance->has_one_window; i++)
        add_window(imbalance, imbalance->window_regions.items[i], &imbalance->windows.items[i]);
    for (size_t i = 0; i < imbalance->region_count && imbalance->has_one_window; i++)
        imbalance->regions[i].windows_most = imbalance->regions[i].whole.most;
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
    quipu__map_init(&imbalance->window_of, &imbalance->memory);
    quipu__between_init(&imbalance->between, &imbalance->memory);
    const struct quipu__communication_listener listener = {.context = imbalance, .collective = add_collective};
    for (uint32_t i = 0; i < start->definitions->groups.count; i++)
        if (start->definitions->groups.items[i].is_communicator &&
            start->definitions->groups.items[i].member_count > imbalance->most_members)
            imbalance->most_members = start->definitions->groups.items[i].member_count;
    imbalance->is_guess = true;
    if (!quipu__communication_init(&imbalance->communication, &imbalance->memory, start->definitions,
                                   &listener) ||
        !begin_counting(imbalance, start->definitions->locations.count))
        return quipu__no_memory(err, sizeof *imbalance);
    return QUIPU_OK;
}

static enum quipu_status consume(void *state, const struct quipu_batch *batch, struct quipu_error *err) {
    struct imbalance *imbalance = state;
    if (!count_batch(imbalance, batch))
        return quipu__no_memory(err, imbalance->memory.used);
    return quipu__memory_status(&imbalance->memory, err);
}

static bool next_pass(void *state, struct quipu_selection *selection) {
    struct imbalance *imbalance = state;
    if (imbalance->is_second)
        return false;
    quipu__communication_finish(&imbalance->communication);
    end_first(imbalance);
    if (guess_was_right(imbalance))
        return false;
    imbalance->is_second = true;
    imbalance->is_guess = false;
    selection->order = QUIPU_ORDER_STREAM;
    selection->kinds = QUIPU_KIND_BIT(QUIPU_KIND_enter) | QUIPU_KIND_BIT(QUIPU_KIND_leave);
    forget_times(imbalance);
    return begin_counting(imbalance, (uint32_t)imbalance->locations.count); /* the tables ask for memory */
}

static void release(void *state) {
    struct imbalance *imbalance = state;
    struct quipu__memory *memory = &imbalance->memory;
    release_times(imbalance);
    for (size_t i = 0; i < imbalance->locations.count; i++)
        QUIPU__VEC_RELEASE(memory, &imbalance->locations.items[i].exits);
    quipu__communication_release(&imbalance->communication);
    QUIPU__VEC_RELEASE(memory, &imbalance->locations);
    QUIPU__VEC_RELEASE(memory, &imbalance->takers);
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
    .kinds = QUIPU_ALL_KINDS & ~(QUIPU_KIND_BIT(QUIPU_KIND_summary) | QUIPU_KIND_BIT(QUIPU_KIND_snapshot)),
    .is_selective = true,
    .order = QUIPU_ORDER_WINDOWS,
    .begin = begin,
    .consume = consume,
    .next_pass = next_pass,
    .finish = imbalance_finish,
    .release = release,
};
