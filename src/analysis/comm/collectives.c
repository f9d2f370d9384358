/* collectives.c: what collective operations transfer, as messages between their members.
 *
 * Where each member sends to each other one, pairs are counted when all has been read: until then a communicator has a sum for each
 * member. Pairs of more than QUIPU__COMM_TEAM_MOST members are not told apart.
 */
#include "analysis/comm/comm.h"

#include "core/scale.h"

static uint64_t known(uint64_t bytes) {
    return bytes == QUIPU_UNKNOWN ? 0 : bytes;
}

/* A member of a communicator, as pairs name it. The sides of a complete operation are those of the members, in their order. */
static uint32_t side_of(struct quipu__comm *comm, uint32_t group, uint32_t member) {
    return quipu__comm_side(comm, comm->definitions->groups.items[group].members[member]);
}

/* Whether a member contributes, and is among those that are asked for. */
static bool sends(const struct quipu__collective *collective, uint32_t member) {
    return collective->sides[member].contributes && collective->sides[member].mark != 0;
}

static void add_message(struct quipu__comm *comm, const struct quipu__collective *collective, uint32_t from,
                        uint32_t to, uint64_t bytes) {
    if (from == to || !sends(collective, from) || !collective->sides[to].depends)
        return;
    quipu__comm_add_size(comm, 1, bytes);
    quipu__comm_add_pair(comm, side_of(comm, collective->group, from), side_of(comm, collective->group, to), 1,
                         bytes);
}

/* ---- To all others ---- */

/* In operations such as alltoall every member sends something else to each other one. */
static bool divides(uint32_t operation) {
    return operation == QUIPU_COLLECTIVE_ALLTOALL || operation == QUIPU_COLLECTIVE_ALLTOALLV ||
           operation == QUIPU_COLLECTIVE_ALLTOALLW;
}

/* What a member sends to each other one. */
static uint64_t sent_by(const struct quipu__collective *collective, uint32_t member) {
    const uint64_t bytes = known(collective->sides[member].sent);
    return divides(collective->operation) ? quipu__scale_rounded(bytes, 1, collective->member_count) : bytes;
}

static void free_team(struct quipu__comm *comm, const struct quipu__comm_team *team) {
    quipu__release(&comm->memory, team->messages, team->count * sizeof *team->messages);
    quipu__release(&comm->memory, team->bytes, team->count * sizeof *team->bytes);
}

/* NULL when memory is out. */
static struct quipu__comm_team *add_team(struct quipu__comm *comm, const struct quipu__collective *collective) {
    const uint32_t count = collective->member_count;
    const struct quipu__comm_team team = {quipu__alloc_zero(&comm->memory, count * sizeof *team.messages),
                                          quipu__alloc_zero(&comm->memory, count * sizeof *team.bytes),
                                          collective->group, count};
    struct quipu__comm_team *added =
        team.messages && team.bytes ? QUIPU__VEC_ADD(&comm->memory, &comm->teams) : NULL;
    if (!added) {
        free_team(comm, &team);
        return NULL;
    }
    *added = team;
    return quipu__map_put(&comm->team_of, collective->group, (uint32_t)(comm->teams.count - 1)) ? added : NULL;
}

static uint32_t count_dependents(const struct quipu__collective *collective) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < collective->member_count; i++)
        count += collective->sides[i].depends;
    return count;
}

/* The first operation of a team is counted at once, so that pairs are in the order in which they communicate. */
static void add_pairs(struct quipu__comm *comm, const struct quipu__collective *collective) {
    for (uint32_t from = 0; from < collective->member_count; from++)
        for (uint32_t to = 0; to < collective->member_count; to++)
            add_message(comm, collective, from, to, sent_by(collective, from));
}

static void add_to_team(struct quipu__comm *comm, const struct quipu__comm_team *team,
                        const struct quipu__collective *collective) {
    for (uint32_t from = 0; from < team->count; from++) {
        if (!sends(collective, from))
            continue;
        const uint64_t bytes = sent_by(collective, from);
        team->messages[from]++;
        team->bytes[from] += bytes;
        quipu__comm_add_size(comm, team->count - 1, bytes);
    }
}

/* A row for each sender. */
static void add_to_all(struct quipu__comm *comm, const struct quipu__collective *collective,
                       uint32_t dependents) {
    for (uint32_t from = 0; from < collective->member_count; from++) {
        const uint32_t sender = side_of(comm, collective->group, from);
        const uint64_t bytes = sent_by(collective, from), others = dependents - collective->sides[from].depends;
        uint32_t number = quipu__map_get(&comm->to_all_of, sender);
        if (!sends(collective, from))
            continue;
        if (number == QUIPU_NONE) {
            struct quipu__comm_pair *pair = QUIPU__VEC_ADD(&comm->memory, &comm->to_all);
            number = (uint32_t)(comm->to_all.count - 1);
            if (!pair || !quipu__map_put(&comm->to_all_of, sender, number))
                return;
            *pair = (struct quipu__comm_pair){.sender = sender, .receiver = QUIPU_NONE};
        }
        comm->to_all.items[number].messages += others;
        comm->to_all.items[number].bytes += others * bytes;
        quipu__comm_add_size(comm, others, bytes);
    }
}

static void add_all_to_all(struct quipu__comm *comm, const struct quipu__collective *collective) {
    const uint32_t number = quipu__map_get(&comm->team_of, collective->group),
                   dependents = count_dependents(collective);
    if (collective->member_count > QUIPU__COMM_TEAM_MOST) {
        add_to_all(comm, collective, dependents);
    } else if (number != QUIPU_NONE && dependents == collective->member_count) {
        add_to_team(comm, &comm->teams.items[number], collective);
    } else {
        add_pairs(comm, collective);
        quipu__gate_knows(add_team(comm, collective) != NULL);
    }
}

void quipu__comm_add_teams(struct quipu__comm *comm) {
    for (size_t i = 0; i < comm->teams.count; i++) {
        const struct quipu__comm_team *team = &comm->teams.items[i];
        for (uint32_t from = 0; from < team->count; from++)
            for (uint32_t to = 0; team->messages[from] > 0 && to < team->count; to++)
                if (from != to)
                    quipu__comm_add_pair(comm, side_of(comm, team->group, from), side_of(comm, team->group, to),
                                         team->messages[from], team->bytes[from]);
    }
}

void quipu__comm_teams_release(struct quipu__comm *comm) {
    for (size_t i = 0; i < comm->teams.count; i++)
        free_team(comm, &comm->teams.items[i]);
    QUIPU__VEC_RELEASE(&comm->memory, &comm->teams);
    QUIPU__VEC_RELEASE(&comm->memory, &comm->to_all);
    quipu__map_release(&comm->team_of);
    quipu__map_release(&comm->to_all_of);
}

/* ---- All ---- */

void quipu__comm_add_collective(void *context, const struct quipu__collective *collective) {
    struct quipu__comm *comm = context;
    const uint32_t count = collective->member_count, root = collective->root;
    if (!comm->has_collectives || !collective->is_evaluated)
        return;
    switch (collective->flow) {
    case QUIPU__FLOW_SCAN:
        for (uint32_t i = 1; i < count; i++)
            add_message(comm, collective, i - 1, i, known(collective->sides[i - 1].sent));
        break;
    case QUIPU__FLOW_ONE_TO_ALL:
        for (uint32_t i = 0; root < count && i < count; i++)
            add_message(comm, collective, root, i, known(collective->sides[i].received));
        break;
    case QUIPU__FLOW_ALL_TO_ONE:
        for (uint32_t i = 0; root < count && i < count; i++)
            add_message(comm, collective, i, root, known(collective->sides[i].sent));
        break;
    case QUIPU__FLOW_ALL_TO_ALL:
        add_all_to_all(comm, collective);
        break;
    default:
        break;
    }
}
