/* profile.c: where the time goes: the fold over what calls.c counts. */
#include "analysis/profile/profile.h"

#include "analysis/replay/network.h"
#include "analysis/shared/unfinished_calls.h"
#include "core/error.h"
#include "core/memory/buffer.h"
#include "core/memory/pack.h"
#include "table/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== What can be asked ==== */

static const struct quipu_option options[] = {
    {.name = "by",
     .kind = QUIPU_OPTION_CHOICE,
     .argument = QUIPU__PROFILE_BY,
     .doc =
         "a row per region at each location (default), process or host, or at all; per group of regions; per "
         "location, with its time in MPI; per path of calls; per region in each phase between annotations; of "
         "the "
         "time outside of any call, per pair of calls around it; per place in the source code that calls it"},
    {.name = "tree",
     .kind = QUIPU_OPTION_FLAG,
     .argument = "",
     .doc =
         "the paths of calls as a tree, calls below those that make them; --sort orders calls of one caller"},
    {.name = "counters",
     .kind = QUIPU_OPTION_FLAG,
     .argument = "",
     .doc = "show instead what counters of the trace count: --by location, region or path, which --tree stands "
            "for"},
    {.name = "within",
     .kind = QUIPU_OPTION_TEXT,
     .argument = "REGION",
     .doc = "only calls of regions of this name, in which * and ? stand for anything, and what they call"},
    {.name = "begin",
     .kind = QUIPU_OPTION_TEXT,
     .argument = "REGION",
     .doc = "only from annotations (markers, regions that users mark) of this name on, up to those of --end, "
            "at each location"},
    {.name = "end",
     .kind = QUIPU_OPTION_TEXT,
     .argument = "REGION",
     .doc = "names the annotations that end what --begin begins"},
    {.name = "top",
     .kind = QUIPU_OPTION_NUMBER,
     .argument = "N",
     .doc = "only the N first rows; of a tree the N first of all paths, and those that lead to them"},
    {.name = "points",
     .kind = QUIPU_OPTION_TEXT,
     .argument = "[NAME=]N,N...",
     .doc =
         "what several traces differ in, a number for each, such as size=100,200,400; default p, the number of "
         "locations",
     .relates = true},
    {.name = "extra-p",
     .kind = QUIPU_OPTION_FLAG,
     .argument = "",
     .doc = "print the profiles of several traces as input of Extra-P, which looks for the laws by which they "
            "grow",
     .relates = true},
};

/* The place of a word in QUIPU__PROFILE_BY. */
static enum quipu__profile_by by_of(const char *word) {
    unsigned by = 0;
    for (const char *words = QUIPU__PROFILE_BY; word && *words; by++) {
        const size_t len = strcspn(words, "|");
        if (len == strlen(word) && memcmp(words, word, len) == 0)
            return (enum quipu__profile_by)by;
        words += len + (words[len] == '|');
    }
    return QUIPU__PROFILE_BY_location;
}

/* Whether the calls around a call matter. */
static bool needs_scope(const struct quipu__settings *settings) {
    const enum quipu__profile_by by = by_of(quipu__settings_value(settings, "by"));
    return by == QUIPU__PROFILE_BY_path || by == QUIPU__PROFILE_BY_phase || by == QUIPU__PROFILE_BY_between ||
           by == QUIPU__PROFILE_BY_callsite || quipu__settings_say_yes(settings, "tree") ||
           quipu__settings_value(settings, "within") || quipu__settings_value(settings, "begin");
}

static enum quipu_status check_counters(const struct quipu__settings *settings, struct quipu_error *err) {
    static const char *const others[] = {"within", "begin", "end", "top"};
    const enum quipu__profile_by by = by_of(quipu__settings_value(settings, "by"));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (quipu__settings_value(settings, others[i]))
            return quipu__fail(err, QUIPU_MISUSE, "--counters does not go with --%s", others[i]);
    return by == QUIPU__PROFILE_BY_location || by == QUIPU__PROFILE_BY_region || by == QUIPU__PROFILE_BY_path
               ? QUIPU_OK
               : quipu__fail(err, QUIPU_MISUSE, "--counters goes with --by location, region or path, not %s",
                             quipu__settings_value(settings, "by"));
}

static enum quipu_status check(const struct quipu__settings *settings, struct quipu_error *err) {
    const char *by = quipu__settings_value(settings, "by");
    if (quipu__settings_say_yes(settings, "tree") && by && strcmp(by, "path") != 0)
        return quipu__fail(err, QUIPU_MISUSE, "a tree is of paths: --tree does not go with --by %s", by);
    if (quipu__settings_value(settings, "end") && !quipu__settings_value(settings, "begin"))
        return quipu__fail(err, QUIPU_MISUSE, "--end needs --begin, which names what it ends");
    if (quipu__settings_say_yes(settings, "counters"))
        return check_counters(settings, err);
    if (by_of(by) == QUIPU__PROFILE_BY_between &&
        (quipu__settings_value(settings, "within") || quipu__settings_value(settings, "begin")))
        return quipu__fail(err, QUIPU_MISUSE,
                           "--by between is of what is outside of calls: --within and --begin name calls");
    return QUIPU_OK;
}

static enum quipu_status read_options(struct quipu__profile *profile, const struct quipu__fold_start *start,
                                      struct quipu_error *err) {
    const struct quipu__settings *settings = &start->settings;
    const char *top = quipu__settings_value(settings, "top");
    const enum quipu_status status = check(settings, err);
    if (status != QUIPU_OK)
        return status;
    profile->is_tree = quipu__settings_say_yes(settings, "tree");
    profile->by = profile->is_tree ? QUIPU__PROFILE_BY_path : by_of(quipu__settings_value(settings, "by"));
    profile->top = top ? strtoull(top, NULL, 10) : UINT64_MAX;
    profile->sort = start->sort;
    if (quipu__settings_say_yes(settings, "counters"))
        return quipu__counted_new(profile, start, err);
    return needs_scope(settings) ? quipu__profile_scope_new(profile, settings, err) : QUIPU_OK;
}

/* Markers may be annotations; call sites are attributes. */
static void select(const struct quipu__settings *settings, const struct quipu_definitions *definitions,
                   struct quipu_selection *selection) {
    (void)definitions;
    if (needs_scope(settings))
        selection->kinds |= QUIPU_KIND_BIT(QUIPU_KIND_marker);
    if (quipu__settings_say_yes(settings, "counters")) {
        selection->kinds |= QUIPU_KIND_BIT(QUIPU_KIND_metric);
        selection->order = QUIPU_ORDER_TIME;
    }
    selection->without_attributes = by_of(quipu__settings_value(settings, "by")) != QUIPU__PROFILE_BY_callsite;
}

/* Checkpoints have no paths. */
static bool can_resume(const struct quipu__settings *settings) {
    return !needs_scope(settings) && !quipu__settings_say_yes(settings, "counters");
}

/* ==== The fold ==== */

static enum quipu_status begin(const struct quipu__fold_start *start, void **state, struct quipu_error *err) {
    struct quipu__profile *profile = quipu__fold_state(start, sizeof *profile, state);
    if (!profile)
        return quipu__no_memory(err, sizeof *profile);
    profile->has_all_calls = quipu__selects_all_calls(start->selection);
    enum quipu_status status = quipu__profile_init(profile, start, err);
    if (status == QUIPU_OK)
        status = read_options(profile, start, err);
    return status == QUIPU_OK && start->window && !profile->counted
               ? quipu__profile_window_new(profile, start, err)
               : status;
}

static enum quipu_status consume(void *state, const struct quipu_batch *batch, struct quipu_error *err) {
    struct quipu__profile *profile = state;
    if (profile->counted)
        return quipu__counted_consume(profile, batch, err);
    if (!quipu__profile_note_sources(profile, batch))
        return quipu__no_memory(err, profile->memory.used);
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

static void release(void *state) {
    struct quipu__profile *profile = state;
    if (profile->whole)
        release(profile->whole);
    for (uint32_t i = 0; i < profile->stack_count; i++) {
        const struct quipu__profile_stack *stack = &profile->stacks[i];
        quipu__release(&profile->memory, stack->calls, stack->capacity * sizeof *stack->calls);
    }
    quipu__release(&profile->memory, profile->stacks, profile->stack_count * sizeof *profile->stacks);
    QUIPU__VEC_RELEASE(&profile->memory, &profile->rows);
    quipu__map_release(&profile->row_of);
    quipu__profile_scope_free(profile);
    quipu__counted_free(profile);
    quipu__fold_state_release(profile, sizeof *profile);
}

/* ==== Checkpoints ====
 *
 * What a profile knows of a substream as bytes, for the index.
 *
 *     rows    count, then of each: location, region + 1, a bit per value that is not 0 and one for the durations, those
 *             values, the durations of the shortest and the longest call
 *     lifetimes  count of locations with events, then of each: location, times of its first and its last event
 *     stacks  count of those where calls are active, then of each: location, stream, time of the latest event, that of the
 *             latest enter or leave, depth, and of each call its row, of each call when it was entered
 */

#define HAS_DURATIONS (UINT64_C(1) << QUIPU__PROFILE_COUNT)

static void save_row(const struct quipu__profile_row *row, struct quipu__buffer *out) {
    uint64_t used = row->shortest <= row->longest ? HAS_DURATIONS : 0;
    for (unsigned i = 0; i < QUIPU__PROFILE_COUNT; i++)
        used |= (uint64_t)(row->values[i] != 0) << i;
    quipu__pack_u64(out, row->location);
    quipu__pack_u64(out, row->region + UINT32_C(1)); /* none is 0 */
    quipu__pack_u64(out, used);
    for (unsigned i = 0; i < QUIPU__PROFILE_COUNT; i++)
        if (row->values[i] != 0)
            quipu__pack_u64(out, row->values[i]);
    if ((used & HAS_DURATIONS) != 0) {
        quipu__pack_i64(out, row->shortest);
        quipu__pack_i64(out, row->longest);
    }
}

static void save_stack(const struct quipu__profile_stack *stack, uint32_t location, struct quipu__buffer *out) {
    quipu__pack_u64(out, location);
    quipu__pack_u64(out, stack->stream);
    quipu__pack_i64(out, stack->last);
    quipu__pack_i64(out, stack->change);
    quipu__pack_u64(out, stack->depth);
    for (uint32_t i = 1; i <= stack->depth; i++)
        quipu__pack_u64(out, stack->calls[i].row);
    for (uint32_t i = 1; i <= stack->depth; i++)
        quipu__pack_i64(out, stack->calls[i].entered);
}

static void save_lifetimes(const struct quipu__profile *profile, struct quipu__buffer *out) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < profile->stack_count; i++)
        count += profile->stacks[i].begin <= quipu__profile_last(&profile->stacks[i]);
    quipu__pack_u64(out, count);
    for (uint32_t i = 0; i < profile->stack_count; i++) {
        const struct quipu__profile_stack *stack = &profile->stacks[i];
        if (stack->begin > quipu__profile_last(stack))
            continue;
        quipu__pack_u64(out, i);
        quipu__pack_i64(out, stack->begin);
        quipu__pack_i64(out, quipu__profile_last(stack));
    }
}

static enum quipu_status save_checkpoint(const void *state, struct quipu__buffer *out,
                                         struct quipu_error *err) {
    const struct quipu__profile *profile = state;
    uint32_t active = 0;
    quipu__pack_u64(out, profile->rows.count - (QUIPU__PROFILE_NOWHERE + 1));
    for (size_t i = QUIPU__PROFILE_NOWHERE + 1; i < profile->rows.count; i++)
        save_row(&profile->rows.items[i], out);
    for (uint32_t i = 0; i < profile->stack_count; i++)
        active += profile->stacks[i].depth > 0;
    save_lifetimes(profile, out);
    quipu__pack_u64(out, active);
    for (uint32_t i = 0; i < profile->stack_count; i++)
        if (profile->stacks[i].depth > 0)
            save_stack(&profile->stacks[i], i, out);
    return out->failed ? quipu__no_memory(err, out->len) : QUIPU_OK;
}

/* A number below a limit; another one sets failed. */
static uint32_t load_below(struct quipu__slice *from, uint64_t limit) {
    const uint64_t number = quipu__unpack_u64(from);
    from->failed |= number >= limit;
    return from->failed ? 0 : (uint32_t)number;
}

/* Regions, or keys, are below a limit. False when memory is out; from says whether the bytes are right. */
static bool load_row(struct quipu__profile *profile, uint64_t regions, struct quipu__slice *from) {
    const uint32_t location = load_below(from, profile->definitions->locations.count);
    const uint32_t region = load_below(from, regions + 1) - UINT32_C(1);
    const uint64_t used = load_below(from, HAS_DURATIONS << 1);
    from->failed |= quipu__map_get(&profile->row_of, quipu__profile_key(location, region)) != QUIPU_NONE;
    if (from->failed)
        return true;
    const uint32_t number = quipu__profile_add_row(profile, location, region);
    if (number == QUIPU_NONE)
        return false;
    struct quipu__profile_row *row = &profile->rows.items[number];
    for (unsigned i = 0; i < QUIPU__PROFILE_COUNT; i++)
        if ((used >> i & 1) != 0)
            row->values[i] = quipu__unpack_u64(from);
    if ((used & HAS_DURATIONS) != 0) {
        row->shortest = quipu__unpack_i64(from);
        row->longest = quipu__unpack_i64(from);
    }
    return true;
}

static bool load_call(struct quipu__profile *profile, struct quipu__profile_stack *stack,
                      struct quipu__slice *from) {
    const uint32_t number = load_below(from, profile->rows.count);
    from->failed |= number == QUIPU__PROFILE_NOWHERE;
    if (from->failed)
        return true;
    if (stack->depth + 1 >= stack->capacity && !quipu__profile_deepen(profile, stack))
        return false;
    profile->rows.items[number].open++;
    stack->calls[++stack->depth].row = number;
    return true;
}

/* The stack that a location which is read next has. NULL when memory is out, or the location cannot be right. */
static struct quipu__profile_stack *load_location(struct quipu__profile *profile, struct quipu__slice *from) {
    const uint32_t location = load_below(from, profile->definitions->locations.count);
    if (from->failed || (location >= profile->stack_count && !quipu__profile_add_stacks(profile, location)))
        return NULL;
    return &profile->stacks[location];
}

static bool load_lifetime(struct quipu__profile *profile, struct quipu__slice *from) {
    struct quipu__profile_stack *stack = load_location(profile, from);
    if (!stack)
        return from->failed;
    stack->begin = quipu__unpack_i64(from);
    stack->end = quipu__unpack_i64(from);
    return true;
}

static bool load_lifetimes(struct quipu__profile *profile, struct quipu__slice *from) {
    bool has_room = true;
    for (uint64_t left = quipu__unpack_u64(from); left > 0 && has_room && !from->failed; left--)
        has_room = load_lifetime(profile, from);
    return has_room;
}

static bool load_stack(struct quipu__profile *profile, struct quipu__slice *from) {
    struct quipu__profile_stack *stack = load_location(profile, from);
    if (!stack)
        return from->failed;
    from->failed |= stack->depth > 0;
    stack->stream = load_below(from, QUIPU_NONE);
    stack->last = quipu__unpack_i64(from);
    stack->change = quipu__unpack_i64(from);
    bool has_room = true;
    for (uint64_t left = quipu__unpack_u64(from); left > 0 && has_room && !from->failed; left--)
        has_room = load_call(profile, stack, from);
    for (uint32_t i = 1; i <= stack->depth && !from->failed; i++)
        stack->calls[i].entered = quipu__unpack_i64(from);
    return has_room;
}

static bool load_all(struct quipu__profile *profile, struct quipu__slice *from) {
    bool has_room = true;
    for (uint64_t left = quipu__unpack_u64(from); left > 0 && has_room && !from->failed; left--)
        has_room = load_row(profile, profile->definitions->regions.count, from);
    has_room = has_room && load_lifetimes(profile, from);
    for (uint64_t left = quipu__unpack_u64(from); left > 0 && has_room && !from->failed; left--)
        has_room = load_stack(profile, from);
    from->failed |= from->at != from->end;
    return has_room;
}

static enum quipu_status resume(const struct quipu__fold_start *start, struct quipu__slice bytes, void **state,
                                struct quipu_error *err) {
    enum quipu_status status = begin(start, state, err);
    if (status != QUIPU_OK)
        return status;
    struct quipu__profile *inside = *state, *profile = inside->whole ? inside->whole : inside;
    if (!load_all(profile, &bytes))
        status = quipu__no_memory(err, profile->memory.used);
    else if (bytes.failed)
        status = quipu__fail(err, QUIPU_CORRUPT, "the checkpoint of the profile cannot be right");
    if (status != QUIPU_OK) {
        release(inside);
        *state = NULL;
    }
    return status;
}

/* ==== Several processes ====
 *
 * What is known when nothing is active any more:
 *
 *     rows, as in checkpoints, of what is inside the window
 *     lifetimes, as there, of the whole
 *     paths   count, then of each but the empty one: parent, region; only where the keys of rows are paths, in front of the rows
 */

static bool has_paths(const struct quipu__profile *profile) {
    return profile->scope && profile->by >= QUIPU__PROFILE_BY_path;
}

static enum quipu_status save(void *state, struct quipu__buffer *out, struct quipu_error *err) {
    struct quipu__profile *profile = state;
    quipu__profile_end(profile);
    if (has_paths(profile)) {
        const struct quipu__call_paths *paths = &profile->scope->paths;
        quipu__pack_u64(out, paths->list.count);
        for (size_t i = QUIPU__NO_CALLS + 1; i < paths->list.count; i++) {
            quipu__pack_u64(out, paths->list.items[i].parent);
            quipu__pack_u64(out, paths->list.items[i].region);
        }
    }
    quipu__pack_u64(out, profile->rows.count - (QUIPU__PROFILE_NOWHERE + 1));
    for (size_t i = QUIPU__PROFILE_NOWHERE + 1; i < profile->rows.count; i++)
        save_row(&profile->rows.items[i], out);
    save_lifetimes(quipu__profile_whole_of(profile), out);
    return quipu__memory_status(&profile->memory, err);
}

/* Each path comes after its parent, once. */
static bool load_paths(struct quipu__call_paths *paths, struct quipu__slice *from) {
    const uint64_t count = quipu__unpack_u64(from);
    bool has_room = true;
    for (uint64_t i = QUIPU__NO_CALLS + 1; i < count && has_room && !from->failed; i++) {
        const uint32_t parent = load_below(from, i), region = load_below(from, UINT64_C(1) << 32);
        const uint32_t number = from->failed ? 0 : quipu__call_path_enter(paths, parent, region);
        has_room = number != QUIPU_NONE;
        from->failed |= number != i;
    }
    return has_room;
}

/* How many keys rows may have; by MPI there is one that is no region. */
static uint64_t key_limit(const struct quipu__profile *profile) {
    if (has_paths(profile))
        return profile->scope->paths.list.count;
    return profile->by == QUIPU__PROFILE_BY_mpi ? QUIPU_NONE : profile->definitions->regions.count;
}

static enum quipu_status load(const struct quipu__fold_start *start, struct quipu__slice *from, void **state,
                              struct quipu_error *err) {
    const enum quipu_status status = begin(start, state, err);
    struct quipu__profile *profile = *state;
    if (status != QUIPU_OK)
        return status;
    bool has_room = !has_paths(profile) || load_paths(&profile->scope->paths, from);
    for (uint64_t left = quipu__unpack_u64(from); left > 0 && has_room && !from->failed; left--)
        has_room = load_row(profile, key_limit(profile), from);
    if (has_room)
        has_room = load_lifetimes(profile->whole ? profile->whole : profile, from);
    return has_room ? QUIPU_OK : quipu__no_memory(err, profile->memory.used);
}

/* ==== Several traces ==== */

#define PROFILES_LIST(TABLE, COLUMN, END)                                                                      \
    TABLE(PROFILES, "profiles", "a row per region, or path or group, and trace")                               \
    COLUMN(PROFILES, path, TEXT, "", "with --by path: regions from the outermost call to the innermost")       \
    COLUMN(PROFILES, region, TEXT, "", "name of the region or group, null for what happened outside of any")   \
    COLUMN(PROFILES, number, U64, "", "number of the trace, from 1")                                           \
    COLUMN(PROFILES, trace, TEXT, "", "name of the trace")                                                     \
    COLUMN(PROFILES, exclusive_ns, I64, "ns", "time inside it but not inside regions that it called")          \
    COLUMN(PROFILES, calls, U64, "", "number of calls")                                                        \
    COLUMN(PROFILES, messages_sent, U64, "", "messages sent inside it")                                        \
    COLUMN(PROFILES, bytes_sent, U64, "bytes", "bytes of messages sent inside it")                             \
    COLUMN(PROFILES, parameter, TEXT, "",                                                                      \
           "what traces differ in: p, the number of locations, or what --points names")                        \
    COLUMN(PROFILES, point, DECIMAL, "", "its value in this trace")                                            \
    COLUMN(PROFILES, locations, U64, "", "locations with calls in this trace")                                 \
    END(PROFILES)
QUIPU__TABLES(PROFILES_LIST)
static const struct quipu_analysis_table profiles_tables[] = {QUIPU__SHAPES(PROFILES_LIST)};

enum { NUMBERS = PROFILES_bytes_sent + 1 - PROFILES_exclusive_ns, POINT_MOST = 32 };

/* The answer of a trace, sorted by what rows are of. */
struct profiled {
    struct quipu_table *table;
    size_t key, numbers[NUMBERS]; /* columns */
    size_t next;                  /* row */
    uint64_t locations;
    char point[POINT_MOST];
};

static const char *key_at(const struct profiled *trace) {
    const struct quipu_cell *cell = quipu_table_at(trace->table, trace->next, trace->key);
    return cell->is_null ? NULL : cell->text;
}

/* Null last, as tables are sorted. */
static int compare_keys(const char *a, const char *b) {
    if (!a || !b)
        return (a == NULL) - (b == NULL);
    return strcmp(a, b);
}

/* How many locations have rows, or the most that one row counts. */
static uint64_t count_locations(struct quipu_table *table) {
    const size_t process = quipu_table_column_find(table, "process"),
                 own = process == SIZE_MAX ? quipu_table_column_find(table, "location") : process,
                 counted = quipu_table_column_find(table, "locations");
    const size_t column = own == SIZE_MAX ? counted : own;
    uint64_t count = 0;
    if (column == SIZE_MAX)
        return 0;
    quipu_table_sort(table, column, own == SIZE_MAX);
    const size_t rows = quipu_table_row_count(table);
    if (own == SIZE_MAX)
        return rows > 0 ? quipu_table_at(table, 0, column)->u : 0;
    for (size_t row = 0; row < rows; row++) {
        char name[256];
        snprintf(name, sizeof name, "%s", row > 0 ? quipu_table_at(table, row - 1, column)->text : "");
        count += row == 0 || strcmp(name, quipu_table_at(table, row, column)->text) != 0;
    }
    return count;
}

static enum quipu_status profiled_init(struct profiled *trace, const struct quipu_tables *answer,
                                       struct quipu_error *err) {
    static const char *const keys[] = {"path", "region", "group"};
    trace->table = quipu_tables_at(answer, 0);
    trace->key = SIZE_MAX;
    for (size_t i = 0; i < sizeof keys / sizeof *keys && trace->key == SIZE_MAX; i++)
        trace->key = quipu_table_column_find(trace->table, keys[i]);
    if (trace->key == SIZE_MAX || quipu_table_column_find(trace->table, "phase") != SIZE_MAX)
        return quipu__fail(err, QUIPU_MISUSE, "profiles of several traces are by region, path or group");
    for (size_t i = 0; i < NUMBERS; i++)
        trace->numbers[i] =
            quipu_table_column_find(trace->table, PROFILES_columns[PROFILES_exclusive_ns + i].name);
    trace->locations = count_locations(trace->table);
    quipu_table_sort(trace->table, trace->key, false);
    return QUIPU_OK;
}

/* The next number of a list, which ends at its comma; false for what is none. */
static bool take_point(const char **list, char *out) {
    const size_t len = strcspn(*list, ",");
    struct quipu__decimal number;
    if (len >= POINT_MOST || !quipu__parse_decimal(*list, len, &number))
        return false;
    memcpy(out, *list, len);
    out[len] = '\0';
    *list += len + ((*list)[len] == ',');
    return true;
}

static enum quipu_status set_points(struct profiled *traces, size_t count, const char *text, char *name,
                                    struct quipu_error *err) {
    const char *equals = text ? strchr(text, '=') : NULL, *list = equals ? equals + 1 : text;
    const size_t len = equals ? (size_t)(equals - text) : 0;
    bool is_right = !equals || (len > 0 && len < POINT_MOST && memchr(text, ' ', len) == NULL);
    snprintf(name, POINT_MOST, "%.*s", is_right && equals ? (int)len : 1, is_right && equals ? text : "p");
    for (size_t i = 0; i < count && !text; i++)
        snprintf(traces[i].point, POINT_MOST, "%" PRIu64, traces[i].locations);
    for (size_t i = 0; i < count && text && is_right; i++)
        is_right = take_point(&list, traces[i].point);
    return is_right && (!text || *list == '\0')
               ? QUIPU_OK
               : quipu__fail(err, QUIPU_MISUSE,
                             "--points takes a number for each of the %zu traces, such as size=100,200, not %s",
                             count, text);
}

/* What the rows of a region add up to, zeros when there are none. */
static void add_up(struct profiled *trace, const char *key, uint64_t *numbers) {
    memset(numbers, 0, NUMBERS * sizeof *numbers);
    const size_t rows = quipu_table_row_count(trace->table);
    for (; trace->next < rows && compare_keys(key_at(trace), key) == 0; trace->next++)
        for (size_t i = 0; i < NUMBERS; i++)
            numbers[i] += trace->numbers[i] == SIZE_MAX
                              ? 0
                              : quipu_table_at(trace->table, trace->next, trace->numbers[i])->u;
}

static enum quipu_status put_profiled(struct profiled *trace, uint64_t number, const char *name,
                                      const char *parameter, const char *key, struct quipu_table *table,
                                      struct quipu_error *err) {
    uint64_t numbers[NUMBERS];
    add_up(trace, key, numbers);
    const bool is_path = strcmp(quipu_table_column_at(trace->table, trace->key)->name, "path") == 0;
    quipu__table_put_text(table, PROFILES_path, is_path ? key : NULL);
    quipu__table_put_text(table, PROFILES_region, is_path ? NULL : key);
    quipu__table_put_u64(table, PROFILES_number, number);
    quipu__table_put_text(table, PROFILES_trace, name);
    quipu__table_put_text(table, PROFILES_parameter, parameter);
    quipu__table_put_cell(table, PROFILES_point, QUIPU_TYPE_DECIMAL,
                          (struct quipu_cell){false, {.text = trace->point}});
    quipu__table_put_u64(table, PROFILES_locations, trace->locations);
    quipu__table_put_i64(table, PROFILES_exclusive_ns, (int64_t)numbers[0]);
    for (size_t i = 1; i < NUMBERS; i++)
        quipu__table_put_u64(table, PROFILES_exclusive_ns + i, numbers[i]);
    return quipu__table_end_row(table, err);
}

/* The trace whose next row comes first; NULL: there is none. */
static struct profiled *first_of(struct profiled *traces, size_t count) {
    struct profiled *first = NULL;
    for (size_t i = 0; i < count; i++)
        if (traces[i].next < quipu_table_row_count(traces[i].table) &&
            (!first || compare_keys(key_at(&traces[i]), key_at(first)) < 0))
            first = &traces[i];
    return first;
}

/* A region that a trace does not have took no time there. */
static enum quipu_status put_profiles(struct profiled *traces, const char *const *names, size_t count,
                                      const char *parameter, struct quipu__buffer *key,
                                      struct quipu_table *table, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (struct profiled *first; status == QUIPU_OK && (first = first_of(traces, count));) {
        const char *text = key_at(first);
        key->len = 0;
        if (text)
            quipu__put(key, text, strlen(text) + 1);
        if (key->failed)
            return quipu__no_memory(err, key->len);
        for (size_t i = 0; i < count && status == QUIPU_OK; i++)
            status = put_profiled(&traces[i], i + 1, names[i], parameter, text ? (const char *)key->data : NULL,
                                  table, err);
    }
    return status;
}

static enum quipu_status relate(const struct quipu_tables *const *answers, const char *const *names,
                                size_t count, const struct quipu__settings *settings,
                                struct quipu_tables *tables, struct quipu_error *err) {
    struct quipu__memory memory;
    struct quipu__buffer key;
    struct quipu_table *table;
    char parameter[POINT_MOST];
    if (quipu__settings_value(settings, "top"))
        return quipu__fail(err, QUIPU_MISUSE, "--top is for one trace: rows of others would be missing");
    quipu__memory_init(&memory, NULL, 0);
    quipu__buffer_init(&key, &memory, 0);
    struct profiled *traces = quipu__alloc_zero(&memory, count * sizeof *traces);
    enum quipu_status status = traces ? QUIPU_OK : quipu__no_memory(err, count * sizeof *traces);
    for (size_t i = 0; i < count && status == QUIPU_OK; i++)
        status = profiled_init(&traces[i], answers[i], err);
    if (status == QUIPU_OK)
        status = set_points(traces, count, quipu__settings_value(settings, "points"), parameter, err);
    if (status == QUIPU_OK)
        status = quipu__tables_add(tables, &profiles_tables[PROFILES], &table, err);
    if (status == QUIPU_OK)
        status = put_profiles(traces, names, count, parameter, &key, table, err);
    quipu__buffer_release(&key);
    quipu__release(&memory, traces, count * sizeof *traces);
    return status;
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
             "that in MPI calls and that outside of them, which has what these call of the program. --by "
             "between tells the time outside of any call "
             "apart by the calls "
             "around it, \"between MPI_Wait and MPI_Send\", those that contain others.\n\n"
             "--by callsite tells calls of a region apart by the place in the source code that they are made "
             "at, where the trace has it (\"quipu record --callsites\").\n\n"
             "--by path tells calls of a region apart by their callers, and --tree shows them below these, "
             "those "
             "of one caller by inclusive time. --within counts only what happens in calls of some regions, "
             "--begin and --end only what happens between annotations. --by phase has the phases, numbered at "
             "each location: one begins with each annotation, with those that --begin names, or with each call "
             "that "
             "--within names. The time of calls that are active then is divided; they are counted where they "
             "began. So it is with a window of --since and --until: windows that touch add up, but for a "
             "nanosecond where ticks are no whole nanoseconds, since a row's ticks are added first.\n\n"
             "With --counters the answer is the table \"counters\": what accumulated metrics count, such as "
             "instructions, by location and region, by region, or by path. The increase between two values of "
             "a "
             "metric at a location is shared by time over what the location was in meanwhile, so that what is "
             "counted at enter and leave is that of one call, and rows and windows that touch add up to the "
             "whole; a value that is not above the one before counts nothing.\n\n"
             "Several traces have one table: what all locations of each trace took in each region, or path or "
             "group. For Extra-P these are means of the locations, times in seconds; traces of the same point "
             "are "
             "its repetitions, and a region that a trace does not have took no time there.",
         .examples =
             "quipu profile run.trace --by region --limit 20 # the twenty most expensive regions\n"
             "quipu profile run.trace --tree --top 10 # the ten most expensive paths, and their callers\n"
             "quipu profile run.trace --within solve --by region # the regions that solve calls\n"
             "quipu profile run.trace --by mpi # the part of MPI at each process\n"
             "quipu profile run.trace --tree --counters # the instructions of each path of calls\n"
             "quipu profile run.trace --csv -o profile.csv # everything, for a spreadsheet\n"
             "quipu profile p4.trace p8.trace p16.trace --extra-p -o growth.txt # how regions grow, for "
             "Extra-P",
         .options = options,
         .option_count = sizeof options / sizeof *options,
         .tables = quipu__profile_tables,
         .table_count = QUIPU__PROFILE_TABLES,
         .sort = "exclusive_ns",
         .relates = true,
         .empty_answer = "no calls to show"},
    .kinds = QUIPU_KIND_BIT(QUIPU_KIND_enter) | QUIPU_KIND_BIT(QUIPU_KIND_leave) |
             QUIPU_KIND_BIT(QUIPU_KIND_send) | QUIPU_KIND_BIT(QUIPU_KIND_recv) |
             QUIPU_KIND_BIT(QUIPU_KIND_collective_begin),
    .needs_attributes = false,
    .cuts_calls = true,
    .select = select,
    .begin = begin,
    .consume = consume,
    .combine = combine,
    .save = save,
    .load = load,
    .finish = quipu__profile_finish,
    .relate = relate,
    .release = release,
    .section = "profile 2",
    .can_resume = can_resume,
    .save_checkpoint = save_checkpoint,
    .resume = resume,
};
