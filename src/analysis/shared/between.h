/* between.h: what time outside of any region is called: by the calls around it, such as "between MPI_Wait and MPI_Send".
 *
 * Amounts, mostly of time, are added for the calls around a piece of such time; the calls with the largest total at a location name all of it. Of
 * calls inside each other the outermost one is named; who follows a location sees no calls that take no time.
 */
#ifndef QUIPU_ANALYSIS_SHARED_BETWEEN_H
#define QUIPU_ANALYSIS_SHARED_BETWEEN_H

#include "core/memory/map.h"
#include "core/memory/vec.h"
#include "table/table.h"

#include <quipu/model.h>

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

struct quipu__between {
    struct quipu__memory *memory;
    QUIPU__VEC(struct quipu__between_total) totals;
    QUIPU__VEC(uint32_t) locations; /* of each its latest total, plus 1; 0: none */
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
