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
 * A trace consists of streams, each a file or part of one. A reader goes over its streams in one of two ways:
 * native records in file order (quipu_reader_next_record) or events (quipu_reader_next, _next_batch). Use one
 * way at a time; quipu_reader_rewind starts again.
 *
 * Reading takes one thread unless the options allow more. What an analysis answers, and what is found on the way,
 * is the same for any number of them. The allocator is called by one thread at a time, progress is reported by the
 * calling thread only.
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

/* Called by a reader now and then while it reads, by the calling thread: after a batch, or thousands of records. Return false to
 * stop: then the work ends with QUIPU_STOPPED. bytes_total is QUIPU_UNKNOWN when not known. */
typedef bool quipu_progress_fn(void *context, uint64_t bytes_done, uint64_t bytes_total, uint64_t events);

struct quipu_progress {
    quipu_progress_fn *report; /* NULL: none */
    void *context;
};
#define QUIPU_PROGRESS_INIT                                                                                    \
    { NULL, NULL }

/* How to open. Zero means the default everywhere. */
struct quipu_reader_options {
    const char *format;  /* name of the format; NULL: find out */
    const char *variant; /* variant of the format, for example a machine profile; NULL: find out */
    size_t memory_limit; /* bytes; default QUIPU_MEMORY_LIMIT */
    uint32_t
        file_limit; /* files open at a time; default 4096, or less than half of what the process may open */
    uint64_t
        temporary_limit; /* bytes of temporary files for what comes from a pipe, or is compressed and must be read out
                               * of order; default half of the space that is free where they lie */
    uint32_t threads; /* that quipu_analysis_run and quipu_summarise may use; 0 and 1: one */
    struct quipu_allocator allocator;
    const char *index;  /* file of the index; NULL: that beside the trace if there is one; "": none */
    bool verify_index;  /* compare all bytes of the trace with what its index was made of, before it is used */
    bool allow_outside; /* also read files outside the trace's folder that its files or links lead to */
    struct quipu_progress
        progress; /* of all that is done with the reader, unless that has a progress of its own */
};

/* As many threads as there are processors that the process may use. */
#define QUIPU_ALL_THREADS UINT32_MAX

/* clang-format off */
#define QUIPU_READER_OPTIONS_INIT {NULL, NULL, 0, 0, 0, 0, {NULL, NULL}, NULL, false, false, {NULL, NULL}}
/* clang-format on */

struct quipu_reader;

/* Opens a trace: a file, a directory, a metafile or master file, or one part of a trace. A path that leads to nothing may
 * lack its suffix: run stands for run with the suffix of a format when there is just one, and run.otf for run.otf.gz or
 * run.otf.zst. Any file of a trace may be compressed by gzip or zstd in this way, and "-" is standard input, for traces of one
 * file: what must be read out of order is copied to a temporary file first (temporary_limit). The definitions are complete
 * afterwards. Parts that are damaged or missing are findings. Fails when nothing can be read.
 *
 * Only regular files are opened. The path itself and the index that the options name may be anywhere. All other files are read
 * only when they lie, after links are followed, in the folder of the path (in the path itself when it is a folder) or below:
 * a metafile may lead elsewhere, and so may links beside it. allow_outside lifts that. */
QUIPU_API enum quipu_status quipu_reader_open(const char *path, const struct quipu_reader_options *options,
                                              struct quipu_reader **out, struct quipu_error *err);

QUIPU_API void quipu_reader_close(struct quipu_reader *reader);

QUIPU_API const struct quipu_format *quipu_reader_format(const struct quipu_reader *reader);

/* Variant of the format, such as a version or a machine profile; "" when there are none. */
QUIPU_API const char *quipu_reader_variant(const struct quipu_reader *reader);

QUIPU_API const struct quipu_definitions *quipu_reader_definitions(const struct quipu_reader *reader);

/* Everything odd that was met so far. */
QUIPU_API const struct quipu_findings *quipu_reader_findings(const struct quipu_reader *reader);

/* How often a file of the trace could not be read, in full or at all, although it exists: for want of permission, or because
 * of the disk. Each is a finding of severity data loss as well. What the other files hold is delivered all the same. */
QUIPU_API uint64_t quipu_reader_unreadable(const struct quipu_reader *reader);

/* Where the index of the trace is looked for and made (index.h): the file that the options name, else the trace's path
 * with the suffix .qpx; where none is there, one beside the trace's folder or beside its first files that fits. "" when it cannot have one, as what comes from a pipe.
 *
 * An index says at some times what was before. Passes over events that begin late, and analyses, go on from there instead
 * of reading everything; they give the same events and answers, only findings in what is not read are not met. An index
 * is not used when it is damaged or the trace has changed since; that is a finding of severity info. A change of any byte of
 * any file is noticed: by size, inode and the times of the last change of each file, which no program can set back, and where
 * these are not what they were, by a checksum of all its bytes. If that takes more than 1 GiB to be read, the index is not used
 * either, unless verify_index says so. */
QUIPU_API const char *quipu_reader_index_path(const struct quipu_reader *reader);

/* Whether there is an index that can be used. Else why not: QUIPU_NOT_FOUND when there is none, QUIPU_UNKNOWN_FORMAT when the
 * file is something else, QUIPU_IO when it cannot be read, QUIPU_CORRUPT when it is damaged or the trace has changed, or may
 * have. */
QUIPU_API enum quipu_status quipu_reader_check_index(struct quipu_reader *reader, struct quipu_error *err);

/* Outputs of the guard must not replace any file of the trace, its index included. */
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
    uint32_t substreams; /* sequences of events inside it that are each in time order */
    uint64_t bytes;      /* size of the file, QUIPU_UNKNOWN when not known */
    bool missing;        /* the trace names it but it cannot be read */
};

QUIPU_API uint32_t quipu_reader_stream_count(const struct quipu_reader *reader);
QUIPU_API const struct quipu_stream *quipu_reader_stream_at(const struct quipu_reader *reader, uint32_t index);

/* ---- Selection ---- */

enum quipu_order {
    QUIPU_ORDER_STREAM, /* stream after stream: cheapest; a location may have events in several streams */
    QUIPU_ORDER_TIME,   /* all streams merged by (time, location, position) */
    QUIPU_ORDER_WINDOWS /* windows of time one after the other, in each of them stream after stream: for those who compare locations
                         * and need the order of time for each of them only; complete_to of a batch says where its window begins.
                         * With many streams much faster than merging. The batch fails with QUIPU_UNSUPPORTED where a location
                         * turns out to have events in several streams. */
};

/* What to deliver. Zero-initialised except for the members that the macro sets: everything. An event is delivered when all
 * members pass it.
 *
 * Regions pass calls of these regions, from enter to leave, and of all other events those at a location while such a call is
 * active there:
 * - An enter passes when its region is listed. So of calls inside others only those pass whose own region is listed, and
 *   calls inside a listed one that are not listed themselves do not.
 * - A leave passes with the enter that it ends. One that names its region belongs to the innermost active call of that
 *   region; it passes when the region is listed, even where no such call is active, as at the beginning of a trace that
 *   begins late. One that names none belongs to the innermost active call; where none is active it does not pass.
 * - Other events pass from the enter of a listed call to its leave, in the order of the stream: those at the same time pass
 *   when they stand between the two. With recursion that is until the leave of the outermost one. A call that never ends
 *   is active to the end of the trace.
 * - The leave of a call ends calls inside it that have not been left, as after damage; calls of regions
 *   that need not nest (QUIPU_NESTING_FREE) may overlap with others and end only by a leave of their own.
 * - What is active is known of each location of each stream by itself. Events of threads, with sequences (substreams) of their
 *   own or not, are not those of their process; where a location has events in several streams a call in one of them does
 *   not make the others' events pass.
 * - from, to, kinds and locations do not change what is active: of a window are delivered just those events that would be
 *   delivered of the whole trace. A call that begins before the window has its leave and its events there, not its enter.
 *   To know it, everything before the window is read, or that from the latest point of an index on.
 *
 * The expression is true or not for each event by itself; of what it says, kinds, locations and times that cannot pass are not even
 * read. Where it asks for the region of events that have none, or for durations, active calls are known as above. What it says of
 * durations is known when a call ends, or has lasted long enough to know: so events are kept in memory meanwhile, for as long a time of the
 * trace as the longest duration that the expression names. */
struct quipu_selection {
    int64_t from, to; /* from <= time < to; INT64_MAX: no end */
    quipu_kinds kinds;
    const uint32_t *locations; /* numbers, ascending; NULL: all */
    uint32_t location_count;
    const uint32_t *regions; /* numbers, ascending, see above; NULL: all events, whatever is active */
    uint32_t region_count;
    bool without_attributes; /* leave the attributes out: faster */
    enum quipu_order order;
    const char *where; /* an expression (where.h) that is true for the event; NULL: any event */
};
#define QUIPU_SELECTION_INIT                                                                                   \
    { INT64_MIN, INT64_MAX, QUIPU_ALL_KINDS, NULL, 0, NULL, 0, false, QUIPU_ORDER_STREAM, NULL }

/* Sets what the next pass delivers and rewinds. Lists and expression are copied. QUIPU_MISUSE when from is behind to, or the
 * expression is none; everything is selected then. */
QUIPU_API enum quipu_status quipu_reader_select(struct quipu_reader *reader,
                                                const struct quipu_selection *selection,
                                                struct quipu_error *err);

/* Starts again at the beginning, with the same selection. */
QUIPU_API void quipu_reader_rewind(struct quipu_reader *reader);

/* ---- Reading ---- */

/* The next events as columns, in the selected order; QUIPU_END after the last. */
QUIPU_API enum quipu_status quipu_reader_next_batch(struct quipu_reader *reader, const struct quipu_batch **out,
                                                    struct quipu_error *err);

/* The next event in time order; QUIPU_END after the last. The first call of a pass turns the selected order
 * into QUIPU_ORDER_TIME. */
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

/* Bytes of input that were consumed in this pass, and the size of all input (QUIPU_UNKNOWN for pipes). */
QUIPU_API uint64_t quipu_reader_bytes_read(const struct quipu_reader *reader);
QUIPU_API uint64_t quipu_reader_bytes_total(const struct quipu_reader *reader);

#ifdef __cplusplus
}
#endif
#endif
