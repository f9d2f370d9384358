/* cmd_cat.c: quipu cat: events in time order, or native records in file order. */
#include "bounds.h"
#include "job.h"
#include "report.h"
#include "selection.h"

struct lines {
    struct job *job;
    struct quipu_sink sink;
    bool json;
    uint64_t limit;
};

static enum quipu_status write_events(const struct lines *lines) {
    struct job *job = lines->job;
    const struct quipu_definitions *definitions = quipu_reader_definitions(job->reader);
    struct quipu_event event;
    enum quipu_status status = QUIPU_OK;
    for (uint64_t count = 0; status == QUIPU_OK && count < lines->limit; count++) {
        status = quipu_reader_next(job->reader, &event, &job->err);
        if (status == QUIPU_OK)
            status = lines->json ? quipu_event_write_json(definitions, &event, lines->sink, &job->err)
                                 : quipu_event_write_text(definitions, &event, lines->sink, &job->err);
    }
    return status;
}

static enum quipu_status write_records(const struct lines *lines) {
    struct job *job = lines->job;
    const struct quipu_schema *schema = quipu_reader_format(job->reader)->schema;
    struct quipu_record record;
    enum quipu_status status = QUIPU_OK;
    for (uint64_t count = 0; status == QUIPU_OK && count < lines->limit; count++) {
        status = quipu_reader_next_record(job->reader, &record, &job->err);
        if (status == QUIPU_OK)
            status = lines->json ? quipu_record_write_json(schema, &record, lines->sink, &job->err)
                                 : quipu_record_write_text(schema, &record, lines->sink, &job->err);
    }
    return status;
}

static enum exit_code select_events(struct job *job) {
    struct selected selected;
    enum exit_code code = selected_init(&selected, job->arguments, quipu_reader_definitions(job->reader));
    selected.selection.order = QUIPU_ORDER_TIME;
    if (code == EXIT_FINE && quipu_reader_select(job->reader, &selected.selection, &job->err) != QUIPU_OK)
        code = report_error(&job->err);
    selected_release(&selected);
    return code;
}

/* Records are what a file holds: there is nothing to select by. */
static enum exit_code check_options(const struct arguments *arguments) {
    static const enum option_id selecting[] = {OPTION_since,  OPTION_until,      OPTION_location, OPTION_kind,
                                               OPTION_region, OPTION_with_index, OPTION_no_index};
    for (size_t i = 0; i < sizeof selecting / sizeof selecting[0]; i++)
        if (option_given(arguments, OPTION_records) && option_given(arguments, selecting[i]))
            return report_usage("--%s is about events and cannot be used with --records",
                                command_option(arguments->command, selecting[i])->long_name);
    return EXIT_FINE;
}

static enum exit_code print_lines(struct job *job) {
    const bool records = option_given(job->arguments, OPTION_records);
    struct printing printing;
    enum exit_code code = records ? EXIT_FINE : select_events(job);
    if (code == EXIT_FINE)
        code = printing_begin(&printing, job->arguments);
    if (code != EXIT_FINE)
        return code;
    const struct lines lines = {job, printing.sink, option_given(job->arguments, OPTION_json),
                                option_number(job->arguments, OPTION_limit, UINT64_MAX)};
    job_set(job, records ? write_records(&lines) : write_events(&lines));
    const bool is_empty = quipu_reader_delivered(job->reader) == 0 && lines.limit > 0;
    code = printing_end(&printing, job->code);
    if (code == EXIT_FINE && is_empty && selection_given(job->arguments))
        report_nothing(job, "nothing selected");
    return code;
}

enum exit_code command_cat(const struct arguments *arguments) {
    struct job job;
    enum exit_code code = check_options(arguments);
    if (code != EXIT_FINE)
        return code;
    if (job_begin(&job, arguments, arguments->operands[0]) == EXIT_FINE)
        job.code = print_lines(&job);
    return job_end(&job);
}
