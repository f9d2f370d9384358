/* read_ahead.h: a pass whose batches several threads read while one of them, that of the caller, consumes them: for those who need all
 * batches one after the other, in one order and in one state.
 *
 * Between reading and consuming is a ring of slots. What can be read apart, ranges of windows, is read by all threads, each into a slot
 * of its own, and also by the one that consumes, when it would have to wait. Other passes are read by one thread at a time: what they
 * decode stream by stream is exchanged for used batches, events of a merge are copied. What is consumed are the same events in the same
 * order as without threads, so every answer is the same. As in a worker pool definitions are locked: a trace whose events need new ones
 * is for one thread.
 */
#ifndef QUIPU_TRACE_READ_AHEAD_H
#define QUIPU_TRACE_READ_AHEAD_H

#include "trace/event_pass.h"

struct quipu__read_ahead {
    enum quipu_status (*consume)(void *state, const struct quipu_batch *batch, struct quipu_error *err);
    void *state;

    /* Of order WINDOWS: what is not needed of a batch, see struct quipu__fold; may be NULL. */
    void (*leave_out)(const void *state, struct quipu_batch *batch);
    uint32_t thread_count; /* with the caller's */
    bool *must_repeat;     /* set when the pass is to be repeated by one thread */

    /* Called before each batch is consumed; a failure ends the pass. */
    enum quipu_status (*report)(void *context, uint64_t bytes, uint64_t events, struct quipu_error *err);
    void *report_context;
};

/* Goes through the pass, which nothing has been read of yet. QUIPU_OK at its end, else the failure of reading, of consume or of report. */
enum quipu_status quipu__read_ahead_run(const struct quipu__read_ahead *reading, struct quipu__event_pass *pass,
                                        uint64_t *delivered, struct quipu_error *err);

#endif
