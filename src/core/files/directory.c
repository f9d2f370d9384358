/* directory.c: see directory.h. */
#include "core/files/directory.h"

#include "core/error.h"
#include "core/memory/vec.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct names {
    struct quipu__arena texts;
    QUIPU__VEC(char *) list;
};

static bool add_name(struct names *names, const char *name) {
    char *text = quipu__arena_text(&names->texts, name, strlen(name));
    return text && QUIPU__VEC_PUT(names->texts.memory, &names->list, text);
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static enum quipu_status fail_directory(const char *path, int number, struct quipu_error *err) {
    const enum quipu_status status = quipu__fail_errno(err, QUIPU_IO, number, "unreadable directory");
    quipu__at(err, path, QUIPU_UNKNOWN);
    return status;
}

/* Only errno distinguishes readdir's end from a failure. */
static enum quipu_status read_names(const char *path, DIR *directory, struct names *names,
                                    struct quipu_error *err) {
    const struct dirent *entry;
    while (errno = 0, (entry = readdir(directory)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            !add_name(names, entry->d_name))
            return quipu__no_memory(err, strlen(entry->d_name));
    return errno == 0 ? QUIPU_OK : fail_directory(path, errno, err);
}

enum quipu_status quipu__directory_visit(struct quipu__memory *memory, const char *path,
                                         enum quipu_status (*visit)(void *context, const char *name),
                                         void *context, struct quipu_error *err) {
    DIR *directory = opendir(path);
    if (!directory)
        return fail_directory(path, errno, err);
    struct names names = {.list = QUIPU__VEC_INIT};
    quipu__arena_init(&names.texts, memory);
    enum quipu_status status = read_names(path, directory, &names, err);
    closedir(directory);
    if (names.list.count)
        qsort(names.list.items, names.list.count, sizeof *names.list.items, compare_names);
    for (size_t i = 0; i < names.list.count && status == QUIPU_OK; i++)
        status = visit(context, names.list.items[i]);
    QUIPU__VEC_RELEASE(memory, &names.list);
    quipu__arena_release(&names.texts);
    return status;
}
