/* models.c: events.def as data, the dictionary of events, and the numbers of labels. */
#include "formats/ovni/models.h"

#include <string.h>

const struct quipu__ovni_model_row quipu__ovni_models[QUIPU__OVNI_MODEL_COUNT] = {
#define MODEL(character, name, version, title, needs)                                                          \
    {character, #name, version, title, (uint8_t)QUIPU__OVNI_WHEN_##needs},
#include "formats/ovni/events.def"
};

const uint8_t quipu__ovni_models_by_character[QUIPU__OVNI_MODEL_COUNT] = {
    QUIPU__OVNI_MODEL_nanos6, QUIPU__OVNI_MODEL_nodes,  QUIPU__OVNI_MODEL_kernel, QUIPU__OVNI_MODEL_mpi,
    QUIPU__OVNI_MODEL_ovni,   QUIPU__OVNI_MODEL_openmp, QUIPU__OVNI_MODEL_tampi,  QUIPU__OVNI_MODEL_nosv};

const struct quipu__ovni_channel_row quipu__ovni_channels[QUIPU__OVNI_CHANNEL_COUNT] = {
#define CHANNEL(channel, its_model, its_kind, its_duplicates, its_type, shown, its_printing, its_title,        \
                its_use)                                                                                       \
    [QUIPU__OVNI_CHANNEL_##channel] = {.name = #channel,                                                       \
                                       .title = its_title,                                                     \
                                       .type = its_type,                                                       \
                                       .model = QUIPU__OVNI_MODEL_##its_model,                                 \
                                       .kind = QUIPU__OVNI_KIND_##its_kind,                                    \
                                       .duplicates = QUIPU__OVNI_DUPLICATES_##its_duplicates,                  \
                                       .when = (uint8_t)QUIPU__OVNI_WHEN_##shown,                              \
                                       .printing = QUIPU__OVNI_PRINT_##its_printing,                           \
                                       .use = QUIPU__OVNI_USE_##its_use},
#include "formats/ovni/events.def"
};

const struct quipu__ovni_value_row quipu__ovni_values[] = {
#define VALUE(channel, value, text) {QUIPU__OVNI_CHANNEL_##channel, value, text},
#include "formats/ovni/events.def"
};
const size_t quipu__ovni_value_count = sizeof quipu__ovni_values / sizeof *quipu__ovni_values;

const char *quipu__ovni_value_text(uint32_t channel, int64_t value) {
    for (size_t i = 0; i < quipu__ovni_value_count; i++)
        if (quipu__ovni_values[i].channel == channel && quipu__ovni_values[i].value == value)
            return quipu__ovni_values[i].text;
    return NULL;
}

const struct quipu__ovni_event_row quipu__ovni_events[] = {
#define EVENT(model, code, arguments, effect, channel, value, sentence)                                        \
    {                                                                                                          \
        code,                                                                                                  \
        QUIPU__OVNI_MODEL_##model,                                                                             \
        QUIPU__OVNI_##effect,                                                                                  \
        QUIPU__OVNI_CHANNEL_##channel,                                                                         \
        value,                                                                                                 \
        arguments,                                                                                             \
        sentence},
#include "formats/ovni/events.def"
#define OLD_EVENT(model, code, effect, channel, value)                                                         \
    {code, QUIPU__OVNI_MODEL_##model, QUIPU__OVNI_##effect, QUIPU__OVNI_CHANNEL_##channel, value, "", ""},
#include "formats/ovni/editions.def"
};
#define EVENT(model, code, arguments, effect, channel, value, sentence) +1
const size_t quipu__ovni_event_count = 0
#include "formats/ovni/events.def"
    ;
#define OLD_EVENT(model, code, effect, channel, value) +1
const size_t quipu__ovni_old_event_count = 0
#include "formats/ovni/editions.def"
    ;

/* ---- Finding ---- */

uint32_t quipu__ovni_model_of(uint8_t character) {
    uint32_t model = 0;
    while (model < QUIPU__OVNI_MODEL_COUNT && (uint8_t)quipu__ovni_models[model].character != character)
        model++;
    return model;
}

/* Categories in which any value means the same as this one. */
static const char *const any_value[] = {"OB.", "OU["};

void quipu__ovni_dictionary_init(struct quipu__ovni_dictionary *dictionary) {
    memset(dictionary, 0, sizeof *dictionary);
    for (unsigned c = 0; c < 256; c++)
        dictionary->model[c] = (uint8_t)quipu__ovni_model_of((uint8_t)c);
    for (size_t i = 0; i < quipu__ovni_event_count; i++) {
        const struct quipu__ovni_event_row *row = &quipu__ovni_events[i];
        uint16_t *values = dictionary->rows[row->model][(uint8_t)row->code[1] - QUIPU__OVNI_FIRST_CHARACTER];
        for (size_t k = 0; k < sizeof any_value / sizeof *any_value; k++)
            for (unsigned v = 0; v < QUIPU__OVNI_CHARACTERS && strcmp(row->code, any_value[k]) == 0; v++)
                values[v] = (uint16_t)(i + 1);
        values[(uint8_t)row->code[2] - QUIPU__OVNI_FIRST_CHARACTER] = (uint16_t)(i + 1);
    }
}

/* ---- Numbers of labels ---- */

/* The round of the public-domain hash "lookup2" of Bob Jenkins. */
static void mix(uint32_t word[3]) {
    static const struct {
        uint8_t changed, first, second, shift;
        bool is_left;
    } rounds[] = {{0, 1, 2, 13, false}, {1, 0, 2, 8, true},  {2, 0, 1, 13, false},
                  {0, 1, 2, 12, false}, {1, 0, 2, 16, true}, {2, 0, 1, 5, false},
                  {0, 1, 2, 3, false},  {1, 0, 2, 10, true}, {2, 0, 1, 15, false}};
    for (size_t i = 0; i < sizeof rounds / sizeof *rounds; i++) {
        /* The shifted word is the one changed before: c, a, b, c … */
        const uint32_t shifted = word[(rounds[i].changed + 2) % 3];
        const uint32_t bits = rounds[i].is_left ? shifted << rounds[i].shift : shifted >> rounds[i].shift;
        word[rounds[i].changed] =
            (word[rounds[i].changed] - word[rounds[i].first] - word[rounds[i].second]) ^ bits;
    }
}

static uint32_t hash_label(const char *label, size_t len) {
    const uint8_t *bytes = (const uint8_t *)label;
    uint32_t word[3] = {UINT32_C(0x9e3779b9), UINT32_C(0x9e3779b9), UINT32_C(0xfeedbeef)};
    size_t done = 0;
    for (; len - done >= 12; done += 12) {
        for (size_t i = 0; i < 12; i++)
            word[i / 4] += (uint32_t)bytes[done + i] << 8 * (i % 4);
        mix(word);
    }
    word[2] += (uint32_t)len;
    for (size_t i = 0; i < len - done; i++) /* the lowest byte of the last word holds the length */
        word[i / 4] += (uint32_t)bytes[done + i] << 8 * (i % 4 + (i >= 8));
    mix(word);
    return word[2];
}

uint32_t quipu__ovni_label_number(const char *label, size_t len, uint32_t base) {
    const uint32_t number = (hash_label(label, len) + base) & UINT32_C(0x7fffffff);
    return number < 1000 ? number + 1000 : number;
}
