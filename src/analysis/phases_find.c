/* phases_find.c: finds the phases of a program: the largest one, then others before and behind it. */
#include "analysis/phases.h"
#include "analysis/repetition.h"
#include "core/scale.h"

#include <stdlib.h>
#include <string.h>

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

/* When the last process has done so many iterations. */
static int64_t end_of(const struct search *search, size_t iterations) {
    int64_t latest = INT64_MIN;
    for (size_t i = 0; i < search->process_count; i++) {
        const struct quipu__repetition *chosen = &search->chosen[i];
        const int64_t end = chosen->count > 0
                                ? end_before(process_at(search, i), chosen->start + iterations * chosen->period)
                                : INT64_MIN;
        latest = end > latest ? end : latest;
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

static void measure_lengths(struct quipu__phase *phase, int64_t *lengths) {
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

static bool measure(struct search *search, struct quipu__phase *phase) {
    struct quipu__memory *memory = &search->phases->memory;
    const size_t count = phase->iterations, bytes = count * sizeof(int64_t);
    int64_t *lengths = quipu__alloc(memory, bytes);
    if (!lengths || !QUIPU__VEC_RESERVE(memory, &phase->list, search->phases->has_iterations ? count : 0))
        return false;
    phase->list.count = search->phases->has_iterations ? count : 0;
    int64_t end = phase->first = end_of(search, 0);
    for (size_t i = 0; i < count; i++) {
        const int64_t begin = end;
        end = end_of(search, i + 1);
        lengths[i] = end - begin;
        if (i < phase->list.count)
            phase->list.items[i].end = end;
    }
    phase->last = end;
    measure_lengths(phase, lengths);
    quipu__release(memory, lengths, bytes);
    return true;
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

static bool add_phase(struct search *search, size_t count) {
    struct quipu__phase phase = {.iterations = count, .period = search->chosen[lowest_aligned(search)].period};
    for (size_t i = 0; i < search->process_count; i++)
        phase.aligned += search->chosen[i].count > 0;
    phase.not_aligned = search->with_calls - phase.aligned;
    struct quipu__phase *added = QUIPU__VEC_ADD(&search->phases->memory, &search->phases->found.list);
    if (!added)
        return false;
    *added = phase;
    return measure(search, added);
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
    return add_phase(search, count) && add_rest(search, section);
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

static int compare_phases(const void *a, const void *b) {
    const struct quipu__phase *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    if (x->last != y->last)
        return x->last < y->last ? -1 : 1;
    return (x->iterations > y->iterations) - (x->iterations < y->iterations);
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
    const bool has_memory = search_all(&search);
    if (phases->found.list.count > 1)
        qsort(phases->found.list.items, phases->found.list.count, sizeof *phases->found.list.items,
              compare_phases);
    QUIPU__VEC_RELEASE(memory, &search.sections);
    quipu__release(memory, search.chosen, chosen_bytes);
    quipu__release(memory, search.counts, count_bytes);
    return has_memory;
}
