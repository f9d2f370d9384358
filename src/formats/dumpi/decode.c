/* decode.c: the parts of decoding that not all calls need: counters, statuses of old versions, end marks; and
 * sections. encode.c mirrors this file. */
#include "formats/dumpi/codec.h"

#include "core/error.h"

#define COUNTER_BYTES 16u

enum quipu_status quipu__dumpi_codec_new(struct quipu__memory *memory, uint32_t version, bool replace_counts,
                                         struct quipu__binary_codec **out, struct quipu_error *err) {
    const struct quipu__machine machine = {.is_big_endian = true,
                                           .types = quipu__packed_types,
                                           .type_count = QUIPU__WIRE_COUNT,
                                           .count_type = QUIPU__WIRE_I32,
                                           .slots = QUIPU__DUMPI_SLOTS,
                                           .version = version,
                                           .replaces_counts = replace_counts};
    return quipu__binary_codec_new(memory, quipu__dumpi_types, QUIPU__DUMPI_TYPE_COUNT, &machine, out, err);
}

enum quipu_status quipu__dumpi_codecs_get(struct quipu__dumpi_codecs *codecs, uint32_t version,
                                          const struct quipu__binary_codec **out, struct quipu_error *err) {
    for (size_t i = 0; i < codecs->list.count; i++)
        if (codecs->list.items[i]->machine.version == version)
            return *out = codecs->list.items[i], QUIPU_OK;
    struct quipu__binary_codec **slot = QUIPU__VEC_ADD(codecs->memory, &codecs->list);
    if (!slot)
        return quipu__no_memory(err, sizeof *slot);
    const enum quipu_status status = quipu__dumpi_codec_new(codecs->memory, version, false, slot, err);
    if (status != QUIPU_OK)
        codecs->list.count--;
    else
        *out = *slot;
    return status;
}

void quipu__dumpi_codecs_release(struct quipu__dumpi_codecs *codecs) {
    for (size_t i = 0; i < codecs->list.count; i++)
        quipu__binary_codec_free(codecs->list.items[i]);
    QUIPU__VEC_RELEASE(codecs->memory, &codecs->list);
}

void quipu__dumpi_decoder_init(struct quipu__dumpi_decoder *decoder, struct quipu__memory *memory,
                               const struct quipu__binary_codec *codec) {
    *decoder = (struct quipu__dumpi_decoder){.type = 0};
    quipu__binary_decoder_init(&decoder->engine, memory, codec, QUIPU__DUMPI_RECORD_LIMIT);
}

/* ---- Calls ---- */

static const uint8_t *refuse(enum quipu__binary_outcome why, enum quipu__dumpi_outcome *outcome) {
    *outcome = (enum quipu__dumpi_outcome)why;
    return NULL;
}

/* u8 number, then that many pairs of i64. */
const uint8_t *quipu__dumpi_decode_counters(struct quipu__dumpi_decoder *decoder, const uint8_t *begin,
                                            const uint8_t *at, const uint8_t *end,
                                            enum quipu__dumpi_outcome *outcome) {
    const size_t count = at < end ? *at : 0, bytes = 1 + count * COUNTER_BYTES;
    if ((size_t)(end - at) < bytes)
        return refuse(quipu__binary_lacks(&decoder->engine, (size_t)(at - begin) + bytes), outcome);
    if (count == 0)
        return at + bytes;
    struct quipu__dumpi_counter *counters =
        quipu__scratch_sized(&decoder->engine.scratch, (uint32_t)count, sizeof *counters);
    if (!counters)
        return refuse(QUIPU__BINARY_NO_MEMORY, outcome);
    for (size_t i = 0; i < count; i++) {
        counters[i].in = (int64_t)quipu__load_be64(at + 1 + i * COUNTER_BYTES);
        counters[i].out = (int64_t)quipu__load_be64(at + 1 + i * COUNTER_BYTES + 8);
    }
    decoder->common.counters = counters;
    return at + bytes;
}

void quipu__dumpi_set_tags(struct quipu__dumpi_decoder *decoder) {
    const struct quipu_record_type *type = &quipu__dumpi_types[decoder->type];
    for (size_t i = 0; i < type->field_count; i++) {
        if (type->fields[i].wire != QUIPU__FORM_MARKED)
            continue;
        struct quipu__dumpi_status *statuses =
            *(struct quipu__dumpi_status *const *)quipu__member(&type->fields[i], &decoder->data);
        for (uint32_t k = 0; k < quipu_sized_count(statuses); k++)
            statuses[k].tag = QUIPU__DUMPI_ANY_TAG;
    }
}

enum quipu__dumpi_outcome quipu__dumpi_decode_short(struct quipu__dumpi_decoder *decoder, const uint8_t *at,
                                                    const uint8_t *end) {
    decoder->engine.need = 2;
    if (end - at < 2)
        return QUIPU__DUMPI_MORE;
    const uint16_t id = quipu__load_be16(at);
    if (id == QUIPU__DUMPI_END || id == QUIPU__DUMPI_OLD_END)
        return QUIPU__DUMPI_ENDS;
    decoder->engine.need = QUIPU__DUMPI_RECORD_LEAST;
    if (quipu__dumpi_type_of(id) != QUIPU_NONE)
        return QUIPU__DUMPI_MORE;
    decoder->engine.fault = "there is no record type of that number";
    return QUIPU__DUMPI_BAD;
}

/* ---- Sections ---- */

enum quipu__dumpi_outcome quipu__dumpi_decode_section(struct quipu__dumpi_decoder *decoder, uint32_t type,
                                                      const uint8_t *at, const uint8_t *end,
                                                      const uint8_t **next) {
    decoder->type = type;
    memset(&decoder->data, 0, quipu__dumpi_types[type].size);
    return (enum quipu__dumpi_outcome)quipu__binary_decode(&decoder->engine, type, &decoder->data, at, end,
                                                           next);
}
