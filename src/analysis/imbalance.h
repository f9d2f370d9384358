/* imbalance.h: how unevenly regions are spread over locations, for the files that fold (imbalance.c) and show
 * (imbalance_table.c) it. */
#ifndef QUIPU_ANALYSIS_IMBALANCE_H
#define QUIPU_ANALYSIS_IMBALANCE_H

#include "analysis/fold.h"
#include "state/communication.h"

/* Times of a region in a window, or in all of them. */
struct quipu__spread {
    int64_t most, total; /* of a location; of all */
};

struct quipu__imbalance_region {
    struct quipu__spread whole;
    uint32_t slowest;
    int64_t windows_most; /* the largest times of all windows together */
};

/* When a location left a collective operation. */
struct quipu__imbalance_exit {
    int64_t time;
    uint32_t instance;
};

/* What is known of a location. */
struct quipu__imbalance_location {
    QUIPU__VEC(struct quipu__imbalance_exit) exits;
    size_t window;           /* exits that lie behind it */
    int64_t *times, *totals; /* by region plus 1: in the window; in all */
    int64_t first, last;
    bool has_events;
};

enum { QUIPU__WINDOWS_MOST = 65536 };

struct quipu__imbalance {
    struct quipu__memory memory;
    const struct quipu_definitions *definitions;
    struct quipu__communication communication;
    struct quipu__unfinished_calls unfinished; /* of the first reading */
    bool is_inclusive, is_second;
    QUIPU__VEC(uint32_t) takers; /* by instance: locations that took part */
    QUIPU__VEC(struct quipu__imbalance_location) locations;
    uint32_t region_count; /* with the one outside of any */
    uint64_t location_count, window_count;
    unsigned shift;                           /* so many windows are one: 2 to the power of it */
    struct quipu__map window_of;              /* (region, window) to its number */
    QUIPU__VEC(struct quipu__spread) windows; /* numbered so */
    QUIPU__VEC(uint32_t) window_regions;      /* and their regions */
    struct quipu__imbalance_region *regions;  /* by region plus 1 */
};

/* ---- imbalance_table.c ---- */

extern const struct quipu_analysis_table quipu__imbalance_tables[1];
enum quipu_status quipu__imbalance_finish(void *state, struct quipu_tables *tables, struct quipu_error *err);

/* ---- imbalance.c ---- */

/* Adds up what was read. False when memory is out. */
QUIPU_CHECKED bool quipu__imbalance_add_up(struct quipu__imbalance *imbalance);

#endif
