/* collective_matching.h: which collective operation a location participates in, as events come in time order.
 *
 * The n-th beginning on a communicator at each of its ends (ends.h) belongs to its n-th operation; times do not matter.
 *
 * Memory is needed for the operations that have begun and not ended everywhere.
 */
#ifndef QUIPU_STATE_COLLECTIVE_MATCHING_H
#define QUIPU_STATE_COLLECTIVE_MATCHING_H

#include "state/matcher.h"

/* What one member does in a collective operation. */
struct quipu__collective_side {
    int64_t begin, end; /* ns */
    int64_t
        entered; /* when waiting began: begin, or the enter of the call in which a non-blocking operation ends */
    uint64_t matching;     /* ties begin and end together */
    uint64_t end_position; /* among the events of the location */
    uint64_t sent, received;
    uint32_t location, begin_call, end_call;
    uint32_t operation;
    uint32_t region;         /* region that names the operation */
    uint32_t participant;    /* its number in the communicator: those of members come first */
    uint32_t mark, end_mark; /* the listener's */
    uint32_t begin_wait, end_rest;
    bool is_free; /* the same: no other side holds it up */
    bool has_ended;
    bool contributes, depends; /* when everything is known: others wait for it; it waits for such others */
};

/* Who waits for whom in an operation. */
enum quipu__collective_flow {
#define COLLECTIVE_FLOW(name, contributors, dependents, by_bytes, by_proof) QUIPU__FLOW_##name,
#include "state/collective_flows.def"
};

/* An instance of a collective operation. */
struct quipu__collective {
    uint32_t group, number; /* the number-th of its communicator, from 0 */
    uint32_t operation;
    uint32_t
        root; /* the root's index among the sides, QUIPU_NONE when it did not participate; before everything is known, its participant */
    uint32_t root_by; /* the lowest participant that has named a root */
    struct quipu__collective_side *
        sides; /* sides that have begun, in order of arrival; when everything is known, members in their order, then others */
    uint32_t side_count, room;
    uint32_t members;      /* sides of members, when everything is known */
    uint32_t member_count; /* of the communicator */
    uint32_t ended, members_ended;
    enum quipu__collective_flow
        flow; /* when everything is known: NONE if it is mixed, of an inter-communicator, or lacks proof */
    bool is_proven;    /* the flow had to be proved by times, so times tell nothing more */
    bool is_inter;     /* of an inter-communicator */
    bool is_mixed;     /* of different operations */
    bool is_complete;  /* all members, and no others, have ended it */
    bool is_evaluated; /* complete, not mixed, and not of an inter-communicator */
};

/* A location's participant in the communicator that it used last. */
struct quipu__latest_side {
    uint32_t group, participant;
    bool is_known;
};

/* What is known of a communicator. */
struct quipu__collective_group {
    uint32_t group, member_count, participants;
    uint32_t *counts; /* how many operations each participant has started */
    uint32_t count_room;
    bool is_inter;
    struct quipu__collective **active; /* instances from first on, NULL where all have ended */
    uint32_t first, active_count, active_room;
    struct quipu__collective *spare; /* an ended instance, for reuse */
};

struct quipu__collective_counts {
    uint64_t collectives, complete, incomplete, mixed;
};

struct quipu__collective_matching {
    struct quipu__memory *memory;
    struct quipu__ends *locations; /* what locations stand for */
    const struct quipu__communication_listener *listener;
    struct quipu__communication_calls *calls;
    QUIPU__VEC(struct quipu__collective_group) groups;
    struct quipu__map group_of, participant_of;
    uint32_t latest_group;                              /* index in groups of the one used last */
    QUIPU__VEC(struct quipu__open_collective) open;     /* sides that have begun and not ended */
    QUIPU__VEC(struct quipu__latest_side) latest_sides; /* by location */
    QUIPU__VEC(uint32_t) latest_open; /* by location: index of the latest open side plus 1, 0: none */
    uint32_t unused_open;
    QUIPU__VEC(uint8_t) regions; /* what their names say about the flow */
    struct quipu__collective_counts counts;
};

/* A side that has started. */
struct quipu__open_collective {
    struct quipu__collective *collective;
    uint32_t side, group;
    uint32_t older; /* index of the next older one at its location, plus 1 */
};

void quipu__collective_matching_init(struct quipu__collective_matching *matching, struct quipu__memory *memory,
                                     struct quipu__ends *locations,
                                     const struct quipu__communication_listener *listener,
                                     struct quipu__communication_calls *calls);
void quipu__collective_matching_release(struct quipu__collective_matching *matching);

/* Adds a collective_begin or collective_end. When memory is out it is left out, and the gate remembers. */
void quipu__collective_matching_add(struct quipu__collective_matching *matching,
                                    const struct quipu_batch *batch, uint32_t event,
                                    const struct quipu__event_in_call *where);

/* Everything is known about an instance, and its sides are in order: determines the flow, and what each side does in it (collective_flow.c). */
void quipu__collective_find_flow(struct quipu__collective_matching *matching,
                                 struct quipu__collective *collective);

/* Reports each side that depends on others, with the contributing side that begins last among them, of equals the lowest location. Returns the
 * last one of all; QUIPU_NONE when none contributes. In a scan sides depend on those before them. */
uint32_t quipu__collective_each_wait(const struct quipu__collective *collective,
                                     void (*tell)(void *context, const struct quipu__collective *collective,
                                                  uint32_t side, uint32_t last),
                                     void *context);

/* Call this after the last event: what is active is incomplete. */
void quipu__collective_matching_finish(struct quipu__collective_matching *matching);

#endif
