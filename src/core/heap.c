/* heap.c: the classic array heap. */
#include "core/heap.h"

void quipu__heap_init(struct quipu__heap *heap, struct quipu__memory *memory) {
    *heap = (struct quipu__heap){.memory = memory};
}

void quipu__heap_release(struct quipu__heap *heap) {
    quipu__release(heap->memory, heap->entries, heap->capacity * sizeof *heap->entries);
    *heap = (struct quipu__heap){.memory = heap->memory};
}

static bool is_before(const struct quipu__heap_entry *a, const struct quipu__heap_entry *b) {
    if (a->time != b->time)
        return a->time < b->time;
    if (a->location != b->location)
        return a->location < b->location;
    return a->source < b->source;
}

static void swap(struct quipu__heap_entry *a, struct quipu__heap_entry *b) {
    const struct quipu__heap_entry kept = *a;
    *a = *b;
    *b = kept;
}

bool quipu__heap_push(struct quipu__heap *heap, struct quipu__heap_entry entry) {
    if (heap->count == heap->capacity) {
        const size_t wanted = heap->capacity ? heap->capacity * 2 : 16;
        void *grown =
            quipu__resize(heap->memory, heap->entries, heap->capacity * sizeof entry, wanted * sizeof entry);
        if (!grown)
            return false;
        heap->entries = grown;
        heap->capacity = wanted;
    }
    size_t i = heap->count++;
    heap->entries[i] = entry;
    for (; i > 0 && is_before(&heap->entries[i], &heap->entries[(i - 1) / 2]); i = (i - 1) / 2)
        swap(&heap->entries[i], &heap->entries[(i - 1) / 2]);
    return true;
}

void quipu__heap_sink(struct quipu__heap *heap) {
    for (size_t i = 0;;) {
        size_t least = i;
        for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < heap->count; child++)
            if (is_before(&heap->entries[child], &heap->entries[least]))
                least = child;
        if (least == i)
            return;
        swap(&heap->entries[i], &heap->entries[least]);
        i = least;
    }
}

void quipu__heap_pop(struct quipu__heap *heap) {
    heap->entries[0] = heap->entries[--heap->count];
    quipu__heap_sink(heap);
}
