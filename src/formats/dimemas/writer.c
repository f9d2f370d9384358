/* writer.c: the trace of Dimemas: see README.md. Each action of a location is a line. */
#include "core/error.h"
#include "formats/program.h"

#include <inttypes.h>

/* How a send or receive is done. */
enum { SEND_WITHIN_CALL = 0, SEND_BLOCKING = 1, SEND_IMMEDIATE = 2 };
enum { RECEIVE_BLOCKING = 0, RECEIVE_POSTED = 1, RECEIVE_AWAITED = 2 };

/* Communicators: all processes are the first, those of the trace have their numbers behind it. */
enum { ALL_PROCESSES = 1, FIRST_GROUP = 2, NO_OPERATION = -1, SYNCHRONOUS = 1 };

static bool is_communicator(const struct quipu__program *program, uint32_t group) {
    const struct quipu_groups *groups = &program->definitions->groups;
    return group < groups->count && groups->items[group].is_communicator &&
           groups->items[group].remote_member_count == 0;
}

static uint32_t communicator_of(const struct quipu__program *program, uint32_t group) {
    return is_communicator(program, group) ? group + FIRST_GROUP : ALL_PROCESSES;
}

static uint32_t rank_of(const struct quipu__program *program, uint32_t location) {
    return location < program->locations.count ? program->locations.items[location].rank : QUIPU_NONE;
}

/* ---- The head ---- */

static uint32_t count_communicators(const struct quipu__program *program) {
    uint32_t count = 1;
    for (uint32_t i = 0; i < program->definitions->groups.count; i++)
        count += is_communicator(program, i);
    return count;
}

static void put_head(struct quipu__program *program) {
    struct quipu__buffer *out = &program->out;
    quipu__put_format(out, "#DIMEMAS:\"quipu\":0:%zu(", program->ranks.count);
    for (size_t i = 0; i < program->ranks.count; i++) {
        uint32_t threads = 0;
        for (uint32_t k = program->ranks.items[i]; k != QUIPU_NONE; k = program->locations.items[k].next)
            threads++;
        quipu__put_format(out, "%s%" PRIu32, i > 0 ? "," : "", threads);
    }
    quipu__put_format(out, "),%" PRIu32 ",0,0\n", count_communicators(program));
}

/* Several members in one process, its threads, are one there. */
static void put_communicator(struct quipu__program *program, uint32_t number, const uint32_t *members,
                             uint32_t count) {
    struct quipu__buffer *out = &program->out;
    quipu__put_format(out, "d:1:%" PRIu32 ":%" PRIu32, number, count);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t rank = rank_of(program, members[i]);
        quipu__put_format(out, ":%" PRIu32, rank == QUIPU_NONE ? 0 : rank);
    }
    quipu__put_text(out, "\n");
}

static void put_communicators(struct quipu__program *program) {
    const struct quipu_groups *groups = &program->definitions->groups;
    put_communicator(program, ALL_PROCESSES, program->ranks.items, (uint32_t)program->ranks.count);
    for (uint32_t i = 0; i < groups->count; i++)
        if (is_communicator(program, i))
            put_communicator(program, i + FIRST_GROUP, groups->items[i].members, groups->items[i].member_count);
}

/* ---- Lines ---- */

struct author {
    struct quipu__program *program;
    uint32_t rank, thread;
};

static void begin_line(const struct author *author, unsigned kind) {
    quipu__put_format(&author->program->out, "%u:%" PRIu32 ":%" PRIu32, kind, author->rank, author->thread);
}

static void compute(const struct author *author, uint64_t ns) {
    enum { NS = 1000000000 };
    begin_line(author, 1);
    quipu__put_format(&author->program->out, ":%" PRIu64 ".%09" PRIu64 "\n", ns / NS, ns % NS);
}

static void communicate(const struct author *author, const struct quipu__action *action, unsigned mode) {
    const struct quipu__message_key *key =
        &author->program->communication.messages.keys.items[action->object].key;
    begin_line(author, action->kind == QUIPU__ACTION_SEND ? 2 : 3);
    quipu__put_format(&author->program->out, ":%" PRIu32 ":-1:%" PRIu64 ":%" PRId64 ":%" PRIu32 ":%u\n",
                      action->peer, action->amount, key->tag,
                      communicator_of(author->program, key->communicator), mode);
}

/* A send that the end of its call waits for is one that its call does not wait for; one with a request is immediate. */
static unsigned send_mode(const struct quipu__program_location *location, const struct quipu__action *action) {
    if (!action->is_free)
        return SEND_BLOCKING;
    const size_t next = (size_t)(action - location->actions.items) + 1;
    const bool is_within = next < location->actions.count &&
                           location->actions.items[next].kind == QUIPU__ACTION_RECEIVE &&
                           !location->actions.items[next].is_free;
    return is_within ? SEND_WITHIN_CALL : SEND_IMMEDIATE;
}

/* Numbers of Dimemas, counted from 1; directions and what others call an operation have none. */
static int number_of(uint32_t operation) {
    static const uint8_t numbers[QUIPU_COLLECTIVE_COUNT] = {
        [QUIPU_COLLECTIVE_BARRIER] = 1,         [QUIPU_COLLECTIVE_BCAST] = 2,
        [QUIPU_COLLECTIVE_GATHER] = 3,          [QUIPU_COLLECTIVE_GATHERV] = 4,
        [QUIPU_COLLECTIVE_SCATTER] = 5,         [QUIPU_COLLECTIVE_SCATTERV] = 6,
        [QUIPU_COLLECTIVE_ALLGATHER] = 7,       [QUIPU_COLLECTIVE_ALLGATHERV] = 8,
        [QUIPU_COLLECTIVE_ALLTOALL] = 9,        [QUIPU_COLLECTIVE_ALLTOALLV] = 10,
        [QUIPU_COLLECTIVE_REDUCE] = 11,         [QUIPU_COLLECTIVE_ALLREDUCE] = 12,
        [QUIPU_COLLECTIVE_REDUCE_SCATTER] = 13, [QUIPU_COLLECTIVE_SCAN] = 15,
        [QUIPU_COLLECTIVE_EXSCAN] = 15,         [QUIPU_COLLECTIVE_ALLTOALLW] = 16};
    return operation < QUIPU_COLLECTIVE_COUNT ? numbers[operation] - 1 : NO_OPERATION;
}

static void put_collective(const struct author *author, const struct quipu__action *action) {
    const struct quipu__program_collective *collective = &author->program->collectives.items[action->object];
    begin_line(author, 10);
    quipu__put_format(&author->program->out, ":%d:%" PRIu32 ":%d:0:%" PRIu64 ":%" PRIu64 ":%d\n",
                      number_of(collective->operation), communicator_of(author->program, collective->group),
                      collective->root == author->rank, action->amount == QUIPU_UNKNOWN ? 0 : action->amount,
                      action->received == QUIPU_UNKNOWN ? 0 : action->received, SYNCHRONOUS);
}

static bool has_form(const struct quipu__program *program, const struct quipu__program_collective *collective) {
    uint32_t count;
    const uint32_t *members = quipu__program_members(program, collective->group, &count);
    for (uint32_t i = 0; i < count; i++)
        if (rank_of(program, members[i]) == QUIPU_NONE)
            return false;
    return number_of(collective->operation) != NO_OPERATION;
}

/* Waiting for a send has no line. */
static void put_action(const struct author *author, const struct quipu__program_location *location,
                       const struct quipu__action *action) {
    const struct quipu__action *awaited;
    switch (action->kind) {
    case QUIPU__ACTION_COMPUTE:
        compute(author, action->amount);
        break;
    case QUIPU__ACTION_SEND:
        communicate(author, action, send_mode(location, action));
        break;
    case QUIPU__ACTION_RECEIVE:
        communicate(author, action, action->is_free ? RECEIVE_POSTED : RECEIVE_BLOCKING);
        break;
    case QUIPU__ACTION_WAIT:
        awaited = &location->actions.items[action->amount];
        if (awaited->kind == QUIPU__ACTION_RECEIVE)
            communicate(author, awaited, RECEIVE_AWAITED);
        break;
    case QUIPU__ACTION_COLLECTIVE:
        put_collective(author, action);
        break;
    default:
        break;
    }
}

/* ---- All of it ---- */

/* Each thread begins with computing, until its first event. */
static enum quipu_status put_location(struct quipu__program *program, uint32_t number,
                                      struct quipu_error *err) {
    const struct quipu__program_location *location = &program->locations.items[number];
    const struct author author = {program, location->rank, location->thread};
    enum quipu_status status = QUIPU_OK;
    compute(&author, location->has_events ? (uint64_t)location->first - (uint64_t)program->origin : 0);
    for (size_t i = 0; i < location->actions.count && status == QUIPU_OK; i++) {
        put_action(&author, location, &location->actions.items[i]);
        status = quipu__program_flush(program, err);
    }
    return status;
}

static enum quipu_status print(struct quipu__program *program, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    put_head(program);
    put_communicators(program);
    for (size_t i = 0; i < program->ranks.count && status == QUIPU_OK; i++)
        for (uint32_t k = program->ranks.items[i]; k != QUIPU_NONE && status == QUIPU_OK;
             k = program->locations.items[k].next)
            status = put_location(program, k, err);
    return status;
}

static const struct quipu__program_target target = {
    .has_form = has_form, .has_collectives = true, .print = print};

const struct quipu__format quipu__dimemas_format = {
    .info = {.name = "dimemas",
             .title = "Dimemas, the simulator of the Barcelona Supercomputing Center",
             .suffixes = ".dim",
             .abilities = QUIPU_CAN_WRITE | QUIPU_IS_ONE_FILE},
    .writing = &quipu__program_writing,
    .program_target = &target,
};
