/* repair.c: the records of a damaged trace, location after location: what cannot stay is left out, what must be there is added.
 *
 * The reader gives what is sound of each file. In the repaired files times do not go back, every call that is entered is left, in the proper
 * order: a leave without its enter is dropped, one that skips inner calls leaves them first, and calls active at the end are left at the last
 * time. Definitions come last, since they say how many events a location has. */
#include "formats/otf2/format.h"

#include "core/error.h"
#include "formats/time_queue.h"
#include "state/tracker.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
        status = quipu__otf2_put_encoded(writer, &writer->events, time, bytes, err);
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

enum quipu_status quipu__otf2_repair_event(struct quipu__otf2_repair *repair, const struct quipu_record *record,
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

enum quipu_status quipu__otf2_repair_end(struct quipu__otf2_repair *repair, struct quipu_error *err) {
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

enum quipu_status quipu__otf2_repair_begin(struct quipu__otf2_repair *repair, const struct quipu_stream *stream,
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

enum quipu_status quipu__otf2_repair_definitions(struct quipu__otf2_repair *repair, struct quipu_error *err) {
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

enum quipu_status quipu__otf2_repair_new(struct quipu__otf2_writer *writer, struct quipu__otf2_repair **out,
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

void quipu__otf2_repair_free(struct quipu__otf2_repair *repair) {
    if (!repair)
        return;
    quipu__time_queue_release(&repair->queue);
    quipu__map_release(&repair->location_of);
    quipu__scratch_release(&repair->scratch);
    QUIPU__VEC_RELEASE(repair->memory, &repair->calls);
    QUIPU__VEC_RELEASE(repair->memory, &repair->events);
    quipu__release(repair->memory, repair, sizeof *repair);
}
