/* heap.h: a binary min-heap of sources by (time, location, position), for k-way merges. */
#ifndef QUIPU_CORE_HEAP_H
#define QUIPU_CORE_HEAP_H

#include "core/memory.h"

struct quipu__heap_entry {
    int64_t time;
    uint32_t location;
    uint32_t source; /* which of the merged sequences; also the last tie-breaker */
};

struct quipu__heap {
    struct quipu__memory *memory;
    struct quipu__heap_entry *entries;
    size_t count, capacity;
};

void quipu__heap_init(struct quipu__heap *heap, struct quipu__memory *memory);
void quipu__heap_release(struct quipu__heap *heap);
bool quipu__heap_push(struct quipu__heap *heap, struct quipu__heap_entry entry);

/* entries[0] is the smallest. After changing it, restore the order; or remove it. */
void quipu__heap_sink(struct quipu__heap *heap);
void quipu__heap_pop(struct quipu__heap *heap);

#endif
