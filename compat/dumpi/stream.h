/* stream.h: calls and sections at the position of a FILE. That position is the only one there is, as in the original
 * library: a program may seek in the file of a profile and read from it between any two calls of ours. A call is decoded
 * where stdio has read it ahead; one that is not whole there is gathered chunk by chunk, and never a byte too much, so
 * that the position is right behind it afterwards. */
#ifndef COMPAT_DUMPI_STREAM_H
#define COMPAT_DUMPI_STREAM_H

#include "formats/dumpi/format.h"

#include <stdio.h>

struct quipu__undumpi_stream {
    struct quipu__memory memory;
    struct quipu__binary_codec *codec;
    struct quipu__dumpi_decoder decoder;     /* the call or section read last */
    struct quipu__buffer gathered;           /* bytes of a call that stdio does not have in one chunk */
    uint16_t whole[QUIPU__DUMPI_TYPE_COUNT]; /* bytes after the frame of a call of fixed length, else VARIES */
    struct quipu_error error;                /* why a read failed last */
};
#define QUIPU__UNDUMPI_VARIES UINT16_MAX

/* No call is bounded by what follows the calls. */
#define QUIPU__UNDUMPI_UNBOUNDED UINT64_MAX

enum quipu_status quipu__undumpi_stream_init(struct quipu__undumpi_stream *stream, uint32_t version);
void quipu__undumpi_stream_release(struct quipu__undumpi_stream *stream);

/* The position of a file. */
uint64_t quipu__undumpi_position(FILE *file);

/* Decodes the section at an offset and leaves the position behind it. */
enum quipu_status quipu__undumpi_stream_section(struct quipu__undumpi_stream *stream, FILE *file, uint32_t type,
                                                uint64_t offset);

/* The slow part of quipu__undumpi_stream_next. */
enum quipu_status quipu__undumpi_stream_gather(struct quipu__undumpi_stream *stream, FILE *file, uint32_t type,
                                               uint64_t bound);

/* Decodes the next call, which ends at most bound bytes from here, and moves the position behind it. QUIPU_END at the end
 * mark and at the bound, QUIPU_CORRUPT where the file is damaged. type is that of the call when its number has been
 * taken already, else QUIPU_NONE. */
QUIPU__INLINE enum quipu_status quipu__undumpi_stream_next(struct quipu__undumpi_stream *stream, FILE *file,
                                                           uint32_t type,
                                                           struct quipu__stdio_lookahead lookahead,
                                                           uint64_t bound) {
    const size_t taken = type == QUIPU_NONE ? 0 : 2;
    const uint8_t *const end = lookahead.at + (lookahead.left < bound ? lookahead.left : (size_t)bound);
    const uint8_t *next = NULL;
    if (QUIPU__LIKELY(lookahead.passed >= taken && end - lookahead.at >= QUIPU__DUMPI_RECORD_LEAST)) {
        const enum quipu__dumpi_outcome outcome =
            taken ? quipu__dumpi_decode_as(&stream->decoder, type, lookahead.at - taken, end, &next)
                  : quipu__dumpi_decode(&stream->decoder, lookahead.at, end, &next);
        if (QUIPU__LIKELY(outcome == QUIPU__DUMPI_OK)) {
            quipu__stdio_skip(file, (size_t)(next - lookahead.at));
            return QUIPU_OK;
        }
    }
    return quipu__undumpi_stream_gather(stream, file, type, bound);
}

#endif
