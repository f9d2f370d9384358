/* writer.c: records to a file. Records of the same machine are written as they were read, so that a copy has the same bytes. */
#include "formats/charisma/writer.h"

#include "core/error.h"

#include <string.h>

/* ---- Creating ---- */

static void release(struct quipu__charisma_writer *writer) {
    quipu__charisma_events_free(writer);
    quipu__charisma_tracking_release(&writer->tracking);
    quipu__charisma_codec_release(&writer->codec);
    quipu__buffer_release(&writer->out);
    quipu__release(writer->memory, writer, sizeof *writer);
}

/* The machine that the options name, else that of the input, else that of our recorder. */
static enum quipu_status choose_machine(struct quipu__charisma_writer *writer, struct quipu_error *err) {
    struct quipu__output_trace *output = writer->output;
    struct quipu__charisma_profile profile;
    enum quipu_status status = QUIPU_OK;
    writer->source = output->source ? &quipu__charisma_of(output->source)->codec.profile : NULL;
    const char *machine = quipu__settings_value(&output->settings, QUIPU__CHARISMA_OPTION_MACHINE);
    if (machine)
        status = quipu__charisma_profile_load(writer->memory, machine, &profile, err);
    else if (writer->source)
        profile = *writer->source;
    else
        quipu__charisma_profile_find("lp64", &profile);
    if (status == QUIPU_OK)
        status = quipu__charisma_codec_init(&writer->codec, writer->memory, &profile, err);
    if (status == QUIPU_OK && writer->source && memcmp(writer->source, &profile, sizeof profile) == 0)
        writer->source = NULL;
    return status;
}

static enum quipu__charisma_compression compression_of(const struct quipu__output_trace *output) {
    const char *value = quipu__settings_value(&output->settings, QUIPU__CHARISMA_OPTION_COMPRESS);
    if (strcmp(value, "yes") == 0)
        return QUIPU__CHARISMA_COMPRESSED;
    return strcmp(value, "no") == 0 ? QUIPU__CHARISMA_UNCOMPRESSED : QUIPU__CHARISMA_AS_READ;
}

enum quipu_status quipu__charisma_create(struct quipu__output_trace *output, struct quipu_error *err) {
    struct quipu__charisma_writer *writer = quipu__alloc_zero(output->memory, sizeof *writer);
    if (!writer)
        return quipu__no_memory(err, sizeof *writer);
    writer->output = output;
    writer->memory = output->memory;
    quipu__buffer_init(&writer->out, output->memory, 0);
    writer->compression = compression_of(output);
    enum quipu_status status = choose_machine(writer, err);
    quipu__charisma_tracking_init(&writer->tracking, output->memory, &writer->codec.profile);
    if (status == QUIPU_OK)
        status = quipu__outputs_add(output->outputs, output->path, 0, &writer->file, err);
    if (status != QUIPU_OK) {
        release(writer);
        return status;
    }
    output->own = writer;
    return QUIPU_OK;
}

/* ---- Copying records ---- */

enum quipu_status quipu__charisma_begin_stream(struct quipu__output_trace *output,
                                               const struct quipu_stream *stream, struct quipu_error *err) {
    struct quipu__charisma_writer *writer = quipu__charisma_writer_of(output);
    (void)stream, (void)err;
    writer->copies_records = true;
    if (output->repairing && !writer->source && writer->compression == QUIPU__CHARISMA_AS_READ)
        writer->compression = QUIPU__CHARISMA_REPAIRED;
    if (writer->source && writer->compression == QUIPU__CHARISMA_AS_READ)
        writer->compression = QUIPU__CHARISMA_LIKE_INPUT;
    return QUIPU_OK;
}

/* Whether a number comes back from a type. */
static bool fits(const struct quipu__number_type *type, int64_t value) {
    const unsigned shift = 64 - 8u * type->bytes;
    if (type->kind == QUIPU__NUMBER_FLOAT || shift == 0)
        return true;
    return type->kind == QUIPU__NUMBER_SIGNED ? (int64_t)((uint64_t)value << shift) >> shift == value
                                              : (uint64_t)value << shift >> shift == (uint64_t)value;
}

/* The field that the machine cannot hold: a number, else the text or list that is cut. */
static uint16_t narrowed_field(const struct quipu__charisma_writer *writer,
                               const struct quipu_record_type *type, const void *data) {
    for (uint16_t i = 0; i < type->field_count; i++) {
        const struct quipu_field *field = &type->fields[i];
        int64_t value;
        if (field->wire >= QUIPU__CHARISMA_WIRE_FIRST && field->wire < QUIPU__CHARISMA_WIRE_COUNT &&
            quipu_field_get_i64(field, data, &value) && !fits(&writer->codec.profile.types[field->wire], value))
            return i;
    }
    return (uint16_t)(type->field_count - 1);
}

enum quipu_status quipu__charisma_put_record(struct quipu__output_trace *output,
                                             const struct quipu_record *record, struct quipu_error *err) {
    struct quipu__charisma_writer *writer = quipu__charisma_writer_of(output);
    const uint32_t type = (uint32_t)(record->type - quipu__charisma_types);
    union quipu__charisma_any data;
    struct quipu__charisma_texts texts;
    memcpy(&data, record->data, record->type->size);
    const uint64_t before = writer->narrowed;
    if (writer->source)
        quipu__charisma_translate(writer, type, &data, &texts);
    const enum quipu_status status = quipu__charisma_put(writer, type, &data, err);
    if (writer->narrowed > before)
        quipu__output_approximates(output, record->type, narrowed_field(writer, record->type, &data),
                                   "the machine cannot hold the value");
    return status;
}

/* ---- Ending ---- */

enum quipu_status quipu__charisma_finish(struct quipu__output_trace *output, struct quipu_error *err) {
    struct quipu__charisma_writer *writer = quipu__charisma_writer_of(output);
    if (!writer->has_head)
        quipu__charisma_put_head(writer);
    return quipu__charisma_flush(writer, 0, err);
}

void quipu__charisma_abandon(struct quipu__output_trace *output) {
    if (output->own)
        release(quipu__charisma_writer_of(output));
    output->own = NULL;
}
