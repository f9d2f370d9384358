/* scale.h: products and quotients of 64-bit numbers whose intermediate results are exact. */
#ifndef QUIPU_CORE_SCALE_H
#define QUIPU_CORE_SCALE_H

#include <stdbool.h>
#include <stdint.h>

/* a / b rounded half up; b is positive. */
int64_t quipu__divide_rounded(int64_t a, int64_t b);

/* (a + b) / 2 rounded half up, also where the sum is out of range; a is not greater than b. */
static inline int64_t quipu__middle(int64_t a, int64_t b) {
    const uint64_t distance = (uint64_t)b - (uint64_t)a;
    return (int64_t)((uint64_t)a + distance / 2 + distance % 2);
}

/* a * b / c rounded down, and the remainder; UINT64_MAX when the quotient is too large. c is not 0. */
uint64_t quipu__scale_down(uint64_t a, uint64_t b, uint64_t c, uint64_t *rest);

/* The same for a number of either sign, rounded towards minus infinity and limited to a quarter of the range in both
 * directions. */
int64_t quipu__scale_signed(int64_t a, uint64_t b, uint64_t c);

/* a * b / c rounded half up, without overflow on the way; UINT64_MAX when that is too large. c is not 0. */
uint64_t quipu__scale_rounded(uint64_t a, uint64_t b, uint64_t c);

/* a * b - c, where a and b are at least 0. False when the result does not fit 64 bits. */
bool quipu__multiply_less(int64_t a, int64_t b, int64_t c, int64_t *out);

/* The order of a * b and c * d, exactly: below 0, 0 or above 0. */
int quipu__products_compare(int64_t a, int64_t b, int64_t c, int64_t d);

#endif
