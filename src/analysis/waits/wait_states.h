/* wait_states.h: who waits, from when to when, in which call, for whom: from messages and collective operations that have
 * been matched.
 *
 * A call of messages is looked at when the partners of all of them are known; a collective operation when all have ended it. Whether a
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
    void (*completed)(void *context, const struct quipu__message_end *send,
                      const struct quipu__message_end *receive);
    void (*collective)(void *context, const struct quipu__collective *collective);

    QUIPU__VEC(struct quipu__wait_share) shares; /* of calls that are not known yet */
    QUIPU__VEC(struct quipu__wait_share) sorted; /* of the call that is looked at */
    uint32_t unused_share;
    QUIPU__VEC(struct quipu__late_receive) receives;
    uint32_t unused_receive;
    QUIPU__VEC(struct quipu__receive_log) logs; /* by receiving location and communicator */
    struct quipu__map log_of;
    QUIPU__VEC(uint32_t) latest_logs; /* by location: the one that was asked for last, plus 1; 0: none */
    uint64_t undecided, sweep_from;   /* waits held back, and how many are too many */
    int64_t complete_to;              /* ticks; no event before it will come */
};

/* What one partner may add to the wait of a call. */
struct quipu__wait_share {
    int64_t arrival;
    uint64_t position;
    uint32_t peer, group, receive; /* receive: QUIPU_NONE for a late receiver */
    uint32_t next;
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
    int64_t latest_sent; /* the latest one of matched */
};

QUIPU_CHECKED bool quipu__wait_states_init(struct quipu__wait_states *states, struct quipu__memory *memory,
                                           const struct quipu_definitions *definitions, uint64_t eager_limit,
                                           void (*wait)(void *context, const struct quipu__wait *wait),
                                           void *context);
void quipu__wait_states_release(struct quipu__wait_states *states);

/* Before the events of a batch are taken in by the communication: tells of waits that are decided, when many are held back. */
void quipu__wait_states_sweep(struct quipu__wait_states *states, const struct quipu_batch *batch);

/* Ends the communication and tells of all waits. */
void quipu__wait_states_finish(struct quipu__wait_states *states);

#endif
