/* test_without.c: how long a program would run if no call waited in some way, by arithmetic. */
#include "analysis/programs.h"

#define REPLAY "runtime_ns replayed_ns change_percent error_percent"

/* Rank 1 is in its receive from 20 on, the send begins at 60: 15 are left of the call. Without the wait it is done at 20 + 15, and after 30 more; rank
 * 0 ends at 80 in any case. On an ideal network rank 1 receives at 60, or at 20 when it does not wait. */
static const struct program late_sender = {
    .rows = {"0..60:work 60..70:MPI_Send/send,peer=1,bytes=8 70..80:work",
             "0..20:work 20..75:MPI_Recv/recv,peer=0,bytes=8 75..105:work"}};

static void test_without_late_senders_receives_take_what_was_left(void **state) {
    (void)state;
    assert_answer(&late_sender, "replay", "", "replay", REPLAY, "105 105 0 0\n");
    assert_answer(&late_sender, "replay", "without=late-sender", "replay", REPLAY, "105 80 -23.81 -\n");
    assert_answer(&late_sender, "replay", "network=ideal", "replay", REPLAY, "105 90 -14.29 -\n");
    assert_answer(&late_sender, "replay", "network=ideal without=late-sender", "replay", REPLAY,
                  "105 70 -33.33 -\n");
    assert_answer(&late_sender, "replay", "without=late-receiver", "replay", REPLAY, "105 105 0 -\n");
}

static void test_without_counts_in_calls_of_the_region_only(void **state) {
    (void)state;
    assert_answer(&late_sender, "replay", "without=late-sender=MPI_Recv", "replay", REPLAY,
                  "105 80 -23.81 -\n");
    assert_answer(&late_sender, "replay", "without=late-sender=MPI_Send", "replay", REPLAY, "105 105 0 -\n");
}

/* The send is entered at 10, its receive is posted at 50: 10 are left. Without the wait rank 0 ends at 10 + 10 + 20, rank 1 at 65. On an ideal network rank
 * 0 ends at 50 + 20, or rank 1 at 50 + 10. */
static void test_without_late_receivers_sends_take_what_was_left(void **state) {
    (void)state;
    const struct program program = {.rows = {"0..10:work 10..60:MPI_Send/send,peer=1,bytes=8 60..80:work",
                                             "0..50:work 50..55:MPI_Recv/recv,peer=0,bytes=8 55..65:work"}};
    assert_answer(&program, "replay", "without=late-receiver", "replay", REPLAY, "80 65 -18.75 -\n");
    assert_answer(&program, "replay", "network=ideal", "replay", REPLAY, "80 70 -12.5 -\n");
    assert_answer(&program, "replay", "network=ideal without=late-receiver", "replay", REPLAY, "80 60 -25 -\n");
}

/* One is late the first time, the other the second time. Without waiting each barrier takes 10: 60 + 10 + 20 + 10 and 20 + 10 + 40 + 10. On an ideal network
 * 60 + 40; 60 + 20 without waiting. */
static void test_without_waiting_in_barriers_each_goes_its_way(void **state) {
    (void)state;
    const struct program program = {
        .rows = {"0..60:work 60..70:MPI_Barrier/barrier 70..90:work 90..120:MPI_Barrier/barrier",
                 "0..20:work 20..70:MPI_Barrier/barrier 70..110:work 110..120:MPI_Barrier/barrier"}};
    assert_answer(&program, "replay", "without=wait-at-barrier", "replay", REPLAY, "120 100 -16.67 -\n");
    assert_answer(&program, "replay", "network=ideal", "replay", REPLAY, "120 100 -16.67 -\n");
    assert_answer(&program, "replay", "network=ideal without=wait-at-barrier", "replay", REPLAY,
                  "120 80 -33.33 -\n");
    assert_answer(&program, "replay", "without=wait-at-nxn", "replay", REPLAY, "120 120 0 -\n");
}

/* Two patterns: the receive of rank 1 waits for rank 0, and then rank 0 in the barrier for rank 1. Without late senders rank 1 comes to the barrier at 10 + 5
 * + 40 in place of 65 + 40, where rank 0 comes at 70: 70 + 5. Rank 0 takes as long without waiting. */
static void test_without_several_patterns_together(void **state) {
    (void)state;
    const struct program program = {
        .rows = {"0..60:work 60..70:MPI_Send/send,peer=1,bytes=8 70..110:MPI_Barrier/barrier",
                 "0..10:work 10..65:MPI_Recv/recv,peer=0,bytes=8 65..105:work 105..110:MPI_Barrier/barrier"}};
    assert_answer(&program, "replay", "without=late-sender", "replay", REPLAY, "110 75 -31.82 -\n");
    assert_answer(&program, "replay", "without=wait-at-barrier", "replay", REPLAY, "110 110 0 -\n");
    assert_answer(&program, "replay", "without=wait-at-barrier without=late-sender", "replay", REPLAY,
                  "110 75 -31.82 -\n");
}

static void assert_refused(const char *network, const char *value, const char *words) {
    struct quipu_reader *reader = program_reader(&late_sender, 1);
    const struct quipu_setting settings[] = {{"network", network}, {"without", value}};
    struct quipu_analysis_options options = QUIPU_ANALYSIS_OPTIONS_INIT;
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu_tables *tables;
    options.settings = settings;
    options.setting_count = 2;
    assert_int_equal(quipu_analysis_run(reader, "replay", &options, &tables, &err), QUIPU_MISUSE);
    if (!strstr(err.message, words))
        fail_msg("%s: %s", value, err.message);
    quipu_reader_close(reader);
}

static void test_without_refuses_what_it_cannot_leave_out(void **state) {
    (void)state;
    assert_refused("measured", "late", "early-reduce, early-scan");
    assert_refused("measured", "barrier-completion", "PATTERN is late-sender");
    assert_refused("measured", "late-sender-wrong-order-same-source", "PATTERN is late-sender");
    assert_refused("measured", "late-sender=wrok", "wrok");
    assert_refused("measured", "wait-at-collective-io", "--network ideal");
    assert_refused("loggops", "late-sender", "means nothing with --network loggops");
}

QUIPU_TESTS(cmocka_unit_test(test_without_late_senders_receives_take_what_was_left),
            cmocka_unit_test(test_without_counts_in_calls_of_the_region_only),
            cmocka_unit_test(test_without_late_receivers_sends_take_what_was_left),
            cmocka_unit_test(test_without_waiting_in_barriers_each_goes_its_way),
            cmocka_unit_test(test_without_several_patterns_together),
            cmocka_unit_test(test_without_refuses_what_it_cannot_leave_out))
