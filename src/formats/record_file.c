/* record_file.c: reading; see record_file.h. A damaged file is read up to the damage, which is a finding. */
#include "formats/record_file.h"

#include "core/error.h"
#include "model/event.h"

#include <stdio.h>
#include <string.h>

/* ==== Writing ==== */

/* Writing; see record_file.h. Records of the format are copied, events of any format become records by the mapping. */

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
static uint32_t output_type_of(const struct quipu__record_file *file, uint8_t kind) {
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
    const uint32_t type = output_type_of(output->file, event->kind);
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

/* A trace without events still has definitions. */
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

/* ==== Reading ==== */

enum { RECORD_MOST = 1 << 17 };

struct record_pass {
    struct quipu__pass common;
    const struct quipu__record_file *file;
    struct quipu__input *input;
    struct quipu__binary_decoder decoder;
    void *data; /* the record */
    uint32_t type;
    uint64_t offset; /* where it begins */
    int64_t time;    /* of the last event */
    bool is_damaged;
};

static const struct quipu__record_file *file_of(const struct quipu__trace *trace) {
    return trace->format->record_file;
}

/* Bytes of the largest record in memory. */
static size_t data_size(const struct quipu_schema *schema) {
    size_t size = 0;
    for (size_t i = 0; i < schema->type_count; i++)
        size = schema->types[i].size > size ? schema->types[i].size : size;
    return size;
}

/* ---- Records ---- */

/* The lists that fields refer to by number. */
static const struct {
    enum quipu_role role;
    enum quipu_refers refers;
    const char *fault;
} references[] = {
    {QUIPU_ROLE_LOCATION, QUIPU_REFERS_LOCATION, "an undefined location"},
    {QUIPU_ROLE_REGION, QUIPU_REFERS_REGION, "an undefined region"},
    {QUIPU_ROLE_COMMUNICATOR, QUIPU_REFERS_GROUP, "an undefined communicator"},
    {QUIPU_ROLE_METRIC, QUIPU_REFERS_METRIC, "an undefined metric"},
    {QUIPU_ROLE_MARKER, QUIPU_REFERS_MARKER, "an undefined marker type"},
};

static const char *fault_of_reference(const struct record_pass *pass, enum quipu_role role, int64_t value) {
    const struct quipu_definitions *definitions = &pass->common.trace->define->definitions;
    for (size_t i = 0; i < sizeof references / sizeof *references; i++)
        if (references[i].role == role && (uint64_t)value >= quipu__count_of(definitions, references[i].refers))
            return references[i].fault;
    return NULL;
}

/* What is wrong with the values of the record, or NULL: roles show which are times and references. */
static const char *fault_of(struct record_pass *pass) {
    const struct quipu_record_type *type = &pass->file->schema->types[pass->type];
    const char *fault = NULL;
    int64_t value;
    for (size_t i = 0; i < type->field_count && !fault; i++) {
        const enum quipu_role role = type->fields[i].domain->role;
        if (!quipu_field_get_i64(&type->fields[i], pass->data, &value))
            continue;
        fault = fault_of_reference(pass, role, value);
        if (role != QUIPU_ROLE_TIME)
            continue;
        if (value < pass->time)
            return "a timestamp that precedes the previous one";
        pass->time = value;
    }
    return fault;
}

static enum quipu_status end_at(struct record_pass *pass, const char *fault) {
    const struct quipu__where where = {pass->common.trace->path, pass->offset, QUIPU_UNKNOWN,
                                       pass->common.records,     "",           ""};
    quipu__find(pass->common.trace->findings, pass->file->damage, &where, "a record", "%s", fault);
    pass->is_damaged = true;
    return QUIPU_END;
}

static uint32_t type_of(const struct quipu_schema *schema, uint8_t id) {
    uint32_t type = 0;
    while (type < schema->type_count && schema->types[type].id != id)
        type++;
    return type;
}

/* Decodes and counts the next record. QUIPU_END at the end of the file, or at damage. */
static enum quipu_status step(struct record_pass *pass, struct quipu_error *err) {
    struct quipu__input *input = pass->input;
    const enum quipu_status status = quipu__input_more(input, RECORD_MOST, err);
    if (status != QUIPU_OK || input->at == input->end || pass->is_damaged)
        return status != QUIPU_OK ? status : QUIPU_END;
    pass->offset = quipu__input_offset(input);
    const uint8_t *at = input->at + 1;
    pass->type = type_of(pass->file->schema, *input->at);
    if (pass->type == pass->file->schema->type_count)
        return end_at(pass, "a byte that is no type");
    const enum quipu__binary_outcome outcome =
        quipu__binary_decode(&pass->decoder, pass->type, pass->data, at, input->end, &input->at);
    if (outcome == QUIPU__BINARY_NO_MEMORY)
        return quipu__no_memory(err, RECORD_MOST);
    const char *fault = outcome == QUIPU__BINARY_OK ? fault_of(pass) : "a part of one";
    if (fault)
        return end_at(pass, fault);
    pass->common.bytes = quipu__input_offset(input);
    pass->common.records++;
    if (pass->common.records_of)
        pass->common.records_of[pass->type]++;
    return QUIPU_OK;
}

enum quipu_status quipu__record_file_next_record(struct quipu__pass *common, struct quipu_record *out,
                                                 struct quipu_error *err) {
    struct record_pass *pass = (struct record_pass *)common;
    const enum quipu_status status = step(pass, err);
    if (status == QUIPU_OK)
        *out = (struct quipu_record){.type = &pass->file->schema->types[pass->type],
                                     .data = pass->data,
                                     .byte_offset = pass->offset,
                                     .line = QUIPU_UNKNOWN,
                                     .index = common->records - 1};
    return status;
}

/* ---- Events ---- */

static enum quipu_kind kind_of(const struct quipu__mapping *mapping) {
    unsigned kind = 0;
    while ((mapping->kinds >> kind & 1) == 0)
        kind++;
    return (enum quipu_kind)kind;
}

static void set_column(struct quipu_batch *batch, uint32_t i, enum quipu_column column, int64_t value) {
    switch (column) {
#define QUIPU_COLUMN(name, c_type, doc)                                                                        \
    case QUIPU_COLUMN_##name:                                                                                  \
        batch->name[i] = (c_type)value;                                                                        \
        break;
#include <quipu/columns.def>
#undef QUIPU_COLUMN
    case QUIPU_COLUMN_COUNT:
        break;
    }
}

static void add_event(const struct record_pass *pass, struct quipu_batch *batch) {
    const struct quipu_record_type *type = &pass->file->schema->types[pass->type];
    const struct quipu__mapping *mapping = &pass->file->map[pass->type];
    const uint32_t i = quipu__batch_add(batch, pass->time, kind_of(mapping), QUIPU_NONE, pass->offset);
    for (size_t k = 0; k < mapping->field_count; k++) {
        const struct quipu_field *field = &type->fields[mapping->fields[k].field];
        int64_t value;
        if (!quipu_field_get_i64(field, pass->data, &value))
            continue;
        if (field->domain->role == QUIPU_ROLE_LOCATION && mapping->fields[k].column == QUIPU_COLUMN_COUNT)
            batch->location[i] = (uint32_t)value;
        set_column(batch, i, mapping->fields[k].column, value);
    }
}

enum quipu_status quipu__record_file_next_batch(struct quipu__pass *common, struct quipu__batch *batch,
                                                struct quipu_error *err) {
    struct record_pass *pass = (struct record_pass *)common;
    enum quipu_status status = QUIPU_OK;
    while (quipu__batch_left(batch) > 0 && (status = step(pass, err)) == QUIPU_OK)
        if (pass->file->map[pass->type].kinds != 0)
            add_event(pass, &batch->batch);
    return batch->batch.count > 0 ? QUIPU_OK : status;
}

/* ---- Opening ---- */

void quipu__record_file_pass_close(struct quipu__pass *common) {
    struct record_pass *pass = (struct record_pass *)common;
    if (!pass)
        return;
    quipu__input_close(pass->input);
    quipu__binary_decoder_release(&pass->decoder);
    quipu__release(common->trace->memory, pass->data, data_size(pass->file->schema));
    quipu__release(common->trace->memory, pass, sizeof *pass);
}

enum quipu_status quipu__record_file_pass_open(const struct quipu__pass *common, struct quipu__pass **out,
                                               struct quipu_error *err) {
    struct quipu__trace *trace = common->trace;
    struct record_pass *pass = quipu__alloc_zero(trace->memory, sizeof *pass);
    *out = NULL;
    if (!pass)
        return quipu__no_memory(err, sizeof *pass);
    pass->common = *common;
    pass->file = file_of(trace);
    pass->time = INT64_MIN;
    pass->data = quipu__alloc_zero(trace->memory, data_size(pass->file->schema));
    quipu__binary_decoder_init(&pass->decoder, trace->memory, trace->own, RECORD_MOST);
    const enum quipu_status status = pass->data
                                         ? quipu__input_open(trace->files, trace->path, QUIPU__CODEC_DETECT,
                                                             common->window, &pass->input, err)
                                         : quipu__no_memory(err, data_size(pass->file->schema));
    if (status == QUIPU_OK)
        *out = &pass->common;
    else
        quipu__record_file_pass_close(&pass->common);
    return status;
}

/* Definitions are complete before the first event. The first pass reports damage among them again. */
static enum quipu_status read_definitions(struct quipu__trace *trace, struct quipu_error *err) {
    const struct quipu__pass all = {.trace = trace, .substream = QUIPU__RECORDS, .window = RECORD_MOST};
    struct quipu__pass *common;
    enum quipu_status status = quipu__record_file_pass_open(&all, &common, err);
    if (status != QUIPU_OK)
        return status;
    struct record_pass *pass = (struct record_pass *)common;
    while ((status = step(pass, err)) == QUIPU_OK && pass->file->map[pass->type].is_definition)
        pass->file->define(trace->define, pass->type, pass->data);
    quipu__findings_clear(trace->findings);
    quipu__record_file_pass_close(common);
    return status == QUIPU_END ? QUIPU_OK : status;
}

enum quipu_status quipu__record_file_open(struct quipu__trace *trace, struct quipu_error *err) {
    const struct quipu__record_file *file = file_of(trace);
    struct quipu_stream *stream = QUIPU__VEC_ADD(trace->memory, &trace->streams);
    struct quipu__binary_codec *codec;
    if (!stream)
        return quipu__no_memory(err, sizeof *stream);
    *stream = (struct quipu_stream){
        .name = trace->format->info.name, .path = trace->path, .substreams = 1, .bytes = QUIPU_UNKNOWN};
    trace->define->definitions.clock.ticks_per_second = file->ticks_per_second;
    trace->variant = "";
    enum quipu_status status = quipu__binary_codec_new(trace->memory, file->schema->types,
                                                       file->schema->type_count, file->machine, &codec, err);
    if (status != QUIPU_OK)
        return status;
    trace->own = codec;
    status = read_definitions(trace, err);
    if (status != QUIPU_OK)
        quipu__record_file_close(trace);
    return status;
}

void quipu__record_file_close(struct quipu__trace *trace) {
    quipu__binary_codec_free(trace->own);
    trace->own = NULL;
}

enum quipu_score quipu__record_file_probe(const struct quipu__record_file *file,
                                          const struct quipu__probe *probe) {
    const size_t len = strlen(file->head);
    const bool is_ours = probe->head_len >= len && memcmp(probe->head, file->head, len) == 0;
    return is_ours ? QUIPU_SCORE_CERTAIN : QUIPU_SCORE_NO;
}

/* ---- Definitions ---- */

void quipu__add_processes(struct quipu__define *define, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        char name[24];
        snprintf(name, sizeof name, "Process %u", (unsigned)i);
        const struct quipu_location process = {.native_id = i,
                                               .name = name,
                                               .kind = QUIPU_LOCATION_PROCESS,
                                               .parent = QUIPU_NONE,
                                               .rank = i,
                                               .pid = -1,
                                               .tid = -1,
                                               .host = ""};
        if (quipu__add_location(define, &process) == QUIPU_NONE)
            return; /* the memory gate remembers */
    }
}

void quipu__add_named_region(struct quipu__define *define, const char *name) {
    const struct quipu_region region = {
        .native_id = define->definitions.regions.count, .name = name, .group = "", .source = QUIPU_NONE};
    quipu__add_region(define, &region);
}
