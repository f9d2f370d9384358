/* terminal.c: see terminal.h. */
#include "terminal.h"

#include "job.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

bool prints_on_terminal(const struct arguments *arguments) {
    const char *output = printing_path(arguments);
    if (arguments->transport && !arguments->transport->only_gathers)
        return false; /* launchers of MPI give processes terminals that none sees */
    return (!output || strcmp(output, "-") == 0) && isatty(STDOUT_FILENO);
}

int terminal_width(void) {
    const char *columns = getenv("COLUMNS");
    const long set = columns ? strtol(columns, NULL, 10) : 0;
    if (set > 0 && set <= INT_MAX)
        return (int)set;
#ifdef TIOCGWINSZ
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
#endif
    return 80;
}

static bool is_set(const char *variable) {
    const char *value = getenv(variable);
    return value && value[0];
}

bool use_color(const struct arguments *arguments) {
    const char *when = option_text(arguments, OPTION_color);
    if (when && strcmp(when, "auto") != 0)
        return strcmp(when, "always") == 0;
    if (is_set("NO_COLOR"))
        return false;
    return prints_on_terminal(arguments) || is_set("CLICOLOR_FORCE");
}

double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- Progress: the work calls often; the line changes a few times a second ---- */

#define FIRST_AFTER 1.0 /* seconds */
#define THEN_EVERY 0.2

static void print_line(const struct progress_line *line, uint64_t done, uint64_t total, uint64_t events,
                       double now) {
    const double mb = (double)done * 1e-6, seconds = now - line->begin;
    fprintf(stderr, "\r\033[K%.1f MB", mb);
    if (total != QUIPU_UNKNOWN && total > 0)
        fprintf(stderr, " of %.1f MB (%.0f %%)", (double)total * 1e-6, 100.0 * (double)done / (double)total);
    fprintf(stderr, ", %" PRIu64 " events, %.1f MB/s", events, mb / seconds);
    if (total != QUIPU_UNKNOWN && done > 0 && done <= total)
        fprintf(stderr, ", %.0f s left", seconds * (double)(total - done) / (double)done);
    fflush(stderr);
}

static bool report(void *context, uint64_t bytes_done, uint64_t bytes_total, uint64_t events) {
    struct progress_line *line = context;
    if (line->enabled) {
        const double now = seconds_now();
        if (now - line->begin >= FIRST_AFTER && now - line->last >= THEN_EVERY) {
            print_line(line, bytes_done, bytes_total, events, now);
            line->last = now;
            line->shown = true;
        }
    }
    return !line->stop || *line->stop == 0;
}

struct quipu_progress progress_begin(struct progress_line *line, const struct arguments *arguments) {
    const char *when = option_text(arguments, OPTION_progress);
    const bool automatic = isatty(STDERR_FILENO) && !option_given(arguments, OPTION_quiet);
    *line = (struct progress_line){.begin = seconds_now()};
    line->enabled = when && strcmp(when, "auto") != 0 ? strcmp(when, "always") == 0 : automatic;
    return (struct quipu_progress){report, line};
}

void progress_end(struct progress_line *line) {
    if (line->shown)
        fputs("\r\033[K", stderr);
    line->shown = false;
}
