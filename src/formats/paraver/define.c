/* define.c: the definitions of the model: applications and threads, regions, communicators, metrics and channels. */
#include "formats/paraver/format.h"

#include "core/error.h"
#include "formats/paraver/regions.h"
#include "model/event.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NAME_MOST = 80 };

/* ---- Locations ---- */

static const char *row_name(const struct quipu__paraver_trace *own, enum quipu__paraver_level level,
                            uint64_t number) {
    return number < own->labels.rows[level].count ? own->labels.rows[level].items[number] : NULL;
}

/* Applications of a trace with several. */
static bool define_applications(struct quipu__paraver_trace *own) {
    own->first_location = 0;
    for (int64_t i = 1; own->applications > 1 && i <= own->applications; i++) {
        char name[NAME_MOST];
        snprintf(name, sizeof name, "application %" PRId64, i);
        const struct quipu_location location = {.native_id = (uint64_t)i,
                                                .name = name,
                                                .kind = QUIPU_LOCATION_APPLICATION,
                                                .parent = QUIPU_NONE,
                                                .rank = -1,
                                                .pid = -1,
                                                .tid = -1,
                                                .host = ""};
        if (quipu__add_location(own->trace->define, &location) == QUIPU_NONE)
            return false;
        own->first_location++;
    }
    return true;
}

/* The first thread of a task is its process, and has the name of the task where the file has one. */
static bool define_thread(struct quipu__paraver_trace *own, uint32_t number, uint64_t tasks) {
    const struct quipu__paraver_thread *thread = &own->threads.items[number];
    const bool is_process = thread->process == number;
    const char *host =
        thread->node > 0 ? row_name(own, QUIPU__PARAVER_NODES, (uint64_t)thread->node - 1) : NULL;
    const char *name = thread->is_in_header ? row_name(own, QUIPU__PARAVER_THREADS, number) : NULL;
    const char *task =
        is_process && thread->is_in_header ? row_name(own, QUIPU__PARAVER_TASKS, tasks - 1) : NULL;
    char own_name[NAME_MOST];
    const bool has_application = own->applications > 1 && thread->application <= own->applications;
    snprintf(own_name, sizeof own_name, "THREAD %" PRId64 ".%" PRId64 ".%" PRId64, thread->application,
             thread->task, thread->thread);
    struct quipu_location location = {.native_id = number,
                                      .name = name ? name : own_name,
                                      .kind = is_process ? QUIPU_LOCATION_PROCESS : QUIPU_LOCATION_THREAD,
                                      .parent = QUIPU_NONE,
                                      .rank = is_process ? thread->task - 1 : -1,
                                      .pid = -1,
                                      .tid = -1,
                                      .host = host ? host : ""};
    location.name = task ? task : location.name;
    if (!is_process && thread->process != QUIPU_NONE)
        location.parent = own->first_location + thread->process;
    else if (has_application)
        location.parent = (uint32_t)thread->application - 1;
    return quipu__add_location(own->trace->define, &location) != QUIPU_NONE;
}

static bool define_threads(struct quipu__paraver_trace *own) {
    uint64_t tasks = 0;
    bool is_done = define_applications(own);
    for (uint32_t i = 0; i < own->threads.count && is_done; i++) {
        tasks += own->threads.items[i].process == i;
        is_done = define_thread(own, i, tasks);
    }
    return is_done;
}

/* ---- Regions ---- */

/* The operation that a call of MPI is: MPI_Allreduce and MPI_Iallreduce are allreduce. */
static enum quipu_collective operation_of(const char *call) {
    const char *name = strncmp(call, "MPI_", 4) == 0 ? call + 4 : "";
    name += name[0] == 'I' && islower((unsigned char)name[1]);
    for (unsigned i = QUIPU_COLLECTIVE_OTHER + 1; i < QUIPU_COLLECTIVE_COUNT; i++) {
        const char *text = quipu_operation_name(QUIPU_REFERS_COLLECTIVE, i);
        size_t index = 0;
        while (text[index] != '\0' && tolower((unsigned char)name[index]) == text[index])
            index++;
        if (text[index] == '\0' && name[index] == '\0')
            return (enum quipu_collective)i;
    }
    return QUIPU_COLLECTIVE_OTHER;
}

static struct quipu__paraver_names names_of_region(const struct quipu__paraver_trace *own,
                                                   const struct quipu__paraver_used_region *region) {
    if (region->type != QUIPU_NONE)
        return quipu__paraver_names_of(&own->labels, own->types.items[region->type].number);
    return own->labels.states > 0 ? own->labels.blocks.items[own->labels.states - 1]
                                  : (struct quipu__paraver_names){0, 0, 0};
}

static bool define_region(struct quipu__paraver_trace *own, struct quipu__paraver_used_region *region) {
    const bool is_state = region->type == QUIPU_NONE;
    enum quipu_region_role role =
        is_state ? QUIPU_REGION_USER : (enum quipu_region_role)own->types.items[region->type].role;
    const char *name = quipu__paraver_label(&own->labels, names_of_region(own, region), region->value);
    char own_name[NAME_MOST];
    region->is_call = !is_state && quipu__paraver_is_mpi_role(role);
    if (!name && region->is_call)
        name = quipu__paraver_call_name(region->value);
    if (is_state && region->value == 0)
        role = QUIPU_REGION_IDLE;
    snprintf(own_name, sizeof own_name, "%s %" PRId64, is_state ? "state" : quipu__region_role_text(role),
             region->value);
    name = name ? name : own_name;
    region->operation = (uint8_t)operation_of(name);
    region->posts = region->is_call && quipu__paraver_posts_receive(name);
    const struct quipu_region defined = {.native_id = (uint64_t)region->value,
                                         .name = name,
                                         .group = region->is_call ? "MPI" : "",
                                         .role = role,
                                         .source = QUIPU_NONE};
    region->number = quipu__add_region(own->trace->define, &defined);
    return region->number != QUIPU_NONE;
}

static bool define_regions(struct quipu__paraver_trace *own) {
    bool is_done = true;
    for (size_t i = 0; i < own->regions.count && is_done; i++)
        is_done = own->regions.items[i].type == QUIPU_NONE && own->has_regions
                      ? true
                      : define_region(own, &own->regions.items[i]);
    return is_done;
}

/* ---- Metrics and channels ---- */

/* The names of a channel's values, which types may share. Each channel has a copy, so a list that more of them share than any tracer has
 * types of a kind is not given to the rest. */
static struct quipu__paraver_names names_of_channel(struct quipu__paraver_trace *own,
                                                    const struct quipu__paraver_named_type *named) {
    enum { SHARED_MOST = 64 };
    struct quipu__paraver_names *names = &own->labels.blocks.items[named->block];
    return names->channels++ < SHARED_MOST ? *names : (struct quipu__paraver_names){0, 0, 0};
}

static bool define_type(struct quipu__paraver_trace *own, struct quipu__paraver_used_type *type) {
    const struct quipu__paraver_named_type *named = quipu__paraver_named(&own->labels, type->number);
    char own_name[NAME_MOST];
    snprintf(own_name, sizeof own_name, "type %" PRId64, type->number);
    const char *name = named && named->name[0] != '\0' ? named->name : own_name;
    if (type->use == QUIPU__PARAVER_USE_CHANNEL) {
        const struct quipu__paraver_names names = names_of_channel(own, named);
        const struct quipu_value_label *labels =
            names.count > 0 ? own->labels.values.items + names.first : NULL;
        const struct quipu_channel channel = {(uint64_t)type->number, name, false, false, labels, names.count};
        type->definition = quipu__add_channel(own->trace->define, &channel);
        return type->definition != QUIPU_NONE;
    }
    if (type->use != QUIPU__PARAVER_USE_METRIC && type->use != QUIPU__PARAVER_USE_COUNTER)
        return true;
    const bool is_counter = type->use == QUIPU__PARAVER_USE_COUNTER;
    const struct quipu_metric metric = {.native_id = (uint64_t)type->number,
                                        .name = name,
                                        .group = is_counter ? "hardware counters" : "",
                                        .unit = "",
                                        .value = QUIPU_METRIC_I64,
                                        .mode = is_counter ? QUIPU_METRIC_LAST : QUIPU_METRIC_POINT};
    type->definition = quipu__add_metric(own->trace->define, &metric);
    return type->definition != QUIPU_NONE;
}

static bool define_types(struct quipu__paraver_trace *own) {
    bool is_done = true;
    for (size_t i = 0; i < own->types.count && is_done; i++)
        is_done = define_type(own, &own->types.items[i]);
    return is_done;
}

/* ---- Communicators ---- */

/* Members that are no tasks are left out. */
static bool define_communicator(struct quipu__paraver_trace *own,
                                const struct quipu__paraver_communicator *communicator) {
    const uint32_t count = quipu_sized_count(communicator->members);
    uint32_t *members = quipu__alloc(own->trace->memory, (count + (size_t)1) * sizeof *members), found = 0;
    char name[NAME_MOST];
    if (!members)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t thread =
            quipu__paraver_thread_of(own, communicator->application, communicator->members[i], 1);
        if (thread != QUIPU_NONE)
            members[found++] = own->first_location + thread;
    }
    const struct quipu__paraver_lines line = {.number = communicator->line, .offset = QUIPU_UNKNOWN};
    if (found < count)
        quipu__paraver_find(own, QUIPU__PARAVER_RULE_MEMBER, &line, "%" PRIu32 " of %" PRIu32, count - found,
                            count);
    snprintf(name, sizeof name, "communicator %" PRId64, communicator->id);
    const struct quipu_group group = {.native_id = (uint64_t)communicator->id,
                                      .name = name,
                                      .is_communicator = true,
                                      .member_count = found,
                                      .members = members};
    const uint32_t number = quipu__add_group(own->trace->define, &group);
    quipu__release(own->trace->memory, members, (count + (size_t)1) * sizeof *members);
    return number != QUIPU_NONE && quipu__map_put(&own->group_of, (uint64_t)communicator->id, number);
}

static bool define_communicators(struct quipu__paraver_trace *own) {
    bool is_done = true;
    for (size_t i = 0; i < own->communicators.count && is_done; i++)
        is_done = define_communicator(own, &own->communicators.items[i]);
    return is_done;
}

enum quipu_status quipu__paraver_define(struct quipu__paraver_trace *own, struct quipu_error *err) {
    own->trace->define->definitions.clock.ticks_per_second = own->ticks_per_second;
    if (define_threads(own) && define_regions(own) && define_types(own) && define_communicators(own))
        return QUIPU_OK;
    return quipu__no_memory(err, sizeof(struct quipu_location));
}
