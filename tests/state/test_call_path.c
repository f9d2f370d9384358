/* test_call_path.c: paths of calls as numbers. */
#include "harness.h"

#include "state/call_path.h"

static void test_call_path_has_one_number_for_each_stack(void **state) {
    struct quipu__memory memory;
    struct quipu__call_paths paths;
    (void)state;
    quipu__memory_init(&memory, NULL, 0);
    assert_true(quipu__call_paths_init(&paths, &memory));
    assert_int_equal(quipu__call_path_region(&paths, QUIPU__NO_CALLS), QUIPU_NONE);
    const uint32_t main = quipu__call_path_enter(&paths, QUIPU__NO_CALLS, 7);
    const uint32_t solve = quipu__call_path_enter(&paths, main, 3),
                   again = quipu__call_path_enter(&paths, solve, 3);
    assert_true(main != solve && solve != again && main != QUIPU__NO_CALLS);
    assert_int_equal(quipu__call_path_enter(&paths, QUIPU__NO_CALLS, 7), main);
    assert_int_equal(quipu__call_path_enter(&paths, main, 3), solve);
    assert_true(quipu__call_path_enter(&paths, QUIPU__NO_CALLS, 3) != solve); /* another stack */
    assert_int_equal(quipu__call_path_region(&paths, again), 3);
    assert_int_equal(paths.list.items[again].parent, solve);
    assert_int_equal(paths.list.items[again].depth, 3);
    assert_int_equal(paths.list.count, 5);
    quipu__call_paths_release(&paths);
    assert_int_equal(memory.used, 0);
}

/* More paths than are remembered as recent ones keep their numbers. */
static void test_call_path_many_paths_are_found_again(void **state) {
    enum { REGIONS = 5000 };
    struct quipu__memory memory;
    struct quipu__call_paths paths;
    static uint32_t numbers[REGIONS];
    (void)state;
    quipu__memory_init(&memory, NULL, 0);
    assert_true(quipu__call_paths_init(&paths, &memory));
    for (uint32_t i = 0; i < REGIONS; i++)
        numbers[i] = quipu__call_path_enter(&paths, QUIPU__NO_CALLS, i);
    for (uint32_t i = 0; i < REGIONS; i++) {
        assert_int_equal(quipu__call_path_enter(&paths, QUIPU__NO_CALLS, i), numbers[i]);
        assert_int_equal(quipu__call_path_region(&paths, numbers[i]), i);
    }
    assert_int_equal(paths.list.count, REGIONS + 1);
    quipu__call_paths_release(&paths);
    assert_int_equal(memory.used, 0);
}

/* The same call from another place is another path; what it calls goes on from there. */
static void test_call_path_tells_places_apart(void **state) {
    struct quipu__memory memory;
    struct quipu__call_paths paths;
    (void)state;
    quipu__memory_init(&memory, NULL, 0);
    assert_true(quipu__call_paths_init(&paths, &memory));
    const uint32_t main = quipu__call_path_enter(&paths, QUIPU__NO_CALLS, 7),
                   send = quipu__call_path_enter(&paths, main, 3), here = quipu__call_path_at(&paths, send, 0),
                   there = quipu__call_path_at(&paths, send, 9);
    assert_true(here != there && here != send && there != send);
    assert_int_equal(quipu__call_path_at(&paths, send, 0), here);
    assert_int_equal(quipu__call_path_enter(&paths, main, 3), send);
    assert_int_equal(paths.list.items[send].source, QUIPU_NONE);
    assert_int_equal(paths.list.items[there].source, 9);
    assert_int_equal(paths.list.items[there].parent, main);
    assert_int_equal(paths.list.items[there].depth, 2);
    assert_int_equal(quipu__call_path_region(&paths, there), 3);
    const uint32_t inner = quipu__call_path_enter(&paths, there, 0);
    assert_int_not_equal(inner, quipu__call_path_enter(&paths, here, 0));
    assert_int_equal(paths.list.items[inner].source, QUIPU_NONE);
    quipu__call_paths_release(&paths);
    assert_int_equal(memory.used, 0);
}

QUIPU_TESTS(cmocka_unit_test(test_call_path_tells_places_apart),
            cmocka_unit_test(test_call_path_has_one_number_for_each_stack),
            cmocka_unit_test(test_call_path_many_paths_are_found_again))
