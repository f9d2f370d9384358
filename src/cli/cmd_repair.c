/* cmd_repair.c: quipu repair: a damaged trace made whole, and what was lost on the way. */
#include "conversion.h"
#include "job.h"
#include "report.h"

#include <stdio.h>

static enum quipu_status write_stderr(void *context, const void *data, size_t size, struct quipu_error *err) {
    (void)context, (void)err;
    fwrite(data, 1, size, stderr);
    return QUIPU_OK;
}

/* JSON goes to standard output, text for people to standard error. */
static enum quipu_status show(struct job *job, const struct quipu_repair_report *report) {
    const struct quipu_findings *damage = quipu_reader_findings(job->reader);
    struct quipu_output *output;
    if (!option_given(job->arguments, OPTION_json))
        return option_given(job->arguments, OPTION_quiet)
                   ? QUIPU_OK
                   : quipu_repair_report_write(report, damage, false, (struct quipu_sink){write_stderr, NULL},
                                               &job->err);
    enum quipu_status status = quipu_output_open("-", false, ending_guard(), &output, &job->err);
    if (status != QUIPU_OK)
        return status;
    status = quipu_repair_report_write(report, damage, true, quipu_output_sink(output), &job->err);
    if (status == QUIPU_OK)
        return quipu_output_close(output, &job->err);
    quipu_output_discard(output);
    return status;
}

static void repair(struct job *job) {
    struct quipu_repair_options repair_options = QUIPU_REPAIR_OPTIONS_INIT;
    struct quipu_repair_report *report;
    repair_options.writer = writer_options_of(job->arguments);
    repair_options.progress = job->progress;
    const enum quipu_status status = quipu_repair(job->reader, option_text(job->arguments, OPTION_output),
                                                  &repair_options, &report, &job->err);
    job_set(job, status);
    if (status == QUIPU_OK)
        job_set(job, show(job, report));
    if (quipu_reader_unreadable(job->reader) > 0)
        job->code = worse_exit(job->code, EXIT_UNREADABLE); /* intact, perhaps, but not there */
    quipu_repair_report_free(report);
}

enum exit_code command_repair(const struct arguments *arguments) {
    struct job job;
    if (!option_given(arguments, OPTION_output))
        return report_usage("repair needs -o OUTPUT");
    if (option_number(arguments, OPTION_compress, 0) > 9)
        return report_usage("--compress goes from 1 to 9");
    if (job_begin(&job, arguments, arguments->operands[0]) == EXIT_FINE)
        repair(&job);
    job_close(&job);
    return job.code;
}
