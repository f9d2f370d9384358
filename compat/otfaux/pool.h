/* pool.h: items of one size, taken and given back without going to malloc each time. Memory goes back to the system when
 * the pool is released. */
#ifndef COMPAT_OTFAUX_POOL_H
#define COMPAT_OTFAUX_POOL_H

#include <stddef.h>

struct aux_pool {
    size_t item_size;
    size_t fresh;      /* items of the newest chunk that were never taken */
    size_t chunk_size; /* items of the newest chunk */
    void *chunks;      /* newest first; a chunk begins with the next one's address */
    void *spare;       /* items given back; an item begins with the next one's address */
};

/* item_size is at least that of a pointer. */
void aux_pool_init(struct aux_pool *pool, size_t item_size);
void aux_pool_release(struct aux_pool *pool);

/* An item with undefined content; NULL when memory is out. */
void *aux_pool_take(struct aux_pool *pool);
void aux_pool_give(struct aux_pool *pool, void *item);

#endif
