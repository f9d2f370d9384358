/* Numbers of regions at locations: in the order in which they are met, by a table, and by a map where that would be large. */
#include "harness.h"

#include "analysis/shared/region_slots.h"

/* At location 1 the regions 4, 0 and 2 are met, and 4 again; at location 0 region 2. A location of its own counts from 0. Region 5 is not defined. */
static void assert_slots(uint32_t regions, uint32_t locations) {
    struct quipu__memory memory;
    struct quipu__region_slots slots;
    quipu__memory_like(&memory, NULL);
    assert_true(quipu__region_slots_init(&slots, &memory, regions, locations));
    assert_int_equal(quipu__region_slot(&slots, 1, 4), 0);
    assert_int_equal(quipu__region_slot(&slots, 1, 0), 1);
    assert_int_equal(quipu__region_slot(&slots, 1, 2), 2);
    assert_int_equal(quipu__region_slot(&slots, 1, 4), 0);
    assert_int_equal(quipu__region_slot(&slots, 0, 2), 0);
    assert_int_equal(quipu__region_slot(&slots, 1, 0), 1);
    assert_int_equal(quipu__region_slot(&slots, 0, regions), QUIPU_NONE);
    quipu__region_slots_release(&slots);
    assert_int_equal(memory.used, 0);
}

static void test_region_slots_in_tables(void **state) {
    (void)state;
    assert_slots(5, 2);
}

static void test_region_slots_in_a_map(void **state) {
    (void)state;
    assert_slots(5000, 1000);
}

QUIPU_TESTS(cmocka_unit_test(test_region_slots_in_tables), cmocka_unit_test(test_region_slots_in_a_map))
