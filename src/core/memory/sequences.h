/* sequences.h: several ascending sequences as one, some hundred items at a time.
 *
 *     sequence 0   1 4 6 9|          What comes before the end of the sequence that ends first, or has given its share, is
 *     sequence 1   2 3 7 | 10        known, so it can be sorted at once: by one digit of the times after the other, the lowest
 *     sequence 2   2 8 8 | 9 11      first. No step depends on how two times compare, so none is mispredicted and none waits for
 *                                    the one before, as each match of a tournament does. Only positions of items are found.
 */
#ifndef QUIPU_CORE_MEMORY_SEQUENCES_H
#define QUIPU_CORE_MEMORY_SEQUENCES_H

#include <stdbool.h>
#include <stdint.h>

/* Items that are merged at a time, sequences, and items of each sequence without which a tournament is as fast. */
enum {
    QUIPU__SEQUENCES_ITEMS = 2048,
    QUIPU__SEQUENCES_LEAST = 16,
    QUIPU__SEQUENCES_MOST = QUIPU__SEQUENCES_ITEMS / QUIPU__SEQUENCES_LEAST
};

struct quipu__sequence {
    const void *times; /* of its next items: int64_t, or uint64_t below 2^63 */
    uint32_t left;     /* items that are there, at least one */
    uint32_t source;   /* the caller's */
    uint32_t taken;    /* how many of them come next */
};

struct quipu__sequences {
    struct quipu__sequence items[QUIPU__SEQUENCES_MOST]; /* equal times come in this order */
    uint32_t count;
    uint32_t stride; /* bytes from a time to that of the next item */

    /* what has been found */
    int64_t end;   /* nothing that is left comes before it */
    uint32_t ends; /* the sequence that has its last item at the end; no other one has been used up */
    uint16_t positions[QUIPU__SEQUENCES_ITEMS]; /* of the taken items, sequence after sequence, in the result */

    uint64_t keys[2][QUIPU__SEQUENCES_ITEMS]; /* a time since the first one, and below it the item */
};

/* Finds which items come next, at most most of them, and where; returns their number. 0 when it cannot: a time is before since or goes
 * back in its sequence, or the times are too far apart. */
uint32_t quipu__sequences_merge(struct quipu__sequences *sequences, int64_t since, uint32_t most);

#endif
