/* printer.c: events as lines of text or JSON. kinds.def says which fields a kind has and what their numbers refer to. What
 * stands before each value is known when this is compiled, names of definitions are made once (names in events), and lines
 * gather in a buffer: nothing is formatted or allocated per event. */
#include "core/digits.h"
#include "core/error.h"
#include "core/memory/buffer.h"
#include "core/memory/memory.h"
#include "core/os.h"
#include "model/event.h"
#include "render/time.h"
#include "schema/print.h"
#include "schema/schema.h"

#include <quipu/model.h>
#include <quipu/printer.h>

#include <string.h>

/* ==== Which events are shown ==== */

/* Which columns, fields and attributes of events are printed. */

/* What is printed: of each kind a bit per field; of attributes all or those marked. */
struct quipu__shown {
    bool time, location, kind, attributes;
    uint16_t fields[QUIPU_KIND_COUNT];
    bool *keys; /* NULL: all of them or none */
    uint32_t key_count;
};

static inline bool quipu__is_shown(const struct quipu__shown *shown, uint32_t key) {
    if (key == QUIPU_KEY_TEXT)
        return false; /* a field of its own */
    return shown->attributes && (!shown->keys || (key < shown->key_count && shown->keys[key]));
}

/* Names of columns, fields and attributes as what is printed of events. */

static void show_everything(struct quipu__shown *shown) {
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

static void shown_release(struct quipu__shown *shown, struct quipu__memory *memory) {
    quipu__release(memory, shown->keys, shown->key_count + (size_t)1);
    shown->keys = NULL;
}

/* Shows what is named: columns, fields of kinds, attributes of the trace. Release it, also when it fails. */
static enum quipu_status show_chosen(struct quipu__shown *shown, struct quipu__memory *memory,
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
    shown_release(shown, memory);
    shown->attributes = true;
    return QUIPU_OK;
}

/* ==== Names in events ==== */

/* Names of definitions as lines of events show them, escaped or quoted once and not for every event. */

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

/* The name if it is made already, else NULL. */
static inline const struct quipu__event_name *quipu__made_event_name(const struct quipu__event_names *names,
                                                                     enum quipu_refers refers,
                                                                     uint64_t number) {
    if ((unsigned)refers >= QUIPU__NAMED_CLASSES || number >= names->definition_classes[refers].count ||
        !names->definition_classes[refers].items[number].text)
        return NULL;
    return &names->definition_classes[refers].items[number];
}

/* A name is made when an event first shows it. */

/* Names of locations are in a column unless they are longer. */
#define WIDTH_MOST 24

static void put_quoted_name(const struct quipu__event_names *names, const char *name,
                            struct quipu__buffer *out) {
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
    put_quoted_name(names, name, &names->text);
    if (refers == QUIPU_REFERS_LOCATION)
        for (size_t width = width_of(&names->text); width < names->width; width++)
            quipu__put_u8(&names->text, ' ');
    return true;
}

static void make_key_label(struct quipu__event_names *names, uint32_t key) {
    names->text.len = 0;
    put_quoted_name(names, quipu_key_name(names->definitions, key), &names->text);
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

/* Puts the name of a definition or operation, in text escaped, in JSON as a string. False when it has none. */
static bool put_event_name(struct quipu__event_names *names, enum quipu_refers refers, uint64_t number,
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

/* Puts what stands before an attribute's value: "NAME=" or "NAME": with its quotes. */
static void put_key_label(struct quipu__event_names *names, uint32_t key, struct quipu__buffer *out) {
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

/* Names of the definitions that there are by now; those that come later are made again each time. */
static enum quipu_status event_names_init(struct quipu__event_names *names,
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

static void event_names_release(struct quipu__event_names *names) {
    for (unsigned i = 0; i < QUIPU__NAMED_CLASSES; i++)
        quipu__release(names->memory, names->definition_classes[i].items,
                       names->definition_classes[i].count * sizeof *names->definition_classes[i].items);
    quipu__buffer_release(&names->text);
    quipu__arena_release(&names->arena);
}

/* ==== The printer ==== */

/* Columns of a time: 9999 seconds in nanoseconds. Longer times are not cut. */
#define TIME_WIDTH 15

/* Columns of an event in text; those that are not longer are copied as a whole. */
enum { LABEL_MOST = 16, KIND_MOST = 24, CELL_BYTES = 64, FIXED_CELLS = 3, FIELDS_MOST = 16 };

/* A field of a kind: where its number is, and what stands before its value, and before its name in JSON. */
struct label {
    char text[LABEL_MOST];
    const char *json, *json_name;
    uint8_t text_len, json_len, json_name_len;
    uint8_t refers; /* enum quipu_refers */
    bool is_narrow; /* 32 bits */
    uint16_t offset;
};

#define QUIPU_KIND(name, family, doc) static const struct label labels_of_##name[] = {
#define QUIPU_KIND_FIELD(kind, name, column, its_refers, doc)                                                  \
    {.text = " " #name "=",                                                                                    \
     .json = ", \"" #name "\": ",                                                                              \
     .json_name = ", \"" #name "_name\": ",                                                                    \
     .text_len = sizeof #name + 1,                                                                             \
     .json_len = sizeof #name + 5,                                                                             \
     .json_name_len = sizeof #name + 10,                                                                       \
     .refers = QUIPU_REFERS_##its_refers,                                                                      \
     .is_narrow = sizeof(((const struct quipu_event *)NULL)->column) == sizeof(uint32_t),                      \
     .offset = offsetof(struct quipu_event, column)},
#define QUIPU_KIND_END(name)                                                                                   \
    { .text = "" }                                                                                             \
    }                                                                                                          \
    ;
#include <quipu/kinds.def>
#undef QUIPU_KIND
#undef QUIPU_KIND_FIELD
#undef QUIPU_KIND_END

static const struct {
    char text[KIND_MOST];
    uint8_t len, field_count;
    const struct label *labels;
} kinds[] = {
#define QUIPU_KIND(name, family, doc)                                                                          \
    {"  " #name, sizeof #name + 1, sizeof labels_of_##name / sizeof *labels_of_##name - 1, labels_of_##name},
#define QUIPU_KIND_FIELD(kind, name, column, refers, doc)
#define QUIPU_KIND_END(name)
#include <quipu/kinds.def>
#undef QUIPU_KIND
#undef QUIPU_KIND_FIELD
#undef QUIPU_KIND_END
};

struct quipu_printer {
    struct quipu__memory memory;
    struct quipu__printing printing;
    struct quipu__event_names names;
    const struct quipu_definitions *definitions;
    enum quipu_time_style time;
    enum quipu_time_unit unit;
    struct quipu__zone zone;
    bool json;
    struct quipu__shown shown;
    bool has_previous;
    int64_t previous_ns;               /* time of the event before */
    const struct quipu_schema *schema; /* of the records printed so far, and how they are */
    struct quipu__print_plans *plans;
    bool needs_separator; /* the line has a column or member already: another one needs a separator */
};

/* ---- Fields ---- */

/* Whether a field says anything: fields whose number is not known are left out of text. Where any number is a value, none
 * stands for that. */
static bool is_known(const struct quipu_event *event, const struct quipu_kind_field *field) {
    static const bool is_anything[] = {[QUIPU_REFERS_SIGNED] = true,
                                       [QUIPU_REFERS_BITS] = true,
                                       [QUIPU_REFERS_CHANNEL_VALUE] = true,
                                       [QUIPU_REFERS_TEXT] = true,
                                       [QUIPU_REFERS_STATISTIC] = false};
    return is_anything[field->refers] ||
           !quipu__is_unknown(field->column, (uint64_t)quipu_event_get(event, field->column));
}

static void put_value(const struct quipu_value *value, struct quipu__buffer *out, bool json) {
    quipu__print_value(value, out, json);
}

static void put_metric(const struct quipu_definitions *definitions, const struct quipu_event *event,
                       struct quipu__buffer *out, bool json) {
    const bool is_defined = event->object < definitions->metrics.count;
    const enum quipu_metric_value type =
        is_defined ? definitions->metrics.items[event->object].value : QUIPU_METRIC_U64;
    static const uint8_t value_types[] = {QUIPU_VALUE_U64, QUIPU_VALUE_I64, QUIPU_VALUE_F64};
    const struct quipu_value value = {.type = value_types[type], .u = event->value};
    put_value(&value, out, json);
}

static void put_text_of(const struct quipu_event *event, struct quipu__buffer *out, bool json) {
    for (uint32_t i = 0; i < event->attribute_count; i++)
        if (event->attributes[i].value.key == QUIPU_KEY_TEXT) {
            put_value(&event->attributes[i].value, out, json);
            return;
        }
    quipu__put_text(out, json ? "null" : "?");
}

/* The label of a channel's value; NULL when it has none. */
static const char *channel_label(const struct quipu_definitions *definitions, const struct quipu_event *event,
                                 int64_t value) {
    return event->object < definitions->channels.count
               ? quipu_channel_label(&definitions->channels.items[event->object], value)
               : NULL;
}

static void put_number(const struct quipu_kind_field *field, uint64_t number, struct quipu__buffer *out,
                       const char *unknown) {
    if (quipu__is_signed(field->refers))
        quipu__put_i64(out, (int64_t)number);
    else if (quipu__is_unknown(field->column, number))
        quipu__put_text(out, unknown);
    else
        quipu__put_u64(out, number);
}

/* Whether numbers stand for definitions or operations, which have names. */
static bool has_name(enum quipu_refers refers) {
    return (refers >= QUIPU_REFERS_LOCATION && refers <= QUIPU_REFERS_TASK_TYPE) ||
           refers >= QUIPU_REFERS_IO_OPERATION;
}

static void put_text_field(struct quipu_printer *printer, const struct quipu_event *event,
                           const struct quipu_kind_field *field, struct quipu__buffer *out) {
    const uint64_t number = (uint64_t)quipu_event_get(event, field->column);
    if (has_name(field->refers)) {
        if (!put_event_name(&printer->names, field->refers, number, out))
            put_number(field, number, out, "?");
        return;
    }
    const char *label = field->refers == QUIPU_REFERS_CHANNEL_VALUE
                            ? channel_label(printer->definitions, event, (int64_t)number)
                            : NULL;
    if (label)
        quipu__put_escaped(out, label, strlen(label));
    else if (field->refers == QUIPU_REFERS_BITS)
        put_metric(printer->definitions, event, out, false);
    else if (field->refers == QUIPU_REFERS_TEXT)
        put_text_of(event, out, false);
    else
        put_number(field, number, out, "?");
}

/* Puts a member's separator and key; both are ahead of its value, so the first member leaves the separator out. */
static void put_member(struct quipu_printer *printer, const char *key, size_t len, struct quipu__buffer *out) {
    const size_t separator = printer->needs_separator ? 0 : 2;
    quipu__put(out, key + separator, len - separator);
    printer->needs_separator = true;
}

/* The name of a number beside it, where it has one. */
static void put_json_name(struct quipu_printer *printer, const struct quipu_event *event,
                          const struct quipu_kind_field *field, uint64_t number, const struct label *label,
                          struct quipu__buffer *out) {
    if (field->refers == QUIPU_REFERS_CHANNEL_VALUE) {
        const char *name = channel_label(printer->definitions, event, (int64_t)number);
        if (!name)
            return;
        quipu__put(out, label->json_name, label->json_name_len);
        quipu__put_json(out, name, strlen(name));
    } else if (has_name(field->refers) && number < quipu__count_of(printer->definitions, field->refers)) {
        quipu__put(out, label->json_name, label->json_name_len);
        (void)put_event_name(&printer->names, field->refers, number, out);
    }
}

static void put_json_field(struct quipu_printer *printer, const struct quipu_event *event,
                           const struct quipu_kind_field *field, const struct label *label,
                           struct quipu__buffer *out) {
    const uint64_t number = (uint64_t)quipu_event_get(event, field->column);
    const bool is_operation = field->refers >= QUIPU_REFERS_IO_OPERATION;
    put_member(printer, label->json, label->json_len, out);
    if (field->refers == QUIPU_REFERS_BITS)
        put_metric(printer->definitions, event, out, true);
    else if (field->refers == QUIPU_REFERS_TEXT)
        put_text_of(event, out, true);
    else if (!is_operation || quipu__is_unknown(field->column, number) ||
             !put_event_name(&printer->names, field->refers, number, out))
        put_number(field, number, out, "null");
    if (!is_operation)
        put_json_name(printer, event, field, number, label, out);
}

/* ---- Attributes ---- */

static const struct quipu_attribute_key *find_key(const struct quipu_printer *printer, uint32_t key) {
    const struct quipu_attribute_keys *keys = &printer->definitions->attribute_keys;
    return key < keys->count ? &keys->items[key] : NULL;
}

/* What an attribute's number is called in native records; NULL when it has no name of its own. */
static const char *label_of(const struct quipu_attribute_key *key, const struct quipu_value *value) {
    if (!key || !key->domain || value->type < QUIPU_VALUE_I8 || value->type > QUIPU_VALUE_U64)
        return NULL;
    const char *label = quipu_label_find(key->domain, value->i);
    return label == key->domain->other_label ? NULL : label;
}

static void put_text_attribute(struct quipu_printer *printer, const struct quipu_value *value,
                               struct quipu__buffer *out) {
    const struct quipu_attribute_key *key = find_key(printer, value->key);
    const char *label = label_of(key, value);
    if (printer->needs_separator)
        quipu__put_u8(out, ' ');
    printer->needs_separator = true;
    put_key_label(&printer->names, value->key, out);
    if (key && key->is_json && value->type == QUIPU_VALUE_STRING)
        quipu__put(out, value->data, value->size);
    else
        quipu__print_value(value, out, false);
    if (!label)
        return;
    quipu__put_u8(out, '(');
    quipu__put_text(out, label);
    quipu__put_u8(out, ')');
}

static void put_json_attribute(struct quipu_printer *printer, const struct quipu_value *value,
                               struct quipu__buffer *out) {
    const struct quipu_attribute_key *key = find_key(printer, value->key);
    const char *label = label_of(key, value);
    put_key_label(&printer->names, value->key, out);
    if (key && key->is_json && value->type == QUIPU_VALUE_STRING)
        quipu__put(out, value->data, value->size);
    else
        quipu__print_value(value, out, true);
    if (!label)
        return;
    quipu__put_text(out, ", \"");
    quipu__put_text(out, key->name); /* of a table: it needs no escaping */
    quipu__put_text(out, "_name\": ");
    quipu__put_json(out, label, strlen(label));
}

/* ---- Lines ---- */

static char *put_time_text(struct quipu_printer *printer, int64_t time, char *text) {
    const struct quipu_clock *clock = &printer->definitions->clock;
    const int64_t origin = printer->time == QUIPU_TIME_ABSOLUTE ? clock->origin : 0;
    if (printer->time == QUIPU_TIME_TICKS)
        return quipu__put_ticks(text, time);
    const int64_t ns = quipu_clock_ns(clock, (int64_t)((uint64_t)time + (uint64_t)origin));
    const int64_t unix_ns = (int64_t)((uint64_t)ns + (uint64_t)clock->unix_origin_ns);
    if (printer->time == QUIPU_TIME_WALL)
        return quipu__put_date(text, unix_ns);
    if (printer->time == QUIPU_TIME_LOCAL)
        return quipu__put_local_date(text, unix_ns, &printer->zone);
    if (printer->time != QUIPU_TIME_DELTA)
        return quipu__put_duration(text, ns, printer->unit);
    const int64_t delta = printer->has_previous ? (int64_t)((uint64_t)ns - (uint64_t)printer->previous_ns) : 0;
    printer->has_previous = true;
    printer->previous_ns = ns;
    if (delta >= 0)
        *text++ = '+';
    return quipu__put_duration(text, delta, printer->unit);
}

/* Puts the text of a line, as far as it has a most length, straight into the room of a buffer. */
struct line {
    struct quipu__buffer *out;
    char *at; /* NULL: there is no room */
};

QUIPU__INLINE void make_line_room(struct line *line, size_t cells) {
    struct quipu__buffer *out = line->out;
    const bool has_room = out->capacity - out->len >= cells * CELL_BYTES && !out->failed;
    line->at =
        (char *)(QUIPU__LIKELY(has_room) ? out->data + out->len : quipu__buffer_room(out, cells * CELL_BYTES));
}

/* What was put is part of the buffer from here on. */
static void end_line(const struct line *line) {
    if (line->at)
        line->out->len = (size_t)(line->at - (char *)line->out->data);
}

static void put_time_column(struct quipu_printer *printer, int64_t time, struct line *line) {
    char text[TIME_WIDTH + 1 + QUIPU_TIME_TEXT_BYTES];
    const size_t len = (size_t)(put_time_text(printer, time, text) - text);
    if (QUIPU__LIKELY(len <= TIME_WIDTH)) {
        memset(line->at, ' ', TIME_WIDTH + 1);
        memcpy(line->at + TIME_WIDTH - len, text, TIME_WIDTH + 1);
        line->at += TIME_WIDTH;
        return;
    }
    memcpy(line->at, text, len);
    line->at += len;
}

/* A name that is made already and not long, NULL for others. */
QUIPU__INLINE const struct quipu__event_name *short_name(const struct quipu_printer *printer,
                                                         enum quipu_refers refers, uint64_t number) {
    const struct quipu__event_name *name = quipu__made_event_name(&printer->names, refers, number);
    return QUIPU__LIKELY(name && name->len <= QUIPU__NAME_COPIED) ? name : NULL;
}

QUIPU__INLINE void put_name(const struct quipu__event_name *name, struct line *line) {
    memcpy(line->at, name->text, QUIPU__NAME_COPIED);
    line->at += name->len;
}

static void put_location_column(struct quipu_printer *printer, uint32_t location, size_t cells,
                                struct line *line) {
    const struct quipu__event_name *name = short_name(printer, QUIPU_REFERS_LOCATION, location);
    if (QUIPU__LIKELY(name != NULL)) {
        put_name(name, line);
        return;
    }
    end_line(line);
    if (!put_event_name(&printer->names, QUIPU_REFERS_LOCATION, location, line->out))
        quipu__put_u8(line->out, '?');
    make_line_room(line, cells);
}

/* What all lines begin with: time, location, kind, as far as they are shown. cells are for what follows. */
static void put_columns(struct quipu_printer *printer, const struct quipu_event *event, size_t cells,
                        struct line *line) {
    const struct quipu__shown *shown = &printer->shown;
    if (shown->time)
        put_time_column(printer, event->time, line);
    if (shown->location) {
        memcpy(line->at, "  ", 2);
        line->at += shown->time ? 2 : 0;
        put_location_column(printer, event->location, cells, line);
    }
    if (shown->kind && line->at) {
        const size_t blanks = shown->time || shown->location ? 0 : 2;
        memcpy(line->at, kinds[event->kind].text + blanks, KIND_MOST - 2);
        line->at += kinds[event->kind].len - blanks;
    }
}

/* What stands before a value, but for the blank where it is the first of its line. */
QUIPU__INLINE void put_text_label(struct quipu_printer *printer, const struct label *label, struct line *line) {
    const size_t blank = printer->needs_separator ? 0 : 1;
    memcpy(line->at, label->text + blank, LABEL_MOST - 1);
    line->at += label->text_len - blank;
    printer->needs_separator = true;
}

/* A number, or a name that is made already and not long; false for other fields. */
QUIPU__INLINE bool put_short_field(struct quipu_printer *printer, const struct label *label, uint64_t number,
                                   struct line *line) {
    const struct quipu__event_name *name = NULL;
    if (label->refers > QUIPU_REFERS_SIGNED &&
        !(name = short_name(printer, (enum quipu_refers)label->refers, number)))
        return false;
    if (label->refers == QUIPU_REFERS_NOTHING &&
        number == (label->is_narrow ? (uint64_t)QUIPU_NONE : QUIPU_UNKNOWN))
        return true;
    put_text_label(printer, label, line);
    if (name)
        put_name(name, line);
    else if (label->refers == QUIPU_REFERS_SIGNED)
        line->at = quipu__put_signed_digits(line->at, (int64_t)number);
    else
        line->at = quipu__put_digits(line->at, number);
    return true;
}

/* Any other field, unless it is not known. */
static void put_long_field(struct quipu_printer *printer, const struct quipu_event *event,
                           const struct quipu_kind_field *field, const struct label *label, struct line *line) {
    const bool known = is_known(event, field);
    if (known)
        put_text_label(printer, label, line);
    end_line(line);
    if (known)
        put_text_field(printer, event, field, line->out);
}

QUIPU__INLINE uint64_t number_of(const struct quipu_event *event, const struct label *label) {
    const void *const at = (const uint8_t *)event + label->offset;
    return label->is_narrow ? *(const uint32_t *)at : *(const uint64_t *)at;
}

static void put_fields(struct quipu_printer *printer, const struct quipu_event *event, struct line *line) {
    const struct label *labels = kinds[event->kind].labels;
    const unsigned shown = printer->shown.fields[event->kind];
    const size_t count = kinds[event->kind].field_count;
    for (size_t i = 0; i < count && line->at; i++) {
        if ((shown >> i & 1) == 0 || put_short_field(printer, &labels[i], number_of(event, &labels[i]), line))
            continue;
        const struct quipu_kind_info *kind = quipu_kind_at((enum quipu_kind)event->kind);
        put_long_field(printer, event, &kind->fields[i], &labels[i], line);
        make_line_room(line, FIXED_CELLS + count - i);
    }
}

static void put_text_line(struct quipu_printer *printer, const struct quipu_event *event,
                          struct quipu__buffer *out) {
    const struct quipu__shown *shown = &printer->shown;
    const size_t cells = FIXED_CELLS + FIELDS_MOST;
    struct line line = {.out = out};
    make_line_room(&line, cells);
    if (!line.at)
        return;
    put_columns(printer, event, cells, &line);
    printer->needs_separator = shown->time || shown->location || shown->kind;
    put_fields(printer, event, &line);
    if (QUIPU__LIKELY(event->attribute_count == 0 && line.at)) {
        *line.at++ = '\n';
        end_line(&line);
        return;
    }
    end_line(&line);
    for (uint32_t i = 0; i < event->attribute_count; i++)
        if (quipu__is_shown(shown, event->attributes[i].value.key))
            put_text_attribute(printer, &event->attributes[i].value, out);
    quipu__put_u8(out, '\n');
}

static void put_json_number(struct quipu_printer *printer, const char *key, size_t len, int64_t number,
                            struct quipu__buffer *out) {
    char text[QUIPU_TIME_TEXT_BYTES];
    put_member(printer, key, len, out);
    quipu__put(out, text, (size_t)(quipu__put_ticks(text, number) - text));
}

#define PUT_NUMBER(printer, key, number, out)                                                                  \
    put_json_number((printer), ", \"" key "\": ", sizeof key + 5, (number), (out))

static void put_json_head(struct quipu_printer *printer, const struct quipu_event *event,
                          struct quipu__buffer *out) {
    static const char kind_key[] = ", \"kind\": \"";
    if (printer->shown.time) {
        PUT_NUMBER(printer, "time", event->time, out);
        PUT_NUMBER(printer, "time_ns", quipu_clock_ns(&printer->definitions->clock, event->time), out);
    }
    if (printer->shown.location) {
        PUT_NUMBER(printer, "location", event->location, out);
        if (event->location < printer->definitions->locations.count) {
            quipu__put_text(out, ", \"location_name\": ");
            (void)put_event_name(&printer->names, QUIPU_REFERS_LOCATION, event->location, out);
        }
    }
    if (printer->shown.kind) {
        put_member(printer, kind_key, sizeof kind_key - 1, out);
        quipu__put_text(out, quipu_kind_at((enum quipu_kind)event->kind)->name);
        quipu__put_u8(out, '"');
    }
}

static void put_json_attributes(struct quipu_printer *printer, const struct quipu_event *event,
                                struct quipu__buffer *out) {
    static const char key[] = ", \"attributes\": {";
    const char *separator = "";
    put_member(printer, key, sizeof key - 1, out);
    for (uint32_t i = 0; i < event->attribute_count; i++) {
        if (!quipu__is_shown(&printer->shown, event->attributes[i].value.key))
            continue;
        quipu__put_text(out, separator);
        put_json_attribute(printer, &event->attributes[i].value, out);
        separator = ", ";
    }
    quipu__put_u8(out, '}');
}

static void put_json_line(struct quipu_printer *printer, const struct quipu_event *event,
                          struct quipu__buffer *out) {
    const struct quipu_kind_info *kind = quipu_kind_at((enum quipu_kind)event->kind);
    printer->needs_separator = false;
    quipu__put_u8(out, '{');
    put_json_head(printer, event, out);
    for (size_t i = 0; i < kind->field_count; i++)
        if (printer->shown.fields[event->kind] >> i & 1)
            put_json_field(printer, event, &kind->fields[i], &kinds[event->kind].labels[i], out);
    if (printer->shown.attributes)
        put_json_attributes(printer, event, out);
    quipu__put(out, "}\n", 2);
}

/* ---- Public ---- */

static const struct quipu_printer_options defaults = QUIPU_PRINTER_OPTIONS_INIT;

/* Everything but memory, names and fields. */
static void begin(struct quipu_printer *printer, const struct quipu_definitions *definitions,
                  const struct quipu_printer_options *options, struct quipu_sink sink) {
    const bool counts_seconds = definitions->clock.ticks_per_second > 0;
    printer->definitions = definitions;
    printer->json = options->json;
    printer->time = counts_seconds ? options->time : QUIPU_TIME_TICKS;
    printer->unit = options->unit;
    quipu__printing_begin(&printer->printing, sink, NULL);
    quipu__memory_init(&printer->printing.memory, &options->allocator, 0);
    show_everything(&printer->shown);
}

static enum quipu_status no_time_of_day(struct quipu_error *err) {
    const enum quipu_status status =
        quipu__fail(err, QUIPU_MISUSE, "the trace does not say at what time of day it was recorded");
    quipu__advise(err, "show relative or absolute times instead, or ticks");
    return status;
}

static enum quipu_status prepare(struct quipu_printer *printer, const struct quipu_printer_options *options,
                                 struct quipu_error *err) {
    const bool needs_date = options->time == QUIPU_TIME_WALL || options->time == QUIPU_TIME_LOCAL;
    if (needs_date && !printer->definitions->clock.has_unix_origin)
        return no_time_of_day(err);
    enum quipu_status status =
        event_names_init(&printer->names, printer->definitions, printer->json, &printer->memory, err);
    if (status == QUIPU_OK && options->fields)
        status = show_chosen(&printer->shown, &printer->memory, &printer->definitions->attribute_keys,
                             options->fields, options->field_count, err);
    return status;
}

enum quipu_status quipu_printer_new(const struct quipu_definitions *definitions,
                                    const struct quipu_printer_options *options, struct quipu_sink sink,
                                    struct quipu_printer **out, struct quipu_error *err) {
    struct quipu__memory memory;
    options = options ? options : &defaults;
    quipu__memory_init(&memory, &options->allocator, 0);
    struct quipu_printer *printer = *out = quipu__alloc_zero(&memory, sizeof *printer);
    if (!printer)
        return quipu__no_memory(err, sizeof *printer);
    printer->memory = memory;
    begin(printer, definitions, options, sink);
    const enum quipu_status status = prepare(printer, options, err);
    if (status == QUIPU_OK)
        return QUIPU_OK;
    quipu_printer_free(printer);
    *out = NULL;
    return status;
}

static void put_line(struct quipu_printer *printer, const struct quipu_event *event) {
    if (printer->json)
        put_json_line(printer, event, &printer->printing.out);
    else
        put_text_line(printer, event, &printer->printing.out);
}

/* Whether a line could be printed. */
static enum quipu_status status_of(const struct quipu__printing *printing, struct quipu_error *err) {
    return QUIPU__UNLIKELY(printing->out.failed) && printing->status == QUIPU_OK
               ? quipu__no_memory(err, printing->out.len)
               : printing->status;
}

enum quipu_status quipu_printer_put(struct quipu_printer *printer, const struct quipu_event *event,
                                    struct quipu_error *err) {
    printer->printing.err = err;
    put_line(printer, event);
    return status_of(&printer->printing, err);
}

static enum quipu_status plan_records(struct quipu_printer *printer, const struct quipu_schema *schema,
                                      struct quipu_error *err) {
    quipu__print_plans_free(printer->plans);
    printer->schema = NULL;
    const enum quipu_status status =
        quipu__print_plans_new(&printer->memory, schema, printer->json, &printer->plans, err);
    if (status == QUIPU_OK)
        printer->schema = schema;
    return status;
}

enum quipu_status quipu_printer_put_record(struct quipu_printer *printer, const struct quipu_schema *schema,
                                           const struct quipu_record *record, struct quipu_error *err) {
    if (QUIPU__UNLIKELY(schema != printer->schema)) {
        const enum quipu_status status = plan_records(printer, schema, err);
        if (status != QUIPU_OK)
            return status;
    }
    printer->printing.err = err;
    quipu__print_record(schema, printer->plans, record, printer->json, &printer->printing.out);
    return status_of(&printer->printing, err);
}

enum quipu_status quipu_printer_flush(struct quipu_printer *printer, struct quipu_error *err) {
    struct quipu__printing *printing = &printer->printing;
    if (printing->status == QUIPU_OK)
        printing->status = quipu__buffer_flush(&printing->out, printing->sink, err);
    return printing->status;
}

void quipu_printer_free(struct quipu_printer *printer) {
    if (!printer)
        return;
    if (printer->names.memory)
        event_names_release(&printer->names);
    shown_release(&printer->shown, &printer->memory);
    quipu__print_plans_free(printer->plans);
    quipu__buffer_release(&printer->printing.out);
    struct quipu__memory memory = printer->memory;
    quipu__release(&memory, printer, sizeof *printer);
}

/* Without a cache of names: it would be made for one event. */
static enum quipu_status write_event(const struct quipu_definitions *definitions,
                                     const struct quipu_event *event, bool json, struct quipu_sink sink,
                                     struct quipu_error *err) {
    struct quipu_printer_options options = defaults;
    struct quipu_printer printer = {.names = {.definitions = definitions, .json = json}};
    options.json = json;
    quipu__memory_init(&printer.memory, &options.allocator, 0);
    begin(&printer, definitions, &options, sink);
    quipu__buffer_init(&printer.names.text, &printer.memory, 0);
    enum quipu_status status = quipu_printer_put(&printer, event, err);
    if (status == QUIPU_OK)
        status = quipu_printer_flush(&printer, err);
    quipu__buffer_release(&printer.names.text);
    quipu__buffer_release(&printer.printing.out);
    return status;
}

enum quipu_status quipu_event_write_json(const struct quipu_definitions *definitions,
                                         const struct quipu_event *event, struct quipu_sink sink,
                                         struct quipu_error *err) {
    return write_event(definitions, event, true, sink, err);
}

enum quipu_status quipu_event_write_text(const struct quipu_definitions *definitions,
                                         const struct quipu_event *event, struct quipu_sink sink,
                                         struct quipu_error *err) {
    return write_event(definitions, event, false, sink, err);
}
