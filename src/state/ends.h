/* ends.h: what a location stands for when it communicates.
 *
 * - In a communicator a location stands for its end: the nearest member among the location and its ancestors. If there is none, or the
 *   members are not known, that is its process; without a communicator it is the location itself.
 * - Its process is the nearest among the location and its ancestors that is a member of any communicator or of kind process; else the
 *   location itself.
 * - Both sides of an inter-communicator are one communicator: the k-th group with members M and remote members R and the k-th with members R
 *   and remote members M. It has the lower of their two numbers.
 */
#ifndef QUIPU_STATE_ENDS_H
#define QUIPU_STATE_ENDS_H

#include "core/memory/map.h"
#include "core/memory/vec.h"
#include "core/os.h"

#include <quipu/model.h>

/* What is known of a location independent of the communicator. */
struct quipu__standing {
    uint32_t process;
    uint32_t outermost; /* outermost location that it may stand for; itself if it always stands for itself */
    uint32_t next;      /* next in the circle of locations with the same outermost one */
    uint32_t latest_group, latest_end;
    bool is_member, is_in_a_group; /* is_member: of a group that is a communicator */
};

/* What is known of a group of the definitions. */
struct quipu__communicator {
    uint32_t number; /* its own, or that of the other side */
    bool is_listed;  /* its members are among those that are known */
};

struct quipu__ends {
    struct quipu__memory *memory;
    const struct quipu_definitions *definitions;          /* may grow */
    QUIPU__VEC(struct quipu__standing) standing;          /* of the locations known so far */
    uint32_t groups_seen;                                 /* groups whose members it includes */
    QUIPU__VEC(struct quipu__communicator) communicators; /* the groups so far */
    struct quipu__map sides;                              /* inter-communicators by a hash of their members */
    struct quipu__map members; /* numbers of the members of communicators asked for, remote ones last */
};

/* The definitions may also be set later, before the first question. */
static inline void quipu__ends_init(struct quipu__ends *ends, struct quipu__memory *memory,
                                    const struct quipu_definitions *definitions) {
    *ends = (struct quipu__ends){.memory = memory, .definitions = definitions};
    quipu__map_init(&ends->sides, memory);
    quipu__map_init(&ends->members, memory);
}
static inline void quipu__ends_release(struct quipu__ends *ends) {
    QUIPU__VEC_RELEASE(ends->memory, &ends->standing);
    QUIPU__VEC_RELEASE(ends->memory, &ends->communicators);
    quipu__map_release(&ends->sides);
    quipu__map_release(&ends->members);
}

/* The number for one side of an inter-communicator in keys. False when memory is out. */
QUIPU_CHECKED bool quipu__ends_side(struct quipu__ends *ends, uint32_t group, uint32_t *out);

/* The same for any communicator. */
static inline bool quipu__ends_communicator(struct quipu__ends *ends, uint32_t group, uint32_t *out) {
    const struct quipu_groups *groups = &ends->definitions->groups;
    *out = group;
    return group >= groups->count || groups->items[group].remote_member_count == 0 ||
           quipu__ends_side(ends, group, out);
}

/* NULL for undefined locations, and when memory is out. Valid until something is defined. */
const struct quipu__standing *quipu__ends_standing(struct quipu__ends *ends, uint32_t location);

/* The outermost location that a location may stand for, if that was looked up before. */
static inline uint32_t quipu__ends_outermost(const struct quipu__ends *ends, uint32_t location) {
    return location < ends->standing.count ? ends->standing.items[location].outermost : location;
}

/* The next location in its circle, if that was looked up before. */
static inline uint32_t quipu__ends_next(const struct quipu__ends *ends, uint32_t location) {
    return location < ends->standing.count ? ends->standing.items[location].next : location;
}

/* The position of a location among the members of a communicator; QUIPU_NONE when it is not a member, or memory is out. */
uint32_t quipu__ends_member(struct quipu__ends *ends, uint32_t group, uint32_t location);

/* The end of a location. False when memory is out. */
QUIPU_CHECKED bool quipu__ends_find(struct quipu__ends *ends, uint32_t group, uint32_t location, uint32_t *out);

/* The same, fast when the question is the same as before, as it nearly always is. */
static inline bool quipu__end_of(struct quipu__ends *ends, uint32_t group, uint32_t location, uint32_t *out) {
    if (location >= ends->standing.count || ends->standing.items[location].latest_group != group)
        return quipu__ends_find(ends, group, location, out);
    *out = ends->standing.items[location].latest_end;
    return true;
}

/* Whether a location may stand for another one: then the order of messages is visible only in all of these in time order. */
bool quipu__has_threads(const struct quipu_definitions *definitions);

#endif
