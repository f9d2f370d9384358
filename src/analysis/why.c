/* why.c: what a program loses time to. Asks other analyses and joins their answers, so its figures are theirs. */
#include "analysis/why.h"

#include "analysis/answers.h"
#include "analysis/matching_table.h"
#include "analysis/network_replay.h"
#include "analysis/together.h"
#include "analysis/waits.h"
#include "core/error.h"
#include "trace/reader.h"

#include <inttypes.h>
#include <stdio.h>

enum { DIGITS = 24 };

/* Two readings. The first one finds the region of interest, clocks and waits; the second one the time of regions on the critical path, what
 * an ideal network would take, and the causes of waits in that region: of them and of an ideal network nothing is known before it is. */
struct reading {
    struct quipu__together together;
    struct quipu__together_question *questions[QUIPU__WHY_ANSWERS];
    struct quipu_setting settings[3];
    char since[DIGITS], until[DIGITS];
};

static const char *const analyses[QUIPU__WHY_ANSWERS] = {[QUIPU__WHY_EFFICIENCY] = "efficiency",
                                                         [QUIPU__WHY_PATH] = "critical-path",
                                                         [QUIPU__WHY_CLOCK] = "clock",
                                                         [QUIPU__WHY_WAITS] = "waits"};

/* The ticks of a time in ns, as a setting. */
static void put_ticks(const struct quipu__why *why, int64_t ns, char out[DIGITS]) {
    snprintf(out, DIGITS, "%" PRId64, quipu_clock_ticks(&why->definitions->clock, ns));
}

/* Waiting until all have initialised MPI is no loss; but waiting after the first ones have finalised it is one of the others. */
static enum quipu_status add_waits(const struct quipu__why *why, struct reading *reading,
                                   struct quipu_error *err) {
    const struct quipu__network_replay *region = reading->questions[QUIPU__WHY_EFFICIENCY]->state;
    size_t count = 1;
    reading->settings[0] = (struct quipu_setting){"causes", "yes"};
    if (region->begin != INT64_MIN) {
        put_ticks(why, region->begin, reading->since);
        put_ticks(why, region->all_end, reading->until);
        reading->settings[count++] = (struct quipu_setting){"since", reading->since};
        reading->settings[count++] = (struct quipu_setting){"until", reading->until};
    }
    return quipu__together_add(&reading->together, analyses[QUIPU__WHY_WAITS], reading->settings, count,
                               &reading->questions[QUIPU__WHY_WAITS], err);
}

static enum quipu_status read(const struct quipu__why *why, struct reading *reading, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (int i = 0; i < QUIPU__WHY_WAITS && status == QUIPU_OK; i++)
        status = quipu__together_add(&reading->together, analyses[i], NULL, 0, &reading->questions[i], err);
    if (status == QUIPU_OK)
        status = quipu__together_read(&reading->together, err);
    if (status == QUIPU_OK)
        status = add_waits(why, reading, err);
    while (status == QUIPU_OK && quipu__together_reads(&reading->together))
        status = quipu__together_read(&reading->together, err);
    return status;
}

static enum quipu_status answer(struct quipu__why *why, const struct reading *reading,
                                struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (int i = 0; i < QUIPU__WHY_ANSWERS && status == QUIPU_OK; i++)
        status = quipu__together_answer(reading->questions[i], &why->answers[i], err);
    if (status != QUIPU_OK)
        return status;
    const struct quipu__network_replay *region = reading->questions[QUIPU__WHY_EFFICIENCY]->state;
    why->covered = region->all_end - region->begin;
    why->unfinished = region->communication.unfinished;
    why->location_count = (uint64_t)quipu__answer_number(
        quipu__answer_table(why->answers[QUIPU__WHY_EFFICIENCY], "efficiency"), 0, "processes");
    return quipu__waits_add_rows(reading->questions[QUIPU__WHY_WAITS]->state, why->answers[QUIPU__WHY_WAITS],
                                 err);
}

static enum quipu_status join(struct quipu__why *why, const struct reading *reading, struct quipu_tables **out,
                              struct quipu_error *err) {
    struct quipu__waits *waits = reading->questions[QUIPU__WHY_WAITS]->state;
    quipu__located_init(&why->located, &why->memory, why->definitions);
    quipu__why_find(why, &waits->delays, reading->questions[QUIPU__WHY_PATH]->state);
    enum quipu_status status = quipu__memory_status(&why->memory, err);
    if (status == QUIPU_OK)
        status = quipu__tables_new(&why->memory.allocator, out, err);
    if (status != QUIPU_OK)
        return status;
    quipu__posts_note(&waits->states.communication, *out);
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
    struct reading reading = {.together = {.reader = reader}};
    *out = NULL;
    quipu__memory_like(&why.memory, quipu__reader_trace(reader)->memory);
    why.located.memory = &why.memory;
    quipu__map_init(&why.located.numbers, &why.memory);
    quipu__map_init(&why.loss_of, &why.memory);
    quipu__map_init(&why.waiting, &why.memory);
    enum quipu_status status = read(&why, &reading, err);
    if (status == QUIPU_OK)
        status = answer(&why, &reading, err);
    if (status == QUIPU_OK)
        status = join(&why, &reading, out, err);
    quipu__together_release(&reading.together);
    release(&why);
    return status;
}
