/* test_charge.c: memory that a library takes by itself counts at the gate. */
#include "harness.h"

#include "core/memory/charge.h"

static void test_charge_counts_at_the_gate(void **state) {
    struct quipu__memory memory;
    (void)state;
    quipu__memory_init(&memory, NULL, 0);
    struct quipu__charge charge = {.memory = &memory};
    assert_true(quipu__charge_add(&charge, 1000));
    assert_true(quipu__charge_add(&charge, 500));
    assert_int_equal(charge.bytes, 1500);
    assert_true(memory.used >= 1500);
    const size_t used = memory.used;
    quipu__charge_give(&charge, 500);
    assert_int_equal(charge.bytes, 1000);
    assert_int_equal(memory.used, used); /* the blocks stay for what comes next */
    assert_true(quipu__charge_add(&charge, 500));
    assert_int_equal(memory.used, used);
    quipu__charge_release(&charge);
    assert_int_equal(memory.used, 0);
}

/* A megabyte is the limit: a quarter fits, two megabytes do not, and nothing is counted that was refused. */
static void test_charge_is_refused_beyond_the_limit(void **state) {
    struct quipu__memory memory;
    (void)state;
    quipu__memory_init(&memory, NULL, 1 << 20);
    struct quipu__charge charge = {.memory = &memory};
    assert_true(quipu__charge_add(&charge, 1 << 18));
    assert_false(quipu__charge_add(&charge, 2 << 20));
    assert_int_equal(charge.bytes, 1 << 18);
    assert_true(quipu__charge_add(&charge, 1000));
    quipu__charge_release(&charge);
    assert_int_equal(memory.used, 0);
}

QUIPU_TESTS(cmocka_unit_test(test_charge_counts_at_the_gate),
            cmocka_unit_test(test_charge_is_refused_beyond_the_limit))
