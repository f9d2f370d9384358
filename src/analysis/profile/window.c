/* window.c: what counts in a window of time: of calls the part that lies inside, of events those inside.
 *
 * Two profiles are made: the whole, of all that is read, and one of what is inside. When a location comes to the window, the calls that are
 * active in the whole are entered inside, and when it comes to the end of the window they are closed there; in between both get the
 * events. A call that is never left is counted where it was entered, so windows that touch add up to the whole.
 */
#include "analysis/profile/profile.h"

#include "core/error.h"
#include "model/batch.h"

/* Rows by MPI that say only that the location has calls: no region has this number. */
#define ANY_REGION (QUIPU_NONE - 1)

enum side { BEFORE, INSIDE, BEHIND };

static enum side side_of(const struct quipu__window *window, int64_t time) {
    if (time < window->from)
        return BEFORE;
    return quipu__window_has(window, time) ? INSIDE : BEHIND;
}

/* ---- At a location ---- */

/* Enters the calls that are active in the whole. */
static bool enter_active(struct quipu__profile *inside, struct quipu__profile_stack *stack, uint32_t location) {
    const struct quipu__profile *whole = inside->whole;
    const struct quipu__profile_stack *active = &whole->stacks[location];
    for (uint32_t i = 1; i <= active->depth; i++) {
        const uint32_t region = whole->rows.items[active->calls[i].row].region;
        if (!quipu__profile_enter(inside, stack, location, region, inside->window.from))
            return false;
        inside->rows.items[stack->calls[stack->depth].row].values[QUIPU__PROFILE_calls]--;
    }
    return true;
}

/* The location comes to the window, or is past its begin in a stream for the first time. */
static bool begin_window(struct quipu__profile *inside, struct quipu__profile_stack *stack, uint32_t location,
                         uint32_t stream) {
    if (stack->has_started)
        return true;
    stack->has_started = true;
    stack->change = stack->last = inside->window.from;
    if (!quipu__profile_stack_of(inside->whole, location, stream))
        return false;
    return inside->scope ? quipu__profile_scope_open(inside, location, stream, stack, inside->window.from)
                         : enter_active(inside, stack, location);
}

static bool add_inside(struct quipu__profile *inside, const struct quipu_batch *events, enum side side,
                       struct quipu_error *err, enum quipu_status *status) {
    const uint32_t location = events->location[0];
    struct quipu__profile_stack *stack = quipu__profile_stack_of(inside, location, events->stream);
    if (!stack || !begin_window(inside, stack, location, events->stream))
        return false;
    if (side == INSIDE)
        *status = quipu__profile_consume(inside, events, err);
    while (side == BEHIND && stack->depth > 0)
        quipu__profile_close_call(inside, stack, inside->window.to);
    return true;
}

/* ---- Events ---- */

/* The event behind the last one from first on at its location and on its side of the window. */
static uint32_t past_span(const struct quipu__profile *inside, const struct quipu_batch *batch,
                          uint32_t first) {
    const enum side side = side_of(&inside->window, batch->time[first]);
    uint32_t past = first + 1;
    while (past < batch->count && batch->location[past] == batch->location[first] &&
           side_of(&inside->window, batch->time[past]) == side)
        past++;
    return past;
}

enum quipu_status quipu__profile_window_consume(struct quipu__profile *inside, const struct quipu_batch *batch,
                                                struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    if (inside->by == QUIPU__PROFILE_BY_between) /* the whole tells what of it is inside */
        return quipu__profile_consume(inside->whole, batch, err);
    for (uint32_t first = 0, past; first < batch->count && status == QUIPU_OK; first = past) {
        past = past_span(inside, batch, first);
        const struct quipu_batch span = quipu__batch_range(batch, first, past);
        const enum side side = side_of(&inside->window, span.time[0]);
        if (side != BEFORE && !add_inside(inside, &span, side, err, &status))
            return quipu__no_memory(err, inside->memory.used);
        if (status == QUIPU_OK)
            status = quipu__profile_consume(inside->whole, &span, err);
    }
    return status;
}

/* ---- Life ---- */

/* Locations without calls have no row by MPI; those with calls have one in each window. */
static void add_locations(struct quipu__profile *inside) {
    const struct quipu__profile *whole = inside->whole;
    for (size_t i = QUIPU__PROFILE_NOWHERE + 1; i < whole->rows.count; i++)
        if (whole->rows.items[i].region != QUIPU_NONE)
            quipu__gate_knows(quipu__profile_row_of(inside, whole->rows.items[i].location, ANY_REGION) !=
                              QUIPU_NONE);
}

void quipu__profile_end(struct quipu__profile *profile) {
    if (profile->by == QUIPU__PROFILE_BY_between)
        quipu__gate_knows(quipu__profile_between_end(profile->whole ? profile->whole : profile));
    if (profile->whole)
        quipu__profile_close_all(profile->whole);
    if (profile->whole && profile->by == QUIPU__PROFILE_BY_mpi)
        add_locations(profile);
    quipu__profile_close_all(profile);
}

enum quipu_status quipu__profile_window_new(struct quipu__profile *inside,
                                            const struct quipu__fold_start *start, struct quipu_error *err) {
    struct quipu__memory memory;
    quipu__memory_like(&memory, start->memory);
    struct quipu__profile *whole = inside->whole = quipu__alloc_zero(&memory, sizeof *whole);
    if (!whole)
        return quipu__no_memory(err, sizeof *whole);
    whole->memory = memory;
    whole->inside = inside;
    whole->by = inside->by;
    whole->scope = inside->scope;
    inside->window = *start->window;
    return quipu__profile_init(whole, start, err);
}
