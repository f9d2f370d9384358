/* cmd_check.c: quipu check: do traces follow the rules? */
#include "job.h"
#include "report.h"
#include "share.h"

/* What to do about damage: a command, where the format can be repaired. */
static const char *remedy_of(const struct job *job, char *text, size_t size) {
    if ((quipu_reader_format(job->reader)->abilities & QUIPU_CAN_REPAIR) == 0)
        return NULL;
    snprintf(text, size, "quipu repair %s -o REPAIRED", job->path);
    return text;
}

/* Several traces: whose findings follow. */
static enum quipu_status write_heading(struct job *job, struct quipu_sink sink) {
    char path[4096], text[sizeof path + 8];
    if (job->arguments->operand_count < 2 || option_given(job->arguments, OPTION_json))
        return QUIPU_OK;
    const int len = snprintf(text, sizeof text, "%s:\n", quipu_text_escape(job->path, path, sizeof path));
    return sink.write(sink.context, text, (size_t)len, &job->err);
}

static enum quipu_status check(struct job *job, const struct printing *printing) {
    struct quipu_check_result result;
    char remedy[4096];
    const struct quipu_check_print print = {.json = option_given(job->arguments, OPTION_json),
                                            .all = option_given(job->arguments, OPTION_all),
                                            .path = job->arguments->operand_count > 1 ? job->path : NULL,
                                            .remedy = remedy_of(job, remedy, sizeof remedy)};
    quipu_reader_share(job->reader, job->arguments->transport);
    enum quipu_status status = quipu_check_rules(job->reader, option_text(job->arguments, OPTION_rules),
                                                 &job->progress, &result, &job->err);
    quipu_reader_share(job->reader, NULL);
    progress_end(&job->line);
    if (status == QUIPU_OK)
        status = write_heading(job, printing->sink);
    return status == QUIPU_OK ? quipu_check_write(&result, quipu_reader_findings(job->reader), &print,
                                                  printing->sink, &job->err)
                              : status;
}

/* Where nothing is lost, errors are the answer no. */
static enum exit_code answer(const struct quipu_reader *reader) {
    const enum exit_code code = exit_of_trace(reader);
    const bool has_lost = quipu_findings_total(quipu_reader_findings(reader), QUIPU_DATA_LOSS) > 0;
    return code == EXIT_DAMAGED && !has_lost ? EXIT_NO : code;
}

static enum exit_code check_one(const struct arguments *arguments, const char *path,
                                const struct printing *printing) {
    struct job job;
    if (job_begin(&job, arguments, path) == EXIT_FINE) {
        job_set(&job, check(&job, printing));
        if (!share_hands_on(arguments))
            job.code = worse_exit(job.code, answer(job.reader));
    }
    job_close(&job);
    return job.code;
}

/* Damage matters more than a trace that only breaks rules. */
static enum exit_code worse_answer(enum exit_code first, enum exit_code second) {
    return first == EXIT_NO && second == EXIT_DAMAGED ? second : worse_exit(first, second);
}

enum exit_code command_check(const struct arguments *arguments) {
    struct printing printing;
    enum exit_code code = printing_begin(&printing, arguments);
    if (code != EXIT_FINE)
        return code;
    for (int i = 0; i < arguments->operand_count; i++)
        code = worse_answer(code, check_one(arguments, arguments->operands[i], &printing));
    return worse_exit(printing_end(&printing, arguments->operand_count > 1 ? EXIT_FINE : code), code);
}
