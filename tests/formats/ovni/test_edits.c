/* test_edits.c: which clocks of a stream are wrong, and what is left out of it. */
#include "harness.h"

#include "formats/ovni/repair.h"

static struct quipu__memory memory;

/* The clocks of a stream of events of 12 bytes; in a text of marks '[' and ']' are those of a region of late events. */
static void scan(struct quipu__ovni_edits *edits, const int64_t *clocks, const char *marks) {
    struct quipu__ovni_clock_scan scan = {.memory = &memory, .edits = edits, .before = -1, .inside = -1};
    quipu__memory_init(&memory, NULL, 0);
    *edits = (struct quipu__ovni_edits){.next_clock = 0};
    for (size_t i = 0; marks[i]; i++) {
        const bool is_mark = marks[i] != '.';
        const struct quipu__ovni_event event = {.model = 'O',
                                                .category = is_mark ? 'U' : 'H',
                                                .value = (uint8_t)marks[i],
                                                .clock = (uint64_t)clocks[i],
                                                .offset = 8 + 12 * i};
        quipu__ovni_clock_scan_add(&scan, &event);
    }
    quipu__ovni_clock_scan_end(&scan);
}

static uint64_t edited(struct quipu__ovni_edits *edits, size_t event, int64_t clock) {
    uint64_t found = (uint64_t)clock;
    assert_true(quipu__ovni_edit(edits, 8 + 12 * event, &found));
    return found;
}

static void test_edits_one_clock_is_far_too_late(void **state) {
    const int64_t clocks[] = {10, 20, INT64_C(1) << 60, 30, 40};
    struct quipu__ovni_edits edits;
    (void)state;
    scan(&edits, clocks, ".....");
    assert_int_equal(edits.clocks.count, 1);
    assert_int_equal(edited(&edits, 1, 20), 20);
    assert_int_equal(edited(&edits, 2, clocks[2]), 30); /* that of the next one */
    assert_int_equal(edited(&edits, 3, 30), 30);
    quipu__ovni_edits_release(&memory, &edits);
}

static void test_edits_clocks_that_go_back_stay_at_the_one_before(void **state) {
    const int64_t clocks[] = {10, 20, 5, 6, 21};
    struct quipu__ovni_edits edits;
    (void)state;
    scan(&edits, clocks, ".....");
    assert_int_equal(edited(&edits, 0, 10), 10);
    assert_int_equal(edited(&edits, 2, 5), 20);
    assert_int_equal(edited(&edits, 3, 6), 20);
    assert_int_equal(edited(&edits, 4, 21), 21);
    quipu__ovni_edits_release(&memory, &edits);
}

static void test_edits_the_first_clock_is_negative(void **state) {
    const int64_t clocks[] = {INT64_MIN + 10, 20};
    struct quipu__ovni_edits edits;
    (void)state;
    scan(&edits, clocks, "..");
    assert_int_equal(edited(&edits, 0, clocks[0]), 20);
    quipu__ovni_edits_release(&memory, &edits);
}

static void test_edits_regions_of_late_events_stay(void **state) {
    const int64_t clocks[] = {10, 20, 3, 4, 21};
    struct quipu__ovni_edits edits;
    (void)state;
    scan(&edits, clocks, ".[..]");
    assert_int_equal(edits.clocks.count, 0);
    quipu__ovni_edits_release(&memory, &edits);
}

static void test_edits_no_late_event_has_a_negative_clock(void **state) {
    const int64_t clocks[] = {10, INT64_C(1) << 60, 3, INT64_MIN + 40, 21};
    const int64_t first[] = {7, -1, 8};
    struct quipu__ovni_edits edits;
    (void)state;
    scan(&edits, clocks, ".[..]");
    assert_int_equal(edits.clocks.count, 2);
    assert_int_equal(edited(&edits, 1, clocks[1]), 21);
    assert_int_equal(edited(&edits, 2, 3), 3);
    assert_int_equal(edited(&edits, 3, clocks[3]), 3); /* the latest of the region */
    quipu__ovni_edits_release(&memory, &edits);
    scan(&edits, first, "[.]");
    assert_int_equal(edits.clocks.count, 1);
    assert_int_equal(edited(&edits, 1, -1), 7);
    quipu__ovni_edits_release(&memory, &edits);
}

static void test_edits_a_region_does_not_end_before_what_is_in_it(void **state) {
    const int64_t clocks[] = {10, 20, 3, 25, 21, 24, 26};
    struct quipu__ovni_edits edits;
    (void)state;
    scan(&edits, clocks, ".[..]..");
    assert_int_equal(edits.clocks.count, 2);
    assert_int_equal(edited(&edits, 4, 21), 25);
    assert_int_equal(edited(&edits, 5, 24), 25);
    quipu__ovni_edits_release(&memory, &edits);
}

/* What a second pass leaves out may lie before what the first one did. */
static void test_edits_leave_events_out(void **state) {
    const int64_t clocks[] = {1, 2, 3};
    struct quipu__ovni_edits edits;
    uint64_t clock = 0;
    (void)state;
    scan(&edits, clocks, "...");
    quipu__ovni_leave_out(&memory, &edits, 32);
    quipu__ovni_leave_out(&memory, &edits, 20);
    quipu__ovni_edits_rewind(&edits);
    assert_true(quipu__ovni_edit(&edits, 8, &clock));
    assert_false(quipu__ovni_edit(&edits, 20, &clock));
    assert_false(quipu__ovni_edit(&edits, 32, &clock));
    quipu__ovni_edits_release(&memory, &edits);
}

QUIPU_TESTS(cmocka_unit_test(test_edits_one_clock_is_far_too_late),
            cmocka_unit_test(test_edits_clocks_that_go_back_stay_at_the_one_before),
            cmocka_unit_test(test_edits_the_first_clock_is_negative),
            cmocka_unit_test(test_edits_regions_of_late_events_stay),
            cmocka_unit_test(test_edits_no_late_event_has_a_negative_clock),
            cmocka_unit_test(test_edits_a_region_does_not_end_before_what_is_in_it),
            cmocka_unit_test(test_edits_leave_events_out))
