/* print.c: records as JSON and as text, by their tables. One walk over the fields serves both; a style says how
 * names, values and lists look. */
#include "schema/print.h"
#include "schema/schema.h"

#include "core/digits.h"
#include "core/error.h"
#include "core/real.h"

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
        quipu__print(text, sizeof text, "%.*g", digits, value);
        const double again = quipu__read_real(text, NULL);
        if (!(again < value) && !(again > value))
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

void quipu__print_value(const struct quipu_value *value, struct quipu__buffer *out, bool json) {
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

/* The most bytes around a name: , "": */
enum { NAME_MARKS = 6 };

/* "name": in JSON, name= in text; there must be room for it. Returns the end. No formatting: this runs for every field of every
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

/* Values without names, as a list; a single value that is a list itself is not wrapped. */
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
            quipu__print_value(value, out, json);
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
            quipu__print_value(&values[i], out, json);
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

/* ---- Fields of a record ---- */

/* Room for what precedes a value, and for an integer with what is written after its digits. */
enum { LABEL_MOST = 32, DIGITS_MOST = 1 + 20 + QUIPU__DIGITS_SLACK, STEP_BYTES = LABEL_MOST + DIGITS_MOST };

/* Whether a field is shown depends on the record if it has a condition, or if it is optional and a list or text. */
enum absence { ALWAYS_SHOWN, MAY_BE_NULL, HAS_CONDITION };

/* A field of a record as a line shows it. */
struct quipu__print_step {
    const struct quipu_field *field;
    char label[LABEL_MOST + 2]; /* separator, name and marks, when they fit; copied as a whole */
    uint8_t label_len;
    uint8_t storage;
    uint8_t absence; /* enum absence */
    bool is_integer; /* shown as a label and digits only */
    uint16_t offset;
};

static const char *separator_of(bool json) {
    return json ? ", " : " ";
}

/* Most fields are a single integer of which only digits are shown. */
static bool is_bare_integer(const struct quipu_field *field, bool json) {
    return field->shape == QUIPU_ONE && field->storage <= QUIPU_STORE_U64 &&
           (json || (field->domain->label_count == 0 && !field->domain->other_label));
}

static enum absence absence_of(const struct quipu_field *field) {
    const bool is_pointer = field->shape == QUIPU_LIST || field->storage >= QUIPU_STORE_STRING;
    if (field->when >= 0)
        return HAS_CONDITION;
    return field->optional && is_pointer ? MAY_BE_NULL : ALWAYS_SHOWN;
}

static void make_step(const struct quipu_field *field, bool json, struct quipu__print_step *step) {
    const size_t len = strlen(field->name);
    const bool fits = len + NAME_MARKS <= LABEL_MOST;
    uint8_t *const label = (uint8_t *)step->label;
    *step = (struct quipu__print_step){.field = field,
                                       .storage = field->storage,
                                       .is_integer = fits && is_bare_integer(field, json),
                                       .absence = (uint8_t)absence_of(field),
                                       .offset = field->offset};
    if (fits)
        step->label_len = (uint8_t)(write_name(label, field->name, len, json, separator_of(json)) - label);
}

/* Writes things of limited length straight into the room of a buffer. */
struct line {
    struct quipu__buffer *out;
    char *at; /* NULL: there is no room */
    bool json;
    bool needs_separator; /* something precedes the next field */
};

static void end_line(const struct line *line) {
    if (line->at)
        line->out->len = (size_t)(line->at - (char *)line->out->data);
}

/* Makes room; what was put so far is part of the buffer. */
static void make_line_room(struct line *line, size_t room) {
    line->at = (char *)quipu__buffer_room(line->out, room);
}

/* The integer of a step with its label without the label's first bytes. */
QUIPU__INLINE char *put_integer(const struct quipu__print_step *step, size_t left_out, const void *data,
                                char *at) {
    const void *const member = (const uint8_t *)data + step->offset;
    int64_t value = 0;
    memcpy(at, step->label + left_out, LABEL_MOST);
    at += step->label_len - left_out;
    if (step->storage == QUIPU_STORE_U32)
        return quipu__put_digits(at, *(const uint32_t *)member);
    if (step->storage == QUIPU_STORE_U64)
        return quipu__put_digits(at, *(const uint64_t *)member);
    quipu__load_integer((enum quipu_storage)step->storage, member, &value);
    return quipu__put_signed_digits(at, value);
}

/* A field that is not an integer, or has a long name; room is for what follows. */
static void put_other(const struct quipu__print_step *step, size_t left_out, const void *data, size_t room,
                      struct line *line) {
    end_line(line);
    put_name(step->field, line->out, line->json, separator_of(line->json) + left_out);
    put_field(step->field, data, line->out, line->json);
    make_line_room(line, room);
}

QUIPU__INLINE bool is_absent(const struct quipu__print_step *step, const struct quipu_record_type *type,
                             const void *data) {
    if (step->absence == MAY_BE_NULL)
        return *(const void *const *)(const void *)((const uint8_t *)data + step->offset) == NULL;
    return step->absence == HAS_CONDITION && !quipu_field_present(type, step->field, data);
}

/* Puts the fields of a record; there is room for them and for that many bytes after them. */
QUIPU__INLINE void put_steps(const struct quipu__print_step *step, size_t count,
                             const struct quipu_record_type *type, const void *data, size_t behind,
                             struct line *line) {
    size_t left_out = line->needs_separator ? 0 : strlen(separator_of(line->json));
    char *at = line->at;
    for (const struct quipu__print_step *const end = step + count; at && step < end; step++) {
        if (is_absent(step, type, data))
            continue;
        if (QUIPU__LIKELY(step->is_integer)) {
            at = put_integer(step, left_out, data, at);
        } else {
            line->at = at;
            put_other(step, left_out, data, (size_t)(end - step) * STEP_BYTES + behind, line);
            at = line->at;
        }
        left_out = 0;
        line->needs_separator = true;
    }
    line->at = at;
}

/* Without a plan: for few records. */
static void put_fields(const struct quipu_record_type *type, const void *data, size_t behind,
                       struct line *line) {
    enum { SOME = 8 };
    struct quipu__print_step steps[SOME];
    for (size_t first = 0; data && line->at && first < type->field_count; first += SOME) {
        const size_t left = type->field_count - first, count = left < SOME ? left : SOME;
        for (size_t i = 0; i < count; i++)
            make_step(&type->fields[first + i], line->json, &steps[i]);
        end_line(line);
        make_line_room(line, count * STEP_BYTES + behind);
        if (line->at)
            put_steps(steps, count, type, data, behind, line);
    }
}

/* ---- Plans ---- */

/* The steps of a type, and its name after a blank if it fits. */
struct quipu__print_plan {
    const struct quipu__print_step *steps;
    size_t count;
    char name[LABEL_MOST];
    size_t name_len; /* 0: it does not fit */
};

struct quipu__print_plans {
    struct quipu__memory *memory;
    const struct quipu_schema *schema;
    bool json;
    size_t size; /* of all this */
    struct quipu__print_plan common;
    struct quipu__print_plan *types;
};

static size_t count_fields(const struct quipu_schema *schema) {
    size_t count = schema->common ? schema->common->field_count : 0;
    for (size_t i = 0; i < schema->type_count; i++)
        count += schema->types[i].field_count;
    return count;
}

/* Makes the steps of a type at *at, and moves *at after them. */
static struct quipu__print_plan make_plan(const struct quipu_record_type *type, bool json,
                                          struct quipu__print_step **at) {
    const size_t len = strlen(type->name);
    struct quipu__print_plan plan = {.steps = *at, .count = type->field_count};
    if (len < LABEL_MOST) {
        plan.name[0] = ' ';
        memcpy(plan.name + 1, type->name, len);
        plan.name_len = 1 + len;
    }
    for (size_t i = 0; i < type->field_count; i++)
        make_step(&type->fields[i], json, (*at)++);
    return plan;
}

enum quipu_status quipu__print_plans_new(struct quipu__memory *memory, const struct quipu_schema *schema,
                                         bool json, struct quipu__print_plans **out, struct quipu_error *err) {
    const size_t types_bytes = schema->type_count * sizeof(struct quipu__print_plan);
    const size_t size = sizeof **out + types_bytes + count_fields(schema) * sizeof(struct quipu__print_step);
    struct quipu__print_plans *plans = *out = quipu__alloc_zero(memory, size);
    if (!plans)
        return quipu__no_memory(err, size);
    *plans = (struct quipu__print_plans){.memory = memory, .schema = schema, .json = json, .size = size};
    plans->types = (struct quipu__print_plan *)(plans + 1);
    struct quipu__print_step *at = (struct quipu__print_step *)(plans->types + schema->type_count);
    if (schema->common)
        plans->common = make_plan(schema->common, json, &at);
    for (size_t i = 0; i < schema->type_count; i++)
        plans->types[i] = make_plan(&schema->types[i], json, &at);
    return QUIPU_OK;
}

void quipu__print_plans_free(struct quipu__print_plans *plans) {
    if (plans)
        quipu__release(plans->memory, plans, plans->size);
}

/* ---- Whole records ---- */

/* What surrounds the fields: numbers, short texts, and the type's name unless it is long. */
enum { AROUND_BYTES = 4 * STEP_BYTES };

/* The common fields and the record's own. There is room for what follows if there is any. */
QUIPU__INLINE void put_all_fields(const struct quipu_schema *schema, const struct quipu__print_plans *plans,
                                  const struct quipu__print_plan *plan, const struct quipu_record *record,
                                  struct line *line) {
    if (QUIPU__UNLIKELY(!plan)) {
        if (schema->common)
            put_fields(schema->common, record->common, AROUND_BYTES, line);
        put_fields(record->type, record->data, AROUND_BYTES, line);
        return;
    }
    const size_t behind = plan->count * STEP_BYTES + AROUND_BYTES;
    if (record->common)
        put_steps(plans->common.steps, plans->common.count, schema->common, record->common, behind, line);
    put_steps(plan->steps, plan->count, record->type, record->data, AROUND_BYTES, line);
}

static const struct quipu__print_plan *plan_of(const struct quipu_schema *schema,
                                               const struct quipu__print_plans *plans,
                                               const struct quipu_record *record) {
    return plans ? &plans->types[record->type - schema->types] : NULL;
}

/* Bytes of the part of a record's line that is written directly. */
static size_t line_bytes(const struct quipu__print_plans *plans, const struct quipu__print_plan *plan) {
    return plan ? AROUND_BYTES + (plans->common.count + plan->count) * STEP_BYTES : AROUND_BYTES;
}

void quipu__print_json_fields(const struct quipu_schema *schema, const struct quipu_record *record,
                              struct quipu__buffer *out) {
    struct line line = {.out = out, .json = true};
    quipu__put_u8(out, '{');
    make_line_room(&line, AROUND_BYTES);
    put_all_fields(schema, NULL, NULL, record, &line);
    end_line(&line);
    quipu__put_u8(out, '}');
}

/* A constant text before a number. Not put_format: this runs for every record, and formatting its head took more than all its
 * fields (callgrind). */
static void put_labeled(struct quipu__buffer *out, const char *label, uint64_t number) {
    quipu__put_text(out, label);
    quipu__put_u64(out, number);
}

static void put_json_record(const struct quipu_schema *schema, const struct quipu__print_plans *plans,
                            const struct quipu_record *record, struct quipu__buffer *out) {
    const struct quipu__print_plan *plan = plan_of(schema, plans, record);
    struct line line = {.out = out, .json = true};
    put_labeled(out, "{\"stream\": ", record->stream);
    put_labeled(out, ", \"at\": ", record->byte_offset);
    if (record->line != QUIPU_UNKNOWN)
        put_labeled(out, ", \"line\": ", record->line);
    put_labeled(out, ", \"record\": ", record->index);
    quipu__put_text(out, ", \"type\": \"");
    quipu__put_text(out, record->type->name);
    quipu__put_text(out, "\", \"fields\": {");
    make_line_room(&line, line_bytes(plans, plan));
    put_all_fields(schema, plans, plan, record, &line);
    end_line(&line);
    quipu__put_text(out, "}}\n");
}

/* The type's name, from a plan that has it as a whole. */
static void put_type_name(const struct quipu__print_plan *plan, const struct quipu_record *record, size_t room,
                          struct line *line) {
    if (QUIPU__LIKELY(plan && plan->name_len > 0)) {
        memcpy(line->at, plan->name, LABEL_MOST);
        line->at += plan->name_len;
        return;
    }
    end_line(line);
    quipu__put_u8(line->out, ' ');
    quipu__put_text(line->out, record->type->name);
    make_line_room(line, room);
}

static void put_text_record(const struct quipu_schema *schema, const struct quipu__print_plans *plans,
                            const struct quipu_record *record, struct quipu__buffer *out) {
    const struct quipu__print_plan *plan = plan_of(schema, plans, record);
    const size_t room = line_bytes(plans, plan);
    struct line line = {.out = out, .needs_separator = true};
    make_line_room(&line, room);
    if (!line.at)
        return;
    line.at = quipu__put_digits(line.at, record->stream);
    *line.at = ':';
    line.at = quipu__put_digits(line.at + 1, record->byte_offset);
    put_type_name(plan, record, room, &line);
    put_all_fields(schema, plans, plan, record, &line);
    if (line.at)
        *line.at++ = '\n';
    end_line(&line);
}

void quipu__print_record(const struct quipu_schema *schema, const struct quipu__print_plans *plans,
                         const struct quipu_record *record, bool json, struct quipu__buffer *out) {
    (json ? put_json_record : put_text_record)(schema, plans, record, out);
}

static enum quipu_status write_record(const struct quipu_schema *schema, const struct quipu_record *record,
                                      bool json, struct quipu_sink sink, struct quipu_error *err) {
    struct quipu__printing printing;
    quipu__printing_begin(&printing, sink, err);
    quipu__print_record(schema, NULL, record, json, &printing.out);
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
