/* times.c: see times.h. What a trace has is read only when a part of it is meant, or when there is nothing to answer. */
#include "times.h"

#include "report.h"

#include <inttypes.h>
#include <string.h>

#define NS_PER_SECOND 1000000000
#define WHOLE UINT64_C(10000000) /* 100 % */

enum { TEXT_BYTES = 160, COUNT_DEFAULT = 100 };

/* ---- Where the trace has events ---- */

/* In first, last and has_times: all of the trace is read, once. Any pass ends. */
static enum exit_code find_bounds(struct job *job, struct quipu_summary *out) {
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

/* ---- Times ---- */

bool take_digits(const char **at, uint64_t limit, uint64_t *out) {
    const char *start = *at;
    for (*out = 0; **at >= '0' && **at <= '9'; (*at)++) {
        if (*out > limit / 10)
            return false;
        *out = *out * 10 + (uint64_t)(**at - '0');
    }
    return *at > start && *out <= limit;
}

/* Digits after the point as a count of a unit that has ns nanoseconds; what is below a nanosecond is cut off. */
static uint64_t take_fraction(const char **at, uint64_t ns) {
    uint64_t fraction = 0;
    for (; **at >= '0' && **at <= '9'; (*at)++) {
        ns /= 10;
        fraction += (uint64_t)(**at - '0') * ns;
    }
    return fraction;
}

static uint64_t ns_of_unit(const char *unit) {
    static const struct {
        const char *name;
        uint64_t ns;
    } units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", NS_PER_SECOND}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(units[i].name, unit) == 0)
            return units[i].ns;
    return 0;
}

/* False when it is no time. */
static bool parse_time(const char *text, const struct quipu_clock *clock, int64_t *out) {
    const bool negative = *text == '-';
    const char *at = text + negative;
    uint64_t number, fraction = 0;
    if (*at < '0' || *at > '9' || !take_digits(&at, INT64_MAX, &number))
        return false;
    const char *unit = at + strspn(at, ".0123456789");
    if (*unit) {
        const uint64_t ns = ns_of_unit(unit);
        if (ns == 0 || number > INT64_MAX / ns)
            return false;
        if (*at == '.') {
            at++;
            fraction = take_fraction(&at, ns);
        }
        if (fraction > INT64_MAX - number * ns)
            return false;
        number = (uint64_t)quipu_clock_ticks(clock, (int64_t)(number * ns + fraction));
    }
    if (at != unit)
        return false;
    *out = negative ? -(int64_t)number : (int64_t)number;
    return true;
}

/* "12.5%" as a count of ten millionths of the whole; false when it is none. */
static bool parse_share(const char *text, uint64_t *out) {
    uint64_t number, fraction = 0;
    if (!take_digits(&text, 100, &number))
        return false;
    if (*text == '.') {
        text++;
        fraction = take_fraction(&text, 100000);
    }
    *out = number * 100000 + fraction;
    return strcmp(text, "%") == 0 && *out <= WHOLE;
}

/* A share of a span of ticks, which may be any number: rounded down. */
static uint64_t share_of(uint64_t span, uint64_t share) {
    return span / WHOLE * share + span % WHOLE * share / WHOLE;
}

/* Ticks that the trace spans, that of the last event included; 0 without events. */
static enum exit_code take_span(struct job *job, int64_t *first, uint64_t *span) {
    struct quipu_summary summary;
    const enum exit_code code = find_bounds(job, &summary);
    *first = summary.first;
    *span = summary.has_times ? (uint64_t)summary.last - (uint64_t)summary.first + 1 : 0;
    return code;
}

static enum exit_code report_no_time(const struct option *option, const char *text, const char *words) {
    return report_usage("--%s needs a time such as 1200 (ticks), 1.5ms%s, not \"%s\"", option->long_name, words,
                        text);
}

enum exit_code take_time(struct job *job, const struct option *option, const char *text, int64_t *out) {
    uint64_t share, span;
    int64_t first;
    if (parse_time(text, &quipu_reader_definitions(job->reader)->clock, out))
        return EXIT_FINE;
    if (!parse_share(text, &share))
        return report_no_time(option, text, option->own ? ", 50% or \"end\"" : " or 50%");
    const enum exit_code code = take_span(job, &first, &span);
    *out = (int64_t)((uint64_t)first + share_of(span, share));
    return code;
}

/* ---- The window ---- */

/* How long the window is: ticks above 0. */
static enum exit_code take_duration(struct job *job, const char *text, int64_t *out) {
    const struct option *option = command_option(job->arguments->command, OPTION_duration);
    uint64_t share, span;
    int64_t first;
    enum exit_code code = EXIT_FINE;
    if (parse_share(text, &share)) {
        code = take_span(job, &first, &span);
        const uint64_t ticks = share_of(span, share);
        *out = ticks > INT64_MAX ? INT64_MAX : (int64_t)ticks;
    } else if (!parse_time(text, &quipu_reader_definitions(job->reader)->clock, out)) {
        return report_no_time(option, text, " or 50%");
    }
    return code == EXIT_FINE && *out <= 0 ? report_usage("--for needs a time above 0, not \"%s\"", text) : code;
}

/* Sums stay in the range of times. */
static int64_t later(int64_t time, int64_t ticks) {
    return time > 0 && ticks > INT64_MAX - time ? INT64_MAX : time + ticks;
}

static int64_t earlier(int64_t time, int64_t ticks) {
    return time < INT64_MIN + ticks ? INT64_MIN : time - ticks;
}

/* The end that --for leaves to say: behind --since, before --until, else behind the first event. */
static enum exit_code apply_duration(struct job *job, const char *text, bool has_end, int64_t *from,
                                     int64_t *to) {
    int64_t ticks, first = *from;
    uint64_t span;
    enum exit_code code = take_duration(job, text, &ticks);
    if (code == EXIT_FINE && !has_end && *from == INT64_MIN)
        code = take_span(job, &first, &span);
    if (code != EXIT_FINE)
        return code;
    if (has_end)
        *from = earlier(*to, ticks);
    else
        *to = later(first, ticks);
    return EXIT_FINE;
}

static enum exit_code take_end(struct job *job, enum option_id id, int64_t *out) {
    const char *text = option_text(job->arguments, id);
    return text ? take_time(job, command_option(job->arguments->command, id), text, out) : EXIT_FINE;
}

enum exit_code take_window(struct job *job, int64_t *from, int64_t *to) {
    const struct arguments *arguments = job->arguments;
    const char *since = option_text(arguments, OPTION_since), *until = option_text(arguments, OPTION_until);
    const char *duration = option_text(arguments, OPTION_duration);
    if (since && until && duration)
        return report_usage("--since, --until and --for: two of them say a window");
    enum exit_code code = take_end(job, OPTION_since, from);
    if (code == EXIT_FINE)
        code = take_end(job, OPTION_until, to);
    if (code == EXIT_FINE && duration)
        code = apply_duration(job, duration, until != NULL, from, to);
    if (code == EXIT_FINE && since && until && *from >= *to)
        code = report_usage("--since %s is not before --until %s", since, until);
    return code;
}

/* ---- Distances ---- */

enum exit_code spacing_of(const struct job *job, int64_t *out_interval, uint64_t *out_count) {
    const char *every = option_text(job->arguments, OPTION_every);
    *out_interval = 0;
    *out_count = option_number(job->arguments, OPTION_count, every ? 0 : COUNT_DEFAULT);
    if (every && option_given(job->arguments, OPTION_count))
        return report_usage("--every and --count exclude each other");
    if (every &&
        (!parse_time(every, &quipu_reader_definitions(job->reader)->clock, out_interval) || *out_interval <= 0))
        return report_usage("--every needs a time such as 1200 (ticks) or 1.5ms, not \"%s\"", every);
    return every || *out_count > 0 ? EXIT_FINE : report_usage("--count begins at 1");
}
