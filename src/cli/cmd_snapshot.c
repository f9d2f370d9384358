/* cmd_snapshot.c: quipu snapshot: a trace with snapshots and statistics. */
#include "conversion.h"
#include "report.h"
#include "selection.h"

#include <inttypes.h>

enum { COUNT_DEFAULT = 100 };

static enum exit_code read_options(const struct job *job, struct quipu_snapshot_options *how) {
    const char *every = option_text(job->arguments, OPTION_every);
    how->convert = conversion_options(job);
    how->count = option_number(job->arguments, OPTION_count, every ? 0 : COUNT_DEFAULT);
    if (every && option_given(job->arguments, OPTION_count))
        return report_usage("--every and --count exclude each other");
    if (every && (!parse_time(every, &quipu_reader_definitions(job->reader)->clock, &how->interval) ||
                  how->interval <= 0))
        return report_usage("--every needs a time such as 1200 (ticks) or 1.5ms, not \"%s\"", every);
    return every || how->count > 0 ? EXIT_FINE : report_usage("--count begins at 1");
}

static void add_snapshots(struct job *job) {
    const char *output = option_text(job->arguments, OPTION_output);
    struct quipu_snapshot_options how = QUIPU_SNAPSHOT_OPTIONS_INIT;
    job->code = read_options(job, &how);
    if (job->code != EXIT_FINE)
        return;
    progress_catch_interrupts();
    const enum quipu_status status = quipu_snapshot(job->reader, output, &how, &job->err);
    job_set(job, status);
    if (status == QUIPU_UNSUPPORTED)
        job->code = EXIT_USAGE;
    if (status == QUIPU_OK)
        report_remark(job->arguments, "%s: snapshots and statistics of %" PRIu64 " records", output,
                      quipu_reader_records(job->reader));
    die_if_interrupted();
}

enum exit_code command_snapshot(const struct arguments *arguments) {
    struct job job;
    if (job_begin(&job, arguments, arguments->operands[0]) == EXIT_FINE) {
        job.code = conversion_check(arguments, quipu_reader_format(job.reader)->name, true);
        if (job.code == EXIT_FINE)
            add_snapshots(&job);
    }
    return job_end(&job);
}
