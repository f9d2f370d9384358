/* job.c: see job.h. */
#include "job.h"

#include "report.h"

/* ---- Printing ---- */

enum exit_code printing_begin(struct printing *printing, const struct arguments *arguments) {
    const char *path = option_text(arguments, OPTION_output);
    struct quipu_error err = QUIPU_ERROR_INIT;
    *printing = (struct printing){.output = NULL};
    if (quipu_output_open(path ? path : "-", option_given(arguments, OPTION_force), &printing->output, &err) !=
        QUIPU_OK)
        return report_error(&err);
    printing->sink = quipu_output_sink(printing->output);
    return EXIT_FINE;
}

/* A command that failed before it was done leaves no file behind; a damaged input or a negative answer is a
 * complete answer. */
static bool is_answer(enum exit_code code) {
    return code == EXIT_FINE || code == EXIT_NO || code == EXIT_DAMAGED;
}

enum exit_code printing_end(struct printing *printing, enum exit_code code) {
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu_output *output = printing->output;
    printing->output = NULL;
    if (!output)
        return code;
    if (!is_answer(code)) {
        quipu_output_discard(output);
        return code;
    }
    return quipu_output_close(output, &err) == QUIPU_OK ? code : report_error(&err);
}

/* ---- Reading ---- */

enum exit_code job_begin(struct job *job, const struct arguments *arguments, const char *path) {
    *job = (struct job){.arguments = arguments, .path = path, .err = QUIPU_ERROR_INIT};
    job->progress = progress_begin(&job->line, arguments);
    const struct quipu_reader_options how = {
        .format = option_text(arguments, OPTION_from_format),
        .variant = option_text(arguments, OPTION_machine),
        .memory_limit = (size_t)option_number(arguments, OPTION_max_memory, 0),
    };
    if (quipu_reader_open(path, &how, &job->reader, &job->err) != QUIPU_OK)
        job->code = report_error(&job->err);
    return job->code;
}

void job_set(struct job *job, enum quipu_status status) {
    progress_end(&job->line);
    if (status < 0)
        job->code = worse_exit(job->code, report_error(&job->err));
}

void job_close(struct job *job) {
    progress_end(&job->line);
    quipu_reader_close(job->reader);
    job->reader = NULL;
}

enum exit_code job_end(struct job *job) {
    if (job->reader) {
        const struct quipu_findings *findings = quipu_reader_findings(job->reader);
        progress_end(&job->line);
        report_findings(job->arguments, findings, job->path);
        job->code = worse_exit(job->code, exit_of_findings(findings));
    }
    job_close(job);
    return job->code;
}
