/* message_key.h: what tells messages that belong together from others: (communicator, sender, receiver, tag).
 *
 * A send knows its own location and names the receiver, a receive knows its own and names the sender. Both make the same key:
 *
 * - A location counts exactly: threads of a process that name each other send to each other.
 * - Where nothing but processes can be named a thread stands for its process: when the communicator consists of processes
 *   only and the other side is one. Ranks of such a communicator are processes, whichever of their threads calls.
 * - Both sides of an inter-communicator are one communicator: the k-th group with members M and remote members R and the
 *   k-th with members R and remote members M. The key has the lower one of their two numbers.
 *
 * A side that names a process where no communicator says so makes another key than the thread that it means; what is left
 * over of such keys is brought together at the end (quipu__message_table_reconcile).
 */
#ifndef QUIPU_STATE_MESSAGE_KEY_H
#define QUIPU_STATE_MESSAGE_KEY_H

#include "core/memory/map.h"
#include "core/memory/vec.h"

#include <quipu/model.h>

struct quipu__message_key {
    uint32_t sender, receiver, communicator;
    int64_t tag;
};

/* What is known of a group of the definitions. */
struct quipu__communicator {
    uint32_t number; /* in keys: its own, or that of the other side */
    uint8_t ranks;   /* what they are; looked at when it is first asked */
};

struct quipu__communicators {
    struct quipu__memory *memory;
    QUIPU__VEC(struct quipu__communicator) list; /* the groups so far */
    struct quipu__map sides;                     /* inter-communicators by a hash of what they consist of */
};

void quipu__communicators_init(struct quipu__communicators *communicators, struct quipu__memory *memory);
void quipu__communicators_release(struct quipu__communicators *communicators);

/* Takes in the groups that have been defined since the last time; a damaged trace may define some while it is read. False
 * when memory is out. */
bool quipu__communicators_know(struct quipu__communicators *communicators, const struct quipu_groups *groups);

/* Whether the ranks of a communicator that is known are processes, none of them a part of one. */
bool quipu__communicator_has_processes(struct quipu__communicators *communicators,
                                       const struct quipu_definitions *definitions, uint32_t group);

/* Whether a process consists of several locations. */
bool quipu__has_threads(const struct quipu_definitions *definitions);

/* Whether threads of a process may send under one key. Then the order of messages is only seen from all of them in the order
 * of time. */
bool quipu__threads_share_keys(const struct quipu_definitions *definitions);

/* The key of a send or receive of a batch whose other side is known. False when memory is out. */
bool quipu__message_key_of(struct quipu__communicators *communicators,
                           const struct quipu_definitions *definitions, const struct quipu_batch *batch,
                           uint32_t event, struct quipu__message_key *out);

#endif
