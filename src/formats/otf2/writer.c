/* writer.c: the files of a trace, made of records as encode.c makes them.
 *
 * Chunks are written as they come and their heads completed behind them, so
 * that no chunk is held in memory however many locations there are, and files are what core/files/output.h makes of them: libotf2 would hold a
 * chunk for each location and write files that are there before they are complete. Nothing here needs libotf2. */
#include "formats/otf2/format.h"

#include "core/error.h"
#include "core/files/directory.h"
#include "core/text.h"
#include "formats/time_queue.h"
#include "state/tracker.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TEXT_MOST = 1 << 16, /* bytes that are collected before they are written */
    END_BYTES = 3,       /* that are free behind the records of a chunk */
    DEFAULT_DEFINITION_CHUNK = 1 << 22,
    FIRST_NUMBER = 2, /* at these offsets of a chunk's head */
    LAST_NUMBER = 10
};

static struct quipu__otf2_writer *writer_of(const struct quipu__output_trace *output) {
    return output->own;
}

/* ==== Files ==== */

static enum quipu_status flush(struct quipu__otf2_writer *writer, struct quipu_error *err) {
    if (writer->text.failed)
        return quipu__no_memory(err, writer->text.len);
    if (writer->text.len == 0)
        return QUIPU_OK;
    const size_t len = writer->text.len;
    writer->text.len = 0;
    return quipu__file_write(writer->current->file, writer->text.data, len, err);
}

static void begin_chunk(struct quipu__otf2_writer *writer, struct quipu__otf2_out *out, uint64_t offset) {
    uint8_t head[QUIPU__OTF2_HEADER_BYTES] = {QUIPU__OTF2_CHUNK_BEGINS, 'B'};
    quipu__otf2_store_64(head + FIRST_NUMBER, out->is_events ? out->records + 1 : 1);
    quipu__put(&writer->text, head, sizeof head);
    out->begins = offset;
    out->left = out->chunk - sizeof head;
    out->has_time = false;
}

/* The file whose bytes are collected from now on. */
static enum quipu_status use(struct quipu__otf2_writer *writer, struct quipu__otf2_out *out,
                             struct quipu_error *err) {
    if (writer->current == out)
        return QUIPU_OK;
    const enum quipu_status status = writer->current ? flush(writer, err) : QUIPU_OK;
    writer->current = out;
    if (out->left == 0)
        begin_chunk(writer, out, 0);
    return status;
}

/* The number of its last event goes into the head of a chunk that is complete. */
static enum quipu_status complete_chunk(struct quipu__otf2_writer *writer, struct quipu__otf2_out *out,
                                        struct quipu_error *err) {
    uint8_t last[8];
    const enum quipu_status status = flush(writer, err);
    if (status != QUIPU_OK || !out->is_events || out->records == 0)
        return status;
    quipu__otf2_store_64(last, out->records);
    return quipu__file_overwrite(out->file, out->begins + LAST_NUMBER, last, sizeof last, err);
}

static enum quipu_status next_chunk(struct quipu__otf2_writer *writer, struct quipu__otf2_out *out,
                                    struct quipu_error *err) {
    static const uint8_t zeros[4096];
    enum quipu_status status = flush(writer, err);
    for (uint64_t left = out->left; left > 0 && status == QUIPU_OK;) {
        const size_t bytes = left < sizeof zeros ? (size_t)left : sizeof zeros;
        status = quipu__file_write(out->file, zeros, bytes, err);
        left -= bytes;
    }
    if (status == QUIPU_OK)
        status = complete_chunk(writer, out, err);
    begin_chunk(writer, out, out->begins + out->chunk);
    return status;
}

enum quipu_status quipu__otf2_end_file(struct quipu__otf2_writer *writer, struct quipu__otf2_out *out,
                                       struct quipu_error *err) {
    static const uint8_t end[] = {QUIPU__OTF2_CHUNK_ENDS, QUIPU__OTF2_FILE_ENDS};
    if (!out->file)
        return QUIPU_OK;
    enum quipu_status status = use(writer, out, err);
    quipu__put(&writer->text, end, sizeof end);
    if (status == QUIPU_OK)
        status = complete_chunk(writer, out, err);
    writer->current = NULL;
    out->file = NULL;
    return status;
}

struct quipu__otf2_calls quipu__otf2_begin_calls(struct quipu__otf2_writer *writer, struct quipu__otf2_out *out,
                                                 uint32_t count, struct quipu_error *err) {
    struct quipu__buffer *text = &writer->text;
    struct quipu__otf2_calls calls = {.status = use(writer, out, err)};
    if (calls.status == QUIPU_OK && text->len > TEXT_MOST)
        calls.status = flush(writer, err);
    if (calls.status != QUIPU_OK)
        return calls;
    const uint64_t left = out->left > END_BYTES ? (out->left - END_BYTES) / QUIPU__OTF2_CALL_BYTES : 0;
    calls.fit = TEXT_MOST / QUIPU__OTF2_CALL_BYTES;
    calls.fit = left < calls.fit ? (uint32_t)left : calls.fit;
    calls.fit = count < calls.fit ? count : calls.fit;
    calls.at = quipu__buffer_room(text, calls.fit * QUIPU__OTF2_CALL_BYTES);
    calls.fit = calls.at ? calls.fit : 0;
    calls.time = out->time;
    calls.has_time = out->has_time;
    return calls;
}

/* A record, or the bytes that encode.c has made of one. */
struct encoded {
    const struct quipu_record_type *type; /* NULL: bytes */
    const void *data;
    struct quipu__slice bytes;
    uint64_t time;
};

/* Behind its time where that is another one than before. */
static void put_encoded(struct quipu__buffer *text, struct quipu__otf2_out *out,
                        const struct encoded *encoded) {
    if (out->is_events && (!out->has_time || encoded->time != out->time)) {
        quipu__put_u8(text, QUIPU__OTF2_TIME);
        quipu__otf2_put_raw(text, encoded->time, 8);
        out->has_time = true;
        out->time = encoded->time;
    }
    if (encoded->type)
        quipu__otf2_encode(text, encoded->type, encoded->data);
    else
        quipu__put(text, encoded->bytes.at, quipu__slice_left(&encoded->bytes));
}

static enum quipu_status put_in_chunk(struct quipu__otf2_writer *writer, struct quipu__otf2_out *out,
                                      const struct encoded *encoded, struct quipu_error *err) {
    struct quipu__buffer *text = &writer->text;
    enum quipu_status status = use(writer, out, err);
    size_t start = text->len;
    put_encoded(text, out, encoded);
    if (QUIPU__UNLIKELY(text->len - start + END_BYTES > out->left) && status == QUIPU_OK) {
        text->len = start;
        status = next_chunk(writer, out, err);
        start = text->len;
        put_encoded(text, out, encoded);
        if (status == QUIPU_OK && text->len - start + END_BYTES > out->left)
            status = quipu__fail(err, QUIPU_UNSUPPORTED, "a record is longer than a chunk of the file");
    }
    out->left -= text->len - start;
    out->records++;
    return status == QUIPU_OK && (text->len > TEXT_MOST || text->failed) ? flush(writer, err) : status;
}

enum quipu_status quipu__otf2_put_record(struct quipu__otf2_writer *writer, struct quipu__otf2_out *out,
                                         enum quipu__otf2_type number, const void *data,
                                         struct quipu_error *err) {
    const struct quipu__otf2_ENTER *call = data; /* LEAVE is alike */
    const bool is_enter = number == QUIPU__OTF2_TYPE_ENTER;
    if ((is_enter || number == QUIPU__OTF2_TYPE_LEAVE) && !call->attributes) {
        struct quipu__otf2_calls calls = quipu__otf2_begin_calls(writer, out, 1, err);
        if (calls.fit > 0) {
            quipu__otf2_store_call(&calls, is_enter, call->timestamp, call->region);
            quipu__otf2_end_calls(writer, out, &calls, 1);
        }
        if (calls.fit > 0 || calls.status != QUIPU_OK)
            return calls.status;
    }
    /* All events begin in the same way. */
    const void *timestamp = (const char *)data + offsetof(struct quipu__otf2_ENTER, timestamp);
    const struct encoded encoded = {.type = &quipu__otf2_types[number],
                                    .data = data,
                                    .time = out->is_events ? *(const uint64_t *)timestamp : 0};
    return put_in_chunk(writer, out, &encoded, err);
}

/* An event as encode.c makes it. */
static enum quipu_status put_event(struct quipu__otf2_writer *writer, struct quipu__otf2_out *out,
                                   uint64_t time, struct quipu__slice bytes, struct quipu_error *err) {
    const struct encoded encoded = {.bytes = bytes, .time = time};
    return put_in_chunk(writer, out, &encoded, err);
}

/* ---- Names ---- */

/* traces.SUFFIX, or traces/ID.SUFFIX where there is a location. */
static const char *path_of(struct quipu__otf2_writer *writer, const char *suffix, uint64_t location) {
    const size_t size = strlen(writer->output->path) + 64;
    char *path = quipu__arena_alloc(&writer->arena, size);
    if (path && location == QUIPU_UNKNOWN)
        snprintf(path, size, "%s/traces.%s", writer->output->path, suffix);
    else if (path)
        snprintf(path, size, "%s/traces/%" PRIu64 ".%s", writer->output->path, location, suffix);
    return path;
}

static enum quipu_status add_file(struct quipu__otf2_writer *writer, const char *path, struct quipu__file **out,
                                  struct quipu_error *err) {
    const char **slot = path ? QUIPU__VEC_ADD(writer->memory, &writer->written) : NULL;
    if (!slot)
        return quipu__no_memory(err, 0);
    *slot = path;
    return quipu__outputs_add(writer->output->outputs, path, 0, out, err);
}

enum quipu_status quipu__otf2_begin_file(struct quipu__otf2_writer *writer, struct quipu__otf2_out *out,
                                         enum quipu__otf2_group group, uint64_t location,
                                         struct quipu_error *err) {
    static const char *const suffixes[] = {[QUIPU__OTF2_GROUP_EVENT] = "evt",
                                           [QUIPU__OTF2_GROUP_DEFINITION] = "def",
                                           [QUIPU__OTF2_GROUP_LOCAL] = "def",
                                           [QUIPU__OTF2_GROUP_MARKER] = "marker"};
    const bool is_events = group == QUIPU__OTF2_GROUP_EVENT;
    *out = (struct quipu__otf2_out){.is_events = is_events,
                                    .chunk = is_events ? writer->event_chunk : writer->definition_chunk};
    return add_file(writer, path_of(writer, suffixes[group], location), &out->file, err);
}

/* ---- The anchor file ---- */

/* What the anchor file of the source says of the trace: texts and properties. False when it cannot be read. */
static bool copy_anchor(struct quipu__otf2_writer *writer, struct quipu__buffer *out) {
    enum { MOST = 1 << 20, TEXTS = 3 };
    const struct quipu__otf2_trace *source = writer->source;
    struct quipu__input *input;
    if (quipu__input_open(source->trace->files, source->anchor, QUIPU__CODEC_NONE, 1 << 12, &input, NULL) !=
        QUIPU_OK)
        return false;
    const bool is_read =
        quipu__input_more(input, input->size < MOST ? (size_t)input->size + 1 : MOST, NULL) == QUIPU_OK;
    const size_t size = (size_t)(input->end - input->at);
    const bool is_sound = is_read && quipu__otf2_anchor_is_sound(input->at, size);
    const uint8_t *at = input->at + QUIPU__OTF2_ANCHOR_FIXED;
    for (int i = 0; is_sound && i < TEXTS; i++)
        at = (const uint8_t *)memchr(at, 0, (size_t)(input->end - at)) + 1;
    if (is_sound) {
        const size_t before = (size_t)(at - input->at) - QUIPU__OTF2_ANCHOR_FIXED;
        const bool is_big = input->at[1] == '#';
        const uint8_t *const tail = input->at + size - QUIPU__OTF2_ANCHOR_TAIL;
        quipu__put(out, input->at + QUIPU__OTF2_ANCHOR_FIXED, before);
        quipu__otf2_put_raw(out, is_big ? quipu__load_be32(at) : quipu__load_le32(at), 4);
        quipu__put(out, at + 4, (size_t)(tail - at) - 4);
        quipu__otf2_put_raw(out, is_big ? quipu__load_be64(tail) : quipu__load_le64(tail), 8);
    }
    quipu__input_close(input);
    return is_sound;
}

/* Texts, no properties, and a number of the trace that the same trace gets again. */
static void put_new_anchor(const struct quipu__otf2_writer *writer, struct quipu__buffer *out) {
    const uint64_t about[] = {writer->definitions.records, writer->definitions.left, writer->locations};
    quipu__put_u8(out, 0); /* name of the machine */
    quipu__put_format(out, "quipu %s", quipu_version());
    quipu__otf2_put_raw(out, 0, 1 + 1); /* end of the text, description */
    quipu__otf2_put_raw(out, writer->time_zero != QUIPU_UNKNOWN, 4);
    if (writer->time_zero != QUIPU_UNKNOWN) {
        quipu__put(out, QUIPU__OTF2_TIME_ZERO, sizeof QUIPU__OTF2_TIME_ZERO);
        quipu__put_u64(out, writer->time_zero);
        quipu__put_u8(out, 0);
    }
    quipu__otf2_put_raw(out, quipu__hash(about, sizeof about, 1), 8);
}

static enum quipu_status put_anchor(struct quipu__otf2_writer *writer, struct quipu_error *err) {
    /* The type of a buffer, the order of bytes, a name, the versions of the format and of the library that writes so, */
    static const uint8_t head[] = {3, 'B', 'O', 'T', 'F', '2', 0, 3, 2, 3, 0, 2};
    static const uint8_t uncompressed[] = {1, 1}, /* files of the system, which are not compressed */
        tail[] = {0, 0, 0, 0, 0, 0, 0, 0, QUIPU__OTF2_CHUNK_ENDS, QUIPU__OTF2_FILE_ENDS, 0};
    struct quipu__file *file;
    enum quipu_status status = add_file(writer, path_of(writer, "otf2", QUIPU_UNKNOWN), &file, err);
    if (status != QUIPU_OK)
        return status;
    struct quipu__buffer *text = &writer->text;
    text->len = 0;
    quipu__put(text, head, sizeof head);
    quipu__otf2_put_raw(text, writer->event_chunk, 8);
    quipu__otf2_put_raw(text, writer->definition_chunk, 8);
    quipu__put(text, uncompressed, sizeof uncompressed);
    quipu__otf2_put_raw(text, writer->locations, 8);
    quipu__otf2_put_raw(text, writer->definitions.records, 8);
    if (!writer->copies || !copy_anchor(writer, text))
        put_new_anchor(writer, text);
    quipu__put(text, tail, sizeof tail);
    return text->failed ? quipu__no_memory(err, text->len)
                        : quipu__file_write(file, text->data, text->len, err);
}

/* ==== Repairing: the records of a damaged trace, location after location ====
 *
 * The reader gives what is sound of each file. In the repaired files times do not go back, every call that is entered is left, in the proper
 * order: a leave without its enter is dropped, one that skips inner calls leaves them first, and calls active at the end are left at the last
 * time. Definitions come last, since they say how many events a location has. */

/* Programs do not nest calls deeper; damaged traces may seem to. */
enum { DEPTH_MOST = 1 << 16 };

struct call {
    enum quipu__otf2_type type; /* of the record that entered it */
    uint32_t number;            /* of its region or calling context, as the file has it */
};

struct quipu__otf2_repair {
    struct quipu__otf2_writer *writer;
    struct quipu__repairing *repairing;
    struct quipu__memory *memory;
    struct quipu__time_queue queue;
    QUIPU__VEC(struct call) calls;               /* that are entered */
    uint64_t beyond;                             /* calls beyond the greatest depth */
    const struct quipu_stream *file;             /* NULL: none of a location */
    uint64_t position;                           /* number of the record in it */
    QUIPU__VEC(uint64_t) events;                 /* written, by location in the order of their streams */
    struct quipu__map location_of;               /* number of a location in the trace -> index in events */
    uint64_t defined;                            /* locations */
    uint32_t next_string, next_node, next_group; /* behind those that are defined */
    struct quipu__scratch scratch;
};

static void QUIPU_PRINTF(3, 4)
    note(const struct quipu__otf2_repair *repair, enum quipu__otf2_rule rule, const char *found, ...) {
    struct quipu__where where = QUIPU__WHERE_INIT;
    char text[200];
    va_list arguments;
    va_start(arguments, found);
    vsnprintf(text, sizeof text, found, arguments);
    va_end(arguments);
    where.file = repair->file ? repair->file->path : "";
    where.record = repair->position;
    quipu__find(repair->repairing->changes, &quipu__otf2_rules[rule], &where, "", "%s", text);
}

/* ---- Times ---- */

/* Writes the events that need not wait any longer; at the end of a file all of them. */
static enum quipu_status write_events(struct quipu__otf2_repair *repair, bool is_end, struct quipu_error *err) {
    struct quipu__otf2_writer *writer = repair->writer;
    enum quipu_status status = QUIPU_OK;
    struct quipu__timed_record event;
    struct quipu__slice bytes;
    uint64_t time;
    while (status == QUIPU_OK && quipu__time_queue_next(&repair->queue, is_end, &event, &time, &bytes)) {
        if (time != event.time) {
            const uint64_t position = repair->position;
            repair->position = event.offset;
            note(repair, QUIPU__OTF2_RULE_REPAIR_TIME, "%" PRIu64 " in place of %" PRIu64, time, event.time);
            repair->position = position;
        }
        status = put_event(writer, &writer->events, time, bytes, err);
    }
    return status;
}

static enum quipu_status put(struct quipu__otf2_repair *repair, enum quipu__otf2_type type,
                             const union quipu__otf2_any *data, struct quipu_error *err) {
    const struct quipu__timed_record event = {
        .time = data->ENTER.timestamp, .offset = repair->position, .begin = repair->queue.text.len};
    quipu__otf2_encode(&repair->queue.text, &quipu__otf2_types[type], data);
    return quipu__time_queue_add(&repair->queue, &event) ? write_events(repair, false, err)
                                                         : quipu__no_memory(err, sizeof event);
}

/* ---- Calls ---- */

/* Leaves the innermost call at a time. */
static enum quipu_status add_leave(struct quipu__otf2_repair *repair, uint64_t time, struct quipu_error *err) {
    const struct call *call = &repair->calls.items[--repair->calls.count];
    const bool is_context = call->type == QUIPU__OTF2_TYPE_CALLING_CONTEXT_ENTER;
    union quipu__otf2_any leave = {.LEAVE = {.timestamp = time, .region = call->number}};
    if (is_context)
        leave.CALLING_CONTEXT_LEAVE =
            (struct quipu__otf2_CALLING_CONTEXT_LEAVE){.timestamp = time, .calling_context = call->number};
    repair->repairing->added++;
    return put(repair, is_context ? QUIPU__OTF2_TYPE_CALLING_CONTEXT_LEAVE : QUIPU__OTF2_TYPE_LEAVE, &leave,
               err);
}

static enum quipu_status enter(struct quipu__otf2_repair *repair, enum quipu__otf2_type type, uint32_t number,
                               struct quipu_error *err) {
    if (repair->beyond > 0 || repair->calls.count >= DEPTH_MOST) {
        repair->beyond++;
        return QUIPU_OK;
    }
    struct call *call = QUIPU__VEC_ADD(repair->memory, &repair->calls);
    if (!call)
        return quipu__no_memory(err, sizeof *call);
    *call = (struct call){type, number};
    return QUIPU_OK;
}

/* Leaves inner calls up to the one that is being left. *stays is false when it was never entered, or too far out. */
static enum quipu_status leave(struct quipu__otf2_repair *repair, enum quipu__otf2_type type, uint32_t number,
                               uint64_t time, bool *stays, struct quipu_error *err) {
    size_t outer = repair->calls.count, looked = 0;
    if (repair->beyond > 0) {
        repair->beyond--;
        return QUIPU_OK;
    }
    *stays = false;
    for (; outer > 0 && !*stays && looked < QUIPU__LOOK_OUT_MOST; outer--, looked++)
        *stays = repair->calls.items[outer - 1].type == type && repair->calls.items[outer - 1].number == number;
    if (!*stays) {
        note(repair, QUIPU__OTF2_RULE_REPAIR_LEAVE_ONLY, "region or context %" PRIu32, number);
        return QUIPU_OK;
    }
    while (repair->calls.count > outer + 1) {
        note(repair, QUIPU__OTF2_RULE_REPAIR_LEAVE, "region or context %" PRIu32,
             repair->calls.items[repair->calls.count - 1].number);
        const enum quipu_status status = add_leave(repair, time, err);
        if (status != QUIPU_OK)
            return status;
    }
    repair->calls.count = outer;
    return QUIPU_OK;
}

static enum quipu_status track_call(struct quipu__otf2_repair *repair, enum quipu__otf2_type type,
                                    const union quipu__otf2_any *data, bool *stays, struct quipu_error *err) {
    switch (type) {
    case QUIPU__OTF2_TYPE_ENTER:
        return enter(repair, type, data->ENTER.region, err);
    case QUIPU__OTF2_TYPE_CALLING_CONTEXT_ENTER:
        return enter(repair, type, data->CALLING_CONTEXT_ENTER.calling_context, err);
    case QUIPU__OTF2_TYPE_LEAVE:
        return leave(repair, QUIPU__OTF2_TYPE_ENTER, data->LEAVE.region, data->LEAVE.timestamp, stays, err);
    case QUIPU__OTF2_TYPE_CALLING_CONTEXT_LEAVE:
        return leave(repair, QUIPU__OTF2_TYPE_CALLING_CONTEXT_ENTER,
                     data->CALLING_CONTEXT_LEAVE.calling_context, data->LEAVE.timestamp, stays, err);
    default:
        return QUIPU_OK;
    }
}

static enum quipu_status repair_event(struct quipu__otf2_repair *repair, const struct quipu_record *record,
                                      struct quipu_error *err) {
    const enum quipu__otf2_type type = (enum quipu__otf2_type)(record->type - quipu__otf2_types);
    const union quipu__otf2_any *data = record->data;
    bool stays = true;
    repair->position = record->index;
    const enum quipu_status status = track_call(repair, type, data, &stays, err);
    repair->repairing->dropped += !stays;
    return status == QUIPU_OK && stays ? put(repair, type, data, err) : status;
}

/* ---- Files ---- */

static enum quipu_status repair_end(struct quipu__otf2_repair *repair, struct quipu_error *err) {
    if (!repair->file)
        return QUIPU_OK;
    enum quipu_status status = write_events(repair, true, err);
    repair->position = QUIPU_UNKNOWN;
    if (repair->calls.count > 0)
        note(repair, QUIPU__OTF2_RULE_REPAIR_OPEN, "%zu calls", repair->calls.count);
    while (status == QUIPU_OK && repair->calls.count > 0)
        status = add_leave(repair, repair->queue.last, err);
    if (status == QUIPU_OK)
        status = write_events(repair, true, err);
    repair->events.items[repair->events.count - 1] = repair->writer->events.records;
    repair->calls.count = 0;
    repair->beyond = 0;
    repair->file = NULL;
    quipu__time_queue_reset(&repair->queue);
    return status;
}

/* The events of a location, one after the other, to the writer's file of events. end may be called without begin. */
static enum quipu_status repair_begin(struct quipu__otf2_repair *repair, const struct quipu_stream *stream,
                                      struct quipu_error *err) {
    uint64_t *events = QUIPU__VEC_ADD(repair->memory, &repair->events);
    if (!events || !quipu__map_put(&repair->location_of, stream->native_id, (uint32_t)repair->events.count - 1))
        return quipu__no_memory(err, sizeof *events);
    repair->file = stream;
    repair->position = QUIPU_UNKNOWN;
    if (stream->missing)
        note(repair, QUIPU__OTF2_RULE_REPAIR_MISSING, "location %" PRIu64, stream->native_id);
    return QUIPU_OK;
}

/* ---- Definitions ---- */

static void note_token(uint32_t *next, uint32_t token) {
    *next = token >= *next && token < UINT32_MAX ? token + 1 : *next;
}

static enum quipu_status put_definition(struct quipu__otf2_repair *repair, const struct quipu_record *record,
                                        struct quipu_error *err) {
    struct quipu__otf2_writer *writer = repair->writer;
    const enum quipu__otf2_type type = (enum quipu__otf2_type)(record->type - quipu__otf2_types);
    union quipu__otf2_any data;
    memcpy(&data, record->data, record->type->size);
    if (type == QUIPU__OTF2_TYPE_LOCATION) {
        const uint32_t index = quipu__map_get(&repair->location_of, data.LOCATION.self);
        const uint64_t events = index == QUIPU_NONE ? 0 : repair->events.items[index];
        if (events != data.LOCATION.events)
            note(repair, QUIPU__OTF2_RULE_REPAIR_COUNT,
                 "location %" PRIu64 ": %" PRIu64 " in place of %" PRIu64, data.LOCATION.self, events,
                 data.LOCATION.events);
        data.LOCATION.events = events;
        writer->locations++;
        repair->defined++;
    }
    if (type == QUIPU__OTF2_TYPE_STRING)
        note_token(&repair->next_string, data.STRING.self);
    if (type == QUIPU__OTF2_TYPE_SYSTEM_TREE_NODE)
        note_token(&repair->next_node, data.SYSTEM_TREE_NODE.self);
    if (type == QUIPU__OTF2_TYPE_LOCATION_GROUP)
        note_token(&repair->next_group, data.LOCATION_GROUP.self);
    return quipu__otf2_put_record(writer, &writer->definitions, type, &data, err);
}

static enum quipu_status add_definition(struct quipu__otf2_repair *repair, enum quipu__otf2_type type,
                                        const void *data, struct quipu_error *err) {
    repair->repairing->added++;
    return quipu__otf2_put_record(repair->writer, &repair->writer->definitions, type, data, err);
}

/* The locations of the trace whose definitions are lost are the last ones. They get a process each, on one machine. */
static enum quipu_status define_lost(struct quipu__otf2_repair *repair, struct quipu_error *err) {
    const struct quipu__otf2_trace *source = repair->writer->source;
    const uint32_t name = repair->next_string;
    const struct quipu__otf2_STRING string = {
        name, quipu__scratch_text(&repair->scratch, "unknown", strlen("unknown"))};
    const struct quipu__otf2_SYSTEM_TREE_NODE node = {
        .self = repair->next_node, .name = name, .class = name, .parent = UINT32_MAX};
    enum quipu_status status = QUIPU_OK;
    if (repair->defined >= source->locations.count)
        return QUIPU_OK;
    status = add_definition(repair, QUIPU__OTF2_TYPE_STRING, &string, err);
    if (status == QUIPU_OK)
        status = add_definition(repair, QUIPU__OTF2_TYPE_SYSTEM_TREE_NODE, &node, err);
    for (size_t i = repair->defined; i < source->locations.count && status == QUIPU_OK; i++) {
        const struct quipu__otf2_LOCATION_GROUP group = {
            .self = repair->next_group++, .name = name, .type = 1, .parent = node.self, .creator = UINT32_MAX};
        const struct quipu__otf2_LOCATION location = {.self = source->locations.items[i].id,
                                                      .name = name,
                                                      .type = 1,
                                                      .events = repair->events.items[i],
                                                      .group = group.self};
        note(repair, QUIPU__OTF2_RULE_REPAIR_LOCATION, "location %" PRIu64, location.self);
        status = add_definition(repair, QUIPU__OTF2_TYPE_LOCATION_GROUP, &group, err);
        if (status == QUIPU_OK)
            status = add_definition(repair, QUIPU__OTF2_TYPE_LOCATION, &location, err);
        repair->writer->locations++;
    }
    return status;
}

/* The file of definitions, after all locations. */
static enum quipu_status repair_definitions(struct quipu__otf2_repair *repair, struct quipu_error *err) {
    struct quipu__otf2_writer *writer = repair->writer;
    const struct quipu__reading *reading = repair->repairing->trace->format->reading;
    const struct quipu__pass common = {
        .trace = repair->repairing->trace, .stream = QUIPU__OTF2_DEFINITIONS, .substream = QUIPU__RECORDS};
    struct quipu__pass *pass = NULL;
    struct quipu_record record;
    enum quipu_status status =
        quipu__otf2_begin_file(writer, &writer->definitions, QUIPU__OTF2_GROUP_DEFINITION, QUIPU_UNKNOWN, err);
    if (status == QUIPU_OK)
        status = reading->pass_open(&common, &pass, err);
    while (status == QUIPU_OK) {
        status = reading->next_record(pass, &record, err);
        if (status == QUIPU_OK)
            status = put_definition(repair, &record, err);
    }
    if (pass)
        reading->pass_close(pass);
    return status == QUIPU_END ? define_lost(repair, err) : status;
}

/* ---- The whole ---- */

static enum quipu_status repair_new(struct quipu__otf2_writer *writer, struct quipu__otf2_repair **out,
                                    struct quipu_error *err) {
    struct quipu__otf2_repair *repair = *out = quipu__alloc_zero(writer->memory, sizeof *repair);
    if (!repair)
        return quipu__no_memory(err, sizeof *repair);
    repair->writer = writer;
    repair->repairing = writer->output->repairing;
    repair->memory = writer->memory;
    quipu__time_queue_init(&repair->queue, repair->memory);
    quipu__map_init(&repair->location_of, repair->memory);
    quipu__scratch_init(&repair->scratch, repair->memory);
    return QUIPU_OK;
}

static void repair_free(struct quipu__otf2_repair *repair) {
    if (!repair)
        return;
    quipu__time_queue_release(&repair->queue);
    quipu__map_release(&repair->location_of);
    quipu__scratch_release(&repair->scratch);
    QUIPU__VEC_RELEASE(repair->memory, &repair->calls);
    QUIPU__VEC_RELEASE(repair->memory, &repair->events);
    quipu__release(repair->memory, repair, sizeof *repair);
}

/* ==== The whole ==== */

static void release(struct quipu__otf2_writer *writer) {
    if (writer->model)
        quipu__otf2_modelling.release(writer);
    repair_free(writer->repair);
    if (writer->source)
        writer->source->keeps_numbers = false;
    QUIPU__VEC_RELEASE(writer->memory, &writer->written);
    QUIPU__VEC_RELEASE(writer->memory, &writer->copied);
    quipu__buffer_release(&writer->text);
    quipu__arena_release(&writer->arena);
    quipu__release(writer->memory, writer, sizeof *writer);
}

static enum quipu_status begin_folder(struct quipu__otf2_writer *writer, struct quipu_error *err) {
    struct quipu__output_trace *output = writer->output;
    const size_t size = strlen(output->path) + sizeof "/traces";
    char *folder = quipu__arena_alloc(&writer->arena, size);
    if (!folder)
        return quipu__no_memory(err, size);
    snprintf(folder, size, "%s/traces", output->path);
    if (quipu__path_kind(output->path, NULL) != QUIPU__PATH_MISSING && !output->options->replace) {
        quipu__fail(err, QUIPU_EXISTS, "already exists (use --force to replace it)");
        quipu__at(err, output->path, QUIPU_UNKNOWN);
        return QUIPU_EXISTS;
    }
    const enum quipu_status status = quipu__outputs_begin_folder(output->outputs, output->path, err);
    return status == QUIPU_OK ? quipu__outputs_make_folder(output->outputs, folder, err) : status;
}

static enum quipu_status create(struct quipu__output_trace *output, struct quipu_error *err) {
    struct quipu__otf2_writer *writer = quipu__alloc_zero(output->memory, sizeof *writer);
    if (!writer)
        return quipu__no_memory(err, sizeof *writer);
    writer->output = output;
    writer->memory = output->memory;
    writer->time_zero = QUIPU_UNKNOWN;
    writer->event_chunk = QUIPU__OTF2_EVENT_CHUNK;
    writer->definition_chunk = DEFAULT_DEFINITION_CHUNK;
    quipu__arena_init(&writer->arena, output->memory);
    quipu__buffer_init(&writer->text, output->memory, 0);
    const enum quipu_status status = begin_folder(writer, err);
    if (status == QUIPU_OK)
        output->own = writer;
    else
        release(writer);
    return status;
}

/* ---- Copying records ---- */

/* Records are copied with the numbers and times of their files, and what translates these beside them. */
static enum quipu_status begin_copy(struct quipu__otf2_writer *writer, struct quipu_error *err) {
    if (writer->copies)
        return QUIPU_OK;
    writer->copies = true;
    writer->source = quipu__otf2_of(writer->output->source);
    writer->source->keeps_numbers = true;
    writer->event_chunk = writer->source->head.event_chunk;
    writer->definition_chunk = writer->source->head.definition_chunk;
    return writer->output->repairing ? repair_new(writer, &writer->repair, err) : QUIPU_OK;
}

/* Of the location at hand. */
static enum quipu_status end_location(struct quipu__otf2_writer *writer, struct quipu_error *err) {
    enum quipu_status status = writer->repair ? repair_end(writer->repair, err) : QUIPU_OK;
    if (status == QUIPU_OK)
        status = quipu__otf2_end_file(writer, &writer->events, err);
    return status == QUIPU_OK ? quipu__otf2_end_file(writer, &writer->local, err) : status;
}

static enum quipu_status begin_stream(struct quipu__output_trace *output, const struct quipu_stream *stream,
                                      struct quipu_error *err) {
    struct quipu__otf2_writer *writer = writer_of(output);
    if (!output->source)
        return quipu__fail(err, QUIPU_UNSUPPORTED, "traces of this format cannot be put together by records");
    enum quipu_status status = begin_copy(writer, err);
    if (status == QUIPU_OK)
        status = end_location(writer, err);
    if (status != QUIPU_OK || (stream->kind == QUIPU_STREAM_DEFINITIONS && writer->repair))
        return status; /* a repair writes the definitions at the end */
    if (stream->kind == QUIPU_STREAM_DEFINITIONS)
        return quipu__otf2_begin_file(writer, &writer->definitions, QUIPU__OTF2_GROUP_DEFINITION, QUIPU_UNKNOWN,
                                      err);
    if (stream->kind == QUIPU_STREAM_MARKERS)
        return quipu__otf2_begin_file(writer, &writer->markers, QUIPU__OTF2_GROUP_MARKER, QUIPU_UNKNOWN, err);
    uint64_t *id = QUIPU__VEC_ADD(writer->memory, &writer->copied);
    if (!id)
        return quipu__no_memory(err, sizeof *id);
    *id = stream->native_id;
    status = writer->repair ? repair_begin(writer->repair, stream, err) : QUIPU_OK;
    if (status == QUIPU_OK)
        status =
            quipu__otf2_begin_file(writer, &writer->local, QUIPU__OTF2_GROUP_LOCAL, stream->native_id, err);
    return status == QUIPU_OK ? quipu__otf2_begin_file(writer, &writer->events, QUIPU__OTF2_GROUP_EVENT,
                                                       stream->native_id, err)
                              : status;
}

static enum quipu_status copy_record(struct quipu__output_trace *output, const struct quipu_record *record,
                                     struct quipu_error *err) {
    struct quipu__otf2_writer *writer = writer_of(output);
    struct quipu__otf2_out *const outs[] = {[QUIPU__OTF2_GROUP_EVENT] = &writer->events,
                                            [QUIPU__OTF2_GROUP_DEFINITION] = &writer->definitions,
                                            [QUIPU__OTF2_GROUP_LOCAL] = &writer->local,
                                            [QUIPU__OTF2_GROUP_MARKER] = &writer->markers};
    const enum quipu__otf2_type type = (enum quipu__otf2_type)(record->type - quipu__otf2_types);
    struct quipu__otf2_out *out = outs[record->type->group];
    if (writer->repair && record->type->group == QUIPU__OTF2_GROUP_DEFINITION)
        return QUIPU_OK;
    if (!out->file)
        return quipu__fail(err, QUIPU_MISUSE, "a record of type %s is no record of its stream",
                           record->type->name);
    if (writer->repair && record->type->group == QUIPU__OTF2_GROUP_EVENT)
        return repair_event(writer->repair, record, err);
    writer->locations += type == QUIPU__OTF2_TYPE_LOCATION;
    return quipu__otf2_put_record(writer, out, type, record->data, err);
}

/* Locations without files get empty ones. */
static enum quipu_status complete_copy(struct quipu__otf2_writer *writer, struct quipu_error *err) {
    enum quipu_status status = end_location(writer, err);
    for (size_t i = 0, next = 0; i < writer->source->locations.count && status == QUIPU_OK; i++) {
        const struct quipu_stream stream = {.kind = QUIPU_STREAM_EVENTS,
                                            .native_id = writer->source->locations.items[i].id};
        if (next < writer->copied.count && writer->copied.items[next] == stream.native_id) {
            next++;
            continue;
        }
        status = begin_stream(writer->output, &stream, err);
        if (status == QUIPU_OK)
            status = end_location(writer, err);
    }
    return status == QUIPU_OK && writer->repair ? repair_definitions(writer->repair, err) : status;
}

/* ---- Ending ---- */

static int compare_paths(const void *left, const void *right) {
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

struct older {
    struct quipu__otf2_writer *writer;
    const char *folder; /* below the trace's: "traces/" or "" */
    struct quipu_error *err;
};

/* Removes a file of an older trace that the new one does not have. What was written is in order. */
static enum quipu_status remove_older(void *context, const char *name) {
    const struct older *older = context;
    struct quipu__otf2_writer *writer = older->writer;
    const bool is_below = older->folder[0] != '\0';
    const bool is_ours = is_below ? quipu__ends_with(name, ".evt") || quipu__ends_with(name, ".def")
                                  : strcmp(name, "traces.marker") == 0;
    const size_t size = strlen(writer->output->path) + strlen(older->folder) + strlen(name) + 2;
    char *path = is_ours ? quipu__arena_alloc(&writer->arena, size) : NULL;
    if (!is_ours)
        return QUIPU_OK;
    if (!path)
        return quipu__no_memory(older->err, size);
    snprintf(path, size, "%s/%s%s", writer->output->path, older->folder, name);
    if (bsearch(&path, writer->written.items, writer->written.count, sizeof path, compare_paths))
        return QUIPU_OK;
    return quipu__outputs_remove(writer->output->outputs, path, older->err);
}

static enum quipu_status remove_all_older(struct quipu__otf2_writer *writer, struct quipu_error *err) {
    static const char *const folders[] = {"", "traces/"};
    enum quipu_status status = QUIPU_OK;
    qsort(writer->written.items, writer->written.count, sizeof *writer->written.items, compare_paths);
    for (size_t i = 0; i < sizeof folders / sizeof *folders && status == QUIPU_OK; i++) {
        struct older older = {writer, folders[i], err};
        const size_t size = strlen(writer->output->path) + strlen(folders[i]) + 2;
        char *path = quipu__arena_alloc(&writer->arena, size);
        if (!path)
            return quipu__no_memory(err, size);
        snprintf(path, size, "%s/%s", writer->output->path, folders[i]);
        status = quipu__directory_visit(writer->memory, path, remove_older, &older, err);
    }
    return status;
}

static enum quipu_status finish(struct quipu__output_trace *output, struct quipu_error *err) {
    struct quipu__otf2_writer *writer = writer_of(output);
    enum quipu_status status =
        writer->copies ? complete_copy(writer, err) : quipu__otf2_modelling.complete(writer, err);
    if (status == QUIPU_OK)
        status = quipu__otf2_end_file(writer, &writer->definitions, err);
    if (status == QUIPU_OK)
        status = quipu__otf2_end_file(writer, &writer->markers, err);
    if (status == QUIPU_OK)
        status = put_anchor(writer, err);
    return status == QUIPU_OK && output->options->replace ? remove_all_older(writer, err) : status;
}

static enum quipu_status put_batch(struct quipu__output_trace *output, const struct quipu_batch *batch,
                                   struct quipu_error *err) {
    return quipu__otf2_modelling.put_batch(writer_of(output), batch, err);
}

static enum quipu_status end_events(struct quipu__output_trace *output, struct quipu_error *err) {
    (void)err;
    quipu__otf2_modelling.end_events(writer_of(output));
    return QUIPU_OK;
}

static void abandon(struct quipu__output_trace *output) {
    release(writer_of(output));
    output->own = NULL;
}

const struct quipu__copying quipu__otf2_copying = {.begin_stream = begin_stream, .put_record = copy_record};

const struct quipu__writing quipu__otf2_writing = {.order = QUIPU_ORDER_STREAM,
                                                   .capabilities = &quipu__otf2_modelling.capabilities,
                                                   .create = create,
                                                   .put_batch = put_batch,
                                                   .end_events = end_events,
                                                   .finish = finish,
                                                   .abandon = abandon};
