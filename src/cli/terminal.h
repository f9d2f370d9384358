/* terminal.h: what the command asks about its terminal, and the line on standard error that says how far long work has come. */
#ifndef QUIPU_CLI_TERMINAL_H
#define QUIPU_CLI_TERMINAL_H

#include "command.h"

#include <quipu/quipu.h>

#include <signal.h>

/* True when what the command prints goes to a terminal: no -o FILE, and standard output is one. */
bool prints_on_terminal(const struct arguments *arguments);

/* Columns of the terminal. */
int terminal_width(void);

/* --color, NO_COLOR, CLICOLOR_FORCE, and whether it is a terminal. */
bool use_color(const struct arguments *arguments);

/* Seconds of a clock that only goes forward. */
double seconds_now(void);

struct progress_line {
    bool enabled;
    bool shown;
    double begin, last;                /* seconds */
    const volatile sig_atomic_t *stop; /* once it is not 0 the work stops; NULL: nothing stops it */
};

/* --progress, or automatic: only on a terminal, after a second. The result points to line. */
struct quipu_progress progress_begin(struct progress_line *line, const struct arguments *arguments);

/* Wipes the line. */
void progress_end(struct progress_line *line);

#endif
