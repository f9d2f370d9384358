/* test_summary.c: what a trace is in a few numbers. */
#include "trace/fake.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

static const struct quipu_event first_rows[] = {
    {.time = 10, .kind = QUIPU_KIND_enter, .location = 0, .object = 0},
    {.time = 20, .kind = QUIPU_KIND_enter, .location = 0, .object = 1},
    {.time = 25, .kind = QUIPU_KIND_send, .location = 0, .peer = 1, .bytes = 100},
    {.time = 26, .kind = QUIPU_KIND_metric, .location = 0, .value = 1},
    {.time = 30, .kind = QUIPU_KIND_leave, .location = 0, .object = 1},
    {.time = 40, .kind = QUIPU_KIND_leave, .location = 0, .object = 0},
};
static const struct quipu_event second_rows[] = {
    {.time = 5, .kind = QUIPU_KIND_enter, .location = 1, .object = 0},
    {.kind = FAKE_SECRET},
    {.time = 35, .kind = QUIPU_KIND_recv, .location = 1, .peer = 0, .bytes = 100},
    {.time = 50, .kind = QUIPU_KIND_leave, .location = 1, .object = 0},
};
static const struct fake_stream streams[] = {{first_rows, COUNT(first_rows), 1},
                                             {second_rows, COUNT(second_rows), 1}};
static const struct fake_trace trace = {streams, 2, 2, 2, 1, 0};
static const struct fake_trace empty_trace = {NULL, 0, 0, 0, 0, 0};

static void test_summary_counts_records_events_and_times(void **state) {
    (void)state;
    struct quipu_reader *reader = fake_reader(&trace);
    struct quipu_summary summary;
    assert_int_equal(quipu_summarise(reader, NULL, &summary, NULL), QUIPU_OK);
    assert_int_equal(summary.records, 10);
    assert_int_equal(summary.events, 9);
    assert_int_equal(summary.events_of[QUIPU_KIND_enter], 3);
    assert_int_equal(summary.events_of[QUIPU_KIND_leave], 3);
    assert_int_equal(summary.events_of[QUIPU_KIND_metric], 1);
    assert_int_equal(summary.events_of[QUIPU_KIND_note], 0);
    assert_true(summary.has_times);
    assert_int_equal(summary.first, 5);
    assert_int_equal(summary.last, 50);
    quipu_reader_close(reader);
}

static void test_summary_of_an_empty_trace_has_no_times(void **state) {
    (void)state;
    struct quipu_reader *reader = fake_reader(&empty_trace);
    struct quipu_summary summary;
    assert_int_equal(quipu_summarise(reader, NULL, &summary, NULL), QUIPU_OK);
    assert_false(summary.has_times);
    assert_int_equal(summary.events, 0);
    quipu_reader_close(reader);
}

QUIPU_TESTS(cmocka_unit_test(test_summary_counts_records_events_and_times),
            cmocka_unit_test(test_summary_of_an_empty_trace_has_no_times))
