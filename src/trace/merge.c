/* merge.c: the k-way merge. Keys never decrease, whatever the sources do. */
#include "trace/event_pass.h"

#include "core/error.h"

/* ---- Filling columns ---- */

/* Lists the rich events among those from first to end; returns their number. */
static uint32_t list_rich(struct quipu__merge *merge, uint32_t first, uint32_t end) {
    const uint8_t *kind = merge->merged->batch.kind;
    uint32_t count = 0;
    for (uint32_t i = first; i < end; i++) {
        merge->rich[count] = i;
        count += (uint32_t)(merge->rich_kinds >> kind[i] & 1);
    }
    return count;
}

/* Column by column: the loops have no branches and no dependencies. Columns that mean nothing for an event are not
 * copied. */
static void gather_columns(struct quipu__merge *merge, uint32_t first, uint32_t end) {
    const struct quipu_batch *batches = merge->batches;
    const struct quipu__origin *order = merge->order;
    struct quipu_batch *to = &merge->merged->batch;
#define COPY(column, i) to->column[i] = batches[order[i].source].column[order[i].event]
#define GATHER(column)                                                                                         \
    for (uint32_t i = first; i < end; i++)                                                                     \
        COPY(column, i);
#define GATHER_RICH(column)                                                                                    \
    for (uint32_t k = 0; k < rich_count; k++)                                                                  \
        COPY(column, merge->rich[k]);
    GATHER(time)
    GATHER(kind)
    GATHER(location)
    GATHER(byte_offset)
    const uint32_t rich_count = list_rich(merge, first, end);
#define QUIPU_COLUMN(name, c_type, doc)                                                                        \
    if (QUIPU_COLUMN_##name == QUIPU_COLUMN_object)                                                            \
        GATHER(name)                                                                                           \
    else                                                                                                       \
        GATHER_RICH(name)
#include <quipu/columns.def>
#undef QUIPU_COLUMN
#undef GATHER_RICH
#undef GATHER
#undef COPY
}

/* Copies the attributes of one merged event. */
static bool copy_attributes(struct quipu__merge *merge, uint32_t event) {
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
        if (!copy_attributes(merge, i))
            return false;
    merge->merged->batch.count = end;
    return true;
}

/* ---- Runs ---- */

/* Whether sources are so few that some events of each come before the end of the first. */
static bool takes_sequences(const struct quipu__merge *merge) {
    return !merge->is_mixed && merge->tournament.left > 1 && merge->source_count <= QUIPU__SEQUENCES_MOST;
}

/* What is left of the batches of all sources, in the order of equal times. */
static void list_sequences(struct quipu__merge *merge) {
    struct quipu__sequence *const sequences = merge->sequences.items;
    uint32_t count = 0;
    for (uint32_t i = 0; i < merge->source_count; i++) {
        const struct quipu__merge_cursor *cursor = &merge->cursors[i];
        if (!merge->sources[i].batch)
            continue;
        uint32_t position = count++;
        const uint32_t location = cursor->locations[cursor->next];
        for (; position > 0; position--) {
            const struct quipu__merge_cursor *before = &merge->cursors[sequences[position - 1].source];
            if (before->locations[before->next] <= location)
                break;
            sequences[position] = sequences[position - 1];
        }
        sequences[position] =
            (struct quipu__sequence){cursor->times + cursor->next, cursor->count - cursor->next, i, 0};
    }
    merge->sequences.count = count;
    merge->sequences.stride = sizeof *merge->cursors->times;
}

/* Whether the events of a sequence, and the one behind those that are taken, have one location, as the order of equal times supposes. */
static bool is_of_one_location(const struct quipu__merge *merge, const struct quipu__sequence *sequence) {
    const uint32_t *const locations =
        merge->cursors[sequence->source].locations + merge->cursors[sequence->source].next;
    const uint32_t looked_at = sequence->taken + (sequence->taken < sequence->left);
    uint32_t differences = 0;
    for (uint32_t i = 0; i < looked_at; i++)
        differences |= locations[i] ^ locations[0];
    return differences == 0;
}

/* Puts the events of a sequence where they go in the merged batch, behind first. */
static void scatter_columns(struct quipu__merge *merge, const struct quipu__sequence *sequence,
                            const uint16_t *positions, uint32_t first) {
    const struct quipu_batch from = merge->batches[sequence->source], to = merge->merged->batch;
    const uint32_t begin = merge->cursors[sequence->source].next;
    const uint32_t location = from.location[begin];
    const quipu_kinds rich_kinds = merge->rich_kinds;
    uint32_t *const rich = merge->rich;
    uint32_t rich_count = 0;
#define COPY(column) to.column[event] = from.column[begin + i];
    for (uint32_t i = 0; i < sequence->taken; i++) {
        const uint32_t event = first + positions[i];
        const uint8_t kind = from.kind[begin + i];
        COPY(time)
        COPY(byte_offset)
        COPY(object)
        to.location[event] = location;
        to.kind[event] = kind;
        rich[rich_count] = i;
        rich_count += (uint32_t)(rich_kinds >> kind & 1);
    }
    for (uint32_t k = 0; k < rich_count; k++) {
        const uint32_t i = rich[k], event = first + positions[i];
#define QUIPU_COLUMN(name, c_type, doc) COPY(name)
#include <quipu/columns.def>
#undef QUIPU_COLUMN
    }
#undef COPY
}

/* Notes where the merged events come from, which their attributes are copied by. */
static void note_order(struct quipu__merge *merge, uint32_t first) {
    const uint16_t *positions = merge->sequences.positions;
    for (uint32_t k = 0; k < merge->sequences.count; k++) {
        const struct quipu__sequence *sequence = &merge->sequences.items[k];
        const uint32_t begin = merge->cursors[sequence->source].next;
        for (uint32_t i = 0; i < sequence->taken; i++)
            merge->order[first + *positions++] = (struct quipu__origin){sequence->source, begin + i};
    }
}

/* Goes behind the events of the sequences that were taken; the source that is used up, if one is, is the first of the tournament. */
static void pass_sequences(struct quipu__merge *merge) {
    struct quipu__tournament *tournament = &merge->tournament;
    const int64_t end = merge->sequences.end;
    for (uint32_t k = 0; k < merge->sequences.count; k++) {
        struct quipu__merge_cursor *cursor = &merge->cursors[merge->sequences.items[k].source];
        cursor->next += merge->sequences.items[k].taken;
        const uint32_t behind = cursor->next + (cursor->next + 1 < cursor->count);
        if (cursor->next < cursor->count) {
            cursor->time = cursor->times[behind];
            cursor->location = cursor->locations[behind];
        }
    }
    quipu__tournament_clear(tournament);
    for (uint32_t i = 0; i < merge->source_count; i++) {
        const struct quipu__merge_cursor *cursor = &merge->cursors[i];
        const uint32_t next = cursor->next - (cursor->next == cursor->count);
        if (merge->sources[i].batch)
            quipu__tournament_enter(tournament, i, cursor->times[next] > end ? cursor->times[next] : end,
                                    cursor->locations[next]);
        else
            quipu__tournament_play(tournament, i, QUIPU__CONTENDER_ENDED);
    }
}

/* Adds the events that come before the first of the batches ends; the merged batch is as before when they cannot be merged as sequences.
 * False when memory is out. */
static bool add_sequences(struct quipu__merge *merge) {
    const uint32_t first = merge->merged->batch.count;
    bool has_attributes = false;
    list_sequences(merge);
    const uint32_t count =
        quipu__sequences_merge(&merge->sequences, merge->tournament.nodes[0].time, QUIPU__MERGED - first);
    for (uint32_t k = 0; k < merge->sequences.count && count > 0; k++) {
        merge->is_mixed |= !is_of_one_location(merge, &merge->sequences.items[k]);
        has_attributes |= merge->cursors[merge->sequences.items[k].source].has_attributes;
    }
    if (count == 0 || merge->is_mixed)
        return true;
    const uint16_t *positions = merge->sequences.positions;
    for (uint32_t k = 0; k < merge->sequences.count; positions += merge->sequences.items[k++].taken)
        scatter_columns(merge, &merge->sequences.items[k], positions, first);
    if (has_attributes)
        note_order(merge, first);
    for (uint32_t i = first; i < first + count && has_attributes; i++)
        if (!copy_attributes(merge, i))
            return false;
    merge->merged->batch.count = first + count;
    pass_sequences(merge);
    return true;
}

/* ---- Sources ---- */

static bool is_open(const struct quipu__source *source) {
    return source->pass || source->shared || source->remote;
}

/* The last event of a batch has no event after it: its own key is used instead. */
static struct quipu__merge_cursor cursor_of(const struct quipu_batch *batch) {
    const uint32_t behind = batch->count > 1 ? 1 : 0;
    return (struct quipu__merge_cursor){.times = batch->time,
                                        .locations = batch->location,
                                        .time = batch->time[behind],
                                        .location = batch->location[behind],
                                        .count = batch->count,
                                        .has_attributes = batch->attribute_count > 0};
}

/* Reads the next batch of a source and lets it play with its next event, which counts as no earlier than since. */
static enum quipu_status refill(struct quipu__merge *merge, uint32_t number, int64_t since,
                                struct quipu_error *err) {
    struct quipu__source *source = &merge->sources[number];
    enum quipu_status status = is_open(source)
                                   ? quipu__source_fill(source, merge->trace, merge->filter, source->batch, err)
                                   : QUIPU_END;
    if (status == QUIPU_OK) {
        const struct quipu_batch *batch = &source->batch->batch;
        merge->batches[number] = *batch;
        merge->cursors[number] = cursor_of(batch);
        quipu__tournament_enter(&merge->tournament, number, batch->time[0] > since ? batch->time[0] : since,
                                batch->location[0]);
    }
    if (status != QUIPU_END)
        return status;
    quipu__source_close(source, merge->trace);
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
    merge->rich_kinds = quipu__rich_kinds();
    if (status == QUIPU_OK)
        status = quipu__batch_new(merge->trace->memory, QUIPU__MERGED, &merge->merged, err);
    if (status != QUIPU_OK)
        return status;
    merge->batches = quipu__alloc(merge->trace->memory, merge->source_count * sizeof *merge->batches);
    merge->cursors = quipu__alloc(merge->trace->memory, merge->source_count * sizeof *merge->cursors);
    if (!merge->batches || !merge->cursors)
        return quipu__no_memory(err, merge->source_count * sizeof *merge->batches);
    for (uint32_t i = 0; i < merge->source_count && status == QUIPU_OK; i++)
        status = start_source(merge, i, &share, err);
    return status;
}

/* ---- Merging ---- */

/* Determines the order from event first on, until the batch is full or a source is used up, which then still is the
 * first of the tournament. Returns the end. */
static uint32_t find_order(struct quipu__merge *merge, uint32_t first, bool *with_attributes) {
    struct quipu__contender top = merge->tournament.nodes[0];
    for (uint32_t i = first; i < QUIPU__MERGED; i++) {
        const uint32_t number = quipu__contender_source(&top);
        struct quipu__merge_cursor *cursor = &merge->cursors[number];
        const uint32_t next = cursor->next + 1, behind = next + (next + 1 < cursor->count);
        const int64_t time = cursor->time;
        const uint32_t location = cursor->location;
        merge->order[i] = (struct quipu__origin){number, cursor->next};
        cursor->next = next;
        *with_attributes |= cursor->has_attributes;
        if (QUIPU__UNLIKELY(next == cursor->count))
            return i + 1;
        cursor->time = cursor->times[behind];
        cursor->location = cursor->locations[behind];
        top = quipu__tournament_enter(&merge->tournament, number, time > top.time ? time : top.time, location);
    }
    return QUIPU__MERGED;
}

/* Adds events up to the end of a source's batch, if the merged batch has room for them. False when memory is out. */
static bool add_next(struct quipu__merge *merge) {
    const uint32_t first = merge->merged->batch.count;
    bool with_attributes = false;
    if (takes_sequences(merge) && !add_sequences(merge))
        return false;
    if (merge->merged->batch.count > first)
        return true;
    const uint32_t end = find_order(merge, first, &with_attributes);
    return gather(merge, first, end, with_attributes);
}

/* Whether the merged batch is as full as it gets: what is left of it is worth another step. */
static bool is_full(const struct quipu__merge *merge) {
    const uint32_t count = merge->merged->batch.count, left = QUIPU__MERGED - count;
    return left == 0 ||
           (count > 0 && takes_sequences(merge) && left < merge->tournament.left * QUIPU__SEQUENCES_LEAST);
}

static enum quipu_status fill_merged(struct quipu__merge *merge, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    quipu__batch_clear(merge->merged);
    merge->merged->batch.stream = QUIPU_NONE;
    merge->merged->batch.complete_to = merge->tournament.nodes[0].time;
    while (status == QUIPU_OK && merge->tournament.left > 0 && !is_full(merge)) {
        if (!add_next(merge))
            return quipu__no_memory(err, sizeof(struct quipu_attribute));
        const struct quipu__contender top = merge->tournament.nodes[0];
        const struct quipu__merge_cursor *cursor = &merge->cursors[quipu__contender_source(&top)];
        if (cursor->next == cursor->count)
            status = refill(merge, quipu__contender_source(&top), top.time, err);
    }
    return status;
}

/* Passes on the batch of the first source if all of it comes before the other sources. */
static bool hand_out(struct quipu__merge *merge) {
    const uint32_t number = quipu__contender_source(&merge->tournament.nodes[0]);
    const struct quipu__contender second = quipu__tournament_second(&merge->tournament);
    struct quipu_batch *batch = &merge->sources[number].batch->batch;
    if (merge->cursors[number].next > 0 || batch->time[batch->count - 1] > second.time)
        return false;
    for (uint32_t i = 0; i < batch->count && merge->tournament.left > 1; i++) {
        const struct quipu__contender key = {batch->time[i], (uint64_t)batch->location[i] << 32 | number};
        if (!quipu__contender_precedes(&key, &second))
            return false;
    }
    merge->cursors[number].next = batch->count;
    batch->stream = QUIPU_NONE;
    batch->complete_to = batch->time[0];
    merge->is_borrowed = true;
    return true;
}

enum quipu_status quipu__merge_next(struct quipu__merge *merge, struct quipu__batch **out,
                                    struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    const struct quipu__contender *top = merge->tournament.nodes;
    if (!merge->started)
        status = start(merge, err);
    else if (merge->is_borrowed) {
        const int64_t last = top->time;
        status = refill(merge, quipu__contender_source(top), last, err);
    }
    merge->is_borrowed = false;
    if (status != QUIPU_OK)
        return status;
    if (merge->tournament.left == 0)
        return QUIPU_END;
    if (hand_out(merge)) {
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
    quipu__release(merge->trace->memory, merge->batches, merge->source_count * sizeof *merge->batches);
    quipu__release(merge->trace->memory, merge->cursors, merge->source_count * sizeof *merge->cursors);
    merge->batches = NULL;
    merge->cursors = NULL;
    quipu__batch_free(merge->merged);
    merge->merged = NULL;
    merge->started = merge->is_borrowed = merge->is_mixed = false;
}
