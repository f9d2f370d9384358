/* prompt.c: see prompt.h. */
#include "editor.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct prompt {
    struct editor *editor; /* NULL: lines come as the terminal gives them */
    char *line;
    size_t room;
};

struct prompt *prompt_new(const char *name, prompt_word_fn *word_at) {
    struct prompt *prompt = calloc(1, sizeof *prompt);
    if (prompt)
        prompt->editor = editor_new(name, word_at);
    return prompt;
}

void prompt_free(struct prompt *prompt) {
    if (!prompt)
        return;
    editor_free(prompt->editor);
    free(prompt->line);
    free(prompt);
}

static enum prompt_answer read_line(struct prompt *prompt, const char *label) {
    fputs(label, stdout);
    fflush(stdout);
    errno = 0;
    if (getline(&prompt->line, &prompt->room, stdin) >= 0)
        return PROMPT_LINE;
    const bool is_cancelled = errno == EINTR;
    clearerr(stdin);
    putchar('\n');
    return is_cancelled ? PROMPT_CANCELLED : PROMPT_END;
}

enum prompt_answer prompt_read(struct prompt *prompt, const char *label, const char **out) {
    const enum prompt_answer answer =
        prompt->editor ? editor_read(prompt->editor, label, &prompt->line) : read_line(prompt, label);
    if (answer == PROMPT_LINE) {
        prompt->line[strcspn(prompt->line, "\n")] = '\0';
        *out = prompt->line;
    }
    return answer;
}
