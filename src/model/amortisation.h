/* amortisation.h: jumps of a logical clock, spread over the events before them.
 *
 * A logical clock moves an event that is too early, and all after it, to a later time: a jump. Amortisation also moves the events of a
 * window before the jump, the closer to it the more:
 *
 *                          from       from + by
 *     ---o---o---o---o---o--|            r---        before: r has jumped, what precedes it has not
 *     ---o----o-----o------o-----o       r---        after
 *        '--- window ---'
 *
 * An event at a time t, from - window <= t < from, moves by by * (t - from + window) / window. Where windows of several jumps overlap it
 * moves by the sum, which is rounded once, half up. Two things limit it:
 *
 *   - a send has a limit that it must not pass, the time of its receive minus the least time of a message; no event before the send passes
 *     it either;
 *   - the events of a location keep their order: no event gets ahead of the one before it, which only an event at exactly the time from
 *     could do.
 *
 * No event moves to an earlier time, and none at or after the last jump moves.
 *
 * Memory is needed for the jumps, for sends inside the window, and for sends before a jump that could pass their limit or whose limit is
 * not known yet.
 */
#ifndef QUIPU_MODEL_AMORTISATION_H
#define QUIPU_MODEL_AMORTISATION_H

#include "core/memory/vec.h"

#include <stdint.h>

/* In time order; from + by is no later than the next one's from. */
struct quipu__jump {
    int64_t from, by; /* by: above 0 */
};

struct quipu__send_limit {
    uint64_t event; /* number among the events of the location */
    int64_t time;   /* without amortisation */
    int64_t limit;  /* at least time; INT64_MAX: not known, or there is none */
};

struct quipu__amortised_location {
    QUIPU__VEC(struct quipu__jump) jumps;
    QUIPU__VEC(struct quipu__send_limit) sends; /* by event */
    size_t retained;                            /* how many remained when others were last dropped */
};

struct quipu__amortisation {
    struct quipu__memory *memory;
    int64_t window; /* ns, above 0, at most QUIPU__AMORTISATION_WINDOW_MOST */
    QUIPU__VEC(struct quipu__amortised_location) locations;
};

/* Longer windows need more than 64 bits for their beginning; this one is 73 years. */
#define QUIPU__AMORTISATION_WINDOW_MOST (INT64_C(1) << 61)

static inline void quipu__amortisation_init(struct quipu__amortisation *amortisation,
                                            struct quipu__memory *memory, int64_t window) {
    *amortisation = (struct quipu__amortisation){.memory = memory, .window = window};
}
void quipu__amortisation_release(struct quipu__amortisation *amortisation);

/* What happens at a location, in the order of its events: a jump; a send that gets a limit later. When memory is out it is left out, and
 * the gate remembers. */
void quipu__amortisation_add_jump(struct quipu__amortisation *amortisation, uint32_t location, int64_t from,
                                  int64_t by);
void quipu__amortisation_add_send(struct quipu__amortisation *amortisation, uint32_t location, uint64_t event,
                                  int64_t time);

/* Sets a limit of a send that has been added; the lowest of several holds. */
void quipu__amortisation_limit(struct quipu__amortisation *amortisation, uint32_t location, uint64_t event,
                               int64_t limit);

/* Call this when everything has been added, before asking for the first event. */
void quipu__amortisation_finish(struct quipu__amortisation *amortisation);

/* Where the events of a location are; zero-initialised at its first event. */
struct quipu__amortised_cursor {
    int64_t time;         /* time up to which the figures below hold */
    uint64_t slope;       /* sum of by of all jumps whose windows contain the time */
    uint64_t whole, rest; /* shift at the time: whole + rest / window */
    size_t entered, left; /* jumps whose window has begun, and those that have passed */
    size_t send;
    uint64_t event;
    int64_t latest;
};

/* The new time of the location's next event, which is at a time without amortisation. */
int64_t quipu__amortised_next(const struct quipu__amortisation *amortisation, uint32_t location,
                              struct quipu__amortised_cursor *cursor, int64_t time);

#endif
