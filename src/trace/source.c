/* source.c: passes over substreams, opened late, filtered and counted. */
#include "trace/source.h"

#include "core/error.h"
#include "index/index.h"
#include "trace/shared_pass.h"

/* Small batches and windows keep a merge inside the cache: this is how much all sources together read ahead. */
enum { EVENTS_AHEAD = 8192, CAPACITY_LEAST = 32, CAPACITY_MOST = 4096, CAPACITY_OF_WINDOWS = 128 };
enum { BYTES_AHEAD = 1 << 20, WINDOW_LEAST = 4 << 10, WINDOW_MOST = 256 << 10, WINDOW_OF_WINDOWS = 16 << 10 };

static size_t between(size_t least, size_t value, size_t most) {
    if (value < least)
        return least;
    return value < most ? value : most;
}

/* Half of the memory is left for the formats; the rest is for windows and batches. */
struct quipu__share quipu__share_of(const struct quipu__memory *memory, size_t count) {
    const size_t sources = count ? count : 1;
    const size_t left = memory->limit > memory->used ? memory->limit - memory->used : 0;
    const size_t quarter = left / 4 / sources;
    const size_t window = between(WINDOW_LEAST, BYTES_AHEAD / sources, WINDOW_MOST);
    const size_t capacity = between(CAPACITY_LEAST, EVENTS_AHEAD / sources, CAPACITY_MOST);
    return (struct quipu__share){
        .window = between(WINDOW_LEAST, quarter, window),
        .capacity = (uint32_t)between(CAPACITY_LEAST, quarter / QUIPU__EVENT_BYTES, capacity),
    };
}

struct quipu__share quipu__share_of_windows(const struct quipu__memory *memory, size_t count) {
    struct quipu__share share = quipu__share_of(memory, count);
    const size_t left = memory->limit > memory->used ? memory->limit - memory->used : 0;
    const size_t quarter = left / 4 / (count ? count : 1);
    if (share.capacity < CAPACITY_OF_WINDOWS)
        share.capacity = (uint32_t)between(share.capacity, quarter / QUIPU__EVENT_BYTES, CAPACITY_OF_WINDOWS);
    if (share.window < WINDOW_OF_WINDOWS)
        share.window = between(share.window, quarter, WINDOW_OF_WINDOWS);
    return share;
}

size_t quipu__share_count(const struct quipu__memory *memory) {
    const struct quipu__share whole = quipu__share_of(memory, 1);
    const size_t left = memory->limit > memory->used ? memory->limit - memory->used : 0;
    const size_t events = (size_t)whole.capacity * QUIPU__EVENT_BYTES;
    return between(1, left / 4 / (whole.window > events ? whole.window : events), SIZE_MAX);
}

/* Resumes the pass where the index says; from the beginning when the index is damaged. */
static enum quipu_status resume(struct quipu__source *source, struct quipu__trace *trace,
                                const struct quipu__pass *common, struct quipu_error *err) {
    struct quipu_error trouble = QUIPU_ERROR_INIT;
    const enum quipu_status status = quipu__index_resume(trace->index, source->pass, &trouble);
    source->counted.bytes = source->pass->bytes;
    if (status != QUIPU_CORRUPT) {
        if (status != QUIPU_OK && err)
            *err = trouble;
        return status;
    }
    quipu__index_report(trace->findings, QUIPU__INDEX_DAMAGED, trace->index->path, trouble.message);
    trace->format->reading->pass_close(source->pass);
    source->pass = NULL;
    source->counted.bytes = 0;
    return trace->format->reading->pass_open(common, &source->pass, err);
}

enum quipu_status quipu__source_lose_rest(const struct quipu__trace *trace, uint32_t stream,
                                          struct quipu_error *err) {
    struct quipu_error trouble = QUIPU_ERROR_INIT;
    quipu__fail(&trouble, QUIPU_IO, "read failed");
    quipu__find_unreadable(trace->findings, trace->streams.items[stream].path, err ? err : &trouble);
    if (err)
        quipu_error_clear(err);
    return QUIPU_END;
}

/* All substreams read the same bytes, unless they lie apart. */
static bool has_bytes_of_its_own(const struct quipu__trace *trace, const struct quipu__source *source) {
    return source->substream == 0 || source->substream >= QUIPU__ALL_SUBSTREAMS ||
           quipu__substreams_of(trace, source->stream) == QUIPU__SUBSTREAMS_APART;
}

static enum quipu_status open_pass(struct quipu__source *source, struct quipu__trace *trace,
                                   const struct quipu__filter *filter, const struct quipu__share *share,
                                   struct quipu_error *err) {
    const struct quipu__pass common = {
        .trace = trace,
        .stream = source->stream,
        .substream = source->substream,
        .filter = filter,
        .window = share->window,
        .records_of = source->counts->records_of,
    };
    enum quipu_status status = trace->format->reading->pass_open(&common, &source->pass, err);
    if (status == QUIPU_OK && trace->index)
        status = resume(source, trace, &common, err);
    return quipu__source_reconcile(trace, source->stream, status, err);
}

enum quipu_status quipu__source_open(struct quipu__source *source, struct quipu__trace *trace,
                                     const struct quipu__filter *filter, const struct quipu__share *share,
                                     struct quipu__counts *counts, struct quipu_error *err) {
    if (source->pass)
        return QUIPU_OK;
    source->counts = counts;
    if (source->remote)
        return QUIPU_OK;
    if (quipu__within_is_needed(filter) && !source->within) {
        const enum quipu_status status =
            quipu__within_new(trace, filter, source->stream, source->substream, &source->within, err);
        if (status != QUIPU_OK)
            return status;
    }
    source->counted.records = source->counted.bytes = source->counted.skipped = 0;
    source->counts_bytes = has_bytes_of_its_own(trace, source);
    if (source->shared)
        return quipu__shared_pass_open(source->shared, share, counts, err);
    return open_pass(source, trace, source->within ? &source->within->wide : filter, share, err);
}

/* A trace that has an index is in time order, so nothing selected comes after such a batch. */
static bool is_behind(const struct quipu__trace *trace, const struct quipu__filter *filter,
                      const struct quipu__batch *batch) {
    return trace->index && filter->to < INT64_MAX && batch->batch.time[0] >= filter->to;
}

void quipu__source_add_counts(const struct quipu__source *source, struct quipu__counts *counts) {
    const struct quipu__pass *pass = source->pass;
    if (!pass)
        return;
    counts->records += pass->records - source->counted.records;
    counts->skipped += pass->skipped - source->counted.skipped;
    if (source->counts_bytes)
        counts->bytes += pass->bytes - source->counted.bytes;
}

/* Counts what has been read since the last call. */
static void count(struct quipu__source *source) {
    const struct quipu__pass *pass = source->pass;
    if (!pass)
        return;
    quipu__source_add_counts(source, source->counts);
    source->counted.records = pass->records;
    source->counted.skipped = pass->skipped;
    source->counted.bytes = pass->bytes;
}

/* What was read before a stream turned out to be unreadable is delivered. */
static enum quipu_status next_batch(struct quipu__source *source, const struct quipu__trace *trace,
                                    struct quipu__batch *batch, struct quipu_error *err) {
    struct quipu_error own;
    if (source->is_lost)
        return QUIPU_END;
    if (source->shared)
        return quipu__shared_pass_next(source->shared, source->substream, batch, err);
    if (!err)
        quipu_error_clear(err = &own); /* the finding says why */
    const enum quipu_status status = trace->format->reading->next_batch(source->pass, batch, err);
    count(source);
    if (status != QUIPU_IO)
        return status;
    source->is_lost = true;
    const enum quipu_status lost = quipu__source_lose_rest(trace, source->stream, err);
    return batch->batch.count > 0 ? QUIPU_OK : lost;
}

static void clear(const struct quipu__source *source, struct quipu__batch *batch) {
    quipu__batch_clear(batch);
    batch->batch.stream = source->stream;
    batch->batch.complete_to = INT64_MIN;
}

/* An empty batch, or one with events that have waited. */
static enum quipu_status begin_fill(struct quipu__source *source, struct quipu__batch *batch,
                                    struct quipu_error *err) {
    source->attribute = 0;
    clear(source, batch);
    return source->within ? quipu__within_next(source->within, false, batch, err) : QUIPU_OK;
}

/* The pass gives no more; at its end waiting events may be left. */
static enum quipu_status end_fill(struct quipu__source *source, struct quipu__batch *batch,
                                  enum quipu_status status, struct quipu_error *err) {
    clear(source, batch);
    if (status != QUIPU_END || !source->within)
        return status;
    status = quipu__within_next(source->within, true, batch, err);
    return status == QUIPU_OK && batch->batch.count == 0 ? QUIPU_END : status;
}

enum quipu_status quipu__source_fill(struct quipu__source *source, struct quipu__trace *trace,
                                     const struct quipu__filter *filter, struct quipu__batch *batch,
                                     struct quipu_error *err) {
    const struct quipu__filter *wide = source->within ? &source->within->wide : filter;
    enum quipu_status status = begin_fill(source, batch, err);
    if (source->remote)
        return source->remote->fill(source, trace, batch, err);
    while (status == QUIPU_OK && batch->batch.count == 0) {
        status = next_batch(source, trace, batch, err);
        if (status == QUIPU_OK && is_behind(trace, wide, batch))
            status = QUIPU_END;
        if (status != QUIPU_OK)
            return end_fill(source, batch, status, err);
        if (!batch->is_selected)
            quipu__batch_select(batch, 0, wide);
        if (source->within)
            status = quipu__within_select(source->within, batch, err);
        if (status == QUIPU_OK && batch->batch.count == 0)
            clear(source, batch);
    }
    return status;
}

void quipu__source_close(struct quipu__source *source, struct quipu__trace *trace) {
    count(source);
    if (source->pass)
        trace->format->reading->pass_close(source->pass);
    if (source->shared)
        quipu__shared_pass_leave(source->shared, source->substream);
    if (source->remote)
        quipu__buffer_release(&source->received);
    quipu__within_free(source->within);
    source->received_at = source->received_end = 0;
    source->pass = NULL;
    source->shared = NULL;
    source->is_lost = false;
    source->within = NULL;
}
