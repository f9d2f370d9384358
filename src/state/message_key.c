/* message_key.c: see message_key.h. Traces without threads and inter-communicators, which are most, need none of the
 * lists. */
#include "state/message_key.h"

#include "model/event.h"

#include <string.h>

enum ranks { RANKS_UNKNOWN, RANKS_PROCESSES, RANKS_OTHERS };

void quipu__communicators_init(struct quipu__communicators *communicators, struct quipu__memory *memory) {
    *communicators = (struct quipu__communicators){.memory = memory};
    quipu__map_init(&communicators->sides, memory);
}

void quipu__communicators_release(struct quipu__communicators *communicators) {
    quipu__map_release(&communicators->sides);
    QUIPU__VEC_RELEASE(communicators->memory, &communicators->list);
}

/* ---- Inter-communicators ---- */

/* One side of an inter-communicator. */
struct side {
    const uint32_t *members, *remote;
    uint32_t member_count, remote_count;
};

static struct side side_of(const struct quipu_group *group) {
    return (struct side){group->members, group->remote_members, group->member_count,
                         group->remote_member_count};
}

static struct side other_side(struct side side) {
    return (struct side){side.remote, side.members, side.remote_count, side.member_count};
}

static bool has_same(const uint32_t *a, uint32_t a_count, const uint32_t *b, uint32_t b_count) {
    return a_count == b_count && (a_count == 0 || memcmp(a, b, a_count * sizeof *a) == 0);
}

static bool is_same_side(struct side a, struct side b) {
    return has_same(a.members, a.member_count, b.members, b.member_count) &&
           has_same(a.remote, a.remote_count, b.remote, b.remote_count);
}

/* Where the k-th group that is this side stands in the map; with k 0 how many there are. */
static uint64_t key_of(const struct quipu__map *map, struct side side, uint64_t k) {
    const uint64_t words[] = {quipu__hash(side.members, side.member_count * sizeof *side.members, map->seed),
                              quipu__hash(side.remote, side.remote_count * sizeof *side.remote, map->seed), k};
    return quipu__hash(words, sizeof words, map->seed);
}

/* Gives an inter-communicator the number of its other side if that is there already. */
static bool join_sides(struct quipu__communicators *communicators, const struct quipu_groups *groups,
                       uint32_t group) {
    struct quipu__map *sides = &communicators->sides;
    const struct side own = side_of(&groups->items[group]), other = other_side(own);
    const uint32_t known = quipu__map_get(sides, key_of(sides, own, 0));
    const uint32_t k = known == QUIPU_NONE ? 1 : known + 1;
    const uint32_t found = quipu__map_get(sides, key_of(sides, other, k));
    if (found != QUIPU_NONE && is_same_side(other, side_of(&groups->items[found])))
        communicators->list.items[group].number = found;
    return quipu__map_put(sides, key_of(sides, own, 0), k) &&
           quipu__map_put(sides, key_of(sides, own, k), group);
}

/* ---- Communicators ---- */

bool quipu__communicators_know(struct quipu__communicators *communicators, const struct quipu_groups *groups) {
    const size_t known = communicators->list.count;
    if (known >= groups->count)
        return true;
    if (!QUIPU__VEC_RESERVE(communicators->memory, &communicators->list, groups->count - known))
        return false;
    for (uint32_t i = (uint32_t)known; i < groups->count; i++) {
        communicators->list.items[i] = (struct quipu__communicator){i, RANKS_UNKNOWN};
        communicators->list.count = (size_t)i + 1;
        if (groups->items[i].remote_member_count > 0 && !join_sides(communicators, groups, i))
            return false;
    }
    return true;
}

static bool are_processes(const struct quipu_definitions *definitions, const uint32_t *members,
                          uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (quipu__process_of(definitions, members[i]) != members[i])
            return false;
    return true;
}

static enum ranks look_at_ranks(const struct quipu_definitions *definitions, const struct quipu_group *group) {
    return group->member_count > 0 && are_processes(definitions, group->members, group->member_count) &&
                   are_processes(definitions, group->remote_members, group->remote_member_count)
               ? RANKS_PROCESSES
               : RANKS_OTHERS;
}

bool quipu__communicator_has_processes(struct quipu__communicators *communicators,
                                       const struct quipu_definitions *definitions, uint32_t group) {
    if (group >= communicators->list.count)
        return false;
    struct quipu__communicator *known = &communicators->list.items[group];
    if (known->ranks == RANKS_UNKNOWN)
        known->ranks = (uint8_t)look_at_ranks(definitions, &definitions->groups.items[group]);
    return known->ranks == RANKS_PROCESSES;
}

bool quipu__has_threads(const struct quipu_definitions *definitions) {
    for (uint32_t i = 0; i < definitions->locations.count; i++)
        if (quipu__process_of(definitions, i) != i)
            return true;
    return false;
}

bool quipu__threads_share_keys(const struct quipu_definitions *definitions) {
    bool share = false;
    if (!quipu__has_threads(definitions))
        return false;
    for (uint32_t i = 0; i < definitions->groups.count && !share; i++)
        share = look_at_ranks(definitions, &definitions->groups.items[i]) == RANKS_PROCESSES;
    return share;
}

/* ---- Keys ---- */

bool quipu__message_key_of(struct quipu__communicators *communicators,
                           const struct quipu_definitions *definitions, const struct quipu_batch *batch,
                           uint32_t event, struct quipu__message_key *out) {
    const struct quipu_groups *groups = &definitions->groups;
    const uint32_t peer = batch->peer[event], group = batch->group[event];
    const uint32_t process = quipu__process_of(definitions, batch->location[event]);
    const bool is_thread = process != batch->location[event];
    uint32_t own = batch->location[event], communicator = group;
    if (group < groups->count && (is_thread || groups->items[group].remote_member_count > 0)) {
        if (!quipu__communicators_know(communicators, groups))
            return false;
        communicator = communicators->list.items[group].number;
        if (is_thread && quipu__process_of(definitions, peer) == peer &&
            quipu__communicator_has_processes(communicators, definitions, group))
            own = process;
    }
    const bool is_send = batch->kind[event] == QUIPU_KIND_send;
    *out = (struct quipu__message_key){is_send ? own : peer, is_send ? peer : own, communicator,
                                       batch->tag[event]};
    return true;
}
