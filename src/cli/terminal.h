/* terminal.h: what the command asks about its terminal. */
#ifndef QUIPU_CLI_TERMINAL_H
#define QUIPU_CLI_TERMINAL_H

#include "command.h"

/* True when what the command prints goes to a terminal: no -o FILE, and standard output is one. */
bool prints_on_terminal(const struct arguments *arguments);

bool error_is_terminal(void);

/* Columns of the terminal. */
int terminal_width(void);

/* --color, NO_COLOR, CLICOLOR_FORCE, and whether it is a terminal. */
bool use_color(const struct arguments *arguments);

/* Seconds of a clock that only goes forward. */
double seconds_now(void);

#endif
