/* merge.h: many sources as one sequence in the order (time, location, source, position).
 *
 * A heap holds the next time of each source. The merged batch takes a run of events from the first source, as many
 * as precede the second one, and copies them column by column; when a whole batch is such a run it is handed out
 * as it is, so a trace of one source is not copied at all. A source whose times go back stays where it is: its
 * events are delivered in their own order, none before what was delivered.
 */
#ifndef QUIPU_TRACE_MERGE_H
#define QUIPU_TRACE_MERGE_H

#include "core/heap.h"
#include "trace/source.h"

struct quipu__merge {
    struct quipu__trace *trace;
    const struct quipu__filter *filter;
    struct quipu__counts *counts;
    struct quipu__source *sources;
    uint32_t source_count;
    struct quipu__heap heap;
    struct quipu__batch *merged;
    bool started;
    bool lent; /* the batch of the first source has been handed out */
};

/* Fills *out with the next events; QUIPU_END after the last. Starts the sources at the first call. */
enum quipu_status quipu__merge_next(struct quipu__merge *merge, struct quipu__batch **out,
                                    struct quipu_error *err);

/* Frees what the merge itself holds and the batches of the sources. */
void quipu__merge_release(struct quipu__merge *merge);

#endif
