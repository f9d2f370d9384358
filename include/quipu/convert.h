/* convert.h: writing a trace again: in another format, merged with others, cut, or with snapshots; and the report of
 * what was lost.
 *
 * A function that takes a reader sets a selection of its own, and the reader keeps it. Call quipu_reader_select again
 * before reading on with the reader itself.
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

/* What became of the input's records, by record type. A definition that the target keeps without one of its texts is
 * approximated; that a target leaves out definitions which nothing uses is not counted. */
struct quipu_conversion_report;

QUIPU_API void quipu_conversion_report_free(struct quipu_conversion_report *report);

/* Records of the input; 0 when they are not counted. */
QUIPU_API uint64_t quipu_conversion_report_records(const struct quipu_conversion_report *report);

/* Records that were approximated or dropped. */
QUIPU_API uint64_t quipu_conversion_report_lost(const struct quipu_conversion_report *report);

/* Those of them that were dropped. */
QUIPU_API uint64_t quipu_conversion_report_dropped(const struct quipu_conversion_report *report);

/* Records whose values are all kept but written in another way: nothing is lost. */
QUIPU_API uint64_t quipu_conversion_report_respelled(const struct quipu_conversion_report *report);

/* Number of selected events, or of records of events that a cut copied; QUIPU_UNKNOWN when there was no selection. The
 * report counts the records outside the selection like those in it: what is not selected is not lost. */
QUIPU_API uint64_t quipu_conversion_report_selected(const struct quipu_conversion_report *report);

/* A record type that loses something, and how many of its records do. */
struct quipu_lossy_type {
    const char *type;
    uint64_t approximated, dropped;
};

/* The record types that lose something, by an index from 0; false after the last. */
QUIPU_API bool quipu_conversion_report_lossy_at(const struct quipu_conversion_report *report, size_t index,
                                                struct quipu_lossy_type *out);

/* How much of something a recorder could not record. */
struct quipu_unrecorded {
    const char *name; /* as in characters_read */
    uint64_t count;
};

#define QUIPU_UNRECORDED_INIT                                                                                  \
    { "", 0 }

/* Sets what the report says a recorder could not record of the traced program. The items must outlive the report. */
QUIPU_API void quipu_conversion_report_set_unrecorded(struct quipu_conversion_report *report,
                                                      const struct quipu_unrecorded *items, size_t count);

/* Writes the report: as text, or as JSON {"records": [...], "totals": {...}, "selected": null, "times": null,
 * "not_recorded": null}. With a selection "selected" is {"attributes": whether they were, "events": {kind: number}};
 * for a trace with other times (quipu_retime) "times" is {"moved": events, "earlier_ns": number, "later_ns": number};
 * for an incomplete recording "not_recorded" is {name: number}. */
QUIPU_API enum quipu_status quipu_conversion_report_write(const struct quipu_conversion_report *report,
                                                          bool json, struct quipu_sink sink,
                                                          struct quipu_error *err);

/* A location of another trace that is the same process or thread as one of the first trace: two recorders recorded
 * it. */
struct quipu_shared_location {
    size_t trace; /* from 1 */
    uint32_t location, first;
};

#define QUIPU_SHARED_LOCATION_INIT                                                                             \
    { 0, QUIPU_NONE, QUIPU_NONE }

struct quipu_convert_options {
    struct quipu_writer_options writer;
    struct quipu_selection selection;
    bool selected;     /* selection is set: records are then always translated, never copied */
    bool fail_on_loss; /* give up before writing when a record type would be approximated or dropped */
    struct quipu_progress progress;
    bool dry_run; /* do everything but make the output appear: the report is that of the conversion */
    const char *
        with; /* what targets that draw show besides events: "waits", "critical-path" or both with a comma; NULL: nothing */
    const struct quipu_shared_location *shared; /* quipu_merge: NULL: none */
    size_t shared_count;
};
/* clang-format off */
#define QUIPU_CONVERT_OPTIONS_INIT {QUIPU_WRITER_OPTIONS_INIT, QUIPU_SELECTION_INIT, false, false, {NULL, NULL}, false, NULL, NULL, 0}
/* clang-format on */

/* Converts a trace: to a format by name, foreign targets included. Within one format records are copied without loss. The
 * report is given even when the conversion fails on loss. Where several processes share the reader, rank 0 writes the trace and has the report, and the
 * others, in which this ends with QUIPU_END, read for it; it copies records alone. */
QUIPU_API enum quipu_status quipu_convert(struct quipu_reader *reader, const char *path, const char *target,
                                          const struct quipu_convert_options *options,
                                          struct quipu_conversion_report **report, struct quipu_error *err);

/* Writes one trace or several as one. One trace is converted. The events of several are translated: definitions of
 * different traces stay distinct, locations with the same name get the trace's name in front, ranks that occur twice
 * are renumbered, and times are brought to a common resolution; where none fits, they are rounded, which the reports
 * count. Traces that all know the time of day keep their
 * distance in time; others begin together. Attributes keep their values, even those that are times in another
 * resolution. The selection is ignored.
 *
 * Traces with shared locations were recorded with one clock, so times are those of the files, and each location has the
 * events of all traces in time order. The beginnings and ends of shared locations are taken from the first trace only.
 * The first trace's operations on files are left out: the others have what the system made of them.
 *
 * reports has room for count reports; each is set or NULL, also on failure, and the caller frees them.
 * QUIPU_NOT_REPRESENTABLE when times are too far apart, or when shared locations have different clocks. */
QUIPU_API enum quipu_status quipu_merge(struct quipu_reader *const *readers, size_t count, const char *path,
                                        const char *target, const struct quipu_convert_options *options,
                                        struct quipu_conversion_report **reports, struct quipu_error *err);

struct quipu_retime_options {
    struct quipu_convert_options convert; /* the selection is ignored */
    const char *analysis;                 /* that computes the times: "replay", "clock" */
    struct quipu_analysis_options answer; /* its settings */
};
/* clang-format off */
#define QUIPU_RETIME_OPTIONS_INIT {QUIPU_CONVERT_OPTIONS_INIT, NULL, QUIPU_ANALYSIS_OPTIONS_INIT}
/* clang-format on */

/* Writes a trace whose events have the times that an analysis computed: those of a replay, or of corrected clocks
 * (setting "correct"). Everything else stays. The events of each location keep their order. Times have the trace's
 * resolution, rounded up. The report says how many events moved, and by how much at most. tables, if not NULL, receives
 * the analysis's answer, which the caller frees. QUIPU_UNSUPPORTED for analyses that compute no times, QUIPU_CORRUPT
 * when events wait for each other in a circle and so have no times.
 *
 * Where the target needs all events in time order, events wait in memory for those that come later in the trace than
 * their new times. */
QUIPU_API enum quipu_status quipu_retime(struct quipu_reader *reader, const char *path, const char *target,
                                         const struct quipu_retime_options *options,
                                         struct quipu_tables **tables, struct quipu_conversion_report **report,
                                         struct quipu_error *err);

/* What a report says about changed times; false when no times were changed. */
struct quipu_moved_events {
    uint64_t moved;         /* events with other times */
    int64_t earlier, later; /* the farthest that an event moved to an earlier and to a later time, ns */
};
QUIPU_API bool quipu_conversion_report_moved(const struct quipu_conversion_report *report,
                                             struct quipu_moved_events *out);

struct quipu_cut_options {
    struct quipu_convert_options convert; /* the times and locations of its selection are kept */
    bool snapshots;                       /* what is active at the cut becomes snapshot records */
};
/* clang-format off */
#define QUIPU_CUT_OPTIONS_INIT {QUIPU_CONVERT_OPTIONS_INIT, false}
/* clang-format on */

/* Writes the part of a trace that lies in a time range, from <= time < to, and at some locations. Definitions are kept, and
 * messages of which only one half is in the part.
 *
 * Within a format whose records can be cut, records are copied; otherwise events are translated. What is active at the
 * beginning of the range begins again there: calls, collective operations and operations on files. When records are
 * copied, that is known from the latest earlier snapshot, if quipu_snapshot has made any, or else from all earlier
 * records. Calls that are active at the end of the range are left there. With snapshots, which need copied records, no
 * events are added: snapshot records say what is active at the beginning of the range. */
QUIPU_API enum quipu_status quipu_cut(struct quipu_reader *reader, const char *path, const char *target,
                                      const struct quipu_cut_options *options,
                                      struct quipu_conversion_report **report, struct quipu_error *err);

struct quipu_snapshot_options {
    struct quipu_convert_options convert; /* only the writer's options and the progress are used */
    int64_t interval;                     /* ticks between two snapshots; 0: count says how many there are */
    uint64_t count;                       /* number of snapshots at equal distances */
};
/* clang-format off */
#define QUIPU_SNAPSHOT_OPTIONS_INIT {QUIPU_CONVERT_OPTIONS_INIT, 0, 0}
/* clang-format on */

/* Writes a trace again with snapshots, records that say what is active at each location at a time, and statistics,
 * records that sum up everything until then. Both come at regular distances from the first event on, and statistics
 * also right after the last event. Those that the trace already has are replaced. QUIPU_UNSUPPORTED for formats without
 * such records. */
QUIPU_API enum quipu_status quipu_snapshot(struct quipu_reader *reader, const char *path,
                                           const struct quipu_snapshot_options *options,
                                           struct quipu_error *err);

/* The kinds of events that a target can represent, with all or some of their fields; 0 for formats that cannot be
 * written. */
QUIPU_API quipu_kinds quipu_convert_kinds(const char *target);

/* Whether a target keeps where calls were made in source code. */
QUIPU_API bool quipu_convert_keeps_sources(const char *target);

/* Says what a conversion would lose, without writing anything: reads the trace once and reports the record types that
 * occur. Losses that a target discovers only while writing are not included; see dry_run. */
QUIPU_API enum quipu_status quipu_convert_explain(struct quipu_reader *reader, const char *target,
                                                  struct quipu_conversion_report **report,
                                                  struct quipu_error *err);

#ifdef __cplusplus
}
#endif
#endif
