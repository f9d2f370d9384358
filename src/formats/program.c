/* program.c: see program.h. */
#include "formats/program.h"

#include "core/bounded.h"
#include "core/error.h"
#include "model/event.h"

/* ---- Processes ---- */

static bool is_process(const struct quipu_definitions *definitions, uint32_t location) {
    return definitions->locations.items[location].kind == QUIPU_LOCATION_PROCESS;
}

/* Puts the processes in the order of ranks where each has its own of 0 and on; else they stay in the order of their definitions. */
static bool order_by_rank(struct quipu__program *program) {
    const size_t count = program->ranks.count, size = (count + 1) * sizeof(uint32_t);
    uint32_t *order = quipu__alloc(program->memory, size);
    if (!order)
        return false;
    memset(order, 0xff, size);
    bool is_ranked = true;
    for (size_t i = 0; i < count && is_ranked; i++) {
        const uint32_t location = program->ranks.items[i];
        const int64_t rank = program->definitions->locations.items[location].rank;
        is_ranked = rank >= 0 && (uint64_t)rank < count && order[rank] == QUIPU_NONE;
        if (is_ranked)
            order[rank] = location;
    }
    if (is_ranked && count > 0)
        memcpy(program->ranks.items, order, count * sizeof *order);
    quipu__release(program->memory, order, size);
    return true;
}

static bool list_processes(struct quipu__program *program) {
    const uint32_t count = program->definitions->locations.count;
    if (!QUIPU__VEC_RESERVE(program->memory, &program->locations, count))
        return false;
    program->locations.count = count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *process =
            is_process(program->definitions, i) ? QUIPU__VEC_ADD(program->memory, &program->ranks) : NULL;
        program->locations.items[i] =
            (struct quipu__program_location){.rank = QUIPU_NONE, .next = QUIPU_NONE, .call_first = QUIPU_NONE};
        if (process)
            *process = i;
        else if (is_process(program->definitions, i))
            return false;
    }
    return order_by_rank(program);
}

/* The process is thread 0, the others follow in the order of their definitions. */
static bool number_processes(struct quipu__program *program) {
    if (!list_processes(program))
        return false;
    for (uint32_t i = 0; i < program->ranks.count; i++)
        program->locations.items[program->ranks.items[i]].rank = i;
    for (uint32_t i = (uint32_t)program->locations.count; i-- > 0;) {
        struct quipu__program_location *location = &program->locations.items[i],
                                       *process = &program->locations
                                                       .items[quipu__process_of(program->definitions, i)];
        if (process->rank == QUIPU_NONE || process == location)
            continue;
        location->rank = process->rank;
        location->next = process->next;
        process->next = i;
    }
    for (size_t i = 0; i < program->ranks.count; i++) {
        uint32_t thread = 0;
        for (uint32_t k = program->ranks.items[i]; k != QUIPU_NONE; k = program->locations.items[k].next)
            program->locations.items[k].thread = thread++;
    }
    return true;
}

/* NULL for what does nothing in the program. */
static struct quipu__program_location *location_at(struct quipu__program *program, uint32_t location) {
    struct quipu__program_location *known =
        location < program->locations.count ? &program->locations.items[location] : NULL;
    return known && known->rank != QUIPU_NONE ? known : NULL;
}

static uint32_t rank_of(struct quipu__program *program, uint32_t location) {
    const struct quipu__program_location *known = location_at(program, location);
    return known ? known->rank : QUIPU_NONE;
}

/* ---- Actions ---- */

/* Computing between two actions becomes an action of its own. */
static bool put_burst(struct quipu__program *program, struct quipu__program_location *location) {
    if (location->burst == 0)
        return true;
    if (!QUIPU__VEC_PUT(
            program->memory, &location->actions,
            (struct quipu__action){.kind = QUIPU__ACTION_COMPUTE, .amount = (uint64_t)location->burst}))
        return false;
    location->burst = 0;
    return true;
}

static bool put_action(struct quipu__program *program, struct quipu__program_location *location,
                       struct quipu__action what) {
    return put_burst(program, location) && QUIPU__VEC_PUT(program->memory, &location->actions, what);
}

/* ---- Calls ---- */

static void step(void *context, uint32_t number, uint32_t path, int64_t from, int64_t to) {
    struct quipu__program *program = context;
    struct quipu__program_location *location = location_at(program, number);
    (void)path;
    if (location)
        location->burst = quipu__bounded_sum(location->burst, quipu__bounded_difference(to, from));
}

static void enter_call(void *context, uint32_t number, uint32_t path, int64_t time) {
    struct quipu__program *program = context;
    struct quipu__program_location *location = location_at(program, number);
    (void)path, (void)time;
    if (location && put_burst(program, location))
        location->call_first = (uint32_t)location->actions.count;
}

/* A send that blocks does not hold up what its own call does behind it, as MPI_Sendrecv does; the end of the call waits for it. */
static void leave_call(void *context, uint32_t number, uint32_t path, int64_t time) {
    struct quipu__program *program = context;
    struct quipu__program_location *location = location_at(program, number);
    (void)path, (void)time;
    if (!location || location->call_first == QUIPU_NONE)
        return;
    const size_t count = location->actions.count;
    for (size_t i = location->call_first; i + 1 < count; i++) {
        struct quipu__action *action = &location->actions.items[i];
        if (action->kind != QUIPU__ACTION_SEND || action->is_free)
            continue;
        action->is_free = true;
        if (!put_action(program, location, (struct quipu__action){.kind = QUIPU__ACTION_WAIT, .amount = i}))
            break; /* the gate knows */
    }
    location->call_first = QUIPU_NONE;
}

/* ---- Messages ---- */

static uint64_t request_key(const struct quipu__program *program, uint32_t location, uint64_t request,
                            bool is_send) {
    const uint64_t words[] = {location * UINT64_C(2) + is_send, request};
    return quipu__hash(words, sizeof words, program->requests.seed);
}

/* An action that others wait for. */
static bool put_request(struct quipu__program *program, uint32_t number, uint64_t request,
                        struct quipu__action action) {
    struct quipu__program_location *location = &program->locations.items[number];
    action.is_free = true;
    return put_action(program, location, action) &&
           quipu__map_put(&program->requests,
                          request_key(program, number, request, action.kind == QUIPU__ACTION_SEND),
                          (uint32_t)(location->actions.count - 1));
}

/* The action of a request, which is forgotten; NULL: there is none of that kind. */
static struct quipu__action *take_request(struct quipu__program *program, uint32_t number, uint64_t request,
                                          enum quipu__action_kind kind, uint32_t *out) {
    const uint64_t key = request_key(program, number, request, kind == QUIPU__ACTION_SEND);
    const struct quipu__program_location *location = &program->locations.items[number];
    *out = quipu__map_get(&program->requests, key);
    if (*out >= location->actions.count || location->actions.items[*out].kind != (uint8_t)kind)
        return NULL;
    quipu__map_remove(&program->requests, key);
    return &location->actions.items[*out];
}

/* The action of a send or receive; false when it is no part of the program: its other end is not known. */
static bool message_of(struct quipu__program *program, const struct quipu_batch *batch, uint32_t event,
                       struct quipu__action *out) {
    const bool is_send = batch->kind[event] == QUIPU_KIND_send;
    struct quipu__matcher *matcher = &program->communication.messages;
    struct quipu__message_key key;
    if (!quipu__matcher_key_of(matcher, batch, event, &key) || !quipu__message_key_is_exact(&key))
        return false;
    const uint32_t number = quipu__matcher_number_of(matcher, &key);
    const uint64_t bytes = batch->bytes[event];
    *out = (struct quipu__action){.kind = is_send ? QUIPU__ACTION_SEND : QUIPU__ACTION_RECEIVE,
                                  .amount = bytes == QUIPU_UNKNOWN ? 0 : bytes,
                                  .object = number,
                                  .peer = rank_of(program, is_send ? key.receiver : key.sender)};
    if (number == QUIPU_NONE || out->peer == QUIPU_NONE)
        return false;
    if (out->amount < program->target->least_bytes) {
        out->amount = program->target->least_bytes;
        program->approximated[batch->kind[event]]++;
    }
    return true;
}

static bool put_send(struct quipu__program *program, const struct quipu_batch *batch, uint32_t event) {
    const uint32_t number = batch->location[event];
    struct quipu__action action;
    if (!message_of(program, batch, event, &action)) {
        program->dropped[QUIPU_KIND_send]++;
        return true;
    }
    program->communication.messages.keys.items[action.object].sent++;
    return batch->id[event] == QUIPU_UNKNOWN ? put_action(program, &program->locations.items[number], action)
                                             : put_request(program, number, batch->id[event], action);
}

/* A receive that was posted has its position there, and what it gets is known only now. */
static bool put_receive(struct quipu__program *program, const struct quipu_batch *batch, uint32_t event) {
    const uint32_t number = batch->location[event];
    struct quipu__program_location *location = &program->locations.items[number];
    struct quipu__action action;
    uint32_t position = 0;
    struct quipu__action *post =
        batch->id[event] == QUIPU_UNKNOWN
            ? NULL
            : take_request(program, number, batch->id[event], QUIPU__ACTION_POST, &position);
    if (!message_of(program, batch, event, &action)) {
        program->dropped[QUIPU_KIND_recv]++;
        return true;
    }
    program->communication.messages.keys.items[action.object].received++;
    if (!post)
        return put_action(program, location, action);
    action.is_free = true;
    *post = action;
    return put_action(program, location,
                      (struct quipu__action){.kind = QUIPU__ACTION_WAIT, .amount = position});
}

static bool complete_send(struct quipu__program *program, uint32_t number, uint64_t request) {
    uint32_t position;
    return !take_request(program, number, request, QUIPU__ACTION_SEND, &position) ||
           put_action(program, &program->locations.items[number],
                      (struct quipu__action){.kind = QUIPU__ACTION_WAIT, .amount = position});
}

/* ---- Collective operations ---- */

static uint64_t key_of(const struct quipu__map *map, uint64_t first, uint64_t second, uint64_t third) {
    const uint64_t words[] = {first, second, third};
    return quipu__hash(words, sizeof words, map->seed);
}

/* The operation that a process begins now: the next one of its communicator. QUIPU_NONE when memory is out. */
static uint32_t instance_of(struct quipu__program *program, uint32_t group, uint32_t end) {
    const uint64_t mine = key_of(&program->counts, group, end, 0);
    const uint32_t known = quipu__map_get(&program->counts, mine), count = known == QUIPU_NONE ? 0 : known;
    const uint64_t key = key_of(&program->instances, group, count, 0);
    const uint32_t number = quipu__map_get(&program->instances, key);
    if (!quipu__map_put(&program->counts, mine, count + 1))
        return QUIPU_NONE;
    if (number != QUIPU_NONE)
        return number;
    struct quipu__program_collective *added = QUIPU__VEC_ADD(program->memory, &program->collectives);
    const uint32_t position = (uint32_t)(program->collectives.count - 1);
    if (!added || !quipu__map_put(&program->instances, key, position))
        return QUIPU_NONE;
    *added = (struct quipu__program_collective){.group = group, .root = QUIPU_NONE};
    return position;
}

static uint64_t known_bytes(uint64_t bytes) {
    return bytes == QUIPU_UNKNOWN ? 0 : bytes;
}

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static void add_side(struct quipu__program *program, struct quipu__program_collective *collective,
                     const struct quipu_batch *batch, uint32_t event, uint32_t rank) {
    const uint64_t sent = known_bytes(batch->bytes[event]), received = known_bytes(batch->value[event]);
    const uint32_t root = rank_of(program, batch->peer[event]);
    collective->operation = batch->operation[event];
    collective->root = root == QUIPU_NONE ? collective->root : root;
    collective->total = collective->total + sent < sent ? UINT64_MAX : collective->total + sent;
    if (rank != collective->root) {
        collective->sent = larger(collective->sent, sent);
        collective->received = larger(collective->received, received);
    } else {
        collective->root_sent = sent;
    }
}

static bool begin_collective(struct quipu__program *program, const struct quipu_batch *batch, uint32_t event) {
    const uint32_t group = batch->group[event], location = batch->location[event];
    const uint32_t number = instance_of(program, group, program->locations.items[location].rank);
    if (number == QUIPU_NONE)
        return false;
    struct quipu__program_collective *collective = &program->collectives.items[number];
    add_side(program, collective, batch, event, program->locations.items[location].rank);
    collective->started++;
    return quipu__map_put(&program->active, key_of(&program->active, location, group, batch->id[event]),
                          number);
}

/* One that ends in another call than it began in has its position there. */
static bool end_collective(struct quipu__program *program, const struct quipu_batch *batch, uint32_t event) {
    const uint32_t location = batch->location[event];
    const uint64_t key = key_of(&program->active, location, batch->group[event], batch->id[event]);
    const uint32_t number = quipu__map_get(&program->active, key);
    if (number >= program->collectives.count) {
        program->dropped[QUIPU_KIND_collective_end]++;
        return true;
    }
    quipu__map_remove(&program->active, key);
    program->collectives.items[number].ended++;
    return put_action(program, &program->locations.items[location],
                      (struct quipu__action){.kind = QUIPU__ACTION_COLLECTIVE,
                                             .amount = batch->bytes[event],
                                             .received = batch->value[event],
                                             .object = number});
}

/* ---- Events ---- */

static bool put_event(struct quipu__program *program, const struct quipu_batch *batch, uint32_t i) {
    const uint32_t number = batch->location[i];
    struct quipu__program_location *location = location_at(program, number);
    uint32_t position;
    if (!location) {
        program->dropped[batch->kind[i]]++;
        return true;
    }
    if (!quipu__communication_add(&program->communication, batch, i))
        return false;
    if (!location->has_events)
        location->first = quipu__communication_ns(&program->communication, batch->time[i]);
    location->has_events = true;
    switch (batch->kind[i]) {
    case QUIPU_KIND_send:
        return put_send(program, batch, i);
    case QUIPU_KIND_send_complete:
        return complete_send(program, number, batch->id[i]);
    case QUIPU_KIND_recv_post:
        return put_request(program, number, batch->id[i], (struct quipu__action){.kind = QUIPU__ACTION_POST});
    case QUIPU_KIND_recv:
        return put_receive(program, batch, i);
    case QUIPU_KIND_cancel:
        take_request(program, number, batch->id[i], QUIPU__ACTION_POST, &position);
        return true;
    case QUIPU_KIND_collective_begin:
        return begin_collective(program, batch, i);
    case QUIPU_KIND_collective_end:
        return end_collective(program, batch, i);
    default:
        return true;
    }
}

static enum quipu_status begin(struct quipu__program *program, const struct quipu_definitions *definitions,
                               struct quipu_error *err) {
    const struct quipu__communication_listener listener = {.context = program,
                                                           .step = step,
                                                           .steps_outside = true,
                                                           .outermost_enter = enter_call,
                                                           .outermost_leave = leave_call};
    program->definitions = definitions;
    program->is_started = true;
    const bool has_memory =
        quipu__communication_init(&program->communication, program->memory, definitions, &listener);
    program->communication.only_calls = true;
    return has_memory && number_processes(program) ? QUIPU_OK : quipu__no_memory(err, sizeof *program);
}

static enum quipu_status put_batch(struct quipu__output_trace *output, const struct quipu_batch *batch,
                                   struct quipu_error *err) {
    struct quipu__program *program = output->own;
    enum quipu_status status = program->is_started ? QUIPU_OK : begin(program, output->definitions, err);
    if (status != QUIPU_OK)
        return status;
    for (uint32_t i = 0; i < batch->count; i++)
        if (batch->kind[i] != QUIPU_KIND_summary && batch->kind[i] != QUIPU_KIND_snapshot &&
            !put_event(program, batch, i))
            return quipu__no_memory(err, sizeof(struct quipu__action));
    return quipu__memory_status(program->memory, err);
}

/* ---- The end ---- */

/* How many messages of a key still find their other ends. */
struct partners {
    uint64_t sends, receives;
};

static bool is_complete(const struct quipu__program *program,
                        const struct quipu__program_collective *collective) {
    uint32_t members;
    quipu__program_members(program, collective->group, &members);
    const struct quipu_groups *groups = &program->definitions->groups;
    return collective->started == members && collective->ended == members &&
           (collective->group >= groups->count || groups->items[collective->group].remote_member_count == 0) &&
           program->target->has_form(program, collective);
}

static bool leave_out_collective(struct quipu__program *program, struct quipu__program_collective *collective) {
    if (!collective->is_judged)
        collective->is_left_out = !is_complete(program, collective);
    collective->is_judged = true;
    uint64_t *const counts = collective->is_left_out ? program->dropped : program->approximated;
    if (collective->is_left_out || !program->target->has_collectives) {
        counts[QUIPU_KIND_collective_begin]++;
        counts[QUIPU_KIND_collective_end]++;
    }
    return collective->is_left_out;
}

/* A simulator waits for ever for what never comes: sends and receives without their other ends are no part of the program, nor are
 * collective operations that not all members do. */
static bool leave_out(struct quipu__program *program, struct partners *partners,
                      const struct quipu__action *action) {
    uint64_t *left;
    switch (action->kind) {
    case QUIPU__ACTION_SEND:
    case QUIPU__ACTION_RECEIVE:
        left = action->kind == QUIPU__ACTION_SEND ? &partners[action->object].sends
                                                  : &partners[action->object].receives;
        if (*left == 0)
            program->dropped[action->kind == QUIPU__ACTION_SEND ? QUIPU_KIND_send : QUIPU_KIND_recv]++;
        return *left == 0 || (--*left, false);
    case QUIPU__ACTION_POST:
        program->dropped[QUIPU_KIND_recv_post]++;
        return true;
    case QUIPU__ACTION_COLLECTIVE:
        return leave_out_collective(program, &program->collectives.items[action->object]);
    default:
        return false;
    }
}

static enum quipu_status end_events(struct quipu__output_trace *output, struct quipu_error *err) {
    struct quipu__program *program = output->own;
    if (!program->is_started)
        return QUIPU_OK;
    quipu__communication_finish(&program->communication);
    const struct quipu__matcher *matcher = &program->communication.messages;
    const size_t size = (matcher->keys.count + 1) * sizeof(struct partners);
    struct partners *partners = quipu__alloc(program->memory, size);
    if (!partners)
        return quipu__no_memory(err, size);
    for (size_t i = 0; i < matcher->keys.count; i++) {
        const struct quipu__message_count *key = &matcher->keys.items[i];
        partners[i].sends = partners[i].receives = key->sent < key->received ? key->sent : key->received;
    }
    program->origin = INT64_MAX;
    for (size_t i = 0; i < program->locations.count; i++) {
        struct quipu__program_location *location = &program->locations.items[i];
        if (location->has_events && location->first < program->origin)
            program->origin = location->first;
        for (size_t k = 0; k < location->actions.count; k++)
            if (leave_out(program, partners, &location->actions.items[k]))
                location->actions.items[k].kind = QUIPU__ACTION_NOTHING;
        if (!put_burst(program, location))
            break; /* the gate knows */
    }
    quipu__release(program->memory, partners, size);
    return quipu__memory_status(program->memory, err);
}

/* A trace without events has processes all the same. */
static enum quipu_status finish(struct quipu__output_trace *output, struct quipu_error *err) {
    static const struct quipu_definitions nothing;
    struct quipu__program *program = output->own;
    const struct quipu_definitions *definitions = output->definitions ? output->definitions : &nothing;
    enum quipu_status status = program->is_started ? QUIPU_OK : begin(program, definitions, err);
    if (status == QUIPU_OK)
        status = program->target->print(program, err);
    if (status == QUIPU_OK && program->out.failed)
        status = quipu__no_memory(err, program->out.len);
    return status == QUIPU_OK ? quipu__file_write(program->file, program->out.data, program->out.len, err)
                              : status;
}

/* ---- The target ---- */

static void abandon(struct quipu__output_trace *output) {
    struct quipu__program *program = output->own;
    for (size_t i = 0; i < program->locations.count; i++)
        QUIPU__VEC_RELEASE(program->memory, &program->locations.items[i].actions);
    QUIPU__VEC_RELEASE(program->memory, &program->locations);
    QUIPU__VEC_RELEASE(program->memory, &program->ranks);
    QUIPU__VEC_RELEASE(program->memory, &program->collectives);
    quipu__map_release(&program->requests);
    quipu__map_release(&program->instances);
    quipu__map_release(&program->counts);
    quipu__map_release(&program->active);
    if (program->is_started)
        quipu__communication_release(&program->communication);
    quipu__buffer_release(&program->out);
    quipu__release(output->memory, program, sizeof *program);
    output->own = NULL;
}

static enum quipu_status create(struct quipu__output_trace *output, struct quipu_error *err) {
    struct quipu__program *program = quipu__alloc_zero(output->memory, sizeof *program);
    if (!program)
        return quipu__no_memory(err, sizeof *program);
    program->memory = output->memory;
    program->target = output->format->program_target;
    program->settings = &output->settings;
    program->dropped = output->dropped;
    program->approximated = output->approximated;
    quipu__buffer_init(&program->out, output->memory, 0);
    quipu__map_init(&program->requests, output->memory);
    quipu__map_init(&program->instances, output->memory);
    quipu__map_init(&program->counts, output->memory);
    quipu__map_init(&program->active, output->memory);
    output->own = program;
    const enum quipu_status status = quipu__outputs_add(output->outputs, output->path, 0, &program->file, err);
    if (status != QUIPU_OK)
        abandon(output);
    return status;
}

static const struct quipu__kind_capability kinds[] = {
    {QUIPU_KIND_enter, 0},
    {QUIPU_KIND_leave, 0},
    {QUIPU_KIND_send, QUIPU__COLUMN(peer) | QUIPU__COLUMN(tag) | QUIPU__COLUMN(bytes) | QUIPU__COLUMN(group) |
                          QUIPU__COLUMN(id)},
    {QUIPU_KIND_send_complete, QUIPU__COLUMN(id)},
    {QUIPU_KIND_recv_post, QUIPU__COLUMN(id)},
    {QUIPU_KIND_recv, QUIPU__COLUMN(peer) | QUIPU__COLUMN(tag) | QUIPU__COLUMN(bytes) | QUIPU__COLUMN(group) |
                          QUIPU__COLUMN(id)},
    {QUIPU_KIND_cancel, QUIPU__COLUMN(id)},
    {QUIPU_KIND_collective_begin,
     QUIPU__COLUMN(operation) | QUIPU__COLUMN(peer) | QUIPU__COLUMN(group) | QUIPU__COLUMN(id)},
    {QUIPU_KIND_collective_end,
     QUIPU__COLUMN(operation) | QUIPU__COLUMN(peer) | QUIPU__COLUMN(group) | QUIPU__COLUMN(id)},
};
static const struct quipu__capabilities capabilities = {
    .kinds = kinds,
    .kind_count = sizeof kinds / sizeof *kinds,
    .definitions = QUIPU__DEFINES(locations),
};

const struct quipu__writing quipu__program_writing = {
    .order = QUIPU_ORDER_STREAM,
    .capabilities = &capabilities,
    .create = create,
    .put_batch = put_batch,
    .end_events = end_events,
    .finish = finish,
    .abandon = abandon,
};
