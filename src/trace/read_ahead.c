/* read_ahead.c: see read_ahead.h. What both threads look at is behind one lock, which each takes once per batch. To be woken takes
 * as long as some thousand events: so a thread that has to wait looks again for about as long, and sleeps only then, until half of
 * the ring is ready for it. */
#include "trace/read_ahead.h"

#include "core/error.h"
#include "core/os.h"
#include "state/events.h"

/* What the ring holds fits into a cache. */
enum { SLOTS = 8, HALF = SLOTS / 2, SLOT_EVENTS = 2048, SLOT_BATCHES = 64 };
#define WAIT_NS ((uint64_t)50 * 1000000)

/* How often a thread looks again before it sleeps: for some ten microseconds. */
enum { LOOKS = 100 };

struct slot {
    struct quipu__batch *batches[SLOT_BATCHES]; /* NULL until they are needed */
    uint32_t count;                             /* batches with events, in their order */
    uint64_t bytes;                             /* that had been read by then */
};

struct ring {
    const struct quipu__read_ahead *reading;
    struct quipu__event_pass *pass;
    struct quipu__memory *memory;
    struct quipu__lock *gate; /* of the memory and of the files */
    struct quipu__lock *lock; /* of the members up to the status */
    uint32_t first, count;    /* slots with events */
    bool has_ended;           /* no more will come */
    bool is_stopped;          /* no more is wanted */
    enum quipu_status status; /* why it has ended */
    struct quipu_error err;
    struct slot slots[SLOTS];

    /* of the reading thread */
    const struct quipu_batch *read; /* the latest batch of the pass; NULL before the first */
    uint32_t next, attribute;       /* what of it comes next */
};

/* ---- Waiting ---- */

/* Looks for a while whether the other thread has come on. */
static void look_again(const struct ring *ring) {
    const uint32_t count = ring->count;
    for (int i = 0; i < LOOKS && ring->count == count && !ring->has_ended && !ring->is_stopped; i++)
        quipu__lock_pause(ring->lock);
}

/* ---- In the reading thread ---- */

/* The next slot to be filled; NULL when no more is wanted. */
static struct slot *wait_for_room(struct ring *ring) {
    quipu__lock_take(ring->lock);
    if (ring->count == SLOTS)
        look_again(ring);
    if (ring->count == SLOTS)
        while (ring->count > HALF && !ring->is_stopped)
            quipu__lock_wait(ring->lock, WAIT_NS);
    struct slot *slot = ring->is_stopped ? NULL : &ring->slots[(ring->first + ring->count) % SLOTS];
    quipu__lock_give(ring->lock);
    return slot;
}

/* The next batch of the pass. */
static enum quipu_status read_batch(struct ring *ring) {
    ring->next = ring->attribute = 0;
    const enum quipu_status status = quipu__event_pass_next(ring->pass, &ring->read, &ring->err);
    if (status != QUIPU_OK)
        ring->read = NULL;
    return quipu__define_needs_definition(ring->pass->trace->define) ? QUIPU_END : status;
}

static enum quipu_status make_batch(struct ring *ring, struct slot *slot, uint32_t number, uint32_t capacity) {
    if (slot->batches[number])
        return QUIPU_OK;
    return quipu__batch_new(ring->memory, capacity, &slot->batches[number], &ring->err);
}

/* ---- Copying: events of a merge, whose batches belong to it or to its sources ---- */

/* Makes sure that there are events that have been read and not copied. */
static enum quipu_status read_on(struct ring *ring) {
    return ring->read && ring->next < ring->read->count ? QUIPU_OK : read_batch(ring);
}

/* Columns that all events use are copied in one go, the others only for those that do. */
static void copy_columns(struct quipu_batch *to, const struct quipu_batch *from, uint32_t first,
                         uint32_t count) {
    const uint32_t all = 1u << QUIPU_COLUMN_object, behind = to->count;
    memcpy(to->time + behind, from->time + first, count * sizeof *to->time);
    memcpy(to->kind + behind, from->kind + first, count * sizeof *to->kind);
    memcpy(to->location + behind, from->location + first, count * sizeof *to->location);
    memcpy(to->byte_offset + behind, from->byte_offset + first, count * sizeof *to->byte_offset);
    memcpy(to->object + behind, from->object + first, count * sizeof *to->object);
    for (uint32_t i = 0; i < count; i++) {
        if (QUIPU__LIKELY((quipu__kind_columns[from->kind[first + i]] & ~all) == 0))
            continue;
#define QUIPU_COLUMN(name, c_type, doc) to->name[behind + i] = from->name[first + i];
#include <quipu/columns.def>
#undef QUIPU_COLUMN
    }
    to->count += count;
}

/* Copies as many of the events that have been read as there is room for. False when memory is out. */
static bool copy_events(struct ring *ring, struct quipu__batch *to) {
    const uint32_t left = ring->read->count - ring->next, room = quipu__batch_left(to);
    const uint32_t count = left < room ? left : room, end = ring->next + count;
    if (ring->read->attribute_count == 0)
        copy_columns(&to->batch, ring->read, ring->next, count);
    else
        for (uint32_t i = ring->next; i < end; i++)
            if (!quipu__batch_copy(to, ring->read, i, &ring->attribute))
                return false;
    ring->next = end;
    return true;
}

/* Fills a batch with events that have the same to say about what is complete. */
static enum quipu_status copy_into(struct ring *ring, struct quipu__batch *batch) {
    enum quipu_status status = QUIPU_OK;
    quipu__batch_clear(batch);
    while (quipu__batch_left(batch) > 0 && (status = read_on(ring)) == QUIPU_OK) {
        if (batch->batch.count == 0) {
            batch->batch.complete_to = ring->read->complete_to;
            batch->batch.stream = ring->read->stream;
        } else if (batch->batch.complete_to != ring->read->complete_to ||
                   batch->batch.stream != ring->read->stream) {
            break;
        }
        if (!copy_events(ring, batch))
            return quipu__no_memory(&ring->err, sizeof(struct quipu_attribute));
    }
    return status;
}

static enum quipu_status fill_with_copies(struct ring *ring, struct slot *slot) {
    enum quipu_status status = make_batch(ring, slot, 0, SLOT_EVENTS);
    if (status != QUIPU_OK)
        return status;
    status = copy_into(ring, slot->batches[0]);
    slot->count = slot->batches[0]->batch.count > 0;
    return status;
}

/* ---- Exchanging: batches that the pass has decoded one after the other ---- */

/* Takes over one batch, in exchange for one that is as large. */
static enum quipu_status exchange_batch(struct ring *ring, struct slot *slot) {
    enum quipu_status status = read_batch(ring);
    if (status == QUIPU_OK)
        status = make_batch(ring, slot, slot->count, ring->read->capacity);
    if (status == QUIPU_OK)
        quipu__event_pass_exchange(ring->pass, slot->batches[slot->count++]);
    return status;
}

static enum quipu_status fill_by_exchange(struct ring *ring, struct slot *slot) {
    enum quipu_status status = QUIPU_OK;
    uint64_t room = SLOT_EVENTS;
    while (status == QUIPU_OK && room > 0 && slot->count < SLOT_BATCHES) {
        status = exchange_batch(ring, slot);
        const uint32_t capacity = status == QUIPU_OK ? slot->batches[slot->count - 1]->batch.capacity : 0;
        room -= capacity < room ? capacity : room;
    }
    return status;
}

/* ---- The slots ---- */

static enum quipu_status fill(struct ring *ring, struct slot *slot) {
    slot->count = 0;
    return quipu__event_pass_exchanges(ring->pass) ? fill_by_exchange(ring, slot)
                                                   : fill_with_copies(ring, slot);
}

static void publish(struct ring *ring, struct slot *slot, enum quipu_status status) {
    slot->bytes = ring->pass->counts->bytes;
    quipu__lock_take(ring->lock);
    ring->count += slot->count > 0;
    ring->has_ended = status != QUIPU_OK;
    ring->status = status;
    if (ring->count >= HALF || ring->has_ended)
        quipu__lock_wake(ring->lock);
    quipu__lock_give(ring->lock);
}

static void read_pass(void *context) {
    struct ring *ring = context;
    enum quipu_status status = QUIPU_OK;
    struct slot *slot;
    while (status == QUIPU_OK && (slot = wait_for_room(ring)) != NULL) {
        status = fill(ring, slot);
        publish(ring, slot, status);
    }
}

/* ---- In the calling thread ---- */

/* The next slot with events; NULL at the end. */
static const struct slot *wait_for_events(struct ring *ring) {
    quipu__lock_take(ring->lock);
    if (ring->count == 0)
        look_again(ring);
    if (ring->count == 0)
        while (ring->count < HALF && !ring->has_ended)
            quipu__lock_wait(ring->lock, WAIT_NS);
    const struct slot *slot = ring->count > 0 ? &ring->slots[ring->first] : NULL;
    quipu__lock_give(ring->lock);
    return slot;
}

static void drop_slot(struct ring *ring, bool is_stopped) {
    quipu__lock_take(ring->lock);
    ring->first = (ring->first + 1) % SLOTS;
    ring->count--;
    ring->is_stopped = is_stopped;
    if (ring->count <= HALF || is_stopped)
        quipu__lock_wake(ring->lock);
    quipu__lock_give(ring->lock);
}

static enum quipu_status consume_slot(const struct quipu__read_ahead *reading, const struct slot *slot,
                                      uint64_t *delivered, struct quipu_error *err) {
    enum quipu_status status = reading->report(reading->report_context, slot->bytes, *delivered, err);
    for (uint32_t i = 0; i < slot->count && status == QUIPU_OK; i++) {
        const struct quipu_batch *batch = &slot->batches[i]->batch;
        status = reading->consume(reading->state, batch, err);
        *delivered += batch->count;
    }
    return status;
}

static enum quipu_status consume_pass(struct ring *ring, uint64_t *delivered, struct quipu_error *err) {
    const struct quipu__read_ahead *reading = ring->reading;
    enum quipu_status status = QUIPU_OK;
    const struct slot *slot;
    while (status == QUIPU_OK && (slot = wait_for_events(ring)) != NULL) {
        status = consume_slot(reading, slot, delivered, err);
        drop_slot(ring, status != QUIPU_OK);
    }
    if (status == QUIPU_OK && ring->status == QUIPU_END)
        status = reading->report(reading->report_context, ring->pass->counts->bytes, *delivered, err);
    return status;
}

/* A batch is read and consumed by turns. */
static enum quipu_status run_alone(struct ring *ring, uint64_t *delivered, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK, read = QUIPU_OK;
    while (status == QUIPU_OK && read == QUIPU_OK) {
        read = fill(ring, &ring->slots[ring->first]);
        publish(ring, &ring->slots[ring->first], read);
        ring->has_ended = true;
        status = consume_pass(ring, delivered, err);
    }
    return status;
}

static enum quipu_status run_thread(struct ring *ring, uint64_t *delivered, struct quipu_error *err) {
    struct quipu__thread *thread = quipu__thread_start(read_pass, ring);
    const enum quipu_status status =
        thread ? consume_pass(ring, delivered, err) : run_alone(ring, delivered, err);
    if (thread)
        quipu__thread_join(thread);
    if (status != QUIPU_OK || ring->status == QUIPU_END)
        return status;
    if (err)
        *err = ring->err;
    return ring->status;
}

/* With what the threads share made safe for them. */
static enum quipu_status run_safely(struct ring *ring, uint64_t *delivered, struct quipu_error *err) {
    struct quipu__trace *trace = ring->pass->trace;
    quipu__define_lock(trace->define);
    trace->memory->lock = trace->files->lock = ring->gate;
    const enum quipu_status status = run_thread(ring, delivered, err);
    trace->memory->lock = trace->files->lock = NULL;
    quipu__define_unlock(trace->define);
    *ring->reading->must_repeat |= quipu__define_needs_definition(trace->define);
    return status;
}

static enum quipu_status run_ring(struct ring *ring, uint64_t *delivered, struct quipu_error *err) {
    const enum quipu_status status = run_safely(ring, delivered, err);
    for (uint32_t i = 0; i < SLOTS; i++)
        for (uint32_t k = 0; k < SLOT_BATCHES; k++)
            quipu__batch_free(ring->slots[i].batches[k]);
    return status;
}

enum quipu_status quipu__read_ahead_run(const struct quipu__read_ahead *reading, struct quipu__event_pass *pass,
                                        uint64_t *delivered, struct quipu_error *err) {
    struct ring ring = {.reading = reading,
                        .pass = pass,
                        .memory = pass->trace->memory,
                        .gate = quipu__lock_new(),
                        .lock = quipu__lock_new(),
                        .err = QUIPU_ERROR_INIT};
    *reading->must_repeat = false;
    const enum quipu_status status =
        ring.gate && ring.lock ? run_ring(&ring, delivered, err) : quipu__no_memory(err, sizeof ring);
    quipu__lock_free(ring.gate);
    quipu__lock_free(ring.lock);
    return status;
}
