/* read_ahead.h: a pass whose batches several threads read while one of them, the caller's, consumes them: for consumers that need all
 * batches one after the other, in one order and in one state.
 *
 * A ring of slots lies between reading and consuming. Ranges of windows can be read independently: all threads read them, each into its
 * own slot, and so does the consuming one when it would have to wait. Other passes are read by one thread at a time: batches decoded
 * stream by stream are exchanged for used ones, events of a merge are copied. The same events are consumed in the same order as without
 * threads, so every answer is the same. As in a worker pool, definitions are locked: a trace whose events need new ones is read by one
 * thread.
 */
#ifndef QUIPU_TRACE_READ_AHEAD_H
#define QUIPU_TRACE_READ_AHEAD_H

#include "trace/event_pass.h"

struct quipu__read_ahead {
    enum quipu_status (*consume)(void *state, const struct quipu_batch *batch, struct quipu_error *err);
    void *state;
    uint32_t thread_count; /* including the caller's */
    bool *must_repeat;     /* set when one thread must repeat the pass */

    /* Called before each batch is consumed; a failure ends the pass. */
    enum quipu_status (*report)(void *context, uint64_t bytes, uint64_t events, struct quipu_error *err);
    void *report_context;
};

/* Runs the pass, of which nothing must have been read. QUIPU_OK at its end, else the failure of reading, of consume or of report. */
enum quipu_status quipu__read_ahead_run(const struct quipu__read_ahead *reading, struct quipu__event_pass *pass,
                                        uint64_t *delivered, struct quipu_error *err);

#endif
