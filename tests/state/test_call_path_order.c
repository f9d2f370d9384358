/* Paths of calls in an order, against comparing each with each from the beginning. */
#include "harness.h"

#include "state/call_path.h"

enum { PATHS = 300, REGIONS = 7 };

static uint32_t next_number(uint32_t *seed) {
    *seed = *seed * 1103515245 + 12345;
    return *seed >> 16;
}

static void make_paths(struct quipu__call_paths *paths, struct quipu__memory *memory) {
    uint32_t seed = 1;
    quipu__memory_init(memory, NULL, 0);
    assert_true(quipu__call_paths_init(paths, memory));
    while (paths->list.count < PATHS) {
        const uint32_t parent = next_number(&seed) % (uint32_t)paths->list.count;
        assert_int_not_equal(quipu__call_path_enter(paths, parent, next_number(&seed) % REGIONS), QUIPU_NONE);
    }
}

/* Pairs of regions have one place, in another order than their numbers have. */
static uint32_t place_of(const void *context, uint32_t region) {
    assert_string_equal(context, "context");
    return (REGIONS - region) / 2;
}

static size_t list_places(const struct quipu__call_paths *paths, uint32_t path, bool has_places,
                          uint32_t *out) {
    const size_t depth = paths->list.items[path].depth;
    for (size_t i = depth; i-- > 0; path = paths->list.items[path].parent) {
        const uint32_t region = paths->list.items[path].region;
        out[i] = has_places ? place_of("context", region) : region;
    }
    return depth;
}

static int compare_slowly(const struct quipu__call_paths *paths, uint32_t a, uint32_t b, bool has_places) {
    uint32_t left[PATHS], right[PATHS];
    const size_t left_count = list_places(paths, a, has_places, left),
                 right_count = list_places(paths, b, has_places, right);
    for (size_t i = 0; i < left_count && i < right_count; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return (left_count > right_count) - (left_count < right_count);
}

static void assert_in_order(const struct quipu__call_paths *paths, const uint32_t *places, bool has_places) {
    for (uint32_t a = 0; a < paths->list.count; a++)
        for (uint32_t b = 0; b < paths->list.count; b++)
            assert_int_equal((places[a] > places[b]) - (places[a] < places[b]),
                             compare_slowly(paths, a, b, has_places));
}

static void test_paths_are_in_the_order_of_their_regions(void **state) {
    (void)state;
    struct quipu__memory memory;
    struct quipu__call_paths paths;
    make_paths(&paths, &memory);
    uint32_t *places = quipu__call_path_places(&paths, NULL, NULL);
    assert_non_null(places);
    assert_in_order(&paths, places, false);
    quipu__call_path_places_release(&paths, places);
    quipu__call_paths_release(&paths);
    assert_int_equal(memory.used, 0);
}

static void test_paths_of_regions_with_one_place_have_one_place(void **state) {
    (void)state;
    struct quipu__memory memory;
    struct quipu__call_paths paths;
    make_paths(&paths, &memory);
    uint32_t *places = quipu__call_path_places(&paths, place_of, "context");
    assert_non_null(places);
    assert_in_order(&paths, places, true);
    quipu__call_path_places_release(&paths, places);
    quipu__call_paths_release(&paths);
    assert_int_equal(memory.used, 0);
}

QUIPU_TESTS(cmocka_unit_test(test_paths_are_in_the_order_of_their_regions),
            cmocka_unit_test(test_paths_of_regions_with_one_place_have_one_place))
