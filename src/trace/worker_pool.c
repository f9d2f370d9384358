/* worker_pool.c: threads that read sources from a shared list. One lock protects what they share; each takes it once per
 * batch. */
#include "trace/worker_pool.h"

#include "core/error.h"
#include "core/os.h"

#define REPORT_NS ((uint64_t)50 * 1000000) /* between two reports of progress */

struct shared {
    const struct quipu__worker_pool *pool;
    const struct quipu__worker_pool_task *task;
    struct quipu__share share;
    struct quipu__lock *gate; /* of the memory and of the files */
    struct quipu__lock *lock; /* of everything below, and of what threads publish */
    uint32_t next;            /* source */
    uint32_t end;             /* sources from here on are no longer read */
    uint32_t working;         /* threads */
    enum quipu_status status; /* of source end, when that failed */
    struct quipu_error err;
};

struct worker {
    struct shared *shared;
    struct quipu__thread *thread;
    void *state;
    struct quipu__batch *batch;
    struct quipu__counts counts;
    uint64_t bytes, delivered; /* published: so far */
};

/* ---- In a thread ---- */

static bool next_task(struct worker *worker, uint32_t *out) {
    struct shared *shared = worker->shared;
    quipu__lock_take(shared->lock);
    const bool is_there = shared->next < shared->end;
    *out = shared->next;
    shared->next += is_there;
    quipu__lock_give(shared->lock);
    return is_there;
}

/* Publishes its progress; false when this source is no longer needed. */
static bool publish(struct worker *worker, uint32_t number) {
    struct shared *shared = worker->shared;
    quipu__lock_take(shared->lock);
    worker->bytes = worker->counts.bytes;
    worker->delivered += worker->batch->batch.count;
    const bool is_wanted = number < shared->end;
    quipu__lock_give(shared->lock);
    return is_wanted;
}

/* Ends the work before or at that source, unless an earlier one has ended it. */
static void stop_at(struct shared *shared, uint32_t number, enum quipu_status status,
                    const struct quipu_error *err) {
    quipu__lock_take(shared->lock);
    if (number < shared->end) {
        shared->end = number;
        shared->status = status;
        shared->err = *err;
    }
    quipu__lock_give(shared->lock);
}

/* The next batch of a source. Events that need new definitions end everything. */
static enum quipu_status fill(struct worker *worker, struct quipu__source *source, struct quipu_error *err) {
    const struct quipu__worker_pool_task *task = worker->shared->task;
    const enum quipu_status status = quipu__source_fill(source, task->trace, task->filter, worker->batch, err);
    if (!quipu__define_needs_definition(task->trace->define))
        return status;
    stop_at(worker->shared, 0, QUIPU_END, err);
    return QUIPU_END;
}

static void read_source(struct worker *worker, uint32_t number) {
    const struct quipu__worker_pool_task *task = worker->shared->task;
    struct quipu__source *source = &task->sources[number];
    struct quipu_error err = QUIPU_ERROR_INIT;
    quipu__findings_begin(task->trace->findings, number + 1);
    enum quipu_status status = QUIPU_OK;
    if (worker->shared->pool->begin_source)
        status = worker->shared->pool->begin_source(worker->state, source, &err);
    if (status == QUIPU_OK)
        status = quipu__source_open(source, task->trace, task->filter, &worker->shared->share, &worker->counts,
                                    &err);
    while (status == QUIPU_OK && (status = fill(worker, source, &err)) == QUIPU_OK) {
        status = worker->shared->pool->consume(worker->state, &worker->batch->batch, &err);
        if (status == QUIPU_OK && !publish(worker, number))
            status = QUIPU_END;
    }
    quipu__source_close(source, task->trace);
    if (status != QUIPU_END)
        stop_at(worker->shared, number, status, &err);
}

static void work(void *context) {
    struct worker *worker = context;
    uint32_t number;
    while (next_task(worker, &number))
        read_source(worker, number);
    quipu__lock_take(worker->shared->lock);
    worker->shared->working--;
    quipu__lock_wake(worker->shared->lock);
    quipu__lock_give(worker->shared->lock);
}

/* ---- In the calling thread ---- */

/* With padding, so that no two threads count in the same cache line. */
static size_t counts_bytes(const struct shared *shared) {
    return (shared->task->trace->format->info.schema->type_count + 16) * sizeof(uint64_t);
}

static enum quipu_status init_worker(struct shared *shared, struct worker *worker, struct quipu_error *err) {
    struct quipu__memory *memory = shared->task->trace->memory;
    worker->shared = shared;
    worker->counts.records_of = quipu__alloc_zero(memory, counts_bytes(shared));
    return worker->counts.records_of ? quipu__batch_new(memory, shared->share.capacity, &worker->batch, err)
                                     : quipu__no_memory(err, counts_bytes(shared));
}

/* Adds what a worker has counted to the counts of the pass. */
static void release_worker(struct shared *shared, struct worker *worker) {
    const struct quipu__worker_pool_task *task = shared->task;
    const uint64_t *records_of = worker->counts.records_of;
    task->counts->records += worker->counts.records;
    task->counts->bytes += worker->counts.bytes;
    task->counts->skipped += worker->counts.skipped;
    for (uint32_t i = 0; records_of && i < task->trace->format->info.schema->type_count; i++)
        task->counts->records_of[i] += records_of[i];
    *task->delivered += worker->delivered;
    if (records_of)
        quipu__release(task->trace->memory, worker->counts.records_of, counts_bytes(shared));
    quipu__batch_free(worker->batch);
}

/* Without the lock, since the callback may take long. */
static void report(struct shared *shared, const struct worker *workers) {
    const struct quipu__worker_pool *pool = shared->pool;
    const struct quipu__worker_pool_task *task = shared->task;
    struct quipu_error err = QUIPU_ERROR_INIT;
    uint64_t bytes = task->counts->bytes, delivered = *task->delivered;
    quipu__lock_take(shared->lock);
    for (uint32_t i = 0; i < pool->thread_count; i++) {
        bytes += workers[i].bytes;
        delivered += workers[i].delivered;
    }
    quipu__lock_give(shared->lock);
    const enum quipu_status status = pool->report(pool->report_context, bytes, delivered, &err);
    if (status != QUIPU_OK)
        stop_at(shared, 0, status, &err);
}

/* Waits until all threads have ended, reporting now and then and at the end. */
static void wait_for_workers(struct shared *shared, const struct worker *workers) {
    bool is_working;
    do {
        quipu__lock_take(shared->lock);
        if (shared->working > 0)
            quipu__lock_wait(shared->lock, REPORT_NS);
        is_working = shared->working > 0;
        quipu__lock_give(shared->lock);
        report(shared, workers);
    } while (is_working);
}

/* Runs with fewer threads if the system refuses some; without any, one thread must repeat the pass. */
static void run_workers(struct shared *shared, struct worker *workers) {
    const uint32_t count = shared->pool->thread_count;
    shared->working = count;
    for (uint32_t i = 0; i < count; i++) {
        workers[i].state = shared->pool->states[i];
        workers[i].thread = quipu__thread_start(work, &workers[i]);
    }
    uint32_t missing = 0;
    for (uint32_t i = 0; i < count; i++)
        missing += !workers[i].thread;
    quipu__lock_take(shared->lock);
    shared->working -= missing;
    quipu__lock_give(shared->lock);
    wait_for_workers(shared, workers);
    for (uint32_t i = 0; i < count; i++)
        quipu__thread_join(workers[i].thread);
    *shared->pool->must_repeat |= missing == count;
}

/* Runs with locks on what threads share. */
static enum quipu_status run_safely(struct shared *shared, struct worker *workers, struct quipu_error *err) {
    struct quipu__trace *trace = shared->task->trace;
    if (!quipu__findings_share(trace->findings, shared->pool->thread_count))
        return quipu__no_memory(err, shared->pool->thread_count * sizeof(uint64_t));
    quipu__define_lock(trace->define);
    trace->memory->lock = trace->files->lock = shared->gate;
    run_workers(shared, workers);
    trace->memory->lock = trace->files->lock = NULL;
    quipu__define_unlock(trace->define);
    quipu__findings_end_sharing(trace->findings);
    *shared->pool->must_repeat |= quipu__define_needs_definition(trace->define);
    if (shared->status < QUIPU_OK && err)
        *err = shared->err;
    return shared->status;
}

static enum quipu_status run_pool(struct shared *shared, struct quipu_error *err) {
    struct quipu__memory *memory = shared->task->trace->memory;
    const uint32_t count = shared->pool->thread_count;
    struct worker *workers = quipu__alloc_zero(memory, count * sizeof *workers);
    if (!workers)
        return quipu__no_memory(err, count * sizeof *workers);
    enum quipu_status status = QUIPU_OK;
    for (uint32_t i = 0; i < count && status == QUIPU_OK; i++)
        status = init_worker(shared, &workers[i], err);
    if (status == QUIPU_OK)
        status = run_safely(shared, workers, err);
    for (uint32_t i = 0; i < count; i++)
        release_worker(shared, &workers[i]);
    quipu__release(memory, workers, count * sizeof *workers);
    return status;
}

enum quipu_status quipu__worker_pool_run(const struct quipu__worker_pool *pool,
                                         const struct quipu__worker_pool_task *task, struct quipu_error *err) {
    struct shared shared = {.pool = pool,
                            .task = task,
                            .share = quipu__share_of(task->trace->memory, 1),
                            .gate = quipu__lock_new(),
                            .lock = quipu__lock_new(),
                            .end = task->source_count,
                            .err = QUIPU_ERROR_INIT};
    *pool->must_repeat = false;
    const enum quipu_status status =
        shared.gate && shared.lock ? run_pool(&shared, err) : quipu__no_memory(err, sizeof shared);
    quipu__lock_free(shared.gate);
    quipu__lock_free(shared.lock);
    return status;
}
