/* shown.c: names of columns, fields and attributes as what is printed of events. */
#include "render/shown.h"

#include "core/error.h"

#include <quipu/printer.h>

#include <string.h>

void quipu__show_everything(struct quipu__shown *shown) {
    *shown = (struct quipu__shown){.time = true, .location = true, .kind = true, .attributes = true};
    for (int kind = 0; kind < QUIPU_KIND_COUNT; kind++)
        shown->fields[kind] = UINT16_MAX;
}

/* Marks the fields of kinds with that name. */
static bool show_fields(struct quipu__shown *shown, const char *name) {
    bool found = false;
    for (int kind = 0; kind < QUIPU_KIND_COUNT; kind++) {
        const struct quipu_kind_info *info = quipu_kind_at((enum quipu_kind)kind);
        for (size_t i = 0; i < info->field_count; i++)
            if (strcmp(info->fields[i].name, name) == 0) {
                shown->fields[kind] |= (uint16_t)(1u << i);
                found = true;
            }
    }
    return found;
}

/* Marks the attributes with that name. */
static bool show_keys(struct quipu__shown *shown, const struct quipu_attribute_keys *keys, const char *name) {
    bool found = false;
    for (uint32_t i = 0; i < keys->count && i < shown->key_count; i++)
        if (strcmp(keys->items[i].name, name) == 0)
            found = shown->keys[i] = true;
    shown->attributes |= found;
    return found;
}

/* What all kinds have. */
enum column { COLUMN_TIME, COLUMN_LOCATION, COLUMN_KIND, COLUMN_ATTRIBUTES, COLUMN_COUNT };
static const char *const columns[COLUMN_COUNT] = {"time", "location", "kind", "attributes"};

const char *quipu_printer_column_at(size_t index) {
    return index < COLUMN_COUNT ? columns[index] : NULL;
}

/* The switch of a column; NULL for other names. */
static bool *find_column(struct quipu__shown *shown, bool *all_attributes, const char *name) {
    bool *const switches[COLUMN_COUNT] = {&shown->time, &shown->location, &shown->kind, all_attributes};
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        if (strcmp(columns[i], name) == 0)
            return switches[i];
    return NULL;
}

static bool show_field(struct quipu__shown *shown, const struct quipu_attribute_keys *keys, const char *name,
                       bool *all_attributes) {
    bool *column = find_column(shown, all_attributes, name);
    if (column)
        return *column = true;
    const bool is_field = show_fields(shown, name);
    return show_keys(shown, keys, name) || is_field;
}

static enum quipu_status no_field(const char *name, struct quipu_error *err) {
    const enum quipu_status status = quipu__fail(err, QUIPU_MISUSE, "events have no field \"%s\"", name);
    quipu__advise(err, "fields are time, location, kind, attributes, those that \"quipu help kinds\" lists and "
                       "names of the trace's attributes");
    return status;
}

enum quipu_status quipu__show_chosen(struct quipu__shown *shown, struct quipu__memory *memory,
                                     const struct quipu_attribute_keys *keys, const char *const *fields,
                                     size_t count, struct quipu_error *err) {
    bool all_attributes = false;
    *shown = (struct quipu__shown){.key_count = keys->count};
    shown->keys = quipu__alloc_zero(memory, shown->key_count + (size_t)1);
    if (!shown->keys)
        return quipu__no_memory(err, shown->key_count);
    for (size_t i = 0; i < count; i++)
        if (!show_field(shown, keys, fields[i], &all_attributes))
            return no_field(fields[i], err);
    if (!all_attributes)
        return QUIPU_OK;
    quipu__shown_release(shown, memory);
    shown->attributes = true;
    return QUIPU_OK;
}

void quipu__shown_release(struct quipu__shown *shown, struct quipu__memory *memory) {
    quipu__release(memory, shown->keys, shown->key_count + (size_t)1);
    shown->keys = NULL;
}
