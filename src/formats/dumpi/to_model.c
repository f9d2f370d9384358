/* to_model.c: calls to events, by the rows of bridge.def.
 *
 * Every call enters and leaves a region; what else happens is up to its class (messages.c, collectives.c,
 * transfers.c). The events of one call never straddle two batches. */
#include "formats/dumpi/events.h"

#include "core/error.h"
#include "formats/dumpi/communicators.h"

/* Events of a call apart from those per request and per counter. */
#define EVENTS_OF_A_CALL 8

/* ---- Regions ---- */

static void add_region(struct quipu__dumpi_now *call, enum quipu_kind kind, uint32_t region, int64_t time) {
    const uint32_t i = add(call, kind, time);
    if (i != QUIPU_NONE)
        call->batch->batch.object[i] = region;
}

/* ---- What each class does ---- */

static quipu__dumpi_event_fn *const classes[] = {
    [QUIPU__DUMPI_CLASS_SEND] = quipu__dumpi_on_send,
    [QUIPU__DUMPI_CLASS_RECV] = quipu__dumpi_on_recv,
    [QUIPU__DUMPI_CLASS_ISEND] = quipu__dumpi_on_isend,
    [QUIPU__DUMPI_CLASS_IRECV] = quipu__dumpi_on_irecv,
    [QUIPU__DUMPI_CLASS_SEND_INIT] = quipu__dumpi_on_send_init,
    [QUIPU__DUMPI_CLASS_RECV_INIT] = quipu__dumpi_on_recv_init,
    [QUIPU__DUMPI_CLASS_START] = quipu__dumpi_on_start,
    [QUIPU__DUMPI_CLASS_STARTALL] = quipu__dumpi_on_startall,
    [QUIPU__DUMPI_CLASS_SENDRECV] = quipu__dumpi_on_sendrecv,
    [QUIPU__DUMPI_CLASS_WAIT] = quipu__dumpi_on_wait,
    [QUIPU__DUMPI_CLASS_WAITANY] = quipu__dumpi_on_waitany,
    [QUIPU__DUMPI_CLASS_WAITALL] = quipu__dumpi_on_waitall,
    [QUIPU__DUMPI_CLASS_WAITSOME] = quipu__dumpi_on_waitsome,
    [QUIPU__DUMPI_CLASS_REQUEST_FREE] = quipu__dumpi_on_request_free,
    [QUIPU__DUMPI_CLASS_CANCEL] = quipu__dumpi_on_cancel,
    [QUIPU__DUMPI_CLASS_COLLECTIVE] = quipu__dumpi_on_collective,
    [QUIPU__DUMPI_CLASS_WIN_CREATE] = quipu__dumpi_on_win_create,
    [QUIPU__DUMPI_CLASS_RMA] = quipu__dumpi_on_rma,
    [QUIPU__DUMPI_CLASS_IO_OPEN] = quipu__dumpi_on_io_open,
    [QUIPU__DUMPI_CLASS_IO_CLOSE] = quipu__dumpi_on_io_close,
    [QUIPU__DUMPI_CLASS_IO_UNLINK] = quipu__dumpi_on_io_unlink,
    [QUIPU__DUMPI_CLASS_IO_RESIZE] = quipu__dumpi_on_io_resize,
    [QUIPU__DUMPI_CLASS_IO] = quipu__dumpi_on_io,
    [QUIPU__DUMPI_CLASS_IO_START] = quipu__dumpi_on_io_start,
    [QUIPU__DUMPI_CLASS_IO_BEGIN] = quipu__dumpi_on_io_begin,
    [QUIPU__DUMPI_CLASS_IO_END] = quipu__dumpi_on_io_end,
    [QUIPU__DUMPI_CLASS_IO_WAIT] = quipu__dumpi_on_io_wait,
    [QUIPU__DUMPI_CLASS_IO_WAITANY] = quipu__dumpi_on_io_waitany,
    [QUIPU__DUMPI_CLASS_IO_WAITALL] = quipu__dumpi_on_io_waitall,
    [QUIPU__DUMPI_CLASS_IO_WAITSOME] = quipu__dumpi_on_io_waitsome,
    [QUIPU__DUMPI_CLASS_LEAVE] = NULL,
};

/* ---- Time ---- */

/* Start and end of a call in ticks of the model, the roll-over of the 16-bit seconds undone. */
static void set_times(struct quipu__dumpi_now *call, const struct quipu__dumpi_call *common) {
    struct quipu__dumpi_events *events = call->events;
    const bool wall = events->own->clock == QUIPU__DUMPI_CLOCK_WALL;
    int64_t start = (wall ? common->wall_start : common->cpu_start) + events->rollover_ns;
    int64_t stop = (wall ? common->wall_stop : common->cpu_stop) + events->rollover_ns;
    if (QUIPU__UNLIKELY(events->last_stop - start > QUIPU__DUMPI_ROLLOVER_NS / 2) &&
        events->rollover_ns < QUIPU__DUMPI_ROLLOVERS * QUIPU__DUMPI_ROLLOVER_NS) {
        events->rollover_ns += QUIPU__DUMPI_ROLLOVER_NS;
        start += QUIPU__DUMPI_ROLLOVER_NS;
        stop += QUIPU__DUMPI_ROLLOVER_NS;
    }
    if (QUIPU__UNLIKELY(start - stop > QUIPU__DUMPI_ROLLOVER_NS / 2))
        stop += QUIPU__DUMPI_ROLLOVER_NS;
    if (stop > events->last_stop)
        events->last_stop = stop;
    call->start = start - events->own->origin_ns;
    call->stop = stop - events->own->origin_ns;
}

/* Time does not go back in a lane, whatever the clock did. Records of functions are points. */
static void keep_order(struct quipu__dumpi_now *call) {
    struct quipu__dumpi_events *events = call->events;
    if (call->row->class == QUIPU__DUMPI_CLASS_ENTER)
        call->stop = call->start;
    if (call->row->class == QUIPU__DUMPI_CLASS_LEAVE)
        call->start = call->stop;
    if (QUIPU__UNLIKELY(call->start < events->last_time))
        call->start = events->last_time;
    if (QUIPU__UNLIKELY(call->stop < call->start))
        call->stop = call->start;
    events->last_time = call->stop;
}

/* ---- Attributes ---- */

static void add_text(struct quipu__dumpi_now *call, const struct quipu_field *field, uint32_t key) {
    const char *text;
    memcpy(&text, call->data + field->offset, sizeof text);
    quipu__batch_attribute_text(call->batch, key, text, quipu_sized_count(text));
}

/* Lists are carried as JSON. */
static void add_json(struct quipu__dumpi_now *call, const struct quipu_field *field, uint32_t key) {
    struct quipu__buffer *text = &call->events->text;
    text->len = 0;
    quipu__print_json_value(field, call->data, text);
    if (!text->failed)
        quipu__batch_attribute_text(call->batch, key, (const char *)text->data, text->len);
}

static void add_number(struct quipu__dumpi_now *call, const struct quipu_field *field, const void *data,
                       uint32_t key) {
    struct quipu_value value = {.key = key,
                                .type = field->storage == QUIPU_STORE_U64 ? QUIPU_VALUE_U64 : QUIPU_VALUE_I64};
    quipu_field_get_i64(field, data, &value.i);
    quipu__batch_attribute(call->batch, &value);
}

static bool is_carried_rank(const struct quipu__dumpi_now *call, int32_t rank) {
    return quipu__dumpi_peer_of(call->events, call->events->own->world, rank) != QUIPU_NONE;
}

/* Messages and collectives in the world carry partner, tag and communicator in full: these are not repeated. What was
 * received from anybody, or with any tag, says more than the event. */
static bool is_carried(const struct quipu__dumpi_now *call) {
    const uint8_t class = call->row->class;
    const bool carries = class == QUIPU__DUMPI_CLASS_SEND || class == QUIPU__DUMPI_CLASS_RECV ||
                         class == QUIPU__DUMPI_CLASS_ISEND || class == QUIPU__DUMPI_CLASS_SENDRECV ||
                         class == QUIPU__DUMPI_CLASS_COLLECTIVE;
    if (!carries || HANDLE(call, comm) != QUIPU__DUMPI_COMM_WORLD)
        return false;
    if (HAS(call, dest) && !is_carried_rank(call, NUMBER(call, dest)))
        return false;
    if (!HAS(call, source))
        return true;
    return is_carried_rank(call, NUMBER(call, source)) &&
           (HAS(call, recvtag) ? NUMBER(call, recvtag) : NUMBER(call, tag)) >= 0;
}

static void add_attributes(struct quipu__dumpi_now *call, const struct quipu__dumpi_call *common) {
    const struct quipu_record_type *type = &quipu__dumpi_types[call->type];
    const uint32_t *keys = call->events->own->keys[call->type];
    const uint32_t *common_keys = call->events->own->common_keys;
    const uint32_t carried = is_carried(call) ? call->row->exact : 0;
    for (uint32_t i = 0; keys && i < type->field_count; i++) {
        const struct quipu_field *field = &type->fields[i];
        if ((carried >> i & 1) != 0 || !quipu_field_present(type, field, call->data))
            continue;
        if (field->shape == QUIPU_LIST)
            add_json(call, field, keys[i]);
        else if (field->storage == QUIPU_STORE_STRING)
            add_text(call, field, keys[i]);
        else
            add_number(call, field, call->data, keys[i]);
    }
    if ((common->mask & QUIPU__DUMPI_MASK_CPU) && call->events->own->clock == QUIPU__DUMPI_CLOCK_WALL)
        for (uint32_t i = QUIPU__DUMPI_call_cpu_start; i <= QUIPU__DUMPI_call_cpu_stop; i++)
            add_number(call, &quipu__dumpi_schema.common->fields[i], common, common_keys[i]);
}

/* ---- Calls ---- */

static void add_counters(struct quipu__dumpi_now *call, const struct quipu__dumpi_call *common, bool at_end) {
    const struct quipu__dumpi_file *file = call->events->file;
    for (uint32_t i = 0; i < quipu_sized_count(common->counters) && i < file->metric_count; i++) {
        const uint32_t event = add(call, QUIPU_KIND_metric, at_end ? call->stop : call->start);
        if (event == QUIPU_NONE)
            return;
        call->batch->batch.object[event] = file->metrics[i];
        call->batch->batch.value[event] = (uint64_t)(at_end ? common->counters[i].out : common->counters[i].in);
    }
}

/* Region of a function by its address or key. */
static uint32_t label_region(const struct quipu__dumpi_now *call) {
    uint64_t fn;
    memcpy(&fn, call->data + call->row->at[QUIPU__DUMPI_USE_fn], sizeof fn);
    return quipu__map_get(&call->events->file->regions, fn);
}

/* Records of functions are points of their own: entered at the start of the one, left at the end of the other. */
static void add_function(struct quipu__dumpi_now *call, const struct quipu__dumpi_call *common) {
    const bool enters = call->row->class == QUIPU__DUMPI_CLASS_ENTER;
    add_region(call, enters ? QUIPU_KIND_enter : QUIPU_KIND_leave, label_region(call),
               enters ? call->start : call->stop);
    add_counters(call, common, !enters);
}

static void add_call(struct quipu__dumpi_now *call, const struct quipu__dumpi_call *common) {
    const uint32_t region = call->events->own->regions[call->type];
    add_region(call, QUIPU_KIND_enter, region, call->start);
    if (call->events->wants_attributes && call->is_shown)
        add_attributes(call, common);
    add_counters(call, common, false);
    if (classes[call->row->class])
        classes[call->row->class](call);
    add_counters(call, common, true);
    add_region(call, QUIPU_KIND_leave, region, call->stop);
}

/* What handles stand for from this call on. */
static void apply_changes(struct quipu__dumpi_events *events, uint64_t at) {
    const struct quipu__dumpi_file *file = events->file;
    for (; events->next_change < file->change_count && file->changes[events->next_change].at <= at;
         events->next_change++) {
        const struct quipu__dumpi_change *change = &file->changes[events->next_change];
        quipu__tokens_put(change->is_file ? &events->files : &events->communicators, (uint16_t)change->handle,
                          change->number);
    }
}

/* The most events that a call makes. */
static uint32_t events_limit(const struct quipu__dumpi_decoder *decoder) {
    const struct quipu__dumpi_call_row *row = &quipu__dumpi_calls[decoder->type];
    uint32_t limit = EVENTS_OF_A_CALL + 2 * quipu_sized_count(decoder->common.counters);
    if (QUIPU__DUMPI_HAS(row, requests)) {
        const void *requests;
        memcpy(&requests, (const uint8_t *)&decoder->data + row->at[QUIPU__DUMPI_USE_requests],
               sizeof requests);
        limit += quipu_sized_count(requests);
    }
    return limit;
}

static void count_record(struct quipu__pass *common, uint32_t type) {
    common->records++;
    if (common->records_of)
        common->records_of[type]++;
}

static void convert(struct quipu__dumpi_pass *pass, struct quipu__batch *batch) {
    const struct quipu__dumpi_decoder *decoder = &pass->walk.decoder;
    struct quipu__dumpi_events *events = pass->events;
    const uint32_t thread = decoder->common.thread;
    const uint32_t lane = thread < events->file->thread_count ? thread : 0;
    struct quipu__dumpi_now call = {.events = events,
                                    .batch = batch,
                                    .row = &quipu__dumpi_calls[decoder->type],
                                    .data = (const uint8_t *)&decoder->data,
                                    .type = decoder->type,
                                    .is_shown = lane == events->lane,
                                    .at = pass->walk.at};
    if (call.is_shown)
        count_record(&pass->common, call.type);
    if (QUIPU__UNLIKELY(events->next_change < events->file->change_count))
        apply_changes(events, pass->walk.at);
    set_times(&call, &decoder->common);
    if (call.is_shown)
        keep_order(&call);
    if (call.row->class >= QUIPU__DUMPI_CLASS_ENTER)
        add_function(&call, &decoder->common);
    else
        add_call(&call, &decoder->common);
}

/* ---- Passes ---- */

enum quipu_status quipu__dumpi_events_new(struct quipu__dumpi_pass *pass, struct quipu_error *err) {
    struct quipu__dumpi_trace *own = pass->walk.own;
    struct quipu__dumpi_events *events = quipu__alloc_zero(own->memory, sizeof *events);
    if (!events)
        return quipu__no_memory(err, sizeof *events);
    const struct quipu__dumpi_file *file = pass->walk.file;
    pass->events = events;
    events->memory = own->memory;
    events->own = own;
    events->file = file;
    events->groups = &own->trace->define->definitions.groups;
    events->filter = pass->common.filter;
    events->lane = pass->common.lane;
    events->location = file->threads[events->lane < file->thread_count ? events->lane : 0];
    events->wants_attributes =
        !events->filter->without_attributes && quipu__filter_kind(events->filter, QUIPU_KIND_enter);
    events->last_stop = events->last_time = INT64_MIN / 2;
    quipu__dumpi_requests_init(&events->requests, own->memory);
    quipu__tokens_init(&events->communicators, own->memory);
    quipu__tokens_init(&events->files, own->memory);
    quipu__dumpi_windows_init(&events->windows, own->memory);
    quipu__buffer_init(&events->text, own->memory, 0);
    return QUIPU_OK;
}

void quipu__dumpi_events_free(struct quipu__dumpi_pass *pass) {
    struct quipu__dumpi_events *events = pass->events;
    if (!events)
        return;
    quipu__dumpi_requests_release(&events->requests);
    quipu__tokens_release(&events->communicators);
    quipu__tokens_release(&events->files);
    quipu__dumpi_windows_release(&events->windows);
    quipu__buffer_release(&events->text);
    quipu__release(events->memory, events, sizeof *events);
    pass->events = NULL;
}

/* Makes sure that the call in the decoder finds room; QUIPU_END: in the next batch. */
static enum quipu_status make_room(struct quipu__dumpi_pass *pass, struct quipu__batch *batch,
                                   struct quipu_error *err) {
    const uint32_t limit = events_limit(&pass->walk.decoder);
    if (QUIPU__LIKELY(quipu__batch_left(batch) >= limit))
        return QUIPU_OK;
    return batch->batch.count > 0 ? QUIPU_END : quipu__batch_grow(batch, limit, err);
}

enum quipu_status quipu__dumpi_next_batch(struct quipu__pass *common, struct quipu__batch *batch,
                                          struct quipu_error *err) {
    struct quipu__dumpi_pass *pass = (struct quipu__dumpi_pass *)common;
    struct quipu__dumpi_events *events = pass->events;
    enum quipu_status status = QUIPU_OK;
    if (!quipu__filter_location(events->filter, events->location))
        return QUIPU_END;
    for (;;) {
        if (!events->is_pending) {
            status = quipu__dumpi_walk_next(&pass->walk, err);
            if (status != QUIPU_OK)
                break;
        }
        status = make_room(pass, batch, err);
        events->is_pending = status != QUIPU_OK;
        if (status != QUIPU_OK)
            break;
        convert(pass, batch);
    }
    common->bytes = quipu__input_offset(pass->walk.input);
    if (status == QUIPU_END && batch->batch.count > 0)
        return QUIPU_OK;
    return status == QUIPU_END && events->lane == 0 ? quipu__dumpi_count_rest(pass, err) : status;
}
