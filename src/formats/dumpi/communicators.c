/* communicators.c: the members of communicators.
 *
 * Constructors are collective: all members of the parent call them, in the same order. So each process stops at its next constructor;
 * when all members of a communicator have arrived at one, it is resolved, and they continue. Calls on groups concern only one process
 * and are done at once; so do calls that only the members of a group make. If processes are missing or calls are lost by damage, no process may be able to continue: then those that have
 * arrived are taken for all members, which is a finding. */
#include "formats/dumpi/communicators.h"

#include "core/error.h"
#include "core/memory/map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An ordered set of processes. */
struct quipu__dumpi_set {
    const uint32_t *members; /* processes */
    uint32_t count;
};

/* One side of a communicator. */
struct quipu__dumpi_comm {
    uint32_t group;         /* definition */
    uint32_t other;         /* the other side of an intercommunicator, or QUIPU_NONE */
    uint32_t first_arrived; /* processes that wait here, linked; QUIPU_NONE: none */
    uint32_t arrived;
    const int32_t *dims; /* of a Cartesian topology */
    uint32_t dim_count;
};

struct quipu__dumpi_process {
    const struct quipu__dumpi_file *file; /* NULL: there is none */
    const struct quipu__dumpi_constructor *list;
    size_t count, next;
    uint32_t *resolved;
    struct quipu__tokens comms;  /* handle to index in comms */
    struct quipu__tokens groups; /* handle to index in sets */
    uint32_t waits_at;           /* comm, or QUIPU_NONE */
    uint32_t next_arrived;
    uint32_t member_of; /* the last marked comm of which it is a member, + 1 */
};

struct quipu__dumpi_resolution {
    struct quipu__dumpi_trace *own;
    struct quipu__memory *memory;
    struct quipu__dumpi_process *processes; /* process i is location i, as define.c adds them first */
    uint32_t process_count;
    QUIPU__VEC(struct quipu__dumpi_comm) comms;
    QUIPU__VEC(struct quipu__dumpi_set) sets;
    QUIPU__VEC(uint32_t) ready; /* processes that can continue */
    struct quipu__map
        of_groups;   /* communicators that members of a group make by themselves: see comm_of_group */
    uint32_t marked; /* comm whose members are marked, + 1; 0: none */
    struct quipu__arena arena;
};

/* One side of a call on a communicator: the parent, and the members that have arrived. */
struct quipu__dumpi_side {
    uint32_t comm;
    struct quipu__dumpi_set members, arrived;
};

/* ---- Look-ups ---- */

static const struct quipu_group *comm_definition(const struct quipu__dumpi_resolution *all, uint32_t comm) {
    return &all->own->trace->define->definitions.groups.items[all->comms.items[comm].group];
}

static struct quipu__dumpi_set members_of_comm(const struct quipu__dumpi_resolution *all, uint32_t comm) {
    const struct quipu_group *group = comm_definition(all, comm);
    return (struct quipu__dumpi_set){group->members, group->member_count};
}

static const struct quipu__dumpi_constructor *constructor_of(const struct quipu__dumpi_resolution *all,
                                                             uint32_t process) {
    const struct quipu__dumpi_process *it = &all->processes[process];
    return &it->list[it->next];
}

static bool makes_nothing(const struct quipu__dumpi_constructor *constructor) {
    return constructor->result <= QUIPU__DUMPI_COMM_NULL && constructor->result >= 0;
}

/* ---- What MPI's calls on groups make, in the order that MPI prescribes ---- */

static bool contains(const struct quipu__dumpi_set *set, uint32_t process) {
    for (uint32_t i = 0; i < set->count; i++)
        if (set->members[i] == process)
            return true;
    return false;
}

/* The members of a that are, or are not, in b. */
static uint32_t filter(uint32_t *out, const struct quipu__dumpi_set *a, const struct quipu__dumpi_set *b,
                       bool wanted) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < a->count; i++)
        if (contains(b, a->members[i]) == wanted)
            out[count++] = a->members[i];
    return count;
}

/* Marks the ranks of a list, or of triples of first, last and stride, and puts them in order into ranks when that is not NULL. Never
 * more than limit, since each rank counts once. */
static uint32_t list_ranks(const struct quipu__dumpi_constructor *constructor, uint32_t size, bool are_ranges,
                           uint8_t *marks, uint32_t *ranks) {
    uint32_t count = 0;
    const uint32_t step = are_ranges ? 3 : 1;
    for (uint32_t i = 0; i + step <= constructor->count; i += step) {
        const int64_t first = constructor->numbers[i];
        const int64_t last = are_ranges ? constructor->numbers[i + 1] : first;
        const int64_t stride = are_ranges && constructor->numbers[i + 2] != 0 ? constructor->numbers[i + 2] : 1;
        for (int64_t rank = first; stride > 0 ? rank <= last : rank >= last; rank += stride) {
            if (rank < 0 || rank >= size || marks[rank])
                break;
            marks[rank] = 1;
            ranks[count++] = (uint32_t)rank;
        }
    }
    return count;
}

/* The listed members in the order of the list, or the others in their own. */
static bool choose(struct quipu__arena *arena, const struct quipu__dumpi_constructor *constructor,
                   const struct quipu__dumpi_set *set, bool are_ranges, bool exclude, uint32_t *members,
                   uint32_t *count) {
    uint8_t *marks = quipu__arena_alloc(arena, (size_t)set->count + 1);
    uint32_t *ranks = quipu__arena_alloc(arena, ((size_t)set->count + 1) * sizeof *ranks);
    if (!marks || !ranks)
        return false;
    memset(marks, 0, set->count);
    const uint32_t listed = list_ranks(constructor, set->count, are_ranges, marks, ranks);
    *count = 0;
    for (uint32_t i = 0; !exclude && i < listed; i++)
        members[(*count)++] = set->members[ranks[i]];
    for (uint32_t i = 0; exclude && i < set->count; i++)
        if (!marks[i])
            members[(*count)++] = set->members[i];
    return true;
}

/* The set that a call makes from one or two others, in the arena. False when a set that it needs is not known (NULL) or memory is
 * out. */
static bool set_make(struct quipu__arena *arena, const struct quipu__dumpi_constructor *constructor,
                     const struct quipu__dumpi_set *a, const struct quipu__dumpi_set *b,
                     struct quipu__dumpi_set *out) {
    uint32_t count = 0;
    if (!a)
        return false;
    const size_t most = (size_t)a->count + (b ? b->count : 0);
    uint32_t *members = quipu__arena_alloc(arena, (most + 1) * sizeof *members);
    if (!members)
        return false;
    switch (constructor->type) {
    case QUIPU__DUMPI_TYPE_group_union:
        if (!b)
            return false;
        if (a->count)
            memcpy(members, a->members, a->count * sizeof *members);
        count = a->count + filter(members + a->count, b, a, false);
        break;
    case QUIPU__DUMPI_TYPE_group_intersection:
    case QUIPU__DUMPI_TYPE_group_difference:
        if (!b)
            return false;
        count = filter(members, a, b, constructor->type == QUIPU__DUMPI_TYPE_group_intersection);
        break;
    case QUIPU__DUMPI_TYPE_group_incl:
    case QUIPU__DUMPI_TYPE_group_excl:
        if (!choose(arena, constructor, a, false, constructor->type == QUIPU__DUMPI_TYPE_group_excl, members,
                    &count))
            return false;
        break;
    case QUIPU__DUMPI_TYPE_group_range_incl:
    case QUIPU__DUMPI_TYPE_group_range_excl:
        if (!choose(arena, constructor, a, true, constructor->type == QUIPU__DUMPI_TYPE_group_range_excl,
                    members, &count))
            return false;
        break;
    default:
        return false;
    }
    *out = (struct quipu__dumpi_set){members, count};
    return true;
}

/* ---- Making communicators: what each constructor makes, once its callers are known ---- */

#define NAME_BYTES 160

static uint32_t add_comm(struct quipu__dumpi_resolution *all, uint32_t group) {
    const struct quipu__dumpi_comm comm = {.group = group, .other = QUIPU_NONE, .first_arrived = QUIPU_NONE};
    return QUIPU__VEC_PUT(all->memory, &all->comms, comm) ? (uint32_t)(all->comms.count - 1) : QUIPU_NONE;
}

/* Defines a group and makes it a communicator. remote: the other side, an empty set when it is not known, or NULL. */
static uint32_t make_comm(struct quipu__dumpi_resolution *all,
                          const struct quipu__dumpi_constructor *constructor, uint32_t parent,
                          const struct quipu__dumpi_set *members, const struct quipu__dumpi_set *remote) {
    static const uint32_t no_member = QUIPU_NONE;
    static const struct quipu__dumpi_set none = {NULL, 0}, unknown = {&no_member, 1};
    char name[NAME_BYTES];
    const char *parent_name = parent == QUIPU_NONE ? "" : comm_definition(all, parent)->name;
    snprintf(name, sizeof name, "%s%s%s", quipu__dumpi_types[constructor->type].name,
             *parent_name ? " of " : "", parent_name);
    if (!remote)
        remote = &none;
    else if (remote->count == 0)
        remote = &unknown;
    const struct quipu_group group = {
        .native_id = (uint16_t)constructor->result,
        .name = name,
        .is_communicator = true,
        .member_count = members->count,
        .members = members->members,
        .remote_members = remote->members,
        .remote_member_count = remote->count,
    };
    const uint32_t number = quipu__add_group(all->own->trace->define, &group);
    return number == QUIPU_NONE ? QUIPU_NONE : add_comm(all, number);
}

/* Successive processes ask for the same communicator, so its members are marked once. */
static bool is_member(struct quipu__dumpi_resolution *all, uint32_t process, uint32_t comm) {
    const struct quipu__dumpi_set set = members_of_comm(all, comm);
    const uint32_t mark = comm + 1;
    for (uint32_t i = 0; all->marked != mark && i < set.count; i++)
        if (set.members[i] < all->process_count)
            all->processes[set.members[i]].member_of = mark;
    all->marked = mark;
    return all->processes[process].member_of == mark;
}

/* The process's constructor made this communicator (QUIPU_NONE: none, or an unknown one), so the process can continue. After damage a
 * process may claim a communicator of which it is not a member; it does not get it. */
static void finish_constructor(struct quipu__dumpi_resolution *all, uint32_t process, uint32_t comm) {
    struct quipu__dumpi_process *it = &all->processes[process];
    const struct quipu__dumpi_constructor *constructor = &it->list[it->next];
    if (comm != QUIPU_NONE && !is_member(all, process, comm))
        comm = QUIPU_NONE;
    const bool made = comm != QUIPU_NONE && !makes_nothing(constructor);
    it->resolved[it->next++] = made ? all->comms.items[comm].group : QUIPU_NONE;
    if (!makes_nothing(constructor))
        quipu__gate_knows(quipu__tokens_put(&it->comms, (uint16_t)constructor->result, comm));
    it->waits_at = QUIPU_NONE;
    quipu__gate_knows(QUIPU__VEC_PUT(all->memory, &all->ready, process));
}

static bool is_waiting(const struct quipu__dumpi_resolution *all, uint32_t process) {
    return all->processes[process].waits_at != QUIPU_NONE;
}

/* A process may be named twice, by a communicator or by two: behind the first time it has no constructor there any more. */
static void finish_waiting(struct quipu__dumpi_resolution *all, uint32_t process, uint32_t comm) {
    if (is_waiting(all, process))
        finish_constructor(all, process, comm);
}

/* All of a side get the same communicator. */
static void finish_all(struct quipu__dumpi_resolution *all, const struct quipu__dumpi_set *arrived,
                       uint32_t comm) {
    for (uint32_t i = 0; i < arrived->count; i++)
        finish_waiting(all, arrived->members[i], comm);
}

static void pair(struct quipu__dumpi_resolution *all, uint32_t a, uint32_t b) {
    if (a != QUIPU_NONE && b != QUIPU_NONE) {
        all->comms.items[a].other = b;
        all->comms.items[b].other = a;
    }
}

/* A communicator with the same members on each side. */
static void duplicate(struct quipu__dumpi_resolution *all, const struct quipu__dumpi_constructor *constructor,
                      struct quipu__dumpi_side *sides, uint32_t side_count) {
    uint32_t made[2];
    for (uint32_t i = 0; i < side_count; i++) {
        const struct quipu__dumpi_set *remote = side_count == 2 ? &sides[1 - i].members : NULL;
        const struct quipu__dumpi_set no_members = {NULL, 0};
        const bool is_inter = comm_definition(all, sides[i].comm)->remote_members != NULL;
        if (!remote && is_inter)
            remote = &no_members;
        made[i] = make_comm(all, constructor, sides[i].comm, &sides[i].members, remote);
        if (made[i] == QUIPU_NONE)
            return;
        all->comms.items[made[i]].dims = all->comms.items[sides[i].comm].dims;
        all->comms.items[made[i]].dim_count = all->comms.items[sides[i].comm].dim_count;
    }
    if (side_count == 2)
        pair(all, made[0], made[1]);
    for (uint32_t i = 0; i < side_count; i++)
        finish_all(all, &sides[i].arrived, made[i]);
}

/* A member with the sort keys of a split. */
struct sorted {
    int64_t color, key;
    uint32_t rank, process;
};

static int compare_sorted(const void *left, const void *right) {
    const struct sorted *a = left, *b = right;
    if (a->color != b->color)
        return a->color < b->color ? -1 : 1;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* Processes that make something, by color and key. */
static struct sorted *sort_side(struct quipu__dumpi_resolution *all, const struct quipu__dumpi_side *side,
                                uint32_t *count) {
    struct sorted *sorted = quipu__arena_alloc(&all->arena, ((size_t)side->arrived.count + 1) * sizeof *sorted);
    *count = 0;
    for (uint32_t i = 0; sorted && i < side->arrived.count; i++) {
        const uint32_t process = side->arrived.members[i];
        const struct quipu__dumpi_constructor *constructor = constructor_of(all, process);
        if (is_waiting(all, process) && !makes_nothing(constructor))
            sorted[(*count)++] = (struct sorted){constructor->color, constructor->key, i, process};
    }
    if (sorted)
        qsort(sorted, *count, sizeof *sorted, compare_sorted);
    return sorted;
}

/* The members of one color, from *at on. */
static struct quipu__dumpi_set take_color(struct quipu__dumpi_resolution *all, const struct sorted *sorted,
                                          uint32_t count, uint32_t *at, int64_t color) {
    const uint32_t first = *at;
    while (*at < count && sorted[*at].color == color)
        (*at)++;
    uint32_t *members = quipu__arena_alloc(&all->arena, ((size_t)(*at - first) + 1) * sizeof *members);
    for (uint32_t i = first; members && i < *at; i++)
        members[i - first] = sorted[i].process;
    return (struct quipu__dumpi_set){members, members ? *at - first : 0};
}

/* With only one rank's file, the other processes of the color are not known. */
static bool is_unknowable(const struct quipu__dumpi_resolution *all, const struct quipu__dumpi_side *sides,
                          uint32_t side_count) {
    return all->own->is_single && (side_count > 1 || sides[0].members.count > 1);
}

/* All processes of one color form a communicator; for an intercommunicator on both sides. */
static void split(struct quipu__dumpi_resolution *all, const struct quipu__dumpi_constructor *constructor,
                  struct quipu__dumpi_side *sides, uint32_t side_count) {
    struct sorted *sorted[2] = {NULL, NULL};
    uint32_t counts[2] = {0, 0}, at[2] = {0, 0};
    for (uint32_t i = 0; i < side_count && !is_unknowable(all, sides, side_count); i++)
        sorted[i] = sort_side(all, &sides[i], &counts[i]);
    while (!quipu__memory_is_out(all->memory) && (at[0] < counts[0] || at[1] < counts[1])) {
        const uint32_t lead =
            at[0] == counts[0] || (at[1] < counts[1] && sorted[1][at[1]].color < sorted[0][at[0]].color);
        const int64_t color = sorted[lead][at[lead]].color;
        struct quipu__dumpi_set colored[2] = {{NULL, 0}, {NULL, 0}};
        uint32_t made[2] = {QUIPU_NONE, QUIPU_NONE};
        for (uint32_t i = 0; i < side_count; i++)
            colored[i] = take_color(all, sorted[i], counts[i], &at[i], color);
        for (uint32_t i = 0; i < side_count; i++)
            if (colored[i].count > 0)
                made[i] = make_comm(all, constructor, sides[i].comm, &colored[i],
                                    side_count == 2 ? &colored[1 - i] : NULL);
        pair(all, made[0], made[1]);
        for (uint32_t i = 0; i < side_count; i++)
            finish_all(all, &colored[i], made[i]);
    }
    for (uint32_t i = 0; i < side_count; i++)
        finish_all(all, &sides[i].arrived, QUIPU_NONE);
}

/* The members are those of a group, which each process names by its own handle; when it is not known, the processes that got a
 * communicator. */
static void create(struct quipu__dumpi_resolution *all, const struct quipu__dumpi_constructor *constructor,
                   struct quipu__dumpi_side *sides, uint32_t side_count) {
    bool known = side_count == 1;
    for (uint32_t i = 0; known && i < sides[0].arrived.count; i++) {
        const uint32_t process = sides[0].arrived.members[i];
        const struct quipu__dumpi_constructor *own = constructor_of(all, process);
        if (!is_waiting(all, process) || makes_nothing(own))
            continue;
        const uint32_t set = quipu__tokens_get(&all->processes[process].groups, (uint16_t)own->second);
        known = set != QUIPU_NONE;
        if (!known)
            break;
        const struct quipu__dumpi_set members = all->sets.items[set];
        const uint32_t made = make_comm(all, own, sides[0].comm, &members, NULL);
        for (uint32_t k = 0; k < members.count; k++) {
            const uint32_t member = members.members[k];
            if (member < all->process_count && all->processes[member].waits_at == sides[0].comm &&
                contains(&sides[0].arrived, member) && !makes_nothing(constructor_of(all, member)))
                finish_constructor(all, member, made);
        }
        finish_waiting(all, process, made);
    }
    if (known)
        finish_all(all, &sides[0].arrived, QUIPU_NONE);
    else
        split(all, constructor, sides, side_count);
}

/* ---- Topologies ---- */

static uint32_t product(const int32_t *dims, uint32_t count, uint32_t limit) {
    uint64_t size = 1;
    for (uint32_t i = 0; i < count && size <= limit; i++)
        size *= dims[i] > 0 ? (uint32_t)dims[i] : 1;
    return size < limit ? (uint32_t)size : limit;
}

/* The first members of the parent; whether the library reordered them is not recorded. */
static void take_first(struct quipu__dumpi_resolution *all, const struct quipu__dumpi_constructor *constructor,
                       const struct quipu__dumpi_side *side, uint32_t size, bool is_cartesian) {
    const struct quipu__dumpi_set members = {side->members.members, size};
    const uint32_t made = make_comm(all, constructor, side->comm, &members, NULL);
    if (made == QUIPU_NONE)
        return;
    if (is_cartesian) {
        all->comms.items[made].dims = constructor->numbers;
        all->comms.items[made].dim_count = constructor->count;
    }
    finish_all(all, &side->arrived, made);
}

/* Number of a member's sub-grid, or its rank in it: its coordinates in the dropped, or retained, dimensions. */
static int64_t grid_number(const int32_t *dims, const int32_t *remain, uint32_t count, uint32_t rank,
                           bool remaining) {
    int64_t number = 0, scale = 1;
    for (uint32_t i = count; i-- > 0;) {
        const uint32_t dim = dims[i] > 0 ? (uint32_t)dims[i] : 1;
        if ((remain[i] != 0) == remaining) {
            number += scale * (rank % dim);
            scale *= dim;
        }
        rank /= dim;
    }
    return number;
}

static const int32_t *remaining_dims(struct quipu__dumpi_resolution *all, const int32_t *dims,
                                     const int32_t *remain, uint32_t count, uint32_t *remaining) {
    int32_t *copy = quipu__arena_alloc(&all->own->arena, ((size_t)count + 1) * sizeof *copy);
    *remaining = 0;
    for (uint32_t i = 0; copy && i < count; i++)
        if (remain[i])
            copy[(*remaining)++] = dims[i];
    return copy;
}

static void split_grid(struct quipu__dumpi_resolution *all, const struct quipu__dumpi_constructor *constructor,
                       struct quipu__dumpi_side *side) {
    const struct quipu__dumpi_comm parent = all->comms.items[side->comm];
    const uint32_t count = parent.dim_count < constructor->count ? parent.dim_count : constructor->count;
    struct sorted *sorted = quipu__arena_alloc(&all->arena, ((size_t)side->members.count + 1) * sizeof *sorted);
    uint32_t remaining;
    const int32_t *dims = remaining_dims(all, parent.dims, constructor->numbers, count, &remaining);
    if (!sorted || !dims)
        return;
    for (uint32_t i = 0; i < side->members.count; i++)
        sorted[i] = (struct sorted){grid_number(parent.dims, constructor->numbers, count, i, false),
                                    grid_number(parent.dims, constructor->numbers, count, i, true), i,
                                    side->members.members[i]};
    qsort(sorted, side->members.count, sizeof *sorted, compare_sorted);
    for (uint32_t next = 0; next < side->members.count && !quipu__memory_is_out(all->memory);) {
        const struct quipu__dumpi_set members =
            take_color(all, sorted, side->members.count, &next, sorted[next].color);
        const uint32_t made = make_comm(all, constructor, side->comm, &members, NULL);
        if (made == QUIPU_NONE)
            return;
        all->comms.items[made].dims = dims;
        all->comms.items[made].dim_count = remaining;
        for (uint32_t i = 0; i < members.count; i++)
            if (contains(&side->arrived, members.members[i]))
                finish_waiting(all, members.members[i], made);
    }
    finish_all(all, &side->arrived, QUIPU_NONE);
}

/* ---- Intercommunicators ---- */

static bool comes_last(const struct quipu__dumpi_resolution *all, const struct quipu__dumpi_side *side) {
    return side->arrived.count > 0 && constructor_of(all, side->arrived.members[0])->key != 0;
}

static uint32_t lowest_of(const struct quipu__dumpi_side *side) {
    return side->members.count > 0 ? side->members.members[0] : QUIPU_NONE;
}

/* One communicator of both sides, first the side that does not come last. When both say the same the library chooses; then the side
 * with the lowest process is assumed to come first. */
static void merge(struct quipu__dumpi_resolution *all, const struct quipu__dumpi_constructor *constructor,
                  struct quipu__dumpi_side *sides, uint32_t side_count) {
    uint32_t first = 0;
    if (side_count == 2) {
        const bool last0 = comes_last(all, &sides[0]), last1 = comes_last(all, &sides[1]);
        first = last0 != last1 ? last0 : lowest_of(&sides[1]) < lowest_of(&sides[0]);
    }
    uint32_t total = 0, count = 0;
    for (uint32_t i = 0; i < side_count; i++)
        total += sides[i].members.count;
    uint32_t *members = quipu__arena_alloc(&all->arena, ((size_t)total + 1) * sizeof *members);
    if (!members)
        return;
    for (uint32_t i = 0; i < side_count; i++) {
        const uint32_t side = i == 0 ? first : 1 - first;
        const struct quipu__dumpi_set *set = &sides[side_count == 2 ? side : 0].members;
        memcpy(members + count, set->members, set->count * sizeof *members);
        count += set->count;
    }
    const struct quipu__dumpi_set merged = {members, count};
    const uint32_t made = make_comm(all, constructor, sides[0].comm, &merged, NULL);
    for (uint32_t i = 0; i < side_count; i++)
        finish_all(all, &sides[i].arrived, made);
}

/* The other side consists of processes that are unknown in this trace. */
static void connect_to_unknown(struct quipu__dumpi_resolution *all,
                               const struct quipu__dumpi_constructor *constructor,
                               const struct quipu__dumpi_side *side) {
    const struct quipu__dumpi_set no_members = {NULL, 0};
    finish_all(all, &side->arrived, make_comm(all, constructor, side->comm, &side->members, &no_members));
}

/* ---- All ---- */

static void resolve_sides(struct quipu__dumpi_resolution *all, struct quipu__dumpi_side *sides,
                          uint32_t side_count) {
    if (quipu__memory_is_out(all->memory) || sides[0].arrived.count == 0)
        return;
    const struct quipu__dumpi_constructor constructor = *constructor_of(all, sides[0].arrived.members[0]);
    switch (constructor.type) {
    case QUIPU__DUMPI_TYPE_comm_split:
        split(all, &constructor, sides, side_count);
        break;
    case QUIPU__DUMPI_TYPE_comm_create:
        create(all, &constructor, sides, side_count);
        break;
    case QUIPU__DUMPI_TYPE_cart_create:
        take_first(all, &constructor, sides,
                   product(constructor.numbers, constructor.count, sides->members.count), true);
        break;
    case QUIPU__DUMPI_TYPE_graph_create:
        take_first(all, &constructor, sides,
                   constructor.count < sides->members.count ? constructor.count : sides->members.count, false);
        break;
    case QUIPU__DUMPI_TYPE_cart_sub:
        split_grid(all, &constructor, sides);
        break;
    case QUIPU__DUMPI_TYPE_intercomm_create:
    case QUIPU__DUMPI_TYPE_comm_dup:
        duplicate(all, &constructor, sides, side_count);
        break;
    case QUIPU__DUMPI_TYPE_intercomm_merge:
        merge(all, &constructor, sides, side_count);
        break;
    default:
        connect_to_unknown(all, &constructor, sides);
        break;
    }
}

/* ---- Leaders of intercommunicators ---- */

static uint32_t leader_of(const struct quipu__dumpi_resolution *all, uint32_t comm) {
    const uint32_t first = all->comms.items[comm].first_arrived;
    if (first == QUIPU_NONE)
        return QUIPU_NONE;
    const struct quipu__dumpi_set members = members_of_comm(all, comm);
    const int32_t leader = constructor_of(all, first)->color;
    return leader >= 0 && (uint32_t)leader < members.count ? members.members[leader] : QUIPU_NONE;
}

static uint32_t remote_leader_of(const struct quipu__dumpi_resolution *all, uint32_t leader) {
    const struct quipu__dumpi_constructor *constructor = constructor_of(all, leader);
    const uint32_t mapping = quipu__tokens_get(&all->processes[leader].comms, (uint16_t)constructor->second);
    if (mapping == QUIPU_NONE || constructor->key < 0)
        return QUIPU_NONE;
    const struct quipu_group *group = comm_definition(all, mapping);
    if (group->remote_members)
        return (uint32_t)constructor->key < group->remote_member_count ? group->remote_members[constructor->key]
                                                                       : QUIPU_NONE;
    return (uint32_t)constructor->key < group->member_count ? group->members[constructor->key] : QUIPU_NONE;
}

static bool waits_for_intercomm(const struct quipu__dumpi_resolution *all, uint32_t process) {
    return process < all->process_count && is_waiting(all, process) &&
           constructor_of(all, process)->type == QUIPU__DUMPI_TYPE_intercomm_create;
}

/* The communicator whose members are the other side of an Intercomm_create at comm, all of them there, or
 * QUIPU_NONE. Both leaders name each other. */
static uint32_t find_partner(const struct quipu__dumpi_resolution *all, uint32_t comm) {
    const uint32_t leader = leader_of(all, comm);
    if (leader == QUIPU_NONE || !waits_for_intercomm(all, leader))
        return QUIPU_NONE;
    const uint32_t remote = remote_leader_of(all, leader);
    if (!waits_for_intercomm(all, remote))
        return QUIPU_NONE;
    const uint32_t partner = all->processes[remote].waits_at;
    if (partner == comm || leader_of(all, partner) != remote || remote_leader_of(all, remote) != leader)
        return QUIPU_NONE;
    return all->comms.items[partner].arrived == members_of_comm(all, partner).count ? partner : QUIPU_NONE;
}

/* ---- Resolving ---- */

/* Removes and returns the processes that have arrived at a communicator, in the order of their ranks in it. */
static struct quipu__dumpi_set take_arrived(struct quipu__dumpi_resolution *all, uint32_t comm) {
    struct quipu__dumpi_comm *it = &all->comms.items[comm];
    const struct quipu__dumpi_set members = members_of_comm(all, comm);
    uint32_t *arrived = quipu__arena_alloc(&all->arena, ((size_t)members.count + 1) * sizeof *arrived);
    uint32_t count = 0;
    for (uint32_t i = 0; arrived && i < members.count; i++)
        if (members.members[i] < all->process_count && all->processes[members.members[i]].waits_at == comm)
            arrived[count++] = members.members[i];
    it->first_arrived = QUIPU_NONE;
    it->arrived = 0;
    return (struct quipu__dumpi_set){arrived, count};
}

static struct quipu__dumpi_side side_of(struct quipu__dumpi_resolution *all, uint32_t comm) {
    return (struct quipu__dumpi_side){comm, members_of_comm(all, comm), take_arrived(all, comm)};
}

/* Lets the remaining processes continue without a result, since the calls of the sides contradict each other. first is the first that
 * had arrived. */
static void let_others_go(struct quipu__dumpi_resolution *all, uint32_t comm, uint32_t first) {
    for (uint32_t i = first; i != QUIPU_NONE; i = all->processes[i].next_arrived)
        if (all->processes[i].waits_at == comm)
            finish_constructor(all, i, QUIPU_NONE);
}

static void resolve_comm(struct quipu__dumpi_resolution *all, uint32_t comm, uint32_t partner) {
    const uint32_t comms[2] = {comm, partner}, count = partner == QUIPU_NONE ? 1 : 2;
    struct quipu__dumpi_side sides[2];
    uint32_t firsts[2];
    for (uint32_t i = 0; i < count; i++) {
        firsts[i] = all->comms.items[comms[i]].first_arrived;
        sides[i] = side_of(all, comms[i]);
    }
    resolve_sides(all, sides, count);
    for (uint32_t i = 0; i < count; i++)
        let_others_go(all, comms[i], firsts[i]);
    quipu__arena_clear(&all->arena);
}

static bool is_complete(const struct quipu__dumpi_resolution *all, uint32_t comm) {
    return all->comms.items[comm].arrived == members_of_comm(all, comm).count;
}

/* Resolves the constructor at a communicator when all processes are there, on the other side as well. */
static void try_comm(struct quipu__dumpi_resolution *all, uint32_t comm) {
    const uint32_t first = all->comms.items[comm].first_arrived;
    uint32_t partner = all->comms.items[comm].other;
    if (!is_complete(all, comm))
        return;
    if (constructor_of(all, first)->type == QUIPU__DUMPI_TYPE_intercomm_create) {
        partner = find_partner(all, comm);
        if (partner == QUIPU_NONE)
            return;
    } else if (partner != QUIPU_NONE && !is_complete(all, partner)) {
        return;
    }
    resolve_comm(all, comm, partner);
}

/* ---- Going on ---- */

static uint32_t add_set(struct quipu__dumpi_resolution *all, const uint32_t *members, uint32_t count) {
    return QUIPU__VEC_PUT(all->memory, &all->sets, (struct quipu__dumpi_set){members, count})
               ? (uint32_t)(all->sets.count - 1)
               : QUIPU_NONE;
}

/* Handles a call on groups, or one whose result is unknown. */
static void do_alone(struct quipu__dumpi_resolution *all, uint32_t process,
                     const struct quipu__dumpi_constructor *constructor) {
    struct quipu__dumpi_process *it = &all->processes[process];
    uint32_t set = QUIPU_NONE;
    if (constructor->type == QUIPU__DUMPI_TYPE_comm_group ||
        constructor->type == QUIPU__DUMPI_TYPE_comm_remote_group) {
        const uint32_t comm = quipu__tokens_get(&it->comms, (uint16_t)constructor->parent);
        const struct quipu_group *group = comm == QUIPU_NONE ? NULL : comm_definition(all, comm);
        const bool remote = constructor->type == QUIPU__DUMPI_TYPE_comm_remote_group;
        if (group)
            set = add_set(all, remote ? group->remote_members : group->members,
                          remote ? group->remote_member_count : group->member_count);
    } else {
        const uint32_t a = quipu__tokens_get(&it->groups, (uint16_t)constructor->parent);
        const uint32_t b = quipu__tokens_get(&it->groups, (uint16_t)constructor->second);
        struct quipu__dumpi_set made;
        if (set_make(&all->own->arena, constructor, a == QUIPU_NONE ? NULL : &all->sets.items[a],
                     b == QUIPU_NONE ? NULL : &all->sets.items[b], &made))
            set = add_set(all, made.members, made.count);
    }
    if (constructor->result >= QUIPU__DUMPI_GROUP_USER || constructor->result < 0)
        quipu__gate_knows(quipu__tokens_put(&it->groups, (uint16_t)constructor->result, set));
    it->resolved[it->next++] = QUIPU_NONE;
}

/* ---- Communicators that only the members of a group make ---- */

/* The group from which a process makes one: MPI_Comm_create_group is MPI_Comm_create on MPI_COMM_SELF, with a group of others. NULL: it is another call, or the
 * group is not known. */
static const struct quipu__dumpi_set *group_of_others(const struct quipu__dumpi_resolution *all,
                                                      uint32_t process,
                                                      const struct quipu__dumpi_constructor *constructor) {
    const uint32_t set =
        constructor->type == QUIPU__DUMPI_TYPE_comm_create && constructor->parent == QUIPU__DUMPI_COMM_SELF
            ? quipu__tokens_get(&all->processes[process].groups, (uint16_t)constructor->second)
            : QUIPU_NONE;
    return set != QUIPU_NONE && all->sets.items[set].count > 1 ? &all->sets.items[set] : NULL;
}

/* The n-th one of a process with these members is the n-th one of each of them, for each type of call. The map has, by the type, the members and a process,
 * how many it has made so far, less 1; by the type, the members and n, the communicator. remote: NULL, but for one between groups. */
static uint32_t comm_of_group(struct quipu__dumpi_resolution *all, uint32_t process,
                              const struct quipu__dumpi_constructor *constructor,
                              const struct quipu__dumpi_set *set, const struct quipu__dumpi_set *remote) {
    const size_t bytes = set->count * sizeof *set->members;
    const uint64_t seed = all->of_groups.seed + ((uint64_t)constructor->type << 40);
    const uint64_t own = quipu__hash(set->members, bytes, seed + 2 * (uint64_t)process);
    const uint32_t n = quipu__map_get(&all->of_groups, own) + 1; /* QUIPU_NONE: the first one */
    const uint64_t key = quipu__hash(set->members, bytes, seed + 2 * (uint64_t)n + 1);
    uint32_t comm = quipu__map_get(&all->of_groups, key);
    if (makes_nothing(constructor) || !quipu__map_put(&all->of_groups, own, n))
        return QUIPU_NONE;
    if (comm != QUIPU_NONE)
        return comm;
    comm = make_comm(all, constructor, QUIPU_NONE, set, remote);
    return comm != QUIPU_NONE && quipu__map_put(&all->of_groups, key, comm) ? comm : QUIPU_NONE;
}

static void wait_at(struct quipu__dumpi_resolution *all, uint32_t process, uint32_t comm) {
    struct quipu__dumpi_process *it = &all->processes[process];
    struct quipu__dumpi_comm *at = &all->comms.items[comm];
    it->waits_at = comm;
    it->next_arrived = at->first_arrived;
    at->first_arrived = process;
    at->arrived++;
}

/* Advances a process until it waits for others or has no more calls. */
static void advance(struct quipu__dumpi_resolution *all, uint32_t process) {
    struct quipu__dumpi_process *it = &all->processes[process];
    while (it->next < it->count && it->waits_at == QUIPU_NONE && !quipu__memory_is_out(all->memory)) {
        const struct quipu__dumpi_constructor *constructor = &it->list[it->next];
        if (!quipu__dumpi_makes_communicator(constructor->type)) {
            do_alone(all, process, constructor);
            continue;
        }
        const bool is_of_all = constructor->type == QUIPU__DUMPI_TYPE_comm_get_parent,
                   is_alone = constructor->type == QUIPU__DUMPI_TYPE_comm_join;
        uint32_t handle = is_alone ? QUIPU__DUMPI_COMM_SELF : (uint16_t)constructor->parent;
        if (is_of_all)
            handle = QUIPU__DUMPI_COMM_WORLD;
        const uint32_t comm = quipu__tokens_get(&it->comms, handle);
        const struct quipu__dumpi_set *others = group_of_others(all, process, constructor);
        if (comm == QUIPU_NONE) {
            finish_constructor(all, process, QUIPU_NONE);
        } else if (others) {
            const struct quipu__dumpi_set set = *others;
            finish_constructor(all, process, comm_of_group(all, process, constructor, &set, NULL));
        } else if (is_alone || is_of_all) {
            const struct quipu__dumpi_set members = members_of_comm(all, comm), no_members = {NULL, 0};
            finish_constructor(all, process, comm_of_group(all, process, constructor, &members, &no_members));
        } else {
            wait_at(all, process, comm);
            try_comm(all, comm);
        }
    }
}

static void advance_all(struct quipu__dumpi_resolution *all) {
    while (all->ready.count > 0 && !quipu__memory_is_out(all->memory))
        advance(all, all->ready.items[--all->ready.count]);
}

/* With a single rank's file this is expected. */
static void report_forced(const struct quipu__dumpi_resolution *all, uint32_t comm) {
    const uint32_t first = all->comms.items[comm].first_arrived;
    struct quipu__where where = QUIPU__WHERE_INIT;
    if (all->own->is_single)
        return;
    where.file = all->processes[first].file->path;
    where.byte = constructor_of(all, first)->offset;
    where.type = quipu__dumpi_types[constructor_of(all, first)->type].name;
    quipu__dumpi_find(all->own, QUIPU__DUMPI_RULE_COMMUNICATOR, &where, "the same call by all members",
                      "%u of %u members make it", all->comms.items[comm].arrived,
                      members_of_comm(all, comm).count);
}

/* No process can continue: takes those that wait at the first communicator for all its members. */
static bool force(struct quipu__dumpi_resolution *all) {
    for (uint32_t comm = 0; comm < all->comms.count; comm++) {
        if (all->comms.items[comm].arrived == 0)
            continue;
        report_forced(all, comm);
        resolve_comm(all, comm, all->comms.items[comm].other);
        return true;
    }
    return false;
}

/* ---- Begin and end ---- */

static void init_process(struct quipu__dumpi_resolution *all, uint32_t i) {
    struct quipu__dumpi_process *it = &all->processes[i];
    *it = (struct quipu__dumpi_process){.waits_at = QUIPU_NONE, .next_arrived = QUIPU_NONE};
    quipu__tokens_init(&it->comms, all->memory);
    quipu__tokens_init(&it->groups, all->memory);
}

static void add_file(struct quipu__dumpi_resolution *all, const struct quipu__dumpi_file *file,
                     const struct quipu__dumpi_constructors *constructors, uint32_t *resolved) {
    struct quipu__dumpi_process *it = &all->processes[file->location];
    it->file = file;
    it->list = constructors->list.items;
    it->count = constructors->list.count;
    it->resolved = resolved;
    const uint32_t self = add_comm(all, file->self);
    quipu__gate_knows(self != QUIPU_NONE && quipu__tokens_put(&it->comms, QUIPU__DUMPI_COMM_WORLD, 0) &&
                      quipu__tokens_put(&it->comms, QUIPU__DUMPI_COMM_SELF, self) &&
                      quipu__tokens_put(&it->groups, QUIPU__DUMPI_GROUP_EMPTY, 0) &&
                      QUIPU__VEC_PUT(all->memory, &all->ready, file->location));
}

static void release(struct quipu__dumpi_resolution *all) {
    for (uint32_t i = 0; i < all->process_count; i++) {
        quipu__tokens_release(&all->processes[i].comms);
        quipu__tokens_release(&all->processes[i].groups);
    }
    quipu__release(all->memory, all->processes, all->process_count * sizeof *all->processes);
    QUIPU__VEC_RELEASE(all->memory, &all->comms);
    QUIPU__VEC_RELEASE(all->memory, &all->sets);
    QUIPU__VEC_RELEASE(all->memory, &all->ready);
    quipu__map_release(&all->of_groups);
    quipu__arena_release(&all->arena);
}

enum quipu_status quipu__dumpi_resolve(struct quipu__dumpi_trace *own,
                                       const struct quipu__dumpi_constructors *constructors,
                                       uint32_t *const *resolved, struct quipu_error *err) {
    struct quipu__dumpi_resolution all = {.own = own, .memory = own->memory, .process_count = own->world_size};
    all.processes = quipu__alloc_zero(own->memory, own->world_size * sizeof *all.processes);
    if (!all.processes)
        return quipu__no_memory(err, own->world_size * sizeof *all.processes);
    quipu__arena_init(&all.arena, own->memory);
    quipu__map_init(&all.of_groups, own->memory);
    quipu__gate_knows(add_set(&all, NULL, 0) != QUIPU_NONE && add_comm(&all, own->world) != QUIPU_NONE);
    for (uint32_t i = 0; i < all.process_count; i++)
        init_process(&all, i);
    for (uint32_t i = 0; i < own->files.count; i++)
        add_file(&all, &own->files.items[i], &constructors[i], resolved[i]);
    do
        advance_all(&all);
    while (!quipu__memory_is_out(all.memory) && force(&all));
    release(&all);
    return quipu__memory_status(own->memory, err);
}
