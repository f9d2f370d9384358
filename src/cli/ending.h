/* ending.h: how the program ends when a signal asks for it: without leaving temporary files. */
#ifndef QUIPU_CLI_ENDING_H
#define QUIPU_CLI_ENDING_H

#include "command.h"

#include <quipu/quipu.h>

/* From now on SIGHUP, SIGINT and SIGTERM, unless they are ignored, end the program cleanly. Returns EXIT_FINE. */
enum exit_code ending_begin(void);

/* Other programs are about to be executed: what signals do is again what the caller of this one wanted. */
void ending_restore_signals(void);

/* The guard of everything that the command writes. */
struct quipu_guard *ending_guard(void);

/* Ends the program when a signal came while files were getting their names. */
void ending_end(void);

#endif
