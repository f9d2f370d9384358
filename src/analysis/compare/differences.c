/* differences.c: which values differ by more than chance; and which communication calls one trace has and the other one has not, process by
 * process, and which take longer or shorter. Calls that do the same one after the other are one element of the comparison. */
#include "analysis/shared/call_sequences.h"
#include "analysis/compare/compare.h"
#include "analysis/shared/fold.h"
#include "analysis/shared/located.h"
#include "core/bounded.h"
#include "core/error.h"
#include "core/scale.h"
#include "core/text.h"
#include "core/memory/vec.h"
#include "trace/reader.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum edit { EDIT_REMOVE, EDIT_ADD };

/* An element of the first sequence that the second one does not have, or the reverse. */
struct edit_step {
    enum edit edit;
    size_t a, b; /* where that is in both */
};

/* The steps in their order, up to a and b. */
struct edit_script {
    QUIPU__VEC(struct edit_step) steps;
    size_t a, b;
};

/* Sequences that differ in more steps than this are compared up to there. */
enum { EDITS_MOST = 512 };

/* ==== Edit scripts ====
 *
 * How one sequence becomes another one with the fewest elements removed and added. The method is that of Myers (1986): for each number of
 * steps, how far each diagonal (the distance of the places in both sequences) can be followed. Where many steps are needed the farthest place
 * that the most steps lead to is the end.
 */

struct search {
    struct quipu__memory *memory;
    const uint64_t *a, *b;
    size_t a_count, b_count;
    QUIPU__VEC(size_t)
    reached; /* places in a: for d steps those of the diagonals -d, -d + 2 .. d, one after the other */
};

/* Where the row of so many steps begins. */
static size_t row_of(size_t steps) {
    return steps * (steps + 1) / 2;
}

/* The places of diagonal 2 * index - steps in both sequences. */
static size_t b_of(size_t a, size_t steps, size_t index) {
    return a + steps - 2 * index;
}

/* Whether the last of the steps to a diagonal adds an element of b, rather than removing one of a. */
static bool adds(const struct search *search, size_t steps, size_t index) {
    const size_t *before = &search->reached.items[row_of(steps - 1)];
    return index == 0 || (index < steps && before[index] > before[index - 1]);
}

/* How far a diagonal leads with so many steps. May be beyond an end. */
static size_t follow(const struct search *search, size_t steps, size_t index) {
    size_t a = 0;
    if (steps > 0) {
        const size_t *before = &search->reached.items[row_of(steps - 1)];
        a = adds(search, steps, index) ? before[index] : before[index - 1] + 1;
    }
    size_t b = b_of(a, steps, index);
    while (a < search->a_count && b < search->b_count && search->a[a] == search->b[b]) {
        a++;
        b++;
    }
    return a;
}

/* Goes back from the diagonal, step by step. */
static bool collect(const struct search *search, size_t steps, size_t index, struct edit_script *out) {
    if (!QUIPU__VEC_RESERVE(search->memory, &out->steps, steps))
        return false;
    out->steps.count = steps;
    while (steps > 0) {
        const bool is_added = adds(search, steps, index);
        index -= !is_added;
        steps--;
        const size_t a = search->reached.items[row_of(steps) + index];
        out->steps.items[steps] =
            (struct edit_step){is_added ? EDIT_ADD : EDIT_REMOVE, a, b_of(a, steps, index)};
    }
    return true;
}

/* Of the diagonals that end within both sequences, the one that leads farthest. */
static size_t farthest(const struct search *search, size_t steps) {
    const size_t *row = &search->reached.items[row_of(steps)];
    size_t best = SIZE_MAX, most = 0;
    for (size_t i = 0; i <= steps; i++) {
        const size_t b = b_of(row[i], steps, i);
        const bool is_inside = row[i] <= search->a_count && b <= search->b_count;
        if (is_inside && (best == SIZE_MAX || row[i] + b > most)) {
            best = i;
            most = row[i] + b;
        }
    }
    return best;
}

/* Finds the script of two sequences, as far as EDITS_MOST steps lead. False when memory is out; release the steps in any case. */
static bool edit_script_find(struct quipu__memory *memory, const uint64_t *a, size_t a_count, const uint64_t *b,
                             size_t b_count, struct edit_script *out) {
    struct search search = {.memory = memory, .a = a, .b = b, .a_count = a_count, .b_count = b_count};
    bool has_memory = true, is_done = false;
    *out = (struct edit_script){.a = 0};
    for (size_t steps = 0; !is_done && has_memory; steps++) {
        has_memory = QUIPU__VEC_RESERVE(memory, &search.reached, steps + 1);
        for (size_t i = 0; i <= steps && has_memory; i++)
            search.reached.items[search.reached.count++] = follow(&search, steps, i);
        const size_t index = has_memory ? farthest(&search, steps) : SIZE_MAX;
        if (index == SIZE_MAX)
            continue;
        out->a = search.reached.items[row_of(steps) + index];
        out->b = b_of(out->a, steps, index);
        is_done = (out->a == a_count && out->b == b_count) || steps == EDITS_MOST;
        has_memory = !is_done || collect(&search, steps, index, out);
    }
    QUIPU__VEC_RELEASE(memory, &search.reached);
    return has_memory;
}

/* ==== Noise ====
 *
 * Which values differ by more than chance, and which differences meet a condition.
 */

enum { WHOLE = 10000 }; /* hundredths of a per cent */

/* ---- Percentages ---- */

bool quipu__comparison_percent(const char *text, size_t len, int64_t *out) {
    const char *point = memchr(text, '.', len);
    const size_t whole_len = point ? (size_t)(point - text) : len, digits = point ? len - whole_len - 1 : 0;
    uint64_t whole = 0, rest = 0;
    if (!quipu__parse_u64(text, whole_len, &whole) || whole > INT32_MAX)
        return false;
    if (point && (digits < 1 || digits > 2 || !quipu__parse_u64(point + 1, digits, &rest)))
        return false;
    *out = (int64_t)(whole * 100 + (digits == 1 ? rest * 10 : rest));
    return true;
}

/* Whether a change is larger than so many hundredths of a per cent of a value, which may be negative. */
static bool exceeds(int64_t change, int64_t value, int64_t hundredths) {
    uint64_t rest;
    const uint64_t size = quipu__magnitude(hundredths);
    const uint64_t bound = quipu__scale_down(quipu__magnitude(value), size, WHOLE, &rest);
    if (hundredths >= 0)
        return change > 0 && (uint64_t)change > bound;
    const uint64_t decrease = change < 0 ? 0 - (uint64_t)change : 0;
    return decrease < bound || (decrease == bound && rest > 0);
}

/* ---- Conditions ---- */

static enum quipu_status refuse_condition(const char *text, struct quipu_error *err) {
    quipu__fail(err, QUIPU_MISUSE, "\"%s\" is no condition: found no LEVEL.MEASURE > +N%%", text);
    quipu__advise(err, "such as profile.exclusive > +5%%, runtime.time > 10%%, comm.bytes < -1%%");
    return QUIPU_MISUSE;
}

/* The unit of a measure may be left out. */
static bool is_measure(size_t index, const char *text, size_t len) {
    const struct quipu_compare_measure *measure = &quipu__compare_measures[index].info;
    const size_t level = strlen(measure->level), name = strlen(measure->name);
    const char *rest = text + level + 1;
    if (len <= level + 1 || memcmp(text, measure->level, level) != 0 || text[level] != '.')
        return false;
    len -= level + 1;
    return (len == name && memcmp(rest, measure->name, len) == 0) ||
           (len + 3 == name && memcmp(rest, measure->name, len) == 0 &&
            strcmp(measure->name + len, "_ns") == 0);
}

static const char *skip_spaces(const char *text) {
    return text + strspn(text, " ");
}

enum quipu_status quipu__comparison_add_condition(struct quipu__comparison *comparison, const char *text,
                                                  struct quipu_error *err) {
    const char *subject = skip_spaces(text);
    const size_t len = strcspn(subject, " <>");
    const char *sign = skip_spaces(subject + len);
    struct quipu__compare_condition condition = {.is_below = *sign == '<'};
    while (condition.measure < QUIPU__COMPARE_MEASURES && !is_measure(condition.measure, subject, len))
        condition.measure++;
    if (condition.measure == QUIPU__COMPARE_MEASURES || (*sign != '<' && *sign != '>'))
        return refuse_condition(text, err);
    const char *number = skip_spaces(sign + 1);
    const bool is_negative = *number == '-';
    number += *number == '-' || *number == '+';
    const size_t digits = strspn(number, "0123456789.");
    const char *end = skip_spaces(number + digits);
    if (*end != '%' || *skip_spaces(end + 1) ||
        !quipu__comparison_percent(number, digits, &condition.hundredths))
        return refuse_condition(text, err);
    if (is_negative)
        condition.hundredths = -condition.hundredths;
    struct quipu__compare_condition *added = QUIPU__VEC_ADD(&comparison->memory, &comparison->conditions);
    if (!added)
        return quipu__no_memory(err, sizeof condition);
    *added = condition;
    return QUIPU_OK;
}

static bool meets(const struct quipu__comparison *comparison, const struct quipu__compared *row,
                  const struct quipu__compare_condition *condition) {
    const int64_t change = quipu__bounded_difference(row->values[1], row->values[0]);
    if (row->measure != condition->measure || row != &comparison->rows.items[row->of_all])
        return false;
    return condition->is_below
               ? exceeds(quipu__bounded_difference(0, change), row->values[0], -condition->hundredths)
               : exceeds(change, row->values[0], condition->hundredths);
}

static bool meets_any(const struct quipu__comparison *comparison, const struct quipu__compared *row) {
    for (size_t i = 0; i < comparison->conditions.count; i++)
        if (meets(comparison, row, &comparison->conditions.items[i]))
            return true;
    return false;
}

bool quipu__comparison_differs(const struct quipu__comparison *comparison) {
    for (size_t i = 0; i < comparison->rows.count; i++) {
        const struct quipu__compared *row = &comparison->rows.items[i];
        if (row->differs && (comparison->conditions.count == 0 || meets_any(comparison, row)))
            return true;
    }
    return false;
}

/* What a time must differ by: a condition that asks for less is to be answered. */
static uint64_t threshold_of(const struct quipu__comparison *comparison, size_t measure) {
    uint64_t least = comparison->threshold;
    for (size_t i = 0; i < comparison->conditions.count; i++) {
        const struct quipu__compare_condition *condition = &comparison->conditions.items[i];
        const uint64_t size = quipu__magnitude(condition->hundredths);
        if (condition->measure == measure && size < least)
            least = size;
    }
    return least;
}

/* ---- Noise ---- */

static uint64_t distance(int64_t a, int64_t b) {
    return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

/* Whether two values are farther apart than so much of the larger one. */
static bool is_beyond(int64_t a, int64_t b, uint64_t threshold) {
    uint64_t rest;
    const int64_t larger = a > b ? a : b;
    return larger > 0 && distance(a, b) > quipu__scale_down((uint64_t)larger, threshold, WHOLE, &rest);
}

/* By more than three standard deviations, each 1.4826 median deviations, and than three ticks. */
static bool medians_differ(const struct quipu__comparison *comparison, const struct quipu__compared *row) {
    const int64_t apart = (int64_t)distance(row->values[0], row->values[1]);
    for (int side = 0; side < QUIPU__SIDES; side++)
        if (quipu__products_compare(apart, WHOLE, row->deviations[side], INT64_C(3) * 14826) <= 0 ||
            quipu__products_compare(apart, 1, comparison->tick_ns[side], 3) <= 0)
            return false;
    return true;
}

/* Whether two values of a measure that is a time, of one sample each, differ. */
static bool comparison_times_differ(const struct quipu__comparison *comparison, size_t measure, int64_t a,
                                    int64_t b) {
    return is_beyond(a, b, threshold_of(comparison, measure));
}

static bool row_differs(const struct quipu__comparison *comparison, const struct quipu__compared *row) {
    const bool are_medians = row->samples[0] > 0 && row->samples[1] > 0;
    if (!quipu__compare_measures[row->measure].is_time)
        return row->values[0] != row->values[1];
    if (are_medians && !medians_differ(comparison, row))
        return false;
    return comparison_times_differ(comparison, row->measure, row->values[0], row->values[1]);
}

void quipu__comparison_judge(struct quipu__comparison *comparison) {
    for (size_t i = 0; i < comparison->rows.count; i++)
        comparison->rows.items[i].differs = row_differs(comparison, &comparison->rows.items[i]);
}

enum { DIFFERENCES_MOST = 20, WHAT_BYTES = QUIPU__LOCATED_NAME + 48 };

/* ---- Signatures that mean the same in both traces ---- */

struct keys {
    uint64_t *groups, *locations;
    uint32_t group_count, location_count;
};

static bool find_keys(struct keys *keys, struct quipu__memory *memory,
                      const struct quipu_definitions *definitions, const struct quipu__located *located) {
    keys->group_count = definitions->groups.count;
    keys->location_count = definitions->locations.count;
    keys->groups = quipu__alloc(memory, keys->group_count * sizeof *keys->groups);
    keys->locations = quipu__alloc(memory, keys->location_count * sizeof *keys->locations);
    if (!keys->groups || !keys->locations)
        return false;
    for (uint32_t i = 0; i < keys->group_count; i++) {
        const char *name = definitions->groups.items[i].name;
        keys->groups[i] = quipu__hash(name, strlen(name), 0);
    }
    for (uint32_t i = 0; i < keys->location_count; i++)
        keys->locations[i] = (uint64_t)quipu__located_rank(located, i);
    return true;
}

static void release_keys(struct keys *keys, struct quipu__memory *memory) {
    quipu__release(memory, keys->groups, keys->group_count * sizeof *keys->groups);
    quipu__release(memory, keys->locations, keys->location_count * sizeof *keys->locations);
}

/* ---- Reading ---- */

static enum quipu_status read_calls(struct quipu__call_sequences *sequences, struct quipu_reader *reader,
                                    struct quipu_error *err) {
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    const struct quipu_batch *batch;
    selection.order = QUIPU_ORDER_TIME;
    selection.without_attributes = true;
    enum quipu_status status = quipu_reader_select(reader, &selection, err);
    while (status == QUIPU_OK && (status = quipu_reader_next_batch(reader, &batch, err)) == QUIPU_OK) {
        if (!quipu__call_sequences_add(sequences, batch))
            return quipu__memory_status(sequences->memory, err);
        status = quipu__memory_status(sequences->memory, err);
    }
    quipu__communication_finish(&sequences->communication);
    return status == QUIPU_END ? QUIPU_OK : status;
}

/* ---- Calls of a process ---- */

static void add_call(struct quipu__memory *memory, struct quipu__compared_calls *calls,
                     const struct quipu__call_sequence *process, size_t call,
                     const struct quipu_definitions *definitions) {
    const size_t last = calls->signatures.count;
    const int64_t time = quipu__bounded_difference(process->leaves.items[call], process->enters.items[call]);
    if (last > 0 && calls->signatures.items[last - 1] == process->signatures.items[call]) {
        calls->calls.items[last - 1].count++;
        calls->calls.items[last - 1].time = quipu__bounded_sum(calls->calls.items[last - 1].time, time);
        return;
    }
    uint64_t *signature = QUIPU__VEC_ADD(memory, &calls->signatures);
    struct quipu__compared_call *added = QUIPU__VEC_ADD(memory, &calls->calls);
    if (!signature || !added)
        return;
    const uint32_t region = process->regions.items[call];
    *signature = process->signatures.items[call];
    *added = (struct quipu__compared_call){
        region < definitions->regions.count ? definitions->regions.items[region].name : "", call + 1, 1, time};
}

/* Ranks are those of the trace; calls of processes without one are not compared. */
static void add_process(struct quipu__comparison *comparison, int side, int64_t rank,
                        const struct quipu__call_sequence *process,
                        const struct quipu_definitions *definitions) {
    const size_t known = comparison->calls[side].count;
    if (rank < 0 || rank >= UINT32_MAX)
        return;
    if ((size_t)rank >= known) {
        if (!QUIPU__VEC_RESERVE(&comparison->memory, &comparison->calls[side], (size_t)rank + 1 - known))
            return;
        comparison->calls[side].count = (size_t)rank + 1;
    }
    struct quipu__compared_calls *calls = &comparison->calls[side].items[rank];
    for (size_t i = 0; i < process->regions.count; i++)
        add_call(&comparison->memory, calls, process, i, definitions);
}

enum quipu_status quipu__comparison_add_calls(struct quipu__comparison *comparison, int side,
                                              struct quipu_reader *reader, struct quipu_error *err) {
    const struct quipu_definitions *definitions = quipu_reader_definitions(reader);
    struct quipu__memory *memory = &comparison->memory;
    struct quipu__located located;
    struct quipu__call_sequences sequences;
    struct keys keys = {.groups = NULL};
    quipu__located_init(&located, memory, definitions);
    bool has_memory = quipu__call_sequences_init(&sequences, memory, definitions);
    has_memory = find_keys(&keys, memory, definitions, &located) && has_memory;
    sequences.has_details = true;
    sequences.groups = (struct quipu__sequence_keys){keys.groups, keys.groups ? keys.group_count : 0};
    sequences.locations =
        (struct quipu__sequence_keys){keys.locations, keys.locations ? keys.location_count : 0};
    enum quipu_status status =
        has_memory ? read_calls(&sequences, reader, err) : quipu__memory_status(memory, err);
    for (uint32_t i = 0; i < sequences.processes.count && status == QUIPU_OK; i++)
        add_process(comparison, side, quipu__located_rank(&located, i), &sequences.processes.items[i],
                    definitions);
    quipu__call_sequences_release(&sequences);
    release_keys(&keys, memory);
    quipu__located_release(&located);
    return status == QUIPU_OK ? quipu__memory_status(memory, err) : status;
}

/* ---- Comparing ---- */

/* The calls of a rank on both sides while rows are made of them. */
struct compared_rank {
    struct quipu__comparison *comparison;
    const struct quipu__compared_calls *sides[QUIPU__SIDES];
    int64_t rank;
    int differences;
};

static void add_row(struct compared_rank *compared, size_t measure, const struct quipu__compared_call *call,
                    bool is_added, int64_t a, int64_t b) {
    char what[WHAT_BYTES];
    if (compared->differences == DIFFERENCES_MOST)
        return;
    snprintf(what, sizeof what, "call %zu%s: %.200s", call->number, is_added ? " of b" : "", call->name);
    const uint32_t number = quipu__comparison_row(compared->comparison, measure, what, compared->rank);
    if (number == QUIPU_NONE)
        return;
    compared->comparison->rows.items[number].values[0] = a;
    compared->comparison->rows.items[number].values[1] = b;
    compared->differences++;
}

/* Elements that both have. */
static void compare_elements(struct compared_rank *compared, size_t a, size_t b) {
    const struct quipu__compared_call *one = &compared->sides[0]->calls.items[a],
                                      *other = &compared->sides[1]->calls.items[b];
    const size_t counts = quipu__comparison_measure_of(QUIPU__COMPARE_calls), times = counts + 1;
    if (one->count != other->count)
        add_row(compared, counts, one, false, one->count, other->count);
    else if (comparison_times_differ(compared->comparison, times, one->time, other->time))
        add_row(compared, times, one, false, one->time, other->time);
}

static void take_step(struct compared_rank *compared, const struct edit_step *step) {
    const size_t counts = quipu__comparison_measure_of(QUIPU__COMPARE_calls);
    if (step->edit == EDIT_REMOVE) {
        const struct quipu__compared_call *call = &compared->sides[0]->calls.items[step->a];
        add_row(compared, counts, call, false, call->count, 0);
    } else {
        const struct quipu__compared_call *call = &compared->sides[1]->calls.items[step->b];
        add_row(compared, counts, call, true, 0, call->count);
    }
}

static void walk(struct compared_rank *compared, const struct edit_script *script) {
    size_t a = 0, b = 0;
    for (size_t i = 0; i <= script->steps.count; i++) {
        const struct edit_step *step = i < script->steps.count ? &script->steps.items[i] : NULL;
        const size_t until = step ? step->a : script->a;
        while (a < until && compared->differences < DIFFERENCES_MOST)
            compare_elements(compared, a++, b++);
        if (!step || compared->differences == DIFFERENCES_MOST)
            return;
        take_step(compared, step);
        a = step->a + (step->edit == EDIT_REMOVE);
        b = step->b + (step->edit == EDIT_ADD);
    }
}

static bool compare_rank(struct quipu__comparison *comparison, size_t rank) {
    static const struct quipu__compared_calls none;
    struct compared_rank compared = {.comparison = comparison, .rank = (int64_t)rank};
    struct edit_script script;
    for (int side = 0; side < QUIPU__SIDES; side++)
        compared.sides[side] =
            rank < comparison->calls[side].count ? &comparison->calls[side].items[rank] : &none;
    if (compared.sides[0]->signatures.count + compared.sides[1]->signatures.count == 0)
        return true; /* as most numbers of ranks are, where they are far apart */
    const bool has_memory = edit_script_find(
        &comparison->memory, compared.sides[0]->signatures.items, compared.sides[0]->signatures.count,
        compared.sides[1]->signatures.items, compared.sides[1]->signatures.count, &script);
    if (has_memory)
        walk(&compared, &script);
    QUIPU__VEC_RELEASE(&comparison->memory, &script.steps);
    return has_memory;
}

bool quipu__comparison_compare_calls(struct quipu__comparison *comparison) {
    const size_t a = comparison->calls[0].count, b = comparison->calls[1].count;
    for (size_t rank = 0; rank < (a > b ? a : b); rank++)
        if (!compare_rank(comparison, rank))
            return false;
    return true;
}

void quipu__comparison_release_calls(struct quipu__comparison *comparison) {
    for (int side = 0; side < QUIPU__SIDES; side++) {
        for (size_t i = 0; i < comparison->calls[side].count; i++) {
            QUIPU__VEC_RELEASE(&comparison->memory, &comparison->calls[side].items[i].signatures);
            QUIPU__VEC_RELEASE(&comparison->memory, &comparison->calls[side].items[i].calls);
        }
        QUIPU__VEC_RELEASE(&comparison->memory, &comparison->calls[side]);
    }
}
