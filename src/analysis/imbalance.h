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

/* The time of a region at a location. */
struct quipu__imbalance_time {
    int64_t in_window, total;
    int64_t since;   /* inclusive times: up to when it is counted, while the region is active */
    uint32_t active; /* inclusive times: calls of it inside each other */
    uint32_t region; /* plus 1 */
};

/* What is known of a location. */
struct quipu__imbalance_location {
    QUIPU__VEC(struct quipu__imbalance_exit) exits;
    size_t window;                                  /* exits that lie behind it */
    int64_t next_exit;                              /* when the window ends; INT64_MAX: with the location */
    QUIPU__VEC(struct quipu__imbalance_time) times; /* of the regions that it is in at all */
    uint32_t *time_of;            /* by region plus 1: its number in times plus 1; NULL: in a map */
    QUIPU__VEC(uint32_t) touched; /* times with something in the window */
    uint32_t path;                /* inclusive times: the calls that count as active */
    int64_t first, last;
    bool has_events;
};

/* Windows, and windows times calls inside each other where these are counted in each window. */
enum { QUIPU__WINDOWS_MOST = 65536, QUIPU__WINDOW_CALLS_MOST = 1 << 21 };

/* Regions times locations up to which there is a table of them. */
enum { QUIPU__IMBALANCE_TABLE_MOST = 1 << 21 };

struct quipu__imbalance {
    struct quipu__memory memory;
    const struct quipu_definitions *definitions;
    struct quipu__communication communication;
    struct quipu__unfinished_calls unfinished; /* of the first reading */
    bool is_inclusive, is_second;
    bool has_table;              /* where regions have their times at each location; else a map says it */
    struct quipu__map time_of;   /* (location, region plus 1) to the number in its times */
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

/* When the window of a location ends. */
static inline int64_t quipu__imbalance_next_exit(const struct quipu__imbalance_location *location) {
    return location->window < location->exits.count ? location->exits.items[location->window].time : INT64_MAX;
}

/* ---- imbalance_times.c ---- */

/* Counts time that a location has spent in a path of calls, in whichever windows it lies; context is the imbalance. */
void quipu__imbalance_add_step(void *context, uint32_t number, uint32_t path, int64_t from, int64_t to);

/* Nothing comes any more of a location: counts the time after its last call. */
void quipu__imbalance_end_location(struct quipu__imbalance *imbalance, uint32_t number);

/* ---- imbalance.c ---- */

/* Adds up what was read. False when memory is out. */
QUIPU_CHECKED bool quipu__imbalance_add_up(struct quipu__imbalance *imbalance);

#endif
