/* within.c: see within.h. */
#include "trace/within.h"

#include "core/error.h"
#include "model/batch.h"
#include "index/index.h"

#define REGION_KINDS (QUIPU_KIND_BIT(QUIPU_KIND_enter) | QUIPU_KIND_BIT(QUIPU_KIND_leave))
#define CALLS QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_call)

/* ---- Active calls ---- */

static struct quipu__interval_list calls_at(const struct quipu__within *within, uint32_t state) {
    return quipu__active_at(&within->calls, state, QUIPU__INTERVAL_call);
}

/* How many of the selection there are among a call and those around it. */
static uint64_t count_up_to(const struct quipu__within *within, uint32_t call) {
    return call == QUIPU_NONE ? 0 : quipu__interval_at(&within->calls, call)->count;
}

/* The region of a call. */
static uint32_t region_of(const struct quipu__within *within, uint32_t call) {
    return (uint32_t)quipu__interval_at(&within->calls, call)->key[1];
}

static bool is_chosen(const struct quipu__within *within, uint32_t call) {
    return call != QUIPU_NONE && quipu__filter_region(within->filter, region_of(within, call));
}

/* Counts from a call inwards. */
static void count_from(struct quipu__within *within, uint32_t call) {
    while (call != QUIPU_NONE) {
        struct quipu__interval *interval = quipu__interval_at(&within->calls, call);
        interval->count = count_up_to(within, interval->older) + is_chosen(within, call);
        call = interval->newer;
    }
}

/* Counts those again around which a call may have ended: an end looks no further out. */
static void count_again(struct quipu__within *within, uint32_t innermost) {
    uint32_t call = innermost;
    for (uint32_t i = 0; i < QUIPU__LOOK_OUT_MOST && call != QUIPU_NONE; i++) {
        const uint32_t around = quipu__interval_at(&within->calls, call)->older;
        if (around == QUIPU_NONE)
            break;
        call = around;
    }
    count_from(within, call);
}

static bool enter(struct quipu__within *within, const struct quipu_batch *batch, uint32_t event,
                  uint32_t state) {
    within->has_no_memory |= !quipu__tracker_add_event(&within->calls, batch, event, batch->stream);
    if (within->has_no_memory)
        return false;
    count_from(within, calls_at(within, state).newest);
    return quipu__filter_region(within->filter, batch->object[event]);
}

/* A leave without region belongs to the innermost call. */
static bool leave(struct quipu__within *within, const struct quipu_batch *batch, uint32_t event,
                  uint32_t state) {
    const uint32_t region = batch->object[event], innermost = calls_at(within, state).newest;
    const bool passes =
        region == QUIPU_NONE ? is_chosen(within, innermost) : quipu__filter_region(within->filter, region);
    const bool is_innermost =
        region == QUIPU_NONE || innermost == QUIPU_NONE || region_of(within, innermost) == region;
    within->has_no_memory |= !quipu__tracker_add_event(&within->calls, batch, event, batch->stream);
    if (!is_innermost)
        count_again(within, calls_at(within, state).newest);
    return passes;
}

/* ---- Regions ---- */

static bool is_within(struct quipu__within *within, const struct quipu_batch *batch, uint32_t event) {
    const uint32_t state = quipu__tracker_locate(&within->calls, batch->location[event], batch->stream);
    within->has_no_memory |= state == QUIPU_NONE;
    if (within->has_no_memory)
        return false;
    if (batch->kind[event] == QUIPU_KIND_enter)
        return enter(within, batch, event, state);
    if (batch->kind[event] == QUIPU_KIND_leave)
        return leave(within, batch, event, state);
    return count_up_to(within, calls_at(within, state).newest) > 0;
}

/* ---- Expressions ---- */

/* The region of the call that a leave ends or that an event lies in; of an enter it is its own. */
static uint32_t region_around(const struct quipu__within *within, const struct quipu_batch *batch,
                              uint32_t event) {
    const uint32_t state = quipu__tracker_latest(&within->calls, batch->location[event]);
    const uint32_t call = state == QUIPU_NONE ? QUIPU_NONE : calls_at(within, state).newest;
    return call == QUIPU_NONE ? QUIPU_NONE : region_of(within, call);
}

static bool is_true(const struct quipu__within *within, const struct quipu_batch *batch, uint32_t event,
                    uint32_t region) {
    const struct quipu__where_event subject = {.batch = batch,
                                               .event = event,
                                               .kind = batch->kind[event],
                                               .location = batch->location[event],
                                               .is_in_call = region != QUIPU_NONE,
                                               .region = region};
    return quipu__where_truth(within->filter->where, &subject) == QUIPU__TRUE;
}

/* An event that may pass waits instead. */
static void hold(struct quipu__within *within, const struct quipu_batch *batch, uint32_t event, bool passes,
                 uint32_t region) {
    struct quipu__waiting about;
    within->has_no_memory |= !quipu__duration_queue_track(within->queue, batch, event, &about);
    about.region = region;
    if (within->has_no_memory)
        return;
    if (passes)
        within->has_no_memory |=
            !quipu__duration_queue_hold(within->queue, batch, event, &within->attribute, &about);
    else
        quipu__duration_queue_pass_over(within->queue, &about);
}

/* ---- Events ---- */

static bool is_in_window(const struct quipu__filter *filter, const struct quipu_batch *batch, uint32_t event) {
    return quipu__filter_location(filter, batch->location[event]) && batch->time[event] >= filter->from &&
           (batch->time[event] < filter->to || filter->to == INT64_MAX) &&
           quipu__filter_kind(filter, (enum quipu_kind)batch->kind[event]);
}

static bool keeps(void *context, const struct quipu_batch *batch, uint32_t event) {
    struct quipu__within *within = context;
    const struct quipu__filter *filter = within->filter;
    if (within->has_no_memory)
        return false;
    const uint32_t region =
        within->needs_calls && filter->where ? region_around(within, batch, event) : QUIPU_NONE;
    const bool is_in_regions = (!within->needs_calls || is_within(within, batch, event)) || !filter->regions;
    const bool passes = is_in_regions && is_in_window(filter, batch, event);
    if (within->queue) {
        hold(within, batch, event, passes, region);
        return false;
    }
    return passes && (!filter->where || is_true(within, batch, event, region));
}

static enum quipu_status status_of(const struct quipu__within *within, struct quipu_error *err) {
    if (!within->has_no_memory)
        return QUIPU_OK;
    const enum quipu_status status = quipu__no_memory(err, within->calls.memory->used);
    if (within->queue)
        quipu__advise(err, "an expression that asks for shorter durations needs less memory");
    return status;
}

enum quipu_status quipu__within_next(struct quipu__within *within, bool is_end, struct quipu__batch *batch,
                                     struct quipu_error *err) {
    if (!within->queue)
        return QUIPU_OK;
    if (is_end)
        quipu__duration_queue_end(within->queue);
    within->has_no_memory |= !quipu__duration_queue_drain(within->queue, batch);
    return status_of(within, err);
}

enum quipu_status quipu__within_select(struct quipu__within *within, struct quipu__batch *batch,
                                       struct quipu_error *err) {
    within->attribute = 0;
    quipu__batch_keep(batch, keeps, within);
    if (within->filter->without_attributes)
        batch->attributes.count = batch->batch.attribute_count = 0;
    if (!within->queue || within->has_no_memory)
        return status_of(within, err);
    quipu__batch_clear(batch);
    return quipu__within_next(within, false, batch, err);
}

/* ---- Beginning ---- */

static void init_calls(struct quipu__within *within, struct quipu__trace *trace) {
    const struct quipu__tracker_options options = {.definitions = &trace->define->definitions,
                                                   .interval_classes = CALLS};
    quipu__tracker_init(&within->calls, trace->memory, &options);
}

/* Takes over the calls that are active at a point of the index. QUIPU_END when the index has none. */
static enum quipu_status load_calls(struct quipu__within *within, const struct quipu__trace *trace,
                                    uint32_t stream, uint32_t substream, uint32_t point,
                                    struct quipu_error *err) {
    struct quipu__buffer room;
    struct quipu__slice bytes;
    quipu__buffer_init(&room, trace->memory, 0);
    enum quipu_status status = quipu__index_section(trace->index, QUIPU__TRACKER_SECTION, stream, substream,
                                                    point, &room, &bytes, err);
    if (status == QUIPU_OK)
        status = bytes.at ? quipu__tracker_resume(&within->calls, bytes, err) : QUIPU_END;
    if (status == QUIPU_OK && within->queue)
        status = quipu__duration_queue_resume(within->queue, bytes, err);
    quipu__buffer_release(&room);
    for (size_t i = 0; i < within->calls.states.count && status == QUIPU_OK; i++)
        count_from(within, calls_at(within, (uint32_t)i).oldest);
    return status;
}

static enum quipu_status init(struct quipu__within *within, struct quipu__trace *trace,
                              struct quipu_error *err) {
    init_calls(within, trace);
    within->wide.from = INT64_MIN;
    return quipu__within_looks_ahead(within->filter)
               ? quipu__duration_queue_new(trace->memory, within->filter->where, &within->queue, err)
               : QUIPU_OK;
}

static void release(struct quipu__within *within) {
    quipu__tracker_release(&within->calls);
    quipu__duration_queue_free(within->queue);
    within->queue = NULL;
}

/* Begins at the latest point of the index before the window; at the beginning without one. */
static enum quipu_status begin(struct quipu__within *within, struct quipu__trace *trace, uint32_t stream,
                               uint32_t substream, struct quipu_error *err) {
    struct quipu_error trouble = QUIPU_ERROR_INIT;
    const uint32_t point = quipu__index_find(trace->index, within->filter->from);
    enum quipu_status status = init(within, trace, err);
    if (status != QUIPU_OK || point == QUIPU_NONE)
        return status;
    status = load_calls(within, trace, stream, substream, point, &trouble);
    if (status == QUIPU_OK) {
        within->wide.from = quipu__index_time(trace->index, point);
        return QUIPU_OK;
    }
    release(within);
    if (status == QUIPU_CORRUPT)
        quipu__index_report(trace->findings, QUIPU__INDEX_DAMAGED, trace->index->path, trouble.message);
    else if (status != QUIPU_END && err)
        *err = trouble;
    const enum quipu_status again = init(within, trace, err);
    return status == QUIPU_CORRUPT || status == QUIPU_END ? again : status;
}

static bool needs_calls(const struct quipu__filter *filter) {
    return filter->regions || (filter->where && filter->where->needs_calls);
}

static bool needs_operations(const struct quipu__filter *filter) {
    return filter->where && filter->where->needs_operations;
}

bool quipu__within_looks_ahead(const struct quipu__filter *filter) {
    return filter->where && (filter->where->lookahead > 0 || filter->where->needs_operations);
}

struct quipu__filter quipu__within_filter(const struct quipu__filter *filter) {
    struct quipu__filter wide = *filter;
    wide.where = NULL;
    wide.regions = NULL;
    wide.region_bits = 0;
    if (filter->where && filter->where->needs_attributes)
        wide.without_attributes = false;
    if (needs_operations(
            filter)) { /* applications open files for their processes, and ends may come at any time */
        wide.kinds |= QUIPU__FILE_OPERATION_KINDS;
        wide.from = INT64_MIN;
        wide.to = INT64_MAX;
        wide.locations = NULL;
        wide.location_bits = 0;
    }
    if (!needs_calls(filter))
        return wide;
    wide.from = INT64_MIN;
    wide.kinds |= REGION_KINDS;
    if (filter->where && filter->where->lookahead > 0 && !filter->where->needs_operations)
        wide.to = filter->to < INT64_MAX - filter->where->lookahead ? filter->to + filter->where->lookahead
                                                                    : INT64_MAX;
    return wide;
}

enum quipu_status quipu__within_new(struct quipu__trace *trace, const struct quipu__filter *filter,
                                    uint32_t stream, uint32_t substream, struct quipu__within **out,
                                    struct quipu_error *err) {
    struct quipu__within *within = *out = quipu__alloc_zero(trace->memory, sizeof *within);
    if (!within)
        return quipu__no_memory(err, sizeof *within);
    within->filter = filter;
    within->wide = quipu__within_filter(filter);
    within->needs_calls = needs_calls(filter);
    if (within->needs_calls || needs_operations(filter))
        return begin(within, trace, stream, substream, err);
    init_calls(within, trace); /* which stay empty */
    return QUIPU_OK;
}

void quipu__within_free(struct quipu__within *within) {
    if (!within)
        return;
    struct quipu__memory *memory = within->calls.memory;
    release(within);
    quipu__release(memory, within, sizeof *within);
}
