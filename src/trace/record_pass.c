/* record_pass.c: the streams one after the other, then those that are merged, kind by kind. */
#include "trace/record_pass.h"

#include "core/error.h"

static const enum quipu_stream_kind merged_kinds[QUIPU__MERGED_KINDS] = {
    QUIPU_STREAM_EVENTS, QUIPU_STREAM_SNAPSHOTS, QUIPU_STREAM_STATISTICS};

void quipu__record_pass_init(struct quipu__record_pass *pass, struct quipu__trace *trace,
                             const struct quipu__filter *everything, struct quipu__counts *counts) {
    pass->trace = trace;
    pass->everything = everything;
    pass->counts = counts;
    pass->merges = pass->gives_spans = false;
    pass->stream = pass->kind = 0;
}

void quipu__record_pass_merge(struct quipu__record_pass *pass) {
    pass->merges = true;
    for (unsigned i = 0; i < QUIPU__MERGED_KINDS; i++)
        pass->limits[i] = *pass->everything;
}

void quipu__record_pass_limit(struct quipu__record_pass *pass, enum quipu_stream_kind kind, int64_t from,
                              int64_t to) {
    for (unsigned i = 0; i < QUIPU__MERGED_KINDS; i++) {
        if (merged_kinds[i] != kind)
            continue;
        pass->limits[i].from = from;
        pass->limits[i].to = to;
    }
}

/* ---- Stream after stream ---- */

static enum quipu_status open_stream(struct quipu__record_pass *pass, struct quipu_error *err) {
    struct quipu__source *source = &pass->source;
    const struct quipu__share share = quipu__share_of(pass->trace->memory, 1);
    if (source->pass)
        return QUIPU_OK;
    source->stream = pass->stream;
    source->substream = QUIPU__RECORDS;
    return quipu__source_open(source, pass->trace, pass->everything, &share, pass->counts, err);
}

static uint32_t next_spans(struct quipu__record_pass *pass) {
    if (!pass->gives_spans)
        return 0;
    const struct quipu__copying *copying = pass->trace->format->copying;
    const uint32_t count = copying->next_spans(pass->source.pass, pass->spans, QUIPU__SPANS);
    for (uint32_t i = 0; i < count; i++)
        pass->span_list[i] = &pass->spans[i];
    return count;
}

static enum quipu_status take_record(struct quipu__record_pass *pass, struct quipu__record_or_spans *out,
                                     struct quipu_error *err) {
    out->stream = pass->stream;
    out->span_count = 0;
    const enum quipu_status status =
        pass->trace->format->reading->next_record(pass->source.pass, out->record, err);
    return QUIPU__LIKELY(status == QUIPU_OK) ? QUIPU_OK
                                             : quipu__source_reconcile(pass->trace, pass->stream, status, err);
}

/* The next record or spans of the stream at hand. */
static enum quipu_status next_of_stream(struct quipu__record_pass *pass, struct quipu__record_or_spans *out,
                                        struct quipu_error *err) {
    const enum quipu_status status = open_stream(pass, err);
    if (status != QUIPU_OK)
        return status;
    const uint32_t count = next_spans(pass);
    if (count == 0)
        return take_record(pass, out, err);
    out->stream = pass->stream;
    out->spans = pass->span_list;
    out->span_count = count;
    return QUIPU_OK;
}

/* The usual case by itself, since what lies between a caller and the decoder costs as much as a short record. QUIPU_END:
 * no stream is open any more. */
static enum quipu_status next_of_open(struct quipu__record_pass *pass, struct quipu__record_or_spans *out,
                                      struct quipu_error *err) {
    if (!pass->source.pass || pass->merges || pass->gives_spans)
        return QUIPU_END;
    const enum quipu_status status = take_record(pass, out, err);
    if (QUIPU__LIKELY(status != QUIPU_END))
        return status;
    quipu__source_close(&pass->source, pass->trace);
    pass->stream++;
    return QUIPU_END;
}

static bool is_merged_kind(const struct quipu_stream *stream) {
    for (unsigned i = 0; i < QUIPU__MERGED_KINDS; i++)
        if (merged_kinds[i] == stream->kind)
            return true;
    return false;
}

static bool has_substreams(const struct quipu_stream *stream) {
    return stream->substreams > 0;
}

/* The next record of the streams in their order, but for those to be left out. */
static enum quipu_status next_in_order(struct quipu__record_pass *pass,
                                       bool (*leaves_out)(const struct quipu_stream *),
                                       struct quipu__record_or_spans *out, struct quipu_error *err) {
    for (; pass->stream < pass->trace->streams.count; pass->stream++) {
        if (leaves_out && leaves_out(&pass->trace->streams.items[pass->stream]))
            continue;
        const enum quipu_status status = next_of_stream(pass, out, err);
        if (status != QUIPU_END)
            return status;
        quipu__source_close(&pass->source, pass->trace);
    }
    return QUIPU_END;
}

enum quipu_status quipu__record_pass_read_others(struct quipu__record_pass *pass, struct quipu_error *err) {
    struct quipu_record record;
    struct quipu__record_or_spans next = {.record = &record};
    enum quipu_status status;
    do
        status = next_in_order(pass, has_substreams, &next, err);
    while (status == QUIPU_OK);
    return status;
}

/* ---- Merged ---- */

/* The next record of the kinds of streams that are merged, one kind after the other. */
static enum quipu_status next_merged(struct quipu__record_pass *pass, struct quipu__record_or_spans *out,
                                     struct quipu_error *err) {
    for (; pass->kind < QUIPU__MERGED_KINDS; pass->kind++) {
        enum quipu_status status = QUIPU_OK;
        if (!pass->merged.trace)
            status = quipu__records_start(&pass->merged, pass->trace, &pass->limits[pass->kind],
                                          merged_kinds[pass->kind], pass->gives_spans, pass->counts, err);
        if (status == QUIPU_OK)
            status = quipu__records_next(&pass->merged, out, err);
        if (status != QUIPU_END)
            return status;
        quipu__records_release(&pass->merged);
    }
    return QUIPU_END;
}

enum quipu_status quipu__record_pass_next(struct quipu__record_pass *pass, struct quipu__record_or_spans *out,
                                          struct quipu_error *err) {
    enum quipu_status status = next_of_open(pass, out, err);
    if (QUIPU__LIKELY(status != QUIPU_END))
        return status;
    if (!pass->merges)
        return next_in_order(pass, NULL, out, err);
    status = next_in_order(pass, is_merged_kind, out, err);
    return status == QUIPU_END ? next_merged(pass, out, err) : status;
}

/* ---- Counting and ending ---- */

void quipu__record_pass_add_counts(const struct quipu__record_pass *pass, struct quipu__counts *counts) {
    quipu__source_add_counts(&pass->source, counts);
    for (uint32_t i = 0; i < pass->merged.count; i++)
        quipu__source_add_counts(&pass->merged.sources[i], counts);
}

void quipu__record_pass_release(struct quipu__record_pass *pass) {
    if (!pass->trace)
        return;
    quipu__source_close(&pass->source, pass->trace);
    quipu__records_release(&pass->merged);
}
