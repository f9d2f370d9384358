/* analysis.h: questions about a trace that are answered with tables: what a trace is, where the time goes, what is active.
 *
 * Functions that take a reader read with a selection of their own, which the reader keeps. To read on with the reader
 * itself, call quipu_reader_select again.
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

/* What is known of an analysis. Static. The command "quipu NAME" is made from it. */
struct quipu_analysis {
    const char *name;
    const char *doc;      /* what it does: "show where the time goes" */
    const char *details;  /* paragraphs, separated by empty lines */
    const char *examples; /* lines "command # what it does" */
    const struct quipu_option *options;
    size_t option_count;
    const struct quipu_analysis_table *tables; /* all that it can give; options may choose among them */
    size_t table_count;
    const char *
        sort; /* the column that the first table is sorted by unless another one is asked for; NULL: the order says more */
    const char *empty_answer; /* what tables without rows mean: "no calls" */
    bool
        needs_everything; /* its answer is of all locations and of all that was before: a selection would spoil it */
    bool gives_times;             /* it can give events other times: quipu_retime writes the trace with them */
    const char *gives_times_with; /* the option that it needs for that; NULL: none */
    bool relates;                 /* it can relate several traces to each other: quipu_analysis_relate */
    const char *map_letters;      /* the first table is best seen as a map: see quipu_render_options */
    size_t map_column;
};

QUIPU_API size_t quipu_analysis_count(void);
QUIPU_API const struct quipu_analysis *quipu_analysis_at(size_t index);
QUIPU_API const struct quipu_analysis *quipu_analysis_find(const char *name);

/* How to run an analysis. Begin with the macro: members may be added at the end. */
struct quipu_analysis_options {
    size_t size;                             /* of this struct */
    const struct quipu_selection *selection; /* what is read; NULL: everything */
    const struct quipu_setting *settings;    /* of the analysis's own options */
    size_t setting_count;
    const char *
        sort; /* column that tables are sorted by, those that have it: numbers from the largest, texts from A; NULL: the analysis's own */
};
/* clang-format off */
#define QUIPU_ANALYSIS_OPTIONS_INIT {sizeof(struct quipu_analysis_options), NULL, NULL, 0, NULL}
/* clang-format on */

/* Reads the selection through the analysis and gives its tables, which the caller frees. options may be NULL. QUIPU_NOT_FOUND when
 * there is no analysis of that name, QUIPU_MISUSE when an option or value is not one of its own, names what the trace has not, or no table has the column to
 * sort by. */
QUIPU_API enum quipu_status quipu_analysis_run(struct quipu_reader *reader, const char *name,
                                               const struct quipu_analysis_options *options,
                                               struct quipu_tables **out, struct quipu_error *err);

/* Answers for several traces, which are read one after the other, with a row per trace, called by its name, and how it relates to the
 * first one or to another one that a setting names. The caller frees the tables. QUIPU_UNSUPPORTED for analyses that do not relate
 * traces, else as quipu_analysis_run. */
QUIPU_API enum quipu_status quipu_analysis_relate(struct quipu_reader *const *readers, const char *const *names,
                                                  size_t count, const char *name,
                                                  const struct quipu_analysis_options *options,
                                                  struct quipu_tables **out, struct quipu_error *err);

/* ---- Definitions ---- */

/* The classes of definitions as tables: locations, regions, groups, communicators ...; NULL behind the last. */
QUIPU_API const struct quipu_analysis_table *quipu_definition_class_at(size_t index);

/* The definitions of one class, or of all when name is NULL, as tables that the caller frees: number, the format's own number, name
 * and everything else that is known of each. QUIPU_NOT_FOUND when there is no class of that name. */
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
    uint64_t bytes_read, bytes_written; /* by operations on files that ended */
    uint64_t gap_ticks;                 /* how long all gaps are */
    uint64_t mpi_ticks,
        call_ticks; /* time in MPI calls, and from first to last event, of all locations that have calls */
};
QUIPU_API enum quipu_status quipu_summarise(struct quipu_reader *reader, const struct quipu_progress *progress,
                                            struct quipu_summary *out, struct quipu_error *err);

/* What the definitions say of where a trace was recorded. */
struct quipu_population {
    uint32_t hosts; /* different names of hosts */
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
