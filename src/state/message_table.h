/* message_table.h: who sends to whom: counts of messages by key (message_key.h).
 *
 * MPI keeps messages of one key in order, so the n-th send of a key belongs to its n-th receive; nothing but the two
 * counts is needed to match them, in whatever order the locations are read. The number of keys is limited, so memory
 * is too.
 */
#ifndef QUIPU_STATE_MESSAGE_TABLE_H
#define QUIPU_STATE_MESSAGE_TABLE_H

#include "state/message_key.h"

struct quipu__message_count {
    struct quipu__message_key key;
    uint64_t sent, received;
};

struct quipu__message_table {
    struct quipu__memory *memory;
    struct quipu__communicators communicators;
    struct quipu__map numbers;
    QUIPU__VEC(struct quipu__message_count) list;
    bool is_full; /* a key was left out */
};

enum { QUIPU__MESSAGE_KEYS_MOST = 1 << 19 };

void quipu__message_table_init(struct quipu__message_table *table, struct quipu__memory *memory);
void quipu__message_table_release(struct quipu__message_table *table);

/* The counts of a key, added without messages when it is new; NULL when there is no more room. Valid until the next call. */
struct quipu__message_count *quipu__message_table_add(struct quipu__message_table *table,
                                                      const struct quipu__message_key *key);

/* Forgets all but the first ones of the list, which may have been moved there. False when memory is out. */
QUIPU_CHECKED bool quipu__message_table_keep(struct quipu__message_table *table, size_t count);

/* The counts of a send or receive of a batch; NULL when the other side is not known, or when there is no more room.
 * Valid until the next call. */
struct quipu__message_count *quipu__message_table_find(struct quipu__message_table *table,
                                                       const struct quipu_definitions *definitions,
                                                       const struct quipu_batch *batch, uint32_t event);

/* Counts a send or receive and gives a number that it shares with its counterpart; 0 for events of other kinds, for
 * unknown counterparts and when there is no more room. */
uint64_t quipu__message_table_number(struct quipu__message_table *table,
                                     const struct quipu_definitions *definitions,
                                     const struct quipu_batch *batch, uint32_t event);

/* When everything has been counted: what is left over on both sides is brought together by process where a side names no
 * more than the process. Receives are then counted with the sends that they belong to, of which the trace may not tell
 * the threads apart: the lower numbers get them first. False when memory is out. */
QUIPU_CHECKED bool quipu__message_table_reconcile(struct quipu__message_table *table,
                                                  const struct quipu_definitions *definitions);

#endif
