/* writer.h: writing a trace in any format that can be written.
 *
 * Nothing appears under the final name before quipu_writer_close succeeds; then all files appear together (base.h, "How
 * outputs appear"). Functions that write what they read from a reader refuse to replace a file of that reader's trace.
 * A writer takes events that refer to a reader's definitions, or native records of its own format.
 */
#ifndef QUIPU_WRITER_H
#define QUIPU_WRITER_H

#include <quipu/base.h>
#include <quipu/format.h>
#include <quipu/model.h>
#include <quipu/reader.h>
#include <quipu/schema.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a writer has lost: numbers of events by kind. */
struct quipu_writer_losses {
    uint64_t dropped[QUIPU_KIND_COUNT], approximated[QUIPU_KIND_COUNT];
};

struct quipu_writer_options {
    bool replace;    /* overwrite what is there */
    int compression; /* 0: none, 1 to 9: the format's own compression, if it has one */
    uint32_t
        streams; /* number of output streams; 0: as the input, or one per location; at most one per location */
    const char *variant; /* variant of the format; NULL: the newest */
    size_t memory_limit; /* bytes; default QUIPU_MEMORY_LIMIT */
    uint32_t
        file_limit; /* files open at a time; default 256, but less than half of what the process may open */
    struct quipu_allocator allocator;
    struct quipu_guard *guard;            /* what must not be replaced; may be NULL */
    const struct quipu_setting *settings; /* of options that the format declares; copied */
    size_t setting_count;
    struct quipu_writer_losses *losses; /* zeroed by create, filled in by close and discard; may be NULL */
};
/* clang-format off */
#define QUIPU_WRITER_OPTIONS_INIT {false, 0, 0, NULL, 0, 0, {NULL, NULL}, NULL, NULL, 0, NULL}
/* clang-format on */

struct quipu_writer;

/* Starts a trace under that name. QUIPU_EXISTS when a file of it exists and replace is not set. QUIPU_UNSUPPORTED when
 * an option is set that means nothing to the format (format.h), or when the path is "-" and the trace has several
 * files. QUIPU_MISUSE for a setting that the format does not declare or whose value is invalid. */
QUIPU_API enum quipu_status quipu_writer_create(const char *path, const struct quipu_format *format,
                                                const struct quipu_writer_options *options,
                                                struct quipu_writer **out, struct quipu_error *err);

/* Whether the format has the options that are set, with these values: QUIPU_UNSUPPORTED and QUIPU_MISUSE, as from quipu_writer_create. options may be
 * NULL. path too; it is only asked whether it is "-". */
QUIPU_API enum quipu_status quipu_writer_check(const char *path, const struct quipu_format *format,
                                               const struct quipu_writer_options *options,
                                               struct quipu_error *err);

/* The order in which this writer needs its events. It may depend on the definitions, so ask after quipu_writer_define.
 * QUIPU_ORDER_STREAM: each location's events in time order, locations in any interleaving. */
QUIPU_API enum quipu_order quipu_writer_order(const struct quipu_writer *writer);

/* Sets the definitions that the events of the following batches refer to. They are borrowed until close. */
QUIPU_API enum quipu_status quipu_writer_define(struct quipu_writer *writer,
                                                const struct quipu_definitions *definitions,
                                                struct quipu_error *err);

/* Writes the events of a batch. Events that the format cannot hold are counted (quipu_writer_dropped). QUIPU_MISUSE
 * when times break the order of quipu_writer_order: then nothing of the batch is written, and close fails too. */
QUIPU_API enum quipu_status quipu_writer_put_batch(struct quipu_writer *writer, const struct quipu_batch *batch,
                                                   struct quipu_error *err);

/* Writes one event; its attributes are copied. Events are collected into batches, so a later call may report a failure.
 * The calls must be in the order of quipu_writer_order. An event that breaks it, or that has an undefined kind or
 * location, is refused with QUIPU_MISUSE and not written; the next event may be written all the same. */
QUIPU_API enum quipu_status quipu_writer_put_event(struct quipu_writer *writer, const struct quipu_event *event,
                                                   struct quipu_error *err);

/* Says that the following records belong to this stream of the input. */
QUIPU_API enum quipu_status quipu_writer_begin_stream(struct quipu_writer *writer,
                                                      const struct quipu_stream *stream,
                                                      struct quipu_error *err);

/* Writes a native record of the writer's own format. */
QUIPU_API enum quipu_status quipu_writer_put_record(struct quipu_writer *writer,
                                                    const struct quipu_record *record, struct quipu_error *err);

/* Events of a kind that were not written: all those of a kind that the format cannot hold (quipu_convert_kinds says
 * which it can), and others because of their values, such as an unknown peer. Some losses are known only at close: the
 * losses of the options then have all of them. */
QUIPU_API uint64_t quipu_writer_dropped(const struct quipu_writer *writer, enum quipu_kind kind);

/* Events of a kind that were written with another time or value because the format cannot hold their own: all but OTF,
 * OTF2 and CHARISMA have whole nanoseconds, or decimals of seconds, and no times between; Paraver rounds values to whole
 * numbers; DUMPI stores seconds in 16 bits, so that a call that begins more than nine hours after the last one, or lasts
 * longer, is read back with another time; the clock of ovni does not go below 0; times do not go back in OTF2, ovni and
 * Paraver, as they may in OTF to 0. */
QUIPU_API uint64_t quipu_writer_approximated(const struct quipu_writer *writer, enum quipu_kind kind);

/* Completes the trace, makes it appear and frees the writer. On failure nothing appears. */
QUIPU_API enum quipu_status quipu_writer_close(struct quipu_writer *writer, struct quipu_error *err);

/* Gives up: removes what was written and frees the writer. */
QUIPU_API void quipu_writer_discard(struct quipu_writer *writer);

#ifdef __cplusplus
}
#endif
#endif
