/* Clocks: messages that arrive too early, what would repair them, and the logical clock. */
#include "analysis/programs.h"

#include "analysis/shared/fold.h"

#define CLOCK                                                                                                  \
    "messages violations worst_ns collective_violations violations_after_offsets clc_largest_ns "              \
    "clc_changed_events clc_end_ns"

/* Rank 1's clock is 100 behind, messages take 10. There: 910 - 1000 = -90; back: 1030 - 920 = 110. */
static const struct program behind = {
    .rows = {"1000..1001:MPI_Send/send,peer=1,bytes=8 1020..1030:MPI_Recv/recv,peer=1,bytes=8",
             "900..910:MPI_Recv/recv,peer=0,bytes=8 920..921:MPI_Send/send,peer=0,bytes=8"}};

/* Offset (110 + 90) / 2 = 100, corridor -90 + 110 = 20. The logical clock moves the receive to 1000, and what follows on rank 1 by 90: receive, leave,
 * enter, send, leave. The last event is rank 0's, at 1030. */
static void test_clock_that_is_behind(void **state) {
    (void)state;
    assert_answer(&behind, "clock", "", "clock", CLOCK, "2 1 90 0 0 90 5 1030\n");
    assert_answer(&behind, "clock", "", "clock_pairs",
                  "sender sender_id receiver receiver_id messages violations worst_ns", "0 10 1 11 1 1 90\n");
    assert_answer(&behind, "clock", "", "offsets", "location location_id offset_ns corridor_ns",
                  "0 10 0 0\n1 11 100 20\n");
}

/* With a least time of 5: 95 too early, -95 and 105: the same offset, a corridor of 10. With 11 they contradict: -101 and 99: the middle is
 * 100, both messages are broken by 1 with it, and a corridor of -2 is none. */
static void test_clock_of_messages_that_take_time(void **state) {
    (void)state;
    assert_answer(&behind, "clock", "l-min=5", "clock", CLOCK, "2 1 95 0 0 95 5 1030\n");
    assert_answer(&behind, "clock", "l-min=5", "offsets", "offset_ns corridor_ns", "0 0\n100 10\n");
    assert_answer(&behind, "clock", "l-min=11", "clock", "violations worst_ns violations_after_offsets",
                  "1 101 2\n");
    assert_answer(&behind, "clock", "l-min=11", "offsets", "offset_ns corridor_ns", "0 0\n100 -\n");
}

/* Received as it is sent: nothing is broken, one ns less is. One direction only leads nowhere. */
static void test_clock_of_equal_times_is_right(void **state) {
    (void)state;
    const struct program right = {.rows = {"10/send,peer=1,bytes=8 20/note", "10/recv,peer=0,bytes=8"}};
    const struct program wrong = {.rows = {"11/send,peer=1,bytes=8 20/note", "10/recv,peer=0,bytes=8"}};
    assert_answer(&right, "clock", "", "clock", CLOCK, "1 0 0 0 0 0 0 20\n");
    assert_answer(&right, "clock", "", "clock_pairs", "sender", "");
    assert_answer(&right, "clock", "", "offsets", "location", "0\n");
    assert_answer(&wrong, "clock", "", "clock", CLOCK, "1 1 1 0 1 1 1 20\n");
}

/* 0-1: 60 there, -40 back: offset -50, corridor 20. 1-2: -76 and 84: 80 more, corridor 8; 0-2: 40 and 60 is wider (100) and not used. Rank 2 has
 * -50 + 80 = 30 and 20 + 8. */
static void test_clock_offsets_follow_the_narrowest_corridors(void **state) {
    (void)state;
    const struct program program = {
        .rows = {"100/send,peer=1,tag=1 200/recv,peer=1,tag=2 300/send,peer=2,tag=3 460/recv,peer=2,tag=4",
                 "160/recv,peer=0,tag=1 240/send,peer=0,tag=2 276/send,peer=2,tag=5 384/recv,peer=2,tag=6",
                 "200/recv,peer=1,tag=5 300/send,peer=1,tag=6 340/recv,peer=0,tag=3 400/send,peer=0,tag=4"}};
    assert_answer(&program, "clock", "", "offsets", "location offset_ns corridor_ns",
                  "0 0 0\n1 -50 20\n2 30 28\n");
    assert_answer(&program, "clock", "", "clock_pairs", "sender receiver worst_ns", "1 0 40\n1 2 76\n");
    /* 300 + 0 <= 340 + 30 and 400 + 30 <= 460: nothing is left. */
    assert_answer(&program, "clock", "", "clock", "messages violations worst_ns violations_after_offsets",
                  "6 2 76 0\n");
}

/* Rank 0 leaves the barrier at 50, before rank 1 comes at 60; a broadcast of rank 1 ends on rank 0 at 75, before it begins at 80. */
static void test_clock_of_collectives(void **state) {
    (void)state;
    const struct program program = {
        .rows = {"10..50:MPI_Barrier/barrier 70..75:MPI_Bcast/bcast,peer=1,bytes=8,value=8",
                 "60..65:MPI_Barrier/barrier 80..90:MPI_Bcast/bcast,peer=1,bytes=8,value=8"}};
    assert_answer(&program, "clock", "", "clock", "messages violations collective_violations clc_largest_ns",
                  "0 0 2 10\n");
    /* Leaving at 60, all of rank 0 moves by 10: end and leave of the barrier; then the broadcast 80, 80, 85 and 85. */
    assert_answer(&program, "clock", "", "clock", "clc_changed_events clc_end_ns", "6 90\n");
}

/* Rank 1 loses a tenth of the time: at 1000 it is 100 behind, at 2000 200. Points of the hulls: 90 and 190 there, 110 and 210 back: the
 * line between them gains 0.1 a ns. No constant will do: -190 and 110. */
static void test_clock_that_drifts(void **state) {
    (void)state;
    const struct program program = {
        .rows = {"1000/recv,peer=1 1000/send,peer=1 2000/recv,peer=1 2000/send,peer=1",
                 "890/send,peer=0 910/recv,peer=0 1790/send,peer=0 1810/recv,peer=0"}};
    const struct quipu_setting linear = {"correct", "linear"};
    struct quipu_reader *reader = program_reader(&program, 1);
    struct quipu_analysis_options options = QUIPU_ANALYSIS_OPTIONS_INIT;
    struct quipu__analysis_answer answer;
    options.settings = &linear;
    options.setting_count = 1;
    assert_int_equal(quipu__analysis_run(reader, "clock", &options, true, NULL, &answer, NULL), QUIPU_OK);
    assert_string_equal(program_rows(answer.tables, "lines", "location parent drift syncs"), "1 0 0.1 0\n");
    quipu_tables_free(answer.tables);
    quipu__analysis_answer_release(&answer);
    quipu_reader_close(reader);
    assert_answer(&program, "clock", "", "offsets", "location offset_ns", "0 0\n1 150\n");
}

static void test_clock_refuses_what_it_does_not_know(void **state) {
    (void)state;
    struct quipu_error err = QUIPU_ERROR_INIT;
    static const struct quipu_setting wrong[] = {
        {"correct", "magic"}, {"correct", "offset,linear"}, {"gamma", "2"}, {"gamma", "x"}, {"l-min", "-1"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct quipu_reader *reader = program_reader(&behind, 1);
        struct quipu_analysis_options options = QUIPU_ANALYSIS_OPTIONS_INIT;
        struct quipu_tables *tables;
        options.settings = &wrong[i];
        options.setting_count = 1;
        if (quipu_analysis_run(reader, "clock", &options, &tables, &err) != QUIPU_MISUSE)
            fail_msg("%s=%s is taken", wrong[i].name, wrong[i].value);
        quipu_reader_close(reader);
    }
}

QUIPU_TESTS(cmocka_unit_test(test_clock_that_is_behind),
            cmocka_unit_test(test_clock_of_messages_that_take_time),
            cmocka_unit_test(test_clock_of_equal_times_is_right),
            cmocka_unit_test(test_clock_offsets_follow_the_narrowest_corridors),
            cmocka_unit_test(test_clock_of_collectives), cmocka_unit_test(test_clock_that_drifts),
            cmocka_unit_test(test_clock_refuses_what_it_does_not_know))
