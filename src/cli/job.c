/* job.c: see job.h. */
#include "job.h"

#include "conversion.h"
#include "report.h"
#include "share.h"
#include "terminal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Printing ---- */

const char *printing_path(const struct arguments *arguments) {
    return writes_trace(arguments) || share_hands_on(arguments) ? NULL : option_text(arguments, OPTION_output);
}

/* Whether an output that is there already is a file of the input is what job_begin finds out first. */
static bool is_known_with_input(const struct printing *printing, const struct arguments *arguments,
                                const char *path) {
    return printing->is_file && arguments->command->operand_kind == OPERAND_FILES && access(path, F_OK) == 0;
}

enum exit_code printing_begin(struct printing *printing, const struct arguments *arguments) {
    const char *path = printing_path(arguments);
    struct quipu_error err = QUIPU_ERROR_INIT;
    *printing = (struct printing){.is_file = path && strcmp(path, "-") != 0};
    const enum exit_code code =
        is_known_with_input(printing, arguments, path) ? EXIT_FINE : conversion_check_output(arguments);
    if (code != EXIT_FINE)
        return code;
    if (quipu_output_open(path ? path : "-", option_given(arguments, OPTION_force), ending_guard(),
                          &printing->output, &err) != QUIPU_OK)
        return report_error(&err);
    if (printing->is_file)
        conversion_say_table(arguments, path);
    printing->sink = quipu_output_sink(printing->output);
    return EXIT_FINE;
}

/* A damaged input and a negative answer are complete answers. On standard output even a part is worth having,
 * unless it is standard output that failed. */
static bool is_worth_keeping(const struct printing *printing, enum exit_code code) {
    if (code == EXIT_FINE || code == EXIT_NO || code == EXIT_DAMAGED)
        return true;
    return !printing->is_file && code != EXIT_OUTPUT;
}

enum exit_code printing_end(struct printing *printing, enum exit_code code) {
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu_output *output = printing->output;
    printing->output = NULL;
    if (!output)
        return code;
    if (!is_worth_keeping(printing, code)) {
        quipu_output_discard(output);
        return code;
    }
    return quipu_output_close(output, &err) == QUIPU_OK ? code : worse_exit(code, report_error(&err));
}

/* ---- Reading ---- */

/* What the option says, in the terms of the library. */
static uint32_t threads_of(const struct arguments *arguments) {
    const uint64_t count = option_number(arguments, OPTION_threads, 1);
    return count == 0 || count > QUIPU_ALL_THREADS ? QUIPU_ALL_THREADS : (uint32_t)count;
}

uint32_t files_of(const struct arguments *arguments) {
    const uint64_t count = option_number(arguments, OPTION_max_files, 0);
    return count > UINT32_MAX ? UINT32_MAX : (uint32_t)count;
}

/* Commands that must see everything, or do not go over events, use none. "index --verify" looks at what it would write. */
static const char *index_of(const struct arguments *arguments) {
    if (!command_option(arguments->command, OPTION_no_index) && option_given(arguments, OPTION_verify))
        return option_text(arguments, OPTION_output);
    if (!command_option(arguments->command, OPTION_no_index) || option_given(arguments, OPTION_no_index))
        return "";
    return option_text(arguments, OPTION_with_index);
}

enum exit_code job_begin(struct job *job, const struct arguments *arguments, const char *path) {
    *job = (struct job){.arguments = arguments, .path = path, .err = QUIPU_ERROR_INIT};
    job->progress = progress_begin(&job->line, arguments);
    const struct quipu_reader_options reader_options = {
        .format = option_text(arguments, OPTION_from_format),
        .variant = option_text(arguments, OPTION_machine),
        .memory_limit = memory_of(arguments),
        .allocator = quipu_budget_allocator(arguments->budget),
        .file_limit = files_of(arguments),
        .temporary_limit = option_number(arguments, OPTION_max_temporary, 0),
        .threads = threads_of(arguments),
        .index = index_of(arguments),
        .verify_index = option_given(arguments, OPTION_verify),
        .allow_outside = option_given(arguments, OPTION_allow_outside),
        .progress = job->progress,
    };
    const bool names_index = option_given(arguments, OPTION_with_index);
    if (names_index && option_given(arguments, OPTION_no_index))
        return job->code = report_usage("--with-index and --no-index exclude each other");
    if (quipu_reader_open(path, &reader_options, &job->reader, &job->err) != QUIPU_OK ||
        quipu_reader_protect(job->reader, ending_guard(), &job->err) != QUIPU_OK ||
        (names_index && quipu_reader_check_index(job->reader, &job->err) != QUIPU_OK))
        return job->code = report_error(&job->err);
    return job->code = conversion_check_output(arguments);
}

void job_set(struct job *job, enum quipu_status status) {
    progress_end(&job->line);
    if (status < 0)
        job->code = worse_exit(job->code, report_error(&job->err));
}

/* What cannot be read is an error, so it is said even with --quiet. A name that the trace does not seem to have may be in
 * what was not read. */
static void report_unreadable(struct job *job) {
    const uint64_t count = job->reader ? quipu_reader_unreadable(job->reader) : 0;
    char path[512];
    if (count > 0 && job->code == EXIT_USAGE)
        job->code = EXIT_UNREADABLE;
    else if (count > 0 && job->code == EXIT_UNREADABLE && job->err.status == QUIPU_OK &&
             option_given(job->arguments, OPTION_quiet))
        fprintf(stderr, "quipu: %s: %" PRIu64 " %s unreadable\n",
                quipu_text_escape(job->path, path, sizeof path), count, count == 1 ? "file is" : "files are");
}

void job_close(struct job *job) {
    progress_end(&job->line);
    report_unreadable(job);
    quipu_reader_close(job->reader);
    job->reader = NULL;
}

/* --verbose: the index that reading could resume from. */
static void report_index(const struct job *job) {
    const bool may_use = command_option(job->arguments->command, OPTION_no_index) &&
                         !option_given(job->arguments, OPTION_no_index);
    if (option_given(job->arguments, OPTION_verbose) && may_use)
        report_remark(job->arguments, "%s: index %s", job->path,
                      quipu_reader_check_index(job->reader, NULL) == QUIPU_OK
                          ? quipu_reader_index_path(job->reader)
                          : "none");
}

/* --verbose: how much was read, and how fast. */
static void report_pace(const struct job *job) {
    const double seconds = seconds_now() - job->line.begin;
    const double mb = (double)quipu_reader_bytes_read(job->reader) * 1e-6;
    if (!option_given(job->arguments, OPTION_verbose))
        return;
    report_remark(job->arguments, "%s: %" PRIu64 " records, %.1f MB in %.3f s, %.1f MB/s", job->path,
                  quipu_reader_records(job->reader), mb, seconds, seconds > 0 ? mb / seconds : 0);
    report_index(job);
}

enum exit_code job_end(struct job *job) {
    if (job->reader) {
        const struct quipu_findings *findings = quipu_reader_findings(job->reader);
        progress_end(&job->line);
        report_pace(job);
        if (!share_hands_on(job->arguments)) {
            report_findings(job->arguments, findings, job->path);
            job->code = worse_exit(job->code, exit_of_trace(job->reader));
        }
    }
    job_close(job);
    return job->code;
}

/* ---- Several traces ---- */

enum exit_code inputs_open(struct inputs *inputs, const struct arguments *arguments) {
    const size_t count = (size_t)arguments->operand_count;
    *inputs = (struct inputs){.jobs = calloc(count, sizeof *inputs->jobs),
                              .readers = calloc(count, sizeof(struct quipu_reader *))};
    if (!inputs->jobs || !inputs->readers)
        return report_no_memory();
    enum exit_code code = EXIT_FINE;
    for (size_t i = 0; i < count && code == EXIT_FINE; i++) {
        code = job_begin(&inputs->jobs[i], arguments, arguments->operands[i]);
        inputs->readers[i] = inputs->jobs[i].reader;
        inputs->count = i + 1;
    }
    return code;
}

enum exit_code inputs_close(struct inputs *inputs, enum exit_code code) {
    for (size_t i = 0; i < inputs->count; i++)
        code = worse_exit(code, job_end(&inputs->jobs[i]));
    free(inputs->jobs);
    free(inputs->readers);
    return code;
}
