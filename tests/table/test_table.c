/* Tables: what is added is what is there, in the order of the last sort. */
#include "harness.h"

static const struct quipu_table_column columns[] = {
    {"name", QUIPU_TYPE_TEXT, "", "a text"},
    {"count", QUIPU_TYPE_U64, "", "a count"},
    {"change", QUIPU_TYPE_I64, "", "a signed number"},
    {"ratio", QUIPU_TYPE_F64, "", "a double"},
    {"time", QUIPU_TYPE_DECIMAL, "s", "an exact decimal"},
};

static void add(struct quipu_table *table, const char *name, uint64_t count, int64_t change, double ratio,
                const char *time) {
    const struct quipu_cell cells[] = {
        {.text = name, .is_null = !name}, {.u = count}, {.i = change}, {.f = ratio},
        {.text = time, .is_null = !time},
    };
    assert_int_equal(quipu_table_add(table, cells, NULL), QUIPU_OK);
}

static struct quipu_table *make_table(void) {
    struct quipu_table *table;
    assert_int_equal(quipu_table_new("things", columns, 5, &table, NULL), QUIPU_OK);
    add(table, "beta", 2, -5, 0.5, "10.25");
    add(table, "alpha", UINT64_MAX, 7, -1.5, "9.5");
    add(table, NULL, 2, INT64_MIN, 3, NULL);
    add(table, "beta", 1, 0, 0, "-1");
    return table;
}

static void assert_counts(const struct quipu_table *table, uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
    const uint64_t want[] = {a, b, c, d};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(quipu_table_at(table, i, 1)->u, want[i]);
}

static void assert_changes(const struct quipu_table *table, int64_t a, int64_t b, int64_t c, int64_t d) {
    const int64_t want[] = {a, b, c, d};
    for (size_t i = 0; i < 4; i++)
        assert_true(quipu_table_at(table, i, 2)->i == want[i]);
}

static void test_table_add_keeps_cells(void **state) {
    (void)state;
    struct quipu_table *table = make_table();
    assert_string_equal(quipu_table_name(table), "things");
    assert_int_equal(quipu_table_row_count(table), 4);
    assert_int_equal(quipu_table_column_count(table), 5);
    assert_ptr_equal(quipu_table_column_at(table, 4), &columns[4]);
    assert_string_equal(quipu_table_at(table, 0, 0)->text, "beta");
    assert_true(quipu_table_at(table, 1, 1)->u == UINT64_MAX);
    assert_true(quipu_table_at(table, 2, 0)->is_null);
    assert_string_equal(quipu_table_at(table, 3, 4)->text, "-1");
    quipu_table_free(table);
}

static void test_table_add_copies_texts(void **state) {
    (void)state;
    struct quipu_table *table;
    char name[] = "first";
    assert_int_equal(quipu_table_new("things", columns, 1, &table, NULL), QUIPU_OK);
    const struct quipu_cell cell = {.text = name};
    assert_int_equal(quipu_table_add(table, &cell, NULL), QUIPU_OK);
    strcpy(name, "other");
    assert_int_equal(quipu_table_add(table, &cell, NULL), QUIPU_OK);
    assert_string_equal(quipu_table_at(table, 0, 0)->text, "first");
    assert_string_equal(quipu_table_at(table, 1, 0)->text, "other");
    quipu_table_free(table);
}

static void test_table_sort_orders_each_type(void **state) {
    (void)state;
    struct quipu_table *table = make_table();
    quipu_table_sort(table, 1, true);
    assert_counts(table, UINT64_MAX, 2, 2, 1);
    quipu_table_sort(table, 2, false);
    assert_changes(table, INT64_MIN, -5, 0, 7);
    quipu_table_sort(table, 3, true);
    assert_changes(table, INT64_MIN, -5, 0, 7); /* ratios 3, 0.5, 0, -1.5 */
    quipu_table_sort(table, 4, false);
    assert_changes(table, 0, 7, -5, INT64_MIN); /* -1, 9.5, 10.25, null */
    quipu_table_free(table);
}

static void test_table_sort_puts_null_last_both_ways(void **state) {
    (void)state;
    struct quipu_table *table = make_table();
    quipu_table_sort(table, 0, false);
    assert_true(quipu_table_at(table, 3, 0)->is_null);
    quipu_table_sort(table, 0, true);
    assert_true(quipu_table_at(table, 3, 0)->is_null);
    assert_string_equal(quipu_table_at(table, 0, 0)->text, "beta");
    quipu_table_free(table);
}

/* Columns begin narrow and are widened by what comes: nothing of what was there may change. */
static void test_table_columns_hold_numbers_of_any_width(void **state) {
    (void)state;
    static const uint64_t counts[] = {0, 255, 256, 65535, 65536, UINT32_MAX, UINT64_C(1) << 32, UINT64_MAX};
    static const int64_t changes[] = {0, -1, -128, 127, 128, -40000, INT64_MIN, INT64_MAX};
    enum { COUNT = sizeof counts / sizeof *counts };
    struct quipu_table *table;
    assert_int_equal(quipu_table_new("things", columns, 5, &table, NULL), QUIPU_OK);
    for (unsigned i = 0; i < 40 * COUNT; i++)
        add(table, i % 3 ? "x" : NULL, counts[i / 40], changes[i / 40], (double)i, NULL);
    for (unsigned i = 0; i < 40 * COUNT; i++) {
        assert_int_equal(quipu_table_at(table, i, 0)->is_null, i % 3 == 0);
        assert_true(quipu_table_at(table, i, 1)->u == counts[i / 40]);
        assert_true(quipu_table_at(table, i, 2)->i == changes[i / 40]);
        assert_true(quipu_table_at(table, i, 3)->f == (double)i);
    }
    quipu_table_sort(table, 2, true);
    assert_true(quipu_table_at(table, 0, 2)->i == INT64_MAX);
    assert_true(quipu_table_at(table, 40 * COUNT - 1, 2)->i == INT64_MIN);
    assert_true(quipu_table_at(table, 40 * COUNT - 1, 1)->u == UINT64_C(1) << 32);
    assert_int_equal(quipu_table_at(table, 40 * COUNT - 1, 0)->is_null, (40 * 6 + 39) % 3 == 0);
    quipu_table_free(table);
}

static void test_table_sort_is_stable(void **state) {
    (void)state;
    struct quipu_table *table;
    assert_int_equal(quipu_table_new("things", columns, 5, &table, NULL), QUIPU_OK);
    for (int64_t i = 0; i < 1000; i++)
        add(table, "x", (uint64_t)i % 7, i, 0, NULL);
    quipu_table_sort(table, 1, false);
    for (size_t i = 1; i < 1000; i++) {
        const uint64_t before = quipu_table_at(table, i - 1, 1)->u, count = quipu_table_at(table, i, 1)->u;
        const int64_t added_before = quipu_table_at(table, i - 1, 2)->i;
        assert_true(before < count || (before == count && added_before < quipu_table_at(table, i, 2)->i));
    }
    quipu_table_free(table);
}

QUIPU_TESTS(cmocka_unit_test(test_table_add_keeps_cells), cmocka_unit_test(test_table_add_copies_texts),
            cmocka_unit_test(test_table_sort_orders_each_type),
            cmocka_unit_test(test_table_sort_puts_null_last_both_ways),
            cmocka_unit_test(test_table_columns_hold_numbers_of_any_width),
            cmocka_unit_test(test_table_sort_is_stable))
