/* dispatch.h: the command as a function, for programs that differ in where its processes run. */
#ifndef QUIPU_CLI_DISPATCH_H
#define QUIPU_CLI_DISPATCH_H

#include "command.h"

struct quipu_transport;

/* Runs a command line and returns the exit code. transport leads to other processes that run the same one; NULL: there are none. */
int dispatch(int argc, char **argv, struct quipu_transport *transport);

/* Runs a command with what follows its name. */
enum exit_code run_command(const struct command *command, int argc, char **argv,
                           struct quipu_transport *transport);

#endif
