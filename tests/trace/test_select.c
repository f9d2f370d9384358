/* test_select.c: what is selected of a trace. */
#include "trace/streams.h"

static void test_select_by_time_kind_location_and_region(void **state) {
    (void)state;
    static const uint32_t second_location[] = {1}, inner_region[] = {1};
    static const struct {
        struct quipu_selection selection;
        uint64_t count, total;
    } cases[] = {
        {{10, 35, QUIPU_ALL_KINDS, NULL, 0, NULL, 0, false, QUIPU_ORDER_STREAM, NULL}, 4, 1 + 2 + 3 + 4},
        {{0, 100, QUIPU_KIND_BIT(QUIPU_KIND_send), NULL, 0, NULL, 0, false, QUIPU_ORDER_STREAM, NULL}, 1, 3},
        {{INT64_MIN, INT64_MAX, QUIPU_ALL_KINDS, second_location, 1, NULL, 0, false, QUIPU_ORDER_STREAM, NULL},
         3,
         6 + 7 + 8},
        {{INT64_MIN, INT64_MAX, QUIPU_ALL_KINDS, NULL, 0, inner_region, 1, false, QUIPU_ORDER_TIME, NULL},
         3,
         2 + 3 + 4}, /* the receive is not inside such a call */
        {{22, 29, QUIPU_ALL_KINDS, NULL, 0, inner_region, 1, false, QUIPU_ORDER_TIME, NULL}, 1, 3},
        {{22, 99, QUIPU_KIND_BIT(QUIPU_KIND_send), NULL, 0, inner_region, 1, false, QUIPU_ORDER_STREAM, NULL},
         1,
         3},
        {{INT64_MIN, INT64_MAX, QUIPU_ALL_KINDS, second_location, 0, NULL, 0, false, QUIPU_ORDER_TIME, NULL},
         0,
         0},
        {QUIPU_SELECTION_INIT, 8, 36},
    };
    struct quipu_reader *reader = fake_reader(&trace);
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint64_t count;
        assert_int_equal(quipu_reader_select(reader, &cases[i].selection, NULL), QUIPU_OK);
        assert_int_equal(read_batches(reader, &count), cases[i].total);
        assert_int_equal(count, cases[i].count);
        assert_int_equal(quipu_reader_records(reader), 11);
    }
    quipu_reader_close(reader);
}

static void test_select_knows_that_calls_may_overlap(void **state) {
    (void)state;
    static const uint32_t second[] = {1};
    static const struct quipu_event rows[] = {
        {.time = 1, .kind = QUIPU_KIND_enter, .object = 0, .byte_offset = 1},
        {.time = 2, .kind = QUIPU_KIND_enter, .object = 1, .byte_offset = 2},
        {.time = 3, .kind = QUIPU_KIND_leave, .object = 0, .byte_offset = 4},
        {.time = 4, .kind = QUIPU_KIND_send, .peer = 1, .tag = 5, .bytes = 1, .byte_offset = 8},
        {.time = 5, .kind = QUIPU_KIND_leave, .object = 1, .byte_offset = 16},
        {.time = 6, .kind = QUIPU_KIND_send, .peer = 1, .tag = 5, .bytes = 1, .byte_offset = 32},
    };
    static const struct fake_stream lists[] = {{definition_rows, COUNT(definition_rows), 0},
                                               {rows, COUNT(rows), 1}};
    static const struct fake_trace overlapping = {lists, COUNT(lists), 2, 2, 0, 3};
    static const struct {
        enum quipu_nesting nesting;
        uint64_t total;
    } cases[] = {{QUIPU_NESTING_FREE, 2 + 8 + 16}, {QUIPU_NESTING_STRICT, 2 + 16}};
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    selection.regions = second;
    selection.region_count = 1;
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint64_t count;
        fake_nesting = cases[i].nesting;
        struct quipu_reader *reader = fake_reader(&overlapping);
        assert_int_equal(quipu_reader_select(reader, &selection, NULL), QUIPU_OK);
        assert_int_equal(read_batches(reader, &count), cases[i].total);
        quipu_reader_close(reader);
    }
    fake_nesting = QUIPU_NESTING_STRICT;
}

QUIPU_TESTS(cmocka_unit_test(test_select_by_time_kind_location_and_region),
            cmocka_unit_test(test_select_knows_that_calls_may_overlap))
