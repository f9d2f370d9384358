/* binary_decode.c: the part of decoding that not every record needs: lists, texts, conditions. Runs of numbers are decoded
 * inline (binary.h). binary_encode.c mirrors this file. */
#include "schema/binary.h"

/* The most numbers to which a list of one is filled up. */
#define ONE_LIMIT 4096u

/* What is left of the window while one record is decoded. A failed consume says why in outcome, and all later ones fail too. */
struct cursor {
    struct quipu__binary_decoder *decoder;
    const uint8_t *record, *at, *end;
    enum quipu__binary_outcome outcome;
};

static void fail(struct cursor *cursor, enum quipu__binary_outcome outcome, const char *fault) {
    if (cursor->outcome != QUIPU__BINARY_OK)
        return;
    cursor->outcome = outcome;
    cursor->decoder->fault = fault;
}

/* Something that would be longer than the stream is not a record. */
enum quipu__binary_outcome quipu__binary_lacks(struct quipu__binary_decoder *decoder, uint64_t need) {
    const bool is_beyond = need > decoder->limit;
    decoder->need = (size_t)need;
    decoder->fault = is_beyond ? "a length goes beyond the end of the stream" : NULL;
    return is_beyond ? QUIPU__BINARY_BAD : QUIPU__BINARY_MORE;
}

static const uint8_t *fall_short(struct cursor *cursor, uint64_t bytes) {
    if (cursor->outcome == QUIPU__BINARY_OK)
        cursor->outcome = quipu__binary_lacks(cursor->decoder, (uint64_t)(cursor->at - cursor->record) + bytes);
    return NULL;
}

/* The next bytes, or NULL. */
QUIPU__INLINE const uint8_t *consume(struct cursor *cursor, uint64_t bytes) {
    if (QUIPU__UNLIKELY(cursor->outcome != QUIPU__BINARY_OK || (uint64_t)(cursor->end - cursor->at) < bytes))
        return fall_short(cursor, bytes);
    const uint8_t *taken = cursor->at;
    cursor->at += bytes;
    return taken;
}

static const struct quipu__machine *machine_of(const struct cursor *cursor) {
    return &cursor->decoder->codec->machine;
}

/* Sized memory for the elements of a list, followed by one zeroed element, as lists of texts require. */
static void *take_memory(struct cursor *cursor, uint32_t count, size_t size) {
    if (cursor->outcome != QUIPU__BINARY_OK || count == 0)
        return NULL;
    uint8_t *elements = quipu__scratch_sized(&cursor->decoder->scratch, count + 1, size);
    if (!elements) {
        fail(cursor, QUIPU__BINARY_NO_MEMORY, NULL);
        return NULL;
    }
    ((struct quipu_sized *)(void *)elements)[-1].count = count;
    memset(elements + (size_t)count * size, 0, size);
    return elements;
}

/* ---- Numbers ---- */

static uint64_t load_raw(unsigned bytes, bool is_big_endian, const uint8_t *at) {
    switch (bytes) {
    case 1:
        return *at;
    case 2:
        return is_big_endian ? quipu__load_be16(at) : quipu__load_le16(at);
    case 4:
        return is_big_endian ? quipu__load_be32(at) : quipu__load_le32(at);
    default:
        return is_big_endian ? quipu__load_be64(at) : quipu__load_le64(at);
    }
}

static uint64_t widen_real(unsigned bytes, uint64_t raw) {
    float narrow;
    double wide;
    const uint32_t bits = (uint32_t)raw;
    if (bytes != sizeof narrow)
        return raw;
    memcpy(&narrow, &bits, sizeof narrow);
    wide = (double)narrow;
    memcpy(&raw, &wide, sizeof raw);
    return raw;
}

/* A number of any type, widened to 64 bits; floating ones as the bits of a double. */
static uint64_t load_any(const struct quipu__number_type *type, bool is_big_endian, const uint8_t *at) {
    const uint64_t raw = load_raw(type->bytes, is_big_endian, at);
    const unsigned shift = 64 - 8u * type->bytes;
    if (type->kind == QUIPU__NUMBER_FLOAT)
        return widen_real(type->bytes, raw);
    if (type->kind == QUIPU__NUMBER_UNSIGNED || shift == 0)
        return raw;
    const uint64_t sign = UINT64_C(1) << (8u * type->bytes - 1);
    return (raw ^ sign) - sign;
}

static double real_of(const struct quipu__number_type *type, uint64_t value) {
    double real;
    memcpy(&real, &value, sizeof real);
    if (type->kind == QUIPU__NUMBER_FLOAT)
        return real;
    return type->kind == QUIPU__NUMBER_SIGNED ? (double)(int64_t)value : (double)value;
}

static void store_as_is(const struct quipu__number_type *type, uint64_t value, struct quipu_number *number) {
    number->is_real = type->kind == QUIPU__NUMBER_FLOAT;
    number->is_signed = type->kind == QUIPU__NUMBER_SIGNED;
    memcpy(&number->i, &value, sizeof value);
}

struct quipu_number quipu__binary_load_number(const struct quipu__number_type *type, bool is_big_endian,
                                              const uint8_t *at) {
    struct quipu_number number = {.i = 0};
    store_as_is(type, load_any(type, is_big_endian, at), &number);
    return number;
}

void quipu__binary_load_other(const struct quipu__binary_step *step, bool is_big_endian, void *member,
                              const uint8_t *at) {
    const uint64_t value = load_any(&step->type, is_big_endian, at);
    if (step->storage == QUIPU_STORE_F64)
        *(double *)member = real_of(&step->type, value);
    else if (step->storage == QUIPU_STORE_NUMBER)
        store_as_is(&step->type, value, member);
    else
        quipu__store_integer((enum quipu_storage)step->storage, member, (int64_t)value);
}

static uint64_t load_count(const struct quipu__number_type *type, bool is_big_endian, const uint8_t *at) {
    if (type->bytes == 4) /* negative or too large alike */
        return is_big_endian ? quipu__load_be32(at) : quipu__load_le32(at);
    return load_any(type, is_big_endian, at);
}

/* A number of things; 0 when there is none. */
QUIPU__INLINE uint32_t take_number(struct cursor *cursor, const struct quipu__number_type *type) {
    const uint8_t *at = consume(cursor, type->bytes);
    const uint64_t count = at ? load_count(type, machine_of(cursor)->is_big_endian, at) : 0;
    if (count <= INT32_MAX)
        return (uint32_t)count;
    fail(cursor, QUIPU__BINARY_BAD, "a length is negative");
    return 0;
}

static uint32_t take_count(struct cursor *cursor) {
    return take_number(cursor, &cursor->decoder->codec->count);
}

static void load_numbers(const struct cursor *cursor, const struct quipu__binary_step *step, uint8_t *elements,
                         const uint8_t *at, uint32_t count) {
    const bool is_big_endian = machine_of(cursor)->is_big_endian;
    struct quipu__binary_step one = *step;
    one.bytes = one.member = 0;
    for (uint32_t i = 0; i < count; i++)
        quipu__binary_load(&one, is_big_endian, elements + (size_t)i * step->size,
                           at + (size_t)i * step->type.bytes);
}

static void *take_numbers(struct cursor *cursor, const struct quipu__binary_step *step, uint32_t count) {
    const uint8_t *at = consume(cursor, (uint64_t)count * step->type.bytes);
    void *elements = take_memory(cursor, count, step->size);
    if (at && elements)
        load_numbers(cursor, step, elements, at, count);
    return elements;
}

/* ---- Texts ---- */

static const char *copy_text(struct cursor *cursor, const uint8_t *bytes, size_t len) {
    const char *text = bytes ? quipu__scratch_text(&cursor->decoder->scratch, (const char *)bytes, len) : NULL;
    if (bytes && !text)
        fail(cursor, QUIPU__BINARY_NO_MEMORY, NULL);
    return text;
}

static const char *take_text(struct cursor *cursor, const struct quipu__binary_step *step) {
    const uint32_t len = take_number(cursor, &step->type);
    return copy_text(cursor, consume(cursor, len), len);
}

/* A text in an array of fixed length ends at its first NUL, or with the array. */
static const char *take_characters(struct cursor *cursor, const struct quipu__binary_step *step) {
    const uint8_t *bytes = consume(cursor, step->bytes);
    const uint8_t *nul = bytes ? memchr(bytes, 0, step->bytes) : NULL;
    return copy_text(cursor, bytes, nul ? (size_t)(nul - bytes) : step->bytes);
}

static const void *take_rest(struct cursor *cursor) {
    const size_t len = (size_t)(cursor->end - cursor->at);
    return len < UINT32_MAX ? copy_text(cursor, consume(cursor, len), len) : NULL;
}

/* In memory a list is at most a small multiple of the bytes present, whatever its count says. */
static bool is_credible(struct cursor *cursor, uint32_t count, uint32_t least_bytes) {
    const uint64_t left = (uint64_t)(cursor->end - cursor->at);
    const uint64_t need = (uint64_t)count * least_bytes;
    if (cursor->outcome == QUIPU__BINARY_OK && need > left)
        return consume(cursor, need) != NULL; /* describes the error */
    return cursor->outcome == QUIPU__BINARY_OK;
}

static void *take_texts(struct cursor *cursor, const struct quipu__binary_step *step, uint32_t count) {
    if (!is_credible(cursor, count, step->type.bytes))
        return NULL;
    const char **texts = take_memory(cursor, count, sizeof *texts);
    for (uint32_t i = 0; texts && i < count; i++)
        texts[i] = take_text(cursor, step);
    return texts;
}

/* ---- Structs ---- */

static void run_steps(struct cursor *cursor, const struct quipu__binary_step *step, uint8_t *data);

/* Loads structs that consist only of numbers. */
QUIPU__INLINE void load_structs(const struct quipu__binary_plan *plan, bool is_big_endian, uint8_t *elements,
                                const uint8_t *at, uint32_t count) {
    const struct quipu__binary_step *const fixed = plan->steps;
    const size_t size = plan->type->size;
    for (; count > 0; count--, elements += size, at += plan->stride)
        for (unsigned n = 1; n <= fixed->skip; n++)
            quipu__binary_load(fixed + n, is_big_endian, elements, at);
}

/* Checks the bytes once for all of them. Members that the version lacks become zero. */
static void *take_arrays(struct cursor *cursor, const struct quipu__binary_plan *plan, uint32_t count) {
    const size_t size = plan->type->size;
    const uint8_t *at = consume(cursor, (uint64_t)count * plan->stride);
    uint8_t *elements = take_memory(cursor, count, size);
    if (!elements)
        return NULL;
    if (plan->lacks_fields)
        memset(elements, 0, count * size);
    if (machine_of(cursor)->is_big_endian)
        load_structs(plan, true, elements, at, count);
    else
        load_structs(plan, false, elements, at, count);
    return elements;
}

static void *take_structs(struct cursor *cursor, const struct quipu__binary_step *step, uint32_t count) {
    const struct quipu__binary_plan *plan = &cursor->decoder->codec->plans[step->element];
    const bool has_counts = step->op == QUIPU__OP_ROWS;
    const size_t size = plan->type->size;
    if (plan->has_only_numbers && !has_counts)
        return take_arrays(cursor, plan, count);
    if (!is_credible(cursor, count, (plan->bytes ? plan->bytes : 2u) + (has_counts ? 4u : 0u)))
        return NULL;
    uint8_t *elements = take_memory(cursor, count, size);
    for (uint32_t i = 0; elements && i < count && cursor->outcome == QUIPU__BINARY_OK; i++) {
        if (has_counts && take_count(cursor) != plan->type->field_count)
            fail(cursor, QUIPU__BINARY_BAD, "a row has another number of values than its type");
        memset(elements + i * size, 0, size);
        run_steps(cursor, plan->steps, elements + i * size);
    }
    return elements;
}

/* ---- Lists ---- */

uint32_t quipu__binary_count(const struct quipu__binary_step *step, const void *data) {
    int64_t count;
    quipu__load_integer((enum quipu_storage)step->left_storage, (const uint8_t *)data + step->left, &count);
    if (count <= 0)
        return 0;
    return count > INT32_MAX ? INT32_MAX : (uint32_t)count;
}

/* If decoding replaces counts, there are as many numbers as the count field says, all but the first zero. Counts without bytes
 * to support them are followed only up to a limit. */
static const void *take_one(struct cursor *cursor, const struct quipu__binary_step *step, const uint8_t *data) {
    const uint32_t count = step->left != QUIPU__BINARY_NO_COUNT ? quipu__binary_count(step, data) : 1;
    if (count <= 1 || count > ONE_LIMIT)
        return take_numbers(cursor, step, 1);
    const uint8_t *at = consume(cursor, step->type.bytes);
    uint8_t *elements = at ? take_memory(cursor, count, step->size) : NULL;
    if (elements) {
        memset(elements, 0, (size_t)count * step->size);
        load_numbers(cursor, step, elements, at, 1);
    }
    return elements;
}

static const void *take_from_field(struct cursor *cursor, const struct quipu__binary_step *step,
                                   const uint8_t *data) {
    const uint32_t count = quipu__binary_count(step, data);
    if (step->element)
        return take_structs(cursor, step, count);
    return step->storage == QUIPU_STORE_STRING ? take_texts(cursor, step, count)
                                               : take_numbers(cursor, step, count);
}

/* A list preceded by its number. */
static const void *take_counted(struct cursor *cursor, const struct quipu__binary_step *step, uint8_t *data) {
    const uint32_t count = take_count(cursor);
    if (step->left != QUIPU__BINARY_NO_COUNT)
        *(uint32_t *)(void *)(data + step->left) = count;
    if (step->op == QUIPU__OP_TEXTS)
        return take_texts(cursor, step, count);
    return step->op == QUIPU__OP_NUMBERS ? take_numbers(cursor, step, count)
                                         : take_structs(cursor, step, count);
}

static const void *take_list(struct cursor *cursor, const struct quipu__binary_step *step, uint8_t *data) {
    switch ((enum quipu__binary_op)step->op) {
    case QUIPU__OP_TEXT:
        return take_text(cursor, step);
    case QUIPU__OP_CHARACTERS:
        return take_characters(cursor, step);
    case QUIPU__OP_FROM_FIELD:
        return take_from_field(cursor, step, data);
    case QUIPU__OP_ONE:
        return take_one(cursor, step, data);
    case QUIPU__OP_SLOTS:
        return take_numbers(cursor, step, machine_of(cursor)->slots);
    case QUIPU__OP_REST:
        return take_rest(cursor);
    case QUIPU__OP_MARKED:
        if (!cursor->decoder->is_marked)
            return NULL;
        break;
    default:
        break;
    }
    return take_counted(cursor, step, data);
}

/* ---- Plans ---- */

static void take_run(struct cursor *cursor, const struct quipu__binary_step *fixed, uint8_t *data) {
    const bool is_big_endian = machine_of(cursor)->is_big_endian;
    const uint8_t *at = consume(cursor, fixed->bytes);
    for (unsigned i = 1; at && i <= fixed->skip; i++)
        quipu__binary_load(fixed + i, is_big_endian, data, at);
}

static uint32_t tail_bytes(const struct quipu__binary_step *step, size_t offset) {
    return step->alignment ? (uint32_t)(-offset % step->alignment) : step->bytes;
}

static void run_steps(struct cursor *cursor, const struct quipu__binary_step *step, uint8_t *data) {
    for (; step->op != QUIPU__OP_END && cursor->outcome == QUIPU__BINARY_OK; step++) {
        if (step->op == QUIPU__OP_FIXED) {
            take_run(cursor, step, data);
            step += step->skip;
        } else if (step->op == QUIPU__OP_UNLESS) {
            if (memcmp(data + step->left, data + step->right, sizeof(int32_t)) != 0)
                step += step->skip;
        } else if (step->op == QUIPU__OP_TAIL) {
            consume(cursor, tail_bytes(step, (size_t)(cursor->at - cursor->record)));
        } else {
            const void *list = take_list(cursor, step, data);
            memcpy(data + step->member, &list, sizeof list);
        }
    }
}

const uint8_t *quipu__binary_run(struct quipu__binary_decoder *decoder, const struct quipu__binary_step *step,
                                 void *data, const uint8_t *record, const uint8_t *at, const uint8_t *end,
                                 enum quipu__binary_outcome *outcome) {
    struct cursor cursor = {decoder, record, at, end, QUIPU__BINARY_OK};
    run_steps(&cursor, step, data);
    *outcome = cursor.outcome;
    return cursor.outcome == QUIPU__BINARY_OK ? cursor.at : NULL;
}

enum quipu__binary_outcome quipu__binary_decode(struct quipu__binary_decoder *decoder, uint32_t type,
                                                void *data, const uint8_t *at, const uint8_t *end,
                                                const uint8_t **next) {
    const struct quipu__binary_plan *plan = &decoder->codec->plans[type];
    enum quipu__binary_outcome outcome;
    quipu__scratch_reset(&decoder->scratch);
    if (plan->is_sparse)
        memset(data, 0, plan->type->size);
    *next = quipu__binary_run(decoder, plan->steps, data, at, at, end, &outcome);
    return outcome;
}

void quipu__binary_decoder_init(struct quipu__binary_decoder *decoder, struct quipu__memory *memory,
                                const struct quipu__binary_codec *codec, uint64_t limit) {
    *decoder = (struct quipu__binary_decoder){.codec = codec, .limit = limit};
    quipu__scratch_init(&decoder->scratch, memory);
}
