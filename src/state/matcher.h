/* matcher.h: messages in flight: sent and not yet received, by key (message_key.h).
 *
 * Within a class messages keep their order, so those in flight are the last that were sent. Of each class the last
 * few sends are kept, which says when these were sent and how long they are; whatever the order of substreams. What is
 * received from an unknown sender cannot be told from what is in flight.
 *
 * There is room for so many classes as table.h has; those of which nothing is in flight are given up when it is needed.
 */
#ifndef QUIPU_STATE_MATCHER_H
#define QUIPU_STATE_MATCHER_H

#include "core/memory/buffer.h"
#include "core/slice.h"
#include "state/message_table.h"

enum { QUIPU__SENDS_REMEMBERED = 8 };

struct quipu__sent {
    int64_t time;
    uint64_t bytes; /* QUIPU_UNKNOWN when not known */
};

/* The last sends of a class, ascending by time. */
struct quipu__sends {
    uint64_t bytes; /* of each send of the class; QUIPU_UNKNOWN when they differ or are not known */
    uint32_t count;
    struct quipu__sent items[QUIPU__SENDS_REMEMBERED];
};

struct quipu__matcher {
    struct quipu__message_table table;
    QUIPU__VEC(struct quipu__sends) sends; /* of the table */
    bool is_stuck;                         /* giving up classes makes no room any more */
    uint64_t left_out; /* sent minus received of classes that found no room; wraps below 0 */
};

/* What is in flight in a class. */
struct quipu__in_flight {
    uint64_t messages;   /* 0: nothing */
    uint64_t bytes;      /* QUIPU_UNKNOWN when not known */
    bool has_first;      /* first is known */
    int64_t first, last; /* when the first and the last of them were sent */
};

void quipu__matcher_init(struct quipu__matcher *matcher, struct quipu__memory *memory);
void quipu__matcher_release(struct quipu__matcher *matcher);

/* Counts a send or receive of a batch. False when memory is out. */
QUIPU_CHECKED bool quipu__matcher_add_event(struct quipu__matcher *matcher,
                                            const struct quipu_definitions *definitions,
                                            const struct quipu_batch *batch, uint32_t event);

QUIPU_CHECKED bool quipu__matcher_join(struct quipu__matcher *matcher, const struct quipu__matcher *other);

/* When everything has been joined, before asking: as quipu__message_table_reconcile. */
bool quipu__matcher_reconcile(struct quipu__matcher *matcher, const struct quipu_definitions *definitions);

/* What is in flight in the class of that number. */
struct quipu__in_flight quipu__matcher_at(const struct quipu__matcher *matcher, size_t number);

/* As those of a tracker (tracker.h); damage sets failed. False when memory is out. */
void quipu__matcher_save(const struct quipu__matcher *matcher, struct quipu__buffer *out);
QUIPU_CHECKED bool quipu__matcher_load(struct quipu__matcher *matcher,
                                       const struct quipu_definitions *definitions, struct quipu__slice *from);

#endif
