/* conversion.h: what commands that write a trace have in common: the target, options for the writer, and saying what
 * came over. */
#ifndef QUIPU_CLI_CONVERSION_H
#define QUIPU_CLI_CONVERSION_H

#include "job.h"

/* Name of the format that --to or the ending of -o says, or NULL. */
const char *conversion_target(const struct arguments *arguments);

/* The same, or the input's own format. */
const char *conversion_target_or_same(const struct job *job);

/* Checks the options against the target, which may be NULL: then the message asks for one. output_needed: -o must be
 * given. */
enum exit_code conversion_check(const struct arguments *arguments, const char *target, bool output_needed);

struct quipu_convert_options conversion_options(const struct job *job);

/* What the options say about writing, those that only some commands have included. */
struct quipu_writer_options writer_options_of(const struct arguments *arguments);

/* Takes over how a conversion of one or several inputs ended: reports its error or what was lost, writes the reports, one
 * per input, to the file of --report, and frees them. The first job keeps the
 * exit code. */
void conversion_end(struct job *jobs, size_t count, enum quipu_status status,
                    struct quipu_conversion_report **reports, const char *target);

#endif
