/* map.c: open addressing with linear probing; a slot with value QUIPU_NONE is empty. */
#include "core/memory/map.h"

#include <assert.h>
#include <string.h>

/* Number of parallel hashes of long data, which are then combined, and from how many bytes they are used. */
enum { HASHES = 4, HASH_LONG = 512 };

struct quipu__map_slot {
    uint64_t key;
    uint32_t value;
};

void quipu__map_release(struct quipu__map *map) {
    quipu__release(map->memory, map->slots, map->capacity * sizeof *map->slots);
    map->slots = NULL;
    map->count = map->capacity = 0;
}

/* The finalizer of SplitMix64: every bit of the key moves every bit of the result. */
static uint64_t mix(uint64_t key) {
    key ^= key >> 30;
    key *= UINT64_C(0xbf58476d1ce4e5b9);
    key ^= key >> 27;
    key *= UINT64_C(0x94d049bb133111eb);
    return key ^ key >> 31;
}

/* The slot of a key, or the empty one where it belongs. capacity is a power of two and never full. */
static struct quipu__map_slot *slot_of(const struct quipu__map *map, uint64_t key) {
    assert(map->count < map->capacity);
    const size_t mask = map->capacity - 1;
    size_t i = (size_t)mix(key ^ map->seed) & mask;
    while (map->slots[i].value != QUIPU_NONE && map->slots[i].key != key)
        i = (i + 1) & mask;
    return &map->slots[i];
}

uint32_t quipu__map_get(const struct quipu__map *map, uint64_t key) {
    return map->capacity ? slot_of(map, key)->value : QUIPU_NONE;
}

bool quipu__map_next(const struct quipu__map *map, size_t *cursor, uint64_t *key, uint32_t *value) {
    while (*cursor < map->capacity && map->slots[*cursor].value == QUIPU_NONE)
        ++*cursor;
    if (*cursor == map->capacity)
        return false;
    *key = map->slots[*cursor].key;
    *value = map->slots[(*cursor)++].value;
    return true;
}

static bool grow(struct quipu__map *map) {
    struct quipu__map larger = *map;
    larger.capacity = map->capacity ? map->capacity * 2 : 16;
    larger.slots = quipu__alloc(map->memory, larger.capacity * sizeof *larger.slots);
    if (!larger.slots)
        return false;
    for (size_t i = 0; i < larger.capacity; i++)
        larger.slots[i].value = QUIPU_NONE;
    for (size_t i = 0; i < map->capacity; i++)
        if (map->slots[i].value != QUIPU_NONE)
            *slot_of(&larger, map->slots[i].key) = map->slots[i];
    quipu__release(map->memory, map->slots, map->capacity * sizeof *map->slots);
    *map = larger;
    return true;
}

bool quipu__map_put(struct quipu__map *map, uint64_t key, uint32_t value) {
    assert(value != QUIPU_NONE); /* an empty slot: keys after it would be lost */
    struct quipu__map_slot *slot = map->capacity ? slot_of(map, key) : NULL;
    const bool is_new = !slot || slot->value == QUIPU_NONE;
    if (is_new && map->count * 2 >= map->capacity) {
        if (!grow(map))
            return false;
        slot = slot_of(map, key);
    }
    map->count += is_new;
    slot->key = key;
    slot->value = value;
    return true;
}

/* Slots after the one that becomes empty move up, so that no search stops before them. */
uint32_t quipu__map_remove(struct quipu__map *map, uint64_t key) {
    struct quipu__map_slot *hole = map->capacity ? slot_of(map, key) : NULL;
    if (!hole || hole->value == QUIPU_NONE)
        return QUIPU_NONE;
    const uint32_t value = hole->value;
    map->count--;
    hole->value = QUIPU_NONE;
    const size_t mask = map->capacity - 1;
    for (size_t i = ((size_t)(hole - map->slots) + 1) & mask; map->slots[i].value != QUIPU_NONE;
         i = (i + 1) & mask) {
        const struct quipu__map_slot moved = map->slots[i];
        map->slots[i].value = QUIPU_NONE;
        *slot_of(map, moved.key) = moved;
    }
    return value;
}

/* Hashes bytes into several hashes that do not wait for each other, which is three times as fast. */
static uint64_t hash_apart(const uint8_t *bytes, size_t size, uint64_t hash) {
    uint64_t hashes[HASHES] = {hash, hash + 1, hash + 2, hash + 3};
    for (size_t offset = 0; offset < size; offset += sizeof hashes) {
        uint64_t words[HASHES];
        memcpy(words, bytes + offset, sizeof words);
        for (int i = 0; i < HASHES; i++)
            hashes[i] = mix(hashes[i] ^ words[i]);
    }
    for (int i = 1; i < HASHES; i++)
        hashes[0] = mix(hashes[0] ^ hashes[i]);
    return hashes[0];
}

uint64_t quipu__hash(const void *data, size_t size, uint64_t seed) {
    const uint8_t *bytes = data;
    uint64_t hash = mix(seed) ^ size; /* neighbouring seeds and data that differ by as much are not the same */
    if (size >= HASH_LONG) {
        const size_t whole = size - size % (HASHES * sizeof hash);
        hash = hash_apart(bytes, whole, hash);
        bytes += whole;
        size -= whole;
    }
    for (; size >= 8; size -= 8, bytes += 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        hash = mix(hash ^ word);
    }
    uint64_t rest = 0;
    if (size)
        memcpy(&rest, bytes, size);
    return mix(hash ^ rest);
}
