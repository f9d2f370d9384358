/* time_queue.h: encoded records of a damaged stream, for its repair.
 *
 * Damage to a time makes one time too early or too late. Records wait in a short queue: a time is wrong if most later ones contradict it, or
 * if it is before the last one that was given. It then becomes the last time that was given: records keep the order of the file, on which the
 * nesting of calls depends. */
#ifndef QUIPU_FORMATS_TIME_QUEUE_H
#define QUIPU_FORMATS_TIME_QUEUE_H

#include "core/memory/buffer.h"
#include "core/memory/vec.h"
#include "core/slice.h"

/* A record that waits until it is known whether its time fits later ones. */
struct quipu__timed_record {
    uint64_t time, offset, line;
    uint32_t process;
    bool descends; /* the queue's: its time is before that of the previous one */
    size_t begin, len;
};

struct quipu__time_queue {
    struct quipu__memory *memory;
    QUIPU__VEC(struct quipu__timed_record) waiting;
    size_t first;    /* of those that wait */
    size_t descents; /* number of descending ones among them */
    struct quipu__buffer text;
    uint64_t last; /* time that was given last */
    bool has_last;
};

void quipu__time_queue_init(struct quipu__time_queue *queue, struct quipu__memory *memory);
void quipu__time_queue_release(struct quipu__time_queue *queue);

/* Adds a record, whose bytes are those of text from its begin on; false when memory is out. */
QUIPU_CHECKED bool quipu__time_queue_add(struct quipu__time_queue *queue,
                                         const struct quipu__timed_record *record);

/* The next record that need not wait any longer, or any one at the end, and the time that it gets. Its bytes are valid until the next call. */
bool quipu__time_queue_next(struct quipu__time_queue *queue, bool is_end, struct quipu__timed_record *out,
                            uint64_t *time, struct quipu__slice *bytes);

/* For another stream. */
void quipu__time_queue_reset(struct quipu__time_queue *queue);

#endif
