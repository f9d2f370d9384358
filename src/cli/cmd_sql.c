/* cmd_sql.c: quipu sql: queries on traces, from the command line, a file, or a user at a terminal. */
#include "job.h"
#include "prompt.h"
#include "report.h"
#include "show.h"

#include <quipu/relation.h>
#include <quipu/sql.h>

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static bool needs_code(const struct quipu_sql_value *value, unsigned char byte) {
    return byte < ' ' || (byte > '~' && value->type == QUIPU_SQL_BYTES);
}

/* A text in quotes, each of which is doubled (CSV) or has a backslash in front of it (JSON). Bytes need not be UTF-8: in JSON each is a
 * character. */
static enum quipu_status put_quoted(const struct result *result, const struct quipu_sql_value *value) {
    enum quipu_status status = put_text(result, "\"");
    for (size_t begin = 0, i = 0; i <= value->size && status == QUIPU_OK; i++) {
        char escaped[8] = "";
        const unsigned char byte = i < value->size ? (unsigned char)value->text[i] : 0;
        if (i < value->size && byte == '"')
            snprintf(escaped, sizeof escaped, "%s", result->style == CSV ? "\"\"" : "\\\"");
        else if (i < value->size && result->style == JSON && (byte == '\\' || needs_code(value, byte)))
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
    const bool is_endless = value->type == QUIPU_SQL_REAL && !isfinite(value->f); /* JSON has no word for it */
    if (value->type == QUIPU_SQL_NULL || (is_endless && result->style == JSON))
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
        result->job->err = (struct quipu_error){.status = QUIPU_NO_MEMORY, .message = "memory is out"};
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

/* ---- The prompt ---- */

static struct quipu_sql *asked; /* what Ctrl-C interrupts */
static volatile sig_atomic_t is_interrupted;

static void interrupt(int number) {
    (void)number;
    is_interrupted = 1;
    quipu_sql_stop(asked);
}

enum instruction { TABLES, SCHEMA, HELP, QUIT, INSTRUCTIONS };
static const struct {
    const char *name, *argument, *doc;
} instructions[INSTRUCTIONS] = {[TABLES] = {".tables", "", "lists the tables"},
                                [SCHEMA] = {".schema", " TABLE", "lists the columns of a table"},
                                [HELP] = {".help", "", "lists these commands"},
                                [QUIT] = {".quit", "", "ends; so does Ctrl-D"}};

static bool is_identifier(char character) {
    return character == '_' || (character >= 'a' && character <= 'z');
}

/* Whether a name stands in a line by itself. */
static bool names(const char *line, const char *name) {
    const size_t len = strlen(name);
    for (const char *at = line; (at = strstr(at, name)) != NULL; at++)
        if ((at == line || !is_identifier(at[-1])) && !is_identifier(at[len]))
            return true;
    return false;
}

/* Commands, tables, and columns of the tables that the line names. */
static const char *word_at(const char *line, size_t index) {
    static struct quipu_relation relation; /* its name must live on */
    if (index < INSTRUCTIONS)
        return instructions[index].name;
    index -= INSTRUCTIONS;
    size_t count = 0;
    for (; quipu_relation_at(count, &relation); count++)
        if (count == index)
            return relation.name;
    index -= count;
    for (size_t i = 0; quipu_relation_at(i, &relation); i++) {
        const size_t columns = names(line, relation.name) ? relation.column_count : 0;
        if (index < columns)
            return relation.columns[index].name;
        index -= columns;
    }
    return NULL;
}

static void print_instructions(void) {
    for (size_t i = 0; i < INSTRUCTIONS; i++)
        printf("%s%-*s %s\n", instructions[i].name, (int)(16 - strlen(instructions[i].name)),
               instructions[i].argument, instructions[i].doc);
    puts("All else is SQL, up to a semicolon; Ctrl-C interrupts it.");
}

static void print_schema(const struct arguments *arguments, const char *name) {
    struct quipu_relation relation;
    if (quipu_relation_find(name, &relation))
        (void)list_tables(arguments, &relation);
    else
        (void)report_unknown("table", name, NULL, "; \".tables\" lists them");
}

/* False for the one that ends. */
static bool obey(const struct arguments *arguments, const char *line) {
    const size_t len = strcspn(line, " \t;");
    const char *argument = line + len + strspn(line + len, " \t;");
    char name[QUIPU_RELATION_NAME];
    enum instruction instruction = TABLES;
    while (instruction < INSTRUCTIONS && (strlen(instructions[instruction].name) != len ||
                                          strncmp(line, instructions[instruction].name, len) != 0))
        instruction++;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(argument, " \t;"), argument);
    if (instruction == TABLES || (instruction == SCHEMA && !name[0]))
        (void)list_tables(arguments, NULL);
    else if (instruction == SCHEMA)
        print_schema(arguments, name);
    else if (instruction == HELP)
        print_instructions();
    else if (instruction == INSTRUCTIONS)
        (void)report_unknown("command", line, NULL, "; \".help\" lists them");
    return instruction != QUIT;
}

/* What has been typed and is no whole statement yet. */
struct typed {
    char *text;
    size_t len;
};

static bool add_line(struct typed *typed, const char *line) {
    const size_t len = strlen(line);
    char *text = realloc(typed->text, typed->len + len + sizeof "\n");
    if (!text)
        return false;
    memcpy(text + typed->len, line, len);
    memcpy(text + typed->len + len, "\n", sizeof "\n");
    typed->text = text;
    typed->len += len + 1;
    return true;
}

static void answer_typed(struct result *result, struct typed *typed) {
    struct printing printing;
    is_interrupted = 0;
    typed->len = 0;
    if (printing_begin(&printing, result->job->arguments) != EXIT_FINE)
        return;
    result->sink = printing.sink;
    result->statements = 0;
    const enum quipu_status status = answer_all(result, typed->text);
    (void)printing_end(&printing, EXIT_FINE);
    progress_end(&result->job->line);
    if (status < 0)
        (void)report_error(&result->job->err);
    quipu_error_clear(&result->job->err);
}

static enum exit_code converse(struct result *result) {
    const struct arguments *arguments = result->job->arguments;
    struct typed typed = {NULL, 0};
    struct prompt *prompt = prompt_new("sql_history", word_at);
    const char *line;
    enum exit_code code = prompt ? EXIT_FINE : report_no_memory();
    while (code == EXIT_FINE) {
        const enum prompt_answer got = prompt_read(prompt, typed.len > 0 ? "   ...> " : "quipu> ", &line);
        if (got == PROMPT_END)
            break;
        if (got == PROMPT_CANCELLED)
            typed.len = 0;
        else if (typed.len == 0 && line[0] == '.' && !obey(arguments, line))
            break;
        else if (typed.len > 0 || (line[0] && line[0] != '.'))
            code = add_line(&typed, line) ? EXIT_FINE : report_no_memory();
        if (code == EXIT_FINE && typed.len > 0 && quipu_sql_is_complete(typed.text))
            answer_typed(result, &typed);
    }
    prompt_free(prompt);
    free(typed.text);
    return code;
}

/* Ctrl-C interrupts what is asked, and the work of analyses. */
static enum exit_code converse_interruptibly(const struct inputs *inputs, struct result *result) {
    struct sigaction action = {.sa_handler = interrupt}, before;
    for (size_t i = 0; i < inputs->count; i++)
        inputs->jobs[i].line.stop = &is_interrupted;
    asked = result->sql;
    sigaction(SIGINT, &action, &before);
    const enum exit_code code = converse(result);
    sigaction(SIGINT, &before, NULL);
    return code;
}

/* ---- All of it ---- */

/* SQLite has a part of the memory for what it sorts and groups. */
enum { SHARE_OF_SQLITE = 4 };

/* The text of queries, or NULL to ask a user. */
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
    if (status == QUIPU_OK && !text)
        job->code = converse_interruptibly(inputs, &result);
    else if (status == QUIPU_OK)
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

/* The text of queries, or NULL to ask a user. */
static enum exit_code answer_text(const struct arguments *arguments, const char *text) {
    struct inputs inputs;
    struct printing printing = {.output = NULL};
    enum exit_code code = inputs_open(&inputs, arguments);
    if (code == EXIT_FINE && text)
        code = printing_begin(&printing, arguments);
    if (code == EXIT_FINE) {
        answer(&inputs, printing.sink, text);
        code = inputs.jobs[0].code;
        if (text)
            code = printing_end(&printing, code);
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
    if (path && strcmp(path, "-") == 0 && isatty(STDIN_FILENO) && prints_on_terminal(arguments))
        return answer_text(&traces, NULL);
    char *text = path ? read_text(path) : NULL;
    if (path && !text)
        return EXIT_UNREADABLE;
    const char *queries = path ? text : arguments->operands[traces.operand_count];
    const enum exit_code code = queries[strspn(queries, " \t\r\n;")] ? answer_text(&traces, queries)
                                                                     : report_usage("there is no query");
    free(text);
    return code;
}
