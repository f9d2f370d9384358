/* collective_matching.c: see collective_matching.h. */
#include "state/collective_matching.h"

#include "core/memory/sort.h"
#include "state/tracker.h"

#include <string.h>

void quipu__collective_matching_init(struct quipu__collective_matching *matching, struct quipu__memory *memory,
                                     struct quipu__ends *locations,
                                     const struct quipu__communication_listener *listener,
                                     struct quipu__communication_calls *calls) {
    *matching = (struct quipu__collective_matching){.memory = memory,
                                                    .locations = locations,
                                                    .listener = listener,
                                                    .calls = calls,
                                                    .unused_open = QUIPU_NONE};
    quipu__map_init(&matching->group_of, memory);
    quipu__map_init(&matching->participant_of, memory);
}

static void free_collective(struct quipu__collective_matching *matching, struct quipu__collective *collective) {
    if (!collective)
        return;
    quipu__release(matching->memory, collective->sides, collective->room * sizeof *collective->sides);
    quipu__release(matching->memory, collective, sizeof *collective);
}

static void release_group(struct quipu__collective_matching *matching, struct quipu__collective_group *group) {
    for (uint32_t i = 0; i < group->active_count; i++)
        free_collective(matching, group->active[i]);
    free_collective(matching, group->spare);
    quipu__release(matching->memory, group->active, group->active_room * sizeof *group->active);
    quipu__release(matching->memory, group->counts, group->count_room * sizeof *group->counts);
}

void quipu__collective_matching_release(struct quipu__collective_matching *matching) {
    for (size_t i = 0; i < matching->groups.count; i++)
        release_group(matching, &matching->groups.items[i]);
    QUIPU__VEC_RELEASE(matching->memory, &matching->groups);
    QUIPU__VEC_RELEASE(matching->memory, &matching->open);
    QUIPU__VEC_RELEASE(matching->memory, &matching->latest_open);
    QUIPU__VEC_RELEASE(matching->memory, &matching->latest_sides);
    QUIPU__VEC_RELEASE(matching->memory, &matching->regions);
    quipu__map_release(&matching->group_of);
    quipu__map_release(&matching->participant_of);
}

/* ---- Communicators ---- */

static uint64_t participant_key(uint32_t group, uint32_t location) {
    return (uint64_t)group << 32 | location;
}

/* Counts a participant; its number, QUIPU_NONE when memory is out. */
static uint32_t add_participant(struct quipu__collective_matching *matching,
                                struct quipu__collective_group *group, uint32_t location) {
    if (group->participants == group->count_room) {
        const uint32_t room = group->count_room ? group->count_room * 2 : 16;
        uint32_t *counts = quipu__resize(matching->memory, group->counts, group->count_room * sizeof *counts,
                                         room * sizeof *counts);
        if (!counts)
            return QUIPU_NONE;
        group->counts = counts;
        group->count_room = room;
    }
    group->counts[group->participants] = 0;
    return quipu__map_put(&matching->participant_of, participant_key(group->group, location),
                          group->participants)
               ? group->participants++
               : QUIPU_NONE;
}

/* Members have the first numbers, remote members the next. */
static struct quipu__collective_group *add_group(struct quipu__collective_matching *matching, uint32_t number) {
    const struct quipu_groups *groups = &matching->locations->definitions->groups;
    struct quipu__collective_group *group = QUIPU__VEC_ADD(matching->memory, &matching->groups);
    if (!group || !quipu__map_put(&matching->group_of, number, (uint32_t)(matching->groups.count - 1)))
        return NULL;
    *group = (struct quipu__collective_group){.group = number};
    if (number >= groups->count)
        return group;
    group->member_count = groups->items[number].member_count;
    group->is_inter = groups->items[number].remote_member_count > 0;
    const uint32_t count = group->member_count + groups->items[number].remote_member_count;
    if (count == 0)
        return group;
    group->counts = quipu__alloc_zero(matching->memory, count * sizeof *group->counts);
    group->participants = group->count_room = group->counts ? count : 0;
    return group->counts ? group : NULL;
}

static struct quipu__collective_group *group_of(struct quipu__collective_matching *matching, uint32_t number) {
    if (matching->latest_group < matching->groups.count &&
        matching->groups.items[matching->latest_group].group == number)
        return &matching->groups.items[matching->latest_group];
    const uint32_t known = quipu__map_get(&matching->group_of, number);
    matching->latest_group = known != QUIPU_NONE ? known : (uint32_t)matching->groups.count;
    return known != QUIPU_NONE ? &matching->groups.items[known] : add_group(matching, number);
}

/* The participant that a location stands for, and its end; QUIPU_NONE when it is not known yet, or memory is out. */
static uint32_t known_participant(struct quipu__collective_matching *matching, uint32_t group,
                                  uint32_t location, uint32_t *end) {
    if (!quipu__end_of(matching->locations, group, location, end))
        return QUIPU_NONE;
    const uint32_t member = quipu__ends_member(matching->locations, group, *end);
    return member != QUIPU_NONE ? member
                                : quipu__map_get(&matching->participant_of, participant_key(group, *end));
}

static uint32_t find_participant(struct quipu__collective_matching *matching,
                                 struct quipu__collective_group *group, uint32_t location) {
    uint32_t end;
    const uint32_t known = known_participant(matching, group->group, location, &end);
    return known != QUIPU_NONE ? known : add_participant(matching, group, end);
}

/* Nearly always a location participates in the same communicator as before. QUIPU_NONE when memory is out. */
static uint32_t participant_of(struct quipu__collective_matching *matching,
                               struct quipu__collective_group *group, uint32_t location) {
    const size_t known = matching->latest_sides.count;
    if (location >= known) {
        if (!QUIPU__VEC_RESERVE(matching->memory, &matching->latest_sides, location + 1 - known))
            return QUIPU_NONE;
        matching->latest_sides.count = (size_t)location + 1;
    }
    struct quipu__latest_side *latest = &matching->latest_sides.items[location];
    if (!latest->is_known || latest->group != group->group)
        *latest = (struct quipu__latest_side){group->group, find_participant(matching, group, location), true};
    return latest->participant;
}

/* ---- Instances ---- */

/* Makes room for one more active instance. Ended instances at the front are removed when there are so many that the others are not moved too
 * often. */
static bool make_room(struct quipu__collective_matching *matching, struct quipu__collective_group *group) {
    uint32_t ended = 0;
    while (ended < group->active_count && !group->active[ended])
        ended++;
    if (ended > 0 && ended >= group->active_count / 2) {
        memmove(group->active, group->active + ended, (group->active_count - ended) * sizeof *group->active);
        group->first += ended;
        group->active_count -= ended;
        return true;
    }
    const uint32_t room = group->active_room ? group->active_room * 2 : 4;
    struct quipu__collective **active = quipu__resize(
        matching->memory, group->active, group->active_room * sizeof *active, room * sizeof *active);
    if (!active)
        return false;
    group->active = active;
    group->active_room = room;
    return true;
}

static struct quipu__collective *add_collective(struct quipu__collective_matching *matching,
                                                struct quipu__collective_group *group) {
    if (group->active_count == group->active_room && !make_room(matching, group))
        return NULL;
    struct quipu__collective *collective = group->spare;
    if (!collective)
        collective = quipu__alloc_zero(matching->memory, sizeof *collective);
    if (!collective)
        return NULL;
    group->spare = NULL;
    *collective = (struct quipu__collective){.sides = collective->sides,
                                             .room = collective->room,
                                             .group = group->group,
                                             .number = group->first + group->active_count,
                                             .operation = QUIPU_NONE,
                                             .root = QUIPU_NONE,
                                             .root_by = QUIPU_NONE,
                                             .member_count = group->member_count,
                                             .is_inter = group->is_inter};
    group->active[group->active_count++] = collective;
    matching->counts.collectives++;
    return collective;
}

/* The instance of that number, which is at most one after the latest; NULL when it has ended: who comes then is no member. */
static struct quipu__collective *collective_at(struct quipu__collective_matching *matching,
                                               struct quipu__collective_group *group, uint32_t number) {
    if (number < group->first)
        return NULL;
    const uint32_t index = number - group->first;
    return index < group->active_count ? group->active[index] : add_collective(matching, group);
}

/* Room for a side; NULL when memory is out. Only sides that have begun take room, however large the communicator is. */
static struct quipu__collective_side *add_side(struct quipu__collective_matching *matching,
                                               struct quipu__collective *collective) {
    if (collective->side_count == collective->room) {
        const uint32_t room = collective->room ? collective->room * 2 : 4;
        struct quipu__collective_side *sides = quipu__resize(
            matching->memory, collective->sides, collective->room * sizeof *sides, room * sizeof *sides);
        if (!sides)
            return NULL;
        collective->sides = sides;
        collective->room = room;
    }
    return &collective->sides[collective->side_count++];
}

static int compare_participants(const void *a, const void *b) {
    const struct quipu__collective_side *x = a, *y = b;
    return (x->participant > y->participant) - (x->participant < y->participant);
}

/* Moves each side directly to its place if no participant is missing. */
static void move_sides(struct quipu__collective_side *sides, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        while (sides[i].participant != i) {
            const struct quipu__collective_side side = sides[sides[i].participant];
            sides[sides[i].participant] = sides[i];
            sides[i] = side;
        }
}

static void sort_sides(struct quipu__collective_matching *matching, struct quipu__collective *collective) {
    const uint32_t root = collective->root;
    collective->root = QUIPU_NONE;
    quipu__gate_knows(quipu__sort(matching->memory, collective->sides, collective->side_count,
                                  sizeof *collective->sides, compare_participants));
    for (uint32_t i = 0; i < collective->side_count; i++)
        if (collective->sides[i].participant == root)
            collective->root = i;
}

/* Puts the sides in the order of participants, and finds the root among them. */
static void order_sides(struct quipu__collective_matching *matching, struct quipu__collective *collective) {
    const uint32_t count = collective->side_count;
    uint32_t last = 0, misplaced = 0, members = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t participant = collective->sides[i].participant;
        last = participant > last ? participant : last;
        misplaced |= participant ^ i;
        members += participant < collective->member_count;
    }
    collective->members = members;
    if (last >= count)
        sort_sides(matching, collective);
    else if (misplaced)
        move_sides(collective->sides, count);
    if (last < count && collective->root >= count)
        collective->root = QUIPU_NONE;
}

static void drop_calls(struct quipu__collective_matching *matching,
                       const struct quipu__collective *collective) {
    for (uint32_t i = 0; i < collective->side_count; i++) {
        quipu__communication_call_drop(matching->calls, collective->sides[i].begin_call);
        quipu__communication_call_resolve(matching->calls, collective->sides[i].end_call);
    }
}

/* Everything is known about an instance: reports it, and forgets it. */
static void close_collective(struct quipu__collective_matching *matching, struct quipu__collective_group *group,
                             struct quipu__collective *collective) {
    order_sides(matching, collective);
    collective->is_complete = collective->ended == collective->side_count && collective->member_count > 0 &&
                              collective->side_count == collective->member_count &&
                              collective->members == collective->member_count;
    collective->is_evaluated = collective->is_complete && !collective->is_mixed && !group->is_inter;
    matching->counts.complete += collective->is_complete && !collective->is_mixed;
    matching->counts.mixed += collective->is_complete && collective->is_mixed;
    matching->counts.incomplete += !collective->is_complete;
    quipu__collective_find_flow(matching, collective);
    if (matching->listener->collective)
        matching->listener->collective(matching->listener->context, collective);
    drop_calls(matching, collective);
    group->active[collective->number - group->first] = NULL;
    free_collective(matching, group->spare);
    group->spare = collective;
}

/* ---- Beginnings and ends ---- */

static void open_side(struct quipu__collective_matching *matching, uint32_t location,
                      const struct quipu__open_collective *open) {
    const size_t known = matching->latest_open.count;
    if (location >= known &&
        !QUIPU__VEC_RESERVE(matching->memory, &matching->latest_open, location + 1 - known))
        return;
    if (location >= known)
        matching->latest_open.count = (size_t)location + 1;
    uint32_t number = matching->unused_open;
    if (number != QUIPU_NONE)
        matching->unused_open = matching->open.items[number].older;
    else if (QUIPU__VEC_ADD(matching->memory, &matching->open))
        number = (uint32_t)(matching->open.count - 1);
    else
        return;
    matching->open.items[number] = *open;
    matching->open.items[number].older = matching->latest_open.items[location];
    matching->latest_open.items[location] = number + 1;
}

/* If participants name different roots, that of the lowest participant counts. */
static void name_root(struct quipu__collective_matching *matching, struct quipu__collective *collective,
                      uint32_t participant, uint32_t root) {
    uint32_t end;
    if (root == QUIPU_NONE || participant >= collective->root_by)
        return;
    collective->root = known_participant(matching, collective->group, root, &end);
    collective->root_by = participant;
}

static void begin(struct quipu__collective_matching *matching, const struct quipu_batch *batch, uint32_t event,
                  const struct quipu__event_in_call *where) {
    const uint32_t location = batch->location[event], root = batch->peer[event];
    struct quipu__collective_group *group = group_of(matching, batch->group[event]);
    const uint32_t participant = group ? participant_of(matching, group, location) : QUIPU_NONE;
    if (participant == QUIPU_NONE ||
        participant >= group->participants) /* the group's members found no memory */
        return;
    struct quipu__collective *collective = collective_at(matching, group, group->counts[participant]++);
    struct quipu__collective_side *side = collective ? add_side(matching, collective) : NULL;
    if (!side)
        return;
    const uint32_t number = collective->side_count - 1;
    *side = (struct quipu__collective_side){.begin = where->time,
                                            .end = INT64_MAX,
                                            .entered = where->time,
                                            .matching = batch->id[event],
                                            .sent = batch->bytes[event],
                                            .received = batch->value[event],
                                            .location = location,
                                            .begin_call = where->call,
                                            .end_call = QUIPU_NONE,
                                            .begin_wait = QUIPU_NONE,
                                            .end_rest = QUIPU_NONE,
                                            .operation = batch->operation[event],
                                            .region = batch->object[event],
                                            .participant = participant};
    collective->is_mixed |= number > 0 && collective->operation != side->operation;
    collective->operation = side->operation;
    name_root(matching, collective, participant, root);
    quipu__communication_call_hold(matching->calls, where->call);
    if (matching->listener->collective_begins)
        side->mark = matching->listener->collective_begins(matching->listener->context, collective, number);
    open_side(matching, location, &(struct quipu__open_collective){collective, number, group->group, 0});
}

/* Removes the location's latest side with that matching number from the list; false when there is none among the latest ones. */
static bool take_open(struct quipu__collective_matching *matching, const struct quipu_batch *batch,
                      uint32_t event, struct quipu__open_collective *out) {
    const uint32_t location = batch->location[event], group = batch->group[event];
    if (location >= matching->latest_open.count)
        return false;
    uint32_t *link = &matching->latest_open.items[location];
    for (int looked = 0; *link > 0 && looked < QUIPU__LOOK_OUT_MOST;
         looked++, link = &matching->open.items[*link - 1].older) {
        const uint32_t number = *link - 1;
        *out = matching->open.items[number];
        if (out->collective->sides[out->side].matching != batch->id[event] ||
            (group != QUIPU_NONE && group != out->group))
            continue;
        *link = out->older;
        matching->open.items[number].older = matching->unused_open;
        matching->unused_open = number;
        return true;
    }
    return false;
}

static void end(struct quipu__collective_matching *matching, const struct quipu_batch *batch, uint32_t event,
                const struct quipu__event_in_call *where) {
    struct quipu__open_collective open;
    if (!take_open(matching, batch, event, &open))
        return;
    struct quipu__collective *collective = open.collective;
    struct quipu__collective_side *side = &collective->sides[open.side];
    struct quipu__communication_call *call = quipu__communication_call_at(matching->calls, where->call);
    side->end = where->time;
    side->end_position = where->position;
    side->end_call = where->call;
    side->has_ended = true;
    side->sent = side->sent == QUIPU_UNKNOWN ? batch->bytes[event] : side->sent;
    side->received = side->received == QUIPU_UNKNOWN ? batch->value[event] : side->received;
    if (call && where->call != side->begin_call && !call->is_bare)
        side->entered = call->enter;
    if (call && call->is_bare)
        call->since = side->begin;
    collective->ended++;
    collective->members_ended += side->participant < collective->member_count;
    quipu__communication_call_await(matching->calls, where->call);
    if (matching->listener->collective_ends)
        side->end_mark =
            matching->listener->collective_ends(matching->listener->context, collective, open.side);
    struct quipu__collective_group *group = group_of(matching, open.group);
    if (group && collective->member_count > 0 && collective->members_ended == collective->member_count &&
        collective->side_count == collective->ended)
        close_collective(matching, group, collective);
}

void quipu__collective_matching_add(struct quipu__collective_matching *matching,
                                    const struct quipu_batch *batch, uint32_t event,
                                    const struct quipu__event_in_call *where) {
    if (batch->kind[event] == QUIPU_KIND_collective_begin)
        begin(matching, batch, event, where);
    else
        end(matching, batch, event, where);
}

void quipu__collective_matching_finish(struct quipu__collective_matching *matching) {
    matching->latest_open.count = 0;
    for (size_t i = 0; i < matching->groups.count; i++) {
        struct quipu__collective_group *group = &matching->groups.items[i];
        for (uint32_t k = 0; k < group->active_count; k++)
            if (group->active[k])
                close_collective(matching, group, group->active[k]);
    }
}
