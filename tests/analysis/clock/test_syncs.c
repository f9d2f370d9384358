/* test_syncs.c: clocks are corrected as clock_sync events say, by themselves and in a trace that is written. */
#include "harness.h"
#include "trace/fake.h"

#include "analysis/clock/syncs.h"
#include "core/memory/memory.h"

/* At 100, 200 and 300 what is added is 10, 30 and 30: right times are 110, 230 and 330. From 100 to 200 120 ns pass in 100, or 1.2 each, and so before;
 * from 200 on 1 each. */
static const int64_t corrections[][2] = {{100, 10}, {200, 30}, {300, 30}};

static void test_clock_syncs_are_joined_by_lines(void **state) {
    struct quipu__memory memory;
    static const int64_t expected[][2] = {{-17, -31}, /* 110 - 117 * 1.2 = -30.4 */
                                          {99, 108},  /* 110 - 1.2 = 108.8 */
                                          {100, 110}, {101, 111}, {150, 170}, {199, 228},
                                          {200, 230}, {201, 231}, {300, 330}, {1000, 1030}};
    (void)state;
    quipu__memory_init(&memory, NULL, 0);
    struct quipu__clock_syncs syncs = {.memory = &memory};
    for (size_t i = 0; i < 3; i++)
        quipu__clock_syncs_add(&syncs, 1, corrections[i][0], corrections[i][1]);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_int_equal(quipu__clock_syncs_time(&syncs, 1, expected[i][0]), expected[i][1]);
    assert_int_equal(quipu__clock_syncs_time(&syncs, 0, 5), 5);
    assert_int_equal(quipu__clock_syncs_time(&syncs, 2, 5), 5);
    assert_null(quipu__clock_syncs_find(&syncs, 0));
    quipu__clock_syncs_release(&syncs);
    assert_int_equal(memory.used, 0);
}

static void test_clock_syncs_alone_are_constants(void **state) {
    struct quipu__memory memory;
    (void)state;
    quipu__memory_init(&memory, NULL, 0);
    struct quipu__clock_syncs syncs = {.memory = &memory};
    quipu__clock_syncs_add(&syncs, 0, 100, -7);
    assert_int_equal(quipu__clock_syncs_time(&syncs, 0, 10), 3);
    assert_int_equal(quipu__clock_syncs_time(&syncs, 0, 1000), 993);
    quipu__clock_syncs_release(&syncs);
}

/* The last one at 100 counts: 105. At 200 the time would be 50: it stays 105 from 100 to 200, and behind that, too. */
static void test_clock_syncs_never_turn_time_back(void **state) {
    struct quipu__memory memory;
    (void)state;
    quipu__memory_init(&memory, NULL, 0);
    struct quipu__clock_syncs syncs = {.memory = &memory};
    quipu__clock_syncs_add(&syncs, 0, 100, 900);
    quipu__clock_syncs_add(&syncs, 0, 100, 5);
    quipu__clock_syncs_add(&syncs, 0, 200, -150);
    for (int64_t time = 90; time < 300; time += 10)
        assert_int_equal(quipu__clock_syncs_time(&syncs, 0, time), 105);
    quipu__clock_syncs_release(&syncs);
}

/* ---- In a trace ---- */

#define SYNC(at, of, correction)                                                                               \
    {                                                                                                          \
        .time = (at), .kind = QUIPU_KIND_clock_sync, .location = (of), .value = (uint64_t)(correction),        \
        .object = QUIPU_NONE, .peer = QUIPU_NONE, .group = QUIPU_NONE                                          \
    }
#define MESSAGE(at, side, of, to)                                                                              \
    {                                                                                                          \
        .time = (at), .kind = QUIPU_KIND_##side, .location = (of), .object = QUIPU_NONE, .peer = (to),         \
        .group = QUIPU_NONE                                                                                    \
    }

/* Rank 0 is corrected by events. Messages of no length say that rank 1 is 5 behind it: that of 150 less 5 cannot be more, those of 110 and 190 not
 * less. Rank 2 has neither. */
static const struct quipu_event rows[] = {
    SYNC(100, 0, 10),         MESSAGE(105, recv, 1, 0), MESSAGE(110, send, 0, 1), MESSAGE(145, send, 1, 0),
    MESSAGE(150, recv, 0, 1), MESSAGE(170, send, 2, 2), MESSAGE(185, recv, 1, 0), MESSAGE(190, send, 0, 1),
    SYNC(200, 0, 30),         SYNC(300, 0, 30)};

/* 110 is 122, 150 is 170 and 190 is 218; so are 105, 145 and 185 of rank 1. */
static const int64_t times[3][3] = {{122, 170, 218}, {122, 170, 218}, {170}};

static const struct fake_stream streams[] = {{rows, sizeof rows / sizeof *rows, 1}};
static const struct fake_trace made = {streams, 1, 3, 1, 0, 0};

static struct quipu_reader *retime(struct quipu_tables **tables) {
    static const struct quipu_setting settings[] = {{"correct", "linear"}};
    struct quipu_retime_options options = QUIPU_RETIME_OPTIONS_INIT;
    struct quipu_conversion_report *report = NULL;
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu_reader *reader = fake_reader(&made), *written;
    const char *path = harness_text("%s/right.otf", harness_folder());
    options.analysis = "clock";
    options.answer.settings = settings;
    options.answer.setting_count = 1;
    if (quipu_retime(reader, path, "otf", &options, tables, &report, &err) != QUIPU_OK)
        fail_msg("%s", err.message);
    quipu_conversion_report_free(report);
    quipu_reader_close(reader);
    assert_int_equal(quipu_reader_open(path, NULL, &written, NULL), QUIPU_OK);
    return written;
}

static void test_clock_syncs_give_the_times_of_a_written_trace(void **state) {
    struct quipu_tables *tables;
    struct quipu_reader *reader = retime(&tables);
    struct quipu_event event;
    uint32_t counts[3] = {0};
    (void)state;
    while (quipu_reader_next(reader, &event, NULL) == QUIPU_OK) {
        if (event.kind != QUIPU_KIND_send && event.kind != QUIPU_KIND_recv)
            continue;
        assert_true(event.location < 3 && counts[event.location] < 3);
        assert_int_equal(event.time, times[event.location][counts[event.location]++]);
    }
    assert_int_equal(counts[0] + counts[1] + counts[2], 7);
    quipu_reader_close(reader);
    quipu_tables_free(tables);
}

/* Rank 0: from 100 to 300, which is 110 to 330, 20 are added in 220, or 1 in 11; it begins at 110. Rank 1 keeps the line that messages give. */
static void test_clock_syncs_are_shown_in_place_of_lines(void **state) {
    struct quipu_tables *tables;
    struct quipu_reader *reader = retime(&tables);
    const struct quipu_table *lines = quipu_tables_at(tables, 3);
    (void)state;
    assert_string_equal(quipu_table_name(lines), "lines");
    assert_int_equal(quipu_table_row_count(lines), 2);
    assert_true(quipu_table_at(lines, 0, 2)->is_null);
    assert_true(quipu_table_at(lines, 0, 4)->f > 0.0909 && quipu_table_at(lines, 0, 4)->f < 0.0910);
    assert_int_equal(quipu_table_at(lines, 0, 5)->i, 110);
    assert_int_equal(quipu_table_at(lines, 0, 6)->u, 3);
    assert_string_equal(quipu_table_at(lines, 1, 2)->text, "rank 0");
    assert_true(quipu_table_at(lines, 1, 4)->f == 0);
    assert_int_equal(quipu_table_at(lines, 1, 5)->i, 110);
    assert_int_equal(quipu_table_at(lines, 1, 6)->u, 0);
    quipu_reader_close(reader);
    quipu_tables_free(tables);
}

QUIPU_TESTS(cmocka_unit_test(test_clock_syncs_are_joined_by_lines),
            cmocka_unit_test(test_clock_syncs_alone_are_constants),
            cmocka_unit_test(test_clock_syncs_never_turn_time_back),
            cmocka_unit_test(test_clock_syncs_give_the_times_of_a_written_trace),
            cmocka_unit_test(test_clock_syncs_are_shown_in_place_of_lines))
