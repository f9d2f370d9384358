/* reader.c: opening a trace, passes over its records and events, and what records become. */
#include "core/error.h"
#include "core/text.h"
#include "formats/paraver/format.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- Rules ---- */

const struct quipu_rule quipu__paraver_rules[QUIPU__PARAVER_RULE_COUNT] = {
#define RULE(name, id, severity, text, advice) {id, QUIPU_##severity, text, advice, NULL},
#include "formats/paraver/rules.def"
#undef RULE
};

void quipu__paraver_find(const struct quipu__paraver_trace *own, enum quipu__paraver_rule rule,
                         const struct quipu__paraver_lines *line, const char *found, ...) {
    char text[80];
    va_list arguments;
    va_start(arguments, found);
    vsnprintf(text, sizeof text, found, arguments);
    va_end(arguments);
    const struct quipu__where where = {own->trace->path, line->offset, line->number, QUIPU_UNKNOWN, "", ""};
    quipu__find(own->trace->findings, &quipu__paraver_rules[rule], &where, "", "%s", text);
}

/* ---- Opening and closing ---- */

/* A file with the name may be damaged. */
static enum quipu_score paraver_probe(const struct quipu__probe *probe) {
    static const char head[] = "#Paraver (";
    if (probe->is_directory)
        return QUIPU_SCORE_NO;
    if (probe->head_len >= strlen(head) && memcmp(probe->head, head, strlen(head)) == 0)
        return QUIPU_SCORE_CERTAIN;
    return quipu__has_suffix(probe->path, ".prv") ? QUIPU_SCORE_NAME_ONLY : QUIPU_SCORE_NO;
}

static void paraver_close(struct quipu__trace *trace) {
    struct quipu__paraver_trace *own = trace->own;
    struct quipu__memory *memory = trace->memory;
    if (!own)
        return;
    quipu__paraver_release_labels(&own->labels);
    QUIPU__VEC_RELEASE(memory, &own->threads);
    QUIPU__VEC_RELEASE(memory, &own->types);
    QUIPU__VEC_RELEASE(memory, &own->regions);
    QUIPU__VEC_RELEASE(memory, &own->communicators);
    QUIPU__VEC_RELEASE(memory, &own->messages);
    QUIPU__VEC_RELEASE(memory, &own->displaced);
    QUIPU__VEC_RELEASE(memory, &own->first_displaced);
    quipu__map_release(&own->thread_of);
    quipu__map_release(&own->type_of);
    quipu__map_release(&own->region_of);
    quipu__map_release(&own->group_of);
    quipu__release(memory, own, sizeof *own);
    trace->own = NULL;
}

static void report_opening(const struct quipu__paraver_trace *own) {
    static const struct quipu__paraver_lines first = {.offset = 0, .number = 1};
    if (!own->has_header)
        quipu__paraver_find(own, QUIPU__PARAVER_RULE_HEADER, &first, " ");
    if (own->announced >= 0 && (uint64_t)own->announced != own->communicators.count + own->intercommunicators)
        quipu__paraver_find(own, QUIPU__PARAVER_RULE_COMMUNICATORS, &first, "%" PRId64 ", there are %" PRIu64,
                            own->announced, own->communicators.count + own->intercommunicators);
}

static enum quipu_status add_stream(struct quipu__paraver_trace *own, struct quipu_error *err) {
    struct quipu__trace *trace = own->trace;
    struct quipu_stream *stream = QUIPU__VEC_ADD(trace->memory, &trace->streams);
    if (!stream)
        return quipu__no_memory(err, sizeof *stream);
    *stream = (struct quipu_stream){.name = quipu__base_name(trace->path),
                                    .path = trace->path,
                                    .kind = QUIPU_STREAM_EVENTS,
                                    .substreams = own->substreams,
                                    .bytes = trace->bytes_total};
    trace->variant = "";
    return QUIPU_OK;
}

static enum quipu_status paraver_open(struct quipu__trace *trace, struct quipu_error *err) {
    struct quipu__paraver_trace *own = quipu__alloc_zero(trace->memory, sizeof *own);
    trace->own = own;
    if (!own)
        return quipu__no_memory(err, sizeof *own);
    own->trace = trace;
    quipu__map_init(&own->thread_of, trace->memory);
    quipu__map_init(&own->type_of, trace->memory);
    quipu__map_init(&own->region_of, trace->memory);
    quipu__map_init(&own->group_of, trace->memory);
    enum quipu_status status = quipu__paraver_read_labels(&own->labels, trace, err);
    if (status == QUIPU_OK)
        status = quipu__paraver_scan(own, err);
    if (status == QUIPU_OK)
        status = quipu__paraver_define(own, err);
    if (status == QUIPU_OK)
        status = add_stream(own, err);
    if (status == QUIPU_OK) {
        report_opening(own);
        return QUIPU_OK;
    }
    QUIPU__VEC_RELEASE(trace->memory, &trace->streams);
    paraver_close(trace);
    return status;
}

/* ---- Passes ---- */

static void paraver_pass_close(struct quipu__pass *base) {
    struct quipu__paraver_pass *pass = (struct quipu__paraver_pass *)base;
    const struct quipu__paraver_trace *own = pass->own;
    struct quipu__memory *memory = own->trace->memory;
    const size_t threads = own->threads.count + 1;
    for (size_t i = 0; pass->progress && i < threads; i++)
        QUIPU__VEC_RELEASE(memory, &pass->progress[i].stack);
    quipu__release(memory, pass->progress, pass->progress ? threads * sizeof *pass->progress : 0);
    quipu__release(memory, pass->displaced,
                   pass->displaced ? (own->substreams + (size_t)1) * sizeof *pass->displaced : 0);
    quipu__release(memory, pass->posted, pass->posted ? own->messages.count / 8 + 1 : 0);
    quipu__scratch_release(&pass->scratch);
    quipu__input_close(pass->lines.input);
    quipu__release(memory, pass, sizeof *pass);
}

/* What events need. */
static bool prepare_events(struct quipu__paraver_pass *pass) {
    const struct quipu__paraver_trace *own = pass->own;
    struct quipu__memory *memory = own->trace->memory;
    const size_t threads = own->threads.count + 1;
    pass->progress = quipu__alloc_zero(memory, threads * sizeof *pass->progress);
    pass->displaced = quipu__alloc_zero(memory, (own->substreams + (size_t)1) * sizeof *pass->displaced);
    pass->posted = quipu__alloc_zero(memory, own->messages.count / 8 + 1);
    if (!pass->progress || !pass->displaced || !pass->posted)
        return false;
    for (size_t i = 0; i < threads; i++) {
        pass->progress[i].given = INT64_MIN;
        pass->progress[i].left_type = QUIPU_NONE;
    }
    for (size_t i = 0; i < own->substreams; i++)
        pass->displaced[i] = own->first_displaced.items[i];
    return true;
}

static enum quipu_status paraver_pass_open(const struct quipu__pass *common, struct quipu__pass **out,
                                           struct quipu_error *err) {
    struct quipu__trace *trace = common->trace;
    struct quipu__paraver_pass *pass = quipu__alloc_zero(trace->memory, sizeof *pass);
    *out = NULL;
    if (!pass)
        return quipu__no_memory(err, sizeof *pass);
    pass->pass = *common;
    pass->own = trace->own;
    pass->records_of = common->records_of ? common->records_of : pass->own_records_of;
    quipu__scratch_init(&pass->scratch, trace->memory);
    enum quipu_status status = quipu__input_open(trace->files, trace->path, QUIPU__CODEC_DETECT, common->window,
                                                 &pass->lines.input, err);
    if (status == QUIPU_OK && common->substream != QUIPU__RECORDS && !prepare_events(pass))
        status = quipu__no_memory(err, sizeof *pass->progress);
    if (status == QUIPU_OK)
        *out = &pass->pass;
    else
        paraver_pass_close(&pass->pass);
    return status;
}

/* ---- Records ---- */

struct object {
    int64_t application, task, thread;
};

/* The thread that a record belongs to: of a message the sender. False: to none. */
static bool object_of(const struct quipu__paraver_record *record, struct object *out) {
    switch (record->type) {
    case QUIPU__PRV_TYPE_state:
        *out = (struct object){record->any.state.application, record->any.state.task, record->any.state.thread};
        return true;
    case QUIPU__PRV_TYPE_event:
        *out = (struct object){record->any.event.application, record->any.event.task, record->any.event.thread};
        return true;
    case QUIPU__PRV_TYPE_message:
        *out = (struct object){record->any.message.application, record->any.message.task,
                               record->any.message.thread};
        return true;
    default:
        return false;
    }
}

static void check_object(const struct quipu__paraver_pass *pass, const struct object *object) {
    const struct quipu__paraver_trace *own = pass->own;
    const uint32_t thread = quipu__paraver_thread_of(own, object->application, object->task, object->thread);
    const bool is_missing = thread != QUIPU_NONE && own->has_header && !own->threads.items[thread].is_in_header;
    if (thread == QUIPU_NONE || is_missing)
        quipu__paraver_find(own, thread == QUIPU_NONE ? QUIPU__PARAVER_RULE_BEYOND : QUIPU__PARAVER_RULE_OBJECT,
                            &pass->lines, "%" PRId64 ".%" PRId64 ".%" PRId64, object->application, object->task,
                            object->thread);
}

static void check_record(const struct quipu__paraver_pass *pass) {
    const struct quipu__prv_record_message *message = &pass->record.any.message;
    const struct quipu__prv_record_state *state = &pass->record.any.state;
    struct object object;
    if (object_of(&pass->record, &object))
        check_object(pass, &object);
    if (pass->record.type == QUIPU__PRV_TYPE_message) {
        const struct object receiver = {message->receiver_application, message->receiver_task,
                                        message->receiver_thread};
        check_object(pass, &receiver);
    }
    if (pass->record.type == QUIPU__PRV_TYPE_state && state->end < state->begin && state->end != -1)
        quipu__paraver_find(pass->own, QUIPU__PARAVER_RULE_STATE_END, &pass->lines, "%" PRId64 " to %" PRId64,
                            state->begin, state->end);
}

static void report_damage(struct quipu__paraver_pass *pass) {
    const struct quipu__paraver_lines *line = &pass->lines;
    enum { SOME = 40 };
    pass->pass.skipped += line->len;
    if (line->has_end || line->len > SOME)
        quipu__paraver_find(pass->own, line->has_end ? QUIPU__PARAVER_RULE_LINE : QUIPU__PARAVER_RULE_CUT, line,
                            "%.*s", (int)(line->len < SOME ? line->len : SOME), line->text);
    else
        quipu__paraver_find(pass->own, QUIPU__PARAVER_RULE_CUT, line, " ");
}

/* The next record that belongs to the pass: to its thread, or to none where it is the first one. */
static enum quipu_status next_of_ours(struct quipu__paraver_pass *pass, struct quipu_error *err) {
    const struct quipu__paraver_trace *own = pass->own;
    const uint32_t substream = pass->pass.substream;
    for (;;) {
        struct object object;
        const enum quipu_status status = quipu__paraver_next_line(&pass->lines, err);
        if (status != QUIPU_OK)
            return status;
        quipu__scratch_reset(&pass->scratch);
        const enum quipu__paraver_decoded decoded =
            quipu__paraver_decode(&pass->lines, &pass->scratch, &pass->record);
        if (decoded == QUIPU__PARAVER_NO_MEMORY)
            return quipu__no_memory(err, pass->lines.len);
        const bool has_object = decoded == QUIPU__PARAVER_RECORD && object_of(&pass->record, &object);
        pass->thread = has_object
                           ? quipu__paraver_thread_of(own, object.application, object.task, object.thread)
                           : QUIPU_NONE;
        const uint32_t its = pass->thread == QUIPU_NONE ? 0 : own->threads.items[pass->thread].substream;
        if (decoded == QUIPU__PARAVER_BLANK || (substream < QUIPU__ALL_SUBSTREAMS && its != substream))
            continue;
        if (decoded == QUIPU__PARAVER_DAMAGED) {
            report_damage(pass);
            continue;
        }
        check_record(pass);
        pass->pass.records++;
        pass->records_of[pass->record.type]++;
        return QUIPU_OK;
    }
}

static enum quipu_status paraver_next_record(struct quipu__pass *base, struct quipu_record *out,
                                             struct quipu_error *err) {
    struct quipu__paraver_pass *pass = (struct quipu__paraver_pass *)base;
    const enum quipu_status status = next_of_ours(pass, err);
    base->bytes = quipu__input_consumed(pass->lines.input);
    if (status != QUIPU_OK)
        return status;
    *out = (struct quipu_record){.type = &quipu__prv_record_types[pass->record.type],
                                 .data = &pass->record.any,
                                 .stream = base->stream,
                                 .byte_offset = pass->lines.offset,
                                 .line = pass->lines.number,
                                 .index = pass->index++};
    return QUIPU_OK;
}

/* ---- Events ---- */

/* What is left when the lines have ended; false when there is no room. */
static bool add_rest(struct quipu__paraver_pass *pass) {
    const bool has_all = pass->pass.substream == QUIPU__ALL_SUBSTREAMS;
    const uint32_t first = has_all ? 0 : pass->pass.substream,
                   end = has_all ? pass->own->substreams : first + 1;
    if (quipu__batch_left(pass->batch) == 0)
        return false;
    quipu__paraver_add_started(pass);
    bool has_room = true;
    for (uint32_t i = first; i < end && has_room; i++)
        has_room = quipu__paraver_add_displaced(pass, i, INT64_MAX);
    return has_room;
}

/* Reads a record. */
static enum quipu_status read_next(struct quipu__paraver_pass *pass, struct quipu_error *err) {
    const enum quipu_status status = next_of_ours(pass, err);
    pass->has_ended = status == QUIPU_END;
    pass->has_event =
        status == QUIPU_OK && pass->record.type == QUIPU__PRV_TYPE_event && pass->thread != QUIPU_NONE;
    pass->step = 0;
    return status == QUIPU_END ? QUIPU_OK : status;
}

static enum quipu_status paraver_next_batch(struct quipu__pass *base, struct quipu__batch *batch,
                                            struct quipu_error *err) {
    struct quipu__paraver_pass *pass = (struct quipu__paraver_pass *)base;
    enum { LEAST = 16 };
    bool has_room = true;
    pass->batch = batch;
    enum quipu_status status = batch->batch.capacity < LEAST ? quipu__batch_grow(batch, LEAST, err) : QUIPU_OK;
    while (status == QUIPU_OK && has_room && !pass->has_ended) {
        if (pass->has_event)
            has_room = quipu__paraver_add_event(pass);
        else
            status = read_next(pass, err);
    }
    if (status == QUIPU_OK && pass->has_ended)
        add_rest(pass);
    base->bytes = quipu__input_consumed(pass->lines.input);
    if (status != QUIPU_OK)
        return status;
    return batch->batch.count > 0 ? QUIPU_OK : QUIPU_END;
}

static enum quipu__substreams paraver_substreams(const struct quipu__trace *trace, uint32_t stream) {
    (void)trace;
    (void)stream;
    return QUIPU__SUBSTREAMS_TOGETHER;
}

static uint32_t paraver_substream_of(const struct quipu__trace *trace, uint32_t stream, uint32_t location) {
    const struct quipu__paraver_trace *own = trace->own;
    (void)stream;
    return location >= own->first_location && location - own->first_location < own->threads.count
               ? own->threads.items[location - own->first_location].substream
               : 0;
}

/* ---- What records become ---- */

#define KIND(name) QUIPU_KIND_BIT(QUIPU_KIND_##name)
#define FIELD(record, member, outcome, column, reason)                                                         \
    { QUIPU__PRV_##record##_##member, QUIPU__OUTCOME_##outcome, column, reason, 0 }
#define ELSEWHERE(record, member) FIELD(record, member, EXACT, QUIPU_COLUMN_COUNT, "")
#define NO_CPU(record, member)                                                                                 \
    FIELD(record, member, DROPPED, QUIPU_COLUMN_COUNT, "events do not say on which CPU they are")
#define FIELDS(list) list, sizeof list / sizeof *list

static const struct quipu__mapping *paraver_mapping(uint32_t type) {
    static const struct quipu__field_outcome of_state[] = {NO_CPU(state, cpu),
                                                           ELSEWHERE(state, application),
                                                           ELSEWHERE(state, task),
                                                           ELSEWHERE(state, thread),
                                                           ELSEWHERE(state, begin),
                                                           ELSEWHERE(state, end),
                                                           FIELD(state, state, EXACT, QUIPU_COLUMN_object, "")};
    static const struct quipu__field_outcome of_event[] = {
        NO_CPU(event, cpu),       ELSEWHERE(event, application), ELSEWHERE(event, task),
        ELSEWHERE(event, thread), ELSEWHERE(event, time),        ELSEWHERE(event, values)};
    static const struct quipu__field_outcome of_message[] = {
        NO_CPU(message, cpu),
        ELSEWHERE(message, application),
        ELSEWHERE(message, task),
        ELSEWHERE(message, thread),
        FIELD(message, logical_send, DROPPED, QUIPU_COLUMN_COUNT, "the call around the message says it"),
        ELSEWHERE(message, physical_send),
        NO_CPU(message, receiver_cpu),
        FIELD(message, receiver_application, EXACT, QUIPU_COLUMN_peer, ""),
        FIELD(message, receiver_task, EXACT, QUIPU_COLUMN_peer, ""),
        FIELD(message, receiver_thread, EXACT, QUIPU_COLUMN_peer, ""),
        ELSEWHERE(message, logical_receive),
        ELSEWHERE(message, physical_receive),
        FIELD(message, bytes, EXACT, QUIPU_COLUMN_bytes, ""),
        FIELD(message, tag, EXACT, QUIPU_COLUMN_tag, "")};
    static const struct quipu__mapping definition = {.is_definition = true},
                                       group = {.is_definition = true, .definitions = QUIPU__DEFINES(groups)},
                                       nothing = {.kinds = 0},
                                       state = {KIND(enter) | KIND(leave), false, FIELDS(of_state), 0},
                                       event = {KIND(enter) | KIND(leave) | KIND(collective_begin) |
                                                    KIND(collective_end) | KIND(state_set) | KIND(metric),
                                                false, FIELDS(of_event), 0},
                                       message = {KIND(send) | KIND(recv_post) | KIND(recv), false,
                                                  FIELDS(of_message), 0};
    switch ((enum quipu__prv_record_type)type) {
    case QUIPU__PRV_TYPE_header:
        return &definition;
    case QUIPU__PRV_TYPE_communicator:
        return &group;
    case QUIPU__PRV_TYPE_state:
        return &state;
    case QUIPU__PRV_TYPE_event:
        return &event;
    case QUIPU__PRV_TYPE_message:
        return &message;
    default:
        return &nothing;
    }
}

const struct quipu__reading quipu__paraver_reading = {
    .probe = paraver_probe,
    .open = paraver_open,
    .close = paraver_close,
    .pass_open = paraver_pass_open,
    .pass_close = paraver_pass_close,
    .next_record = paraver_next_record,
    .next_batch = paraver_next_batch,
    .substreams = paraver_substreams,
    .substream_of = paraver_substream_of,
    .mapping = paraver_mapping,
};
