/* table.h: what the rest of the library may use of a table beyond its public functions. */
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

/* ---- Tables as lists ----
 *
 * A macro lists tables with their columns, once for everything that is made from them:
 *
 *     #define TABLES(TABLE, COLUMN, END) \
 *         TABLE(RANKS, "ranks", "a row per process") \
 *         COLUMN(RANKS, rank, U64, "", "number of the process") \
 *         COLUMN(RANKS, time_ns, I64, "ns", "how long it runs") \
 *         END(RANKS)
 *     QUIPU__TABLES(TABLES)
 *     static const struct quipu_analysis_table tables[] = {QUIPU__SHAPES(TABLES)};
 *
 * Then RANKS is the number of the table in the list, RANKS_time_ns that of the column in the table.
 */
#define QUIPU__TABLES(list)                                                                                    \
    QUIPU__NUMBERS(list)                                                                                       \
    list(QUIPU__TABLE_BEGIN, QUIPU__TABLE_COLUMN, QUIPU__TABLE_END)
#define QUIPU__NUMBERS(list)                                                                                   \
    enum { list(QUIPU__TABLE_NUMBER, QUIPU__NOTHING, QUIPU__NOTHING) };                                        \
    list(QUIPU__NUMBERS_BEGIN, QUIPU__COLUMN_NUMBER, QUIPU__NUMBERS_END)
#define QUIPU__SHAPES(list) list(QUIPU__SHAPE, QUIPU__NOTHING, QUIPU__NOTHING)

/* A column with the name of something, and then one with its number, as quipu__put_name_and_id fills them. */
#define QUIPU__NAMED(COLUMN, table, name, doc)                                                                 \
    COLUMN(table, name, TEXT, "", doc)                                                                         \
    COLUMN(table, name##_id, I64, "", "the format's own number of it")

/* clang-format off */
#define QUIPU__NOTHING(...)
#define QUIPU__TABLE_NUMBER(table, name, doc) table,
#define QUIPU__NUMBERS_BEGIN(table, name, doc) enum {
#define QUIPU__COLUMN_NUMBER(table, name, type, unit, doc) table##_##name,
#define QUIPU__NUMBERS_END(table) table##_COLUMNS };
#define QUIPU__TABLE_BEGIN(table, name, doc) static const struct quipu_table_column table##_columns[] = {
#define QUIPU__TABLE_COLUMN(table, name, type, unit, doc) {#name, QUIPU_TYPE_##type, unit, doc},
#define QUIPU__TABLE_END(table) };
#define QUIPU__SHAPE(table, name, doc) {name, doc, table##_columns, table##_COLUMNS},
/* clang-format on */

/* The gate of a table. */
const struct quipu__memory *quipu__table_memory(const struct quipu_table *table);

/* ---- Rows ----
 *
 * A row gets its cells one by one, in any order, and is added when it ends. Each column must get one cell of its type: a missing,
 * repeated or wrongly typed cell is our mistake, which asserts, or makes the end of the row QUIPU_MISUSE. */

void quipu__table_put_null(struct quipu_table *table, size_t column);
void quipu__table_put_cell(struct quipu_table *table, size_t column, enum quipu_column_type type,
                           struct quipu_cell cell);

static inline void quipu__table_put_u64_if(struct quipu_table *table, size_t column, bool is_known,
                                           uint64_t value) {
    quipu__table_put_cell(table, column, QUIPU_TYPE_U64, (struct quipu_cell){!is_known, {.u = value}});
}

static inline void quipu__table_put_u64(struct quipu_table *table, size_t column, uint64_t value) {
    quipu__table_put_u64_if(table, column, true, value);
}

static inline void quipu__table_put_i64_if(struct quipu_table *table, size_t column, bool is_known,
                                           int64_t value) {
    quipu__table_put_cell(table, column, QUIPU_TYPE_I64, (struct quipu_cell){!is_known, {.i = value}});
}

static inline void quipu__table_put_i64(struct quipu_table *table, size_t column, int64_t value) {
    quipu__table_put_i64_if(table, column, true, value);
}

static inline void quipu__table_put_time_if(struct quipu_table *table, size_t column, bool is_known,
                                            int64_t ns) {
    quipu__table_put_cell(table, column, QUIPU_TYPE_TIME, (struct quipu_cell){!is_known, {.i = ns}});
}

static inline void quipu__table_put_time(struct quipu_table *table, size_t column, int64_t ns) {
    quipu__table_put_time_if(table, column, true, ns);
}

static inline void quipu__table_put_f64_if(struct quipu_table *table, size_t column, bool is_known,
                                           double value) {
    quipu__table_put_cell(table, column, QUIPU_TYPE_F64, (struct quipu_cell){!is_known, {.f = value}});
}

static inline void quipu__table_put_f64(struct quipu_table *table, size_t column, double value) {
    quipu__table_put_f64_if(table, column, true, value);
}

/* The text is copied; NULL is null. */
static inline void quipu__table_put_text(struct quipu_table *table, size_t column, const char *text) {
    quipu__table_put_cell(table, column, QUIPU_TYPE_TEXT, (struct quipu_cell){!text, {.text = text}});
}

/* Puts null in all columns that have no cell yet. */
void quipu__table_put_rest_null(struct quipu_table *table);

/* Adds the row. After a failure the next one begins. */
enum quipu_status quipu__table_end_row(struct quipu_table *table, struct quipu_error *err);

/* ---- Making, sorting, lists ---- */

/* quipu_table_new with an allocator; NULL is that of the C library. */
enum quipu_status quipu__table_new(const struct quipu_allocator *allocator, const char *name,
                                   const struct quipu_table_column *columns, size_t column_count,
                                   struct quipu_table **out, struct quipu_error *err);

/* Sorts rows by the column of that name: numbers from the largest, texts from A. False when there is none. */
bool quipu__table_sort_by(struct quipu_table *table, const char *name);

/* The order of rows is meaningful, as in a tree: quipu__table_sort_by leaves it. */
void quipu__table_fix_order(struct quipu_table *table);

/* An empty list of tables that uses this allocator, which may be NULL. */
enum quipu_status quipu__tables_new(const struct quipu_allocator *allocator, struct quipu_tables **out,
                                    struct quipu_error *err);

/* Adds an empty table of that shape to the list, which owns it. */
enum quipu_status quipu__tables_add(struct quipu_tables *tables, const struct quipu_analysis_table *shape,
                                    struct quipu_table **out, struct quipu_error *err);

/* Room for the note of an answer. */
enum { QUIPU__TABLES_NOTE = 512 };
char *quipu__tables_note(struct quipu_tables *tables);

/* Adds to the note, as far as there is room. */
void quipu__tables_note_add(struct quipu_tables *tables, const char *format, ...) QUIPU_PRINTF(2, 3);

#endif
