/* prompt.h: lines that a user types, with history and completion where libedit is installed. */
#ifndef QUIPU_CLI_PROMPT_H
#define QUIPU_CLI_PROMPT_H

#include <stdbool.h>
#include <stddef.h>

struct prompt;

/* What a word may be completed to: a name by index, of those that fit the line; NULL after the last. It is valid until the next
 * one. */
typedef const char *prompt_word_fn(const char *line, size_t index);

/* name: of the file with the history, in the folder of the user's state. NULL when memory is out. */
struct prompt *prompt_new(const char *name, prompt_word_fn *word_at);

/* Saves the history. NULL is accepted. */
void prompt_free(struct prompt *prompt);

enum prompt_answer { PROMPT_LINE, PROMPT_CANCELLED, PROMPT_END };

/* The next line, without its end, valid until the next one. Ctrl-C cancels it. label stands in front of it. */
enum prompt_answer prompt_read(struct prompt *prompt, const char *label, const char **out);

#endif
