/* table.c: the profile as a table: its columns, and the cells of its rows. */
#include "analysis/profile/rows.h"

#include "analysis/shared/between.h"
#include "analysis/shared/call_sites.h"
#include "analysis/shared/path_text.h"
#include "analysis/shared/unfinished_calls.h"
#include "core/error.h"
#include "model/event.h"
#include "table/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== Rows ====
 *
 * Which rows of the fold are one row of the table. Rows are counted per location and region; what is asked for puts some of them together: the threads of a
 * process, the processes of a host, the regions of a group, or all locations.
 */

/* ---- What rows are of ---- */

/* The host of a location, or of what it belongs to; NULL when it is not known. */
static const char *host_of(const struct quipu__profile *profile, uint32_t number) {
    const struct quipu_location *location = quipu__profile_location_at(profile, number);
    for (uint32_t steps = 0; location && steps < profile->definitions->locations.count; steps++) {
        if (location->host[0])
            return location->host;
        if (location->kind == QUIPU_LOCATION_NODE)
            return location->name;
        location = quipu__profile_location_at(profile, location->parent);
    }
    return NULL;
}

static const char *group_of(const struct quipu__profile *profile, uint32_t number) {
    static const char *const roles[] = {
#define QUIPU_REGION_ROLE(name, text, doc) text,
#include <quipu/region_roles.def>
#undef QUIPU_REGION_ROLE
    };
    const struct quipu_region *region = quipu__profile_region_at(profile, number);
    if (!region)
        return NULL;
    return region->group[0] ? region->group : roles[region->role];
}

static bool is_mpi(const struct quipu__profile *profile, uint32_t number) {
    const struct quipu_region *region = quipu__profile_region_at(profile, number);
    return region && region->role >= QUIPU_REGION_MPI_P2P && region->role <= QUIPU_REGION_MPI_OTHER;
}

static struct quipu__profile_key key_of(const struct quipu__profile *profile, uint32_t number) {
    const struct quipu__profile_row *row = &profile->rows.items[number];
    struct quipu__profile_key key = {.profile = profile,
                                     .location = QUIPU_NONE,
                                     .source = QUIPU_NONE,
                                     .region = quipu__profile_region_of(profile, row->region),
                                     .row = number};
    switch (profile->by) {
    case QUIPU__PROFILE_BY_process:
        key.location = quipu__process_of(profile->definitions, row->location);
        break;
    case QUIPU__PROFILE_BY_host:
        key.text = host_of(profile, row->location);
        break;
    case QUIPU__PROFILE_BY_group:
        key.text = group_of(profile, key.region);
        key.region = QUIPU_NONE;
        break;
    case QUIPU__PROFILE_BY_mpi:
        key.location = row->location;
        key.region = QUIPU_NONE;
        break;
    case QUIPU__PROFILE_BY_path:
        key.path = row->region == QUIPU_NONE ? QUIPU__NO_CALLS : row->region;
        break;
    case QUIPU__PROFILE_BY_callsite:
        key.source = quipu__profile_source_of(profile, row->region);
        break;
    case QUIPU__PROFILE_BY_phase:
        key.phase = quipu__profile_phase_of(profile, row->region, &key.annotation);
        break;
    case QUIPU__PROFILE_BY_between:
        key.phase = quipu__profile_between_of(profile, row->region, &key.annotation);
        key.region = QUIPU_NONE;
        break;
    default:
        key.location = profile->by == QUIPU__PROFILE_BY_location ? row->location : QUIPU_NONE;
        break;
    }
    return key;
}

/* ---- The order of keys ---- */

#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

static int compare_texts(const char *a, const char *b) {
    return a && b ? strcmp(a, b) : (a == NULL) - (b == NULL);
}

/* 0: one row of the table. */
static int compare_keys(const struct quipu__profile_key *x, const struct quipu__profile_key *y) {
    const int texts = x->text == y->text ? 0 : compare_texts(x->text, y->text);
    if (texts != 0)
        return texts;
    if (x->position != y->position)
        return COMPARE(x->position, y->position);
    if (x->phase != y->phase || x->annotation != y->annotation)
        return x->phase != y->phase ? COMPARE(x->phase, y->phase) : COMPARE(x->annotation, y->annotation);
    if (x->source != y->source)
        return COMPARE(x->source, y->source);
    return x->location != y->location ? COMPARE(x->location, y->location) : COMPARE(x->region, y->region);
}

static uint32_t location_of(const struct quipu__profile_key *key) {
    return key->profile->rows.items[key->row].location;
}

/* Keys of one row lie side by side, those of a location too. */
static int in_order(const void *a, const void *b) {
    const struct quipu__profile_key *x = a, *y = b;
    const int keys = compare_keys(x, y);
    return keys != 0 ? keys : COMPARE(location_of(x), location_of(y));
}

/* ---- All rows ---- */

/* Rows come in the order in which threads have found them, which must not matter: the sum is exact until the end. */
static double total_time(const struct quipu__profile *profile) {
    int64_t high = 0;
    uint64_t low = 0;
    for (size_t i = 0; i < profile->rows.count; i++) {
        const uint64_t time = profile->rows.items[i].values[QUIPU__PROFILE_exclusive_ns];
        high += (int64_t)(time >> 32) - ((time >> 63) != 0 ? INT64_C(1) << 32 : 0);
        low += time & UINT32_MAX;
    }
    return (double)high * 4294967296.0 + (double)low;
}

/* Locations that have rows; their keys are in any order. */
static enum quipu_status count_locations(struct quipu__profile_whole *whole, size_t keys,
                                         struct quipu_error *err) {
    const uint32_t defined = whole->profile->definitions->locations.count;
    const size_t bytes = defined + (size_t)1; /* one for all that are not defined */
    uint8_t *seen = quipu__alloc_zero(whole->memory, bytes);
    if (!seen)
        return quipu__no_memory(err, bytes);
    for (size_t i = 0; i < keys; i++) {
        const uint32_t location = location_of(&whole->keys[i]);
        uint8_t *mark = &seen[location < defined ? location : defined];
        whole->locations += *mark == 0;
        *mark = 1;
    }
    quipu__release(whole->memory, seen, bytes);
    return QUIPU_OK;
}

/* Where rows of the table begin. */
static void find_firsts(struct quipu__profile_whole *whole, size_t keys) {
    for (size_t i = 0; i < keys; i++)
        if (i == 0 || compare_keys(&whole->keys[i - 1], &whole->keys[i]) != 0)
            whole->firsts[whole->count++] = (uint32_t)i;
    whole->firsts[whole->count] = (uint32_t)keys;
}

static size_t key_bytes(const struct quipu__profile *profile) {
    return (profile->rows.count + 1) * sizeof(struct quipu__profile_key);
}

static size_t first_bytes(const struct quipu__profile *profile) {
    return (profile->rows.count + 1) * sizeof(uint32_t);
}

/* Not what begins where the window ends or ends where it begins. With MPI there are rows of locations with calls only, which have a row in
 * every window that they live in. */
static bool is_shown(const struct quipu__profile *profile, const struct quipu__profile_row *row) {
    bool is_shown = false;
    for (size_t i = 0; i < QUIPU__PROFILE_COUNT; i++)
        is_shown |= row->values[i] != 0;
    if (profile->by != QUIPU__PROFILE_BY_mpi)
        return is_shown;
    return row->region != QUIPU_NONE && (is_shown || quipu__profile_lifetime(profile, row->location) > 0);
}

/* Says where the paths of keys are among all paths. */
static enum quipu_status find_positions(struct quipu__profile_whole *whole, size_t keys,
                                        struct quipu_error *err) {
    const struct quipu__profile *profile = whole->profile;
    if (profile->by != QUIPU__PROFILE_BY_path)
        return QUIPU_OK;
    const struct quipu__call_paths *paths = &profile->scope->paths;
    uint32_t *positions = quipu__call_path_positions(paths, NULL, NULL);
    if (!positions)
        return quipu__no_memory(err, paths->list.count * sizeof *positions);
    for (size_t i = 0; i < keys; i++)
        whole->keys[i].position = positions[whole->keys[i].path];
    quipu__call_path_positions_release(paths, positions);
    return QUIPU_OK;
}

/* Finds the rows of the table and what they are compared with; profile, memory and text are set. Release in any case. */
static enum quipu_status whole_init(struct quipu__profile_whole *whole, struct quipu_error *err) {
    const struct quipu__profile *profile = whole->profile;
    size_t keys = 0;
    whole->keys = quipu__alloc(whole->memory, key_bytes(profile));
    whole->firsts = quipu__alloc(whole->memory, first_bytes(profile));
    if (!whole->keys || !whole->firsts)
        return quipu__no_memory(err, key_bytes(profile));
    for (uint32_t i = 0; i < profile->rows.count; i++)
        if (is_shown(profile, &profile->rows.items[i]))
            whole->keys[keys++] = key_of(profile, i);
    const enum quipu_status status = find_positions(whole, keys, err);
    if (status != QUIPU_OK)
        return status;
    if (keys > 0)
        qsort(whole->keys, keys, sizeof *whole->keys, in_order);
    find_firsts(whole, keys);
    whole->time = total_time(profile);
    return count_locations(whole, keys, err);
}

static void whole_release(struct quipu__profile_whole *whole) {
    quipu__release(whole->memory, whole->keys, key_bytes(whole->profile));
    quipu__release(whole->memory, whole->firsts, first_bytes(whole->profile));
}

/* ---- A row ---- */

static bool can_add(const struct quipu__profile_row *total, const struct quipu__profile_row *row,
                    enum quipu__profile_value value) {
    const int64_t before = (int64_t)total->values[value], more = (int64_t)row->values[value];
    return more <= 0 || before <= INT64_MAX - more;
}

/* Adds up a row. */
static struct quipu__profile_shown shown_at(const struct quipu__profile_whole *whole, size_t row) {
    const struct quipu__profile *profile = whole->profile;
    const struct quipu__profile_key *key = &whole->keys[whole->firsts[row]],
                                    *end = &whole->keys[whole->firsts[row + 1]];
    struct quipu__profile_shown shown = {.key = *key,
                                         .values = {.shortest = INT64_MAX, .longest = INT64_MIN},
                                         .has_exclusive = true,
                                         .has_inclusive = true};
    while (key < end) {
        const uint32_t location = location_of(key);
        uint64_t exclusive = 0; /* of the location */
        for (; key < end && location_of(key) == location; key++) {
            const struct quipu__profile_row *values = &profile->rows.items[key->row];
            const uint64_t time = values->values[QUIPU__PROFILE_exclusive_ns];
            shown.has_exclusive &= can_add(&shown.values, values, QUIPU__PROFILE_exclusive_ns);
            shown.has_inclusive &= can_add(&shown.values, values, QUIPU__PROFILE_inclusive_ns);
            quipu__profile_add_values(&shown.values, values);
            exclusive += time;
            shown.mpi += is_mpi(profile, quipu__profile_region_of(profile, values->region)) ? time : 0;
        }
        shown.most = (int64_t)exclusive > (int64_t)shown.most ? exclusive : shown.most;
        shown.lifetime = quipu__profile_lifetime(profile, location);
        shown.locations++;
    }
    return shown;
}

/* ==== The table ==== */

/* ---- Columns ---- */

enum column {
#define PROFILE_COLUMN(name, ...) COLUMN_##name,
#include "analysis/profile/columns.def"
#undef PROFILE_COLUMN
    COLUMN_COUNT
};

#define Y(...) {__VA_ARGS__},
#define N(...)

static const struct quipu_table_column columns_by_location[] = {
#define PROFILE_COLUMN(name, type, unit, doc, location, ...) location(#name, QUIPU_TYPE_##type, unit, doc)
#include "analysis/profile/columns.def"
#undef PROFILE_COLUMN
};
static const struct quipu_table_column columns_by_region[] = {
#define PROFILE_COLUMN(name, type, unit, doc, location, region, ...) region(#name, QUIPU_TYPE_##type, unit, doc)
#include "analysis/profile/columns.def"
#undef PROFILE_COLUMN
};
static const struct quipu_table_column columns_by_process[] = {
#define PROFILE_COLUMN(name, type, unit, doc, location, region, process, ...)                                  \
    process(#name, QUIPU_TYPE_##type, unit, doc)
#include "analysis/profile/columns.def"
#undef PROFILE_COLUMN
};
static const struct quipu_table_column columns_by_host[] = {
#define PROFILE_COLUMN(name, type, unit, doc, location, region, process, host, ...)                            \
    host(#name, QUIPU_TYPE_##type, unit, doc)
#include "analysis/profile/columns.def"
#undef PROFILE_COLUMN
};
static const struct quipu_table_column columns_by_group[] = {
#define PROFILE_COLUMN(name, type, unit, doc, location, region, process, host, group, ...)                     \
    group(#name, QUIPU_TYPE_##type, unit, doc)
#include "analysis/profile/columns.def"
#undef PROFILE_COLUMN
};
static const struct quipu_table_column columns_by_path[] = {
#define PROFILE_COLUMN(name, type, unit, doc, location, region, process, host, group, mpi, path, ...)          \
    path(#name, QUIPU_TYPE_##type, unit, doc)
#include "analysis/profile/columns.def"
#undef PROFILE_COLUMN
};
static const struct quipu_table_column columns_by_phase[] = {
#define PROFILE_COLUMN(name, type, unit, doc, location, region, process, host, group, mpi, path, phase, ...)   \
    phase(#name, QUIPU_TYPE_##type, unit, doc)
#include "analysis/profile/columns.def"
#undef PROFILE_COLUMN
};
static const struct quipu_table_column columns_by_between[] = {
#define PROFILE_COLUMN(name, type, unit, doc, location, region, process, host, group, mpi, path, phase,        \
                       between, ...)                                                                           \
    between(#name, QUIPU_TYPE_##type, unit, doc)
#include "analysis/profile/columns.def"
#undef PROFILE_COLUMN
};
static const struct quipu_table_column columns_of_tree[] = {
#define PROFILE_COLUMN(name, type, unit, doc, location, region, process, host, group, mpi, path, phase,        \
                       between, callsite, tree)                                                                \
    tree(#name, QUIPU_TYPE_##type, unit, doc)
#include "analysis/profile/columns.def"
#undef PROFILE_COLUMN
};
static const struct quipu_table_column columns_by_callsite[] = {
#define PROFILE_COLUMN(name, type, unit, doc, location, region, process, host, group, mpi, path, phase,        \
                       between, callsite, ...)                                                                 \
    callsite(#name, QUIPU_TYPE_##type, unit, doc)
#include "analysis/profile/columns.def"
#undef PROFILE_COLUMN
};
static const struct quipu_table_column columns_by_mpi[] = {
#define PROFILE_COLUMN(name, type, unit, doc, location, region, process, host, group, mpi, ...)                \
    mpi(#name, QUIPU_TYPE_##type, unit, doc)
#include "analysis/profile/columns.def"
#undef PROFILE_COLUMN
};
#undef Y
#undef N

#define COUNT(columns) (sizeof(columns) / sizeof(columns)[0])

const struct quipu_analysis_table quipu__profile_tables[QUIPU__PROFILE_TABLES] = {
    {"profile", "a row per location and region", columns_by_location, COUNT(columns_by_location)},
    {"profile", "a row per region", columns_by_region, COUNT(columns_by_region)},
    {"profile", "a row per process and region", columns_by_process, COUNT(columns_by_process)},
    {"profile", "a row per host and region", columns_by_host, COUNT(columns_by_host)},
    {"profile", "a row per group of regions", columns_by_group, COUNT(columns_by_group)},
    {"profile", "a row per location", columns_by_mpi, COUNT(columns_by_mpi)},
    {"profile", "a row per path of calls", columns_by_path, COUNT(columns_by_path)},
    {"profile", "a row per phase and region", columns_by_phase, COUNT(columns_by_phase)},
    {"profile", "a row per pair of calls around time outside of any", columns_by_between,
     COUNT(columns_by_between)},
    {"profile", "a row per call site and region", columns_by_callsite, COUNT(columns_by_callsite)},
    {"profile", "a row per path of calls, below the one that it continues", columns_of_tree,
     COUNT(columns_of_tree)},
    {"counters",
     "with --counters: what each counter counts, a row per region at each location, per region or per path",
     quipu__counted_columns, QUIPU__COUNTED_COLUMNS},
};

/* The column of that name; every table names its columns by them. */
static enum column column_of(const char *name) {
    static const char *const names[] = {
#define PROFILE_COLUMN(name, ...) #name,
#include "analysis/profile/columns.def"
#undef PROFILE_COLUMN
    };
    unsigned column = 0;
    while (strcmp(names[column], name) != 0)
        column++;
    return (enum column)column;
}

/* ---- Cells ---- */

static struct quipu_cell text_cell(const char *text) {
    return (struct quipu_cell){.is_null = !text, .text = text};
}

/* A definition without a name is called by its native number. */
static struct quipu_cell name_cell(const char *name, uint64_t native_id, char text[32]) {
    if (name[0])
        return text_cell(name);
    snprintf(text, 32, "%" PRIu64, native_id);
    return text_cell(text);
}

static struct quipu_cell native_id_cell(uint64_t native_id) {
    return (struct quipu_cell){.is_null = native_id == QUIPU_UNKNOWN, .i = (int64_t)native_id};
}

static struct quipu_cell location_cell(const struct quipu__profile_whole *whole,
                                       const struct quipu__profile_shown *row, char text[32]) {
    const struct quipu_location *location = quipu__profile_location_at(whole->profile, row->key.location);
    return location ? name_cell(location->name, location->native_id, text) : text_cell(NULL);
}

static struct quipu_cell region_cell(const struct quipu__profile_whole *whole,
                                     const struct quipu__profile_shown *row, char text[32]) {
    const struct quipu_region *region = quipu__profile_region_at(whole->profile, row->key.region);
    return region ? name_cell(region->name, region->native_id, text) : text_cell(NULL);
}

static struct quipu_cell time_cell(const struct quipu__profile_whole *whole, uint64_t ticks) {
    return (struct quipu_cell){.i = quipu_clock_ns(&whole->profile->definitions->clock, (int64_t)ticks)};
}

/* A quotient with two decimals; null where there is no whole. */
static struct quipu_cell ratio_cell(double value, double of) {
    if (!(of > 0))
        return (struct quipu_cell){.is_null = true, .f = 0};
    return (struct quipu_cell){.f = floor(value / of * 100 + 0.5) / 100};
}

static struct quipu_cell mean_cell(const struct quipu__profile_whole *whole,
                                   const struct quipu__profile_shown *row) {
    const uint64_t calls = row->values.values[QUIPU__PROFILE_calls];
    const int64_t ns = time_cell(whole, row->values.values[QUIPU__PROFILE_inclusive_ns]).i;
    if (calls == 0 || !row->has_inclusive)
        return (struct quipu_cell){.is_null = true, .i = 0};
    return (struct quipu_cell){.i = calls > INT64_MAX ? 0 : ns / (int64_t)calls};
}

/* Null when no call has ended. */
static struct quipu_cell duration_cell(const struct quipu__profile_whole *whole,
                                       const struct quipu__profile_shown *row, int64_t ticks) {
    return row->values.shortest > row->values.longest ? (struct quipu_cell){.is_null = true, .i = 0}
                                                      : time_cell(whole, (uint64_t)ticks);
}

/* Calls around the innermost one of a path. */
static uint32_t depth_of(const struct quipu__profile_whole *whole, const struct quipu__profile_shown *row) {
    const uint32_t depth = whole->profile->scope->paths.list.items[row->key.path].depth;
    return depth > 0 ? depth - 1 : 0;
}

static struct quipu_cell imbalance_cell(const struct quipu__profile_whole *whole,
                                        const struct quipu__profile_shown *row) {
    const double total = (double)(int64_t)row->values.values[QUIPU__PROFILE_exclusive_ns];
    return ratio_cell((double)(int64_t)row->most * whole->locations, total);
}

static struct quipu_cell annotation_cell(const struct quipu__profile_whole *whole,
                                         const struct quipu__profile_shown *row, char text[32]) {
    const struct quipu_definitions *definitions = whole->profile->definitions;
    const uint32_t number = row->key.annotation & ~QUIPU__PROFILE_MARKER;
    if (row->key.annotation & QUIPU__PROFILE_MARKER)
        return number < definitions->markers.count
                   ? name_cell(definitions->markers.items[number].name,
                               definitions->markers.items[number].native_id, text)
                   : text_cell(NULL);
    const struct quipu_region *region = quipu__profile_region_at(whole->profile, number);
    return region ? name_cell(region->name, region->native_id, text) : text_cell(NULL);
}

static struct quipu_cell between_cell(const struct quipu__profile_whole *whole,
                                      const struct quipu__profile_shown *row) {
    char text[QUIPU__CALLS_AROUND_BYTES];
    const struct quipu__calls_around calls = {row->key.phase, row->key.annotation};
    if (!quipu__calls_around_text(whole->profile->definitions, calls, text))
        return text_cell(NULL);
    whole->text->len = 0;
    quipu__put(whole->text, text, strlen(text) + 1);
    return whole->text->failed ? text_cell(NULL) : text_cell((const char *)whole->text->data);
}

/* The texts of paths are made in a buffer of the whole table; each is copied before the next one is made. */
static struct quipu_cell path_cell(const struct quipu__profile_whole *whole,
                                   const struct quipu__profile_shown *row) {
    const struct quipu__profile *profile = whole->profile;
    if (row->key.path == QUIPU__NO_CALLS)
        return text_cell(NULL);
    quipu__path_text(&profile->scope->paths, profile->definitions, row->key.path, whole->text);
    return whole->text->failed ? text_cell(NULL) : text_cell((const char *)whole->text->data);
}

static const struct quipu_source *source_at(const struct quipu__profile_whole *whole,
                                            const struct quipu__profile_shown *row) {
    const struct quipu_sources *sources = &whole->profile->definitions->sources;
    return row->key.source < sources->count ? &sources->items[row->key.source] : NULL;
}

static struct quipu_cell text_in_source_cell(const struct quipu_source *source, enum column column) {
    const char *text = column == COLUMN_file ? source->file : source->function;
    return text_cell(text[0] ? text : NULL);
}

/* The texts of call sites are made in the buffer of those of paths, and those of their callers in one of their own. */
static struct quipu_cell source_cell(const struct quipu__profile_whole *whole,
                                     const struct quipu__profile_shown *row, enum column column) {
    const struct quipu_definitions *definitions = whole->profile->definitions;
    const struct quipu_source *source = source_at(whole, row);
    if (!source)
        return text_cell(NULL);
    if (column == COLUMN_file || column == COLUMN_function)
        return text_in_source_cell(source, column);
    struct quipu__buffer *text = column == COLUMN_callsite ? whole->text : whole->callers;
    text->len = 0;
    if (column == COLUMN_callsite)
        quipu__put_call_site(text, definitions, row->key.source);
    else
        quipu__put_callers(text, definitions, row->key.source);
    const bool is_empty = text->len == 0;
    quipu__put(text, "", 1);
    return is_empty || text->failed ? text_cell(NULL) : text_cell((const char *)text->data);
}

static struct quipu_cell tree_cell(const struct quipu__profile_whole *whole,
                                   const struct quipu__profile_shown *row) {
    enum { INDENT = 2, DEPTH_MOST = 64 };
    char number[32];
    const uint32_t depth = depth_of(whole, row);
    const struct quipu_cell name = region_cell(whole, row, number);
    if (name.is_null)
        return name;
    whole->text->len = 0;
    quipu__put_format(whole->text, "%*s%s", (int)(depth < DEPTH_MOST ? depth : DEPTH_MOST) * INDENT, "",
                      name.text);
    quipu__put(whole->text, "", 1);
    return whole->text->failed ? text_cell(NULL) : text_cell((const char *)whole->text->data);
}

static struct quipu_cell location_id_cell(const struct quipu__profile_whole *whole,
                                          const struct quipu__profile_shown *row) {
    const struct quipu_location *location = quipu__profile_location_at(whole->profile, row->key.location);
    return native_id_cell(location ? location->native_id : QUIPU_UNKNOWN);
}

static struct quipu_cell region_id_cell(const struct quipu__profile_whole *whole,
                                        const struct quipu__profile_shown *row) {
    const struct quipu_region *region = quipu__profile_region_at(whole->profile, row->key.region);
    return native_id_cell(region ? region->native_id : QUIPU_UNKNOWN);
}

static bool is_known(const struct quipu__profile_shown *row, enum column column) {
    switch (column) {
    case COLUMN_inclusive_ns:
    case COLUMN_inclusive_percent:
        return row->has_inclusive;
    case COLUMN_exclusive_ns:
    case COLUMN_share_percent:
    case COLUMN_imbalance:
        return row->has_exclusive;
    default:
        return true;
    }
}

/* A column that is counted; times are shown in nanoseconds. */
static struct quipu_cell value_cell(const struct quipu__profile_whole *whole,
                                    const struct quipu__profile_shown *row, enum quipu__profile_value value) {
    const uint64_t number = row->values.values[value];
    return value == QUIPU__PROFILE_inclusive_ns || value == QUIPU__PROFILE_exclusive_ns
               ? time_cell(whole, number)
               : (struct quipu_cell){.u = number};
}

/* All that passes at a location; where not all calls count, what passes in those that do. */
static uint64_t time_of(const struct quipu__profile_whole *whole, const struct quipu__profile_shown *row) {
    return whole->profile->scope ? row->values.values[QUIPU__PROFILE_exclusive_ns] : row->lifetime;
}

/* A column that follows from what is counted. */
static struct quipu_cell derived_cell(const struct quipu__profile_whole *whole,
                                      const struct quipu__profile_shown *row, enum column column) {
    const uint64_t exclusive = row->values.values[QUIPU__PROFILE_exclusive_ns];
    switch (column) {
    case COLUMN_inclusive_percent:
        return ratio_cell((double)(int64_t)row->values.values[QUIPU__PROFILE_inclusive_ns] * 100, whole->time);
    case COLUMN_min_ns:
        return duration_cell(whole, row, row->values.shortest);
    case COLUMN_max_ns:
        return duration_cell(whole, row, row->values.longest);
    case COLUMN_phase:
        return (struct quipu_cell){.u = row->key.phase};
    case COLUMN_depth:
        return (struct quipu_cell){.u = depth_of(whole, row)};
    case COLUMN_share_percent:
        return ratio_cell((double)(int64_t)exclusive * 100, whole->time);
    case COLUMN_mpi_percent:
        return ratio_cell((double)(int64_t)row->mpi * 100, (double)(int64_t)time_of(whole, row));
    case COLUMN_time_ns:
        return time_cell(whole, time_of(whole, row));
    case COLUMN_mpi_ns:
        return time_cell(whole, row->mpi);
    case COLUMN_outside_ns:
        return time_cell(whole, time_of(whole, row) - row->mpi);
    case COLUMN_mean_ns:
        return mean_cell(whole, row);
    case COLUMN_imbalance:
        return imbalance_cell(whole, row);
    default:
        return (struct quipu_cell){.u = row->locations};
    }
}

static struct quipu_cell cell_of(const struct quipu__profile_whole *whole,
                                 const struct quipu__profile_shown *row, enum column column, char text[32]) {
    static const uint8_t values[COLUMN_COUNT] = {
#define PROFILE_VALUE(name) [COLUMN_##name] = QUIPU__PROFILE_##name + 1,
#include "analysis/profile/profile.def"
#undef PROFILE_VALUE
    };
    if (!is_known(row, column))
        return (struct quipu_cell){.is_null = true, .u = 0};
    if (values[column] > 0)
        return value_cell(whole, row, (enum quipu__profile_value)(values[column] - 1));
    switch (column) {
    case COLUMN_location:
    case COLUMN_process:
        return location_cell(whole, row, text);
    case COLUMN_region:
    case COLUMN_innermost:
        return region_cell(whole, row, text);
    case COLUMN_path:
        return path_cell(whole, row);
    case COLUMN_tree:
        return tree_cell(whole, row);
    case COLUMN_between:
        return between_cell(whole, row);
    case COLUMN_callsite:
    case COLUMN_callers:
    case COLUMN_function:
    case COLUMN_file:
        return source_cell(whole, row, column);
    case COLUMN_annotation:
        return annotation_cell(whole, row, text);
    case COLUMN_host:
    case COLUMN_group:
        return text_cell(row->key.text);
    case COLUMN_location_id:
        return location_id_cell(whole, row);
    case COLUMN_region_id:
        return region_id_cell(whole, row);
    default:
        return derived_cell(whole, row, column);
    }
}

const struct quipu_analysis_table *quipu__profile_table_of(const struct quipu__profile *profile) {
    if (profile->counted)
        return &quipu__profile_tables[QUIPU__PROFILE_COUNTERS_TABLE];
    return &quipu__profile_tables[profile->is_tree ? QUIPU__PROFILE_TREE_TABLE : (unsigned)profile->by];
}

enum quipu_status quipu__profile_show_row(const struct quipu__profile_whole *whole, size_t row,
                                          struct quipu_table *table, struct quipu_error *err) {
    const size_t count = quipu__profile_table_of(whole->profile)->column_count;
    const struct quipu__profile_shown shown = shown_at(whole, row);
    struct quipu_cell cells[COLUMN_COUNT + 1];
    char texts[COLUMN_COUNT][32];
    *whole->has_all_totals &= shown.has_exclusive && shown.has_inclusive;
    for (size_t i = 0; i < count; i++)
        cells[i] = cell_of(whole, &shown, (enum column)whole->columns[i], texts[i]);
    cells[count] = (struct quipu_cell){.u = row};
    return quipu_table_add(table, cells, err);
}

/* ---- The table ---- */

static enum quipu_status show(struct quipu__profile_whole *whole, struct quipu_table *table,
                              struct quipu_error *err) {
    enum quipu_status status = whole_init(whole, err);
    if (status != QUIPU_OK)
        return status;
    if (whole->profile->is_tree || whole->profile->top < whole->count)
        return quipu__profile_show_first(whole, table, err);
    for (size_t i = 0; i < whole->count && status == QUIPU_OK; i++)
        status = quipu__profile_show_row(whole, i, table, err);
    return status;
}

/* Shares are of the time in calls, which may be a small part of all time. */
static void note_outside(const struct quipu__profile_whole *whole, struct quipu_tables *tables) {
    double all = 0;
    for (uint32_t i = 0; i < quipu__profile_whole_of(whole->profile)->stack_count; i++)
        all += (double)quipu__profile_lifetime(whole->profile, i);
    if (all > 0 && whole->time < all * 0.99 && whole->profile->by != QUIPU__PROFILE_BY_mpi)
        quipu__tables_note_add(
            tables,
            "%.1f %% of the time passes outside of any call, which shares do not count (--by between shows it)",
            100 - 100 * whole->time / all);
}

/* Whether any call says where it was made. */
static void note_call_sites(const struct quipu__profile_whole *whole, struct quipu_tables *tables) {
    bool is_known = whole->count == 0 || whole->profile->by != QUIPU__PROFILE_BY_callsite;
    for (size_t i = 0; i < whole->count && !is_known; i++)
        is_known = whole->keys[whole->firsts[i]].source != QUIPU_NONE;
    if (!is_known)
        quipu__tables_note_add(tables,
                               "no call says where it was made; \"quipu record --callsites\" records it");
}

/* What a selection has cut off is no news. */
static bool note_unfinished(struct quipu__profile *profile, struct quipu_tables *tables) {
    struct quipu__unfinished_counter counter = {.counts = {0, 0}};
    bool has_memory = true;
    for (size_t i = 0; i < profile->rows.count && profile->has_all_calls && has_memory; i++)
        has_memory = quipu__unfinished_calls_add(&counter, &profile->memory, profile->rows.items[i].location,
                                                 profile->rows.items[i].values[QUIPU__PROFILE_unfinished]);
    quipu__unfinished_calls_note(&counter.counts, tables);
    quipu__unfinished_calls_release(&counter, &profile->memory);
    return has_memory;
}

/* Closes what is active, and drops what finds rows: from here on they are only read. */
static void end_calls(struct quipu__profile *profile) {
    quipu__profile_end(profile);
    quipu__map_release(&profile->row_of);
    profile->rows.items[QUIPU__PROFILE_NOWHERE] = profile->rows.items[--profile->rows.count]; /* is not shown */
}

enum quipu_status quipu__profile_finish(void *state, struct quipu_tables *tables, struct quipu_error *err) {
    struct quipu__profile *profile = state;
    const struct quipu_analysis_table *shape = quipu__profile_table_of(profile);
    struct quipu_table *table;
    struct quipu__buffer text, callers;
    uint8_t columns[COLUMN_COUNT];
    enum quipu_status status = quipu__tables_add(tables, shape, &table, err);
    if (status != QUIPU_OK)
        return status;
    if (profile->counted)
        return quipu__counted_finish(profile, table, err);
    end_calls(profile);
    for (size_t i = 0; i < shape->column_count; i++)
        columns[i] = (uint8_t)column_of(shape->columns[i].name);
    quipu__buffer_init(&text, &profile->memory, 0);
    quipu__buffer_init(&callers, &profile->memory, 0);
    bool has_all_totals = true;
    struct quipu__profile_whole whole = {.profile = profile,
                                         .memory = &profile->memory,
                                         .columns = columns,
                                         .text = &text,
                                         .callers = &callers,
                                         .has_all_totals = &has_all_totals};
    status = show(&whole, table, err);
    if (!has_all_totals)
        quipu__tables_note_add(tables, "a total of all locations is no number of 64 bits, and null");
    quipu__gate_knows(note_unfinished(profile, tables));
    note_outside(&whole, tables);
    note_call_sites(&whole, tables);
    whole_release(&whole);
    quipu__buffer_release(&text);
    quipu__buffer_release(&callers);
    return status == QUIPU_OK ? quipu__memory_status(&profile->memory, err) : status;
}
