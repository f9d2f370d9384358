/* encode.c: records to bytes, by the plans. Mirrors decode.c; a record of a list longer than its text or array says
 * so by the sized memory that holds it, never by a count field. */
#include "formats/dumpi/codec.h"

#include <limits.h>

#define NS_PER_SECOND 1000000000

static void put_number(const struct quipu__dumpi_step *step, const uint8_t *member, struct quipu__buffer *out) {
    switch (step->wire) {
    case QUIPU__WIRE_I32:
    case QUIPU__WIRE_U32:
        quipu__put_be32(out, *(const uint32_t *)(const void *)member);
        break;
    case QUIPU__WIRE_I16:
    case QUIPU__WIRE_U16:
        quipu__put_be16(out, *(const uint16_t *)(const void *)member);
        break;
    case QUIPU__WIRE_64:
        quipu__put_be64(out, *(const uint64_t *)(const void *)member);
        break;
    default:
        quipu__put_u8(out, step->size == 2 ? (uint8_t) * (const uint16_t *)(const void *)member : *member);
        break;
    }
}

static void put_numbers(const struct quipu__dumpi_step *step, const uint8_t *elements, uint32_t count,
                        struct quipu__buffer *out) {
    for (uint32_t i = 0; i < count; i++)
        put_number(step, elements + (size_t)i * step->size, out);
}

/* A length of 16 bits cuts longer texts. */
static void put_text(const struct quipu__dumpi_step *step, const char *text, struct quipu__buffer *out) {
    uint32_t len = quipu_sized_count(text);
    if (step->wire == QUIPU__WIRE_STRING16) {
        len = len < UINT16_MAX ? len : UINT16_MAX;
        quipu__put_be16(out, (uint16_t)len);
    } else {
        quipu__put_be32(out, len);
    }
    quipu__put(out, text, len);
}

static void put_texts(const struct quipu__dumpi_step *step, const char *const *texts, uint32_t count,
                      struct quipu__buffer *out) {
    for (uint32_t i = 0; i < count; i++)
        put_text(step, texts[i], out);
}

/* Exactly count numbers, zeros when the list is shorter. */
static void put_exactly(const struct quipu__dumpi_step *step, const uint8_t *elements, uint32_t count,
                        struct quipu__buffer *out) {
    static const uint64_t zero = 0;
    const uint32_t there = quipu_sized_count(elements) < count ? quipu_sized_count(elements) : count;
    put_numbers(step, elements, there, out);
    for (uint32_t i = there; i < count; i++)
        put_number(step, (const uint8_t *)&zero, out);
}

/* As many texts as the count field says, since nothing else does. */
static void put_uncounted(const struct quipu__dumpi_step *step, const char *const *texts, int32_t count,
                          struct quipu__buffer *out) {
    for (uint32_t i = 0; count > 0 && i < (uint32_t)count && !out->failed; i++)
        put_text(step, i < quipu_sized_count(texts) ? texts[i] : NULL, out);
}

struct writing {
    const struct quipu__dumpi_codec *codec;
    bool has_statuses;
    struct quipu__buffer *out;
};

static void put_steps(const struct writing *writing, const struct quipu__dumpi_step *step, const uint8_t *data);

static void put_elements(const struct writing *writing, const struct quipu__dumpi_step *step,
                         const uint8_t *elements) {
    const struct quipu__dumpi_plan *plan = &writing->codec->elements[step->element];
    const uint32_t count = quipu_sized_count(elements);
    quipu__put_be32(writing->out, count);
    for (uint32_t i = 0; i < count; i++) {
        if (step->op == QUIPU__DUMPI_OP_ROWS)
            quipu__put_be32(writing->out, plan->type->field_count);
        put_steps(writing, plan->steps, elements + (size_t)i * plan->type->size);
    }
}

static void put_list(const struct writing *writing, const struct quipu__dumpi_step *step, const uint8_t *data) {
    struct quipu__buffer *out = writing->out;
    const void *list;
    memcpy(&list, data + step->member, sizeof list);
    switch ((enum quipu__dumpi_op)step->op) {
    case QUIPU__DUMPI_OP_TEXT:
        put_text(step, list, out);
        break;
    case QUIPU__DUMPI_OP_UNCOUNTED:
        put_uncounted(step, list, *(const int32_t *)(const void *)(data + step->left), out);
        break;
    case QUIPU__DUMPI_OP_BARE:
        put_exactly(step, list, 1, out);
        break;
    case QUIPU__DUMPI_OP_SLOTS:
        put_exactly(step, list, QUIPU__DUMPI_SLOTS, out);
        break;
    case QUIPU__DUMPI_OP_RAW:
        quipu__put(out, list, quipu_sized_count(list));
        break;
    case QUIPU__DUMPI_OP_STATUSES:
        if (writing->has_statuses)
            put_elements(writing, step, list);
        break;
    case QUIPU__DUMPI_OP_ELEMENTS:
    case QUIPU__DUMPI_OP_ROWS:
        put_elements(writing, step, list);
        break;
    case QUIPU__DUMPI_OP_TEXTS:
        quipu__put_be32(out, quipu_sized_count(list));
        put_texts(step, list, quipu_sized_count(list), out);
        break;
    default:
        quipu__put_be32(out, quipu_sized_count(list));
        put_numbers(step, list, quipu_sized_count(list), out);
        break;
    }
}

static void put_steps(const struct writing *writing, const struct quipu__dumpi_step *step,
                      const uint8_t *data) {
    for (; step->op != QUIPU__DUMPI_OP_END; step++) {
        if (step->op == QUIPU__DUMPI_OP_RUN) {
            for (unsigned i = 1; i <= step->skip; i++)
                put_number(step + i, data + step[i].member, writing->out);
            step += step->skip;
        } else if (step->op == QUIPU__DUMPI_OP_UNLESS) {
            if (memcmp(data + step->left, data + step->right, sizeof(int32_t)) != 0)
                step += step->skip;
        } else {
            put_list(writing, step, data);
        }
    }
}

/* Seconds are stored modulo 65536 after the bias. */
static void put_time(int64_t time, int64_t bias_ns, struct quipu__buffer *out) {
    const int64_t since = time - bias_ns;
    int64_t nanoseconds = since % NS_PER_SECOND;
    int64_t seconds = since / NS_PER_SECOND;
    if (nanoseconds < 0) {
        nanoseconds += NS_PER_SECOND;
        seconds--;
    }
    quipu__put_be16(out, (uint16_t)seconds);
    quipu__put_be32(out, (uint32_t)nanoseconds);
}

static void put_counters(const struct quipu__dumpi_counter *counters, struct quipu__buffer *out) {
    const uint32_t stored = quipu_sized_count(counters);
    const uint32_t count = stored < UINT8_MAX ? stored : UINT8_MAX;
    quipu__put_u8(out, (uint8_t)count);
    for (uint32_t i = 0; i < count; i++) {
        quipu__put_be64(out, (uint64_t)counters[i].in);
        quipu__put_be64(out, (uint64_t)counters[i].out);
    }
}

static void put_common(const struct quipu__dumpi_encoder *encoder, const struct quipu__dumpi_call *common,
                       struct quipu__buffer *out) {
    quipu__put_u8(out, common->mask);
    if (common->mask & QUIPU__DUMPI_MASK_THREAD)
        quipu__put_be16(out, common->thread);
    if (common->mask & QUIPU__DUMPI_MASK_CPU) {
        put_time(common->cpu_start, encoder->cpu_bias_ns, out);
        put_time(common->cpu_stop, encoder->cpu_bias_ns, out);
    }
    if (common->mask & QUIPU__DUMPI_MASK_WALL) {
        put_time(common->wall_start, encoder->wall_bias_ns, out);
        put_time(common->wall_stop, encoder->wall_bias_ns, out);
    }
    if (common->mask & QUIPU__DUMPI_MASK_COUNTERS)
        put_counters(common->counters, out);
}

void quipu__dumpi_encode(const struct quipu__dumpi_encoder *encoder, uint32_t type,
                         const struct quipu__dumpi_call *common, const void *data, struct quipu__buffer *out) {
    const struct quipu__dumpi_plan *plan = &encoder->codec->plans[type];
    const struct writing writing = {encoder->codec, (common->mask & QUIPU__DUMPI_MASK_STATUS) != 0, out};
    quipu__put_be16(out, (uint16_t)plan->type->id);
    put_common(encoder, common, out);
    put_steps(&writing, plan->steps, data);
}

void quipu__dumpi_encode_section(const struct quipu__dumpi_codec *codec, uint32_t type, const void *data,
                                 struct quipu__buffer *out) {
    const struct writing writing = {codec, false, out};
    put_steps(&writing, codec->plans[type].steps, data);
}
