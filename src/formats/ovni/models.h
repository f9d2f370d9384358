/* models.h: the tables of events.def: models, channels, values and events, and finding an event's row by its three characters. */
#ifndef QUIPU_OVNI_MODELS_H
#define QUIPU_OVNI_MODELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum quipu__ovni_model {
#define MODEL(character, name, version, title, needs) QUIPU__OVNI_MODEL_##name,
#include "formats/ovni/events.def"
    QUIPU__OVNI_MODEL_COUNT
};

enum quipu__ovni_channel {
#define CHANNEL(channel, model, kind, duplicates, type, shown, printing, title, use)                           \
    QUIPU__OVNI_CHANNEL_##channel,
#include "formats/ovni/events.def"
    QUIPU__OVNI_CHANNEL_COUNT,
    QUIPU__OVNI_CHANNEL_none = QUIPU__OVNI_CHANNEL_COUNT
};

/* The initial idle state of nOS-V and Nanos6. */
enum { QUIPU__OVNI_PROGRESSING = 100 };

/* What an event does. */
enum quipu__ovni_effect {
    QUIPU__OVNI_NOTHING,
    QUIPU__OVNI_OBSOLETE, /* nothing either, and should no longer be used */
    QUIPU__OVNI_PUSH,
    QUIPU__OVNI_POP,
    QUIPU__OVNI_SET,
    QUIPU__OVNI_THREAD_EXECUTE,
    QUIPU__OVNI_THREAD_COOL,
    QUIPU__OVNI_THREAD_PAUSE,
    QUIPU__OVNI_THREAD_WARM,
    QUIPU__OVNI_THREAD_RESUME,
    QUIPU__OVNI_THREAD_END,
    QUIPU__OVNI_AFFINITY_SET,
    QUIPU__OVNI_AFFINITY_REMOTE,
    QUIPU__OVNI_BURST,
    QUIPU__OVNI_FLUSH_BEGIN,
    QUIPU__OVNI_FLUSH_END,
    QUIPU__OVNI_MARK_PUSH,
    QUIPU__OVNI_MARK_POP,
    QUIPU__OVNI_MARK_SET,
    QUIPU__OVNI_SWITCH_OUT,
    QUIPU__OVNI_SWITCH_IN,
    QUIPU__OVNI_TYPE,
    QUIPU__OVNI_TASK_CREATE,
    QUIPU__OVNI_TASK_CREATE_PARALLEL,
    QUIPU__OVNI_BODY_RUN,
    QUIPU__OVNI_BODY_PAUSE,
    QUIPU__OVNI_BODY_RESUME,
    QUIPU__OVNI_BODY_END,
    QUIPU__OVNI_LABEL_PUSH,
    QUIPU__OVNI_LABEL_POP,
    QUIPU__OVNI_COUNTERS
};

/* States of a thread, by the numbers that Paraver gets, and sets of them. */
enum quipu__ovni_life {
    QUIPU__OVNI_THREAD_UNKNOWN,
    QUIPU__OVNI_THREAD_RUNNING,
    QUIPU__OVNI_THREAD_PAUSED,
    QUIPU__OVNI_THREAD_DEAD,
    QUIPU__OVNI_THREAD_COOLING,
    QUIPU__OVNI_THREAD_WARMING,
    QUIPU__OVNI_THREAD_STATES
};
enum quipu__ovni_when {
    QUIPU__OVNI_WHEN_RUNNING = 1 << QUIPU__OVNI_THREAD_RUNNING,
    QUIPU__OVNI_WHEN_ACTIVE =
        1 << QUIPU__OVNI_THREAD_RUNNING | 1 << QUIPU__OVNI_THREAD_COOLING | 1 << QUIPU__OVNI_THREAD_WARMING,
    QUIPU__OVNI_WHEN_ANY = 0xff
};

enum quipu__ovni_kind { QUIPU__OVNI_KIND_SINGLE, QUIPU__OVNI_KIND_STACK };

/* What happens when the value that a channel already has is written. */
enum quipu__ovni_duplicates {
    QUIPU__OVNI_DUPLICATES_ERROR,
    QUIPU__OVNI_DUPLICATES_ALLOW,
    QUIPU__OVNI_DUPLICATES_IGNORE
};

/* What an output does with the value that it printed last. */
enum quipu__ovni_printing {
    QUIPU__OVNI_PRINT_ONCE,     /* equal ones are an error */
    QUIPU__OVNI_PRINT_SKIPDUP,  /* not again */
    QUIPU__OVNI_PRINT_SKIPNULL, /* not again when there is none */
    QUIPU__OVNI_PRINT_EMITDUP   /* printed again */
};

/* What a channel becomes in the model. */
enum quipu__ovni_use {
    QUIPU__OVNI_USE_CALLS,  /* values are regions that are entered and left */
    QUIPU__OVNI_USE_STATE,  /* a channel of the model */
    QUIPU__OVNI_USE_DERIVED /* follows from tasks */
};

struct quipu__ovni_model_row {
    char character;
    const char *name, *version, *title;
    uint8_t needs; /* enum quipu__ovni_when */
};
extern const struct quipu__ovni_model_row quipu__ovni_models[QUIPU__OVNI_MODEL_COUNT];

/* Whether events of a model cannot happen while the kernel has taken the thread out of its CPU. */
static inline bool quipu__ovni_needs_cpu(uint32_t model) {
    return model == QUIPU__OVNI_MODEL_ovni || model == QUIPU__OVNI_MODEL_nosv;
}

/* Models in the order of their characters: that of channels, outputs and reports. */
extern const uint8_t quipu__ovni_models_by_character[QUIPU__OVNI_MODEL_COUNT];

struct quipu__ovni_channel_row {
    const char *name, *title;
    uint16_t type; /* of Paraver */
    uint8_t model, kind, duplicates, when, printing, use;
};
extern const struct quipu__ovni_channel_row quipu__ovni_channels[QUIPU__OVNI_CHANNEL_COUNT];

struct quipu__ovni_value_row {
    uint8_t channel;
    int64_t value;
    const char *text;
};
extern const struct quipu__ovni_value_row quipu__ovni_values[];
extern const size_t quipu__ovni_value_count;

/* The name of a value of a channel; NULL when it has none. */
const char *quipu__ovni_value_text(uint32_t channel, int64_t value);

struct quipu__ovni_event_row {
    char code[4];
    uint8_t model, effect, channel;
    int16_t value;
    const char *arguments, *sentence;
};
extern const struct quipu__ovni_event_row quipu__ovni_events[];
extern const size_t quipu__ovni_event_count,
    quipu__ovni_old_event_count; /* those of older editions follow today's */

static inline bool quipu__ovni_is_jumbo_row(const struct quipu__ovni_event_row *row) {
    return row->arguments[0] == '+';
}

/* The model of a character, or QUIPU__OVNI_MODEL_COUNT. */
uint32_t quipu__ovni_model_of(uint8_t character);

/* Rows by the three characters of an event: a table for fast lookup. */
#define QUIPU__OVNI_FIRST_CHARACTER 0x21
#define QUIPU__OVNI_CHARACTERS 94
struct quipu__ovni_dictionary {
    uint8_t model[256];
    uint16_t rows[QUIPU__OVNI_MODEL_COUNT][QUIPU__OVNI_CHARACTERS]
                 [QUIPU__OVNI_CHARACTERS]; /* number + 1, 0: none */
};
void quipu__ovni_dictionary_init(struct quipu__ovni_dictionary *dictionary);

/* The row of an event, or NULL. In some categories of ovni any value is accepted. */
static inline const struct quipu__ovni_event_row *quipu__ovni_find_row(
    const struct quipu__ovni_dictionary *dictionary, uint8_t model, uint8_t category, uint8_t value) {
    const unsigned m = dictionary->model[model], c = (unsigned)category - QUIPU__OVNI_FIRST_CHARACTER,
                   v = (unsigned)value - QUIPU__OVNI_FIRST_CHARACTER;
    if (m >= QUIPU__OVNI_MODEL_COUNT || c >= QUIPU__OVNI_CHARACTERS || v >= QUIPU__OVNI_CHARACTERS)
        return NULL;
    const unsigned row = dictionary->rows[m][c][v];
    return row ? &quipu__ovni_events[row - 1] : NULL;
}

/* The number that stands for a label of a type in Paraver: a hash, so that the same label has the same number everywhere, plus the
 * base of the edition (emulation.h). */
uint32_t quipu__ovni_label_number(const char *label, size_t len, uint32_t base);

#endif
