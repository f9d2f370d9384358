/* profile.c: where the time goes: the fold over what calls.c counts. */
#include "analysis/profile/profile.h"

#include "analysis/shared/unfinished_calls.h"
#include "core/error.h"

/* ---- The fold ---- */

enum quipu_status quipu__profile_begin(const struct quipu__fold_start *start, void **state,
                                       struct quipu_error *err) {
    struct quipu__memory memory;
    quipu__memory_like(&memory, start->memory);
    struct quipu__profile *profile = *state = quipu__alloc_zero(&memory, sizeof *profile);
    if (!profile)
        return quipu__no_memory(err, sizeof *profile);
    profile->memory = memory;
    profile->has_all_calls = quipu__selects_all_calls(start->selection);
    enum quipu_status status = quipu__profile_init(profile, start, err);
    if (status == QUIPU_OK)
        status = quipu__profile_read_options(profile, start, err);
    return status == QUIPU_OK && start->window ? quipu__profile_window_new(profile, start, err) : status;
}

static enum quipu_status consume(void *state, const struct quipu_batch *batch, struct quipu_error *err) {
    struct quipu__profile *profile = state;
    return profile->whole ? quipu__profile_window_consume(profile, batch, err)
                          : quipu__profile_consume(profile, batch, err);
}

static enum quipu_status combine(void *state, void *other, struct quipu_error *err) {
    struct quipu__profile *profile = state, *partial = other;
    quipu__profile_end(partial);
    if (!quipu__profile_add_lifetimes(profile, partial) ||
        (profile->scope && !quipu__profile_scope_join(profile, partial)))
        return quipu__no_memory(err, profile->memory.used);
    for (size_t i = QUIPU__PROFILE_NOWHERE + 1; i < partial->rows.count; i++) {
        const struct quipu__profile_row *from = &partial->rows.items[i];
        const uint32_t key = profile->scope ? quipu__profile_scope_key(profile, from->region) : from->region;
        const uint32_t number = quipu__profile_row_of(profile, from->location, key);
        if (number == QUIPU_NONE)
            return quipu__no_memory(err, profile->memory.used);
        quipu__profile_add_values(&profile->rows.items[number], from);
    }
    return quipu__memory_status(&partial->memory, err);
}

void quipu__profile_release(void *state) {
    struct quipu__profile *profile = state;
    if (profile->whole)
        quipu__profile_release(profile->whole);
    for (uint32_t i = 0; i < profile->stack_count; i++) {
        const struct quipu__profile_stack *stack = &profile->stacks[i];
        quipu__release(&profile->memory, stack->calls, stack->capacity * sizeof *stack->calls);
    }
    quipu__release(&profile->memory, profile->stacks, profile->stack_count * sizeof *profile->stacks);
    QUIPU__VEC_RELEASE(&profile->memory, &profile->rows);
    quipu__map_release(&profile->row_of);
    quipu__profile_scope_free(profile);
    struct quipu__memory memory = profile->memory;
    quipu__release(&memory, profile, sizeof *profile);
}

const struct quipu__fold quipu__profile_fold = {
    .info =
        {.name = "profile",
         .doc = "show where the time goes",
         .details =
             "Counts calls, inclusive and exclusive time, messages and collective operations of each region at "
             "each location. Rows are sorted by exclusive time unless --sort names another column.\n\n"
             "Text shows times in a unit of their size, unless --unit fixes it, and the columns that fit; JSON "
             "and CSV have all columns, and nanoseconds. exclusive is the time inside a region but not inside "
             "regions that it called, share its part of the time in all calls, inclusive the time from enter "
             "to "
             "leave, of which recursive calls count once; inclusive % is its part. mean is the inclusive time "
             "per "
             "call, min and max are the times of the shortest and the longest call. imbalance is the exclusive "
             "time of the location with most, in means of all locations that have calls: 1 when all are equal. "
             "--by mpi divides the time of each location, from its first call or message to its last one, into "
             "that in MPI calls and that outside of them.\n\n"
             "--by path tells calls of a region apart by their callers, and --tree shows them below these, "
             "those "
             "of one caller by inclusive time. --within counts only what happens in calls of some regions, "
             "--begin and --end only what happens between annotations. --by phase has the phases, numbered at "
             "each location: one begins with each annotation, with those that --begin names, or with each call "
             "that "
             "--within names. The time of calls that are active then is divided; they are counted where they "
             "began. So it is with a window of --since and --until: windows that touch add up.",
         .examples =
             "quipu profile run.trace --by region --limit 20 # the twenty most expensive regions\n"
             "quipu profile run.trace --tree --top 10 # the ten most expensive paths, and their callers\n"
             "quipu profile run.trace --within solve --by region # the regions that solve calls\n"
             "quipu profile run.trace --by mpi # the part of MPI at each process\n"
             "quipu profile run.trace --csv -o profile.csv # everything, for a spreadsheet",
         .options = quipu__profile_options,
         .option_count = QUIPU__PROFILE_OPTIONS,
         .tables = quipu__profile_tables,
         .table_count = QUIPU__PROFILE_TABLES,
         .sort = "exclusive_ns",
         .empty_answer = "no calls to show"},
    .kinds = QUIPU_KIND_BIT(QUIPU_KIND_enter) | QUIPU_KIND_BIT(QUIPU_KIND_leave) |
             QUIPU_KIND_BIT(QUIPU_KIND_send) | QUIPU_KIND_BIT(QUIPU_KIND_recv) |
             QUIPU_KIND_BIT(QUIPU_KIND_collective_begin),
    .needs_attributes = false,
    .cuts_calls = true,
    .select = quipu__profile_select,
    .begin = quipu__profile_begin,
    .consume = consume,
    .combine = combine,
    .finish = quipu__profile_finish,
    .release = quipu__profile_release,
    .section = "profile 2",
    .can_resume = quipu__profile_can_resume,
    .save_checkpoint = quipu__profile_save_checkpoint,
    .resume = quipu__profile_resume,
};
