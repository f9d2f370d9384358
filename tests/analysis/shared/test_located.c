/* test_located.c: locations by name and number, and their ranks. */
#include "harness.h"

#include "analysis/shared/located.h"

static struct quipu__memory memory;

/* A thread has the rank of its process; of two of one name the number tells them apart. */
static void test_located_by_name_and_number(void **state) {
    struct quipu_location locations[] = {
        {.name = "a", .native_id = 1, .kind = QUIPU_LOCATION_PROCESS, .parent = QUIPU_NONE, .rank = 5},
        {.name = "thread", .native_id = 2, .kind = QUIPU_LOCATION_THREAD, .parent = 0, .rank = -1},
        {.name = "a", .native_id = 3, .kind = QUIPU_LOCATION_PROCESS, .parent = QUIPU_NONE, .rank = 6},
        {.name = "", .native_id = 77, .kind = QUIPU_LOCATION_PROCESS, .parent = QUIPU_NONE, .rank = -1}};
    const struct quipu_definitions definitions = {.locations = {locations, 4}};
    struct quipu__located located;
    (void)state;
    quipu__memory_init(&memory, NULL, 0);
    quipu__located_init(&located, &memory, &definitions);
    assert_int_equal(quipu__located_find(&located, "a", 1), 0);
    assert_int_equal(quipu__located_find(&located, "a", 3), 2);
    assert_int_equal(quipu__located_find(&located, "a", 2), QUIPU_NONE);
    assert_int_equal(quipu__located_find(&located, "77", 77), 3); /* one without name has its number */
    assert_int_equal(quipu__located_rank(&located, 0), 5);
    assert_int_equal(quipu__located_rank(&located, 1), 5);
    assert_int_equal(quipu__located_rank(&located, 3), -1);
    assert_int_equal(quipu__located_rank(&located, 4), -1);
    quipu__located_release(&located);
    assert_int_equal(memory.used, 0);
}

/* Where no location has a rank processes are counted. */
static void test_located_processes_without_ranks_are_counted(void **state) {
    struct quipu_location locations[] = {
        {.name = "node", .kind = QUIPU_LOCATION_NODE, .parent = QUIPU_NONE, .rank = -1},
        {.name = "a", .kind = QUIPU_LOCATION_PROCESS, .parent = 0, .rank = -1},
        {.name = "b", .kind = QUIPU_LOCATION_PROCESS, .parent = 0, .rank = -1},
        {.name = "t", .kind = QUIPU_LOCATION_THREAD, .parent = 2, .rank = -1}};
    const struct quipu_definitions definitions = {.locations = {locations, 4}};
    struct quipu__located located;
    (void)state;
    quipu__memory_init(&memory, NULL, 0);
    quipu__located_init(&located, &memory, &definitions);
    assert_int_equal(quipu__located_rank(&located, 0), -1);
    assert_int_equal(quipu__located_rank(&located, 1), 0);
    assert_int_equal(quipu__located_rank(&located, 2), 1);
    assert_int_equal(quipu__located_rank(&located, 3), 1);
    quipu__located_release(&located);
}

/* One rank is enough, 0 among them: then the others have none. */
static void test_located_processes_beside_one_with_a_rank_are_not_counted(void **state) {
    struct quipu_location locations[] = {
        {.name = "a", .kind = QUIPU_LOCATION_PROCESS, .parent = QUIPU_NONE, .rank = 0},
        {.name = "b", .kind = QUIPU_LOCATION_PROCESS, .parent = QUIPU_NONE, .rank = -1},
        {.name = "t", .kind = QUIPU_LOCATION_THREAD, .parent = 1, .rank = 0}};
    struct quipu_definitions definitions = {.locations = {locations, 2}};
    struct quipu__located located;
    (void)state;
    quipu__memory_init(&memory, NULL, 0);
    quipu__located_init(&located, &memory, &definitions);
    assert_int_equal(quipu__located_rank(&located, 0), 0);
    assert_int_equal(quipu__located_rank(&located, 1), -1);
    quipu__located_release(&located);
    definitions.locations.count = 3;
    quipu__located_init(&located, &memory, &definitions);
    assert_int_equal(quipu__located_rank(&located, 2), 0); /* a thread that is a rank itself */
    quipu__located_release(&located);
}

QUIPU_TESTS(cmocka_unit_test(test_located_processes_beside_one_with_a_rank_are_not_counted),
            cmocka_unit_test(test_located_by_name_and_number),
            cmocka_unit_test(test_located_processes_without_ranks_are_counted))
