/* critical_path.c: what the run time consists of: from the last event backwards, and at the end of each wait to whoever was
 * waited for. A first reading finds the waits, a second one which regions the path leads through. */
#include "analysis/critical_path.h"

#include "analysis/settings.h"
#include "core/error.h"
#include "core/bounded.h"

struct quipu__region_times *quipu__critical_path_region(struct quipu__critical_path *path, uint32_t region) {
    const size_t index = (size_t)(uint32_t)(region + 1), known = path->regions.count;
    if (index < known)
        return &path->regions.items[index];
    if (!QUIPU__VEC_RESERVE(&path->memory, &path->regions, index + 1 - known))
        return NULL;
    path->regions.count = index + 1;
    return &path->regions.items[index];
}

static void add_wait(void *context, const struct quipu__wait *wait) {
    struct quipu__critical_path *path = context;
    if (!quipu__wait_patterns[wait->pattern].synchronises)
        return;
    struct quipu__path_wait *added = QUIPU__VEC_ADD(&path->memory, &path->waits);
    if (added)
        *added = (struct quipu__path_wait){wait->from, wait->to, wait->location, wait->peer, wait->pattern};
    struct quipu__region_times *times = quipu__critical_path_region(
        path, quipu__call_path_region(&path->states.communication.paths, wait->path));
    if (times)
        times->waits = quipu__bounded_sum(times->waits, wait->to - wait->from);
}

/* ---- The fold ---- */

static enum quipu_status begin(const struct quipu__fold_start *start, void **state, struct quipu_error *err) {
    struct quipu__memory memory;
    quipu__memory_like(&memory, start->memory);
    struct quipu__critical_path *path = *state = quipu__alloc_zero(&memory, sizeof *path);
    if (!path)
        return quipu__no_memory(err, sizeof *path);
    path->memory = memory;
    path->definitions = start->definitions;
    return quipu__unneeded_calls_init(&path->computing, &path->memory, start->definitions,
                                      QUIPU__REGION_SERVES) &&
                   quipu__wait_states_init(&path->states, &path->memory, start->definitions,
                                           quipu__number_setting(start, "eager-limit"), add_wait, path)
               ? QUIPU_OK
               : quipu__no_memory(err, sizeof *path);
}

static void leave_out(const void *state, struct quipu_batch *batch) {
    const struct quipu__critical_path *path = state;
    quipu__unneeded_calls_leave_out(&path->computing, batch);
}

static enum quipu_status consume(void *state, const struct quipu_batch *batch, struct quipu_error *err) {
    struct quipu__critical_path *path = state;
    struct quipu__communication *communication = path->is_filling ? &path->calls : &path->states.communication;
    if (!path->is_filling)
        quipu__wait_states_sweep(&path->states, batch);
    if (!quipu__communication_add_batch(communication, batch))
        return quipu__no_memory(err, path->memory.used);
    return quipu__memory_status(&path->memory, err);
}

/* The second reading needs calls only, location by location: threads can share it. */
static bool next_pass(void *state, struct quipu_selection *selection) {
    struct quipu__critical_path *path = state;
    if (path->is_filling)
        return false;
    quipu__wait_states_finish(&path->states);
    selection->order = QUIPU_ORDER_STREAM;
    selection->kinds = QUIPU_KIND_BIT(QUIPU_KIND_enter) | QUIPU_KIND_BIT(QUIPU_KIND_leave);
    return quipu__critical_path_walk(path) && quipu__critical_path_fill_begin(path);
}

static enum quipu_status share(void *state, const void *first, struct quipu_error *err) {
    struct quipu__critical_path *path = state;
    return quipu__critical_path_fill_share(path, first) ? QUIPU_OK : quipu__no_memory(err, path->memory.used);
}

static enum quipu_status combine(void *state, void *other, struct quipu_error *err) {
    struct quipu__critical_path *path = state;
    return quipu__critical_path_fill_combine(path, other) ? QUIPU_OK : quipu__no_memory(err, path->memory.used);
}

static void release(void *state) {
    struct quipu__critical_path *path = state;
    quipu__critical_path_fill_release(path);
    quipu__unneeded_calls_release(&path->computing);
    quipu__wait_states_release(&path->states);
    QUIPU__VEC_RELEASE(&path->memory, &path->waits);
    QUIPU__VEC_RELEASE(&path->memory, &path->segments);
    QUIPU__VEC_RELEASE(&path->memory, &path->regions);
    struct quipu__memory memory = path->memory;
    quipu__release(&memory, path, sizeof *path);
}

static const struct quipu_option options[] = {QUIPU__EAGER_LIMIT_OPTION};

const struct quipu__fold quipu__critical_path_fold = {
    .info =
        {.name = "critical-path",
         .doc = "show what the run time consists of",
         .details =
             "Goes back from the last event of the trace. Where a location has waited, the path leads on at "
             "the "
             "location that it waited for (quipu waits says what waiting is). So the path is what would have "
             "to "
             "become shorter for the program to end sooner.\n\n"
             "The table \"path_profile\" has the time on the path by region, and what lies on it beyond a fair "
             "share: imbalance, against the mean of all locations, and impact, the time of all locations that "
             "it "
             "costs. The table \"segments\" has the path from the beginning to the end; the reason of a "
             "segment "
             "says why the path leaves it towards the next one.",
         .examples = "quipu critical-path run.trace # regions on the path, and its segments\n"
                     "quipu critical-path run.trace --csv -o path.csv # all of it, for a spreadsheet",
         .options = options,
         .option_count = sizeof options / sizeof *options,
         .tables = quipu__critical_path_tables,
         .table_count = QUIPU__CRITICAL_PATH_TABLES,
         .empty_answer = "the trace has no events",
         .needs_everything = true},
    .kinds = QUIPU_ALL_KINDS,
    .order = QUIPU_ORDER_WINDOWS,
    .begin = begin,
    .consume = consume,
    .leave_out = leave_out,
    .next_pass = next_pass,
    .share = share,
    .combine = combine,
    .finish = quipu__critical_path_finish,
    .release = release,
};
