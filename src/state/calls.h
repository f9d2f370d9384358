/* calls.h: a fast path for calls, which are most of what happens. */
#ifndef QUIPU_STATE_CALLS_H
#define QUIPU_STATE_CALLS_H

#include "state/events.h"
#include "state/slots.h"

/* A region as a word of a key. */
static inline uint64_t quipu__region_word(uint32_t region) {
    return region == QUIPU_NONE ? QUIPU_UNKNOWN : region;
}

/* Adds an enter at a location state to a tracker of calls. False when memory is out. */
static inline bool quipu__tracker_enter(struct quipu__tracker *tracker, const struct quipu_batch *batch,
                                        uint32_t event, uint32_t state) {
    const uint32_t number = quipu__slot_take(tracker);
    if (QUIPU__UNLIKELY(number == QUIPU_NONE))
        return false;
    struct quipu__interval *interval = quipu__interval_at(tracker, number);
    *interval = (struct quipu__interval){.time = batch->time[event],
                                         .key = {0, quipu__region_word(batch->object[event]), 0},
                                         .state = state,
                                         .kind = QUIPU_KIND_enter,
                                         .list = QUIPU__INTERVAL_call};
    if (tracker->options.payload_room) {
        struct quipu__event_columns *columns = (struct quipu__event_columns *)(interval + 1);
        interval->payload_bytes = sizeof *columns;
        *columns = quipu__unknown_columns;
        columns->object = batch->object[event];
    }
    quipu__slot_link(tracker, number);
    return true;
}

/* Adds a leave of the innermost call, or one without region; false, and nothing happens, for other leaves. */
static inline bool quipu__tracker_leave(struct quipu__tracker *tracker, uint32_t region, uint32_t state) {
    const uint32_t number = quipu__active_at(tracker, state, QUIPU__INTERVAL_call).newest;
    if (QUIPU__UNLIKELY(number == QUIPU_NONE) ||
        QUIPU__UNLIKELY(region != QUIPU_NONE &&
                        quipu__region_word(region) != quipu__interval_at(tracker, number)->key[1]))
        return false;
    if (QUIPU__UNLIKELY(tracker->options.ended != NULL))
        tracker->options.ended(tracker->options.context, quipu__interval_at(tracker, number));
    quipu__slot_unlink(tracker, number);
    return true;
}

#endif
