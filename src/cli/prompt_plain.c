/* prompt_plain.c: see prompt.h: lines as the terminal gives them. */
#include "prompt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct prompt {
    char *line;
    size_t room;
};

struct prompt *prompt_new(const char *name, prompt_word_fn *word_at) {
    (void)name;
    (void)word_at;
    return calloc(1, sizeof(struct prompt));
}

void prompt_free(struct prompt *prompt) {
    if (!prompt)
        return;
    free(prompt->line);
    free(prompt);
}

enum prompt_answer prompt_read(struct prompt *prompt, const char *label, const char **out) {
    fputs(label, stdout);
    fflush(stdout);
    errno = 0;
    if (getline(&prompt->line, &prompt->room, stdin) < 0) {
        const bool is_cancelled = errno == EINTR;
        clearerr(stdin);
        putchar('\n');
        return is_cancelled ? PROMPT_CANCELLED : PROMPT_END;
    }
    prompt->line[strcspn(prompt->line, "\n")] = '\0';
    *out = prompt->line;
    return PROMPT_LINE;
}
