/* test_time_queue.c: which times of a damaged stream stay. */
#include "harness.h"

#include "formats/time_queue.h"

/* Puts records of these times, each with one byte, and gets all back. */
static void pass_through(const uint64_t *times, size_t count, uint64_t *out) {
    struct quipu__memory memory;
    struct quipu__time_queue queue;
    struct quipu__timed_record record;
    struct quipu__slice bytes;
    size_t taken = 0;
    quipu__memory_init(&memory, NULL, 0);
    quipu__time_queue_init(&queue, &memory);
    for (size_t i = 0; i < count; i++) {
        const struct quipu__timed_record added = {.time = times[i], .begin = queue.text.len};
        quipu__put_u8(&queue.text, (uint8_t)i);
        assert_true(quipu__time_queue_add(&queue, &added));
        while (quipu__time_queue_next(&queue, false, &record, &out[taken], &bytes))
            taken++;
    }
    while (quipu__time_queue_next(&queue, true, &record, &out[taken], &bytes)) {
        assert_int_equal((uint8_t)taken, bytes.at[0]);
        assert_int_equal(times[taken], record.time);
        taken++;
    }
    assert_int_equal(count, taken);
    quipu__time_queue_release(&queue);
}

static void test_time_queue_a_time_that_later_ones_contradict_becomes_the_previous_one(void **state) {
    const uint64_t times[] = {10, 900, 20, 5, 30, 30}, expected[] = {10, 10, 20, 20, 30, 30};
    uint64_t found[6];
    (void)state;
    pass_through(times, 6, found);
    assert_memory_equal(expected, found, sizeof expected);
}

static void test_time_queue_a_first_time_that_is_too_late_becomes_the_least_later_one(void **state) {
    const uint64_t times[] = {UINT64_MAX, 20, 30}, expected[] = {20, 20, 30};
    uint64_t found[3];
    (void)state;
    pass_through(times, 3, found);
    assert_memory_equal(expected, found, sizeof expected);
}

/* Half of a stream is before the other half: nothing contradicts the first one but what is before the times already given. */
static void test_time_queue_records_keep_their_order(void **state) {
    enum { COUNT = 1000, HALF = COUNT / 2 };
    uint64_t times[COUNT], found[COUNT];
    (void)state;
    for (size_t i = 0; i < COUNT; i++)
        times[i] = i < HALF ? COUNT + i : i;
    pass_through(times, COUNT, found);
    for (size_t i = 0; i < COUNT; i++)
        assert_int_equal(i < HALF ? COUNT + i : COUNT + HALF - 1, found[i]);
}

QUIPU_TESTS(cmocka_unit_test(test_time_queue_a_time_that_later_ones_contradict_becomes_the_previous_one),
            cmocka_unit_test(test_time_queue_a_first_time_that_is_too_late_becomes_the_least_later_one),
            cmocka_unit_test(test_time_queue_records_keep_their_order))
