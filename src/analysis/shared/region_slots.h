/* region_slots.h: small numbers for the regions that a location is in: 0, 1, … in the order in which they are met, so that what is kept of
 * them takes room only where there is something. */
#ifndef QUIPU_ANALYSIS_SHARED_REGION_SLOTS_H
#define QUIPU_ANALYSIS_SHARED_REGION_SLOTS_H

#include "core/memory/map.h"
#include "core/memory/vec.h"
#include "core/os.h"

/* The numbers of a location. */
struct quipu__location_slots {
    uint32_t *of;   /* by region plus 1: its number plus 1; NULL: none yet, or in a map */
    uint32_t count; /* numbers that there are */
};

struct quipu__region_slots {
    struct quipu__memory *memory;
    uint32_t region_count; /* with the one outside of any */
    bool has_table;        /* by region at each location; else a map says it */
    struct quipu__map map; /* (location, region plus 1) to the number */
    QUIPU__VEC(struct quipu__location_slots) locations;
};

/* For regions of which there are region_count, with the one outside of any. False when memory is out; release in any case, also
 * what is all zero. */
QUIPU_CHECKED bool quipu__region_slots_init(struct quipu__region_slots *slots, struct quipu__memory *memory,
                                            uint32_t region_count, uint32_t location_count);
void quipu__region_slots_release(struct quipu__region_slots *slots);

/* The number of a region that has none yet. */
uint32_t quipu__region_slot_add(struct quipu__region_slots *slots, uint32_t location, uint32_t region);

/* The number of a region, given plus 1 (0: outside of any), at a location: the count of before when it is new. QUIPU_NONE when memory is
 * out or the region is not defined. */
static inline uint32_t quipu__region_slot(struct quipu__region_slots *slots, uint32_t location,
                                          uint32_t region) {
    const struct quipu__location_slots *at = &slots->locations.items[location];
    const bool is_known = at->of && region < slots->region_count && at->of[region] > 0;
    return QUIPU__LIKELY(is_known) ? at->of[region] - 1 : quipu__region_slot_add(slots, location, region);
}

#endif
