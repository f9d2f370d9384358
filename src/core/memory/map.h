/* map.h: a hash map from 64-bit numbers, or from texts, to 32-bit numbers. Seeded, so that hostile input cannot
 * aim at collisions. */
#ifndef QUIPU_CORE_MEMORY_MAP_H
#define QUIPU_CORE_MEMORY_MAP_H

#include "core/memory/memory.h"

struct quipu__map {
    struct quipu__memory *memory;
    struct quipu__map_slot *slots;
    size_t count, capacity;
    uint64_t seed;
};

static inline void quipu__map_init(struct quipu__map *map, struct quipu__memory *memory) {
    *map = (struct quipu__map){.memory = memory, .seed = memory->seed};
}
void quipu__map_release(struct quipu__map *map);

/* The value, or QUIPU_NONE. */
uint32_t quipu__map_get(const struct quipu__map *map, uint64_t key);

/* Sets the value; false when memory is out, never where it replaces one. */
QUIPU_CHECKED bool quipu__map_put(struct quipu__map *map, uint64_t key, uint32_t value);

/* Removes a key, if it is there, and returns its value, or QUIPU_NONE. Repeated putting and removing takes no more room. */
uint32_t quipu__map_remove(struct quipu__map *map, uint64_t key);

/* Goes over what is in it, in no order: begin with *cursor 0. False behind the last. */
bool quipu__map_next(const struct quipu__map *map, size_t *cursor, uint64_t *key, uint32_t *value);

/* 64-bit hash of bytes with the map's seed, or with that and a number added, for maps of texts: the caller compares the texts. */
uint64_t quipu__hash(const void *data, size_t size, uint64_t seed);

#endif
