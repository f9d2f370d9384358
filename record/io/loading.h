/* loading.h: whether a program will be recorded when it is executed: the dynamic linker loads the recorder where the program's file asks for
 * that linker, by what is called an interpreter, and the program's calls have to be those of the C library. */
#ifndef QUIPU_RECORD_IO_LOADING_H
#define QUIPU_RECORD_IO_LOADING_H

#include <stdbool.h>

/* False for programs that are statically linked, written in Go, of another machine, or get more rights than whoever executes them; a script is what
 * its interpreter is. What cannot be found out, or is no program, is no reason. Leaves errno as it likes. */
bool loading_by_file(const char *path);
bool loading_by_descriptor(int fd);

/* False where the environment names no recorder, or nowhere to record to. */
bool loading_by_environment(char *const environment[]);

#endif
