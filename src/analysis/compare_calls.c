/* compare_calls.c: which communication calls one trace has and the other one has not, process by process, and which take longer or shorter. Calls
 * that do the same one after the other are one element of the comparison. */
#include "analysis/compare.h"

#include "analysis/call_sequences.h"
#include "analysis/edit_script.h"
#include "analysis/fold.h"
#include "analysis/located.h"
#include "trace/reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { DIFFERENCES_MOST = 20, WHAT_BYTES = QUIPU__LOCATED_NAME + 48 };

/* ---- Signatures that mean the same in both traces ---- */

struct keys {
    uint64_t *groups, *locations;
    size_t group_bytes, location_bytes;
};

static bool find_keys(struct keys *keys, struct quipu__memory *memory,
                      const struct quipu_definitions *definitions, const struct quipu__located *located) {
    keys->group_bytes = (definitions->groups.count + (size_t)1) * sizeof *keys->groups;
    keys->location_bytes = (definitions->locations.count + (size_t)1) * sizeof *keys->locations;
    keys->groups = quipu__alloc(memory, keys->group_bytes);
    keys->locations = quipu__alloc(memory, keys->location_bytes);
    if (!keys->groups || !keys->locations)
        return false;
    for (uint32_t i = 0; i < definitions->groups.count; i++) {
        const char *name = definitions->groups.items[i].name;
        keys->groups[i] = quipu__hash(name, strlen(name), 0);
    }
    for (uint32_t i = 0; i < definitions->locations.count; i++)
        keys->locations[i] = (uint64_t)quipu__located_rank(located, i);
    return true;
}

static void release_keys(struct keys *keys, struct quipu__memory *memory) {
    quipu__release(memory, keys->groups, keys->group_bytes);
    quipu__release(memory, keys->locations, keys->location_bytes);
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
        for (uint32_t i = 0; i < batch->count; i++)
            if (!quipu__call_sequences_add(sequences, batch, i))
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
    const int64_t time = process->leaves.items[call] - process->enters.items[call];
    if (last > 0 && calls->signatures.items[last - 1] == process->signatures.items[call]) {
        calls->calls.items[last - 1].count++;
        calls->calls.items[last - 1].time += time;
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
    sequences.group_keys = keys.groups;
    sequences.location_keys = keys.locations;
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
    else if (quipu__comparison_times_differ(compared->comparison, times, one->time, other->time))
        add_row(compared, times, one, false, one->time, other->time);
}

static void take_step(struct compared_rank *compared, const struct quipu__edit_step *step) {
    const size_t counts = quipu__comparison_measure_of(QUIPU__COMPARE_calls);
    if (step->edit == QUIPU__EDIT_REMOVE) {
        const struct quipu__compared_call *call = &compared->sides[0]->calls.items[step->a];
        add_row(compared, counts, call, false, call->count, 0);
    } else {
        const struct quipu__compared_call *call = &compared->sides[1]->calls.items[step->b];
        add_row(compared, counts, call, true, 0, call->count);
    }
}

static void walk(struct compared_rank *compared, const struct quipu__edit_script *script) {
    size_t a = 0, b = 0;
    for (size_t i = 0; i <= script->steps.count; i++) {
        const struct quipu__edit_step *step = i < script->steps.count ? &script->steps.items[i] : NULL;
        const size_t until = step ? step->a : script->a;
        while (a < until && compared->differences < DIFFERENCES_MOST)
            compare_elements(compared, a++, b++);
        if (!step || compared->differences == DIFFERENCES_MOST)
            return;
        take_step(compared, step);
        a = step->a + (step->edit == QUIPU__EDIT_REMOVE);
        b = step->b + (step->edit == QUIPU__EDIT_ADD);
    }
}

static bool compare_rank(struct quipu__comparison *comparison, size_t rank) {
    static const struct quipu__compared_calls none;
    struct compared_rank compared = {.comparison = comparison, .rank = (int64_t)rank};
    struct quipu__edit_script script;
    for (int side = 0; side < QUIPU__SIDES; side++)
        compared.sides[side] =
            rank < comparison->calls[side].count ? &comparison->calls[side].items[rank] : &none;
    const bool has_memory = quipu__edit_script_find(
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
