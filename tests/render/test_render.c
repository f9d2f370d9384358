/* Tables as text, JSON and CSV, compared letter by letter. */
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

static void test_render_json_of_one_table(void **state) {
    (void)state;
    const char *want =
        "{\"quipu\": {\"version\": \"%s\", \"schema\": 1}, \"table\": \"things\", \"columns\": [\n"
        "  {\"name\": \"region\", \"type\": \"text\", \"unit\": \"\", \"doc\": \"a name\"},\n"
        "  {\"name\": \"calls\", \"type\": \"u64\", \"unit\": \"\", \"doc\": \"a count\"},\n"
        "  {\"name\": \"time\", \"type\": \"i64\", \"unit\": \"ns\", \"doc\": \"a time\"},\n"
        "  {\"name\": \"ratio\", \"type\": \"f64\", \"unit\": \"\", \"doc\": \"a double\"},\n"
        "  {\"name\": \"exact\", \"type\": \"decimal\", \"unit\": \"s\", \"doc\": \"exactly\"}], \"rows\": [\n"
        "  [\"MPI_Send\", 3, -20, 0.1, \"1.50\"],\n"
        "  [\"a,\\\"b\\\"\\n\", 18446744073709551615, 1000, 1e+300, null],\n"
        "  [null, 0, 500, 0, \"-0.000000001\"]]}\n";
    char text[1024];
    snprintf(text, sizeof text, want, quipu_version());
    assert_string_equal(render_one(make_table(), in_style(QUIPU_STYLE_JSON)), text);
}

static void test_render_json_of_several_tables(void **state) {
    (void)state;
    struct quipu_table *table;
    assert_int_equal(quipu_table_new("empty", columns, 1, &table, NULL), QUIPU_OK);
    const struct quipu_table *const tables[] = {table, table};
    const struct quipu_render_options options = in_style(QUIPU_STYLE_JSON);
    const char *text = render(tables, 2, &options);
    assert_non_null(strstr(text, "\"tables\": [\n{\"table\": \"empty\", "));
    assert_non_null(strstr(text, "\"rows\": []},\n{\"table\": \"empty\", "));
    assert_non_null(strstr(text, "\"rows\": []}]}\n"));
    quipu_table_free(table);
}

static void test_render_csv_quotes_as_rfc_4180(void **state) {
    (void)state;
    assert_string_equal(render_one(make_table(), in_style(QUIPU_STYLE_CSV)),
                        "region,calls,time,ratio,exact\n"
                        "MPI_Send,3,-20,0.1,1.50\n"
                        "\"a,\"\"b\"\"\n\",18446744073709551615,1000,1e+300,\n"
                        ",0,500,0,-0.000000001\n");
}

static enum quipu_status refuse(void *context, const void *data, size_t size, struct quipu_error *err) {
    (void)context, (void)data, (void)size, (void)err;
    return QUIPU_OUTPUT;
}

static void test_render_reports_a_sink_that_fails(void **state) {
    (void)state;
    struct quipu_table *table = make_table();
    const struct quipu_table *const tables[] = {table};
    const struct quipu_sink sink = {refuse, NULL};
    for (int style = QUIPU_STYLE_TEXT; style <= QUIPU_STYLE_CSV; style++) {
        const struct quipu_render_options options = in_style((enum quipu_style)style);
        assert_int_equal(quipu_table_write(tables, 1, &options, sink, NULL), QUIPU_OUTPUT);
    }
    quipu_table_free(table);
}

QUIPU_TESTS(cmocka_unit_test(test_render_json_of_one_table),
            cmocka_unit_test(test_render_json_of_several_tables),
            cmocka_unit_test(test_render_csv_quotes_as_rfc_4180),
            cmocka_unit_test(test_render_reports_a_sink_that_fails))
