/* thread_assignment.c: which loom, process and thread a location with events becomes, its folder, and the CPUs of looms. */
#include "formats/ovni/from_model.h"

#include "core/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t quipu__ovni_find_above(const struct quipu__ovni_event_writer *events, uint32_t number,
                                enum quipu_location_kind kind) {
    for (unsigned depth = 0; depth < 64; depth++) {
        const struct quipu_location *location = quipu__ovni_location_at(events, number);
        if (!location)
            return QUIPU_NONE;
        if (location->kind == kind)
            return number;
        number = location->parent;
    }
    return QUIPU_NONE;
}

static const char *loom_name(struct quipu__ovni_event_writer *events, uint32_t node, const char *suffix) {
    const struct quipu_location *location = quipu__ovni_location_at(events, node);
    const char *name = location && location->name[0] ? location->name : "node";
    const size_t prefix = sizeof QUIPU__OVNI_LOOM_PREFIX - 1;
    if (strncmp(name, QUIPU__OVNI_LOOM_PREFIX, prefix) == 0 && name[prefix])
        name += prefix;
    const size_t size = strlen(name) + strlen(suffix) + 1;
    char *copy = quipu__arena_alloc(&events->writer->arena, size);
    if (copy)
        snprintf(copy, size, "%s%s", name, suffix);
    for (char *at = copy; at && *at; at++)
        if (*at == '/' || (unsigned char)*at < ' ')
            *at = '_';
    return copy;
}

/* Notes the ranks that have been defined so far; false when memory is out. */
static bool list_ranks(struct quipu__ovni_event_writer *events) {
    const struct quipu_locations *locations = &events->definitions->locations;
    for (; events->ranked_count < locations->count; events->ranked_count++) {
        const uint32_t number = (uint32_t)events->ranked_count;
        const int64_t rank = locations->items[number].rank;
        if (rank < 0)
            continue;
        if (rank >= events->rank_count)
            events->rank_count = rank + 1;
        if (!quipu__map_put(&events->ranked_nodes, quipu__ovni_find_above(events, number, QUIPU_LOCATION_NODE),
                            0))
            return false;
    }
    return true;
}

/* If one process of a loom has a rank, all must: others, such as a launcher, get a separate loom beside it. */
static uint32_t find_loom(struct quipu__ovni_event_writer *events, uint32_t location, bool has_rank) {
    const uint32_t node = quipu__ovni_find_above(events, location, QUIPU_LOCATION_NODE);
    const bool is_beside = !has_rank && quipu__map_get(&events->ranked_nodes, node) != QUIPU_NONE;
    const uint64_t key = (uint64_t)is_beside << 32 | node;
    const uint32_t known = quipu__map_get(&events->loom_of, key);
    if (known != QUIPU_NONE)
        return known;
    const char *name = loom_name(events, node, is_beside ? ".unranked" : "");
    if (!(name && QUIPU__VEC_PUT(events->writer->memory, &events->looms,
                                 (struct quipu__ovni_written_loom){.node = node, .name = name})) ||
        !quipu__map_put(&events->loom_of, key, (uint32_t)events->looms.count - 1))
        return QUIPU_NONE;
    return (uint32_t)(events->looms.count - 1);
}

static uint64_t folder_key(const struct quipu__ovni_event_writer *events, const char *folder) {
    return quipu__hash(folder, strlen(folder), events->folders.seed);
}

static const char *thread_folder(struct quipu__ovni_event_writer *events,
                                 const struct quipu__ovni_written_thread *thread) {
    const char *loom = events->looms.items[thread->loom].name;
    const size_t size = strlen(loom) + 100;
    char *folder = quipu__arena_alloc(&events->writer->arena, size);
    if (folder)
        snprintf(folder, size,
                 QUIPU__OVNI_LOOM_PREFIX "%s/" QUIPU__OVNI_PROCESS_PREFIX "%" PRId64
                                         "/" QUIPU__OVNI_THREAD_PREFIX "%" PRId64,
                 loom, thread->pid, thread->tid);
    return folder;
}

/* A number that is known, else the one in a name that a folder of ovni would have, such as "thread.7"; 0: none. */
static int64_t number_of(int64_t number, const char *name, const char *prefix) {
    const size_t len = strlen(prefix);
    const char *digits = strncmp(name, prefix, len) == 0 ? name + len : "";
    if (number <= 0 && !quipu__parse_i64(digits, strlen(digits), &number))
        return 0;
    return number > 0 && number <= INT32_MAX ? number : 0;
}

const struct quipu_location *quipu__ovni_process_of(const struct quipu__ovni_event_writer *events,
                                                    uint32_t location) {
    const uint32_t number = quipu__ovni_find_above(events, location, QUIPU_LOCATION_PROCESS);
    return quipu__ovni_location_at(events, number != QUIPU_NONE ? number : location);
}

/* The first of some pids that no other process of the loom has; who has one stands beside the folders, by another key. False when memory is out. */
static bool take_pid(struct quipu__ovni_event_writer *events, struct quipu__ovni_written_thread *thread,
                     uint32_t process, const int64_t *wanted, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const int64_t taken[] = {thread->loom, wanted[i]};
        const uint64_t key = quipu__hash(taken, sizeof taken, events->folders.seed);
        const uint32_t known = quipu__map_get(&events->folders, key);
        thread->pid = wanted[i];
        if (known == QUIPU_NONE)
            return quipu__map_put(&events->folders, key, process);
        if (known == process)
            return true;
    }
    return true;
}

static bool name_thread(struct quipu__ovni_event_writer *events, struct quipu__ovni_written_thread *thread) {
    const struct quipu_location *own = quipu__ovni_location_at(events, thread->location);
    const struct quipu_location *process = quipu__ovni_process_of(events, thread->location);
    const uint32_t number = quipu__ovni_find_above(events, thread->location, QUIPU_LOCATION_PROCESS);
    const int64_t process_number = number != QUIPU_NONE ? number : thread->location;
    const int64_t pid = number_of(process->pid, process->name, QUIPU__OVNI_PROCESS_PREFIX);
    const int64_t tid = number_of(own->tid, own->name, QUIPU__OVNI_THREAD_PREFIX);
    const int64_t pids[] = {pid > 0 ? pid : process_number + 1, process_number + 1,
                            INT64_C(1000000000) + process_number};
    if (!take_pid(events, thread, (uint32_t)process_number, pids, sizeof pids / sizeof *pids))
        return false;
    thread->tid = tid > 0 ? tid : (int64_t)thread->location + 1;
    if (process == own)
        thread->tid = thread->pid;
    thread->folder = thread_folder(events, thread);
    if (thread->folder && quipu__map_get(&events->folders, folder_key(events, thread->folder)) != QUIPU_NONE) {
        thread->tid = INT64_C(1000000000) + thread->location;
        thread->folder = thread_folder(events, thread);
    }
    return thread->folder != NULL;
}

bool quipu__ovni_assign_thread(struct quipu__ovni_event_writer *events,
                               struct quipu__ovni_written_thread *thread) {
    if (!list_ranks(events))
        return false;
    thread->rank = quipu__ovni_process_of(events, thread->location)->rank;
    thread->loom = find_loom(events, thread->location, thread->rank >= 0);
    if (thread->loom == QUIPU_NONE)
        return false;
    return name_thread(events, thread) &&
           quipu__map_put(&events->folders, folder_key(events, thread->folder), thread->location);
}

/* ---- CPUs ---- */

/* The virtual CPU is named "vCPU 0.*", in a merged trace with the name of its original trace before that. */
static bool is_cpu(const struct quipu_location *location) {
    return location->kind == QUIPU_LOCATION_CPU && !quipu__ends_with(location->name, ".*");
}

/* Puts a CPU after those of its node that are listed. */
static bool list_cpu(struct quipu__ovni_event_writer *events, uint32_t cpu, uint32_t node) {
    struct quipu__ovni_written_cpu *cpus = events->cpus.items;
    const uint32_t last = quipu__map_get(&events->last_cpu, node);
    cpus[cpu].index = last == QUIPU_NONE ? 0 : cpus[last].index + 1;
    if (last == QUIPU_NONE && !quipu__map_put(&events->first_cpu, node, cpu))
        return false;
    if (last != QUIPU_NONE)
        cpus[last].next = cpu;
    return quipu__map_put(&events->last_cpu, node, cpu);
}

bool quipu__ovni_list_cpus(struct quipu__ovni_event_writer *events) {
    for (uint32_t i = (uint32_t)events->cpus.count; i < events->definitions->locations.count; i++) {
        const struct quipu_location *location = quipu__ovni_location_at(events, i);
        if (!QUIPU__VEC_PUT(events->writer->memory, &events->cpus,
                            (struct quipu__ovni_written_cpu){.next = QUIPU_NONE, .index = -1}))
            return false;
        if (is_cpu(location) && !list_cpu(events, i, location->parent))
            return false;
    }
    return true;
}

int32_t quipu__ovni_cpu_index(const struct quipu__ovni_event_writer *events, uint32_t cpu, uint32_t node) {
    const struct quipu_location *wanted = quipu__ovni_location_at(events, cpu);
    return wanted && wanted->parent == node && cpu < events->cpus.count ? events->cpus.items[cpu].index : -1;
}

static void append_cpu(json_t *list, json_int_t physical, bool *is_starved) {
    json_t *cpu = json_object();
    quipu__ovni_json_set(cpu, "index", json_integer((json_int_t)json_array_size(list)), is_starved);
    quipu__ovni_json_set(cpu, "phyid", json_integer(physical), is_starved);
    quipu__ovni_json_append(list, cpu, is_starved);
}

json_t *quipu__ovni_cpus_of(const struct quipu__ovni_event_writer *events, uint32_t node, bool *is_starved) {
    json_t *list = json_array();
    uint32_t next = quipu__map_get(&events->first_cpu, node);
    for (; next != QUIPU_NONE && !*is_starved; next = events->cpus.items[next].next) {
        const char *dot = strrchr(quipu__ovni_location_at(events, next)->name, '.');
        append_cpu(list, dot ? strtol(dot + 1, NULL, 10) : (json_int_t)json_array_size(list), is_starved);
    }
    if (json_array_size(list) == 0)
        append_cpu(list, 0, is_starved);
    return list;
}
