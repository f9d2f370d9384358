/* The critical path: backwards from the last event, to whom a location waited for when its wait ends. */
#include "analysis/programs.h"

#define SEGMENTS "from_ns to_ns duration_ns location region reason"
#define PROFILE "region path_ns total_ns imbalance_ns impact_ns"

static void assert_segments(const struct program *program, const char *settings, const char *expected) {
    assert_answer(program, "critical-path", settings, "segments", SEGMENTS, expected);
}

/* Rank 1 waits from 20 to 100 for rank 0, rank 2 from 10 to 130 for rank 1. Path: rank 0 to 100, rank 1 to 130, rank 2 to 140.
 * On it work 100 + 20 and MPI_Recv 10 + 10. Without waiting all work 100 + 20 + 20 + 10 = 150, receive 10 + 10, send 2 + 2. Beyond the
 * mean of three: 120 - 50, 20 - 6.67, 0 - 1.33; times three 360 - 150, 60 - 20, 0 - 4. */
static void test_critical_path_of_a_chain(void **state) {
    (void)state;
    const struct program program = {.rows = {"0..100:work 100..102:MPI_Send/send,peer=1,bytes=8",
                                             "0..20:work 20..110:MPI_Recv/recv,peer=0,bytes=8 110..130:work "
                                             "130..132:MPI_Send/send,peer=2,bytes=8",
                                             "0..10:work 10..140:MPI_Recv/recv,peer=1,bytes=8"}};
    assert_segments(&program, "",
                    "0 100 100 0 work late-sender\n100 130 30 1 work late-sender\n130 140 10 2 MPI_Recv end\n");
    assert_answer(&program, "critical-path", "", "critical_path", "runtime_ns segment_count location_count",
                  "140 3 3\n");
    assert_answer(&program, "critical-path", "", "path_profile", PROFILE,
                  "work 120 150 70 210\nMPI_Recv 20 20 13 40\nMPI_Send 0 4 -1 -4\n");
}

/* Rank 2 comes last to the barrier and leaves last: the path never leaves it. Barrier without waiting: 62 - 50, 40 - 30, 15. */
static void test_critical_path_of_the_last_one(void **state) {
    (void)state;
    const struct program program = {.rows = {"0..10:work 10..72:MPI_Barrier/barrier",
                                             "0..30:work 30..70:MPI_Barrier/barrier",
                                             "0..60:work 60..75:MPI_Barrier/barrier"}};
    assert_segments(&program, "", "0 75 75 2 work end\n");
    assert_answer(&program, "critical-path", "", "path_profile", PROFILE,
                  "work 60 100 27 80\nMPI_Barrier 15 37 3 8\n");
}

/* Both end at 60: the path ends at the lower number. Nothing happens before 5; rank 0 begins at 40 only, so 35 are of no region. */
static void test_critical_path_of_equal_ends(void **state) {
    (void)state;
    const struct program program = {.rows = {"40..60:late", "5..60:early"}};
    assert_segments(&program, "", "5 60 55 0 - end\n");
    assert_answer(&program, "critical-path", "", "path_profile", "region path_ns", "- 35\nlate 20\nearly 0\n");
}

/* Rank 0 waits in its send from 10 until rank 1 receives at 80, and works until 120; where 8 bytes need no receiver, it does not. */
static void test_critical_path_of_a_late_receiver(void **state) {
    (void)state;
    const struct program program = {.rows = {"10..100:MPI_Send/send,peer=1,bytes=8 100..120:work",
                                             "0..80:other 80..105:MPI_Recv/recv,peer=0,bytes=8"}};
    assert_segments(&program, "", "0 80 80 1 other late-receiver\n80 120 40 0 MPI_Send end\n");
    assert_segments(&program, "eager-limit=9", "0 120 120 0 MPI_Send end\n");
}

/* MPI_Waitall waits for rank 0 until 60 and for rank 1 until 110: the path goes to the one that was needed last. */
static void test_critical_path_goes_to_the_last_partner(void **state) {
    (void)state;
    const struct program program = {
        .rows = {"0..60:a 60..62:MPI_Send/send,peer=2,bytes=8",
                 "0..110:b 110..112:MPI_Send/send,peer=2,bytes=8",
                 "0..2:MPI_Irecv/recv_post,peer=1,tag=0,id=1 2..4:MPI_Irecv/recv_post,peer=0,tag=0,id=2 "
                 "20..120:MPI_Waitall/recv,peer=1,bytes=8,id=1/recv,peer=0,bytes=8,id=2"}};
    assert_segments(&program, "", "0 110 110 1 b late-sender\n110 120 10 2 MPI_Waitall end\n");
}

/* There and back: rank 0 waits until 50 for rank 1, which waited until 30 for rank 0. A wait that ends as another segment begins is
 * used once. */
static void test_critical_path_there_and_back(void **state) {
    (void)state;
    const struct program program = {
        .rows = {"0..30:a 30..31:MPI_Send/send,peer=1,bytes=8 35..55:MPI_Recv/recv,peer=1,bytes=8 55..60:c",
                 "5..32:MPI_Recv/recv,peer=0,bytes=8 32..50:b 50..51:MPI_Send/send,peer=0,bytes=8"}};
    assert_segments(&program, "",
                    "0 30 30 0 a late-sender\n30 50 20 1 b late-sender\n50 60 10 0 MPI_Recv end\n");
    assert_answer(&program, "critical-path", "", "critical_path", "runtime_ns segment_count location_count",
                  "60 3 2\n");
    /* MPI_Recv from 30 to 32 on rank 1, from 50 to 55 on rank 0; without waiting 20 - 15 + 27 - 25 = 7. Outside 31 to 35. Means 15, 9, 3.5, 2.5, 2, 1. */
    assert_answer(
        &program, "critical-path", "", "path_profile", PROFILE,
        "a 30 30 15 30\nb 18 18 9 18\nMPI_Recv 7 7 3 7\nc 5 5 2 5\n- 0 4 -2 -4\nMPI_Send 0 2 -1 -2\n");
}

/* 10 each: what is of no region first, then by name. */
static void test_critical_path_of_equal_regions(void **state) {
    (void)state;
    const struct program program = {.rows = {"0..10:b 10..20:a 30/note"}};
    assert_answer(&program, "critical-path", "", "path_profile", "region path_ns", "- 10\na 10\nb 10\n");
}

static void test_critical_path_of_nothing(void **state) {
    (void)state;
    const struct program program = {.rows = {""}};
    assert_segments(&program, "", "");
}

/* Rank 1 waits from 20 to 60. On the path rank 0 is outside from 10 to 60, rank 1 from 75 to 92: 67, most of them before the send. */
static void test_critical_path_names_time_between_calls(void **state) {
    (void)state;
    const struct program program = {.rows = {"0..10:a 60..70:MPI_Send/send,peer=1,bytes=8",
                                             "0..5:b 20..75:MPI_Recv/recv,peer=0,bytes=8 92..95:c"}};
    assert_answer(&program, "critical-path", "", "segments", "from_ns to_ns region between",
                  "0 60 - between a and MPI_Send\n60 95 - between MPI_Recv and c\n");
    assert_answer(&program, "critical-path", "", "path_profile", "region between path_ns",
                  "- between a and MPI_Send 67\nMPI_Recv - 15\na - 10\nc - 3\nMPI_Send - 0\nb - 0\n");
}

/* Inside of "outer" nothing is outside; of the two times outside the one behind it is longer. Nothing comes after it. */
static void test_critical_path_names_time_after_the_last_call(void **state) {
    (void)state;
    const struct program program = {.rows = {"0/note 5+outer 6+inner 8- 10- 30/note"}};
    assert_answer(&program, "critical-path", "", "segments", "region between", "- after outer\n");
    assert_answer(&program, "critical-path", "until=10", "segments", "region between", "- before outer\n");
}

QUIPU_TESTS(cmocka_unit_test(test_critical_path_names_time_between_calls),
            cmocka_unit_test(test_critical_path_names_time_after_the_last_call),
            cmocka_unit_test(test_critical_path_of_a_chain),
            cmocka_unit_test(test_critical_path_of_the_last_one),
            cmocka_unit_test(test_critical_path_of_equal_ends),
            cmocka_unit_test(test_critical_path_of_a_late_receiver),
            cmocka_unit_test(test_critical_path_goes_to_the_last_partner),
            cmocka_unit_test(test_critical_path_there_and_back),
            cmocka_unit_test(test_critical_path_of_equal_regions),
            cmocka_unit_test(test_critical_path_of_nothing))
