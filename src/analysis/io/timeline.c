/* timeline.c: requests over time, in intervals whose length doubles as the time does. */
#include "analysis/io/io.h"

#include <string.h>

void quipu__io_timeline_init(struct quipu__io_timeline *timeline) {
    memset(timeline, 0, sizeof *timeline);
    timeline->last = -1;
}

static struct quipu__io_interval *interval_at(struct quipu__io_timeline *timeline, int64_t number) {
    return &timeline->intervals[(uint64_t)number % QUIPU__IO_INTERVALS];
}

static void join_interval(struct quipu__io_interval *interval, const struct quipu__io_interval *other) {
    for (unsigned d = 0; d < QUIPU__IO_DIRECTIONS; d++) {
        interval->requests[d] += other->requests[d];
        interval->bytes[d] += other->bytes[d];
    }
    interval->opens += other->opens;
}

/* Makes intervals twice as long. */
static void coarsen(struct quipu__io_timeline *timeline) {
    struct quipu__io_timeline coarse;
    quipu__io_timeline_init(&coarse);
    coarse.shift = timeline->shift + 1;
    coarse.first = quipu__io_interval_number(timeline->first, 1);
    coarse.last = quipu__io_interval_number(timeline->last, 1);
    for (unsigned i = 0; i < quipu__io_interval_count(timeline); i++) {
        const int64_t number = timeline->first + (int64_t)i;
        join_interval(interval_at(&coarse, quipu__io_interval_number(number, 1)),
                      interval_at(timeline, number));
    }
    *timeline = coarse;
}

static bool has_room(const struct quipu__io_timeline *timeline, int64_t number) {
    const int64_t first = number < timeline->first ? number : timeline->first;
    const int64_t last = number > timeline->last ? number : timeline->last;
    return (uint64_t)last - (uint64_t)first < QUIPU__IO_INTERVALS;
}

struct quipu__io_interval *quipu__io_timeline_extend(struct quipu__io_timeline *timeline, int64_t time) {
    if (timeline->last < timeline->first)
        timeline->first = timeline->last = quipu__io_interval_number(time, timeline->shift);
    while (!has_room(timeline, quipu__io_interval_number(time, timeline->shift)))
        coarsen(timeline);
    const int64_t number = quipu__io_interval_number(time, timeline->shift);
    timeline->first = number < timeline->first ? number : timeline->first;
    timeline->last = number > timeline->last ? number : timeline->last;
    return interval_at(timeline, number);
}
