/* Single calls: the longest, those of each region, and how many took how long. */
#include "analysis/programs.h"

#define LONGEST                                                                                                \
    "region duration_ns location start_ns peer tag messages bytes_sent bytes_received depth unfinished"

/* main lasts 100; in it sends of 5 and 15 and a receive of 10, which is longer on rank 1: 10 to 45. */
static const struct program some = {
    .rows = {"0+main 10..15:MPI_Send/send,peer=1,bytes=8,tag=4/send,peer=1,bytes=2,tag=5 "
             "20..35:MPI_Send/send,peer=1,bytes=100,tag=6 40..50:MPI_Recv/recv,peer=1,bytes=7 100-",
             "10..45:MPI_Recv/recv,peer=0,bytes=8,tag=4 50..55:MPI_Allreduce/allreduce,bytes=16,value=32"}};

static void test_calls_the_longest_first(void **state) {
    (void)state;
    assert_answer(&some, "calls", "top=4", "longest", LONGEST,
                  "main 100 0 0 - - 0 0 0 0 0\nMPI_Recv 35 1 10 0 4 1 0 8 0 0\nMPI_Send 15 0 20 1 6 1 100 0 1 "
                  "0\nMPI_Recv 10 0 40 1 0 1 0 7 1 0\n");
    /* The first message of a call gives peer and tag. */
    assert_answer(&some, "calls", "region=MPI_S*", "longest", LONGEST,
                  "MPI_Send 15 0 20 1 6 1 100 0 1 0\nMPI_Send 5 0 10 1 4 2 10 0 1 0\n");
    assert_answer(&some, "calls", "region=*reduce", "longest", LONGEST,
                  "MPI_Allreduce 5 1 50 - - 0 16 32 0 0\n");
}

/* Sends 5 and 15: 20, 10 in the mean; receives 35 and 10: 22.5, cut to 22. */
static void test_calls_of_regions(void **state) {
    (void)state;
    assert_answer(
        &some, "calls", "", "regions", "region calls min_ns mean_ns max_ns total_ns",
        "main 1 100 100 100 100\nMPI_Recv 2 10 22 35 45\nMPI_Send 2 5 10 15 20\nMPI_Allreduce 1 5 5 5 5\n");
}

/* Bins of 1, 2, 5: two calls of 5 in [5, 10), 15 and 10 in [10, 20), 35 in [20, 50), none in [50, 100), 100 in [100, 200). */
static void test_calls_by_their_duration(void **state) {
    (void)state;
    assert_answer(&some, "calls", "", "histogram", "from_ns to_ns calls time_ns",
                  "5 10 2 10\n10 20 2 25\n20 50 1 35\n50 100 0 0\n100 200 1 100\n");
    const struct program none = {.rows = {"5..5:work 7..8:work"}};
    assert_answer(&none, "calls", "", "histogram", "from_ns to_ns calls time_ns", "0 1 1 0\n1 2 1 1\n");
}

/* A call that is never left ends with the last call, message or collective of its location, at 40. A leave without enter is no call. */
static void test_calls_that_are_never_left(void **state) {
    (void)state;
    const struct program program = {.rows = {"5- 10+main 20+solve 40/send,peer=0,bytes=8 70/note"}};
    assert_answer(&program, "calls", "", "longest", "region duration_ns start_ns depth unfinished",
                  "main 30 10 0 1\nsolve 20 20 1 1\n");
}

/* In [12, 42): main counts with 30, but was entered outside; the sends with 3 and 15, the receive with 2; calls are those entered inside. */
static void test_calls_in_a_window(void **state) {
    (void)state;
    assert_answer(&some, "calls", "from=12 to=42 only=0", "longest", "region duration_ns start_ns",
                  "main 30 12\nMPI_Send 15 20\nMPI_Send 3 12\nMPI_Recv 2 40\n");
    assert_answer(&some, "calls", "from=12 to=42 only=0", "regions",
                  "region calls min_ns mean_ns max_ns total_ns",
                  "main 0 30 30 30 30\nMPI_Send 1 3 9 15 18\nMPI_Recv 1 2 2 2 2\n");
    assert_answer(&some, "calls", "from=12 to=42 only=0", "histogram", "from_ns to_ns calls time_ns",
                  "2 5 1 5\n5 10 0 0\n10 20 1 15\n20 50 0 30\n");
}

QUIPU_TESTS(cmocka_unit_test(test_calls_the_longest_first), cmocka_unit_test(test_calls_of_regions),
            cmocka_unit_test(test_calls_by_their_duration), cmocka_unit_test(test_calls_that_are_never_left),
            cmocka_unit_test(test_calls_in_a_window))
