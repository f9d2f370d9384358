/* sources.c: the definitions of any trace as PICL has them: processes are processors with one process each, regions are events of
 * PICL where they mean the same and user events with labels elsewhere, communicators are subsets of processes. */
#include "formats/picl/from_model.h"

#include "core/error.h"
#include "model/event.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- Processes ---- */

static bool is_process(const struct quipu_definitions *definitions, uint32_t location) {
    const enum quipu_location_kind kind = definitions->locations.items[location].kind;
    const bool may_have_events =
        kind == QUIPU_LOCATION_PROCESS || kind == QUIPU_LOCATION_THREAD || kind == QUIPU_LOCATION_UNKNOWN;
    return may_have_events && quipu__process_of(definitions, location) == location;
}

/* Whether all processes have ranks, each its own; 0 to the last one is not asked for. */
static bool have_ranks(const struct quipu__picl_from_model *from, struct quipu__map *seen) {
    for (uint32_t i = 0; i < from->location_count; i++) {
        const int64_t rank = from->definitions->locations.items[i].rank;
        if (!is_process(from->definitions, i))
            continue;
        if (rank < 0 || rank == QUIPU__PICL_HOST || quipu__map_get(seen, (uint64_t)rank) != QUIPU_NONE ||
            !quipu__map_put(seen, (uint64_t)rank, i))
            return false;
    }
    return true;
}

static void take_process(struct quipu__picl_from_model *from, uint32_t location, bool has_ranks) {
    const struct quipu_location *definition = &from->definitions->locations.items[location];
    const uint32_t number = from->target_count++;
    struct quipu__picl_target *target = &from->targets[number];
    target->processor = has_ranks ? definition->rank : number;
    if (from->is_native)
        target->processor = (int64_t)definition->native_id;
    target->process = definition->pid < 0 ? QUIPU__PICL_ALL : definition->pid;
    quipu__picl_statistics_init(&target->statistics, from->memory);
    from->target_of[location] = number;
}

static bool take_processes(struct quipu__picl_from_model *from) {
    struct quipu__map seen;
    from->location_count = from->definitions->locations.count;
    from->targets = quipu__alloc_zero(from->memory, (from->location_count + (size_t)1) * sizeof *from->targets);
    from->target_of =
        quipu__alloc_zero(from->memory, (from->location_count + (size_t)1) * sizeof *from->target_of);
    if (!from->targets || !from->target_of)
        return false;
    quipu__map_init(&seen, from->memory);
    const bool has_ranks = have_ranks(from, &seen);
    quipu__map_release(&seen);
    for (uint32_t i = 0; i < from->location_count; i++) {
        from->target_of[i] = QUIPU_NONE;
        if (is_process(from->definitions, i))
            take_process(from, i, has_ranks);
    }
    for (uint32_t i = 0; i < from->location_count; i++)
        if (from->target_of[i] == QUIPU_NONE)
            from->target_of[i] = from->target_of[quipu__process_of(from->definitions, i)];
    return true;
}

/* ---- Regions ---- */

/* User events of a PICL trace from 0 on that get statistics of what happens inside of them. */
#define PROFILED 16

/* Functions of MPI that are events of PICL under another name. */
static const struct {
    const char *function;
    int64_t event;
} functions[] = {
    {"MPI_Barrier", -402}, {"MPI_Send", -21}, {"MPI_Isend", -27}, {"MPI_Issend", -39}, {"MPI_Irsend", -45}};

static const struct quipu__picl_event *row_of_function(const char *name) {
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].function, name) == 0)
            return quipu__picl_event_of(functions[i].event);
    return quipu__picl_event_of_command(name);
}

static void take_region(struct quipu__picl_from_model *from, uint32_t region, int64_t *next_user_event) {
    const struct quipu_region *definition = &from->definitions->regions.items[region];
    struct quipu__picl_source_region *taken = &from->regions[region];
    taken->row = from->is_native ? quipu__picl_event_of((int64_t)definition->native_id)
                                 : row_of_function(definition->name);
    if (from->is_native) {
        taken->event = (int64_t)definition->native_id;
        taken->user_event = -1;
        from->has_tracing |= taken->event == QUIPU__PICL_TRACING;
        for (uint32_t i = 0; taken->event >= 0 && taken->event < PROFILED && i < from->target_count; i++)
            quipu__picl_watch(&from->targets[i].statistics, taken->event);
        return;
    }
    taken->user_event = (*next_user_event)++;
    taken->event = taken->row ? taken->row->number : taken->user_event;
}

static bool is_native(const struct quipu_definitions *definitions) {
    bool has_group = false;
    for (uint32_t i = 0; i < definitions->regions.count; i++)
        has_group |= strcmp(definitions->regions.items[i].group, QUIPU__PICL_REGION_GROUP) == 0;
    return has_group;
}

static bool take_regions(struct quipu__picl_from_model *from) {
    int64_t next_user_event = 0;
    from->region_count = from->definitions->regions.count;
    from->regions = quipu__alloc_zero(from->memory, (from->region_count + (size_t)1) * sizeof *from->regions);
    for (uint32_t i = 0; from->regions && i < from->region_count; i++)
        take_region(from, i, &next_user_event);
    return from->regions != NULL;
}

/* ---- Clock ---- */

/* So many decimals tell two ticks apart. */
static uint32_t decimals_of(const struct quipu__picl_rate *rate) {
    uint32_t decimals = 0;
    while (decimals < QUIPU__PICL_DECIMALS_MOST && quipu__picl_power_of_ten(decimals) < rate->ticks_per_second)
        decimals++;
    return decimals;
}

static void take_clock(struct quipu__picl_from_model *from) {
    const struct quipu_clock *clock = &from->definitions->clock;
    from->rate.ticks_per_second = clock->ticks_per_second ? clock->ticks_per_second : 1000000000;
    from->rate.per_seconds = clock->per_seconds;
    if (!from->out->has_decimals)
        from->out->decimals = decimals_of(&from->rate);
    from->out->output->resolution = quipu__picl_power_of_ten(from->out->decimals);
}

/* ---- Groups ---- */

/* Identifiers of subsets that are made here. */
#define FIRST_SUBSET (-2001)

int64_t quipu__picl_subset_of(const struct quipu__picl_from_model *from, uint32_t group) {
    if (group >= from->definitions->groups.count)
        return QUIPU__PICL_ALL;
    const struct quipu_group *definition = &from->definitions->groups.items[group];
    if (from->is_native)
        return (int64_t)definition->native_id;
    return group == from->world ? QUIPU__PICL_ALL : FIRST_SUBSET - (int64_t)group;
}

/* The first communicator of all processes is the one that needs no subset. Others have subsets of their own, be their members the same:
 * operations are counted by communicator. */
static void find_world(struct quipu__picl_from_model *from) {
    const struct quipu_groups *groups = &from->definitions->groups;
    uint32_t group = 0;
    while (group < groups->count &&
           !(groups->items[group].is_communicator && groups->items[group].member_count == from->target_count &&
             !groups->items[group].remote_members))
        group++;
    from->world = group < groups->count ? group : QUIPU_NONE;
}

enum quipu_status quipu__picl_take_definitions(struct quipu__picl_from_model *from, struct quipu_error *err) {
    from->is_native = is_native(from->definitions);
    take_clock(from);
    from->key_count = from->definitions->attribute_keys.count;
    if (!take_processes(from) || !take_regions(from))
        return quipu__no_memory(err, from->location_count * sizeof *from->targets);
    find_world(from);
    return QUIPU_OK;
}

/* What members of a subset are called: by processes where these have numbers that differ. */
static int64_t member_number(const struct quipu__picl_from_model *from, const struct quipu__picl_target *target,
                             bool is_process) {
    const bool names_processes =
        is_process && from->is_native && target->process >= 0 &&
        (from->target_count < 2 || from->targets[0].process != from->targets[1].process);
    return names_processes ? target->process : target->processor;
}

/* A record that is about no process in particular: a label, or a subset with its identifier and then its members. */
static void put_definition(struct quipu__picl_from_model *from, const struct quipu__picl_record *definition,
                           int64_t time) {
    struct quipu__picl_record record = *definition;
    record.time = quipu__picl_seconds_of(time, &from->rate, from->out->decimals);
    record.processor = record.process = QUIPU__PICL_ALL;
    record.descriptor.type = QUIPU_VALUE_I64;
    quipu__picl_encode_record(from->out, &record);
}

static void put_members(struct quipu__picl_from_model *from, int64_t record_type,
                        const struct quipu_value *values, uint32_t count, int64_t time) {
    const struct quipu__picl_record record = {.record_type = record_type,
                                              .event_type = QUIPU__PICL_ALL,
                                              .count = count,
                                              .descriptor = {.i = QUIPU__PICL_INTEGERS},
                                              .values = values,
                                              .value_count = count};
    put_definition(from, &record, time);
}

static void put_subset(struct quipu__picl_from_model *from, uint32_t group, int64_t time) {
    const struct quipu_group *definition = &from->definitions->groups.items[group];
    const int64_t identifier = quipu__picl_subset_of(from, group);
    const bool is_process = strncmp(definition->name, "processor", 9) != 0 || !from->is_native;
    const size_t bytes = (definition->member_count + (size_t)1) * sizeof(struct quipu_value);
    struct quipu_value *values = quipu__alloc(from->memory, bytes);
    uint32_t count = 0;
    if (!values)
        return;
    values[count++] = (struct quipu_value){.type = QUIPU_VALUE_I64, .i = identifier};
    for (uint32_t i = 0; i < definition->member_count; i++) {
        const uint32_t target = definition->members[i] < from->location_count
                                    ? from->target_of[definition->members[i]]
                                    : QUIPU_NONE;
        if (target != QUIPU_NONE)
            values[count++] = (struct quipu_value){
                .type = QUIPU_VALUE_I64, .i = member_number(from, &from->targets[target], is_process)};
    }
    put_members(from, is_process ? QUIPU__PICL_PROCESS_SUBSET : QUIPU__PICL_PROCESSOR_SUBSET, values, count,
                time);
    quipu__release(from->memory, values, bytes);
}

/* ---- Labels ---- */

static void put_label(struct quipu__picl_from_model *from, int64_t event, const char *text, int64_t time) {
    const size_t len = strlen(text);
    const struct quipu_value value = {.type = QUIPU_VALUE_STRING, .size = (uint32_t)len, .data = text};
    const struct quipu__picl_record record = {.record_type = QUIPU__PICL_LABEL,
                                              .event_type = event,
                                              .count = (int64_t)len,
                                              .descriptor = {.i = QUIPU__PICL_CHARACTERS},
                                              .values = &value,
                                              .value_count = 1};
    if (len > 0)
        put_definition(from, &record, time);
}

/* A call and the system event that says what it does. */
static void put_labels_of_call(struct quipu__picl_from_model *from,
                               const struct quipu__picl_source_region *region, const char *name, int64_t time) {
    put_label(from, region->user_event, name, time);
    if (region->row)
        put_label(from, region->event, name, time);
}

/* Names of events that the table does not have. */
static void put_labels(struct quipu__picl_from_model *from, int64_t time) {
    for (uint32_t i = 0; i < from->region_count; i++) {
        const struct quipu_region *definition = &from->definitions->regions.items[i];
        const struct quipu__picl_source_region *region = &from->regions[i];
        char default_name[48];
        snprintf(default_name, sizeof default_name,
                 region->event >= 0 ? "event %" PRId64 : "system event %" PRId64, region->event);
        const bool is_own_name = strcmp(region->row ? region->row->name : default_name, definition->name) == 0;
        if (!from->is_native)
            put_labels_of_call(from, region, definition->name, time);
        else if (from->is_native && !is_own_name && (region->row || region->event >= 0))
            put_label(from, region->event, definition->name, time);
    }
}

/* ---- Roles ---- */

/* The users' events of a role as a subset of events with its text as label. Users' events are for users without one. */
static void put_role(struct quipu__picl_from_model *from, enum quipu_region_role role, int64_t time) {
    const int64_t identifier = QUIPU__PICL_ROLE_SUBSETS - (int64_t)role;
    const size_t bytes = (from->region_count + (size_t)1) * sizeof(struct quipu_value);
    struct quipu_value *values = quipu__alloc(from->memory, bytes);
    uint32_t count = 0;
    if (!values)
        return;
    values[count++] = (struct quipu_value){.type = QUIPU_VALUE_I64, .i = identifier};
    for (uint32_t i = 0; i < from->region_count; i++)
        if (from->definitions->regions.items[i].role == role)
            values[count++] = (struct quipu_value){.type = QUIPU_VALUE_I64, .i = from->regions[i].user_event};
    if (count > 1) {
        put_label(from, identifier, quipu__region_role_text(role), time);
        put_members(from, QUIPU__PICL_EVENT_SUBSET, values, count, time);
    }
    quipu__release(from->memory, values, bytes);
}

static void put_roles(struct quipu__picl_from_model *from, int64_t time) {
    for (int role = 0; role < QUIPU_REGION_ROLE_COUNT; role++)
        if (role != QUIPU_REGION_USER)
            put_role(from, (enum quipu_region_role)role, time);
}

void quipu__picl_put_header(struct quipu__picl_from_model *from, int64_t time) {
    if (!from->is_native)
        put_label(from, QUIPU__PICL_SYSTEM, QUIPU__PICL_INSIDE, time);
    put_labels(from, time);
    if (!from->is_native)
        put_roles(from, time);
    for (uint32_t i = 0; i < from->definitions->groups.count; i++)
        if (from->definitions->groups.items[i].is_communicator &&
            quipu__picl_subset_of(from, i) != QUIPU__PICL_ALL)
            put_subset(from, i, time);
}
