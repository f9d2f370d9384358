/* rebuild_communicators.c: communicators of other formats. DUMPI says who is a member by the calls that make a communicator, and without members a
 * root is no process. So each rank gets calls of MPI_Comm_split on the world, all alike, before its first call of another function than MPI_Init: one for
 * as many communicators as have no member in common. Where calls bring their handles along, those that made them are there. */
#include "formats/dumpi/rebuild.h"

#include "core/error.h"

/* Splits that all ranks together make at most. */
#define SPLITS_MOST (UINT32_C(1) << 20)

static bool brings_handles(const struct quipu_definitions *definitions) {
    for (uint32_t i = 0; i < definitions->attribute_keys.count; i++)
        if (strcmp(definitions->attribute_keys.items[i].name, "comm") == 0)
            return true;
    return false;
}

bool quipu__dumpi_is_world(const struct quipu__dumpi_rebuilding *all, uint32_t group) {
    const struct quipu_groups *groups = &all->definitions->groups;
    if (group >= groups->count || groups->items[group].remote_members ||
        groups->items[group].member_count != all->rank_count)
        return group >= groups->count;
    for (uint32_t i = 0; i < all->rank_count; i++)
        if (quipu__dumpi_rank_of(all, groups->items[group].members[i]) != (int32_t)i)
            return false;
    return true;
}

/* Whether a split can make it: a communicator of some ranks, each once. seen has a number per rank: of the last group that it was found in, and one. */
static bool can_be_made(const struct quipu__dumpi_rebuilding *all, uint32_t number, uint32_t *seen) {
    const struct quipu_group *group = &all->definitions->groups.items[number];
    if (!group->is_communicator || group->remote_members || group->member_count < 2 ||
        number >= INT16_MAX - QUIPU__DUMPI_COMM_USER || quipu__dumpi_is_world(all, number))
        return false;
    for (uint32_t i = 0; i < group->member_count; i++) {
        const int32_t rank = quipu__dumpi_rank_of(all, group->members[i]);
        if (rank < 0 || seen[rank] == number + 1)
            return false;
        seen[rank] = number + 1;
    }
    return true;
}

/* The first split in which no member takes part yet. */
static void choose_split(struct quipu__dumpi_rebuilding *all, uint32_t number, uint32_t *next) {
    const struct quipu_group *group = &all->definitions->groups.items[number];
    uint32_t split = 0;
    for (uint32_t i = 0; i < group->member_count; i++) {
        const uint32_t rank = (uint32_t)quipu__dumpi_rank_of(all, group->members[i]);
        split = next[rank] > split ? next[rank] : split;
    }
    for (uint32_t i = 0; i < group->member_count; i++)
        next[quipu__dumpi_rank_of(all, group->members[i])] = split + 1;
    all->splits[number] = split;
    all->split_count = split >= all->split_count ? split + 1 : all->split_count;
}

static size_t membership_bytes(const struct quipu__dumpi_rebuilding *all) {
    return ((size_t)all->split_count * all->rank_count + 1) * sizeof *all->memberships;
}

/* What each rank is in each split. False when memory is out. */
static bool fill_memberships(struct quipu__dumpi_rebuilding *all) {
    all->memberships = quipu__alloc(all->memory, membership_bytes(all));
    if (!all->memberships)
        return false;
    for (size_t i = 0; i < (size_t)all->split_count * all->rank_count; i++)
        all->memberships[i] = (struct quipu__dumpi_membership){QUIPU_NONE, 0};
    for (uint32_t i = 0; i < all->group_count; i++) {
        const struct quipu_group *group = &all->definitions->groups.items[i];
        for (uint32_t k = 0; all->splits[i] != QUIPU_NONE && k < group->member_count; k++) {
            const uint32_t rank = (uint32_t)quipu__dumpi_rank_of(all, group->members[k]);
            all->memberships[(size_t)all->splits[i] * all->rank_count + rank] =
                (struct quipu__dumpi_membership){i, k};
        }
    }
    return true;
}

static void choose_splits(struct quipu__dumpi_rebuilding *all, uint32_t *next, uint32_t *seen) {
    const bool are_needed = !brings_handles(all->definitions);
    for (uint32_t i = 0; i < all->group_count; i++) {
        all->splits[i] = QUIPU_NONE;
        if (are_needed && can_be_made(all, i, seen))
            choose_split(all, i, next);
    }
    if ((uint64_t)all->split_count * all->rank_count <= SPLITS_MOST)
        return;
    for (uint32_t i = 0; i < all->group_count; i++)
        all->splits[i] = QUIPU_NONE;
    all->split_count = 0;
}

enum quipu_status quipu__dumpi_plan_splits(struct quipu__dumpi_rebuilding *all, struct quipu_error *err) {
    const size_t ranks = (size_t)all->rank_count + 1, size = 2 * ranks * sizeof(uint32_t);
    uint32_t *next = quipu__alloc_zero(all->memory, size);
    all->group_count = all->definitions->groups.count;
    all->splits = quipu__alloc_zero(all->memory, ((size_t)all->group_count + 1) * sizeof *all->splits);
    all->has_split = quipu__alloc_zero(all->memory, ranks * sizeof *all->has_split);
    const bool fits = next && all->splits && all->has_split;
    if (fits)
        choose_splits(all, next, next + ranks);
    quipu__release(all->memory, next, next ? size : 0);
    return fits && fill_memberships(all) ? QUIPU_OK : quipu__no_memory(err, size);
}

void quipu__dumpi_release_splits(struct quipu__dumpi_rebuilding *all) {
    const size_t groups = (size_t)all->group_count + 1, ranks = (size_t)all->rank_count + 1;
    quipu__release(all->memory, all->splits, all->splits ? groups * sizeof *all->splits : 0);
    quipu__release(all->memory, all->has_split, all->has_split ? ranks * sizeof *all->has_split : 0);
    quipu__release(all->memory, all->memberships, all->memberships ? membership_bytes(all) : 0);
}

void quipu__dumpi_fill_split(const struct quipu__dumpi_rebuilding *all, uint32_t rank, uint32_t split,
                             struct quipu__dumpi_comm_split *out) {
    const struct quipu__dumpi_membership *membership =
        &all->memberships[(size_t)split * all->rank_count + rank];
    *out = (struct quipu__dumpi_comm_split){
        .oldcomm = QUIPU__DUMPI_COMM_WORLD, .color = QUIPU__DUMPI_UNDEFINED, .newcomm = QUIPU__DUMPI_COMM_NULL};
    if (membership->group == QUIPU_NONE)
        return;
    out->color = (int32_t)membership->group;
    out->key = (int32_t)membership->key;
    out->newcomm = (int16_t)(QUIPU__DUMPI_COMM_USER + membership->group);
}
