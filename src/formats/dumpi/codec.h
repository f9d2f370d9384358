/* codec.h: records from bytes and back: what DUMPI adds to the engine of schema/binary.h.
 *
 * The engine turns the tables of records.h into plans, once per version of the format. The fields that precede every
 * call, whose presence depends on a mask, the marks that end the stream, and the tag of statuses that have none are here.
 */
#ifndef QUIPU_DUMPI_CODEC_H
#define QUIPU_DUMPI_CODEC_H

#include "core/os.h"
#include "core/memory/vec.h"
#include "formats/dumpi/records.h"

/* The plans of a version, QUIPU__DUMPI_VERSION(...). With replace_counts decoding replaces the count argument of a list by
 * the stored number of its elements, as DUMPI's own library does; records then lose the former (Waitsome with nothing to
 * wait for: -32766). */
enum quipu_status quipu__dumpi_codec_new(struct quipu__memory *memory, uint32_t version, bool replace_counts,
                                         struct quipu__binary_codec **out, struct quipu_error *err);

/* The codecs of the versions that occur. */
struct quipu__dumpi_codecs {
    struct quipu__memory *memory;
    QUIPU__VEC(struct quipu__binary_codec *) list;
};
enum quipu_status quipu__dumpi_codecs_get(struct quipu__dumpi_codecs *codecs, uint32_t version,
                                          const struct quipu__binary_codec **out, struct quipu_error *err);
void quipu__dumpi_codecs_release(struct quipu__dumpi_codecs *codecs);

/* ---- Decoding ---- */

/* The outcomes of the engine, and one more. */
enum quipu__dumpi_outcome {
    QUIPU__DUMPI_OK = QUIPU__BINARY_OK,
    QUIPU__DUMPI_MORE = QUIPU__BINARY_MORE,
    QUIPU__DUMPI_BAD = QUIPU__BINARY_BAD,
    QUIPU__DUMPI_NO_MEMORY = QUIPU__BINARY_NO_MEMORY,
    QUIPU__DUMPI_ENDS /* the end mark of the stream */
};

struct quipu__dumpi_decoder {
    struct quipu__binary_decoder engine;
    int64_t cpu_bias_ns, wall_bias_ns;
    /* The record decoded last. */
    uint32_t type; /* enum quipu__dumpi_type */
    struct quipu__dumpi_call common;
    union quipu__dumpi_any data;
};

void quipu__dumpi_decoder_init(struct quipu__dumpi_decoder *decoder, struct quipu__memory *memory,
                               const struct quipu__binary_codec *codec);

static inline void quipu__dumpi_decoder_release(struct quipu__dumpi_decoder *decoder) {
    quipu__binary_decoder_release(&decoder->engine);
}

/* Decodes the counters of a call. Returns the byte after them, or NULL with *outcome set. */
const uint8_t *quipu__dumpi_decode_counters(struct quipu__dumpi_decoder *decoder, const uint8_t *begin,
                                            const uint8_t *at, const uint8_t *end,
                                            enum quipu__dumpi_outcome *outcome);

/* Sets the tag -1 in statuses of files that have no tags. */
void quipu__dumpi_set_tags(struct quipu__dumpi_decoder *decoder);

enum quipu__dumpi_outcome quipu__dumpi_decode_short(struct quipu__dumpi_decoder *decoder, const uint8_t *at,
                                                    const uint8_t *end);

/* Decodes a section of a file into decoder->data. */
enum quipu__dumpi_outcome quipu__dumpi_decode_section(struct quipu__dumpi_decoder *decoder, uint32_t type,
                                                      const uint8_t *at, const uint8_t *end,
                                                      const uint8_t **next);

/* Bytes of the fields that precede a call: id, mask, thread, clocks; without counters. */
static inline size_t quipu__dumpi_head_bytes(uint8_t mask) {
    return QUIPU__DUMPI_RECORD_LEAST + ((mask & QUIPU__DUMPI_MASK_THREAD) ? 2u : 0u) +
           ((mask & QUIPU__DUMPI_MASK_CPU) ? 12u : 0u) + ((mask & QUIPU__DUMPI_MASK_WALL) ? 12u : 0u);
}

/* A stored time, u16 seconds after the bias and u32 nanoseconds, in nanoseconds. */
static inline int64_t quipu__dumpi_load_time(const uint8_t *at, int64_t bias_ns) {
    return bias_ns + (int64_t)quipu__load_be16(at) * 1000000000 + (int64_t)quipu__load_be32(at + 2);
}

/* Reads the common fields, whose bytes must be there. */
QUIPU__INLINE const uint8_t *quipu__dumpi_decode_common(struct quipu__dumpi_decoder *decoder,
                                                        const uint8_t *at) {
    struct quipu__dumpi_call *common = &decoder->common;
    const uint8_t mask = at[2];
    common->mask = mask;
    at += QUIPU__DUMPI_RECORD_LEAST;
    if (QUIPU__UNLIKELY((mask & QUIPU__DUMPI_CANONICAL_MASK) != QUIPU__DUMPI_CANONICAL_MASK))
        *common = (struct quipu__dumpi_call){.mask = mask};
    if (mask & QUIPU__DUMPI_MASK_THREAD) {
        common->thread = quipu__load_be16(at);
        at += 2;
    }
    if (mask & QUIPU__DUMPI_MASK_CPU) {
        common->cpu_start = quipu__dumpi_load_time(at, decoder->cpu_bias_ns);
        common->cpu_stop = quipu__dumpi_load_time(at + 6, decoder->cpu_bias_ns);
        at += 12;
    }
    if (mask & QUIPU__DUMPI_MASK_WALL) {
        common->wall_start = quipu__dumpi_load_time(at, decoder->wall_bias_ns);
        common->wall_stop = quipu__dumpi_load_time(at + 6, decoder->wall_bias_ns);
        at += 12;
    }
    return at;
}

/* Decodes the call at the beginning of the window as one of a type, whatever its number says; *next is the byte after it.
 * At least QUIPU__DUMPI_RECORD_LEAST bytes must be there. One check of the number of bytes left covers the common fields
 * and all numbers up to the first list. */
QUIPU__INLINE enum quipu__dumpi_outcome quipu__dumpi_decode_as(struct quipu__dumpi_decoder *decoder,
                                                               uint32_t type, const uint8_t *begin,
                                                               const uint8_t *end, const uint8_t **next) {
    const struct quipu__binary_plan *plan = &decoder->engine.codec->plans[type];
    const size_t bytes = quipu__dumpi_head_bytes(begin[2]) + plan->bytes;
    if (QUIPU__UNLIKELY((size_t)(end - begin) < bytes)) {
        decoder->engine.need = bytes;
        return QUIPU__DUMPI_MORE;
    }
    quipu__scratch_reset(&decoder->engine.scratch);
    const uint8_t *at = quipu__dumpi_decode_common(decoder, begin);
    decoder->type = type;
    decoder->common.counters = NULL;
    if (QUIPU__UNLIKELY(begin[2] & QUIPU__DUMPI_MASK_COUNTERS)) {
        enum quipu__dumpi_outcome outcome = QUIPU__DUMPI_OK;
        at = quipu__dumpi_decode_counters(decoder, begin, at, end, &outcome);
        if (!at)
            return outcome;
    }
    uint8_t *data = (uint8_t *)&decoder->data;
    if (QUIPU__UNLIKELY(plan->is_sparse))
        memset(data, 0, plan->type->size);
    const struct quipu__binary_step *step = plan->steps;
    if (QUIPU__LIKELY(step->op == QUIPU__OP_FIXED && (size_t)(end - at) >= step->bytes)) {
        const struct quipu__binary_step *const fixed = step;
        for (const struct quipu__binary_step *past = fixed + 1 + fixed->skip; ++step < past;)
            quipu__binary_load(step, true, data, at);
        at += fixed->bytes;
    }
    if (step->op != QUIPU__OP_END) {
        enum quipu__binary_outcome found;
        decoder->engine.is_marked = (begin[2] & QUIPU__DUMPI_MASK_STATUS) != 0;
        at = quipu__binary_run(&decoder->engine, step, data, begin, at, end, &found);
        if (!at)
            return (enum quipu__dumpi_outcome)found;
        if (QUIPU__UNLIKELY(decoder->engine.codec->machine.version < QUIPU__DUMPI_TAG_VERSION))
            quipu__dumpi_set_tags(decoder);
    }
    *next = at;
    return QUIPU__DUMPI_OK;
}

/* Decodes the call at the beginning of the window; *next is the byte after it. */
QUIPU__INLINE enum quipu__dumpi_outcome quipu__dumpi_decode(struct quipu__dumpi_decoder *decoder,
                                                            const uint8_t *begin, const uint8_t *end,
                                                            const uint8_t **next) {
    if (QUIPU__UNLIKELY(end - begin < QUIPU__DUMPI_RECORD_LEAST))
        return quipu__dumpi_decode_short(decoder, begin, end);
    const uint32_t type = quipu__dumpi_type_of(quipu__load_be16(begin));
    if (QUIPU__UNLIKELY(type == QUIPU_NONE))
        return quipu__dumpi_decode_short(decoder, begin, end);
    return quipu__dumpi_decode_as(decoder, type, begin, end, next);
}

/* ---- Encoding ---- */

struct quipu__dumpi_encoder {
    const struct quipu__binary_codec *codec;
    int64_t cpu_bias_ns, wall_bias_ns;
};

/* Appends a call with its common fields, or a section. A failure is the buffer's. */
void quipu__dumpi_encode(const struct quipu__dumpi_encoder *encoder, uint32_t type,
                         const struct quipu__dumpi_call *common, const void *data, struct quipu__buffer *out);
void quipu__dumpi_encode_section(const struct quipu__binary_codec *codec, uint32_t type, const void *data,
                                 struct quipu__buffer *out);

#endif
