/* analysis.h: questions about a trace that tables answer: what the trace is, where the time goes, what is active.
 *
 * A function that takes a reader sets a selection of its own, and the reader keeps it. Call quipu_reader_select again
 * before reading on with the reader itself.
 */
#ifndef QUIPU_ANALYSIS_H
#define QUIPU_ANALYSIS_H

#include <quipu/base.h>
#include <quipu/model.h>
#include <quipu/reader.h>
#include <quipu/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Describes an analysis. Static. The command "quipu NAME" is made from it. */
struct quipu_analysis {
    const char *name;
    const char *doc;      /* what it does: "show where the time goes" */
    const char *details;  /* paragraphs, separated by empty lines */
    const char *examples; /* lines "command # what it does" */
    const struct quipu_option *options;
    size_t option_count;
    const struct quipu_analysis_table *tables; /* all that it can produce; options may select some */
    size_t table_count;
    const char *
        sort; /* the column that the first table is sorted by unless another one is asked for; NULL: the order says more */
    const char *empty_answer; /* what tables without rows mean: "no calls" */
    bool
        needs_everything; /* it must see all locations and everything up to a time: a selection would make it wrong */
    bool gives_times; /* it can compute new times of events: quipu_retime writes the trace with them */
    const char *gives_times_with; /* the option that it needs for that; NULL: none */
    bool relates;                 /* it can compare several traces: quipu_analysis_relate */
    const char *map_letters;      /* the first table is best seen as a map: see quipu_render_options */
    size_t map_column;
};

QUIPU_API size_t quipu_analysis_count(void);
QUIPU_API const struct quipu_analysis *quipu_analysis_at(size_t index);
QUIPU_API const struct quipu_analysis *quipu_analysis_find(const char *name);

/* Whether processes that know no others can each do a part of an analysis (transport.h). Those that match what happens
 * at different locations see all events in one process. */
QUIPU_API bool quipu_analysis_can_share(const struct quipu_analysis *analysis);

/* How to run an analysis. Begin with the macro: members may be added at the end. */
struct quipu_analysis_options {
    size_t size;                             /* of this struct */
    const struct quipu_selection *selection; /* what is read; NULL: everything */
    const struct quipu_setting *settings;    /* of the analysis's own options */
    size_t setting_count;
    const char *
        sort; /* column that the tables which have it are sorted by: largest number or first letter first; NULL: the analysis's own */
};
/* clang-format off */
#define QUIPU_ANALYSIS_OPTIONS_INIT {sizeof(struct quipu_analysis_options), NULL, NULL, 0, NULL}
/* clang-format on */

/* Runs the analysis on the selection and gives its tables, which the caller frees. options may be NULL. The last events
 * of a trace belong to a window that ends at their time, whether the selection or a setting says it. QUIPU_NOT_FOUND
 * when there is no analysis of that name. QUIPU_MISUSE when the analysis does not have an option or accept its value,
 * when a value names something that the trace does not have, or when no table has the column to sort by. QUIPU_END when
 * processes share it and another one has the answer (transport.h). */
QUIPU_API enum quipu_status quipu_analysis_run(struct quipu_reader *reader, const char *name,
                                               const struct quipu_analysis_options *options,
                                               struct quipu_tables **out, struct quipu_error *err);

/* Compares several traces, which are read one after the other. Each trace has a row under its name, which says how it
 * relates to the first trace or to one that a setting names. The caller frees the tables. QUIPU_UNSUPPORTED for
 * analyses that cannot compare traces, else as quipu_analysis_run. */
QUIPU_API enum quipu_status quipu_analysis_relate(struct quipu_reader *const *readers, const char *const *names,
                                                  size_t count, const char *name,
                                                  const struct quipu_analysis_options *options,
                                                  struct quipu_tables **out, struct quipu_error *err);

/* ---- Definitions ---- */

/* The classes of definitions as tables: locations, regions, groups, communicators ...; NULL after the last. */
QUIPU_API const struct quipu_analysis_table *quipu_definition_class_at(size_t index);

/* The definitions of one class, or of all classes when name is NULL, as tables that the caller frees: number, the
 * format's own number, name and whatever else is known about each. QUIPU_NOT_FOUND when there is no class of that
 * name. */
QUIPU_API enum quipu_status quipu_definition_tables(struct quipu_reader *reader, const char *name,
                                                    struct quipu_tables **out, struct quipu_error *err);

/* ---- What a trace is ---- */

/* What a trace is: counts, time range and definitions, found by reading it once. */
struct quipu_summary {
    uint64_t records, events;
    bool has_times;
    int64_t first, last;
    uint64_t events_of[QUIPU_KIND_COUNT];
    uint64_t message_bytes;             /* of all sends; unknown lengths count as 0 */
    uint64_t bytes_read, bytes_written; /* by finished operations on files */
    uint64_t gap_ticks;                 /* total length of all gaps */
    uint64_t mpi_ticks,
        call_ticks; /* of all locations with calls: time in MPI calls; time from first to last event */
};
QUIPU_API enum quipu_status quipu_summarise(struct quipu_reader *reader, const struct quipu_progress *progress,
                                            struct quipu_summary *out, struct quipu_error *err);

/* What the definitions say about where a trace was recorded. */
struct quipu_population {
    uint32_t hosts; /* distinct host names */
    uint32_t processes, threads;
    uint32_t communicators;
    uint32_t streams; /* of events, as the format counts them */
};
QUIPU_API struct quipu_population quipu_population_of(const struct quipu_reader *reader);

/* Writes the summary: as text, or as JSON {"format", "variant", "files", "streams", "locations", "time",
 * "records", "definitions" ...}. */
QUIPU_API enum quipu_status quipu_summary_write(const struct quipu_summary *summary,
                                                const struct quipu_reader *reader, bool json,
                                                struct quipu_sink sink, struct quipu_error *err);

#ifdef __cplusplus
}
#endif
#endif
