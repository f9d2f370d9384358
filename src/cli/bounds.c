/* bounds.c: see bounds.h. What is there is read only when the question has turned out to be about nothing. */
#include "bounds.h"

#include "report.h"

#include <inttypes.h>

enum { TEXT_BYTES = 160 };

static int print_seconds(char *text, size_t size, const struct quipu_clock *clock, int64_t ticks) {
    enum { NS_PER_SECOND = 1000000000 };
    const int64_t ns = quipu_clock_ns(clock, ticks);
    const uint64_t distance = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    return snprintf(text, size, "%s%" PRIu64 ".%09" PRIu64 "s", ns < 0 ? "-" : "", distance / NS_PER_SECOND,
                    distance % NS_PER_SECOND);
}

/* "events from 20 to 64 ticks (0.000020000s to 0.000064000s)" */
static void describe_bounds(struct job *job, char text[TEXT_BYTES]) {
    const struct quipu_clock *clock = &quipu_reader_definitions(job->reader)->clock;
    struct quipu_summary summary;
    char first[32], last[32];
    const enum quipu_status status = quipu_summarise(job->reader, &job->progress, &summary, &job->err);
    snprintf(text, TEXT_BYTES, status == QUIPU_OK ? "no events" : "events at unknown times");
    job_set(job, status);
    if (status != QUIPU_OK || !summary.has_times)
        return;
    print_seconds(first, sizeof first, clock, summary.first);
    print_seconds(last, sizeof last, clock, summary.last);
    snprintf(text, TEXT_BYTES, "events from %" PRId64 " to %" PRId64 " ticks (%s to %s)", summary.first,
             summary.last, first, last);
}

void report_nothing(struct job *job, const char *what) {
    char bounds[TEXT_BYTES];
    if (option_given(job->arguments, OPTION_quiet))
        return;
    describe_bounds(job, bounds);
    report_remark(job->arguments, "%s: %s; the trace has %s", job->path, what, bounds);
}

/* Whether there is an event at a time or later. */
static enum quipu_status seek_event(struct job *job, int64_t time) {
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    const struct quipu_batch *batch;
    selection.from = time;
    selection.without_attributes = true;
    const enum quipu_status status = quipu_reader_select(job->reader, &selection, &job->err);
    return status == QUIPU_OK ? quipu_reader_next_batch(job->reader, &batch, &job->err) : status;
}

enum exit_code check_time_exists(struct job *job, const struct option *option, const char *value,
                                 int64_t time) {
    char bounds[TEXT_BYTES];
    const enum quipu_status status = seek_event(job, time > INT64_MIN ? time - 1 : time);
    if (status != QUIPU_END) {
        job_set(job, status);
        return job->code;
    }
    describe_bounds(job, bounds);
    return report_usage("--%s %s is after the end of %s, which has %s", option->long_name, value, job->path,
                        bounds);
}
