/* leftovers.c: what killed writers leave: temporary files, and sets of files of which some have got their names and others not
 * (commit.c). The next writer of the name completes such a set, and removes what belongs to no process any more. */
#include "core/error.h"
#include "core/os.h"
#include "core/output_set.h"
#include "core/text.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A file ".NAME.ID.part" or ".NAME.ID.old" in the folder. */
struct leftover {
    const char *text;
    size_t name_len;
    uint64_t id;
    bool is_aside;
};

struct leftovers {
    struct quipu__outputs *outputs;
    const char *path, *base, *folder;
    QUIPU__VEC(struct leftover) list;
    bool is_out_of_memory;
};

static bool parse_id(const char *text, uint64_t *id) {
    *id = 0;
    for (unsigned i = 0; i < 16; i++) {
        const int digit = quipu__hex_digit((unsigned char)text[i]);
        if (digit < 0)
            return false;
        *id = *id << 4 | (uint64_t)digit;
    }
    return true;
}

static bool parse_leftover(const char *text, struct leftover *out) {
    const size_t len = strlen(text);
    *out = (struct leftover){.text = text, .is_aside = quipu__ends_with(text, QUIPU__ASIDE_SUFFIX)};
    if (!out->is_aside && !quipu__ends_with(text, QUIPU__PART_SUFFIX))
        return false;
    const size_t rest = 17 + strlen(out->is_aside ? QUIPU__ASIDE_SUFFIX : QUIPU__PART_SUFFIX);
    if (text[0] != '.' || len < rest + 2 || text[len - rest] != '.')
        return false;
    out->name_len = len - rest - 1;
    return parse_id(text + len - rest + 1, &out->id);
}

static enum quipu_status visit(void *context, const char *name) {
    struct leftovers *leftovers = context;
    struct leftover found;
    if (!parse_leftover(name, &found))
        return QUIPU_OK;
    found.text = quipu__arena_text(&leftovers->outputs->arena, name, strlen(name));
    struct leftover *slot = found.text ? QUIPU__VEC_ADD(leftovers->outputs->memory, &leftovers->list) : NULL;
    leftovers->is_out_of_memory = !slot;
    if (!slot)
        return QUIPU_END;
    *slot = found;
    return QUIPU_OK;
}

/* Path of a file in the folder of the leftovers. NULL when memory is out. */
static const char *path_in(struct leftovers *leftovers, const char *name, size_t len) {
    const size_t folder = (size_t)(leftovers->base - leftovers->path), size = folder + len + 1;
    char *text = quipu__arena_alloc(&leftovers->outputs->arena, size);
    leftovers->is_out_of_memory |= !text;
    if (text)
        snprintf(text, size, "%.*s%.*s", (int)folder, leftovers->path, (int)len, name);
    return text;
}

static bool is_leader(const struct leftovers *leftovers, const struct leftover *leftover) {
    return !leftover->is_aside && leftover->name_len == strlen(leftovers->base) &&
           memcmp(leftover->text + 1, leftovers->base, leftover->name_len) == 0;
}

static void remove_leftover(struct leftovers *leftovers, const struct leftover *leftover) {
    const char *path = path_in(leftovers, leftover->text, strlen(leftover->text));
    if (path)
        unlink(path);
}

/* Those of one set; the leader, whose lock others ask for, at last. */
static void remove_set(struct leftovers *leftovers, const struct leftover *leader) {
    for (size_t i = 0; i < leftovers->list.count; i++) {
        const struct leftover *leftover = &leftovers->list.items[i];
        if (leftover->id == leader->id && leftover != leader && !leftover->is_aside)
            remove_leftover(leftovers, leftover);
    }
    remove_leftover(leftovers, leader);
}

/* A set whose leader is not locked belongs to a process that has ended. */
static void remove_if_dead(struct leftovers *leftovers, const struct leftover *leader) {
    const char *path = path_in(leftovers, leader->text, strlen(leader->text));
    const int fd = path ? quipu__os_open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK) : -1;
    if (fd < 0)
        return;
    if (quipu__os_lock(fd) == QUIPU__LOCK_TAKEN)
        remove_set(leftovers, leader);
    quipu__os_close(fd);
}

static void remove_dead(struct leftovers *leftovers) {
    for (size_t i = 0; i < leftovers->list.count; i++)
        if (is_leader(leftovers, &leftovers->list.items[i]))
            remove_if_dead(leftovers, &leftovers->list.items[i]);
}

/* ---- Completing what was getting its names ---- */

#define MARKER_MOST ((size_t)16 << 20)

/* The text of a marker, or NULL when there is none, it is not complete, or belongs to another user. */
static char *read_marker(struct leftovers *leftovers, int fd) {
    const off_t size = lseek(fd, 0, SEEK_END);
    if (size <= 0 || (size_t)size > MARKER_MOST || !quipu__os_is_own(fd) || !quipu__os_seek(fd, 0))
        return NULL;
    char *text = quipu__arena_alloc(&leftovers->outputs->arena, (size_t)size + 1);
    leftovers->is_out_of_memory |= !text;
    size_t len = 0;
    for (int64_t got = 1; text && got > 0 && len<(size_t)size; len += got> 0 ? (size_t)got : 0)
        got = quipu__os_read(fd, text + len, (size_t)size - len);
    if (!text || len < (size_t)size)
        return NULL;
    text[len] = '\0';
    return quipu__ends_with(text, "\n" QUIPU__MARKER_END) ? text : NULL;
}

/* The id of a marker's set and whether it replaces; lines of stale files are behind it. */
static bool parse_marker(const char *text, uint64_t *id, bool *replaces, const char **lines) {
    const char *newline = strchr(text, '\n');
    if (!newline || strlen(text) < 18 || !parse_id(text, id) || text[16] != ' ')
        return false;
    const size_t len = (size_t)(newline - text) - 17;
    *replaces = len == strlen(QUIPU__MARKER_REPLACING) && memcmp(text + 17, QUIPU__MARKER_REPLACING, len) == 0;
    *lines = newline + 1;
    return *replaces ||
           (len == strlen(QUIPU__MARKER_KEEPING) && memcmp(text + 17, QUIPU__MARKER_KEEPING, len) == 0);
}

/* Stale files have the name of the trace without its last suffix in front; a marker that says otherwise is not believed. */
static void remove_stale(struct leftovers *leftovers, const char *lines) {
    const char *dot = strrchr(leftovers->base, '.');
    const size_t stem = dot ? (size_t)(dot - leftovers->base) : strlen(leftovers->base);
    for (const char *end; (end = strchr(lines, '\n')); lines = end + 1) {
        const size_t len = (size_t)(end - lines);
        if (len <= stem || memcmp(lines, leftovers->base, stem) != 0 || lines[stem] != '.' ||
            memchr(lines, '/', len))
            continue;
        const char *path = path_in(leftovers, lines, len);
        if (path)
            unlink(path);
    }
}

static enum quipu_status name_leftover(struct leftovers *leftovers, const struct leftover *leftover,
                                       bool replaces, struct quipu_error *err) {
    const char *from = path_in(leftovers, leftover->text, strlen(leftover->text));
    const char *to = path_in(leftovers, leftover->text + 1, leftover->name_len);
    if (!from || !to)
        return quipu__no_memory(err, leftover->name_len);
    if (replaces ? rename(from, to) == 0 : quipu__os_rename_new(from, to))
        return QUIPU_OK;
    const enum quipu_status status = quipu__naming_error(to, err);
    quipu__advise(err,
                  "an earlier writer was killed while its files got their names; remove this file to go on");
    return status;
}

/* The rest of what the killed process would have done. */
static enum quipu_status name_leftovers(struct leftovers *leftovers, const struct leftover *leader,
                                        bool replaces, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < leftovers->list.count && status == QUIPU_OK; i++) {
        const struct leftover *leftover = &leftovers->list.items[i];
        if (leftover->id == leader->id && leftover != leader && !leftover->is_aside)
            status = name_leftover(leftovers, leftover, replaces, err);
    }
    if (status == QUIPU_OK && !quipu__os_sync_folder(leftovers->folder))
        status = quipu__output_error(leftovers->folder, err, "cannot be synced");
    if (status == QUIPU_OK)
        status = name_leftover(leftovers, leader, replaces, err);
    if (status == QUIPU_OK && !quipu__os_sync_folder(leftovers->folder))
        status = quipu__output_error(leftovers->folder, err, "cannot be synced");
    return status;
}

static const struct leftover *find_leader(const struct leftovers *leftovers, uint64_t id) {
    for (size_t i = 0; i < leftovers->list.count; i++)
        if (leftovers->list.items[i].id == id && is_leader(leftovers, &leftovers->list.items[i]))
            return &leftovers->list.items[i];
    return NULL;
}

/* When the file that names the others is there, its trace is whole, the older or the new one. */
static enum quipu_status complete(struct leftovers *leftovers, const char *marker, struct quipu_error *err) {
    uint64_t id;
    bool replaces;
    const char *lines;
    if (!parse_marker(marker, &id, &replaces, &lines))
        return QUIPU_OK;
    const struct leftover *leader = find_leader(leftovers, id);
    enum quipu_status status = QUIPU_OK;
    if (leader && quipu__path_kind(leftovers->path, NULL) == QUIPU__PATH_MISSING) {
        remove_stale(leftovers, lines);
        status = name_leftovers(leftovers, leader, replaces, err);
    }
    for (size_t i = 0; i < leftovers->list.count && status == QUIPU_OK; i++)
        if (leftovers->list.items[i].id == id && leftovers->list.items[i].is_aside)
            remove_leftover(leftovers, &leftovers->list.items[i]);
    return status;
}

/* Nothing is done about a marker that another process holds. */
static enum quipu_status complete_marked(struct leftovers *leftovers, struct quipu_error *err) {
    const char *marker = quipu__marker_of(&leftovers->outputs->arena, leftovers->path);
    if (!marker)
        return quipu__no_memory(err, strlen(leftovers->path));
    const int fd = quipu__marker_open(marker, 0);
    if (fd < 0)
        return QUIPU_OK;
    const char *text = read_marker(leftovers, fd);
    enum quipu_status status = text ? complete(leftovers, text, err) : QUIPU_OK;
    if (leftovers->is_out_of_memory)
        status = quipu__no_memory(err, strlen(marker));
    if (status == QUIPU_OK && quipu__os_is_own(fd))
        unlink(marker);
    quipu__os_close(fd);
    return status;
}

enum quipu_status quipu__leftovers_complete(struct quipu__outputs *outputs, const char *path,
                                            struct quipu_error *err) {
    struct leftovers leftovers = {.outputs = outputs,
                                  .path = path,
                                  .base = quipu__base_name(path),
                                  .folder = quipu__folder_of(&outputs->arena, path)};
    if (!leftovers.folder)
        return quipu__no_memory(err, strlen(path));
    /* what cannot be seen is left where it is */
    (void)quipu__directory_visit(outputs->memory, leftovers.folder, visit, &leftovers, NULL);
    enum quipu_status status =
        leftovers.is_out_of_memory ? quipu__no_memory(err, strlen(path)) : complete_marked(&leftovers, err);
    if (status == QUIPU_OK)
        remove_dead(&leftovers);
    QUIPU__VEC_RELEASE(outputs->memory, &leftovers.list);
    return status;
}

static bool is_broken_off(const char *path) {
    char marker[4096];
    const char *base = quipu__base_name(path);
    const int len =
        snprintf(marker, sizeof marker, "%.*s.%s" QUIPU__COMMIT_SUFFIX, (int)(base - path), path, base);
    return len < (int)sizeof marker && quipu__path_kind(path, NULL) == QUIPU__PATH_MISSING &&
           quipu__path_kind(marker, NULL) == QUIPU__PATH_FILE;
}

enum quipu_status quipu__outputs_refuse_broken_off(const char *path, struct quipu_error *err) {
    if (!is_broken_off(path))
        return QUIPU_OK;
    quipu__fail(err, QUIPU_CORRUPT,
                "is missing: its writer was killed while the files of the trace got their names");
    quipu__at(err, path, QUIPU_UNKNOWN);
    quipu__advise(err, "run the command that wrote it again: that completes the trace; --force writes it again "
                       "from the beginning");
    return QUIPU_CORRUPT;
}
