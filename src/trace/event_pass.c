/* event_pass.c: which sources a pass has, and reading them in its order.
 *
 * A source is a substream, or a whole stream whose substreams one pass gives together: then each record is decoded once. In a
 * merge these substreams are separate sources again, over the one pass that they share.
 */
#include "trace/event_pass.h"

#include "core/error.h"
#include "trace/shared_pass.h"

size_t quipu__substream_count(const struct quipu__trace *trace) {
    size_t count = 0;
    for (size_t i = 0; i < trace->streams.count; i++)
        count += trace->streams.items[i].substreams;
    return count;
}

static bool is_by_stream(const struct quipu__event_pass *pass) {
    return pass->order == QUIPU_ORDER_STREAM;
}

/* An index has saved states for each substream separately. Looking ahead needs one time order. */
static bool reads_together(const struct quipu__event_pass *pass, uint32_t stream) {
    return !pass->trace->index && (!is_by_stream(pass) || !quipu__within_looks_ahead(pass->filter)) &&
           quipu__substreams_of(pass->trace, stream) == QUIPU__SUBSTREAMS_TOGETHER;
}

/* Adds a stream as one source, or its substreams over a pass that they share. */
static enum quipu_status add_together(struct quipu__event_pass *pass, uint32_t stream,
                                      struct quipu_error *err) {
    const uint32_t count = pass->trace->streams.items[stream].substreams;
    if (is_by_stream(pass)) {
        pass->sources[pass->source_count++] =
            (struct quipu__source){.stream = stream, .substream = QUIPU__ALL_SUBSTREAMS};
        return QUIPU_OK;
    }
    struct quipu__shared_pass *shared;
    const enum quipu_status status = quipu__shared_pass_new(pass->trace, stream, pass->filter, &shared, err);
    for (uint32_t i = 0; i < count && status == QUIPU_OK; i++)
        pass->sources[pass->source_count++] =
            (struct quipu__source){.stream = stream, .substream = i, .shared = shared};
    return status;
}

static enum quipu_status add_sources(struct quipu__event_pass *pass, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (uint32_t i = 0; i < pass->trace->streams.count && status == QUIPU_OK; i++) {
        const uint32_t count = pass->trace->streams.items[i].substreams;
        if (count > 1 && reads_together(pass, i)) {
            status = add_together(pass, i, err);
            continue;
        }
        for (uint32_t substream = 0; substream < count; substream++)
            pass->sources[pass->source_count++] = (struct quipu__source){.stream = i, .substream = substream};
    }
    return status;
}

enum quipu_status quipu__event_pass_start(struct quipu__event_pass *pass, struct quipu__trace *trace,
                                          const struct quipu__filter *filter, enum quipu_order order,
                                          struct quipu__counts *counts, struct quipu_error *err) {
    const size_t count = quipu__substream_count(trace);
    *pass = (struct quipu__event_pass){.trace = trace, .filter = filter, .counts = counts, .order = order};
    if (count >= QUIPU_NONE)
        return quipu__fail(err, QUIPU_LIMIT, "the trace has %zu sequences of events", count);
    pass->source_room = (uint32_t)count + 1;
    pass->sources = quipu__alloc_zero(trace->memory, pass->source_room * sizeof *pass->sources);
    if (!pass->sources)
        return quipu__no_memory(err, pass->source_room * sizeof *pass->sources);
    const enum quipu_status status = add_sources(pass, err);
    pass->merge = (struct quipu__merge){.trace = trace,
                                        .filter = filter,
                                        .counts = counts,
                                        .sources = pass->sources,
                                        .source_count = pass->source_count};
    pass->windows = (struct quipu__windows){.trace = trace,
                                            .filter = filter,
                                            .counts = counts,
                                            .sources = pass->sources,
                                            .source_count = pass->source_count};
    return status;
}

void quipu__event_pass_limit(struct quipu__event_pass *pass, uint32_t first, uint32_t end) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < pass->source_count; i++)
        if (pass->sources[i].stream >= first && pass->sources[i].stream < end)
            pass->sources[count++] = pass->sources[i];
        else
            quipu__source_close(&pass->sources[i], pass->trace); /* it may share a pass */
    pass->source_count = pass->merge.source_count = pass->windows.source_count = count;
}

/* ---- Stream after stream ---- */

static enum quipu_status next_in_stream_order(struct quipu__event_pass *pass, struct quipu__batch **out,
                                              struct quipu_error *err) {
    const struct quipu__share share = quipu__share_of(pass->trace->memory, 1);
    enum quipu_status status =
        pass->batch ? QUIPU_OK : quipu__batch_new(pass->trace->memory, share.capacity, &pass->batch, err);
    if (status != QUIPU_OK)
        return status;
    *out = pass->batch;
    for (; pass->source < pass->source_count; pass->source++) {
        struct quipu__source *source = &pass->sources[pass->source];
        status = quipu__source_open(source, pass->trace, pass->filter, &share, pass->counts, err);
        if (status == QUIPU_OK)
            status = quipu__source_fill(source, pass->trace, pass->filter, pass->batch, err);
        if (status != QUIPU_END)
            return status;
        quipu__source_close(source, pass->trace);
    }
    return QUIPU_END;
}

static enum quipu_status next_in_order(struct quipu__event_pass *pass, struct quipu__batch **out,
                                       struct quipu_error *err) {
    switch (pass->order) {
    case QUIPU_ORDER_TIME:
        return quipu__merge_next(&pass->merge, out, err);
    case QUIPU_ORDER_WINDOWS:
        return quipu__windows_next(&pass->windows, out, err);
    case QUIPU_ORDER_STREAM:
        break;
    }
    return next_in_stream_order(pass, out, err);
}

enum quipu_status quipu__event_pass_next(struct quipu__event_pass *pass, const struct quipu_batch **out,
                                         struct quipu_error *err) {
    struct quipu__batch *batch = NULL;
    const enum quipu_status status = next_in_order(pass, &batch, err);
    if (status == QUIPU_OK)
        *out = &batch->batch;
    return status;
}

/* ---- With threads ---- */

enum quipu_status quipu__event_pass_share(struct quipu__event_pass *pass, const struct quipu__worker_pool *pool,
                                          uint64_t *delivered, struct quipu_error *err) {
    const struct quipu__worker_pool_task task = {
        .trace = pass->trace,
        .filter = pass->filter,
        .sources = pass->sources,
        .source_count = pass->source_count,
        .counts = pass->counts,
        .delivered = delivered,
    };
    pass->source = pass->source_count;
    return quipu__worker_pool_run(pool, &task, err);
}

/* ---- Ending ---- */

void quipu__event_pass_release(struct quipu__event_pass *pass) {
    if (!pass->trace)
        return;
    for (uint32_t i = 0; i < pass->source_count; i++)
        quipu__source_close(&pass->sources[i], pass->trace);
    quipu__merge_release(&pass->merge);
    quipu__windows_release(&pass->windows);
    quipu__batch_free(pass->batch);
    quipu__release(pass->trace->memory, pass->sources, pass->source_room * sizeof *pass->sources);
    memset(pass, 0, sizeof *pass);
}
