/* test_budget.c: one ceiling for several gates. */
#include "harness.h"

#include "core/memory/memory.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void gate_of(struct quipu_budget *budget, struct quipu__memory *memory) {
    const struct quipu_allocator allocator = quipu_budget_allocator(budget);
    quipu__memory_init(memory, &allocator, 0);
}

static void test_budget_is_shared_by_all_gates(void **state) {
    (void)state;
    struct quipu_budget *budget;
    struct quipu__memory first, second;
    assert_int_equal(quipu_budget_new(1000, NULL, &budget, NULL), QUIPU_OK);
    gate_of(budget, &first);
    gate_of(budget, &second);
    void *a = quipu__alloc(&first, 600);
    assert_non_null(a);
    assert_null(quipu__alloc(&second, 401));
    assert_int_equal(quipu__memory_status(&second, NULL), QUIPU_NO_MEMORY);
    assert_int_equal(quipu__memory_status(&first, NULL), QUIPU_OK);
    void *b = quipu__alloc(&second, 400);
    assert_non_null(b);
    assert_int_equal(quipu_budget_used(budget), 1000);
    a = quipu__resize(&first, a, 600, 100);
    assert_int_equal(quipu_budget_used(budget), 500);
    b = quipu__resize(&second, b, 400, 900);
    assert_non_null(b);
    quipu__release(&first, a, 100);
    quipu__release(&second, b, 900);
    assert_int_equal(quipu_budget_used(budget), 0);
    assert_int_equal(quipu_budget_peak(budget), 1000);
    quipu_budget_free(budget);
}

static void *refuse(void *context, void *block, size_t old_size, size_t size) {
    struct quipu__memory *memory = context;
    return size > 5000 ? NULL : quipu__resize(memory, block, old_size, size);
}

static void test_budget_gives_back_what_its_allocator_refuses(void **state) {
    (void)state;
    struct quipu_budget *budget;
    struct quipu__memory inner, gate;
    quipu__memory_init(&inner, NULL, 0);
    const struct quipu_allocator allocator = {refuse, &inner};
    assert_int_equal(quipu_budget_new(10000, &allocator, &budget, NULL), QUIPU_OK);
    gate_of(budget, &gate);
    assert_null(quipu__alloc(&gate, 6000));
    assert_int_equal(quipu_budget_used(budget), 0);
    quipu_budget_free(budget);
    assert_int_equal(inner.used, 0);
}

/* Bytes in the memory of the process that lie in no file; 0 where the system does not say. */
static uint64_t resident_bytes(void) {
    unsigned long long total = 0, resident = 0, shared = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%llu %llu %llu", &total, &resident, &shared) != 3)
        resident = shared = 0;
    if (file)
        fclose(file);
    return (resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* The C library gives nothing back by itself, because of the block behind all others. */
static void test_what_is_freed_goes_back_to_the_system(void **state) {
    (void)state;
#if !defined(__GLIBC__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip();
#endif
    enum { BLOCKS = 20000, BYTES = 2000 };
    static void *blocks[BLOCKS];
    struct quipu_budget *budget;
    struct quipu__memory gate;
    assert_int_equal(quipu_budget_new((size_t)BLOCKS * BYTES * 2, NULL, &budget, NULL), QUIPU_OK);
    gate_of(budget, &gate);
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = quipu__alloc(&gate, BYTES);
        assert_non_null(blocks[i]);
        memset(blocks[i], 1, BYTES);
    }
    const uint64_t before = resident_bytes();
    if (before == 0)
        skip();
    for (int i = 0; i + 1 < BLOCKS; i++)
        quipu__release(&gate, blocks[i], BYTES);
    assert_true(before - resident_bytes() > (uint64_t)BLOCKS * BYTES / 3);
    quipu__release(&gate, blocks[BLOCKS - 1], BYTES);
    quipu_budget_free(budget);
}

static void test_gate_remembers_refusals_until_it_forgives(void **state) {
    (void)state;
    struct quipu__memory memory;
    quipu__memory_init(&memory, NULL, 100);
    assert_int_equal(quipu__memory_status(&memory, NULL), QUIPU_OK);
    assert_null(quipu__alloc(&memory, 101));
    void *block = quipu__alloc(&memory, 100);
    assert_non_null(block);
    assert_int_equal(quipu__memory_status(&memory, NULL), QUIPU_NO_MEMORY);
    quipu__memory_forgive(&memory);
    assert_int_equal(quipu__memory_status(&memory, NULL), QUIPU_OK);
    quipu__release(&memory, block, 100);
}

static void test_sized_blocks_need_no_size_to_be_freed(void **state) {
    (void)state;
    struct quipu__memory memory;
    quipu__memory_init(&memory, NULL, 1000);
    void *block = quipu__alloc_sized(&memory, 500);
    assert_non_null(block);
    assert_null(quipu__alloc_sized(&memory, 500));
    assert_null(quipu__alloc_sized(&memory, SIZE_MAX));
    quipu__release_sized(&memory, block);
    quipu__release_sized(&memory, NULL);
    assert_int_equal(memory.used, 0);
}

QUIPU_TESTS(cmocka_unit_test(test_budget_is_shared_by_all_gates),
            cmocka_unit_test(test_budget_gives_back_what_its_allocator_refuses),
            cmocka_unit_test(test_what_is_freed_goes_back_to_the_system),
            cmocka_unit_test(test_gate_remembers_refusals_until_it_forgives),
            cmocka_unit_test(test_sized_blocks_need_no_size_to_be_freed))
