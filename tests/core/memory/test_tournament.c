/* test_tournament.c: which of many sources comes first. */
#include "harness.h"

#include "core/memory/tournament.h"

static struct quipu__memory memory;

static struct quipu__tournament tournament_of(uint32_t count) {
    struct quipu__tournament tournament;
    quipu__memory_init(&memory, NULL, 0);
    assert_int_equal(quipu__tournament_init(&tournament, &memory, count, NULL), QUIPU_OK);
    return tournament;
}

static void assert_first(const struct quipu__tournament *tournament, int64_t time, uint32_t source) {
    assert_int_equal(tournament->nodes[0].time, time);
    assert_int_equal(quipu__contender_source(&tournament->nodes[0]), source);
}

static void test_tournament_orders_by_time_then_location_then_source(void **state) {
    (void)state;
    struct quipu__tournament tournament = tournament_of(5);
    static const struct {
        int64_t time;
        uint32_t location;
    } keys[] = {{7, 1}, {7, 0}, {-3, 9}, {7, 1}, {INT64_MIN, 0}};
    for (uint32_t i = 0; i < 5; i++)
        quipu__tournament_enter(&tournament, i, keys[i].time, keys[i].location);
    static const uint32_t expected[] = {4, 2, 1, 0, 3};
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(quipu__contender_source(&tournament.nodes[0]), expected[i]);
        if (i < 4)
            assert_int_equal((uint32_t)quipu__tournament_second(&tournament).tie, expected[i + 1]);
        assert_int_equal(tournament.left, 5 - i);
        quipu__tournament_leave(&tournament, expected[i]);
    }
    assert_int_equal(tournament.left, 0);
    quipu__tournament_release(&tournament);
    assert_int_equal(memory.used, 0);
}

static void test_tournament_lets_the_first_source_move_on(void **state) {
    (void)state;
    struct quipu__tournament tournament = tournament_of(3);
    for (uint32_t i = 0; i < 3; i++)
        quipu__tournament_enter(&tournament, i, 10 * i, i);
    assert_first(&tournament, 0, 0);
    quipu__tournament_enter(&tournament, 0, 15, 0);
    assert_first(&tournament, 10, 1);
    quipu__tournament_enter(&tournament, 1, INT64_MAX, QUIPU_NONE);
    assert_first(&tournament, 15, 0);
    quipu__tournament_leave(&tournament, 0);
    assert_first(&tournament, 20, 2);
    quipu__tournament_leave(&tournament, 2);
    assert_first(&tournament, INT64_MAX, 1);
    quipu__tournament_release(&tournament);
}

static void test_tournament_of_one_source_or_none(void **state) {
    (void)state;
    struct quipu__tournament none = tournament_of(0);
    assert_int_equal(none.left, 0);
    quipu__tournament_release(&none);
    struct quipu__tournament one = tournament_of(1);
    quipu__tournament_enter(&one, 0, 5, 3);
    assert_first(&one, 5, 0);
    assert_int_equal(quipu__tournament_second(&one).tie, UINT64_MAX);
    quipu__tournament_enter(&one, 0, 6, 3);
    assert_first(&one, 6, 0);
    quipu__tournament_release(&one);
}

static void test_tournament_merges_like_sorting_for_every_number_of_sources(void **state) {
    (void)state;
    for (uint32_t count = 1; count <= 40; count++) {
        struct quipu__tournament tournament = tournament_of(count);
        uint32_t step[40], seed = count;
        for (uint32_t i = 0; i < count; i++) {
            seed = seed * 1664525 + 1013904223;
            step[i] = 1 + seed % 9;
            quipu__tournament_enter(&tournament, i, step[i], i);
        }
        int64_t last = 0;
        for (uint32_t rounds = 0; rounds < 1000; rounds++) {
            const struct quipu__contender first = tournament.nodes[0];
            const uint32_t source = quipu__contender_source(&first);
            assert_true(first.time >= last);
            assert_int_equal(first.time % step[source], 0);
            last = first.time;
            quipu__tournament_enter(&tournament, source, first.time + step[source], source);
        }
        quipu__tournament_release(&tournament);
    }
}

QUIPU_TESTS(cmocka_unit_test(test_tournament_orders_by_time_then_location_then_source),
            cmocka_unit_test(test_tournament_lets_the_first_source_move_on),
            cmocka_unit_test(test_tournament_of_one_source_or_none),
            cmocka_unit_test(test_tournament_merges_like_sorting_for_every_number_of_sources))
