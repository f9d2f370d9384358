/* reader.h: what higher floors may use of a reader beyond its public functions: the trace that a format has opened, so that
 * check can run the format's rules and convert can use its mapping. */
#ifndef QUIPU_TRACE_READER_H
#define QUIPU_TRACE_READER_H

#include "formats/descriptor.h"
#include "trace/read_ahead.h"
#include "trace/worker_pool.h"
#include "index/index.h"
#include "trace/records.h"

#include <quipu/transport.h>

/* quipu_reader_open with a format that need not be in the registry; NULL finds out. */
enum quipu_status quipu__reader_open(const char *path, const struct quipu__format *format,
                                     const struct quipu_reader_options *options, struct quipu_reader **out,
                                     struct quipu_error *err);

/* Opens the trace of a reader once more, with the same options. */
enum quipu_status quipu__reader_open_again(struct quipu_reader *reader, struct quipu_reader **out,
                                           struct quipu_error *err);

/* From now on progress is reported there, unless that is NULL or reports nothing. Returns the previous one. */
struct quipu_progress quipu__reader_watch(struct quipu_reader *reader, const struct quipu_progress *progress);

/* Ends that: progress is reported as before. */
void quipu__reader_unwatch(struct quipu_reader *reader, struct quipu_progress before);

/* The one function that reports progress. QUIPU_STOPPED when the user stops the work. */
enum quipu_status quipu__reader_report(const struct quipu_reader *reader, uint64_t bytes, uint64_t events,
                                       struct quipu_error *err);

/* The trace of a reader. Borrowed from it. */
struct quipu__trace *quipu__reader_trace(struct quipu_reader *reader);

/* Calls visit with the path of each file of the trace, including the path that was opened and that of its index, whether the
 * file exists or not. Stops when visit does not return QUIPU_OK. */
enum quipu_status quipu__reader_each_file(const struct quipu_reader *reader,
                                          enum quipu_status (*visit)(void *context, const char *path,
                                                                     struct quipu_error *err),
                                          void *context, struct quipu_error *err);

/* The index of the trace, which is looked for at the first call; NULL when there is no usable one. */
const struct quipu__index *quipu__reader_index(struct quipu_reader *reader);

/* The index has turned out to be wrong: it is no longer used, and that is a finding. Ends the pass. */
void quipu__reader_refuse_index(struct quipu_reader *reader, const char *why);

/* Rewinds for a pass in which records are merged: first come the streams of definitions, markers and others in their
 * order, then the records of all streams of events by time, then those of snapshots and of statistics likewise. */
void quipu__reader_merge_records(struct quipu_reader *reader);

/* Of the records merged in this pass, those of a kind of stream are needed only from a time on and before another one, in
 * times of the model. A format leaves out others only where that is cheap, so they may still come. Call this before the first
 * record. */
void quipu__reader_limit_records(struct quipu_reader *reader, enum quipu_stream_kind kind, int64_t from,
                                 int64_t to);

/* Bytes that the current pass over records has skipped as damage. */
uint64_t quipu__reader_skipped(const struct quipu_reader *reader);

/* How many threads may share a pass, each with a state of its own. */
enum { QUIPU__THREADS_MOST = 256 };

/* How many threads may share the next pass over batches in stream order: at most most, and 1 when it cannot be
 * shared. */
uint32_t quipu__reader_threads(const struct quipu_reader *reader, uint32_t most);

/* Whether the options allow more than one thread. */
bool quipu__reader_has_threads(const struct quipu_reader *reader);

/* The next pass, if it reads windows, leaves that out of its batches; NULL: nothing. Borrowed until the pass ends. */
void quipu__reader_leave_out(struct quipu_reader *reader, const struct quipu__unneeded_calls *calls);

/* Runs the whole pass with that many threads. QUIPU_OK at its end, QUIPU_STOPPED when progress stops it. */
enum quipu_status quipu__reader_share(struct quipu_reader *reader, const struct quipu__worker_pool *pool,
                                      struct quipu_error *err);

/* A part of a trace for one of several processes. */
struct quipu__stream_range {
    uint32_t first, end;           /* its streams */
    struct quipu_findings *events; /* what is found in those with events, separately from what others find */
    struct quipu_findings *others; /* and in the rest */
};

/* From now on passes over events are over a part, which is borrowed; NULL: everything. */
void quipu__reader_limit_streams(struct quipu_reader *reader, const struct quipu__stream_range *range);

/* As quipu__reader_share, but over a part. */
enum quipu_status quipu__reader_read_range(struct quipu_reader *reader, const struct quipu__stream_range *range,
                                           const struct quipu__worker_pool *workers, struct quipu_error *err);

/* The counts of a pass as bytes, and adding such bytes to those of another one. */
void quipu__reader_save_counts(const struct quipu_reader *reader, struct quipu__buffer *out);
void quipu__reader_add_counts(struct quipu_reader *reader, struct quipu__slice *from);

/* Processes that share the trace. */
struct quipu__sharing {
    struct quipu_transport *transport; /* the way to them; NULL: there are none */
    struct quipu__remote *remote;      /* from now on they read the events, for this one; NULL: they do not */
};
struct quipu__sharing *quipu__reader_sharing(struct quipu_reader *reader);

/* Begins a pass over events, whose sources the caller opens and reads. */
enum quipu_status quipu__reader_start_pass(struct quipu_reader *reader, struct quipu__event_pass **out,
                                           struct quipu_error *err);

/* Runs the whole pass over batches, in the selected order, with one thread or with others that read ahead. must_repeat is set when definitions turn out
 * to be missing: then what the state knows is not complete, and one thread must read everything again. */
enum quipu_status quipu__reader_consume(struct quipu_reader *reader, const struct quipu__read_ahead *reading,
                                        struct quipu_error *err);

/* As quipu_reader_next_record, but may give spans instead. */
enum quipu_status quipu__reader_next_record_or_spans(struct quipu_reader *reader,
                                                     struct quipu__record_or_spans *out,
                                                     struct quipu_error *err);

#endif
