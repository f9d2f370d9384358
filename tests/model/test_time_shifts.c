/* test_time_shifts.c: runs of events that are moved alike come back event by event. */
#include "harness.h"

#include "model/time_shifts.h"

#include <stdlib.h>

static void add(struct quipu__time_shifts *shifts, uint32_t location, uint64_t events, int64_t shift,
                int64_t limit) {
    quipu__time_shifts_add(shifts, location, &(struct quipu__time_shift){events, shift, limit});
}

static void test_time_shifts_of_runs_come_back(void **state) {
    struct quipu__memory memory;
    struct quipu__time_shifts shifts;
    struct quipu__time_shift_cursor cursor = {0};
    (void)state;
    quipu__memory_init(&memory, NULL, 0);
    quipu__time_shifts_init(&shifts, &memory);
    add(&shifts, 1, 2, 0, INT64_MAX);
    add(&shifts, 1, 1, 500, INT64_MAX);
    add(&shifts, 1, 1, 500, INT64_MAX);
    add(&shifts, 1, 2, -70, 1000);
    add(&shifts, 1, 1, -70, INT64_MAX);
    const int64_t times[] = {10, 20, 100, 300, 1060, 2000, 2001, 3000};
    const int64_t expected[] = {10, 20, 600, 800, 990, 1000, 1931, 2930};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        assert_int_equal(quipu__time_shift_least(&shifts, 1, &cursor, times[i]),
                         i + 1 < sizeof times / sizeof *times ? expected[i] : INT64_MAX);
        assert_int_equal(quipu__time_shift_next(&shifts, 1, &cursor, times[i]), expected[i]);
    }
    quipu__time_shifts_release(&shifts);
    assert_int_equal(memory.used, 0);
}

static void test_time_shifts_keep_the_order_of_a_location(void **state) {
    struct quipu__memory memory;
    struct quipu__time_shifts shifts;
    struct quipu__time_shift_cursor cursor = {0};
    (void)state;
    quipu__memory_init(&memory, NULL, 0);
    quipu__time_shifts_init(&shifts, &memory);
    add(&shifts, 0, 1, 100, INT64_MAX);
    add(&shifts, 0, 2, 0, INT64_MAX);
    assert_int_equal(quipu__time_shift_next(&shifts, 0, &cursor, 50), 150);
    assert_int_equal(quipu__time_shift_least(&shifts, 0, &cursor, 60), 150);
    assert_int_equal(quipu__time_shift_next(&shifts, 0, &cursor, 60), 150);
    assert_int_equal(quipu__time_shift_next(&shifts, 0, &cursor, 170), 170);
    quipu__time_shifts_release(&shifts);
}

static void test_time_shifts_of_locations_without_any_are_none(void **state) {
    struct quipu__memory memory;
    struct quipu__time_shifts shifts;
    struct quipu__time_shift_cursor cursor = {0};
    (void)state;
    quipu__memory_init(&memory, NULL, 0);
    quipu__time_shifts_init(&shifts, &memory);
    assert_int_equal(quipu__time_shift_next(&shifts, 7, &cursor, 5), 5);
    assert_int_equal(quipu__time_shift_least(&shifts, 7, &cursor, 5), INT64_MAX);
    quipu__time_shifts_release(&shifts);
}

static void test_time_shifts_of_any_size_come_back(void **state) {
    enum { SHIFTS = 3000 };
    struct quipu__memory memory;
    struct quipu__time_shifts shifts;
    struct quipu__time_shift_cursor cursor = {0};
    int64_t *expected = calloc(SHIFTS, sizeof *expected), time = 0;
    (void)state;
    quipu__memory_init(&memory, NULL, 0);
    quipu__time_shifts_init(&shifts, &memory);
    for (int i = 0; i < SHIFTS; i++) {
        expected[i] = (int64_t)(i % 7) << (i % 45);
        add(&shifts, 0, (uint64_t)(i % 3) + 1, expected[i], INT64_MAX);
    }
    for (int i = 0; i < SHIFTS; i++)
        for (int k = 0; k <= i % 3; k++) {
            time += INT64_C(1) << 48;
            assert_int_equal(quipu__time_shift_next(&shifts, 0, &cursor, time), time + expected[i]);
        }
    free(expected);
    quipu__time_shifts_release(&shifts);
    assert_int_equal(memory.used, 0);
}

QUIPU_TESTS(cmocka_unit_test(test_time_shifts_of_runs_come_back),
            cmocka_unit_test(test_time_shifts_keep_the_order_of_a_location),
            cmocka_unit_test(test_time_shifts_of_locations_without_any_are_none),
            cmocka_unit_test(test_time_shifts_of_any_size_come_back))
