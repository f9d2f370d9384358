/* test_loss.c: what a conversion loses: accounted for, refused, explained beforehand. */
#include "convert/targets.h"

static void test_loss_is_accounted_for_of_every_record(void **state) {
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
        "{\"type\": \"message\", \"how\": \"dropped\", \"total\": 3, \"exact\": 0, \"respelled\": 0, "
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

/* The fields of messages that become attributes are not lost where no event has any. */
static void test_loss_of_attributes_needs_one(void **state) {
    static const struct fake_stream plain_streams[] = {{definition_rows, COUNT(definition_rows), 0},
                                                       {second_rows, COUNT(second_rows), 1}};
    static const struct fake_trace bare = {plain_streams, COUNT(plain_streams), 2, 1, 1, 0};
    (void)state;
    struct quipu_reader *reader = fake_reader(&bare);
    const struct quipu__format target = other_target(QUIPU_ORDER_STREAM);
    struct quipu_conversion_report *report;
    assert_int_equal(quipu__convert(reader, new_path(), &target, NULL, &report, NULL), QUIPU_OK);
    assert_null(strstr(report_text(report, true), "colour"));
    assert_non_null(strstr(report_text(report, true), "scent"));
    quipu_conversion_report_free(report);
    quipu_reader_close(reader);
}

static void test_loss_is_refused_before_anything_is_written(void **state) {
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

static void test_loss_of_values_that_the_target_cannot_hold_is_counted(void **state) {
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

static void test_loss_is_explained_without_reading(void **state) {
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

QUIPU_TESTS(cmocka_unit_test(test_loss_is_accounted_for_of_every_record),
            cmocka_unit_test(test_loss_of_attributes_needs_one),
            cmocka_unit_test(test_loss_is_refused_before_anything_is_written),
            cmocka_unit_test(test_loss_of_values_that_the_target_cannot_hold_is_counted),
            cmocka_unit_test(test_loss_is_explained_without_reading))
