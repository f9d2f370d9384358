/* phases.c: which communication a program repeats, and how long each iteration takes. */
#include "analysis/phases/phases.h"

#include "analysis/shared/cells.h"
#include "analysis/shared/matching_table.h"
#include "analysis/shared/settings.h"
#include "analysis/shared/unfinished_calls.h"
#include "core/error.h"

/* ---- The fold ---- */

static enum quipu_status begin(const struct quipu__fold_start *start, void **state, struct quipu_error *err) {
    struct quipu__memory memory;
    quipu__memory_like(&memory, start->memory);
    struct quipu__phases *phases = *state = quipu__alloc_zero(&memory, sizeof *phases);
    if (!phases)
        return quipu__no_memory(err, sizeof *phases);
    phases->memory = memory;
    phases->definitions = start->definitions;
    phases->reported = quipu__reported_of(start);
    phases->has_iterations = quipu__settings_say_yes(&start->settings, "iterations");
    return quipu__call_sequences_init(&phases->calls, &phases->memory, phases->definitions)
               ? QUIPU_OK
               : quipu__no_memory(err, sizeof *phases);
}

static enum quipu_status consume_again(struct quipu__phases *phases, const struct quipu_batch *batch,
                                       struct quipu_error *err) {
    quipu__wait_states_sweep(&phases->states, batch);
    for (uint32_t i = 0; i < batch->count; i++)
        if (!quipu__iterations_add(phases, batch, i))
            return quipu__no_memory(err, phases->memory.used);
    return quipu__memory_status(&phases->memory, err);
}

static enum quipu_status consume(void *state, const struct quipu_batch *batch, struct quipu_error *err) {
    struct quipu__phases *phases = state;
    if (phases->is_second)
        return consume_again(phases, batch, err);
    for (uint32_t i = 0; i < batch->count; i++)
        if (!quipu__call_sequences_add(&phases->calls, batch, i))
            return quipu__no_memory(err, phases->memory.used);
    return quipu__memory_status(&phases->memory, err);
}

/* clang-format off */
#define PHASE_COLUMNS(COLUMN, TABLE) \
    COLUMN(TABLE, phase, U64, "", "number of the phase, in the order of time; inner ones are numbered behind the others") \
    COLUMN(TABLE, iterations, U64, "", "how many times it is done") \
    COLUMN(TABLE, period_calls, U64, "", "communication calls of an iteration, at the first process that takes part") \
    COLUMN(TABLE, aligned, U64, "", "processes that repeat something so many times") \
    COLUMN(TABLE, not_aligned, U64, "", "processes with communication calls that do not") \
    COLUMN(TABLE, first_ns, TIME, "ns", "when the first iteration begins") \
    COLUMN(TABLE, last_ns, TIME, "ns", "when the last process ends the last iteration") \
    COLUMN(TABLE, min_ns, I64, "ns", "shortest iteration") \
    COLUMN(TABLE, median_ns, I64, "ns", "median of the iterations") \
    COLUMN(TABLE, max_ns, I64, "ns", "longest iteration") \
    COLUMN(TABLE, sum_ns, I64, "ns", "all iterations") \
    COLUMN(TABLE, deviation_ns, I64, "ns", "median distance of an iteration from the median")
#define ITERATION_COLUMNS(COLUMN, TABLE) \
    COLUMN(TABLE, phase, U64, "", "number of the phase") \
    COLUMN(TABLE, iteration, U64, "", "number of the iteration in it") \
    COLUMN(TABLE, from_ns, TIME, "ns", "when the last process has ended the iteration before") \
    COLUMN(TABLE, length_ns, I64, "ns", "from there until the last process has ended this one") \
    COLUMN(TABLE, useful_sum_ns, I64, "ns", "time meanwhile outside of communication, I/O and runtime, of all locations") \
    COLUMN(TABLE, useful_max_ns, I64, "ns", "the largest of a location") \
    COLUMN(TABLE, wait_ns, I64, "ns", "how long locations wait for each other meanwhile") \
    COLUMN(TABLE, bytes, U64, "", "bytes of messages that are sent meanwhile") \
    COLUMN(TABLE, representative, U64, "", "1: the iteration of the phase whose length is closest to the median, the one to cut out")
#define PHASES_TABLES(TABLE, COLUMN, END) \
    TABLE(PHASES, "phases", "what is repeated, and how long an iteration takes") PHASE_COLUMNS(COLUMN, PHASES) END(PHASES) \
    TABLE(INNER, "inner_phases", "what iterations of phases repeat in themselves; the columns are those of phases") PHASE_COLUMNS(COLUMN, INNER) \
    COLUMN(INNER, within, U64, "", "the phase that does this several times in each of its iterations") \
    END(INNER) \
    TABLE(ITERATIONS, "iterations", "with --iterations: each of them") ITERATION_COLUMNS(COLUMN, ITERATIONS) END(ITERATIONS) \
    TABLE(INNER_ITERATIONS, "inner_iterations", "with --iterations: those of inner phases") ITERATION_COLUMNS(COLUMN, INNER_ITERATIONS) \
    END(INNER_ITERATIONS)
/* clang-format on */
QUIPU__TABLES(PHASES_TABLES)
static const struct quipu_analysis_table tables[] = {QUIPU__SHAPES(PHASES_TABLES)};

enum { TABLES = sizeof tables / sizeof *tables };

static enum quipu_status put_phase(const struct quipu__phase *phase, size_t number, struct quipu_table *table,
                                   struct quipu_error *err) {
    quipu__table_put_u64(table, PHASES_phase, number);
    quipu__table_put_u64(table, PHASES_iterations, phase->iterations);
    quipu__table_put_u64(table, PHASES_period_calls, phase->period);
    quipu__table_put_u64(table, PHASES_aligned, phase->aligned);
    quipu__table_put_u64(table, PHASES_not_aligned, phase->not_aligned);
    quipu__table_put_time(table, PHASES_first_ns, phase->first);
    quipu__table_put_time(table, PHASES_last_ns, phase->last);
    quipu__table_put_i64(table, PHASES_min_ns, phase->shortest);
    quipu__table_put_i64(table, PHASES_median_ns, phase->median);
    quipu__table_put_i64(table, PHASES_max_ns, phase->longest);
    quipu__table_put_i64(table, PHASES_sum_ns, phase->total);
    quipu__table_put_i64(table, PHASES_deviation_ns, phase->deviation);
    if (phase->within > 0)
        quipu__table_put_u64(table, INNER_within, phase->within);
    return quipu__table_end_row(table, err);
}

/* When the events of each process begin. */
static void note_beginnings(struct quipu__phases *phases) {
    for (uint32_t i = 0; i < phases->calls.communication.stacks.count; i++) {
        const struct quipu__call_stack *stack = &phases->calls.communication.stacks.items[i];
        struct quipu__call_sequence *process =
            stack->has_events ? quipu__call_sequence_of(&phases->calls, i) : NULL;
        if (!process)
            continue;
        process->first = process->has_events && process->first < stack->first ? process->first : stack->first;
        process->has_events = true;
    }
}

static bool find_phases(struct quipu__phases *phases) {
    quipu__communication_finish(&phases->calls.communication);
    note_beginnings(phases);
    return quipu__phases_find(phases);
}

static bool next_pass(void *state, struct quipu_selection *selection) {
    struct quipu__phases *phases = state;
    (void)selection;
    if (!phases->has_iterations || phases->is_second)
        return false;
    phases->is_second = true;
    if (!find_phases(phases) || !quipu__iterations_begin(phases))
        return false;
    return phases->found.list.count > 0;
}

static int64_t distance_from_median(const struct quipu__phase *phase, size_t iteration) {
    const int64_t length = phase->list.items[iteration].end - phase->list.items[iteration].begin;
    return length < phase->median ? phase->median - length : length - phase->median;
}

/* The iteration whose length is closest to the median, the first of equals. */
static size_t phase_representative(const struct quipu__phase *phase) {
    size_t best = 0;
    for (size_t i = 1; i < phase->list.count; i++)
        if (distance_from_median(phase, i) < distance_from_median(phase, best))
            best = i;
    return best;
}

static enum quipu_status put_iterations(const struct quipu__phase *phase, size_t number,
                                        struct quipu_table *table, struct quipu_error *err) {
    const size_t representative = phase_representative(phase);
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < phase->list.count && status == QUIPU_OK; i++) {
        const struct quipu__iteration *iteration = &phase->list.items[i];
        quipu__table_put_u64(table, ITERATIONS_phase, number);
        quipu__table_put_u64(table, ITERATIONS_iteration, phase->skipped + i + 1);
        quipu__table_put_time(table, ITERATIONS_from_ns, iteration->begin);
        quipu__table_put_i64(table, ITERATIONS_length_ns, iteration->end - iteration->begin);
        quipu__table_put_i64(table, ITERATIONS_useful_sum_ns, iteration->useful);
        quipu__table_put_i64(table, ITERATIONS_useful_max_ns, iteration->useful_most);
        quipu__table_put_i64(table, ITERATIONS_wait_ns, iteration->waits);
        quipu__table_put_u64(table, ITERATIONS_bytes, iteration->bytes);
        quipu__table_put_u64(table, ITERATIONS_representative, i == representative);
        status = quipu__table_end_row(table, err);
    }
    return status;
}

/* Those of inner phases only where there are any. */
static enum quipu_status add_table(const struct quipu__phases *phases, int table, struct quipu_tables *list,
                                   enum quipu_status (*put)(const struct quipu__phase *phase, size_t number,
                                                            struct quipu_table *table, struct quipu_error *err),
                                   struct quipu_error *err) {
    const bool is_inner = table == INNER || table == INNER_ITERATIONS;
    const struct quipu__phase *found = phases->found.list.items;
    const size_t count = phases->found.list.count;
    struct quipu_table *made;
    if (is_inner && (count == 0 || found[count - 1].within == 0))
        return QUIPU_OK;
    enum quipu_status status = quipu__tables_add(list, &tables[table], &made, err);
    for (size_t i = 0; i < count && status == QUIPU_OK; i++)
        if (found[i].iterations > 0 && (found[i].within > 0) == is_inner)
            status = put(&found[i], i + 1, made, err);
    return status;
}

static enum quipu_status finish(void *state, struct quipu_tables *list, struct quipu_error *err) {
    struct quipu__phases *phases = state;
    if (!phases->has_iterations)
        quipu__gate_knows(find_phases(phases));
    else
        quipu__iterations_finish(phases);
    enum quipu_status status = quipu__memory_status(&phases->memory, err);
    if (status == QUIPU_OK)
        status = add_table(phases, PHASES, list, put_phase, err);
    if (status == QUIPU_OK)
        status = add_table(phases, INNER, list, put_phase, err);
    if (phases->states.memory)
        quipu__matching_note(&phases->states.communication, list);
    quipu__unfinished_calls_note(&phases->calls.communication.unfinished, list);
    if (status != QUIPU_OK || !phases->has_iterations)
        return status;
    status = add_table(phases, ITERATIONS, list, put_iterations, err);
    return status == QUIPU_OK ? add_table(phases, INNER_ITERATIONS, list, put_iterations, err) : status;
}

static void release(void *state) {
    struct quipu__phases *phases = state;
    quipu__call_sequences_release(&phases->calls);
    quipu__iterations_release(phases);
    for (size_t i = 0; i < phases->found.list.count; i++) {
        QUIPU__VEC_RELEASE(&phases->memory, &phases->found.list.items[i].list);
        QUIPU__VEC_RELEASE(&phases->memory, &phases->found.list.items[i].shares);
    }
    QUIPU__VEC_RELEASE(&phases->memory, &phases->found.list);
    struct quipu__memory memory = phases->memory;
    quipu__release(&memory, phases, sizeof *phases);
}

static const struct quipu_option options[] = {
    QUIPU__REPORTED_OPTIONS,
    {.name = "iterations",
     .kind = QUIPU_OPTION_FLAG,
     .argument = "",
     .doc = "also show each iteration: its length, useful time, waiting and bytes"},
};

const struct quipu__fold quipu__phases_fold = {
    .info = {.name = "phases",
             .doc = "show what a program repeats, and how long each time takes",
             .details =
                 "A phase is a sequence of communication calls that a program repeats three times or more, "
                 "with the "
                 "same partners, tags and sizes of about the same number of bytes: the steps of a simulation. "
                 "It is "
                 "found without knowing the program; the largest one, then others before and behind it that "
                 "cover 5 % of the calls. The table \"inner_phases\" has what iterations repeat three times or "
                 "more in "
                 "themselves, and what that repeats in itself, such as the five steps between two reductions: "
                 "its iterations are "
                 "those in all iterations of the phase that the column within names.\n\n"
                 "An iteration ends when the last process has done it. Processes whose calls are not repeated "
                 "as many "
                 "times as those of most others are not aligned.\n\n"
                 "With --iterations each one has a row. Between its beginning and its end are counted: the "
                 "useful time of "
                 "all locations, the time that they wait for each other (quipu waits), and the bytes that are "
                 "sent.",
             .examples = "quipu phases run.trace # how many steps, and do they take equally long?\n"
                         "quipu phases run.trace --iterations # which step takes longer than others, and why?\n"
                         "quipu phases run.trace --json # for a program that looks for the one to cut out",
             .options = options,
             .option_count = sizeof options / sizeof *options,
             .tables = tables,
             .table_count = TABLES,
             .empty_answer = "nothing is repeated three times",
             .needs_everything = true},
    .kinds = QUIPU_ALL_KINDS,
    .is_selective = true,
    .order = QUIPU_ORDER_TIME,
    .begin = begin,
    .consume = consume,
    .next_pass = next_pass,
    .finish = finish,
    .release = release,
};
