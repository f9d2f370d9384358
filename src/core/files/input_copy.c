/* input_copy.c: inputs on a copy in the pool's temporary file: of a pipe, and of what is compressed but read out of order. */
#include "core/files/input_state.h"

#include "core/error.h"
#include "core/text/findings.h"
#include "core/files/stored.h"

#include <unistd.h>

/* ---- Reading ---- */

/* Takes some bytes more from the pipe, of which this is the copy. */
static enum quipu_status pull(struct quipu__input *input, struct quipu_error *err) {
    uint8_t bytes[16 << 10];
    struct quipu__spool *spool = input->state->files->spool;
    struct quipu__copy *copy = &spool->copies.items[quipu__spool_find(spool, input->state->path, false)];
    const int64_t count = quipu__os_read(STDIN_FILENO, bytes, sizeof bytes);
    if (count < 0)
        return quipu__input_io_error(input, err, "read failed");
    copy->is_complete = count == 0;
    const enum quipu_status status = quipu__spool_add(spool, bytes, (size_t)count, err);
    input->state->copy = *copy;
    return status;
}

enum quipu_status quipu__input_read_copy(struct quipu__input *input, void *data, size_t size, size_t *got,
                                         struct quipu_error *err) {
    struct quipu__input_state *state = input->state;
    enum quipu_status status = QUIPU_OK;
    if (state->file_offset >= state->copy.size && !state->copy.is_complete)
        status = pull(input, err);
    if (status != QUIPU_OK)
        return status;
    const int64_t count = quipu__spool_read(state->files->spool, &state->copy, state->file_offset, data, size);
    if (count < 0)
        return quipu__input_io_error(input, err, "read failed");
    *got = (size_t)count;
    state->file_offset += (uint64_t)count;
    return QUIPU_OK;
}

/* ---- Making ---- */

/* The spool of the pool, which whoever is first makes. Memory has the lock of the pool, so it is made without. */
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

/* The same, behind its lock; NULL when memory is out. */
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
    quipu__input_close_file(input);
    quipu__files_unlock(state->files);
    state->copy = state->files->spool->copies.items[number];
    state->is_copy = true;
    input->size = state->copy.is_complete ? state->copy.size : QUIPU_UNKNOWN;
}

/* A pipe, or what has been taken from it by others. Whoever does not only peek gets all of it. */
enum quipu_status quipu__input_copy_pipe(struct quipu__input *input, struct quipu_error *err) {
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

/* Whether the file must be decompressed first to be read as is wanted. zlib data may be those of gzip, unless the file's name says that gzip has packed a
 * file of zlib data. */
enum quipu_status quipu__input_needs_copy(struct quipu__input *input, bool *out, struct quipu_error *err) {
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

enum quipu_status quipu__input_copy_decoded(struct quipu__input *input, struct quipu_error *err) {
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
