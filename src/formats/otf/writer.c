/* writer.c: a trace is created and completed, and records are copied into it without loss.
 *
 * Text is collected for one file at a time and written when another file is next. The master control file is the first of the set,
 * so it appears last: without it there is no trace.
 *
 * Copied records keep their state lines by the rules of OTF's own writer, with one exception: times that go back are written
 * unchanged, where OTF's writer gives up.
 */
#include "formats/otf/writer.h"

#include "core/files/directory.h"
#include "core/error.h"
#include "core/os.h"
#include "core/text.h"
#include "formats/otf/file_names.h"
#include "formats/otf/repair.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- Creating ---- */

static const char *master_path(struct quipu__otf_writer *writer) {
    const size_t size = strlen(writer->stub) + sizeof QUIPU__OTF_MASTER_SUFFIX;
    char *path = quipu__arena_alloc(&writer->arena, size);
    if (path)
        snprintf(path, size, "%s%s", writer->stub, QUIPU__OTF_MASTER_SUFFIX);
    return path;
}

/* The master control file comes first: an existing trace is noticed before anything is written. */
static enum quipu_status add_master(struct quipu__otf_writer *writer, struct quipu_error *err) {
    const char *path = master_path(writer);
    if (!path)
        return quipu__no_memory(err, strlen(writer->stub));
    return quipu__outputs_add(writer->writing->outputs, path, 0, &writer->master_file, err);
}

static void abandon(struct quipu__output_trace *writing) {
    struct quipu__otf_writer *writer = writing->own;
    if (!writer)
        return;
    quipu__otf_free_model(writer);
    quipu__otf_repair_free(writer);
    QUIPU__VEC_RELEASE(writing->memory, &writer->outputs);
    quipu__map_release(&writer->numbers);
    quipu__buffer_release(&writer->text);
    quipu__buffer_release(&writer->master);
    quipu__otf_assignment_release(&writer->assignment);
    quipu__arena_release(&writer->arena);
    quipu__release(writing->memory, writer, sizeof *writer);
    writing->own = NULL;
}

static enum quipu_status create(struct quipu__output_trace *writing, struct quipu_error *err) {
    struct quipu__otf_writer *writer = quipu__alloc_zero(writing->memory, sizeof *writer);
    const size_t len = strlen(writing->path);
    const size_t cut =
        quipu__ends_with(writing->path, QUIPU__OTF_MASTER_SUFFIX) ? strlen(QUIPU__OTF_MASTER_SUFFIX) : 0;
    if (!writer)
        return quipu__no_memory(err, sizeof *writer);
    writing->own = writer;
    if (writing->options->streams)
        writing->order = QUIPU_ORDER_TIME; /* locations that share a stream must be merged */
    writer->writing = writing;
    writer->current = QUIPU_NONE;
    quipu__arena_init(&writer->arena, writing->memory);
    quipu__map_init(&writer->numbers, writing->memory);
    quipu__buffer_init(&writer->text, writing->memory, 0);
    quipu__buffer_init(&writer->master, writing->memory, 0);
    quipu__otf_assignment_init(&writer->assignment, writing->memory);
    writer->file = QUIPU__OTF_MASTER;
    writer->first = QUIPU__KEYED_NO_TIME;
    writer->is_long = quipu__settings_say_yes(&writing->settings, QUIPU__OTF_OPTION_LONG);
    writing->takes_spans = !writer->is_long;
    writer->stub = quipu__arena_text(&writer->arena, writing->path, len - cut);
    enum quipu_status status = writer->stub ? QUIPU_OK : quipu__no_memory(err, len);
    if (status == QUIPU_OK && quipu__base_name(writing->path)[0] == '\0')
        status = quipu__outputs_check(writing->outputs, writing->path, err); /* a folder is no name for files */
    if (status == QUIPU_OK)
        status = add_master(writer, err);
    if (status != QUIPU_OK)
        abandon(writing);
    return status;
}

/* ---- Records ---- */

static bool has_state_lines(enum quipu__otf_file file) {
    return file == QUIPU__OTF_EVENTS || file == QUIPU__OTF_SNAPSHOTS || file == QUIPU__OTF_STATISTICS;
}

/* With the first stream after the master control file all its lines are known. */
static enum quipu_status distribute(struct quipu__otf_writer *writer, struct quipu_error *err) {
    const struct quipu__output_trace *writing = writer->writing;
    if (writer->assignment.stream_count ||
        quipu__otf_distribute(&writer->assignment, writing->options->streams, writing->definitions))
        return QUIPU_OK;
    return quipu__no_memory(err, sizeof writer->assignment);
}

/* What belongs to no process, including local definitions, goes to the global stream. */
static enum quipu_status use_assigned_output(struct quipu__otf_writer *writer, uint32_t process,
                                             struct quipu_error *err) {
    if (!has_state_lines(writer->file))
        return quipu__otf_use_output(writer, writer->file, QUIPU__OTF_GLOBAL_STREAM, err);
    const uint32_t stream = quipu__otf_assigned_stream(&writer->assignment, process);
    if (!stream)
        return quipu__no_memory(err, sizeof writer->assignment);
    return quipu__otf_use_output(writer, writer->file, stream, err);
}

static enum quipu_status begin_stream(struct quipu__output_trace *writing, const struct quipu_stream *stream,
                                      struct quipu_error *err) {
    static const enum quipu__otf_file files[] = {[QUIPU_STREAM_EVENTS] = QUIPU__OTF_EVENTS,
                                                 [QUIPU_STREAM_DEFINITIONS] = QUIPU__OTF_DEFINITIONS,
                                                 [QUIPU_STREAM_SNAPSHOTS] = QUIPU__OTF_SNAPSHOTS,
                                                 [QUIPU_STREAM_STATISTICS] = QUIPU__OTF_STATISTICS,
                                                 [QUIPU_STREAM_MARKERS] = QUIPU__OTF_MARKERS};
    struct quipu__otf_writer *writer = writing->own;
    bool is_wanted = true;
    const enum quipu_status status =
        writing->repairing ? quipu__otf_repair_begin(writer, stream, &is_wanted, err) : QUIPU_OK;
    if (status != QUIPU_OK || stream->kind == QUIPU_STREAM_OTHER || !is_wanted)
        return status;
    const uint64_t number = writing->repairing ? writer->repairing->stream : stream->native_id;
    if (number > QUIPU__OTF_LAST_STREAM)
        return quipu__fail(err, QUIPU_NOT_REPRESENTABLE, "a stream has the number %" PRIu64, number);
    writer->file = files[stream->kind];
    if (writing->options->streams)
        return distribute(writer, err);
    if (writing->repairing && writer->file != QUIPU__OTF_EVENTS)
        return QUIPU_OK; /* the first record that stays makes the file */
    return quipu__otf_use_output(writer, files[stream->kind], (uint32_t)number, err);
}

/* Writes the state that a copied record needs, like OTF's writer, but times may go back. */
static void put_state(struct quipu__otf_writer *writer, const struct quipu__otf_common *common) {
    struct quipu__keyed_state *clock = &quipu__otf_current(writer)->clock;
    if (common->time == QUIPU__KEYED_NO_TIME && clock->time != QUIPU__KEYED_NO_TIME &&
        clock->process == QUIPU__KEYED_NO_PROCESS)
        return; /* before the first state lines */
    quipu__otf_current(writer)->has_state = true;
    if (!quipu__otf_encode_state(&writer->text, clock, common->time, common->process))
        quipu__otf_encode_both_states(&writer->text, clock, common->time, common->process);
}

/* Lines of the master control file, whatever order they come in. The line of shared files is left out: packed files are written as
 * separate files. */
static enum quipu_status put_master_line(struct quipu__otf_writer *writer, enum quipu__otf_type type,
                                         const void *data, struct quipu_error *err) {
    const bool is_stream = type == QUIPU__OTF_MasterStream;
    if (is_stream && !quipu__otf_assignment_add(&writer->assignment, data))
        return quipu__no_memory(err, sizeof writer->assignment);
    if (type != QUIPU__OTF_MasterServers && !(is_stream && writer->writing->options->streams))
        quipu__otf_encode(&writer->master, type, data, false);
    return writer->master.failed ? quipu__no_memory(err, writer->master.len) : QUIPU_OK;
}

/* A line cannot hold a text with a newline, which some texts that are read contain: it becomes a blank. */
static void note_texts(struct quipu__output_trace *writing, const struct quipu_record *record) {
    for (uint16_t i = 0; i < record->type->field_count; i++) {
        const struct quipu_field *field = &record->type->fields[i];
        if (field->storage != QUIPU_STORE_STRING || record->type->group == QUIPU__OTF_ANY)
            continue;
        const char *text = *(const char *const *)quipu__member_const(field, record->data);
        if (!quipu__keyed_can_hold(text, quipu_sized_count(text)))
            quipu__output_approximates(writing, record->type, i,
                                       "a line break inside a text is written as a blank");
    }
}

static enum quipu_status put_record(struct quipu__output_trace *writing, const struct quipu_record *record,
                                    struct quipu_error *err) {
    struct quipu__otf_writer *writer = writing->own;
    const enum quipu__otf_type type = (enum quipu__otf_type)(record->type - quipu__otf_schema.types);
    if (writer->repairing && !writer->repairing->is_master)
        return quipu__otf_repair_record(writer->repairing, record, err);
    const struct quipu__otf_common *common = record->common;
    const bool long_form = writer->is_long;
    if (type == QUIPU__OTF_MasterServers)
        quipu__output_approximates(writing, record->type, 0, "the copy has files of its own for each stream");
    if (record->type->group == QUIPU__OTF_MASTER || writer->file == QUIPU__OTF_MASTER)
        return put_master_line(writer, type, record->data, err);
    const uint32_t process = common ? common->process : QUIPU__KEYED_NO_PROCESS;
    const enum quipu_status status =
        writing->options->streams ? use_assigned_output(writer, process, err) : QUIPU_OK;
    if (status != QUIPU_OK)
        return status;
    if (common && has_state_lines(writer->file))
        put_state(writer, common);
    if (common && writer->first == QUIPU__KEYED_NO_TIME)
        writer->first = common->time;
    if (common)
        quipu__otf_encode_values(&writer->text, common->keyvalues, long_form);
    note_texts(writing, record);
    quipu__otf_encode(&writer->text, type, record->data, long_form);
    return quipu__otf_flush(writer, false, err);
}

/* ---- Runs ---- */

/* Copies the bytes of a span; short ones in blocks of fixed size, which is cheaper and may read past their end. */
QUIPU__INLINE bool put_bytes(struct quipu__buffer *text, const uint8_t *bytes, size_t len) {
    const bool fits = text->capacity - text->len >= len + QUIPU__SPAN_SLACK;
    uint8_t *room =
        QUIPU__LIKELY(fits) ? text->data + text->len : quipu__buffer_room(text, len + QUIPU__SPAN_SLACK);
    if (QUIPU__UNLIKELY(!room))
        return false;
    if (QUIPU__LIKELY(len <= QUIPU__SPAN_SLACK))
        memcpy(room, bytes, QUIPU__SPAN_SLACK);
    else
        memcpy(room, bytes, len);
    text->len += len;
    return true;
}

/* A span with a complete head, at another time than what precedes it, can be written unchanged. */
QUIPU__INLINE bool put_span(struct quipu__otf_writer *writer, const struct quipu__span *span) {
    struct quipu__keyed_state *clock = &quipu__otf_current(writer)->clock;
    if (QUIPU__LIKELY(span->has_head && (span->time != clock->time || span->time == 0))) {
        *clock = (struct quipu__keyed_state){span->time, span->location};
        return put_bytes(&writer->text, span->bytes, span->len);
    }
    if (!quipu__otf_encode_state(&writer->text, clock, span->time, span->location))
        quipu__otf_encode_both_states(&writer->text, clock, span->time, span->location);
    return put_bytes(&writer->text, span->bytes + span->head, span->len - span->head);
}

/* The output of a span when records are distributed: often that of the previous span. */
QUIPU__INLINE enum quipu_status use_output_of(struct quipu__otf_writer *writer, const struct quipu__span *span,
                                              struct quipu_error *err) {
    const uint32_t stream = quipu__otf_assigned_stream(&writer->assignment, span->location);
    const struct quipu__otf_output *current = writer->current == QUIPU_NONE ? NULL : quipu__otf_current(writer);
    if (QUIPU__LIKELY(current && current->id == stream && current->file == writer->file))
        return QUIPU_OK;
    return use_assigned_output(writer, span->location, err);
}

static enum quipu_status put_spans(struct quipu__output_trace *writing, const struct quipu__span *const *spans,
                                   uint32_t count, struct quipu_error *err) {
    struct quipu__otf_writer *writer = writing->own;
    const bool distributes = writing->options->streams > 0;
    if (writer->first == QUIPU__KEYED_NO_TIME)
        writer->first = spans[0]->time;
    for (uint32_t i = 0; i < count; i++) {
        enum quipu_status status = distributes ? use_output_of(writer, spans[i], err) : QUIPU_OK;
        if (QUIPU__UNLIKELY(status != QUIPU_OK))
            return status;
        if (QUIPU__UNLIKELY(!put_span(writer, spans[i])))
            return quipu__no_memory(err, spans[i]->len);
        if (QUIPU__LIKELY(writer->text.len < QUIPU__OTF_TEXT_BYTES))
            continue;
        status = quipu__otf_flush(writer, false, err);
        if (status != QUIPU_OK)
            return status;
    }
    return QUIPU_OK;
}

/* ---- Completing ---- */

/* An event file without records gets state lines before those that end a file: OTF's tools cannot read a trace in which one is empty
 * or missing. When records are distributed, every stream has such a file. */
static enum quipu_status complete_events(struct quipu__otf_writer *writer, struct quipu_error *err) {
    const struct quipu__otf_assignment *assignment = &writer->assignment;
    enum quipu_status status = writer->writing->options->streams ? distribute(writer, err) : QUIPU_OK;
    if (status != QUIPU_OK)
        return status;
    for (size_t i = 0; i < assignment->mapping.count; i++) {
        const uint32_t stream = (uint32_t)(assignment->mapping.items[i] >> 32);
        if (!assignment->stream_count && !quipu__otf_has_output(writer, QUIPU__OTF_EVENTS, stream))
            continue;
        status = quipu__otf_use_output(writer, QUIPU__OTF_EVENTS, stream, err);
        if (status != QUIPU_OK)
            return status;
        struct quipu__keyed_state *clock = &quipu__otf_current(writer)->clock;
        if (clock->process == QUIPU__KEYED_NO_PROCESS && !quipu__otf_current(writer)->has_state)
            quipu__otf_encode_both_states(&writer->text, clock,
                                          writer->first == QUIPU__KEYED_NO_TIME ? 0 : writer->first,
                                          (uint32_t)assignment->mapping.items[i]);
    }
    return QUIPU_OK;
}

static enum quipu_status put_trailers(struct quipu__otf_writer *writer, struct quipu_error *err) {
    for (uint32_t i = 0; i < writer->outputs.count; i++) {
        const struct quipu__otf_output *output = &writer->outputs.items[i];
        const enum quipu_status status = quipu__otf_use_output(writer, output->file, output->id, err);
        if (status != QUIPU_OK)
            return status;
        quipu__otf_encode_trailer(&writer->text, &writer->outputs.items[i].clock);
    }
    return writer->current == QUIPU_NONE ? QUIPU_OK : quipu__otf_flush(writer, true, err);
}

static enum quipu_status put_master(struct quipu__otf_writer *writer, struct quipu_error *err) {
    if (writer->assignment.stream_count)
        quipu__otf_put_mapping(&writer->master, writer->assignment.mapping.items,
                               writer->assignment.mapping.count);
    if (writer->master.failed)
        return quipu__no_memory(err, writer->master.len);
    return quipu__file_write(writer->master_file, writer->master.data, writer->master.len, err);
}

struct removing {
    struct quipu__otf_writer *writer;
    struct quipu_error *err;
};

/* Removes a file of the trace being replaced if there is no new file of that name: it would be read as part of the new trace. */
static enum quipu_status remove_stale(void *context, const char *file_name) {
    const struct removing *removing = context;
    struct quipu__otf_writer *writer = removing->writer;
    const char *base = quipu__base_name(writer->stub);
    const size_t size = strlen(writer->stub) + strlen(file_name) + 1;
    struct quipu__otf_name name;
    if (strncmp(file_name, base, strlen(base)) != 0 || !quipu__otf_parse_name(file_name, &name) ||
        name.stub_len != strlen(base) || name.file == QUIPU__OTF_MASTER)
        return QUIPU_OK;
    if (quipu__otf_has_output(writer, name.file, name.id) &&
        name.compressed == (writer->writing->options->compression > 0))
        return QUIPU_OK;
    char *path = quipu__arena_alloc(&writer->arena, size);
    if (!path)
        return quipu__no_memory(removing->err, size);
    snprintf(path, size, "%.*s%s", (int)(base - writer->stub), writer->stub, file_name);
    return quipu__outputs_remove(writer->writing->outputs, path, removing->err);
}

static enum quipu_status remove_older_trace(struct quipu__otf_writer *writer, struct quipu_error *err) {
    const size_t len = (size_t)(quipu__base_name(writer->stub) - writer->stub);
    const char *folder = len ? quipu__arena_text(&writer->arena, writer->stub, len) : ".";
    struct removing removing = {writer, err};
    if (!writer->writing->options->replace)
        return QUIPU_OK;
    return folder ? quipu__directory_visit(writer->writing->memory, folder, remove_stale, &removing, err)
                  : quipu__no_memory(err, len);
}

/* A trace with only definitions is written as one without events. */
static enum quipu_status write_no_events(struct quipu__otf_writer *writer, struct quipu_error *err) {
    static const struct quipu_batch no_events = {.count = 0};
    const bool is_empty = !writer->model && !writer->repairing && writer->outputs.count == 0 &&
                          writer->master.len == 0 && writer->assignment.mapping.count == 0;
    return is_empty && writer->writing->definitions ? quipu__otf_put_batch(writer->writing, &no_events, err)
                                                    : QUIPU_OK;
}

static enum quipu_status finish_contents(struct quipu__otf_writer *writer, struct quipu_error *err) {
    if (writer->model)
        return quipu__otf_finish_model(writer, err);
    const enum quipu_status status =
        writer->repairing ? quipu__otf_repair_finish(writer->repairing, err) : QUIPU_OK;
    return status == QUIPU_OK ? complete_events(writer, err) : status;
}

/* A master control file without streams is a trace only together with the file of definitions. */
static enum quipu_status add_definitions(struct quipu__otf_writer *writer, struct quipu_error *err) {
    if (writer->outputs.count > 0)
        return QUIPU_OK;
    return quipu__otf_use_output(writer, QUIPU__OTF_DEFINITIONS, QUIPU__OTF_GLOBAL_STREAM, err);
}

static enum quipu_status finish(struct quipu__output_trace *writing, struct quipu_error *err) {
    typedef enum quipu_status step(struct quipu__otf_writer * writer, struct quipu_error * err);
    static step *const steps[] = {write_no_events, finish_contents, put_trailers,
                                  add_definitions, put_master,      remove_older_trace};
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; status == QUIPU_OK && i < sizeof steps / sizeof *steps; i++)
        status = steps[i](writing->own, err);
    return status;
}

const struct quipu__copying quipu__otf_copying = {
    .begin_stream = begin_stream,
    .put_record = put_record,
    .distributes_records = true,
    .next_spans = quipu__otf_next_spans,
    .put_spans = put_spans,
};

const struct quipu__writing quipu__otf_writing = {
    .order = QUIPU_ORDER_STREAM,
    .capabilities = &quipu__otf_capabilities,
    .create = create,
    .put_batch = quipu__otf_put_batch,
    .finish = finish,
    .abandon = abandon,
};
