/* matcher.h: which sends and receives belong together.
 *
 * Messages of one key (communicator, sender's end, receiver's end, tag) are received in the order in which they were sent, by receives in the
 * order of posting. A send knows its own location and names the receiver, a receive knows its own and names the sender; both make the same key
 * (ends.h).
 *
 * A matcher counts what is sent and received under each key. Checks and snapshots need no more, in whatever order locations are read. A
 * matcher can also
 *
 * - keep the last sends of each key, to know when those in flight were sent and how long they are (matcher.c),
 * - give numbers that a send and its receive share (matcher_pairs.c),
 * - or report the pairs themselves, when events come in time order (matcher_pairs.c).
 *
 * A receive that does not name its sender or tag, even when it is complete, takes the earliest send that no other receive needs. So it is
 * matched after everything else.
 *
 * A post that names neither a communicator nor a key says only with its request which receive it becomes. So until then whatever is received
 * at its location, or at others that may stand for the same end, waits in line, in the order of posting; but QUIPU__IN_LINE_MOST receives do
 * not wait for one that never completes: they overtake it. If it completes after all, and a receive of its key that was posted later has its
 * place already, then its send is assumed.
 */
#ifndef QUIPU_STATE_MATCHER_H
#define QUIPU_STATE_MATCHER_H

#include "core/memory/buffer.h"
#include "core/memory/map.h"
#include "core/slice.h"
#include "state/communication_call.h"
#include "state/ends.h"

/* ---- Keys ---- */

struct quipu__message_key {
    uint32_t sender, receiver, communicator; /* QUIPU_NONE: not known */
    int64_t tag;                             /* -1: not known */
};

/* ---- What is known of a key ---- */

/* The messages of a key. */
struct quipu__message_count {
    struct quipu__message_key key;
    uint64_t sent, received;
};

enum { QUIPU__SENDS_REMEMBERED = 8 };

struct quipu__sent {
    int64_t time;
    uint64_t bytes; /* QUIPU_UNKNOWN when not known */
};

/* The last sends of a key, ascending by time. */
struct quipu__sends {
    uint64_t bytes; /* of each send of the key; QUIPU_UNKNOWN when they differ or are not known */
    uint32_t count;
    struct quipu__sent items[QUIPU__SENDS_REMEMBERED];
};

/* A position in the order of posting. */
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
    uint32_t
        peer; /* of a send: process or thread on the other side; of a receive: the sender's end; QUIPU_NONE if not known */
    uint32_t call;
    uint32_t other_call; /* of a send: that of its completion, once known; of a receive: that of its posting */
    uint64_t completion_position;  /* of a send */
    struct quipu__posting posting; /* of a receive */
    uint32_t communicator;         /* as in keys */
    uint32_t key_number, next;
    uint32_t partner;         /* of a matched pair: the other end */
    uint32_t mark;            /* the listener's */
    uint32_t wait_mark;       /* of a receive: what wait states keep beside it */
    uint32_t completion_mark; /* of a send: the listener's */
    bool is_unused;           /* in the list of ends for reuse */
    bool is_send;
    bool has_request;  /* a send that is completed by another event */
    bool is_complete;  /* a completed send */
    bool is_abandoned; /* a send that is never completed */
    bool is_assumed;   /* a receive whose send was not named, or whose place was taken by later ones */
    bool is_probe;     /* a receive that leaves its send to the next one */
};

/* A receive that has been posted and not completed; or, in a line, one that is complete and waits for those before it. */
struct quipu__receive_post {
    struct quipu__posting posting;
    uint64_t request;
    struct quipu__message_key key;
    uint32_t call;
    uint32_t key_number; /* QUIPU_NONE: sender or tag is not known */
    uint32_t end;        /* in whose lists it is when there is no key */
    uint32_t receive;    /* in a line: the receive that waits; QUIPU_NONE: it is not complete */
    uint32_t previous, next;
    uint64_t position; /* for numbers: among the receives of its key */
    bool is_in_line;   /* it names neither a communicator nor a key */
    bool is_overtaken; /* it is in no list any more */
};

/* Sends or receives of a key that wait for their other end. */
struct quipu__message_queue {
    uint32_t first_send, last_send, sends;
    uint32_t first_receive, last_receive; /* receives that have their place */
    uint32_t first_waiting;               /* receives without a place, in the order of posting */
    uint32_t first_post, last_post;
    uint32_t next_waiting; /* of the queues of an end in which receives wait */
    uint32_t needed;       /* at the end: remaining receives of this key */
    bool is_waiting;
};

/* An end that receives messages of several keys. */
struct quipu__receiving_end {
    uint32_t first_post, last_post;       /* those of any sender or tag */
    uint32_t first_in_line, last_in_line; /* of an outermost one: its line, in the order of posting */
    uint32_t complete_in_line;            /* complete ones among them; the first is none of these */
    uint32_t first_waiting_queue;
    uint32_t first_deferred, deferred; /* receives deferred to the end, and how many */
    struct quipu__posting deferred_from;
};

struct quipu__message_counts {
    uint64_t sends, receives, matched, assumed, self, posts;
};

struct quipu__matcher {
    struct quipu__memory *memory;
    struct quipu__ends locations; /* what they stand for */

    QUIPU__VEC(struct quipu__message_count) keys;
    QUIPU__VEC(struct quipu__sends) sends; /* of the keys, to know what is in flight */
    struct quipu__map number_of_key;
    uint32_t *recent_keys; /* nearly all messages find theirs here; QUIPU_NONE: none */
    uint32_t recent_mask;  /* their number, a power of two, minus 1 */
    uint32_t keys_most;
    bool is_full;      /* a key was left out, or memory is out */
    bool is_stuck;     /* giving up keys no longer makes room */
    uint64_t left_out; /* sent minus received of keys for which there was no room; wraps below 0 */

    /* For reporting pairs. */
    const struct quipu__communication_listener *listener;
    struct quipu__communication_calls *calls;
    /* Whether another location of an end may be in a communication call that began before a posting. NULL: there are no threads. */
    bool (*is_earlier_active)(const void *context, const struct quipu__posting *posting);
    const void *context;
    QUIPU__VEC(struct quipu__message_end)
    ends; /* waiting sends and receives, and those of incomplete pairs */
    QUIPU__VEC(struct quipu__receive_post) posts;
    QUIPU__VEC(struct quipu__message_queue) queues; /* of the keys */
    QUIPU__VEC(struct quipu__receiving_end) receiving;
    struct quipu__map post_of, send_of;
    uint32_t unused_end, unused_post;
    size_t in_line; /* posts of lines, also overtaken ones, and receives that wait in them */
    bool is_ending;
    bool has_overtaken; /* posts have lost their places; from then on, as long as there are lines: */
    QUIPU__VEC(int64_t)
    latest_postings; /* by key: the latest time of posting of receives that have their places */
    struct quipu__message_counts counts;
};

enum { QUIPU__MESSAGE_KEYS_MOST = 1 << 19, QUIPU__IN_LINE_MOST = 1 << 12 };

/* The definitions may also be set later, before the first event. */
void quipu__matcher_init(struct quipu__matcher *matcher, struct quipu__memory *memory,
                         const struct quipu_definitions *definitions);
void quipu__matcher_release(struct quipu__matcher *matcher);

/* The key of a send, receive or recv_post of a batch. False when memory is out. */
QUIPU_CHECKED bool quipu__matcher_key_of(struct quipu__matcher *matcher, const struct quipu_batch *batch,
                                         uint32_t event, struct quipu__message_key *out);

/* ---- Counting ---- */

/* Counts a send or receive of a batch; is_full says that there was no room for one. */
void quipu__matcher_count(struct quipu__matcher *matcher, const struct quipu_batch *batch, uint32_t event);

/* The same, and remembers the last sends. Keys with nothing in flight are given up when room is needed. */
QUIPU_CHECKED bool quipu__matcher_add_event(struct quipu__matcher *matcher, const struct quipu_batch *batch,
                                            uint32_t event);

QUIPU_CHECKED bool quipu__matcher_join(struct quipu__matcher *matcher, const struct quipu__matcher *other);

/* Call this when everything has been counted, before asking: gives receives that name no sender or tag the left-over sends, the earliest first
 * as far as known, else by key. False when memory is out. */
QUIPU_CHECKED bool quipu__matcher_reconcile(struct quipu__matcher *matcher);

/* What is in flight under a key. */
struct quipu__in_flight {
    uint64_t messages;   /* 0: nothing */
    uint64_t bytes;      /* QUIPU_UNKNOWN when not known */
    bool has_first;      /* first is known */
    int64_t first, last; /* when the first and the last of them were sent */
};

/* What is in flight under the key of that number. */
struct quipu__in_flight quipu__matcher_at(const struct quipu__matcher *matcher, size_t number);

/* Like those of a tracker (events.h); damage sets failed. False when memory is out. */
void quipu__matcher_save(const struct quipu__matcher *matcher, struct quipu__buffer *out);
QUIPU_CHECKED bool quipu__matcher_load(struct quipu__matcher *matcher, struct quipu__slice *from);

/* ---- Numbers (matcher_pairs.c) ---- */

/* The number that a send shares with its receive; 0 for events of other kinds, when sender, receiver or tag are not known, and when there is
 * no more room. Events of an end come in time order, those of different ends in any order. A receive has the position of its posting, as far
 * as known when it completes: a receive still posted then is assumed to complete, under the key that it names. */
uint64_t quipu__matcher_number(struct quipu__matcher *matcher, const struct quipu_batch *batch, uint32_t event);

/* ---- Pairs (matcher_pairs.c) ---- */

/* From now on events come in time order, and pairs are reported to the listener; calls may be NULL. Memory is needed for what is sent and not
 * received, or posted and not completed, at the same time; after a receive that names no sender or tag, for everything that its end receives
 * from then on. */
static inline void quipu__matcher_listen(struct quipu__matcher *matcher,
                                         const struct quipu__communication_listener *listener,
                                         struct quipu__communication_calls *calls) {
    matcher->listener = listener;
    matcher->calls = calls;
    matcher->keys_most = QUIPU_NONE;
}

/* The context of an event: its time in ns, position at its location, the call that it is in, and when that call began. Users that need no
 * calls set QUIPU_NONE for all of them. */
struct quipu__event_in_call {
    int64_t time;
    uint64_t position;
    uint32_t call;
    struct quipu__posting call_began;
};

/* Takes in a send, send_complete, recv_post, recv, probe or cancel. Whatever finds no memory is left out, and the gate knows. */
void quipu__matcher_pair_event(struct quipu__matcher *matcher, const struct quipu_batch *batch, uint32_t event,
                               const struct quipu__event_in_call *where);

/* A location has left a communication call. */
void quipu__matcher_retry(struct quipu__matcher *matcher, uint32_t location);

/* Call this after the last event: matches what waits, and gives up what has no partner. */
void quipu__matcher_finish(struct quipu__matcher *matcher);

/* ---- Between the files ---- */

/* The number of a key, which is added if necessary; QUIPU_NONE when there is no room or memory is out. */
uint32_t quipu__matcher_number_of(struct quipu__matcher *matcher, const struct quipu__message_key *key);

/* Whether a receive with that key names both sender and tag. */
static inline bool quipu__message_key_is_exact(const struct quipu__message_key *key) {
    return key->sender != QUIPU_NONE && key->tag != -1;
}

/* Whether another key agrees with what a receive knows of its own. */
static inline bool quipu__message_key_fits(const struct quipu__message_key *receive,
                                           const struct quipu__message_key *key) {
    return receive->receiver == key->receiver && receive->communicator == key->communicator &&
           (receive->sender == QUIPU_NONE || receive->sender == key->sender) &&
           (receive->tag == -1 || receive->tag == key->tag);
}

#endif
