/* test_heap.c: the min-heap of the k-way merge. */
#include "harness.h"

#include "core/heap.h"

static void assert_next(struct quipu__heap *heap, int64_t time, uint32_t location, uint32_t source) {
    assert_true(heap->count > 0);
    assert_int_equal(heap->entries[0].time, time);
    assert_int_equal(heap->entries[0].location, location);
    assert_int_equal(heap->entries[0].source, source);
    quipu__heap_pop(heap);
}

static void test_heap_orders_by_time_then_location_then_source(void **state) {
    (void)state;
    struct quipu__memory memory;
    struct quipu__heap heap;
    quipu__memory_init(&memory, NULL, 0);
    quipu__heap_init(&heap, &memory);
    static const struct quipu__heap_entry entries[] = {
        {5, 1, 0}, {5, 0, 2}, {INT64_MIN, 9, 9}, {5, 0, 1}, {-1, 7, 3}};
    for (size_t i = 0; i < 5; i++)
        assert_true(quipu__heap_push(&heap, entries[i]));
    assert_next(&heap, INT64_MIN, 9, 9);
    assert_next(&heap, -1, 7, 3);
    assert_next(&heap, 5, 0, 1);
    assert_next(&heap, 5, 0, 2);
    assert_next(&heap, 5, 1, 0);
    assert_int_equal(heap.count, 0);
    quipu__heap_release(&heap);
    assert_int_equal(memory.used, 0);
}

static void test_heap_sorts_many(void **state) {
    (void)state;
    struct quipu__memory memory;
    struct quipu__heap heap;
    quipu__memory_init(&memory, NULL, 0);
    quipu__heap_init(&heap, &memory);
    for (uint32_t i = 0; i < 1000; i++)
        assert_true(quipu__heap_push(&heap, (struct quipu__heap_entry){(i * 387) % 1000, 0, i}));
    for (int64_t time = 0; time < 1000; time++) {
        assert_int_equal(heap.entries[0].time, time);
        quipu__heap_pop(&heap);
    }
    quipu__heap_release(&heap);
}

static void test_heap_sink_restores_the_order_after_a_change(void **state) {
    (void)state;
    struct quipu__memory memory;
    struct quipu__heap heap;
    quipu__memory_init(&memory, NULL, 0);
    quipu__heap_init(&heap, &memory);
    for (uint32_t i = 0; i < 3; i++)
        quipu__heap_push(&heap, (struct quipu__heap_entry){i, 0, i});
    heap.entries[0].time = 10;
    quipu__heap_sink(&heap);
    assert_next(&heap, 1, 0, 1);
    assert_next(&heap, 2, 0, 2);
    assert_next(&heap, 10, 0, 0);
    quipu__heap_release(&heap);
}

static void test_heap_says_when_memory_is_out(void **state) {
    (void)state;
    struct quipu__memory memory;
    struct quipu__heap heap;
    quipu__memory_init(&memory, NULL, 1);
    quipu__heap_init(&heap, &memory);
    assert_false(quipu__heap_push(&heap, (struct quipu__heap_entry){0, 0, 0}));
    assert_int_equal(heap.count, 0);
}

QUIPU_TESTS(cmocka_unit_test(test_heap_orders_by_time_then_location_then_source),
            cmocka_unit_test(test_heap_sorts_many),
            cmocka_unit_test(test_heap_sink_restores_the_order_after_a_change),
            cmocka_unit_test(test_heap_says_when_memory_is_out))
