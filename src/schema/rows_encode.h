/* rows_encode.h: quipu__keyed_encode for records of numbers that are known at compile time, included once after a format's
 * records.h. It defines in the including file, for each record:
 *
 *     NUMBERS_Enter                                1 when all its fields are numbers
 *     MOST_Enter most bytes of its line, with what writing a number may touch
 *     put_Enter(p, data, long_form)                writes the line at p and returns the place after it; writes nothing for fields that are not numbers
 *
 * Programs that write one record per call spend a third of their instructions here (callgrind, bench's drop-in: 65 of 220 per
 * record), with the rows as constants. A test compares the bytes with those of quipu__keyed_encode.
 */
#include "core/hex.h"
#include "schema/keyed_text.h"

#include <string.h>

enum {
#define ELEMENT_ROW(name, ...) MOST_##name = 0
#define RECORD_ROW(name, id, title, file, key, key_long, ...) MOST_##name = sizeof key_long + 1
#define FIELD_ROW(record, c_type, name, domain, key, key_long, ...) +sizeof key_long + 1 + 16
#define END(record) ,
#include ROWS_RECORDS
};

#define QUIPU__ROWS_IS_NUMBER(type) _Generic((type)0, uint8_t : 1, uint32_t : 1, uint64_t : 1, default : 0)
enum {
#define ELEMENT_ROW(name, ...) NUMBERS_##name = 0
#define RECORD_ROW(name, id, title, file, key, key_long, ...) NUMBERS_##name = 1
#define FIELD_ROW(record, c_type, ...) &&QUIPU__ROWS_IS_NUMBER(c_type)
#define END(record) ,
#include ROWS_RECORDS
};

/* The lengths are passed along so that the compiler knows them. */
QUIPU__INLINE uint8_t *quipu__rows_put_text(uint8_t *p, const char *text, size_t len) {
    memcpy(p, text, len);
    return p + len;
}

QUIPU__INLINE uint8_t *quipu__rows_put_key(uint8_t *p, const char *key, size_t len, const char *key_long,
                                           size_t long_len, bool long_form) {
    if (!long_form || !quipu__keyed_is_word(key_long))
        return quipu__rows_put_text(p, long_form ? key_long : key, long_form ? long_len : len);
    *p++ = ' ';
    p = quipu__rows_put_text(p, key_long, long_len);
    *p++ = ' ';
    return p;
}

QUIPU__INLINE uint8_t *quipu__rows_put_nothing(uint8_t *p, const void *value) {
    (void)value;
    return p;
}

QUIPU__INLINE bool quipu__rows_is_zero(const void *data, size_t size) {
    static const uint8_t zeros[64];
    return size <= sizeof zeros && memcmp(data, zeros, size) == 0;
}

#define QUIPU__ROWS_PUT_VALUE(value)                                                                           \
    _Generic((value), uint8_t                                                                                  \
             : quipu__hex_write, uint32_t                                                                      \
             : quipu__hex_write, uint64_t                                                                      \
             : quipu__hex_write, default                                                                       \
             : quipu__rows_put_nothing)(p, (value))
#define QUIPU__ROWS_PUT_ALWAYS(key, key_long, value)                                                           \
    p = quipu__rows_put_key(p, key, sizeof key - 1, key_long, sizeof key_long - 1, long_form);                 \
    p = QUIPU__ROWS_PUT_VALUE(value);
#define QUIPU__ROWS_PUT_MISSING(key, key_long, value) QUIPU__ROWS_PUT_ALWAYS(key, key_long, value)
/* A value without a keyword is written when another one follows. */
#define QUIPU__ROWS_PUT_NONZERO(key, key_long, value)                                                          \
    if ((value) != 0 || (sizeof key == 1 && !quipu__rows_is_zero(data, sizeof *data))) {                       \
        QUIPU__ROWS_PUT_ALWAYS(key, key_long, value)                                                           \
    }
#define QUIPU__ROWS_PUT_LOOSE(key, key_long, value) QUIPU__ROWS_PUT_NONZERO(key, key_long, value)

#define ELEMENT_ROW(name, ...) RECORD_ROW(name, 0, "", ANY, "", "")
#define RECORD_ROW(name, id, title, file, key, key_long, ...)                                                  \
    QUIPU__INLINE uint8_t *put_##name(uint8_t *p, const struct QUIPU__ROWS_NAME(_##name) * data,               \
                                      bool long_form) {                                                        \
        (void)data;                                                                                            \
        p = long_form ? quipu__rows_put_text(p, key_long " ", sizeof key_long)                                 \
                      : quipu__rows_put_text(p, key, sizeof key - 1);
#define FIELD_ROW(record, c_type, name, domain, key, key_long, presence, ...)                                  \
    QUIPU__ROWS_PUT_##presence(key, key_long, data->name)
#define END(record)                                                                                            \
    *p++ = '\n';                                                                                               \
    return p;                                                                                                  \
    }
#include ROWS_RECORDS
