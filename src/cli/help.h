/* help.h: what --help prints. */
#ifndef QUIPU_CLI_HELP_H
#define QUIPU_CLI_HELP_H

#include "command.h"

void help_write(FILE *out);
void help_write_command(const struct command *command, FILE *out);

/* Goes over the lines "command # what it does" of a command's examples; start with {.rest = examples}. */
struct help_example {
    const char *rest;
    const char *command, *doc;
    size_t command_len, doc_len;
};
bool help_next_example(struct help_example *example);

#endif
