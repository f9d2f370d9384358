/* answers.h: answers of analyses for those that ask several of them. */
#ifndef QUIPU_ANALYSIS_SHARED_ANSWERS_H
#define QUIPU_ANALYSIS_SHARED_ANSWERS_H

#include <quipu/analysis.h>

/* Runs an analysis with one setting; option NULL: with none. */
enum quipu_status quipu__answer(struct quipu_reader *reader, const char *analysis, const char *option,
                                const char *value, struct quipu_tables **out, struct quipu_error *err);

/* A table of the answer, which must have it. */
const struct quipu_table *quipu__answer_table(const struct quipu_tables *tables, const char *name);

/* A whole number; 0 for null. */
int64_t quipu__answer_number(const struct quipu_table *table, size_t row, const char *column);

/* A text that lives as long as the table; NULL for null. */
const char *quipu__answer_text(const struct quipu_table *table, size_t row, const char *column);

/* The cell itself. */
const struct quipu_cell *quipu__answer_cell(const struct quipu_table *table, size_t row, const char *column);

#endif
