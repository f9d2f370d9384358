/* sql.c: see quipu/sql.h: a database without files, whose tables are those of traces, and its statements. */
#include "core/error.h"
#include "core/real.h"
#include "relation/sql.h"
#include "trace/reader.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Errors ---- */

static enum quipu_status status_of(int code) {
    static const struct {
        int code;
        enum quipu_status status;
    } statuses[] = {
        {SQLITE_NOMEM, QUIPU_NO_MEMORY}, {SQLITE_INTERRUPT, QUIPU_STOPPED}, {SQLITE_FULL, QUIPU_IO},
        {SQLITE_IOERR, QUIPU_IO},        {SQLITE_CANTOPEN, QUIPU_IO},       {SQLITE_TOOBIG, QUIPU_LIMIT},
        {SQLITE_READONLY, QUIPU_IO},     {SQLITE_CORRUPT, QUIPU_IO},        {SQLITE_NOTADB, QUIPU_IO},
    };
    enum quipu_status status = QUIPU_MISUSE;
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        status = statuses[i].code == (code & 0xff) ? statuses[i].status : status;
    return status;
}

/* What a table has said is worth more than what SQLite makes of it. */
static enum quipu_status fail(struct quipu_sql *sql, int code, struct quipu_error *err) {
    if (sql->err.status != QUIPU_OK) {
        if (err)
            *err = sql->err;
        return sql->err.status;
    }
    if ((code & 0xff) == SQLITE_AUTH) {
        quipu__fail(err, QUIPU_MISUSE, "only queries: nothing can be written or changed");
        return QUIPU_MISUSE;
    }
    const bool is_known = sqlite3_errcode(sql->db) != SQLITE_OK;
    quipu__fail(err, status_of(code), "%s", is_known ? sqlite3_errmsg(sql->db) : sqlite3_errstr(code));
    if (status_of(code) == QUIPU_NO_MEMORY)
        quipu__advise(err, QUIPU__MEMORY_ADVICE);
    return status_of(code);
}

/* ---- The database ---- */

/* Queries, and what describes tables. */
static int authorise(void *context, int action, const char *first, const char *second, const char *schema,
                     const char *trigger) {
    static const char *const pragmas[] = {"table_info", "table_xinfo", "table_list", "database_list",
                                          "function_list"};
    (void)context;
    (void)second;
    (void)schema;
    (void)trigger;
    if (action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_FUNCTION ||
        action == SQLITE_RECURSIVE)
        return SQLITE_OK;
    for (size_t i = 0; action == SQLITE_PRAGMA && i < sizeof pragmas / sizeof *pragmas; i++)
        if (sqlite3_stricmp(first, pragmas[i]) == 0)
            return SQLITE_OK;
    return SQLITE_DENY;
}

enum { STEPS_BETWEEN_REPORTS = 100000 };

static int report(void *context) {
    const struct quipu_sql *sql = context;
    return !sql->progress.report(sql->progress.context, 0, QUIPU_UNKNOWN, 0);
}

enum quipu_status quipu__sql_open(const char *path, const char *files, struct quipu_sql **out,
                                  struct quipu_error *err) {
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (path ? 0 : SQLITE_OPEN_MEMORY);
    struct quipu__memory memory;
    *out = NULL;
    const enum quipu_status found = quipu__sqlite_load(err);
    if (found != QUIPU_OK)
        return found;
    quipu__memory_init(&memory, NULL, 0);
    struct quipu_sql *sql = *out = quipu__alloc_zero(&memory, sizeof *sql);
    if (!sql)
        return quipu__no_memory(err, sizeof *sql);
    sql->memory = memory;
    sql->err = (struct quipu_error)QUIPU_ERROR_INIT;
    quipu__arena_init(&sql->names, &sql->memory);
    enum { VALUE_MOST = 64 << 20 };
    int code = sqlite3_open_v2(path ? path : ":memory:", &sql->db, flags, files);
    if (code == SQLITE_OK)
        code = sqlite3_db_config(sql->db, SQLITE_DBCONFIG_DQS_DML, 0, NULL); /* "x" is a name, never a text */
    if (code == SQLITE_OK)
        (void)sqlite3_limit(sql->db, SQLITE_LIMIT_LENGTH, VALUE_MOST);
    if (code == SQLITE_OK)
        code = sqlite3_create_module_v2(sql->db, "quipu", &quipu__sql_module, sql, NULL);
    if (code == SQLITE_OK)
        code = quipu__sql_functions_create(sql);
    if (code == SQLITE_OK)
        return QUIPU_OK;
    const enum quipu_status status = sql->db ? fail(sql, code, err) : quipu__no_memory(err, 0);
    quipu_sql_free(sql);
    *out = NULL;
    return status;
}

enum quipu_status quipu_sql_new(const struct quipu_sql_options *given, struct quipu_sql **out,
                                struct quipu_error *err) {
    struct quipu_sql_options options = QUIPU_SQL_OPTIONS_INIT;
    if (given)
        memcpy(&options, given, given->size < sizeof options ? given->size : sizeof options);
    const enum quipu_status status = quipu__sql_open(NULL, NULL, out, err);
    if (status == QUIPU_OK && options.heap_limit > 0)
        (void)sqlite3_hard_heap_limit64((sqlite3_int64)options.heap_limit);
    if (status == QUIPU_OK && options.progress.report) {
        (*out)->progress = options.progress;
        sqlite3_progress_handler((*out)->db, STEPS_BETWEEN_REPORTS, report, *out);
    }
    return status;
}

/* Ends the statement, and its columns. */
static void end_statement(struct quipu_sql *sql) {
    sqlite3_finalize(sql->statement);
    for (size_t i = 0; i < sql->output_count; i++)
        sqlite3_free(sql->outputs[i].name);
    sqlite3_free(sql->outputs);
    sql->statement = NULL;
    sql->outputs = NULL;
    sql->output_count = 0;
}

void quipu_sql_free(struct quipu_sql *sql) {
    if (!sql)
        return;
    end_statement(sql);
    sqlite3_close_v2(sql->db);
    for (size_t i = 0; i < sql->trace_count; i++)
        quipu__sql_trace_free(sql->traces[i]);
    QUIPU__VEC_RELEASE(&sql->memory, &sql->columns);
    quipu__arena_release(&sql->names);
    struct quipu__memory memory = sql->memory;
    quipu__release(&memory, sql, sizeof *sql);
}

/* ---- Traces ---- */

enum quipu_status quipu__sql_execute(struct quipu_sql *sql, struct quipu_error *err, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = sqlite3_vmprintf(format, arguments);
    va_end(arguments);
    const int code = text ? sqlite3_exec(sql->db, text, NULL, NULL, NULL) : SQLITE_NOMEM;
    sqlite3_free(text);
    return code == SQLITE_OK ? QUIPU_OK : fail(sql, code, err);
}

enum quipu_status quipu__sql_create_views(struct quipu_sql *sql, const char *schema, struct quipu_error *err) {
    static const struct {
        const char *name, *query;
    } views[] = {
#define SQL_VIEW(name, query) {#name, query},
#include "relation/sql_views.def"
    };
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; status == QUIPU_OK && i < sizeof views / sizeof *views; i++)
        status = quipu__sql_execute(sql, err, "CREATE VIEW \"%w\".\"%w\" AS %s", schema, views[i].name,
                                    views[i].query);
    return status;
}

static enum quipu_status create_tables(struct quipu_sql *sql, const char *schema, struct quipu_error *err) {
    struct quipu__relation relation;
    char name[QUIPU_RELATION_NAME];
    enum quipu_status status = quipu__sql_execute(sql, err, "ATTACH ':memory:' AS \"%w\"", schema);
    for (size_t i = 0; status == QUIPU_OK && quipu__relation_at(i, &relation, name); i++)
        status = quipu__sql_execute(sql, err, "CREATE VIRTUAL TABLE \"%w\".\"%w\" USING quipu", schema, name);
    return status == QUIPU_OK ? quipu__sql_create_views(sql, schema, err) : status;
}

enum quipu_status quipu_sql_add(struct quipu_sql *sql, const char *schema, struct quipu_reader *reader,
                                struct quipu_error *err) {
    const size_t len = strlen(schema);
    if (len == 0 || len >= sizeof sql->traces[0]->schema ||
        strspn(schema, "abcdefghijklmnopqrstuvwxyz") != len || strcmp(schema, "main") == 0 ||
        strcmp(schema, "temp") == 0)
        return quipu__fail(err, QUIPU_MISUSE, "\"%s\" is no name of a schema", schema);
    if (sql->trace_count == QUIPU_SQL_TRACES)
        return quipu__fail(err, QUIPU_LIMIT, "there are no more than %d traces at a time", QUIPU_SQL_TRACES);
    struct quipu__sql_trace *trace = quipu__sql_trace_new(sql, schema, reader);
    if (!trace)
        return quipu__no_memory(err, sizeof *trace);
    sql->traces[sql->trace_count++] = trace;
    sqlite3_set_authorizer(sql->db, NULL, NULL);
    const enum quipu_status status = create_tables(sql, schema, err);
    sqlite3_set_authorizer(sql->db, authorise, NULL);
    return status;
}

/* ---- Statements ---- */

static bool has_output(const struct quipu_sql *sql, const char *name) {
    for (size_t i = 0; i < sql->output_count; i++)
        if (strcmp(sql->outputs[i].name, name) == 0)
            return true;
    return false;
}

/* How many of the columns before one have the name that SQLite gives to it. */
static int count_before(const struct quipu_sql *sql, int column, const char *name) {
    int count = 0;
    for (int i = 0; i < column; i++)
        count += strcmp(sqlite3_column_name(sql->statement, i), name) == 0;
    return count;
}

/* The second "region" is "region:1", as in tables that SQLite makes of queries; NULL when memory is out. */
static char *unique_name(const struct quipu_sql *sql, int column, const char *name) {
    int number = count_before(sql, column, name);
    char *unique = number == 0 ? sqlite3_mprintf("%s", name) : sqlite3_mprintf("%s:%d", name, number);
    while (unique && has_output(sql, unique)) {
        sqlite3_free(unique);
        unique = sqlite3_mprintf("%s:%d", name, ++number);
    }
    return unique;
}

static enum quipu_status make_outputs(struct quipu_sql *sql, struct quipu_error *err) {
    const int count = sqlite3_column_count(sql->statement);
    sql->outputs = sqlite3_malloc64((1 + (size_t)count) * sizeof *sql->outputs);
    if (!sql->outputs)
        return fail(sql, SQLITE_NOMEM, err);
    for (int i = 0; i < count; i++) {
        const char *name = sqlite3_column_name(sql->statement, i);
        char *unique = name ? unique_name(sql, i, name) : NULL;
        if (!unique)
            return fail(sql, SQLITE_NOMEM, err);
        sql->outputs[sql->output_count++] = (struct quipu__sql_output){.name = unique, .type = SQLITE_NULL};
    }
    return QUIPU_OK;
}

enum quipu_status quipu_sql_begin(struct quipu_sql *sql, const char *text, const char **rest,
                                  struct quipu_error *err) {
    end_statement(sql);
    quipu_error_clear(&sql->err);
    for (; *text && !sql->statement; text = *rest) {
        const int code = sqlite3_prepare_v2(sql->db, text, -1, &sql->statement, rest);
        if (code != SQLITE_OK)
            return fail(sql, code, err);
    }
    *rest = text;
    if (!sql->statement)
        return QUIPU_END;
    if (!sqlite3_stmt_readonly(sql->statement))
        return fail(sql, SQLITE_AUTH, err);
    return make_outputs(sql, err);
}

bool quipu_sql_is_complete(const char *text) {
    return quipu__sqlite_load(NULL) != QUIPU_OK || sqlite3_complete(text) != 0;
}

size_t quipu_sql_column_count(const struct quipu_sql *sql) {
    return sql->output_count;
}

const char *quipu_sql_column_name(const struct quipu_sql *sql, size_t column) {
    return sql->outputs[column].name;
}

/* NULL when there is no memory for the text of a number. */
static const char *text_of(struct quipu_sql *sql, int column) {
    if (sql->outputs[column].type != SQLITE_BLOB)
        return (const char *)sqlite3_column_text(sql->statement, column);
    const char *bytes = sqlite3_column_blob(sql->statement, column);
    return bytes ? bytes : "";
}

/* Makes all texts, so that none is missing afterwards. Types are asked before: a text that was made leaves them undefined. */
static bool make_texts(struct quipu_sql *sql) {
    bool are_made = true;
    for (int i = 0; i < sqlite3_column_count(sql->statement) && are_made; i++) {
        sql->outputs[i].type = sqlite3_column_type(sql->statement, i);
        are_made = sql->outputs[i].type == SQLITE_NULL || text_of(sql, i);
    }
    return are_made;
}

enum quipu_status quipu_sql_next(struct quipu_sql *sql, struct quipu_error *err) {
    const int code = sqlite3_step(sql->statement);
    if (code == SQLITE_ROW)
        return make_texts(sql) ? QUIPU_OK : fail(sql, SQLITE_NOMEM, err);
    return code == SQLITE_DONE ? QUIPU_END : fail(sql, code, err);
}

/* SQLite writes 15 digits of a number; here it has as many as are needed to read the same number again. */
static void set_number(struct quipu__sql_output *output, struct quipu_sql_value *value) {
    enum { FIRST = 16, LAST = 17 };
    double again = quipu__read_real(value->text, NULL);
    for (int digits = FIRST; digits <= LAST && isfinite(value->f) && (again < value->f || again > value->f);
         digits++) {
        quipu__print(output->number, sizeof output->number, "%.*g", digits, value->f);
        again = quipu__read_real(output->number, NULL);
        value->text = output->number;
        value->size = strlen(output->number);
    }
}

struct quipu_sql_value quipu_sql_at(struct quipu_sql *sql, size_t column) {
    static const enum quipu_sql_type types[] = {[SQLITE_NULL] = QUIPU_SQL_NULL,
                                                [SQLITE_INTEGER] = QUIPU_SQL_INTEGER,
                                                [SQLITE_FLOAT] = QUIPU_SQL_REAL,
                                                [SQLITE_TEXT] = QUIPU_SQL_TEXT,
                                                [SQLITE_BLOB] = QUIPU_SQL_BYTES};
    const int number = (int)column;
    struct quipu_sql_value value = {.type = types[sql->outputs[number].type]};
    if (value.type == QUIPU_SQL_INTEGER)
        value.i = sqlite3_column_int64(sql->statement, number);
    if (value.type == QUIPU_SQL_REAL)
        value.f = sqlite3_column_double(sql->statement, number);
    value.text = value.type == QUIPU_SQL_NULL ? NULL : text_of(sql, number);
    value.size = (size_t)sqlite3_column_bytes(sql->statement, number);
    if (value.type == QUIPU_SQL_REAL)
        set_number(&sql->outputs[column], &value);
    return value;
}

void quipu_sql_stop(struct quipu_sql *sql) {
    sqlite3_interrupt(sql->db);
}
