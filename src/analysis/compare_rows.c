/* compare_rows.c: rows of an answer become values of objects that both traces may have. */
#include "analysis/compare.h"

#include "analysis/answers.h"
#include "analysis/located.h"
#include "core/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = QUIPU__LOCATED_NAME, WHAT_BYTES = 2 * NAME_BYTES + 32 };

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

/* Traces may call locations as they like; their ranks are the same. */
static void put_location(const struct quipu__located *locations, uint32_t location, const char *name,
                         char out[NAME_BYTES]) {
    const int64_t rank = quipu__located_rank(locations, location);
    if (rank >= 0)
        snprintf(out, NAME_BYTES, "rank %" PRId64, rank);
    else
        snprintf(out, NAME_BYTES, "%s", name);
}

/* ---- Definitions ---- */

size_t quipu__comparison_measure_of(enum quipu__compare_source source) {
    size_t measure = 0;
    while (quipu__compare_measures[measure].source != source)
        measure++;
    return measure;
}

/* Names count once however often they are defined. */
static void add_name(struct quipu__comparison *comparison, int side, enum quipu__compare_source source,
                     const char *name) {
    const uint32_t number =
        name[0] ? quipu__comparison_row(comparison, quipu__comparison_measure_of(source), name, -1)
                : QUIPU_NONE;
    if (number != QUIPU_NONE)
        comparison->rows.items[number].values[side] = 1;
}

void quipu__comparison_add_definitions(struct quipu__comparison *comparison, int side,
                                       const struct quipu_definitions *definitions) {
    struct quipu__located locations;
    char own[NAME_BYTES], name[NAME_BYTES];
    quipu__located_init(&locations, &comparison->memory, definitions);
    for (uint32_t i = 0; i < definitions->regions.count; i++)
        add_name(comparison, side, QUIPU__COMPARE_regions, definitions->regions.items[i].name);
    for (uint32_t i = 0; i < definitions->groups.count; i++)
        if (definitions->groups.items[i].is_communicator)
            add_name(comparison, side, QUIPU__COMPARE_communicators, definitions->groups.items[i].name);
    for (uint32_t i = 0; i < definitions->locations.count; i++) {
        quipu__located_name(&definitions->locations.items[i], own);
        put_location(&locations, i, own, name);
        add_name(comparison, side, QUIPU__COMPARE_locations, name);
    }
    quipu__located_release(&locations);
}

/* ---- Tables ---- */

/* A table while its rows are added. */
struct added_table {
    struct quipu__comparison *comparison;
    const struct quipu__compare_source_row *source;
    struct quipu__located locations;
    const struct quipu_table *table;
    enum quipu__compare_source number;
    int side;
};

/* The location in a column, whose native number is in the next one named after it. */
static uint32_t location_at(const struct added_table *added, size_t row, const char *column) {
    char id[NAME_BYTES];
    snprintf(id, sizeof id, "%s_id", column);
    const size_t id_column = quipu_table_column_find(added->table, id);
    const struct quipu_cell *name =
        quipu_table_at(added->table, row, quipu_table_column_find(added->table, column));
    if (name->is_null || id_column == SIZE_MAX)
        return QUIPU_NONE;
    return quipu__located_find(&added->locations, name->text,
                               (uint64_t)quipu__answer_number(added->table, row, id));
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

/* What the value is the median of. */
static void add_samples(const struct added_table *added, size_t row, size_t measure, uint32_t number) {
    const struct quipu__compare_measure_row *info = &quipu__compare_measures[measure];
    if (!info->deviation[0] || number == QUIPU_NONE)
        return;
    struct quipu__compared *compared = &added->comparison->rows.items[number];
    compared->samples[added->side] = quipu__answer_number(added->table, row, info->samples);
    compared->deviations[added->side] = quipu__answer_number(added->table, row, info->deviation);
}

static void add_values(const struct added_table *added, size_t row, const char *what, int64_t rank) {
    for (size_t i = 0; i < QUIPU__COMPARE_MEASURES; i++) {
        const struct quipu__compare_measure_row *measure = &quipu__compare_measures[i];
        if (measure->source != added->number)
            continue;
        const int64_t value = quipu__answer_number(added->table, row, measure->column);
        const uint32_t of_all = add_value(added->comparison, added->side, i, what, -1, value);
        add_samples(added, row, i, of_all);
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
    add_values(added, row, what, found == QUIPU_NONE ? -1 : quipu__located_rank(&added->locations, found));
}

void quipu__comparison_add_table(struct quipu__comparison *comparison, int side,
                                 enum quipu__compare_source source, const struct quipu_definitions *definitions,
                                 const struct quipu_table *table) {
    struct added_table added = {.comparison = comparison,
                                .source = &quipu__compare_sources[source],
                                .table = table,
                                .number = source,
                                .side = side};
    quipu__located_init(&added.locations, &comparison->memory, definitions);
    for (size_t row = 0; row < quipu_table_row_count(table); row++)
        add_table_row(&added, row);
    quipu__located_release(&added.locations);
}
