/* sort.c: see sort.h. Ranges are sorted by qsort and then merged from the list into a copy and back, doubling their length each
 * time, so every pass reads two ranges and writes one sequentially. */
#include "core/memory/sort.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of a range: qsort takes as much memory for itself. */
enum { RANGE = 1 << 18 };

struct merging {
    size_t size; /* of an item */
    int (*compare)(const void *, const void *);
};

/* Merges two sorted ranges that follow each other, up to middle and end. */
static void merge(const struct merging *merging, const char *from, size_t middle, size_t end, char *to) {
    const char *left = from, *right = from + middle;
    const char *const left_end = right, *const right_end = from + end;
    while (left < left_end && right < right_end) {
        const char **first = merging->compare(left, right) <= 0 ? &left : &right;
        memcpy(to, *first, merging->size);
        to += merging->size;
        *first += merging->size;
    }
    memcpy(to, left, (size_t)(left_end - left));
    memcpy(to + (left_end - left), right, (size_t)(right_end - right));
}

static void merge_all(const struct merging *merging, const char *from, size_t bytes, size_t range, char *to) {
    for (size_t i = 0; i < bytes; i += 2 * range) {
        const size_t left = bytes - i, end = left < 2 * range ? left : 2 * range;
        merge(merging, from + i, end < range ? end : range, end, to + i);
    }
}

static void sort_ranges(const struct merging *merging, char *items, size_t bytes, size_t range) {
    for (size_t i = 0; i < bytes; i += range) {
        const size_t left = bytes - i;
        qsort(items + i, (left < range ? left : range) / merging->size, merging->size, merging->compare);
    }
}

static bool sort_long(struct quipu__memory *memory, const struct merging *merging, char *items, size_t bytes) {
    size_t range = RANGE / merging->size > 0 ? RANGE / merging->size * merging->size : merging->size;
    char *copy = quipu__alloc(memory, bytes);
    if (!copy)
        return false;
    sort_ranges(merging, items, bytes, range);
    char *from = items, *to = copy;
    for (; range < bytes; range *= 2) {
        merge_all(merging, from, bytes, range, to);
        char *const merged = to;
        to = from;
        from = merged;
    }
    if (from == copy)
        memcpy(items, copy, bytes);
    quipu__release(memory, copy, bytes);
    return true;
}

bool quipu__sort(struct quipu__memory *memory, void *items, size_t count, size_t size,
                 int (*compare)(const void *, const void *)) {
    const struct merging merging = {size, compare};
    if (count * size > RANGE)
        return sort_long(memory, &merging, items, count * size);
    if (count > 1)
        qsort(items, count, size, compare);
    return true;
}
