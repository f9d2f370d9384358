/* fast_line.c: what the fast path meets seldom: long numbers, and what differs from the line before. */
#include "formats/picl/fast_line.h"

/* Digits up to limit behind those of *value, of which there is at least one if the first byte is one. */
static const uint8_t *read_digits(const uint8_t *p, const uint8_t *limit, uint64_t *value) {
    for (uint64_t digit = (uint8_t)(*p - '0'); digit <= 9 && p < limit; digit = (uint8_t)(*++p - '0'))
        *value = *value * 10 + digit;
    return p;
}

const uint8_t *quipu__picl_long_integer(const uint8_t *p, int64_t *out) {
    const bool is_negative = *p == '-';
    const uint8_t *const first = p += is_negative;
    uint64_t value = 0;
    p = read_digits(p, first + QUIPU__PICL_FAST_DIGITS, &value);
    if (p == first)
        return NULL;
    *out = is_negative ? -(int64_t)value : (int64_t)value;
    return p;
}

/* Seconds of up to seven digits with a point, and up to sixteen decimals, are what the next timestamps are expected to have. */
static void expect_time(struct quipu__picl_expected *expected, const uint8_t *first, const uint8_t *point,
                        unsigned decimals, uint64_t seconds) {
    const size_t len = (size_t)(point + 1 - first);
    if (len > 8 || decimals == 0 || decimals > 16)
        return;
    expected->whole_mask = UINT64_MAX >> 8 * (8 - len);
    expected->whole = quipu__load_le64(first) & expected->whole_mask;
    expected->whole_len = len;
    expected->decimals = decimals;
    expected->seconds = seconds * quipu__picl_power_of_ten(decimals);
    expected->low_scale = quipu__picl_power_of_ten(decimals > 8 ? decimals - 8 : 0);
}

const uint8_t *quipu__picl_learn_time(const uint8_t *p, struct quipu__picl_expected *expected,
                                      struct quipu__picl_decimal *out) {
    const bool is_negative = *p == '-';
    const uint8_t *const first = p += is_negative, *const limit = first + QUIPU__PICL_FAST_DIGITS;
    uint64_t value = 0;
    p = read_digits(p, limit, &value);
    *out = (struct quipu__picl_decimal){value, 0, is_negative, false};
    if (p == first)
        return NULL;
    if (*p != '.')
        return p;
    const uint8_t *const point = p++;
    p = read_digits(p, limit, &out->mantissa);
    out->exponent = (int32_t)(point + 1 - p);
    expect_time(expected, first, point, (unsigned)(p - point - 1), value);
    return p;
}

const uint8_t *quipu__picl_learn_location(const uint8_t *p, struct quipu__picl_expected *expected) {
    const uint8_t *const at = p;
    p = quipu__picl_fast_next(p, &expected->processor);
    p = quipu__picl_fast_next(p, &expected->process);
    expected->location = 1; /* which nothing is under a mask of 0 */
    expected->location_mask = 0;
    if (!p || *p != ' ')
        return NULL;
    const size_t len = (size_t)(p + 1 - at);
    if (len <= 8) {
        expected->location_mask = UINT64_MAX >> 8 * (8 - len);
        expected->location = quipu__load_le64(at) & expected->location_mask;
        expected->location_len = len;
    }
    return p;
}
