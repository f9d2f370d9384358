/* views.c: names of rows, types and values of an emulation. */
#include "formats/ovni/views.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *const quipu__ovni_view_names[QUIPU__OVNI_VIEWS] = {"thread", "cpu", "nosv-breakdown",
                                                               "nanos6-breakdown", "openmp-breakdown"};

/* Contents of the breakdown views. */
static const struct {
    uint8_t model, subsystem, idle, labels; /* channels whose values have names */
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
    if (view == QUIPU__OVNI_VIEW_THREAD)
        return (uint32_t)system->threads.count;
    return (uint32_t)(view == QUIPU__OVNI_VIEW_CPU ? system->cpus.count : system->physical_cpus);
}

/* ---- Rows ---- */

#define CPU_NAME_MOST 64

/* " CPU 0.3" by its physical number, or "vCPU 0.*"; older editions name both CPU, and number the CPUs of a
 * loom. */
static const char *cpu_name(const struct quipu__ovni_emulation *emulation, size_t number,
                            char name[CPU_NAME_MOST]) {
    const struct quipu__ovni_cpu *cpu = &emulation->system->cpus.items[number];
    if (emulation->edition == QUIPU__OVNI_EDITION_today)
        return cpu->name;
    if (cpu->index < 0)
        snprintf(name, CPU_NAME_MOST, "CPU %u.*", cpu->loom);
    else
        snprintf(name, CPU_NAME_MOST, "CPU %u.%" PRId64, cpu->loom, cpu->index);
    return name;
}

static void put_row_name(const struct quipu__ovni_emulation *emulation, enum quipu__ovni_view view,
                         uint32_t row, struct quipu__buffer *out) {
    const struct quipu__ovni_system *system = emulation->system;
    char name[CPU_NAME_MOST];
    if (view == QUIPU__OVNI_VIEW_CPU) {
        quipu__row_name(out, cpu_name(emulation, row, name));
        return;
    }
    if (is_breakdown(view))
        snprintf(name, sizeof name, "~CPU %4" PRIu32, system->physical_cpus - row);
    else
        snprintf(name, sizeof name, "%s %" PRId64 ".%" PRId64,
                 emulation->edition == QUIPU__OVNI_EDITION_today ? "TH" : "THREAD",
                 system->processes.items[system->threads.items[row].process].app_id,
                 system->threads.items[row].tid);
    quipu__row_name(out, name);
}

void quipu__ovni_put_row(const struct quipu__ovni_emulation *emulation, enum quipu__ovni_view view,
                         struct quipu__buffer *out) {
    const uint32_t rows = quipu__ovni_view_rows(emulation, view);
    quipu__row_begin(out, rows);
    for (uint32_t i = 0; i < rows; i++)
        put_row_name(emulation, view, i, out);
}

/* ---- Values ---- */

static void put_values(uint32_t channel, struct quipu__buffer *out) {
    for (size_t i = 0; i < quipu__ovni_value_count; i++)
        if (quipu__ovni_values[i].channel == channel)
            quipu__pcf_value(out, quipu__ovni_values[i].value, quipu__ovni_values[i].text);
}

/* Puts the labels of types, each number once. */
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
    struct quipu__map known;
    uint32_t other = QUIPU_NONE;
    quipu__map_init(&known, emulation->memory);
    for (size_t i = 0; i < mark->labels.count && other == QUIPU_NONE; i++) {
        const uint32_t value = (uint32_t)(uint64_t)mark->labels.items[i].value;
        other = quipu__map_get(&known, value);
        if (other != QUIPU_NONE)
            quipu__ovni_breaks(emulation, QUIPU__OVNI_RULE_MARK, "values that differ in 32 bits", "%s and %s",
                               mark->labels.items[other].text, mark->labels.items[i].text);
        else
            quipu__pcf_value(out, (int32_t)value, mark->labels.items[i].text);
        quipu__gate_knows(quipu__map_put(&known, value, (uint32_t)i));
    }
    quipu__map_release(&known);
    return other == QUIPU_NONE;
}

/* ---- Types ---- */

static void put_old_values(uint32_t channel, struct quipu__buffer *out) {
    for (size_t i = 0; i < quipu__ovni_edition_value_count; i++)
        if (quipu__ovni_edition_values[i].channel == channel)
            quipu__pcf_value(out, quipu__ovni_edition_values[i].value, quipu__ovni_edition_values[i].text);
}

/* Puts names of values of threads and CPUs themselves, not of their channels. */
static void put_subject_values(const struct quipu__ovni_emulation *emulation, uint8_t subject,
                               enum quipu__ovni_view view, struct quipu__buffer *out) {
    static const char *const states[] = {"Unknown", "Running", "Paused", "Dead", "Cooling", "Warming"};
    char name[CPU_NAME_MOST];
    if (emulation->edition != QUIPU__OVNI_EDITION_today && subject != QUIPU__OVNI_SUBJECT_STATE)
        quipu__pcf_value(out, QUIPU__OVNI_SEVERAL_THREADS, "Unknown: Multiple threads running");
    if (subject == QUIPU__OVNI_SUBJECT_AFFINITY && view == QUIPU__OVNI_VIEW_THREAD)
        for (size_t i = 0; i < emulation->system->cpus.count; i++)
            quipu__pcf_value(out, (int64_t)i + 1, cpu_name(emulation, i, name));
    if (subject == QUIPU__OVNI_SUBJECT_STATE)
        for (unsigned i = 0; i < sizeof states / sizeof *states; i++)
            quipu__pcf_value(out, i, states[i]);
}

/* The types that editions.def lists for a view. */
static void put_listed_types(const struct quipu__ovni_emulation *emulation, enum quipu__ovni_view view,
                             struct quipu__buffer *out) {
    for (size_t i = 0; i < quipu__ovni_edition_output_count; i++) {
        const struct quipu__ovni_edition_output *output = &quipu__ovni_edition_outputs[i];
        if (output->edition != emulation->edition || !output->at[view].title)
            continue;
        quipu__pcf_type(out, output->at[view].type, output->at[view].title);
        if (output->subject != QUIPU__OVNI_SUBJECT_CHANNEL) {
            put_subject_values(emulation, output->subject, view, out);
            continue;
        }
        put_old_values(output->channel, out);
        put_labels_of(emulation, output->channel, true, out);
    }
}

static const char *suffix_of(const struct quipu__ovni_slot *slot, enum quipu__ovni_view view) {
    if (view == QUIPU__OVNI_VIEW_CPU || slot->when == QUIPU__OVNI_WHEN_RUNNING)
        return "of the RUNNING thread";
    return slot->when == QUIPU__OVNI_WHEN_ANY ? "" : "of the ACTIVE thread";
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
    if (!is_breakdown(view))
        put_listed_types(emulation, view, out);
    const bool is_today =
        emulation->edition == QUIPU__OVNI_EDITION_today; /* its channels are not listed there */
    for (size_t i = 0; is_today && i < emulation->slots.count && !is_breakdown(view); i++)
        is_sound &= put_slot(emulation, &emulation->slots.items[i], view, is_whole, out);
    if (is_breakdown(view))
        put_breakdown(emulation, view, out);
    return is_sound;
}
