/* delays.h: whose fault waiting is: what the one that others waited for did more than they since one of both left the last
 * meeting.
 *
 * The costs of a wait fall on the calls in which its peer spent more time, and on the peer's own waiting, which hands them on to
 * those that it waited for. So all that is waited is found at its origins.
 *
 * Memory is needed for the changes of calls, the waits and the meetings of the whole trace.
 */
#ifndef QUIPU_ANALYSIS_WAITS_DELAYS_H
#define QUIPU_ANALYSIS_WAITS_DELAYS_H

#include "analysis/shared/between.h"
#include "analysis/shared/fold.h"
#include "analysis/waits/wait_states.h"

/* Since its first event a location has been in one path after the other, in each until a time. Steps of all locations lie in blocks, and these in chunks
 * that are large enough to lie in a file where memory does not hold them, and never move. */
enum { QUIPU__DELAY_BLOCK = 32, QUIPU__DELAY_CHUNK = 4096 };
struct quipu__delay_block {
    int64_t to[QUIPU__DELAY_BLOCK];
    uint32_t paths[QUIPU__DELAY_BLOCK];
};
struct quipu__delay_steps {
    QUIPU__VEC(uint32_t) blocks;
    size_t count;
};

/* A message between a pair of locations; its calls may still be active, so the numbers of their leaves stand for their exits until the end. */
struct quipu__delay_message {
    uint32_t pair, a_leave, b_leave;
};

/* Two locations have left calls that belong to one message: a, the lower number of both, and b. */
struct quipu__delay_meeting {
    int64_t a_exit, b_exit;
    int64_t b_most; /* the latest b_exit of this pair up to here, when they are sorted by a_exit */
};

/* The meetings of a pair follow each other. */
struct quipu__delay_pair {
    size_t first, count;
};

/* A location has left a collective operation. */
struct quipu__delay_exit {
    uint32_t location, instance;
    int64_t exit;
};

struct quipu__delay_wait {
    struct quipu__wait wait;
    int64_t reported;                 /* how much of it is asked about, ns */
    int64_t carried;                  /* costs that others have handed on to it */
    int64_t certain, carried_certain; /* the same when only some waits are */
};

/* What a call path at a location has cost others, ns. */
struct quipu__delay_cost {
    uint32_t location, path;
    int64_t direct, indirect;
    int64_t certain; /* both together of what is certain */
};

struct quipu__delays {
    struct quipu__memory *memory;
    struct quipu__wait_states *states;
    QUIPU__VEC(struct quipu__delay_steps) steps; /* by location */
    QUIPU__VEC(struct quipu__delay_block *) chunks;
    size_t blocks; /* in them */
    QUIPU__VEC(struct quipu__delay_message) messages;
    QUIPU__VEC(struct quipu__delay_meeting) meetings;
    QUIPU__VEC(struct quipu__delay_pair) pairs;
    struct quipu__map pair_of; /* (lower number, higher number) to the pair */
    QUIPU__VEC(struct quipu__delay_exit) exits, exits_of_instance;
    uint32_t instances;
    QUIPU__VEC(struct quipu__delay_wait) waits; /* by location, then end, then begin */
    QUIPU__VEC(struct quipu__delay_cost) costs;
    struct quipu__map cost_of;
    struct quipu__between between; /* of costs outside of any region: the calls around the longest such time */

    /* While costs are shared: the time of each path at the late one and at the one that waits, and what carries a share. */
    int64_t *late, *early;
    QUIPU__VEC(uint32_t) touched;
    QUIPU__VEC(struct quipu__delay_share) shares;
    struct quipu__calls_around around; /* of the longest time of one of them outside of any region */
    int64_t longest;                   /* that time */
    uint32_t *positions;               /* of paths, in the order of their texts */
    size_t path_count;
};

struct quipu__delay_share {
    uint32_t path, wait; /* wait: QUIPU_NONE when a path carries it */
    uint32_t position;   /* of the path */
    uint64_t weight, rest;
    int64_t amount;
};

void quipu__delays_init(struct quipu__delays *delays, struct quipu__memory *memory,
                        struct quipu__wait_states *states);
void quipu__delays_release(struct quipu__delays *delays);

/* reported: how long the part of it is whose causes are wanted. What has none can still be the cause of others. */
void quipu__delays_add_wait(struct quipu__delays *delays, const struct quipu__wait *wait, int64_t reported);

/* Steps follow upon each other: the first one begins with the first event of the location. */
void quipu__delays_add_step(struct quipu__delays *delays, uint32_t location, uint32_t path, int64_t to);

void quipu__delays_add_message(struct quipu__delays *delays, const struct quipu__message_end *send,
                               const struct quipu__message_end *receive);
void quipu__delays_add_collective(struct quipu__delays *delays, const struct quipu__collective *collective);

static inline struct quipu__delay_block *quipu__delay_block_at(const struct quipu__delays *delays,
                                                               uint32_t number) {
    return &delays->chunks.items[number / QUIPU__DELAY_CHUNK][number % QUIPU__DELAY_CHUNK];
}

/* A step of a location: when it ends, where, and its path. */
struct quipu__delay_step {
    int64_t to;
    uint32_t path;
};
static inline struct quipu__delay_step quipu__delay_step_at(const struct quipu__delays *delays,
                                                            const struct quipu__delay_steps *steps,
                                                            size_t step) {
    const struct quipu__delay_block *block =
        quipu__delay_block_at(delays, steps->blocks.items[step / QUIPU__DELAY_BLOCK]);
    return (struct quipu__delay_step){block->to[step % QUIPU__DELAY_BLOCK],
                                      block->paths[step % QUIPU__DELAY_BLOCK]};
}

/* Everything has been added: brings it in order. Then others may still say how much of which wait is asked about. False when memory is
 * out. */
QUIPU_CHECKED bool quipu__delays_sort(struct quipu__delays *delays);

/* Finds the costs. False when memory is out. */
QUIPU_CHECKED bool quipu__delays_find(struct quipu__delays *delays);

/* Of costs outside of any region: the calls around it where most of them fall; each wait is charged to the longest such time in its interval. */
static inline struct quipu__calls_around quipu__delay_around(const struct quipu__delays *delays,
                                                             uint32_t location, uint32_t path) {
    return path == QUIPU__NO_CALLS ? quipu__between_most(&delays->between, location) : QUIPU__NO_CALLS_AROUND;
}

#endif
