/* sql.h: relations as virtual tables of SQLite. */
#ifndef QUIPU_RELATION_SQL_H
#define QUIPU_RELATION_SQL_H

#include "relation/relation.h"
#include "relation/sqlite.h"

#include <quipu/sql.h>

/* A reader of a trace: the one that was added, or one that was opened because that was in use. */
struct quipu__sql_reader {
    struct quipu_reader *reader;
    bool is_used, is_own;
};

/* Rows of a table that is whole, kept as long as other queries may ask for them: which one, with which options. */
struct quipu__sql_answer {
    char *key;
    size_t key_size;
    size_t users;
    QUIPU__VEC(struct quipu__rows *) chunks;
};

struct quipu__sql_trace {
    struct quipu__memory memory;
    struct quipu_sql *sql;
    char schema[32];
    QUIPU__VEC(struct quipu__sql_reader) readers;
    QUIPU__VEC(struct quipu__sql_answer *) answers;
};

/* A column of the rows of a statement. */
struct quipu__sql_output {
    char *name;      /* in memory of SQLite */
    int type;        /* of its value in the row, in SQLite's numbers */
    char number[32]; /* that value, where SQLite's text has too few digits */
};

struct quipu_sql {
    struct quipu__memory memory;
    sqlite3 *db;
    sqlite3_stmt *statement;
    struct quipu__sql_output *outputs; /* in memory of SQLite */
    size_t output_count;
    struct quipu__sql_trace *traces[QUIPU_SQL_TRACES];
    size_t trace_count;
    struct quipu_error err; /* why a table could not be read */
    struct quipu_progress progress;
    QUIPU__VEC(struct quipu_table_column) columns; /* of the last table of rows */
    struct quipu__arena names;                     /* of them */
};

/* quipu_sql_new on a database in a file, by a module of SQLite for files; NULL: without a file. */
enum quipu_status quipu__sql_open(const char *path, const char *files, struct quipu_sql **out,
                                  struct quipu_error *err);

/* Carries out what is no query of a user, by a format of SQLite. A failure is worded. */
enum quipu_status quipu__sql_execute(struct quipu_sql *sql, struct quipu_error *err, const char *format, ...);

/* Makes the views with Perfetto's names in a schema. */
enum quipu_status quipu__sql_create_views(struct quipu_sql *sql, const char *schema, struct quipu_error *err);

/* The type of a column in SQL. */
const char *quipu__sql_type(enum quipu_column_type type);

/* The module of virtual tables; its data is a struct quipu_sql. A table's trace is that of its schema, its relation that of its name; or arguments
 * name both. */
extern const sqlite3_module quipu__sql_module;

/* A trace that uses a reader; NULL when memory is out. */
struct quipu__sql_trace *quipu__sql_trace_new(struct quipu_sql *sql, const char *schema,
                                              struct quipu_reader *reader);
void quipu__sql_trace_free(struct quipu__sql_trace *trace);

/* Makes the functions for units, texts, percentiles and arguments of slices; a code of SQLite. */
int quipu__sql_functions_create(struct quipu_sql *sql);

/* A reader that is not in use; the caller gives it back by setting is_used. */
enum quipu_status quipu__sql_reader_take(struct quipu__sql_trace *trace, size_t *out, struct quipu_error *err);

/* All rows of a table that is whole. The caller counts users down when it is done. */
enum quipu_status quipu__sql_answer_find(struct quipu__sql_trace *trace, const struct quipu__relation *relation,
                                         const struct quipu_relation_options *options,
                                         struct quipu__sql_answer **out, struct quipu_error *err);

#endif
