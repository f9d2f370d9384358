/* relation.h: relations: what is in a trace as tables of typed columns, read as a stream.
 *
 *     struct quipu_relation_options options = QUIPU_RELATION_OPTIONS_INIT;
 *     struct ArrowArrayStream stream;
 *     if (quipu_relation_stream(reader, "messages", &options, &stream, &err) == QUIPU_OK) {
 *         ... any library that takes Arrow's C streams ...
 *         stream.release(&stream);
 *     }
 *
 * Made while the trace is read, in memory that does not grow with it, are events, counters and marks, a row for each event; calls,
 * messages, collectives, io, states, tasks and waits_instances, a row for what lasts from one time to another. The classes of
 * definitions (locations, regions, communicators ...) and the tables of all analyses are relations too: the first table of an analysis
 * under its name, the others as ANALYSIS_TABLE.
 *
 * Times are nanoseconds from the trace's origin. What is not known is null. Names of definitions have columns NAME and NAME_number:
 * two regions of one name have different numbers, those of the table "regions".
 */
#ifndef QUIPU_RELATION_H
#define QUIPU_RELATION_H

#include <quipu/arrow.h>
#include <quipu/reader.h>
#include <quipu/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The longest name of a relation, with its NUL, and the most columns. */
#define QUIPU_RELATION_NAME 64
#define QUIPU_RELATION_COLUMNS 80

struct quipu_relation {
    char name[QUIPU_RELATION_NAME];
    const char *doc;
    struct quipu_table_column columns[QUIPU_RELATION_COLUMNS]; /* all that options of an analysis may choose */
    size_t column_count;
    const struct quipu_option *options; /* of an analysis */
    size_t option_count;
    bool is_streamed; /* rows are made while the trace is read, and columns of type TEXT are dictionaries */
};

/* A relation by index, or by name; false when there is none. */
QUIPU_API bool quipu_relation_at(size_t index, struct quipu_relation *out);
QUIPU_API bool quipu_relation_find(const char *name, struct quipu_relation *out);

/* What to read. Begin with the macro: members may be added at the end. */
struct quipu_relation_options {
    size_t size; /* of this struct */

    /* Which rows: those of events that it passes; calls that are entered in its window, at its locations, and of its regions; messages
     * that are received in its window, and sent or received at its locations; others that begin in its window at its locations. Of
     * analyses, what they read. What a relation does not
     * heed is QUIPU_MISUSE. Rows come in the order of streams unless the selection has another order, which events heed.
     * NULL: everything. */
    const struct quipu_selection *selection;
    const struct quipu_setting *settings; /* of an analysis's own options */
    size_t setting_count;
    const char *const *columns; /* names of those to read, in any order; NULL: all. Reading fewer is faster */
    size_t column_count;
};
/* clang-format off */
#define QUIPU_RELATION_OPTIONS_INIT {sizeof(struct quipu_relation_options), NULL, NULL, 0, NULL, 0}
/* clang-format on */

/* Begins to read a relation as a stream of record batches, whose columns are in the order of the relation. options may be NULL. The
 * reader must not be closed before the stream is released, nor be used for anything else before its end: the stream would then
 * fail; where the reader may have several threads, one of its own makes batches ahead of their consumer, and another use is a data race. Record batches may outlive both, but not the reader's allocator. QUIPU_NOT_FOUND when there is no relation of that
 * name, QUIPU_MISUSE when the options do not fit it. On failure there is no stream. */
QUIPU_API enum quipu_status quipu_relation_stream(struct quipu_reader *reader, const char *name,
                                                  const struct quipu_relation_options *options,
                                                  struct ArrowArrayStream *out, struct quipu_error *err);

/* The same of a table that is there, such as an analysis or a comparison gives it. The table must outlive the stream. QUIPU_LIMIT when it has
 * more than QUIPU_RELATION_COLUMNS columns. */
QUIPU_API enum quipu_status quipu_table_stream(const struct quipu_table *table, struct ArrowArrayStream *out,
                                               struct quipu_error *err);

/* What the last error of a stream of this library was, with status and place; valid until the stream is used again. */
QUIPU_API const struct quipu_error *quipu_stream_error(const struct ArrowArrayStream *stream);

/* How rows are written. */
enum quipu_rows_style {
    QUIPU_ROWS_CSV,       /* with a header, as by quipu_table_write */
    QUIPU_ROWS_JSON_LINES /* an object per row: {"COLUMN": value ...}, null for what is not known */
};

/* Writes the rows of a relation as text, at most row_limit of them. *rows becomes how many there were; it may be NULL. Rows before a
 * failure are written. */
QUIPU_API enum quipu_status quipu_relation_write(struct quipu_reader *reader, const char *name,
                                                 const struct quipu_relation_options *options,
                                                 enum quipu_rows_style style, uint64_t row_limit,
                                                 struct quipu_sink sink, uint64_t *rows,
                                                 struct quipu_error *err);

/* For processes that share the reader (quipu/transport.h), all of which call it, each with a path of its own: each writes the rows of its streams into
 * its file, with a header where there are headers. Together these are the rows of one process. In each file events, counters and marks have the order of
 * the selection, others that of the streams; so one file behind the other is what one process writes, but that events are in time order in each
 * file only, and what nothing ends comes last in each.
 *
 * The files appear when all are complete, that of rank 0 last: when a process fails, none does; only a name that the system refuses at the very end
 * leaves those that have got theirs. QUIPU_OK in rank 0, and *rows, which may be NULL, becomes how many rows there are in all; QUIPU_END in the
 * others. QUIPU_UNSUPPORTED for what one process must write: messages, collectives, waits_instances, definitions and tables of analyses; of calls and io
 * where a location has events in the streams of two processes; and traces that use numbers which they do not define. QUIPU_MISUSE when the reader is
 * not shared. */
QUIPU_API enum quipu_status quipu_relation_write_part(struct quipu_reader *reader, const char *name,
                                                      const struct quipu_relation_options *options,
                                                      enum quipu_rows_style style, const char *path,
                                                      bool replace, struct quipu_guard *guard, uint64_t *rows,
                                                      struct quipu_error *err);

#ifdef __cplusplus
}
#endif
#endif
