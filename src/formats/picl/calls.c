/* calls.c: calls of any trace as entries and exits.
 *
 * The data of an entry are often those of the event behind the enter (the send inside of MPI_Send), so an enter is held until
 * that one is seen. The data of an exit are collected until the leave. */
#include "formats/picl/calls.h"

#include "formats/picl/event_records.h"
#include "state/tracker.h"

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
