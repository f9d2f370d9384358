/* analysis.c: the list of analyses, and answering by one of them. */
#include "analysis/shared/settings.h"
#include "core/error.h"
#include "state/ends.h"
#include "trace/reader.h"
#include "trace/select.h"
#include "trace/shared_reading.h"

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

bool quipu_analysis_can_share(const struct quipu_analysis *analysis) {
    return quipu__fold_find(analysis->name)->save != NULL;
}

/* ---- Settings ---- */

enum quipu_status quipu__fold_settings(const struct quipu__fold *fold, const struct quipu_setting *items,
                                       size_t count, struct quipu__settings *out, struct quipu_error *err) {
    *out = (struct quipu__settings){fold->info.options, fold->info.option_count, items, count};
    return quipu__settings_check(out, fold->info.name, err);
}

struct quipu_analysis_options quipu__analysis_options_complete(const struct quipu_analysis_options *options) {
    struct quipu_analysis_options completed = QUIPU_ANALYSIS_OPTIONS_INIT;
    if (options)
        memcpy(&completed, options, options->size < sizeof completed ? options->size : sizeof completed);
    return completed;
}

/* What a fold reads: the caller's selection, which may be NULL, narrowed to what it wants to see. */
static struct quipu_selection selection_of(const struct quipu_selection *selection,
                                           const struct quipu__fold *fold,
                                           const struct quipu__settings *settings,
                                           const struct quipu_definitions *definitions) {
    struct quipu_selection narrowed = QUIPU_SELECTION_INIT;
    if (selection)
        narrowed = *selection;
    narrowed.kinds &= fold->kinds;
    narrowed.without_attributes = !fold->needs_attributes;
    if (fold->order != QUIPU_ORDER_WINDOWS || narrowed.order != QUIPU_ORDER_TIME)
        narrowed.order = fold->order;
    if (fold->cuts_calls) {
        narrowed.from = INT64_MIN;
        narrowed.to = INT64_MAX;
    }
    const char *until = fold->until ? quipu__settings_value(settings, fold->until) : NULL;
    if (until)
        narrowed.to = quipu__setting_time(until);
    if (fold->select)
        fold->select(settings, definitions, &narrowed);
    if (narrowed.order == QUIPU_ORDER_WINDOWS && quipu__has_threads(definitions))
        narrowed.order = QUIPU_ORDER_TIME;
    return narrowed;
}

/* ---- Sorting ---- */

static bool is_column_of(const struct quipu_analysis_table *table, const char *name) {
    for (size_t i = 0; i < table->column_count; i++)
        if (strcmp(table->columns[i].name, name) == 0)
            return true;
    return false;
}

static enum quipu_status check_sort(const struct quipu_analysis *analysis, const char *column,
                                    struct quipu_error *err) {
    for (size_t i = 0; i < analysis->table_count; i++)
        if (!column || is_column_of(&analysis->tables[i], column))
            return QUIPU_OK;
    return quipu__fail(err, QUIPU_MISUSE, "no table of %s has a column \"%s\"", analysis->name, column);
}

/* Sorts the tables that have the column that was asked for; none needs to have the analysis's own. */
static enum quipu_status sort(const struct quipu_tables *tables, const char *asked, const char *own,
                              struct quipu_error *err) {
    const char *name = asked ? asked : own;
    size_t sorted = 0;
    for (size_t i = 0; name && i < quipu_tables_count(tables); i++)
        sorted += quipu__table_sort_by(quipu_tables_at(tables, i), name);
    if (!asked || sorted > 0 || (own && strcmp(asked, own) == 0))
        return QUIPU_OK;
    return quipu__fail(err, QUIPU_MISUSE, "with these options no table has a column \"%s\"", asked);
}

/* ---- Running ---- */

/* A state that has consumed everything that is selected; the caller releases it, also after failures. */
static enum quipu_status read_trace(const struct quipu__fold *fold, const struct quipu__fold_start *start,
                                    struct quipu_reader *reader, void **state, struct quipu_error *err) {
    enum quipu_status status = quipu__fold_resume(fold, start, reader, start->selection, state, err);
    if (status != QUIPU_OK || *state)
        return status;
    status = quipu_reader_select(reader, start->selection, err);
    return status == QUIPU_OK ? quipu__fold_run(fold, start, reader, state, err) : status;
}

enum quipu_status quipu__fold_tables(const struct quipu__fold *fold, void *state,
                                     const struct quipu__memory *memory, const char *column,
                                     struct quipu_tables **out, struct quipu_error *err) {
    enum quipu_status status = quipu__tables_new(&memory->allocator, out, err);
    if (status != QUIPU_OK)
        return status;
    status = fold->finish(state, *out, err);
    if (status == QUIPU_OK)
        status = sort(*out, column, fold->info.sort, err);
    if (status == QUIPU_OK)
        return QUIPU_OK;
    quipu_tables_free(*out);
    *out = NULL;
    return status;
}

/* Whether a location may have events in several streams, as far as is known before they are read. Where windows of time are read they say
 * so, and then everything is read again. */
static bool spreads_locations(struct quipu_reader *reader, enum quipu_order order) {
    return order != QUIPU_ORDER_WINDOWS && quipu__reader_trace(reader)->format->reading->spreads_locations &&
           quipu_reader_stream_count(reader) > 1;
}

static struct quipu__window window_of(const struct quipu_selection *selection) {
    return selection ? (struct quipu__window){selection->from, selection->to}
                     : (struct quipu__window){INT64_MIN, INT64_MAX};
}

static bool is_narrow(const struct quipu__window *window) {
    return window->from != INT64_MIN || window->to != INT64_MAX;
}

static enum quipu_status run_on_part(struct quipu_reader *reader, const struct quipu_analysis_options *options,
                                     struct quipu__fold_start *start, struct quipu__analysis_answer *answer,
                                     struct quipu_error *err) {
    struct quipu_selection narrowed =
        selection_of(options->selection, answer->fold, &start->settings, start->definitions);
    const struct quipu__window window = window_of(options->selection);
    start->selection = &narrowed;
    start->window = answer->fold->cuts_calls && is_narrow(&window) ? &window : NULL;
    start->spreads_locations = spreads_locations(reader, narrowed.order);
    enum quipu_status status = read_trace(answer->fold, start, reader, &answer->state, err);
    if (status == QUIPU_UNSUPPORTED && narrowed.order == QUIPU_ORDER_WINDOWS) {
        quipu__analysis_answer_release(answer);
        quipu_error_clear(err);
        narrowed.order = QUIPU_ORDER_TIME;
        start->spreads_locations = true;
        status = read_trace(answer->fold, start, reader, &answer->state, err);
    }
    return status == QUIPU_OK ? quipu__fold_tables(answer->fold, answer->state, start->memory, options->sort,
                                                   &answer->tables, err)
                              : status;
}

/* Asks another analysis what a fold wants to know first, unless the caller knows. */
static enum quipu_status ask(struct quipu_reader *reader, const struct quipu__fold *fold,
                             const struct quipu__settings *settings, const struct quipu_tables *known,
                             struct quipu_tables **out, struct quipu_error *err) {
    static const char *const times[] = {"since", "until", "roi"};
    struct quipu_setting asked[1 + sizeof times / sizeof *times];
    struct quipu_analysis_options options = QUIPU_ANALYSIS_OPTIONS_INIT;
    const char *name = fold->asks ? fold->asks(settings, &asked[0]) : NULL;
    *out = NULL;
    if (!name || known)
        return QUIPU_OK;
    options.settings = asked;
    options.setting_count = 1;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        const char *value = quipu__settings_value(settings, times[i]);
        if (value)
            asked[options.setting_count++] = (struct quipu_setting){times[i], value};
    }
    return quipu_analysis_run(reader, name, &options, out, err);
}

static enum quipu_status run_fold(struct quipu_reader *reader, const struct quipu_analysis_options *given,
                                  struct quipu__fold_start *start, struct quipu__analysis_answer *answer,
                                  struct quipu_error *err) {
    struct quipu_analysis_options options = *given;
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    struct quipu__memory memory;
    struct quipu__reported reported = {0};
    quipu__memory_like(&memory, start->memory);
    if (options.selection) {
        selection = *options.selection;
        options.selection = &selection;
    }
    enum quipu_status status = quipu__selection_check(&selection, err);
    if (status == QUIPU_OK)
        status = quipu__reported_find(reader, answer->fold, start, &memory, &selection, &reported, err);
    struct quipu_tables *asked = NULL;
    start->reported = &reported;
    if (status == QUIPU_OK)
        status = ask(reader, answer->fold, &start->settings, start->asked, &asked, err);
    start->asked = asked ? asked : start->asked;
    if (status == QUIPU_OK)
        status = run_on_part(reader, &options, start, answer, err);
    if (status == QUIPU_OK && reported.marks && !memchr(reported.marks, true, reported.location_count))
        quipu__tables_note_add(answer->tables, "no location is selected");
    quipu_tables_free(asked);
    quipu__reported_release(&reported, &memory);
    return status;
}

/* Whether other processes read for this one, or this one for them: unless each of them can fold its share. */
static bool is_served(struct quipu_reader *reader, const struct quipu__fold *fold,
                      const struct quipu_analysis_options *options, const struct quipu__fold_start *start) {
    const struct quipu__sharing *sharing = quipu__reader_sharing(reader);
    if (!sharing->transport || sharing->transport->only_gathers || sharing->remote)
        return false;
    return !fold->save || selection_of(options->selection, fold, &start->settings, start->definitions).order !=
                              QUIPU_ORDER_STREAM;
}

/* An analysis that rank 0 does, for which others read. */
struct led_analysis {
    struct quipu_reader *reader;
    const struct quipu_analysis_options *options;
    struct quipu__fold_start *start;
    struct quipu__analysis_answer *answer;
};

static enum quipu_status lead(void *context, struct quipu_error *err) {
    const struct led_analysis *led = context;
    return run_fold(led->reader, led->options, led->start, led->answer, err);
}

static enum quipu_status lead_again(void *context, struct quipu_error *err) {
    const struct led_analysis *led = context;
    quipu__analysis_answer_release(led->answer);
    quipu_tables_free(led->answer->tables);
    led->answer->tables = NULL;
    return lead(context, err);
}

enum quipu_status quipu__analysis_run(struct quipu_reader *reader, const char *name,
                                      const struct quipu_analysis_options *given,
                                      enum quipu__analysis_purpose purpose, const struct quipu_tables *asked,
                                      struct quipu__analysis_answer *answer, struct quipu_error *err) {
    const struct quipu_analysis_options options = quipu__analysis_options_complete(given);
    struct quipu__fold_start start = {.definitions = quipu_reader_definitions(reader),
                                      .sort = options.sort,
                                      .asked = asked,
                                      .memory = quipu__reader_trace(reader)->memory,
                                      .retimes = purpose == QUIPU__FOR_TIMES,
                                      .fills_index = purpose == QUIPU__FOR_INDEX,
                                      .fills_picture = purpose == QUIPU__FOR_PICTURE};
    *answer = (struct quipu__analysis_answer){.fold = quipu__fold_find(name)};
    if (!answer->fold)
        return quipu__fail(err, QUIPU_NOT_FOUND, "no analysis \"%s\"", name);
    if (start.retimes && !answer->fold->shifts)
        return quipu__fail(err, QUIPU_UNSUPPORTED, "%s gives events no other times", name);
    enum quipu_status status =
        quipu__fold_settings(answer->fold, options.settings, options.setting_count, &start.settings, err);
    if (status == QUIPU_OK)
        status = check_sort(&answer->fold->info, options.sort, err);
    if (status != QUIPU_OK)
        return status;
    struct led_analysis context = {reader, &options, &start, answer};
    const struct quipu__leading leading = {.context = &context, .lead = lead, .lead_again = lead_again};
    return is_served(reader, answer->fold, &options, &start) ? quipu__lead(reader, &leading, err)
                                                             : lead(&context, err);
}

void quipu__analysis_answer_release(struct quipu__analysis_answer *answer) {
    if (answer->state)
        answer->fold->release(answer->state);
    answer->state = NULL;
}

enum quipu_status quipu_analysis_run(struct quipu_reader *reader, const char *name,
                                     const struct quipu_analysis_options *options, struct quipu_tables **out,
                                     struct quipu_error *err) {
    struct quipu__analysis_answer answer;
    const enum quipu_status status =
        quipu__analysis_run(reader, name, options, QUIPU__FOR_TABLES, NULL, &answer, err);
    quipu__analysis_answer_release(&answer);
    *out = answer.tables;
    return status;
}

/* ==== Several at once ====
 *
 * One fold whose state is those of a fold with several settings. They read the same, so what one of them wants to read next all want. */

struct quipu__together {
    const struct quipu__fold *fold;
    struct quipu__fold_start starts[QUIPU__TOGETHER_MOST];
    size_t count;
};

struct states {
    struct quipu__memory memory;
    const struct quipu__together *together;
    void *of[QUIPU__TOGETHER_MOST];
    bool has_ended[QUIPU__TOGETHER_MOST]; /* wants to read no more, maybe for lack of memory */
};

static enum quipu_status begin_together(const struct quipu__fold_start *start, void **out,
                                        struct quipu_error *err) {
    const struct quipu__together *together = start->together;
    struct quipu__memory memory;
    quipu__memory_like(&memory, start->memory);
    struct states *states = *out = quipu__alloc_zero(&memory, sizeof *states);
    enum quipu_status status = states ? QUIPU_OK : quipu__no_memory(err, sizeof *states);
    if (states)
        *states = (struct states){.memory = memory, .together = together};
    for (size_t i = 0; i < together->count && status == QUIPU_OK; i++)
        status = together->fold->begin(&together->starts[i], &states->of[i], err);
    return status;
}

static enum quipu_status consume_together(void *state, const struct quipu_batch *batch,
                                          struct quipu_error *err) {
    struct states *states = state;
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < states->together->count && status == QUIPU_OK; i++)
        if (!states->has_ended[i])
            status = states->together->fold->consume(states->of[i], batch, err);
    return status;
}

static bool next_pass_together(void *state, struct quipu_selection *selection) {
    struct states *states = state;
    const struct quipu_selection before = *selection;
    bool wants_more = false;
    for (size_t i = 0; i < states->together->count; i++) {
        struct quipu_selection wanted = before;
        states->has_ended[i] =
            states->has_ended[i] || !states->together->fold->next_pass(states->of[i], &wanted);
        if (!states->has_ended[i])
            *selection = wanted;
        wants_more |= !states->has_ended[i];
    }
    return wants_more;
}

static enum quipu_status share_together(void *state, const void *first, struct quipu_error *err) {
    struct states *states = state;
    const struct states *whole = first;
    enum quipu_status status = QUIPU_OK;
    memcpy(states->has_ended, whole->has_ended, sizeof states->has_ended);
    for (size_t i = 0; i < states->together->count && status == QUIPU_OK; i++)
        if (!states->has_ended[i])
            status = states->together->fold->share(states->of[i], whole->of[i], err);
    return status;
}

static enum quipu_status combine_together(void *state, void *other, struct quipu_error *err) {
    struct states *states = state;
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < states->together->count && status == QUIPU_OK; i++)
        if (!states->has_ended[i])
            status = states->together->fold->combine(states->of[i], ((struct states *)other)->of[i], err);
    return status;
}

static void release_together(void *state) {
    struct states *states = state;
    for (size_t i = 0; i < states->together->count; i++)
        if (states->of[i])
            states->together->fold->release(states->of[i]);
    struct quipu__memory memory = states->memory;
    quipu__release(&memory, states, sizeof *states);
}

/* Reads for those that the index does not answer, and gives each its state. */
static enum quipu_status read_together(struct quipu_reader *reader, struct quipu__together *together,
                                       void **const *owners, struct quipu_error *err) {
    const struct quipu__fold *of = together->fold;
    const struct quipu__fold fold = {.begin = begin_together,
                                     .consume = consume_together,
                                     .next_pass = of->next_pass ? next_pass_together : NULL,
                                     .share = of->share ? share_together : NULL,
                                     .combine = of->combine ? combine_together : NULL,
                                     .release = release_together,
                                     .kinds = of->kinds,
                                     .order = together->starts[0].selection->order};
    struct quipu__fold_start start = together->starts[0];
    void *state = NULL;
    start.together = together;
    enum quipu_status status = quipu_reader_select(reader, start.selection, err);
    if (status == QUIPU_OK)
        status = quipu__fold_run(&fold, &start, reader, &state, err);
    for (size_t i = 0; i < together->count && status == QUIPU_OK; i++) {
        *owners[i] = ((struct states *)state)->of[i];
        ((struct states *)state)->of[i] = NULL;
    }
    if (state)
        release_together(state);
    return status;
}

static enum quipu_status run_together(struct quipu_reader *reader, const struct quipu__fold *fold,
                                      struct quipu__analysis_question *questions, size_t count,
                                      struct quipu_error *err) {
    struct quipu__together together = {.fold = fold};
    void **owners[QUIPU__TOGETHER_MOST];
    const struct quipu_definitions *definitions = quipu_reader_definitions(reader);
    struct quipu_selection narrowed = selection_of(NULL, fold, &(struct quipu__settings){0}, definitions);
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < count && status == QUIPU_OK; i++) {
        struct quipu__fold_start *start = &together.starts[together.count];
        void **state = owners[together.count] = &questions[i].answer.state;
        *start = (struct quipu__fold_start){.definitions = definitions,
                                            .selection = &narrowed,
                                            .memory = quipu__reader_trace(reader)->memory,
                                            .fills_picture = true,
                                            .spreads_locations = spreads_locations(reader, narrowed.order)};
        questions[i].answer.fold = fold;
        status = quipu__fold_settings(fold, questions[i].settings, questions[i].setting_count, &start->settings,
                                      err);
        if (status == QUIPU_OK)
            status = quipu__fold_resume(fold, start, reader, &narrowed, state, err);
        together.count += *state == NULL;
    }
    if (status == QUIPU_OK && together.count > 0)
        status = read_together(reader, &together, owners, err);
    for (size_t i = 0; i < count && status == QUIPU_OK; i++)
        status = quipu__fold_tables(fold, questions[i].answer.state, quipu__reader_trace(reader)->memory, NULL,
                                    &questions[i].answer.tables, err);
    return status;
}

enum quipu_status quipu__analysis_run_together(struct quipu_reader *reader, const char *name,
                                               struct quipu__analysis_question *questions, size_t count,
                                               struct quipu_error *err) {
    const struct quipu__fold *fold = quipu__fold_find(name);
    for (size_t i = 0; i < count; i++)
        questions[i].answer = (struct quipu__analysis_answer){0};
    if (!fold || count > QUIPU__TOGETHER_MOST || fold->select || fold->asks || fold->until ||
        fold->is_selective || quipu__reader_sharing(reader)->transport)
        return quipu__fail(err, QUIPU_UNSUPPORTED, "%s is run with one setting at a time", name);
    return run_together(reader, fold, questions, count, err);
}
