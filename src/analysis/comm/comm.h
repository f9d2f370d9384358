/* comm.h: who sends to whom, for the files that fold (comm.c), show (table.c) and recognise (pattern.c) it. */
#ifndef QUIPU_ANALYSIS_COMM_COMM_H
#define QUIPU_ANALYSIS_COMM_COMM_H

#include "analysis/shared/fold.h"
#include "analysis/shared/hosts.h"
#include "state/communication.h"

/* Messages from one end or node to another one. */
struct quipu__comm_pair {
    uint32_t sender, receiver;
    uint64_t messages, bytes, timed; /* timed: messages that have a transfer time */
    int64_t least, most, total;      /* of transfer times, ns */
};

struct quipu__comm_size {
    uint64_t messages, bytes;
};

enum { QUIPU__COMM_SIZES = 65, QUIPU__COMM_PAIRS_MOST = 1 << 20 };

/* Members of a communicator in whose operations each sends the same to all others, and what it has sent to each of them since the first
 * one. */
struct quipu__comm_team {
    uint64_t *messages, *bytes;
    uint32_t group, count;
};

enum { QUIPU__COMM_TEAM_MOST = 1024 };

struct quipu__comm {
    struct quipu__memory memory;
    const struct quipu_definitions *definitions;
    struct quipu__communication communication;
    struct quipu__where_clause *where; /* which sends and collective operations count; NULL: all */
    const struct quipu_batch *batch;   /* the event that is being added */
    uint32_t event;
    bool by_node, has_collectives, shows_models;
    QUIPU__VEC(struct quipu__comm_pair) pairs; /* of ends, or nodes */
    struct quipu__map pair_of;
    struct quipu__hosts hosts;
    QUIPU__VEC(struct quipu__comm_pair)
    to_all;                      /* what members of larger teams send to all others: without receivers */
    struct quipu__map to_all_of; /* by sender */
    QUIPU__VEC(struct quipu__comm_team) teams;
    struct quipu__map team_of;                        /* by communicator */
    struct quipu__comm_pair others;                   /* of all pairs beyond QUIPU__COMM_PAIRS_MOST */
    struct quipu__comm_size sizes[QUIPU__COMM_SIZES]; /* by the bits of their length */
};

/* ---- comm.c ---- */

/* Adds what teams have sent to the pairs, when all has been read. */
void quipu__comm_add_teams(struct quipu__comm *comm);

/* ---- table.c ---- */

enum { QUIPU__COMM_TABLES = 5 };
extern const struct quipu_analysis_table quipu__comm_tables[QUIPU__COMM_TABLES];
enum quipu_status quipu__comm_finish(void *state, struct quipu_tables *tables, struct quipu_error *err);

/* ---- pattern.c ---- */

/* Directed pairs of different ends, by their numbers. */
struct quipu__edge {
    uint32_t from, to;
};

struct quipu__edges {
    const struct quipu__edge *items;
    size_t count;
    uint32_t processes;
};

/* How well a pattern fits: common edges of those of both. */
struct quipu__fit {
    const char *pattern;
    char detail[40];
    uint64_t common, all;
};

/* Calls visit with every pattern that such a number of processes can have, in their order. */
void quipu__comm_fit(const struct quipu__edges *edges,
                     void (*visit)(void *context, const struct quipu__fit *fit), void *context);

#endif
