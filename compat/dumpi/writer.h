/* writer.h: one file that is being written, as the library and the commands use it: the calls, then sections in any
 * order, then the index. Stands on the codec of src/formats/dumpi. */
#ifndef COMPAT_DUMPI_WRITER_H
#define COMPAT_DUMPI_WRITER_H

#include "formats/dumpi/format.h"

/* From this version on calls have one form. */
#define QUIPU__UNDUMPI_STEADY_VERSION QUIPU__DUMPI_VERSION(0, 6, 9)

struct quipu__undumpi_writer {
    struct quipu__memory memory;
    struct quipu__buffer buffer;
    struct quipu__binary_codec *codec;
    struct quipu__dumpi_encoder encoder;
    struct quipu__dumpi_index index; /* filled in as sections are written */
    struct quipu_sink sink;          /* NULL: everything stays in the buffer */
    uint64_t flushed;                /* bytes that went to the sink */
    size_t target;                   /* bytes that the buffer may hold */
    struct quipu_error error;
};

/* Starts a file of a version: its magic and biases. */
enum quipu_status quipu__undumpi_writer_init(struct quipu__undumpi_writer *writer, uint32_t version,
                                             int32_t cpu_bias, int32_t wall_bias);
void quipu__undumpi_writer_release(struct quipu__undumpi_writer *writer);

/* Offset of the next byte. */
static inline uint64_t quipu__undumpi_writer_offset(const struct quipu__undumpi_writer *writer) {
    return writer->flushed + writer->buffer.len;
}

/* Hands the buffer to the sink. */
enum quipu_status quipu__undumpi_writer_flush(struct quipu__undumpi_writer *writer);

static inline enum quipu_status quipu__undumpi_writer_put_call(struct quipu__undumpi_writer *writer,
                                                               uint32_t type,
                                                               const struct quipu__dumpi_call *call,
                                                               const void *data) {
    quipu__dumpi_encode(&writer->encoder, type, call, data, &writer->buffer);
    return QUIPU__LIKELY(writer->buffer.len < writer->target && !writer->buffer.failed)
               ? QUIPU_OK
               : quipu__undumpi_writer_flush(writer);
}

/* Puts the end mark after the last call. */
void quipu__undumpi_writer_end_calls(struct quipu__undumpi_writer *writer);

/* Puts a section and notes where it is. */
void quipu__undumpi_writer_put_section(struct quipu__undumpi_writer *writer, uint32_t type, const void *data);

/* Puts the index and flushes. */
enum quipu_status quipu__undumpi_writer_finish(struct quipu__undumpi_writer *writer);

#endif
