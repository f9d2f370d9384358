/* from_model.c: events become records, by the rows of mapping.def read backwards, and definitions at the end those of what events have used. What
 * cannot be said is counted as dropped. */
#include "formats/otf2/from_model.h"

#include "core/bounded.h"
#include "core/error.h"

#include <string.h>

enum { MANY_LOCATIONS = 256 }; /* from here on chunks are small, since readers hold one of each location */

static enum quipu_status find_track(model *m, uint32_t location, struct track **out, struct quipu_error *err) {
    const size_t more = m->definitions->locations.count - m->tracks.count;
    if (location >= m->tracks.count) {
        if (!QUIPU__VEC_RESERVE(m->memory, &m->tracks, more))
            return quipu__no_memory(err, more * sizeof *m->tracks.items);
        m->tracks.count += more;
    }
    *out = m->tracks.items[location];
    if (*out)
        return QUIPU_OK;
    struct track *track = m->tracks.items[location] = quipu__arena_alloc(&m->arena, sizeof *track);
    if (!track)
        return quipu__no_memory(err, sizeof *track);
    memset(track, 0, sizeof *track);
    track->location = location;
    *out = track;
    return quipu__otf2_begin_file(m->writer, &track->out, QUIPU__OTF2_GROUP_EVENT, id_of(m, location), err);
}

static enum quipu_status put(model *m, struct track *track, const struct quipu_event *event, uint64_t time,
                             struct made *made, struct quipu_error *err) {
    const struct quipu_record_type *type = &quipu__otf2_types[made->type];
    if (made->is_impossible) {
        m->writer->output->dropped[event->kind]++;
        return QUIPU_OK;
    }
    made->data.ENTER.location = id_of(m, track->location);
    made->data.ENTER.timestamp = time;
    if (event->attribute_count > 0)
        *(const struct quipu_value **)quipu__member(&type->fields[type->field_count - 1], &made->data) =
            quipu__otf2_attributes_of(m, event, made);
    m->writer->output->approximated[event->kind] += made->is_cut;
    return quipu__otf2_put_record(m->writer, &track->out, made->type, &made->data, err);
}

/* ---- Calls ---- */

/* The region that is entered or left; a leave may not say which. */
static uint32_t region_of_call(model *m, struct track *track, bool is_enter, uint32_t number) {
    uint32_t *slot = is_enter ? QUIPU__VEC_ADD(m->memory, &track->calls) : NULL;
    if (slot)
        *slot = number;
    if (!is_enter && track->calls.count > 0) {
        const uint32_t entered = track->calls.items[--track->calls.count];
        number = number == QUIPU_NONE ? entered : number;
    }
    const bool is_used = m->regions.tokens.count > 0 && number < m->regions.tokens.count - 1;
    const uint32_t token = is_used ? m->regions.tokens.items[number + 1] : 0;
    return token > 0 ? token - 1 : quipu__otf2_use_region(m, number);
}

static enum quipu_status put_call(model *m, struct track *track, const struct quipu_event *event, uint64_t time,
                                  struct quipu_error *err) {
    const bool is_enter = event->kind == QUIPU_KIND_enter;
    const uint32_t region = region_of_call(m, track, is_enter, event->object);
    struct made made = {.type = is_enter ? QUIPU__OTF2_TYPE_ENTER : QUIPU__OTF2_TYPE_LEAVE,
                        .is_impossible = region == UNDEFINED};
    made.data.ENTER.region = region; /* LEAVE is alike */
    made.data.ENTER.attributes = NULL;
    return put(m, track, event, time, &made, err);
}

/* ---- Markers ---- */

static enum quipu_status put_marker(model *m, const struct quipu_event *event, uint64_t time,
                                    struct quipu_error *err) {
    struct quipu__otf2_writer *writer = m->writer;
    struct made made = {.type = QUIPU__OTF2_TYPE_MARKER};
    const struct quipu_value *text = quipu__otf2_take_text(event, &made);
    const uint32_t before = (uint32_t)m->markers.numbers.count;
    const uint32_t marker = use(m, &m->markers, event->object, m->definitions->markers.count);
    enum quipu_status status = QUIPU_OK;
    if (marker == UNDEFINED) {
        writer->output->dropped[event->kind]++;
        return QUIPU_OK;
    }
    if (!writer->markers.file)
        status = quipu__otf2_begin_file(writer, &writer->markers, QUIPU__OTF2_GROUP_MARKER, QUIPU_UNKNOWN, err);
    if (status == QUIPU_OK && marker == before) {
        static const uint8_t severities[] = {0, 3, 2, 1}; /* unknown, error, warning, hint */
        const struct quipu_marker *type = &m->definitions->markers.items[event->object];
        const struct quipu__otf2_DEF_MARKER definition = {
            marker, quipu__scratch_text(&m->scratch, "", 0),
            quipu__scratch_text(&m->scratch, type->name, strlen(type->name)),
            severities[type->severity < 4 ? type->severity : 0]};
        status =
            quipu__otf2_put_record(writer, &writer->markers, QUIPU__OTF2_TYPE_DEF_MARKER, &definition, err);
    }
    if (status != QUIPU_OK)
        return status;
    size_t len = text ? text->size : 0;
    const char *shown = text ? quipu__otf2_utf8(m, text->data, &len) : "";
    made.data.MARKER = (struct quipu__otf2_MARKER){.timestamp = time,
                                                   .marker = marker,
                                                   .scope = 1, /* a location */
                                                   .scope_reference = id_of(m, event->location),
                                                   .text = quipu__scratch_text(&m->scratch, shown, len)};
    return quipu__otf2_put_record(writer, &writer->markers, QUIPU__OTF2_TYPE_MARKER, &made.data, err);
}

/* ---- One event ---- */

/* Recording goes on after a gap. */
static enum quipu_status switch_on(model *m, struct track *track, struct quipu_error *err) {
    const struct quipu__otf2_MEASUREMENT_ON_OFF record = {id_of(m, track->location), track->on_again, 1, NULL};
    track->is_off = false;
    return quipu__otf2_put_record(m->writer, &track->out, QUIPU__OTF2_TYPE_MEASUREMENT_ON_OFF, &record, err);
}

static bool is_on_again(const struct quipu_event *event) {
    return event->kind == QUIPU_KIND_gap && event->value == 0;
}

/* Times before 0 cannot be written: where the first one is before it, all are moved so far that such times have room. */
static void make_room_before(model *m, int64_t time) {
    if (!m->has_times && time < -m->origin)
        for (m->origin = 1 << 20; - (m->origin / 4) > time && m->origin < INT64_MAX / 4;)
            m->origin *= 2;
    m->has_times = true;
}

static enum quipu_status drop(const model *m, uint8_t kind) {
    m->writer->output->dropped[kind]++;
    return QUIPU_OK;
}

/* The time of an event in the file; false when it cannot be written. */
static bool set_time(model *m, int64_t time, uint64_t *out) {
    const int64_t ticks = quipu__bounded_sum(time, m->origin);
    if (ticks < 0 || ticks > m->ticks_most)
        return false;
    *out = (uint64_t)ticks * (uint64_t)m->scale;
    m->last = *out > m->last ? *out : m->last;
    m->first = time < m->first ? time : m->first;
    return true;
}

/* Where an event is put, and its time in the file; *track NULL when that cannot be written. */
static enum quipu_status begin_event(model *m, int64_t time, uint32_t location, bool is_end_of_gap,
                                     struct track **track, uint64_t *out, struct quipu_error *err) {
    *track = NULL;
    make_room_before(m, time);
    if (location >= m->definitions->locations.count || !set_time(m, time, out))
        return QUIPU_OK;
    const enum quipu_status status = find_track(m, location, track, err);
    return status == QUIPU_OK && (*track)->is_off && !is_end_of_gap && (*track)->on_again <= *out
               ? switch_on(m, *track, err)
               : status;
}

static enum quipu_status put_event(model *m, const struct quipu_event *event, struct quipu_error *err) {
    const bool is_call = event->kind == QUIPU_KIND_enter || event->kind == QUIPU_KIND_leave;
    struct track *track = NULL;
    uint64_t time = 0;
    if (!quipu__otf2_makers[event->kind] && !is_call && event->kind != QUIPU_KIND_marker)
        return drop(m, event->kind);
    const enum quipu_status status =
        begin_event(m, event->time, event->location, is_on_again(event), &track, &time, err);
    if (status != QUIPU_OK || !track)
        return status != QUIPU_OK ? status : drop(m, event->kind);
    quipu__scratch_reset(&m->scratch);
    if (is_call)
        return put_call(m, track, event, time, err);
    if (event->kind == QUIPU_KIND_marker)
        return put_marker(m, event, time, err);
    struct made made;
    memset(&made, 0, sizeof made);
    quipu__otf2_makers[event->kind](m, track, event, time, &made);
    return made.type == QUIPU__OTF2_TYPE_COUNT ? QUIPU_OK : put(m, track, event, time, &made, err);
}

/* Most events: calls without attributes at one location, from the columns of the batch. *next is the first one, and then what follows them. */
static enum quipu_status put_calls(model *m, const struct quipu_batch *batch, uint32_t *next, uint32_t end,
                                   struct quipu_error *err) {
    const uint32_t location = batch->location[*next];
    struct track *track = NULL;
    struct quipu__otf2_ENTER call = {.attributes = NULL}; /* LEAVE is alike */
    enum quipu_status status =
        begin_event(m, batch->time[*next], location, false, &track, &call.timestamp, err);
    uint32_t i = *next;
    for (; i < end && track && status == QUIPU_OK; i++) {
        const bool is_enter = batch->kind[i] == QUIPU_KIND_enter;
        if ((!is_enter && batch->kind[i] != QUIPU_KIND_leave) || batch->location[i] != location)
            break;
        if (i > *next && QUIPU__UNLIKELY(track->is_off || !set_time(m, batch->time[i], &call.timestamp)))
            break;
        call.region = region_of_call(m, track, is_enter, batch->object[i]);
        if (call.region == UNDEFINED)
            m->writer->output->dropped[batch->kind[i]]++;
        else
            status = quipu__otf2_put_record(
                m->writer, &track->out, is_enter ? QUIPU__OTF2_TYPE_ENTER : QUIPU__OTF2_TYPE_LEAVE, &call, err);
    }
    *next = track ? i : i + 1;
    return status != QUIPU_OK || track ? status : drop(m, batch->kind[i]);
}

static enum quipu_status begin_model(struct quipu__otf2_writer *writer, struct quipu_error *err) {
    model *m = writer->model = quipu__alloc_zero(writer->memory, sizeof *m);
    if (!m)
        return quipu__no_memory(err, sizeof *m);
    m->writer = writer;
    m->memory = writer->memory;
    m->definitions = writer->output->definitions;
    m->scale = m->definitions->clock.per_seconds > 1 ? (int64_t)m->definitions->clock.per_seconds : 1;
    m->ticks_most = INT64_MAX / m->scale;
    m->origin = m->definitions->clock.origin > 0 ? m->definitions->clock.origin : 0;
    quipu__scratch_init(&m->scratch, m->memory);
    quipu__arena_init(&m->arena, m->memory);
    quipu__map_init(&m->string_of, m->memory);
    quipu__map_init(&m->handle_of, m->memory);
    quipu__map_init(&m->members, m->memory);
    if (m->definitions->locations.count > MANY_LOCATIONS)
        writer->event_chunk = QUIPU__OTF2_SMALL_CHUNK;
    return quipu__otf2_begin_numbers(m) ? QUIPU_OK : quipu__no_memory(err, sizeof *m);
}

static enum quipu_status put_batch(struct quipu__otf2_writer *writer, const struct quipu_batch *batch,
                                   struct quipu_error *err) {
    enum quipu_status status = writer->model ? QUIPU_OK : begin_model(writer, err);
    uint32_t cursor = 0;
    struct quipu_event event;
    for (uint32_t i = 0; i < batch->count && status == QUIPU_OK;) {
        const bool is_call = batch->kind[i] == QUIPU_KIND_enter || batch->kind[i] == QUIPU_KIND_leave;
        while (cursor < batch->attribute_count && batch->attributes[cursor].event < i)
            cursor++;
        const uint32_t next_with_attributes =
            cursor < batch->attribute_count ? batch->attributes[cursor].event : batch->count;
        if (is_call && i < next_with_attributes) {
            status = put_calls(writer->model, batch, &i, next_with_attributes, err);
            continue;
        }
        writer->model->batch = batch;
        writer->model->event = i;
        quipu__batch_event(batch, i++, &cursor, &event);
        status = put_event(writer->model, &event, err);
    }
    return status;
}

/* ---- The whole ---- */

static enum quipu_status complete(struct quipu__otf2_writer *writer, struct quipu_error *err) {
    enum quipu_status status = writer->model ? QUIPU_OK : begin_model(writer, err);
    for (size_t i = 0; status == QUIPU_OK && i < writer->model->tracks.count; i++) {
        struct track *track = writer->model->tracks.items[i];
        if (track && track->is_off)
            status = switch_on(writer->model, track, err);
    }
    return status == QUIPU_OK ? quipu__otf2_put_definitions(writer->model, err) : status;
}

static void release_numbering(model *m, struct numbering *numbering) {
    QUIPU__VEC_RELEASE(m->memory, &numbering->tokens);
    QUIPU__VEC_RELEASE(m->memory, &numbering->numbers);
}

static void release(struct quipu__otf2_writer *writer) {
    model *m = writer->model;
    struct numbering *const numberings[] = {&m->regions, &m->comms, &m->windows, &m->files,   &m->metrics,
                                            &m->markers, &m->keys,  &m->sources, &m->contexts};
    for (size_t i = 0; i < m->tracks.count; i++)
        if (m->tracks.items[i]) {
            QUIPU__VEC_RELEASE(m->memory, &m->tracks.items[i]->calls);
            QUIPU__VEC_RELEASE(m->memory, &m->tracks.items[i]->operations);
        }
    for (size_t i = 0; i < sizeof numberings / sizeof *numberings; i++)
        release_numbering(m, numberings[i]);
    QUIPU__VEC_RELEASE(m->memory, &m->tracks);
    QUIPU__VEC_RELEASE(m->memory, &m->strings);
    QUIPU__VEC_RELEASE(m->memory, &m->handles);
    QUIPU__VEC_RELEASE(m->memory, &m->world);
    QUIPU__VEC_RELEASE(m->memory, &m->rank_of);
    QUIPU__VEC_RELEASE(m->memory, &m->group_is_mapped);
    QUIPU__VEC_RELEASE(m->memory, &m->operation_of);
    quipu__map_release(&m->string_of);
    quipu__map_release(&m->handle_of);
    quipu__map_release(&m->members);
    quipu__scratch_release(&m->scratch);
    quipu__arena_release(&m->arena);
    quipu__release(m->memory, m, sizeof *m);
    writer->model = NULL;
}

/* clang-format off */
#define C(name) QUIPU__COLUMN(name)
static const struct quipu__kind_capability kinds_written[] = {
    {QUIPU_KIND_enter, C(object)},
    {QUIPU_KIND_leave, C(object)},
    {QUIPU_KIND_send, C(peer) | C(group) | C(tag) | C(bytes) | C(id)},
    {QUIPU_KIND_recv, C(peer) | C(group) | C(tag) | C(bytes) | C(id)},
    {QUIPU_KIND_send_complete, C(id)},
    {QUIPU_KIND_recv_post, C(id)},
    {QUIPU_KIND_cancel, C(id)},
    {QUIPU_KIND_collective_begin, C(id)},
    {QUIPU_KIND_collective_end, C(operation) | C(peer) | C(group) | C(bytes) | C(value) | C(id)},
    {QUIPU_KIND_rma_begin, C(operation) | C(peer) | C(group) | C(bytes)},
    {QUIPU_KIND_rma_end, C(operation) | C(peer) | C(group) | C(bytes)},
    {QUIPU_KIND_io_open, C(object) | C(id) | C(operation)},
    {QUIPU_KIND_io_close, C(object) | C(id)},
    {QUIPU_KIND_io_begin, C(object) | C(operation) | C(tag) | C(bytes) | C(id)},
    {QUIPU_KIND_io_end, C(object) | C(operation) | C(tag) | C(bytes) | C(id)},
    {QUIPU_KIND_io_unlink, C(object)},
    {QUIPU_KIND_task_create, C(id)},
    {QUIPU_KIND_task_begin, C(id)},
    {QUIPU_KIND_task_pause, C(id)},
    {QUIPU_KIND_task_resume, C(id)},
    {QUIPU_KIND_task_end, C(id)},
    {QUIPU_KIND_location_begin, 0},
    {QUIPU_KIND_location_end, 0},
    {QUIPU_KIND_fork, 0},
    {QUIPU_KIND_join, 0},
    {QUIPU_KIND_metric, C(object) | C(value)},
    {QUIPU_KIND_marker, C(object) | C(value)},
    {QUIPU_KIND_note, C(value)},
    {QUIPU_KIND_gap, C(operation) | C(value)},
};
#undef C
/* clang-format on */

const struct quipu__otf2_modelling quipu__otf2_modelling = {
    .capabilities = {.kinds = kinds_written,
                     .kind_count = sizeof kinds_written / sizeof *kinds_written,
                     .definitions = ~(QUIPU__DEFINES(channels) | QUIPU__DEFINES(task_types)),
                     .attributes = true},
    .put_batch = put_batch,
    .complete = complete,
    .release = release};
