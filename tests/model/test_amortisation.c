/* test_amortisation.c: jumps that are spread over a window, compared with looking at each event and each jump; and what that takes of memory. */
#include "harness.h"

#include "model/amortisation.h"

enum { EVENTS = 400, ROUNDS = 60, SENDS = 100000 };

static uint32_t draw(uint32_t *seed, uint32_t below) {
    *seed = *seed * 1664525 + 1013904223;
    return (*seed >> 8) % below;
}

/* A jump by 90 from 910, window 100: at 830 that is 90 * 20 / 100 = 18; a send at 850, of 36, must not pass 870. */
static void test_amortisation_of_one_jump(void **state) {
    struct quipu__memory memory;
    struct quipu__amortisation amortisation;
    struct quipu__amortised_cursor cursor = {0};
    static const int64_t times[] = {700, 810, 830, 849, 850, 909, 1000, 1020};
    static const int64_t expected[] = {700, 810, 848, 870, 870, 998, 1000, 1020};
    (void)state;
    quipu__memory_init(&memory, NULL, 0);
    quipu__amortisation_init(&amortisation, &memory, 100);
    quipu__amortisation_add_send(&amortisation, 2, 4, 850);
    quipu__amortisation_add_jump(&amortisation, 2, 910, 90);
    quipu__amortisation_limit(&amortisation, 2, 4, 900);
    quipu__amortisation_limit(&amortisation, 2, 4, 870);
    quipu__amortisation_limit(&amortisation, 2, 3, 0); /* no send has this number */
    quipu__amortisation_finish(&amortisation);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        assert_int_equal(quipu__amortised_next(&amortisation, 2, &cursor, times[i]), expected[i]);
    quipu__amortisation_release(&amortisation);
    assert_int_equal(memory.used, 0);
}

/* What is known of the events of a location that is drawn by lot. */
struct drawn {
    struct quipu__jump jumps[EVENTS];
    int64_t times[EVENTS], limits[EVENTS]; /* limits INT64_MAX: none */
    uint32_t jump_count;
};

/* Events follow each other closely, some at the same time; some of them jump, and some are sends, whose limits come late or never. */
static void draw_location(struct drawn *drawn, struct quipu__amortisation *amortisation, uint32_t *seed) {
    int64_t time = 0;
    drawn->jump_count = 0;
    for (uint32_t i = 0; i < EVENTS; i++) {
        time += draw(seed, 3) ? draw(seed, 12) : 0;
        const int64_t by = draw(seed, 8) ? 0 : 1 + draw(seed, 60);
        if (by > 0) {
            quipu__amortisation_add_jump(amortisation, 0, time, by);
            drawn->jumps[drawn->jump_count++] = (struct quipu__jump){time, by};
        }
        time += by;
        drawn->times[i] = time;
        drawn->limits[i] = by == 0 && draw(seed, 3) == 0 ? time + draw(seed, 50) : INT64_MAX;
        if (drawn->limits[i] != INT64_MAX)
            quipu__amortisation_add_send(amortisation, 0, i, time);
        const uint32_t late = i - draw(seed, 40);
        if (late <= i && drawn->limits[late] != INT64_MAX)
            quipu__amortisation_limit(amortisation, 0, late, drawn->limits[late]);
    }
    for (uint32_t i = 0; i < EVENTS; i++)
        if (drawn->limits[i] != INT64_MAX)
            quipu__amortisation_limit(amortisation, 0, i, drawn->limits[i]);
}

static int64_t expected_of(const struct drawn *drawn, uint32_t event, int64_t window, int64_t latest) {
    int64_t total = 0, time = drawn->times[event];
    for (uint32_t k = 0; k < drawn->jump_count; k++) {
        const struct quipu__jump *jump = &drawn->jumps[k];
        total += time >= jump->from - window && time < jump->from ? jump->by * (time - jump->from + window) : 0;
    }
    time += (2 * total + window) / (2 * window);
    time = time < latest ? latest : time;
    for (uint32_t k = event; k < EVENTS; k++)
        time = drawn->limits[k] < time ? drawn->limits[k] : time;
    return time;
}

static void test_amortisation_is_that_of_each_event_and_jump(void **state) {
    struct quipu__memory memory;
    struct drawn drawn;
    uint32_t seed = 7, limited = 0;
    (void)state;
    quipu__memory_init(&memory, NULL, 0);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        struct quipu__amortisation amortisation;
        struct quipu__amortised_cursor cursor = {0};
        int64_t latest = 0;
        quipu__amortisation_init(&amortisation, &memory, 1 + draw(&seed, round % 2 ? 40 : 2000));
        draw_location(&drawn, &amortisation, &seed);
        quipu__amortisation_finish(&amortisation);
        for (uint32_t i = 0; i < EVENTS; i++) {
            latest = expected_of(&drawn, i, amortisation.window, latest);
            assert_int_equal(quipu__amortised_next(&amortisation, 0, &cursor, drawn.times[i]), latest);
            limited += latest == drawn.limits[i] && latest > drawn.times[i];
        }
        quipu__amortisation_release(&amortisation);
    }
    assert_true(limited > ROUNDS);
    assert_int_equal(memory.used, 0);
}

/* 2^60 in front of a jump of 2^60 with a window of 2^61: half of it. */
static void test_amortisation_of_large_numbers(void **state) {
    struct quipu__memory memory;
    struct quipu__amortisation amortisation;
    struct quipu__amortised_cursor cursor = {0};
    const int64_t large = INT64_C(1) << 60;
    (void)state;
    quipu__memory_init(&memory, NULL, 0);
    quipu__amortisation_init(&amortisation, &memory, QUIPU__AMORTISATION_WINDOW_MOST);
    quipu__amortisation_add_jump(&amortisation, 0, large, large);
    quipu__amortisation_finish(&amortisation);
    assert_int_equal(quipu__amortised_next(&amortisation, 0, &cursor, -large), -large);
    assert_int_equal(quipu__amortised_next(&amortisation, 0, &cursor, 0), large / 2);
    assert_int_equal(quipu__amortised_next(&amortisation, 0, &cursor, 2 * large), 2 * large);
    quipu__amortisation_release(&amortisation);
}

/* Without jumps, and with jumps that no send's limit is near to, sends are forgotten behind the window. */
static void test_amortisation_holds_what_is_in_the_window(void **state) {
    struct quipu__memory memory;
    struct quipu__amortisation amortisation;
    (void)state;
    quipu__memory_init(&memory, NULL, 0);
    quipu__amortisation_init(&amortisation, &memory, 1000);
    for (int64_t i = 0; i < SENDS; i++) {
        quipu__amortisation_add_send(&amortisation, 0, (uint64_t)i, 10 * i);
        quipu__amortisation_limit(&amortisation, 0, (uint64_t)i, 10 * i + 5);
        quipu__amortisation_add_send(&amortisation, 1, (uint64_t)i, 10 * i);
        quipu__amortisation_limit(&amortisation, 1, (uint64_t)i, 10 * i + 2000);
        if (i % 1000 == 999)
            quipu__amortisation_add_jump(&amortisation, 1, 10 * i + 1, 3);
    }
    /* 100 sends are in the window at a time. */
    assert_true(memory.used < 64 * 1024);
    quipu__amortisation_release(&amortisation);
    assert_int_equal(memory.used, 0);
}

QUIPU_TESTS(cmocka_unit_test(test_amortisation_of_one_jump),
            cmocka_unit_test(test_amortisation_is_that_of_each_event_and_jump),
            cmocka_unit_test(test_amortisation_of_large_numbers),
            cmocka_unit_test(test_amortisation_holds_what_is_in_the_window))
