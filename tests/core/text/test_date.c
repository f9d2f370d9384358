/* test_date.c: dates whose distance from 1970 is known. */
#include "harness.h"

#include "core/text/date.h"

#include <inttypes.h>

#define NS INT64_C(1000000000)

static void assert_date(int64_t unix_ns, const char *expected) {
    const struct quipu__date date = quipu__date_of(unix_ns);
    assert_string_equal(harness_text("%" PRId64 "-%02u-%02uT%02u:%02u:%02u.%09u", date.year, date.month,
                                     date.day, date.hour, date.minute, date.second, date.nanosecond),
                        expected);
}

static void test_date_of_known_seconds(void **state) {
    (void)state;
    assert_date(0, "1970-01-01T00:00:00.000000000");
    assert_date(951782400 * NS, "2000-02-29T00:00:00.000000000");
    assert_date(2147483647 * NS + 5, "2038-01-19T03:14:07.000000005");
    assert_date(4107542400 * NS, "2100-03-01T00:00:00.000000000");
}

static void test_date_before_1970_counts_back(void **state) {
    (void)state;
    assert_date(-1, "1969-12-31T23:59:59.999999999");
    assert_date(-86400 * NS, "1969-12-31T00:00:00.000000000");
    assert_date(INT64_MIN, "1677-09-21T00:12:43.145224192");
}

QUIPU_TESTS(cmocka_unit_test(test_date_of_known_seconds), cmocka_unit_test(test_date_before_1970_counts_back))
