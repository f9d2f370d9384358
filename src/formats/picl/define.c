/* define.c: what the scan has found as definitions of the model: clock, locations, regions, groups, markers, attribute keys; and what the
 * values of records become. */
#include "formats/picl/format.h"

#include "core/error.h"
#include "model/event.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- Labels ---- */

/* The last label of an event type, processor and process; NULL when there is none. */
static const char *label_of(const struct quipu__picl_trace *own, int64_t event, int64_t processor,
                            int64_t process) {
    for (size_t i = own->labels.count; i-- > 0;) {
        const struct quipu__picl_label *label = &own->labels.items[i];
        if (label->event == event && label->processor == processor && label->process == process)
            return label->text;
    }
    return NULL;
}

/* Whether the label of all system events says that they stand inside of users' events. */
static bool are_calls_users(const struct quipu__picl_trace *own) {
    const char *label = label_of(own, QUIPU__PICL_SYSTEM, QUIPU__PICL_ALL, QUIPU__PICL_ALL);
    return label && strcmp(label, QUIPU__PICL_INSIDE) == 0;
}

/* ---- Locations ---- */

/* Named after their numbers, as 6/0; a label of the process or its processor is the host's name. */
static void define_location(struct quipu__picl_trace *own, struct quipu__picl_process *process) {
    char name[48];
    const char *label = label_of(own, QUIPU__PICL_ALL, process->processor, process->process);
    if (!label && process->processor != QUIPU__PICL_ALL)
        label = label_of(own, QUIPU__PICL_ALL, process->processor, QUIPU__PICL_ALL);
    snprintf(name, sizeof name, "%" PRId64 "/%" PRId64, process->processor, process->process);
    const bool is_node = process->processor >= 0 && process->processor != QUIPU__PICL_HOST;
    const struct quipu_location location = {.native_id = (uint64_t)process->processor,
                                            .name = name,
                                            .kind = QUIPU_LOCATION_PROCESS,
                                            .parent = QUIPU_NONE,
                                            .rank = is_node ? process->processor : -1,
                                            .pid = process->process,
                                            .tid = -1,
                                            .host = label ? label : ""};
    process->location = quipu__add_location(own->trace->define, &location);
}

/* ---- Groups ---- */

/* Where all processes have the same number, as those of a writer that numbers them per processor, subsets of processes name
 * processors. */
static int64_t number_in_subsets(const struct quipu__picl_process *process) {
    return process->has_own_number ? process->process : process->processor;
}

/* Whether a process is a member; all of those that are not the host's are members of the world. */
typedef bool is_member_fn(const struct quipu__picl_process *process, const struct quipu__picl_subset *subset);

static bool is_of_world(const struct quipu__picl_process *process, const struct quipu__picl_subset *subset) {
    (void)subset;
    return process->processor != QUIPU__PICL_HOST && process->processor >= 0;
}

static bool is_of_subset(const struct quipu__picl_process *process, const struct quipu__picl_subset *subset) {
    const bool is_process = subset->record_type == QUIPU__PICL_PROCESS_SUBSET;
    const int64_t number = is_process ? number_in_subsets(process) : process->processor;
    for (size_t i = 0; i < subset->member_count; i++)
        if (subset->members[i] == number)
            return true;
    return false;
}

static uint32_t define_group(struct quipu__picl_trace *own, int64_t identifier, const char *name,
                             is_member_fn *is_member, const struct quipu__picl_subset *subset) {
    uint32_t *members = quipu__arena_alloc(&own->arena, (own->processes.count + 1) * sizeof *members);
    uint32_t count = 0;
    for (size_t i = 0; members && i < own->processes.count; i++)
        if (is_member(&own->processes.items[i], subset))
            members[count++] = own->processes.items[i].location;
    const struct quipu_group group = {.native_id = (uint64_t)identifier,
                                      .name = name,
                                      .is_communicator = true,
                                      .member_count = count,
                                      .members = members};
    return members ? quipu__add_group(own->trace->define, &group) : QUIPU_NONE;
}

static uint64_t group_key(const struct quipu__map *groups, int64_t record_type, int64_t identifier) {
    const int64_t pair[2] = {record_type, identifier};
    return quipu__hash(pair, sizeof pair, groups->seed);
}

static void number_processes(struct quipu__picl_trace *own) {
    bool are_different = true;
    for (size_t i = 1; i < own->processes.count; i++)
        are_different &= own->processes.items[i].process != own->processes.items[0].process;
    for (size_t i = 0; i < own->processes.count; i++)
        own->processes.items[i].has_own_number = are_different && own->processes.items[i].process >= 0;
}

static void define_groups(struct quipu__picl_trace *own) {
    number_processes(own);
    own->world = define_group(own, QUIPU__PICL_ALL, "all processes", is_of_world, NULL);
    for (size_t i = 0; i < own->scope.subsets.count; i++) {
        const struct quipu__picl_subset *subset = &own->scope.subsets.items[i];
        const bool is_process = subset->record_type == QUIPU__PICL_PROCESS_SUBSET;
        char name[48];
        if (subset->record_type == QUIPU__PICL_EVENT_SUBSET)
            continue;
        snprintf(name, sizeof name, "%s subset %" PRId64, is_process ? "process" : "processor",
                 subset->identifier);
        const uint32_t group = define_group(own, subset->identifier, name, is_of_subset, subset);
        quipu__gate_knows(quipu__map_put(
            &own->groups, group_key(&own->groups, subset->record_type, subset->identifier), group));
    }
}

uint32_t quipu__picl_group_of(const struct quipu__picl_trace *own, int64_t record_type, int64_t identifier) {
    if (identifier == QUIPU__PICL_ALL)
        return own->world;
    return quipu__map_get(&own->groups, group_key(&own->groups, record_type, identifier));
}

/* ---- Regions ---- */

enum { REGION_NAME_BYTES = 48 };

/* The label that the trace gives it, else the name that the format has for it; otherwise one is made in room. */
static const char *region_name(const struct quipu__picl_trace *own, int64_t event,
                               const struct quipu__picl_event *row, char room[REGION_NAME_BYTES]) {
    const char *label = label_of(own, event, QUIPU__PICL_ALL, QUIPU__PICL_ALL);
    const char *subset = quipu__picl_subset_name(event);
    if (label)
        return label;
    if (row)
        return row->name;
    if (subset)
        return subset;
    snprintf(room, REGION_NAME_BYTES, event >= 0 ? "event %" PRId64 : "system event %" PRId64, event);
    return room;
}

/* The region of a call by its name; QUIPU_NONE when there is none. */
static uint32_t region_of_call(const struct quipu__picl_trace *own, const char *name) {
    for (size_t i = 0; name && i < own->events.count; i++) {
        const int64_t event = own->events.items[i];
        const char *label = event < 0 ? NULL : label_of(own, event, QUIPU__PICL_ALL, QUIPU__PICL_ALL);
        if (label && strcmp(label, name) == 0)
            return quipu__map_get(&own->regions, (uint64_t)event);
    }
    return QUIPU_NONE;
}

/* System events inside of calls belong to the region of the call that their label names, if it names one. */
static void define_inside(struct quipu__picl_trace *own) {
    for (size_t i = 0; i < own->events.count; i++) {
        const int64_t event = own->events.items[i];
        if (!quipu__picl_is_within_call(own, event))
            continue;
        const char *label = label_of(own, event, QUIPU__PICL_ALL, QUIPU__PICL_ALL);
        const uint32_t region = region_of_call(own, label);
        own->region_of[event + QUIPU__PICL_EVENT_LIMIT] = region;
        if (region != QUIPU_NONE)
            quipu__gate_knows(quipu__map_put(&own->regions, (uint64_t)event, region));
    }
}

/* The role that a subset of events stands for, as conversions make them; QUIPU_REGION_ROLE_COUNT for other subsets. */
static enum quipu_region_role role_of_subset(const struct quipu__picl_trace *own,
                                             const struct quipu__picl_subset *subset) {
    const int64_t role = QUIPU__PICL_ROLE_SUBSETS - subset->identifier;
    const bool may_be =
        subset->record_type == QUIPU__PICL_EVENT_SUBSET && role >= 0 && role < QUIPU_REGION_ROLE_COUNT;
    const char *label = may_be ? label_of(own, subset->identifier, QUIPU__PICL_ALL, QUIPU__PICL_ALL) : NULL;
    return label && quipu__region_role_find(label) == (enum quipu_region_role)role
               ? (enum quipu_region_role)role
               : QUIPU_REGION_ROLE_COUNT;
}

/* Which events have a role by a subset. */
static void find_roles(struct quipu__picl_trace *own, struct quipu__map *roles) {
    for (size_t i = 0; i < own->scope.subsets.count; i++) {
        const struct quipu__picl_subset *subset = &own->scope.subsets.items[i];
        const enum quipu_region_role role = role_of_subset(own, subset);
        for (size_t m = 0; role != QUIPU_REGION_ROLE_COUNT && m < subset->member_count; m++)
            quipu__gate_knows(quipu__map_put(roles, (uint64_t)subset->members[m], (uint32_t)role));
    }
}

static enum quipu_region_role role_of(const struct quipu__map *roles, int64_t event,
                                      const struct quipu__picl_event *row) {
    const uint32_t role = quipu__map_get(roles, (uint64_t)event);
    if (role != QUIPU_NONE)
        return (enum quipu_region_role)role;
    if (row)
        return row->role;
    return event >= 0 ? QUIPU_REGION_USER : QUIPU_REGION_RUNTIME;
}

static void define_region(struct quipu__picl_trace *own, int64_t event, const struct quipu__map *roles) {
    char room[REGION_NAME_BYTES];
    const struct quipu__picl_event *row = quipu__picl_event_of(event);
    const struct quipu_region region = {.native_id = (uint64_t)event,
                                        .name = region_name(own, event, row, room),
                                        .group = event >= 0 ? "user events" : QUIPU__PICL_REGION_GROUP,
                                        .role = role_of(roles, event, row),
                                        .source = QUIPU_NONE,
                                        .nesting = QUIPU_NESTING_FREE};
    const uint32_t number = quipu__add_region(own->trace->define, &region);
    if (event > -QUIPU__PICL_EVENT_LIMIT && event < QUIPU__PICL_EVENT_LIMIT)
        own->region_of[event + QUIPU__PICL_EVENT_LIMIT] = number;
    quipu__gate_knows(quipu__map_put(&own->regions, (uint64_t)event, number));
}

static void define_regions(struct quipu__picl_trace *own) {
    struct quipu__map roles;
    quipu__map_init(&roles, own->trace->memory);
    find_roles(own, &roles);
    for (size_t i = 0; i < 2 * QUIPU__PICL_EVENT_LIMIT; i++)
        own->region_of[i] = QUIPU_NONE;
    for (size_t i = 0; i < own->events.count; i++)
        if (!quipu__picl_is_within_call(own, own->events.items[i]))
            define_region(own, own->events.items[i], &roles);
    quipu__map_release(&roles);
    define_inside(own);
}

/* ---- Markers and keys ---- */

static void define_markers(struct quipu__picl_trace *own) {
    for (size_t i = 0; i < own->marker_types.count; i++) {
        char name[48];
        const int64_t type = own->marker_types.items[i];
        snprintf(name, sizeof name, "user record %" PRId64, type);
        const struct quipu_marker marker = {.native_id = (uint64_t)type, .name = name};
        const uint32_t number = quipu__add_marker(own->trace->define, &marker);
        quipu__gate_knows(quipu__map_put(&own->markers, (uint64_t)type, number));
    }
}

static void define_key(struct quipu__picl_trace *own, size_t index, const char *name, const char *doc) {
    const struct quipu_attribute_key key = {
        .native_id = QUIPU_UNKNOWN, .name = name, .doc = doc, .type = QUIPU_VALUE_I64};
    own->keys[index] = quipu__add_attribute_key(own->trace->define, &key);
}

/* Names of the fields of all layouts, each once. */
static size_t field_names(const char *names[QUIPU__PICL_FIELD_NAMES]) {
    size_t count = 0;
    for (size_t i = 0; i < quipu__picl_event_count; i++) {
        for (int side = 0; side < 2; side++) {
            const struct quipu__picl_layout *layout =
                side ? quipu__picl_events[i].exit : quipu__picl_events[i].entry;
            for (int f = 0; f < layout->count; f++) {
                size_t known = 0;
                while (known < count && strcmp(names[known], layout->fields[f].name) != 0)
                    known++;
                if (known == count && count < QUIPU__PICL_FIELD_NAMES)
                    names[count++] = layout->fields[f].name;
            }
        }
    }
    return count;
}

static void define_keys(struct quipu__picl_trace *own) {
    const char *names[QUIPU__PICL_FIELD_NAMES];
    const size_t count = field_names(names);
    define_key(own, QUIPU__PICL_KEY_MARK, "mark", "the record is a mark: entry and exit in one");
    define_key(own, QUIPU__PICL_KEY_EVENT, "event_type", "event type of the record");
    for (unsigned i = 0; i < QUIPU__PICL_DATA_KEYS; i++) {
        char name[16];
        snprintf(name, sizeof name, "data%u", i + 1);
        define_key(own, QUIPU__PICL_KEY_DATA + i, name, "data of a user's record");
    }
    for (size_t i = 0; i < count; i++)
        define_key(own, QUIPU__PICL_KEY_FIELD + i, names[i], "data field of the event");
}

static uint32_t field_key(const struct quipu__picl_trace *own, const struct quipu__picl_event_field *field) {
    const struct quipu_attribute_keys *keys = &own->trace->define->definitions.attribute_keys;
    for (size_t i = QUIPU__PICL_KEY_FIELD; i < QUIPU__PICL_KEY_COUNT; i++)
        if (own->keys[i] != QUIPU_NONE && strcmp(keys->items[own->keys[i]].name, field->name) == 0)
            return own->keys[i];
    return QUIPU_NONE;
}

/* ---- Plans ----
 *
 * What the values of an event type's records become, found once from its row (events.def): columns or attributes. The fast path goes by
 * it alone, the complete one for the first values of a record. */

/* Whether a field of an event's records has a column of its own. */
static bool has_column(const struct quipu__picl_event *row, bool is_entry) {
    switch (row->mapping) {
    case QUIPU__PICL_MAPPING_NONE:
    case QUIPU__PICL_MAPPING_FLUSH:
    case QUIPU__PICL_MAPPING_FULL:
        return false;
    case QUIPU__PICL_MAPPING_RECEIVE:
    case QUIPU__PICL_MAPPING_RECEIVE_DONE:
    case QUIPU__PICL_MAPPING_SEND_DONE:
    case QUIPU__PICL_MAPPING_POST:
    case QUIPU__PICL_MAPPING_FILE_OPEN:
        return !is_entry; /* the event comes with the exit; an entry can be written only when its data are known */
    case QUIPU__PICL_MAPPING_SEND:
    case QUIPU__PICL_MAPPING_SEND_BEGIN:
        return is_entry;
    default:
        return true;
    }
}

static uint32_t data_key(const struct quipu__picl_trace *own, uint32_t index) {
    return index < QUIPU__PICL_DATA_KEYS ? own->keys[QUIPU__PICL_KEY_DATA + index] : QUIPU_NONE;
}

/* The fields of a mark are those of the entry and then those of the exit, and none has a column. */
uint32_t quipu__picl_key_of_value(const struct quipu__picl_trace *own, const struct quipu__picl_event *row,
                                  int64_t record_type, uint32_t index) {
    if (!row)
        return data_key(own, index);
    const bool is_mark = record_type == QUIPU__PICL_MARK, is_entry = record_type == QUIPU__PICL_ENTRY;
    const uint32_t of_entry = record_type == QUIPU__PICL_EXIT ? 0 : (uint32_t)row->entry->count;
    const uint32_t of_exit = is_entry ? 0 : (uint32_t)row->exit->count;
    if (index >= of_entry + of_exit)
        return data_key(own, index - of_entry - of_exit);
    if (!is_mark && has_column(row, is_entry))
        return QUIPU_NONE;
    return field_key(own, index < of_entry ? &row->entry->fields[index] : &row->exit->fields[index - of_entry]);
}

static enum quipu__picl_action action_of_mapping(enum quipu__picl_mapping mapping, bool is_entry) {
    switch (mapping) {
    case QUIPU__PICL_MAPPING_NONE:
    case QUIPU__PICL_MAPPING_FLUSH:
    case QUIPU__PICL_MAPPING_FULL:
        return QUIPU__PICL_ACTION_CALL;
    case QUIPU__PICL_MAPPING_SEND:
        return is_entry ? QUIPU__PICL_ACTION_SEND : QUIPU__PICL_ACTION_CALL;
    case QUIPU__PICL_MAPPING_RECEIVE:
        return is_entry ? QUIPU__PICL_ACTION_CALL : QUIPU__PICL_ACTION_RECEIVE;
    default:
        return QUIPU__PICL_ACTION_OTHER;
    }
}

static struct quipu__picl_message_values message_values(const struct quipu__picl_layout *layout) {
    return (struct quipu__picl_message_values){quipu__picl_field_index(layout, QUIPU__PICL_BYTES),
                                               quipu__picl_field_index(layout, QUIPU__PICL_TAG),
                                               quipu__picl_field_index(layout, QUIPU__PICL_PROCESSOR),
                                               quipu__picl_field_index(layout, QUIPU__PICL_PROCESS)};
}

static void make_plan(const struct quipu__picl_trace *own, const struct quipu__picl_event *row,
                      struct quipu__picl_plan *plan) {
    const enum quipu__picl_mapping mapping = row ? row->mapping : QUIPU__PICL_MAPPING_NONE;
    for (unsigned side = 0; side < QUIPU__PICL_SIDES; side++)
        for (uint32_t i = 0; i < QUIPU__PICL_FAST_VALUES; i++)
            plan->keys[side][i] = quipu__picl_key_of_value(own, row, (int64_t)side + QUIPU__PICL_EXIT, i);
    plan->at_entry = action_of_mapping(mapping, true);
    plan->at_exit = action_of_mapping(mapping, false);
    if (row && quipu__picl_is_within_call(own, row->number))
        plan->at_entry = plan->at_exit = QUIPU__PICL_ACTION_OTHER;
    plan->message = (struct quipu__picl_message_values){-1, -1, -1, -1};
    if (plan->at_entry == QUIPU__PICL_ACTION_SEND || plan->at_exit == QUIPU__PICL_ACTION_RECEIVE)
        plan->message = message_values(mapping == QUIPU__PICL_MAPPING_SEND ? row->entry : row->exit);
}

static void make_plans(struct quipu__picl_trace *own) {
    make_plan(own, NULL, &own->user_plan);
    own->plans[0] = &own->user_plan;
    for (size_t i = 0; i < own->events.count; i++) {
        const int64_t event = own->events.items[i];
        if (event >= 0 || event <= -QUIPU__PICL_EVENT_LIMIT)
            continue;
        const struct quipu__picl_event *row = quipu__picl_row_of(own, event);
        if (!row && quipu__picl_is_within_call(own, event))
            continue;
        struct quipu__picl_plan *plan = row ? quipu__arena_alloc(&own->arena, sizeof *plan) : &own->user_plan;
        if (row && plan)
            make_plan(own, row, plan);
        own->plans[-event] = plan;
    }
}

enum quipu_status quipu__picl_define(struct quipu__picl_trace *own, struct quipu_error *err) {
    struct quipu_clock *clock = &own->trace->define->definitions.clock;
    clock->ticks_per_second = quipu__picl_power_of_ten(own->decimals);
    own->calls_are_users = are_calls_users(own);
    for (size_t i = 0; i < QUIPU__PICL_KEY_COUNT; i++)
        own->keys[i] = QUIPU_NONE;
    for (size_t i = 0; i < own->processes.count; i++)
        define_location(own, &own->processes.items[i]);
    define_groups(own);
    define_regions(own);
    define_markers(own);
    define_keys(own);
    make_plans(own);
    return quipu__memory_status(own->trace->memory, err);
}
