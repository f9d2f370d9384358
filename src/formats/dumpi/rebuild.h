/* rebuild.h: a call being assembled from events. */
#ifndef QUIPU_DUMPI_REBUILD_H
#define QUIPU_DUMPI_REBUILD_H

#include "core/memory/map.h"
#include "core/memory/vec.h"
#include "formats/dumpi/mapping.h"
#include "formats/dumpi/writer.h"
#include "state/tracker.h"

/* An event that happened during a call. */
struct quipu__dumpi_inner_event {
    uint8_t kind;    /* enum quipu_kind */
    bool is_counted; /* as approximated */
    uint32_t object, peer, operation;
    uint32_t group; /* of a message: QUIPU_NONE where it is recorded in the world */
    int64_t tag, time;
    uint64_t bytes, value, id;
};

/* An attribute of the enter event, its text in the substream's arena. */
struct quipu__dumpi_extra {
    const char *name; /* of the key */
    struct quipu_value value;
};

/* Current state of a thread. */
struct quipu__dumpi_substream {
    struct quipu__dumpi_out *out;
    uint16_t thread;
    uint32_t rank;
    uint32_t call_depth; /* entered calls: 0 outside MPI */
    bool is_made_up;     /* the call has no region: it ends with its operation */
    uint32_t type;
    int64_t start;
    QUIPU__VEC(struct quipu__dumpi_inner_event) inner_events;
    QUIPU__VEC(struct quipu__dumpi_extra) extras;
    struct quipu__arena texts;
};

/* A rank's part in a call that splits the world: a member of a communicator, QUIPU_NONE for none, and its rank in it. */
struct quipu__dumpi_membership {
    uint32_t group, key;
};

struct quipu__dumpi_rebuilding {
    struct quipu__dumpi_writer *writer;
    struct quipu__memory *memory;
    const struct quipu_definitions *definitions;
    uint32_t location_count, region_count, rank_count;
    bool is_renumbered;                        /* ranks are not those of the source */
    struct quipu__dumpi_substream *substreams; /* per location */
    uint32_t *types;                           /* per region: type of the call, or QUIPU_NONE */
    uint64_t *keys; /* per region: key of a function, or of a call that does not end; else 0 */
    int32_t wall_bias;
    int64_t wall_ns; /* wall time of time 0 */
    struct quipu__scratch scratch;
    struct quipu__tracker active; /* entered regions */
    struct quipu__map requests;   /* request numbers by ids that are not request numbers */
    int32_t next_request;
    struct quipu__map posted; /* rank and request number of pending receives */
    bool has_handles; /* attributes have the handles of communicators, so the calls that make these are there */
    bool *are_worlds; /* per group: it has all ranks in order */
    uint32_t *splits; /* per group: which split makes the communicator, QUIPU_NONE for none */
    uint32_t group_count, split_count;
    struct quipu__dumpi_membership *memberships; /* per split and rank */
    bool *has_split;                             /* per rank: its splits are written */
};

/* Rank of a location in the world, below 0 when it has none. */
static inline int32_t quipu__dumpi_rank_of(const struct quipu__dumpi_rebuilding *all, uint32_t location) {
    if (location >= all->location_count || all->substreams[location].rank == QUIPU_NONE)
        return QUIPU__DUMPI_PROC_NULL;
    return (int32_t)all->substreams[location].rank;
}

/* Whether a group is that of all ranks in order; no group counts as such. */
static inline bool quipu__dumpi_is_world(const struct quipu__dumpi_rebuilding *all, uint32_t group) {
    return group >= all->group_count || all->are_worlds[group];
}

static inline bool quipu__dumpi_is_message(uint8_t kind) {
    return kind == QUIPU_KIND_send || kind == QUIPU_KIND_recv || kind == QUIPU_KIND_recv_post ||
           kind == QUIPU_KIND_probe;
}

/* Rank of a process in a communicator that a split makes, or that it is alone in, from its rank in the world; below 0 when it is no
 * member. */
int32_t quipu__dumpi_rank_in_group(const struct quipu__dumpi_rebuilding *all, uint32_t group, int32_t rank);

/* The call that makes a communicator and has just these arguments, which are attributes of an event, from cursor on: a format that knows the region of an
 * operation as the innermost call does not say it. QUIPU_NONE: none. */
uint32_t quipu__dumpi_constructor_of(const struct quipu__dumpi_rebuilding *all, const struct quipu_batch *batch,
                                     uint32_t event, uint32_t cursor);

/* Fills the struct of the substream's call from its inner_events and extras. */
void quipu__dumpi_fill(struct quipu__dumpi_rebuilding *all, struct quipu__dumpi_substream *substream,
                       union quipu__dumpi_any *data);

/* Fills the records that say the arguments of a collective call that has none, from the beginning of its operation. */
void quipu__dumpi_fill_later(struct quipu__dumpi_rebuilding *all, struct quipu__dumpi_substream *substream,
                             const struct quipu__dumpi_inner_event *begin, enum quipu__dumpi_later later,
                             struct quipu__dumpi_send_init *out_sent,
                             struct quipu__dumpi_recv_init *out_received);

/* Counts what happened during the substream's call, but neither when it began nor when it ended: a call has no other times. */
void quipu__dumpi_count_moved(struct quipu__dumpi_rebuilding *all, struct quipu__dumpi_substream *substream,
                              int64_t stop);

/* Request number of an event's id. */
int32_t quipu__dumpi_request_number(struct quipu__dumpi_rebuilding *all, uint64_t id);

#endif
