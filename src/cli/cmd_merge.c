/* cmd_merge.c: quipu merge: the streams of a trace in another number of streams, or several traces as one. */
#include "conversion.h"
#include "job.h"
#include "report.h"

#include <stdlib.h>

/* As many as given, 0 for one per location; else one where the number can be chosen. */
static uint32_t streams_of(const struct arguments *arguments, const char *target) {
    const struct quipu_format *format = quipu_format_find(target);
    const bool can_choose = format && (format->abilities & QUIPU_HAS_STREAMS) != 0;
    if (!option_given(arguments, OPTION_streams))
        return can_choose;
    const uint64_t count = option_number(arguments, OPTION_streams, 0);
    return count == 0 || count > UINT32_MAX ? UINT32_MAX : (uint32_t)count;
}

static enum exit_code merge(struct inputs *inputs, const char *target) {
    struct job *job = &inputs->jobs[0];
    struct quipu_convert_options convert_options = conversion_options(job);
    struct quipu_conversion_report **reports = calloc(inputs->count, sizeof(struct quipu_conversion_report *));
    if (!reports)
        return report_no_memory();
    convert_options.writer.streams = streams_of(job->arguments, target);
    quipu_reader_share(job->reader, job->arguments->transport);
    const enum quipu_status status =
        quipu_merge(inputs->readers, inputs->count, option_text(job->arguments, OPTION_output), target,
                    &convert_options, reports, &job->err);
    quipu_reader_share(job->reader, NULL);
    conversion_end(inputs->jobs, inputs->count, status, reports, target);
    free(reports);
    return EXIT_FINE;
}

enum exit_code command_merge(const struct arguments *arguments) {
    struct inputs inputs;
    enum exit_code code = inputs_open(&inputs, arguments);
    if (code == EXIT_FINE) {
        const char *target = conversion_target_or_same(&inputs.jobs[0]);
        code = conversion_check(arguments, target, true);
        if (code == EXIT_FINE)
            code = merge(&inputs, target);
    }
    return inputs_close(&inputs, code);
}
