/* imbalance_table.c: the table of imbalance. */
#include "analysis/cells.h"
#include "core/bounded.h"
#include "analysis/imbalance.h"
#include "analysis/unfinished_calls.h"
#include "core/error.h"
#include "core/scale.h"

#include <stdlib.h>

static const struct quipu_table_column columns[] = {
    {"region", QUIPU_TYPE_TEXT, "", "name of the region, null for time outside of any"},
    QUIPU__ID_COLUMN("region_id"),
    {"lost_total_ns", QUIPU_TYPE_I64, "ns", "time of all locations lost to imbalance"},
    {"imbalance_percent", QUIPU_TYPE_F64, "%", "0: all equal, 100: one location does everything"},
    {"behaviour", QUIPU_TYPE_TEXT, "", "balanced, persistent, rotating or mixed"},
    {"slowest", QUIPU_TYPE_TEXT, "", "location with the largest time"},
    QUIPU__ID_COLUMN("slowest_id"),
    {"max_ns", QUIPU_TYPE_I64, "ns", "its time"},
    {"mean_ns", QUIPU_TYPE_I64, "ns", "mean of all locations"},
    {"lost_ns", QUIPU_TYPE_I64, "ns", "lost_total_ns per location"},
    {"windows_lost_total_ns", QUIPU_TYPE_I64, "ns", "time of all locations lost in each window, together"},
    {"windows", QUIPU_TYPE_U64, "", "windows between collective operations of all locations"},
};
const struct quipu_analysis_table quipu__imbalance_tables[1] = {
    {"imbalance", "a row per region", columns, sizeof columns / sizeof *columns}};

/* A region's losses. */
struct row {
    const struct quipu__imbalance *imbalance;
    uint32_t region;
    int64_t most, total, lost, windows_lost, peaks;
    uint32_t slowest;
};

static struct row row_of(const struct quipu__imbalance *imbalance, uint32_t index) {
    const struct quipu__imbalance_region *region = &imbalance->regions[index];
    const int64_t count = (int64_t)imbalance->location_count;
    return (struct row){.imbalance = imbalance,
                        .region = index - 1,
                        .most = region->whole.most,
                        .total = region->whole.total,
                        .lost = quipu__bounded_product(count, region->whole.most) - region->whole.total,
                        .windows_lost =
                            quipu__bounded_product(count, region->windows_most) - region->whole.total,
                        .peaks = quipu__bounded_product(count, region->windows_most),
                        .slowest = region->slowest};
}

static int compare_rows(const void *a, const void *b) {
    const struct row *x = a, *y = b;
    if (x->lost != y->lost)
        return x->lost > y->lost ? -1 : 1;
    const int order =
        quipu__names_compare(x->imbalance->definitions, QUIPU_REFERS_REGION, x->region, y->region);
    return order != 0 ? order : (x->region > y->region) - (x->region < y->region);
}

static const char *behaviour_of(const struct row *row) {
    if (quipu__bounded_product(50, row->windows_lost) < row->peaks)
        return "balanced";
    if (quipu__bounded_product(5, row->lost) >= quipu__bounded_product(4, row->windows_lost))
        return "persistent";
    return quipu__bounded_product(5, row->lost) <= row->windows_lost ? "rotating" : "mixed";
}

static enum quipu_status put_row(const struct row *row, struct quipu_table *table, struct quipu_error *err) {
    const struct quipu__imbalance *imbalance = row->imbalance;
    const int64_t count = (int64_t)imbalance->location_count;
    struct quipu__cells cells = quipu__cells_of(imbalance->definitions);
    quipu__cells_put_name_and_id(&cells, QUIPU_REFERS_REGION, row->region);
    quipu__cells_put_i64(&cells, row->lost);
    quipu__cells_put_ratio(&cells, 100 * (uint64_t)row->lost,
                           count > 1 ? (uint64_t)(count - 1) * (uint64_t)row->most : 1, 2);
    quipu__cells_put_text(&cells, behaviour_of(row));
    quipu__cells_put_name_and_id(&cells, QUIPU_REFERS_LOCATION, row->slowest);
    quipu__cells_put_i64(&cells, row->most);
    quipu__cells_put_i64(&cells, quipu__divide_rounded(row->total, count));
    quipu__cells_put_i64(&cells, quipu__divide_rounded(row->lost, count));
    quipu__cells_put_i64(&cells, row->windows_lost);
    quipu__cells_put_u64(&cells, ((imbalance->window_count - 1) >> imbalance->shift) + 1);
    return quipu_table_add(table, cells.items, err);
}

static enum quipu_status put_rows(struct quipu__imbalance *imbalance, struct quipu_table *table,
                                  struct quipu_error *err) {
    const size_t bytes = imbalance->region_count * sizeof(struct row);
    struct row *rows = quipu__alloc(&imbalance->memory, bytes);
    enum quipu_status status = rows ? QUIPU_OK : quipu__no_memory(err, bytes);
    size_t count = 0;
    for (uint32_t i = 0; rows && i < imbalance->region_count; i++)
        if (imbalance->regions[i].whole.total > 0)
            rows[count++] = row_of(imbalance, i);
    if (count > 1)
        qsort(rows, count, sizeof *rows, compare_rows);
    for (size_t i = 0; i < count && status == QUIPU_OK; i++)
        status = put_row(&rows[i], table, err);
    quipu__release(&imbalance->memory, rows, bytes);
    return status;
}

enum quipu_status quipu__imbalance_finish(void *state, struct quipu_tables *tables, struct quipu_error *err) {
    struct quipu__imbalance *imbalance = state;
    struct quipu_table *table;
    enum quipu_status status = quipu__memory_status(&imbalance->memory, err);
    if (status == QUIPU_OK)
        status = quipu__analysis_table_new(&quipu__imbalance_tables[0], tables, &table, err);
    if (status != QUIPU_OK)
        return status;
    if (!quipu__imbalance_add_up(imbalance))
        return quipu__no_memory(err, imbalance->memory.used);
    quipu__unfinished_calls_note(&imbalance->unfinished, tables);
    status = put_rows(imbalance, table, err);
    return status == QUIPU_OK ? quipu__memory_status(&imbalance->memory, err) : status;
}
