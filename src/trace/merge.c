/* merge.c: the k-way merge. The heap's keys never go back, whatever the sources do. */
#include "trace/merge.h"

#include "core/error.h"

enum { MERGED_CAPACITY = 4096 };

/* ---- Copying ---- */

#define QUIPU__COMMON_COLUMNS(X) X(time) X(kind) X(location) X(at)

static void copy_one(struct quipu_batch *to, const struct quipu_batch *from, uint32_t i) {
    const uint32_t at = to->count++;
#define COPY(name) to->name[at] = from->name[i];
    QUIPU__COMMON_COLUMNS(COPY)
#define QUIPU_COLUMN(name, c_type, doc) COPY(name)
#include <quipu/columns.def>
#undef QUIPU_COLUMN
#undef COPY
}

static void copy_many(struct quipu_batch *to, const struct quipu_batch *from, uint32_t first, uint32_t count) {
    const uint32_t at = to->count;
#define COPY(name) memcpy(to->name + at, from->name + first, count * sizeof *to->name);
    QUIPU__COMMON_COLUMNS(COPY)
#define QUIPU_COLUMN(name, c_type, doc) COPY(name)
#include <quipu/columns.def>
#undef QUIPU_COLUMN
#undef COPY
    to->count += count;
}

/* Below this many events a loop beats thirteen calls of memcpy. */
enum { MANY = 6 };

static void copy_events(struct quipu_batch *to, const struct quipu_batch *from, uint32_t first, uint32_t end) {
    if (end - first >= MANY)
        copy_many(to, from, first, end - first);
    else
        for (uint32_t i = first; i < end; i++)
            copy_one(to, from, i);
}

/* Copies the source's events up to end, attributes included, and moves on. */
static bool take_run(struct quipu__batch *merged, struct quipu__source *source, uint32_t end) {
    const struct quipu_batch *from = &source->batch->batch;
    while (source->attribute < from->attribute_count && from->attributes[source->attribute].event < end) {
        const uint32_t owner = from->attributes[source->attribute].event;
        if (owner >= source->next) {
            copy_events(&merged->batch, from, source->next, owner + 1);
            source->next = owner + 1;
        }
        if (!quipu__batch_attribute(merged, &from->attributes[source->attribute++].value))
            return false;
    }
    copy_events(&merged->batch, from, source->next, end);
    source->next = end;
    return true;
}

/* ---- Order ---- */

static bool precedes(int64_t time, uint32_t location, uint32_t source, const struct quipu__heap_entry *other) {
    if (time != other->time)
        return time < other->time;
    if (location != other->location)
        return location < other->location;
    return source < other->source;
}

/* The second smallest entry, or NULL when there is only one. */
static const struct quipu__heap_entry *second(const struct quipu__heap *heap) {
    const struct quipu__heap_entry *e = heap->entries;
    if (heap->count < 3)
        return heap->count == 2 ? &e[1] : NULL;
    return precedes(e[1].time, e[1].location, e[1].source, &e[2]) ? &e[1] : &e[2];
}

/* End of the run of events, at most limit, that come before the other source. The first one does: it is the
 * smallest of all, or is late and must not wait. */
static uint32_t run_end(const struct quipu__source *source, uint32_t number,
                        const struct quipu__heap_entry *other, uint32_t limit) {
    const struct quipu_batch *batch = &source->batch->batch;
    uint32_t i = source->next + 1;
    if (!other)
        return limit;
    while (i < limit && precedes(batch->time[i], batch->location[i], number, other))
        i++;
    return i;
}

/* Puts the first source back into the heap with its next event, reading on when its batch is used up. */
static enum quipu_status advance(struct quipu__merge *merge, struct quipu_error *err) {
    struct quipu__heap_entry *first = merge->heap.entries;
    struct quipu__source *source = &merge->sources[first->source];
    if (source->next == source->batch->batch.count) {
        const enum quipu_status status =
            quipu__source_fill(source, merge->trace, merge->filter, source->batch, err);
        if (status == QUIPU_END) {
            quipu__source_close(source, merge->trace, merge->counts);
            quipu__batch_free(source->batch);
            source->batch = NULL;
            quipu__heap_pop(&merge->heap);
        }
        if (status != QUIPU_OK)
            return status == QUIPU_END ? QUIPU_OK : status;
    }
    const int64_t time = source->batch->batch.time[source->next];
    if (time > first->time)
        first->time = time;
    first->location = source->batch->batch.location[source->next];
    quipu__heap_sink(&merge->heap);
    return QUIPU_OK;
}

/* ---- Starting ---- */

static enum quipu_status start_source(struct quipu__merge *merge, uint32_t number,
                                      const struct quipu__share *share, struct quipu_error *err) {
    struct quipu__source *source = &merge->sources[number];
    enum quipu_status status =
        quipu__source_open(source, merge->trace, merge->filter, share, merge->counts, err);
    if (status == QUIPU_OK)
        status = quipu__batch_new(merge->trace->memory, share->capacity, &source->batch, err);
    if (status == QUIPU_OK)
        status = quipu__source_fill(source, merge->trace, merge->filter, source->batch, err);
    if (status == QUIPU_END) {
        quipu__source_close(source, merge->trace, merge->counts);
        quipu__batch_free(source->batch);
        source->batch = NULL;
    }
    if (status != QUIPU_OK)
        return status == QUIPU_END ? QUIPU_OK : status;
    const struct quipu__heap_entry entry = {source->batch->batch.time[0], source->batch->batch.location[0],
                                            number};
    return quipu__heap_push(&merge->heap, entry) ? QUIPU_OK : quipu__no_memory(err, sizeof entry);
}

static enum quipu_status start(struct quipu__merge *merge, struct quipu_error *err) {
    const struct quipu__share share = quipu__share_of(merge->trace->memory, merge->source_count);
    quipu__heap_init(&merge->heap, merge->trace->memory);
    merge->started = true;
    enum quipu_status status = quipu__batch_new(merge->trace->memory, MERGED_CAPACITY, &merge->merged, err);
    for (uint32_t i = 0; i < merge->source_count && status == QUIPU_OK; i++)
        status = start_source(merge, i, &share, err);
    return status;
}

/* ---- Merging ---- */

/* Hands out the batch of the first source when all of it comes before the other sources. */
static bool lend(struct quipu__merge *merge, const struct quipu__heap_entry *other) {
    const uint32_t number = merge->heap.entries[0].source;
    struct quipu__source *source = &merge->sources[number];
    const uint32_t count = source->batch->batch.count;
    if (source->next > 0 || run_end(source, number, other, count) < count)
        return false;
    source->next = count;
    source->batch->batch.stream = QUIPU_NONE;
    merge->lent = true;
    return true;
}

static enum quipu_status fill_merged(struct quipu__merge *merge, struct quipu_error *err) {
    struct quipu__batch *merged = merge->merged;
    enum quipu_status status = QUIPU_OK;
    while (status == QUIPU_OK && merge->heap.count > 0 && quipu__batch_left(merged) > 0) {
        const uint32_t number = merge->heap.entries[0].source;
        struct quipu__source *source = &merge->sources[number];
        const uint32_t ready = source->batch->batch.count - source->next;
        const uint32_t room = quipu__batch_left(merged);
        const uint32_t limit = source->next + (ready < room ? ready : room);
        if (!take_run(merged, source, run_end(source, number, second(&merge->heap), limit)))
            return quipu__no_memory(err, sizeof(struct quipu_attribute));
        status = advance(merge, err);
    }
    return status;
}

enum quipu_status quipu__merge_next(struct quipu__merge *merge, struct quipu__batch **out,
                                    struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    if (!merge->started)
        status = start(merge, err);
    else if (merge->lent)
        status = advance(merge, err);
    merge->lent = false;
    if (status != QUIPU_OK)
        return status;
    if (merge->heap.count == 0)
        return QUIPU_END;
    if (lend(merge, second(&merge->heap))) {
        *out = merge->sources[merge->heap.entries[0].source].batch;
        return QUIPU_OK;
    }
    quipu__batch_clear(merge->merged);
    merge->merged->batch.stream = QUIPU_NONE;
    *out = merge->merged;
    return fill_merged(merge, err);
}

void quipu__merge_release(struct quipu__merge *merge) {
    for (uint32_t i = 0; i < merge->source_count; i++) {
        quipu__batch_free(merge->sources[i].batch);
        merge->sources[i].batch = NULL;
    }
    if (!merge->started)
        return;
    quipu__heap_release(&merge->heap);
    quipu__batch_free(merge->merged);
    merge->merged = NULL;
    merge->started = merge->lent = false;
}
