/* codec.h: records from bytes and back.
 *
 * The tables of records.h are turned into plans once per version of the format: a plan is a short program of steps
 * in file order, with versions resolved and neighbouring numbers gathered into runs that need one look at the number
 * of bytes left. Decoder and encoder interpret the same plans. Nothing here is about one particular record, apart
 * from the fields that precede every call, whose presence depends on a mask.
 */
#ifndef QUIPU_DUMPI_CODEC_H
#define QUIPU_DUMPI_CODEC_H

#include "core/os.h"
#include "formats/dumpi/records.h"

/* ---- Plans ---- */

enum quipu__dumpi_op {
    QUIPU__DUMPI_OP_END,
    QUIPU__DUMPI_OP_RUN,    /* bytes are checked; as many number steps follow as skip says */
    QUIPU__DUMPI_OP_UNLESS, /* skips steps unless two numbers of the record are equal */
    QUIPU__DUMPI_OP_TEXT,
    QUIPU__DUMPI_OP_LIST,      /* i32 number, numbers */
    QUIPU__DUMPI_OP_TEXTS,     /* i32 number, strings */
    QUIPU__DUMPI_OP_UNCOUNTED, /* strings, as many as the number at left says */
    QUIPU__DUMPI_OP_ELEMENTS,  /* i32 number, structs */
    QUIPU__DUMPI_OP_STATUSES,  /* the same, if the mask has a status bit */
    QUIPU__DUMPI_OP_ROWS,      /* the same, with an i32 number of values before each struct */
    QUIPU__DUMPI_OP_BARE,      /* one number, as a list */
    QUIPU__DUMPI_OP_SLOTS,
    QUIPU__DUMPI_OP_RAW
};

struct quipu__dumpi_step {
    uint8_t op;           /* enum quipu__dumpi_op; in a run nothing */
    uint8_t wire;         /* of numbers and texts */
    uint8_t size;         /* of one number in memory */
    uint8_t skip;         /* RUN: steps of the run; UNLESS: steps to skip */
    uint16_t bytes;       /* RUN: of all its numbers; number: its place in the run */
    uint16_t member;      /* offset in the struct */
    uint16_t left, right; /* UNLESS: offsets of two i32; lists: left is the offset of the count, or NO_COUNT */
    uint8_t element;      /* enum quipu__dumpi_element */
};
#define QUIPU__DUMPI_NO_COUNT UINT16_MAX

struct quipu__dumpi_plan {
    const struct quipu_record_type *type;
    const struct quipu__dumpi_step *steps;
    uint16_t bytes; /* that every record of the type has at least, its common fields aside */
    bool is_sparse; /* fields may be missing: the struct is cleared first */
};

/* The plans of one version. */
struct quipu__dumpi_codec {
    struct quipu__memory *memory;
    uint32_t version;
    bool replace_counts;
    struct quipu__dumpi_plan plans[QUIPU__DUMPI_TYPE_COUNT];
    struct quipu__dumpi_plan elements[QUIPU__DUMPI_ELEMENT_COUNT];
    struct quipu__dumpi_step *steps;
    size_t step_count;
};

/* version is QUIPU__DUMPI_VERSION(...). With replace_counts decoding replaces the number that a list had when it was
 * written by the stored number of its elements, as DUMPI's own library does; records then no longer hold the former
 * (Waitsome with nothing to wait for: -32766). */
enum quipu_status quipu__dumpi_codec_new(struct quipu__memory *memory, uint32_t version, bool replace_counts,
                                         struct quipu__dumpi_codec **out, struct quipu_error *err);
void quipu__dumpi_codec_free(struct quipu__dumpi_codec *codec);

/* ---- Decoding ---- */

enum quipu__dumpi_outcome {
    QUIPU__DUMPI_OK,
    QUIPU__DUMPI_ENDS, /* the end mark of the stream */
    QUIPU__DUMPI_MORE, /* the window ends inside the record: need says how many bytes it has at least */
    QUIPU__DUMPI_BAD,  /* no record: fault says why */
    QUIPU__DUMPI_NO_MEMORY
};

struct quipu__dumpi_decoder {
    const struct quipu__dumpi_codec *codec;
    int64_t cpu_bias_ns, wall_bias_ns;
    struct quipu__scratch scratch;
    uint64_t limit; /* no record is longer */
    /* The record decoded last. */
    uint32_t type; /* enum quipu__dumpi_type */
    struct quipu__dumpi_call common;
    union quipu__dumpi_any data;
    /* Why there is none. */
    size_t need;
    const char *fault;
};

void quipu__dumpi_decoder_init(struct quipu__dumpi_decoder *decoder, struct quipu__memory *memory,
                               const struct quipu__dumpi_codec *codec);
void quipu__dumpi_decoder_release(struct quipu__dumpi_decoder *decoder);

/* Decodes a struct by a plan into data; returns the byte after it, or NULL with *outcome set. */
const uint8_t *quipu__dumpi_decode_lists(struct quipu__dumpi_decoder *decoder,
                                         const struct quipu__dumpi_step *steps, void *data,
                                         const uint8_t *begin, const uint8_t *at, const uint8_t *end,
                                         enum quipu__dumpi_outcome *outcome);
const uint8_t *quipu__dumpi_decode_counters(struct quipu__dumpi_decoder *decoder, const uint8_t *begin,
                                            const uint8_t *at, const uint8_t *end,
                                            enum quipu__dumpi_outcome *outcome);
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

/* Stores one number of a run. */
QUIPU__INLINE void quipu__dumpi_load(const struct quipu__dumpi_step *step, uint8_t *data, const uint8_t *run) {
    const uint8_t *at = run + step->bytes;
    void *member = data + step->member;
    switch (step->wire) {
    case QUIPU__WIRE_I32:
    case QUIPU__WIRE_U32:
        *(uint32_t *)member = quipu__load_be32(at);
        break;
    case QUIPU__WIRE_I16:
    case QUIPU__WIRE_U16:
        *(uint16_t *)member = quipu__load_be16(at);
        break;
    case QUIPU__WIRE_64:
        *(uint64_t *)member = quipu__load_be64(at);
        break;
    default:
        if (step->size == 2)
            *(uint16_t *)member = *at;
        else
            *(uint8_t *)member = *at;
        break;
    }
}

/* Reads the common fields; the bytes are there. */
QUIPU__INLINE const uint8_t *quipu__dumpi_decode_common(struct quipu__dumpi_decoder *decoder,
                                                        const uint8_t *at) {
    struct quipu__dumpi_call *common = &decoder->common;
    const uint8_t mask = at[2];
    const uint8_t usual = QUIPU__DUMPI_MASK_THREAD | QUIPU__DUMPI_MASK_CPU | QUIPU__DUMPI_MASK_WALL;
    common->mask = mask;
    at += QUIPU__DUMPI_RECORD_LEAST;
    if (QUIPU__UNLIKELY((mask & usual) != usual))
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

/* Decodes the call at the beginning of the window as one of a type, whatever its number says; *next is the byte after
 * it. At least QUIPU__DUMPI_RECORD_LEAST bytes are there. The one look at the number of bytes left covers the common
 * fields and all numbers up to the first list. */
QUIPU__INLINE enum quipu__dumpi_outcome quipu__dumpi_decode_as(struct quipu__dumpi_decoder *decoder,
                                                               uint32_t type, const uint8_t *begin,
                                                               const uint8_t *end, const uint8_t **next) {
    const struct quipu__dumpi_plan *plan = &decoder->codec->plans[type];
    const size_t bytes = quipu__dumpi_head_bytes(begin[2]) + plan->bytes;
    if (QUIPU__UNLIKELY((size_t)(end - begin) < bytes)) {
        decoder->need = bytes;
        return QUIPU__DUMPI_MORE;
    }
    enum quipu__dumpi_outcome outcome = QUIPU__DUMPI_OK;
    quipu__scratch_reset(&decoder->scratch);
    const uint8_t *at = quipu__dumpi_decode_common(decoder, begin);
    decoder->type = type;
    decoder->common.counters = NULL;
    if (QUIPU__UNLIKELY(begin[2] & QUIPU__DUMPI_MASK_COUNTERS)) {
        at = quipu__dumpi_decode_counters(decoder, begin, at, end, &outcome);
        if (!at)
            return outcome;
    }
    uint8_t *data = (uint8_t *)&decoder->data;
    if (QUIPU__UNLIKELY(plan->is_sparse))
        memset(data, 0, plan->type->size);
    const struct quipu__dumpi_step *step = plan->steps;
    if (QUIPU__LIKELY(step->op == QUIPU__DUMPI_OP_RUN && (size_t)(end - at) >= step->bytes)) {
        const struct quipu__dumpi_step *const run = step;
        for (const struct quipu__dumpi_step *past = run + 1 + run->skip; ++step < past;)
            quipu__dumpi_load(step, data, at);
        at += run->bytes;
    }
    if (step->op != QUIPU__DUMPI_OP_END) {
        at = quipu__dumpi_decode_lists(decoder, step, data, begin, at, end, &outcome);
        if (!at)
            return outcome;
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
    const struct quipu__dumpi_codec *codec;
    int64_t cpu_bias_ns, wall_bias_ns;
};

/* Appends a call with its common fields, or a section. A failure is the buffer's. */
void quipu__dumpi_encode(const struct quipu__dumpi_encoder *encoder, uint32_t type,
                         const struct quipu__dumpi_call *common, const void *data, struct quipu__buffer *out);
void quipu__dumpi_encode_section(const struct quipu__dumpi_codec *codec, uint32_t type, const void *data,
                                 struct quipu__buffer *out);

#endif
