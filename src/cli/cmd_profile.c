/* cmd_profile.c: quipu profile: where the time goes. */
#include "bounds.h"
#include "job.h"
#include "report.h"
#include "selection.h"
#include "show.h"
#include "terminal.h"

#include <string.h>

static enum exit_code sort_rows(struct quipu_table *table, const char *column) {
    const size_t index = find_column(table, column);
    if (index == SIZE_MAX) {
        report_usage("the profile has no column \"%s\"", column);
        print_columns(table);
        return EXIT_USAGE;
    }
    quipu_table_sort(table, index, quipu_table_column_at(table, index)->type != QUIPU_TYPE_TEXT);
    return EXIT_FINE;
}

static enum exit_code show(struct job *job, struct quipu_table *table) {
    const char *column = option_text(job->arguments, OPTION_sort);
    struct printing printing;
    enum exit_code code = sort_rows(table, column ? column : "exclusive_ns");
    if (code == EXIT_FINE)
        code = printing_begin(&printing, job->arguments);
    if (code != EXIT_FINE)
        return code;
    const struct quipu_table *const shown[] = {table};
    struct quipu_render_options render = render_options_of(job->arguments);
    if (prints_on_terminal(job->arguments))
        render.bar_column = find_column(table, "exclusive_ns");
    job_set(job, quipu_table_write(shown, 1, &render, printing.sink, &job->err));
    return printing_end(&printing, job->code);
}

static enum exit_code profile(struct job *job, const struct quipu_selection *selection) {
    char by[32];
    const char *const settings[] = {by};
    const char *chosen = option_text(job->arguments, OPTION_by);
    snprintf(by, sizeof by, "by=%s", chosen ? chosen : "location");
    struct quipu_table *table = NULL;
    size_t count;
    const enum quipu_status status =
        quipu_analysis_run(quipu_analysis_find("profile"), job->reader, selection, settings, 1, &job->progress,
                           &table, 1, &count, &job->err);
    job_set(job, status);
    const enum exit_code code = status == QUIPU_OK ? show(job, table) : job->code;
    if (code == EXIT_FINE && quipu_table_row_count(table) == 0)
        report_nothing(job, "nothing selected");
    quipu_table_free(table);
    return code;
}

enum exit_code command_profile(const struct arguments *arguments) {
    struct job job;
    if (job_begin(&job, arguments, arguments->operands[0]) == EXIT_FINE) {
        struct selected selected;
        job.code = selected_init(&selected, arguments, quipu_reader_definitions(job.reader));
        if (job.code == EXIT_FINE)
            job.code = profile(&job, &selected.selection);
        selected_release(&selected);
    }
    return job_end(&job);
}
