/* phases.c: which communication a program repeats, and how long each iteration takes. */
#include "analysis/phases.h"

#include "analysis/cells.h"
#include "analysis/matching_table.h"
#include "analysis/unfinished_calls.h"
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

static const struct quipu_table_column columns[] = {
    {"phase", QUIPU_TYPE_U64, "", "number of the phase, in the order of time"},
    {"iterations", QUIPU_TYPE_U64, "", "how many times it is done"},
    {"period_calls", QUIPU_TYPE_U64, "",
     "communication calls of an iteration, at the first process that takes part"},
    {"aligned", QUIPU_TYPE_U64, "", "processes that repeat something so many times"},
    {"not_aligned", QUIPU_TYPE_U64, "", "processes with communication calls that do not"},
    {"first_ns", QUIPU_TYPE_TIME, "ns", "when the first iteration begins"},
    {"last_ns", QUIPU_TYPE_TIME, "ns", "when the last process ends the last iteration"},
    {"min_ns", QUIPU_TYPE_I64, "ns", "shortest iteration"},
    {"median_ns", QUIPU_TYPE_I64, "ns", "median of the iterations"},
    {"max_ns", QUIPU_TYPE_I64, "ns", "longest iteration"},
    {"sum_ns", QUIPU_TYPE_I64, "ns", "all iterations"},
    {"deviation_ns", QUIPU_TYPE_I64, "ns", "median distance of an iteration from the median"},
};
static const struct quipu_table_column iteration_columns[] = {
    {"phase", QUIPU_TYPE_U64, "", "number of the phase"},
    {"iteration", QUIPU_TYPE_U64, "", "number of the iteration in it"},
    {"from_ns", QUIPU_TYPE_TIME, "ns", "when the last process has ended the iteration before"},
    {"length_ns", QUIPU_TYPE_I64, "ns", "from there until the last process has ended this one"},
    {"useful_sum_ns", QUIPU_TYPE_I64, "ns",
     "time meanwhile outside of communication, I/O and runtime, of all locations"},
    {"useful_max_ns", QUIPU_TYPE_I64, "ns", "the largest of a location"},
    {"wait_ns", QUIPU_TYPE_I64, "ns", "how long locations wait for each other meanwhile"},
    {"bytes", QUIPU_TYPE_U64, "", "bytes of messages that are sent meanwhile"},
    {"representative", QUIPU_TYPE_U64, "",
     "1: the iteration of the phase whose length is closest to the median, the one to cut out"},
};
enum { PHASES, ITERATIONS, TABLES };
static const struct quipu_analysis_table tables[TABLES] = {
    {"phases", "what is repeated, and how long an iteration takes", columns, sizeof columns / sizeof *columns},
    {"iterations", "with --iterations: each of them", iteration_columns,
     sizeof iteration_columns / sizeof *iteration_columns}};

static enum quipu_status put_phase(const struct quipu__phase *phase, size_t number, struct quipu_table *table,
                                   struct quipu_error *err) {
    struct quipu__cells cells = quipu__cells_of(NULL);
    quipu__cells_put_u64(&cells, number);
    quipu__cells_put_u64(&cells, phase->iterations);
    quipu__cells_put_u64(&cells, phase->period);
    quipu__cells_put_u64(&cells, phase->aligned);
    quipu__cells_put_u64(&cells, phase->not_aligned);
    quipu__cells_put_i64(&cells, phase->first);
    quipu__cells_put_i64(&cells, phase->last);
    quipu__cells_put_i64(&cells, phase->shortest);
    quipu__cells_put_i64(&cells, phase->median);
    quipu__cells_put_i64(&cells, phase->longest);
    quipu__cells_put_i64(&cells, phase->last - phase->first);
    quipu__cells_put_i64(&cells, phase->deviation);
    return quipu_table_add(table, cells.items, err);
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

static enum quipu_status put_iterations(const struct quipu__phase *phase, size_t number,
                                        struct quipu_table *table, struct quipu_error *err) {
    const size_t representative = quipu__phase_representative(phase);
    enum quipu_status status = QUIPU_OK;
    int64_t begin = phase->first;
    for (size_t i = 0; i < phase->list.count && status == QUIPU_OK; i++) {
        const struct quipu__iteration *iteration = &phase->list.items[i];
        struct quipu__cells cells = quipu__cells_of(NULL);
        quipu__cells_put_u64(&cells, number);
        quipu__cells_put_u64(&cells, i + 1);
        quipu__cells_put_i64(&cells, begin);
        quipu__cells_put_i64(&cells, iteration->end - begin);
        quipu__cells_put_i64(&cells, iteration->useful);
        quipu__cells_put_i64(&cells, iteration->useful_most);
        quipu__cells_put_i64(&cells, iteration->waits);
        quipu__cells_put_u64(&cells, iteration->bytes);
        quipu__cells_put_u64(&cells, i == representative);
        begin = iteration->end;
        status = quipu_table_add(table, cells.items, err);
    }
    return status;
}

static enum quipu_status add_table(const struct quipu__phases *phases, int table, struct quipu_tables *list,
                                   enum quipu_status (*put)(const struct quipu__phase *phase, size_t number,
                                                            struct quipu_table *table, struct quipu_error *err),
                                   struct quipu_error *err) {
    struct quipu_table *made;
    enum quipu_status status = quipu__analysis_table_new(&tables[table], list, &made, err);
    for (size_t i = 0; i < phases->found.list.count && status == QUIPU_OK; i++)
        status = put(&phases->found.list.items[i], i + 1, made, err);
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
    if (phases->states.memory)
        quipu__matching_note(&phases->states.communication, list);
    quipu__unfinished_calls_note(&phases->calls.communication.unfinished, list);
    if (status != QUIPU_OK || !phases->has_iterations)
        return status;
    return add_table(phases, ITERATIONS, list, put_iterations, err);
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
                 "cover 5 % of the calls.\n\n"
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
    .order = QUIPU_ORDER_TIME,
    .begin = begin,
    .consume = consume,
    .next_pass = next_pass,
    .finish = finish,
    .release = release,
};
