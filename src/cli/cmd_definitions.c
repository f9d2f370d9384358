/* cmd_definitions.c: quipu definitions: what numbers and names of a trace stand for. */
#include "job.h"
#include "report.h"
#include "show.h"

#include <string.h>

static const char *class_name_at(const void *list, size_t index) {
    (void)list;
    return quipu_definition_class_at(index)->name;
}

static size_t class_count(void) {
    size_t count = 0;
    while (quipu_definition_class_at(count))
        count++;
    return count;
}

static enum exit_code check_class(const char *name) {
    bool found = name == NULL;
    for (size_t i = 0; i < class_count() && !found; i++)
        found = strcmp(quipu_definition_class_at(i)->name, name) == 0;
    return found ? EXIT_FINE
                 : report_unknown("class of definitions", name,
                                  nearest_name(name, class_name_at, NULL, class_count()),
                                  "; \"quipu definitions --help\" lists them");
}

/* Text shows classes that have definitions, each under its name; JSON and CSV show all that were asked for. */
static enum quipu_status show_text(struct job *job, const struct quipu_tables *tables,
                                   const struct quipu_render_options *render, struct quipu_sink sink) {
    enum quipu_status status = QUIPU_OK;
    bool first = true;
    for (size_t i = 0; i < quipu_tables_count(tables) && status == QUIPU_OK; i++) {
        const struct quipu_table *table = quipu_tables_at(tables, i);
        char title[64];
        if (quipu_table_row_count(table) == 0 && quipu_tables_count(tables) > 1)
            continue;
        const int len = snprintf(title, sizeof title, "%s%s\n\n", first ? "" : "\n", quipu_table_name(table));
        first = false;
        if (quipu_tables_count(tables) > 1)
            status = sink.write(sink.context, title, (size_t)len, &job->err);
        if (status == QUIPU_OK)
            status = quipu_table_write(&table, 1, render, sink, &job->err);
    }
    return status;
}

static enum exit_code show(struct job *job, const struct quipu_tables *tables) {
    const struct quipu_render_options render = render_options_of(job->arguments);
    struct printing printing;
    if (render.style != QUIPU_STYLE_TEXT)
        return show_tables(job, tables, &render);
    const enum exit_code code = printing_begin(&printing, job->arguments);
    if (code != EXIT_FINE)
        return code;
    job_set(job, show_text(job, tables, &render, printing.sink));
    return printing_end(&printing, job->code);
}

enum exit_code command_definitions(const struct arguments *arguments) {
    const char *name = arguments->operand_count > 1 ? arguments->operands[1] : NULL;
    struct quipu_tables *tables = NULL;
    struct job job;
    const enum exit_code code = check_class(name);
    if (code != EXIT_FINE)
        return code;
    if (job_begin(&job, arguments, arguments->operands[0]) == EXIT_FINE) {
        const enum quipu_status status = quipu_definition_tables(job.reader, name, &tables, &job.err);
        job_set(&job, status);
        if (status == QUIPU_OK)
            job.code = show(&job, tables);
        quipu_tables_free(tables);
    }
    return job_end(&job);
}
