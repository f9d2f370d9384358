/* conversion.h: what commands that write a trace have in common: the target, options for the writer, and saying what
 * came over. */
#ifndef QUIPU_CLI_CONVERSION_H
#define QUIPU_CLI_CONVERSION_H

#include "job.h"

/* Whether -o gets a trace: in commands that write traces, and in analyses that give events other times, with the option that they need for
 * that. What goes to standard output is the answer. */
bool writes_trace(const struct arguments *arguments);

/* Refuses what is said about a trace where none is written, and a name for a trace where something else is. */
enum exit_code conversion_check_output(const struct arguments *arguments);

/* A remark where a table goes into a file that could be a trace, with an option that is not given. */
void conversion_say_table(const struct arguments *arguments, const char *output);

/* Refuses a name for a trace in another format than the input's, where that is what is written. */
enum exit_code conversion_check_same(const struct job *job);

/* Name of the format that --to or the ending of -o says, or NULL. */
const char *conversion_target(const struct arguments *arguments);

/* The same, or the input's own format. */
const char *conversion_target_or_same(const struct job *job);

/* Checks the options against the target, which may be NULL: then the message asks for one. output_needed: -o must be
 * given. */
enum exit_code conversion_check(const struct arguments *arguments, const char *target, bool output_needed);

/* Says that the output's name means no format, and which --to takes. */
enum exit_code conversion_refuse_suffix(const struct arguments *arguments, const char *output);

struct quipu_convert_options conversion_options(const struct job *job);

/* What the options say about writing, those that only some commands have included. */
struct quipu_writer_options writer_options_of(const struct arguments *arguments);

/* Takes over how a conversion of one or several inputs ended: reports its error or what was lost, writes the reports, one
 * per input, to the file of --report, and frees them. The first job keeps the
 * exit code. */
void conversion_end(struct job *jobs, size_t count, enum quipu_status status,
                    struct quipu_conversion_report **reports, const char *target);

#endif
