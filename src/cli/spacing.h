/* spacing.h: the times of snapshots and of an index: --every or --count. */
#ifndef QUIPU_CLI_SPACING_H
#define QUIPU_CLI_SPACING_H

#include "job.h"

/* Ticks between two of them, or 0 and their number. EXIT_USAGE, with a message, when the options make no sense. */
enum exit_code spacing_of(const struct job *job, int64_t *out_interval, uint64_t *out_count);

#endif
