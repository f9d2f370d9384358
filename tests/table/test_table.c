/* Tables: what is added is what is there, in the order of the last sort. */
#include "harness.h"

#include "table/table.h"

#include <sys/wait.h>
#include <unistd.h>

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

/* A null in one of the first rows, which sorting moves behind all others, far behind the rows that there was room for when it came. */
static void test_table_sort_moves_nulls_with_their_rows(void **state) {
    (void)state;
    enum { COUNT = 1000 };
    struct quipu_table *table;
    assert_int_equal(quipu_table_new("things", columns, 5, &table, NULL), QUIPU_OK);
    for (int64_t i = 0; i < COUNT; i++)
        add(table, i == 3 ? NULL : "x", (uint64_t)i, i == 3 ? COUNT : i, 0, NULL);
    quipu_table_sort(table, 2, false);
    for (size_t i = 0; i < COUNT; i++)
        assert_int_equal(quipu_table_at(table, i, 0)->is_null, quipu_table_at(table, i, 1)->u == 3);
    assert_true(quipu_table_at(table, COUNT - 1, 0)->is_null);
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

/* ---- Cells of a row ---- */

/* clang-format off */
#define RANK_TABLES(TABLE, COLUMN, END) \
    TABLE(RANKS, "ranks", "a row per process") \
    QUIPU__NAMED(COLUMN, RANKS, rank, "name of the process") \
    COLUMN(RANKS, begin_ns, TIME, "ns", "when it begins") \
    COLUMN(RANKS, share, F64, "", "a part of all") \
    END(RANKS)
/* clang-format on */
QUIPU__TABLES(RANK_TABLES)
static const struct quipu_analysis_table ranks[] = {QUIPU__SHAPES(RANK_TABLES)};

static struct quipu_table *make_ranks(void) {
    struct quipu_table *table;
    assert_int_equal(
        quipu_table_new(ranks[RANKS].name, ranks[RANKS].columns, ranks[RANKS].column_count, &table, NULL),
        QUIPU_OK);
    return table;
}

static void put_rank(struct quipu_table *table, const char *name) {
    quipu__table_put_f64(table, RANKS_share, 0.5);
    quipu__table_put_text(table, RANKS_rank, name);
    quipu__table_put_i64_if(table, RANKS_rank_id, false, 7);
    quipu__table_put_time(table, RANKS_begin_ns, -3);
}

static void test_table_list_names_columns(void **state) {
    (void)state;
    static const char *const names[] = {"rank", "rank_id", "begin_ns", "share"};
    static const enum quipu_column_type types[] = {QUIPU_TYPE_TEXT, QUIPU_TYPE_I64, QUIPU_TYPE_TIME,
                                                   QUIPU_TYPE_F64};
    assert_int_equal(ranks[RANKS].column_count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(ranks[RANKS].columns[i].name, names[i]);
        assert_int_equal(ranks[RANKS].columns[i].type, types[i]);
    }
    assert_string_equal(ranks[RANKS].columns[RANKS_begin_ns].unit, "ns");
    assert_string_equal(ranks[RANKS].doc, "a row per process");
}

static void test_table_row_takes_cells_in_any_order(void **state) {
    (void)state;
    struct quipu_table *table = make_ranks();
    put_rank(table, "rank 0");
    assert_int_equal(quipu__table_end_row(table, NULL), QUIPU_OK);
    quipu__table_put_text(table, RANKS_rank, "rank 1");
    quipu__table_put_rest_null(table);
    assert_int_equal(quipu__table_end_row(table, NULL), QUIPU_OK);
    assert_int_equal(quipu_table_row_count(table), 2);
    assert_string_equal(quipu_table_at(table, 0, RANKS_rank)->text, "rank 0");
    assert_true(quipu_table_at(table, 0, RANKS_rank_id)->is_null);
    assert_true(quipu_table_at(table, 0, RANKS_begin_ns)->i == -3);
    assert_true(quipu_table_at(table, 0, RANKS_share)->f == 0.5);
    assert_string_equal(quipu_table_at(table, 1, RANKS_rank)->text, "rank 1");
    assert_true(quipu_table_at(table, 1, RANKS_share)->is_null);
    quipu_table_free(table);
}

static void leave_out(struct quipu_table *table) {
    quipu__table_put_text(table, RANKS_rank, "x");
    quipu__table_put_i64(table, RANKS_rank_id, 1);
    quipu__table_put_null(table, RANKS_share);
}

static void put_twice(struct quipu_table *table) {
    put_rank(table, "x");
    quipu__table_put_null(table, RANKS_rank);
}

static void put_behind_last(struct quipu_table *table) {
    put_rank(table, "x");
    quipu__table_put_i64(table, RANKS_COLUMNS, 1);
}

static void put_other_sign(struct quipu_table *table) {
    quipu__table_put_u64(table, RANKS_rank_id, 1);
}

static void put_duration(struct quipu_table *table) {
    quipu__table_put_i64(table, RANKS_begin_ns, 1);
}

static void put_number_as_text(struct quipu_table *table) {
    quipu__table_put_text(table, RANKS_share, "0.5");
}

/* In a process of its own, which a build with assertions ends: else 0 when the row is refused so, and the next one is taken. */
static int refuse(void (*put)(struct quipu_table *), const char *message) {
    struct quipu_error err = {0};
    struct quipu_table *table = make_ranks();
    put(table);
    const bool is_refused = quipu__table_end_row(table, &err) == QUIPU_MISUSE &&
                            strcmp(err.message, message) == 0 && quipu_table_row_count(table) == 0;
    put_rank(table, "rank 0");
    const bool is_taken = quipu__table_end_row(table, &err) == QUIPU_OK &&
                          !quipu_table_at(table, 0, RANKS_rank)->is_null &&
                          !quipu_table_at(table, 0, RANKS_share)->is_null;
    quipu_table_free(table);
    return is_refused && is_taken ? 0 : 1;
}

static void test_table_row_with_wrong_cells_is_refused(void **state) {
    (void)state;
    static const struct {
        void (*put)(struct quipu_table *);
        const char *message;
    } rows[] = {
        {leave_out, "row 0 of the table ranks has no cell of the column begin_ns"},
        {put_twice, "row 0 of the table ranks has two cells of the column rank"},
        {put_behind_last, "row 0 of the table ranks has a cell of no column"},
        {put_other_sign, "row 0 of the table ranks has a cell of another type than the column rank_id"},
        {put_duration, "row 0 of the table ranks has a cell of another type than the column begin_ns"},
        {put_number_as_text, "row 0 of the table ranks has a cell of another type than the column share"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int status = 0;
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            _exit(refuse(rows[i].put, rows[i].message));
        assert_int_equal(waitpid(child, &status, 0), child);
#ifdef NDEBUG
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
#else
        assert_true(WIFSIGNALED(status));
#endif
    }
}

QUIPU_TESTS(cmocka_unit_test(test_table_add_keeps_cells), cmocka_unit_test(test_table_add_copies_texts),
            cmocka_unit_test(test_table_sort_orders_each_type),
            cmocka_unit_test(test_table_sort_puts_null_last_both_ways),
            cmocka_unit_test(test_table_columns_hold_numbers_of_any_width),
            cmocka_unit_test(test_table_sort_moves_nulls_with_their_rows),
            cmocka_unit_test(test_table_sort_is_stable), cmocka_unit_test(test_table_list_names_columns),
            cmocka_unit_test(test_table_row_takes_cells_in_any_order),
            cmocka_unit_test(test_table_row_with_wrong_cells_is_refused))
