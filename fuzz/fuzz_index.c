/* fuzz_index.c: a reader with an index gives the same events and the same answers as one without. */
#include "support.h"

static bool build(const struct fuzz_case *fuzz, const char *index) {
    struct quipu_index_options options = QUIPU_INDEX_OPTIONS_INIT;
    struct quipu_index_result result;
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu_reader *reader = fuzz_open(fuzz->path, fuzz->format);
    if (!reader)
        return false;
    options.count = 1 + fuzz_choose(fuzz, 20, 12);
    const bool built = fuzz_worked("index", quipu_index_build(reader, index, &options, &result, &err), &err);
    quipu_reader_close(reader);
    return built;
}

static struct quipu_reader *open_with(const struct fuzz_case *fuzz, const char *index) {
    struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
    options.format = fuzz->format->name;
    options.index = index;
    struct quipu_reader *reader = fuzz_open_with(fuzz->path, options);
    if (!reader)
        fuzz_fail("a trace with an index cannot be opened");
    return reader;
}

/* Ticks between the first and the last event. */
static void choose_window(const struct fuzz_case *fuzz, struct quipu_selection *selection) {
    struct quipu_reader *reader = open_with(fuzz, "");
    struct quipu_summary summary;
    if (quipu_summarise(reader, NULL, &summary, NULL) == QUIPU_OK && summary.has_times) {
        const uint64_t length = (uint64_t)summary.last - (uint64_t)summary.first;
        selection->from = (int64_t)((uint64_t)summary.first + fuzz_choose(fuzz, 21, length / 2 + 1));
        selection->to = (int64_t)((uint64_t)selection->from + fuzz_choose(fuzz, 22, length / 2 + 2));
    }
    quipu_reader_close(reader);
}

static struct fuzz_digest events(const struct fuzz_case *fuzz, const char *index,
                                 const struct quipu_selection *selection) {
    struct quipu_reader *reader = open_with(fuzz, index);
    (void)quipu_reader_select(reader, selection, NULL);
    const struct fuzz_digest digest = fuzz_events(reader, fuzz->size, NULL, NULL);
    quipu_reader_close(reader);
    return digest;
}

static uint64_t answer(const struct fuzz_case *fuzz, const char *index, const struct quipu_analysis *analysis,
                       const struct quipu_selection *selection) {
    struct quipu_analysis_options options = QUIPU_ANALYSIS_OPTIONS_INIT;
    struct quipu_setting settings[FUZZ_SETTINGS];
    struct quipu_tables *tables;
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu_reader *reader = open_with(fuzz, index);
    options.selection = selection;
    options.settings = settings;
    options.setting_count = fuzz_settings(fuzz, analysis, settings);
    const enum quipu_status status = quipu_analysis_run(reader, analysis->name, &options, &tables, &err);
    uint64_t hash = fuzz_worked(analysis->name, status, &err) ? 0 : (uint64_t)status;
    if (tables)
        hash += fuzz_tables(quipu_tables_list(tables), quipu_tables_count(tables));
    quipu_tables_free(tables);
    quipu_reader_close(reader);
    return hash;
}

static void compare(const struct fuzz_case *fuzz, const char *index, const struct quipu_selection *selection) {
    const struct fuzz_digest with = events(fuzz, index, selection), without = events(fuzz, "", selection);
    if (!fuzz_same(&with, &without))
        fuzz_fail("with an index there are %llu events, without %llu, or others",
                  (unsigned long long)with.count, (unsigned long long)without.count);
    for (size_t i = 0; i < quipu_analysis_count(); i++)
        if (answer(fuzz, index, quipu_analysis_at(i), selection) !=
            answer(fuzz, "", quipu_analysis_at(i), selection))
            fuzz_fail("with an index %s has another answer", quipu_analysis_at(i)->name);
}

void fuzz_trace(const struct fuzz_case *fuzz) {
    struct quipu_selection all = QUIPU_SELECTION_INIT, window = QUIPU_SELECTION_INIT;
    const char *index = fuzz_out(0, ".qpx");
    if (!build(fuzz, index)) {
        fuzz_output_empty(0, "index");
        return;
    }
    fuzz_output(0);
    choose_window(fuzz, &window);
    compare(fuzz, index, &all);
    compare(fuzz, index, &window);
}
