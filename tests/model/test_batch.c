/* test_batch.c: batches give, copy and select events with their attributes. */
#include "batches.h"

static void test_batch_gives_events_with_their_attributes(void **state) {
    (void)state;
    struct quipu__batch *batch = make_batch();
    struct quipu_event event;
    uint32_t cursor = 0;
    static const uint32_t counts[] = {0, 1, 1, 0};
    for (uint32_t i = 0; i < 4; i++) {
        quipu__batch_event(&batch->batch, i, &cursor, &event);
        assert_true(event.time == 10 + i);
        assert_int_equal(event.attribute_count, counts[i]);
    }
    quipu__batch_free(batch);
}

static void test_batch_copy_takes_attributes_along(void **state) {
    (void)state;
    struct quipu__batch *from = make_batch(), *to;
    uint32_t cursor = 0;
    assert_int_equal(quipu__batch_new(&test_memory, 2, &to, NULL), QUIPU_OK);
    assert_true(quipu__batch_copy(to, &from->batch, 1, &cursor));
    assert_true(quipu__batch_copy(to, &from->batch, 2, &cursor));
    assert_false(quipu__batch_copy(to, &from->batch, 3, &cursor));
    assert_int_equal(to->batch.attribute_count, 2);
    assert_int_equal(to->batch.attributes[1].event, 1);
    assert_memory_equal(to->batch.attributes[1].value.data, "a \"b\"", 5);
    assert_true(to->batch.bytes[0] == 4096);
    quipu__batch_free(from);
    quipu__batch_free(to);
}

static void test_batch_select_keeps_what_passes(void **state) {
    (void)state;
    struct quipu__batch *batch = make_batch();
    struct quipu__filter filter = {.from = 11, .to = 13, .kinds = QUIPU_ALL_KINDS, .selects = true};
    quipu__batch_select(batch, 0, &filter);
    assert_int_equal(batch->batch.count, 2);
    assert_int_equal(batch->batch.kind[0], QUIPU_KIND_send);
    assert_int_equal(batch->batch.attributes[0].event, 0);
    assert_int_equal(batch->batch.attributes[1].event, 1);
    filter.kinds = QUIPU_KIND_BIT(QUIPU_KIND_note);
    quipu__batch_select(batch, 0, &filter);
    assert_int_equal(batch->batch.count, 1);
    assert_int_equal(batch->batch.attribute_count, 1);
    assert_int_equal(batch->batch.attributes[0].value.key, QUIPU_KEY_TEXT);
    quipu__batch_free(batch);
}

static void test_batch_select_leaves_the_events_before_alone(void **state) {
    (void)state;
    struct quipu__batch *batch = make_batch();
    const uint32_t count = batch->batch.count;
    struct quipu__filter filter = {.from = 100, .to = 101, .kinds = QUIPU_ALL_KINDS, .selects = true};
    quipu__batch_select(batch, count, &filter);
    assert_int_equal(batch->batch.count, count);
    quipu__batch_select(batch, 2, &filter);
    assert_int_equal(batch->batch.count, 2);
    assert_int_equal(batch->batch.attribute_count, 1);
    assert_int_equal(batch->batch.attributes[0].event, 1);
    quipu__batch_free(batch);
}

/* Of every set of kinds, whichever events before the first one that is dropped have attributes. */
static void test_batch_select_of_kinds_keeps_their_attributes(void **state) {
    static const uint32_t kinds[] = {QUIPU_KIND_enter, QUIPU_KIND_send, QUIPU_KIND_note, QUIPU_KIND_leave};
    (void)state;
    for (uint32_t set = 0; set < 16; set++) {
        struct quipu__batch *batch = make_batch();
        struct quipu__filter filter = {.from = INT64_MIN, .to = INT64_MAX, .selects = true};
        uint32_t count = 0, attributes = 0;
        for (uint32_t i = 0; i < 4; i++)
            filter.kinds |= (set >> i & 1) != 0 ? QUIPU_KIND_BIT(kinds[i]) : 0;
        quipu__batch_select(batch, 0, &filter);
        for (uint32_t i = 0; i < 4; i++) {
            if ((set >> i & 1) == 0)
                continue;
            assert_int_equal(batch->batch.kind[count], kinds[i]);
            if (i == 1 || i == 2) {
                const struct quipu_attribute *attribute = &batch->batch.attributes[attributes++];
                assert_int_equal(attribute->event, count);
                assert_int_equal(attribute->value.key, i == 1 ? 0 : QUIPU_KEY_TEXT);
            }
            count++;
        }
        assert_int_equal(batch->batch.count, count);
        assert_int_equal(batch->batch.attribute_count, attributes);
        quipu__batch_free(batch);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
QUIPU_TESTS(TEST(test_batch_gives_events_with_their_attributes), TEST(test_batch_copy_takes_attributes_along),
            TEST(test_batch_select_keeps_what_passes), TEST(test_batch_select_leaves_the_events_before_alone),
            TEST(test_batch_select_of_kinds_keeps_their_attributes))
