/* input_disk.c: the pool of open files, and reading from the disk. */
#include "core/files/input_state.h"

#include "core/error.h"
#include "core/text/findings.h"
#include "core/text.h"

#include <errno.h>
#include <string.h>

/* Files that are open at a time unless a limit is given: reopening one costs as much as about a thousand events. */
enum { OPEN_MOST = 4096 };

void quipu__files_init(struct quipu__files *files, struct quipu__memory *memory, uint32_t limit) {
    *files = (struct quipu__files){.memory = memory, .limit = limit ? limit : quipu__os_files_share(OPEN_MOST)};
    quipu__map_init(&files->size_of, memory);
}

void quipu__files_release(struct quipu__files *files) {
    quipu__spool_free(files->spool);
    files->spool = NULL;
    quipu__map_release(&files->size_of);
    QUIPU__VEC_RELEASE(files->memory, &files->sizes);
}

/* ---- The pool of open files ----
 *
 * A file that is being read is taken out of the list, so no other thread closes it meanwhile. All other code that uses descriptors
 * holds the lock. */

static void unlink_from_pool(struct quipu__input *input) {
    struct quipu__input_state *state = input->state;
    struct quipu__files *files = state->files;
    *(state->newer ? &state->newer->state->older : &files->newest) = state->older;
    *(state->older ? &state->older->state->newer : &files->oldest) = state->newer;
    state->newer = state->older = NULL;
}

static void link_as_newest(struct quipu__input *input) {
    struct quipu__files *files = input->state->files;
    input->state->older = files->newest;
    input->state->newer = NULL;
    *(files->newest ? &files->newest->state->newer : &files->oldest) = input;
    files->newest = input;
}

void quipu__input_close_file(struct quipu__input *input) {
    if (input->state->fd < 0)
        return;
    quipu__os_close(input->state->fd);
    input->state->fd = -1;
    unlink_from_pool(input);
    input->state->files->open--;
}

enum quipu_status quipu__input_io_error(const struct quipu__input *input, struct quipu_error *err,
                                        const char *what) {
    enum quipu_status status = quipu__os_is_missing(errno) ? QUIPU_NOT_FOUND : QUIPU_IO;
    if (errno == ENODEV) {
        quipu__fail(err, status, "%s: not a regular file", what);
        quipu__advise(err,
                      "a trace consists of regular files; read a pipe as standard input (-), or copy what it "
                      "delivers into a file first");
    } else if (errno == EXDEV) {
        quipu__fail(err, status, "%s: outside the folder of the trace, which leads to it", what);
        quipu__advise(err, QUIPU__OUTSIDE_ADVICE);
    } else
        status = quipu__fail_errno(err, status, errno, "%s", what);
    quipu__at(err, input->state->path, QUIPU_UNKNOWN);
    return status;
}

/* ---- Opening ---- */

/* Length of the folder's path in that of the trace, 0 for the current folder. */
static size_t folder_len(const struct quipu__fence *fence) {
    return fence->is_folder ? strlen(fence->trace) : (size_t)(quipu__base_name(fence->trace) - fence->trace);
}

static bool lies_in_folder(const struct quipu__fence *fence, const char *path) {
    const size_t len = folder_len(fence);
    if (strncmp(path, fence->trace, len) != 0)
        return false;
    const char *rest = path + len;
    rest += rest[0] == '/' && fence->is_folder;
    return quipu__base_name(rest) == rest;
}

static bool is_named(const struct quipu__fence *fence, const char *path) {
    return strcmp(path, fence->trace) == 0 || (fence->index && strcmp(path, fence->index) == 0) ||
           (fence->folder_index && strcmp(path, fence->folder_index) == 0) ||
           (fence->variant && strcmp(path, fence->variant) == 0);
}

/* The errno of a file outside is EXDEV. A file whose path begins with that of the folder is inside unless it is a link; only for
 * links and other paths the system is asked where they lead. */
static int open_inside(const struct quipu__fence *fence, const char *path) {
    if (!fence || is_named(fence, path))
        return quipu__os_open_read(path, true);
    const int fd = lies_in_folder(fence, path) ? quipu__os_open_read(path, false) : -1;
    if (fd >= 0 || (lies_in_folder(fence, path) && errno != ELOOP))
        return fd;
    return quipu__path_is_inside(path, fence->trace, folder_len(fence)) ? quipu__os_open_read(path, true) : -1;
}

/* Opens a file; if the process has too many open, others of the pool are closed. */
static int open_file(const struct quipu__files *files, const char *path) {
    int fd = open_inside(files->fence, path);
    while (fd < 0 && errno == EMFILE && files->oldest) {
        quipu__input_close_file(files->oldest);
        fd = open_inside(files->fence, path);
    }
    return fd;
}

/* Opens a file that is not open, at the position where it was left. */
static enum quipu_status reopen(struct quipu__input *input, struct quipu_error *err) {
    struct quipu__input_state *state = input->state;
    struct quipu__files *files = state->files;
    while (files->open >= files->limit && files->oldest)
        quipu__input_close_file(files->oldest);
    state->fd = open_file(files, state->path);
    if (state->fd < 0)
        return quipu__input_io_error(input, err, "open failed");
    link_as_newest(input);
    files->open++;
    if (state->file_offset && !quipu__os_seek(state->fd, state->file_offset))
        return quipu__input_io_error(input, err, "seek failed");
    return QUIPU_OK;
}

/* Makes sure that the file is open and takes it out of the list. */
static enum quipu_status take_file(struct quipu__input *input, struct quipu_error *err) {
    const struct quipu__input_state *state = input->state;
    if (state->is_copy || state->is_memory)
        return QUIPU_OK;
    quipu__files_lock(state->files);
    const enum quipu_status status = state->fd >= 0 ? QUIPU_OK : reopen(input, err);
    if (status == QUIPU_OK)
        unlink_from_pool(input);
    quipu__files_unlock(state->files);
    return status;
}

/* Puts back a file that was taken, as the most recently used. */
static void give_file(struct quipu__input *input) {
    const struct quipu__input_state *state = input->state;
    if (state->is_copy || state->is_memory)
        return;
    quipu__files_lock(state->files);
    link_as_newest(input);
    quipu__files_unlock(state->files);
}

enum quipu_status quipu__input_open_file(struct quipu__input *input, struct quipu_error *err) {
    const enum quipu_status status = take_file(input, err);
    if (status == QUIPU_OK)
        give_file(input);
    return status;
}

/* ---- Files that shrink ---- */

/* Reports that a file has only this many of the bytes that it had. */
static enum quipu_status find_shrunk(const struct quipu__input *input, uint64_t bytes, uint64_t before,
                                     struct quipu_error *err) {
    const struct quipu__input_state *state = input->state;
    if (state->files->findings) {
        quipu__find_shrunk(state->files->findings, state->path, bytes, before);
        return QUIPU_OK;
    }
    quipu__fail(err, QUIPU_IO, "the file has become shorter while it was read");
    quipu__at(err, state->path, bytes);
    return QUIPU_IO;
}

enum quipu_status quipu__input_compare_size(const struct quipu__input *input, struct quipu_error *err) {
    struct quipu__files *files = input->state->files;
    const uint64_t key = quipu__hash(input->state->path, input->state->path_len, files->size_of.seed);
    const uint32_t known = quipu__map_get(&files->size_of, key);
    if (known != QUIPU_NONE && input->size < files->sizes.items[known])
        return find_shrunk(input, input->size, files->sizes.items[known], err);
    if (known != QUIPU_NONE || files->lock)
        return QUIPU_OK;
    return QUIPU__VEC_PUT(files->memory, &files->sizes, input->size) &&
                   quipu__map_put(&files->size_of, key, (uint32_t)(files->sizes.count - 1))
               ? QUIPU_OK
               : quipu__no_memory(err, sizeof input->size);
}

/* Handles the end of the file at the next offset. */
static enum quipu_status check_end(const struct quipu__input *input, struct quipu_error *err) {
    const struct quipu__input_state *state = input->state;
    const uint64_t size = state->tail ? state->tail_offset : input->size;
    return size != QUIPU_UNKNOWN && state->file_offset < size
               ? find_shrunk(input, state->file_offset, size, err)
               : QUIPU_OK;
}

/* ---- Reading from the disk ---- */

/* Reads from the bytes that were spliced to the file. */
static size_t read_tail(struct quipu__input_state *state, void *data, size_t size) {
    const uint64_t offset = state->file_offset - state->tail_offset;
    if (offset >= state->tail_size)
        return 0;
    const size_t left = state->tail_size - (size_t)offset, count = left < size ? left : size;
    memcpy(data, state->tail + offset, count);
    state->file_offset += count;
    return count;
}

/* Reads up to size bytes; *got is 0 at the end of the file. */
enum quipu_status quipu__input_read_disk(struct quipu__input *input, void *data, size_t size, size_t *got,
                                         struct quipu_error *err) {
    struct quipu__input_state *state = input->state;
    *got = 0;
    if (state->is_copy)
        return quipu__input_read_copy(input, data, size, got, err);
    if (state->tail && state->file_offset >= state->tail_offset) {
        *got = read_tail(state, data, size);
        return QUIPU_OK;
    }
    if (state->tail && size > state->tail_offset - state->file_offset)
        size = (size_t)(state->tail_offset - state->file_offset);
    const enum quipu_status status = take_file(input, err);
    if (status != QUIPU_OK)
        return status;
    const int64_t count = quipu__os_read(state->fd, data, size);
    const int reason = errno;
    give_file(input);
    errno = reason;
    if (count < 0)
        return quipu__input_io_error(input, err, "read failed");
    *got = (size_t)count;
    state->file_offset += (uint64_t)count;
    return QUIPU__LIKELY(count > 0) || size == 0 ? QUIPU_OK : check_end(input, err);
}

/* Makes sure that packed holds something, unless the file has ended. */
enum quipu_status quipu__input_fill_packed(struct quipu__input *input, struct quipu_error *err) {
    struct quipu__input_state *state = input->state;
    if (state->packed_at < state->packed_end || state->packed_ended)
        return QUIPU_OK;
    size_t got;
    const enum quipu_status status =
        quipu__input_read_disk(input, state->packed, QUIPU__COMPRESSED_BYTES, &got, err);
    state->packed_at = 0;
    state->packed_end = got;
    state->packed_ended = status == QUIPU_OK && got == 0;
    return status;
}

/* Continues at an offset of the file on disk. */
enum quipu_status quipu__input_seek_packed(struct quipu__input *input, uint64_t offset,
                                           struct quipu_error *err) {
    struct quipu__input_state *state = input->state;
    state->packed_at = state->packed_end = 0;
    state->packed_ended = false;
    state->file_offset = offset;
    quipu__files_lock(state->files);
    const bool is_there = state->fd < 0 || quipu__os_seek(state->fd, offset);
    quipu__files_unlock(state->files);
    return is_there ? QUIPU_OK : quipu__input_io_error(input, err, "seek failed");
}

/* Empties the window and goes to an offset of the file on disk. */
enum quipu_status quipu__input_restart(struct quipu__input *input, uint64_t offset, struct quipu_error *err) {
    input->at = input->end = input->state->buffer;
    input->end_offset = offset;
    input->ended = input->damaged = false;
    return quipu__input_seek_packed(input, offset, err);
}
