/* efficiency.c: how much of the time of all locations is useful, and what the rest is lost to: imbalance, serialisation, or
 * transfer. The run time on an ideal network comes from a replay (network_replay.h). */
#include "analysis/cells.h"
#include "analysis/matching_table.h"
#include "analysis/network_replay.h"
#include "analysis/scaling.h"
#include "core/error.h"

static const struct quipu_table_column columns[] = {
#define EFFICIENCY_COLUMN(name, type, unit, doc) {#name, QUIPU_TYPE_##type, unit, doc},
#include "analysis/efficiency_columns.def"
#undef EFFICIENCY_COLUMN
};
static const struct quipu_analysis_table tables[] = {
    {"efficiency", "the efficiencies of a trace", columns, sizeof columns / sizeof *columns}};

static void put_of_ideal(struct quipu__cells *cells, const struct quipu__replay_totals *totals, int64_t a,
                         int64_t b) {
    if (totals->has_ideal && a >= 0)
        quipu__cells_put_ratio(cells, (uint64_t)a, (uint64_t)b, 6);
    else
        quipu__cells_put_null(cells);
}

static void put_counter(const struct quipu__useful_counters *counters, int counter,
                        struct quipu__cells *cells) {
    if (counters->metrics[counter] == QUIPU_NONE)
        quipu__cells_put_null(cells);
    else
        quipu__cells_put_u64(cells, counters->totals[counter]);
}

/* By how many bits times are shortened for their products with the number of locations to fit; six digits do not show it. */
static unsigned shift_of(const struct quipu__replay_totals *totals) {
    const int64_t longest = totals->run_time > totals->most ? totals->run_time : totals->most;
    unsigned shift = 0;
    while (totals->locations > 0 && (uint64_t)longest >> shift > (uint64_t)INT64_MAX / totals->locations)
        shift++;
    return shift;
}

/* One that is no number of 64 bits is null. */
static void put_total(struct quipu__cells *cells, int64_t total) {
    if (total == INT64_MAX)
        quipu__cells_put_null(cells);
    else
        quipu__cells_put_i64(cells, total);
}

static void put_cells(const struct quipu__network_replay *efficiency, const struct quipu__replay_totals *totals,
                      struct quipu__cells *cells) {
    const unsigned shift = shift_of(totals);
    const uint64_t count = totals->locations, run_time = (uint64_t)totals->run_time >> shift,
                   most = (uint64_t)totals->most >> shift,
                   useful = quipu__network_replay_useful(efficiency, shift);
    quipu__cells_put_ratio(cells, useful, count * run_time, 6);
    quipu__cells_put_ratio(cells, useful, count * most, 6);
    quipu__cells_put_ratio(cells, (uint64_t)totals->most, (uint64_t)totals->run_time, 6);
    put_of_ideal(cells, totals, totals->most, totals->ideal);
    put_of_ideal(cells, totals, totals->ideal, totals->run_time);
    quipu__cells_put_u64(cells, count);
    quipu__cells_put_i64(cells, efficiency->begin);
    quipu__cells_put_i64(cells, efficiency->end);
    quipu__cells_put_i64(cells, totals->run_time);
    put_total(cells, totals->useful);
    quipu__cells_put_i64(cells, totals->most);
    if (totals->has_ideal)
        quipu__cells_put_i64(cells, totals->ideal);
    else
        quipu__cells_put_null(cells);
    quipu__cells_put_ratio(cells, count * run_time - (count * most - useful), count * run_time, 6);
    put_of_ideal(cells, totals, totals->run_time - (totals->ideal - totals->most), totals->run_time);
    put_of_ideal(cells, totals, totals->ideal, totals->run_time);
    for (int counter = 0; counter < QUIPU__USEFUL_COUNTERS; counter++)
        put_counter(&efficiency->counters, counter, cells);
}

static void note_clocks(const struct quipu__replay_totals *totals, struct quipu_tables *list) {
    if (totals->has_ideal && (totals->ideal > totals->run_time || totals->most > totals->ideal))
        quipu__tables_note_add(list, "an efficiency is above 1: clocks differ, see quipu clock");
    if (totals->useful == INT64_MAX)
        quipu__tables_note_add(list, "the useful time of all locations is no number of 64 bits, and null");
}

static enum quipu_status finish(void *state, struct quipu_tables *list, struct quipu_error *err) {
    struct quipu__network_replay *efficiency = state;
    struct quipu_table *table;
    struct quipu__cells cells = quipu__cells_of(efficiency->definitions);
    quipu__communication_finish(&efficiency->communication);
    const enum quipu_status status =
        quipu__matched_tables_new(&efficiency->communication, tables, 1, list, &table, err);
    if (status != QUIPU_OK)
        return status;
    const struct quipu__replay_totals totals = quipu__network_replay_totals(efficiency);
    note_clocks(&totals, list);
    put_cells(efficiency, &totals, &cells);
    return quipu_table_add(table, cells.items, err);
}

static enum quipu_status begin(const struct quipu__fold_start *start, void **state, struct quipu_error *err) {
    struct quipu__network_replay *efficiency = NULL;
    const enum quipu_status status = quipu__network_replay_begin(start, false, &efficiency, err);
    *state = efficiency;
    if (status != QUIPU_OK)
        return status;
    quipu__useful_counters_find(&efficiency->counters);
    const enum quipu_status window = quipu__network_replay_set_window(efficiency, start, err);
    return window == QUIPU_OK
               ? quipu__network_replay_set_roi(efficiency, quipu__settings_value(&start->settings, "roi"), err)
               : window;
}

static const struct quipu_option options[] = {
    {.name = "roi",
     .kind = QUIPU_OPTION_TEXT,
     .argument = "all|REGION",
     .doc = "the time that counts: that of the whole trace, or from the first enter to the last leave of a "
            "region"},
    {.name = "since",
     .kind = QUIPU_OPTION_TIME,
     .argument = "TIME",
     .doc = "the time from then on counts, all of it, also outside of MPI_Init and MPI_Finalize"},
    {.name = "until", .kind = QUIPU_OPTION_TIME, .argument = "TIME|end", .doc = "the time before that counts"},
    {.name = "reference",
     .kind = QUIPU_OPTION_NUMBER,
     .argument = "N",
     .default_value = "1",
     .relates = true,
     .doc = "the trace that others are compared with, by its place among them"},
    {.name = "weak",
     .kind = QUIPU_OPTION_FLAG,
     .argument = "",
     .relates = true,
     .doc = "of several traces: each process has the same work, however many there are; otherwise all have it "
            "together"},
};

const struct quipu__fold quipu__efficiency_fold = {
    .info =
        {.name = "efficiency",
         .doc = "show how efficiently a program runs in parallel",
         .details =
             "Shows which share of the time of all locations is useful, that is outside of communication, I/O "
             "and "
             "runtime systems, and what the rest is lost to. parallel_efficiency is the product of "
             "load_balance, "
             "what uneven work leaves, serialisation_efficiency, what waiting for each other leaves even on a "
             "network that takes no time, and transfer_efficiency, what the network leaves. The latter two "
             "make up "
             "communication_efficiency. The additive ones split the loss in sums.\n\n"
             "The time between MPI_Init and MPI_Finalize counts, where all processes have both. Values above 1 "
             "come "
             "from clocks that differ: see quipu clock.\n\n"
             "Of several traces each has a row, and is compared with the first one: speedup is what its run "
             "time has "
             "become shorter by, computation_scaling by how much less useful time it takes (or, with --weak, a "
             "process of it), "
             "and global_efficiency the product of that and parallel_efficiency. Where counters called "
             "instructions and "
             "cycles count, instruction_scaling, ipc_scaling and frequency_scaling say what "
             "computation_scaling comes from.",
         .examples = "quipu efficiency run.trace # what is the time lost to?\n"
                     "quipu efficiency run.trace --roi solve # while solving\n"
                     "quipu efficiency run.trace --since 2s --until 3s # in that second\n"
                     "quipu efficiency 4.trace 8.trace 16.trace # how does it scale?",
         .options = options,
         .option_count = sizeof options / sizeof *options,
         .tables = tables,
         .table_count = 1,
         .empty_answer = "the trace has no events",
         .needs_everything = true,
         .relates = true},
    .kinds = QUIPU_ALL_KINDS,
    .order = QUIPU_ORDER_WINDOWS,
    .begin = begin,
    .consume = quipu__network_replay_consume,
    .leave_out = quipu__network_replay_leave_out,
    .next_pass = quipu__network_replay_next_pass,
    .finish = finish,
    .relate = quipu__scaling_relate,
    .release = quipu__network_replay_release,
};
