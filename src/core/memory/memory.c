/* memory.c: the memory gate and the arena. */
#include "core/memory/memory.h"

#include "core/error.h"
#include "core/os.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void init(struct quipu__memory *memory, const struct quipu_allocator *allocator, size_t limit,
                 uint64_t seed) {
    *memory = (struct quipu__memory){.limit = limit ? limit : QUIPU_MEMORY_LIMIT, .seed = seed};
    if (allocator)
        memory->allocator = *allocator;
}

void quipu__memory_init(struct quipu__memory *memory, const struct quipu_allocator *allocator, size_t limit) {
    init(memory, allocator, limit, quipu__os_random());
}

static size_t limit_of(const struct quipu_allocator *allocator, size_t limit) {
    return allocator && quipu__budget_is_ceiling(allocator) ? SIZE_MAX : limit;
}

void quipu__memory_of(struct quipu__memory *memory, const struct quipu_allocator *allocator, size_t limit) {
    quipu__memory_init(memory, allocator, limit_of(allocator, limit));
}

/* The seed stays as secret as it was, and costs no call of the system: each array of a record batch has a gate. */
void quipu__memory_like(struct quipu__memory *memory, const struct quipu__memory *model) {
    if (model)
        init(memory, &model->allocator, limit_of(&model->allocator, model->limit), model->seed);
    else
        quipu__memory_init(memory, NULL, 0);
}

void *quipu__resize_block(const struct quipu__memory *memory, void *block, size_t old_size, size_t size) {
    if (memory->allocator.resize)
        return memory->allocator.resize(memory->allocator.context, block, old_size, size);
    if (size == 0) {
        free(block);
        return NULL;
    }
    return realloc(block, size);
}

static void *resize_counted(struct quipu__memory *memory, void *block, size_t old_size, size_t size) {
    assert(memory->used <= memory->limit);
    assert(old_size <= memory->used); /* a block is released with the size with which it was requested */
    if (size > old_size && size - old_size > memory->limit - memory->used)
        return NULL;
    if (size)
        memory->requests++;
    void *resized = quipu__resize_block(memory, block, old_size, size);
    if (!resized && size)
        return NULL;
    memory->used = memory->used - old_size + size;
    return resized;
}

void *quipu__resize(struct quipu__memory *memory, void *block, size_t old_size, size_t size) {
    struct quipu__lock *lock = memory->lock;
    if (lock)
        quipu__lock_take(lock);
    void *resized = resize_counted(memory, block, block ? old_size : 0, size);
    if (lock)
        quipu__lock_give(lock);
    if (!resized && size)
        quipu__memory_refuse(memory);
    return resized;
}

enum quipu_status quipu__memory_status(const struct quipu__memory *memory, struct quipu_error *err) {
    const struct quipu__refusal *refusal = atomic_load_explicit(&memory->refusal, memory_order_relaxed);
    if (QUIPU__LIKELY(!refusal))
        return QUIPU_OK;
    quipu__fail(err, QUIPU_NO_MEMORY, "%s", refusal->what);
    quipu__advise(err, "%s", refusal->advice);
    return QUIPU_NO_MEMORY;
}

void quipu__memory_refuse_as(struct quipu__memory *memory, const struct quipu__refusal *refusal) {
    const struct quipu__refusal *none = NULL;
    atomic_compare_exchange_strong_explicit(&memory->refusal, &none, refusal, memory_order_relaxed,
                                            memory_order_relaxed);
}

void quipu__memory_refuse(struct quipu__memory *memory) {
    static const struct quipu__refusal ran_out = {"memory ran out", QUIPU__MEMORY_ADVICE};
    quipu__memory_refuse_as(memory, &ran_out);
}

void *quipu__alloc(struct quipu__memory *memory, size_t size) {
    return quipu__resize(memory, NULL, 0, size ? size : 1);
}

void *quipu__alloc_zero(struct quipu__memory *memory, size_t size) {
    void *block = quipu__alloc(memory, size);
    if (block)
        memset(block, 0, size ? size : 1);
    return block;
}

void quipu__release(struct quipu__memory *memory, void *block, size_t size) {
    if (block)
        quipu__resize(memory, block, size ? size : 1, 0);
}

/* The size precedes the block. */
union size_head {
    size_t size; /* with this head */
    max_align_t align;
};

void *quipu__alloc_sized(struct quipu__memory *memory, size_t size) {
    union size_head *head = size < SIZE_MAX / 4 ? quipu__alloc(memory, size + sizeof *head) : NULL;
    if (!head) {
        quipu__memory_refuse(memory);
        return NULL;
    }
    head->size = size + sizeof *head;
    return head + 1;
}

void quipu__release_sized(struct quipu__memory *memory, void *block) {
    union size_head *head = block;
    if (head)
        quipu__release(memory, head - 1, head[-1].size);
}

/* ---- Arena ---- */

#define ARENA_BLOCK ((size_t)16 << 10)

struct quipu__arena_block {
    struct quipu__arena_block *older;
    size_t size; /* of data */
    union {
        max_align_t align;
        uint8_t bytes[1];
    } data;
};

static size_t block_bytes(size_t data_size) {
    return offsetof(struct quipu__arena_block, data) + data_size;
}

static void free_blocks(struct quipu__arena *arena, struct quipu__arena_block *block) {
    while (block) {
        struct quipu__arena_block *older = block->older;
        quipu__release(arena->memory, block, block_bytes(block->size));
        block = older;
    }
}

void quipu__arena_release(struct quipu__arena *arena) {
    free_blocks(arena, arena->blocks);
    quipu__arena_init(arena, arena->memory);
}

/* All of a block is free. */
static void begin_block(struct quipu__arena *arena, struct quipu__arena_block *block) {
    arena->blocks = block;
    arena->at = block->data.bytes;
    arena->end = block->data.bytes + block->size;
}

void quipu__arena_clear(struct quipu__arena *arena) {
    if (!arena->blocks)
        return;
    free_blocks(arena, arena->blocks->older);
    arena->blocks->older = NULL;
    begin_block(arena, arena->blocks);
}

static size_t aligned(size_t size) {
    return (size + QUIPU__ARENA_ALIGN - 1) & ~(QUIPU__ARENA_ALIGN - 1);
}

void *quipu__arena_more_room(struct quipu__arena *arena, size_t size) {
    if (size > SIZE_MAX / 4) {
        quipu__memory_refuse(arena->memory);
        return NULL;
    }
    /* Each block is larger than the one before, so that many definitions need few requests. */
    const size_t grown = arena->blocks ? arena->blocks->size * 2 : ARENA_BLOCK;
    const size_t wanted = grown > ((size_t)1 << 20) ? (size_t)1 << 20 : grown;
    const size_t data_size = wanted > size ? wanted : aligned(size + 1);
    struct quipu__arena_block *block = quipu__alloc(arena->memory, block_bytes(data_size));
    if (!block)
        return NULL;
    block->older = arena->blocks;
    block->size = data_size;
    begin_block(arena, block);
    return arena->at;
}

void *quipu__arena_alloc(struct quipu__arena *arena, size_t size) {
    uint8_t *taken = quipu__arena_room(arena, size);
    if (taken)
        quipu__arena_use(arena, taken + size);
    return taken;
}

char *quipu__arena_text(struct quipu__arena *arena, const char *text, size_t len) {
    char *copy = quipu__arena_alloc(arena, len + 1);
    if (!copy)
        return NULL;
    if (len)
        memcpy(copy, text, len);
    copy[len] = '\0';
    return copy;
}
