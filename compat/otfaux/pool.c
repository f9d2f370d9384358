/* pool.c: chunks that double in size, cut into items; items that come back form a list within themselves. */
#include "pool.h"

#include <stdalign.h>
#include <stdlib.h>

#define FIRST_CHUNK 4u
#define LARGEST_CHUNK 4096u

/* Head of a chunk, as large as the strictest alignment. */
union head {
    void *next;
    max_align_t align;
};

void aux_pool_init(struct aux_pool *pool, size_t item_size) {
    const size_t align = alignof(max_align_t);
    *pool = (struct aux_pool){.item_size = (item_size + align - 1) / align * align};
}

void aux_pool_release(struct aux_pool *pool) {
    while (pool->chunks) {
        void *next = *(void **)pool->chunks;
        free(pool->chunks);
        pool->chunks = next;
    }
    aux_pool_init(pool, pool->item_size);
}

static void *add_chunk(struct aux_pool *pool) {
    const size_t twice = pool->chunk_size ? pool->chunk_size * 2 : FIRST_CHUNK;
    const size_t size = twice < LARGEST_CHUNK ? twice : LARGEST_CHUNK;
    union head *chunk = malloc(sizeof *chunk + size * pool->item_size);
    if (!chunk)
        return NULL;
    chunk->next = pool->chunks;
    pool->chunks = chunk;
    pool->chunk_size = pool->fresh = size;
    return chunk;
}

void *aux_pool_take(struct aux_pool *pool) {
    if (pool->spare) {
        void *item = pool->spare;
        pool->spare = *(void **)item;
        return item;
    }
    if (pool->fresh == 0 && !add_chunk(pool))
        return NULL;
    return (char *)pool->chunks + sizeof(union head) + --pool->fresh * pool->item_size;
}

void aux_pool_give(struct aux_pool *pool, void *item) {
    *(void **)item = pool->spare;
    pool->spare = item;
}
