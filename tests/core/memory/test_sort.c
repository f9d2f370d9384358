/* test_sort.c: sorting of long lists. */
#include "harness.h"

#include "core/memory/sort.h"

struct item {
    uint32_t key;
    uint32_t number; /* before sorting */
    uint32_t filling;
};

static int compare(const void *a, const void *b) {
    const struct item *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

static struct item *items_of(struct quipu__memory *memory, size_t count, uint32_t keys) {
    struct item *items = quipu__alloc(memory, count * sizeof *items);
    assert_non_null(items);
    for (uint32_t i = 0; i < count; i++)
        items[i] = (struct item){(i * 2654435761u >> 7) % keys, i, i ^ 0x5A5A};
    return items;
}

static void test_sort_orders_lists_of_any_length_and_keeps_what_is_equal(void **state) {
    (void)state;
    static const size_t counts[] = {0, 1, 2, 8, 9, 85, 86, 1000, 21845, 21846, 43690, 43691, 100000, 300001};
    struct quipu__memory memory;
    quipu__memory_init(&memory, NULL, 0);
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        const size_t count = counts[c], bytes = count * sizeof(struct item);
        struct item *items = items_of(&memory, count, 999);
        assert_true(quipu__sort(&memory, items, count, sizeof *items, compare));
        for (size_t i = 1; i < count; i++)
            if (items[i - 1].key > items[i].key ||
                (items[i - 1].key == items[i].key && items[i - 1].number >= items[i].number))
                fail_msg("item %zu of %zu", i, count);
        uint64_t total = 0;
        for (size_t i = 0; i < count; i++)
            total += items[i].filling == (items[i].number ^ 0x5A5A) ? items[i].number + 1 : 0;
        assert_int_equal(total, (uint64_t)count * (count + 1) / 2);
        quipu__release(&memory, items, bytes);
    }
    assert_int_equal(memory.used, 0);
}

static void test_sort_without_memory_leaves_the_list(void **state) {
    (void)state;
    enum { COUNT = 100000 };
    struct quipu__memory memory;
    quipu__memory_init(&memory, NULL, COUNT * sizeof(struct item) * 3 / 2);
    struct item *items = items_of(&memory, COUNT, 999);
    assert_false(quipu__sort(&memory, items, COUNT, sizeof *items, compare));
    assert_int_equal(quipu__memory_status(&memory, NULL), QUIPU_NO_MEMORY);
    for (uint32_t i = 0; i < COUNT; i++)
        if (items[i].number != i)
            fail_msg("item %u", i);
    quipu__release(&memory, items, COUNT * sizeof *items);
}

QUIPU_TESTS(cmocka_unit_test(test_sort_orders_lists_of_any_length_and_keeps_what_is_equal),
            cmocka_unit_test(test_sort_without_memory_leaves_the_list))
