/* cmd_repair.c: quipu repair: a damaged trace made whole, and what was lost on the way. */
#include "conversion.h"
#include "job.h"
#include "recording.h"
#include "report.h"

#include <stdio.h>
#include <string.h>

static enum quipu_status write_stderr(void *context, const void *data, size_t size, struct quipu_error *err) {
    (void)context, (void)err;
    fwrite(data, 1, size, stderr);
    return QUIPU_OK;
}

/* JSON goes to standard output, text for people to standard error. */
static enum quipu_status show(struct job *job, const struct quipu_repair_report *report) {
    const struct quipu_findings *damage = quipu_reader_findings(job->reader);
    struct quipu_output *output;
    if (!option_given(job->arguments, OPTION_json))
        return option_given(job->arguments, OPTION_quiet)
                   ? QUIPU_OK
                   : quipu_repair_report_write(report, damage, false, (struct quipu_sink){write_stderr, NULL},
                                               &job->err);
    enum quipu_status status = quipu_output_open("-", false, ending_guard(), &output, &job->err);
    if (status != QUIPU_OK)
        return status;
    status = quipu_repair_report_write(report, damage, true, quipu_output_sink(output), &job->err);
    if (status == QUIPU_OK)
        return quipu_output_close(output, &job->err);
    quipu_output_discard(output);
    return status;
}

/* The output is what it is: better than the input, and no trace that a check accepts. */
static void say_unsound(struct job *job) {
    report_remark(job->arguments, "the repaired trace is not accepted as it is; quipu check %s says why",
                  option_text(job->arguments, OPTION_output));
    job->code = worse_exit(job->code, EXIT_DAMAGED);
}

static void check_output(struct job *job, struct quipu_repair_report *report) {
    enum quipu_verdict verdict;
    const enum quipu_status status = quipu_repair_check(job->reader, option_text(job->arguments, OPTION_output),
                                                        report, &verdict, &job->err);
    job_set(job, status == QUIPU_OK ? show(job, report) : status);
    if (status == QUIPU_OK && verdict == QUIPU_VERDICT_REJECT)
        say_unsound(job);
}

/* Whether a file of the input has become shorter meanwhile: that is no damage to be repaired, but a trace to be read again. */
static bool has_shrunk(const struct quipu_reader *reader) {
    const struct quipu_findings *findings = quipu_reader_findings(reader);
    for (size_t i = 0; i < quipu_findings_rule_count(findings); i++)
        if (strcmp(quipu_findings_rule_at(findings, i)->id, "file.shrunk") == 0)
            return true;
    return false;
}

static void repair(struct job *job) {
    struct quipu_repair_options repair_options = QUIPU_REPAIR_OPTIONS_INIT;
    struct quipu_repair_report *report;
    repair_options.writer = writer_options_of(job->arguments);
    repair_options.progress = job->progress;
    const enum quipu_status status = quipu_repair(job->reader, option_text(job->arguments, OPTION_output),
                                                  &repair_options, &report, &job->err);
    job_set(job, status);
    if (status == QUIPU_OK)
        check_output(job, report);
    if (quipu_reader_unreadable(job->reader) > 0)
        job->code = worse_exit(job->code, EXIT_UNREADABLE); /* intact, perhaps, but not there */
    else if (job->reader && has_shrunk(job->reader))
        job->code = worse_exit(job->code, EXIT_DAMAGED);
    quipu_repair_report_free(report);
}

static enum exit_code repair_trace(const struct arguments *arguments, const char *trace, const char *output,
                                   const void *context) {
    struct job job;
    (void)output, (void)context; /* the output is among the arguments */
    if (job_begin(&job, arguments, trace) == EXIT_FINE)
        job.code = conversion_check_same(&job);
    if (job.code == EXIT_FINE)
        repair(&job);
    job_close(&job);
    return job.code;
}

/* ---- What a recorder has left ---- */

/* Folders of a recorder whose command was killed, or that no command has started: collected beside the output, and repaired. */
static enum exit_code repair_recording(const struct arguments *arguments, const struct recorder *recorder) {
    const char *output = option_text(arguments, OPTION_output);
    struct recording recording = {
        .figures = "", .folders = arguments->operands, .folder_count = arguments->operand_count};
    enum exit_code code = recording_find(&recording, recorder);
    if (code == EXIT_FINE)
        code = recording_make_folder(&recording, output);
    if (code != EXIT_FINE)
        return code;
    code = recording_collect(&recording);
    if (code == EXIT_FINE || code == EXIT_DAMAGED)
        code = recording_each_world(&recording, arguments, output, repair_trace, NULL);
    recording_remove(&recording);
    return code;
}

/* The recorder of all these folders; NULL: they are no folders of one. */
static const struct recorder *recorder_of_all(const struct arguments *arguments) {
    const struct recorder *recorder = recording_recorder_of(arguments->operands[0]);
    for (int i = 1; i < arguments->operand_count; i++)
        if (recording_recorder_of(arguments->operands[i]) != recorder)
            return NULL;
    return recorder;
}

enum exit_code command_repair(const struct arguments *arguments) {
    if (!option_given(arguments, OPTION_output))
        return report_usage("repair needs -o OUTPUT");
    if (option_number(arguments, OPTION_compress, 0) > 9)
        return report_usage("--compress goes from 1 to 9");
    const struct recorder *recorder = recorder_of_all(arguments);
    if (recorder)
        return repair_recording(arguments, recorder);
    if (arguments->operand_count > 1)
        return report_usage("repair takes one trace, or the folders that a recorder has left");
    return repair_trace(arguments, arguments->operands[0], option_text(arguments, OPTION_output), NULL);
}
