/* test_shared_pass.c: substreams of one file are decoded once, however they lie in it and in whatever order they are read. */
#include "trace/substreams.h"

static void lay_in_blocks(void) {
    rows[0] = (struct quipu_event){.kind = FAKE_DEFINE};
    for (uint32_t i = 0; i < EVENTS; i++)
        for (uint32_t s = 0; s < SUBSTREAMS; s++)
            rows[1 + s * EVENTS + i] = event_of(s, i);
}

static void test_shared_pass_scanned_substreams_are_decoded_once_each(void **state) {
    (void)state;
    lay_interleaved();
    for (int i = 0; i < 2; i++) {
        const struct outcome outcome = read_all(orders[i], 0, NULL);
        assert_int_equal(outcome.events, ROWS - 1);
        assert_int_equal(outcome.records, ROWS);
        assert_int_equal(outcome.bytes, ROWS);
        assert_int_equal(outcome.decoded, SUBSTREAMS * ROWS);
    }
}

static void test_shared_pass_decodes_interleaved_substreams_once(void **state) {
    (void)state;
    lay_interleaved();
    for (int i = 0; i < 2; i++) {
        fake_layout = QUIPU__SUBSTREAMS_TOGETHER;
        const struct outcome outcome = read_all(orders[i], 0, NULL);
        assert_int_equal(outcome.events, ROWS - 1);
        assert_int_equal(outcome.records, ROWS);
        assert_int_equal(outcome.bytes, ROWS);
        assert_int_equal(outcome.decoded, ROWS);
    }
}

static void test_shared_pass_decodes_blocks_once(void **state) {
    (void)state;
    static const enum quipu__substreams layouts[] = {QUIPU__SUBSTREAMS_APART, QUIPU__SUBSTREAMS_TOGETHER};
    lay_in_blocks();
    for (int i = 0; i < 4; i++) {
        fake_layout = layouts[i / 2];
        const struct outcome outcome = read_all(orders[i % 2], 0, NULL);
        assert_int_equal(outcome.events, ROWS - 1);
        assert_int_equal(outcome.records, ROWS);
        assert_int_equal(outcome.bytes, ROWS);
        assert_int_equal(outcome.decoded, ROWS);
    }
}

/* Too much would wait: the substreams go on by themselves, with the same events and the records counted once. */
static void test_shared_pass_goes_apart_when_memory_is_small(void **state) {
    (void)state;
    lay_in_blocks();
    fake_layout = QUIPU__SUBSTREAMS_TOGETHER;
    const struct outcome outcome = read_all(QUIPU_ORDER_TIME, 1 << 20, NULL);
    assert_int_equal(outcome.events, ROWS - 1);
    assert_int_equal(outcome.records, ROWS);
    assert_true(outcome.decoded > ROWS && outcome.decoded <= (SUBSTREAMS + 1) * ROWS);
}

QUIPU_TESTS(cmocka_unit_test(test_shared_pass_scanned_substreams_are_decoded_once_each),
            cmocka_unit_test(test_shared_pass_decodes_interleaved_substreams_once),
            cmocka_unit_test(test_shared_pass_decodes_blocks_once),
            cmocka_unit_test(test_shared_pass_goes_apart_when_memory_is_small))
