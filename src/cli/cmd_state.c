/* cmd_state.c: quipu state: what is active at a time. */
#include "bounds.h"
#include "report.h"
#include "selection.h"
#include "show.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of locations as the analysis has them: "locations=0,3"; NULL when memory is out. */
static char *name_locations(const struct selected *selected) {
    static const char option[] = "locations=";
    enum { DIGITS = 11 };
    const size_t count = selected->selection.location_count;
    const size_t size = sizeof option + count * DIGITS;
    char *text = malloc(size);
    if (!text)
        return NULL;
    memcpy(text, option, sizeof option);
    size_t len = sizeof option - 1;
    for (size_t i = 0; i < count; i++)
        len +=
            (size_t)snprintf(text + len, size - len, i > 0 ? ",%" PRIu32 : "%" PRIu32, selected->locations[i]);
    return text;
}

static enum exit_code print_tables(struct job *job, struct quipu_table *const tables[2]) {
    const struct quipu_table *const shown[] = {tables[0], tables[1]};
    const struct quipu_render_options render = render_options_of(job->arguments);
    struct printing printing;
    const enum exit_code code = printing_begin(&printing, job->arguments);
    if (code != EXIT_FINE)
        return code;
    job_set(job, quipu_table_write(shown, 2, &render, printing.sink, &job->err));
    return printing_end(&printing, job->code);
}

/* All locations are read, since those that are not chosen receive what the others send. */
static enum exit_code show_state(struct job *job, const struct selected *selected, int64_t time) {
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    struct quipu_table *tables[2] = {NULL, NULL};
    size_t count;
    char *locations = name_locations(selected);
    const char *const settings[] = {locations};
    if (!locations)
        return report_no_memory();
    selection.to = time;
    const enum quipu_status status =
        quipu_analysis_run(quipu_analysis_find("state"), job->reader, &selection, settings,
                           selected->locations ? 1 : 0, &job->progress, tables, 2, &count, &job->err);
    job_set(job, status);
    const enum exit_code code = status == QUIPU_OK ? print_tables(job, tables) : job->code;
    if (code == EXIT_FINE && quipu_table_row_count(tables[0]) == 0 && quipu_table_row_count(tables[1]) == 0)
        report_nothing(job, "nothing is active at this time");
    quipu_table_free(tables[0]);
    quipu_table_free(tables[1]);
    free(locations);
    return code;
}

static enum exit_code state_at(struct job *job) {
    const char *at = option_text(job->arguments, OPTION_at);
    const struct quipu_definitions *definitions = quipu_reader_definitions(job->reader);
    struct selected selected;
    int64_t time = INT64_MAX;
    if (!at)
        return report_usage("state needs --at TIME, or --at end");
    if (strcmp(at, "end") != 0 && !parse_time(at, &definitions->clock, &time))
        return report_usage("--at needs a time such as 1200 (ticks) or 1.5ms, or \"end\", not \"%s\"", at);
    enum exit_code code = selected_init(&selected, job->arguments, definitions);
    if (code == EXIT_FINE && time < INT64_MAX)
        code = check_time_exists(job, OPTION_at, time);
    if (code == EXIT_FINE)
        code = show_state(job, &selected, time);
    selected_release(&selected);
    return code;
}

enum exit_code command_state(const struct arguments *arguments) {
    struct job job;
    if (job_begin(&job, arguments, arguments->operands[0]) == EXIT_FINE)
        job.code = state_at(&job);
    return job_end(&job);
}
