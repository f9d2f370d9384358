/* model_writer.c: events of the model without counterpart in ovni (model_events.h): which definitions they refer to, and the metadata
 * that describe these. */
#include "formats/ovni/from_model.h"

#include "model/event.h"

#include <inttypes.h>
#include <stdio.h>

/* False when memory is out. */
static bool refer(struct quipu__ovni_event_writer *events, enum quipu_refers refers, uint64_t number) {
    const enum quipu__ovni_class definition_class = quipu__ovni_class_of(refers);
    if (definition_class == QUIPU__OVNI_CLASSES || number >= quipu__count_of(events->definitions, refers))
        return true;
    if (!QUIPU__OVNI_HAS_ROOM(events, is_referred[definition_class], (uint32_t)number))
        return false;
    events->is_referred[definition_class].items[number] = true;
    return true;
}

bool quipu__ovni_refer_fields(struct quipu__ovni_event_writer *events, const struct quipu_event *event) {
    const struct quipu_kind_info *kind = quipu_kind_at((enum quipu_kind)event->kind);
    for (size_t i = 0; i < kind->field_count; i++)
        if (!refer(events, kind->fields[i].refers, (uint64_t)quipu_event_get(event, kind->fields[i].column)))
            return false;
    return true;
}

/* Drops definitions of streams, which say themselves which location and process they are. */
static void forget_streams(struct quipu__ovni_event_writer *events) {
    for (uint32_t i = 0; i < events->threads.count; i++) {
        const uint32_t numbers[] = {i, quipu__ovni_find_above(events, i, QUIPU_LOCATION_PROCESS)};
        for (unsigned k = 0; events->threads.items[i] && k < 2; k++)
            if (numbers[k] < events->is_referred[QUIPU__OVNI_CLASS_locations].count)
                events->is_referred[QUIPU__OVNI_CLASS_locations].items[numbers[k]] = false;
    }
}

static json_t *definitions_of_class(const struct quipu__ovni_event_writer *events,
                                    enum quipu__ovni_class definition_class, bool *is_starved) {
    json_t *list = json_object();
    for (uint32_t i = 0; i < events->is_referred[definition_class].count; i++) {
        char key[16];
        if (!events->is_referred[definition_class].items[i])
            continue;
        snprintf(key, sizeof key, "%" PRIu32, i);
        quipu__ovni_json_set(list, key, quipu__ovni_definition(events->definitions, definition_class, i),
                             is_starved);
    }
    return list;
}

/* False when memory is out. */
static bool refer_all(struct quipu__ovni_event_writer *events, const uint32_t *locations, uint32_t count) {
    bool has_memory = true;
    for (uint32_t i = 0; i < count && has_memory; i++)
        has_memory = refer(events, QUIPU_REFERS_LOCATION, locations[i]);
    return has_memory;
}

/* Groups refer to locations; marks that are regions have names only. */
static bool refer_more(struct quipu__ovni_event_writer *events) {
    bool has_memory = true;
    for (uint32_t i = 0; i < events->is_referred[QUIPU__OVNI_CLASS_groups].count; i++) {
        const struct quipu_group *group = &events->definitions->groups.items[i];
        if (!events->is_referred[QUIPU__OVNI_CLASS_groups].items[i])
            continue;
        has_memory = has_memory && refer_all(events, group->members, group->member_count);
        if (group->remote_members)
            has_memory = has_memory && refer_all(events, group->remote_members, group->remote_member_count);
    }
    for (uint32_t i = 0; i < events->is_region_used.count; i++)
        if (events->is_region_used.items[i])
            has_memory = has_memory && refer(events, QUIPU_REFERS_REGION, i);
    return has_memory;
}

void quipu__ovni_set_model(struct quipu__ovni_event_writer *events,
                           const struct quipu__ovni_written_thread *thread, bool is_first, json_t *quipu,
                           bool *is_starved) {
    const uint32_t process = quipu__ovni_find_above(events, thread->location, QUIPU_LOCATION_PROCESS);
    quipu__ovni_json_set(quipu, QUIPU__OVNI_VERSION_KEY, json_string(QUIPU__OVNI_OWN_VERSION), is_starved);
    quipu__ovni_json_set(quipu, QUIPU__OVNI_PROCESS_KEY,
                         json_integer(process == QUIPU_NONE ? thread->location : process), is_starved);
    if (process != QUIPU_NONE && process != thread->location)
        quipu__ovni_json_set(quipu, QUIPU__OVNI_LOCATION_KEY, json_integer(thread->location), is_starved);
    if (!is_first)
        return;
    json_t *definitions = json_object();
    *is_starved |= !refer_more(events);
    forget_streams(events);
    for (unsigned definition_class = 0; definition_class < QUIPU__OVNI_CLASSES; definition_class++)
        quipu__ovni_json_set(definitions, quipu__ovni_class_keys[definition_class],
                             definitions_of_class(events, (enum quipu__ovni_class)definition_class, is_starved),
                             is_starved);
    quipu__ovni_json_set(quipu, QUIPU__OVNI_DEFINITIONS_KEY, definitions, is_starved);
}
