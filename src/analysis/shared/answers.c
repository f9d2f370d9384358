/* answers.c: see answers.h. */
#include "analysis/shared/answers.h"

#include <string.h>

enum quipu_status quipu__answer(struct quipu_reader *reader, const char *analysis, const char *option,
                                const char *value, struct quipu_tables **out, struct quipu_error *err) {
    const struct quipu_setting setting = {option, value};
    struct quipu_analysis_options options = QUIPU_ANALYSIS_OPTIONS_INIT;
    options.settings = &setting;
    options.setting_count = option != NULL;
    return quipu_analysis_run(reader, analysis, &options, out, err);
}

const struct quipu_table *quipu__answer_table(const struct quipu_tables *tables, const char *name) {
    size_t index = 0;
    while (strcmp(quipu_table_name(quipu_tables_at(tables, index)), name) != 0)
        index++;
    return quipu_tables_at(tables, index);
}

const struct quipu_cell *quipu__answer_cell(const struct quipu_table *table, size_t row, const char *column) {
    return quipu_table_at(table, row, quipu_table_column_find(table, column));
}

int64_t quipu__answer_number(const struct quipu_table *table, size_t row, const char *column) {
    const struct quipu_cell *cell = quipu__answer_cell(table, row, column);
    return cell->is_null ? 0 : cell->i;
}

const char *quipu__answer_text(const struct quipu_table *table, size_t row, const char *column) {
    const struct quipu_cell *cell = quipu__answer_cell(table, row, column);
    return cell->is_null ? NULL : cell->text;
}
