/* timeline.h: what the parts of the analysis share: bins that are being filled, from the trace (timeline.c) or from levels of detail, which an index
 * holds (levels.c). */
#ifndef QUIPU_ANALYSIS_TIMELINE_TIMELINE_H
#define QUIPU_ANALYSIS_TIMELINE_TIMELINE_H

#include "analysis/shared/between.h"
#include "analysis/shared/counter_increases.h"
#include "analysis/shared/fold.h"
#include "analysis/shared/region_slots.h"
#include "analysis/shared/unfinished_calls.h"
#include "analysis/waits/wait_states.h"
#include "core/bounded.h"
#include "state/unneeded_calls.h"

#include <string.h>

/* What time is spent on, the last of which is absence, and what is counted: columns of the table. */
enum {
    QUIPU__TIMELINE_USES = 11,
    QUIPU__TIMELINE_ABSENT = QUIPU__TIMELINE_USES - 1,
    QUIPU__TIMELINE_COUNTS = 8
};

/* What happens in a bin of a row. */
struct quipu__timeline_cell {
    int64_t time[QUIPU__TIMELINE_USES];
    int64_t region_time;  /* of the region with most of it */
    uint32_t region;      /* plus 1 */
    uint32_t first_share; /* plus 1, where all regions are kept */
    uint64_t counts[QUIPU__TIMELINE_COUNTS];
    int64_t around_time; /* outside of any call, between these */
    struct quipu__calls_around around;
};

/* A slot of time outside between two calls, whose regions, plus 1, are these; 0: none. */
struct quipu__timeline_around {
    uint32_t before, after, slot; /* slot: plus 1 */
};
enum { QUIPU__TIMELINE_AROUNDS = 16 };

/* Where a location is on its way through the bins. */
struct quipu__timeline_cursor {
    uint32_t bin;
    int64_t end; /* of the bin */
};

/* What is known of a location. */
struct quipu__timeline_location {
    bool has_events, is_over; /* over: all of its time has been counted */
    uint32_t row;
    int64_t first, last; /* its events */
    int64_t until;       /* its time has been counted up to here, or counts from there on */
    int64_t limit;       /* up to which time is spent in the bin at hand */
    struct quipu__timeline_cursor spent, counted; /* of time, of what is counted */
    struct quipu__timeline_cell *cell;            /* that is counted in */
    int64_t uses[QUIPU__TIMELINE_USES];           /* time in the bin */
    QUIPU__VEC(struct quipu__timeline_call) calls;
    QUIPU__VEC(int64_t) times;    /* in the bin, by the number of the region */
    QUIPU__VEC(uint32_t) touched; /* numbers with time in the bin */
    QUIPU__VEC(uint32_t)
    regions; /* plus 1, by their numbers; QUIPU__TIMELINE_AROUND and the number of the calls around time outside */
    QUIPU__VEC(struct quipu__timeline_around) arounds; /* slots kept, by a hash */
    int64_t outside;                                   /* time in the bin outside of any call */
    uint32_t before;  /* region of the outermost call that has ended last, plus 1; 0: none */
    bool has_entered; /* an outermost call: what came before it, outside, is not counted yet */
    int64_t entered;  /* then */
};

/* Marks numbers of calls around time outside where regions, plus 1, stand otherwise. */
#define QUIPU__TIMELINE_AROUND (UINT32_C(1) << 31)

/* The time of a region in a cell, where several locations share it, or all regions are kept. */
struct quipu__timeline_share {
    uint32_t cell, region; /* region: plus 1 */
    uint32_t next;         /* of the cell, plus 1, where all regions are kept */
    int64_t time;
};

struct quipu__timeline {
    struct quipu__memory memory;
    const struct quipu_definitions *definitions;
    const char *by;
    struct quipu__window window; /* ns */
    uint32_t bins;
    bool is_second;
    bool
        fills_index; /* it is read for levels of detail: regions of cells are kept, and the finest level says how many bins there are */
    bool fills_picture; /* cells are wanted, and no tables */
    struct quipu__wait_states
        states; /* of the first reading: first and last events; then it knows how long ticks are */
    bool has_waits;
    struct quipu__unneeded_calls computing; /* that do not matter to waits */
    QUIPU__VEC(struct quipu__timeline_wait) waits;
    struct quipu__timeline_waited *waited; /* by row and bin, in the first state */
    bool has_counters;
    struct quipu__counter_increases increases;
    QUIPU__VEC(struct quipu__counter_increase) held; /* whose bins are not known yet */
    struct quipu__counter_amount *counted;           /* by row, bin and metric, in the first state */
    struct quipu__unfinished_calls unfinished;
    int64_t from, to; /* of all bins together */
    uint64_t length;
    QUIPU__VEC(uint32_t) rows; /* the location that a row is of */
    QUIPU__VEC(struct quipu__timeline_location) locations;
    QUIPU__VEC(struct quipu__timeline_region) regions;
    struct quipu__region_slots slots;
    struct quipu__timeline_cell *cells; /* by row and bin */
    bool owns_cells;
    struct quipu__map share_of; /* (cell, region plus 1) to its number */
    QUIPU__VEC(struct quipu__timeline_share) shares;
    struct quipu__calls_numbers arounds;
    struct quipu__map around_of; /* (location, number of calls around) to the slot */
};

static inline bool quipu__timeline_is_by(const struct quipu__timeline *timeline, const char *what) {
    return strcmp(timeline->by, what) == 0;
}

/* ---- rows.c ---- */

/* Numbers the rows in the order of the locations that they are called by. False when memory is out. */
QUIPU_CHECKED bool quipu__timeline_number_rows(struct quipu__timeline *timeline);

/* Puts what the row of a location is called, in the first two columns. */
void quipu__timeline_put_row(const struct quipu__timeline *timeline, struct quipu_table *table,
                             uint32_t location);

/* ---- outside.c ---- */

/* The slot of time outside between two calls, given as regions plus 1, that the location has not kept. QUIPU_NONE when memory is out. */
uint32_t quipu__timeline_find_outside(struct quipu__timeline *timeline,
                                      struct quipu__timeline_location *location, uint32_t before,
                                      uint32_t after);

/* The same of calls that have a number. */
uint32_t quipu__timeline_around_slot(struct quipu__timeline *timeline,
                                     struct quipu__timeline_location *location, uint32_t number);

/* Time of a region, plus 1, or between calls, after which the cell is called if it is the most; of equals the one with lower numbers of regions,
 * so that threads do not matter. */
void quipu__timeline_offer(const struct quipu__timeline *timeline, struct quipu__timeline_cell *cell,
                           uint32_t region, int64_t time);

/* ---- timeline.c ---- */

/* Begins to fill bins, as soon as the first and the last event of each location are known. False when memory is out. */
QUIPU_CHECKED bool quipu__timeline_begin_bins(struct quipu__timeline *timeline);

/* A slot of its own, for what regions of the location say there. */
static inline uint32_t quipu__timeline_add_slot(struct quipu__timeline *timeline,
                                                struct quipu__timeline_location *location, uint32_t region) {
    if (!QUIPU__VEC_RESERVE(&timeline->memory, &location->times, 1) ||
        !QUIPU__VEC_RESERVE(&timeline->memory, &location->regions, 1))
        return QUIPU_NONE;
    location->times.items[location->times.count++] = 0;
    location->regions.items[location->regions.count++] = region;
    return (uint32_t)(location->times.count - 1);
}

/* The number of a region, given plus 1, or of calls around time outside, at a location; QUIPU_NONE when memory is out. */
static inline uint32_t quipu__timeline_slot(struct quipu__timeline *timeline,
                                            struct quipu__timeline_location *location, uint32_t region) {
    if (QUIPU__UNLIKELY(region >= QUIPU__TIMELINE_AROUND))
        return quipu__timeline_around_slot(timeline, location, region - QUIPU__TIMELINE_AROUND);
    const uint32_t number = (uint32_t)(location - timeline->locations.items);
    const uint32_t slot = quipu__region_slot(&timeline->slots, number, region);
    return QUIPU__LIKELY(slot < location->times.count) || slot == QUIPU_NONE
               ? slot
               : quipu__timeline_add_slot(timeline, location, region);
}

/* The slot of time outside between two calls, given as regions plus 1. */
static inline uint32_t quipu__timeline_outside_slot(struct quipu__timeline *timeline,
                                                    struct quipu__timeline_location *location, uint32_t before,
                                                    uint32_t after) {
    const uint32_t hash = (before * 5 + after) % QUIPU__TIMELINE_AROUNDS;
    if (QUIPU__LIKELY(location->arounds.count > 0)) {
        const struct quipu__timeline_around *saved = &location->arounds.items[hash];
        if (QUIPU__LIKELY(saved->before == before && saved->after == after && saved->slot > 0))
            return saved->slot - 1;
    }
    return quipu__timeline_find_outside(timeline, location, before, after);
}

/* Time that is spent there, in the bin at hand. */
static inline void quipu__timeline_add_region(struct quipu__timeline *timeline,
                                              struct quipu__timeline_location *location, uint32_t slot,
                                              int64_t amount) {
    if (QUIPU__UNLIKELY(slot >= location->times.count))
        return;
    uint32_t *touched =
        location->times.items[slot] == 0 ? QUIPU__VEC_ADD(&timeline->memory, &location->touched) : NULL;
    if (touched)
        *touched = slot;
    location->times.items[slot] = quipu__bounded_sum(location->times.items[slot], amount);
}

/* The bin is over. */
void quipu__timeline_end_bin(struct quipu__timeline *timeline, struct quipu__timeline_location *location);

/* ---- Levels ---- */

/* The numbers of bins of all levels, the coarsest first: of an index, and of pictures. */
#define QUIPU__TIMELINE_LEVELS(LEVEL) LEVEL(80) LEVEL(400) LEVEL(2000) LEVEL(8000)

/* How many bins the finest level has for that many locations and ticks of a length; 0: there is none. */
uint32_t quipu__timeline_finest(const struct quipu__timeline *timeline);

/* The levels of the fold, and itself. */
extern const struct quipu__fold_levels quipu__timeline_levels;
extern const struct quipu__fold quipu__timeline_fold;

#endif
