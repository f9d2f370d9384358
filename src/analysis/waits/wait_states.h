/* wait_states.h: who waits, from when to when, in which call, for whom: from messages and collective operations that have
 * been matched.
 *
 * A call is looked at when the partners of all its messages and collective operations are known. Whether a
 * late sender is one of wrong order is known when no message can be received any more that was sent before; until then the
 * wait is held back.
 */
#ifndef QUIPU_ANALYSIS_WAITS_WAIT_STATES_H
#define QUIPU_ANALYSIS_WAITS_WAIT_STATES_H

#include "analysis/shared/sending.h"

enum quipu__wait_pattern {
#define WAIT_PATTERN(name, text, synchronises, doc) QUIPU__WAIT_##name,
#include "analysis/waits/wait_patterns.def"
#undef WAIT_PATTERN
    QUIPU__WAIT_PATTERNS
};

struct quipu__wait_pattern_row {
    const char *text;
    bool synchronises;
    const char *doc;
};
extern const struct quipu__wait_pattern_row quipu__wait_patterns[QUIPU__WAIT_PATTERNS];

/* By the flow of a collective operation (enum quipu__collective_flow); QUIPU__WAIT_PATTERNS: none. */
extern const enum quipu__wait_pattern quipu__flow_waits[];

/* Times are ns. */
struct quipu__wait {
    int64_t from, to;
    int64_t arrival; /* when the peer came, also when that was after the end of the wait */
    int64_t entered; /* when the waiting call began */
    uint32_t location, path;
    uint32_t group, peer; /* QUIPU_NONE: none */
    enum quipu__wait_pattern pattern;
};

struct quipu__wait_states {
    struct quipu__memory *memory;
    struct quipu__communication communication;
    struct quipu__sending sending;

    /* Is told of each wait, in no particular order. */
    void (*wait)(void *context, const struct quipu__wait *wait);
    void *context;

    /* The same of the communication's listener, for those who want to know; may be NULL. */
    void (*matched)(void *context, const struct quipu__message_end *send,
                    const struct quipu__message_end *receive);
    void (*completed)(void *context, const struct quipu__message_end *send,
                      const struct quipu__message_end *receive);
    void (*collective)(void *context, const struct quipu__collective *collective);

    /* How long a message makes a call wait: of its receive, or of the completion of its send, told by the event's position; may be NULL. */
    void (*message_waits)(void *context, uint32_t location, uint64_t position, int64_t time);

    QUIPU__VEC(struct quipu__wait_share) shares; /* of calls that are not known yet */
    QUIPU__VEC(struct quipu__wait_share) sorted; /* of the call that is looked at */
    QUIPU__VEC(struct quipu__divided_location) locations;
    QUIPU__VEC(struct quipu__ended_call) ended;
    uint32_t unused_share, unused_ended;
    uint64_t ended_count; /* calls so far that have overlapped with others */
    QUIPU__VEC(struct quipu__late_receive) receives;
    uint32_t unused_receive;
    QUIPU__VEC(struct quipu__receive_log) logs; /* by receiving location and communicator */
    struct quipu__map log_of;
    QUIPU__VEC(uint32_t) latest_logs; /* by location: the one that was asked for last, plus 1; 0: none */
    uint64_t undecided, sweep_from;   /* waits held back, and how many are too many */
    int64_t complete_to;              /* ticks; no event before it will come */
};

/* What one partner may add to the wait of a call, or the completion of a collective operation. */
struct quipu__wait_share {
    int64_t arrival;
    int64_t entered, until;        /* between which it may have waited */
    uint64_t position;             /* of the event that says it */
    uint32_t peer, group, receive; /* receive: QUIPU_NONE unless it is a late sender */
    uint32_t next;
    enum quipu__wait_pattern pattern;
};

/* A call that overlaps with others and has ended. */
struct quipu__ended_call {
    struct quipu__communication_call call;
    int64_t reached; /* until when those have waited that have ended before */
    int64_t until;   /* the latest end of it and of those before it: times may go back */
    uint64_t order;
    uint32_t blocking; /* those that have ended before, overlap with it, and are not decided */
    uint32_t previous, next, next_blocked;
    bool is_known;
};

struct quipu__told_wait {
    int64_t from, to;
};

/* Completion or I/O, which may begin later than it says. */
struct quipu__residual_wait {
    struct quipu__wait wait;
    int64_t reached; /* not before that */
    uint64_t position;
};

/* An operation of I/O that has begun: when, in which call, and what ties its end to it. */
struct quipu__io_operation {
    int64_t begin;
    uint64_t matching, call_position;
};

/* Waits of a location that are not decided: see division.c. */
struct quipu__divided_location {
    int64_t reached;                                 /* until when it has waited for others */
    int64_t told_to;                                 /* the same of all waits */
    uint32_t first_ended, last_ended, first_blocked; /* calls */
    uint32_t undecided;                              /* these, completions, I/O and its operations */
    QUIPU__VEC(struct quipu__told_wait) told;        /* that others may overlap with, by their ends */
    struct quipu__residual_waits {
        struct quipu__residual_wait *items;
        size_t count, capacity;
    } completions, spans; /* by the positions of the ends of their operations; I/O by time */
    QUIPU__VEC(struct quipu__io_operation) operations;
};

/* A receive whose message, or whose wait, is not decided. */
struct quipu__late_receive {
    struct quipu__wait wait; /* from == to: none */
    int64_t sent;            /* enter of the call of its send */
    uint64_t position, call_position;
    uint32_t log, sender, previous, next;
    bool is_listed; /* among the matched ones */
    bool is_matched, is_evaluated, has_same_source, has_other_source;
};

/* Receives of a location on a communicator in the order of their positions: those from the first on that is not matched yet, and
 * those before, which wait for decision. */
struct quipu__receive_log {
    uint32_t location, communicator;
    struct quipu__receive_list {
        uint32_t first, last;
    } unmatched, matched;
    uint32_t
        early; /* receives in the list of unmatched ones that are matched, before others in front of them */
    int64_t latest_sent; /* the latest one of matched */
};

QUIPU_CHECKED bool quipu__wait_states_init(struct quipu__wait_states *states, struct quipu__memory *memory,
                                           const struct quipu_definitions *definitions, uint64_t eager_limit,
                                           void (*wait)(void *context, const struct quipu__wait *wait),
                                           void *context);
void quipu__wait_states_release(struct quipu__wait_states *states);

/* Before the events of a batch are taken in by the communication: tells of waits that are decided, when many are held back. */
void quipu__wait_states_sweep(struct quipu__wait_states *states, const struct quipu_batch *batch);

/* Takes in a batch, with its I/O. False when memory is out. */
QUIPU_CHECKED bool quipu__wait_states_add(struct quipu__wait_states *states, const struct quipu_batch *batch);

/* Ends the communication and tells of all waits. */
void quipu__wait_states_finish(struct quipu__wait_states *states);

/* The call of a receive is known: how it waited, from == to if it did not. */
void quipu__late_receive_evaluate(struct quipu__wait_states *states, uint32_t number,
                                  const struct quipu__wait *wait);

/* ---- division.c ---- */

/* Takes in an io_begin or io_end, after the communication. */
void quipu__division_add_io(struct quipu__wait_states *states, const struct quipu_batch *batch, uint32_t event);

void quipu__division_add_share(struct quipu__wait_states *states, uint32_t call,
                               const struct quipu__wait_share *share);

/* A call is left; then all its partners are known. The context is the wait states. */
void quipu__division_leave(void *context, struct quipu__communication_call *call);
void quipu__division_know(void *context, const struct quipu__communication_call *call);

void quipu__division_finish(struct quipu__wait_states *states);
void quipu__division_release(struct quipu__wait_states *states);

#endif
