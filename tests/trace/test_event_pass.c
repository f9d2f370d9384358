/* test_event_pass.c: events of the substreams that are selected. */
#include "trace/substreams.h"

static void test_event_pass_selects_regions_by_substream(void **state) {
    (void)state;
    static const uint32_t second = 1;
    lay_interleaved();
    for (int i = 0; i < 2; i++) {
        fake_layout = QUIPU__SUBSTREAMS_TOGETHER;
        const struct outcome outcome = read_all(orders[i], 0, &second);
        assert_int_equal(outcome.events, (ROWS - 1) / 3);
        assert_int_equal(outcome.decoded, ROWS);
    }
}

QUIPU_TESTS(cmocka_unit_test(test_event_pass_selects_regions_by_substream))
