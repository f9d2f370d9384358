/* Phases: what all processes repeat, and how long each time takes. */
#include "analysis/programs.h"

#define PHASES                                                                                                 \
    "phase iterations period_calls aligned not_aligned first_ns last_ns min_ns median_ns max_ns sum_ns "       \
    "deviation_ns"
#define ITERATIONS "phase iteration from_ns length_ns useful_sum_ns useful_max_ns wait_ns bytes"

/* Four times work and MPI_Allreduce, which end at 20, 40, 60 and 90; nothing comes before 0. Lengths 20, 20, 20, 30. Rank 0 works 10, 10, 10, 20,
 * rank 1 5 and waits 5, at last 15. */
static void test_phases_of_one_call(void **state) {
    (void)state;
    const char *all = "MPI_Allreduce/allreduce,bytes=8,value=8";
    const struct program program = {
        .rows = {
            harness_text(
                "0..10:work 10..20:%s 20..30:work 30..40:%s 40..50:work 50..60:%s 60..80:work 80..90:%s", all,
                all, all, all),
            harness_text("0..5:work 5..20:%s 20..25:work 25..40:%s 40..45:work 45..60:%s 60..65:work 65..90:%s",
                         all, all, all, all)}};
    assert_answer(&program, "phases", "", "phases", PHASES, "1 4 1 2 0 0 90 20 20 30 90 0\n");
    assert_answer(&program, "phases", "iterations=yes", "iterations", ITERATIONS,
                  "1 1 0 20 15 10 5 0\n1 2 20 20 15 10 5 0\n1 3 40 20 15 10 5 0\n1 4 60 30 25 20 15 0\n");
}

/* Two are no repetition. */
static void test_phases_need_three(void **state) {
    (void)state;
    const struct program two = {.rows = {"0..10:MPI_Barrier/barrier 20..30:MPI_Barrier/barrier"}};
    const struct program three = {
        .rows = {"0..10:MPI_Barrier/barrier 20..30:MPI_Barrier/barrier 50..65:MPI_Barrier/barrier"}};
    assert_answer(&two, "phases", "", "phases", PHASES, "");
    /* Ends at 10, 30 and 65: lengths 10, 20, 35; distances from 20: 10, 0, 15. */
    assert_answer(&three, "phases", "", "phases", PHASES, "1 3 1 1 0 0 65 10 20 35 65 10\n");
}

/* MPI_Bcast until 8, then three times a message and a barrier: a period of two calls; the first iteration begins at 8. Even counts of
 * iterations have the mean of the middle two. 16 bytes are sent in each. */
static void test_phases_of_two_calls_after_another_one(void **state) {
    (void)state;
    const char *first = "0..%d:MPI_Bcast/bcast,peer=0,bytes=1,value=1";
    const char *send = "%d..%d:MPI_Send/send,peer=1,bytes=16 %d..%d:MPI_Barrier/barrier",
               *recv = "%d..%d:MPI_Recv/recv,peer=0,bytes=16 %d..%d:MPI_Barrier/barrier";
    const int ends[] = {20, 35, 60, 71};
    const char *rows[2] = {harness_text(first, 7), harness_text(first, 8)};
    for (int i = 0; i < 4; i++) {
        rows[0] =
            harness_text("%s %s", rows[0], harness_text(send, ends[i] - 9, ends[i] - 8, ends[i] - 5, ends[i]));
        rows[1] = harness_text("%s %s", rows[1],
                               harness_text(recv, ends[i] - 9, ends[i] - 7, ends[i] - 5, ends[i] - 1));
    }
    const struct program program = {.rows = {rows[0], rows[1]}};
    /* 8 to 20, 35, 60, 71: 12, 15, 25, 11; the middle ones 12 and 15: 13.5, shown as 14; distances 2, 1, 11, 3: 2.5, shown as 3. */
    assert_answer(&program, "phases", "", "phases", PHASES, "1 4 2 2 0 8 71 11 14 25 63 3\n");
    assert_answer(&program, "phases", "iterations=yes", "iterations", "iteration from_ns length_ns bytes",
                  "1 8 12 16\n2 20 15 16\n3 35 25 16\n4 60 11 16\n");
}

/* Rank 2 does it only twice: it is not aligned. Peers are told by their distance, so that all of a ring repeat the same; another tag is another
 * call. */
static void test_phases_of_those_that_are_not_aligned(void **state) {
    (void)state;
    const struct program program = {
        .rows = {"0..1:MPI_Send/send,peer=1,bytes=8 2..3:MPI_Send/send,peer=1,bytes=8 "
                 "4..5:MPI_Send/send,peer=1,bytes=8",
                 "0..1:MPI_Send/send,peer=2,bytes=8 2..3:MPI_Send/send,peer=2,bytes=8 "
                 "4..6:MPI_Send/send,peer=2,bytes=8",
                 "0..1:MPI_Send/send,peer=0,bytes=8 2..3:MPI_Send/send,peer=0,bytes=8 "
                 "4..9:MPI_Send/send,peer=0,bytes=8,tag=1"}};
    assert_answer(&program, "phases", "", "phases", PHASES, "1 3 1 2 1 0 6 1 2 3 6 1\n");
}

/* A loop of barriers, then one of broadcasts: two phases, in the order of time. Barriers end at 10, 20, 30, 40, broadcasts at 50, 60, 70. */
static void test_phases_one_after_the_other(void **state) {
    (void)state;
    const struct program program = {
        .rows = {"5..10:MPI_Barrier/barrier 15..20:MPI_Barrier/barrier 25..30:MPI_Barrier/barrier "
                 "35..40:MPI_Barrier/barrier "
                 "45..50:MPI_Bcast/bcast,peer=0,bytes=8 55..60:MPI_Bcast/bcast,peer=0,bytes=8 "
                 "65..70:MPI_Bcast/bcast,peer=0,bytes=8"}};
    assert_answer(&program, "phases", "", "phases", PHASES,
                  "1 4 1 1 0 5 40 5 10 10 35 0\n2 3 1 1 0 40 70 10 10 10 30 0\n");
}

/* ---- What is longer ---- */

#define SLOWEST "phase iteration length_ns beyond_ns location region between longer_ns time_ns median_ns"
#define CLUSTERS "phase cluster locations first region between mean_ns others_ns members"

/* The program of one call: the fourth iteration takes 30, the others 20. Rank 0 works 20 in it, else 10; rank 1 is as long in MPI_Allreduce as always, 10,
 * but for its waiting. Rank 0 works 50 and is 40 in MPI_Allreduce, rank 1 20 and 40: they differ by 30, of 90. */
static void test_phases_say_what_is_longer_in_slow_iterations(void **state) {
    (void)state;
    const char *all = "MPI_Allreduce/allreduce,bytes=8,value=8";
    const struct program program = {
        .rows = {
            harness_text(
                "0..10:work 10..20:%s 20..30:work 30..40:%s 40..50:work 50..60:%s 60..80:work 80..90:%s", all,
                all, all, all),
            harness_text("0..5:work 5..20:%s 20..25:work 25..40:%s 40..45:work 45..60:%s 60..65:work 65..90:%s",
                         all, all, all, all)}};
    assert_answer(&program, "phases", "iterations=yes", "slowest", SLOWEST, "1 4 30 10 0 work - 10 20 10\n");
    assert_answer(&program, "phases", "iterations=yes", "clusters", CLUSTERS,
                  "1 1 1 0 work - 50 20 0\n1 2 1 1 work - 20 50 1\n");
}

/* The same outside of any region. The first iteration begins with the first event of rank 0, at 10: it takes 10, the others 20, 20 and 30. Rank 0 is
 * outside for 0, 10, 10 and 20. */
static void test_phases_name_what_is_longer_outside_of_regions(void **state) {
    (void)state;
    const char *all = "MPI_Allreduce/allreduce,bytes=8,value=8";
    const struct program program = {
        .rows = {harness_text("10..20:%s 30..40:%s 50..60:%s 80..90:%s", all, all, all, all),
                 harness_text("5..20:%s 25..40:%s 45..60:%s 65..90:%s", all, all, all, all)}};
    assert_answer(&program, "phases", "iterations=yes", "slowest", SLOWEST,
                  "1 4 30 10 0 - between MPI_Allreduce and MPI_Allreduce 10 20 10\n");
}

/* Three times barriers until 22. Ranks 0 and 2 work 10 each time, 1 and 3 20, rank 4 10, 10 and 9; all are 2 in the barrier beside waiting, so rank 4
 * differs from rank 0 by 1 of 36, rank 1 by 30 of 66. Means of work: 89 / 3 and 60. All iterations take as long as usual. */
static void test_phases_find_locations_that_behave_alike(void **state) {
    (void)state;
    const char *barrier = "MPI_Barrier/barrier", *rows[5];
    for (int rank = 0; rank < 5; rank++) {
        rows[rank] = "";
        for (int i = 0; i < 3; i++) {
            const int work = rank % 2 == 1 ? 20 : 10 - (rank == 4 && i == 2);
            rows[rank] = harness_text("%s%s%d..%d:work %d..%d:%s", rows[rank], i > 0 ? " " : "", 22 * i,
                                      22 * i + work, 22 * i + work, 22 * i + 22, barrier);
        }
    }
    const struct program program = {.rows = {rows[0], rows[1], rows[2], rows[3], rows[4]}};
    assert_answer(&program, "phases", "iterations=yes", "clusters", CLUSTERS,
                  "1 1 3 0 work - 30 60 0,2,4\n1 2 2 1 work - 60 30 1,3\n");
    assert_answer(&program, "phases", "iterations=yes", "slowest", SLOWEST, "");
}

QUIPU_TESTS(cmocka_unit_test(test_phases_say_what_is_longer_in_slow_iterations),
            cmocka_unit_test(test_phases_name_what_is_longer_outside_of_regions),
            cmocka_unit_test(test_phases_find_locations_that_behave_alike),
            cmocka_unit_test(test_phases_of_one_call), cmocka_unit_test(test_phases_need_three),
            cmocka_unit_test(test_phases_of_two_calls_after_another_one),
            cmocka_unit_test(test_phases_of_those_that_are_not_aligned),
            cmocka_unit_test(test_phases_one_after_the_other))
