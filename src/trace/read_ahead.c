/* read_ahead.c: see read_ahead.h. One lock protects what threads share; each takes it twice per slot. Waking a thread takes as long as
 * about a thousand events, so a thread that has to wait polls for about as long before it sleeps, and one that found no room sleeps
 * until half of the slots are free. */
#include "trace/read_ahead.h"

#include "core/error.h"
#include "core/os.h"
#include "state/events.h"

/* The contents of the slots fit into a cache. */
enum { SLOTS_LEAST = 2, SLOTS_OF_THREAD = 4, SLOT_EVENTS = 2048, SLOT_BATCHES = 64 };
#define WAIT_NS ((uint64_t)50 * 1000000)

/* How often a thread polls before it sleeps: for some tens of microseconds. */
enum { LOOKS = 100 };

struct slot {
    QUIPU__VEC(struct quipu__batch *) batches; /* allocated so far */
    uint32_t count;                            /* number of batches with events, in order */
    uint64_t events;                           /* number of events in them */
    struct quipu__window_range range;          /* when windows are read */
    enum quipu_status status;                  /* of reading them: QUIPU_OK when more may come */
    struct quipu_error err;
    bool is_read;
};

struct ring {
    const struct quipu__read_ahead *reading;
    struct quipu__event_pass *pass;
    struct quipu__memory *memory;
    struct quipu__lock *gate; /* of the memory and of the files */
    struct quipu__lock *lock; /* of everything up to the slots */
    uint64_t first,
        taken; /* number of the slot to consume next, and of the one to read next, counted from the beginning */
    uint64_t changes; /* polled by waiting threads */
    uint64_t bytes;   /* read so far */
    bool has_ended;   /* nothing more to read */
    bool is_reading;  /* a thread is reading what only one at a time can read */
    bool lies_apart;  /* all threads can read */
    uint32_t slot_count;
    struct slot *slots;

    /* of the thread that reads a pass without ranges */
    const struct quipu_batch *read; /* the latest batch of the pass; NULL before the first */
    uint32_t next, attribute;       /* next event of it, and its first attribute */
};

static bool reads_windows(const struct ring *ring) {
    return ring->pass->order == QUIPU_ORDER_WINDOWS;
}

/* ---- Reading: batches of a slot ---- */

/* The batch with that number of the slot; NULL when memory is out. */
static struct quipu__batch *batch_of(const struct ring *ring, struct slot *slot, uint32_t number,
                                     uint32_t capacity) {
    if (number < slot->batches.count)
        return slot->batches.items[number];
    struct quipu__batch **batch = QUIPU__VEC_ADD(ring->memory, &slot->batches);
    if (!batch)
        return NULL;
    if (quipu__batch_new(ring->memory, capacity, batch, &slot->err) != QUIPU_OK)
        slot->batches.count--;
    return number < slot->batches.count ? *batch : NULL;
}

static enum quipu_status no_batch(struct slot *slot, uint32_t capacity) {
    return quipu__no_memory(&slot->err, capacity * sizeof(struct quipu_event));
}

/* ---- Reading: a range of windows ---- */

static enum quipu_status fill_with_range(struct ring *ring, struct slot *slot) {
    struct quipu__windows *windows = &ring->pass->windows;
    enum quipu_status status = QUIPU_OK;
    while (status == QUIPU_OK) {
        struct quipu__batch *batch = batch_of(ring, slot, slot->count, windows->share.capacity);
        if (!batch)
            return no_batch(slot, windows->share.capacity);
        status = quipu__windows_read(windows, &slot->range, batch, &slot->err);
        if (quipu__define_needs_definition(ring->pass->trace->define))
            return QUIPU_END;
        if (status != QUIPU_OK)
            break;
        slot->count++;
        slot->events += batch->batch.count + batch->left_out;
    }
    return status == QUIPU_END ? QUIPU_OK : status;
}

/* ---- Reading: copying events of a merge, whose batches belong to it or to its sources ---- */

/* The next batch of the pass. */
static enum quipu_status read_batch(struct ring *ring, struct slot *slot) {
    ring->next = ring->attribute = 0;
    const enum quipu_status status = quipu__event_pass_next(ring->pass, &ring->read, &slot->err);
    if (status != QUIPU_OK)
        ring->read = NULL;
    return quipu__define_needs_definition(ring->pass->trace->define) ? QUIPU_END : status;
}

/* Makes sure that there are events that were read but not copied. */
static enum quipu_status read_on(struct ring *ring, struct slot *slot) {
    return ring->read && ring->next < ring->read->count ? QUIPU_OK : read_batch(ring, slot);
}

/* Columns that all events use are copied at once, the others only for events that use them. */
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

/* Copies as many of the read events as there is room for. False when memory is out. */
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

/* Fills a batch with events that have the same complete_to. */
static enum quipu_status fill_with_copies(struct ring *ring, struct slot *slot) {
    enum quipu_status status = QUIPU_OK;
    struct quipu__batch *batch = batch_of(ring, slot, 0, SLOT_EVENTS);
    if (!batch)
        return no_batch(slot, SLOT_EVENTS);
    quipu__batch_clear(batch);
    while (quipu__batch_left(batch) > 0 && (status = read_on(ring, slot)) == QUIPU_OK) {
        if (batch->batch.count == 0) {
            batch->batch.complete_to = ring->read->complete_to;
            batch->batch.stream = ring->read->stream;
        } else if (batch->batch.complete_to != ring->read->complete_to ||
                   batch->batch.stream != ring->read->stream) {
            break;
        }
        if (!copy_events(ring, batch))
            status = quipu__no_memory(&slot->err, sizeof(struct quipu_attribute));
        if (status != QUIPU_OK)
            break;
    }
    slot->count = batch->batch.count > 0;
    slot->events = batch->batch.count;
    return status;
}

/* ---- Reading: exchanging batches that the pass has decoded one after the other ---- */

/* Takes over one batch in exchange for another of the same size. */
static enum quipu_status exchange_batch(struct ring *ring, struct slot *slot) {
    enum quipu_status status = read_batch(ring, slot);
    if (status != QUIPU_OK)
        return status;
    struct quipu__batch *batch = batch_of(ring, slot, slot->count, ring->read->capacity);
    if (!batch)
        return no_batch(slot, ring->read->capacity);
    quipu__event_pass_exchange(ring->pass, batch);
    slot->events += batch->batch.count;
    slot->count++;
    return QUIPU_OK;
}

static enum quipu_status fill_by_exchange(struct ring *ring, struct slot *slot) {
    enum quipu_status status = QUIPU_OK;
    uint64_t room = SLOT_EVENTS;
    while (status == QUIPU_OK && room > 0 && slot->count < SLOT_BATCHES) {
        status = exchange_batch(ring, slot);
        const uint32_t capacity = status == QUIPU_OK ? slot->batches.items[slot->count - 1]->batch.capacity : 0;
        room -= capacity < room ? capacity : room;
    }
    return status;
}

/* ---- Slots: under the lock, but for reading ---- */

static struct slot *slot_at(const struct ring *ring, uint64_t number) {
    return &ring->slots[number % ring->slot_count];
}

static void tell_others(struct ring *ring) {
    ring->changes++;
    quipu__lock_wake(ring->lock);
}

/* Notes that there is nothing more to read. */
static void end_reading(struct ring *ring) {
    ring->has_ended = true;
    tell_others(ring);
}

/* Takes the next slot to read into, with what is to be read; NULL when there is none now. */
static struct slot *take_slot(struct ring *ring) {
    struct slot *slot = slot_at(ring, ring->taken);
    if (ring->has_ended || ring->taken - ring->first == ring->slot_count ||
        (!ring->lies_apart && ring->is_reading))
        return NULL;
    if (reads_windows(ring) && !quipu__windows_take(&ring->pass->windows, &slot->range)) {
        if (quipu__windows_have_ended(&ring->pass->windows))
            end_reading(ring);
        return NULL;
    }
    slot->count = 0;
    slot->events = 0;
    slot->is_read = false;
    slot->err = (struct quipu_error)QUIPU_ERROR_INIT;
    ring->is_reading = true;
    ring->taken++;
    return slot;
}

static enum quipu_status fill(struct ring *ring, struct slot *slot) {
    if (reads_windows(ring))
        return fill_with_range(ring, slot);
    return quipu__event_pass_exchanges(ring->pass) ? fill_by_exchange(ring, slot)
                                                   : fill_with_copies(ring, slot);
}

/* Releases the lock while the slot is filled. */
static void read_slot(struct ring *ring, struct slot *slot) {
    const uint64_t number = ring->taken;
    quipu__lock_give(ring->lock);
    quipu__findings_begin(ring->pass->trace->findings, (uint32_t)number);
    const enum quipu_status status = fill(ring, slot);
    quipu__lock_take(ring->lock);
    if (reads_windows(ring))
        quipu__windows_give_back(&ring->pass->windows, &slot->range);
    slot->status = status;
    slot->is_read = true;
    ring->bytes = ring->pass->counts->bytes;
    ring->has_ended |= status != QUIPU_OK;
    ring->is_reading = false;
    tell_others(ring);
}

/* Waits until another thread has made progress. */
static void wait_for_others(struct ring *ring) {
    const uint64_t changes = ring->changes;
    for (int i = 0; i < LOOKS && ring->changes == changes; i++)
        quipu__lock_pause(ring->lock);
    if (ring->changes == changes)
        quipu__lock_wait(ring->lock, WAIT_NS);
}

/* ---- In a thread that reads ---- */

static void read_slots(void *context) {
    struct ring *ring = context;
    quipu__lock_take(ring->lock);
    while (!ring->has_ended) {
        struct slot *slot = take_slot(ring);
        if (slot)
            read_slot(ring, slot);
        else if (!ring->has_ended)
            wait_for_others(ring);
    }
    quipu__lock_give(ring->lock);
}

/* ---- In the calling thread ---- */

/* The next slot that has been read; NULL at the end. Itself reads a slot that no other thread has begun. */
static struct slot *wait_for_slot(struct ring *ring) {
    struct slot *slot = slot_at(ring, ring->first), *own;
    while (ring->first == ring->taken || !slot->is_read) {
        if ((own = take_slot(ring)) != NULL)
            read_slot(ring, own);
        else if (ring->has_ended && ring->first == ring->taken)
            return NULL;
        else
            wait_for_others(ring);
    }
    return slot;
}

static void drop_slot(struct ring *ring) {
    ring->first++;
    ring->changes++;
    if (ring->taken - ring->first <= ring->slot_count / 2)
        quipu__lock_wake(ring->lock);
}

static enum quipu_status consume_slot(const struct quipu__read_ahead *reading, const struct slot *slot,
                                      uint64_t bytes, uint64_t *delivered, struct quipu_error *err) {
    enum quipu_status status = reading->report(reading->report_context, bytes, *delivered, err);
    for (uint32_t i = 0; i < slot->count && status == QUIPU_OK; i++)
        status = reading->consume(reading->state, &slot->batches.items[i]->batch, err);
    *delivered += slot->events;
    if (status == QUIPU_OK && slot->status < QUIPU_OK && err)
        *err = slot->err;
    return status == QUIPU_OK ? slot->status : status;
}

/* Releases the lock while a slot is consumed. QUIPU_END at the end. */
static enum quipu_status consume_slots(struct ring *ring, uint64_t *delivered, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    const struct slot *slot;
    while (status == QUIPU_OK && (slot = wait_for_slot(ring)) != NULL) {
        const uint64_t bytes = ring->bytes;
        quipu__lock_give(ring->lock);
        status = consume_slot(ring->reading, slot, bytes, delivered, err);
        quipu__lock_take(ring->lock);
        drop_slot(ring);
    }
    end_reading(ring);
    return status == QUIPU_OK ? QUIPU_END : status;
}

/* ---- The ring ---- */

enum { HELPERS_MOST = 255 };

/* The number of threads besides the one that consumes. */
static uint32_t helpers_of(const struct ring *ring) {
    const uint32_t most = ring->reading->thread_count - 1;
    if (!ring->lies_apart)
        return 1;
    return most < HELPERS_MOST ? most : HELPERS_MOST;
}

/* Runs with fewer threads if the system refuses some. */
static enum quipu_status run_threads(struct ring *ring, uint64_t *delivered, struct quipu_error *err) {
    struct quipu__thread *helpers[HELPERS_MOST];
    uint32_t count = 0;
    const uint32_t wanted = helpers_of(ring);
    while (count < wanted && (helpers[count] = quipu__thread_start(read_slots, ring)) != NULL)
        count++;
    quipu__lock_take(ring->lock);
    const enum quipu_status status = consume_slots(ring, delivered, err);
    quipu__lock_give(ring->lock);
    while (count > 0)
        quipu__thread_join(helpers[--count]);
    if (status != QUIPU_END)
        return status;
    return ring->reading->report(ring->reading->report_context, ring->pass->counts->bytes, *delivered, err);
}

/* Runs with locks on what the threads share. */
static enum quipu_status run_safely(struct ring *ring, uint64_t *delivered, struct quipu_error *err) {
    struct quipu__trace *trace = ring->pass->trace;
    if (!quipu__findings_share(trace->findings, ring->reading->thread_count))
        return quipu__no_memory(err, ring->reading->thread_count * sizeof(uint64_t));
    quipu__define_lock(trace->define);
    trace->memory->lock = trace->files->lock = ring->gate;
    const enum quipu_status status = run_threads(ring, delivered, err);
    trace->memory->lock = trace->files->lock = NULL;
    quipu__define_unlock(trace->define);
    quipu__findings_end_sharing(trace->findings);
    *ring->reading->must_repeat |= quipu__define_needs_definition(trace->define);
    return status;
}

static void release_slots(struct ring *ring) {
    for (uint32_t i = 0; i < ring->slot_count; i++) {
        for (size_t k = 0; k < ring->slots[i].batches.count; k++)
            quipu__batch_free(ring->slots[i].batches.items[k]);
        QUIPU__VEC_RELEASE(ring->memory, &ring->slots[i].batches);
    }
    quipu__release(ring->memory, ring->slots, ring->slot_count * sizeof *ring->slots);
}

/* Enough slots that no thread waits for room, within an eighth of the remaining memory. */
static uint32_t count_slots(const struct ring *ring) {
    const size_t left = ring->memory->limit > ring->memory->used ? ring->memory->limit - ring->memory->used : 0;
    const size_t bytes = reads_windows(ring) ? quipu__windows_range_bytes(&ring->pass->windows)
                                             : (size_t)SLOT_EVENTS * QUIPU__EVENT_BYTES;
    const size_t wanted = (size_t)SLOTS_OF_THREAD * ring->reading->thread_count, most = left / 8 / bytes;
    const size_t count = wanted < most ? wanted : most;
    return (uint32_t)(count > SLOTS_LEAST ? count : SLOTS_LEAST);
}

static enum quipu_status run_ring(struct ring *ring, uint64_t *delivered, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    if (reads_windows(ring)) {
        status = quipu__windows_start(&ring->pass->windows, true, err);
        ring->lies_apart = quipu__windows_lie_apart(&ring->pass->windows);
    }
    ring->slot_count = count_slots(ring);
    ring->slots = quipu__alloc_zero(ring->memory, ring->slot_count * sizeof *ring->slots);
    if (!ring->slots)
        return quipu__no_memory(err, ring->slot_count * sizeof *ring->slots);
    if (status == QUIPU_OK)
        status = run_safely(ring, delivered, err);
    release_slots(ring);
    return status;
}

enum quipu_status quipu__read_ahead_run(const struct quipu__read_ahead *reading, struct quipu__event_pass *pass,
                                        uint64_t *delivered, struct quipu_error *err) {
    struct ring ring = {.reading = reading,
                        .pass = pass,
                        .memory = pass->trace->memory,
                        .gate = quipu__lock_new(),
                        .lock = quipu__lock_new()};
    *reading->must_repeat = false;
    const enum quipu_status status =
        ring.gate && ring.lock ? run_ring(&ring, delivered, err) : quipu__no_memory(err, sizeof ring);
    quipu__lock_free(ring.gate);
    quipu__lock_free(ring.lock);
    return status;
}
