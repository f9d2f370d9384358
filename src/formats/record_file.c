/* record_file.c: reading; see record_file.h. A damaged file is read up to the damage, which is a finding. */
#include "formats/record_file.h"

#include "core/error.h"
#include "model/event.h"

#include <stdio.h>
#include <string.h>

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

/* What fields refer to by number. */
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

/* What is wrong with the values of the record, or NULL: times and references are known by their roles. */
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

/* Definitions are complete before the first event. What is damaged among them is found again by the first pass. */
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
            return; /* the memory gate knows */
    }
}

void quipu__add_named_region(struct quipu__define *define, const char *name) {
    const struct quipu_region region = {
        .native_id = define->definitions.regions.count, .name = name, .group = "", .source = QUIPU_NONE};
    quipu__add_region(define, &region);
}
