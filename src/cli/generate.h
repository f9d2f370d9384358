/* generate.h: what is made from the tables of commands and options. */
#ifndef QUIPU_CLI_GENERATE_H
#define QUIPU_CLI_GENERATE_H

#include "command.h"

/* Write the manual pages of commands, and of formats, into a folder. */
enum exit_code generate_man(const char *folder);
enum exit_code generate_man_formats(const char *folder);

/* The table of formats and abilities as Markdown. */
enum exit_code generate_readme_formats(FILE *out);

#endif
