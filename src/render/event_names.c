/* event_names.c: see event_names.h. A name is made when an event first shows it. */
#include "render/event_names.h"

#include "core/error.h"
#include "core/os.h"
#include "model/event.h"

#include <string.h>

/* Names of locations are in a column unless they are longer. */
#define WIDTH_MOST 24

static void put_name(const struct quipu__event_names *names, const char *name, struct quipu__buffer *out) {
    if (names->json)
        quipu__put_json(out, name, strlen(name));
    else
        quipu__put_escaped(out, name, strlen(name));
}

static size_t width_of(const struct quipu__buffer *text) {
    size_t width = 0;
    for (size_t i = 0; i < text->len; i++)
        width += (text->data[i] & 0xc0) != 0x80;
    return width;
}

/* A name as it is shown, in names->text; false when there is none. */
static bool make_name(struct quipu__event_names *names, enum quipu_refers refers, uint64_t number) {
    const char *name = quipu__name_of(names->definitions, refers, number);
    names->text.len = 0;
    if (!name)
        return false;
    put_name(names, name, &names->text);
    if (refers == QUIPU_REFERS_LOCATION)
        for (size_t width = width_of(&names->text); width < names->width; width++)
            quipu__put_u8(&names->text, ' ');
    return true;
}

static void make_key_label(struct quipu__event_names *names, uint32_t key) {
    names->text.len = 0;
    put_name(names, quipu_key_name(names->definitions, key), &names->text);
    quipu__put_text(&names->text, names->json ? ": " : "=");
}

/* Saves what is in names->text, where there is a place for it. */
static void save(struct quipu__event_names *names, unsigned definition_class, uint64_t number) {
    if (definition_class >= QUIPU__NAMED_CLASSES || number >= names->definition_classes[definition_class].count)
        return;
    struct quipu__event_name *name = &names->definition_classes[definition_class].items[number];
    char *text = quipu__arena_alloc(&names->arena, names->text.len + QUIPU__NAME_COPIED);
    if (text && names->text.len > 0)
        memcpy(text, names->text.data, names->text.len);
    if (text)
        memset(text + names->text.len, 0, QUIPU__NAME_COPIED);
    name->text = text;
    name->len = (uint32_t)names->text.len;
}

/* A name that memory did not suffice for makes the line fail. */
static void put_made(const struct quipu__event_names *names, struct quipu__buffer *out) {
    quipu__put(out, names->text.data, names->text.len);
    out->failed |= names->text.failed;
}

bool quipu__put_event_name(struct quipu__event_names *names, enum quipu_refers refers, uint64_t number,
                           struct quipu__buffer *out) {
    const struct quipu__event_name *name = quipu__made_event_name(names, refers, number);
    if (QUIPU__LIKELY(name != NULL)) {
        quipu__put(out, name->text, name->len);
        return true;
    }
    if (!make_name(names, refers, number))
        return false;
    put_made(names, out);
    save(names, refers, number);
    return true;
}

void quipu__put_key_label(struct quipu__event_names *names, uint32_t key, struct quipu__buffer *out) {
    const struct quipu__event_name *name = quipu__made_event_name(names, QUIPU__NAMED_KEYS, key);
    if (QUIPU__LIKELY(name != NULL)) {
        quipu__put(out, name->text, name->len);
        return;
    }
    make_key_label(names, key);
    put_made(names, out);
    save(names, QUIPU__NAMED_KEYS, key);
}

static uint32_t count_of(const struct quipu_definitions *definitions, unsigned refers) {
    if (refers == QUIPU__NAMED_KEYS)
        return definitions->attribute_keys.count;
    const uint64_t count = quipu__count_of(definitions, (enum quipu_refers)refers);
    return count == QUIPU_UNKNOWN ? 0 : (uint32_t)count;
}

static uint32_t widest_location(struct quipu__event_names *names) {
    size_t widest = 0;
    for (uint32_t i = 0; i < names->definitions->locations.count; i++) {
        if (!make_name(names, QUIPU_REFERS_LOCATION, i))
            continue;
        const size_t width = width_of(&names->text);
        widest = width > widest && width <= WIDTH_MOST ? width : widest;
    }
    return (uint32_t)widest;
}

enum quipu_status quipu__event_names_init(struct quipu__event_names *names,
                                          const struct quipu_definitions *definitions, bool json,
                                          struct quipu__memory *memory, struct quipu_error *err) {
    *names = (struct quipu__event_names){.definitions = definitions, .json = json, .memory = memory};
    quipu__arena_init(&names->arena, memory);
    quipu__buffer_init(&names->text, memory, 0);
    for (unsigned i = 0; i < QUIPU__NAMED_CLASSES; i++) {
        const uint32_t count = count_of(definitions, i);
        const size_t size = count * sizeof *names->definition_classes[i].items;
        names->definition_classes[i].items = size ? quipu__alloc_zero(memory, size) : NULL;
        if (size && !names->definition_classes[i].items)
            return quipu__no_memory(err, size);
        names->definition_classes[i].count = count;
    }
    names->width = json ? 0 : widest_location(names);
    return QUIPU_OK;
}

void quipu__event_names_release(struct quipu__event_names *names) {
    for (unsigned i = 0; i < QUIPU__NAMED_CLASSES; i++)
        quipu__release(names->memory, names->definition_classes[i].items,
                       names->definition_classes[i].count * sizeof *names->definition_classes[i].items);
    quipu__buffer_release(&names->text);
    quipu__arena_release(&names->arena);
}
