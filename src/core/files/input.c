/* input.c: opening, and windows over files.
 *
 * The window is one buffer. quipu__input_more moves the remaining bytes to its front and fills the rest from the
 * source: a plain file straight into the buffer, a compressed one through its decoder. For text formats this
 * means one copy by the kernel and none by us.
 */
#include "core/files/input_state.h"

#include "core/error.h"
#include "core/files/stored.h"
#include "core/text.h"
#include "core/text/findings.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* ==== Reading from the disk ==== */

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

/* Closes the descriptor, with the lock held. */
static void input_close_file(struct quipu__input *input) {
    if (input->state->fd < 0)
        return;
    quipu__os_close(input->state->fd);
    input->state->fd = -1;
    unlink_from_pool(input);
    input->state->files->open--;
}

/* What errno says about the file. */
static enum quipu_status input_io_error(const struct quipu__input *input, struct quipu_error *err,
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
        input_close_file(files->oldest);
        fd = open_inside(files->fence, path);
    }
    return fd;
}

/* Opens a file that is not open, at the position where it was left. */
static enum quipu_status reopen(struct quipu__input *input, struct quipu_error *err) {
    struct quipu__input_state *state = input->state;
    struct quipu__files *files = state->files;
    while (files->open >= files->limit && files->oldest)
        input_close_file(files->oldest);
    state->fd = open_file(files, state->path);
    if (state->fd < 0)
        return input_io_error(input, err, "open failed");
    link_as_newest(input);
    files->open++;
    if (state->file_offset && !quipu__os_seek(state->fd, state->file_offset))
        return input_io_error(input, err, "seek failed");
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

/* Opens the file once, to know that it is there. */
static enum quipu_status input_open_file(struct quipu__input *input, struct quipu_error *err) {
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

/* Compares its size with that at the first time, which is noted while one thread reads; threads only compare. */
static enum quipu_status input_compare_size(const struct quipu__input *input, struct quipu_error *err) {
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

/* Reads some more bytes from the pipe that this is the copy of. */
static enum quipu_status pull(struct quipu__input *input, struct quipu_error *err) {
    uint8_t bytes[16 << 10];
    struct quipu__spool *spool = input->state->files->spool;
    struct quipu__copy *copy = &spool->copies.items[quipu__spool_find(spool, input->state->path, false)];
    const int64_t count = quipu__os_read(STDIN_FILENO, bytes, sizeof bytes);
    if (count < 0)
        return input_io_error(input, err, "read failed");
    copy->is_complete = count == 0;
    const enum quipu_status status = quipu__spool_add(spool, bytes, (size_t)count, err);
    input->state->copy = *copy;
    return status;
}

static enum quipu_status input_read_copy(struct quipu__input *input, void *data, size_t size, size_t *got,
                                         struct quipu_error *err) {
    struct quipu__input_state *state = input->state;
    enum quipu_status status = QUIPU_OK;
    if (state->file_offset >= state->copy.size && !state->copy.is_complete)
        status = pull(input, err);
    if (status != QUIPU_OK)
        return status;
    const int64_t count = quipu__spool_read(state->files->spool, &state->copy, state->file_offset, data, size);
    if (count < 0)
        return input_io_error(input, err, "read failed");
    *got = (size_t)count;
    state->file_offset += (uint64_t)count;
    return QUIPU_OK;
}

/* Reads up to size bytes; *got is 0 at the end of the file. */
enum quipu_status quipu__input_read_disk(struct quipu__input *input, void *data, size_t size, size_t *got,
                                         struct quipu_error *err) {
    struct quipu__input_state *state = input->state;
    *got = 0;
    if (state->is_copy)
        return input_read_copy(input, data, size, got, err);
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
        return input_io_error(input, err, "read failed");
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
    return is_there ? QUIPU_OK : input_io_error(input, err, "seek failed");
}

/* Empties the window and goes to an offset of the file on disk. */
enum quipu_status quipu__input_restart(struct quipu__input *input, uint64_t offset, struct quipu_error *err) {
    input->at = input->end = input->state->buffer;
    input->end_offset = offset;
    input->ended = input->damaged = false;
    input->zeros = 0;
    return quipu__input_seek_packed(input, offset, err);
}

/* ==== Copies ==== */

/* Inputs that read a copy in the pool's temporary file: of a pipe, or of a compressed file that is read out of
 * order. */

/* ---- Reading ---- */

/* ---- Making ---- */

/* The spool of the pool, made by the first caller. Memory has the lock of the pool, so it is made without holding
 * that. */
static struct quipu__spool *find_spool(struct quipu__files *files) {
    quipu__files_lock(files);
    struct quipu__spool *spool = files->spool;
    quipu__files_unlock(files);
    if (spool)
        return spool;
    struct quipu__spool *made = quipu__spool_new(files->memory, files->temporary_limit);
    quipu__files_lock(files);
    spool = files->spool = files->spool ? files->spool : made;
    quipu__files_unlock(files);
    if (made != spool)
        quipu__spool_free(made);
    return spool;
}

/* The same, with its lock taken; NULL when memory is out. */
static struct quipu__spool *take_spool(struct quipu__files *files) {
    struct quipu__spool *spool = find_spool(files);
    if (spool)
        quipu__lock_take(spool->lock);
    return spool;
}

/* From now on the copy is read. */
static void use_copy(struct quipu__input *input, uint32_t number) {
    struct quipu__input_state *state = input->state;
    quipu__files_lock(state->files);
    input_close_file(input);
    quipu__files_unlock(state->files);
    state->copy = state->files->spool->copies.items[number];
    state->is_copy = true;
    input->size = state->copy.is_complete ? state->copy.size : QUIPU_UNKNOWN;
}

/* A pipe, or what other inputs have read from it. An input that does more than peek gets all of it. */
static enum quipu_status input_copy_pipe(struct quipu__input *input, struct quipu_error *err) {
    struct quipu__input_state *state = input->state;
    struct quipu__spool *spool = take_spool(state->files);
    enum quipu_status status = QUIPU_OK;
    if (!spool)
        return quipu__no_memory(err, sizeof *spool);
    uint32_t copy = quipu__spool_find(spool, state->path, false);
    if (copy == QUIPU_NONE)
        copy = quipu__spool_begin(spool, state->path, false);
    if (copy == QUIPU_NONE)
        status = quipu__no_memory(err, sizeof state->copy);
    else
        use_copy(input, copy);
    while (status == QUIPU_OK && state->wanted != QUIPU__CODEC_PEEK && !state->copy.is_complete)
        status = pull(input, err);
    if (status == QUIPU_OK && state->copy.is_complete)
        input->size = state->copy.size;
    quipu__lock_give(spool->lock);
    return status;
}

/* Whether the file must be decompressed before it can be read as requested. zlib data may come in gzip's form,
 * unless the file's name says that gzip has packed a file of zlib data. */
static enum quipu_status input_needs_copy(struct quipu__input *input, bool *out, struct quipu_error *err) {
    struct quipu__input_state *state = input->state;
    uint8_t head[4];
    size_t got = 0;
    *out = false;
    if (state->wanted != QUIPU__CODEC_SEEK && state->wanted != QUIPU__CODEC_ZLIB)
        return QUIPU_OK;
    enum quipu_status status = quipu__input_read_disk(input, head, sizeof head, &got, err);
    if (status == QUIPU_OK)
        status = quipu__input_seek_packed(input, 0, err);
    const enum quipu__coding coding = quipu__coding_of(head, got);
    const bool is_packed_twice =
        state->wanted == QUIPU__CODEC_ZLIB && quipu__stored_len(state->path) < state->path_len;
    *out = coding == QUIPU__CODING_ZSTD ||
           (coding == QUIPU__CODING_DEFLATE && (state->wanted == QUIPU__CODEC_SEEK || is_packed_twice));
    return status;
}

/* Decompresses all of an input into a new copy. */
static enum quipu_status decode_into(struct quipu__spool *spool, struct quipu__input *from, uint32_t *out,
                                     struct quipu_error *err) {
    const uint32_t copy = *out = quipu__spool_begin(spool, from->state->path, true);
    enum quipu_status status = QUIPU_OK;
    if (copy == QUIPU_NONE)
        return quipu__no_memory(err, sizeof from->state->copy);
    while (status == QUIPU_OK && !from->ended) {
        status = quipu__input_more(from, 1, err);
        if (status == QUIPU_OK)
            status = quipu__spool_add(spool, from->at, (size_t)(from->end - from->at), err);
        from->at = from->end;
    }
    spool->copies.items[copy].is_complete = status == QUIPU_OK;
    spool->copies.items[copy].is_damaged = from->damaged;
    return status;
}

/* Uses the existing copy; without one, makes it from from. QUIPU_END: there is neither. */
static enum quipu_status find_decoded(struct quipu__input *input, struct quipu__input *from,
                                      struct quipu_error *err) {
    struct quipu__spool *spool = take_spool(input->state->files);
    if (!spool)
        return quipu__no_memory(err, sizeof *spool);
    uint32_t copy = quipu__spool_find(spool, input->state->path, true);
    const bool is_there = copy != QUIPU_NONE && spool->copies.items[copy].is_complete;
    enum quipu_status status = is_there || from ? QUIPU_OK : QUIPU_END;
    if (!is_there && from)
        status = decode_into(spool, from, &copy, err);
    if (status == QUIPU_OK)
        use_copy(input, copy);
    quipu__lock_give(spool->lock);
    return status;
}

static enum quipu_status input_copy_decoded(struct quipu__input *input, struct quipu_error *err) {
    const struct quipu__input_state *state = input->state;
    enum quipu_status status = find_decoded(input, NULL, err);
    if (status == QUIPU_END) {
        struct quipu__input *from;
        status = quipu__input_open(state->files, state->path, QUIPU__CODEC_DETECT, QUIPU__COMPRESSED_BYTES,
                                   &from, err);
        if (status == QUIPU_OK)
            status = find_decoded(input, from, err);
        quipu__input_close(from);
    }
    if (status == QUIPU_OK && state->copy.is_damaged && state->files->findings)
        quipu__find_broken_compression(state->files->findings, state->path, state->copy.size);
    return status;
}

/* ==== Inputs ==== */

#define WINDOW_LEAST ((size_t)4 << 10)
#define WINDOW_MOST ((size_t)64 << 20)

/* ---- Opening ---- */

/* Finds the file and its size. */
static enum quipu_status look_at(struct quipu__input *input, const char *path, char *found,
                                 struct quipu_error *err) {
    switch (quipu__stored_find(path, found, &input->size)) {
    case QUIPU__PATH_DIRECTORY:
        errno = EISDIR;
        return input_io_error(input, err, "read failed");
    case QUIPU__PATH_UNREADABLE:
        return input_io_error(input, err, "open failed");
    default:
        return QUIPU_OK;
    }
}

static bool set_path(struct quipu__input_state *state, const char *path) {
    struct quipu__memory *memory = state->files->memory;
    quipu__release(memory, state->path, state->path ? state->path_len + 1 : 0);
    state->path_len = strlen(path);
    state->path = quipu__alloc(memory, state->path_len + 1);
    if (state->path)
        memcpy(state->path, path, state->path_len + 1);
    return state->path != NULL;
}

/* Opens the file of that path, or the compressed one that stands for it. */
static enum quipu_status find_file(struct quipu__input *input, struct quipu_error *err) {
    char found[QUIPU__STORED_PATH_BYTES];
    enum quipu_status status = look_at(input, input->state->path, found, err);
    if (status == QUIPU_OK && strcmp(found, input->state->path) != 0 && !set_path(input->state, found))
        status = quipu__no_memory(err, strlen(found));
    if (status == QUIPU_OK)
        status = input_open_file(input, err);
    return status == QUIPU_OK ? input_compare_size(input, err) : status;
}

/* Opens the file, or makes the copy that is read instead. */
static enum quipu_status open_source(struct quipu__input *input, struct quipu_error *err) {
    bool needs_copy = false;
    const bool is_pipe = strcmp(input->state->path, "-") == 0;
    enum quipu_status status = is_pipe ? input_copy_pipe(input, err) : find_file(input, err);
    if (status == QUIPU_OK)
        status = input_needs_copy(input, &needs_copy, err);
    return status == QUIPU_OK && needs_copy ? input_copy_decoded(input, err) : status;
}

/* ---- The buffer, with the zeros behind it ---- */

static bool make_buffer(struct quipu__input *input, size_t size) {
    struct quipu__input_state *state = input->state;
    state->buffer_size = size;
    state->buffer = quipu__alloc(state->files->memory, size + QUIPU__INPUT_ZEROS);
    input->at = input->end = state->buffer;
    return state->buffer != NULL;
}

/* What is not compressed, or a copy, and smaller than the window needs no more than its bytes, and one to see the end: with many
 * thousand streams windows are most of the memory. */
static size_t size_of_buffer(const struct quipu__input *input, size_t window) {
    if (window > WINDOW_MOST)
        return WINDOW_MOST;
    if (window < WINDOW_LEAST)
        window = WINDOW_LEAST;
    return input->state->wanted == QUIPU__CODEC_SEEK && input->size < window ? (size_t)input->size + 1 : window;
}

/* An input and its state in one block of memory, without a source; NULL when memory is out. */
static struct quipu__input *new_input(struct quipu__files *files) {
    struct both {
        struct quipu__input input;
        struct quipu__input_state state;
    } *both = quipu__alloc_zero(files->memory, sizeof *both);
    if (!both)
        return NULL;
    both->input.state = &both->state;
    both->state.files = files;
    both->state.fd = -1;
    return &both->input;
}

enum quipu_status quipu__input_open(struct quipu__files *files, const char *path, enum quipu__codec codec,
                                    size_t window, struct quipu__input **out, struct quipu_error *err) {
    struct quipu__input *input = new_input(files);
    *out = NULL;
    if (!input)
        return quipu__no_memory(err, sizeof *input);
    struct quipu__input_state *state = input->state;
    input->size = QUIPU_UNKNOWN;
    state->wanted = codec;
    enum quipu_status status =
        set_path(state, path) ? open_source(input, err) : quipu__no_memory(err, strlen(path));
    if (status == QUIPU_OK && !make_buffer(input, size_of_buffer(input, window)))
        status = quipu__no_memory(err, window);
    if (status != QUIPU_OK) {
        quipu__input_close(input);
        return status;
    }
    *out = input;
    return QUIPU_OK;
}

enum quipu_status quipu__input_memory(struct quipu__files *files, const void *data, size_t size,
                                      struct quipu__input **out, struct quipu_error *err) {
    struct quipu__input *input = new_input(files);
    *out = NULL;
    if (!input)
        return quipu__no_memory(err, sizeof *input);
    input->state->is_memory = true;
    input->state->file_offset = size;
    input->at = data;
    input->end = size ? input->at + size : input->at;
    input->end_offset = input->size = size;
    input->ended = true;
    *out = input;
    return QUIPU_OK;
}

enum quipu_status quipu__input_splice(struct quipu__input *input, uint64_t offset, const void *data,
                                      size_t size, struct quipu_error *err) {
    struct quipu__input_state *state = input->state;
    assert(!state->started && !state->tail && !state->is_copy && offset <= input->size);
    state->tail = quipu__alloc(state->files->memory, size);
    if (!state->tail)
        return quipu__no_memory(err, size);
    memcpy(state->tail, data, size);
    state->tail_size = size;
    state->tail_offset = offset;
    input->size = offset + size;
    return QUIPU_OK;
}

void quipu__input_close(struct quipu__input *input) {
    if (!input)
        return;
    struct quipu__input_state *state = input->state;
    struct quipu__memory *memory = state->files->memory;
    quipu__files_lock(state->files);
    input_close_file(input);
    quipu__files_unlock(state->files);
    quipu__inflate_release(&state->inflate, memory);
    ZSTD_freeDStream(state->zstd);
    quipu__release(memory, state->packed, QUIPU__COMPRESSED_BYTES);
    quipu__release(memory, state->buffer, state->buffer ? state->buffer_size + QUIPU__INPUT_ZEROS : 0);
    quipu__release(memory, state->tail, state->tail_size);
    quipu__release(memory, state->path, state->path ? state->path_len + 1 : 0);
    quipu__release(memory, input, sizeof *input + sizeof *state);
}

/* ---- The window ---- */

/* Makes room for need bytes; a full window has none. */
static enum quipu_status grow_window(struct quipu__input *input, size_t need, struct quipu_error *err) {
    struct quipu__input_state *state = input->state;
    size_t wanted = state->buffer_size;
    if ((size_t)(input->end - input->at) < wanted)
        return QUIPU_OK;
    while (wanted < need)
        wanted *= 2;
    const size_t consumed = (size_t)(input->at - state->buffer), len = (size_t)(input->end - input->at);
    uint8_t *grown = quipu__resize(state->files->memory, state->buffer, state->buffer_size + QUIPU__INPUT_ZEROS,
                                   wanted + QUIPU__INPUT_ZEROS);
    if (!grown)
        return quipu__no_memory(err, wanted);
    state->buffer = grown;
    state->buffer_size = wanted;
    input->at = grown + consumed;
    input->end = input->at + len;
    return QUIPU_OK;
}

static void move_to_front(struct quipu__input *input) {
    struct quipu__input_state *state = input->state;
    const size_t len = (size_t)(input->end - input->at);
    if (input->at == state->buffer)
        return;
    memmove(state->buffer, input->at, len);
    input->at = state->buffer;
    input->end = state->buffer + len;
}

/* All bytes of the file are in the window, with room for one more: then its end may be seen, and the descriptor closed, before
 * files that are read by turns take it away. */
static bool is_at_end(const struct quipu__input *input) {
    const struct quipu__input_state *state = input->state;
    return input->end_offset == input->size && input->end < state->buffer + state->buffer_size;
}

static enum quipu_status fill(struct quipu__input *input, struct quipu_error *err) {
    struct quipu__input_state *state = input->state;
    size_t got = 0;
    uint8_t *free_from = state->buffer + (input->end - state->buffer);
    const size_t room = (size_t)(state->buffer + state->buffer_size - input->end);
    const enum quipu_status status = quipu__input_decode(input, free_from, room, &got, err);
    input->end += got;
    input->end_offset += got;
    if (QUIPU__UNLIKELY(input->damaged) && state->wanted == QUIPU__CODEC_DETECT && state->files->findings)
        quipu__find_broken_compression(state->files->findings, state->path, input->end_offset);
    input->ended = status == QUIPU_OK && got == 0;
    input->zeros = input->ended ? QUIPU__INPUT_ZEROS : 0;
    memset(state->buffer + (input->end - state->buffer), 0, input->zeros);
    if (input->ended) {
        quipu__files_lock(state->files);
        input_close_file(input);
        quipu__files_unlock(state->files);
    }
    return status;
}

enum quipu_status quipu__input_more(struct quipu__input *input, size_t need, struct quipu_error *err) {
    if ((size_t)(input->end - input->at) >= need || input->ended)
        return QUIPU_OK;
    enum quipu_status status = input->state->started ? QUIPU_OK : quipu__input_start(input, err);
    if (status == QUIPU_OK && need > WINDOW_MOST) {
        quipu__fail(err, QUIPU_LIMIT, "a record of more than %zu bytes", WINDOW_MOST);
        quipu__at(err, input->state->path, quipu__input_offset(input));
        return QUIPU_LIMIT;
    }
    if (status == QUIPU_OK)
        move_to_front(input);
    while (status == QUIPU_OK && !input->ended &&
           ((size_t)(input->end - input->at) < need || is_at_end(input))) {
        status = grow_window(input, need, err);
        if (status == QUIPU_OK)
            status = fill(input, err);
    }
    return status;
}

enum quipu_status quipu__input_widen(struct quipu__input *input, struct quipu_error *err) {
    const size_t left = (size_t)(input->end - input->at);
    const size_t wanted = left < WINDOW_LEAST ? WINDOW_LEAST : 2 * left;
    return quipu__input_more(input, left < WINDOW_MOST && wanted > WINDOW_MOST ? WINDOW_MOST : wanted, err);
}

uint64_t quipu__input_consumed(const struct quipu__input *input) {
    const struct quipu__input_state *state = input->state;
    if (state->is_memory || state->coding == QUIPU__CODING_PLAIN)
        return quipu__input_offset(input);
    return quipu__packed_offset(state);
}

bool quipu__input_can_seek(const struct quipu__input *input) {
    const struct quipu__input_state *state = input->state;
    return state->is_memory ||
           (input->size != QUIPU_UNKNOWN && state->started && state->coding == QUIPU__CODING_PLAIN);
}

enum quipu_status quipu__input_seek(struct quipu__input *input, uint64_t offset, struct quipu_error *err) {
    struct quipu__input_state *state = input->state;
    const uint64_t window_start = input->end_offset - (uint64_t)(input->end - state->buffer);
    if (state->is_memory) {
        const uint8_t *data = input->end - input->size;
        input->at = offset < input->size ? data + offset : input->end;
        return QUIPU_OK;
    }
    if (!state->started) {
        const enum quipu_status status = quipu__input_start(input, err);
        if (status != QUIPU_OK)
            return status;
    }
    if (offset != 0 && !quipu__input_can_seek(input)) {
        quipu__fail(err, QUIPU_UNSUPPORTED, "this input cannot be read out of order");
        quipu__at(err, state->path, QUIPU_UNKNOWN);
        return QUIPU_UNSUPPORTED;
    }
    if (state->coding == QUIPU__CODING_PLAIN && offset >= window_start && offset < input->end_offset) {
        input->at = state->buffer + (offset - window_start);
        return QUIPU_OK;
    }
    if (state->coding != QUIPU__CODING_PLAIN)
        state->started = false;
    return quipu__input_restart(input, offset, err);
}
