/* why.h: what a program loses time to, while it is put together from the answers of other analyses. */
#ifndef QUIPU_ANALYSIS_WHY_H
#define QUIPU_ANALYSIS_WHY_H

#include "analysis/critical_path.h"
#include "analysis/delays.h"
#include "analysis/located.h"
#include "table/table.h"

#include <quipu/why.h>

/* The answers that it is made from. */
enum quipu__why_answer {
    QUIPU__WHY_EFFICIENCY,
    QUIPU__WHY_PATH,
    QUIPU__WHY_CLOCK,
    QUIPU__WHY_WAITS, /* the last one: it needs to know the region of interest */
    QUIPU__WHY_ANSWERS
};

/* Time that is lost because of what a location does in a region, or that it waits there for no other location. */
struct quipu__loss {
    const char *kind;     /* QUIPU__WHY_DELAY, or the pattern of the wait */
    const char *location; /* whose fault */
    const char *region;   /* NULL: outside of any */
    uint32_t number;      /* of the location */
    int64_t location_id;
    int64_t time, indirect;
    int64_t spent;   /* time of the location in the region */
    int64_t on_path; /* the same, on the critical path */
};

/* The kind of a loss that others have by waiting. */
#define QUIPU__WHY_DELAY "delay"

/* What others wait for a location. */
struct quipu__awaited {
    uint64_t waiters;
    int64_t uncertain;   /* ns that the clocks leave open */
    int64_t unexplained; /* of waiting for it: its regions take less time than others wait for them */
    int64_t corridor;    /* of its clock; -1: not known */
    const char *location, *region, *pattern; /* of the longest wait */
    int64_t location_id, time;
};

struct quipu__why {
    struct quipu__memory memory;
    const struct quipu_definitions *definitions;
    struct quipu_tables *answers[QUIPU__WHY_ANSWERS];
    struct quipu__located located;
    QUIPU__VEC(struct quipu__loss) losses;
    struct quipu__map loss_of;
    QUIPU__VEC(struct quipu__awaited) awaited; /* by location */
    struct quipu__map waiting;                 /* pairs of those that wait and whom they wait for */
    int64_t covered;                           /* the time in which losses are looked for, ns */
    uint64_t location_count;                   /* with events */
    struct quipu__unfinished_calls unfinished;
    int64_t outside; /* the most that a location spends outside of regions, ns */
};

/* Fills in losses and what others wait for each location, with what is known besides the tables of how long locations are in regions, and
 * on the critical path there; sorts the losses. */
void quipu__why_find(struct quipu__why *why, struct quipu__delays *delays,
                     const struct quipu__critical_path *path);

/* Whether others wait for the location of the loss. */
bool quipu__why_is_awaited(const struct quipu__why *why, const struct quipu__loss *loss);

/* Whether a loss is at least a thousandth of the time of all locations. */
bool quipu__why_is_large(const struct quipu__why *why, const struct quipu__loss *loss);

/* Whether a loss is larger than what the clocks leave open. */
bool quipu__why_is_certain(const struct quipu__why *why, const struct quipu__loss *loss);

/* ---- why_table.c ---- */

enum quipu_status quipu__why_tables(const struct quipu__why *why, struct quipu_tables *tables,
                                    struct quipu_error *err);

#endif
