/* wall_clock.h: the time of a call, whose seconds are stored in 16 bits. */
#ifndef QUIPU_FORMATS_DUMPI_WALL_CLOCK_H
#define QUIPU_FORMATS_DUMPI_WALL_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "core/os.h"

/* A clock that falls back by more than half of the range of 16-bit seconds rolled over. More roll-overs than in 72
 * years are damage; so times, their sums and differences stay in range. */
#define QUIPU__DUMPI_ROLLOVER_NS (INT64_C(65536) * 1000000000)
#define QUIPU__DUMPI_ROLLOVERS 35000

/* What a reader of a stream knows about the roll-overs before a call. */
struct quipu__dumpi_wall_clock {
    int64_t rollover_ns, last_stop;
};

#define QUIPU__DUMPI_WALL_CLOCK_INIT                                                                           \
    { 0, INT64_MIN / 2 }

/* Undoes the roll-over in the times of the next call. */
QUIPU__INLINE void quipu__dumpi_unroll(struct quipu__dumpi_wall_clock *clock, int64_t *start, int64_t *stop) {
    int64_t begin = *start + clock->rollover_ns, end = *stop + clock->rollover_ns;
    if (QUIPU__UNLIKELY(clock->last_stop - begin > QUIPU__DUMPI_ROLLOVER_NS / 2) &&
        clock->rollover_ns < QUIPU__DUMPI_ROLLOVERS * QUIPU__DUMPI_ROLLOVER_NS) {
        clock->rollover_ns += QUIPU__DUMPI_ROLLOVER_NS;
        begin += QUIPU__DUMPI_ROLLOVER_NS;
        end += QUIPU__DUMPI_ROLLOVER_NS;
    }
    if (QUIPU__UNLIKELY(begin - end > QUIPU__DUMPI_ROLLOVER_NS / 2))
        end += QUIPU__DUMPI_ROLLOVER_NS;
    if (QUIPU__LIKELY(end > clock->last_stop))
        clock->last_stop = end;
    *start = begin;
    *stop = end;
}

#endif
