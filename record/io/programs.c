/* programs.c: calls that execute programs. What the calls do is no input or output; but programs that will not load the recorder are
 * noted here, since nothing else is known of them, and files are shared with children from here on. */
#include "record/io/loading.h"
#include "record/io/recorder.h"
#include "record/shield.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_MOST 4096

/* ---- Notes ---- */

/* A note on a program that is about to be executed; number 0: there is none. */
struct note {
    uint64_t number;
};

struct visit {
    int shield;
};

/* Executing is no point of cancellation. */
static bool enter(struct visit *visit) {
    if (!recorder_enter_without_stream())
        return false;
    visit->shield = quipu__shield_begin();
    return true;
}

/* A child of vfork has its parent's streams; the characters in them are the parent's. */
static struct note leave(const struct visit *visit, const char *path, bool loads, char *const environment[]) {
    struct note note = {0};
    if (!loads || !loading_by_environment(environment) || !recorder_can_note())
        note.number = recorder_note_program(path);
    if (recorder_is_own_process())
        characters_count_and_share();
    else
        characters_shared();
    quipu__shield_end(visit->shield);
    recorder_leave();
    return note;
}

static struct note begin_file(const char *path, char *const environment[]) {
    struct visit visit;
    return enter(&visit) ? leave(&visit, path, loading_by_file(path), environment) : (struct note){0};
}

/* By a name that is no path, from PATH: the first file that may be executed. */
static void find_in_path(const char *name, char path[PATH_MOST]) {
    const char *folders = getenv("PATH");
    folders = folders ? folders : "/bin:/usr/bin";
    snprintf(path, PATH_MOST, "%s", name);
    while (!strchr(name, '/') && *folders) {
        const size_t len = strcspn(folders, ":");
        snprintf(path, PATH_MOST, "%.*s%s%s", (int)len, folders, len > 0 ? "/" : "", name);
        if (access(path, X_OK) == 0)
            return;
        folders += len + (folders[len] == ':');
    }
}

static struct note begin_name(const char *name, char *const environment[]) {
    char path[PATH_MOST];
    struct visit visit;
    if (!enter(&visit))
        return (struct note){0};
    find_in_path(name, path);
    return leave(&visit, path, loading_by_file(path), environment);
}

static struct note begin_descriptor(int fd, char *const environment[]) {
    char link[64], path[PATH_MOST];
    struct visit visit;
    if (!enter(&visit))
        return (struct note){0};
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t len = readlink(link, path, sizeof path - 1);
    path[len > 0 ? len : 0] = '\0';
    return leave(&visit, path, loading_by_descriptor(fd), environment);
}

/* Below a folder that is open. */
static struct note begin_below(int folder, const char *path, char *const environment[], int flags) {
    char below[PATH_MOST];
    if (*path == '\0' && flags & AT_EMPTY_PATH)
        return begin_descriptor(folder, environment);
    if (*path == '/' || folder == AT_FDCWD)
        return begin_file(path, environment);
    snprintf(below, sizeof below, "/proc/self/fd/%d/%s", folder, path);
    return begin_file(below, environment);
}

/* The program was not executed. */
static int fail(const struct note *note, int result) {
    if (note->number == 0 || !recorder_enter_without_stream())
        return result;
    recorder_take_back_program(note->number);
    recorder_leave();
    return result;
}

/* ---- Executing ---- */

#define EXECUTING(name, begin_it, parameters, arguments)                                                       \
    QUIPU_EXPORT int name parameters {                                                                         \
        const struct note note = begin_it;                                                                     \
        return fail(&note, REAL(name) arguments);                                                              \
    }
/* clang-format off */
EXECUTING(execve, begin_file(path, environment), (const char *path, char *const words[], char *const environment[]), (path, words, environment))
EXECUTING(execv, begin_file(path, environ), (const char *path, char *const words[]), (path, words))
EXECUTING(execvp, begin_name(name, environ), (const char *name, char *const words[]), (name, words))
EXECUTING(execvpe, begin_name(name, environment), (const char *name, char *const words[], char *const environment[]), (name, words, environment))
EXECUTING(fexecve, begin_descriptor(fd, environment), (int fd, char *const words[], char *const environment[]), (fd, words, environment))
EXECUTING(execveat, begin_below(folder, path, environment, flags),
          (int folder, const char *path, char *const words[], char *const environment[], int flags), (folder, path, words, environment, flags))
/* clang-format on */

/* NULL included. */
static size_t count_words(const char *first, va_list *list) {
    size_t count = 1;
    for (const char *word = first; word; word = va_arg(*list, const char *))
        count++;
    return count;
}

static void read_words(char **words, const char *first, va_list *list) {
    words[0] = (char *)(uintptr_t)first;
    for (size_t i = 0; words[i];)
        words[++i] = va_arg(*list, char *);
}

/* A call whose words are arguments of their own; another one gets them as a list. */
#define LISTING(name, call, tail)                                                                              \
    QUIPU_EXPORT int name(const char *program, const char *first, ...) {                                       \
        va_list list;                                                                                          \
        va_start(list, first);                                                                                 \
        const size_t count = count_words(first, &list);                                                        \
        va_end(list);                                                                                          \
        char *words[count];                                                                                    \
        va_start(list, first);                                                                                 \
        read_words(words, first, &list);                                                                       \
        tail;                                                                                                  \
        va_end(list);                                                                                          \
        return call;                                                                                           \
    }
LISTING(execl, execv(program, words), (void)0)
LISTING(execlp, execvp(program, words), (void)0)
LISTING(execle, execve(program, words, environment), char *const *environment = va_arg(list, char *const *))

/* ---- Spawning ---- */

#define SPAWNING(name, begin_it)                                                                               \
    QUIPU_EXPORT int name(pid_t *child, const char *path, const posix_spawn_file_actions_t *actions,           \
                          const posix_spawnattr_t *attributes, char *const words[],                            \
                          char *const environment[]) {                                                         \
        const struct note note = begin_it;                                                                     \
        const int result = REAL(name)(child, path, actions, attributes, words, environment);                   \
        return result == 0 ? 0 : fail(&note, result);                                                          \
    }
SPAWNING(posix_spawn, begin_file(path, environment))
SPAWNING(posix_spawnp, begin_name(path, environment))

/* Both execute a shell. */
QUIPU_EXPORT int system(const char *command) {
    if (command)
        begin_file("/bin/sh", environ);
    return REAL(system)(command);
}

QUIPU_EXPORT FILE *popen(const char *command, const char *mode) {
    begin_file("/bin/sh", environ);
    return REAL(popen)(command, mode);
}
