/* reader.c: opening a trace, and the passes over it.
 *
 * A pass delivers batches in stream order, batches or rows merged by time, or native records. It starts with the first
 * call after open, select or rewind. A pass over events ends by walking the streams that hold none (definitions, for
 * example), so that records and findings cover the whole trace.
 *
 * Findings of a pass replace those of the pass before; findings of opening stay.
 */
#include "trace/reader.h"

#include "core/error.h"
#include "core/memory/pack.h"
#include "core/os.h"
#include "index/sidecar.h"
#include "trace/event_pass.h"
#include "trace/probe.h"
#include "trace/records.h"
#include "trace/select.h"

/* ==== Passes of records ==== */

/* A pass over the native records of a trace: stream after stream, or those with times merged. */

/* Number of kinds of streams whose records have times; they are merged one kind after the other. */
enum { QUIPU__MERGED_KINDS = 3 };

struct quipu__record_pass {
    struct quipu__trace *trace;
    const struct quipu__filter *everything;
    struct quipu__counts *counts;
    bool gives_spans;

    /* stream after stream */
    uint32_t stream, end;
    struct quipu__source source; /* the pass over it */
    struct quipu__span spans[QUIPU__SPANS];
    const struct quipu__span *span_list[QUIPU__SPANS];

    /* merged */
    bool merges;
    uint32_t kind;                                    /* of the streams being merged */
    struct quipu__filter limits[QUIPU__MERGED_KINDS]; /* what is needed of each kind */
    struct quipu__records merged;
};

/* Stages: the streams one after the other, then the merged ones, kind by kind. */

static const enum quipu_stream_kind merged_kinds[QUIPU__MERGED_KINDS] = {
    QUIPU_STREAM_EVENTS, QUIPU_STREAM_SNAPSHOTS, QUIPU_STREAM_STATISTICS};

/* Begins again from the first stream, without merging. Release first. */
static void record_pass_init(struct quipu__record_pass *pass, struct quipu__trace *trace,
                             const struct quipu__filter *everything, struct quipu__counts *counts) {
    pass->trace = trace;
    pass->everything = everything;
    pass->counts = counts;
    pass->merges = pass->gives_spans = false;
    pass->stream = pass->kind = 0;
    pass->end = (uint32_t)trace->streams.count;
}

/* Makes records with times come merged, after all others, and those of a kind only within their limits. */
static void record_pass_merge(struct quipu__record_pass *pass) {
    pass->merges = true;
    for (unsigned i = 0; i < QUIPU__MERGED_KINDS; i++)
        pass->limits[i] = *pass->everything;
}

static void record_pass_limit(struct quipu__record_pass *pass, enum quipu_stream_kind kind, int64_t from,
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

/* The next record or spans of the current stream. */
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

/* Separates the common case, since the layers between a caller and the decoder cost as much as a short record. QUIPU_END:
 * no stream is open. */
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

/* The next record of the streams in their order, except those to leave out. */
static enum quipu_status next_in_order(struct quipu__record_pass *pass,
                                       bool (*leaves_out)(const struct quipu_stream *),
                                       struct quipu__record_or_spans *out, struct quipu_error *err) {
    for (; pass->stream < pass->end; pass->stream++) {
        if (leaves_out && leaves_out(&pass->trace->streams.items[pass->stream]))
            continue;
        const enum quipu_status status = next_of_stream(pass, out, err);
        if (status != QUIPU_END)
            return status;
        quipu__source_close(&pass->source, pass->trace);
    }
    return QUIPU_END;
}

/* Reads the streams without events, which a pass over events leaves out: QUIPU_END after the last. */
static enum quipu_status record_pass_read_others(struct quipu__record_pass *pass, struct quipu_error *err) {
    struct quipu_record record;
    struct quipu__record_or_spans next = {.record = &record};
    enum quipu_status status;
    do
        status = next_in_order(pass, has_substreams, &next, err);
    while (status == QUIPU_OK);
    return status;
}

/* ---- Merged ---- */

/* The next record of the merged kinds of streams, one kind after the other. */
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

/* The next record, or spans if requested and possible, borrowed until the following call. */
static enum quipu_status record_pass_next(struct quipu__record_pass *pass, struct quipu__record_or_spans *out,
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

/* Adds what open passes have read and not counted yet. */
static void record_pass_add_counts(const struct quipu__record_pass *pass, struct quipu__counts *counts) {
    quipu__source_add_counts(&pass->source, counts);
    for (uint32_t i = 0; i < pass->merged.count; i++)
        quipu__source_add_counts(&pass->merged.sources[i], counts);
}

/* Closes what is open. */
static void record_pass_release(struct quipu__record_pass *pass) {
    if (!pass->trace)
        return;
    quipu__source_close(&pass->source, pass->trace);
    quipu__records_release(&pass->merged);
}

/* ==== The reader ==== */

enum mode { MODE_NEW, MODE_BATCHES, MODE_ROWS, MODE_RECORDS, MODE_SPANS };

struct quipu_reader {
    /* the trace */
    struct quipu__memory memory;
    struct quipu_reader_options options;
    struct quipu__files files;
    struct quipu__fence fence;
    struct quipu__define define;
    struct quipu__trace trace;
    struct quipu__sidecar sidecar;
    bool is_open;
    bool has_loaded_survey; /* from the index */
    struct quipu__sharing sharing;

    /* findings of opening, and those that users see */
    struct quipu_findings *opening_findings, *findings;

    /* what the next pass delivers */
    struct quipu__filter filter, everything;
    enum quipu_order order;
    const struct quipu__unneeded_calls *unneeded; /* what it leaves out of windows; NULL: nothing */
    const struct quipu__stream_range *range;      /* of which events are read; NULL: all */

    /* the current pass */
    enum mode mode;
    enum quipu_status failure; /* why it cannot continue */
    struct quipu__counts counts;
    uint64_t delivered;
    uint32_t records_until_report;
    struct quipu__event_pass events;
    struct quipu__record_pass records; /* also of streams without events, after the events */
    struct {
        const struct quipu_batch *batch;
        uint32_t next, attribute;
    } rows;
};

/* ---- Opening ---- */

/* Copies the options and their texts. */
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
        return quipu__fail(err, QUIPU_NOT_FOUND, "unknown format \"%s\"", name);
    return (*out)->reading ? QUIPU_OK : quipu__fail(err, QUIPU_UNSUPPORTED, "%s cannot be read", name);
}

static enum quipu_status find_format(struct quipu_reader *reader, const char *path,
                                     const struct quipu__format **out, struct quipu_error *err) {
    enum quipu_score score;
    if (reader->options.format)
        return find_named_format(reader->options.format, out, err);
    const enum quipu_status status = quipu__probe(&reader->files, path, out, &score, err);
    const bool names_variant =
        reader->options.variant && status == QUIPU_OK && ((*out)->info.abilities & QUIPU_READS_VARIANTS) != 0;
    const bool is_pipe = quipu__path_kind(path, NULL) ==
                         QUIPU__PATH_OTHER; /* not a file or folder: the format says what is wrong */
    if (status != QUIPU_OK || score > QUIPU_SCORE_NAME_ONLY || names_variant || is_pipe)
        return status;
    quipu__fail(err, QUIPU_UNKNOWN_FORMAT, "only its name looks like %s, its contents do not",
                (*out)->info.title);
    quipu__at(err, path, 0);
    quipu__advise(err, "--from-format %s reads it anyway", (*out)->info.name);
    return QUIPU_UNKNOWN_FORMAT;
}

static enum quipu_status refuse_variant(const struct quipu__format *format, struct quipu_error *err) {
    quipu__fail(err, QUIPU_UNSUPPORTED, "%s has no variants to choose from", format->info.name);
    quipu__advise(err, "leave out --machine");
    return QUIPU_UNSUPPORTED;
}

/* The user has named the trace and its index, even if the index is only looked for. */
static void set_fence(struct quipu_reader *reader) {
    const char *path = reader->trace.path;
    reader->fence = (struct quipu__fence){.trace = path,
                                          .index = reader->sidecar.path,
                                          .folder_index = reader->sidecar.folder_path,
                                          .variant = reader->options.variant,
                                          .is_folder = quipu__path_kind(path, NULL) == QUIPU__PATH_DIRECTORY};
    if (!reader->options.allow_outside)
        reader->files.fence = &reader->fence;
}

/* What the format finds by reading everything: from the index, else so. QUIPU_CORRUPT: not from this index. */
static enum quipu_status take_survey(struct quipu_reader *reader, struct quipu_error *err) {
    struct quipu__trace *trace = &reader->trace;
    const struct quipu__survey *survey = trace->format->survey;
    struct quipu__buffer room;
    struct quipu__slice bytes;
    if (!survey)
        return QUIPU_OK;
    quipu__buffer_init(&room, &reader->memory, 0);
    enum quipu_status status = quipu__sidecar_survey(&reader->sidecar, trace, &room, &bytes, err);
    reader->has_loaded_survey = status == QUIPU_OK && bytes.at;
    if (status == QUIPU_OK)
        status = bytes.at ? survey->load(trace, bytes, err) : survey->make(trace, err);
    quipu__buffer_release(&room);
    return status;
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
    trace->findings = reader->files.findings = reader->opening_findings;
    trace->define = &reader->define;
    trace->variant = "";
    if (!quipu__sidecar_init(&reader->sidecar, &reader->define.arena, path, reader->options.index))
        return quipu__no_memory(err, strlen(path));
    reader->options.index = NULL; /* it is the caller's text */
    set_fence(reader);
    status = trace->format->reading->open(trace, err);
    reader->is_open = status == QUIPU_OK;
    if (status == QUIPU_OK)
        status = take_survey(reader, err);
    trace->findings = reader->files.findings = reader->findings;
    return status;
}

static size_t counts_bytes(const struct quipu_reader *reader) {
    return (reader->trace.format->info.schema->type_count + 1) * sizeof(uint64_t);
}

/* Copies the findings of opening into those that users see. */
static void show_opening_findings(struct quipu_reader *reader) {
    for (size_t i = 0; i < quipu_findings_count(reader->opening_findings); i++) {
        const struct quipu_finding *f = quipu_findings_at(reader->opening_findings, i);
        const struct quipu__where where = {f->file, f->byte, f->line, f->record, f->type, f->field};
        quipu__find(reader->findings, f->rule, &where, f->expected, "%s", f->found);
    }
}

static enum quipu_status prepare(struct quipu_reader *reader, struct quipu_error *err) {
    reader->counts.records_of = quipu__alloc_zero(&reader->memory, counts_bytes(reader));
    if (!reader->counts.records_of)
        return quipu__no_memory(err, counts_bytes(reader));
    show_opening_findings(reader);
    quipu__filter_release(&reader->filter, &reader->memory);
    reader->everything = reader->filter;
    record_pass_init(&reader->records, &reader->trace, &reader->everything, &reader->counts);
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
    reader->files.temporary_limit = options->temporary_limit;
    enum quipu_status status = quipu__define_init(&reader->define, &reader->memory, err);
    if (status == QUIPU_OK)
        status = quipu__findings_new(&reader->memory, &reader->findings, err);
    if (status == QUIPU_OK)
        status = quipu__findings_new(&reader->memory, &reader->opening_findings, err);
    if (status == QUIPU_OK && !keep_options(reader, options))
        status = quipu__no_memory(err, sizeof *options);
    return status;
}

/* Opens it; *is_misled: with what an index wrongly says. */
static enum quipu_status open_reader(const char *path, const struct quipu__format *format,
                                     const struct quipu_reader_options *options, bool *is_misled,
                                     struct quipu_reader **out, struct quipu_error *err) {
    struct quipu_reader *reader = NULL;
    *out = NULL;
    enum quipu_status status = new_reader(options, &reader, err);
    if (status == QUIPU_OK)
        status = open_trace(reader, path, format, err);
    if (status == QUIPU_OK)
        status = prepare(reader, err);
    if (status == QUIPU_OK)
        status = quipu__memory_status(&reader->memory, err);
    *is_misled = status == QUIPU_CORRUPT && reader->has_loaded_survey;
    if (status != QUIPU_OK) {
        quipu_reader_close(reader);
        return status;
    }
    *out = reader;
    return QUIPU_OK;
}

/* An index that misleads is as good as damaged: its trace is opened as if there were none. */
enum quipu_status quipu__reader_open(const char *path, const struct quipu__format *format,
                                     const struct quipu_reader_options *options, struct quipu_reader **out,
                                     struct quipu_error *err) {
    static const struct quipu_reader_options defaults = QUIPU_READER_OPTIONS_INIT;
    struct quipu_reader_options without = options ? *options : defaults;
    struct quipu_error trouble = QUIPU_ERROR_INIT;
    bool is_misled;
    enum quipu_status status = open_reader(path, format, &without, &is_misled, out, &trouble);
    if (is_misled) {
        without.index = "";
        status = open_reader(path, format, &without, &is_misled, out, &trouble);
        const char *index = options && options->index ? options->index : quipu_reader_index_path(*out);
        for (int i = 0; status == QUIPU_OK && i < 2; i++)
            quipu__index_report(i == 0 ? (*out)->opening_findings : (*out)->findings, QUIPU__INDEX_DAMAGED,
                                index, "");
    }
    if (status != QUIPU_OK && err)
        *err = trouble;
    return status;
}

enum quipu_status quipu_reader_open(const char *path, const struct quipu_reader_options *options,
                                    struct quipu_reader **out, struct quipu_error *err) {
    return quipu__reader_open(path, NULL, options, out, err);
}

enum quipu_status quipu__reader_open_again(struct quipu_reader *reader, struct quipu_reader **out,
                                           struct quipu_error *err) {
    struct quipu_reader_options options = reader->options;
    options.index = quipu_reader_index_path(reader);
    return quipu__reader_open(reader->trace.path, reader->trace.format, &options, out, err);
}

/* ---- Passes ---- */

static void end_passes(struct quipu_reader *reader) {
    quipu__event_pass_release(&reader->events);
    record_pass_release(&reader->records);
}

void quipu_reader_rewind(struct quipu_reader *reader) {
    end_passes(reader);
    record_pass_init(&reader->records, &reader->trace, &reader->everything, &reader->counts);
    if (reader->mode == MODE_NEW)
        return;
    memset(reader->counts.records_of, 0, counts_bytes(reader));
    reader->counts.records = reader->counts.bytes = reader->counts.skipped = 0;
    reader->delivered = 0;
    reader->records_until_report = 0;
    reader->unneeded = NULL;
    reader->rows.batch = NULL;
    reader->failure = QUIPU_OK;
    reader->mode = MODE_NEW;
    quipu__memory_forgive(&reader->memory);
    quipu__findings_copy_unreadable(reader->findings,
                                    reader->opening_findings); /* the files may be readable next time */
    quipu__findings_clear(reader->findings);
    show_opening_findings(reader);
}

enum quipu_status quipu_reader_select(struct quipu_reader *reader, const struct quipu_selection *selection,
                                      struct quipu_error *err) {
    quipu_reader_rewind(reader);
    reader->order = selection->order;
    if (reader->sharing.remote)
        reader->sharing.remote->select(reader->sharing.remote, selection);
    return quipu__filter_set(&reader->filter, &reader->memory, selection, &reader->define.definitions, err);
}

/* Whether the index can save reading events. */
static bool has_window(const struct quipu_reader *reader) {
    return reader->filter.from > INT64_MIN || reader->filter.to < INT64_MAX;
}

/* Records between two reports of progress. */
enum { RECORDS_PER_REPORT = 8192 };

enum quipu_status quipu__reader_report(const struct quipu_reader *reader, uint64_t bytes, uint64_t events,
                                       struct quipu_error *err) {
    const struct quipu_progress *progress = &reader->options.progress;
    if (!progress->report ||
        progress->report(progress->context, bytes, quipu_reader_bytes_total(reader), events))
        return QUIPU_OK;
    return quipu__fail(err, QUIPU_STOPPED, "stopped by the caller");
}

static enum quipu_status report_pass(const struct quipu_reader *reader, struct quipu_error *err) {
    return quipu__reader_report(reader, quipu_reader_bytes_read(reader), quipu_reader_delivered(reader), err);
}

/* Remembers a failure, so that a caller who continues gets it again. What was made while memory ran out is incomplete. */
static enum quipu_status keep_failure(struct quipu_reader *reader, enum quipu_status status,
                                      struct quipu_error *err) {
    if (status >= QUIPU_OK && quipu__memory_status(&reader->memory, err) != QUIPU_OK)
        status = QUIPU_NO_MEMORY;
    if (status < QUIPU_OK)
        reader->failure = status;
    return status;
}

/* From now on findings go there. */
static void find_into(struct quipu_reader *reader, struct quipu_findings *findings) {
    reader->trace.findings = reader->files.findings = findings;
}

static void begin_range(struct quipu_reader *reader) {
    const struct quipu__stream_range *range = reader->range;
    quipu__event_pass_limit(&reader->events, range->first, range->end);
    reader->records.stream = range->first;
    reader->records.end = range->end;
    find_into(reader, range->events);
}

static enum quipu_status start_events(struct quipu_reader *reader, enum quipu_order order,
                                      struct quipu_error *err) {
    reader->trace.index = has_window(reader) && !reader->sharing.transport ? quipu__reader_index(reader) : NULL;
    enum quipu_status status =
        quipu__event_pass_start(&reader->events, &reader->trace, &reader->filter, order, &reader->counts, err);
    reader->events.windows.unneeded = reader->unneeded;
    if (reader->range)
        begin_range(reader);
    if (status == QUIPU_OK && reader->sharing.remote)
        status = reader->sharing.remote->begin(reader->sharing.remote, &reader->events, err);
    return keep_failure(reader, status, err);
}

static enum quipu_status start_records(struct quipu_reader *reader) {
    reader->trace.index = NULL;
    reader->records.gives_spans = reader->mode == MODE_SPANS && quipu__format_gives_spans(reader->trace.format);
    return QUIPU_OK;
}

/* Makes sure that the pass is of this mode, starting it if there is none. */
static enum quipu_status use_mode(struct quipu_reader *reader, enum mode mode, enum quipu_order order,
                                  struct quipu_error *err) {
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
    return mode == MODE_BATCHES || mode == MODE_ROWS ? start_events(reader, order, err) : start_records(reader);
}

/* ---- Records ---- */

void quipu__reader_merge_records(struct quipu_reader *reader) {
    quipu_reader_rewind(reader);
    record_pass_merge(&reader->records);
}

void quipu__reader_limit_records(struct quipu_reader *reader, enum quipu_stream_kind kind, int64_t from,
                                 int64_t to) {
    record_pass_limit(&reader->records, kind, from, to);
}

static enum quipu_status next_record(struct quipu_reader *reader, enum mode mode,
                                     struct quipu__record_or_spans *out, struct quipu_error *err) {
    enum quipu_status status = use_mode(reader, mode, reader->order, err);
    if (status != QUIPU_OK)
        return status;
    status = record_pass_next(&reader->records, out, err);
    if (status == QUIPU_OK && reader->records_until_report-- == 0) {
        reader->records_until_report = RECORDS_PER_REPORT - 1;
        status = report_pass(reader, err);
    }
    return keep_failure(reader, status, err);
}

enum quipu_status quipu__reader_next_record_or_spans(struct quipu_reader *reader,
                                                     struct quipu__record_or_spans *out,
                                                     struct quipu_error *err) {
    return next_record(reader, MODE_SPANS, out, err);
}

enum quipu_status quipu_reader_next_record(struct quipu_reader *reader, struct quipu_record *out,
                                           struct quipu_error *err) {
    struct quipu__record_or_spans next = {.record = out};
    const enum quipu_status status = next_record(reader, MODE_RECORDS, &next, err);
    reader->delivered += status == QUIPU_OK;
    return status;
}

/* ---- Events ---- */

/* Reads the streams without events, behind the others. QUIPU_END after the last. */
static enum quipu_status read_others(struct quipu_reader *reader, struct quipu_error *err) {
    if (reader->range)
        find_into(reader, reader->range->others);
    return record_pass_read_others(&reader->records, err);
}

/* The next batch of the current pass; at the end the streams without events are read. */
static enum quipu_status next_events(struct quipu_reader *reader, const struct quipu_batch **out,
                                     struct quipu_error *err) {
    enum quipu_status status = quipu__event_pass_next(&reader->events, out, err);
    if (status == QUIPU_OK)
        status = report_pass(reader, err);
    else if (status == QUIPU_END)
        status = read_others(reader, err);
    return keep_failure(reader, status, err);
}

enum quipu_status quipu_reader_next_batch(struct quipu_reader *reader, const struct quipu_batch **out,
                                          struct quipu_error *err) {
    enum quipu_status status = use_mode(reader, MODE_BATCHES, reader->order, err);
    if (status == QUIPU_OK)
        status = next_events(reader, out, err);
    if (status != QUIPU_OK)
        *out = NULL;
    else if (reader->order == QUIPU_ORDER_WINDOWS)
        reader->delivered += (*out)->count + reader->events.windows.batch->left_out;
    else
        reader->delivered += (*out)->count;
    return status;
}

void quipu__reader_leave_out(struct quipu_reader *reader, const struct quipu__unneeded_calls *calls) {
    reader->unneeded = calls;
}

static size_t wanted_threads(const struct quipu_reader *reader) {
    const uint32_t wanted = reader->options.threads;
    return wanted == QUIPU_ALL_THREADS ? quipu__os_processors() : wanted;
}

bool quipu__reader_has_threads(const struct quipu_reader *reader) {
    return !reader->sharing.remote && wanted_threads(reader) > 1;
}

/* Every thread gets as much memory as a single one, so the number of threads changes only the time it takes. */
uint32_t quipu__reader_threads(const struct quipu_reader *reader, uint32_t most) {
    const size_t limits[] = {most, quipu__substream_count(&reader->trace), reader->files.limit,
                             quipu__share_count(&reader->memory)};
    size_t count = wanted_threads(reader);
    if (reader->sharing.remote)
        return 1; /* messages have no threads */
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        count = count < limits[i] ? count : limits[i];
    return count > 1 ? (uint32_t)count : 1;
}

static enum quipu_status report_shared(void *context, uint64_t bytes, uint64_t events,
                                       struct quipu_error *err) {
    return quipu__reader_report(context, bytes, events, err);
}

/* Called when the events have been read, or reading has failed. */
static enum quipu_status end_pass(struct quipu_reader *reader, enum quipu_status status,
                                  struct quipu_error *err) {
    if (status == QUIPU_OK) {
        status = read_others(reader, err);
        status = status == QUIPU_END ? QUIPU_OK : status;
    }
    return keep_failure(reader, status, err);
}

enum quipu_status quipu__reader_share(struct quipu_reader *reader, const struct quipu__worker_pool *workers,
                                      struct quipu_error *err) {
    struct quipu__worker_pool watched = *workers;
    watched.report = report_shared;
    watched.report_context = reader;
    enum quipu_status status = use_mode(reader, MODE_BATCHES, QUIPU_ORDER_STREAM, err);
    if (status != QUIPU_OK)
        return status;
    return end_pass(reader, quipu__event_pass_share(&reader->events, &watched, &reader->delivered, err), err);
}

static enum quipu_status consume_alone(struct quipu_reader *reader, const struct quipu__read_ahead *reading,
                                       struct quipu_error *err) {
    const struct quipu_batch *batch;
    enum quipu_status status;
    while ((status = quipu_reader_next_batch(reader, &batch, err)) == QUIPU_OK) {
        status = reading->consume(reading->state, batch, err);
        if (status != QUIPU_OK)
            return status;
    }
    return status == QUIPU_END ? QUIPU_OK : status;
}

enum quipu_status quipu__reader_consume(struct quipu_reader *reader, const struct quipu__read_ahead *reading,
                                        struct quipu_error *err) {
    struct quipu__read_ahead watched = *reading;
    *reading->must_repeat = false;
    watched.report = report_shared;
    watched.report_context = reader;
    if (reading->thread_count == 1)
        return consume_alone(reader, reading, err);
    const enum quipu_status status = use_mode(reader, MODE_BATCHES, reader->order, err);
    if (status != QUIPU_OK)
        return status;
    return end_pass(reader, quipu__read_ahead_run(&watched, &reader->events, &reader->delivered, err), err);
}

/* ---- Counts ---- */

/* The counts, including what passes over records have read and not counted yet. */
static struct quipu__counts counts_now(const struct quipu_reader *reader) {
    struct quipu__counts counts = reader->counts;
    record_pass_add_counts(&reader->records, &counts);
    return counts;
}

/* ---- Parts ---- */

void quipu__reader_limit_streams(struct quipu_reader *reader, const struct quipu__stream_range *range) {
    reader->range = range;
    find_into(reader, reader->findings);
}

enum quipu_status quipu__reader_read_range(struct quipu_reader *reader, const struct quipu__stream_range *range,
                                           const struct quipu__worker_pool *workers, struct quipu_error *err) {
    quipu__reader_limit_streams(reader, range);
    const enum quipu_status status = quipu__reader_share(reader, workers, err);
    quipu__reader_limit_streams(reader, NULL);
    return status;
}

void quipu__reader_save_counts(const struct quipu_reader *reader, struct quipu__buffer *out) {
    const struct quipu__counts counts = counts_now(reader);
    quipu__pack_u64(out, counts.records);
    quipu__pack_u64(out, counts.bytes);
    quipu__pack_u64(out, counts.skipped);
    quipu__pack_u64(out, reader->delivered);
    for (uint32_t i = 0; i < reader->trace.format->info.schema->type_count; i++)
        quipu__pack_u64(out, counts.records_of[i]);
}

void quipu__reader_add_counts(struct quipu_reader *reader, struct quipu__slice *from) {
    struct quipu__counts *counts = &reader->counts;
    counts->records += quipu__unpack_u64(from);
    counts->bytes += quipu__unpack_u64(from);
    counts->skipped += quipu__unpack_u64(from);
    reader->delivered += quipu__unpack_u64(from);
    for (uint32_t i = 0; i < reader->trace.format->info.schema->type_count; i++)
        counts->records_of[i] += quipu__unpack_u64(from);
}

enum quipu_status quipu_reader_next(struct quipu_reader *reader, struct quipu_event *out,
                                    struct quipu_error *err) {
    enum quipu_status status = use_mode(reader, MODE_ROWS, QUIPU_ORDER_TIME, err);
    if (status != QUIPU_OK)
        return status;
    if (!reader->rows.batch || reader->rows.next == reader->rows.batch->count) {
        const struct quipu_batch *batch = NULL;
        reader->rows.batch = NULL;
        status = next_events(reader, &batch, err);
        if (status != QUIPU_OK)
            return status;
        reader->rows.batch = batch;
        reader->rows.next = reader->rows.attribute = 0;
    }
    quipu__batch_event(reader->rows.batch, reader->rows.next++, &reader->rows.attribute, out);
    reader->delivered++;
    return QUIPU_OK;
}

/* ---- For other processes ---- */

enum quipu_status quipu__reader_start_pass(struct quipu_reader *reader, struct quipu__event_pass **out,
                                           struct quipu_error *err) {
    *out = &reader->events;
    return use_mode(reader, MODE_BATCHES, reader->order, err);
}

/* ---- Questions ---- */

struct quipu_progress quipu__reader_watch(struct quipu_reader *reader, const struct quipu_progress *progress) {
    const struct quipu_progress before = reader->options.progress;
    if (progress && progress->report)
        reader->options.progress = *progress;
    return before;
}

void quipu__reader_unwatch(struct quipu_reader *reader, struct quipu_progress before) {
    reader->options.progress = before;
}

void quipu_reader_share(struct quipu_reader *reader, struct quipu_transport *transport) {
    reader->sharing.transport = transport;
}

struct quipu__sharing *quipu__reader_sharing(struct quipu_reader *reader) {
    return &reader->sharing;
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

uint64_t quipu_reader_records(const struct quipu_reader *reader) {
    return counts_now(reader).records;
}

/* Spans are not counted one by one. */
uint64_t quipu_reader_delivered(const struct quipu_reader *reader) {
    return reader->mode == MODE_SPANS ? quipu_reader_records(reader) : reader->delivered;
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
    end_passes(reader);
    quipu__filter_release(&reader->filter, memory);
    quipu__sidecar_release(&reader->sidecar);
    if (reader->counts.records_of)
        quipu__release(memory, reader->counts.records_of, counts_bytes(reader));
    if (reader->is_open)
        reader->trace.format->reading->close(&reader->trace);
    QUIPU__VEC_RELEASE(memory, &reader->trace.streams);
    QUIPU__VEC_RELEASE(memory, &reader->trace.other_files);
    quipu__findings_free(reader->findings);
    quipu__findings_free(reader->opening_findings);
    quipu__define_release(&reader->define);
    quipu__files_release(&reader->files);
    struct quipu__memory last = *memory;
    quipu__release(&last, reader, sizeof *reader);
}
