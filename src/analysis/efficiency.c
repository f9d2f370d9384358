/* efficiency.c: how much of the time of all locations is useful, and what the rest is lost to: imbalance, serialisation, or
 * transfer. The run time on an ideal network comes from a replay (network_replay.h). */
#include "analysis/cells.h"
#include "analysis/matching_table.h"
#include "analysis/network_replay.h"
#include "core/error.h"

static const struct quipu_table_column columns[] = {
    {"parallel_efficiency", QUIPU_TYPE_F64, "", "useful time of the time of all locations"},
    {"load_balance", QUIPU_TYPE_F64, "", "mean useful time of the largest"},
    {"communication_efficiency", QUIPU_TYPE_F64, "", "largest useful time of the run time"},
    {"serialisation_efficiency", QUIPU_TYPE_F64, "", "largest useful time of the run time on an ideal network"},
    {"transfer_efficiency", QUIPU_TYPE_F64, "", "run time on an ideal network of the run time"},
    {"processes", QUIPU_TYPE_U64, "", "locations with events"},
    {"roi_begin_ns", QUIPU_TYPE_I64, "ns", "beginning of the time that counts"},
    {"roi_end_ns", QUIPU_TYPE_I64, "ns", "end of it"},
    {"runtime_ns", QUIPU_TYPE_I64, "ns", "its length"},
    {"useful_sum_ns", QUIPU_TYPE_I64, "ns", "time outside of communication, I/O and runtime, of all locations"},
    {"useful_max_ns", QUIPU_TYPE_I64, "ns", "the largest of a location"},
    {"ideal_runtime_ns", QUIPU_TYPE_I64, "ns",
     "run time on a network that takes no time; null when calls wait in a circle"},
    {"load_balance_additive", QUIPU_TYPE_F64, "", "1 without what imbalance costs"},
    {"serialisation_additive", QUIPU_TYPE_F64, "", "1 without what waiting costs on an ideal network"},
    {"transfer_additive", QUIPU_TYPE_F64, "", "1 without what the network costs"},
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

static void put_cells(const struct quipu__network_replay *efficiency, const struct quipu__replay_totals *totals,
                      struct quipu__cells *cells) {
    const uint64_t count = totals->locations, run_time = (uint64_t)totals->run_time,
                   useful = (uint64_t)totals->useful, most = (uint64_t)totals->most;
    quipu__cells_put_ratio(cells, useful, count * run_time, 6);
    quipu__cells_put_ratio(cells, useful, count * most, 6);
    quipu__cells_put_ratio(cells, most, run_time, 6);
    put_of_ideal(cells, totals, totals->most, totals->ideal);
    put_of_ideal(cells, totals, totals->ideal, totals->run_time);
    quipu__cells_put_u64(cells, count);
    const int64_t times[] = {efficiency->begin, efficiency->end, totals->run_time, totals->useful,
                             totals->most};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        quipu__cells_put_i64(cells, times[i]);
    if (totals->has_ideal)
        quipu__cells_put_i64(cells, totals->ideal);
    else
        quipu__cells_put_null(cells);
    quipu__cells_put_ratio(cells, count * run_time - (count * most - useful), count * run_time, 6);
    put_of_ideal(cells, totals, totals->run_time - (totals->ideal - totals->most), totals->run_time);
    put_of_ideal(cells, totals, totals->ideal, totals->run_time);
}

static enum quipu_status finish(void *state, struct quipu_tables *list, struct quipu_error *err) {
    struct quipu__network_replay *efficiency = state;
    struct quipu_table *table;
    struct quipu__cells cells = quipu__cells_of(efficiency->definitions);
    quipu__communication_finish(&efficiency->communication);
    quipu__matching_note(&efficiency->communication, list);
    enum quipu_status status = quipu__memory_status(&efficiency->memory, err);
    if (status == QUIPU_OK)
        status = quipu__analysis_table_new(&tables[0], list, &table, err);
    const struct quipu__replay_totals totals = quipu__network_replay_totals(efficiency);
    if (status != QUIPU_OK)
        return status;
    put_cells(efficiency, &totals, &cells);
    return quipu_table_add(table, cells.items, err);
}

static enum quipu_status begin(const struct quipu__fold_start *start, void **state, struct quipu_error *err) {
    struct quipu__network_replay *efficiency = NULL;
    const enum quipu_status status = quipu__network_replay_begin(start, false, &efficiency, err);
    *state = efficiency;
    return status == QUIPU_OK
               ? quipu__network_replay_set_roi(efficiency, quipu__settings_value(&start->settings, "roi"), err)
               : status;
}

static const struct quipu_option options[] = {
    {.name = "roi",
     .kind = QUIPU_OPTION_TEXT,
     .argument = "all|REGION",
     .doc = "the time that counts: that of the whole trace, or from the first enter to the last leave of a "
            "region"},
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
             "from clocks that differ: see quipu clock.",
         .examples = "quipu efficiency run.trace # what is the time lost to?\n"
                     "quipu efficiency run.trace --roi solve # while solving",
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
