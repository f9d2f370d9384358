/* codec.c: the plans of one machine, and records to bytes. */
#include "formats/charisma/format.h"

/* ---- A codec ---- */

/* Bytes of an empty record without anything behind its list; 0 when memory is out. */
static uint32_t bytes_before_list(const struct quipu__binary_codec *binary, uint32_t type,
                                  struct quipu__memory *memory) {
    const union quipu__charisma_any nothing = {.rw = {.record_type = 0}};
    struct quipu__binary_encoder encoder = {.codec = binary};
    struct quipu__buffer out;
    quipu__buffer_init(&out, memory, 0);
    quipu__binary_encode(&encoder, type, &nothing, &out);
    const uint32_t bytes = out.failed ? 0 : (uint32_t)out.len;
    quipu__buffer_release(&out);
    return bytes;
}

/* Where the text of a header begins: behind the numbers in front of it, each aligned as the machine does. */
static uint16_t text_offset(const struct quipu__charisma_profile *profile) {
    uint32_t offset = 0;
    const struct quipu_record_type *type = &quipu__charisma_types[QUIPU__CHARISMA_TYPE_header];
    for (const struct quipu_field *field = type->fields; field->wire != QUIPU__FORM_CHARACTERS; field++) {
        const struct quipu__number_type *number = &profile->types[field->wire];
        offset = (offset + number->alignment - 1) / number->alignment * number->alignment + number->bytes;
    }
    return (uint16_t)offset;
}

static enum quipu_status measure(struct quipu__charisma_machine_codec *codec, struct quipu__memory *memory,
                                 struct quipu_error *err) {
    struct quipu__machine machine = quipu__charisma_machine(&codec->profile);
    struct quipu__binary_codec *exact;
    machine.tail = QUIPU__TAIL_EXACT;
    enum quipu_status status = quipu__binary_codec_new(memory, quipu__charisma_types,
                                                       QUIPU__CHARISMA_TYPE_COUNT, &machine, &exact, err);
    for (uint32_t type = 0; status == QUIPU_OK && type < QUIPU__CHARISMA_TYPE_comp_rw; type++) {
        codec->fixed[type] = bytes_before_list(exact, type, memory);
        if (codec->fixed[type] == 0)
            status = quipu__no_memory(err, 0);
    }
    codec->header_text = text_offset(&codec->profile);
    quipu__binary_codec_free(exact);
    return status;
}

/* A record with one request says how many bytes it has. */
static enum quipu_status init_fast(struct quipu__charisma_machine_codec *codec, struct quipu__memory *memory,
                                   struct quipu_error *err) {
    struct quipu__charisma_single_request list = {{1, 0}, {.offset = 0}};
    const union quipu__charisma_any rw = {.rw = {.num_clients = 1, .requests = &list.entry}};
    struct quipu__binary_encoder encoder = {.codec = codec->binary};
    struct quipu__buffer out;
    quipu__buffer_init(&out, memory, 0);
    quipu__binary_encode(&encoder, QUIPU__CHARISMA_TYPE_rw, &rw, &out);
    if (!out.failed)
        quipu__charisma_fast_init(&codec->fast, codec->binary, codec->fixed[QUIPU__CHARISMA_TYPE_rw],
                                  (uint32_t)out.len);
    const enum quipu_status status = out.failed ? (enum quipu_status)quipu__no_memory(err, 0) : QUIPU_OK;
    quipu__buffer_release(&out);
    return status;
}

enum quipu_status quipu__charisma_codec_init(struct quipu__charisma_machine_codec *codec,
                                             struct quipu__memory *memory,
                                             const struct quipu__charisma_profile *profile,
                                             struct quipu_error *err) {
    *codec = (struct quipu__charisma_machine_codec){.profile = *profile};
    enum quipu_status status = measure(codec, memory, err);
    const struct quipu__machine machine = quipu__charisma_machine(&codec->profile);
    if (status == QUIPU_OK)
        status = quipu__binary_codec_new(memory, quipu__charisma_types, QUIPU__CHARISMA_TYPE_COUNT, &machine,
                                         &codec->binary, err);
    return status == QUIPU_OK ? init_fast(codec, memory, err) : status;
}

void quipu__charisma_codec_release(struct quipu__charisma_machine_codec *codec) {
    quipu__binary_codec_free(codec->binary);
    codec->binary = NULL;
}

/* ---- Encoding ---- */

void quipu__charisma_encode(const struct quipu__charisma_machine_codec *codec, uint32_t type,
                            const union quipu__charisma_any *data, struct quipu__buffer *out,
                            uint64_t *narrowed) {
    struct quipu__binary_encoder encoder = {.codec = codec->binary};
    if (type == QUIPU__CHARISMA_TYPE_comp_rw) {
        quipu__charisma_compressed_put(&codec->profile, &data->comp_rw, out);
        return;
    }
    quipu__binary_encode(&encoder, type, data, out);
    *narrowed += encoder.narrowed;
}
