/* cmd_snapshot.c: quipu snapshot: a trace with snapshots and statistics, or what is open at a time. */
#include "conversion.h"
#include "report.h"
#include "selection.h"
#include "show.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT_DEFAULT = 100 };

static enum exit_code read_options(const struct job *job, struct quipu_snapshot_options *how) {
    const char *every = option_text(job->arguments, OPTION_every);
    how->convert = conversion_options(job);
    how->count = option_number(job->arguments, OPTION_count, every ? 0 : COUNT_DEFAULT);
    if (every && option_given(job->arguments, OPTION_count))
        return report_usage("--every and --count exclude each other");
    if (every && (!parse_time(every, &quipu_reader_definitions(job->reader)->clock, &how->interval) ||
                  how->interval <= 0))
        return report_usage("--every needs a time such as 1200 (ticks) or 1.5ms, not \"%s\"", every);
    return every || how->count > 0 ? EXIT_FINE : report_usage("--count begins at 1");
}

static void add_snapshots(struct job *job) {
    const char *output = option_text(job->arguments, OPTION_output);
    struct quipu_snapshot_options how = QUIPU_SNAPSHOT_OPTIONS_INIT;
    job->code = read_options(job, &how);
    if (job->code != EXIT_FINE)
        return;
    progress_catch_interrupts();
    const enum quipu_status status = quipu_snapshot(job->reader, output, &how, &job->err);
    job_set(job, status);
    if (status == QUIPU_UNSUPPORTED)
        job->code = EXIT_USAGE;
    if (status == QUIPU_OK)
        report_remark(job->arguments, "%s: snapshots and statistics of %" PRIu64 " records", output,
                      quipu_reader_records(job->reader));
    die_if_interrupted();
}

/* ---- What is open ---- */

/* Numbers of locations as the analysis has them: "locations=0,3"; NULL when memory is out. */
static char *name_locations(const struct selected *selected) {
    enum { DIGITS = 11 };
    const size_t count = selected->selection.location_count;
    char *text = malloc(sizeof "locations=" + count * DIGITS);
    size_t len = text ? (size_t)sprintf(text, "locations=") : 0;
    for (size_t i = 0; text && i < count; i++)
        len += (size_t)sprintf(text + len, i > 0 ? ",%" PRIu32 : "%" PRIu32, selected->locations[i]);
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
static enum exit_code show_open(struct job *job, const struct selected *selected, int64_t time) {
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    struct quipu_table *tables[2] = {NULL, NULL};
    size_t count;
    char *locations = name_locations(selected);
    const char *const settings[] = {locations};
    if (!locations)
        return report_no_memory();
    selection.to = time;
    const enum quipu_status status =
        quipu_analysis_run(quipu_analysis_find("open"), job->reader, &selection, settings,
                           selected->locations ? 1 : 0, &job->progress, tables, 2, &count, &job->err);
    job_set(job, status);
    const enum exit_code code = status == QUIPU_OK ? print_tables(job, tables) : job->code;
    quipu_table_free(tables[0]);
    quipu_table_free(tables[1]);
    free(locations);
    return code;
}

static enum exit_code ask_at(struct job *job) {
    const char *at = option_text(job->arguments, OPTION_at);
    const struct quipu_definitions *definitions = quipu_reader_definitions(job->reader);
    struct selected selected;
    int64_t time = INT64_MAX;
    if (strcmp(at, "end") != 0 && !parse_time(at, &definitions->clock, &time))
        return report_usage("--at needs a time such as 1200 (ticks) or 1.5ms, or \"end\", not \"%s\"", at);
    enum exit_code code = selected_init(&selected, job->arguments, definitions);
    if (code == EXIT_FINE)
        code = show_open(job, &selected, time);
    selected_release(&selected);
    return code;
}

/* ---- The command ---- */

/* Options that mean something to one of the ways only. */
static enum exit_code check_way(const struct arguments *arguments) {
    static const enum option_id adding[] = {OPTION_every, OPTION_count, OPTION_compress, OPTION_long_form,
                                            OPTION_streams},
                                asking[] = {OPTION_location, OPTION_limit, OPTION_json, OPTION_csv};
    const bool asks = option_given(arguments, OPTION_at);
    for (size_t i = 0; i < sizeof adding / sizeof *adding; i++)
        if (asks && option_given(arguments, adding[i]))
            return report_usage("--at and --%s exclude each other", options[adding[i]].long_name);
    for (size_t i = 0; i < sizeof asking / sizeof *asking; i++)
        if (!asks && option_given(arguments, asking[i]))
            return report_usage("--%s needs --at", options[asking[i]].long_name);
    return EXIT_FINE;
}

enum exit_code command_snapshot(const struct arguments *arguments) {
    struct job job;
    const enum exit_code code = check_way(arguments);
    if (code != EXIT_FINE)
        return code;
    if (job_begin(&job, arguments, arguments->operands[0]) == EXIT_FINE) {
        if (option_given(arguments, OPTION_at)) {
            job.code = ask_at(&job);
            return job_end(&job);
        }
        job.code = conversion_check(arguments, quipu_reader_format(job.reader)->name, true);
        if (job.code == EXIT_FINE)
            add_snapshots(&job);
    }
    return job_end(&job);
}
