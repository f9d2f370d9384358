/* numbers.c: see numbers.h. Doubles take one of two ways: up to 15 digits and small powers of ten are exact in double
 * arithmetic; the rest is left to strtod, which rounds to nearest, without the point, which depends on the locale. */
#include "formats/picl/numbers.h"

#include "core/bounded.h"
#include "core/real.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const uint64_t powers_of_ten[] = {
    1,
    10,
    100,
    1000,
    10000,
    100000,
    1000000,
    10000000,
    100000000,
    1000000000,
    UINT64_C(10000000000),
    UINT64_C(100000000000),
    UINT64_C(1000000000000),
    UINT64_C(10000000000000),
    UINT64_C(100000000000000),
    UINT64_C(1000000000000000),
    UINT64_C(10000000000000000),
    UINT64_C(100000000000000000),
    UINT64_C(1000000000000000000),
};

uint64_t quipu__picl_power_of_ten(uint32_t exponent) {
    return powers_of_ten[exponent];
}

static inline bool is_digit(uint8_t c) {
    return (uint8_t)(c - '0') <= 9;
}

/* ---- Integers ---- */

static int digit_value(uint8_t c) {
    if (is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 16;
}

size_t quipu__picl_read_unsigned(const uint8_t *at, const uint8_t *end, unsigned base, uint64_t *out,
                                 bool *is_too_large) {
    const uint8_t *p = at;
    uint64_t value = 0;
    *is_too_large = false;
    if (base == 16 && end - p > 2 && p[0] == '0' && (p[1] | 0x20) == 'x' && digit_value(p[2]) < 16)
        p += 2;
    const uint8_t *const digits = p;
    for (; p < end && (unsigned)digit_value(*p) < base; p++) {
        const uint64_t digit = (uint64_t)digit_value(*p);
        *is_too_large |= value > (UINT64_MAX - digit) / base;
        value = value * base + digit;
    }
    *out = value;
    return p > digits ? (size_t)(p - at) : 0;
}

size_t quipu__picl_read_integer(const uint8_t *at, const uint8_t *end, int64_t *out, bool *is_too_large) {
    const bool has_sign = at < end && (*at == '-' || *at == '+');
    const bool is_negative = has_sign && *at == '-';
    uint64_t magnitude;
    *out = 0;
    const size_t len = quipu__picl_read_unsigned(at + has_sign, end, 10, &magnitude, is_too_large);
    if (len == 0)
        return 0;
    *is_too_large |= magnitude > (uint64_t)INT64_MAX + is_negative;
    *out = is_negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    return len + has_sign;
}

/* ---- Decimal numbers ---- */

/* Reads digits into the mantissa while there is room; returns the place after them. behind_point: each digit that finds room lowers the
 * exponent, each that does not leaves it; before the point it is the other way round. */
static const uint8_t *read_digits(const uint8_t *p, const uint8_t *end, bool behind_point,
                                  struct quipu__picl_decimal *out) {
    for (; p < end && is_digit(*p); p++) {
        const bool fits = out->mantissa < powers_of_ten[18];
        if (fits)
            out->mantissa = out->mantissa * 10 + (uint64_t)(*p - '0');
        else
            out->is_cut |= *p != '0';
        out->exponent += behind_point ? -(int32_t)fits : (int32_t)!fits;
    }
    return p;
}

/* The exponent at p, which begins with e or E; p when there is none. Beyond a million all are treated alike. */
static const uint8_t *read_exponent(const uint8_t *p, const uint8_t *end, int32_t *out) {
    const uint8_t *digits = p + 1;
    bool is_negative = false;
    int32_t value = 0;
    *out = 0;
    if (digits < end && (*digits == '+' || *digits == '-'))
        is_negative = *digits++ == '-';
    if (digits >= end || !is_digit(*digits))
        return p;
    for (; digits < end && is_digit(*digits); digits++)
        value = value < 1000000 ? value * 10 + (*digits - '0') : value;
    *out = is_negative ? -value : value;
    return digits;
}

size_t quipu__picl_read_decimal(const uint8_t *at, const uint8_t *end, struct quipu__picl_decimal *out) {
    const uint8_t *p = at;
    int32_t exponent = 0;
    *out = (struct quipu__picl_decimal){0, 0, false, false};
    if (p < end && (*p == '-' || *p == '+'))
        out->is_negative = *p++ == '-';
    const uint8_t *const first = p;
    p = read_digits(p, end, false, out);
    bool has_digits = p > first;
    if (p < end && *p == '.') {
        const uint8_t *const behind = read_digits(p + 1, end, true, out);
        has_digits |= behind > p + 1;
        p = has_digits ? behind : p;
    }
    if (!has_digits)
        return 0;
    if (p < end && (*p == 'e' || *p == 'E'))
        p = read_exponent(p, end, &exponent);
    out->exponent = out->mantissa == 0 && exponent > 0 ? out->exponent : out->exponent + exponent;
    return (size_t)(p - at);
}

/* ---- Ticks ---- */

/* magnitude / 10^count, rounded to nearest. */
static uint64_t divide_rounded(uint64_t magnitude, uint32_t count, bool *is_exact) {
    if (count > 19) {
        *is_exact &= magnitude == 0;
        return 0;
    }
    const uint64_t divisor = count == 19 ? UINT64_C(10000000000000000000) : powers_of_ten[count];
    const uint64_t rest = magnitude % divisor;
    *is_exact &= rest == 0;
    return magnitude / divisor + (rest >= divisor - rest);
}

bool quipu__picl_to_ticks(const struct quipu__picl_decimal *decimal, uint32_t decimals, int64_t *out) {
    const int64_t shift = (int64_t)decimal->exponent + decimals;
    uint64_t magnitude = decimal->mantissa;
    bool is_exact = !decimal->is_cut;
    if (shift < 0) {
        magnitude = divide_rounded(magnitude, (uint32_t)(-shift < 32 ? -shift : 32), &is_exact);
    } else if (magnitude > 0 && shift > 0) {
        const bool fits = shift <= 18 && magnitude <= INT64_MAX / powers_of_ten[shift];
        magnitude = fits ? magnitude * powers_of_ten[shift] : INT64_MAX;
        is_exact &= fits;
    }
    if (magnitude > INT64_MAX) {
        magnitude = INT64_MAX;
        is_exact = false;
    }
    *out = decimal->is_negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return is_exact;
}

/* ---- Doubles, exactly ---- */

/* Digits that decide how a number is rounded. */
enum { DIGITS_MOST = 780 };

/* The double nearest to a number without a sign. Digits that find no room are represented by a last 1, which is all that rounding needs. */
static double nearest_double(const uint8_t *at, const uint8_t *end) {
    char text[DIGITS_MOST + 24];
    int32_t exponent = 0, written = 0;
    bool behind_point = false, is_cut = false;
    size_t len = 0;
    for (; at < end && (*at | 0x20) != 'e'; at++) {
        behind_point |= *at == '.';
        if (!is_digit(*at))
            continue;
        const bool fits = len < DIGITS_MOST;
        if (fits && (len > 0 || *at != '0'))
            text[len++] = (char)*at;
        is_cut |= !fits && *at != '0';
        exponent += behind_point ? -(int32_t)fits : (int32_t)!fits;
    }
    if (is_cut) {
        text[len++] = '1';
        exponent--;
    }
    if (at < end)
        read_exponent(at, end, &written);
    snprintf(text + len, sizeof text - len, "e%" PRId32, exponent + written);
    return strtod(text, NULL);
}

#define INFINITY_BITS UINT64_C(0x7ff0000000000000)

static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double double_of(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double small_power(int32_t exponent) {
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    return powers[exponent];
}

bool quipu__picl_to_double(const uint8_t *text, size_t len, double *out) {
    struct quipu__picl_decimal decimal;
    quipu__picl_read_decimal(text, text + len, &decimal);
    const int32_t exponent = decimal.exponent;
    double value = (double)decimal.mantissa;
    if (decimal.mantissa == 0 || exponent < -400) {
        value = 0;
    } else if (exponent > 310) {
        value = double_of(INFINITY_BITS);
    } else if (decimal.mantissa < UINT64_C(1) << 53 && !decimal.is_cut && exponent >= -22 && exponent <= 22) {
        value = exponent < 0 ? value / small_power(-exponent) : value * small_power(exponent);
    } else {
        value = nearest_double(text, text + len);
    }
    *out = decimal.is_negative ? -value : value;
    return (bits_of(value) & ~(UINT64_C(1) << 63)) < INFINITY_BITS;
}

/* ---- Writing ---- */

static void put_padded(struct quipu__buffer *out, uint64_t value, uint32_t digits) {
    uint8_t *room = quipu__buffer_room(out, digits);
    if (!room)
        return;
    for (uint32_t i = digits; i-- > 0; value /= 10)
        room[i] = (uint8_t)('0' + value % 10);
    out->len += digits;
}

/* rest / per_second as a fraction with that many decimals: one digit after the other, since the product may not fit. */
static uint64_t fraction_of(uint64_t rest, uint64_t per_second, uint32_t decimals) {
    uint64_t value = 0;
    if (decimals <= QUIPU__PICL_DECIMALS_MOST && rest <= UINT64_MAX / powers_of_ten[decimals])
        return rest * powers_of_ten[decimals] / per_second;
    for (uint32_t i = 0; i < decimals; i++) {
        uint64_t digit = 0, product = 0;
        for (unsigned times = 0; times < 10; times++) { /* product = rest * 10 modulo per_second */
            digit += product >= per_second - rest;
            product = product >= per_second - rest ? product - (per_second - rest) : product + rest;
        }
        value = value * 10 + digit;
        rest = product;
    }
    return value;
}

struct quipu__picl_decimal quipu__picl_seconds_of(int64_t ticks, const struct quipu__picl_rate *rate,
                                                  uint32_t decimals) {
    const uint64_t per_seconds = rate->per_seconds ? rate->per_seconds : 1;
    uint64_t magnitude = quipu__magnitude(ticks);
    magnitude = magnitude <= UINT64_MAX / per_seconds ? magnitude * per_seconds : UINT64_MAX;
    const uint64_t whole = magnitude / rate->ticks_per_second, rest = magnitude % rate->ticks_per_second;
    while (decimals > 0 && whole > UINT64_MAX / 2 / powers_of_ten[decimals])
        decimals--;
    const uint64_t fraction = rest ? fraction_of(rest, rate->ticks_per_second, decimals) : 0;
    return (struct quipu__picl_decimal){whole * powers_of_ten[decimals] + fraction, -(int32_t)decimals,
                                        ticks < 0, false};
}

/* The shortest text that reads back as the same number. */
static void put_shortest(struct quipu__buffer *out, double value) {
    char text[40];
    double again = 0;
    for (int digits = 15; digits <= 17; digits++) {
        quipu__print(text, sizeof text, "%.*g", digits, value);
        if (quipu__picl_to_double((const uint8_t *)text, strlen(text), &again) &&
            bits_of(again) == bits_of(value))
            break;
    }
    quipu__put_text(out, text);
}

void quipu__picl_put_double(struct quipu__buffer *out, double value) {
    const bool is_negative = bits_of(value) >> 63;
    const double magnitude = is_negative ? -value : value;
    const uint64_t millionths = magnitude < 9e9 ? (uint64_t)(magnitude * 1e6 + 0.5) : 0;
    if (bits_of((double)millionths / 1e6) != bits_of(magnitude) || (is_negative && millionths == 0)) {
        put_shortest(out, value);
        return;
    }
    quipu__put_text(out, is_negative ? "-" : "");
    quipu__put_u64(out, millionths / 1000000);
    quipu__put_u8(out, '.');
    put_padded(out, millionths % 1000000, 6);
}
