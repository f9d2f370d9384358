/* put.c: one record as bytes of the output, compressed or not as the options say. */
#include "formats/charisma/writer.h"

#include "core/error.h"

#include <string.h>

/* Bytes that wait to be written. */
#define FLUSH_BYTES ((size_t)64 << 10)

/* ---- Bytes ---- */

enum quipu_status quipu__charisma_flush(struct quipu__charisma_writer *writer, size_t most,
                                        struct quipu_error *err) {
    if (writer->out.failed)
        return quipu__no_memory(err, writer->out.capacity);
    if (writer->out.len <= most)
        return QUIPU_OK;
    const enum quipu_status status = quipu__file_write(writer->file, writer->out.data, writer->out.len, err);
    writer->out.len = 0;
    return status;
}

/* Magic number and version. */
void quipu__charisma_put_head(struct quipu__charisma_writer *writer) {
    uint8_t head[QUIPU__CHARISMA_HEAD_BYTES];
    writer->has_head = true;
    quipu__store_be32(head, QUIPU__CHARISMA_MAGIC);
    quipu__store_be32(head + 4, QUIPU__CHARISMA_VERSION);
    for (unsigned i = 0; i < 8 && !writer->codec.profile.is_big_endian; i += 4) {
        const uint8_t swapped[4] = {head[i + 3], head[i + 2], head[i + 1], head[i]};
        memcpy(head + i, swapped, sizeof swapped);
    }
    quipu__put(&writer->out, head, sizeof head);
}

static enum quipu_status encode(struct quipu__charisma_writer *writer, uint32_t type,
                                const union quipu__charisma_any *data, struct quipu_error *err) {
    if (!writer->has_head)
        quipu__charisma_put_head(writer);
    quipu__charisma_encode(&writer->codec, type, data, &writer->out, &writer->narrowed);
    return quipu__charisma_flush(writer, FLUSH_BYTES, err);
}

/* ---- Compression ---- */

/* What an open makes a descriptor forget. */
static void follow_open(struct quipu__charisma_writer *writer, const struct quipu__charisma_client_open *open) {
    if (open->client_id == writer->codec.profile.no_client)
        return;
    const uint32_t client = quipu__charisma_client_of(&writer->tracking, open->client_id);
    struct quipu__charisma_handle *handle =
        quipu__charisma_handle_of(&writer->tracking, false, client, open->file_desc);
    if (handle)
        quipu__charisma_handle_open(&writer->tracking, handle, QUIPU_NONE, open->open_flags, 0);
}

static enum quipu_status put_rw(struct quipu__charisma_writer *writer, const union quipu__charisma_any *data,
                                bool compresses, struct quipu_error *err) {
    union quipu__charisma_any compressed;
    struct quipu__charisma_word_list words;
    if (compresses && quipu__charisma_compress(&writer->tracking, &data->rw, &words, &compressed.comp_rw))
        return encode(writer, QUIPU__CHARISMA_TYPE_comp_rw, &compressed, err);
    quipu__charisma_compressed_pass(&writer->tracking, &data->rw);
    return encode(writer, QUIPU__CHARISMA_TYPE_rw, data, err);
}

/* Compressed requests of another machine refer to what its words hold: they are put in full, and compressed again. */
static enum quipu_status put_comp_rw(struct quipu__charisma_writer *writer,
                                     const union quipu__charisma_any *data, struct quipu_error *err) {
    struct quipu__charisma_single_request list;
    const union quipu__charisma_any full = {
        .rw = quipu__charisma_decompress(&writer->codec.profile, &data->comp_rw, &list)};
    return put_rw(writer, &full, writer->compression != QUIPU__CHARISMA_UNCOMPRESSED, err);
}

static void report_full(const struct quipu__charisma_writer *writer,
                        const struct quipu__charisma_comp_rw *record) {
    struct quipu__where where = QUIPU__WHERE_INIT;
    where.file = writer->output->path;
    where.type = quipu__charisma_types[QUIPU__CHARISMA_TYPE_comp_rw].name;
    quipu__find(writer->output->repairing->changes,
                &quipu__charisma_rules[QUIPU__CHARISMA_RULE_WRITTEN_IN_FULL], &where, "",
                "client %u, descriptor %u", record->client_id, record->file_desc);
}

/* A repaired trace lacks records that later ones refer to. */
static enum quipu_status put_repaired(struct quipu__charisma_writer *writer,
                                      const union quipu__charisma_any *data, struct quipu_error *err) {
    struct quipu__charisma_single_request list;
    if (quipu__charisma_compressed_repeats(&writer->tracking, &data->comp_rw))
        return encode(writer, QUIPU__CHARISMA_TYPE_comp_rw, data, err);
    const union quipu__charisma_any full = {
        .rw = quipu__charisma_decompress(&writer->codec.profile, &data->comp_rw, &list)};
    report_full(writer, &data->comp_rw);
    return put_rw(writer, &full, false, err);
}

enum quipu_status quipu__charisma_put(struct quipu__charisma_writer *writer, uint32_t type,
                                      const union quipu__charisma_any *data, struct quipu_error *err) {
    if (writer->compression == QUIPU__CHARISMA_AS_READ)
        return encode(writer, type, data, err);
    if (type == QUIPU__CHARISMA_TYPE_client_open)
        follow_open(writer, &data->client_open);
    if (type == QUIPU__CHARISMA_TYPE_rw)
        return put_rw(writer, data, writer->compression == QUIPU__CHARISMA_COMPRESSED, err);
    if (type != QUIPU__CHARISMA_TYPE_comp_rw)
        return encode(writer, type, data, err);
    return writer->compression == QUIPU__CHARISMA_REPAIRED ? put_repaired(writer, data, err)
                                                           : put_comp_rw(writer, data, err);
}
