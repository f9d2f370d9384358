/* sql_absent.c: in place of SQL, where the library was built without SQLite. */
#include "core/error.h"

#include <quipu/sql.h>

static enum quipu_status refuse(struct quipu_error *err) {
    quipu__fail(err, QUIPU_UNSUPPORTED, "there is no SQL in this build, which has no SQLite");
    quipu__advise(err, "install libsqlite3-dev and build again");
    return QUIPU_UNSUPPORTED;
}

enum quipu_status quipu_sql_new(const struct quipu_sql_options *options, struct quipu_sql **out,
                                struct quipu_error *err) {
    (void)options;
    *out = NULL;
    return refuse(err);
}

void quipu_sql_free(struct quipu_sql *sql) {
    (void)sql;
}

enum quipu_status quipu_sql_add(struct quipu_sql *sql, const char *schema, struct quipu_reader *reader,
                                struct quipu_error *err) {
    (void)sql;
    (void)schema;
    (void)reader;
    return refuse(err);
}

enum quipu_status quipu_sql_begin(struct quipu_sql *sql, const char *text, const char **rest,
                                  struct quipu_error *err) {
    (void)sql;
    (void)text;
    (void)rest;
    return refuse(err);
}

bool quipu_sql_is_complete(const char *text) {
    (void)text;
    return true;
}

size_t quipu_sql_column_count(const struct quipu_sql *sql) {
    (void)sql;
    return 0;
}

const char *quipu_sql_column_name(const struct quipu_sql *sql, size_t column) {
    (void)sql;
    (void)column;
    return "";
}

enum quipu_status quipu_sql_next(struct quipu_sql *sql, struct quipu_error *err) {
    (void)sql;
    return refuse(err);
}

struct quipu_sql_value quipu_sql_at(struct quipu_sql *sql, size_t column) {
    (void)sql;
    (void)column;
    return (struct quipu_sql_value){.type = QUIPU_SQL_NULL};
}

enum quipu_status quipu_sql_table(struct quipu_sql *sql, struct quipu_table **out, struct quipu_error *err) {
    (void)sql;
    *out = NULL;
    return refuse(err);
}

void quipu_sql_stop(struct quipu_sql *sql) {
    (void)sql;
}

enum quipu_status quipu_sql_write(struct quipu_reader *reader, const char *path, bool replace,
                                  struct quipu_guard *guard, struct quipu_error *err) {
    (void)reader;
    (void)path;
    (void)replace;
    (void)guard;
    return refuse(err);
}
