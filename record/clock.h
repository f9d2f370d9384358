/* clock.h: the recorders' clock: nanoseconds of CLOCK_MONOTONIC, read from the processor's time stamp counter.
 *
 *     now = anchor_ns + (ticks - anchor_ticks) * rate      for valid_ticks behind the anchor
 *
 * Each thread has a segment of that line. When it is over, the system's clock is asked where the next one begins and what the
 * rate is, so the two clocks stay together within what reading them costs, times never decrease within a thread, and threads
 * need no lock. Where the counter is missing, not invariant or not in step with the system's clock, and when the
 * environment variable QUIPU_CLOCK is "system", every reading is one of the system's clock.
 *
 * Recorders that are loaded into one process read one line, so that what one of them sees inside of a call that the other one sees
 * lies inside in the trace, too: each library has a copy of the thread's segment, and the dynamic linker binds quipu_recorder_clock_*
 * to the library that was loaded first.
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

/* Of the calling thread, in this library. */
extern _Thread_local struct quipu__clock_segment quipu__clock_segment;

/* Begins to compare the clocks; called early in the life of the process, before threads use the clock, by each recorder of it. */
__attribute__((visibility("default"))) void quipu_recorder_clock_begin(void);

/* The time, and the calling thread's segment of the process: another one begins if the last is over. */
__attribute__((visibility("default"))) uint64_t quipu_recorder_clock_segment(
    struct quipu__clock_segment *segment);

/* Whether the calling thread reads the counter at present. */
static inline bool quipu__clock_uses_counter(void) {
    return quipu__clock_segment.valid_ticks != 0;
}

/* Whether the segment is not over yet; then its time. */
static inline bool quipu__clock_read(const struct quipu__clock_segment *segment, uint64_t *now) {
    if (__builtin_expect(segment->valid_ticks == 0, 0))
        return false;
    const uint64_t passed = quipu__ticks() - segment->anchor_ticks;
    *now = segment->anchor_ns + (passed * segment->rate >> 32);
    return __builtin_expect(passed < segment->valid_ticks, 1);
}

static inline uint64_t quipu__clock_now(void) {
    uint64_t now;
    if (quipu__clock_read(&quipu__clock_segment, &now))
        return now;
    return quipu_recorder_clock_segment(&quipu__clock_segment);
}

#endif
