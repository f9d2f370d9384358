/* test_text.c: tables as text. */
#include "harness.h"

static const struct quipu_table_column columns[] = {
    {"region", QUIPU_TYPE_TEXT, "", "a name"},     {"calls", QUIPU_TYPE_U64, "", "a count"},
    {"time", QUIPU_TYPE_I64, "ns", "a time"},      {"ratio", QUIPU_TYPE_F64, "", "a double"},
    {"exact", QUIPU_TYPE_DECIMAL, "s", "exactly"},
};

static void add(struct quipu_table *table, const char *region, uint64_t calls, int64_t time, double ratio,
                const char *exact) {
    const struct quipu_cell cells[] = {{.text = region, .is_null = !region},
                                       {.u = calls},
                                       {.i = time},
                                       {.f = ratio},
                                       {.text = exact, .is_null = !exact}};
    assert_int_equal(quipu_table_add(table, cells, NULL), QUIPU_OK);
}

static struct quipu_table *make_table(void) {
    struct quipu_table *table;
    assert_int_equal(quipu_table_new("things", columns, 5, &table, NULL), QUIPU_OK);
    add(table, "MPI_Send", 3, -20, 0.1, "1.50");
    add(table, "a,\"b\"\n", UINT64_MAX, 1000, 1e300, NULL);
    add(table, NULL, 0, 500, 0, "-0.000000001");
    return table;
}

static const char *render(const struct quipu_table *const *tables, size_t count,
                          const struct quipu_render_options *options) {
    const char *path = harness_text("%s/out", harness_folder());
    struct quipu_output *output;
    assert_int_equal(quipu_output_open(path, true, NULL, &output, NULL), QUIPU_OK);
    assert_int_equal(quipu_table_write(tables, count, options, quipu_output_sink(output), NULL), QUIPU_OK);
    assert_int_equal(quipu_output_close(output, NULL), QUIPU_OK);
    return harness_read(path, NULL);
}

static const char *render_one(struct quipu_table *table, struct quipu_render_options options) {
    const struct quipu_table *const tables[] = {table};
    const char *text = render(tables, 1, &options);
    quipu_table_free(table);
    return text;
}

static struct quipu_render_options in_style(enum quipu_style style) {
    struct quipu_render_options options = QUIPU_RENDER_OPTIONS_INIT;
    options.style = style;
    return options;
}

static void test_text_aligns_columns(void **state) {
    (void)state;
    assert_string_equal(render_one(make_table(), in_style(QUIPU_STYLE_TEXT)),
                        "region                    calls  time [ns]   ratio     exact [s]\n"
                        "---------  --------------------  ---------  ------  ------------\n"
                        "MPI_Send                      3        -20     0.1          1.50\n"
                        "a,\"b\"\\x0a  18446744073709551615       1000  1e+300             -\n"
                        "-                             0        500       0  -0.000000001\n");
}

static void test_text_limits_rows(void **state) {
    (void)state;
    struct quipu_render_options options = in_style(QUIPU_STYLE_TEXT);
    options.row_limit = 1;
    const char *text = render_one(make_table(), options);
    assert_non_null(strstr(text, "MPI_Send"));
    assert_null(strstr(text, "500"));
    assert_non_null(strstr(text, "(2 more rows)\n"));
}

static void assert_lines_fit(const char *text, size_t width) {
    for (size_t len; *text && *text != '('; text += len + 1) {
        size_t characters = 0;
        len = strcspn(text, "\n");
        for (size_t i = 0; i < len; i++)
            characters += ((unsigned char)text[i] & 0xc0) != 0x80;
        assert_in_range(characters, 1, width);
    }
}

static void test_text_leaves_out_what_does_not_fit(void **state) {
    (void)state;
    struct quipu_render_options options = in_style(QUIPU_STYLE_TEXT);
    options.width = 48;
    const char *text = render_one(make_table(), options);
    assert_lines_fit(text, 48);
    assert_non_null(strstr(text, "(2 more columns: --wide)\n"));
}

static void test_text_cuts_long_names(void **state) {
    (void)state;
    struct quipu_table *table;
    assert_int_equal(quipu_table_new("things", columns, 2, &table, NULL), QUIPU_OK);
    const struct quipu_cell cells[] = {{.text = "a_very_long_name_of_a_function"}, {.u = 12345}};
    assert_int_equal(quipu_table_add(table, cells, NULL), QUIPU_OK);
    struct quipu_render_options options = in_style(QUIPU_STYLE_TEXT);
    options.width = 25;
    assert_string_equal(render_one(table, options), "region              calls\n"
                                                    "------------------  -----\n"
                                                    "a_very_long_name_…  12345\n");
}

static void test_text_leaves_out_empty_columns(void **state) {
    (void)state;
    struct quipu_table *table;
    assert_int_equal(quipu_table_new("things", columns, 3, &table, NULL), QUIPU_OK);
    const struct quipu_cell cells[] = {{.text = "main"}, {.u = 0}, {.i = 77}};
    assert_int_equal(quipu_table_add(table, cells, NULL), QUIPU_OK);
    assert_string_equal(render_one(table, in_style(QUIPU_STYLE_TEXT)), "region  time [ns]\n"
                                                                       "------  ---------\n"
                                                                       "main           77\n"
                                                                       "(1 column zero or empty)\n");
}

static void test_text_of_no_rows_shows_all_columns(void **state) {
    (void)state;
    struct quipu_table *table;
    assert_int_equal(quipu_table_new("things", columns, 3, &table, NULL), QUIPU_OK);
    assert_string_equal(render_one(table, in_style(QUIPU_STYLE_TEXT)), "region  calls  time [ns]\n"
                                                                       "------  -----  ---------\n");
}

static void test_text_draws_bars(void **state) {
    (void)state;
    struct quipu_table *table;
    assert_int_equal(quipu_table_new("things", columns, 2, &table, NULL), QUIPU_OK);
    const uint64_t calls[] = {80, 40, 1, 0};
    for (size_t i = 0; i < 4; i++) {
        const struct quipu_cell cells[] = {{.text = "f"}, {.u = calls[i]}};
        assert_int_equal(quipu_table_add(table, cells, NULL), QUIPU_OK);
    }
    struct quipu_render_options options = in_style(QUIPU_STYLE_TEXT);
    options.bar_column = 1;
    options.width = 25; /* 6 + 2 + 5 + 2 + 10 */
    assert_string_equal(render_one(table, options), "region  calls\n"
                                                    "------  -----\n"
                                                    "f          80  ██████████\n"
                                                    "f          40  █████\n"
                                                    "f           1  ▏\n"
                                                    "f           0\n");
}

static void test_text_has_colour_only_when_asked(void **state) {
    (void)state;
    struct quipu_render_options options = in_style(QUIPU_STYLE_TEXT);
    assert_null(strchr(render_one(make_table(), options), '\033'));
    options.colour = true;
    assert_non_null(strstr(render_one(make_table(), options), "\033[1mregion"));
}

QUIPU_TESTS(cmocka_unit_test(test_text_aligns_columns), cmocka_unit_test(test_text_limits_rows),
            cmocka_unit_test(test_text_leaves_out_what_does_not_fit),
            cmocka_unit_test(test_text_cuts_long_names), cmocka_unit_test(test_text_leaves_out_empty_columns),
            cmocka_unit_test(test_text_of_no_rows_shows_all_columns), cmocka_unit_test(test_text_draws_bars),
            cmocka_unit_test(test_text_has_colour_only_when_asked))
