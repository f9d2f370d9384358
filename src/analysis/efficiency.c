/* efficiency.c: how much of the time of all locations is useful, and what the rest is lost to: imbalance, serialisation, or
 * transfer; of all of it, or of sections of time: bins, or what the analysis phases finds to be repeated. The run time on an ideal network comes
 * from a replay (network_replay.h). */
#include "analysis/shared/cells.h"
#include "analysis/shared/fold.h"
#include "analysis/shared/matching_table.h"
#include "analysis/replay/network_replay.h"
#include "analysis/shared/settings.h"
#include "core/error.h"
#include "core/memory/sort.h"
#include "core/text.h"

#include <string.h>

/* What is known of the efficiency of a trace. */
/* clang-format off */
#define FACTORS(COLUMN, table) \
    COLUMN(table, parallel_efficiency, F64, "", "useful time of the time of all locations") \
    COLUMN(table, load_balance, F64, "", "mean useful time of the largest") \
    COLUMN(table, communication_efficiency, F64, "", "largest useful time of the run time") \
    COLUMN(table, serialisation_efficiency, F64, "", "largest useful time of the run time on an ideal network") \
    COLUMN(table, transfer_efficiency, F64, "", "run time on an ideal network of the run time")
#define TIMES(COLUMN, table) \
    COLUMN(table, runtime_ns, I64, "ns", "its length") \
    COLUMN(table, useful_sum_ns, I64, "ns", "time outside of communication, I/O and runtime, of all locations") \
    COLUMN(table, useful_max_ns, I64, "ns", "the largest of a location") \
    COLUMN(table, ideal_runtime_ns, I64, "ns", "run time on a network that takes no time; null when calls wait in a circle") \
    COLUMN(table, load_balance_additive, F64, "", "1 without what imbalance costs") \
    COLUMN(table, serialisation_additive, F64, "", "1 without what waiting costs on an ideal network") \
    COLUMN(table, transfer_additive, F64, "", "1 without what the network costs")
#define EFFICIENCIES(COLUMN, table) \
    FACTORS(COLUMN, table) \
    COLUMN(table, locations, U64, "", "locations with events: processes and threads") \
    COLUMN(table, roi_begin_ns, TIME, "ns", "beginning of the time that counts") \
    COLUMN(table, roi_end_ns, TIME, "ns", "end of it") \
    TIMES(COLUMN, table) \
    COLUMN(table, instructions, U64, "", "instructions in useful time, where a counter of that name counts them") \
    COLUMN(table, cycles, U64, "", "cycles of the processors in it, likewise")
#define EFFICIENCY_TABLES(TABLE, COLUMN, END) \
    TABLE(EFFICIENCY, "efficiency", "the efficiencies of a trace") EFFICIENCIES(COLUMN, EFFICIENCY) END(EFFICIENCY) \
    TABLE(BINS, "efficiency_bins", "with --over time: the efficiencies in each bin") \
    COLUMN(BINS, bin, U64, "", "number of the bin, from 0") \
    SECTION(COLUMN, BINS) \
    END(BINS) \
    TABLE(ITERATIONS, "efficiency_iterations", "with --over phase: the efficiencies in each iteration of what is repeated") \
    COLUMN(ITERATIONS, phase, U64, "", "number of the phase, as quipu phases counts") \
    COLUMN(ITERATIONS, iteration, U64, "", "number of the iteration in it") \
    SECTION(COLUMN, ITERATIONS) \
    END(ITERATIONS)
#define SECTION(COLUMN, table) \
    COLUMN(table, from_ns, TIME, "ns", "where it begins") \
    COLUMN(table, to_ns, TIME, "ns", "where it ends") \
    FACTORS(COLUMN, table) \
    TIMES(COLUMN, table)
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
    if (quipu__settings_value(settings, "over"))
        return quipu__fail(err, QUIPU_MISUSE, "--over shows one trace");
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

/* ==== One trace ==== */

/* Columns of a section: of the factors, behind parallel_efficiency; of the times, behind runtime_ns. */
enum { LOAD_BALANCE = 1, COMMUNICATION, SERIALISATION, TRANSFER, FACTOR_COUNT };
enum { USEFUL_SUM = 1, USEFUL_MAX, IDEAL, LOAD_BALANCE_ADDITIVE, SERIALISATION_ADDITIVE, TRANSFER_ADDITIVE };

/* Null where there is no run time on an ideal network. */
static void put_of_ideal(const struct quipu__replay_totals *totals, int64_t a, int64_t b,
                         struct quipu_table *table, size_t column) {
    const bool is_known = totals->has_ideal && a >= 0;
    quipu__table_put_ratio(table, column, is_known ? (uint64_t)a : 0, is_known ? (uint64_t)b : 0, 6);
}

static void put_counter(const struct quipu__useful_counters *counters, enum quipu__useful_counter counter,
                        struct quipu_table *table, size_t column) {
    quipu__table_put_u64_if(table, column, counters->metrics[counter] != QUIPU_NONE,
                            counters->totals[counter].whole);
}

/* By how many bits times are shortened for their products with the number of locations to fit; six digits do not show it. */
static unsigned shift_of(const struct quipu__replay_totals *totals) {
    const int64_t longest = totals->run_time > totals->most ? totals->run_time : totals->most;
    unsigned shift = 0;
    while (totals->locations > 0 && (uint64_t)longest >> shift > (uint64_t)INT64_MAX / totals->locations)
        shift++;
    return shift;
}

/* The columns from parallel_efficiency, and from runtime_ns on. */
static void put_section(const struct quipu__replay_totals *totals, struct quipu_table *table, size_t factors,
                        size_t times) {
    const unsigned shift = shift_of(totals);
    const uint64_t count = totals->locations, run_time = (uint64_t)totals->run_time >> shift,
                   most = (uint64_t)totals->most >> shift,
                   useful = quipu__time_total_shifted(&totals->useful, shift);
    const int64_t useful_total = quipu__time_total_bounded(&totals->useful);
    quipu__table_put_ratio(table, factors, useful, count * run_time, 6);
    quipu__table_put_ratio(table, factors + LOAD_BALANCE, useful, count * most, 6);
    quipu__table_put_ratio(table, factors + COMMUNICATION, (uint64_t)totals->most, (uint64_t)totals->run_time,
                           6);
    put_of_ideal(totals, totals->most, totals->ideal, table, factors + SERIALISATION);
    put_of_ideal(totals, totals->ideal, totals->run_time, table, factors + TRANSFER);
    quipu__table_put_i64(table, times, totals->run_time);
    quipu__table_put_i64_if(table, times + USEFUL_SUM, useful_total < INT64_MAX, useful_total);
    quipu__table_put_i64(table, times + USEFUL_MAX, totals->most);
    quipu__table_put_i64_if(table, times + IDEAL, totals->has_ideal, totals->ideal);
    quipu__table_put_ratio(table, times + LOAD_BALANCE_ADDITIVE, count * run_time - (count * most - useful),
                           count * run_time, 6);
    put_of_ideal(
        totals,
        quipu__bounded_difference(totals->run_time, quipu__bounded_difference(totals->ideal, totals->most)),
        totals->run_time, table, times + SERIALISATION_ADDITIVE);
    put_of_ideal(totals, totals->ideal, totals->run_time, table, times + TRANSFER_ADDITIVE);
}

static enum quipu_status put_row(const struct quipu__network_replay *replay,
                                 const struct quipu__replay_totals *totals, struct quipu_table *table,
                                 struct quipu_error *err) {
    put_section(totals, table, EFFICIENCY_parallel_efficiency, EFFICIENCY_runtime_ns);
    quipu__table_put_u64(table, EFFICIENCY_locations, totals->locations);
    quipu__table_put_time(table, EFFICIENCY_roi_begin_ns, totals->begin);
    quipu__table_put_time(table, EFFICIENCY_roi_end_ns, totals->end);
    put_counter(&replay->counters, QUIPU__INSTRUCTIONS, table, EFFICIENCY_instructions);
    put_counter(&replay->counters, QUIPU__CYCLES, table, EFFICIENCY_cycles);
    return quipu__table_end_row(table, err);
}

/* What is to be said of figures, each of which has a bit. */
enum { ABOVE_1 = 1, TOO_LARGE = 2, IN_A_CIRCLE = 4 };

static unsigned remarks_on(const struct quipu__replay_totals *totals) {
    const bool is_above =
        totals->has_ideal && (totals->ideal > totals->run_time || totals->most > totals->ideal);
    return (is_above ? ABOVE_1 : 0u) | (totals->has_ideal ? 0u : IN_A_CIRCLE) |
           (quipu__time_total_bounded(&totals->useful) == INT64_MAX ? TOO_LARGE : 0u);
}

static void note_remarks(unsigned remarks, struct quipu_tables *list) {
    if (remarks & ABOVE_1)
        quipu__tables_note_add(list, "an efficiency is above 1: clocks differ, see quipu clock");
    if (remarks & IN_A_CIRCLE)
        quipu__tables_note_add(
            list, "calls wait for each other in a circle: serialisation and transfer cannot be told apart");
    if (remarks & TOO_LARGE)
        quipu__tables_note_add(list, "the useful time of all locations is no number of 64 bits, and null");
}

/* ==== Sections ====
 *
 * Those that do not overlap are replayed in one reading: all bins, the iterations of phases behind each other. Inner phases take another one.
 */

struct section {
    uint64_t phase, number; /* of a bin: the number */
    struct quipu__replay_totals totals;
    uint32_t of_replay; /* its number in the reading at hand; QUIPU_NONE: no time passes in it */
    bool is_at_hand, is_done;
};

/* By when sections begin, the longer of equals first. */
struct slot {
    int64_t from, to;
    size_t section;
};

struct efficiency {
    struct quipu__memory memory;
    struct quipu__network_replay *replay;
    const struct quipu_tables *asked; /* the phases */
    bool has_bins, has_sections;      /* has_bins: until they are cut */
    uint32_t bins;
    QUIPU__VEC(struct section) sections;
    QUIPU__VEC(struct slot) order;
    QUIPU__VEC(int64_t) cuts; /* of the reading at hand */
};

static struct section *add_section(struct efficiency *efficiency, uint64_t phase, uint64_t number, int64_t from,
                                   int64_t to) {
    struct slot *slot = QUIPU__VEC_ADD(&efficiency->memory, &efficiency->order);
    struct section *section = slot ? QUIPU__VEC_ADD(&efficiency->memory, &efficiency->sections) : NULL;
    if (!section)
        return NULL;
    *slot = (struct slot){from, to, efficiency->sections.count - 1};
    *section = (struct section){phase, number, {.begin = from, .end = to}, QUIPU_NONE, false, false};
    return section;
}

/* Bins of what counts: nothing is cut at both of its ends, so the last instant belongs to the last bin. */
static bool cut_bins(struct efficiency *efficiency) {
    const struct quipu__window counted = efficiency->replay->counted;
    const uint64_t length = (uint64_t)counted.to - (uint64_t)counted.from;
    const uint32_t most = length < efficiency->bins ? (uint32_t)length : efficiency->bins,
                   bins = most > 0 ? most : 1;
    for (uint32_t i = 0; i < bins; i++) {
        const int64_t from = quipu__bin_start(counted.from, length, bins, i),
                      to = quipu__bin_start(counted.from, length, bins, (uint64_t)i + 1);
        struct section *section = add_section(efficiency, 0, i, from, to);
        int64_t *cut = i > 0 ? QUIPU__VEC_ADD(&efficiency->memory, &efficiency->cuts) : NULL;
        if (!section || (!cut && i > 0))
            return false;
        section->of_replay = i;
        section->is_at_hand = true;
        if (cut)
            *cut = from;
    }
    return quipu__network_replay_cut(efficiency->replay, efficiency->cuts.items, efficiency->cuts.count);
}

/* Iterations as the analysis phases gives them. */
static bool add_iterations(struct efficiency *efficiency, const char *name) {
    const struct quipu_table *table = quipu__answer_table(efficiency->asked, name);
    for (size_t i = 0; table && i < quipu_table_row_count(table); i++) {
        const int64_t from = quipu__answer_number(table, i, "from_ns"),
                      length = quipu__answer_number(table, i, "length_ns");
        if (!add_section(efficiency, (uint64_t)quipu__answer_number(table, i, "phase"),
                         (uint64_t)quipu__answer_number(table, i, "iteration"), from, from + length))
            return false;
    }
    return true;
}

static int compare_slots(const void *a, const void *b) {
    const struct slot *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to < y->to) - (x->to > y->to);
}

static bool add_cut(struct efficiency *efficiency, int64_t time) {
    const size_t count = efficiency->cuts.count;
    if (count > 0 && efficiency->cuts.items[count - 1] == time)
        return true;
    int64_t *cut = QUIPU__VEC_ADD(&efficiency->memory, &efficiency->cuts);
    if (cut)
        *cut = time;
    return cut != NULL;
}

/* Takes for the next reading what begins behind the section before. False when memory is out, or nothing is left. */
static bool cut_iterations(struct efficiency *efficiency) {
    bool has_memory = true, has_any = false;
    efficiency->cuts.count = 0;
    for (size_t i = 0; i < efficiency->order.count && has_memory; i++) {
        struct section *section = &efficiency->sections.items[efficiency->order.items[i].section];
        const int64_t *cuts = efficiency->cuts.items;
        const size_t count = efficiency->cuts.count;
        if (section->is_done || (count > 0 && section->totals.begin < cuts[count - 1]))
            continue;
        section->is_at_hand = has_any = true;
        if (section->totals.begin == section->totals.end)
            continue;
        has_memory = add_cut(efficiency, section->totals.begin);
        section->of_replay = (uint32_t)efficiency->cuts.count;
        has_memory = has_memory && add_cut(efficiency, section->totals.end);
    }
    return has_any && has_memory &&
           quipu__network_replay_cut(efficiency->replay, efficiency->cuts.items, efficiency->cuts.count);
}

/* The reading at hand has ended. */
static void end_sections(struct efficiency *efficiency) {
    for (size_t i = 0; i < efficiency->sections.count; i++) {
        struct section *section = &efficiency->sections.items[i];
        if (!section->is_at_hand)
            continue;
        section->totals = quipu__replay_section_totals(efficiency->replay, section->of_replay,
                                                       section->totals.begin, section->totals.end);
        section->is_at_hand = false;
        section->is_done = true;
    }
}

static enum quipu_status add_sections(const struct efficiency *efficiency, struct quipu_tables *list,
                                      struct quipu_error *err) {
    const bool has_phases = efficiency->asked != NULL;
    const size_t from = has_phases ? ITERATIONS_from_ns : BINS_from_ns;
    struct quipu_table *table;
    unsigned remarks = 0;
    enum quipu_status status =
        quipu__matched_tables_new(efficiency->replay->communication,
                                  &efficiency_tables[has_phases ? ITERATIONS : BINS], 1, list, &table, err);
    for (size_t i = 0; i < efficiency->sections.count && status == QUIPU_OK; i++) {
        const struct section *section = &efficiency->sections.items[i];
        quipu__table_put_u64(table, 0, has_phases ? section->phase : section->number);
        if (has_phases)
            quipu__table_put_u64(table, ITERATIONS_iteration, section->number);
        quipu__table_put_time(table, from, section->totals.begin);
        quipu__table_put_time(table, from + 1, section->totals.end);
        put_section(&section->totals, table, from + 2, from + 2 + FACTOR_COUNT);
        remarks |= remarks_on(&section->totals);
        status = quipu__table_end_row(table, err);
    }
    note_remarks(remarks, list);
    return status;
}

/* ==== The fold ==== */

static const char *asks(const struct quipu__settings *settings, struct quipu_setting *setting) {
    const char *over = quipu__settings_value(settings, "over");
    *setting = (struct quipu_setting){"iterations", "yes"};
    return over && strcmp(over, "phase") == 0 ? "phases" : NULL;
}

static enum quipu_status begin_iterations(struct efficiency *efficiency, struct quipu_error *err) {
    struct quipu__network_replay *replay = efficiency->replay;
    quipu__network_replay_look_for_region(replay, false);
    replay->begin = INT64_MIN;
    replay->end = INT64_MAX;
    const bool has_memory = add_iterations(efficiency, "iterations") &&
                            add_iterations(efficiency, "inner_iterations") &&
                            quipu__sort(&efficiency->memory, efficiency->order.items, efficiency->order.count,
                                        sizeof *efficiency->order.items, compare_slots) &&
                            (efficiency->sections.count == 0 || cut_iterations(efficiency));
    return has_memory ? QUIPU_OK : quipu__no_memory(err, efficiency->memory.used);
}

static enum quipu_status begin(const struct quipu__fold_start *start, void **state, struct quipu_error *err) {
    const struct quipu__network network = {.model = &quipu__ideal_network};
    struct efficiency *efficiency = quipu__fold_state(start, sizeof *efficiency, state);
    if (!efficiency)
        return quipu__no_memory(err, sizeof *efficiency);
    efficiency->asked = start->asked;
    efficiency->has_bins = quipu__settings_value(&start->settings, "over") && !start->asked;
    efficiency->has_sections = efficiency->has_bins || start->asked;
    enum quipu_status status = quipu__bins_setting(start, &efficiency->bins, err);
    if (status == QUIPU_OK)
        status = quipu__network_replay_begin(start, &network, &efficiency->replay, err);
    if (status != QUIPU_OK)
        return status;
    quipu__useful_counters_find(&efficiency->replay->counters);
    if (efficiency->has_bins)
        quipu__network_replay_look_for_region(efficiency->replay, true);
    return efficiency->asked ? begin_iterations(efficiency, err) : QUIPU_OK;
}

static enum quipu_status consume(void *state, const struct quipu_batch *batch, struct quipu_error *err) {
    return quipu__network_replay_consume(((struct efficiency *)state)->replay, batch, err);
}

static const struct quipu__unneeded_calls *unneeded(const void *state) {
    return quipu__network_replay_unneeded(((const struct efficiency *)state)->replay);
}

static bool next_pass(void *state, struct quipu_selection *selection) {
    struct efficiency *efficiency = state;
    const bool again = quipu__network_replay_next_pass(efficiency->replay, selection);
    if (again && efficiency->has_bins) {
        efficiency->has_bins = false;
        return cut_bins(efficiency); /* the tables ask for memory */
    }
    if (again)
        return true;
    end_sections(efficiency);
    return efficiency->asked && cut_iterations(efficiency);
}

static enum quipu_status finish(void *state, struct quipu_tables *list, struct quipu_error *err) {
    const struct efficiency *efficiency = state;
    struct quipu__network_replay *replay = efficiency->replay;
    struct quipu_table *table;
    enum quipu_status status = quipu__memory_status(&efficiency->memory, err);
    if (status == QUIPU_OK)
        status = quipu__memory_status(&replay->memory, err);
    if (status != QUIPU_OK)
        return status;
    if (efficiency->has_sections)
        return add_sections(efficiency, list, err);
    quipu__communication_finish(replay->communication);
    status = quipu__matched_tables_new(replay->communication, efficiency_tables, 1, list, &table, err);
    if (status != QUIPU_OK)
        return status;
    const struct quipu__replay_totals totals = quipu__network_replay_totals(replay);
    note_remarks(remarks_on(&totals), list);
    return put_row(replay, &totals, table, err);
}

static void release(void *state) {
    struct efficiency *efficiency = state;
    if (efficiency->replay)
        quipu__network_replay_release(efficiency->replay);
    QUIPU__VEC_RELEASE(&efficiency->memory, &efficiency->sections);
    QUIPU__VEC_RELEASE(&efficiency->memory, &efficiency->order);
    QUIPU__VEC_RELEASE(&efficiency->memory, &efficiency->cuts);
    quipu__fold_state_release(efficiency, sizeof *efficiency);
}

static const struct quipu_option options[] = {
    QUIPU__REPORTED_OPTIONS,
    QUIPU__EAGER_LIMIT_OPTION,
    {.name = "over",
     .kind = QUIPU_OPTION_CHOICE,
     .argument = "time|phase",
     .doc = "a row for each of the bins of time, or for each iteration of what is repeated"},
    QUIPU__BINS_OPTION,
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
             "With --over time the answer is the table efficiency_bins: the same time in equal bins (--bins), "
             "each "
             "of length T with N locations. U is the useful time of a location in the bin, and I how long the "
             "bin "
             "takes on an ideal network: the bin is replayed by itself, all locations come to it at 0, and I "
             "is "
             "when the last one has come to its end. A call begins in the bin in which it is entered, and "
             "waits "
             "in the bin in which what it waits for is completed, from the beginning of the bin on if it is "
             "older; "
             "partners that begin in other bins are not waited for. Then load_balance = sum U / (N max U), "
             "serialisation_efficiency = max U / I, transfer_efficiency = I / T, communication_efficiency = "
             "max U "
             "/ T, parallel_efficiency = sum U / (N T). The useful times of bins add up to that of all; their "
             "I "
             "do not, since each bin is begun together. One bin is the whole.\n\n"
             "With --over phase the answer is the table efficiency_iterations, the same of each iteration that "
             "\"quipu phases --iterations\" shows, also of inner phases, with its times: from when the last "
             "process has ended the iteration before to when the last one has ended this. --since, --until and "
             "--roi choose iterations by their beginning.\n\n"
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
                     "quipu efficiency run.trace --over time --bins 20 # when is it lost?\n"
                     "quipu efficiency run.trace --over phase # in which steps?\n"
                     "quipu efficiency 4.trace 8.trace 16.trace # how does it scale?",
         .options = options,
         .option_count = sizeof options / sizeof *options,
         .tables = efficiency_tables,
         .table_count = sizeof efficiency_tables / sizeof *efficiency_tables,
         .empty_answer = "nothing is repeated three times",
         .needs_everything = true,
         .relates = true},
    .kinds = QUIPU_ALL_KINDS,
    .is_selective = true,
    .order = QUIPU_ORDER_WINDOWS,
    .begin = begin,
    .asks = asks,
    .consume = consume,
    .unneeded = unneeded,
    .next_pass = next_pass,
    .finish = finish,
    .relate = scaling_relate,
    .release = release,
};
