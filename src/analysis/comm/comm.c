/* comm.c: who sends to whom: messages and bytes of each pair of processes or nodes, their lengths, and the pattern that
 * they make. */
#include "analysis/comm/comm.h"

#include "analysis/shared/settings.h"
#include "core/bounded.h"
#include "core/error.h"
#include "core/scale.h"
#include "model/event.h"

#include <string.h>

/* Class of a length: 0, or 1 more than its highest bit. */
static unsigned size_class(uint64_t bytes) {
    unsigned bits = 0;
    for (; bytes > 0; bytes >>= 1)
        bits++;
    return bits;
}

/* ---- Pairs ---- */

/* The node that an end is on: the nearest one above it, else the first location of the same host. */
static uint32_t node_of(struct quipu__comm *comm, uint32_t end) {
    const uint32_t node = quipu__location_above(comm->definitions, end, QUIPU_LOCATION_NODE);
    return node == QUIPU_NONE ? quipu__host_first(&comm->hosts, end) : node;
}

/* The end (state/ends.h), or its node, as pairs name it. */
static uint32_t side_of_end(struct quipu__comm *comm, uint32_t end) {
    return comm->by_node && end < comm->definitions->locations.count ? node_of(comm, end) : end;
}

/* The row of a pair; that of all others when there is no more room. */
static struct quipu__comm_pair *pair_of(struct quipu__comm *comm, uint32_t sender, uint32_t receiver) {
    const uint64_t key = (uint64_t)sender << 32 | receiver;
    const uint32_t known = quipu__map_get(&comm->pair_of, key);
    if (known != QUIPU_NONE)
        return &comm->pairs.items[known];
    if (comm->pairs.count >= QUIPU__COMM_PAIRS_MOST)
        return &comm->others;
    struct quipu__comm_pair *pair = QUIPU__VEC_ADD(&comm->memory, &comm->pairs);
    if (!pair || !quipu__map_put(&comm->pair_of, key, (uint32_t)(comm->pairs.count - 1)))
        return &comm->others;
    *pair = (struct quipu__comm_pair){.sender = sender, .receiver = receiver};
    return pair;
}

/* Counts messages of so many bytes each by their length. */
static void add_size(struct quipu__comm *comm, uint64_t messages, uint64_t bytes) {
    struct quipu__comm_size *size = &comm->sizes[size_class(bytes)];
    size->messages += messages;
    size->bytes += messages * bytes;
}

/* Counts messages of so many bytes together by their pair. */
static void add_pair(struct quipu__comm *comm, uint32_t sender, uint32_t receiver, uint64_t messages,
                     uint64_t bytes) {
    struct quipu__comm_pair *pair = pair_of(comm, sender, receiver);
    pair->messages += messages;
    pair->bytes += bytes;
}

/* ==== Collective operations ==== */

static uint64_t known(uint64_t bytes) {
    return bytes == QUIPU_UNKNOWN ? 0 : bytes;
}

/* A member of a communicator, as pairs name it. The sides of a complete operation are those of the members, in their order. */
static uint32_t side_of(struct quipu__comm *comm, uint32_t group, uint32_t member) {
    return side_of_end(comm, comm->definitions->groups.items[group].members[member]);
}

/* Whether a member contributes, and is among those that are asked for. */
static bool sends(const struct quipu__collective *collective, uint32_t member) {
    return collective->sides[member].contributes && collective->sides[member].mark != 0;
}

static void add_message(struct quipu__comm *comm, const struct quipu__collective *collective, uint32_t from,
                        uint32_t to, uint64_t bytes) {
    if (from == to || !sends(collective, from) || !collective->sides[to].depends)
        return;
    add_size(comm, 1, bytes);
    add_pair(comm, side_of(comm, collective->group, from), side_of(comm, collective->group, to), 1, bytes);
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
        add_size(comm, team->count - 1, bytes);
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
        add_size(comm, others, bytes);
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
                    add_pair(comm, side_of(comm, team->group, from), side_of(comm, team->group, to),
                             team->messages[from], team->bytes[from]);
    }
}

static void release_teams(struct quipu__comm *comm) {
    for (size_t i = 0; i < comm->teams.count; i++)
        free_team(comm, &comm->teams.items[i]);
    QUIPU__VEC_RELEASE(&comm->memory, &comm->teams);
    QUIPU__VEC_RELEASE(&comm->memory, &comm->to_all);
    quipu__map_release(&comm->team_of);
    quipu__map_release(&comm->to_all_of);
}

/* ---- All ---- */

/* Counts what a collective operation transfers; context is the comm. */
static void add_collective(void *context, const struct quipu__collective *collective) {
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

/* ==== Messages ==== */

static void add_matched(void *context, const struct quipu__message_end *send,
                        const struct quipu__message_end *receive) {
    const uint64_t bytes = send->bytes == QUIPU_UNKNOWN ? 0 : send->bytes;
    if (!send->mark)
        return;
    const int64_t took = quipu__bounded_difference(receive->time, send->time);
    struct quipu__comm *comm = context;
    const struct quipu__message_key *key = &comm->communication.messages.keys.items[send->key_number].key;
    struct quipu__comm_pair *pair =
        pair_of(comm, side_of_end(comm, key->sender), side_of_end(comm, key->receiver));
    add_size(comm, 1, bytes);
    pair->messages++;
    pair->bytes += bytes;
    pair->least = pair->timed == 0 || took < pair->least ? took : pair->least;
    pair->most = pair->timed == 0 || took > pair->most ? took : pair->most;
    pair->total = quipu__bounded_sum(pair->total, took);
    pair->timed++;
}

/* ---- Conditions ---- */

static uint32_t is_chosen(const struct quipu__comm *comm) {
    return quipu__end_is_chosen(comm->where, &comm->communication, comm->batch, comm->event);
}

static uint32_t mark_end(void *context, struct quipu__message_end *end) {
    return end->is_send && is_chosen(context);
}

static uint32_t mark_side(void *context, const struct quipu__collective *collective, uint32_t side) {
    (void)collective;
    (void)side;
    return is_chosen(context);
}

/* Messages are counted when they are sent, members of collective operations when they begin them. */
#define COUNTED (QUIPU_KIND_BIT(QUIPU_KIND_send) | QUIPU_KIND_BIT(QUIPU_KIND_collective_begin))

static enum quipu_status set_where(struct quipu__comm *comm, const char *text, struct quipu_error *err) {
    return quipu__where_of_ends(
        &comm->memory, text, comm->definitions, COUNTED,
        "comm counts a message when it is sent, before the duration of its call is known",
        "comm counts sends and members of collective operations, and this is true for none", &comm->where, err);
}

/* ---- The fold ---- */

static enum quipu_status begin(const struct quipu__fold_start *start, void **state, struct quipu_error *err) {
    struct quipu__comm *comm = quipu__fold_state(start, sizeof *comm, state);
    if (!comm)
        return quipu__no_memory(err, sizeof *comm);
    comm->definitions = start->definitions;
    comm->by_node = strcmp(quipu__settings_value(&start->settings, "by"), "node") == 0;
    comm->has_collectives = quipu__settings_say_yes(&start->settings, "collectives");
    comm->shows_models = quipu__settings_say_yes(&start->settings, "patterns");
    quipu__map_init(&comm->pair_of, &comm->memory);
    quipu__map_init(&comm->team_of, &comm->memory);
    quipu__map_init(&comm->to_all_of, &comm->memory);
    quipu__hosts_init(&comm->hosts, &comm->memory, start->definitions);
    comm->others = (struct quipu__comm_pair){.sender = QUIPU_NONE, .receiver = QUIPU_NONE};
    const struct quipu__communication_listener listener = {.context = comm,
                                                           .end = mark_end,
                                                           .matched = add_matched,
                                                           .collective_begins = mark_side,
                                                           .collective = add_collective};
    return quipu__communication_init(&comm->communication, &comm->memory, start->definitions, &listener)
               ? set_where(comm, quipu__settings_value(&start->settings, "where"), err)
               : quipu__no_memory(err, sizeof *comm);
}

static enum quipu_status consume(void *state, const struct quipu_batch *batch, struct quipu_error *err) {
    struct quipu__comm *comm = state;
    bool has_memory = comm->where || quipu__communication_add_batch(&comm->communication, batch);
    comm->batch = batch;
    for (comm->event = 0; comm->where && comm->event < batch->count && has_memory; comm->event++)
        has_memory = quipu__communication_add(&comm->communication, batch, comm->event);
    return has_memory ? quipu__memory_status(&comm->memory, err) : quipu__no_memory(err, comm->memory.used);
}

/* Expressions may ask for attributes. */
static void select(const struct quipu__settings *settings, const struct quipu_definitions *definitions,
                   struct quipu_selection *selection) {
    (void)definitions;
    selection->without_attributes = !quipu__settings_value(settings, "where");
}

static void release(void *state) {
    struct quipu__comm *comm = state;
    quipu__communication_release(&comm->communication);
    quipu__where_free(comm->where);
    quipu__map_release(&comm->pair_of);
    release_teams(comm);
    quipu__hosts_release(&comm->hosts);
    QUIPU__VEC_RELEASE(&comm->memory, &comm->pairs);
    quipu__fold_state_release(comm, sizeof *comm);
}

static const struct quipu_option options[] = {
    {.name = "by",
     .kind = QUIPU_OPTION_CHOICE,
     .argument = "process|node",
     .default_value = "process",
     .doc = "a row per pair of processes, or of nodes"},
    {.name = "collectives",
     .kind = QUIPU_OPTION_FLAG,
     .argument = "",
     .doc = "also count what complete collective operations transfer, as messages between their members"},
    {.name = "patterns",
     .kind = QUIPU_OPTION_FLAG,
     .argument = "",
     .doc = "show how well each known pattern fits"},
    {.name = "dot",
     .kind = QUIPU_OPTION_FLAG,
     .argument = "",
     .doc = "print the pairs as a graph in DOT, which Graphviz draws: lines are the wider the more bytes there "
            "are"},
    {.name = "where",
     .kind = QUIPU_OPTION_TEXT,
     .argument = "EXPRESSION",
     .letter = 'w',
     .doc = "only messages for whose send this is true, such as 'bytes > 1M && rank in 0-7': see \"quipu help "
            "where\""},
};

const struct quipu__fold quipu__comm_fold = {
    .info =
        {.name = "comm",
         .doc = "show who communicates with whom",
         .details =
             "Matches sends with receives and shows in tables the pattern that they make, a heat map of the "
             "bytes, "
             "the lengths of messages, and messages and bytes of each pair of processes; a thread that is a "
             "member "
             "of a communicator counts as one. The time of a message is "
             "that of its receive event minus that of its send event; clocks that differ make it negative.\n\n"
             "The pattern is the best of those that such a number of processes can have: ring, ring-both-ways, "
             "chain, stencil-1d to stencil-3d, transpose, tree, butterfly, master-worker, all-to-all. Its fit "
             "is "
             "the number of pairs that trace and pattern share, divided by that of the pairs that either has; "
             "below 0.8 the pattern is called irregular.\n\n"
             "Rows of pairs are sorted by bytes, then messages. What a member of a collective operation of "
             "more than 1024 sends to each other "
             "one is a row without a receiver, which is in neither pattern nor heat map.\n\n"
             "All messages are matched, and those that --where selects are counted; of collective operations, "
             "what "
             "members transfer for whose beginning the expression is true. It cannot ask for durations, and "
             "one that is true for "
             "no send and no such beginning is refused.",
         .examples = "quipu comm run.trace # pattern, heat map, sizes and pairs\n"
                     "quipu comm run.trace --by node --collectives # what crosses the network\n"
                     "quipu comm run.trace --where 'bytes > 1M' # who sends the large messages\n"
                     "quipu comm run.trace --json | jq '.tables[0].rows' # the pattern",
         .options = options,
         .option_count = sizeof options / sizeof *options,
         .tables = quipu__comm_tables,
         .table_count = QUIPU__COMM_TABLES,
         .empty_answer = "no message was sent and received",
         .needs_everything = true},
    .kinds = QUIPU__COMMUNICATION_KINDS,
    .order = QUIPU_ORDER_WINDOWS,
    .select = select,
    .begin = begin,
    .consume = consume,
    .finish = quipu__comm_finish,
    .release = release,
};
