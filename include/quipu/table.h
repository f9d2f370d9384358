/* table.h: answers: typed columns with names, units and a sentence each, rows of cells, and showing them.
 *
 *     static const struct quipu_table_column columns[] = {{"rank", QUIPU_TYPE_U64, "", "number of the process"}};
 *     struct quipu_table *table;
 *     struct quipu_cell cell = {.u = 3};
 *     if (quipu_table_new("ranks", columns, 1, &table, &err) == QUIPU_OK &&
 *         quipu_table_add(table, &cell, &err) == QUIPU_OK)
 *         quipu_table_write((const struct quipu_table *const[]){table}, 1, NULL, sink, &err);
 *     quipu_table_free(table);
 */
#ifndef QUIPU_TABLE_H
#define QUIPU_TABLE_H

#include <quipu/base.h>

#ifdef __cplusplus
extern "C" {
#endif

enum quipu_column_type {
    QUIPU_TYPE_TEXT,
    QUIPU_TYPE_I64,
    QUIPU_TYPE_U64,
    QUIPU_TYPE_F64,
    QUIPU_TYPE_DECIMAL, /* an exact decimal number, as text */
    QUIPU_TYPE_JSON,    /* a JSON value, as text: for columns whose cells have different forms */
    QUIPU_TYPE_TIME     /* a point in time, from the trace's origin: i, of unit "ns"; "i64" in JSON */
};

struct quipu_table_column {
    const char *name;
    enum quipu_column_type type;
    const char *unit; /* "ns", "bytes", "" */
    const char *doc;
};

/* A table that an analysis produces. */
struct quipu_analysis_table {
    const char *name;
    const char *doc;
    const struct quipu_table_column *columns;
    size_t column_count;
};

/* A cell: null, a number or a text. */
struct quipu_cell {
    bool is_null;
    union {
        int64_t i;
        uint64_t u;
        double f;
        const char *text; /* add copies it, at borrows it from the table */
    };
};

/* Null. */
/* clang-format off */
#define QUIPU_CELL_INIT {true, {0}}
/* clang-format on */

struct quipu_table;

/* A new empty table. name and columns are borrowed and must outlive it (they are usually static). */
QUIPU_API enum quipu_status quipu_table_new(const char *name, const struct quipu_table_column *columns,
                                            size_t column_count, struct quipu_table **out,
                                            struct quipu_error *err);
QUIPU_API void quipu_table_free(struct quipu_table *table);

/* Adds a row: a cell for each column, of its type. */
QUIPU_API enum quipu_status quipu_table_add(struct quipu_table *table, const struct quipu_cell *cells,
                                            struct quipu_error *err);

QUIPU_API const char *quipu_table_name(const struct quipu_table *table);
QUIPU_API size_t quipu_table_row_count(const struct quipu_table *table);
QUIPU_API size_t quipu_table_column_count(const struct quipu_table *table);
QUIPU_API const struct quipu_table_column *quipu_table_column_at(const struct quipu_table *table,
                                                                 size_t column);

/* A cell. Valid until another cell of that column is asked for; its text lives as long as the table. */
QUIPU_API const struct quipu_cell *quipu_table_at(const struct quipu_table *table, size_t row, size_t column);

/* Index of the column of that name, SIZE_MAX when there is none. */
QUIPU_API size_t quipu_table_column_find(const struct quipu_table *table, const char *name);

/* Sorts rows by a column; text by bytes, null last. Stable. */
QUIPU_API void quipu_table_sort(struct quipu_table *table, size_t column, bool descending);

/* ---- Several tables ---- */

/* A list of tables, which it owns. */
struct quipu_tables;

QUIPU_API void quipu_tables_free(struct quipu_tables *tables);
QUIPU_API size_t quipu_tables_count(const struct quipu_tables *tables);

/* A table by index, which must be below the count. */
QUIPU_API struct quipu_table *quipu_tables_at(const struct quipu_tables *tables, size_t index);

/* A remark about the answer, such as what was left out; "" when there is none. Lives as long as the list. */
QUIPU_API const char *quipu_tables_note(const struct quipu_tables *tables);

/* All of them, as quipu_table_write takes them. */
QUIPU_API const struct quipu_table *const *quipu_tables_list(const struct quipu_tables *tables);

/* ---- Showing ---- */

/* QUIPU_STYLE_DOT draws the first table with columns sender and receiver as a graph in the language of Graphviz, and no other one: a line for each
 * row, labelled with its messages and bytes where it has such columns. QUIPU_STYLE_EXTRA_P writes the table of a profile of several traces
 * as text for Extra-P: means of all locations, times in seconds. */
enum quipu_style { QUIPU_STYLE_TEXT, QUIPU_STYLE_JSON, QUIPU_STYLE_CSV, QUIPU_STYLE_DOT, QUIPU_STYLE_EXTRA_P };

struct quipu_render_options {
    enum quipu_style style;
    size_t row_limit;  /* SIZE_MAX shows all rows; text says how many are left out */
    int width;         /* text only: columns of the terminal, 0: unlimited */
    bool colour;       /* text only */
    size_t bar_column; /* text only: a bar chart of this column, SIZE_MAX: none */
    struct quipu_allocator allocator;
    const char *
        time_unit; /* text only, for columns in ns: "ns", "us", "ms", "s", or "auto": by the size of each duration, and s for points in time; NULL: as they are */

    /* Text only: the first table is drawn as a map instead of being listed, unless it is short. Each value of the first
     * column gets a line, whose number is in the second column. Each row becomes a letter of a line, whose position is
     * in the third column; the next two columns have its time. The columns from map_column on, of type I64, stand for
     * one letter each; the largest decides. NULL: none. */
    const char *map_letters;
    size_t map_column;
};
#define QUIPU_RENDER_OPTIONS_INIT                                                                              \
    { QUIPU_STYLE_TEXT, SIZE_MAX, 0, false, SIZE_MAX, {NULL, NULL}, NULL, NULL, 0 }

/* Shows tables: aligned text, JSON (one table: {"quipu", "table", "columns", "rows"}; several: {"quipu",
 * "tables"}), CSV (RFC 4180, with lines that end in LF; several tables are separated by an empty line), or a graph or text for Extra-P, with
 * QUIPU_MISUSE where no table is one. */
QUIPU_API enum quipu_status quipu_table_write(const struct quipu_table *const *tables, size_t count,
                                              const struct quipu_render_options *options,
                                              struct quipu_sink sink, struct quipu_error *err);

#ifdef __cplusplus
}
#endif
#endif
