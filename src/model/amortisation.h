/* amortisation.h: jumps of a logical clock, spread over the events before them.
 *
 * A logical clock moves an event that is too early, and all behind it, to a later time: a jump. Amortisation moves the events of a
 * window before the jump as well, the more the closer they are to it:
 *
 *                          from       from + by
 *     ---o---o---o---o---o--|            r---        before: r has jumped, what precedes it has not
 *     ---o----o-----o------o-----o       r---        after
 *        '--- window ---'
 *
 * An event at a time t from from - window on and before from gets by * (t - from + window) / window more. Where windows of several jumps
 * overlap it gets the sum of that, and the sum is rounded once, half up. Two things limit it:
 *
 *   - a send has a limit that it must not pass, its receive less what a message takes at least; no event before the send passes it either;
 *   - the events of a location keep their order: an event comes no earlier than the one in front, which only an event of the very time from
 *     could do.
 *
 * No event gets an earlier time than it had, none at or behind the last jump gets another one.
 *
 * Memory is needed for the jumps, for sends inside of the window, and for those before a jump that could pass their limit or whose limit
 * is not known yet.
 */
#ifndef QUIPU_MODEL_AMORTISATION_H
#define QUIPU_MODEL_AMORTISATION_H

#include "core/memory/vec.h"

#include <stdint.h>

/* In the order of time; from + by is no later than the next one's from. */
struct quipu__jump {
    int64_t from, by; /* by: above 0 */
};

struct quipu__send_limit {
    uint64_t event; /* number among the events of the location */
    int64_t time;   /* as it is without amortisation */
    int64_t limit;  /* at least time; INT64_MAX: not known, or there is none */
};

struct quipu__amortised_location {
    QUIPU__VEC(struct quipu__jump) jumps;
    QUIPU__VEC(struct quipu__send_limit) sends; /* by event */
    size_t retained;                            /* how many there were when the others were dropped last */
};

struct quipu__amortisation {
    struct quipu__memory *memory;
    int64_t window; /* ns, above 0, at most QUIPU__AMORTISATION_WINDOW_MOST */
    QUIPU__VEC(struct quipu__amortised_location) locations;
};

/* Longer windows need more than 64 bits for their beginning; this one is 73 years. */
#define QUIPU__AMORTISATION_WINDOW_MOST (INT64_C(1) << 61)

void quipu__amortisation_init(struct quipu__amortisation *amortisation, struct quipu__memory *memory,
                              int64_t window);
void quipu__amortisation_release(struct quipu__amortisation *amortisation);

/* What happens at a location, in the order of its events: a jump; a send that gets a limit later. Whatever finds no memory is left out, and
 * the gate knows. */
void quipu__amortisation_add_jump(struct quipu__amortisation *amortisation, uint32_t location, int64_t from,
                                  int64_t by);
void quipu__amortisation_add_send(struct quipu__amortisation *amortisation, uint32_t location, uint64_t event,
                                  int64_t time);

/* A limit of a send that has been added; the least of several holds. */
void quipu__amortisation_limit(struct quipu__amortisation *amortisation, uint32_t location, uint64_t event,
                               int64_t limit);

/* All is known now; before the first event is asked for. */
void quipu__amortisation_finish(struct quipu__amortisation *amortisation);

/* Where the events of a location are; zero-initialised at its first event. */
struct quipu__amortised_cursor {
    int64_t time;         /* time up to which the figures below hold */
    uint64_t slope;       /* by of all jumps in whose window that is */
    uint64_t whole, rest; /* what they add: whole + rest / window */
    size_t entered, left; /* jumps whose window has begun, and those that have passed */
    size_t send;
    uint64_t event;
    int64_t latest;
};

/* The new time of the location's next event, which is at a time without amortisation. */
int64_t quipu__amortised_next(const struct quipu__amortisation *amortisation, uint32_t location,
                              struct quipu__amortised_cursor *cursor, int64_t time);

#endif
