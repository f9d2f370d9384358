/* show.h: showing tables by the options --json, --csv, --color and --limit. */
#ifndef QUIPU_CLI_SHOW_H
#define QUIPU_CLI_SHOW_H

#include "job.h"

struct quipu_render_options render_options_of(const struct arguments *arguments);

/* Those of an answer: times in units of their size, and the columns that fit on the terminal, or on 80 columns. */
struct quipu_render_options answer_options_of(const struct arguments *arguments);

/* Shows tables where -o says; CSV in a file for each, TABLE.csv, when that is a folder. */
enum exit_code show_tables(struct job *job, const struct quipu_tables *tables,
                           const struct quipu_render_options *render);

/* Prints which tables a trace has, or the columns of one (cmd_table.c). */
struct quipu_relation;
enum exit_code list_tables(const struct arguments *arguments, const struct quipu_relation *relation);

/* The answer of why: sentences, then tables. */
enum exit_code show_why(struct job *job, const struct quipu_tables *tables,
                        const struct quipu_render_options *render);

/* What an answer left out or could not do, as a remark; nothing when there is nothing. */
void show_note(const struct job *job, const struct quipu_tables *tables);

#endif
