/* tools.h: what is done with traces: check, convert, analyse, export, and showing the answers.
 *
 * Every answer is a table: typed columns with names, units and a sentence each. quipu_table_write shows any
 * table in any style.
 *
 * Functions that take a reader read with a selection of their own, which the reader keeps. To read on with the reader
 * itself, call quipu_reader_select again.
 */
#ifndef QUIPU_TOOLS_H
#define QUIPU_TOOLS_H

#include <quipu/base.h>
#include <quipu/format.h>
#include <quipu/model.h>
#include <quipu/reader.h>
#include <quipu/writer.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Tables ---- */

enum quipu_column_type { QUIPU_TYPE_TEXT, QUIPU_TYPE_I64, QUIPU_TYPE_U64, QUIPU_TYPE_F64, QUIPU_TYPE_DECIMAL };

struct quipu_table_column {
    const char *name;
    enum quipu_column_type type; /* DECIMAL: an exact decimal number as text */
    const char *unit;            /* "ns", "bytes", "" */
    const char *doc;
};

/* A cell: null, a number or a text. */
struct quipu_cell {
    bool is_null;
    union {
        int64_t i;
        uint64_t u;
        double f;
        const char *text; /* copied by add, borrowed from the table by at */
    };
};

struct quipu_table;

/* A new empty table. name and columns are borrowed and must outlive it (they are usually static). */
QUIPU_API enum quipu_status quipu_table_new(const char *name, const struct quipu_table_column *columns,
                                            size_t column_count, struct quipu_table **out,
                                            struct quipu_error *err);
QUIPU_API void quipu_table_free(struct quipu_table *table);

/* Adds a row of column_count cells. */
QUIPU_API enum quipu_status quipu_table_add(struct quipu_table *table, const struct quipu_cell *cells,
                                            struct quipu_error *err);

QUIPU_API const char *quipu_table_name(const struct quipu_table *table);
QUIPU_API size_t quipu_table_row_count(const struct quipu_table *table);
QUIPU_API size_t quipu_table_column_count(const struct quipu_table *table);
QUIPU_API const struct quipu_table_column *quipu_table_column_at(const struct quipu_table *table,
                                                                 size_t column);
QUIPU_API const struct quipu_cell *quipu_table_at(const struct quipu_table *table, size_t row, size_t column);

/* Sorts rows by a column; text by bytes, null last. Stable. */
QUIPU_API void quipu_table_sort(struct quipu_table *table, size_t column, bool descending);

enum quipu_style { QUIPU_STYLE_TEXT, QUIPU_STYLE_JSON, QUIPU_STYLE_CSV };

struct quipu_render_options {
    enum quipu_style style;
    size_t row_limit;  /* 0 shows all rows; text says how many are left out */
    int width;         /* text only: columns of the terminal, 0: unlimited */
    bool colour;       /* text only */
    size_t bar_column; /* text only: a bar chart of this column, SIZE_MAX: none */
    struct quipu_allocator allocator;
};
#define QUIPU_RENDER_OPTIONS_INIT                                                                              \
    {                                                                                                          \
        QUIPU_STYLE_TEXT, 0, 0, false, SIZE_MAX, {                                                             \
            NULL, NULL                                                                                         \
        }                                                                                                      \
    }

/* Shows tables: aligned text, JSON (one table: {"quipu", "table", "columns", "rows"}; several: {"quipu",
 * "tables"}), or CSV (RFC 4180; several tables are separated by an empty line). */
QUIPU_API enum quipu_status quipu_table_write(const struct quipu_table *const *tables, size_t count,
                                              const struct quipu_render_options *options,
                                              struct quipu_sink sink, struct quipu_error *err);

/* ---- Progress ---- */

/* Called now and then during long work. Return false to stop it (QUIPU_MISUSE is then never returned; the
 * work ends with QUIPU_END). total is QUIPU_UNKNOWN when not known. */
typedef bool quipu_progress_fn(void *context, uint64_t bytes_done, uint64_t bytes_total, uint64_t events);

struct quipu_progress {
    quipu_progress_fn *report; /* NULL: none */
    void *context;
};

/* ---- Analyses ---- */

/* An option that an analysis understands. */
struct quipu_analysis_option {
    const char *name;
    const char *doc;
};

struct quipu_analysis {
    const char *name;
    const char *doc;
    const struct quipu_analysis_option *options;
    size_t option_count;
};

QUIPU_API size_t quipu_analysis_count(void);
QUIPU_API const struct quipu_analysis *quipu_analysis_at(size_t index);
QUIPU_API const struct quipu_analysis *quipu_analysis_find(const char *name);

/* Reads the whole selection of the reader through the analysis. settings is a list of "option=value" texts.
 * Gives up to table_limit tables, which the caller frees. */
QUIPU_API enum quipu_status quipu_analysis_run(
    const struct quipu_analysis *analysis, struct quipu_reader *reader, const struct quipu_selection *selection,
    const char *const *settings, size_t setting_count, const struct quipu_progress *progress,
    struct quipu_table **tables, size_t table_limit, size_t *out_table_count, struct quipu_error *err);

/* What a trace is: counts, time range and definitions, found by reading it once. */
struct quipu_summary {
    uint64_t records, events;
    bool has_times;
    int64_t first, last;
    uint64_t events_of[QUIPU_KIND_COUNT];
};
QUIPU_API enum quipu_status quipu_summarise(struct quipu_reader *reader, const struct quipu_progress *progress,
                                            struct quipu_summary *out, struct quipu_error *err);

/* Writes the summary: as text, or as JSON {"format", "variant", "files", "streams", "locations", "time",
 * "records", "definitions"}. */
QUIPU_API enum quipu_status quipu_summary_write(const struct quipu_summary *summary,
                                                const struct quipu_reader *reader, bool json,
                                                struct quipu_sink sink, struct quipu_error *err);

/* ---- Check ---- */

enum quipu_verdict { QUIPU_VERDICT_OK, QUIPU_VERDICT_WARN, QUIPU_VERDICT_REJECT };

struct quipu_check_result {
    enum quipu_verdict verdict; /* reject: an error or data loss; warn: a notice; else ok */
    uint64_t records;
};

/* Reads all of a trace, runs the rules of its format and those of the model (unbalanced regions, unmatched
 * messages, time going back, undefined references). The findings are the reader's. */
QUIPU_API enum quipu_status quipu_check(struct quipu_reader *reader, const struct quipu_progress *progress,
                                        struct quipu_check_result *out, struct quipu_error *err);

/* Writes verdict and findings: as text, or as JSON {"verdict", "records", "findings"}. */
QUIPU_API enum quipu_status quipu_check_write(const struct quipu_check_result *result,
                                              const struct quipu_findings *findings, bool json,
                                              struct quipu_sink sink, struct quipu_error *err);

/* ---- Repair ---- */

struct quipu_repair_options {
    struct quipu_writer_options writer;
    struct quipu_progress progress;
};
/* clang-format off */
#define QUIPU_REPAIR_OPTIONS_INIT {QUIPU_WRITER_OPTIONS_INIT, {NULL, NULL}}
/* clang-format on */

struct quipu_repair_counts {
    uint64_t kept;    /* records that were written as they are or with what the list of changes says */
    uint64_t dropped; /* records that were read but contradict what is certain */
    uint64_t added;   /* records that were not there: ends of calls, definitions */
    uint64_t skipped; /* bytes of the input that are no records any more */
};

/* What a repair has kept, lost and added. */
struct quipu_repair_report;

/* Writes what is intact of a trace as a complete and valid trace of the same format, in whose files quipu_check
 * finds neither errors nor data loss. The input is not changed; an output that would lie among the input's files
 * is refused with QUIPU_MISUSE. Formats that can do it have QUIPU_CAN_REPAIR. Records of a sound trace stay as they are. */
QUIPU_API enum quipu_status quipu_repair(struct quipu_reader *reader, const char *path,
                                         const struct quipu_repair_options *options,
                                         struct quipu_repair_report **report, struct quipu_error *err);

QUIPU_API void quipu_repair_report_free(struct quipu_repair_report *report);
QUIPU_API const struct quipu_repair_counts *quipu_repair_report_counts(
    const struct quipu_repair_report *report);

/* What was changed, as findings in the input by rules of their own: info for what was made anew without loss, notice
 * for what had to be guessed, data loss for what was left out. */
QUIPU_API const struct quipu_findings *quipu_repair_report_changes(const struct quipu_repair_report *report);

/* Writes counts, damage (the findings of the reader) and changes: as text, or as JSON {"records": {"kept",
 * "dropped", "added"}, "bytes_skipped", "damage": [findings as in check], "changes": [the same]}. */
QUIPU_API enum quipu_status quipu_repair_report_write(const struct quipu_repair_report *report,
                                                      const struct quipu_findings *damage, bool json,
                                                      struct quipu_sink sink, struct quipu_error *err);

/* ---- Convert ---- */

/* How many of the input's records of one type came over how. */
struct quipu_conversion_report;

QUIPU_API void quipu_conversion_report_free(struct quipu_conversion_report *report);

/* Records that were approximated or dropped. */
QUIPU_API uint64_t quipu_conversion_report_lost(const struct quipu_conversion_report *report);

/* Events that a selection had, or records of events that a cut has copied; QUIPU_UNKNOWN when all were. Its records are
 * counted like those outside of it: the selection is no loss. */
QUIPU_API uint64_t quipu_conversion_report_selected(const struct quipu_conversion_report *report);

/* Writes the report: as text, or as JSON {"records": [...], "totals": {...}, "selected": null}, of a selection with
 * "selected": {"attributes": whether they were, "events": {kind: number}}. */
QUIPU_API enum quipu_status quipu_conversion_report_write(const struct quipu_conversion_report *report,
                                                          bool json, struct quipu_sink sink,
                                                          struct quipu_error *err);

struct quipu_convert_options {
    struct quipu_writer_options writer;
    struct quipu_selection selection;
    bool selected;     /* selection is set: then records are never copied, always translated */
    bool fail_on_loss; /* give up before writing when a record type would be approximated or dropped */
    struct quipu_progress progress;
};
/* clang-format off */
#define QUIPU_CONVERT_OPTIONS_INIT {QUIPU_WRITER_OPTIONS_INIT, QUIPU_SELECTION_INIT, false, false, {NULL, NULL}}
/* clang-format on */

/* A foreign target that is only written: one line of exporters.def. */
struct quipu_exporter {
    const char *name; /* "perfetto" */
    const char *title;
    const char *suffixes; /* as in struct quipu_format */
};
QUIPU_API size_t quipu_exporter_count(void);
QUIPU_API const struct quipu_exporter *quipu_exporter_at(size_t index);
QUIPU_API const struct quipu_exporter *quipu_exporter_find(const char *name);
QUIPU_API const struct quipu_exporter *quipu_exporter_by_suffix(const char *path);

/* Converts a trace: to a format or exporter by name. Within one format records are copied without loss. The
 * report is given even when the conversion fails on loss. */
QUIPU_API enum quipu_status quipu_convert(struct quipu_reader *reader, const char *path, const char *target,
                                          const struct quipu_convert_options *options,
                                          struct quipu_conversion_report **report, struct quipu_error *err);

/* Writes one trace or several as one. One is converted. The events of several are translated: their definitions stay
 * apart, locations with the same name get the trace's name in front, ranks that clash are counted on, times are brought
 * to a common resolution. Traces that all know the time of day keep their distance; others begin together. Attributes
 * keep their values, even those that are times in another resolution. The selection is not looked at.
 *
 * reports has room for count of them; each is given or NULL, also on failure, and the caller frees them. Fails with
 * QUIPU_NOT_REPRESENTABLE when the clocks have no common resolution that fits. */
QUIPU_API enum quipu_status quipu_merge(struct quipu_reader *const *readers, size_t count, const char *path,
                                        const char *target, const struct quipu_convert_options *options,
                                        struct quipu_conversion_report **reports, struct quipu_error *err);

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

/* Says what a conversion would lose, without reading events or writing anything: a report whose totals are
 * unknown and whose rows say how each record type and field would come over. */
QUIPU_API enum quipu_status quipu_convert_explain(struct quipu_reader *reader, const char *target,
                                                  struct quipu_conversion_report **report,
                                                  struct quipu_error *err);

/* ---- Index ---- */

struct quipu_index_options {
    int64_t interval; /* ticks between two checkpoints; 0: count says how many there are */
    uint64_t count;   /* checkpoints at equal distances */
    bool replace;     /* also an index that fits the trace, and any other file but those of the trace */
    struct quipu_progress progress;
    struct quipu_guard *guard; /* what must not be replaced, the index itself excepted; may be NULL */
};
#define QUIPU_INDEX_OPTIONS_INIT                                                                               \
    { 0, 100, false, {NULL, NULL}, NULL }

struct quipu_index_result {
    uint64_t points; /* checkpoints of the index: the last of them is behind all events */
    uint64_t bytes;  /* of the index */
};

/* Makes the index of a trace of any format: a file that tells at points of time what was before, so that passes which
 * begin late and analyses of everything resume there and need not read all. It is used by readers that find it (struct
 * quipu_reader_options, quipu_reader_index_path). path NULL is where readers look for it.
 *
 * An index takes at most 3 % of the trace's bytes (64 KiB in any case) and a quarter of the memory; there are fewer
 * checkpoints than asked for where they would take more. Reads the trace twice. The reader must be new or rewound, and is to be rewound
 * afterwards.
 *
 * An index that is damaged or out of date is replaced; QUIPU_EXISTS for one that fits and for any other file, unless options
 * say so. A trace with errors or data loss, or whose events are not in time order, is refused with QUIPU_CORRUPT: an index
 * would hide what is wrong. QUIPU_UNSUPPORTED for what comes from a pipe, QUIPU_NOT_FOUND for a trace without events. */
QUIPU_API enum quipu_status quipu_index_build(struct quipu_reader *reader, const char *path,
                                              const struct quipu_index_options *options,
                                              struct quipu_index_result *out, struct quipu_error *err);

#ifdef __cplusplus
}
#endif
#endif
