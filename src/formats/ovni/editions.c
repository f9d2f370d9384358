/* editions.c: see emulation.h. */
#include "formats/ovni/emulation.h"

static const struct {
    uint32_t label_base;
} editions[QUIPU__OVNI_EDITIONS] = {
#define EDITION(edition, label_base) {label_base},
#include "formats/ovni/editions.def"
};

static const struct {
    uint8_t edition, model, needs;
} models[] = {
#define OLD_MODEL(edition, model, needs)                                                                       \
    {QUIPU__OVNI_EDITION_##edition, QUIPU__OVNI_MODEL_##model, (uint8_t)QUIPU__OVNI_WHEN_##needs},
#include "formats/ovni/editions.def"
};

const struct quipu__ovni_edition_output quipu__ovni_edition_outputs[] = {
#define OUTPUT(edition, subject, channel, when, thread_type, cpu_type, thread_title, cpu_title)                \
    {QUIPU__OVNI_EDITION_##edition,                                                                            \
     QUIPU__OVNI_SUBJECT_##subject,                                                                            \
     QUIPU__OVNI_CHANNEL_##channel,                                                                            \
     (uint8_t)QUIPU__OVNI_WHEN_##when,                                                                         \
     {{thread_type, thread_title}, {cpu_type, cpu_title}}},
#include "formats/ovni/editions.def"
};
const size_t quipu__ovni_edition_output_count =
    sizeof quipu__ovni_edition_outputs / sizeof *quipu__ovni_edition_outputs;

const uint8_t quipu__ovni_edition_beginning[] = {
#define BEGINNING(channel) QUIPU__OVNI_CHANNEL_##channel,
#include "formats/ovni/editions.def"
};
const size_t quipu__ovni_edition_beginning_count = sizeof quipu__ovni_edition_beginning;

const struct quipu__ovni_value_row quipu__ovni_edition_values[] = {
#define OLD_VALUE(channel, value, text) {QUIPU__OVNI_CHANNEL_##channel, value, text},
#include "formats/ovni/editions.def"
};
const size_t quipu__ovni_edition_value_count =
    sizeof quipu__ovni_edition_values / sizeof *quipu__ovni_edition_values;

uint8_t quipu__ovni_edition_needs(enum quipu__ovni_edition edition, uint32_t model) {
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        if (models[i].edition == edition && models[i].model == model)
            return models[i].needs;
    return 0;
}

uint32_t quipu__ovni_edition_label_base(enum quipu__ovni_edition edition) {
    return editions[edition].label_base;
}

/* ---- Events ---- */

static bool is_channel_of(enum quipu__ovni_edition edition, uint8_t channel) {
    for (size_t i = 0; i < quipu__ovni_edition_output_count; i++)
        if (quipu__ovni_edition_outputs[i].edition == edition &&
            quipu__ovni_edition_outputs[i].channel == channel)
            return true;
    return false;
}

/* Whether editions.def lists the events of a channel. */
static bool is_listed(uint8_t channel) {
    for (size_t i = 0; i < quipu__ovni_old_event_count; i++)
        if (quipu__ovni_events[quipu__ovni_event_count + i].channel == channel)
            return true;
    return false;
}

const struct quipu__ovni_event_row *quipu__ovni_old_row(uint8_t model, uint8_t category, uint8_t value) {
    for (size_t i = 0; i < quipu__ovni_old_event_count; i++) {
        const struct quipu__ovni_event_row *row = &quipu__ovni_events[quipu__ovni_event_count + i];
        const bool is_gone = row->model == QUIPU__OVNI_MODEL_tampi || row->model == QUIPU__OVNI_MODEL_mpi;
        if (is_gone && (uint8_t)row->code[0] == model && (uint8_t)row->code[1] == category &&
            (uint8_t)row->code[2] == value)
            return row;
    }
    return NULL;
}

static bool writes_channel(const struct quipu__ovni_event_row *row) {
    return row->effect == QUIPU__OVNI_PUSH || row->effect == QUIPU__OVNI_POP || row->effect == QUIPU__OVNI_SET;
}

static void put_row(struct quipu__ovni_dictionary *dictionary, size_t row, uint16_t number) {
    const struct quipu__ovni_event_row *event = &quipu__ovni_events[row];
    dictionary->rows[event->model][(uint8_t)event->code[1] - QUIPU__OVNI_FIRST_CHARACTER]
                    [(uint8_t)event->code[2] - QUIPU__OVNI_FIRST_CHARACTER] = number;
}

void quipu__ovni_edition_dictionary(struct quipu__ovni_dictionary *dictionary,
                                    enum quipu__ovni_edition edition) {
    if (edition == QUIPU__OVNI_EDITION_today)
        return;
    for (size_t i = 0; i < quipu__ovni_event_count; i++) {
        const struct quipu__ovni_event_row *row = &quipu__ovni_events[i];
        if (writes_channel(row) && (is_listed(row->channel) || !is_channel_of(edition, row->channel)))
            put_row(dictionary, i, 0);
    }
    for (size_t i = quipu__ovni_event_count; i < quipu__ovni_event_count + quipu__ovni_old_event_count; i++)
        if (is_channel_of(edition, quipu__ovni_events[i].channel))
            put_row(dictionary, i, (uint16_t)(i + 1));
}
