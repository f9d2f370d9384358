/* job.h: what commands that read a trace have in common: a reader, a place for what is printed, progress, and an
 * end that decides about the exit code.
 *
 *     struct job job;
 *     enum exit_code code = job_begin(&job, arguments, path);
 *     if (code == EXIT_FINE)
 *         job_set(&job, work(&job));         status of the work, whose error is in job.err
 *     return job_end(&job);
 */
#ifndef QUIPU_CLI_JOB_H
#define QUIPU_CLI_JOB_H

#include "command.h"
#include "ending.h"
#include "terminal.h"

#include <quipu/quipu.h>

/* Where a command prints: standard output or -o FILE. */
struct printing {
    struct quipu_output *output; /* NULL when it is not open */
    struct quipu_sink sink;
    bool is_file;
};

/* What -o says, unless that is a trace; NULL: standard output. */
const char *printing_path(const struct arguments *arguments);

enum exit_code printing_begin(struct printing *printing, const struct arguments *arguments);

/* Completes what was printed; removes a file that a failed command has not completed. Returns the exit code. */
enum exit_code printing_end(struct printing *printing, enum exit_code code);

struct job {
    const struct arguments *arguments;
    const char *path;
    struct quipu_reader *reader;
    struct quipu_progress progress;
    struct progress_line line;
    struct quipu_error err;
    enum exit_code code;
    bool has_bounds; /* times.h */
    struct quipu_summary bounds;
    const struct quipu_unrecorded *unrecorded; /* by the recorder that has made the trace */
    size_t unrecorded_count;
};

/* What --max-files says, 0 for nothing. */
uint32_t files_of(const struct arguments *arguments);

/* Opens the trace. */
enum exit_code job_begin(struct job *job, const struct arguments *arguments, const char *path);

/* Takes over how the work ended; reports its error. */
void job_set(struct job *job, enum quipu_status status);

/* Reports findings, closes the reader and returns the exit code. */
enum exit_code job_end(struct job *job);

/* Closes the reader without a word about findings. */
void job_close(struct job *job);

/* The traces of a command that takes several at once. Only the first one shows its progress. */
struct inputs {
    struct job *jobs;
    struct quipu_reader **readers;
    size_t count;
};

/* Opens all operands. Close them in any case. */
enum exit_code inputs_open(struct inputs *inputs, const struct arguments *arguments);

/* Reports findings and closes all. Returns the exit code: that of the work, or a worse one of a trace. */
enum exit_code inputs_close(struct inputs *inputs, enum exit_code code);

#endif
