/* fuzz_threads.c: what analyses answer, and what is found on the way, does not depend on the number of threads. */
#include "support.h"

enum { ANALYSES_MOST = 64 };

struct outcome {
    uint64_t summary, answers[ANALYSES_MOST];
    struct fuzz_digest findings;
};

static uint64_t answer(const struct fuzz_case *fuzz, struct quipu_reader *reader,
                       const struct quipu_analysis *analysis) {
    struct quipu_analysis_options options = QUIPU_ANALYSIS_OPTIONS_INIT;
    struct quipu_setting settings[FUZZ_SETTINGS];
    struct quipu_tables *tables;
    struct quipu_error err = QUIPU_ERROR_INIT;
    quipu_reader_rewind(reader);
    options.settings = settings;
    options.setting_count = fuzz_settings(fuzz, analysis, settings);
    const enum quipu_status status = quipu_analysis_run(reader, analysis->name, &options, &tables, &err);
    uint64_t hash = fuzz_worked(analysis->name, status, &err) ? 0 : (uint64_t)status;
    if (tables)
        hash += fuzz_tables(quipu_tables_list(tables), quipu_tables_count(tables));
    quipu_tables_free(tables);
    return hash;
}

static bool run_with(const struct fuzz_case *fuzz, uint32_t threads, struct outcome *out) {
    struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
    struct quipu_summary summary = {0};
    options.format = fuzz->format->name;
    options.threads = threads;
    options.index = "";
    struct quipu_reader *reader = fuzz_open_with(fuzz->path, options);
    if (!reader)
        return false;
    out->summary = (uint64_t)quipu_summarise(reader, NULL, &summary, NULL);
    out->summary = fuzz_hash(&summary, sizeof summary, out->summary);
    for (size_t i = 0; i < quipu_analysis_count() && i < ANALYSES_MOST; i++)
        out->answers[i] = answer(fuzz, reader, quipu_analysis_at(i));
    out->findings = fuzz_findings(quipu_reader_findings(reader));
    quipu_reader_close(reader);
    return true;
}

void fuzz_trace(const struct fuzz_case *fuzz) {
    struct outcome one, four;
    const bool opened = run_with(fuzz, 1, &one);
    if (opened != run_with(fuzz, 4, &four))
        fuzz_fail("one thread opens the trace, four do not, or the other way round");
    if (opened && one.summary != four.summary)
        fuzz_fail("four threads have another summary than one");
    for (size_t i = 0; opened && i < quipu_analysis_count() && i < ANALYSES_MOST; i++)
        if (one.answers[i] != four.answers[i])
            fuzz_fail("four threads have another answer of %s than one", quipu_analysis_at(i)->name);
    if (opened && !fuzz_same(&one.findings, &four.findings))
        fuzz_fail("one thread finds %llu, four find %llu, or others", (unsigned long long)one.findings.count,
                  (unsigned long long)four.findings.count);
}
