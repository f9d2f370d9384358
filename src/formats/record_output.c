/* record_output.c: writing; see record_file.h. Records of the format are copied, events of any format become records by the mapping. */
#include "formats/record_file.h"

#include "core/error.h"

#include <string.h>

struct quipu__record_output {
    const struct quipu__record_file *file;
    struct quipu__memory *memory;
    struct quipu__file *output;
    struct quipu__buffer out; /* what is to be written next */
    uint64_t *dropped;        /* per kind */
    struct quipu__binary_codec *codec;
    struct quipu__binary_encoder encoder;
    struct quipu__scratch scratch; /* texts of records are sized memory */
    QUIPU__VEC(uint64_t) data;     /* a record, aligned */
    bool is_defined;
};

void quipu__record_file_put(struct quipu__record_output *output, uint32_t type, const void *data) {
    quipu__put_u8(&output->out, (uint8_t)output->file->schema->types[type].id);
    quipu__binary_encode(&output->encoder, type, data, &output->out);
}

const char *quipu__record_file_text(struct quipu__record_output *output, const char *text) {
    return quipu__scratch_text(&output->scratch, text, strlen(text));
}

/* ---- Events ---- */

static void put_definitions(struct quipu__record_output *output, const struct quipu_definitions *definitions) {
    if (!output->is_defined && definitions)
        output->file->put_definitions(output, definitions);
    output->is_defined = true;
}

/* The record type that an event becomes; the number of types when there is none. */
static uint32_t type_of(const struct quipu__record_file *file, uint8_t kind) {
    uint32_t type = 0;
    while (type < file->schema->type_count && (file->map[type].kinds >> kind & 1) == 0)
        type++;
    return type;
}

static int64_t value_of(const struct quipu_field *field, enum quipu_column column,
                        const struct quipu_event *event) {
    if (column != QUIPU_COLUMN_COUNT)
        return quipu_event_get(event, column);
    return field->domain->role == QUIPU_ROLE_LOCATION ? (int64_t)event->location : event->time;
}

static void put_event(struct quipu__record_output *output, const struct quipu_event *event) {
    const uint32_t type = type_of(output->file, event->kind);
    if (type == output->file->schema->type_count) {
        output->dropped[event->kind]++;
        return;
    }
    const struct quipu__mapping *mapping = &output->file->map[type];
    memset(output->data.items, 0, output->data.count * sizeof *output->data.items);
    for (size_t i = 0; i < mapping->field_count; i++) {
        const struct quipu_field *field = &output->file->schema->types[type].fields[mapping->fields[i].field];
        quipu__store_i64(field, output->data.items, value_of(field, mapping->fields[i].column, event));
    }
    quipu__record_file_put(output, type, output->data.items);
}

static enum quipu_status flush(struct quipu__record_output *output, struct quipu_error *err) {
    if (output->out.failed)
        return quipu__no_memory(err, output->out.len);
    const enum quipu_status status = quipu__file_write(output->output, output->out.data, output->out.len, err);
    output->out.len = 0;
    return status;
}

enum quipu_status quipu__record_file_put_batch(struct quipu__output_trace *output,
                                               const struct quipu_batch *batch, struct quipu_error *err) {
    struct quipu__record_output *own = output->own;
    uint32_t cursor = 0;
    put_definitions(own, output->definitions);
    for (uint32_t i = 0; i < batch->count; i++) {
        struct quipu_event event;
        quipu__batch_event(batch, i, &cursor, &event);
        put_event(own, &event);
    }
    return flush(own, err);
}

/* A trace without events has definitions all the same. */
enum quipu_status quipu__record_file_finish(struct quipu__output_trace *output, struct quipu_error *err) {
    put_definitions(output->own, output->definitions);
    return flush(output->own, err);
}

/* ---- Records ---- */

static enum quipu_status put_record(struct quipu__output_trace *output, const struct quipu_record *record,
                                    struct quipu_error *err) {
    struct quipu__record_output *own = output->own;
    own->is_defined = true; /* by records */
    quipu__record_file_put(own, (uint32_t)(record->type - own->file->schema->types), record->data);
    return flush(own, err);
}

static enum quipu_status begin_stream(struct quipu__output_trace *output, const struct quipu_stream *stream,
                                      struct quipu_error *err) {
    (void)output, (void)stream, (void)err; /* there is only one */
    return QUIPU_OK;
}

const struct quipu__copying quipu__record_file_copying = {.begin_stream = begin_stream,
                                                          .put_record = put_record};

/* ---- The file ---- */

void quipu__record_file_abandon(struct quipu__output_trace *output) {
    struct quipu__record_output *own = output->own;
    if (!own)
        return;
    quipu__scratch_release(&own->scratch);
    quipu__binary_codec_free(own->codec);
    QUIPU__VEC_RELEASE(own->memory, &own->data);
    quipu__buffer_release(&own->out);
    quipu__release(output->memory, own, sizeof *own);
    output->own = NULL;
}

/* Room for the largest record. */
static enum quipu_status make_room(struct quipu__record_output *output, struct quipu_error *err) {
    const struct quipu_schema *schema = output->file->schema;
    size_t words = 1;
    for (size_t i = 0; i < schema->type_count; i++)
        words = schema->types[i].size / 8u + 1 > words ? schema->types[i].size / 8u + 1 : words;
    if (!QUIPU__VEC_RESERVE(output->memory, &output->data, words))
        return quipu__no_memory(err, words * 8);
    output->data.count = words;
    return QUIPU_OK;
}

enum quipu_status quipu__record_file_create(struct quipu__output_trace *output, struct quipu_error *err) {
    struct quipu__record_output *own = output->own = quipu__alloc_zero(output->memory, sizeof *own);
    if (!own)
        return quipu__no_memory(err, sizeof *own);
    own->file = output->format->record_file;
    own->memory = output->memory;
    own->dropped = output->dropped;
    quipu__buffer_init(&own->out, output->memory, 0);
    quipu__scratch_init(&own->scratch, output->memory);
    enum quipu_status status =
        quipu__binary_codec_new(output->memory, own->file->schema->types, own->file->schema->type_count,
                                own->file->machine, &own->codec, err);
    own->encoder.codec = own->codec;
    if (status == QUIPU_OK)
        status = make_room(own, err);
    if (status == QUIPU_OK)
        status = quipu__outputs_add(output->outputs, output->path, 0, &own->output, err);
    if (status != QUIPU_OK)
        quipu__record_file_abandon(output);
    return status;
}
