/* cmd_convert.c: quipu convert: a trace in another format, and what was lost on the way. */
#include "job.h"
#include "report.h"
#include "selection.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>

/* Name of the format or exporter to write, or NULL. */
static const char *find_target(const struct arguments *arguments) {
    const char *name = option_text(arguments, OPTION_target);
    const char *output = option_text(arguments, OPTION_output);
    if (name || !output)
        return name;
    const struct quipu_format *format = quipu_format_by_suffix(output);
    const struct quipu_exporter *exporter = quipu_exporter_by_suffix(output);
    return format ? format->name : exporter ? exporter->name : NULL;
}

static bool can_compress(const char *target) {
    const struct quipu_format *format = quipu_format_find(target);
    return format && (format->abilities & QUIPU_CAN_COMPRESS) != 0;
}

static enum exit_code check_options(const struct arguments *arguments) {
    const char *output = option_text(arguments, OPTION_output), *target = find_target(arguments);
    if (!output && !option_given(arguments, OPTION_explain))
        return report_usage("convert needs -o OUTPUT");
    if (target && option_number(arguments, OPTION_compress, 0) > 9)
        return report_usage("--compress goes from 1 to 9");
    if (target && option_number(arguments, OPTION_compress, 0) > 0 && !can_compress(target))
        return report_usage("%s has no compression of its own", target);
    if (target)
        return EXIT_FINE;
    if (!output)
        return report_usage("--explain needs --to or -o");
    return report_usage("the ending of %s says no format; choose one with --to", output);
}

static struct quipu_convert_options convert_options(const struct job *job, const struct selected *selected) {
    struct quipu_convert_options how = QUIPU_CONVERT_OPTIONS_INIT;
    const struct arguments *arguments = job->arguments;
    how.writer.replace = option_given(arguments, OPTION_force);
    how.writer.compression = (int)option_number(arguments, OPTION_compress, 0);
    how.writer.long_form = option_given(arguments, OPTION_long_form);
    how.writer.streams = (uint32_t)option_number(arguments, OPTION_streams, 0);
    how.writer.memory_limit = (size_t)option_number(arguments, OPTION_max_memory, 0);
    how.fail_on_loss = option_given(arguments, OPTION_fail_on_loss);
    how.selection = selected->selection;
    how.selected = selected->any;
    how.progress = job->progress;
    return how;
}

/* Writes a ledger as JSON to the file of --ledger. */
static enum quipu_status save_ledger(struct job *job, const struct quipu_ledger *ledger) {
    const char *path = option_text(job->arguments, OPTION_ledger);
    struct quipu_output *output;
    if (!path || !ledger)
        return QUIPU_OK;
    enum quipu_status status =
        quipu_output_open(path, option_given(job->arguments, OPTION_force), &output, &job->err);
    if (status != QUIPU_OK)
        return status;
    status = quipu_ledger_write(ledger, true, quipu_output_sink(output), &job->err);
    if (status == QUIPU_OK)
        return quipu_output_close(output, &job->err);
    quipu_output_discard(output);
    return status;
}

static void remark_on_loss(const struct job *job, const struct quipu_ledger *ledger, const char *target) {
    const uint64_t records = quipu_reader_records(job->reader), lost = quipu_ledger_lost(ledger);
    const char *output = option_text(job->arguments, OPTION_output);
    if (lost == 0) {
        report_remark(job->arguments, "%s: %s made from %" PRIu64 " records, nothing lost", output, target,
                      records);
        return;
    }
    report_remark(job->arguments,
                  "%s: %s made from %" PRIu64 " records, %" PRIu64 " of them approximated or left out", output,
                  target, records, lost);
    if (!option_given(job->arguments, OPTION_ledger))
        report_remark(job->arguments, "--ledger FILE writes down which, --explain says why");
}

/* An interrupted conversion has left nothing behind; now the signal does what it was meant to. */
static void die_if_interrupted(void) {
    if (progress_interrupted())
        raise(progress_interrupted());
}

static void convert(struct job *job, const struct selected *selected, const char *target) {
    const struct quipu_convert_options how = convert_options(job, selected);
    const char *output = option_text(job->arguments, OPTION_output);
    struct quipu_ledger *ledger = NULL;
    progress_catch_interrupts();
    const enum quipu_status status = quipu_convert(job->reader, output, target, &how, &ledger, &job->err);
    job_set(job, status);
    if (status == QUIPU_UNSUPPORTED)
        job->code = EXIT_USAGE; /* an option that the target does not have */
    if (status == QUIPU_OK)
        remark_on_loss(job, ledger, target);
    if (status == QUIPU_OK || status == QUIPU_NOT_REPRESENTABLE)
        job_set(job, save_ledger(job, ledger));
    quipu_ledger_free(ledger);
    die_if_interrupted();
}

static enum quipu_status print_ledger(struct job *job, const char *target, struct quipu_sink sink) {
    struct quipu_ledger *ledger = NULL;
    enum quipu_status status = quipu_convert_explain(job->reader, target, &ledger, &job->err);
    if (status == QUIPU_OK)
        status = quipu_ledger_write(ledger, option_given(job->arguments, OPTION_json), sink, &job->err);
    quipu_ledger_free(ledger);
    return status;
}

/* --explain prints to standard output: -o names the output that is not written. */
static void explain(struct job *job, const char *target) {
    struct quipu_output *output;
    enum quipu_status status = quipu_output_open("-", false, &output, &job->err);
    if (status == QUIPU_OK) {
        status = print_ledger(job, target, quipu_output_sink(output));
        if (status == QUIPU_OK)
            status = quipu_output_close(output, &job->err);
        else
            quipu_output_discard(output);
    }
    job_set(job, status);
}

enum exit_code command_convert(const struct arguments *arguments) {
    const enum exit_code code = check_options(arguments);
    if (code != EXIT_FINE)
        return code;
    struct job job;
    if (job_begin(&job, arguments, arguments->operands[0]) == EXIT_FINE) {
        struct selected selected;
        job.code = selected_init(&selected, arguments, quipu_reader_definitions(job.reader));
        if (job.code == EXIT_FINE && option_given(arguments, OPTION_explain))
            explain(&job, find_target(arguments));
        else if (job.code == EXIT_FINE)
            convert(&job, &selected, find_target(arguments));
        selected_release(&selected);
    }
    return job_end(&job);
}
