/* times.h: times on the command line: the window of --since, --until and --for, the distances of --every and --count, and for those who
 * ask for a part of a trace in which there is nothing: what is there. */
#ifndef QUIPU_CLI_TIMES_H
#define QUIPU_CLI_TIMES_H

#include "job.h"

/* Digits at *at as a number up to a limit. */
bool take_digits(const char **at, uint64_t limit, uint64_t *out);

/* A time: ticks, or a decimal number with the unit ns, us, ms or s, which is rounded up to a tick; or a part of the time that the trace
 * spans: 0% is the first event, 100% the tick behind the last one, for which all of the trace is read. EXIT_USAGE when it is neither;
 * the message names the option. */
enum exit_code take_time(struct job *job, const struct option *option, const char *text, int64_t *out);

/* What the options say: from <= time < to. Ends that are not given stay as they are. */
enum exit_code take_window(struct job *job, int64_t *from, int64_t *to);

/* The times of snapshots and of an index: ticks between two of them, or 0 and their number. EXIT_USAGE, with a
 * message, when the options make no sense. */
enum exit_code spacing_of(const struct job *job, int64_t *out_interval, uint64_t *out_count);

/* A remark that the answer is empty, and from when to when the trace has events. Reads the whole trace: any pass ends. */
void report_nothing(struct job *job, const char *what);

/* Tells when a time of an analysis lies behind the end of the trace; the tick behind the last event is its end. EXIT_USAGE where it is
 * the time that is asked about (state --at); the beginning of a window only makes the answer empty, which is a remark. */
enum exit_code check_time_exists(struct job *job, const struct option *option, const char *value, int64_t time);

#endif
