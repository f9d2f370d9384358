/* record_makers.c: what kinds of events become, as far as the rows of mapping.def do not say it: which record of several, what ties two ends
 * together, what one end says for both. */
#include "formats/otf2/from_model.h"

#include <string.h>

/* ---- Operations without a number of their own ---- */

static uint64_t begin_operation(model *m, struct track *track, uint64_t key, uint64_t id,
                                const struct quipu_event *event) {
    struct open_operation *operation = QUIPU__VEC_ADD(m->memory, &track->operations);
    if (id == QUIPU_UNKNOWN)
        id = ++track->next_id;
    if (operation)
        *operation = (struct open_operation){key,
                                             id,
                                             event->bytes,
                                             event->value,
                                             event->operation,
                                             event->peer,
                                             event->group,
                                             event->kind == QUIPU_KIND_collective_begin};
    return id;
}

/* Of operations that are alike the first one ends first. False when none has active. */
static bool end_operation(struct track *track, uint64_t key, struct open_operation *out) {
    *out = (struct open_operation){.id = QUIPU_UNKNOWN};
    for (size_t i = 0; i < track->operations.count; i++) {
        struct open_operation *operation = &track->operations.items[i];
        if (operation->key != key)
            continue;
        *out = *operation;
        track->operations.count--;
        memmove(operation, operation + 1, (track->operations.count - i) * sizeof *operation);
        return true;
    }
    return false;
}

static uint64_t key_of(const model *m, const struct quipu_event *event, uint32_t object) {
    const uint64_t key[] = {object, event->peer, event->group, (uint64_t)event->tag};
    return quipu__hash(key, sizeof key, m->members.seed);
}

/* ---- What rows do not say, kind by kind ---- */

static bool has_request(const struct quipu_event *event) {
    return event->id != QUIPU_UNKNOWN;
}

static void make_message(model *m, struct track *track, const struct quipu_event *event, uint64_t time,
                         struct made *made) {
    static const enum quipu__otf2_type types[2][2] = {{QUIPU__OTF2_TYPE_MPI_SEND, QUIPU__OTF2_TYPE_MPI_ISEND},
                                                      {QUIPU__OTF2_TYPE_MPI_RECV, QUIPU__OTF2_TYPE_MPI_IRECV}};
    (void)track, (void)time;
    quipu__otf2_fill(m, event, types[event->kind == QUIPU_KIND_recv][has_request(event)], made);
}

static void make_request(model *m, struct track *track, const struct quipu_event *event, uint64_t time,
                         struct made *made) {
    static const enum quipu__otf2_type types[QUIPU_KIND_COUNT] = {
        [QUIPU_KIND_send_complete] = QUIPU__OTF2_TYPE_MPI_ISEND_COMPLETE,
        [QUIPU_KIND_recv_post] = QUIPU__OTF2_TYPE_MPI_IRECV_REQUEST,
        [QUIPU_KIND_cancel] = QUIPU__OTF2_TYPE_MPI_REQUEST_CANCELLED};
    (void)track, (void)time;
    quipu__otf2_fill(m, event, types[event->kind], made);
    made->is_impossible |= !has_request(event);
}

/* Those of regions with such names do not block. */
static bool is_immediate(const model *m, const struct quipu_event *event) {
    const struct quipu_regions *regions = &m->definitions->regions;
    return has_request(event) && event->object < regions->count &&
           strncmp(regions->items[event->object].name, "MPI_I", 5) == 0;
}

/* Readers take what the end says for what the beginning said, too. */
static bool is_said_by_end_only(uint64_t begin, uint64_t end) {
    return begin == QUIPU_UNKNOWN && end != QUIPU_UNKNOWN;
}

/* The record of the end says what either end says. */
static void fill_collective(model *m, struct track *track, const struct quipu_event *end, struct made *made) {
    struct quipu_event event = *end;
    struct open_operation active;
    const bool is_nonblocking = has_request(end) && end_operation(track, ~end->id, &active);
    if (is_nonblocking || end_operation(track, end->object, &active)) {
        made->is_cut |=
            is_said_by_end_only(active.bytes, end->bytes) || is_said_by_end_only(active.value, end->value);
        event.bytes = event.bytes == QUIPU_UNKNOWN ? active.bytes : event.bytes;
        event.value = event.value == QUIPU_UNKNOWN ? active.value : event.value;
        event.peer = event.peer == QUIPU_NONE ? active.peer : event.peer;
        event.group = event.group == QUIPU_NONE ? active.group : event.group;
        event.operation = event.operation >= QUIPU_COLLECTIVE_COUNT ? active.operation : event.operation;
    }
    quipu__otf2_fill(m, &event,
                     is_nonblocking ? QUIPU__OTF2_TYPE_NON_BLOCKING_COLLECTIVE_COMPLETE
                                    : QUIPU__OTF2_TYPE_MPI_COLLECTIVE_END,
                     made);
}

static void make_collective(model *m, struct track *track, const struct quipu_event *event, uint64_t time,
                            struct made *made) {
    const bool begins = event->kind == QUIPU_KIND_collective_begin, waits = !is_immediate(m, event);
    (void)time;
    if (!begins)
        fill_collective(m, track, event, made);
    else if (waits)
        made->type = QUIPU__OTF2_TYPE_MPI_COLLECTIVE_BEGIN;
    else
        quipu__otf2_fill(m, event, QUIPU__OTF2_TYPE_NON_BLOCKING_COLLECTIVE_REQUEST, made);
    if (begins)
        begin_operation(m, track, waits ? event->object : ~event->id, 0, event);
    if (event->object >= m->definitions->regions.count || event->operation >= QUIPU_COLLECTIVE_COUNT)
        return;
    if (event->object >= m->operation_of.count) {
        const size_t more = event->object + 1 - m->operation_of.count;
        if (!QUIPU__VEC_RESERVE(m->memory, &m->operation_of, more))
            return;
        m->operation_of.count += more;
    }
    m->operation_of.items[event->object] = (uint8_t)(event->operation + 1);
}

/* The number that ties both ends together is an attribute of events that were OTF2's. */
static void make_rma(model *m, struct track *track, const struct quipu_event *event, uint64_t time,
                     struct made *made) {
    static const enum quipu__otf2_type types[QUIPU_RMA_COUNT] = {[QUIPU_RMA_PUT] = QUIPU__OTF2_TYPE_RMA_PUT,
                                                                 [QUIPU_RMA_GET] = QUIPU__OTF2_TYPE_RMA_GET,
                                                                 [QUIPU_RMA_ACCUMULATE] =
                                                                     QUIPU__OTF2_TYPE_RMA_ATOMIC};
    const enum quipu__otf2_type type =
        event->operation < QUIPU_RMA_COUNT ? types[event->operation] : (enum quipu__otf2_type)0;
    const bool begins = event->kind == QUIPU_KIND_rma_begin;
    const uint64_t key = key_of(m, event, 0);
    (void)time;
    made->is_impossible |= begins && type == 0;
    if (made->is_impossible)
        return;
    quipu__otf2_fill(m, event, begins ? type : QUIPU__OTF2_TYPE_RMA_OP_COMPLETE_BLOCKING, made);
    const struct quipu_record_type *row = &quipu__otf2_types[made->type];
    const struct quipu_field *field = &row->fields[row->field_count - 2]; /* in front of the attributes */
    int64_t id = 0;
    quipu_field_get_i64(field, &made->data, &id);
    if (begins)
        id = (int64_t)begin_operation(m, track, key, id ? (uint64_t)id : QUIPU_UNKNOWN, event);
    struct open_operation active;
    const bool ends = !begins && end_operation(track, key, &active);
    if (ends && id == 0)
        id = (int64_t)active.id;
    made->is_cut |= !begins && !ends && event->bytes != QUIPU_UNKNOWN; /* which only the beginning says */
    quipu__store_i64(field, &made->data, id);
}

static void make_handle(model *m, struct track *track, const struct quipu_event *event, uint64_t time,
                        struct made *made) {
    enum { READ_AND_WRITE = 2, CREATE = 1 };
    struct quipu__otf2_IO_CREATE_HANDLE *record = &made->data.IO_CREATE_HANDLE;
    const uint32_t flag = m->definitions->io_create_flag;
    (void)track, (void)time;
    if (event->kind == QUIPU_KIND_io_close) {
        quipu__otf2_fill(m, event, QUIPU__OTF2_TYPE_IO_DESTROY_HANDLE, made);
        return;
    }
    quipu__otf2_fill(m, event, QUIPU__OTF2_TYPE_IO_CREATE_HANDLE, made);
    if (flag != CREATE) /* bits of another format */
        record->creation_flags = event->operation != QUIPU_NONE && (event->operation & flag) != 0 ? CREATE : 0;
    else if (event->operation == QUIPU_NONE)
        record->creation_flags = 0;
    if (made->used == 0)
        record->access_mode = READ_AND_WRITE;
}

static bool is_said(const struct quipu_event *begin) {
    return begin->operation < QUIPU_IO_COUNT && begin->operation != QUIPU_IO_OTHER &&
           (begin->object != QUIPU_NONE || begin->tag != -1);
}

/* What the beginning of an operation does not say stands in its end: if that is near. */
static void look_ahead(const model *m, struct quipu_event *begin) {
    enum { NEAR = 256 };
    const struct quipu_batch *batch = m->batch;
    for (uint32_t i = m->event + 1; i < batch->count && i - m->event < NEAR; i++)
        if (batch->kind[i] == QUIPU_KIND_io_end && batch->id[i] == begin->id &&
            batch->location[i] == begin->location) {
            begin->object = batch->object[i];
            begin->operation = batch->operation[i];
            begin->tag = batch->tag[i];
            begin->bytes = batch->bytes[i];
            begin->value = batch->value[i];
            return;
        }
}

static void make_io(model *m, struct track *track, const struct quipu_event *said, uint64_t time,
                    struct made *made) {
    struct quipu_event row = *said;
    const struct quipu_event *event = &row;
    const bool begins = event->kind == QUIPU_KIND_io_begin;
    if (begins && !is_said(event))
        look_ahead(m, &row);
    const uint64_t key = has_request(event) ? event->id ^ m->members.seed : key_of(m, event, event->object);
    (void)time;
    if (event->operation == QUIPU_IO_SEEK || event->operation == QUIPU_IO_UNLINK) {
        made->type = QUIPU__OTF2_TYPE_COUNT; /* the record stands for both ends */
        m->writer->output->approximated[event->kind] += !begins;
        if (begins)
            quipu__otf2_fill(m, event,
                             event->operation == QUIPU_IO_SEEK ? QUIPU__OTF2_TYPE_IO_SEEK
                                                               : QUIPU__OTF2_TYPE_IO_DELETE_FILE,
                             made);
        return;
    }
    quipu__otf2_fill(
        m, event, begins ? QUIPU__OTF2_TYPE_IO_OPERATION_BEGIN : QUIPU__OTF2_TYPE_IO_OPERATION_COMPLETE, made);
    made->is_impossible |= event->operation != QUIPU_IO_READ && event->operation != QUIPU_IO_WRITE &&
                           event->operation != QUIPU_IO_SYNC;
    if (made->is_impossible)
        return;
    struct open_operation active;
    if (begins)
        made->data.IO_OPERATION_BEGIN.matching_id = begin_operation(m, track, key, event->id, event);
    else
        made->data.IO_OPERATION_COMPLETE.matching_id =
            end_operation(track, key, &active) || !has_request(event) ? active.id : event->id;
}

static void make_unlink(model *m, struct track *track, const struct quipu_event *event, uint64_t time,
                        struct made *made) {
    (void)track, (void)time;
    quipu__otf2_fill(m, event, QUIPU__OTF2_TYPE_IO_DELETE_FILE, made);
}

static void make_metric(model *m, struct track *track, const struct quipu_event *event, uint64_t time,
                        struct made *made) {
    struct quipu__otf2_METRIC *record = &made->data.METRIC;
    struct quipu_value *value = quipu__scratch_sized(&m->scratch, 1, sizeof *value);
    (void)track, (void)time;
    made->type = QUIPU__OTF2_TYPE_METRIC;
    *record = (struct quipu__otf2_METRIC){
        .metric = use(m, &m->metrics, event->object, m->definitions->metrics.count), .values = value};
    made->is_impossible = record->metric == UNDEFINED || !value;
    if (made->is_impossible)
        return;
    switch (m->definitions->metrics.items[event->object].value) {
    case QUIPU_METRIC_I64:
        *value = (struct quipu_value){.type = QUIPU_VALUE_I64, .u = event->value};
        break;
    case QUIPU_METRIC_F64:
        *value = (struct quipu_value){.type = QUIPU_VALUE_F64};
        memcpy(&value->f, &event->value, sizeof value->f);
        break;
    case QUIPU_METRIC_U64:
        *value = (struct quipu_value){.type = QUIPU_VALUE_U64, .u = event->value};
        break;
    }
}

/* The value of a parameter that is called note. */
static void make_note(model *m, struct track *track, const struct quipu_event *event, uint64_t time,
                      struct made *made) {
    const struct quipu_value *text = quipu__otf2_take_text(event, made);
    (void)track, (void)time;
    made->type = QUIPU__OTF2_TYPE_PARAMETER_STRING;
    made->data.PARAMETER_STRING = (struct quipu__otf2_PARAMETER_STRING){
        .parameter = 0, .value = quipu__otf2_intern(m, text ? text->data : "", text ? text->size : 0)};
    m->has_note = true;
}

static void make_life(model *m, struct track *track, const struct quipu_event *event, uint64_t time,
                      struct made *made) {
    const bool is_thread = location_at(m, event->location)->kind == QUIPU_LOCATION_THREAD;
    (void)track, (void)time;
    if (is_thread && event->kind == QUIPU_KIND_location_begin) {
        quipu__otf2_fill(m, event, QUIPU__OTF2_TYPE_THREAD_BEGIN, made);
        made->data.THREAD_BEGIN.thread_contingent = UNDEFINED;
    } else if (is_thread) {
        quipu__otf2_fill(m, event, QUIPU__OTF2_TYPE_THREAD_END, made);
        made->data.THREAD_END.thread_contingent = UNDEFINED;
    } else if (event->kind == QUIPU_KIND_location_end) {
        quipu__otf2_fill(m, event, QUIPU__OTF2_TYPE_PROGRAM_END, made);
    } else {
        const struct quipu_value *text = quipu__otf2_take_text(event, made);
        made->type = QUIPU__OTF2_TYPE_PROGRAM_BEGIN;
        made->data.PROGRAM_BEGIN = (struct quipu__otf2_PROGRAM_BEGIN){
            .name = quipu__otf2_intern(m, text ? text->data : "", text ? text->size : 0)};
    }
}

static void make_fork(model *m, struct track *track, const struct quipu_event *event, uint64_t time,
                      struct made *made) {
    (void)track, (void)time;
    quipu__otf2_fill(
        m, event, event->kind == QUIPU_KIND_fork ? QUIPU__OTF2_TYPE_THREAD_FORK : QUIPU__OTF2_TYPE_THREAD_JOIN,
        made);
    if (event->kind == QUIPU_KIND_fork && made->used == 0)
        made->data.THREAD_FORK.requested_threads = 1;
}

/* A pause switches to the task that every thread runs anyway, whose generation is 0. */
static void make_task(model *m, struct track *track, const struct quipu_event *event, uint64_t time,
                      struct made *made) {
    static const enum quipu__otf2_type types[QUIPU_KIND_COUNT] = {
        [QUIPU_KIND_task_create] = QUIPU__OTF2_TYPE_THREAD_TASK_CREATE,
        [QUIPU_KIND_task_begin] = QUIPU__OTF2_TYPE_THREAD_TASK_SWITCH,
        [QUIPU_KIND_task_pause] = QUIPU__OTF2_TYPE_THREAD_TASK_SWITCH,
        [QUIPU_KIND_task_resume] = QUIPU__OTF2_TYPE_THREAD_TASK_SWITCH,
        [QUIPU_KIND_task_end] = QUIPU__OTF2_TYPE_THREAD_TASK_COMPLETE};
    const bool pauses = event->kind == QUIPU_KIND_task_pause;
    (void)m, (void)track, (void)time;
    made->type = types[event->kind];
    made->data.THREAD_TASK_CREATE =
        (struct quipu__otf2_THREAD_TASK_CREATE){.thread_team = UNDEFINED,
                                                .creating_thread = pauses ? 0 : (uint32_t)(event->id >> 32),
                                                .generation_number = pauses ? 0 : (uint32_t)event->id};
    made->is_impossible = !has_request(event) || (uint32_t)event->id == 0;
}

/* Recording is off until the gap has passed; put_event switches it on again. What OTF2 has no reason for is a flush. */
static void make_gap(model *m, struct track *track, const struct quipu_event *event, uint64_t time,
                     struct made *made) {
    enum { FLUSH = 1, TRACING_OFF = 3, MODE_ON = 1, MODE_OFF = 2 };
    const bool is_off = event->operation == TRACING_OFF;
    const uint64_t length = event->value == QUIPU_UNKNOWN ? 0 : event->value * (uint64_t)m->scale;
    made->is_cut = event->operation != FLUSH && !is_off;
    if (!is_off) {
        made->type = QUIPU__OTF2_TYPE_BUFFER_FLUSH;
        made->data.BUFFER_FLUSH = (struct quipu__otf2_BUFFER_FLUSH){.stop_time = time + length};
        return;
    }
    made->type = QUIPU__OTF2_TYPE_MEASUREMENT_ON_OFF;
    made->data.MEASUREMENT_ON_OFF =
        (struct quipu__otf2_MEASUREMENT_ON_OFF){.mode = event->value == 0 ? MODE_ON : MODE_OFF};
    track->is_off = event->value != 0 && event->value != QUIPU_UNKNOWN;
    track->on_again = time + length;
}

make_fn *const quipu__otf2_makers[QUIPU_KIND_COUNT] = {
    [QUIPU_KIND_send] = make_message,
    [QUIPU_KIND_recv] = make_message,
    [QUIPU_KIND_send_complete] = make_request,
    [QUIPU_KIND_recv_post] = make_request,
    [QUIPU_KIND_cancel] = make_request,
    [QUIPU_KIND_collective_begin] = make_collective,
    [QUIPU_KIND_collective_end] = make_collective,
    [QUIPU_KIND_rma_begin] = make_rma,
    [QUIPU_KIND_rma_end] = make_rma,
    [QUIPU_KIND_io_open] = make_handle,
    [QUIPU_KIND_io_close] = make_handle,
    [QUIPU_KIND_io_begin] = make_io,
    [QUIPU_KIND_io_end] = make_io,
    [QUIPU_KIND_io_unlink] = make_unlink,
    [QUIPU_KIND_metric] = make_metric,
    [QUIPU_KIND_note] = make_note,
    [QUIPU_KIND_location_begin] = make_life,
    [QUIPU_KIND_location_end] = make_life,
    [QUIPU_KIND_fork] = make_fork,
    [QUIPU_KIND_join] = make_fork,
    [QUIPU_KIND_task_create] = make_task,
    [QUIPU_KIND_task_begin] = make_task,
    [QUIPU_KIND_task_pause] = make_task,
    [QUIPU_KIND_task_resume] = make_task,
    [QUIPU_KIND_task_end] = make_task,
    [QUIPU_KIND_gap] = make_gap,
};
