/* test_vec.c: arrays grow, give zeroed elements, and refuse what no memory could hold. */
#include "harness.h"

#include "core/memory/vec.h"

static struct quipu__memory memory;

static int set_up(void **state) {
    (void)state;
    quipu__memory_init(&memory, NULL, 1 << 20);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    return memory.used != 0;
}

static void test_vec_grows_and_keeps_its_elements(void **state) {
    (void)state;
    QUIPU__VEC(uint32_t) list = QUIPU__VEC_INIT;
    for (uint32_t i = 0; i < 1000; i++) {
        uint32_t *element = QUIPU__VEC_ADD(&memory, &list);
        assert_non_null(element);
        assert_int_equal(*element, 0);
        *element = i;
    }
    assert_int_equal(list.count, 1000);
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(list.items[i], i);
    QUIPU__VEC_RELEASE(&memory, &list);
    assert_null(list.items);
    assert_int_equal(list.count + list.capacity, 0);
}

static void test_vec_asks_for_memory_seldom(void **state) {
    (void)state;
    QUIPU__VEC(uint64_t) list = QUIPU__VEC_INIT;
    for (int i = 0; i < 4096; i++)
        assert_non_null(QUIPU__VEC_ADD(&memory, &list));
    assert_in_range(memory.requests, 1, 10); /* 8 elements, doubled up to 4096 */
    QUIPU__VEC_RELEASE(&memory, &list);
}

static void test_vec_room_is_zeroed_also_when_it_was_used_before(void **state) {
    (void)state;
    QUIPU__VEC(uint32_t) list = QUIPU__VEC_INIT;
    assert_true(QUIPU__VEC_RESERVE(&memory, &list, 20));
    assert_int_equal(list.count, 0);
    assert_in_range(list.capacity, 20, 40);
    for (uint32_t i = 0; i < 20; i++)
        *QUIPU__VEC_ADD(&memory, &list) = ~UINT32_C(0);
    list.count = 10;
    assert_int_equal(*QUIPU__VEC_ADD(&memory, &list), 0);
    assert_true(QUIPU__VEC_RESERVE(&memory, &list, 0));
    QUIPU__VEC_RELEASE(&memory, &list);
}

static void test_vec_refuses_what_cannot_be(void **state) {
    (void)state;
    QUIPU__VEC(uint64_t) list = QUIPU__VEC_INIT;
    assert_true(QUIPU__VEC_RESERVE(&memory, &list, 3));
    *QUIPU__VEC_ADD(&memory, &list) = 7;
    assert_false(QUIPU__VEC_RESERVE(&memory, &list, SIZE_MAX / 2)); /* more than can be counted in bytes */
    assert_int_equal(quipu__memory_status(&memory, NULL), QUIPU_NO_MEMORY);
    quipu__memory_forgive(&memory);
    assert_false(QUIPU__VEC_RESERVE(&memory, &list, 1 << 20)); /* more than the gate gives */
    assert_int_equal(list.count, 1);
    assert_true(list.items[0] == 7);
    quipu__memory_forgive(&memory);
    QUIPU__VEC_RELEASE(&memory, &list);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
QUIPU_TESTS(TEST(test_vec_grows_and_keeps_its_elements), TEST(test_vec_asks_for_memory_seldom),
            TEST(test_vec_room_is_zeroed_also_when_it_was_used_before), TEST(test_vec_refuses_what_cannot_be))
