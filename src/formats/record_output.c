/* record_output.c: writing; see record_file.h. Records of the format are copied, events of any format become records by the mapping. */
#include "formats/record_file.h"

#include "core/error.h"

#include <string.h>

struct quipu__record_output {
    struct quipu__single_file single; /* first: this struct extends it */
    const struct quipu__record_file *file;
    struct quipu__binary_codec *codec;
    struct quipu__binary_encoder encoder;
    struct quipu__scratch scratch; /* texts of records are sized memory */
    QUIPU__VEC(uint64_t) data;     /* a record, aligned */
    bool is_defined;
};

void quipu__record_file_put(struct quipu__record_output *output, uint32_t type, const void *data) {
    quipu__put_u8(&output->single.out, (uint8_t)output->file->schema->types[type].id);
    quipu__binary_encode(&output->encoder, type, data, &output->single.out);
}

const char *quipu__record_file_text(struct quipu__record_output *output, const char *text) {
    return quipu__scratch_text(&output->scratch, text, strlen(text));
}

/* ---- Events ---- */

static void put_definitions(struct quipu__single_file *single, const struct quipu_definitions *definitions) {
    struct quipu__record_output *output = (struct quipu__record_output *)single;
    if (!output->is_defined)
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

static void put_event(struct quipu__single_file *single, const struct quipu_definitions *definitions,
                      const struct quipu_event *event, uint64_t message) {
    struct quipu__record_output *output = (struct quipu__record_output *)single;
    const uint32_t type = type_of(output->file, event->kind);
    (void)definitions, (void)message;
    if (type == output->file->schema->type_count) {
        single->dropped[event->kind]++;
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

/* ---- Records ---- */

static enum quipu_status put_record(struct quipu__output_trace *output, const struct quipu_record *record,
                                    struct quipu_error *err) {
    struct quipu__record_output *own = output->own;
    own->is_defined = true; /* by records */
    quipu__record_file_put(own, (uint32_t)(record->type - own->file->schema->types), record->data);
    return quipu__single_file_flush(&own->single, err);
}

static enum quipu_status begin_stream(struct quipu__output_trace *output, const struct quipu_stream *stream,
                                      struct quipu_error *err) {
    (void)output, (void)stream, (void)err; /* there is only one */
    return QUIPU_OK;
}

const struct quipu__copying quipu__record_file_copying = {.begin_stream = begin_stream,
                                                          .put_record = put_record};

/* ---- The file ---- */

static void release(struct quipu__single_file *single) {
    struct quipu__record_output *output = (struct quipu__record_output *)single;
    quipu__scratch_release(&output->scratch);
    quipu__binary_codec_free(output->codec);
    QUIPU__VEC_RELEASE(single->memory, &output->data);
}

static const struct quipu__single_file_functions functions = {.size = sizeof(struct quipu__record_output),
                                                              .put_definitions = put_definitions,
                                                              .put_event = put_event,
                                                              .release = release};

/* Room for the largest record. */
static enum quipu_status make_room(struct quipu__record_output *output, struct quipu_error *err) {
    const struct quipu_schema *schema = output->file->schema;
    size_t words = 1;
    for (size_t i = 0; i < schema->type_count; i++)
        words = schema->types[i].size / 8u + 1 > words ? schema->types[i].size / 8u + 1 : words;
    if (!QUIPU__VEC_RESERVE(output->single.memory, &output->data, words))
        return quipu__no_memory(err, words * 8);
    output->data.count = words;
    return QUIPU_OK;
}

enum quipu_status quipu__record_file_create(struct quipu__output_trace *output, struct quipu_error *err) {
    enum quipu_status status = quipu__single_file_create(output, &functions, err);
    if (status != QUIPU_OK)
        return status;
    struct quipu__record_output *own = output->own;
    own->file = output->format->record_file;
    quipu__scratch_init(&own->scratch, output->memory);
    status = quipu__binary_codec_new(output->memory, own->file->schema->types, own->file->schema->type_count,
                                     own->file->machine, &own->codec, err);
    own->encoder.codec = own->codec;
    if (status == QUIPU_OK)
        status = make_room(own, err);
    if (status != QUIPU_OK)
        quipu__single_file_abandon(output);
    return status;
}
