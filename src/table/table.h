/* table.h: what the rest of the library may know of a table beyond its public functions. */
#ifndef QUIPU_TABLE_TABLE_H
#define QUIPU_TABLE_TABLE_H

#include <quipu/table.h>

/* Whether cells of this type are in i. */
static inline bool quipu__is_signed_type(enum quipu_column_type type) {
    return type == QUIPU_TYPE_I64 || type == QUIPU_TYPE_TIME;
}

static inline bool quipu__is_whole_number(enum quipu_column_type type) {
    return type == QUIPU_TYPE_U64 || quipu__is_signed_type(type);
}

/* quipu_table_new with an allocator; NULL is that of the C library. */
enum quipu_status quipu__table_new(const struct quipu_allocator *allocator, const char *name,
                                   const struct quipu_table_column *columns, size_t column_count,
                                   struct quipu_table **out, struct quipu_error *err);

/* Sorts rows by the column of that name: numbers from the largest, texts from A. False when there is none. */
bool quipu__table_sort_by(struct quipu_table *table, const char *name);

/* The order of rows says something, as in a tree: quipu__table_sort_by leaves it. */
void quipu__table_fix_order(struct quipu_table *table);

/* An empty list of tables, made and filled with this allocator, which may be NULL. */
enum quipu_status quipu__tables_new(const struct quipu_allocator *allocator, struct quipu_tables **out,
                                    struct quipu_error *err);

/* Adds an empty table to the list, which owns it. */
enum quipu_status quipu__tables_add(struct quipu_tables *tables, const char *name,
                                    const struct quipu_table_column *columns, size_t column_count,
                                    struct quipu_table **out, struct quipu_error *err);

/* What is to be said about the answer: room for a text. */
enum { QUIPU__TABLES_NOTE = 512 };
char *quipu__tables_note(struct quipu_tables *tables);

/* Says this too, as far as there is room. */
void quipu__tables_note_add(struct quipu_tables *tables, const char *format, ...) QUIPU_PRINTF(2, 3);

#endif
