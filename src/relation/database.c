/* database.c: quipu_sql_write: a trace as a database of SQLite. Its tables are what tables of SQL say, with their types, keys and
 * indexes. */
#include "core/error.h"
#include "core/files/output.h"
#include "relation/sql.h"
#include "trace/writer.h"

#include <stdio.h>
#include <string.h>

/* ---- Tables ---- */

/* The table that a column refers to with the number of a definition; NULL when it does not, or to one of several. All that are
 * not listed are locations. */
static const char *referred_table(const struct quipu_table_column *column) {
    static const struct {
        const char *column, *table;
    } others[] = {{"region_number", "regions"},   {"parent_number", "regions"},
                  {"within_number", "regions"},   {"communicator_number", "communicators"},
                  {"window_number", NULL},        {"file_number", "files"},
                  {"channel_number", "channels"}, {"metric_number", "metrics"},
                  {"marker_number", "markers"},   {"type_number", "task_types"}};
    const char *name = strstr(column->name, "_number");
    if (!name || strcmp(name, "_number") != 0)
        return NULL;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(others[i].column, column->name) == 0)
            return others[i].table;
    return "locations";
}

/* Without a type where numbers may be texts, since they pass 2^63 - 1: SQLite would make REAL of them. */
static const char *type_of(const struct quipu_table_column *column, bool is_key) {
    const bool may_be_text = column->type == QUIPU_TYPE_U64 || column->type == QUIPU_TYPE_DECIMAL;
    return may_be_text && !is_key ? "" : quipu__sql_type(column->type);
}

static char *declaration_of(struct quipu_sql *sql, const struct quipu__relation *relation, const char *name) {
    sqlite3_str *text = sqlite3_str_new(sql->db);
    sqlite3_str_appendf(text, "CREATE TABLE main.\"%w\"(", name);
    for (size_t i = 0; i < relation->column_count; i++) {
        const struct quipu_table_column *column = &relation->columns[i];
        const bool is_key = !relation->is_streamed && i == 0;
        const char *table = relation->is_streamed ? referred_table(column) : NULL;
        sqlite3_str_appendf(text, "%s\"%w\" %s%s", i > 0 ? ", " : "", column->name, type_of(column, is_key),
                            is_key ? " PRIMARY KEY" : "");
        if (table)
            sqlite3_str_appendf(text, " REFERENCES \"%w\"", table);
    }
    sqlite3_str_appendall(text, ")");
    return sqlite3_str_finish(text);
}

/* Times, and what rows are looked for by: where, and which call. */
static bool is_indexed(const struct quipu_table_column *column) {
    static const char *const names[] = {"location_number", "region_number", "sender_number", "receiver_number",
                                        "call"};
    bool is_listed = column->type == QUIPU_TYPE_TIME;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        is_listed |= strcmp(names[i], column->name) == 0;
    return is_listed;
}

static enum quipu_status write_indexes(struct quipu_sql *sql, const struct quipu__relation *relation,
                                       const char *name, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < relation->column_count && relation->is_streamed && status == QUIPU_OK; i++)
        if (is_indexed(&relation->columns[i]))
            status = quipu__sql_execute(sql, err, "CREATE INDEX main.\"%w_%w\" ON \"%w\"(\"%w\")", name,
                                        relation->columns[i].name, name, relation->columns[i].name);
    return status;
}

static enum quipu_status write_table(struct quipu_sql *sql, const struct quipu__relation *relation,
                                     const char *name, struct quipu_error *err) {
    char *declaration = declaration_of(sql, relation, name);
    if (!declaration)
        return quipu__no_memory(err, 0);
    enum quipu_status status = quipu__sql_execute(sql, err, "%s", declaration);
    sqlite3_free(declaration);
    if (status == QUIPU_OK)
        status = quipu__sql_execute(sql, err, "INSERT INTO main.\"%w\" SELECT * FROM a.\"%w\"", name, name);
    return status == QUIPU_OK ? write_indexes(sql, relation, name, err) : status;
}

/* What is in a trace; answers of analyses can be asked for at any time. */
static enum quipu_status write_tables(struct quipu_sql *sql, struct quipu_error *err) {
    struct quipu__relation relation;
    char name[QUIPU_RELATION_NAME];
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; status == QUIPU_OK && quipu__relation_at(i, &relation, name); i++)
        if (!relation.fold)
            status = write_table(sql, &relation, name, err);
    return status == QUIPU_OK ? quipu__sql_create_views(sql, "main", err) : status;
}

/* ---- The database ---- */

/* What SQLite cannot do with a file is a failure of the output, unless a table has failed. */
static enum quipu_status of_output(const struct quipu_sql *sql, enum quipu_status status, const char *path,
                                   struct quipu_error *err) {
    char reason[sizeof err->message];
    if (status != QUIPU_IO || (sql && sql->err.status != QUIPU_OK))
        return status;
    snprintf(reason, sizeof reason, "%s", err->message);
    quipu__fail(err, QUIPU_OUTPUT, "cannot be written: %s", reason);
    quipu__at(err, path, QUIPU_UNKNOWN);
    quipu__advise(err, "free some space, or write to another file system");
    return QUIPU_OUTPUT;
}

static enum quipu_status write_all(struct quipu_sql *sql, struct quipu_error *err) {
    enum quipu_status status =
        quipu__sql_execute(sql, err, "PRAGMA main.journal_mode = OFF; PRAGMA main.synchronous = OFF; BEGIN");
    if (status == QUIPU_OK)
        status = write_tables(sql, err);
    return status == QUIPU_OK ? quipu__sql_execute(sql, err, "COMMIT") : status;
}

/* The file becomes visible when it is complete, so nothing guards it until then. */
static enum quipu_status write_database(struct quipu_reader *reader, const char *temporary, const char *path,
                                        struct quipu_error *err) {
    struct quipu_sql *sql;
    enum quipu_status status = quipu__sql_open(temporary, "unix-none", &sql, err);
    if (status != QUIPU_OK)
        return of_output(NULL, status, path, err);
    status = quipu_sql_add(sql, "a", reader, err);
    sqlite3_set_authorizer(sql->db, NULL, NULL);
    if (status == QUIPU_OK)
        status = of_output(sql, write_all(sql, err), path, err);
    quipu_sql_free(sql);
    return status;
}

enum quipu_status quipu_sql_write(struct quipu_reader *reader, const char *path, bool replace,
                                  struct quipu_guard *guard, struct quipu_error *err) {
    struct quipu__outputs *outputs = NULL;
    struct quipu__file *file;
    const char *temporary;
    struct quipu__memory memory;
    struct quipu_error own = QUIPU_ERROR_INIT;
    err = err ? err : &own;
    quipu__memory_init(&memory, NULL, 0);
    enum quipu_status status = quipu__outputs_new(&memory, replace, 0, guard, &outputs, err);
    if (status == QUIPU_OK)
        status = quipu__outputs_protect_reader(outputs, reader, err);
    if (status == QUIPU_OK)
        status = quipu__outputs_add(outputs, path, 0, &file, err);
    if (status == QUIPU_OK)
        status = quipu__file_create(file, &temporary, err);
    if (status == QUIPU_OK && !temporary)
        status = quipu__fail(err, QUIPU_MISUSE, "%s: a database must be a file", path);
    if (status == QUIPU_OK)
        status = write_database(reader, temporary, path, err);
    if (status == QUIPU_OK)
        return quipu__outputs_commit(outputs, err);
    quipu__outputs_discard(outputs);
    return status;
}
