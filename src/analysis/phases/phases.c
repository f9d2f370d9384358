/* phases.c: which communication a program repeats, and how long each iteration takes. */
#include "analysis/phases/phases.h"

#include "analysis/shared/cells.h"
#include "analysis/shared/matching_table.h"
#include "analysis/shared/settings.h"
#include "analysis/shared/unfinished_calls.h"
#include "core/error.h"
#include "core/memory/sort.h"

/* ---- The fold ---- */

static enum quipu_status begin(const struct quipu__fold_start *start, void **state, struct quipu_error *err) {
    struct quipu__phases *phases = quipu__fold_state(start, sizeof *phases, state);
    if (!phases)
        return quipu__no_memory(err, sizeof *phases);
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
    return quipu__call_sequences_add(&phases->calls, batch) ? quipu__memory_status(&phases->memory, err)
                                                            : quipu__no_memory(err, phases->memory.used);
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
    END(INNER_ITERATIONS) \
    TABLE(SLOWEST, "slowest", "with --iterations: those that take longer than the median of their phase, the slowest ones first, and what is longer in them") \
    COLUMN(SLOWEST, phase, U64, "", "number of the phase") \
    COLUMN(SLOWEST, iteration, U64, "", "number of the iteration in it") \
    COLUMN(SLOWEST, length_ns, I64, "ns", "its length") \
    COLUMN(SLOWEST, beyond_ns, I64, "ns", "how much longer than the median that is") \
    QUIPU__NAMED(COLUMN, SLOWEST, location, "where something is longer than its median of all iterations, more than anything else") \
    COLUMN(SLOWEST, region, TEXT, "", "that is the time in this region without waiting for others; null for time outside of any") \
    COLUMN(SLOWEST, between, TEXT, "", "which has these calls around it") \
    COLUMN(SLOWEST, longer_ns, I64, "ns", "how much longer than the median") \
    COLUMN(SLOWEST, time_ns, I64, "ns", "how long in this iteration") \
    COLUMN(SLOWEST, median_ns, I64, "ns", "median of all iterations") \
    END(SLOWEST) \
    TABLE(CLUSTERS, "clusters", "with --iterations: locations that do the same for about as long in the iterations of a phase") \
    COLUMN(CLUSTERS, phase, U64, "", "number of the phase") \
    COLUMN(CLUSTERS, cluster, U64, "", "number of the cluster in it, in the order of their first locations") \
    COLUMN(CLUSTERS, locations, U64, "", "locations in it") \
    QUIPU__NAMED(COLUMN, CLUSTERS, first, "the first of them") \
    COLUMN(CLUSTERS, region, TEXT, "", "what they do longer or shorter than the others, most of all: in this region, without waiting for others; null for time outside of any") \
    COLUMN(CLUSTERS, between, TEXT, "", "which has these calls around it") \
    COLUMN(CLUSTERS, mean_ns, I64, "ns", "how long, in all iterations, mean of these locations") \
    COLUMN(CLUSTERS, others_ns, I64, "ns", "mean of all others; null when there are none") \
    COLUMN(CLUSTERS, members, TEXT, "", "all of them, as --location takes them") \
    END(CLUSTERS)
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
    return quipu__distance(quipu__iteration_length(&phase->list.items[iteration]), phase->median);
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
        quipu__table_put_i64(table, ITERATIONS_length_ns, quipu__iteration_length(iteration));
        quipu__table_put_i64(table, ITERATIONS_useful_sum_ns, iteration->useful);
        quipu__table_put_i64(table, ITERATIONS_useful_max_ns, iteration->useful_most);
        quipu__table_put_i64(table, ITERATIONS_wait_ns, iteration->waits);
        quipu__table_put_u64(table, ITERATIONS_bytes, iteration->bytes);
        quipu__table_put_u64(table, ITERATIONS_representative, i == representative);
        status = quipu__table_end_row(table, err);
    }
    return status;
}

/* ---- What is longer ---- */

/* A region, or the calls around what is outside of any; in two columns. */
static void put_what(const struct quipu__phases *phases, uint32_t what, struct quipu_table *table,
                     size_t column) {
    const bool is_between = what != QUIPU_NONE && (what & QUIPU__DOING_BETWEEN) != 0;
    quipu__table_put_region(table, column, phases->definitions, is_between ? QUIPU_NONE : what);
    quipu__table_put_calls_around(table, column + 1, phases->definitions,
                                  is_between ? phases->between.list.items[what & ~QUIPU__DOING_BETWEEN]
                                             : QUIPU__NO_CALLS_AROUND);
}

/* An iteration, for sorting. */
struct slow {
    int64_t beyond;
    size_t phase, iteration;
};

static int compare_slow(const void *a, const void *b) {
    const struct slow *x = a, *y = b;
    if (x->beyond != y->beyond)
        return x->beyond > y->beyond ? -1 : 1;
    if (x->phase != y->phase)
        return x->phase < y->phase ? -1 : 1;
    return (x->iteration > y->iteration) - (x->iteration < y->iteration);
}

static enum quipu_status put_slow(const struct quipu__phases *phases, const struct slow *slow,
                                  struct quipu_table *table, struct quipu_error *err) {
    const struct quipu__phase *phase = &phases->found.list.items[slow->phase];
    const struct quipu__longer none = {.doing = QUIPU_NONE};
    const struct quipu__longer *longer =
        slow->iteration < phase->longer.count ? &phase->longer.items[slow->iteration] : &none;
    const bool is_known = longer->doing != QUIPU_NONE;
    const struct quipu__doing *doing = is_known ? &phase->doings.items[longer->doing] : NULL;
    quipu__table_put_u64(table, SLOWEST_phase, slow->phase + 1);
    quipu__table_put_u64(table, SLOWEST_iteration, phase->skipped + slow->iteration + 1);
    quipu__table_put_i64(table, SLOWEST_length_ns, slow->beyond + phase->median);
    quipu__table_put_i64(table, SLOWEST_beyond_ns, slow->beyond);
    quipu__table_put_location(table, SLOWEST_location, phases->definitions,
                              is_known ? doing->location : QUIPU_NONE);
    put_what(phases, is_known ? doing->what : QUIPU_NONE, table, SLOWEST_region);
    quipu__table_put_i64_if(table, SLOWEST_longer_ns, is_known, longer->time - longer->median);
    quipu__table_put_i64_if(table, SLOWEST_time_ns, is_known, longer->time);
    quipu__table_put_i64_if(table, SLOWEST_median_ns, is_known, longer->median);
    return quipu__table_end_row(table, err);
}

static enum quipu_status add_slowest(struct quipu__phases *phases, struct quipu_tables *list,
                                     struct quipu_error *err) {
    QUIPU__VEC(struct slow) slow = QUIPU__VEC_INIT;
    struct quipu_table *table;
    enum quipu_status status = quipu__tables_add(list, &tables[SLOWEST], &table, err);
    for (size_t i = 0; i < phases->found.list.count; i++) {
        const struct quipu__phase *phase = &phases->found.list.items[i];
        for (size_t k = 0; k < phase->list.count; k++) {
            const int64_t beyond =
                quipu__bounded_difference(quipu__iteration_length(&phase->list.items[k]), phase->median);
            struct slow *added = beyond > 0 ? QUIPU__VEC_ADD(&phases->memory, &slow) : NULL;
            if (added)
                *added = (struct slow){beyond, i, k};
        }
    }
    quipu__gate_knows(quipu__sort(&phases->memory, slow.items, slow.count, sizeof *slow.items, compare_slow));
    for (size_t i = 0; i < slow.count && status == QUIPU_OK; i++)
        status = put_slow(phases, &slow.items[i], table, err);
    QUIPU__VEC_RELEASE(&phases->memory, &slow);
    return status;
}

/* ---- Clusters ---- */

/* "0-3,7": numbers of locations, in their order. */
static const char *write_members(const struct quipu__phase *phase, uint32_t cluster,
                                 struct quipu__buffer *out) {
    out->len = 0;
    for (size_t i = 0, past; i < phase->alike.count; i = past) {
        const struct quipu__alike *alike = &phase->alike.items[i];
        past = i + 1;
        if (alike->cluster != cluster)
            continue;
        while (past < phase->alike.count && phase->alike.items[past].cluster == cluster &&
               phase->alike.items[past].location == alike->location + (past - i))
            past++;
        quipu__put_text(out, out->len > 0 ? "," : "");
        quipu__put_u64(out, alike->location);
        if (past > i + 1) {
            quipu__put_text(out, "-");
            quipu__put_u64(out, alike->location + (past - i - 1));
        }
    }
    quipu__put(out, "", 1);
    return out->failed ? NULL : (const char *)out->data;
}

static enum quipu_status put_clusters(const struct quipu__phases *phases, size_t number,
                                      struct quipu__buffer *members, struct quipu_table *table,
                                      struct quipu_error *err) {
    const struct quipu__phase *phase = &phases->found.list.items[number];
    enum quipu_status status = QUIPU_OK;
    for (uint32_t i = 0; i < phase->clusters.count && status == QUIPU_OK; i++) {
        const struct quipu__cluster *cluster = &phase->clusters.items[i];
        const bool differs = cluster->what != QUIPU_NONE;
        quipu__table_put_u64(table, CLUSTERS_phase, number + 1);
        quipu__table_put_u64(table, CLUSTERS_cluster, i + (uint64_t)1);
        quipu__table_put_u64(table, CLUSTERS_locations, cluster->count);
        quipu__table_put_location(table, CLUSTERS_first, phases->definitions,
                                  phase->alike.items[cluster->first].location);
        put_what(phases, cluster->what, table, CLUSTERS_region);
        quipu__table_put_i64_if(table, CLUSTERS_mean_ns, differs, cluster->mean);
        quipu__table_put_i64_if(table, CLUSTERS_others_ns, differs, cluster->others);
        quipu__table_put_text(table, CLUSTERS_members, write_members(phase, i, members));
        status = quipu__table_end_row(table, err);
    }
    return status;
}

static enum quipu_status add_clusters(struct quipu__phases *phases, struct quipu_tables *list,
                                      struct quipu_error *err) {
    struct quipu_table *table;
    struct quipu__buffer members;
    size_t left_over = 0;
    enum quipu_status status = quipu__tables_add(list, &tables[CLUSTERS], &table, err);
    quipu__buffer_init(&members, &phases->memory, 0);
    for (size_t i = 0; i < phases->found.list.count && status == QUIPU_OK; i++) {
        status = put_clusters(phases, i, &members, table, err);
        for (size_t k = 0; k < phases->found.list.items[i].alike.count; k++)
            left_over += phases->found.list.items[i].alike.items[k].cluster == QUIPU_NONE;
    }
    quipu__buffer_release(&members);
    if (left_over > 0)
        quipu__tables_note_add(list, "%zu locations are like none of the %d first clusters of their phase",
                               left_over, QUIPU__CLUSTERS_MOST);
    return status;
}

/* ---- All tables ---- */

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
        quipu__gate_knows(quipu__iterations_finish(phases));
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
    if (status == QUIPU_OK)
        status = add_table(phases, INNER_ITERATIONS, list, put_iterations, err);
    if (status == QUIPU_OK)
        status = add_slowest(phases, list, err);
    if (status == QUIPU_OK)
        status = add_clusters(phases, list, err);
    return status == QUIPU_OK ? quipu__memory_status(&phases->memory, err) : status;
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
    quipu__fold_state_release(phases, sizeof *phases);
}

static const struct quipu_option options[] = {
    QUIPU__REPORTED_OPTIONS,
    {.name = "iterations",
     .kind = QUIPU_OPTION_FLAG,
     .argument = "",
     .doc = "also show each iteration: its length, useful time, waiting and bytes; what is longer in slow "
            "ones; and which "
            "locations behave alike"},
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
                 "sent.\n\n"
                 "Then the table \"slowest\" has the iterations that take longer than the median of their "
                 "phase, the slowest ones "
                 "first, and what is longer in each. That is of all times of a location in a region, without "
                 "waiting for "
                 "others, or outside of any region between two calls, the one that exceeds its median in all "
                 "iterations of the "
                 "phase most. \"clusters\" has locations that behave alike: in the order of their numbers a "
                 "location is of "
                 "the first cluster whose first location does the same, or begins another one. Two do the same "
                 "when their times "
                 "of all that in all iterations differ, all differences together, by no more than 10 % of the "
                 "larger one's times. "
                 "Each cluster says what it does longer or shorter than the other locations, most of all.",
             .examples =
                 "quipu phases run.trace # how many steps, and do they take equally long?\n"
                 "quipu phases run.trace --iterations # which step takes longer than others, and why?\n"
                 "quipu phases run.trace --iterations --table clusters # which processes behave alike?\n"
                 "quipu phases run.trace --json # for a program that looks for the one to cut out",
             .options = options,
             .option_count = sizeof options / sizeof *options,
             .tables = tables,
             .table_count = TABLES,
             .empty_answer = "nothing is repeated three times",
             .needs_everything = true},
    .kinds = QUIPU_ALL_KINDS,
    .is_selective = true,
    .order = QUIPU_ORDER_WINDOWS,
    .begin = begin,
    .consume = consume,
    .next_pass = next_pass,
    .finish = finish,
    .release = release,
};
