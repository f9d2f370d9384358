/* define.c: the definitions that follow from the sections of the files: clock, locations, regions, groups, metrics
 * and attribute keys. scan.c adds communicators, files and threads, which only records reveal. */
#include "formats/dumpi/format.h"

#include "core/error.h"
#include "core/os.h"

#include <stdio.h>
#include <string.h>

#define NS_PER_SECOND INT64_C(1000000000)

/* ---- Locations ---- */

static uint32_t add_process(struct quipu__dumpi_trace *own, uint32_t rank, const char *host) {
    char name[40];
    snprintf(name, sizeof name, "rank %u", rank);
    const struct quipu_location location = {.native_id = rank,
                                            .name = name,
                                            .kind = QUIPU_LOCATION_PROCESS,
                                            .parent = QUIPU_NONE,
                                            .rank = rank,
                                            .pid = -1,
                                            .tid = -1,
                                            .host = host ? host : ""};
    return quipu__add_location(own->trace->define, &location);
}

/* The first locations are the ranks of the world, including, when one file was opened alone, those without a file,
 * which records refer to. */
static enum quipu_status define_locations(struct quipu__dumpi_trace *own, struct quipu_error *err) {
    const uint32_t rank_of_only = own->files.items[0].rank;
    enum quipu_status status = QUIPU_OK;
    own->world_size = (uint32_t)own->files.count;
    if (own->is_single)
        status = quipu__dumpi_peek_world(own, &own->world_size, err);
    if (status != QUIPU_OK)
        return status;
    if (own->is_single && own->world_size <= rank_of_only)
        own->world_size = rank_of_only + 1;
    for (uint32_t rank = 0; rank < own->world_size; rank++) {
        const bool has_file = !own->is_single || rank == rank_of_only;
        const uint32_t number = own->is_single ? 0 : rank;
        struct quipu__dumpi_file *file = has_file ? &own->files.items[number] : NULL;
        const uint32_t location = add_process(own, rank, file ? file->host : NULL);
        if (!file)
            continue;
        file->location = location;
        file->threads = quipu__arena_alloc(&own->arena, sizeof *file->threads);
        if (!file->threads)
            return quipu__no_memory(err, sizeof *file->threads);
        file->threads[0] = location;
        file->thread_count = 1;
    }
    return QUIPU_OK;
}

/* ---- Communicators that are always there ---- */

static void define_selves(struct quipu__dumpi_trace *own) {
    for (size_t i = 0; i < own->files.count; i++) {
        struct quipu__dumpi_file *file = &own->files.items[i];
        const struct quipu_group group = {.native_id = QUIPU__DUMPI_COMM_SELF,
                                          .name = "MPI_COMM_SELF",
                                          .is_communicator = true,
                                          .member_count = 1,
                                          .members = &file->location};
        file->self = quipu__add_group(own->trace->define, &group);
    }
}

static void define_world(struct quipu__dumpi_trace *own) {
    const uint32_t count = own->world_size;
    uint32_t *members = quipu__arena_alloc(&own->arena, (size_t)count * sizeof *members);
    for (uint32_t i = 0; members && i < count; i++)
        members[i] = i;
    const struct quipu_group group = {.native_id = QUIPU__DUMPI_COMM_WORLD,
                                      .name = "MPI_COMM_WORLD",
                                      .is_communicator = true,
                                      .member_count = members ? count : 0,
                                      .members = members};
    own->world = quipu__add_group(own->trace->define, &group);
}

/* ---- Regions ---- */

static bool is_call(uint32_t type) {
    return quipu__dumpi_types[type].id < QUIPU__DUMPI_OLD_END;
}

bool quipu__dumpi_is_used(const struct quipu__dumpi_trace *own, uint32_t type) {
    return is_call(type) && (!own->footers_complete || own->called[quipu__dumpi_types[type].id] != 0);
}

static void define_regions(struct quipu__dumpi_trace *own) {
    for (uint32_t row = 0; row < QUIPU__DUMPI_LATER_CALLS; row++)
        own->later_regions[row] = QUIPU_NONE;
    for (uint32_t type = 0; type < QUIPU__DUMPI_TYPE_COUNT; type++) {
        own->regions[type] = QUIPU_NONE;
        if (!quipu__dumpi_is_used(own, type))
            continue;
        const struct quipu_region region = {.native_id = quipu__dumpi_types[type].id,
                                            .name = quipu__dumpi_types[type].name,
                                            .group = "MPI",
                                            .role = quipu__dumpi_types[type].group,
                                            .source = QUIPU_NONE};
        own->regions[type] = quipu__add_region(own->trace->define, &region);
    }
}

/* Numbers of regions are unique: a key that is also a function's number gets another one. */
static uint64_t label_id(uint64_t address) {
    return address > QUIPU__DUMPI_END ? address : QUIPU_UNKNOWN;
}

/* What a function is by its name: a call that DUMPI has no record for, or one that has not ended; else it is the user's. */
static void describe_label(struct quipu__dumpi_trace *own, uint32_t number, struct quipu_region *region) {
    static const struct {
        const char *begin;
        enum quipu_region_role role;
    } roles[] = {{"MPI_File_", QUIPU_REGION_MPI_IO},      {"MPI_Win_", QUIPU_REGION_MPI_RMA},
                 {"MPI_R", QUIPU_REGION_MPI_RMA},         {"MPI_Mrecv", QUIPU_REGION_MPI_P2P},
                 {"MPI_Mprobe", QUIPU_REGION_MPI_P2P},    {"MPI_Im", QUIPU_REGION_MPI_P2P},
                 {"MPI_Isendrecv", QUIPU_REGION_MPI_P2P}, {"MPI_", QUIPU_REGION_MPI_OTHER}};
    enum { ROLES = sizeof roles / sizeof *roles };
    const uint32_t type = quipu_schema_find(&quipu__dumpi_schema, region->name);
    size_t i = 0;
    while (i < ROLES && strncmp(region->name, roles[i].begin, strlen(roles[i].begin)) != 0)
        i++;
    if (i == ROLES)
        return;
    region->group = "MPI";
    region->role = roles[i].role;
    if (type != QUIPU_NONE && is_call(type)) {
        region->role = quipu__dumpi_types[type].group;
        return;
    }
    region->nesting = QUIPU_NESTING_STRICT;
    for (uint32_t row = 0; row < QUIPU__DUMPI_LATER_CALLS; row++)
        if (strcmp(quipu__dumpi_later_calls[row].name, region->name) == 0) {
            region->role = QUIPU_REGION_MPI_COLLECTIVE;
            own->later_regions[row] = number;
        }
}

/* A region per pair of key and name: ranks of one program mostly agree, but need not. */
static uint32_t label_region(struct quipu__dumpi_trace *own, const struct quipu__dumpi_label *label,
                             struct quipu__map *map) {
    const uint64_t key = quipu__hash(label->name, strlen(label->name), label->address);
    const struct quipu_regions *regions = &own->trace->define->definitions.regions;
    const uint32_t known = quipu__map_get(map, key);
    if (known < regions->count && strcmp(regions->items[known].name, label->name) == 0)
        return known;
    struct quipu_region region = {.native_id = label_id(label->address),
                                  .name = label->name,
                                  .group = "user",
                                  .role = QUIPU_REGION_USER,
                                  .nesting = QUIPU_NESTING_FREE,
                                  .source = QUIPU_NONE};
    describe_label(own, regions->count, &region);
    const uint32_t number = quipu__add_region(own->trace->define, &region);
    return number != QUIPU_NONE && quipu__map_put(map, key, number) ? number : QUIPU_NONE;
}

/* The text up to a tab, which it then ends; NULL: there is none. */
static char *take_field(char **text) {
    char *field = *text, *tab = field ? strchr(field, '\t') : NULL;
    if (tab)
        *tab = '\0';
    *text = tab ? tab + 1 : NULL;
    return field;
}

/* A place in source code per pair of key and name, likewise (layout.h). */
static uint32_t label_source(struct quipu__dumpi_trace *own, const struct quipu__dumpi_file *file,
                             const struct quipu__dumpi_label *label, struct quipu__map *map) {
    const uint64_t key = quipu__hash(label->name, strlen(label->name), label->address);
    const uint32_t known = quipu__map_get(map, key);
    char *text = quipu__arena_text(&own->arena, label->name, strlen(label->name));
    if (known != QUIPU_NONE || !text)
        return known;
    const char *line = take_field(&text), *caller = take_field(&text), *function = take_field(&text);
    struct quipu_source source = {.native_id = (uint32_t)label->address,
                                  .line = (uint32_t)strtoul(line, NULL, 10),
                                  .function = function ? function : "",
                                  .file = text ? text : "",
                                  .caller = QUIPU_NONE};
    if (caller && *caller)
        source.caller =
            quipu__map_get(&file->sources, QUIPU__DUMPI_CALL_SITE_KEYS | (uint32_t)strtoul(caller, NULL, 10));
    const uint32_t number = quipu__add_source(own->trace->define, &source);
    return number != QUIPU_NONE && quipu__map_put(map, key, number) ? number : QUIPU_NONE;
}

/* The first of several names of an address wins. */
static void define_labels(struct quipu__dumpi_trace *own) {
    struct quipu__map labels;
    quipu__map_init(&labels, own->memory);
    for (size_t i = 0; i < own->files.count; i++) {
        struct quipu__dumpi_file *file = &own->files.items[i];
        for (uint32_t k = 0; k < file->label_count; k++) {
            const struct quipu__dumpi_label *label = &file->labels[k];
            const bool is_source = file->call_sites > 0 && QUIPU__DUMPI_IS_CALL_SITE(label->address);
            const uint32_t number =
                is_source ? label_source(own, file, label, &labels) : label_region(own, label, &labels);
            struct quipu__map *numbers = is_source ? &file->sources : &file->regions;
            own->trace->define->definitions.has_call_sites |= is_source;
            if (quipu__map_get(numbers, label->address) == QUIPU_NONE)
                quipu__gate_knows(quipu__map_put(numbers, label->address, number));
        }
    }
    quipu__map_release(&labels);
}

/* ---- Metrics ---- */

uint32_t quipu__dumpi_metric(struct quipu__dumpi_trace *own, const char *name, uint32_t native_id) {
    const struct quipu_metrics *metrics = &own->trace->define->definitions.metrics;
    for (uint32_t i = 0; i < metrics->count; i++)
        if (strcmp(metrics->items[i].name, name) == 0)
            return i;
    const bool is_delay = strcmp(name, QUIPU__RUN_DELAY) == 0;
    const struct quipu_metric metric = {.native_id = native_id,
                                        .name = name,
                                        .group = is_delay ? "scheduler" : "PAPI",
                                        .unit = is_delay ? "ns" : "",
                                        .value = QUIPU_METRIC_I64,
                                        .mode = QUIPU_METRIC_ACCUMULATED};
    return quipu__add_metric(own->trace->define, &metric);
}

/* ---- Files ---- */

static uint64_t name_key(const struct quipu__dumpi_trace *own, const char *name) {
    return quipu__hash(name, strlen(name), own->file_names.seed);
}

uint32_t quipu__dumpi_file_named(const struct quipu__dumpi_trace *own, const char *name) {
    return name ? quipu__map_get(&own->file_names, name_key(own, name)) : QUIPU_NONE;
}

uint32_t quipu__dumpi_define_file(struct quipu__dumpi_trace *own, const char *name) {
    const uint32_t known = quipu__dumpi_file_named(own, name);
    if (known != QUIPU_NONE || !name)
        return known;
    const struct quipu_file file = {
        .native_id = own->trace->define->definitions.files.count, .name = name, .group = ""};
    const uint32_t number = quipu__add_file(own->trace->define, &file);
    return number != QUIPU_NONE && quipu__map_put(&own->file_names, name_key(own, name), number) ? number
                                                                                                 : QUIPU_NONE;
}

/* ---- Attribute keys ---- */

static enum quipu_value_type value_type_of(const struct quipu_field *field) {
    if (field->shape == QUIPU_LIST || field->storage == QUIPU_STORE_STRING)
        return QUIPU_VALUE_STRING;
    return field->storage == QUIPU_STORE_U64 ? QUIPU_VALUE_U64 : QUIPU_VALUE_I64;
}

/* Fields with the same name share a key when they have the same type and names of values. */
static uint32_t key_of(struct quipu__dumpi_trace *own, const struct quipu_field *field) {
    const struct quipu_attribute_keys *keys = &own->trace->define->definitions.attribute_keys;
    const struct quipu_attribute_key key = {
        .native_id = keys->count,
        .name = field->name,
        .doc = field->doc,
        .type = value_type_of(field),
        .is_json = field->shape == QUIPU_LIST,
        .domain = field->shape == QUIPU_ONE && field->domain->label_count > 0 ? field->domain : NULL,
    };
    for (uint32_t i = 0; i < keys->count; i++)
        if (keys->items[i].type == key.type && keys->items[i].is_json == key.is_json &&
            keys->items[i].domain == key.domain && strcmp(keys->items[i].name, key.name) == 0)
            return i;
    return quipu__add_attribute_key(own->trace->define, &key);
}

static void define_keys_of(struct quipu__dumpi_trace *own, const struct quipu_record_type *type,
                           uint32_t *keys) {
    for (size_t i = 0; keys && i < type->field_count; i++)
        keys[i] = key_of(own, &type->fields[i]);
}

static void define_keys(struct quipu__dumpi_trace *own) {
    define_keys_of(own, quipu__dumpi_schema.common, own->common_keys);
    for (uint32_t type = 0; type < QUIPU__DUMPI_TYPE_COUNT; type++) {
        const size_t size = (quipu__dumpi_types[type].field_count + (size_t)1) * sizeof(uint32_t);
        if (!quipu__dumpi_is_used(own, type))
            continue;
        own->keys[type] = quipu__arena_alloc(&own->arena, size);
        define_keys_of(own, &quipu__dumpi_types[type], own->keys[type]);
    }
}

/* ---- Clock ---- */

/* Time 0 of the model is the earliest second in which a rank began; the header of that rank says when that was. */
void quipu__dumpi_define_clock(struct quipu__dumpi_trace *own) {
    struct quipu_clock *clock = &own->trace->define->definitions.clock;
    const struct quipu__dumpi_file *first = NULL;
    const bool wall = own->clock == QUIPU__DUMPI_CLOCK_WALL;
    for (size_t i = 0; i < own->files.count; i++) {
        const struct quipu__dumpi_file *file = &own->files.items[i];
        if (!file->is_missing &&
            (!first || (wall ? file->wall_bias < first->wall_bias : file->cpu_bias < first->cpu_bias)))
            first = file;
    }
    if (!first || own->clock == QUIPU__DUMPI_CLOCK_NONE)
        own->origin_ns = 0;
    else
        own->origin_ns = (wall ? first->wall_bias : first->cpu_bias) * NS_PER_SECOND;
    *clock = (struct quipu_clock){.ticks_per_second = (uint64_t)NS_PER_SECOND, .origin = own->origin_ns};
    if (wall && first && first->has_header && first->start_time > 0 &&
        first->start_time < INT64_MAX / 2000000000) {
        clock->has_unix_origin = true;
        clock->unix_origin_ns = (int64_t)first->start_time * NS_PER_SECOND;
    }
}

/* ---- All ---- */

enum quipu_status quipu__dumpi_define(struct quipu__dumpi_trace *own, struct quipu_error *err) {
    const enum quipu_status status = define_locations(own, err);
    if (status != QUIPU_OK)
        return status;
    define_world(own);
    define_selves(own);
    define_regions(own);
    define_labels(own);
    define_keys(own);
    return quipu__memory_status(own->memory, err);
}
