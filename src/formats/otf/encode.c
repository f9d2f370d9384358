/* encode.c: writing lines by the record table, in short or long form, byte for byte as OTF's library does.
 *
 * The long form has one blank before and after each keyword, the first keyword only after it, even when nothing follows.
 * Keywords that are no words (the dots of a version number) have none in either form.
 */
#include "formats/otf/lines.h"

#include <string.h>

/* ---- State lines ---- */

static void put_process(struct quipu__buffer *out, uint32_t process) {
    quipu__put_u8(out, '*');
    quipu__put_hex(out, process);
    quipu__put_u8(out, '\n');
}

void quipu__otf_encode_both_states(struct quipu__buffer *out, struct quipu__otf_clock *clock, uint64_t time,
                                   uint32_t process) {
    clock->time = time;
    clock->process = process;
    quipu__put_hex(out, time);
    quipu__put_u8(out, '\n');
    put_process(out, process);
}

bool quipu__otf_encode_state(struct quipu__buffer *out, struct quipu__otf_clock *clock, uint64_t time,
                             uint32_t process) {
    if (time != 0 && time < clock->time)
        return false;
    if (time == 0 || time > clock->time) {
        quipu__otf_encode_both_states(out, clock, time, process);
    } else if (process != clock->process) {
        clock->process = process;
        put_process(out, process);
    }
    return true;
}

void quipu__otf_encode_trailer(struct quipu__buffer *out, const struct quipu__otf_clock *clock) {
    struct quipu__otf_clock last = *clock;
    if (clock->process != QUIPU__OTF_NO_PROCESS)
        quipu__otf_encode_both_states(out, &last, clock->time, clock->process);
}

/* ---- Parts of lines ---- */

static void put_keyword(struct quipu__buffer *out, const struct quipu_field *field, bool long_form) {
    const char *key = long_form ? field->key_long : field->key;
    const bool is_word = long_form && key[0] >= 'A' && key[0] <= 'Z';
    if (is_word)
        quipu__put_u8(out, ' ');
    quipu__put_text(out, key);
    if (is_word)
        quipu__put_u8(out, ' ');
}

/* Quotes and newlines cannot be said: they become blanks. */
static void put_string(struct quipu__buffer *out, const char *text) {
    const uint32_t len = quipu_sized_count(text);
    quipu__put_u8(out, '"');
    uint8_t *room = quipu__buffer_room(out, len);
    for (uint32_t i = 0; room && i < len; i++)
        room[i] = text[i] == '"' || text[i] == '\n' ? ' ' : (uint8_t)text[i];
    if (room)
        out->len += len;
    quipu__put_u8(out, '"');
}

static void put_list(struct quipu__buffer *out, const uint32_t *list) {
    for (uint32_t i = 0; i < quipu_sized_count(list); i++) {
        quipu__put_hex(out, list[i]);
        quipu__put_u8(out, ',');
    }
}

static uint64_t number_of(const struct quipu_field *field, const void *data) {
    int64_t value;
    quipu__element_i64(field, quipu__member_const(field, data), 0, &value);
    return (uint64_t)value;
}

static const void *pointer_of(const struct quipu_field *field, const void *data) {
    return *(const void *const *)quipu__member_const(field, data);
}

static void put_value(struct quipu__buffer *out, const struct quipu_field *field, const void *data) {
    if (field->shape == QUIPU_LIST)
        put_list(out, pointer_of(field, data));
    else if (field->storage == QUIPU_STORE_STRING)
        put_string(out, pointer_of(field, data));
    else
        quipu__put_hex(out, number_of(field, data));
}

static bool is_zero(const struct quipu_field *field, const void *data) {
    return field->storage == QUIPU_STORE_STRING ? !pointer_of(field, data) : number_of(field, data) == 0;
}

/* Optional parts are left out when zero, but one without a keyword only when nothing comes after it. */
static bool is_written(const struct quipu_record_type *type, uint32_t index, const void *data) {
    const struct quipu_field *field = &type->fields[index];
    if (field->wire == QUIPU__OTF_ALWAYS || field->wire == QUIPU__OTF_MISSING || !is_zero(field, data))
        return true;
    return field->key[0] == '\0' && index + 1u < type->field_count && is_written(type, index + 1, data);
}

/* ---- Lines ---- */

static void put_unknown(struct quipu__buffer *out, const struct quipu__otf_UnknownRecord *unknown) {
    quipu__put(out, unknown->text, quipu_sized_count(unknown->text));
    quipu__put_u8(out, '\n');
}

/* The lines of the master file have no comma behind their last number. */
static void put_master_stream(struct quipu__buffer *out, const struct quipu__otf_MasterStream *stream) {
    quipu__put_hex(out, stream->stream);
    for (uint32_t i = 0; i < quipu_sized_count(stream->processes); i++) {
        quipu__put_u8(out, i ? ',' : ':');
        quipu__put_hex(out, stream->processes[i]);
    }
    quipu__put_u8(out, '\n');
}

void quipu__otf_encode(struct quipu__buffer *out, enum quipu__otf_type type, const void *data, bool long_form) {
    const struct quipu_record_type *row = &quipu__otf_schema.types[type];
    if (type == QUIPU__OTF_UnknownRecord || type == QUIPU__OTF_MasterStream) {
        if (type == QUIPU__OTF_UnknownRecord)
            put_unknown(out, data);
        else
            put_master_stream(out, data);
        return;
    }
    quipu__put_text(out, long_form ? row->key_long : row->key);
    if (long_form && row->group != QUIPU__OTF_MASTER)
        quipu__put_u8(out, ' ');
    for (uint32_t i = 0; i < row->field_count; i++) {
        if (!is_written(row, i, data))
            continue;
        put_keyword(out, &row->fields[i], long_form);
        put_value(out, &row->fields[i], data);
    }
    quipu__put_u8(out, '\n');
}

/* ---- Key-values ---- */

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

static void put_value_head(struct quipu__buffer *out, const struct quipu_value *value, bool long_form) {
    quipu__put_text(out, long_form ? "KEY " : "K");
    quipu__put_hex(out, value->key);
    quipu__put_text(out, long_form ? " TYPE " : "Y");
    quipu__put_hex(out, value->type);
    quipu__put_text(out, long_form ? " VALUE " : "V");
}

static void put_hex_byte(struct quipu__buffer *out, uint8_t byte) {
    static const char digits[] = "0123456789abcdef";
    quipu__put_u8(out, (uint8_t)digits[byte >> 4]);
    quipu__put_u8(out, (uint8_t)digits[byte & 15]);
}

static void put_byte_array(struct quipu__buffer *out, const struct quipu_value *value, bool long_form) {
    for (uint32_t at = 0; at < value->size; at += QUIPU__OTF_CHUNK) {
        const uint32_t left = value->size - at;
        put_value_head(out, value, long_form);
        for (uint32_t i = 0; i < left && i < QUIPU__OTF_CHUNK; i++)
            put_hex_byte(out, (uint8_t)value->data[at + i]);
        quipu__put_text(out, long_form ? "LEN" : "L");
        quipu__put_hex(out, left);
        quipu__put_u8(out, '\n');
    }
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
