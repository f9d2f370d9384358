/* cmd_table.c: quipu table: the rows of a relation as text; which relations there are; which columns one has. */
#include "job.h"
#include "report.h"
#include "selection.h"
#include "share.h"
#include "show.h"
#include "times.h"

#include <quipu/relation.h>

#include <stdlib.h>
#include <string.h>

/* ---- What there is ---- */

static const struct quipu_table_column relation_columns[] = {
    {"table", QUIPU_TYPE_TEXT, "", "name"},
    {"doc", QUIPU_TYPE_TEXT, "", "what its rows are"},
};

static const struct quipu_table_column column_columns[] = {
    {"column", QUIPU_TYPE_TEXT, "", "name"},
    {"type", QUIPU_TYPE_TEXT, "", "of its values"},
    {"unit", QUIPU_TYPE_TEXT, "", "of its values"},
    {"doc", QUIPU_TYPE_TEXT, "", "what it means"},
};

static const char *const type_names[] = {
    [QUIPU_TYPE_TEXT] = "text", [QUIPU_TYPE_I64] = "i64",         [QUIPU_TYPE_U64] = "u64",
    [QUIPU_TYPE_F64] = "f64",   [QUIPU_TYPE_DECIMAL] = "decimal", [QUIPU_TYPE_JSON] = "json",
    [QUIPU_TYPE_TIME] = "time",
};

static enum quipu_status list_relations(struct quipu_table **out, struct quipu_error *err) {
    struct quipu_relation relation;
    enum quipu_status status = quipu_table_new("tables", relation_columns,
                                               sizeof relation_columns / sizeof *relation_columns, out, err);
    for (size_t i = 0; status == QUIPU_OK && quipu_relation_at(i, &relation); i++) {
        const struct quipu_cell cells[] = {{.text = relation.name}, {.text = relation.doc}};
        status = quipu_table_add(*out, cells, err);
    }
    return status;
}

static enum quipu_status list_columns(const struct quipu_relation *relation, struct quipu_table **out,
                                      struct quipu_error *err) {
    enum quipu_status status =
        quipu_table_new("columns", column_columns, sizeof column_columns / sizeof *column_columns, out, err);
    for (size_t i = 0; status == QUIPU_OK && i < relation->column_count; i++) {
        const struct quipu_table_column *column = &relation->columns[i];
        const struct quipu_cell cells[] = {{.text = column->name},
                                           {.text = type_names[column->type]},
                                           {.text = column->unit},
                                           {.text = column->doc}};
        status = quipu_table_add(*out, cells, err);
    }
    return status;
}

enum exit_code list_tables(const struct arguments *arguments, const struct quipu_relation *relation) {
    struct quipu_render_options render = render_options_of(arguments);
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu_table *table = NULL;
    struct printing printing;
    const enum exit_code code = printing_begin(&printing, arguments);
    if (code != EXIT_FINE)
        return code;
    enum quipu_status status = relation ? list_columns(relation, &table, &err) : list_relations(&table, &err);
    const struct quipu_table *const shown[] = {table};
    if (status == QUIPU_OK)
        status = quipu_table_write(shown, 1, &render, printing.sink, &err);
    quipu_table_free(table);
    return printing_end(&printing, status == QUIPU_OK ? EXIT_FINE : report_error(&err));
}

/* ---- Rows ---- */

static const char *relation_name_at(const void *list, size_t index) {
    return ((const struct quipu_relation *)list)[index].name;
}

static enum exit_code report_no_relation(const char *name) {
    struct quipu_relation relation;
    size_t count = 0;
    while (quipu_relation_at(count, &relation))
        count++;
    struct quipu_relation *known = calloc(count, sizeof *known);
    if (!known)
        return report_no_memory();
    for (size_t i = 0; i < count; i++)
        (void)quipu_relation_at(i, &known[i]);
    const enum exit_code code = report_unknown(
        "table", name, nearest_name(name, relation_name_at, known, count), "; \"quipu table\" lists them");
    free(known);
    return code;
}

/* What --columns names. */
struct columns {
    const struct quipu_relation *relation;
    const char **names;
    size_t count;
};

static const char *column_name_at(const void *list, size_t index) {
    return ((const struct quipu_table_column *)list)[index].name;
}

static enum exit_code take_column(void *context, const char *name) {
    struct columns *columns = context;
    const struct quipu_relation *relation = columns->relation;
    bool is_listed = false;
    for (size_t i = 0; i < columns->count; i++)
        is_listed |= strcmp(columns->names[i], name) == 0;
    for (size_t i = 0; i < relation->column_count; i++)
        if (strcmp(relation->columns[i].name, name) == 0) {
            if (!is_listed)
                columns->names[columns->count++] = relation->columns[i].name;
            return EXIT_FINE;
        }
    return report_unknown("column", name,
                          nearest_name(name, column_name_at, relation->columns, relation->column_count),
                          "; \"quipu table TABLE\" lists them");
}

/* Lines of JSON where --json or the name of the output says so. */
static enum quipu_rows_style style_of(const struct arguments *arguments) {
    const char *path = option_text(arguments, OPTION_output), *suffix = path ? strrchr(path, '.') : NULL;
    const bool is_json = suffix && (strcmp(suffix, ".jsonl") == 0 || strcmp(suffix, ".ndjson") == 0);
    return option_given(arguments, OPTION_json) || is_json ? QUIPU_ROWS_JSON_LINES : QUIPU_ROWS_CSV;
}

static enum exit_code print_rows(struct job *job, const struct quipu_relation *relation,
                                 const struct quipu_relation_options *options) {
    const struct arguments *arguments = job->arguments;
    const uint64_t limit = option_number(arguments, OPTION_limit, UINT64_MAX);
    struct printing printing;
    uint64_t count = 0;
    const enum exit_code code = printing_begin(&printing, arguments);
    if (code != EXIT_FINE)
        return code;
    job_set(job, quipu_relation_write(job->reader, relation->name, options, style_of(arguments), limit,
                                      printing.sink, &count, &job->err));
    const enum exit_code end = printing_end(&printing, job->code);
    if (end == EXIT_FINE && count == 0 && limit > 0 && selection_given(arguments))
        report_nothing(job, "nothing selected");
    return end;
}

/* What this process has of them, into a file of its own. */
static enum exit_code print_part(struct job *job, const struct quipu_relation *relation,
                                 const struct quipu_relation_options *options) {
    const struct arguments *arguments = job->arguments;
    char *path = share_path(arguments);
    uint64_t count = 0;
    if (!path)
        return report_no_memory();
    quipu_reader_share(job->reader, arguments->transport);
    const enum quipu_status status =
        quipu_relation_write_part(job->reader, relation->name, options, style_of(arguments), path,
                                  option_given(arguments, OPTION_force), ending_guard(), &count, &job->err);
    quipu_reader_share(job->reader, NULL);
    free(path);
    job_set(job, status);
    if (status == QUIPU_OK && count == 0 && selection_given(arguments))
        report_nothing(job, "nothing selected");
    return job->code;
}

static enum exit_code write_rows(struct job *job, const struct quipu_relation *relation) {
    const struct arguments *arguments = job->arguments;
    struct quipu_relation_options options = QUIPU_RELATION_OPTIONS_INIT;
    struct columns columns = {relation, calloc(relation->column_count, sizeof *columns.names), 0};
    struct selected selected;
    enum exit_code code = selected_init(&selected, job);
    if (code == EXIT_FINE)
        code = columns.names ? each_given_name(arguments, OPTION_columns, take_column, &columns)
                             : report_no_memory();
    selected.selection.order = QUIPU_ORDER_TIME;
    options.selection = &selected.selection;
    options.settings = arguments->settings;
    options.setting_count = arguments->setting_count;
    options.columns = option_given(arguments, OPTION_columns) ? columns.names : NULL;
    options.column_count = columns.count;
    if (code == EXIT_FINE)
        code = job->arguments->transport ? print_part(job, relation, &options)
                                         : print_rows(job, relation, &options);
    selected_release(&selected);
    free(columns.names);
    return code;
}

enum exit_code command_table(const struct arguments *arguments) {
    const char *name = arguments->operand_count > 0 ? arguments->operands[0] : NULL;
    struct quipu_relation relation;
    struct job job;
    if (name && !quipu_relation_find(name, &relation))
        return report_no_relation(name);
    if (arguments->operand_count < 2)
        return list_tables(arguments, name ? &relation : NULL);
    if (job_begin(&job, arguments, arguments->operands[1]) == EXIT_FINE)
        job.code = write_rows(&job, &relation);
    return job_end(&job);
}
