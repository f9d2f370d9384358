/* fold.c: the list of analyses, and driving one over a reader. */
#include "analysis/fold.h"

#include "core/error.h"
#include "trace/reader.h"

#include <string.h>

#define QUIPU_ANALYSIS(name) extern const struct quipu__fold quipu__##name##_fold;
#include "analysis/analyses.def"
#undef QUIPU_ANALYSIS

static const struct quipu__fold *const folds[] = {
#define QUIPU_ANALYSIS(name) &quipu__##name##_fold,
#include "analysis/analyses.def"
#undef QUIPU_ANALYSIS
};

#define FOLD_COUNT (sizeof folds / sizeof folds[0])

/* ---- The list ---- */

const struct quipu__fold *quipu__fold_find(const char *name) {
    for (size_t i = 0; i < FOLD_COUNT; i++)
        if (strcmp(folds[i]->info.name, name) == 0)
            return folds[i];
    return NULL;
}

const struct quipu__fold *quipu__fold_at(size_t index) {
    return folds[index];
}

size_t quipu_analysis_count(void) {
    return FOLD_COUNT;
}

const struct quipu_analysis *quipu_analysis_at(size_t index) {
    return &folds[index]->info;
}

const struct quipu_analysis *quipu_analysis_find(const char *name) {
    const struct quipu__fold *fold = quipu__fold_find(name);
    return fold ? &fold->info : NULL;
}

/* ---- Settings ---- */

/* The value in "option=value", or NULL when the setting is of another option. */
static const char *value_of(const char *setting, const char *option) {
    const size_t len = strlen(option);
    return strncmp(setting, option, len) == 0 && setting[len] == '=' ? setting + len + 1 : NULL;
}

const char *quipu__fold_setting(const struct quipu__fold_start *start, const char *option) {
    for (size_t i = start->setting_count; i-- > 0;) {
        const char *value = value_of(start->settings[i], option);
        if (value)
            return value;
    }
    return NULL;
}

static enum quipu_status check_setting(const struct quipu_analysis *analysis, const char *setting,
                                       struct quipu_error *err) {
    for (size_t i = 0; i < analysis->option_count; i++)
        if (value_of(setting, analysis->options[i].name))
            return QUIPU_OK;
    return quipu__fail(err, QUIPU_MISUSE, "the analysis %s has no option like \"%s\"", analysis->name, setting);
}

/* ---- Driving ---- */

static enum quipu_status read_alone(const struct quipu__fold *fold, struct quipu_reader *reader,
                                    const struct quipu_progress *progress, void *state,
                                    struct quipu_error *err) {
    const struct quipu_batch *batch;
    enum quipu_status status;
    while ((status = quipu_reader_next_batch(reader, &batch, err)) == QUIPU_OK) {
        status = fold->consume(state, batch, err);
        if (status != QUIPU_OK)
            return status;
        if (progress && progress->report &&
            !progress->report(progress->context, quipu_reader_bytes_read(reader),
                              quipu_reader_bytes_total(reader), quipu_reader_delivered(reader)))
            return QUIPU_END;
    }
    return status == QUIPU_END ? QUIPU_OK : status;
}

/* Joins all parts in the first one. */
static enum quipu_status combine_parts(const struct quipu__fold *fold, void *const *parts, uint32_t count,
                                       struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (uint32_t i = 1; i < count && status == QUIPU_OK; i++)
        status = fold->combine(parts[0], parts[i], err);
    return status;
}

/* The same with a part per thread. *state is the first part. */
static enum quipu_status read_together(const struct quipu__fold *fold, const struct quipu__fold_start *start,
                                       struct quipu_reader *reader, uint32_t count,
                                       const struct quipu_progress *progress, bool *must_repeat, void **state,
                                       struct quipu_error *err) {
    void *parts[QUIPU__FOLD_PARTS] = {*state};
    enum quipu_status status = QUIPU_OK;
    for (uint32_t i = 1; i < count && status == QUIPU_OK; i++)
        status = fold->begin(start, &parts[i], err);
    const struct quipu__worker_pool workers = {.take = fold->consume,
                                               .states = parts,
                                               .thread_count = count,
                                               .must_repeat = must_repeat,
                                               .report = progress ? progress->report : NULL,
                                               .report_context = progress ? progress->context : NULL};
    if (status == QUIPU_OK)
        status = quipu__reader_share(reader, &workers, err);
    if (status == QUIPU_OK)
        status = combine_parts(fold, parts, count, err);
    for (uint32_t i = 1; i < count; i++)
        if (parts[i])
            fold->release(parts[i]);
    return status;
}

enum quipu_status quipu__fold_run(const struct quipu__fold *fold, const struct quipu__fold_start *start,
                                  struct quipu_reader *reader, const struct quipu_progress *progress,
                                  void **state, struct quipu_error *err) {
    const uint32_t count = quipu__reader_threads(reader, QUIPU__FOLD_PARTS);
    bool must_repeat = false;
    *state = NULL;
    enum quipu_status status = fold->begin(start, state, err);
    if (status != QUIPU_OK)
        return status;
    if (count > 1)
        status = read_together(fold, start, reader, count, progress, &must_repeat, state, err);
    if (must_repeat) {
        fold->release(*state);
        quipu_reader_rewind(reader);
        *state = NULL;
        status = fold->begin(start, state, err);
    }
    if (status == QUIPU_OK && (count == 1 || must_repeat))
        status = read_alone(fold, reader, progress, *state, err);
    return status;
}

static enum quipu_status read_all(const struct quipu__fold *fold, const struct quipu__fold_start *start,
                                  struct quipu_reader *reader, const struct quipu_selection *selection,
                                  const struct quipu_progress *progress, void **state,
                                  struct quipu_error *err) {
    const enum quipu_status status = quipu_reader_select(reader, selection, err);
    return status == QUIPU_OK ? quipu__fold_run(fold, start, reader, progress, state, err) : status;
}

/* The caller's selection, narrowed to what the fold wants to see. */
static struct quipu_selection narrow(const struct quipu_selection *selection, const struct quipu__fold *fold) {
    struct quipu_selection narrowed = QUIPU_SELECTION_INIT;
    if (selection)
        narrowed = *selection;
    narrowed.kinds &= fold->kinds;
    narrowed.without_attributes = !fold->needs_attributes;
    narrowed.order = QUIPU_ORDER_STREAM;
    return narrowed;
}

enum quipu_status quipu_analysis_run(const struct quipu_analysis *analysis, struct quipu_reader *reader,
                                     const struct quipu_selection *selection, const char *const *settings,
                                     size_t setting_count, const struct quipu_progress *progress,
                                     struct quipu_table **tables, size_t table_limit, size_t *out_table_count,
                                     struct quipu_error *err) {
    *out_table_count = 0;
    const struct quipu__fold *fold = quipu__fold_find(analysis->name);
    if (!fold)
        return quipu__fail(err, QUIPU_NOT_FOUND, "there is no analysis %s", analysis->name);
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < setting_count && status == QUIPU_OK; i++)
        status = check_setting(analysis, settings[i], err);
    if (status != QUIPU_OK)
        return status;

    const struct quipu_selection narrowed = narrow(selection, fold);
    const struct quipu__fold_start start = {quipu_reader_definitions(reader), settings, setting_count,
                                            &narrowed, quipu__reader_trace(reader)->memory};
    void *state = NULL;
    status = quipu__fold_resume(fold, &start, reader, &narrowed, progress, &state, err);
    if (status == QUIPU_OK && !state)
        status = read_all(fold, &start, reader, &narrowed, progress, &state, err);
    if (status == QUIPU_OK)
        status = fold->finish(state, tables, table_limit, out_table_count, err);
    if (state)
        fold->release(state);
    return status;
}
