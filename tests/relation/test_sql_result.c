/* test_sql_result.c: the rows of queries as tables, and queries that are stopped. The trace is that of tests/data/where. */
#include "harness.h"

#include <quipu/sql.h>
#include <quipu/table.h>

/* A reader that a query stands on. */
struct asked {
    struct quipu_reader *reader;
    struct quipu_sql *sql;
};

/* False where the library has no SQL. */
static bool asked_init(struct asked *asked, const struct quipu_sql_options *options) {
    const enum quipu_status status = quipu_sql_new(options, &asked->sql, NULL);
    if (status == QUIPU_UNSUPPORTED)
        return false;
    assert_int_equal(status, QUIPU_OK);
    assert_int_equal(quipu_reader_open(harness_data("where/w.otf"), NULL, &asked->reader, NULL), QUIPU_OK);
    assert_int_equal(quipu_sql_add(asked->sql, "a", asked->reader, NULL), QUIPU_OK);
    return true;
}

static void asked_release(struct asked *asked) {
    quipu_sql_free(asked->sql);
    quipu_reader_close(asked->reader);
}

static struct quipu_table *answer(struct asked *asked, const char *query) {
    struct quipu_table *table;
    assert_int_equal(quipu_sql_begin(asked->sql, query, &query, NULL), QUIPU_OK);
    assert_int_equal(quipu_sql_table(asked->sql, &table, NULL), QUIPU_OK);
    return table;
}

static void assert_column(const struct quipu_table *table, size_t column, const char *name,
                          enum quipu_column_type type) {
    assert_string_equal(quipu_table_column_at(table, column)->name, name);
    assert_int_equal(quipu_table_column_at(table, column)->type, type);
}

static void test_sql_result_columns_hold_all_of_their_values(void **state) {
    (void)state;
    struct asked asked;
    if (!asked_init(&asked, NULL))
        return;
    struct quipu_table *table = answer(
        &asked,
        "SELECT 1 AS i, 2 AS f, 3 AS t, NULL AS n, x'4142' AS b UNION ALL SELECT NULL, 0.5, 'x', NULL, 7.25");
    assert_int_equal(quipu_table_row_count(table), 2);
    assert_column(table, 0, "i", QUIPU_TYPE_I64);
    assert_column(table, 1, "f", QUIPU_TYPE_F64);
    assert_column(table, 2, "t", QUIPU_TYPE_TEXT);
    assert_column(table, 3, "n", QUIPU_TYPE_TEXT);
    assert_column(table, 4, "b", QUIPU_TYPE_TEXT);
    assert_int_equal(quipu_table_at(table, 0, 0)->i, 1);
    assert_true(quipu_table_at(table, 1, 0)->is_null);
    assert_true(quipu_table_at(table, 0, 1)->f == 2);
    assert_true(quipu_table_at(table, 1, 1)->f == 0.5);
    assert_string_equal(quipu_table_at(table, 0, 2)->text, "3");
    assert_string_equal(quipu_table_at(table, 1, 2)->text, "x");
    assert_true(quipu_table_at(table, 0, 3)->is_null);
    assert_string_equal(quipu_table_at(table, 0, 4)->text, "AB");
    assert_string_equal(quipu_table_at(table, 1, 4)->text, "7.25");
    quipu_table_free(table);
    asked_release(&asked);
}

static void test_sql_result_of_a_trace_is_what_it_has(void **state) {
    (void)state;
    struct asked asked;
    if (!asked_init(&asked, NULL))
        return;
    struct quipu_table *table = answer(&asked, "SELECT sender, sum(bytes) FROM messages GROUP BY sender");
    assert_int_equal(quipu_table_row_count(table), 1);
    assert_string_equal(quipu_table_at(table, 0, 0)->text, "alpha");
    assert_int_equal(quipu_table_at(table, 0, 1)->i, 2000100);
    quipu_table_free(table);
    table = answer(&asked, "SELECT * FROM messages WHERE bytes > 1e9");
    assert_int_equal(quipu_table_row_count(table), 0);
    quipu_table_free(table);
    asked_release(&asked);
}

static bool stop(void *context, uint64_t done, uint64_t total, uint64_t events) {
    (void)done;
    (void)total;
    (void)events;
    return --*(int *)context > 0;
}

static void test_sql_result_of_an_endless_query_is_stopped_by_progress(void **state) {
    (void)state;
    int left = 3;
    struct asked asked;
    struct quipu_table *table;
    struct quipu_sql_options options = QUIPU_SQL_OPTIONS_INIT;
    options.progress = (struct quipu_progress){stop, &left};
    if (!asked_init(&asked, &options))
        return;
    const char *query = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n";
    assert_int_equal(quipu_sql_begin(asked.sql, query, &query, NULL), QUIPU_OK);
    assert_int_equal(quipu_sql_table(asked.sql, &table, NULL), QUIPU_STOPPED);
    assert_null(table);
    assert_int_equal(left, 0);
    asked_release(&asked);
}

QUIPU_TESTS(cmocka_unit_test(test_sql_result_columns_hold_all_of_their_values),
            cmocka_unit_test(test_sql_result_of_a_trace_is_what_it_has),
            cmocka_unit_test(test_sql_result_of_an_endless_query_is_stopped_by_progress))
