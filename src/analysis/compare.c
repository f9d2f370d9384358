/* compare.c: what differs between two traces. Each trace is asked by the analyses that others ask too, one after the other, so
 * the values are those of their tables. */
#include "analysis/compare.h"
#include "core/bounded.h"

#include "analysis/answers.h"
#include "core/error.h"
#include "core/text.h"
#include "trace/reader.h"

#include <stdio.h>
#include <string.h>

const struct quipu__compare_source_row quipu__compare_sources[QUIPU__COMPARE_SOURCES] = {
#define COMPARE_SOURCE(name, level, analysis, option, value, table, what, first, second, are_locations,        \
                       location)                                                                               \
    {level, analysis, {option, value}, table, what, {first, second}, are_locations, location},
#define COMPARE_MEASURE(...)
#include "analysis/compare.def"
#undef COMPARE_SOURCE
#undef COMPARE_MEASURE
};

const struct quipu__compare_measure_row quipu__compare_measures[QUIPU__COMPARE_MEASURES] = {
#define COMPARE_SOURCE(...)
#define COMPARE_MEASURE(source, level, name, column, deviation, samples, is_time, doc)                         \
    {{level, name, doc}, QUIPU__COMPARE_##source, column, deviation, samples, is_time},
#include "analysis/compare.def"
#undef COMPARE_SOURCE
#undef COMPARE_MEASURE
};

const struct quipu_compare_measure *quipu_compare_measure_at(size_t index) {
    return index < QUIPU__COMPARE_MEASURES ? &quipu__compare_measures[index].info : NULL;
}

/* ---- Options ---- */

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

bool quipu__comparison_has_level(const struct quipu__comparison *comparison, const char *level) {
    if (comparison->levels)
        return is_listed(comparison->levels, level, strlen(level));
    return strcmp(level, "calls") != 0 || is_asked_for(comparison, QUIPU__COMPARE_calls);
}

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
    const struct quipu__compare_source_row *row = &quipu__compare_sources[source];
    struct quipu_tables *tables;
    if (!quipu__comparison_has_level(comparison, row->level))
        return QUIPU_OK;
    const enum quipu_status status =
        quipu__answer(reader, row->analysis, row->setting.name, row->setting.value, &tables, err);
    if (status != QUIPU_OK)
        return status;
    quipu__comparison_add_table(comparison, side, source, quipu_reader_definitions(reader),
                                quipu__answer_table(tables, row->table));
    add_note(comparison->notes[side], quipu_tables_note(tables));
    quipu_tables_free(tables);
    return quipu__memory_status(&comparison->memory, err);
}

static enum quipu_status add_runtime(struct quipu__comparison *comparison, int side,
                                     struct quipu_reader *reader, struct quipu_error *err) {
    struct quipu_summary summary;
    if (!quipu__comparison_has_level(comparison, quipu__compare_measures[0].info.level))
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
    if (status == QUIPU_OK && quipu__comparison_has_level(comparison, "definitions"))
        quipu__comparison_add_definitions(comparison, side, quipu_reader_definitions(reader));
    if (status == QUIPU_OK && quipu__comparison_has_level(comparison, "calls"))
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
    status = quipu__comparison_tables(comparison, *out, err);
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
