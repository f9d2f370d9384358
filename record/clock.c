/* clock.c: calibration of the time stamp counter against the system's clock. */
#include "record/clock.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define BASELINE_NS UINT64_C(2000000)   /* shorter comparisons say too little about the rate */
#define RENEWAL_NS UINT64_C(2000000000) /* the rate is that of the last two to four seconds */
#define SEGMENT_NS UINT64_C(10000000)   /* product of a segment's ticks and rate stays below 2^64 */
#define DEVIATION_MOST 1000             /* a thousandth of a rate */

/* One reading of both clocks. */
struct comparison {
    uint64_t ticks, ns;
};

_Thread_local struct quipu__clock_segment quipu__clock_segment;

/* Of the calling thread, in the library that all recorders of the process ask. */
static _Thread_local struct quipu__clock_segment current;

/* Of the calling thread: rates are measured from origin; next_origin takes its place when it is old enough. */
static _Thread_local struct comparison origin, next_origin;

static struct comparison process_origin;
static atomic_bool counter_is_sound;

static uint64_t system_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static bool counter_is_invariant(void) {
#if defined(__x86_64__)
    unsigned eax, ebx, ecx, edx;
    return __get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) && (edx & 1U << 8);
#elif defined(__aarch64__)
    return true;
#else
    return false;
#endif
}

/* The tightest of a few readings: being interrupted between two clocks would look like a difference of rates. */
static struct comparison compare(void) {
    struct comparison best = {0, 0};
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < 3; i++) {
        const uint64_t before = quipu__ticks(), ns = system_now(), distance = quipu__ticks() - before;
        if (distance < least)
            best = (struct comparison){before + distance / 2, ns};
        if (distance < least)
            least = distance;
    }
    return best;
}

void quipu_recorder_clock_begin(void) {
    if (atomic_load(&counter_is_sound))
        return;
    const char *wanted = getenv("QUIPU_CLOCK");
    if ((wanted && strcmp(wanted, "system") == 0) || !counter_is_invariant())
        return;
    process_origin = compare();
    atomic_store(&counter_is_sound, true);
}

/* Nanoseconds per tick, times 2^32; 0 when they are not comparable. */
static uint64_t rate_between(struct comparison from, struct comparison to) {
    const uint64_t ns = to.ns - from.ns, ticks = to.ticks - from.ticks;
    if (to.ns < from.ns || to.ticks <= from.ticks)
        return 0;
    return (uint64_t)((long double)ns * 4294967296.0L / (long double)ticks);
}

static uint64_t give_up_counter(void) {
    atomic_store(&counter_is_sound, false);
    current.valid_ticks = 0;
    return system_now();
}

/* A counter whose rate changes is none to tell the time with. */
static bool rate_is_steady(uint64_t rate) {
    const uint64_t known = rate_between(process_origin, origin);
    if (known == 0 || origin.ns - process_origin.ns < RENEWAL_NS)
        return true;
    const uint64_t deviation = rate > known ? rate - known : known - rate;
    return deviation < known / DEVIATION_MOST;
}

static void renew_origin(struct comparison now) {
    if (origin.ticks == 0)
        origin = next_origin = process_origin;
    if (now.ns - next_origin.ns < RENEWAL_NS)
        return;
    origin = next_origin;
    next_origin = now;
}

/* The last time that the segment which is over may have given. */
static uint64_t given_most(void) {
    return current.valid_ticks ? current.anchor_ns + (current.valid_ticks * current.rate >> 32) : 0;
}

/* A segment that begins at now, or where the last one ended if that was ahead; then it is flatter until they meet. It is no longer
 * than what its rate was measured over. */
static void begin_segment(struct comparison now, uint64_t rate) {
    const uint64_t measured = now.ns - origin.ns, length = measured < SEGMENT_NS ? measured : SEGMENT_NS;
    const uint64_t floor_ns = given_most();
    const uint64_t lead = floor_ns > now.ns ? floor_ns - now.ns : 0;
    const uint64_t slowed = lead < length / 2 ? lead : length / 2;
    current = (struct quipu__clock_segment){
        .anchor_ticks = now.ticks,
        .anchor_ns = now.ns + lead,
        .valid_ticks = (length << 32) / rate,
        .rate = rate - (uint64_t)((long double)rate * (long double)slowed / (long double)length),
    };
}

/* The end of a segment: begins another one and returns the time. */
static uint64_t renew(void) {
    if (!atomic_load_explicit(&counter_is_sound, memory_order_relaxed))
        return system_now();
    const struct comparison now = compare();
    renew_origin(now);
    if (now.ns - process_origin.ns < BASELINE_NS)
        return now.ns;
    const uint64_t rate = rate_between(origin, now);
    if (rate == 0 || !rate_is_steady(rate))
        return give_up_counter();
    begin_segment(now, rate);
    return current.anchor_ns;
}

uint64_t quipu_recorder_clock_segment(struct quipu__clock_segment *segment) {
    uint64_t now;
    if (!quipu__clock_read(&current, &now))
        now = renew();
    *segment = current;
    return now;
}
