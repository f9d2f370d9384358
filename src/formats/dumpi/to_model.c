/* to_model.c: calls to events, by the rows of mapping.def.
 *
 * Every call enters and leaves a region; what else happens is up to its class (messages.c, collectives.c,
 * transfers.c). The events of one call never straddle two batches. */
#include "formats/dumpi/events.h"

#include "core/error.h"
#include "formats/dumpi/communicators.h"

/* Events of a call apart from those per request and per counter. */
#define EVENTS_OF_A_CALL 8

/* Events of a batch with attributes. */
#define EVENTS_WITH_ATTRIBUTES 256

/* ---- Regions ---- */

QUIPU__INLINE void add_region(struct quipu__dumpi_current_call *call, enum quipu_kind kind, uint32_t region,
                              int64_t time) {
    if (wants(call, kind))
        call->batch->batch.object[add_wanted(call, kind, time)] = region;
}

/* ---- What each class does ---- */

static quipu__dumpi_event_fn *const call_classes[] = {
    [QUIPU__DUMPI_CALL_CLASS_SEND] = quipu__dumpi_on_send,
    [QUIPU__DUMPI_CALL_CLASS_RECV] = quipu__dumpi_on_recv,
    [QUIPU__DUMPI_CALL_CLASS_ISEND] = quipu__dumpi_on_isend,
    [QUIPU__DUMPI_CALL_CLASS_IRECV] = quipu__dumpi_on_irecv,
    [QUIPU__DUMPI_CALL_CLASS_SEND_INIT] = quipu__dumpi_on_send_init,
    [QUIPU__DUMPI_CALL_CLASS_RECV_INIT] = quipu__dumpi_on_recv_init,
    [QUIPU__DUMPI_CALL_CLASS_START] = quipu__dumpi_on_start,
    [QUIPU__DUMPI_CALL_CLASS_STARTALL] = quipu__dumpi_on_startall,
    [QUIPU__DUMPI_CALL_CLASS_SENDRECV] = quipu__dumpi_on_sendrecv,
    [QUIPU__DUMPI_CALL_CLASS_WAIT] = quipu__dumpi_on_wait,
    [QUIPU__DUMPI_CALL_CLASS_WAITANY] = quipu__dumpi_on_waitany,
    [QUIPU__DUMPI_CALL_CLASS_WAITALL] = quipu__dumpi_on_waitall,
    [QUIPU__DUMPI_CALL_CLASS_WAITSOME] = quipu__dumpi_on_waitsome,
    [QUIPU__DUMPI_CALL_CLASS_REQUEST_FREE] = quipu__dumpi_on_request_free,
    [QUIPU__DUMPI_CALL_CLASS_CANCEL] = quipu__dumpi_on_cancel,
    [QUIPU__DUMPI_CALL_CLASS_COLLECTIVE] = quipu__dumpi_on_collective,
    [QUIPU__DUMPI_CALL_CLASS_WIN_CREATE] = quipu__dumpi_on_win_create,
    [QUIPU__DUMPI_CALL_CLASS_RMA] = quipu__dumpi_on_rma,
    [QUIPU__DUMPI_CALL_CLASS_IO_OPEN] = quipu__dumpi_on_io_open,
    [QUIPU__DUMPI_CALL_CLASS_IO_CLOSE] = quipu__dumpi_on_io_close,
    [QUIPU__DUMPI_CALL_CLASS_IO_UNLINK] = quipu__dumpi_on_io_unlink,
    [QUIPU__DUMPI_CALL_CLASS_IO_RESIZE] = quipu__dumpi_on_io_resize,
    [QUIPU__DUMPI_CALL_CLASS_IO] = quipu__dumpi_on_io,
    [QUIPU__DUMPI_CALL_CLASS_IO_START] = quipu__dumpi_on_io_start,
    [QUIPU__DUMPI_CALL_CLASS_IO_BEGIN] = quipu__dumpi_on_io_begin,
    [QUIPU__DUMPI_CALL_CLASS_IO_END] = quipu__dumpi_on_io_end,
    [QUIPU__DUMPI_CALL_CLASS_IO_WAIT] = quipu__dumpi_on_io_wait,
    [QUIPU__DUMPI_CALL_CLASS_IO_WAITANY] = quipu__dumpi_on_io_waitany,
    [QUIPU__DUMPI_CALL_CLASS_IO_WAITALL] = quipu__dumpi_on_io_waitall,
    [QUIPU__DUMPI_CALL_CLASS_IO_WAITSOME] = quipu__dumpi_on_io_waitsome,
    [QUIPU__DUMPI_CALL_CLASS_LEAVE] = NULL,
};

/* ---- Time ---- */

/* Turns start and end of a call into ticks of the model. */
QUIPU__INLINE void set_times(struct quipu__dumpi_events *events, int64_t *start, int64_t *stop) {
    quipu__dumpi_unroll(&events->wall, start, stop);
    *start -= events->own->origin_ns;
    *stop -= events->own->origin_ns;
}

/* Time does not go back in a substream, whatever the clock did. */
QUIPU__INLINE int64_t in_order(struct quipu__dumpi_events *events, int64_t time) {
    if (QUIPU__LIKELY(time > events->last_time))
        events->last_time = time;
    return events->last_time;
}

/* ---- Calls ---- */

static void add_counters(struct quipu__dumpi_current_call *call, bool at_end) {
    const struct quipu__dumpi_file *file = call->events->file;
    const struct quipu__dumpi_counter *counters = call->common->counters;
    for (uint32_t i = 0; i < quipu_sized_count(counters) && i < file->metric_count; i++) {
        const uint32_t event = add(call, QUIPU_KIND_metric, at_end ? call->stop : call->start);
        if (event == QUIPU_NONE)
            return;
        call->batch->batch.object[event] = file->metrics[i];
        call->batch->batch.value[event] = (uint64_t)(at_end ? counters[i].out : counters[i].in);
    }
}

/* Region of a function by its address or key. */
static uint32_t label_region(const struct quipu__dumpi_current_call *call) {
    return quipu__map_get(&call->events->file->regions, WIDE(call, fn));
}

/* Records of functions are points of their own: entered at the start of the one, left at the end of the other. */
static void add_function(struct quipu__dumpi_current_call *call) {
    const bool enters = call->row->call_class == QUIPU__DUMPI_CALL_CLASS_ENTER;
    add_region(call, enters ? QUIPU_KIND_enter : QUIPU_KIND_leave, label_region(call), call->start);
    if (call->common)
        add_counters(call, !enters);
}

QUIPU__INLINE void add_call(struct quipu__dumpi_current_call *call) {
    const uint32_t region = call->events->own->regions[call->type];
    add_region(call, QUIPU_KIND_enter, region, call->start);
    if (call->events->wants_attributes && wants(call, QUIPU_KIND_enter))
        (call->layout ? quipu__dumpi_add_fast_attributes : quipu__dumpi_add_attributes)(call);
    if (QUIPU__UNLIKELY(call->common != NULL))
        add_counters(call, false);
    if (call_classes[call->row->call_class])
        call_classes[call->row->call_class](call);
    if (QUIPU__UNLIKELY(call->common != NULL))
        add_counters(call, true);
    add_region(call, QUIPU_KIND_leave, region, call->stop);
}

/* What handles stand for from this call on. */
static void apply_changes(struct quipu__dumpi_events *events, uint64_t offset) {
    const struct quipu__dumpi_file *file = events->file;
    for (; events->next_change < file->change_count && file->changes[events->next_change].offset <= offset;
         events->next_change++) {
        const struct quipu__dumpi_change *change = &file->changes[events->next_change];
        quipu__gate_knows(quipu__tokens_put(change->is_file ? &events->files : &events->communicators,
                                            (uint16_t)change->handle, change->number));
    }
}

static void count_record(struct quipu__pass *common, uint32_t type) {
    common->records++;
    if (common->records_of)
        common->records_of[type]++;
}

/* Kinds of events that are wanted of a call of the thread at hand, by its times. */
QUIPU__INLINE quipu_kinds wanted_kinds(struct quipu__dumpi_events *events, int64_t start, int64_t stop) {
    const struct quipu__filter *filter = events->filter;
    if (QUIPU__LIKELY(!events->has_window))
        return filter->kinds;
    if (start >= filter->to && filter->to != INT64_MAX)
        events->is_over = true;
    return stop >= filter->from && !events->is_over ? filter->kinds : 0;
}

/* A call of a thread that is not wanted changes what handles and requests stand for, and makes no events. */
static void convert(struct quipu__dumpi_pass *pass, struct quipu__dumpi_current_call *call) {
    struct quipu__dumpi_events *events = pass->events;
    const uint8_t call_class = call->row->call_class;
    int64_t start = call->start, stop = call->stop;
    if (QUIPU__UNLIKELY(events->next_change < events->file->change_count))
        apply_changes(events, call->offset);
    set_times(events, &start, &stop);
    if (QUIPU__UNLIKELY(call_class >= QUIPU__DUMPI_CALL_CLASS_ENTER))
        start = stop = call_class == QUIPU__DUMPI_CALL_CLASS_ENTER ? start : stop;
    call->kinds = 0;
    if (QUIPU__LIKELY(call->is_shown)) {
        count_record(&pass->common, call->type);
        start = in_order(events, start);
        stop = in_order(events, stop);
        call->kinds = wanted_kinds(events, start, stop);
    }
    call->start = start;
    call->stop = stop;
    if (QUIPU__UNLIKELY(call_class >= QUIPU__DUMPI_CALL_CLASS_ENTER))
        add_function(call);
    else
        add_call(call);
}

/* ---- The next call ---- */

/* Leaves the thread at hand for another one; false when nothing of that is wanted. */
QUIPU__RARELY bool change_thread(struct quipu__dumpi_events *events, uint32_t substream) {
    if (!events->threads[substream].is_wanted)
        return false;
    if (events->substream != QUIPU_NONE)
        events->threads[events->substream].last_time = events->last_time;
    events->last_time = events->threads[substream].last_time;
    events->substream = substream;
    events->location = events->file->threads[substream];
    return true;
}

/* Whether a call of that thread is wanted, which then is at hand. */
QUIPU__INLINE bool choose_thread(struct quipu__dumpi_events *events, uint32_t thread) {
    const struct quipu__dumpi_file *file = events->file;
    const uint32_t substream = thread < file->thread_limit ? file->substream_of[thread] : 0;
    if (QUIPU__LIKELY(substream == events->substream))
        return true;
    return events->threads && change_thread(events, substream);
}

/* Nothing more of the thread at hand is wanted. True when a pass over all threads goes on for others. */
QUIPU__RARELY bool goes_on(struct quipu__dumpi_events *events) {
    if (events->threads_wanted == 0 || --events->threads_wanted == 0)
        return false;
    events->threads[events->substream].is_wanted = false;
    events->substream = QUIPU_NONE;
    events->is_over = false;
    return true;
}

/* The call that was decoded last. */
static void take_decoded(const struct quipu__dumpi_pass *pass, struct quipu__dumpi_current_call *call) {
    const struct quipu__dumpi_decoder *decoder = &pass->walk.decoder;
    const bool wall = pass->events->own->clock == QUIPU__DUMPI_CLOCK_WALL;
    call->layout = NULL;
    call->common = &decoder->common;
    call->data = (const uint8_t *)&decoder->data;
    call->type = decoder->type;
    call->row = &quipu__dumpi_calls[decoder->type];
    call->offset = pass->walk.offset;
    call->start = wall ? decoder->common.wall_start : decoder->common.cpu_start;
    call->stop = wall ? decoder->common.wall_stop : decoder->common.cpu_stop;
    call->is_shown = choose_thread(pass->events, decoder->common.thread);
}

/* Finds the lists behind the numbers; the byte after them, or NULL when they are not all in the window. */
static const uint8_t *take_lists(struct quipu__dumpi_current_call *call, const uint8_t *at, const uint8_t *end,
                                 bool has_statuses) {
    if (call->layout->has_requests) {
        if (end - at < 4 || quipu__load_be32(at) > (size_t)(end - at - 4) / 4)
            return NULL;
        call->request_count = quipu__load_be32(at);
        call->requests = at + 4;
        at += 4 + (size_t)call->request_count * 4;
    }
    if (call->layout->has_statuses && has_statuses) {
        if (end - at < 4 || quipu__load_be32(at) > (size_t)(end - at - 4) / QUIPU__DUMPI_STATUS_BYTES)
            return NULL;
        call->status_count = quipu__load_be32(at);
        call->statuses = at + 4;
        at += 4 + (size_t)call->status_count * QUIPU__DUMPI_STATUS_BYTES;
    }
    return at;
}

/* Reads the next call where it lies. False: it has to be decoded, or there is none. */
QUIPU__INLINE bool take_fast(struct quipu__dumpi_pass *pass, struct quipu__dumpi_current_call *call) {
    struct quipu__dumpi_walk *walk = &pass->walk;
    const uint8_t *const begin = walk->input->at, *const end = walk->end;
    const size_t left = (size_t)(end - begin);
    if (left < QUIPU__DUMPI_CANONICAL_HEAD ||
        (begin[2] & ~QUIPU__DUMPI_MASK_STATUS) != QUIPU__DUMPI_CANONICAL_MASK)
        return false;
    const uint32_t id = quipu__load_be16(begin);
    if (id >= QUIPU__DUMPI_ID_LIMIT || left < walk->file->layouts[id].need)
        return false;
    const struct quipu__dumpi_fast_layout *const layout = call->layout = &walk->file->layouts[id];
    const uint8_t *next = begin + layout->need;
    call->request_count = call->status_count = 0;
    if (layout->has_requests || layout->has_statuses)
        next = take_lists(call, next, end, (begin[2] & QUIPU__DUMPI_MASK_STATUS) != 0);
    if (QUIPU__UNLIKELY(!next))
        return false;
    call->common = NULL;
    call->data = begin + QUIPU__DUMPI_CANONICAL_HEAD;
    call->type = layout->type;
    call->row = layout->row;
    call->offset = quipu__input_offset(walk->input);
    call->start = quipu__dumpi_load_time(begin + QUIPU__DUMPI_CANONICAL_WALL, walk->decoder.wall_bias_ns);
    call->stop = quipu__dumpi_load_time(begin + QUIPU__DUMPI_CANONICAL_WALL + 6, walk->decoder.wall_bias_ns);
    call->is_shown = choose_thread(pass->events, quipu__load_be16(begin + QUIPU__DUMPI_RECORD_LEAST));
    walk->last_wall = call->stop;
    walk->index++;
    walk->input->at = next;
    return true;
}

static enum quipu_status next_call(struct quipu__dumpi_pass *pass, struct quipu_error *err) {
    struct quipu__dumpi_events *events = pass->events;
    if (QUIPU__LIKELY(events->uses_fast_path) && take_fast(pass, &events->current))
        return QUIPU_OK;
    const enum quipu_status status = quipu__dumpi_walk_next(&pass->walk, err);
    if (status == QUIPU_OK)
        take_decoded(pass, &events->current);
    return status;
}

/* ---- Passes ---- */

/* Where a pass begins: at its thread, or with the state of all. */
static bool begin_threads(struct quipu__dumpi_events *events, uint32_t substream) {
    const struct quipu__dumpi_file *file = events->file;
    events->substream = substream;
    if (substream != QUIPU__ALL_SUBSTREAMS) {
        events->location = file->threads[substream < file->thread_count ? substream : 0];
        return true;
    }
    events->substream = events->location = QUIPU_NONE;
    events->threads = quipu__alloc(events->memory, file->thread_count * sizeof *events->threads);
    for (uint32_t i = 0; events->threads && i < file->thread_count; i++) {
        const bool is_wanted = quipu__filter_location(events->filter, file->threads[i]);
        events->threads[i] = (struct quipu__dumpi_thread){events->last_time, is_wanted};
        events->threads_wanted += is_wanted;
    }
    events->is_over = events->threads_wanted == 0;
    return events->threads != NULL;
}

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
    events->wants_attributes =
        !events->filter->without_attributes && quipu__filter_kind(events->filter, QUIPU_KIND_enter);
    events->has_window = events->filter->from > INT64_MIN || events->filter->to != INT64_MAX;
    events->uses_fast_path = own->clock == QUIPU__DUMPI_CLOCK_WALL;
    events->current.events = events;
    if (events->wants_attributes)
        quipu__dumpi_prepare_attributes(events);
    events->wall = (struct quipu__dumpi_wall_clock)QUIPU__DUMPI_WALL_CLOCK_INIT;
    events->last_time = INT64_MIN / 2;
    quipu__dumpi_requests_init(&events->requests, own->memory);
    quipu__tokens_init(&events->communicators, own->memory);
    quipu__tokens_init(&events->files, own->memory);
    quipu__dumpi_windows_init(&events->windows, own->memory);
    quipu__buffer_init(&events->text, own->memory, 0);
    return begin_threads(events, pass->common.substream)
               ? QUIPU_OK
               : quipu__no_memory(err, file->thread_count * sizeof *events->threads);
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
    quipu__release(events->memory, events->threads, events->file->thread_count * sizeof *events->threads);
    quipu__release(events->memory, events, sizeof *events);
    pass->events = NULL;
}

/* The most events that a call makes. */
static uint32_t events_limit_of_decoded(const struct quipu__dumpi_current_call *call) {
    const uint32_t requests = HAS(call, requests) ? request_count(call) : 0;
    return EVENTS_OF_A_CALL + requests + 2 * quipu_sized_count(call->common->counters);
}
QUIPU__INLINE uint32_t events_limit(const struct quipu__dumpi_current_call *call) {
    return QUIPU__LIKELY(call->layout != NULL) ? EVENTS_OF_A_CALL + call->request_count
                                               : events_limit_of_decoded(call);
}

/* How many events a batch gets: with attributes fewer, so that they are in the cache still when they are looked at. */
static uint32_t events_most(const struct quipu__dumpi_events *events, const struct quipu__batch *batch) {
    const uint32_t capacity = batch->batch.capacity;
    return events->wants_attributes && capacity > EVENTS_WITH_ATTRIBUTES ? EVENTS_WITH_ATTRIBUTES : capacity;
}

/* Makes sure that the call finds room in a batch of that many events; QUIPU_END: in the next batch. */
static enum quipu_status make_room(const struct quipu__dumpi_current_call *call, uint32_t most,
                                   struct quipu__batch *batch, struct quipu_error *err) {
    const uint64_t limit = events_limit(call);
    if (QUIPU__LIKELY(batch->batch.count + limit <= most))
        return QUIPU_OK;
    return batch->batch.count > 0 ? QUIPU_END : quipu__batch_grow(batch, (uint32_t)limit, err);
}

/* Whether a pass counts, at its end, what belongs to no thread: the one that has the events of the first. */
static bool has_first_thread(const struct quipu__dumpi_events *events) {
    return events->threads ? events->threads[0].is_wanted : events->substream == 0;
}

enum quipu_status quipu__dumpi_next_batch(struct quipu__pass *common, struct quipu__batch *batch,
                                          struct quipu_error *err) {
    struct quipu__dumpi_pass *pass = (struct quipu__dumpi_pass *)common;
    struct quipu__dumpi_events *events = pass->events;
    enum quipu_status status = QUIPU_OK;
    if (!events->threads && !quipu__filter_location(events->filter, events->location))
        return QUIPU_END;
    events->current.batch = batch;
    const uint32_t most = events_most(events, batch);
    while (QUIPU__LIKELY(!events->is_over) || goes_on(events)) {
        if (!events->waits_for_room)
            status = next_call(pass, err);
        if (status == QUIPU_OK) {
            status = make_room(&events->current, most, batch, err);
            events->waits_for_room = status != QUIPU_OK;
        }
        if (status != QUIPU_OK)
            break;
        convert(pass, &events->current);
    }
    common->bytes = quipu__input_offset(pass->walk.input);
    batch->is_selected = quipu__filter_is_of_kinds(events->filter); /* add has left out the others */
    if (batch->batch.count > 0 && (status == QUIPU_END || events->is_over))
        return QUIPU_OK;
    if (events->is_over)
        return QUIPU_END;
    return status == QUIPU_END && has_first_thread(events) ? quipu__dumpi_count_rest(pass, err) : status;
}
