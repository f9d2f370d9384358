/* decode.c: the part of decoding that is not in every record: lists, strings, conditions, counters, sections. The
 * numbers that every record begins with are decoded inline (codec.h). encode.c mirrors this file. */
#include "formats/dumpi/codec.h"

/* Most numbers that a list of old files is filled up to. */
#define BARE_LIMIT 4096u

/* What is left of the window while one record is decoded. A failed take says why in outcome, and all later ones
 * fail too. */
struct cursor {
    struct quipu__dumpi_decoder *decoder;
    const uint8_t *begin, *at, *end;
    enum quipu__dumpi_outcome outcome;
};

static void fail(struct cursor *cursor, enum quipu__dumpi_outcome outcome, const char *fault) {
    if (cursor->outcome != QUIPU__DUMPI_OK)
        return;
    cursor->outcome = outcome;
    cursor->decoder->fault = fault;
}

/* The next bytes, or NULL. A record that would be longer than the stream is none. */
static const uint8_t *take(struct cursor *cursor, uint64_t bytes) {
    if (cursor->outcome != QUIPU__DUMPI_OK)
        return NULL;
    if ((uint64_t)(cursor->end - cursor->at) < bytes) {
        const uint64_t need = (uint64_t)(cursor->at - cursor->begin) + bytes;
        if (need > cursor->decoder->limit)
            fail(cursor, QUIPU__DUMPI_BAD, "a length goes beyond the end of the stream");
        else
            fail(cursor, QUIPU__DUMPI_MORE, NULL);
        cursor->decoder->need = (size_t)need;
        return NULL;
    }
    const uint8_t *taken = cursor->at;
    cursor->at += bytes;
    return taken;
}

/* A number of things of at least size bytes each; 0 when there is none. */
static uint32_t take_count(struct cursor *cursor) {
    const uint8_t *at = take(cursor, 4);
    const uint32_t count = at ? quipu__load_be32(at) : 0;
    if (count > INT32_MAX) {
        fail(cursor, QUIPU__DUMPI_BAD, "a length is negative");
        return 0;
    }
    return count;
}

/* Sized memory for the elements of a list, with one zeroed element behind them, as lists of strings want it. */
static void *take_memory(struct cursor *cursor, uint32_t count, size_t size) {
    if (cursor->outcome != QUIPU__DUMPI_OK || count == 0)
        return NULL;
    uint8_t *elements = quipu__scratch_sized(&cursor->decoder->scratch, count + 1, size);
    if (!elements) {
        fail(cursor, QUIPU__DUMPI_NO_MEMORY, NULL);
        return NULL;
    }
    ((struct quipu_sized *)(void *)elements)[-1].count = count;
    memset(elements + (size_t)count * size, 0, size);
    return elements;
}

static void load_numbers(const struct quipu__dumpi_step *step, void *elements, const uint8_t *at,
                         uint32_t count) {
    switch (step->wire) {
    case QUIPU__WIRE_I32:
    case QUIPU__WIRE_U32:
        for (uint32_t i = 0; i < count; i++)
            ((uint32_t *)elements)[i] = quipu__load_be32(at + (size_t)i * 4);
        break;
    case QUIPU__WIRE_I16:
        for (uint32_t i = 0; i < count; i++)
            ((uint16_t *)elements)[i] = quipu__load_be16(at + (size_t)i * 2);
        break;
    default: /* one byte in the file, 16 bits in memory */
        for (uint32_t i = 0; i < count; i++)
            ((uint16_t *)elements)[i] = at[i];
        break;
    }
}

static void *take_numbers(struct cursor *cursor, const struct quipu__dumpi_step *step, uint32_t count) {
    const uint8_t *at = take(cursor, (uint64_t)count * quipu__wire_bytes((enum quipu__wire)step->wire));
    void *elements = take_memory(cursor, count, step->size);
    if (at && elements)
        load_numbers(step, elements, at, count);
    return elements;
}

static const char *take_text(struct cursor *cursor, uint8_t wire) {
    uint32_t len;
    if (wire == QUIPU__WIRE_STRING16) {
        const uint8_t *at = take(cursor, 2);
        len = at ? quipu__load_be16(at) : 0;
    } else {
        len = take_count(cursor);
    }
    const uint8_t *bytes = take(cursor, len);
    if (!bytes)
        return NULL;
    const char *text = quipu__scratch_text(&cursor->decoder->scratch, (const char *)bytes, len);
    if (!text)
        fail(cursor, QUIPU__DUMPI_NO_MEMORY, NULL);
    return text;
}

/* A list is not larger in memory than a small multiple of the bytes that are there, whatever its count says. */
static bool is_credible(struct cursor *cursor, uint32_t count, uint32_t least_bytes) {
    const uint64_t left = (uint64_t)(cursor->end - cursor->at);
    const uint64_t need = (uint64_t)count * least_bytes;
    if (cursor->outcome == QUIPU__DUMPI_OK && need > left)
        return take(cursor, need) != NULL; /* words the trouble */
    return cursor->outcome == QUIPU__DUMPI_OK;
}

static void *take_texts(struct cursor *cursor, const struct quipu__dumpi_step *step, uint32_t count) {
    const uint8_t wire = step->wire;
    if (!is_credible(cursor, count, wire == QUIPU__WIRE_STRING16 ? 2 : 4))
        return NULL;
    const char **texts = take_memory(cursor, count, sizeof *texts);
    for (uint32_t i = 0; texts && i < count; i++)
        texts[i] = take_text(cursor, wire);
    return texts;
}

static void run_steps(struct cursor *cursor, const struct quipu__dumpi_step *step, uint8_t *data);

/* Elements that are all numbers take at least their run, others at least a length. */
static uint32_t least_bytes(const struct quipu__dumpi_plan *plan, bool rows) {
    return (plan->bytes ? plan->bytes : 2u) + (rows ? 4u : 0u);
}

/* Elements that are numbers only, which statuses are: one look at the bytes for all of them. */
static void *take_plain_elements(struct cursor *cursor, const struct quipu__dumpi_plan *plan, uint32_t count) {
    const struct quipu__dumpi_step *run = plan->steps;
    const size_t size = plan->type->size;
    const uint8_t *at = take(cursor, (uint64_t)count * run->bytes);
    uint8_t *elements = take_memory(cursor, count, size);
    for (uint32_t i = 0; at && elements && i < count; i++, at += run->bytes)
        for (unsigned n = 1; n <= run->skip; n++)
            quipu__dumpi_load(run + n, elements + i * size, at);
    return elements;
}

static bool is_plain(const struct quipu__dumpi_plan *plan) {
    return plan->steps->op == QUIPU__DUMPI_OP_RUN &&
           plan->steps[1 + plan->steps->skip].op == QUIPU__DUMPI_OP_END;
}

static void *take_elements(struct cursor *cursor, const struct quipu__dumpi_step *step, uint32_t count) {
    const struct quipu__dumpi_plan *plan = &cursor->decoder->codec->elements[step->element];
    const bool rows = step->op == QUIPU__DUMPI_OP_ROWS;
    const size_t size = plan->type->size;
    if (!rows && is_plain(plan))
        return take_plain_elements(cursor, plan, count);
    if (!is_credible(cursor, count, least_bytes(plan, rows)))
        return NULL;
    uint8_t *elements = take_memory(cursor, count, size);
    for (uint32_t i = 0; elements && i < count && cursor->outcome == QUIPU__DUMPI_OK; i++) {
        if (rows && take_count(cursor) != plan->type->field_count)
            fail(cursor, QUIPU__DUMPI_BAD, "a row does not have three numbers");
        memset(elements + i * size, 0, size);
        run_steps(cursor, plan->steps, elements + i * size);
    }
    return elements;
}

/* Statuses of files that have no tags get the tag -1. */
static void *take_statuses(struct cursor *cursor, const struct quipu__dumpi_step *step, uint32_t count) {
    struct quipu__dumpi_status *statuses = take_elements(cursor, step, count);
    if (cursor->decoder->codec->version < QUIPU__DUMPI_TAG_VERSION)
        for (uint32_t i = 0; statuses && i < count; i++)
            statuses[i].tag = QUIPU__DUMPI_ANY_TAG;
    return statuses;
}

static const void *take_raw(struct cursor *cursor) {
    const size_t len = (size_t)(cursor->end - cursor->at);
    const uint8_t *bytes = take(cursor, len);
    return bytes && len < UINT32_MAX ? quipu__scratch_text(&cursor->decoder->scratch, (const char *)bytes, len)
                                     : NULL;
}

/* The number that a list without one of its own depends on. */
static uint32_t depends_on(const struct quipu__dumpi_step *step, const uint8_t *data) {
    const int32_t count = *(const int32_t *)(const void *)(data + step->left);
    return count > 0 ? (uint32_t)count : 0;
}

/* Users of DUMPI's own library expect as many numbers as the count field says; all but the first are zero. Counts
 * that nobody means, since no bytes stand behind them, are not followed. */
static const void *take_bare(struct cursor *cursor, const struct quipu__dumpi_step *step, const uint8_t *data) {
    const bool follows = cursor->decoder->codec->replace_counts && step->left != QUIPU__DUMPI_NO_COUNT;
    const uint32_t count = follows ? depends_on(step, data) : 1;
    if (count <= 1 || count > BARE_LIMIT)
        return take_numbers(cursor, step, 1);
    const uint8_t *at = take(cursor, quipu__wire_bytes((enum quipu__wire)step->wire));
    uint8_t *elements = at ? take_memory(cursor, count, step->size) : NULL;
    if (elements) {
        memset(elements, 0, (size_t)count * step->size);
        load_numbers(step, elements, at, 1);
    }
    return elements;
}

static const void *take_list(struct cursor *cursor, const struct quipu__dumpi_step *step, uint8_t *data) {
    uint32_t count;
    switch ((enum quipu__dumpi_op)step->op) {
    case QUIPU__DUMPI_OP_TEXT:
        return take_text(cursor, step->wire);
    case QUIPU__DUMPI_OP_UNCOUNTED:
        return take_texts(cursor, step, depends_on(step, data));
    case QUIPU__DUMPI_OP_BARE:
        return take_bare(cursor, step, data);
    case QUIPU__DUMPI_OP_SLOTS:
        return take_numbers(cursor, step, QUIPU__DUMPI_SLOTS);
    case QUIPU__DUMPI_OP_RAW:
        return take_raw(cursor);
    case QUIPU__DUMPI_OP_STATUSES:
        return (cursor->decoder->common.mask & QUIPU__DUMPI_MASK_STATUS)
                   ? take_statuses(cursor, step, take_count(cursor))
                   : NULL;
    default:
        break;
    }
    count = take_count(cursor);
    if (cursor->decoder->codec->replace_counts && step->left != QUIPU__DUMPI_NO_COUNT)
        *(uint32_t *)(void *)(data + step->left) = count;
    switch ((enum quipu__dumpi_op)step->op) {
    case QUIPU__DUMPI_OP_TEXTS:
        return take_texts(cursor, step, count);
    case QUIPU__DUMPI_OP_ELEMENTS:
    case QUIPU__DUMPI_OP_ROWS:
        return take_elements(cursor, step, count);
    default:
        return take_numbers(cursor, step, count);
    }
}

/* Runs a plan from step on. */
static void run_steps(struct cursor *cursor, const struct quipu__dumpi_step *step, uint8_t *data) {
    for (; step->op != QUIPU__DUMPI_OP_END && cursor->outcome == QUIPU__DUMPI_OK; step++) {
        if (step->op == QUIPU__DUMPI_OP_RUN) {
            const uint8_t *run = take(cursor, step->bytes);
            for (unsigned i = 1; run && i <= step->skip; i++)
                quipu__dumpi_load(step + i, data, run);
            step += step->skip;
        } else if (step->op == QUIPU__DUMPI_OP_UNLESS) {
            if (memcmp(data + step->left, data + step->right, sizeof(int32_t)) != 0)
                step += step->skip;
        } else {
            const void *list = take_list(cursor, step, data);
            memcpy(data + step->member, &list, sizeof list);
        }
    }
}

const uint8_t *quipu__dumpi_decode_lists(struct quipu__dumpi_decoder *decoder,
                                         const struct quipu__dumpi_step *steps, void *data,
                                         const uint8_t *begin, const uint8_t *at, const uint8_t *end,
                                         enum quipu__dumpi_outcome *outcome) {
    struct cursor cursor = {decoder, begin, at, end, QUIPU__DUMPI_OK};
    run_steps(&cursor, steps, data);
    *outcome = cursor.outcome;
    return cursor.outcome == QUIPU__DUMPI_OK ? cursor.at : NULL;
}

const uint8_t *quipu__dumpi_decode_counters(struct quipu__dumpi_decoder *decoder, const uint8_t *begin,
                                            const uint8_t *at, const uint8_t *end,
                                            enum quipu__dumpi_outcome *outcome) {
    struct cursor cursor = {decoder, begin, at, end, QUIPU__DUMPI_OK};
    const uint8_t *number = take(&cursor, 1);
    const uint32_t count = number ? *number : 0;
    const uint8_t *pairs = take(&cursor, (uint64_t)count * 16);
    struct quipu__dumpi_counter *counters = take_memory(&cursor, count, sizeof *counters);
    for (uint32_t i = 0; pairs && counters && i < count; i++) {
        counters[i].in = (int64_t)quipu__load_be64(pairs + (size_t)i * 16);
        counters[i].out = (int64_t)quipu__load_be64(pairs + (size_t)i * 16 + 8);
    }
    decoder->common.counters = counters;
    *outcome = cursor.outcome;
    return cursor.outcome == QUIPU__DUMPI_OK ? cursor.at : NULL;
}

enum quipu__dumpi_outcome quipu__dumpi_decode_short(struct quipu__dumpi_decoder *decoder, const uint8_t *at,
                                                    const uint8_t *end) {
    decoder->need = 2;
    if (end - at < 2)
        return QUIPU__DUMPI_MORE;
    const uint16_t id = quipu__load_be16(at);
    if (id == QUIPU__DUMPI_END || id == QUIPU__DUMPI_OLD_END)
        return QUIPU__DUMPI_ENDS;
    decoder->need = QUIPU__DUMPI_RECORD_LEAST;
    if (quipu__dumpi_type_of(id) != QUIPU_NONE)
        return QUIPU__DUMPI_MORE;
    decoder->fault = "there is no record type of that number";
    return QUIPU__DUMPI_BAD;
}

enum quipu__dumpi_outcome quipu__dumpi_decode_section(struct quipu__dumpi_decoder *decoder, uint32_t type,
                                                      const uint8_t *at, const uint8_t *end,
                                                      const uint8_t **next) {
    const struct quipu__dumpi_plan *plan = &decoder->codec->plans[type];
    struct cursor cursor = {decoder, at, at, end, QUIPU__DUMPI_OK};
    quipu__scratch_reset(&decoder->scratch);
    decoder->type = type;
    memset(&decoder->data, 0, plan->type->size);
    run_steps(&cursor, plan->steps, (uint8_t *)&decoder->data);
    *next = cursor.at;
    return cursor.outcome;
}

void quipu__dumpi_decoder_init(struct quipu__dumpi_decoder *decoder, struct quipu__memory *memory,
                               const struct quipu__dumpi_codec *codec) {
    *decoder = (struct quipu__dumpi_decoder){.codec = codec, .limit = QUIPU__DUMPI_RECORD_LIMIT};
    quipu__scratch_init(&decoder->scratch, memory);
}

void quipu__dumpi_decoder_release(struct quipu__dumpi_decoder *decoder) {
    quipu__scratch_release(&decoder->scratch);
}
