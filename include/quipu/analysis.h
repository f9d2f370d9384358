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

#ifdef __cplusplus
}
#endif
#endif
