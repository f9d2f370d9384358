/* breakdown.c: how many CPUs do what: one value per physical CPU, sorted, so that equal values are side by side:
 *
 *     nosv, nanos6: idle state 100 (progressing): the type of the task in its body, else the subsystem, else 2 (unknown);
 *                   any other idle state: itself
 *     openmp:       the label, else the subsystem
 *
 * What is shown is chosen only when the deciding channel is written (README.md). */
#include "formats/ovni/emulation.h"

#include <string.h>
#include "core/bisect.h"

#define UNKNOWN_SUBSYSTEM 2

/* Inputs of a CPU: the one that decides first is last. */
enum { INPUT_TYPE, INPUT_SUBSYSTEM, INPUT_LAST, INPUTS };

enum { CHOSEN_UNKNOWN = INPUTS };

static const struct breakdown_row {
    uint8_t model, view, in_body;
    uint16_t type;
    uint8_t channels[INPUTS];
} rows[QUIPU__OVNI_TASKINGS] = {
    [QUIPU__OVNI_TASKING_NOSV] = {QUIPU__OVNI_MODEL_nosv,
                                  QUIPU__OVNI_VIEW_NOSV,
                                  11,
                                  17,
                                  {QUIPU__OVNI_CHANNEL_nosv_task_type, QUIPU__OVNI_CHANNEL_nosv_subsystem,
                                   QUIPU__OVNI_CHANNEL_nosv_idle}},
    [QUIPU__OVNI_TASKING_NANOS6] = {QUIPU__OVNI_MODEL_nanos6,
                                    QUIPU__OVNI_VIEW_NANOS6,
                                    1,
                                    41,
                                    {QUIPU__OVNI_CHANNEL_nanos6_task_type, QUIPU__OVNI_CHANNEL_nanos6_subsystem,
                                     QUIPU__OVNI_CHANNEL_nanos6_idle}},
    [QUIPU__OVNI_TASKING_OPENMP] = {
        QUIPU__OVNI_MODEL_openmp,
        QUIPU__OVNI_VIEW_OPENMP,
        0,
        53,
        {QUIPU__OVNI_CHANNEL_none, QUIPU__OVNI_CHANNEL_openmp_subsystem, QUIPU__OVNI_CHANNEL_openmp_label}}};

struct input {
    bool is_set, is_written;
    int64_t value;
};

struct share {
    struct input inputs[INPUTS];
    uint8_t chosen;  /* among task type, subsystem, unknown */
    bool shows_last; /* the last input, not the chosen one */
    bool is_touched;
    bool is_physical;
    int64_t value; /* 0: none */
};

struct quipu__ovni_breakdown {
    const struct breakdown_row *row;
    uint32_t slots[INPUTS];
    struct share *shares;      /* by CPU */
    uint32_t rows;             /* physical CPUs */
    int64_t *sorted, *written; /* by row: now, and after the previous event */
    struct quipu__ovni_output *outputs;
    QUIPU__VEC(uint32_t) touched;
    bool has_changed; /* since the first change all rows have a value */
};

/* ---- Making ---- */

static bool init_shares(struct quipu__ovni_emulation *emulation, struct quipu__ovni_breakdown *breakdown) {
    const struct quipu__ovni_system *system = emulation->system;
    const size_t cpus = system->cpus.count;
    const bool is_idle = breakdown->row->model != QUIPU__OVNI_MODEL_openmp;
    breakdown->rows = system->physical_cpus;
    breakdown->shares = quipu__arena_alloc(&emulation->arena, (cpus + 1) * sizeof *breakdown->shares);
    breakdown->sorted = quipu__arena_alloc(&emulation->arena, (cpus + 1) * sizeof *breakdown->sorted);
    breakdown->written = quipu__arena_alloc(&emulation->arena, (cpus + 1) * sizeof *breakdown->written);
    breakdown->outputs = quipu__arena_alloc(&emulation->arena, (cpus + 1) * sizeof *breakdown->outputs);
    if (!breakdown->shares || !breakdown->sorted || !breakdown->written || !breakdown->outputs)
        return false;
    memset(breakdown->shares, 0, (cpus + 1) * sizeof *breakdown->shares);
    memset(breakdown->outputs, 0, (cpus + 1) * sizeof *breakdown->outputs);
    for (size_t i = 0; i < cpus; i++) {
        struct share *share = &breakdown->shares[i];
        share->is_physical = system->cpus.items[i].index >= 0;
        share->chosen = is_idle ? (uint8_t)CHOSEN_UNKNOWN : (uint8_t)INPUT_SUBSYSTEM;
        share->shows_last = is_idle;
        breakdown->sorted[i] = breakdown->written[i] = 0;
    }
    return true;
}

enum quipu_status quipu__ovni_breakdown_init(struct quipu__ovni_emulation *emulation, struct quipu_error *err) {
    for (unsigned tasking = 0; tasking < QUIPU__OVNI_TASKINGS; tasking++) {
        const struct breakdown_row *row = &rows[tasking];
        const bool is_wanted = tasking == QUIPU__OVNI_TASKING_NOSV ? emulation->system->can_break_down
                                                                   : emulation->system->is_enabled[row->model];
        struct quipu__ovni_breakdown *breakdown =
            is_wanted ? quipu__arena_alloc(&emulation->arena, sizeof *breakdown) : NULL;
        if (!is_wanted)
            continue;
        if (!breakdown)
            return quipu__no_memory(err, sizeof *breakdown);
        *breakdown = (struct quipu__ovni_breakdown){.row = row};
        for (unsigned i = 0; i < INPUTS; i++) {
            breakdown->slots[i] = emulation->slot_of[row->channels[i]];
            if (breakdown->slots[i] != QUIPU_NONE)
                emulation->slots.items[breakdown->slots[i]].breaks_down = true;
        }
        emulation->breakdowns[tasking] = breakdown;
        if (!init_shares(emulation, breakdown))
            return quipu__no_memory(err, emulation->system->cpus.count);
    }
    return QUIPU_OK;
}

/* ---- During an event ---- */

void quipu__ovni_breakdown_note(struct quipu__ovni_emulation *emulation, uint32_t cpu, uint32_t slot,
                                bool is_set, int64_t value) {
    for (unsigned tasking = 0; tasking < QUIPU__OVNI_TASKINGS; tasking++) {
        struct quipu__ovni_breakdown *breakdown = emulation->breakdowns[tasking];
        struct share *share = breakdown ? &breakdown->shares[cpu] : NULL;
        for (unsigned i = 0; share && share->is_physical && i < INPUTS; i++) {
            if (breakdown->slots[i] != slot)
                continue;
            share->inputs[i] = (struct input){is_set, true, value};
            uint32_t *touched =
                share->is_touched ? NULL : QUIPU__VEC_ADD(emulation->memory, &breakdown->touched);
            share->is_touched = true;
            if (touched)
                *touched = cpu;
        }
    }
}

/* ---- After it ---- */

static int64_t value_of(const struct input *input) {
    return input->is_set ? input->value : 0;
}

/* The value of a CPU that has inputs written. */
static int64_t choose(const struct breakdown_row *row, struct share *share) {
    const struct input *subsystem = &share->inputs[INPUT_SUBSYSTEM], *last = &share->inputs[INPUT_LAST];
    const bool has_tasks = row->model != QUIPU__OVNI_MODEL_openmp;
    if (has_tasks && subsystem->is_written) {
        const bool is_in_body = subsystem->is_set && subsystem->value == row->in_body;
        share->chosen = subsystem->is_set ? INPUT_SUBSYSTEM : CHOSEN_UNKNOWN;
        if (is_in_body && share->inputs[INPUT_TYPE].is_set)
            share->chosen = INPUT_TYPE;
    }
    if (last->is_written)
        share->shows_last = has_tasks ? !last->is_set || last->value != QUIPU__OVNI_PROGRESSING : last->is_set;
    for (unsigned i = 0; i < INPUTS; i++)
        share->inputs[i].is_written = false;
    share->is_touched = false;
    if (share->shows_last)
        return value_of(last);
    return share->chosen == CHOSEN_UNKNOWN ? UNKNOWN_SUBSYSTEM : value_of(&share->inputs[share->chosen]);
}

/* The position of the first sorted value that is not less than a value. */
static uint32_t position_of(const struct quipu__ovni_breakdown *breakdown, int64_t value) {
    size_t low = 0;
    QUIPU__BISECT(low, breakdown->rows, i, breakdown->sorted[i] < value);
    return (uint32_t)low;
}

/* Replaces one of the sorted values; rows between the two positions shift. */
static void replace(struct quipu__ovni_breakdown *breakdown, int64_t old, int64_t value, uint32_t *first,
                    uint32_t *last) {
    int64_t *sorted = breakdown->sorted;
    uint32_t from = position_of(breakdown, old), to = position_of(breakdown, value);
    if (to > from) {
        to--;
        memmove(&sorted[from], &sorted[from + 1], (to - from) * sizeof *sorted);
    } else {
        memmove(&sorted[to + 1], &sorted[to], (from - to) * sizeof *sorted);
    }
    sorted[to] = value;
    const uint32_t low = from < to ? from : to, high = from < to ? to : from;
    *first = low < *first ? low : *first;
    *last = high + 1 > *last ? high + 1 : *last;
}

static void reconcile(struct quipu__ovni_emulation *emulation, struct quipu__ovni_breakdown *breakdown) {
    const struct quipu__ovni_print style =
        quipu__ovni_print_of(breakdown->row->type, QUIPU__OVNI_PRINT_SKIPDUP, true, 0);
    uint32_t first = breakdown->rows, last = 0;
    for (size_t i = 0; i < breakdown->touched.count; i++) {
        struct share *share = &breakdown->shares[breakdown->touched.items[i]];
        const int64_t value = choose(breakdown->row, share);
        if (value != share->value)
            replace(breakdown, share->value, value, &first, &last);
        share->value = value;
    }
    breakdown->touched.count = 0;
    const bool is_first = !breakdown->has_changed && first < last;
    breakdown->has_changed |= is_first;
    for (uint32_t i = is_first ? 0 : first; i < (is_first ? breakdown->rows : last); i++) {
        if (is_first || breakdown->written[i] != breakdown->sorted[i])
            quipu__ovni_print(emulation, (enum quipu__ovni_view)breakdown->row->view, i, &breakdown->outputs[i],
                              &style, true, breakdown->sorted[i]);
        breakdown->written[i] = breakdown->sorted[i];
    }
}

void quipu__ovni_breakdown_reconcile(struct quipu__ovni_emulation *emulation) {
    for (unsigned tasking = 0; tasking < QUIPU__OVNI_TASKINGS; tasking++)
        if (emulation->breakdowns[tasking] && emulation->breakdowns[tasking]->touched.count > 0)
            reconcile(emulation, emulation->breakdowns[tasking]);
}

void quipu__ovni_breakdown_release(struct quipu__ovni_emulation *emulation) {
    for (unsigned tasking = 0; tasking < QUIPU__OVNI_TASKINGS; tasking++)
        if (emulation->breakdowns[tasking])
            QUIPU__VEC_RELEASE(emulation->memory, &emulation->breakdowns[tasking]->touched);
}
