/* test_spill.c: what a budget holds beyond its limit. */
#include "harness.h"

#include "core/memory/memory.h"

#include <stdlib.h>

enum { LIMIT = 1 << 20, LARGE = 300000 };

static struct quipu_budget *budget;
static struct quipu__memory memory;

static void open_budget(uint64_t temporary_limit) {
    assert_int_equal(quipu_budget_new(LIMIT, NULL, &budget, NULL), QUIPU_OK);
    assert_int_equal(quipu_budget_spill(budget, temporary_limit, NULL), QUIPU_OK);
    const struct quipu_allocator allocator = quipu_budget_allocator(budget);
    quipu__memory_of(&memory, &allocator, 0);
}

static int set_up(void **state) {
    (void)state;
    budget = NULL;
    return setenv("TMPDIR", harness_folder(), 1);
}

static int tear_down(void **state) {
    (void)state;
    const size_t used = memory.used;
    quipu_budget_free(budget);
    return used != 0;
}

/* Bytes that tell each place of each block. */
static void fill(uint8_t *block, size_t from, size_t to, unsigned seed) {
    for (size_t i = from; i < to; i++)
        block[i] = (uint8_t)(i * 7 + i / 251 + seed);
}

static void assert_filled(const uint8_t *block, size_t size, unsigned seed) {
    for (size_t i = 0; i < size; i++)
        if (block[i] != (uint8_t)(i * 7 + i / 251 + seed))
            fail_msg("byte %zu of block %u has changed", i, seed);
}

static void test_spill_keeps_what_fits_in_memory(void **state) {
    (void)state;
    open_budget(0);
    void *block = quipu__alloc(&memory, LARGE);
    assert_non_null(block);
    assert_int_equal(quipu_budget_spilled(budget), 0);
    assert_int_equal(quipu_budget_status(budget, NULL), QUIPU_OK);
    quipu__release(&memory, block, LARGE);
}

static void test_spill_keeps_the_bytes_of_a_block_that_grows_and_shrinks(void **state) {
    (void)state;
    static const size_t sizes[] = {10, 70000, LARGE, 700000, 3000000, 40000000, 90000, 2000000, 5000, 100000};
    open_budget(0);
    uint8_t *block = NULL;
    size_t before = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        block = quipu__resize(&memory, block, before, sizes[i]);
        assert_non_null(block);
        fill(block, before, sizes[i], 3);
        assert_filled(block, sizes[i], 3);
        before = sizes[i];
        assert_true(quipu_budget_used(budget) <= LIMIT);
    }
    assert_true(quipu_budget_spilled(budget) >= 40000000);
    assert_true(quipu_budget_peak(budget) <= LIMIT);
    quipu__release(&memory, block, before);
}

/* Many blocks grow by turns, as the arrays of an analysis do. */
static void test_spill_keeps_blocks_apart(void **state) {
    (void)state;
    enum { BLOCKS = 12 };
    uint8_t *blocks[BLOCKS] = {NULL};
    size_t sizes[BLOCKS] = {0};
    open_budget(0);
    for (unsigned step = 0; step < 400; step++) {
        const unsigned i = step * 7 % BLOCKS;
        const size_t size =
            step * 2654435761u % 31 == 0 ? 100 : sizes[i] + sizes[i] / 4 + step * 97 % 30000 + 1;
        blocks[i] = quipu__resize(&memory, blocks[i], sizes[i], size);
        assert_non_null(blocks[i]);
        fill(blocks[i], sizes[i], size, i);
        sizes[i] = size;
    }
    assert_true(quipu_budget_spilled(budget) > 0);
    for (unsigned i = 0; i < BLOCKS; i++) {
        assert_filled(blocks[i], sizes[i], i);
        quipu__release(&memory, blocks[i], sizes[i]);
    }
}

static void test_spill_is_refused_beyond_its_limit(void **state) {
    (void)state;
    struct quipu_error err = QUIPU_ERROR_INIT;
    open_budget(4000000);
    void *block = quipu__alloc(&memory, 3000000);
    assert_non_null(block);
    assert_int_equal(quipu_budget_status(budget, NULL), QUIPU_OK);
    assert_null(quipu__alloc(&memory, 3000000));
    assert_null(quipu__alloc(&memory, SIZE_MAX / 2));
    assert_int_equal(quipu__memory_status(&memory, NULL), QUIPU_NO_MEMORY);
    assert_int_equal(quipu_budget_status(budget, &err), QUIPU_LIMIT);
    assert_non_null(strstr(err.message, "would need more than 4000000 bytes"));
    assert_non_null(strstr(err.message, getenv("TMPDIR")));
    quipu__release(&memory, block, 3000000);
    block = quipu__alloc(&memory, 3500000);
    assert_non_null(block);
    quipu__release(&memory, block, 3500000);
}

static void test_budget_that_does_not_spill_refuses_without_a_reason(void **state) {
    (void)state;
    assert_int_equal(quipu_budget_new(LIMIT, NULL, &budget, NULL), QUIPU_OK);
    const struct quipu_allocator allocator = quipu_budget_allocator(budget);
    quipu__memory_of(&memory, &allocator, 0);
    assert_null(quipu__alloc(&memory, 2 * LIMIT));
    assert_int_equal(quipu_budget_status(budget, NULL), QUIPU_OK);
    assert_int_equal(quipu_budget_spilled(budget), 0);
}

static void test_spill_without_a_folder_is_refused(void **state) {
    (void)state;
    struct quipu_error err = QUIPU_ERROR_INIT;
    assert_int_equal(setenv("TMPDIR", "/no/such/folder", 1), 0);
    open_budget(0);
    assert_null(quipu__alloc(&memory, 3000000));
    assert_int_equal(quipu_budget_status(budget, &err), QUIPU_LIMIT);
    assert_non_null(strstr(err.message, "No such file"));
    assert_int_equal(quipu_budget_spilled(budget), 0);
}

/* Of 64 MiB small blocks have 40 and a large one 20: with 8 for pages of the file and 8 kept for more small blocks, memory has 8 for it. */
static void test_spill_leaves_room_for_small_blocks(void **state) {
    (void)state;
    enum { SMALL = 32 << 10, FIRST = 40 << 5, MORE = 7 << 5, MUCH = 20 << 20 };
    static void *blocks[FIRST + MORE];
    assert_int_equal(quipu_budget_new((size_t)64 << 20, NULL, &budget, NULL), QUIPU_OK);
    assert_int_equal(quipu_budget_spill(budget, 0, NULL), QUIPU_OK);
    const struct quipu_allocator allocator = quipu_budget_allocator(budget);
    quipu__memory_of(&memory, &allocator, 0);
    for (size_t i = 0; i < FIRST; i++)
        assert_non_null(blocks[i] = quipu__alloc(&memory, SMALL));
    void *large = quipu__alloc(&memory, MUCH);
    assert_non_null(large);
    assert_true(quipu_budget_spilled(budget) >= MUCH);
    for (size_t i = FIRST; i < FIRST + MORE; i++)
        assert_non_null(blocks[i] = quipu__alloc(&memory, SMALL));
    for (size_t i = 0; i < FIRST + MORE; i++)
        quipu__release(&memory, blocks[i], SMALL);
    quipu__release(&memory, large, MUCH);
}

QUIPU_TESTS(cmocka_unit_test_setup_teardown(test_spill_leaves_room_for_small_blocks, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_spill_keeps_what_fits_in_memory, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_spill_keeps_the_bytes_of_a_block_that_grows_and_shrinks,
                                            set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_spill_keeps_blocks_apart, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_spill_is_refused_beyond_its_limit, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_budget_that_does_not_spill_refuses_without_a_reason, set_up,
                                            tear_down),
            cmocka_unit_test_setup_teardown(test_spill_without_a_folder_is_refused, set_up, tear_down))
