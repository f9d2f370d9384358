/* iterations.c: what happens in each iteration of the phases that a first reading has found: useful time, waiting and bytes. An iteration takes from when
 * the last process has done the one before to when it has done this one. */
#include "analysis/phases/phases.h"

#include "core/bounded.h"

/* The iteration at a time, which is in the phase: the first that ends later. It may begin later, too, where iterations do not follow upon each other. */
static size_t iteration_at(const struct quipu__phase *phase, int64_t time) {
    size_t low = 0, high = phase->list.count - 1;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (phase->list.items[middle].end > time)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

void quipu__iterations_distribute(struct quipu__phases *phases, size_t number, const struct quipu__spell *spell,
                                  void (*add)(struct quipu__phases *phases, size_t number,
                                              const struct quipu__spell *spell, size_t iteration,
                                              int64_t time)) {
    const struct quipu__phase *phase = &phases->found.list.items[number];
    int64_t from = spell->from > phase->first ? spell->from : phase->first;
    const int64_t to = spell->to < phase->last ? spell->to : phase->last;
    for (size_t i = from < to ? iteration_at(phase, from) : 0; from < to && i < phase->list.count; i++) {
        const struct quipu__iteration *iteration = &phase->list.items[i];
        const int64_t since = iteration->begin > from ? iteration->begin : from,
                      until = iteration->end < to ? iteration->end : to;
        if (until > since)
            add(phases, number, spell, i, until - since);
        from = until > from ? until : from;
    }
}

/* ---- Useful time ---- */

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
    share->useful += time;
}

static void add_step(void *context, uint32_t location, uint32_t path, int64_t from, int64_t to) {
    const struct quipu__wait_states *states = context;
    struct quipu__phases *phases = states->context;
    const struct quipu__spell spell = {.location = location, .from = from, .to = to};
    if (!quipu__reports(&phases->reported, location))
        return;
    quipu__doings_add_step(phases, path, &spell);
    if (!quipu__path_is_useful(&phases->paths, &states->communication.paths, path))
        return;
    for (size_t i = 0; i < phases->found.list.count; i++)
        quipu__iterations_distribute(phases, i, &spell, add_useful);
}

/* ---- Waits and bytes ---- */

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
    quipu__doings_take_wait(phases, wait->path, &spell);
    for (size_t i = 0; i < phases->found.list.count; i++)
        quipu__iterations_distribute(phases, i, &spell, add_wait_time);
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

/* ---- The reading ---- */

bool quipu__iterations_begin(struct quipu__phases *phases) {
    quipu__doings_init(phases);
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
    return quipu__doings_finish(phases);
}

void quipu__iterations_release(struct quipu__phases *phases) {
    if (!phases->states.memory)
        return;
    quipu__wait_states_release(&phases->states);
    quipu__doings_release(phases);
    quipu__path_uses_release(&phases->paths);
}
