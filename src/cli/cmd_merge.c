/* cmd_merge.c: quipu merge: the streams of a trace in another number of streams. */
#include "conversion.h"

static void merge(struct job *job, const char *target) {
    struct quipu_convert_options how = conversion_options(job);
    struct quipu_ledger *ledger = NULL;
    how.writer.streams = (uint32_t)option_number(job->arguments, OPTION_streams, 1);
    if (how.writer.streams == 0)
        how.writer.streams = UINT32_MAX; /* more than there are locations: each gets its own */
    progress_catch_interrupts();
    const enum quipu_status status = quipu_convert(job->reader, option_text(job->arguments, OPTION_output),
                                                   target, &how, &ledger, &job->err);
    conversion_end(job, status, ledger, target);
    quipu_ledger_free(ledger);
}

enum exit_code command_merge(const struct arguments *arguments) {
    struct job job;
    if (job_begin(&job, arguments, arguments->operands[0]) == EXIT_FINE) {
        const char *target = conversion_target_or_same(&job);
        job.code = conversion_check(arguments, target, true);
        if (job.code == EXIT_FINE)
            merge(&job, target);
    }
    return job_end(&job);
}
