/* cut_events.c: cutting events of the model, for any format that can be written from them.
 *
 * Events before the range only change what is active. What is active at a location begins again before its first event of the
 * range: its CPU, calls, collective operations, operations on files, values of channels. In time order that happens for all
 * locations at once, to keep the order.
 *
 * Calls, and values on stacks, that are active at the end of the range end after all events. The index of the trace may say
 * what is active at a time before the range; then reading begins there.
 */
#include "trace/writer.h"
#include "convert/cut.h"
#include "convert/loss.h"
#include "core/error.h"
#include "core/memory/vec.h"
#include "model/batch.h"
#include "state/events.h"
#include "trace/reader.h"
#include "trace/select.h"

/* What also begins again: values that hold until an event changes them. */
#define UNTIL_CHANGED                                                                                          \
    (QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_cpu) | QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_channel_value) |           \
     QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_channel_stack))

/* Events of a written batch. */
enum { BATCH = 4096 };

struct cut {
    struct quipu__conversion *conversion;
    struct quipu__memory *memory;
    const struct quipu_selection *selection;
    struct quipu__tracker tracker;
    QUIPU__VEC(bool) has_range; /* locations where the range has begun */
    struct quipu__batch *batch;
    bool in_time_order, is_in_range;
};

/* ---- Writing ---- */

static enum quipu_status flush(struct cut *cut, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    quipu__loss_select(cut->conversion->loss, cut->selection, &cut->batch->batch);
    if (cut->batch->batch.count > 0)
        status = quipu__writer_put_batch(cut->conversion->writer, &cut->batch->batch, err);
    quipu__batch_clear(cut->batch);
    return status;
}

static enum quipu_status make_room(struct cut *cut, struct quipu_error *err) {
    return quipu__batch_left(cut->batch) == 0 ? flush(cut, err) : QUIPU_OK;
}

/* Writes an event with the columns of that interval. */
static enum quipu_status put_event(struct cut *cut, enum quipu_kind kind, uint32_t location, int64_t time,
                                   const struct quipu__interval *interval, struct quipu_error *err) {
    const struct quipu__event_columns *columns = quipu__interval_columns(&cut->tracker, interval);
    const enum quipu_status status = make_room(cut, err);
    if (status != QUIPU_OK)
        return status;
    struct quipu_batch *batch = &cut->batch->batch;
    const uint32_t event = quipu__batch_add(batch, time, kind, location, QUIPU_UNKNOWN);
#define QUIPU_COLUMN(name, c_type, doc) batch->name[event] = columns->name;
#include <quipu/columns.def>
#undef QUIPU_COLUMN
    return QUIPU_OK;
}

static enum quipu_status put_begin(void *context, const void *where, const struct quipu__interval *interval,
                                   struct quipu_error *err) {
    struct cut *cut = context;
    const uint32_t *location = where;
    return put_event(cut, (enum quipu_kind)interval->kind, *location, cut->selection->from, interval, err);
}

/* Values of channels in the order in which they were set: a thread that paused, and then lost its CPU, cannot do what came
 * before. */
static enum quipu_status put_values(struct cut *cut, uint32_t location, uint32_t state,
                                    struct quipu_error *err) {
    const struct quipu__tracker *tracker = &cut->tracker;
    uint32_t value = quipu__active_at(tracker, state, QUIPU__INTERVAL_channel_value).oldest;
    uint32_t pushed = quipu__active_at(tracker, state, QUIPU__INTERVAL_channel_stack).oldest;
    enum quipu_status status = QUIPU_OK;
    while ((value != QUIPU_NONE || pushed != QUIPU_NONE) && status == QUIPU_OK) {
        const bool is_pushed =
            value == QUIPU_NONE || (pushed != QUIPU_NONE && quipu__interval_at(tracker, pushed)->time <
                                                                quipu__interval_at(tracker, value)->time);
        uint32_t *next = is_pushed ? &pushed : &value;
        status = put_begin(cut, &location, quipu__interval_at(tracker, *next), err);
        *next = quipu__interval_at(tracker, *next)->newer;
    }
    return status;
}

static enum quipu_status put_end(void *context, const void *where, const struct quipu__interval *interval,
                                 struct quipu_error *err) {
    struct cut *cut = context;
    const uint32_t *location = where;
    const enum quipu_kind kind =
        interval->list == QUIPU__INTERVAL_call ? QUIPU_KIND_leave : QUIPU_KIND_state_pop;
    return put_event(cut, kind, *location, cut->selection->to, interval, err);
}

/* ---- The ends of the range ---- */

/* Locations that a damaged trace uses without defining them are added while it is read. */
static bool knows_location(struct cut *cut, uint32_t location) {
    const size_t known = cut->has_range.count;
    if (location < known)
        return true;
    if (!QUIPU__VEC_RESERVE(cut->memory, &cut->has_range, (size_t)location + 1 - known))
        return false;
    cut->has_range.count = (size_t)location + 1;
    return true;
}

static enum quipu_status begin_location(struct cut *cut, uint32_t location, struct quipu_error *err) {
    if (!knows_location(cut, location))
        return quipu__no_memory(err, location);
    if (cut->has_range.items[location])
        return QUIPU_OK;
    cut->has_range.items[location] = true;
    const uint32_t state = quipu__tracker_latest(&cut->tracker, location);
    if (state == QUIPU_NONE)
        return QUIPU_OK;
    const uint32_t cpu = quipu__active_at(&cut->tracker, state, QUIPU__INTERVAL_cpu).newest;
    enum quipu_status status = QUIPU_OK;
    if (cpu != QUIPU_NONE)
        status = put_begin(cut, &location, quipu__interval_at(&cut->tracker, cpu), err);
    if (status == QUIPU_OK)
        status = quipu__cut_begin(&cut->tracker, state, put_begin, cut, &location, err);
    return status == QUIPU_OK ? put_values(cut, location, state, err) : status;
}

/* Every known location begins with the range, even without events there. */
static enum quipu_status begin_range(struct cut *cut, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    if (cut->is_in_range)
        return QUIPU_OK;
    cut->is_in_range = true;
    for (uint32_t i = 0; i < cut->tracker.latest.count && status == QUIPU_OK; i++)
        status = begin_location(cut, i, err);
    return status;
}

static enum quipu_status end_location(struct cut *cut, uint32_t location, struct quipu_error *err) {
    const uint32_t state = quipu__tracker_latest(&cut->tracker, location);
    if (state == QUIPU_NONE)
        return QUIPU_OK;
    const enum quipu_status status =
        quipu__cut_end(&cut->tracker, state, QUIPU__INTERVAL_channel_stack, put_end, cut, &location, err);
    return status == QUIPU_OK
               ? quipu__cut_end(&cut->tracker, state, QUIPU__INTERVAL_call, put_end, cut, &location, err)
               : status;
}

static enum quipu_status end_range(struct cut *cut, struct quipu_error *err) {
    enum quipu_status status = begin_range(cut, err);
    for (uint32_t i = 0; cut->selection->to != INT64_MAX && i < cut->tracker.latest.count; i++)
        if (status == QUIPU_OK)
            status = end_location(cut, i, err);
    return status == QUIPU_OK ? flush(cut, err) : status;
}

/* ---- Events ---- */

/* Where times go back, which some formats allow to 0, calls belong to the range that they stand in: each needs both its sides. */
static bool is_in_range(const struct cut *cut, const struct quipu_batch *batch, uint32_t i) {
    const uint32_t location = batch->location[i];
    const bool is_call = batch->kind[i] == QUIPU_KIND_enter || batch->kind[i] == QUIPU_KIND_leave;
    return batch->time[i] >= cut->selection->from ||
           (is_call && location < cut->has_range.count && cut->has_range.items[location]);
}

static enum quipu_status cut_event(struct cut *cut, const struct quipu_batch *batch, uint32_t i,
                                   uint32_t *attribute, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    if (is_in_range(cut, batch, i)) {
        status = cut->in_time_order ? begin_range(cut, err) : QUIPU_OK;
        if (status == QUIPU_OK)
            status = begin_location(cut, batch->location[i], err);
        if (status == QUIPU_OK)
            status = make_room(cut, err);
        if (status == QUIPU_OK && !quipu__batch_copy(cut->batch, batch, i, attribute))
            status = quipu__no_memory(err, sizeof(struct quipu_attribute));
    }
    if (status == QUIPU_OK && !quipu__tracker_add_event(&cut->tracker, batch, i, 0))
        status = quipu__no_memory(err, sizeof(struct quipu__interval));
    return status;
}

static enum quipu_status go_over(struct cut *cut, struct quipu_error *err) {
    struct quipu_reader *reader = cut->conversion->reader;
    const struct quipu_batch *batch;
    enum quipu_status status = QUIPU_OK;
    while (status == QUIPU_OK) {
        uint32_t attribute = 0;
        status = quipu_reader_next_batch(reader, &batch, err);
        if (status == QUIPU_END)
            return end_range(cut, err);
        for (uint32_t i = 0; status == QUIPU_OK && i < batch->count; i++)
            status = cut_event(cut, batch, i, &attribute, err);
    }
    return status;
}

/* ---- From the index ---- */

/* Loads what a section of the index says about the substream's selected locations. False when it cannot be used: it is
 * unreadable, or a location has events in several streams, whose order it does not know. */
static bool take_section(struct cut *cut, const struct quipu__filter *filter, struct quipu__slice bytes) {
    struct quipu__tracker substream;
    quipu__tracker_init(&substream, cut->memory, &cut->tracker.options);
    bool is_good = quipu__tracker_resume(&substream, bytes, NULL) == QUIPU_OK;
    for (uint32_t i = 0; i < substream.states.count && is_good; i++) {
        const uint32_t location = substream.states.items[i].location;
        is_good = location >= cut->tracker.latest.count || cut->tracker.latest.items[location] == 0;
        if (is_good && quipu__filter_location(filter, location))
            is_good = quipu__tracker_join_state(&cut->tracker, &substream, i, 0);
    }
    quipu__tracker_release(&substream);
    return is_good;
}

static bool take_substream(struct cut *cut, const struct quipu__filter *filter,
                           const struct quipu__index *index, uint32_t point, uint32_t stream,
                           uint32_t substream) {
    struct quipu__buffer room;
    struct quipu__slice bytes;
    quipu__buffer_init(&room, cut->memory, 0);
    const bool is_good = quipu__index_section(index, QUIPU__TRACKER_SECTION, stream, substream, point, &room,
                                              &bytes, NULL) == QUIPU_OK &&
                         bytes.at && take_section(cut, filter, bytes);
    quipu__buffer_release(&room);
    return is_good;
}

static void init_tracker(struct cut *cut) {
    struct quipu__tracker_options options = quipu__event_tracker_options(
        quipu_reader_definitions(cut->conversion->reader), QUIPU__BEGINS_AGAIN | UNTIL_CHANGED);
    options.ends = 0;
    quipu__tracker_init(&cut->tracker, cut->memory, &options);
}

/* Where reading begins: at the latest point of the index that is not after the beginning of the range, with what is active
 * there, or else at the beginning. With selected regions the index is not used, since what it says includes other regions. */
static int64_t find_start(struct cut *cut, const struct quipu__filter *filter) {
    struct quipu_reader *reader = cut->conversion->reader;
    const struct quipu__index *index = quipu__reader_index(reader);
    const uint32_t point = cut->selection->regions || cut->selection->where
                               ? QUIPU_NONE
                               : quipu__index_find(index, cut->selection->from);
    bool is_good = point != QUIPU_NONE;
    for (uint32_t stream = 0; stream < quipu_reader_stream_count(reader); stream++)
        for (uint32_t substream = 0; substream < quipu_reader_stream_at(reader, stream)->substreams && is_good;
             substream++)
            is_good = take_substream(cut, filter, index, point, stream, substream);
    if (is_good)
        return quipu__index_time(index, point);
    quipu__tracker_release(&cut->tracker);
    init_tracker(cut);
    return INT64_MIN;
}

static enum quipu_status start(struct cut *cut, struct quipu_error *err) {
    struct quipu_reader *reader = cut->conversion->reader;
    struct quipu_selection selection = *cut->selection;
    struct quipu__filter filter = {0};
    init_tracker(cut);
    selection.order = quipu__writer_order_from(cut->conversion->writer, reader);
    cut->in_time_order = selection.order == QUIPU_ORDER_TIME;
    enum quipu_status status = quipu__batch_new(cut->memory, BATCH, &cut->batch, err);
    if (status == QUIPU_OK)
        status = quipu__filter_set(&filter, cut->memory, &selection, quipu_reader_definitions(reader), err);
    if (status == QUIPU_OK) {
        selection.from = find_start(cut, &filter);
        status = quipu_reader_select(reader, &selection, err);
    }
    quipu__filter_release(&filter, cut->memory);
    return status;
}

enum quipu_status quipu__cut_events(struct quipu__conversion *conversion, struct quipu_error *err) {
    const struct quipu_cut_options *options = conversion->task_options;
    struct cut cut = {.conversion = conversion,
                      .memory = quipu__reader_trace(conversion->reader)->memory,
                      .selection = &options->convert.selection};
    enum quipu_status status = start(&cut, err);
    if (status == QUIPU_OK)
        status = go_over(&cut, err);
    quipu__tracker_release(&cut.tracker);
    QUIPU__VEC_RELEASE(cut.memory, &cut.has_range);
    quipu__batch_free(cut.batch);
    return status;
}
