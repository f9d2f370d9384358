/* relate.c: several traces: each is asked by itself, and an analysis relates the answers. */
#include "analysis/shared/fold.h"
#include "core/error.h"
#include "trace/reader.h"

#include <string.h>

/* The settings that each trace's answer is asked for with. */
static size_t own_settings(const struct quipu__settings *settings, struct quipu_setting *out) {
    size_t count = 0;
    for (size_t i = 0; i < settings->count; i++) {
        size_t option = 0;
        while (strcmp(settings->options[option].name, settings->items[i].name) != 0)
            option++;
        if (!settings->options[option].relates)
            out[count++] = settings->items[i];
    }
    return count;
}

/* What is to be said about the answers, each with the name of its trace. */
static void note_all(const struct quipu_tables *const *answers, const char *const *names, size_t count,
                     struct quipu_tables *tables) {
    for (size_t i = 0; i < count; i++)
        if (quipu_tables_note(answers[i])[0])
            quipu__tables_note_add(tables, "%s: %s", names[i], quipu_tables_note(answers[i]));
}

static enum quipu_status relate(const struct quipu__fold *fold, struct quipu_tables **answers,
                                const char *const *names, size_t count, const struct quipu__settings *settings,
                                const struct quipu__memory *memory, struct quipu_tables **out,
                                struct quipu_error *err) {
    const struct quipu_tables *const *all = (const struct quipu_tables *const *)answers;
    enum quipu_status status = quipu__tables_new(&memory->allocator, out, err);
    if (status == QUIPU_OK)
        status = fold->relate(all, names, count, settings, *out, err);
    if (status == QUIPU_OK)
        note_all(all, names, count, *out);
    if (status == QUIPU_OK)
        return QUIPU_OK;
    quipu_tables_free(*out);
    *out = NULL;
    return status;
}

/* Answers has room for count of them. */
static enum quipu_status answer_all(struct quipu_reader *const *readers, size_t count, const char *name,
                                    const struct quipu_analysis_options *options, struct quipu_tables **answers,
                                    struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < count && status == QUIPU_OK; i++)
        status = quipu_analysis_run(readers[i], name, options, &answers[i], err);
    return status;
}

static enum quipu_status relate_readers(struct quipu_reader *const *readers, const char *const *names,
                                        size_t count, const struct quipu__fold *fold,
                                        struct quipu_analysis_options *options, struct quipu_tables **out,
                                        struct quipu_error *err) {
    struct quipu__memory memory;
    struct quipu__settings settings;
    quipu__memory_like(&memory, quipu__reader_trace(readers[0])->memory);
    enum quipu_status status =
        quipu__fold_settings(fold, options->settings, options->setting_count, &settings, err);
    if (status != QUIPU_OK)
        return status;
    const size_t setting_bytes = (settings.count + 1) * sizeof(struct quipu_setting);
    const size_t answer_bytes = count * sizeof(struct quipu_tables *);
    struct quipu_setting *own = quipu__alloc_zero(&memory, setting_bytes);
    struct quipu_tables **answers = quipu__alloc_zero(&memory, answer_bytes);
    if (own && answers) {
        options->settings = own;
        options->setting_count = own_settings(&settings, own);
        status = answer_all(readers, count, fold->info.name, options, answers, err);
    }
    if (status == QUIPU_OK)
        status = quipu__memory_status(&memory, err);
    if (status == QUIPU_OK)
        status = relate(fold, answers, names, count, &settings, &memory, out, err);
    for (size_t i = 0; answers && i < count; i++)
        quipu_tables_free(answers[i]);
    quipu__release(&memory, answers, answer_bytes);
    quipu__release(&memory, own, setting_bytes);
    return status;
}

enum quipu_status quipu_analysis_relate(struct quipu_reader *const *readers, const char *const *names,
                                        size_t count, const char *name,
                                        const struct quipu_analysis_options *given, struct quipu_tables **out,
                                        struct quipu_error *err) {
    struct quipu_analysis_options options = quipu__analysis_options_complete(given);
    const struct quipu__fold *fold = quipu__fold_find(name);
    *out = NULL;
    if (!fold)
        return quipu__fail(err, QUIPU_NOT_FOUND, "no analysis \"%s\"", name);
    if (!fold->relate || count == 0)
        return quipu__fail(err, QUIPU_UNSUPPORTED, "%s does not relate %zu traces", name, count);
    return relate_readers(readers, names, count, fold, &options, out, err);
}
