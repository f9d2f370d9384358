/* cells.h: the cells of a row, one after the other, as analyses print names and numbers. */
#ifndef QUIPU_ANALYSIS_SHARED_CELLS_H
#define QUIPU_ANALYSIS_SHARED_CELLS_H

#include "model/event.h"

#include "table/table.h"

enum { QUIPU__CELLS_MOST = 32 };

struct quipu__cells {
    const struct quipu_definitions *definitions;
    size_t count;
    struct quipu_cell items[QUIPU__CELLS_MOST];
    char texts[QUIPU__CELLS_MOST][32];
};

/* Columns of a location, as quipu__cells_put_name_and_id fills them, and of the number of something else. */
#define QUIPU__ID_COLUMN(name)                                                                                 \
    { name, QUIPU_TYPE_I64, "", "the format's own number of it" }
#define QUIPU__LOCATION_COLUMNS                                                                                \
    {"location", QUIPU_TYPE_TEXT, "", "name of the process or thread"}, QUIPU__ID_COLUMN("location_id")

static inline struct quipu__cells quipu__cells_of(const struct quipu_definitions *definitions) {
    return (struct quipu__cells){.definitions = definitions};
}

void quipu__cells_put_null(struct quipu__cells *cells);
void quipu__cells_put_i64(struct quipu__cells *cells, int64_t value);
void quipu__cells_put_u64(struct quipu__cells *cells, uint64_t value);

/* The text must live until the row is added; NULL is null. */
void quipu__cells_put_text(struct quipu__cells *cells, const char *text);

/* a / b with so many digits behind the point, rounded half up; null when b is 0. For columns of type F64. */
void quipu__cells_put_ratio(struct quipu__cells *cells, uint64_t a, uint64_t b, unsigned digits);

/* What a is of count times b, in hundredths of a per cent, where products may be no numbers of 64 bits; null when that is of 0. */
void quipu__cells_put_percent(struct quipu__cells *cells, uint64_t a, uint64_t count, uint64_t b);

/* (a - b) / c, likewise. */
void quipu__cells_put_difference(struct quipu__cells *cells, uint64_t a, uint64_t b, uint64_t c,
                                 unsigned digits);

/* The name of a definition; one without a name is called by its native number. */
void quipu__cells_put_name(struct quipu__cells *cells, enum quipu_refers refers, uint32_t number);

/* Its name, and in the next column its native number. */
void quipu__cells_put_name_and_id(struct quipu__cells *cells, enum quipu_refers refers, uint32_t number);

/* ---- Cells of tables ---- */

/* a / b with so many digits behind the point, rounded half up; null when b is 0. */
void quipu__table_put_ratio(struct quipu_table *table, size_t column, uint64_t a, uint64_t b, unsigned digits);

/* (a - b) / c, likewise. */
void quipu__table_put_difference(struct quipu_table *table, size_t column, uint64_t a, uint64_t b, uint64_t c,
                                 unsigned digits);

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
void quipu__table_put_name_and_id(struct quipu_table *table, size_t column,
                                  const struct quipu_definitions *definitions, enum quipu_refers refers,
                                  uint32_t number);

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

#endif
