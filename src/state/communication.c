/* communication.c: see communication.h. */
#include "state/communication.h"

#include "core/bounded.h"
#include "model/batch.h"
#include "model/event.h"
#include "state/tracker.h"

#include <string.h>

static bool is_earlier_active(const void *context, const struct quipu__posting *posting);
static bool find_names(struct quipu__communication *communication);

/* Nanoseconds per tick if that is an integer, else 0. */
static int64_t ns_per_tick(const struct quipu_clock *clock) {
    enum { NS = 1000000000 };
    if (clock->ticks_per_second == 0)
        return 1;
    return clock->per_seconds <= 1 && NS % clock->ticks_per_second == 0 ? NS / (int64_t)clock->ticks_per_second
                                                                        : 0;
}

bool quipu__communication_init(struct quipu__communication *communication, struct quipu__memory *memory,
                               const struct quipu_definitions *definitions,
                               const struct quipu__communication_listener *listener) {
    *communication = (struct quipu__communication){.memory = memory,
                                                   .definitions = definitions,
                                                   .listener = *listener,
                                                   .source = QUIPU_NONE,
                                                   .ns_per_tick = ns_per_tick(&definitions->clock)};
    communication->last_exact = communication->ns_per_tick > 0 ? INT64_MAX / communication->ns_per_tick : -1;
    quipu__communication_calls_init(&communication->calls, memory, &communication->listener);
    quipu__matcher_init(&communication->messages, memory, definitions);
    quipu__matcher_listen(&communication->messages, &communication->listener, &communication->calls);
    quipu__collective_matching_init(&communication->collectives, memory, &communication->messages.locations,
                                    &communication->listener, &communication->calls);
    quipu__map_init(&communication->names, memory);
    return quipu__call_paths_init(&communication->paths, memory) && find_names(communication);
}

void quipu__communication_release(struct quipu__communication *communication) {
    struct quipu__memory *memory = communication->memory;
    for (size_t i = 0; i < communication->stacks.count; i++)
        quipu__release(memory, communication->stacks.items[i].calls,
                       communication->stacks.items[i].capacity * sizeof(struct quipu__active_call));
    QUIPU__VEC_RELEASE(memory, &communication->stacks);
    QUIPU__VEC_RELEASE(memory, &communication->uses);
    QUIPU__VEC_RELEASE(memory, &communication->first_of_name);
    quipu__map_release(&communication->names);
    QUIPU__VEC_RELEASE(memory, &communication->finals);
    quipu__collective_matching_release(&communication->collectives);
    quipu__matcher_release(&communication->messages);
    quipu__communication_calls_release(&communication->calls);
    quipu__call_paths_release(&communication->paths);
}

/* ---- Regions ---- */

/* Beside the use of a region: another one stands for it in paths. Entering it takes longer. */
enum { NAMED_SO_BEFORE = 0x80 };

enum quipu__region_use quipu__region_use_of(const struct quipu_definitions *definitions, uint32_t region) {
    if (region >= definitions->regions.count)
        return QUIPU__REGION_COMPUTES;
    switch (definitions->regions.items[region].role) {
    case QUIPU_REGION_MPI_P2P:
    case QUIPU_REGION_MPI_COLLECTIVE:
    case QUIPU_REGION_MPI_RMA:
    case QUIPU_REGION_MPI_OTHER:
        return strcmp(definitions->regions.items[region].name, "MPI_Finalize") == 0
                   ? QUIPU__REGION_FINALIZES
                   : QUIPU__REGION_COMMUNICATES;
    case QUIPU_REGION_MPI_IO:
        return QUIPU__REGION_ACCESSES_FILES;
    case QUIPU_REGION_IO:
    case QUIPU_REGION_RUNTIME:
    case QUIPU_REGION_SYNC:
    case QUIPU_REGION_IDLE:
        return QUIPU__REGION_SERVES;
    default:
        return QUIPU__REGION_COMPUTES;
    }
}

/* Of the regions that have been defined since: the first one of each name and role. What has no name is its own. */
static bool find_names(struct quipu__communication *communication) {
    const struct quipu_regions *regions = &communication->definitions->regions;
    const size_t known = communication->first_of_name.count;
    if (!QUIPU__VEC_RESERVE(communication->memory, &communication->first_of_name, regions->count - known))
        return false;
    communication->first_of_name.count = regions->count;
    for (uint32_t i = (uint32_t)known; i < regions->count; i++) {
        const struct quipu_region *region = &regions->items[i];
        const uint64_t key =
            quipu__hash(region->name, strlen(region->name), communication->names.seed + region->role);
        const uint32_t first = quipu__map_get(&communication->names, key);
        const bool is_named_so = first != QUIPU_NONE && region->name[0] != '\0' &&
                                 regions->items[first].role == region->role &&
                                 strcmp(regions->items[first].name, region->name) == 0;
        communication->first_of_name.items[i] = is_named_so ? first : i;
        if (first == QUIPU_NONE && !quipu__map_put(&communication->names, key, i))
            return false;
    }
    return true;
}

static enum quipu__region_use look_up_use(struct quipu__communication *communication, uint32_t region) {
    const size_t known = communication->uses.count;
    const enum quipu__region_use use = quipu__region_use_of(communication->definitions, region);
    if (region >= communication->definitions->regions.count ||
        (region >= communication->first_of_name.count && !find_names(communication)))
        return use;
    if (region >= known) {
        if (!QUIPU__VEC_RESERVE(communication->memory, &communication->uses, region + 1 - known))
            return use;
        communication->uses.count = (size_t)region + 1;
    }
    const bool is_first = quipu__communication_first_of_name(communication, region) == region;
    communication->uses.items[region] = (uint8_t)(is_first ? use : use | NAMED_SO_BEFORE);
    return use;
}

static inline enum quipu__region_use use_of(struct quipu__communication *communication, uint32_t region) {
    const unsigned known = region < communication->uses.count ? communication->uses.items[region] : 0;
    return known ? (enum quipu__region_use)(known & ~(unsigned)NAMED_SO_BEFORE)
                 : look_up_use(communication, region);
}

/* ---- Stacks ---- */

/* There may be 100,000 stacks, few of which become deep. */
static bool deepen(struct quipu__communication *communication, struct quipu__call_stack *stack) {
    const uint32_t capacity = stack->capacity ? stack->capacity * 2 : 4;
    struct quipu__active_call *calls = quipu__resize(
        communication->memory, stack->calls, stack->capacity * sizeof *calls, (size_t)capacity * sizeof *calls);
    if (!calls)
        return false;
    if (stack->capacity == 0)
        calls[0] =
            (struct quipu__active_call){.path = QUIPU__NO_CALLS, .region = QUIPU_NONE, .number = QUIPU_NONE};
    stack->calls = calls;
    stack->capacity = capacity;
    return true;
}

/* Finds the processes of locations, and whether some stand for others. */
static void look_for_threads(struct quipu__communication *communication, size_t known) {
    for (uint32_t i = (uint32_t)known; i < communication->stacks.count; i++) {
        struct quipu__call_stack *stack = &communication->stacks.items[i];
        const struct quipu__standing *standing = quipu__ends_standing(&communication->messages.locations, i);
        stack->process = standing ? standing->process : i;
        if (!standing || standing->next == i)
            continue;
        communication->messages.is_earlier_active = is_earlier_active;
        communication->messages.context = communication;
    }
}

/* The stack of a location; NULL when memory is out. */
static struct quipu__call_stack *add_stacks(struct quipu__communication *communication, uint32_t location) {
    const uint32_t defined = communication->definitions->locations.count;
    const size_t known = communication->stacks.count;
    const size_t count = location < defined ? defined : (size_t)location + 1;
    if (!QUIPU__VEC_RESERVE(communication->memory, &communication->stacks, count - known))
        return NULL;
    communication->stacks.count = count;
    for (size_t i = known; i < count; i++)
        if (!deepen(communication, &communication->stacks.items[i]))
            return NULL;
    look_for_threads(communication, known);
    return &communication->stacks.items[location];
}

/* Whether another location that may stand for the same end is in a communication call that began before the posting. */
static bool is_earlier_active(const void *context, const struct quipu__posting *posting) {
    const struct quipu__communication *communication = context;
    const struct quipu__ends *locations = &communication->messages.locations;
    for (uint32_t i = quipu__ends_next(locations, posting->location); i != posting->location;
         i = quipu__ends_next(locations, i)) {
        const struct quipu__call_stack *stack =
            i < communication->stacks.count ? &communication->stacks.items[i] : NULL;
        if (!stack || stack->calls[stack->depth].outermost == 0)
            continue;
        const struct quipu__active_call *call = &stack->calls[stack->calls[stack->depth].outermost];
        if (call->enter < posting->time || (call->enter == posting->time && i < posting->location))
            return true;
    }
    return false;
}

/* ---- Calls with messages ---- */

/* The call, with messages or collective operations, that an event belongs to: the one at a depth; at 0, a call for the event alone. QUIPU_NONE
 * when memory is out. */
QUIPU__INLINE uint32_t call_here(struct quipu__communication *communication, struct quipu__call_stack *stack,
                                 uint32_t depth, uint32_t location, int64_t time) {
    struct quipu__active_call *call = &stack->calls[depth];
    const bool is_bare = depth == 0;
    if (!is_bare && call->number != QUIPU_NONE)
        return call->number;
    const uint32_t number =
        quipu__communication_call_add(&communication->calls, location, is_bare ? time : call->enter);
    struct quipu__communication_call *made = quipu__communication_call_at(&communication->calls, number);
    if (!made)
        return QUIPU_NONE;
    made->position = is_bare ? stack->events : call->position;
    made->path = is_bare ? stack->calls[stack->depth].path : call->path;
    made->is_bare = is_bare;
    made->accesses_files = call->communicates != depth;
    if (is_bare)
        made->leave = time;
    else
        call->number = number;
    return number;
}

/* The depth of the innermost communication call; for collective operations also of MPI-IO. */
QUIPU__INLINE uint32_t call_depth(const struct quipu__call_stack *stack, bool is_collective) {
    const uint32_t communicates = stack->calls[stack->depth].communicates;
    uint32_t depth = is_collective ? stack->depth : communicates;
    while (depth > communicates && stack->calls[depth].is_simple)
        depth--;
    return depth;
}

/* ---- The end of the program ---- */

/* Reports sides of MPI_Finalize, complete or not. */
static void tell_finalize(struct quipu__communication *communication, struct quipu__collective_side *sides,
                          uint32_t count, bool is_complete) {
    const struct quipu__collective collective = {.group = QUIPU_NONE,
                                                 .operation = QUIPU_COLLECTIVE_OTHER,
                                                 .root = QUIPU_NONE,
                                                 .sides = sides,
                                                 .side_count = count,
                                                 .members = count,
                                                 .member_count = count,
                                                 .flow = is_complete ? QUIPU__FLOW_FINALIZE : QUIPU__FLOW_NONE,
                                                 .is_complete = is_complete,
                                                 .is_evaluated = is_complete};
    for (uint32_t i = 0; i < count; i++)
        sides[i].contributes = sides[i].depends = is_complete;
    communication->listener.collective(communication->listener.context, &collective);
    for (uint32_t i = 0; i < count; i++)
        quipu__communication_call_resolve(&communication->calls, sides[i].begin_call);
}

/* The side of a process; replaces an earlier one. NULL when memory is out. */
static struct quipu__collective_side *new_final(struct quipu__communication *communication, uint32_t process) {
    uint32_t *number = &communication->stacks.items[process].finalize;
    if (*number > 0) {
        tell_finalize(communication, &communication->finals.items[*number - 1], 1, false);
        return &communication->finals.items[*number - 1];
    }
    struct quipu__collective_side *side = QUIPU__VEC_ADD(communication->memory, &communication->finals);
    *number = (uint32_t)communication->finals.count;
    return side;
}

/* Reports a beginning or end as that of an operation with one side. */
static uint32_t tell_final(const struct quipu__communication *communication,
                           struct quipu__collective_side *side,
                           uint32_t (*tell)(void *, const struct quipu__collective *, uint32_t)) {
    const struct quipu__collective alone = {
        .group = QUIPU_NONE, .flow = QUIPU__FLOW_FINALIZE, .sides = side, .side_count = 1};
    return tell ? tell(communication->listener.context, &alone, 0) : QUIPU_NONE;
}

static uint32_t process_of(const struct quipu__communication *communication, uint32_t location) {
    const uint32_t process = communication->stacks.items[location].process;
    return process < communication->stacks.count ? process : location;
}

QUIPU__RARELY bool begin_finalize(struct quipu__communication *communication, struct quipu__call_stack *stack,
                                  uint32_t location, int64_t time) {
    const uint32_t number = call_here(communication, stack, stack->depth, location, time);
    struct quipu__collective_side *side =
        number == QUIPU_NONE ? NULL : new_final(communication, process_of(communication, location));
    if (!side)
        return false;
    *side = (struct quipu__collective_side){.begin = time,
                                            .end = INT64_MAX,
                                            .entered = time,
                                            .location = location,
                                            .begin_call = number,
                                            .end_call = number,
                                            .begin_wait = QUIPU_NONE,
                                            .end_rest = QUIPU_NONE,
                                            .region = QUIPU_NONE};
    quipu__communication_call_await(&communication->calls, number);
    side->mark = tell_final(communication, side, communication->listener.collective_begins);
    return true;
}

/* Handles the end of a call that may be an MPI_Finalize not replaced meanwhile. */
QUIPU__RARELY void end_finalize(struct quipu__communication *communication, uint32_t location, uint32_t call,
                                int64_t time) {
    const uint32_t number = communication->stacks.items[process_of(communication, location)].finalize;
    struct quipu__collective_side *side = number == 0 ? NULL : &communication->finals.items[number - 1];
    if (!side || side->begin_call != call)
        return;
    side->end = time;
    side->has_ended = true;
    side->end_mark = tell_final(communication, side, communication->listener.collective_ends);
}

static void finish_finalize(struct quipu__communication *communication) {
    bool is_complete = true;
    for (uint32_t i = 0; i < communication->stacks.count; i++)
        is_complete &= !communication->stacks.items[i].has_events ||
                       communication->stacks.items[process_of(communication, i)].finalize > 0;
    if (communication->finals.count > 0)
        tell_finalize(communication, communication->finals.items, (uint32_t)communication->finals.count,
                      is_complete);
}

/* ---- Calls ---- */

static bool enter(struct quipu__communication *communication, struct quipu__call_stack *stack,
                  uint32_t location, uint32_t region, int64_t time) {
    if (QUIPU__UNLIKELY(stack->depth + 1 >= stack->capacity) && !deepen(communication, stack))
        return false;
    const struct quipu__active_call *outer = &stack->calls[stack->depth];
    const enum quipu__region_use use = use_of(communication, region);
    uint32_t path = quipu__call_path_enter(&communication->paths, outer->path,
                                           quipu__communication_first_of_name(communication, region));
    if (QUIPU__UNLIKELY(communication->source != QUIPU_NONE) && path != QUIPU_NONE)
        path = quipu__call_path_at(&communication->paths, path, communication->source);
    communication->source = QUIPU_NONE;
    if (QUIPU__UNLIKELY(path == QUIPU_NONE))
        return false;
    const bool is_communication = use >= QUIPU__REGION_COMMUNICATES;
    const uint32_t depth = ++stack->depth;
    stack->waiting += use >= QUIPU__REGION_ACCESSES_FILES;
    stack->calls[depth] = (struct quipu__active_call){
        .enter = time,
        .position = stack->events,
        .path = path,
        .region = region,
        .communicates = is_communication ? depth : outer->communicates,
        .outermost = is_communication && outer->outermost == 0 ? depth : outer->outermost,
        .number = QUIPU_NONE,
        .is_simple = use < QUIPU__REGION_ACCESSES_FILES};
    if (stack->calls[depth].outermost == depth && communication->listener.outermost_enter)
        communication->listener.outermost_enter(communication->listener.context, location, path, time);
    return use != QUIPU__REGION_FINALIZES || !communication->listener.has_finalize ||
           communication->only_calls || begin_finalize(communication, stack, location, time);
}

/* Ends the innermost call. */
static void end_call(struct quipu__communication *communication, struct quipu__call_stack *stack,
                     uint32_t location, int64_t time) {
    const struct quipu__active_call *call = &stack->calls[stack->depth];
    const bool is_outermost = call->outermost == stack->depth;
    stack->waiting -= !call->is_simple;
    const uint32_t path = call->path;
    if (communication->finals.count > 0 && call->number != QUIPU_NONE)
        end_finalize(communication, location, call->number, time);
    if (call->number != QUIPU_NONE)
        quipu__communication_call_leave(&communication->calls, call->number, time);
    if (is_outermost && communication->listener.outermost_leave)
        communication->listener.outermost_leave(communication->listener.context, location, path, time);
    stack->depth--;
    if (is_outermost && communication->messages.is_earlier_active && !communication->only_calls)
        quipu__matcher_retry(&communication->messages, location);
}

/* Leaves a region: calls inside it end with it. One that is not active, or too far out, is not left. */
static void leave(struct quipu__communication *communication, struct quipu__call_stack *stack,
                  uint32_t location, uint32_t region, int64_t time) {
    uint32_t depth = stack->depth;
    const uint32_t least = depth > QUIPU__LOOK_OUT_MOST ? depth - QUIPU__LOOK_OUT_MOST : 0;
    while (depth > least && region != QUIPU_NONE && stack->calls[depth].region != region)
        depth--;
    while (depth > least && stack->depth >= depth)
        end_call(communication, stack, location, time);
}

/* ---- Events inside calls ---- */

QUIPU__LOOP bool add_communication(struct quipu__communication *communication, struct quipu__call_stack *stack,
                                   const struct quipu_batch *batch, uint32_t event, int64_t time) {
    const uint32_t location = batch->location[event];
    const bool is_collective =
        batch->kind[event] == QUIPU_KIND_collective_begin || batch->kind[event] == QUIPU_KIND_collective_end;
    const uint32_t number = call_here(communication, stack, call_depth(stack, is_collective), location, time);
    const struct quipu__communication_call *call = quipu__communication_call_at(&communication->calls, number);
    if (!call)
        return false;
    const bool is_bare = call->is_bare;
    const struct quipu__event_in_call where = {.time = time,
                                               .position = stack->events,
                                               .call = number,
                                               .call_began = {call->enter, location, call->position}};
    if (is_collective)
        quipu__collective_matching_add(&communication->collectives, batch, event, &where);
    else
        quipu__matcher_pair_event(&communication->messages, batch, event, &where);
    if (is_bare)
        quipu__communication_call_leave(&communication->calls, number, time);
    return true;
}

/* ---- The feed ---- */

static inline void step(struct quipu__communication *communication, struct quipu__call_stack *stack,
                        uint32_t location, int64_t time) {
    if (QUIPU__UNLIKELY(!stack->has_events)) {
        stack->has_events = true;
        stack->first = stack->last = time;
    }
    if (time <= stack->last)
        return;
    const struct quipu__active_call *call = &stack->calls[stack->depth];
    if (communication->listener.step && !(communication->listener.steps_outside && call->outermost > 0))
        communication->listener.step(communication->listener.context, location, call->path, stack->last, time);
    stack->last = time;
}

bool quipu__communication_add(struct quipu__communication *communication, const struct quipu_batch *batch,
                              uint32_t event) {
    const uint32_t location = batch->location[event];
    const int64_t time = quipu__communication_ns(communication, batch->time[event]);
    struct quipu__call_stack *stack = QUIPU__UNLIKELY(location >= communication->stacks.count)
                                          ? add_stacks(communication, location)
                                          : &communication->stacks.items[location];
    bool has_memory = true;
    if (QUIPU__UNLIKELY(!stack))
        return false;
    if (batch->kind[event] == QUIPU_KIND_summary || batch->kind[event] == QUIPU_KIND_snapshot)
        return true;
    step(communication, stack, location, time);
    if (batch->kind[event] == QUIPU_KIND_enter)
        has_memory = enter(communication, stack, location, batch->object[event], time);
    else if (batch->kind[event] == QUIPU_KIND_leave)
        leave(communication, stack, location, batch->object[event], time);
    else if (!communication->only_calls && (QUIPU__COMMUNICATION_KINDS >> batch->kind[event] & 1) != 0)
        has_memory = add_communication(communication, stack, batch, event, time);
    stack->events++;
    return has_memory;
}

/* ---- The feed of batches ---- */

/* What does not change meanwhile: the compiler holds it in registers. */
struct feed {
    const int64_t *times;
    const uint8_t *kinds, *uses;
    const uint32_t *locations, *regions;
    const struct quipu__recent_path *recent;
    int64_t ns_per_tick, last_exact;
    uint32_t count, use_count, mask;
};

QUIPU__INLINE struct feed feed_of(const struct quipu__communication *communication,
                                  const struct quipu_batch *batch, uint32_t count) {
    return (struct feed){.times = batch->time,
                         .kinds = batch->kind,
                         .uses = communication->uses.items,
                         .locations = batch->location,
                         .regions = batch->object,
                         .recent = communication->paths.recent,
                         .ns_per_tick = communication->ns_per_tick,
                         .last_exact = communication->last_exact,
                         .count = count,
                         .use_count = (uint32_t)communication->uses.count,
                         .mask = communication->paths.mask};
}

/* The use of a region that has been entered by a path; 0 when that takes longer to find out, or entering it does more. */
QUIPU__INLINE uint8_t known_use(const struct feed *feed, const struct quipu__recent_path *recent,
                                uint32_t parent, uint32_t region) {
    const uint8_t use = region < feed->use_count ? feed->uses[region] : 0;
    return use < QUIPU__REGION_FINALIZES && recent->key == ((uint64_t)parent << 32 | region) ? use : 0;
}

/* A call inside another one, which comes right behind it. */
QUIPU__INLINE void push_call(struct quipu__active_call *outer, uint32_t depth, uint32_t path, uint32_t region,
                             uint8_t use) {
    const bool is_communication = use == QUIPU__REGION_COMMUNICATES;
    outer[1].path = path;
    outer[1].region = region;
    outer[1].communicates = is_communication ? depth : outer->communicates;
    outer[1].outermost = is_communication && outer->outermost == 0 ? depth : outer->outermost;
    outer[1].number = QUIPU_NONE;
    outer[1].is_simple = use < QUIPU__REGION_ACCESSES_FILES;
}

/* What an event does beside the step to its time. */
enum event_effect { SLOW, ENTERS, LEAVES, ENDS, COMMUNICATES };

/* SLOW is what happens rarely, and what the loop has no registers for. last is the last call that there is room for. */
QUIPU__INLINE enum event_effect effect_of(const struct feed *feed, uint32_t event,
                                          const struct quipu__active_call *call,
                                          const struct quipu__active_call *last, bool only_calls,
                                          const struct quipu__recent_path **recent, uint8_t *use) {
    const uint32_t region = feed->regions[event];
    const uint8_t kind = feed->kinds[event];
    if (kind == QUIPU_KIND_leave) {
        if (call->region != region || region == QUIPU_NONE)
            return SLOW;
        return call->is_simple ? LEAVES : ENDS;
    }
    if (kind == QUIPU_KIND_enter) {
        *recent = &feed->recent[quipu__recent_path_index(call->path, region, feed->mask)];
        *use = known_use(feed, *recent, call->path, region);
        return call != last && *use != 0 ? ENTERS : SLOW;
    }
    return !only_calls && (QUIPU__COMMUNICATION_KINDS >> kind & 1) != 0 ? COMMUNICATES : SLOW;
}

/* Takes in events from one on, as long as they are of its location and not slow. A step is told with the stack as it was before the event.
 * event becomes the first one that is not taken in. False when memory is out. */
QUIPU__INLINE bool add_run(struct quipu__communication *communication, const struct quipu_batch *batch,
                           const struct feed *feed, uint32_t *event, struct quipu__call_stack *stack,
                           bool tells_steps) {
    const uint32_t location = feed->locations[*event];
    const bool only_calls = communication->only_calls, steps_outside = communication->listener.steps_outside;
    struct quipu__active_call *call = &stack->calls[stack->depth];
    const struct quipu__active_call *const last = &stack->calls[stack->capacity - 1];
    const uint64_t before = stack->events - *event;
    int64_t now = stack->last;
    bool has_memory = true;
    uint32_t i = *event;
    for (; i < feed->count && feed->locations[i] == location && has_memory; i++) {
        const struct quipu__recent_path *recent = NULL;
        uint8_t use = 0;
        const int64_t ticks = feed->times[i];
        if (QUIPU__UNLIKELY((uint64_t)ticks + (uint64_t)feed->last_exact > 2 * (uint64_t)feed->last_exact))
            break;
        const int64_t time = ticks * feed->ns_per_tick;
        const enum event_effect effect = effect_of(feed, i, call, last, only_calls, &recent, &use);
        if (effect == SLOW)
            break;
        if (tells_steps && time > now && !(steps_outside && call->outermost > 0))
            communication->listener.step(communication->listener.context, location, call->path, now, time);
        now = time > now ? time : now;
        if (effect == LEAVES) {
            call--;
        } else if (effect == ENTERS) {
            call[1].enter = time;
            call[1].position = before + i;
            push_call(call, (uint32_t)(call + 1 - stack->calls), recent->path, feed->regions[i], use);
            call++;
            stack->waiting += use >= QUIPU__REGION_ACCESSES_FILES;
            if (use == QUIPU__REGION_COMMUNICATES && communication->listener.outermost_enter &&
                &stack->calls[call->outermost] == call)
                communication->listener.outermost_enter(communication->listener.context, location, call->path,
                                                        time);
        } else {
            stack->depth = (uint32_t)(call - stack->calls);
            stack->events = before + i;
            stack->last = now;
            if (effect == ENDS) {
                end_call(communication, stack, location, time);
                call--;
            } else {
                has_memory = add_communication(communication, stack, batch, i, time);
            }
        }
        if (tells_steps)
            stack->depth = (uint32_t)(call - stack->calls);
    }
    stack->depth = (uint32_t)(call - stack->calls);
    stack->events = before + i;
    stack->last = now;
    *event = i;
    return has_memory;
}

/* Takes in events from one on, as long as they are of a location that is known. */
QUIPU__INLINE bool add_known(struct quipu__communication *communication, const struct quipu_batch *batch,
                             const struct feed *feed, uint32_t *event) {
    const uint32_t location = feed->locations[*event];
    if (location >= communication->stacks.count || communication->last_exact < 0)
        return true;
    struct quipu__call_stack *stack = &communication->stacks.items[location];
    if (!stack->has_events)
        return true;
    return communication->listener.step ? add_run(communication, batch, feed, event, stack, true)
                                        : add_run(communication, batch, feed, event, stack, false);
}

/* The same event by event, since they may say where calls are made. */
static bool add_with_sources(struct quipu__communication *communication, const struct quipu_batch *batch,
                             uint32_t from, uint32_t to) {
    uint32_t cursor = quipu__batch_attributes_of(batch, from);
    for (uint32_t i = from; i < to; i++) {
        communication->source =
            batch->kind[i] == QUIPU_KIND_enter ? quipu__batch_source(batch, i, &cursor) : QUIPU_NONE;
        if (!quipu__communication_add(communication, batch, i))
            return false;
    }
    return true;
}

bool quipu__communication_add_range(struct quipu__communication *communication, const struct quipu_batch *batch,
                                    uint32_t from, uint32_t to) {
    if (communication->definitions->has_call_sites && batch->attribute_count > 0)
        return add_with_sources(communication, batch, from, to);
    struct feed feed = feed_of(communication, batch, to);
    uint32_t i = from;
    while (i < to) {
        const uint32_t first = i;
        if (!add_known(communication, batch, &feed, &i))
            return false;
        if (i > first)
            continue;
        if (!quipu__communication_add(communication, batch, i++))
            return false;
        feed = feed_of(communication, batch, to); /* which that may have changed */
    }
    return true;
}

void quipu__communication_finish(struct quipu__communication *communication) {
    if (communication->messages.is_ending)
        return;
    for (uint32_t i = 0; i < communication->stacks.count; i++) {
        struct quipu__call_stack *stack = &communication->stacks.items[i];
        communication->unfinished.calls += stack->depth;
        communication->unfinished.locations += stack->depth > 0;
        while (stack->depth > 0)
            end_call(communication, stack, i, stack->last);
    }
    quipu__matcher_finish(&communication->messages);
    quipu__collective_matching_finish(&communication->collectives);
    finish_finalize(communication);
}

int64_t quipu__communication_run_time(const struct quipu__communication *communication) {
    int64_t first = INT64_MAX, last = INT64_MIN;
    for (size_t i = 0; i < communication->stacks.count; i++) {
        const struct quipu__call_stack *stack = &communication->stacks.items[i];
        if (!stack->has_events)
            continue;
        first = stack->first < first ? stack->first : first;
        last = stack->last > last ? stack->last : last;
    }
    return last > first ? quipu__bounded_difference(last, first) : 0;
}
