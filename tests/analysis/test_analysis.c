/* test_analysis.c: running an analysis over a reader: selection, settings, progress. */
#include "trace/fake.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

static const struct quipu_event first_rows[] = {
    {.time = 10, .kind = QUIPU_KIND_enter, .location = 0, .object = 0},
    {.time = 20, .kind = QUIPU_KIND_enter, .location = 0, .object = 1},
    {.time = 25, .kind = QUIPU_KIND_send, .location = 0, .peer = 1, .bytes = 100},
    {.time = 26, .kind = QUIPU_KIND_metric, .location = 0, .value = 1},
    {.time = 30, .kind = QUIPU_KIND_leave, .location = 0, .object = 1},
    {.time = 40, .kind = QUIPU_KIND_leave, .location = 0, .object = 0},
};
static const struct quipu_event second_rows[] = {
    {.time = 5, .kind = QUIPU_KIND_enter, .location = 1, .object = 0},
    {.kind = FAKE_SECRET},
    {.time = 35, .kind = QUIPU_KIND_recv, .location = 1, .peer = 0, .bytes = 100},
    {.time = 50, .kind = QUIPU_KIND_leave, .location = 1, .object = 0},
};
static const struct fake_stream streams[] = {{first_rows, COUNT(first_rows), 1},
                                             {second_rows, COUNT(second_rows), 1}};
static const struct fake_stream swapped[] = {{second_rows, COUNT(second_rows), 1},
                                             {first_rows, COUNT(first_rows), 1}};
static const struct fake_trace trace = {streams, 2, 2, 2, 1, 0};
static const struct fake_trace swapped_trace = {swapped, 2, 2, 2, 1, 0};
static const struct fake_trace empty_trace = {NULL, 0, 0, 0, 0, 0};

static enum quipu_status run(struct quipu_reader *reader, const struct quipu_selection *selection,
                             const struct quipu_setting *setting, const char *sort,
                             struct quipu_tables **tables, struct quipu_error *err) {
    struct quipu_analysis_options options = QUIPU_ANALYSIS_OPTIONS_INIT;
    options.selection = selection;
    options.settings = setting;
    options.setting_count = setting ? 1 : 0;
    options.sort = sort;
    const enum quipu_status status = quipu_analysis_run(reader, "profile", &options, tables, err);
    if (status == QUIPU_OK)
        assert_int_equal(quipu_tables_count(*tables), 1);
    else
        assert_null(*tables);
    return status;
}

static struct quipu_tables *profile(const struct fake_trace *of, const struct quipu_selection *selection) {
    struct quipu_reader *reader = fake_reader(of);
    struct quipu_tables *tables;
    assert_int_equal(run(reader, selection, NULL, NULL, &tables, NULL), QUIPU_OK);
    quipu_reader_close(reader);
    return tables;
}

static void test_analysis_finds_analyses_by_name(void **state) {
    (void)state;
    assert_true(quipu_analysis_count() >= 1);
    for (size_t i = 0; i < quipu_analysis_count(); i++)
        assert_ptr_equal(quipu_analysis_find(quipu_analysis_at(i)->name), quipu_analysis_at(i));
    assert_null(quipu_analysis_find("astrology"));
}

static void test_analysis_does_not_depend_on_the_order_of_streams(void **state) {
    (void)state;
    struct quipu_tables *ones = profile(&trace, NULL), *others = profile(&swapped_trace, NULL);
    const struct quipu_table *one = quipu_tables_at(ones, 0), *other = quipu_tables_at(others, 0);
    assert_int_equal(quipu_table_row_count(one), 3);
    assert_int_equal(quipu_table_row_count(other), 3);
    for (size_t row = 0; row < 3; row++) {
        assert_string_equal(quipu_table_at(one, row, 0)->text, quipu_table_at(other, row, 0)->text);
        for (size_t column = 4; column < quipu_table_column_count(one); column++)
            assert_true(quipu_table_at(one, row, column)->u == quipu_table_at(other, row, column)->u);
    }
    quipu_tables_free(ones);
    quipu_tables_free(others);
}

static void test_analysis_obeys_the_selection(void **state) {
    (void)state;
    const uint32_t second = 1;
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    selection.locations = &second;
    selection.location_count = 1;
    struct quipu_tables *tables = profile(&trace, &selection);
    const struct quipu_table *table = quipu_tables_at(tables, 0);
    assert_int_equal(quipu_table_row_count(table), 1);
    assert_string_equal(quipu_table_at(table, 0, 0)->text, "rank 1");
    assert_int_equal(quipu_table_at(table, 0, quipu_table_column_find(table, "inclusive_ns"))->i, 45);
    quipu_tables_free(tables);
}

static void test_analysis_refuses_settings_that_the_analysis_does_not_have(void **state) {
    (void)state;
    struct quipu_reader *reader = fake_reader(&trace);
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu_tables *tables;
    const struct quipu_setting sugar = {"with", "sugar"}, empty = {"by", ""}, moon = {"by", "moon"};
    const struct quipu_setting region = {"by", "region"};
    assert_int_equal(run(reader, NULL, &sugar, NULL, &tables, &err), QUIPU_MISUSE);
    assert_string_equal(err.message, "profile has no option \"with\"");
    assert_int_equal(run(reader, NULL, &empty, NULL, &tables, &err), QUIPU_MISUSE);
    assert_int_equal(run(reader, NULL, &moon, NULL, &tables, &err), QUIPU_MISUSE);
    assert_string_equal(err.message, "option \"by\" of profile: found \"moon\", expected one of "
                                     "location|region|process|host|group|mpi|path|phase|between|callsite");
    assert_int_equal(run(reader, NULL, &region, NULL, &tables, &err), QUIPU_OK);
    quipu_tables_free(tables);
    quipu_reader_close(reader);
}

static void test_analysis_sorts_by_a_column_that_there_is(void **state) {
    (void)state;
    struct quipu_reader *reader = fake_reader(&trace);
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu_tables *tables;
    const struct quipu_setting region = {"by", "region"};
    assert_int_equal(run(reader, NULL, NULL, "inclusive_ns", &tables, &err), QUIPU_OK);
    const struct quipu_table *table = quipu_tables_at(tables, 0);
    const size_t column = quipu_table_column_find(table, "inclusive_ns");
    assert_int_equal(quipu_table_at(table, 0, column)->i, 45);
    assert_int_equal(quipu_table_at(table, 1, column)->i, 30);
    assert_int_equal(quipu_table_at(table, 2, column)->i, 10);
    quipu_tables_free(tables);
    assert_int_equal(run(reader, NULL, NULL, "luck", &tables, &err), QUIPU_MISUSE);
    assert_string_equal(err.message, "no table of profile has a column \"luck\"");
    assert_int_equal(run(reader, NULL, &region, "location", &tables, &err), QUIPU_MISUSE);
    assert_string_equal(err.message, "with these options no table has a column \"location\"");
    quipu_reader_close(reader);
}

static void test_analysis_takes_options_of_an_older_program(void **state) {
    (void)state;
    struct quipu_reader *reader = fake_reader(&trace);
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu_tables *tables;
    struct quipu_analysis_options options = QUIPU_ANALYSIS_OPTIONS_INIT;
    options.size = offsetof(struct quipu_analysis_options, sort);
    options.sort = "what an older program has behind its struct";
    assert_int_equal(quipu_analysis_run(reader, "profile", &options, &tables, &err), QUIPU_OK);
    quipu_tables_free(tables);
    assert_int_equal(quipu_analysis_run(reader, "astrology", NULL, &tables, &err), QUIPU_NOT_FOUND);
    assert_null(tables);
    quipu_reader_close(reader);
}

static bool stop_at_once(void *context, uint64_t done, uint64_t total, uint64_t events) {
    (void)done, (void)total, (void)events;
    ++*(int *)context;
    return false;
}

static void test_analysis_stops_when_progress_says_so(void **state) {
    (void)state;
    int calls = 0;
    struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
    options.progress = (struct quipu_progress){stop_at_once, &calls};
    struct quipu_reader *reader = fake_reader_with(&trace, &options);
    struct quipu_tables *tables;
    assert_int_equal(run(reader, NULL, NULL, NULL, &tables, NULL), QUIPU_STOPPED);
    assert_int_equal(calls, 1);
    quipu_reader_close(reader);
}

static void test_analysis_of_an_empty_trace_gives_an_empty_table(void **state) {
    (void)state;
    struct quipu_tables *tables = profile(&empty_trace, NULL);
    assert_int_equal(quipu_table_row_count(quipu_tables_at(tables, 0)), 0);
    quipu_tables_free(tables);
}

/* All that it is made from is of one reading, where nothing has to be known of the trace before. */
static void test_analysis_why_reads_a_trace_once(void **state) {
    struct quipu_reader *reader = fake_reader(&trace);
    struct quipu_tables *tables;
    (void)state;
    const uint64_t before = fake_decoded;
    assert_int_equal(quipu_analysis_run(reader, "why", NULL, &tables, NULL), QUIPU_OK);
    assert_int_equal(fake_decoded - before, COUNT(first_rows) + COUNT(second_rows));
    quipu_tables_free(tables);
    quipu_reader_close(reader);
}

QUIPU_TESTS(cmocka_unit_test(test_analysis_finds_analyses_by_name),
            cmocka_unit_test(test_analysis_does_not_depend_on_the_order_of_streams),
            cmocka_unit_test(test_analysis_obeys_the_selection),
            cmocka_unit_test(test_analysis_refuses_settings_that_the_analysis_does_not_have),
            cmocka_unit_test(test_analysis_sorts_by_a_column_that_there_is),
            cmocka_unit_test(test_analysis_takes_options_of_an_older_program),
            cmocka_unit_test(test_analysis_stops_when_progress_says_so),
            cmocka_unit_test(test_analysis_of_an_empty_trace_gives_an_empty_table),
            cmocka_unit_test(test_analysis_why_reads_a_trace_once))
