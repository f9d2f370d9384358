/* test_matcher.c: which numbers sends and receives share, and what is left over when a receive names no sender. Pairs are in
 * test_communication.c. */
#include "harness.h"

#include "state/matcher.h"

enum { P, THREAD, Q, LOCATIONS };
enum { LEFT, RIGHT, GROUPS };

static const struct quipu_location locations[LOCATIONS] = {
    [P] = {.kind = QUIPU_LOCATION_PROCESS, .parent = QUIPU_NONE},
    [THREAD] = {.kind = QUIPU_LOCATION_THREAD, .parent = P},
    [Q] = {.kind = QUIPU_LOCATION_PROCESS, .parent = QUIPU_NONE}};

static const uint32_t p[] = {P}, q[] = {Q};

static const struct quipu_group groups[GROUPS] = {
    [LEFT] = {.member_count = 1, .members = p, .remote_member_count = 1, .remote_members = q},
    [RIGHT] = {.member_count = 1, .members = q, .remote_member_count = 1, .remote_members = p}};

static const struct quipu_definitions definitions = {.locations = {locations, LOCATIONS},
                                                     .groups = {groups, GROUPS}};

/* ---- Events ---- */

enum { EVENTS = 16, NO_REQUEST = -1 };

struct program {
    struct quipu__memory memory;
    struct quipu__matcher matcher;
    int64_t time[EVENTS], tag[EVENTS];
    uint8_t kind[EVENTS];
    uint32_t location[EVENTS], peer[EVENTS], group[EVENTS];
    uint64_t bytes[EVENTS], id[EVENTS];
    struct quipu_batch batch;
};

static struct program *program_new(const struct quipu_definitions *defined) {
    static struct program program;
    memset(&program, 0, sizeof program);
    quipu__memory_init(&program.memory, NULL, 0);
    quipu__matcher_init(&program.matcher, &program.memory, defined);
    program.batch = (struct quipu_batch){.time = program.time,
                                         .kind = program.kind,
                                         .location = program.location,
                                         .peer = program.peer,
                                         .group = program.group,
                                         .tag = program.tag,
                                         .bytes = program.bytes,
                                         .id = program.id};
    return &program;
}

static void end(struct program *program) {
    quipu__matcher_release(&program->matcher);
    assert_int_equal(program->memory.used, 0);
}

/* An event at the time of its number. */
static uint32_t add(struct program *program, enum quipu_kind kind, uint32_t location, uint32_t peer,
                    int64_t tag, int request) {
    const uint32_t i = program->batch.count++;
    assert_true(i < EVENTS);
    program->time[i] = i;
    program->kind[i] = (uint8_t)kind;
    program->location[i] = location;
    program->peer[i] = peer;
    program->group[i] = QUIPU_NONE;
    program->tag[i] = tag;
    program->bytes[i] = 8;
    program->id[i] = request == NO_REQUEST ? QUIPU_UNKNOWN : (uint64_t)request;
    return i;
}

static uint64_t number(struct program *program, enum quipu_kind kind, uint32_t location, uint32_t peer,
                       int64_t tag, int request) {
    const uint32_t event = add(program, kind, location, peer, tag, request);
    return quipu__matcher_number(&program->matcher, &program->batch, event);
}

/* ---- Keys ---- */

/* RIGHT is the other side of LEFT, and THREAD stands for P there: a send and its receive have one key. */
static void test_matcher_a_send_and_its_receive_have_one_key(void **state) {
    (void)state;
    struct program *program = program_new(&definitions);
    struct quipu__message_key sent, received;
    program->group[add(program, QUIPU_KIND_send, THREAD, Q, 7, NO_REQUEST)] = LEFT;
    program->group[add(program, QUIPU_KIND_recv, Q, P, 7, NO_REQUEST)] = RIGHT;
    assert_true(quipu__matcher_key_of(&program->matcher, &program->batch, 0, &sent));
    assert_true(quipu__matcher_key_of(&program->matcher, &program->batch, 1, &received));
    assert_int_equal(sent.sender, P);
    assert_int_equal(sent.receiver, Q);
    assert_int_equal(sent.communicator, LEFT);
    assert_int_equal(sent.tag, 7);
    assert_int_equal(received.sender, P);
    assert_int_equal(received.receiver, Q);
    assert_int_equal(received.communicator, LEFT);
    assert_int_equal(received.tag, 7);
    end(program);
}

/* ---- Numbers ---- */

static void test_matcher_numbers_messages_of_a_class_in_order(void **state) {
    (void)state;
    struct program *program = program_new(&definitions);
    const uint64_t first =
        number(program, QUIPU_KIND_recv, Q, P, 5, NO_REQUEST); /* the receiver may come first */
    assert_int_equal(number(program, QUIPU_KIND_send, P, Q, 5, NO_REQUEST), first);
    const uint64_t another = number(program, QUIPU_KIND_send, P, Q, 6, NO_REQUEST);
    const uint64_t second = number(program, QUIPU_KIND_send, P, Q, 5, NO_REQUEST);
    assert_int_equal(number(program, QUIPU_KIND_recv, Q, P, 5, NO_REQUEST), second);
    const uint64_t reverse = number(program, QUIPU_KIND_send, Q, P, 5, NO_REQUEST);
    assert_int_not_equal(first, second);
    assert_int_not_equal(another, first);
    assert_int_not_equal(reverse, first);
    assert_int_equal(number(program, QUIPU_KIND_recv, Q, QUIPU_NONE, 5, NO_REQUEST), 0);
    assert_int_equal(number(program, QUIPU_KIND_recv, Q, P, -1, NO_REQUEST), 0);
    assert_int_equal(number(program, QUIPU_KIND_enter, Q, P, 5, NO_REQUEST), 0);
    assert_int_equal(program->matcher.keys.count, 3);
    assert_false(program->matcher.is_full);
    end(program);
}

/* Posted 71, 72; done 72, 71: the first send is that of 71. */
static void test_matcher_numbers_are_in_the_order_of_posting(void **state) {
    (void)state;
    struct program *program = program_new(&definitions);
    const uint64_t first = number(program, QUIPU_KIND_send, P, Q, 5, NO_REQUEST);
    const uint64_t second = number(program, QUIPU_KIND_send, P, Q, 5, NO_REQUEST);
    number(program, QUIPU_KIND_recv_post, Q, P, 5, 71);
    number(program, QUIPU_KIND_recv_post, Q, P, 5, 72);
    assert_int_equal(number(program, QUIPU_KIND_recv, Q, P, 5, 72), second);
    assert_int_equal(number(program, QUIPU_KIND_recv, Q, P, 5, 71), first);
    end(program);
}

/* 71 is cancelled, so 72 has the first send and 73 the second; 73 was the last, and what is received then has the third. */
static void test_matcher_cancelled_receives_have_no_number(void **state) {
    (void)state;
    struct program *program = program_new(&definitions);
    uint64_t sent[3];
    for (size_t i = 0; i < 3; i++)
        sent[i] = number(program, QUIPU_KIND_send, P, Q, 5, NO_REQUEST);
    for (int request = 71; request <= 73; request++)
        number(program, QUIPU_KIND_recv_post, Q, P, 5, request);
    number(program, QUIPU_KIND_cancel, Q, QUIPU_NONE, 0, 71);
    assert_int_equal(number(program, QUIPU_KIND_recv, Q, P, 5, 73), sent[1]);
    assert_int_equal(number(program, QUIPU_KIND_recv, Q, P, 5, 72), sent[0]);
    assert_int_equal(number(program, QUIPU_KIND_recv, Q, P, 5, NO_REQUEST), sent[2]);
    end(program);
}

/* 71 is posted for any sender, before 72: when it is done it turns out to have had the first send. */
static void test_matcher_receives_of_any_sender_have_the_place_of_their_posting(void **state) {
    (void)state;
    struct program *program = program_new(&definitions);
    const uint64_t first = number(program, QUIPU_KIND_send, P, Q, 5, NO_REQUEST);
    const uint64_t second = number(program, QUIPU_KIND_send, P, Q, 5, NO_REQUEST);
    number(program, QUIPU_KIND_recv_post, Q, QUIPU_NONE, 5, 71);
    number(program, QUIPU_KIND_recv_post, Q, P, 5, 72);
    assert_int_equal(number(program, QUIPU_KIND_recv, Q, P, 5, 71), first);
    assert_int_equal(number(program, QUIPU_KIND_recv, Q, P, 5, 72), second);
    end(program);
}

static void test_matcher_numbers_stop_at_their_limit(void **state) {
    (void)state;
    struct program *program = program_new(&definitions);
    for (int64_t tag = 0; tag < QUIPU__MESSAGE_KEYS_MOST + 1000; tag++) {
        program->batch.count = 0;
        assert_int_equal(number(program, QUIPU_KIND_send, P, Q, tag, NO_REQUEST) != 0,
                         tag < QUIPU__MESSAGE_KEYS_MOST);
    }
    assert_true(program->matcher.is_full);
    assert_int_equal(program->matcher.keys.count, QUIPU__MESSAGE_KEYS_MOST);
    end(program);
}

/* ---- What is left over ---- */

static uint64_t in_flight(const struct program *program, uint32_t sender) {
    for (size_t i = 0; i < program->matcher.keys.count; i++)
        if (program->matcher.keys.items[i].key.sender == sender)
            return quipu__matcher_at(&program->matcher, i).messages;
    return 0;
}

static void take_in(struct program *program) {
    for (uint32_t i = 0; i < program->batch.count; i++)
        assert_true(quipu__matcher_add_event(&program->matcher, &program->batch, i));
    assert_true(quipu__matcher_reconcile(&program->matcher));
}

/* THREAD has sent at 0 and P at 1 and 2. The receive that names P needs one of its two; the one that names no sender takes the earliest that is
 * left, that of THREAD: one of P is in flight. */
static void test_matcher_an_unknown_sender_is_the_earliest_that_no_other_receive_needs(void **state) {
    (void)state;
    struct program *program = program_new(&definitions);
    add(program, QUIPU_KIND_send, THREAD, Q, 5, NO_REQUEST);
    add(program, QUIPU_KIND_send, P, Q, 5, NO_REQUEST);
    add(program, QUIPU_KIND_send, P, Q, 5, NO_REQUEST);
    add(program, QUIPU_KIND_recv, Q, QUIPU_NONE, 5, NO_REQUEST);
    add(program, QUIPU_KIND_recv, Q, P, 5, NO_REQUEST);
    take_in(program);
    assert_int_equal(in_flight(program, THREAD), 0);
    assert_int_equal(in_flight(program, P), 1);
    end(program);
}

/* P has sent with tag 6 only: the receive of any tag takes it, that of tag 5 takes nothing and is left over. */
static void test_matcher_receives_of_unknown_senders_take_what_fits(void **state) {
    (void)state;
    struct program *program = program_new(&definitions);
    add(program, QUIPU_KIND_send, P, Q, 6, NO_REQUEST);
    add(program, QUIPU_KIND_recv, Q, QUIPU_NONE, 5, NO_REQUEST);
    add(program, QUIPU_KIND_recv, Q, P, -1, NO_REQUEST);
    take_in(program);
    assert_int_equal(program->matcher.keys.count, 3);
    assert_int_equal(program->matcher.keys.items[0].received, 1);
    assert_int_equal(program->matcher.keys.items[1].received, 1);
    assert_int_equal(program->matcher.keys.items[2].received, 0);
    end(program);
}

QUIPU_TESTS(cmocka_unit_test(test_matcher_a_send_and_its_receive_have_one_key),
            cmocka_unit_test(test_matcher_numbers_messages_of_a_class_in_order),
            cmocka_unit_test(test_matcher_numbers_are_in_the_order_of_posting),
            cmocka_unit_test(test_matcher_cancelled_receives_have_no_number),
            cmocka_unit_test(test_matcher_receives_of_any_sender_have_the_place_of_their_posting),
            cmocka_unit_test(test_matcher_numbers_stop_at_their_limit),
            cmocka_unit_test(test_matcher_an_unknown_sender_is_the_earliest_that_no_other_receive_needs),
            cmocka_unit_test(test_matcher_receives_of_unknown_senders_take_what_fits))
