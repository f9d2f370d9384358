/* syncs.c: see syncs.h. */
#include "analysis/clock/syncs.h"

#include "core/bisect.h"
#include "core/bounded.h"
#include "core/scale.h"

void quipu__clock_syncs_release(struct quipu__clock_syncs *syncs) {
    for (size_t i = 0; i < syncs->locations.count; i++)
        QUIPU__VEC_RELEASE(syncs->memory, &syncs->locations.items[i].list);
    QUIPU__VEC_RELEASE(syncs->memory, &syncs->locations);
}

static struct quipu__location_syncs *location_at(struct quipu__clock_syncs *syncs, uint32_t location) {
    const size_t known = syncs->locations.count;
    if (location >= known) {
        if (!QUIPU__VEC_RESERVE(syncs->memory, &syncs->locations, location + 1 - known))
            return NULL;
        syncs->locations.count = (size_t)location + 1;
    }
    return &syncs->locations.items[location];
}

void quipu__clock_syncs_add(struct quipu__clock_syncs *syncs, uint32_t location, int64_t time,
                            int64_t correction) {
    struct quipu__location_syncs *known = location_at(syncs, location);
    int64_t corrected = quipu__bounded_sum(time, correction);
    if (!known)
        return;
    if (known->list.count > 0 && time <= known->list.items[known->list.count - 1].time) {
        time = known->list.items[known->list.count - 1].time;
        known->list.count--;
    }
    if (known->list.count > 0 && corrected < known->list.items[known->list.count - 1].corrected)
        corrected = known->list.items[known->list.count - 1].corrected;
    struct quipu__clock_sync *sync = QUIPU__VEC_ADD(syncs->memory, &known->list);
    if (sync)
        *sync = (struct quipu__clock_sync){time, corrected};
}

const struct quipu__location_syncs *quipu__clock_syncs_find(const struct quipu__clock_syncs *syncs,
                                                            uint32_t location) {
    const bool has_any = location < syncs->locations.count && syncs->locations.items[location].list.count > 0;
    return has_any ? &syncs->locations.items[location] : NULL;
}

/* The last event of a location that is not behind a time, but the last one of all only when it is alone: it begins a stretch of time with the
 * next one. */
static size_t stretch_of(const struct quipu__location_syncs *known, int64_t time) {
    size_t next = 1;
    QUIPU__BISECT(next, known->list.count > 1 ? known->list.count - 1 : 1, i,
                  known->list.items[i].time <= time);
    return next - 1;
}

int64_t quipu__clock_syncs_time(const struct quipu__clock_syncs *syncs, uint32_t location, int64_t time) {
    const struct quipu__location_syncs *known = quipu__clock_syncs_find(syncs, location);
    if (!known)
        return time;
    const struct quipu__clock_sync *from = &known->list.items[stretch_of(known, time)];
    const int64_t passed = quipu__bounded_difference(time, from->time);
    if (known->list.count == 1)
        return quipu__bounded_sum(from->corrected, passed);
    const uint64_t here = (uint64_t)from[1].time - (uint64_t)from->time,
                   right = (uint64_t)from[1].corrected - (uint64_t)from->corrected;
    return quipu__bounded_sum(from->corrected, quipu__scale_signed(passed, right, here));
}
