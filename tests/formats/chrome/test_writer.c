/* test_writer.c: what is written for Chrome, byte by byte. */
#include "formats/foreign.h"

static void test_writer_writes_events_a_line_each(void **state) {
    (void)state;
    assert_string_equal(
        written_as("chrome", &small_trace, NULL),
        "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n"
        "{\"ph\": \"M\", \"pid\": 0, \"tid\": 1, \"name\": \"process_name\", \"args\": {\"name\": \"rank "
        "0\"}},\n"
        "{\"ph\": \"M\", \"pid\": 0, \"tid\": 1, \"name\": \"thread_name\", \"args\": {\"name\": \"rank "
        "0\"}},\n"
        "{\"ph\": \"M\", \"pid\": 1, \"tid\": 2, \"name\": \"process_name\", \"args\": {\"name\": \"rank "
        "1\"}},\n"
        "{\"ph\": \"M\", \"pid\": 1, \"tid\": 2, \"name\": \"thread_name\", \"args\": {\"name\": \"rank "
        "1\"}},\n"
        "{\"ph\": \"B\", \"pid\": 0, \"tid\": 1, \"ts\": 0.010, \"name\": \"region 1\", \"cat\": "
        "\"function\"},\n"
        "{\"ph\": \"i\", \"pid\": 0, \"tid\": 1, \"ts\": 1.020, \"s\": \"t\", \"name\": \"send\", \"cat\": "
        "\"message\", "
        "\"args\": {\"peer\": \"rank 1\", \"tag\": -5, \"bytes\": 100}},\n"
        "{\"ph\": \"s\", \"pid\": 0, \"tid\": 1, \"ts\": 1.020, \"id\": 1099511627776, \"name\": \"message\", "
        "\"cat\": \"message\"},\n"
        "{\"ph\": \"C\", \"pid\": 0, \"tid\": 1, \"ts\": 1000.025, \"name\": \"metric 0\", \"cat\": "
        "\"metric\", \"args\": {\"value\": 300}},\n"
        "{\"ph\": \"E\", \"pid\": 0, \"tid\": 1, \"ts\": 1000.040, \"name\": \"region 1\", \"cat\": "
        "\"function\"},\n"
        "{\"ph\": \"i\", \"pid\": 1, \"tid\": 2, \"ts\": -0.005, \"s\": \"t\", \"name\": \"note\", \"cat\": "
        "\"value\", "
        "\"args\": {\"text\": \"a\\\"b\\n\"}},\n"
        "{\"ph\": \"i\", \"pid\": 1, \"tid\": 2, \"ts\": 1.030, \"s\": \"t\", \"name\": \"recv\", \"cat\": "
        "\"message\", "
        "\"args\": {\"peer\": \"rank 0\", \"tag\": -5, \"bytes\": 100}},\n"
        "{\"ph\": \"f\", \"pid\": 1, \"tid\": 2, \"ts\": 1.030, \"bp\": \"e\", \"id\": 1099511627776, "
        "\"name\": "
        "\"message\", \"cat\": \"message\"}\n"
        "]}\n");
}

static void test_writer_of_nothing_writes_json_still(void **state) {
    (void)state;
    assert_string_equal(written_as("chrome", &empty_trace, NULL), "{\"traceEvents\": []}\n");
}

QUIPU_TESTS(cmocka_unit_test(test_writer_writes_events_a_line_each),
            cmocka_unit_test(test_writer_of_nothing_writes_json_still))
