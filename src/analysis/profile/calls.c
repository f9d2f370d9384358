/* calls.c: the calls, times, messages and collective operations of each region at each location.
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
#include "analysis/profile/profile.h"

#include "core/error.h"
#include "core/os.h"

#include <string.h>

/* ---- Rows and stacks ---- */

uint32_t quipu__profile_add_row(struct quipu__profile *profile, uint32_t location, uint32_t region) {
    struct quipu__profile_row *row = QUIPU__VEC_ADD(&profile->memory, &profile->rows);
    if (!row)
        return QUIPU_NONE;
    *row = (struct quipu__profile_row){
        .location = location, .region = region, .shortest = INT64_MAX, .longest = INT64_MIN};
    const uint32_t number = (uint32_t)(profile->rows.count - 1);
    return quipu__map_put(&profile->row_of, quipu__profile_key(location, region), number) ? number : QUIPU_NONE;
}

/* Where the row would be. Regions of a location have different slots as far as there are enough. */
QUIPU__INLINE uint32_t recent_index(uint32_t location, uint32_t region) {
    return (location * 61 + region) % QUIPU__PROFILE_RECENT;
}

uint32_t quipu__profile_row_of(struct quipu__profile *profile, uint32_t location, uint32_t region) {
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
                                                const struct quipu__profile_stack *stack, uint32_t location,
                                                uint32_t outside) {
    const uint32_t number =
        stack->depth > 0 ? stack->calls[stack->depth].row : quipu__profile_row_of(profile, location, outside);
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
        stacks[i].begin = INT64_MAX;
        stacks[i].last = stacks[i].end = INT64_MIN;
        stacks[i].stream = QUIPU_NONE;
    }
    profile->stacks = stacks;
    profile->stack_count = (uint32_t)count;
    return true;
}

bool quipu__profile_deepen(struct quipu__profile *profile, struct quipu__profile_stack *stack) {
    const uint32_t capacity = stack->capacity ? stack->capacity * 2 : 16;
    struct quipu__profile_open *calls = quipu__resize(
        &profile->memory, stack->calls, stack->capacity * sizeof *calls, capacity * sizeof *calls);
    if (!calls)
        return false;
    calls[0] = (struct quipu__profile_open){.entered = 0, .row = QUIPU__PROFILE_NOWHERE};
    stack->calls = calls;
    stack->capacity = capacity;
    return true;
}

enum quipu_status quipu__profile_init(struct quipu__profile *profile, const struct quipu__fold_start *start,
                                      struct quipu_error *err) {
    profile->definitions = start->definitions;
    profile->window = (struct quipu__window){INT64_MIN, INT64_MAX};
    quipu__map_init(&profile->row_of, &profile->memory);
    for (size_t i = 0; i < QUIPU__PROFILE_RECENT; i++)
        profile->recent[i].key = quipu__profile_key(QUIPU_NONE, QUIPU_NONE);
    return quipu__profile_add_row(profile, QUIPU_NONE, QUIPU_NONE) == QUIPU__PROFILE_NOWHERE
               ? QUIPU_OK
               : quipu__no_memory(err, sizeof(struct quipu__profile_row));
}

/* ---- Traffic ---- */

static uint64_t known(uint64_t bytes) {
    return bytes == QUIPU_UNKNOWN ? 0 : bytes;
}

QUIPU__INLINE void add_traffic(struct quipu__profile_row *row, const struct quipu_batch *batch, uint32_t i) {
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
}

bool quipu__profile_add_traffic(struct quipu__profile *profile, const struct quipu__profile_stack *stack,
                                uint32_t outside, const struct quipu_batch *batch, uint32_t i) {
    struct quipu__profile_row *row = innermost_row(profile, stack, batch->location[i], outside);
    if (!row)
        return false;
    add_traffic(row, batch, i);
    return true;
}

/* ---- Calls ---- */

static void note_duration(struct quipu__profile_row *row, int64_t ticks) {
    row->shortest = ticks < row->shortest ? ticks : row->shortest;
    row->longest = ticks > row->longest ? ticks : row->longest;
}

void quipu__profile_close_call(struct quipu__profile *profile, struct quipu__profile_stack *stack,
                               int64_t time) {
    const struct quipu__profile_open call = stack->calls[stack->depth--];
    struct quipu__profile_row *row = &profile->rows.items[call.row];
    note_duration(row, (int64_t)((uint64_t)time - (uint64_t)call.entered));
    row->values[QUIPU__PROFILE_exclusive_ns] += (uint64_t)time - (uint64_t)stack->change;
    if (--row->open == 0)
        row->values[QUIPU__PROFILE_inclusive_ns] += (uint64_t)time;
    stack->change = time;
}

static bool leave(struct quipu__profile *profile, struct quipu__profile_stack *stack, uint32_t location,
                  uint32_t region, int64_t time) {
    if (region == QUIPU_NONE && stack->depth > 0) {
        quipu__profile_close_call(profile, stack, time);
        return true;
    }
    const uint32_t number = quipu__profile_row_of(profile, location, region);
    if (number == QUIPU_NONE)
        return false;
    struct quipu__profile_row *row = &profile->rows.items[number];
    if (row->open == 0) {
        row->values[QUIPU__PROFILE_unmatched]++;
        return true;
    }
    while (stack->calls[stack->depth].row != number)
        quipu__profile_close_call(profile, stack, time);
    quipu__profile_close_call(profile, stack, time);
    return true;
}

bool quipu__profile_enter(struct quipu__profile *profile, struct quipu__profile_stack *stack, uint32_t location,
                          uint32_t region, int64_t time) {
    if (stack->depth + 1 >= stack->capacity && !quipu__profile_deepen(profile, stack))
        return false;
    const uint32_t number = quipu__profile_row_of(profile, location, region);
    if (number == QUIPU_NONE)
        return false;
    struct quipu__profile_row *row = &profile->rows.items[number];
    profile->rows.items[stack->calls[stack->depth].row].values[QUIPU__PROFILE_exclusive_ns] +=
        (uint64_t)time - (uint64_t)stack->change;
    row->values[QUIPU__PROFILE_calls]++;
    if (row->open++ == 0)
        row->values[QUIPU__PROFILE_inclusive_ns] -= (uint64_t)time;
    stack->calls[++stack->depth] = (struct quipu__profile_open){.entered = time, .row = number};
    stack->change = time;
    return true;
}

/* Enters and leaves, from event first on, that need nothing new and whose leaves are of the innermost call, and the traffic
 * in these calls. Returns the index of the first event that is not of this sort. Which of enter and leave comes next is
 * hard to guess for a processor, so both take the same way and differ only in numbers (leaves is 0 or 1, and mask has all
 * bits or none). */
QUIPU__LOOP uint32_t add_nested_calls(struct quipu__profile *profile, struct quipu__profile_stack *stack,
                                      const struct quipu_batch *batch, uint32_t first, uint32_t location) {
    if (!stack->calls)
        return first;
    const struct quipu__profile_open *const limit = stack->calls + stack->capacity;
    struct quipu__profile_row *const rows = profile->rows.items;
    struct quipu__profile_open *call = stack->calls + stack->depth; /* the innermost one */
    const uint64_t at_location = quipu__profile_key(location, 0);
    int64_t change = stack->change, last = stack->last;
    uint32_t i = first;
    for (; i < batch->count && batch->location[i] == location; i++) {
        const uint64_t leaves = (uint64_t)batch->kind[i] - QUIPU_KIND_enter, mask = -leaves;
        const int64_t time = batch->time[i];
        if (leaves > 1) {
            if (call == stack->calls)
                break;
            add_traffic(&rows[call->row], batch, i);
            last = time > last ? time : last;
            continue;
        }
        const uint32_t region = batch->object[i];
        const struct quipu__profile_recent *recent = &profile->recent[recent_index(location, region)];
        const uint64_t other = recent->key ^ (at_location | region);
        if (call + 1 >= limit || (other | ((call->row ^ recent->row) & mask)) != 0)
            break;
        const uint64_t step = mask | 1;
        struct quipu__profile_row *const row = &rows[recent->row];
        row->values[QUIPU__PROFILE_calls] += 1 - leaves;
        rows[call->row].values[QUIPU__PROFILE_exclusive_ns] += (uint64_t)time - (uint64_t)change;
        const uint64_t is_outermost = row->open == leaves;
        row->values[QUIPU__PROFILE_inclusive_ns] -= (uint64_t)time * step & -is_outermost;
        row->open += (uint32_t)step;
        const int64_t duration = (int64_t)((uint64_t)time - (uint64_t)call->entered);
        if (QUIPU__UNLIKELY(((duration < row->shortest) | (duration > row->longest)) & leaves))
            note_duration(row, duration);
        call[1].entered = time; /* neither is looked at when leaving */
        call[1].row = recent->row;
        call += (int64_t)step;
        change = time;
        last = time > last ? time : last;
    }
    stack->depth = (uint32_t)(call - stack->calls);
    stack->change = change;
    stack->last = last;
    return i;
}

_Static_assert(QUIPU_KIND_leave == QUIPU_KIND_enter + 1, "profile's loop computes with the difference");

/* ---- Events ---- */

uint64_t quipu__profile_lifetime(const struct quipu__profile *profile, uint32_t location) {
    const struct quipu__profile *whole = quipu__profile_whole_of(profile);
    if (profile->scope || location >= whole->stack_count)
        return 0;
    const struct quipu__profile_stack *stack = &whole->stacks[location];
    const int64_t first = stack->begin, last = quipu__profile_last(stack);
    const int64_t begin = first > profile->window.from ? first : profile->window.from;
    const int64_t end = last < profile->window.to ? last : profile->window.to;
    return begin <= end ? (uint64_t)end - (uint64_t)begin : 0;
}

/* A call that is never left. In a window it is one of those that were entered there, which the whole knows. */
static void count_unfinished(struct quipu__profile *profile, const struct quipu__profile_open *call) {
    struct quipu__profile_row *row = &profile->rows.items[call->row];
    struct quipu__profile *inside = profile->inside;
    row->values[QUIPU__PROFILE_unfinished] += !profile->whole;
    if (!inside || !quipu__window_has(&inside->window, call->entered))
        return;
    const uint32_t number = quipu__profile_row_of(inside, row->location, row->region);
    if (number != QUIPU_NONE)
        inside->rows.items[number].values[QUIPU__PROFILE_unfinished]++;
}

/* Closes what is still open. */
static void close_stack(struct quipu__profile *profile, struct quipu__profile_stack *stack) {
    while (stack->depth > 0) {
        count_unfinished(profile, &stack->calls[stack->depth]);
        quipu__profile_close_call(profile, stack, stack->last);
    }
}

/* The location goes on in another stream, which knows nothing of the calls that are active in the one before. */
static void begin_stream(struct quipu__profile *profile, struct quipu__profile_stack *stack, uint32_t stream) {
    close_stack(profile, stack);
    stack->end = quipu__profile_last(stack);
    stack->last = INT64_MIN;
    stack->stream = stream;
    stack->has_started = false;
}

QUIPU__INLINE struct quipu__profile_stack *stack_of(struct quipu__profile *profile, uint32_t location,
                                                    uint32_t stream) {
    if (location >= profile->stack_count && !quipu__profile_add_stacks(profile, location))
        return NULL;
    struct quipu__profile_stack *stack = &profile->stacks[location];
    if (QUIPU__UNLIKELY(stack->stream != stream))
        begin_stream(profile, stack, stream);
    return stack;
}

struct quipu__profile_stack *quipu__profile_stack_of(struct quipu__profile *profile, uint32_t location,
                                                     uint32_t stream) {
    return stack_of(profile, location, stream);
}

static bool add_event(struct quipu__profile *profile, struct quipu__profile_stack *stack,
                      const struct quipu_batch *batch, uint32_t i) {
    const int64_t time = batch->time[i];
    stack->last = time > stack->last ? time : stack->last;
    if (batch->kind[i] == QUIPU_KIND_enter)
        return quipu__profile_enter(profile, stack, batch->location[i], batch->object[i], time);
    if (batch->kind[i] == QUIPU_KIND_leave)
        return leave(profile, stack, batch->location[i], batch->object[i], time);
    return quipu__profile_add_traffic(profile, stack, QUIPU_NONE, batch, i);
}

uint32_t quipu__profile_add_events(struct quipu__profile *profile, const struct quipu_batch *batch,
                                   uint32_t first) {
    const uint32_t location = batch->location[first], count = batch->count;
    struct quipu__profile_stack *stack = stack_of(profile, location, batch->stream);
    if (!stack)
        return UINT32_MAX;
    stack->begin = batch->time[first] < stack->begin ? batch->time[first] : stack->begin;
    for (uint32_t i = first; i < count; i++) {
        i = add_nested_calls(profile, stack, batch, i, location);
        if (i == count || batch->location[i] != location)
            return i;
        if (!add_event(profile, stack, batch, i))
            return UINT32_MAX;
    }
    return count;
}

bool quipu__profile_add_lifetimes(struct quipu__profile *profile, const struct quipu__profile *partial) {
    if (profile->whole)
        return quipu__profile_add_lifetimes(profile->whole, partial->whole);
    if (partial->stack_count > profile->stack_count &&
        !quipu__profile_add_stacks(profile, partial->stack_count - 1))
        return false;
    for (uint32_t i = 0; i < partial->stack_count; i++) {
        const struct quipu__profile_stack *from = &partial->stacks[i];
        struct quipu__profile_stack *to = &profile->stacks[i];
        to->begin = from->begin < to->begin ? from->begin : to->begin;
        to->end = quipu__profile_last(from) > to->end ? quipu__profile_last(from) : to->end;
    }
    return true;
}

void quipu__profile_close_all(struct quipu__profile *profile) {
    for (uint32_t i = 0; i < profile->stack_count; i++)
        close_stack(profile, &profile->stacks[i]);
}
