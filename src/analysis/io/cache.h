/* cache.h: simulated caches of blocks, at I/O nodes and at clients. They begin empty, and nothing is ever invalidated. */
#ifndef QUIPU_ANALYSIS_IO_CACHE_H
#define QUIPU_ANALYSIS_IO_CACHE_H

#include "core/memory/vec.h"

enum quipu__replacement { QUIPU__REPLACE_LRU, QUIPU__REPLACE_FIFO, QUIPU__REPLACEMENTS };

/* The blocks of a file that a request touches: first, first + 1, … */
struct quipu__blocks {
    uint32_t file;
    int64_t first;
    uint64_t count;
};

/* How many sizes of caches a list may have. */
enum { QUIPU__IO_LIST = 8 };

/* The sizes of caches at a node that give up blocks in one way, and how often a reference hit them. */
struct quipu__node_sizes {
    uint32_t capacities[QUIPU__IO_LIST]; /* ascending, all different */
    uint32_t count;
    uint64_t hits[QUIPU__IO_LIST]; /* LRU: where no smaller one was hit */
};

/* Caches of all I/O nodes: block b of any file is on node b modulo their number. One pass gives the hits of all sizes. */
struct quipu__node_caches {
    struct quipu__memory *memory;
    uint32_t nodes, capacity; /* the largest of a node */
    struct quipu__node_sizes sizes[QUIPU__REPLACEMENTS];
    QUIPU__VEC(struct quipu__node_slot) slots;
    QUIPU__VEC(uint64_t)
    entries;             /* of each slot: as which one it came into the FIFO caches of each size; 0: never */
    uint32_t *heads;     /* of chains of slots, by the hash of their blocks */
    unsigned head_bits;  /* of the number of heads */
    uint32_t free;       /* chain of slots that are in no cache; QUIPU_NONE: none is known */
    uint32_t slots_most; /* before those are looked for: twice as many as are in caches */
    uint64_t multipliers[2];        /* of the hash; odd, and unknown to who writes a trace */
    struct quipu__node_list *lists; /* of the nodes */
    struct quipu__blocks
        postponed; /* a long request whose last blocks are all there is in the caches; count 0: none */
    uint64_t references;
};

enum { QUIPU__IO_NODES_MOST = 1024, QUIPU__IO_BUFFERS_MOST = 1 << 24 };

/* Caches of several sizes, each given as buffers of all nodes together, that give up blocks as is said (one bit per replacement). */
QUIPU_CHECKED bool quipu__node_caches_init(struct quipu__node_caches *caches, struct quipu__memory *memory,
                                           unsigned replacements, const uint64_t *buffers, uint32_t count,
                                           uint32_t nodes);
void quipu__node_caches_release(struct quipu__node_caches *caches);

/* References to blocks, in ascending order. False when memory is out. */
QUIPU_CHECKED bool quipu__node_caches_add(struct quipu__node_caches *caches,
                                          const struct quipu__blocks *blocks);

/* How many references hit the caches that have so many buffers together. */
uint64_t quipu__node_caches_hits(const struct quipu__node_caches *caches, enum quipu__replacement replacement,
                                 uint64_t buffers);

/* The cache of a client for a file: the newest block first. */
struct quipu__client_blocks {
    uint64_t requests, hits;
    uint32_t count;
    int64_t *blocks; /* capacity of them */
};

/* A request hits when all its blocks are there; then, or having been loaded, they are the newest. False when memory is out. *hit is
 * set. */
QUIPU_CHECKED bool quipu__client_blocks_add(struct quipu__client_blocks *cache, struct quipu__memory *memory,
                                            enum quipu__replacement replacement, uint32_t capacity,
                                            const struct quipu__blocks *blocks, bool *hit);
static inline void quipu__client_blocks_release(struct quipu__client_blocks *cache,
                                                struct quipu__memory *memory, uint32_t capacity) {
    if (cache->blocks)
        quipu__release(memory, cache->blocks, capacity * sizeof *cache->blocks);
}

#endif
