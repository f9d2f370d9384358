/* prompt_edit.c: see prompt.h: lines by libedit. */
#include "prompt.h"

#include <ctype.h>
#include <histedit.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { HISTORY_LINES = 1000, LISTED_MOST = 200 };

struct prompt {
    EditLine *edit;
    History *history;
    char path[PATH_MAX]; /* of the history; empty: it is not kept */
    prompt_word_fn *word_at;
    const char *label;
    char *line;
    bool is_cancelled;
};

static struct prompt *prompt_of(EditLine *edit) {
    void *prompt = NULL;
    el_get(edit, EL_CLIENTDATA, &prompt);
    return prompt;
}

static char *label_of(EditLine *edit) {
    return (char *)prompt_of(edit)->label;
}

/* ---- Keys ---- */

static unsigned char cancel(EditLine *edit, int key) {
    (void)key;
    prompt_of(edit)->is_cancelled = true;
    fputs("^C", stdout);
    return CC_NEWLINE;
}

static bool is_of_word(char character) {
    return isalnum((unsigned char)character) || character == '_' || character == '.';
}

/* Where the word in front of the cursor begins; a dot divides names, but begins a command. */
static const char *word_before(const LineInfo *info) {
    const char *begin = info->cursor;
    while (begin > info->buffer && is_of_word(begin[-1]))
        begin--;
    for (const char *at = begin; at < info->cursor; at++)
        if (*at == '.' && at > info->buffer)
            begin = at + 1;
    return begin;
}

static size_t common_length(const char *a, const char *b) {
    size_t len = 0;
    while (a[len] && a[len] == b[len])
        len++;
    return len;
}

/* Lists what fits below the line. */
static void list_words(prompt_word_fn *word_at, const char *line, const char *start, size_t len) {
    const char *word;
    size_t listed = 0;
    putchar('\n');
    for (size_t i = 0; (word = word_at(line, i)) != NULL && listed < LISTED_MOST; i++)
        if (strncmp(word, start, len) == 0)
            printf("%s%s", listed++ > 0 ? "  " : "", word);
    puts(listed == LISTED_MOST ? " ..." : "");
}

static unsigned char complete(EditLine *edit, int key) {
    const struct prompt *prompt = prompt_of(edit);
    const LineInfo *info = el_line(edit);
    const char *begin = word_before(info), *word;
    const size_t len = (size_t)(info->cursor - begin);
    char start[256], line[4096], first[256] = "";
    size_t common = 0, count = 0;
    (void)key;
    snprintf(start, sizeof start, "%.*s", (int)len, begin);
    snprintf(line, sizeof line, "%.*s", (int)(info->lastchar - info->buffer), info->buffer);
    for (size_t i = 0; (word = prompt->word_at(line, i)) != NULL; i++)
        if (strncmp(word, start, len) == 0) {
            if (count++ == 0)
                common = (size_t)snprintf(first, sizeof first, "%s", word);
            const size_t same = common_length(first, word);
            common = same < common ? same : common;
        }
    if (count == 0)
        return CC_REFRESH_BEEP;
    if (common > len) {
        first[common] = '\0';
        return el_insertstr(edit, first + len) == 0 ? CC_REFRESH : CC_ERROR;
    }
    if (count == 1)
        return CC_REFRESH;
    list_words(prompt->word_at, line, start, len);
    return CC_REDISPLAY;
}

/* ---- History ---- */

/* Makes the folders of a path below the first one. False when that cannot be. */
static bool make_folders(char *path, size_t first) {
    bool is_made = true;
    for (char *at = path + first; is_made && (at = strchr(at, '/')) != NULL; at++) {
        struct stat info;
        *at = '\0';
        is_made = mkdir(path, S_IRWXU) == 0 || (stat(path, &info) == 0 && S_ISDIR(info.st_mode));
        *at = '/';
    }
    return is_made;
}

/* In the folder for states of programs that the user or the standard has chosen; empty when there is none. */
static void find_history(char path[PATH_MAX], const char *name) {
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    const bool is_chosen = state && state[0] == '/';
    const char *base = is_chosen ? state : home;
    path[0] = '\0';
    if (!base || base[0] != '/')
        return;
    const int len = snprintf(path, PATH_MAX, "%s/%squipu/%s", base, is_chosen ? "" : ".local/state/", name);
    if (len >= PATH_MAX || !make_folders(path, is_chosen ? 1 : strlen(base) + 1))
        path[0] = '\0';
}

/* ---- The prompt ---- */

static bool prompt_init(struct prompt *prompt) {
    HistEvent event;
    prompt->edit = el_init("quipu", stdin, stdout, stderr);
    prompt->history = history_init();
    if (!prompt->edit || !prompt->history)
        return false;
    history(prompt->history, &event, H_SETSIZE, HISTORY_LINES);
    history(prompt->history, &event, H_SETUNIQUE, 1);
    if (prompt->path[0])
        history(prompt->history, &event, H_LOAD, prompt->path);
    el_set(prompt->edit, EL_CLIENTDATA, prompt);
    el_set(prompt->edit, EL_PROMPT, label_of);
    el_set(prompt->edit, EL_EDITOR, "emacs");
    el_set(prompt->edit, EL_HIST, history, prompt->history);
    el_set(prompt->edit, EL_ADDFN, "quipu-complete", "completes a word", complete);
    el_set(prompt->edit, EL_ADDFN, "quipu-cancel", "cancels the line", cancel);
    el_set(prompt->edit, EL_BIND, "^I", "quipu-complete", NULL);
    el_set(prompt->edit, EL_SETTY, "-d", "-isig", NULL); /* while a line is edited, Ctrl-C is a key */
    el_set(prompt->edit, EL_BIND, "^C", "quipu-cancel", NULL);
    el_source(prompt->edit, NULL);
    return true;
}

struct prompt *prompt_new(const char *name, prompt_word_fn *word_at) {
    struct prompt *prompt = calloc(1, sizeof *prompt);
    if (!prompt)
        return NULL;
    prompt->word_at = word_at;
    find_history(prompt->path, name);
    if (prompt_init(prompt))
        return prompt;
    prompt->path[0] = '\0';
    prompt_free(prompt);
    return NULL;
}

void prompt_free(struct prompt *prompt) {
    HistEvent event;
    if (!prompt)
        return;
    if (prompt->history && prompt->path[0])
        history(prompt->history, &event, H_SAVE, prompt->path);
    if (prompt->edit)
        el_end(prompt->edit);
    if (prompt->history)
        history_end(prompt->history);
    free(prompt->line);
    free(prompt);
}

enum prompt_answer prompt_read(struct prompt *prompt, const char *label, const char **out) {
    HistEvent event;
    int count = 0;
    prompt->label = label;
    prompt->is_cancelled = false;
    const char *line = el_gets(prompt->edit, &count);
    if (prompt->is_cancelled)
        return PROMPT_CANCELLED;
    free(prompt->line);
    prompt->line = line && count > 0 ? strdup(line) : NULL;
    if (!prompt->line) {
        putchar('\n');
        return PROMPT_END;
    }
    prompt->line[strcspn(prompt->line, "\n")] = '\0';
    if (prompt->line[0])
        history(prompt->history, &event, H_ENTER, line);
    *out = prompt->line;
    return PROMPT_LINE;
}
