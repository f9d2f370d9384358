/* test_ends.c: whom locations stand for, and that both sides of an inter-communicator are one communicator. */
#include "harness.h"

#include "state/ends.h"

enum { P, THREAD, OTHER_THREAD, NESTED, Q, MACHINE, LOCATIONS };
enum { PROCESSES, MIXED, NO_COMMUNICATOR, UNDEFINED, LEFT, RIGHT, LEFT_AGAIN, RIGHT_AGAIN, LONE, GROUPS };

/* NESTED is a thread of THREAD, which is one of P. */
static const struct quipu_location locations[LOCATIONS] = {
    [P] = {.kind = QUIPU_LOCATION_PROCESS, .parent = MACHINE},
    [THREAD] = {.kind = QUIPU_LOCATION_THREAD, .parent = P},
    [OTHER_THREAD] = {.kind = QUIPU_LOCATION_THREAD, .parent = P},
    [NESTED] = {.kind = QUIPU_LOCATION_THREAD, .parent = THREAD},
    [Q] = {.kind = QUIPU_LOCATION_PROCESS, .parent = MACHINE},
    [MACHINE] = {.kind = QUIPU_LOCATION_MACHINE, .parent = QUIPU_NONE}};

static const uint32_t ranks[] = {P, Q}, mixed[] = {P, THREAD, Q}, others[] = {OTHER_THREAD}, p[] = {P},
                      q[] = {Q};

#define SIDE(own, other)                                                                                       \
    {                                                                                                          \
        .is_communicator = true, .member_count = 1, .members = own, .remote_member_count = 1,                  \
        .remote_members = other                                                                                \
    }
static const struct quipu_group groups[GROUPS] = {
    [PROCESSES] = {.is_communicator = true, .member_count = 2, .members = ranks},
    [MIXED] = {.is_communicator = true, .member_count = 3, .members = mixed},
    [NO_COMMUNICATOR] = {.member_count = 1, .members = others},
    [UNDEFINED] = {.is_communicator = true},
    [LEFT] = SIDE(p, q),
    [RIGHT] = SIDE(q, p),
    [LEFT_AGAIN] = SIDE(p, q),
    [RIGHT_AGAIN] = SIDE(q, p),
    [LONE] = {.is_communicator = true,
              .member_count = 1,
              .members = p,
              .remote_member_count = 2,
              .remote_members = ranks}};

static const struct quipu_definitions definitions = {.locations = {locations, LOCATIONS},
                                                     .groups = {groups, GROUPS}};

struct fixture {
    struct quipu__memory memory;
    struct quipu__ends ends;
};

static struct fixture *fixture_new(void) {
    static struct fixture fixture;
    quipu__memory_init(&fixture.memory, NULL, 0);
    quipu__ends_init(&fixture.ends, &fixture.memory, &definitions);
    return &fixture;
}

static void end(struct fixture *fixture) {
    quipu__ends_release(&fixture->ends);
    assert_int_equal(fixture->memory.used, 0);
}

/* Twice: what has been asked before is known. */
static void assert_end(uint32_t group, uint32_t location, uint32_t expected) {
    struct fixture *fixture = fixture_new();
    for (int i = 0; i < 2; i++) {
        uint32_t found;
        assert_true(quipu__end_of(&fixture->ends, group, location, &found));
        assert_int_equal(found, expected);
    }
    end(fixture);
}

static void test_ends_without_a_communicator_are_locations(void **state) {
    (void)state;
    for (uint32_t i = 0; i < LOCATIONS; i++)
        assert_end(QUIPU_NONE, i, i);
    assert_end(PROCESSES, QUIPU_NONE, QUIPU_NONE); /* whom a receive does not name */
}

static void test_ends_are_the_nearest_members(void **state) {
    (void)state;
    assert_end(PROCESSES, P, P);
    assert_end(PROCESSES, THREAD, P);
    assert_end(PROCESSES, NESTED, P);
    assert_end(MIXED, THREAD, THREAD);
    assert_end(MIXED, NESTED, THREAD);
    assert_end(MIXED, OTHER_THREAD, P);
    assert_end(LEFT, THREAD, P);
    assert_end(RIGHT, THREAD, P);                            /* a remote member */
    assert_end(NO_COMMUNICATOR, OTHER_THREAD, OTHER_THREAD); /* events may name any group */
}

/* THREAD is a member of MIXED, so it is a process wherever it is no member; OTHER_THREAD is one of no communicator. */
static void test_ends_are_processes_where_nothing_is_a_member(void **state) {
    (void)state;
    static const uint32_t expected[LOCATIONS] = {
        [P] = P, [THREAD] = THREAD, [OTHER_THREAD] = P, [NESTED] = THREAD, [Q] = Q, [MACHINE] = MACHINE};
    static const uint32_t unknown[] = {UNDEFINED, GROUPS + 7};
    for (uint32_t i = 0; i < 2 * LOCATIONS; i++)
        assert_end(unknown[i % 2], i / 2, expected[i / 2]);
    struct fixture *fixture = fixture_new();
    for (uint32_t i = 0; i < LOCATIONS; i++) {
        assert_int_equal(quipu__ends_standing(&fixture->ends, i)->process, expected[i]);
    }
    assert_null(quipu__ends_standing(&fixture->ends, LOCATIONS));
    assert_int_equal(quipu__ends_outermost(&fixture->ends, NESTED), P);
    assert_int_equal(quipu__ends_outermost(&fixture->ends, Q), Q);
    end(fixture);
}

/* A walk round a circle ends where it began, and meets so many others. */
static uint32_t count_others(const struct quipu__ends *ends, uint32_t location) {
    uint32_t count = 0;
    for (uint32_t i = quipu__ends_next(ends, location); i != location; i = quipu__ends_next(ends, i))
        assert_true(++count < LOCATIONS);
    return count;
}

static void test_ends_that_may_be_one_are_in_a_circle(void **state) {
    (void)state;
    static const uint32_t expected[LOCATIONS] = {
        [P] = 3, [THREAD] = 3, [OTHER_THREAD] = 3, [NESTED] = 3, [Q] = 0, [MACHINE] = 0};
    struct fixture *fixture = fixture_new();
    assert_non_null(quipu__ends_standing(&fixture->ends, P));
    for (uint32_t i = 0; i < LOCATIONS; i++)
        assert_int_equal(count_others(&fixture->ends, i), expected[i]);
    end(fixture);
}

/* Of a damaged trace: the first two have each other for parent, the third one itself. */
static void test_ends_of_locations_in_a_loop(void **state) {
    (void)state;
    static const struct quipu_location loops[] = {{.kind = QUIPU_LOCATION_PROCESS, .parent = 1},
                                                  {.kind = QUIPU_LOCATION_PROCESS, .parent = 0},
                                                  {.kind = QUIPU_LOCATION_PROCESS, .parent = 2}};
    static const struct quipu_definitions damaged = {.locations = {loops, 3}};
    struct fixture *fixture = fixture_new();
    fixture->ends.definitions = &damaged;
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(quipu__ends_standing(&fixture->ends, i)->process, i);
        assert_int_equal(count_others(&fixture->ends, i), i < 2);
    }
    end(fixture);
}

static void test_ends_know_the_places_of_members(void **state) {
    (void)state;
    struct fixture *fixture = fixture_new();
    assert_int_equal(quipu__ends_member(&fixture->ends, MIXED, THREAD), 1);
    assert_int_equal(quipu__ends_member(&fixture->ends, MIXED, OTHER_THREAD), QUIPU_NONE);
    assert_int_equal(quipu__ends_member(&fixture->ends, LEFT, P), 0);
    assert_int_equal(quipu__ends_member(&fixture->ends, LEFT, Q), 1); /* remote members are behind */
    assert_int_equal(quipu__ends_member(&fixture->ends, GROUPS, P), QUIPU_NONE);
    end(fixture);
}

static void test_ends_both_sides_of_an_inter_communicator_are_one(void **state) {
    (void)state;
    static const struct {
        uint32_t group, number;
    } expected[] = {{LEFT, LEFT},    {RIGHT, LEFT},  {LEFT_AGAIN, LEFT_AGAIN}, {RIGHT_AGAIN, LEFT_AGAIN},
                    {LONE, LONE},    {MIXED, MIXED}, {PROCESSES, PROCESSES},   {QUIPU_NONE, QUIPU_NONE},
                    {GROUPS, GROUPS}};
    struct fixture *fixture = fixture_new();
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        uint32_t number;
        assert_true(quipu__ends_communicator(&fixture->ends, expected[i].group, &number));
        assert_int_equal(number, expected[i].number);
    }
    end(fixture);
}

static void test_ends_order_matters_where_a_process_has_threads(void **state) {
    (void)state;
    struct quipu_definitions few = definitions;
    assert_true(quipu__has_threads(&few));
    few.locations.count = 1;
    assert_false(quipu__has_threads(&few)); /* the parent of P is a machine */
}

QUIPU_TESTS(cmocka_unit_test(test_ends_without_a_communicator_are_locations),
            cmocka_unit_test(test_ends_are_the_nearest_members),
            cmocka_unit_test(test_ends_are_processes_where_nothing_is_a_member),
            cmocka_unit_test(test_ends_that_may_be_one_are_in_a_circle),
            cmocka_unit_test(test_ends_of_locations_in_a_loop),
            cmocka_unit_test(test_ends_know_the_places_of_members),
            cmocka_unit_test(test_ends_both_sides_of_an_inter_communicator_are_one),
            cmocka_unit_test(test_ends_order_matters_where_a_process_has_threads))
