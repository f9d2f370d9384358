/* commit.c: giving the files of a set their names, so that old and new are never taken for one trace.
 *
 *   1. A file ".NAME.commit", where NAME is the file that names the others, says what is about to happen. It is locked.
 *   2. The older NAME is put aside, then older files that the new set has not.
 *   3. File after file: the older one is put aside, the new one gets its name.
 *   4. The folder is synced, NAME gets its name, the folder is synced.
 *   5. What was put aside is removed, then the file ".NAME.commit".
 *
 * Between the first rename of 2 and that of 4 there is no NAME but a ".NAME.commit": that is how readers know. A failure takes
 * every rename back. A set of one file has no such time between: it gets its name in one step.
 *
 * A set that is a folder has no NAME. Its marker, in the folder, is ".trace.begin" in 1, ".trace.commit" from 2 on, and
 * ".trace.done" as soon as the new trace is valid in 4. */
#include "core/error.h"
#include "core/os.h"
#include "core/output_set.h"
#include "core/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct commit {
    struct quipu__outputs *outputs;
    const char *folder;
    const char *marker; /* as it is called now */
    int fd;             /* of the marker */
};

const char *quipu__folder_of(struct quipu__arena *arena, const char *path) {
    const size_t len = (size_t)(quipu__base_name(path) - path);
    return len ? quipu__arena_text(arena, path, len) : ".";
}

const char *quipu__marker_of(struct quipu__arena *arena, const char *path, const char *suffix) {
    const size_t size = strlen(path) + strlen(suffix) + 2;
    const char *base = quipu__base_name(path);
    char *text = quipu__arena_alloc(arena, size);
    if (text)
        snprintf(text, size, "%.*s.%s%s", (int)(base - path), path, base, suffix);
    return text;
}

/* ---- The marker ---- */

static bool write_text(int fd, const char *text) {
    return quipu__os_write(fd, text, strlen(text));
}

/* How a marker names an older file: from the folder of a set that is one. */
static const char *stale_name(const struct quipu__outputs *outputs, const char *path) {
    return outputs->root ? path + strlen(outputs->root) + 1 : quipu__base_name(path);
}

static bool write_marker(const struct commit *commit) {
    const struct quipu__outputs *outputs = commit->outputs;
    char line[64];
    snprintf(line, sizeof line, "%016" PRIx64 " %s\n", outputs->id,
             outputs->replace ? QUIPU__MARKER_REPLACING : QUIPU__MARKER_KEEPING);
    bool done = write_text(commit->fd, line);
    for (size_t i = 0; i < outputs->stale.count && done; i++)
        done = write_text(commit->fd, stale_name(outputs, outputs->stale.items[i].path)) &&
               write_text(commit->fd, "\n");
    return done && write_text(commit->fd, QUIPU__MARKER_END) && quipu__os_sync(commit->fd) &&
           quipu__os_sync_folder(commit->folder);
}

/* A process that is done with a marker removes it, which may have happened between opening and locking. */
int quipu__marker_open(const char *path, int flags) {
    for (;;) {
        const int fd = quipu__os_open(path, flags | O_RDWR | O_NOFOLLOW);
        if (fd < 0)
            return -1;
        const bool is_busy = quipu__os_lock(fd) == QUIPU__LOCK_BUSY;
        if (!is_busy && quipu__os_has_name(fd))
            return fd;
        quipu__os_close(fd);
        if (is_busy) {
            errno = EBUSY;
            return -1;
        }
    }
}

static const char *marker_of(const struct commit *commit, const char *suffix) {
    struct quipu__outputs *outputs = commit->outputs;
    return quipu__marker_of(&outputs->arena, outputs->files.items[0]->path, suffix);
}

/* Steps of a folder. The marker of another process, which may live, is not replaced. */
static enum quipu_status rename_marker(struct commit *commit, const char *suffix, struct quipu_error *err) {
    const char *name = marker_of(commit, suffix);
    if (!name)
        return quipu__no_memory(err, strlen(commit->marker));
    if (!quipu__os_rename_new(commit->marker, name))
        return quipu__naming_error(name, err);
    commit->marker = name;
    return QUIPU_OK;
}

static enum quipu_status begin(struct commit *commit, struct quipu_error *err) {
    const bool is_folder = commit->outputs->root != NULL;
    commit->marker = marker_of(commit, is_folder ? QUIPU__BEGIN_SUFFIX : QUIPU__COMMIT_SUFFIX);
    if (!commit->marker)
        return quipu__no_memory(err, 0);
    commit->fd = quipu__marker_open(commit->marker, O_CREAT);
    if (commit->fd < 0)
        return quipu__output_error(commit->marker, err, "cannot be made");
    if (lseek(commit->fd, 0, SEEK_END) != 0 || !write_marker(commit))
        return quipu__output_error(commit->marker, err, "cannot be written");
    return is_folder ? rename_marker(commit, QUIPU__COMMIT_SUFFIX, err) : QUIPU_OK;
}

/* ---- Steps, and taking them back ---- */

static bool put_aside(struct quipu__older *older) {
    older->is_aside = rename(older->path, older->aside) == 0;
    return older->is_aside || errno == ENOENT;
}

static bool bring_back(struct quipu__older *older) {
    if (older->is_aside && rename(older->aside, older->path) != 0)
        return false;
    older->is_aside = false;
    return true;
}

static bool name_file(struct quipu__file *file) {
    file->is_named = file->set->replace ? rename(file->temporary.path, file->path) == 0
                                        : quipu__os_rename_new(file->temporary.path, file->path);
    return file->is_named;
}

static bool unname_file(struct quipu__file *file) {
    if (file->is_named && rename(file->path, file->temporary.path) != 0)
        return false;
    file->is_named = false;
    return true;
}

enum quipu_status quipu__naming_error(const char *path, struct quipu_error *err) {
    if (errno != EEXIST)
        return quipu__output_error(path, err, "cannot get its name");
    quipu__fail(err, QUIPU_EXISTS, "has appeared meanwhile");
    quipu__at(err, path, QUIPU_UNKNOWN);
    quipu__advise(err, "choose another name, or use --force to replace it");
    return QUIPU_EXISTS;
}

static enum quipu_status put_older_aside(struct quipu__outputs *outputs, struct quipu_error *err) {
    struct quipu__older *leading = &outputs->files.items[0]->older;
    if (!outputs->replace)
        return QUIPU_OK;
    if (!outputs->root && !put_aside(leading))
        return quipu__naming_error(leading->path, err);
    for (size_t i = 0; i < outputs->stale.count; i++)
        if (!put_aside(&outputs->stale.items[i]))
            return quipu__naming_error(outputs->stale.items[i].path, err);
    return QUIPU_OK;
}

static enum quipu_status name_files(struct quipu__outputs *outputs, struct quipu_error *err) {
    for (size_t i = 1; i < outputs->files.count; i++) {
        struct quipu__file *file = outputs->files.items[i];
        if (file->temporary.path && ((outputs->replace && !put_aside(&file->older)) || !name_file(file)))
            return quipu__naming_error(file->path, err);
    }
    return QUIPU_OK;
}

static enum quipu_status sync_folder(const char *folder, struct quipu_error *err) {
    return quipu__os_sync_folder(folder) ? QUIPU_OK : quipu__output_error(folder, err, "cannot be synced");
}

static enum quipu_status sync_folder_of(struct commit *commit, const char *path, struct quipu_error *err) {
    const char *folder = quipu__folder_of(&commit->outputs->arena, path);
    return folder ? sync_folder(folder, err) : quipu__no_memory(err, strlen(path));
}

static bool is_beside(const char *left, const char *right) {
    const size_t len = (size_t)(quipu__base_name(left) - left);
    return (size_t)(quipu__base_name(right) - right) == len && strncmp(left, right, len) == 0;
}

/* Where names have changed, and where folders were made. */
static enum quipu_status sync_folders(struct commit *commit, struct quipu_error *err) {
    const struct quipu__outputs *outputs = commit->outputs;
    enum quipu_status status = sync_folder(commit->folder, err);
    if (outputs->root && outputs->files.count + outputs->folders.count > QUIPU__SYNC_EACH)
        return quipu__os_sync_all(commit->folder)
                   ? status
                   : quipu__output_error(commit->folder, err, "cannot be synced");
    for (size_t i = 1; i < outputs->files.count && status == QUIPU_OK; i++)
        if (!is_beside(outputs->files.items[i]->path, outputs->files.items[i - 1]->path))
            status = sync_folder_of(commit, outputs->files.items[i]->path, err);
    for (size_t i = 0; i < outputs->folders.count && status == QUIPU_OK; i++)
        status = sync_folder_of(commit, outputs->folders.items[i]->path, err);
    return status;
}

/* The file that names the others; of a folder, the marker. */
static enum quipu_status name_leader(struct commit *commit, struct quipu_error *err) {
    struct quipu__file *leader = commit->outputs->files.items[0];
    if (!commit->outputs->root)
        return name_file(leader) ? QUIPU_OK : quipu__naming_error(leader->path, err);
    return rename_marker(commit, QUIPU__DONE_SUFFIX, err);
}

static bool take_back(struct quipu__outputs *outputs) {
    bool done = true;
    for (size_t i = outputs->files.count; i-- > 1;)
        done = unname_file(outputs->files.items[i]) && bring_back(&outputs->files.items[i]->older) && done;
    for (size_t i = outputs->stale.count; i-- > 0;)
        done = bring_back(&outputs->stale.items[i]) && done;
    return done && bring_back(&outputs->files.items[0]->older);
}

static bool remove_older(struct quipu__older *older) {
    if (older->is_aside && unlink(older->aside) != 0)
        return false;
    older->is_aside = false;
    return true;
}

static size_t folder_len(const char *path, size_t len) {
    while (len > 0 && path[len - 1] != '/')
        len--;
    return len > 0 ? len - 1 : 0;
}

/* Folders of a set that is one are removed when a file of the older trace was all that was in them. */
static void remove_emptied(struct quipu__outputs *outputs, const char *path) {
    const size_t root = outputs->root ? strlen(outputs->root) : SIZE_MAX;
    for (size_t len = folder_len(path, strlen(path)); len > root; len = folder_len(path, len)) {
        const char *folder = quipu__arena_text(&outputs->arena, path, len);
        if (!folder || rmdir(folder) != 0)
            return;
    }
}

static bool remove_all_older(struct quipu__outputs *outputs) {
    bool done = true;
    for (size_t i = 0; i < outputs->files.count; i++)
        done = remove_older(&outputs->files.items[i]->older) && done;
    for (size_t i = 0; i < outputs->stale.count; i++) {
        done = remove_older(&outputs->stale.items[i]) && done;
        remove_emptied(outputs, outputs->stale.items[i].path);
    }
    return done;
}

/* When not even taking back works, everything stays, so that the next writer of the name can complete it. It also removes what
 * could not be removed now: the marker stays for that. */
static void end(struct commit *commit, bool is_done) {
    struct quipu__outputs *outputs = commit->outputs;
    const bool is_clean = is_done ? remove_all_older(outputs) : take_back(outputs);
    outputs->keeps_temporaries = !is_done && !is_clean;
    if (commit->fd < 0)
        return;
    if (is_clean)
        unlink(commit->marker);
    quipu__os_close(commit->fd);
}

/* Everything that comes before the leader has its name. */
static enum quipu_status name_members(struct commit *commit, struct quipu_error *err) {
    enum quipu_status status = begin(commit, err);
    if (status != QUIPU_OK)
        return status;
    status = put_older_aside(commit->outputs, err);
    if (status != QUIPU_OK)
        return status;
    status = name_files(commit->outputs, err);
    return status == QUIPU_OK ? sync_folders(commit, err) : status;
}

static enum quipu_status name_set(struct commit *commit, struct quipu_error *err) {
    enum quipu_status status = name_members(commit, err);
    if (status == QUIPU_OK)
        status = name_leader(commit, err);
    const bool is_done = status == QUIPU_OK;
    if (is_done)
        status = sync_folder(commit->folder, err);
    end(commit, is_done);
    return status;
}

static enum quipu_status name_single(const struct commit *commit, struct quipu_error *err) {
    struct quipu__file *file = commit->outputs->files.items[0];
    if (!name_file(file))
        return quipu__naming_error(file->path, err);
    return sync_folder(commit->folder, err);
}

enum quipu_status quipu__commit(struct quipu__outputs *outputs, struct quipu_error *err) {
    struct commit commit = {.outputs = outputs, .fd = -1};
    if (outputs->files.count == 0 || !outputs->files.items[0]->temporary.path)
        return QUIPU_OK;
    commit.folder = quipu__folder_of(&outputs->arena, outputs->files.items[0]->path);
    if (!commit.folder)
        return quipu__no_memory(err, strlen(outputs->files.items[0]->path));
    quipu__guard_complete(outputs->guard, true);
    const bool is_single = outputs->files.count == 1 && outputs->stale.count == 0;
    const enum quipu_status status = is_single ? name_single(&commit, err) : name_set(&commit, err);
    quipu__guard_complete(outputs->guard, false);
    return status;
}
