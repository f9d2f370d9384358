/* slices.h: what is active besides calls, as slices on tracks of their own, for targets that draw. The tracker of the state floor
 * says when an interval begins and ends; here each gets a track of its location and class where no other one is active, so that
 * slices of a track never overlap. Channels have a track each.
 */
#ifndef QUIPU_FORMATS_SLICES_H
#define QUIPU_FORMATS_SLICES_H

#include "core/memory/buffer.h"
#include "core/memory/map.h"
#include "core/memory/vec.h"
#include "state/events.h"

/* Numbers of tracks count from 0, in the order in which they are first needed. */
struct quipu__slice_track {
    uint32_t location;
    uint32_t channel; /* QUIPU_NONE for other classes */
    enum quipu__interval_class interval_class;
    uint32_t next_free; /* of its group, while no slice is active */
};

/* A slice that begins or ends. */
struct quipu__drawn_slice {
    uint32_t track;
    const char *name;
    bool has_own_end; /* at its end: the event ends it, and does not only take its place */
};

struct quipu__slices {
    struct quipu__memory *memory;
    struct quipu__tracker tracker;
    struct quipu__map free_of; /* location and class or channel: a free track, plus 1; 0 for none */
    QUIPU__VEC(struct quipu__slice_track) tracks;
    struct quipu__buffer name;
    const struct quipu_definitions *definitions;
    bool is_started, failed;
    bool has_drawn;       /* the event that was added last */
    enum quipu_kind kind; /* of that event */

    /* Whoever draws: is told of each slice, the tracks of which are known by then. */
    void (*begin)(void *context, const struct quipu__drawn_slice *slice);
    void (*end)(void *context, const struct quipu__drawn_slice *slice);
    void *context;
};

void quipu__slices_init(struct quipu__slices *slices, struct quipu__memory *memory);
void quipu__slices_release(struct quipu__slices *slices);

/* Draws what an event begins and ends; stream as in quipu__tracker_add_event. Returns whether it did. False in failed when memory is
 * out. */
bool quipu__slices_add(struct quipu__slices *slices, const struct quipu_definitions *definitions,
                       const struct quipu_batch *batch, uint32_t event, uint32_t stream);

/* The region of the innermost call at a location, which a leave without a region leaves; QUIPU_NONE when there is none. */
uint32_t quipu__slices_innermost(const struct quipu__slices *slices, uint32_t location);

/* What a track is called: its channel, or the class of its intervals. */
const char *quipu__slice_track_name(const struct quipu__slices *slices, uint32_t track);

#endif
