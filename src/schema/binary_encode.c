/* binary_encode.c: records to bytes, by the plans. Mirrors binary_decode.c. The length of a list or text is that of its
 * sized memory, never that of a count field, unless the file has only that field to say it. */
#include "schema/binary.h"

#include <math.h>

/* ---- Numbers ---- */

static void store_raw(uint8_t *at, unsigned bytes, bool is_big_endian, uint64_t value) {
    for (unsigned i = 0; i < bytes; i++)
        at[is_big_endian ? bytes - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

/* The bits of a double in the type; *narrowed when it does not come back the same. */
static uint64_t bits_of_real(const struct quipu__number_type *type, double real, bool *narrowed) {
    if (type->kind == QUIPU__NUMBER_FLOAT) {
        const float narrow = (float)real;
        uint32_t narrow_bits;
        memcpy(&narrow_bits, &narrow, sizeof narrow_bits);
        *narrowed = type->bytes == sizeof narrow && real == real && (double)narrow != real;
        uint64_t bits;
        memcpy(&bits, &real, sizeof bits);
        return type->bytes == sizeof narrow ? narrow_bits : bits;
    }
    const bool fits = real > -9223372036854775808.0 && real < 9223372036854775808.0;
    const int64_t whole = fits ? (int64_t)real : 0;
    *narrowed = !fits || (double)whole != real;
    return (uint64_t)whole;
}

/* A number of either kind: its bits for a type of the same kind, else the nearest value of the type. */
static uint64_t bits_of_number(const struct quipu__number_type *type, const struct quipu_number *number,
                               bool *narrowed) {
    if (number->is_real)
        return bits_of_real(type, number->f, narrowed);
    if (type->kind != QUIPU__NUMBER_FLOAT)
        return (uint64_t)number->i;
    const double real = number->is_signed ? (double)number->i : (double)(uint64_t)number->i;
    const uint64_t bits = bits_of_real(type, real, narrowed);
    *narrowed = *narrowed || fabs(real) > 9007199254740992.0; /* 2^53: some larger integers are not doubles */
    return bits;
}

/* The bits of a member in the type, as wide as they are in memory. */
static uint64_t bits_of(const struct quipu__binary_step *step, const void *member, bool *narrowed) {
    int64_t integer;
    if (step->storage == QUIPU_STORE_NUMBER)
        return bits_of_number(&step->type, member, narrowed);
    if (quipu__load_integer((enum quipu_storage)step->storage, member, &integer))
        return (uint64_t)integer;
    return bits_of_real(&step->type, *(const double *)member, narrowed);
}

/* The value of a member in the file. */
static uint64_t value_of(const struct quipu__binary_step *step, const uint8_t *member, bool *narrowed) {
    const unsigned shift = 64 - 8u * step->type.bytes;
    *narrowed = false;
    const uint64_t value = bits_of(step, member, narrowed);
    if (*narrowed || step->type.kind == QUIPU__NUMBER_FLOAT || step->size <= step->type.bytes)
        return value;
    const uint64_t sign = step->type.kind == QUIPU__NUMBER_SIGNED ? UINT64_C(1) << (63 - shift) : 0;
    const uint64_t cut = value << shift >> shift;
    *narrowed = (cut ^ sign) - sign != value;
    return value;
}

struct writing {
    struct quipu__binary_encoder *encoder;
    struct quipu__buffer *out;
    size_t first; /* where the record begins in out */
};

static bool is_big_endian(const struct writing *writing) {
    return writing->encoder->codec->machine.is_big_endian;
}

static void put_raw(const struct writing *writing, const struct quipu__number_type *type, uint64_t value) {
    uint8_t bytes[8];
    store_raw(bytes, type->bytes, is_big_endian(writing), value);
    quipu__put(writing->out, bytes, type->bytes);
}

static void store_number(const struct writing *writing, const struct quipu__binary_step *step,
                         const uint8_t *member, uint8_t *at) {
    bool narrowed;
    store_raw(at, step->type.bytes, is_big_endian(writing), value_of(step, member, &narrowed));
    writing->encoder->narrowed += narrowed;
}

/* Stores numbers of canonical types directly, all others by their type. */
static void store_fast(const struct writing *writing, const struct quipu__binary_step *step,
                       const uint8_t *member, uint8_t *at) {
    if (step->load == QUIPU__LOAD_8)
        *at = *member;
    else if (step->load == QUIPU__LOAD_32 && is_big_endian(writing))
        quipu__store_be32(at, *(const uint32_t *)(const void *)member);
    else if (step->load == QUIPU__LOAD_16 && is_big_endian(writing))
        quipu__store_be16(at, *(const uint16_t *)(const void *)member);
    else if (step->load == QUIPU__LOAD_64 && is_big_endian(writing))
        quipu__store_be64(at, *(const uint64_t *)(const void *)member);
    else
        store_number(writing, step, member, at);
}

static void put_span(const struct writing *writing, const struct quipu__binary_step *fixed,
                     const uint8_t *data) {
    uint8_t *room = quipu__buffer_room(writing->out, fixed->bytes);
    if (!room)
        return;
    if (fixed->left > 0)
        memset(room, 0, fixed->bytes);
    for (unsigned i = 1; i <= fixed->skip; i++)
        store_fast(writing, fixed + i, data + fixed[i].member, room + fixed[i].bytes);
    writing->out->len += fixed->bytes;
}

static void put_numbers(const struct writing *writing, const struct quipu__binary_step *step,
                        const uint8_t *elements, uint32_t count) {
    uint8_t bytes[8];
    for (uint32_t i = 0; i < count && !writing->out->failed; i++) {
        store_fast(writing, step, elements + (size_t)i * step->size, bytes);
        quipu__put(writing->out, bytes, step->type.bytes);
    }
}

static void put_zeros(const struct writing *writing, uint64_t bytes) {
    static const uint8_t zeros[64];
    for (; bytes > 0 && !writing->out->failed; bytes -= bytes < sizeof zeros ? bytes : sizeof zeros)
        quipu__put(writing->out, zeros, bytes < sizeof zeros ? (size_t)bytes : sizeof zeros);
}

/* Exactly count numbers, zeros when the list is shorter. */
static void put_exactly(const struct writing *writing, const struct quipu__binary_step *step,
                        const uint8_t *elements, uint32_t count) {
    const uint32_t there = quipu_sized_count(elements) < count ? quipu_sized_count(elements) : count;
    put_numbers(writing, step, elements, there);
    put_zeros(writing, (uint64_t)(count - there) * step->type.bytes);
}

static void put_count(const struct writing *writing, uint32_t count) {
    put_raw(writing, &writing->encoder->codec->count, count);
}

/* ---- Texts ---- */

/* The number before a text may be too narrow for its length: then the text is cut. */
static void put_text(const struct writing *writing, const struct quipu__binary_step *step, const char *text) {
    const uint64_t most = step->type.bytes >= 4 ? INT32_MAX : (UINT64_C(1) << 8 * step->type.bytes) - 1;
    uint32_t len = quipu_sized_count(text);
    writing->encoder->narrowed += len > most;
    len = len < most ? len : (uint32_t)most;
    put_raw(writing, &step->type, len);
    quipu__put(writing->out, text, len);
}

static void put_characters(const struct writing *writing, const struct quipu__binary_step *step,
                           const char *text) {
    const uint32_t there = quipu_sized_count(text), len = there < step->bytes ? there : step->bytes;
    writing->encoder->narrowed += there > step->bytes;
    quipu__put(writing->out, text, len);
    put_zeros(writing, step->bytes - len);
}

/* That many texts, empty ones when the list is shorter. */
static void put_texts(const struct writing *writing, const struct quipu__binary_step *step,
                      const char *const *texts, uint32_t count) {
    for (uint32_t i = 0; i < count && !writing->out->failed; i++)
        put_text(writing, step, i < quipu_sized_count(texts) ? texts[i] : NULL);
}

/* ---- Lists ---- */

static void put_steps(const struct writing *writing, const struct quipu__binary_step *step,
                      const uint8_t *data);

static void put_structs(const struct writing *writing, const struct quipu__binary_step *step,
                        const uint8_t *elements, uint32_t count) {
    const struct quipu__binary_plan *plan = &writing->encoder->codec->plans[step->element];
    for (uint32_t i = 0; i < count && !writing->out->failed; i++) {
        if (step->op == QUIPU__OP_ROWS)
            put_count(writing, plan->type->field_count);
        put_steps(writing, plan->steps, elements + (size_t)i * plan->type->size);
    }
}

/* As many elements as the count field says, since nothing else does. */
static void put_from_field(const struct writing *writing, const struct quipu__binary_step *step,
                           const uint8_t *data, const void *list) {
    const uint32_t count = quipu__binary_count(step, data);
    const uint32_t there = quipu_sized_count(list) < count ? quipu_sized_count(list) : count;
    if (step->element) {
        put_structs(writing, step, list, there);
        put_zeros(writing, (uint64_t)(count - there) * writing->encoder->codec->plans[step->element].stride);
    } else if (step->storage == QUIPU_STORE_STRING) {
        put_texts(writing, step, list, count);
    } else {
        put_exactly(writing, step, list, count);
    }
}

static void put_counted(const struct writing *writing, const struct quipu__binary_step *step,
                        const void *list) {
    const uint32_t count = quipu_sized_count(list);
    put_count(writing, count);
    if (step->op == QUIPU__OP_TEXTS)
        put_texts(writing, step, list, count);
    else if (step->op == QUIPU__OP_NUMBERS)
        put_numbers(writing, step, list, count);
    else
        put_structs(writing, step, list, count);
}

static void put_list(const struct writing *writing, const struct quipu__binary_step *step,
                     const uint8_t *data) {
    const void *list;
    memcpy(&list, data + step->member, sizeof list);
    switch ((enum quipu__binary_op)step->op) {
    case QUIPU__OP_TEXT:
        put_text(writing, step, list);
        break;
    case QUIPU__OP_CHARACTERS:
        put_characters(writing, step, list);
        break;
    case QUIPU__OP_FROM_FIELD:
        put_from_field(writing, step, data, list);
        break;
    case QUIPU__OP_ONE:
        put_exactly(writing, step, list, 1);
        break;
    case QUIPU__OP_SLOTS:
        put_exactly(writing, step, list, writing->encoder->codec->machine.slots);
        break;
    case QUIPU__OP_REST:
        quipu__put(writing->out, list, quipu_sized_count(list));
        break;
    case QUIPU__OP_MARKED:
        if (writing->encoder->is_marked)
            put_counted(writing, step, list);
        break;
    default:
        put_counted(writing, step, list);
        break;
    }
}

/* ---- Plans ---- */

static uint32_t tail_bytes(const struct quipu__binary_step *step, size_t offset) {
    return step->alignment ? (uint32_t)(-offset % step->alignment) : step->bytes;
}

static void put_steps(const struct writing *writing, const struct quipu__binary_step *step,
                      const uint8_t *data) {
    for (; step->op != QUIPU__OP_END; step++) {
        if (step->op == QUIPU__OP_FIXED) {
            put_span(writing, step, data);
            step += step->skip;
        } else if (step->op == QUIPU__OP_UNLESS) {
            if (memcmp(data + step->left, data + step->right, sizeof(int32_t)) != 0)
                step += step->skip;
        } else if (step->op == QUIPU__OP_TAIL) {
            put_zeros(writing, tail_bytes(step, writing->out->len - writing->first));
        } else {
            put_list(writing, step, data);
        }
    }
}

void quipu__binary_encode(struct quipu__binary_encoder *encoder, uint32_t type, const void *data,
                          struct quipu__buffer *out) {
    const struct writing writing = {encoder, out, out->len};
    put_steps(&writing, encoder->codec->plans[type].steps, data);
}

bool quipu__binary_store_number(const struct quipu__number_type *type, bool is_big_endian,
                                const struct quipu_number *number, uint8_t *at) {
    const struct quipu__binary_step step = {
        .type = *type, .storage = QUIPU_STORE_NUMBER, .size = sizeof *number};
    bool narrowed;
    store_raw(at, type->bytes, is_big_endian, value_of(&step, (const uint8_t *)number, &narrowed));
    return !narrowed;
}
