/* between.h: what time outside of any region is called: by the calls around it, such as "between MPI_Wait and MPI_Send".
 *
 * Amounts, mostly of time, are added for the calls around a piece of such time; the calls with the largest total at a location name all of it. Of
 * calls inside each other the outermost one is named; one that takes no time is not seen in steps.
 */
#ifndef QUIPU_ANALYSIS_SHARED_BETWEEN_H
#define QUIPU_ANALYSIS_SHARED_BETWEEN_H

#include "core/memory/map.h"
#include "core/memory/vec.h"
#include "state/call_path.h"
#include "table/table.h"

/* Regions; QUIPU_NONE: no call is there. */
struct quipu__calls_around {
    uint32_t before, after;
};
#define QUIPU__NO_CALLS_AROUND ((struct quipu__calls_around){QUIPU_NONE, QUIPU_NONE})

/* Numbers for them, in the order in which they are met. */
struct quipu__calls_numbers {
    struct quipu__memory *memory;
    QUIPU__VEC(struct quipu__calls_around) list;
    struct quipu__map map;
};

static inline void quipu__calls_numbers_init(struct quipu__calls_numbers *numbers,
                                             struct quipu__memory *memory) {
    *numbers = (struct quipu__calls_numbers){.memory = memory};
    quipu__map_init(&numbers->map, memory);
}
static inline void quipu__calls_numbers_release(struct quipu__calls_numbers *numbers) {
    QUIPU__VEC_RELEASE(numbers->memory, &numbers->list);
    quipu__map_release(&numbers->map);
}

/* QUIPU_NONE when memory is out. */
uint32_t quipu__calls_number(struct quipu__calls_numbers *numbers, struct quipu__calls_around calls);

struct quipu__between_total {
    uint32_t calls; /* their number */
    int64_t amount;
    uint32_t next; /* of the location; QUIPU_NONE: none */
};

/* Of a location: its totals, the latest one first; and where it is while its steps are followed. */
struct quipu__between_location {
    uint32_t first; /* plus 1; 0: none */
    uint32_t path;  /* of its latest call */
    int64_t outside;
};

struct quipu__between {
    struct quipu__memory *memory;
    QUIPU__VEC(struct quipu__between_total) totals;
    QUIPU__VEC(struct quipu__between_location) locations;
    struct quipu__calls_numbers numbers;
    struct quipu__map total_of; /* (location, number of calls) to the total */
};

static inline void quipu__between_init(struct quipu__between *between, struct quipu__memory *memory) {
    *between = (struct quipu__between){.memory = memory};
    quipu__calls_numbers_init(&between->numbers, memory);
    quipu__map_init(&between->total_of, memory);
}
void quipu__between_release(struct quipu__between *between);

/* Adds an amount. What there is no memory for is lost: the gate knows. */
void quipu__between_add(struct quipu__between *between, uint32_t location, struct quipu__calls_around calls,
                        int64_t amount);

/* The next step of a location: how long it is in a path. Steps of no length say only where it is. */
void quipu__between_step_slow(struct quipu__between *between, const struct quipu__call_paths *paths,
                              uint32_t location, uint32_t path, int64_t time);
static inline void quipu__between_step(struct quipu__between *between, const struct quipu__call_paths *paths,
                                       uint32_t location, uint32_t path, int64_t time) {
    struct quipu__between_location *at =
        location < between->locations.count ? &between->locations.items[location] : NULL;
    if (at && path != QUIPU__NO_CALLS && at->outside == 0)
        at->path = path;
    else
        quipu__between_step_slow(between, paths, location, path, time);
}

/* All steps of a location have been made. */
void quipu__between_end(struct quipu__between *between, const struct quipu__call_paths *paths,
                        uint32_t location);

/* The calls around most of what was added for a location, those that came first of equals; none when nothing was. */
struct quipu__calls_around quipu__between_most(const struct quipu__between *between, uint32_t location);

/* "between A and B", "before B" or "after A", in which long names are cut; NULL for no calls. */
enum { QUIPU__CALLS_AROUND_BYTES = 536 };
const char *quipu__calls_around_text(const struct quipu_definitions *definitions,
                                     struct quipu__calls_around calls, char out[QUIPU__CALLS_AROUND_BYTES]);

/* Puts that text. */
static inline void quipu__table_put_calls_around(struct quipu_table *table, size_t column,
                                                 const struct quipu_definitions *definitions,
                                                 struct quipu__calls_around calls) {
    char text[QUIPU__CALLS_AROUND_BYTES];
    quipu__table_put_text(table, column, quipu__calls_around_text(definitions, calls, text));
}

#endif
