/* input_coding.c: compressed files, recognised by their first bytes: gzip and zlib, even unfinished or with several streams,
 * and zstd. */
#include "core/files/input_state.h"

#include "core/error.h"
#include "core/memory/zstd_memory.h"

#include <string.h>

/* Smaller windows are inflated by zlib alone: the faster decoder takes 90 KiB for itself and decodes 64 KiB ahead, too much
 * for a look at one place or for hundreds of streams at a time. */
#define FAST_WINDOW_LEAST ((size_t)16 << 10)

/* ---- Decoding ---- */

static enum quipu_status decode_plain(struct quipu__input *input, uint8_t *data, size_t size, size_t *got,
                                      struct quipu_error *err) {
    struct quipu__input_state *state = input->state;
    const size_t left = state->packed_end - state->packed_at; /* read ahead by the detection */
    if (left == 0)
        return quipu__input_read_disk(input, data, size, got, err);
    *got = left < size ? left : size;
    memcpy(data, state->packed + state->packed_at, *got);
    state->packed_at += *got;
    return QUIPU_OK;
}

static void begin_stream(struct quipu__input_state *state, bool is_bare) {
    quipu__inflate_begin(&state->inflate, is_bare);
    state->stream_start = quipu__packed_offset(state);
    state->stream_over = false;
    state->stream_bare = is_bare;
}

/* Gets ready for the next stream of the file. The checksum of a stream whose beginning was not decoded is skipped. */
static void next_stream(struct quipu__input_state *state) {
    const size_t left = state->packed_end - state->packed_at;
    const size_t skipped = left < state->left_of_it ? left : state->left_of_it;
    state->packed_at += skipped;
    state->left_of_it -= skipped;
    if (state->left_of_it == 0 && skipped < left)
        begin_stream(state, false);
}

/* Handles the result of decoding. A zlib stream that stops between two blocks, without its last one, is complete: trace
 * libraries never finish theirs. */
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
        return quipu__input_seek_packed(input, state->stream_start, err);
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
        enum quipu_status status = quipu__input_fill_packed(input, err);
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

/* A frame's header says how much memory decoding takes. */
static enum quipu_status refuse_frame(const struct quipu__input_state *state, struct quipu_error *err) {
    ZSTD_frameHeader head = {0};
    const size_t left =
        ZSTD_getFrameHeader(&head, state->packed + state->packed_at, state->packed_end - state->packed_at);
    return quipu__no_memory(err, left == 0 ? ZSTD_estimateDStreamSize((size_t)head.windowSize) : 0);
}

static enum quipu_status decode_zstd(struct quipu__input *input, uint8_t *data, size_t size, size_t *got,
                                     struct quipu_error *err) {
    struct quipu__input_state *state = input->state;
    *got = 0;
    while (*got == 0 && !input->damaged) {
        const enum quipu_status status = quipu__input_fill_packed(input, err);
        if (status != QUIPU_OK)
            return status;
        ZSTD_inBuffer in = {state->packed, state->packed_end, state->packed_at};
        ZSTD_outBuffer out = {data, size, 0};
        const size_t expected = ZSTD_decompressStream(state->zstd, &out, &in);
        const bool moved = in.pos != state->packed_at || out.pos != 0;
        if (ZSTD_getErrorCode(expected) == ZSTD_error_memory_allocation)
            return refuse_frame(state, err);
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

enum quipu_status quipu__input_decode(struct quipu__input *input, uint8_t *data, size_t size, size_t *got,
                                      struct quipu_error *err) {
    static enum quipu_status (*const decode[])(struct quipu__input *, uint8_t *, size_t, size_t *,
                                               struct quipu_error *) = {decode_plain, decode_deflate,
                                                                        decode_zstd};
    return decode[input->state->coding](input, data, size, got, err);
}

/* ---- Starting ---- */

static enum quipu_status start_deflate(struct quipu__input *input, struct quipu_error *err) {
    struct quipu__input_state *state = input->state;
    const bool can_start_over = input->size != QUIPU_UNKNOWN;
    const bool is_fast = can_start_over && state->buffer_size >= FAST_WINDOW_LEAST;
    if (!state->inflate.state && !quipu__inflate_init(&state->inflate, state->files->memory, is_fast))
        return quipu__no_memory(err, QUIPU__COMPRESSED_BYTES);
    begin_stream(state, false);
    state->check_sum = state->packed_end > 0 && state->packed[0] == 0x1f ? 8 : 4;
    state->coding = QUIPU__CODING_DEFLATE;
    return QUIPU_OK;
}

static enum quipu_status start_zstd(struct quipu__input *input, struct quipu_error *err) {
    struct quipu__input_state *state = input->state;
    if (!state->zstd)
        state->zstd = quipu__zstd_decoder(state->files->memory);
    if (!state->zstd)
        return quipu__no_memory(err, QUIPU__COMPRESSED_BYTES);
    ZSTD_initDStream(state->zstd);
    ZSTD_DCtx_setParameter(state->zstd, ZSTD_d_windowLogMax, 26);
    state->coding = QUIPU__CODING_ZSTD;
    return QUIPU_OK;
}

/* The coding that the first bytes of a file show. zlib's own header is no magic number (text may look the same), so zlib
 * files are only read as such when the caller asks for it. */
enum quipu__coding quipu__coding_of(const uint8_t *head, size_t size) {
    static const uint8_t gzip_magic[3] = {0x1f, 0x8b, 8}, zstd_magic[4] = {0x28, 0xb5, 0x2f, 0xfd};
    if (size >= sizeof gzip_magic && memcmp(head, gzip_magic, sizeof gzip_magic) == 0)
        return QUIPU__CODING_DEFLATE;
    if (size >= sizeof zstd_magic && memcmp(head, zstd_magic, sizeof zstd_magic) == 0)
        return QUIPU__CODING_ZSTD;
    return QUIPU__CODING_PLAIN;
}

/* Looks at the first bytes and chooses the coding. */
static enum quipu_status choose_coding(struct quipu__input *input, struct quipu_error *err) {
    struct quipu__input_state *state = input->state;
    state->coding = QUIPU__CODING_PLAIN;
    if (state->wanted == QUIPU__CODEC_NONE || state->wanted == QUIPU__CODEC_SEEK)
        return QUIPU_OK;
    if (!state->packed)
        state->packed = quipu__alloc(state->files->memory, QUIPU__COMPRESSED_BYTES);
    if (!state->packed)
        return quipu__no_memory(err, QUIPU__COMPRESSED_BYTES);
    const enum quipu_status status = quipu__input_fill_packed(input, err);
    if (status != QUIPU_OK)
        return status;
    const enum quipu__coding coding = quipu__coding_of(state->packed, state->packed_end);
    if (state->wanted == QUIPU__CODEC_ZLIB || coding == QUIPU__CODING_DEFLATE)
        return start_deflate(input, err);
    if (coding == QUIPU__CODING_ZSTD)
        return start_zstd(input, err);
    state->packed_ended = false;
    return QUIPU_OK;
}

/* Trying again does not take an input that could not be started for a plain file. */
enum quipu_status quipu__input_start(struct quipu__input *input, struct quipu_error *err) {
    const enum quipu_status status = choose_coding(input, err);
    input->state->started = status == QUIPU_OK;
    return status;
}

/* ---- Resuming compressed files ---- */

/* What a full flush ends with: the head of an empty stored block. */
#define FLUSH_MARKER UINT32_C(0x0000ffff)

/* Distances in compressed data reach back this far: if this much text was decoded, nothing before it was needed. */
#define DISTANCE_MOST ((size_t)32 << 10)

/* Reads until after the next marker; QUIPU_END when there is none up to limit. */
static enum quipu_status find_marker(struct quipu__input *input, uint64_t limit, struct quipu_error *err) {
    struct quipu__input_state *state = input->state;
    uint32_t last = UINT32_MAX; /* the last four bytes */
    while (quipu__input_consumed(input) < limit) {
        const enum quipu_status status = quipu__input_fill_packed(input, err);
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

/* Decodes from the place after a marker. QUIPU_END when it is not a marker, or not that of a full flush. */
static enum quipu_status try_marker(struct quipu__input *input, struct quipu_error *err) {
    struct quipu__input_state *state = input->state;
    begin_stream(state, true);
    input->at = input->end = state->buffer;
    input->end_offset = quipu__input_consumed(input);
    input->ended = false;
    input->zeros = 0;
    const enum quipu_status status = quipu__input_more(input, DISTANCE_MOST, err);
    return status == QUIPU_OK && input->damaged ? QUIPU_END : status;
}

enum quipu_status quipu__input_resume(struct quipu__input *input, uint64_t offset, uint64_t limit,
                                      struct quipu_error *err) {
    struct quipu__input_state *state = input->state;
    enum quipu_status status = state->started || state->is_memory ? QUIPU_OK : quipu__input_start(input, err);
    if (status != QUIPU_OK)
        return status;
    if (state->coding != QUIPU__CODING_DEFLATE)
        return QUIPU_END;
    for (;;) {
        status = quipu__input_restart(input, offset, err);
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
