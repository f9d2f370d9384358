/* convert.h: writing a trace again: in another format, as one with others, a part of it, with snapshots; and the report of what was lost.
 *
 * Functions that take a reader read with a selection of their own, which the reader keeps. To read on with the reader
 * itself, call quipu_reader_select again.
 */
#ifndef QUIPU_CONVERT_H
#define QUIPU_CONVERT_H

#include <quipu/analysis.h>
#include <quipu/base.h>
#include <quipu/reader.h>
#include <quipu/writer.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How many of the input's records of one type came over how. */
struct quipu_conversion_report;

QUIPU_API void quipu_conversion_report_free(struct quipu_conversion_report *report);

/* Records that were approximated or dropped. */
QUIPU_API uint64_t quipu_conversion_report_lost(const struct quipu_conversion_report *report);

/* Those of them that were dropped. */
QUIPU_API uint64_t quipu_conversion_report_dropped(const struct quipu_conversion_report *report);

/* Records whose values are all kept, spelled in another way: nothing of them is lost. */
QUIPU_API uint64_t quipu_conversion_report_respelled(const struct quipu_conversion_report *report);

/* Events that a selection had, or records of events that a cut has copied; QUIPU_UNKNOWN when all were. Its records are
 * counted like those outside of it: the selection is no loss. */
QUIPU_API uint64_t quipu_conversion_report_selected(const struct quipu_conversion_report *report);

/* A record type of which something is lost, and of how many records. */
struct quipu_lossy_type {
    const char *type;
    uint64_t approximated, dropped;
};

/* The record types of which something is lost, by an index from 0; false behind the last. */
QUIPU_API bool quipu_conversion_report_lossy_at(const struct quipu_conversion_report *report, size_t index,
                                                struct quipu_lossy_type *out);

/* How much of something a recorder could not record. */
struct quipu_unrecorded {
    const char *name; /* as in characters_read */
    uint64_t count;
};

#define QUIPU_UNRECORDED_INIT                                                                                  \
    { "", 0 }

/* What the report says was not recorded of the program whose trace was converted. The items must last as long as the report. */
QUIPU_API void quipu_conversion_report_set_unrecorded(struct quipu_conversion_report *report,
                                                      const struct quipu_unrecorded *items, size_t count);

/* Writes the report: as text, or as JSON {"records": [...], "totals": {...}, "selected": null, "times": null, "not_recorded": null}, of a
 * selection with "selected": {"attributes": whether they were, "events": {kind: number}}, of a trace with other times (quipu_retime) with
 * "times": {"moved": events, "earlier_ns": number, "later_ns": number}, of a recording that lacks something with "not_recorded":
 * {name: number}. */
QUIPU_API enum quipu_status quipu_conversion_report_write(const struct quipu_conversion_report *report,
                                                          bool json, struct quipu_sink sink,
                                                          struct quipu_error *err);

/* A location of a trace that is one of the first trace: the same process or thread, which two recorders have recorded. */
struct quipu_shared_location {
    size_t trace; /* from 1 */
    uint32_t location, first;
};

#define QUIPU_SHARED_LOCATION_INIT                                                                             \
    { 0, QUIPU_NONE, QUIPU_NONE }

struct quipu_convert_options {
    struct quipu_writer_options writer;
    struct quipu_selection selection;
    bool selected;     /* selection is set: then records are never copied, always translated */
    bool fail_on_loss; /* give up before writing when a record type would be approximated or dropped */
    struct quipu_progress progress;
    bool dry_run; /* do everything but let the output appear: the report is that of the conversion */
    const char *
        with; /* what is drawn besides events, for targets that draw: "waits", "critical-path" or both with a comma; NULL: nothing */
    const struct quipu_shared_location *shared; /* quipu_merge: NULL: none */
    size_t shared_count;
};
/* clang-format off */
#define QUIPU_CONVERT_OPTIONS_INIT {QUIPU_WRITER_OPTIONS_INIT, QUIPU_SELECTION_INIT, false, false, {NULL, NULL}, false, NULL, NULL, 0}
/* clang-format on */

/* Converts a trace: to a format by name, foreign targets included. Within one format records are copied without loss. The
 * report is given even when the conversion fails on loss. */
QUIPU_API enum quipu_status quipu_convert(struct quipu_reader *reader, const char *path, const char *target,
                                          const struct quipu_convert_options *options,
                                          struct quipu_conversion_report **report, struct quipu_error *err);

/* Writes one trace or several as one. One is converted. The events of several are translated: their definitions stay
 * apart, locations with the same name get the trace's name in front, ranks that clash are counted on, times are brought
 * to a common resolution. Traces that all know the time of day keep their distance; others begin together. Attributes
 * keep their values, even those that are times in another resolution. The selection is not looked at.
 *
 * Traces with shared locations were recorded by one clock, which all their files count on: so times are those of the files, and each
 * location has the events of all traces in the order of time. What other traces say of the beginning and end of shared locations is left out, and
 * the first trace's operations on files: the others have what the system made of them.
 *
 * reports has room for count of them; each is given or NULL, also on failure, and the caller frees them. Fails with
 * QUIPU_NOT_REPRESENTABLE when the clocks have no common resolution that fits. */
QUIPU_API enum quipu_status quipu_merge(struct quipu_reader *const *readers, size_t count, const char *path,
                                        const char *target, const struct quipu_convert_options *options,
                                        struct quipu_conversion_report **reports, struct quipu_error *err);

struct quipu_retime_options {
    struct quipu_convert_options convert; /* the selection is not looked at */
    const char *analysis;                 /* whose times they are: "replay", "clock" */
    struct quipu_analysis_options answer; /* its settings */
};
/* clang-format off */
#define QUIPU_RETIME_OPTIONS_INIT {QUIPU_CONVERT_OPTIONS_INIT, NULL, QUIPU_ANALYSIS_OPTIONS_INIT}
/* clang-format on */

/* Writes a trace whose events have the times that an analysis gives them: those of a replay, or of clocks that have been corrected
 * (setting "correct"). Everything else stays. The events of each location keep their order. Times are those of the trace's resolution,
 * rounded up. The report says how many events have other times, and by how much at most; tables, if not NULL, are the analysis's answer,
 * which the caller frees. QUIPU_UNSUPPORTED for analyses without times, QUIPU_CORRUPT when events wait for each other in a circle, so that they have
 * none.
 *
 * Where the target wants all events in the order of time, those wait in memory that come later in the trace than they should. */
QUIPU_API enum quipu_status quipu_retime(struct quipu_reader *reader, const char *path, const char *target,
                                         const struct quipu_retime_options *options,
                                         struct quipu_tables **tables, struct quipu_conversion_report **report,
                                         struct quipu_error *err);

/* What a report says of times: false when all are as they were read. */
struct quipu_moved_events {
    uint64_t moved;         /* events with other times */
    int64_t earlier, later; /* the most that one is moved to earlier and to later times, ns; 0: none is */
};
QUIPU_API bool quipu_conversion_report_moved(const struct quipu_conversion_report *report,
                                             struct quipu_moved_events *out);

struct quipu_cut_options {
    struct quipu_convert_options convert; /* the selection says what is kept: its times and locations */
    bool snapshots;                       /* what is open at the cut becomes snapshot records */
};
/* clang-format off */
#define QUIPU_CUT_OPTIONS_INIT {QUIPU_CONVERT_OPTIONS_INIT, false}
/* clang-format on */

/* Writes the part of a trace that lies in a time range, from <= time < to, and at some locations. Definitions are kept, and
 * messages of which only one half is in the part.
 *
 * Within a format whose records can be cut, records are copied; otherwise events are translated. What is open at the
 * beginning of the range begins again at that time: calls, collective operations and operations on files. In copied records
 * that is known from the latest snapshot before it, if quipu_snapshot has taken some, or from all records before it. Calls
 * that are open at the end of the range are left at its end. With snapshots, only in copied records, nothing is added to
 * the events: snapshot records say at the beginning of the range what is open. */
QUIPU_API enum quipu_status quipu_cut(struct quipu_reader *reader, const char *path, const char *target,
                                      const struct quipu_cut_options *options,
                                      struct quipu_conversion_report **report, struct quipu_error *err);

struct quipu_snapshot_options {
    struct quipu_convert_options convert; /* of which the writer's options and the progress are used */
    int64_t interval;                     /* ticks between two snapshots; 0: count says how many there are */
    uint64_t count;                       /* snapshots at equal distances */
};
/* clang-format off */
#define QUIPU_SNAPSHOT_OPTIONS_INIT {QUIPU_CONVERT_OPTIONS_INIT, 0, 0}
/* clang-format on */

/* Writes a trace again with snapshots, records that say at a time what is open at each location, and statistics, records
 * that say what has been up to then: both in regular distances from the first event on, and the statistics also right
 * behind the last event. Those that the trace has already are replaced. QUIPU_UNSUPPORTED for formats without such
 * records. */
QUIPU_API enum quipu_status quipu_snapshot(struct quipu_reader *reader, const char *path,
                                           const struct quipu_snapshot_options *options,
                                           struct quipu_error *err);

/* The kinds of events that a target can represent, of all or some of their fields; 0 for formats that are not written. */
QUIPU_API quipu_kinds quipu_convert_kinds(const char *target);

/* Says what a conversion of a trace would lose, without writing anything: reads all of it once and reports the record types that
 * occur. What a target finds out only when it writes is not in it; see dry_run. */
QUIPU_API enum quipu_status quipu_convert_explain(struct quipu_reader *reader, const char *target,
                                                  struct quipu_conversion_report **report,
                                                  struct quipu_error *err);

#ifdef __cplusplus
}
#endif
#endif
