/* test_memory.c: the memory gate, arenas and vectors. */
#include "harness.h"

#include "core/memory/memory.h"
#include "core/memory/vec.h"

static void test_memory_refuses_what_is_beyond_its_limit(void **state) {
    (void)state;
    struct quipu__memory memory;
    quipu__memory_init(&memory, NULL, 1000);
    void *first = quipu__alloc(&memory, 600);
    assert_non_null(first);
    assert_null(quipu__alloc(&memory, 401));
    void *second = quipu__alloc(&memory, 400);
    assert_non_null(second);
    quipu__release(&memory, first, 600);
    assert_int_equal(memory.used, 400);
    quipu__release(&memory, second, 400);
    assert_int_equal(memory.used, 0);
}

static void *refuse(void *context, void *block, size_t old_size, size_t size) {
    (void)old_size;
    int *left = context;
    if (size == 0) {
        free(block);
        return NULL;
    }
    return (*left)-- > 0 ? realloc(block, size) : NULL;
}

static void test_memory_uses_the_callers_allocator(void **state) {
    (void)state;
    struct quipu__memory memory;
    int left = 1;
    const struct quipu_allocator allocator = {refuse, &left};
    quipu__memory_init(&memory, &allocator, 0);
    void *block = quipu__alloc(&memory, 10);
    assert_non_null(block);
    assert_null(quipu__alloc(&memory, 10));
    assert_int_equal(memory.used, 10);
    quipu__release(&memory, block, 10);
}

static void test_memory_failed_resize_keeps_the_block(void **state) {
    (void)state;
    struct quipu__memory memory;
    quipu__memory_init(&memory, NULL, 100);
    char *block = quipu__alloc(&memory, 50);
    block[49] = 'x';
    assert_null(quipu__resize(&memory, block, 50, 101));
    assert_int_equal(block[49], 'x');
    assert_int_equal(memory.used, 50);
    quipu__release(&memory, block, 50);
}

static void test_arena_copies_texts_and_survives_large_ones(void **state) {
    (void)state;
    struct quipu__memory memory;
    struct quipu__arena arena;
    quipu__memory_init(&memory, NULL, 0);
    quipu__arena_init(&arena, &memory);
    const char *small = quipu__arena_text(&arena, "abc", 2);
    char *large = quipu__arena_alloc(&arena, 3 << 20);
    assert_non_null(large);
    memset(large, 'y', 3 << 20);
    assert_string_equal(small, "ab");
    for (int i = 0; i < 10000; i++)
        assert_true((uintptr_t)quipu__arena_alloc(&arena, 1) % 16 == 0);
    assert_string_equal(small, "ab");
    quipu__arena_release(&arena);
    assert_int_equal(memory.used, 0);
}

static void test_arena_takes_back_what_was_not_needed(void **state) {
    (void)state;
    struct quipu__memory memory;
    struct quipu__arena arena;
    quipu__memory_init(&memory, NULL, 0);
    quipu__arena_init(&arena, &memory);
    char *first = quipu__arena_room(&arena, 10000);
    memset(first, 'a', 17);
    quipu__arena_use(&arena, first + 17);
    char *second = quipu__arena_room(&arena, 10000);
    assert_ptr_equal(second, first + 32); /* 17 bytes take two times 16, and both fit into a block of 16 KiB */
    quipu__arena_use(&arena, second);
    assert_ptr_equal(quipu__arena_alloc(&arena, 1), second);
    assert_int_equal(first[16], 'a');
    quipu__arena_release(&arena);
    assert_int_equal(memory.used, 0);
}

static void test_arena_clear_keeps_one_block(void **state) {
    (void)state;
    struct quipu__memory memory;
    struct quipu__arena arena;
    quipu__memory_init(&memory, NULL, 0);
    quipu__arena_init(&arena, &memory);
    assert_non_null(quipu__arena_alloc(&arena, 100));
    const uint64_t requests = memory.requests;
    for (int i = 0; i < 1000; i++) {
        quipu__arena_clear(&arena);
        assert_non_null(quipu__arena_alloc(&arena, 100));
    }
    assert_true(memory.requests == requests);
    quipu__arena_release(&arena);
}

static void test_vec_grows_and_zeroes(void **state) {
    (void)state;
    struct quipu__memory memory;
    quipu__memory_init(&memory, NULL, 0);
    QUIPU__VEC(uint32_t) list = QUIPU__VEC_INIT;
    for (uint32_t i = 0; i < 1000; i++) {
        uint32_t *slot = QUIPU__VEC_ADD(&memory, &list);
        assert_int_equal(*slot, 0);
        *slot = i;
    }
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(list.items[i], i);
    QUIPU__VEC_RELEASE(&memory, &list);
    assert_int_equal(memory.used, 0);
}

static void test_vec_add_gives_null_when_memory_is_out(void **state) {
    (void)state;
    struct quipu__memory memory;
    quipu__memory_init(&memory, NULL, 64);
    QUIPU__VEC(uint64_t) list = QUIPU__VEC_INIT;
    for (int i = 0; i < 8; i++)
        assert_non_null(QUIPU__VEC_ADD(&memory, &list));
    assert_null(QUIPU__VEC_ADD(&memory, &list));
    assert_int_equal(list.count, 8);
    QUIPU__VEC_RELEASE(&memory, &list);
}

QUIPU_TESTS(cmocka_unit_test(test_memory_refuses_what_is_beyond_its_limit),
            cmocka_unit_test(test_memory_uses_the_callers_allocator),
            cmocka_unit_test(test_memory_failed_resize_keeps_the_block),
            cmocka_unit_test(test_arena_copies_texts_and_survives_large_ones),
            cmocka_unit_test(test_arena_takes_back_what_was_not_needed),
            cmocka_unit_test(test_arena_clear_keeps_one_block), cmocka_unit_test(test_vec_grows_and_zeroes),
            cmocka_unit_test(test_vec_add_gives_null_when_memory_is_out))
