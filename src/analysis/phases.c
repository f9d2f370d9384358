/* phases.c: which communication a program repeats, and how long each iteration takes. */
#include "analysis/shared/call_sequences.h"
#include "analysis/shared/cells.h"
#include "analysis/shared/fold.h"
#include "analysis/shared/matching_table.h"
#include "analysis/shared/repetition.h"
#include "analysis/shared/settings.h"
#include "analysis/shared/unfinished_calls.h"
#include "analysis/shared/path_uses.h"
#include "analysis/waits/wait_states.h"
#include "core/bounded.h"
#include "core/error.h"
#include "core/scale.h"

#include <stdlib.h>
#include <string.h>

/* What happens from the end of what was before to the end of this one. Times are ns. */
struct iteration {
    int64_t begin, end;
    int64_t useful, useful_most; /* of all locations, and the largest of one */
    int64_t waits;               /* of all locations for others */
    uint64_t bytes;              /* sent */
};

/* The useful time of a location in the iteration where it is. */
struct iteration_share {
    size_t iteration;
    int64_t useful;
};

/* Where the iterations of a process begin, among its calls, and how many of these each takes. */
struct starts {
    QUIPU__VEC(size_t) calls; /* none: it is not aligned */
    size_t period;
};

/* What all processes repeat so many times. Times are ns. */
struct phase {
    size_t iterations, period, aligned, not_aligned;
    size_t within;        /* number of the phase of which each iteration holds several of these; 0: of none */
    size_t skipped;       /* iterations before the first one that is reported */
    int64_t began, ended; /* all of them */
    int64_t first, last, total, shortest, median, longest;
    int64_t deviation;     /* median distance of an iteration from the median */
    struct starts *starts; /* by process, while phases are looked for */
    QUIPU__VEC(struct iteration) list;
    QUIPU__VEC(struct iteration_share) shares; /* by location */
};

struct phase_list {
    QUIPU__VEC(struct phase) list;
};

struct phases {
    struct quipu__memory memory;
    const struct quipu_definitions *definitions;
    struct quipu__reported reported;
    struct quipu__call_sequences calls;
    struct phase_list found;

    bool has_iterations, is_second; /* they are wanted; the second reading */
    struct quipu__wait_states states;
    struct quipu__path_uses paths;
};

/* ==== Iterations ====
 *
 * What happens in each iteration of the phases that a first reading has found: useful time, waiting and bytes. An iteration takes from when
 * the last process has done the one before to when it has done this one.
 */

/* The iteration at a time, which is in the phase: the first that ends later. It may begin later, too, where iterations do not follow upon each other. */
static size_t iteration_at(const struct phase *phase, int64_t time) {
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

/* Calls add for each iteration in which some of a time lies, and how much of it. */
static void distribute(struct phases *phases, struct phase *phase, uint32_t location, int64_t from, int64_t to,
                       void (*add)(struct phases *phases, struct phase *phase, uint32_t location,
                                   size_t iteration, int64_t time)) {
    from = from > phase->first ? from : phase->first;
    to = to < phase->last ? to : phase->last;
    for (size_t i = from < to ? iteration_at(phase, from) : 0; from < to && i < phase->list.count; i++) {
        const struct iteration *iteration = &phase->list.items[i];
        const int64_t since = iteration->begin > from ? iteration->begin : from,
                      until = iteration->end < to ? iteration->end : to;
        if (until > since)
            add(phases, phase, location, i, until - since);
        from = until > from ? until : from;
    }
}

/* ---- Useful time ---- */

/* The location goes on to another iteration. */
static void end_share(struct phase *phase, struct iteration_share *share) {
    struct iteration *iteration = &phase->list.items[share->iteration];
    iteration->useful = quipu__bounded_sum(iteration->useful, share->useful);
    iteration->useful_most = share->useful > iteration->useful_most ? share->useful : iteration->useful_most;
    share->useful = 0;
}

static void add_useful(struct phases *phases, struct phase *phase, uint32_t location, size_t iteration,
                       int64_t time) {
    const size_t known = phase->shares.count;
    if (location >= known) {
        if (!QUIPU__VEC_RESERVE(&phases->memory, &phase->shares, location + 1 - known))
            return;
        phase->shares.count = (size_t)location + 1;
    }
    struct iteration_share *share = &phase->shares.items[location];
    if (share->iteration != iteration)
        end_share(phase, share);
    share->iteration = iteration;
    share->useful += time;
}

static void add_step(void *context, uint32_t location, uint32_t path, int64_t from, int64_t to) {
    const struct quipu__wait_states *states = context;
    struct phases *phases = states->context;
    if (!quipu__reports(&phases->reported, location) ||
        !quipu__path_is_useful(&phases->paths, &states->communication.paths, path))
        return;
    for (size_t i = 0; i < phases->found.list.count; i++)
        distribute(phases, &phases->found.list.items[i], location, from, to, add_useful);
}

/* ---- Waits and bytes ---- */

static void add_wait_time(struct phases *phases, struct phase *phase, uint32_t location, size_t iteration,
                          int64_t time) {
    (void)phases;
    (void)location;
    int64_t *waits = &phase->list.items[iteration].waits;
    *waits = quipu__bounded_sum(*waits, time);
}

static void add_wait(void *context, const struct quipu__wait *wait) {
    struct phases *phases = context;
    if (!quipu__wait_patterns[wait->pattern].synchronises || !quipu__reports(&phases->reported, wait->location))
        return;
    for (size_t i = 0; i < phases->found.list.count; i++)
        distribute(phases, &phases->found.list.items[i], wait->location, wait->from, wait->to, add_wait_time);
}

static void add_bytes(struct phases *phases, int64_t time, uint64_t bytes) {
    for (size_t i = 0; i < phases->found.list.count; i++) {
        struct phase *phase = &phases->found.list.items[i];
        struct iteration *iteration =
            phase->first <= time && time < phase->last ? &phase->list.items[iteration_at(phase, time)] : NULL;
        if (iteration && iteration->begin <= time)
            iteration->bytes += bytes;
    }
}

/* ---- The reading ---- */

static bool iterations_begin(struct phases *phases) {
    phases->paths = (struct quipu__path_uses){&phases->memory, phases->definitions, {0}};
    if (!quipu__wait_states_init(&phases->states, &phases->memory, phases->definitions, 0, add_wait, phases))
        return false;
    phases->states.communication.listener.step = add_step;
    return true;
}

/* Takes in an event. False when memory is out. */
static bool iterations_add(struct phases *phases, const struct quipu_batch *batch, uint32_t event) {
    struct quipu__communication *communication = &phases->states.communication;
    if (batch->kind[event] == QUIPU_KIND_send && batch->bytes[event] != QUIPU_UNKNOWN &&
        quipu__reports(&phases->reported, batch->location[event]))
        add_bytes(phases, quipu__communication_ns(communication, batch->time[event]), batch->bytes[event]);
    return quipu__communication_add(communication, batch, event);
}

/* These do nothing when it has not begun. */
static void iterations_finish(struct phases *phases) {
    if (!phases->states.memory)
        return;
    quipu__wait_states_finish(&phases->states);
    for (size_t i = 0; i < phases->found.list.count; i++) {
        struct phase *phase = &phases->found.list.items[i];
        for (size_t k = 0; k < phase->shares.count; k++)
            end_share(phase, &phase->shares.items[k]);
    }
}

static void iterations_release(struct phases *phases) {
    if (!phases->states.memory)
        return;
    quipu__wait_states_release(&phases->states);
    quipu__path_uses_release(&phases->paths);
}

/* ---- The answer ---- */

static int64_t distance_from_median(const struct phase *phase, size_t iteration) {
    const int64_t length = phase->list.items[iteration].end - phase->list.items[iteration].begin;
    return length < phase->median ? phase->median - length : length - phase->median;
}

/* The iteration whose length is closest to the median, the first of equals. */
static size_t phase_representative(const struct phase *phase) {
    size_t best = 0;
    for (size_t i = 1; i < phase->list.count; i++)
        if (distance_from_median(phase, i) < distance_from_median(phase, best))
            best = i;
    return best;
}

/* ==== Finding phases ====
 *
 * The largest phase first, then others before and behind it.
 */

enum { LEAST_SHARE = 20 }; /* a further phase covers one call in so many */

/* Some of a process's calls, one after the other. */
struct range {
    size_t from, to;
};

struct search {
    struct phases *phases;
    size_t process_count, with_calls;
    QUIPU__VEC(struct range *) sections; /* to be searched: a range for each process */
    struct quipu__repetition
        *chosen; /* by process, in the section that is searched; count is 0 when there is none */
    size_t *counts;
};

static const struct quipu__call_sequence *process_at(const struct search *search, size_t process) {
    return &search->phases->calls.processes.items[process];
}

/* ---- What the processes agree upon ---- */

static bool find(struct search *search, const struct range *section, size_t process, size_t wanted) {
    struct quipu__repetition *chosen = &search->chosen[process];
    const struct range range = section[process];
    *chosen = (struct quipu__repetition){0};
    if (range.to - range.from < 3)
        return true;
    const bool has_memory = quipu__repetition_find(&search->phases->memory,
                                                   &process_at(search, process)->signatures.items[range.from],
                                                   range.to - range.from, wanted, chosen);
    chosen->start += range.from;
    return has_memory;
}

static int compare_sizes(const void *a, const void *b) {
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* The most frequent count, the largest of equals; 0 when nothing repeats. */
static size_t common_count(struct search *search) {
    size_t voters = 0, most = 0, common = 0;
    for (size_t i = 0; i < search->process_count; i++)
        if (search->chosen[i].count > 0)
            search->counts[voters++] = search->chosen[i].count;
    if (voters > 1)
        qsort(search->counts, voters, sizeof *search->counts, compare_sizes);
    for (size_t first = 0, next; first < voters; first = next) {
        for (next = first; next < voters && search->counts[next] == search->counts[first];)
            next++;
        if (next - first >= most) {
            most = next - first;
            common = search->counts[first];
        }
    }
    return common;
}

/* Chooses what each process repeats, equally often; the count is 0 when nothing repeats. */
static bool agree(struct search *search, const struct range *section, size_t *count) {
    for (size_t i = 0; i < search->process_count; i++)
        if (!find(search, section, i, 0))
            return false;
    *count = common_count(search);
    for (size_t i = 0; i < search->process_count; i++)
        if (search->chosen[i].count > 0 && search->chosen[i].count != *count &&
            !find(search, section, i, *count))
            return false;
    return true;
}

/* ---- Phases ---- */

static int64_t end_before(const struct quipu__call_sequence *process, size_t call) {
    return call > 0 ? process->leaves.items[call - 1] : process->first;
}

/* When the last process has done all calls before an iteration, or those of it, too. */
static int64_t time_at(const struct search *search, const struct phase *phase, size_t iteration, bool is_end) {
    int64_t latest = INT64_MIN;
    for (size_t i = 0; i < search->process_count; i++) {
        const struct starts *starts = &phase->starts[i];
        if (starts->calls.count == 0)
            continue;
        const size_t call = starts->calls.items[iteration] + (is_end ? starts->period : 0);
        const int64_t time = end_before(process_at(search, i), call);
        latest = time > latest ? time : latest;
    }
    return latest;
}

static int compare_times(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The middle of sorted numbers. */
static int64_t median_of(const int64_t *sorted, size_t count) {
    return quipu__divide_rounded(sorted[(count - 1) / 2] + sorted[count / 2], 2);
}

static void measure_lengths(struct phase *phase, int64_t *lengths) {
    const size_t count = phase->iterations;
    qsort(lengths, count, sizeof *lengths, compare_times);
    phase->shortest = lengths[0];
    phase->median = median_of(lengths, count);
    phase->longest = lengths[count - 1];
    for (size_t i = 0; i < count; i++)
        lengths[i] = lengths[i] < phase->median ? phase->median - lengths[i] : lengths[i] - phase->median;
    qsort(lengths, count, sizeof *lengths, compare_times);
    phase->deviation = median_of(lengths, count);
}

/* Those iterations are left that begin in the time that is reported. */
static void narrow(const struct search *search, struct phase *phase) {
    const struct quipu__reported *reported = &search->phases->reported;
    size_t past = phase->iterations;
    phase->began = time_at(search, phase, 0, false);
    phase->ended = time_at(search, phase, past - 1, true);
    while (phase->skipped < past && time_at(search, phase, phase->skipped, false) < reported->since)
        phase->skipped++;
    while (past > phase->skipped && time_at(search, phase, past - 1, false) >= reported->until)
        past--;
    phase->iterations = past - phase->skipped;
}

static bool measure(struct search *search, struct phase *phase) {
    struct quipu__memory *memory = &search->phases->memory;
    narrow(search, phase);
    const size_t count = phase->iterations, bytes = count * sizeof(int64_t);
    if (count == 0)
        return true;
    int64_t *lengths = quipu__alloc(memory, bytes);
    const bool has_memory =
        lengths && QUIPU__VEC_RESERVE(memory, &phase->list, search->phases->has_iterations ? count : 0);
    phase->list.count = has_memory && search->phases->has_iterations ? count : 0;
    for (size_t i = 0; has_memory && i < count; i++) {
        const int64_t begin =
            i > 0 && phase->within == 0 ? phase->last : time_at(search, phase, phase->skipped + i, false);
        const int64_t end = time_at(search, phase, phase->skipped + i, true);
        if (i < phase->list.count)
            phase->list.items[i] = (struct iteration){.begin = begin, .end = end};
        lengths[i] = end - begin;
        phase->total = quipu__bounded_sum(phase->total, lengths[i]);
        phase->first = i == 0 ? begin : phase->first;
        phase->last = end;
    }
    if (has_memory)
        measure_lengths(phase, lengths);
    quipu__release(memory, lengths, lengths ? bytes : 0);
    return has_memory;
}

static size_t lowest_aligned(const struct search *search) {
    size_t lowest = 0;
    while (search->chosen[lowest].count == 0)
        lowest++;
    return lowest;
}

/* Whether a phase is large enough; the first one always is. */
static bool is_worth_it(const struct search *search) {
    const size_t lowest = lowest_aligned(search);
    const struct quipu__repetition *chosen = &search->chosen[lowest];
    return search->phases->found.list.count == 0 ||
           chosen->count * chosen->period >=
               (process_at(search, lowest)->signatures.count + LEAST_SHARE - 1) / LEAST_SHARE;
}

/* The phase that processes have chosen, each with its starts. */
static bool add_phase(struct search *search, struct starts *starts, size_t count, size_t within) {
    struct phase phase = {.iterations = count,
                          .period = search->chosen[lowest_aligned(search)].period,
                          .within = within,
                          .starts = starts};
    for (size_t i = 0; i < search->process_count; i++)
        phase.aligned += search->chosen[i].count > 0;
    phase.not_aligned = search->with_calls - phase.aligned;
    struct phase *added = QUIPU__VEC_ADD(&search->phases->memory, &search->phases->found.list);
    if (!added)
        return false;
    *added = phase;
    return measure(search, added);
}

static void release_starts(const struct search *search, struct starts *starts) {
    for (size_t i = 0; starts && i < search->process_count; i++)
        QUIPU__VEC_RELEASE(&search->phases->memory, &starts[i].calls);
    quipu__release(&search->phases->memory, starts, search->process_count * sizeof *starts);
}

/* One iteration behind the other. */
static bool add_outer_phase(struct search *search, size_t count) {
    struct quipu__memory *memory = &search->phases->memory;
    struct starts *starts = quipu__alloc_zero(memory, search->process_count * sizeof *starts);
    bool has_memory = starts != NULL;
    for (size_t i = 0; has_memory && i < search->process_count; i++) {
        const struct quipu__repetition *chosen = &search->chosen[i];
        starts[i].period = chosen->period;
        has_memory = QUIPU__VEC_RESERVE(memory, &starts[i].calls, chosen->count);
        for (size_t k = 0; has_memory && k < chosen->count; k++)
            starts[i].calls.items[starts[i].calls.count++] = chosen->start + k * chosen->period;
    }
    if (has_memory && add_phase(search, starts, count, 0))
        return true;
    if (search->phases->found.list.count == 0 ||
        search->phases->found.list.items[search->phases->found.list.count - 1].starts != starts)
        release_starts(search, starts);
    return false;
}

/* ---- Parts ---- */

/* A section to be searched, of no calls yet; NULL when memory is out. */
static struct range *add_section(struct search *search) {
    struct quipu__memory *memory = &search->phases->memory;
    const size_t bytes = search->process_count * sizeof(struct range);
    if (!QUIPU__VEC_RESERVE(memory, &search->sections, 1))
        return NULL;
    struct range *section = quipu__alloc_zero(memory, bytes);
    if (section)
        search->sections.items[search->sections.count++] = section;
    return section;
}

/* What lies before and behind the phase, of the processes that have it. */
static bool add_rest(struct search *search, const struct range *section) {
    struct range *before = add_section(search), *behind = add_section(search);
    for (size_t i = 0; before && behind && i < search->process_count; i++) {
        const struct quipu__repetition *chosen = &search->chosen[i];
        if (chosen->count == 0)
            continue;
        before[i] = (struct range){section[i].from, chosen->start};
        behind[i] = (struct range){chosen->start + chosen->count * chosen->period, section[i].to};
    }
    return before && behind;
}

static bool search_section(struct search *search, const struct range *section) {
    size_t count;
    if (!agree(search, section, &count))
        return false;
    if (count == 0 || !is_worth_it(search))
        return true;
    return add_outer_phase(search, count) && add_rest(search, section);
}

static bool search_all(struct search *search) {
    struct range *whole = search->chosen && search->counts ? add_section(search) : NULL;
    bool has_memory = whole != NULL;
    for (size_t i = 0; whole && i < search->process_count; i++) {
        whole[i].to = process_at(search, i)->signatures.count;
        search->with_calls += whole[i].to > 0;
    }
    while (search->sections.count > 0) {
        struct range *section = search->sections.items[--search->sections.count];
        has_memory = has_memory && search_section(search, section);
        quipu__release(&search->phases->memory, section, search->process_count * sizeof *section);
    }
    return has_memory;
}

/* ---- Phases in phases ---- */

/* What an iteration of the outer phase repeats in itself: where it begins there, how many calls it takes, and how often. It may be cut by the
 * end of the iteration, when it goes on at the beginning of the next one. */
static bool find_starts(struct quipu__memory *memory, const struct starts *outer,
                        const struct quipu__repetition *inner, struct starts *out) {
    const size_t period = outer->period, count = outer->calls.count;
    out->period = inner->period;
    if (!QUIPU__VEC_RESERVE(memory, &out->calls, (count + 1) * inner->count))
        return false;
    for (size_t i = 0; i < count; i++) {
        const size_t base = outer->calls.items[i], first = base + inner->start;
        const bool goes_on = i + 1 < count && outer->calls.items[i + 1] == base + period;
        const bool is_first = i == 0 || outer->calls.items[i - 1] + period != base;
        for (size_t k = 0; is_first && k < inner->count; k++)
            if (first + k * inner->period >= base + period)
                out->calls.items[out->calls.count++] = first + k * inner->period - period;
        for (size_t k = 0; k < inner->count; k++)
            if (goes_on || first + (k + 1) * inner->period <= base + period)
                out->calls.items[out->calls.count++] = first + k * inner->period;
    }
    return true;
}

/* In an iteration, and behind it in the next one where that follows at once, so that it does not matter where iterations begin. */
static void look_inside(const struct search *search, const struct phase *outer, struct range *section) {
    for (size_t i = 0; i < search->process_count; i++) {
        const struct starts *starts = &outer->starts[i];
        const size_t *calls = starts->calls.items, count = starts->calls.count;
        section[i] = (struct range){0, 0};
        if (count > 0)
            section[i] = (struct range){calls[0], calls[0] + starts->period};
        if (count > 1 && calls[1] == section[i].to)
            section[i].to += starts->period;
    }
}

/* Each process has its own starts of it; those count that have it as many times as most. */
static bool start_all(struct search *search, const struct phase *outer, struct starts *starts, size_t *count) {
    for (size_t i = 0; i < search->process_count; i++) {
        struct quipu__repetition *chosen = &search->chosen[i];
        const struct starts *its = &outer->starts[i];
        if (chosen->count == 0)
            continue;
        const size_t most = its->period / chosen->period;
        chosen->start = (chosen->start - its->calls.items[0]) % its->period;
        chosen->count = chosen->count < most ? chosen->count : most;
        if (chosen->count >= 3 && !find_starts(&search->phases->memory, its, chosen, &starts[i]))
            return false;
        chosen->count = starts[i].calls.count;
    }
    *count = common_count(search);
    for (size_t i = 0; i < search->process_count; i++)
        if (search->chosen[i].count != *count)
            search->chosen[i].count = starts[i].calls.count = 0;
    return true;
}

/* The same share of calls as of a further phase, or it is not worth it. */
static bool covers_enough(const struct search *search, const struct phase *outer) {
    const size_t lowest = lowest_aligned(search);
    const struct starts *its = &outer->starts[lowest];
    return search->chosen[lowest].count * search->chosen[lowest].period * LEAST_SHARE >=
           its->calls.count * its->period;
}

static bool search_inside(struct search *search, size_t number, struct range *section) {
    const struct phase outer = search->phases->found.list.items[number];
    size_t count;
    look_inside(search, &outer, section);
    if (!agree(search, section, &count))
        return false;
    struct starts *starts =
        count > 0 ? quipu__alloc_zero(&search->phases->memory, search->process_count * sizeof *starts) : NULL;
    if (!starts)
        return count == 0;
    bool has_memory = start_all(search, &outer, starts, &count);
    const size_t known = search->phases->found.list.count;
    if (has_memory && count > 0 && covers_enough(search, &outer))
        has_memory = add_phase(search, starts, count, number + 1);
    if (search->phases->found.list.count == known)
        release_starts(search, starts);
    return has_memory;
}

/* The list grows while it is gone through: so phases are found in phases in phases, too. */
static bool search_insides(struct search *search) {
    const size_t bytes = search->process_count * sizeof(struct range);
    struct range *section = quipu__alloc_zero(&search->phases->memory, bytes);
    bool has_memory = section != NULL;
    for (size_t i = 0; has_memory && i < search->phases->found.list.count; i++)
        has_memory = search_inside(search, i, section);
    quipu__release(&search->phases->memory, section, section ? bytes : 0);
    return has_memory;
}

static int compare_phases(const void *a, const void *b) {
    const struct phase *x = a, *y = b;
    if (x->began != y->began)
        return x->began < y->began ? -1 : 1;
    if (x->ended != y->ended)
        return x->ended < y->ended ? -1 : 1;
    return (x->period > y->period) - (x->period < y->period);
}

/* Finds the phases, in the order of time, and behind them those inside of them. False when memory is out. */
static bool phases_find(struct phases *phases) {
    struct quipu__memory *memory = &phases->memory;
    struct search search = {.phases = phases, .process_count = phases->calls.processes.count};
    const size_t chosen_bytes = search.process_count * sizeof *search.chosen;
    const size_t count_bytes = search.process_count * sizeof *search.counts;
    if (search.process_count == 0)
        return true;
    search.chosen = quipu__alloc_zero(memory, chosen_bytes);
    search.counts = quipu__alloc_zero(memory, count_bytes);
    bool has_memory = search_all(&search);
    if (phases->found.list.count > 1)
        qsort(phases->found.list.items, phases->found.list.count, sizeof *phases->found.list.items,
              compare_phases);
    has_memory = has_memory && search_insides(&search);
    for (size_t i = 0; i < phases->found.list.count; i++) {
        release_starts(&search, phases->found.list.items[i].starts);
        phases->found.list.items[i].starts = NULL;
    }
    QUIPU__VEC_RELEASE(memory, &search.sections);
    quipu__release(memory, search.chosen, chosen_bytes);
    quipu__release(memory, search.counts, count_bytes);
    return has_memory;
}

/* ---- The fold ---- */

static enum quipu_status begin(const struct quipu__fold_start *start, void **state, struct quipu_error *err) {
    struct quipu__memory memory;
    quipu__memory_like(&memory, start->memory);
    struct phases *phases = *state = quipu__alloc_zero(&memory, sizeof *phases);
    if (!phases)
        return quipu__no_memory(err, sizeof *phases);
    phases->memory = memory;
    phases->definitions = start->definitions;
    phases->reported = quipu__reported_of(start);
    phases->has_iterations = quipu__settings_say_yes(&start->settings, "iterations");
    return quipu__call_sequences_init(&phases->calls, &phases->memory, phases->definitions)
               ? QUIPU_OK
               : quipu__no_memory(err, sizeof *phases);
}

static enum quipu_status consume_again(struct phases *phases, const struct quipu_batch *batch,
                                       struct quipu_error *err) {
    quipu__wait_states_sweep(&phases->states, batch);
    for (uint32_t i = 0; i < batch->count; i++)
        if (!iterations_add(phases, batch, i))
            return quipu__no_memory(err, phases->memory.used);
    return quipu__memory_status(&phases->memory, err);
}

static enum quipu_status consume(void *state, const struct quipu_batch *batch, struct quipu_error *err) {
    struct phases *phases = state;
    if (phases->is_second)
        return consume_again(phases, batch, err);
    for (uint32_t i = 0; i < batch->count; i++)
        if (!quipu__call_sequences_add(&phases->calls, batch, i))
            return quipu__no_memory(err, phases->memory.used);
    return quipu__memory_status(&phases->memory, err);
}

/* clang-format off */
#define PHASE_COLUMNS(COLUMN, TABLE) \
    COLUMN(TABLE, phase, U64, "", "number of the phase, in the order of time; inner ones are numbered behind the others") \
    COLUMN(TABLE, iterations, U64, "", "how many times it is done") \
    COLUMN(TABLE, period_calls, U64, "", "communication calls of an iteration, at the first process that takes part") \
    COLUMN(TABLE, aligned, U64, "", "processes that repeat something so many times") \
    COLUMN(TABLE, not_aligned, U64, "", "processes with communication calls that do not") \
    COLUMN(TABLE, first_ns, TIME, "ns", "when the first iteration begins") \
    COLUMN(TABLE, last_ns, TIME, "ns", "when the last process ends the last iteration") \
    COLUMN(TABLE, min_ns, I64, "ns", "shortest iteration") \
    COLUMN(TABLE, median_ns, I64, "ns", "median of the iterations") \
    COLUMN(TABLE, max_ns, I64, "ns", "longest iteration") \
    COLUMN(TABLE, sum_ns, I64, "ns", "all iterations") \
    COLUMN(TABLE, deviation_ns, I64, "ns", "median distance of an iteration from the median")
#define ITERATION_COLUMNS(COLUMN, TABLE) \
    COLUMN(TABLE, phase, U64, "", "number of the phase") \
    COLUMN(TABLE, iteration, U64, "", "number of the iteration in it") \
    COLUMN(TABLE, from_ns, TIME, "ns", "when the last process has ended the iteration before") \
    COLUMN(TABLE, length_ns, I64, "ns", "from there until the last process has ended this one") \
    COLUMN(TABLE, useful_sum_ns, I64, "ns", "time meanwhile outside of communication, I/O and runtime, of all locations") \
    COLUMN(TABLE, useful_max_ns, I64, "ns", "the largest of a location") \
    COLUMN(TABLE, wait_ns, I64, "ns", "how long locations wait for each other meanwhile") \
    COLUMN(TABLE, bytes, U64, "", "bytes of messages that are sent meanwhile") \
    COLUMN(TABLE, representative, U64, "", "1: the iteration of the phase whose length is closest to the median, the one to cut out")
#define PHASES_TABLES(TABLE, COLUMN, END) \
    TABLE(PHASES, "phases", "what is repeated, and how long an iteration takes") PHASE_COLUMNS(COLUMN, PHASES) END(PHASES) \
    TABLE(INNER, "inner_phases", "what iterations of phases repeat in themselves; the columns are those of phases") PHASE_COLUMNS(COLUMN, INNER) \
    COLUMN(INNER, within, U64, "", "the phase that does this several times in each of its iterations") \
    END(INNER) \
    TABLE(ITERATIONS, "iterations", "with --iterations: each of them") ITERATION_COLUMNS(COLUMN, ITERATIONS) END(ITERATIONS) \
    TABLE(INNER_ITERATIONS, "inner_iterations", "with --iterations: those of inner phases") ITERATION_COLUMNS(COLUMN, INNER_ITERATIONS) \
    END(INNER_ITERATIONS)
/* clang-format on */
QUIPU__TABLES(PHASES_TABLES)
static const struct quipu_analysis_table tables[] = {QUIPU__SHAPES(PHASES_TABLES)};

enum { TABLES = sizeof tables / sizeof *tables };

static enum quipu_status put_phase(const struct phase *phase, size_t number, struct quipu_table *table,
                                   struct quipu_error *err) {
    quipu__table_put_u64(table, PHASES_phase, number);
    quipu__table_put_u64(table, PHASES_iterations, phase->iterations);
    quipu__table_put_u64(table, PHASES_period_calls, phase->period);
    quipu__table_put_u64(table, PHASES_aligned, phase->aligned);
    quipu__table_put_u64(table, PHASES_not_aligned, phase->not_aligned);
    quipu__table_put_time(table, PHASES_first_ns, phase->first);
    quipu__table_put_time(table, PHASES_last_ns, phase->last);
    quipu__table_put_i64(table, PHASES_min_ns, phase->shortest);
    quipu__table_put_i64(table, PHASES_median_ns, phase->median);
    quipu__table_put_i64(table, PHASES_max_ns, phase->longest);
    quipu__table_put_i64(table, PHASES_sum_ns, phase->total);
    quipu__table_put_i64(table, PHASES_deviation_ns, phase->deviation);
    if (phase->within > 0)
        quipu__table_put_u64(table, INNER_within, phase->within);
    return quipu__table_end_row(table, err);
}

/* When the events of each process begin. */
static void note_beginnings(struct phases *phases) {
    for (uint32_t i = 0; i < phases->calls.communication.stacks.count; i++) {
        const struct quipu__call_stack *stack = &phases->calls.communication.stacks.items[i];
        struct quipu__call_sequence *process =
            stack->has_events ? quipu__call_sequence_of(&phases->calls, i) : NULL;
        if (!process)
            continue;
        process->first = process->has_events && process->first < stack->first ? process->first : stack->first;
        process->has_events = true;
    }
}

static bool find_phases(struct phases *phases) {
    quipu__communication_finish(&phases->calls.communication);
    note_beginnings(phases);
    return phases_find(phases);
}

static bool next_pass(void *state, struct quipu_selection *selection) {
    struct phases *phases = state;
    (void)selection;
    if (!phases->has_iterations || phases->is_second)
        return false;
    phases->is_second = true;
    if (!find_phases(phases) || !iterations_begin(phases))
        return false;
    return phases->found.list.count > 0;
}

static enum quipu_status put_iterations(const struct phase *phase, size_t number, struct quipu_table *table,
                                        struct quipu_error *err) {
    const size_t representative = phase_representative(phase);
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < phase->list.count && status == QUIPU_OK; i++) {
        const struct iteration *iteration = &phase->list.items[i];
        quipu__table_put_u64(table, ITERATIONS_phase, number);
        quipu__table_put_u64(table, ITERATIONS_iteration, phase->skipped + i + 1);
        quipu__table_put_time(table, ITERATIONS_from_ns, iteration->begin);
        quipu__table_put_i64(table, ITERATIONS_length_ns, iteration->end - iteration->begin);
        quipu__table_put_i64(table, ITERATIONS_useful_sum_ns, iteration->useful);
        quipu__table_put_i64(table, ITERATIONS_useful_max_ns, iteration->useful_most);
        quipu__table_put_i64(table, ITERATIONS_wait_ns, iteration->waits);
        quipu__table_put_u64(table, ITERATIONS_bytes, iteration->bytes);
        quipu__table_put_u64(table, ITERATIONS_representative, i == representative);
        status = quipu__table_end_row(table, err);
    }
    return status;
}

/* Those of inner phases only where there are any. */
static enum quipu_status add_table(const struct phases *phases, int table, struct quipu_tables *list,
                                   enum quipu_status (*put)(const struct phase *phase, size_t number,
                                                            struct quipu_table *table, struct quipu_error *err),
                                   struct quipu_error *err) {
    const bool is_inner = table == INNER || table == INNER_ITERATIONS;
    const struct phase *found = phases->found.list.items;
    const size_t count = phases->found.list.count;
    struct quipu_table *made;
    if (is_inner && (count == 0 || found[count - 1].within == 0))
        return QUIPU_OK;
    enum quipu_status status = quipu__tables_add(list, &tables[table], &made, err);
    for (size_t i = 0; i < count && status == QUIPU_OK; i++)
        if (found[i].iterations > 0 && (found[i].within > 0) == is_inner)
            status = put(&found[i], i + 1, made, err);
    return status;
}

static enum quipu_status finish(void *state, struct quipu_tables *list, struct quipu_error *err) {
    struct phases *phases = state;
    if (!phases->has_iterations)
        quipu__gate_knows(find_phases(phases));
    else
        iterations_finish(phases);
    enum quipu_status status = quipu__memory_status(&phases->memory, err);
    if (status == QUIPU_OK)
        status = add_table(phases, PHASES, list, put_phase, err);
    if (status == QUIPU_OK)
        status = add_table(phases, INNER, list, put_phase, err);
    if (phases->states.memory)
        quipu__matching_note(&phases->states.communication, list);
    quipu__unfinished_calls_note(&phases->calls.communication.unfinished, list);
    if (status != QUIPU_OK || !phases->has_iterations)
        return status;
    status = add_table(phases, ITERATIONS, list, put_iterations, err);
    return status == QUIPU_OK ? add_table(phases, INNER_ITERATIONS, list, put_iterations, err) : status;
}

static void release(void *state) {
    struct phases *phases = state;
    quipu__call_sequences_release(&phases->calls);
    iterations_release(phases);
    for (size_t i = 0; i < phases->found.list.count; i++) {
        QUIPU__VEC_RELEASE(&phases->memory, &phases->found.list.items[i].list);
        QUIPU__VEC_RELEASE(&phases->memory, &phases->found.list.items[i].shares);
    }
    QUIPU__VEC_RELEASE(&phases->memory, &phases->found.list);
    struct quipu__memory memory = phases->memory;
    quipu__release(&memory, phases, sizeof *phases);
}

static const struct quipu_option options[] = {
    QUIPU__REPORTED_OPTIONS,
    {.name = "iterations",
     .kind = QUIPU_OPTION_FLAG,
     .argument = "",
     .doc = "also show each iteration: its length, useful time, waiting and bytes"},
};

const struct quipu__fold quipu__phases_fold = {
    .info = {.name = "phases",
             .doc = "show what a program repeats, and how long each time takes",
             .details =
                 "A phase is a sequence of communication calls that a program repeats three times or more, "
                 "with the "
                 "same partners, tags and sizes of about the same number of bytes: the steps of a simulation. "
                 "It is "
                 "found without knowing the program; the largest one, then others before and behind it that "
                 "cover 5 % of the calls. The table \"inner_phases\" has what iterations repeat three times or "
                 "more in "
                 "themselves, and what that repeats in itself, such as the five steps between two reductions: "
                 "its iterations are "
                 "those in all iterations of the phase that the column within names.\n\n"
                 "An iteration ends when the last process has done it. Processes whose calls are not repeated "
                 "as many "
                 "times as those of most others are not aligned.\n\n"
                 "With --iterations each one has a row. Between its beginning and its end are counted: the "
                 "useful time of "
                 "all locations, the time that they wait for each other (quipu waits), and the bytes that are "
                 "sent.",
             .examples = "quipu phases run.trace # how many steps, and do they take equally long?\n"
                         "quipu phases run.trace --iterations # which step takes longer than others, and why?\n"
                         "quipu phases run.trace --json # for a program that looks for the one to cut out",
             .options = options,
             .option_count = sizeof options / sizeof *options,
             .tables = tables,
             .table_count = TABLES,
             .empty_answer = "nothing is repeated three times",
             .needs_everything = true},
    .kinds = QUIPU_ALL_KINDS,
    .is_selective = true,
    .order = QUIPU_ORDER_TIME,
    .begin = begin,
    .consume = consume,
    .next_pass = next_pass,
    .finish = finish,
    .release = release,
};
