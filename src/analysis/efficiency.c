/* efficiency.c: how much of the time of all locations is useful, and what the rest is lost to: imbalance, serialisation, or
 * transfer. The run time on an ideal network comes from a replay (network_replay.h). */
#include "analysis/shared/answers.h"
#include "analysis/shared/cells.h"
#include "analysis/shared/fold.h"
#include "analysis/shared/matching_table.h"
#include "analysis/replay/network_replay.h"
#include "core/error.h"
#include "core/text.h"

#include <string.h>

/* ==== Several traces ====
 *
 * How the efficiency of a program changes with its number of processes: the answers of several traces against one of them.
 */

static const struct quipu_table_column scaling_columns[] = {
    {"trace", QUIPU_TYPE_TEXT, "", "name of the trace"},
#define EFFICIENCY_COLUMN(name, type, unit, doc) {#name, QUIPU_TYPE_##type, unit, doc},
#include "analysis/efficiency_columns.def"
#undef EFFICIENCY_COLUMN
    {"speedup", QUIPU_TYPE_F64, "", "run time of the reference of that of the trace"},
    {"computation_scaling", QUIPU_TYPE_F64, "",
     "useful time of the reference of that of the trace; with --weak of a process in the mean"},
    {"global_efficiency", QUIPU_TYPE_F64, "", "parallel_efficiency times computation_scaling"},
    {"instruction_scaling", QUIPU_TYPE_F64, "", "instructions of the reference of those of the trace"},
    {"ipc_scaling", QUIPU_TYPE_F64, "", "instructions per cycle, of those of the reference"},
    {"frequency_scaling", QUIPU_TYPE_F64, "", "cycles per useful time, of those of the reference"},
};
enum { COLUMN_COUNT = sizeof scaling_columns / sizeof *scaling_columns };
enum {
    OWN_COUNT = 0
#define EFFICIENCY_COLUMN(name, type, unit, doc) +1
#include "analysis/efficiency_columns.def"
#undef EFFICIENCY_COLUMN
};

/* What scaling is made from; 0: not known. */
struct measured {
    uint64_t processes, run_time, useful, instructions, cycles;
};

static const struct quipu_table *row_of(const struct quipu_tables *answer) {
    return quipu__answer_table(answer, "efficiency");
}

static uint64_t number(const struct quipu_tables *answer, const char *column) {
    return (uint64_t)quipu__answer_number(row_of(answer), 0, column);
}

static struct measured measured_of(const struct quipu_tables *answer) {
    return (struct measured){number(answer, "processes"), number(answer, "runtime_ns"),
                             number(answer, "useful_sum_ns"), number(answer, "instructions"),
                             number(answer, "cycles")};
}

/* Two numbers of 32 bits with the same ratio, or nearly when they are larger: then it differs in the tenth digit. */
static void shorten(uint64_t *a, uint64_t *b) {
    while ((*a | *b) > UINT32_MAX) {
        *a >>= 1;
        *b >>= 1;
    }
}

/* (a / b) / (c / d), of which a and c, and b and d, are alike. */
static void put_ratio_of_ratios(struct quipu__cells *cells, uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
    shorten(&a, &c);
    shorten(&d, &b);
    quipu__cells_put_ratio(cells, a * d, b * c, 6);
}

static void put_scaling(struct quipu__cells *cells, const struct measured *one,
                        const struct measured *reference, bool is_weak) {
    const bool has_useful = one->useful > 0;
    const uint64_t processes = is_weak ? reference->processes : one->processes;
    quipu__cells_put_ratio(cells, reference->run_time, one->run_time, 6);
    if (is_weak)
        put_ratio_of_ratios(cells, reference->useful, reference->processes, one->useful, one->processes);
    else
        quipu__cells_put_ratio(cells, reference->useful, one->useful, 6);
    quipu__cells_put_ratio(cells, reference->useful, has_useful ? processes * one->run_time : 0, 6);
    quipu__cells_put_ratio(cells, reference->instructions, one->instructions, 6);
    put_ratio_of_ratios(cells, one->instructions, one->cycles,
                        one->instructions > 0 ? reference->instructions : 0, reference->cycles);
    put_ratio_of_ratios(cells, one->cycles, one->useful, one->cycles > 0 ? reference->cycles : 0,
                        reference->useful);
}

/* Counters that the reference does not have tell nothing. */
static void clear_unknown(struct measured *one, const struct measured *reference) {
    if (one->instructions == 0 || reference->instructions == 0)
        one->instructions = 0;
    if (one->cycles == 0 || reference->cycles == 0)
        one->cycles = 0;
}

static enum quipu_status put_trace(const struct quipu_tables *answer, const char *name,
                                   const struct measured *reference, bool is_weak, struct quipu_table *table,
                                   struct quipu_error *err) {
    struct measured one = measured_of(answer);
    struct quipu__cells cells = quipu__cells_of(NULL);
    clear_unknown(&one, reference);
    quipu__cells_put_text(&cells, name);
    for (size_t i = 0; i < OWN_COUNT; i++)
        cells.items[cells.count++] = *quipu_table_at(row_of(answer), 0, i);
    put_scaling(&cells, &one, reference, is_weak);
    return quipu_table_add(table, cells.items, err);
}

/* The relate of the fold of efficiency. */
static enum quipu_status scaling_relate(const struct quipu_tables *const *answers, const char *const *names,
                                        size_t count, const struct quipu__settings *settings,
                                        struct quipu_tables *tables, struct quipu_error *err) {
    const char *text = quipu__settings_value(settings, "reference");
    uint64_t reference = 0;
    struct quipu_table *table;
    quipu__parse_u64(text, strlen(text), &reference);
    if (reference < 1 || reference > count)
        return quipu__fail(err, QUIPU_MISUSE,
                           "--reference takes a number from 1 to %zu, that of a trace, not %s", count, text);
    const struct measured measured = measured_of(answers[reference - 1]);
    const bool is_weak = quipu__settings_say_yes(settings, "weak");
    enum quipu_status status =
        quipu__tables_add(tables, "efficiency", scaling_columns, COLUMN_COUNT, &table, err);
    for (size_t i = 0; i < count && status == QUIPU_OK; i++)
        status = put_trace(answers[i], names[i], &measured, is_weak, table, err);
    return status;
}

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
    const struct quipu__network network = {.model = &quipu__ideal_network};
    struct quipu__network_replay *efficiency = NULL;
    const enum quipu_status status = quipu__network_replay_begin(start, &network, &efficiency, err);
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
    .relate = scaling_relate,
    .release = quipu__network_replay_release,
};
