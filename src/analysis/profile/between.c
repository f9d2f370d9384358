/* between.c: time outside of any call, by the calls around it. In a window of time the whole alone is told of events, and gives what is inside its
 * part: so both have the same calls around it, wherever the window cuts.
 */
#include "analysis/profile/profile.h"

#include "core/bounded.h"

/* The row of time at a location; NULL when memory is out. */
static struct quipu__profile_row *row_of(struct quipu__profile *profile, uint32_t location, uint32_t before,
                                         uint32_t after) {
    struct quipu__call_paths *paths = &profile->scope->paths;
    const uint32_t path = quipu__call_path_enter(paths, QUIPU__NO_CALLS, before);
    const uint32_t key = path == QUIPU_NONE ? QUIPU_NONE : quipu__call_path_enter(paths, path, after);
    const uint32_t row = key == QUIPU_NONE ? QUIPU_NONE : quipu__profile_row_of(profile, location, key);
    return row == QUIPU_NONE ? NULL : &profile->rows.items[row];
}

/* The location has been outside of any call until a time, or has ended. */
static bool add_time(struct quipu__profile *profile, uint32_t location,
                     const struct quipu__profile_context *context, uint32_t after, int64_t time) {
    struct quipu__profile *shown = profile->inside ? profile->inside : profile;
    const struct quipu__window *window = &shown->window;
    const int64_t from = context->since > window->from ? context->since : window->from;
    const int64_t to = time < window->to ? time : window->to;
    if (to <= from)
        return true;
    struct quipu__profile_row *row = row_of(shown, location, context->before, after);
    if (!row)
        return false;
    const int64_t inside = quipu__bounded_difference(to, from);
    row->values[QUIPU__PROFILE_calls] += quipu__window_has(window, context->since);
    row->values[QUIPU__PROFILE_inclusive_ns] += (uint64_t)inside;
    row->values[QUIPU__PROFILE_exclusive_ns] += (uint64_t)inside;
    row->shortest = inside < row->shortest ? inside : row->shortest;
    row->longest = inside > row->longest ? inside : row->longest;
    return true;
}

static void begin(struct quipu__profile_context *context, uint32_t before, int64_t time) {
    context->before = before;
    context->since = time;
}

static bool enter(struct quipu__profile *profile, uint32_t location, struct quipu__profile_context *context,
                  uint32_t region, int64_t time) {
    if (context->calls.count == 0 && !add_time(profile, location, context, region, time))
        return false;
    struct quipu__profile_call *call = QUIPU__VEC_ADD(&profile->memory, &context->calls);
    if (call)
        call->region = region;
    return call;
}

static void leave(struct quipu__profile_context *context, uint32_t region, int64_t time) {
    const uint32_t depth = context->calls.count > 0 ? quipu__profile_depth_behind(context, region) : QUIPU_NONE;
    if (depth == QUIPU_NONE)
        return;
    if (depth == 0)
        begin(context, context->calls.items[0].region, time);
    context->calls.count = depth;
}

/* Time after the last call in a stream. */
static bool end(struct quipu__profile *profile, uint32_t location) {
    const struct quipu__profile_context *context = &profile->contexts.items[location];
    return !context->has_events || context->calls.count > 0 ||
           add_time(profile, location, context, QUIPU_NONE, context->last);
}

bool quipu__profile_between_consume(struct quipu__profile *profile, const struct quipu_batch *batch) {
    for (uint32_t i = 0; i < batch->count; i++) {
        const uint32_t location = batch->location[i];
        const int64_t time = batch->time[i];
        if (location < profile->contexts.count && profile->contexts.items[location].stream != batch->stream &&
            !end(profile, location))
            return false;
        struct quipu__profile_context *context = quipu__profile_context_of(profile, location, batch->stream);
        if (!context)
            return false;
        if (!context->has_events)
            begin(context, QUIPU_NONE, time);
        context->last = context->has_events && context->last > time ? context->last : time;
        context->has_events = true;
        if (batch->kind[i] == QUIPU_KIND_leave)
            leave(context, batch->object[i], time);
        else if (batch->kind[i] == QUIPU_KIND_enter &&
                 !enter(profile, location, context, batch->object[i], time))
            return false;
    }
    return true;
}

bool quipu__profile_between_end(struct quipu__profile *profile) {
    for (uint32_t i = 0; i < profile->contexts.count; i++) {
        if (!end(profile, i))
            return false;
        profile->contexts.items[i].has_events = false;
    }
    return true;
}

uint32_t quipu__profile_between_of(const struct quipu__profile *profile, uint32_t key, uint32_t *after) {
    const struct quipu__call_path *paths = profile->scope->paths.list.items;
    *after = paths[key].region;
    return paths[paths[key].parent].region;
}
