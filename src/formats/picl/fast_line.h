/* fast_line.h: lines of marks, entries, exits and user-defined records as writers spell them: single blanks, decimal numbers
 * without signs of plus or exponents, at most eight integers as data, a newline. That is nearly all of a trace. Whatever is
 * not exactly so is left to the complete decoder, which reads these lines in the same way.
 *
 * Numbers are read eight bytes at a time. What the line before had in the
 * same column is compared and not read: whole seconds, processor and process; and timestamps have as many decimals. An
 * expectation that does not hold costs time and nothing else. Reading digit by digit took twice as long. */
#ifndef QUIPU_PICL_FAST_LINE_H
#define QUIPU_PICL_FAST_LINE_H

#include "core/os.h"
#include "core/slice.h"
#include "formats/picl/decode.h"

/* Digits that a mantissa has room for. */
#define QUIPU__PICL_FAST_DIGITS 18

/* More bytes than the longest such line has: 15 numbers of 18 digits with sign, point and blank. */
#define QUIPU__PICL_FAST_BYTES 352

#define QUIPU__PICL_EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* ---- Eight bytes ---- */

/* The bytes at p as offsets from '0': those above 9 are not digits. */
QUIPU__INLINE uint64_t quipu__picl_offsets(const uint8_t *p) {
    return quipu__load_le64(p) ^ QUIPU__PICL_EACH('0');
}

/* The highest bit of each byte that is not a digit; right up to the first one. */
QUIPU__INLINE uint64_t quipu__picl_others(uint64_t offsets) {
    return ((offsets + QUIPU__PICL_EACH(0x76)) | offsets) & QUIPU__PICL_EACH(0x80);
}

/* The value of eight digits. Neighbours are joined by multiplying: digits to twos, twos to fours and eights. */
QUIPU__INLINE uint64_t quipu__picl_join_eight(uint64_t digits) {
    const uint64_t twos = (digits * 10 + (digits >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
    const uint64_t fours = (twos * (100 << 16 | 1) >> 16) & UINT64_C(0x0000ffff0000ffff);
    return fours * (UINT64_C(10000) << 32 | 1) >> 32;
}

/* The value of the first bits / 8 offsets, 1 to 8 of them. */
QUIPU__INLINE uint64_t quipu__picl_join(uint64_t offsets, unsigned bits) {
    return quipu__picl_join_eight(offsets << (64 - bits));
}

/* ---- Numbers ---- */

/* In fast_line.c: numbers of any length that is safe, more digits being left to the complete decoder; a timestamp, and processor and
 * process, which those of the next lines are expected to be like. Each returns the address after what it has read, or NULL. */
const uint8_t *quipu__picl_long_integer(const uint8_t *p, int64_t *out);
const uint8_t *quipu__picl_learn_time(const uint8_t *p, struct quipu__picl_expected *expected,
                                      struct quipu__picl_decimal *out);
const uint8_t *quipu__picl_learn_location(const uint8_t *p, struct quipu__picl_expected *expected);

/* One to seven digits have their end among eight bytes. */
QUIPU__INLINE const uint8_t *quipu__picl_fast_unsigned(const uint8_t *p, int64_t *out) {
    const uint64_t offsets = quipu__picl_offsets(p), others = quipu__picl_others(offsets);
    if (QUIPU__UNLIKELY(others == 0))
        return quipu__picl_long_integer(p, out);
    const unsigned bits = quipu__trailing_zeros(others) - 7;
    if (QUIPU__UNLIKELY(bits == 0))
        return NULL;
    *out = (int64_t)quipu__picl_join(offsets, bits);
    return p + bits / 8;
}

/* For event types, whose sign cannot be foreseen; and for values, which hardly ever have one. */
QUIPU__INLINE const uint8_t *quipu__picl_fast_integer(const uint8_t *p, int64_t *out) {
    const bool is_negative = *p == '-';
    p = quipu__picl_fast_unsigned(p + is_negative, out);
    *out = is_negative ? -*out : *out;
    return p;
}
QUIPU__INLINE const uint8_t *quipu__picl_fast_value(const uint8_t *p, int64_t *out) {
    return QUIPU__UNLIKELY(*p == '-') ? quipu__picl_long_integer(p, out) : quipu__picl_fast_unsigned(p, out);
}

/* Up to eight digits, exactly that many: other bytes among them set *others. */
QUIPU__INLINE uint64_t quipu__picl_fast_eight(const uint8_t *p, unsigned count, uint64_t *others) {
    const uint64_t offsets = quipu__picl_offsets(p);
    *others |= quipu__picl_others(offsets) << 8 * (8 - count);
    return quipu__picl_join(offsets, 8 * count);
}

/* Up to sixteen, at least one. */
QUIPU__INLINE uint64_t quipu__picl_fast_sixteen(const uint8_t *p, unsigned count, const uint64_t *power,
                                                uint64_t *others) {
    if (count <= 8)
        return quipu__picl_fast_eight(p, count, others);
    const uint64_t high = quipu__picl_fast_eight(p, 8, others);
    return high * *power + quipu__picl_fast_eight(p + 8, count - 8, others);
}

/* ---- What the line before has taught ---- */

/* The seconds and the point of the line before, then as many digits as there, and a blank. */
QUIPU__INLINE const uint8_t *quipu__picl_fast_time(const uint8_t *p, struct quipu__picl_expected *expected,
                                                   struct quipu__picl_decimal *out) {
    const bool is_negative = *p == '-';
    const unsigned decimals = expected->decimals;
    const uint8_t *const digits = p + is_negative + expected->whole_len, *const behind = digits + decimals;
    uint64_t others = 0;
    if (QUIPU__UNLIKELY((quipu__load_le64(p + is_negative) & expected->whole_mask) != expected->whole ||
                        *behind != ' '))
        return quipu__picl_learn_time(p, expected, out);
    const uint64_t rest = quipu__picl_fast_sixteen(digits, decimals, &expected->low_scale, &others);
    if (QUIPU__UNLIKELY(others != 0))
        return quipu__picl_learn_time(p, expected, out);
    *out = (struct quipu__picl_decimal){expected->seconds + rest, -(int32_t)decimals, is_negative, false};
    return behind;
}

/* The number after a blank. */
QUIPU__INLINE const uint8_t *quipu__picl_fast_next(const uint8_t *p, int64_t *out) {
    return p && *p == ' ' ? quipu__picl_fast_integer(p + 1, out) : NULL;
}

QUIPU__INLINE const uint8_t *quipu__picl_fast_location(const uint8_t *p,
                                                       struct quipu__picl_expected *expected) {
    if (QUIPU__LIKELY((quipu__load_le64(p) & expected->location_mask) == expected->location))
        return p + expected->location_len - 1;
    return quipu__picl_learn_location(p, expected);
}

/* ---- Lines ---- */

struct quipu__picl_fast_line {
    int64_t record_type, event_type;
    struct quipu__picl_decimal time;
    const uint8_t *time_text, *time_end;
    uint32_t count;        /* of values */
    const uint8_t *behind; /* the next line */
};

/* What a line begins with whose record type has a sign and a digit, in the lower three bytes; and what exits have more there than
 * entries. */
#define QUIPU__PICL_BEGINS_WITH(type) ((uint32_t)'-' | (uint32_t)('0' - (type)) << 8 | (uint32_t)' ' << 16)
#define QUIPU__PICL_EXIT_BEGINS                                                                                \
    (QUIPU__PICL_BEGINS_WITH(QUIPU__PICL_EXIT) - QUIPU__PICL_BEGINS_WITH(QUIPU__PICL_ENTRY))

/* What follows the number of data fields: blank, descriptor of integers, blank. */
#define QUIPU__PICL_INTEGERS_FOLLOW                                                                            \
    ((uint32_t)' ' | (uint32_t)('0' + QUIPU__PICL_INTEGERS) << 8 | (uint32_t)' ' << 16)

/* An entry or exit, else one digit, which may have a sign, and a blank; other record types are rare. */
QUIPU__INLINE const uint8_t *quipu__picl_fast_type(const uint8_t *p, int64_t *out) {
    const uint32_t word = quipu__load_le32(p) & UINT32_C(0xffffff);
    const bool is_entry = word == QUIPU__PICL_BEGINS_WITH(QUIPU__PICL_ENTRY);
    if (QUIPU__LIKELY(is_entry | (word == QUIPU__PICL_BEGINS_WITH(QUIPU__PICL_EXIT)))) {
        *out = is_entry ? QUIPU__PICL_ENTRY : QUIPU__PICL_EXIT;
        return p + 2;
    }
    const unsigned is_negative = *p == '-';
    const uint8_t digit = (uint8_t)(p[is_negative] - '0');
    if (QUIPU__UNLIKELY(digit > 9 || p[is_negative + 1] != ' '))
        return quipu__picl_long_integer(p, out);
    *out = is_negative ? -(int64_t)digit : digit;
    return p + is_negative + 1;
}

/* The number of data fields and the data, integers. Returns the address of the newline, or NULL. */
QUIPU__INLINE const uint8_t *quipu__picl_fast_data(const uint8_t *p, uint32_t *out_count,
                                                   int64_t integers[QUIPU__PICL_FAST_VALUES]) {
    const uint8_t count = (uint8_t)(p[1] - '0');
    if (count > QUIPU__PICL_FAST_VALUES)
        return NULL;
    *out_count = count;
    p += 2;
    if (count > 0) {
        if (p[0] != ' ' || p[1] != '2')
            return NULL;
        p += 2;
    }
    for (unsigned i = 0; i < count; i++) {
        p = *p == ' ' ? quipu__picl_fast_value(p + 1, &integers[i]) : NULL;
        if (QUIPU__UNLIKELY(!p))
            return NULL;
    }
    return *p == '\n' ? p : NULL;
}

/* Reads the line at p, of which QUIPU__PICL_FAST_BYTES must be readable; its processor and process are what is expected then. False
 * when it is not such a line. */
QUIPU__INLINE bool quipu__picl_read_fast_line(const uint8_t *p, struct quipu__picl_expected *expected,
                                              struct quipu__picl_fast_line *line,
                                              int64_t integers[QUIPU__PICL_FAST_VALUES]) {
    p = quipu__picl_fast_type(p, &line->record_type);
    if (QUIPU__UNLIKELY(!p || line->record_type < QUIPU__PICL_EXIT || line->record_type == -1))
        return false;
    p = quipu__picl_fast_next(p, &line->event_type);
    if (QUIPU__UNLIKELY(!p || *p != ' '))
        return false;
    line->time_text = p + 1;
    p = quipu__picl_fast_time(p + 1, expected, &line->time);
    if (QUIPU__UNLIKELY(!p))
        return false;
    line->time_end = p;
    p = quipu__picl_fast_location(p, expected);
    p = p ? quipu__picl_fast_data(p, &line->count, integers) : NULL;
    if (QUIPU__UNLIKELY(!p))
        return false;
    line->behind = p + 1;
    return true;
}

/* Whether the decoder is at the beginning of a line that may be such a one. */
QUIPU__INLINE bool quipu__picl_may_be_fast(const struct quipu__picl_decoder *decoder) {
    return decoder->end - decoder->at >= QUIPU__PICL_FAST_BYTES && !decoder->next &&
           !decoder->scope->redefines_integers;
}

/* Makes the line that was read at decoder->at the record, whose integers it has filled, and moves after it. */
QUIPU__INLINE void quipu__picl_take_line(struct quipu__picl_decoder *decoder,
                                         const struct quipu__picl_fast_line *line,
                                         struct quipu__picl_record *record) {
    record->record_type = line->record_type;
    record->event_type = line->event_type;
    record->processor = decoder->expected.processor;
    record->process = decoder->expected.process;
    record->count = line->count;
    record->value_count = line->count;
    record->time.mantissa = line->time.mantissa;
    record->time.exponent = line->time.exponent;
    record->time.is_negative = line->time.is_negative;
    record->time.is_cut = false;
    record->time_text = line->time_text;
    record->time_len = (size_t)(line->time_end - line->time_text);
    record->is_fast = true;
    record->text = decoder->at;
    record->len = (size_t)(line->behind - decoder->at) - 1;
    record->byte = decoder->offset - (uint64_t)(decoder->end - decoder->at);
    record->line = decoder->line++;
    decoder->at = line->behind;
}

/* Takes the line at decoder->at. False, and nothing but expectations is changed in the decoder, when it is not such a line. */
QUIPU__INLINE bool quipu__picl_take_fast_line(struct quipu__picl_decoder *decoder,
                                              struct quipu__picl_record *record) {
    struct quipu__picl_fast_line line;
    if (QUIPU__UNLIKELY(!quipu__picl_may_be_fast(decoder)) ||
        !quipu__picl_read_fast_line(decoder->at, &decoder->expected, &line, record->integers))
        return false;
    quipu__picl_take_line(decoder, &line, record);
    return true;
}

#endif
