/* reorder.c: a heap of entries over a batch of events. Events that were given back leave holes in the batch; when it is full the
 * others are copied to a second batch, which replaces it. */
#include "model/reorder.h"

#include "core/error.h"

enum { CAPACITY_AT_FIRST = 64 };

void quipu__reorder_release(struct quipu__reorder *reorder) {
    quipu__batch_free(reorder->held);
    quipu__batch_free(reorder->spare);
    QUIPU__VEC_RELEASE(reorder->memory, &reorder->rows);
    QUIPU__VEC_RELEASE(reorder->memory, &reorder->free_rows);
    QUIPU__VEC_RELEASE(reorder->memory, &reorder->heap);
    reorder->held = reorder->spare = NULL;
}

/* ---- The heap ---- */

static bool precedes(const struct quipu__reorder_entry *a, const struct quipu__reorder_entry *b) {
    if (a->time != b->time)
        return a->time < b->time;
    return a->location != b->location ? a->location < b->location : a->number < b->number;
}

/* Adds an entry, for which there is room. It is written member by member: reading a freshly assembled entry as a whole would
 * make the processor wait. */
QUIPU__INLINE void add_entry(struct quipu__reorder *reorder, int64_t time, uint32_t location, uint32_t event,
                             uint32_t attribute) {
    struct quipu__reorder_entry *heap = reorder->heap.items;
    const struct quipu__reorder_entry entry = {
        .time = time, .number = reorder->number++, .location = reorder->by_location ? location : 0};
    size_t index = reorder->heap.count++;
    for (; index > 0 && precedes(&entry, &heap[(index - 1) / 2]); index = (index - 1) / 2)
        heap[index] = heap[(index - 1) / 2];
    heap[index].time = time;
    heap[index].number = entry.number;
    heap[index].location = entry.location;
    heap[index].event = event;
    heap[index].attribute = attribute;
}

static void sift_down(struct quipu__reorder *reorder, struct quipu__reorder_entry entry) {
    struct quipu__reorder_entry *heap = reorder->heap.items;
    const size_t count = reorder->heap.count;
    size_t index = 0;
    for (size_t child; (child = 2 * index + 1) < count; index = child) {
        child += child + 1 < count && precedes(&heap[child + 1], &heap[child]);
        if (precedes(&entry, &heap[child]))
            break;
        heap[index] = heap[child];
    }
    heap[index] = entry;
}

static void remove_first(struct quipu__reorder *reorder) {
    if (--reorder->heap.count > 0)
        sift_down(reorder, reorder->heap.items[reorder->heap.count]);
}

/* ---- Room ---- */

/* Copies an event with its attributes and says where the copy is. */
static bool copy(struct quipu__batch *to, const struct quipu_batch *from, struct quipu__reorder_entry *entry) {
    uint32_t attribute = entry->attribute;
    entry->attribute = to->batch.attribute_count;
    if (!quipu__batch_copy(to, from, entry->event, &attribute))
        return false;
    entry->event = to->batch.count - 1;
    return true;
}

/* Makes the spare batch large enough for all that is held and as many more. */
static enum quipu_status need_spare(struct quipu__reorder *reorder, uint32_t count, struct quipu_error *err) {
    uint32_t capacity = CAPACITY_AT_FIRST;
    while (capacity < 2 * count)
        capacity *= 2;
    if (!reorder->spare)
        return quipu__batch_new(reorder->memory, capacity, &reorder->spare, err);
    quipu__batch_clear(reorder->spare);
    return quipu__batch_grow(reorder->spare, capacity, err);
}

/* Makes room for more events after those that are held. */
static enum quipu_status make_room(struct quipu__reorder *reorder, uint32_t more, struct quipu_error *err) {
    if (reorder->held && quipu__batch_left(reorder->held) >= more)
        return QUIPU_OK;
    const enum quipu_status status = need_spare(reorder, quipu__reorder_count(reorder) + more, err);
    if (status != QUIPU_OK)
        return status;
    for (size_t i = 0; i < reorder->heap.count; i++)
        if (reorder->heap.items[i].attribute != QUIPU__REORDER_ROW &&
            !copy(reorder->spare, &reorder->held->batch, &reorder->heap.items[i]))
            return quipu__no_memory(err, sizeof(struct quipu_attribute));
    struct quipu__batch *full = reorder->held;
    reorder->held = reorder->spare;
    reorder->spare = full;
    return QUIPU_OK;
}

/* ---- Holding and giving ---- */

/* Index of the first attribute of an event or of later ones. */
static uint32_t first_attribute(const struct quipu_batch *batch, uint32_t event) {
    uint32_t i = batch->attribute_count;
    while (i > 0 && batch->attributes[i - 1].event >= event)
        i--;
    return i;
}

static void cut_batch(struct quipu__batch *batch, uint32_t count, uint32_t attribute_count) {
    batch->batch.count = count;
    batch->attributes.count = batch->batch.attribute_count = attribute_count;
}

enum quipu_status quipu__reorder_hold(struct quipu__reorder *reorder, struct quipu__batch *batch,
                                      uint32_t first, struct quipu_error *err) {
    const uint32_t count = batch->batch.count - first, attribute = first_attribute(&batch->batch, first);
    if (count > reorder->limit - quipu__reorder_count(reorder))
        return quipu__fail(err, QUIPU_LIMIT, "%u events wait for their time, expected at most %u",
                           quipu__reorder_count(reorder) + count, reorder->limit);
    const enum quipu_status status = make_room(reorder, count, err);
    if (status != QUIPU_OK)
        return status;
    if (!QUIPU__VEC_RESERVE(reorder->memory, &reorder->heap, count))
        return quipu__no_memory(err, count * sizeof *reorder->heap.items);
    for (uint32_t i = first; i < batch->batch.count; i++) {
        struct quipu__reorder_entry entry = {.event = i, .attribute = attribute};
        if (!copy(reorder->held, &batch->batch, &entry))
            return quipu__no_memory(err, sizeof(struct quipu_attribute));
        add_entry(reorder, batch->batch.time[i], batch->batch.location[i], entry.event, entry.attribute);
    }
    cut_batch(batch, first, attribute);
    return QUIPU_OK;
}

/* A free row: one that was given back, or a new one. Giving needs no memory. */
static bool take_row(struct quipu__reorder *reorder, uint32_t *out) {
    if (QUIPU__LIKELY(reorder->free_rows.count > 0)) {
        *out = reorder->free_rows.items[--reorder->free_rows.count];
        return true;
    }
    *out = (uint32_t)reorder->rows.count;
    return QUIPU__VEC_ADD(reorder->memory, &reorder->rows) &&
           (reorder->free_rows.capacity >= reorder->rows.capacity ||
            QUIPU__VEC_RESERVE(reorder->memory, &reorder->free_rows, reorder->rows.capacity));
}

struct quipu_event *quipu__reorder_hold_row(struct quipu__reorder *reorder, int64_t time, uint32_t location) {
    uint32_t number;
    if ((QUIPU__UNLIKELY(reorder->heap.count == reorder->heap.capacity) &&
         !QUIPU__VEC_RESERVE(reorder->memory, &reorder->heap, 1)) ||
        !take_row(reorder, &number))
        return NULL;
    add_entry(reorder, time, location, number, QUIPU__REORDER_ROW);
    struct quipu_event *row = &reorder->rows.items[number];
    row->time = time;
    row->location = location;
    return row;
}

/* Gives the earliest event; there must be one. */
static bool give_first(struct quipu__reorder *reorder, struct quipu__batch *batch) {
    struct quipu__reorder_entry *first = &reorder->heap.items[0];
    if (first->attribute == QUIPU__REORDER_ROW) {
        quipu__batch_add_row(&batch->batch, &reorder->rows.items[first->event]);
        reorder->free_rows.items[reorder->free_rows.count++] = first->event;
    } else if (!copy(batch, &reorder->held->batch, first)) {
        return false;
    }
    remove_first(reorder);
    return true;
}

enum quipu_status quipu__reorder_give(struct quipu__reorder *reorder, int64_t until, struct quipu__batch *batch,
                                      struct quipu_error *err) {
    while (reorder->heap.count > 0 && reorder->heap.items[0].time <= until && quipu__batch_left(batch) > 0)
        if (!give_first(reorder, batch))
            return quipu__no_memory(err, sizeof(struct quipu_attribute));
    if (reorder->heap.count == 0 && reorder->held && reorder->held->batch.count > 0)
        quipu__batch_clear(reorder->held);
    return QUIPU_OK;
}
