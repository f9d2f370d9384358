/* compare_table.c: what differs, the largest difference first; and on request everything that was compared, level by level. */
#include "analysis/compare.h"

#include "analysis/cells.h"
#include "core/scale.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct quipu_table_column columns[] = {
    {"level", QUIPU_TYPE_TEXT, "", "runtime, definitions, profile, waits, comm, phases or calls"},
    {"what", QUIPU_TYPE_TEXT, "", "region, pattern of waiting, pair of processes, phase"},
    {"rank", QUIPU_TYPE_I64, "", "at this rank only; null: at all locations together"},
    {"measure", QUIPU_TYPE_TEXT, "", "what is compared; those that end in _ns are times"},
    {"a", QUIPU_TYPE_I64, "", "in the first trace"},
    {"b", QUIPU_TYPE_I64, "", "in the second trace"},
    {"change_ns", QUIPU_TYPE_I64, "ns", "of times: b less a"},
    {"change", QUIPU_TYPE_I64, "", "of others: b less a"},
    {"percent", QUIPU_TYPE_F64, "%", "the change as part of a; null where a is 0"},
    {"samples_a", QUIPU_TYPE_U64, "", "iterations of the first trace that a is the median of"},
    {"samples_b", QUIPU_TYPE_U64, "", "iterations of the second trace that b is the median of"},
    {"evidence", QUIPU_TYPE_TEXT, "", "what the judgement relies on"},
};
enum { COLUMN_COUNT = sizeof columns / sizeof *columns };

/* ---- Order ---- */

static uint64_t size_of_change(const struct quipu__compared *row) {
    const int64_t a = row->values[0], b = row->values[1];
    return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

/* For sorting, which has no context. */
struct sorted_row {
    const struct quipu__compared *row;
    uint64_t of_all; /* the change of all locations together */
    bool is_time;
};

static int compare_sizes(uint64_t a, uint64_t b) {
    return (a < b) - (a > b);
}

/* Times before counts, large changes first, the ranks of an object behind it. */
static int compare_rows(const void *a, const void *b) {
    const struct sorted_row *x = a, *y = b;
    int order = (int)y->is_time - (int)x->is_time;
    if (order == 0)
        order = compare_sizes(x->of_all, y->of_all);
    if (order == 0)
        order = (x->row->measure > y->row->measure) - (x->row->measure < y->row->measure);
    if (order == 0)
        order = strcmp(x->row->what, y->row->what);
    return order != 0 ? order : (x->row->rank > y->row->rank) - (x->row->rank < y->row->rank);
}

/* ---- Rows ---- */

static void put_percent(struct quipu__cells *cells, const struct quipu__compared *row) {
    const int64_t a = row->values[0];
    const uint64_t whole = a > 0 ? (uint64_t)a : 0;
    const double size = whole > 0 ? (double)quipu__scale_rounded(size_of_change(row), 10000, whole) / 100 : 0;
    cells->items[cells->count++] =
        (struct quipu_cell){.is_null = whole == 0, .f = row->values[1] < a ? -size : size};
}

static bool are_medians(const struct quipu__compared *row) {
    return row->samples[0] > 0 && row->samples[1] > 0;
}

static void put_samples(struct quipu__cells *cells, const struct quipu__compared *row) {
    for (int side = 0; side < QUIPU__SIDES; side++) {
        quipu__cells_put_i64(cells, row->samples[side]);
        cells->items[cells->count - 1].is_null = !are_medians(row);
    }
}

static void put_evidence(struct quipu__cells *cells, const struct quipu__compared *row, char *text,
                         size_t size) {
    const bool is_time = quipu__compare_measures[row->measure].is_time;
    snprintf(text, size, "%s", is_time ? "one sample" : "counted");
    if (are_medians(row))
        snprintf(text, size, "median deviations %" PRId64 " and %" PRId64 " ns", row->deviations[0],
                 row->deviations[1]);
    quipu__cells_put_text(cells, text);
}

static enum quipu_status put_row(const struct quipu__compared *row, struct quipu_table *table,
                                 struct quipu_error *err) {
    const struct quipu__compare_measure_row *measure = &quipu__compare_measures[row->measure];
    const int64_t change = row->values[1] - row->values[0];
    char evidence[96];
    struct quipu__cells cells = quipu__cells_of(NULL);
    quipu__cells_put_text(&cells, measure->info.level);
    quipu__cells_put_text(&cells, row->what);
    quipu__cells_put_i64(&cells, row->rank);
    cells.items[cells.count - 1].is_null = row->rank < 0;
    quipu__cells_put_text(&cells, measure->info.name);
    quipu__cells_put_i64(&cells, row->values[0]);
    quipu__cells_put_i64(&cells, row->values[1]);
    quipu__cells_put_i64(&cells, change);
    cells.items[cells.count - 1].is_null = !measure->is_time;
    quipu__cells_put_i64(&cells, change);
    cells.items[cells.count - 1].is_null = measure->is_time;
    put_percent(&cells, row);
    put_samples(&cells, row);
    put_evidence(&cells, row, evidence, sizeof evidence);
    return quipu_table_add(table, cells.items, err);
}

/* ---- Tables ---- */

/* A table of all rows of a level, or with NULL of those that differ. */
static enum quipu_status add_table(const struct quipu__comparison *comparison, const struct sorted_row *sorted,
                                   const char *level, struct quipu_tables *tables, struct quipu_error *err) {
    struct quipu_table *table;
    enum quipu_status status =
        quipu__tables_add(tables, level ? level : "differences", columns, COLUMN_COUNT, &table, err);
    for (size_t i = 0; i < comparison->rows.count && status == QUIPU_OK; i++) {
        const struct quipu__compared *row = sorted[i].row;
        const bool is_shown =
            level ? strcmp(quipu__compare_measures[row->measure].info.level, level) == 0 : row->differs;
        status = is_shown ? put_row(row, table, err) : QUIPU_OK;
    }
    return status;
}

static enum quipu_status add_levels(const struct quipu__comparison *comparison, const struct sorted_row *sorted,
                                    struct quipu_tables *tables, struct quipu_error *err) {
    const char *level = "";
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < QUIPU__COMPARE_MEASURES && status == QUIPU_OK; i++) {
        const char *next = quipu__compare_measures[i].info.level;
        const bool is_new = strcmp(next, level) != 0;
        level = next;
        if (is_new && quipu__comparison_has_level(comparison, level))
            status = add_table(comparison, sorted, level, tables, err);
    }
    return status;
}

static void note(const struct quipu__comparison *comparison, struct quipu_tables *tables) {
    const char *a = comparison->notes[0], *b = comparison->notes[1];
    if (a[0] || b[0])
        snprintf(quipu__tables_note(tables), QUIPU__TABLES_NOTE, "%s%.240s%s%s%.240s", a[0] ? "a: " : "", a,
                 a[0] && b[0] ? "; " : "", b[0] ? "b: " : "", b);
}

enum quipu_status quipu__comparison_tables(struct quipu__comparison *comparison, struct quipu_tables *tables,
                                           struct quipu_error *err) {
    const size_t count = comparison->rows.count, bytes = (count + 1) * sizeof(struct sorted_row);
    struct sorted_row *sorted = quipu__alloc(&comparison->memory, bytes);
    if (!sorted)
        return quipu__memory_status(&comparison->memory, err);
    for (size_t i = 0; i < count; i++) {
        const struct quipu__compared *row = &comparison->rows.items[i];
        sorted[i] = (struct sorted_row){row, size_of_change(&comparison->rows.items[row->of_all]),
                                        quipu__compare_measures[row->measure].is_time};
    }
    qsort(sorted, count, sizeof *sorted, compare_rows);
    note(comparison, tables);
    enum quipu_status status = add_table(comparison, sorted, NULL, tables, err);
    if (status == QUIPU_OK && comparison->levels)
        status = add_levels(comparison, sorted, tables, err);
    quipu__release(&comparison->memory, sorted, bytes);
    return status;
}
