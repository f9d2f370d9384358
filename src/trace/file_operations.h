/* file_operations.h: what is known of operations on files besides what each of their events says, for expressions that ask for it: the end
 * may know what the beginning does not, and a handle stands for the file that was opened with it.
 *
 * An event that lacks something belongs to an entry. That of a beginning changes when the operation ends; until then the event may wait. */
#ifndef QUIPU_TRACE_FILE_OPERATIONS_H
#define QUIPU_TRACE_FILE_OPERATIONS_H

#include "model/where.h"
#include "state/events.h"

#define QUIPU__FILE_OPERATION_KINDS                                                                            \
    (QUIPU_KIND_BIT(QUIPU_KIND_io_open) | QUIPU_KIND_BIT(QUIPU_KIND_io_close) |                                \
     QUIPU_KIND_BIT(QUIPU_KIND_io_begin) | QUIPU_KIND_BIT(QUIPU_KIND_io_end) |                                 \
     QUIPU_KIND_BIT(QUIPU_KIND_io_control))

struct quipu__file_operation {
    struct quipu__where_operation known;
    uint32_t users; /* events that wait, and the interval while it is active; of unused ones the next */
};

struct quipu__file_operations {
    struct quipu__memory *memory;
    const struct quipu_definitions *definitions;
    struct quipu__tracker tracker; /* open files, and operations: count is the number of their entry */
    QUIPU__VEC(struct quipu__file_operation) list;
    uint32_t unused;
};

void quipu__file_operations_init(struct quipu__file_operations *operations, struct quipu__memory *memory,
                                 const struct quipu_definitions *definitions);
void quipu__file_operations_release(struct quipu__file_operations *operations);

/* Begins with what is active at a point of an index. */
enum quipu_status quipu__file_operations_resume(struct quipu__file_operations *operations,
                                                struct quipu__slice bytes, struct quipu_error *err);

/* Takes an event in, and says which entry it belongs to, which is used by the caller then; QUIPU_NONE when to none. False when memory is
 * out. */
QUIPU_CHECKED bool quipu__file_operations_track(struct quipu__file_operations *operations,
                                                const struct quipu_batch *batch, uint32_t event,
                                                uint32_t *entry);

/* An entry has one user less. */
void quipu__file_operations_drop(struct quipu__file_operations *operations, uint32_t entry);

#endif
