/* tasks.h: the rows of a trace: which location's lines belong where.
 *
 * In a trace of an MPI program each process is a task, in the order of ranks; its threads are below it, the first one being the
 * process itself, and each has a CPU of its own on the node of the process. Elsewhere all locations are threads of one task, on no CPU.
 */
#ifndef QUIPU_PARAVER_TASKS_H
#define QUIPU_PARAVER_TASKS_H

#include "core/memory/buffer.h"
#include "core/memory/map.h"
#include "core/memory/vec.h"
#include "formats/prv.h"

#include <quipu/model.h>

struct quipu__paraver_row {
    struct quipu__prv_object object;
    uint8_t state; /* that the thread is in, and since when; when its last event was */
    int64_t since, last;
    uint32_t location;
};

struct quipu__paraver_task {
    uint32_t location, node, first_row, threads;
};

/* CPUs count from first, which counts from 0. */
struct quipu__paraver_node {
    const char *name;
    uint32_t first, cpus, used;
};

struct quipu__paraver_tasks {
    struct quipu__memory *memory;
    QUIPU__VEC(struct quipu__paraver_row) rows;
    QUIPU__VEC(uint32_t) row_of;  /* by location, counted from 1; 0: none */
    QUIPU__VEC(uint32_t) task_of; /* the same; tasks of an MPI program only */
    QUIPU__VEC(struct quipu__paraver_task) tasks;
    QUIPU__VEC(struct quipu__paraver_node) nodes;
    struct quipu__map node_of; /* hashes of names */
};

void quipu__paraver_tasks_init(struct quipu__paraver_tasks *tasks, struct quipu__memory *memory);
void quipu__paraver_tasks_release(struct quipu__paraver_tasks *tasks);

/* Whether a trace has anything to make tasks of. */
bool quipu__paraver_has_tasks(const struct quipu_definitions *definitions);

/* Makes the tasks of an MPI program. False when memory is out. */
QUIPU_CHECKED bool quipu__paraver_make_tasks(struct quipu__paraver_tasks *tasks,
                                             const struct quipu_definitions *definitions);

/* Rows of the one task: those of the locations that are new, and one. False when memory is out. */
QUIPU_CHECKED bool quipu__paraver_add_rows(struct quipu__paraver_tasks *tasks,
                                           const struct quipu_definitions *definitions);
QUIPU_CHECKED bool quipu__paraver_add_row(struct quipu__paraver_tasks *tasks, uint32_t location);

/* The task of a location, counted from 1; 0: none. */
static inline uint32_t quipu__paraver_task_of(const struct quipu__paraver_tasks *tasks, uint32_t location) {
    return location < tasks->task_of.count ? tasks->task_of.items[location] : 0;
}

/* The head of a trace of an MPI program: date, duration, nodes, tasks, communicators. Returns how much of it, from its beginning, the
 * duration decides. */
size_t quipu__paraver_put_head(struct quipu__buffer *out, const struct quipu__paraver_tasks *tasks,
                               const struct quipu_definitions *definitions, int64_t unix_ns);

/* The same with the duration: as long. */
enum { QUIPU__PARAVER_HEAD_MOST = 120 };
size_t quipu__paraver_head(char *out, int64_t unix_ns, int64_t duration);

#endif
