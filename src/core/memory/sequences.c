/* sequences.c: see sequences.h. */
#include "core/memory/sequences.h"

#include "core/os.h"

#include <assert.h>
#include <string.h>

/* Bits of an item's number in a key, of the longest time above it, and of a digit, whose counters stay in the cache. */
enum { ITEM_BITS = 11, TIME_BITS = 64 - ITEM_BITS, DIGIT_BITS = 9 };
_Static_assert(QUIPU__SEQUENCES_ITEMS == 1 << ITEM_BITS, "a key holds the number of an item");

QUIPU__INLINE int64_t time_at(const struct quipu__sequences *sequences, const struct quipu__sequence *sequence,
                              uint32_t item) {
    int64_t time;
    memcpy(&time, (const uint8_t *)sequence->times + (size_t)item * sequences->stride, sizeof time);
    return time;
}

/* Finds the first time of all, and where the first of the sequences ends, each of which gives at most its share. */
static int64_t find_end(struct quipu__sequences *sequences, uint32_t share) {
    int64_t first = INT64_MAX;
    sequences->end = INT64_MAX;
    sequences->ends = 0;
    for (uint32_t i = 0; i < sequences->count; i++) {
        struct quipu__sequence *sequence = &sequences->items[i];
        sequence->taken = sequence->left < share ? sequence->left : share;
        const int64_t time = time_at(sequences, sequence, 0),
                      last = time_at(sequences, sequence, sequence->taken - 1);
        first = time < first ? time : first;
        sequences->ends = last < sequences->end ? i : sequences->ends;
        sequences->end = last < sequences->end ? last : sequences->end;
    }
    return first;
}

/* Makes keys of the items of a sequence that are before an end; returns how many keys there are then, or UINT32_MAX when a time goes back. */
static uint32_t make_keys(struct quipu__sequences *sequences, struct quipu__sequence *sequence, int64_t first,
                          uint64_t end, uint32_t count) {
    uint64_t *const keys = sequences->keys[0];
    const uint32_t most = sequence->taken;
    int64_t before = first;
    uint32_t item = 0;
    bool goes_back = false;
    for (; item < most; item++) {
        const int64_t time = time_at(sequences, sequence, item);
        const uint64_t number = (uint64_t)time - (uint64_t)first;
        goes_back |= time < before;
        if (number >= end)
            break;
        before = time;
        keys[count] = number << ITEM_BITS | count;
        count++;
    }
    sequence->taken = item;
    return goes_back ? UINT32_MAX : count;
}

/* Turns numbers of items per digit into the position of the first item with each. */
static void add_up(uint16_t *starts, unsigned bits) {
    unsigned total = 0;
    for (unsigned digit = 0; digit < 1u << bits; digit++) {
        const unsigned count = starts[digit];
        starts[digit] = (uint16_t)total;
        total += count;
    }
}

/* Sorts the keys by all digits but the highest, which says where the items go. */
static void find_positions(struct quipu__sequences *sequences, uint32_t count, uint64_t most) {
    const unsigned bits = most ? 64 - quipu__leading_zeros(most) : 1,
                   digits = (bits + DIGIT_BITS - 1) / DIGIT_BITS;
    const unsigned width = (bits + digits - 1) / digits;
    const uint64_t mask = (UINT64_C(1) << width) - 1;
    uint64_t *from = sequences->keys[0], *to = sequences->keys[1];
    for (unsigned digit = 0; digit < digits; digit++) {
        const unsigned shift = ITEM_BITS + digit * width;
        uint16_t starts[1 << DIGIT_BITS];
        memset(starts, 0, sizeof *starts << width);
        for (uint32_t i = 0; i < count; i++)
            starts[from[i] >> shift & mask]++;
        add_up(starts, width);
        if (digit + 1 == digits)
            for (uint32_t i = 0; i < count; i++)
                sequences->positions[from[i] & (QUIPU__SEQUENCES_ITEMS - 1)] =
                    starts[from[i] >> shift & mask]++;
        else
            for (uint32_t i = 0; i < count; i++)
                to[starts[from[i] >> shift & mask]++] = from[i];
        uint64_t *const sorted = to;
        to = from;
        from = sorted;
    }
}

uint32_t quipu__sequences_merge(struct quipu__sequences *sequences, int64_t since, uint32_t most) {
    assert(sequences->count > 0 && sequences->count <= most && most <= QUIPU__SEQUENCES_ITEMS);
    const int64_t first = find_end(sequences, most / sequences->count);
    const uint64_t longest = (uint64_t)sequences->end - (uint64_t)first;
    uint32_t count = 0;
    if (first < since || sequences->end < first || longest >= UINT64_C(1) << TIME_BITS)
        return 0;
    for (uint32_t i = 0; i < sequences->count; i++) {
        count = make_keys(sequences, &sequences->items[i], first, longest + (i <= sequences->ends), count);
        if (count == UINT32_MAX)
            return 0;
    }
    find_positions(sequences, count, longest);
    return count;
}
