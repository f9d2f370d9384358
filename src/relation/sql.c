/* sql.c: see quipu/sql.h: a database without files, whose tables are those of traces, and its statements. */
#include "core/error.h"
#include "core/text.h"
#include "index/identity.h"
#include "relation/sql.h"
#include "trace/reader.h"

#include <stdio.h>
#include <string.h>

/* ---- Errors ---- */

static enum quipu_status status_of(int code) {
    static const struct {
        int code;
        enum quipu_status status;
    } statuses[] = {
        {SQLITE_NOMEM, QUIPU_NO_MEMORY}, {SQLITE_INTERRUPT, QUIPU_STOPPED}, {SQLITE_FULL, QUIPU_IO},
        {SQLITE_IOERR, QUIPU_IO},        {SQLITE_CANTOPEN, QUIPU_IO},       {SQLITE_TOOBIG, QUIPU_LIMIT},
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
    quipu__fail(err, status_of(code), "%s", sqlite3_errmsg(sql->db));
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

enum quipu_status quipu_sql_new(const struct quipu_sql_options *given, struct quipu_sql **out,
                                struct quipu_error *err) {
    struct quipu_sql_options options = QUIPU_SQL_OPTIONS_INIT;
    struct quipu__memory memory;
    if (given)
        memcpy(&options, given, given->size < sizeof options ? given->size : sizeof options);
    quipu__memory_init(&memory, NULL, 0);
    struct quipu_sql *sql = *out = quipu__alloc_zero(&memory, sizeof *sql);
    if (!sql)
        return quipu__no_memory(err, sizeof *sql);
    sql->memory = memory;
    sql->err = (struct quipu_error)QUIPU_ERROR_INIT;
    sql->progress = options.progress;
    quipu__arena_init(&sql->names, &sql->memory);
    if (options.heap_limit > 0)
        (void)sqlite3_hard_heap_limit64((sqlite3_int64)options.heap_limit);
    int code = sqlite3_open_v2(":memory:", &sql->db,
                               SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_db_config(sql->db, SQLITE_DBCONFIG_DQS_DML, 0, NULL); /* "x" is a name, never a text */
    if (code == SQLITE_OK)
        code = sqlite3_create_module_v2(sql->db, "quipu", &quipu__sql_module, sql, NULL);
    if (code == SQLITE_OK && sql->progress.report)
        sqlite3_progress_handler(sql->db, STEPS_BETWEEN_REPORTS, report, sql);
    if (code == SQLITE_OK)
        return QUIPU_OK;
    const enum quipu_status status = sql->db ? fail(sql, code, err) : quipu__no_memory(err, 0);
    quipu_sql_free(sql);
    *out = NULL;
    return status;
}

static void answer_free(struct quipu__sql_trace *trace, struct quipu__sql_answer *answer) {
    for (size_t i = 0; i < answer->chunks.count; i++)
        quipu__rows_free(answer->chunks.items[i]);
    QUIPU__VEC_RELEASE(&trace->memory, &answer->chunks);
    quipu__release(&trace->memory, answer->key, answer->key_size);
    quipu__release(&trace->memory, answer, sizeof *answer);
}

static void release_trace(struct quipu__sql_trace *trace) {
    for (size_t i = 0; i < trace->answers.count; i++)
        answer_free(trace, trace->answers.items[i]);
    QUIPU__VEC_RELEASE(&trace->memory, &trace->answers);
    for (size_t i = 0; i < trace->readers.count; i++)
        if (trace->readers.items[i].is_own)
            quipu_reader_close(trace->readers.items[i].reader);
    QUIPU__VEC_RELEASE(&trace->memory, &trace->readers);
    struct quipu__memory memory = trace->memory;
    quipu__release(&memory, trace, sizeof *trace);
}

void quipu_sql_free(struct quipu_sql *sql) {
    if (!sql)
        return;
    sqlite3_finalize(sql->statement);
    sqlite3_close_v2(sql->db);
    for (size_t i = 0; i < sql->trace_count; i++)
        release_trace(sql->traces[i]);
    QUIPU__VEC_RELEASE(&sql->memory, &sql->columns);
    quipu__arena_release(&sql->names);
    struct quipu__memory memory = sql->memory;
    quipu__release(&memory, sql, sizeof *sql);
}

/* ---- Traces ---- */

static int execute(struct quipu_sql *sql, const char *format, const char *first, const char *second) {
    char *text = sqlite3_mprintf(format, first, second);
    const int code = text ? sqlite3_exec(sql->db, text, NULL, NULL, NULL) : SQLITE_NOMEM;
    sqlite3_free(text);
    return code;
}

static int create_tables(struct quipu_sql *sql, const char *schema) {
    struct quipu__relation relation;
    char name[QUIPU_RELATION_NAME];
    int code = execute(sql, "ATTACH ':memory:' AS \"%w\"%s", schema, "");
    for (size_t i = 0; code == SQLITE_OK && quipu__relation_at(i, &relation, name); i++)
        code = execute(sql, "CREATE VIRTUAL TABLE \"%w\".\"%w\" USING quipu", schema, name);
    return code;
}

static struct quipu__sql_trace *trace_new(struct quipu_sql *sql, const char *schema,
                                          struct quipu_reader *reader) {
    struct quipu__memory memory;
    quipu__memory_like(&memory, quipu__reader_trace(reader)->memory);
    struct quipu__sql_trace *trace = quipu__alloc_zero(&memory, sizeof *trace);
    if (!trace)
        return NULL;
    trace->memory = memory;
    trace->sql = sql;
    snprintf(trace->schema, sizeof trace->schema, "%s", schema);
    struct quipu__sql_reader *first = QUIPU__VEC_ADD(&trace->memory, &trace->readers);
    if (!first) {
        release_trace(trace);
        return NULL;
    }
    first->reader = reader;
    return trace;
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
    struct quipu__sql_trace *trace = trace_new(sql, schema, reader);
    if (!trace)
        return quipu__no_memory(err, sizeof *trace);
    sql->traces[sql->trace_count++] = trace;
    sqlite3_set_authorizer(sql->db, NULL, NULL);
    const int code = create_tables(sql, schema);
    sqlite3_set_authorizer(sql->db, authorise, NULL);
    return code == SQLITE_OK ? QUIPU_OK : fail(sql, code, err);
}

/* ---- Readers ---- */

/* A trace that is opened again must look like what it was. */
static enum quipu_status check_unchanged(struct quipu__sql_trace *trace, struct quipu_reader *reader,
                                         struct quipu_error *err) {
    struct quipu__buffer first, again;
    quipu__buffer_init(&first, &trace->memory, 0);
    quipu__buffer_init(&again, &trace->memory, 0);
    enum quipu_status status =
        quipu__identity_put_stamps(quipu__reader_trace(trace->readers.items[0].reader), &first, err);
    if (status == QUIPU_OK)
        status = quipu__identity_put_stamps(quipu__reader_trace(reader), &again, err);
    if (status == QUIPU_OK && (first.failed || again.failed))
        status = quipu__no_memory(err, first.len);
    if (status == QUIPU_OK && (first.len != again.len || memcmp(first.data, again.data, first.len) != 0))
        status = quipu__fail(err, QUIPU_CORRUPT, "the trace has changed since it was opened");
    quipu__buffer_release(&first);
    quipu__buffer_release(&again);
    return status;
}

static enum quipu_status open_again(struct quipu__sql_trace *trace, size_t *out, struct quipu_error *err) {
    struct quipu_reader *reader;
    enum quipu_status status = quipu__reader_open_again(trace->readers.items[0].reader, &reader, err);
    if (status == QUIPU_OK)
        status = check_unchanged(trace, reader, err);
    struct quipu__sql_reader *added =
        status == QUIPU_OK ? QUIPU__VEC_ADD(&trace->memory, &trace->readers) : NULL;
    if (status == QUIPU_OK && !added)
        status = quipu__no_memory(err, sizeof *added);
    if (!added) {
        quipu_reader_close(reader);
        return status;
    }
    *added = (struct quipu__sql_reader){reader, true, true};
    *out = trace->readers.count - 1;
    return QUIPU_OK;
}

enum quipu_status quipu__sql_reader_take(struct quipu__sql_trace *trace, size_t *out, struct quipu_error *err) {
    for (size_t i = 0; i < trace->readers.count; i++)
        if (!trace->readers.items[i].is_used) {
            trace->readers.items[i].is_used = true;
            *out = i;
            return QUIPU_OK;
        }
    return open_again(trace, out, err);
}

/* ---- Answers ---- */

enum { ANSWERS_MOST = 32 };

/* Forgets answers that are not used when there are many. */
static void forget_answers(struct quipu__sql_trace *trace, size_t most) {
    size_t count = 0;
    for (size_t i = 0; i < trace->answers.count; i++) {
        struct quipu__sql_answer *answer = trace->answers.items[i];
        if (trace->answers.count <= most || answer->users > 0)
            trace->answers.items[count++] = answer;
        else
            answer_free(trace, answer);
    }
    trace->answers.count = count;
}

/* A text that two requests share when they ask for the same: names and values with their NULs. */
static bool put_key(struct quipu__buffer *key, const struct quipu__relation *relation,
                    const struct quipu_relation_options *options) {
    const void *shape = relation->shape;
    quipu__put(key, &shape, sizeof shape);
    for (size_t i = 0; i < options->setting_count; i++) {
        quipu__put(key, options->settings[i].name, strlen(options->settings[i].name) + 1);
        quipu__put(key, options->settings[i].value, strlen(options->settings[i].value) + 1);
    }
    return !key->failed;
}

static enum quipu_status read_answer(struct quipu__sql_trace *trace, struct quipu__sql_answer *answer,
                                     const struct quipu__relation *relation,
                                     const struct quipu_relation_options *options, struct quipu_error *err) {
    struct quipu__scan *scan = NULL;
    struct quipu__rows *rows;
    size_t reader;
    enum quipu_status status = quipu__sql_reader_take(trace, &reader, err);
    if (status != QUIPU_OK)
        return status;
    status = quipu__scan_new(trace->readers.items[reader].reader, relation, options, &scan, err);
    while (status == QUIPU_OK && (status = quipu__scan_next(scan, &rows, err)) == QUIPU_OK) {
        struct quipu__rows **chunk = QUIPU__VEC_ADD(&trace->memory, &answer->chunks);
        if (chunk)
            *chunk = rows;
        else
            quipu__rows_free(rows);
        status = quipu__memory_status(&trace->memory, err);
    }
    quipu__scan_free(scan);
    trace->readers.items[reader].is_used = false;
    return status == QUIPU_END ? QUIPU_OK : status;
}

static struct quipu__sql_answer *find_known(const struct quipu__sql_trace *trace,
                                            const struct quipu__buffer *key) {
    for (size_t i = 0; i < trace->answers.count; i++) {
        struct quipu__sql_answer *answer = trace->answers.items[i];
        if (answer->key_size == key->len && memcmp(answer->key, key->data, key->len) == 0)
            return answer;
    }
    return NULL;
}

static enum quipu_status make_answer(struct quipu__sql_trace *trace, const struct quipu__buffer *key,
                                     const struct quipu__relation *relation,
                                     const struct quipu_relation_options *options,
                                     struct quipu__sql_answer **out, struct quipu_error *err) {
    forget_answers(trace, ANSWERS_MOST);
    struct quipu__sql_answer **slot = QUIPU__VEC_ADD(&trace->memory, &trace->answers);
    struct quipu__sql_answer *answer = slot ? quipu__alloc_zero(&trace->memory, sizeof *answer) : NULL;
    trace->answers.count -= slot != NULL;
    if (!answer)
        return quipu__no_memory(err, sizeof *answer);
    enum quipu_status status = read_answer(trace, answer, relation, options, err);
    if (status == QUIPU_OK && !(answer->key = quipu__alloc(&trace->memory, key->len)))
        status = quipu__no_memory(err, key->len);
    if (status != QUIPU_OK) {
        answer_free(trace, answer);
        return status;
    }
    answer->key_size = key->len;
    memcpy(answer->key, key->data, key->len);
    trace->answers.items[trace->answers.count++] = *out = answer;
    return QUIPU_OK;
}

enum quipu_status quipu__sql_answer_find(struct quipu__sql_trace *trace, const struct quipu__relation *relation,
                                         const struct quipu_relation_options *options,
                                         struct quipu__sql_answer **out, struct quipu_error *err) {
    struct quipu__buffer key;
    enum quipu_status status = QUIPU_OK;
    quipu__memory_forgive(&trace->memory);
    quipu__buffer_init(&key, &trace->memory, 0);
    *out = NULL;
    if (!put_key(&key, relation, options))
        status = quipu__no_memory(err, key.len);
    else if (!(*out = find_known(trace, &key)))
        status = make_answer(trace, &key, relation, options, out, err);
    quipu__buffer_release(&key);
    if (status == QUIPU_OK)
        (*out)->users++;
    return status;
}

/* ---- Statements ---- */

enum quipu_status quipu_sql_begin(struct quipu_sql *sql, const char *text, const char **rest,
                                  struct quipu_error *err) {
    sqlite3_finalize(sql->statement);
    sql->statement = NULL;
    quipu_error_clear(&sql->err);
    for (; *text && !sql->statement; text = *rest) {
        const int code = sqlite3_prepare_v2(sql->db, text, -1, &sql->statement, rest);
        if (code != SQLITE_OK)
            return fail(sql, code, err);
    }
    *rest = text;
    if (!sql->statement)
        return QUIPU_END;
    return sqlite3_stmt_readonly(sql->statement) ? QUIPU_OK : fail(sql, SQLITE_AUTH, err);
}

size_t quipu_sql_column_count(const struct quipu_sql *sql) {
    return (size_t)sqlite3_column_count(sql->statement);
}

const char *quipu_sql_column_name(const struct quipu_sql *sql, size_t column) {
    const char *name = sqlite3_column_name(sql->statement, (int)column);
    return name ? name : "";
}

enum quipu_status quipu_sql_next(struct quipu_sql *sql, struct quipu_error *err) {
    const int code = sqlite3_step(sql->statement);
    if (code == SQLITE_ROW)
        return QUIPU_OK;
    return code == SQLITE_DONE ? QUIPU_END : fail(sql, code, err);
}

struct quipu_sql_value quipu_sql_at(struct quipu_sql *sql, size_t column) {
    static const enum quipu_sql_type types[] = {[SQLITE_NULL] = QUIPU_SQL_NULL,
                                                [SQLITE_INTEGER] = QUIPU_SQL_INTEGER,
                                                [SQLITE_FLOAT] = QUIPU_SQL_REAL,
                                                [SQLITE_TEXT] = QUIPU_SQL_TEXT,
                                                [SQLITE_BLOB] = QUIPU_SQL_BYTES};
    const int number = (int)column;
    struct quipu_sql_value value = {.type = types[sqlite3_column_type(sql->statement, number)]};
    if (value.type == QUIPU_SQL_INTEGER)
        value.i = sqlite3_column_int64(sql->statement, number);
    if (value.type == QUIPU_SQL_REAL)
        value.f = sqlite3_column_double(sql->statement, number);
    value.text = value.type == QUIPU_SQL_BYTES ? sqlite3_column_blob(sql->statement, number)
                                               : (const char *)sqlite3_column_text(sql->statement, number);
    value.size = (size_t)sqlite3_column_bytes(sql->statement, number);
    return value;
}

void quipu_sql_stop(struct quipu_sql *sql) {
    sqlite3_interrupt(sql->db);
}
