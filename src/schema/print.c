/* print.c: records as JSON and as text, by their tables. One walk over the fields serves both; a style says how
 * names, values and lists look. */
#include "schema/print.h"
#include "schema/schema.h"

#include "core/digits.h"
#include "core/error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Numbers with a fraction: the shortest text that reads back as the same number ---- */

static void put_double(struct quipu__buffer *out, double value, bool json) {
    char text[40];
    if (!isfinite(value)) {
        const char *infinite = value > 0 ? "inf" : "-inf";
        const char *text_form = isnan(value) ? "nan" : infinite;
        quipu__put_text(out, json ? "null" : text_form);
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        double again = 0;
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (sscanf(text, "%lf", &again) == 1 && !(again < value) && !(again > value))
            break;
    }
    quipu__put_text(out, text);
}

/* ---- Typed values ---- */

static void put_hex_bytes(struct quipu__buffer *out, const uint8_t *bytes, uint32_t count) {
    static const char digits[] = "0123456789abcdef";
    for (uint32_t i = 0; i < count; i++) {
        const char pair[2] = {digits[bytes[i] >> 4], digits[bytes[i] & 15]};
        quipu__put(out, pair, 2);
    }
}

static void put_value(const struct quipu_value *value, struct quipu__buffer *out, bool json) {
    switch ((enum quipu_value_type)value->type) {
    case QUIPU_VALUE_I8:
    case QUIPU_VALUE_I16:
    case QUIPU_VALUE_I32:
    case QUIPU_VALUE_I64:
        quipu__put_i64(out, value->i);
        break;
    case QUIPU_VALUE_CHAR:
    case QUIPU_VALUE_U8:
    case QUIPU_VALUE_U16:
    case QUIPU_VALUE_U32:
    case QUIPU_VALUE_U64:
        quipu__put_u64(out, value->u);
        break;
    case QUIPU_VALUE_F32:
    case QUIPU_VALUE_F64:
        put_double(out, value->f, json);
        break;
    case QUIPU_VALUE_BYTES:
        quipu__put_text(out, json ? "\"" : "0x");
        put_hex_bytes(out, (const uint8_t *)value->data, value->size);
        quipu__put_text(out, json ? "\"" : "");
        break;
    case QUIPU_VALUE_STRING:
        if (json)
            quipu__put_json(out, value->data, value->size);
        else {
            quipu__put_u8(out, '"');
            quipu__put_escaped(out, value->data, value->size);
            quipu__put_u8(out, '"');
        }
        break;
    }
}

void quipu__print_value_json(const struct quipu_value *value, struct quipu__buffer *out) {
    put_value(value, out, true);
}

void quipu__print_value_text(const struct quipu_value *value, struct quipu__buffer *out) {
    put_value(value, out, false);
}

/* ---- Fields ---- */

static void put_field(const struct quipu_field *field, const void *data, struct quipu__buffer *out, bool json);

static void put_string(const char *text, struct quipu__buffer *out, bool json) {
    if (!text)
        quipu__put_text(out, json ? "null" : "-");
    else if (json)
        quipu__put_json(out, text, quipu_sized_count(text));
    else {
        quipu__put_u8(out, '"');
        quipu__put_escaped(out, text, quipu_sized_count(text));
        quipu__put_u8(out, '"');
    }
}

/* What stands around a name at most: , "": */
enum { NAME_MARKS = 6 };

/* "name": in JSON, name= in text, where there is room for it; returns the end. No formatting: this runs for every field of every
 * record. */
static uint8_t *write_name(uint8_t *at, const char *name, size_t len, bool json, const char *separator) {
    while (*separator)
        *at++ = (uint8_t)*separator++;
    if (json)
        *at++ = '"';
    memcpy(at, name, len);
    at += len;
    if (json)
        *at++ = '"';
    *at++ = json ? ':' : '=';
    if (json)
        *at++ = ' ';
    return at;
}

static void put_name(const struct quipu_field *field, struct quipu__buffer *out, bool json,
                     const char *separator) {
    const size_t len = strlen(field->name);
    uint8_t *at = quipu__buffer_room(out, len + NAME_MARKS);
    if (at)
        out->len += (size_t)(write_name(at, field->name, len, json, separator) - at);
}

/* Values without names, as a list; a single one that is a list itself stands for itself. */
static void put_tuple(const struct quipu_record_type *type, const void *data, struct quipu__buffer *out,
                      bool json) {
    const bool is_list = type->field_count == 1 && type->fields[0].shape == QUIPU_LIST;
    quipu__put_text(out, is_list ? "" : "[");
    for (size_t i = 0; i < type->field_count; i++) {
        if (i > 0)
            quipu__put_text(out, json ? ", " : " ");
        put_field(&type->fields[i], data, out, json);
    }
    quipu__put_text(out, is_list ? "" : "]");
}

/* A struct of another type: an object in JSON, {name=value name=value} in text. A type named "[]" is a tuple. */
static void put_struct(const struct quipu_record_type *type, const void *data, struct quipu__buffer *out,
                       bool json) {
    const char *separator = "";
    if (strcmp(type->name, "[]") == 0) {
        put_tuple(type, data, out, json);
        return;
    }
    quipu__put_u8(out, '{');
    for (size_t i = 0; i < type->field_count; i++) {
        const struct quipu_field *field = &type->fields[i];
        if (field->optional && !quipu_field_present(type, field, data))
            continue;
        put_name(field, out, json, separator);
        put_field(field, data, out, json);
        separator = json ? ", " : " ";
    }
    quipu__put_u8(out, '}');
}

static void put_number(const struct quipu_field *field, const void *at, struct quipu__buffer *out, bool json) {
    int64_t value = 0;
    if (field->storage == QUIPU_STORE_F64) {
        put_double(out, *(const double *)at, json);
        return;
    }
    if (field->storage == QUIPU_STORE_NUMBER && ((const struct quipu_number *)at)->is_real) {
        put_double(out, ((const struct quipu_number *)at)->f, json);
        return;
    }
    quipu__element_i64(field, at, 0, &value);
    if (field->storage == QUIPU_STORE_U64 ||
        (field->storage == QUIPU_STORE_NUMBER && !((const struct quipu_number *)at)->is_signed))
        quipu__put_u64(out, (uint64_t)value);
    else
        quipu__put_i64(out, value);
    const char *label = json ? NULL : quipu_label_find(field->domain, value);
    if (label && label[0]) {
        quipu__put_u8(out, '(');
        quipu__put_text(out, label);
        quipu__put_u8(out, ')');
    }
}

/* One element of a list, or the only value. at points to the element itself. */
static void put_element(const struct quipu_field *field, const void *at, struct quipu__buffer *out, bool json) {
    switch ((enum quipu_storage)field->storage) {
    case QUIPU_STORE_STRING:
        put_string(*(const char *const *)at, out, json);
        break;
    case QUIPU_STORE_BYTES: {
        const uint8_t *bytes = *(const uint8_t *const *)at;
        quipu__put_u8(out, '"');
        put_hex_bytes(out, bytes, quipu_sized_count(bytes));
        quipu__put_u8(out, '"');
        break;
    }
    case QUIPU_STORE_VALUE: {
        const struct quipu_value *value = at;
        if (value->type == QUIPU_VALUE_STRING && !value->data)
            quipu__put_text(out, json ? "null" : "-");
        else
            put_value(value, out, json);
        break;
    }
    case QUIPU_STORE_VALUES: {
        const struct quipu_value *values = *(const struct quipu_value *const *)at;
        quipu__put_u8(out, json ? '{' : '[');
        for (uint32_t i = 0; i < quipu_sized_count(values); i++) {
            quipu__put_text(out, i ? ", " : "");
            quipu__put_text(out, json ? "\"" : "");
            quipu__put_u64(out, values[i].key);
            quipu__put_text(out, json ? "\": " : "=");
            put_value(&values[i], out, json);
        }
        quipu__put_u8(out, json ? '}' : ']');
        break;
    }
    case QUIPU_STORE_RECORD:
        put_struct(field->element, at, out, json);
        break;
    default:
        put_number(field, at, out, json);
        break;
    }
}

static size_t element_bytes(const struct quipu_field *field) {
    return field->storage == QUIPU_STORE_RECORD ? field->element->size
                                                : quipu__storage_bytes((enum quipu_storage)field->storage);
}

static void put_field(const struct quipu_field *field, const void *data, struct quipu__buffer *out, bool json) {
    const void *at = quipu__member_const(field, data);
    if (field->shape == QUIPU_ONE) {
        put_element(field, at, out, json);
        return;
    }
    const uint8_t *list = *(const uint8_t *const *)at;
    if (!list) {
        quipu__put_text(out, json ? "null" : "-");
        return;
    }
    quipu__put_u8(out, '[');
    for (uint32_t i = 0; i < quipu_sized_count(list); i++) {
        if (i)
            quipu__put_text(out, json ? ", " : " ");
        put_element(field, list + i * element_bytes(field), out, json);
    }
    quipu__put_u8(out, ']');
}

void quipu__print_json_value(const struct quipu_field *field, const void *data, struct quipu__buffer *out) {
    put_field(field, data, out, true);
}

/* ---- Whole records ---- */

/* Fields whose condition does not hold, and optional ones that are missing, are left out. */
static bool is_shown(const struct quipu_record_type *type, const struct quipu_field *field, const void *data) {
    return (field->when < 0 && !field->optional) || quipu_field_present(type, field, data);
}

/* What most fields are: a single integer of which nothing but digits is shown. */
static bool is_bare_integer(const struct quipu_field *field, bool json) {
    return field->shape == QUIPU_ONE && field->storage <= QUIPU_STORE_U64 &&
           (json || (field->domain->label_count == 0 && !field->domain->other_label));
}

/* Such a field with its name, written in place: half the instructions of all records of a trace were spent on handing pieces of this
 * to the buffer (callgrind). */
static void put_integer(const struct quipu_field *field, const void *data, struct quipu__buffer *out, bool json,
                        const char *separator) {
    enum { DIGITS_MOST = 20 + QUIPU__DIGITS_SLACK };
    const size_t len = strlen(field->name);
    uint8_t *const room = quipu__buffer_room(out, len + NAME_MARKS + DIGITS_MOST);
    int64_t value = 0;
    if (!room)
        return;
    char *at = (char *)write_name(room, field->name, len, json, separator);
    quipu__load_integer((enum quipu_storage)field->storage, quipu__member_const(field, data), &value);
    at = field->storage == QUIPU_STORE_U64 ? quipu__put_digits(at, (uint64_t)value)
                                           : quipu__put_signed_digits(at, value);
    out->len += (size_t)(at - (char *)room);
}

static void put_fields(const struct quipu_record_type *type, const void *data, struct quipu__buffer *out,
                       bool json, const char **separator) {
    for (size_t i = 0; data && i < type->field_count; i++) {
        const struct quipu_field *field = &type->fields[i];
        if (!is_shown(type, field, data))
            continue;
        if (is_bare_integer(field, json))
            put_integer(field, data, out, json, *separator);
        else {
            put_name(field, out, json, *separator);
            put_field(field, data, out, json);
        }
        *separator = json ? ", " : " ";
    }
}

void quipu__print_json_fields(const struct quipu_schema *schema, const struct quipu_record *record,
                              struct quipu__buffer *out) {
    const char *separator = "";
    quipu__put_u8(out, '{');
    if (schema->common)
        put_fields(schema->common, record->common, out, true, &separator);
    put_fields(record->type, record->data, out, true, &separator);
    quipu__put_u8(out, '}');
}

/* A text of this file's own before a number. Not put_format: this runs for every record, and formatting its head took more than
 * all of its fields (callgrind). */
static void put_labeled(struct quipu__buffer *out, const char *label, uint64_t number) {
    quipu__put_text(out, label);
    quipu__put_u64(out, number);
}

static void put_json_record(const struct quipu_schema *schema, const struct quipu_record *record,
                            struct quipu__buffer *out) {
    put_labeled(out, "{\"stream\": ", record->stream);
    put_labeled(out, ", \"at\": ", record->byte_offset);
    if (record->line != QUIPU_UNKNOWN)
        put_labeled(out, ", \"line\": ", record->line);
    put_labeled(out, ", \"record\": ", record->index);
    quipu__put_text(out, ", \"type\": \"");
    quipu__put_text(out, record->type->name);
    quipu__put_text(out, "\", \"fields\": ");
    quipu__print_json_fields(schema, record, out);
    quipu__put_text(out, "}\n");
}

static void put_text_record(const struct quipu_schema *schema, const struct quipu_record *record,
                            struct quipu__buffer *out) {
    const char *separator = " ";
    put_labeled(out, "", record->stream);
    put_labeled(out, ":", record->byte_offset);
    quipu__put_u8(out, ' ');
    quipu__put_text(out, record->type->name);
    if (schema->common)
        put_fields(schema->common, record->common, out, false, &separator);
    put_fields(record->type, record->data, out, false, &separator);
    quipu__put_u8(out, '\n');
}

void quipu__print_record(const struct quipu_schema *schema, const struct quipu_record *record, bool json,
                         struct quipu__buffer *out) {
    if (json)
        put_json_record(schema, record, out);
    else
        put_text_record(schema, record, out);
}

static enum quipu_status write_record(const struct quipu_schema *schema, const struct quipu_record *record,
                                      bool json, struct quipu_sink sink, struct quipu_error *err) {
    struct quipu__printing printing;
    quipu__printing_begin(&printing, sink, err);
    quipu__print_record(schema, record, json, &printing.out);
    return quipu__printing_end(&printing);
}

enum quipu_status quipu_record_write_json(const struct quipu_schema *schema, const struct quipu_record *record,
                                          struct quipu_sink sink, struct quipu_error *err) {
    return write_record(schema, record, true, sink, err);
}

enum quipu_status quipu_record_write_text(const struct quipu_schema *schema, const struct quipu_record *record,
                                          struct quipu_sink sink, struct quipu_error *err) {
    return write_record(schema, record, false, sink, err);
}
