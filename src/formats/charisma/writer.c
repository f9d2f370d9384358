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

static enum quipu_status create(struct quipu__output_trace *output, struct quipu_error *err) {
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

/* ---- Putting a record, compressed or not as the options say ---- */

/* Bytes that wait to be written. */
#define FLUSH_BYTES ((size_t)64 << 10)

static enum quipu_status flush(struct quipu__charisma_writer *writer, size_t most, struct quipu_error *err) {
    if (writer->out.failed)
        return quipu__no_memory(err, writer->out.capacity);
    if (writer->out.len <= most)
        return QUIPU_OK;
    const enum quipu_status status = quipu__file_write(writer->file, writer->out.data, writer->out.len, err);
    writer->out.len = 0;
    return status;
}

/* Magic number and version. */
static void put_head(struct quipu__charisma_writer *writer) {
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
        put_head(writer);
    quipu__charisma_encode(&writer->codec, type, data, &writer->out, &writer->narrowed);
    return flush(writer, FLUSH_BYTES, err);
}

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

/* ---- Records of another machine ----
 *
 * What is wider there stays as it is; what is narrower is cut, and counted. Numbers that stand for none, and the header's numbers of
 * system and version, are those of the new machine. Time stamps keep their ticks and their unit, but for those with fractions where
 * the new machine has none: they are counted again in its unit. Where only the new machine has fractions, its stamps are the same
 * numbers as reals. */

/* Names that are cut. */
struct texts {
    struct {
        struct quipu_sized head;
        char text[4096];
    } items[2];
};

static bool is_real(const struct quipu__charisma_profile *profile) {
    return profile->types[QUIPU__CHARISMA_WIRE_TimestampType].kind == QUIPU__NUMBER_FLOAT;
}

static bool recounts_time(const struct quipu__charisma_writer *writer) {
    return is_real(writer->source) && !is_real(&writer->codec.profile);
}

/* A stamp with a fraction as whole ticks of the new machine. False when they are not the same time, to a thousandth of a tick. */
static bool recount(const struct quipu__charisma_writer *writer, struct quipu_number *stamp) {
    const bool is_signed =
        writer->codec.profile.types[QUIPU__CHARISMA_WIRE_TimestampType].kind == QUIPU__NUMBER_SIGNED;
    const double ticks = stamp->f * (writer->source_unit / writer->codec.profile.timestamp_unit);
    const bool fits = ticks > -9e18 && ticks < 9e18 && (is_signed || ticks > -0.5);
    const double half = ticks < 0 ? -0.5 : 0.5;
    const int64_t whole = fits ? (int64_t)(ticks + half) : 0;
    const double off = ticks - (double)whole;
    *stamp = (struct quipu_number){.i = whole, .is_signed = is_signed};
    return fits && off < 1e-3 && off > -1e-3;
}

/* Whole ticks as a stamp that may have a fraction. False when that is not the same number. */
static bool make_real(struct quipu_number *stamp) {
    const struct quipu_number whole = *stamp;
    const double most = 9007199254740992.0; /* 2^53: some larger integers are not doubles */
    *stamp = (struct quipu_number){.f = whole.is_signed ? (double)whole.i : (double)(uint64_t)whole.i,
                                   .is_real = true};
    return stamp->f <= most && stamp->f >= -most;
}

static bool translate_time(const struct quipu__charisma_writer *writer, struct quipu_number *stamp) {
    if (is_real(writer->source) == is_real(&writer->codec.profile))
        return true;
    return is_real(writer->source) ? recount(writer, stamp) : make_real(stamp);
}

/* New names have room for a NUL; one that fills its field exactly stays. */
static bool cut_text(const char **text, uint16_t length, char *room, struct quipu_sized *head) {
    const uint32_t len = quipu_sized_count(*text);
    if (len <= length)
        return true;
    memcpy(room, *text, length - 1u);
    room[length - 1] = '\0';
    *head = (struct quipu_sized){length - 1u, 0};
    *text = room;
    return false;
}

static bool translate_field(const struct quipu__charisma_writer *writer, const struct quipu_field *field,
                            void *data, struct texts *texts, unsigned *text_count) {
    const struct quipu__charisma_profile *to = &writer->codec.profile, *from = writer->source;
    void *member = quipu__member(field, data);
    if (field->domain->role == QUIPU_ROLE_TIME)
        return translate_time(writer, member);
    if (field->wire == QUIPU__FORM_CHARACTERS) {
        const uint16_t length = to->lengths[field->domain->wire];
        const unsigned i = (*text_count)++ % 2;
        return cut_text(member, length < sizeof texts->items[i].text ? length : sizeof texts->items[i].text,
                        texts->items[i].text, &texts->items[i].head);
    }
    if (field->wire == QUIPU__CHARISMA_WIRE_TraceAppId && *(int64_t *)member == from->no_app)
        *(int64_t *)member = to->no_app;
    else if (field->wire == QUIPU__CHARISMA_WIRE_TraceClientId && field->shape == QUIPU_ONE &&
             *(int64_t *)member == from->no_client)
        *(int64_t *)member = to->no_client;
    return true;
}

static void translate_header(const struct quipu__charisma_writer *writer,
                             struct quipu__charisma_header *header) {
    header->system_type = (uint8_t)writer->codec.profile.system_type;
    header->md_version = writer->codec.profile.md_version;
    if (recounts_time(writer))
        header->timestamp_unit = writer->codec.profile.timestamp_unit;
}

static void translate(struct quipu__charisma_writer *writer, uint32_t type, union quipu__charisma_any *data,
                      struct texts *texts) {
    const struct quipu_record_type *row = &quipu__charisma_types[type];
    unsigned text_count = 0;
    if (type == QUIPU__CHARISMA_TYPE_header) {
        const double said = data->header.timestamp_unit;
        writer->source_unit = said > 1e-12 && said <= 1000 ? said : writer->source->timestamp_unit;
    }
    for (uint16_t i = 0; i < row->field_count; i++)
        if (!translate_field(writer, &row->fields[i], data, texts, &text_count))
            quipu__output_approximates(writer->output, row, i, "the machine cannot hold the value");
    if (type == QUIPU__CHARISMA_TYPE_header)
        translate_header(writer, &data->header);
}

/* ---- Copying records ---- */

static enum quipu_status begin_stream(struct quipu__output_trace *output, const struct quipu_stream *stream,
                                      struct quipu_error *err) {
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

static enum quipu_status put_record(struct quipu__output_trace *output, const struct quipu_record *record,
                                    struct quipu_error *err) {
    struct quipu__charisma_writer *writer = quipu__charisma_writer_of(output);
    const uint32_t type = (uint32_t)(record->type - quipu__charisma_types);
    union quipu__charisma_any data;
    struct texts texts;
    memcpy(&data, record->data, record->type->size);
    const uint64_t before = writer->narrowed;
    if (writer->source)
        translate(writer, type, &data, &texts);
    const enum quipu_status status = quipu__charisma_put(writer, type, &data, err);
    if (writer->narrowed > before)
        quipu__output_approximates(output, record->type, narrowed_field(writer, record->type, &data),
                                   "the machine cannot hold the value");
    return status;
}

/* ---- Ending ---- */

static enum quipu_status finish(struct quipu__output_trace *output, struct quipu_error *err) {
    struct quipu__charisma_writer *writer = quipu__charisma_writer_of(output);
    if (!writer->has_head)
        put_head(writer);
    return flush(writer, 0, err);
}

static void abandon(struct quipu__output_trace *output) {
    if (output->own)
        release(quipu__charisma_writer_of(output));
    output->own = NULL;
}

const struct quipu__copying quipu__charisma_copying = {
    .begin_stream = begin_stream,
    .put_record = put_record,
};

const struct quipu__writing quipu__charisma_writing = {
    .order = QUIPU_ORDER_TIME,
    .capabilities = &quipu__charisma_capabilities,
    .create = create,
    .put_batch = quipu__charisma_put_batch,
    .end_events = quipu__charisma_end_events,
    .finish = finish,
    .abandon = abandon,
};
