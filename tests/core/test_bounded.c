/* test_bounded.c: sums, differences and products stop at the bounds of 64 bits. */
#include "harness.h"

#include "core/bounded.h"

static void test_bounded_arithmetic_is_exact_inside_and_stops_at_the_bounds(void **state) {
    (void)state;
    static const struct {
        int64_t a, b, added, difference;
    } cases[] = {
        {3, -5, -2, 8},
        {INT64_MAX, 0, INT64_MAX, INT64_MAX},
        {INT64_MAX, 1, INT64_MAX, INT64_MAX - 1},
        {INT64_MAX, -1, INT64_MAX - 1, INT64_MAX},
        {INT64_MIN, 1, INT64_MIN + 1, INT64_MIN},
        {INT64_MIN, -1, INT64_MIN, INT64_MIN + 1},
        {INT64_MIN, INT64_MIN, INT64_MIN, 0},
        {INT64_MAX, INT64_MAX, INT64_MAX, 0},
        {INT64_MAX, INT64_MIN, -1, INT64_MAX},
        {0, INT64_MIN, INT64_MIN, INT64_MAX},
        {-1, INT64_MIN, INT64_MIN, INT64_MAX},
        {-2, INT64_MAX, INT64_MAX - 2, INT64_MIN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(quipu__bounded_sum(cases[i].a, cases[i].b), cases[i].added);
        assert_int_equal(quipu__bounded_difference(cases[i].a, cases[i].b), cases[i].difference);
    }
}

static void test_bounded_products(void **state) {
    (void)state;
    assert_int_equal(quipu__bounded_product(0, INT64_MIN), 0);
    assert_int_equal(quipu__bounded_product(1, INT64_MIN), INT64_MIN);
    assert_int_equal(quipu__bounded_product(2, INT64_MAX / 2), INT64_MAX - 1);
    assert_int_equal(quipu__bounded_product(2, INT64_MAX / 2 + 1), INT64_MAX);
    assert_int_equal(quipu__bounded_product(3, INT64_MIN / 2), INT64_MIN);
    assert_int_equal(quipu__bounded_product(7, -6), -42);
}

static void test_bounded_numbers(void **state) {
    (void)state;
    assert_int_equal(quipu__bounded(3, 4), 3);
    assert_int_equal(quipu__bounded(INT64_MAX, 4), 4);
    assert_int_equal(quipu__bounded(INT64_MIN, 4), -4);
}

QUIPU_TESTS(cmocka_unit_test(test_bounded_arithmetic_is_exact_inside_and_stops_at_the_bounds),
            cmocka_unit_test(test_bounded_products), cmocka_unit_test(test_bounded_numbers))
