/* test_convert.c: what a conversion writes, and what its report says about it. */
#include "trace/fake.h"

#include "convert/convert.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

static const struct quipu_event first_rows[] = {
    {.time = 10, .kind = QUIPU_KIND_enter, .location = 0, .byte_offset = 1},
    {.time = 12, .kind = FAKE_SECRET, .location = 0},
    {.time = 20, .kind = QUIPU_KIND_send, .location = 0, .peer = 1, .tag = 5, .bytes = 100, .byte_offset = 2},
    {.time = 25, .kind = QUIPU_KIND_metric, .location = 0, .value = 3, .byte_offset = 3},
    {.time = 40, .kind = QUIPU_KIND_leave, .location = 0, .byte_offset = 4},
};
static const struct quipu_event second_rows[] = {
    {.time = 15, .kind = QUIPU_KIND_recv, .location = 1, .peer = QUIPU_NONE, .byte_offset = 5},
    {.time = 30, .kind = QUIPU_KIND_recv, .location = 1, .peer = 0, .tag = 5, .bytes = 100, .byte_offset = 6},
    {.time = 31, .kind = QUIPU_KIND_note, .location = 1, .byte_offset = 7},
};
static const struct quipu_event definition_rows[] = {{.kind = FAKE_DEFINE}, {.kind = FAKE_DEFINE}};
static const struct fake_stream streams[] = {
    {definition_rows, COUNT(definition_rows), 0},
    {first_rows, COUNT(first_rows), 1},
    {second_rows, COUNT(second_rows), 1},
};
static const struct fake_trace trace = {streams, COUNT(streams), 2, 1, 1, 0};

/* A target that is not the source's own format, so that events are translated. */
static struct quipu__format other_target(enum quipu_order order) {
    static struct quipu__writing writing;
    struct quipu__format target = fake_format;
    writing = fake_writing;
    writing.order = order;
    target.writing = &writing;
    return target;
}

static enum quipu_status collect(void *context, const void *data, size_t size, struct quipu_error *err) {
    (void)err;
    char **text = context;
    *text = harness_text("%s%.*s", *text ? *text : "", (int)size, (const char *)data);
    return QUIPU_OK;
}

static const char *report_text(const struct quipu_conversion_report *report, bool json) {
    char *text = NULL;
    const struct quipu_sink sink = {collect, &text};
    assert_int_equal(quipu_conversion_report_write(report, json, sink, NULL), QUIPU_OK);
    return text;
}

static const char *new_path(void) {
    return harness_text("%s/out.fake", harness_folder());
}

static void test_convert_copies_records_within_one_format(void **state) {
    (void)state;
    struct quipu_reader *reader = fake_reader(&trace);
    struct quipu_conversion_report *report;
    assert_int_equal(quipu__convert(reader, new_path(), &fake_format, NULL, &report, NULL), QUIPU_OK);
    assert_int_equal(fake_written.records, 10);
    assert_int_equal(fake_written.streams, 3);
    assert_int_equal(fake_written.count, 0);
    assert_int_equal(quipu_conversion_report_lost(report), 0);
    const char *json = report_text(report, true);
    assert_non_null(strstr(
        json,
        "\"totals\": {\"total\": 10, \"exact\": 10, \"respelled\": 0, \"approximated\": 0, \"dropped\": 0}"));
    quipu_conversion_report_free(report);
    quipu_reader_close(reader);
}

static void test_convert_translates_events_in_the_order_of_the_writer(void **state) {
    (void)state;
    static const struct {
        enum quipu_order order;
        uint64_t offsets[6];
    } cases[] = {{QUIPU_ORDER_STREAM, {1, 2, 3, 4, 6}}, {QUIPU_ORDER_TIME, {1, 2, 3, 6, 4}}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct quipu_reader *reader = fake_reader(&trace);
        const struct quipu__format target = other_target(cases[i].order);
        assert_int_equal(quipu__convert(reader, new_path(), &target, NULL, NULL, NULL), QUIPU_OK);
        assert_int_equal(fake_written.count, 5);
        for (uint32_t k = 0; k < 5; k++)
            assert_int_equal(fake_written.rows[k].byte_offset, cases[i].offsets[k]);
        quipu_reader_close(reader);
    }
}

static void test_convert_report_accounts_for_every_record(void **state) {
    (void)state;
    struct quipu_reader *reader = fake_reader(&trace);
    const struct quipu__format target = other_target(QUIPU_ORDER_STREAM);
    struct quipu_conversion_report *report;
    assert_int_equal(quipu__convert(reader, new_path(), &target, NULL, &report, NULL), QUIPU_OK);
    assert_string_equal(
        report_text(report, true),
        "{\"quipu\": {\"version\": \"0.1.0\", \"schema\": 1}, \"records\": [\n"
        "{\"type\": \"define\", \"how\": \"exact\", \"total\": 2, \"exact\": 2, \"respelled\": 0, "
        "\"approximated\": 0, "
        "\"dropped\": 0, \"fields\": []},\n"
        "{\"type\": \"region\", \"how\": \"exact\", \"total\": 2, \"exact\": 2, \"respelled\": 0, "
        "\"approximated\": 0, "
        "\"dropped\": 0, \"fields\": []},\n"
        "{\"type\": \"message\", \"how\": \"approximated\", \"total\": 3, \"exact\": 0, \"respelled\": 0, "
        "\"approximated\": 2, "
        "\"dropped\": 1, \"fields\": ["
        "{\"name\": \"object\", \"how\": \"dropped\", \"why\": \"FAKE has no attributes\", \"count\": "
        "3, "
        "\"first\": 2, \"stream\": 1}, "
        "{\"name\": \"colour\", \"how\": \"dropped\", \"why\": \"FAKE has no attributes\", \"count\": "
        "3, "
        "\"first\": 2, \"stream\": 1}, "
        "{\"name\": \"scent\", \"how\": \"dropped\", \"why\": \"events do not smell\", \"count\": 3, "
        "\"first\": 2, "
        "\"stream\": 1}, "
        "{\"name\": \"*\", \"how\": \"dropped\", \"why\": \"values not representable in FAKE\", \"count\": "
        "1, "
        "\"first\": 2, \"stream\": 1}]},\n"
        "{\"type\": \"metric\", \"how\": \"approximated\", \"total\": 1, \"exact\": 0, \"respelled\": 0, "
        "\"approximated\": 1, "
        "\"dropped\": 0, \"fields\": [{\"name\": \"object\", \"how\": \"dropped\", \"why\": "
        "\"not representable in FAKE\", \"count\": 1, \"first\": 3, \"stream\": 1}]},\n"
        "{\"type\": \"secret\", \"how\": \"dropped\", \"total\": 1, \"exact\": 0, \"respelled\": 0, "
        "\"approximated\": 0, "
        "\"dropped\": 1, \"fields\": [{\"name\": \"*\", \"how\": \"dropped\", \"why\": \"not an event\", "
        "\"count\": 1, \"first\": 1, \"stream\": 1}]},\n"
        "{\"type\": \"other\", \"how\": \"dropped\", \"total\": 1, \"exact\": 0, \"respelled\": 0, "
        "\"approximated\": 0, "
        "\"dropped\": 1, \"fields\": [{\"name\": \"*\", \"how\": \"dropped\", \"why\": \"FAKE has no "
        "equivalent of note\", \"count\": 1, \"first\": 2, \"stream\": 2}]}], "
        "\"totals\": {\"total\": 10, \"exact\": 4, \"respelled\": 0, \"approximated\": 3, \"dropped\": 3}, "
        "\"selected\": null, \"times\": null, \"not_recorded\": null}\n");
    assert_int_equal(quipu_conversion_report_lost(report), 6);
    assert_int_equal(quipu_conversion_report_dropped(report), 3);
    const char *text = report_text(report, false);
    assert_non_null(strstr(
        text,
        "\nmessage                                 3            0            0            2            1\n"
        "  object dropped: FAKE has no attributes\n"));
    assert_non_null(strstr(
        text,
        "\nall                                    10            4            0            3            3\n"));
    quipu_conversion_report_free(report);
    quipu_reader_close(reader);
}

static void test_convert_refuses_loss_before_it_writes(void **state) {
    (void)state;
    struct quipu_reader *reader = fake_reader(&trace);
    const struct quipu__format target = other_target(QUIPU_ORDER_STREAM);
    struct quipu_convert_options options = QUIPU_CONVERT_OPTIONS_INIT;
    struct quipu_conversion_report *report;
    struct quipu_error err = QUIPU_ERROR_INIT;
    const char *path = new_path();
    options.fail_on_loss = true;
    fake_written.is_finished = false;
    assert_int_equal(quipu__convert(reader, path, &target, &options, &report, &err), QUIPU_NOT_REPRESENTABLE);
    assert_int_equal(quipu_conversion_report_lost(report), 6);
    assert_false(harness_exists(path));
    assert_false(fake_written.is_finished);
    quipu_conversion_report_free(report);
    quipu_reader_close(reader);
}

static void test_convert_counts_values_that_the_target_cannot_hold(void **state) {
    (void)state;
    static const struct quipu_event rows[] = {{.kind = QUIPU_KIND_recv, .peer = QUIPU_NONE}};
    static const struct fake_stream one[] = {{rows, 1, 1}};
    static const struct fake_trace small = {one, 1, 1, 1, 0, 0};
    struct quipu_reader *reader = fake_reader(&small);
    const struct quipu__format target = other_target(QUIPU_ORDER_STREAM);
    struct quipu_conversion_report *report;
    const char *path = new_path();
    assert_int_equal(quipu__convert(reader, path, &target, NULL, &report, NULL), QUIPU_OK);
    assert_non_null(strstr(report_text(report, true),
                           "\"totals\": {\"total\": 1, \"exact\": 0, \"respelled\": 0, \"approximated\": 0, "
                           "\"dropped\": 1}"));
    quipu_conversion_report_free(report);
    quipu_reader_close(reader);
}

static void test_convert_translates_a_selection_even_within_one_format(void **state) {
    (void)state;
    struct quipu_reader *reader = fake_reader(&trace);
    struct quipu_convert_options options = QUIPU_CONVERT_OPTIONS_INIT;
    options.selected = true;
    options.selection.from = 20;
    options.selection.to = 31;
    assert_int_equal(quipu__convert(reader, new_path(), &fake_format, &options, NULL, NULL), QUIPU_OK);
    assert_int_equal(fake_written.records, 0);
    assert_int_equal(fake_written.count, 3);
    assert_int_equal(fake_written.rows[2].byte_offset, 6);
    quipu_reader_close(reader);
}

static void test_convert_explain_reads_nothing(void **state) {
    (void)state;
    struct quipu_reader *reader = fake_reader(&trace);
    const struct quipu__format target = other_target(QUIPU_ORDER_STREAM);
    struct quipu_conversion_report *report;
    assert_int_equal(quipu__convert(reader, NULL, &target, NULL, &report, NULL), QUIPU_OK);
    assert_int_equal(quipu_reader_records(reader), 0);
    const char *json = report_text(report, true);
    assert_non_null(
        strstr(json, "{\"type\": \"secret\", \"how\": \"dropped\", \"total\": null, \"exact\": null"));
    assert_non_null(strstr(json, "\"count\": null, \"first\": null, \"stream\": null}"));
    assert_non_null(strstr(json, "\"totals\": {\"total\": null"));
    assert_non_null(
        strstr(report_text(report, false), "secret                       dropped\n  dropped: not an event\n"));
    quipu_conversion_report_free(report);
    quipu_reader_close(reader);
}

static void test_convert_does_not_know_any_target(void **state) {
    (void)state;
    struct quipu_reader *reader = fake_reader(&trace);
    struct quipu_conversion_report *report;
    struct quipu_error err = QUIPU_ERROR_INIT;
    assert_int_equal(quipu_convert(reader, new_path(), "nonsense", NULL, &report, &err), QUIPU_NOT_FOUND);
    assert_null(report);
    assert_non_null(strstr(err.message, "nonsense"));
    quipu_reader_close(reader);
}

static bool stop_at_once(void *context, uint64_t done, uint64_t total, uint64_t events) {
    (void)done, (void)total, (void)events;
    ++*(int *)context;
    return false;
}

static void test_convert_stops_when_asked_and_leaves_nothing(void **state) {
    (void)state;
    int calls = 0;
    struct quipu_convert_options options = QUIPU_CONVERT_OPTIONS_INIT;
    options.progress = (struct quipu_progress){stop_at_once, &calls};
    const struct quipu__format target = other_target(QUIPU_ORDER_STREAM);
    const struct quipu__format *const targets[] = {&target, &fake_format};
    for (size_t i = 0; i < COUNT(targets); i++) {
        struct quipu_reader *reader = fake_reader(&trace);
        const char *path = new_path();
        assert_int_equal(quipu__convert(reader, path, targets[i], &options, NULL, NULL), QUIPU_STOPPED);
        assert_false(harness_exists(path));
        quipu_reader_close(reader);
    }
    assert_true(calls >= 2);
}

QUIPU_TESTS(cmocka_unit_test(test_convert_copies_records_within_one_format),
            cmocka_unit_test(test_convert_translates_events_in_the_order_of_the_writer),
            cmocka_unit_test(test_convert_report_accounts_for_every_record),
            cmocka_unit_test(test_convert_refuses_loss_before_it_writes),
            cmocka_unit_test(test_convert_counts_values_that_the_target_cannot_hold),
            cmocka_unit_test(test_convert_translates_a_selection_even_within_one_format),
            cmocka_unit_test(test_convert_explain_reads_nothing),
            cmocka_unit_test(test_convert_does_not_know_any_target),
            cmocka_unit_test(test_convert_stops_when_asked_and_leaves_nothing))
