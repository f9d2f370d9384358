/* define.c: the definitions of a trace: looms, processes, threads and CPUs as locations; names of channels and values; types of tasks.
 * For these all streams are read once, which also shows how far clocks go back. An index keeps what that finds. */
#include "formats/ovni/format.h"

#include "core/memory/pack.h"
#include "core/memory/sort.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

unsigned quipu__ovni_tasking_of(uint32_t model) {
    if (model == QUIPU__OVNI_MODEL_nosv)
        return QUIPU__OVNI_TASKING_NOSV;
    return model == QUIPU__OVNI_MODEL_nanos6 ? QUIPU__OVNI_TASKING_NANOS6 : QUIPU__OVNI_TASKING_OPENMP;
}

/* ---- Locations ---- */

static uint32_t *numbers(struct quipu__ovni_trace *own, size_t count) {
    uint32_t *items = quipu__arena_alloc(&own->arena, (count + 1) * sizeof *items);
    for (size_t i = 0; items && i <= count; i++)
        items[i] = QUIPU_NONE;
    return items;
}

static uint32_t add_location(struct quipu__ovni_trace *own, struct quipu_location location) {
    return quipu__add_location(own->trace->define, &location);
}

static void define_loom(struct quipu__ovni_trace *own, uint32_t number, uint32_t *out) {
    const struct quipu__ovni_loom *loom = &own->system.looms.items[number];
    char name[300], host[300];
    snprintf(name, sizeof name, QUIPU__OVNI_LOOM_PREFIX "%s", loom->name);
    snprintf(host, sizeof host, "%.*s", (int)loom->host_len, loom->name);
    *out = add_location(own, (struct quipu_location){.native_id = number,
                                                     .name = name,
                                                     .kind = QUIPU_LOCATION_NODE,
                                                     .parent = QUIPU_NONE,
                                                     .rank = -1,
                                                     .pid = -1,
                                                     .tid = -1,
                                                     .host = host});
    for (uint32_t i = loom->first_cpu; i < loom->first_cpu + loom->cpu_count; i++) {
        const char *cpu = own->system.cpus.items[i].name;
        own->cpu_locations[i] = add_location(own, (struct quipu_location){.native_id = i,
                                                                          .name = cpu + (cpu[0] == ' '),
                                                                          .kind = QUIPU_LOCATION_CPU,
                                                                          .parent = *out,
                                                                          .rank = -1,
                                                                          .pid = -1,
                                                                          .tid = -1,
                                                                          .host = host});
    }
}

static void define_process(struct quipu__ovni_trace *own, uint32_t number, const uint32_t *looms,
                           const char *known) {
    const struct quipu__ovni_process *process = &own->system.processes.items[number];
    char name[64];
    snprintf(name, sizeof name, QUIPU__OVNI_PROCESS_PREFIX "%" PRId64, process->pid);
    own->process_locations[number] =
        add_location(own, (struct quipu_location){.native_id = (uint64_t)process->pid,
                                                  .name = known ? known : name,
                                                  .kind = QUIPU_LOCATION_PROCESS,
                                                  .parent = looms[process->loom],
                                                  .rank = process->has_rank ? process->rank : -1,
                                                  .pid = process->pid,
                                                  .tid = -1,
                                                  .host = ""});
}

/* The name of a thread or its process in the original trace; NULL: not known. */
static const char *converted_name(const struct quipu__ovni_trace *own, const struct quipu__ovni_thread *thread,
                                  const char *key) {
    const json_t *metadata = own->files.streams.items[thread->stream].metadata;
    const char *name = json_string_value(json_object_get(json_object_get(metadata, QUIPU__OVNI_OWN_KEY), key));
    return name && name[0] ? name : NULL;
}

static void define_thread(struct quipu__ovni_trace *own, uint32_t number) {
    const struct quipu__ovni_thread *thread = &own->system.threads.items[number];
    const struct quipu__ovni_process *process = &own->system.processes.items[thread->process];
    const char *known = converted_name(own, thread, QUIPU__OVNI_NAME_KEY);
    char name[64];
    snprintf(name, sizeof name, QUIPU__OVNI_THREAD_PREFIX "%" PRId64, thread->tid);
    own->thread_locations[number] =
        add_location(own, (struct quipu_location){.native_id = number,
                                                  .name = known ? known : name,
                                                  .kind = QUIPU_LOCATION_THREAD,
                                                  .parent = own->process_locations[thread->process],
                                                  .rank = -1,
                                                  .pid = process->pid,
                                                  .tid = thread->tid,
                                                  .host = "",
                                                  .clock = {own->system.looms.items[thread->loom].offset, 0}});
}

/* Processes of each application. */
static void define_applications(struct quipu__ovni_trace *own) {
    const struct quipu__ovni_system *system = &own->system;
    uint32_t *members = numbers(own, system->processes.count);
    for (size_t first = 0; members && first < system->processes.count; first++) {
        const int64_t app_id = system->processes.items[first].app_id;
        uint32_t count = 0;
        bool is_known = false;
        for (size_t i = 0; i < system->processes.count && !is_known; i++) {
            const bool is_member = system->processes.items[i].app_id == app_id;
            is_known = is_member && i < first;
            if (is_member)
                members[count++] = own->process_locations[i];
        }
        char name[40];
        snprintf(name, sizeof name, "application %" PRId64, app_id);
        const struct quipu_group group = {
            .native_id = (uint64_t)app_id, .name = name, .member_count = count, .members = members};
        if (!is_known)
            quipu__add_group(own->trace->define, &group);
    }
}

/* Threads give the name of their process. */
static void define_processes(struct quipu__ovni_trace *own, const uint32_t *looms) {
    const struct quipu__ovni_system *system = &own->system;
    const char **names = quipu__arena_alloc(&own->arena, (system->processes.count + 1) * sizeof *names);
    if (names)
        memset(names, 0, (system->processes.count + 1) * sizeof *names);
    for (size_t i = 0; names && i < system->threads.count; i++) {
        const struct quipu__ovni_thread *thread = &system->threads.items[i];
        names[thread->process] = converted_name(own, thread, QUIPU__OVNI_PROCESS_NAME_KEY);
    }
    for (uint32_t i = 0; i < system->processes.count; i++)
        define_process(own, i, looms, names ? names[i] : NULL);
}

static bool define_locations(struct quipu__ovni_trace *own) {
    const struct quipu__ovni_system *system = &own->system;
    uint32_t *looms = numbers(own, system->looms.count);
    own->cpu_locations = numbers(own, system->cpus.count);
    own->process_locations = numbers(own, system->processes.count);
    own->thread_locations = numbers(own, system->threads.count);
    if (!looms || !own->cpu_locations || !own->process_locations || !own->thread_locations)
        return false;
    for (uint32_t i = 0; i < system->looms.count; i++)
        define_loom(own, i, &looms[i]);
    define_processes(own, looms);
    for (uint32_t i = 0; i < system->threads.count; i++)
        define_thread(own, i);
    define_applications(own);
    return true;
}

/* ---- Channels ---- */

static int compare_labels(const void *left, const void *right) {
    const struct quipu_value_label *a = left, *b = right;
    return a->value < b->value ? -1 : a->value > b->value;
}

static uint32_t add_channel(struct quipu__ovni_trace *own, uint64_t id, const char *name, bool is_stack,
                            struct quipu_value_label *labels, uint32_t count) {
    if (count > 1)
        qsort(labels, count, sizeof *labels, compare_labels);
    const struct quipu_channel channel = {.native_id = id,
                                          .name = name,
                                          .is_stack = is_stack,
                                          .is_run_state = id == QUIPU__OVNI_TYPE_STATE,
                                          .labels = labels,
                                          .label_count = count};
    return quipu__add_channel(own->trace->define, &channel);
}

#define LABELS_MOST 64 /* of the channels of events.def */

static void define_channel(struct quipu__ovni_trace *own, uint32_t number) {
    const struct quipu__ovni_channel_row *row = &quipu__ovni_channels[number];
    struct quipu_value_label labels[LABELS_MOST];
    uint32_t count = 0;
    for (size_t i = 0; i < quipu__ovni_value_count && count < LABELS_MOST; i++)
        if (quipu__ovni_values[i].channel == number)
            labels[count++] =
                (struct quipu_value_label){quipu__ovni_values[i].value, quipu__ovni_values[i].text};
    own->channels[number] =
        add_channel(own, row->type, row->title, row->kind == QUIPU__OVNI_KIND_STACK, labels, count);
}

static void define_mark(struct quipu__ovni_trace *own, uint8_t type) {
    const struct quipu__ovni_mark *mark = &own->system.marks[type];
    struct quipu_value_label *labels =
        quipu__arena_alloc(&own->arena, (mark->labels.count + 1) * sizeof *labels);
    for (size_t i = 0; labels && i < mark->labels.count; i++)
        labels[i] = (struct quipu_value_label){mark->labels.items[i].value, mark->labels.items[i].text};
    own->mark_channels[type] =
        add_channel(own, (uint64_t)QUIPU__OVNI_TYPE_MARKS + type, mark->title,
                    mark->kind == QUIPU__OVNI_MARK_STACK, labels, labels ? (uint32_t)mark->labels.count : 0);
}

/* The models that had the letters T and M (editions.def), with the types that the emulator of 1.0.0 gave them. */
static void define_old(struct quipu__ovni_trace *own) {
    static const struct {
        uint8_t channel, type;
        const char *name;
    } rows[] = {{QUIPU__OVNI_CHANNEL_tampi_subsystem, 20, "TAMPI mode (ovni 1.0)"},
                {QUIPU__OVNI_CHANNEL_mpi_function, 25, "OpenMP mode (ovni 1.0)"}};
    struct quipu_value_label *labels =
        quipu__arena_alloc(&own->arena, quipu__ovni_edition_value_count * sizeof *labels);
    for (unsigned k = 0; k < 2; k++) {
        uint32_t count = 0;
        for (size_t i = 0; labels && i < quipu__ovni_edition_value_count; i++) {
            const struct quipu__ovni_value_row *row = &quipu__ovni_edition_values[i];
            if (row->channel == rows[k].channel && row->value != 0 && row->value != QUIPU__OVNI_SEVERAL_THREADS)
                labels[count++] = (struct quipu_value_label){row->value, row->text};
        }
        own->old_channels[k] = add_channel(own, rows[k].type, rows[k].name, true, labels, count);
    }
}

static bool has_old_models(const struct quipu__ovni_trace *own) {
    for (size_t i = 0; i < own->files.streams.count; i++)
        if (own->files.streams.items[i].has_old_models)
            return true;
    return false;
}

static void define_channels(struct quipu__ovni_trace *own) {
    struct quipu_value_label states[] = {{0, "Unknown"}, {1, "Running"}, {2, "Paused"},
                                         {3, "Dead"},    {4, "Cooling"}, {5, "Warming"}};
    own->state_channel =
        add_channel(own, QUIPU__OVNI_TYPE_STATE, "thread state", false, states, sizeof states / sizeof *states);
    for (uint32_t i = 0; i < QUIPU__OVNI_CHANNEL_COUNT; i++)
        if (quipu__ovni_channels[i].use == QUIPU__OVNI_USE_STATE &&
            own->system.is_enabled[quipu__ovni_channels[i].model])
            define_channel(own, i);
    for (uint32_t i = 0; i < own->system.mark_count; i++)
        define_mark(own, own->system.mark_order[i]);
    if (has_old_models(own))
        define_old(own);
    for (uint32_t i = 0; i < own->system.counter_count; i++) {
        const struct quipu_metric metric = {.native_id = (uint64_t)QUIPU__OVNI_TYPE_COUNTERS + i,
                                            .name = own->system.counters[i],
                                            .group = "hardware counters",
                                            .unit = "",
                                            .value = QUIPU_METRIC_I64,
                                            .mode = QUIPU_METRIC_LAST};
        own->metrics[i] = quipu__add_metric(own->trace->define, &metric);
    }
}

/* ---- Regions and markers ---- */

/* MPI calls by their values: the first ones have no partner, the last ones are collective. */
static enum quipu_region_role role_of(const struct quipu__ovni_event_row *row) {
    enum { MPI_LOCAL = 3, MPI_POINT_TO_POINT = 25 };
    if (row->channel != QUIPU__OVNI_CHANNEL_mpi_function)
        return QUIPU_REGION_RUNTIME;
    if (row->value <= MPI_LOCAL)
        return QUIPU_REGION_MPI_OTHER;
    return row->value <= MPI_POINT_TO_POINT ? QUIPU_REGION_MPI_P2P : QUIPU_REGION_MPI_COLLECTIVE;
}

static uint32_t add_region(struct quipu__ovni_trace *own, uint64_t id, const char *name, const char *group,
                           enum quipu_region_role role) {
    const struct quipu_region region = {.native_id = id,
                                        .name = name,
                                        .group = group,
                                        .role = role,
                                        .source = QUIPU_NONE,
                                        .nesting = QUIPU_NESTING_FREE};
    return quipu__add_region(own->trace->define, &region);
}

static bool is_marker(const struct quipu__ovni_event_row *row) {
    return row->effect == QUIPU__OVNI_NOTHING || row->effect == QUIPU__OVNI_OBSOLETE ||
           row->effect == QUIPU__OVNI_BURST;
}

static uint32_t add_marker(struct quipu__ovni_trace *own, uint64_t id, const char *name) {
    const struct quipu_marker marker = {.native_id = id, .name = name};
    return quipu__add_marker(own->trace->define, &marker);
}

/* The region of a channel's value is that of its push, also for its pop. */
static uint32_t region_of(struct quipu__ovni_trace *own, size_t number) {
    const struct quipu__ovni_event_row *row = &quipu__ovni_events[number];
    for (size_t i = 0; i < number; i++)
        if (quipu__ovni_events[i].channel == row->channel && quipu__ovni_events[i].value == row->value &&
            own->regions[i] != QUIPU_NONE)
            return own->regions[i];
    const char *name = quipu__ovni_value_text(row->channel, row->value);
    const uint64_t id =
        (uint64_t)quipu__ovni_channels[row->channel].type << 32 | (uint64_t)(uint32_t)row->value;
    return add_region(own, id, name ? name : row->code, quipu__ovni_channels[row->channel].title, role_of(row));
}

/* Regions of another format, which are marks here. */
static void define_mark_regions(struct quipu__ovni_trace *own) {
    const uint32_t type = own->system.region_mark;
    const struct quipu__ovni_mark *mark = type > 0 ? &own->system.marks[type - 1] : NULL;
    for (size_t i = 0; mark && i < mark->labels.count; i++) {
        const struct quipu__ovni_label *label = &mark->labels.items[i];
        const uint64_t id = (uint64_t)(QUIPU__OVNI_TYPE_MARKS + type) << 32 | (uint32_t)label->value;
        const uint32_t region = add_region(own, id, label->text, mark->title, QUIPU_REGION_FUNCTION);
        quipu__gate_knows(quipu__map_put(&own->mark_regions, (uint64_t)label->value, region));
    }
}

static bool define_regions(struct quipu__ovni_trace *own) {
    own->regions = numbers(own, quipu__ovni_event_count);
    if (!own->regions)
        return false;
    for (size_t i = 0; i < quipu__ovni_event_count; i++) {
        const struct quipu__ovni_event_row *row = &quipu__ovni_events[i];
        const bool is_call = row->channel != QUIPU__OVNI_CHANNEL_none &&
                             quipu__ovni_channels[row->channel].use == QUIPU__OVNI_USE_CALLS &&
                             (row->effect == QUIPU__OVNI_PUSH || row->effect == QUIPU__OVNI_POP);
        if (!own->system.is_enabled[row->model])
            continue;
        if (is_call)
            own->regions[i] = region_of(own, i);
        else if (is_marker(row))
            own->regions[i] = add_marker(own, i, row->code);
    }
    own->other_marker = add_marker(own, quipu__ovni_event_count, "other event");
    return true;
}

static uint32_t add_key(struct quipu__ovni_trace *own, const char *name, const char *doc,
                        enum quipu_value_type type) {
    const struct quipu_attribute_key key = {.name = name, .doc = doc, .type = type};
    return quipu__add_attribute_key(own->trace->define, &key);
}

static void define_keys(struct quipu__ovni_trace *own) {
    own->creator_key = add_key(own, "creator", "thread that created this one, -1: none", QUIPU_VALUE_I64);
    own->tag_key =
        add_key(own, "tag", "number that ties creation and beginning of a thread together", QUIPU_VALUE_U64);
    own->payload_key = add_key(own, "payload", "arguments of an event", QUIPU_VALUE_BYTES);
}

/* ---- Tasks ---- */

struct scan {
    struct quipu__ovni_trace *own;
    struct quipu__ovni_walk walk;
    struct quipu__ovni_event event;
    uint32_t process;
    int64_t latest, disorder, earliest;
};

static uint32_t number_at(const struct scan *scan, uint32_t offset) {
    return quipu__ovni_load_32(scan->walk.is_big, scan->event.payload + offset);
}

/* The tasking is the middle part of the key. */
static bool define_type(struct quipu__ovni_trace *own, uint64_t key, const char *name) {
    static const char *const groups[QUIPU__OVNI_TASKINGS] = {"nOS-V task", "Nanos6 task", "OpenMP task"};
    struct quipu__ovni_task_type *type = name ? QUIPU__VEC_ADD(own->memory, &own->type_list) : NULL;
    if (!type)
        return false;
    const uint64_t id = (uint32_t)key;
    const struct quipu_task_type definition = {.native_id = id, .name = name};
    type->key = key;
    type->definition = quipu__add_task_type(own->trace->define, &definition);
    type->region = add_region(own, id, name, groups[quipu__ovni_tasking_of_key(key)], QUIPU_REGION_TASK);
    return quipu__map_put(&own->types, key, (uint32_t)(own->type_list.count - 1));
}

static bool add_type(const struct scan *scan, unsigned tasking) {
    struct quipu__ovni_trace *own = scan->own;
    if (!scan->event.is_jumbo || scan->event.len < 4)
        return true;
    const char *label = (const char *)scan->event.payload + 4;
    const char *end = memchr(label, '\0', scan->event.len - 4);
    const size_t len = end ? (size_t)(end - label) : scan->event.len - 4;
    const uint32_t id = number_at(scan, 0);
    char generic[64];
    snprintf(generic, sizeof generic, "(unlabeled task type %" PRIu32 ")", id);
    return define_type(own, quipu__ovni_task_key(scan->process, tasking, id),
                       len ? quipu__arena_text(&own->arena, label, len) : generic);
}

static bool add_task(const struct scan *scan, unsigned tasking) {
    struct quipu__ovni_trace *own = scan->own;
    if (scan->event.len < 8 || scan->event.is_jumbo)
        return true;
    const uint32_t type =
        quipu__map_get(&own->types, quipu__ovni_task_key(scan->process, tasking, number_at(scan, 4)));
    const uint64_t key = quipu__ovni_task_key(scan->process, tasking, number_at(scan, 0));
    return type == QUIPU_NONE || quipu__map_put(&own->tasks, key, type);
}

/* is_of_types: handles types, else tasks, whose types may come from other threads. */
static bool scan_event(const struct scan *scan, bool is_of_types) {
    const struct quipu__ovni_event *event = &scan->event;
    const struct quipu__ovni_event_row *row =
        quipu__ovni_find_row(&scan->own->dictionary, event->model, event->category, event->value);
    if (!row || row->effect < QUIPU__OVNI_TYPE || row->effect > QUIPU__OVNI_TASK_CREATE_PARALLEL)
        return true;
    const unsigned tasking = quipu__ovni_tasking_of(row->model);
    if (row->effect == QUIPU__OVNI_TYPE)
        return !is_of_types || add_type(scan, tasking);
    return is_of_types || add_task(scan, tasking);
}

static enum quipu_status scan_stream(struct quipu__ovni_trace *own, uint32_t number, struct scan *scan,
                                     bool is_of_types, struct quipu_error *err) {
    const struct quipu__ovni_stream *stream = &own->files.streams.items[number];
    const uint32_t thread = own->system.thread_of[number];
    *scan = (struct scan){.own = own, .latest = INT64_MIN, .earliest = INT64_MAX};
    scan->process = thread != QUIPU_NONE ? own->system.threads.items[thread].process : 0;
    enum quipu_status status = quipu__ovni_walk_open(&scan->walk, own->trace->files, stream->path,
                                                     stream->has_header, (size_t)1 << 18, err);
    if (status != QUIPU_OK)
        return status;
    while ((status = quipu__ovni_walk_next(&scan->walk, &scan->event, err)) == QUIPU_OK) {
        const int64_t clock = (int64_t)scan->event.clock;
        if (clock > scan->latest)
            scan->latest = clock;
        else if ((int64_t)((uint64_t)scan->latest - (uint64_t)clock) > scan->disorder)
            scan->disorder = (int64_t)((uint64_t)scan->latest - (uint64_t)clock);
        scan->earliest = clock < scan->earliest ? clock : scan->earliest;
        if (!scan_event(scan, is_of_types))
            status = quipu__no_memory(err, 0);
        if (status != QUIPU_OK)
            break;
    }
    quipu__ovni_walk_close(&scan->walk);
    return status == QUIPU_END ? QUIPU_OK : status;
}

static bool has_tasks(const struct quipu__ovni_trace *own) {
    return own->type_list.count > 0;
}

/* A stream that cannot be read is a finding of its pass. */
static enum quipu_status scan_streams(struct quipu__ovni_trace *own, bool is_of_types,
                                      struct quipu_error *err) {
    struct scan scan;
    for (uint32_t i = 0; i < own->files.streams.count; i++) {
        struct quipu_error trouble = QUIPU_ERROR_INIT;
        if (own->files.streams.items[i].is_missing)
            continue;
        const enum quipu_status status = scan_stream(own, i, &scan, is_of_types, &trouble);
        if (status == QUIPU_NO_MEMORY)
            return quipu__no_memory(err, 0);
        if (status == QUIPU_IO)
            quipu__find_unreadable(own->files.findings, own->files.streams.items[i].path, &trouble);
        if (status != QUIPU_OK || !is_of_types)
            continue;
        own->extents[i] = (struct quipu__ovni_extent){scan.disorder, scan.walk.is_big};
        const uint32_t thread = own->system.thread_of[i];
        const int64_t offset =
            thread != QUIPU_NONE ? own->system.looms.items[own->system.threads.items[thread].loom].offset : 0;
        if (scan.earliest != INT64_MAX && (int64_t)((uint64_t)scan.earliest + (uint64_t)offset) < own->origin)
            own->origin = (int64_t)((uint64_t)scan.earliest + (uint64_t)offset);
    }
    return QUIPU_OK;
}

/* ---- What an index keeps of the streams ---- */

/* Tasks of consecutive numbers and one type. */
struct task {
    uint64_t key;
    uint32_t type;
};

static int compare_tasks(const void *left, const void *right) {
    const struct task *a = left, *b = right;
    return (a->key > b->key) - (a->key < b->key);
}

/* Runs: how far behind the one before, how many, their type; ended by none. */
static void save_runs(const struct task *tasks, size_t count, struct quipu__buffer *out) {
    uint64_t before = 0;
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && tasks[end].type == tasks[i].type &&
                          tasks[end].key - tasks[i].key == (uint64_t)(end - i);)
            end++;
        quipu__pack_u64(out, end - i);
        quipu__pack_u64(out, tasks[i].key - before);
        quipu__pack_u64(out, tasks[i].type);
        before = tasks[i].key;
    }
    quipu__pack_u64(out, 0);
}

static bool save_tasks(const struct quipu__ovni_trace *own, struct quipu__buffer *out) {
    const size_t count = own->tasks.count, bytes = (count + 1) * sizeof(struct task);
    struct task *tasks = quipu__alloc(own->memory, bytes);
    size_t cursor = 0, i = 0;
    if (!tasks)
        return false;
    while (i < count && quipu__map_next(&own->tasks, &cursor, &tasks[i].key, &tasks[i].type))
        i++;
    const bool is_sorted = quipu__sort(own->memory, tasks, i, sizeof *tasks, compare_tasks);
    if (is_sorted)
        save_runs(tasks, i, out);
    quipu__release(own->memory, tasks, bytes);
    return is_sorted;
}

static enum quipu_status save(const struct quipu__trace *trace, struct quipu__buffer *out,
                              struct quipu_error *err) {
    const struct quipu__ovni_trace *own = quipu__ovni_of(trace);
    const struct quipu_task_types *names = &trace->define->definitions.task_types;
    quipu__pack_i64(out, own->origin);
    for (size_t i = 0; i < own->files.streams.count; i++) {
        quipu__pack_i64(out, own->extents[i].disorder);
        quipu__pack_u64(out, own->extents[i].is_big);
    }
    quipu__pack_u64(out, own->type_list.count);
    for (size_t i = 0; i < own->type_list.count; i++) {
        const char *name = names->items[own->type_list.items[i].definition].name;
        quipu__pack_u64(out, own->type_list.items[i].key);
        quipu__pack_bytes(out, name, strlen(name));
    }
    return save_tasks(own, out) && !out->failed ? QUIPU_OK : quipu__no_memory(err, out->len);
}

static bool load_type(struct quipu__ovni_trace *own, struct quipu__slice *from) {
    const uint64_t key = quipu__unpack_u64(from);
    const struct quipu__slice name = quipu__unpack_bytes(from);
    from->failed |= quipu__ovni_tasking_of_key(key) >= QUIPU__OVNI_TASKINGS;
    return from->failed ||
           define_type(own, key,
                       quipu__arena_text(&own->arena, (const char *)name.at, quipu__slice_left(&name)));
}

/* There cannot be more tasks than a stream has bytes. */
static bool load_tasks(struct quipu__ovni_trace *own, struct quipu__slice *from) {
    uint64_t left = own->trace->bytes_total, key = 0;
    for (uint64_t count; (count = quipu__unpack_up_to(from, left)) > 0; left -= count) {
        key += quipu__unpack_u64(from);
        const uint64_t type = quipu__unpack_u64(from);
        from->failed |= type >= own->type_list.count;
        for (uint64_t i = 0; i < count && !from->failed; i++)
            if (!quipu__map_put(&own->tasks, key + i, (uint32_t)type))
                return false;
    }
    return true;
}

static bool load_all(struct quipu__ovni_trace *own, struct quipu__slice *from) {
    own->origin = quipu__unpack_i64(from);
    for (size_t i = 0; i < own->files.streams.count; i++) {
        own->extents[i].disorder = quipu__unpack_i64(from);
        own->extents[i].is_big = quipu__unpack_up_to(from, 1) == 1;
        from->failed |= own->extents[i].disorder < 0;
    }
    for (uint64_t left = quipu__unpack_up_to(from, quipu__slice_left(from)); left > 0 && !from->failed; left--)
        if (!load_type(own, from))
            return false;
    return load_tasks(own, from);
}

/* ---- All of it ---- */

static enum quipu_status begin(struct quipu__ovni_trace *own, struct quipu_error *err) {
    const size_t streams = own->files.streams.count;
    own->extents = quipu__arena_alloc(&own->arena, (streams + 1) * sizeof *own->extents);
    if (!own->extents || !define_locations(own) || !define_regions(own))
        return quipu__no_memory(err, streams);
    memset(own->extents, 0, (streams + 1) * sizeof *own->extents);
    define_channels(own);
    define_mark_regions(own);
    define_keys(own);
    quipu__ovni_load_definitions(own);
    return QUIPU_OK;
}

static enum quipu_status finish(struct quipu__ovni_trace *own, struct quipu_error *err) {
    uint64_t base = 0;
    for (unsigned i = 0; i < QUIPU__OVNI_TASKINGS; i++) {
        static const uint8_t models[QUIPU__OVNI_TASKINGS] = {QUIPU__OVNI_MODEL_nosv, QUIPU__OVNI_MODEL_nanos6,
                                                             QUIPU__OVNI_MODEL_openmp};
        own->task_bases[i] = base;
        base += own->system.is_enabled[models[i]] ? UINT64_C(1) << 32 : 0;
    }
    struct quipu_clock *clock = &own->trace->define->definitions.clock;
    clock->ticks_per_second = UINT64_C(1000000000);
    clock->origin = own->origin;
    return quipu__memory_status(own->memory, err);
}

static enum quipu_status make(struct quipu__trace *trace, struct quipu_error *err) {
    struct quipu__ovni_trace *own = quipu__ovni_of(trace);
    enum quipu_status status = begin(own, err);
    own->origin = INT64_MAX;
    if (status == QUIPU_OK)
        status = scan_streams(own, true, err);
    if (status == QUIPU_OK && has_tasks(own))
        status = scan_streams(own, false, err);
    own->origin = own->origin == INT64_MAX ? 0 : own->origin;
    return status == QUIPU_OK ? finish(own, err) : status;
}

static enum quipu_status load(struct quipu__trace *trace, struct quipu__slice bytes, struct quipu_error *err) {
    struct quipu__ovni_trace *own = quipu__ovni_of(trace);
    const enum quipu_status status = begin(own, err);
    if (status != QUIPU_OK)
        return status;
    if (!load_all(own, &bytes))
        return quipu__no_memory(err, quipu__slice_left(&bytes));
    if (bytes.failed || quipu__slice_left(&bytes) > 0)
        return quipu__fail(err, QUIPU_CORRUPT, "what an index has of %s is damaged", trace->path);
    return finish(own, err);
}

const struct quipu__survey quipu__ovni_survey = {.make = make, .save = save, .load = load};
