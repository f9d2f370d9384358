/* cmd_info.c: quipu info: what a trace is. */
#include "job.h"
#include "report.h"

static enum quipu_status write_summary(struct job *job, const struct printing *printing) {
    struct quipu_summary summary;
    enum quipu_status status = quipu_summarise(job->reader, &job->progress, &summary, &job->err);
    progress_end(&job->line);
    if (status != QUIPU_OK)
        return status;
    return quipu_summary_write(&summary, job->reader, option_given(job->arguments, OPTION_json), printing->sink,
                               &job->err);
}

/* Several traces are told apart by a heading; in JSON each is a line of its own. */
static enum quipu_status write_heading(struct job *job, const struct printing *printing, int index) {
    char escaped[4096], text[sizeof escaped + 3];
    if (job->arguments->operand_count < 2 || option_given(job->arguments, OPTION_json))
        return QUIPU_OK;
    const int len = snprintf(text, sizeof text, "%s%s:\n", index > 0 ? "\n" : "",
                             quipu_text_escape(job->path, escaped, sizeof escaped));
    return printing->sink.write(printing->sink.context, text, (size_t)len, &job->err);
}

enum exit_code command_info(const struct arguments *arguments) {
    struct printing printing;
    enum exit_code code = printing_begin(&printing, arguments);
    if (code != EXIT_FINE)
        return code;
    for (int i = 0; i < arguments->operand_count; i++) {
        struct job job;
        if (job_begin(&job, arguments, arguments->operands[i]) == EXIT_FINE) {
            enum quipu_status status = write_heading(&job, &printing, i);
            if (status == QUIPU_OK)
                status = write_summary(&job, &printing);
            job_set(&job, status);
        }
        code = worse_exit(code, job_end(&job));
    }
    return worse_exit(code, printing_end(&printing, EXIT_FINE)); /* what could be said stays said */
}
