/* test_approximations.c: fields that are written in another way are counted by type and field. */
#include "harness.h"

#include "formats/descriptor.h"

static void test_approximations_are_counted_by_field(void **state) {
    static const struct quipu_record_type first = {.name = "first"}, second = {.name = "second"};
    struct quipu__memory memory;
    (void)state;
    quipu__memory_init(&memory, NULL, 0);
    struct quipu__output_trace output = {.memory = &memory};
    quipu__output_approximates(&output, &first, 0, "rounded");
    quipu__output_approximates(&output, &first, 1, "cut");
    quipu__output_approximates(&output, &first, 0, "rounded");
    quipu__output_approximates(&output, &second, 0, "left out");
    assert_int_equal(output.approximations.count, 3);
    assert_int_equal(output.approximations.items[0].records, 2);
    assert_string_equal(output.approximations.items[0].reason, "rounded");
    assert_int_equal(output.approximations.items[1].records, 1);
    assert_int_equal(output.approximations.items[1].field, 1);
    assert_ptr_equal(output.approximations.items[2].type, &second);
    QUIPU__VEC_RELEASE(&memory, &output.approximations);
    assert_int_equal(memory.used, 0);
}

QUIPU_TESTS(cmocka_unit_test(test_approximations_are_counted_by_field))
