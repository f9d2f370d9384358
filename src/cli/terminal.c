/* terminal.c: see terminal.h. */
#include "terminal.h"

#include "job.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

bool prints_on_terminal(const struct arguments *arguments) {
    const char *output = printing_path(arguments);
    return (!output || strcmp(output, "-") == 0) && isatty(STDOUT_FILENO);
}

bool error_is_terminal(void) {
    return isatty(STDERR_FILENO);
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
