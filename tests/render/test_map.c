/* test_map.c: tables as maps. */
#include "harness.h"

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

/* Columns a and b, of which a is 3 of 4, 1 of 4 and 2 of 4 in the three bins of x, and 0, 0 and 4 in those of y. */
static void test_map_is_drawn_of_a_matrix(void **state) {
    (void)state;
    static const struct quipu_table_column map_columns[] = {
        {"name", QUIPU_TYPE_TEXT, "", ""},    {"name_id", QUIPU_TYPE_I64, "", ""},
        {"bin", QUIPU_TYPE_U64, "", ""},      {"from_ns", QUIPU_TYPE_TIME, "ns", ""},
        {"to_ns", QUIPU_TYPE_TIME, "ns", ""}, {"a_ns", QUIPU_TYPE_I64, "ns", ""},
        {"b_x_ns", QUIPU_TYPE_I64, "ns", ""}};
    static const int64_t shares[2][3] = {{3, 1, 2}, {0, 0, 4}};
    struct quipu_render_options options = in_style(QUIPU_STYLE_TEXT);
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu_table *table;
    options.map_letters = "=B";
    options.map_column = 5;
    assert_int_equal(quipu_table_new("map", map_columns, 7, &table, &err), QUIPU_OK);
    for (unsigned repeated = 0; repeated < 8; repeated++) /* beyond 40 rows it is not listed */
        for (unsigned i = 0; i < 6; i++) {
            const int64_t share = shares[i / 3][i % 3], bin = i % 3;
            const struct quipu_cell cells[] = {{false, {.text = i < 3 ? "x" : "y"}},
                                               {true, {.i = 0}},
                                               {false, {.u = (uint64_t)bin}},
                                               {false, {.i = bin * 1000000000}},
                                               {false, {.i = (bin + 1) * 1000000000}},
                                               {false, {.i = share}},
                                               {false, {.i = 4 - share}}};
            assert_int_equal(quipu_table_add(table, cells, &err), QUIPU_OK);
        }
    options.row_limit = 2;
    assert_string_equal(render_one(table, options),
                        "   0.000000000s 3.000000000s\n"
                        "x  =B-\n"
                        "y  BB=\n"
                        "(14 more lines)\n"
                        "= a, B b x; - and small letters: less than three quarters of the time\n");
}

QUIPU_TESTS(cmocka_unit_test(test_map_is_drawn_of_a_matrix))
