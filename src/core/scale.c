/* scale.c: see scale.h. */
#include "core/scale.h"

#include "core/bounded.h"

/* High and low half of a product. */
static void multiply(uint64_t a, uint64_t b, uint64_t *high, uint64_t *low) {
    const uint64_t a_low = (uint32_t)a, a_high = a >> 32, b_low = (uint32_t)b, b_high = b >> 32;
    const uint64_t bottom = a_low * b_low, left = a_high * b_low, right = a_low * b_high;
    const uint64_t middle = (bottom >> 32) + (uint32_t)left + (uint32_t)right;
    *high = a_high * b_high + (left >> 32) + (right >> 32) + (middle >> 32);
    *low = middle << 32 | (uint32_t)bottom;
}

uint64_t quipu__scale_down(uint64_t a, uint64_t b, uint64_t c, uint64_t *rest) {
    uint64_t low, quotient = 0;
    multiply(a, b, rest, &low);
    if (*rest >= c)
        return UINT64_MAX;
    if (*rest == 0) {
        *rest = low % c;
        return low / c;
    }
    for (int bit = 63; bit >= 0; bit--) {
        const bool carries = *rest >> 63 != 0;
        *rest = *rest << 1 | (low >> bit & 1);
        quotient <<= 1;
        if (carries || *rest >= c) {
            *rest -= c;
            quotient |= 1;
        }
    }
    return quotient;
}

int64_t quipu__scale_signed(int64_t a, uint64_t b, uint64_t c) {
    uint64_t rest;
    const uint64_t size = quipu__magnitude(a);
    const uint64_t quotient = quipu__scale_down(size, b, c, &rest);
    if (quotient > INT64_MAX / 4)
        return a < 0 ? INT64_MIN / 4 : INT64_MAX / 4;
    return a < 0 ? -(int64_t)quotient - (rest > 0) : (int64_t)quotient;
}

uint64_t quipu__scale_rounded(uint64_t a, uint64_t b, uint64_t c) {
    uint64_t rest;
    const uint64_t quotient = quipu__scale_down(a, b, c, &rest);
    return quotient + (quotient != UINT64_MAX && rest >= c - rest);
}

static int sign_of(int64_t a, int64_t b) {
    if (a == 0 || b == 0)
        return 0;
    return (a < 0) == (b < 0) ? 1 : -1;
}

int quipu__products_compare(int64_t a, int64_t b, int64_t c, int64_t d) {
    const int sign = sign_of(a, b), other = sign_of(c, d);
    uint64_t high, low, other_high, other_low;
    if (sign != other || sign == 0)
        return sign - other;
    multiply(quipu__magnitude(a), quipu__magnitude(b), &high, &low);
    multiply(quipu__magnitude(c), quipu__magnitude(d), &other_high, &other_low);
    const int order =
        high != other_high ? (high > other_high) - (high < other_high) : (low > other_low) - (low < other_low);
    return sign * order;
}

bool quipu__multiply_less(int64_t a, int64_t b, int64_t c, int64_t *out) {
    uint64_t high, low;
    multiply((uint64_t)a, (uint64_t)b, &high, &low);
    const uint64_t difference =
        low -
        (uint64_t)c; /* with its upper half: that of the product less the sign of c and what is borrowed */
    const uint64_t upper = high - (c < 0 ? UINT64_MAX : 0) - (low < (uint64_t)c);
    *out = (int64_t)difference;
    return upper == (*out < 0 ? UINT64_MAX : 0);
}

int64_t quipu__divide_rounded(int64_t a, int64_t b) {
    const int64_t quotient = a / b - (a % b < 0), rest = a % b + (a % b < 0 ? b : 0);
    return quotient + (rest >= b - rest);
}
