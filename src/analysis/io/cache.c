/* cache.c: caches as lists of blocks, the newest first, and a map that finds them.
 *
 * A request may touch more blocks than could be looked at one by one. But its blocks are all different and come in ascending
 * order: once twice as many as a node has buffers have come by, nothing is left there from before the request, so the others
 * miss; and the last ones are what stays. These are put into the caches when a request comes that could hit them. */
#include "analysis/io/cache.h"

#include "analysis/io/extents.h"

#include <string.h>

struct quipu__node_slot {
    uint64_t key;
    uint32_t newer, older;
};

struct quipu__node_list {
    uint32_t newest, oldest, count;
};

/* ---- I/O nodes ---- */

bool quipu__node_caches_init(struct quipu__node_caches *caches, struct quipu__memory *memory,
                             enum quipu__replacement replacement, uint64_t buffers, uint32_t nodes) {
    *caches = (struct quipu__node_caches){
        .memory = memory, .replacement = replacement, .buffers = buffers, .nodes = nodes};
    caches->capacity = buffers / nodes > 0 ? (uint32_t)(buffers / nodes) : 1;
    quipu__map_init(&caches->slot_of, memory);
    caches->lists = quipu__alloc(memory, nodes * sizeof *caches->lists);
    for (uint32_t i = 0; caches->lists && i < nodes; i++)
        caches->lists[i] = (struct quipu__node_list){QUIPU_NONE, QUIPU_NONE, 0};
    return caches->lists != NULL;
}

void quipu__node_caches_release(struct quipu__node_caches *caches) {
    if (!caches->memory)
        return;
    quipu__map_release(&caches->slot_of);
    QUIPU__VEC_RELEASE(caches->memory, &caches->slots);
    quipu__release(caches->memory, caches->lists, caches->nodes * sizeof *caches->lists);
}

static void link_newest(struct quipu__node_caches *caches, struct quipu__node_list *list, uint32_t number) {
    struct quipu__node_slot *slots = caches->slots.items;
    slots[number].newer = QUIPU_NONE;
    slots[number].older = list->newest;
    if (list->newest != QUIPU_NONE)
        slots[list->newest].newer = number;
    else
        list->oldest = number;
    list->newest = number;
}

static void unlink_slot(struct quipu__node_caches *caches, struct quipu__node_list *list, uint32_t number) {
    struct quipu__node_slot *slots = caches->slots.items;
    const struct quipu__node_slot *slot = &slots[number];
    if (slot->newer != QUIPU_NONE)
        slots[slot->newer].older = slot->older;
    else
        list->newest = slot->older;
    if (slot->older != QUIPU_NONE)
        slots[slot->older].newer = slot->newer;
    else
        list->oldest = slot->newer;
}

/* A slot for a block that was not there: a new one, or that of the block that is given up. */
static uint32_t take_slot(struct quipu__node_caches *caches, struct quipu__node_list *list) {
    if (list->count < caches->capacity) {
        const struct quipu__node_slot *slot = QUIPU__VEC_ADD(caches->memory, &caches->slots);
        if (!slot)
            return QUIPU_NONE;
        list->count++;
        return (uint32_t)caches->slots.count - 1;
    }
    const uint32_t oldest = list->oldest;
    unlink_slot(caches, list, oldest);
    quipu__map_remove(&caches->slot_of, caches->slots.items[oldest].key);
    return oldest;
}

static bool refer(struct quipu__node_caches *caches, uint32_t file, int64_t block) {
    const uint64_t words[2] = {file, (uint64_t)block};
    const uint64_t key = quipu__hash(words, sizeof words, caches->slot_of.seed);
    const int64_t nodes = caches->nodes;
    struct quipu__node_list *list = &caches->lists[block - quipu__floor_div(block, nodes) * nodes];
    uint32_t number = quipu__map_get(&caches->slot_of, key);
    caches->references++;
    if (number != QUIPU_NONE) {
        caches->hits++;
        if (caches->replacement == QUIPU__REPLACE_LRU) {
            unlink_slot(caches, list, number);
            link_newest(caches, list, number);
        }
        return true;
    }
    number = take_slot(caches, list);
    if (number == QUIPU_NONE || !quipu__map_put(&caches->slot_of, key, number))
        return false;
    caches->slots.items[number].key = key;
    link_newest(caches, list, number);
    return true;
}

static bool refer_all(struct quipu__node_caches *caches, const struct quipu__blocks *blocks) {
    for (uint64_t i = 0; i < blocks->count; i++)
        if (!refer(caches, blocks->file, (int64_t)((uint64_t)blocks->first + i)))
            return false;
    return true;
}

static void clear(struct quipu__node_caches *caches) {
    for (size_t i = 0; i < caches->slots.count; i++)
        quipu__map_remove(&caches->slot_of, caches->slots.items[i].key);
    for (uint32_t i = 0; caches->slots.count > 0 && i < caches->nodes; i++)
        caches->lists[i] = (struct quipu__node_list){QUIPU_NONE, QUIPU_NONE, 0};
    caches->slots.count = 0;
}

/* The blocks from a number on, of those that a request touches. */
static struct quipu__blocks blocks_from(const struct quipu__blocks *blocks, uint64_t number, uint64_t most) {
    const uint64_t left = blocks->count - number;
    return (struct quipu__blocks){blocks->file, (int64_t)((uint64_t)blocks->first + number),
                                  left < most ? left : most};
}

/* Puts the last blocks of the long request before into the caches. */
static bool load_postponed(struct quipu__node_caches *caches, uint64_t room) {
    const uint64_t hits = caches->hits, references = caches->references;
    const struct quipu__blocks last = blocks_from(&caches->postponed, caches->postponed.count - room, room);
    const bool done = caches->postponed.count == 0 || refer_all(caches, &last);
    caches->postponed.count = 0;
    caches->hits = hits;
    caches->references = references;
    return done;
}

static bool overlap(const struct quipu__blocks *left, const struct quipu__blocks *right) {
    const uint64_t distance = (uint64_t)right->first - (uint64_t)left->first;
    return left->file == right->file && (distance < left->count || (uint64_t)0 - distance < right->count);
}

/* What was there before can only be hit by its first blocks. */
static bool add_long(struct quipu__node_caches *caches, const struct quipu__blocks *blocks, uint64_t room) {
    const struct quipu__blocks first = blocks_from(blocks, 0, 2 * room);
    if (caches->postponed.count > 0) {
        const struct quipu__blocks last = blocks_from(&caches->postponed, caches->postponed.count - room, room);
        if (overlap(&last, &first) && !load_postponed(caches, room))
            return false;
    }
    const uint64_t references = caches->references;
    const bool done = caches->slots.count == 0 || refer_all(caches, &first);
    clear(caches);
    caches->references = references + blocks->count;
    caches->postponed = *blocks;
    return done;
}

bool quipu__node_caches_add(struct quipu__node_caches *caches, const struct quipu__blocks *blocks) {
    const uint64_t room = (uint64_t)caches->nodes * caches->capacity;
    if (blocks->count > 4 * room)
        return add_long(caches, blocks, room);
    return (caches->postponed.count == 0 || load_postponed(caches, room)) && refer_all(caches, blocks);
}

/* ---- Clients ---- */

static uint32_t find_block(const struct quipu__client_blocks *cache, int64_t block) {
    uint32_t i = 0;
    while (i < cache->count && cache->blocks[i] != block)
        i++;
    return i;
}

/* Makes a block the newest, in place of the oldest where there is no room. */
static void use_block(struct quipu__client_blocks *cache, enum quipu__replacement replacement,
                      uint32_t capacity, int64_t block) {
    uint32_t index = find_block(cache, block);
    if (index < cache->count && replacement == QUIPU__REPLACE_FIFO)
        return;
    if (index == cache->count && cache->count < capacity)
        cache->count++;
    else if (index == cache->count)
        index--;
    memmove(cache->blocks + 1, cache->blocks, index * sizeof *cache->blocks);
    cache->blocks[0] = block;
}

bool quipu__client_blocks_add(struct quipu__client_blocks *cache, struct quipu__memory *memory,
                              enum quipu__replacement replacement, uint32_t capacity,
                              const struct quipu__blocks *blocks, bool *hit) {
    if (!cache->blocks)
        cache->blocks = quipu__alloc(memory, capacity * sizeof *cache->blocks);
    if (!cache->blocks)
        return false;
    *hit = blocks->count <= capacity;
    for (uint64_t i = 0; *hit && i < blocks->count; i++)
        *hit = find_block(cache, blocks->first + (int64_t)i) < cache->count;
    const uint64_t looked_at = 2 * (uint64_t)capacity;
    for (uint64_t i = 0; i < blocks->count; i++) {
        if (i == looked_at && blocks->count > 2 * looked_at)
            i = blocks->count - looked_at;
        use_block(cache, replacement, capacity, (int64_t)((uint64_t)blocks->first + i));
    }
    cache->requests++;
    cache->hits += *hit;
    return true;
}
