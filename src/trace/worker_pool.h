/* worker_pool.h: several threads over the sources of one pass.
 *
 * Each thread takes the next source that no other has, reads it to its end and passes its batches to its own state;
 * then it takes another one. So every source goes to one state, in order, but which state that is depends on chance:
 * the combined states must not depend on it.
 *
 * Failures and findings do not depend on chance. Sources are taken in ascending order and a failure stops only later
 * ones, so the failure of the first failing source is reported, as with one thread. Definitions are locked
 * meanwhile: a trace whose events need new ones is read by one thread.
 */
#ifndef QUIPU_TRACE_WORKER_POOL_H
#define QUIPU_TRACE_WORKER_POOL_H

#include "trace/source.h"

struct quipu__worker_pool {
    enum quipu_status (*consume)(void *state, const struct quipu_batch *batch, struct quipu_error *err);
    void *const *states; /* one per thread */

    /* Called for each source before it is read, with the state that gets its batches; may be NULL. */
    enum quipu_status (*begin_source)(void *state, const struct quipu__source *source, struct quipu_error *err);
    uint32_t thread_count;
    bool *must_repeat; /* set when one thread must repeat the pass */

    /* Called now and then, and at the end, by the calling thread; a failure stops the work. */
    enum quipu_status (*report)(void *context, uint64_t bytes, uint64_t events, struct quipu_error *err);
    void *report_context;
};

/* The sources and the counts. */
struct quipu__worker_pool_task {
    struct quipu__trace *trace;
    const struct quipu__filter *filter;
    struct quipu__source *sources;
    uint32_t source_count;
    struct quipu__counts *counts;
    uint64_t *delivered;
};

/* QUIPU_OK when all sources have been read, else the failure of the report or of a source. */
enum quipu_status quipu__worker_pool_run(const struct quipu__worker_pool *pool,
                                         const struct quipu__worker_pool_task *task, struct quipu_error *err);

#endif
