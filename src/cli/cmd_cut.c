/* cmd_cut.c: quipu cut: a part of a trace as a trace. */
#include "conversion.h"
#include "selection.h"

static void cut(struct job *job, const struct selected *selected, const char *target) {
    struct quipu_cut_options cut_options = QUIPU_CUT_OPTIONS_INIT;
    struct quipu_conversion_report *report = NULL;
    cut_options.convert = conversion_options(job);
    cut_options.convert.selection = selected->selection;
    cut_options.snapshots = option_given(job->arguments, OPTION_snapshots);
    const enum quipu_status status = quipu_cut(job->reader, option_text(job->arguments, OPTION_output), target,
                                               &cut_options, &report, &job->err);
    conversion_end(job, 1, status, &report, target);
}

enum exit_code command_cut(const struct arguments *arguments) {
    struct job job;
    if (job_begin(&job, arguments, arguments->operands[0]) == EXIT_FINE) {
        const char *target = conversion_target_or_same(&job);
        struct selected selected;
        job.code = selected_init(&selected, &job);
        if (job.code == EXIT_FINE)
            job.code = conversion_check(arguments, target, true);
        if (job.code == EXIT_FINE)
            cut(&job, &selected, target);
        selected_release(&selected);
    }
    return job_end(&job);
}
