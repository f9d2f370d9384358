/* compare.c: what differs between two traces. Each trace is asked by the analyses that others ask too, one after the other, so
 * the values are those of their tables. */
#include "analysis/compare/compare.h"

#include "analysis/shared/cells.h"
#include "analysis/shared/located.h"
#include "core/bounded.h"
#include "core/error.h"
#include "core/scale.h"
#include "core/text.h"
#include "trace/reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_listed(const char *list, const char *name, size_t len) {
    while (*list) {
        const size_t word = strcspn(list, ",");
        if (word == len && memcmp(list, name, len) == 0)
            return true;
        list += word + (list[word] == ',');
    }
    return false;
}

/* Calls take long to compare, and all times differ a little. */
static bool is_asked_for(const struct quipu__comparison *comparison, enum quipu__compare_source source) {
    for (size_t i = 0; i < comparison->conditions.count; i++)
        if (quipu__compare_measures[comparison->conditions.items[i].measure].source == source)
            return true;
    return false;
}

/* Whether the levels that were asked for have this one. */
static bool comparison_has_level(const struct quipu__comparison *comparison, const char *level) {
    if (comparison->levels)
        return is_listed(comparison->levels, level, strlen(level));
    return strcmp(level, "calls") != 0 || is_asked_for(comparison, QUIPU__COMPARE_calls);
}

/* ==== Rows ====
 *
 * Rows of an answer become values of objects that both traces may have.
 */

enum { NAME_BYTES = QUIPU__LOCATED_NAME, WHAT_BYTES = 2 * NAME_BYTES + 32 };

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
        comparison->rows.items[number].values[side] =
            quipu__bounded_sum(comparison->rows.items[number].values[side], value);
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

/* Adds the definitions, or the rows of the table that a source names, to the values of a side. */
static void comparison_add_definitions(struct quipu__comparison *comparison, int side,
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

static const struct quipu__compare_source_row compare_sources[QUIPU__COMPARE_SOURCES];

static void comparison_add_table(struct quipu__comparison *comparison, int side,
                                 enum quipu__compare_source source, const struct quipu_definitions *definitions,
                                 const struct quipu_table *table) {
    struct added_table added = {.comparison = comparison,
                                .source = &compare_sources[source],
                                .table = table,
                                .number = source,
                                .side = side};
    quipu__located_init(&added.locations, &comparison->memory, definitions);
    for (size_t row = 0; row < quipu_table_row_count(table); row++)
        add_table_row(&added, row);
    quipu__located_release(&added.locations);
}

/* ==== The table ====
 *
 * What differs, the largest difference first; and on request everything that was compared, level by level.
 */

/* clang-format off */
#define COMPARE_TABLES(TABLE, COLUMN, END) \
    TABLE(DIFFERENCES, "differences", "what differs") \
    COLUMN(DIFFERENCES, level, TEXT, "", "runtime, definitions, profile, waits, comm, phases or calls") \
    COLUMN(DIFFERENCES, what, TEXT, "", "region, pattern of waiting, pair of processes, phase") \
    COLUMN(DIFFERENCES, rank, I64, "", "at this rank only; null: at all locations together") \
    COLUMN(DIFFERENCES, measure, TEXT, "", "what is compared; those that end in _ns are times") \
    COLUMN(DIFFERENCES, a, I64, "", "in the first trace") \
    COLUMN(DIFFERENCES, b, I64, "", "in the second trace") \
    COLUMN(DIFFERENCES, change_ns, I64, "ns", "of times: b less a") \
    COLUMN(DIFFERENCES, change, I64, "", "of others: b less a") \
    COLUMN(DIFFERENCES, percent, F64, "%", "the change as part of a; null where a is 0") \
    COLUMN(DIFFERENCES, samples_a, U64, "", "iterations of the first trace that a is the median of") \
    COLUMN(DIFFERENCES, samples_b, U64, "", "iterations of the second trace that b is the median of") \
    COLUMN(DIFFERENCES, evidence, TEXT, "", "what the judgement relies on") \
    END(DIFFERENCES)
/* clang-format on */
QUIPU__TABLES(COMPARE_TABLES)
static const struct quipu_analysis_table shapes[] = {QUIPU__SHAPES(COMPARE_TABLES)};

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

static void put_percent(const struct quipu__compared *row, bool is_known, struct quipu_table *table) {
    const int64_t a = row->values[0];
    const uint64_t whole = a > 0 ? (uint64_t)a : 0;
    const double size = whole > 0 ? (double)quipu__scale_rounded(size_of_change(row), 10000, whole) / 100 : 0;
    quipu__table_put_f64_if(table, DIFFERENCES_percent, whole > 0 && is_known,
                            row->values[1] < a ? -size : size);
}

static bool are_medians(const struct quipu__compared *row) {
    return row->samples[0] > 0 && row->samples[1] > 0;
}

static void put_evidence(const struct quipu__compared *row, struct quipu_table *table) {
    char text[96];
    const bool is_time = quipu__compare_measures[row->measure].is_time;
    snprintf(text, sizeof text, "%s", is_time ? "one sample" : "counted");
    if (are_medians(row))
        snprintf(text, sizeof text, "median deviations %" PRId64 " and %" PRId64 " ns", row->deviations[0],
                 row->deviations[1]);
    quipu__table_put_text(table, DIFFERENCES_evidence, text);
}

static enum quipu_status put_row(const struct quipu__compared *row, struct quipu_table *table,
                                 struct quipu_error *err) {
    const struct quipu__compare_measure_row *measure = &quipu__compare_measures[row->measure];
    const int64_t a = row->values[0], b = row->values[1], change = quipu__bounded_difference(b, a);
    const bool is_known = a < INT64_MAX && b < INT64_MAX;
    quipu__table_put_text(table, DIFFERENCES_level, measure->info.level);
    quipu__table_put_text(table, DIFFERENCES_what, row->what);
    quipu__table_put_i64_if(table, DIFFERENCES_rank, row->rank >= 0, row->rank);
    quipu__table_put_text(table, DIFFERENCES_measure, measure->info.name);
    quipu__table_put_i64_if(table, DIFFERENCES_a, a < INT64_MAX, a);
    quipu__table_put_i64_if(table, DIFFERENCES_b, b < INT64_MAX, b);
    quipu__table_put_i64_if(table, DIFFERENCES_change_ns, measure->is_time && is_known, change);
    quipu__table_put_i64_if(table, DIFFERENCES_change, !measure->is_time, change);
    put_percent(row, is_known, table);
    quipu__table_put_u64_if(table, DIFFERENCES_samples_a, are_medians(row), (uint64_t)row->samples[0]);
    quipu__table_put_u64_if(table, DIFFERENCES_samples_b, are_medians(row), (uint64_t)row->samples[1]);
    put_evidence(row, table);
    return quipu__table_end_row(table, err);
}

/* ---- Tables ---- */

/* A table of all rows of a level, or with NULL of those that differ. */
static enum quipu_status add_table(const struct quipu__comparison *comparison, const struct sorted_row *sorted,
                                   const char *level, struct quipu_tables *tables, struct quipu_error *err) {
    struct quipu_table *table;
    struct quipu_analysis_table shape = shapes[DIFFERENCES];
    shape.name = level ? level : shape.name;
    enum quipu_status status = quipu__tables_add(tables, &shape, &table, err);
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
        if (is_new && comparison_has_level(comparison, level))
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

static enum quipu_status comparison_tables(struct quipu__comparison *comparison, struct quipu_tables *tables,
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

static const struct quipu__compare_source_row compare_sources[QUIPU__COMPARE_SOURCES] = {
#define COMPARE_SOURCE(name, level, analysis, option, value, table, what, first, second, are_locations,        \
                       location)                                                                               \
    {level, analysis, {option, value}, table, what, {first, second}, are_locations, location},
#define COMPARE_MEASURE(...)
#include "analysis/compare/compare.def"
#undef COMPARE_SOURCE
#undef COMPARE_MEASURE
};

const struct quipu__compare_measure_row quipu__compare_measures[QUIPU__COMPARE_MEASURES] = {
#define COMPARE_SOURCE(...)
#define COMPARE_MEASURE(source, level, name, column, deviation, samples, is_time, doc)                         \
    {{level, name, doc}, QUIPU__COMPARE_##source, column, deviation, samples, is_time},
#include "analysis/compare/compare.def"
#undef COMPARE_SOURCE
#undef COMPARE_MEASURE
};

const struct quipu_compare_measure *quipu_compare_measure_at(size_t index) {
    return index < QUIPU__COMPARE_MEASURES ? &quipu__compare_measures[index].info : NULL;
}

/* ---- Options ---- */

static bool is_level(const char *name, size_t len) {
    for (size_t i = 0; i < QUIPU__COMPARE_MEASURES; i++) {
        const char *level = quipu__compare_measures[i].info.level;
        if (strlen(level) == len && memcmp(level, name, len) == 0)
            return true;
    }
    return false;
}

static enum quipu_status check_levels(const char *list, struct quipu_error *err) {
    while (list && *list) {
        const size_t len = strcspn(list, ",");
        if (!is_level(list, len))
            return quipu__fail(
                err, QUIPU_MISUSE,
                "no level \"%.*s\": expected runtime, definitions, profile, waits, comm, phases or calls",
                (int)len, list);
        list += len + (list[len] == ',');
    }
    return QUIPU_OK;
}

static enum quipu_status set_options(struct quipu__comparison *comparison,
                                     const struct quipu_compare_options *options, struct quipu_error *err) {
    const char *threshold = options->threshold ? options->threshold : "5";
    int64_t hundredths;
    enum quipu_status status = check_levels(options->levels, err);
    comparison->levels = options->levels;
    if (status == QUIPU_OK && !quipu__comparison_percent(threshold, strlen(threshold), &hundredths))
        status = quipu__fail(err, QUIPU_MISUSE, "the threshold is a percentage such as 5 or 2.5, not \"%s\"",
                             threshold);
    if (status != QUIPU_OK)
        return status;
    comparison->threshold = (uint64_t)hundredths;
    for (size_t i = 0; i < options->condition_count && status == QUIPU_OK; i++)
        status = quipu__comparison_add_condition(comparison, options->conditions[i], err);
    return status;
}

/* ---- Asking ---- */

/* Several analyses say the same of a trace: each sentence of what is said is noted once. */
static void add_note(char notes[QUIPU__TABLES_NOTE], const char *said) {
    char sentence[QUIPU__TABLES_NOTE];
    while (*said) {
        const char *end = strstr(said, "; ");
        const size_t len = end ? (size_t)(end - said) : strlen(said), before = strlen(notes);
        snprintf(sentence, sizeof sentence, "%.*s", (int)len, said);
        if (!strstr(notes, sentence))
            snprintf(notes + before, QUIPU__TABLES_NOTE - before, "%s%s", before > 0 ? "; " : "", sentence);
        said += len + (end ? strlen("; ") : 0);
    }
}

static enum quipu_status add_source(struct quipu__comparison *comparison, int side,
                                    enum quipu__compare_source source, struct quipu_reader *reader,
                                    struct quipu_error *err) {
    const struct quipu__compare_source_row *row = &compare_sources[source];
    struct quipu_tables *tables;
    if (!comparison_has_level(comparison, row->level))
        return QUIPU_OK;
    const enum quipu_status status =
        quipu__answer(reader, row->analysis, row->setting.name, row->setting.value, &tables, err);
    if (status != QUIPU_OK)
        return status;
    comparison_add_table(comparison, side, source, quipu_reader_definitions(reader),
                         quipu__answer_table(tables, row->table));
    add_note(comparison->notes[side], quipu_tables_note(tables));
    quipu_tables_free(tables);
    return quipu__memory_status(&comparison->memory, err);
}

static enum quipu_status add_runtime(struct quipu__comparison *comparison, int side,
                                     struct quipu_reader *reader, struct quipu_error *err) {
    struct quipu_summary summary;
    if (!comparison_has_level(comparison, quipu__compare_measures[0].info.level))
        return QUIPU_OK;
    const enum quipu_status status = quipu_summarise(reader, NULL, &summary, err);
    const struct quipu_clock *clock = &quipu_reader_definitions(reader)->clock;
    const uint32_t row = status == QUIPU_OK ? quipu__comparison_row(comparison, 0, "run time", -1) : QUIPU_NONE;
    if (row != QUIPU_NONE && summary.has_times)
        comparison->rows.items[row].values[side] = quipu__bounded_difference(
            quipu_clock_ns(clock, summary.last), quipu_clock_ns(clock, summary.first));
    return status;
}

static enum quipu_status add_trace(struct quipu__comparison *comparison, int side, struct quipu_reader *reader,
                                   struct quipu_error *err) {
    const int64_t tick = quipu_clock_ns(&quipu_reader_definitions(reader)->clock, 1);
    comparison->tick_ns[side] = tick > 0 ? tick : 1;
    enum quipu_status status = add_runtime(comparison, side, reader, err);
    for (int source = 0; source < QUIPU__COMPARE_SOURCES && status == QUIPU_OK; source++)
        status = add_source(comparison, side, (enum quipu__compare_source)source, reader, err);
    if (status == QUIPU_OK && comparison_has_level(comparison, "definitions"))
        comparison_add_definitions(comparison, side, quipu_reader_definitions(reader));
    if (status == QUIPU_OK && comparison_has_level(comparison, "calls"))
        status = quipu__comparison_add_calls(comparison, side, reader, err);
    return status;
}

/* ---- Answering ---- */

static enum quipu_status compare(struct quipu__comparison *comparison, struct quipu_reader *const *readers,
                                 struct quipu_tables **out, bool *out_differ, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (int side = 0; side < QUIPU__SIDES && status == QUIPU_OK; side++)
        status = add_trace(comparison, side, readers[side], err);
    quipu__gate_knows(status != QUIPU_OK || quipu__comparison_compare_calls(comparison));
    if (status == QUIPU_OK)
        status = quipu__memory_status(&comparison->memory, err);
    if (status == QUIPU_OK)
        status = quipu__tables_new(&comparison->memory.allocator, out, err);
    if (status != QUIPU_OK)
        return status;
    quipu__comparison_judge(comparison);
    status = comparison_tables(comparison, *out, err);
    *out_differ = quipu__comparison_differs(comparison);
    if (status == QUIPU_OK)
        return QUIPU_OK;
    quipu_tables_free(*out);
    *out = NULL;
    return status;
}

static void release(struct quipu__comparison *comparison) {
    QUIPU__VEC_RELEASE(&comparison->memory, &comparison->conditions);
    QUIPU__VEC_RELEASE(&comparison->memory, &comparison->rows);
    quipu__comparison_release_calls(comparison);
    quipu__map_release(&comparison->row_of);
    quipu__arena_release(&comparison->texts);
}

enum quipu_status quipu_compare(struct quipu_reader *a, struct quipu_reader *b,
                                const struct quipu_compare_options *given, struct quipu_tables **out,
                                bool *out_differ, struct quipu_error *err) {
    struct quipu_compare_options options = QUIPU_COMPARE_OPTIONS_INIT;
    struct quipu_reader *const readers[QUIPU__SIDES] = {a, b};
    struct quipu__comparison comparison = {.levels = NULL};
    *out = NULL;
    *out_differ = false;
    if (given)
        memcpy(&options, given, given->size < sizeof options ? given->size : sizeof options);
    quipu__memory_like(&comparison.memory, quipu__reader_trace(a)->memory);
    quipu__map_init(&comparison.row_of, &comparison.memory);
    quipu__arena_init(&comparison.texts, &comparison.memory);
    enum quipu_status status = set_options(&comparison, &options, err);
    if (status == QUIPU_OK)
        status = compare(&comparison, readers, out, out_differ, err);
    release(&comparison);
    return status;
}
