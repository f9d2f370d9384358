/* test_figures.c: which statistic a pair of a record is. */
#include "harness.h"

#include "formats/picl/figures.h"

static enum quipu_statistic statistic(int64_t record_type, int64_t event) {
    return quipu__picl_statistic_of(record_type, quipu__picl_event_of(event));
}

/* Records -101 have times, -102 counts, -103 volumes; of sends, receives and files counts and volumes are those of messages and of files. */
static void test_figures_say_which_statistic_a_pair_is(void **state) {
    (void)state;
    assert_int_equal(statistic(-101, -21), QUIPU_STATISTIC_INCLUSIVE_TIME);
    assert_int_equal(statistic(-101, 5), QUIPU_STATISTIC_INCLUSIVE_TIME);
    assert_int_equal(statistic(-102, 5), QUIPU_STATISTIC_CALLS);
    assert_int_equal(statistic(-102, -901), QUIPU_STATISTIC_CALLS);
    assert_int_equal(statistic(-102, -21), QUIPU_STATISTIC_MESSAGES_SENT);
    assert_int_equal(statistic(-103, -21), QUIPU_STATISTIC_MESSAGE_BYTES_SENT);
    assert_int_equal(statistic(-102, -52), QUIPU_STATISTIC_MESSAGES_RECEIVED);
    assert_int_equal(statistic(-103, -52), QUIPU_STATISTIC_MESSAGE_BYTES_RECEIVED);
    assert_int_equal(statistic(-102, -201), QUIPU_STATISTIC_OPENS);
    assert_int_equal(statistic(-102, -202), QUIPU_STATISTIC_CLOSES);
    assert_int_equal(statistic(-103, -221), QUIPU_STATISTIC_BYTES_WRITTEN);
    assert_int_equal(statistic(-103, -251), QUIPU_STATISTIC_BYTES_READ);
    assert_int_equal(statistic(-103, 5), QUIPU_STATISTIC_CALL_BYTES);
}

/* Messages and files are sums of all, calls are of their region. */
static void test_figures_of_all(void **state) {
    (void)state;
    assert_true(quipu__picl_is_of_all(QUIPU_STATISTIC_MESSAGES_SENT));
    assert_false(quipu__picl_is_of_all(QUIPU_STATISTIC_CALLS));
    assert_false(quipu__picl_is_of_all(QUIPU_STATISTIC_INCLUSIVE_TIME));
}

QUIPU_TESTS(cmocka_unit_test(test_figures_say_which_statistic_a_pair_is), cmocka_unit_test(test_figures_of_all))
