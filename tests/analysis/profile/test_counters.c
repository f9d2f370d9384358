/* Counters by call: what metrics count between two values is shared by time over what a location was in meanwhile. */
#include "analysis/programs.h"

#define COLUMNS "counter path region location total share_percent counted_ns"

/* Rank 0: of the 100 up to 20 half comes in work before 10, half in solve; of the 60 up to 40 three quarters in solve, the rest in work: 95 in 25 and 65 in 15.
 * Rank 1 is asked at enters: 7 in 5 of work, 20 in 10 of solve; nothing is known of what comes behind. */
static const struct program program = {
    .rows = {
        "0/metric,object=ins,value=0 0+work 10+solve 20/metric,object=ins,value=100 35- 40- "
        "40/metric,object=ins,value=160",
        "0/metric,object=ins,value=0 0+work 5/metric,object=ins,value=7 5+solve 15/metric,object=ins,value=27 "
        "15- 20-"}};

static void test_counters_by_location(void **state) {
    (void)state;
    assert_answer(&program, "profile", "counters=yes", "counters", COLUMNS,
                  "ins - solve 0 95 50.80214 25\nins - work 0 65 34.75936 15\n"
                  "ins - solve 1 20 10.69519 10\nins - work 1 7 3.743316 5\n");
}

static void test_counters_by_region_and_path(void **state) {
    (void)state;
    assert_answer(&program, "profile", "counters=yes by=region", "counters", COLUMNS,
                  "ins - solve - 115 61.49733 35\nins - work - 72 38.50267 20\n");
    assert_answer(&program, "profile", "counters=yes by=path", "counters", COLUMNS,
                  "ins work > solve solve - 115 61.49733 35\nins work work - 72 38.50267 20\n");
    assert_answer(&program, "profile", "counters=yes tree=yes", "counters", "path total",
                  "work > solve 115\nwork 72\n");
}

/* 95 in 25 ns. */
static void test_counters_per_second(void **state) {
    (void)state;
    assert_answer(&program, "profile", "counters=yes only=0", "counters", "region per_second",
                  "solve 3.8e+09\nwork 4.333333e+09\n");
}

/* From 5 to 15 rank 0 has 25 in work and 25 in solve, rank 1 20 in solve. Windows that touch add up to the whole. */
static void test_counters_of_windows_add_up(void **state) {
    (void)state;
    assert_answer(&program, "profile", "counters=yes by=region to=5", "counters", "region total", "work 32\n");
    assert_answer(&program, "profile", "counters=yes by=region from=5 to=15", "counters", "region total",
                  "solve 45\nwork 25\n");
    assert_answer(&program, "profile", "counters=yes by=region from=15", "counters", "region total",
                  "solve 70\nwork 15\n");
}

/* The counter begins again at 4. What comes without time is of the call that is active; outside of any there is no region. */
static void test_counters_that_are_reset_or_come_at_once(void **state) {
    (void)state;
    const struct program reset = {
        .rows = {"0/metric,object=c,value=10 0+work 10/metric,object=c,value=4 20/metric,object=c,value=6 20- "
                 "20/metric,object=c,value=9 30/metric,object=c,value=9"}};
    assert_answer(&reset, "profile", "counters=yes by=region", "counters", "region total counted_ns per_second",
                  "- 3 0 -\nwork 2 10 2e+08\n");
}

/* Steps before the latest values are dropped on the way; those of a counter that is asked seldom remain. */
static void test_counters_that_are_asked_seldom(void **state) {
    (void)state;
    const char *row = "0/metric,object=often,value=0 0/metric,object=seldom,value=0";
    for (unsigned i = 0; i < 200; i++)
        row = harness_text("%s %u..%u:%s %u/metric,object=often,value=%u", row, 10 * i, 10 * i + 10,
                           i % 2 ? "odd" : "even", 10 * i + 10, i + 1);
    const struct program many = {.rows = {harness_text("%s 2000/metric,object=seldom,value=4000", row)}};
    assert_answer(&many, "profile", "counters=yes by=region", "counters", "counter region total counted_ns",
                  "often even 100 1000\noften odd 100 1000\nseldom even 2000 1000\nseldom odd 2000 1000\n");
}

static void test_counters_refuse_other_divisions(void **state) {
    (void)state;
    assert_refusal(&program, "profile", "counters=yes by=host",
                   "--counters goes with --by location, region or path, not host");
    assert_refusal(&program, "profile", "counters=yes top=3", "--counters does not go with --top");
}

QUIPU_TESTS(cmocka_unit_test(test_counters_by_location), cmocka_unit_test(test_counters_by_region_and_path),
            cmocka_unit_test(test_counters_per_second), cmocka_unit_test(test_counters_of_windows_add_up),
            cmocka_unit_test(test_counters_that_are_reset_or_come_at_once),
            cmocka_unit_test(test_counters_that_are_asked_seldom),
            cmocka_unit_test(test_counters_refuse_other_divisions))
