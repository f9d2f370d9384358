/* editor.h: lines that are edited on a terminal, by libedit, which is loaded for that (editor.c). A build without it has editor_absent.c. */
#ifndef QUIPU_CLI_EDITOR_H
#define QUIPU_CLI_EDITOR_H

#include "prompt.h"

struct editor;

/* As prompt_new; NULL when libedit is not installed or memory is out. */
struct editor *editor_new(const char *name, prompt_word_fn *word_at);

/* Saves the history. NULL is accepted. */
void editor_free(struct editor *editor);

/* As prompt_read. *line was allocated before, or is NULL; it becomes the line, of which the caller is the owner. */
enum prompt_answer editor_read(struct editor *editor, const char *label, char **line);

#endif
