/* efficiency.c: how much of the time of all locations is useful, and what the rest is lost to: imbalance, serialisation, or
 * transfer. The run time on an ideal network comes from a replay (network_replay.h). */
#include "analysis/shared/cells.h"
#include "analysis/shared/fold.h"
#include "analysis/shared/matching_table.h"
#include "analysis/replay/network_replay.h"
#include "analysis/shared/settings.h"
#include "core/error.h"
#include "core/text.h"

#include <string.h>

/* What is known of the efficiency of a trace. */
/* clang-format off */
#define EFFICIENCIES(COLUMN, table) \
    COLUMN(table, parallel_efficiency, F64, "", "useful time of the time of all locations") \
    COLUMN(table, load_balance, F64, "", "mean useful time of the largest") \
    COLUMN(table, communication_efficiency, F64, "", "largest useful time of the run time") \
    COLUMN(table, serialisation_efficiency, F64, "", "largest useful time of the run time on an ideal network") \
    COLUMN(table, transfer_efficiency, F64, "", "run time on an ideal network of the run time") \
    COLUMN(table, locations, U64, "", "locations with events: processes and threads") \
    COLUMN(table, roi_begin_ns, TIME, "ns", "beginning of the time that counts") \
    COLUMN(table, roi_end_ns, TIME, "ns", "end of it") \
    COLUMN(table, runtime_ns, I64, "ns", "its length") \
    COLUMN(table, useful_sum_ns, I64, "ns", "time outside of communication, I/O and runtime, of all locations") \
    COLUMN(table, useful_max_ns, I64, "ns", "the largest of a location") \
    COLUMN(table, ideal_runtime_ns, I64, "ns", "run time on a network that takes no time; null when calls wait in a circle") \
    COLUMN(table, load_balance_additive, F64, "", "1 without what imbalance costs") \
    COLUMN(table, serialisation_additive, F64, "", "1 without what waiting costs on an ideal network") \
    COLUMN(table, transfer_additive, F64, "", "1 without what the network costs") \
    COLUMN(table, instructions, U64, "", "instructions in useful time, where a counter of that name counts them") \
    COLUMN(table, cycles, U64, "", "cycles of the processors in it, likewise")
#define EFFICIENCY_TABLES(TABLE, COLUMN, END) \
    TABLE(EFFICIENCY, "efficiency", "the efficiencies of a trace") EFFICIENCIES(COLUMN, EFFICIENCY) END(EFFICIENCY)
#define SCALING_TABLES(TABLE, COLUMN, END) \
    TABLE(SCALING, "efficiency", "a row per trace") \
    COLUMN(SCALING, trace, TEXT, "", "name of the trace") \
    EFFICIENCIES(COLUMN, SCALING) \
    COLUMN(SCALING, speedup, F64, "", "run time of the reference of that of the trace") \
    COLUMN(SCALING, computation_scaling, F64, "", "useful time of the reference of that of the trace; with --weak of a process in the mean") \
    COLUMN(SCALING, global_efficiency, F64, "", "parallel_efficiency times computation_scaling") \
    COLUMN(SCALING, instruction_scaling, F64, "", "instructions of the reference of those of the trace") \
    COLUMN(SCALING, ipc_scaling, F64, "", "instructions per cycle, of those of the reference") \
    COLUMN(SCALING, frequency_scaling, F64, "", "cycles per useful time, of those of the reference") \
    END(SCALING)
/* clang-format on */
QUIPU__TABLES(EFFICIENCY_TABLES)
QUIPU__TABLES(SCALING_TABLES)
static const struct quipu_analysis_table efficiency_tables[] = {QUIPU__SHAPES(EFFICIENCY_TABLES)},
                                         scaling_tables[] = {QUIPU__SHAPES(SCALING_TABLES)};

/* ==== Several traces ====
 *
 * How the efficiency of a program changes with its number of processes: the answers of several traces against one of them.
 */

/* What scaling is made from; 0: not known. */
struct measured {
    uint64_t locations, run_time, useful, instructions, cycles;
};

static const struct quipu_table *row_of(const struct quipu_tables *answer) {
    return quipu__answer_table(answer, "efficiency");
}

static uint64_t number(const struct quipu_tables *answer, const char *column) {
    return (uint64_t)quipu__answer_number(row_of(answer), 0, column);
}

static struct measured measured_of(const struct quipu_tables *answer) {
    return (struct measured){number(answer, "locations"), number(answer, "runtime_ns"),
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
static void put_ratio_of_ratios(struct quipu_table *table, size_t column, uint64_t a, uint64_t b, uint64_t c,
                                uint64_t d) {
    shorten(&a, &c);
    shorten(&d, &b);
    quipu__table_put_ratio(table, column, a * d, b * c, 6);
}

static void put_scaling(struct quipu_table *table, const struct measured *one, const struct measured *reference,
                        bool is_weak) {
    const bool has_useful = one->useful > 0;
    const uint64_t locations = is_weak ? reference->locations : one->locations;
    quipu__table_put_ratio(table, SCALING_speedup, reference->run_time, one->run_time, 6);
    if (is_weak)
        put_ratio_of_ratios(table, SCALING_computation_scaling, reference->useful, reference->locations,
                            one->useful, one->locations);
    else
        quipu__table_put_ratio(table, SCALING_computation_scaling, reference->useful, one->useful, 6);
    quipu__table_put_ratio(table, SCALING_global_efficiency, reference->useful,
                           has_useful ? locations * one->run_time : 0, 6);
    quipu__table_put_ratio(table, SCALING_instruction_scaling, reference->instructions, one->instructions, 6);
    put_ratio_of_ratios(table, SCALING_ipc_scaling, one->instructions, one->cycles,
                        one->instructions > 0 ? reference->instructions : 0, reference->cycles);
    put_ratio_of_ratios(table, SCALING_frequency_scaling, one->cycles, one->useful,
                        one->cycles > 0 ? reference->cycles : 0, reference->useful);
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
    clear_unknown(&one, reference);
    quipu__table_put_text(table, SCALING_trace, name);
    for (size_t i = 0; i < EFFICIENCY_COLUMNS; i++)
        quipu__table_put_cell(table, SCALING_trace + 1 + i, EFFICIENCY_columns[i].type,
                              *quipu_table_at(row_of(answer), 0, i));
    put_scaling(table, &one, reference, is_weak);
    return quipu__table_end_row(table, err);
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
    enum quipu_status status = quipu__tables_add(tables, &scaling_tables[SCALING], &table, err);
    for (size_t i = 0; i < count && status == QUIPU_OK; i++)
        status = put_trace(answers[i], names[i], &measured, is_weak, table, err);
    return status;
}

/* Null where there is no run time on an ideal network. */
static void put_of_ideal(const struct quipu__replay_totals *totals, int64_t a, int64_t b,
                         struct quipu_table *table, size_t column) {
    const bool is_known = totals->has_ideal && a >= 0;
    quipu__table_put_ratio(table, column, is_known ? (uint64_t)a : 0, is_known ? (uint64_t)b : 0, 6);
}

static void put_counter(const struct quipu__useful_counters *counters, enum quipu__useful_counter counter,
                        struct quipu_table *table, size_t column) {
    quipu__table_put_u64_if(table, column, counters->metrics[counter] != QUIPU_NONE, counters->totals[counter]);
}

/* By how many bits times are shortened for their products with the number of locations to fit; six digits do not show it. */
static unsigned shift_of(const struct quipu__replay_totals *totals) {
    const int64_t longest = totals->run_time > totals->most ? totals->run_time : totals->most;
    unsigned shift = 0;
    while (totals->locations > 0 && (uint64_t)longest >> shift > (uint64_t)INT64_MAX / totals->locations)
        shift++;
    return shift;
}

static enum quipu_status put_row(const struct quipu__network_replay *efficiency,
                                 const struct quipu__replay_totals *totals, struct quipu_table *table,
                                 struct quipu_error *err) {
    const unsigned shift = shift_of(totals);
    const uint64_t count = totals->locations, run_time = (uint64_t)totals->run_time >> shift,
                   most = (uint64_t)totals->most >> shift,
                   useful = quipu__network_replay_useful(efficiency, shift);
    quipu__table_put_ratio(table, EFFICIENCY_parallel_efficiency, useful, count * run_time, 6);
    quipu__table_put_ratio(table, EFFICIENCY_load_balance, useful, count * most, 6);
    quipu__table_put_ratio(table, EFFICIENCY_communication_efficiency, (uint64_t)totals->most,
                           (uint64_t)totals->run_time, 6);
    put_of_ideal(totals, totals->most, totals->ideal, table, EFFICIENCY_serialisation_efficiency);
    put_of_ideal(totals, totals->ideal, totals->run_time, table, EFFICIENCY_transfer_efficiency);
    quipu__table_put_u64(table, EFFICIENCY_locations, count);
    quipu__table_put_time(table, EFFICIENCY_roi_begin_ns, efficiency->begin);
    quipu__table_put_time(table, EFFICIENCY_roi_end_ns, efficiency->end);
    quipu__table_put_i64(table, EFFICIENCY_runtime_ns, totals->run_time);
    quipu__table_put_i64_if(table, EFFICIENCY_useful_sum_ns, totals->useful < INT64_MAX, totals->useful);
    quipu__table_put_i64(table, EFFICIENCY_useful_max_ns, totals->most);
    quipu__table_put_i64_if(table, EFFICIENCY_ideal_runtime_ns, totals->has_ideal, totals->ideal);
    quipu__table_put_ratio(table, EFFICIENCY_load_balance_additive, count * run_time - (count * most - useful),
                           count * run_time, 6);
    put_of_ideal(totals, totals->run_time - (totals->ideal - totals->most), totals->run_time, table,
                 EFFICIENCY_serialisation_additive);
    put_of_ideal(totals, totals->ideal, totals->run_time, table, EFFICIENCY_transfer_additive);
    put_counter(&efficiency->counters, QUIPU__INSTRUCTIONS, table, EFFICIENCY_instructions);
    put_counter(&efficiency->counters, QUIPU__CYCLES, table, EFFICIENCY_cycles);
    return quipu__table_end_row(table, err);
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
    quipu__communication_finish(&efficiency->communication);
    const enum quipu_status status =
        quipu__matched_tables_new(&efficiency->communication, efficiency_tables, 1, list, &table, err);
    if (status != QUIPU_OK)
        return status;
    const struct quipu__replay_totals totals = quipu__network_replay_totals(efficiency);
    note_clocks(&totals, list);
    return put_row(efficiency, &totals, table, err);
}

static enum quipu_status begin(const struct quipu__fold_start *start, void **state, struct quipu_error *err) {
    const struct quipu__network network = {.model = &quipu__ideal_network};
    struct quipu__network_replay *efficiency = NULL;
    const enum quipu_status status = quipu__network_replay_begin(start, &network, &efficiency, err);
    *state = efficiency;
    if (status != QUIPU_OK)
        return status;
    quipu__useful_counters_find(&efficiency->counters);
    return QUIPU_OK;
}

static const struct quipu_option options[] = {
    QUIPU__REPORTED_OPTIONS,
    QUIPU__EAGER_LIMIT_OPTION,
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
             "network that takes no time, though synchronous sends still wait for their receivers "
             "(--eager-limit says which sends may be "
             "so), and transfer_efficiency, what the network leaves. The latter two "
             "make up "
             "communication_efficiency. The additive ones split the loss in sums.\n\n"
             "The time counts from the first process that has left MPI_Init to the last one that comes to "
             "MPI_Finalize, "
             "where all have both and neither --since, --until nor --roi says another one. With --location, "
             "--processes "
             "and --where the locations that count are these; the ideal network is that of all. Values above 1 "
             "come from clocks that differ: see quipu clock.\n\n"
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
         .tables = efficiency_tables,
         .table_count = 1,
         .empty_answer = "the trace has no events",
         .needs_everything = true,
         .relates = true},
    .kinds = QUIPU_ALL_KINDS,
    .is_selective = true,
    .order = QUIPU_ORDER_WINDOWS,
    .begin = begin,
    .consume = quipu__network_replay_consume,
    .leave_out = quipu__network_replay_leave_out,
    .next_pass = quipu__network_replay_next_pass,
    .finish = finish,
    .relate = scaling_relate,
    .release = quipu__network_replay_release,
};
