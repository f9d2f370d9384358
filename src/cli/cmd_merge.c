/* cmd_merge.c: quipu merge and quipu split: the streams of a trace in another number of streams, or several traces as one. */
#include "conversion.h"
#include "report.h"

#include <stdlib.h>

/* The inputs. Only the first one shows its progress. */
struct inputs {
    struct job *jobs;
    struct quipu_reader **readers;
    struct quipu_conversion_report **reports;
    size_t count;
};

static enum exit_code open_inputs(struct inputs *inputs, const struct arguments *arguments) {
    const size_t count = (size_t)arguments->operand_count;
    *inputs = (struct inputs){.jobs = calloc(count, sizeof *inputs->jobs),
                              .readers = calloc(count, sizeof(struct quipu_reader *)),
                              .reports = calloc(count, sizeof(struct quipu_conversion_report *))};
    if (!inputs->jobs || !inputs->readers || !inputs->reports)
        return report_no_memory();
    enum exit_code code = EXIT_FINE;
    for (size_t i = 0; i < count && code == EXIT_FINE; i++) {
        code = job_begin(&inputs->jobs[i], arguments, arguments->operands[i]);
        inputs->readers[i] = inputs->jobs[i].reader;
        inputs->count = i + 1;
    }
    return code;
}

static enum exit_code close_inputs(struct inputs *inputs, enum exit_code code) {
    for (size_t i = 0; i < inputs->count; i++)
        code = worse_exit(code, job_end(&inputs->jobs[i]));
    free(inputs->jobs);
    free(inputs->readers);
    free(inputs->reports);
    return code;
}

/* Each location gets its own. */
#define STREAM_PER_LOCATION UINT32_MAX

/* As many as given, else the command's default where the number can be chosen. */
static uint32_t streams_of(const struct arguments *arguments, const char *target, uint32_t otherwise) {
    const struct quipu_format *format = quipu_format_find(target);
    const bool can_choose = format && (format->abilities & QUIPU_HAS_STREAMS) != 0;
    if (!option_given(arguments, OPTION_streams))
        return can_choose ? otherwise : 0;
    const uint64_t count = option_number(arguments, OPTION_streams, 0);
    return count == 0 || count > UINT32_MAX ? STREAM_PER_LOCATION : (uint32_t)count;
}

static void merge(struct inputs *inputs, const char *target, uint32_t streams) {
    struct job *job = &inputs->jobs[0];
    struct quipu_convert_options convert_options = conversion_options(job);
    convert_options.writer.streams = streams_of(job->arguments, target, streams);
    const enum quipu_status status =
        quipu_merge(inputs->readers, inputs->count, option_text(job->arguments, OPTION_output), target,
                    &convert_options, inputs->reports, &job->err);
    conversion_end(inputs->jobs, inputs->count, status, inputs->reports, target);
}

static enum exit_code write_streams(const struct arguments *arguments, uint32_t streams) {
    struct inputs inputs;
    enum exit_code code = open_inputs(&inputs, arguments);
    if (code == EXIT_FINE) {
        const char *target = conversion_target_or_same(&inputs.jobs[0]);
        code = conversion_check(arguments, target, true);
        if (code == EXIT_FINE)
            merge(&inputs, target, streams);
    }
    return close_inputs(&inputs, code);
}

enum exit_code command_merge(const struct arguments *arguments) {
    return write_streams(arguments, 1);
}

enum exit_code command_split(const struct arguments *arguments) {
    return write_streams(arguments, STREAM_PER_LOCATION);
}
