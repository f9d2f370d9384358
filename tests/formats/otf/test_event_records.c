/* test_event_records.c: records that events become, as text, by the table of records. Numbers are hexadecimal; the processes are 1 and 2,
 * the functions 64 and 65, the metric is 1. */
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

/* Time and process stand in front of what happens then. */
static void test_event_records_calls_and_messages(void **state) {
    const struct quipu_event rows[] = {{.time = 10, .kind = QUIPU_KIND_enter, .object = 1},
                                       {.time = 1020,
                                        .kind = QUIPU_KIND_send,
                                        .peer = 1,
                                        .group = QUIPU_NONE,
                                        .tag = 7,
                                        .bytes = 1000,
                                        .id = QUIPU_UNKNOWN},
                                       {.time = 1020,
                                        .kind = QUIPU_KIND_recv,
                                        .peer = 1,
                                        .group = QUIPU_NONE,
                                        .tag = 8,
                                        .bytes = 16,
                                        .id = QUIPU_UNKNOWN},
                                       {.time = 1025, .kind = QUIPU_KIND_metric, .object = 0, .value = 300},
                                       {.time = 4096, .kind = QUIPU_KIND_leave, .object = 1}};
    (void)state;
    assert_string_equal(
        written(rows, 5, "1.events"),
        "a\n*1\nE65\n3fc\n*1\nS2L3e8T7C0\nR2L10T8C0\n401\n*1\nCNT1V12c\n1000\n*1\nL65\n1000\n*1\n");
}

static void test_event_records_of_operations(void **state) {
    const struct quipu_event rows[] = {{.time = 1, .kind = QUIPU_KIND_location_begin},
                                       {.time = 2,
                                        .kind = QUIPU_KIND_collective_begin,
                                        .object = 0,
                                        .peer = 1,
                                        .group = QUIPU_NONE,
                                        .bytes = 16,
                                        .value = 32,
                                        .id = 9},
                                       {.time = 3, .kind = QUIPU_KIND_collective_end, .object = 0, .id = 9},
                                       {.time = 4, .kind = QUIPU_KIND_location_end}};
    const char *text;
    (void)state;
    text = written(rows, 4, "1.events");
    assert_non_null(strstr(text, "1\n*1\nPB\n"));
    assert_non_null(strstr(text, "\n2\n*1\nCOPB"));
    assert_non_null(strstr(text, "RT2S10R20\n"));
    assert_non_null(strstr(text, "\n3\n*1\nCOPE"));
    assert_non_null(strstr(text, "\n4\n*1\nPE\n"));
}

QUIPU_TESTS(cmocka_unit_test(test_event_records_calls_and_messages),
            cmocka_unit_test(test_event_records_of_operations))
