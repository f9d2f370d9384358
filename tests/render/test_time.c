/* test_time.c: times as text. */
#include "harness.h"

#include "render/time.h"

static const char *duration(int64_t ns, enum quipu_time_unit unit) {
    char text[QUIPU_TIME_TEXT_BYTES + 16];
    char *end = quipu__put_duration(text, ns, unit);
    assert_true(end - text <= QUIPU__TIME_MOST);
    return harness_text("%.*s", (int)(end - text), text);
}

static void test_time_durations_in_each_unit(void **state) {
    (void)state;
    assert_string_equal(duration(1234567890, QUIPU_UNIT_S), "1.234567890s");
    assert_string_equal(duration(1234567890, QUIPU_UNIT_MS), "1234.567890ms");
    assert_string_equal(duration(1234567890, QUIPU_UNIT_US), "1234567.890us");
    assert_string_equal(duration(1234567890, QUIPU_UNIT_NS), "1234567890ns");
    assert_string_equal(duration(5, QUIPU_UNIT_S), "0.000000005s");
    assert_string_equal(duration(-1500, QUIPU_UNIT_US), "-1.500us");
    assert_string_equal(duration(0, QUIPU_UNIT_MS), "0.000000ms");
    assert_string_equal(duration(INT64_MIN, QUIPU_UNIT_S), "-9223372036.854775808s");
}

static void test_time_ticks(void **state) {
    char text[QUIPU_TIME_TEXT_BYTES + 16];
    (void)state;
    *quipu__put_ticks(text, INT64_MIN) = '\0';
    assert_string_equal(text, "-9223372036854775808");
    *quipu__put_ticks(text, 42) = '\0';
    assert_string_equal(text, "42");
}

/* 1970-01-01 and, 951782400 seconds later, the 29th of February of 2000. */
static void test_time_dates(void **state) {
    char text[QUIPU_TIME_TEXT_BYTES + 16];
    (void)state;
    *quipu__put_date(text, 0) = '\0';
    assert_non_null(strstr(text, "1970-01-01"));
    assert_non_null(strstr(text, "00:00:00.000000000"));
    *quipu__put_date(text, INT64_C(951782400) * 1000000000 + 123456789) = '\0';
    assert_non_null(strstr(text, "2000-02-29"));
    assert_non_null(strstr(text, "00:00:00.123456789"));
}

QUIPU_TESTS(cmocka_unit_test(test_time_durations_in_each_unit), cmocka_unit_test(test_time_ticks),
            cmocka_unit_test(test_time_dates))
