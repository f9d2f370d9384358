/* define_model.c: the definitions of the files, once all are read, as definitions of the model, class by class. */
#include "formats/otf/format.h"

#include "core/text.h"
#include "model/event.h"

/* ---- Looking up ---- */

static const struct quipu__otf_definition *find(const struct quipu__otf_trace *own,
                                                enum quipu__otf_class class_of, uint32_t token) {
    const uint32_t index = quipu__otf_defined(own, class_of, token);
    return index == QUIPU_NONE ? NULL : &own->definition_classes[class_of].definitions.items[index];
}

static const char *name_of(const struct quipu__otf_trace *own, enum quipu__otf_class class_of, uint32_t token) {
    const struct quipu__otf_definition *definition = find(own, class_of, token);
    return definition && definition->name ? definition->name : "";
}

static bool has_attribute(const struct quipu__otf_trace *own, uint32_t token, uint32_t attribute) {
    const uint32_t list_token = quipu__map_get(&own->attributes_of, token);
    const struct quipu__otf_definition *list =
        list_token == QUIPU_NONE ? NULL : find(own, QUIPU__OTF_CLASS_attributes, list_token);
    for (uint32_t i = 0; list && i < list->list_count; i++)
        if (list->list[i] == attribute)
            return true;
    return false;
}

/* What a key-value of a definition says; QUIPU_NONE: there is none. Other keys, of events, may have the same name. */
static uint32_t value_of(const struct quipu__otf_trace *own, const struct quipu__map *values, uint32_t token,
                         const char *key) {
    const struct quipu__otf_class_list *keys = &own->definition_classes[QUIPU__OTF_CLASS_key];
    uint32_t value = QUIPU_NONE;
    for (size_t i = 0; values->count > 0 && i < keys->definitions.count && value == QUIPU_NONE; i++) {
        const struct quipu__otf_definition *it = &keys->definitions.items[i];
        if (it->name && strcmp(it->name, key) == 0)
            value = quipu__map_get(values, (uint64_t)token << 32 | it->token);
    }
    return value;
}

/* Likewise, of one that is a text; empty: there is none. */
static const char *text_value_of(const struct quipu__otf_trace *own, const struct quipu__map *values,
                                 uint32_t token, const char *key) {
    const uint32_t number = value_of(own, values, token, key);
    return number < own->value_texts.count ? own->value_texts.items[number] : "";
}

/* ---- Into the model ---- */

/* Values of OTF_ATTR_TYPE, as in types.def. */
enum { IS_PTHREAD = 2, IS_OMP_THREAD = 3, IS_CELL_THREAD = 4, IS_COMMUNICATOR = 7, IS_CUDA_THREAD = 8 };

static enum quipu_location_kind location_kind(const struct quipu__otf_trace *own,
                                              const struct quipu__otf_definition *process) {
    if (has_attribute(own, process->token, IS_CUDA_THREAD))
        return QUIPU_LOCATION_DEVICE;
    if (process->first || has_attribute(own, process->token, IS_PTHREAD) ||
        has_attribute(own, process->token, IS_OMP_THREAD) || has_attribute(own, process->token, IS_CELL_THREAD))
        return QUIPU_LOCATION_THREAD;
    return QUIPU_LOCATION_PROCESS;
}

/* The rank of a process is its place in the world communicator. */
static bool rank_processes(struct quipu__otf_trace *own, struct quipu__map *ranks) {
    const struct quipu__otf_class_list *groups = &own->definition_classes[QUIPU__OTF_CLASS_process_group];
    for (size_t g = 0; g < groups->definitions.count; g++) {
        const struct quipu__otf_definition *group = &groups->definitions.items[g];
        if (!group->name || !strstr(group->name, "MPI_COMM_WORLD"))
            continue;
        for (uint32_t i = 0; i < group->list_count; i++)
            if (!quipu__map_put(ranks, group->list[i], i))
                return false;
        return true;
    }
    return true;
}

/* The host of a process, or of the nearest one that it belongs to and that has any. */
static const char *host_of(const struct quipu__otf_trace *own, const struct quipu__otf_definition *process) {
    const size_t count = own->definition_classes[QUIPU__OTF_CLASS_process].definitions.count;
    const char *host = "";
    for (size_t steps = 0; process && !host[0] && own->values_of_processes.count > 0 && steps < count;
         steps++) {
        host = text_value_of(own, &own->values_of_processes, process->token, QUIPU__OTF_HOST);
        process = process->first ? find(own, QUIPU__OTF_CLASS_process, process->first) : NULL;
    }
    return host;
}

static bool add_locations(struct quipu__otf_trace *own) {
    const struct quipu__otf_class_list *processes = &own->definition_classes[QUIPU__OTF_CLASS_process];
    struct quipu__map ranks;
    quipu__map_init(&ranks, own->trace->memory);
    bool done = rank_processes(own, &ranks);
    for (size_t i = 0; i < processes->definitions.count && done; i++) {
        const struct quipu__otf_definition *process = &processes->definitions.items[i];
        const uint32_t rank = quipu__map_get(&ranks, process->token);
        const struct quipu_location location = {
            .native_id = process->token,
            .name = process->name ? process->name : "",
            .kind = location_kind(own, process),
            .parent =
                process->first ? quipu__otf_defined(own, QUIPU__OTF_CLASS_process, process->first) : QUIPU_NONE,
            .rank = rank == QUIPU_NONE ? -1 : (int64_t)rank,
            .pid = -1,
            .tid = -1,
            .host = host_of(own, process)};
        done = quipu__add_location(own->trace->define, &location) != QUIPU_NONE;
    }
    quipu__map_release(&ranks);
    return done;
}

/* The longest text of a role takes less. */
enum { ROLE_BYTES = 32 };

static bool contains_word(const char *text, const char *word) {
    return text && strstr(text, word);
}

/* The role in parentheses at the end of a group's name, which the writer adds when nothing else says it. */
static enum quipu_region_role written_role(const char *group) {
    const char *begin = strrchr(group, '(');
    char text[ROLE_BYTES];
    const size_t len = begin ? strlen(begin + 1) : 0;
    if (len < 2 || len > sizeof text || begin[len] != ')')
        return QUIPU_REGION_ROLE_COUNT;
    memcpy(text, begin + 1, len - 1);
    text[len - 1] = '\0';
    return quipu__region_role_find(text);
}

enum quipu_region_role quipu__otf_region_role(const char *name, const char *group) {
    static const struct {
        const char *prefix;
        enum quipu_region_role role;
    } roles[] = {
#define ROLE(prefix, role) {prefix, QUIPU_REGION_##role},
#include "formats/otf/roles.def"
#undef ROLE
    };
    const enum quipu_region_role written = written_role(group);
    if (written != QUIPU_REGION_ROLE_COUNT)
        return written;
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        if (strncmp(name, roles[i].prefix, strlen(roles[i].prefix)) == 0)
            return roles[i].role;
    if (contains_word(group, "MPI"))
        return QUIPU_REGION_MPI_OTHER;
    if (strcmp(group, "I/O") == 0 || strcmp(group, "LIBC-I/O") == 0)
        return QUIPU_REGION_IO;
    return strncmp(group, "VT_", 3) == 0 ? QUIPU_REGION_RUNTIME : QUIPU_REGION_FUNCTION;
}

static bool add_regions(struct quipu__otf_trace *own) {
    const struct quipu__otf_class_list *functions = &own->definition_classes[QUIPU__OTF_CLASS_function];
    for (size_t i = 0; i < functions->definitions.count; i++) {
        const struct quipu__otf_definition *function = &functions->definitions.items[i];
        const char *name = function->name ? function->name : "";
        const char *group = name_of(own, QUIPU__OTF_CLASS_function_group, function->first);
        const struct quipu_region region = {
            .native_id = function->token,
            .name = name,
            .group = group,
            .role = quipu__otf_region_role(name, group),
            .source = function->second ? quipu__otf_defined(own, QUIPU__OTF_CLASS_source, function->second)
                                       : QUIPU_NONE};
        if (quipu__add_region(own->trace->define, &region) == QUIPU_NONE)
            return false;
    }
    own->first_collop = (uint32_t)functions->definitions.count;
    return true;
}

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool same_ignoring_case(const char *left, const char *right) {
    while (*left && lower(*left) == lower(*right))
        left++, right++;
    return lower(*left) == lower(*right);
}

/* The operation of a call of MPI: one of MPI_Bcast, MPI_Ibcast and MPI_Bcast_init, with a name of that length. */
static bool is_call_of(const char *name, const char *operation) {
    const size_t length = strlen(operation), start = (name[0] == 'I' && strncmp(name, "In", 2) != 0);
    const char *const rest = strlen(name) >= start + length ? name + start + length : name;
    for (size_t i = 0; i < length; i++)
        if (lower(name[start + i]) != lower(operation[i]))
            return false;
    return *rest == '\0' || strcmp(rest, "_init") == 0 || strncmp(rest, "_block", 6) == 0;
}

/* By its name, else by the direction in which its data flows. */
static enum quipu_collective collective_of(const struct quipu__otf_definition *collop) {
    static const enum quipu_collective by_type[] = {QUIPU_COLLECTIVE_OTHER, QUIPU_COLLECTIVE_BARRIER,
                                                    QUIPU_COLLECTIVE_ONE_TO_ALL, QUIPU_COLLECTIVE_ALL_TO_ONE,
                                                    QUIPU_COLLECTIVE_ALL_TO_ALL};
    const char *name = collop->name ? collop->name : "";
    const bool is_call = strncmp(name, "MPI_", 4) == 0;
    for (uint32_t i = 1; i < QUIPU_COLLECTIVE_COUNT; i++)
        if (is_call ? is_call_of(name + 4, quipu_operation_name(QUIPU_REFERS_COLLECTIVE, i))
                    : same_ignoring_case(name, quipu_operation_name(QUIPU_REFERS_COLLECTIVE, i)))
            return (enum quipu_collective)i;
    return collop->first < sizeof by_type / sizeof *by_type ? by_type[collop->first] : QUIPU_COLLECTIVE_OTHER;
}

static bool add_collectives(struct quipu__otf_trace *own) {
    const struct quipu__otf_class_list *collops = &own->definition_classes[QUIPU__OTF_CLASS_collop];
    own->collective_count = (uint32_t)collops->definitions.count;
    own->collectives = quipu__arena_alloc(&own->arena, own->collective_count + 1u);
    if (!own->collectives)
        return false;
    for (uint32_t i = 0; i < own->collective_count; i++) {
        const struct quipu__otf_definition *collop = &collops->definitions.items[i];
        const struct quipu_region region = {.native_id = collop->token,
                                            .name = collop->name ? collop->name : "",
                                            .group = "",
                                            .role = QUIPU_REGION_MPI_COLLECTIVE,
                                            .source = QUIPU_NONE};
        own->collectives[i] = (uint8_t)collective_of(collop);
        if (quipu__add_region(own->trace->define, &region) == QUIPU_NONE)
            return false;
    }
    return true;
}

/* Source locations that functions are defined at: calls are made at others. False when memory is out. */
static bool count_function_sources(struct quipu__otf_trace *own, size_t *count) {
    const struct quipu__otf_class_list *functions = &own->definition_classes[QUIPU__OTF_CLASS_function];
    struct quipu__map sources;
    bool done = true;
    quipu__map_init(&sources, own->trace->memory);
    for (size_t i = 0; i < functions->definitions.count && done; i++) {
        const uint32_t source = functions->definitions.items[i].second;
        if (quipu__otf_defined(own, QUIPU__OTF_CLASS_source, source) != QUIPU_NONE)
            done = quipu__map_put(&sources, source, 0);
    }
    *count = sources.count;
    quipu__map_release(&sources);
    return done;
}

static bool add_sources(struct quipu__otf_trace *own) {
    const struct quipu__otf_class_list *sources = &own->definition_classes[QUIPU__OTF_CLASS_source];
    size_t of_functions;
    if (!count_function_sources(own, &of_functions))
        return false;
    own->trace->define->definitions.has_call_sites = sources->definitions.count > of_functions;
    for (size_t i = 0; i < sources->definitions.count; i++) {
        const struct quipu__otf_definition *it = &sources->definitions.items[i];
        const uint32_t caller = value_of(own, &own->values_of_sources, it->token, QUIPU__OTF_CALLER);
        const struct quipu_source source = {
            .native_id = it->token,
            .file = name_of(own, QUIPU__OTF_CLASS_source_file, it->first),
            .line = it->second,
            .function = text_value_of(own, &own->values_of_sources, it->token, QUIPU__OTF_FUNCTION),
            .caller =
                caller == QUIPU_NONE ? QUIPU_NONE : quipu__otf_defined(own, QUIPU__OTF_CLASS_source, caller)};
        if (quipu__add_source(own->trace->define, &source) == QUIPU_NONE)
            return false;
    }
    return true;
}

/* The definition of the other side of an inter-communicator; NULL: the group is not one. */
static const struct quipu__otf_definition *remote_of(const struct quipu__otf_trace *own,
                                                     const struct quipu__otf_definition *group) {
    const uint32_t token = value_of(own, &own->values_of_groups, group->token, QUIPU__OTF_REMOTE_GROUP);
    const struct quipu__otf_definition *remote =
        token == QUIPU_NONE ? NULL : find(own, QUIPU__OTF_CLASS_process_group, token);
    return remote && remote->list_count > 0 ? remote : NULL;
}

/* The numbers of a group's members; NULL when memory is out. */
static const uint32_t *members_of(struct quipu__otf_trace *own, const struct quipu__otf_definition *group) {
    uint32_t *members = quipu__arena_alloc(&own->arena, (group->list_count + 1u) * sizeof *members);
    for (uint32_t i = 0; members && i < group->list_count; i++)
        members[i] = quipu__otf_number(own, QUIPU__OTF_CLASS_process, group->list[i]);
    return members;
}

/* Any group may be the communicator of collective operations, and only events show which are. So if a trace has no attributes of
 * processes and groups, which would say it, groups of several processes count as communicators. */
static bool is_communicator(const struct quipu__otf_trace *own, const struct quipu__otf_definition *group) {
    if (has_attribute(own, group->token, IS_COMMUNICATOR) || contains_word(group->name, "MPI"))
        return true;
    bool can_be = own->attributes_of.count == 0 && group->list_count > 1;
    for (uint32_t i = 0; i < group->list_count && can_be; i++) {
        const struct quipu__otf_definition *process = find(own, QUIPU__OTF_CLASS_process, group->list[i]);
        can_be = process && process->first == 0;
    }
    return can_be;
}

static bool add_groups(struct quipu__otf_trace *own) {
    const struct quipu__otf_class_list *groups = &own->definition_classes[QUIPU__OTF_CLASS_process_group];
    for (size_t i = 0; i < groups->definitions.count; i++) {
        const struct quipu__otf_definition *it = &groups->definitions.items[i];
        const char *name = it->name ? it->name : "";
        const struct quipu__otf_definition *remote = remote_of(own, it);
        const uint32_t *members = members_of(own, it),
                       *remote_members = remote ? members_of(own, remote) : NULL;
        if (!members || (remote && !remote_members))
            return false;
        const struct quipu_group group = {.native_id = it->token,
                                          .name = name,
                                          .is_communicator = is_communicator(own, it),
                                          .member_count = it->list_count,
                                          .members = members,
                                          .remote_member_count = remote ? remote->list_count : 0,
                                          .remote_members = remote_members};
        if (quipu__add_group(own->trace->define, &group) == QUIPU_NONE)
            return false;
    }
    return true;
}

static bool add_files(struct quipu__otf_trace *own) {
    const struct quipu__otf_class_list *files = &own->definition_classes[QUIPU__OTF_CLASS_file];
    for (size_t i = 0; i < files->definitions.count; i++) {
        const struct quipu__otf_definition *it = &files->definitions.items[i];
        const struct quipu_file file = {.native_id = it->token,
                                        .name = it->name ? it->name : "",
                                        .group = name_of(own, QUIPU__OTF_CLASS_file_group, it->first)};
        if (quipu__add_file(own->trace->define, &file) == QUIPU_NONE)
            return false;
    }
    return true;
}

/* The variable type in the properties of a counter: OTF_COUNTER_VARTYPE_* / 32. */
static const struct {
    enum quipu__otf_number number;
    enum quipu_metric_value value;
} variable_types[16] = {
    [0] = {QUIPU__OTF_AS_IS, QUIPU_METRIC_U64},      [1] = {QUIPU__OTF_AS_IS, QUIPU_METRIC_I64},
    [2] = {QUIPU__OTF_UNSIGNED32, QUIPU_METRIC_U64}, [3] = {QUIPU__OTF_SIGNED32, QUIPU_METRIC_I64},
    [4] = {QUIPU__OTF_UNSIGNED16, QUIPU_METRIC_U64}, [5] = {QUIPU__OTF_SIGNED16, QUIPU_METRIC_I64},
    [8] = {QUIPU__OTF_FLOAT, QUIPU_METRIC_F64},      [9] = {QUIPU__OTF_AS_IS, QUIPU_METRIC_F64}};

/* OTF_COUNTER_TYPE_ACC counts up from the start; the scope says what absolute values mean. */
static enum quipu_metric_mode metric_mode(uint32_t properties) {
    static const enum quipu_metric_mode by_scope[] = {QUIPU_METRIC_ACCUMULATED, QUIPU_METRIC_POINT,
                                                      QUIPU_METRIC_LAST, QUIPU_METRIC_NEXT};
    return (properties & 3) == 0 ? QUIPU_METRIC_ACCUMULATED : by_scope[properties >> 2 & 3];
}

static bool add_metrics(struct quipu__otf_trace *own) {
    const struct quipu__otf_class_list *counters = &own->definition_classes[QUIPU__OTF_CLASS_counter];
    own->number_count = (uint32_t)counters->definitions.count;
    own->numbers = quipu__arena_alloc(&own->arena, own->number_count + 1u);
    if (!own->numbers)
        return false;
    for (uint32_t i = 0; i < own->number_count; i++) {
        const struct quipu__otf_definition *it = &counters->definitions.items[i];
        const uint32_t variable = it->second >> 5 & 15;
        const struct quipu_metric metric = {.native_id = it->token,
                                            .name = it->name ? it->name : "",
                                            .group = name_of(own, QUIPU__OTF_CLASS_counter_group, it->first),
                                            .unit = it->text ? it->text : "",
                                            .value = variable_types[variable].value,
                                            .mode = metric_mode(it->second),
                                            .properties = it->second};
        own->numbers[i] = (uint8_t)variable_types[variable].number;
        if (quipu__add_metric(own->trace->define, &metric) == QUIPU_NONE)
            return false;
    }
    return true;
}

static bool add_markers(struct quipu__otf_trace *own) {
    const struct quipu__otf_class_list *markers = &own->definition_classes[QUIPU__OTF_CLASS_marker];
    for (size_t i = 0; i < markers->definitions.count; i++) {
        const struct quipu__otf_definition *it = &markers->definitions.items[i];
        const struct quipu_marker marker = {.native_id = it->token,
                                            .name = it->name ? it->name : "",
                                            .severity = it->first <= 3 ? it->first : 0};
        if (quipu__add_marker(own->trace->define, &marker) == QUIPU_NONE)
            return false;
    }
    return true;
}

static bool add_keys(struct quipu__otf_trace *own) {
    const struct quipu__otf_class_list *keys = &own->definition_classes[QUIPU__OTF_CLASS_key];
    for (size_t i = 0; i < keys->definitions.count; i++) {
        struct quipu__otf_definition *it = &keys->definitions.items[i];
        const char *doc = it->text ? it->text : "";
        it->is_text = it->first == QUIPU_VALUE_BYTES && quipu__ends_with(doc, QUIPU__OTF_TEXT);
        struct quipu_attribute_key key = {
            .native_id = it->token,
            .name = it->name ? it->name : "",
            .doc =
                quipu__arena_text(&own->arena, doc, strlen(doc) - (it->is_text ? strlen(QUIPU__OTF_TEXT) : 0)),
            .type = it->first <= QUIPU_VALUE_BYTES ? (enum quipu_value_type)it->first : QUIPU_VALUE_BYTES};
        if (it->is_text)
            key.type = QUIPU_VALUE_STRING;
        if (!key.doc || quipu__add_attribute_key(own->trace->define, &key) == QUIPU_NONE)
            return false;
    }
    return true;
}

bool quipu__otf_define_model(struct quipu__otf_trace *own) {
    return add_locations(own) && add_regions(own) && add_collectives(own) && add_sources(own) &&
           add_groups(own) && add_files(own) && add_metrics(own) && add_markers(own) && add_keys(own);
}
