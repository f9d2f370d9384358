/* writer.c: writes the files of a trace, and records to streams. Records of a trace of layout 3 are written as they were read; those
 * of older layouts become records of layout 3 by the rules in README.md, unless the layout is kept. */
#include "formats/ovni/writer.h"

#include "core/error.h"
#include "core/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Files ---- */

static const char *path_of(struct quipu__ovni_writer *writer, const char *relative) {
    const size_t size = strlen(writer->output->path) + strlen(relative) + 2;
    char *path = quipu__arena_alloc(&writer->arena, size);
    if (path)
        snprintf(path, size, "%s/%s", writer->output->path, relative);
    return path;
}

static enum quipu_status make_folder_of(struct quipu__ovni_writer *writer, const char *path,
                                        struct quipu_error *err) {
    const size_t len = (size_t)(quipu__base_name(path) - path);
    const char *folder = quipu__arena_text(&writer->arena, path, len > 1 ? len - 1 : len);
    return folder ? quipu__outputs_make_folder(writer->output->outputs, folder, err)
                  : quipu__no_memory(err, len);
}

/* Adds a file below the trace's folder, with its folders. */
static enum quipu_status ovni_add_file(struct quipu__ovni_writer *writer, const char *relative,
                                       struct quipu__file **out, struct quipu_error *err) {
    const char *path = path_of(writer, relative);
    if (!(path && QUIPU__VEC_PUT(writer->memory, &writer->written, path)))
        return quipu__no_memory(err, 0);
    const enum quipu_status status = make_folder_of(writer, path, err);
    return status == QUIPU_OK ? quipu__outputs_add(writer->output->outputs, path, 0, out, err) : status;
}

enum quipu_status quipu__ovni_write_json(struct quipu__ovni_writer *writer, const char *relative,
                                         const json_t *json, struct quipu_error *err) {
    struct quipu__file *file;
    enum quipu_status status = json ? ovni_add_file(writer, relative, &file, err) : quipu__no_memory(err, 0);
    if (status != QUIPU_OK)
        return status;
    writer->out.len = 0;
    quipu__ovni_json_write(json, &writer->out);
    return writer->out.failed ? quipu__no_memory(err, writer->out.capacity)
                              : quipu__file_write(file, writer->out.data, writer->out.len, err);
}

static void store_32(bool is_big, uint8_t *at, uint32_t value) {
    for (unsigned i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> 8 * (is_big ? 3 - i : i));
}

static void store_64(bool is_big, uint8_t *at, uint64_t value) {
    store_32(is_big, at + (is_big ? 4 : 0), (uint32_t)value);
    store_32(is_big, at + (is_big ? 0 : 4), (uint32_t)(value >> 32));
}

enum quipu_status quipu__ovni_begin_out(struct quipu__ovni_writer *writer, const char *relative,
                                        bool has_header, bool is_big, struct quipu__ovni_out *out,
                                        struct quipu_error *err) {
    uint8_t header[QUIPU__OVNI_HEADER_BYTES] = QUIPU__OVNI_MAGIC;
    out->is_big = is_big;
    store_32(is_big, header + QUIPU__OVNI_MAGIC_BYTES, QUIPU__OVNI_STREAM_VERSION);
    const enum quipu_status status = ovni_add_file(writer, relative, &out->file, err);
    return status == QUIPU_OK && has_header ? quipu__file_write(out->file, header, sizeof header, err) : status;
}

enum quipu_status quipu__ovni_put_event(struct quipu__ovni_writer *writer, const struct quipu__ovni_out *out,
                                        uint8_t flags, const char *code, uint64_t clock, const uint8_t *payload,
                                        uint32_t len, struct quipu_error *err) {
    uint8_t head[QUIPU__OVNI_EVENT_BYTES + QUIPU__OVNI_JUMBO_SIZE_BYTES] = {flags, (uint8_t)code[0],
                                                                            (uint8_t)code[1], (uint8_t)code[2]};
    const bool is_jumbo = (flags & QUIPU__OVNI_JUMBO) != 0;
    store_64(out->is_big, head + QUIPU__OVNI_CLOCK_OFFSET, clock);
    store_32(out->is_big, head + QUIPU__OVNI_EVENT_BYTES, len);
    const enum quipu_status status =
        quipu__file_write(out->file, head, is_jumbo ? sizeof head : QUIPU__OVNI_EVENT_BYTES, err);
    (void)writer;
    return status == QUIPU_OK && len > 0 ? quipu__file_write(out->file, payload, len, err) : status;
}

/* ---- Creating ---- */

static void release(struct quipu__ovni_writer *writer) {
    quipu__ovni_events_free(writer);
    quipu__ovni_repair_free(writer->repair);
    QUIPU__VEC_RELEASE(writer->memory, &writer->written);
    quipu__buffer_release(&writer->out);
    quipu__arena_release(&writer->arena);
    quipu__release(writer->memory, writer, sizeof *writer);
}

/* A folder that already contains a trace is not written into, unless it is to be replaced. */
static enum quipu_status check_folder(struct quipu__ovni_writer *writer, struct quipu_error *err) {
    struct quipu__output_trace *output = writer->output;
    if (quipu__path_kind(output->path, NULL) != QUIPU__PATH_MISSING && !output->options->replace) {
        const enum quipu_status status = quipu__fail(err, QUIPU_EXISTS, "already exists");
        quipu__at(err, output->path, QUIPU_UNKNOWN);
        return status;
    }
    return QUIPU_OK;
}

static enum quipu_status create(struct quipu__output_trace *output, struct quipu_error *err) {
    struct quipu__ovni_writer *writer = quipu__alloc_zero(output->memory, sizeof *writer);
    if (!writer)
        return quipu__no_memory(err, sizeof *writer);
    writer->output = output;
    writer->memory = output->memory;
    writer->source = output->source ? quipu__ovni_of(output->source) : NULL;
    writer->keeps_layout =
        strcmp(quipu__settings_value(&output->settings, QUIPU__OVNI_OPTION_LAYOUT), "as-read") == 0 &&
        !output->repairing;
    quipu__arena_init(&writer->arena, output->memory);
    quipu__buffer_init(&writer->out, output->memory, 0);
    enum quipu_status status = quipu__outputs_begin_folder(output->outputs, output->path, err);
    if (status == QUIPU_OK)
        status = check_folder(writer, err);
    if (status != QUIPU_OK) {
        release(writer);
        return status;
    }
    output->own = writer;
    return QUIPU_OK;
}

/* ---- Copying records ---- */

static enum quipu_status copy_text(struct quipu__ovni_writer *writer, const char *from, const char *relative,
                                   struct quipu_error *err) {
    struct quipu__input *input;
    struct quipu__file *file;
    enum quipu_status status =
        quipu__input_open(writer->output->source->files, from, QUIPU__CODEC_SEEK, 4096, &input, err);
    if (status != QUIPU_OK)
        return status;
    status = ovni_add_file(writer, relative, &file, err);
    while (status == QUIPU_OK && (status = quipu__input_more(input, 1, err)) == QUIPU_OK &&
           input->at < input->end) {
        status = quipu__file_write(file, input->at, (size_t)(input->end - input->at), err);
        input->at = input->end;
    }
    quipu__input_close(input);
    return status;
}

/* Writes the table of clock offsets that repair has made; none if it has no line. */
static enum quipu_status put_offsets(struct quipu__ovni_writer *writer, const struct quipu__buffer *table,
                                     struct quipu_error *err) {
    struct quipu__file *file;
    if (table->failed)
        return quipu__no_memory(err, table->len);
    if (table->len == 0)
        return QUIPU_OK;
    const enum quipu_status status = ovni_add_file(writer, QUIPU__OVNI_OFFSETS_FILE, &file, err);
    return status == QUIPU_OK ? quipu__file_write(file, table->data, table->len, err) : status;
}

/* Copies what belongs to the trace and not to a stream. */
static enum quipu_status copy_sidecars(struct quipu__ovni_writer *writer, struct quipu_error *err) {
    const struct quipu__ovni_files *files = &writer->source->files;
    enum quipu_status status = QUIPU_OK;
    if (writer->has_sidecars)
        return QUIPU_OK;
    writer->has_sidecars = true;
    for (size_t i = 0; i < files->sidecars.count && writer->keeps_layout && status == QUIPU_OK; i++)
        status = quipu__ovni_write_json(writer, files->sidecars.items[i].relative,
                                        files->sidecars.items[i].json, err);
    if (status == QUIPU_OK && writer->repair && writer->repair->has_bad_offsets)
        return put_offsets(writer, &writer->repair->offsets, err);
    if (files->offsets && status == QUIPU_OK)
        status = copy_text(writer, files->offsets, QUIPU__OVNI_OFFSETS_FILE, err);
    return status;
}

static const char *join(struct quipu__ovni_writer *writer, const char *folder, const char *name) {
    const size_t size = strlen(folder) + strlen(name) + 2;
    char *path = quipu__arena_alloc(&writer->arena, size);
    if (path)
        snprintf(path, size, "%s%s%s", folder, folder[0] ? "/" : "", name);
    return path;
}

static enum quipu_status put_missing(void *context, const char *code, uint64_t clock, const uint8_t *payload,
                                     uint32_t len, struct quipu_error *err) {
    struct quipu__ovni_writer *writer = context;
    return quipu__ovni_put_event(writer, &writer->current, (uint8_t)(len ? len - 1 : 0), code, clock, payload,
                                 len, err);
}

/* Ends the previous stream and begins a new one when a trace is repaired. */
static enum quipu_status begin_repair(struct quipu__ovni_writer *writer, uint32_t stream,
                                      struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    if (!writer->output->repairing)
        return QUIPU_OK;
    if (!writer->repair)
        status = quipu__ovni_repair_new(&writer->repair, writer->source, writer->output->repairing,
                                        writer->memory, err);
    if (status == QUIPU_OK)
        status = quipu__ovni_repair_end(writer->repair, put_missing, writer, err);
    return status == QUIPU_OK ? quipu__ovni_repair_begin(writer->repair, stream, err) : status;
}

static enum quipu_status begin_stream(struct quipu__output_trace *output, const struct quipu_stream *stream,
                                      struct quipu_error *err) {
    struct quipu__ovni_writer *writer = quipu__ovni_writer_of(output);
    if (!writer->source)
        return quipu__fail(err, QUIPU_UNSUPPORTED, "traces of this format cannot be put together by records");
    writer->stream = &writer->source->files.streams.items[stream->native_id];
    const bool is_big = writer->source->extents[stream->native_id].is_big;
    enum quipu_status status = begin_repair(writer, (uint32_t)stream->native_id, err);
    if (status == QUIPU_OK)
        status = copy_sidecars(writer, err);
    if (status == QUIPU_OK && writer->keeps_layout)
        return quipu__ovni_begin_out(writer, writer->stream->relative, writer->stream->has_header, is_big,
                                     &writer->current, err);
    const char *events = join(writer, writer->stream->name, QUIPU__OVNI_STREAM_FILE);
    const char *metadata = join(writer, writer->stream->name, QUIPU__OVNI_STREAM_METADATA);
    if (!events || !metadata)
        return quipu__no_memory(err, 0);
    if (status == QUIPU_OK && writer->stream->metadata && !writer->repair)
        status = quipu__ovni_write_json(writer, metadata, writer->stream->metadata, err);
    return status == QUIPU_OK ? quipu__ovni_begin_out(writer, events, true, is_big, &writer->current, err)
                              : status;
}

static bool is_of_body(const char *code) {
    return code[0] == 'V' && code[1] == 'T' && strchr("xepr", code[2]) != NULL;
}

/* An event of models that no longer exist. */
static bool is_gone(const struct quipu__ovni_writer *writer, const char *code) {
    return writer->stream->has_old_models && (code[0] == 'T' || code[0] == 'M');
}

/* Writes an event with its payload. */
static enum quipu_status put_normal(struct quipu__ovni_writer *writer,
                                    const struct quipu__ovni_record_event *event, uint8_t flags,
                                    const uint8_t *payload, uint32_t len, struct quipu_error *err) {
    if (writer->repair &&
        !quipu__ovni_closing_note(&writer->repair->closing, event->mcv, event->clock, payload, len))
        return quipu__no_memory(err, len);
    return quipu__ovni_put_event(writer, &writer->current, flags, event->mcv, event->clock, payload, len, err);
}

static enum quipu_status put_record_event(struct quipu__ovni_writer *writer, const struct quipu_record *record,
                                          struct quipu_error *err) {
    struct quipu__ovni_record_event event = *(const struct quipu__ovni_record_event *)record->data;
    const bool is_upgraded = writer->stream->layout != QUIPU__OVNI_LAYOUT_3 && !writer->keeps_layout;
    const uint32_t len = quipu_sized_count(event.payload);
    if (quipu_sized_count(event.mcv) < 3)
        return quipu__fail(err, QUIPU_CORRUPT, "an event needs three characters");
    if (writer->repair && !quipu__ovni_repair_edit(writer->repair, record->byte_offset, &event.clock))
        return QUIPU_OK;
    if (is_upgraded && is_gone(writer, event.mcv)) {
        quipu__output_approximates(writer->output, record->type, QUIPU__OVNI_RECORD_event_mcv,
                                   "events of models that no longer exist are left out");
        return QUIPU_OK;
    }
    if (is_upgraded && len == 4 && is_of_body(event.mcv)) {
        uint8_t payload[8] = {0}; /* body 0 */
        memcpy(payload, event.payload, len);
        return put_normal(writer, &event, (uint8_t)((event.flags & 0xf0) | 7), payload, sizeof payload, err);
    }
    return put_normal(writer, &event, event.flags, event.payload, len, err);
}

static enum quipu_status put_record(struct quipu__output_trace *output, const struct quipu_record *record,
                                    struct quipu_error *err) {
    struct quipu__ovni_writer *writer = quipu__ovni_writer_of(output);
    const uint32_t type = (uint32_t)(record->type - quipu__ovni_record_types);
    if (type == QUIPU__OVNI_RECORD_TYPE_header)
        return QUIPU_OK; /* written when the stream began */
    if (type == QUIPU__OVNI_RECORD_TYPE_event)
        return put_record_event(writer, record, err);
    struct quipu__ovni_record_jumbo copy = *(const struct quipu__ovni_record_jumbo *)record->data;
    const struct quipu__ovni_record_jumbo *jumbo = &copy;
    if (quipu_sized_count(jumbo->mcv) < 3)
        return quipu__fail(err, QUIPU_CORRUPT, "an event needs three characters");
    if (writer->repair && !quipu__ovni_repair_edit(writer->repair, record->byte_offset, &copy.clock))
        return QUIPU_OK;
    if (writer->repair && !quipu__ovni_closing_note(&writer->repair->closing, jumbo->mcv, jumbo->clock,
                                                    jumbo->data, quipu_sized_count(jumbo->data)))
        return quipu__no_memory(err, 0);
    return quipu__ovni_put_event(writer, &writer->current, jumbo->flags, jumbo->mcv, jumbo->clock, jumbo->data,
                                 quipu_sized_count(jumbo->data), err);
}

/* ---- Ending ---- */

static int compare_paths(const void *left, const void *right) {
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Whether a file was written; the list is sorted. */
static bool is_written(const struct quipu__ovni_writer *writer, const char *path) {
    return bsearch(&path, writer->written.items, writer->written.count, sizeof path, compare_paths) != NULL;
}

/* Removes streams of an older trace in the folder that the new one lacks: they would be taken for its own. */
static enum quipu_status remove_older(struct quipu__ovni_writer *writer, struct quipu_error *err) {
    struct quipu__output_trace *output = writer->output;
    struct quipu__files pool;
    struct quipu__ovni_files older;
    struct quipu_findings *findings;
    if (quipu__path_kind(output->path, NULL) != QUIPU__PATH_DIRECTORY)
        return QUIPU_OK;
    quipu__files_init(&pool, writer->memory, 4);
    enum quipu_status status = quipu__findings_new(writer->memory, &findings, err);
    if (status != QUIPU_OK)
        return status;
    qsort(writer->written.items, writer->written.count, sizeof *writer->written.items, compare_paths);
    status = quipu__ovni_files_open(&older, writer->memory, &pool, findings, output->path, err);
    for (size_t i = 0; status == QUIPU_OK && i < older.streams.count; i++) {
        const struct quipu__ovni_stream *stream = &older.streams.items[i];
        if (!is_written(writer, stream->path) && !stream->is_missing)
            status = quipu__outputs_remove(output->outputs, stream->path, err);
        if (status == QUIPU_OK && !is_written(writer, stream->metadata_path) &&
            stream->layout == QUIPU__OVNI_LAYOUT_3)
            status = quipu__outputs_remove(output->outputs, stream->metadata_path, err);
    }
    if (status == QUIPU_OK && older.offsets && !is_written(writer, older.offsets))
        status = quipu__outputs_remove(output->outputs, older.offsets, err);
    if (status == QUIPU_OK)
        quipu__ovni_files_close(&older);
    quipu__files_release(&pool);
    quipu__findings_free(findings);
    return status;
}

static enum quipu_status finish_repair(struct quipu__ovni_writer *writer, struct quipu_error *err) {
    struct quipu__ovni_repair *repair = writer->repair;
    if (!repair)
        return QUIPU_OK;
    enum quipu_status status = quipu__ovni_repair_end(repair, put_missing, writer, err);
    for (size_t i = 0; i < repair->streams.count && status == QUIPU_OK; i++) {
        const struct quipu__ovni_repaired *repaired = &repair->streams.items[i];
        const char *name = writer->source->files.streams.items[repaired->stream].name;
        const char *relative = join(writer, name, QUIPU__OVNI_STREAM_METADATA);
        if (!relative)
            status = quipu__no_memory(err, 0);
        else if (repaired->is_copied)
            status = quipu__ovni_write_json(writer, relative, repaired->metadata, err);
    }
    return status;
}

static enum quipu_status finish(struct quipu__output_trace *output, struct quipu_error *err) {
    struct quipu__ovni_writer *writer = quipu__ovni_writer_of(output);
    const enum quipu_status status = finish_repair(writer, err);
    if (status != QUIPU_OK)
        return status;
    if (writer->written.count == 0)
        return quipu__fail(err, QUIPU_NOT_REPRESENTABLE,
                           "an ovni trace has a thread at least; this one would have none");
    return output->options->replace ? remove_older(writer, err) : QUIPU_OK;
}

static void abandon(struct quipu__output_trace *output) {
    if (output->own)
        release(quipu__ovni_writer_of(output));
    output->own = NULL;
}

const struct quipu__copying quipu__ovni_copying = {
    .begin_stream = begin_stream,
    .put_record = put_record,
};

const struct quipu__writing quipu__ovni_writing = {
    .order = QUIPU_ORDER_TIME,
    .resolution = UINT64_C(1000000000),
    .capabilities = &quipu__ovni_capabilities,
    .create = create,
    .put_batch = quipu__ovni_put_batch,
    .end_events = quipu__ovni_end_events,
    .finish = finish,
    .abandon = abandon,
};
