/* leftovers.c: what killed writers leave: temporary files, and sets of files of which some have got their names and others not
 * (commit.c). The next writer of the name completes such a set, and removes what belongs to no process any more. Of a set that is
 * a folder they lie in that and below, and what cleaning leaves empty is removed too. */
#include "core/error.h"
#include "core/os.h"
#include "core/output_set.h"
#include "core/text.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DEPTH_MOST 32 /* of folders */

/* A file ".NAME.ID.part" or ".NAME.ID.old". */
struct leftover {
    const char *below; /* the folder of the set: "", or a relative path with a slash at its end */
    const char *text;
    size_t name_len;
    uint64_t id;
    bool is_aside;
};

struct leftovers {
    struct quipu__outputs *outputs;
    const char *path, *base, *folder;
    const char *below; /* what is visited */
    unsigned depth;
    QUIPU__VEC(struct leftover) list;
    QUIPU__VEC(const char *) folders; /* below the one of the set, the outer ones first */
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

/* Path of a file in the folder of the leftovers or below. NULL when memory is out. */
static const char *path_in(struct leftovers *leftovers, const char *below, const char *name, size_t len) {
    const size_t folder = (size_t)(leftovers->base - leftovers->path), size = folder + strlen(below) + len + 1;
    char *text = quipu__arena_alloc(&leftovers->outputs->arena, size);
    leftovers->is_out_of_memory |= !text;
    if (text)
        snprintf(text, size, "%.*s%s%.*s", (int)folder, leftovers->path, below, (int)len, name);
    return text;
}

static const char *path_of(struct leftovers *leftovers, const struct leftover *leftover) {
    return path_in(leftovers, leftover->below, leftover->text, strlen(leftover->text));
}

static enum quipu_status add_leftover(struct leftovers *leftovers, struct leftover *found) {
    found->below = leftovers->below;
    found->text = quipu__arena_text(&leftovers->outputs->arena, found->text, strlen(found->text));
    struct leftover *slot = found->text ? QUIPU__VEC_ADD(leftovers->outputs->memory, &leftovers->list) : NULL;
    leftovers->is_out_of_memory |= !slot;
    if (!slot)
        return QUIPU_END;
    *slot = *found;
    return QUIPU_OK;
}

static enum quipu_status visit(void *context, const char *name);

/* What cannot be seen is left where it is. */
static void visit_folder(struct leftovers *leftovers, const char *path) {
    (void)quipu__directory_visit(leftovers->outputs->memory, path, visit, leftovers, NULL);
}

static enum quipu_status visit_below(struct leftovers *leftovers, const char *name) {
    struct quipu__arena *arena = &leftovers->outputs->arena;
    const char *above = leftovers->below, *path = path_in(leftovers, above, name, strlen(name));
    const size_t size = strlen(above) + strlen(name) + 2;
    if (!path || !quipu__path_is_own_folder(path) || leftovers->depth == DEPTH_MOST)
        return path ? QUIPU_OK : QUIPU_END;
    char *below = quipu__arena_alloc(arena, size);
    const char **slot = below ? QUIPU__VEC_ADD(leftovers->outputs->memory, &leftovers->folders) : NULL;
    leftovers->is_out_of_memory |= !slot;
    if (!slot)
        return QUIPU_END;
    snprintf(below, size, "%s%s/", above, name);
    *slot = leftovers->below = below;
    leftovers->depth++;
    visit_folder(leftovers, path);
    leftovers->depth--;
    leftovers->below = above;
    return leftovers->is_out_of_memory ? QUIPU_END : QUIPU_OK;
}

static enum quipu_status visit(void *context, const char *name) {
    struct leftovers *leftovers = context;
    struct leftover found;
    if (parse_leftover(name, &found))
        return add_leftover(leftovers, &found);
    return leftovers->outputs->root ? visit_below(leftovers, name) : QUIPU_OK;
}

static bool is_leader(const struct leftovers *leftovers, const struct leftover *leftover) {
    return !leftover->is_aside && !leftover->below[0] && leftover->name_len == strlen(leftovers->base) &&
           memcmp(leftover->text + 1, leftovers->base, leftover->name_len) == 0;
}

static bool remove_leftover(struct leftovers *leftovers, const struct leftover *leftover) {
    const char *path = path_of(leftovers, leftover);
    return path && quipu__os_remove(path);
}

/* A folder that is not empty stays. */
static void remove_empty_folders(struct leftovers *leftovers) {
    for (size_t i = leftovers->folders.count; i-- > 0;) {
        const char *path = path_in(leftovers, leftovers->folders.items[i], "", 0);
        if (path)
            rmdir(path);
    }
    rmdir(leftovers->outputs->root);
}

/* Those of one set; the leader, whose lock others ask for, at last, and only when no other is left: they are found by it. */
static void remove_set(struct leftovers *leftovers, const struct leftover *leader) {
    bool done = true;
    for (size_t i = 0; i < leftovers->list.count; i++) {
        const struct leftover *leftover = &leftovers->list.items[i];
        if (leftover->id == leader->id && leftover != leader && !leftover->is_aside)
            done = remove_leftover(leftovers, leftover) && done;
    }
    if (done && remove_leftover(leftovers, leader) && leftovers->outputs->root)
        remove_empty_folders(leftovers);
}

/* A set whose leader is not locked belongs to a process that has ended. */
static void remove_if_dead(struct leftovers *leftovers, const struct leftover *leader) {
    const char *path = path_of(leftovers, leader);
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

/* The folder that a path is in, if it was visited: links to folders were not. NULL when it is another one. */
static const char *visited_folder(const struct leftovers *leftovers, const char *path, size_t len) {
    while (len > 0 && path[len - 1] != '/')
        len--;
    for (size_t i = 0; i < leftovers->folders.count && len > 0; i++)
        if (strlen(leftovers->folders.items[i]) == len && memcmp(leftovers->folders.items[i], path, len) == 0)
            return leftovers->folders.items[i];
    return len == 0 ? "" : NULL;
}

/* Whether an older file can be one of the trace: it has the name of the trace without its last suffix in front, or is in the
 * folder that the trace is. */
static bool may_be_stale(const struct leftovers *leftovers, const char *line, size_t len) {
    const char *dot = strrchr(leftovers->base, '.');
    const size_t stem = dot ? (size_t)(dot - leftovers->base) : strlen(leftovers->base);
    if (leftovers->outputs->root)
        return visited_folder(leftovers, line, len) != NULL;
    return len > stem && memcmp(line, leftovers->base, stem) == 0 && line[stem] == '.' &&
           !memchr(line, '/', len);
}

static enum quipu_status refuse_left(const char *path, struct quipu_error *err) {
    return quipu__output_error(path, err, "an earlier writer has left it, and it cannot be removed");
}

/* What a marker says beyond that is not believed. */
static enum quipu_status remove_stale(struct leftovers *leftovers, const char *lines, struct quipu_error *err) {
    for (const char *end; (end = strchr(lines, '\n')); lines = end + 1) {
        const size_t len = (size_t)(end - lines);
        const char *path = may_be_stale(leftovers, lines, len) ? path_in(leftovers, "", lines, len) : NULL;
        if (path && !quipu__os_remove(path))
            return refuse_left(path, err);
    }
    return QUIPU_OK;
}

static enum quipu_status name_leftover(struct leftovers *leftovers, const struct leftover *leftover,
                                       bool replaces, struct quipu_error *err) {
    const char *from = path_of(leftovers, leftover);
    const char *to = path_in(leftovers, leftover->below, leftover->text + 1, leftover->name_len);
    if (!from || !to)
        return quipu__no_memory(err, leftover->name_len);
    if (replaces ? rename(from, to) == 0 : quipu__os_rename_new(from, to))
        return QUIPU_OK;
    const enum quipu_status status = quipu__naming_error(to, err);
    quipu__advise(err,
                  "an earlier writer was killed while its files got their names; remove this file to go on");
    return status;
}

static enum quipu_status sync_below(struct leftovers *leftovers, const char *below, struct quipu_error *err) {
    const char *folder = below[0] ? path_in(leftovers, below, "", 0) : leftovers->folder;
    if (!folder)
        return quipu__no_memory(err, strlen(below));
    return quipu__os_sync_folder(folder) ? QUIPU_OK : quipu__output_error(folder, err, "cannot be synced");
}

static enum quipu_status sync_folders(struct leftovers *leftovers, struct quipu_error *err) {
    enum quipu_status status = sync_below(leftovers, "", err);
    for (size_t i = 0; i < leftovers->folders.count && status == QUIPU_OK; i++)
        status = sync_below(leftovers, leftovers->folders.items[i], err);
    return status;
}

/* The rest of what the killed process would have done. The leader of a folder has no name to get. */
static enum quipu_status name_leftovers(struct leftovers *leftovers, const struct leftover *leader,
                                        bool replaces, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < leftovers->list.count && status == QUIPU_OK; i++) {
        const struct leftover *leftover = &leftovers->list.items[i];
        if (leftover->id == leader->id && leftover != leader && !leftover->is_aside)
            status = name_leftover(leftovers, leftover, replaces, err);
    }
    if (status == QUIPU_OK)
        status = sync_folders(leftovers, err);
    if (status == QUIPU_OK && !leftovers->outputs->root)
        status = name_leftover(leftovers, leader, replaces, err);
    return status == QUIPU_OK ? sync_below(leftovers, "", err) : status;
}

static const struct leftover *find_leader(const struct leftovers *leftovers, uint64_t id) {
    for (size_t i = 0; i < leftovers->list.count; i++)
        if (leftovers->list.items[i].id == id && is_leader(leftovers, &leftovers->list.items[i]))
            return &leftovers->list.items[i];
    return NULL;
}

/* When the file that names the others is there, or the marker of a folder has got its last name, the trace is complete. */
static enum quipu_status complete(struct leftovers *leftovers, const char *marker, bool is_done,
                                  struct quipu_error *err) {
    uint64_t id;
    bool replaces;
    const char *lines;
    if (!parse_marker(marker, &id, &replaces, &lines))
        return QUIPU_OK;
    const struct leftover *leader = find_leader(leftovers, id);
    enum quipu_status status = QUIPU_OK;
    const bool is_named =
        leftovers->outputs->root ? is_done : quipu__path_kind(leftovers->path, NULL) != QUIPU__PATH_MISSING;
    if (leader && !is_named) {
        status = remove_stale(leftovers, lines, err);
        if (status == QUIPU_OK)
            status = name_leftovers(leftovers, leader, replaces, err);
    }
    for (size_t i = 0; i < leftovers->list.count && status == QUIPU_OK; i++)
        if (leftovers->list.items[i].id == id && leftovers->list.items[i].is_aside &&
            !remove_leftover(leftovers, &leftovers->list.items[i]))
            status = refuse_left(leftovers->list.items[i].text, err);
    return status;
}

/* Nothing is done about a marker that another process holds. */
static enum quipu_status complete_marked(struct leftovers *leftovers, const char *suffix,
                                         struct quipu_error *err) {
    const char *marker = quipu__marker_of(&leftovers->outputs->arena, leftovers->path, suffix);
    if (!marker)
        return quipu__no_memory(err, strlen(leftovers->path));
    const int fd = quipu__marker_open(marker, 0);
    if (fd < 0)
        return QUIPU_OK;
    const char *text = strcmp(suffix, QUIPU__BEGIN_SUFFIX) == 0 ? NULL : read_marker(leftovers, fd);
    const bool is_done = strcmp(suffix, QUIPU__DONE_SUFFIX) == 0;
    enum quipu_status status = text ? complete(leftovers, text, is_done, err) : QUIPU_OK;
    if (leftovers->is_out_of_memory)
        status = quipu__no_memory(err, strlen(marker));
    if (status == QUIPU_OK && quipu__os_is_own(fd))
        unlink(marker);
    quipu__os_close(fd);
    return status;
}

static enum quipu_status complete_all(struct leftovers *leftovers, struct quipu_error *err) {
    static const char *const suffixes[] = {QUIPU__COMMIT_SUFFIX, QUIPU__DONE_SUFFIX, QUIPU__BEGIN_SUFFIX};
    const size_t count = leftovers->outputs->root ? 3 : 1;
    enum quipu_status status =
        leftovers->is_out_of_memory ? quipu__no_memory(err, strlen(leftovers->path)) : QUIPU_OK;
    for (size_t i = 0; i < count && status == QUIPU_OK; i++)
        status = complete_marked(leftovers, suffixes[i], err);
    return status;
}

enum quipu_status quipu__leftovers_complete(struct quipu__outputs *outputs, const char *path,
                                            struct quipu_error *err) {
    struct leftovers leftovers = {.outputs = outputs,
                                  .path = path,
                                  .base = quipu__base_name(path),
                                  .folder = quipu__folder_of(&outputs->arena, path),
                                  .below = ""};
    if (!leftovers.folder)
        return quipu__no_memory(err, strlen(path));
    visit_folder(&leftovers, leftovers.folder);
    const enum quipu_status status = complete_all(&leftovers, err);
    if (status == QUIPU_OK)
        remove_dead(&leftovers);
    QUIPU__VEC_RELEASE(outputs->memory, &leftovers.list);
    QUIPU__VEC_RELEASE(outputs->memory, &leftovers.folders);
    return status;
}

/* Whether "folder.name.commit" is there. */
static bool has_marker(const char *folder, size_t len, const char *name) {
    char marker[4096];
    const int size = snprintf(marker, sizeof marker, "%.*s.%s" QUIPU__COMMIT_SUFFIX, (int)len, folder, name);
    return size < (int)sizeof marker && quipu__path_kind(marker, NULL) == QUIPU__PATH_FILE;
}

static bool is_broken_off(const char *path) {
    const char *base = quipu__base_name(path);
    return quipu__path_kind(path, NULL) == QUIPU__PATH_MISSING && has_marker(path, (size_t)(base - path), base);
}

static enum quipu_status refuse_broken_off(const char *path, const char *what, struct quipu_error *err) {
    quipu__fail(err, QUIPU_CORRUPT, "%s: its writer was killed while the files of the trace got their names",
                what);
    quipu__at(err, path, QUIPU_UNKNOWN);
    quipu__advise(err, "run the command that wrote it again: that completes the trace; --force writes it again "
                       "from the beginning");
    return QUIPU_CORRUPT;
}

enum quipu_status quipu__outputs_refuse_broken_off(const char *path, struct quipu_error *err) {
    return is_broken_off(path) ? refuse_broken_off(path, "is missing", err) : QUIPU_OK;
}

enum quipu_status quipu__outputs_refuse_broken_off_folder(const char *path, struct quipu_error *err) {
    char folder[4096];
    const int len = snprintf(folder, sizeof folder, "%s/", path);
    if (len >= (int)sizeof folder || !has_marker(folder, (size_t)len, QUIPU__FOLDER_NAME))
        return QUIPU_OK;
    return refuse_broken_off(path, "is not complete", err);
}
