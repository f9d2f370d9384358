/* io_cache.c: caches as lists of blocks, the newest first, and a map that finds them.
 *
 * A request may touch more blocks than could be looked at one by one. But its blocks are all different and come in ascending
 * order: once twice as many as a node has buffers have come by, nothing is left there from before the request, so the others
 * miss; and the last ones are what stays. */
#include "analysis/io_cache.h"

#include "analysis/io_extents.h"

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

bool quipu__node_caches_add(struct quipu__node_caches *caches, const struct quipu__blocks *blocks) {
    const uint64_t room = (uint64_t)caches->nodes * caches->capacity;
    const bool is_long = blocks->count > 4 * room;
    const uint64_t skip_at = is_long ? 2 * room : blocks->count;
    const uint64_t skipped = is_long ? blocks->count - 4 * room : 0;
    for (uint64_t i = 0; i < blocks->count; i++) {
        if (i == skip_at)
            i += skipped;
        if (!refer(caches, blocks->file, (int64_t)((uint64_t)blocks->first + i)))
            return false;
    }
    caches->references += skipped;
    return true;
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

void quipu__client_blocks_release(struct quipu__client_blocks *cache, struct quipu__memory *memory,
                                  uint32_t capacity) {
    if (cache->blocks)
        quipu__release(memory, cache->blocks, capacity * sizeof *cache->blocks);
}
