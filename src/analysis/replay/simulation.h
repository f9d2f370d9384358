/* simulation.h: a program on a modelled network: locations compute, send, receive and meet in collective operations, in the order of simulated
 * time.
 *
 * Actions are put at the end of each location's program as they are read, and done as soon as it is certain that none comes before: when all
 * locations that can go on know what they do next. Times are ns; a location begins at the time of its first event.
 *
 * loggops: a location has a processor, which its own actions take, and a network interface, which is free again some time after each message.
 * dimemas: a message takes an output link, an input link and a bus while it is transferred; those that find none wait in the order of (time of
 * asking, sender, number).
 * A message that is larger than the eager limit asks first: its data leave when the answer is there, which is given without a processor, when the
 * receive is posted.
 */
#ifndef QUIPU_ANALYSIS_REPLAY_SIMULATION_H
#define QUIPU_ANALYSIS_REPLAY_SIMULATION_H

#include "analysis/shared/hosts.h"
#include "analysis/replay/network.h"
#include "core/memory/vec.h"
#include "state/collective_matching.h"

enum quipu__simulated_kind {
    QUIPU__SIMULATED_BURST,
    QUIPU__SIMULATED_CALL, /* number: the mark that gets the time */
    QUIPU__SIMULATED_LEAVE,
    QUIPU__SIMULATED_SEND,      /* number: message */
    QUIPU__SIMULATED_SEND_WAIT, /* until a message has left */
    QUIPU__SIMULATED_RECEIVE,   /* number: receive */
    QUIPU__SIMULATED_MEET,      /* number: side of a collective operation that begins */
    QUIPU__SIMULATED_PART       /* that ends */
};

/* What a location does next. */
struct quipu__simulated_action {
    int64_t amount; /* of a burst, ns */
    int64_t traced; /* time in the trace: of a call's beginning or end, or of the last event of a burst */
    uint32_t number, next;
    uint32_t events,
        first_events; /* that have their times from it; of a call's end: and those before its first completion */
    enum quipu__simulated_kind kind;
};

/* A time that messages wait for: when a call began that posts receives. */
struct quipu__simulated_mark {
    int64_t time;
    uint32_t references, first_message;
    bool is_known;
};

struct quipu__simulated_message {
    uint64_t bytes;
    int64_t asked;         /* when its request has arrived, or when it asks for a transfer */
    int64_t arrival, left; /* of its data; once has_arrived */
    uint32_t sender, receiver, number;
    uint32_t post, next_posted; /* the mark of its receive */
    uint32_t waiting_sender, waiting_receiver;
    uint32_t next_waiting; /* for links */
    bool is_blocking, asks_first;
    bool is_matched, has_asked, is_in_transit, has_arrived;
    bool is_sent, is_received; /* its ends need it no longer */
    bool has_links;            /* it is transferred between nodes */
};

struct quipu__simulated_receive {
    uint32_t message, next_unused; /* QUIPU_NONE: none */
    bool is_known;
};

/* A side of a collective operation, and those of one operation. */
struct quipu__simulated_side {
    int64_t time;
    uint32_t operation, position; /* QUIPU_NONE until all have been read; number among the sides */
    uint32_t location, next_waiting;
    bool has_started;
};
struct quipu__simulated_operation {
    uint32_t *sides;
    uint32_t room, count, members, started, root, first_waiting;
    uint32_t prefix;    /* sides from the first on that have begun */
    uint32_t acts_left; /* beginnings and ends to come */
    int64_t latest, cost;
    enum quipu__collective_flow flow;
};

struct quipu__simulated_location {
    int64_t now, out_free, in_free; /* its network interface */
    int64_t call_began, call_traced;
    uint32_t first, last; /* actions */
    uint32_t node, sends;
    bool has_started, is_blocked;
};

struct quipu__simulated_node {
    uint32_t out, in; /* links in use */
};

/* What comes next in simulated time. */
struct quipu__simulated_event {
    int64_t time;
    uint32_t kind, who, number;
    uint32_t item;
};

struct quipu__simulation {
    struct quipu__memory *memory;
    const struct quipu_definitions *definitions;
    const struct quipu__network *network;
    struct quipu__hosts hosts;
    struct quipu__time_shifts *shifts; /* gets the new times of events; may be NULL */
    uint64_t eager, rendezvous;        /* messages */
    QUIPU__VEC(struct quipu__simulated_location) locations;
    QUIPU__VEC(struct quipu__simulated_action) actions;
    QUIPU__VEC(struct quipu__simulated_mark) marks;
    QUIPU__VEC(struct quipu__simulated_message) messages;
    QUIPU__VEC(struct quipu__simulated_receive) receives;
    QUIPU__VEC(struct quipu__simulated_side) sides;
    QUIPU__VEC(struct quipu__simulated_operation) operations;
    QUIPU__VEC(struct quipu__simulated_node) nodes;
    QUIPU__VEC(struct quipu__simulated_event) events; /* a heap */
    uint32_t unused_action, unused_mark, unused_message, unused_receive, unused_side, unused_operation;
    uint32_t first_waiting, last_waiting, buses; /* messages that wait for links; buses in use */
    bool is_ending;
};

void quipu__simulation_init(struct quipu__simulation *simulation, struct quipu__memory *memory,
                            const struct quipu_definitions *definitions, const struct quipu__network *network);
void quipu__simulation_release(struct quipu__simulation *simulation);

/* Whatever finds no memory is left out, and the gate knows; numbers are QUIPU_NONE then, and everything here accepts that. */
void quipu__simulation_begin_location(struct quipu__simulation *simulation, uint32_t location, int64_t time);
void quipu__simulation_burst(struct quipu__simulation *simulation, uint32_t location, int64_t amount);

/* So many events of the location have the time that it is at now; the last one had a time in the trace. */
void quipu__simulation_events(struct quipu__simulation *simulation, uint32_t location, uint32_t count,
                              int64_t traced);

/* A call begins; its mark has one reference, of the caller. It ends: of its events those up to the first completion keep their distance
 * from the beginning, the others that from the end. */
uint32_t quipu__simulation_call(struct quipu__simulation *simulation, uint32_t location, int64_t traced);
void quipu__simulation_leave(struct quipu__simulation *simulation, uint32_t location, int64_t traced,
                             uint32_t first_events, uint32_t events);
void quipu__simulation_hold(struct quipu__simulation *simulation, uint32_t mark);
void quipu__simulation_drop(struct quipu__simulation *simulation, uint32_t mark);

/* Messages: their numbers. A receive gets its message, and the mark of the call that posted it, when it is matched; NONE: it has none. */
uint32_t quipu__simulation_send(struct quipu__simulation *simulation, const struct quipu__message_end *send);
void quipu__simulation_send_wait(struct quipu__simulation *simulation, uint32_t location, uint32_t message);
uint32_t quipu__simulation_receive(struct quipu__simulation *simulation, uint32_t location);
void quipu__simulation_match(struct quipu__simulation *simulation, uint32_t receive, uint32_t message,
                             uint32_t post);

/* Collective operations: sides begin and end; then all of an operation are known, by the marks of its sides. */
uint32_t quipu__simulation_meet(struct quipu__simulation *simulation, uint32_t location);
void quipu__simulation_part(struct quipu__simulation *simulation, uint32_t location, uint32_t side);
void quipu__simulation_operation(struct quipu__simulation *simulation,
                                 const struct quipu__collective *collective);

/* Does what can be done; at the end, when nothing comes any more, everything that does not wait in a circle. */
void quipu__simulation_run(struct quipu__simulation *simulation, bool is_end);
bool quipu__simulation_is_done(const struct quipu__simulation *simulation);

#endif
