/* communicator_resolution.h: the resolution of communicators while it runs: shared by communicators.c, which decides when a constructor
 * can be resolved, and communicator_members.c, which knows what each of them makes. */
#ifndef QUIPU_DUMPI_COMMUNICATOR_RESOLUTION_H
#define QUIPU_DUMPI_COMMUNICATOR_RESOLUTION_H

#include "formats/dumpi/communicators.h"

/* ---- Sets of processes ---- */

/* Ordered sets of processes, and the calls that make one of others. */

struct quipu__dumpi_set {
    const uint32_t *members; /* processes */
    uint32_t count;
};

/* The set that a call makes of one or two others, in the arena. False when a set that it needs is not known (NULL) or
 * memory is out. */
QUIPU_CHECKED bool quipu__dumpi_set_make(struct quipu__arena *arena,
                                         const struct quipu__dumpi_constructor *constructor,
                                         const struct quipu__dumpi_set *a, const struct quipu__dumpi_set *b,
                                         struct quipu__dumpi_set *out);

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
    uint32_t member_of; /* the last comm that was marked and that it is a member of, + 1 */
};

struct quipu__dumpi_resolution {
    struct quipu__dumpi_trace *own;
    struct quipu__memory *memory;
    struct quipu__dumpi_process *processes; /* process i is location i, the first ones that define.c adds */
    uint32_t process_count;
    QUIPU__VEC(struct quipu__dumpi_comm) comms;
    QUIPU__VEC(struct quipu__dumpi_set) sets;
    QUIPU__VEC(uint32_t) ready; /* processes that can go on */
    uint32_t marked;            /* comm whose members are marked, + 1; 0: none */
    struct quipu__arena arena;
    bool out_of_memory;
};

/* One side of a call on a communicator: the parent, and who has arrived. */
struct quipu__dumpi_side {
    uint32_t comm;
    struct quipu__dumpi_set members, arrived;
};

/* ---- Look-ups ---- */

static inline const struct quipu_group *quipu__dumpi_comm_definition(const struct quipu__dumpi_resolution *all,
                                                                     uint32_t comm) {
    return &all->own->trace->define->definitions.groups.items[all->comms.items[comm].group];
}

static inline struct quipu__dumpi_set quipu__dumpi_comm_members(const struct quipu__dumpi_resolution *all,
                                                                uint32_t comm) {
    const struct quipu_group *group = quipu__dumpi_comm_definition(all, comm);
    return (struct quipu__dumpi_set){group->members, group->member_count};
}

static inline const struct quipu__dumpi_constructor *quipu__dumpi_constructor_of(
    const struct quipu__dumpi_resolution *all, uint32_t process) {
    const struct quipu__dumpi_process *it = &all->processes[process];
    return &it->list[it->next];
}

static inline uint32_t quipu__dumpi_set_rank(const struct quipu__dumpi_set *set, uint32_t process) {
    for (uint32_t i = 0; i < set->count; i++)
        if (set->members[i] == process)
            return i;
    return QUIPU_NONE;
}

static inline bool quipu__dumpi_makes_nothing(const struct quipu__dumpi_constructor *constructor) {
    return constructor->result <= QUIPU__DUMPI_COMM_NULL && constructor->result >= 0;
}

/* ---- Making ---- */

/* A communicator of a group definition; QUIPU_NONE when memory is out. */
uint32_t quipu__dumpi_add_comm(struct quipu__dumpi_resolution *all, uint32_t group);

/* Defines a group and makes it a communicator. remote: the other side, an empty set when it is not known, or NULL. */
uint32_t quipu__dumpi_make_comm(struct quipu__dumpi_resolution *all,
                                const struct quipu__dumpi_constructor *constructor, uint32_t parent,
                                const struct quipu__dumpi_set *members, const struct quipu__dumpi_set *remote);

/* The process's constructor made this communicator (QUIPU_NONE: none, or one that is not known). It can go on. Damage lets a
 * process claim one that it is no member of; it does not get it. */
void quipu__dumpi_finish_constructor(struct quipu__dumpi_resolution *all, uint32_t process, uint32_t comm);

/* Makes what the constructor at one or both sides of a communicator makes, and lets everybody there go on. */
void quipu__dumpi_resolve_sides(struct quipu__dumpi_resolution *all, struct quipu__dumpi_side *sides,
                                uint32_t side_count);

#endif
