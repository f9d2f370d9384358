/* cmd_sql.c: quipu sql: queries on traces. */
#include "job.h"
#include "report.h"
#include "show.h"

#include <quipu/sql.h>

#include <stdlib.h>
#include <string.h>

/* ---- Values ---- */

enum style { TABLE, CSV, JSON };

/* Where the rows of statements go. */
struct result {
    struct job *job; /* of the first trace */
    struct quipu_sql *sql;
    struct quipu_sink sink;
    enum style style;
    uint64_t limit;
    uint64_t statements; /* before this one */
};

static enum quipu_status put(const struct result *result, const char *text, size_t size) {
    return result->sink.write(result->sink.context, text, size, &result->job->err);
}

static enum quipu_status put_text(const struct result *result, const char *text) {
    return put(result, text, strlen(text));
}

/* A text in quotes, each of which is doubled (CSV) or has a backslash in front of it (JSON). */
static enum quipu_status put_quoted(const struct result *result, const struct quipu_sql_value *value) {
    enum quipu_status status = put_text(result, "\"");
    for (size_t begin = 0, i = 0; i <= value->size && status == QUIPU_OK; i++) {
        char escaped[8] = "";
        const unsigned char byte = i < value->size ? (unsigned char)value->text[i] : 0;
        if (i < value->size && byte == '"')
            snprintf(escaped, sizeof escaped, "%s", result->style == CSV ? "\"\"" : "\\\"");
        else if (i < value->size && result->style == JSON && (byte == '\\' || byte < ' '))
            snprintf(escaped, sizeof escaped, byte == '\\' ? "\\\\" : "\\u%04x", byte);
        else if (i < value->size)
            continue;
        status = put(result, value->text + begin, i - begin);
        if (status == QUIPU_OK)
            status = put_text(result, escaped);
        begin = i + 1;
    }
    return status == QUIPU_OK ? put_text(result, "\"") : status;
}

static bool needs_quotes(const struct result *result, const struct quipu_sql_value *value) {
    if (value->type != QUIPU_SQL_TEXT && value->type != QUIPU_SQL_BYTES)
        return false;
    bool is_simple = result->style == CSV && value->size > 0;
    for (size_t i = 0; i < value->size && is_simple; i++)
        is_simple = !strchr(",\"\r\n", value->text[i]) || value->text[i] == '\0';
    return !is_simple;
}

static enum quipu_status put_value(const struct result *result, const struct quipu_sql_value *value) {
    if (value->type == QUIPU_SQL_NULL)
        return put_text(result, result->style == CSV ? "" : "null");
    return needs_quotes(result, value) ? put_quoted(result, value) : put(result, value->text, value->size);
}

static struct quipu_sql_value text_value(const char *text) {
    return (struct quipu_sql_value){.type = QUIPU_SQL_TEXT, .text = text, .size = strlen(text)};
}

/* ---- Lines: a row of CSV, or an object of JSON ---- */

static enum quipu_status put_name(const struct result *result, size_t column) {
    const struct quipu_sql_value name = text_value(quipu_sql_column_name(result->sql, column));
    return put_value(result, &name);
}

static enum quipu_status put_header(const struct result *result) {
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < quipu_sql_column_count(result->sql) && status == QUIPU_OK; i++) {
        status = put_text(result, i > 0 ? "," : "");
        if (status == QUIPU_OK)
            status = put_name(result, i);
    }
    return status == QUIPU_OK ? put_text(result, "\n") : status;
}

/* What stands before a row, between its values, and behind it. */
static const struct {
    const char *before, *between, *behind;
} separators[] = {[CSV] = {"", ",", "\n"}, [JSON] = {"{", ", ", "}\n"}};

static enum quipu_status put_cell(const struct result *result, size_t column) {
    const struct quipu_sql_value value = quipu_sql_at(result->sql, column);
    const bool is_csv = result->style == CSV;
    enum quipu_status status = put_text(result, column == 0 ? "" : separators[result->style].between);
    if (status == QUIPU_OK && !is_csv)
        status = put_name(result, column);
    if (status == QUIPU_OK && !is_csv)
        status = put_text(result, ": ");
    return status == QUIPU_OK ? put_value(result, &value) : status;
}

static enum quipu_status put_line(const struct result *result) {
    enum quipu_status status = put_text(result, separators[result->style].before);
    for (size_t i = 0; i < quipu_sql_column_count(result->sql) && status == QUIPU_OK; i++)
        status = put_cell(result, i);
    return status == QUIPU_OK ? put_text(result, separators[result->style].behind) : status;
}

/* Results of CSV are separated by an empty line. */
static enum quipu_status put_lines(const struct result *result) {
    enum quipu_status status = QUIPU_OK;
    if (result->style == CSV && result->statements > 0)
        status = put_text(result, "\n");
    if (result->style == CSV && status == QUIPU_OK)
        status = put_header(result);
    for (uint64_t row = 0; row < result->limit && status == QUIPU_OK; row++) {
        status = quipu_sql_next(result->sql, &result->job->err);
        if (status == QUIPU_OK)
            status = put_line(result);
    }
    return status;
}

/* ---- A table, which is shown when all of its rows are there ---- */

struct shown {
    struct quipu_table_column *columns;
    struct quipu_cell *cells;
    char **names;
    size_t count;
    struct quipu_table *table;
};

static void shown_release(struct shown *shown) {
    quipu_table_free(shown->table);
    for (size_t i = 0; shown->names && i < shown->count; i++)
        free(shown->names[i]);
    free(shown->names);
    free(shown->cells);
    free(shown->columns);
}

/* Names of columns are copied: they must outlive the rows. False when memory is out. */
static bool name_columns(struct shown *shown, const struct result *result) {
    bool is_named = shown->columns && shown->cells && shown->names;
    for (size_t i = 0; i < shown->count && is_named; i++) {
        shown->names[i] = strdup(quipu_sql_column_name(result->sql, i));
        shown->columns[i] = (struct quipu_table_column){shown->names[i], QUIPU_TYPE_TEXT, "", ""};
        is_named = shown->names[i] != NULL;
    }
    return is_named;
}

static enum quipu_status add_rows(struct shown *shown, const struct result *result) {
    enum quipu_status status = QUIPU_OK;
    for (uint64_t row = 0; row < result->limit && status == QUIPU_OK; row++) {
        status = quipu_sql_next(result->sql, &result->job->err);
        for (size_t i = 0; i < shown->count && status == QUIPU_OK; i++) {
            const struct quipu_sql_value value = quipu_sql_at(result->sql, i);
            shown->cells[i] = (struct quipu_cell){.is_null = value.type == QUIPU_SQL_NULL};
            shown->cells[i].text = value.text;
        }
        if (status == QUIPU_OK)
            status = quipu_table_add(shown->table, shown->cells, &result->job->err);
    }
    return status;
}

/* What is there before a query fails is shown, too. */
static enum quipu_status show(struct shown *shown, const struct result *result) {
    const struct quipu_render_options render = render_options_of(result->job->arguments);
    const enum quipu_status status = add_rows(shown, result);
    const struct quipu_table *const tables[] = {shown->table};
    enum quipu_status written = QUIPU_OK;
    if (result->statements > 0)
        written = put_text(result, "\n");
    if (written == QUIPU_OK && (status >= QUIPU_OK || quipu_table_row_count(shown->table) > 0))
        written = quipu_table_write(tables, 1, &render, result->sink, status < 0 ? NULL : &result->job->err);
    return status < 0 || written == QUIPU_OK ? status : written;
}

static enum quipu_status put_table(const struct result *result) {
    const size_t count = quipu_sql_column_count(result->sql);
    struct shown shown = {.columns = calloc(count, sizeof *shown.columns),
                          .cells = calloc(count, sizeof *shown.cells),
                          .names = calloc(count, sizeof *shown.names),
                          .count = count};
    enum quipu_status status = QUIPU_NO_MEMORY;
    if (name_columns(&shown, result))
        status = quipu_table_new("result", shown.columns, count, &shown.table, &result->job->err);
    else
        result->job->code = report_no_memory();
    if (status == QUIPU_OK)
        status = show(&shown, result);
    shown_release(&shown);
    return status;
}

/* ---- Statements ---- */

static enum quipu_status answer_all(struct result *result, const char *text) {
    enum quipu_status status = QUIPU_OK;
    for (const char *rest = text; status == QUIPU_OK || (status == QUIPU_END && *rest); result->statements++) {
        status = quipu_sql_begin(result->sql, rest, &rest, &result->job->err);
        if (status == QUIPU_END)
            return QUIPU_OK;
        if (status == QUIPU_OK)
            status = result->style == TABLE ? put_table(result) : put_lines(result);
    }
    return status == QUIPU_END ? QUIPU_OK : status;
}

/* Each trace is a schema: a, b, c ... */
static enum quipu_status add_traces(struct quipu_sql *sql, const struct inputs *inputs) {
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < inputs->count && status == QUIPU_OK; i++) {
        const char schema[] = {(char)('a' + i), '\0'};
        status = quipu_sql_add(sql, schema, inputs->readers[i], &inputs->jobs[0].err);
    }
    return status;
}

static enum style style_of(const struct arguments *arguments) {
    if (option_given(arguments, OPTION_json))
        return JSON;
    return option_given(arguments, OPTION_csv) ? CSV : TABLE;
}

/* SQLite has a part of the memory for what it sorts and groups. */
enum { SHARE_OF_SQLITE = 4 };

static void answer(const struct inputs *inputs, struct quipu_sink sink, const char *text) {
    struct job *job = &inputs->jobs[0];
    const struct arguments *arguments = job->arguments;
    const size_t memory = memory_of(arguments);
    struct quipu_sql_options options = QUIPU_SQL_OPTIONS_INIT;
    struct quipu_sql *sql = NULL;
    options.heap_limit = (memory ? memory : QUIPU_MEMORY_LIMIT) / SHARE_OF_SQLITE;
    enum quipu_status status = quipu_sql_new(&options, &sql, &job->err);
    if (status == QUIPU_OK)
        status = add_traces(sql, inputs);
    struct result result = {.job = job,
                            .sql = sql,
                            .sink = sink,
                            .style = style_of(arguments),
                            .limit = option_number(arguments, OPTION_limit, UINT64_MAX)};
    if (status == QUIPU_OK)
        status = answer_all(&result, text);
    job_set(job, status);
    quipu_sql_free(sql);
}

/* ---- The text ---- */

/* All of a file, with a NUL behind it; NULL with a message when it cannot be read, or is no text of queries. */
static char *read_text(const char *path) {
    enum { CHUNK = 65536, MOST = 16 << 20 };
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
    char *text = NULL, *grown;
    size_t len = 0, got = file ? CHUNK : 0;
    while (got == CHUNK && len < MOST && (grown = realloc(text, len + CHUNK + 1)) != NULL) {
        text = grown;
        got = fread(text + len, 1, CHUNK, file);
        len += got;
    }
    const bool has_failed = !file || ferror(file) || got == CHUNK;
    if (file && file != stdin)
        fclose(file);
    if (has_failed) {
        free(text);
        fprintf(stderr, "quipu: %s: %s\n", path,
                len >= MOST ? "is longer than 16 MiB: no text of queries" : "cannot be read");
        return NULL;
    }
    text[len] = '\0';
    return text;
}

static enum exit_code answer_text(const struct arguments *arguments, const char *text) {
    struct inputs inputs;
    struct printing printing;
    enum exit_code code = inputs_open(&inputs, arguments);
    if (code == EXIT_FINE)
        code = printing_begin(&printing, arguments);
    if (code == EXIT_FINE) {
        answer(&inputs, printing.sink, text);
        code = printing_end(&printing, inputs.jobs[0].code);
    }
    return inputs_close(&inputs, code);
}

enum exit_code command_sql(const struct arguments *arguments) {
    const char *path = option_text(arguments, OPTION_file);
    struct arguments traces = *arguments;
    if (arguments->operand_count < 2 && !path)
        path = "-";
    if (!path)
        traces.operand_count--;
    if (traces.operand_count > QUIPU_SQL_TRACES)
        return report_usage("sql takes at most %d traces", QUIPU_SQL_TRACES);
    char *text = path ? read_text(path) : NULL;
    if (path && !text)
        return EXIT_UNREADABLE;
    const char *queries = path ? text : arguments->operands[traces.operand_count];
    const enum exit_code code = queries[strspn(queries, " \t\r\n;")] ? answer_text(&traces, queries)
                                                                     : report_usage("there is no query");
    free(text);
    return code;
}
