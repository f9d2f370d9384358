/* test_scale.c: quotients of products are exact, also where the product needs more than 64 bits. */
#include "harness.h"

#include "core/scale.h"

static void test_scale_rounds_half_up(void **state) {
    (void)state;
    assert_int_equal(quipu__divide_rounded(7, 2), 4);
    assert_int_equal(quipu__divide_rounded(-7, 2), -3);
    assert_int_equal(quipu__divide_rounded(-8, 3), -3);
    assert_int_equal(quipu__divide_rounded(INT64_MIN, 3), -3074457345618258603);
    assert_int_equal(quipu__middle(-2, 1), 0);
    assert_int_equal(quipu__middle(INT64_MAX - 3, INT64_MAX), INT64_MAX - 1);
    assert_int_equal(quipu__middle(INT64_MIN, INT64_MAX), 0);
    assert_int_equal(quipu__scale_rounded(7, 1, 2), 4);
    assert_int_equal(quipu__scale_rounded(2, 5, 3), 3);
    assert_int_equal(quipu__scale_rounded(UINT64_MAX, 1, 1), UINT64_MAX);
}

/* 2^40 * (2^50 + 3) / 2^41 = 2^49 + 1 and a half; 2^64 - 1 times itself is 2^128 - 2^65 + 1, divided by 2^64 - 2 that is more than 64 bits
 * hold. */
static void test_scale_needs_more_than_64_bits_on_the_way(void **state) {
    uint64_t rest;
    (void)state;
    assert_int_equal(quipu__scale_down(UINT64_C(1) << 40, (UINT64_C(1) << 50) + 3, UINT64_C(1) << 41, &rest),
                     (UINT64_C(1) << 49) + 1);
    assert_int_equal(rest, UINT64_C(1) << 40);
    assert_int_equal(quipu__scale_rounded(UINT64_C(1) << 40, (UINT64_C(1) << 50) + 3, UINT64_C(1) << 41),
                     (UINT64_C(1) << 49) + 2);
    assert_int_equal(quipu__scale_down(UINT64_MAX, UINT64_MAX, UINT64_MAX, &rest), UINT64_MAX);
    assert_int_equal(rest, 0);
    assert_int_equal(quipu__scale_down(UINT64_MAX, UINT64_MAX, UINT64_MAX - 1, &rest), UINT64_MAX);
}

static void test_scale_of_signed_numbers_rounds_down(void **state) {
    (void)state;
    assert_int_equal(quipu__scale_signed(-7, 1, 2), -4);
    assert_int_equal(quipu__scale_signed(-8, 1, 2), -4);
    assert_int_equal(quipu__scale_signed(7, 3, 2), 10);
    assert_int_equal(quipu__scale_signed(INT64_MAX, 3, 2), INT64_MAX / 4);
    assert_int_equal(quipu__scale_signed(INT64_MIN, UINT64_MAX, 1), INT64_MIN / 4);
}

static void test_scale_compares_products(void **state) {
    (void)state;
    assert_true(quipu__products_compare(INT64_MAX, INT64_MAX, INT64_MIN, INT64_MIN) < 0);
    assert_true(quipu__products_compare(INT64_MIN, INT64_MAX, INT64_MAX, -INT64_MAX) < 0);
    assert_int_equal(quipu__products_compare(6, -4, -3, 8), 0);
    assert_true(quipu__products_compare(0, 5, -1, 1) > 0);
}

static void test_scale_multiplies_and_subtracts_as_far_as_it_fits(void **state) {
    (void)state;
    int64_t out;
    const int64_t half = INT64_C(1) << 62;
    assert_true(quipu__multiply_less(2, half + 10, half + 25, &out) && out == half - 5);
    assert_true(quipu__multiply_less(2, half, 1, &out) && out == INT64_MAX);
    assert_false(quipu__multiply_less(2, half, 0, &out));
    assert_true(quipu__multiply_less(3, 4, 20, &out) && out == -8);
    assert_true(quipu__multiply_less(0, 7, INT64_MAX, &out) && out == -INT64_MAX);
    assert_true(quipu__multiply_less(3, 4, -20, &out) && out == 32);
    assert_false(quipu__multiply_less(0, 7, INT64_MIN, &out));
    assert_false(quipu__multiply_less(INT64_MAX, INT64_MAX, INT64_MAX, &out));
}

QUIPU_TESTS(cmocka_unit_test(test_scale_rounds_half_up),
            cmocka_unit_test(test_scale_needs_more_than_64_bits_on_the_way),
            cmocka_unit_test(test_scale_of_signed_numbers_rounds_down),
            cmocka_unit_test(test_scale_compares_products),
            cmocka_unit_test(test_scale_multiplies_and_subtracts_as_far_as_it_fits))
