/* keyvalues.c: key-value lines: read and written one at a time by keyvalue.def, and collected until their record comes. */
#include "formats/otf/lines.h"

#include "core/text.h"
#include "core/memory/vec.h"

#include <string.h>

/* Up to this many keys before a record, more than a writer has, are searched one by one. */
#define FEW 32

void quipu__otf_values_init(struct quipu__otf_values *values, struct quipu__memory *memory) {
    *values = (struct quipu__otf_values){.memory = memory};
    quipu__map_init(&values->numbers, memory);
    quipu__buffer_init(&values->bytes, memory, 0);
}

void quipu__otf_values_release(struct quipu__otf_values *values) {
    quipu__release(values->memory, values->items, values->capacity * sizeof *values->items);
    quipu__map_release(&values->numbers);
    quipu__buffer_release(&values->bytes);
    values->items = NULL;
    values->count = values->capacity = 0;
}

void quipu__otf_values_clear(struct quipu__otf_values *values) {
    if (values->count > FEW)
        quipu__map_release(&values->numbers);
    values->count = 0;
    values->bytes.len = 0;
    values->bytes.failed = false;
}

static struct quipu_value *find(const struct quipu__otf_values *values, uint32_t key) {
    const size_t few = values->count < FEW ? values->count : FEW;
    for (size_t i = 0; i < few; i++)
        if (values->items[i].key == key)
            return &values->items[i];
    const uint32_t number = values->count > FEW ? quipu__map_get(&values->numbers, key) : QUIPU_NONE;
    return number == QUIPU_NONE ? NULL : &values->items[number];
}

static enum quipu__otf_values_status status_of(bool done) {
    return done ? QUIPU__OTF_VALUE_ADDED : QUIPU__OTF_VALUE_NO_ROOM;
}

enum quipu__otf_values_status quipu__otf_values_add(struct quipu__otf_values *values,
                                                    const struct quipu__otf_value_line *line) {
    struct quipu_value *known = find(values, line->key);
    if (known) {
        /* Only the last array can grow: its bytes are at the end of the buffer. */
        if (line->type != QUIPU_VALUE_BYTES || known->type != QUIPU_VALUE_BYTES ||
            known != &values->items[values->count - 1])
            return QUIPU__OTF_VALUE_AGAIN;
        quipu__put(&values->bytes, line->bytes, line->count);
        known->size += line->count;
        return status_of(!values->bytes.failed);
    }
    if (!quipu__vec_room(values->memory, (void **)&values->items, &values->count, &values->capacity,
                         sizeof *values->items, 1) ||
        (values->count >= FEW && !quipu__map_put(&values->numbers, line->key, (uint32_t)values->count)))
        return QUIPU__OTF_VALUE_NO_ROOM;
    struct quipu_value value = {.key = line->key, .type = line->type, .u = line->u};
    if (line->type == QUIPU_VALUE_BYTES) {
        value.size = line->count;
        value.u = values->bytes.len;
        quipu__put(&values->bytes, line->bytes, line->count);
    }
    values->items[values->count++] = value;
    return status_of(!values->bytes.failed);
}

const struct quipu_value *quipu__otf_values_list(const struct quipu__otf_values *values,
                                                 struct quipu__scratch *scratch) {
    if (values->count == 0)
        return NULL;
    struct quipu_value *list = quipu__scratch_sized(scratch, (uint32_t)values->count, sizeof *list);
    for (size_t i = 0; list && i < values->count; i++) {
        list[i] = values->items[i];
        if (list[i].type != QUIPU_VALUE_BYTES)
            continue;
        list[i].data =
            quipu__scratch_text(scratch, (const char *)values->bytes.data + values->items[i].u, list[i].size);
        if (!list[i].data)
            return NULL;
    }
    return list;
}

double quipu__otf_float_from_bits(uint32_t bits) {
    float single;
    double value;
    if ((bits >> 23 & 0xff) != 0xff) {
        memcpy(&single, &bits, sizeof single);
        return single;
    }
    const uint64_t wide =
        (uint64_t)(bits >> 31) << 63 | UINT64_C(0x7ff) << 52 | (uint64_t)(bits & 0x7fffff) << 29;
    memcpy(&value, &wide, sizeof value);
    return value;
}

/* ---- Reading a line ---- */

static bool take_keyword(struct quipu__keyed_lines *lines, enum quipu__otf_value_field field) {
    return quipu__keyed_take_keyword(lines, &quipu__otf_value_keys[field]);
}

/* Pairs of digits. A single digit at the end is read as the lower half of a byte, but does not count as a byte unless a
 * following length includes it. */
static enum quipu__keyed_result parse_bytes(struct quipu__keyed_lines *lines,
                                            struct quipu__otf_value_line *out) {
    quipu__keyed_skip_blanks(lines);
    for (int high, low; (high = quipu__hex_digit(lines->p[0])) >= 0; out->count++, lines->p += 2) {
        if (out->count == QUIPU__OTF_CHUNK)
            return QUIPU__KEYED_MALFORMED;
        low = quipu__hex_digit(lines->p[1]);
        out->bytes[out->count] = (uint8_t)(low < 0 ? high : high << 4 | low);
        if (low < 0) {
            lines->p++;
            break;
        }
    }
    out->left = out->count;
    if (*lines->p == '\n')
        return QUIPU__KEYED_DECODED;
    if (!take_keyword(lines, QUIPU__OTF_VALUE_FIELD_length))
        return QUIPU__KEYED_DECODED; /* as many as there are; the rest of the line is ignored */
    out->left = (uint32_t)quipu__keyed_take_number(lines);
    return QUIPU__KEYED_DECODED;
}

/* One byte: a single digit is the low half, and digits after the first two are ignored. */
static uint64_t take_char(struct quipu__keyed_lines *lines) {
    quipu__keyed_skip_blanks(lines);
    const int high = quipu__hex_digit(lines->p[0]), low = high < 0 ? -1 : quipu__hex_digit(lines->p[1]);
    if (high < 0)
        return 0;
    return (uint64_t)(low < 0 ? high : high << 4 | low);
}

static enum quipu__keyed_result parse_number_value(struct quipu__keyed_lines *lines,
                                                   struct quipu__otf_value_line *out) {
    if (out->type == QUIPU_VALUE_CHAR) {
        out->u = take_char(lines);
        return QUIPU__KEYED_DECODED;
    }
    const uint64_t number = quipu__keyed_take_number(lines);
    switch ((enum quipu_value_type)out->type) {
    case QUIPU_VALUE_I8:
        return out->i = (int8_t)number, QUIPU__KEYED_DECODED;
    case QUIPU_VALUE_U8:
        return out->u = (uint8_t)number, QUIPU__KEYED_DECODED;
    case QUIPU_VALUE_I16:
        return out->i = (int16_t)number, QUIPU__KEYED_DECODED;
    case QUIPU_VALUE_U16:
        return out->u = (uint16_t)number, QUIPU__KEYED_DECODED;
    case QUIPU_VALUE_I32:
        return out->i = (int32_t)number, QUIPU__KEYED_DECODED;
    case QUIPU_VALUE_U32:
        return out->u = (uint32_t)number, QUIPU__KEYED_DECODED;
    case QUIPU_VALUE_F32:
        return out->f = quipu__otf_float_from_bits((uint32_t)number), QUIPU__KEYED_DECODED;
    default: /* 64 bits of any kind */
        return out->u = number, QUIPU__KEYED_DECODED;
    }
}

enum quipu__keyed_result quipu__otf_decode_value(struct quipu__keyed_lines *lines,
                                                 struct quipu__otf_value_line *out) {
    memset(out, 0, sizeof *out);
    if (lines->kind == QUIPU__OTF_EVENTS)
        quipu__keyed_skip_words(lines);
    out->key = (uint32_t)quipu__keyed_take_number(lines);
    if (!take_keyword(lines, QUIPU__OTF_VALUE_FIELD_type))
        return QUIPU__KEYED_MALFORMED;
    const uint32_t type = (uint32_t)quipu__keyed_take_number(lines);
    if (type > QUIPU_VALUE_BYTES || !take_keyword(lines, QUIPU__OTF_VALUE_FIELD_value))
        return QUIPU__KEYED_MALFORMED;
    out->type = (uint8_t)type;
    const enum quipu__keyed_result result =
        type == QUIPU_VALUE_BYTES ? parse_bytes(lines, out) : parse_number_value(lines, out);
    if (result == QUIPU__KEYED_DECODED)
        quipu__keyed_skip_line(lines);
    return result;
}

/* ---- Writing ---- */

uint32_t quipu__otf_bits_from_float(double value) {
    const float single = (float)value;
    uint64_t wide;
    uint32_t bits;
    if (value < value || value > value || value == value) {
        memcpy(&bits, &single, sizeof bits);
        return bits;
    }
    memcpy(&wide, &value, sizeof wide); /* NaN: its bits are kept */
    return (uint32_t)(wide >> 63) << 31 | UINT32_C(0xff) << 23 | (uint32_t)(wide >> 29 & 0x7fffff);
}

static uint64_t bits_of(const struct quipu_value *value) {
    uint64_t bits;
    switch ((enum quipu_value_type)value->type) {
    case QUIPU_VALUE_CHAR:
    case QUIPU_VALUE_I8:
    case QUIPU_VALUE_U8:
        return value->u & 0xff;
    case QUIPU_VALUE_I16:
    case QUIPU_VALUE_U16:
        return value->u & 0xffff;
    case QUIPU_VALUE_I32:
    case QUIPU_VALUE_U32:
        return value->u & 0xffffffff;
    case QUIPU_VALUE_F32:
        return quipu__otf_bits_from_float(value->f);
    case QUIPU_VALUE_F64:
        memcpy(&bits, &value->f, sizeof bits);
        return bits;
    default:
        return value->u;
    }
}

/* The long form has blanks around keywords, but none around the length's. */
static void put_keyword(struct quipu__buffer *out, enum quipu__otf_value_field field, bool long_form) {
    const bool has_blanks = long_form && field != QUIPU__OTF_VALUE_FIELD_length;
    if (has_blanks && field != QUIPU__OTF_VALUE_FIELD_key)
        quipu__put_u8(out, ' ');
    quipu__put_text(out, long_form ? quipu__otf_value_keys[field].key_long : quipu__otf_value_keys[field].key);
    if (has_blanks)
        quipu__put_u8(out, ' ');
}

static void put_value_head(struct quipu__buffer *out, const struct quipu_value *value, bool long_form) {
    put_keyword(out, QUIPU__OTF_VALUE_FIELD_key, long_form);
    quipu__put_hex(out, value->key);
    put_keyword(out, QUIPU__OTF_VALUE_FIELD_type, long_form);
    quipu__put_hex(out, value->type);
    put_keyword(out, QUIPU__OTF_VALUE_FIELD_value, long_form);
}

static void put_hex_byte(struct quipu__buffer *out, uint8_t byte) {
    static const char digits[] = "0123456789abcdef";
    quipu__put_u8(out, (uint8_t)digits[byte >> 4]);
    quipu__put_u8(out, (uint8_t)digits[byte & 15]);
}

/* An empty array has a line, too: with one digit, since keywords end where other letters begin, which is no byte (parse_bytes). */
static void put_byte_array(struct quipu__buffer *out, const struct quipu_value *value, bool long_form) {
    uint32_t start = 0;
    do {
        const uint32_t left = value->size - start;
        put_value_head(out, value, long_form);
        for (uint32_t i = 0; i < left && i < QUIPU__OTF_CHUNK; i++)
            put_hex_byte(out, (uint8_t)value->data[start + i]);
        if (left == 0)
            quipu__put_u8(out, '0');
        put_keyword(out, QUIPU__OTF_VALUE_FIELD_length, long_form);
        quipu__put_hex(out, left);
        quipu__put_u8(out, '\n');
        start += QUIPU__OTF_CHUNK;
    } while (start < value->size);
}

void quipu__otf_encode_value(struct quipu__buffer *out, const struct quipu_value *value, bool long_form) {
    if (value->type == QUIPU_VALUE_BYTES) {
        put_byte_array(out, value, long_form);
        return;
    }
    put_value_head(out, value, long_form);
    quipu__put_hex(out, bits_of(value));
    quipu__put_u8(out, '\n');
}

void quipu__otf_encode_values(struct quipu__buffer *out, const struct quipu_value *values, bool long_form) {
    for (uint32_t i = 0; i < quipu_sized_count(values); i++)
        quipu__otf_encode_value(out, &values[i], long_form);
}
