/* definition_writer.c: the file of definitions of a trace made from events: what its records refer to, and all processes and communicators.
 *
 * OTF's tools rely on more than the format requires: every process and group has a name here, every collective operation a
 * definition, every function a group.
 */
#include "formats/otf/from_model.h"

#include "core/error.h"
#include "model/event.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NANOSECONDS UINT64_C(1000000000)

/* Keys of key-values that definitions have. */
enum own_key { REMOTE_GROUP, FUNCTION, CALLER, HOST, OWN_KEYS };

struct defining {
    struct quipu__otf_model_writer *model;
    const struct quipu_definitions *definitions;
    struct quipu__buffer *text;
    bool long_form;
    bool failed;
    uint32_t keys[OWN_KEYS]; /* their tokens, 0: none has been written */
};

static void put(struct defining *it, enum quipu__otf_type type, const void *data) {
    quipu__otf_encode(it->text, type, data, it->long_form);
}

/* Texts of records are sized memory. */
static const char *sized(struct defining *it, const char *text) {
    const char *copy = quipu__scratch_text(&it->model->scratch, text, strlen(text));
    it->failed |= !copy;
    return copy;
}

/* The name, or the class and the token when there is none. */
static const char *named(struct defining *it, const char *name, const char *class_name, uint32_t token) {
    char text[64];
    if (name[0])
        return sized(it, name);
    snprintf(text, sizeof text, "%s %" PRIu32, class_name, token);
    return sized(it, text);
}

static bool is_used(const struct quipu__otf_tokens *tokens, uint32_t number) {
    return number < tokens->at.count && tokens->at.items[number].used;
}

static uint32_t token_of(const struct quipu__otf_tokens *tokens, uint32_t number) {
    return number < tokens->at.count ? tokens->at.items[number].token : 0;
}

/* ---- Names that are defined once: groups of functions, files and counters, source files ---- */

/* The token of a name. New names are defined: all such records hold a token and a name. */
static uint32_t define_name(struct defining *it, struct quipu__otf_names *names, enum quipu__otf_type type,
                            const char *name) {
    const uint32_t token = name ? quipu__otf_name_token(it->model, names, name) : 0;
    it->failed |= name && token == 0;
    for (; names->defined < names->at.count; names->defined++) {
        const struct quipu__otf_DefFunctionGroup record = {(uint32_t)names->defined + 1,
                                                           sized(it, names->at.items[names->defined])};
        put(it, type, &record);
    }
    return token;
}

/* ---- Header ---- */

static void put_header(struct defining *it) {
    const struct quipu__otf_DefVersion version = {QUIPU__OTF_VERSION_MAJOR, QUIPU__OTF_VERSION_MINOR,
                                                  QUIPU__OTF_VERSION_SUB, sized(it, QUIPU__OTF_VERSION_NAME)};
    const uint64_t ticks = it->definitions->clock.ticks_per_second;
    const struct quipu__otf_DefTimerResolution resolution = {ticks ? ticks : NANOSECONDS};
    const struct quipu__otf_DefTimeRange range = {it->model->first, it->model->last};
    char creator[64];
    snprintf(creator, sizeof creator, "quipu %s", quipu_version());
    const struct quipu__otf_DefCreator made_by = {sized(it, creator)};
    put(it, QUIPU__OTF_DefVersion, &version);
    put(it, QUIPU__OTF_DefTimerResolution, &resolution);
    put(it, QUIPU__OTF_DefCreator, &made_by);
    if (it->model->has_times)
        put(it, QUIPU__OTF_DefTimeRange, &range);
}

/* The id identifies a trace: a hash of all definitions does that, and is the same for the same trace. */
static void put_unique_id(struct defining *it) {
    const struct quipu__otf_DefUniqueId id = {quipu__hash(it->text->data, it->text->len, it->model->last)};
    put(it, QUIPU__OTF_DefUniqueId, &id);
}

/* ---- Processes and groups ---- */

static bool is_process(const struct defining *it, uint32_t location) {
    const enum quipu_location_kind kind = it->definitions->locations.items[location].kind;
    return kind == QUIPU_LOCATION_PROCESS || kind == QUIPU_LOCATION_THREAD ||
           is_used(&it->model->locations, location);
}

/* The nearest defined ancestor; QUIPU_NONE: there is none. */
static uint32_t parent_of(const struct defining *it, uint32_t location) {
    const struct quipu_locations *locations = &it->definitions->locations;
    uint32_t parent = locations->items[location].parent;
    for (uint32_t steps = 0; parent < locations->count && steps < locations->count; steps++) {
        if (is_process(it, parent))
            return parent;
        parent = locations->items[parent].parent;
    }
    return QUIPU_NONE;
}

/* ---- Inter-communicators ---- */

static bool has_members(const struct quipu_group *group, const uint32_t *members, uint32_t count) {
    return group->member_count == count &&
           (count == 0 || memcmp(group->members, members, count * sizeof *members) == 0);
}

/* The other side, or else a group with its members; QUIPU_NONE: the group is not an inter-communicator, or no such group is
 * known. */
static uint32_t other_side(const struct defining *it, const struct quipu_group *group) {
    const struct quipu_groups *groups = &it->definitions->groups;
    uint32_t found = QUIPU_NONE;
    for (uint32_t i = 0; group->remote_member_count > 0 && i < groups->count; i++) {
        const struct quipu_group *other = &groups->items[i];
        if (!has_members(other, group->remote_members, group->remote_member_count))
            continue;
        if (has_members(group, other->remote_members, other->remote_member_count))
            return i;
        found = found == QUIPU_NONE ? i : found;
    }
    return found;
}

/* Also writes the other sides of written communicators. */
static void use_other_sides(struct defining *it) {
    for (uint32_t g = 0; g < it->definitions->groups.count; g++) {
        const uint32_t other =
            is_used(&it->model->groups, g) ? other_side(it, &it->definitions->groups.items[g]) : QUIPU_NONE;
        if (other != QUIPU_NONE && other < it->model->groups.at.count)
            quipu__otf_use(&it->model->groups, other);
    }
}

/* The token of a key of the writer's own, which no other key has; 0 when there is none left. */
static uint32_t use_own_key(struct defining *it, enum own_key key) {
    uint32_t most = 0;
    for (uint32_t i = 0; it->keys[key] == 0 && i < it->model->keys.at.count; i++)
        if (is_used(&it->model->keys, i) && token_of(&it->model->keys, i) > most)
            most = token_of(&it->model->keys, i);
    if (it->keys[key] == 0)
        it->keys[key] = most + 1 + key > most ? most + 1 + key : 0;
    return it->keys[key];
}

/* The key-value before one side's definition. */
static void put_other_side(struct defining *it, const struct quipu_group *group) {
    const uint32_t other = other_side(it, group);
    if (other == QUIPU_NONE || use_own_key(it, REMOTE_GROUP) == 0)
        return;
    const struct quipu_value value = {
        .key = it->keys[REMOTE_GROUP], .type = QUIPU_VALUE_U32, .u = token_of(&it->model->groups, other)};
    quipu__otf_encode_value(it->text, &value, it->long_form);
}

static void put_own_keys(struct defining *it) {
    static const struct {
        const char *name, *doc;
        enum quipu_value_type type;
    } keys[OWN_KEYS] = {
        [REMOTE_GROUP] = {QUIPU__OTF_REMOTE_GROUP, "the other side of an inter-communicator", QUIPU_VALUE_U32},
        [FUNCTION] = {QUIPU__OTF_FUNCTION, "the function that a source location lies in", QUIPU_VALUE_BYTES},
        [CALLER] = {QUIPU__OTF_CALLER, "the source location of the call that led to one", QUIPU_VALUE_U32},
        [HOST] = {QUIPU__OTF_HOST, "the host that a process runs on", QUIPU_VALUE_BYTES}};
    for (uint32_t i = 0; i < OWN_KEYS; i++) {
        if (it->keys[i] == 0)
            continue;
        quipu__scratch_reset(&it->model->scratch);
        const struct quipu__otf_DefKeyValue record = {it->keys[i], (uint32_t)keys[i].type,
                                                      sized(it, keys[i].name), sized(it, keys[i].doc)};
        put(it, QUIPU__OTF_DefKeyValue, &record);
    }
}

/* Also writes communicators that no event has used: who is in them counts as a process. Of counters without values otfinfo-trace would crash. */
static void use_communicators(struct defining *it) {
    for (uint32_t g = 0; g < it->definitions->groups.count; g++)
        if (it->definitions->groups.items[g].is_communicator)
            quipu__otf_use(&it->model->groups, g);
}

/* Also writes the members of written groups. */
static void use_members(struct defining *it) {
    for (uint32_t g = 0; g < it->definitions->groups.count; g++) {
        const struct quipu_group *group = &it->definitions->groups.items[g];
        for (uint32_t i = 0; is_used(&it->model->groups, g) && i < group->member_count; i++)
            if (group->members[i] < it->model->locations.at.count)
                it->model->locations.at.items[group->members[i]].used = true;
    }
}

static const char *host_of(const struct defining *it, uint32_t location) {
    const struct quipu_locations *locations = &it->definitions->locations;
    return location < locations->count && locations->items[location].host ? locations->items[location].host
                                                                          : "";
}

/* The key-value before a process whose parent does not have the same host. */
static void put_host(struct defining *it, uint32_t location, uint32_t parent) {
    const char *host = host_of(it, location);
    if (!host[0] || strcmp(host, host_of(it, parent)) == 0 || use_own_key(it, HOST) == 0)
        return;
    const struct quipu_value value = {
        .key = it->keys[HOST], .type = QUIPU_VALUE_BYTES, .size = (uint32_t)strlen(host), .data = host};
    quipu__otf_encode_value(it->text, &value, it->long_form);
}

static void put_processes(struct defining *it) {
    for (uint32_t i = 0; i < it->definitions->locations.count; i++) {
        const uint32_t token = token_of(&it->model->locations, i), parent = parent_of(it, i);
        if (!is_process(it, i))
            continue;
        quipu__scratch_reset(&it->model->scratch);
        const struct quipu__otf_DefProcess process = {
            token, named(it, it->definitions->locations.items[i].name, "process", token),
            token_of(&it->model->locations, parent)};
        put_host(it, i, parent);
        put(it, QUIPU__OTF_DefProcess, &process);
    }
}

static void put_groups(struct defining *it) {
    for (uint32_t g = 0; g < it->definitions->groups.count; g++) {
        const struct quipu_group *group = &it->definitions->groups.items[g];
        const uint32_t token = token_of(&it->model->groups, g);
        if (!is_used(&it->model->groups, g))
            continue;
        quipu__scratch_reset(&it->model->scratch);
        uint32_t *members = quipu__scratch_sized(&it->model->scratch, group->member_count, sizeof *members);
        for (uint32_t i = 0; members && i < group->member_count; i++)
            members[i] = token_of(&it->model->locations, group->members[i]);
        it->failed |= !members;
        const struct quipu__otf_DefProcessGroup record = {token, members,
                                                          named(it, group->name, "group", token)};
        put_other_side(it, group);
        put(it, QUIPU__OTF_DefProcessGroup, &record);
    }
}

/* ---- Functions ---- */

static const char *group_name(const struct quipu_region *region) {
    if (region->group[0])
        return region->group;
    switch (region->role) {
    case QUIPU_REGION_MPI_P2P:
    case QUIPU_REGION_MPI_COLLECTIVE:
    case QUIPU_REGION_MPI_RMA:
    case QUIPU_REGION_MPI_IO:
    case QUIPU_REGION_MPI_OTHER:
        return "MPI";
    case QUIPU_REGION_IO:
        return "I/O";
    default:
        return "Application";
    }
}

/* The name of a group, followed by the role if the names of its functions do not show it. */
static const char *group_with_role(struct defining *it, const struct quipu_region *region) {
    const char *group = group_name(region), *role = quipu__region_role_text(region->role);
    if (!role || quipu__otf_region_role(region->name, group) == region->role)
        return group;
    const size_t size = strlen(group) + strlen(role) + sizeof " ()";
    char *text = size < UINT32_MAX ? quipu__scratch_sized(&it->model->scratch, (uint32_t)size, 1) : NULL;
    it->failed |= !text;
    if (text)
        snprintf(text, size, "%s (%s)", group, role);
    return text;
}

static void put_functions(struct defining *it) {
    define_name(it, &it->model->function_groups, QUIPU__OTF_DefFunctionGroup, NULL);
    for (uint32_t i = 0; i < it->definitions->regions.count; i++) {
        const struct quipu_region *region = &it->definitions->regions.items[i];
        const uint32_t token = token_of(&it->model->regions, i);
        if (!is_used(&it->model->regions, i))
            continue;
        quipu__scratch_reset(&it->model->scratch);
        const uint32_t group = define_name(it, &it->model->function_groups, QUIPU__OTF_DefFunctionGroup,
                                           group_with_role(it, region));
        if (region->source < it->model->sources.at.count)
            it->model->sources.at.items[region->source].used = true;
        const struct quipu__otf_DefFunction function = {token, group,
                                                        named(it, region->name, "function", token),
                                                        token_of(&it->model->sources, region->source)};
        put(it, QUIPU__OTF_DefFunction, &function);
    }
}

/* Types of OTF_COLLECTIVE_TYPE_* by the model's shape. */
static uint32_t collective_type(uint32_t operation) {
    static const uint8_t types[] = {[QUIPU_SHAPE_UNKNOWN] = 0,
                                    [QUIPU_SHAPE_BARRIER] = 1,
                                    [QUIPU_SHAPE_ONE_TO_ALL] = 2,
                                    [QUIPU_SHAPE_ALL_TO_ONE] = 3,
                                    [QUIPU_SHAPE_ALL_TO_ALL] = 4};
    return types[quipu_collective_shape(operation)];
}

static void put_collops(struct defining *it) {
    for (uint32_t i = 0; i < it->model->collops.at.count; i++) {
        const uint32_t token = token_of(&it->model->collops, i);
        if (!is_used(&it->model->collops, i))
            continue;
        quipu__scratch_reset(&it->model->scratch);
        const struct quipu__otf_DefCollectiveOperation record = {
            token, named(it, it->definitions->regions.items[i].name, "collective", token),
            collective_type(it->model->collop_operations.items[i])};
        put(it, QUIPU__OTF_DefCollectiveOperation, &record);
    }
    for (uint32_t operation = 0; operation < QUIPU_COLLECTIVE_COUNT; operation++) {
        const struct quipu__otf_DefCollectiveOperation record = {
            it->model->operation_tokens[operation],
            sized(it, quipu_operation_name(QUIPU_REFERS_COLLECTIVE, operation)), collective_type(operation)};
        if (record.collOp)
            put(it, QUIPU__OTF_DefCollectiveOperation, &record);
    }
}

/* ---- Counters, files, sources, keys ---- */

/* OTF_COUNTER_* bits for a metric's mode and type. */
static uint32_t metric_properties(const struct quipu_metric *metric) {
    static const uint8_t modes[] = {[QUIPU_METRIC_ACCUMULATED] = 0,
                                    [QUIPU_METRIC_POINT] = 1 | 4,
                                    [QUIPU_METRIC_LAST] = 1 | 8,
                                    [QUIPU_METRIC_NEXT] = 1 | 12};
    static const uint16_t types[] = {[QUIPU_METRIC_U64] = 0, [QUIPU_METRIC_I64] = 32, [QUIPU_METRIC_F64] = 288};
    return modes[metric->mode] | (uint32_t)types[metric->value];
}

static void put_counters(struct defining *it) {
    for (uint32_t i = 0; i < it->definitions->metrics.count; i++) {
        const struct quipu_metric *metric = &it->definitions->metrics.items[i];
        const uint32_t token = token_of(&it->model->metrics, i);
        if (!is_used(&it->model->metrics, i))
            continue;
        quipu__scratch_reset(&it->model->scratch);
        const uint32_t group = define_name(it, &it->model->counter_groups, QUIPU__OTF_DefCounterGroup,
                                           metric->group[0] ? metric->group : "Counters");
        const struct quipu__otf_DefCounter counter = {token, group, named(it, metric->name, "counter", token),
                                                      metric_properties(metric), sized(it, metric->unit)};
        put(it, QUIPU__OTF_DefCounter, &counter);
    }
}

static void put_files(struct defining *it) {
    define_name(it, &it->model->file_groups, QUIPU__OTF_DefFileGroup, NULL);
    for (uint32_t i = 0; i < it->definitions->files.count; i++) {
        const struct quipu_file *file = &it->definitions->files.items[i];
        const uint32_t token = token_of(&it->model->files, i);
        if (!is_used(&it->model->files, i))
            continue;
        quipu__scratch_reset(&it->model->scratch);
        const uint32_t group = define_name(it, &it->model->file_groups, QUIPU__OTF_DefFileGroup,
                                           file->group[0] ? file->group : "Files");
        const struct quipu__otf_DefFile record = {token, named(it, file->name, "file", token), group};
        put(it, QUIPU__OTF_DefFile, &record);
    }
}

/* The places of calls that led to those that are used are used, too. */
static void use_callers(struct defining *it) {
    const struct quipu_sources *sources = &it->definitions->sources;
    for (uint32_t i = 0; i < sources->count; i++) {
        uint32_t source = is_used(&it->model->sources, i) ? sources->items[i].caller : QUIPU_NONE;
        while (source < sources->count && !is_used(&it->model->sources, source)) {
            quipu__otf_use(&it->model->sources, source);
            source = sources->items[source].caller;
        }
    }
}

/* The key-values before a source location. */
static void put_function(struct defining *it, const struct quipu_source *source) {
    const struct quipu_value function = {.key = source->function[0] ? use_own_key(it, FUNCTION) : 0,
                                         .type = QUIPU_VALUE_BYTES,
                                         .size = (uint32_t)strlen(source->function),
                                         .data = source->function};
    const uint32_t its_caller = token_of(&it->model->sources, source->caller);
    const struct quipu_value caller = {
        .key = its_caller ? use_own_key(it, CALLER) : 0, .type = QUIPU_VALUE_U32, .u = its_caller};
    if (function.key)
        quipu__otf_encode_value(it->text, &function, it->long_form);
    if (caller.key)
        quipu__otf_encode_value(it->text, &caller, it->long_form);
}

static void put_sources(struct defining *it) {
    use_callers(it);
    for (uint32_t i = 0; i < it->definitions->sources.count; i++) {
        const struct quipu_source *source = &it->definitions->sources.items[i];
        if (!is_used(&it->model->sources, i))
            continue;
        quipu__scratch_reset(&it->model->scratch);
        const uint32_t file = define_name(it, &it->model->source_files, QUIPU__OTF_DefSclFile, source->file);
        const struct quipu__otf_DefScl record = {token_of(&it->model->sources, i), file, source->line};
        put_function(it, source);
        put(it, QUIPU__OTF_DefScl, &record);
    }
}

/* The description of a key, which says what is a text: OTF has byte arrays alone. */
static const char *doc_of(struct defining *it, const struct quipu_attribute_key *key) {
    const size_t len = strlen(key->doc),
                 end_len = key->type == QUIPU_VALUE_STRING ? strlen(QUIPU__OTF_TEXT) : 0;
    char *doc = quipu__scratch_sized(&it->model->scratch, (uint32_t)(len + end_len), 1);
    it->failed |= !doc;
    if (doc) {
        memcpy(doc, key->doc, len);
        memcpy(doc + len, QUIPU__OTF_TEXT, end_len);
    }
    return doc;
}

static void put_keys(struct defining *it) {
    for (uint32_t i = 0; i < it->definitions->attribute_keys.count; i++) {
        const struct quipu_attribute_key *key = &it->definitions->attribute_keys.items[i];
        if (!is_used(&it->model->keys, i))
            continue;
        quipu__scratch_reset(&it->model->scratch);
        const struct quipu__otf_DefKeyValue record = {token_of(&it->model->keys, i),
                                                      key->type <= QUIPU_VALUE_BYTES ? (uint32_t)key->type
                                                                                     : QUIPU_VALUE_BYTES,
                                                      sized(it, key->name), doc_of(it, key)};
        put(it, QUIPU__OTF_DefKeyValue, &record);
    }
}

/* ---- The master control file ---- */

/* One line per stream, streams and processes ascending. */
static bool put_master(struct quipu__otf_model_writer *model) {
    struct quipu__memory *memory = model->writer->writing->memory;
    struct quipu__buffer *out = &model->writer->master;
    QUIPU__VEC(uint64_t) mapping = QUIPU__VEC_INIT; /* stream above, process below */
    if (!QUIPU__VEC_RESERVE(memory, &mapping, model->location_streams.count + 1))
        return false;
    for (uint32_t i = 0; i < model->location_streams.count; i++)
        if (model->location_streams.items[i].is_mapped)
            mapping.items[mapping.count++] =
                (uint64_t)model->location_streams.items[i].stream << 32 | token_of(&model->locations, i);
    quipu__otf_sort_mapping(mapping.items, mapping.count);
    quipu__otf_put_mapping(out, mapping.items, mapping.count);
    QUIPU__VEC_RELEASE(memory, &mapping);
    return !out->failed;
}

enum quipu_status quipu__otf_put_definitions(struct quipu__otf_model_writer *model, struct quipu_error *err) {
    struct quipu__otf_writer *writer = model->writer;
    const enum quipu_status status =
        quipu__otf_use_output(writer, QUIPU__OTF_DEFINITIONS, QUIPU__OTF_GLOBAL_STREAM, err);
    struct defining it = {
        .model = model, .definitions = model->definitions, .text = &writer->text, .long_form = writer->is_long};
    if (status != QUIPU_OK)
        return status;
    quipu__scratch_reset(&model->scratch);
    use_communicators(&it);
    use_other_sides(&it);
    use_members(&it);
    put_header(&it);
    put_processes(&it);
    put_groups(&it);
    put_functions(&it);
    put_collops(&it);
    put_counters(&it);
    put_files(&it);
    put_sources(&it);
    put_keys(&it);
    put_own_keys(&it);
    put_unique_id(&it);
    if (it.failed || !put_master(model))
        return quipu__no_memory(err, writer->text.len);
    return quipu__otf_flush(writer, true, err);
}
