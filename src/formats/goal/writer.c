/* writer.c: a schedule in GOAL, the language of LogGOPSim: see README.md.
 *
 * Each action of a location is an operation with a label of its own and depends on the one before it: "requires" when that has to be
 * complete, "irequires" when it has to have begun. Waiting for a request is no operation but a dependence of the next one.
 */
#include "core/error.h"
#include "formats/program.h"

#include <inttypes.h>

/* Numbers for tags that are none of the main communicator, and for its collective operations, begin above its tags. */
enum { COLLECTIVE_TAG = -2 };
#define FIRST_NUMBERED_TAG (UINT32_C(1) << 30)

struct goal {
    struct quipu__program *program;
    struct quipu__buffer *out;
    struct quipu__map tags; /* of communicator and tag: the number */
    uint32_t numbered_tags;
    uint32_t communicator; /* whose tags are written as they are */

    /* Of the location at hand. */
    uint32_t thread;
    uint32_t label, previous; /* the last label of its rank; of the last operation of its own, 0: none */
    bool is_previous_free;
    QUIPU__VEC(uint32_t) waits; /* labels that the next operation requires */
};

/* ---- Tags ---- */

static uint32_t member_count(const struct quipu__program *program, uint32_t group) {
    uint32_t count;
    quipu__program_members(program, group, &count);
    return count;
}

/* The one of most members that has messages, the first of them. */
static void choose_communicator(struct goal *goal) {
    const struct quipu__matcher *matcher = &goal->program->communication.messages;
    for (size_t i = 0; i < matcher->keys.count; i++) {
        const uint32_t group = matcher->keys.items[i].key.communicator;
        if (i == 0 || member_count(goal->program, group) > member_count(goal->program, goal->communicator))
            goal->communicator = group;
    }
}

static uint32_t tag_of(struct goal *goal, uint32_t group, int64_t tag) {
    const uint64_t words[] = {group, (uint64_t)tag}, key = quipu__hash(words, sizeof words, goal->tags.seed);
    if (group == goal->communicator && tag >= 0 && tag < (int64_t)FIRST_NUMBERED_TAG)
        return (uint32_t)tag;
    const uint32_t known = quipu__map_get(&goal->tags, key), number = FIRST_NUMBERED_TAG + goal->numbered_tags;
    if (known != QUIPU_NONE)
        return known;
    goal->numbered_tags++;
    goal->out->failed |= !quipu__map_put(&goal->tags, key, number);
    return number;
}

/* ---- Operations ---- */

static void put_dependence(struct goal *goal, const char *kind, uint32_t label) {
    quipu__put_format(goal->out, "l%" PRIu32 " %s l%" PRIu32 "\n", goal->label, kind, label);
}

static void begin_operation(struct goal *goal) {
    quipu__put_format(goal->out, "l%" PRIu32 ": ", ++goal->label);
}

/* What it depends on follows. */
static void end_operation(struct goal *goal, bool is_free) {
    bool is_required = goal->previous == 0;
    quipu__put_text(goal->out, "\n");
    for (size_t i = 0; i < goal->waits.count; i++) {
        put_dependence(goal, "requires", goal->waits.items[i]);
        is_required |= goal->waits.items[i] == goal->previous;
    }
    if (!is_required)
        put_dependence(goal, goal->is_previous_free ? "irequires" : "requires", goal->previous);
    goal->waits.count = 0;
    goal->previous = goal->label;
    goal->is_previous_free = is_free;
}

static void compute(struct goal *goal, uint64_t ns) {
    begin_operation(goal);
    quipu__put_format(goal->out, "calc %" PRIu64, ns);
    if (goal->thread > 0)
        quipu__put_format(goal->out, " cpu %" PRIu32, goal->thread);
    end_operation(goal, false);
}

static void communicate(struct goal *goal, bool is_send, uint32_t peer, uint64_t bytes, uint32_t tag,
                        bool is_free) {
    begin_operation(goal);
    quipu__put_format(goal->out, "%s %" PRIu64 "b %s %" PRIu32 " tag %" PRIu32, is_send ? "send" : "recv",
                      bytes, is_send ? "to" : "from", peer, tag);
    if (goal->thread > 0)
        quipu__put_format(goal->out, " cpu %" PRIu32, goal->thread);
    end_operation(goal, is_free);
}

static void wait_for(struct goal *goal, uint32_t label) {
    uint32_t *wait = QUIPU__VEC_ADD(goal->program->memory, &goal->waits);
    goal->out->failed |= !wait;
    if (wait)
        *wait = label;
}

/* ---- Collective operations as messages ---- */

/* What a member does in it. */
struct side {
    struct goal *goal;
    const uint32_t *members;
    uint32_t count, index, root, tag;
    uint64_t bytes;
};

static uint32_t rank_of(const struct side *side, uint32_t member) {
    return side->goal->program->locations.items[side->members[member]].rank;
}

/* What follows does not wait for it unless that is asked for. */
static void send_to(const struct side *side, uint32_t member, uint64_t bytes) {
    communicate(side->goal, true, rank_of(side, member), bytes > 0 ? bytes : 1, side->tag, true);
}

static void send_and_wait(const struct side *side, uint32_t member, uint64_t bytes) {
    send_to(side, member, bytes);
    wait_for(side->goal, side->goal->label);
}

static void receive_from(const struct side *side, uint32_t member, uint64_t bytes) {
    communicate(side->goal, false, rank_of(side, member), bytes > 0 ? bytes : 1, side->tag, false);
}

/* Sending and receiving at the same time: what follows waits for both. */
static void exchange(const struct side *side, uint32_t to, uint32_t from, uint64_t bytes) {
    send_to(side, to, bytes);
    const uint32_t sent = side->goal->label;
    receive_from(side, from, bytes);
    wait_for(side->goal, sent);
}

/* Member i sends to i + d, d = 1, 2, 4 …; where all collect what all have, they pass on the chunks of d. */
static void disseminate(const struct side *side, bool collects) {
    for (uint64_t d = 1; d < side->count; d *= 2) {
        const uint64_t others = side->count - d, most = d < others ? d : others, chunks = collects ? most : 1;
        exchange(side, (uint32_t)((side->index + d) % side->count),
                 (uint32_t)((side->index + side->count - d) % side->count), side->bytes * chunks);
    }
}

static void exchange_with_all(const struct side *side) {
    for (uint32_t d = 1; d < side->count; d++)
        exchange(side, (uint32_t)(((uint64_t)side->index + d) % side->count),
                 (uint32_t)(((uint64_t)side->index + side->count - d) % side->count), side->bytes);
}

/* Those before send to those behind them. */
static void pass_on(const struct side *side) {
    for (uint64_t d = 1; d < side->count; d *= 2) {
        if (side->index + d < side->count)
            send_and_wait(side, (uint32_t)(side->index + d), side->bytes);
        if (side->index >= d)
            receive_from(side, (uint32_t)(side->index - d), side->bytes);
    }
}

/* The binomial tree whose root is the operation's: members count from there. */
static uint32_t in_tree(const struct side *side, uint64_t position) {
    return (uint32_t)((position + side->root) % side->count);
}

static void spread(const struct side *side) {
    const uint64_t position = ((uint64_t)side->index + side->count - side->root) % side->count;
    uint64_t d = 1;
    while (d < side->count && (position & d) == 0)
        d *= 2;
    if (d < side->count)
        receive_from(side, in_tree(side, position - d), side->bytes);
    for (d /= 2; d > 0; d /= 2)
        if (position + d < side->count)
            send_and_wait(side, in_tree(side, position + d), side->bytes);
}

static void collect(const struct side *side) {
    const uint64_t position = ((uint64_t)side->index + side->count - side->root) % side->count;
    uint64_t d = 1;
    for (; d < side->count && (position & d) == 0; d *= 2)
        if (position + d < side->count)
            receive_from(side, in_tree(side, position + d), side->bytes);
    if (d < side->count)
        send_and_wait(side, in_tree(side, position - d), side->bytes);
}

enum pattern { NO_PATTERN, BARRIER, SPREAD, COLLECT, ALL, ALL_COLLECT, EXCHANGE, PASS_ON };

static enum pattern pattern_of(uint32_t operation) {
    static const uint8_t patterns[QUIPU_COLLECTIVE_COUNT] = {
        [QUIPU_COLLECTIVE_BARRIER] = BARRIER,        [QUIPU_COLLECTIVE_BCAST] = SPREAD,
        [QUIPU_COLLECTIVE_SCATTER] = SPREAD,         [QUIPU_COLLECTIVE_SCATTERV] = SPREAD,
        [QUIPU_COLLECTIVE_ONE_TO_ALL] = SPREAD,      [QUIPU_COLLECTIVE_REDUCE] = COLLECT,
        [QUIPU_COLLECTIVE_GATHER] = COLLECT,         [QUIPU_COLLECTIVE_GATHERV] = COLLECT,
        [QUIPU_COLLECTIVE_ALL_TO_ONE] = COLLECT,     [QUIPU_COLLECTIVE_ALLREDUCE] = ALL,
        [QUIPU_COLLECTIVE_REDUCE_SCATTER] = ALL,     [QUIPU_COLLECTIVE_ALLGATHER] = ALL_COLLECT,
        [QUIPU_COLLECTIVE_ALLGATHERV] = ALL_COLLECT, [QUIPU_COLLECTIVE_ALLTOALL] = EXCHANGE,
        [QUIPU_COLLECTIVE_ALLTOALLV] = EXCHANGE,     [QUIPU_COLLECTIVE_ALLTOALLW] = EXCHANGE,
        [QUIPU_COLLECTIVE_ALL_TO_ALL] = EXCHANGE,    [QUIPU_COLLECTIVE_SCAN] = PASS_ON,
        [QUIPU_COLLECTIVE_EXSCAN] = PASS_ON};
    return operation < QUIPU_COLLECTIVE_COUNT ? (enum pattern)patterns[operation] : NO_PATTERN;
}

/* The bytes of a message: all members say the same. */
static uint64_t bytes_of(const struct quipu__program_collective *collective, uint32_t count) {
    switch (pattern_of(collective->operation)) {
    case SPREAD:
        return collective->received > 0 ? collective->received : collective->root_sent;
    case ALL_COLLECT:
        return collective->total / count;
    case EXCHANGE:
        return collective->total / count / count;
    case BARRIER:
        return 0;
    default:
        return collective->sent > 0 ? collective->sent : collective->received;
    }
}

static uint32_t index_of(struct goal *goal, uint32_t group, uint32_t location) {
    struct quipu__program *program = goal->program;
    const uint32_t rank = program->locations.items[location].rank, process = program->ranks.items[rank];
    if (group >= program->definitions->groups.count)
        return rank;
    const uint32_t own = quipu__ends_member(&program->communication.messages.locations, group, location);
    return own != QUIPU_NONE ? own
                             : quipu__ends_member(&program->communication.messages.locations, group, process);
}

static void put_collective(struct goal *goal, uint32_t location,
                           const struct quipu__program_collective *collective) {
    const struct quipu__program *program = goal->program;
    struct side side = {.goal = goal, .index = index_of(goal, collective->group, location)};
    side.members = quipu__program_members(program, collective->group, &side.count);
    if (side.index >= side.count)
        return;
    side.bytes = bytes_of(collective, side.count);
    side.tag = tag_of(goal, collective->group, COLLECTIVE_TAG);
    if (collective->root != QUIPU_NONE)
        side.root = index_of(goal, collective->group, program->ranks.items[collective->root]);
    side.root = side.root < side.count ? side.root : 0;
    switch (pattern_of(collective->operation)) {
    case SPREAD:
        spread(&side);
        break;
    case COLLECT:
        collect(&side);
        break;
    case EXCHANGE:
        exchange_with_all(&side);
        break;
    case PASS_ON:
        pass_on(&side);
        break;
    default:
        disseminate(&side, pattern_of(collective->operation) == ALL_COLLECT);
        break;
    }
}

static bool has_form(const struct quipu__program *program, const struct quipu__program_collective *collective) {
    uint32_t count;
    const uint32_t *members = quipu__program_members(program, collective->group, &count);
    for (uint32_t i = 0; i < count; i++)
        if (members[i] >= program->locations.count || program->locations.items[members[i]].rank == QUIPU_NONE)
            return false;
    return pattern_of(collective->operation) != NO_PATTERN &&
           strcmp(quipu__settings_value(program->settings, "collectives"), "messages") == 0;
}

/* ---- All of it ---- */

static void put_action(struct goal *goal, uint32_t number, struct quipu__action *action) {
    struct quipu__program *program = goal->program;
    const struct quipu__action *awaited;
    switch (action->kind) {
    case QUIPU__ACTION_COMPUTE:
        compute(goal, action->amount);
        break;
    case QUIPU__ACTION_SEND:
    case QUIPU__ACTION_RECEIVE: {
        const struct quipu__message_key *key = &program->communication.messages.keys.items[action->object].key;
        communicate(goal, action->kind == QUIPU__ACTION_SEND, action->peer, action->amount,
                    tag_of(goal, key->communicator, key->tag), action->is_free);
        action->amount = goal->label; /* for who waits for it */
        break;
    }
    case QUIPU__ACTION_WAIT:
        awaited = &program->locations.items[number].actions.items[action->amount];
        if (awaited->kind != QUIPU__ACTION_NOTHING)
            wait_for(goal, (uint32_t)awaited->amount);
        break;
    case QUIPU__ACTION_COLLECTIVE:
        put_collective(goal, number, &program->collectives.items[action->object]);
        break;
    default:
        break;
    }
}

/* Locations begin when they do in the trace; at the end they wait for what is still under way. */
static enum quipu_status put_location(struct goal *goal, uint32_t number, struct quipu_error *err) {
    struct quipu__program *program = goal->program;
    struct quipu__program_location *location = &program->locations.items[number];
    enum quipu_status status = QUIPU_OK;
    goal->thread = location->thread;
    goal->previous = 0;
    goal->is_previous_free = false;
    if (location->has_events && location->first > program->origin)
        compute(goal, (uint64_t)location->first - (uint64_t)program->origin);
    for (size_t i = 0; i < location->actions.count && status == QUIPU_OK; i++) {
        put_action(goal, number, &location->actions.items[i]);
        status = quipu__program_flush(program, err);
    }
    if (goal->waits.count > 0)
        compute(goal, 0);
    return status;
}

static enum quipu_status put_ranks(struct goal *goal, struct quipu_error *err) {
    struct quipu__program *program = goal->program;
    enum quipu_status status = QUIPU_OK;
    quipu__put_format(goal->out, "num_ranks %zu\n", program->ranks.count);
    for (uint32_t rank = 0; rank < program->ranks.count && status == QUIPU_OK; rank++) {
        quipu__put_format(goal->out, "\nrank %" PRIu32 " {\n", rank);
        goal->label = 0;
        for (uint32_t i = program->ranks.items[rank]; i != QUIPU_NONE && status == QUIPU_OK;
             i = program->locations.items[i].next)
            status = put_location(goal, i, err);
        quipu__put_text(goal->out, "}\n");
    }
    return status;
}

static enum quipu_status print(struct quipu__program *program, struct quipu_error *err) {
    struct goal goal = {.program = program, .out = &program->out, .communicator = QUIPU_NONE};
    quipu__map_init(&goal.tags, program->memory);
    choose_communicator(&goal);
    const enum quipu_status status = put_ranks(&goal, err);
    quipu__map_release(&goal.tags);
    QUIPU__VEC_RELEASE(program->memory, &goal.waits);
    return status;
}

static const struct quipu__program_target target = {.least_bytes = 1, .has_form = has_form, .print = print};

static const struct quipu_option options[] = {
    {.name = "collectives",
     .kind = QUIPU_OPTION_CHOICE,
     .argument = "messages|none",
     .default_value = "messages",
     .doc = "write collective operations as the messages that they may consist of, or leave them out"}};

const struct quipu__format quipu__goal_format = {
    .info = {.name = "goal",
             .title = "GOAL, schedules for LogGOPSim",
             .suffixes = ".goal",
             .abilities = QUIPU_CAN_WRITE | QUIPU_IS_ONE_FILE,
             .options = options,
             .option_count = sizeof options / sizeof *options},
    .writing = &quipu__program_writing,
    .program_target = &target,
};
