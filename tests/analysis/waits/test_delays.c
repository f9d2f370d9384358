/* Whose fault waiting is: what those that are waited for did more than those that wait, since they last met. */
#include "analysis/programs.h"

static void assert_delays(const struct program *program, const char *expected) {
    assert_answer(program, "waits", "causes=yes", "delays", "location region path short_ns long_ns", expected);
}

/* Work of 100 against 20: all 80 of the wait. */
static void test_delays_of_a_late_sender(void **state) {
    (void)state;
    const struct program program = {.rows = {"0+solve 0..100:work 100..110:MPI_Send/send,peer=1,bytes=8 120-",
                                             "0+solve 0..20:work 20..112:MPI_Recv/recv,peer=0,bytes=8 120-"}};
    assert_delays(&program, "0 work solve > work 80 0\n");
}

/* Rank 1 waits 80 for rank 0. Rank 2 waits 120 for rank 1, which worked 40 against 10, received 10 and waited 80: 30, 10 and 80; the 80 go on to
 * rank 0's work. */
static void test_delays_of_a_chain(void **state) {
    (void)state;
    const struct program program = {.rows = {"0..100:work 100..102:MPI_Send/send,peer=1,bytes=8",
                                             "0..20:work 20..110:MPI_Recv/recv,peer=0,bytes=8 110..130:work "
                                             "130..132:MPI_Send/send,peer=2,bytes=8",
                                             "0..10:work 10..140:MPI_Recv/recv,peer=1,bytes=8"}};
    assert_delays(&program, "0 work work 80 80\n1 work work 30 0\n1 MPI_Recv MPI_Recv 10 0\n");
}

/* A wait of 10 over three equal excesses of 10: 3 each, and what is left to the first path. Over 10 and 20: 3.33 and 6.67. */
static void test_delays_share_whole_nanoseconds(void **state) {
    (void)state;
    const struct program three = {.rows = {"0..10:a 10..20:b 20..30:c 30..31:MPI_Send/send,peer=1,bytes=8",
                                           "0..20:w 20..35:MPI_Recv/recv,peer=0,bytes=8"}};
    const struct program two = {.rows = {"0..10:a 10..30:b 30..31:MPI_Send/send,peer=1,bytes=8",
                                         "0..20:w 20..35:MPI_Recv/recv,peer=0,bytes=8"}};
    assert_delays(&three, "0 a a 4 0\n0 b b 3 0\n0 c c 3 0\n");
    assert_delays(&two, "0 b b 7 0\n0 a a 3 0\n");
}

/* Both leave the barrier at 60: what was before counts no more. Since then 60 of b against 10 of a, for a wait of 50; the barrier's 40 are rank
 * 1's a, 50 against 10. */
static void test_delays_begin_where_both_last_met(void **state) {
    (void)state;
    const struct program program = {
        .rows = {"0..10:a 10..60:MPI_Barrier/barrier 60..120:b 120..121:MPI_Send/send,peer=1,bytes=8",
                 "0..50:a 50..60:MPI_Barrier/barrier 60..70:a 70..122:MPI_Recv/recv,peer=0,bytes=8"}};
    assert_delays(&program, "0 b b 50 0\n1 a a 40 0\n");
}

/* Rank 0 has nothing before its send at 50: nothing explains it. */
static void test_delays_of_one_that_was_not_there(void **state) {
    (void)state;
    const struct program program = {
        .rows = {"50..52:MPI_Send/send,peer=1,bytes=8", "0..60:MPI_Recv/recv,peer=0,bytes=8"}};
    assert_delays(&program, "0 -  50 0\n");
}

/* Costs are as long as waits, in sum: 20 + 80 for two receivers of rank 0, and nothing else. */
static void test_delays_of_two_that_wait_for_one(void **state) {
    (void)state;
    const struct program program = {
        .rows = {"0..100:work 100..101:MPI_Send/send,peer=1,bytes=8 101..102:MPI_Send/send,peer=2,bytes=8",
                 "0..80:work 80..104:MPI_Recv/recv,peer=0,bytes=8",
                 "0..20:work 20..104:MPI_Recv/recv,peer=0,bytes=8"}};
    /* Rank 2 waits 81: work 80 more and 1 of the first send. */
    assert_delays(&program, "0 work work 100 0\n0 MPI_Send MPI_Send 1 0\n");
}

/* What passes in a barrier's completion or for a file is no location's fault. */
static void test_delays_of_nothing(void **state) {
    (void)state;
    const struct program program = {
        .rows = {"0..5:MPI_Barrier/barrier 5+read 6/io_begin,operation=read,object=f,id=1 "
                 "9/io_end,operation=read,object=f,id=1 10-",
                 "0..4:MPI_Barrier/barrier"}};
    assert_delays(&program, "");
}

/* Rank 1 waits 98 for what rank 0 does outside of any region between MPI_Init and MPI_Send, and 30 for what it does between two MPI_Send, or 130. */
static void test_delays_name_time_outside_by_the_calls_around_it(void **state) {
    (void)state;
    const struct program early = {.rows = {"0..2:MPI_Init 100..101:MPI_Send/send,peer=1,bytes=8 "
                                           "131..132:MPI_Send/send,peer=1,bytes=8",
                                           "0..2:MPI_Init 2..101:MPI_Recv/recv,peer=0,bytes=8 "
                                           "101..132:MPI_Recv/recv,peer=0,bytes=8"}},
                         late = {.rows = {"0..2:MPI_Init 100..101:MPI_Send/send,peer=1,bytes=8 "
                                          "231..232:MPI_Send/send,peer=1,bytes=8",
                                          "0..2:MPI_Init 2..101:MPI_Recv/recv,peer=0,bytes=8 "
                                          "101..232:MPI_Recv/recv,peer=0,bytes=8"}};
    assert_answer(&early, "waits", "causes=yes", "delays", "location region between short_ns",
                  "0 - between MPI_Init and MPI_Send 128\n");
    assert_answer(&late, "waits", "causes=yes", "delays", "location region between short_ns",
                  "0 - between MPI_Send and MPI_Send 228\n");
    assert_answer(&late, "why", "", "findings", "rank kind location region between time_ns",
                  "1 waiting 0 - between MPI_Send and MPI_Send 228\n2 unexplained - MPI_Init - 4\n"
                  "3 unexplained - MPI_Recv - 2\n4 unexplained - MPI_Send - 2\n");
    assert_answer(&late, "why", "", "spent", "kind location between time_ns",
                  "waiting 0 between MPI_Send and MPI_Send 228\nunexplained 0 - 2\nunexplained 0 - 2\n"
                  "unexplained 1 - 2\nunexplained 1 - 2\n");
}

/* Rank 0 is not there before 50: nothing is around that. */
static void test_delays_name_nothing_where_no_call_is(void **state) {
    (void)state;
    const struct program program = {
        .rows = {"50..51:MPI_Send/send,peer=1,bytes=8", "0..2:MPI_Init 2..51:MPI_Recv/recv,peer=0,bytes=8"}};
    assert_answer(&program, "waits", "causes=yes", "delays", "location region between short_ns", "0 - - 48\n");
}

QUIPU_TESTS(cmocka_unit_test(test_delays_name_time_outside_by_the_calls_around_it),
            cmocka_unit_test(test_delays_name_nothing_where_no_call_is),
            cmocka_unit_test(test_delays_of_a_late_sender), cmocka_unit_test(test_delays_of_a_chain),
            cmocka_unit_test(test_delays_share_whole_nanoseconds),
            cmocka_unit_test(test_delays_begin_where_both_last_met),
            cmocka_unit_test(test_delays_of_one_that_was_not_there),
            cmocka_unit_test(test_delays_of_two_that_wait_for_one), cmocka_unit_test(test_delays_of_nothing))
