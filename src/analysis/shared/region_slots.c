/* region_slots.c: see region_slots.h. */
#include "analysis/shared/region_slots.h"

/* Regions times locations up to which there is a table of them. */
enum { TABLE_MOST = 1 << 21 };

bool quipu__region_slots_init(struct quipu__region_slots *slots, struct quipu__memory *memory,
                              uint32_t region_count, uint32_t location_count) {
    *slots = (struct quipu__region_slots){.memory = memory, .region_count = region_count};
    slots->has_table = (uint64_t)region_count * location_count <= TABLE_MOST;
    quipu__map_init(&slots->map, memory);
    if (!QUIPU__VEC_RESERVE(memory, &slots->locations, location_count))
        return false;
    slots->locations.count = location_count;
    return true;
}

void quipu__region_slots_release(struct quipu__region_slots *slots) {
    if (!slots->memory)
        return;
    for (size_t i = 0; i < slots->locations.count; i++)
        quipu__release(slots->memory, slots->locations.items[i].of,
                       slots->region_count * sizeof *slots->locations.items[i].of);
    QUIPU__VEC_RELEASE(slots->memory, &slots->locations);
    quipu__map_release(&slots->map);
}

static uint32_t look_up(struct quipu__region_slots *slots, uint32_t location, uint32_t region) {
    struct quipu__location_slots *at = &slots->locations.items[location];
    const uint64_t key = (uint64_t)location << 32 | region;
    const uint32_t known = quipu__map_get(&slots->map, key);
    if (known != QUIPU_NONE)
        return known;
    return quipu__map_put(&slots->map, key, at->count) ? at->count++ : QUIPU_NONE;
}

uint32_t quipu__region_slot_add(struct quipu__region_slots *slots, uint32_t location, uint32_t region) {
    struct quipu__location_slots *at = &slots->locations.items[location];
    if (region >= slots->region_count)
        return QUIPU_NONE;
    if (!slots->has_table)
        return look_up(slots, location, region);
    if (!at->of)
        at->of = quipu__alloc_zero(slots->memory, slots->region_count * sizeof *at->of);
    if (!at->of)
        return QUIPU_NONE;
    at->of[region] = at->count + 1;
    return at->count++;
}
