/* located.c: see located.h. */
#include "analysis/shared/located.h"

#include "model/event.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint64_t location_hash(const struct quipu__located *locations, const char *name, uint64_t native_id) {
    const uint64_t numbers[] = {native_id, quipu__hash(name, strlen(name), locations->numbers.seed)};
    return quipu__hash(numbers, sizeof numbers, locations->numbers.seed);
}

void quipu__located_name(const struct quipu_location *location, char out[QUIPU__LOCATED_NAME]) {
    if (location->name[0])
        snprintf(out, QUIPU__LOCATED_NAME, "%s", location->name);
    else
        snprintf(out, QUIPU__LOCATED_NAME, "%" PRIu64, location->native_id);
}

/* Where no location has a rank, processes have their order. */
static void add_ranks(struct quipu__located *locations) {
    const struct quipu_locations *list = &locations->definitions->locations;
    bool has_ranks = false;
    int64_t count = 0;
    for (uint32_t i = 0; i < list->count; i++)
        has_ranks = has_ranks || list->items[i].rank >= 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const bool is_counted = !has_ranks && list->items[i].kind == QUIPU_LOCATION_PROCESS;
        int64_t *rank = QUIPU__VEC_ADD(locations->memory, &locations->ranks);
        if (rank)
            *rank = is_counted ? count++ : list->items[i].rank;
    }
}

void quipu__located_init(struct quipu__located *locations, struct quipu__memory *memory,
                         const struct quipu_definitions *definitions) {
    *locations = (struct quipu__located){.memory = memory, .definitions = definitions};
    quipu__map_init(&locations->numbers, memory);
    add_ranks(locations);
    for (uint32_t i = definitions->locations.count; i-- > 0;) {
        const struct quipu_location *location = &definitions->locations.items[i];
        char name[QUIPU__LOCATED_NAME];
        quipu__located_name(location, name);
        quipu__gate_knows(
            quipu__map_put(&locations->numbers, location_hash(locations, name, location->native_id), i));
    }
}

uint32_t quipu__located_find(const struct quipu__located *locations, const char *name, uint64_t native_id) {
    char cut[QUIPU__LOCATED_NAME];
    snprintf(cut, sizeof cut, "%s", name);
    return quipu__map_get(&locations->numbers, location_hash(locations, cut, native_id));
}

int64_t quipu__located_rank(const struct quipu__located *locations, uint32_t location) {
    const uint32_t process = quipu__process_of(locations->definitions, location);
    if (location >= locations->ranks.count || process >= locations->ranks.count)
        return -1;
    const int64_t own = locations->ranks.items[location];
    return own >= 0 ? own : locations->ranks.items[process];
}
