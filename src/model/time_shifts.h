/* time_shifts.h: new times for the events of a trace: by how much each moves, location by location, in the order of events.
 *
 * A run of events that move alike takes a few bytes, whatever its length.
 */
#ifndef QUIPU_MODEL_TIME_SHIFTS_H
#define QUIPU_MODEL_TIME_SHIFTS_H

#include "core/memory/buffer.h"
#include "model/amortisation.h"

/* Events that move alike: new time = time + shift, but not after the limit nor before the previous event. Times are ns. */
struct quipu__time_shift {
    uint64_t events;
    int64_t shift, limit; /* limit INT64_MAX: none */
};

struct quipu__location_shifts {
    struct quipu__buffer bytes;
    struct quipu__time_shift last; /* not among the bytes yet */
    int64_t shift, limit;          /* of the bytes' last one */
    uint64_t events;               /* in all */
};

struct quipu__time_shifts {
    struct quipu__memory *memory;
    QUIPU__VEC(struct quipu__location_shifts) locations;
    const struct quipu__amortisation *amortisation; /* moves the events further; NULL: it does not */
};

static inline void quipu__time_shifts_init(struct quipu__time_shifts *shifts, struct quipu__memory *memory) {
    *shifts = (struct quipu__time_shifts){.memory = memory};
}
void quipu__time_shifts_release(struct quipu__time_shifts *shifts);

/* Adds the next events of a location. When memory is out they are left out, and the gate remembers. */
void quipu__time_shifts_add(struct quipu__time_shifts *shifts, uint32_t location,
                            const struct quipu__time_shift *shift);

/* Where the events of a location are; zero-initialised at its first event. */
struct quipu__time_shift_cursor {
    size_t offset;
    struct quipu__time_shift now;
    int64_t shift, limit, latest;
    uint64_t passed;
    bool has_run; /* now is one */
    struct quipu__amortised_cursor amortised;
};

/* The new time of the location's next event. Events after the last one that has a shift move like that one. */
int64_t quipu__time_shift_next(const struct quipu__time_shifts *shifts, uint32_t location,
                               struct quipu__time_shift_cursor *cursor, int64_t time);

/* A lower bound for the new times of the location's remaining events that are not before a time; INT64_MAX: there are none. */
int64_t quipu__time_shift_least(const struct quipu__time_shifts *shifts, uint32_t location,
                                struct quipu__time_shift_cursor *cursor, int64_t time);

#endif
