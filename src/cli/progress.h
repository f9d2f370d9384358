/* progress.h: one line on standard error that says how far long work has come. */
#ifndef QUIPU_CLI_PROGRESS_H
#define QUIPU_CLI_PROGRESS_H

#include "command.h"

#include <quipu/quipu.h>

struct progress_line {
    bool enabled;
    bool shown;
    double begin, last; /* seconds */
};

/* --progress, or automatic: only on a terminal, after a second. The result points to line. */
struct quipu_progress progress_begin(struct progress_line *line, const struct arguments *arguments);

/* Wipes the line. */
void progress_end(struct progress_line *line);

#endif
