/* remote.h: sources that other processes read. Rank 0 runs an analysis as if it read the trace alone; but what its sources give, batch by
 * batch, another process has decoded, filtered and sent, which has opened the stream and does the next batch in advance. So the events,
 * their order, findings and counts are those of one process, whatever asks for them; what an analysis leaves out of windows is not sent. Where there are
 * few others, rank 0 reads some of the sources itself.
 *
 *     rank 0: here is a selection …  source 7, 128 events …  source 9, 128 events …  that is all
 *     other:                         batch                   batch
 */
#ifndef QUIPU_TRACE_REMOTE_H
#define QUIPU_TRACE_REMOTE_H

#include "transport/transport.h"
#include "trace/event_pass.h"

#include <quipu/reader.h>

/* The streams that a process of several reads: those whose middle lies in its share of the bytes, all streams laid end to end. */
void quipu__divide_streams(const struct quipu__trace *trace, const struct quipu_transport *transport,
                           uint32_t *first, uint32_t *end);

/* The others, in rank 0, whose reader memory is of; it is given to quipu__reader_sharing, and end is called in any case. */
struct quipu__remote quipu__remote_of(struct quipu_transport *transport, struct quipu__memory *memory);

/* How what rank 0 asks for is answered: the answer is appended. */
struct quipu__remote_work {
    void *context;
    enum quipu_status (*answer)(void *context, struct quipu__slice question, struct quipu__buffer *out,
                                struct quipu_error *err);
};

/* What the others do: passes for rank 0, and work, which may be NULL, until that was all. QUIPU_END, or a failure of the transport. */
enum quipu_status quipu__remote_serve(struct quipu_reader *reader, const struct quipu__remote_work *work,
                                      struct quipu_error *err);

#endif
