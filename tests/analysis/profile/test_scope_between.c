/* test_scope_between.c: time outside of any call, by the calls around it, by arithmetic. */
#include "analysis/programs.h"

#define OUTSIDE "between exclusive_ns calls min_ns max_ns"

/* Rank 0 is outside 0..10, 20..50, 70..100 and 110..130; rank 1 20..60, after a call in a call. */
static const struct program program = {
    .rows = {"0/send,peer=1,bytes=8 10..20:MPI_Init 50..60:MPI_Send 60..70:MPI_Recv 100..110:MPI_Send "
             "130/send,peer=1,bytes=8",
             "0+MPI_Init 5..10:work 20- 60..70:MPI_Send"}};

static void test_profile_between_names_the_calls_around(void **state) {
    (void)state;
    assert_answer(&program, "profile", "by=between", "profile", OUTSIDE " mean_ns locations share_percent",
                  "between MPI_Init and MPI_Send 70 2 30 40 35 2 53.85\n"
                  "between MPI_Recv and MPI_Send 30 1 30 30 30 1 23.08\n"
                  "after MPI_Send 20 1 20 20 20 1 15.38\n"
                  "before MPI_Init 10 1 10 10 10 1 7.69\n");
}

/* Parts of windows that touch add up; a part is of the window in which it begins. */
static void test_profile_between_in_windows(void **state) {
    (void)state;
    assert_answer(&program, "profile", "by=between from=0 to=30", "profile", OUTSIDE,
                  "between MPI_Init and MPI_Send 20 2 10 10\nbefore MPI_Init 10 1 10 10\n");
    assert_answer(&program, "profile", "by=between from=30 to=85", "profile", OUTSIDE,
                  "between MPI_Init and MPI_Send 50 0 20 30\nbetween MPI_Recv and MPI_Send 15 1 15 15\n");
    assert_answer(&program, "profile", "by=between from=85 to=131", "profile", OUTSIDE,
                  "after MPI_Send 20 1 20 20\nbetween MPI_Recv and MPI_Send 15 0 15 15\n");
}

static void test_profile_between_of_time_in_calls_only(void **state) {
    (void)state;
    const struct program inside = {.rows = {"0..10:MPI_Init 10..20:work 20-work 25-"}};
    assert_answer(&inside, "profile", "by=between", "profile", OUTSIDE, "after work 5 1 5 5\n");
    assert_answer(&inside, "profile", "by=between from=0 to=20", "profile", OUTSIDE, "");
}

static void test_profile_between_refuses_calls_to_count_in(void **state) {
    (void)state;
    assert_refusal(&program, "profile", "by=between within=MPI_Init",
                   "--by between is of what is outside of calls: --within and --begin name calls");
    assert_refusal(&program, "profile", "by=between begin=work",
                   "--by between is of what is outside of calls: --within and --begin name calls");
}

QUIPU_TESTS(cmocka_unit_test(test_profile_between_names_the_calls_around),
            cmocka_unit_test(test_profile_between_in_windows),
            cmocka_unit_test(test_profile_between_of_time_in_calls_only),
            cmocka_unit_test(test_profile_between_refuses_calls_to_count_in))
