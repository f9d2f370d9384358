/* profile_table.c: the profile as a table, a row per location and region or per region. */
#include "analysis/profile.h"

#include "table/table.h"
#include "core/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define PROFILE_VALUE(name, type, unit, doc) {#name, QUIPU_TYPE_##type, unit, doc},
static const struct quipu_table_column columns_by_location[] = {
    {"location", QUIPU_TYPE_TEXT, "", "name of the process or thread"},
    {"location_id", QUIPU_TYPE_I64, "", "the format's own number of the location"},
    {"region", QUIPU_TYPE_TEXT, "", "name of the region, null for what happened outside of any"},
    {"region_id", QUIPU_TYPE_I64, "", "the format's own number of the region"},
#include "analysis/profile.def"
};
static const struct quipu_table_column columns_by_region[] = {
    {"region", QUIPU_TYPE_TEXT, "", "name of the region, null for what happened outside of any"},
    {"region_id", QUIPU_TYPE_I64, "", "the format's own number of the region"},
    {"locations", QUIPU_TYPE_U64, "", "locations that it happened first_value"},
#include "analysis/profile.def"
};
#undef PROFILE_VALUE

#define COLUMN_COUNT(columns) (sizeof(columns) / sizeof(columns)[0])

const struct quipu_analysis_table quipu__profile_tables[2] = {
    {"profile", "a row per location and region", columns_by_location, COLUMN_COUNT(columns_by_location)},
    {"profile", "a row per region", columns_by_region, COLUMN_COUNT(columns_by_region)},
};

#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

static int by_location_then_region(const void *a, const void *b) {
    const struct quipu__profile_row *x = a, *y = b;
    return x->location != y->location ? COMPARE(x->location, y->location) : COMPARE(x->region, y->region);
}

static int by_region_then_location(const void *a, const void *b) {
    const struct quipu__profile_row *x = a, *y = b;
    return x->region != y->region ? COMPARE(x->region, y->region) : COMPARE(x->location, y->location);
}

/* Adds up the rows of each region, which lie side by side. */
static void merge_locations(struct quipu__profile *profile) {
    struct quipu__profile_row *rows = profile->rows.items;
    size_t merged = 0;
    for (size_t i = 0; i < profile->rows.count; i++) {
        if (merged > 0 && rows[merged - 1].region == rows[i].region) {
            quipu__profile_add_values(&rows[merged - 1], &rows[i]);
            rows[merged - 1].locations++;
        } else {
            rows[merged++] = rows[i];
        }
    }
    profile->rows.count = merged;
}

static struct quipu_cell native_id_cell(uint64_t native_id) {
    return (struct quipu_cell){.is_null = native_id == QUIPU_UNKNOWN, .i = (int64_t)native_id};
}

/* Name and native number of a definition; a definition without a name is called by its native number. */
static void name_cells(struct quipu_cell cells[2], const char *name, uint64_t native_id, char text[32]) {
    snprintf(text, 32, "%" PRIu64, native_id);
    cells[0] = (struct quipu_cell){.text = name[0] ? name : text};
    cells[1] = native_id_cell(native_id);
}

static void location_cells(const struct quipu__profile *profile, uint32_t number, struct quipu_cell cells[2],
                           char text[32]) {
    if (number < profile->definitions->locations.count) {
        const struct quipu_location *location = &profile->definitions->locations.items[number];
        name_cells(cells, location->name, location->native_id, text);
    }
}

static void region_cells(const struct quipu__profile *profile, uint32_t number, struct quipu_cell cells[2],
                         char text[32]) {
    if (number < profile->definitions->regions.count) {
        const struct quipu_region *region = &profile->definitions->regions.items[number];
        name_cells(cells, region->name, region->native_id, text);
    }
}

static bool is_time(size_t value) {
    return value == QUIPU__PROFILE_inclusive_ns || value == QUIPU__PROFILE_exclusive_ns;
}

static enum quipu_status show_row(const struct quipu__profile *profile, const struct quipu__profile_row *row,
                                  struct quipu_table *table, struct quipu_error *err) {
    struct quipu_cell cells[COLUMN_COUNT(columns_by_location)];
    char location_text[32], region_text[32];
    for (size_t i = 0; i < 4; i++)
        cells[i] = (struct quipu_cell){.is_null = true, .u = 0};
    size_t first_value;
    if (profile->by_region) {
        region_cells(profile, row->region, &cells[0], region_text);
        cells[2] = (struct quipu_cell){.u = row->locations};
        first_value = 3;
    } else {
        location_cells(profile, row->location, &cells[0], location_text);
        region_cells(profile, row->region, &cells[2], region_text);
        first_value = 4;
    }
    for (size_t i = 0; i < QUIPU__PROFILE_COUNT; i++)
        cells[first_value + i] = is_time(i)
                                     ? (struct quipu_cell){.i = quipu_clock_ns(&profile->definitions->clock,
                                                                               (int64_t)row->values[i])}
                                     : (struct quipu_cell){.u = row->values[i]};
    return quipu_table_add(table, cells, err);
}

/* The rows of the table, in its order. */
static void arrange(struct quipu__profile *profile) {
    struct quipu__profile_row *rows = profile->rows.items;
    quipu__profile_close_all(profile);
    rows[QUIPU__PROFILE_NOWHERE] = rows[--profile->rows.count]; /* that one is not shown */
    if (profile->rows.count > 0)
        qsort(rows, profile->rows.count, sizeof *rows,
              profile->by_region ? by_region_then_location : by_location_then_region);
    if (profile->by_region)
        merge_locations(profile);
}

enum quipu_status quipu__profile_finish(void *state, struct quipu_tables *tables, struct quipu_error *err) {
    struct quipu__profile *profile = state;
    struct quipu_table *table;
    enum quipu_status status =
        quipu__analysis_table_new(&quipu__profile_tables[profile->by_region], tables, &table, err);
    if (status != QUIPU_OK)
        return status;
    arrange(profile);
    for (size_t i = 0; i < profile->rows.count && status == QUIPU_OK; i++)
        status = show_row(profile, &profile->rows.items[i], table, err);
    return status == QUIPU_OK ? quipu__memory_status(&profile->memory, err) : status;
}
