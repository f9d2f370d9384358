/* test_map.c: the hash map. */
#include "harness.h"

#include "core/memory/map.h"

static struct quipu__memory memory;
static struct quipu__map map;

static int set_up(void **state) {
    (void)state;
    quipu__memory_init(&memory, NULL, 0);
    quipu__map_init(&map, &memory);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    quipu__map_release(&map);
    return memory.used == 0 ? 0 : -1;
}

static void test_map_that_is_empty_has_nothing(void **state) {
    (void)state;
    assert_int_equal(quipu__map_get(&map, 0), QUIPU_NONE);
    assert_int_equal(memory.requests, 0);
}

static void test_map_gives_back_what_was_put(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 10000; i++)
        assert_true(quipu__map_put(&map, (uint64_t)i << 32, i));
    for (uint32_t i = 0; i < 10000; i++)
        assert_int_equal(quipu__map_get(&map, (uint64_t)i << 32), i);
    assert_int_equal(quipu__map_get(&map, 1), QUIPU_NONE);
    assert_int_equal(map.count, 10000);
}

static void test_map_forgets_what_is_removed(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 1000; i++)
        assert_true(quipu__map_put(&map, i * UINT64_C(3), i));
    for (uint32_t i = 0; i < 1000; i += 2)
        quipu__map_remove(&map, i * UINT64_C(3));
    quipu__map_remove(&map, 1); /* is not there */
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(quipu__map_get(&map, i * UINT64_C(3)), i % 2 ? i : QUIPU_NONE);
    assert_int_equal(map.count, 500);
}

static void test_map_takes_no_room_for_what_is_gone(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 100000; i++) {
        assert_true(quipu__map_put(&map, i, i));
        if (i >= 4)
            quipu__map_remove(&map, i - 4);
    }
    assert_int_equal(map.count, 4);
    assert_int_equal(map.capacity, 16);
}

static void test_map_put_replaces(void **state) {
    (void)state;
    assert_true(quipu__map_put(&map, UINT64_MAX, 1));
    assert_true(quipu__map_put(&map, UINT64_MAX, 2));
    assert_int_equal(quipu__map_get(&map, UINT64_MAX), 2);
    assert_int_equal(map.count, 1);
    for (uint32_t i = 1; i < 8; i++)
        assert_true(quipu__map_put(&map, i, i));
    assert_int_equal(map.capacity, 16);
    assert_true(quipu__map_put(&map, UINT64_MAX, 3)); /* which takes no memory, although the next key would */
    assert_int_equal(quipu__map_get(&map, UINT64_MAX), 3);
    assert_int_equal(map.capacity, 16);
}

static void test_map_says_when_memory_is_out(void **state) {
    (void)state;
    memory.limit = 1000;
    uint32_t put = 0;
    while (put < 1000 && quipu__map_put(&map, put, put))
        put++;
    assert_true(put > 0 && put < 1000);
    for (uint32_t i = 0; i < put; i++)
        assert_int_equal(quipu__map_get(&map, i), i);
}

static void test_map_hash_depends_on_every_byte_length_and_seed(void **state) {
    (void)state;
    char text[] = "0123456789abcdefghi";
    const uint64_t hash = quipu__hash(text, sizeof text - 1, 1);
    assert_true(hash == quipu__hash(text, sizeof text - 1, 1));
    assert_true(hash != quipu__hash(text, sizeof text - 1, 2));
    assert_true(hash != quipu__hash(text, sizeof text - 2, 1));
    for (size_t i = 0; i < sizeof text - 1; i++) {
        text[i] ^= 1;
        assert_true(hash != quipu__hash(text, sizeof text - 1, 1));
        text[i] ^= 1;
    }
    assert_true(quipu__hash("\0\0", 1, 1) != quipu__hash("\0\0", 2, 1));
}

/* A number that is added to the seed counts as what is hashed does: data and seeds that differ by the same bits have different hashes. */
static void test_map_hash_tells_seeds_and_data_apart(void **state) {
    (void)state;
    enum { SEEDS = 64, WORDS = 8 };
    uint64_t hashes[SEEDS * WORDS];
    for (size_t i = 0; i < SEEDS * WORDS; i++) {
        const uint64_t word = i % WORDS;
        hashes[i] = quipu__hash(&word, sizeof word, i / WORDS);
        for (size_t other = 0; other < i; other++)
            assert_true(hashes[other] != hashes[i]);
    }
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
QUIPU_TESTS(TEST(test_map_that_is_empty_has_nothing), TEST(test_map_gives_back_what_was_put),
            TEST(test_map_put_replaces), TEST(test_map_forgets_what_is_removed),
            TEST(test_map_takes_no_room_for_what_is_gone), TEST(test_map_says_when_memory_is_out),
            TEST(test_map_hash_depends_on_every_byte_length_and_seed),
            TEST(test_map_hash_tells_seeds_and_data_apart))
