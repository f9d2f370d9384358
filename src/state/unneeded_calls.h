/* unneeded_calls.h: leaves calls in which nothing relevant happens out of batches, for analyses of what happens between locations: nearly all
 * calls of most programs only compute.
 *
 * A call is left out if it begins and ends in a batch, contains only such calls, and other events of its location come before and after it. So
 * all relevant events are seen in the same calls as before, and the first and last time of a location do not change.
 */
#ifndef QUIPU_STATE_UNNEEDED_CALLS_H
#define QUIPU_STATE_UNNEEDED_CALLS_H

#include "model/batch.h"
#include "state/communication.h"

struct quipu__unneeded_calls {
    struct quipu__memory *memory;
    bool *may_go; /* by region, for those defined at the beginning: threads may read it */
    uint32_t count;
    bool has_any;     /* region whose calls may go */
    quipu_kinds also; /* events of these kinds go, too, but for the first and the last one of a location */
    uint32_t
        consuming; /* the part of a pass in one process that goes into what remains, per cent, by measurement */
};

/* Kinds of what stands among events, but is none: no location begins or ends with it. */
#define QUIPU__NO_EVENTS (QUIPU_KIND_BIT(QUIPU_KIND_summary) | QUIPU_KIND_BIT(QUIPU_KIND_snapshot))

/* Calls of regions of a use up to that one are left out. False when memory is out. */
QUIPU_CHECKED bool quipu__unneeded_calls_init(struct quipu__unneeded_calls *calls, struct quipu__memory *memory,
                                              const struct quipu_definitions *definitions,
                                              enum quipu__region_use last);
static inline void quipu__unneeded_calls_release(struct quipu__unneeded_calls *calls) {
    quipu__release(calls->memory, calls->may_go, calls->count);
    *calls = (struct quipu__unneeded_calls){0};
}

/* Of most analyses. */
enum { QUIPU__CONSUMING = 33 };

/* A batch with attributes stays as it is. */
void quipu__unneeded_calls_leave_out(const struct quipu__unneeded_calls *calls, struct quipu_batch *batch);

#endif
