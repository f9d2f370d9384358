/* communication.h: who communicates with whom: matches messages and collective operations, and hands over what belongs together
 * with the calls around it.
 *
 * It is fed events in the order of time, so memory is needed for what is in flight only. Times are nanoseconds. A location has a
 * stack of calls; the communication call of an event is the innermost active one whose region is for MPI.
 */
#ifndef QUIPU_STATE_COMMUNICATION_H
#define QUIPU_STATE_COMMUNICATION_H

#include "core/os.h"
#include "state/call_path.h"
#include "state/collective_matching.h"
#include "state/matcher.h"

/* An active call. */
struct quipu__active_call {
    int64_t enter;
    uint64_t position; /* among the events of the location */
    uint32_t path, region;
    uint32_t communicates; /* depth of the innermost communication call, itself or further out; 0: none */
    uint32_t outermost;    /* the same of the outermost one */
    uint32_t number;       /* as a communication call with messages, QUIPU_NONE until it has any */
    bool is_simple;        /* of a region that does not communicate */
};

/* What is known of a location. calls[0] stands for the time outside of any call. */
struct quipu__call_stack {
    struct quipu__active_call *calls;
    uint32_t depth, capacity;
    uint32_t waiting;  /* active calls that may wait: of communication and of MPI-IO */
    uint32_t process;  /* as in ends.h */
    uint32_t finalize; /* of a process: number of its side of the end of the program, plus 1; 0: none */
    bool has_events;
    int64_t first, last; /* times of its events, ns */
    uint64_t events;
};

/* Calls that nothing ends, and how many locations they are at. */
struct quipu__unfinished_calls {
    uint64_t calls, locations;
};

/* What a region's calls are for: their time is useful; it is that of I/O, of a runtime system, of synchronisation or of idleness; of MPI-IO, where
 * collective operations may happen; or of communication, with MPI_Finalize, which ends the program. */
enum quipu__region_use {
    QUIPU__REGION_COMPUTES = 1,
    QUIPU__REGION_SERVES,
    QUIPU__REGION_ACCESSES_FILES,
    QUIPU__REGION_COMMUNICATES,
    QUIPU__REGION_FINALIZES
};

struct quipu__communication {
    struct quipu__memory *memory;
    const struct quipu_definitions *definitions;
    struct quipu__communication_listener listener;
    struct quipu__call_paths paths;
    struct quipu__communication_calls calls;
    struct quipu__matcher messages;
    struct quipu__collective_matching collectives;
    QUIPU__VEC(struct quipu__call_stack) stacks;
    QUIPU__VEC(uint8_t) uses; /* of regions */
    int64_t ns_per_tick;
    int64_t last_exact; /* ticks up to this one are ns_per_tick each; -1: they are no whole number of ns */
    int64_t far_least, far_most; /* between which times lie, once one is far from the origin; 0, 0: none was */
    bool only_calls;             /* messages and collective operations are not matched */
    QUIPU__VEC(struct quipu__collective_side) finals; /* where that is asked for: MPI_Finalize by process */
    struct quipu__unfinished_calls unfinished;        /* known when it has finished */
};

/* False when memory is out. Release in any case. */
QUIPU_CHECKED bool quipu__communication_init(struct quipu__communication *communication,
                                             struct quipu__memory *memory,
                                             const struct quipu_definitions *definitions,
                                             const struct quipu__communication_listener *listener);
void quipu__communication_release(struct quipu__communication *communication);

/* Takes in an event. False when memory is out. */
QUIPU_CHECKED bool quipu__communication_add(struct quipu__communication *communication,
                                            const struct quipu_batch *batch, uint32_t event);

/* Takes in a batch. False when memory is out. */
QUIPU_CHECKED bool quipu__communication_add_batch(struct quipu__communication *communication,
                                                  const struct quipu_batch *batch);

/* Nothing comes any more: calls end with the last event of their location, and what has no partner is given up. */
void quipu__communication_finish(struct quipu__communication *communication);

/* From the first event of all locations to the last, ns. */
int64_t quipu__communication_run_time(const struct quipu__communication *communication);

/* Whether a region has been entered by a call. */
bool quipu__communication_has_entered(const struct quipu__communication *communication, uint32_t region);

/* The events that it wants. */
#define QUIPU__COMMUNICATION_KINDS                                                                             \
    (QUIPU_KIND_BIT(QUIPU_KIND_enter) | QUIPU_KIND_BIT(QUIPU_KIND_leave) | QUIPU_KIND_BIT(QUIPU_KIND_send) |   \
     QUIPU_KIND_BIT(QUIPU_KIND_send_complete) | QUIPU_KIND_BIT(QUIPU_KIND_recv_post) |                         \
     QUIPU_KIND_BIT(QUIPU_KIND_recv) | QUIPU_KIND_BIT(QUIPU_KIND_probe) | QUIPU_KIND_BIT(QUIPU_KIND_cancel) |  \
     QUIPU_KIND_BIT(QUIPU_KIND_collective_begin) | QUIPU_KIND_BIT(QUIPU_KIND_collective_end))

/* Times up to that far from the origin of the trace, 73 years, take the short way: differences of two of them stay in 64 bits whatever their
 * signs. With one that lies further all times are taken as lying in 292 years, which is checked then: from that time, or the first one,
 * on, and in front of them as far as that leaves room. So differences stay in 64 bits wherever in the range of times a trace lies. */
#define QUIPU__COMMUNICATION_NEAR_NS (INT64_C(1) << 61)

int64_t quipu__communication_far_ns(struct quipu__communication *communication, int64_t ticks);

static inline int64_t quipu__communication_ns(struct quipu__communication *communication, int64_t ticks) {
    if (QUIPU__UNLIKELY(ticks > communication->last_exact || ticks < -communication->last_exact))
        return quipu__communication_far_ns(communication, ticks);
    return ticks * communication->ns_per_tick;
}

/* Takes times for what another one takes them that has seen all of them. */
static inline void quipu__communication_measure_like(struct quipu__communication *communication,
                                                     const struct quipu__communication *other) {
    communication->last_exact = other->last_exact;
    communication->far_least = other->far_least;
    communication->far_most = other->far_most;
}

enum quipu__region_use quipu__region_use_of(const struct quipu_definitions *definitions, uint32_t region);

#endif
