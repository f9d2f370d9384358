/* test_events.c: records of events in batches, in canonical spelling and in others. Numbers are hexadecimal. */
#include "texts.h"

#define FUNCTIONS "DF1G0NM\"f\"\nDF2G0NM\"g\"\n"

static void test_events_calls_and_messages(void **state) {
    (void)state;
    assert_string_equal(
        model_events(text_trace(FUNCTIONS, "a\n*1\nE1\n14\n*1\nS2L3e8T7C0\n1e\n*2\nR1L3e8T7C0\n28\n*1\nL1\n")),
        "10 a enter region=f; 20 a send peer=b communicator=? tag=7 bytes=1000 request=?; "
        "30 b recv peer=a communicator=? tag=7 bytes=1000 request=?; 40 a leave region=f");
}

/* A leave need not name a function; time and process hold until they are said again. */
static void test_events_state_holds(void **state) {
    (void)state;
    assert_string_equal(model_events(text_trace(FUNCTIONS, "a\n*1\nE1\nE2\nb\nL\nL\n*2\nE1\n")),
                        "10 a enter region=f; 10 a enter region=g; 11 a leave region=?; 11 a leave region=?; "
                        "11 b enter region=f");
}

/* Long and short spellings of the same. */
static void test_events_in_the_long_form(void **state) {
    (void)state;
    assert_string_equal(model_events(text_trace(FUNCTIONS, "a\n*1\nENTER 1\nb\n*1\nLEAVE 1\n")),
                        "10 a enter region=f; 11 a leave region=f");
}

/* What is used without definition gets one, and is found. */
static void test_events_of_what_is_not_defined(void **state) {
    struct quipu_reader *reader = made_reader(text_trace("", "a\n*1\nE7\nb\n*1\nL7\n"));
    struct quipu_event event;
    (void)state;
    assert_int_equal(quipu_reader_next(reader, &event, NULL), QUIPU_OK);
    assert_string_equal(quipu_reader_definitions(reader)->regions.items[event.object].name, "function 7");
    assert_int_equal(quipu_reader_definitions(reader)->regions.items[event.object].native_id, 7);
    quipu_reader_close(reader);
}

static void test_events_times_that_go_back_are_found(void **state) {
    (void)state;
    assert_non_null(strstr(rules_checked(text_trace(FUNCTIONS, "14\n*1\nE1\na\n*1\nL1\n")), "otf.unsorted"));
}

QUIPU_TESTS(cmocka_unit_test(test_events_calls_and_messages), cmocka_unit_test(test_events_state_holds),
            cmocka_unit_test(test_events_in_the_long_form),
            cmocka_unit_test(test_events_of_what_is_not_defined),
            cmocka_unit_test(test_events_times_that_go_back_are_found))
