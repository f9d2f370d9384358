/* sort.c: see sort.h. What is in order already stays; short lists are sorted by insertion; longer ones are halved, and the halves merged from the list into a copy or
 * back, by turns. */
#include "core/memory/sort.h"

#include <string.h>

enum { FEW = 8, SMALL = 1024 /* bytes that need no memory from the gate */ };

struct sorting {
    size_t size; /* of an item */
    int (*compare)(const void *, const void *);
};

/* Most items are pointers. */
static inline void copy_item(const struct sorting *sorting, char *to, const char *from) {
    if (sorting->size == sizeof(void *))
        memcpy(to, from, sizeof(void *));
    else
        memcpy(to, from, sorting->size);
}

static void insert(const struct sorting *sorting, char *items, size_t count, char *room) {
    const size_t size = sorting->size;
    for (char *item = items + size; item < items + count * size; item += size) {
        char *to = item;
        if (sorting->compare(to - size, item) <= 0)
            continue;
        copy_item(sorting, room, item);
        do {
            copy_item(sorting, to, to - size);
            to -= size;
        } while (to > items && sorting->compare(to - size, room) > 0);
        copy_item(sorting, to, room);
    }
}

/* Merges two sorted ranges that follow each other, up to middle and end. */
static void merge(const struct sorting *sorting, const char *from, size_t middle, size_t end, char *to) {
    const char *left = from, *right = from + middle;
    const char *const left_end = right, *const right_end = from + end;
    while (left < left_end && right < right_end) {
        const char **first = sorting->compare(left, right) <= 0 ? &left : &right;
        copy_item(sorting, to, *first);
        to += sorting->size;
        *first += sorting->size;
    }
    memcpy(to, left, (size_t)(left_end - left));
    memcpy(to + (left_end - left), right, (size_t)(right_end - right));
}

/* Leaves the sorted items in the copy, or where they are. */
static void sort(const struct sorting *sorting, char *items, char *copy, size_t count, bool to_copy) {
    const size_t bytes = count * sorting->size, middle = count / 2 * sorting->size;
    if (count <= FEW) {
        insert(sorting, items, count, copy);
        if (to_copy)
            memcpy(copy, items, bytes);
        return;
    }
    sort(sorting, items, copy, count / 2, !to_copy);
    sort(sorting, items + middle, copy + middle, count - count / 2, !to_copy);
    merge(sorting, to_copy ? items : copy, middle, bytes, to_copy ? copy : items);
}

static bool is_sorted(const struct sorting *sorting, const char *items, size_t count) {
    for (size_t i = 1; i < count; i++)
        if (sorting->compare(items + (i - 1) * sorting->size, items + i * sorting->size) > 0)
            return false;
    return true;
}

bool quipu__sort(struct quipu__memory *memory, void *items, size_t count, size_t size,
                 int (*compare)(const void *, const void *)) {
    _Alignas(max_align_t) char room[SMALL];
    const struct sorting sorting = {size, compare};
    const size_t bytes = count * size;
    if (is_sorted(&sorting, items, count))
        return true;
    char *copy = bytes <= sizeof room ? room : quipu__alloc(memory, bytes);
    if (!copy)
        return false;
    sort(&sorting, items, copy, count, false);
    if (copy != room)
        quipu__release(memory, copy, bytes);
    return true;
}
