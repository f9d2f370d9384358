/* report.h: what the command says on standard error, and the exit code that goes with it. */
#ifndef QUIPU_CLI_REPORT_H
#define QUIPU_CLI_REPORT_H

#include "command.h"

#include <quipu/quipu.h>

/* One line that says what is wrong with the command line. Returns EXIT_USAGE. */
enum exit_code report_usage(const char *format, ...) QUIPU_PRINTF(1, 2);

/* The same for a name that is none: "unknown WHAT "NAME"; did you mean NEAR?". near may be NULL; then the line ends in otherwise. */
enum exit_code report_unknown(const char *what, const char *name, const char *near, const char *otherwise);

enum exit_code report_no_memory(void);

/* One line with the error and one with advice. Returns the exit code of the error's status. */
enum exit_code report_error(const struct quipu_error *err);

/* A remark, unless --quiet. */
void report_remark(const struct arguments *arguments, const char *format, ...) QUIPU_PRINTF(2, 3);

/* Behind an error that says that memory is out: what hindered it from getting more room in a temporary file. With --verbose, how much
 * room it had. */
void report_budget(const struct arguments *arguments, enum exit_code code);

/* The first findings of a trace in a line each, and how to see the rest. */
void report_findings(const struct arguments *arguments, const struct quipu_findings *findings,
                     const char *path);

/* What the findings of a trace mean: EXIT_UNREADABLE when the system did not let files be read, EXIT_DAMAGED when something
 * is lost or wrong, else EXIT_FINE. */
enum exit_code exit_of_trace(const struct quipu_reader *reader);

/* The exit code that matters more: a failure more than an answer that is incomplete or no, that more than success, and
 * of two alike the first. */
static inline enum exit_code worse_exit(enum exit_code first, enum exit_code second) {
    const bool is_answer = first == EXIT_NO || first == EXIT_DAMAGED;
    const bool fails = second != EXIT_FINE && second != EXIT_NO && second != EXIT_DAMAGED;
    return first == EXIT_FINE || (is_answer && fails) ? second : first;
}

#endif
