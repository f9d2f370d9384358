/* numbers.h: numbers in the text of PICL files: integers, decimal numbers of any length, and doubles.
 *
 * Reading takes the longest prefix that is a number, as scanf does; nothing depends on the locale. A decimal number keeps its
 * digits, so that a timestamp becomes ticks without a detour over doubles. Conversion to double is exact (rounded to
 * nearest, ties to even) for any number of digits. */
#ifndef QUIPU_PICL_NUMBERS_H
#define QUIPU_PICL_NUMBERS_H

#include "core/memory/buffer.h"

/* Most decimals that ticks can have: 10^18 is the largest power of ten below 2^63. */
#define QUIPU__PICL_DECIMALS_MOST 18

/* mantissa * 10^exponent. Digits that the mantissa has no room for are dropped and remembered. */
struct quipu__picl_decimal {
    uint64_t mantissa;
    int32_t exponent;
    bool is_negative;
    bool is_cut; /* digits other than 0 were dropped */
};

/* Both return the length of the longest prefix of [at, end) that is a number; 0 when there is none. */
size_t quipu__picl_read_integer(const uint8_t *at, const uint8_t *end, int64_t *out, bool *is_too_large);
size_t quipu__picl_read_decimal(const uint8_t *at, const uint8_t *end, struct quipu__picl_decimal *out);

/* An unsigned number in base 8, 10 or 16; base 16 may have 0x in front. */
size_t quipu__picl_read_unsigned(const uint8_t *at, const uint8_t *end, unsigned base, uint64_t *out,
                                 bool *is_too_large);

/* The double nearest to the decimal number that fills text. False when it is beyond the range of doubles. */
bool quipu__picl_to_double(const uint8_t *text, size_t len, double *out);

/* Decimals that it takes to write the number without loss: 3 for 1.250, which has an exponent of -3. */
static inline uint32_t quipu__picl_decimals_of(const struct quipu__picl_decimal *decimal) {
    return decimal->exponent < 0 ? (uint32_t)-decimal->exponent : 0;
}

/* The number in units of 10^-decimals. False when it was rounded (to nearest) or cut to the range of int64_t. */
bool quipu__picl_to_ticks(const struct quipu__picl_decimal *decimal, uint32_t decimals, int64_t *out);

/* 10^exponent, for 0 to 18. */
uint64_t quipu__picl_power_of_ten(uint32_t exponent);

/* The parts of a second that ticks are: ticks_per_second ticks take per_seconds seconds. */
struct quipu__picl_rate {
    uint64_t ticks_per_second, per_seconds;
};

/* Ticks as seconds in units of 10^-decimals, of which there are up to 18; what is beyond is cut off. */
struct quipu__picl_decimal quipu__picl_seconds_of(int64_t ticks, const struct quipu__picl_rate *rate,
                                                  uint32_t decimals);

/* A double with six decimals when that says it all, else with as many digits as it takes to read it back. */
void quipu__picl_put_double(struct quipu__buffer *out, double value);

#endif
