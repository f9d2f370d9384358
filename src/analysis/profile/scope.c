/* scope.c: profiles for which the calls around a call matter: rows by path of calls, by phase or by call site, those of time outside of any call, and
 * those in which only what happens in calls of some regions, or between annotations, counts.
 *
 * Of each location all active calls are known; those that count are also on the profile's own stack, from the outermost one on.
 * Where a phase begins or ends in the middle of calls, these leave the stack and come back to it: their time is divided, and
 * they count as calls where they were entered. Phases are numbered at each location; a location that goes on in another stream
 * begins again with 1.
 */
#include "analysis/profile/profile.h"

#include "analysis/shared/unknown_names.h"
#include "core/bounded.h"
#include "core/error.h"
#include "state/tracker.h"

#include <fnmatch.h>

enum { WITHIN = 1, BEGINS = 2, ENDS = 4 };

/* ---- Names ---- */

static bool is_named(const char *pattern, const char *name) {
    return pattern && fnmatch(pattern, name, 0) == 0;
}

/* What a name says as that of an annotation. Without --begin all of them begin something. */
static uint8_t marks_of_annotation(const struct quipu__profile_scope *scope, const char *name) {
    const bool begins = scope->begin ? is_named(scope->begin, name) : scope->has_annotations;
    return (uint8_t)((begins ? BEGINS : 0) | (is_named(scope->end, name) ? ENDS : 0));
}

static uint8_t marks_of_region(struct quipu__profile *profile, uint32_t number) {
    struct quipu__profile_scope *scope = profile->scope;
    const struct quipu_regions *regions = &profile->definitions->regions;
    if (number >= regions->count)
        return 0;
    while (scope->region_marks.count <= number) {
        const struct quipu_region *region = &regions->items[scope->region_marks.count];
        uint8_t *marks = QUIPU__VEC_ADD(scope->memory, &scope->region_marks);
        if (!marks)
            return 0;
        *marks = is_named(scope->within, region->name) ? WITHIN : 0;
        if (region->role == QUIPU_REGION_USER)
            *marks |= marks_of_annotation(scope, region->name);
    }
    return scope->region_marks.items[number];
}

static uint8_t marks_of_marker(struct quipu__profile *profile, uint32_t number) {
    struct quipu__profile_scope *scope = profile->scope;
    const struct quipu_markers *markers = &profile->definitions->markers;
    if (number >= markers->count)
        return 0;
    while (scope->marker_marks.count <= number) {
        uint8_t *marks = QUIPU__VEC_ADD(scope->memory, &scope->marker_marks);
        if (!marks)
            return 0;
        *marks = marks_of_annotation(scope, markers->items[scope->marker_marks.count - 1].name);
    }
    return scope->marker_marks.items[number];
}

/* ---- Keys ---- */

/* What is known of a location in a stream; of another stream than the one before nothing yet. NULL when memory is out. */
static struct quipu__profile_context *context_of(struct quipu__profile *profile, uint32_t location,
                                                 uint32_t stream) {
    while (profile->contexts.count <= location) {
        struct quipu__profile_context *context = QUIPU__VEC_ADD(&profile->memory, &profile->contexts);
        if (!context)
            return NULL;
        context->stream = QUIPU_NONE;
    }
    struct quipu__profile_context *context = &profile->contexts.items[location];
    if (context->stream != stream) {
        context->calls.count = 0;
        context->within = context->phases = context->phase_path = 0;
        context->is_between = context->has_events = false;
        context->stream = stream;
    }
    return context;
}

static bool counts(const struct quipu__profile_scope *scope, const struct quipu__profile_context *context) {
    return (!scope->within || context->within > 0) && (!scope->has_annotations || context->is_between);
}

/* The key of a call that so many calls are around. */
static uint32_t key_of(struct quipu__profile *profile, const struct quipu__profile_context *context,
                       size_t depth, const struct quipu__profile_call *call) {
    struct quipu__call_paths *paths = &profile->scope->paths;
    const size_t outermost = context->within > 0 ? context->within - 1 : 0;
    uint32_t around;
    switch (profile->by) {
    case QUIPU__PROFILE_BY_path:
        around = depth > outermost ? context->calls.items[depth - 1].key : QUIPU__NO_CALLS;
        break;
    case QUIPU__PROFILE_BY_phase:
        around = context->phase_path;
        break;
    case QUIPU__PROFILE_BY_callsite:
        around = quipu__call_path_enter(paths, QUIPU__NO_CALLS, call->source);
        break;
    default:
        return call->region;
    }
    return around == QUIPU_NONE ? QUIPU_NONE : quipu__call_path_enter(paths, around, call->region);
}

/* The key of what is outside of any call. */
static uint32_t key_outside(const struct quipu__profile *profile,
                            const struct quipu__profile_context *context) {
    return profile->by == QUIPU__PROFILE_BY_phase ? context->phase_path : QUIPU_NONE;
}

/* ---- Phases ---- */

/* What happens at one event. */
struct at {
    struct quipu__profile *profile;
    struct quipu__profile_context *context;
    struct quipu__profile_stack *stack;
    uint32_t location;
    int64_t time;
};

static bool count_call(const struct at *at, size_t depth) {
    struct quipu__profile_call *call = &at->context->calls.items[depth];
    call->key = key_of(at->profile, at->context, depth, call);
    return (call->key != QUIPU_NONE || at->profile->by < QUIPU__PROFILE_BY_path) &&
           quipu__profile_enter(at->profile, at->stack, at->location, call->key, at->time);
}

static void suspend(const struct at *at) {
    while (at->stack->depth > 0)
        quipu__profile_close_call(at->profile, at->stack, at->time);
}

/* Calls that are active count again. */
static bool count_active(const struct at *at) {
    if (!counts(at->profile->scope, at->context))
        return true;
    for (size_t i = at->context->within > 0 ? at->context->within - 1 : 0; i < at->context->calls.count; i++) {
        if (!count_call(at, i))
            return false;
        at->profile->rows.items[at->stack->calls[at->stack->depth].row].values[QUIPU__PROFILE_calls]--;
    }
    return true;
}

/* A phase begins with an annotation. */
static bool begin_phase(const struct at *at, uint32_t annotation) {
    struct quipu__call_paths *paths = &at->profile->scope->paths;
    at->context->phases++;
    if (at->profile->by != QUIPU__PROFILE_BY_phase)
        return true;
    const uint32_t number = quipu__call_path_enter(paths, QUIPU__NO_CALLS, at->context->phases);
    at->context->phase_path =
        number == QUIPU_NONE ? QUIPU_NONE : quipu__call_path_enter(paths, number, annotation);
    return at->context->phase_path != QUIPU_NONE;
}

/* A region or marker that may begin or end what counts. */
static bool note_annotation(const struct at *at, uint8_t marks, uint32_t annotation) {
    if ((marks & (BEGINS | ENDS)) == 0)
        return true;
    suspend(at);
    at->context->is_between = (marks & BEGINS) != 0;
    return (marks & BEGINS) == 0 || (begin_phase(at, annotation) && count_active(at));
}

/* How many calls are active when a region has been left; QUIPU_NONE: it is not active, or too far out. */
static uint32_t depth_behind(const struct quipu__profile_context *context, uint32_t region) {
    uint32_t depth = (uint32_t)context->calls.count;
    const uint32_t least = depth > QUIPU__LOOK_OUT_MOST ? depth - QUIPU__LOOK_OUT_MOST : 0;
    if (region == QUIPU_NONE)
        return depth - 1;
    while (depth > least && context->calls.items[depth - 1].region != region)
        depth--;
    return depth > least ? depth - 1 : QUIPU_NONE;
}

/* ==== Time outside of any call ====
 *
 * By the calls around it. In a window of time the whole alone is told of events, and gives what is inside its part: so both have the same calls around it,
 * wherever the window cuts.
 */

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

static void begin_time(struct quipu__profile_context *context, uint32_t before, int64_t time) {
    context->before = before;
    context->since = time;
}

static bool enter_call(struct quipu__profile *profile, uint32_t location,
                       struct quipu__profile_context *context, uint32_t region, int64_t time) {
    if (context->calls.count == 0 && !add_time(profile, location, context, region, time))
        return false;
    struct quipu__profile_call *call = QUIPU__VEC_ADD(&profile->memory, &context->calls);
    if (call)
        call->region = region;
    return call;
}

static void leave_call(struct quipu__profile_context *context, uint32_t region, int64_t time) {
    const uint32_t depth = context->calls.count > 0 ? depth_behind(context, region) : QUIPU_NONE;
    if (depth == QUIPU_NONE)
        return;
    if (depth == 0)
        begin_time(context, context->calls.items[0].region, time);
    context->calls.count = depth;
}

/* Time after the last call in a stream. */
static bool end_time(struct quipu__profile *profile, uint32_t location) {
    const struct quipu__profile_context *context = &profile->contexts.items[location];
    return !context->has_events || context->calls.count > 0 ||
           add_time(profile, location, context, QUIPU_NONE, context->last);
}

/* Counts time outside of any call. False when memory is out. */
static bool between_consume(struct quipu__profile *profile, const struct quipu_batch *batch) {
    for (uint32_t i = 0; i < batch->count; i++) {
        const uint32_t location = batch->location[i];
        const int64_t time = batch->time[i];
        if (location < profile->contexts.count && profile->contexts.items[location].stream != batch->stream &&
            !end_time(profile, location))
            return false;
        struct quipu__profile_context *context = context_of(profile, location, batch->stream);
        if (!context)
            return false;
        if (!context->has_events)
            begin_time(context, QUIPU_NONE, time);
        context->last = context->has_events && context->last > time ? context->last : time;
        context->has_events = true;
        if (batch->kind[i] == QUIPU_KIND_leave)
            leave_call(context, batch->object[i], time);
        else if (batch->kind[i] == QUIPU_KIND_enter &&
                 !enter_call(profile, location, context, batch->object[i], time))
            return false;
    }
    return true;
}

bool quipu__profile_between_end(struct quipu__profile *profile) {
    for (uint32_t i = 0; i < profile->contexts.count; i++) {
        if (!end_time(profile, i))
            return false;
        profile->contexts.items[i].has_events = false;
    }
    return true;
}

/* ---- Events ---- */

static bool enter(const struct at *at, uint32_t region, uint32_t source) {
    struct quipu__profile_scope *scope = at->profile->scope;
    struct quipu__profile_context *context = at->context;
    const uint8_t marks = marks_of_region(at->profile, region);
    if (!note_annotation(at, marks, region))
        return false;
    struct quipu__profile_call *call = QUIPU__VEC_ADD(&at->profile->memory, &context->calls);
    if (!call)
        return false;
    call->region = region;
    call->source = source;
    if ((marks & WITHIN) != 0 && context->within == 0) {
        context->within = (uint32_t)context->calls.count;
        if (!scope->has_annotations && !begin_phase(at, region))
            return false;
    }
    return !counts(scope, context) || count_call(at, context->calls.count - 1);
}

static bool count_unmatched(const struct at *at, uint32_t region) {
    const size_t depth = at->context->calls.count;
    if (!counts(at->profile->scope, at->context))
        return true;
    const struct quipu__profile_call call = {.region = region, .source = QUIPU_NONE};
    const uint32_t key = region == QUIPU_NONE ? key_outside(at->profile, at->context)
                                              : key_of(at->profile, at->context, depth, &call);
    const uint32_t row = quipu__profile_row_of(at->profile, at->location, key);
    if (row == QUIPU_NONE)
        return false;
    at->profile->rows.items[row].values[QUIPU__PROFILE_unmatched]++;
    return true;
}

static bool leave(const struct at *at, uint32_t region) {
    struct quipu__profile_context *context = at->context;
    const uint32_t depth = depth_behind(context, region);
    if (depth == QUIPU_NONE)
        return count_unmatched(at, region);
    for (; context->calls.count > depth; context->calls.count--)
        if (at->stack->depth > 0)
            quipu__profile_close_call(at->profile, at->stack, at->time);
    context->within = context->within > depth ? 0 : context->within;
    return true;
}

static uint32_t source_of(const struct quipu__profile_scope *scope, const struct quipu_batch *batch,
                          uint32_t i) {
    return scope->times ? scope->sources.items[batch->time + i - scope->times] : QUIPU_NONE;
}

static bool add_event(const struct at *at, const struct quipu_batch *batch, uint32_t i) {
    switch (batch->kind[i]) {
    case QUIPU_KIND_enter:
        return enter(at, batch->object[i], source_of(at->profile->scope, batch, i));
    case QUIPU_KIND_leave:
        return leave(at, batch->object[i]);
    case QUIPU_KIND_marker:
        return note_annotation(at, marks_of_marker(at->profile, batch->object[i]),
                               batch->object[i] | QUIPU__PROFILE_MARKER);
    default:
        return !counts(at->profile->scope, at->context) ||
               quipu__profile_add_traffic(at->profile, at->stack, key_outside(at->profile, at->context), batch,
                                          i);
    }
}

bool quipu__profile_scope_open(struct quipu__profile *inside, uint32_t location, uint32_t stream,
                               struct quipu__profile_stack *stack, int64_t time) {
    const struct quipu__profile_context *from = context_of(inside->whole, location, stream);
    struct quipu__profile_context *to = context_of(inside, location, stream);
    if (!from || !to || !QUIPU__VEC_RESERVE(&inside->memory, &to->calls, from->calls.count))
        return false;
    for (size_t i = 0; i < from->calls.count; i++)
        to->calls.items[to->calls.count++] = from->calls.items[i];
    to->within = from->within;
    to->phases = from->phases;
    to->phase_path = from->phase_path;
    to->is_between = from->is_between;
    return count_active(&(struct at){inside, to, stack, location, time});
}

static enum quipu_status consume_in_scope(struct quipu__profile *profile, const struct quipu_batch *batch,
                                          struct quipu_error *err) {
    for (uint32_t i = 0; i < batch->count; i++) {
        const struct at at = {.profile = profile,
                              .context = context_of(profile, batch->location[i], batch->stream),
                              .stack = quipu__profile_stack_of(profile, batch->location[i], batch->stream),
                              .location = batch->location[i],
                              .time = batch->time[i]};
        if (!at.context || !at.stack)
            return quipu__no_memory(err, profile->memory.used);
        at.stack->last = at.time > at.stack->last ? at.time : at.stack->last;
        if (!add_event(&at, batch, i))
            return quipu__no_memory(err, profile->memory.used);
    }
    return quipu__memory_status(&profile->memory, err);
}

enum quipu_status quipu__profile_consume(struct quipu__profile *profile, const struct quipu_batch *batch,
                                         struct quipu_error *err) {
    uint32_t next = 0;
    if (profile->by == QUIPU__PROFILE_BY_between)
        return between_consume(profile, batch) ? quipu__memory_status(&profile->memory, err)
                                               : quipu__no_memory(err, profile->memory.used);
    if (profile->scope)
        return consume_in_scope(profile, batch, err);
    while (next < batch->count)
        next = quipu__profile_add_events(profile, batch, next);
    return next == batch->count ? QUIPU_OK : quipu__no_memory(err, profile->memory.used);
}

bool quipu__profile_note_sources(struct quipu__profile *profile, const struct quipu_batch *batch) {
    struct quipu__profile_scope *scope = profile->scope;
    if (profile->by != QUIPU__PROFILE_BY_callsite)
        return true;
    scope->sources.count = 0;
    scope->times = batch->time;
    if (!QUIPU__VEC_RESERVE(scope->memory, &scope->sources, batch->count))
        return false;
    for (uint32_t i = 0; i < batch->count; i++)
        scope->sources.items[scope->sources.count++] = QUIPU_NONE;
    for (uint32_t i = 0; i < batch->attribute_count; i++)
        if (batch->attributes[i].value.key == QUIPU_KEY_SOURCE)
            scope->sources.items[batch->attributes[i].event] = (uint32_t)batch->attributes[i].value.u;
    return true;
}

/* ---- Keys of rows ---- */

uint32_t quipu__profile_region_of(const struct quipu__profile *profile, uint32_t key) {
    enum { PHASE_DEPTH = 2 }; /* number and annotation */
    if (key == QUIPU_NONE || profile->by < QUIPU__PROFILE_BY_path)
        return key;
    const struct quipu__call_path *path = &profile->scope->paths.list.items[key];
    return profile->by == QUIPU__PROFILE_BY_phase && path->depth <= PHASE_DEPTH ? QUIPU_NONE : path->region;
}

uint32_t quipu__profile_phase_of(const struct quipu__profile *profile, uint32_t key, uint32_t *annotation) {
    *annotation = QUIPU_NONE;
    if (key == QUIPU_NONE || profile->by != QUIPU__PROFILE_BY_phase)
        return 0;
    const struct quipu__call_path *paths = profile->scope->paths.list.items;
    uint32_t path = key;
    while (paths[path].depth > 2)
        path = paths[path].parent;
    *annotation = paths[path].region;
    return paths[paths[path].parent].region;
}

bool quipu__profile_scope_join(struct quipu__profile *profile, const struct quipu__profile *other) {
    struct quipu__profile_scope *scope = profile->scope;
    const struct quipu__call_paths *paths = &other->scope->paths;
    scope->joined.count = 0;
    if (profile->by < QUIPU__PROFILE_BY_path)
        return true;
    for (size_t i = 0; i < paths->list.count; i++) {
        uint32_t *key = QUIPU__VEC_ADD(scope->memory, &scope->joined);
        if (!key)
            return false;
        const struct quipu__call_path *path = &paths->list.items[i];
        *key = i == QUIPU__NO_CALLS
                   ? QUIPU__NO_CALLS
                   : quipu__call_path_enter(&scope->paths, scope->joined.items[path->parent], path->region);
        if (*key == QUIPU_NONE)
            return false;
    }
    return true;
}

/* ---- Life ---- */

/* Whether a region or marker of the trace has a mark. */
static bool is_marked(struct quipu__profile *profile, uint8_t mark) {
    for (uint32_t i = 0; i < profile->definitions->regions.count; i++)
        if ((marks_of_region(profile, i) & mark) != 0)
            return true;
    for (uint32_t i = 0; i < profile->definitions->markers.count; i++)
        if ((marks_of_marker(profile, i) & mark) != 0)
            return true;
    return false;
}

static enum quipu_status check_names(struct quipu__profile *profile, struct quipu_error *err) {
    const struct quipu__profile_scope *scope = profile->scope;
    if (scope->within && !is_marked(profile, WITHIN))
        return quipu__no_region(profile->definitions, scope->within, err);
    if (scope->begin && !is_marked(profile, BEGINS))
        return quipu__no_annotation(profile->definitions, scope->begin, err);
    if (scope->end && !is_marked(profile, ENDS))
        return quipu__no_annotation(profile->definitions, scope->end, err);
    return quipu__memory_status(&profile->memory, err);
}

enum quipu_status quipu__profile_scope_new(struct quipu__profile *profile,
                                           const struct quipu__settings *settings, struct quipu_error *err) {
    struct quipu__profile_scope *scope = profile->scope =
        quipu__alloc_zero(&profile->memory, sizeof *profile->scope);
    if (!scope)
        return quipu__no_memory(err, sizeof *scope);
    scope->memory = &profile->memory;
    scope->within = quipu__settings_value(settings, "within");
    scope->begin = quipu__settings_value(settings, "begin");
    scope->end = quipu__settings_value(settings, "end");
    scope->has_annotations = scope->begin || (profile->by == QUIPU__PROFILE_BY_phase && !scope->within);
    return quipu__call_paths_init(&scope->paths, &profile->memory) ? check_names(profile, err)
                                                                   : quipu__no_memory(err, sizeof *scope);
}

void quipu__profile_scope_free(struct quipu__profile *profile) {
    struct quipu__profile_scope *scope = profile->scope;
    for (size_t i = 0; i < profile->contexts.count; i++)
        QUIPU__VEC_RELEASE(&profile->memory, &profile->contexts.items[i].calls);
    QUIPU__VEC_RELEASE(&profile->memory, &profile->contexts);
    if (!scope || profile->inside)
        return;
    QUIPU__VEC_RELEASE(scope->memory, &scope->region_marks);
    QUIPU__VEC_RELEASE(scope->memory, &scope->marker_marks);
    QUIPU__VEC_RELEASE(scope->memory, &scope->sources);
    QUIPU__VEC_RELEASE(scope->memory, &scope->joined);
    quipu__call_paths_release(&scope->paths);
    quipu__release(&profile->memory, scope, sizeof *scope);
}
