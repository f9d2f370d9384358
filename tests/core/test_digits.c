/* test_digits.c: numbers as digits, against what the C library prints. */
#include "harness.h"

#include "core/digits.h"

#include <inttypes.h>
#include <stdio.h>

static void assert_digits(uint64_t number) {
    char ours[20 + QUIPU__DIGITS_SLACK], theirs[24];
    *quipu__put_digits(ours, number) = '\0';
    snprintf(theirs, sizeof theirs, "%" PRIu64, number);
    assert_string_equal(ours, theirs);
}

/* Every number of digits, at its ends; and all that fit into the steps of a group of four. */
static void test_digits_of_every_length(void **state) {
    (void)state;
    for (uint64_t power = 1;; power *= 10) {
        assert_digits(power - 1);
        assert_digits(power);
        assert_digits(power + power / 3);
        if (power == UINT64_C(10000000000000000000))
            break;
    }
    assert_digits(UINT64_MAX);
}

static void test_digits_of_every_group_of_four(void **state) {
    (void)state;
    for (uint32_t number = 0; number < 10000; number++) {
        assert_digits(number);
        assert_digits((uint64_t)number * 10000);
        assert_digits((uint64_t)number * 100000000 + 9999 - number);
    }
}

static void test_digits_of_signed_numbers(void **state) {
    const int64_t numbers[] = {0, -1, 7, -10, INT64_MIN, INT64_MAX};
    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char ours[21 + QUIPU__DIGITS_SLACK], theirs[24];
        *quipu__put_signed_digits(ours, numbers[i]) = '\0';
        snprintf(theirs, sizeof theirs, "%" PRId64, numbers[i]);
        assert_string_equal(ours, theirs);
    }
}

QUIPU_TESTS(cmocka_unit_test(test_digits_of_every_length), cmocka_unit_test(test_digits_of_every_group_of_four),
            cmocka_unit_test(test_digits_of_signed_numbers))
