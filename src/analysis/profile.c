/* profile.c: where the time goes: calls, times, messages and collective operations of each region at each location.
 *
 * Each location has a stack of open calls, which are nothing but the numbers of the rows that they count for. Times are
 * added up without looking back: what has passed since the latest enter or leave belongs to the innermost call, and the
 * outermost call of a region takes its row's inclusive time back to before its beginning and forward to its end. Sums
 * wrap on the way and are right when nothing is open. Traffic counts for the innermost open call, or for a row without
 * region outside of any.
 *
 * Leaves need not balance: a leave of a region that is open further out closes the calls inside it too; one of a
 * region that is not open is only counted. Calls that are open at the end of a stream are closed at their location's
 * last event there.
 */
#include "analysis/profile.h"

#include "core/error.h"
#include "core/os.h"

#include <string.h>

/* ---- Rows and stacks ---- */

uint32_t quipu__profile_add_row(struct quipu__profile *profile, uint32_t location, uint32_t region) {
    struct quipu__profile_row *row = QUIPU__VEC_ADD(&profile->memory, &profile->rows);
    if (!row)
        return QUIPU_NONE;
    *row = (struct quipu__profile_row){.location = location, .region = region, .locations = 1};
    const uint32_t number = (uint32_t)(profile->rows.count - 1);
    return quipu__map_put(&profile->row_of, quipu__profile_key(location, region), number) ? number : QUIPU_NONE;
}

/* Where the row would be. Regions of a location have different slots as far as there are enough. */
QUIPU__INLINE uint32_t recent_index(uint32_t location, uint32_t region) {
    return (location * 61 + region) % QUIPU__PROFILE_RECENT;
}

/* Number of the row; QUIPU_NONE when memory is out. */
static uint32_t row_of(struct quipu__profile *profile, uint32_t location, uint32_t region) {
    uint32_t number = quipu__map_get(&profile->row_of, quipu__profile_key(location, region));
    if (number == QUIPU_NONE)
        number = quipu__profile_add_row(profile, location, region);
    if (number != QUIPU_NONE)
        profile->recent[recent_index(location, region)] =
            (struct quipu__profile_recent){quipu__profile_key(location, region), number};
    return number;
}

/* The row that traffic counts for at this time. */
static struct quipu__profile_row *innermost_row(struct quipu__profile *profile,
                                                const struct quipu__profile_stack *stack, uint32_t location) {
    const uint32_t number =
        stack->depth > 0 ? stack->calls[stack->depth] : row_of(profile, location, QUIPU_NONE);
    return number == QUIPU_NONE ? NULL : &profile->rows.items[number];
}

bool quipu__profile_add_stacks(struct quipu__profile *profile, uint32_t location) {
    const uint32_t defined = profile->definitions->locations.count;
    const size_t count = location < defined ? defined : (size_t)location + 1;
    if (count > SIZE_MAX / sizeof(struct quipu__profile_stack))
        return false;
    struct quipu__profile_stack *stacks = quipu__resize(
        &profile->memory, profile->stacks, profile->stack_count * sizeof *stacks, count * sizeof *stacks);
    if (!stacks)
        return false;
    memset(stacks + profile->stack_count, 0, (count - profile->stack_count) * sizeof *stacks);
    for (size_t i = profile->stack_count; i < count; i++) {
        stacks[i].last = INT64_MIN;
        stacks[i].stream = QUIPU_NONE;
    }
    profile->stacks = stacks;
    profile->stack_count = (uint32_t)count;
    return true;
}

bool quipu__profile_deepen(struct quipu__profile *profile, struct quipu__profile_stack *stack) {
    const uint32_t capacity = stack->capacity ? stack->capacity * 2 : 16;
    uint32_t *calls = quipu__resize(&profile->memory, stack->calls, stack->capacity * sizeof *calls,
                                    (size_t)capacity * sizeof *calls);
    if (!calls)
        return false;
    calls[0] = QUIPU__PROFILE_NOWHERE;
    stack->calls = calls;
    stack->capacity = capacity;
    return true;
}

/* ---- Calls ---- */

/* Closes the innermost call. */
static void close_call(struct quipu__profile *profile, struct quipu__profile_stack *stack, int64_t time) {
    struct quipu__profile_row *row = &profile->rows.items[stack->calls[stack->depth--]];
    row->values[QUIPU__PROFILE_exclusive_ns] += (uint64_t)time - (uint64_t)stack->change;
    if (--row->open == 0)
        row->values[QUIPU__PROFILE_inclusive_ns] += (uint64_t)time;
    stack->change = time;
}

static bool leave(struct quipu__profile *profile, struct quipu__profile_stack *stack, uint32_t location,
                  uint32_t region, int64_t time) {
    if (region == QUIPU_NONE && stack->depth > 0) {
        close_call(profile, stack, time);
        return true;
    }
    const uint32_t number = row_of(profile, location, region);
    if (number == QUIPU_NONE)
        return false;
    struct quipu__profile_row *row = &profile->rows.items[number];
    if (row->open == 0) {
        row->values[QUIPU__PROFILE_unmatched]++;
        return true;
    }
    while (stack->calls[stack->depth] != number)
        close_call(profile, stack, time);
    close_call(profile, stack, time);
    return true;
}

static bool enter(struct quipu__profile *profile, struct quipu__profile_stack *stack, uint32_t location,
                  uint32_t region, int64_t time) {
    if (stack->depth + 1 >= stack->capacity && !quipu__profile_deepen(profile, stack))
        return false;
    const uint32_t number = row_of(profile, location, region);
    if (number == QUIPU_NONE)
        return false;
    struct quipu__profile_row *row = &profile->rows.items[number];
    profile->rows.items[stack->calls[stack->depth]].values[QUIPU__PROFILE_exclusive_ns] +=
        (uint64_t)time - (uint64_t)stack->change;
    row->values[QUIPU__PROFILE_calls]++;
    if (row->open++ == 0)
        row->values[QUIPU__PROFILE_inclusive_ns] -= (uint64_t)time;
    stack->calls[++stack->depth] = number;
    stack->change = time;
    return true;
}

/* Enters and leaves, from event first on, that need nothing new and whose leaves are of the innermost call. Returns the
 * index of the first event that is not of this sort. Which of the two comes next is hard to guess for a processor, so both
 * take the same way and differ only in numbers: half the time of asking. */
static uint32_t add_nested_calls(struct quipu__profile *profile, struct quipu__profile_stack *stack,
                                 const struct quipu_batch *batch, uint32_t first, uint32_t location) {
    const uint32_t *const locations = batch->location, *const regions = batch->object;
    const uint8_t *const kinds = batch->kind;
    const int64_t *const times = batch->time;
    const uint32_t count = batch->count, most = stack->capacity;
    struct quipu__profile_row *const rows = profile->rows.items;
    uint32_t *const calls = stack->calls;
    uint32_t depth = stack->depth, i = first;
    int64_t change = stack->change, last = stack->last;
    for (; i < count && locations[i] == location; i++) {
        const struct quipu__profile_recent *recent = &profile->recent[recent_index(location, regions[i])];
        const bool leaves = kinds[i] == QUIPU_KIND_leave;
        if ((!leaves && kinds[i] != QUIPU_KIND_enter) ||
            recent->key != quipu__profile_key(location, regions[i]) || depth + 1 >= most ||
            (leaves && calls[depth] != recent->row))
            break;
        const int64_t time = times[i];
        const uint64_t step = leaves ? UINT64_MAX : 1;
        struct quipu__profile_row *row = &rows[recent->row];
        rows[calls[depth]].values[QUIPU__PROFILE_exclusive_ns] += (uint64_t)time - (uint64_t)change;
        row->values[QUIPU__PROFILE_inclusive_ns] -= row->open == leaves ? (uint64_t)time * step : 0;
        row->values[QUIPU__PROFILE_calls] += !leaves;
        row->open += (uint32_t)step;
        calls[depth + 1] = recent->row; /* not looked at when leaving */
        depth += (uint32_t)step;
        change = time;
        last = time > last ? time : last;
    }
    stack->depth = depth;
    stack->change = change;
    stack->last = last;
    return i;
}

/* ---- Events ---- */

static uint64_t known(uint64_t bytes) {
    return bytes == QUIPU_UNKNOWN ? 0 : bytes;
}

static bool add_traffic(struct quipu__profile *profile, const struct quipu__profile_stack *stack,
                        const struct quipu_batch *batch, uint32_t i) {
    struct quipu__profile_row *row = innermost_row(profile, stack, batch->location[i]);
    if (!row)
        return false;
    switch (batch->kind[i]) {
    case QUIPU_KIND_send:
        row->values[QUIPU__PROFILE_messages_sent]++;
        row->values[QUIPU__PROFILE_bytes_sent] += known(batch->bytes[i]);
        break;
    case QUIPU_KIND_recv:
        row->values[QUIPU__PROFILE_messages_received]++;
        row->values[QUIPU__PROFILE_bytes_received] += known(batch->bytes[i]);
        break;
    case QUIPU_KIND_collective_begin:
        row->values[QUIPU__PROFILE_collectives]++;
        row->values[QUIPU__PROFILE_collective_bytes_sent] += known(batch->bytes[i]);
        row->values[QUIPU__PROFILE_collective_bytes_received] += known(batch->value[i]);
        break;
    default:
        break;
    }
    return true;
}

/* Closes what is still open. */
static void close_stack(struct quipu__profile *profile, struct quipu__profile_stack *stack) {
    while (stack->depth > 0) {
        profile->rows.items[stack->calls[stack->depth]].values[QUIPU__PROFILE_unfinished]++;
        close_call(profile, stack, stack->last);
    }
}

/* The location goes on in another stream, which knows nothing of the calls that are active in the one before. */
static void begin_stream(struct quipu__profile *profile, struct quipu__profile_stack *stack, uint32_t stream) {
    close_stack(profile, stack);
    stack->last = INT64_MIN;
    stack->stream = stream;
}

static bool add_event(struct quipu__profile *profile, struct quipu__profile_stack *stack,
                      const struct quipu_batch *batch, uint32_t i) {
    const int64_t time = batch->time[i];
    stack->last = time > stack->last ? time : stack->last;
    if (batch->kind[i] == QUIPU_KIND_enter)
        return enter(profile, stack, batch->location[i], batch->object[i], time);
    if (batch->kind[i] == QUIPU_KIND_leave)
        return leave(profile, stack, batch->location[i], batch->object[i], time);
    return add_traffic(profile, stack, batch, i);
}

/* Adds events at one location. Returns the index of the first one that is elsewhere; UINT32_MAX when memory is out. */
static uint32_t add_events(struct quipu__profile *profile, const struct quipu_batch *batch, uint32_t first) {
    const uint32_t location = batch->location[first], count = batch->count;
    if (location >= profile->stack_count && !quipu__profile_add_stacks(profile, location))
        return UINT32_MAX;
    struct quipu__profile_stack *stack = &profile->stacks[location];
    if (stack->stream != batch->stream)
        begin_stream(profile, stack, batch->stream);
    for (uint32_t i = first; i < count; i++) {
        i = add_nested_calls(profile, stack, batch, i, location);
        if (i == count || batch->location[i] != location)
            return i;
        if (!add_event(profile, stack, batch, i))
            return UINT32_MAX;
    }
    return count;
}

/* ---- The fold ---- */

/* The place of a word in QUIPU__PROFILE_BY. */
static enum quipu__profile_by by_of(const char *word) {
    unsigned by = 0;
    for (const char *words = QUIPU__PROFILE_BY; *words; by++) {
        const size_t len = strcspn(words, "|");
        if (len == strlen(word) && memcmp(words, word, len) == 0)
            return (enum quipu__profile_by)by;
        words += len + (words[len] == '|');
    }
    return QUIPU__PROFILE_BY_location;
}

enum quipu_status quipu__profile_begin(const struct quipu__fold_start *start, void **state,
                                       struct quipu_error *err) {
    struct quipu__memory memory;
    quipu__memory_like(&memory, start->memory);
    struct quipu__profile *profile = *state = quipu__alloc_zero(&memory, sizeof *profile);
    if (!profile)
        return quipu__no_memory(err, sizeof *profile);
    profile->memory = memory;
    profile->definitions = start->definitions;
    profile->by = by_of(quipu__settings_value(&start->settings, "by"));
    quipu__map_init(&profile->row_of, &profile->memory);
    for (size_t i = 0; i < QUIPU__PROFILE_RECENT; i++)
        profile->recent[i].key = quipu__profile_key(QUIPU_NONE, QUIPU_NONE);
    return quipu__profile_add_row(profile, QUIPU_NONE, QUIPU_NONE) == QUIPU__PROFILE_NOWHERE
               ? QUIPU_OK
               : quipu__no_memory(err, sizeof(struct quipu__profile_row));
}

static enum quipu_status consume(void *state, const struct quipu_batch *batch, struct quipu_error *err) {
    struct quipu__profile *profile = state;
    uint32_t next = 0;
    while (next < batch->count)
        next = add_events(profile, batch, next);
    return next == batch->count ? QUIPU_OK : quipu__no_memory(err, profile->memory.used);
}

void quipu__profile_close_all(struct quipu__profile *profile) {
    for (uint32_t i = 0; i < profile->stack_count; i++)
        close_stack(profile, &profile->stacks[i]);
}

static enum quipu_status combine(void *state, void *other, struct quipu_error *err) {
    struct quipu__profile *profile = state, *partial = other;
    quipu__profile_close_all(partial);
    for (size_t i = QUIPU__PROFILE_NOWHERE + 1; i < partial->rows.count; i++) {
        const struct quipu__profile_row *from = &partial->rows.items[i];
        const uint32_t number = row_of(profile, from->location, from->region);
        if (number == QUIPU_NONE)
            return quipu__no_memory(err, profile->memory.used);
        quipu__profile_add_values(&profile->rows.items[number], from);
    }
    return quipu__memory_status(&partial->memory, err);
}

void quipu__profile_release(void *state) {
    struct quipu__profile *profile = state;
    for (uint32_t i = 0; i < profile->stack_count; i++)
        quipu__release(&profile->memory, profile->stacks[i].calls,
                       profile->stacks[i].capacity * sizeof *profile->stacks[i].calls);
    quipu__release(&profile->memory, profile->stacks, profile->stack_count * sizeof *profile->stacks);
    QUIPU__VEC_RELEASE(&profile->memory, &profile->rows);
    quipu__map_release(&profile->row_of);
    struct quipu__memory memory = profile->memory;
    quipu__release(&memory, profile, sizeof *profile);
}

static const struct quipu_option options[] = {
    {.name = "by",
     .kind = QUIPU_OPTION_CHOICE,
     .argument = QUIPU__PROFILE_BY,
     .default_value = "location",
     .doc = "a row per region at each location, process or host, or at all; per group of regions; per "
            "location, with its time in MPI"},
};

const struct quipu__fold quipu__profile_fold = {
    .info =
        {.name = "profile",
         .doc = "show where the time goes",
         .details =
             "Counts calls, inclusive and exclusive time, messages and collective operations of each region at "
             "each location. Rows are sorted by exclusive time unless --sort names another column.\n\n"
             "Text shows times in a unit of their size, unless --unit fixes it, and the columns that fit; JSON "
             "and CSV have all "
             "columns, and nanoseconds. exclusive is the time inside a region but not inside regions that it "
             "called, share its "
             "part of the time in all calls, inclusive the time from enter to leave, of which recursive calls "
             "count once, mean "
             "the inclusive time per call. imbalance is the exclusive time of the location with most, in means "
             "of all locations that "
             "have calls: 1 when all are equal. --by mpi shows of each location the time in MPI calls and "
             "outside of them.",
         .examples = "quipu profile run.trace --by region --limit 20 # the twenty most expensive regions\n"
                     "quipu profile run.trace --by mpi # the part of MPI at each process\n"
                     "quipu profile run.trace --csv -o profile.csv # everything, for a spreadsheet",
         .options = options,
         .option_count = sizeof options / sizeof *options,
         .tables = quipu__profile_tables,
         .table_count = QUIPU__PROFILE_BY_COUNT,
         .sort = "exclusive_ns",
         .has_durations = true,
         .empty_answer = "nothing selected"},
    .kinds = QUIPU_KIND_BIT(QUIPU_KIND_enter) | QUIPU_KIND_BIT(QUIPU_KIND_leave) |
             QUIPU_KIND_BIT(QUIPU_KIND_send) | QUIPU_KIND_BIT(QUIPU_KIND_recv) |
             QUIPU_KIND_BIT(QUIPU_KIND_collective_begin),
    .needs_attributes = false,
    .begin = quipu__profile_begin,
    .consume = consume,
    .combine = combine,
    .finish = quipu__profile_finish,
    .release = quipu__profile_release,
    .section = "profile 1",
    .save_checkpoint = quipu__profile_save_checkpoint,
    .resume = quipu__profile_resume,
};
