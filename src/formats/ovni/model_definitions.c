/* model_definitions.c: definitions that events of the model (model_events.h) refer to, as metadata and back:
 *
 *     "quipu": { "version": "1.0.0", "process": 0, "location": 1, "definitions": { "groups": { "0": { "name": …, "members": [0, 1] } } } }
 */
#include "formats/ovni/format.h"

#include "core/memory/map.h"
#include "core/text.h"
#include "model/event.h"

#include <string.h>

const char *const quipu__ovni_class_keys[QUIPU__OVNI_CLASSES] = {
    [QUIPU__OVNI_CLASS_locations] = "locations", [QUIPU__OVNI_CLASS_regions] = "regions",
    [QUIPU__OVNI_CLASS_groups] = "groups",       [QUIPU__OVNI_CLASS_files] = "files",
    [QUIPU__OVNI_CLASS_metrics] = "metrics",
};

/* ---- As metadata ---- */

static void set_text(json_t *object, const char *key, const char *text, bool *is_starved) {
    if (text && text[0])
        quipu__ovni_json_set(object, key, quipu__ovni_json_text(text), is_starved);
}

static void set_number(json_t *object, const char *key, int64_t number, bool *is_starved) {
    quipu__ovni_json_set(object, key, json_integer(number), is_starved);
}

static json_t *numbers_of(const uint32_t *numbers, uint32_t count, bool *is_starved) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < count; i++)
        quipu__ovni_json_append(list, json_integer((json_int_t)numbers[i]), is_starved);
    return list;
}

static void describe_location(const struct quipu_location *location, json_t *out, bool *is_starved) {
    set_text(out, "name", location->name, is_starved);
    set_number(out, "rank", location->rank, is_starved);
}

static void describe_region(const struct quipu_region *region, json_t *out, bool *is_starved) {
    set_text(out, "name", region->name, is_starved);
    set_text(out, "group", region->group, is_starved);
    set_text(out, "role", quipu__region_role_text(region->role), is_starved);
}

static void describe_group(const struct quipu_group *group, json_t *out, bool *is_starved) {
    set_text(out, "name", group->name, is_starved);
    quipu__ovni_json_set(out, "communicator", json_boolean(group->is_communicator), is_starved);
    quipu__ovni_json_set(out, "members", numbers_of(group->members, group->member_count, is_starved),
                         is_starved);
    if (group->remote_members)
        quipu__ovni_json_set(out, "remote_members",
                             numbers_of(group->remote_members, group->remote_member_count, is_starved),
                             is_starved);
}

static void describe_file(const struct quipu_file *file, json_t *out, bool *is_starved) {
    set_text(out, "name", file->name, is_starved);
    set_text(out, "group", file->group, is_starved);
}

static void describe_metric(const struct quipu_metric *metric, json_t *out, bool *is_starved) {
    set_text(out, "name", metric->name, is_starved);
    set_text(out, "group", metric->group, is_starved);
    set_text(out, "unit", metric->unit, is_starved);
    set_number(out, "value", metric->value, is_starved);
    set_number(out, "mode", metric->mode, is_starved);
}

static void describe(const struct quipu_definitions *definitions, enum quipu__ovni_class definition_class,
                     uint32_t number, json_t *out, bool *is_starved) {
    switch (definition_class) {
    case QUIPU__OVNI_CLASS_locations:
        describe_location(&definitions->locations.items[number], out, is_starved);
        return;
    case QUIPU__OVNI_CLASS_regions:
        describe_region(&definitions->regions.items[number], out, is_starved);
        return;
    case QUIPU__OVNI_CLASS_groups:
        describe_group(&definitions->groups.items[number], out, is_starved);
        return;
    case QUIPU__OVNI_CLASS_files:
        describe_file(&definitions->files.items[number], out, is_starved);
        return;
    default:
        describe_metric(&definitions->metrics.items[number], out, is_starved);
        return;
    }
}

json_t *quipu__ovni_definition(const struct quipu_definitions *definitions,
                               enum quipu__ovni_class definition_class, uint32_t number) {
    bool is_starved = false;
    json_t *out = json_object();
    describe(definitions, definition_class, number, out, &is_starved);
    if (!is_starved)
        return out;
    json_decref(out);
    return NULL;
}

/* ---- From metadata ---- */

struct loading {
    struct quipu__ovni_trace *own;
    struct quipu__define *define;
    struct quipu__map *region_of; /* by hash of the name: the first one */
};

static const char *text_of(const json_t *definition, const char *key) {
    const char *text = json_string_value(json_object_get(definition, key));
    return text ? text : "";
}

static int64_t number_of(const json_t *definition, const char *key, int64_t missing) {
    int64_t number;
    return quipu__ovni_json_integer(definition, key, &number) ? number : missing;
}

static uint64_t key_of(enum quipu__ovni_class definition_class, uint64_t number) {
    return (uint64_t)definition_class << 32 | (uint32_t)number;
}

static void relate(const struct loading *loading, enum quipu__ovni_class definition_class, int64_t number,
                   uint32_t ours) {
    if (number >= 0 && number < UINT32_MAX && ours != QUIPU_NONE)
        quipu__gate_knows(
            quipu__map_put(&loading->own->references, key_of(definition_class, (uint64_t)number), ours));
}

uint32_t quipu__ovni_refer(const struct quipu__ovni_trace *own, enum quipu__ovni_class definition_class,
                           uint64_t number) {
    return number < UINT32_MAX ? quipu__map_get(&own->references, key_of(definition_class, number))
                               : QUIPU_NONE;
}

static uint32_t load_location(const struct loading *loading, const json_t *definition, uint64_t number) {
    return quipu__add_location(loading->define,
                               &(struct quipu_location){.native_id = number,
                                                        .name = text_of(definition, "name"),
                                                        .kind = QUIPU_LOCATION_PROCESS,
                                                        .parent = QUIPU_NONE,
                                                        .rank = number_of(definition, "rank", -1),
                                                        .pid = -1,
                                                        .tid = -1,
                                                        .host = ""});
}

static enum quipu_region_role role_of(const json_t *definition) {
    const enum quipu_region_role role = quipu__region_role_find(text_of(definition, "role"));
    return role == QUIPU_REGION_ROLE_COUNT ? QUIPU_REGION_FUNCTION : role;
}

static void note_region(const struct loading *loading, uint32_t region) {
    const char *name = loading->define->definitions.regions.items[region].name;
    const uint64_t key = quipu__hash(name, strlen(name), loading->region_of->seed);
    if (quipu__map_get(loading->region_of, key) == QUIPU_NONE)
        quipu__gate_knows(quipu__map_put(loading->region_of, key, region));
}

static uint32_t find_region(const struct loading *loading, const char *name) {
    const uint32_t region =
        quipu__map_get(loading->region_of, quipu__hash(name, strlen(name), loading->region_of->seed));
    const bool is_it =
        region != QUIPU_NONE && strcmp(loading->define->definitions.regions.items[region].name, name) == 0;
    return is_it ? region : QUIPU_NONE;
}

static uint32_t add_region(const struct loading *loading, const struct quipu_region *region) {
    const uint32_t number = quipu__add_region(loading->define, region);
    if (number != QUIPU_NONE)
        note_region(loading, number);
    return number;
}

/* A region may already exist: as a mark, or as a function that ovni knows. */
static uint32_t load_region(const struct loading *loading, const json_t *definition, uint64_t number) {
    const struct quipu_regions *regions = &loading->define->definitions.regions;
    const char *name = text_of(definition, "name");
    const uint32_t mark = quipu__map_get(&loading->own->mark_regions, number + 1);
    struct quipu_region region = {.native_id = number,
                                  .name = name,
                                  .group = text_of(definition, "group"),
                                  .role = role_of(definition),
                                  .source = QUIPU_NONE,
                                  .nesting = QUIPU_NESTING_FREE};
    if (mark != QUIPU_NONE && strcmp(regions->items[mark].name, name) == 0) {
        region.native_id = regions->items[mark].native_id;
        quipu__gate_knows(quipu__set_region(loading->define, mark, &region));
        return mark;
    }
    const uint32_t known = find_region(loading, name);
    return known != QUIPU_NONE ? known : add_region(loading, &region);
}

static uint32_t *load_members(const struct loading *loading, const json_t *list) {
    const size_t count = json_array_size(list);
    uint32_t *members = quipu__arena_alloc(&loading->own->arena, (count + 1) * sizeof *members);
    for (size_t i = 0; members && i < count; i++) {
        const double number = json_number_value(json_array_get(list, i));
        const bool is_number = number >= 0 && number < (double)UINT32_MAX;
        members[i] = is_number ? quipu__ovni_refer(loading->own, QUIPU__OVNI_CLASS_locations, (uint64_t)number)
                               : QUIPU_NONE;
    }
    return members;
}

static uint32_t load_group(const struct loading *loading, const json_t *definition, uint64_t number) {
    const json_t *members = json_object_get(definition, "members"),
                 *remote = json_object_get(definition, "remote_members");
    const struct quipu_group group = {.native_id = number,
                                      .name = text_of(definition, "name"),
                                      .is_communicator =
                                          json_is_true(json_object_get(definition, "communicator")),
                                      .member_count = (uint32_t)json_array_size(members),
                                      .members = load_members(loading, members),
                                      .remote_member_count = (uint32_t)json_array_size(remote),
                                      .remote_members = remote ? load_members(loading, remote) : NULL};
    const bool has_memory = group.members && (group.remote_members || !remote);
    return has_memory ? quipu__add_group(loading->define, &group) : QUIPU_NONE;
}

static uint32_t load_file(const struct loading *loading, const json_t *definition, uint64_t number) {
    return quipu__add_file(loading->define, &(struct quipu_file){.native_id = number,
                                                                 .name = text_of(definition, "name"),
                                                                 .group = text_of(definition, "group")});
}

static uint32_t load_metric(const struct loading *loading, const json_t *definition, uint64_t number) {
    const int64_t value = number_of(definition, "value", 0), mode = number_of(definition, "mode", 0);
    const struct quipu_metric metric = {
        .native_id = number,
        .name = text_of(definition, "name"),
        .group = text_of(definition, "group"),
        .unit = text_of(definition, "unit"),
        .value = value >= 0 && value <= QUIPU_METRIC_F64 ? (enum quipu_metric_value)value : QUIPU_METRIC_U64,
        .mode = mode >= 0 && mode <= QUIPU_METRIC_NEXT ? (enum quipu_metric_mode)mode : QUIPU_METRIC_POINT};
    return quipu__add_metric(loading->define, &metric);
}

typedef uint32_t load_definition(const struct loading *loading, const json_t *definition, uint64_t number);
static load_definition *const loaders[QUIPU__OVNI_CLASSES] = {
    [QUIPU__OVNI_CLASS_locations] = load_location, [QUIPU__OVNI_CLASS_regions] = load_region,
    [QUIPU__OVNI_CLASS_groups] = load_group,       [QUIPU__OVNI_CLASS_files] = load_file,
    [QUIPU__OVNI_CLASS_metrics] = load_metric,
};

static void load_class(const struct loading *loading, enum quipu__ovni_class definition_class,
                       const json_t *definitions) {
    json_t *list = json_object_get(definitions, quipu__ovni_class_keys[definition_class]), *definition;
    const char *key;
    json_object_foreach(list, key, definition) {
        uint64_t number;
        if (quipu__parse_u64(key, strlen(key), &number) && number < UINT32_MAX)
            relate(loading, definition_class, (int64_t)number,
                   loaders[definition_class](loading, definition, number));
    }
}

/* Our own metadata of a stream, if its version is known; NULL: none. */
static const json_t *own_metadata(const struct quipu__ovni_stream *stream) {
    const json_t *own = json_object_get(stream->metadata, QUIPU__OVNI_OWN_KEY);
    const char *version = json_string_value(json_object_get(own, QUIPU__OVNI_VERSION_KEY));
    return version && strncmp(version, QUIPU__OVNI_OWN_VERSION, 2) == 0 ? own : NULL;
}

/* If a thread is a separate location, its process is another one. */
static void relate_stream(const struct loading *loading, uint32_t stream, const json_t *metadata) {
    const struct quipu__ovni_trace *own = loading->own;
    const uint32_t thread = own->system.thread_of[stream];
    if (thread == QUIPU_NONE)
        return;
    const uint32_t process = own->system.threads.items[thread].process;
    relate(loading, QUIPU__OVNI_CLASS_locations, number_of(metadata, QUIPU__OVNI_LOCATION_KEY, -1),
           own->thread_locations[thread]);
    relate(loading, QUIPU__OVNI_CLASS_locations, number_of(metadata, QUIPU__OVNI_PROCESS_KEY, -1),
           own->process_locations[process]);
}

void quipu__ovni_load_definitions(struct quipu__ovni_trace *own) {
    struct quipu__map region_of;
    const struct loading loading = {own, own->trace->define, &region_of};
    quipu__map_init(&region_of, own->memory);
    for (uint32_t i = 0; i < loading.define->definitions.regions.count; i++)
        note_region(&loading, i);
    for (uint32_t i = 0; i < own->files.streams.count; i++) {
        const json_t *metadata = own_metadata(&own->files.streams.items[i]);
        own->has_model_events |= metadata != NULL;
        if (metadata)
            relate_stream(&loading, i, metadata);
    }
    for (uint32_t i = 0; i < own->files.streams.count && own->has_model_events; i++) {
        const json_t *metadata = own_metadata(&own->files.streams.items[i]);
        for (unsigned definition_class = 0; metadata && definition_class < QUIPU__OVNI_CLASSES;
             definition_class++)
            load_class(&loading, (enum quipu__ovni_class)definition_class,
                       json_object_get(metadata, QUIPU__OVNI_DEFINITIONS_KEY));
    }
    quipu__map_release(&region_of);
}
