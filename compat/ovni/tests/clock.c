/* clock.c: readings of the clock never decrease and stay together with the system's. Prints the worst distance in ns. */
#include "common.h"

#include <time.h>

static uint64_t system_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

/* A reading lies between two of the system's; how far it is outside. */
static uint64_t distance(uint64_t before, uint64_t now, uint64_t after) {
    if (now < before)
        return before - now;
    return now > after ? now - after : 0;
}

int main(void) {
    uint64_t last = 0, worst = 0;
    bool is_monotonic = true;
    ovni_proc_init(1, "clock.0", 60);
    for (int i = 0; i < 2000000; i++) {
        const uint64_t now = ovni_clock_now();
        is_monotonic = is_monotonic && now >= last;
        last = now;
        if (i % 100 != 0)
            continue;
        if (i % 200000 == 0)
            nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
        const uint64_t before = system_now(), between = ovni_clock_now(),
                       off = distance(before, between, system_now());
        is_monotonic = is_monotonic && between >= last;
        last = between;
        worst = off > worst ? off : worst;
    }
    ovni_proc_fini();
    printf("%llu\n", (unsigned long long)worst);
    return is_monotonic ? 0 : 1;
}
