/* tasks.c: see tasks.h. */
#include "formats/paraver/tasks.h"

#include "core/text/date.h"
#include "model/event.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void quipu__paraver_tasks_init(struct quipu__paraver_tasks *tasks, struct quipu__memory *memory) {
    *tasks = (struct quipu__paraver_tasks){.memory = memory};
    quipu__map_init(&tasks->node_of, memory);
}

void quipu__paraver_tasks_release(struct quipu__paraver_tasks *tasks) {
    QUIPU__VEC_RELEASE(tasks->memory, &tasks->rows);
    QUIPU__VEC_RELEASE(tasks->memory, &tasks->row_of);
    QUIPU__VEC_RELEASE(tasks->memory, &tasks->task_of);
    QUIPU__VEC_RELEASE(tasks->memory, &tasks->tasks);
    QUIPU__VEC_RELEASE(tasks->memory, &tasks->nodes);
    quipu__map_release(&tasks->node_of);
}

/* Whether a location is a row from the start: machines and the like only group others. */
static bool paraver_has_row(const struct quipu_location *location) {
    return location->kind == QUIPU_LOCATION_PROCESS || location->kind == QUIPU_LOCATION_THREAD ||
           location->kind == QUIPU_LOCATION_DEVICE;
}

bool quipu__paraver_has_tasks(const struct quipu_definitions *definitions) {
    bool has_some = false;
    for (uint32_t i = 0; i < definitions->locations.count && !has_some; i++)
        has_some = paraver_has_row(&definitions->locations.items[i]);
    return has_some;
}

/* ---- One task ---- */

bool quipu__paraver_add_row(struct quipu__paraver_tasks *tasks, uint32_t location) {
    struct quipu__paraver_row *row = QUIPU__VEC_ADD(tasks->memory, &tasks->rows);
    if (!row)
        return false;
    row->location = location;
    row->object = quipu__prv_object(0, 1, (uint32_t)tasks->rows.count);
    tasks->row_of.items[location] = (uint32_t)tasks->rows.count;
    return true;
}

/* In the order of their definitions. */
bool quipu__paraver_add_rows(struct quipu__paraver_tasks *tasks, const struct quipu_definitions *definitions) {
    const struct quipu_locations *locations = &definitions->locations;
    const size_t known = tasks->row_of.count;
    if (known == locations->count)
        return true;
    if (!QUIPU__VEC_RESERVE(tasks->memory, &tasks->row_of, locations->count - known))
        return false;
    tasks->row_of.count = locations->count;
    bool is_done = true;
    for (size_t i = known; i < locations->count && is_done; i++)
        is_done = !paraver_has_row(&locations->items[i]) || quipu__paraver_add_row(tasks, (uint32_t)i);
    return is_done;
}

/* ---- Nodes ---- */

/* The host of a location, or the machine or node that it is part of. */
static const char *node_name(const struct quipu_definitions *definitions, uint32_t location) {
    enum { DEPTH_MOST = 64 }; /* of damaged definitions, which may go round in circles */
    for (int depth = 0; location < definitions->locations.count && depth < DEPTH_MOST; depth++) {
        const struct quipu_location *at = &definitions->locations.items[location];
        if (at->host[0] != '\0')
            return at->host;
        if (at->kind == QUIPU_LOCATION_NODE || at->kind == QUIPU_LOCATION_MACHINE)
            return at->name;
        location = at->parent;
    }
    return "";
}

/* The number of a node; QUIPU_NONE when memory is out. */
static uint32_t node_of(struct quipu__paraver_tasks *tasks, const char *name) {
    uint64_t hash = quipu__hash(name, strlen(name), tasks->node_of.seed);
    uint32_t number = quipu__map_get(&tasks->node_of, hash);
    while (number != QUIPU_NONE && strcmp(tasks->nodes.items[number].name, name) != 0)
        number = quipu__map_get(&tasks->node_of, ++hash);
    if (number != QUIPU_NONE)
        return number;
    number = (uint32_t)tasks->nodes.count;
    struct quipu__paraver_node *node = QUIPU__VEC_ADD(tasks->memory, &tasks->nodes);
    if (!node || !quipu__map_put(&tasks->node_of, hash, number))
        return QUIPU_NONE;
    node->name = name;
    return number;
}

/* ---- Tasks ---- */

/* The location whose task has a location: its process, or itself; QUIPU_NONE: none has. */
static uint32_t leader_of(const struct quipu_definitions *definitions, uint32_t location) {
    const struct quipu_location *locations = definitions->locations.items;
    if (!paraver_has_row(&locations[location]))
        return QUIPU_NONE;
    const uint32_t process = quipu__process_of(definitions, location);
    return locations[process].kind == QUIPU_LOCATION_PROCESS ? process : location;
}

/* Puts the tasks in the order of ranks, where each has its own of 0 and on; else they stay in the order of their definitions. */
static bool order_by_rank(struct quipu__paraver_tasks *tasks, const struct quipu_definitions *definitions) {
    const size_t count = tasks->tasks.count;
    uint32_t *order = quipu__alloc(tasks->memory, (count + 1) * sizeof *order);
    if (!order)
        return false;
    memset(order, 0xff, (count + 1) * sizeof *order);
    bool is_ranked = true;
    for (size_t i = 0; i < count && is_ranked; i++) {
        const uint32_t location = tasks->tasks.items[i].location;
        const int64_t rank = definitions->locations.items[location].rank;
        is_ranked = rank >= 0 && (uint64_t)rank < count && order[rank] == QUIPU_NONE;
        if (is_ranked)
            order[rank] = location;
    }
    for (size_t i = 0; i < count && is_ranked; i++)
        tasks->tasks.items[i].location = order[i];
    quipu__release(tasks->memory, order, (count + 1) * sizeof *order);
    return true;
}

static bool list_tasks(struct quipu__paraver_tasks *tasks, const struct quipu_definitions *definitions) {
    const uint32_t count = definitions->locations.count;
    if (!QUIPU__VEC_RESERVE(tasks->memory, &tasks->row_of, count) ||
        !QUIPU__VEC_RESERVE(tasks->memory, &tasks->task_of, count))
        return false;
    tasks->row_of.count = tasks->task_of.count = count;
    for (uint32_t i = 0; i < count; i++) {
        struct quipu__paraver_task *task =
            leader_of(definitions, i) == i ? QUIPU__VEC_ADD(tasks->memory, &tasks->tasks) : NULL;
        if (task)
            task->location = i;
        else if (leader_of(definitions, i) == i)
            return false;
    }
    return order_by_rank(tasks, definitions);
}

/* How many threads each task has, and where they begin; how many CPUs each node. */
static bool count_threads(struct quipu__paraver_tasks *tasks, const struct quipu_definitions *definitions) {
    uint32_t rows = 0, cpus = 0;
    for (uint32_t i = 0; i < tasks->tasks.count; i++)
        tasks->task_of.items[tasks->tasks.items[i].location] = i + 1;
    for (uint32_t i = 0; i < definitions->locations.count; i++) {
        const uint32_t leader = leader_of(definitions, i);
        if (leader == QUIPU_NONE)
            continue;
        tasks->task_of.items[i] = tasks->task_of.items[leader];
        tasks->tasks.items[tasks->task_of.items[leader] - 1].threads++;
    }
    for (uint32_t i = 0; i < tasks->tasks.count; i++) {
        struct quipu__paraver_task *task = &tasks->tasks.items[i];
        task->node = node_of(tasks, node_name(definitions, task->location));
        if (task->node == QUIPU_NONE)
            return false;
        task->first_row = rows;
        rows += task->threads;
        tasks->nodes.items[task->node].cpus += task->threads;
    }
    for (size_t i = 0; i < tasks->nodes.count; i++) {
        tasks->nodes.items[i].first = cpus;
        cpus += tasks->nodes.items[i].cpus;
    }
    if (!QUIPU__VEC_RESERVE(tasks->memory, &tasks->rows, rows))
        return false;
    tasks->rows.count = rows;
    return true;
}

static void put_row(struct quipu__paraver_tasks *tasks, uint32_t number, uint32_t location, uint32_t thread) {
    const struct quipu__paraver_task *task = &tasks->tasks.items[number];
    struct quipu__paraver_node *node = &tasks->nodes.items[task->node];
    const uint32_t row = task->first_row + thread;
    tasks->rows.items[row].location = location;
    tasks->rows.items[row].object = quipu__prv_object(node->first + ++node->used, number + 1, thread + 1);
    tasks->row_of.items[location] = row + 1;
}

bool quipu__paraver_make_tasks(struct quipu__paraver_tasks *tasks,
                               const struct quipu_definitions *definitions) {
    if (!list_tasks(tasks, definitions) || !count_threads(tasks, definitions))
        return false;
    for (uint32_t i = 0; i < tasks->tasks.count; i++) {
        put_row(tasks, i, tasks->tasks.items[i].location, 0);
        tasks->tasks.items[i].threads = 1;
    }
    for (uint32_t i = 0; i < definitions->locations.count; i++) {
        const uint32_t task = tasks->task_of.items[i];
        if (task > 0 && tasks->row_of.items[i] == 0)
            put_row(tasks, task - 1, i, tasks->tasks.items[task - 1].threads++);
    }
    return true;
}

/* ---- The head ---- */

size_t quipu__paraver_head(char *out, int64_t unix_ns, int64_t duration) {
    const struct quipu__date date = quipu__date_of(unix_ns);
    return (size_t)snprintf(out, QUIPU__PARAVER_HEAD_MOST,
                            "#Paraver (%02u/%02u/%04u at %02u:%02u):%020" PRId64 "_ns:", date.day, date.month,
                            (unsigned)date.year, date.hour, date.minute, duration);
}

static bool is_shown(const struct quipu__paraver_tasks *tasks, const struct quipu_group *group) {
    bool has_tasks = group->is_communicator && group->member_count > 0;
    for (uint32_t i = 0; i < group->member_count && has_tasks; i++)
        has_tasks = quipu__paraver_task_of(tasks, group->members[i]) > 0;
    for (uint32_t i = 0; i < group->remote_member_count && has_tasks; i++)
        has_tasks = quipu__paraver_task_of(tasks, group->remote_members[i]) > 0;
    return has_tasks;
}

static void put_members(struct quipu__buffer *out, const struct quipu__paraver_tasks *tasks,
                        const uint32_t *members, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        quipu__put_format(out, ":%" PRIu32, quipu__paraver_task_of(tasks, members[i]));
}

/* The other group of an intercommunicator takes part, too. */
static void put_communicators(struct quipu__buffer *out, const struct quipu__paraver_tasks *tasks,
                              const struct quipu_groups *groups) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < groups->count; i++)
        count += is_shown(tasks, &groups->items[i]);
    quipu__put_format(out, ",%" PRIu32 "\n", count);
    for (uint32_t i = 0; i < groups->count; i++) {
        const struct quipu_group *group = &groups->items[i];
        if (!is_shown(tasks, group))
            continue;
        quipu__put_format(out, "c:1:%" PRIu32 ":%" PRIu32, i + 1,
                          group->member_count + group->remote_member_count);
        put_members(out, tasks, group->members, group->member_count);
        put_members(out, tasks, group->remote_members, group->remote_member_count);
        quipu__put_text(out, "\n");
    }
}

size_t quipu__paraver_put_head(struct quipu__buffer *out, const struct quipu__paraver_tasks *tasks,
                               const struct quipu_definitions *definitions, int64_t unix_ns) {
    char start[QUIPU__PARAVER_HEAD_MOST];
    const size_t len = quipu__paraver_head(start, unix_ns, 0);
    quipu__put_format(out, "%s%zu(", start, tasks->nodes.count);
    for (size_t i = 0; i < tasks->nodes.count; i++)
        quipu__put_format(out, "%s%" PRIu32, i > 0 ? "," : "", tasks->nodes.items[i].cpus);
    quipu__put_format(out, "):1:%zu(", tasks->tasks.count);
    for (size_t i = 0; i < tasks->tasks.count; i++)
        quipu__put_format(out, "%s%" PRIu32 ":%" PRIu32, i > 0 ? "," : "", tasks->tasks.items[i].threads,
                          tasks->tasks.items[i].node + 1);
    quipu__put_text(out, ")");
    put_communicators(out, tasks, &definitions->groups);
    return len;
}
