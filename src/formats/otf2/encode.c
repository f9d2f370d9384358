/* encode.c: records as bytes, by their forms (records.def), as scan.c looks over them. Nothing here needs libotf2. */
#include "formats/otf2/format.h"

#include <string.h>

void quipu__otf2_put_raw(struct quipu__buffer *out, uint64_t value, size_t bytes) {
    uint8_t raw[8];
    quipu__otf2_store_64(raw, value);
    quipu__put(out, raw, bytes);
}

static void put_number(struct quipu__buffer *out, uint64_t value, uint64_t undefined) {
    uint8_t *const at = quipu__buffer_room(out, 9);
    if (at)
        out->len += (size_t)(quipu__otf2_store_number(at, value, undefined) - at);
}

static void put_32(struct quipu__buffer *out, uint64_t value) {
    put_number(out, (uint32_t)value, UINT32_MAX);
}

static void put_64(struct quipu__buffer *out, uint64_t value) {
    put_number(out, value, UINT64_MAX);
}

uint32_t quipu__otf2_type_of_value(const struct quipu_value *value) {
    static const uint8_t types[] = {[QUIPU_VALUE_CHAR] = QUIPU__OTF2_U8, [QUIPU_VALUE_I8] = QUIPU__OTF2_I8,
                                    [QUIPU_VALUE_U8] = QUIPU__OTF2_U8,   [QUIPU_VALUE_I16] = QUIPU__OTF2_I16,
                                    [QUIPU_VALUE_U16] = QUIPU__OTF2_U16, [QUIPU_VALUE_I32] = QUIPU__OTF2_I32,
                                    [QUIPU_VALUE_U32] = QUIPU__OTF2_U32, [QUIPU_VALUE_I64] = QUIPU__OTF2_I64,
                                    [QUIPU_VALUE_U64] = QUIPU__OTF2_U64, [QUIPU_VALUE_F32] = QUIPU__OTF2_F32,
                                    [QUIPU_VALUE_F64] = QUIPU__OTF2_F64};
    if (value->type >= QUIPU_VALUE_BYTES)
        return QUIPU__OTF2_U32;
    return value->size > 0 ? value->size : types[value->type];
}

static uint64_t bits_of(const struct quipu_value *value) {
    uint64_t bits = value->u;
    if (value->type == QUIPU_VALUE_F64 || value->type == QUIPU_VALUE_F32)
        memcpy(&bits, &value->f, sizeof bits);
    return bits;
}

static void put_value(struct quipu__buffer *out, const struct quipu_value *value) {
    const uint32_t type = quipu__otf2_type_of_value(value);
    const float narrow = value->type == QUIPU_VALUE_F32 ? (float)value->f : 0;
    uint32_t narrow_bits;
    memcpy(&narrow_bits, &narrow, sizeof narrow_bits);
    quipu__put_u8(out, (uint8_t)type);
    switch (type) {
    case QUIPU__OTF2_U8:
    case QUIPU__OTF2_I8:
        quipu__otf2_put_raw(out, value->u, 1);
        break;
    case QUIPU__OTF2_U16:
    case QUIPU__OTF2_I16:
        quipu__otf2_put_raw(out, value->u, 2);
        break;
    case QUIPU__OTF2_F32:
        quipu__otf2_put_raw(out, narrow_bits, 4);
        break;
    case QUIPU__OTF2_F64:
        quipu__otf2_put_raw(out, bits_of(value), 8);
        break;
    case QUIPU__OTF2_U64:
    case QUIPU__OTF2_I64:
    case QUIPU__OTF2_LOCATION_REF:
        put_64(out, value->u);
        break;
    default:
        put_32(out, value->u);
        break;
    }
}

/* Values of a metric's members are 64 bits of one of three types. */
static void put_metric_value(struct quipu__buffer *out, const struct quipu_value *value) {
    static const uint8_t types[] = {[QUIPU_VALUE_I64] = QUIPU__OTF2_I64, [QUIPU_VALUE_F64] = QUIPU__OTF2_F64};
    const uint8_t type = value->type < sizeof types ? types[value->type] : 0;
    quipu__put_u8(out, type ? type : QUIPU__OTF2_U64);
    put_64(out, bits_of(value));
}

/* A list by what is in the brackets of its form. */
static void put_list(struct quipu__buffer *out, const char *form, const struct quipu_field *field,
                     const void *data) {
    const void *const list = *(const void *const *)quipu__member_const(field, data);
    const uint32_t count = quipu_sized_count(list);
    const struct quipu_value *values = list;
    const bool is_wide = quipu__storage_bytes((enum quipu_storage)field->storage) == sizeof(uint64_t);
    if (form[0] == 'n')
        quipu__put_u8(out, (uint8_t)count);
    else
        put_32(out, count);
    for (uint32_t i = 0; i < count; i++) {
        if (field->storage == QUIPU_STORE_VALUES && form[3] == 'C') {
            put_metric_value(out, &values[i]);
        } else if (field->storage == QUIPU_STORE_VALUES) {
            quipu__put_u8(out, (uint8_t)values[i].key);
            put_value(out, &values[i]);
        } else if (is_wide) {
            put_64(out, ((const uint64_t *)list)[i]);
        } else {
            put_32(out, ((const uint32_t *)list)[i]);
        }
    }
}

/* Pairs of numbers; those of 0, 1, 2 and so on are a list. */
static void put_table(struct quipu__buffer *out, const uint64_t *numbers) {
    const uint32_t count = quipu_sized_count(numbers) / 2;
    bool is_sparse = false;
    for (uint32_t i = 0; i < count; i++)
        is_sparse |= numbers[2 * i] != i;
    put_32(out, count);
    quipu__put_u8(out, is_sparse);
    for (uint32_t i = 0; i < count; i++) {
        if (is_sparse)
            put_64(out, numbers[2 * i]);
        put_64(out, numbers[2 * i + 1]);
    }
}

static void put_field(struct quipu__buffer *out, char item, const struct quipu_field *field, const void *data) {
    const void *const member = quipu__member_const(field, data);
    const char *const *text = member;
    int64_t number = 0;
    quipu_field_get_i64(field, data, &number);
    switch (item) {
    case 'b':
        quipu__put_u8(out, (uint8_t)number);
        break;
    case 'c':
        put_32(out, (uint64_t)number);
        break;
    case 'C':
        put_64(out, (uint64_t)number);
        break;
    case 'r':
        quipu__otf2_put_raw(out, *(const uint64_t *)member, 8); /* of a number or a real one */
        break;
    case 's':
        quipu__put(out, *text ? *text : "", quipu_sized_count(*text) + (size_t)(*text != NULL));
        if (!*text)
            quipu__put_u8(out, 0);
        break;
    case 'M':
        put_table(out, *(const uint64_t *const *)member);
        break;
    default: /* v: the list has one */
        put_value(out, member);
        break;
    }
}

/* What older versions had: a text in front of a value. */
static void put_older(struct quipu__buffer *out, char item, const struct quipu_field *field, const void *data) {
    const struct quipu_value *value = quipu__member_const(field, data);
    if (item == 'o')
        quipu__put_u8(out, 0);
    else
        put_32(out, quipu__otf2_type_of_value(value) == QUIPU__OTF2_STRING_REF ? value->u : UINT32_MAX);
}

static void put_fields(struct quipu__buffer *out, const struct quipu_record_type *type, const void *data) {
    const char *order = type->key_long;
    size_t next = type->group == QUIPU__OTF2_GROUP_EVENT ? 2 : 0; /* behind location and time */
    for (const char *form = type->key; *form; form++) {
        const size_t index = order[0] ? (size_t)(*order - '0') : next;
        const struct quipu_field *field = &type->fields[index];
        if (*form == 'o' || *form == 'O') {
            put_older(out, *form, field, data);
            continue;
        }
        if (*form == 'n' || *form == 'm') {
            put_list(out, form, field, data);
            form = strchr(form, ')');
        } else {
            put_field(out, *form, field, data);
        }
        next++;
        if (order[0] && order[1])
            order++;
    }
}

/* Puts the length, which a byte was left free for, in front of what has been put since. */
static void end_length(struct quipu__buffer *out, size_t start) {
    const size_t len = out->len - start;
    if (out->failed)
        return;
    out->data[start - 1] = len < QUIPU__OTF2_LONG ? (uint8_t)len : QUIPU__OTF2_LONG;
    if (len < QUIPU__OTF2_LONG || !quipu__buffer_room(out, 8))
        return;
    memmove(out->data + start + 8, out->data + start, len);
    quipu__otf2_store_64(out->data + start, len);
    out->len += 8;
}

static void put_attributes(struct quipu__buffer *out, const struct quipu_value *values) {
    quipu__put_u8(out, QUIPU__OTF2_ATTRIBUTES);
    quipu__put_u8(out, 0);
    const size_t start = out->len;
    put_32(out, quipu_sized_count(values));
    for (uint32_t i = 0; i < quipu_sized_count(values); i++) {
        put_32(out, values[i].key);
        put_value(out, &values[i]);
    }
    end_length(out, start);
}

/* Length and fields of an event that has numbers only, as most; false, with nothing put, where it has something else. */
static bool put_numbers(struct quipu__buffer *out, const struct quipu_record_type *type, const void *data) {
    enum { NUMBER_BYTES = 1 + 8 };
    uint8_t *const length = quipu__buffer_room(out, 1 + NUMBER_BYTES * QUIPU__OTF2_FIELDS_MOST);
    const struct quipu_field *field = &type->fields[2]; /* behind location and time */
    if (!length || type->key_long[0])
        return false;
    uint8_t *at = length + 1;
    for (const char *form = type->key; *form; form++, field++) {
        const void *const member = quipu__member_const(field, data);
        const uint64_t number =
            field->storage == QUIPU_STORE_U32 ? *(const uint32_t *)member : *(const uint64_t *)member;
        if (*form == 'c')
            at = quipu__otf2_store_number(at, number, UINT32_MAX);
        else if (*form == 'C')
            at = quipu__otf2_store_number(at, number, UINT64_MAX);
        else if (*form == 'b')
            *at++ = (uint8_t)number;
        else
            return false;
    }
    *length = (uint8_t)(at - length - 1);
    out->len += (size_t)(at - length);
    return true;
}

/* A record behind its attributes; of an event without its time. */
void quipu__otf2_encode(struct quipu__buffer *out, const struct quipu_record_type *type, const void *data) {
    const bool is_event = type->group == QUIPU__OTF2_GROUP_EVENT;
    if (is_event) {
        const struct quipu_field *field = &type->fields[type->field_count - 1];
        const struct quipu_value *attributes =
            *(const struct quipu_value *const *)quipu__member_const(field, data);
        if (attributes && quipu_sized_count(attributes) > 0)
            put_attributes(out, attributes);
    }
    quipu__put_u8(out, (uint8_t)type->id);
    const bool is_single = is_event && quipu__otf2_is_single(type->id);
    if (is_event && !is_single && put_numbers(out, type, data))
        return;
    if (!is_single)
        quipu__put_u8(out, 0);
    const size_t start = out->len;
    put_fields(out, type, data);
    if (!is_single)
        end_length(out, start);
}
