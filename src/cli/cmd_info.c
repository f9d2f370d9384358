/* cmd_info.c: quipu info: what a trace is. Several traces are rows of a table. */
#include "job.h"
#include "report.h"
#include "show.h"
#include "terminal.h"

#include <string.h>

/* ---- One trace ---- */

/* Why an index does not serve. */
static const char *index_trouble(enum quipu_status found) {
    switch (found) {
    case QUIPU_OK:
        return "";
    case QUIPU_IO:
        return " (cannot be read)";
    default:
        return " (cannot be used: damaged, or the trace has changed)";
    }
}

/* The index beside a trace, and whether it can be used; an unreadable index is an error, reported after all answers. */
static enum quipu_status write_index(struct job *job, const struct printing *printing) {
    char path[4096], text[sizeof path + 64];
    struct quipu_error err = QUIPU_ERROR_INIT;
    if (option_given(job->arguments, OPTION_no_index))
        return QUIPU_OK;
    const enum quipu_status found = quipu_reader_check_index(job->reader, &err);
    if (found == QUIPU_NO_MEMORY) {
        job->err = err;
        return found;
    }
    if (found == QUIPU_NOT_FOUND || quipu_reader_index_path(job->reader)[0] == '\0')
        return QUIPU_OK;
    quipu_text_escape(quipu_reader_index_path(job->reader), path, sizeof path);
    const int len = snprintf(text, sizeof text, "%-14s %s%s\n", "index", path, index_trouble(found));
    const enum quipu_status status = printing->sink.write(printing->sink.context, text, (size_t)len, &job->err);
    if (status != QUIPU_OK || found != QUIPU_IO)
        return status;
    job->err = err;
    return found;
}

static enum quipu_status summarise(struct job *job, struct quipu_summary *summary) {
    quipu_reader_share(job->reader, job->arguments->transport);
    const enum quipu_status status = quipu_summarise(job->reader, &job->progress, summary, &job->err);
    quipu_reader_share(job->reader, NULL);
    progress_end(&job->line);
    return status;
}

static enum quipu_status write_summary(struct job *job, const struct printing *printing) {
    const bool json = option_given(job->arguments, OPTION_json);
    struct quipu_summary summary;
    enum quipu_status status = summarise(job, &summary);
    if (status == QUIPU_OK)
        status = quipu_summary_write(&summary, job->reader, json, printing->sink, &job->err);
    return status == QUIPU_OK && !json ? write_index(job, printing) : status;
}

/* ---- Several traces ---- */

static const struct quipu_table_column columns[] = {
    {"trace", QUIPU_TYPE_TEXT, "", "path of the trace"},
    {"format", QUIPU_TYPE_TEXT, "", "name of its format"},
    {"processes", QUIPU_TYPE_U64, "", "number of processes, or of locations where none is a process"},
    {"duration", QUIPU_TYPE_DECIMAL, "s", "from the first to the last event"},
    {"events", QUIPU_TYPE_U64, "", "number of events"},
    {"messages", QUIPU_TYPE_U64, "", "number of messages that were sent"},
    {"findings", QUIPU_TYPE_U64, "", "number of findings that are errors or data loss"},
};
enum { COLUMN_COUNT = sizeof columns / sizeof *columns };

static enum quipu_status add_row(struct job *job, struct quipu_table *table) {
    struct quipu_summary summary;
    char duration[QUIPU_TIME_TEXT_BYTES];
    const enum quipu_status status = summarise(job, &summary);
    if (status != QUIPU_OK)
        return status;
    const struct quipu_definitions *definitions = quipu_reader_definitions(job->reader);
    const struct quipu_findings *findings = quipu_reader_findings(job->reader);
    const uint32_t processes = quipu_population_of(job->reader).processes;
    const bool is_longer = summary.first < 0 && summary.last > INT64_MAX + summary.first; /* than 64 bits */
    const int64_t ticks = is_longer ? INT64_MAX : summary.last - summary.first;
    quipu_duration_text(quipu_clock_ns(&definitions->clock, ticks), QUIPU_UNIT_S, duration);
    duration[strlen(duration) - 1] = '\0'; /* the column says the unit */
    const struct quipu_cell cells[COLUMN_COUNT] = {
        {.text = job->path},
        {.text = quipu_reader_format(job->reader)->name},
        {.u = processes > 0 ? processes : definitions->locations.count},
        {.is_null = !summary.has_times, .text = duration},
        {.u = summary.events},
        {.u = summary.events_of[QUIPU_KIND_send]},
        {.u = quipu_findings_total(findings, QUIPU_DATA_LOSS) +
              quipu_findings_total(findings, QUIPU_ERROR_FINDING)},
    };
    return quipu_table_add(table, cells, &job->err);
}

static enum exit_code write_table(const struct arguments *arguments, const struct quipu_table *table,
                                  const struct printing *printing) {
    struct quipu_error err = QUIPU_ERROR_INIT;
    const struct quipu_render_options render = render_options_of(arguments);
    return quipu_table_write(&table, 1, &render, printing->sink, &err) == QUIPU_OK ? EXIT_FINE
                                                                                   : report_error(&err);
}

/* ---- The command ---- */

/* table NULL: the summary is printed at once. */
static enum exit_code describe(const struct arguments *arguments, const char *path,
                               const struct printing *printing, struct quipu_table *table, bool *has_said) {
    struct job job;
    if (job_begin(&job, arguments, path) == EXIT_FINE) {
        const enum quipu_status status = table ? add_row(&job, table) : write_summary(&job, printing);
        *has_said |= status == QUIPU_OK;
        job_set(&job, status);
    }
    return job_end(&job);
}

static enum exit_code describe_all(const struct arguments *arguments, const struct printing *printing,
                                   struct quipu_table *table, bool *has_said) {
    enum exit_code code = EXIT_FINE;
    for (int i = 0; i < arguments->operand_count; i++)
        code = worse_exit(code, describe(arguments, arguments->operands[i], printing, table, has_said));
    return table && quipu_table_row_count(table) > 0 ? worse_exit(code, write_table(arguments, table, printing))
                                                     : code;
}

enum exit_code command_info(const struct arguments *arguments) {
    struct printing printing;
    struct quipu_table *table = NULL;
    struct quipu_error err = QUIPU_ERROR_INIT;
    bool has_said = false;
    const bool several = arguments->operand_count > 1 && !option_given(arguments, OPTION_json);
    if (several && quipu_table_new("traces", columns, COLUMN_COUNT, &table, &err) != QUIPU_OK)
        return report_error(&err);
    enum exit_code code = printing_begin(&printing, arguments);
    if (code == EXIT_FINE) {
        code = describe_all(arguments, &printing, table, &has_said);
        /* what could be said stays said */
        code = worse_exit(code, printing_end(&printing, code == EXIT_USAGE || !has_said ? code : EXIT_FINE));
    }
    quipu_table_free(table);
    return code;
}
