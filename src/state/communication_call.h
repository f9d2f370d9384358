/* communication_call.h: communication calls that have messages or collective operations, for as long as something refers to them.
 *
 * A call is known when it has been left and the partners of all its messages are known; then it is reported once to the listener. An
 * event outside any communication call gets a call of its own that takes no time.
 */
#ifndef QUIPU_STATE_COMMUNICATION_CALL_H
#define QUIPU_STATE_COMMUNICATION_CALL_H

#include "core/memory/vec.h"

#include <quipu/model.h>

struct quipu__communication_call {
    int64_t enter, leave; /* ns */
    int64_t
        since; /* earliest time of waiting: the enter, or the beginning of a collective operation without a call at its end */
    uint64_t position; /* of the enter among the events of its location */
    uint32_t location, path;
    uint32_t references; /* number of references: the stack while it is active, ends of messages, collectives */
    uint32_t unresolved; /* number of partners that are not known yet */
    uint32_t first_share; /* for the listener, QUIPU_NONE at first */
    uint32_t first_wait,
        wait_mark; /* for wait states, QUIPU_NONE and 0 at first: so the other marks are another listener's */
    uint32_t
        mark; /* the listener's; until it is used QUIPU_NONE, or 0 where the listener does not ask for that */
    uint32_t serial; /* number among the leaves, where these are kept */
    bool is_left, is_known;
    bool is_bare;        /* of an event outside any communication call */
    bool accesses_files; /* of MPI-IO: only collective operations belong to it */
};

struct quipu__message_end;
struct quipu__collective;

/* Callbacks that report what belongs together. They may be NULL. Their arguments are valid during the call. */
struct quipu__communication_listener {
    void *context;

    /* Time that a location has spent in the innermost call of a path. */
    void (*step)(void *context, uint32_t location, uint32_t path, int64_t from, int64_t to);
    bool steps_outside; /* only time outside calls that communicate */

    /* A message, as soon as both ends are found; and again when the call that completed its sending is known too. */
    void (*matched)(void *context, const struct quipu__message_end *send,
                    const struct quipu__message_end *receive);
    void (*completed)(void *context, const struct quipu__message_end *send,
                      const struct quipu__message_end *receive);

    /* A probe that has waited for a send, which the receive gets that comes next in its place. Who is told of them is told of the end of a probe, and
     * of one without a send, as of a receive. */
    void (*probed)(void *context, const struct quipu__message_end *send,
                   const struct quipu__message_end *probe);

    /* An end of a message, when it happens: what is returned is kept as its mark. */
    uint32_t (*end)(void *context, struct quipu__message_end *end);

    /* A receive without a send. */
    void (*unmatched)(void *context, const struct quipu__message_end *receive);

    /* Sending is complete, at the send itself or, if it does not block, later; the result becomes its completion mark. And a send without
     * a receive. */
    uint32_t (*send_completes)(void *context, const struct quipu__message_end *send, int64_t time);
    void (*send_unmatched)(void *context, const struct quipu__message_end *send);

    /* A call sends or posts a message for the first time, so that others may wait for it; the result is the call's mark as long as something
     * refers to the call. */
    uint32_t (*call_used)(void *context, const struct quipu__communication_call *call);
    void (*call_forgotten)(void *context, const struct quipu__communication_call *call);

    /* A call is left: its mark may be changed. And all its partners are known, then or later. */
    void (*call_left)(void *context, struct quipu__communication_call *call);
    void (*call_known)(void *context, const struct quipu__communication_call *call);

    /* A location begins or ends its side of a collective operation; the results become the marks of its side. */
    uint32_t (*collective_begins)(void *context, const struct quipu__collective *collective, uint32_t side);
    uint32_t (*collective_ends)(void *context, const struct quipu__collective *collective, uint32_t side);

    /* All locations have ended their sides, or the trace has ended before (is_complete says which). */
    void (*collective)(void *context, const struct quipu__collective *collective);

    /* The last MPI_Finalize of each process is reported as part of one collective operation, which is complete when all processes with
     * events have one; earlier ones are reported separately as incomplete operations. */
    bool has_finalize;

    /* An outermost communication call is entered, and left. */
    void (*outermost_enter)(void *context, uint32_t location, uint32_t path, int64_t time);
    void (*outermost_leave)(void *context, uint32_t location, uint32_t path, int64_t time);
};

struct quipu__communication_calls {
    struct quipu__memory *memory;
    const struct quipu__communication_listener *listener;
    QUIPU__VEC(struct quipu__communication_call) list;
    uint32_t unused;            /* the first one for reuse; path is the next one */
    bool keeps_leaves;          /* of all calls, also of those that nothing refers to any more: */
    QUIPU__VEC(int64_t) leaves; /* INT64_MAX: not left */
};

static inline void quipu__communication_calls_init(struct quipu__communication_calls *calls,
                                                   struct quipu__memory *memory,
                                                   const struct quipu__communication_listener *listener) {
    *calls = (struct quipu__communication_calls){
        .memory = memory, .listener = listener, .list = QUIPU__VEC_INIT, .unused = QUIPU_NONE};
}
static inline void quipu__communication_calls_release(struct quipu__communication_calls *calls) {
    QUIPU__VEC_RELEASE(calls->memory, &calls->list);
    QUIPU__VEC_RELEASE(calls->memory, &calls->leaves);
}

/* A new call that a location has entered, with one reference; QUIPU_NONE when memory is out. */
uint32_t quipu__communication_call_add(struct quipu__communication_calls *calls, uint32_t location,
                                       int64_t enter);

/* QUIPU_NONE means no call. */
static inline struct quipu__communication_call *quipu__communication_call_at(
    const struct quipu__communication_calls *calls, uint32_t number) {
    return number == QUIPU_NONE ? NULL : &calls->list.items[number];
}

static inline void quipu__communication_call_hold(struct quipu__communication_calls *calls, uint32_t number) {
    if (number != QUIPU_NONE)
        calls->list.items[number].references++;
}
void quipu__communication_call_drop(struct quipu__communication_calls *calls, uint32_t number);

/* It sends or posts a message, or probes for one. */
static inline void quipu__communication_call_use(struct quipu__communication_calls *calls, uint32_t number) {
    if (number != QUIPU_NONE && calls->listener->call_used && calls->list.items[number].mark == QUIPU_NONE)
        calls->list.items[number].mark =
            calls->listener->call_used(calls->listener->context, &calls->list.items[number]);
}

/* A partner is awaited; and found, or given up. */
static inline void quipu__communication_call_await(struct quipu__communication_calls *calls, uint32_t number) {
    if (number == QUIPU_NONE)
        return;
    calls->list.items[number].unresolved++;
    calls->list.items[number].references++;
}
void quipu__communication_call_resolve(struct quipu__communication_calls *calls, uint32_t number);

/* The call is left: the stack no longer refers to it. */
void quipu__communication_call_leave(struct quipu__communication_calls *calls, uint32_t number, int64_t time);

#endif
