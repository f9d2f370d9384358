/* profile_table.c: the profile as a table. Rows are counted per location and region; what is asked for puts some of them together:
 * the threads of a process, the processes of a host, the regions of a group, or all locations.
 */
#include "analysis/profile.h"

#include "core/error.h"
#include "table/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Columns ---- */

enum column {
#define PROFILE_COLUMN(name, ...) COLUMN_##name,
#include "analysis/profile_columns.def"
#undef PROFILE_COLUMN
    COLUMN_COUNT
};

#define Y(...) {__VA_ARGS__},
#define N(...)

static const struct quipu_table_column columns_by_location[] = {
#define PROFILE_COLUMN(name, type, unit, doc, location, ...) location(#name, QUIPU_TYPE_##type, unit, doc)
#include "analysis/profile_columns.def"
#undef PROFILE_COLUMN
};
static const struct quipu_table_column columns_by_region[] = {
#define PROFILE_COLUMN(name, type, unit, doc, location, region, ...) region(#name, QUIPU_TYPE_##type, unit, doc)
#include "analysis/profile_columns.def"
#undef PROFILE_COLUMN
};
static const struct quipu_table_column columns_by_process[] = {
#define PROFILE_COLUMN(name, type, unit, doc, location, region, process, ...)                                  \
    process(#name, QUIPU_TYPE_##type, unit, doc)
#include "analysis/profile_columns.def"
#undef PROFILE_COLUMN
};
static const struct quipu_table_column columns_by_host[] = {
#define PROFILE_COLUMN(name, type, unit, doc, location, region, process, host, ...)                            \
    host(#name, QUIPU_TYPE_##type, unit, doc)
#include "analysis/profile_columns.def"
#undef PROFILE_COLUMN
};
static const struct quipu_table_column columns_by_group[] = {
#define PROFILE_COLUMN(name, type, unit, doc, location, region, process, host, group, ...)                     \
    group(#name, QUIPU_TYPE_##type, unit, doc)
#include "analysis/profile_columns.def"
#undef PROFILE_COLUMN
};
static const struct quipu_table_column columns_by_mpi[] = {
#define PROFILE_COLUMN(name, type, unit, doc, location, region, process, host, group, mpi)                     \
    mpi(#name, QUIPU_TYPE_##type, unit, doc)
#include "analysis/profile_columns.def"
#undef PROFILE_COLUMN
};
#undef Y
#undef N

#define COUNT(columns) (sizeof(columns) / sizeof(columns)[0])

const struct quipu_analysis_table quipu__profile_tables[QUIPU__PROFILE_BY_COUNT] = {
    {"profile", "a row per location and region", columns_by_location, COUNT(columns_by_location)},
    {"profile", "a row per region", columns_by_region, COUNT(columns_by_region)},
    {"profile", "a row per process and region", columns_by_process, COUNT(columns_by_process)},
    {"profile", "a row per host and region", columns_by_host, COUNT(columns_by_host)},
    {"profile", "a row per group of regions", columns_by_group, COUNT(columns_by_group)},
    {"profile", "a row per location", columns_by_mpi, COUNT(columns_by_mpi)},
};

/* The column of that name; every table names its columns by them. */
static enum column column_of(const char *name) {
    static const char *const names[] = {
#define PROFILE_COLUMN(name, ...) #name,
#include "analysis/profile_columns.def"
#undef PROFILE_COLUMN
    };
    unsigned column = 0;
    while (strcmp(names[column], name) != 0)
        column++;
    return (enum column)column;
}

/* ---- What rows are of ---- */

static const struct quipu_location *location_at(const struct quipu__profile *profile, uint32_t number) {
    return number < profile->definitions->locations.count ? &profile->definitions->locations.items[number]
                                                          : NULL;
}

static const struct quipu_region *region_at(const struct quipu__profile *profile, uint32_t number) {
    return number < profile->definitions->regions.count ? &profile->definitions->regions.items[number] : NULL;
}

/* The process that a location is or belongs to; itself where there is none. */
static uint32_t process_of(const struct quipu__profile *profile, uint32_t number) {
    const struct quipu_location *location = location_at(profile, number);
    uint32_t process = number;
    for (uint32_t steps = 0; location && steps < profile->definitions->locations.count; steps++) {
        if (location->kind == QUIPU_LOCATION_PROCESS)
            return process;
        process = location->parent;
        location = location_at(profile, process);
    }
    return number;
}

/* The host of a location, or of what it belongs to; NULL when it is not known. */
static const char *host_of(const struct quipu__profile *profile, uint32_t number) {
    const struct quipu_location *location = location_at(profile, number);
    for (uint32_t steps = 0; location && steps < profile->definitions->locations.count; steps++) {
        if (location->host[0])
            return location->host;
        if (location->kind == QUIPU_LOCATION_NODE)
            return location->name;
        location = location_at(profile, location->parent);
    }
    return NULL;
}

static const char *group_of(const struct quipu__profile *profile, uint32_t number) {
    static const char *const roles[] = {
#define QUIPU_REGION_ROLE(name, text, doc) text,
#include <quipu/region_roles.def>
#undef QUIPU_REGION_ROLE
    };
    const struct quipu_region *region = region_at(profile, number);
    if (!region)
        return NULL;
    return region->group[0] ? region->group : roles[region->role];
}

static bool is_mpi(const struct quipu__profile *profile, uint32_t number) {
    const struct quipu_region *region = region_at(profile, number);
    return region && region->role >= QUIPU_REGION_MPI_P2P && region->role <= QUIPU_REGION_MPI_OTHER;
}

/* ---- Putting rows together ---- */

/* A row of the table: of a text that rows have in common, and of definitions. What does not tell rows apart is the same in all. */
struct shown {
    const char *text; /* host or group; NULL: not known */
    uint32_t location, region;
    struct quipu__profile_row values;
    uint64_t most;          /* exclusive time of the location with most */
    uint64_t mpi;           /* exclusive time in MPI calls */
    uint64_t last;          /* exclusive time so far of the location added last */
    uint32_t last_location; /* which is that */
};

static struct shown shown_of(const struct quipu__profile *profile, const struct quipu__profile_row *row) {
    struct shown shown = {
        .location = row->location, .region = row->region, .values = *row, .last_location = row->location};
    const enum quipu__profile_by by = profile->by;
    if (by == QUIPU__PROFILE_BY_process)
        shown.location = process_of(profile, row->location);
    if (by == QUIPU__PROFILE_BY_host)
        shown.text = host_of(profile, row->location);
    if (by == QUIPU__PROFILE_BY_group)
        shown.text = group_of(profile, row->region);
    if (by == QUIPU__PROFILE_BY_region || by == QUIPU__PROFILE_BY_host || by == QUIPU__PROFILE_BY_group)
        shown.location = QUIPU_NONE;
    if (by == QUIPU__PROFILE_BY_group || by == QUIPU__PROFILE_BY_mpi)
        shown.region = QUIPU_NONE;
    shown.values.locations = 1;
    shown.last = row->values[QUIPU__PROFILE_exclusive_ns];
    shown.mpi = is_mpi(profile, row->region) ? shown.last : 0;
    return shown;
}

#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

static int compare_texts(const char *a, const char *b) {
    return a && b ? strcmp(a, b) : (a == NULL) - (b == NULL);
}

static int compare_keys(const struct shown *x, const struct shown *y) {
    const int texts = compare_texts(x->text, y->text);
    if (texts != 0)
        return texts;
    return x->location != y->location ? COMPARE(x->location, y->location) : COMPARE(x->region, y->region);
}

/* Rows of one key lie side by side, those of a location too. */
static int compare_shown(const void *a, const void *b) {
    const struct shown *x = a, *y = b;
    const int keys = compare_keys(x, y);
    return keys != 0 ? keys : COMPARE(x->last_location, y->last_location);
}

static void update_most(struct shown *row) {
    row->most = (int64_t)row->last > (int64_t)row->most ? row->last : row->most;
}

static void add_shown(struct shown *to, const struct shown *from) {
    quipu__profile_add_values(&to->values, &from->values);
    to->mpi += from->mpi;
    if (to->last_location == from->last_location) {
        to->last += from->last;
        return;
    }
    update_most(to);
    to->last = from->last;
    to->last_location = from->last_location;
    to->values.locations++;
}

static size_t merge(struct shown *rows, size_t count) {
    size_t merged = 0;
    qsort(rows, count, sizeof *rows, compare_shown);
    for (size_t i = 0; i < count; i++) {
        if (merged > 0 && compare_keys(&rows[merged - 1], &rows[i]) == 0)
            add_shown(&rows[merged - 1], &rows[i]);
        else
            rows[merged++] = rows[i];
    }
    for (size_t i = 0; i < merged; i++)
        update_most(&rows[i]);
    return merged;
}

/* ---- Cells ---- */

/* What rows are compared with. */
struct whole {
    const struct quipu__profile *profile;
    double time;      /* exclusive time of all rows, in ticks */
    double locations; /* that have calls */
};

static struct quipu_cell text_cell(const char *text) {
    return (struct quipu_cell){.is_null = !text, .text = text};
}

/* A definition without a name is called by its native number. */
static struct quipu_cell name_cell(const char *name, uint64_t native_id, char text[32]) {
    snprintf(text, 32, "%" PRIu64, native_id);
    return text_cell(name[0] ? name : text);
}

static struct quipu_cell native_id_cell(uint64_t native_id) {
    return (struct quipu_cell){.is_null = native_id == QUIPU_UNKNOWN, .i = (int64_t)native_id};
}

static struct quipu_cell location_cell(const struct whole *whole, const struct shown *row, char text[32]) {
    const struct quipu_location *location = location_at(whole->profile, row->location);
    return location ? name_cell(location->name, location->native_id, text) : text_cell(NULL);
}

static struct quipu_cell region_cell(const struct whole *whole, const struct shown *row, char text[32]) {
    const struct quipu_region *region = region_at(whole->profile, row->region);
    return region ? name_cell(region->name, region->native_id, text) : text_cell(NULL);
}

static struct quipu_cell time_cell(const struct whole *whole, uint64_t ticks) {
    return (struct quipu_cell){.i = quipu_clock_ns(&whole->profile->definitions->clock, (int64_t)ticks)};
}

/* A quotient with two decimals; null where there is no whole. */
static struct quipu_cell ratio_cell(double value, double of) {
    if (!(of > 0))
        return (struct quipu_cell){.is_null = true, .f = 0};
    return (struct quipu_cell){.f = floor(value / of * 100 + 0.5) / 100};
}

static struct quipu_cell mean_cell(const struct whole *whole, const struct shown *row) {
    const uint64_t calls = row->values.values[QUIPU__PROFILE_calls];
    const int64_t ns = time_cell(whole, row->values.values[QUIPU__PROFILE_inclusive_ns]).i;
    if (calls == 0)
        return (struct quipu_cell){.is_null = true, .i = 0};
    return (struct quipu_cell){.i = calls > INT64_MAX ? 0 : ns / (int64_t)calls};
}

static struct quipu_cell imbalance_cell(const struct whole *whole, const struct shown *row) {
    const double total = (double)(int64_t)row->values.values[QUIPU__PROFILE_exclusive_ns];
    return ratio_cell((double)(int64_t)row->most * whole->locations, total);
}

static struct quipu_cell location_id_cell(const struct whole *whole, const struct shown *row) {
    const struct quipu_location *location = location_at(whole->profile, row->location);
    return native_id_cell(location ? location->native_id : QUIPU_UNKNOWN);
}

static struct quipu_cell region_id_cell(const struct whole *whole, const struct shown *row) {
    const struct quipu_region *region = region_at(whole->profile, row->region);
    return native_id_cell(region ? region->native_id : QUIPU_UNKNOWN);
}

/* A column that is counted; times are shown in nanoseconds. */
static struct quipu_cell value_cell(const struct whole *whole, const struct shown *row,
                                    enum quipu__profile_value value) {
    const uint64_t number = row->values.values[value];
    return value == QUIPU__PROFILE_inclusive_ns || value == QUIPU__PROFILE_exclusive_ns
               ? time_cell(whole, number)
               : (struct quipu_cell){.u = number};
}

/* A column that follows from what is counted. */
static struct quipu_cell derived_cell(const struct whole *whole, const struct shown *row, enum column column) {
    const uint64_t exclusive = row->values.values[QUIPU__PROFILE_exclusive_ns];
    switch (column) {
    case COLUMN_share_percent:
        return ratio_cell((double)(int64_t)exclusive * 100, whole->time);
    case COLUMN_mpi_percent:
        return ratio_cell((double)(int64_t)row->mpi * 100, (double)(int64_t)exclusive);
    case COLUMN_time_ns:
        return time_cell(whole, exclusive);
    case COLUMN_mpi_ns:
        return time_cell(whole, row->mpi);
    case COLUMN_outside_ns:
        return time_cell(whole, exclusive - row->mpi);
    case COLUMN_mean_ns:
        return mean_cell(whole, row);
    case COLUMN_imbalance:
        return imbalance_cell(whole, row);
    default:
        return (struct quipu_cell){.u = row->values.locations};
    }
}

static struct quipu_cell cell_of(const struct whole *whole, const struct shown *row, enum column column,
                                 char text[32]) {
    static const uint8_t values[COLUMN_COUNT] = {
#define PROFILE_VALUE(name) [COLUMN_##name] = QUIPU__PROFILE_##name + 1,
#include "analysis/profile.def"
#undef PROFILE_VALUE
    };
    if (values[column] > 0)
        return value_cell(whole, row, (enum quipu__profile_value)(values[column] - 1));
    switch (column) {
    case COLUMN_location:
    case COLUMN_process:
        return location_cell(whole, row, text);
    case COLUMN_region:
        return region_cell(whole, row, text);
    case COLUMN_host:
    case COLUMN_group:
        return text_cell(row->text);
    case COLUMN_location_id:
        return location_id_cell(whole, row);
    case COLUMN_region_id:
        return region_id_cell(whole, row);
    default:
        return derived_cell(whole, row, column);
    }
}

static enum quipu_status show_row(const struct whole *whole, const struct shown *row, struct quipu_table *table,
                                  struct quipu_error *err) {
    const struct quipu_analysis_table *shape = &quipu__profile_tables[whole->profile->by];
    struct quipu_cell cells[COLUMN_COUNT];
    char texts[COLUMN_COUNT][32];
    for (size_t i = 0; i < shape->column_count; i++)
        cells[i] = cell_of(whole, row, column_of(shape->columns[i].name), texts[i]);
    return quipu_table_add(table, cells, err);
}

/* ---- The table ---- */

static struct whole whole_of(const struct quipu__profile *profile) {
    struct whole whole = {.profile = profile};
    for (size_t i = 0; i < profile->rows.count; i++)
        whole.time += (double)(int64_t)profile->rows.items[i].values[QUIPU__PROFILE_exclusive_ns];
    return whole;
}

static double count_locations(const struct shown *rows, size_t count) {
    double locations = 0;
    for (size_t i = 0; i < count; i++)
        locations += i == 0 || rows[i].last_location != rows[i - 1].last_location;
    return locations;
}

static int by_location(const void *a, const void *b) {
    const struct shown *x = a, *y = b;
    return COMPARE(x->last_location, y->last_location);
}

static enum quipu_status show(const struct quipu__profile *profile, struct shown *rows,
                              struct quipu_table *table, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    struct whole whole = whole_of(profile);
    size_t count = 0;
    for (size_t i = 0; i < profile->rows.count; i++)
        if (profile->by != QUIPU__PROFILE_BY_mpi || profile->rows.items[i].region != QUIPU_NONE)
            rows[count++] = shown_of(profile, &profile->rows.items[i]);
    if (count > 0)
        qsort(rows, count, sizeof *rows, by_location);
    whole.locations = count_locations(rows, count);
    count = count > 0 ? merge(rows, count) : 0;
    for (size_t i = 0; i < count && status == QUIPU_OK; i++)
        status = show_row(&whole, &rows[i], table, err);
    return status;
}

enum quipu_status quipu__profile_finish(void *state, struct quipu_tables *tables, struct quipu_error *err) {
    struct quipu__profile *profile = state;
    struct quipu_table *table;
    quipu__profile_close_all(profile);
    profile->rows.items[QUIPU__PROFILE_NOWHERE] = profile->rows.items[--profile->rows.count]; /* is not shown */
    enum quipu_status status =
        quipu__analysis_table_new(&quipu__profile_tables[profile->by], tables, &table, err);
    if (status != QUIPU_OK)
        return status;
    const size_t bytes = (profile->rows.count + 1) * sizeof(struct shown);
    struct shown *rows = quipu__alloc(&profile->memory, bytes);
    if (!rows)
        return quipu__no_memory(err, bytes);
    status = show(profile, rows, table, err);
    quipu__release(&profile->memory, rows, bytes);
    return status == QUIPU_OK ? quipu__memory_status(&profile->memory, err) : status;
}
