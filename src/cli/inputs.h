/* inputs.h: the traces of a command that takes several at once. */
#ifndef QUIPU_CLI_INPUTS_H
#define QUIPU_CLI_INPUTS_H

#include "job.h"

/* Only the first one shows its progress. */
struct inputs {
    struct job *jobs;
    struct quipu_reader **readers;
    size_t count;
};

/* Opens all operands. Close them in any case. */
enum exit_code inputs_open(struct inputs *inputs, const struct arguments *arguments);

/* Reports findings and closes all. Returns the exit code: that of the work, or a worse one of a trace. */
enum exit_code inputs_close(struct inputs *inputs, enum exit_code code);

#endif
