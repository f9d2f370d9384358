/* pairs.h: who sends to whom: counts of messages by (sender, receiver, communicator, tag).
 *
 * MPI keeps messages of one such class in order, so the n-th send of a class belongs to its n-th receive; nothing
 * but the two counts is needed to match them, in whatever order the locations are read. The number of classes is
 * limited, so memory is too. Threads send and receive in the name of their process.
 */
#ifndef QUIPU_TRACE_PAIRS_H
#define QUIPU_TRACE_PAIRS_H

#include "core/map.h"
#include "core/vec.h"

#include <quipu/model.h>

struct quipu__pair {
    uint32_t sender, receiver, communicator;
    int64_t tag;
    uint64_t sent, received;
};

struct quipu__pairs {
    struct quipu__memory *memory;
    struct quipu__map numbers;
    QUIPU__VEC(struct quipu__pair) list;
    bool is_full; /* a class was left out */
};

enum { QUIPU__PAIRS_MOST = 1 << 19 };

void quipu__pairs_init(struct quipu__pairs *pairs, struct quipu__memory *memory);
void quipu__pairs_release(struct quipu__pairs *pairs);

/* The class of these sender, receiver, communicator and tag, added without messages when it is new; NULL when there is no
 * more room. Valid until the next call. */
struct quipu__pair *quipu__pairs_at(struct quipu__pairs *pairs, const struct quipu__pair *wanted);

/* Forgets all classes but the first ones of the list, which may have been moved there. False when memory is out. */
bool quipu__pairs_keep(struct quipu__pairs *pairs, size_t count);

/* What tells the class of a send or receive of a batch, whose other side is known, from others. */
void quipu__pairs_class(const struct quipu_definitions *definitions, const struct quipu_batch *batch,
                        uint32_t event, struct quipu__pair *out);

/* The class of a send or receive of a batch; NULL when the other side is not known, or when there is no more room.
 * Valid until the next call. */
struct quipu__pair *quipu__pairs_find(struct quipu__pairs *pairs, const struct quipu_definitions *definitions,
                                      const struct quipu_batch *batch, uint32_t event);

/* Counts a send or receive and gives a number that it shares with its counterpart; 0 for events of other kinds, for
 * unknown counterparts and when there is no more room. */
uint64_t quipu__pairs_number(struct quipu__pairs *pairs, const struct quipu_definitions *definitions,
                             const struct quipu_batch *batch, uint32_t event);

#endif
