/* merge.c: the k-way merge. Keys never go back, whatever the sources do. */
#include "trace/merge.h"

#include "core/error.h"

/* ---- Filling columns ---- */

/* Column by column: the loops have no branch and nothing to wait for. */
static void gather_columns(struct quipu__merge *merge, uint32_t first, uint32_t end) {
    const struct quipu__source *sources = merge->sources;
    const struct quipu__origin *order = merge->order;
    struct quipu_batch *to = &merge->merged->batch;
#define GATHER(column)                                                                                         \
    for (uint32_t i = first; i < end; i++)                                                                     \
        to->column[i] = sources[order[i].source].batch->batch.column[order[i].event];
    GATHER(time)
    GATHER(kind)
    GATHER(location)
    GATHER(at)
#define QUIPU_COLUMN(name, c_type, doc) GATHER(name)
#include <quipu/columns.def>
#undef QUIPU_COLUMN
#undef GATHER
}

/* Copies the attributes of one merged event. */
static bool take_attributes(struct quipu__merge *merge, uint32_t event) {
    struct quipu__source *source = &merge->sources[merge->order[event].source];
    const struct quipu_batch *from = &source->batch->batch;
    merge->merged->batch.count = event + 1; /* attributes go to the event that was added last */
    while (source->attribute < from->attribute_count &&
           from->attributes[source->attribute].event == merge->order[event].event)
        if (!quipu__batch_attribute(merge->merged, &from->attributes[source->attribute++].value))
            return false;
    return true;
}

/* Adds the events from first to end of the order to the merged batch. */
static bool gather(struct quipu__merge *merge, uint32_t first, uint32_t end, bool with_attributes) {
    gather_columns(merge, first, end);
    for (uint32_t i = first; i < end && with_attributes; i++)
        if (!take_attributes(merge, i))
            return false;
    merge->merged->batch.count = end;
    return true;
}

/* ---- Sources ---- */

/* Reads on in a source and lets it play with its next event, which counts as no earlier than since. */
static enum quipu_status refill(struct quipu__merge *merge, uint32_t number, int64_t since,
                                struct quipu_error *err) {
    struct quipu__source *source = &merge->sources[number];
    enum quipu_status status =
        source->pass ? quipu__source_fill(source, merge->trace, merge->filter, source->batch, err) : QUIPU_END;
    if (status == QUIPU_OK) {
        const struct quipu_batch *batch = &source->batch->batch;
        quipu__tournament_enter(&merge->tournament, number, batch->time[0] > since ? batch->time[0] : since,
                                batch->location[0]);
    }
    if (status != QUIPU_END)
        return status;
    quipu__source_close(source, merge->trace, merge->counts);
    quipu__batch_free(source->batch);
    source->batch = NULL;
    quipu__tournament_leave(&merge->tournament, number);
    return QUIPU_OK;
}

static enum quipu_status start_source(struct quipu__merge *merge, uint32_t number,
                                      const struct quipu__share *share, struct quipu_error *err) {
    struct quipu__source *source = &merge->sources[number];
    enum quipu_status status =
        quipu__source_open(source, merge->trace, merge->filter, share, merge->counts, err);
    if (status == QUIPU_OK)
        status = quipu__batch_new(merge->trace->memory, share->capacity, &source->batch, err);
    return status < QUIPU_OK ? status : refill(merge, number, INT64_MIN, err);
}

static enum quipu_status start(struct quipu__merge *merge, struct quipu_error *err) {
    const struct quipu__share share = quipu__share_of(merge->trace->memory, merge->source_count);
    enum quipu_status status =
        quipu__tournament_init(&merge->tournament, merge->trace->memory, merge->source_count, err);
    merge->started = true;
    if (status == QUIPU_OK)
        status = quipu__batch_new(merge->trace->memory, QUIPU__MERGED, &merge->merged, err);
    for (uint32_t i = 0; i < merge->source_count && status == QUIPU_OK; i++)
        status = start_source(merge, i, &share, err);
    return status;
}

/* ---- Merging ---- */

/* Works out the order from event first on, until the batch is full or a source is used up, which is then the first
 * of the tournament still. Returns the end. */
static uint32_t find_order(struct quipu__merge *merge, uint32_t first, bool *with_attributes) {
    struct quipu__tournament *tournament = &merge->tournament;
    for (uint32_t i = first; i < QUIPU__MERGED; i++) {
        const int64_t now = tournament->nodes[0].time;
        const uint32_t number = quipu__contender_source(&tournament->nodes[0]);
        struct quipu__source *source = &merge->sources[number];
        const struct quipu_batch *batch = &source->batch->batch;
        const uint32_t next = source->next + 1;
        merge->order[i] = (struct quipu__origin){number, source->next};
        source->next = next;
        *with_attributes |= source->attribute < batch->attribute_count;
        if (QUIPU__UNLIKELY(next == batch->count))
            return i + 1;
        const int64_t time = batch->time[next];
        quipu__tournament_enter(tournament, number, time > now ? time : now, batch->location[next]);
    }
    return QUIPU__MERGED;
}

static enum quipu_status fill_merged(struct quipu__merge *merge, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    quipu__batch_clear(merge->merged);
    merge->merged->batch.stream = QUIPU_NONE;
    while (status == QUIPU_OK && merge->tournament.left > 0 && merge->merged->batch.count < QUIPU__MERGED) {
        bool with_attributes = false;
        const uint32_t first = merge->merged->batch.count;
        const uint32_t end = find_order(merge, first, &with_attributes);
        if (!gather(merge, first, end, with_attributes))
            return quipu__no_memory(err, sizeof(struct quipu_attribute));
        const struct quipu__contender top = merge->tournament.nodes[0];
        const struct quipu__source *source = &merge->sources[quipu__contender_source(&top)];
        if (source->next == source->batch->batch.count)
            status = refill(merge, quipu__contender_source(&top), top.time, err);
    }
    return status;
}

/* Hands out the batch of the first source when all of it comes before the other sources. */
static bool lend(struct quipu__merge *merge) {
    const uint32_t number = quipu__contender_source(&merge->tournament.nodes[0]);
    const struct quipu__contender second = quipu__tournament_second(&merge->tournament);
    struct quipu__source *source = &merge->sources[number];
    struct quipu_batch *batch = &source->batch->batch;
    if (source->next > 0 || batch->time[batch->count - 1] > second.time)
        return false;
    for (uint32_t i = 0; i < batch->count; i++) {
        const struct quipu__contender key = {batch->time[i], (uint64_t)batch->location[i] << 32 | number};
        if (!quipu__contender_precedes(&key, &second))
            return false;
    }
    source->next = batch->count;
    batch->stream = QUIPU_NONE;
    merge->lent = true;
    return true;
}

enum quipu_status quipu__merge_next(struct quipu__merge *merge, struct quipu__batch **out,
                                    struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    const struct quipu__contender *top = merge->tournament.nodes;
    if (!merge->started)
        status = start(merge, err);
    else if (merge->lent) {
        const int64_t last = top->time;
        status = refill(merge, quipu__contender_source(top), last, err);
    }
    merge->lent = false;
    if (status != QUIPU_OK)
        return status;
    if (merge->tournament.left == 0)
        return QUIPU_END;
    if (lend(merge)) {
        *out = merge->sources[quipu__contender_source(&merge->tournament.nodes[0])].batch;
        return QUIPU_OK;
    }
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
    quipu__tournament_release(&merge->tournament);
    quipu__batch_free(merge->merged);
    merge->merged = NULL;
    merge->started = merge->lent = false;
}
