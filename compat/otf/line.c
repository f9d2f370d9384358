/* line.c: lines in pieces. OTF 1.12.5 makes room in the write buffer piece by piece, and a piece that is larger
 * than the whole buffer is lost alone; the format's own encoder knows no such buffers, so lines are put
 * together here, from the same table. */
#include "line.h"

#include <string.h>

static const void *member(const struct quipu_field *field, const void *fields) {
    return (const uint8_t *)fields + field->offset;
}

static const void *pointer(const struct quipu_field *field, const void *fields) {
    return *(const void *const *)member(field, fields);
}

static uint64_t number(const struct quipu_field *field, const void *fields) {
    switch (field->storage) {
    case QUIPU_STORE_U8:
        return *(const uint8_t *)member(field, fields);
    case QUIPU_STORE_U32:
        return *(const uint32_t *)member(field, fields);
    default:
        return *(const uint64_t *)member(field, fields);
    }
}

uint32_t compat_write_word(OTF_WBuffer *wbuffer, const char *keyword, bool is_inside) {
    char word[32] = " ";
    const size_t length = strlen(keyword);
    memcpy(word + is_inside, keyword, length);
    memcpy(word + is_inside + length, " ", 2);
    return OTF_WBuffer_writeKeyword(wbuffer, word);
}

static void write_keyword(OTF_WBuffer *wbuffer, const struct quipu_field *field, bool long_form) {
    if (long_form && quipu__keyed_is_word(field->key_long))
        compat_write_word(wbuffer, field->key_long, true);
    else
        OTF_WBuffer_writeKeyword(wbuffer, field->key);
}

static void write_list(OTF_WBuffer *wbuffer, const uint32_t *list, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        OTF_WBuffer_writeUint32(wbuffer, list[i]);
        OTF_WBuffer_writeChar(wbuffer, ',');
    }
}

static void write_value(OTF_WBuffer *wbuffer, const struct quipu_field *field, const void *fields,
                        uint32_t list_count) {
    if (field->shape == QUIPU_LIST)
        write_list(wbuffer, pointer(field, fields), list_count);
    else if (field->storage == QUIPU_STORE_STRING)
        OTF_WBuffer_writeString(wbuffer, pointer(field, fields));
    else if (field->storage == QUIPU_STORE_U8)
        OTF_WBuffer_writeUint8(wbuffer, (uint8_t)number(field, fields));
    else if (field->storage == QUIPU_STORE_U32)
        OTF_WBuffer_writeUint32(wbuffer, (uint32_t)number(field, fields));
    else
        OTF_WBuffer_writeUint64(wbuffer, number(field, fields));
}

void compat_write_line(OTF_WBuffer *wbuffer, enum quipu__otf_type type, const void *fields, uint32_t list_count,
                       bool long_form) {
    const struct quipu_record_type *row = &quipu__otf_schema.types[type];
    if (long_form)
        compat_write_word(wbuffer, row->key_long, false);
    else
        OTF_WBuffer_writeKeyword(wbuffer, row->key);
    for (uint32_t i = 0; i < row->field_count; i++) {
        if (!quipu__keyed_is_written(row, i, fields))
            continue;
        if (row->fields[i].key[0])
            write_keyword(wbuffer, &row->fields[i], long_form);
        write_value(wbuffer, &row->fields[i], fields, list_count);
    }
    OTF_WBuffer_writeNewline(wbuffer);
}
