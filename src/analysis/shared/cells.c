/* cells.c: see cells.h. */
#include "analysis/shared/cells.h"

#include "core/scale.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- Names ---- */

const char *quipu__printed_name(const struct quipu_definitions *definitions, enum quipu_refers refers,
                                uint32_t number, char text[32]) {
    const char *name = number == QUIPU_NONE ? NULL : quipu__name_of(definitions, refers, number);
    if (!name || name[0])
        return name;
    snprintf(text, 32, "%" PRIu64, quipu__native_id_of(definitions, refers, number));
    return text;
}

/* ---- Cells of tables ---- */

void quipu__table_put_difference(struct quipu_table *table, size_t column, uint64_t a, uint64_t b, uint64_t c,
                                 unsigned digits) {
    uint64_t unit = 1;
    for (unsigned i = 0; i < digits; i++)
        unit *= 10;
    const uint64_t difference = a > b ? a - b : b - a;
    const double size = c == 0 ? 0 : (double)quipu__scale_rounded(difference, unit, c) / (double)unit;
    quipu__table_put_f64_if(table, column, c != 0, a < b ? -size : size);
}

void quipu__table_put_percent(struct quipu_table *table, size_t column, uint64_t a, uint64_t count,
                              uint64_t b) {
    while (count > 0 && b > UINT64_MAX / count) {
        a >>= 1;
        b >>= 1;
    }
    const uint64_t all = count * b;
    quipu__table_put_f64_if(table, column, all != 0,
                            all == 0 ? 0 : (double)quipu__scale_rounded(a, 10000, all) / 100);
}

void quipu__table_put_name(struct quipu_table *table, size_t column,
                           const struct quipu_definitions *definitions, enum quipu_refers refers,
                           uint32_t number) {
    char text[32];
    quipu__table_put_text(table, column, quipu__printed_name(definitions, refers, number, text));
}

void quipu__table_put_id(struct quipu_table *table, size_t column, const struct quipu_definitions *definitions,
                         enum quipu_refers refers, uint32_t number) {
    const uint64_t native_id = quipu__native_id_of(definitions, refers, number);
    quipu__table_put_i64_if(table, column, native_id != QUIPU_UNKNOWN, (int64_t)native_id);
}

int quipu__names_compare(const struct quipu_definitions *definitions, enum quipu_refers refers, uint32_t a,
                         uint32_t b) {
    char a_text[32], b_text[32];
    const char *a_name = quipu__printed_name(definitions, refers, a, a_text),
               *b_name = quipu__printed_name(definitions, refers, b, b_text);
    if (!a_name || !b_name)
        return (a_name != NULL) - (b_name != NULL);
    return strcmp(a_name, b_name);
}

/* ---- Answers ---- */

enum quipu_status quipu__answer(struct quipu_reader *reader, const char *analysis, const char *option,
                                const char *value, struct quipu_tables **out, struct quipu_error *err) {
    const struct quipu_setting setting = {option, value};
    struct quipu_analysis_options options = QUIPU_ANALYSIS_OPTIONS_INIT;
    options.settings = &setting;
    options.setting_count = option != NULL;
    return quipu_analysis_run(reader, analysis, &options, out, err);
}

const struct quipu_table *quipu__answer_table(const struct quipu_tables *tables, const char *name) {
    for (size_t i = 0; i < quipu_tables_count(tables); i++)
        if (strcmp(quipu_table_name(quipu_tables_at(tables, i)), name) == 0)
            return quipu_tables_at(tables, i);
    return NULL;
}

static const struct quipu_cell *answer_cell(const struct quipu_table *table, size_t row, const char *column) {
    return quipu_table_at(table, row, quipu_table_column_find(table, column));
}

int64_t quipu__answer_number(const struct quipu_table *table, size_t row, const char *column) {
    const struct quipu_cell *cell = answer_cell(table, row, column);
    return cell->is_null ? 0 : cell->i;
}

const char *quipu__answer_text(const struct quipu_table *table, size_t row, const char *column) {
    const struct quipu_cell *cell = answer_cell(table, row, column);
    return cell->is_null ? NULL : cell->text;
}
