/* compare_rows.c: rows of an answer become values of objects that both traces may have. */
#include "analysis/compare.h"

#include "core/text.h"
#include "model/event.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 256, WHAT_BYTES = 2 * NAME_BYTES + 32 };

/* ---- Rows ---- */

static bool is_row(const struct quipu__compared *row, size_t measure, const char *what, int64_t rank) {
    return row->measure == measure && row->rank == rank && strcmp(row->what, what) == 0;
}

static uint32_t add_row(struct quipu__comparison *comparison, uint64_t hash, struct quipu__compared row) {
    const char *what = quipu__arena_text(&comparison->texts, row.what, strlen(row.what));
    struct quipu__compared *added = what ? QUIPU__VEC_ADD(&comparison->memory, &comparison->rows) : NULL;
    const uint32_t number = (uint32_t)(comparison->rows.count - 1);
    if (!added || !quipu__map_put(&comparison->row_of, hash, number))
        return QUIPU_NONE;
    *added = row;
    added->what = what;
    added->of_all = number;
    return number;
}

uint32_t quipu__comparison_row(struct quipu__comparison *comparison, size_t measure, const char *what,
                               int64_t rank) {
    const uint64_t numbers[] = {measure, (uint64_t)rank,
                                quipu__hash(what, strlen(what), comparison->row_of.seed)};
    uint64_t hash = quipu__hash(numbers, sizeof numbers, comparison->row_of.seed);
    for (;; hash++) {
        const uint32_t number = quipu__map_get(&comparison->row_of, hash);
        if (number == QUIPU_NONE)
            return add_row(comparison, hash,
                           (struct quipu__compared){.what = what, .measure = measure, .rank = rank});
        if (is_row(&comparison->rows.items[number], measure, what, rank))
            return number;
    }
}

static uint32_t add_value(struct quipu__comparison *comparison, int side, size_t measure, const char *what,
                          int64_t rank, int64_t value) {
    const uint32_t number = quipu__comparison_row(comparison, measure, what, rank);
    if (number != QUIPU_NONE)
        comparison->rows.items[number].values[side] += value;
    return number;
}

/* ---- Names of locations ---- */

/* The locations of a trace: their ranks, and which one a table means by a name and the format's number. */
struct locations {
    struct quipu__memory *memory;
    const struct quipu_definitions *definitions;
    QUIPU__VEC(int64_t) ranks; /* -1: none */
    struct quipu__map numbers;
};

static uint64_t location_hash(const struct locations *locations, const char *name, uint64_t native_id) {
    const uint64_t numbers[] = {native_id, quipu__hash(name, strlen(name), locations->numbers.seed)};
    return quipu__hash(numbers, sizeof numbers, locations->numbers.seed);
}

/* As tables print it. */
static void put_name(const struct quipu_location *location, char out[NAME_BYTES]) {
    if (location->name[0])
        snprintf(out, NAME_BYTES, "%s", location->name);
    else
        snprintf(out, NAME_BYTES, "%" PRIu64, location->native_id);
}

/* Where no location has a rank, processes have their order. */
static void add_ranks(struct locations *locations) {
    const struct quipu_locations *list = &locations->definitions->locations;
    bool has_ranks = false;
    int64_t count = 0;
    for (uint32_t i = 0; i < list->count; i++)
        has_ranks = has_ranks || list->items[i].rank >= 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const bool is_counted = !has_ranks && list->items[i].kind == QUIPU_LOCATION_PROCESS;
        int64_t *rank = QUIPU__VEC_ADD(locations->memory, &locations->ranks);
        if (rank)
            *rank = is_counted ? count++ : list->items[i].rank;
    }
}

static void locations_init(struct locations *locations, struct quipu__memory *memory,
                           const struct quipu_definitions *definitions) {
    *locations = (struct locations){.memory = memory, .definitions = definitions};
    quipu__map_init(&locations->numbers, memory);
    add_ranks(locations);
    for (uint32_t i = definitions->locations.count; i-- > 0;) {
        const struct quipu_location *location = &definitions->locations.items[i];
        char name[NAME_BYTES];
        put_name(location, name);
        quipu__gate_knows(
            quipu__map_put(&locations->numbers, location_hash(locations, name, location->native_id), i));
    }
}

static void locations_release(struct locations *locations) {
    QUIPU__VEC_RELEASE(locations->memory, &locations->ranks);
    quipu__map_release(&locations->numbers);
}

static uint32_t location_find(const struct locations *locations, const char *name, uint64_t native_id) {
    char cut[NAME_BYTES];
    snprintf(cut, sizeof cut, "%s", name);
    return quipu__map_get(&locations->numbers, location_hash(locations, cut, native_id));
}

/* Threads have the rank of their process. */
static int64_t rank_of(const struct locations *locations, uint32_t location) {
    const uint32_t process = quipu__process_of(locations->definitions, location);
    if (location >= locations->ranks.count || process >= locations->ranks.count)
        return -1;
    const int64_t own = locations->ranks.items[location];
    return own >= 0 ? own : locations->ranks.items[process];
}

/* Traces may call locations as they like; their ranks are the same. */
static void put_location(const struct locations *locations, uint32_t location, const char *name,
                         char out[NAME_BYTES]) {
    const int64_t rank = rank_of(locations, location);
    if (rank >= 0)
        snprintf(out, NAME_BYTES, "rank %" PRId64, rank);
    else
        snprintf(out, NAME_BYTES, "%s", name);
}

/* ---- Definitions ---- */

static size_t measure_of(enum quipu__compare_source source) {
    size_t measure = 0;
    while (quipu__compare_measures[measure].source != source)
        measure++;
    return measure;
}

/* Names count once however often they are defined. */
static void add_name(struct quipu__comparison *comparison, int side, enum quipu__compare_source source,
                     const char *name) {
    const uint32_t number =
        name[0] ? quipu__comparison_row(comparison, measure_of(source), name, -1) : QUIPU_NONE;
    if (number != QUIPU_NONE)
        comparison->rows.items[number].values[side] = 1;
}

void quipu__comparison_add_definitions(struct quipu__comparison *comparison, int side,
                                       const struct quipu_definitions *definitions) {
    struct locations locations;
    char own[NAME_BYTES], name[NAME_BYTES];
    locations_init(&locations, &comparison->memory, definitions);
    for (uint32_t i = 0; i < definitions->regions.count; i++)
        add_name(comparison, side, QUIPU__COMPARE_regions, definitions->regions.items[i].name);
    for (uint32_t i = 0; i < definitions->groups.count; i++)
        if (definitions->groups.items[i].is_communicator)
            add_name(comparison, side, QUIPU__COMPARE_communicators, definitions->groups.items[i].name);
    for (uint32_t i = 0; i < definitions->locations.count; i++) {
        put_name(&definitions->locations.items[i], own);
        put_location(&locations, i, own, name);
        add_name(comparison, side, QUIPU__COMPARE_locations, name);
    }
    locations_release(&locations);
}

/* ---- Tables ---- */

/* A table while its rows are added. */
struct added_table {
    struct quipu__comparison *comparison;
    const struct quipu__compare_source_row *source;
    struct locations locations;
    const struct quipu_table *table;
    enum quipu__compare_source number;
    int side;
};

static int64_t number_at(const struct quipu_table *table, size_t row, size_t column) {
    const struct quipu_cell *cell = quipu_table_at(table, row, column);
    return cell->is_null ? 0 : cell->i;
}

/* The location in a column, whose native number is in the next one named after it. */
static uint32_t location_at(const struct added_table *added, size_t row, const char *column) {
    char id[NAME_BYTES];
    snprintf(id, sizeof id, "%s_id", column);
    const size_t id_column = quipu_table_column_find(added->table, id);
    const struct quipu_cell *name =
        quipu_table_at(added->table, row, quipu_table_column_find(added->table, column));
    if (name->is_null || id_column == SIZE_MAX)
        return QUIPU_NONE;
    return location_find(&added->locations, name->text, (uint64_t)number_at(added->table, row, id_column));
}

/* A key as it is the same in both traces. */
static void put_key(const struct added_table *added, size_t row, const char *name, char out[NAME_BYTES]) {
    const size_t column = name[0] ? quipu_table_column_find(added->table, name) : SIZE_MAX;
    out[0] = '\0';
    if (column == SIZE_MAX)
        return;
    const struct quipu_cell *cell = quipu_table_at(added->table, row, column);
    if (quipu_table_column_at(added->table, column)->type != QUIPU_TYPE_TEXT)
        snprintf(out, NAME_BYTES, "%" PRId64, cell->i);
    else if (cell->is_null)
        snprintf(out, NAME_BYTES, "(no region)");
    else if (added->source->keys_are_locations)
        put_location(&added->locations, location_at(added, row, name), cell->text, out);
    else
        snprintf(out, NAME_BYTES, "%s", cell->text);
}

static void add_values(const struct added_table *added, size_t row, const char *what, int64_t rank) {
    for (size_t i = 0; i < QUIPU__COMPARE_MEASURES; i++) {
        const struct quipu__compare_measure_row *measure = &quipu__compare_measures[i];
        if (measure->source != added->number)
            continue;
        const int64_t value =
            number_at(added->table, row, quipu_table_column_find(added->table, measure->column));
        const uint32_t of_all = add_value(added->comparison, added->side, i, what, -1, value);
        const uint32_t own =
            rank >= 0 ? add_value(added->comparison, added->side, i, what, rank, value) : QUIPU_NONE;
        if (own != QUIPU_NONE)
            added->comparison->rows.items[own].of_all = of_all;
    }
}

static void add_table_row(const struct added_table *added, size_t row) {
    char keys[2][NAME_BYTES], what[WHAT_BYTES];
    const char *location = added->source->location;
    for (int i = 0; i < 2; i++)
        put_key(added, row, added->source->keys[i], keys[i]);
    const struct quipu__placeholder placeholders[] = {{"1", keys[0]}, {"2", keys[1]}};
    quipu__text_fill(what, sizeof what, added->source->what, placeholders, 2);
    const uint32_t found = location[0] ? location_at(added, row, location) : QUIPU_NONE;
    add_values(added, row, what, found == QUIPU_NONE ? -1 : rank_of(&added->locations, found));
}

void quipu__comparison_add_table(struct quipu__comparison *comparison, int side,
                                 enum quipu__compare_source source, const struct quipu_definitions *definitions,
                                 const struct quipu_table *table) {
    struct added_table added = {.comparison = comparison,
                                .source = &quipu__compare_sources[source],
                                .table = table,
                                .number = source,
                                .side = side};
    locations_init(&added.locations, &comparison->memory, definitions);
    for (size_t row = 0; row < quipu_table_row_count(table); row++)
        add_table_row(&added, row);
    locations_release(&added.locations);
}
