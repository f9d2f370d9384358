/* input.c: windows over files, decompression, and the pool of open files.
 *
 * The window is one buffer. quipu__input_more moves what is left to its front and fills the rest from the source:
 * a plain file straight into the buffer, a compressed one through its decoder. For text formats this means one
 * copy by the kernel and none by us.
 */
#include "core/input.h"

#include "core/error.h"
#include "core/fence.h"
#include "core/findings.h"
#include "core/inflate.h"
#include "core/os.h"
#include "core/spool.h"
#include "core/stored.h"
#include "core/zstd_memory.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define WINDOW_LEAST ((size_t)4 << 10)
#define WINDOW_MOST ((size_t)64 << 20)
#define COMPRESSED_BYTES ((size_t)64 << 10) /* read from the disk at a time */

/* Smaller windows are inflated by zlib alone: the faster decoder has 90 KiB of its own and decodes 64 KiB ahead, too
 * much for a look at one place and for hundreds of streams at a time. */
#define FAST_WINDOW_LEAST ((size_t)16 << 10)

enum coding { CODING_PLAIN, CODING_DEFLATE, CODING_ZSTD };

struct quipu__input_state {
    struct quipu__files *files;
    struct quipu__input *newer, *older; /* in the pool, when the file is open */
    char *path;
    size_t path_len;
    int fd; /* -1 when not open */
    bool is_memory, is_copy, started;
    struct quipu__copy copy; /* is_copy: what is read instead of the file */
    enum quipu__codec wanted;
    enum coding coding;
    uint64_t file_offset; /* of the next byte to read from the disk */
    uint8_t *buffer;
    size_t buffer_size;
    uint8_t *tail; /* what follows the file's first tail_offset bytes; NULL: the file is all there is */
    size_t tail_size;
    uint64_t tail_offset;
    /* compressed files */
    uint8_t *packed; /* bytes from the disk that are not decoded yet: packed[packed_at, packed_end) */
    size_t packed_at, packed_end;
    bool packed_ended;
    struct quipu__inflate inflate;
    uint64_t stream_start; /* offset on the disk */
    bool stream_over;
    bool stream_bare;  /* resumed inside a stream, whose check sum is then skipped */
    size_t check_sum;  /* bytes behind a stream's last block */
    size_t left_of_it; /* of those of the stream that has ended, bytes to skip */
    ZSTD_DStream *zstd;
    bool zstd_is_unfinished; /* inside a frame */
};

void quipu__files_init(struct quipu__files *files, struct quipu__memory *memory, uint32_t limit) {
    *files = (struct quipu__files){.memory = memory, .limit = limit ? limit : quipu__os_files_share()};
}

void quipu__files_release(struct quipu__files *files) {
    quipu__spool_free(files->spool);
    files->spool = NULL;
}

/* ---- The pool of open files ----
 *
 * A file that is being read is taken out of the list, so that no other thread closes it meanwhile. Everything else
 * that looks at descriptors does so behind the lock. */

static void take_lock(const struct quipu__files *files) {
    if (files->lock)
        quipu__lock_take(files->lock);
}

static void give_lock(const struct quipu__files *files) {
    if (files->lock)
        quipu__lock_give(files->lock);
}

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

static void close_file(struct quipu__input *input) {
    if (input->state->fd < 0)
        return;
    quipu__os_close(input->state->fd);
    input->state->fd = -1;
    unlink_from_pool(input);
    input->state->files->open--;
}

static enum quipu_status io_error(const struct quipu__input *input, struct quipu_error *err, const char *what) {
    enum quipu_status status = quipu__os_is_missing(errno) ? QUIPU_NOT_FOUND : QUIPU_IO;
    if (errno == ENODEV) {
        quipu__fail(err, status, "%s: not a regular file", what);
        quipu__advise(err,
                      "a trace consists of regular files; read a pipe as standard input (-), or copy what it "
                      "delivers into a file first");
    } else if (errno == EXDEV) {
        quipu__fail(err, status, "%s: outside the folder of the trace, which leads to it", what);
        quipu__advise(err, "use --allow-outside if you trust the trace");
    } else
        status = quipu__fail_errno(err, status, errno, "%s", what);
    quipu__at(err, input->state->path, QUIPU_UNKNOWN);
    return status;
}

/* Opens a file; when the process has too many open already, instead of others of the pool. */
static int open_file(const struct quipu__files *files, const char *path) {
    int fd = quipu__fence_open(files->fence, path);
    while (fd < 0 && errno == EMFILE && files->oldest) {
        close_file(files->oldest);
        fd = quipu__fence_open(files->fence, path);
    }
    return fd;
}

/* Opens a file that was closed, or never open, where it was left. */
static enum quipu_status reopen(struct quipu__input *input, struct quipu_error *err) {
    struct quipu__input_state *state = input->state;
    struct quipu__files *files = state->files;
    while (files->open >= files->limit && files->oldest)
        close_file(files->oldest);
    state->fd = open_file(files, state->path);
    if (state->fd < 0)
        return io_error(input, err, "open failed");
    link_as_newest(input);
    files->open++;
    if (state->file_offset && !quipu__os_seek(state->fd, state->file_offset))
        return io_error(input, err, "seek failed");
    return QUIPU_OK;
}

/* Makes sure that the file is open and takes it out of the list. */
static enum quipu_status take_file(struct quipu__input *input, struct quipu_error *err) {
    const struct quipu__input_state *state = input->state;
    if (state->is_copy || state->is_memory)
        return QUIPU_OK;
    take_lock(state->files);
    const enum quipu_status status = state->fd >= 0 ? QUIPU_OK : reopen(input, err);
    if (status == QUIPU_OK)
        unlink_from_pool(input);
    give_lock(state->files);
    return status;
}

/* Puts a file back that was taken, as the one used last. */
static void give_file(struct quipu__input *input) {
    const struct quipu__input_state *state = input->state;
    if (state->is_copy || state->is_memory)
        return;
    take_lock(state->files);
    link_as_newest(input);
    give_lock(state->files);
}

/* ---- Reading from the disk ---- */

/* Reads on in the bytes that were spliced to the file. */
static size_t read_tail(struct quipu__input_state *state, void *data, size_t size) {
    const uint64_t offset = state->file_offset - state->tail_offset;
    if (offset >= state->tail_size)
        return 0;
    const size_t left = state->tail_size - (size_t)offset, count = left < size ? left : size;
    memcpy(data, state->tail + offset, count);
    state->file_offset += count;
    return count;
}

/* Takes some bytes more from the pipe, of which this is the copy. */
static enum quipu_status pull(struct quipu__input *input, struct quipu_error *err) {
    uint8_t bytes[16 << 10];
    struct quipu__spool *spool = input->state->files->spool;
    struct quipu__copy *copy = &spool->copies.items[quipu__spool_find(spool, input->state->path, false)];
    const int64_t count = quipu__os_read(STDIN_FILENO, bytes, sizeof bytes);
    if (count < 0)
        return io_error(input, err, "read failed");
    copy->is_complete = count == 0;
    const enum quipu_status status = quipu__spool_add(spool, bytes, (size_t)count, err);
    input->state->copy = *copy;
    return status;
}

static enum quipu_status read_copy(struct quipu__input *input, void *data, size_t size, size_t *got,
                                   struct quipu_error *err) {
    struct quipu__input_state *state = input->state;
    enum quipu_status status = QUIPU_OK;
    if (state->file_offset >= state->copy.size && !state->copy.is_complete)
        status = pull(input, err);
    if (status != QUIPU_OK)
        return status;
    const int64_t count = quipu__spool_read(state->files->spool, &state->copy, state->file_offset, data, size);
    if (count < 0)
        return io_error(input, err, "read failed");
    *got = (size_t)count;
    state->file_offset += (uint64_t)count;
    return QUIPU_OK;
}

/* Reads up to size bytes; *got is 0 at the end of the file. */
static enum quipu_status read_disk(struct quipu__input *input, void *data, size_t size, size_t *got,
                                   struct quipu_error *err) {
    struct quipu__input_state *state = input->state;
    *got = 0;
    if (state->is_copy)
        return read_copy(input, data, size, got, err);
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
        return io_error(input, err, "read failed");
    *got = (size_t)count;
    state->file_offset += (uint64_t)count;
    return QUIPU_OK;
}

/* Makes sure that packed holds something, unless the file has ended. */
static enum quipu_status fill_packed(struct quipu__input *input, struct quipu_error *err) {
    struct quipu__input_state *state = input->state;
    if (state->packed_at < state->packed_end || state->packed_ended)
        return QUIPU_OK;
    size_t got;
    const enum quipu_status status = read_disk(input, state->packed, COMPRESSED_BYTES, &got, err);
    state->packed_at = 0;
    state->packed_end = got;
    state->packed_ended = status == QUIPU_OK && got == 0;
    return status;
}

/* Goes on at an offset of the file on disk. */
static enum quipu_status seek_packed(struct quipu__input *input, uint64_t offset, struct quipu_error *err) {
    struct quipu__input_state *state = input->state;
    state->packed_at = state->packed_end = 0;
    state->packed_ended = false;
    state->file_offset = offset;
    take_lock(state->files);
    const bool is_there = state->fd < 0 || quipu__os_seek(state->fd, offset);
    give_lock(state->files);
    return is_there ? QUIPU_OK : io_error(input, err, "seek failed");
}

/* ---- Codings: each decodes into data and sets *got; *got 0 means the end ---- */

static enum quipu_status decode_plain(struct quipu__input *input, uint8_t *data, size_t size, size_t *got,
                                      struct quipu_error *err) {
    struct quipu__input_state *state = input->state;
    const size_t left = state->packed_end - state->packed_at; /* what detection has read ahead */
    if (left == 0)
        return read_disk(input, data, size, got, err);
    *got = left < size ? left : size;
    memcpy(data, state->packed + state->packed_at, *got);
    state->packed_at += *got;
    return QUIPU_OK;
}

/* Where the next byte comes from that is decoded. */
static uint64_t packed_offset(const struct quipu__input_state *state) {
    return state->file_offset - (state->packed_end - state->packed_at);
}

static void begin_stream(struct quipu__input_state *state, bool is_bare) {
    quipu__inflate_begin(&state->inflate, is_bare);
    state->stream_start = packed_offset(state);
    state->stream_over = false;
    state->stream_bare = is_bare;
}

/* Gets ready for the next stream of the file. A check sum that the decoder has not seen the beginning of is skipped. */
static void next_stream(struct quipu__input_state *state) {
    const size_t left = state->packed_end - state->packed_at;
    const size_t skipped = left < state->left_of_it ? left : state->left_of_it;
    state->packed_at += skipped;
    state->left_of_it -= skipped;
    if (state->left_of_it == 0 && skipped < left)
        begin_stream(state, false);
}

/* What follows from the result of decoding. A zlib stream that stops between two blocks, without its last one, is whole:
 * trace libraries never finish theirs. */
static enum quipu_status take_result(struct quipu__input *input, enum quipu__inflated result,
                                     struct quipu_error *err) {
    struct quipu__input_state *state = input->state;
    switch (result) {
    case QUIPU__INFLATED_SOME:
        break;
    case QUIPU__INFLATED_END:
        state->stream_over = true;
        state->left_of_it = state->stream_bare ? state->check_sum : 0;
        break;
    case QUIPU__INFLATED_AGAIN:
        return seek_packed(input, state->stream_start, err);
    case QUIPU__INFLATED_PAUSE:
        input->damaged = state->wanted != QUIPU__CODEC_ZLIB;
        return QUIPU_END;
    case QUIPU__INFLATED_DAMAGED:
        input->damaged = true;
    }
    return QUIPU_OK;
}

/* zlib and gzip, several members after one another, and streams that end without their last block: all that could
 * be decoded is delivered, and input->damaged says that something is wrong with what follows. */
static enum quipu_status decode_deflate(struct quipu__input *input, uint8_t *data, size_t size, size_t *got,
                                        struct quipu_error *err) {
    struct quipu__input_state *state = input->state;
    struct quipu__inflate *inflate = &state->inflate;
    *got = 0;
    while (*got == 0 && !input->damaged) {
        enum quipu_status status = fill_packed(input, err);
        if (status != QUIPU_OK)
            return status;
        if (state->packed_ended && (state->stream_over || state->file_offset == 0))
            return QUIPU_OK;
        if (state->stream_over) {
            next_stream(state);
            continue;
        }
        inflate->in = state->packed + state->packed_at;
        inflate->in_left = state->packed_end - state->packed_at;
        inflate->out = data;
        inflate->room = size;
        const enum quipu__inflated result = quipu__inflate_run(inflate, state->packed_ended);
        state->packed_at = state->packed_end - inflate->in_left;
        *got = size - inflate->room;
        status = take_result(input, result, err);
        if (status != QUIPU_OK)
            return status == QUIPU_END ? QUIPU_OK : status;
    }
    return QUIPU_OK;
}

static enum quipu_status decode_zstd(struct quipu__input *input, uint8_t *data, size_t size, size_t *got,
                                     struct quipu_error *err) {
    struct quipu__input_state *state = input->state;
    *got = 0;
    while (*got == 0 && !input->damaged) {
        const enum quipu_status status = fill_packed(input, err);
        if (status != QUIPU_OK)
            return status;
        ZSTD_inBuffer in = {state->packed, state->packed_end, state->packed_at};
        ZSTD_outBuffer out = {data, size, 0};
        const size_t expected = ZSTD_decompressStream(state->zstd, &out, &in);
        const bool moved = in.pos != state->packed_at || out.pos != 0;
        state->packed_at = in.pos;
        *got = out.pos;
        if (ZSTD_isError(expected))
            input->damaged = true;
        else if (moved)
            state->zstd_is_unfinished = expected != 0;
        else if (state->packed_ended) {
            input->damaged = state->zstd_is_unfinished; /* the file ends inside a frame */
            return QUIPU_OK;
        }
    }
    return QUIPU_OK;
}

/* ---- Starting ---- */

static enum quipu_status start_deflate(struct quipu__input *input, struct quipu_error *err) {
    struct quipu__input_state *state = input->state;
    const bool can_start_over = input->size != QUIPU_UNKNOWN;
    const bool is_fast = can_start_over && state->buffer_size >= FAST_WINDOW_LEAST;
    if (!state->inflate.state && !quipu__inflate_init(&state->inflate, state->files->memory, is_fast))
        return quipu__no_memory(err, COMPRESSED_BYTES);
    begin_stream(state, false);
    state->check_sum = state->packed_end > 0 && state->packed[0] == 0x1f ? 8 : 4;
    state->coding = CODING_DEFLATE;
    return QUIPU_OK;
}

static enum quipu_status start_zstd(struct quipu__input *input, struct quipu_error *err) {
    struct quipu__input_state *state = input->state;
    if (!state->zstd)
        state->zstd = quipu__zstd_decoder(state->files->memory);
    if (!state->zstd)
        return quipu__no_memory(err, COMPRESSED_BYTES);
    ZSTD_initDStream(state->zstd);
    ZSTD_DCtx_setParameter(state->zstd, ZSTD_d_windowLogMax, 26);
    state->coding = CODING_ZSTD;
    return QUIPU_OK;
}

/* The coding that the first bytes of a file show. zlib's own header is no magic number (text may look the same), so zlib
 * files are only read as such when the caller asks for it. */
static enum coding coding_of(const uint8_t *head, size_t size) {
    static const uint8_t gzip_magic[3] = {0x1f, 0x8b, 8}, zstd_magic[4] = {0x28, 0xb5, 0x2f, 0xfd};
    if (size >= sizeof gzip_magic && memcmp(head, gzip_magic, sizeof gzip_magic) == 0)
        return CODING_DEFLATE;
    if (size >= sizeof zstd_magic && memcmp(head, zstd_magic, sizeof zstd_magic) == 0)
        return CODING_ZSTD;
    return CODING_PLAIN;
}

/* Looks at the first bytes and chooses the coding. */
static enum quipu_status choose_coding(struct quipu__input *input, struct quipu_error *err) {
    struct quipu__input_state *state = input->state;
    state->coding = CODING_PLAIN;
    if (state->wanted == QUIPU__CODEC_NONE || state->wanted == QUIPU__CODEC_SEEK)
        return QUIPU_OK;
    if (!state->packed)
        state->packed = quipu__alloc(state->files->memory, COMPRESSED_BYTES);
    if (!state->packed)
        return quipu__no_memory(err, COMPRESSED_BYTES);
    const enum quipu_status status = fill_packed(input, err);
    if (status != QUIPU_OK)
        return status;
    const enum coding coding = coding_of(state->packed, state->packed_end);
    if (state->wanted == QUIPU__CODEC_ZLIB || coding == CODING_DEFLATE)
        return start_deflate(input, err);
    if (coding == CODING_ZSTD)
        return start_zstd(input, err);
    state->packed_ended = false;
    return QUIPU_OK;
}

/* An input that could not be started is not taken for a plain file by those who try again. */
static enum quipu_status start(struct quipu__input *input, struct quipu_error *err) {
    const enum quipu_status status = choose_coding(input, err);
    input->state->started = status == QUIPU_OK;
    return status;
}

/* ---- Copies ---- */

/* The spool of the pool, behind its lock; NULL when memory is out. */
static struct quipu__spool *take_spool(struct quipu__files *files) {
    take_lock(files);
    if (!files->spool)
        files->spool = quipu__spool_new(files->memory, files->temporary_limit);
    give_lock(files);
    if (files->spool)
        quipu__lock_take(files->spool->lock);
    return files->spool;
}

/* From now on the copy is read. */
static void use_copy(struct quipu__input *input, uint32_t number) {
    struct quipu__input_state *state = input->state;
    take_lock(state->files);
    close_file(input);
    give_lock(state->files);
    state->copy = state->files->spool->copies.items[number];
    state->is_copy = true;
    input->size = state->copy.is_complete ? state->copy.size : QUIPU_UNKNOWN;
}

/* A pipe, or what has been taken from it by others. Whoever does not only peek gets all of it. */
static enum quipu_status copy_pipe(struct quipu__input *input, struct quipu_error *err) {
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

/* Whether the file must be decompressed first to be read as is wanted. */
static enum quipu_status look_for_coding(struct quipu__input *input, bool *out, struct quipu_error *err) {
    struct quipu__input_state *state = input->state;
    uint8_t head[4];
    size_t got = 0;
    *out = false;
    if (state->wanted != QUIPU__CODEC_SEEK && state->wanted != QUIPU__CODEC_ZLIB)
        return QUIPU_OK;
    enum quipu_status status = read_disk(input, head, sizeof head, &got, err);
    if (status == QUIPU_OK)
        status = seek_packed(input, 0, err);
    const enum coding coding = coding_of(head, got);
    *out = coding == CODING_ZSTD || (coding == CODING_DEFLATE && state->wanted == QUIPU__CODEC_SEEK);
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

/* Uses the copy that is there; without one, makes it of from. QUIPU_END: there is neither. */
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

static enum quipu_status copy_decoded(struct quipu__input *input, struct quipu_error *err) {
    const struct quipu__input_state *state = input->state;
    enum quipu_status status = find_decoded(input, NULL, err);
    if (status == QUIPU_END) {
        struct quipu__input *from;
        status =
            quipu__input_open(state->files, state->path, QUIPU__CODEC_DETECT, COMPRESSED_BYTES, &from, err);
        if (status == QUIPU_OK)
            status = find_decoded(input, from, err);
        quipu__input_close(from);
    }
    if (status == QUIPU_OK && state->copy.is_damaged && state->files->findings)
        quipu__find_broken_compression(state->files->findings, state->path, state->copy.size);
    return status;
}

/* ---- Opening ---- */

/* Finds the file and its size. */
static enum quipu_status look_at(struct quipu__input *input, const char *path, char *found,
                                 struct quipu_error *err) {
    switch (quipu__stored_find(path, found, &input->size)) {
    case QUIPU__PATH_DIRECTORY:
        errno = EISDIR;
        return io_error(input, err, "read failed");
    case QUIPU__PATH_UNREADABLE:
        return io_error(input, err, "open failed");
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
        status = take_file(input, err);
    if (status == QUIPU_OK)
        give_file(input);
    return status;
}

/* Opens the file, or makes the copy that is read instead. */
static enum quipu_status open_source(struct quipu__input *input, struct quipu_error *err) {
    bool needs_copy = false;
    const bool is_pipe = strcmp(input->state->path, "-") == 0;
    enum quipu_status status = is_pipe ? copy_pipe(input, err) : find_file(input, err);
    if (status == QUIPU_OK)
        status = look_for_coding(input, &needs_copy, err);
    return status == QUIPU_OK && needs_copy ? copy_decoded(input, err) : status;
}

enum quipu_status quipu__input_open(struct quipu__files *files, const char *path, enum quipu__codec codec,
                                    size_t window, struct quipu__input **out, struct quipu_error *err) {
    struct both {
        struct quipu__input input;
        struct quipu__input_state state;
    } *both = quipu__alloc_zero(files->memory, sizeof *both);
    *out = NULL;
    if (!both)
        return quipu__no_memory(err, sizeof *both);
    struct quipu__input *input = &both->input;
    struct quipu__input_state *state = &both->state;
    input->state = state;
    input->size = QUIPU_UNKNOWN;
    state->files = files;
    state->fd = -1;
    state->wanted = codec;
    state->buffer_size = window < WINDOW_MOST ? window : WINDOW_MOST;
    if (window < WINDOW_LEAST)
        state->buffer_size = WINDOW_LEAST;
    state->buffer = quipu__alloc(files->memory, state->buffer_size);
    input->at = input->end = state->buffer;
    const enum quipu_status status = set_path(state, path) && state->buffer
                                         ? open_source(input, err)
                                         : (enum quipu_status)quipu__no_memory(err, window);
    if (status != QUIPU_OK) {
        quipu__input_close(input);
        return status;
    }
    *out = input;
    return QUIPU_OK;
}

enum quipu_status quipu__input_memory(struct quipu__files *files, const void *data, size_t size,
                                      struct quipu__input **out, struct quipu_error *err) {
    struct both {
        struct quipu__input input;
        struct quipu__input_state state;
    } *both = quipu__alloc_zero(files->memory, sizeof *both);
    *out = NULL;
    if (!both)
        return quipu__no_memory(err, sizeof *both);
    struct quipu__input *input = &both->input;
    input->state = &both->state;
    both->state.files = files;
    both->state.fd = -1;
    both->state.is_memory = true;
    both->state.file_offset = size;
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
    take_lock(state->files);
    close_file(input);
    give_lock(state->files);
    quipu__inflate_release(&state->inflate, memory);
    ZSTD_freeDStream(state->zstd);
    quipu__release(memory, state->packed, COMPRESSED_BYTES);
    quipu__release(memory, state->buffer, state->buffer_size);
    quipu__release(memory, state->tail, state->tail_size);
    quipu__release(memory, state->path, state->path ? state->path_len + 1 : 0);
    quipu__release(memory, input, sizeof *input + sizeof *state);
}

/* ---- The window ---- */

static enum quipu_status grow_window(struct quipu__input *input, size_t need, struct quipu_error *err) {
    struct quipu__input_state *state = input->state;
    size_t wanted = state->buffer_size;
    if (need > WINDOW_MOST) {
        quipu__fail(err, QUIPU_LIMIT, "a record of more than %zu bytes", WINDOW_MOST);
        quipu__at(err, state->path, quipu__input_offset(input));
        return QUIPU_LIMIT;
    }
    while (wanted < need)
        wanted *= 2;
    if (wanted == state->buffer_size)
        return QUIPU_OK;
    const size_t consumed = (size_t)(input->at - state->buffer), len = (size_t)(input->end - input->at);
    uint8_t *grown = quipu__resize(state->files->memory, state->buffer, state->buffer_size, wanted);
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

static enum quipu_status fill(struct quipu__input *input, struct quipu_error *err) {
    static enum quipu_status (*const decode[])(struct quipu__input *, uint8_t *, size_t, size_t *,
                                               struct quipu_error *) = {decode_plain, decode_deflate,
                                                                        decode_zstd};
    struct quipu__input_state *state = input->state;
    size_t got = 0;
    uint8_t *free_from = state->buffer + (input->end - state->buffer);
    const size_t room = (size_t)(state->buffer + state->buffer_size - input->end);
    const enum quipu_status status = decode[state->coding](input, free_from, room, &got, err);
    input->end += got;
    input->end_offset += got;
    if (QUIPU__UNLIKELY(input->damaged) && state->wanted == QUIPU__CODEC_DETECT && state->files->findings)
        quipu__find_broken_compression(state->files->findings, state->path, input->end_offset);
    input->ended = status == QUIPU_OK && got == 0;
    return status;
}

enum quipu_status quipu__input_more(struct quipu__input *input, size_t need, struct quipu_error *err) {
    if ((size_t)(input->end - input->at) >= need || input->ended)
        return QUIPU_OK;
    enum quipu_status status = input->state->started ? QUIPU_OK : start(input, err);
    if (status == QUIPU_OK)
        status = grow_window(input, need, err);
    if (status == QUIPU_OK)
        move_to_front(input);
    while (status == QUIPU_OK && !input->ended && (size_t)(input->end - input->at) < need)
        status = fill(input, err);
    return status;
}

enum quipu_status quipu__input_widen(struct quipu__input *input, struct quipu_error *err) {
    const size_t left = (size_t)(input->end - input->at);
    const size_t wanted = left < WINDOW_LEAST ? WINDOW_LEAST : 2 * left;
    return quipu__input_more(input, left < WINDOW_MOST && wanted > WINDOW_MOST ? WINDOW_MOST : wanted, err);
}

uint64_t quipu__input_consumed(const struct quipu__input *input) {
    const struct quipu__input_state *state = input->state;
    if (state->is_memory || state->coding == CODING_PLAIN)
        return quipu__input_offset(input);
    return packed_offset(state);
}

bool quipu__input_can_seek(const struct quipu__input *input) {
    const struct quipu__input_state *state = input->state;
    return state->is_memory ||
           (input->size != QUIPU_UNKNOWN && state->started && state->coding == CODING_PLAIN);
}

/* Empties the window and goes to an offset of the file on disk. */
static enum quipu_status seek_disk(struct quipu__input *input, uint64_t offset, struct quipu_error *err) {
    input->at = input->end = input->state->buffer;
    input->end_offset = offset;
    input->ended = input->damaged = false;
    return seek_packed(input, offset, err);
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
        const enum quipu_status status = start(input, err);
        if (status != QUIPU_OK)
            return status;
    }
    if (offset != 0 && !quipu__input_can_seek(input)) {
        quipu__fail(err, QUIPU_UNSUPPORTED, "this input cannot be read out of order");
        quipu__at(err, state->path, QUIPU_UNKNOWN);
        return QUIPU_UNSUPPORTED;
    }
    if (state->coding == CODING_PLAIN && offset >= window_start && offset < input->end_offset) {
        input->at = state->buffer + (offset - window_start);
        return QUIPU_OK;
    }
    if (state->coding != CODING_PLAIN)
        state->started = false;
    return seek_disk(input, offset, err);
}

/* ---- Resuming compressed files ---- */

/* What a full flush ends with: the head of an empty stored block. */
#define FLUSH_MARKER UINT32_C(0x0000ffff)

/* Distances in compressed data reach so far back: text of this length that could be decoded has needed nothing before. */
#define DISTANCE_MOST ((size_t)32 << 10)

/* Reads on to behind the next marker; QUIPU_END when there is none up to limit. */
static enum quipu_status find_marker(struct quipu__input *input, uint64_t limit, struct quipu_error *err) {
    struct quipu__input_state *state = input->state;
    uint32_t last = UINT32_MAX; /* the last four bytes */
    while (quipu__input_consumed(input) < limit) {
        const enum quipu_status status = fill_packed(input, err);
        if (status != QUIPU_OK || state->packed_ended)
            return status == QUIPU_OK ? QUIPU_END : status;
        while (state->packed_at < state->packed_end) {
            last = last << 8 | state->packed[state->packed_at++];
            if (last == FLUSH_MARKER)
                return quipu__input_consumed(input) <= limit ? QUIPU_OK : QUIPU_END;
        }
    }
    return QUIPU_END;
}

/* Decodes from a place behind a marker. QUIPU_END when it is none, or none of a full flush. */
static enum quipu_status try_marker(struct quipu__input *input, struct quipu_error *err) {
    struct quipu__input_state *state = input->state;
    begin_stream(state, true);
    input->at = input->end = state->buffer;
    input->end_offset = quipu__input_consumed(input);
    input->ended = false;
    const enum quipu_status status = quipu__input_more(input, DISTANCE_MOST, err);
    return status == QUIPU_OK && input->damaged ? QUIPU_END : status;
}

enum quipu_status quipu__input_resume(struct quipu__input *input, uint64_t offset, uint64_t limit,
                                      struct quipu_error *err) {
    struct quipu__input_state *state = input->state;
    enum quipu_status status = state->started || state->is_memory ? QUIPU_OK : start(input, err);
    if (status != QUIPU_OK)
        return status;
    if (state->coding != CODING_DEFLATE)
        return QUIPU_END;
    for (;;) {
        status = seek_disk(input, offset, err);
        if (status == QUIPU_OK)
            status = find_marker(input, limit, err);
        if (status != QUIPU_OK)
            return status;
        offset = quipu__input_consumed(input);
        status = try_marker(input, err);
        if (status != QUIPU_END)
            return status;
    }
}
