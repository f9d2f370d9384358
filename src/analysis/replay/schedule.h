/* schedule.h: when things would happen if only some of what they depend on counted: a position in time for each location, which
 * advances through actions in their order.
 *
 * A location may publish its position as a mark, and wait for marks of others. What cannot go on yet is kept, so actions may be added
 * in any order of locations, and what a wait depends on may become known later: a condition is closed when it is.
 */
#ifndef QUIPU_ANALYSIS_REPLAY_SCHEDULE_H
#define QUIPU_ANALYSIS_REPLAY_SCHEDULE_H

#include "analysis/replay/network.h"
#include "core/memory/vec.h"

#include <quipu/base.h>

enum quipu__schedule_kind {
    QUIPU__SCHEDULE_ADVANCE, /* the position grows by an amount */
    QUIPU__SCHEDULE_PUBLISH, /* the position becomes the time of a mark */
    QUIPU__SCHEDULE_AWAIT    /* the position becomes that of a condition, if that is later */
};

struct quipu__schedule_action {
    int64_t amount;
    int64_t traced;  /* time in the trace: of the last of the events, of the end of a call */
    uint32_t number; /* mark or condition */
    uint32_t next;
    uint32_t events; /* ADVANCE, AWAIT: events that have the position afterwards */
    uint32_t
        first_events; /* AWAIT at the end of a call: its events before the first completion, and the rest in events */
    bool ends_call;
    uint8_t kind; /* enum quipu__schedule_kind */
};

/* A time that others may wait for. It is forgotten when it is published and nothing refers to it. */
struct quipu__schedule_mark {
    int64_t time;
    int64_t traced; /* what it was in the trace */
    uint32_t references, first_waiting;
    bool is_published;
};

/* What a location waits for: the latest of several marks, each with a distance. */
struct quipu__schedule_condition {
    int64_t latest;
    int64_t enter,
        leave; /* in the trace; with has_rest, what passed after the latest of enter and traced comes behind the wait */
    int64_t traced; /* the latest mark in the trace */
    bool has_rest;
    uint32_t missing; /* marks that are not published, and what is not known yet */
    uint32_t location;
    uint32_t joined; /* a mark that is published when nothing is missing; QUIPU_NONE: a location waits here */
    bool is_waited_for; /* the location stands here */
};

/* A condition that waits for a mark. */
struct quipu__schedule_link {
    int64_t distance;
    uint32_t condition, next;
};

struct quipu__schedule_location {
    int64_t position, shift;         /* shift: by how much conditions have moved it */
    int64_t largest;                 /* the largest shift */
    uint64_t moved;                  /* events that were moved */
    int64_t call_began, call_traced; /* the latest mark, here and in the trace */
    uint32_t first, last;            /* actions to come */
};

/* Who is told what happens: a mark is published; a location has waited for a condition, and its position became a later one or stayed. The
 * events that precede this at the location have their new times by then. */
struct quipu__schedule_listener {
    void *context;
    void (*published)(void *context, uint32_t mark, uint32_t location, int64_t position);
    void (*waited)(void *context, uint32_t condition, uint32_t location, int64_t before, int64_t position);
};

struct quipu__schedule {
    struct quipu__memory *memory;
    uint64_t violations; /* rests below 0 */
    int64_t distance;    /* from a mark to what waits for it, at least */
    const struct quipu__decimal
        *decay;                        /* how much of an advance a location that is late must make; NULL: all */
    struct quipu__time_shifts *shifts; /* gets the new times of events; may be NULL */
    const struct quipu__schedule_listener *listener; /* may be NULL */
    QUIPU__VEC(struct quipu__schedule_location) locations;
    QUIPU__VEC(struct quipu__schedule_action) actions;
    QUIPU__VEC(struct quipu__schedule_mark) marks;
    QUIPU__VEC(struct quipu__schedule_condition) conditions;
    QUIPU__VEC(struct quipu__schedule_link) links;
    QUIPU__VEC(uint32_t) ready; /* locations that may go on */
    uint32_t unused_action, unused_mark, unused_condition, unused_link;
};

void quipu__schedule_init(struct quipu__schedule *schedule, struct quipu__memory *memory);
void quipu__schedule_release(struct quipu__schedule *schedule);

/* Whatever finds no memory is left out, and the gate knows. */
struct quipu__schedule_location *quipu__schedule_location(struct quipu__schedule *schedule, uint32_t location);
void quipu__schedule_advance(struct quipu__schedule *schedule, uint32_t location, int64_t amount,
                             uint32_t events, int64_t traced);

/* Publishes the position; the mark has one reference, of the caller. QUIPU_NONE when memory is out: then it can be used for
 * nothing, and everything here accepts that. */
uint32_t quipu__schedule_publish(struct quipu__schedule *schedule, uint32_t location, int64_t traced);
void quipu__schedule_hold(struct quipu__schedule *schedule, uint32_t mark);
void quipu__schedule_drop(struct quipu__schedule *schedule, uint32_t mark);

/* A condition that is still to be closed; then the place in the actions of its location where it is waited for. */
uint32_t quipu__schedule_condition(struct quipu__schedule *schedule, uint32_t location);
void quipu__schedule_await(struct quipu__schedule *schedule, uint32_t condition, uint32_t events,
                           int64_t traced);

/* The same at the end of a call: of its events those before the first completion keep their distance from its beginning, the others from
 * the end. */
void quipu__schedule_end_call(struct quipu__schedule *schedule, uint32_t condition, uint32_t first_events,
                              uint32_t events, int64_t traced);

/* From the end of the wait on passes what passed in the trace after the call could go on. */
void quipu__schedule_add_rest(struct quipu__schedule *schedule, uint32_t condition, int64_t enter,
                              int64_t leave);

/* It has to wait for something that is not known yet; that is known now; it waits until a distance after a mark. */
void quipu__schedule_open(struct quipu__schedule *schedule, uint32_t condition);
void quipu__schedule_close(struct quipu__schedule *schedule, uint32_t condition);
void quipu__schedule_depend(struct quipu__schedule *schedule, uint32_t condition, uint32_t mark,
                            int64_t distance);

/* A condition that is still to be closed, and stands for a mark that is published then: with the latest time of those that it depends on.
 * So many that wait for all of many need no link for each pair. The mark has one reference, of the caller. */
uint32_t quipu__schedule_join(struct quipu__schedule *schedule, uint32_t *mark);

/* Whether all actions have been done. */
bool quipu__schedule_is_done(const struct quipu__schedule *schedule);

#endif
