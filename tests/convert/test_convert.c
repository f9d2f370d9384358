/* test_convert.c: what a conversion writes, and what its report says about it. */
#include "convert/targets.h"

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
            cmocka_unit_test(test_convert_translates_a_selection_even_within_one_format),
            cmocka_unit_test(test_convert_does_not_know_any_target),
            cmocka_unit_test(test_convert_stops_when_asked_and_leaves_nothing))
