/* find.c: looks for what the processes repeat: the largest phase first, then others before and behind it. */
#include "analysis/phases/phases.h"

#include "analysis/shared/repetition.h"
#include "core/bounded.h"
#include "core/scale.h"

#include <stdlib.h>

enum { LEAST_SHARE = 20 }; /* a further phase covers one call in so many */

/* Some of a process's calls, one after the other. */
struct range {
    size_t from, to;
};

struct search {
    struct quipu__phases *phases;
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
static int64_t time_at(const struct search *search, const struct quipu__phase *phase, size_t iteration,
                       bool is_end) {
    int64_t latest = INT64_MIN;
    for (size_t i = 0; i < search->process_count; i++) {
        const struct quipu__phase_starts *starts = &phase->starts[i];
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
    return quipu__middle(sorted[(count - 1) / 2], sorted[count / 2]);
}

static void measure_lengths(struct quipu__phase *phase, int64_t *lengths) {
    const size_t count = phase->iterations;
    qsort(lengths, count, sizeof *lengths, compare_times);
    phase->shortest = lengths[0];
    phase->median = median_of(lengths, count);
    phase->longest = lengths[count - 1];
    for (size_t i = 0; i < count; i++)
        lengths[i] = quipu__distance(lengths[i], phase->median);
    qsort(lengths, count, sizeof *lengths, compare_times);
    phase->deviation = median_of(lengths, count);
}

/* Those iterations are left that begin in the time that is reported. */
static void narrow(const struct search *search, struct quipu__phase *phase) {
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

static bool measure(struct search *search, struct quipu__phase *phase) {
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
            phase->list.items[i] = (struct quipu__iteration){.begin = begin, .end = end};
        lengths[i] = quipu__bounded_difference(end, begin);
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
static bool add_phase(struct search *search, struct quipu__phase_starts *starts, size_t count, size_t within) {
    struct quipu__phase phase = {.iterations = count,
                                 .period = search->chosen[lowest_aligned(search)].period,
                                 .within = within,
                                 .starts = starts};
    for (size_t i = 0; i < search->process_count; i++)
        phase.aligned += search->chosen[i].count > 0;
    phase.not_aligned = search->with_calls - phase.aligned;
    struct quipu__phase *added = QUIPU__VEC_ADD(&search->phases->memory, &search->phases->found.list);
    if (!added)
        return false;
    *added = phase;
    return measure(search, added);
}

static void release_starts(const struct search *search, struct quipu__phase_starts *starts) {
    for (size_t i = 0; starts && i < search->process_count; i++)
        QUIPU__VEC_RELEASE(&search->phases->memory, &starts[i].calls);
    quipu__release(&search->phases->memory, starts, search->process_count * sizeof *starts);
}

/* One iteration behind the other. */
static bool add_outer_phase(struct search *search, size_t count) {
    struct quipu__memory *memory = &search->phases->memory;
    struct quipu__phase_starts *starts = quipu__alloc_zero(memory, search->process_count * sizeof *starts);
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
static bool find_starts(struct quipu__memory *memory, const struct quipu__phase_starts *outer,
                        const struct quipu__repetition *inner, struct quipu__phase_starts *out) {
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
static void look_inside(const struct search *search, const struct quipu__phase *outer, struct range *section) {
    for (size_t i = 0; i < search->process_count; i++) {
        const struct quipu__phase_starts *starts = &outer->starts[i];
        const size_t *calls = starts->calls.items, count = starts->calls.count;
        section[i] = (struct range){0, 0};
        if (count > 0)
            section[i] = (struct range){calls[0], calls[0] + starts->period};
        if (count > 1 && calls[1] == section[i].to)
            section[i].to += starts->period;
    }
}

/* Each process has its own starts of it; those count that have it as many times as most. */
static bool start_all(struct search *search, const struct quipu__phase *outer,
                      struct quipu__phase_starts *starts, size_t *count) {
    for (size_t i = 0; i < search->process_count; i++) {
        struct quipu__repetition *chosen = &search->chosen[i];
        const struct quipu__phase_starts *its = &outer->starts[i];
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
static bool covers_enough(const struct search *search, const struct quipu__phase *outer) {
    const size_t lowest = lowest_aligned(search);
    const struct quipu__phase_starts *its = &outer->starts[lowest];
    return search->chosen[lowest].count * search->chosen[lowest].period * LEAST_SHARE >=
           its->calls.count * its->period;
}

static bool search_inside(struct search *search, size_t number, struct range *section) {
    const struct quipu__phase outer = search->phases->found.list.items[number];
    size_t count;
    look_inside(search, &outer, section);
    if (!agree(search, section, &count))
        return false;
    struct quipu__phase_starts *starts =
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
    const struct quipu__phase *x = a, *y = b;
    if (x->began != y->began)
        return x->began < y->began ? -1 : 1;
    if (x->ended != y->ended)
        return x->ended < y->ended ? -1 : 1;
    return (x->period > y->period) - (x->period < y->period);
}

bool quipu__phases_find(struct quipu__phases *phases) {
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
