/* define.c: the model's definitions of those of an OTF2 trace, which were saved as records.
 *
 * A location group and its first thread are one location of the model, the process, as in other formats: messages belong to processes. The
 * other threads of the group are its children, and so are the streams of an accelerator. */
#include "formats/otf2/format.h"

#include "core/bounded.h"
#include "core/error.h"

#include <stdio.h>
#include <string.h>

#define UNDEFINED UINT32_MAX

/* Each saved definition of a type, r. */
#define EACH(own, Record, r)                                                                                   \
    const struct quipu__otf2_##Record **r =                                                                    \
        (const struct quipu__otf2_##Record **)(void *)(own)->saved[QUIPU__OTF2_TYPE_##Record].items.items;     \
    r &&r <                                                                                                    \
        (const struct quipu__otf2_##Record **)(void *)(own)->saved[QUIPU__OTF2_TYPE_##Record].items.items +    \
            (own)->saved[QUIPU__OTF2_TYPE_##Record].items.count;                                               \
    r++

static const void *saved_at(const struct quipu__otf2_trace *own, enum quipu__otf2_type type, uint32_t index) {
    return index < own->saved[type].items.count ? own->saved[type].items.items[index] : NULL;
}

static uint32_t get(const struct quipu__otf2_trace *own, enum quipu__otf2_class class_of, uint64_t token) {
    return quipu__tokens_get(&own->tokens[class_of], token);
}

static void put(struct quipu__otf2_trace *own, enum quipu__otf2_class class_of, uint64_t token, size_t number) {
    quipu__gate_knows(quipu__tokens_put(&own->tokens[class_of], token, (uint32_t)number));
}

/* The text of a string; "" where there is none. */
static const char *text_of(const struct quipu__otf2_trace *own, uint32_t string) {
    const uint32_t index = get(own, QUIPU__OTF2_CLASS_string, string);
    const struct quipu__otf2_STRING *record =
        index == QUIPU_NONE ? NULL : saved_at(own, QUIPU__OTF2_TYPE_STRING, index);
    return record && record->text ? record->text : "";
}

const char *quipu__otf2_text(const struct quipu__otf2_trace *own, uint32_t string) {
    return text_of(own, string);
}

/* The name of a value as otf2-print has it; "" where it has none. */
static const char *label_of(enum quipu__otf2_type type, unsigned field, uint32_t value) {
    const char *label = quipu_label_find(quipu__otf2_types[type].fields[field].domain, value);
    return label ? label : "";
}

/* ---- Clock, strings ---- */

static void define_clock(struct quipu__otf2_trace *own) {
    struct quipu_clock *clock = &own->trace->define->definitions.clock;
    const struct quipu__otf2_CLOCK_PROPERTIES *properties = saved_at(own, QUIPU__OTF2_TYPE_CLOCK_PROPERTIES, 0);
    const struct quipu__where where = {own->anchor, QUIPU_UNKNOWN, QUIPU_UNKNOWN, QUIPU_UNKNOWN, "", ""};
    if (!properties || properties->ticks_per_second == 0)
        quipu__find(own->trace->findings, &quipu__otf2_rules[QUIPU__OTF2_RULE_NO_CLOCK], &where, "", " ");
    if (!properties)
        return;
    clock->ticks_per_second = properties->ticks_per_second;
    const uint64_t offset = properties->global_offset,
                   zero = own->head.time_zero == QUIPU_UNKNOWN ? offset : own->head.time_zero;
    clock->origin = own->origin = (int64_t)zero;
    clock->has_unix_origin = properties->date != QUIPU_UNKNOWN && properties->date <= INT64_MAX;
    clock->unix_origin_ns =
        clock->has_unix_origin
            ? quipu__bounded_sum((int64_t)properties->date, quipu_clock_ns(clock, (int64_t)(zero - offset)))
            : 0;
}

static void number_texts(struct quipu__otf2_trace *own) {
    uint32_t index = 0;
    for (EACH(own, STRING, r))
        put(own, QUIPU__OTF2_CLASS_string, (*r)->self, index++);
    index = 0;
    for (EACH(own, GROUP, r))
        put(own, QUIPU__OTF2_CLASS_group, (*r)->self, index++);
}

/* ---- Locations ---- */

static enum quipu_location_kind node_kind(const char *class_of) {
    if (strcmp(class_of, "machine") == 0)
        return QUIPU_LOCATION_MACHINE;
    return strcmp(class_of, "node") == 0 ? QUIPU_LOCATION_NODE : QUIPU_LOCATION_UNKNOWN;
}

static uint32_t add_location(struct quipu__otf2_trace *own, const struct quipu_location *location) {
    return quipu__add_location(own->trace->define, location);
}

static struct quipu_location location_of(uint64_t id, const char *name, enum quipu_location_kind kind,
                                         uint32_t parent) {
    return (struct quipu_location){.native_id = id,
                                   .name = name,
                                   .kind = kind,
                                   .parent = parent,
                                   .rank = -1,
                                   .pid = -1,
                                   .tid = -1,
                                   .host = ""};
}

static void define_nodes(struct quipu__otf2_trace *own) {
    for (EACH(own, SYSTEM_TREE_NODE, r)) {
        const uint32_t parent = get(own, QUIPU__OTF2_CLASS_node, (*r)->parent);
        const struct quipu_location node =
            location_of((*r)->self, text_of(own, (*r)->name), node_kind(text_of(own, (*r)->class)), parent);
        put(own, QUIPU__OTF2_CLASS_node, (*r)->self, add_location(own, &node));
    }
}

/* The name of the node that a location of the model lies in. */
static const char *host_of(const struct quipu__otf2_trace *own, uint32_t number) {
    const struct quipu_locations *list = &own->trace->define->definitions.locations;
    while (number < list->count && list->items[number].kind != QUIPU_LOCATION_NODE)
        number = list->items[number].parent;
    return number < list->count ? list->items[number].name : "";
}

/* What a location group is while its locations are found. */
struct location_group {
    uint32_t master; /* index of its first thread, QUIPU_NONE */
    int64_t rank;
};

static bool is_of_processes(const struct quipu__otf2_GROUP *group) {
    const uint32_t mpi = 4, gaspi = 11, upc = 12, shmem = 13;
    return group->type == 4 && (group->paradigm == mpi || group->paradigm == gaspi || group->paradigm == upc ||
                                group->paradigm == shmem);
}

static void find_masters(struct quipu__otf2_trace *own, struct location_group *groups, uint32_t count) {
    uint32_t index = 0;
    for (EACH(own, LOCATION, r)) {
        const uint32_t group = get(own, QUIPU__OTF2_CLASS_location_group, (*r)->group);
        if (group < count && groups[group].master == QUIPU_NONE && (*r)->type == 1)
            groups[group].master = index;
        put(own, QUIPU__OTF2_CLASS_location, (*r)->self, index++);
    }
    for (EACH(own, GROUP, r))
        for (uint32_t i = 0; is_of_processes(*r) && i < quipu_sized_count((*r)->members); i++) {
            const uint32_t member = get(own, QUIPU__OTF2_CLASS_location, (*r)->members[i]);
            const struct quipu__otf2_LOCATION *location = saved_at(own, QUIPU__OTF2_TYPE_LOCATION, member);
            const uint32_t group =
                location ? get(own, QUIPU__OTF2_CLASS_location_group, location->group) : QUIPU_NONE;
            if (group < count && groups[group].rank < 0)
                groups[group] = (struct location_group){member, i};
        }
}

static void define_processes(struct quipu__otf2_trace *own, const struct location_group *groups) {
    uint32_t index = 0;
    for (EACH(own, LOCATION_GROUP, r)) {
        const struct location_group *group = &groups[index];
        const struct quipu__otf2_LOCATION *master = saved_at(own, QUIPU__OTF2_TYPE_LOCATION, group->master);
        const bool is_device = (*r)->type == 2;
        struct quipu_location process =
            location_of(master ? master->self : (*r)->self, text_of(own, (*r)->name),
                        is_device ? QUIPU_LOCATION_DEVICE : QUIPU_LOCATION_PROCESS,
                        get(own, QUIPU__OTF2_CLASS_node, (*r)->parent));
        const uint32_t creator = get(own, QUIPU__OTF2_CLASS_location_group, (*r)->creator);
        process.host = host_of(own, process.parent);
        process.rank = is_device ? -1 : group->rank;
        if (creator < index)
            process.parent = own->groups[creator];
        own->groups[index++] = add_location(own, &process);
    }
}

/* Threads and streams, and what is known of all locations. */
static bool define_threads(struct quipu__otf2_trace *own, const struct location_group *groups, uint32_t count) {
    static const enum quipu_location_kind kinds[] = {QUIPU_LOCATION_UNKNOWN, QUIPU_LOCATION_THREAD,
                                                     QUIPU_LOCATION_DEVICE, QUIPU_LOCATION_METER};
    uint32_t index = 0;
    for (EACH(own, LOCATION, r)) {
        const uint32_t group = get(own, QUIPU__OTF2_CLASS_location_group, (*r)->group);
        const uint32_t parent = group < count ? own->groups[group] : QUIPU_NONE;
        struct quipu__otf2_location *location = QUIPU__VEC_ADD(own->memory, &own->locations);
        if (!location)
            return false;
        *location = (struct quipu__otf2_location){.id = (*r)->self, .events = (*r)->events};
        if (group < count && groups[group].master == index) {
            location->number = parent;
        } else {
            struct quipu_location thread =
                location_of((*r)->self, text_of(own, (*r)->name),
                            (*r)->type < 4 ? kinds[(*r)->type] : QUIPU_LOCATION_UNKNOWN, parent);
            thread.host = host_of(own, parent);
            location->number = add_location(own, &thread);
        }
        index++;
    }
    return true;
}

static enum quipu_status define_locations(struct quipu__otf2_trace *own, struct quipu_error *err) {
    const uint32_t count = (uint32_t)own->saved[QUIPU__OTF2_TYPE_LOCATION_GROUP].items.count;
    struct location_group *groups = quipu__arena_alloc(&own->arena, (count + 1) * sizeof *groups);
    own->groups = quipu__arena_alloc(&own->arena, (count + 1) * sizeof *own->groups);
    uint32_t index = 0;
    if (!groups || !own->groups)
        return quipu__no_memory(err, count * sizeof *groups);
    define_nodes(own);
    for (EACH(own, LOCATION_GROUP, r)) {
        groups[index] = (struct location_group){QUIPU_NONE, -1};
        put(own, QUIPU__OTF2_CLASS_location_group, (*r)->self, index++);
    }
    find_masters(own, groups, count);
    define_processes(own, groups);
    return define_threads(own, groups, count) ? QUIPU_OK : quipu__no_memory(err, sizeof *own->locations.items);
}

/* ---- Regions ---- */

static enum quipu_region_role role_in_mpi(uint32_t role) {
    switch (role) {
    case 15: /* barrier */
    case 23: /* collective operations */
    case 24:
    case 25:
    case 26:
        return QUIPU_REGION_MPI_COLLECTIVE;
    case 27: /* files and what is known of them */
    case 38:
        return QUIPU_REGION_MPI_IO;
    case 28:
        return QUIPU_REGION_MPI_P2P;
    case 29:
        return QUIPU_REGION_MPI_RMA;
    default:
        return QUIPU_REGION_MPI_OTHER;
    }
}

static enum quipu_region_role role_of(const struct quipu__otf2_REGION *region) {
    enum { USER = 1, MPI = 4, MEASUREMENT_SYSTEM = 6, NONE = 22, ARTIFICIAL = 31 };
    if (region->paradigm == NONE && region->role == ARTIFICIAL) /* as Quipu writes it */
        return QUIPU_REGION_IDLE;
    if (region->paradigm == MPI)
        return role_in_mpi(region->role);
    if (region->paradigm == MEASUREMENT_SYSTEM)
        return QUIPU_REGION_RUNTIME;
    switch (region->role) {
    case 12: /* critical, ordered, atomic, barriers, flush, waiting */
    case 14:
    case 15:
    case 16:
    case 17:
    case 18:
    case 22:
    case 33:
        return QUIPU_REGION_SYNC;
    case 20: /* tasks */
    case 34:
        return QUIPU_REGION_TASK;
    case 21: /* making tasks and threads, artificial */
    case 31:
    case 32:
        return QUIPU_REGION_RUNTIME;
    case 23: /* communication of another library, such as SHMEM or GASPI */
    case 24:
    case 25:
    case 26:
    case 28:
    case 29:
        return role_in_mpi(region->role);
    case 27:
    case 38:
        return QUIPU_REGION_IO;
    default:
        return region->paradigm == USER ? QUIPU_REGION_USER : QUIPU_REGION_FUNCTION;
    }
}

static uint32_t define_source(struct quipu__otf2_trace *own, const struct quipu__otf2_REGION *region) {
    const char *file = text_of(own, region->file);
    const struct quipu_source source = {.native_id = QUIPU_UNKNOWN,
                                        .file = file,
                                        .line = region->begin == UNDEFINED ? 0 : region->begin,
                                        .function = text_of(own, region->name),
                                        .caller = QUIPU_NONE};
    return file[0] ? quipu__add_source(own->trace->define, &source) : QUIPU_NONE;
}

/* Groups of regions give them their names; without one a region is in that of its paradigm. */
static const uint32_t *name_region_groups(struct quipu__otf2_trace *own) {
    enum { REGIONS = 2 };
    const uint32_t count = (uint32_t)own->saved[QUIPU__OTF2_TYPE_REGION].items.count;
    uint32_t *names = quipu__arena_alloc(&own->arena, ((size_t)count + 1) * sizeof *names), index = 0;
    for (EACH(own, REGION, r))
        put(own, QUIPU__OTF2_CLASS_region, (*r)->self, index++);
    for (uint32_t i = 0; names && i < count; i++)
        names[i] = UNDEFINED;
    for (EACH(own, GROUP, r))
        for (uint32_t i = 0; names && (*r)->type == REGIONS && i < quipu_sized_count((*r)->members); i++) {
            const uint32_t region = get(own, QUIPU__OTF2_CLASS_region, (*r)->members[i]);
            if (region < count)
                names[region] = (*r)->name;
        }
    return names;
}

static void define_regions(struct quipu__otf2_trace *own) {
    const uint32_t *names = name_region_groups(own);
    uint32_t index = 0;
    for (EACH(own, REGION, r)) {
        const bool is_named = names && names[index] != UNDEFINED;
        const struct quipu_region region = {
            .native_id = (*r)->self,
            .name = text_of(own, (*r)->name),
            .group = is_named ? text_of(own, names[index])
                              : label_of(QUIPU__OTF2_TYPE_REGION, QUIPU__OTF2_REGION_paradigm, (*r)->paradigm),
            .role = role_of(*r),
            .source = define_source(own, *r)};
        put(own, QUIPU__OTF2_CLASS_region, (*r)->self, quipu__add_region(own->trace->define, &region));
        index++;
    }
    for (EACH(own, CALLING_CONTEXT, r))
        put(own, QUIPU__OTF2_CLASS_context, (*r)->self, get(own, QUIPU__OTF2_CLASS_region, (*r)->region));
}

/* ---- Places in source code ---- */

/* What a calling context belongs to has called it: where that was is its call site. */
static void define_context_source(struct quipu__otf2_trace *own,
                                  const struct quipu__otf2_CALLING_CONTEXT *context) {
    const struct quipu_definitions *definitions = &own->trace->define->definitions;
    const uint32_t location = get(own, QUIPU__OTF2_CLASS_source, context->source_code_location),
                   region = get(own, QUIPU__OTF2_CLASS_region, context->region),
                   caller = get(own, QUIPU__OTF2_CLASS_context_source, context->parent);
    put(own, QUIPU__OTF2_CLASS_call_site, context->self, caller);
    if (location == QUIPU_NONE)
        return;
    struct quipu_source source = definitions->sources.items[location];
    source.native_id = context->self;
    source.function = region < definitions->regions.count ? definitions->regions.items[region].name : "";
    source.caller = caller;
    put(own, QUIPU__OTF2_CLASS_context_source, context->self, quipu__add_source(own->trace->define, &source));
}

static void define_sources(struct quipu__otf2_trace *own) {
    own->trace->define->definitions.has_call_sites =
        own->saved[QUIPU__OTF2_TYPE_SOURCE_CODE_LOCATION].items.count > 0;
    for (EACH(own, SOURCE_CODE_LOCATION, r)) {
        const struct quipu_source source = {.native_id = (*r)->self,
                                            .file = text_of(own, (*r)->file),
                                            .line = (*r)->line_number,
                                            .function = "",
                                            .caller = QUIPU_NONE};
        put(own, QUIPU__OTF2_CLASS_source, (*r)->self, quipu__add_source(own->trace->define, &source));
    }
    for (EACH(own, CALLING_CONTEXT, r))
        define_context_source(own, *r);
}

/* ---- Communicators ---- */

static const struct quipu__otf2_GROUP *group_at(const struct quipu__otf2_trace *own, uint32_t token) {
    const uint32_t index = get(own, QUIPU__OTF2_CLASS_group, token);
    return index == QUIPU_NONE ? NULL : saved_at(own, QUIPU__OTF2_TYPE_GROUP, index);
}

/* The locations that the ranks of a paradigm's world are. */
static const struct quipu__otf2_GROUP *world_of(const struct quipu__otf2_trace *own, uint32_t paradigm) {
    for (EACH(own, GROUP, r))
        if ((*r)->type == 4 && (*r)->paradigm == paradigm)
            return *r;
    return NULL;
}

static uint32_t number_of_location(const struct quipu__otf2_trace *own, uint64_t id) {
    const uint32_t index = get(own, QUIPU__OTF2_CLASS_location, id);
    return index < own->locations.count ? own->locations.items[index].number : QUIPU_NONE;
}

/* Locations of the model that a group consists of; *count 0 when it is none of locations. */
static const uint32_t *members_of(struct quipu__otf2_trace *own, const struct quipu__otf2_GROUP *group,
                                  uint32_t *count) {
    enum { LOCATIONS = 1, WORLD = 4, SUBSET = 5 };
    *count = 0;
    if (!group || (group->type != LOCATIONS && group->type != WORLD && group->type != SUBSET))
        return NULL;
    const struct quipu__otf2_GROUP *world = group->type == SUBSET ? world_of(own, group->paradigm) : NULL;
    const uint32_t members = quipu_sized_count(group->members);
    uint32_t *numbers = quipu__arena_alloc(&own->arena, ((size_t)members + 1) * sizeof *numbers);
    for (uint32_t i = 0; numbers && i < members; i++) {
        const uint64_t member = group->members[i];
        if (group->type != SUBSET)
            numbers[i] = number_of_location(own, member);
        else
            numbers[i] = world && member < quipu_sized_count(world->members)
                             ? number_of_location(own, world->members[member])
                             : QUIPU_NONE;
    }
    *count = numbers ? members : 0;
    return numbers;
}

/* The same by the ranks that events name: those of some groups are ranks in the world. */
static const uint32_t *ranks_of(struct quipu__otf2_trace *own, const struct quipu__otf2_GROUP *group,
                                uint32_t *count) {
    enum { GLOBAL_MEMBERS = 1 };
    return members_of(own, group && group->flags & GLOBAL_MEMBERS ? world_of(own, group->paradigm) : group,
                      count);
}

static struct quipu__otf2_comm *add_comm(struct quipu__otf2_trace *own, uint32_t token) {
    struct quipu__otf2_comm *comm = QUIPU__VEC_ADD(own->memory, &own->comms);
    if (!comm)
        return NULL;
    put(own, QUIPU__OTF2_CLASS_comm, token, own->comms.count - 1);
    *comm = (struct quipu__otf2_comm){.number = QUIPU_NONE, .other = QUIPU_NONE};
    return comm;
}

static void define_comms(struct quipu__otf2_trace *own) {
    enum { SELF = 6 };
    for (EACH(own, COMM, r)) {
        const struct quipu__otf2_GROUP *group = group_at(own, (*r)->group);
        struct quipu__otf2_comm *comm = add_comm(own, (*r)->self);
        struct quipu_group made = {
            .native_id = (*r)->self, .name = text_of(own, (*r)->name), .is_communicator = true};
        if (!comm)
            return;
        made.members = members_of(own, group, &made.member_count);
        comm->ranks = ranks_of(own, group, &comm->rank_count);
        comm->is_self = group && group->type == SELF;
        comm->number = quipu__add_group(own->trace->define, &made);
    }
}

static void define_inter_comms(struct quipu__otf2_trace *own) {
    for (EACH(own, INTER_COMM, r)) {
        struct quipu__otf2_comm *comm = add_comm(own, (*r)->self);
        struct quipu_group side = {
            .native_id = (*r)->self, .name = text_of(own, (*r)->name), .is_communicator = true};
        if (!comm)
            return;
        comm->others = side.members = members_of(own, group_at(own, (*r)->group_a), &side.member_count);
        comm->ranks = side.remote_members =
            members_of(own, group_at(own, (*r)->group_b), &side.remote_member_count);
        comm->other_count = side.member_count;
        comm->rank_count = side.remote_member_count;
        comm->number = quipu__add_group(own->trace->define, &side);
        side.members = comm->ranks;
        side.member_count = comm->rank_count;
        side.remote_members = comm->others;
        side.remote_member_count = comm->other_count;
        comm->other = quipu__add_group(own->trace->define, &side);
    }
    for (EACH(own, RMA_WIN, r))
        put(own, QUIPU__OTF2_CLASS_window, (*r)->self, get(own, QUIPU__OTF2_CLASS_comm, (*r)->communicator));
}

/* ---- Metrics ---- */

static enum quipu_metric_value value_of(uint32_t type) {
    enum { INT8 = 5, INT64 = 8, REAL = 9, DOUBLE = 10 };
    if (type == REAL || type == DOUBLE)
        return QUIPU_METRIC_F64;
    return type >= INT8 && type <= INT64 ? QUIPU_METRIC_I64 : QUIPU_METRIC_U64;
}

/* Values that count from the beginning accumulate; all others stand for what their timing says. */
static enum quipu_metric_mode mode_of(uint32_t mode) {
    static const enum quipu_metric_mode timings[] = {QUIPU_METRIC_ACCUMULATED, QUIPU_METRIC_POINT,
                                                     QUIPU_METRIC_LAST, QUIPU_METRIC_NEXT};
    return timings[mode >> 4 & 3];
}

static void define_members(struct quipu__otf2_trace *own) {
    for (EACH(own, METRIC_MEMBER, r)) {
        char unit[128];
        if ((*r)->exponent == 0)
            snprintf(unit, sizeof unit, "%s", text_of(own, (*r)->unit));
        else
            snprintf(unit, sizeof unit, "%d^%lld %s", (*r)->base == 0 ? 2 : 10, (long long)(*r)->exponent,
                     text_of(own, (*r)->unit));
        const struct quipu_metric metric = {
            .native_id = (*r)->self,
            .name = text_of(own, (*r)->name),
            .group = label_of(QUIPU__OTF2_TYPE_METRIC_MEMBER, QUIPU__OTF2_METRIC_MEMBER_type, (*r)->type),
            .unit = unit,
            .value = value_of((*r)->value_type),
            .mode = mode_of((*r)->mode),
            .properties = (*r)->mode};
        put(own, QUIPU__OTF2_CLASS_member, (*r)->self, quipu__add_metric(own->trace->define, &metric));
    }
}

static void define_metrics(struct quipu__otf2_trace *own) {
    define_members(own);
    own->most_members = 1;
    for (EACH(own, METRIC_CLASS, r)) {
        struct quipu__otf2_metric *metric = QUIPU__VEC_ADD(own->memory, &own->metrics);
        const uint32_t count = quipu_sized_count((*r)->members);
        uint32_t *members = quipu__arena_alloc(&own->arena, ((size_t)count + 1) * sizeof *members);
        if (!metric || !members)
            return;
        for (uint32_t i = 0; i < count; i++)
            members[i] = get(own, QUIPU__OTF2_CLASS_member, (*r)->members[i]);
        *metric = (struct quipu__otf2_metric){count, members};
        own->most_members = count > own->most_members ? count : own->most_members;
        put(own, QUIPU__OTF2_CLASS_metric, (*r)->self, own->metrics.count - 1);
    }
    for (EACH(own, METRIC_INSTANCE, r))
        put(own, QUIPU__OTF2_CLASS_metric, (*r)->self, get(own, QUIPU__OTF2_CLASS_metric, (*r)->class));
}

/* ---- Files, attributes, markers ---- */

static void define_file(struct quipu__otf2_trace *own, uint32_t token, uint32_t name) {
    const struct quipu_file file = {token, text_of(own, name), ""};
    put(own, QUIPU__OTF2_CLASS_io_file, token, quipu__add_file(own->trace->define, &file));
}

/* Handles of no file, such as those of standard output, are files with the name of the handle. */
static void define_files(struct quipu__otf2_trace *own) {
    for (EACH(own, IO_REGULAR_FILE, r))
        define_file(own, (*r)->self, (*r)->name);
    for (EACH(own, IO_DIRECTORY, r))
        define_file(own, (*r)->self, (*r)->name);
    for (EACH(own, IO_HANDLE, r)) {
        uint32_t file = get(own, QUIPU__OTF2_CLASS_io_file, (*r)->file);
        if (file == QUIPU_NONE && (*r)->name != UNDEFINED) {
            const struct quipu_file nameless = {QUIPU_UNKNOWN, text_of(own, (*r)->name), ""};
            file = quipu__add_file(own->trace->define, &nameless);
        }
        put(own, QUIPU__OTF2_CLASS_io_handle, (*r)->self, file);
    }
    own->trace->define->definitions.io_create_flag = 1;
}

static enum quipu_value_type type_of(uint32_t type) {
    static const enum quipu_value_type types[] = {QUIPU_VALUE_U32, QUIPU_VALUE_U8,  QUIPU_VALUE_U16,
                                                  QUIPU_VALUE_U32, QUIPU_VALUE_U64, QUIPU_VALUE_I8,
                                                  QUIPU_VALUE_I16, QUIPU_VALUE_I32, QUIPU_VALUE_I64,
                                                  QUIPU_VALUE_F32, QUIPU_VALUE_F64, QUIPU_VALUE_STRING};
    return type < sizeof types / sizeof *types ? types[type] : QUIPU_VALUE_U32;
}

static void define_attributes(struct quipu__otf2_trace *own) {
    for (EACH(own, ATTRIBUTE, r)) {
        const struct quipu_attribute_key key = {.native_id = (*r)->self,
                                                .name = text_of(own, (*r)->name),
                                                .doc = text_of(own, (*r)->description),
                                                .type = type_of((*r)->type)};
        put(own, QUIPU__OTF2_CLASS_attribute, (*r)->self, quipu__add_attribute_key(own->trace->define, &key));
    }
}

static void define_markers(struct quipu__otf2_trace *own) {
    static const uint32_t severities[] = {0, 3, 2, 1}; /* none, low, medium, high */
    for (EACH(own, DEF_MARKER, r)) {
        const struct quipu_marker marker = {(*r)->self, (*r)->category ? (*r)->category : "",
                                            (*r)->severity < 4 ? severities[(*r)->severity] : 0};
        put(own, QUIPU__OTF2_CLASS_marker, (*r)->self, quipu__add_marker(own->trace->define, &marker));
    }
}

/* Keys of the fields that become attributes: fields of one name share one. */
static bool define_field_keys(struct quipu__otf2_trace *own) {
    enum { ALL = QUIPU__OTF2_TYPE_COUNT * QUIPU__OTF2_FIELDS_MOST };
    own->field_keys = quipu__arena_alloc(&own->arena, ALL * sizeof *own->field_keys);
    const struct quipu_attribute_keys *keys = &own->trace->define->definitions.attribute_keys;
    const uint32_t first = keys->count;
    for (uint32_t i = 0; own->field_keys && i < ALL; i++) {
        const uint32_t type = i / QUIPU__OTF2_FIELDS_MOST, field = i % QUIPU__OTF2_FIELDS_MOST;
        uint32_t number = first;
        if (!quipu__otf2_is_attribute(type, field))
            continue;
        const struct quipu_field *row = &quipu__otf2_types[type].fields[field];
        while (number < keys->count && strcmp(keys->items[number].name, row->name) != 0)
            number++;
        const struct quipu_attribute_key key = {
            .native_id = QUIPU_UNKNOWN, .name = row->name, .doc = row->doc, .type = QUIPU_VALUE_U64};
        own->field_keys[i] = number < keys->count ? number : quipu__add_attribute_key(own->trace->define, &key);
    }
    return own->field_keys != NULL;
}

enum quipu_status quipu__otf2_define(struct quipu__otf2_trace *own, struct quipu_error *err) {
    define_clock(own);
    number_texts(own);
    const enum quipu_status status = define_locations(own, err);
    if (status != QUIPU_OK)
        return status;
    define_regions(own);
    define_sources(own);
    define_comms(own);
    define_inter_comms(own);
    define_metrics(own);
    define_files(own);
    define_attributes(own);
    define_markers(own);
    return define_field_keys(own) ? quipu__memory_status(own->memory, err)
                                  : quipu__no_memory(err, sizeof *own->field_keys);
}
