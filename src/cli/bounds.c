/* bounds.c: see bounds.h. What is there is read only when the question has turned out to be about nothing. */
#include "bounds.h"

#include "report.h"

#include <inttypes.h>

enum { TEXT_BYTES = 160 };

enum exit_code find_bounds(struct job *job, struct quipu_summary *out) {
    if (!job->has_bounds) {
        const enum quipu_status status = quipu_summarise(job->reader, &job->progress, &job->bounds, &job->err);
        job->has_bounds = status == QUIPU_OK;
        job_set(job, status);
    }
    *out = job->bounds;
    return job->has_bounds ? EXIT_FINE : job->code;
}

/* "events from 20 to 64 ticks (0.000020000s to 0.000064000s)" */
static void describe_bounds(struct job *job, char text[TEXT_BYTES]) {
    const struct quipu_clock *clock = &quipu_reader_definitions(job->reader)->clock;
    struct quipu_summary summary;
    char first[QUIPU_TIME_TEXT_BYTES], last[QUIPU_TIME_TEXT_BYTES];
    const enum exit_code code = find_bounds(job, &summary);
    snprintf(text, TEXT_BYTES, code == EXIT_FINE ? "no events" : "events at unknown times");
    if (code != EXIT_FINE || !summary.has_times)
        return;
    quipu_duration_text(quipu_clock_ns(clock, summary.first), QUIPU_UNIT_S, first);
    quipu_duration_text(quipu_clock_ns(clock, summary.last), QUIPU_UNIT_S, last);
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
    if (option->own->is_required)
        return report_usage("--%s %s is after the end of %s, which has %s", option->long_name, value, job->path,
                            bounds);
    report_remark(job->arguments, "%s: nothing selected: --%s %s is after the end; the trace has %s", job->path,
                  option->long_name, value, bounds);
    return EXIT_FINE;
}
