/* stream.c: what is rare in reading at a file's position: calls in two pieces, sections, damage. */
#include "stream.h"

#include <stdio.h>
#include <string.h>

/* Bytes that are asked for at once, so that a length that is wrong takes no more memory than the file has bytes. */
#define CHUNK ((size_t)64 << 10)

static enum quipu_status fail(struct quipu__undumpi_stream *stream, FILE *file, enum quipu_status status,
                              const char *message) {
    struct quipu_error *error = &stream->error;
    *error = (struct quipu_error)QUIPU_ERROR_INIT;
    error->status = status;
    error->byte = quipu__undumpi_position(file);
    snprintf(error->message, sizeof error->message, "%s", message);
    return status;
}

/* ---- Codec ---- */

/* Calls without lists need not be decoded to be skipped. */
static void measure(struct quipu__undumpi_stream *stream) {
    for (size_t type = 0; type < QUIPU__DUMPI_TYPE_COUNT; type++) {
        const struct quipu__binary_plan *plan = &stream->codec->plans[type];
        const struct quipu__binary_step *step = plan->steps;
        if (step->op == QUIPU__OP_FIXED)
            step += 1 + step->skip;
        stream->whole[type] = step->op == QUIPU__OP_END ? plan->bytes : QUIPU__UNDUMPI_VARIES;
    }
}

enum quipu_status quipu__undumpi_stream_init(struct quipu__undumpi_stream *stream, uint32_t version) {
    *stream = (struct quipu__undumpi_stream){.error = QUIPU_ERROR_INIT};
    quipu__memory_init(&stream->memory, NULL, 0);
    quipu__buffer_init(&stream->gathered, &stream->memory, 0);
    const enum quipu_status status =
        quipu__dumpi_codec_new(&stream->memory, version, true, &stream->codec, &stream->error);
    if (status != QUIPU_OK)
        return status;
    quipu__dumpi_decoder_init(&stream->decoder, &stream->memory, stream->codec);
    measure(stream);
    return QUIPU_OK;
}

void quipu__undumpi_stream_release(struct quipu__undumpi_stream *stream) {
    if (stream->codec)
        quipu__dumpi_decoder_release(&stream->decoder);
    quipu__binary_codec_free(stream->codec);
    quipu__buffer_release(&stream->gathered);
    stream->codec = NULL;
}

/* ---- Bytes ---- */

uint64_t quipu__undumpi_position(FILE *file) {
    const struct quipu__stdio_lookahead lookahead = quipu__stdio_lookahead(file);
    const int64_t offset = lookahead.offset >= 0 ? lookahead.offset : (int64_t)ftello(file);
    return offset < 0 ? 0 : (uint64_t)offset;
}

/* Gathers bytes until there are as many as the decoder needs. */
static enum quipu_status gather_to(struct quipu__undumpi_stream *stream, FILE *file, size_t need) {
    struct quipu__buffer *bytes = &stream->gathered;
    while (bytes->len < need) {
        const size_t chunk = need - bytes->len < CHUNK ? need - bytes->len : CHUNK;
        uint8_t *room = quipu__buffer_room(bytes, chunk);
        if (!room)
            return fail(stream, file, QUIPU_NO_MEMORY, "a call or section is too large");
        const size_t got = fread(room, 1, chunk, file);
        bytes->len += got;
        if (got < chunk)
            return fail(stream, file, ferror(file) ? QUIPU_IO : QUIPU_CORRUPT,
                        ferror(file) ? "the file cannot be read" : "the file ends inside a call or section");
    }
    return QUIPU_OK;
}

/* What the outcome of decoding means; QUIPU__DUMPI_MORE is not asked for here. */
static enum quipu_status conclude(struct quipu__undumpi_stream *stream, FILE *file,
                                  enum quipu__dumpi_outcome outcome) {
    switch (outcome) {
    case QUIPU__DUMPI_OK:
        return QUIPU_OK;
    case QUIPU__DUMPI_ENDS:
        return QUIPU_END;
    case QUIPU__DUMPI_NO_MEMORY:
        return fail(stream, file, QUIPU_NO_MEMORY, "a call or section is too large");
    default:
        return fail(stream, file, QUIPU_CORRUPT,
                    stream->decoder.engine.fault ? stream->decoder.engine.fault
                                                 : "a call or section is damaged");
    }
}

/* ---- Sections ---- */

enum quipu_status quipu__undumpi_stream_section(struct quipu__undumpi_stream *stream, FILE *file, uint32_t type,
                                                uint64_t offset) {
    struct quipu__buffer *bytes = &stream->gathered;
    if (offset > INT64_MAX || fseeko(file, (off_t)offset, SEEK_SET) != 0)
        return fail(stream, file, QUIPU_IO, "there is no such place in the file");
    bytes->len = 0;
    stream->decoder.engine.limit = QUIPU__DUMPI_RECORD_LIMIT;
    for (;;) {
        const uint8_t *const end = bytes->len ? bytes->data + bytes->len : bytes->data; /* NULL at first */
        const uint8_t *next;
        const enum quipu__dumpi_outcome outcome =
            quipu__dumpi_decode_section(&stream->decoder, type, bytes->data, end, &next);
        if (outcome != QUIPU__DUMPI_MORE)
            return conclude(stream, file, outcome);
        const enum quipu_status status = gather_to(stream, file, stream->decoder.engine.need);
        if (status != QUIPU_OK)
            return status;
    }
}

/* ---- Calls ---- */

static enum quipu__dumpi_outcome decode_gathered(struct quipu__undumpi_stream *stream, uint32_t type) {
    const uint8_t *at = stream->gathered.data, *end = at + stream->gathered.len, *next;
    if (end - at >= QUIPU__DUMPI_RECORD_LEAST && type != QUIPU_NONE)
        return quipu__dumpi_decode_as(&stream->decoder, type, at, end, &next);
    if (end - at >= 2)
        return quipu__dumpi_decode(&stream->decoder, at, end, &next);
    stream->decoder.engine.need = 2;
    return QUIPU__DUMPI_MORE;
}

enum quipu_status quipu__undumpi_stream_gather(struct quipu__undumpi_stream *stream, FILE *file, uint32_t type,
                                               uint64_t bound) {
    struct quipu__buffer *bytes = &stream->gathered;
    bytes->len = 0;
    if (bound == 0)
        return QUIPU_END;
    if (type != QUIPU_NONE)
        quipu__put_be16(bytes, (uint16_t)quipu__dumpi_types[type].id);
    const size_t taken = bytes->len;
    stream->decoder.engine.limit = QUIPU__DUMPI_RECORD_LIMIT;
    for (;;) {
        const enum quipu__dumpi_outcome outcome = decode_gathered(stream, type);
        if (outcome != QUIPU__DUMPI_MORE)
            return conclude(stream, file, outcome);
        if (stream->decoder.engine.need - taken > bound)
            return fail(stream, file, QUIPU_CORRUPT, "the calls break off");
        const enum quipu_status status = gather_to(stream, file, stream->decoder.engine.need);
        if (status != QUIPU_OK)
            return status;
    }
}
