/* cmd_index.c: quipu index: the index of a trace, beside it or elsewhere; and whether it is still that of the trace. */
#include "report.h"
#include "share.h"
#include "times.h"

#include <inttypes.h>

static void report_index(const struct job *job, const char *path, const struct quipu_index_result *result) {
    const uint64_t total = quipu_reader_bytes_total(job->reader);
    report_remark(job->arguments, "%s: %" PRIu64 " checkpoint%s, %" PRIu64 " KiB, %.1f %% of the trace", path,
                  result->points, result->points == 1 ? "" : "s", (result->bytes + 1023) / 1024,
                  total > 0 ? 100.0 * (double)result->bytes / (double)total : 0.0);
}

static void build_index(struct job *job) {
    const char *output = option_text(job->arguments, OPTION_output);
    struct quipu_index_options index_options = QUIPU_INDEX_OPTIONS_INIT;
    struct quipu_index_result result;
    index_options.replace = option_given(job->arguments, OPTION_force);
    index_options.guard = ending_guard();
    index_options.progress = job->progress;
    job->code = spacing_of(job, &index_options.interval, &index_options.count);
    if (job->code != EXIT_FINE)
        return;
    quipu_reader_share(job->reader, job->arguments->transport);
    const enum quipu_status status = quipu_index_build(job->reader, output, &index_options, &result, &job->err);
    quipu_reader_share(job->reader, NULL);
    job_set(job, status);
    if (status == QUIPU_OK)
        report_index(job, output ? output : quipu_reader_index_path(job->reader), &result);
}

static void verify_index(struct job *job) {
    const enum quipu_status status = quipu_reader_check_index(job->reader, &job->err);
    const char *path = quipu_reader_index_path(job->reader);
    if (status == QUIPU_OK)
        report_remark(job->arguments, "%s: is the index of this trace: each byte is what it was", path);
    else if (status == QUIPU_CORRUPT && report_error(&job->err) != EXIT_FINE)
        job->code = EXIT_NO;
    else
        job_set(job, status);
}

enum exit_code command_index(const struct arguments *arguments) {
    struct job job;
    if (job_begin(&job, arguments, arguments->operands[0]) != EXIT_FINE)
        return job_end(&job);
    if (option_given(arguments, OPTION_verify))
        verify_index(&job);
    else
        build_index(&job);
    return job_end(&job);
}
