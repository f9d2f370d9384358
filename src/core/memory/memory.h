/* memory.h: the one gate to memory. Each handle has a gate with a ceiling; tests give it an allocator that fails the n-th
 * request; a budget (quipu_budget_new) is the allocator of several gates.
 *
 * A gate remembers that it refused something. So no refusal need be passed up from inside a decoder: code that delivers a
 * batch, a record or an answer asks quipu__memory_status once, and nothing incomplete passes for complete.
 *
 * An arena gives memory that is freed all at once: definitions live in one. */
#ifndef QUIPU_CORE_MEMORY_MEMORY_H
#define QUIPU_CORE_MEMORY_MEMORY_H

#include <quipu/base.h>

#include <stdatomic.h>

struct quipu__lock;

/* Why a gate has refused something, and what to do about it. */
struct quipu__refusal {
    const char *what, *advice;
};

struct quipu__memory {
    struct quipu_allocator allocator;
    size_t used;
    size_t limit;
    uint64_t requests;        /* number of allocations so far: tests of "no allocation per event" read it */
    struct quipu__lock *lock; /* while several threads use the gate, else NULL */
    uint64_t seed;            /* of maps: the writer of a trace cannot know which keys collide */
    const struct quipu__refusal
        *_Atomic refusal; /* the first since the gate was made or forgiven; NULL: nothing was refused */
};

/* limit 0 means QUIPU_MEMORY_LIMIT. allocator may be NULL. */
void quipu__memory_init(struct quipu__memory *memory, const struct quipu_allocator *allocator, size_t limit);

/* A gate for what is made from a handle. If a budget spills, it is the only ceiling: blocks in a file are not memory. */
void quipu__memory_of(struct quipu__memory *memory, const struct quipu_allocator *allocator, size_t limit);

/* The same with the allocator and ceiling of model. model NULL: the defaults. */
void quipu__memory_like(struct quipu__memory *memory, const struct quipu__memory *model);

/* NULL when the ceiling or the system refuses. New memory is not zeroed. Works like realloc; size 0 frees. */
void *quipu__resize(struct quipu__memory *memory, void *block, size_t old_size, size_t size);
void *quipu__alloc(struct quipu__memory *memory, size_t size);
void *quipu__alloc_zero(struct quipu__memory *memory, size_t size);
void quipu__release(struct quipu__memory *memory, void *block, size_t size);

/* A block of one gate becomes one of another that has the same allocator and ceiling. */
static inline void quipu__memory_hand_over(struct quipu__memory *from, struct quipu__memory *to, size_t size) {
    from->used -= size;
    to->used += size;
}

/* What the allocator of a gate gives, without counting. */
void *quipu__resize_block(const struct quipu__memory *memory, void *block, size_t old_size, size_t size);

/* Whether an allocator is that of a budget which spills. */
bool quipu__budget_is_ceiling(const struct quipu_allocator *allocator);

/* For libraries that do not say how large a block is when they free it. */
void *quipu__alloc_sized(struct quipu__memory *memory, size_t size);
void quipu__release_sized(struct quipu__memory *memory, void *block);

/* QUIPU_OK, or QUIPU_NO_MEMORY when the gate has refused anything since it was made, or since it was forgiven. */
enum quipu_status quipu__memory_status(const struct quipu__memory *memory, struct quipu_error *err);

/* Whether it has: for loops that would go on for nothing. */
static inline bool quipu__memory_is_out(const struct quipu__memory *memory) {
    return atomic_load_explicit(&memory->refusal, memory_order_relaxed) != NULL;
}

/* Notes a refusal that did not come from the gate: of an impossible size, or of something else that is bounded. */
void quipu__memory_refuse(struct quipu__memory *memory);
void quipu__memory_refuse_as(struct quipu__memory *memory, const struct quipu__refusal *refusal);

/* Marks a result that need not be passed on: the call can fail only because memory is out, and the gate remembers that. */
static inline void quipu__gate_knows(bool done) {
    (void)done;
}

/* Forgets refusals: everything that became incomplete because of them has been discarded. */
static inline void quipu__memory_forgive(struct quipu__memory *memory) {
    atomic_store_explicit(&memory->refusal, NULL, memory_order_relaxed);
}

#define QUIPU__ARENA_ALIGN ((size_t)16)

struct quipu__arena_block;
struct quipu__arena {
    struct quipu__memory *memory;
    struct quipu__arena_block *blocks;
    uint8_t *at, *end; /* free part of the newest block; never empty, so that no room is NULL */
};

static inline void quipu__arena_init(struct quipu__arena *arena, struct quipu__memory *memory) {
    *arena = (struct quipu__arena){.memory = memory};
}
void quipu__arena_release(struct quipu__arena *arena);

/* Memory aligned to 16 bytes, not zeroed; NULL when there is none. */
void *quipu__arena_alloc(struct quipu__arena *arena, size_t size);

/* The same in two steps, when the size is known only at the end: first room for up to that many bytes, NULL when there is none,
 * then the end of the bytes that were used. */
void *quipu__arena_more_room(struct quipu__arena *arena, size_t size);
static inline void *quipu__arena_room(struct quipu__arena *arena, size_t size) {
    return size < (size_t)(arena->end - arena->at) ? arena->at : quipu__arena_more_room(arena, size);
}
static inline void quipu__arena_use(struct quipu__arena *arena, const void *end) {
    const size_t used = (size_t)((const uint8_t *)end - arena->at);
    arena->at += (used + QUIPU__ARENA_ALIGN - 1) & ~(QUIPU__ARENA_ALIGN - 1);
}

/* A copy with a NUL added. */
char *quipu__arena_text(struct quipu__arena *arena, const char *text, size_t len);

/* Forgets everything but keeps the newest block for reuse. */
void quipu__arena_clear(struct quipu__arena *arena);

#endif
