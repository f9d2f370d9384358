/* views.c: names of rows, types and values of an emulation. */
#include "formats/ovni/views.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *const quipu__ovni_view_names[QUIPU__OVNI_VIEWS] = {"thread", "cpu", "nosv-breakdown",
                                                               "nanos6-breakdown", "openmp-breakdown"};

/* What views of breakdowns show. */
static const struct {
    uint8_t model, subsystem, idle, labels; /* channels whose values are named */
    uint16_t type;
    const char *title;
} breakdowns[QUIPU__OVNI_VIEWS] = {
    [QUIPU__OVNI_VIEW_NOSV] = {QUIPU__OVNI_MODEL_nosv, QUIPU__OVNI_CHANNEL_nosv_subsystem,
                               QUIPU__OVNI_CHANNEL_nosv_idle, QUIPU__OVNI_CHANNEL_nosv_task_type, 17,
                               "CPU: nOS-V Runtime/Idle/Task breakdown"},
    [QUIPU__OVNI_VIEW_NANOS6] = {QUIPU__OVNI_MODEL_nanos6, QUIPU__OVNI_CHANNEL_nanos6_subsystem,
                                 QUIPU__OVNI_CHANNEL_nanos6_idle, QUIPU__OVNI_CHANNEL_nanos6_task_type, 41,
                                 "CPU: Nanos6 Runtime/Idle/Task breakdown"},
    [QUIPU__OVNI_VIEW_OPENMP] = {QUIPU__OVNI_MODEL_openmp, QUIPU__OVNI_CHANNEL_openmp_subsystem,
                                 QUIPU__OVNI_CHANNEL_none, QUIPU__OVNI_CHANNEL_openmp_label, 53,
                                 "CPU: OpenMP Runtime/Label breakdown"},
};

static bool is_breakdown(enum quipu__ovni_view view) {
    return view >= QUIPU__OVNI_VIEW_NOSV;
}

bool quipu__ovni_has_view(const struct quipu__ovni_emulation *emulation, enum quipu__ovni_view view) {
    return !is_breakdown(view) || emulation->breakdowns[view - QUIPU__OVNI_VIEW_NOSV] != NULL;
}

uint32_t quipu__ovni_view_rows(const struct quipu__ovni_emulation *emulation, enum quipu__ovni_view view) {
    const struct quipu__ovni_system *system = emulation->system;
    return (uint32_t)(view == QUIPU__OVNI_VIEW_THREAD ? system->threads.count
                      : view == QUIPU__OVNI_VIEW_CPU  ? system->cpus.count
                                                      : system->physical_cpus);
}

/* ---- Rows ---- */

static void put_row_name(const struct quipu__ovni_system *system, enum quipu__ovni_view view, uint32_t row,
                         struct quipu__buffer *out) {
    char name[64];
    if (view == QUIPU__OVNI_VIEW_CPU) {
        quipu__row_name(out, system->cpus.items[row].name);
        return;
    }
    if (is_breakdown(view))
        snprintf(name, sizeof name, "~CPU %4" PRIu32, system->physical_cpus - row);
    else
        snprintf(name, sizeof name, "TH %" PRId64 ".%" PRId64,
                 system->processes.items[system->threads.items[row].process].app_id,
                 system->threads.items[row].tid);
    quipu__row_name(out, name);
}

void quipu__ovni_put_row(const struct quipu__ovni_emulation *emulation, enum quipu__ovni_view view,
                         struct quipu__buffer *out) {
    const uint32_t rows = quipu__ovni_view_rows(emulation, view);
    quipu__row_begin(out, rows);
    for (uint32_t i = 0; i < rows; i++)
        put_row_name(emulation->system, view, i, out);
}

/* ---- Values ---- */

static void put_values(uint32_t channel, struct quipu__buffer *out) {
    for (size_t i = 0; i < quipu__ovni_value_count; i++)
        if (quipu__ovni_values[i].channel == channel)
            quipu__pcf_value(out, quipu__ovni_values[i].value, quipu__ovni_values[i].text);
}

/* The labels of types, each number once. */
static void put_type_labels(const struct quipu__ovni_emulation *emulation, enum quipu__ovni_tasking tasking,
                            struct quipu__buffer *out) {
    struct quipu__map known;
    quipu__map_init(&known, emulation->memory);
    for (size_t p = 0; p < emulation->system->processes.count; p++) {
        const struct quipu__ovni_task_table *table = &emulation->tables[p][tasking];
        for (size_t i = 0; i < table->type_list.count; i++) {
            const struct quipu__ovni_type *type = &table->type_list.items[i];
            if (quipu__map_get(&known, type->number) != QUIPU_NONE)
                continue;
            quipu__pcf_value(out, type->number, type->label);
            quipu__gate_knows(quipu__map_put(&known, type->number, 1));
        }
    }
    quipu__map_release(&known);
}

static void put_labels_of(const struct quipu__ovni_emulation *emulation, uint32_t channel, bool is_whole,
                          struct quipu__buffer *out) {
    if (channel == QUIPU__OVNI_CHANNEL_nanos6_task_type)
        put_type_labels(emulation, QUIPU__OVNI_TASKING_NANOS6, out);
    if (channel == QUIPU__OVNI_CHANNEL_openmp_label)
        put_type_labels(emulation, QUIPU__OVNI_TASKING_OPENMP, out);
    if (channel == QUIPU__OVNI_CHANNEL_nosv_task_type && is_whole)
        put_type_labels(emulation, QUIPU__OVNI_TASKING_NOSV, out);
}

/* Values of marks have 32 bits here. */
static bool put_mark_labels(struct quipu__ovni_emulation *emulation, const struct quipu__ovni_mark *mark,
                            struct quipu__buffer *out) {
    for (size_t i = 0; i < mark->labels.count; i++) {
        const int32_t value = (int32_t)(uint32_t)(uint64_t)mark->labels.items[i].value;
        for (size_t k = 0; k < i; k++)
            if ((int32_t)(uint32_t)(uint64_t)mark->labels.items[k].value == value)
                return quipu__ovni_breaks(emulation, QUIPU__OVNI_RULE_MARK, "values that differ in 32 bits",
                                          "%s and %s", mark->labels.items[k].text, mark->labels.items[i].text);
        quipu__pcf_value(out, value, mark->labels.items[i].text);
    }
    return true;
}

/* ---- Types ---- */

static void put_thread_types(const struct quipu__ovni_system *system, struct quipu__buffer *out) {
    static const char *const states[] = {"Unknown", "Running", "Paused", "Dead", "Cooling", "Warming"};
    quipu__pcf_type(out, QUIPU__OVNI_TYPE_AFFINITY, "Thread: CPU affinity");
    for (size_t i = 0; i < system->cpus.count; i++)
        quipu__pcf_value(out, (int64_t)i + 1, system->cpus.items[i].name);
    quipu__pcf_type(out, QUIPU__OVNI_TYPE_TID, "Thread: TID of the ACTIVE thread");
    quipu__pcf_type(out, QUIPU__OVNI_TYPE_STATE, "Thread: thread state");
    for (unsigned i = 0; i < sizeof states / sizeof *states; i++)
        quipu__pcf_value(out, i, states[i]);
}

static const char *suffix_of(const struct quipu__ovni_slot *slot, enum quipu__ovni_view view) {
    if (view == QUIPU__OVNI_VIEW_CPU)
        return "of the RUNNING thread";
    return slot->when == QUIPU__OVNI_WHEN_ANY       ? ""
           : slot->when == QUIPU__OVNI_WHEN_RUNNING ? "of the RUNNING thread"
                                                    : "of the ACTIVE thread";
}

static bool put_slot(struct quipu__ovni_emulation *emulation, const struct quipu__ovni_slot *slot,
                     enum quipu__ovni_view view, bool is_whole, struct quipu__buffer *out) {
    const bool is_channel = slot->channel != QUIPU__OVNI_CHANNEL_none;
    const bool is_mark = !is_channel && slot->print.type.number < QUIPU__OVNI_TYPE_COUNTERS;
    char label[QUIPU__OVNI_LABEL_MOST + 64];
    snprintf(label, sizeof label, is_channel ? "%s %s" : "%s", slot->title, suffix_of(slot, view));
    quipu__pcf_type(out, slot->print.type.number, label);
    if (is_mark)
        return put_mark_labels(emulation, &emulation->system->marks[slot->mark], out);
    if (is_channel)
        put_values(slot->channel, out);
    put_labels_of(emulation, slot->channel, is_whole, out);
    return true;
}

static void put_breakdown(const struct quipu__ovni_emulation *emulation, enum quipu__ovni_view view,
                          struct quipu__buffer *out) {
    quipu__pcf_type(out, breakdowns[view].type, breakdowns[view].title);
    put_values(breakdowns[view].subsystem, out);
    put_values(breakdowns[view].idle, out);
    put_labels_of(emulation, breakdowns[view].labels, true, out);
}

bool quipu__ovni_put_pcf(struct quipu__ovni_emulation *emulation, enum quipu__ovni_view view, bool is_whole,
                         struct quipu__buffer *out) {
    bool is_sound = true;
    quipu__pcf_begin(out);
    if (view == QUIPU__OVNI_VIEW_THREAD)
        put_thread_types(emulation->system, out);
    for (size_t i = 0; i < emulation->slots.count && !is_breakdown(view); i++)
        is_sound &= put_slot(emulation, &emulation->slots.items[i], view, is_whole, out);
    if (is_breakdown(view))
        put_breakdown(emulation, view, out);
    return is_sound;
}
