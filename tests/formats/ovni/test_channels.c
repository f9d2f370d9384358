/* test_channels.c: stacks and single values, and when threads and CPUs show them. Figures follow from the table of channels of the
 * format's description: a first value is shown even when it is none. */
#include "traces.h"

/* nOS-V: VSh pushes 6 (hungry), VU[ pushes 8 (submitting); shown while the thread is active. */
static void test_channels_a_stack_shows_its_top(void **state) {
    (void)state;
    const struct shown shown = show_events("V", "10 VSh; 20 VU[; 30 VU]; 40 VSf; 50 OHe");
    assert_string_equal(shown.rules, "");
    assert_string_equal(values_shown(&shown, QUIPU__OVNI_VIEW_THREAD, 13), "1@0=0 1@10=6 1@20=8 1@30=6 1@40=0");
    assert_string_equal(values_shown(&shown, QUIPU__OVNI_VIEW_CPU, 13), "1@0=0 1@10=6 1@20=8 1@30=6 1@40=0");
}

/* A thread that cools is active, but no longer the one that runs on its CPU. A value that stays is shown again where the state changes. */
static void test_channels_are_shown_at_threads_and_cpus_by_the_state(void **state) {
    (void)state;
    const struct shown shown = show_events("V", "10 VSh; 20 OHc; 30 OHp; 40 OHw; 50 OHr; 60 VSf; 70 OHe");
    assert_string_equal(shown.rules, "");
    assert_string_equal(values_shown(&shown, QUIPU__OVNI_VIEW_THREAD, 13),
                        "1@0=0 1@10=6 1@20=6 1@30=0 1@40=6 1@50=6 1@60=0");
    assert_string_equal(values_shown(&shown, QUIPU__OVNI_VIEW_CPU, 13), "1@0=0 1@10=6 1@20=0 1@50=6 1@60=0");
}

/* MPI functions (MPI_Send is 13) are shown of running threads only, and never twice in a row (skipdup). */
static void test_channels_of_running_threads(void **state) {
    (void)state;
    const struct shown shown = show_events("M", "10 MS[; 20 OHc; 30 OHp; 40 OHr; 50 MS]; 70 OHe");
    assert_string_equal(shown.rules, "");
    assert_string_equal(values_shown(&shown, QUIPU__OVNI_VIEW_THREAD, 25),
                        "1@0=0 1@10=13 1@20=0 1@40=13 1@50=0");
}

/* The virtual CPU has no value as long as two threads run there. */
static void test_channels_of_several_threads_are_not_shown(void **state) {
    (void)state;
    const struct shown shown =
        show(MADE_TRACE({.tid = 11, .models = "V", .events = "0 OHx i-1 i-1 q0; 1 VSh; 8 VSf; 9 OHe"},
                        {.tid = 12, .models = "V", .events = "3 OHx i-1 i-1 q0; 6 OHe"}));
    assert_string_equal(shown.rules, "");
    assert_string_equal(values_shown(&shown, QUIPU__OVNI_VIEW_CPU, 13), "2@0=0 2@1=6 2@3=0 2@6=6 2@8=0");
}

static void test_channels_that_break_rules(void **state) {
    const char *full = "1 VSh", *most = "1 VSh";
    (void)state;
    assert_rules("V", "1 VSf; 2 OHe", "ovni.pop");
    assert_rules("V", "1 VSh; 2 VU]; 3 OHe", "ovni.pop");
    assert_rules("V", "1 VSh; 2 VSh; 3 VSf; 4 VSf; 5 OHe", "");  /* nOS-V may enter what it is in */
    assert_rules("M", "1 MS[; 2 MS[; 3 OHe", "ovni.same-value"); /* MPI may not */
    assert_rules("V", "1 VPp; 2 OHe", "ovni.same-value");        /* progressing it is from the beginning */
    assert_rules("V", "1 VPr; 2 VPp; 3 OHe", "");
    assert_rules("V", "1 VSh; 2 OHe", "ovni.stack-not-empty");
    for (int i = 1; i <= 512; i++) {
        most = i < 512 ? harness_text("%s; 1 VSh", most) : most;
        full = harness_text("%s; 1 VSh", full);
    }
    assert_rules("V", full, "ovni.stack-full"); /* the 513th */
    assert_rules("V", harness_text("%s; 2 OHe", most), "ovni.stack-not-empty");
}

/* Idle states: 100 from the beginning, shown while the thread runs; a CPU where no one thread runs rests (101). */
static void test_channels_idle_states(void **state) {
    (void)state;
    const struct shown shown = show_events("V", "10 VPr; 20 VPa; 30 VPp; 40 OHe");
    assert_string_equal(shown.rules, "");
    assert_string_equal(values_shown(&shown, QUIPU__OVNI_VIEW_THREAD, 16),
                        "1@0=100 1@10=101 1@20=102 1@30=100 1@40=0");
    assert_string_equal(values_shown(&shown, QUIPU__OVNI_VIEW_CPU, 16),
                        "1@0=100 1@10=101 1@20=102 1@30=100 1@40=101");
}

/* KCO pushes 3; until KCI the thread may do nothing of ovni and nOS-V. */
static void test_channels_threads_out_of_their_cpus(void **state) {
    (void)state;
    const struct shown shown = show_events("KV", "10 KCO; 20 KCI; 30 OHe");
    assert_string_equal(shown.rules, "");
    assert_string_equal(values_shown(&shown, QUIPU__OVNI_VIEW_THREAD, 45), "1@10=3 1@20=0");
    assert_rules("KV", "1 KCO; 2 VSh", "ovni.thread-out-of-cpu");
    assert_rules("KV", "1 KCO; 2 OHp", "ovni.thread-out-of-cpu");
    assert_rules("KM", "1 KCO; 2 MS[; 3 MS]; 4 KCI; 5 OHe", "");
    assert_rules("K", "1 KCI; 2 OHe", "ovni.pop");
    assert_rules("K", "1 KCO; 2 KCO", "ovni.same-value");
}

/* Values of hardware counters, 200 and up; 0 is shown. */
static void test_channels_hardware_counters(void **state) {
    (void)state;
    const char *top = ", \"nosv\": {\"hwc\": {\"0\": {\"name\": \"A\"}, \"1\": {\"name\": \"B\"}}}";
    struct shown shown = show(MADE_TRACE({.tid = 11,
                                          .models = "V",
                                          .top = top,
                                          .events = "0 OHx i0 i-1 q0; 1 VWC + q5 q0; 2 VWC + q5 q9; 3 OHe"}));
    assert_string_equal(shown.rules, "");
    assert_string_equal(values_shown(&shown, QUIPU__OVNI_VIEW_THREAD, 200), "1@0=0 1@1=5 1@2=5 1@3=0");
    assert_string_equal(values_shown(&shown, QUIPU__OVNI_VIEW_THREAD, 201), "1@0=0 1@1=0 1@2=9 1@3=0");
    shown = show(
        MADE_TRACE({.tid = 11, .models = "V", .top = top, .events = "0 OHx i0 i-1 q0; 1 VWC + q5; 3 OHe"}));
    assert_string_equal(shown.rules, "ovni.counters");
    assert_rules("V", "1 VWC + q5; 2 OHe", "ovni.counters");
}

QUIPU_TESTS(cmocka_unit_test(test_channels_a_stack_shows_its_top),
            cmocka_unit_test(test_channels_are_shown_at_threads_and_cpus_by_the_state),
            cmocka_unit_test(test_channels_of_running_threads),
            cmocka_unit_test(test_channels_of_several_threads_are_not_shown),
            cmocka_unit_test(test_channels_that_break_rules), cmocka_unit_test(test_channels_idle_states),
            cmocka_unit_test(test_channels_threads_out_of_their_cpus),
            cmocka_unit_test(test_channels_hardware_counters))
