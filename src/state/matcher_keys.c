/* matcher_keys.c: the keys of messages: see matcher.h. Traces without threads and inter-communicators, which are most, need none of the lists
 * here.
 */
#include "state/matcher.h"

#include "model/event.h"

#include <string.h>

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
static bool join_sides(struct quipu__matcher *matcher, uint32_t group) {
    const struct quipu_group *groups = matcher->definitions->groups.items;
    struct quipu__map *sides = &matcher->sides;
    const struct side own = side_of(&groups[group]), other = other_side(own);
    const uint32_t known = quipu__map_get(sides, key_of(sides, own, 0));
    const uint32_t k = known == QUIPU_NONE ? 1 : known + 1;
    const uint32_t found = quipu__map_get(sides, key_of(sides, other, k));
    if (found != QUIPU_NONE && is_same_side(other, side_of(&groups[found])))
        matcher->communicators.items[group].number = found;
    return quipu__map_put(sides, key_of(sides, own, 0), k) &&
           quipu__map_put(sides, key_of(sides, own, k), group);
}

/* ---- Ends ---- */

/* What is known of a location. */
enum { STANDS_ALONE = 1, IS_MEMBER = 2 };

/* As deep as trees of locations are followed: a damaged trace may have circles. */
enum { DEPTH_MOST = 64 };

static void mark_members(struct quipu__matcher *matcher, const uint32_t *members, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (members[i] < matcher->standing.count)
            matcher->standing.items[members[i]] |= IS_MEMBER;
}

/* Finds out which locations are members of any group, and forgets which stand alone. */
static bool look_at_locations(struct quipu__matcher *matcher) {
    const struct quipu_definitions *definitions = matcher->definitions;
    const size_t known = matcher->standing.count, count = definitions->locations.count;
    if (count > known && !QUIPU__VEC_RESERVE(matcher->memory, &matcher->standing, count - known))
        return false;
    matcher->standing.count = count > known ? count : known;
    memset(matcher->standing.items, 0, matcher->standing.count);
    for (uint32_t i = 0; i < definitions->groups.count; i++) {
        mark_members(matcher, definitions->groups.items[i].members, definitions->groups.items[i].member_count);
        mark_members(matcher, definitions->groups.items[i].remote_members,
                     definitions->groups.items[i].remote_member_count);
    }
    matcher->groups_seen = definitions->groups.count;
    return true;
}

/* Takes in the groups that have been defined since the last time; a damaged trace may define some while it is read. */
static bool know_communicators(struct quipu__matcher *matcher) {
    const struct quipu_groups *groups = &matcher->definitions->groups;
    const size_t known = matcher->communicators.count;
    if (known >= groups->count)
        return true;
    if (!QUIPU__VEC_RESERVE(matcher->memory, &matcher->communicators, groups->count - known))
        return false;
    for (uint32_t i = (uint32_t)known; i < groups->count; i++) {
        matcher->communicators.items[i] = (struct quipu__communicator){.number = i};
        matcher->communicators.count = (size_t)i + 1;
        if (groups->items[i].remote_member_count > 0 && !join_sides(matcher, i))
            return false;
    }
    return true;
}

static uint64_t member_key(uint32_t group, uint32_t location) {
    return (uint64_t)group << 32 | location;
}

static bool list_members(struct quipu__matcher *matcher, uint32_t group) {
    const struct quipu_group *defined = &matcher->definitions->groups.items[group];
    if (!know_communicators(matcher))
        return false;
    if (matcher->communicators.items[group].is_listed)
        return true;
    for (uint32_t i = 0; i < defined->member_count; i++)
        if (!quipu__map_put(&matcher->members, member_key(group, defined->members[i]), 1))
            return false;
    for (uint32_t i = 0; i < defined->remote_member_count; i++)
        if (!quipu__map_put(&matcher->members, member_key(group, defined->remote_members[i]), 1))
            return false;
    matcher->communicators.items[group].is_listed = true;
    return true;
}

/* Whether a location is its own end in every communicator: a process that is part of no member. */
static bool stands_alone(const struct quipu__matcher *matcher, uint32_t location) {
    const struct quipu_locations *locations = &matcher->definitions->locations;
    uint32_t ancestor = locations->items[location].parent;
    for (int depth = 0; ancestor < locations->count && depth < DEPTH_MOST; depth++) {
        if ((matcher->standing.items[ancestor] & IS_MEMBER) != 0)
            return false;
        ancestor = locations->items[ancestor].parent;
    }
    return quipu__process_of(matcher->definitions, location) == location;
}

/* The end of a location that may not stand for itself. */
static bool find_end(struct quipu__matcher *matcher, uint32_t group, uint32_t location, uint32_t *out) {
    const struct quipu_definitions *definitions = matcher->definitions;
    if ((location >= matcher->standing.count || matcher->groups_seen != definitions->groups.count) &&
        !look_at_locations(matcher))
        return false;
    if (stands_alone(matcher, location)) {
        matcher->standing.items[location] |= STANDS_ALONE;
        return true;
    }
    *out = quipu__process_of(definitions, location);
    if (group >= definitions->groups.count)
        return true;
    if (!list_members(matcher, group))
        return false;
    uint32_t ancestor = location;
    for (int depth = 0; ancestor < definitions->locations.count && depth < DEPTH_MOST; depth++) {
        if (quipu__map_get(&matcher->members, member_key(group, ancestor)) != QUIPU_NONE) {
            *out = ancestor;
            return true;
        }
        ancestor = definitions->locations.items[ancestor].parent;
    }
    return true;
}

/* Whom a location stands for in a communicator. False when memory is out. */
static inline bool end_of(struct quipu__matcher *matcher, uint32_t group, uint32_t location, uint32_t *out) {
    *out = location;
    if (group == QUIPU_NONE || location >= matcher->definitions->locations.count)
        return true;
    if (location < matcher->standing.count && matcher->groups_seen == matcher->definitions->groups.count &&
        (matcher->standing.items[location] & STANDS_ALONE) != 0)
        return true;
    return find_end(matcher, group, location, out);
}

/* ---- Keys ---- */

bool quipu__has_threads(const struct quipu_definitions *definitions) {
    for (uint32_t i = 0; i < definitions->locations.count; i++)
        if (quipu__process_of(definitions, i) != i)
            return true;
    return false;
}

static uint64_t count_threads(const struct quipu_definitions *definitions, const uint32_t *members,
                              uint32_t count) {
    uint64_t threads = 0;
    for (uint32_t i = 0; i < count; i++)
        threads += quipu__process_of(definitions, members[i]) != members[i];
    return threads;
}

bool quipu__threads_share_keys(const struct quipu_definitions *definitions) {
    uint64_t threads = 0;
    bool share = false;
    for (uint32_t i = 0; i < definitions->locations.count; i++)
        threads += quipu__process_of(definitions, i) != i;
    for (uint32_t i = 0; i < definitions->groups.count && threads > 0 && !share; i++) {
        const struct quipu_group *group = &definitions->groups.items[i];
        share = count_threads(definitions, group->members, group->member_count) +
                    count_threads(definitions, group->remote_members, group->remote_member_count) <
                threads;
    }
    return share;
}

bool quipu__matcher_key_of(struct quipu__matcher *matcher, const struct quipu_batch *batch, uint32_t event,
                           struct quipu__message_key *out) {
    const struct quipu_groups *groups = &matcher->definitions->groups;
    const uint32_t group = batch->group[event];
    const bool is_send = batch->kind[event] == QUIPU_KIND_send;
    *out = (struct quipu__message_key){.communicator = group, .tag = batch->tag[event]};
    if (group < groups->count && groups->items[group].remote_member_count > 0) {
        if (!know_communicators(matcher))
            return false;
        out->communicator = matcher->communicators.items[group].number;
    }
    return end_of(matcher, group, batch->location[event], is_send ? &out->sender : &out->receiver) &&
           end_of(matcher, group, batch->peer[event], is_send ? &out->receiver : &out->sender);
}
