/* sql.h: SQL on traces: each relation (relation.h) is a table, which is read when a query asks for it; nothing is imported.
 *
 *     struct quipu_sql *sql;
 *     const char *rest = "SELECT sender, sum(bytes) FROM messages GROUP BY sender";
 *     if (quipu_sql_new(NULL, &sql, &err) == QUIPU_OK && quipu_sql_add(sql, "a", reader, &err) == QUIPU_OK &&
 *         quipu_sql_begin(sql, rest, &rest, &err) == QUIPU_OK)
 *         while (quipu_sql_next(sql, &err) == QUIPU_OK)
 *             printf("%s\n", quipu_sql_at(sql, 0).text);
 *     quipu_sql_free(sql);
 *
 * The language is that of SQLite. Each trace has a schema with all of its tables; a name without a schema is that of the first trace.
 * The options of an analysis are arguments: waits('path') or profile('region'), in the order in which it lists them, or hidden columns:
 * "... FROM profile WHERE by = 'region'". Words are joined by _ there, and an option called like a column has _option behind its name.
 * Tables whose rows are selected by expressions (where.h) have the hidden column "expression", which is their first argument.
 *
 * Besides the functions of SQLite there are seconds(ns), quantity('1.5ms'), time_text(ns), bytes_text(bytes), percentile(value, percent) and
 * REGEXP; views have the names and columns of Perfetto's tables (docs/sql.md).
 *
 * Conditions on times, locations, kinds and regions, and which columns a query uses, decide what of the trace is read. Numbers above
 * 2^63 - 1 are texts. Nothing can be written. When a query reads a trace several times at once it is opened again; when it
 * has changed since, that fails.
 */
#ifndef QUIPU_SQL_H
#define QUIPU_SQL_H

#include <quipu/reader.h>
#include <quipu/table.h>

#ifdef __cplusplus
extern "C" {
#endif

struct quipu_sql;

/* The most traces. */
#define QUIPU_SQL_TRACES 10

struct quipu_sql_options {
    size_t size; /* of this struct */

    /* Bytes that SQLite may use in this process, whatever else uses it; 0: no limit. It is for programs that use SQLite for nothing else, since SQLite has no
     * limit for one of its users. Without it a query takes what follows: sorting and grouping take 2 MiB for each of their tables and files
     * beyond that, a value has at most 64 MiB (QUIPU_LIMIT), and tables and percentiles take the readers' memory. */
    size_t heap_limit;

    struct quipu_progress progress; /* called now and then while a statement runs, even if it reads nothing */
};
/* clang-format off */
#define QUIPU_SQL_OPTIONS_INIT {sizeof(struct quipu_sql_options), 0, {NULL, NULL}}
/* clang-format on */

/* options may be NULL. QUIPU_UNSUPPORTED when the library was built without SQLite. */
QUIPU_API enum quipu_status quipu_sql_new(const struct quipu_sql_options *options, struct quipu_sql **out,
                                          struct quipu_error *err);
QUIPU_API void quipu_sql_free(struct quipu_sql *sql);

/* Adds a trace, whose tables get that schema, of lower-case letters. The reader must outlive sql, which uses it as it likes. */
QUIPU_API enum quipu_status quipu_sql_add(struct quipu_sql *sql, const char *schema,
                                          struct quipu_reader *reader, struct quipu_error *err);

/* Begins the first statement of a text; *rest is what follows it. Ends the one before. QUIPU_END when there is none. QUIPU_MISUSE
 * when it is wrong, or no query. */
QUIPU_API enum quipu_status quipu_sql_begin(struct quipu_sql *sql, const char *text, const char **rest,
                                            struct quipu_error *err);

/* Whether a text ends with the end of a statement. */
QUIPU_API bool quipu_sql_is_complete(const char *text);

/* The columns of its rows. Names are unique: the second "region" is "region:1". */
QUIPU_API size_t quipu_sql_column_count(const struct quipu_sql *sql);
QUIPU_API const char *quipu_sql_column_name(const struct quipu_sql *sql, size_t column);

/* The next row of the statement; QUIPU_END after the last. */
QUIPU_API enum quipu_status quipu_sql_next(struct quipu_sql *sql, struct quipu_error *err);

enum quipu_sql_type { QUIPU_SQL_NULL, QUIPU_SQL_INTEGER, QUIPU_SQL_REAL, QUIPU_SQL_TEXT, QUIPU_SQL_BYTES };

/* A value of the row. Texts and bytes are valid until the next row; text is there for every type but null, and of a number reads back as the same. */
struct quipu_sql_value {
    enum quipu_sql_type type;
    int64_t i;
    double f;
    const char *text;
    size_t size; /* of text */
};
QUIPU_API struct quipu_sql_value quipu_sql_at(struct quipu_sql *sql, size_t column);

/* All rows that are left, as a table whose columns have the types of their values: I64; F64, where some values have fractions; TEXT, where some are
 * texts or bytes, which end at a NUL. The caller frees it, and before the next statement begins. */
QUIPU_API enum quipu_status quipu_sql_table(struct quipu_sql *sql, struct quipu_table **out,
                                            struct quipu_error *err);

/* Lets the statement that is running fail soon. Any thread and any handler of signals may call it. */
QUIPU_API void quipu_sql_stop(struct quipu_sql *sql);

/* ---- Databases ---- */

/* Writes a trace as a database of SQLite: the tables that are made while it is read and those of definitions, with keys, indexes on times,
 * locations, regions and calls, and the views. It appears under its name when it is complete. replace: an older file may be
 * replaced, else that is QUIPU_EXISTS. guard may be NULL. */
QUIPU_API enum quipu_status quipu_sql_write(struct quipu_reader *reader, const char *path, bool replace,
                                            struct quipu_guard *guard, struct quipu_error *err);

#ifdef __cplusplus
}
#endif
#endif
