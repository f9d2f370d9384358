/* iterations.c: what happens in each iteration of the phases that a first reading has found: useful time, waiting and bytes. An iteration takes from when
 * the last process has done the one before to when it has done this one. */
#include "analysis/phases/phases.h"

#include "core/bisect.h"
#include "core/bounded.h"
#include "core/memory/sort.h"
#include "core/scale.h"

#include <string.h>

/* ==== Iterations ==== */

/* The iteration at a time, which is in the phase: the first that ends later. It may begin later, too, where iterations do not follow upon each other. */
static size_t iteration_at(const struct quipu__phase *phase, int64_t time) {
    size_t low = 0;
    QUIPU__BISECT(low, phase->list.count - 1, i, phase->list.items[i].end <= time);
    return low;
}

/* Calls add for each iteration of a phase in which some of a spell lies, and how much of it. */
static void distribute(struct quipu__phases *phases, size_t number, const struct quipu__spell *spell,
                       void (*add)(struct quipu__phases *phases, size_t number,
                                   const struct quipu__spell *spell, size_t iteration, int64_t time)) {
    const struct quipu__phase *phase = &phases->found.list.items[number];
    int64_t from = spell->from > phase->first ? spell->from : phase->first;
    const int64_t to = spell->to < phase->last ? spell->to : phase->last;
    for (size_t i = from < to ? iteration_at(phase, from) : 0; from < to && i < phase->list.count; i++) {
        const struct quipu__iteration *iteration = &phase->list.items[i];
        const int64_t since = iteration->begin > from ? iteration->begin : from,
                      until = iteration->end < to ? iteration->end : to;
        if (until > since)
            add(phases, number, spell, i, quipu__bounded_difference(until, since));
        from = until > from ? until : from;
    }
}

/* ==== What locations do ====
 *
 * How long locations do what in each iteration: they are in a region, or outside of any between two calls. Waiting for others is nothing that they
 * do. What a location does for longer than its median of all iterations, explains why an iteration takes long.
 */

#define COMPARE(x, y) (((x) > (y)) - ((x) < (y)))

static void begin_doings(struct quipu__phases *phases) {
    quipu__calls_numbers_init(&phases->between, &phases->memory);
    quipu__map_init(&phases->slots, &phases->memory);
    quipu__map_init(&phases->doing_of, &phases->memory);
}

static void release_doings(struct quipu__phases *phases) {
    quipu__calls_numbers_release(&phases->between);
    quipu__map_release(&phases->slots);
    quipu__map_release(&phases->doing_of);
    QUIPU__VEC_RELEASE(&phases->memory, &phases->outsides);
    for (size_t i = 0; i < phases->found.list.count; i++) {
        struct quipu__phase *phase = &phases->found.list.items[i];
        QUIPU__VEC_RELEASE(&phases->memory, &phase->doings);
        QUIPU__VEC_RELEASE(&phases->memory, &phase->times);
        QUIPU__VEC_RELEASE(&phases->memory, &phase->longer);
        QUIPU__VEC_RELEASE(&phases->memory, &phase->alike);
        QUIPU__VEC_RELEASE(&phases->memory, &phase->clusters);
    }
}

/* ---- Reading ---- */

/* The number of a location in a phase; QUIPU_NONE when memory is out. */
static uint32_t slot_of(struct quipu__phases *phases, size_t number, uint32_t location) {
    const uint64_t key = (uint64_t)number << 32 | location;
    const uint32_t known = quipu__map_get(&phases->slots, key);
    if (known != QUIPU_NONE)
        return known;
    return quipu__map_put(&phases->slots, key, phases->slot_count) ? phases->slot_count++ : QUIPU_NONE;
}

/* QUIPU_NONE when memory is out. */
static uint32_t doing_of(struct quipu__phases *phases, size_t number, const struct quipu__spell *spell) {
    struct quipu__phase *phase = &phases->found.list.items[number];
    const uint32_t slot = slot_of(phases, number, spell->location);
    const uint64_t key = (uint64_t)slot << 32 | spell->what;
    const uint32_t known = slot == QUIPU_NONE ? QUIPU_NONE : quipu__map_get(&phases->doing_of, key);
    if (known != QUIPU_NONE || slot == QUIPU_NONE)
        return known;
    struct quipu__doing *doing = QUIPU__VEC_ADD(&phases->memory, &phase->doings);
    const uint32_t added = (uint32_t)(phase->doings.count - 1);
    if (!doing || !quipu__map_put(&phases->doing_of, key, added))
        return QUIPU_NONE;
    *doing = (struct quipu__doing){.location = spell->location, .what = spell->what};
    return added;
}

static void log_time(struct quipu__phases *phases, struct quipu__phase *phase, uint32_t doing,
                     uint32_t iteration, int64_t time) {
    struct quipu__doing_time *logged = time != 0 ? QUIPU__VEC_ADD(&phases->memory, &phase->times) : NULL;
    if (logged)
        *logged = (struct quipu__doing_time){doing, iteration, time};
}

static void add_time(struct quipu__phases *phases, size_t number, const struct quipu__spell *spell,
                     size_t iteration, int64_t time) {
    struct quipu__phase *phase = &phases->found.list.items[number];
    const uint32_t found = doing_of(phases, number, spell);
    if (found == QUIPU_NONE)
        return;
    struct quipu__doing *doing = &phase->doings.items[found];
    if (doing->iteration != iteration) {
        log_time(phases, phase, found, doing->iteration, doing->time);
        doing->time = 0;
    }
    doing->iteration = (uint32_t)iteration;
    doing->time = quipu__bounded_sum(doing->time, time);
}

/* Waits are told of later than the time that they are taken from. */
static void take_time(struct quipu__phases *phases, size_t number, const struct quipu__spell *spell,
                      size_t iteration, int64_t time) {
    const uint32_t doing = doing_of(phases, number, spell);
    if (doing != QUIPU_NONE)
        log_time(phases, &phases->found.list.items[number], doing, (uint32_t)iteration, -time);
}

static void add_spell(struct quipu__phases *phases, const struct quipu__spell *spell) {
    for (size_t i = 0; i < phases->found.list.count && spell->what != QUIPU_NONE; i++)
        distribute(phases, i, spell, add_time);
}

static struct quipu__outside *outside_of(struct quipu__phases *phases, uint32_t location) {
    const size_t known = phases->outsides.count;
    if (location < known)
        return &phases->outsides.items[location];
    if (!QUIPU__VEC_RESERVE(&phases->memory, &phases->outsides, location + 1 - known))
        return NULL;
    phases->outsides.count = (size_t)location + 1;
    return &phases->outsides.items[location];
}

/* What was outside of any region gets its name when the next call is known, or none is left. */
static void end_outside(struct quipu__phases *phases, uint32_t location, uint32_t path) {
    const struct quipu__call_paths *paths = &phases->states.communication.paths;
    struct quipu__outside *outside = &phases->outsides.items[location];
    if (outside->from < outside->to) {
        const uint32_t number = quipu__calls_number(
            &phases->between, (struct quipu__calls_around){quipu__call_path_outermost(paths, outside->path),
                                                           quipu__call_path_outermost(paths, path)});
        const uint32_t what = number == QUIPU_NONE ? QUIPU_NONE : number | QUIPU__DOING_BETWEEN;
        add_spell(phases, &(struct quipu__spell){location, what, outside->from, outside->to});
    }
    outside->from = outside->to = 0;
    outside->path = path;
}

/* Adds the time that a location is in a path. What there is no memory for is lost: the gate knows. */
static void add_doing(struct quipu__phases *phases, uint32_t path, const struct quipu__spell *step) {
    struct quipu__outside *outside = outside_of(phases, step->location);
    if (!outside)
        return;
    if (path == QUIPU__NO_CALLS) {
        outside->from = outside->from < outside->to ? outside->from : step->from;
        outside->to = step->to;
        return;
    }
    end_outside(phases, step->location, path);
    const uint32_t region = quipu__call_path_region(&phases->states.communication.paths, path);
    add_spell(phases, &(struct quipu__spell){step->location, region, step->from, step->to});
}

/* Takes away what it waits there for others. */
static void take_wait(struct quipu__phases *phases, uint32_t path, const struct quipu__spell *wait) {
    const uint32_t region = quipu__call_path_region(&phases->states.communication.paths, path);
    const struct quipu__spell spell = {wait->location, region, wait->from, wait->to};
    for (size_t i = 0; i < phases->found.list.count && region != QUIPU_NONE; i++)
        distribute(phases, i, &spell, take_time);
}

/* ---- The order ---- */

/* A doing and its number. */
struct numbered {
    uint32_t location, what, number;
};

static int compare_numbered(const void *a, const void *b) {
    const struct numbered *x = a, *y = b;
    return x->location != y->location ? COMPARE(x->location, y->location) : COMPARE(x->what, y->what);
}

static int compare_times(const void *a, const void *b) {
    const struct quipu__doing_time *x = a, *y = b;
    return x->doing != y->doing ? COMPARE(x->doing, y->doing) : COMPARE(x->iteration, y->iteration);
}

static int compare_lengths(const void *a, const void *b) {
    const struct quipu__doing_time *x = a, *y = b;
    return COMPARE(x->time, y->time);
}

/* Numbers doings by location, then by what it is; and sorts their times. */
static bool sort_doings(struct quipu__phases *phases, struct quipu__phase *phase) {
    const size_t count = phase->doings.count, bytes = count * sizeof(struct numbered),
                 slot_bytes = count * sizeof(uint32_t);
    struct numbered *sorted = quipu__alloc(&phases->memory, bytes);
    uint32_t *slots = quipu__alloc(&phases->memory, slot_bytes);
    bool has_memory = sorted && slots;
    for (uint32_t i = 0; has_memory && i < count; i++)
        sorted[i] = (struct numbered){phase->doings.items[i].location, phase->doings.items[i].what, i};
    has_memory = has_memory && quipu__sort(&phases->memory, sorted, count, sizeof *sorted, compare_numbered);
    for (uint32_t i = 0; has_memory && i < count; i++)
        slots[sorted[i].number] = i;
    for (size_t i = 0; has_memory && i < phase->times.count; i++)
        phase->times.items[i].doing = slots[phase->times.items[i].doing];
    for (uint32_t i = 0; has_memory && i < count; i++)
        phase->doings.items[i] = (struct quipu__doing){.location = sorted[i].location, .what = sorted[i].what};
    quipu__release(&phases->memory, sorted, sorted ? bytes : 0);
    quipu__release(&phases->memory, slots, slots ? slot_bytes : 0);
    return has_memory && quipu__sort(&phases->memory, phase->times.items, phase->times.count,
                                     sizeof *phase->times.items, compare_times);
}

/* Adds up the times of one doing in one iteration. */
static void add_up(struct quipu__phase *phase) {
    struct quipu__doing_time *times = phase->times.items;
    size_t left = 0;
    for (size_t i = 0; i < phase->times.count; i++) {
        if (left > 0 && compare_times(&times[left - 1], &times[i]) == 0)
            times[left - 1].time = quipu__bounded_sum(times[left - 1].time, times[i].time);
        else
            times[left++] = times[i];
    }
    phase->times.count = left;
}

/* ---- What is longer ---- */

/* the number at an index among the sorted times of some iterations and the zeros of the others. */
static int64_t time_at(const struct quipu__doing_time *sorted, size_t count, size_t zeros, size_t slot) {
    size_t below = 0;
    while (below < count && sorted[below].time < 0 && below <= slot)
        below++;
    if (slot < below)
        return sorted[slot].time;
    return slot < below + zeros ? 0 : sorted[slot - zeros].time;
}

/* The median of a doing in all iterations. */
static bool find_median(struct quipu__phases *phases, const struct quipu__phase *phase,
                        const struct quipu__doing_time *times, size_t count, int64_t *median) {
    const size_t all = phase->list.count, bytes = count * sizeof *times;
    struct quipu__doing_time *sorted = quipu__alloc(&phases->memory, bytes);
    if (!sorted)
        return false;
    memcpy(sorted, times, bytes);
    const bool has_memory = quipu__sort(&phases->memory, sorted, count, sizeof *sorted, compare_lengths);
    *median = quipu__middle(time_at(sorted, count, all - count, (all - 1) / 2),
                            time_at(sorted, count, all - count, all / 2));
    quipu__release(&phases->memory, sorted, bytes);
    return has_memory;
}

/* The first of equals stays. */
static void note_longer(struct quipu__phase *phase, const struct quipu__doing_time *time, int64_t median) {
    struct quipu__longer *longer = &phase->longer.items[time->iteration];
    const int64_t most =
        longer->doing == QUIPU_NONE ? 0 : quipu__bounded_difference(longer->time, longer->median);
    if (quipu__bounded_difference(time->time, median) > most)
        *longer = (struct quipu__longer){time->doing, time->time, median};
}

static bool find_longer(struct quipu__phases *phases, struct quipu__phase *phase) {
    const struct quipu__doing_time *times = phase->times.items;
    if (!QUIPU__VEC_RESERVE(&phases->memory, &phase->longer, phase->list.count))
        return false;
    phase->longer.count = phase->list.count;
    for (size_t i = 0; i < phase->longer.count; i++)
        phase->longer.items[i].doing = QUIPU_NONE;
    for (size_t first = 0, past; first < phase->times.count; first = past) {
        int64_t median, *total = &phase->doings.items[times[first].doing].total;
        for (past = first; past < phase->times.count && times[past].doing == times[first].doing; past++)
            *total = quipu__bounded_sum(*total, times[past].time);
        if (!find_median(phases, phase, times + first, past - first, &median))
            return false;
        for (size_t i = first; i < past; i++)
            note_longer(phase, &times[i], median);
    }
    return true;
}

/* All iterations have been read: finds what is longer in each of them than in most, and the totals. */
static bool finish_doings(struct quipu__phases *phases) {
    for (uint32_t i = 0; i < phases->outsides.count; i++)
        end_outside(phases, i, QUIPU__NO_CALLS);
    for (size_t i = 0; i < phases->found.list.count; i++) {
        struct quipu__phase *phase = &phases->found.list.items[i];
        for (uint32_t k = 0; k < phase->doings.count; k++)
            log_time(phases, phase, k, phase->doings.items[k].iteration, phase->doings.items[k].time);
        if (phase->doings.count == 0)
            continue;
        if (!sort_doings(phases, phase))
            return false;
        add_up(phase);
        if (!find_longer(phases, phase) || !quipu__clusters_find(phases, phase))
            return false;
    }
    return true;
}

/* ==== Useful time ==== */

/* The location goes on to another iteration. */
static void end_share(struct quipu__phase *phase, struct quipu__iteration_share *share) {
    struct quipu__iteration *iteration = &phase->list.items[share->iteration];
    iteration->useful = quipu__bounded_sum(iteration->useful, share->useful);
    iteration->useful_most = share->useful > iteration->useful_most ? share->useful : iteration->useful_most;
    share->useful = 0;
}

static void add_useful(struct quipu__phases *phases, size_t number, const struct quipu__spell *spell,
                       size_t iteration, int64_t time) {
    struct quipu__phase *phase = &phases->found.list.items[number];
    const uint32_t location = spell->location;
    const size_t known = phase->shares.count;
    if (location >= known) {
        if (!QUIPU__VEC_RESERVE(&phases->memory, &phase->shares, location + 1 - known))
            return;
        phase->shares.count = (size_t)location + 1;
    }
    struct quipu__iteration_share *share = &phase->shares.items[location];
    if (share->iteration != iteration)
        end_share(phase, share);
    share->iteration = iteration;
    share->useful = quipu__bounded_sum(share->useful, time);
}

static void add_step(void *context, uint32_t location, uint32_t path, int64_t from, int64_t to) {
    const struct quipu__wait_states *states = context;
    struct quipu__phases *phases = states->context;
    const struct quipu__spell spell = {.location = location, .from = from, .to = to};
    if (!quipu__reports(&phases->reported, location))
        return;
    add_doing(phases, path, &spell);
    if (!quipu__path_is_useful(&phases->paths, &states->communication.paths, path))
        return;
    for (size_t i = 0; i < phases->found.list.count; i++)
        distribute(phases, i, &spell, add_useful);
}

/* ==== Waits and bytes ==== */

static void add_wait_time(struct quipu__phases *phases, size_t number, const struct quipu__spell *spell,
                          size_t iteration, int64_t time) {
    (void)spell;
    int64_t *waits = &phases->found.list.items[number].list.items[iteration].waits;
    *waits = quipu__bounded_sum(*waits, time);
}

static void add_wait(void *context, const struct quipu__wait *wait) {
    struct quipu__phases *phases = context;
    if (!quipu__wait_patterns[wait->pattern].synchronises || !quipu__reports(&phases->reported, wait->location))
        return;
    const struct quipu__spell spell = {.location = wait->location, .from = wait->from, .to = wait->to};
    take_wait(phases, wait->path, &spell);
    for (size_t i = 0; i < phases->found.list.count; i++)
        distribute(phases, i, &spell, add_wait_time);
}

static void add_bytes(struct quipu__phases *phases, int64_t time, uint64_t bytes) {
    for (size_t i = 0; i < phases->found.list.count; i++) {
        struct quipu__phase *phase = &phases->found.list.items[i];
        struct quipu__iteration *iteration =
            phase->first <= time && time < phase->last ? &phase->list.items[iteration_at(phase, time)] : NULL;
        if (iteration && iteration->begin <= time)
            iteration->bytes += bytes;
    }
}

/* ==== The reading ==== */

bool quipu__iterations_begin(struct quipu__phases *phases) {
    begin_doings(phases);
    phases->paths = (struct quipu__path_uses){&phases->memory, phases->definitions, {0}};
    if (!quipu__wait_states_init(&phases->states, &phases->memory, phases->definitions, 0, add_wait, phases))
        return false;
    phases->states.communication.listener.step = add_step;
    return true;
}

bool quipu__iterations_add(struct quipu__phases *phases, const struct quipu_batch *batch, uint32_t event) {
    struct quipu__communication *communication = &phases->states.communication;
    if (batch->kind[event] == QUIPU_KIND_send && batch->bytes[event] != QUIPU_UNKNOWN &&
        quipu__reports(&phases->reported, batch->location[event]))
        add_bytes(phases, quipu__communication_ns(communication, batch->time[event]), batch->bytes[event]);
    return quipu__communication_add(communication, batch, event);
}

bool quipu__iterations_finish(struct quipu__phases *phases) {
    if (!phases->states.memory)
        return true;
    quipu__wait_states_finish(&phases->states);
    for (size_t i = 0; i < phases->found.list.count; i++) {
        struct quipu__phase *phase = &phases->found.list.items[i];
        for (size_t k = 0; k < phase->shares.count; k++)
            end_share(phase, &phase->shares.items[k]);
    }
    return finish_doings(phases);
}

void quipu__iterations_release(struct quipu__phases *phases) {
    if (!phases->states.memory)
        return;
    quipu__wait_states_release(&phases->states);
    release_doings(phases);
    quipu__path_uses_release(&phases->paths);
}
