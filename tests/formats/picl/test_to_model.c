/* test_to_model.c: records as events of the model. A tick is a tenth of a second. */
#include "formats/model_text.h"
#include "formats/picl/traces.h"

static void assert_model(const char *text, const char *expected) {
    assert_string_equal(model_events(file_of_text(text)), expected);
}

/* Between entry and exit of a call stands what it does: of a send at its entry, of a receive at its exit. */
static void test_to_model_calls_and_messages(void **state) {
    (void)state;
    assert_model(
        BEGIN
        "-3 -21 1.0 0 0 3 2 100 7 1\n-4 -21 1.5 0 0 0\n-3 -51 2 1 0 2 2 7 0\n-4 -51 3.0 1 0 3 2 100 7 0\n" END,
        "0 0/0 enter region=tracing; 10 0/0 enter region=send; "
        "10 0/0 send peer=1/0 communicator=0 tag=7 bytes=100 request=?; 15 0/0 leave region=send; "
        "20 1/0 enter region=recv-nowait; 30 1/0 recv peer=0/0 communicator=0 tag=7 bytes=100 request=?; "
        "30 1/0 leave region=recv-nowait; 90 0/0 leave region=tracing");
}

/* A mark is entry and exit at once. */
static void test_to_model_marks_are_calls_of_no_time(void **state) {
    (void)state;
    assert_model(BEGIN "-2 5 1.0 0 0 0\n" END, "0 0/0 enter region=tracing; 10 0/0 enter region=event 5; "
                                               "10 0/0 leave region=event 5; 90 0/0 leave region=tracing");
}

/* Records of users are markers with their text. */
static void test_to_model_records_of_users_are_markers(void **state) {
    (void)state;
    assert_non_null(
        strstr(model_events(file_of_text(BEGIN "7 5 1.0 0 0 0\n" END)), "10 0/0 marker marker=user record 7"));
}

/* Data that no column holds are attributes of the call. */
static void test_to_model_data_are_attributes(void **state) {
    struct quipu_reader *reader = open_text(BEGIN "-3 5 1.0 0 0 2 2 4 -5\n" END);
    struct quipu_event event;
    (void)state;
    do
        assert_int_equal(quipu_reader_next(reader, &event, NULL), QUIPU_OK);
    while (event.time != 10);
    assert_int_equal(event.attribute_count, 2);
    assert_int_equal(event.attributes[0].value.i, 4);
    assert_int_equal(event.attributes[1].value.i, -5);
    quipu_reader_close(reader);
}

QUIPU_TESTS(cmocka_unit_test(test_to_model_calls_and_messages),
            cmocka_unit_test(test_to_model_marks_are_calls_of_no_time),
            cmocka_unit_test(test_to_model_records_of_users_are_markers),
            cmocka_unit_test(test_to_model_data_are_attributes))
