/* test_communicator_constructors.c: which calls make communicators and groups, and what of a call is what. */
#include "traces.h"

#include "formats/dumpi/communicators.h"

static void test_communicator_constructors_are_calls_that_make_something(void **state) {
    static const uint32_t communicators[] = {
        QUIPU__DUMPI_TYPE_comm_dup,         QUIPU__DUMPI_TYPE_comm_create,
        QUIPU__DUMPI_TYPE_comm_split,       QUIPU__DUMPI_TYPE_cart_create,
        QUIPU__DUMPI_TYPE_cart_sub,         QUIPU__DUMPI_TYPE_graph_create,
        QUIPU__DUMPI_TYPE_intercomm_create, QUIPU__DUMPI_TYPE_intercomm_merge,
        QUIPU__DUMPI_TYPE_comm_spawn,       QUIPU__DUMPI_TYPE_comm_accept,
        QUIPU__DUMPI_TYPE_comm_connect,     QUIPU__DUMPI_TYPE_comm_get_parent,
        QUIPU__DUMPI_TYPE_comm_join,        QUIPU__DUMPI_TYPE_comm_spawn_multiple};
    static const uint32_t groups[] = {QUIPU__DUMPI_TYPE_comm_group,       QUIPU__DUMPI_TYPE_comm_remote_group,
                                      QUIPU__DUMPI_TYPE_win_get_group,    QUIPU__DUMPI_TYPE_file_get_group,
                                      QUIPU__DUMPI_TYPE_group_union,      QUIPU__DUMPI_TYPE_group_intersection,
                                      QUIPU__DUMPI_TYPE_group_difference, QUIPU__DUMPI_TYPE_group_incl,
                                      QUIPU__DUMPI_TYPE_group_excl,       QUIPU__DUMPI_TYPE_group_range_incl,
                                      QUIPU__DUMPI_TYPE_group_range_excl};
    unsigned count = 0;
    (void)state;
    for (size_t i = 0; i < sizeof communicators / sizeof *communicators; i++) {
        assert_true(quipu__dumpi_is_constructor(communicators[i]));
        assert_true(quipu__dumpi_makes_communicator(communicators[i]));
    }
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        assert_true(quipu__dumpi_is_constructor(groups[i]));
        assert_false(quipu__dumpi_makes_communicator(groups[i]));
    }
    for (uint32_t type = 0; type < QUIPU__DUMPI_TYPE_COUNT; type++)
        count += quipu__dumpi_is_constructor(type);
    assert_int_equal(count, sizeof communicators / sizeof *communicators + sizeof groups / sizeof *groups);
}

/* The communicator that is split is 2, what is made is 5; color 7 and key -3. */
static void test_communicator_constructors_have_their_arguments(void **state) {
    struct quipu__memory memory;
    struct quipu__dumpi_trace own;
    struct quipu__dumpi_constructors constructors = {{0}};
    struct quipu__dumpi_decoder decoder;
    (void)state;
    quipu__memory_init(&memory, NULL, 0);
    memset(&own, 0, sizeof own);
    memset(&decoder, 0, sizeof decoder);
    quipu__arena_init(&own.arena, &memory);
    own.memory = &memory;
    decoder.type = QUIPU__DUMPI_TYPE_comm_split;
    decoder.data.comm_split =
        (struct quipu__dumpi_comm_split){.oldcomm = 2, .color = 7, .key = -3, .newcomm = 5};
    assert_int_equal(quipu__dumpi_add_constructor(&constructors, &own, &decoder, 99, NULL), QUIPU_OK);
    decoder.type = QUIPU__DUMPI_TYPE_group_incl;
    decoder.data.group_incl =
        (struct quipu__dumpi_group_incl){.group = 3, .count = 2, .ranks = NUMBERS(4, 1), .newgroup = 6};
    assert_int_equal(quipu__dumpi_add_constructor(&constructors, &own, &decoder, 120, NULL), QUIPU_OK);
    assert_int_equal(constructors.list.count, 2);
    const struct quipu__dumpi_constructor *split = &constructors.list.items[0],
                                          *some = &constructors.list.items[1];
    assert_int_equal(split->offset, 99);
    assert_int_equal(split->parent, 2);
    assert_int_equal(split->result, 5);
    assert_int_equal(split->color, 7);
    assert_int_equal(split->key, -3);
    assert_int_equal(some->parent, 3);
    assert_int_equal(some->result, 6);
    assert_int_equal(some->count, 2);
    assert_int_equal(some->numbers[0], 4);
    assert_int_equal(some->numbers[1], 1);
    QUIPU__VEC_RELEASE(&memory, &constructors.list);
    quipu__arena_release(&own.arena);
    assert_int_equal(memory.used, 0);
}

QUIPU_TESTS(cmocka_unit_test(test_communicator_constructors_are_calls_that_make_something),
            cmocka_unit_test(test_communicator_constructors_have_their_arguments))
