/* cmd_index.c: quipu index: the index of a trace, beside it or elsewhere. */
#include "report.h"
#include "spacing.h"

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
    const enum quipu_status status = quipu_index_build(job->reader, output, &index_options, &result, &job->err);
    job_set(job, status);
    if (status == QUIPU_OK)
        report_index(job, output ? output : quipu_reader_index_path(job->reader), &result);
}

enum exit_code command_index(const struct arguments *arguments) {
    struct job job;
    if (job_begin(&job, arguments, arguments->operands[0]) == EXIT_FINE)
        build_index(&job);
    return job_end(&job);
}
