/* test_emulate.c: streams merged by their clocks, and the tests that come before an event's own: its model is known, required, and the
 * thread is in a state for it. */
#include "traces.h"

static void test_emulate_the_tests_before_an_event(void **state) {
    (void)state;
    assert_rules("", "1 XAa; 9 OHe", "ovni.unknown-model");
    assert_rules("", "1 VSh; 9 OHe", "ovni.model-not-required");
    assert_rules("V", "1 VZz; 9 OHe", "ovni.unknown-event");
    assert_rules("V", "1 OHp; 2 VSh", "ovni.thread-not-active");
    assert_rules("V", "1 OHc; 2 VSh; 3 VSf; 9 OHe", ""); /* cooling is active */
    assert_rules("6", "1 OHp; 2 6Cs", "ovni.thread-not-active");
    assert_rules("M", "1 OHc; 2 MS[", "ovni.thread-not-running");
    assert_rules("D", "1 OHp; 2 DR[", "ovni.thread-not-running");
    assert_rules("T", "1 OHe; 2 TCi", "ovni.thread-not-running");
    assert_rules("K", "1 OHp; 2 KCO; 3 KCI; 4 OHr; 9 OHe", ""); /* the kernel needs nothing */
    assert_rules("", "1 OHp; 2 OF[; 3 OF]; 4 OHr; 9 OHe", "");
}

static void test_emulate_threads_must_be_dead_at_the_end(void **state) {
    (void)state;
    assert_rules("", "1 OHp", "ovni.thread-not-dead");
    assert_rules("", "1 OHe", "");
    assert_rules("", "1 OHe; 2 OHx i0 i-1 q0; 3 OHe", ""); /* it may begin again */
    const struct shown shown =
        show(MADE_TRACE({.tid = 11, .events = "0 OHx i0 i-1 q0; 9 OHe"}, {.tid = 12, .events = ""}));
    assert_non_null(strstr(shown.rules, "ovni.thread-not-dead"));
}

/* Stacks of subsystems and functions must be empty then, others need not. */
static void test_emulate_stacks_at_the_end(void **state) {
    (void)state;
    assert_rules("V", "1 VSh; 2 OHe", "ovni.stack-not-empty");
    assert_rules("M", "1 MS[; 2 OHe", "ovni.stack-not-empty");
    assert_rules("P", "1 POc + i1 sx; 2 PQx i1; 9 OHe", "");
    assert_rules("6", "1 6Hw; 9 OHe", "");
}

static void test_emulate_clocks_that_break_rules(void **state) {
    (void)state;
    struct shown shown = show(MADE_TRACE({.tid = 11, .events = "5 OHx i0 i-1 q0; 4 OHe"}));
    assert_string_equal(shown.rules, "ovni.clock-back");
    shown = show(MADE_TRACE({.tid = 11, .events = "5 OHx i0 i-1 q0; 5 OHe"}));
    assert_string_equal(shown.rules, "");
    shown =
        show(MADE_TRACE({.tid = 11, .events = "9223372036854775808 OHx i0 i-1 q0; 9223372036854775809 OHe"}));
    assert_string_equal(shown.rules, "ovni.clock-negative");
}

/* Times count from the first event of all streams; what one event does is shown before the next one. */
static void test_emulate_streams_are_merged(void **state) {
    (void)state;
    const struct shown shown =
        show(MADE_TRACE({.tid = 11, .cpus = 2, .events = "1000 OHx i0 i-1 q0; 1400 OHe"},
                        {.tid = 12, .cpus = 2, .events = "1100 OHx i1 i-1 q0; 1300 OHe"}));
    assert_string_equal(shown.rules, "");
    assert_int_equal(shown.events, 4);
    assert_int_equal(shown.time, 400);
    assert_string_equal(shown.lines[QUIPU__OVNI_VIEW_THREAD],
                        "1:0:6:1 1:0:4:1 1:0:2:11 2:100:6:2 2:100:4:1 2:100:2:12 2:300:4:3 2:300:2:0 2:300:6:0 "
                        "1:400:4:3 1:400:2:0 1:400:6:0");
}

/* Only the first error is told when it stops there, and what was shown until then stays. */
static void test_emulate_stops_at_the_first_error(void **state) {
    (void)state;
    const struct shown shown = show_events("V", "1 VSf; 2 VSf; 3 OHe");
    assert_string_equal(shown.rules, "ovni.pop");
    assert_string_equal(values_shown(&shown, QUIPU__OVNI_VIEW_THREAD, 4), "1@0=1");
}

QUIPU_TESTS(cmocka_unit_test(test_emulate_the_tests_before_an_event),
            cmocka_unit_test(test_emulate_threads_must_be_dead_at_the_end),
            cmocka_unit_test(test_emulate_stacks_at_the_end),
            cmocka_unit_test(test_emulate_clocks_that_break_rules),
            cmocka_unit_test(test_emulate_streams_are_merged),
            cmocka_unit_test(test_emulate_stops_at_the_first_error))
