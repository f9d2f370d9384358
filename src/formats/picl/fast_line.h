/* fast_line.h: lines of marks, entries, exits and user-defined records as writers spell them: single blanks, decimal numbers
 * without signs of plus or exponents, at most eight integers as data, a newline. That is nearly all of a trace. Whatever is
 * not exactly so is left to the complete decoder, which reads these lines in the same way. */
#ifndef QUIPU_PICL_FAST_LINE_H
#define QUIPU_PICL_FAST_LINE_H

#include "core/os.h"
#include "formats/picl/decode.h"

/* Digits that a mantissa has room for. */
#define QUIPU__PICL_FAST_DIGITS 18

/* More bytes than the longest such line has: 15 numbers of 18 digits with sign, point and blank. */
#define QUIPU__PICL_FAST_BYTES 352

/* Digits up to limit behind those of *value, of which there is at least one if the first byte is one. A loop: most numbers have
 * one to three digits, for which reading eight bytes at once is slower. */
QUIPU__INLINE const uint8_t *quipu__picl_fast_digits(const uint8_t *p, const uint8_t *limit, uint64_t *value) {
    for (uint64_t digit = (uint8_t)(*p - '0'); digit <= 9 && p < limit; digit = (uint8_t)(*++p - '0'))
        *value = *value * 10 + digit;
    return p;
}

/* Both return the place behind the number, or NULL; more digits than are safe are left to the complete decoder. */
QUIPU__INLINE const uint8_t *quipu__picl_fast_integer(const uint8_t *p, int64_t *out) {
    const bool is_negative = *p == '-';
    const uint8_t *const first = p += is_negative;
    uint64_t value = 0;
    p = quipu__picl_fast_digits(p, first + QUIPU__PICL_FAST_DIGITS, &value);
    if (QUIPU__UNLIKELY(p == first))
        return NULL;
    *out = is_negative ? -(int64_t)value : (int64_t)value;
    return p;
}

QUIPU__INLINE const uint8_t *quipu__picl_fast_decimal(const uint8_t *p, struct quipu__picl_decimal *out) {
    const bool is_negative = *p == '-';
    const uint8_t *const first = p += is_negative, *const limit = first + QUIPU__PICL_FAST_DIGITS;
    uint64_t value = 0;
    int32_t exponent = 0;
    p = quipu__picl_fast_digits(p, limit, &value);
    if (QUIPU__UNLIKELY(p == first))
        return NULL;
    if (*p == '.') {
        const uint8_t *const point = p++;
        p = quipu__picl_fast_digits(p, limit, &value);
        exponent = (int32_t)(point + 1 - p);
    }
    *out = (struct quipu__picl_decimal){value, exponent, is_negative, false};
    return p;
}

/* The number behind a blank. */
QUIPU__INLINE const uint8_t *quipu__picl_fast_next(const uint8_t *p, int64_t *out) {
    return p && *p == ' ' ? quipu__picl_fast_integer(p + 1, out) : NULL;
}

/* The data of a record, which may have none. Returns the place of the newline, or NULL. */
QUIPU__INLINE const uint8_t *quipu__picl_fast_values(const uint8_t *p, struct quipu__picl_record *record) {
    const uint64_t count = (uint64_t)record->count;
    if (count > QUIPU__PICL_FAST_VALUES)
        return NULL;
    if (count > 0) {
        if (p[0] != ' ' || p[1] != '2')
            return NULL;
        p += 2;
    }
    for (uint64_t i = 0; p && i < count; i++)
        p = quipu__picl_fast_next(p, &record->integers[i]);
    record->value_count = (uint32_t)count;
    return p && *p == '\n' ? p : NULL;
}

/* Takes the line at decoder->at. False, and nothing is changed in the decoder, when it is not such a line. */
QUIPU__INLINE bool quipu__picl_take_fast_line(struct quipu__picl_decoder *decoder,
                                              struct quipu__picl_record *record) {
    const uint8_t *const at = decoder->at;
    if (QUIPU__UNLIKELY(decoder->end - at < QUIPU__PICL_FAST_BYTES || decoder->next ||
                        decoder->scope->redefines_integers))
        return false;
    const uint8_t *p = quipu__picl_fast_integer(at, &record->record_type);
    if (!p || record->record_type < QUIPU__PICL_EXIT || record->record_type == -1)
        return false;
    p = quipu__picl_fast_next(p, &record->event_type);
    if (!p || *p != ' ')
        return false;
    record->time_text = p + 1;
    p = quipu__picl_fast_decimal(p + 1, &record->time);
    if (QUIPU__UNLIKELY(!p))
        return false;
    record->time_len = (size_t)(p - record->time_text);
    p = quipu__picl_fast_next(p, &record->processor);
    p = quipu__picl_fast_next(p, &record->process);
    p = quipu__picl_fast_next(p, &record->count);
    p = p ? quipu__picl_fast_values(p, record) : NULL;
    if (QUIPU__UNLIKELY(!p))
        return false;
    record->is_fast = true;
    record->text = at;
    record->len = (size_t)(p - at);
    record->byte = decoder->offset - (uint64_t)(decoder->end - at);
    record->line = decoder->line++;
    decoder->at = p + 1;
    return true;
}

#endif
