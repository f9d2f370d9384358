/* clock.c: ticks and nanoseconds. Products of two 64-bit numbers are stored in two halves, so nothing overflows and no
 * intermediate result is rounded. */
#include "core/bounded.h"

#include <quipu/model.h>

#define NS_PER_SECOND UINT64_C(1000000000)

struct wide {
    uint64_t high, low;
};

static struct wide multiply(uint64_t a, uint64_t b) {
    const uint64_t a_low = (uint32_t)a, a_high = a >> 32, b_low = (uint32_t)b, b_high = b >> 32;
    const uint64_t low = a_low * b_low, left = a_high * b_low, right = a_low * b_high;
    const uint64_t middle = (low >> 32) + (uint32_t)left + (uint32_t)right;
    return (struct wide){a_high * b_high + (left >> 32) + (right >> 32) + (middle >> 32),
                         middle << 32 | (uint32_t)low};
}

/* a * b / c, rounded down or up; UINT64_MAX when that is too large. */
static uint64_t scale(uint64_t a, uint64_t b, uint64_t c, bool up) {
    const struct wide product = multiply(a, b);
    if (product.high == 0)
        return product.low / c + (up && product.low % c != 0);
    if (product.high >= c)
        return UINT64_MAX;
    uint64_t rest = product.high, quotient = 0;
    for (int bit = 63; bit >= 0; bit--) {
        const bool carries = rest >> 63 != 0;
        rest = rest << 1 | (product.low >> bit & 1);
        quotient <<= 1;
        if (carries || rest >= c) {
            rest -= c;
            quotient |= 1;
        }
    }
    return quotient + (up && rest != 0 && quotient != UINT64_MAX);
}

/* The same for a number of either sign; cut to the range of int64_t. Down is towards minus infinity. */
static int64_t scale_signed(int64_t a, uint64_t b, uint64_t c, bool up) {
    const uint64_t size = scale(quipu__magnitude(a), b, c, a < 0 ? !up : up);
    if (a < 0)
        return size > INT64_MAX ? INT64_MIN : -(int64_t)size;
    return size > INT64_MAX ? INT64_MAX : (int64_t)size;
}

/* Rates are ticks per nanoseconds, reduced as far as 64 bits require. */
struct rate {
    uint64_t ticks, ns;
};

static struct rate rate_of(const struct quipu_clock *clock) {
    struct rate rate = {clock->ticks_per_second, clock->per_seconds ? clock->per_seconds : 1};
    if (rate.ticks == 0)
        return (struct rate){1, 1};
    while (rate.ns > UINT64_MAX / NS_PER_SECOND) { /* no clock ticks so rarely; halving both is exact enough */
        rate.ns /= 2;
        rate.ticks = rate.ticks > 1 ? rate.ticks / 2 : 1;
    }
    rate.ns *= NS_PER_SECOND;
    return rate;
}

int64_t quipu_clock_ns(const struct quipu_clock *clock, int64_t ticks) {
    const struct rate rate = rate_of(clock);
    return rate.ticks == rate.ns ? ticks : scale_signed(ticks, rate.ns, rate.ticks, false);
}

int64_t quipu_clock_ticks(const struct quipu_clock *clock, int64_t ns) {
    const struct rate rate = rate_of(clock);
    return rate.ticks == rate.ns ? ns : scale_signed(ns, rate.ticks, rate.ns, true);
}
