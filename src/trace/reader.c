/* reader.c: opening a trace, and the passes over it.
 *
 * A pass delivers one of three things: batches in stream order, batches or rows merged by time, or native records.
 * It starts with the first call after open, select or rewind. A pass over events ends by walking the streams that
 * hold none (definitions, for example), so that records and findings cover the whole trace.
 *
 * Findings of a pass replace those of the pass before; findings of opening stay.
 */
#include "trace/reader.h"

#include "core/error.h"
#include "core/fence.h"
#include "core/os.h"
#include "trace/merge.h"
#include "trace/probe.h"
#include "trace/records.h"
#include "trace/select.h"
#include "index/sidecar.h"

/* Kinds of streams whose records have times, in the order in which they are merged. */
static const enum quipu_stream_kind merged_kinds[] = {QUIPU_STREAM_EVENTS, QUIPU_STREAM_SNAPSHOTS,
                                                      QUIPU_STREAM_STATISTICS};
enum { MERGED_KINDS = sizeof merged_kinds / sizeof *merged_kinds };

enum mode { MODE_NEW, MODE_STREAMS, MODE_MERGED, MODE_ROWS, MODE_RECORDS, MODE_PIECES };

struct quipu_reader {
    struct quipu__memory memory;
    struct quipu_reader_options options;
    struct quipu__files files;
    struct quipu__fence fence;
    struct quipu__define define;
    struct quipu__trace trace;
    struct quipu_findings *findings;         /* what users see */
    struct quipu_findings *opening_findings; /* what opening has found */
    bool is_open;
    struct quipu__sidecar sidecar;

    /* what the next pass delivers */
    struct quipu__filter filter, everything;
    enum quipu_order order;

    /* the current pass */
    enum mode mode;
    enum quipu_status failure; /* why it cannot go on */
    struct quipu__counts counts;
    uint64_t delivered;
    struct quipu__source *substreams; /* of all streams, in their order */
    uint32_t substream_count;
    struct quipu__merge merge;
    struct quipu__batch *batch;         /* of stream order */
    struct quipu__source record_source; /* the stream whose records are read now */
    uint32_t substream, record_stream;  /* where the pass is */
    bool merges_records;
    uint32_t record_kind; /* of the streams whose records are merged, an index of merged_kinds */
    struct quipu__filter merged[MERGED_KINDS]; /* what is wanted of them */
    struct quipu__records records;
    struct quipu__span spans[QUIPU__SPANS]; /* of one stream */
    const struct quipu__span *span_list[QUIPU__SPANS];
    const struct quipu_batch *rows;
    uint32_t row, row_attribute;
};

/* ---- Opening ---- */

/* Takes over the options with copies of their texts. */
static bool keep_options(struct quipu_reader *reader, const struct quipu_reader_options *options) {
    reader->options = *options;
    if (options->format)
        reader->options.format =
            quipu__arena_text(&reader->define.arena, options->format, strlen(options->format));
    if (options->variant)
        reader->options.variant =
            quipu__arena_text(&reader->define.arena, options->variant, strlen(options->variant));
    reader->options.memory_limit = reader->memory.limit;
    reader->options.file_limit = reader->files.limit;
    return !options->format == !reader->options.format && !options->variant == !reader->options.variant;
}

static enum quipu_status find_named_format(const char *name, const struct quipu__format **out,
                                           struct quipu_error *err) {
    *out = quipu__format_find(name);
    if (!*out)
        return quipu__fail(err, QUIPU_NOT_FOUND, "there is no format %s", name);
    return (*out)->reading ? QUIPU_OK : quipu__fail(err, QUIPU_UNSUPPORTED, "%s cannot be read", name);
}

static enum quipu_status find_format(struct quipu_reader *reader, const char *path,
                                     const struct quipu__format **out, struct quipu_error *err) {
    enum quipu_score score;
    if (reader->options.format)
        return find_named_format(reader->options.format, out, err);
    const enum quipu_status status = quipu__probe(&reader->files, path, out, &score, err);
    if (status != QUIPU_OK || score > QUIPU_SCORE_NAME_ONLY)
        return status;
    quipu__fail(err, QUIPU_UNKNOWN_FORMAT, "only its name looks like %s, its contents do not",
                (*out)->info.title);
    quipu__at(err, path, 0);
    quipu__advise(err, "name the format to read it anyway");
    return QUIPU_UNKNOWN_FORMAT;
}

static enum quipu_status refuse_variant(const struct quipu__format *format, struct quipu_error *err) {
    quipu__fail(err, QUIPU_UNSUPPORTED, "%s has no variants to choose from", format->info.name);
    quipu__advise(err, "leave out --machine");
    return QUIPU_UNSUPPORTED;
}

/* What the user has named is the trace and its index, even if that is only looked for. */
static void set_fence(struct quipu_reader *reader) {
    const char *path = reader->trace.path;
    reader->fence = (struct quipu__fence){.trace = path,
                                          .index = reader->sidecar.path,
                                          .is_folder = quipu__path_kind(path, NULL) == QUIPU__PATH_DIRECTORY};
    if (!reader->options.allow_outside)
        reader->files.fence = &reader->fence;
}

static enum quipu_status open_trace(struct quipu_reader *reader, const char *path,
                                    const struct quipu__format *format, struct quipu_error *err) {
    struct quipu__trace *trace = &reader->trace;
    const struct quipu__format *named = format;
    if (!named && reader->options.format)
        named = quipu__format_find(reader->options.format);
    enum quipu_status status = quipu__probe_path(&reader->define.arena, path, named, &path, err);
    if (status == QUIPU_OK && !format)
        status = find_format(reader, path, &format, err);
    if (status != QUIPU_OK)
        return status;
    if (reader->options.variant && !(format->info.abilities & QUIPU_READS_VARIANTS))
        return refuse_variant(format, err);
    trace->format = format;
    trace->path = quipu__arena_text(&reader->define.arena, path, strlen(path));
    if (!trace->path)
        return quipu__no_memory(err, strlen(path));
    trace->options = &reader->options;
    trace->memory = &reader->memory;
    trace->files = &reader->files;
    trace->findings = reader->opening_findings;
    trace->define = &reader->define;
    trace->variant = "";
    if (!quipu__sidecar_init(&reader->sidecar, &reader->define.arena, path, reader->options.index))
        return quipu__no_memory(err, strlen(path));
    reader->options.index = NULL; /* it is the caller's text */
    set_fence(reader);
    status = trace->format->reading->open(trace, err);
    reader->is_open = status == QUIPU_OK;
    trace->findings = reader->findings;
    return status;
}

static size_t substreams_bytes(const struct quipu_reader *reader) {
    return reader->substreams ? ((size_t)reader->substream_count + 1) * sizeof *reader->substreams : 0;
}

static enum quipu_status list_substreams(struct quipu_reader *reader, struct quipu_error *err) {
    const struct quipu_stream *streams = reader->trace.streams.items;
    const uint32_t stream_count = quipu_reader_stream_count(reader);
    size_t count = 0;
    for (uint32_t i = 0; i < stream_count; i++)
        count += streams[i].substreams;
    if (count >= QUIPU_NONE)
        return quipu__fail(err, QUIPU_LIMIT, "the trace has %zu sequences of events", count);
    reader->substreams = quipu__alloc_zero(&reader->memory, (count + 1) * sizeof *reader->substreams);
    if (!reader->substreams)
        return quipu__no_memory(err, (count + 1) * sizeof *reader->substreams);
    for (uint32_t i = 0; i < stream_count; i++)
        for (uint32_t substream = 0; substream < streams[i].substreams; substream++)
            reader->substreams[reader->substream_count++] =
                (struct quipu__source){.stream = i, .substream = substream};
    return QUIPU_OK;
}

static size_t counts_bytes(const struct quipu_reader *reader) {
    return (reader->trace.format->info.schema->type_count + 1) * sizeof(uint64_t);
}

/* Copies what opening has found into the findings that users see. */
static void show_opening_findings(struct quipu_reader *reader) {
    for (size_t i = 0; i < quipu_findings_count(reader->opening_findings); i++) {
        const struct quipu_finding *f = quipu_findings_at(reader->opening_findings, i);
        const struct quipu__where where = {f->file, f->byte, f->line, f->record, f->type, f->field};
        quipu__find(reader->findings, f->rule, &where, f->expected, "%s", f->found);
    }
}

static enum quipu_status prepare(struct quipu_reader *reader, struct quipu_error *err) {
    const enum quipu_status status = list_substreams(reader, err);
    if (status != QUIPU_OK)
        return status;
    reader->counts.records_of = quipu__alloc_zero(&reader->memory, counts_bytes(reader));
    if (!reader->counts.records_of)
        return quipu__no_memory(err, counts_bytes(reader));
    show_opening_findings(reader);
    quipu__filter_release(&reader->filter, &reader->memory);
    reader->everything = reader->filter;
    return QUIPU_OK;
}

static enum quipu_status new_reader(const struct quipu_reader_options *options, struct quipu_reader **out,
                                    struct quipu_error *err) {
    struct quipu__memory memory;
    quipu__memory_init(&memory, &options->allocator, options->memory_limit);
    struct quipu_reader *reader = quipu__alloc_zero(&memory, sizeof *reader);
    if (!reader)
        return quipu__no_memory(err, sizeof *reader);
    *out = reader;
    reader->memory = memory;
    quipu__files_init(&reader->files, &reader->memory, options->file_limit);
    enum quipu_status status = quipu__define_init(&reader->define, &reader->memory, err);
    if (status == QUIPU_OK)
        status = quipu__findings_new(&reader->memory, &reader->findings, err);
    if (status == QUIPU_OK)
        status = quipu__findings_new(&reader->memory, &reader->opening_findings, err);
    if (status == QUIPU_OK && !keep_options(reader, options))
        status = quipu__no_memory(err, sizeof *options);
    return status;
}

enum quipu_status quipu__reader_open(const char *path, const struct quipu__format *format,
                                     const struct quipu_reader_options *options, struct quipu_reader **out,
                                     struct quipu_error *err) {
    static const struct quipu_reader_options defaults = QUIPU_READER_OPTIONS_INIT;
    struct quipu_reader *reader = NULL;
    *out = NULL;
    enum quipu_status status = new_reader(options ? options : &defaults, &reader, err);
    if (status == QUIPU_OK)
        status = open_trace(reader, path, format, err);
    if (status == QUIPU_OK)
        status = prepare(reader, err);
    if (status == QUIPU_OK)
        status = quipu__memory_status(&reader->memory, err);
    if (status != QUIPU_OK) {
        quipu_reader_close(reader);
        return status;
    }
    *out = reader;
    return QUIPU_OK;
}

enum quipu_status quipu_reader_open(const char *path, const struct quipu_reader_options *options,
                                    struct quipu_reader **out, struct quipu_error *err) {
    return quipu__reader_open(path, NULL, options, out, err);
}

/* ---- Passes ---- */

static void close_sources(struct quipu_reader *reader) {
    for (uint32_t i = 0; i < reader->substream_count; i++)
        quipu__source_close(&reader->substreams[i], &reader->trace, &reader->counts);
    quipu__source_close(&reader->record_source, &reader->trace, &reader->counts);
    quipu__merge_release(&reader->merge);
    quipu__records_release(&reader->records);
}

void quipu_reader_rewind(struct quipu_reader *reader) {
    reader->merges_records = false;
    if (reader->mode == MODE_NEW)
        return;
    close_sources(reader);
    memset(reader->counts.records_of, 0, counts_bytes(reader));
    reader->counts.records = reader->counts.bytes = reader->counts.skipped = 0;
    reader->delivered = 0;
    reader->substream = reader->record_stream = reader->record_kind = 0;
    reader->rows = NULL;
    reader->failure = QUIPU_OK;
    reader->mode = MODE_NEW;
    quipu__memory_forgive(&reader->memory);
    quipu__findings_copy_unreadable(reader->findings, reader->opening_findings); /* may be readable next time */
    quipu__findings_clear(reader->findings);
    show_opening_findings(reader);
}

enum quipu_status quipu_reader_select(struct quipu_reader *reader, const struct quipu_selection *selection,
                                      struct quipu_error *err) {
    quipu_reader_rewind(reader);
    reader->order = selection->order;
    return quipu__filter_set(&reader->filter, &reader->memory, selection, &reader->define.definitions, err);
}

/* Whether the index can spare reading. Passes over records do not look at the selection. */
static bool has_window(const struct quipu_reader *reader, enum mode mode) {
    return mode != MODE_RECORDS && mode != MODE_PIECES &&
           (reader->filter.from > INT64_MIN || reader->filter.to < INT64_MAX);
}

/* Makes sure that the pass is of this mode, starting it if there is none. */
static enum quipu_status use_mode(struct quipu_reader *reader, enum mode mode, struct quipu_error *err) {
    if (reader->mode == mode)
        return reader->failure == QUIPU_OK
                   ? QUIPU_OK
                   : quipu__fail(err, reader->failure, "reading has failed before and cannot go on");
    if (reader->mode != MODE_NEW) {
        quipu__fail(err, QUIPU_MISUSE, "events, batches and records cannot be mixed in one pass");
        quipu__advise(err, "call quipu_reader_rewind first");
        return QUIPU_MISUSE;
    }
    reader->mode = mode;
    reader->trace.index = has_window(reader, mode) ? quipu__reader_index(reader) : NULL;
    reader->merge = (struct quipu__merge){
        .trace = &reader->trace,
        .filter = &reader->filter,
        .counts = &reader->counts,
        .sources = reader->substreams,
        .source_count = reader->substream_count,
    };
    return QUIPU_OK;
}

/* Remembers a failure, so that a caller who goes on gets it again. What was made while memory ran out lacks something. */
static enum quipu_status keep_failure(struct quipu_reader *reader, enum quipu_status status,
                                      struct quipu_error *err) {
    if (status >= QUIPU_OK && quipu__memory_status(&reader->memory, err) != QUIPU_OK)
        status = QUIPU_NO_MEMORY;
    if (status < QUIPU_OK)
        reader->failure = status;
    return status;
}

/* ---- Records ---- */

static bool gives_spans(const struct quipu_reader *reader) {
    return reader->mode == MODE_PIECES && quipu__format_gives_spans(reader->trace.format);
}

static enum quipu_status open_here(struct quipu_reader *reader, struct quipu_error *err) {
    struct quipu__source *source = &reader->record_source;
    const struct quipu__share share = quipu__share_of(&reader->memory, 1);
    source->stream = reader->record_stream;
    source->substream = QUIPU__RECORDS;
    return quipu__source_open(source, &reader->trace, &reader->everything, &share, &reader->counts, err);
}

/* The next record or runs of the stream at hand, which is opened if need be. */
static enum quipu_status next_record_here(struct quipu_reader *reader, struct quipu__piece *out,
                                          struct quipu_error *err) {
    struct quipu__source *source = &reader->record_source;
    const enum quipu_status status = source->pass ? QUIPU_OK : open_here(reader, err);
    if (status != QUIPU_OK)
        return status;
    out->stream = reader->record_stream;
    out->spans = reader->span_list;
    out->span_count = 0;
    if (gives_spans(reader))
        out->span_count = reader->trace.format->copying->next_spans(source->pass, reader->spans, QUIPU__SPANS);
    for (uint32_t i = 0; i < out->span_count; i++)
        reader->span_list[i] = &reader->spans[i];
    if (out->span_count > 0)
        return QUIPU_OK;
    return quipu__source_settle(&reader->trace, source->stream,
                                reader->trace.format->reading->next_record(source->pass, &out->record, err),
                                err);
}

static bool is_merged_kind(const struct quipu_stream *stream) {
    for (unsigned i = 0; i < MERGED_KINDS; i++)
        if (merged_kinds[i] == stream->kind)
            return true;
    return false;
}

static bool has_substreams(const struct quipu_stream *stream) {
    return stream->substreams > 0;
}

/* The next record of the streams in their order, but for those to be left out. */
static enum quipu_status next_record(struct quipu_reader *reader,
                                     bool (*leaves_out)(const struct quipu_stream *), struct quipu__piece *out,
                                     struct quipu_error *err) {
    for (; reader->record_stream < reader->trace.streams.count; reader->record_stream++) {
        if (leaves_out && leaves_out(&reader->trace.streams.items[reader->record_stream]))
            continue;
        const enum quipu_status status = next_record_here(reader, out, err);
        if (status != QUIPU_END)
            return status;
        quipu__source_close(&reader->record_source, &reader->trace, &reader->counts);
    }
    return QUIPU_END;
}

/* The next record of the kinds of streams that are merged, one kind after the other. */
static enum quipu_status next_merged(struct quipu_reader *reader, struct quipu__piece *out,
                                     struct quipu_error *err) {
    for (; reader->record_kind < MERGED_KINDS; reader->record_kind++) {
        enum quipu_status status = QUIPU_OK;
        if (!reader->records.trace)
            status = quipu__records_start(
                &reader->records, &reader->trace, &reader->merged[reader->record_kind],
                merged_kinds[reader->record_kind], gives_spans(reader), &reader->counts, err);
        if (status == QUIPU_OK)
            status = quipu__records_next(&reader->records, out, err);
        if (status != QUIPU_END)
            return status;
        quipu__records_release(&reader->records);
    }
    return QUIPU_END;
}

void quipu__reader_merge_records(struct quipu_reader *reader) {
    quipu_reader_rewind(reader);
    reader->merges_records = true;
    for (unsigned i = 0; i < MERGED_KINDS; i++)
        reader->merged[i] = reader->everything;
}

void quipu__reader_limit_records(struct quipu_reader *reader, enum quipu_stream_kind kind, int64_t from,
                                 int64_t to) {
    for (unsigned i = 0; i < MERGED_KINDS; i++) {
        if (merged_kinds[i] != kind)
            continue;
        reader->merged[i].from = from;
        reader->merged[i].to = to;
    }
}

/* The next piece in the order that the pass has. */
static enum quipu_status next_piece(struct quipu_reader *reader, enum mode mode, struct quipu__piece *out,
                                    struct quipu_error *err) {
    enum quipu_status status = use_mode(reader, mode, err);
    if (status != QUIPU_OK)
        return status;
    status = next_record(reader, reader->merges_records ? is_merged_kind : NULL, out, err);
    if (status == QUIPU_END && reader->merges_records)
        status = next_merged(reader, out, err);
    return keep_failure(reader, status, err);
}

enum quipu_status quipu__reader_next_piece(struct quipu_reader *reader, struct quipu__piece *out,
                                           struct quipu_error *err) {
    return next_piece(reader, MODE_PIECES, out, err);
}

enum quipu_status quipu_reader_next_record(struct quipu_reader *reader, struct quipu_record *out,
                                           struct quipu_error *err) {
    struct quipu__piece piece;
    const enum quipu_status status = next_piece(reader, MODE_RECORDS, &piece, err);
    if (status == QUIPU_OK)
        *out = piece.record;
    reader->delivered += status == QUIPU_OK;
    return status;
}

/* ---- Events ---- */

static enum quipu_status next_of_substreams(struct quipu_reader *reader, struct quipu__batch **out,
                                            struct quipu_error *err) {
    const struct quipu__share share = quipu__share_of(&reader->memory, 1);
    *out = reader->batch;
    for (; reader->substream < reader->substream_count; reader->substream++) {
        struct quipu__source *substream = &reader->substreams[reader->substream];
        enum quipu_status status =
            quipu__source_open(substream, &reader->trace, &reader->filter, &share, &reader->counts, err);
        if (status == QUIPU_OK)
            status = quipu__source_fill(substream, &reader->trace, &reader->filter, reader->batch, err);
        if (status != QUIPU_END)
            return status;
        quipu__source_close(substream, &reader->trace, &reader->counts);
    }
    return QUIPU_END;
}

/* Walks the streams without events: QUIPU_END after the last. */
static enum quipu_status read_others(struct quipu_reader *reader, struct quipu_error *err) {
    struct quipu__piece piece;
    enum quipu_status status;
    do
        status = next_record(reader, has_substreams, &piece, err);
    while (status == QUIPU_OK);
    return status;
}

/* The next batch of the pass that has been started; at the end the streams without events are walked. */
static enum quipu_status next_events(struct quipu_reader *reader, const struct quipu_batch **out,
                                     struct quipu_error *err) {
    struct quipu__batch *batch = NULL;
    enum quipu_status status = reader->mode == MODE_STREAMS ? next_of_substreams(reader, &batch, err)
                                                            : quipu__merge_next(&reader->merge, &batch, err);
    if (status == QUIPU_END)
        status = read_others(reader, err);
    else if (status == QUIPU_OK)
        *out = &batch->batch;
    return keep_failure(reader, status, err);
}

/* Starts a pass in stream order with a batch to fill. */
static enum quipu_status need_batch(struct quipu_reader *reader, struct quipu_error *err) {
    if (reader->batch)
        return QUIPU_OK;
    const struct quipu__share share = quipu__share_of(&reader->memory, 1);
    return quipu__batch_new(&reader->memory, share.capacity, &reader->batch, err);
}

enum quipu_status quipu_reader_next_batch(struct quipu_reader *reader, const struct quipu_batch **out,
                                          struct quipu_error *err) {
    const bool merges = reader->order == QUIPU_ORDER_TIME;
    enum quipu_status status = use_mode(reader, merges ? MODE_MERGED : MODE_STREAMS, err);
    if (status == QUIPU_OK && !merges)
        status = need_batch(reader, err);
    if (status == QUIPU_OK)
        status = next_events(reader, out, err);
    if (status == QUIPU_OK)
        reader->delivered += (*out)->count;
    else
        *out = NULL;
    return status;
}

/* Every thread has what a single one has, so that the number of threads changes nothing but the time it takes. */
uint32_t quipu__reader_threads(const struct quipu_reader *reader, uint32_t most) {
    const uint32_t wanted = reader->options.threads;
    const size_t limits[] = {most, reader->substream_count, reader->files.limit,
                             quipu__share_count(&reader->memory)};
    size_t count = wanted == QUIPU_ALL_THREADS ? quipu__os_processors() : wanted;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        count = count < limits[i] ? count : limits[i];
    return count > 1 ? (uint32_t)count : 1;
}

enum quipu_status quipu__reader_share(struct quipu_reader *reader, const struct quipu__worker_pool *workers,
                                      struct quipu_error *err) {
    const struct quipu__worker_pool_task task = {
        .trace = &reader->trace,
        .filter = &reader->filter,
        .sources = reader->substreams,
        .source_count = reader->substream_count,
        .counts = &reader->counts,
        .delivered = &reader->delivered,
    };
    enum quipu_status status = use_mode(reader, MODE_STREAMS, err);
    if (status != QUIPU_OK)
        return status;
    status = quipu__worker_pool_run(workers, &task, err);
    reader->substream = reader->substream_count;
    if (status == QUIPU_OK) {
        status = read_others(reader, err);
        status = status == QUIPU_END ? QUIPU_OK : status;
    }
    return keep_failure(reader, status, err);
}

enum quipu_status quipu_reader_next(struct quipu_reader *reader, struct quipu_event *out,
                                    struct quipu_error *err) {
    enum quipu_status status = use_mode(reader, MODE_ROWS, err);
    if (status != QUIPU_OK)
        return status;
    if (!reader->rows || reader->row == reader->rows->count) {
        reader->rows = NULL;
        const struct quipu_batch *rows = NULL;
        status = next_events(reader, &rows, err);
        if (status != QUIPU_OK)
            return status;
        reader->rows = rows;
        reader->row = reader->row_attribute = 0;
    }
    quipu__batch_event(reader->rows, reader->row++, &reader->row_attribute, out);
    reader->delivered++;
    return QUIPU_OK;
}

/* ---- Questions ---- */

const struct quipu_progress *quipu__reader_progress(const struct quipu_reader *reader) {
    return &reader->options.progress;
}

struct quipu__trace *quipu__reader_trace(struct quipu_reader *reader) {
    return &reader->trace;
}

const struct quipu__index *quipu__reader_index(struct quipu_reader *reader) {
    return quipu__sidecar_index(&reader->sidecar, &reader->trace, reader->opening_findings);
}

enum quipu_status quipu_reader_check_index(struct quipu_reader *reader, struct quipu_error *err) {
    const struct quipu__sidecar *sidecar = &reader->sidecar;
    if (!sidecar->is_wanted)
        return quipu__fail(err, QUIPU_MISUSE, "the reader was opened without an index");
    quipu__reader_index(reader);
    if (sidecar->is_there)
        return QUIPU_OK;
    const enum quipu_status status = quipu__memory_status(&reader->memory, err);
    return status == QUIPU_OK ? quipu__index_refuse(sidecar->answer, sidecar->path, err) : status;
}

void quipu__reader_refuse_index(struct quipu_reader *reader, const char *why) {
    quipu_reader_rewind(reader);
    quipu__sidecar_refuse(&reader->sidecar, &reader->trace, reader->opening_findings, why);
}

const char *quipu_reader_index_path(const struct quipu_reader *reader) {
    return reader->sidecar.path;
}

enum quipu_status quipu__reader_each_file(const struct quipu_reader *reader,
                                          enum quipu_status (*visit)(void *context, const char *path,
                                                                     struct quipu_error *err),
                                          void *context, struct quipu_error *err) {
    const struct quipu__trace *trace = &reader->trace;
    enum quipu_status status = visit(context, trace->path, err);
    for (size_t i = 0; status == QUIPU_OK && i < trace->streams.count; i++)
        status = visit(context, trace->streams.items[i].path, err);
    for (size_t i = 0; status == QUIPU_OK && i < trace->other_files.count; i++)
        status = visit(context, trace->other_files.items[i], err);
    return status == QUIPU_OK ? visit(context, reader->sidecar.path, err) : status;
}

static enum quipu_status protect(void *context, const char *path, struct quipu_error *err) {
    return quipu_guard_protect(context, path, err);
}

enum quipu_status quipu_reader_protect(const struct quipu_reader *reader, struct quipu_guard *guard,
                                       struct quipu_error *err) {
    return quipu__reader_each_file(reader, protect, guard, err);
}

const struct quipu_format *quipu_reader_format(const struct quipu_reader *reader) {
    return &reader->trace.format->info;
}

const char *quipu_reader_variant(const struct quipu_reader *reader) {
    return reader->trace.variant;
}

const struct quipu_definitions *quipu_reader_definitions(const struct quipu_reader *reader) {
    return &reader->define.definitions;
}

uint64_t quipu_reader_unreadable(const struct quipu_reader *reader) {
    return quipu__findings_unreadable(reader->findings);
}

const struct quipu_findings *quipu_reader_findings(const struct quipu_reader *reader) {
    return reader->findings;
}

uint32_t quipu_reader_stream_count(const struct quipu_reader *reader) {
    return (uint32_t)reader->trace.streams.count;
}

const struct quipu_stream *quipu_reader_stream_at(const struct quipu_reader *reader, uint32_t index) {
    return &reader->trace.streams.items[index];
}

/* Adds what open passes have counted to what closed ones have. */
static struct quipu__counts counts_now(const struct quipu_reader *reader) {
    struct quipu__counts counts = reader->counts;
    for (uint32_t i = 0; i < reader->substream_count; i++)
        quipu__source_add_counts(&reader->substreams[i], &counts);
    quipu__source_add_counts(&reader->record_source, &counts);
    for (uint32_t i = 0; i < reader->records.count; i++)
        quipu__source_add_counts(&reader->records.sources[i], &counts);
    return counts;
}

uint64_t quipu_reader_records(const struct quipu_reader *reader) {
    return counts_now(reader).records;
}

/* Runs are not counted one by one. */
uint64_t quipu_reader_delivered(const struct quipu_reader *reader) {
    return reader->mode == MODE_PIECES ? quipu_reader_records(reader) : reader->delivered;
}

uint64_t quipu_reader_records_of(const struct quipu_reader *reader, uint32_t type) {
    return type < reader->trace.format->info.schema->type_count ? reader->counts.records_of[type] : 0;
}

uint64_t quipu_reader_bytes_read(const struct quipu_reader *reader) {
    return counts_now(reader).bytes;
}

uint64_t quipu__reader_skipped(const struct quipu_reader *reader) {
    return counts_now(reader).skipped;
}

uint64_t quipu_reader_bytes_total(const struct quipu_reader *reader) {
    return reader->trace.bytes_total;
}

/* ---- Closing ---- */

void quipu_reader_close(struct quipu_reader *reader) {
    if (!reader)
        return;
    struct quipu__memory *memory = &reader->memory;
    close_sources(reader);
    quipu__batch_free(reader->batch);
    quipu__filter_release(&reader->filter, memory);
    quipu__sidecar_release(&reader->sidecar);
    if (reader->counts.records_of)
        quipu__release(memory, reader->counts.records_of, counts_bytes(reader));
    quipu__release(memory, reader->substreams, substreams_bytes(reader));
    if (reader->is_open)
        reader->trace.format->reading->close(&reader->trace);
    QUIPU__VEC_RELEASE(memory, &reader->trace.streams);
    QUIPU__VEC_RELEASE(memory, &reader->trace.other_files);
    quipu__findings_free(reader->findings);
    quipu__findings_free(reader->opening_findings);
    quipu__define_release(&reader->define);
    struct quipu__memory last = *memory;
    quipu__release(&last, reader, sizeof *reader);
}
