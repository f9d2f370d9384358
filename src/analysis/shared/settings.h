/* settings.h: values of options that several analyses have. */
#ifndef QUIPU_ANALYSIS_SHARED_SETTINGS_H
#define QUIPU_ANALYSIS_SHARED_SETTINGS_H

#include "analysis/shared/fold.h"
#include "model/where.h"
#include "state/communication.h"

/* A number; 0 when it is not given. */
uint64_t quipu__number_setting(const struct quipu__fold_start *start, const char *name);

/* The row of --bins, and its value. QUIPU_MISUSE for what is none. */
#define QUIPU__BINS_OPTION                                                                                     \
    {                                                                                                          \
        .name = "bins", .kind = QUIPU_OPTION_NUMBER, .argument = "N", .default_value = "80",                   \
        .doc = "cut the time into N equal bins; default 80"                                                    \
    }
enum quipu_status quipu__bins_setting(const struct quipu__fold_start *start, uint32_t *out,
                                      struct quipu_error *err);

/* Where a bin begins, of that many in a length of time behind from. */
int64_t quipu__bin_start(int64_t from, uint64_t length, uint32_t bins, uint64_t bin);

/* The row of --eager-limit. */
#define QUIPU__EAGER_LIMIT_OPTION                                                                              \
    {                                                                                                          \
        .name = "eager-limit", .kind = QUIPU_OPTION_SIZE, .argument = "SIZE", .default_value = "0",            \
        .doc =                                                                                                 \
            "sends of fewer bytes, such as 64K, do not wait for their receivers, unless they are synchronous"  \
    }

/* ---- What is reported ----
 *
 * Analyses that read and match everything report a part of it: these rows are their options, the same for all, and quipu__reported is what they
 * say. */

/* clang-format off */
#define QUIPU__REPORTED_TIMES \
    {.name = "since", .kind = QUIPU_OPTION_TIME, .argument = "TIME", \
     .doc = "report what is from this time on only: ticks, 1.5ms, 50%"}, \
    {.name = "until", .kind = QUIPU_OPTION_TIME, .argument = "TIME|end", .doc = "report what is before this time only; end, or the time of the last event: and that"}, \
    {.name = "roi", .kind = QUIPU_OPTION_TEXT, .argument = "all|REGION", \
     .doc = "report what is between the first enter and the last leave of this region only; all: the whole trace"}
#define QUIPU__REPORTED_LOCATIONS \
    {.name = "location", .kind = QUIPU_OPTION_LOCATIONS, .argument = "LIST", .letter = 'l', \
     .doc = "report these locations only: names, 0-3, rank:0-3"}, \
    {.name = "processes", .kind = QUIPU_OPTION_LOCATIONS, .argument = "LIST", \
     .doc = "report these processes only, with all their threads: names, or ranks such as 0-3"}
#define QUIPU__REPORTED_OPTIONS QUIPU__REPORTED_TIMES, QUIPU__REPORTED_LOCATIONS, \
    {.name = "where", .kind = QUIPU_OPTION_TEXT, .argument = "EXPRESSION", .letter = 'w', \
     .doc = "report locations only for which this is true, such as 'rank in 0-7': see \"quipu help where\""}
/* clang-format on */

/* What the options say; of fields that a fold has not, and of folds without them, everything. The last events of a trace belong to a window
 * that ends at their time, whether options or the selection say it: then it has no end. For that the trace is read from there to the first event
 * behind it; and to the end for a region of interest. Release in any case. */
enum quipu_status quipu__reported_find(struct quipu_reader *reader, const struct quipu__fold *fold,
                                       const struct quipu__fold_start *start, struct quipu__memory *memory,
                                       struct quipu_selection *selection, struct quipu__reported *out,
                                       struct quipu_error *err);
static inline void quipu__reported_release(struct quipu__reported *reported, struct quipu__memory *memory) {
    quipu__release(memory, reported->marks, reported->location_count);
    *reported = (struct quipu__reported){0};
}

/* An expression that chooses messages and operations by the events of these kinds, before the duration of their calls is known; NULL without a
 * text. too_early and never are what is said where it asks for that duration, and where it is true for none of them. */
enum quipu_status quipu__where_of_ends(struct quipu__memory *memory, const char *text,
                                       const struct quipu_definitions *definitions, quipu_kinds kinds,
                                       const char *too_early, const char *never,
                                       struct quipu__where_clause **out, struct quipu_error *err);

/* Whether it is true for an event, whose call is the innermost active one; true for all without an expression. */
bool quipu__end_is_chosen(const struct quipu__where_clause *where,
                          const struct quipu__communication *communication, const struct quipu_batch *batch,
                          uint32_t event);

#endif
