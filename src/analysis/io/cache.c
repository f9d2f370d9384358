/* cache.c: caches of several sizes at once, and chains by hash that find a block. Most references bring one block and give up another:
 * with a quipu__map, whose removal moves other keys, a study takes more than twice as long.
 *
 *     newest  a b | c d e f | g h i  oldest
 *               ^2        ^6      ^9
 *
 * What was used last is in every LRU cache, so one list has the blocks of all of them: a cache has those up to its capacity, and each
 * block knows in how many it is not. A block that comes to the front pushes only the last one of each smaller cache over its
 * end. FIFO caches need no list: a block is in one as long as fewer others than its capacity have come after it. Slots that are in
 * no cache any more are looked for when there are as many as others.
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
    uint32_t misses; /* LRU caches, from the smallest on, that do not have it; all: it is not in the list */
};

struct quipu__node_list {
    uint32_t newest, oldest, count;
    uint32_t last[QUIPU__IO_LIST];    /* slot that fills each of the LRU caches, if that is full */
    uint64_t entered[QUIPU__IO_LIST]; /* how many blocks have come into each of the FIFO caches */
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
    for (uint32_t i = 0; i < caches->sizes[QUIPU__REPLACE_FIFO].count; i++)
        if (!QUIPU__VEC_PUT(caches->memory, &caches->entries, 0))
            return false;
    return QUIPU__VEC_ADD(caches->memory, &caches->slots) != NULL;
}

/* ---- Sizes ---- */

/* The buffers of a node, of those of all nodes. */
static uint32_t capacity_of(uint64_t buffers, uint32_t nodes) {
    return buffers / nodes > 0 ? (uint32_t)(buffers / nodes) : 1;
}

/* Adds a capacity where it belongs, unless it is there. */
static void add_size(struct quipu__node_sizes *sizes, uint32_t capacity) {
    uint32_t index = sizes->count;
    while (index > 0 && sizes->capacities[index - 1] > capacity)
        index--;
    if (index > 0 && sizes->capacities[index - 1] == capacity)
        return;
    memmove(sizes->capacities + index + 1, sizes->capacities + index,
            (sizes->count - index) * sizeof *sizes->capacities);
    sizes->capacities[index] = capacity;
    sizes->count++;
}

uint64_t quipu__node_caches_hits(const struct quipu__node_caches *caches, enum quipu__replacement replacement,
                                 uint64_t buffers) {
    const struct quipu__node_sizes *sizes = &caches->sizes[replacement];
    const uint32_t capacity = capacity_of(buffers, caches->nodes);
    uint64_t hits = 0;
    for (uint32_t i = 0; i < sizes->count && sizes->capacities[i] <= capacity; i++)
        hits = replacement == QUIPU__REPLACE_LRU ? hits + sizes->hits[i] : sizes->hits[i];
    return hits;
}

/* ---- I/O nodes ---- */

static void clear_lists(struct quipu__node_caches *caches) {
    for (uint32_t i = 0; i < caches->nodes; i++)
        caches->lists[i] = (struct quipu__node_list){.newest = QUIPU_NONE, .oldest = QUIPU_NONE};
}

bool quipu__node_caches_init(struct quipu__node_caches *caches, struct quipu__memory *memory,
                             unsigned replacements, const uint64_t *buffers, uint32_t count, uint32_t nodes) {
    *caches = (struct quipu__node_caches){.memory = memory, .nodes = nodes, .free = QUIPU_NONE};
    uint64_t room = 0;
    for (unsigned r = 0; r < QUIPU__REPLACEMENTS; r++)
        for (uint32_t i = 0; i < count && (replacements >> r & 1) != 0; i++)
            add_size(&caches->sizes[r], capacity_of(buffers[i], nodes));
    for (unsigned r = 0; r < QUIPU__REPLACEMENTS; r++)
        for (uint32_t i = 0; i < caches->sizes[r].count; i++) {
            const uint32_t capacity = caches->sizes[r].capacities[i];
            room += (uint64_t)nodes * capacity;
            caches->capacity = capacity > caches->capacity ? capacity : caches->capacity;
        }
    caches->slots_most = (uint32_t)(2 * room);
    for (uint64_t i = 0; i < 2; i++)
        caches->multipliers[i] = quipu__hash(&i, sizeof i, memory->seed) | 1;
    caches->lists = quipu__alloc(memory, nodes * sizeof *caches->lists);
    if (!caches->lists)
        return false;
    clear_lists(caches);
    return make_heads(caches, HEAD_BITS_LEAST);
}

void quipu__node_caches_release(struct quipu__node_caches *caches) {
    if (!caches->memory)
        return;
    quipu__release(caches->memory, caches->heads, caches->heads ? heads_bytes(caches->head_bits) : 0);
    QUIPU__VEC_RELEASE(caches->memory, &caches->slots);
    QUIPU__VEC_RELEASE(caches->memory, &caches->entries);
    quipu__release(caches->memory, caches->lists, caches->nodes * sizeof *caches->lists);
}

static uint32_t node_of(const struct quipu__node_caches *caches, int64_t block) {
    if ((uint64_t)block <= UINT32_MAX) /* a shorter division, which most are */
        return (uint32_t)block % caches->nodes;
    return (uint32_t)(block - quipu__floor_div(block, caches->nodes) * caches->nodes);
}

static void link_newest(struct quipu__node_slot *slots, struct quipu__node_list *list, uint32_t number) {
    slots[number].newer = QUIPU_NONE;
    slots[number].older = list->newest;
    if (list->newest != QUIPU_NONE)
        slots[list->newest].newer = number;
    else
        list->oldest = number;
    list->newest = number;
}

static void unlink_slot(struct quipu__node_slot *slots, struct quipu__node_list *list, uint32_t number) {
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

/* Makes a block the newest. Where it was in none of the caches, the last one of the largest leaves the list if that is full. */
static void refer_lru(struct quipu__node_caches *caches, struct quipu__node_list *list, uint32_t number) {
    struct quipu__node_slot *slots = caches->slots.items;
    struct quipu__node_sizes *sizes = &caches->sizes[QUIPU__REPLACE_LRU];
    const uint32_t misses = slots[number].misses;
    if (misses < sizes->count) {
        sizes->hits[misses]++;
        if (number == list->newest)
            return;
        if (list->last[misses] == number)
            list->last[misses] = slots[number].newer;
        unlink_slot(slots, list, number);
        list->count--;
    }
    link_newest(slots, list, number);
    slots[number].misses = 0;
    list->count++;
    for (uint32_t i = 0; i < misses && list->count > sizes->capacities[i]; i++) {
        const uint32_t last = list->last[i];
        list->last[i] = slots[last].newer;
        slots[last].misses = i + 1;
        if (i + 1 == sizes->count) {
            unlink_slot(slots, list, last);
            list->count--;
        }
    }
    if (misses == sizes->count)
        for (uint32_t i = 0; i < sizes->count; i++)
            if (list->count == sizes->capacities[i])
                list->last[i] = list->oldest;
}

static void refer_fifo(struct quipu__node_caches *caches, struct quipu__node_list *list, uint32_t number) {
    struct quipu__node_sizes *sizes = &caches->sizes[QUIPU__REPLACE_FIFO];
    uint64_t *entries = caches->entries.items + (size_t)number * sizes->count;
    for (uint32_t i = 0; i < sizes->count; i++) {
        const bool is_hit = entries[i] > 0 && list->entered[i] - entries[i] < sizes->capacities[i];
        sizes->hits[i] += is_hit;
        list->entered[i] += !is_hit;
        entries[i] = is_hit ? entries[i] : list->entered[i];
    }
}

static bool is_cached(const struct quipu__node_caches *caches, uint32_t number) {
    const struct quipu__node_sizes *fifo = &caches->sizes[QUIPU__REPLACE_FIFO];
    const struct quipu__node_slot *slot = &caches->slots.items[number];
    const struct quipu__node_list *list = &caches->lists[node_of(caches, slot->block)];
    bool found = slot->misses < caches->sizes[QUIPU__REPLACE_LRU].count;
    for (uint32_t i = 0; i < fifo->count && !found; i++) {
        const uint64_t entry = caches->entries.items[(size_t)number * fifo->count + i];
        found = entry > 0 && list->entered[i] - entry < fifo->capacities[i];
    }
    return found;
}

/* Frees the slots that are in no cache, and makes the chains again. */
static void free_slots(struct quipu__node_caches *caches) {
    memset(caches->heads, 0xff, heads_bytes(caches->head_bits));
    for (uint32_t i = 0; i < caches->slots.count; i++) {
        if (is_cached(caches, i)) {
            chain(caches, i);
        } else {
            caches->slots.items[i].next = caches->free;
            caches->free = i;
        }
    }
}

/* A slot for a block that has none. */
static uint32_t take_slot(struct quipu__node_caches *caches, uint32_t file, int64_t block) {
    const uint32_t fifo_count = caches->sizes[QUIPU__REPLACE_FIFO].count;
    if (caches->free == QUIPU_NONE && caches->slots.count >= caches->slots_most)
        free_slots(caches);
    uint32_t number = caches->free;
    if (number != QUIPU_NONE)
        caches->free = caches->slots.items[number].next;
    else if (add_slot(caches))
        number = (uint32_t)caches->slots.count - 1;
    if (number == QUIPU_NONE)
        return QUIPU_NONE;
    caches->slots.items[number] = (struct quipu__node_slot){
        .file = file, .block = block, .misses = caches->sizes[QUIPU__REPLACE_LRU].count};
    for (uint32_t i = 0; i < fifo_count; i++)
        caches->entries.items[(size_t)number * fifo_count + i] = 0;
    chain(caches, number);
    return number;
}

static bool refer(struct quipu__node_caches *caches, uint32_t file, int64_t block) {
    uint32_t number = find_slot(caches, file, block);
    if (number == QUIPU_NONE)
        number = take_slot(caches, file, block);
    if (number == QUIPU_NONE)
        return false;
    struct quipu__node_list *list = &caches->lists[node_of(caches, block)];
    caches->references++;
    if (caches->sizes[QUIPU__REPLACE_LRU].count > 0)
        refer_lru(caches, list, number);
    if (caches->sizes[QUIPU__REPLACE_FIFO].count > 0)
        refer_fifo(caches, list, number);
    return true;
}

static bool refer_all(struct quipu__node_caches *caches, const struct quipu__blocks *blocks) {
    for (uint64_t i = 0; i < blocks->count; i++)
        if (!refer(caches, blocks->file, (int64_t)((uint64_t)blocks->first + i)))
            return false;
    return true;
}

static void clear(struct quipu__node_caches *caches) {
    if (caches->slots.count == 0)
        return;
    memset(caches->heads, 0xff, heads_bytes(caches->head_bits));
    clear_lists(caches);
    caches->slots.count = caches->entries.count = 0;
    caches->free = QUIPU_NONE;
}

/* The blocks from a number on, of those that a request touches. */
static struct quipu__blocks blocks_from(const struct quipu__blocks *blocks, uint64_t number, uint64_t most) {
    const uint64_t left = blocks->count - number;
    return (struct quipu__blocks){blocks->file, (int64_t)((uint64_t)blocks->first + number),
                                  left < most ? left : most};
}

/* Puts the last blocks of the long request before into the caches. */
static bool load_postponed(struct quipu__node_caches *caches, uint64_t room) {
    struct quipu__node_sizes sizes[QUIPU__REPLACEMENTS];
    const uint64_t references = caches->references;
    memcpy(sizes, caches->sizes, sizeof sizes);
    const struct quipu__blocks last = blocks_from(&caches->postponed, caches->postponed.count - room, room);
    const bool done = caches->postponed.count == 0 || refer_all(caches, &last);
    caches->postponed.count = 0;
    memcpy(caches->sizes, sizes, sizeof sizes); /* the hits */
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
