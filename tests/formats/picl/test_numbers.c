/* test_numbers.c: integers, decimal numbers and doubles from text and back, exactly. */
#include "harness.h"

#include "formats/picl/numbers.h"

#include <inttypes.h>

static const uint8_t *bytes(const char *text) {
    return (const uint8_t *)text;
}

static void test_numbers_integers_take_the_longest_prefix(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t len;
        int64_t value;
        bool is_too_large;
    } cases[] = {
        {"12abc", 2, 12, false},
        {"-7 ", 2, -7, false},
        {"+3", 2, 3, false},
        {"-", 0, 0, false},
        {"x", 0, 0, false},
        {"9223372036854775807", 19, INT64_MAX, false},
        {"-9223372036854775808", 20, INT64_MIN, false},
        {"9223372036854775808", 19, 0, true},
        {"99999999999999999999999", 23, 0, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t value;
        bool is_too_large = false;
        const uint8_t *text = bytes(cases[i].text);
        assert_int_equal(quipu__picl_read_integer(text, text + strlen(cases[i].text), &value, &is_too_large),
                         cases[i].len);
        assert_int_equal(is_too_large, cases[i].is_too_large);
        if (!is_too_large)
            assert_int_equal(value, cases[i].value);
    }
}

static void test_numbers_decimals_become_ticks_without_doubles(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint32_t decimals;
        int64_t ticks;
        bool is_exact;
    } cases[] = {
        {"-0.715036", 6, -715036, true},
        {".00125", 6, 1250, true},
        {"1.40E-3", 6, 1400, true},
        {"-1.5e3", 6, -1500000000, true},
        {"+0.0", 1, 0, true},
        {"0.123456789012345678", 18, 123456789012345678, true},
        {"0.1234567", 6, 123457, false},
        {"0.00000000000000000000000001", 6, 0, false},
        {"1e300", 6, INT64_MAX, false},
        {"0e999999999", 3, 0, true},
        {"2", 0, 2, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct quipu__picl_decimal decimal;
        int64_t ticks;
        const uint8_t *text = bytes(cases[i].text);
        assert_int_equal(quipu__picl_read_decimal(text, text + strlen(cases[i].text), &decimal),
                         strlen(cases[i].text));
        assert_int_equal(quipu__picl_to_ticks(&decimal, cases[i].decimals, &ticks), cases[i].is_exact);
        assert_int_equal(ticks, cases[i].ticks);
    }
}

/* The C library rounds correctly too: an oracle for any text. */
static void assert_same_double(const char *text) {
    double value;
    const double expected = strtod(text, NULL);
    quipu__picl_to_double(bytes(text), strlen(text), &value);
    if (memcmp(&value, &expected, sizeof value) != 0)
        fail_msg("%s: %a is not %a", text, value, expected);
}

static void test_numbers_doubles_are_rounded_to_nearest(void **state) {
    (void)state;
    static const char *const texts[] = {
        "0.1",
        "-0",
        "9007199254740993",
        "9007199254740993.0000000000000000000000000000001",
        "2.2250738585072011e-308",
        "2.2250738585072014e-308",
        "4.9406564584124654e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "1.7976931348623157e308",
        "1e-400",
        "123456789012345678901234567890e-10",
        "0.00000000000000000000000000000000000000000000000000000000012345678901234567",
        "6.02214076e23",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_same_double(texts[i]);
    uint64_t seed = 7;
    for (int i = 0; i < 5000; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        assert_same_double(harness_text("%" PRIu64 ".%019" PRIu64 "e%d", seed >> 40,
                                        seed % UINT64_C(10000000000000000000), (int)(seed >> 33 & 511) - 256));
    }
}

static void test_numbers_beyond_the_range_of_doubles_are_refused(void **state) {
    (void)state;
    double value;
    assert_false(quipu__picl_to_double(bytes("1e309"), 5, &value));
    assert_false(quipu__picl_to_double(bytes("1.7976931348623159e308"), 22, &value));
    assert_true(quipu__picl_to_double(bytes("1.7976931348623157e308"), 22, &value));
}

static const char *printed(double value) {
    struct quipu__memory memory;
    struct quipu__buffer out;
    quipu__memory_init(&memory, NULL, 0);
    quipu__buffer_init(&out, &memory, 0);
    quipu__picl_put_double(&out, value);
    const char *text = harness_text("%.*s", (int)out.len, (const char *)out.data);
    quipu__buffer_release(&out);
    return text;
}

static void test_numbers_doubles_print_six_decimals_or_what_it_takes(void **state) {
    (void)state;
    assert_string_equal(printed(0.000124), "0.000124");
    assert_string_equal(printed(0.41e-3), "0.000410");
    assert_string_equal(printed(-2.25e-1), "-0.225000");
    assert_string_equal(printed(4), "4.000000");
    assert_string_equal(printed(0), "0.000000");
    assert_string_equal(printed(1e-9), "1e-09");
    assert_string_equal(printed(0.1234567), "0.1234567");
    uint64_t seed = 11;
    for (int i = 0; i < 5000; i++) {
        double value, again;
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        memcpy(&value, &seed, sizeof value);
        if ((seed >> 52 & 0x7ff) == 0x7ff)
            continue; /* no finite number */
        const char *text = printed(value);
        assert_true(quipu__picl_to_double(bytes(text), strlen(text), &again));
        assert_memory_equal(&value, &again, sizeof value);
    }
}

static void test_numbers_ticks_of_any_clock_become_seconds(void **state) {
    (void)state;
    const struct quipu__picl_rate micro = {1000000, 1}, third = {3, 1}, slow = {1, 10};
    const struct quipu__picl_rate fast = {UINT64_C(10000000000000000000), 1};
    struct quipu__picl_decimal decimal = quipu__picl_seconds_of(-715036, &micro, 6);
    assert_true(decimal.is_negative && decimal.mantissa == 715036 && decimal.exponent == -6);
    decimal = quipu__picl_seconds_of(4, &third, 9);
    assert_int_equal(decimal.mantissa, 1333333333);
    decimal = quipu__picl_seconds_of(7, &slow, 2);
    assert_int_equal(decimal.mantissa, 7000);
    decimal = quipu__picl_seconds_of(INT64_MAX, &fast, 18);
    assert_int_equal(decimal.mantissa, UINT64_C(922337203685477580));
}

QUIPU_TESTS(cmocka_unit_test(test_numbers_integers_take_the_longest_prefix),
            cmocka_unit_test(test_numbers_decimals_become_ticks_without_doubles),
            cmocka_unit_test(test_numbers_doubles_are_rounded_to_nearest),
            cmocka_unit_test(test_numbers_beyond_the_range_of_doubles_are_refused),
            cmocka_unit_test(test_numbers_doubles_print_six_decimals_or_what_it_takes),
            cmocka_unit_test(test_numbers_ticks_of_any_clock_become_seconds))
