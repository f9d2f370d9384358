/* cmd_convert.c: quipu convert: a trace in another format, and what was lost on the way. */
#include "conversion.h"
#include "ending.h"
#include "report.h"
#include "selection.h"

static struct quipu_convert_options options_of(const struct job *job, const struct selected *selected) {
    struct quipu_convert_options options = conversion_options(job);
    options.selection = selected->selection;
    options.selected = selected->any;
    options.with = option_text(job->arguments, OPTION_with);
    return options;
}

static void convert(struct job *job, const struct selected *selected, const char *target) {
    const struct quipu_convert_options options = options_of(job, selected);
    struct quipu_conversion_report *report = NULL;
    quipu_reader_share(job->reader, job->arguments->transport);
    const enum quipu_status status = quipu_convert(job->reader, option_text(job->arguments, OPTION_output),
                                                   target, &options, &report, &job->err);
    quipu_reader_share(job->reader, NULL);
    conversion_end(job, 1, status, &report, target);
}

/* Does everything but let the output appear, whose name need not be given. */
static enum quipu_status print_report(struct job *job, const struct selected *selected, const char *target,
                                      struct quipu_sink sink) {
    struct quipu_convert_options options = options_of(job, selected);
    struct quipu_conversion_report *report = NULL;
    const char *output = option_text(job->arguments, OPTION_output);
    options.dry_run = options.writer.replace = true;
    options.fail_on_loss = false;
    quipu_reader_share(job->reader, job->arguments->transport);
    enum quipu_status status =
        quipu_convert(job->reader, output ? output : "trace", target, &options, &report, &job->err);
    quipu_reader_share(job->reader, NULL);
    if (status == QUIPU_OK)
        status =
            quipu_conversion_report_write(report, option_given(job->arguments, OPTION_json), sink, &job->err);
    quipu_conversion_report_free(report);
    return status;
}

/* --explain prints to standard output: -o names the output that is not written. */
static void explain(struct job *job, const struct selected *selected, const char *target) {
    struct quipu_output *output;
    enum quipu_status status = quipu_output_open("-", false, ending_guard(), &output, &job->err);
    if (status == QUIPU_OK) {
        status = print_report(job, selected, target, quipu_output_sink(output));
        if (status == QUIPU_OK)
            status = quipu_output_close(output, &job->err);
        else
            quipu_output_discard(output);
    }
    job_set(job, status);
}

enum exit_code command_convert(const struct arguments *arguments) {
    const char *target = conversion_target(arguments);
    const enum exit_code code = conversion_check(arguments, target, !option_given(arguments, OPTION_explain));
    if (code != EXIT_FINE)
        return code;
    struct job job;
    if (job_begin(&job, arguments, arguments->operands[0]) == EXIT_FINE) {
        struct selected selected;
        job.code = selected_init(&selected, &job);
        if (job.code == EXIT_FINE && option_given(arguments, OPTION_explain))
            explain(&job, &selected, target);
        else if (job.code == EXIT_FINE)
            convert(&job, &selected, target);
        selected_release(&selected);
    }
    return job_end(&job);
}
