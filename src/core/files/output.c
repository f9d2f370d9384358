/* output.c: sets of files that appear together.
 *
 * Each file collects bytes in a buffer; a full buffer is written to a temporary file beside the final name (through deflate when the
 * file is compressed). Devices, pipes and standard output have no temporary name: what was written cannot be taken back. The number
 * of open descriptors is limited: files are closed in turn, and opened for appending when they are needed again.
 */
#include "core/files/output.h"

#include "core/error.h"
#include "core/os.h"
#include "core/files/output_set.h"
#include "core/text.h"
#include "core/memory/zlib_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_MOST ((size_t)1 << 20)
#define BUFFER_LEAST ((size_t)16 << 10)
#define DEFLATED_BYTES ((size_t)64 << 10)
#define SYNC_EACH 64 /* files of larger sets are synced by one call for their file system */

/* Files that are open at a time unless a limit is given: each has a buffer. */
enum { OPEN_MOST = 256 };

enum quipu_status quipu__outputs_new(struct quipu__memory *memory, bool replace, uint32_t file_limit,
                                     struct quipu_guard *guard, struct quipu__outputs **out,
                                     struct quipu_error *err) {
    struct quipu__outputs *outputs = quipu__alloc_zero(memory, sizeof *outputs);
    *out = outputs;
    if (!outputs)
        return quipu__no_memory(err, sizeof *outputs);
    outputs->memory = memory;
    outputs->replace = replace;
    outputs->id = quipu__os_random();
    outputs->file_limit = file_limit ? file_limit : quipu__os_files_share(OPEN_MOST);
    outputs->guard = guard;
    quipu__arena_init(&outputs->arena, memory);
    quipu__map_init(&outputs->taken, memory);
    quipu__guard_begin(guard, &outputs->temporaries);
    return QUIPU_OK;
}

enum quipu_status quipu__output_error(const char *path, struct quipu_error *err, const char *what) {
    const enum quipu_status status = quipu__fail_errno(err, QUIPU_OUTPUT, errno, "%s", what);
    quipu__at(err, path, QUIPU_UNKNOWN);
    return status;
}

static enum quipu_status output_error(const struct quipu__file *file, struct quipu_error *err,
                                      const char *what) {
    return quipu__output_error(file->path, err, what);
}

/* ---- Descriptors ---- */

static void close_file(struct quipu__file *file) {
    if (file->fd < 0)
        return;
    if (!quipu__os_close(file->fd))
        file->close_failure = errno;
    file->fd = -1;
    file->set->open--;
}

/* Makes room for another file; false when none can be closed. The leader stays open: it holds the lock. */
static bool close_another(struct quipu__outputs *outputs) {
    for (size_t i = 0; i < outputs->files.count; i++) {
        const size_t next = outputs->to_close++ % outputs->files.count;
        struct quipu__file *file = outputs->files.items[next];
        if (next == 0 || !file->temporary.path || file->fd < 0)
            continue;
        close_file(file);
        return true;
    }
    return false;
}

static int open_file(const struct quipu__file *file) {
    if (strcmp(file->path, "-") == 0)
        return STDOUT_FILENO;
    if (!file->temporary.path)
        return quipu__os_open(file->path, O_WRONLY);
    return quipu__os_open(file->temporary.path, O_WRONLY | O_APPEND | (file->created ? 0 : O_CREAT | O_EXCL));
}

/* If the process has too many files open, others of the set are closed. */
static enum quipu_status open_with_room(struct quipu__file *file, struct quipu_error *err) {
    struct quipu__outputs *outputs = file->set;
    if (outputs->open >= outputs->file_limit)
        close_another(outputs);
    do
        file->fd = open_file(file);
    while (file->fd < 0 && errno == EMFILE && close_another(outputs));
    if (file->fd < 0)
        return output_error(file, err, "cannot be written");
    file->created = true;
    outputs->open++;
    return QUIPU_OK;
}

/* Makes the first temporary file of a set. As long as it is locked, other writers of the name leave the set alone. A writer that
 * cleans up after killed ones may have removed the file before it was locked: then another is made. */
static enum quipu_status create_leader(struct quipu__file *leader, struct quipu_error *err) {
    for (;;) {
        const enum quipu_status status = open_with_room(leader, err);
        if (status != QUIPU_OK || !leader->temporary.path)
            return status;
        if (quipu__os_lock(leader->fd) != QUIPU__LOCK_BUSY && quipu__os_has_name(leader->fd))
            return QUIPU_OK;
        close_file(leader);
        leader->created = false;
    }
}

static enum quipu_status use_file(struct quipu__file *file, struct quipu_error *err) {
    struct quipu__file *leader = file->set->files.items[0];
    if (file->fd >= 0)
        return QUIPU_OK;
    const enum quipu_status status = leader->created ? QUIPU_OK : create_leader(leader, err);
    return status != QUIPU_OK || file == leader ? status : open_with_room(file, err);
}

static enum quipu_status write_all(struct quipu__file *file, const uint8_t *data, size_t size,
                                   struct quipu_error *err) {
    const enum quipu_status status = use_file(file, err);
    if (status != QUIPU_OK)
        return status;
    return quipu__os_write(file->fd, data, size) ? QUIPU_OK : output_error(file, err, "cannot be written");
}

/* Writes compressed data that end with a full flush, so that a reader can start after it. The stream gets no last block: readers of
 * trace files stop at its end, and one of them cannot read files that have a last block. */
static enum quipu_status write_deflated(struct quipu__file *file, struct quipu_error *err) {
    uint8_t deflated[DEFLATED_BYTES];
    file->zlib.next_in = file->buffer;
    file->zlib.avail_in = (uInt)file->len;
    do {
        file->zlib.next_out = deflated;
        file->zlib.avail_out = sizeof deflated;
        deflate(&file->zlib, Z_FULL_FLUSH);
        const enum quipu_status status = write_all(file, deflated, sizeof deflated - file->zlib.avail_out, err);
        if (status != QUIPU_OK)
            return status;
    } while (file->zlib.avail_out == 0);
    return QUIPU_OK;
}

static enum quipu_status flush_file(struct quipu__file *file, struct quipu_error *err) {
    if (file->len == 0)
        return QUIPU_OK;
    const enum quipu_status status =
        file->compression ? write_deflated(file, err) : write_all(file, file->buffer, file->len, err);
    file->len = 0;
    return status;
}

/* ---- Adding files ---- */

static const struct quipu__map *taken_by_others(const struct quipu__outputs *outputs) {
    return outputs->guard ? &outputs->guard->taken : &outputs->taken;
}

static bool is_protected_file(const struct quipu__outputs *outputs, const char *path) {
    struct quipu__identity found;
    if (quipu__path_identity(path, &found) && found.inode == outputs->spare.inode &&
        found.device == outputs->spare.device)
        return false;
    return quipu__taken_has_file(&outputs->taken, path) ||
           quipu__taken_has_file(taken_by_others(outputs), path);
}

static bool is_protected(const struct quipu__outputs *outputs, const char *path) {
    return quipu__taken_has_name(&outputs->taken, path) ||
           quipu__taken_has_name(taken_by_others(outputs), path) || is_protected_file(outputs, path);
}

static enum quipu_status refuse_protected(const char *path, struct quipu_error *err) {
    quipu__fail(err, QUIPU_MISUSE, "is a file of the input, or another output; it would be overwritten");
    quipu__at(err, path, QUIPU_UNKNOWN);
    quipu__advise(err, "choose another name or folder for the output");
    return QUIPU_MISUSE;
}

enum quipu_status quipu__outputs_protect(struct quipu__outputs *outputs, const char *path,
                                         struct quipu_error *err) {
    return quipu__taken_add_file(&outputs->taken, path) ? QUIPU_OK : quipu__no_memory(err, strlen(path));
}

void quipu__outputs_spare(struct quipu__outputs *outputs, const char *path) {
    quipu__path_identity(path, &outputs->spare);
}

static enum quipu_status check_target(const struct quipu__outputs *outputs, const char *path, bool *is_plain,
                                      struct quipu_error *err) {
    const enum quipu__path_kind kind = quipu__path_kind(path, NULL);
    if (kind == QUIPU__PATH_UNREADABLE)
        return quipu__output_error(path, err, "cannot be written");
    if (is_protected(outputs, path))
        return refuse_protected(path, err);
    *is_plain = kind == QUIPU__PATH_MISSING || kind == QUIPU__PATH_FILE;
    if (kind == QUIPU__PATH_DIRECTORY) {
        quipu__fail(err, QUIPU_OUTPUT, "is a directory");
        quipu__at(err, path, QUIPU_UNKNOWN);
        return QUIPU_OUTPUT;
    }
    if (kind == QUIPU__PATH_FILE && !outputs->replace) {
        quipu__fail(err, QUIPU_EXISTS, "already exists (use --force to replace it)");
        quipu__at(err, path, QUIPU_UNKNOWN);
        return QUIPU_EXISTS;
    }
    return QUIPU_OK;
}

enum quipu_status quipu__outputs_check(const struct quipu__outputs *outputs, const char *path,
                                       struct quipu_error *err) {
    bool is_plain;
    return check_target(outputs, path, &is_plain, err);
}

static bool set_temporary(struct quipu__file *file) {
    struct quipu__outputs *outputs = file->set;
    file->temporary.path =
        quipu__hidden_name(&outputs->arena, file->path, outputs->id, QUIPU__TEMPORARY_SUFFIX);
    quipu__temporaries_add(&outputs->temporaries, &file->temporary);
    return file->temporary.path != NULL;
}

/* The guard knows the temporary name before the file can exist. */
static bool set_names(struct quipu__file *file, const char *path, bool is_plain) {
    struct quipu__outputs *outputs = file->set;
    file->path = quipu__arena_text(&outputs->arena, path, strlen(path));
    if (!file->path || !is_plain)
        return file->path != NULL;
    if (!quipu__taken_set_name(&outputs->taken, path, true) ||
        (outputs->guard && !quipu__taken_set_name(&outputs->guard->taken, path, true)))
        return false;
    return set_temporary(file);
}

/* The leader is removed last. If another file cannot be removed, the leader stays too: the next writer of the name finds the others
 * by it. */
static void remove_temporary(struct quipu__file *file) {
    struct quipu__outputs *outputs = file->set;
    if (file->created && file->temporary.path && !outputs->keeps_temporaries)
        outputs->keeps_temporaries = !quipu__os_remove(file->temporary.path);
}

static void free_file(struct quipu__file *file) {
    struct quipu__memory *memory = file->set->memory;
    remove_temporary(file);
    close_file(file);
    if (file->compression)
        deflateEnd(&file->zlib);
    quipu__release(memory, file->buffer, file->buffer ? file->capacity : 0);
    quipu__release(memory, file, sizeof *file);
}

static enum quipu_status new_file(struct quipu__outputs *outputs, struct quipu__file **out,
                                  struct quipu_error *err) {
    struct quipu__file *file = quipu__alloc_zero(outputs->memory, sizeof *file);
    struct quipu__file **slot = file ? QUIPU__VEC_ADD(outputs->memory, &outputs->files) : NULL;
    *out = slot ? file : NULL;
    if (!slot) {
        quipu__release(outputs->memory, file, sizeof *file);
        return quipu__no_memory(err, sizeof *file);
    }
    file->set = outputs;
    file->fd = -1;
    *slot = file;
    return QUIPU_OK;
}

/* The first file of a folder exists only for its lock. */
static enum quipu_status add_leader(struct quipu__outputs *outputs, const char *path, struct quipu_error *err) {
    struct quipu__file *leader;
    const enum quipu_status status = new_file(outputs, &leader, err);
    if (status != QUIPU_OK)
        return status;
    leader->path = path;
    return set_temporary(leader) ? QUIPU_OK : quipu__no_memory(err, strlen(path));
}

enum quipu_status quipu__outputs_begin_folder(struct quipu__outputs *outputs, const char *path,
                                              struct quipu_error *err) {
    size_t len = strlen(path);
    while (len > 1 && path[len - 1] == '/')
        len--;
    const size_t size = len + sizeof "/" QUIPU__FOLDER_NAME;
    char *name = quipu__arena_alloc(&outputs->arena, size);
    outputs->root = quipu__arena_text(&outputs->arena, path, len);
    if (!name || !outputs->root)
        return quipu__no_memory(err, size);
    snprintf(name, size, "%s/" QUIPU__FOLDER_NAME, outputs->root);
    const enum quipu_status status = quipu__path_kind(outputs->root, NULL) == QUIPU__PATH_DIRECTORY
                                         ? quipu__leftovers_complete(outputs, name, err)
                                         : QUIPU_OK;
    return status == QUIPU_OK ? add_leader(outputs, name, err) : status;
}

enum quipu_status quipu__outputs_add(struct quipu__outputs *outputs, const char *path, int compression,
                                     struct quipu__file **out, struct quipu_error *err) {
    bool is_plain;
    struct quipu__file *file;
    *out = NULL;
    enum quipu_status status =
        outputs->files.count == 0 ? quipu__leftovers_complete(outputs, path, err) : QUIPU_OK;
    if (status == QUIPU_OK)
        status = check_target(outputs, path, &is_plain, err);
    if (status == QUIPU_OK)
        status = new_file(outputs, &file, err);
    if (status != QUIPU_OK)
        return status;
    if (!set_names(file, path, is_plain))
        return quipu__no_memory(err, strlen(path));
    quipu__zlib_memory(&file->zlib, outputs->memory);
    if (compression && deflateInit(&file->zlib, compression) != Z_OK)
        return quipu__no_memory(err, sizeof file->zlib);
    file->compression = compression;
    *out = file;
    return QUIPU_OK;
}

static struct quipu__temporary *add_folder(struct quipu__outputs *outputs, const char *path, size_t len) {
    struct quipu__temporary *folder = quipu__arena_alloc(&outputs->arena, sizeof *folder);
    const char *copy = folder ? quipu__arena_text(&outputs->arena, path, len) : NULL;
    struct quipu__temporary **slot = copy ? QUIPU__VEC_ADD(outputs->memory, &outputs->folders) : NULL;
    if (!slot)
        return NULL;
    *folder = (struct quipu__temporary){.path = copy, .is_folder = true};
    return *slot = folder;
}

static bool ends_folder(const char *path, size_t len) {
    return (path[len] == '/' || path[len] == '\0') && path[len - 1] != '/';
}

enum quipu_status quipu__outputs_make_folder(struct quipu__outputs *outputs, const char *path,
                                             struct quipu_error *err) {
    for (size_t len = 1; path[len - 1]; len++) {
        if (!ends_folder(path, len))
            continue;
        struct quipu__temporary *folder = add_folder(outputs, path, len);
        if (!folder)
            return quipu__no_memory(err, len);
        if (quipu__path_kind(folder->path, NULL) == QUIPU__PATH_DIRECTORY)
            outputs->folders.count--;
        else if (mkdir(folder->path, 0777) == 0)
            quipu__temporaries_add(&outputs->temporaries, folder);
        else {
            outputs->folders.count--;
            return quipu__output_error(folder->path, err, "the folder cannot be made");
        }
    }
    return QUIPU_OK;
}

/* In a set that is a folder, folders are removed with the last file in them. */
enum quipu_status quipu__outputs_remove(struct quipu__outputs *outputs, const char *path,
                                        struct quipu_error *err) {
    if (is_protected(outputs, path))
        return QUIPU_OK;
    const char **slot = QUIPU__VEC_ADD(outputs->memory, &outputs->gone);
    bool done = slot && (*slot = quipu__arena_text(&outputs->arena, path, strlen(path)));
    for (size_t len = outputs->root ? strlen(outputs->root) + 1 : strlen(path); path[len] && done; len++)
        done = !ends_folder(path, len) || add_folder(outputs, path, len);
    return done ? QUIPU_OK : quipu__no_memory(err, strlen(path));
}

/* A quarter of the memory is for buffers. Each new one takes a share of what is left, so that few files get large buffers and
 * thousands of files still get one each. With tens of thousands, those that have had one for long give it up: it is written. */
static size_t buffer_budget(const struct quipu__outputs *outputs) {
    return outputs->memory->limit / 4;
}

static size_t buffer_size(const struct quipu__outputs *outputs) {
    const size_t budget = buffer_budget(outputs);
    const size_t share = outputs->buffered < budget ? (budget - outputs->buffered) / 64 : 0;
    if (share < BUFFER_LEAST)
        return BUFFER_LEAST;
    return share < BUFFER_MOST ? share : BUFFER_MOST;
}

static enum quipu_status release_buffers(struct quipu__outputs *outputs, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < outputs->files.count && status == QUIPU_OK &&
                       outputs->buffered + BUFFER_LEAST > buffer_budget(outputs);
         i++) {
        struct quipu__file *file = outputs->files.items[outputs->to_release++ % outputs->files.count];
        if (!file->buffer)
            continue;
        status = flush_file(file, err);
        quipu__release(outputs->memory, file->buffer, file->capacity);
        outputs->buffered -= file->capacity;
        file->buffer = NULL;
    }
    return status;
}

enum quipu_status quipu__file_write(struct quipu__file *file, const void *data, size_t size,
                                    struct quipu_error *err) {
    const uint8_t *from = data;
    if (!file->buffer) {
        const enum quipu_status status = release_buffers(file->set, err);
        if (status != QUIPU_OK)
            return status;
        file->capacity = buffer_size(file->set);
        file->buffer = quipu__alloc(file->set->memory, file->capacity);
        if (!file->buffer)
            return quipu__no_memory(err, file->capacity);
        file->set->buffered += file->capacity;
    }
    file->size += size;
    while (size > 0) {
        const size_t room = file->capacity - file->len;
        const size_t taken = size < room ? size : room;
        memcpy(file->buffer + file->len, from, taken);
        file->len += taken;
        from += taken;
        size -= taken;
        if (file->len == file->capacity) {
            const enum quipu_status status = flush_file(file, err);
            if (status != QUIPU_OK)
                return status;
        }
    }
    return QUIPU_OK;
}

/* Files are open for appending, so writing elsewhere needs another descriptor. */
static bool write_at(const char *path, uint64_t offset, const uint8_t *data, size_t size) {
    const int fd = quipu__os_open(path, O_WRONLY);
    const bool is_done =
        fd >= 0 && lseek(fd, (off_t)offset, SEEK_SET) == (off_t)offset && quipu__os_write(fd, data, size);
    const int number = errno;
    const bool is_closed = fd >= 0 && quipu__os_close(fd);
    errno = is_done ? errno : number;
    return is_done && is_closed;
}

enum quipu_status quipu__file_overwrite(struct quipu__file *file, uint64_t offset, const void *data,
                                        size_t size, struct quipu_error *err) {
    const uint64_t written = file->size - file->len;
    if (offset >= written && file->temporary.path && !file->compression) {
        memcpy(file->buffer + (offset - written), data, size);
        return QUIPU_OK;
    }
    const enum quipu_status status = flush_file(file, err);
    if (status != QUIPU_OK)
        return status;
    errno = ESPIPE;
    return file->temporary.path && write_at(file->temporary.path, offset, data, size)
               ? QUIPU_OK
               : output_error(file, err, "cannot be written");
}

enum quipu_status quipu__file_create(struct quipu__file *file, const char **temporary,
                                     struct quipu_error *err) {
    *temporary = file->temporary.path;
    return use_file(file, err);
}

uint64_t quipu__file_size(const struct quipu__file *file) {
    return file->size;
}

/* ---- The end ---- */

/* The leader is freed last: its lock says that the others are not leftovers. */
static void free_set(struct quipu__outputs *outputs) {
    struct quipu__memory *memory = outputs->memory;
    quipu__guard_end(outputs->guard, &outputs->temporaries);
    for (size_t i = outputs->files.count; i-- > 0;)
        free_file(outputs->files.items[i]);
    QUIPU__VEC_RELEASE(memory, &outputs->files);
    QUIPU__VEC_RELEASE(memory, &outputs->gone);
    for (size_t i = outputs->folders.count; i-- > 0;)
        rmdir(outputs->folders.items[i]->path); /* fails where something is in it */
    QUIPU__VEC_RELEASE(memory, &outputs->folders);
    quipu__map_release(&outputs->taken);
    quipu__arena_release(&outputs->arena);
    quipu__release(memory, outputs, sizeof *outputs);
}

/* Others may have the names now. */
void quipu__outputs_discard(struct quipu__outputs *outputs) {
    if (!outputs)
        return;
    for (size_t i = 0; outputs->guard && i < outputs->files.count; i++)
        if (outputs->files.items[i]->temporary.path)
            quipu__gate_knows(
                quipu__taken_set_name(&outputs->guard->taken, outputs->files.items[i]->path, false));
    free_set(outputs);
}

/* Empty files are created here. Errors of an earlier close are reported now. */
static enum quipu_status complete_file(struct quipu__file *file, bool sync_it, struct quipu_error *err) {
    enum quipu_status status = flush_file(file, err);
    if (status == QUIPU_OK)
        status = use_file(file, err);
    if (status != QUIPU_OK || !file->temporary.path)
        return status;
    if (sync_it && !quipu__os_sync(file->fd))
        return output_error(file, err, "cannot be written");
    if (file != file->set->files.items[0])
        close_file(file);
    errno = file->close_failure;
    return errno ? output_error(file, err, "cannot be written") : QUIPU_OK;
}

static enum quipu_status complete_files(struct quipu__outputs *outputs, struct quipu_error *err) {
    const bool sync_each = outputs->files.count <= SYNC_EACH && !outputs->root;
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; status == QUIPU_OK && i < outputs->files.count; i++)
        status = complete_file(outputs->files.items[i], sync_each, err);
    if (status != QUIPU_OK || sync_each)
        return status;
    const struct quipu__file *leader = outputs->files.items[0];
    return quipu__os_sync_all(leader->fd) ? QUIPU_OK : output_error(leader, err, "cannot be written");
}

/* Inputs may have been opened, or have appeared there, since the files were added. */
static enum quipu_status check_again(const struct quipu__outputs *outputs, struct quipu_error *err) {
    for (size_t i = 0; i < outputs->files.count; i++) {
        const struct quipu__file *file = outputs->files.items[i];
        if (file->temporary.path && is_protected_file(outputs, file->path))
            return refuse_protected(file->path, err);
    }
    return QUIPU_OK;
}

enum quipu_status quipu__outputs_complete(struct quipu__outputs *outputs, struct quipu_error *err) {
    enum quipu_status status = check_again(outputs, err);
    if (status == QUIPU_OK && !outputs->is_complete)
        status = complete_files(outputs, err);
    outputs->is_complete = status == QUIPU_OK;
    return status;
}

enum quipu_status quipu__outputs_commit(struct quipu__outputs *outputs, struct quipu_error *err) {
    enum quipu_status status = quipu__outputs_complete(outputs, err);
    if (status == QUIPU_OK)
        status = quipu__commit(outputs, err);
    free_set(outputs);
    return status;
}

/* ---- The public output: a set with one file ---- */

struct quipu_output {
    struct quipu__memory memory;
    struct quipu__outputs *outputs;
    struct quipu__file *file;
};

enum quipu_status quipu_output_open(const char *path, bool replace, struct quipu_guard *guard,
                                    struct quipu_output **out, struct quipu_error *err) {
    struct quipu__memory memory;
    quipu__memory_init(&memory, NULL, 0);
    struct quipu_output *output = quipu__alloc_zero(&memory, sizeof *output);
    *out = NULL;
    if (!output)
        return quipu__no_memory(err, sizeof *output);
    output->memory = memory;
    enum quipu_status status = quipu__outputs_new(&output->memory, replace, 0, guard, &output->outputs, err);
    if (status == QUIPU_OK)
        status = quipu__outputs_add(output->outputs, path, 0, &output->file, err);
    if (status != QUIPU_OK) {
        quipu_output_discard(output);
        return status;
    }
    *out = output;
    return QUIPU_OK;
}

static enum quipu_status write_to_output(void *context, const void *data, size_t size,
                                         struct quipu_error *err) {
    struct quipu_output *output = context;
    return quipu__file_write(output->file, data, size, err);
}

struct quipu_sink quipu_output_sink(struct quipu_output *output) {
    const struct quipu_sink sink = {write_to_output, output};
    return sink;
}

static void free_output(struct quipu_output *output) {
    struct quipu__memory memory = output->memory;
    quipu__release(&memory, output, sizeof *output);
}

enum quipu_status quipu_output_close(struct quipu_output *output, struct quipu_error *err) {
    const enum quipu_status status = quipu__outputs_commit(output->outputs, err);
    free_output(output);
    return status;
}

void quipu_output_discard(struct quipu_output *output) {
    if (!output)
        return;
    quipu__outputs_discard(output->outputs);
    free_output(output);
}
