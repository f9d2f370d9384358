/* commit.c: gives the files of a set their names, so that old and new are never taken for one trace, and continues where a killed
 * writer stopped. Everything it needs to know is in the folder, in hidden files beside a file NAME of the set ID:
 *
 *     .NAME.ID.part   the new file. That of the leader, the file that names the others, is locked as long as its writer lives.
 *     .NAME.ID.gone   empty: the older trace has a file NAME, the new one has not
 *     .NAME.ID.old    the older file
 *     .LEADER.commit  the marker: the ID, and whether older files are replaced. It means that all other files are complete.
 *
 *   1. The files ".gone" are made, then the marker. It is locked.
 *   2. The older leader is put aside: it is called ".old". Then older files that the new set has not.
 *   3. File after file: the older one is put aside, the new one gets its name.
 *   4. The folder is synced, the leader gets its name, the folder is synced.
 *   5. Files ".old" and ".gone" are removed, then the marker.
 *
 * Between the first rename of 2 and that of 4 there is a marker but no leader: that is how readers know. A failure undoes every
 * rename. The next writer of the name repeats 2 to 5 when the marker is there and the leader has no name yet; otherwise it removes
 * what a dead writer left. A set of one file has no such intermediate state: it gets its name in one step.
 *
 * A set that is a folder has no file that names the others: its leader, "trace" in the folder, never gets its name. Readers refuse
 * the folder as long as there is a marker; step 4 removes its name. */
#include "core/files/directory.h"
#include "core/error.h"
#include "core/os.h"
#include "core/files/output_set.h"
#include "core/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define COMMIT_SUFFIX ".commit"
#define DEPTH_MOST 32 /* of folders that are searched for leftovers */

enum hidden { NEW, GONE, OLDER };
static const char *const suffixes[] = {[NEW] = QUIPU__TEMPORARY_SUFFIX, [GONE] = ".gone", [OLDER] = ".old"};

struct renaming {
    const char *from, *to;
};

typedef QUIPU__VEC(const char *) texts;

/* The files that get their names. */
struct naming {
    struct quipu__outputs *outputs;
    uint64_t id;
    bool replaces, is_marked, is_done;
    const char *folder, *marker, *marker_part;
    int marker_fd;
    QUIPU__VEC(struct renaming)
    members;      /* from the temporary names to those of the files; the first one leads */
    texts gone;   /* older files that the set lacks */
    texts litter; /* hidden files to remove at the end */
    QUIPU__VEC(struct renaming) renamed; /* so far */
};

/* ---- Hidden names ---- */

/* The path of "BEFORE NAME AFTER" in the folder of another path. NULL when memory is out. */
static const char *beside(struct quipu__arena *arena, const char *path, const char *before, const char *name,
                          const char *after) {
    const size_t folder = (size_t)(quipu__base_name(path) - path);
    const size_t size = folder + strlen(before) + strlen(name) + strlen(after) + 1;
    char *text = quipu__arena_alloc(arena, size);
    if (text)
        snprintf(text, size, "%.*s%s%s%s", (int)folder, path, before, name, after);
    return text;
}

const char *quipu__hidden_name(struct quipu__arena *arena, const char *path, uint64_t id, const char *suffix) {
    char after[40];
    snprintf(after, sizeof after, ".%016" PRIx64 "%s", id, suffix);
    return beside(arena, path, ".", quipu__base_name(path), after);
}

static const char *hidden_name(const struct naming *naming, const char *path, enum hidden kind) {
    return quipu__hidden_name(&naming->outputs->arena, path, naming->id, suffixes[kind]);
}

static const char *marker_of(struct quipu__arena *arena, const char *path) {
    return beside(arena, path, ".", quipu__base_name(path), COMMIT_SUFFIX);
}

static const char *folder_of(struct quipu__arena *arena, const char *path) {
    const size_t len = (size_t)(quipu__base_name(path) - path);
    return len ? quipu__arena_text(arena, path, len) : ".";
}

static bool add_text(struct quipu__memory *memory, texts *list, const char *text) {
    return text && QUIPU__VEC_PUT(memory, list, text);
}

static bool init_naming(struct naming *naming, struct quipu__outputs *outputs, const char *leader, uint64_t id,
                        bool replaces) {
    *naming = (struct naming){.outputs = outputs, .id = id, .replaces = replaces, .marker_fd = -1};
    naming->folder = folder_of(&outputs->arena, leader);
    naming->marker = marker_of(&outputs->arena, leader);
    naming->marker_part = naming->marker ? hidden_name(naming, naming->marker, NEW) : NULL;
    return naming->folder && naming->marker_part;
}

static bool add_member(struct naming *naming, const char *temporary, const char *path) {
    return QUIPU__VEC_PUT(naming->outputs->memory, &naming->members, (struct renaming){temporary, path});
}

static void release_naming(struct naming *naming) {
    struct quipu__memory *memory = naming->outputs->memory;
    QUIPU__VEC_RELEASE(memory, &naming->members);
    QUIPU__VEC_RELEASE(memory, &naming->gone);
    QUIPU__VEC_RELEASE(memory, &naming->litter);
    QUIPU__VEC_RELEASE(memory, &naming->renamed);
}

/* ---- Renaming ---- */

/* False with errno. */
static bool rename_one(struct naming *naming, struct renaming renaming, bool replaces) {
    struct renaming *slot = QUIPU__VEC_ADD(naming->outputs->memory, &naming->renamed);
    if (!slot) {
        errno = ENOMEM;
        return false;
    }
    *slot = renaming;
    if (replaces ? rename(renaming.from, renaming.to) == 0 : quipu__os_rename_new(renaming.from, renaming.to))
        return true;
    naming->renamed.count--;
    return false;
}

static bool put_aside(struct naming *naming, const char *path) {
    const char *aside = hidden_name(naming, path, OLDER);
    errno = ENOMEM;
    return add_text(naming->outputs->memory, &naming->litter, aside) &&
           (rename_one(naming, (struct renaming){path, aside}, true) || errno == ENOENT);
}

static enum quipu_status naming_error(const char *path, struct quipu_error *err) {
    if (errno == ENOMEM)
        return quipu__no_memory(err, 0);
    if (errno != EEXIST)
        return quipu__output_error(path, err, "cannot get its name");
    quipu__fail(err, QUIPU_EXISTS, "has appeared meanwhile");
    quipu__at(err, path, QUIPU_UNKNOWN);
    quipu__advise(err, "choose another name, or use --force to replace it");
    return QUIPU_EXISTS;
}

static enum quipu_status name_members(struct naming *naming, struct quipu_error *err) {
    const struct renaming *leader = &naming->members.items[0];
    if (!naming->outputs->root && naming->replaces && !put_aside(naming, leader->to))
        return naming_error(leader->to, err);
    for (size_t i = 0; i < naming->gone.count; i++)
        if (!put_aside(naming, naming->gone.items[i]))
            return naming_error(naming->gone.items[i], err);
    for (size_t i = 1; i < naming->members.count; i++) {
        const struct renaming *member = &naming->members.items[i];
        if ((naming->replaces && !put_aside(naming, member->to)) ||
            !rename_one(naming, *member, naming->replaces))
            return naming_error(member->to, err);
    }
    return QUIPU_OK;
}

static enum quipu_status sync_folder(const char *folder, struct quipu_error *err) {
    return quipu__os_sync_folder(folder) ? QUIPU_OK : quipu__output_error(folder, err, "cannot be synced");
}

/* A set that is a folder has many folders. */
static enum quipu_status sync_names(const struct naming *naming, struct quipu_error *err) {
    if (!naming->outputs->root)
        return sync_folder(naming->folder, err);
    return quipu__os_sync_all(naming->marker_fd) ? QUIPU_OK
                                                 : quipu__output_error(naming->folder, err, "cannot be synced");
}

/* Steps 2 to 4: the set is complete when the leader has its name; a folder, when the marker has lost its own. */
static enum quipu_status name_all(struct naming *naming, struct quipu_error *err) {
    const struct renaming *leader = &naming->members.items[0];
    enum quipu_status status = QUIPU_OK;
    if (naming->is_marked) {
        status = name_members(naming, err);
        if (status == QUIPU_OK)
            status = sync_names(naming, err);
        if (status != QUIPU_OK)
            return status;
    }
    naming->is_done = naming->outputs->root ? rename(naming->marker, naming->marker_part) == 0
                                            : rename_one(naming, *leader, naming->replaces);
    if (!naming->is_done)
        return naming_error(leader->to, err);
    naming->is_marked = naming->is_marked && !naming->outputs->root;
    return sync_folder(naming->folder, err);
}

/* ---- The end ---- */

static bool remove_litter(const struct naming *naming) {
    bool is_clean = true;
    for (size_t i = 0; i < naming->litter.count; i++)
        is_clean = quipu__os_remove(naming->litter.items[i]) && is_clean;
    return is_clean;
}

/* Step 5. False when something stays: then the marker stays too, and the next writer of the name continues. */
static bool clean_up(const struct naming *naming) {
    const bool is_clean = remove_litter(naming);
    if (is_clean && naming->is_marked)
        unlink(naming->marker);
    return is_clean;
}

/* False when even that fails: then everything stays, so that the next writer of the name can continue, or remove it. Files ".gone"
 * stay as long as the marker. */
static bool take_back(const struct naming *naming) {
    for (size_t i = naming->renamed.count; i-- > 0;)
        if (rename(naming->renamed.items[i].to, naming->renamed.items[i].from) != 0)
            return false;
    if (naming->is_marked && !quipu__os_remove(naming->marker))
        return false;
    return remove_litter(naming);
}

/* ---- A set that was written ---- */

static bool collect(struct naming *naming, struct quipu__outputs *outputs) {
    struct quipu__memory *memory = outputs->memory;
    bool done = init_naming(naming, outputs, outputs->files.items[0]->path, outputs->id, outputs->replace);
    for (size_t i = 0; i < outputs->files.count && done; i++) {
        const struct quipu__file *file = outputs->files.items[i];
        done = !file->temporary.path || add_member(naming, file->temporary.path, file->path);
    }
    for (size_t i = 0; i < outputs->gone.count && outputs->replace && done; i++)
        done = add_text(memory, &naming->gone, outputs->gone.items[i]) &&
               add_text(memory, &naming->litter, hidden_name(naming, outputs->gone.items[i], GONE));
    return done;
}

static bool make_gone(const char *path) {
    const int fd = quipu__os_open(path, O_WRONLY | O_CREAT | O_EXCL);
    return fd >= 0 && quipu__os_close(fd);
}

/* Only the process that makes the marker gives names. */
static enum quipu_status mark(struct naming *naming, struct quipu_error *err) {
    char line[32];
    const int len =
        snprintf(line, sizeof line, "%016" PRIx64 " %s\n", naming->id, naming->replaces ? "replace" : "new");
    for (size_t i = 0; i < naming->litter.count; i++)
        if (!make_gone(naming->litter.items[i]))
            return quipu__output_error(naming->litter.items[i], err, "cannot be made");
    if (!add_text(naming->outputs->memory, &naming->litter, naming->marker_part))
        return quipu__no_memory(err, sizeof naming->marker_part);
    naming->marker_fd = quipu__os_open(naming->marker_part, O_WRONLY | O_CREAT | O_EXCL);
    if (naming->marker_fd < 0 || !quipu__os_write(naming->marker_fd, line, (size_t)len) ||
        !quipu__os_sync(naming->marker_fd))
        return quipu__output_error(naming->marker, err, "cannot be written");
    quipu__os_lock(naming->marker_fd);
    naming->is_marked = quipu__os_rename_new(naming->marker_part, naming->marker);
    return naming->is_marked ? sync_folder(naming->folder, err)
                             : quipu__output_error(naming->marker, err, "cannot be made");
}

static enum quipu_status name_set(struct naming *naming, struct quipu_error *err) {
    const bool is_single = !naming->outputs->root && naming->members.count == 1 && naming->gone.count == 0;
    enum quipu_status status = is_single ? QUIPU_OK : mark(naming, err);
    if (status == QUIPU_OK)
        status = name_all(naming, err);
    const bool is_clean = naming->is_done ? clean_up(naming) : take_back(naming);
    naming->outputs->keeps_temporaries = !is_clean;
    return status;
}

enum quipu_status quipu__commit(struct quipu__outputs *outputs, struct quipu_error *err) {
    struct naming naming;
    if (outputs->files.count == 0 || !outputs->files.items[0]->temporary.path)
        return QUIPU_OK;
    quipu__guard_complete(outputs->guard, true);
    const enum quipu_status status =
        collect(&naming, outputs) ? name_set(&naming, err) : (enum quipu_status)quipu__no_memory(err, 0);
    for (size_t i = outputs->root ? 1 : 0; i < outputs->files.count && naming.is_done; i++)
        outputs->files.items[i]->created = false; /* no longer under its temporary name */
    quipu__guard_complete(outputs->guard, false);
    if (naming.marker_fd >= 0)
        quipu__os_close(naming.marker_fd);
    release_naming(&naming);
    return status;
}

/* ---- What a killed writer has left ---- */

struct leftover {
    const char *path, *target; /* the hidden file, and the one that it is about */
    uint64_t id;
    enum hidden kind;
};

struct leftovers {
    struct quipu__outputs *outputs;
    struct quipu_error *err;
    const char *leader;
    const char *folder; /* being visited, with a slash at its end, or "" */
    unsigned depth;
    QUIPU__VEC(struct leftover) list;
    texts folders; /* below that of the set, the outer ones first */
    const char *marker;
    int marker_fd; /* of a marker without a living owner, else -1 */
    uint64_t marked_id;
    bool replaces;
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

/* Whether a name is ".NAME.ID" with one of the suffixes. */
static bool parse_hidden(const char *name, size_t *name_len, struct leftover *out) {
    for (int i = NEW; i <= OLDER; i++) {
        const size_t len = strlen(name), rest = 17 + strlen(suffixes[i]);
        if (name[0] != '.' || len < rest + 2 || !quipu__ends_with(name, suffixes[i]) || name[len - rest] != '.')
            continue;
        out->kind = (enum hidden)i;
        *name_len = len - rest - 1;
        return parse_id(name + len - rest + 1, &out->id);
    }
    return false;
}

static enum quipu_status visit(void *context, const char *name);

/* What cannot be read is left where it is. */
static enum quipu_status visit_folder(struct leftovers *leftovers, const char *path) {
    return quipu__directory_visit(leftovers->outputs->memory, path, visit, leftovers, NULL) == QUIPU_NO_MEMORY
               ? quipu__no_memory(leftovers->err, strlen(path))
               : QUIPU_OK;
}

static enum quipu_status visit_below(struct leftovers *leftovers, const char *name) {
    struct quipu__outputs *outputs = leftovers->outputs;
    const char *above = leftovers->folder, *path = beside(&outputs->arena, above, "", name, "");
    if (path && (!quipu__path_is_own_folder(path) || leftovers->depth == DEPTH_MOST))
        return QUIPU_OK;
    leftovers->folder = path ? beside(&outputs->arena, path, "", name, "/") : NULL;
    if (!add_text(outputs->memory, &leftovers->folders, leftovers->folder))
        return quipu__no_memory(leftovers->err, strlen(name));
    leftovers->depth++;
    const enum quipu_status status = visit_folder(leftovers, path);
    leftovers->depth--;
    leftovers->folder = above;
    return status;
}

static enum quipu_status visit(void *context, const char *name) {
    struct leftovers *leftovers = context;
    struct quipu__arena *arena = &leftovers->outputs->arena;
    struct leftover found;
    size_t len;
    if (!parse_hidden(name, &len, &found))
        return leftovers->outputs->root ? visit_below(leftovers, name) : QUIPU_OK;
    const char *bare = quipu__arena_text(arena, name + 1, len);
    struct leftover *slot = bare ? QUIPU__VEC_ADD(leftovers->outputs->memory, &leftovers->list) : NULL;
    found.path = beside(arena, leftovers->folder, "", name, "");
    found.target = beside(arena, leftovers->folder, "", bare ? bare : "", "");
    if (!slot || !found.path || !found.target)
        return quipu__no_memory(leftovers->err, strlen(name));
    *slot = found;
    return QUIPU_OK;
}

/* Nothing is done about a marker that belongs to another user, or that a living writer holds. */
static void read_marker(struct leftovers *leftovers) {
    char text[18];
    const int fd = quipu__os_open(leftovers->marker, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
    leftovers->marker_fd = -1;
    if (fd < 0)
        return;
    if (quipu__os_is_own(fd) && quipu__os_lock(fd) != QUIPU__LOCK_BUSY && quipu__os_has_name(fd) &&
        quipu__os_read_at(fd, text, sizeof text, 0) == sizeof text && parse_id(text, &leftovers->marked_id)) {
        leftovers->marker_fd = fd;
        leftovers->replaces = text[17] == 'r';
    } else
        quipu__os_close(fd);
}

static bool is_leader(const struct leftovers *leftovers, const struct leftover *leftover) {
    return leftover->kind == NEW && strcmp(leftover->target, leftovers->leader) == 0;
}

static const struct leftover *find_leader(const struct leftovers *leftovers, uint64_t id) {
    for (size_t i = 0; i < leftovers->list.count; i++)
        if (leftovers->list.items[i].id == id && is_leader(leftovers, &leftovers->list.items[i]))
            return &leftovers->list.items[i];
    return NULL;
}

/* A folder that is not empty stays. */
static void remove_empty_folders(const struct leftovers *leftovers) {
    for (size_t i = leftovers->folders.count; i-- > 0;)
        rmdir(leftovers->folders.items[i]);
    rmdir(leftovers->outputs->root);
}

/* The leader, whose lock others ask for, is removed last, and only when no other file is left: the others are found by it. */
static bool remove_set(const struct leftovers *leftovers, uint64_t id, const struct leftover *leader) {
    bool is_clean = true;
    for (size_t i = 0; i < leftovers->list.count; i++)
        if (leftovers->list.items[i].id == id && &leftovers->list.items[i] != leader)
            is_clean = quipu__os_remove(leftovers->list.items[i].path) && is_clean;
    is_clean = is_clean && (!leader || quipu__os_remove(leader->path));
    if (is_clean && leftovers->outputs->root)
        remove_empty_folders(leftovers);
    return is_clean;
}

static bool collect_left(struct naming *naming, const struct leftovers *leftovers,
                         const struct leftover *leader) {
    struct quipu__memory *memory = leftovers->outputs->memory;
    bool done = init_naming(naming, leftovers->outputs, leader->target, leader->id, leftovers->replaces) &&
                add_member(naming, leader->path, leader->target) &&
                add_text(memory, &naming->litter, naming->marker_part);
    for (size_t i = 0; i < leftovers->list.count && done; i++) {
        const struct leftover *leftover = &leftovers->list.items[i];
        if (leftover->id != leader->id || leftover == leader)
            continue;
        if (leftover->kind == NEW)
            done = add_member(naming, leftover->path, leftover->target);
        else
            done = add_text(memory, &naming->litter, leftover->path) &&
                   (leftover->kind != GONE || add_text(memory, &naming->gone, leftover->target));
    }
    naming->is_marked = true;
    naming->marker_fd = leftovers->marker_fd;
    return done;
}

/* Does the rest of what the killed process would have done. */
static enum quipu_status complete(const struct leftovers *leftovers, const struct leftover *leader) {
    struct quipu_error *err = leftovers->err;
    struct naming naming;
    const enum quipu_status status = collect_left(&naming, leftovers, leader)
                                         ? name_all(&naming, err)
                                         : (enum quipu_status)quipu__no_memory(err, strlen(leader->path));
    if (status == QUIPU_EXISTS)
        quipu__advise(
            err, "an earlier writer was killed while its files got their names; remove this file to go on");
    if (naming.is_done)
        clean_up(&naming);
    release_naming(&naming);
    return status;
}

/* A set whose leader is locked belongs to a living process. If a file system has no locks, only a marker tells. */
static enum quipu_status reconcile(const struct leftovers *leftovers, const struct leftover *leader) {
    const bool is_marked = leftovers->marker_fd >= 0 && leader->id == leftovers->marked_id;
    const int fd = quipu__os_open(leader->path, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
    enum quipu_status status = QUIPU_OK;
    if (fd < 0)
        return QUIPU_OK;
    const enum quipu__lock_answer answer = quipu__os_lock(fd);
    if (answer == QUIPU__LOCK_TAKEN || (answer == QUIPU__LOCK_UNKNOWN && is_marked)) {
        if (is_marked)
            status = complete(leftovers, leader);
        if (status == QUIPU_OK)
            remove_set(leftovers, leader->id, leader);
    }
    quipu__os_close(fd);
    return status;
}

static enum quipu_status reconcile_all(struct leftovers *leftovers) {
    enum quipu_status status = QUIPU_OK;
    read_marker(leftovers);
    if (leftovers->marker_fd >= 0 && !find_leader(leftovers, leftovers->marked_id) &&
        remove_set(leftovers, leftovers->marked_id, NULL))
        unlink(leftovers->marker); /* the leader has its name */
    for (size_t i = 0; i < leftovers->list.count && status == QUIPU_OK; i++)
        if (is_leader(leftovers, &leftovers->list.items[i]))
            status = reconcile(leftovers, &leftovers->list.items[i]);
    if (leftovers->marker_fd >= 0)
        quipu__os_close(leftovers->marker_fd);
    return status;
}

enum quipu_status quipu__leftovers_complete(struct quipu__outputs *outputs, const char *path,
                                            struct quipu_error *err) {
    struct quipu__arena *arena = &outputs->arena;
    const char *folder = folder_of(arena, path);
    struct leftovers leftovers = {.outputs = outputs,
                                  .err = err,
                                  .leader = path,
                                  .folder = beside(arena, path, "", "", ""),
                                  .marker = marker_of(arena, path)};
    if (!folder || !leftovers.folder || !leftovers.marker)
        return quipu__no_memory(err, strlen(path));
    enum quipu_status status = visit_folder(&leftovers, folder);
    if (status == QUIPU_OK)
        status = reconcile_all(&leftovers);
    QUIPU__VEC_RELEASE(outputs->memory, &leftovers.list);
    QUIPU__VEC_RELEASE(outputs->memory, &leftovers.folders);
    return status;
}

/* ---- For readers ---- */

enum quipu_status quipu__outputs_refuse_broken_off(const char *path, bool is_folder, struct quipu_error *err) {
    char marker[4096];
    const char *base = is_folder ? QUIPU__FOLDER_NAME : quipu__base_name(path);
    const size_t folder = is_folder ? strlen(path) : (size_t)(base - path);
    const int size = snprintf(marker, sizeof marker, "%.*s%s.%s" COMMIT_SUFFIX, (int)folder, path,
                              is_folder ? "/" : "", base);
    if ((!is_folder && quipu__path_kind(path, NULL) != QUIPU__PATH_MISSING) || size >= (int)sizeof marker ||
        quipu__path_kind(marker, NULL) != QUIPU__PATH_FILE)
        return QUIPU_OK;
    quipu__fail(err, QUIPU_CORRUPT, "is %s: its writer was killed while the files of the trace got their names",
                is_folder ? "not complete" : "missing");
    quipu__at(err, path, QUIPU_UNKNOWN);
    quipu__advise(err, "run the command that wrote it again: that completes the trace; --force writes it again "
                       "from the beginning");
    return QUIPU_CORRUPT;
}
