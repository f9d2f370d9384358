/* test_reader.c: passes over the calls of a file: windows of time, clocks. */
#include "traces.h"

#define INT 9
#define WORLD 2
#define SELF 3

/* Events of a window of time, as "TIME KIND REQUEST" each. */
static char *window_of(struct quipu_reader *reader, int64_t from, int64_t to) {
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    struct quipu_event event;
    char *all = harness_text("%s", "");
    selection.from = from;
    selection.to = to;
    assert_int_equal(quipu_reader_select(reader, &selection, NULL), QUIPU_OK);
    while (quipu_reader_next(reader, &event, NULL) == QUIPU_OK)
        all = harness_text("%s%lld %u %llu\n", all, (long long)event.time, event.kind,
                           event.kind == QUIPU_KIND_recv ? (unsigned long long)event.id : 0);
    return all;
}

/* Requests are followed from the beginning, whatever the window shows; nothing is read behind it. */
static void test_reader_windows_have_the_events_between(void **state) {
    (void)state;
    enum { CALLS = 12, LASTS = 10 };
    struct made made = made_create();
    made_rank(&made, 0);
    for (int32_t i = 0; i < CALLS; i++)
        if (i < CALLS / 2)
            CALL(&made, irecv, .count = 1, .datatype = INT, .source = 1, .tag = i, .comm = WORLD,
                 .request = 2 + i);
        else
            CALL(&made, wait, .request = 2 + i - CALLS / 2);
    made_rank(&made, 1);
    struct quipu_reader *reader = opened(made_close(&made));
    char *ranges = harness_text("%s", "");
    for (int64_t from = 0; from <= CALLS * LASTS; from += 7)
        ranges = harness_text("%s%s", ranges, window_of(reader, from, from + 7));
    assert_string_equal(ranges, window_of(reader, INT64_MIN, INT64_MAX));
    assert_string_equal(window_of(reader, 70, 71), harness_text("70 %u 2\n70 %u 0\n70 %u 0\n", QUIPU_KIND_recv,
                                                                QUIPU_KIND_leave, QUIPU_KIND_enter));
    quipu_reader_close(reader);
}

static void test_reader_undoes_the_roll_over(void **state) {
    (void)state;
    struct made made = made_create();
    made_rank(&made, 0);
    for (int i = 0; i < 4; i++) {
        CALL(&made, barrier, .comm = WORLD);
        made.common.wall_stop += INT64_C(30000) * 1000000000;
    }
    const char *path = made_close(&made);
    assert_events(path, QUIPU_KIND_BIT(QUIPU_KIND_enter),
                  "0 0 enter region=0\n30000000000010 0 enter region=0\n60000000000020 0 enter region=0\n"
                  "90000000000030 0 enter region=0\n");
    assert_int_equal(findings_of(path, "dumpi.rollover"), 1);
}

static void test_reader_without_wall_times_uses_the_cpu(void **state) {
    (void)state;
    struct made made = made_create();
    made_rank(&made, 0);
    made.common.mask = QUIPU__DUMPI_MASK_CPU | QUIPU__DUMPI_MASK_THREAD;
    made.common.cpu_start = 70;
    made.common.cpu_stop = 95;
    CALL(&made, barrier, .comm = WORLD);
    const char *path = made_close(&made);
    assert_events(path, ~BUT_REGIONS, "70 0 enter region=0\n95 0 leave region=0\n");
    assert_int_equal(findings_of(path, "dumpi.no-clock"), 1);
}

QUIPU_TESTS(cmocka_unit_test(test_reader_windows_have_the_events_between),
            cmocka_unit_test(test_reader_undoes_the_roll_over),
            cmocka_unit_test(test_reader_without_wall_times_uses_the_cpu))
