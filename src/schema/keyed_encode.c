/* keyed_encode.c: writing records as lines, in the short or the long form, by the record table.
 *
 * The long form has one blank before and after each keyword, the first keyword only after it, even when nothing follows.
 * Keywords that are not words (the dots of a version number) have no blanks in either form.
 */
#include "schema/keyed_text.h"

#include <string.h>

static void put_keyword(struct quipu__buffer *out, const struct quipu_field *field, bool long_form) {
    const char *key = long_form ? field->key_long : field->key;
    const bool is_word = long_form && quipu__keyed_is_word(key);
    if (is_word)
        quipu__put_u8(out, ' ');
    quipu__put_text(out, key);
    if (is_word)
        quipu__put_u8(out, ' ');
}

static bool is_holdable(char c) {
    return c != '"' && c != '\n';
}

static void put_string(struct quipu__buffer *out, const char *text) {
    const uint32_t len = quipu_sized_count(text);
    quipu__put_u8(out, '"');
    uint8_t *room = quipu__buffer_room(out, len);
    for (uint32_t i = 0; room && i < len; i++)
        room[i] = is_holdable(text[i]) ? (uint8_t)text[i] : ' ';
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

/* Optional parts are left out when zero, but a part without a keyword only when nothing follows. */
bool quipu__keyed_is_written(const struct quipu_record_type *type, uint32_t index, const void *data) {
    const struct quipu_field *field = &type->fields[index];
    if (field->wire == QUIPU__PRESENCE_ALWAYS || field->wire == QUIPU__PRESENCE_MISSING ||
        !is_zero(field, data))
        return true;
    return field->key[0] == '\0' && index + 1u < type->field_count &&
           quipu__keyed_is_written(type, index + 1, data);
}

void quipu__keyed_encode(struct quipu__buffer *out, const struct quipu_record_type *type, const void *data,
                         bool long_form) {
    quipu__put_text(out, long_form ? type->key_long : type->key);
    if (long_form && quipu__keyed_is_word(type->key_long))
        quipu__put_u8(out, ' ');
    for (uint32_t i = 0; i < type->field_count; i++) {
        if (!quipu__keyed_is_written(type, i, data))
            continue;
        put_keyword(out, &type->fields[i], long_form);
        put_value(out, &type->fields[i], data);
    }
    quipu__put_u8(out, '\n');
}
