/* window.h: times on the command line, and the window of --since, --until and --for. */
#ifndef QUIPU_CLI_WINDOW_H
#define QUIPU_CLI_WINDOW_H

#include "job.h"

/* Parses a time: ticks, or a decimal number with the unit ns, us, ms or s, which is rounded up to a tick. False
 * when it is no time. */
bool parse_time(const char *text, const struct quipu_clock *clock, int64_t *out);

/* A time as above, or a part of the time that the trace spans: 0% is the first event, 100% the tick behind the last one, for
 * which all of the trace is read. EXIT_USAGE when it is neither; the message names the option. */
enum exit_code take_time(struct job *job, const struct option *option, const char *text, int64_t *out);

/* What the options say: from <= time < to. Ends that are not given stay as they are. */
enum exit_code take_window(struct job *job, int64_t *from, int64_t *to);

#endif
