/* checkpoint.c: what a profile knows of a substream as bytes, for the index.
 *
 *     rows    count, then of each: location, region + 1, a bit per value that is not 0 and one for the durations, those
 *             values, the durations of the shortest and the longest call
 *     lifetimes  count of locations with events, then of each: location, times of its first and its last event
 *     stacks  count of those where calls are active, then of each: location, stream, time of the latest event, that of the
 *             latest enter or leave, depth, and of each call its row, of each call when it was entered
 */
#include "analysis/profile/profile.h"

#include "core/error.h"
#include "core/memory/pack.h"

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

enum quipu_status quipu__profile_save_checkpoint(const void *state, struct quipu__buffer *out,
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

/* False when memory is out; from says whether the bytes are right. */
static bool load_row(struct quipu__profile *profile, struct quipu__slice *from) {
    const uint32_t location = load_below(from, profile->definitions->locations.count);
    const uint32_t region = load_below(from, (uint64_t)profile->definitions->regions.count + 1) - UINT32_C(1);
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
        has_room = load_row(profile, from);
    for (uint64_t left = quipu__unpack_u64(from); left > 0 && has_room && !from->failed; left--)
        has_room = load_lifetime(profile, from);
    for (uint64_t left = quipu__unpack_u64(from); left > 0 && has_room && !from->failed; left--)
        has_room = load_stack(profile, from);
    from->failed |= from->at != from->end;
    return has_room;
}

enum quipu_status quipu__profile_resume(const struct quipu__fold_start *start, struct quipu__slice bytes,
                                        void **state, struct quipu_error *err) {
    enum quipu_status status = quipu__profile_begin(start, state, err);
    if (status != QUIPU_OK)
        return status;
    struct quipu__profile *inside = *state, *profile = inside->whole ? inside->whole : inside;
    if (!load_all(profile, &bytes))
        status = quipu__no_memory(err, profile->memory.used);
    else if (bytes.failed)
        status = quipu__fail(err, QUIPU_CORRUPT, "the checkpoint of the profile cannot be right");
    if (status != QUIPU_OK) {
        quipu__profile_release(inside);
        *state = NULL;
    }
    return status;
}
