/* events.c: batches of events.
 *
 * fast_events.c reads lines in the common spelling. Everything else is left to the complete decoder, one record at a time:
 * read_one. Both keep the same state, so they alternate freely, and both leave out what the filter does not pass.
 *
 * Markers have their own times and their file is unordered: they are all read first and sorted.
 */
#include "formats/otf/format.h"

#include "core/error.h"

#include <inttypes.h>
#include <stdlib.h>

/* Most events of one record: as many as statistics of a file have figures. */
#define EVENTS_PER_RECORD 7

/* Most records that are read for a batch, so that progress is reported even if few events are selected. */
#define RECORDS_PER_BATCH 65536

/* ---- Time and place ---- */

static const char *type_name(enum quipu__otf_type type) {
    return quipu__otf_schema.types[type].name;
}

static void report_time(struct quipu__otf_pass *pass, uint64_t time, enum quipu__otf_type type,
                        uint64_t offset) {
    if (time > INT64_MAX)
        quipu__otf_find_here(pass, QUIPU__OTF_RULE_TIME_RANGE, offset, type_name(type), "time", "0x%" PRIx64,
                             time);
    if (pass->state.time == QUIPU__KEYED_NO_TIME || time >= pass->state.time)
        return;
    pass->is_unsorted = true;
    quipu__otf_find_here(pass, time == 0 ? QUIPU__OTF_RULE_BACK_TO_ZERO : QUIPU__OTF_RULE_UNSORTED, offset,
                         type_name(type), "time", "0x%" PRIx64 " after 0x%" PRIx64, time, pass->state.time);
}

/* Compares the stream in which a process has records with the master control file. */
static void compare_stream(struct quipu__otf_pass *pass, uint32_t process, uint64_t offset) {
    const struct quipu__otf_trace *own = pass->own;
    const uint32_t stream = quipu__map_get(&own->mapping, process);
    if (pass->stream_file->file == QUIPU__OTF_MARKERS || !own->has_mapping || stream == pass->stream_file->id)
        return;
    if (stream == QUIPU_NONE)
        quipu__otf_find_here(pass, QUIPU__OTF_RULE_WRONG_STREAM, offset, "", "process",
                             "process %" PRIu32 " belongs to no stream", process);
    else
        quipu__otf_find_here(pass, QUIPU__OTF_RULE_WRONG_STREAM, offset, "", "process",
                             "process %" PRIu32 " belongs to stream %" PRIx32, process, stream);
}

/* The location of a process that has a record. */
static uint32_t location_of(struct quipu__otf_pass *pass, uint32_t process, uint64_t offset) {
    uint32_t location = quipu__tokens_get(&pass->located, process);
    if (location != QUIPU_NONE)
        return location;
    compare_stream(pass, process, offset);
    location = quipu__otf_pass_number(pass, QUIPU__OTF_CLASS_process, process, "process");
    if (location != QUIPU_NONE)
        quipu__gate_knows(quipu__tokens_put(&pass->located, process, location));
    return location;
}

static int64_t model_time(uint64_t time) {
    return time > INT64_MAX ? INT64_MAX : (int64_t)time;
}

/* Uses what the state lines say. False when that is not enough for an event. */
static bool use_state(struct quipu__otf_pass *pass, enum quipu__otf_type type, uint64_t offset) {
    const struct quipu__keyed_state state = pass->lines.state;
    if (!pass->has_state) {
        quipu__otf_find_here(pass, QUIPU__OTF_RULE_NO_STATE, offset, type_name(type), "", " ");
        return false;
    }
    if (state.time != pass->state.time) {
        report_time(pass, state.time, type, offset);
        pass->time = model_time(state.time);
    }
    if (state.process != pass->state.process || pass->location == QUIPU_NONE)
        pass->location = location_of(pass, state.process, offset);
    pass->state = state;
    return true;
}

/* ---- What began before the pass ---- */

/* How far before the start of the pass a beginning is first looked for; then four times as far each time. */
#define BACK_AT_FIRST ((uint64_t)64 << 10)

static bool make_event_state(struct quipu__otf_pass *pass) {
    static const struct quipu__tracker_options options = {.interval_classes =
                                                              QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_collective),
                                                          .payload_room = sizeof(struct quipu__event_columns)};
    struct quipu__memory *memory = pass->own->trace->memory;
    if (pass->events)
        return true;
    pass->events = quipu__alloc(memory, sizeof *pass->events);
    if (!pass->events)
        return false;
    for (unsigned i = 0; i < QUIPU__OTF_CLASS_COUNT; i++)
        quipu__tokens_init(&pass->events->late[i], memory);
    quipu__tracker_init(&pass->events->active, memory, &options);
    quipu__tracker_init(&pass->events->before, memory, &options);
    return true;
}

/* Reads up to and including a time, only to know what has begun. */
static enum quipu_status read_active(struct quipu__otf_pass *pass, uint64_t until, struct quipu_error *err) {
    struct quipu__batch *batch;
    enum quipu_status status = quipu__batch_new(pass->own->trace->memory, EVENTS_PER_RECORD, &batch, err);
    if (status == QUIPU_OK && !make_event_state(pass))
        status = quipu__no_memory(err, sizeof *pass->events);
    while (status == QUIPU_OK) {
        status = quipu__otf_next_line(pass, &pass->type, &pass->offset, err);
        if (status != QUIPU_OK || pass->lines.state.time > until)
            break;
        if ((pass->type != QUIPU__OTF_BeginCollectiveOperation &&
             pass->type != QUIPU__OTF_EndCollectiveOperation) ||
            !use_state(pass, pass->type, pass->offset))
            continue;
        quipu__batch_clear(batch);
        status = quipu__otf_to_model(pass, pass->type, pass->offset, batch, err);
    }
    quipu__batch_free(batch);
    return status == QUIPU_END ? QUIPU_OK : status;
}

/* Reads, in a separate pass, from a start up to that of the pass, and adds what has begun by then. */
static enum quipu_status read_back(struct quipu__otf_pass *pass, const struct quipu__otf_start *start,
                                   struct quipu_error *err) {
    static const struct quipu__filter everything = {
        .from = INT64_MIN, .to = INT64_MAX, .kinds = QUIPU_ALL_KINDS, .without_attributes = true};
    struct quipu__pass common = pass->pass, *base;
    common.filter = &everything;
    common.records_of = NULL;
    enum quipu_status status = quipu__otf_pass_open(&common, &base, err);
    if (status != QUIPU_OK)
        return status;
    struct quipu__otf_pass *before = (struct quipu__otf_pass *)base;
    status = quipu__otf_start_at(before, start, err);
    if (status == QUIPU_OK)
        status = read_active(before, pass->start_time, err);
    pass->searched += quipu__otf_bytes(before);
    if (before->events) {
        const struct quipu__tracker old = pass->events->before;
        pass->events->before = before->events->active;
        before->events->active = old;
    }
    quipu__otf_pass_close(base);
    return status;
}

/* Looks farther back for what was active where the pass started. Unreadable parts are ignored. */
static enum quipu_status look_back(struct quipu__otf_pass *pass, struct quipu_error *err) {
    struct quipu__otf_start start;
    const uint64_t back = pass->start - pass->looked_back, wanted = back ? back * 4 : BACK_AT_FIRST;
    pass->looked_back = wanted < pass->start ? pass->start - wanted : 0;
    enum quipu_status status = quipu__otf_find_start(pass, pass->looked_back, pass->start, &start);
    if (status == QUIPU_OK && start.found)
        status = read_back(pass, &start, err);
    return status == QUIPU_NO_MEMORY ? status : QUIPU_OK;
}

/* The end of a collective operation names only a number: its beginning is looked up before the record is translated. */
static enum quipu_status restore_begin(struct quipu__otf_pass *pass, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    if (pass->type != QUIPU__OTF_EndCollectiveOperation || pass->time < pass->pass.filter->from)
        return QUIPU_OK;
    while (status == QUIPU_OK && pass->looked_back > 0 &&
           !quipu__otf_knows_begin(pass, pass->data.EndCollectiveOperation.matchingId))
        status = look_back(pass, err);
    return status;
}

/* ---- One record by the complete decoder ---- */

static void count_record(struct quipu__otf_pass *pass, enum quipu__otf_type type) {
    pass->pass.records++;
    pass->records_of[type]++;
    pass->index++;
}

/* Turns the current record into events, after those that were due before it. It stays current when they need all room. */
static enum quipu_status give_record(struct quipu__otf_pass *pass, struct quipu__batch *batch,
                                     struct quipu_error *err) {
    const uint32_t first = batch->batch.count;
    enum quipu_status status = QUIPU_OK;
    if (pass->next_due <= pass->time)
        status = quipu__otf_give_due(pass, pass->time, batch, err);
    if (status != QUIPU_OK)
        return status;
    pass->has_record = quipu__batch_left(batch) < EVENTS_PER_RECORD;
    if (!pass->has_record)
        status = restore_begin(pass, err);
    if (!pass->has_record && status == QUIPU_OK)
        status = quipu__otf_to_model(pass, pass->type, pass->offset, batch, err);
    quipu__batch_select(batch, first, pass->pass.filter);
    return status;
}

static enum quipu_status read_one(struct quipu__otf_pass *pass, struct quipu__batch *batch,
                                  struct quipu_error *err) {
    const enum quipu_status status = quipu__otf_next_line(pass, &pass->type, &pass->offset, err);
    if (status != QUIPU_OK)
        return status;
    if (use_state(pass, pass->type, pass->offset)) {
        pass->common.keyvalues = quipu__otf_values_list(&pass->values, &pass->scratch);
        const enum quipu_status given = give_record(pass, batch, err);
        count_record(pass, pass->type);
        return given;
    }
    count_record(pass, pass->type);
    return QUIPU_OK;
}

/* ---- Markers ---- */

static bool keep_marker(struct quipu__otf_pass *pass, uint64_t offset) {
    const struct quipu__otf_Marker *marker = &pass->data.Marker;
    struct quipu__otf_marker_event *event = QUIPU__VEC_ADD(pass->own->trace->memory, &pass->marker_events);
    const uint32_t len = quipu_sized_count(marker->text);
    uint8_t *text = event ? quipu__arena_alloc(&pass->texts, sizeof(struct quipu_sized) + len + 1u) : NULL;
    if (!text)
        return false;
    *(struct quipu_sized *)(void *)text = (struct quipu_sized){len, 0};
    text += sizeof(struct quipu_sized);
    memcpy(text, marker->text, len + 1u);
    *event = (struct quipu__otf_marker_event){.time = model_time(marker->time),
                                              .token = marker->token,
                                              .process = marker->process,
                                              .offset = offset,
                                              .text = (const char *)text};
    return true;
}

static int compare_markers(const void *left, const void *right) {
    const struct quipu__otf_marker_event *a = left, *b = right;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static enum quipu_status read_markers(struct quipu__otf_pass *pass, struct quipu_error *err) {
    enum quipu_status status;
    pass->markers_read = true;
    while ((status = quipu__otf_next_line(pass, &pass->type, &pass->offset, err)) == QUIPU_OK) {
        if (pass->type == QUIPU__OTF_Marker && !keep_marker(pass, pass->offset))
            return quipu__no_memory(err, sizeof(struct quipu__otf_marker_event));
        count_record(pass, pass->type);
    }
    if (status != QUIPU_END)
        return status;
    if (pass->marker_events.count > 0)
        qsort(pass->marker_events.items, pass->marker_events.count, sizeof *pass->marker_events.items,
              compare_markers);
    return QUIPU_OK;
}

static enum quipu_status give_markers(struct quipu__otf_pass *pass, struct quipu__batch *batch,
                                      struct quipu_error *err) {
    enum quipu_status status = pass->markers_read ? QUIPU_OK : read_markers(pass, err);
    while (status == QUIPU_OK && pass->next_marker < pass->marker_events.count &&
           quipu__batch_left(batch) > 0) {
        const struct quipu__otf_marker_event *event = &pass->marker_events.items[pass->next_marker++];
        pass->data.Marker = (struct quipu__otf_Marker){.token = event->token, .text = event->text};
        pass->common.keyvalues = NULL;
        pass->time = event->time;
        pass->location = location_of(pass, event->process, event->offset);
        status = quipu__otf_to_model(pass, QUIPU__OTF_Marker, event->offset, batch, err);
    }
    if (status != QUIPU_OK)
        return status;
    return batch->batch.count > 0 ? QUIPU_OK : QUIPU_END;
}

/* ---- Batches ---- */

static enum quipu_status read_some(struct quipu__otf_pass *pass, struct quipu__batch *batch,
                                   struct quipu_error *err) {
    if (pass->stream_file->file == QUIPU__OTF_EVENTS)
        quipu__otf_read_fast(pass, batch);
    return quipu__batch_left(batch) >= EVENTS_PER_RECORD ? read_one(pass, batch, err) : QUIPU_OK;
}

/* Whether nothing that follows can belong to the window. */
static bool is_behind_window(const struct quipu__otf_pass *pass) {
    return pass->ends_early && !pass->is_unsorted && pass->location != QUIPU_NONE &&
           pass->pass.filter->to < INT64_MAX && pass->time >= pass->pass.filter->to;
}

/* Whether more must be read for the batch. */
static bool goes_on(const struct quipu__otf_pass *pass, const struct quipu__batch *batch, uint64_t records) {
    return !pass->has_record && quipu__batch_left(batch) >= EVENTS_PER_RECORD &&
           (batch->batch.count == 0 || pass->pass.records - records < RECORDS_PER_BATCH);
}

/* Events still announced come at the end of the stream. */
static enum quipu_status give_rest(struct quipu__otf_pass *pass, struct quipu__batch *batch,
                                   struct quipu_error *err) {
    const enum quipu_status status = quipu__otf_give_due(pass, INT64_MAX, batch, err);
    if (status != QUIPU_OK)
        return status;
    return batch->batch.count > 0 ? QUIPU_OK : QUIPU_END;
}

enum quipu_status quipu__otf_next_batch(struct quipu__pass *base, struct quipu__batch *batch,
                                        struct quipu_error *err) {
    struct quipu__otf_pass *pass = (struct quipu__otf_pass *)base;
    const uint64_t records = base->records;
    enum quipu_status status = make_event_state(pass) ? QUIPU_OK : quipu__no_memory(err, sizeof *pass->events);
    if (status == QUIPU_OK && pass->stream_file->file == QUIPU__OTF_MARKERS) {
        status = give_markers(pass, batch, err);
        base->bytes = quipu__otf_bytes(pass);
        return status;
    }
    if (status == QUIPU_OK && pass->has_record)
        status = give_record(pass, batch, err);
    while (status == QUIPU_OK && goes_on(pass, batch, records))
        status = is_behind_window(pass) ? QUIPU_END : read_some(pass, batch, err);
    base->bytes = quipu__otf_bytes(pass);
    batch->is_selected = status == QUIPU_OK;
    return status == QUIPU_END ? give_rest(pass, batch, err) : status;
}
