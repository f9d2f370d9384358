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

/* Pairs of regions have one position, in another order than their numbers have. */
static uint32_t position_of(const void *context, uint32_t path) {
    const struct quipu__call_paths *paths = context;
    return (REGIONS - paths->list.items[path].region) / 2;
}

static size_t list_positions(const struct quipu__call_paths *paths, uint32_t path, bool has_positions,
                             uint32_t *out) {
    const size_t depth = paths->list.items[path].depth;
    for (size_t i = depth; i-- > 0; path = paths->list.items[path].parent) {
        out[i] = has_positions ? position_of(paths, path) : paths->list.items[path].region;
    }
    return depth;
}

static int compare_slowly(const struct quipu__call_paths *paths, uint32_t a, uint32_t b, bool has_positions) {
    uint32_t left[PATHS], right[PATHS];
    const size_t left_count = list_positions(paths, a, has_positions, left),
                 right_count = list_positions(paths, b, has_positions, right);
    for (size_t i = 0; i < left_count && i < right_count; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return (left_count > right_count) - (left_count < right_count);
}

static void assert_in_order(const struct quipu__call_paths *paths, const uint32_t *positions,
                            bool has_positions) {
    for (uint32_t a = 0; a < paths->list.count; a++)
        for (uint32_t b = 0; b < paths->list.count; b++)
            assert_int_equal((positions[a] > positions[b]) - (positions[a] < positions[b]),
                             compare_slowly(paths, a, b, has_positions));
}

static void test_paths_are_in_the_order_of_their_regions(void **state) {
    (void)state;
    struct quipu__memory memory;
    struct quipu__call_paths paths;
    make_paths(&paths, &memory);
    uint32_t *positions = quipu__call_path_positions(&paths, NULL, NULL);
    assert_non_null(positions);
    assert_in_order(&paths, positions, false);
    quipu__call_path_positions_release(&paths, positions);
    quipu__call_paths_release(&paths);
    assert_int_equal(memory.used, 0);
}

static void test_paths_of_regions_with_one_position_have_one_position(void **state) {
    (void)state;
    struct quipu__memory memory;
    struct quipu__call_paths paths;
    make_paths(&paths, &memory);
    uint32_t *positions = quipu__call_path_positions(&paths, position_of, &paths);
    assert_non_null(positions);
    assert_in_order(&paths, positions, true);
    quipu__call_path_positions_release(&paths, positions);
    quipu__call_paths_release(&paths);
    assert_int_equal(memory.used, 0);
}

QUIPU_TESTS(cmocka_unit_test(test_paths_are_in_the_order_of_their_regions),
            cmocka_unit_test(test_paths_of_regions_with_one_position_have_one_position))
