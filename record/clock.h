/* clock.h: the recorders' clock: nanoseconds of CLOCK_MONOTONIC, read from the processor's time stamp counter.
 *
 *     now = anchor_ns + (ticks - anchor_ticks) * rate      for valid_ticks behind the anchor
 *
 * Each thread has a segment of that line. When it is over, the system's clock is asked where the next one begins and what the
 * rate is, so the two clocks stay together within what reading them costs, times never decrease within a thread, and threads
 * need no lock. Where the counter is missing, not invariant or not in step with the system's clock, and when the
 * environment variable QUIPU_CLOCK is "system", every reading is one of the system's clock.
 */
#ifndef QUIPU_RECORD_CLOCK_H
#define QUIPU_RECORD_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)
static inline uint64_t quipu__ticks(void) {
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}
#elif defined(__aarch64__)
static inline uint64_t quipu__ticks(void) {
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
}
#else
static inline uint64_t quipu__ticks(void) {
    return 0;
}
#endif

struct quipu__clock_segment {
    uint64_t anchor_ticks, anchor_ns;
    uint64_t valid_ticks; /* 0: ask the system */
    uint64_t rate;        /* nanoseconds per tick, times 2^32 */
};

/* Of the calling thread. */
extern _Thread_local struct quipu__clock_segment quipu__clock_segment;

/* Begins to compare the clocks; called once, early in the life of the process, before threads use the clock. */
void quipu__clock_init(void);

/* The end of a segment: begins another one and returns the time. */
uint64_t quipu__clock_resync(void);

/* Whether the calling thread reads the counter at present. */
static inline bool quipu__clock_uses_counter(void) {
    return quipu__clock_segment.valid_ticks != 0;
}

static inline uint64_t quipu__clock_now(void) {
    const struct quipu__clock_segment *segment = &quipu__clock_segment;
    if (__builtin_expect(segment->valid_ticks == 0, 0))
        return quipu__clock_resync();
    const uint64_t passed = quipu__ticks() - segment->anchor_ticks;
    if (__builtin_expect(passed >= segment->valid_ticks, 0))
        return quipu__clock_resync();
    return segment->anchor_ns + (passed * segment->rate >> 32);
}

#endif
