/* outside.c: time outside of any call, told apart by the calls around it: at a location it has slots as regions have. */
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

/* What the location knows of the region after it. */
static struct quipu__timeline_around *known_of(struct quipu__timeline *timeline,
                                               struct quipu__timeline_location *location, uint32_t after) {
    const size_t known = location->arounds.count;
    if (after == QUIPU_NONE)
        return NULL;
    if (after >= known) {
        if (!QUIPU__VEC_RESERVE(&timeline->memory, &location->arounds, after + 1 - known))
            return NULL;
        location->arounds.count = (size_t)after + 1;
    }
    return &location->arounds.items[after];
}

uint32_t quipu__timeline_outside_slot(struct quipu__timeline *timeline,
                                      struct quipu__timeline_location *location,
                                      struct quipu__calls_around calls, uint32_t after_slot) {
    struct quipu__timeline_around *known = known_of(timeline, location, after_slot);
    if (known && known->slot > 0 && known->before == calls.before + 1)
        return known->slot - 1;
    const uint32_t slot =
        quipu__timeline_around_slot(timeline, location, quipu__calls_number(&timeline->arounds, calls));
    if (known && slot != QUIPU_NONE)
        *known = (struct quipu__timeline_around){calls.before + 1, slot + 1};
    return slot;
}

/* Of equals the one with the lower numbers of regions, so that threads do not matter. */
static bool is_more(const struct quipu__timeline_cell *cell, struct quipu__calls_around calls, int64_t time) {
    if (time != cell->around_time)
        return time > cell->around_time;
    return calls.before != cell->around.before ? calls.before < cell->around.before
                                               : calls.after < cell->around.after;
}

void quipu__timeline_offer_around(struct quipu__timeline_cell *cell, struct quipu__calls_around calls,
                                  int64_t time) {
    if (!is_more(cell, calls, time))
        return;
    cell->around = calls;
    cell->around_time = time;
}
