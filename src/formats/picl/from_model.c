/* from_model.c: events of any trace as records, in order of time, so that ParaGraph accepts the result: tracing begins at every
 * process with the first event and ends at the last one, and every send and receive says its other side.
 *
 * calls.c turns enters and leaves into entries and exits, whose data may be those of the events between them; this file hands every
 * event to it or makes its records. A message that no call of PICL's stands around becomes an entry and an exit at the same time. */
#include "formats/picl/figures.h"

#include "core/bounded.h"
#include "core/error.h"
#include "model/event.h"

#define COLUMN(name) QUIPU__COLUMN(name)

static const struct quipu__kind_capability kinds[] = {
    {QUIPU_KIND_enter, COLUMN(object)},
    {QUIPU_KIND_leave, COLUMN(object)},
    {QUIPU_KIND_send, COLUMN(peer) | COLUMN(tag) | COLUMN(bytes) | COLUMN(id)},
    {QUIPU_KIND_send_complete, COLUMN(id)},
    {QUIPU_KIND_recv_post, COLUMN(peer) | COLUMN(tag) | COLUMN(id)},
    {QUIPU_KIND_recv, COLUMN(peer) | COLUMN(tag) | COLUMN(bytes) | COLUMN(id)},
    {QUIPU_KIND_collective_begin, COLUMN(peer) | COLUMN(group) | COLUMN(bytes)},
    {QUIPU_KIND_collective_end, 0},
    {QUIPU_KIND_io_open, COLUMN(object) | COLUMN(id)},
    {QUIPU_KIND_io_close, COLUMN(id)},
    {QUIPU_KIND_io_begin, COLUMN(operation) | COLUMN(tag) | COLUMN(bytes)},
    {QUIPU_KIND_io_end, COLUMN(operation) | COLUMN(tag) | COLUMN(bytes)},
    {QUIPU_KIND_metric, COLUMN(value)},
    {QUIPU_KIND_marker, COLUMN(object)},
    {QUIPU_KIND_note, 0},
    {QUIPU_KIND_gap, COLUMN(operation)},
    {QUIPU_KIND_summary, COLUMN(operation) | COLUMN(object) | COLUMN(id) | COLUMN(value)},
};
const struct quipu__capabilities quipu__picl_capabilities = {
    .kinds = kinds,
    .kind_count = sizeof kinds / sizeof *kinds,
    .statistics = QUIPU__PICL_STATISTICS,
    .definitions =
        QUIPU__DEFINES(locations) | QUIPU__DEFINES(regions) | QUIPU__DEFINES(groups) | QUIPU__DEFINES(files)};

/* ---- Begin and end ---- */

static int64_t floor_second(const struct quipu__picl_from_model *from, int64_t time) {
    const int64_t second =
        (int64_t)(from->rate.ticks_per_second / (from->rate.per_seconds ? from->rate.per_seconds : 1));
    const int64_t rest = time % second;
    return quipu__bounded_difference(time - rest, rest < 0 ? second : 0);
}

static void begin(struct quipu__picl_from_model *from, int64_t time) {
    const int64_t second =
        (int64_t)(from->rate.ticks_per_second / (from->rate.per_seconds ? from->rate.per_seconds : 1));
    from->has_started = true;
    from->time = time;
    quipu__picl_put_header(from, quipu__bounded_difference(floor_second(from, time), second));
    for (uint32_t i = 0; !from->has_tracing && i < from->target_count; i++)
        quipu__picl_put_integers(from, i, QUIPU__PICL_ENTRY, QUIPU__PICL_TRACING, NULL, 0);
}

/* ---- Events with data ---- */

/* An entry and an exit at the same time. */
static void put_pair(struct quipu__picl_from_model *from, uint32_t target, const struct quipu_event *event,
                     int64_t number) {
    const struct quipu__picl_event *row = quipu__picl_event_of(number);
    int64_t values[QUIPU__PICL_FIELDS_MOST];
    uint32_t value_count = quipu__picl_fields_of(from, event, row->entry, values);
    quipu__picl_put_integers(from, target, QUIPU__PICL_ENTRY, number, values, value_count);
    value_count = quipu__picl_fields_of(from, event, row->exit, values);
    quipu__picl_put_integers(from, target, QUIPU__PICL_EXIT, number, values, value_count);
}

static void drop(struct quipu__picl_from_model *from, const struct quipu_event *event) {
    from->out->output->dropped[event->kind]++;
}

/* ParaGraph wants to know the other side of every message. */
static void put_send(struct quipu__picl_from_model *from, uint32_t target, const struct quipu_event *event) {
    if (!quipu__picl_has_peer(from, event)) {
        quipu__picl_put_held(from);
        drop(from, event);
        return;
    }
    if (quipu__picl_put_held_for(from, target, event, QUIPU__PICL_MAPPING_SEND) ||
        quipu__picl_put_held_for(from, target, event, QUIPU__PICL_MAPPING_SEND_BEGIN))
        return;
    quipu__picl_put_held(from);
    if (!quipu__picl_is_marked(from, target, QUIPU__PICL_MAPPING_SEND) &&
        !quipu__picl_is_marked(from, target, QUIPU__PICL_MAPPING_SEND_BEGIN))
        put_pair(from, target, event, event->id == QUIPU_UNKNOWN ? -21 : -27);
}

static void put_receive(struct quipu__picl_from_model *from, uint32_t target, const struct quipu_event *event) {
    if (!quipu__picl_has_peer(from, event))
        drop(from, event);
    else if (!quipu__picl_set_exit(from, target, event, QUIPU__PICL_MAPPING_RECEIVE) &&
             !quipu__picl_set_exit(from, target, event, QUIPU__PICL_MAPPING_RECEIVE_DONE))
        put_pair(from, target, event, event->id == QUIPU_UNKNOWN ? -52 : -61);
}

/* What a request says of itself, for traces whose calls do not. */
static void put_request(struct quipu__picl_from_model *from, uint32_t target, const struct quipu_event *event) {
    const bool is_post = event->kind == QUIPU_KIND_recv_post;
    if (is_post && quipu__picl_set_exit(from, target, event, QUIPU__PICL_MAPPING_POST))
        return;
    if (!from->is_native)
        put_pair(from, target, event, is_post ? -57 : -31);
}

/* An operation begins: of a call whose entry is written without its data, or for itself. */
static void begin_collective(struct quipu__picl_from_model *from, uint32_t target,
                             const struct quipu_event *event) {
    if (quipu__picl_is_active(from, target, QUIPU__PICL_MAPPING_COLLECTIVE)) {
        from->out->output->approximated[event->kind]++;
        return;
    }
    const struct quipu__picl_event *row =
        quipu__picl_event_of_collective((enum quipu_collective)event->operation);
    struct quipu__picl_active_collective *active =
        row ? QUIPU__VEC_ADD(from->memory, &from->targets[target].collectives) : NULL;
    int64_t values[QUIPU__PICL_FIELDS_MOST];
    if (!active) {
        drop(from, event);
        return;
    }
    *active = (struct quipu__picl_active_collective){row->number, event->id};
    const uint32_t value_count =
        quipu__picl_fields_of(from, event, quipu__picl_collective_entry(row, true), values);
    quipu__picl_put_integers(from, target, QUIPU__PICL_ENTRY, row->number, values, value_count);
}

static bool ends(const struct quipu__picl_active_collective *active, const struct quipu_event *event) {
    const struct quipu__picl_event *row =
        quipu__picl_event_of_collective((enum quipu_collective)event->operation);
    if (active->matching != QUIPU_UNKNOWN && event->id != QUIPU_UNKNOWN)
        return active->matching == event->id;
    return row && row->number == active->event;
}

/* The last operation that stands for itself and is the one that ends; false when there is none. */
static bool end_collective(struct quipu__picl_from_model *from, uint32_t target,
                           const struct quipu_event *event) {
    struct quipu__picl_target *process = &from->targets[target];
    struct quipu__picl_active_collective *active = process->collectives.items;
    int64_t values[QUIPU__PICL_FIELDS_MOST];
    size_t last = process->collectives.count;
    while (last > 0 && !ends(&active[last - 1], event))
        last--;
    if (last == 0)
        return false;
    const struct quipu__picl_event *row = quipu__picl_event_of(active[last - 1].event);
    memmove(&active[last - 1], &active[last], (process->collectives.count-- - last) * sizeof *active);
    const uint32_t value_count = quipu__picl_fields_of(from, event, row->exit, values);
    quipu__picl_put_integers(from, target, QUIPU__PICL_EXIT, row->number, values, value_count);
    return true;
}

static void put_collective(struct quipu__picl_from_model *from, uint32_t target,
                           const struct quipu_event *event) {
    if (event->kind == QUIPU_KIND_collective_begin && !from->is_native)
        begin_collective(from, target, event);
    else if (event->kind == QUIPU_KIND_collective_end && !end_collective(from, target, event) &&
             !quipu__picl_set_exit(from, target, event, QUIPU__PICL_MAPPING_COLLECTIVE) && !from->is_native)
        drop(from, event);
}

static void put_file_name(struct quipu__picl_from_model *from, uint32_t target,
                          const struct quipu_event *event) {
    const struct quipu_files *files = &from->definitions->files;
    const char *name = event->object < files->count ? files->items[event->object].name : "";
    const struct quipu_value text = {.type = QUIPU_VALUE_STRING, .size = (uint32_t)strlen(name), .data = name};
    int64_t values[QUIPU__PICL_FIELDS_MOST];
    if (text.size > 0)
        quipu__picl_put_value(from, target, QUIPU__PICL_ENTRY, -201, &text);
    else
        quipu__picl_put_integers(from, target, QUIPU__PICL_ENTRY, -201, NULL, 0);
    const uint32_t value_count = quipu__picl_fields_of(from, event, quipu__picl_event_of(-201)->exit, values);
    quipu__picl_put_integers(from, target, QUIPU__PICL_EXIT, -201, values, value_count);
}

static void put_transfer(struct quipu__picl_from_model *from, uint32_t target,
                         const struct quipu_event *event) {
    const bool is_read = event->operation == QUIPU_IO_READ, is_begin = event->kind == QUIPU_KIND_io_begin;
    const struct quipu__picl_event *row = quipu__picl_event_of(is_read ? -251 : -221);
    int64_t values[QUIPU__PICL_FIELDS_MOST];
    if (!is_read && event->operation != QUIPU_IO_WRITE) {
        drop(from, event);
        return;
    }
    if (!is_begin && from->is_native) {
        quipu__picl_set_exit(from, target, event, row->mapping);
        return;
    }
    uint64_t *active = is_read ? &from->targets[target].reads : &from->targets[target].writes;
    if (!is_begin && *active == 0) {
        put_pair(from, target, event, row->number);
        return;
    }
    *active += is_begin ? 1 : UINT64_MAX;
    const uint32_t value_count = quipu__picl_fields_of(from, event, is_begin ? row->entry : row->exit, values);
    quipu__picl_put_integers(from, target, is_begin ? QUIPU__PICL_ENTRY : QUIPU__PICL_EXIT, row->number, values,
                             value_count);
}

/* A set of processes is one side of an inter-communicator: that there is another one is not said. */
static void note_other_side(const struct quipu__picl_from_model *from, const struct quipu_event *event) {
    const struct quipu_groups *groups = &from->definitions->groups;
    if (event->group < groups->count && groups->items[event->group].remote_members)
        from->out->output->approximated[event->kind]++;
}

/* Events that the entry or exit of a call of PICL's own can have the data of. */
static bool put_data(struct quipu__picl_from_model *from, uint32_t target, const struct quipu_event *event) {
    switch (event->kind) {
    case QUIPU_KIND_collective_begin:
        note_other_side(from, event);
        return quipu__picl_put_held_for(from, target, event, QUIPU__PICL_MAPPING_COLLECTIVE);
    case QUIPU_KIND_io_begin:
        return quipu__picl_put_held_for(from, target, event, QUIPU__PICL_MAPPING_FILE_WRITE) ||
               quipu__picl_put_held_for(from, target, event, QUIPU__PICL_MAPPING_FILE_READ);
    case QUIPU_KIND_io_close:
        return quipu__picl_put_held_for(from, target, event, QUIPU__PICL_MAPPING_FILE_CLOSE);
    default:
        return false;
    }
}

/* ---- Values and texts ---- */

static const struct quipu_value *text_of(const struct quipu_event *event) {
    for (uint32_t i = 0; i < event->attribute_count; i++)
        if (event->attributes[i].value.key == QUIPU_KEY_TEXT)
            return &event->attributes[i].value;
    return NULL;
}

static int64_t attribute_or(const struct quipu__picl_from_model *from, const struct quipu_event *event,
                            const char *name, int64_t otherwise) {
    const struct quipu_value *value = quipu__picl_find_attribute(from, event, name);
    return value ? value->i : otherwise;
}

static void put_note(struct quipu__picl_from_model *from, uint32_t target, const struct quipu_event *event) {
    const struct quipu_value *text = text_of(event);
    if (text && text->size > 0)
        quipu__picl_put_value(from, target, QUIPU__PICL_MESSAGE, attribute_or(from, event, "event_type", -911),
                              text);
}

/* Data of a user's record, all of one type: what attributes of the event say, or its text. */
static uint32_t data_of(const struct quipu__picl_from_model *from, const struct quipu_event *event,
                        struct quipu_value values[QUIPU__PICL_FIELDS_MOST]) {
    uint32_t value_count = 0;
    for (uint32_t i = 0; i < event->attribute_count && value_count < QUIPU__PICL_FIELDS_MOST; i++) {
        const struct quipu_value *value = &event->attributes[i].value;
        const bool is_data =
            value->key == QUIPU_KEY_TEXT
                ? !from->is_native
                : from->is_native && quipu__picl_data_index(quipu__picl_key_name(from, value->key), NULL) >= 0;
        if (is_data && (value_count == 0 || value->type == values[0].type))
            values[value_count++] = *value;
    }
    return value_count;
}

static void put_marker(struct quipu__picl_from_model *from, uint32_t target, const struct quipu_event *event) {
    const struct quipu_markers *markers = &from->definitions->markers;
    int64_t record_type = event->object < markers->count ? event->object : 0;
    if (from->is_native && event->object < markers->count)
        record_type = (int64_t)markers->items[event->object].native_id;
    const int64_t number = attribute_or(from, event, "event_type", QUIPU__PICL_ALL);
    struct quipu_value values[QUIPU__PICL_FIELDS_MOST];
    const uint32_t value_count = data_of(from, event, values);
    if (value_count > 0 && (values[0].type != QUIPU_VALUE_STRING || values[0].size > 0))
        quipu__picl_put_values(from, target, record_type, number, values, value_count);
    else
        quipu__picl_put_integers(from, target, record_type, number, NULL, 0);
}

static void put_metric(struct quipu__picl_from_model *from, uint32_t target, const struct quipu_event *event) {
    const struct quipu_metrics *metrics = &from->definitions->metrics;
    struct quipu_value value = {.type = QUIPU_VALUE_I64, .i = (int64_t)event->value};
    if (event->object < metrics->count && metrics->items[event->object].value == QUIPU_METRIC_F64) {
        value.type = QUIPU_VALUE_F64;
        memcpy(&value.f, &event->value, sizeof value.f);
    }
    quipu__picl_put_value(from, target, (int64_t)from->definitions->markers.count + event->object,
                          QUIPU__PICL_ALL, &value);
}

/* ---- All of them ---- */

/* An event that stands for itself. */
static void put_alone(struct quipu__picl_from_model *from, uint32_t target, const struct quipu_event *event) {
    switch (event->kind) {
    case QUIPU_KIND_recv:
        put_receive(from, target, event);
        break;
    case QUIPU_KIND_recv_post:
    case QUIPU_KIND_send_complete:
        put_request(from, target, event);
        break;
    case QUIPU_KIND_collective_begin:
    case QUIPU_KIND_collective_end:
        put_collective(from, target, event);
        break;
    case QUIPU_KIND_io_open:
        if (!quipu__picl_set_exit(from, target, event, QUIPU__PICL_MAPPING_FILE_OPEN))
            put_file_name(from, target, event);
        break;
    case QUIPU_KIND_io_close:
        put_pair(from, target, event, -202);
        break;
    case QUIPU_KIND_io_begin:
    case QUIPU_KIND_io_end:
        put_transfer(from, target, event);
        break;
    case QUIPU_KIND_metric:
        put_metric(from, target, event);
        break;
    case QUIPU_KIND_marker:
        put_marker(from, target, event);
        break;
    case QUIPU_KIND_note:
        put_note(from, target, event);
        break;
    case QUIPU_KIND_gap:
        if (!from->is_native)
            quipu__picl_put_integers(from, target, QUIPU__PICL_MARK, -913, NULL, 0);
        break;
    case QUIPU_KIND_leave:
        quipu__picl_put_leave(from, target, event);
        break;
    default:
        break;
    }
}

/* Records are in the order of their times (W17, and ParaGraph's requirement). Events of a trace whose times go back keep their
 * order, which their nesting depends on: they get the latest time so far. */
static void forbid_going_back(const struct quipu__picl_from_model *from, struct quipu_event *event) {
    if (!from->has_started || event->time >= from->time)
        return;
    event->time = from->time;
    from->out->output->approximated[event->kind]++;
}

static void put_one(struct quipu__picl_from_model *from, struct quipu_event *event) {
    const uint32_t target =
        event->location < from->location_count ? from->target_of[event->location] : QUIPU_NONE;
    if (target == QUIPU_NONE) {
        drop(from, event);
        return;
    }
    forbid_going_back(from, event);
    if (!from->has_started)
        begin(from, event->time);
    if (event->kind == QUIPU_KIND_summary) {
        if (!quipu__picl_take_figure(from, target, event))
            drop(from, event);
        return;
    }
    from->time = event->time;
    if (from->targets[target].figures.count > 0 && from->targets[target].figures_time < event->time)
        quipu__picl_put_figures(from, target);
    from->targets[target].has_events = true;
    if (event->kind == QUIPU_KIND_send) {
        put_send(from, target, event);
        return;
    }
    if (put_data(from, target, event))
        return;
    quipu__picl_put_held(from);
    if (event->kind == QUIPU_KIND_enter)
        quipu__picl_hold_enter(from, target, event);
    else
        put_alone(from, target, event);
}

static enum quipu_status start(struct quipu__picl_output *out, struct quipu_error *err) {
    struct quipu__picl_from_model *from = quipu__alloc_zero(out->output->memory, sizeof *from);
    out->from_model = from;
    if (!from)
        return quipu__no_memory(err, sizeof *from);
    from->out = out;
    from->memory = out->output->memory;
    from->definitions = out->output->definitions;
    quipu__buffer_init(&from->held.text, from->memory, 0);
    return quipu__picl_take_definitions(from, err);
}

enum quipu_status quipu__picl_put_batch(struct quipu__output_trace *output, const struct quipu_batch *batch,
                                        struct quipu_error *err) {
    struct quipu__picl_output *out = output->own;
    enum quipu_status status = out->from_model ? QUIPU_OK : start(out, err);
    uint32_t attribute = 0;
    for (uint32_t i = 0; status == QUIPU_OK && i < batch->count; i++) {
        struct quipu_event event;
        quipu__batch_event(batch, i, &attribute, &event);
        put_one(out->from_model, &event);
        status = quipu__picl_flush(out, false, err);
    }
    return status;
}

/* The end of tracing. What is still under way, as in a program that was killed, has no exit: an entry without one is what PICL has for that
 * (rule W13). */
static void end_target(struct quipu__picl_from_model *from, uint32_t number) {
    if (!from->has_tracing)
        quipu__picl_put_integers(from, number, QUIPU__PICL_EXIT, QUIPU__PICL_TRACING, NULL, 0);
}

/* Statistics of the whole are those of the events that are written; of a process without any, what the trace says. */
static void put_statistics(struct quipu__picl_from_model *from, uint32_t number) {
    const struct quipu__picl_target *target = &from->targets[number];
    if (target->figures.count > 0 && !target->has_events)
        quipu__picl_put_figures(from, number);
    else if (target->is_written)
        quipu__picl_put_statistics(from, number);
}

enum quipu_status quipu__picl_end_events(struct quipu__output_trace *output, struct quipu_error *err) {
    struct quipu__picl_output *out = output->own;
    struct quipu__picl_from_model *from = out->from_model;
    enum quipu_status status = QUIPU_OK;
    if (!from)
        return QUIPU_OK;
    quipu__picl_put_held(from);
    for (uint32_t i = 0; from->has_started && i < from->target_count; i++)
        end_target(from, i);
    for (uint32_t i = 0; status == QUIPU_OK && i < from->target_count; i++) {
        put_statistics(from, i);
        status = quipu__picl_flush(out, false, err);
    }
    return status;
}

void quipu__picl_free_from_model(struct quipu__picl_output *out) {
    struct quipu__picl_from_model *from = out->from_model;
    if (!from)
        return;
    for (uint32_t i = 0; from->targets && i < from->target_count; i++) {
        QUIPU__VEC_RELEASE(from->memory, &from->targets[i].calls);
        QUIPU__VEC_RELEASE(from->memory, &from->targets[i].figures);
        QUIPU__VEC_RELEASE(from->memory, &from->targets[i].collectives);
        quipu__picl_statistics_release(&from->targets[i].statistics);
    }
    const size_t locations = from->location_count + (size_t)1;
    quipu__release(from->memory, from->targets, from->targets ? locations * sizeof *from->targets : 0);
    quipu__release(from->memory, from->target_of, from->target_of ? locations * sizeof *from->target_of : 0);
    quipu__release(from->memory, from->regions,
                   from->regions ? (from->region_count + (size_t)1) * sizeof *from->regions : 0);
    quipu__buffer_release(&from->held.text);
    quipu__release(from->memory, from, sizeof *from);
    out->from_model = NULL;
}
