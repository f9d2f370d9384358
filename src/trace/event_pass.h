/* event_pass.h: a pass over the events of a trace: batches stream after stream, merged by time, or shared by threads. */
#ifndef QUIPU_TRACE_EVENT_PASS_H
#define QUIPU_TRACE_EVENT_PASS_H

#include "trace/merge.h"
#include "trace/windows.h"
#include "trace/worker_pool.h"

struct quipu__event_pass {
    struct quipu__trace *trace;
    const struct quipu__filter *filter;
    struct quipu__counts *counts;
    struct quipu__source *sources; /* of all streams, in their order */
    uint32_t source_count, source_room;
    uint32_t source; /* in stream order: the one that is read */
    struct quipu__batch *batch;
    enum quipu_order order;
    struct quipu__merge merge;
    struct quipu__windows windows;
};

/* Starts; nothing is opened yet. Release in any case. filter and counts are borrowed. */
enum quipu_status quipu__event_pass_start(struct quipu__event_pass *pass, struct quipu__trace *trace,
                                          const struct quipu__filter *filter, enum quipu_order order,
                                          struct quipu__counts *counts, struct quipu_error *err);

/* The next batch, borrowed until the following call; QUIPU_END after the last. */
enum quipu_status quipu__event_pass_next(struct quipu__event_pass *pass, const struct quipu_batch **out,
                                         struct quipu_error *err);

/* Whether batches of the pass may be taken over in exchange for others. */
bool quipu__event_pass_exchanges(const struct quipu__event_pass *pass);

/* Exchanges the batch that was given last for one of the same memory whose contents do not matter. */
void quipu__event_pass_exchange(struct quipu__event_pass *pass, struct quipu__batch *batch);

/* Goes through all of it with several threads. QUIPU_OK at the end, QUIPU_STOPPED when progress stops it. */
enum quipu_status quipu__event_pass_share(struct quipu__event_pass *pass, const struct quipu__worker_pool *pool,
                                          uint64_t *delivered, struct quipu_error *err);

/* Closes what is open and frees the rest; a struct of zeros is left. */
void quipu__event_pass_release(struct quipu__event_pass *pass);

/* How many substreams with events a trace has. */
size_t quipu__substream_count(const struct quipu__trace *trace);

#endif
