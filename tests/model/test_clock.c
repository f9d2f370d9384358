/* test_clock.c: ticks and nanoseconds, exact where they can be. */
#include "harness.h"

static int64_t ns(uint64_t rate, int64_t ticks) {
    const struct quipu_clock clock = {.ticks_per_second = rate};
    return quipu_clock_ns(&clock, ticks);
}

static void test_clock_is_exact_where_it_can_be(void **state) {
    (void)state;
    assert_true(ns(1000000000, INT64_MAX) == INT64_MAX);
    assert_true(ns(0, -5) == -5);
    assert_true(ns(1000000, 3) == 3000);
    assert_true(ns(1000, -1) == -1000000);
    assert_true(ns(1, 9000000000) == INT64_C(9000000000000000000));
}

static void test_clock_rounds_towards_minus_infinity(void **state) {
    (void)state;
    assert_true(ns(3, 1) == 333333333);
    assert_true(ns(3, -1) == -333333334);
    assert_true(ns(UINT64_C(3000000000), 10) == 3);
    assert_true(ns(UINT64_C(3000000000), -10) == -4);
}

static void test_clock_survives_extreme_rates(void **state) {
    (void)state;
    assert_true(ns(1, INT64_MAX) == INT64_MAX);
    assert_true(ns(1, INT64_MIN) == INT64_MIN);
    /* 2^62 ticks a second: half of that is half a second */
    assert_true(ns(UINT64_C(1) << 62, INT64_C(1) << 61) == 500000000);
    assert_true(ns(UINT64_MAX, INT64_MAX) == 500000000 || ns(UINT64_MAX, INT64_MAX) == 499999999);
}

/* 10 MHz is a tick of 100 ns; three ticks in ten seconds one of 3.33 s; 64 ticks in a week one of 9450 s. */
static void test_clock_rates_need_not_be_whole(void **state) {
    const struct quipu_clock slow = {.ticks_per_second = 3, .per_seconds = 10};
    const struct quipu_clock week = {.ticks_per_second = 64, .per_seconds = 604800};
    const struct quipu_clock fast = {.ticks_per_second = UINT64_MAX, .per_seconds = UINT64_MAX};
    (void)state;
    assert_true(quipu_clock_ns(&slow, 1) == 3333333333);
    assert_true(quipu_clock_ns(&slow, 3) == 10000000000);
    assert_true(quipu_clock_ns(&slow, -1) == -3333333334);
    assert_true(quipu_clock_ns(&week, 2) == INT64_C(18900000000000));
    assert_true(quipu_clock_ns(&fast, 7) == 7000000000 || quipu_clock_ns(&fast, 7) == 6999999999);
}

static void test_clock_ticks_are_the_first_that_are_not_before(void **state) {
    const struct quipu_clock slow = {.ticks_per_second = 3, .per_seconds = 10};
    const struct quipu_clock nanoseconds = {.ticks_per_second = 1000000000};
    const struct quipu_clock seconds = {.ticks_per_second = 1};
    (void)state;
    assert_true(quipu_clock_ticks(&slow, 3333333333) == 1);
    assert_true(quipu_clock_ticks(&slow, 3333333334) == 2);
    assert_true(quipu_clock_ticks(&slow, -3333333334) == -1);
    assert_true(quipu_clock_ticks(&nanoseconds, INT64_MIN) == INT64_MIN);
    assert_true(quipu_clock_ticks(&seconds, 1) == 1);
    assert_true(quipu_clock_ticks(&seconds, INT64_MAX) == 9223372037);
    for (int64_t ticks = -50; ticks < 50; ticks++)
        assert_true(quipu_clock_ticks(&slow, quipu_clock_ns(&slow, ticks)) == ticks);
}

QUIPU_TESTS(cmocka_unit_test(test_clock_is_exact_where_it_can_be),
            cmocka_unit_test(test_clock_rounds_towards_minus_infinity),
            cmocka_unit_test(test_clock_survives_extreme_rates),
            cmocka_unit_test(test_clock_rates_need_not_be_whole),
            cmocka_unit_test(test_clock_ticks_are_the_first_that_are_not_before))
