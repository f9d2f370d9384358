/* reorder.h: events that become known before their time. A format that writes an operation when it ends, or says how long
 * something will take, meets events whose time has not come yet. The buffer holds them and gives them back in time order; of
 * equal times, the one that was held first comes first.
 *
 *     the record gives an event that is later than what may follow:   quipu__reorder_hold(reorder, batch, first)
 *     before the next event, at time t:                               quipu__reorder_give(reorder, t, batch)
 *     at the end of the substream:                                    quipu__reorder_give(reorder, INT64_MAX, batch)
 *
 * Memory is bounded by the number of events held at a time, for which the format sets a limit; in the steady state nothing is
 * allocated. */
#ifndef QUIPU_MODEL_REORDER_H
#define QUIPU_MODEL_REORDER_H

#include "model/batch.h"

struct quipu__reorder_entry {
    int64_t time;
    uint64_t number;    /* how many were held before */
    uint32_t location;  /* 0 where it does not matter */
    uint32_t event;     /* in the batch of those held, or of the rows */
    uint32_t attribute; /* the first of its attributes there; QUIPU__REORDER_ROW: it is a row */
};
#define QUIPU__REORDER_ROW UINT32_MAX

struct quipu__reorder {
    struct quipu__memory *memory;
    uint32_t limit;
    uint64_t number;
    bool by_location;                    /* of equal times, events of the lowest location come first */
    struct quipu__batch *held, *spare;   /* the events, in the order of arrival; and room to move them to */
    QUIPU__VEC(struct quipu_event) rows; /* those without attributes that were held by themselves */
    QUIPU__VEC(uint32_t) free_rows;      /* those of them that are not in use */
    QUIPU__VEC(struct quipu__reorder_entry) heap; /* the earliest first */
};

/* At most limit events are held at a time. */
static inline void quipu__reorder_init(struct quipu__reorder *reorder, struct quipu__memory *memory,
                                       uint32_t limit) {
    *reorder = (struct quipu__reorder){.memory = memory, .limit = limit};
}
void quipu__reorder_release(struct quipu__reorder *reorder);

static inline uint32_t quipu__reorder_count(const struct quipu__reorder *reorder) {
    return (uint32_t)reorder->heap.count;
}

/* When the earliest event is due; INT64_MAX when none is held. */
static inline int64_t quipu__reorder_due(const struct quipu__reorder *reorder) {
    return reorder->heap.count > 0 ? reorder->heap.items[0].time : INT64_MAX;
}

/* Removes the events from index first on from a batch and holds them. QUIPU_LIMIT when there would be too many: then they stay
 * in the batch. */
enum quipu_status quipu__reorder_hold(struct quipu__reorder *reorder, struct quipu__batch *batch,
                                      uint32_t first, struct quipu_error *err);

/* Holds an event without attributes that is in no batch: the caller fills the row that it gets, like the columns of a batch,
 * before anything else is held or given. NULL when memory is out; the caller has made sure that the limit allows it. */
struct quipu_event *quipu__reorder_hold_row(struct quipu__reorder *reorder, int64_t time, uint32_t location);

/* Adds the events that are due until a time, inclusive, to a batch, as many as there is room for. */
enum quipu_status quipu__reorder_give(struct quipu__reorder *reorder, int64_t until, struct quipu__batch *batch,
                                      struct quipu_error *err);

#endif
