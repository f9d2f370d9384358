/* replay.c: how long the program would run with faster processors or on an ideal network; and, as measured, whether what is known of
 * its causes explains its run time. */
#include "analysis/cells.h"
#include "analysis/matching_table.h"
#include "analysis/network_replay.h"
#include "core/error.h"

#include <string.h>

enum { DECIMALS_MOST = 6 };

/* A decimal number such as 0.5 or 2; false for what is none, or 0. */
static bool parse_decimal(const char *text, struct quipu__decimal *out) {
    unsigned digits = 0, decimals = 0;
    bool has_point = false;
    *out = (struct quipu__decimal){0, 1};
    for (; *text; text++) {
        if (*text == '.' && !has_point) {
            has_point = true;
            continue;
        }
        if (*text < '0' || *text > '9' || ++digits > 12 || (has_point && ++decimals > DECIMALS_MOST))
            return false;
        out->numerator = out->numerator * 10 + (uint64_t)(*text - '0');
        out->denominator *= has_point ? 10 : 1;
    }
    return out->numerator > 0;
}

static enum quipu_status set_factor(struct quipu__network_replay *replay, const char *text,
                                    struct quipu_error *err) {
    if (!text)
        return QUIPU_OK;
    if (replay->is_measured)
        return quipu__fail(err, QUIPU_MISUSE, "--cpu-factor needs --network ideal");
    if (!parse_decimal(text, &replay->factor))
        return quipu__fail(
            err, QUIPU_MISUSE,
            "--cpu-factor takes a number above 0 with at most 6 decimals, such as 0.5, not \"%s\"", text);
    return QUIPU_OK;
}

static enum quipu_status begin(const struct quipu__fold_start *start, void **state, struct quipu_error *err) {
    const bool is_measured = strcmp(quipu__settings_value(&start->settings, "network"), "measured") == 0;
    struct quipu__network_replay *replay = NULL;
    const enum quipu_status status = quipu__network_replay_begin(start, is_measured, &replay, err);
    *state = replay;
    return status == QUIPU_OK ? set_factor(replay, quipu__settings_value(&start->settings, "cpu-factor"), err)
                              : status;
}

static const struct quipu_table_column columns[] = {
    {"runtime_ns", QUIPU_TYPE_I64, "ns", "run time in the trace, of what is replayed"},
    {"replayed_ns", QUIPU_TYPE_I64, "ns", "run time of the replay; null when calls wait in a circle"},
    {"change_percent", QUIPU_TYPE_F64, "%", "by how much it is longer"},
    {"error_percent", QUIPU_TYPE_F64, "%",
     "as measured: the same, which should be 0; clocks that differ make it larger"},
    {"messages", QUIPU_TYPE_U64, "", "matched messages"},
    {"clock_violations", QUIPU_TYPE_U64, "",
     "as measured: calls that end before those begin that they depend on"},
};
static const struct quipu_analysis_table tables[] = {
    {"replay", "the run time in the trace and in the replay", columns, sizeof columns / sizeof *columns}};

/* What a time has changed by, in per cent. */
static void put_change(struct quipu__cells *cells, int64_t before, int64_t after) {
    const bool is_shorter = after < before;
    const size_t column = cells->count;
    quipu__cells_put_ratio(cells, 100 * (uint64_t)(is_shorter ? before - after : after - before),
                           (uint64_t)before, 2);
    if (is_shorter && before != 0)
        cells->items[column].f = -cells->items[column].f;
}

static void put_cells(const struct quipu__network_replay *replay, const struct quipu__replay_totals *totals,
                      struct quipu__cells *cells) {
    const int64_t replayed = totals->ideal - (replay->is_measured ? replay->begin : 0);
    quipu__cells_put_i64(cells, totals->run_time);
    if (totals->has_ideal) {
        quipu__cells_put_i64(cells, replayed);
        put_change(cells, totals->run_time, replayed);
    }
    while (cells->count < 3)
        quipu__cells_put_null(cells);
    if (totals->has_ideal && replay->is_measured)
        put_change(cells, totals->run_time, replayed);
    else
        quipu__cells_put_null(cells);
    quipu__cells_put_u64(cells, replay->communication.messages.counts.matched);
    if (replay->is_measured)
        quipu__cells_put_u64(cells, replay->schedule.violations);
    else
        quipu__cells_put_null(cells);
}

static enum quipu_status finish(void *state, struct quipu_tables *list, struct quipu_error *err) {
    struct quipu__network_replay *replay = state;
    struct quipu_table *table;
    struct quipu__cells cells = quipu__cells_of(replay->definitions);
    quipu__communication_finish(&replay->communication);
    quipu__matching_note(&replay->communication, list);
    enum quipu_status status = quipu__memory_status(&replay->memory, err);
    if (status == QUIPU_OK)
        status = quipu__analysis_table_new(&tables[0], list, &table, err);
    const struct quipu__replay_totals totals = quipu__network_replay_totals(replay);
    if (status != QUIPU_OK)
        return status;
    put_cells(replay, &totals, &cells);
    return quipu_table_add(table, cells.items, err);
}

static const struct quipu_option options[] = {
    {.name = "network",
     .kind = QUIPU_OPTION_CHOICE,
     .argument = "measured|ideal",
     .default_value = "measured",
     .doc = "calls take what they took in the trace; or nothing, but for what they wait for"},
    {.name = "cpu-factor",
     .kind = QUIPU_OPTION_TEXT,
     .argument = "FACTOR",
     .doc = "with --network ideal: time outside of communication takes so much longer, or shorter below 1"},
};

const struct quipu__fold quipu__replay_fold = {
    .info = {.name = "replay",
             .doc = "show how long a program would run otherwise",
             .details =
                 "Replays the program: time outside of communication passes as in the trace, and a "
                 "communication call ends "
                 "when those have begun that it depends on. On an ideal network it takes no more time; that is "
                 "what a "
                 "faster network can gain at most. With --cpu-factor 0.5 processors are twice as fast.\n\n"
                 "As measured, a call takes besides what it took in the trace after that. So the run time "
                 "should come out "
                 "as it was: error_percent says how far what is known of causes explains it.",
             .examples =
                 "quipu replay run.trace --network ideal # what can a faster network gain?\n"
                 "quipu replay run.trace --network ideal --cpu-factor 0.5 # and processors twice as fast?",
             .options = options,
             .option_count = sizeof options / sizeof *options,
             .tables = tables,
             .table_count = 1,
             .empty_answer = "the trace has no events",
             .needs_everything = true},
    .kinds = QUIPU_ALL_KINDS,
    .order = QUIPU_ORDER_TIME,
    .begin = begin,
    .consume = quipu__network_replay_consume,
    .next_pass = quipu__network_replay_next_pass,
    .finish = finish,
    .release = quipu__network_replay_release,
};
