/* from_model.c: events of any trace as records, in order of time, so that ParaGraph accepts the result: tracing begins at every
 * process with the first event and ends at the last one, and every send and receive says its other side.
 *
 * calls.c turns enters and leaves into entries and exits, whose data may be those of the events between them; this file hands every
 * event to it or makes its records. A message that no call of PICL's stands around becomes an entry and an exit at the same time. */
#include "formats/picl/from_model.h"

#include "core/bounded.h"
#include "core/error.h"
#include "formats/picl/figures.h"
#include "model/event.h"
#include "state/tracker.h"

#include <math.h>

/* ==== Calls ==== */

/* One event as one record: who and when, which fields of the event and which of its attributes are its data; and calls of any trace as
 * entries and exits. Which events make which other records is not decided here.
 *
 * The data of an entry are often those of the event after the enter (the send inside MPI_Send), so an enter is held until that event is
 * seen. The data of an exit are collected until the leave. */

/* ---- Records ---- */

static struct quipu__picl_record record_at(const struct quipu__picl_from_model *from, uint32_t target,
                                           int64_t record_type, int64_t event, int64_t time) {
    return (struct quipu__picl_record){
        .record_type = record_type,
        .event_type = event,
        .processor = from->targets[target].processor,
        .process = from->targets[target].process,
        .time = quipu__picl_seconds_of(time, &from->rate, from->out->decimals),
        .is_fast = true,
    };
}

static void count(struct quipu__picl_from_model *from, uint32_t target,
                  const struct quipu__picl_record *record) {
    struct quipu__picl_statistics *statistics = &from->targets[target].statistics;
    const int64_t volume = quipu__picl_volume_of(record, quipu__picl_event_of(record->event_type));
    if (record->record_type == QUIPU__PICL_ENTRY)
        quipu__picl_count_entry(statistics, record->event_type, from->time, volume, 0, 0);
    else if (record->record_type == QUIPU__PICL_EXIT)
        quipu__picl_count_exit(statistics, record->event_type, from->time, volume);
    else if (record->record_type == QUIPU__PICL_MARK)
        quipu__picl_count_mark(statistics, record->event_type, volume);
}

static void put_event(struct quipu__picl_from_model *from, uint32_t target, struct quipu__picl_record *record) {
    count(from, target, record);
    quipu__picl_encode_record(from->out, record);
    from->targets[target].is_written = true;
}

/* Writes a record at the time of the last event and counts it: integers, as many as fit into a record. */
static void put_integers(struct quipu__picl_from_model *from, uint32_t target, int64_t record_type,
                         int64_t event, const int64_t *values, uint32_t value_count) {
    struct quipu__picl_record record = record_at(from, target, record_type, event, from->time);
    for (uint32_t i = 0; i < value_count && i < QUIPU__PICL_FIELDS_MOST; i++)
        record.integers[record.value_count++] = values[i];
    record.count = record.value_count;
    put_event(from, target, &record);
}

/* The same for one text, or values of one type: at least one. */
static void put_values(struct quipu__picl_from_model *from, uint32_t target, int64_t record_type, int64_t event,
                       const struct quipu_value *values, uint32_t value_count) {
    const bool is_text = values[0].type == QUIPU_VALUE_STRING;
    struct quipu__picl_record record = record_at(from, target, record_type, event, from->time);
    record.is_fast = false;
    record.values = values;
    record.value_count = is_text ? 1 : value_count;
    record.count = is_text ? values[0].size : value_count;
    record.descriptor.type = QUIPU_VALUE_I64;
    record.descriptor.i = values[0].type == QUIPU_VALUE_F64 ? QUIPU__PICL_DOUBLES : QUIPU__PICL_INTEGERS;
    if (is_text)
        record.descriptor.i = QUIPU__PICL_CHARACTERS;
    put_event(from, target, &record);
}

static void put_value(struct quipu__picl_from_model *from, uint32_t target, int64_t record_type, int64_t event,
                      const struct quipu_value *value) {
    put_values(from, target, record_type, event, value, 1);
}

/* ---- Fields ---- */

static int64_t id_of(const struct quipu_event *event) {
    return event->id > INT64_MAX ? -1 : (int64_t)event->id;
}

/* Whether an event names its other side. */
static bool has_peer(const struct quipu__picl_from_model *from, const struct quipu_event *event) {
    return event->peer < from->location_count && from->target_of[event->peer] != QUIPU_NONE;
}

/* What an event of the model says for a field with a meaning; -1 for what it does not. */
static int64_t field_of(const struct quipu__picl_from_model *from, const struct quipu_event *event,
                        enum quipu__picl_meaning meaning) {
    const bool is_transfer = event->kind == QUIPU_KIND_io_begin || event->kind == QUIPU_KIND_io_end;
    switch (meaning) {
    case QUIPU__PICL_BYTES:
        return event->bytes > INT64_MAX ? -1 : (int64_t)event->bytes;
    case QUIPU__PICL_TAG:
        return event->tag;
    case QUIPU__PICL_PROCESSOR:
    case QUIPU__PICL_ROOT:
        return has_peer(from, event) ? from->targets[from->target_of[event->peer]].processor : -1;
    case QUIPU__PICL_PROCESS:
        return has_peer(from, event) ? from->targets[from->target_of[event->peer]].process : -1;
    case QUIPU__PICL_REQUEST:
        return id_of(event);
    case QUIPU__PICL_HANDLE:
        return is_transfer ? event->tag : id_of(event);
    case QUIPU__PICL_GROUP:
        return quipu__picl_subset_of(from, event->group);
    case QUIPU__PICL_NUMBER:
    case QUIPU__PICL_TEXT:
        break;
    }
    return -1;
}

/* The fields of a layout as an event of the model has them, as many as PICL writes; -1 for what it does not have. */
static uint32_t fields_of(const struct quipu__picl_from_model *from, const struct quipu_event *event,
                          const struct quipu__picl_layout *layout, int64_t values[QUIPU__PICL_FIELDS_MOST]) {
    const bool is_of_some = layout->reduced == 0 && layout->count == 2 &&
                            event->group < from->definitions->groups.count &&
                            quipu__picl_subset_of(from, event->group) != QUIPU__PICL_ALL;
    const bool is_posted_for_one = event->kind == QUIPU_KIND_recv_post && has_peer(from, event);
    const int wanted = is_of_some || is_posted_for_one ? layout->count : layout->reduced;
    for (int i = 0; i < wanted; i++)
        values[i] = field_of(from, event, layout->fields[i].meaning);
    if (is_of_some)
        values[0] = QUIPU__PICL_ALL;
    return (uint32_t)wanted;
}

/* ---- Attributes ---- */

/* The name of an attribute's key; "" for one that is not defined. */
static const char *key_name(const struct quipu__picl_from_model *from, uint32_t key) {
    return key < from->key_count ? from->definitions->attribute_keys.items[key].name : "";
}

/* Which of the data an attribute is: by the name of the field of a layout, or without one data1 and so on. -1 for none. */
static int data_index(const char *name, const struct quipu__picl_layout *layout) {
    for (int i = 0; layout && i < layout->count; i++)
        if (strcmp(layout->fields[i].name, name) == 0)
            return i;
    if (layout || strncmp(name, "data", 4) != 0 || name[4] < '1' || name[4] > '8' || name[5])
        return -1;
    return name[4] - '1';
}

/* The integers that attributes of a PICL trace's event have for a layout, or for data1 and so on where it is NULL; -1 between them. */
static uint32_t attributes_of(const struct quipu__picl_from_model *from, const struct quipu_event *event,
                              const struct quipu__picl_layout *layout,
                              int64_t values[QUIPU__PICL_FIELDS_MOST]) {
    uint32_t value_count = 0;
    for (uint32_t i = 0; from->is_native && i < event->attribute_count; i++) {
        const struct quipu_value *value = &event->attributes[i].value;
        const int index = data_index(key_name(from, value->key), layout);
        if (index < 0 || index >= QUIPU__PICL_FIELDS_MOST || value->type != QUIPU_VALUE_I64)
            continue;
        for (; value_count < (uint32_t)index; value_count++)
            values[value_count] = -1;
        values[index] = value->i;
        value_count = value_count > (uint32_t)index ? value_count : (uint32_t)index + 1;
    }
    return value_count;
}

/* The attribute of that name of a PICL trace's event, or NULL. */
static const struct quipu_value *find_attribute(const struct quipu__picl_from_model *from,
                                                const struct quipu_event *event, const char *name) {
    for (uint32_t i = 0; from->is_native && i < event->attribute_count; i++)
        if (strcmp(key_name(from, event->attributes[i].value.key), name) == 0)
            return &event->attributes[i].value;
    return NULL;
}

/* ---- Calls ---- */

static struct quipu__picl_call *push_call(struct quipu__picl_from_model *from, uint32_t target, uint32_t region,
                                          int64_t event, bool is_mark) {
    struct quipu__picl_call *call = QUIPU__VEC_ADD(from->memory, &from->targets[target].calls);
    if (!call)
        return NULL;
    call->region = region;
    call->event = event;
    call->row = quipu__picl_event_of(event);
    call->user_event = event == from->regions[region].user_event ? -1 : from->regions[region].user_event;
    call->is_mark = is_mark;
    return call;
}

/* The outermost call that is looked at. */
static size_t look_out(const struct quipu__picl_target *target) {
    const size_t count = target->calls.count;
    return count > QUIPU__LOOK_OUT_MOST ? count - QUIPU__LOOK_OUT_MOST : 0;
}

/* The last call of a region, or the last of all when it is not known; -1 for none. */
static int64_t find_call(const struct quipu__picl_target *target, uint32_t region) {
    for (size_t i = target->calls.count; i-- > look_out(target);)
        if (region == QUIPU_NONE || target->calls.items[i].region == region)
            return (int64_t)i;
    return -1;
}

/* The innermost call of an event with such a mapping that has no exit data yet. */
static struct quipu__picl_call *open_call(struct quipu__picl_from_model *from, uint32_t target,
                                          enum quipu__picl_mapping mapping) {
    struct quipu__picl_target *process = &from->targets[target];
    for (size_t i = process->calls.count; i-- > look_out(process);) {
        struct quipu__picl_call *call = &process->calls.items[i];
        if (call->row && call->row->mapping == mapping && call->exit_count == 0)
            return call;
    }
    return NULL;
}

static void put_entry(struct quipu__picl_from_model *from, int64_t event, const int64_t *values,
                      uint32_t value_count) {
    struct quipu__picl_held *held = &from->held;
    const int64_t record_type = held->is_mark ? QUIPU__PICL_MARK : QUIPU__PICL_ENTRY;
    const int64_t time = from->time;
    const int64_t user_event = from->regions[held->region].user_event;
    held->is_held = false;
    from->time = held->time;
    if (user_event >= 0)
        put_integers(from, held->target, QUIPU__PICL_ENTRY, user_event, NULL, 0);
    if (held->has_text) {
        const struct quipu_value text = {.type = QUIPU_VALUE_STRING,
                                         .size = (uint32_t)held->text.len,
                                         .data = (const char *)held->text.data};
        put_value(from, held->target, record_type, event, &text);
    } else if (event != user_event) {
        put_integers(from, held->target, record_type, event, values, value_count);
    }
    quipu__gate_knows(push_call(from, held->target, held->region, event, held->is_mark) != NULL);
    from->time = time;
}

/* A call that may do something else: a send without a message. */
static bool may_differ(const struct quipu__picl_event *row) {
    return !row || quipu__picl_sends(row->mapping);
}

/* Writes the held entry, if any: no later event belongs to it. */
static void put_held(struct quipu__picl_from_model *from) {
    const struct quipu__picl_held *held = &from->held;
    if (!held->is_held)
        return;
    const struct quipu__picl_source_region *region = &from->regions[held->region];
    const bool is_alone = !from->is_native && may_differ(region->row);
    put_entry(from, is_alone ? region->user_event : region->event, held->values, held->value_count);
}

static void hold_text(struct quipu__picl_from_model *from, const struct quipu_event *event) {
    struct quipu__picl_held *held = &from->held;
    held->has_text = false;
    for (uint32_t i = 0; from->is_native && i < event->attribute_count; i++) {
        const struct quipu_value *value = &event->attributes[i].value;
        if (value->type != QUIPU_VALUE_STRING || value->key == QUIPU_KEY_TEXT)
            continue;
        held->text.len = 0;
        quipu__put(&held->text, value->data, value->size);
        held->has_text = value->size > 0;
        return;
    }
}

/* The data of a mark are those of the entry and then those of the exit. */
static void add_exit_fields(const struct quipu__picl_from_model *from, const struct quipu_event *event,
                            const struct quipu__picl_event *row, struct quipu__picl_held *held) {
    int64_t values[QUIPU__PICL_FIELDS_MOST];
    const uint32_t value_count = attributes_of(from, event, row->exit, values);
    for (; value_count > 0 && held->value_count < (uint32_t)row->entry->count; held->value_count++)
        held->values[held->value_count] = -1;
    for (uint32_t i = 0; i < value_count && held->value_count < QUIPU__PICL_FIELDS_MOST; i++)
        held->values[held->value_count++] = values[i];
}

/* Holds an enter until the next event. */
static void hold_enter(struct quipu__picl_from_model *from, uint32_t target, const struct quipu_event *event) {
    struct quipu__picl_held *held = &from->held;
    if (event->object >= from->region_count)
        return;
    const struct quipu__picl_event *row = from->regions[event->object].row;
    held->is_held = true;
    held->is_mark = find_attribute(from, event, "mark") != NULL;
    held->region = event->object;
    held->target = target;
    held->time = event->time;
    held->value_count = attributes_of(from, event, row ? row->entry : NULL, held->values);
    if (held->is_mark && row)
        add_exit_fields(from, event, row, held);
    hold_text(from, event);
}

/* The exit of what a call does, and its own. */
static void put_exit(struct quipu__picl_from_model *from, uint32_t target,
                     const struct quipu__picl_call *call) {
    put_integers(from, target, QUIPU__PICL_EXIT, call->event, call->exit_values, call->exit_count);
    if (call->user_event >= 0)
        put_integers(from, target, QUIPU__PICL_EXIT, call->user_event, NULL, 0);
}

/* Writes the exit of a leave. */
static void put_leave(struct quipu__picl_from_model *from, uint32_t number, const struct quipu_event *event) {
    struct quipu__picl_target *target = &from->targets[number];
    const int64_t index = find_call(target, event->object);
    if (index < 0)
        return;
    struct quipu__picl_call call = target->calls.items[index];
    memmove(&target->calls.items[index], &target->calls.items[index + 1],
            (target->calls.count - (size_t)index - 1) * sizeof call);
    target->calls.count--;
    if (call.is_mark)
        return;
    const struct quipu__picl_layout *layout = call.row ? call.row->exit : NULL;
    if (call.exit_count == 0)
        call.exit_count = attributes_of(from, event, layout, call.exit_values);
    put_exit(from, number, &call);
}

/* Whether the enter that is held is the call that an event belongs to. */
static bool is_held_for(const struct quipu__picl_from_model *from, uint32_t target,
                        enum quipu__picl_mapping mapping) {
    const struct quipu__picl_held *held = &from->held;
    if (!held->is_held || held->is_mark || held->target != target)
        return false;
    const struct quipu__picl_event *row = from->regions[held->region].row;
    return row && row->mapping == mapping;
}

/* The request that a send begins: its exit names it, as attributes of the leave do in traces of PICL. */
static void set_request(struct quipu__picl_from_model *from, uint32_t target, const struct quipu_event *event) {
    const size_t active = from->targets[target].calls.count;
    struct quipu__picl_call *call = active > 0 ? &from->targets[target].calls.items[active - 1] : NULL;
    if (call && !from->is_native && event->id != QUIPU_UNKNOWN)
        call->exit_count = fields_of(from, event, quipu__picl_send_exit(call->row, true), call->exit_values);
}

/* Writes the held entry with the data of the event after it. False when the entry does not have that mapping. */
static bool put_held_for(struct quipu__picl_from_model *from, uint32_t target, const struct quipu_event *event,
                         enum quipu__picl_mapping mapping) {
    int64_t values[QUIPU__PICL_FIELDS_MOST];
    if (!is_held_for(from, target, mapping))
        return false;
    const struct quipu__picl_event *row = from->regions[from->held.region].row;
    const struct quipu__picl_layout *layout = mapping == QUIPU__PICL_MAPPING_COLLECTIVE
                                                  ? quipu__picl_collective_entry(row, !from->is_native)
                                                  : row->entry;
    const uint32_t value_count = fields_of(from, event, layout, values);
    put_entry(from, row->number, values, value_count);
    if (mapping == QUIPU__PICL_MAPPING_SEND_BEGIN)
        set_request(from, target, event);
    return true;
}

/* Whether the current call is a mark with that mapping, which is already complete. */
static bool is_marked(const struct quipu__picl_from_model *from, uint32_t target,
                      enum quipu__picl_mapping mapping) {
    const struct quipu__picl_target *process = &from->targets[target];
    const struct quipu__picl_call *call =
        process->calls.count > 0 ? &process->calls.items[process->calls.count - 1] : NULL;
    return call && call->is_mark && call->row && call->row->mapping == mapping;
}

/* Whether a call of such a mapping is active that has no data of its exit yet. */
static bool is_active(struct quipu__picl_from_model *from, uint32_t target, enum quipu__picl_mapping mapping) {
    return open_call(from, target, mapping) != NULL;
}

/* Collects the data of the exit of the innermost active call of such a mapping that has none yet. False without such a call. */
static bool set_exit(struct quipu__picl_from_model *from, uint32_t target, const struct quipu_event *event,
                     enum quipu__picl_mapping mapping) {
    struct quipu__picl_call *call = open_call(from, target, mapping);
    if (!call)
        return false;
    call->exit_count = fields_of(from, event, call->row->exit, call->exit_values);
    return true;
}

/* ==== Events ==== */

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
        put_integers(from, i, QUIPU__PICL_ENTRY, QUIPU__PICL_TRACING, NULL, 0);
}

/* ---- Events with data ---- */

/* An entry and an exit at the same time. */
static void put_pair(struct quipu__picl_from_model *from, uint32_t target, const struct quipu_event *event,
                     int64_t number) {
    const struct quipu__picl_event *row = quipu__picl_event_of(number);
    int64_t values[QUIPU__PICL_FIELDS_MOST];
    uint32_t value_count = fields_of(from, event, row->entry, values);
    put_integers(from, target, QUIPU__PICL_ENTRY, number, values, value_count);
    value_count = fields_of(from, event, row->exit, values);
    put_integers(from, target, QUIPU__PICL_EXIT, number, values, value_count);
}

static void drop(struct quipu__picl_from_model *from, const struct quipu_event *event) {
    from->out->output->dropped[event->kind]++;
}

/* Between threads of one process, which writes to itself then. */
static void count_own(struct quipu__picl_from_model *from, uint32_t target, const struct quipu_event *event) {
    from->out->output->approximated[event->kind] +=
        from->target_of[event->peer] == target && event->peer != event->location;
}

/* ParaGraph needs the other side of every message. */
static void put_send(struct quipu__picl_from_model *from, uint32_t target, const struct quipu_event *event) {
    if (!has_peer(from, event)) {
        put_held(from);
        drop(from, event);
        return;
    }
    count_own(from, target, event);
    if (put_held_for(from, target, event, QUIPU__PICL_MAPPING_SEND) ||
        put_held_for(from, target, event, QUIPU__PICL_MAPPING_SEND_BEGIN))
        return;
    put_held(from);
    if (!is_marked(from, target, QUIPU__PICL_MAPPING_SEND) &&
        !is_marked(from, target, QUIPU__PICL_MAPPING_SEND_BEGIN))
        put_pair(from, target, event, event->id == QUIPU_UNKNOWN ? -21 : -27);
}

static void put_receive(struct quipu__picl_from_model *from, uint32_t target, const struct quipu_event *event) {
    if (!has_peer(from, event)) {
        drop(from, event);
        return;
    }
    count_own(from, target, event);
    if (!set_exit(from, target, event, QUIPU__PICL_MAPPING_RECEIVE) &&
        !set_exit(from, target, event, QUIPU__PICL_MAPPING_RECEIVE_DONE))
        put_pair(from, target, event, event->id == QUIPU_UNKNOWN ? -52 : -61);
}

/* What a request says of itself, for traces whose calls do not. */
static void put_request(struct quipu__picl_from_model *from, uint32_t target, const struct quipu_event *event) {
    const bool is_post = event->kind == QUIPU_KIND_recv_post;
    if (is_post && set_exit(from, target, event, QUIPU__PICL_MAPPING_POST))
        return;
    if (!from->is_native)
        put_pair(from, target, event, is_post ? -57 : -31);
    else if (is_post || !is_active(from, target, QUIPU__PICL_MAPPING_SEND_DONE))
        drop(from, event); /* its call was left out, which would say it */
}

/* An operation begins: of a call whose entry is written without its data, or for itself. Those of PICL's own are their calls. */
static void begin_collective(struct quipu__picl_from_model *from, uint32_t target,
                             const struct quipu_event *event) {
    if (is_active(from, target, QUIPU__PICL_MAPPING_COLLECTIVE)) {
        from->out->output->approximated[event->kind]++;
        return;
    }
    const struct quipu__picl_event *row =
        from->is_native ? NULL : quipu__picl_event_of_collective((enum quipu_collective)event->operation);
    struct quipu__picl_active_collective *active =
        row ? QUIPU__VEC_ADD(from->memory, &from->targets[target].collectives) : NULL;
    int64_t values[QUIPU__PICL_FIELDS_MOST];
    if (!active) {
        drop(from, event);
        return;
    }
    *active = (struct quipu__picl_active_collective){row->number, event->id};
    const uint32_t value_count = fields_of(from, event, quipu__picl_collective_entry(row, true), values);
    put_integers(from, target, QUIPU__PICL_ENTRY, row->number, values, value_count);
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
    const uint32_t value_count = fields_of(from, event, row->exit, values);
    put_integers(from, target, QUIPU__PICL_EXIT, row->number, values, value_count);
    return true;
}

/* What a call does together with others without communicating is said by its name: PICL has nothing else to say of it. */
static void put_collective(struct quipu__picl_from_model *from, uint32_t target,
                           const struct quipu_event *event) {
    if (event->operation == QUIPU_COLLECTIVE_OTHER && from->targets[target].calls.count > 0)
        return;
    if (event->kind == QUIPU_KIND_collective_begin)
        begin_collective(from, target, event);
    else if (!end_collective(from, target, event) &&
             !set_exit(from, target, event, QUIPU__PICL_MAPPING_COLLECTIVE))
        drop(from, event);
}

static void put_file_name(struct quipu__picl_from_model *from, uint32_t target,
                          const struct quipu_event *event) {
    const struct quipu_files *files = &from->definitions->files;
    const char *name = event->object < files->count ? files->items[event->object].name : "";
    const struct quipu_value text = {.type = QUIPU_VALUE_STRING, .size = (uint32_t)strlen(name), .data = name};
    int64_t values[QUIPU__PICL_FIELDS_MOST];
    if (text.size > 0)
        put_value(from, target, QUIPU__PICL_ENTRY, -201, &text);
    else
        put_integers(from, target, QUIPU__PICL_ENTRY, -201, NULL, 0);
    const uint32_t value_count = fields_of(from, event, quipu__picl_event_of(-201)->exit, values);
    put_integers(from, target, QUIPU__PICL_EXIT, -201, values, value_count);
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
    if (!is_begin && from->is_native && set_exit(from, target, event, row->mapping))
        return;
    uint64_t *active = is_read ? &from->targets[target].reads : &from->targets[target].writes;
    if (!is_begin && *active == 0) {
        put_pair(from, target, event, row->number);
        return;
    }
    *active += is_begin ? 1 : UINT64_MAX;
    const uint32_t value_count = fields_of(from, event, is_begin ? row->entry : row->exit, values);
    put_integers(from, target, is_begin ? QUIPU__PICL_ENTRY : QUIPU__PICL_EXIT, row->number, values,
                 value_count);
}

/* A set of processes is one side of an inter-communicator: that there is another one is not said. */
static void note_other_side(const struct quipu__picl_from_model *from, const struct quipu_event *event) {
    const struct quipu_groups *groups = &from->definitions->groups;
    if (event->operation != QUIPU_COLLECTIVE_OTHER && event->group < groups->count &&
        groups->items[event->group].remote_members)
        from->out->output->approximated[event->kind]++;
}

/* Events that the entry or exit of a call of PICL's own can have the data of. */
static bool put_data(struct quipu__picl_from_model *from, uint32_t target, const struct quipu_event *event) {
    switch (event->kind) {
    case QUIPU_KIND_collective_begin:
        note_other_side(from, event);
        return put_held_for(from, target, event, QUIPU__PICL_MAPPING_COLLECTIVE);
    case QUIPU_KIND_io_begin:
        return put_held_for(from, target, event, QUIPU__PICL_MAPPING_FILE_WRITE) ||
               put_held_for(from, target, event, QUIPU__PICL_MAPPING_FILE_READ);
    case QUIPU_KIND_io_close:
        return put_held_for(from, target, event, QUIPU__PICL_MAPPING_FILE_CLOSE);
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
    const struct quipu_value *value = find_attribute(from, event, name);
    return value ? value->i : otherwise;
}

static void put_note(struct quipu__picl_from_model *from, uint32_t target, const struct quipu_event *event) {
    const struct quipu_value *text = text_of(event);
    if (text && text->size > 0)
        put_value(from, target, QUIPU__PICL_MESSAGE, attribute_or(from, event, "event_type", -911), text);
}

/* Data of a user's record, all of one type: what attributes of the event say, or its text. */
static uint32_t data_of(const struct quipu__picl_from_model *from, const struct quipu_event *event,
                        struct quipu_value values[QUIPU__PICL_FIELDS_MOST]) {
    uint32_t value_count = 0;
    for (uint32_t i = 0; i < event->attribute_count && value_count < QUIPU__PICL_FIELDS_MOST; i++) {
        const struct quipu_value *value = &event->attributes[i].value;
        const bool is_data = value->key == QUIPU_KEY_TEXT
                                 ? !from->is_native
                                 : from->is_native && data_index(key_name(from, value->key), NULL) >= 0;
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
        put_values(from, target, record_type, number, values, value_count);
    else
        put_integers(from, target, record_type, number, NULL, 0);
}

static void put_metric(struct quipu__picl_from_model *from, uint32_t target, const struct quipu_event *event) {
    const struct quipu_metrics *metrics = &from->definitions->metrics;
    struct quipu_value value = {.type = QUIPU_VALUE_I64, .i = (int64_t)event->value};
    if (event->object < metrics->count && metrics->items[event->object].value == QUIPU_METRIC_F64) {
        value.type = QUIPU_VALUE_F64;
        memcpy(&value.f, &event->value, sizeof value.f);
    }
    if (value.type == QUIPU_VALUE_F64 && !isfinite(value.f)) { /* no conversion reads it */
        from->out->output->dropped[event->kind]++;
        return;
    }
    put_value(from, target, (int64_t)from->definitions->markers.count + event->object, QUIPU__PICL_ALL, &value);
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
        if (!set_exit(from, target, event, QUIPU__PICL_MAPPING_FILE_OPEN))
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
        if (!is_marked(from, target, QUIPU__PICL_MAPPING_FULL))
            put_integers(from, target, QUIPU__PICL_MARK, -913, NULL, 0);
        break;
    case QUIPU_KIND_leave:
        put_leave(from, target, event);
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
    put_held(from);
    if (event->kind == QUIPU_KIND_enter)
        hold_enter(from, target, event);
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
        put_integers(from, number, QUIPU__PICL_EXIT, QUIPU__PICL_TRACING, NULL, 0);
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
    put_held(from);
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
