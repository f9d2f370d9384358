/* stored.c: see stored.h. */
#include "core/files/stored.h"

#include "core/files/directory.h"
#include "core/text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *const suffixes[] = {".gz", ".zst"};
#define SUFFIXES (sizeof suffixes / sizeof *suffixes)

size_t quipu__stored_len(const char *path) {
    const size_t len = strlen(path);
    for (size_t i = 0; i < SUFFIXES; i++)
        if (quipu__ends_with(path, suffixes[i]))
            return len - strlen(suffixes[i]);
    return len;
}

/* Finds the compressed file that stands for a path; if there is none, MISSING, and found is the path itself. */
static enum quipu__path_kind find_compressed(const char *path, char found[QUIPU__STORED_PATH_BYTES],
                                             uint64_t *size) {
    const size_t len = strlen(path);
    snprintf(found, QUIPU__STORED_PATH_BYTES, "%s", path);
    for (size_t i = 0; i < SUFFIXES && len + strlen(suffixes[i]) < QUIPU__STORED_PATH_BYTES; i++) {
        memcpy(found + len, suffixes[i], strlen(suffixes[i]) + 1);
        const enum quipu__path_kind kind = quipu__path_kind(found, size);
        if (kind == QUIPU__PATH_FILE || kind == QUIPU__PATH_UNREADABLE)
            return kind;
        found[len] = '\0';
    }
    return QUIPU__PATH_MISSING;
}

/* When nothing is found, errno is about the path itself. */
enum quipu__path_kind quipu__stored_find(const char *path, char found[QUIPU__STORED_PATH_BYTES],
                                         uint64_t *size) {
    char own[QUIPU__STORED_PATH_BYTES], *name = found ? found : own;
    const enum quipu__path_kind kind = quipu__path_kind(path, size);
    const int reason = errno;
    if (kind != QUIPU__PATH_MISSING) {
        snprintf(name, QUIPU__STORED_PATH_BYTES, "%s", path);
        errno = reason;
        return kind;
    }
    const enum quipu__path_kind compressed = find_compressed(path, name, size);
    if (compressed == QUIPU__PATH_MISSING)
        errno = reason;
    return compressed;
}

struct visiting {
    const char *folder;
    enum quipu_status (*visit)(void *context, const char *name);
    void *context;
};

/* A compressed file beside one that comes before it does not stand for the name. */
static enum quipu_status visit_name(void *context, const char *name) {
    const struct visiting *visiting = context;
    const size_t len = quipu__stored_len(name);
    char bare[QUIPU__STORED_PATH_BYTES], found[QUIPU__STORED_PATH_BYTES];
    if (!name[len])
        return visiting->visit(visiting->context, name);
    const int size = snprintf(bare, sizeof bare, "%s/%.*s", visiting->folder, (int)len, name);
    if (size < 0 || size >= (int)sizeof bare || quipu__stored_find(bare, found, NULL) == QUIPU__PATH_MISSING ||
        strcmp(found + size, name + len) != 0)
        return QUIPU_OK;
    return visiting->visit(visiting->context, bare + size - len);
}

enum quipu_status quipu__stored_visit(struct quipu__memory *memory, const char *path,
                                      enum quipu_status (*visit)(void *context, const char *name),
                                      void *context, struct quipu_error *err) {
    struct visiting visiting = {path, visit, context};
    return quipu__directory_visit(memory, path, visit_name, &visiting, err);
}

const char *quipu__stored_path(struct quipu__arena *arena, const char *path) {
    char found[QUIPU__STORED_PATH_BYTES];
    if (quipu__path_kind(path, NULL) != QUIPU__PATH_MISSING ||
        find_compressed(path, found, NULL) == QUIPU__PATH_MISSING)
        return path;
    return quipu__arena_text(arena, found, strlen(found));
}
