/* test_reorder.c: events come back in order of their times, with all that they say, and memory stays bounded. */
#include "harness.h"

#include "model/reorder.h"

enum { CAPACITY = 16, LIMIT = 1000 };

static struct quipu__memory memory;
static struct quipu__reorder reorder;
static struct quipu__batch *batch;

static int set_up(void **state) {
    (void)state;
    quipu__memory_init(&memory, NULL, 0);
    quipu__reorder_init(&reorder, &memory, LIMIT);
    return quipu__batch_new(&memory, CAPACITY, &batch, NULL) != QUIPU_OK;
}

static int tear_down(void **state) {
    (void)state;
    quipu__batch_free(batch);
    quipu__reorder_release(&reorder);
    return memory.used != 0;
}

/* Adds an enter of a region, with so many attributes, and holds it. */
static enum quipu_status hold(int64_t time, uint32_t region, uint32_t attributes) {
    const uint32_t event = quipu__batch_add(&batch->batch, time, QUIPU_KIND_enter, 7, 100 + region);
    batch->batch.object[event] = region;
    for (uint32_t i = 0; i < attributes; i++)
        assert_true(quipu__batch_attribute_text(batch, i, "0123456789", region % 10));
    return quipu__reorder_hold(&reorder, batch, event, NULL);
}

static void give(int64_t until) {
    assert_int_equal(quipu__reorder_give(&reorder, until, batch, NULL), QUIPU_OK);
}

static void test_reorder_gives_events_in_order_of_time(void **state) {
    static const int64_t times[] = {50, 10, 40, 20, 30};
    (void)state;
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(hold(times[i], i, 0), QUIPU_OK);
    assert_int_equal(batch->batch.count, 0);
    assert_int_equal(quipu__reorder_due(&reorder), 10);
    give(30);
    assert_int_equal(batch->batch.count, 3);
    assert_int_equal(quipu__reorder_due(&reorder), 40);
    give(INT64_MAX);
    assert_int_equal(batch->batch.count, 5);
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(batch->batch.time[i], 10 * (i + 1));
    assert_int_equal(quipu__reorder_due(&reorder), INT64_MAX);
}

/* Rows stand between events of batches by time and, of one time, by when they were held; what they say comes back. */
static void test_reorder_rows_come_between_events_of_batches(void **state) {
    static const uint32_t regions[] = {3, 1, 4, 2};
    (void)state;
    for (unsigned round = 0; round < 3; round++) { /* rows that were given are used again */
        quipu__batch_clear(batch);
        assert_int_equal(hold(20, 1, 2), QUIPU_OK);
        for (uint32_t region = 2; region < 4; region++) {
            struct quipu_event *row = quipu__reorder_hold_row(&reorder, region == 2 ? 30 : 10, 7);
            assert_non_null(row);
            row->kind = QUIPU_KIND_enter;
            row->object = region;
            row->byte_offset = 100 + region;
        }
        assert_int_equal(hold(20, 4, 0), QUIPU_OK);
        assert_int_equal(quipu__reorder_count(&reorder), 4);
        give(INT64_MAX);
        assert_int_equal(batch->batch.count, 4);
        for (uint32_t i = 0; i < 4; i++) {
            assert_int_equal(batch->batch.object[i], regions[i]);
            assert_int_equal(batch->batch.byte_offset[i], 100 + regions[i]);
            assert_int_equal(batch->batch.location[i], 7);
        }
        assert_int_equal(batch->batch.attribute_count, 2);
        assert_int_equal(batch->batch.attributes[0].event, 1);
        assert_true(reorder.rows.count == 2 && reorder.free_rows.count == 2);
    }
}

static void test_reorder_events_of_one_time_come_as_they_were_held(void **state) {
    (void)state;
    for (uint32_t i = 0; i < CAPACITY; i++)
        assert_int_equal(hold(i % 2, i, 0), QUIPU_OK);
    give(1);
    for (uint32_t i = 0; i < CAPACITY; i++)
        assert_int_equal(batch->batch.object[i], i < CAPACITY / 2 ? 2 * i : 2 * (i - CAPACITY / 2) + 1);
}

static void test_reorder_events_keep_all_that_they_say(void **state) {
    uint32_t attribute = 0;
    struct quipu_event event;
    (void)state;
    assert_int_equal(hold(2, 3, 2), QUIPU_OK);
    assert_int_equal(hold(1, 4, 1), QUIPU_OK);
    give(2);
    quipu__batch_event(&batch->batch, 0, &attribute, &event);
    assert_int_equal(event.object, 4);
    assert_int_equal(event.location, 7);
    assert_int_equal(event.byte_offset, 104);
    assert_int_equal(event.attribute_count, 1);
    assert_memory_equal(event.attributes[0].value.data, "0123", 4);
    quipu__batch_event(&batch->batch, 1, &attribute, &event);
    assert_int_equal(event.attribute_count, 2);
    assert_int_equal(event.attributes[1].value.size, 3);
}

/* Those before the first one that is held, and their attributes, stay in the batch. */
static void test_reorder_holds_only_the_events_from_the_first_on(void **state) {
    (void)state;
    quipu__batch_add(&batch->batch, 5, QUIPU_KIND_enter, 1, 0);
    assert_true(quipu__batch_attribute_text(batch, 1, "stays", 5));
    quipu__batch_add(&batch->batch, 9, QUIPU_KIND_leave, 1, 1);
    assert_true(quipu__batch_attribute_text(batch, 2, "waits", 5));
    assert_int_equal(quipu__reorder_hold(&reorder, batch, 1, NULL), QUIPU_OK);
    assert_int_equal(batch->batch.count, 1);
    assert_int_equal(batch->batch.attribute_count, 1);
    assert_int_equal(quipu__reorder_count(&reorder), 1);
}

static void test_reorder_gives_as_much_as_finds_room(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 2 * CAPACITY; i++)
        assert_int_equal(hold(i, i, 1), QUIPU_OK);
    give(INT64_MAX);
    assert_int_equal(batch->batch.count, CAPACITY);
    quipu__batch_clear(batch);
    give(INT64_MAX);
    assert_int_equal(batch->batch.count, CAPACITY);
    assert_int_equal(batch->batch.time[CAPACITY - 1], 2 * CAPACITY - 1);
}

static void test_reorder_refuses_more_than_its_limit(void **state) {
    (void)state;
    for (uint32_t i = 0; i < LIMIT; i++)
        assert_int_equal(hold(LIMIT - i, i, 0), QUIPU_OK);
    assert_int_equal(hold(0, 0, 0), QUIPU_LIMIT);
    assert_int_equal(batch->batch.count, 1);
    assert_int_equal(quipu__reorder_count(&reorder), LIMIT);
}

/* A window of 20 events that moves on for long allocates nothing once it has its room. */
static void test_reorder_allocates_nothing_in_the_steady_state(void **state) {
    uint64_t requests = 0;
    (void)state;
    for (int64_t i = 0; i < 10000; i++) {
        if (i == 1000)
            requests = memory.requests;
        assert_int_equal(hold(i + i * 7 % 20, (uint32_t)i, 0), QUIPU_OK);
        quipu__batch_clear(batch);
        give(i);
    }
    assert_int_equal(memory.requests, requests);
}

QUIPU_TESTS(
    cmocka_unit_test_setup_teardown(test_reorder_gives_events_in_order_of_time, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_reorder_rows_come_between_events_of_batches, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_reorder_events_of_one_time_come_as_they_were_held, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_reorder_events_keep_all_that_they_say, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_reorder_holds_only_the_events_from_the_first_on, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_reorder_gives_as_much_as_finds_room, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_reorder_refuses_more_than_its_limit, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_reorder_allocates_nothing_in_the_steady_state, set_up, tear_down))
