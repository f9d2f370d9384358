/* calls.c: one event as one record: who and when, which fields of the event and which of its attributes are its data; and calls of any
 * trace as entries and exits. Which events make which other records is not decided here.
 *
 * The data of an entry are often those of the event behind the enter (the send inside of MPI_Send), so an enter is held until
 * that one is seen. The data of an exit are collected until the leave. */
#include "formats/picl/from_model.h"

#include "state/tracker.h"

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

void quipu__picl_put_integers(struct quipu__picl_from_model *from, uint32_t target, int64_t record_type,
                              int64_t event, const int64_t *values, uint32_t value_count) {
    struct quipu__picl_record record = record_at(from, target, record_type, event, from->time);
    for (uint32_t i = 0; i < value_count && i < QUIPU__PICL_FIELDS_MOST; i++)
        record.integers[record.value_count++] = values[i];
    record.count = record.value_count;
    put_event(from, target, &record);
}

void quipu__picl_put_values(struct quipu__picl_from_model *from, uint32_t target, int64_t record_type,
                            int64_t event, const struct quipu_value *values, uint32_t value_count) {
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

void quipu__picl_put_value(struct quipu__picl_from_model *from, uint32_t target, int64_t record_type,
                           int64_t event, const struct quipu_value *value) {
    quipu__picl_put_values(from, target, record_type, event, value, 1);
}

/* ---- Fields ---- */

static int64_t id_of(const struct quipu_event *event) {
    return event->id > INT64_MAX ? -1 : (int64_t)event->id;
}

bool quipu__picl_has_peer(const struct quipu__picl_from_model *from, const struct quipu_event *event) {
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
        return quipu__picl_has_peer(from, event) ? from->targets[from->target_of[event->peer]].processor : -1;
    case QUIPU__PICL_PROCESS:
        return quipu__picl_has_peer(from, event) ? from->targets[from->target_of[event->peer]].process : -1;
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

uint32_t quipu__picl_fields_of(const struct quipu__picl_from_model *from, const struct quipu_event *event,
                               const struct quipu__picl_layout *layout,
                               int64_t values[QUIPU__PICL_FIELDS_MOST]) {
    const bool is_of_some = layout->reduced == 0 && layout->count == 2 &&
                            event->group < from->definitions->groups.count &&
                            quipu__picl_subset_of(from, event->group) != QUIPU__PICL_ALL;
    const bool is_posted_for_one = event->kind == QUIPU_KIND_recv_post && quipu__picl_has_peer(from, event);
    const int wanted = is_of_some || is_posted_for_one ? layout->count : layout->reduced;
    for (int i = 0; i < wanted; i++)
        values[i] = field_of(from, event, layout->fields[i].meaning);
    if (is_of_some)
        values[0] = QUIPU__PICL_ALL;
    return (uint32_t)wanted;
}

/* ---- Attributes ---- */

const char *quipu__picl_key_name(const struct quipu__picl_from_model *from, uint32_t key) {
    return key < from->key_count ? from->definitions->attribute_keys.items[key].name : "";
}

int quipu__picl_data_index(const char *name, const struct quipu__picl_layout *layout) {
    for (int i = 0; layout && i < layout->count; i++)
        if (strcmp(layout->fields[i].name, name) == 0)
            return i;
    if (layout || strncmp(name, "data", 4) != 0 || name[4] < '1' || name[4] > '8' || name[5])
        return -1;
    return name[4] - '1';
}

uint32_t quipu__picl_attributes_of(const struct quipu__picl_from_model *from, const struct quipu_event *event,
                                   const struct quipu__picl_layout *layout,
                                   int64_t values[QUIPU__PICL_FIELDS_MOST]) {
    uint32_t value_count = 0;
    for (uint32_t i = 0; from->is_native && i < event->attribute_count; i++) {
        const struct quipu_value *value = &event->attributes[i].value;
        const int index = quipu__picl_data_index(quipu__picl_key_name(from, value->key), layout);
        if (index < 0 || index >= QUIPU__PICL_FIELDS_MOST || value->type != QUIPU_VALUE_I64)
            continue;
        for (; value_count < (uint32_t)index; value_count++)
            values[value_count] = -1;
        values[index] = value->i;
        value_count = value_count > (uint32_t)index ? value_count : (uint32_t)index + 1;
    }
    return value_count;
}

const struct quipu_value *quipu__picl_find_attribute(const struct quipu__picl_from_model *from,
                                                     const struct quipu_event *event, const char *name) {
    for (uint32_t i = 0; from->is_native && i < event->attribute_count; i++)
        if (strcmp(quipu__picl_key_name(from, event->attributes[i].value.key), name) == 0)
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
        quipu__picl_put_integers(from, held->target, QUIPU__PICL_ENTRY, user_event, NULL, 0);
    if (held->has_text) {
        const struct quipu_value text = {.type = QUIPU_VALUE_STRING,
                                         .size = (uint32_t)held->text.len,
                                         .data = (const char *)held->text.data};
        quipu__picl_put_value(from, held->target, record_type, event, &text);
    } else if (event != user_event) {
        quipu__picl_put_integers(from, held->target, record_type, event, values, value_count);
    }
    quipu__gate_knows(push_call(from, held->target, held->region, event, held->is_mark) != NULL);
    from->time = time;
}

/* A call that may do something else: a send without a message. */
static bool may_differ(const struct quipu__picl_event *row) {
    return !row || quipu__picl_sends(row->mapping);
}

void quipu__picl_put_held(struct quipu__picl_from_model *from) {
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
    const uint32_t value_count = quipu__picl_attributes_of(from, event, row->exit, values);
    for (; value_count > 0 && held->value_count < (uint32_t)row->entry->count; held->value_count++)
        held->values[held->value_count] = -1;
    for (uint32_t i = 0; i < value_count && held->value_count < QUIPU__PICL_FIELDS_MOST; i++)
        held->values[held->value_count++] = values[i];
}

void quipu__picl_hold_enter(struct quipu__picl_from_model *from, uint32_t target,
                            const struct quipu_event *event) {
    struct quipu__picl_held *held = &from->held;
    if (event->object >= from->region_count)
        return;
    const struct quipu__picl_event *row = from->regions[event->object].row;
    held->is_held = true;
    held->is_mark = quipu__picl_find_attribute(from, event, "mark") != NULL;
    held->region = event->object;
    held->target = target;
    held->time = event->time;
    held->value_count = quipu__picl_attributes_of(from, event, row ? row->entry : NULL, held->values);
    if (held->is_mark && row)
        add_exit_fields(from, event, row, held);
    hold_text(from, event);
}

/* The exit of what a call does, and its own. */
static void put_exit(struct quipu__picl_from_model *from, uint32_t target,
                     const struct quipu__picl_call *call) {
    quipu__picl_put_integers(from, target, QUIPU__PICL_EXIT, call->event, call->exit_values, call->exit_count);
    if (call->user_event >= 0)
        quipu__picl_put_integers(from, target, QUIPU__PICL_EXIT, call->user_event, NULL, 0);
}

void quipu__picl_put_leave(struct quipu__picl_from_model *from, uint32_t number,
                           const struct quipu_event *event) {
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
        call.exit_count = quipu__picl_attributes_of(from, event, layout, call.exit_values);
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
        call->exit_count =
            quipu__picl_fields_of(from, event, quipu__picl_send_exit(call->row, true), call->exit_values);
}

bool quipu__picl_put_held_for(struct quipu__picl_from_model *from, uint32_t target,
                              const struct quipu_event *event, enum quipu__picl_mapping mapping) {
    int64_t values[QUIPU__PICL_FIELDS_MOST];
    if (!is_held_for(from, target, mapping))
        return false;
    const struct quipu__picl_event *row = from->regions[from->held.region].row;
    const struct quipu__picl_layout *layout = mapping == QUIPU__PICL_MAPPING_COLLECTIVE
                                                  ? quipu__picl_collective_entry(row, !from->is_native)
                                                  : row->entry;
    const uint32_t value_count = quipu__picl_fields_of(from, event, layout, values);
    put_entry(from, row->number, values, value_count);
    if (mapping == QUIPU__PICL_MAPPING_SEND_BEGIN)
        set_request(from, target, event);
    return true;
}

bool quipu__picl_is_marked(const struct quipu__picl_from_model *from, uint32_t target,
                           enum quipu__picl_mapping mapping) {
    const struct quipu__picl_target *process = &from->targets[target];
    const struct quipu__picl_call *call =
        process->calls.count > 0 ? &process->calls.items[process->calls.count - 1] : NULL;
    return call && call->is_mark && call->row && call->row->mapping == mapping;
}

bool quipu__picl_is_active(struct quipu__picl_from_model *from, uint32_t target,
                           enum quipu__picl_mapping mapping) {
    return open_call(from, target, mapping) != NULL;
}

bool quipu__picl_set_exit(struct quipu__picl_from_model *from, uint32_t target, const struct quipu_event *event,
                          enum quipu__picl_mapping mapping) {
    struct quipu__picl_call *call = open_call(from, target, mapping);
    if (!call)
        return false;
    call->exit_count = quipu__picl_fields_of(from, event, call->row->exit, call->exit_values);
    return true;
}
