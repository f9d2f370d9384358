/* cmd_snapshot.c: quipu snapshot: a trace with snapshots and statistics. */
#include "conversion.h"
#include "report.h"
#include "times.h"

#include <inttypes.h>

static void add_snapshots(struct job *job) {
    const char *output = option_text(job->arguments, OPTION_output);
    struct quipu_snapshot_options snapshot_options = QUIPU_SNAPSHOT_OPTIONS_INIT;
    snapshot_options.convert = conversion_options(job);
    job->code = spacing_of(job, &snapshot_options.interval, &snapshot_options.count);
    if (job->code != EXIT_FINE)
        return;
    const enum quipu_status status = quipu_snapshot(job->reader, output, &snapshot_options, &job->err);
    job_set(job, status);
    if (status == QUIPU_UNSUPPORTED)
        job->code = EXIT_USAGE;
    if (status == QUIPU_OK)
        report_remark(job->arguments, "%s: snapshots and statistics of %" PRIu64 " records", output,
                      quipu_reader_records(job->reader));
}

enum exit_code command_snapshot(const struct arguments *arguments) {
    struct job job;
    if (job_begin(&job, arguments, arguments->operands[0]) == EXIT_FINE)
        job.code = conversion_check(arguments, quipu_reader_format(job.reader)->name, true);
    if (job.code == EXIT_FINE)
        job.code = conversion_check_same(&job);
    if (job.code == EXIT_FINE)
        add_snapshots(&job);
    return job_end(&job);
}
