/* inflate.c: two decoders behind one interface; which comes first and which has the last word is in inflate.h. */
#include "core/files/inflate.h"

#include "core/memory/zlib_memory.h"

#if defined(QUIPU_HAS_ISAL)
#include <isa-l/igzip_lib.h>
#define ISAL_BYTES sizeof(struct inflate_state)
#else
#define ISAL_BYTES 0
#endif

#define ANY_HEADER (15 + 32) /* zlib or gzip, whichever it is */
#define NO_HEADER (-15)
#define CALL_MOST ((size_t)1 << 30) /* bytes for one call of a decoder */

struct quipu__inflate_state {
    z_stream zlib;
    uint64_t delivered;         /* of this stream */
    uint64_t skip;              /* of what comes next: bytes that have already been delivered */
    bool is_bare, uses_isal;    /* which decoder is used */
    bool has_started;           /* the decoder has seen the first bytes */
    struct inflate_state *isal; /* NULL: zlib is alone */
};

static size_t at_most(size_t size, size_t most) {
    return size < most ? size : most;
}

/* After trouble, zlib decodes the stream again. */
static enum quipu__inflated start_over(struct quipu__inflate_state *state) {
    state->uses_isal = false;
    state->skip = state->delivered;
    return QUIPU__INFLATED_AGAIN;
}

/* ---- Ahead ---- */

#if defined(QUIPU_HAS_ISAL)

#define GZIP_FIRST_BYTE 0x1f

static void begin_isal(struct quipu__inflate_state *state, const struct quipu__inflate *stream) {
    const bool is_gzip = stream->in[0] == GZIP_FIRST_BYTE;
    isal_inflate_init(state->isal);
    state->isal->crc_flag = is_gzip ? ISAL_GZIP : ISAL_ZLIB;
    if (state->is_bare)
        state->isal->crc_flag = ISAL_DEFLATE;
}

/* All that was taken in has been decoded, and a block would be next. */
static bool is_between_blocks(const struct inflate_state *isal) {
    return (isal->block_state == ISAL_BLOCK_NEW_HDR || isal->block_state == ISAL_BLOCK_HDR) &&
           isal->read_in_length == 0 && isal->tmp_in_size == 0;
}

static enum quipu__inflated run_isal(struct quipu__inflate *stream, bool is_last) {
    struct quipu__inflate_state *state = stream->state;
    struct inflate_state *isal = state->isal;
    const size_t fed = at_most(stream->in_left, CALL_MOST), room = at_most(stream->room, CALL_MOST);
    isal->next_in = (uint8_t *)(uintptr_t)stream->in;
    isal->avail_in = (uint32_t)fed;
    isal->next_out = stream->out;
    isal->avail_out = (uint32_t)room;
    const int result = isal_inflate(isal);
    const bool is_over = isal->block_state == ISAL_BLOCK_FINISH;
    const size_t held = is_over ? (size_t)isal->read_in_length / 8 : 0; /* bytes behind the stream */
    const size_t left = isal->avail_in + held, got = room - isal->avail_out;
    const bool is_dry = is_last && got == 0 && stream->in_left == fed && left == 0 && !is_over;
    if (result < 0 || result == ISAL_NEED_DICT || left > fed || (is_dry && !is_between_blocks(isal)))
        return start_over(state);
    stream->in += fed - left;
    stream->in_left -= fed - left;
    stream->out += got;
    stream->room -= got;
    state->delivered += got;
    if (is_over)
        return QUIPU__INFLATED_END;
    return is_dry ? QUIPU__INFLATED_PAUSE : QUIPU__INFLATED_SOME;
}

#else

static void begin_isal(struct quipu__inflate_state *state, const struct quipu__inflate *stream) {
    (void)state, (void)stream;
}

static enum quipu__inflated run_isal(struct quipu__inflate *stream, bool is_last) {
    (void)is_last;
    return start_over(stream->state);
}

#endif

/* ---- zlib ---- */

/* inflate sets bit 7 when it waits for a block to begin, but not when it is called again without input. */
#define WAITS_FOR_BLOCK 128

static enum quipu__inflated run_zlib(struct quipu__inflate *stream, bool is_last) {
    struct quipu__inflate_state *state = stream->state;
    z_stream *zlib = &state->zlib;
    const bool skips = state->skip > 0, has_waited = zlib->data_type & WAITS_FOR_BLOCK;
    const size_t fed = at_most(stream->in_left, CALL_MOST);
    size_t room = at_most(stream->room, CALL_MOST);
    if (skips && state->skip < room)
        room = (size_t)state->skip;
    zlib->next_in = (z_const Bytef *)(uintptr_t)stream->in;
    zlib->avail_in = (uInt)fed;
    zlib->next_out = stream->out;
    zlib->avail_out = (uInt)room;
    const int result = inflate(zlib, Z_SYNC_FLUSH);
    const size_t got = room - zlib->avail_out;
    stream->in += fed - zlib->avail_in;
    stream->in_left -= fed - zlib->avail_in;
    if (skips)
        state->skip -= got;
    else {
        stream->out += got;
        stream->room -= got;
    }
    if (result == Z_STREAM_END)
        return QUIPU__INFLATED_END;
    if (result != Z_OK && result != Z_BUF_ERROR)
        return QUIPU__INFLATED_DAMAGED;
    if (!is_last || got > 0 || stream->in_left > 0)
        return QUIPU__INFLATED_SOME;
    const bool waits = fed > 0 ? zlib->data_type & WAITS_FOR_BLOCK : has_waited;
    return waits ? QUIPU__INFLATED_PAUSE : QUIPU__INFLATED_DAMAGED;
}

/* ---- Both ---- */

bool quipu__inflate_init(struct quipu__inflate *stream, struct quipu__memory *memory, bool can_start_over) {
    *stream = (struct quipu__inflate){.state = quipu__alloc_zero(memory, sizeof *stream->state)};
    if (!stream->state)
        return false;
    if (ISAL_BYTES > 0 && can_start_over)
        stream->state->isal = quipu__alloc(memory, ISAL_BYTES);
    quipu__zlib_memory(&stream->state->zlib, memory);
    const bool is_ready = (stream->state->isal || ISAL_BYTES == 0 || !can_start_over) &&
                          inflateInit2(&stream->state->zlib, ANY_HEADER) == Z_OK;
    if (!is_ready)
        quipu__inflate_release(stream, memory);
    return is_ready;
}

void quipu__inflate_release(struct quipu__inflate *stream, struct quipu__memory *memory) {
    if (!stream->state)
        return;
    inflateEnd(&stream->state->zlib);
    quipu__release(memory, stream->state->isal, stream->state->isal ? ISAL_BYTES : 0);
    quipu__release(memory, stream->state, sizeof *stream->state);
    stream->state = NULL;
}

void quipu__inflate_begin(struct quipu__inflate *stream, bool is_bare) {
    struct quipu__inflate_state *state = stream->state;
    inflateReset2(&state->zlib, is_bare ? NO_HEADER : ANY_HEADER);
    state->zlib.data_type = 0;
    state->is_bare = is_bare;
    state->uses_isal = state->isal != NULL;
    state->has_started = false;
    state->delivered = state->skip = 0;
}

enum quipu__inflated quipu__inflate_run(struct quipu__inflate *stream, bool is_last) {
    struct quipu__inflate_state *state = stream->state;
    if (!state->has_started && stream->in_left == 0)
        return is_last ? QUIPU__INFLATED_DAMAGED : QUIPU__INFLATED_SOME;
    if (!state->has_started && state->uses_isal)
        begin_isal(state, stream);
    state->has_started = true;
    return state->uses_isal ? run_isal(stream, is_last) : run_zlib(stream, is_last);
}
