/* syncs.h: clocks whose error was measured while the program ran: clock_sync events say what is to be added at a time.
 *
 * Between two of them the correction changes evenly, before the first and behind the last one as between the two next to it; one alone
 * holds at all times. Corrections hold for the event's own location. Of several at one time the last one counts, and one by which time would go back
 * lets it stand.
 */
#ifndef QUIPU_ANALYSIS_CLOCK_SYNCS_H
#define QUIPU_ANALYSIS_CLOCK_SYNCS_H

#include "core/memory/vec.h"

#include <stdint.h>

struct quipu__clock_sync {
    int64_t time, corrected; /* ns; both grow, corrected may stay */
};

struct quipu__location_syncs {
    QUIPU__VEC(struct quipu__clock_sync) list;
};

struct quipu__clock_syncs {
    struct quipu__memory *memory;
    QUIPU__VEC(struct quipu__location_syncs) locations;
};

void quipu__clock_syncs_release(struct quipu__clock_syncs *syncs);

/* The location's next event. What finds no memory is left out, and the gate knows. */
void quipu__clock_syncs_add(struct quipu__clock_syncs *syncs, uint32_t location, int64_t time,
                            int64_t correction);

/* The events of a location, or NULL when it has none. */
const struct quipu__location_syncs *quipu__clock_syncs_find(const struct quipu__clock_syncs *syncs,
                                                            uint32_t location);

/* The right time, rounded down; the time itself where the location has no events. */
int64_t quipu__clock_syncs_time(const struct quipu__clock_syncs *syncs, uint32_t location, int64_t time);

#endif
