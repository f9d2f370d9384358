/* cells.h: the cells of tables: names, ratios and native numbers as analyses put them, and what others read of their answers. */
#ifndef QUIPU_ANALYSIS_SHARED_CELLS_H
#define QUIPU_ANALYSIS_SHARED_CELLS_H

#include "model/event.h"

#include "table/table.h"

#include <quipu/analysis.h>

/* ---- Cells of a row ---- */

/* (a - b) / c with so many digits behind the point, rounded half up; null when c is 0. */
void quipu__table_put_difference(struct quipu_table *table, size_t column, uint64_t a, uint64_t b, uint64_t c,
                                 unsigned digits);

/* a / b, likewise. */
static inline void quipu__table_put_ratio(struct quipu_table *table, size_t column, uint64_t a, uint64_t b,
                                          unsigned digits) {
    quipu__table_put_difference(table, column, a, 0, b, digits);
}

/* What a is of count times b, in hundredths of a per cent, where products may be no numbers of 64 bits; null when that is of 0. */
void quipu__table_put_percent(struct quipu_table *table, size_t column, uint64_t a, uint64_t count, uint64_t b);

/* The name of a definition as tables print it: one without a name is called by its native number, in the text. NULL: it is not defined. */
const char *quipu__printed_name(const struct quipu_definitions *definitions, enum quipu_refers refers,
                                uint32_t number, char text[32]);

/* That name; the native number; both, the number in the next column. */
void quipu__table_put_name(struct quipu_table *table, size_t column,
                           const struct quipu_definitions *definitions, enum quipu_refers refers,
                           uint32_t number);

void quipu__table_put_id(struct quipu_table *table, size_t column, const struct quipu_definitions *definitions,
                         enum quipu_refers refers, uint32_t number);
static inline void quipu__table_put_name_and_id(struct quipu_table *table, size_t column,
                                                const struct quipu_definitions *definitions,
                                                enum quipu_refers refers, uint32_t number) {
    quipu__table_put_name(table, column, definitions, refers, number);
    quipu__table_put_id(table, column + 1, definitions, refers, number);
}

/* The name and the number of a location; the name of a region. */
static inline void quipu__table_put_location(struct quipu_table *table, size_t column,
                                             const struct quipu_definitions *definitions, uint32_t location) {
    quipu__table_put_name_and_id(table, column, definitions, QUIPU_REFERS_LOCATION, location);
}

static inline void quipu__table_put_region(struct quipu_table *table, size_t column,
                                           const struct quipu_definitions *definitions, uint32_t region) {
    quipu__table_put_name(table, column, definitions, QUIPU_REFERS_REGION, region);
}

/* The order of names as they are printed; what has none comes first. */
int quipu__names_compare(const struct quipu_definitions *definitions, enum quipu_refers refers, uint32_t a,
                         uint32_t b);

/* ---- Answers, for those that ask several analyses ---- */

/* Runs an analysis with one setting; option NULL: with none. */
enum quipu_status quipu__answer(struct quipu_reader *reader, const char *analysis, const char *option,
                                const char *value, struct quipu_tables **out, struct quipu_error *err);

/* A table of the answer; NULL when it has none of that name. */
const struct quipu_table *quipu__answer_table(const struct quipu_tables *tables, const char *name);

/* A whole number; 0 for null. */
int64_t quipu__answer_number(const struct quipu_table *table, size_t row, const char *column);

/* A text that lives as long as the table; NULL for null. */
const char *quipu__answer_text(const struct quipu_table *table, size_t row, const char *column);

#endif
