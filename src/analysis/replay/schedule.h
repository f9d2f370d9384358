/* schedule.h: when things would happen if only some of what they depend on counted: a position in time for each location, which
 * advances through actions in their order.
 *
 * A location may publish its position as a mark, and wait for marks of others. What cannot go on yet is kept, so actions may be added
 * in any order of locations, and what a wait depends on may become known later: a condition is closed when it is.
 *
 * Where locations only wait for each other they act as soon as they can, in whatever order. Where they share a network the order of time
 * matters: then quipu__schedule_run lets that one act that comes first, as long as it is certain that none comes before, which is when all
 * locations that can go on know what they do next.
 *
 * Time may be cut into sections that are replayed each by itself: a location goes on to the next one at position 0, and nothing waits for marks
 * of another section.
 */
#ifndef QUIPU_ANALYSIS_REPLAY_SCHEDULE_H
#define QUIPU_ANALYSIS_REPLAY_SCHEDULE_H

#include "analysis/replay/network.h"
#include "core/bounded.h"
#include "core/memory/vec.h"

#include <quipu/base.h>

enum quipu__schedule_kind {
    QUIPU__SCHEDULE_ADVANCE, /* the position grows by an amount */
    QUIPU__SCHEDULE_PUBLISH, /* it grows, and becomes the time of a mark */
    QUIPU__SCHEDULE_AWAIT,   /* it grows, and becomes that of a condition, if that is later */
    QUIPU__SCHEDULE_SEND,    /* the network takes over a message */
    QUIPU__SCHEDULE_SECTION  /* a section ends */
};

struct quipu__schedule_action {
    int64_t amount;
    int64_t traced;  /* time in the trace: of the last of the events, of the end of a call */
    uint32_t number; /* mark, message, section, or condition: QUIPU_NONE is one that waits for nothing */
    uint32_t next;
    uint32_t events; /* ADVANCE, AWAIT: events that have the position afterwards */
    uint32_t
        first_events; /* AWAIT at the end of a call: its events before the first completion, and the rest in events */
    bool is_edge; /* begins a call, or ends one */
    uint8_t kind; /* enum quipu__schedule_kind */
};

/* A time that others may wait for. It is forgotten when it is published and nothing refers to it. */
struct quipu__schedule_mark {
    int64_t time;
    int64_t traced; /* what it was in the trace */
    uint32_t references, first_waiting;
    uint32_t section;
    bool is_published;
};

/* What happens when nothing is missing of a condition any more. */
enum quipu__schedule_then {
    QUIPU__THEN_GO_ON,   /* a location may that waits here */
    QUIPU__THEN_PUBLISH, /* a mark gets the latest time */
    QUIPU__THEN_ANSWER   /* a message is answered */
};

/* What passes at a location behind its wait. */
enum quipu__schedule_behind {
    QUIPU__BEHIND_NOTHING,
    QUIPU__BEHIND_REST,     /* what passed in the trace after the latest of enter and traced, up to leave */
    QUIPU__BEHIND_TIME,     /* amount ns */
    QUIPU__BEHIND_RECEIVING /* what the network takes to receive amount bytes */
};

/* What a location waits for: the latest of several marks, each with a distance. */
struct quipu__schedule_condition {
    int64_t latest;
    int64_t traced; /* the latest mark in the trace */
    int64_t enter;
    union {
        int64_t leave;   /* BEHIND_REST */
        uint64_t amount; /* BEHIND_TIME, BEHIND_RECEIVING */
    };
    uint32_t missing; /* marks that are not published, and what is not known yet */
    uint32_t unknown; /* of these what is not known yet */
    uint32_t location;
    uint32_t number; /* of the mark that is published then, or of the message */
    uint32_t section;
    uint8_t then;       /* enum quipu__schedule_then */
    uint8_t behind;     /* enum quipu__schedule_behind */
    bool is_waited_for; /* the location stands here */
};

/* A condition that waits for a mark. */
struct quipu__schedule_link {
    int64_t distance;
    uint32_t condition, next;
};

struct quipu__schedule_location {
    int64_t postponed;               /* goes with the next action */
    int64_t position, shift;         /* shift: by how much conditions have moved it */
    int64_t largest;                 /* the largest shift */
    uint64_t moved;                  /* events that were moved */
    int64_t call_began, call_traced; /* the latest mark, here and in the trace */
    uint32_t first, last;            /* actions to come */
    uint32_t section;                /* that the next action is of */
};

struct quipu__schedule_section {
    int64_t longest;  /* of the positions at its end, of the locations that count */
    uint64_t missing; /* locations that have not come to its end */
};

/* Who is told what happens: a mark is published; a location has waited for a condition, and its position became a later one or stayed. The
 * events that precede this at the location have their new times by then. */
struct quipu__schedule_listener {
    void *context;
    void (*published)(void *context, uint32_t mark, uint32_t location, int64_t position);
    void (*waited)(void *context, uint32_t condition, uint32_t location, int64_t before, int64_t position);
};

/* What comes next in the order of time; at the same time earlier kinds, lower locations, lower numbers first. So links are free again before
 * others ask for them. */
enum quipu__schedule_event_kind {
    QUIPU__EVENT_TRANSFERRED, /* item: a message */
    QUIPU__EVENT_LEAVES,      /* its data may leave */
    QUIPU__EVENT_ACTS         /* the location */
};
struct quipu__schedule_event {
    int64_t time;
    uint32_t kind, location, number;
    uint32_t item;
};

/* Who carries messages, where that takes time. */
struct quipu__schedule_carrier {
    void *context;
    /* A location comes to a send; false when it is not known yet how it is sent. */
    bool (*send)(void *context, uint32_t location, uint32_t message);
    void (*answer)(void *context, uint32_t message, int64_t time);
    void (*happens)(void *context, const struct quipu__schedule_event *event);
    /* When a location has received what is there. */
    int64_t (*receive)(void *context, uint32_t location, uint64_t bytes, int64_t time);
};

struct quipu__schedule {
    struct quipu__memory *memory;
    uint64_t violations; /* rests below 0 */
    int64_t distance;    /* from a mark to what waits for it, at least, where nothing else is said */
    const struct quipu__decimal
        *decay;                        /* how much of an advance a location that is late must make; NULL: all */
    struct quipu__time_shifts *shifts; /* gets the new times of events; may be NULL */
    const struct quipu__schedule_listener *listener; /* may be NULL */
    const struct quipu__schedule_carrier
        *carrier; /* NULL: locations share nothing, and act as soon as they can */
    QUIPU__VEC(struct quipu__schedule_location) locations;
    QUIPU__VEC(struct quipu__schedule_action) actions;
    QUIPU__VEC(struct quipu__schedule_mark) marks;
    QUIPU__VEC(struct quipu__schedule_condition) conditions;
    QUIPU__VEC(struct quipu__schedule_link) links;
    QUIPU__VEC(struct quipu__schedule_section) sections; /* none: time is not cut */
    QUIPU__VEC(uint32_t) ready;                          /* locations that may go on */
    QUIPU__VEC(struct quipu__schedule_event) events;     /* with a carrier: a heap */
    uint32_t unused_action, unused_mark, unused_condition, unused_link;
    bool is_ending; /* nothing is added any more */
};

void quipu__schedule_init(struct quipu__schedule *schedule, struct quipu__memory *memory);
void quipu__schedule_release(struct quipu__schedule *schedule);

/* Whatever finds no memory is left out, and the gate knows. */
struct quipu__schedule_location *quipu__schedule_location(struct quipu__schedule *schedule, uint32_t location);

/* A location begins at a time, not at 0. */
void quipu__schedule_start(struct quipu__schedule *schedule, uint32_t location, int64_t time);
void quipu__schedule_advance_slow(struct quipu__schedule *schedule, uint32_t location, int64_t amount,
                                  uint32_t events, int64_t traced);
static inline void quipu__schedule_advance(struct quipu__schedule *schedule, uint32_t location, int64_t amount,
                                           uint32_t events, int64_t traced) {
    const bool may_wait = events == 0 && location < schedule->locations.count && !schedule->carrier &&
                          !schedule->shifts && !schedule->decay;
    if (!may_wait)
        quipu__schedule_advance_slow(schedule, location, amount, events, traced);
    else
        schedule->locations.items[location].postponed =
            quipu__bounded_sum(schedule->locations.items[location].postponed, amount);
}
void quipu__schedule_send(struct quipu__schedule *schedule, uint32_t location, uint32_t message);

/* Sections from 0 on: all locations begin in the first one. False when memory is out. Then a location goes on to a later one, also to that behind the
 * last. */
QUIPU_CHECKED bool quipu__schedule_cut(struct quipu__schedule *schedule, uint32_t sections);
void quipu__schedule_go_to_section(struct quipu__schedule *schedule, uint32_t location, uint32_t section,
                                   bool counts);

/* That of a mark. */
static inline uint32_t quipu__schedule_section_of(const struct quipu__schedule *schedule, uint32_t mark) {
    return schedule->marks.items[mark].section;
}

/* Publishes the position; the mark has one reference, of the caller. QUIPU_NONE when memory is out: then it can be used for
 * nothing, and everything here accepts that. begins_call: a call begins there. */
uint32_t quipu__schedule_publish(struct quipu__schedule *schedule, uint32_t location, int64_t traced,
                                 bool begins_call);
static inline void quipu__schedule_hold(struct quipu__schedule *schedule, uint32_t mark) {
    if (mark != QUIPU_NONE)
        schedule->marks.items[mark].references++;
}
void quipu__schedule_drop(struct quipu__schedule *schedule, uint32_t mark);

/* A mark of the caller, who publishes it with a time of its own. */
uint32_t quipu__schedule_mark(struct quipu__schedule *schedule);
void quipu__schedule_set_mark(struct quipu__schedule *schedule, uint32_t mark, int64_t time);

/* A condition that is still to be closed; then the place in the actions of its location where it is waited for. */
uint32_t quipu__schedule_condition(struct quipu__schedule *schedule, uint32_t location);
void quipu__schedule_await(struct quipu__schedule *schedule, uint32_t condition, uint32_t events,
                           int64_t traced);

/* The same at the end of a call, for QUIPU_NONE without a wait: of its events those before the first completion keep their distance from its
 * beginning, the others from the end. */
void quipu__schedule_end_call(struct quipu__schedule *schedule, uint32_t location, uint32_t condition,
                              uint32_t first_events, uint32_t events, int64_t traced);

/* From the end of the wait on passes what passed in the trace after the call could go on; or some time; or what it takes to receive bytes. */
void quipu__schedule_add_rest(struct quipu__schedule *schedule, uint32_t condition, int64_t enter,
                              int64_t leave);
void quipu__schedule_add_behind(struct quipu__schedule *schedule, uint32_t condition,
                                enum quipu__schedule_behind behind, uint64_t amount);

/* It has to wait for something that is not known yet; that is known now; it waits until a distance after a mark, if that is of its section. Without a
 * distance it does not, but what it was in the trace counts. */
#define QUIPU__NO_DISTANCE INT64_MIN
static inline void quipu__schedule_open(struct quipu__schedule *schedule, uint32_t condition) {
    if (condition == QUIPU_NONE)
        return;
    schedule->conditions.items[condition].missing++;
    schedule->conditions.items[condition].unknown++;
}
void quipu__schedule_close(struct quipu__schedule *schedule, uint32_t condition);
void quipu__schedule_depend(struct quipu__schedule *schedule, uint32_t condition, uint32_t mark,
                            int64_t distance);

/* A condition that is still to be closed, and stands for a mark that is published then: with the latest time of those that it depends on.
 * So many that wait for all of many need no link for each pair. Both are of that section. The mark has one reference, of the caller. */
uint32_t quipu__schedule_join(struct quipu__schedule *schedule, uint32_t section, uint32_t *mark);

/* One that stands for the answer to a message: with the latest time, and that of closing it. Or it is given up. */
uint32_t quipu__schedule_answer(struct quipu__schedule *schedule, uint32_t message);
void quipu__schedule_close_at(struct quipu__schedule *schedule, uint32_t condition, int64_t time);
void quipu__schedule_give_up(struct quipu__schedule *schedule, uint32_t condition);

/* With a carrier: what is to come; does what can be done, at the end everything that does not wait in a circle. */
void quipu__schedule_put_event(struct quipu__schedule *schedule, const struct quipu__schedule_event *event);
void quipu__schedule_run(struct quipu__schedule *schedule, bool is_end);

/* Nothing is added any more: what was to go with the next action is done without. */
void quipu__schedule_flush(struct quipu__schedule *schedule);

/* Whether all actions have been done. */
bool quipu__schedule_is_done(const struct quipu__schedule *schedule);

#endif
