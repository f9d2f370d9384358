/* shown.h: which columns, fields and attributes of events are printed. */
#ifndef QUIPU_RENDER_SHOWN_H
#define QUIPU_RENDER_SHOWN_H

#include "core/memory/memory.h"

#include <quipu/model.h>

/* What is printed: of each kind a bit per field; of attributes all or those marked. */
struct quipu__shown {
    bool time, location, kind, attributes;
    uint16_t fields[QUIPU_KIND_COUNT];
    bool *keys; /* NULL: all of them or none */
    uint32_t key_count;
};

void quipu__show_everything(struct quipu__shown *shown);

/* Shows what is named: columns, fields of kinds, attributes of the trace. Release it, also when it fails. */
enum quipu_status quipu__show_chosen(struct quipu__shown *shown, struct quipu__memory *memory,
                                     const struct quipu_attribute_keys *keys, const char *const *fields,
                                     size_t count, struct quipu_error *err);
void quipu__shown_release(struct quipu__shown *shown, struct quipu__memory *memory);

static inline bool quipu__is_shown(const struct quipu__shown *shown, uint32_t key) {
    if (key == QUIPU_KEY_TEXT)
        return false; /* a field of its own */
    return shown->attributes && (!shown->keys || (key < shown->key_count && shown->keys[key]));
}

#endif
