/* reader.h: opening a trace of any format and reading its records or events.
 *
 *     struct quipu_error err = QUIPU_ERROR_INIT;
 *     struct quipu_reader *reader;
 *     struct quipu_event event;
 *     enum quipu_status status = quipu_reader_open("run.otf", NULL, &reader, &err);
 *     while (status == QUIPU_OK && (status = quipu_reader_next(reader, &event, &err)) == QUIPU_OK)
 *         if (event.kind == QUIPU_KIND_send)
 *             printf("%" PRId64 " %" PRIu64 "\n", event.time, event.bytes);
 *     quipu_reader_close(reader);
 *
 * A trace consists of streams, each a file or part of one. A reader reads its streams in one of two ways: native
 * records in file order (quipu_reader_next_record) or events (quipu_reader_next, _next_batch). Use one way at a time;
 * quipu_reader_rewind starts again.
 *
 * Reading takes one thread unless the options allow more. Answers and findings are the same for any number of threads.
 * Progress is reported by the calling thread only.
 */
#ifndef QUIPU_READER_H
#define QUIPU_READER_H

#include <quipu/base.h>
#include <quipu/format.h>
#include <quipu/model.h>
#include <quipu/schema.h>
#include <quipu/where.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Called now and then while a reader reads, in the calling thread: after a batch, or after thousands of records. Return
 * false to stop: the work then ends with QUIPU_STOPPED. bytes_total is QUIPU_UNKNOWN when not known. */
typedef bool quipu_progress_fn(void *context, uint64_t bytes_done, uint64_t bytes_total, uint64_t events);

struct quipu_progress {
    quipu_progress_fn *report; /* NULL: none */
    void *context;
};
#define QUIPU_PROGRESS_INIT                                                                                    \
    { NULL, NULL }

/* How to open a trace. Zero means the default everywhere. */
struct quipu_reader_options {
    const char *format;  /* name of the format; NULL: find out */
    const char *variant; /* variant of the format, for example a machine profile; NULL: find out */
    size_t memory_limit; /* bytes; default QUIPU_MEMORY_LIMIT */
    uint32_t
        file_limit; /* files open at a time; default 4096, but less than half of what the process may open */
    uint64_t
        temporary_limit; /* bytes of temporary files, for pipes and for compressed files that are read out of order; default half of the free space where they lie */
    uint32_t
        threads; /* threads that quipu_analysis_run, quipu_summarise and those who read relations may use; 0 and 1: one */
    struct quipu_allocator allocator;
    const char *index;  /* file of the index; NULL: the one beside the trace, if any; "": none */
    bool verify_index;  /* before using the index, compare all bytes of the trace with those it was made from */
    bool allow_outside; /* also read files outside the trace's folder that its files or links refer to */
    struct quipu_progress
        progress; /* for everything that uses the reader, unless that has a progress of its own */
};

/* Asks for as many threads as there are processors that the process may use. */
#define QUIPU_ALL_THREADS UINT32_MAX

/* clang-format off */
#define QUIPU_READER_OPTIONS_INIT {NULL, NULL, 0, 0, 0, 0, {NULL, NULL}, NULL, false, false, {NULL, NULL}}
/* clang-format on */

struct quipu_reader;

/* Opens a trace: a file, a directory, a metafile or master file, or one part of a trace. A suffix may be left out when
 * the path itself does not exist: run stands for run with the suffix of a format when there is just one such file, and
 * run.otf for run.otf.gz or run.otf.zst. Any file of a trace may be compressed by gzip or zstd in this way. "-" is
 * standard input, for traces of one file. What must be read out of order is copied to a temporary file first
 * (temporary_limit). The definitions are complete afterwards. Damaged or missing parts are findings. Fails when nothing
 * can be read.
 *
 * Only regular files are opened. The path itself and the index that the options name may be anywhere. Metafiles and
 * links may point elsewhere, so all other files are read only when, after links are followed, they lie in the folder of
 * the path (in the path itself when it is a folder) or below. allow_outside lifts that. */
QUIPU_API enum quipu_status quipu_reader_open(const char *path, const struct quipu_reader_options *options,
                                              struct quipu_reader **out, struct quipu_error *err);

QUIPU_API void quipu_reader_close(struct quipu_reader *reader);

QUIPU_API const struct quipu_format *quipu_reader_format(const struct quipu_reader *reader);

/* Variant of the format, such as a version or a machine profile; "" when there are none. */
QUIPU_API const char *quipu_reader_variant(const struct quipu_reader *reader);

QUIPU_API const struct quipu_definitions *quipu_reader_definitions(const struct quipu_reader *reader);

/* All findings so far. */
QUIPU_API const struct quipu_findings *quipu_reader_findings(const struct quipu_reader *reader);

/* How often a file of the trace that exists could not be read, in full or at all: permission was missing, or the disk
 * failed. Each time is also a finding of severity data loss. The contents of the other files are still delivered. */
QUIPU_API uint64_t quipu_reader_unreadable(const struct quipu_reader *reader);

/* Where the index of the trace is looked for and made (index.h): the file that the options name, else the trace's path
 * with the suffix .qpx; if there is none, a fitting one beside the trace's folder or beside its first files. "" when
 * the trace cannot have one, such as one from a pipe.
 *
 * An index says what came before at some points in time. Passes over events that begin late, and analyses, resume there
 * instead of reading everything. Their events and answers are the same, but findings in the parts that are not read are
 * missing. An index is not used when it is damaged or the trace has changed since; that is a finding of severity info.
 * Any change of any file is noticed: by its size, inode and time of last status change, which programs cannot set back;
 * where these differ, by a checksum of all its bytes. If more than 1 GiB would have to be read for that, the index is
 * not used either, unless verify_index is set. */
QUIPU_API const char *quipu_reader_index_path(const struct quipu_reader *reader);

/* Whether there is a usable index. If not: QUIPU_NOT_FOUND when there is none, QUIPU_UNKNOWN_FORMAT when the file is
 * something else, QUIPU_IO when it cannot be read, QUIPU_CORRUPT when it is damaged or the trace has changed, or may
 * have changed. */
QUIPU_API enum quipu_status quipu_reader_check_index(struct quipu_reader *reader, struct quipu_error *err);

/* Makes the guard protect all files of the trace, including its index, from being replaced. */
QUIPU_API enum quipu_status quipu_reader_protect(const struct quipu_reader *reader, struct quipu_guard *guard,
                                                 struct quipu_error *err);

/* ---- Streams ---- */

enum quipu_stream_kind {
    QUIPU_STREAM_EVENTS,
    QUIPU_STREAM_DEFINITIONS,
    QUIPU_STREAM_SNAPSHOTS,
    QUIPU_STREAM_STATISTICS,
    QUIPU_STREAM_MARKERS,
    QUIPU_STREAM_OTHER
};

struct quipu_stream {
    const char *name; /* short, unique in the trace */
    const char *path; /* file that holds it */
    enum quipu_stream_kind kind;
    uint64_t native_id;  /* the format's number: rank, stream id */
    uint32_t substreams; /* sequences of events in it, each in time order */
    uint64_t bytes;      /* size of the file, QUIPU_UNKNOWN when not known */
    bool missing;        /* the trace names it but it cannot be read */
};

QUIPU_API uint32_t quipu_reader_stream_count(const struct quipu_reader *reader);
QUIPU_API const struct quipu_stream *quipu_reader_stream_at(const struct quipu_reader *reader, uint32_t index);

/* ---- Selection ---- */

enum quipu_order {
    QUIPU_ORDER_STREAM, /* stream after stream, the cheapest; a location may have events in several streams */
    QUIPU_ORDER_TIME,   /* all streams merged by (time, location, position) */
    QUIPU_ORDER_WINDOWS /* time window after time window, and within each stream after stream: for comparing locations when each location's events alone must be in time order. complete_to of a batch says where its window begins. Much faster than merging when there are many streams. The next batch fails with QUIPU_UNSUPPORTED when a location turns out to have events in several streams. */
};

/* What to deliver. With only the members that the macro sets: everything. An event is delivered when all members pass
 * it.
 *
 * regions passes calls of these regions, from enter to leave, and any other event at a location while such a call is
 * active there:
 * - An enter passes when its region is listed. So calls inside a listed call pass only when their own region is listed.
 * - A leave passes with the enter that it ends. If it names its region, it belongs to the innermost active call of that
 *   region, and passes when the region is listed, even if no such call is active, as at the beginning of a trace that
 *   begins late. If it names none, it belongs to the innermost active call; without one it does not pass.
 * - Other events pass from the enter of a listed call to its leave, in the order of the stream: those at the same time
 *   pass when they lie between the two. With recursion, the leave of the outermost call counts. A call that never ends
 *   is active until the end of the trace.
 * - The leave of a call also ends calls inside it that have not been left, as after damage. Calls of regions that need
 *   not nest (QUIPU_NESTING_FREE) may overlap with others and end only with their own leave.
 * - Each location of each stream has its own active calls. A call of a process does not make events of its threads
 *   pass. Where a location has events in several streams, a call in one stream does not make events of the others pass.
 * - from, to, kinds and locations do not change what is active: a window delivers exactly the events that the whole
 *   trace would deliver there. If a call begins before the window, its leave and its events in the window are
 *   delivered, but not its enter. To know such calls, everything before the window is read, or everything from the
 *   latest checkpoint of an index on.
 *
 * The expression is evaluated for each event by itself; kinds, locations and times that it excludes are not even read.
 * Where it asks for durations, or for the region of events that have none of their own, active calls are those
 * described above. A test of a duration is decided when the call ends or has lasted long enough. Until then events are
 * held in memory, for as much of the trace's time as the longest duration in the expression. */
struct quipu_selection {
    int64_t from, to; /* from <= time < to; INT64_MAX: no end */
    quipu_kinds kinds;
    const uint32_t *locations; /* numbers, ascending; NULL: all */
    uint32_t location_count;
    const uint32_t *regions; /* numbers, ascending, see above; NULL: no restriction */
    uint32_t region_count;
    bool without_attributes; /* leave the attributes out: faster */
    enum quipu_order order;
    const char *where; /* an expression (where.h) that must be true for the event; NULL: any event */
};
#define QUIPU_SELECTION_INIT                                                                                   \
    { INT64_MIN, INT64_MAX, QUIPU_ALL_KINDS, NULL, 0, NULL, 0, false, QUIPU_ORDER_STREAM, NULL }

/* Sets what the next pass delivers and rewinds. Lists and expression are copied. QUIPU_MISUSE when from is after to or
 * the expression is invalid; then everything is selected. */
QUIPU_API enum quipu_status quipu_reader_select(struct quipu_reader *reader,
                                                const struct quipu_selection *selection,
                                                struct quipu_error *err);

/* Starts again at the beginning, with the same selection. */
QUIPU_API void quipu_reader_rewind(struct quipu_reader *reader);

/* ---- Reading ---- */

/* The next events as columns, in the selected order; QUIPU_END after the last. */
QUIPU_API enum quipu_status quipu_reader_next_batch(struct quipu_reader *reader, const struct quipu_batch **out,
                                                    struct quipu_error *err);

/* The next event in time order; QUIPU_END after the last. The first call of a pass changes the selected order to
 * QUIPU_ORDER_TIME. */
QUIPU_API enum quipu_status quipu_reader_next(struct quipu_reader *reader, struct quipu_event *out,
                                              struct quipu_error *err);

/* The next native record, stream after stream in file order; QUIPU_END after the last. Selection does not
 * apply. */
QUIPU_API enum quipu_status quipu_reader_next_record(struct quipu_reader *reader, struct quipu_record *out,
                                                     struct quipu_error *err);

/* Number of events or records delivered, and native records read, in this pass. */
QUIPU_API uint64_t quipu_reader_delivered(const struct quipu_reader *reader);
QUIPU_API uint64_t quipu_reader_records(const struct quipu_reader *reader);

/* Native records of one type that were read in this pass; type is an index into the schema. */
QUIPU_API uint64_t quipu_reader_records_of(const struct quipu_reader *reader, uint32_t type);

/* Bytes of input consumed in this pass, and the size of all input (QUIPU_UNKNOWN for pipes). */
QUIPU_API uint64_t quipu_reader_bytes_read(const struct quipu_reader *reader);
QUIPU_API uint64_t quipu_reader_bytes_total(const struct quipu_reader *reader);

#ifdef __cplusplus
}
#endif
#endif
