/* test_text.c: numbers parsed by length, suffixes, words. */
#include "harness.h"

#include "core/text.h"

static void test_text_parse_u64_takes_the_whole_range(void **state) {
    (void)state;
    uint64_t value = 1;
    assert_true(quipu__parse_u64("0", 1, &value));
    assert_int_equal(value, 0);
    assert_true(quipu__parse_u64("18446744073709551615", 20, &value));
    assert_true(value == UINT64_MAX);
}

static void test_text_parse_u64_refuses_one_too_many(void **state) {
    (void)state;
    uint64_t value;
    assert_false(quipu__parse_u64("18446744073709551616", 20, &value));
    assert_false(quipu__parse_u64("99999999999999999999", 20, &value));
    assert_int_equal(value, 0);
}

static void test_text_parse_u64_refuses_what_is_no_number(void **state) {
    (void)state;
    static const char *const texts[] = {"", " 1", "1 ", "-1", "0x10", "1.0", "a"};
    uint64_t value;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_false(quipu__parse_u64(texts[i], strlen(texts[i]), &value));
}

static void test_text_parse_stops_at_its_length_not_at_a_nul(void **state) {
    (void)state;
    uint64_t value;
    assert_true(quipu__parse_u64("12345", 3, &value));
    assert_int_equal(value, 123);
    assert_false(quipu__parse_u64("12\0", 3, &value));
}

static void test_text_parse_i64_knows_both_ends(void **state) {
    (void)state;
    int64_t value;
    assert_true(quipu__parse_i64("-9223372036854775808", 20, &value));
    assert_true(value == INT64_MIN);
    assert_true(quipu__parse_i64("+9223372036854775807", 20, &value));
    assert_true(value == INT64_MAX);
    assert_false(quipu__parse_i64("9223372036854775808", 19, &value));
    assert_false(quipu__parse_i64("-9223372036854775809", 20, &value));
    assert_false(quipu__parse_i64("-", 1, &value));
    assert_false(quipu__parse_i64("--1", 3, &value));
}

static void test_text_hex_digits_are_lower_case_only(void **state) {
    (void)state;
    assert_int_equal(quipu__hex_digit('0'), 0);
    assert_int_equal(quipu__hex_digit('9'), 9);
    assert_int_equal(quipu__hex_digit('f'), 15);
    assert_int_equal(quipu__hex_digit('F'), -1);
    assert_int_equal(quipu__hex_digit('g'), -1);
    assert_int_equal(quipu__hex_digit('/'), -1);
}

static void test_text_has_word_matches_whole_words(void **state) {
    (void)state;
    assert_true(quipu__has_word(".otf .bin", ".bin", 4));
    assert_false(quipu__has_word(".otf .bin", ".bi", 3));
    assert_false(quipu__has_word(".otf .bin", "", 0));
    assert_false(quipu__has_word("", "x", 1));
}

static void test_text_base_name_and_suffix(void **state) {
    (void)state;
    assert_string_equal(quipu__base_name("a/b/c.otf"), "c.otf");
    assert_string_equal(quipu__base_name("c.otf"), "c.otf");
    assert_true(quipu__ends_with("c.otf", ".otf"));
    assert_false(quipu__ends_with("tf", ".otf"));
}

/* The bidirectional controls of Unicode's UAX 9, and letters beside each range. */
static void test_text_bidirectional_controls_are_invisible(void **state) {
    (void)state;
    static const uint32_t hidden[] = {0x061c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d,
                                      0x202e, 0x2066, 0x2067, 0x2068, 0x2069, 0x200b, 0x00ad,
                                      0xfeff, 0x85,   0x1b,   0x7f,   0x2028};
    static const uint32_t shown[] = {' ', 'a', 0xa0, 0xe9, 0x2010, 0x202f, 0x2070, 0x20ac, 0x1f600, 0x10ffff};
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
        assert_true(quipu__is_invisible(hidden[i]));
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        assert_false(quipu__is_invisible(shown[i]));
}

static void test_text_utf8_refuses_what_is_none(void **state) {
    (void)state;
    static const char *const wrong[] = {
        "\x80",         "\xc0\xaf",         "\xc1\xbf",         "\xe0\x80\x80",         "\xe2\x82",
        "\xed\xa0\x80", "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\xff"};
    uint32_t code;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(quipu__utf8_decode((const uint8_t *)wrong[i], strlen(wrong[i]), &code), 0);
    assert_int_equal(quipu__utf8_decode((const uint8_t *)"\xf4\x8f\xbf\xbf", 4, &code), 4);
    assert_int_equal(code, 0x10ffff);
    assert_int_equal(quipu__utf8_decode((const uint8_t *)"\xe2\x80\xae", 3, &code), 3);
    assert_int_equal(code, 0x202e);
}

QUIPU_TESTS(cmocka_unit_test(test_text_parse_u64_takes_the_whole_range),
            cmocka_unit_test(test_text_parse_u64_refuses_one_too_many),
            cmocka_unit_test(test_text_parse_u64_refuses_what_is_no_number),
            cmocka_unit_test(test_text_parse_stops_at_its_length_not_at_a_nul),
            cmocka_unit_test(test_text_parse_i64_knows_both_ends),
            cmocka_unit_test(test_text_hex_digits_are_lower_case_only),
            cmocka_unit_test(test_text_has_word_matches_whole_words),
            cmocka_unit_test(test_text_base_name_and_suffix),
            cmocka_unit_test(test_text_bidirectional_controls_are_invisible),
            cmocka_unit_test(test_text_utf8_refuses_what_is_none))
