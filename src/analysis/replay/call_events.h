/* call_events.h: the events of an outermost communication call in a replay: those before the first completion keep their distance from its
 * beginning, the others from its end. */
#ifndef QUIPU_ANALYSIS_REPLAY_CALL_EVENTS_H
#define QUIPU_ANALYSIS_REPLAY_CALL_EVENTS_H

#include <quipu/model.h>

struct quipu__call_events {
    uint32_t first, rest;
};

static inline void quipu__call_events_add(struct quipu__call_events *events, uint8_t kind) {
    const bool completes =
        kind == QUIPU_KIND_recv || kind == QUIPU_KIND_send_complete || kind == QUIPU_KIND_collective_end;
    if (events->rest > 0 || completes)
        events->rest++;
    else
        events->first++;
}

#endif
