/* simulated_replay.h: a program as a simulation gets it: bursts outside of communication calls, and what happens in those. */
#ifndef QUIPU_ANALYSIS_REPLAY_SIMULATED_REPLAY_H
#define QUIPU_ANALYSIS_REPLAY_SIMULATED_REPLAY_H

#include "analysis/replay/bursts.h"
#include "analysis/replay/call_events.h"
#include "analysis/replay/simulation.h"
#include "model/time_shifts.h"

/* The outermost communication call that a location is in. */
struct quipu__simulated_call {
    uint32_t mark; /* QUIPU_NONE: in none */
    struct quipu__call_events events;
    bool has_started; /* the location has events */
};

struct quipu__simulated_replay {
    struct quipu__memory memory;
    const struct quipu_definitions *definitions;
    struct quipu__network network;
    struct quipu__bursts bursts;
    struct quipu__communication communication;
    struct quipu__simulation simulation;
    struct quipu__time_shifts shifts;
    QUIPU__VEC(struct quipu__simulated_call) calls; /* by location */
    bool is_event;                                  /* an event is taken in, not the end of the trace */
};

/* The functions of a fold. */
enum quipu_status quipu__simulated_replay_begin(const struct quipu__fold_start *start,
                                                const struct quipu__network *network,
                                                struct quipu__simulated_replay **out, struct quipu_error *err);
enum quipu_status quipu__simulated_replay_consume(struct quipu__simulated_replay *replay,
                                                  const struct quipu_batch *batch, struct quipu_error *err);
void quipu__simulated_replay_release(struct quipu__simulated_replay *replay);

/* Ends the communication and the simulation. False when locations wait for each other in a circle; else *out is the run time. */
bool quipu__simulated_replay_finish(struct quipu__simulated_replay *replay, int64_t *out);

#endif
