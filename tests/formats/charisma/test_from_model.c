/* test_from_model.c: events of other formats, and CHARISMA's own, become records. */
#include "harness.h"

#include "traces.h"

/* Writes the events of a trace as CHARISMA; selected makes it go through events even from CHARISMA. */
static const char *translate(const char *path, const char *machine) {
    struct quipu_convert_options options = QUIPU_CONVERT_OPTIONS_INIT;
    struct quipu_reader *reader = open_as(path, machine);
    const char *copy = harness_text("%s/copy.ctrace", harness_folder());
    options.selected = true;
    assert_int_equal(quipu_convert(reader, copy, "charisma", &options, NULL, NULL), QUIPU_OK);
    quipu_reader_close(reader);
    return copy;
}

static void assert_valid(const char *path) {
    struct quipu_reader *reader = open_as(path, NULL);
    struct quipu_check_result result;
    assert_int_equal(quipu_check(reader, NULL, &result, NULL), QUIPU_OK);
    assert_int_equal(result.verdict, QUIPU_VERDICT_OK);
    quipu_reader_close(reader);
}

/* The events of a trace by kind, and the bytes of its transfers. */
struct totals {
    uint64_t kinds[QUIPU_KIND_COUNT], bytes, offsets;
    int64_t first, last;
};

static struct totals totals_of(const char *path, const char *machine) {
    struct quipu_reader *reader = open_as(path, machine);
    struct quipu_event event;
    struct totals totals = {.first = INT64_MAX};
    while (quipu_reader_next(reader, &event, NULL) == QUIPU_OK) {
        totals.kinds[event.kind]++;
        if (event.kind == QUIPU_KIND_io_begin || event.kind == QUIPU_KIND_io_end) {
            totals.bytes += event.bytes;
            totals.offsets += event.value;
        }
        totals.first = event.time < totals.first ? event.time : totals.first;
        totals.last = event.time;
    }
    quipu_reader_close(reader);
    return totals;
}

/* Through events and back: the same events, in a valid trace. */
static void test_from_model_events_come_back_as_they_were(void **state) {
    static const char *const machines[] = {"ipsc860", "cm5", "lp64", "lp64-be"};
    (void)state;
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        struct made made;
        make_by_seed(&made, machines[i], 20 + i, 80);
        const char *path = save(&made), *copy = translate(path, machines[i]);
        const struct totals before = totals_of(path, machines[i]), after = totals_of(copy, NULL);
        assert_valid(copy);
        assert_memory_equal(before.kinds, after.kinds, sizeof before.kinds);
        assert_int_equal(before.bytes, after.bytes);
        assert_int_equal(before.offsets, after.offsets);
        assert_int_equal(before.last - before.first, after.last - after.first);
        unmake(&made);
    }
}

/* The ring of tests/data has no file events; small.otf has. What becomes of a trace without applications is one of them. */
static void test_from_model_a_trace_without_applications_is_one(void **state) {
    const char *copy = translate(harness_data("otf/small.otf"), NULL);
    struct quipu_reader *reader = open_as(copy, "lp64");
    struct quipu_record record;
    (void)state;
    assert_int_equal(quipu_reader_next_record(reader, &record, NULL), QUIPU_OK);
    assert_string_equal(record.type->name, "HEADER");
    if (quipu_reader_next_record(reader, &record, NULL) == QUIPU_OK)
        assert_string_equal(record.type->name, "APP_LOAD");
    quipu_reader_close(reader);
    assert_valid(copy);
}

/* Of two requests of which one begins too late for a clock of four bytes, one is not what it was. */
static void test_from_model_time_stamps_that_are_cut_are_counted(void **state) {
    const struct quipu__charisma_profile profile =
        profile_with_stamps("lp64", (struct quipu__number_type){4, 4, QUIPU__NUMBER_UNSIGNED});
    const struct quipu_setting machine = {"machine", profile_file(&profile)};
    struct quipu_convert_options options = QUIPU_CONVERT_OPTIONS_INIT;
    struct quipu_conversion_report *report = NULL;
    struct made made;
    (void)state;
    make(&made, "lp64", false);
    put_load(&made, 10, 7, 2);
    put_open(&made, 20, 1, 3, 70, QUIPU__CHARISMA_OPEN_READ_WRITE);
    put_rw(&made, 30, 1, 3, 4, 0, 0, 10);
    put_rw(&made, INT64_C(1) << 32, 1, 3, 4, 0, 10, 10);
    struct quipu_reader *reader = open_as(save(&made), "lp64");
    options.selected = true;
    options.writer.settings = &machine;
    options.writer.setting_count = 1;
    assert_int_equal(quipu_convert(reader, harness_text("%s/copy.ctrace", harness_folder()), "charisma",
                                   &options, &report, NULL),
                     QUIPU_OK);
    assert_true(quipu_conversion_report_lost(report) > 0);
    quipu_conversion_report_free(report);
    quipu_reader_close(reader);
    unmake(&made);
}

/* A synchronous request that outlasts tens of thousands of others is written as an asynchronous one. */
static void test_from_model_a_long_request_does_not_hold_up_all_others(void **state) {
    enum { OTHERS = 70000 };
    struct made made;
    (void)state;
    make(&made, "lp64", false);
    put_load(&made, 10, 7, 2);
    put_open(&made, 20, 1, 3, 70, QUIPU__CHARISMA_OPEN_READ_WRITE);
    put_open(&made, 21, 2, 4, 71, QUIPU__CHARISMA_OPEN_READ_WRITE);
    struct quipu__charisma_request *request = quipu__scratch_sized(&made.scratch, 1, sizeof *request);
    *request = (struct quipu__charisma_request){0, 0, 1 << 20, 1};
    PUT(&made, rw, .starttime = ticks(&made, 30), .endtime = ticks(&made, 10000000), .file_desc = 3,
        .operation_type = 4, .appl_id = -1, .num_clients = 1, .requests = request);
    for (unsigned i = 0; i < OTHERS; i++)
        put_rw(&made, 100 + 10 * (int64_t)i, 2, 4, 6, 0, 0, 10);
    const char *path = save(&made), *copy = translate(path, "lp64");
    const struct totals before = totals_of(path, "lp64"), after = totals_of(copy, "lp64");
    assert_int_equal(before.kinds[QUIPU_KIND_io_end], OTHERS + 1);
    assert_memory_equal(before.kinds, after.kinds, sizeof before.kinds);
    assert_int_equal(before.bytes, after.bytes);
    assert_valid(copy);
    unmake(&made);
}

QUIPU_TESTS(cmocka_unit_test(test_from_model_events_come_back_as_they_were),
            cmocka_unit_test(test_from_model_a_trace_without_applications_is_one),
            cmocka_unit_test(test_from_model_time_stamps_that_are_cut_are_counted),
            cmocka_unit_test(test_from_model_a_long_request_does_not_hold_up_all_others))
