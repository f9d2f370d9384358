/* editor.c: see editor.h. */
#include "editor.h"

#include <ctype.h>
#include <dlfcn.h>
#include <histedit.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { HISTORY_LINES = 1000, LISTED_MOST = 200 };

struct editor {
    EditLine *edit;
    History *history;
    char path[PATH_MAX]; /* of the history; empty: it is not kept */
    prompt_word_fn *word_at;
    const char *label;
    bool is_cancelled;
};

/* ---- libedit ---- */

#define LIBEDIT_FUNCTIONS(FUNCTION)                                                                            \
    FUNCTION(el_end)                                                                                           \
    FUNCTION(el_get)                                                                                           \
    FUNCTION(el_gets)                                                                                          \
    FUNCTION(el_init)                                                                                          \
    FUNCTION(el_insertstr)                                                                                     \
    FUNCTION(el_line)                                                                                          \
    FUNCTION(el_set)                                                                                           \
    FUNCTION(el_source)                                                                                        \
    FUNCTION(history)                                                                                          \
    FUNCTION(history_end)                                                                                      \
    FUNCTION(history_init)

/* Its functions, loaded with the first prompt: with what it needs itself, libedit would take a fifth of the time of a small command. */
static struct {
#define MEMBER(name) __typeof__(name) *name;
    LIBEDIT_FUNCTIONS(MEMBER)
#undef MEMBER
} libedit;

static bool load_libedit(void) {
    void *library = dlopen("libedit.so.2", RTLD_NOW | RTLD_LOCAL);
    bool is_loaded = library != NULL;
#define LOAD(name) is_loaded = is_loaded && (*(void **)&libedit.name = dlsym(library, #name)) != NULL;
    LIBEDIT_FUNCTIONS(LOAD)
#undef LOAD
    return is_loaded;
}

static struct editor *editor_of(EditLine *edit) {
    void *editor = NULL;
    libedit.el_get(edit, EL_CLIENTDATA, &editor);
    return editor;
}

static char *label_of(EditLine *edit) {
    return (char *)editor_of(edit)->label;
}

/* ---- Keys ---- */

static unsigned char cancel(EditLine *edit, int key) {
    (void)key;
    editor_of(edit)->is_cancelled = true;
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
    const struct editor *editor = editor_of(edit);
    const LineInfo *info = libedit.el_line(edit);
    const char *begin = word_before(info), *word;
    const size_t len = (size_t)(info->cursor - begin);
    char start[256], line[4096], first[256] = "";
    size_t common = 0, count = 0;
    (void)key;
    snprintf(start, sizeof start, "%.*s", (int)len, begin);
    snprintf(line, sizeof line, "%.*s", (int)(info->lastchar - info->buffer), info->buffer);
    for (size_t i = 0; (word = editor->word_at(line, i)) != NULL; i++)
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
        return libedit.el_insertstr(edit, first + len) == 0 ? CC_REFRESH : CC_ERROR;
    }
    if (count == 1)
        return CC_REFRESH;
    list_words(editor->word_at, line, start, len);
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

static bool editor_init(struct editor *editor) {
    HistEvent event;
    if (!load_libedit())
        return false;
    editor->edit = libedit.el_init("quipu", stdin, stdout, stderr);
    editor->history = libedit.history_init();
    if (!editor->edit || !editor->history)
        return false;
    libedit.history(editor->history, &event, H_SETSIZE, HISTORY_LINES);
    libedit.history(editor->history, &event, H_SETUNIQUE, 1);
    if (editor->path[0])
        libedit.history(editor->history, &event, H_LOAD, editor->path);
    libedit.el_set(editor->edit, EL_CLIENTDATA, editor);
    libedit.el_set(editor->edit, EL_PROMPT, label_of);
    libedit.el_set(editor->edit, EL_EDITOR, "emacs");
    libedit.el_set(editor->edit, EL_HIST, libedit.history, editor->history);
    libedit.el_set(editor->edit, EL_ADDFN, "quipu-complete", "completes a word", complete);
    libedit.el_set(editor->edit, EL_ADDFN, "quipu-cancel", "cancels the line", cancel);
    libedit.el_set(editor->edit, EL_BIND, "^I", "quipu-complete", NULL);
    libedit.el_set(editor->edit, EL_SETTY, "-d", "-isig", NULL); /* while a line is edited, Ctrl-C is a key */
    libedit.el_set(editor->edit, EL_BIND, "^C", "quipu-cancel", NULL);
    libedit.el_source(editor->edit, NULL);
    return true;
}

struct editor *editor_new(const char *name, prompt_word_fn *word_at) {
    struct editor *editor = calloc(1, sizeof *editor);
    if (!editor)
        return NULL;
    editor->word_at = word_at;
    find_history(editor->path, name);
    if (editor_init(editor))
        return editor;
    editor->path[0] = '\0';
    editor_free(editor);
    return NULL;
}

void editor_free(struct editor *editor) {
    HistEvent event;
    if (!editor)
        return;
    if (editor->history && editor->path[0])
        libedit.history(editor->history, &event, H_SAVE, editor->path);
    if (editor->edit)
        libedit.el_end(editor->edit);
    if (editor->history)
        libedit.history_end(editor->history);
    free(editor);
}

enum prompt_answer editor_read(struct editor *editor, const char *label, char **line) {
    HistEvent event;
    int count = 0;
    editor->label = label;
    editor->is_cancelled = false;
    const char *edited = libedit.el_gets(editor->edit, &count);
    if (editor->is_cancelled)
        return PROMPT_CANCELLED;
    free(*line);
    *line = edited && count > 0 ? strdup(edited) : NULL;
    if (!*line) {
        putchar('\n');
        return PROMPT_END;
    }
    if ((*line)[0] != '\n')
        libedit.history(editor->history, &event, H_ENTER, edited);
    return PROMPT_LINE;
}
