/* ends.c: see ends.h. Most traces have no threads and no inter-communicators and need only a list of their locations. */
#include "state/ends.h"

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

/* The map's key for the k-th group that is this side; with k 0 for their number. */
static uint64_t key_of(const struct quipu__map *map, struct side side, uint64_t k) {
    const uint64_t words[] = {quipu__hash(side.members, side.member_count * sizeof *side.members, map->seed),
                              quipu__hash(side.remote, side.remote_count * sizeof *side.remote, map->seed), k};
    return quipu__hash(words, sizeof words, map->seed);
}

/* Gives an inter-communicator the number of its other side if that is already known. */
static bool join_sides(struct quipu__ends *ends, uint32_t group) {
    const struct quipu_group *groups = ends->definitions->groups.items;
    struct quipu__map *sides = &ends->sides;
    const struct side own = side_of(&groups[group]), other = other_side(own);
    const uint32_t known = quipu__map_get(sides, key_of(sides, own, 0));
    const uint32_t k = known == QUIPU_NONE ? 1 : known + 1;
    const uint32_t found = quipu__map_get(sides, key_of(sides, other, k));
    if (found != QUIPU_NONE && is_same_side(other, side_of(&groups[found])))
        ends->communicators.items[group].number = found;
    return quipu__map_put(sides, key_of(sides, own, 0), k) &&
           quipu__map_put(sides, key_of(sides, own, k), group);
}

/* Adds the groups that have been defined since the last call; a damaged trace may define some while it is read. */
static bool know_communicators(struct quipu__ends *ends) {
    const struct quipu_groups *groups = &ends->definitions->groups;
    const size_t known = ends->communicators.count;
    if (known >= groups->count)
        return true;
    if (!QUIPU__VEC_RESERVE(ends->memory, &ends->communicators, groups->count - known))
        return false;
    for (uint32_t i = (uint32_t)known; i < groups->count; i++) {
        ends->communicators.items[i] = (struct quipu__communicator){.number = i};
        ends->communicators.count = (size_t)i + 1;
        if (groups->items[i].remote_member_count > 0 && !join_sides(ends, i))
            return false;
    }
    return true;
}

bool quipu__ends_side(struct quipu__ends *ends, uint32_t group, uint32_t *out) {
    if (!know_communicators(ends))
        return false;
    *out = ends->communicators.items[group].number;
    return true;
}

/* ---- Members ---- */

static uint64_t member_key(uint32_t group, uint32_t location) {
    return (uint64_t)group << 32 | location;
}

static bool list_members(struct quipu__ends *ends, uint32_t group) {
    const struct quipu_group *defined = &ends->definitions->groups.items[group];
    const uint32_t count = defined->member_count;
    bool has_memory = know_communicators(ends);
    if (!has_memory || ends->communicators.items[group].is_listed)
        return has_memory;
    for (uint32_t i = 0; i < defined->remote_member_count && has_memory; i++)
        has_memory = quipu__map_put(&ends->members, member_key(group, defined->remote_members[i]), count + i);
    for (uint32_t i = 0; i < count && has_memory; i++)
        has_memory = quipu__map_put(&ends->members, member_key(group, defined->members[i]), i);
    ends->communicators.items[group].is_listed = has_memory;
    return has_memory;
}

uint32_t quipu__ends_member(struct quipu__ends *ends, uint32_t group, uint32_t location) {
    return group < ends->definitions->groups.count && list_members(ends, group)
               ? quipu__map_get(&ends->members, member_key(group, location))
               : QUIPU_NONE;
}

/* ---- Ends ---- */

/* Examines a location and its ancestors. */
static void look_up(struct quipu__ends *ends, uint32_t location) {
    const struct quipu_locations *locations = &ends->definitions->locations;
    struct quipu__standing *standing = &ends->standing.items[location];
    standing->process = standing->outermost = standing->next = standing->latest_end = location;
    standing->latest_group = QUIPU_NONE;
    bool has_process = false;
    uint32_t above = location;
    for (int depth = 0; depth < QUIPU__LOCATIONS_DEEP_MOST && above < locations->count; depth++) {
        const bool is_process = locations->items[above].kind == QUIPU_LOCATION_PROCESS;
        if (!has_process && (is_process || ends->standing.items[above].is_member)) {
            standing->process = above;
            has_process = true;
        }
        if (is_process || ends->standing.items[above].is_in_a_group)
            standing->outermost = above;
        above = locations->items[above].parent;
    }
}

/* A location that is already in a circle stays there: locations of a damaged trace may be part of each other. */
static void join_circle(struct quipu__ends *ends, uint32_t location) {
    struct quipu__standing *standing = &ends->standing.items[location];
    struct quipu__standing *outermost = &ends->standing.items[standing->outermost];
    if (standing->next != location || standing == outermost)
        return;
    standing->next = outermost->next;
    outermost->next = location;
}

static void mark_members(struct quipu__ends *ends, const uint32_t *members, uint32_t count,
                         bool is_communicator) {
    for (uint32_t i = 0; i < count; i++) {
        if (members[i] >= ends->standing.count)
            continue;
        ends->standing.items[members[i]].is_in_a_group = true;
        ends->standing.items[members[i]].is_member |= is_communicator;
    }
}

/* Adds the locations, and members of communicators, that have been defined since the last call. */
static bool know_locations(struct quipu__ends *ends) {
    const struct quipu_definitions *definitions = ends->definitions;
    const size_t known = ends->standing.count, count = definitions->locations.count;
    bool has_members = false;
    if (count > known && !QUIPU__VEC_RESERVE(ends->memory, &ends->standing, count - known))
        return false;
    ends->standing.count = count > known ? count : known;
    for (; ends->groups_seen < definitions->groups.count; ends->groups_seen++) {
        const struct quipu_group *group = &definitions->groups.items[ends->groups_seen];
        mark_members(ends, group->members, group->member_count, group->is_communicator);
        mark_members(ends, group->remote_members, group->remote_member_count, group->is_communicator);
        has_members |= group->member_count > 0 || group->remote_member_count > 0;
    }
    const uint32_t first = has_members ? 0 : (uint32_t)known;
    for (uint32_t i = first; i < ends->standing.count; i++)
        look_up(ends, i);
    for (uint32_t i = first; i < ends->standing.count; i++)
        join_circle(ends, i);
    return true;
}

const struct quipu__standing *quipu__ends_standing(struct quipu__ends *ends, uint32_t location) {
    const bool is_known = location < ends->standing.count;
    if ((!is_known || ends->groups_seen != ends->definitions->groups.count) &&
        (location >= ends->definitions->locations.count || !know_locations(ends)))
        return NULL;
    return &ends->standing.items[location];
}

/* The nearest member of a communicator among a location and its ancestors; else its process. */
static uint32_t nearest_member(const struct quipu__ends *ends, uint32_t group, uint32_t location) {
    const struct quipu_locations *locations = &ends->definitions->locations;
    uint32_t above = location;
    for (int depth = 0; depth < QUIPU__LOCATIONS_DEEP_MOST && above < locations->count; depth++) {
        if (quipu__map_get(&ends->members, member_key(group, above)) != QUIPU_NONE)
            return above;
        above = locations->items[above].parent;
    }
    return ends->standing.items[location].process;
}

bool quipu__ends_find(struct quipu__ends *ends, uint32_t group, uint32_t location, uint32_t *out) {
    const struct quipu_definitions *definitions = ends->definitions;
    *out = location;
    if (group == QUIPU_NONE || location >= definitions->locations.count)
        return true;
    if (!quipu__ends_standing(ends, location))
        return false;
    struct quipu__standing *standing = &ends->standing.items[location];
    if (standing->outermost != location && group < definitions->groups.count) {
        if (!list_members(ends, group))
            return false;
        *out = nearest_member(ends, group, location);
    } else {
        *out = standing->process;
    }
    standing->latest_group = group;
    standing->latest_end = *out;
    return true;
}

bool quipu__has_threads(const struct quipu_definitions *definitions) {
    for (uint32_t i = 0; i < definitions->locations.count; i++) {
        const uint32_t parent = definitions->locations.items[i].parent;
        const uint32_t process = quipu__process_of(definitions, parent);
        if (process < definitions->locations.count &&
            definitions->locations.items[process].kind == QUIPU_LOCATION_PROCESS)
            return true;
    }
    return false;
}
