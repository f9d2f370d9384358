/* duration_queue.h: events that wait until the duration of a call is known, or what the end of an operation on a file says of it, for
 * expressions that ask for it (model/where.h).
 *
 *     track, hold, hold, … → drain → track, hold … → end → drain until nothing is left
 *
 * Every event that may pass waits in one queue, in the order of its substream. The first one leaves it when its call has ended, or
 * has lasted so long that a longer duration makes no difference. So no event waits longer than the longest duration that
 * the expression names, in time of the trace; or, where it asks for what only ends say, than the longest operation.
 */
#ifndef QUIPU_TRACE_DURATION_QUEUE_H
#define QUIPU_TRACE_DURATION_QUEUE_H

#include "model/batch.h"
#include "model/where.h"
#include "state/events.h"
#include "trace/file_operations.h"

/* From enter to leave. */
struct quipu__call_times {
    int64_t enter, leave;
    bool is_active;
    uint32_t users; /* events that wait for it; of unused ones the next */
};

/* What belongs to a waiting event: its call, the region of that, and its operation on a file. */
struct quipu__waiting {
    uint32_t call, region, operation;
};

struct quipu__duration_queue {
    struct quipu__memory *memory;
    const struct quipu__where_clause *where;
    struct quipu__tracker tracker;            /* count: the number of a call's times */
    struct quipu__file_operations operations; /* where the expression needs them */
    QUIPU__VEC(struct quipu__call_times) calls;
    uint32_t unused; /* call times that can be used again */
    uint32_t ended;  /* the outermost call that the event at hand has ended */
    struct quipu__batch *events;
    QUIPU__VEC(struct quipu__waiting) waiting; /* beside the events */
    uint32_t first, attribute;                 /* the next event to leave, and its first attribute */
    int64_t now;
    bool has_ended;
};

enum quipu_status quipu__duration_queue_new(struct quipu__memory *memory,
                                            const struct quipu__where_clause *where,
                                            struct quipu__duration_queue **out, struct quipu_error *err);
void quipu__duration_queue_free(struct quipu__duration_queue *queue);

/* Begins with what is active at a point of an index. */
enum quipu_status quipu__duration_queue_resume(struct quipu__duration_queue *queue, struct quipu__slice bytes,
                                               struct quipu_error *err);

/* Takes an event in and says which call and operation it belongs to; QUIPU_NONE when to none. False when memory is out. */
QUIPU_CHECKED bool quipu__duration_queue_track(struct quipu__duration_queue *queue,
                                               const struct quipu_batch *batch, uint32_t event,
                                               struct quipu__waiting *out);

/* Lets the event that has been tracked last wait, unless it cannot pass. about: as it was tracked, with the region of its call. False when
 * memory is out. */
QUIPU_CHECKED bool quipu__duration_queue_hold(struct quipu__duration_queue *queue,
                                              const struct quipu_batch *batch, uint32_t event,
                                              uint32_t *attribute, const struct quipu__waiting *about);

/* In place of that for one that is not selected. */
void quipu__duration_queue_pass_over(struct quipu__duration_queue *queue, const struct quipu__waiting *about);

/* The substream has ended: calls that are active have no end. */
void quipu__duration_queue_end(struct quipu__duration_queue *queue);

/* Adds to an empty batch the next events that pass. False when memory is out. */
QUIPU_CHECKED bool quipu__duration_queue_drain(struct quipu__duration_queue *queue, struct quipu__batch *batch);

#endif
