/* shared_pass.h: one pass over all substreams of a stream, for sources that need them one by one, as in a merge: each record
 * is decoded once, whichever source asks first.
 *
 * Events of other substreams wait in their queues. If substreams lie so far apart in the file that too much would wait, each
 * continues with its own pass, after what it has already given.
 */
#ifndef QUIPU_TRACE_SHARED_PASS_H
#define QUIPU_TRACE_SHARED_PASS_H

#include "trace/source.h"

/* A pass that no source has opened yet; the filter is borrowed. The last source that closes it frees it. */
enum quipu_status quipu__shared_pass_new(struct quipu__trace *trace, uint32_t stream,
                                         const struct quipu__filter *filter, struct quipu__shared_pass **out,
                                         struct quipu_error *err);

/* Opens the pass for the first source that asks. QUIPU_END when the stream cannot be read. */
enum quipu_status quipu__shared_pass_open(struct quipu__shared_pass *shared, const struct quipu__share *share,
                                          struct quipu__counts *counts, struct quipu_error *err);

/* Replaces the contents of batch by the next events of a substream; QUIPU_END after the last. */
enum quipu_status quipu__shared_pass_next(struct quipu__shared_pass *shared, uint32_t substream,
                                          struct quipu__batch *batch, struct quipu_error *err);

/* A source has no more to ask. */
void quipu__shared_pass_leave(struct quipu__shared_pass *shared, uint32_t substream);

#endif
