/* line.h: writing one record's line into a write buffer, by the record table of the format.
 *
 * There are two ways. compat_write_line writes any record piece by piece, with the buffer's rules about room.
 * put_<record> writes a record of numbers at once; MOST_<record> is what it may take, and with that much room
 * both give the same bytes and no flush.
 */
#ifndef COMPAT_OTF_LINE_H
#define COMPAT_OTF_LINE_H

#include "internal.h"
#include "wbuffer.h"

#include "formats/otf/records.h"

#include <string.h>

/* Writes the line of a record. Texts and lists in fields are plain pointers here, not sized memory: texts end
 * in a NUL and list_count is the number of elements of the record's list. */
void compat_write_line(OTF_WBuffer *wbuffer, enum quipu__otf_type type, const void *fields, uint32_t list_count,
                       bool long_form);

/* Writes a word of the long form and a blank in one piece; inside of a line a blank comes before it, too. Returns the bytes
 * written. */
uint32_t compat_write_word(OTF_WBuffer *wbuffer, const char *keyword, bool is_inside);

/* ---- What a line may take ---- */

#define COMPAT_MOST_NUMBER 16

/* MOST_Enter and so on: keywords with blanks, numbers and the newline. */
enum {
#define ELEMENT_ROW(name, ...) MOST_##name = 0
#define RECORD_ROW(name, id, title, file, key, key_long, ...) MOST_##name = sizeof key_long + 1
#define FIELD_ROW(record, c_type, name, domain, key, key_long, ...) +sizeof key_long + 1 + COMPAT_MOST_NUMBER
#define END(record) ,
#include "formats/otf/records.def"
    MOST_END
};

/* NUMBERS_Enter and so on: 1 when all fields are numbers. */
#define COMPAT_IS_NUMBER(type) _Generic((type)0, uint8_t : 1, uint32_t : 1, uint64_t : 1, default : 0)
enum {
#define ELEMENT_ROW(name, ...) NUMBERS_##name = 0
#define RECORD_ROW(name, id, title, file, key, key_long, ...) NUMBERS_##name = 1
#define FIELD_ROW(record, c_type, ...) &&COMPAT_IS_NUMBER(c_type)
#define END(record) ,
#include "formats/otf/records.def"
    NUMBERS_END
};

/* ---- put_Enter and so on: write at a place with enough room, return the place behind ---- */

/* Parts of lines; the lengths come along so that they are known to the compiler. */
COMPAT_INLINE char *put_text(char *at, const char *text, size_t length) {
    memcpy(at, text, length);
    return at + length;
}

/* In the long form a word has a blank on both sides. */
COMPAT_INLINE char *put_keyword(char *at, const char *key, size_t length, const char *key_long,
                                size_t long_length, bool long_form) {
    if (!long_form || key_long[0] < 'A')
        return put_text(at, key, length);
    *at++ = ' ';
    at = put_text(at, key_long, long_length);
    *at++ = ' ';
    return at;
}

COMPAT_INLINE char *put_nothing(char *at, const void *value) {
    (void)value;
    return at;
}

COMPAT_INLINE bool is_all_zero(const void *fields, size_t size) {
    static const uint8_t zeros[64];
    return size <= sizeof zeros && memcmp(fields, zeros, size) == 0;
}

#define PUT_VALUE(value)                                                                                       \
    _Generic((value), uint8_t                                                                                  \
             : compat_put_hex, uint32_t                                                                        \
             : compat_put_hex, uint64_t                                                                        \
             : compat_put_hex, default                                                                         \
             : put_nothing)(at, (value))
#define PUT_ALWAYS(key, key_long, value)                                                                       \
    at = put_keyword(at, key, sizeof key - 1, key_long, sizeof key_long - 1, long_form);                       \
    at = PUT_VALUE(value);
#define PUT_MISSING(key, key_long, value) PUT_ALWAYS(key, key_long, value)
/* A part without a keyword must be there when one comes after it. */
#define PUT_NONZERO(key, key_long, value)                                                                      \
    if ((value) != 0 || (sizeof key == 1 && !is_all_zero(record, sizeof *record))) {                           \
        PUT_ALWAYS(key, key_long, value)                                                                       \
    }
#define PUT_LOOSE(key, key_long, value) PUT_NONZERO(key, key_long, value)

#define ELEMENT_ROW(name, ...) RECORD_ROW(name, 0, "", ANY, "", "")
#define RECORD_ROW(name, id, title, file, key, key_long, ...)                                                  \
    COMPAT_INLINE char *put_##name(char *at, const struct quipu__otf_##name *record, bool long_form) {         \
        (void)record;                                                                                          \
        at = long_form ? put_text(at, key_long " ", sizeof key_long) : put_text(at, key, sizeof key - 1);
#define FIELD_ROW(record_type, c_type, name, domain, key, key_long, presence, ...)                             \
    PUT_##presence(key, key_long, record->name)
#define END(record_type)                                                                                       \
    *at++ = '\n';                                                                                              \
    return at;                                                                                                 \
    }
#include "formats/otf/records.def"

#endif
