/* network_replay.c: see network_replay.h. Where MPI is initialised and finalised only the time between counts on an ideal network,
 * and a first reading finds it. */
#include "analysis/replay/network_replay.h"

#include "analysis/replay/dependences.h"
#include "analysis/shared/cells.h"
#include "analysis/shared/settings.h"
#include "analysis/shared/unknown_names.h"
#include "core/bisect.h"
#include "core/bounded.h"
#include "core/error.h"

#include <string.h>

/* ---- Locations ---- */

QUIPU__RARELY struct quipu__replay_location *add_locations(struct quipu__network_replay *replay,
                                                           uint32_t location) {
    const size_t count = replay->locations.count;
    if (!QUIPU__VEC_RESERVE(&replay->memory, &replay->locations, location + 1 - count))
        return NULL;
    for (size_t i = count; i <= location; i++)
        replay->locations.items[i] =
            (struct quipu__replay_location){.mark = QUIPU_NONE, .condition = QUIPU_NONE};
    replay->locations.count = (size_t)location + 1;
    return &replay->locations.items[location];
}

/* What is known of a location; NULL when memory is out. */
QUIPU__INLINE struct quipu__replay_location *replay_location_of(struct quipu__network_replay *replay,
                                                                uint32_t location) {
    return QUIPU__LIKELY(location < replay->locations.count) ? &replay->locations.items[location]
                                                             : add_locations(replay, location);
}

/* ---- Totals of times ---- */

static void add_to_total(struct quipu__time_total *total, int64_t time) {
    total->upper += (uint64_t)time >> 32;
    total->lower += (uint64_t)time & UINT32_MAX;
}

static void add_to_totals(struct quipu__replay_totals *totals, int64_t useful) {
    add_to_total(&totals->useful, useful);
    totals->most = useful > totals->most ? useful : totals->most;
}

/* ---- Sections ---- */

/* The section of a time. */
static uint32_t section_at(const struct quipu__replay_sections *sections, int64_t time) {
    size_t low = 0;
    QUIPU__BISECT(low, sections->cuts.count, i, sections->cuts.items[i] <= time);
    return (uint32_t)low;
}

static bool cut_sections(struct quipu__network_replay *replay, const int64_t *cuts, size_t count) {
    struct quipu__replay_sections *sections = &replay->sections;
    sections->cuts.count = sections->list.count = 0;
    if (!QUIPU__VEC_RESERVE(&replay->memory, &sections->cuts, count) ||
        !QUIPU__VEC_RESERVE(&replay->memory, &sections->list, count + 1))
        return false;
    for (size_t i = 0; i < count; i++)
        sections->cuts.items[i] = cuts[i];
    sections->cuts.count = count;
    sections->list.count = count + 1;
    return true;
}

static bool begin_sections(struct quipu__network_replay *replay) {
    struct quipu__replay_sections *sections = &replay->sections;
    for (size_t i = 0; i < sections->list.count; i++)
        sections->list.items[i] = (struct quipu__replay_totals){0};
    return sections->list.count == 0 || quipu__schedule_cut(&replay->schedule, (uint32_t)sections->list.count);
}

/* A location leaves the section that it is in, for that one. */
QUIPU__RARELY void leave_section(struct quipu__network_replay *replay, struct quipu__replay_location *known,
                                 uint32_t location, uint32_t next) {
    const bool counts = quipu__reports(&replay->reported, location);
    if (counts)
        add_to_totals(&replay->sections.list.items[known->section],
                      quipu__bounded_difference(known->useful, known->useful_before));
    known->useful_before = known->useful;
    known->section = next;
    quipu__schedule_go_to_section(&replay->schedule, location, next, counts);
}

static void end_sections(struct quipu__network_replay *replay) {
    const uint32_t behind = (uint32_t)replay->sections.list.count;
    for (uint32_t i = 0; behind > 0 && i < replay->locations.count; i++)
        if (replay->locations.items[i].section < behind)
            leave_section(replay, &replay->locations.items[i], i, behind);
}

struct quipu__replay_totals quipu__replay_section_totals(const struct quipu__network_replay *replay,
                                                         uint32_t section, int64_t from, int64_t to) {
    const struct quipu__communication *communication = replay->communication;
    struct quipu__replay_totals totals = {.has_ideal = true};
    if (section < replay->sections.list.count) {
        const struct quipu__schedule_section *passed = &replay->schedule.sections.items[section];
        totals = replay->sections.list.items[section];
        totals.has_ideal = passed->missing == 0;
        totals.ideal = passed->longest;
    }
    for (uint32_t i = 0; i < communication->stacks.count; i++)
        totals.locations += communication->stacks.items[i].has_events && quipu__reports(&replay->reported, i);
    totals.begin = from;
    totals.end = to;
    totals.run_time = quipu__bounded_difference(to, from);
    return totals;
}

/* ---- Useful time ---- */

static bool is_outside_communication(const struct quipu__network_replay *replay, uint32_t location) {
    const struct quipu__call_stack *stack = &replay->communication->stacks.items[location];
    return stack->calls[stack->depth].outermost == 0;
}

static bool is_inside(const struct quipu__network_replay *replay, int64_t time) {
    return replay->begin <= time && time < replay->end;
}

/* Locations begin when they do in the trace, in the time that counts; on an ideal network with the trace, where its times are to be written. */
QUIPU__RARELY void start_location_slow(struct quipu__network_replay *replay,
                                       struct quipu__replay_location *known, uint32_t location, int64_t time) {
    if (replay->has_traced_times && !is_inside(replay, time))
        return;
    if (replay->has_traced_times)
        quipu__schedule_start(&replay->schedule, location,
                              replay->is_measured || replay->is_modelled ? time : replay->first);
    known->has_started = true;
}

QUIPU__INLINE void start_location(struct quipu__network_replay *replay, struct quipu__replay_location *known,
                                  uint32_t location, int64_t time) {
    if (QUIPU__UNLIKELY(!known->has_started))
        start_location_slow(replay, known, location, time);
}

QUIPU__INLINE bool passes_cut(const struct quipu__network_replay *replay,
                              const struct quipu__replay_location *known, int64_t time) {
    return known->section < replay->sections.cuts.count && time >= replay->sections.cuts.items[known->section];
}

/* A location goes on to the section of a time. */
QUIPU__INLINE void enter_section(struct quipu__network_replay *replay, struct quipu__replay_location *known,
                                 uint32_t location, int64_t time) {
    if (QUIPU__LIKELY(!passes_cut(replay, known, time)))
        return;
    leave_section(replay, known, location, section_at(&replay->sections, time));
}

/* Time that is of one section. */
QUIPU__INLINE void add_time(struct quipu__network_replay *replay, struct quipu__replay_location *known,
                            uint32_t location, uint32_t path, int64_t first, int64_t last, int64_t to) {
    if (!replay->has_traced_times && quipu__path_is_useful(&replay->paths, &replay->communication->paths, path))
        known->useful = quipu__bounded_sum(known->useful, quipu__bounded_difference(last, first));
    start_location(replay, known, location, first);
    const int64_t time =
        replay->bursts.are_measured
            ? quipu__bounded_difference(last, first)
            : quipu__burst_time(&replay->bursts, location,
                                quipu__call_path_region(&replay->communication->paths, path), first, last);
    quipu__schedule_advance(&replay->schedule, location, time, 0, to);
}

QUIPU__RARELY void add_divided(struct quipu__network_replay *replay, struct quipu__replay_location *known,
                               uint32_t location, uint32_t path, int64_t first, int64_t last, int64_t to) {
    while (first < last) {
        enter_section(replay, known, location, first);
        const int64_t end = quipu__replay_section_to(replay, known->section), until = end < last ? end : last;
        add_time(replay, known, location, path, first, until, to);
        first = until;
    }
}

/* Counters know what comes before the time that counts. */
QUIPU__RARELY void add_early(struct quipu__network_replay *replay, struct quipu__replay_location *known,
                             uint32_t path, int64_t from, int64_t to) {
    const int64_t until = to < replay->begin ? to : replay->begin;
    if (quipu__path_is_useful(&replay->paths, &replay->communication->paths, path))
        known->useful_early = quipu__bounded_sum(known->useful_early, quipu__bounded_difference(until, from));
}

static void add_step(void *context, uint32_t location, uint32_t path, int64_t from, int64_t to) {
    struct quipu__network_replay *replay = context;
    struct quipu__replay_location *known = replay_location_of(replay, location);
    if (known && from < replay->begin && replay->counters.has_metrics)
        add_early(replay, known, path, from, to);
    const int64_t first = from > replay->begin ? from : replay->begin;
    const int64_t last = to < replay->end ? to : replay->end;
    if (!known || last <= first)
        return;
    if (QUIPU__LIKELY(!passes_cut(replay, known, last - 1)))
        add_time(replay, known, location, path, first, last, to);
    else
        add_divided(replay, known, location, path, first, last, to);
}

/* ---- Calls ---- */

/* Whether a call gets its mark when others may wait for it, not before: its location stays where it is until the end of the call. */
static bool has_late_marks(const struct quipu__network_replay *replay) {
    return !replay->retimes && !replay->is_modelled && replay->sections.list.count == 0;
}

static void enter(void *context, uint32_t location, uint32_t path, int64_t time) {
    struct quipu__network_replay *replay = context;
    struct quipu__replay_location *known = replay_location_of(replay, location);
    (void)path;
    if (!known || replay->looks_for_region)
        return;
    start_location(replay, known, location, time);
    enter_section(replay, known, location, time);
    known->is_inside = is_inside(replay, time);
    known->condition = QUIPU_NONE;
    known->entered = time;
    known->first_events = known->events = 0;
    known->mark = known->is_inside && !has_late_marks(replay)
                      ? quipu__schedule_publish(&replay->schedule, location, time, true)
                      : QUIPU_NONE;
}

/* The condition for the end of the call that a location is in. A call that waits in several sections has one in each; what is completed just
 * when a section ends has waited in that. */
QUIPU__INLINE uint32_t condition_of(struct quipu__network_replay *replay, struct quipu__replay_location *known,
                                    uint32_t location, int64_t time) {
    const int64_t before = time > INT64_MIN ? time - 1 : time;
    if (QUIPU__UNLIKELY(passes_cut(replay, known, before))) {
        quipu__schedule_await(&replay->schedule, known->condition, 0, time);
        known->condition = QUIPU_NONE;
        enter_section(replay, known, location, before);
    }
    if (known->is_inside && known->condition == QUIPU_NONE)
        known->condition = quipu__schedule_condition(&replay->schedule, location);
    return known->condition;
}

static const char *region_name(const struct quipu__network_replay *replay, uint32_t path) {
    const uint32_t region = quipu__call_path_region(&replay->communication->paths, path);
    return region < replay->definitions->regions.count ? replay->definitions->regions.items[region].name : "";
}

static bool is_init(const char *name) {
    return strcmp(name, "MPI_Init") == 0 || strcmp(name, "MPI_Init_thread") == 0;
}

static bool is_finalize(const char *name) {
    return strcmp(name, "MPI_Finalize") == 0;
}

/* Init and Finalize count for the process. */
static void look_for_region(struct quipu__network_replay *replay, uint32_t location, uint32_t path,
                            int64_t time) {
    const char *name = region_name(replay, path);
    const uint32_t process = replay->communication->stacks.items[location].process;
    struct quipu__replay_location *known = replay_location_of(replay, process);
    if (!known)
        return;
    const struct quipu__call_stack *stack = &replay->communication->stacks.items[location];
    const int64_t entered = stack->calls[stack->depth].enter;
    if (is_init(name)) {
        known->init = !known->has_init || time < known->init ? time : known->init;
        known->has_init = true;
    } else if (is_finalize(name)) {
        known->finalize = !known->has_finalize || entered > known->finalize ? entered : known->finalize;
        known->has_finalize = true;
    }
}

static void leave(void *context, uint32_t location, uint32_t path, int64_t time) {
    struct quipu__network_replay *replay = context;
    struct quipu__replay_location *known = replay_location_of(replay, location);
    if (known && replay->looks_for_region)
        look_for_region(replay, location, path, time);
    if (!known || replay->looks_for_region)
        return;
    if (replay->is_measured)
        quipu__schedule_add_rest(&replay->schedule, condition_of(replay, known, location, time), known->entered,
                                 quipu__reported_to(&replay->reported, time));
    if (replay->retimes)
        quipu__schedule_end_call(&replay->schedule, location, known->condition, known->first_events,
                                 known->events + (replay->is_event ? 1 : 0), time);
    else
        quipu__schedule_await(&replay->schedule, known->condition, 0, time);
    quipu__schedule_drop(&replay->schedule, known->mark);
    known->mark = known->condition = QUIPU_NONE;
    known->is_inside = false;
}

/* A location that comes to an event begins there, unless that is in a call that takes what it took: then behind it. */
QUIPU__INLINE void start_at_event(struct quipu__network_replay *replay, struct quipu__replay_location *known,
                                  uint32_t location, bool is_outside, int64_t time) {
    if (known->is_inside || replay->is_modelled || is_outside)
        start_location(replay, known, location, time);
    if (is_outside)
        enter_section(replay, known, location, time);
}

/* An event outside of any communication call is a call of its own. */
static uint32_t mark_here(struct quipu__network_replay *replay, uint32_t location, int64_t time) {
    struct quipu__replay_location *known = replay_location_of(replay, location);
    if (!known)
        return QUIPU_NONE;
    const bool is_outside = is_outside_communication(replay, location);
    start_at_event(replay, known, location, is_outside, time);
    if (is_outside)
        return is_inside(replay, time) ? quipu__schedule_publish(&replay->schedule, location, time, false)
                                       : QUIPU_NONE;
    if (known->mark == QUIPU_NONE && known->is_inside)
        known->mark = quipu__schedule_publish(&replay->schedule, location, known->entered, false);
    quipu__schedule_hold(&replay->schedule, known->mark);
    return known->mark;
}

/* On a modelled network what a call waits for has its place in it, else at its end. */
static uint32_t condition_here(struct quipu__network_replay *replay, uint32_t location, int64_t time) {
    struct quipu__replay_location *known = replay_location_of(replay, location);
    if (!known)
        return QUIPU_NONE;
    const bool is_outside = is_outside_communication(replay, location);
    const bool waits_here = replay->is_modelled || is_outside;
    uint32_t condition = QUIPU_NONE;
    start_at_event(replay, known, location, is_outside, time);
    if (!waits_here)
        condition = condition_of(replay, known, location, time);
    else if (is_inside(replay, time))
        condition = quipu__schedule_condition(&replay->schedule, location);
    quipu__schedule_open(&replay->schedule, condition);
    if (is_outside && replay->is_measured) /* a call of no length: nothing passes behind what it depends on */
        quipu__schedule_add_rest(&replay->schedule, condition, time, time);
    if (waits_here)
        quipu__schedule_await(&replay->schedule, condition, 0, time);
    return condition;
}

/* ---- Messages ---- */

static uint32_t add_end(void *context, struct quipu__message_end *end) {
    struct quipu__network_replay *replay = context;
    if (!end->is_send)
        return condition_here(replay, end->location, end->time);
    return replay->is_modelled && is_inside(replay, end->time) ? quipu__messages_send(&replay->messages, end)
                                                               : QUIPU_NONE;
}

static void add_matched(void *context, const struct quipu__message_end *send,
                        const struct quipu__message_end *receive) {
    struct quipu__network_replay *replay = context;
    const struct quipu__communication_call *calls = replay->communication->calls.list.items;
    if (replay->is_modelled)
        quipu__messages_match(&replay->messages, send->mark, receive->mark, calls[receive->other_call].mark);
    else
        quipu__schedule_depend(&replay->schedule, receive->mark, calls[send->call].mark,
                               quipu__network_replay_distance(replay, QUIPU__WAIT_LATE_SENDER, receive->call));
    quipu__schedule_close(&replay->schedule, receive->mark);
}

/* A probe ends when the call of its send has begun. */
static void add_probed(void *context, const struct quipu__message_end *send,
                       const struct quipu__message_end *probe) {
    struct quipu__network_replay *replay = context;
    quipu__schedule_depend(&replay->schedule, probe->mark,
                           replay->communication->calls.list.items[send->call].mark,
                           quipu__network_replay_distance(replay, QUIPU__WAIT_LATE_SENDER, probe->call));
    quipu__schedule_close(&replay->schedule, probe->mark);
}

static void add_unmatched(void *context, const struct quipu__message_end *receive) {
    struct quipu__network_replay *replay = context;
    quipu__schedule_close(&replay->schedule, receive->mark);
}

/* ---- Sends that wait ---- */

/* The mark of the outermost call, for whoever waits for the call that sends, or posts a receive. */
static uint32_t use_call(void *context, const struct quipu__communication_call *call) {
    return mark_here(context, call->location, call->enter);
}

static void forget_call(void *context, const struct quipu__communication_call *call) {
    struct quipu__network_replay *replay = context;
    quipu__schedule_drop(&replay->schedule, call->mark);
}

/* On a modelled network a send that blocks waits by itself. */
static uint32_t complete_send(void *context, const struct quipu__message_end *send, int64_t time) {
    struct quipu__network_replay *replay = context;
    if (!replay->is_modelled)
        return quipu__send_waits(&replay->sending, replay->communication, send)
                   ? condition_here(replay, send->location, time)
                   : QUIPU_NONE;
    if (send->has_request && is_inside(replay, time))
        quipu__messages_complete(&replay->messages, send->location, send->mark);
    else if (send->has_request)
        quipu__messages_give_up(&replay->messages, send->mark);
    return QUIPU_NONE;
}

static void give_up_send(void *context, const struct quipu__message_end *send) {
    struct quipu__network_replay *replay = context;
    if (replay->is_modelled)
        quipu__messages_give_up(&replay->messages, send->mark);
    else
        quipu__schedule_close(&replay->schedule, send->completion_mark);
}

/* Its receiver has held a send up whose call was left when the receive was posted, or later. One that was left just then may have been eager: it
 * counts only as long as calls do not wait in a circle. */
static void depend_on_posting(struct quipu__network_replay *replay, const struct quipu__held_send *held,
                              int64_t left) {
    const bool may_be_eager = left == held->posted;
    replay->has_eager |= may_be_eager;
    if (left >= held->posted && !(may_be_eager && replay->is_second_try))
        quipu__schedule_depend(&replay->schedule, held->condition, held->mark, held->distance);
    quipu__schedule_close(&replay->schedule, held->condition);
}

/* A send waits until it is known when its call is left. */
static void hold_send(struct quipu__network_replay *replay, struct quipu__held_send held,
                      struct quipu__communication_call *sending) {
    uint32_t number = replay->unused_held;
    if (number != QUIPU_NONE)
        replay->unused_held = replay->held.items[number].next;
    else if (QUIPU__VEC_ADD(&replay->memory, &replay->held))
        number = (uint32_t)(replay->held.count - 1);
    else
        return;
    held.next = sending->first_share;
    replay->held.items[number] = held;
    sending->first_share = number;
    quipu__schedule_hold(&replay->schedule, held.mark);
}

static void add_completed(void *context, const struct quipu__message_end *send,
                          const struct quipu__message_end *receive) {
    struct quipu__network_replay *replay = context;
    struct quipu__communication_call *calls = replay->communication->calls.list.items,
                                     *sending = &calls[send->other_call];
    const struct quipu__communication_call *posting = &calls[receive->other_call];
    if (send->completion_mark == QUIPU_NONE)
        return;
    const struct quipu__held_send held = {
        posting->enter, quipu__network_replay_distance(replay, QUIPU__WAIT_LATE_RECEIVER, send->other_call),
        send->completion_mark, posting->mark, QUIPU_NONE};
    if (send->location == receive->location)
        quipu__schedule_close(&replay->schedule, send->completion_mark);
    else if (sending->is_left)
        depend_on_posting(replay, &held, sending->leave);
    else
        hold_send(replay, held, sending);
}

static void leave_call(void *context, const struct quipu__communication_call *call) {
    struct quipu__network_replay *replay = context;
    for (uint32_t i = call->first_share, next; i != QUIPU_NONE; i = next) {
        const struct quipu__held_send held = replay->held.items[i];
        next = held.next;
        replay->held.items[i].next = replay->unused_held;
        replay->unused_held = i;
        depend_on_posting(replay, &held, call->leave);
        quipu__schedule_drop(&replay->schedule, held.mark);
    }
}

/* ---- Collective operations ---- */

/* Whether calls of MPI-IO, where an operation begins or ends, are bursts whatever others do: as measured. */
static bool is_of_burst(const struct quipu__network_replay *replay, uint32_t call) {
    return replay->is_measured && call != QUIPU_NONE &&
           replay->communication->calls.list.items[call].accesses_files;
}

/* An operation that begins in a call of MPI-IO waits there, if it ends in that call, too. */
static uint32_t begin_collective(void *context, const struct quipu__collective *collective, uint32_t side) {
    struct quipu__network_replay *replay = context;
    struct quipu__collective_side *its = &collective->sides[side];
    if (is_of_burst(replay, its->begin_call))
        return QUIPU_NONE;
    uint32_t mark = QUIPU_NONE;
    if (!replay->is_modelled)
        mark = mark_here(replay, its->location, its->begin);
    else if (is_inside(replay, its->begin))
        mark = quipu__schedule_publish(&replay->schedule, its->location, its->begin, false);
    if (replay->communication->calls.list.items[its->begin_call].accesses_files)
        its->begin_wait = condition_here(replay, its->location, its->begin);
    return mark;
}

static bool is_useful_here(struct quipu__network_replay *replay, uint32_t location) {
    const struct quipu__call_stack *stack = &replay->communication->stacks.items[location];
    return quipu__path_is_useful(&replay->paths, &replay->communication->paths,
                                 stack->calls[stack->depth].path);
}

/* Whether an operation that ends now has waited where it began: in the same call, and the same section. */
static bool waits_at_begin(struct quipu__network_replay *replay, const struct quipu__collective_side *its) {
    struct quipu__replay_location *known = replay_location_of(replay, its->location);
    return its->begin_wait != QUIPU_NONE && its->begin_call == its->end_call && known &&
           !passes_cut(replay, known, its->end) &&
           replay->schedule.conditions.items[its->begin_wait].section == known->section;
}

/* Outside of communication what was waited for others is no time of the burst, where that is not useful: it may have to be shortened. When new
 * times are wanted it is not, since events in it have got theirs. */
static uint32_t end_collective(void *context, const struct quipu__collective *collective, uint32_t side) {
    struct quipu__network_replay *replay = context;
    struct quipu__collective_side *its = &collective->sides[side];
    if (is_of_burst(replay, its->end_call))
        return QUIPU_NONE;
    if (is_outside_communication(replay, its->location) && !replay->is_measured && !replay->retimes &&
        !is_useful_here(replay, its->location)) {
        struct quipu__replay_location *known = replay_location_of(replay, its->location);
        if (known)
            enter_section(replay, known, its->location, its->end);
        its->end_rest = quipu__schedule_condition(&replay->schedule, its->location);
        quipu__schedule_open(&replay->schedule, its->end_rest);
        quipu__schedule_await(&replay->schedule, its->end_rest, 0, its->end);
    }
    if (!waits_at_begin(replay, its))
        return condition_here(replay, its->location, its->end);
    const uint32_t condition = its->begin_wait;
    its->begin_wait = QUIPU_NONE;
    return condition;
}

/* Takes out what a side has waited, of the section in which the operation ends. */
static void shorten(void *context, const struct quipu__collective *collective, uint32_t side, uint32_t last) {
    struct quipu__network_replay *replay = context;
    const struct quipu__collective_side *its = &collective->sides[side];
    const int64_t arrival = collective->sides[last].begin;
    if (its->end_rest == QUIPU_NONE)
        return;
    const uint32_t section = replay->schedule.conditions.items[its->end_rest].section;
    const int64_t begin = quipu__replay_section_from(replay, section),
                  end = quipu__replay_section_to(replay, section);
    const int64_t from = its->entered > begin ? its->entered : begin;
    int64_t to = arrival < its->end ? arrival : its->end;
    to = to < end ? to : end;
    if (to > from)
        quipu__schedule_add_behind(&replay->schedule, its->end_rest, QUIPU__BEHIND_TIME,
                                   (uint64_t)quipu__bounded_difference(from, to));
}

/* What has been told of beginnings and ends outside of communication. */
static void close_rests(struct quipu__network_replay *replay, const struct quipu__collective *collective) {
    if (collective->is_evaluated)
        quipu__collective_each_wait(collective, shorten, replay);
    for (uint32_t i = 0; i < collective->side_count; i++) {
        quipu__schedule_close(&replay->schedule, collective->sides[i].begin_wait);
        quipu__schedule_close(&replay->schedule, collective->sides[i].end_rest);
    }
}

static bool is_involved(const struct quipu__collective_side *side) {
    return side->contributes || side->depends;
}

/* Behind their waits those that contribute or depend need the time that a modelled network takes. */
static void add_cost(struct quipu__network_replay *replay, const struct quipu__collective *collective) {
    uint64_t total = 0, largest = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < collective->side_count; i++) {
        const uint64_t sent = collective->sides[i].sent, bytes = sent == QUIPU_UNKNOWN ? 0 : sent;
        if (!is_involved(&collective->sides[i]))
            continue;
        total = total + bytes < total ? UINT64_MAX : total + bytes;
        largest = bytes > largest ? bytes : largest;
        count++;
    }
    const int64_t cost = quipu__collective_time(&replay->network, collective->operation, count, total, largest);
    for (uint32_t i = 0; i < collective->side_count; i++)
        if (collective->sides[i].has_ended && is_involved(&collective->sides[i]))
            quipu__schedule_add_behind(&replay->schedule, collective->sides[i].end_mark, QUIPU__BEHIND_TIME,
                                       (uint64_t)cost);
}

/* Sides that wait in a way that is left out. */
static void set_free(const struct quipu__network_replay *replay, const struct quipu__collective *collective) {
    const enum quipu__wait_pattern pattern = quipu__flow_waits[collective->flow];
    for (uint32_t i = 0; i < collective->side_count && replay->left_out.count > 0; i++)
        collective->sides[i].is_free =
            collective->sides[i].has_ended &&
            quipu__network_replay_distance(replay, pattern, collective->sides[i].end_call) ==
                QUIPU__NO_DISTANCE;
}

static void close_collective(void *context, const struct quipu__collective *collective) {
    struct quipu__network_replay *replay = context;
    set_free(replay, collective);
    if (replay->is_modelled && collective->flow != QUIPU__FLOW_NONE)
        add_cost(replay, collective);
    quipu__collective_depend(&replay->schedule, collective, true);
    close_rests(replay, collective);
}

/* ---- Two readings ---- */

static bool has_mpi_calls(const struct quipu_definitions *definitions) {
    bool has_init = false, has_finalize = false;
    for (uint32_t i = 0; i < definitions->regions.count; i++) {
        has_init |= is_init(definitions->regions.items[i].name);
        has_finalize |= is_finalize(definitions->regions.items[i].name);
    }
    return has_init && has_finalize;
}

static bool init_communication(struct quipu__network_replay *replay) {
    const struct quipu__communication_listener listener = {
        .context = replay,
        .step = replay->looks_for_region ? NULL : add_step,
        .steps_outside = true,
        .outermost_enter = enter,
        .outermost_leave = leave,
        .end = add_end,
        .matched = add_matched,
        .probed = replay->is_modelled ? NULL : add_probed,
        .unmatched = add_unmatched,
        .call_used = use_call,
        .call_forgotten = forget_call,
        .call_known = replay->is_modelled ? NULL : leave_call,
        .send_completes = complete_send,
        .send_unmatched = give_up_send,
        .completed = replay->is_modelled ? NULL : add_completed,
        .collective_begins = begin_collective,
        .collective_ends = end_collective,
        .collective = close_collective,
        .has_finalize = !replay->is_modelled};
    const bool has_memory =
        quipu__communication_init(&replay->own, &replay->memory, replay->definitions, &listener);
    replay->communication = &replay->own;
    replay->communication->only_calls = replay->looks_for_region;
    return has_memory;
}

static void init_schedule(struct quipu__network_replay *replay) {
    quipu__schedule_init(&replay->schedule, &replay->memory);
    quipu__time_shifts_init(&replay->shifts, &replay->memory);
    replay->schedule.shifts = replay->retimes ? &replay->shifts : NULL;
    replay->unused_held = QUIPU_NONE;
}

/* What says where the region of interest begins and ends stays. */
static void find_landmarks(struct quipu__network_replay *replay) {
    for (uint32_t i = 0; i < replay->elsewhere.count; i++) {
        const char *name = replay->definitions->regions.items[i].name;
        replay->elsewhere.may_go[i] = !is_init(name) && !is_finalize(name);
    }
}

static bool init_unneeded_calls(struct quipu__network_replay *replay) {
    if (!quipu__unneeded_calls_init(&replay->computing, &replay->memory, replay->definitions,
                                    QUIPU__REGION_COMPUTES) ||
        !quipu__unneeded_calls_init(&replay->elsewhere, &replay->memory, replay->definitions,
                                    QUIPU__REGION_COMMUNICATES))
        return false;
    replay->elsewhere.also =
        QUIPU_ALL_KINDS & ~(QUIPU_KIND_BIT(QUIPU_KIND_enter) | QUIPU_KIND_BIT(QUIPU_KIND_leave));
    replay->elsewhere.consuming = 5;
    replay->computing.consuming = 55;
    find_landmarks(replay);
    return true;
}

bool quipu__network_replay_reads_twice(bool has_times, const struct quipu_definitions *definitions) {
    return !has_times && has_mpi_calls(definitions);
}

enum quipu_status quipu__network_replay_begin(const struct quipu__fold_start *start,
                                              const struct quipu__network *network,
                                              struct quipu__network_replay **out, struct quipu_error *err) {
    struct quipu__memory memory;
    quipu__memory_like(&memory, start->memory);
    struct quipu__network_replay *replay = *out = quipu__alloc_zero(&memory, sizeof *replay);
    if (!replay)
        return quipu__no_memory(err, sizeof *replay);
    replay->memory = memory;
    replay->definitions = start->definitions;
    replay->reported = quipu__reported_of(start);
    replay->begin = replay->reported.since;
    replay->end = replay->reported.until;
    replay->network = *network;
    replay->is_measured = network->model->is_measured;
    replay->is_modelled = quipu__network_is_modelled(network);
    replay->has_traced_times = replay->is_measured || replay->is_modelled || start->retimes;
    replay->sending = (struct quipu__sending){.memory = &replay->memory,
                                              .eager_limit = quipu__number_setting(start, "eager-limit")};
    replay->paths = (struct quipu__path_uses){&replay->memory, replay->definitions, {0}};
    quipu__useful_counters_init(&replay->counters, &replay->memory, replay->definitions);
    replay->bursts = (struct quipu__bursts){.memory = &replay->memory, .are_measured = true};
    replay->retimes = start->retimes;
    replay->first = INT64_MAX;
    replay->looks_for_region = !replay->has_traced_times && quipu__network_replay_reads_twice(
                                                                replay->reported.has_times, start->definitions);
    init_schedule(replay);
    if (replay->is_modelled)
        quipu__messages_init(&replay->messages, &replay->memory, replay->definitions, &replay->network,
                             &replay->schedule);
    return init_unneeded_calls(replay) && init_communication(replay) ? QUIPU_OK
                                                                     : quipu__no_memory(err, sizeof *replay);
}

void quipu__network_replay_look_for_region(struct quipu__network_replay *replay, bool looks) {
    replay->looks_for_region = looks;
    replay->communication->only_calls = looks;
    replay->communication->listener.step = looks ? NULL : add_step;
}

static bool completes(uint8_t kind) {
    return kind == QUIPU_KIND_recv || kind == QUIPU_KIND_send_complete || kind == QUIPU_KIND_collective_end;
}

/* An event has been taken in: it has the time that its location has now, or that of the call that it is in. */
static void count_event(struct quipu__network_replay *replay, uint32_t location, uint8_t kind, bool was_outside,
                        int64_t time) {
    struct quipu__replay_location *known = replay_location_of(replay, location);
    if (!known)
        return;
    start_location(replay, known, location, time);
    if (is_outside_communication(replay, location)) {
        if (was_outside)
            quipu__schedule_advance(&replay->schedule, location, 0, 1, time);
        return;
    }
    if (known->events > 0 || completes(kind))
        known->events++;
    else
        known->first_events++;
}

static void count_metric(struct quipu__network_replay *replay, const struct quipu_batch *batch, uint32_t event,
                         int64_t time) {
    const struct quipu__replay_location *known = replay_location_of(replay, batch->location[event]);
    if (!known || replay->looks_for_region || !quipu__reports(&replay->reported, batch->location[event]))
        return;
    const struct quipu__useful_time useful = {known->useful_early, known->useful};
    quipu__useful_counters_add(&replay->counters, batch, event, time, useful);
}

/* Takes in an event where more of it is wanted than the run time. */
static bool take_in(struct quipu__network_replay *replay, const struct quipu_batch *batch, uint32_t event) {
    const uint32_t location = batch->location[event];
    const uint8_t kind = batch->kind[event];
    const int64_t time = quipu__communication_ns(replay->communication, batch->time[event]);
    const bool was_outside = replay->retimes && (location >= replay->communication->stacks.count ||
                                                 is_outside_communication(replay, location));
    const bool is_first = location >= replay->communication->stacks.count ||
                          !replay->communication->stacks.items[location].has_events;
    struct quipu__replay_location *known =
        replay->is_modelled && is_first ? replay_location_of(replay, location) : NULL;
    if (kind == QUIPU_KIND_summary || kind == QUIPU_KIND_snapshot)
        return true;
    replay->first = replay->first == INT64_MAX ? time : replay->first;
    if (known)
        start_location(replay, known, location, time);
    replay->is_event = true;
    const bool has_memory = quipu__communication_add(replay->communication, batch, event);
    replay->is_event = false;
    if (!replay->bursts.are_measured)
        quipu__bursts_add(&replay->bursts, location, kind, time);
    if (kind == QUIPU_KIND_metric && has_memory)
        count_metric(replay, batch, event, time);
    if (replay->retimes && has_memory)
        count_event(replay, location, kind, was_outside, time);
    return has_memory;
}

static bool wants_times(const struct quipu__network_replay *replay) {
    return replay->retimes || replay->is_modelled || !replay->bursts.are_measured;
}

const struct quipu__unneeded_calls *quipu__network_replay_unneeded(const void *state) {
    const struct quipu__network_replay *replay = state;
    if (replay->looks_for_region)
        return &replay->elsewhere;
    return wants_times(replay) ? NULL : &replay->computing;
}

enum quipu_status quipu__network_replay_consume(void *state, const struct quipu_batch *batch,
                                                struct quipu_error *err) {
    struct quipu__network_replay *replay = state;
    const bool wants_all = wants_times(replay), has_metrics = replay->counters.has_metrics;
    bool has_memory = true;
    for (uint32_t i = 0, first = 0; i < batch->count && has_memory; first = ++i) {
        while (!wants_all && i < batch->count && !(has_metrics && batch->kind[i] == QUIPU_KIND_metric))
            i++;
        has_memory = quipu__communication_add_range(replay->communication, batch, first, i) &&
                     (i == batch->count || take_in(replay, batch, i));
    }
    if (replay->is_modelled)
        quipu__schedule_run(&replay->schedule, false);
    const enum quipu_status status = quipu__memory_status(&replay->memory, err);
    return status == QUIPU_OK && !has_memory ? quipu__no_memory(err, replay->memory.used) : status;
}

/* The region of interest: from the first process that has initialised MPI to the last one that finalises it, where every process with events
 * has done both. */
static void choose_region(struct quipu__network_replay *replay) {
    int64_t begin = INT64_MAX, end = INT64_MIN;
    if (replay->reported.has_times)
        return;
    for (uint32_t i = 0; i < replay->communication->stacks.count; i++) {
        const struct quipu__call_stack *stack = &replay->communication->stacks.items[i];
        const struct quipu__replay_location *known =
            stack->has_events ? replay_location_of(replay, stack->process) : NULL;
        if (!stack->has_events)
            continue;
        if (!known || !known->has_init || !known->has_finalize)
            return;
        begin = known->init < begin ? known->init : begin;
        end = known->finalize > end ? known->finalize : end;
    }
    if (begin >= end)
        return;
    replay->begin = begin;
    replay->end = end;
}

/* Forgets what a reading has found, but for the region of interest. False when memory is out. */
static bool begin_again(struct quipu__network_replay *replay) {
    const bool has_metrics = replay->counters.has_metrics;
    quipu__communication_release(&replay->own);
    quipu__schedule_release(&replay->schedule);
    quipu__time_shifts_release(&replay->shifts);
    quipu__path_uses_release(&replay->paths);
    quipu__useful_counters_release(&replay->counters);
    quipu__useful_counters_init(&replay->counters, &replay->memory, replay->definitions);
    if (has_metrics)
        quipu__useful_counters_find(&replay->counters);
    replay->locations.count = replay->held.count = replay->bursts.from.count = 0;
    replay->first = INT64_MAX;
    init_schedule(replay);
    return begin_sections(replay) && init_communication(replay);
}

bool quipu__network_replay_cut(struct quipu__network_replay *replay, const int64_t *cuts, size_t count) {
    replay->has_eager = replay->is_second_try = false;
    return cut_sections(replay, cuts, count) && begin_again(replay);
}

/* Lets pass what is left. */
static void finish_schedule(struct quipu__network_replay *replay) {
    quipu__schedule_flush(&replay->schedule);
    end_sections(replay);
    quipu__schedule_run(&replay->schedule, true);
}

/* What counts, no longer than the trace. */
static struct quipu__window counted_time(const struct quipu__network_replay *replay) {
    int64_t first = INT64_MAX, last = INT64_MIN;
    for (uint32_t i = 0; i < replay->communication->stacks.count; i++) {
        const struct quipu__call_stack *stack = &replay->communication->stacks.items[i];
        if (!stack->has_events)
            continue;
        first = stack->first < first ? stack->first : first;
        last = stack->last > last ? stack->last : last;
    }
    if (first > last)
        first = last = 0;
    struct quipu__window counted = {replay->begin, replay->end};
    counted.from = counted.from < first ? first : counted.from;
    counted.from = counted.from > last ? last : counted.from;
    counted.to = counted.to > last ? last : counted.to;
    counted.to = counted.to < counted.from ? counted.from : counted.to;
    return counted;
}

bool quipu__network_replay_next_pass(void *state, struct quipu_selection *selection) {
    struct quipu__network_replay *replay = state;
    (void)selection;
    quipu__communication_finish(replay->communication);
    if (replay->looks_for_region) {
        choose_region(replay);
        replay->looks_for_region = false;
        replay->counted = counted_time(replay);
        return begin_again(replay); /* the tables ask for memory */
    }
    finish_schedule(replay);
    if (quipu__schedule_is_done(&replay->schedule) || !replay->has_eager || replay->is_second_try)
        return false;
    replay->is_second_try = true;
    return begin_again(replay);
}

void quipu__network_replay_release(void *state) {
    struct quipu__network_replay *replay = state;
    quipu__unneeded_calls_release(&replay->computing);
    quipu__unneeded_calls_release(&replay->elsewhere);
    quipu__communication_release(&replay->own);
    quipu__schedule_release(&replay->schedule);
    quipu__messages_release(&replay->messages);
    QUIPU__VEC_RELEASE(&replay->memory, &replay->locations);
    QUIPU__VEC_RELEASE(&replay->memory, &replay->held);
    QUIPU__VEC_RELEASE(&replay->memory, &replay->left_out);
    quipu__path_uses_release(&replay->paths);
    quipu__useful_counters_release(&replay->counters);
    quipu__bursts_release(&replay->bursts);
    quipu__replay_sections_release(replay);
    quipu__sending_release(&replay->sending);
    quipu__time_shifts_release(&replay->shifts);
    struct quipu__memory memory = replay->memory;
    quipu__release(&memory, replay, sizeof *replay);
}

/* ---- Totals ---- */

/* When a location ends in the replay. What nothing has started is in a call all the time that counts, if there is any: as measured that lasts. */
static int64_t end_of(struct quipu__network_replay *replay, const struct quipu__replay_location *known,
                      uint32_t number) {
    const struct quipu__schedule_location *location = quipu__schedule_location(&replay->schedule, number);
    if (replay->has_traced_times && !(known && known->has_started))
        return replay->is_measured
                   ? quipu__reported_to(&replay->reported, replay->communication->stacks.items[number].last)
                   : quipu__reported_from(&replay->reported, replay->communication->stacks.items[number].first);
    return location ? location->position : 0;
}

struct quipu__replay_totals quipu__network_replay_totals(struct quipu__network_replay *replay) {
    const struct quipu__communication *communication = replay->communication;
    finish_schedule(replay);
    struct quipu__replay_totals totals = {.has_ideal = quipu__schedule_is_done(&replay->schedule)};
    int64_t last_reported = INT64_MIN;
    for (uint32_t i = 0; i < communication->stacks.count; i++) {
        const struct quipu__call_stack *stack = &communication->stacks.items[i];
        if (!stack->has_events)
            continue;
        if (!quipu__reports(&replay->reported, i))
            continue;
        const struct quipu__replay_location *known = replay_location_of(replay, i);
        totals.locations++;
        last_reported = stack->last > last_reported ? stack->last : last_reported;
        add_to_totals(&totals, known ? known->useful : 0);
        const int64_t end = end_of(replay, known, i);
        totals.ideal = totals.locations == 1 || end > totals.ideal ? end : totals.ideal;
    }
    replay->counted = counted_time(replay);
    totals.begin = replay->begin = replay->counted.from;
    totals.end = replay->end = replay->counted.to;
    totals.run_time = quipu__bounded_difference(replay->end, replay->begin);
    last_reported = last_reported < replay->end ? last_reported : replay->end;
    totals.reported_time =
        last_reported > replay->begin ? quipu__bounded_difference(last_reported, replay->begin) : 0;
    totals.ideal = quipu__bounded_difference(
        totals.ideal, replay->has_traced_times && totals.locations > 0 ? replay->begin : 0);
    return totals;
}
