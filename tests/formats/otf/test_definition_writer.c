/* test_definition_writer.c: definitions as records: what is used is defined, in the text that the table of records says. */
#include "trace/fake.h"

static const char *written(const struct quipu_event *rows, uint32_t count, const char *suffix) {
    const struct fake_stream stream = {rows, count, 1};
    const struct fake_trace trace = {&stream, 1, 2, 2, 1, 0};
    const char *folder = harness_folder();
    struct quipu_reader *reader = fake_reader(&trace);
    struct quipu_conversion_report *report;
    struct quipu_error err = QUIPU_ERROR_INIT;
    if (quipu_convert(reader, harness_text("%s/out.otf", folder), "otf", NULL, &report, &err) != QUIPU_OK)
        fail_msg("%s", err.message);
    quipu_conversion_report_free(report);
    quipu_reader_close(reader);
    return harness_read(harness_text("%s/out.%s", folder, suffix), NULL);
}

/* Functions that are used, their group, the metric and its group, the resolution of times and their range. */
static void test_definition_writer_defines_what_is_used(void **state) {
    const struct quipu_event rows[] = {{.time = 10, .kind = QUIPU_KIND_enter, .object = 1},
                                       {.time = 20, .kind = QUIPU_KIND_metric, .object = 0, .value = 300},
                                       {.time = 42, .kind = QUIPU_KIND_leave, .object = 1}};
    static const char *const lines[] = {"DTR3b9aca00\n",           "DTRGaT2a\n",
                                        "DP1NM\"rank 0\"\n",       "DP2NM\"rank 1\"\n",
                                        "DFG1NM\"Application\"\n", "DF65G1NM\"region 1\"\n",
                                        "DCG1NM\"Counters\"\n",    "DCNT1G1NM\"metric 0\"P0U\"bytes\"\n"};
    const char *text = written(rows, 3, "0.def");
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (!strstr(text, lines[i]))
            fail_msg("no %s in %s", lines[i], text);
    assert_null(strstr(text, "region 0")); /* which nothing uses */
}

/* Each process with events has a stream of its own. */
static void test_definition_writer_lists_streams(void **state) {
    const struct quipu_event rows[] = {{.time = 10, .kind = QUIPU_KIND_enter, .object = 1},
                                       {.time = 10, .kind = QUIPU_KIND_enter, .location = 1, .object = 1}};
    (void)state;
    assert_string_equal(written(rows, 1, "otf"), "1:1\n");
    assert_string_equal(written(rows, 2, "otf"), "1:1\n2:2\n");
}

QUIPU_TESTS(cmocka_unit_test(test_definition_writer_defines_what_is_used),
            cmocka_unit_test(test_definition_writer_lists_streams))
