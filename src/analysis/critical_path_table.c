/* critical_path_table.c: the tables of the critical path. */
#include "analysis/cells.h"
#include "analysis/matching_table.h"
#include "analysis/critical_path.h"
#include "core/error.h"
#include "core/bounded.h"
#include "core/scale.h"

#include <stdlib.h>

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

static const struct quipu_table_column path_columns[] = {
    {"runtime_ns", QUIPU_TYPE_I64, "ns", "from the first event of the trace to the last one"},
    {"segment_count", QUIPU_TYPE_U64, "", "segments of the path"},
    {"location_count", QUIPU_TYPE_U64, "", "locations that it leads over"},
};
static const struct quipu_table_column profile_columns[] = {
    {"region", QUIPU_TYPE_TEXT, "", "name of the region, null for time outside of any"},
    {"path_ns", QUIPU_TYPE_I64, "ns", "time on the path"},
    {"total_ns", QUIPU_TYPE_I64, "ns", "time of all locations without waiting"},
    {"imbalance_ns", QUIPU_TYPE_I64, "ns", "time on the path beyond the mean of all locations"},
    {"impact_ns", QUIPU_TYPE_I64, "ns",
     "the same for the time of all locations; costs run time where it is positive"},
};
static const struct quipu_table_column segment_columns[] = {
    {"from_ns", QUIPU_TYPE_TIME, "ns", "when the path comes to the location"},
    {"to_ns", QUIPU_TYPE_TIME, "ns", "when it leaves it"},
    {"duration_ns", QUIPU_TYPE_I64, "ns", "how long it stays"},
    QUIPU__LOCATION_COLUMNS,
    {"region", QUIPU_TYPE_TEXT, "", "the region with the most time in it"},
    {"reason", QUIPU_TYPE_TEXT, "",
     "why the path leaves it: the next location waited for this one so, or the trace ends"},
};

enum { PATH, PROFILE, SEGMENTS };
const struct quipu_analysis_table quipu__critical_path_tables[QUIPU__CRITICAL_PATH_TABLES] = {
    {"critical_path", "what the path consists of", path_columns, COUNT(path_columns)},
    {"path_profile", "a row per region", profile_columns, COUNT(profile_columns)},
    {"segments", "the path from the beginning of the trace to its end", segment_columns,
     COUNT(segment_columns)},
};

static uint64_t locations_on_path(const struct quipu__critical_path *path) {
    uint64_t count = 0;
    for (size_t i = 0; i < path->cursors.count; i++)
        count += path->cursors.items[i].count > 0;
    return count;
}

static enum quipu_status put_path(struct quipu__critical_path *path, struct quipu_table *table,
                                  struct quipu_tables *list, struct quipu_error *err) {
    (void)list;
    struct quipu__cells cells = quipu__cells_of(path->definitions);
    quipu__cells_put_i64(&cells, path->end - path->begin);
    quipu__cells_put_u64(&cells, path->segments.count);
    quipu__cells_put_u64(&cells, locations_on_path(path));
    return quipu_table_add(table, cells.items, err);
}

/* For sorting, which has no context. */
struct sorted_region {
    const struct quipu__critical_path *path;
    uint32_t region;
    struct quipu__region_times times;
};

static int compare_regions(const void *a, const void *b) {
    const struct sorted_region *x = a, *y = b;
    if (x->times.on_path != y->times.on_path)
        return x->times.on_path > y->times.on_path ? -1 : 1;
    const int order = quipu__names_compare(x->path->definitions, QUIPU_REFERS_REGION, x->region, y->region);
    return order != 0 ? order : (x->region > y->region) - (x->region < y->region);
}

/* What follows from a total; null where that is no number of 64 bits. */
static void put_total(struct quipu__cells *cells, int64_t total, int64_t value) {
    if (total == INT64_MAX)
        quipu__cells_put_null(cells);
    else
        quipu__cells_put_i64(cells, value);
}

static enum quipu_status put_region(const struct quipu__critical_path *path, const struct sorted_region *row,
                                    struct quipu_table *table, struct quipu_error *err) {
    struct quipu__cells cells = quipu__cells_of(path->definitions);
    const int64_t count = (int64_t)path->locations;
    quipu__cells_put_name(&cells, QUIPU_REFERS_REGION, row->region);
    quipu__cells_put_i64(&cells, row->times.on_path);
    put_total(&cells, row->times.total, row->times.total);
    put_total(&cells, row->times.total,
              quipu__bounded_difference(row->times.on_path, quipu__divide_rounded(row->times.total, count)));
    int64_t impact;
    if (row->times.total < INT64_MAX &&
        quipu__multiply_less(count, row->times.on_path, row->times.total, &impact))
        quipu__cells_put_i64(&cells, impact);
    else
        quipu__cells_put_null(&cells);
    return quipu_table_add(table, cells.items, err);
}

static void note_totals(const struct sorted_region *sorted, size_t count, struct quipu_tables *list) {
    for (size_t i = 0; i < count; i++)
        if (sorted[i].times.total == INT64_MAX) {
            quipu__tables_note_add(list, "a total of all locations is no number of 64 bits, and null");
            return;
        }
}

static enum quipu_status put_profile(struct quipu__critical_path *path, struct quipu_table *table,
                                     struct quipu_tables *list, struct quipu_error *err) {
    const size_t bytes = path->regions.count * sizeof(struct sorted_region);
    struct sorted_region *sorted = bytes > 0 ? quipu__alloc(&path->memory, bytes) : NULL;
    size_t count = 0;
    if (!sorted)
        return quipu__memory_status(&path->memory, err);
    for (uint32_t i = 0; i < path->regions.count; i++)
        if (path->regions.items[i].on_path != 0 || path->regions.items[i].total != 0)
            sorted[count++] = (struct sorted_region){path, i - 1, path->regions.items[i]};
    qsort(sorted, count, sizeof *sorted, compare_regions);
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < count && status == QUIPU_OK; i++)
        status = put_region(path, &sorted[i], table, err);
    note_totals(sorted, count, list);
    quipu__release(&path->memory, sorted, bytes);
    return status;
}

static enum quipu_status put_segments(struct quipu__critical_path *path, struct quipu_table *table,
                                      struct quipu_tables *list, struct quipu_error *err) {
    (void)list;
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < path->segments.count && status == QUIPU_OK; i++) {
        const struct quipu__path_segment *segment = &path->segments.items[i];
        struct quipu__cells cells = quipu__cells_of(path->definitions);
        quipu__cells_put_i64(&cells, segment->from);
        quipu__cells_put_i64(&cells, segment->to);
        quipu__cells_put_i64(&cells, segment->to - segment->from);
        quipu__cells_put_name_and_id(&cells, QUIPU_REFERS_LOCATION, segment->location);
        quipu__cells_put_name(&cells, QUIPU_REFERS_REGION, segment->region);
        quipu__cells_put_text(&cells, segment->reason < 0 ? "end" : quipu__wait_patterns[segment->reason].text);
        status = quipu_table_add(table, cells.items, err);
    }
    return status;
}

enum quipu_status quipu__critical_path_finish(void *state, struct quipu_tables *list, struct quipu_error *err) {
    static enum quipu_status (*const put[QUIPU__CRITICAL_PATH_TABLES])(
        struct quipu__critical_path *, struct quipu_table *, struct quipu_tables *,
        struct quipu_error *) = {[PATH] = put_path, [PROFILE] = put_profile, [SEGMENTS] = put_segments};
    struct quipu__critical_path *path = state;
    struct quipu_table *tables[QUIPU__CRITICAL_PATH_TABLES] = {NULL};
    enum quipu_status status = quipu__memory_status(&path->memory, err);
    if (status != QUIPU_OK)
        return status;
    quipu__critical_path_fill_end(path);
    status = quipu__matched_tables_new(&path->states.communication, quipu__critical_path_tables,
                                       QUIPU__CRITICAL_PATH_TABLES, list, tables, err);
    for (size_t i = 0; i < QUIPU__CRITICAL_PATH_TABLES && status == QUIPU_OK; i++)
        status = put[i](path, tables[i], list, err);
    return status == QUIPU_OK ? quipu__memory_status(&path->memory, err) : status;
}
