/* test_scratch.c: memory of one record, used again for the next. */
#include "schema/sample.h"

static void test_scratch_keeps_a_records_pointers_while_it_grows(void **state) {
    (void)state;
    for (int round = 0; round < 3; round++) {
        char *first = quipu__scratch_text(&scratch, "first", 5);
        uint32_t *large = quipu__scratch_sized(&scratch, 1000000, sizeof *large);
        assert_non_null(large);
        large[999999] = 1;
        assert_string_equal(first, "first");
        assert_int_equal(quipu_sized_count(first), 5);
        assert_int_equal(quipu_sized_count(large), 1000000);
        assert_true((uintptr_t)large % 8 == 0);
        quipu__scratch_reset(&scratch);
    }
}

static void test_scratch_does_not_allocate_once_it_is_large_enough(void **state) {
    (void)state;
    for (int i = 0; i < 10; i++, quipu__scratch_reset(&scratch))
        assert_non_null(quipu__scratch_sized(&scratch, 1000, 8));
    const uint64_t requests = memory.requests;
    for (int i = 0; i < 1000; i++, quipu__scratch_reset(&scratch))
        assert_non_null(quipu__scratch_sized(&scratch, 1000, 8));
    assert_true(memory.requests == requests);
}

static void test_scratch_refuses_what_cannot_be(void **state) {
    (void)state;
    assert_null(quipu__scratch_sized(&scratch, UINT32_MAX, SIZE_MAX / 16));
    assert_null(quipu__scratch_sized(&scratch, UINT32_MAX, 8)); /* beyond the memory limit */
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
QUIPU_TESTS(TEST(test_scratch_keeps_a_records_pointers_while_it_grows),
            TEST(test_scratch_does_not_allocate_once_it_is_large_enough),
            TEST(test_scratch_refuses_what_cannot_be))
