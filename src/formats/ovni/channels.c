/* channels.c: writing the channels of threads, and the resulting lines. */
#include "formats/ovni/emulation.h"

#include <inttypes.h>

/* ---- Lines ---- */

/* Whether an output prints a value again that it printed last. */
static bool repeats(struct quipu__ovni_emulation *emulation, const struct quipu__ovni_print *style, bool is_set,
                    int64_t value, bool *prints) {
    const bool is_skipped = style->printing == QUIPU__OVNI_PRINT_SKIPDUP ||
                            (style->printing == QUIPU__OVNI_PRINT_SKIPNULL && !is_set);
    *prints = !is_skipped && style->printing != QUIPU__OVNI_PRINT_ONCE;
    return is_skipped || *prints ||
           quipu__ovni_breaks(emulation, QUIPU__OVNI_RULE_SAME_VALUE, "another value", "%" PRId64, value);
}

QUIPU__INLINE bool print(struct quipu__ovni_emulation *emulation, enum quipu__ovni_view view, uint32_t row,
                         struct quipu__ovni_output *output, const struct quipu__ovni_print *style, bool is_set,
                         int64_t value) {
    const uint8_t printed = is_set ? QUIPU__OVNI_PRINTED_VALUE : QUIPU__OVNI_PRINTED_NULL;
    bool prints = true;
    if (output->printed == printed && (!is_set || output->last == value) &&
        !repeats(emulation, style, is_set, value, &prints))
        return false;
    if (!prints)
        return true;
    output->printed = printed;
    output->last = value;
    const int64_t number = is_set ? (int64_t)((uint64_t)value + style->add) : 0;
    if (is_set && number == 0 && !style->shows_zero)
        return quipu__ovni_breaks(emulation, QUIPU__OVNI_RULE_VALUE_ZERO, "another value", "0");
    if (!emulation->lines[view])
        return true;
    quipu__prv_set_tail(&emulation->tail, emulation->time, &style->type, number);
    quipu__prv_put(emulation->lines[view], row + 1, &emulation->tail);
    return true;
}

bool quipu__ovni_print(struct quipu__ovni_emulation *emulation, enum quipu__ovni_view view, uint32_t row,
                       struct quipu__ovni_output *output, const struct quipu__ovni_print *style, bool is_set,
                       int64_t value) {
    return print(emulation, view, row, output, style, is_set, value);
}

/* ---- Showing ---- */

/* The state of a CPU on which not exactly one thread runs. */
#define IDLE_RESTING 101

QUIPU__INLINE bool show_on_cpu(struct quipu__ovni_emulation *emulation, uint32_t cpu, uint32_t number,
                               bool is_set, int64_t value) {
    const struct quipu__ovni_slot *slot = &emulation->slots.items[number];
    if (slot->breaks_down)
        quipu__ovni_breakdown_note(emulation, cpu, number, is_set, value);
    return print(emulation, QUIPU__OVNI_VIEW_CPU, cpu, &emulation->cpus[cpu].outputs[number], &slot->cpu_print,
                 is_set, value);
}

/* Shows a new value of a thread's channel. */
static bool show(struct quipu__ovni_emulation *emulation, uint32_t thread, uint32_t number) {
    struct quipu__ovni_thread_state *state = &emulation->threads[thread];
    const struct quipu__ovni_slot *slot = &emulation->slots.items[number];
    const struct quipu__ovni_values *values = &state->channels[number];
    const bool is_set = values->count > 0;
    if ((slot->when >> state->state & 1) != 0 &&
        !print(emulation, QUIPU__OVNI_VIEW_THREAD, thread, &state->outputs[number], &slot->print, is_set,
               values->top))
        return false;
    return state->selected_by == QUIPU_NONE ||
           show_on_cpu(emulation, state->selected_by, number, is_set, values->top);
}

bool quipu__ovni_show_thread(struct quipu__ovni_emulation *emulation, uint32_t thread) {
    struct quipu__ovni_thread_state *state = &emulation->threads[thread];
    for (uint32_t i = 0; i < emulation->slots.count; i++) {
        const struct quipu__ovni_slot *slot = &emulation->slots.items[i];
        const bool is_open = (slot->when >> state->state & 1) != 0 && state->channels[i].count > 0;
        if (slot->when != QUIPU__OVNI_WHEN_ANY &&
            !quipu__ovni_print(emulation, QUIPU__OVNI_VIEW_THREAD, thread, &state->outputs[i], &slot->print,
                               is_open, state->channels[i].top))
            return false;
    }
    return true;
}

/* Several threads run on a CPU: older editions show that, today's shows nothing. */
static bool show_several(struct quipu__ovni_emulation *emulation, uint32_t cpu) {
    for (uint32_t i = 0; i < emulation->slots.count; i++)
        if (!show_on_cpu(emulation, cpu, i, true, QUIPU__OVNI_SEVERAL_THREADS))
            return false;
    return true;
}

bool quipu__ovni_show_cpu(struct quipu__ovni_emulation *emulation, uint32_t cpu) {
    const uint32_t thread = emulation->cpus[cpu].selected;
    if (emulation->edition != QUIPU__OVNI_EDITION_today && emulation->cpus[cpu].running > 1)
        return show_several(emulation, cpu);
    for (uint32_t i = 0; i < emulation->slots.count; i++) {
        const bool rests = thread == QUIPU_NONE && emulation->slots.items[i].has_idle_default;
        const struct quipu__ovni_values nothing = {.count = rests, .top = rests ? IDLE_RESTING : 0};
        const struct quipu__ovni_values *values =
            thread != QUIPU_NONE ? &emulation->threads[thread].channels[i] : &nothing;
        if (!show_on_cpu(emulation, cpu, i, values->count > 0, values->top))
            return false;
    }
    return true;
}

void quipu__ovni_show_no_value(struct quipu__ovni_emulation *emulation, enum quipu__ovni_view view,
                               uint32_t row, uint32_t channel) {
    const uint32_t number = emulation->slot_of[channel];
    if (number == QUIPU_NONE)
        return;
    if (view == QUIPU__OVNI_VIEW_CPU)
        quipu__gate_knows(show_on_cpu(emulation, row, number, false, 0));
    else
        quipu__gate_knows(print(emulation, view, row, &emulation->threads[row].outputs[number],
                                &emulation->slots.items[number].print, false, 0));
}

/* ---- Writing ---- */

static bool has_value(const struct quipu__ovni_values *values, bool is_set, int64_t value) {
    return is_set ? values->count > 0 && values->top == value : values->count == 0;
}

static bool same_value(struct quipu__ovni_emulation *emulation, const struct quipu__ovni_slot *slot,
                       int64_t value) {
    return quipu__ovni_breaks(emulation, QUIPU__OVNI_RULE_SAME_VALUE, "another value",
                              "%s is %" PRId64 " already", slot->name, value);
}

bool quipu__ovni_set(struct quipu__ovni_emulation *emulation, uint32_t thread, uint32_t number, bool is_set,
                     int64_t value) {
    const struct quipu__ovni_slot *slot = &emulation->slots.items[number];
    struct quipu__ovni_values *values = &emulation->threads[thread].channels[number];
    if (slot->duplicates != QUIPU__OVNI_DUPLICATES_ALLOW && has_value(values, is_set, value))
        return same_value(emulation, slot, value);
    values->count = is_set;
    values->top = value;
    return show(emulation, thread, number);
}

/* Makes room for pushing the current value onto those under it. */
static bool has_room(struct quipu__ovni_emulation *emulation, struct quipu__ovni_values *values) {
    if (values->count <= values->capacity)
        return true;
    const uint32_t capacity = values->capacity ? 2 * values->capacity : 8;
    int64_t *below = quipu__resize(emulation->memory, values->below, values->capacity * sizeof *below,
                                   capacity * sizeof *below);
    if (!below)
        return false;
    values->below = below;
    values->capacity = capacity;
    return true;
}

bool quipu__ovni_push(struct quipu__ovni_emulation *emulation, uint32_t thread, uint32_t number,
                      int64_t value) {
    const struct quipu__ovni_slot *slot = &emulation->slots.items[number];
    struct quipu__ovni_values *values = &emulation->threads[thread].channels[number];
    if (slot->duplicates != QUIPU__OVNI_DUPLICATES_ALLOW && has_value(values, true, value))
        return same_value(emulation, slot, value);
    if (values->count >= QUIPU__OVNI_STACK_MOST)
        return quipu__ovni_breaks(emulation, QUIPU__OVNI_RULE_STACK_FULL, "at most 512 values", "%s",
                                  slot->name);
    if (!has_room(emulation, values))
        return false;
    if (values->count > 0)
        values->below[values->count - 1] = values->top;
    values->count++;
    values->top = value;
    return show(emulation, thread, number);
}

bool quipu__ovni_pop(struct quipu__ovni_emulation *emulation, uint32_t thread, uint32_t number, int64_t value) {
    const struct quipu__ovni_slot *slot = &emulation->slots.items[number];
    struct quipu__ovni_values *values = &emulation->threads[thread].channels[number];
    if (values->count == 0)
        return quipu__ovni_breaks(emulation, QUIPU__OVNI_RULE_POP, "a value that was pushed",
                                  "%" PRId64 " from %s, which is empty", value, slot->name);
    if (values->top != value)
        return quipu__ovni_breaks(emulation, QUIPU__OVNI_RULE_POP, "the latest value",
                                  "%" PRId64 " from %s, whose latest value is %" PRId64, value, slot->name,
                                  values->top);
    values->count--;
    if (values->count > 0)
        values->top = values->below[values->count - 1];
    return show(emulation, thread, number);
}
