/* bounded.h: sums of times that stop at the largest or smallest number instead of going beyond it. Nanoseconds of many
 * locations together can pass 292 years. */
#ifndef QUIPU_CORE_BOUNDED_H
#define QUIPU_CORE_BOUNDED_H

#include <stdint.h>

/* The number, or the limit that it passes. limit: at least 0. */
static inline int64_t quipu__bounded(int64_t number, int64_t limit) {
    if (number > limit)
        return limit;
    return number < -limit ? -limit : number;
}

static inline int64_t quipu__bounded_sum(int64_t a, int64_t b) {
    if (b > 0)
        return a > INT64_MAX - b ? INT64_MAX : a + b;
    return a < INT64_MIN - b ? INT64_MIN : a + b;
}

static inline int64_t quipu__bounded_difference(int64_t a, int64_t b) {
    if (b < 0)
        return a > INT64_MAX + b ? INT64_MAX : a - b;
    return a < INT64_MIN + b ? INT64_MIN : a - b;
}

/* The number without its sign, which an int64_t need not hold. */
static inline uint64_t quipu__magnitude(int64_t number) {
    return number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
}

static inline int64_t quipu__distance(int64_t a, int64_t b) {
    return a < b ? quipu__bounded_difference(b, a) : quipu__bounded_difference(a, b);
}

/* factor: at least 0. */
static inline int64_t quipu__bounded_product(int64_t factor, int64_t number) {
    if (factor == 0 || number == 0)
        return 0;
    if (number > 0)
        return number > INT64_MAX / factor ? INT64_MAX : factor * number;
    return number < INT64_MIN / factor ? INT64_MIN : factor * number;
}

#endif
