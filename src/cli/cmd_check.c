/* cmd_check.c: quipu check: does a trace follow the rules? */
#include "job.h"
#include "report.h"

static enum quipu_status check(struct job *job, const struct printing *printing) {
    struct quipu_check_result result;
    enum quipu_status status = quipu_check_rules(job->reader, option_text(job->arguments, OPTION_rules),
                                                 &job->progress, &result, &job->err);
    progress_end(&job->line);
    if (status != QUIPU_OK)
        return status;
    return quipu_check_write(&result, quipu_reader_findings(job->reader),
                             option_given(job->arguments, OPTION_json), printing->sink, &job->err);
}

/* Where nothing is lost, errors are the answer no. */
static enum exit_code answer(const struct quipu_reader *reader) {
    const enum exit_code code = exit_of_trace(reader);
    const bool has_lost = quipu_findings_total(quipu_reader_findings(reader), QUIPU_DATA_LOSS) > 0;
    return code == EXIT_DAMAGED && !has_lost ? EXIT_NO : code;
}

enum exit_code command_check(const struct arguments *arguments) {
    struct job job;
    struct printing printing;
    if (job_begin(&job, arguments, arguments->operands[0]) == EXIT_FINE)
        job.code = printing_begin(&printing, arguments);
    if (job.code == EXIT_FINE) {
        job_set(&job, check(&job, &printing));
        job.code = worse_exit(printing_end(&printing, job.code), answer(job.reader));
    }
    job_close(&job);
    return job.code;
}
