/* test_from_model.c: events of another format as events of threads. The payloads are worked out from the arguments of ovni's events and from
 * model_events.h: a number n that may be unknown is n + 1, a signed one zigzag, seven bits a byte. */
#include "written.h"

#define ON_VIRTUAL_CPU "OHx xffffffffffffffff0000000000000000"
#define REGION(number)                                                                                         \
    number "00000000000000"                                                                                    \
           "00000000" /* a mark of type 0 */

/* Regions are marks of type 0, whose values are their numbers + 1. A thread runs from its first event on and ends with its last. */
static void test_from_model_regions_are_marks(void **state) {
    const struct quipu_event rows[] = {ENTER(10, 0), ENTER(20, 1), LEAVE(30, 1), LEAVE(40, 0)};
    (void)state;
    assert_string_equal(stream_written(rows, 4, 1),
                        "10 " ON_VIRTUAL_CPU "; 10 OM[ x" REGION("01") "; 20 OM[ x" REGION(
                            "02") "; 30 OM] x" REGION("02") "; 40 OM] x" REGION("01") "; 40 OHe");
}

/* Marks are a stack: what lies over a region that is left is left and entered again. */
static void test_from_model_regions_that_overlap(void **state) {
    const struct quipu_event rows[] = {ENTER(10, 0), ENTER(20, 1), LEAVE(30, 0), LEAVE(40, 1)};
    (void)state;
    assert_string_equal(
        stream_written(rows, 4, 1),
        "10 " ON_VIRTUAL_CPU "; 10 OM[ x" REGION("01") "; 20 OM[ x" REGION("02") "; 30 OM] x" REGION(
            "02") "; 30 OM] x" REGION("01") "; 30 OM[ x" REGION("02") "; 40 OM] x" REGION("02") "; 40 OHe");
}

static void test_from_model_calls_that_never_end_are_left_at_the_end(void **state) {
    const struct quipu_event rows[] = {ENTER(10, 0), ENTER(20, 1)};
    (void)state;
    assert_string_equal(stream_written(rows, 2, 1),
                        "10 " ON_VIRTUAL_CPU "; 10 OM[ x" REGION("01") "; 20 OM[ x" REGION(
                            "02") "; 20 OM] x" REGION("02") "; 20 OM] x" REGION("01") "; 20 OHe");
}

/* Clocks are not negative: all count from the first one. */
static void test_from_model_times_before_zero(void **state) {
    const struct quipu_event rows[] = {ENTER(-5, 0), LEAVE(5, 0)};
    (void)state;
    assert_string_equal(stream_written(rows, 2, 1),
                        "0 " ON_VIRTUAL_CPU "; 0 OM[ x" REGION("01") "; 10 OM] x" REGION("01") "; 10 OHe");
}

/* Nor are they more than 2^63 - 1: the latest of all times, moved by 5, stays that. */
static void test_from_model_the_latest_of_all_times(void **state) {
    const struct quipu_event rows[] = {ENTER(-5, 0), LEAVE(INT64_MAX, 0)};
    (void)state;
    assert_string_equal(stream_written(rows, 2, 1),
                        "0 " ON_VIRTUAL_CPU "; 0 OM[ x" REGION("01") "; 9223372036854775807 OM] x" REGION(
                            "01") "; 9223372036854775807 OHe");
}

/* To location 1 (2), of no communicator (0), tag -5 (9), 100 bytes (101), no request (0). */
static void test_from_model_messages_and_metrics_have_events_of_their_own(void **state) {
    const struct quipu_event rows[] = {{.time = 1,
                                        .kind = QUIPU_KIND_send,
                                        .peer = 1,
                                        .group = QUIPU_NONE,
                                        .tag = -5,
                                        .bytes = 100,
                                        .id = QUIPU_UNKNOWN},
                                       {.time = 2, .kind = QUIPU_KIND_metric, .object = 0, .value = 300}};
    (void)state;
    /* Metric 0 (1), 300 (301 = 2 * 128 + 45). */
    assert_string_equal(stream_written(rows, 2, 1),
                        "1 " ON_VIRTUAL_CPU "; 1 OUs x0200096500; 2 OUm x01ad02; 2 OHe");
}

/* Streams begin within an hour: the second one runs from then on. */
static void test_from_model_streams_begin_within_an_hour(void **state) {
    const struct quipu_event rows[] = {
        {.time = 0, .kind = QUIPU_KIND_enter},
        {.time = 0, .kind = QUIPU_KIND_leave},
        {.time = INT64_C(7200000000000), .kind = QUIPU_KIND_enter, .location = 1},
        {.time = INT64_C(7200000000001), .kind = QUIPU_KIND_leave, .location = 1}};
    (void)state;
    const char *root = trace_written(rows, 4);
    assert_string_equal(text_of_stream(stream_of(root, 2)),
                        "3600000000000 " ON_VIRTUAL_CPU "; 7200000000000 OM[ x" REGION(
                            "01") "; 7200000000001 OM] x" REGION("01") "; 7200000000001 OHe");
    assert_string_equal(rules_checked(root), "");
}

/* What is written of one trace of ovni is that trace again, where the model has it. */
static void test_from_model_events_of_ovni_come_back(void **state) {
    const char *events =
        "0 OHx i0 i-1 q0; 1 OHc; 2 OHp; 3 OHw; 4 OAs i-1; 5 OHr; 6 VSh; 7 VU[; 8 VU]; 9 VSf; 10 VPr; "
        "11 KCO; 12 KCI; 13 OF[; 14 OF]; 15 OHe";
    const char *path = MADE_TRACE({.tid = 11, .models = "VK", .events = events});
    const char *again = converted(made_reader(path), true);
    (void)state;
    assert_string_equal(text_of_stream(harness_text("%s/loom.node.0/proc.10/thread.11/stream.obs", again)),
                        text_of_stream(made_file(path, 11)));
    assert_string_equal(model_events(again), model_events(path));
}

QUIPU_TESTS(cmocka_unit_test(test_from_model_regions_are_marks),
            cmocka_unit_test(test_from_model_regions_that_overlap),
            cmocka_unit_test(test_from_model_calls_that_never_end_are_left_at_the_end),
            cmocka_unit_test(test_from_model_times_before_zero),
            cmocka_unit_test(test_from_model_the_latest_of_all_times),
            cmocka_unit_test(test_from_model_messages_and_metrics_have_events_of_their_own),
            cmocka_unit_test(test_from_model_streams_begin_within_an_hour),
            cmocka_unit_test(test_from_model_events_of_ovni_come_back))
