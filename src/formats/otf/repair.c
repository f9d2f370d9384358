/* repair.c: the records of a damaged trace, stream after stream: what cannot stay is left out, what must be there is added.
 *
 * In the repaired stream every call that is entered is left, in the proper order: a leave without its enter is dropped, one
 * that skips inner calls leaves them first, and calls active at the end are left at the last time.
 */
#include "formats/otf/repair.h"

#include "core/error.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* ==== Times ==== */

/* Writes the records that need not wait any longer; at the end of a stream all of them. */
static enum quipu_status write_lines(struct quipu__otf_repairing *repairing, bool is_end,
                                     struct quipu_error *err) {
    struct quipu__otf_writer *writer = repairing->writer;
    enum quipu_status status = QUIPU_OK;
    struct quipu__timed_record line;
    struct quipu__slice bytes;
    uint64_t time;
    while (status == QUIPU_OK && quipu__time_queue_next(&repairing->queue, is_end, &line, &time, &bytes)) {
        status = quipu__otf_use_output(writer, repairing->file, repairing->stream, err);
        if (status != QUIPU_OK)
            return status;
        if (time != line.time) {
            repairing->offset = line.offset;
            repairing->line = line.line;
            quipu__otf_repaired(repairing, QUIPU__OTF_REPAIR_TIME, "%" PRIx64 " in place of %" PRIx64, time,
                                line.time);
        }
        quipu__otf_encode_state(&writer->text, &quipu__otf_current(writer)->clock, time, line.process);
        quipu__put(&writer->text, bytes.at, quipu__slice_left(&bytes));
        status = quipu__otf_flush(writer, false, err);
    }
    return status;
}

static enum quipu_status repair_line(struct quipu__otf_repairing *repairing, uint64_t time, uint32_t process,
                                     size_t begin, struct quipu_error *err) {
    const struct quipu__timed_record line = {
        .time = time, .offset = repairing->offset, .line = repairing->line, .process = process, .begin = begin};
    return quipu__time_queue_add(&repairing->queue, &line) ? write_lines(repairing, false, err)
                                                           : quipu__no_memory(err, sizeof line);
}

/* ==== Calls ==== */

/* Programs do not nest calls deeper; damaged traces may seem to. */
#define DEPTH_MOST ((size_t)1 << 16)

static const struct quipu_rule repairs[QUIPU__OTF_REPAIR_COUNT] = {
#define REPAIR(name, id, severity, text) {id, QUIPU_##severity, text, "", NULL},
#include "formats/otf/repairs.def"
#undef REPAIR
};

void quipu__otf_repaired(const struct quipu__otf_repairing *repairing, enum quipu__otf_repair repair,
                         const char *found, ...) {
    struct quipu__where where = QUIPU__WHERE_INIT;
    char text[200];
    va_list arguments;
    va_start(arguments, found);
    vsnprintf(text, sizeof text, found, arguments);
    va_end(arguments);
    where.file = repairing->path;
    where.byte = repairing->offset;
    where.line = repairing->line;
    quipu__find(repairing->repairing->changes, &repairs[repair], &where, "", "%s", text);
}

/* ---- Calls ---- */

static struct quipu__otf_calls *calls_of(struct quipu__otf_repairing *repairing, uint32_t process) {
    const uint32_t number = quipu__map_get(&repairing->call_numbers, process);
    if (number != QUIPU_NONE)
        return &repairing->calls.items[number];
    const uint32_t added = (uint32_t)repairing->calls.count;
    struct quipu__otf_calls *calls = QUIPU__VEC_ADD(repairing->memory, &repairing->calls);
    if (!calls)
        return NULL;
    *calls = (struct quipu__otf_calls){process, quipu__tracker_locate(&repairing->active, added, 0), 0};
    return calls->state != QUIPU_NONE && quipu__map_put(&repairing->call_numbers, process, added) ? calls
                                                                                                  : NULL;
}

static struct quipu__interval_list active_calls(const struct quipu__otf_repairing *repairing,
                                                const struct quipu__otf_calls *calls) {
    return quipu__active_at(&repairing->active, calls->state, QUIPU__INTERVAL_call);
}

static uint32_t function_of(const struct quipu__otf_repairing *repairing, uint32_t call) {
    return (uint32_t)quipu__interval_at(&repairing->active, call)->key[1];
}

/* Leaves the innermost call at a time. */
static enum quipu_status add_leave(struct quipu__otf_repairing *repairing, struct quipu__otf_calls *calls,
                                   uint64_t time, struct quipu_error *err) {
    const size_t begin = repairing->queue.text.len;
    const uint32_t innermost = active_calls(repairing, calls).newest;
    const struct quipu__otf_Leave leave = {function_of(repairing, innermost), 0};
    quipu__tracker_remove(&repairing->active, innermost);
    quipu__otf_encode(&repairing->queue.text, QUIPU__OTF_Leave, &leave, repairing->writer->is_long);
    repairing->repairing->added++;
    return repair_line(repairing, time, calls->process, begin, err);
}

static bool is_same_call(uint32_t entered, uint32_t left) {
    return entered == left || entered == 0 || left == 0;
}

/* Token 0 matches every call. If it is defined it also names a function, so the Leave gets the token of its Enter. */
static void name_entered(struct quipu__otf_repairing *repairing, uint32_t entered, uint32_t *left) {
    if (entered == *left || quipu__map_get(&repairing->defined[QUIPU__OTF_CLASS_function], 0) == QUIPU_NONE)
        return;
    quipu__otf_repaired(repairing, QUIPU__OTF_REPAIR_LEAVE_ZERO, "function %" PRIu32 " in place of %" PRIu32,
                        *left, entered);
    *left = entered;
}

/* Leaves inner calls up to the one that is being left. *stays is false when it was never entered, or too far out. */
static enum quipu_status leave(struct quipu__otf_repairing *repairing, struct quipu__otf_calls *calls,
                               uint64_t time, uint32_t *left, bool *stays, struct quipu_error *err) {
    const uint32_t function = *left;
    uint32_t call = active_calls(repairing, calls).newest;
    if (calls->beyond > 0) {
        calls->beyond--;
        return QUIPU_OK;
    }
    int looked = 0;
    for (; call != QUIPU_NONE && !is_same_call(function_of(repairing, call), function); looked++)
        call = looked < QUIPU__LOOK_OUT_MOST ? quipu__interval_at(&repairing->active, call)->older : QUIPU_NONE;
    *stays = call != QUIPU_NONE;
    if (!*stays) {
        quipu__otf_repaired(repairing, QUIPU__OTF_REPAIR_LEAVE_ONLY, "function %" PRIu32 " of process %" PRIu32,
                            function, calls->process);
        return QUIPU_OK;
    }
    while (active_calls(repairing, calls).newest != call) {
        quipu__otf_repaired(repairing, QUIPU__OTF_REPAIR_LEAVE, "function %" PRIu32 " of process %" PRIu32,
                            function_of(repairing, active_calls(repairing, calls).newest), calls->process);
        const enum quipu_status status = add_leave(repairing, calls, time, err);
        if (status != QUIPU_OK)
            return status;
    }
    name_entered(repairing, function_of(repairing, call), left);
    quipu__tracker_remove(&repairing->active, call);
    return QUIPU_OK;
}

static enum quipu_status enter(struct quipu__otf_repairing *repairing, struct quipu__otf_calls *calls,
                               uint64_t time, uint32_t function, struct quipu_error *err) {
    const struct quipu__transition transition = quipu__begins(QUIPU__INTERVAL_call, 0, 0, function, 0);
    const struct quipu__beginning beginning = {.time = (int64_t)time};
    if (calls->beyond > 0 || active_calls(repairing, calls).count >= DEPTH_MOST) {
        calls->beyond++;
        return QUIPU_OK;
    }
    return quipu__tracker_add(&repairing->active, calls->state, &transition, &beginning)
               ? QUIPU_OK
               : quipu__no_memory(err, sizeof(struct quipu__interval));
}

/* data: the record's, which may change. */
static enum quipu_status track_call(struct quipu__otf_repairing *repairing, const struct quipu_record *record,
                                    union quipu__otf_any *data, uint32_t process, bool *stays,
                                    struct quipu_error *err) {
    const uint64_t time = ((const struct quipu__otf_common *)record->common)->time;
    const enum quipu__otf_type type = (enum quipu__otf_type)(record->type - quipu__otf_schema.types);
    if (type != QUIPU__OTF_Enter && type != QUIPU__OTF_Leave)
        return QUIPU_OK;
    struct quipu__otf_calls *calls = calls_of(repairing, process);
    if (!calls)
        return quipu__no_memory(err, sizeof *calls);
    if (type == QUIPU__OTF_Leave)
        return leave(repairing, calls, time, &data->Leave.function, stays, err);
    return enter(repairing, calls, time, data->Enter.function, err);
}

/* Leaves the calls of a process that are active at the last time. */
static enum quipu_status leave_active(struct quipu__otf_repairing *repairing, struct quipu__otf_calls *calls,
                                      struct quipu_error *err) {
    const uint32_t count = active_calls(repairing, calls).count;
    if (count > 0)
        quipu__otf_repaired(repairing, QUIPU__OTF_REPAIR_OPEN, "%" PRIu32 " calls of process %" PRIu32, count,
                            calls->process);
    for (uint32_t i = 0; i < count; i++) {
        const enum quipu_status status = add_leave(repairing, calls, repairing->queue.last, err);
        if (status != QUIPU_OK)
            return status;
    }
    return QUIPU_OK;
}

static enum quipu_status leave_all(struct quipu__otf_repairing *repairing, struct quipu_error *err) {
    repairing->offset = repairing->line = QUIPU_UNKNOWN;
    for (size_t i = 0; i < repairing->calls.count; i++) {
        const enum quipu_status status = leave_active(repairing, &repairing->calls.items[i], err);
        if (status != QUIPU_OK)
            return status;
    }
    return QUIPU_OK;
}

/* ---- Streams ---- */

static void init_calls(struct quipu__otf_repairing *repairing) {
    const struct quipu__tracker_options options = {.interval_classes =
                                                       QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_call)};
    quipu__tracker_init(&repairing->active, repairing->memory, &options);
    quipu__map_init(&repairing->call_numbers, repairing->memory);
}

static void release_calls(struct quipu__otf_repairing *repairing) {
    QUIPU__VEC_RELEASE(repairing->memory, &repairing->calls);
    quipu__map_release(&repairing->call_numbers);
    quipu__tracker_release(&repairing->active);
}

static enum quipu_status end_lines(struct quipu__otf_repairing *repairing, struct quipu_error *err) {
    enum quipu_status status = write_lines(repairing, true, err);
    if (status != QUIPU_OK)
        return status;
    status = leave_all(repairing, err);
    return status == QUIPU_OK ? write_lines(repairing, true, err) : status;
}

enum quipu_status quipu__otf_repair_stream_end(struct quipu__otf_repairing *repairing,
                                               struct quipu_error *err) {
    const enum quipu_status status = end_lines(repairing, err);
    release_calls(repairing);
    init_calls(repairing);
    quipu__time_queue_reset(&repairing->queue);
    return status;
}

static enum quipu_status start(struct quipu__otf_writer *writer, struct quipu_error *err) {
    struct quipu__otf_repairing *repairing = quipu__alloc_zero(writer->writing->memory, sizeof *repairing);
    if (!repairing)
        return quipu__no_memory(err, sizeof *repairing);
    writer->repairing = repairing;
    repairing->writer = writer;
    repairing->repairing = writer->writing->repairing;
    repairing->memory = writer->writing->memory;
    repairing->path = "";
    quipu__map_init(&repairing->share_numbers, repairing->memory);
    quipu__map_init(&repairing->homes, repairing->memory);
    init_calls(repairing);
    for (unsigned i = 0; i < QUIPU__OTF_CLASS_COUNT; i++) {
        quipu__map_init(&repairing->defined[i], repairing->memory);
        quipu__map_init(&repairing->used[i], repairing->memory);
    }
    quipu__time_queue_init(&repairing->queue, repairing->memory);
    return quipu__otf_repair_look(repairing, err);
}

void quipu__otf_repair_free(struct quipu__otf_writer *writer) {
    struct quipu__otf_repairing *repairing = writer->repairing;
    if (!repairing)
        return;
    release_calls(repairing);
    quipu__map_release(&repairing->share_numbers);
    quipu__map_release(&repairing->homes);
    for (unsigned i = 0; i < QUIPU__OTF_CLASS_COUNT; i++) {
        quipu__map_release(&repairing->defined[i]);
        quipu__map_release(&repairing->used[i]);
    }
    QUIPU__VEC_RELEASE(repairing->memory, &repairing->shares);
    QUIPU__VEC_RELEASE(repairing->memory, &repairing->uses);
    quipu__time_queue_release(&repairing->queue);
    quipu__release(repairing->memory, repairing, sizeof *repairing);
    writer->repairing = NULL;
}

/* Whether the master control file will name a stream for a process that has no records anywhere. */
static bool is_named(const struct quipu__otf_repairing *repairing, uint32_t stream) {
    const struct quipu__otf_assignment *assignment = &repairing->writer->assignment;
    for (size_t i = 0; i < assignment->mapping.count; i++)
        if (assignment->mapping.items[i] >> 32 == stream &&
            quipu__map_get(&repairing->homes, (uint32_t)assignment->mapping.items[i]) == QUIPU_NONE)
            return true;
    return false;
}

/* How many processes belong to the current stream, and one of them. */
static uint32_t count_processes(const struct quipu__otf_repairing *repairing, uint32_t *process) {
    uint32_t count = 0;
    for (size_t i = 0; i < repairing->shares.count; i++) {
        const struct quipu__otf_share *share = &repairing->shares.items[i];
        if (share->stream != repairing->stream ||
            quipu__map_get(&repairing->homes, share->process) != repairing->stream)
            continue;
        *process = share->process;
        count++;
    }
    return count;
}

static bool has_events(const struct quipu__otf_repairing *repairing, uint32_t stream) {
    const struct quipu__trace *trace = repairing->repairing->trace;
    for (size_t i = 0; i < trace->streams.count; i++)
        if (trace->streams.items[i].kind == QUIPU_STREAM_EVENTS && !trace->streams.items[i].missing &&
            trace->streams.items[i].native_id == stream)
            return true;
    return false;
}

/* The master control file cannot name a stream without processes, so its own definitions and markers become global. */
static void choose_stream(struct quipu__otf_repairing *repairing, uint32_t process_count) {
    const uint32_t stream = repairing->stream;
    if (stream == QUIPU__OTF_GLOBAL_STREAM || process_count > 0 ||
        (is_named(repairing, stream) && has_events(repairing, stream)))
        return;
    repairing->stream = QUIPU__OTF_GLOBAL_STREAM;
    quipu__otf_repaired(repairing, QUIPU__OTF_REPAIR_GLOBAL, "stream %" PRIx32, stream);
}

static void renumber(struct quipu__otf_repairing *repairing) {
    const uint32_t before = repairing->stream;
    repairing->stream = quipu__otf_repair_number(repairing, before);
    if (repairing->stream != before)
        quipu__otf_repaired(repairing, QUIPU__OTF_REPAIR_STREAM, "stream %" PRIx32 ", now %" PRIx32, before,
                            repairing->stream);
}

/* A stream without known processes is left out: the master control file could not name it. */
enum quipu_status quipu__otf_repair_begin(struct quipu__otf_writer *writer, const struct quipu_stream *stream,
                                          bool *is_wanted, struct quipu_error *err) {
    enum quipu_status status =
        writer->repairing ? quipu__otf_repair_stream_end(writer->repairing, err) : start(writer, err);
    struct quipu__otf_repairing *repairing = writer->repairing;
    if (status != QUIPU_OK)
        return status;
    repairing->path = stream->path;
    repairing->offset = repairing->line = QUIPU_UNKNOWN;
    repairing->stream = (uint32_t)stream->native_id;
    const bool has_states = stream->kind == QUIPU_STREAM_EVENTS || stream->kind == QUIPU_STREAM_SNAPSHOTS ||
                            stream->kind == QUIPU_STREAM_STATISTICS;
    if (has_states)
        renumber(repairing);
    const uint32_t count = count_processes(repairing, &repairing->only);
    repairing->has_only = count == 1 && repairing->only != QUIPU__KEYED_NO_PROCESS;
    repairing->has_state = repairing->has_written = false;
    if ((stream->kind == QUIPU_STREAM_DEFINITIONS || stream->kind == QUIPU_STREAM_MARKERS) && !stream->missing)
        choose_stream(repairing, count);
    const bool may_be_named = stream->kind == QUIPU_STREAM_EVENTS && !stream->missing && count == 0;
    *is_wanted = !stream->missing &&
                 (!has_states || count > 0 || (may_be_named && is_named(repairing, repairing->stream)));
    repairing->is_skipped = !*is_wanted;
    repairing->is_master = stream->kind == QUIPU_STREAM_OTHER;
    if (stream->missing) {
        repairing->is_missing = true;
        quipu__otf_repaired(repairing, QUIPU__OTF_REPAIR_MISSING, "stream %" PRIx32, repairing->stream);
    }
    return QUIPU_OK;
}

/* ---- Records ---- */

static enum quipu_status drop(struct quipu__otf_repairing *repairing, enum quipu__otf_repair repair,
                              const struct quipu_record *record) {
    quipu__otf_repaired(repairing, repair, "%s", record->type->name);
    repairing->repairing->dropped++;
    return QUIPU_OK;
}

static bool has_states(const struct quipu__otf_repairing *repairing) {
    return repairing->file == QUIPU__OTF_EVENTS || repairing->file == QUIPU__OTF_SNAPSHOTS ||
           repairing->file == QUIPU__OTF_STATISTICS;
}

/* Whether writing changes a text: readers accept one that is missing or continues on the next line, but a writer always
 * writes one, in one line. */
static bool is_changed(const struct quipu_field *field, const char *text) {
    return text ? memchr(text, '\n', quipu_sized_count(text)) != NULL : field->wire == QUIPU__PRESENCE_MISSING;
}

static void note_texts(const struct quipu__otf_repairing *repairing, const struct quipu_record *record) {
    for (uint32_t i = 0; i < record->type->field_count; i++) {
        const struct quipu_field *field = &record->type->fields[i];
        if (field->storage == QUIPU_STORE_STRING &&
            is_changed(field, *(const char *const *)quipu__member_const(field, record->data)))
            quipu__otf_repaired(repairing, QUIPU__OTF_REPAIR_TEXT, "%s", record->type->name);
    }
}

/* A record of a file with state lines. */
static enum quipu_status repair_event(struct quipu__otf_repairing *repairing, const struct quipu_record *record,
                                      struct quipu_error *err) {
    const struct quipu__otf_common *common = record->common;
    const bool long_form = repairing->writer->is_long;
    uint32_t process = common->process;
    union quipu__otf_any data;
    bool stays = true;
    repairing->has_state |= quipu__otf_repair_is_state(common);
    if (!repairing->has_state)
        return drop(repairing, QUIPU__OTF_REPAIR_NO_STATE, record);
    if (quipu__map_get(&repairing->homes, process) != repairing->stream) {
        if (!repairing->has_only)
            return drop(repairing, QUIPU__OTF_REPAIR_STRANGER, record);
        quipu__otf_repaired(repairing, QUIPU__OTF_REPAIR_PROCESS, "process %" PRIu32 ", not %" PRIu32,
                            repairing->only, process);
        process = repairing->only;
    }
    if (!repairing->has_written && process == QUIPU__KEYED_NO_PROCESS)
        return drop(repairing, QUIPU__OTF_REPAIR_NO_STATE, record);
    memcpy(&data, record->data, record->type->size);
    const enum quipu_status status = track_call(repairing, record, &data, process, &stays, err);
    if (status != QUIPU_OK)
        return status;
    if (!stays) {
        repairing->repairing->dropped++;
        return QUIPU_OK;
    }
    if (!quipu__otf_repair_note_tokens(repairing, record) ||
        !quipu__otf_repair_use(repairing, QUIPU__OTF_CLASS_process, process))
        return quipu__no_memory(err, sizeof *record);
    note_texts(repairing, record);
    const size_t begin = repairing->queue.text.len;
    quipu__otf_encode_values(&repairing->queue.text, common->keyvalues, long_form);
    quipu__otf_encode(&repairing->queue.text, (enum quipu__otf_type)(record->type - quipu__otf_schema.types),
                      &data, long_form);
    repairing->has_written = true;
    return repair_line(repairing, common->time, process, begin, err);
}

/* A record of definitions or markers. */
static enum quipu_status repair_definition(struct quipu__otf_repairing *repairing,
                                           const struct quipu_record *record, struct quipu_error *err) {
    struct quipu__otf_writer *writer = repairing->writer;
    const bool long_form = writer->is_long;
    const struct quipu__otf_common *common = record->common;
    const enum quipu_status status = quipu__otf_use_output(writer, repairing->file, repairing->stream, err);
    if (status != QUIPU_OK)
        return status;
    if (!quipu__otf_repair_note_tokens(repairing, record))
        return quipu__no_memory(err, sizeof *record);
    note_texts(repairing, record);
    if (common)
        quipu__otf_encode_values(&writer->text, common->keyvalues, long_form);
    quipu__otf_encode(&writer->text, (enum quipu__otf_type)(record->type - quipu__otf_schema.types),
                      record->data, long_form);
    return quipu__otf_flush(writer, false, err);
}

/* A snapshot's statement of what it consists of holds only for the undamaged trace. */
static bool is_outdated(const struct quipu_record *record) {
    struct quipu__completeness complete;
    return quipu__otf_snapshots.completeness_of(record, &complete);
}

enum quipu_status quipu__otf_repair_record(struct quipu__otf_repairing *repairing,
                                           const struct quipu_record *record, struct quipu_error *err) {
    if (is_outdated(record))
        return QUIPU_OK;
    repairing->offset = record->byte_offset;
    repairing->line = record->line;
    if (record->type == &quipu__otf_schema.types[QUIPU__OTF_UnknownRecord])
        return drop(repairing, QUIPU__OTF_REPAIR_LINE, record);
    if (repairing->is_skipped)
        return drop(repairing, QUIPU__OTF_REPAIR_NO_STATE, record);
    repairing->file = repairing->writer->file;
    return has_states(repairing) ? repair_event(repairing, record, err)
                                 : repair_definition(repairing, record, err);
}
