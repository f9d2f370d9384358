/* bounds.h: for those who ask for a part of a trace in which there is nothing: what is there. */
#ifndef QUIPU_CLI_BOUNDS_H
#define QUIPU_CLI_BOUNDS_H

#include "job.h"

/* From when to when the trace has events, in first, last and has_times: all of it is read, once. Any pass ends. */
enum exit_code find_bounds(struct job *job, struct quipu_summary *out);

/* A remark that the answer is empty, and from when to when the trace has events. Reads the whole trace: any pass ends. */
void report_nothing(struct job *job, const char *what);

/* Tells when a time of an analysis lies behind the end of the trace; the tick behind the last event is its end. EXIT_USAGE where it is
 * the time that is asked about (state --at); the beginning of a window only makes the answer empty, which is a remark. */
enum exit_code check_time_exists(struct job *job, const struct option *option, const char *value, int64_t time);

#endif
