/* outside.c: time outside of any call, told apart by the calls around it: at a location it has slots as regions have; and which region, and which
 * calls around, most of a bin belongs to. */
#include "analysis/timeline/timeline.h"

uint32_t quipu__timeline_around_slot(struct quipu__timeline *timeline,
                                     struct quipu__timeline_location *location, uint32_t number) {
    const uint64_t key = (uint64_t)(location - timeline->locations.items) << 32 | number;
    const uint32_t known = quipu__map_get(&timeline->around_of, key);
    if (known != QUIPU_NONE || number >= QUIPU__TIMELINE_AROUND)
        return known;
    uint32_t *count = &timeline->slots.locations.items[key >> 32].count;
    const uint32_t slot = quipu__timeline_add_slot(timeline, location, QUIPU__TIMELINE_AROUND | number);
    if (slot == QUIPU_NONE || !quipu__map_put(&timeline->around_of, key, slot))
        return QUIPU_NONE;
    ++*count; /* the next region has the next slot */
    return slot;
}

uint32_t quipu__timeline_find_outside(struct quipu__timeline *timeline,
                                      struct quipu__timeline_location *location, uint32_t before,
                                      uint32_t after) {
    const struct quipu__calls_around calls = {before - 1, after - 1};
    const uint32_t slot =
        quipu__timeline_around_slot(timeline, location, quipu__calls_number(&timeline->arounds, calls));
    if (location->arounds.count == 0 &&
        QUIPU__VEC_RESERVE(&timeline->memory, &location->arounds, QUIPU__TIMELINE_AROUNDS)) {
        memset(location->arounds.items, 0, QUIPU__TIMELINE_AROUNDS * sizeof *location->arounds.items);
        location->arounds.count = QUIPU__TIMELINE_AROUNDS;
    }
    if (slot != QUIPU_NONE && location->arounds.count > 0)
        location->arounds.items[(before * 5 + after) % QUIPU__TIMELINE_AROUNDS] =
            (struct quipu__timeline_around){before, after, slot + 1};
    return slot;
}

/* ---- What most of a bin is ---- */

static void offer_region(struct quipu__timeline_cell *cell, uint32_t region, int64_t time) {
    if (time < cell->region_time || (time == cell->region_time && region >= cell->region))
        return;
    cell->region = region;
    cell->region_time = time;
}

static void offer_around(struct quipu__timeline_cell *cell, struct quipu__calls_around calls, int64_t time) {
    const bool is_before = calls.before != cell->around.before ? calls.before < cell->around.before
                                                               : calls.after < cell->around.after;
    if (time < cell->around_time || (time == cell->around_time && !is_before))
        return;
    cell->around = calls;
    cell->around_time = time;
}

void quipu__timeline_offer(const struct quipu__timeline *timeline, struct quipu__timeline_cell *cell,
                           uint32_t region, int64_t time) {
    if (region >= QUIPU__TIMELINE_AROUND)
        offer_around(cell, timeline->arounds.list.items[region - QUIPU__TIMELINE_AROUND], time);
    else
        offer_region(cell, region, time);
}
