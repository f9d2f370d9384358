/* layout.h: laying out text of the command tables for a terminal. */
#ifndef QUIPU_CLI_LAYOUT_H
#define QUIPU_CLI_LAYOUT_H

#include <stdbool.h>
#include <stdio.h>

/* A head, and a text that starts in a column and is wrapped there. */
void layout_entry(FILE *out, const char *head, const char *text, int column);

/* Wrapped paragraphs; empty lines in the text separate them. */
void layout_paragraphs(FILE *out, const char *text);

/* Goes over the lines "command # what it does" of a command's examples; start with {.rest = examples}. */
struct layout_example {
    const char *rest;
    const char *command, *doc;
    size_t command_len, doc_len;
};
bool layout_next_example(struct layout_example *example);

#endif
