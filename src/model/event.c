/* event.c: events as JSON and as text. kinds.def says which columns a kind has and what their numbers refer to. */
#include "model/event.h"

#include "core/buffer.h"
#include "schema/schema.h"

#include <quipu/model.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int64_t quipu_event_get(const struct quipu_event *event, enum quipu_column column) {
    switch (column) {
#define QUIPU_COLUMN(name, c_type, doc)                                                                        \
    case QUIPU_COLUMN_##name:                                                                                  \
        return (int64_t)event->name;
#include <quipu/columns.def>
#undef QUIPU_COLUMN
    case QUIPU_COLUMN_COUNT:
        break;
    }
    return 0;
}

const char *quipu_key_name(const struct quipu_definitions *definitions, uint32_t key) {
    if (key == QUIPU_KEY_TEXT)
        return "text";
    if (key == QUIPU_KEY_SOURCE)
        return "source";
    return key < definitions->attribute_keys.count ? definitions->attribute_keys.items[key].name : "unknown";
}

/* What fields refer to by number that has a list, a name and a native number. */
#define LISTS(LIST)                                                                                            \
    LIST(LOCATION, locations)                                                                                  \
    LIST(REGION, regions)                                                                                      \
    LIST(GROUP, groups)                                                                                        \
    LIST(FILE, files)                                                                                          \
    LIST(METRIC, metrics)                                                                                      \
    LIST(MARKER, markers)                                                                                      \
    LIST(CHANNEL, channels)                                                                                    \
    LIST(TASK_TYPE, task_types)

const char *quipu__name_of(const struct quipu_definitions *definitions, enum quipu_refers refers,
                           uint64_t number) {
    switch (refers) {
#define LIST(what, plural)                                                                                     \
    case QUIPU_REFERS_##what:                                                                                  \
        return number < definitions->plural.count ? definitions->plural.items[number].name : NULL;
        LISTS(LIST)
#undef LIST
    case QUIPU_REFERS_IO_OPERATION:
    case QUIPU_REFERS_COLLECTIVE:
    case QUIPU_REFERS_RMA_OPERATION:
        return quipu_operation_name(refers, (uint32_t)number);
    default:
        return NULL;
    }
}

uint64_t quipu__native_id_of(const struct quipu_definitions *definitions, enum quipu_refers refers,
                             uint64_t number) {
    switch (refers) {
#define LIST(what, plural)                                                                                     \
    case QUIPU_REFERS_##what:                                                                                  \
        return number < definitions->plural.count ? definitions->plural.items[number].native_id : QUIPU_UNKNOWN;
        LISTS(LIST)
#undef LIST
    default:
        return QUIPU_UNKNOWN;
    }
}

uint64_t quipu__count_of(const struct quipu_definitions *definitions, enum quipu_refers refers) {
    switch (refers) {
#define LIST(what, plural)                                                                                     \
    case QUIPU_REFERS_##what:                                                                                  \
        return definitions->plural.count;
        LISTS(LIST)
#undef LIST
    case QUIPU_REFERS_IO_OPERATION:
        return QUIPU_IO_COUNT;
    case QUIPU_REFERS_COLLECTIVE:
        return QUIPU_COLLECTIVE_COUNT;
    case QUIPU_REFERS_RMA_OPERATION:
        return QUIPU_RMA_COUNT;
    default:
        return QUIPU_UNKNOWN;
    }
}

/* No tree of locations is deeper; a loop in a damaged one ends here. */
enum { DEPTH_MOST = 16 };

uint32_t quipu__process_of(const struct quipu_definitions *definitions, uint32_t location) {
    uint32_t ancestor = location;
    for (int depth = 0; depth < DEPTH_MOST && ancestor < definitions->locations.count; depth++) {
        if (definitions->locations.items[ancestor].kind == QUIPU_LOCATION_PROCESS)
            return ancestor;
        ancestor = definitions->locations.items[ancestor].parent;
    }
    return location;
}

bool quipu__is_unknown(enum quipu_column column, uint64_t number) {
    static const uint8_t widths[] = {
#define QUIPU_COLUMN(name, c_type, doc) sizeof(c_type),
#include <quipu/columns.def>
#undef QUIPU_COLUMN
    };
    return number == (widths[column] == 4 ? QUIPU_NONE : QUIPU_UNKNOWN);
}

/* Whether a field says anything: fields whose number is not known are left out of text. Where any number is a value, none
 * stands for that. */
static bool is_known(const struct quipu_event *event, const struct quipu_kind_field *field) {
    static const bool is_anything[] = {[QUIPU_REFERS_SIGNED] = true,
                                       [QUIPU_REFERS_BITS] = true,
                                       [QUIPU_REFERS_CHANNEL_VALUE] = true,
                                       [QUIPU_REFERS_TEXT] = true,
                                       [QUIPU_REFERS_RMA_OPERATION] = false};
    return is_anything[field->refers] ||
           !quipu__is_unknown(field->column, (uint64_t)quipu_event_get(event, field->column));
}

static void put_metric(const struct quipu_definitions *definitions, const struct quipu_event *event,
                       struct quipu__buffer *out, bool json) {
    const bool is_defined = event->object < definitions->metrics.count;
    const enum quipu_metric_value type =
        is_defined ? definitions->metrics.items[event->object].value : QUIPU_METRIC_U64;
    static const uint8_t value_types[] = {QUIPU_VALUE_U64, QUIPU_VALUE_I64, QUIPU_VALUE_F64};
    struct quipu_value value = {.type = value_types[type], .u = event->value};
    (json ? quipu__print_value_json : quipu__print_value_text)(&value, out);
}

static const struct quipu_value *find_text(const struct quipu_event *event) {
    for (uint32_t i = 0; i < event->attribute_count; i++)
        if (event->attributes[i].value.key == QUIPU_KEY_TEXT)
            return &event->attributes[i].value;
    return NULL;
}

/* The label of a channel's value; NULL when it has none. */
static const char *label_of(const struct quipu_definitions *definitions, const struct quipu_event *event,
                            const struct quipu_kind_field *field) {
    if (field->refers != QUIPU_REFERS_CHANNEL_VALUE || event->object >= definitions->channels.count)
        return NULL;
    return quipu_channel_label(&definitions->channels.items[event->object],
                               quipu_event_get(event, field->column));
}

/* What the number of a field is called; NULL when it has no name. */
static const char *name_of(const struct quipu_definitions *definitions, const struct quipu_event *event,
                           const struct quipu_kind_field *field) {
    const uint64_t number = (uint64_t)quipu_event_get(event, field->column);
    if (field->refers == QUIPU_REFERS_CHANNEL_VALUE)
        return label_of(definitions, event, field);
    return quipu__is_unknown(field->column, number) ? NULL : quipu__name_of(definitions, field->refers, number);
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

static void put_field(const struct quipu_definitions *definitions, const struct quipu_event *event,
                      const struct quipu_kind_field *field, struct quipu__buffer *out, bool json) {
    const uint64_t number = (uint64_t)quipu_event_get(event, field->column);
    const char *name = name_of(definitions, event, field);
    const struct quipu_value *text = field->refers == QUIPU_REFERS_TEXT ? find_text(event) : NULL;
    const bool is_operation = field->refers >= QUIPU_REFERS_IO_OPERATION;
    if (field->refers == QUIPU_REFERS_BITS)
        put_metric(definitions, event, out, json);
    else if (text)
        (json ? quipu__print_value_json : quipu__print_value_text)(text, out);
    else if (json && is_operation && name)
        quipu__put_json(out, name, strlen(name));
    else if (!json && name)
        quipu__put_escaped(out, name, strlen(name));
    else
        put_number(field, number, out, json ? "null" : "?");
}

/* The name stands beside the number. */
static void put_label(const char *label, const struct quipu_kind_field *field, struct quipu__buffer *out) {
    if (!label)
        return;
    quipu__put_format(out, ", \"%s_name\": ", field->name);
    quipu__put_json(out, label, strlen(label));
}

static void put_json_event(const struct quipu_definitions *definitions, const struct quipu_event *event,
                           struct quipu__buffer *out) {
    const struct quipu_kind_info *kind = quipu_kind_at((enum quipu_kind)event->kind);
    const char *separator = "";
    quipu__put_format(
        out, "{\"time\": %" PRId64 ", \"time_ns\": %" PRId64 ", \"location\": %" PRIu32 ", \"kind\": \"%s\"",
        event->time, quipu_clock_ns(&definitions->clock, event->time), event->location, kind->name);
    for (size_t i = 0; i < kind->field_count; i++) {
        quipu__put_format(out, ", \"%s\": ", kind->fields[i].name);
        put_field(definitions, event, &kind->fields[i], out, true);
        put_label(label_of(definitions, event, &kind->fields[i]), &kind->fields[i], out);
    }
    quipu__put_text(out, ", \"attributes\": {");
    for (uint32_t i = 0; i < event->attribute_count; i++) {
        const struct quipu_value *value = &event->attributes[i].value;
        const char *name = quipu_key_name(definitions, value->key);
        if (value->key == QUIPU_KEY_TEXT)
            continue;
        quipu__put_text(out, separator);
        quipu__put_json(out, name, strlen(name));
        quipu__put_text(out, ": ");
        quipu__print_value_json(value, out);
        separator = ", ";
    }
    quipu__put_text(out, "}}\n");
}

static void put_text_event(const struct quipu_definitions *definitions, const struct quipu_event *event,
                           struct quipu__buffer *out) {
    const struct quipu_kind_info *kind = quipu_kind_at((enum quipu_kind)event->kind);
    const char *location = quipu__name_of(definitions, QUIPU_REFERS_LOCATION, event->location);
    quipu__put_format(out, "%20" PRId64 "  ", event->time);
    quipu__put_escaped(out, location ? location : "?", location ? strlen(location) : 1);
    quipu__put_format(out, "  %s", kind->name);
    for (size_t i = 0; i < kind->field_count; i++) {
        if (!is_known(event, &kind->fields[i]))
            continue;
        quipu__put_format(out, " %s=", kind->fields[i].name);
        put_field(definitions, event, &kind->fields[i], out, false);
    }
    for (uint32_t i = 0; i < event->attribute_count; i++) {
        const struct quipu_value *value = &event->attributes[i].value;
        if (value->key == QUIPU_KEY_TEXT)
            continue;
        const char *name = quipu_key_name(definitions, value->key);
        quipu__put_u8(out, ' ');
        quipu__put_escaped(out, name, strlen(name));
        quipu__put_u8(out, '=');
        quipu__print_value_text(value, out);
    }
    quipu__put_u8(out, '\n');
}

typedef void put_event_fn(const struct quipu_definitions *, const struct quipu_event *, struct quipu__buffer *);

static enum quipu_status write_event(const struct quipu_definitions *definitions,
                                     const struct quipu_event *event, struct quipu_sink sink,
                                     struct quipu_error *err, put_event_fn *put) {
    struct quipu__printing printing;
    quipu__printing_begin(&printing, sink, err);
    put(definitions, event, &printing.out);
    return quipu__printing_end(&printing);
}

enum quipu_status quipu_event_write_json(const struct quipu_definitions *definitions,
                                         const struct quipu_event *event, struct quipu_sink sink,
                                         struct quipu_error *err) {
    return write_event(definitions, event, sink, err, put_json_event);
}

enum quipu_status quipu_event_write_text(const struct quipu_definitions *definitions,
                                         const struct quipu_event *event, struct quipu_sink sink,
                                         struct quipu_error *err) {
    return write_event(definitions, event, sink, err, put_text_event);
}
