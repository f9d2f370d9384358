/* message_matching.h: which send a receive belongs to, as events come in the order of time.
 *
 * Messages of one key (communicator, sender's process, receiver's process, tag) are received in the order in which they were sent,
 * by receives in the order of their posting. So of each key there is a queue: of sends that have no receive yet, or of receives that
 * have no send yet. A receive takes its place in the order when nothing that was posted before can still come into it:
 * requests of that key or of any, and calls of other threads of its process.
 *
 * A receive that does not name its sender or tag, even when it is done, takes the earliest send that no other receive
 * needs. That is only known at the end; so from then on everything that its process receives waits for it.
 *
 * Memory is needed for what is sent and not received, or posted and not completed, at one time.
 */
#ifndef QUIPU_STATE_MESSAGE_MATCHING_H
#define QUIPU_STATE_MESSAGE_MATCHING_H

#include "core/memory/map.h"
#include "state/communication_call.h"
#include "state/message_key.h"

/* A place in the order of posting. */
struct quipu__posting {
    int64_t time;
    uint32_t location;
    uint64_t position;
};

/* A send or a receive. */
struct quipu__message_end {
    int64_t time; /* ns */
    uint64_t position, bytes;
    int64_t tag;
    uint32_t location, group;
    uint32_t peer; /* process or thread on the other side, QUIPU_NONE when not known */
    uint32_t call;
    uint32_t
        other_call; /* of a send: that of its completion, QUIPU_NONE until known; of a receive: that of its posting */
    uint64_t completion_position;  /* of a send */
    struct quipu__posting posting; /* of a receive */
    uint32_t communicator;         /* as in keys */
    uint32_t queue, next;
    uint32_t partner;         /* of a pair that is matched: its other end */
    uint32_t mark;            /* the listener's */
    uint32_t completion_mark; /* of a send: the listener's */
    bool is_unused;           /* in the list of those that can be used again */
    bool is_send;
    bool has_request;  /* a send that is completed by another event */
    bool is_abandoned; /* a send that is never completed */
    bool is_assumed;   /* a receive whose send was not named */
};

/* A receive that has been posted and not completed. */
struct quipu__receive_post {
    struct quipu__posting posting;
    uint64_t request;
    int64_t tag;
    uint32_t location, call, peer, communicator;
    uint32_t receiver; /* the process, as in keys */
    uint32_t queue;    /* QUIPU_NONE: sender or tag is not known */
    uint32_t previous, next;
};

struct quipu__message_queue {
    uint32_t sender, receiver, communicator; /* processes */
    int64_t tag;
    uint32_t first_send, last_send, sends;
    uint32_t first_receive, last_receive; /* that have their place */
    uint32_t first_waiting;               /* that have not, in order of posting */
    uint32_t first_post, last_post;
    uint32_t next_waiting; /* of the queues of a process in which receives wait */
    uint32_t needed;       /* at the end: receives of this key that are still to come */
    bool is_waiting;
};

struct quipu__receiving_process {
    uint32_t first_post, last_post; /* those of any sender or tag */
    uint32_t first_waiting_queue;
    uint32_t first_deferred; /* receives for the end */
    struct quipu__posting deferred_from;
};

struct quipu__message_counts {
    uint64_t sends, receives, matched, assumed, self, posts;
};

struct quipu__message_matching {
    struct quipu__memory *memory;
    const struct quipu_definitions *definitions;
    const struct quipu__communication_listener *listener;
    struct quipu__communication_calls *calls;

    /* Whether another thread of a process is in a communication call that began before a posting. NULL: there are no threads. */
    bool (*is_earlier_active)(const void *context, uint32_t process, const struct quipu__posting *posting);
    const void *context;

    struct quipu__communicators communicators;
    QUIPU__VEC(struct quipu__message_end) ends;
    QUIPU__VEC(struct quipu__receive_post) posts;
    QUIPU__VEC(struct quipu__message_queue) queues;
    QUIPU__VEC(struct quipu__receiving_process) processes;
    struct quipu__map queue_of, post_of, send_of;
    uint32_t *recent_queues; /* nearly all messages find theirs here; QUIPU_NONE: none */
    uint32_t recent_mask;    /* their number, a power of two, minus 1 */
    uint32_t unused_end, unused_post;
    bool is_ending;
    struct quipu__message_counts counts;
};

void quipu__message_matching_init(struct quipu__message_matching *matching, struct quipu__memory *memory,
                                  const struct quipu_definitions *definitions,
                                  const struct quipu__communication_listener *listener,
                                  struct quipu__communication_calls *calls);
void quipu__message_matching_release(struct quipu__message_matching *matching);

/* What happens at an event: its time in ns, position at its location, the call that it is in, and when that call began. */
struct quipu__event_in_call {
    int64_t time;
    uint64_t position;
    uint32_t process, call;
    struct quipu__posting call_began;
};

/* Takes in a send, send_complete, recv_post, recv or cancel. Whatever finds no memory is left out, and the gate knows. */
void quipu__message_matching_add(struct quipu__message_matching *matching, const struct quipu_batch *batch,
                                 uint32_t event, const struct quipu__event_in_call *where);

/* A thread of a process has left a communication call. */
void quipu__message_matching_retry(struct quipu__message_matching *matching, uint32_t process);

/* Nothing comes any more: matches what waits, and gives up what has no partner. */
void quipu__message_matching_finish(struct quipu__message_matching *matching);

#endif
