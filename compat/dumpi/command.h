/* command.h: what the commands share: their exit codes and how they complain. */
#ifndef COMPAT_DUMPI_COMMAND_H
#define COMPAT_DUMPI_COMMAND_H

#include <quipu/base.h>

/* Exit code where the original aborts: the input is damaged; what was intact is delivered. */
#define QUIPU__UNDUMPI_EXIT_DAMAGED 3
/* Exit code when output could not be written. */
#define QUIPU__UNDUMPI_EXIT_OUTPUT 5

/* "COMMAND: PATH: byte N: MESSAGE" on standard error. */
void quipu__undumpi_complain(const char *command, const char *path, const struct quipu_error *error);

#endif
