/* heap.h: which stream comes first. Events with equal clocks must come in exactly the order of this heap, since the original's
 * output depends on it: a stream is put at the end and moves up while it is strictly earlier; when the first is taken, the last
 * one replaces it and moves down until no child is strictly earlier. */
#ifndef QUIPU_OVNI_HEAP_H
#define QUIPU_OVNI_HEAP_H

#include "core/os.h"

#include <stddef.h>
#include <stdint.h>

struct quipu__ovni_heap_entry {
    int64_t clock;
    uint32_t stream;
};

struct quipu__ovni_heap {
    struct quipu__ovni_heap_entry *entries; /* room for all streams */
    size_t count;
};

static inline void quipu__ovni_heap_put(struct quipu__ovni_heap *heap, uint32_t stream, int64_t clock) {
    struct quipu__ovni_heap_entry *entries = heap->entries;
    size_t index = heap->count++;
    for (; index > 0 && clock < entries[(index - 1) / 2].clock; index = (index - 1) / 2)
        entries[index] = entries[(index - 1) / 2];
    entries[index] = (struct quipu__ovni_heap_entry){clock, stream};
}

/* Takes the first; there is one. */
static inline uint32_t quipu__ovni_heap_take(struct quipu__ovni_heap *heap) {
    struct quipu__ovni_heap_entry *entries = heap->entries;
    const uint32_t first = entries[0].stream;
    const size_t count = --heap->count;
    const struct quipu__ovni_heap_entry moved = entries[count];
    size_t index = 0;
    for (;;) {
        const size_t left = 2 * index + 1, right = left + 1;
        if (left >= count)
            break;
        const size_t earlier = right < count && entries[right].clock < entries[left].clock ? right : left;
        if (entries[earlier].clock >= moved.clock)
            break;
        entries[index] = entries[earlier];
        index = earlier;
    }
    entries[index] = moved;
    return first;
}

#endif
