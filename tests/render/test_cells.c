/* How people read tables: times in units, shares, columns that give way, single rows, several tables. */
#include "harness.h"

#include <math.h>

static const struct quipu_table_column columns[] = {
    {"region", QUIPU_TYPE_TEXT, "", "a name"},
    {"region_id", QUIPU_TYPE_I64, "", "its number"},
    {"begin_ns", QUIPU_TYPE_TIME, "ns", "a point in time"},
    {"wait_ns", QUIPU_TYPE_I64, "ns", "a duration"},
    {"share", QUIPU_TYPE_F64, "", "a part of one"},
    {"lost_percent", QUIPU_TYPE_F64, "%", "a part of a hundred"},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static struct quipu_table *make_table(size_t rows) {
    static const struct quipu_cell cells[][COLUMNS] = {
        {{.text = "MPI_Recv"}, {.i = 7}, {.i = 1500000001}, {.i = 1234567}, {.f = 0.25}, {.f = 12.5}},
        {{.text = "MPI_Send"}, {.i = 8}, {.i = -20}, {.i = -999}, {.f = 1}, {.f = 100}},
    };
    struct quipu_table *table;
    assert_int_equal(quipu_table_new("things", columns, COLUMNS, &table, NULL), QUIPU_OK);
    for (size_t i = 0; i < rows; i++)
        assert_int_equal(quipu_table_add(table, cells[i], NULL), QUIPU_OK);
    return table;
}

/* The text of so many copies of a table, which is freed. */
static const char *text_of_table(struct quipu_table *table, size_t copies, const char *unit, int width) {
    const struct quipu_table *const tables[] = {table, table};
    struct quipu_render_options options = QUIPU_RENDER_OPTIONS_INIT;
    const char *path = harness_text("%s/out", harness_folder());
    struct quipu_output *output;
    options.time_unit = unit;
    options.width = width;
    assert_int_equal(quipu_output_open(path, true, NULL, &output, NULL), QUIPU_OK);
    assert_int_equal(quipu_table_write(tables, copies, &options, quipu_output_sink(output), NULL), QUIPU_OK);
    assert_int_equal(quipu_output_close(output, NULL), QUIPU_OK);
    quipu_table_free(table);
    return harness_read(path, NULL);
}

static const char *text_of(size_t copies, size_t rows, const char *unit, int width) {
    return text_of_table(make_table(rows), copies, unit, width);
}

/* Durations have a unit of their size and points in time seconds, a fixed unit is exact, and without one numbers are as they are. */
static void test_cells_of_each_unit(void **state) {
    (void)state;
    assert_string_equal(text_of(1, 2, "auto", 0),
                        "region    region_id     begin [s]      wait   share  lost %\n"
                        "--------  ---------  ------------  --------  ------  ------\n"
                        "MPI_Recv          7   1.500000001  1.235 ms  0.2500   12.50\n"
                        "MPI_Send          8  -0.000000020   -999 ns  1.0000  100.00\n");
    assert_string_equal(text_of(1, 2, "us", 0),
                        "region    region_id   begin [us]  wait [us]   share  lost %\n"
                        "--------  ---------  -----------  ---------  ------  ------\n"
                        "MPI_Recv          7  1500000.001   1234.567  0.2500   12.50\n"
                        "MPI_Send          8       -0.020     -0.999  1.0000  100.00\n");
    assert_string_equal(text_of(1, 2, NULL, 0),
                        "region    region_id    begin_ns  wait_ns  share  lost_percent [%]\n"
                        "--------  ---------  ----------  -------  -----  ----------------\n"
                        "MPI_Recv          7  1500000001  1234567   0.25              12.5\n"
                        "MPI_Send          8         -20     -999      1               100\n");
}

static void test_cells_of_numbers_give_way_before_others(void **state) {
    (void)state;
    assert_string_equal(text_of(1, 2, "auto", 50), "region       begin [s]      wait   share  lost %\n"
                                                   "--------  ------------  --------  ------  ------\n"
                                                   "MPI_Recv   1.500000001  1.235 ms  0.2500   12.50\n"
                                                   "MPI_Send  -0.000000020   -999 ns  1.0000  100.00\n"
                                                   "(1 more column: --wide)\n");
}

static void test_cells_of_a_single_row_that_is_too_wide_have_lines_of_their_own(void **state) {
    (void)state;
    assert_string_equal(text_of(1, 1, "auto", 50), "region     MPI_Recv\n"
                                                   "region_id  7\n"
                                                   "begin [s]  1.500000001\n"
                                                   "wait       1.235 ms\n"
                                                   "share      0.2500\n"
                                                   "lost %     12.50\n");
}

static void test_cells_of_few_rows_are_turned_where_most_would_be_hidden(void **state) {
    (void)state;
    static const struct quipu_table_column ratios[] = {
        {"trace", QUIPU_TYPE_TEXT, "", "a path"},
        {"parallel_efficiency", QUIPU_TYPE_F64, "", "a ratio"},
        {"load_balance", QUIPU_TYPE_F64, "", "a ratio"},
        {"transfer_efficiency", QUIPU_TYPE_F64, "", "a ratio"},
        {"processes", QUIPU_TYPE_U64, "", "a count"},
        {"serialisation_efficiency", QUIPU_TYPE_F64, "", "a ratio"},
    };
    static const struct quipu_cell cells[][6] = {
        {{.text = "runs/64/run.otf"}, {.f = 0.75}, {.f = 0.5}, {.f = 1}, {.u = 64}, {.f = 1}},
        {{.text = "runs/128/run.otf"}, {.f = 0.5}, {.f = 0.25}, {.f = 1}, {.u = 128}, {.f = 0.125}},
    };
    struct quipu_table *table;
    assert_int_equal(quipu_table_new("things", ratios, 6, &table, NULL), QUIPU_OK);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(quipu_table_add(table, cells[i], NULL), QUIPU_OK);
    assert_string_equal(text_of_table(table, 1, "auto", 48),
                        "trace                     …4/run.otf  …8/run.otf\n"
                        "parallel_efficiency           0.7500      0.5000\n"
                        "load_balance                  0.5000      0.2500\n"
                        "transfer_efficiency           1.0000      1.0000\n"
                        "processes                         64         128\n"
                        "serialisation_efficiency      1.0000      0.1250\n");
}

/* Ties, numbers beside ties, both signs, and what is too large for a short cut. */
static void test_cells_of_reals_are_rounded_as_printf_rounds_them(void **state) {
    (void)state;
    static const struct quipu_table_column column[] = {{"percent", QUIPU_TYPE_F64, "%", "a part of a hundred"}};
    static const double reals[] = {0,     1.005,     0.125,  0.375,   2.675, 99.995, 0.004999,
                                   0.005, 12345.678, -0.001, -1.25,   33.33, 1e7,    1e12,
                                   1e300, 0.29,      1.15,   -99.999, 0.145};
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        struct quipu_table *table;
        char number[400];
        const struct quipu_cell first = {.f = 7}, cell = {.f = reals[i]};
        const size_t width = (size_t)snprintf(number, sizeof number, "%.2f", reals[i]);
        assert_int_equal(quipu_table_new("things", column, 1, &table, NULL), QUIPU_OK);
        assert_int_equal(quipu_table_add(table, &first, NULL), QUIPU_OK);
        assert_int_equal(quipu_table_add(table, &cell, NULL), QUIPU_OK);
        const char *text = text_of_table(table, 1, "auto", 0);
        const size_t len = strlen(text);
        assert_string_equal(text + len - width - 1, harness_text("%s\n", number));
        assert_null(strstr(text, "…"));
    }
}

static void test_cells_that_are_no_numbers_do_not_narrow_their_column(void **state) {
    (void)state;
    static const struct quipu_table_column column[] = {{"percent", QUIPU_TYPE_F64, "%", "a part of a hundred"}};
    static const struct quipu_cell cells[] = {{.f = (double)INFINITY},
                                              {.f = -1234.5},
                                              {.f = (double)NAN},
                                              {.f = (double)-INFINITY},
                                              {.is_null = true}};
    struct quipu_table *table;
    assert_int_equal(quipu_table_new("things", column, 1, &table, NULL), QUIPU_OK);
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
        assert_int_equal(quipu_table_add(table, &cells[i], NULL), QUIPU_OK);
    assert_string_equal(text_of_table(table, 1, "auto", 0), "       %\n--------\n     inf\n-1234.50\n     nan\n"
                                                            "    -inf\n       -\n");
}

static void test_cells_of_several_tables_are_below_their_names(void **state) {
    (void)state;
    assert_string_equal(text_of(2, 0, "auto", 80), "things:\nno rows\n\nthings:\nno rows\n");
}

QUIPU_TESTS(cmocka_unit_test(test_cells_of_each_unit),
            cmocka_unit_test(test_cells_of_numbers_give_way_before_others),
            cmocka_unit_test(test_cells_of_a_single_row_that_is_too_wide_have_lines_of_their_own),
            cmocka_unit_test(test_cells_of_few_rows_are_turned_where_most_would_be_hidden),
            cmocka_unit_test(test_cells_of_reals_are_rounded_as_printf_rounds_them),
            cmocka_unit_test(test_cells_that_are_no_numbers_do_not_narrow_their_column),
            cmocka_unit_test(test_cells_of_several_tables_are_below_their_names))
