/* messages.h: messages on a modelled network, from the send to the receive: which of them ask first, and who waits for what. What this takes a
 * model of a network says (network.h).
 *
 * A message that is larger than the eager limit asks first: its data leave when the answer is there, which is given without a processor, when the
 * receive is posted. Without a receive nothing answers: then it leaves as a small one does.
 */
#ifndef QUIPU_ANALYSIS_REPLAY_MESSAGES_H
#define QUIPU_ANALYSIS_REPLAY_MESSAGES_H

#include "analysis/replay/network.h"
#include "analysis/replay/schedule.h"
#include "analysis/shared/hosts.h"
#include "state/matcher.h"

struct quipu__message {
    uint64_t bytes;
    uint32_t sender, receiver;
    uint32_t number;        /* among those of its sender */
    uint32_t arrival, left; /* marks of the schedule: it has arrived, has left; left: of those that ask first */
    uint32_t answer;        /* a condition of the schedule; QUIPU_NONE: it does not ask */
    uint32_t next_waiting;  /* for links */
    uint8_t references;     /* it has not arrived, its receive is not known, its completion neither */
    bool is_matched;
    bool has_links; /* it is transferred between nodes */
};

/* What a location has of the network. */
struct quipu__interface {
    int64_t out_free, in_free; /* loggops: when it can send and receive again */
    uint32_t node;             /* dimemas; QUIPU_NONE: not known yet */
    uint32_t sends;
};

struct quipu__node {
    uint32_t out, in; /* links in use */
};

struct quipu__messages {
    struct quipu__memory *memory;
    const struct quipu_definitions *definitions;
    const struct quipu__network *network;
    struct quipu__schedule *schedule;
    struct quipu__schedule_carrier carrier;
    struct quipu__hosts hosts;
    uint64_t eager, rendezvous;
    QUIPU__VEC(struct quipu__message) list;
    QUIPU__VEC(struct quipu__interface) interfaces; /* by location */
    QUIPU__VEC(struct quipu__node) nodes;
    uint32_t unused;
    uint32_t first_waiting, last_waiting, buses; /* dimemas: messages that wait for links; buses in use */
};

/* Carries the messages of a schedule. Release in any case. */
void quipu__messages_init(struct quipu__messages *messages, struct quipu__memory *memory,
                          const struct quipu_definitions *definitions, const struct quipu__network *network,
                          struct quipu__schedule *schedule);
void quipu__messages_release(struct quipu__messages *messages);

/* A location comes to a send: the number of its message, QUIPU_NONE when memory is out, which everything here accepts. */
uint32_t quipu__messages_send(struct quipu__messages *messages, const struct quipu__message_end *send);

/* The send does not block, and its location comes to where it must have left. */
void quipu__messages_complete(struct quipu__messages *messages, uint32_t location, uint32_t message);

/* Its receive is known: a condition of the schedule, and the mark of the call that has posted it, QUIPU_NONE: none. Or it has none. */
void quipu__messages_match(struct quipu__messages *messages, uint32_t message, uint32_t condition,
                           uint32_t post);
void quipu__messages_give_up(struct quipu__messages *messages, uint32_t message);

/* ---- For models ---- */

/* NULL when memory is out. */
struct quipu__interface *quipu__interface_of(struct quipu__messages *messages, uint32_t location);

/* It arrives and has left, at times that are to come. */
void quipu__message_arrives(struct quipu__messages *messages, uint32_t message, int64_t arrival, int64_t left);

/* Something happens to it. */
void quipu__message_event(struct quipu__messages *messages, uint32_t message,
                          enum quipu__schedule_event_kind kind, int64_t time);

#endif
