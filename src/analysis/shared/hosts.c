/* hosts.c: see hosts.h. */
#include "analysis/shared/hosts.h"

#include <string.h>

static bool have_same_host(const struct quipu_definitions *definitions, uint32_t a, uint32_t b) {
    return strcmp(quipu__host_name(definitions, a), quipu__host_name(definitions, b)) == 0;
}

/* Where two names have the same hash the map knows only one of them. */
static uint32_t search_first(const struct quipu_definitions *definitions, uint32_t location) {
    uint32_t first = 0;
    while (first < location && !have_same_host(definitions, first, location))
        first++;
    return first;
}

static bool look_at(struct quipu__hosts *hosts, uint32_t location) {
    const char *name = quipu__host_name(hosts->definitions, location);
    const uint64_t key = quipu__hash(name, strlen(name), hosts->of_name.seed);
    const uint32_t known = quipu__map_get(&hosts->of_name, key);
    uint32_t *first = QUIPU__VEC_ADD(hosts->memory, &hosts->first);
    if (!first || (known == QUIPU_NONE && !quipu__map_put(&hosts->of_name, key, location)))
        return false;
    if (known == QUIPU_NONE)
        *first = location;
    else
        *first = have_same_host(hosts->definitions, known, location)
                     ? known
                     : search_first(hosts->definitions, location);
    return true;
}

uint32_t quipu__host_first(struct quipu__hosts *hosts, uint32_t location) {
    if (location >= hosts->definitions->locations.count)
        return location;
    while (hosts->first.count <= location)
        if (!look_at(hosts, (uint32_t)hosts->first.count))
            return location;
    return hosts->first.items[location];
}
