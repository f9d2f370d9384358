/* cache.c: caches as lists of blocks, the newest first, and chains by hash that find them. Most references bring one block and give
 * up another: with a quipu__map, whose removal moves other keys, a study takes more than twice as long.
 *
 * A request may touch more blocks than could be looked at one by one. But its blocks are all different and come in ascending
 * order: once twice as many as a node has buffers have come by, nothing is left there from before the request, so the others
 * miss; and the last ones are what stays. These are put into the caches when a request comes that could hit them. */
#include "analysis/io/cache.h"

#include "analysis/io/extents.h"
#include "core/memory/map.h"

#include <string.h>

struct quipu__node_slot {
    int64_t block;
    uint32_t file, next; /* next: of its chain */
    uint32_t newer, older;
};

struct quipu__node_list {
    uint32_t newest, oldest, count;
};

/* ---- Chains ---- */

enum { HEAD_BITS_LEAST = 4 };

static uint32_t *head_of(const struct quipu__node_caches *caches, uint32_t file, int64_t block) {
    const uint64_t hash = ((uint64_t)block + file * caches->multipliers[0]) * caches->multipliers[1];
    return &caches->heads[hash >> (64 - caches->head_bits)];
}

static void chain(struct quipu__node_caches *caches, uint32_t number) {
    struct quipu__node_slot *slot = &caches->slots.items[number];
    uint32_t *head = head_of(caches, slot->file, slot->block);
    slot->next = *head;
    *head = number;
}

static void unchain(struct quipu__node_caches *caches, uint32_t number) {
    const struct quipu__node_slot *slot = &caches->slots.items[number];
    uint32_t *at = head_of(caches, slot->file, slot->block);
    while (*at != number)
        at = &caches->slots.items[*at].next;
    *at = slot->next;
}

static uint32_t find_slot(const struct quipu__node_caches *caches, uint32_t file, int64_t block) {
    const struct quipu__node_slot *slots = caches->slots.items;
    uint32_t number = *head_of(caches, file, block);
    while (number != QUIPU_NONE && (slots[number].block != block || slots[number].file != file))
        number = slots[number].next;
    return number;
}

static size_t heads_bytes(unsigned bits) {
    return ((size_t)1 << bits) * sizeof(uint32_t);
}

/* Makes empty chains, as many as two to the power of bits. */
static bool make_heads(struct quipu__node_caches *caches, unsigned bits) {
    uint32_t *heads = quipu__alloc(caches->memory, heads_bytes(bits));
    if (!heads)
        return false;
    memset(heads, 0xff, heads_bytes(bits)); /* QUIPU_NONE */
    quipu__release(caches->memory, caches->heads, caches->heads ? heads_bytes(caches->head_bits) : 0);
    caches->heads = heads;
    caches->head_bits = bits;
    return true;
}

/* A new slot, with chains that stay short. */
static bool add_slot(struct quipu__node_caches *caches) {
    if (caches->slots.count >> caches->head_bits > 0) {
        if (!make_heads(caches, caches->head_bits + 1))
            return false;
        for (size_t i = 0; i < caches->slots.count; i++)
            chain(caches, (uint32_t)i);
    }
    return QUIPU__VEC_ADD(caches->memory, &caches->slots) != NULL;
}

/* ---- I/O nodes ---- */

bool quipu__node_caches_init(struct quipu__node_caches *caches, struct quipu__memory *memory,
                             enum quipu__replacement replacement, uint64_t buffers, uint32_t nodes) {
    *caches = (struct quipu__node_caches){
        .memory = memory, .replacement = replacement, .buffers = buffers, .nodes = nodes};
    caches->capacity = buffers / nodes > 0 ? (uint32_t)(buffers / nodes) : 1;
    for (uint64_t i = 0; i < 2; i++)
        caches->multipliers[i] = quipu__hash(&i, sizeof i, memory->seed) | 1;
    caches->lists = quipu__alloc(memory, nodes * sizeof *caches->lists);
    for (uint32_t i = 0; caches->lists && i < nodes; i++)
        caches->lists[i] = (struct quipu__node_list){QUIPU_NONE, QUIPU_NONE, 0};
    return caches->lists && make_heads(caches, HEAD_BITS_LEAST);
}

void quipu__node_caches_release(struct quipu__node_caches *caches) {
    if (!caches->memory)
        return;
    quipu__release(caches->memory, caches->heads, caches->heads ? heads_bytes(caches->head_bits) : 0);
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
        if (!add_slot(caches))
            return QUIPU_NONE;
        list->count++;
        return (uint32_t)caches->slots.count - 1;
    }
    const uint32_t oldest = list->oldest;
    unlink_slot(caches, list, oldest);
    unchain(caches, oldest);
    return oldest;
}

static uint32_t node_of(const struct quipu__node_caches *caches, int64_t block) {
    if ((uint64_t)block <= UINT32_MAX) /* a shorter division, which most are */
        return (uint32_t)block % caches->nodes;
    return (uint32_t)(block - quipu__floor_div(block, caches->nodes) * caches->nodes);
}

static bool refer(struct quipu__node_caches *caches, uint32_t file, int64_t block) {
    uint32_t number = find_slot(caches, file, block);
    caches->references++;
    caches->hits += number != QUIPU_NONE;
    if (number != QUIPU_NONE && caches->replacement == QUIPU__REPLACE_FIFO)
        return true;
    struct quipu__node_list *list = &caches->lists[node_of(caches, block)];
    if (number != QUIPU_NONE) {
        if (number != list->newest) {
            unlink_slot(caches, list, number);
            link_newest(caches, list, number);
        }
        return true;
    }
    number = take_slot(caches, list);
    if (number == QUIPU_NONE)
        return false;
    caches->slots.items[number].file = file;
    caches->slots.items[number].block = block;
    chain(caches, number);
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
    memset(caches->heads, 0xff, caches->slots.count > 0 ? heads_bytes(caches->head_bits) : 0);
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
