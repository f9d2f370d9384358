/* clock.c: one clock for all nodes.
 *
 * A node compares its clock with node 0's by a few round trips, the quickest of which counts. The first synchronisation gives
 * each node its offset, and all of them an instant that is zero; later ones give the drift since then, where a second or more has
 * passed: less says nothing about it. Zero does not move.
 */
#include "library.h"

#include "record/clock.h"

#include <sched.h>
#include <time.h>

enum { ROUND_TRIPS = 4 };
static const uint64_t least_ns = UINT64_C(1000000000); /* between synchronisations that tell the drift */
static const uint64_t margin_ns = 1000000;             /* least time before the instant that is zero */

static struct {
    bool is_read, is_synchronised;
    uint64_t begin; /* the first reading: zero until clocks are synchronised */
    int64_t offset; /* to node 0's clock at the time reference */
    uint64_t reference;
    int64_t zero; /* of node 0's clock */
    double drift;
} clock_state;

uint64_t picl_now(void) {
    if (!clock_state.is_read) {
        quipu_recorder_clock_begin();
        clock_state.is_read = true;
        clock_state.begin = quipu__clock_now();
    }
    return quipu__clock_now();
}

/* Nanoseconds of node 0's clock. */
static int64_t shared_time(uint64_t now) {
    const int64_t passed = (int64_t)(now - clock_state.reference);
    return (int64_t)now + clock_state.offset + (int64_t)(clock_state.drift * (double)passed);
}

int64_t picl_nanoseconds(uint64_t now) {
    if (!clock_state.is_synchronised)
        return (int64_t)(now - clock_state.begin);
    return shared_time(now) - clock_state.zero;
}

int64_t picl_microseconds(uint64_t now) {
    const int64_t ns = picl_nanoseconds(now);
    return ns >= 0 ? ns / 1000 : -((999 - ns) / 1000);
}

double clock0(void) {
    return (double)picl_microseconds(picl_now()) / 1e6;
}

/* Node 0's part of the round trips with another node. */
static void answer(int node) {
    for (int i = 0; i < ROUND_TRIPS; i++) {
        char question;
        picl_session.transport->receive_from(&question, 1, node);
        const uint64_t now = picl_now();
        picl_session.transport->send_to(&now, sizeof now, node);
    }
}

/* The other node's: what node 0's clock is ahead, and when that was. */
static int64_t offset_by_asking(uint64_t *when) {
    uint64_t quickest = UINT64_MAX;
    int64_t offset = 0;
    for (int i = 0; i < ROUND_TRIPS; i++) {
        const char question = 0;
        uint64_t theirs;
        const uint64_t asked = picl_now();
        picl_session.transport->send_to(&question, 1, 0);
        picl_session.transport->receive_from(&theirs, sizeof theirs, 0);
        const uint64_t answered = picl_now();
        if (answered - asked >= quickest)
            continue;
        quickest = answered - asked;
        offset = (int64_t)(theirs + quickest / 2 - answered);
        *when = answered;
    }
    return offset;
}

static void compare_clocks(void) {
    uint64_t when = picl_now();
    if (picl_session.me == 0) {
        for (int node = 1; node < picl_session.nodes; node++)
            answer(node);
        if (!clock_state.is_synchronised)
            clock_state.reference = when;
        return;
    }
    const int64_t offset = offset_by_asking(&when);
    if (!clock_state.is_synchronised) {
        clock_state.offset = offset;
        clock_state.reference = when;
    } else if (when - clock_state.reference >= least_ns) {
        clock_state.drift = (double)(offset - clock_state.offset) / (double)(when - clock_state.reference);
    }
}

/* How long to sleep when so much is left: the last 0.2 ms are waited for awake, and the clock is asked again after 50 ms. */
static long sleep_ns(int64_t left) {
    if (left <= 200000)
        return 0;
    return left > 50000000 ? 50000000 : (long)(left - 100000);
}

static void wait_until(int64_t instant) {
    for (int64_t left; (left = instant - shared_time(picl_now())) > 0;) {
        const struct timespec most = {0, sleep_ns(left)};
        if (most.tv_nsec > 0)
            nanosleep(&most, NULL);
        else
            sched_yield();
    }
}

/* All nodes leave together, at an instant that node 0 announces. */
static void choose_zero(void) {
    const struct picl_transport *transport = picl_session.transport;
    uint64_t begin = picl_now();
    transport->broadcast(&begin, sizeof begin, 0);
    transport->barrier();
    transport->barrier();
    const uint64_t end = picl_now();
    int64_t zero = (int64_t)(end + 2 * (end - begin) + margin_ns);
    transport->broadcast(&zero, sizeof zero, 0);
    clock_state.zero = zero;
    clock_state.is_synchronised = true;
    if (shared_time(picl_now()) > zero)
        message0("clocksync0: this node heard of the instant that is zero only after it");
    wait_until(zero);
}

void clocksync0(void) {
    picl_start();
    picl_entry(EVENT_CLOCKSYNC, picl_now(), PICL_NO_DATA, -1);
    const uint64_t now = picl_now();
    const int64_t before = picl_nanoseconds(now);
    compare_clocks();
    picl_session.transport->barrier();
    if (!clock_state.is_synchronised)
        choose_zero();
    picl_statistics_shift(picl_nanoseconds(now) - before);
    picl_exit(EVENT_CLOCKSYNC, picl_now(), PICL_NO_DATA, -1);
}
