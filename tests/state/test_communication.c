/* test_communication.c: which sends and receives, and which sides of collective operations, belong together: with sides that are missing or
 * wrong, wildcards, inter-communicators and threads. Times are ns. */
#include "harness.h"

#include "state/communication.h"

enum { EVENTS = 64, FOUND = 16, NONE = -1 };

/* ---- A program ---- */

/* Processes 0 to 3, a thread of process 0, and one of that. */
enum { THREAD = 4, NESTED, LOCATIONS };
static const struct quipu_location locations[LOCATIONS] = {
    {.name = "0", .kind = QUIPU_LOCATION_PROCESS, .parent = QUIPU_NONE},
    {.name = "1", .kind = QUIPU_LOCATION_PROCESS, .parent = QUIPU_NONE},
    {.name = "2", .kind = QUIPU_LOCATION_PROCESS, .parent = QUIPU_NONE},
    {.name = "3", .kind = QUIPU_LOCATION_PROCESS, .parent = QUIPU_NONE},
    {.name = "0.1", .kind = QUIPU_LOCATION_THREAD, .parent = 0},
    {.name = "0.1.1", .kind = QUIPU_LOCATION_THREAD, .parent = THREAD},
};
enum { WORLD, THERE, BACK, PAIR, MIXED, GROUPS }; /* THERE and BACK: both sides of an inter-communicator */
static const uint32_t all[] = {0, 1, 2, 3}, mixed[] = {THREAD, 1};
static const struct quipu_group groups[GROUPS] = {
    {.name = "world", .is_communicator = true, .member_count = 4, .members = all},
    {.name = "a",
     .is_communicator = true,
     .member_count = 2,
     .members = all,
     .remote_members = all + 2,
     .remote_member_count = 2},
    {.name = "b",
     .is_communicator = true,
     .member_count = 2,
     .members = all + 2,
     .remote_members = all,
     .remote_member_count = 2},
    {.name = "pair", .is_communicator = true, .member_count = 2, .members = all},
    {.name = "mixed", .is_communicator = true, .member_count = 2, .members = mixed},
};
enum { WAIT, WORK, SOLVE, READ, REGIONS };
static const struct quipu_region regions[REGIONS] = {{.name = "MPI_Wait", .role = QUIPU_REGION_MPI_P2P},
                                                     {.name = "work", .role = QUIPU_REGION_FUNCTION},
                                                     {.name = "solve", .role = QUIPU_REGION_FUNCTION},
                                                     {.name = "read", .role = QUIPU_REGION_IO}};

struct program {
    struct quipu_definitions definitions;
    struct quipu__memory memory;
    struct quipu__communication communication;
    struct quipu_batch batch;
    int64_t time[EVENTS], tag[EVENTS];
    uint8_t kind[EVENTS];
    uint32_t location[EVENTS], object[EVENTS], peer[EVENTS], group[EVENTS], operation[EVENTS];
    uint64_t bytes[EVENTS], value[EVENTS], id[EVENTS];

    struct {
        int64_t sent, received;
        uint32_t sender, receiver;
        bool is_assumed;
    } messages[FOUND];
    size_t message_count, completed, unmatched;
    struct {
        uint32_t group, number;
        int64_t first, last; /* when the members began */
        bool is_complete, is_mixed, is_evaluated;
    } collectives[FOUND];
    size_t collective_count;
    struct {
        int64_t from, to;
        uint32_t region; /* of the path */
    } steps[FOUND];
    size_t step_count;
};

static void add_message(void *context, const struct quipu__message_end *send,
                        const struct quipu__message_end *receive) {
    struct program *program = context;
    assert_true(program->message_count < FOUND);
    program->messages[program->message_count].sent = send->time;
    program->messages[program->message_count].received = receive->time;
    program->messages[program->message_count].sender = send->location;
    program->messages[program->message_count].receiver = receive->location;
    program->messages[program->message_count++].is_assumed = receive->is_assumed;
}

static void add_completed(void *context, const struct quipu__message_end *send,
                          const struct quipu__message_end *receive) {
    (void)send;
    (void)receive;
    ((struct program *)context)->completed++;
}

static void add_unmatched(void *context, const struct quipu__message_end *receive) {
    (void)receive;
    ((struct program *)context)->unmatched++;
}

static void add_collective(void *context, const struct quipu__collective *collective) {
    struct program *program = context;
    const size_t number = program->collective_count++;
    assert_true(number < FOUND);
    program->collectives[number].group = collective->group;
    program->collectives[number].number = collective->number;
    program->collectives[number].first = collective->sides[0].begin;
    program->collectives[number].last = collective->sides[collective->side_count - 1].begin;
    program->collectives[number].is_complete = collective->is_complete;
    program->collectives[number].is_mixed = collective->is_mixed;
    program->collectives[number].is_evaluated = collective->is_evaluated;
}

static struct program *program_new(void) {
    static struct program program;
    const struct quipu__communication_listener listener = {.context = &program,
                                                           .matched = add_message,
                                                           .completed = add_completed,
                                                           .unmatched = add_unmatched,
                                                           .collective = add_collective};
    memset(&program, 0, sizeof program);
    program.definitions.locations.items = locations;
    program.definitions.locations.count = LOCATIONS;
    program.definitions.groups.items = groups;
    program.definitions.groups.count = GROUPS;
    program.definitions.regions.items = regions;
    program.definitions.regions.count = REGIONS;
    program.batch = (struct quipu_batch){.time = program.time,
                                         .kind = program.kind,
                                         .location = program.location,
                                         .object = program.object,
                                         .peer = program.peer,
                                         .group = program.group,
                                         .operation = program.operation,
                                         .tag = program.tag,
                                         .bytes = program.bytes,
                                         .value = program.value,
                                         .id = program.id};
    quipu__memory_init(&program.memory, NULL, 0);
    assert_true(
        quipu__communication_init(&program.communication, &program.memory, &program.definitions, &listener));
    return &program;
}

/* An event of a message; a peer or tag of NONE is not known, and a request of NONE is none. */
static void add(struct program *program, int64_t time, enum quipu_kind kind, uint32_t location, int peer,
                uint32_t group, int64_t tag, int request) {
    const uint32_t i = program->batch.count++;
    assert_true(i < EVENTS);
    program->time[i] = time;
    program->kind[i] = (uint8_t)kind;
    program->location[i] = location;
    program->peer[i] = peer == NONE ? QUIPU_NONE : (uint32_t)peer;
    program->group[i] = group;
    program->tag[i] = tag;
    program->id[i] = request == NONE ? QUIPU_UNKNOWN : (uint64_t)request;
}

static void send(struct program *program, int64_t time, uint32_t location, int peer, int64_t tag) {
    add(program, time, QUIPU_KIND_send, location, peer, WORLD, tag, NONE);
}

static void receive(struct program *program, int64_t time, uint32_t location, int peer, int64_t tag) {
    add(program, time, QUIPU_KIND_recv, location, peer, WORLD, tag, NONE);
}

/* A side of a collective operation. */
static void join(struct program *program, int64_t begin, int64_t end, uint32_t location, uint32_t group,
                 uint32_t operation, int number) {
    add(program, begin, QUIPU_KIND_collective_begin, location, NONE, group, 0, number);
    program->operation[program->batch.count - 1] = operation;
    if (end < begin)
        return;
    add(program, end, QUIPU_KIND_collective_end, location, NONE, group, 0, number);
    program->operation[program->batch.count - 1] = operation;
}

/* Feeds the events in the order of time; those of one time and location keep theirs. */
static void run(struct program *program) {
    bool is_done[EVENTS] = {false};
    for (uint32_t n = 0; n < program->batch.count; n++) {
        uint32_t next = QUIPU_NONE;
        for (uint32_t i = 0; i < program->batch.count; i++)
            if (!is_done[i] &&
                (next == QUIPU_NONE || program->time[i] < program->time[next] ||
                 (program->time[i] == program->time[next] && program->location[i] < program->location[next])))
                next = i;
        is_done[next] = true;
        assert_true(quipu__communication_add(&program->communication, &program->batch, next));
    }
    quipu__communication_finish(&program->communication);
    const struct quipu__message_counts *messages = &program->communication.messages.counts;
    const struct quipu__collective_counts *collectives = &program->communication.collectives.counts;
    assert_int_equal(messages->matched, program->message_count);
    assert_int_equal(messages->receives - messages->matched, program->unmatched);
    assert_int_equal(collectives->complete + collectives->incomplete + collectives->mixed,
                     collectives->collectives);
}

static void end(struct program *program) {
    quipu__communication_release(&program->communication);
    assert_int_equal(program->memory.used, 0);
}

/* ---- Steps ---- */

static void add_step(void *context, uint32_t location, uint32_t path, int64_t from, int64_t to) {
    struct program *program = context;
    assert_true(program->step_count < FOUND);
    assert_int_equal(location, 0);
    program->steps[program->step_count].from = from;
    program->steps[program->step_count].to = to;
    program->steps[program->step_count++].region = quipu__call_path_region(&program->communication.paths, path);
}

/* Calls of location 0 in order, as one batch; each region is entered the first time in calls that are taken in one by one. */
static void run_calls(struct program *program) {
    static const struct {
        int64_t time;
        enum quipu_kind kind;
        uint32_t region;
    } calls[] = {{1, QUIPU_KIND_enter, SOLVE}, {2, QUIPU_KIND_enter, WORK},  {3, QUIPU_KIND_leave, WORK},
                 {4, QUIPU_KIND_enter, READ},  {5, QUIPU_KIND_leave, READ},  {10, QUIPU_KIND_enter, WORK},
                 {12, QUIPU_KIND_leave, WORK}, {12, QUIPU_KIND_enter, WORK}, {15, QUIPU_KIND_leave, WORK},
                 {20, QUIPU_KIND_enter, READ}, {22, QUIPU_KIND_leave, READ}, {30, QUIPU_KIND_enter, WORK},
                 {31, QUIPU_KIND_leave, WORK}, {40, QUIPU_KIND_enter, WAIT}, {41, QUIPU_KIND_leave, WAIT},
                 {50, QUIPU_KIND_leave, SOLVE}};
    program->communication.listener.step = add_step;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        add(program, calls[i].time, calls[i].kind, 0, NONE, 0, 0, NONE);
        program->object[i] = calls[i].region;
    }
    assert_true(quipu__communication_add_batch(&program->communication, &program->batch));
}

static void assert_step(const struct program *program, size_t number, int64_t from, int64_t to,
                        uint32_t region) {
    assert_int_equal(program->steps[number].from, from);
    assert_int_equal(program->steps[number].to, to);
    assert_int_equal(program->steps[number].region, region);
}

/* Whether a send and a receive at these times were matched. */
static bool belong_together(const struct program *program, int64_t sent, int64_t received) {
    for (size_t i = 0; i < program->message_count; i++)
        if (program->messages[i].sent == sent && program->messages[i].received == received)
            return true;
    return false;
}

static void test_communication_steps_are_told_one_by_one(void **state) {
    (void)state;
    struct program *program = program_new();
    run_calls(program);
    assert_int_equal(program->step_count, 14);
    assert_step(program, 4, 5, 10, SOLVE);
    assert_step(program, 5, 10, 12, WORK);
    assert_step(program, 6, 12, 15, WORK);
    assert_step(program, 7, 15, 20, SOLVE);
    assert_step(program, 8, 20, 22, READ);
    end(program);
}

/* ---- Messages ---- */

static void test_communication_the_nth_receive_gets_the_nth_send_of_its_key(void **state) {
    (void)state;
    struct program *program = program_new();
    send(program, 10, 0, 1, 5);
    send(program, 11, 0, 1, 6);
    send(program, 12, 0, 1, 5);
    receive(program, 5, 1, 0, 5); /* the clock is behind */
    receive(program, 20, 1, 0, 5);
    receive(program, 21, 1, 0, 6);
    run(program);
    assert_int_equal(program->message_count, 3);
    assert_true(belong_together(program, 10, 5));
    assert_true(belong_together(program, 12, 20));
    assert_true(belong_together(program, 11, 21));
    end(program);
}

static void test_communication_receives_stand_in_the_order_of_posting(void **state) {
    (void)state;
    struct program *program = program_new();
    add(program, 1, QUIPU_KIND_recv_post, 1, 0, WORLD, 5, 71);
    add(program, 2, QUIPU_KIND_recv_post, 1, 0, WORLD, 5, 72);
    send(program, 10, 0, 1, 5);
    send(program, 11, 0, 1, 5);
    add(program, 20, QUIPU_KIND_recv, 1, 0, WORLD, 5, 72);
    add(program, 30, QUIPU_KIND_recv, 1, 0, WORLD, 5, 71);
    run(program);
    assert_true(belong_together(program, 10, 30));
    assert_true(belong_together(program, 11, 20));
    end(program);
}

static void test_communication_a_cancelled_receive_has_no_place(void **state) {
    (void)state;
    struct program *program = program_new();
    add(program, 1, QUIPU_KIND_recv_post, 1, 0, WORLD, 5, 71);
    add(program, 2, QUIPU_KIND_recv_post, 1, 0, WORLD, 5, 72);
    add(program, 3, QUIPU_KIND_cancel, 1, NONE, WORLD, 0, 71);
    send(program, 10, 0, 1, 5);
    add(program, 20, QUIPU_KIND_recv, 1, 0, WORLD, 5, 72);
    run(program);
    assert_int_equal(program->message_count, 1);
    assert_true(belong_together(program, 10, 20));
    assert_int_equal(program->unmatched, 0);
    end(program);
}

static void test_communication_sides_that_do_not_fit_have_no_partner(void **state) {
    (void)state;
    struct program *program = program_new();
    send(program, 10, 0, 1, 5);
    receive(program, 20, 1, 0, 6);                               /* another tag */
    receive(program, 21, 1, 2, 5);                               /* another sender */
    receive(program, 22, 2, 0, 5);                               /* another receiver */
    add(program, 23, QUIPU_KIND_recv, 1, 0, PAIR, 5, NONE);      /* another communicator */
    add(program, 24, QUIPU_KIND_recv, 1, 77, WORLD, 5, NONE);    /* no location */
    add(program, 25, QUIPU_KIND_send_complete, 0, 0, 0, 0, 999); /* of no send */
    add(program, 26, QUIPU_KIND_cancel, 1, 0, 0, 0, 999);        /* of no receive */
    run(program);
    assert_int_equal(program->message_count, 0);
    assert_int_equal(program->unmatched, 5);
    assert_int_equal(program->communication.messages.counts.sends, 1);
    end(program);
}

/* The send of process 0 is needed by the receive that names it, so the one of process 1 is left. */
static void test_communication_an_unknown_sender_is_one_that_no_other_receive_needs(void **state) {
    (void)state;
    struct program *program = program_new();
    send(program, 1, 0, 2, 5);
    send(program, 2, 1, 2, 5);
    receive(program, 5, 2, NONE, 5);
    receive(program, 6, 2, 0, 5);
    receive(program, 7, 2, NONE, NONE); /* nothing is left for it */
    run(program);
    assert_int_equal(program->message_count, 2);
    assert_true(belong_together(program, 2, 5));
    assert_true(belong_together(program, 1, 6));
    assert_int_equal(program->communication.messages.counts.assumed, 1);
    assert_int_equal(program->unmatched, 1);
    end(program);
}

static void test_communication_both_sides_of_an_inter_communicator_are_one(void **state) {
    (void)state;
    struct program *program = program_new();
    add(program, 10, QUIPU_KIND_send, 0, 2, THERE, 5, NONE);
    add(program, 11, QUIPU_KIND_recv, 2, 0, BACK, 5, NONE);
    add(program, 12, QUIPU_KIND_send, 3, 1, BACK, 5, NONE);
    add(program, 13, QUIPU_KIND_recv, 1, 3, THERE, 5, NONE);
    run(program);
    assert_true(belong_together(program, 10, 11));
    assert_true(belong_together(program, 12, 13));
    end(program);
}

static void test_communication_threads_send_for_their_process(void **state) {
    (void)state;
    struct program *program = program_new();
    send(program, 10, THREAD, 1, 5);
    send(program, 11, 0, 1, 5);
    receive(program, 20, 1, 0, 5);
    receive(program, 21, 1, 0, 5);
    send(program, 30, 1, 0, 7);
    receive(program, 31, THREAD, 1, 7);
    run(program);
    assert_true(belong_together(program, 10, 20));
    assert_true(belong_together(program, 11, 21));
    assert_true(belong_together(program, 30, 31));
    assert_int_equal(program->messages[0].sender, THREAD);
    end(program);
}

static void test_communication_messages_to_oneself_are_counted(void **state) {
    (void)state;
    struct program *program = program_new();
    send(program, 10, 1, 1, 5);
    receive(program, 11, 1, 1, 5);
    run(program);
    assert_int_equal(program->communication.messages.counts.self, 1);
    assert_true(belong_together(program, 10, 11));
    end(program);
}

/* Process 0 is the member, its thread and itself are one end: one message to itself, whichever of them sends. Without a communicator they are
 * two, and what names the process is not for its thread. */
static void test_communication_messages_between_threads_of_a_process_are_to_itself(void **state) {
    (void)state;
    struct program *program = program_new();
    send(program, 10, THREAD, 0, 5);
    receive(program, 11, 0, THREAD, 5);
    add(program, 20, QUIPU_KIND_send, THREAD, 1, QUIPU_NONE, 5, NONE);
    add(program, 21, QUIPU_KIND_recv, 1, 0, QUIPU_NONE, 5, NONE);
    add(program, 30, QUIPU_KIND_send, THREAD, 0, QUIPU_NONE, 5, NONE);
    add(program, 31, QUIPU_KIND_recv, 0, THREAD, QUIPU_NONE, 5, NONE);
    run(program);
    assert_int_equal(program->message_count, 2);
    assert_true(belong_together(program, 10, 11));
    assert_true(belong_together(program, 30, 31));
    assert_int_equal(program->communication.messages.counts.self, 1);
    assert_int_equal(program->unmatched, 1);
    end(program);
}

/* In MIXED NESTED stands for THREAD, which is a member. Its receive is done first; that of THREAD, whose call began before, has the first
 * send all the same. */
static void test_communication_threads_of_a_member_receive_in_the_order_of_posting(void **state) {
    (void)state;
    struct program *program = program_new();
    add(program, 1, QUIPU_KIND_send, 1, THREAD, MIXED, 5, NONE);
    add(program, 2, QUIPU_KIND_send, 1, THREAD, MIXED, 5, NONE);
    for (uint32_t location = THREAD; location <= NESTED; location++)
        add(program, 10 + location, QUIPU_KIND_enter, location, NONE, QUIPU_NONE, 0, NONE);
    add(program, 20, QUIPU_KIND_recv, NESTED, 1, MIXED, 5, NONE);
    add(program, 21, QUIPU_KIND_leave, NESTED, NONE, QUIPU_NONE, 0, NONE);
    add(program, 30, QUIPU_KIND_recv, THREAD, 1, MIXED, 5, NONE);
    add(program, 31, QUIPU_KIND_leave, THREAD, NONE, QUIPU_NONE, 0, NONE);
    run(program);
    assert_true(belong_together(program, 1, 30));
    assert_true(belong_together(program, 2, 20));
    end(program);
}

static void test_communication_sends_are_complete_when_their_requests_are(void **state) {
    (void)state;
    struct program *program = program_new();
    add(program, 10, QUIPU_KIND_send, 0, 1, WORLD, 5, 71);
    add(program, 11, QUIPU_KIND_send, 0, 1, WORLD, 5, 72); /* never known to be complete */
    receive(program, 20, 1, 0, 5);
    receive(program, 21, 1, 0, 5);
    add(program, 30, QUIPU_KIND_enter, 0, NONE, WORLD, 0, NONE);
    add(program, 31, QUIPU_KIND_send_complete, 0, NONE, WORLD, 0, 71);
    add(program, 31, QUIPU_KIND_leave, 0, NONE, WORLD, 0, NONE);
    run(program);
    assert_int_equal(program->message_count, 2);
    assert_int_equal(program->completed, 1);
    end(program);
}

/* ---- Posts of which only the request is known ---- */

static void post(struct program *program, int64_t time, uint32_t location, int request) {
    add(program, time, QUIPU_KIND_recv_post, location, NONE, QUIPU_NONE, NONE, request);
}

static void receive_posted(struct program *program, int64_t time, uint32_t location, int peer, int64_t tag,
                           int request) {
    add(program, time, QUIPU_KIND_recv, location, peer, WORLD, tag, request);
}

/* The receive at 3 was posted at 1, before the one at 2: the only send is its own. */
static void test_communication_a_post_of_unknown_key_stands_before_later_receives(void **state) {
    (void)state;
    struct program *program = program_new();
    send(program, 0, 0, 1, 5);
    post(program, 1, 1, 71);
    receive(program, 2, 1, 0, 5);
    receive_posted(program, 3, 1, 0, 5, 71);
    run(program);
    assert_int_equal(program->message_count, 1);
    assert_true(belong_together(program, 0, 3));
    assert_int_equal(program->communication.messages.counts.assumed, 0);
    end(program);
}

/* Posted 71 to 75, of two keys; done 74, 72, 75, 71, and 73 is cancelled. Of tag 5 are 71, 74 and 75, of tag 6 only 72. */
static void test_communication_posts_of_unknown_keys_stand_in_the_order_of_posting(void **state) {
    (void)state;
    struct program *program = program_new();
    for (int request = 71; request <= 75; request++)
        post(program, request - 70, 1, request);
    for (int64_t time = 10; time <= 12; time++)
        send(program, time, 0, 1, 5);
    send(program, 13, 0, 1, 6);
    receive_posted(program, 20, 1, 0, 5, 74);
    receive_posted(program, 21, 1, 0, 6, 72);
    receive_posted(program, 22, 1, 0, 5, 75);
    receive_posted(program, 23, 1, 0, 5, 71);
    add(program, 24, QUIPU_KIND_cancel, 1, NONE, QUIPU_NONE, 0, 73);
    run(program);
    assert_int_equal(program->message_count, 4);
    assert_true(belong_together(program, 10, 23));
    assert_true(belong_together(program, 11, 20));
    assert_true(belong_together(program, 12, 22));
    assert_true(belong_together(program, 13, 21));
    end(program);
}

/* 71 is never completed, and 72 is when 71 is posted again: no one waits for them for ever. */
static void test_communication_posts_of_unknown_keys_that_never_complete_have_no_place(void **state) {
    (void)state;
    struct program *program = program_new();
    post(program, 1, 1, 71);
    post(program, 2, 1, 72);
    send(program, 10, 0, 1, 5);
    send(program, 11, 0, 1, 5);
    receive(program, 20, 1, 0, 5);
    post(program, 30, 1, 71);
    receive_posted(program, 31, 1, 0, 5, 72);
    run(program);
    assert_int_equal(program->message_count, 2);
    assert_true(belong_together(program, 10, 31));
    assert_true(belong_together(program, 11, 20));
    assert_int_equal(program->unmatched, 0);
    end(program);
}

/* THREAD and process 0 are one end. THREAD posts at 1, process 0 waits from 2 on and gets the second message first; what THREAD posts at 4 is for
 * the third one. NESTED, in a call from 3 on, has posted nothing before: its receive stands between the two. */
static void test_communication_posts_of_unknown_keys_stand_before_those_of_other_threads(void **state) {
    (void)state;
    struct program *program = program_new();
    for (int64_t time = 10; time <= 13; time++)
        send(program, time, 1, 0, 5);
    post(program, 1, THREAD, 71);
    add(program, 2, QUIPU_KIND_enter, 0, NONE, QUIPU_NONE, 0, NONE);
    add(program, 3, QUIPU_KIND_enter, NESTED, NONE, QUIPU_NONE, 0, NONE);
    post(program, 4, THREAD, 72);
    receive(program, 20, 0, 1, 5);
    add(program, 21, QUIPU_KIND_leave, 0, NONE, QUIPU_NONE, 0, NONE);
    receive_posted(program, 22, THREAD, 1, 5, 72);
    receive(program, 23, NESTED, 1, 5);
    add(program, 24, QUIPU_KIND_leave, NESTED, NONE, QUIPU_NONE, 0, NONE);
    receive_posted(program, 30, THREAD, 1, 5, 71);
    run(program);
    assert_int_equal(program->message_count, 4);
    assert_true(belong_together(program, 10, 30));
    assert_true(belong_together(program, 11, 20));
    assert_true(belong_together(program, 12, 23));
    assert_true(belong_together(program, 13, 22));
    end(program);
}

/* 71 is posted before the receive that names no sender: it needs the send of process 0, and the other takes that of 1. */
static void test_communication_a_post_of_unknown_key_stands_before_an_unknown_sender(void **state) {
    (void)state;
    struct program *program = program_new();
    send(program, 1, 0, 2, 5);
    send(program, 2, 1, 2, 5);
    post(program, 3, 2, 71);
    receive(program, 5, 2, NONE, 5);
    receive(program, 6, 2, 0, 5); /* nothing is left for it */
    receive_posted(program, 7, 2, 0, 5, 71);
    run(program);
    assert_int_equal(program->message_count, 2);
    assert_true(belong_together(program, 1, 7));
    assert_true(belong_together(program, 2, 5));
    assert_int_equal(program->unmatched, 1);
    end(program);
}

/* One event, taken in at once; what comes later does not need it. */
static void take_in(struct program *program) {
    assert_true(quipu__communication_add(&program->communication, &program->batch, 0));
    program->batch.count = 0;
}

/* 71 and 72 wait while 10,000 others are sent and received: at most 4,096 wait for them. 71 is then found to be of another key, so its place
 * does not matter; later ones have taken that of 72, so its send is assumed. */
static void test_communication_few_receives_wait_for_a_post_of_unknown_key(void **state) {
    (void)state;
    enum { MESSAGES = 10000 };
    struct program *program = program_new();
    program->communication.listener.matched = NULL;
    post(program, 1, 1, 71);
    take_in(program);
    post(program, 2, 1, 72);
    take_in(program);
    for (int i = 0; i < MESSAGES; i++) {
        send(program, 10 + i, 0, 1, 5);
        take_in(program);
        receive(program, 10 + i, 1, 0, 5);
        take_in(program);
    }
    const struct quipu__matcher *messages = &program->communication.messages;
    assert_int_equal(messages->counts.matched, MESSAGES);
    assert_true(messages->ends.count <= 2 * (QUIPU__IN_LINE_MOST + 1));
    send(program, 20000, 0, 1, 6);
    take_in(program);
    receive_posted(program, 20001, 1, 0, 6, 71);
    take_in(program);
    assert_int_equal(messages->counts.assumed, 0);
    send(program, 20002, 0, 1, 5);
    take_in(program);
    receive_posted(program, 20003, 1, 0, 5, 72);
    take_in(program);
    assert_int_equal(messages->counts.assumed, 1);
    quipu__communication_finish(&program->communication);
    assert_int_equal(messages->counts.matched, MESSAGES + 2);
    end(program);
}

/* ---- Collective operations ---- */

static void test_communication_the_nth_operations_of_members_are_one_whatever_their_times(void **state) {
    (void)state;
    struct program *program = program_new();
    join(program, 1, 2, 0, PAIR, QUIPU_COLLECTIVE_BARRIER, 1);
    join(program, 50, 51, 0, PAIR, QUIPU_COLLECTIVE_BARRIER, 2);
    join(program, 100, 101, 1, PAIR, QUIPU_COLLECTIVE_BARRIER, 1);
    join(program, 200, 201, 1, PAIR, QUIPU_COLLECTIVE_BARRIER, 2);
    run(program);
    assert_int_equal(program->communication.collectives.counts.complete, 2);
    assert_int_equal(program->collectives[0].number, 0);
    assert_int_equal(program->collectives[0].first, 1);
    assert_int_equal(program->collectives[0].last, 100);
    assert_int_equal(program->collectives[1].first, 50);
    assert_int_equal(program->collectives[1].last, 200);
    assert_true(program->collectives[0].is_evaluated && program->collectives[1].is_evaluated);
    end(program);
}

static void test_communication_an_operation_without_all_members_is_incomplete(void **state) {
    (void)state;
    struct program *program = program_new();
    join(program, 1, 2, 0, PAIR, QUIPU_COLLECTIVE_BARRIER, 1);
    join(program, 3, NONE, 0, WORLD, QUIPU_COLLECTIVE_BARRIER, 2); /* does not end it */
    for (uint32_t i = 1; i < 4; i++)
        join(program, 3, 4, i, WORLD, QUIPU_COLLECTIVE_BARRIER, 2);
    run(program);
    assert_int_equal(program->communication.collectives.counts.incomplete, 2);
    assert_false(program->collectives[0].is_complete || program->collectives[1].is_complete);
    end(program);
}

static void test_communication_others_than_members_make_an_operation_incomplete(void **state) {
    (void)state;
    struct program *program = program_new();
    join(program, 1, 5, 0, PAIR, QUIPU_COLLECTIVE_BARRIER, 1);
    join(program, 2, 5, 2, PAIR, QUIPU_COLLECTIVE_BARRIER, 1);
    join(program, 3, 5, 1, PAIR, QUIPU_COLLECTIVE_BARRIER, 1);
    run(program);
    assert_int_equal(program->communication.collectives.counts.complete, 0);
    assert_int_equal(program->communication.collectives.counts.incomplete, 1);
    end(program);
}

static void test_communication_different_operations_are_mixed(void **state) {
    (void)state;
    struct program *program = program_new();
    join(program, 1, 5, 0, PAIR, QUIPU_COLLECTIVE_BARRIER, 1);
    join(program, 2, 5, 1, PAIR, QUIPU_COLLECTIVE_BCAST, 1);
    run(program);
    assert_int_equal(program->communication.collectives.counts.mixed, 1);
    assert_true(program->collectives[0].is_mixed && !program->collectives[0].is_evaluated);
    end(program);
}

static void test_communication_an_end_is_that_of_the_latest_begin_of_its_number(void **state) {
    (void)state;
    struct program *program = program_new();
    for (uint32_t i = 0; i < 2; i++) {
        join(program, 1, NONE, i, PAIR, QUIPU_COLLECTIVE_BARRIER, 7);
        join(program, 2, NONE, i, PAIR, QUIPU_COLLECTIVE_BCAST, 7);
        add(program, 10, QUIPU_KIND_collective_end, i, NONE, PAIR, 0, 7);
    }
    add(program, 20, QUIPU_KIND_collective_end, 0, NONE, PAIR, 0, 9); /* of no begin */
    run(program);
    assert_int_equal(program->communication.collectives.counts.complete, 1);
    assert_int_equal(program->communication.collectives.counts.incomplete, 1);
    assert_int_equal(program->collectives[0].first, 2);
    end(program);
}

static void test_communication_operations_between_groups_are_not_evaluated(void **state) {
    (void)state;
    struct program *program = program_new();
    for (uint32_t i = 0; i < 4; i++)
        join(program, 1, 5, i, i < 2 ? THERE : BACK, QUIPU_COLLECTIVE_BARRIER, 1);
    run(program);
    assert_int_not_equal(program->communication.collectives.counts.collectives, 0);
    for (size_t i = 0; i < program->collective_count; i++)
        assert_false(program->collectives[i].is_evaluated);
    end(program);
}

static void test_communication_a_thread_takes_the_side_of_its_process(void **state) {
    (void)state;
    struct program *program = program_new();
    join(program, 1, 5, THREAD, PAIR, QUIPU_COLLECTIVE_BARRIER, 1);
    join(program, 2, 5, 1, PAIR, QUIPU_COLLECTIVE_BARRIER, 1);
    join(program, 11, 15, 0, PAIR, QUIPU_COLLECTIVE_BARRIER, 2);
    join(program, 12, 15, 1, PAIR, QUIPU_COLLECTIVE_BARRIER, 2);
    run(program);
    assert_int_equal(program->communication.collectives.counts.complete, 2);
    assert_true(program->collectives[0].is_evaluated);
    end(program);
}

/* NESTED stands for THREAD, which is a member. */
static void test_communication_a_thread_takes_the_side_of_the_nearest_member(void **state) {
    (void)state;
    struct program *program = program_new();
    join(program, 1, 5, NESTED, MIXED, QUIPU_COLLECTIVE_BARRIER, 1);
    join(program, 2, 5, 1, MIXED, QUIPU_COLLECTIVE_BARRIER, 1);
    join(program, 11, 15, THREAD, MIXED, QUIPU_COLLECTIVE_BARRIER, 2);
    join(program, 12, 15, 1, MIXED, QUIPU_COLLECTIVE_BARRIER, 2);
    run(program);
    assert_int_equal(program->communication.collectives.counts.complete, 2);
    assert_int_equal(program->communication.collectives.counts.collectives, 2);
    end(program);
}

QUIPU_TESTS(cmocka_unit_test(test_communication_steps_are_told_one_by_one),
            cmocka_unit_test(test_communication_the_nth_receive_gets_the_nth_send_of_its_key),
            cmocka_unit_test(test_communication_receives_stand_in_the_order_of_posting),
            cmocka_unit_test(test_communication_a_cancelled_receive_has_no_place),
            cmocka_unit_test(test_communication_sides_that_do_not_fit_have_no_partner),
            cmocka_unit_test(test_communication_an_unknown_sender_is_one_that_no_other_receive_needs),
            cmocka_unit_test(test_communication_both_sides_of_an_inter_communicator_are_one),
            cmocka_unit_test(test_communication_threads_send_for_their_process),
            cmocka_unit_test(test_communication_messages_to_oneself_are_counted),
            cmocka_unit_test(test_communication_messages_between_threads_of_a_process_are_to_itself),
            cmocka_unit_test(test_communication_threads_of_a_member_receive_in_the_order_of_posting),
            cmocka_unit_test(test_communication_sends_are_complete_when_their_requests_are),
            cmocka_unit_test(test_communication_a_post_of_unknown_key_stands_before_later_receives),
            cmocka_unit_test(test_communication_posts_of_unknown_keys_stand_in_the_order_of_posting),
            cmocka_unit_test(test_communication_posts_of_unknown_keys_that_never_complete_have_no_place),
            cmocka_unit_test(test_communication_posts_of_unknown_keys_stand_before_those_of_other_threads),
            cmocka_unit_test(test_communication_a_post_of_unknown_key_stands_before_an_unknown_sender),
            cmocka_unit_test(test_communication_few_receives_wait_for_a_post_of_unknown_key),
            cmocka_unit_test(test_communication_the_nth_operations_of_members_are_one_whatever_their_times),
            cmocka_unit_test(test_communication_an_operation_without_all_members_is_incomplete),
            cmocka_unit_test(test_communication_others_than_members_make_an_operation_incomplete),
            cmocka_unit_test(test_communication_different_operations_are_mixed),
            cmocka_unit_test(test_communication_an_end_is_that_of_the_latest_begin_of_its_number),
            cmocka_unit_test(test_communication_operations_between_groups_are_not_evaluated),
            cmocka_unit_test(test_communication_a_thread_takes_the_side_of_its_process),
            cmocka_unit_test(test_communication_a_thread_takes_the_side_of_the_nearest_member))
