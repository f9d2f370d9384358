/* The summary of a trace, letter by letter. */
#include "trace/fake.h"

static const struct quipu_event rows[] = {
    {.time = -5, .kind = QUIPU_KIND_enter, .location = 0, .object = 0},
    {.time = 1500000000, .kind = QUIPU_KIND_leave, .location = 0, .object = 0},
    {.kind = FAKE_SECRET},
};
static const struct fake_stream streams[] = {{rows, 3, 1}, {NULL, 0, 1}};
static const struct fake_trace trace = {streams, 2, 2, 1, 0, 2};
static const struct fake_trace empty_trace = {NULL, 0, 0, 0, 0, 0};

static const char *summary_of(const struct fake_trace *of, bool json) {
    struct quipu_reader *reader = fake_reader(of);
    const char *path = harness_text("%s/out", harness_folder());
    struct quipu_summary summary;
    struct quipu_output *output;
    assert_int_equal(quipu_summarise(reader, NULL, &summary, NULL), QUIPU_OK);
    assert_int_equal(quipu_output_open(path, true, NULL, &output, NULL), QUIPU_OK);
    assert_int_equal(quipu_summary_write(&summary, reader, json, quipu_output_sink(output), NULL), QUIPU_OK);
    assert_int_equal(quipu_output_close(output, NULL), QUIPU_OK);
    quipu_reader_close(reader);
    return harness_read(path, NULL);
}

static void test_summary_as_text(void **state) {
    (void)state;
    assert_string_equal(summary_of(&trace, false),
                        "format         fake (Fake)\n"
                        "files          1, 3 bytes\n"
                        "streams        2\n"
                        "duration       1.500000005s\n"
                        "time           -0.000000005s to 1.500000000s, 1000000000 ticks per second\n"
                        "processes      2\n"
                        "records        3\n"
                        "events         2\n"
                        "  enter              1\n"
                        "  leave              1\n"
                        "definitions\n"
                        "  locations          2\n"
                        "  regions            1\n"
                        "findings       2 notice\n");
}

static void test_summary_as_json(void **state) {
    (void)state;
    const char *want = harness_text(
        "{\"quipu\": {\"version\": \"%s\", \"schema\": 1}, \"format\": \"fake\", \"variant\": \"\", "
        "\"files\": 1, \"missing\": 0, \"bytes\": 3, \"streams\": 2, \"locations\": 2, "
        "\"hosts\": 0, \"processes\": 2, \"threads\": 0, \"communicators\": 0, "
        "\"time\": {\"ticks_per_second\": 1000000000, \"first\": -5, \"last\": 1500000000, "
        "\"first_ns\": -5, \"last_ns\": 1500000000}, \"records\": 3, \"events\": 2, "
        "\"kinds\": {\"enter\": 1, \"leave\": 1}, "
        "\"messages\": {\"sent\": 0, \"received\": 0, \"bytes\": 0}, "
        "\"io\": {\"bytes_read\": 0, \"bytes_written\": 0}, "
        "\"mpi\": {\"ticks\": 0, \"of_ticks\": 1500000005}, \"gaps\": {\"count\": 0, \"ticks\": 0}, "
        "\"definitions\": {\"locations\": 2, \"regions\": 1, \"sources\": 0, \"groups\": 0, "
        "\"files\": 0, \"metrics\": 0, \"markers\": 0, \"channels\": 0, \"task_types\": 0, "
        "\"attribute_keys\": 0}, "
        "\"findings\": {\"info\": 0, \"remark\": 0, \"notice\": 2, \"data-loss\": 0, \"error\": 0}}\n",
        quipu_version());
    assert_string_equal(summary_of(&trace, true), want);
}

static void test_summary_of_an_empty_trace(void **state) {
    (void)state;
    assert_non_null(strstr(summary_of(&empty_trace, false), "time           no events"));
    assert_non_null(strstr(summary_of(&empty_trace, true), "\"first\": null, \"last\": null"));
}

QUIPU_TESTS(cmocka_unit_test(test_summary_as_text), cmocka_unit_test(test_summary_as_json),
            cmocka_unit_test(test_summary_of_an_empty_trace))
