/* definition_writer.c: the definitions of what events have used, behind the events: in the order in which readers of OTF2 expect them, each behind
 * its strings. */
#include "formats/otf2/from_model.h"

#include "core/bounded.h"
#include "core/error.h"
#include "core/memory/sort.h"

#include <inttypes.h>
#include <stdio.h>

/* Numbers of what locations become, by location; UNDEFINED: nothing. */
struct layout {
    uint32_t *node, *group; /* parts of the machine, and processes or accelerators */
    uint32_t nodes, root;
    struct quipu__map host_of; /* string -> node that was made for a host */
};

static enum quipu_status define(model *m, enum quipu__otf2_type type, const void *record,
                                struct quipu_error *err) {
    return quipu__otf2_put_record(m->writer, &m->writer->definitions, type, record, err);
}

/* A string that is defined when it is used first. */
struct texts {
    size_t defined;
    struct quipu_error *err;
    enum quipu_status status;
};

static uint32_t text(model *m, struct texts *texts, const char *name) {
    const uint32_t string = quipu__otf2_intern(m, name, strlen(name));
    for (; texts->defined < m->strings.count && texts->status == QUIPU_OK; texts->defined++) {
        const char *defined = m->strings.items[texts->defined];
        const struct quipu__otf2_STRING record = {(uint32_t)texts->defined,
                                                  quipu__scratch_text(&m->scratch, defined, strlen(defined))};
        texts->status = define(m, QUIPU__OTF2_TYPE_STRING, &record, texts->err);
        quipu__scratch_reset(&m->scratch);
    }
    return string;
}

/* Defines a record, behind its strings. */
#define DEFINE(Record, ...)                                                                                    \
    do {                                                                                                       \
        const struct quipu__otf2_##Record record_ = {__VA_ARGS__};                                             \
        if (t->status == QUIPU_OK)                                                                             \
            t->status = define(m, QUIPU__OTF2_TYPE_##Record, &record_, t->err);                                \
    } while (0)

/* The offset is the first time, as readers of OTF2 expect. Where time 0 of the trace is another one, a property of the trace says so. */
static void define_clock(model *m, struct texts *t) {
    const struct quipu_clock *clock = &m->definitions->clock;
    const uint64_t offset = ((uint64_t)m->origin + (uint64_t)m->first) * (uint64_t)m->scale;
    const int64_t unix_ns = quipu__bounded_sum(clock->unix_origin_ns, quipu_clock_ns(clock, m->first));
    m->writer->time_zero = m->first < 0 ? (uint64_t)m->origin * (uint64_t)m->scale : QUIPU_UNKNOWN;
    DEFINE(CLOCK_PROPERTIES, clock->ticks_per_second ? clock->ticks_per_second : 1000000000, offset,
           m->last > offset ? m->last - offset : 0,
           clock->has_unix_origin && unix_ns >= 0 ? (uint64_t)unix_ns : QUIPU_UNKNOWN);
}

/* ---- Locations ---- */

static bool has_events(const model *m, uint32_t location) {
    return location < m->tracks.count && m->tracks.items[location];
}

/* Whether a location has a record of its own, and files: a process has them even where things happen in its threads only, so that these stay
 * what they are; its first thread is the process otherwise. */
static bool is_written(const model *m, uint32_t i) {
    const bool is_device = location_at(m, i)->kind == QUIPU_LOCATION_DEVICE && owner_of(m, i) == i;
    return has_events(m, i) || !(is_node(m, i) || is_device);
}

static bool lay_out(model *m, struct layout *layout) {
    const uint32_t count = m->definitions->locations.count;
    uint32_t *numbers = quipu__arena_alloc(&m->arena, ((size_t)count * 2 + 1) * sizeof *numbers);
    *layout = (struct layout){numbers, numbers ? numbers + count : NULL, 0, UNDEFINED, {0}};
    quipu__map_init(&layout->host_of, m->memory);
    if (numbers)
        memset(numbers, 0xff, (size_t)count * 2 * sizeof *numbers);
    return numbers != NULL;
}

static uint32_t define_node(model *m, struct texts *t, struct layout *layout, const char *name,
                            const char *class_of, uint32_t parent) {
    const uint32_t node = layout->nodes++, its_name = text(m, t, name), its_class = text(m, t, class_of);
    DEFINE(SYSTEM_TREE_NODE, node, its_name, its_class, parent);
    return node;
}

/* The part of the machine that something lies in, by its parent and what is known of its host. */
static uint32_t node_above(model *m, struct texts *t, struct layout *layout,
                           const struct quipu_location *location) {
    uint32_t above = location->parent, node = UNDEFINED;
    bool has_host = location->host[0] == '\0';
    for (unsigned level = 0; above < m->definitions->locations.count && level < LEVELS_MOST;
         above = location_at(m, above)->parent, level++) {
        node = node == UNDEFINED ? layout->node[above] : node;
        has_host |= location_at(m, above)->kind == QUIPU_LOCATION_NODE;
    }
    if (node == UNDEFINED && layout->root == UNDEFINED)
        layout->root = define_node(m, t, layout, "machine", "machine", UNDEFINED);
    node = node == UNDEFINED ? layout->root : node;
    if (has_host)
        return node;
    const uint32_t host = text(m, t, location->host), known_node = quipu__map_get(&layout->host_of, host);
    if (known_node != QUIPU_NONE)
        return known_node;
    node = define_node(m, t, layout, location->host, "node", node);
    quipu__gate_knows(quipu__map_put(&layout->host_of, host, node));
    return node;
}

static void define_nodes(model *m, struct texts *t, struct layout *layout) {
    static const char *const node_names[] = {[QUIPU_LOCATION_MACHINE] = "machine",
                                             [QUIPU_LOCATION_NODE] = "node",
                                             [QUIPU_LOCATION_CPU] = "cpu",
                                             [QUIPU_LOCATION_FILE_SYSTEM] = "file system",
                                             [QUIPU_LOCATION_APPLICATION] = "application"};
    for (uint32_t i = 0; i < m->definitions->locations.count; i++) {
        const struct quipu_location *location = location_at(m, i);
        const uint32_t parent =
            location->parent < m->definitions->locations.count ? layout->node[location->parent] : UNDEFINED;
        if (is_node(m, i))
            layout->node[i] = define_node(m, t, layout, location->name, node_names[location->kind], parent);
    }
}

static void define_groups_of_locations(model *m, struct texts *t, struct layout *layout) {
    uint32_t groups = 0;
    for (uint32_t i = 0; i < m->definitions->locations.count; i++) {
        const struct quipu_location *location = location_at(m, i), *parent = location_at(m, location->parent);
        const bool is_device = location->kind == QUIPU_LOCATION_DEVICE;
        if (owner_of(m, i) != i || (is_node(m, i) && !has_events(m, i)))
            continue;
        const uint32_t node = is_node(m, i) ? layout->node[i] : node_above(m, t, layout, location);
        const uint32_t creator = is_device && parent ? layout->group[owner_of(m, location->parent)] : UNDEFINED;
        const uint32_t name = text(m, t, location->name);
        layout->group[i] = groups++;
        DEFINE(LOCATION_GROUP, layout->group[i], name, is_device ? 2u : 1u, node, creator);
    }
}

/* A location with its files: that of its events is there if it has any. */
static void define_location(model *m, struct texts *t, const struct layout *layout, uint32_t i) {
    struct quipu__otf2_writer *writer = m->writer;
    const struct quipu_location *location = location_at(m, i);
    const bool is_meter = location->kind == QUIPU_LOCATION_METER,
               is_stream = location->kind == QUIPU_LOCATION_DEVICE;
    const uint32_t type = 1u + is_stream + 2u * is_meter;
    const uint32_t name = text(m, t, location->name);
    struct quipu__otf2_out empty, *events = has_events(m, i) ? &m->tracks.items[i]->out : &empty;
    if (t->status == QUIPU_OK && events == &empty)
        t->status = quipu__otf2_begin_file(writer, events, QUIPU__OTF2_GROUP_EVENT, id_of(m, i), t->err);
    if (t->status == QUIPU_OK)
        t->status = quipu__otf2_end_file(writer, events, t->err);
    if (t->status == QUIPU_OK)
        t->status =
            quipu__otf2_begin_file(writer, &writer->local, QUIPU__OTF2_GROUP_LOCAL, id_of(m, i), t->err);
    if (t->status == QUIPU_OK)
        t->status = quipu__otf2_end_file(writer, &writer->local, t->err);
    if (t->status == QUIPU_OK)
        DEFINE(LOCATION, id_of(m, i), name, type, events->records, layout->group[owner_of(m, i)]);
    writer->locations++;
}

static void define_locations(model *m, struct texts *t, struct layout *layout) {
    define_nodes(m, t, layout);
    define_groups_of_locations(m, t, layout);
    for (uint32_t i = 0; i < m->definitions->locations.count && t->status == QUIPU_OK; i++)
        if (is_written(m, i))
            define_location(m, t, layout, i);
}

/* ---- Regions ---- */

static const uint32_t mpi = 4; /* the paradigm */

/* By the data flow of what happens in it. */
static uint32_t collective_role(const model *m, uint32_t region) {
    static const uint8_t roles[] = {[QUIPU_SHAPE_UNKNOWN] = 26,
                                    [QUIPU_SHAPE_BARRIER] = 15,
                                    [QUIPU_SHAPE_ONE_TO_ALL] = 23,
                                    [QUIPU_SHAPE_ALL_TO_ONE] = 24,
                                    [QUIPU_SHAPE_ALL_TO_ALL] = 25};
    const uint32_t operation = region < m->operation_of.count ? m->operation_of.items[region] : 0;
    return roles[operation ? quipu_collective_shape(operation - 1) : QUIPU_SHAPE_UNKNOWN];
}

static void define_region(model *m, struct texts *t, uint32_t token) {
    /* Role and paradigm, from which role_of in define.c gets the model's. */
    static const uint8_t roles[QUIPU_REGION_ROLE_COUNT][2] = {[QUIPU_REGION_FUNCTION] = {1, 2},
                                                              [QUIPU_REGION_MPI_P2P] = {28, 4},
                                                              [QUIPU_REGION_MPI_COLLECTIVE] = {26, 4},
                                                              [QUIPU_REGION_MPI_RMA] = {29, 4},
                                                              [QUIPU_REGION_MPI_IO] = {27, 4},
                                                              [QUIPU_REGION_MPI_OTHER] = {1, 4},
                                                              [QUIPU_REGION_IO] = {27, 1},
                                                              [QUIPU_REGION_SYNC] = {33, 0},
                                                              [QUIPU_REGION_RUNTIME] = {31, 6},
                                                              [QUIPU_REGION_TASK] = {20, 0},
                                                              [QUIPU_REGION_USER] = {4, 1},
                                                              [QUIPU_REGION_IDLE] = {31, 22}};
    static const struct quipu_region unknown = {.name = "", .group = "", .source = QUIPU_NONE};
    const uint32_t number = m->regions.numbers.items[token];
    const struct quipu_region *region = number == 0 ? &unknown : &m->definitions->regions.items[number - 1];
    const struct quipu_source *source =
        region->source < m->definitions->sources.count ? &m->definitions->sources.items[region->source] : NULL;
    const uint32_t name = text(m, t, region->name), file = source ? text(m, t, source->file) : UNDEFINED;
    const bool is_collective = region->role == QUIPU_REGION_MPI_COLLECTIVE;
    DEFINE(REGION, .self = token, .name = name, .canonical_name = name, .description = 0,
           .role = is_collective ? collective_role(m, number - 1) : roles[region->role][0],
           .paradigm = roles[region->role][1], .file = file, .begin = source ? source->line : UNDEFINED,
           .end = UNDEFINED);
}

/* ---- Places in source code ---- */

/* The number of a calling context. Those that have called it are numbered first, as readers of OTF2 expect. */
static uint32_t use_context(model *m, uint32_t number) {
    const struct quipu_sources *sources = &m->definitions->sources;
    uint32_t chain[LEVELS_MOST], levels = 0;
    for (uint32_t next = number; next < sources->count && levels < LEVELS_MOST;
         next = sources->items[next].caller) {
        if (next < m->contexts.tokens.count && m->contexts.tokens.items[next] != 0)
            break;
        chain[levels++] = next;
    }
    while (levels-- > 0) {
        use(m, &m->sources, chain[levels], sources->count);
        use(m, &m->contexts, chain[levels], sources->count);
    }
    return use(m, &m->contexts, number, sources->count);
}

struct quipu_value quipu__otf2_store_source(model *m, uint32_t number) {
    const struct quipu_sources *sources = &m->definitions->sources;
    const bool has_function = number < sources->count && sources->items[number].function[0];
    struct quipu_value made = {.type = QUIPU_VALUE_U32,
                               .size = has_function ? QUIPU__OTF2_CONTEXT_REF : QUIPU__OTF2_SOURCE_REF};
    made.u = has_function ? use_context(m, number) : use(m, &m->sources, number, sources->count);
    return made;
}

/* The region of a function that no event enters: they are numbered behind the others. */
static uint32_t define_function(model *m, struct texts *t, struct quipu__map *region_of, const char *function) {
    const uint32_t name = text(m, t, function), known = quipu__map_get(region_of, name);
    if (known != QUIPU_NONE)
        return known;
    const uint32_t token = (uint32_t)(m->regions.numbers.count + region_of->count);
    DEFINE(REGION, .self = token, .name = name, .canonical_name = name, .description = 0, .role = 1,
           .paradigm = 2, .file = UNDEFINED, .begin = UNDEFINED, .end = UNDEFINED);
    return quipu__map_put(region_of, name, token) ? token : UNDEFINED;
}

/* Calling contexts have their callers in front of them; a circle of callers ends at the first one. */
static void define_context(model *m, struct texts *t, struct quipu__map *region_of, uint32_t token) {
    const uint32_t number = m->contexts.numbers.items[token], count = m->definitions->sources.count;
    const struct quipu_source *source = &m->definitions->sources.items[number];
    const uint32_t region = define_function(m, t, region_of, source->function);
    const uint32_t parent = use(m, &m->contexts, source->caller, count);
    DEFINE(CALLING_CONTEXT, token, region, use(m, &m->sources, number, count),
           parent < token ? parent : UNDEFINED);
}

static void define_sources(model *m, struct texts *t) {
    struct quipu__map region_of;
    quipu__map_init(&region_of, m->memory);
    for (uint32_t i = 0; i < m->sources.numbers.count; i++) {
        const struct quipu_source *source = &m->definitions->sources.items[m->sources.numbers.items[i]];
        const uint32_t file = text(m, t, source->file);
        DEFINE(SOURCE_CODE_LOCATION, i, file, source->line);
    }
    for (uint32_t i = 0; i < m->contexts.numbers.count; i++)
        define_context(m, t, &region_of, i);
    quipu__map_release(&region_of);
}

/* ---- Groups ---- */

static void define_group(model *m, struct texts *t, uint32_t group, uint32_t name, uint32_t type,
                         const uint64_t *members) {
    DEFINE(GROUP, .self = group, .name = name, .type = type, .paradigm = type == 2 ? 0 : mpi,
           .members = members);
    quipu__scratch_reset(&m->scratch);
}

/* Members that nothing is known of have no rank. */
static uint64_t member_of(const model *m, uint32_t location) {
    return location < m->rank_of.count ? m->rank_of.items[location] : QUIPU_UNKNOWN;
}

static void define_ranks(model *m, struct texts *t, uint32_t group, const uint32_t *locations, uint32_t count) {
    enum { SUBSET = 5 };
    const uint32_t none = text(m, t, "");
    while (locations && count > 0 && member_of(m, locations[count - 1]) == QUIPU_UNKNOWN)
        count--; /* readers want no undefined ranks */
    uint64_t *members = quipu__scratch_sized(&m->scratch, count, sizeof *members);
    for (uint32_t i = 0; members && i < count; i++)
        members[i] = locations ? member_of(m, locations[i]) : i;
    define_group(m, t, group, none, SUBSET, members);
}

/* All of them, in a group of its own: the ranks of others are numbers in it. */
static void define_world(model *m, struct texts *t) {
    enum { WORLD = 4 };
    const uint32_t name = text(m, t, "processes");
    uint64_t *members = quipu__scratch_sized(&m->scratch, (uint32_t)m->world.count, sizeof *members);
    for (size_t i = 0; members && i < m->world.count; i++)
        members[i] = id_of(m, m->world.items[i]);
    define_group(m, t, 0, name, WORLD, members);
}

static const struct quipu_group *group_of_comm(const model *m, uint32_t token) {
    const uint32_t number = m->comms.numbers.items[token];
    return number == 0 ? NULL : &m->definitions->groups.items[number - 1];
}

/* Those of a communicator are the next one or two. Returns how many there are. */
static uint32_t define_groups(model *m, struct texts *t) {
    uint32_t groups = 1;
    define_world(m, t);
    for (uint32_t i = 0; i < m->comms.numbers.count; i++) {
        const struct quipu_group *group = group_of_comm(m, i);
        define_ranks(m, t, groups++, group ? group->members : NULL,
                     group ? group->member_count : (uint32_t)m->world.count);
        if (group && group->remote_members)
            define_ranks(m, t, groups++, group->remote_members, group->remote_member_count);
    }
    return groups;
}

static void define_comms(model *m, struct texts *t) {
    uint32_t groups = 1;
    for (uint32_t i = 0; i < m->comms.numbers.count; i++) {
        const struct quipu_group *group = group_of_comm(m, i);
        const uint32_t name = text(m, t, group ? group->name : "world");
        if (group && group->remote_members) {
            DEFINE(INTER_COMM, i, name, groups, groups + 1, use(m, &m->comms, 0, 1), 0);
            groups += 2;
        } else {
            DEFINE(COMM, i, name, groups++, UNDEFINED, 0);
        }
    }
    for (uint32_t i = 0; i < m->windows.numbers.count; i++) {
        const uint32_t name = text(m, t, "window");
        DEFINE(RMA_WIN, i, name, m->comms.tokens.items[m->windows.numbers.items[i]] - 1, 0);
    }
}

/* ---- Groups of regions: their names ---- */

struct named_region {
    uint32_t name, region;
};

static int compare_named(const void *left, const void *right) {
    const struct named_region *a = left, *b = right;
    if (a->name != b->name)
        return a->name < b->name ? -1 : 1;
    return a->region < b->region ? -1 : a->region > b->region;
}

static void define_region_groups(model *m, struct texts *t, uint32_t groups) {
    enum { REGIONS = 2 };
    const uint32_t count = (uint32_t)m->regions.numbers.count;
    struct named_region *named = quipu__arena_alloc(&m->arena, ((size_t)count + 1) * sizeof *named);
    for (uint32_t i = 0; named && i < count; i++) {
        const uint32_t number = m->regions.numbers.items[i];
        named[i] = (struct named_region){
            number == 0 ? 0 : text(m, t, m->definitions->regions.items[number - 1].group), i};
    }
    if (!named || !quipu__sort(m->memory, named, count, sizeof *named, compare_named))
        return;
    for (uint32_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && named[end].name == named[first].name; end++)
            ;
        uint64_t *members = quipu__scratch_sized(&m->scratch, end - first, sizeof *members);
        for (uint32_t i = first; members && i < end; i++)
            members[i - first] = named[i].region;
        if (named[first].name != 0)
            define_group(m, t, groups++, named[first].name, REGIONS, members);
    }
}

/* ---- Metrics, files, attributes ---- */

static void define_metric(model *m, struct texts *t, uint32_t token) {
    static const uint8_t types[] = {[QUIPU_METRIC_U64] = QUIPU__OTF2_U64,
                                    [QUIPU_METRIC_I64] = QUIPU__OTF2_I64,
                                    [QUIPU_METRIC_F64] = QUIPU__OTF2_F64};
    static const uint8_t modes[] = {[QUIPU_METRIC_ACCUMULATED] = 0,
                                    [QUIPU_METRIC_POINT] = 17,
                                    [QUIPU_METRIC_LAST] = 33,
                                    [QUIPU_METRIC_NEXT] = 49};
    const struct quipu_metric *metric = &m->definitions->metrics.items[m->metrics.numbers.items[token]];
    const uint32_t name = text(m, t, metric->name), group = text(m, t, metric->group),
                   unit = text(m, t, metric->unit);
    uint32_t *members = quipu__scratch_sized(&m->scratch, 1, sizeof *members);
    if (members)
        *members = token;
    DEFINE(METRIC_MEMBER, .self = token, .name = name, .description = group, .mode = modes[metric->mode],
           .value_type = types[metric->value], .base = 1, .unit = unit);
    DEFINE(METRIC_CLASS, .self = token, .members = members, .occurrence = 1);
    quipu__scratch_reset(&m->scratch);
}

static void define_files(model *m, struct texts *t) {
    if (m->files.numbers.count == 0 && m->handles.count == 0)
        return;
    const uint32_t posix = text(m, t, "POSIX"), title = text(m, t, "POSIX I/O");
    DEFINE(IO_PARADIGM, .identification = posix, .name = title, .flags = 1);
    for (uint32_t i = 0; i < m->files.numbers.count; i++) {
        const uint32_t name = text(m, t, m->definitions->files.items[m->files.numbers.items[i]].name);
        DEFINE(IO_REGULAR_FILE, i, name, UNDEFINED);
    }
    for (uint32_t i = 0; i < m->handles.count; i++) {
        const struct handle *handle = &m->handles.items[i];
        const uint32_t file = use(m, &m->files, handle->file, m->definitions->files.count);
        char name[40];
        snprintf(name, sizeof name, "handle %" PRIu64, handle->number);
        const uint32_t its_name = text(m, t, file == UNDEFINED ? name : "");
        DEFINE(IO_HANDLE, .self = i, .name = its_name, .file = file, .communicator = UNDEFINED,
               .parent = UNDEFINED);
    }
}

static void define_key(model *m, struct texts *t, uint32_t token) {
    static const struct quipu_attribute_key built_in[] = {
        {.name = "text", .doc = "", .type = QUIPU_VALUE_STRING},
        {.name = "source", .doc = "place in source code"}};
    const uint32_t number = m->keys.numbers.items[token] / VALUE_TYPES;
    const struct quipu_attribute_key *key = number < BUILT_IN_KEYS
                                                ? &built_in[number]
                                                : &m->definitions->attribute_keys.items[number - BUILT_IN_KEYS];
    const uint32_t name = text(m, t, key->name), doc = text(m, t, key->doc ? key->doc : "");
    DEFINE(ATTRIBUTE, token, name, doc, m->keys.numbers.items[token] % VALUE_TYPES);
}

static void define_rest(model *m, struct texts *t) {
    for (uint32_t i = 0; i < m->metrics.numbers.count; i++)
        define_metric(m, t, i);
    define_files(m, t);
    for (uint32_t i = 0; i < m->keys.numbers.count; i++)
        define_key(m, t, i);
    const uint32_t note = m->has_note ? text(m, t, "note") : 0;
    if (m->has_note)
        DEFINE(PARAMETER, 0, note, 0);
}

enum quipu_status quipu__otf2_put_definitions(model *m, struct quipu_error *err) {
    enum { MANY_RANKS = 600000, LARGE_CHUNK = 1 << 24 }; /* whose group is one record */
    struct quipu__otf2_writer *writer = m->writer;
    struct texts texts = {.err = err}, *t = &texts;
    struct layout layout;
    if (m->definitions->locations.count > MANY_RANKS)
        writer->definition_chunk = LARGE_CHUNK;
    t->status =
        quipu__otf2_begin_file(writer, &writer->definitions, QUIPU__OTF2_GROUP_DEFINITION, QUIPU_UNKNOWN, err);
    if (!lay_out(m, &layout))
        return quipu__no_memory(err, sizeof layout);
    define_clock(m, t);
    const uint32_t name = text(m, t, "MPI");
    DEFINE(PARADIGM, mpi, name, 0);
    define_locations(m, t, &layout);
    for (uint32_t i = 0; i < m->regions.numbers.count; i++)
        define_region(m, t, i);
    define_sources(m, t);
    define_region_groups(m, t, define_groups(m, t));
    define_comms(m, t);
    define_rest(m, t);
    quipu__map_release(&layout.host_of);
    return t->status == QUIPU_OK ? quipu__memory_status(m->memory, err) : t->status;
}
