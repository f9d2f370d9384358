/* communication.h: who communicates with whom: matches messages and collective operations, and reports what belongs together with the calls around
 * it.
 *
 * It gets events in time order, so memory is needed only for what is in flight. Times are nanoseconds. A location has a stack of calls; the
 * communication call of an event is the innermost active one whose region is for MPI.
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
    uint32_t communicates; /* depth of the innermost communication call, itself or an outer one; 0: none */
    uint32_t outermost;    /* the same for the outermost one */
    uint32_t number;       /* of its communication call with messages, QUIPU_NONE until it has any */
    bool is_simple;        /* of a region that does not communicate */
};

/* What is known of a location. calls[0] stands for the time outside any call. */
struct quipu__call_stack {
    struct quipu__active_call *calls;
    uint32_t depth, capacity;
    uint32_t waiting;  /* number of active calls that may wait: of communication and of MPI-IO */
    uint32_t process;  /* as in ends.h */
    uint32_t finalize; /* of a process: number of its side of the end of the program, plus 1; 0: none */
    bool has_events;
    int64_t first, last; /* times of its events, ns */
    uint64_t events;
};

/* Calls that never end, and at how many locations they are. */
struct quipu__unfinished_calls {
    uint64_t calls, locations;
};

/* What a region's calls do: useful work; I/O, runtime system, synchronisation or idling; MPI-IO, which may contain collective operations; or
 * communication, including MPI_Finalize, which ends the program. */
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
    QUIPU__VEC(uint32_t)
    first_of_name; /* of regions: the first one of the same name and role, which stands for them in paths */
    struct quipu__map names; /* of them, by what their name and role hash to */
    int64_t ns_per_tick;
    int64_t last_exact; /* ticks up to this one take ns_per_tick each; -1: a tick is not an integer of ns */
    uint32_t source;    /* where the next call is made, as its event says; QUIPU_NONE: it does not */
    bool only_calls;    /* messages and collective operations are not matched */
    QUIPU__VEC(struct quipu__collective_side) finals; /* if requested: MPI_Finalize by process */
    struct quipu__unfinished_calls unfinished;        /* known at the end */
};

/* False when memory is out. Release in any case. */
QUIPU_CHECKED bool quipu__communication_init(struct quipu__communication *communication,
                                             struct quipu__memory *memory,
                                             const struct quipu_definitions *definitions,
                                             const struct quipu__communication_listener *listener);
void quipu__communication_release(struct quipu__communication *communication);

/* Adds an event. Of an enter, source may be set before. False when memory is out. */
QUIPU_CHECKED bool quipu__communication_add(struct quipu__communication *communication,
                                            const struct quipu_batch *batch, uint32_t event);

/* Adds a batch, or its events from one up to another, which is not added. False when memory is out. */
QUIPU_CHECKED bool quipu__communication_add_range(struct quipu__communication *communication,
                                                  const struct quipu_batch *batch, uint32_t from, uint32_t to);
static inline bool quipu__communication_add_batch(struct quipu__communication *communication,
                                                  const struct quipu_batch *batch) {
    return quipu__communication_add_range(communication, batch, 0, batch->count);
}

/* Call this after the last event: calls end at the last event of their location, and what has no partner is given up. */
void quipu__communication_finish(struct quipu__communication *communication);

/* From the first event of all locations to the last, ns. */
int64_t quipu__communication_run_time(const struct quipu__communication *communication);

/* The region that stands for all of its name and role. */
static inline uint32_t quipu__communication_first_of_name(const struct quipu__communication *communication,
                                                          uint32_t region) {
    return region < communication->first_of_name.count ? communication->first_of_name.items[region] : region;
}

/* Whether a region has been entered by a call. */
static inline bool quipu__communication_has_entered(const struct quipu__communication *communication,
                                                    uint32_t region) {
    return region < communication->uses.count && communication->uses.items[region] != 0;
}

/* The events that it needs. */
#define QUIPU__COMMUNICATION_KINDS                                                                             \
    (QUIPU_KIND_BIT(QUIPU_KIND_enter) | QUIPU_KIND_BIT(QUIPU_KIND_leave) | QUIPU_KIND_BIT(QUIPU_KIND_send) |   \
     QUIPU_KIND_BIT(QUIPU_KIND_send_complete) | QUIPU_KIND_BIT(QUIPU_KIND_recv_post) |                         \
     QUIPU_KIND_BIT(QUIPU_KIND_recv) | QUIPU_KIND_BIT(QUIPU_KIND_probe) | QUIPU_KIND_BIT(QUIPU_KIND_cancel) |  \
     QUIPU_KIND_BIT(QUIPU_KIND_collective_begin) | QUIPU_KIND_BIT(QUIPU_KIND_collective_end))

/* The time of ticks, ns. Differences of two of them need not fit 64 bits: quipu__distance and quipu__bounded_difference. */
static inline int64_t quipu__communication_ns(const struct quipu__communication *communication, int64_t ticks) {
    if (QUIPU__UNLIKELY(ticks > communication->last_exact || ticks < -communication->last_exact))
        return quipu_clock_ns(&communication->definitions->clock, ticks);
    return ticks * communication->ns_per_tick;
}

enum quipu__region_use quipu__region_use_of(const struct quipu_definitions *definitions, uint32_t region);

#endif
