/* why.c: what a program loses time to. Asks other analyses and joins their answers, so its figures are theirs. */
#include "analysis/why.h"

#include "analysis/answers.h"
#include "analysis/waits.h"
#include "core/error.h"
#include "trace/reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *analysis, *option, *value;
} questions[QUIPU__WHY_ANSWERS] = {
    [QUIPU__WHY_EFFICIENCY] = {"efficiency", NULL, NULL}, [QUIPU__WHY_WAITS] = {NULL, NULL, NULL},
    [QUIPU__WHY_PATH] = {"critical-path", NULL, NULL},    [QUIPU__WHY_CLOCK] = {"clock", NULL, NULL},
    [QUIPU__WHY_PROFILE] = {"profile", NULL, NULL},       [QUIPU__WHY_IMBALANCE] = {"imbalance", NULL, NULL},
};

/* Waits and their causes, of one reading. Waiting outside of the region of interest is no loss of it. */
static enum quipu_status ask_for_waits(struct quipu__why *why, struct quipu_reader *reader,
                                       struct quipu_error *err) {
    enum { DIGITS = 24 };
    const struct quipu_table *table = quipu__answer_table(why->answers[QUIPU__WHY_EFFICIENCY], "efficiency");
    const struct quipu_clock *clock = &why->definitions->clock;
    char since[DIGITS], until[DIGITS];
    snprintf(since, sizeof since, "%" PRId64,
             quipu_clock_ticks(clock, quipu__answer_number(table, 0, "roi_begin_ns")));
    snprintf(until, sizeof until, "%" PRId64,
             quipu_clock_ticks(clock, quipu__answer_number(table, 0, "roi_end_ns")));
    const struct quipu_setting settings[] = {{"since", since}, {"until", until}, {"causes", "yes"}};
    struct quipu__analysis_answer answer;
    struct quipu_analysis_options options = QUIPU_ANALYSIS_OPTIONS_INIT;
    options.settings = settings;
    options.setting_count = sizeof settings / sizeof *settings;
    enum quipu_status status = quipu__analysis_run(reader, "waits", &options, false, &answer, err);
    if (status == QUIPU_OK)
        status = quipu__waits_add_rows(answer.state, answer.tables, err);
    why->answers[QUIPU__WHY_WAITS] = answer.tables;
    quipu__analysis_answer_release(&answer);
    return status;
}

static enum quipu_status ask(struct quipu__why *why, struct quipu_reader *reader, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (int i = 0; i < QUIPU__WHY_ANSWERS && status == QUIPU_OK; i++)
        status = questions[i].analysis ? quipu__answer(reader, questions[i].analysis, questions[i].option,
                                                       questions[i].value, &why->answers[i], err)
                                       : ask_for_waits(why, reader, err);
    return status;
}

static enum quipu_status join(struct quipu__why *why, struct quipu_tables **out, struct quipu_error *err) {
    quipu__located_init(&why->located, &why->memory, why->definitions);
    quipu__why_find(why);
    enum quipu_status status = quipu__memory_status(&why->memory, err);
    if (status == QUIPU_OK)
        status = quipu__tables_new(&why->memory.allocator, out, err);
    if (status != QUIPU_OK)
        return status;
    status = quipu__why_tables(why, *out, err);
    if (status == QUIPU_OK)
        return QUIPU_OK;
    quipu_tables_free(*out);
    *out = NULL;
    return status;
}

static void release(struct quipu__why *why) {
    quipu__located_release(&why->located);
    QUIPU__VEC_RELEASE(&why->memory, &why->losses);
    QUIPU__VEC_RELEASE(&why->memory, &why->awaited);
    quipu__map_release(&why->loss_of);
    quipu__map_release(&why->waiting);
    for (int i = 0; i < QUIPU__WHY_ANSWERS; i++)
        quipu_tables_free(why->answers[i]);
}

enum quipu_status quipu_why(struct quipu_reader *reader, struct quipu_tables **out, struct quipu_error *err) {
    struct quipu__why why = {.definitions = quipu_reader_definitions(reader)};
    *out = NULL;
    quipu__memory_like(&why.memory, quipu__reader_trace(reader)->memory);
    why.located.memory = &why.memory;
    quipu__map_init(&why.located.numbers, &why.memory);
    quipu__map_init(&why.loss_of, &why.memory);
    quipu__map_init(&why.waiting, &why.memory);
    enum quipu_status status = ask(&why, reader, err);
    if (status == QUIPU_OK)
        status = join(&why, out, err);
    release(&why);
    return status;
}
