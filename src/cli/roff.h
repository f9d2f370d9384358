/* roff.h: writing manual pages. */
#ifndef QUIPU_CLI_ROFF_H
#define QUIPU_CLI_ROFF_H

#include "command.h"

/* Text with hyphens and backslashes spelled out, so that no line begins with a request. An empty line separates
 * paragraphs. */
void roff_text(FILE *out, const char *text);
void roff_text_len(FILE *out, const char *text, size_t len);

/* A sentence, with its full stop. */
void roff_sentence(FILE *out, const char *text);

/* Title line and NAME section. */
void roff_head(FILE *out, const char *page, int section, const char *doc);

/* Lets write make a page and saves it as FOLDER/PAGE.SECTION, in place of what was there. On failure says why. */
enum exit_code roff_page(const char *folder, const char *page, int section,
                         void (*write)(FILE *out, const char *page, const void *subject), const void *subject);

#endif
