/* spent.c: what locations did in the time that is not useful: each step of a location between two changes of its calls is divided among the waits in
 * it and its path; then each wait is charged to those who caused it, with as much of it as was found so. */
#include "analysis/why/why.h"

#include "analysis/shared/cells.h"
#include "analysis/shared/hosts.h"
#include "core/bounded.h"
#include "core/memory/sort.h"

#include <string.h>

/* ==== What the clocks leave open ==== */

static bool find_offsets(struct quipu__why *why) {
    const size_t count = quipu__why_communication(why)->stacks.count;
    uint32_t first = 0;
    while (first < count && !quipu__why_stack(why, first)->has_events)
        first++;
    if (first == count)
        return true;
    if (!QUIPU__VEC_RESERVE(&why->memory, &why->offsets, count))
        return false;
    why->offsets.count = count;
    return quipu__clock_offsets_find(&why->clocks, first, why->offsets.items, count);
}

/* Clocks of one host are one, unless messages contradict that. */
static bool has_one_clock(const struct quipu__why *why, uint32_t a, uint32_t b) {
    const uint32_t known = why->definitions->locations.count;
    const char *host = a < known && b < known ? quipu__host_name(why->definitions, a) : "";
    return host[0] && strcmp(host, quipu__host_name(why->definitions, b)) == 0;
}

/* Whether the clocks could make up the waiting of a row. */
static bool is_uncertain(const struct quipu__why *why, const struct quipu__wait_row *row) {
    const uint32_t location = row->keys[QUIPU__WAIT_BY_location], peer = row->keys[QUIPU__WAIT_BY_peer];
    if (peer == QUIPU_NONE)
        return false;
    const int64_t corridor = quipu__clock_corridor(why->offsets.items, why->offsets.count, location, peer);
    if (corridor < 0)
        return true;
    return !has_one_clock(why, location, peer) &&
           row->time <= quipu__bounded_product((int64_t)row->instances, corridor);
}

/* Says what of the waits is certain, where not all of it is. False when memory is out. */
static bool find_certain(struct quipu__why *why) {
    const size_t count = why->waits->rows.count;
    bool *uncertain = count > 0 ? quipu__alloc(&why->memory, count) : NULL, has_any = false;
    for (size_t i = 0; i < count && uncertain; i++)
        has_any |= uncertain[i] = is_uncertain(why, &why->waits->rows.items[i]);
    for (size_t i = 0; i < why->waits->delays.waits.count && has_any; i++) {
        struct quipu__delay_wait *wait = &why->waits->delays.waits.items[i];
        const uint32_t row = quipu__waits_row(why->waits, &wait->wait);
        wait->certain = row < count && uncertain[row] ? 0 : wait->reported;
    }
    why->has_uncertain = has_any;
    if (uncertain)
        quipu__release(&why->memory, uncertain, count);
    return uncertain || count == 0;
}

/* ==== What locations did ==== */

/* ---- Paths ---- */

/* Of a communication call it is what no wait explains. */
static enum quipu__why_kind kind_of(const struct quipu__path_use *use) {
    switch ((enum quipu_region_role)use->role) {
    case QUIPU_REGION_FUNCTION:
        return QUIPU__WHY_USEFUL;
    case QUIPU_REGION_MPI_IO:
    case QUIPU_REGION_IO:
        return QUIPU__WHY_IO;
    case QUIPU_REGION_RUNTIME:
        return QUIPU__WHY_RUNTIME;
    case QUIPU_REGION_SYNC:
        return QUIPU__WHY_SYNC;
    case QUIPU_REGION_IDLE:
        return QUIPU__WHY_IDLE;
    default:
        return QUIPU__WHY_UNEXPLAINED;
    }
}

/* False when memory is out. */
static bool find_paths(struct quipu__why *why) {
    const struct quipu__call_paths *paths = &quipu__why_communication(why)->paths;
    const size_t count = paths->list.count;
    why->paths.memory = &why->memory;
    why->paths.definitions = why->definitions;
    if (count > 0)
        quipu__path_use_of(&why->paths, paths, (uint32_t)(count - 1));
    if (why->paths.uses.count < count)
        return false;
    why->times = quipu__alloc_zero(&why->memory, count * (QUIPU__WHY_TIMES * sizeof *why->times));
    return why->times;
}

/* ---- A location ---- */

static void add_spent(struct quipu__why *why, uint32_t location, enum quipu__why_kind kind, uint32_t path,
                      int64_t time, int64_t certain) {
    struct quipu__spent *spent = time != 0 ? QUIPU__VEC_ADD(&why->memory, &why->spent) : NULL;
    if (spent)
        *spent = (struct quipu__spent){.kind = (uint8_t)kind,
                                       .location = location,
                                       .path = path,
                                       .name = why->names.items[location],
                                       .position = why->waits->delays.positions[path],
                                       .time = time,
                                       .certain = certain};
}

static void add_time(struct quipu__why *why, int of, uint32_t path, int64_t time) {
    const uint32_t slot = (uint32_t)((size_t)of * why->paths.uses.count + path);
    uint32_t *touched = why->times[slot] == 0 ? QUIPU__VEC_ADD(&why->memory, &why->touched) : NULL;
    if (touched)
        *touched = slot;
    why->times[slot] = quipu__bounded_sum(why->times[slot], time);
}

/* Where the waits of a location are that have not ended yet, in the order of time. They do not overlap. */
struct sweep {
    size_t wait, other;
    uint32_t location;
};

/* The next wait that begins before a time. */
static bool next_wait(struct quipu__why *why, const struct sweep *sweep, int64_t before,
                      struct quipu__delay_wait **wait, const struct quipu__other_wait **other) {
    struct quipu__delays *delays = &why->waits->delays;
    *wait = sweep->wait < delays->waits.count ? &delays->waits.items[sweep->wait] : NULL;
    *other = sweep->other < why->others.count ? &why->others.items[sweep->other] : NULL;
    if (*wait && ((*wait)->wait.location != sweep->location || (*wait)->wait.from >= before))
        *wait = NULL;
    if (*other && ((*other)->location != sweep->location || (*other)->from >= before))
        *other = NULL;
    if (*wait && *other && (*wait)->wait.from <= (*other)->from)
        *other = NULL;
    else if (*other)
        *wait = NULL;
    return *wait || *other;
}

/* Time in a path that is not useful: what is waiting goes to the waits, the rest to the path. */
static void spend(struct quipu__why *why, struct sweep *sweep, const struct quipu__path_use *use, int64_t from,
                  int64_t to) {
    struct quipu__delay_wait *wait;
    const struct quipu__other_wait *other;
    int64_t rest = 0, now = from;
    while (next_wait(why, sweep, to, &wait, &other)) {
        const int64_t begin = wait ? wait->wait.from : other->from, end = wait ? wait->wait.to : other->to;
        const int64_t time = quipu__why_overlap(begin, end, now, to);
        if (time > 0) {
            rest = quipu__bounded_sum(rest, begin > now ? quipu__bounded_difference(begin, now) : 0);
            now = end < to ? end : to;
        }
        if (wait)
            wait->reported = quipu__bounded_sum(wait->reported, time);
        else if (time > 0)
            add_time(why, other->of, other->path, time);
        if (end > to)
            break;
        sweep->wait += wait != NULL;
        sweep->other += other != NULL;
    }
    rest = quipu__bounded_sum(rest, quipu__bounded_difference(to, now));
    if (rest > 0)
        add_time(why, QUIPU__WHY_OF_PATH, use->call, rest);
}

/* Returns its useful time. */
static int64_t spend_steps(struct quipu__why *why, struct sweep *sweep) {
    const struct quipu__delays *delays = &why->waits->delays;
    int64_t useful = 0;
    if (sweep->location >= delays->steps.count)
        return 0;
    const struct quipu__delay_steps *steps = &delays->steps.items[sweep->location];
    int64_t next = quipu__why_stack(why, sweep->location)->first;
    for (size_t i = 0; i < steps->count; i++) {
        const struct quipu__delay_step step = quipu__delay_step_at(delays, steps, i);
        const struct quipu__path_use *use = &why->paths.uses.items[step.path];
        const int64_t from = next > why->begin ? next : why->begin;
        next = step.to;
        const int64_t to = next < why->end ? next : why->end;
        if (to <= from)
            continue;
        if (use->role == QUIPU_REGION_FUNCTION)
            useful = quipu__bounded_sum(useful, quipu__bounded_difference(to, from));
        else
            spend(why, sweep, use, from, to);
    }
    return useful;
}

static void add_location(struct quipu__why *why, uint32_t location, struct sweep *sweep) {
    const struct quipu__call_stack *stack = quipu__why_stack(why, location);
    const struct quipu__delays *delays = &why->waits->delays;
    while (sweep->wait < delays->waits.count && delays->waits.items[sweep->wait].wait.location < location)
        sweep->wait++;
    while (sweep->other < why->others.count && why->others.items[sweep->other].location < location)
        sweep->other++;
    sweep->location = location;
    int64_t *useful = QUIPU__VEC_ADD(&why->memory, &why->useful);
    if (useful)
        *useful = spend_steps(why, sweep);
    for (size_t i = 0; i < why->touched.count; i++) {
        const uint32_t path = (uint32_t)(why->touched.items[i] % why->paths.uses.count);
        const enum quipu__why_kind kinds[QUIPU__WHY_TIMES] = {kind_of(&why->paths.uses.items[path]),
                                                              QUIPU__WHY_COMPLETION, QUIPU__WHY_IO_WAIT};
        int64_t *time = &why->times[why->touched.items[i]];
        add_spent(why, location, kinds[why->touched.items[i] / why->paths.uses.count], path, *time, *time);
        *time = 0;
    }
    why->touched.count = 0;
    const int64_t absent =
        why->totals.run_time - quipu__why_overlap(stack->first, stack->last, why->begin, why->end);
    add_spent(why, location, QUIPU__WHY_NOT_THERE, QUIPU__NO_CALLS, absent, absent);
}

/* ---- The order of what was spent ---- */

#define COMPARE(x, y) (((x) > (y)) - ((x) < (y)))

static int compare_keys(const void *a, const void *b) {
    const struct quipu__spent *x = a, *y = b;
    const int orders[] = {COMPARE(x->kind, y->kind), COMPARE(x->name, y->name),
                          COMPARE(x->location, y->location), COMPARE(x->position, y->position)};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        if (orders[i] != 0)
            return orders[i];
    return COMPARE(x->path, y->path);
}

static int compare_spent(const void *a, const void *b) {
    const struct quipu__spent *x = a, *y = b;
    return x->time != y->time ? COMPARE(y->time, x->time) : compare_keys(a, b);
}

static int compare_others(const void *a, const void *b) {
    const struct quipu__other_wait *x = a, *y = b;
    return x->location != y->location ? COMPARE(x->location, y->location) : COMPARE(x->from, y->from);
}

/* Adds up what has the same kind, location and texts of the path, and sorts it by time. False when memory is out. */
static bool add_up(struct quipu__why *why, struct quipu__spent *items, size_t *count) {
    size_t count_left = 0;
    if (!quipu__sort(&why->memory, items, *count, sizeof *items, compare_keys))
        return false;
    for (size_t i = 0; i < *count; i++) {
        struct quipu__spent *last = count_left > 0 ? &items[count_left - 1] : NULL;
        if (!last || last->kind != items[i].kind || last->location != items[i].location ||
            last->position != items[i].position) {
            items[count_left++] = items[i];
            continue;
        }
        last->time = quipu__bounded_sum(last->time, items[i].time);
        last->certain = quipu__bounded_sum(last->certain, items[i].certain);
    }
    *count = count_left;
    return quipu__sort(&why->memory, items, count_left, sizeof *items, compare_spent);
}

/* For sorting, which has no context. */
struct named {
    const struct quipu_definitions *definitions;
    uint32_t location;
};

static int compare_named(const void *a, const void *b) {
    const struct named *x = a, *y = b;
    return quipu__names_compare(x->definitions, QUIPU_REFERS_LOCATION, x->location, y->location);
}

/* False when memory is out. */
static bool find_names(struct quipu__why *why) {
    const size_t count = quipu__why_communication(why)->stacks.count, bytes = count * sizeof(struct named);
    struct named *sorted = count > 0 ? quipu__alloc(&why->memory, bytes) : NULL;
    bool has_memory = (sorted || count == 0) && QUIPU__VEC_RESERVE(&why->memory, &why->names, count);
    for (uint32_t i = 0; i < count && has_memory; i++)
        sorted[i] = (struct named){why->definitions, i};
    has_memory = has_memory && quipu__sort(&why->memory, sorted, count, sizeof *sorted, compare_named);
    why->names.count = count;
    for (uint32_t i = 0, name = 0; i < count && has_memory; i++) {
        name += i > 0 && compare_named(&sorted[i - 1], &sorted[i]) != 0;
        why->names.items[sorted[i].location] = name;
    }
    if (sorted)
        quipu__release(&why->memory, sorted, bytes);
    return has_memory;
}

/* ---- All ---- */

/* Waiting is the fault of those that others wait for. */
static bool add_causes(struct quipu__why *why) {
    struct quipu__delays *delays = &why->waits->delays;
    if (!find_certain(why) || !quipu__delays_find(delays))
        return false;
    for (size_t i = 0; i < delays->costs.count; i++) {
        const struct quipu__delay_cost *cost = &delays->costs.items[i];
        const int64_t time = quipu__bounded_sum(cost->direct, cost->indirect);
        add_spent(why, cost->location, QUIPU__WHY_WAITING, cost->path, time,
                  why->has_uncertain ? cost->certain : time);
    }
    return true;
}

static bool find_spent(struct quipu__why *why) {
    struct quipu__delays *delays = &why->waits->delays;
    struct sweep sweep = {.location = 0};
    if (!find_offsets(why) || !find_names(why) || !quipu__delays_sort(delays) || !find_paths(why) ||
        !quipu__sort(&why->memory, why->others.items, why->others.count, sizeof *why->others.items,
                     compare_others))
        return false;
    for (size_t i = 0; i < delays->waits.count; i++)
        delays->waits.items[i].reported = 0;
    for (uint32_t i = 0; i < quipu__why_communication(why)->stacks.count; i++)
        if (quipu__why_stack(why, i)->has_events && quipu__reports(&why->reported, i))
            add_location(why, i, &sweep);
    return add_causes(why) && add_up(why, why->spent.items, &why->spent.count);
}

/* ==== Findings ==== */

static bool find_findings(struct quipu__why *why) {
    struct quipu__spent uncertain = {.kind = QUIPU__WHY_UNCERTAIN, .location = QUIPU_NONE};
    if (!QUIPU__VEC_RESERVE(&why->memory, &why->findings, why->spent.count + 1))
        return false;
    for (size_t i = 0; i < why->spent.count; i++) {
        struct quipu__spent *finding = &why->findings.items[why->findings.count++];
        *finding = why->spent.items[i];
        uncertain.time = quipu__bounded_sum(uncertain.time, finding->time - finding->certain);
        finding->time = finding->certain;
        if (finding->kind == QUIPU__WHY_WAITING)
            continue;
        finding->location = QUIPU_NONE;
        finding->name = 0;
    }
    why->findings.items[why->findings.count++] = uncertain;
    if (!add_up(why, why->findings.items, &why->findings.count))
        return false;
    while (why->findings.count > 0 && why->findings.items[why->findings.count - 1].time <= 0)
        why->findings.count--;
    return true;
}

/* Without a processor a location that waits for others which compute loses nothing by it; one that computes does, and one whose message is there. */
static void find_starved(struct quipu__why *why) {
    int64_t most = 0;
    for (size_t i = 0; i < why->spent.count; i++) {
        const struct quipu__spent *spent = &why->spent.items[i];
        const bool is_of_mpi =
            spent->kind == QUIPU__WHY_WAITING
                ? spent->path < why->paths.uses.count &&
                      kind_of(&why->paths.uses.items[spent->path]) == QUIPU__WHY_UNEXPLAINED
                : spent->kind == QUIPU__WHY_UNEXPLAINED || spent->kind == QUIPU__WHY_COMPLETION;
        most = is_of_mpi ? quipu__bounded_sum(most, spent->time) : most;
    }
    const int64_t in_calls = why->off_processor < most ? why->off_processor : most;
    why->starved = quipu__bounded_sum(why->off_processor_outside, in_calls);
}

bool quipu__why_find(struct quipu__why *why) {
    if (!find_spent(why) || !find_findings(why))
        return false;
    find_starved(why);
    return true;
}
