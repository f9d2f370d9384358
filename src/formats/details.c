/* details.c: kinds.def defines an event's fields; nothing here depends on a kind. */
#include "formats/details.h"

#include "model/event.h"

#include <string.h>

struct quipu_value quipu__metric_value(const struct quipu_definitions *definitions,
                                       const struct quipu_event *event) {
    static const uint8_t types[] = {[QUIPU_METRIC_U64] = QUIPU_VALUE_U64,
                                    [QUIPU_METRIC_I64] = QUIPU_VALUE_I64,
                                    [QUIPU_METRIC_F64] = QUIPU_VALUE_F64};
    const bool is_defined = event->object < definitions->metrics.count;
    const enum quipu_metric_value type =
        is_defined ? definitions->metrics.items[event->object].value : QUIPU_METRIC_U64;
    return (struct quipu_value){.type = types[type], .size = sizeof event->value, .u = event->value};
}

static struct quipu_value text_value(const char *text) {
    return (struct quipu_value){.type = QUIPU_VALUE_STRING, .size = (uint32_t)strlen(text), .data = text};
}

static bool field_value(const struct quipu_definitions *definitions, const struct quipu_event *event,
                        const struct quipu_kind_field *field, struct quipu_value *out) {
    const int64_t number = quipu_event_get(event, field->column);
    if (field->refers == QUIPU_REFERS_TEXT)
        return false;
    if (field->refers == QUIPU_REFERS_BITS) {
        *out = quipu__metric_value(definitions, event);
        return true;
    }
    if (quipu__is_signed(field->refers)) {
        *out = (struct quipu_value){.type = QUIPU_VALUE_I64, .size = sizeof number, .i = number};
        return true;
    }
    if (quipu__is_unknown(field->column, (uint64_t)number))
        return false;
    const char *name = quipu__name_of(definitions, field->refers, (uint64_t)number);
    *out = name ? text_value(name)
                : (struct quipu_value){.type = QUIPU_VALUE_U64, .size = sizeof number, .u = (uint64_t)number};
    return true;
}

bool quipu__detail_at(const struct quipu_definitions *definitions, const struct quipu_event *event,
                      size_t index, struct quipu__detail *out) {
    const struct quipu_kind_info *kind = quipu_kind_at((enum quipu_kind)event->kind);
    if (index < kind->field_count) {
        out->name = kind->fields[index].name;
        return field_value(definitions, event, &kind->fields[index], &out->value);
    }
    out->value = event->attributes[index - kind->field_count].value;
    out->name = quipu_key_name(definitions, out->value.key);
    return true;
}
