/* Imbalance: what a region would save if all locations took the mean, over the run and between collectives of all. */
#include "analysis/programs.h"

#define IMBALANCE                                                                                              \
    "region max_ns mean_ns lost_ns lost_total_ns imbalance_percent slowest slowest_id windows_lost_total_ns "  \
    "behaviour"

static void assert_imbalance(const struct program *program, const char *settings, const char *expected) {
    assert_answer(program, "imbalance", settings, "imbalance", IMBALANCE, expected);
}

/* Two iterations: rank 0 works FIRST and SECOND, rank 1 OTHER and LAST ns; the barriers end together, 10 ns after the later one. */
static struct program iterations(int first, int other, int second, int last) {
    const int end = (first > other ? first : other) + 10, finish = end + (second > last ? second : last) + 10;
    const char *row = "0..%d:work %d..%d:MPI_Barrier/barrier %d..%d:work %d..%d:MPI_Barrier/barrier";
    return (struct program){
        .rows = {harness_text(row, first, first, end, end, end + second, end + second, finish),
                 harness_text(row, other, other, end, end, end + last, end + last, finish)}};
}

/* Rank 0 works 200 and 200, rank 1 100 and 100: lost 2 * 400 - 600 = 200, half of 1 * 400; in the windows 100 + 100, all of it: persistent.
 * Barriers: 10 + 10 and 110 + 110: lost 440 - 240, of 220. Two cuts make three windows. */
static void test_imbalance_of_the_same_rank_each_time(void **state) {
    (void)state;
    const struct program program = iterations(200, 100, 200, 100);
    assert_imbalance(
        &program, "",
        "MPI_Barrier 220 120 100 200 90.91 1 11 200 persistent\nwork 400 300 100 200 50 0 10 200 persistent\n");
    assert_answer(&program, "imbalance", "", "imbalance", "region region_id windows",
                  "MPI_Barrier 101 3\nwork 100 3\n");
}

/* 200 and 100, then 100 and 200: nothing is lost over the run, 100 + 100 in the windows. Barriers 10 + 110 and 110 + 10 likewise. */
static void test_imbalance_of_another_rank_each_time(void **state) {
    (void)state;
    const struct program program = iterations(200, 100, 100, 200);
    assert_imbalance(&program, "",
                     "MPI_Barrier 120 120 0 0 0 0 10 200 rotating\nwork 300 300 0 0 0 0 10 200 rotating\n");
}

/* 200 and 100, then 100 and 150: lost 600 - 550 = 50 of 300 over the run, 100 + 50 = 150 in the windows: 5 * 50 lies between 150 and 4 * 150.
 * Barriers: 10 + 60 and 110 + 10: lost 240 - 190 = 50; in the windows 100 + 50. */
static void test_imbalance_of_neither(void **state) {
    (void)state;
    const struct program program = iterations(200, 100, 100, 150);
    assert_imbalance(
        &program, "",
        "MPI_Barrier 120 95 25 50 41.67 1 11 150 mixed\nwork 300 275 25 50 16.67 0 10 150 mixed\n");
}

/* The edges of the classes. Balanced: 50 * lost < 2 * longest; with 26 and 25 50 < 52, with 25 and 24 50 = 50 is none. Persistent from
 * 5 * lost = 4 * windows: 190 and 100, 100 and 110: lost 2 * 290 - 500 = 80, windows 90 + 10 = 100. Rotating up to 5 * lost = windows: 160, 100, 100, 140: lost
 * 520 - 500 = 20, windows 60 + 40 = 100. */
static void test_imbalance_at_the_edges_of_classes(void **state) {
    (void)state;
    const struct program balanced = {.rows = {"0..26:work", "0..25:work"}},
                         second = {.rows = {"0..25:work", "0..24:work"}};
    assert_imbalance(&balanced, "", "work 26 26 1 1 3.85 0 10 1 balanced\n");
    assert_imbalance(&second, "", "work 25 25 1 1 4 0 10 1 persistent\n");
    const struct program persistent = iterations(190, 100, 100, 110), rotating = iterations(160, 100, 100, 140);
    assert_answer(&persistent, "imbalance", "", "imbalance",
                  "region lost_total_ns windows_lost_total_ns behaviour",
                  "MPI_Barrier 80 100 persistent\nwork 80 100 persistent\n");
    assert_answer(&rotating, "imbalance", "", "imbalance",
                  "region lost_total_ns windows_lost_total_ns behaviour",
                  "MPI_Barrier 20 100 rotating\nwork 20 100 rotating\n");
}

/* main lasts 40 on rank 0, of which work takes 30, and 20 on rank 1; recursion counts once: again lasts 12 in all. Rank 0 is outside of any from
 * 40 to 50. Exclusive: main 10 and 20 - 12 = 8. */
static void test_imbalance_of_inclusive_times(void **state) {
    (void)state;
    const struct program program = {
        .rows = {"0+main 0..30:work 40- 50/note", "0+main 2+again 4+again 6- 14- 20-"}};
    assert_answer(&program, "imbalance", "inclusive=yes", "imbalance", "region max_ns lost_total_ns slowest",
                  "work 30 30 0\nmain 40 20 0\nagain 12 12 1\n- 10 10 0\n");
    assert_answer(&program, "imbalance", "", "imbalance", "region max_ns lost_total_ns slowest",
                  "work 30 30 0\nagain 12 12 1\n- 10 10 0\nmain 10 2 0\n");
}

/* Inclusive times are cut at the barriers, too, which end at 110 and 280. main: 110 and 90, 170 and 170: 20 lost in both ways. work: 100 and 30, 100 and
 * 150: 200 and 180, in the windows 70 + 50. Barriers 10 and 60, 70 and 20: 80 each, in the windows 50 + 50. */
static void test_imbalance_of_inclusive_times_in_windows(void **state) {
    (void)state;
    const struct program program = {
        .rows = {
            "0+main 0..100:work 100..110:MPI_Barrier/barrier 110..210:work 210..280:MPI_Barrier/barrier 280-",
            "20+main 20..50:work 50..110:MPI_Barrier/barrier 110..260:work 260..280:MPI_Barrier/barrier 280-"}};
    assert_answer(&program, "imbalance", "inclusive=yes", "imbalance",
                  "region max_ns lost_total_ns windows_lost_total_ns behaviour",
                  "main 280 20 20 persistent\nwork 200 20 120 rotating\nMPI_Barrier 80 0 100 rotating\n");
}

/* One location is slower than no other. A call that is never left ends with the last event, at 30. */
static void test_imbalance_of_one(void **state) {
    (void)state;
    const struct program program = {.rows = {"0+work 30/note"}};
    assert_imbalance(&program, "", "work 30 30 0 0 0 0 10 0 balanced\n");
}

/* A barrier of two of three ranks cuts nothing: 100 + 10 of rank 0 are one window, 2 * 110 = 220 lost. */
static void test_imbalance_is_cut_by_collectives_of_all(void **state) {
    (void)state;
    const struct program program = {.rows = {"0..100:work 100..110:MPI_Barrier/barrier,group=1 110..120:work",
                                             "0..100:MPI_Barrier/barrier,group=1", "0..100:idle"},
                                    .groups = {"0 1"}};
    assert_answer(&program, "imbalance", "", "imbalance", "region max_ns lost_total_ns windows_lost_total_ns",
                  "work 110 220 220\nidle 100 200 200\nMPI_Barrier 100 190 190\n");
}

/* The second barrier, at 220, is of rank 0 alone and cuts nothing. Work: 300 and 260, lost 2 * 300 - 560; in the windows of 110, 100 and 50, 200 and 210:
 * 2 * (100 + 210) - 560. Barriers: 20 and 60, lost 2 * 60 - 80; in the windows 10 and 60, 10 and none: 2 * (60 + 10) - 80. */
static void test_imbalance_is_not_cut_by_an_incomplete_collective_of_all(void **state) {
    (void)state;
    const struct program program = {
        .rows = {
            "0..100:work 100..110:MPI_Barrier/barrier 110..210:work 210..220:MPI_Barrier/barrier 220..320:work",
            "0..50:work 50..110:MPI_Barrier/barrier 110..320:work"}};
    const char *columns = "region max_ns lost_total_ns windows_lost_total_ns windows",
               *expected = "MPI_Barrier 60 40 60 2\nwork 300 40 60 2\n";
    assert_answer(&program, "imbalance", "", "imbalance", columns, expected);
    assert_answer(&program, "imbalance", "inclusive=yes", "imbalance", columns, expected);
}

/* A thread of rank 0 takes part in no barrier, so none is of all. Work: 120, 150 and 100, lost 3 * 150 - 370; barriers: 10, 60 and none, lost 3 * 60 - 70. */
static void test_imbalance_is_not_cut_where_threads_take_no_part(void **state) {
    (void)state;
    const struct program program = {.rows = {"0..100:work 100..110:MPI_Barrier/barrier 110..130:work",
                                             "0..50:work 50..110:MPI_Barrier/barrier 110..210:work",
                                             "@0 0..100:work"}};
    assert_answer(&program, "imbalance", "", "imbalance",
                  "region max_ns lost_total_ns windows_lost_total_ns windows",
                  "MPI_Barrier 60 110 110 1\nwork 150 80 80 1\n");
}

/* Inclusive times of rank 1 alone. */
static void test_imbalance_of_inclusive_times_of_a_location(void **state) {
    (void)state;
    const struct program program = {.rows = {"0+main 10..30:work 40-", "0+main 10..20:work 30-"}};
    assert_answer(&program, "imbalance", "inclusive=yes location=1", "imbalance",
                  "region max_ns lost_total_ns slowest", "main 30 0 1\nwork 10 0 1\n");
}

/* Rank 0 is outside for 30 behind MPI_Init, 5 and 31: the last is named, of the first 60 the first. Rank 1 is slower in work, which has a name. */
static void test_imbalance_names_time_outside_by_the_calls_around_it(void **state) {
    (void)state;
    const struct program program = {
        .rows = {"0..10:MPI_Init 40..50:MPI_Send 55..60:MPI_Recv 91..95:MPI_Send", "0..95:work"}};
    assert_answer(&program, "imbalance", "", "imbalance", "region between max_ns slowest",
                  "work - 95 1\n- between MPI_Recv and MPI_Send 66 0\nMPI_Send - 14 0\nMPI_Init - 10 0\n"
                  "MPI_Recv - 5 0\n");
    assert_answer(&program, "imbalance", "since=5 until=60", "imbalance", "region between max_ns",
                  "work - 55\n- between MPI_Init and MPI_Send 35\nMPI_Send - 10\nMPI_Init - 5\nMPI_Recv - 5\n");
}

/* MPI_Send is in solve, which is named: outside from 6 to 20. solve itself takes 2 + 2. */
static void test_imbalance_names_the_outermost_calls_around_time_outside(void **state) {
    (void)state;
    const struct program program = {.rows = {"0+solve 2..4:MPI_Send 6- 20..23:MPI_Recv", "0..30:work"}};
    assert_answer(
        &program, "imbalance", "", "imbalance", "region between max_ns slowest",
        "work - 30 1\n- between solve and MPI_Recv 14 0\nsolve - 4 0\nMPI_Recv - 3 0\nMPI_Send - 2 0\n");
}

QUIPU_TESTS(cmocka_unit_test(test_imbalance_is_not_cut_by_an_incomplete_collective_of_all),
            cmocka_unit_test(test_imbalance_is_not_cut_where_threads_take_no_part),
            cmocka_unit_test(test_imbalance_of_inclusive_times_of_a_location),
            cmocka_unit_test(test_imbalance_names_the_outermost_calls_around_time_outside),
            cmocka_unit_test(test_imbalance_names_time_outside_by_the_calls_around_it),
            cmocka_unit_test(test_imbalance_of_the_same_rank_each_time),
            cmocka_unit_test(test_imbalance_of_another_rank_each_time),
            cmocka_unit_test(test_imbalance_of_neither),
            cmocka_unit_test(test_imbalance_at_the_edges_of_classes),
            cmocka_unit_test(test_imbalance_of_inclusive_times),
            cmocka_unit_test(test_imbalance_of_inclusive_times_in_windows),
            cmocka_unit_test(test_imbalance_of_one),
            cmocka_unit_test(test_imbalance_is_cut_by_collectives_of_all))
