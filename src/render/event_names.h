/* event_names.h: names of definitions as lines of events show them, escaped or quoted once and not for every event. */
#ifndef QUIPU_RENDER_EVENT_NAMES_H
#define QUIPU_RENDER_EVENT_NAMES_H

#include "core/memory/buffer.h"

#include <quipu/model.h>

struct quipu__event_name {
    const char *text; /* NULL: not made yet; QUIPU__NAME_COPIED bytes can be copied, however short it is */
    uint32_t len;
};
#define QUIPU__NAME_COPIED 32

/* Classes of definitions by what fields refer to; attribute keys in the slot of QUIPU_REFERS_NOTHING. */
#define QUIPU__NAMED_CLASSES ((unsigned)QUIPU_REFERS_TASK_TYPE + 1)
#define QUIPU__NAMED_KEYS QUIPU_REFERS_NOTHING

struct quipu__event_names {
    const struct quipu_definitions *definitions;
    bool json;
    struct quipu__memory *memory; /* NULL: nothing is kept */
    struct quipu__arena arena;
    struct quipu__buffer text; /* a name that is being made */
    uint32_t width;            /* that names of locations are filled up to in text, 0: none */
    struct {
        struct quipu__event_name *items;
        uint32_t count;
    } definition_classes[QUIPU__NAMED_CLASSES];
};

/* Names of the definitions that there are by now; those that come later are made again each time. */
enum quipu_status quipu__event_names_init(struct quipu__event_names *names,
                                          const struct quipu_definitions *definitions, bool json,
                                          struct quipu__memory *memory, struct quipu_error *err);
void quipu__event_names_release(struct quipu__event_names *names);

/* The name if it is made already, else NULL. */
static inline const struct quipu__event_name *quipu__made_event_name(const struct quipu__event_names *names,
                                                                     enum quipu_refers refers,
                                                                     uint64_t number) {
    if ((unsigned)refers >= QUIPU__NAMED_CLASSES || number >= names->definition_classes[refers].count ||
        !names->definition_classes[refers].items[number].text)
        return NULL;
    return &names->definition_classes[refers].items[number];
}

/* Puts the name of a definition or operation, in text escaped, in JSON as a string. False when it has none. */
bool quipu__put_event_name(struct quipu__event_names *names, enum quipu_refers refers, uint64_t number,
                           struct quipu__buffer *out);

/* Puts what stands before an attribute's value: "NAME=" or "NAME": with its quotes. */
void quipu__put_key_label(struct quipu__event_names *names, uint32_t key, struct quipu__buffer *out);

#endif
