/* Keys of messages: which ends threads have, and that both sides of an inter-communicator are one communicator. */
#include "harness.h"

#include "state/message_key.h"

enum { P, THREAD, OTHER_THREAD, Q, MACHINE, LOCATIONS };
enum { PROCESSES, MIXED, UNDEFINED, LEFT, RIGHT, LEFT_AGAIN, RIGHT_AGAIN, LONE, GROUPS };

static const struct quipu_location locations[LOCATIONS] = {
    [P] = {.kind = QUIPU_LOCATION_PROCESS, .parent = MACHINE},
    [THREAD] = {.kind = QUIPU_LOCATION_THREAD, .parent = P},
    [OTHER_THREAD] = {.kind = QUIPU_LOCATION_THREAD, .parent = P},
    [Q] = {.kind = QUIPU_LOCATION_PROCESS, .parent = MACHINE},
    [MACHINE] = {.kind = QUIPU_LOCATION_MACHINE, .parent = QUIPU_NONE}};

static const uint32_t ranks[] = {P, Q}, mixed[] = {P, THREAD, Q}, p[] = {P}, q[] = {Q};

#define SIDE(own, other)                                                                                       \
    { .member_count = 1, .members = own, .remote_member_count = 1, .remote_members = other }
static const struct quipu_group groups[GROUPS] = {[PROCESSES] = {.member_count = 2, .members = ranks},
                                                  [MIXED] = {.member_count = 3, .members = mixed},
                                                  [LEFT] = SIDE(p, q),
                                                  [RIGHT] = SIDE(q, p),
                                                  [LEFT_AGAIN] = SIDE(p, q),
                                                  [RIGHT_AGAIN] = SIDE(q, p),
                                                  [LONE] = SIDE(p, ranks)};

static const struct quipu_definitions definitions = {.locations = {locations, LOCATIONS},
                                                     .groups = {groups, GROUPS}};

static struct quipu__message_key key_of(enum quipu_kind kind, uint32_t location, uint32_t peer,
                                        uint32_t group) {
    struct quipu__memory memory;
    struct quipu__communicators communicators;
    struct quipu__message_key key;
    uint8_t kinds[] = {(uint8_t)kind};
    int64_t tags[] = {7};
    const struct quipu_batch batch = {
        .count = 1, .kind = kinds, .location = &location, .peer = &peer, .group = &group, .tag = tags};
    quipu__memory_init(&memory, NULL, 0);
    quipu__communicators_init(&communicators, &memory);
    assert_true(quipu__message_key_of(&communicators, &definitions, &batch, 0, &key));
    quipu__communicators_release(&communicators);
    assert_int_equal(memory.used, 0);
    assert_int_equal(key.tag, 7);
    return key;
}

/* Asserts that a send and a receive have these sender and receiver. */
static void assert_ends(uint32_t sender, uint32_t named_receiver, uint32_t named_sender, uint32_t receiver,
                        uint32_t group, uint32_t first, uint32_t second) {
    const struct quipu__message_key sent = key_of(QUIPU_KIND_send, sender, named_receiver, group);
    const struct quipu__message_key received = key_of(QUIPU_KIND_recv, receiver, named_sender, group);
    assert_int_equal(sent.sender, first);
    assert_int_equal(sent.receiver, second);
    assert_int_equal(received.sender, first);
    assert_int_equal(received.receiver, second);
}

static void test_message_key_has_exact_locations(void **state) {
    (void)state;
    assert_ends(THREAD, OTHER_THREAD, THREAD, OTHER_THREAD, QUIPU_NONE, THREAD, OTHER_THREAD);
    assert_ends(THREAD, OTHER_THREAD, THREAD, OTHER_THREAD, PROCESSES, THREAD, OTHER_THREAD);
    assert_ends(THREAD, Q, THREAD, Q, MIXED, THREAD, Q);
    assert_ends(THREAD, Q, THREAD, Q, UNDEFINED, THREAD, Q);
    assert_ends(P, Q, P, Q, PROCESSES, P, Q);
}

static void test_message_key_has_processes_where_ranks_are(void **state) {
    (void)state;
    assert_ends(THREAD, Q, P, Q, PROCESSES, P, Q);
    assert_ends(Q, P, Q, OTHER_THREAD, PROCESSES, Q, P);
    assert_ends(THREAD, Q, P, Q, LEFT, P, Q);
}

static void test_message_key_has_one_communicator_for_both_sides(void **state) {
    (void)state;
    static const struct {
        uint32_t group, number;
    } expected[] = {{LEFT, LEFT},    {RIGHT, LEFT},  {LEFT_AGAIN, LEFT_AGAIN}, {RIGHT_AGAIN, LEFT_AGAIN},
                    {LONE, LONE},    {MIXED, MIXED}, {PROCESSES, PROCESSES},   {QUIPU_NONE, QUIPU_NONE},
                    {GROUPS, GROUPS}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_int_equal(key_of(QUIPU_KIND_send, P, Q, expected[i].group).communicator, expected[i].number);
}

static void test_message_key_order_matters_where_threads_are_one_rank(void **state) {
    (void)state;
    struct quipu_definitions few = definitions;
    assert_true(quipu__threads_share_keys(&few));
    few.groups = (struct quipu_groups){&groups[MIXED], 2};
    assert_false(quipu__threads_share_keys(&few)); /* threads are ranks of their own */
    few = definitions;
    few.locations.count = 1;
    assert_false(quipu__threads_share_keys(&few)); /* there are none */
}

QUIPU_TESTS(cmocka_unit_test(test_message_key_has_exact_locations),
            cmocka_unit_test(test_message_key_has_processes_where_ranks_are),
            cmocka_unit_test(test_message_key_has_one_communicator_for_both_sides),
            cmocka_unit_test(test_message_key_order_matters_where_threads_are_one_rank))
