/* scan_ahead.c: a scan whose rows a thread of its own makes, some batches ahead of the one that consumes them. What is consumed, and in which
 * order, is the same. The consumer alone reports progress, while it waits and with each batch. */
#include "relation/relation.h"

#include "core/error.h"
#include "core/os.h"
#include "trace/reader.h"

/* Batches that may be ready: so few that their columns still lie in a cache when they are consumed. */
enum { AHEAD = 4 };

/* How long the consumer waits before it reports progress. */
#define WAIT_NS ((uint64_t)50 * 1000000)

/* What came of making rows. */
struct made {
    struct quipu__rows *rows; /* NULL unless status is QUIPU_OK */
    enum quipu_status status;
    struct quipu_error err;
};

struct quipu__scan_ahead {
    struct quipu__scan *scan;
    struct quipu_progress progress; /* of the reader */
    struct quipu__thread *thread;
    struct quipu__lock *lock; /* of everything below */
    struct made made[AHEAD];
    uint64_t first, end;           /* number of the next batch to consume, and of the next to make */
    uint64_t bytes, total, events; /* as the thread has reported them */
    bool stops;                    /* progress says so: the reader then fails */
    bool is_over;                  /* nothing more is consumed */
};

/* ---- In the thread ---- */

static bool note_progress(void *context, uint64_t bytes, uint64_t total, uint64_t events) {
    struct quipu__scan_ahead *ahead = context;
    quipu__lock_take(ahead->lock);
    ahead->bytes = bytes;
    ahead->total = total;
    ahead->events = events;
    const bool goes_on = !ahead->stops && !ahead->is_over;
    quipu__lock_give(ahead->lock);
    return goes_on;
}

static void make_rows(void *context) {
    struct quipu__scan_ahead *ahead = context;
    enum quipu_status status = QUIPU_OK;
    quipu__lock_take(ahead->lock);
    while (status == QUIPU_OK) {
        while (ahead->end - ahead->first == AHEAD && !ahead->is_over)
            quipu__lock_wait(ahead->lock, WAIT_NS);
        if (ahead->is_over)
            break;
        struct made *made = &ahead->made[ahead->end % AHEAD];
        quipu__lock_give(ahead->lock);
        made->err = (struct quipu_error)QUIPU_ERROR_INIT;
        made->status = status = quipu__scan_make(ahead->scan, &made->rows, &made->err);
        quipu__lock_take(ahead->lock);
        ahead->end++;
        quipu__lock_wake(ahead->lock);
    }
    quipu__lock_give(ahead->lock);
}

/* ---- In the consumer ---- */

enum quipu_status quipu__scan_begin_ahead(struct quipu__scan *scan, struct quipu_error *err) {
    struct quipu__scan_ahead *ahead = quipu__alloc_zero(&scan->memory, sizeof *ahead);
    if (!ahead)
        return quipu__no_memory(err, sizeof *ahead);
    const struct quipu_progress noting = {note_progress, ahead};
    ahead->scan = scan;
    ahead->lock = quipu__lock_new();
    ahead->progress = quipu__reader_watch(scan->reader, &noting);
    ahead->thread = ahead->lock ? quipu__thread_start(make_rows, ahead) : NULL;
    scan->ahead = ahead;
    if (ahead->thread)
        return QUIPU_OK;
    quipu__reader_unwatch(scan->reader, ahead->progress);
    quipu__scan_end_ahead(scan); /* the consumer makes its rows itself */
    return QUIPU_OK;
}

/* Afterwards the reader is the caller's again. */
static void end_thread(struct quipu__scan_ahead *ahead) {
    if (!ahead->thread)
        return;
    quipu__lock_take(ahead->lock);
    ahead->is_over = true;
    quipu__lock_wake(ahead->lock);
    quipu__lock_give(ahead->lock);
    quipu__thread_join(ahead->thread);
    ahead->thread = NULL;
    quipu__reader_unwatch(ahead->scan->reader, ahead->progress);
}

void quipu__scan_end_ahead(struct quipu__scan *scan) {
    struct quipu__scan_ahead *ahead = scan->ahead;
    if (!ahead)
        return;
    end_thread(ahead);
    for (; ahead->first < ahead->end; ahead->first++)
        quipu__rows_free(ahead->made[ahead->first % AHEAD].rows);
    quipu__lock_free(ahead->lock);
    quipu__release(&scan->memory, ahead, sizeof *ahead);
    scan->ahead = NULL;
}

/* Without the lock meanwhile. */
static void report(struct quipu__scan_ahead *ahead) {
    const struct quipu_progress *progress = &ahead->progress;
    const uint64_t bytes = ahead->bytes, total = ahead->total, events = ahead->events;
    if (!progress->report || ahead->stops)
        return;
    quipu__lock_give(ahead->lock);
    const bool goes_on = progress->report(progress->context, bytes, total, events);
    quipu__lock_take(ahead->lock);
    ahead->stops |= !goes_on;
}

/* Without the lock meanwhile: makes ready what the thread will fill, or waits for it. */
static void wait_for_rows(struct quipu__scan_ahead *ahead) {
    quipu__lock_give(ahead->lock);
    const bool has_worked = quipu__row_pool_refill(ahead->scan->pool);
    quipu__lock_take(ahead->lock);
    if (has_worked || ahead->first < ahead->end)
        return;
    quipu__lock_wait(ahead->lock, WAIT_NS);
    if (ahead->first == ahead->end)
        report(ahead);
}

/* When the user stops the work, that is the failure with which the reader has stopped. */
static struct made next_made(struct quipu__scan_ahead *ahead) {
    quipu__lock_take(ahead->lock);
    report(ahead);
    while (ahead->first == ahead->end)
        wait_for_rows(ahead);
    const struct made made = ahead->made[ahead->first++ % AHEAD];
    quipu__lock_wake(ahead->lock);
    quipu__lock_give(ahead->lock);
    return made;
}

enum quipu_status quipu__scan_consume(struct quipu__scan *scan, struct quipu__rows **out,
                                      struct quipu_error *err) {
    *out = NULL;
    if (!scan->ahead->thread)
        return QUIPU_END;
    const struct made made = next_made(scan->ahead);
    *out = made.rows;
    if (made.status == QUIPU_OK)
        return QUIPU_OK;
    end_thread(scan->ahead);
    if (err && made.status != QUIPU_END)
        *err = made.err;
    return made.status;
}
