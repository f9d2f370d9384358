/* test_replay_balance.c: how long a program would run if all took the mean time for a region, by arithmetic. */
#include "analysis/programs.h"

#define REPLAY "runtime_ns replayed_ns change_percent error_percent"

/* Rank 0 works 60 and 40, rank 1 20 and 20: the mean is 70. So rank 0 takes 42 and 28, rank 1 35 and 35. Rank 2 does not work. Barriers take 10 once
 * all are there: 42 + 10 + 35 + 10 = 97, in place of 60 + 10 + 40 + 10. All wait for them. */
static const struct program program = {
    .rows = {"0..60:work 60..70:MPI_Barrier/barrier 70..110:work 110..120:MPI_Barrier/barrier",
             "0..20:work 20..70:MPI_Barrier/barrier 70..90:work 90..120:MPI_Barrier/barrier",
             "0..5:idle 5..70:MPI_Barrier/barrier 70..75:idle 75..120:MPI_Barrier/barrier"}};

static void test_balance_gives_each_location_the_mean(void **state) {
    (void)state;
    assert_answer(&program, "replay", "", "replay", REPLAY, "120 120 0 0\n");
    assert_answer(&program, "replay", "balance=work", "replay", REPLAY, "120 97 -19.17 -\n");
    /* On an ideal network 42 + 35. */
    assert_answer(&program, "replay", "balance=work network=ideal", "replay", REPLAY, "120 77 -35.83 -\n");
}

/* Then twice as long: 84 + 10 + 70 + 10, of which idle takes no part. */
static void test_balance_comes_before_factors(void **state) {
    (void)state;
    assert_answer(&program, "replay", "balance=work cpu-factor=2", "replay", REPLAY, "120 174 45 -\n");
    assert_answer(&program, "replay", "balance=work region=work=2", "replay", REPLAY, "120 174 45 -\n");
}

/* From 70 on rank 0 works 40 and rank 1 20: the mean is 30, and the barrier takes 10 more: 40 of 50. */
static void test_balance_of_a_window(void **state) {
    (void)state;
    assert_answer(&program, "replay", "balance=work since=70", "replay", REPLAY, "50 40 -20 -\n");
}

/* Where all take the same nothing changes; inside of communication no time is that of the region. */
static void test_balance_changes_nothing_that_is_even(void **state) {
    (void)state;
    const struct program even = {.rows = {"0..30:work 30..40:MPI_Barrier/barrier 40..50:work",
                                          "0..30:work 30+MPI_Barrier 30..35:work 40-MPI_Barrier 40..50:work"}};
    assert_answer(&even, "replay", "balance=work", "replay", REPLAY, "50 50 0 -\n");
}

static void test_balance_refuses_what_is_no_region(void **state) {
    (void)state;
    struct quipu_reader *reader = program_reader(&program, 1);
    const struct quipu_setting setting = {"balance", "wrok"};
    struct quipu_analysis_options options = QUIPU_ANALYSIS_OPTIONS_INIT;
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu_tables *tables;
    options.settings = &setting;
    options.setting_count = 1;
    assert_int_equal(quipu_analysis_run(reader, "replay", &options, &tables, &err), QUIPU_MISUSE);
    assert_non_null(strstr(err.message, "wrok"));
    quipu_reader_close(reader);
}

QUIPU_TESTS(cmocka_unit_test(test_balance_gives_each_location_the_mean),
            cmocka_unit_test(test_balance_comes_before_factors), cmocka_unit_test(test_balance_of_a_window),
            cmocka_unit_test(test_balance_changes_nothing_that_is_even),
            cmocka_unit_test(test_balance_refuses_what_is_no_region))
