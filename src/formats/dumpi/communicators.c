/* communicators.c: who is a member of which communicator.
 *
 * Constructors are collective: all members of the parent call them, in the same order. So each process is stopped at
 * its next constructor, and a communicator whose members have all arrived at one resolves it, which lets them go on.
 * Calls on groups concern one process only and are done at once. Where processes are missing or damage has eaten
 * calls, no process can continue: then those that have arrived are taken for all, which is a finding. */
#include "formats/dumpi/communicator_resolution.h"

#include "core/error.h"

#include <string.h>

/* ---- Leaders of intercommunicators ---- */

static uint32_t leader_of(const struct quipu__dumpi_resolution *all, uint32_t comm) {
    const uint32_t first = all->comms.items[comm].first_arrived;
    if (first == QUIPU_NONE)
        return QUIPU_NONE;
    const struct quipu__dumpi_set members = quipu__dumpi_comm_members(all, comm);
    const int32_t leader = quipu__dumpi_constructor_of(all, first)->color;
    return leader >= 0 && (uint32_t)leader < members.count ? members.members[leader] : QUIPU_NONE;
}

static uint32_t remote_leader_of(const struct quipu__dumpi_resolution *all, uint32_t leader) {
    const struct quipu__dumpi_constructor *constructor = quipu__dumpi_constructor_of(all, leader);
    const uint32_t mapping = quipu__tokens_get(&all->processes[leader].comms, (uint16_t)constructor->second);
    if (mapping == QUIPU_NONE || constructor->key < 0)
        return QUIPU_NONE;
    const struct quipu_group *group = quipu__dumpi_comm_definition(all, mapping);
    if (group->remote_members)
        return (uint32_t)constructor->key < group->remote_member_count ? group->remote_members[constructor->key]
                                                                       : QUIPU_NONE;
    return (uint32_t)constructor->key < group->member_count ? group->members[constructor->key] : QUIPU_NONE;
}

static bool waits_for_intercomm(const struct quipu__dumpi_resolution *all, uint32_t process) {
    return process < all->process_count && all->processes[process].waits_at != QUIPU_NONE &&
           quipu__dumpi_constructor_of(all, process)->type == QUIPU__DUMPI_TYPE_intercomm_create;
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
    return all->comms.items[partner].arrived == quipu__dumpi_comm_members(all, partner).count ? partner
                                                                                              : QUIPU_NONE;
}

/* ---- Resolving ---- */

/* Those who have arrived at a communicator, in the order of their ranks in it; they are no longer there. */
static struct quipu__dumpi_set take_arrived(struct quipu__dumpi_resolution *all, uint32_t comm) {
    struct quipu__dumpi_comm *it = &all->comms.items[comm];
    const struct quipu__dumpi_set members = quipu__dumpi_comm_members(all, comm);
    uint32_t *arrived = quipu__arena_alloc(&all->arena, ((size_t)members.count + 1) * sizeof *arrived);
    uint32_t count = 0;
    if (!arrived)
        all->out_of_memory = true;
    for (uint32_t i = 0; arrived && i < members.count; i++)
        if (members.members[i] < all->process_count && all->processes[members.members[i]].waits_at == comm)
            arrived[count++] = members.members[i];
    it->first_arrived = QUIPU_NONE;
    it->arrived = 0;
    return (struct quipu__dumpi_set){arrived, count};
}

static struct quipu__dumpi_side side_of(struct quipu__dumpi_resolution *all, uint32_t comm) {
    return (struct quipu__dumpi_side){comm, quipu__dumpi_comm_members(all, comm), take_arrived(all, comm)};
}

/* Whoever is left, since the calls of the sides contradict each other: nothing comes of theirs. first is the first that had arrived. */
static void let_others_go(struct quipu__dumpi_resolution *all, uint32_t comm, uint32_t first) {
    for (uint32_t i = first; i != QUIPU_NONE; i = all->processes[i].next_arrived)
        if (all->processes[i].waits_at == comm)
            quipu__dumpi_finish_constructor(all, i, QUIPU_NONE);
}

static void resolve_comm(struct quipu__dumpi_resolution *all, uint32_t comm, uint32_t partner) {
    const uint32_t comms[2] = {comm, partner}, count = partner == QUIPU_NONE ? 1 : 2;
    struct quipu__dumpi_side sides[2];
    uint32_t firsts[2];
    for (uint32_t i = 0; i < count; i++) {
        firsts[i] = all->comms.items[comms[i]].first_arrived;
        sides[i] = side_of(all, comms[i]);
    }
    quipu__dumpi_resolve_sides(all, sides, count);
    for (uint32_t i = 0; i < count; i++)
        let_others_go(all, comms[i], firsts[i]);
    quipu__arena_clear(&all->arena);
}

static bool is_complete(const struct quipu__dumpi_resolution *all, uint32_t comm) {
    return all->comms.items[comm].arrived == quipu__dumpi_comm_members(all, comm).count;
}

/* Resolves the constructor at a communicator when everybody is there, on the other side as well. */
static void try_comm(struct quipu__dumpi_resolution *all, uint32_t comm) {
    const uint32_t first = all->comms.items[comm].first_arrived;
    uint32_t partner = all->comms.items[comm].other;
    if (!is_complete(all, comm))
        return;
    if (quipu__dumpi_constructor_of(all, first)->type == QUIPU__DUMPI_TYPE_intercomm_create) {
        partner = find_partner(all, comm);
        if (partner == QUIPU_NONE)
            return;
    } else if (partner != QUIPU_NONE && !is_complete(all, partner)) {
        return;
    }
    resolve_comm(all, comm, partner);
}

/* ---- Going on ---- */

/* A call on groups, or one whose result nothing is known of. */
static void do_alone(struct quipu__dumpi_resolution *all, uint32_t process,
                     const struct quipu__dumpi_constructor *constructor) {
    struct quipu__dumpi_process *it = &all->processes[process];
    uint32_t set = QUIPU_NONE;
    if (constructor->type == QUIPU__DUMPI_TYPE_comm_group ||
        constructor->type == QUIPU__DUMPI_TYPE_comm_remote_group) {
        const uint32_t comm = quipu__tokens_get(&it->comms, (uint16_t)constructor->parent);
        const struct quipu_group *group = comm == QUIPU_NONE ? NULL : quipu__dumpi_comm_definition(all, comm);
        struct quipu__dumpi_set *slot = group ? QUIPU__VEC_ADD(all->memory, &all->sets) : NULL;
        if (slot) {
            const bool remote = constructor->type == QUIPU__DUMPI_TYPE_comm_remote_group;
            *slot = remote ? (struct quipu__dumpi_set){group->remote_members, group->remote_member_count}
                           : (struct quipu__dumpi_set){group->members, group->member_count};
            set = (uint32_t)(all->sets.count - 1);
        }
    } else {
        const uint32_t a = quipu__tokens_get(&it->groups, (uint16_t)constructor->parent);
        const uint32_t b = quipu__tokens_get(&it->groups, (uint16_t)constructor->second);
        struct quipu__dumpi_set made;
        if (quipu__dumpi_set_make(&all->own->arena, constructor, a == QUIPU_NONE ? NULL : &all->sets.items[a],
                                  b == QUIPU_NONE ? NULL : &all->sets.items[b], &made)) {
            struct quipu__dumpi_set *slot = QUIPU__VEC_ADD(all->memory, &all->sets);
            if (slot) {
                *slot = made;
                set = (uint32_t)(all->sets.count - 1);
            }
        }
    }
    if (constructor->result >= QUIPU__DUMPI_GROUP_USER || constructor->result < 0)
        quipu__gate_knows(quipu__tokens_put(&it->groups, (uint16_t)constructor->result, set));
    it->resolved[it->next++] = QUIPU_NONE;
}

static void wait_at(struct quipu__dumpi_resolution *all, uint32_t process, uint32_t comm) {
    struct quipu__dumpi_process *it = &all->processes[process];
    struct quipu__dumpi_comm *at = &all->comms.items[comm];
    it->waits_at = comm;
    it->next_arrived = at->first_arrived;
    at->first_arrived = process;
    at->arrived++;
}

/* Moves a process on until it waits for others or has no more calls. */
static void advance(struct quipu__dumpi_resolution *all, uint32_t process) {
    struct quipu__dumpi_process *it = &all->processes[process];
    while (it->next < it->count && it->waits_at == QUIPU_NONE && !all->out_of_memory) {
        const struct quipu__dumpi_constructor *constructor = &it->list[it->next];
        if (!quipu__dumpi_makes_communicator(constructor->type)) {
            do_alone(all, process, constructor);
            continue;
        }
        const bool is_alone = constructor->type == QUIPU__DUMPI_TYPE_comm_get_parent ||
                              constructor->type == QUIPU__DUMPI_TYPE_comm_join;
        uint32_t handle = is_alone ? QUIPU__DUMPI_COMM_SELF : (uint16_t)constructor->parent;
        if (constructor->type == QUIPU__DUMPI_TYPE_comm_get_parent)
            handle = QUIPU__DUMPI_COMM_WORLD;
        const uint32_t comm = quipu__tokens_get(&it->comms, handle);
        if (comm == QUIPU_NONE) {
            quipu__dumpi_finish_constructor(all, process, QUIPU_NONE);
        } else if (is_alone) {
            const struct quipu__dumpi_set members = quipu__dumpi_comm_members(all, comm),
                                          no_members = {NULL, 0};
            quipu__dumpi_finish_constructor(
                all, process,
                quipu__dumpi_makes_nothing(constructor)
                    ? QUIPU_NONE
                    : quipu__dumpi_make_comm(all, constructor, QUIPU_NONE, &members, &no_members));
        } else {
            wait_at(all, process, comm);
            try_comm(all, comm);
        }
    }
}

static void advance_all(struct quipu__dumpi_resolution *all) {
    while (all->ready.count > 0 && !all->out_of_memory)
        advance(all, all->ready.items[--all->ready.count]);
}

/* Of a single rank's file nothing else is expected. */
static void report_forced(const struct quipu__dumpi_resolution *all, uint32_t comm) {
    const uint32_t first = all->comms.items[comm].first_arrived;
    struct quipu__where where = QUIPU__WHERE_INIT;
    if (all->own->is_single)
        return;
    where.file = all->processes[first].file->path;
    where.byte = quipu__dumpi_constructor_of(all, first)->offset;
    where.type = quipu__dumpi_types[quipu__dumpi_constructor_of(all, first)->type].name;
    quipu__dumpi_find(all->own, QUIPU__DUMPI_RULE_COMMUNICATOR, &where, "the same call by all members",
                      "%u of %u members make it", all->comms.items[comm].arrived,
                      quipu__dumpi_comm_members(all, comm).count);
}

/* No process can continue: takes those who wait at the first communicator for all of its members. */
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
    const uint32_t self = quipu__dumpi_add_comm(all, file->self);
    uint32_t *slot = QUIPU__VEC_ADD(all->memory, &all->ready);
    if (self == QUIPU_NONE || !slot || !quipu__tokens_put(&it->comms, QUIPU__DUMPI_COMM_WORLD, 0) ||
        !quipu__tokens_put(&it->comms, QUIPU__DUMPI_COMM_SELF, self) ||
        !quipu__tokens_put(&it->groups, QUIPU__DUMPI_GROUP_EMPTY, 0))
        all->out_of_memory = true;
    else
        *slot = file->location;
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
    struct quipu__dumpi_set *const empty = QUIPU__VEC_ADD(own->memory, &all.sets);
    all.out_of_memory = quipu__dumpi_add_comm(&all, own->world) == QUIPU_NONE || empty == NULL;
    for (uint32_t i = 0; i < all.process_count; i++)
        init_process(&all, i);
    for (uint32_t i = 0; i < own->files.count; i++)
        add_file(&all, &own->files.items[i], &constructors[i], resolved[i]);
    do
        advance_all(&all);
    while (!all.out_of_memory && force(&all));
    release(&all);
    return all.out_of_memory ? quipu__no_memory(err, sizeof(struct quipu__dumpi_comm)) : QUIPU_OK;
}
