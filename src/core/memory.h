/* memory.h: the one gate to memory. Each handle has a gate with a ceiling; tests put an allocator behind it that
 * fails the n-th request. An arena hands out memory that is freed all at once: definitions live in one. */
#ifndef QUIPU_CORE_MEMORY_H
#define QUIPU_CORE_MEMORY_H

#include <quipu/base.h>

struct quipu__lock;

struct quipu__memory {
    struct quipu_allocator allocator;
    size_t used;
    size_t limit;
    uint64_t requests;        /* number of allocations so far: tests of "no allocation per event" read it */
    struct quipu__lock *lock; /* while several threads use the gate, else NULL */
};

/* limit 0 means QUIPU_MEMORY_LIMIT. allocator may be NULL. */
void quipu__memory_init(struct quipu__memory *memory, const struct quipu_allocator *allocator, size_t limit);

/* NULL when the ceiling or the system refuses. New memory is not zeroed. Works like realloc; size 0 frees. */
void *quipu__resize(struct quipu__memory *memory, void *block, size_t old_size, size_t size);
void *quipu__alloc(struct quipu__memory *memory, size_t size);
void *quipu__alloc_zero(struct quipu__memory *memory, size_t size);
void quipu__release(struct quipu__memory *memory, void *block, size_t size);

struct quipu__arena_block;
struct quipu__arena {
    struct quipu__memory *memory;
    struct quipu__arena_block *blocks;
    size_t used; /* in the newest block */
};

void quipu__arena_init(struct quipu__arena *arena, struct quipu__memory *memory);
void quipu__arena_release(struct quipu__arena *arena);

/* Memory aligned to 16 bytes, not zeroed; NULL when there is none. */
void *quipu__arena_alloc(struct quipu__arena *arena, size_t size);

/* A copy with a NUL added. */
char *quipu__arena_text(struct quipu__arena *arena, const char *text, size_t len);

/* Forgets everything but keeps the newest block for reuse. */
void quipu__arena_clear(struct quipu__arena *arena);

#endif
