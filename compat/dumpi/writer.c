/* writer.c: the frame of a file: its first bytes, its sections, its index. */
#include "writer.h"

#include <stdio.h>

#define BUFFER_BYTES ((size_t)256 << 10)

enum quipu_status quipu__undumpi_writer_init(struct quipu__undumpi_writer *writer, uint32_t version,
                                             int32_t cpu_bias, int32_t wall_bias) {
    *writer = (struct quipu__undumpi_writer){.target = BUFFER_BYTES, .error = QUIPU_ERROR_INIT};
    quipu__memory_init(&writer->memory, NULL, SIZE_MAX / 2);
    quipu__buffer_init(&writer->buffer, &writer->memory, 0);
    const enum quipu_status status =
        quipu__dumpi_codec_new(&writer->memory, version, false, &writer->codec, &writer->error);
    if (status != QUIPU_OK)
        return status;
    writer->encoder = (struct quipu__dumpi_encoder){
        .codec = writer->codec,
        .cpu_bias_ns = cpu_bias * INT64_C(1000000000),
        .wall_bias_ns = wall_bias * INT64_C(1000000000),
    };
    writer->index = (struct quipu__dumpi_index){
        .magic = QUIPU__DUMPI_MAGIC, .body = QUIPU__DUMPI_BODY, .words = QUIPU__DUMPI_INDEX_WORDS};
    quipu__put_be64(&writer->buffer, QUIPU__DUMPI_MAGIC);
    quipu__put_be32(&writer->buffer, (uint32_t)cpu_bias);
    quipu__put_be32(&writer->buffer, (uint32_t)wall_bias);
    return QUIPU_OK;
}

void quipu__undumpi_writer_release(struct quipu__undumpi_writer *writer) {
    quipu__binary_codec_free(writer->codec);
    quipu__buffer_release(&writer->buffer);
    writer->codec = NULL;
}

enum quipu_status quipu__undumpi_writer_flush(struct quipu__undumpi_writer *writer) {
    if (writer->buffer.failed) {
        snprintf(writer->error.message, sizeof writer->error.message, "memory is out");
        return writer->error.status = QUIPU_NO_MEMORY;
    }
    if (!writer->sink.write)
        return QUIPU_OK;
    const size_t len = writer->buffer.len;
    const enum quipu_status status = quipu__buffer_flush(&writer->buffer, writer->sink, &writer->error);
    writer->flushed += len;
    return status;
}

void quipu__undumpi_writer_end_calls(struct quipu__undumpi_writer *writer) {
    quipu__put_be16(&writer->buffer, QUIPU__DUMPI_END);
}

void quipu__undumpi_writer_put_section(struct quipu__undumpi_writer *writer, uint32_t type, const void *data) {
    for (size_t i = 0; i < QUIPU__DUMPI_SECTION_COUNT; i++)
        if (quipu__dumpi_sections[i].type == type)
            quipu__dumpi_set_word(&writer->index, i, quipu__undumpi_writer_offset(writer));
    quipu__dumpi_encode_section(writer->codec, type, data, &writer->buffer);
}

enum quipu_status quipu__undumpi_writer_finish(struct quipu__undumpi_writer *writer) {
    quipu__dumpi_index_encode(&writer->index, &writer->buffer);
    return quipu__undumpi_writer_flush(writer);
}
