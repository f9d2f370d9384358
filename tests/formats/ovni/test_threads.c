/* test_threads.c: states of threads, affinity and marks. Figures follow from the states and the order of writes of the format's
 * description: a thread shows its CPU (6), state (4) and number (2), a CPU the number (2) and process (1) of the one thread that runs
 * there and how many run (3). */
#include "traces.h"

enum { LIVES = 6, STEPS = 6 };

static void test_threads_go_from_state_to_state_as_the_table_allows(void **state) {
    static const char *const before[LIVES] = {"",
                                              "0 OHx i0 i-1 q0",
                                              "0 OHx i0 i-1 q0; 1 OHc",
                                              "0 OHx i0 i-1 q0; 1 OHp",
                                              "0 OHx i0 i-1 q0; 1 OHp; 2 OHw",
                                              "0 OHx i0 i-1 q0; 1 OHe"};
    static const char *const steps[STEPS] = {"OHx i0 i-1 q0", "OHc", "OHp", "OHw", "OHr", "OHe"};
    /* Unknown, Running, Cooling, Paused, Warming, Dead */
    static const bool allowed[STEPS][LIVES] = {
        {1, 0, 0, 0, 0, 1}, {0, 1, 0, 0, 0, 0}, {0, 1, 1, 0, 0, 0},
        {0, 0, 0, 1, 0, 0}, {0, 0, 0, 1, 1, 0}, {0, 1, 1, 0, 0, 0},
    };
    (void)state;
    for (unsigned step = 0; step < STEPS; step++)
        for (unsigned life = 0; life < LIVES; life++) {
            const char *events = harness_text("%s%s5 %s", before[life], *before[life] ? "; " : "", steps[step]);
            const struct shown shown = show(MADE_TRACE({.tid = 11, .events = events}));
            const char *expected = step == 5 ? "" : "ovni.thread-not-dead";
            if (!allowed[step][life]) /* who cools, pauses or warms has a CPU still */
                expected = step == 0 && life > 1 ? "ovni.thread-has-cpu" : "ovni.thread-state";
            if (strcmp(shown.rules, expected) != 0)
                fail_msg("%s: %s", events, shown.rules);
        }
}

static void test_threads_show_states_and_what_their_cpus_run(void **state) {
    (void)state;
    const struct shown shown = show_events("", "10 OHc; 20 OHp; 30 OHw; 40 OHr; 50 OHe");
    assert_string_equal(shown.rules, "");
    assert_string_equal(values_shown(&shown, QUIPU__OVNI_VIEW_THREAD, 4),
                        "1@0=1 1@10=4 1@20=2 1@30=5 1@40=1 1@50=3");
    /* Active: running, cooling or warming. */
    assert_string_equal(values_shown(&shown, QUIPU__OVNI_VIEW_THREAD, 2), "1@0=11 1@20=0 1@30=11 1@50=0");
    assert_string_equal(values_shown(&shown, QUIPU__OVNI_VIEW_THREAD, 6), "1@0=1 1@50=0");
    assert_string_equal(values_shown(&shown, QUIPU__OVNI_VIEW_CPU, 3), "1@0=1 1@10=0 1@40=1 1@50=0");
    assert_string_equal(values_shown(&shown, QUIPU__OVNI_VIEW_CPU, 2), "1@0=11 1@10=0 1@40=11 1@50=0");
    assert_string_equal(values_shown(&shown, QUIPU__OVNI_VIEW_CPU, 1), "1@0=10 1@10=0 1@40=10 1@50=0");
}

/* The old CPU is written before the new one, then the thread's affinity: its row. */
static void test_threads_move_to_another_cpu(void **state) {
    (void)state;
    const struct shown shown =
        show(MADE_TRACE({.tid = 11, .cpus = 2, .events = "0 OHx i0 i-1 q0; 5 OAs i1; 6 OAs i1; 9 OHe"}));
    assert_string_equal(shown.rules, "");
    assert_string_equal(values_shown(&shown, QUIPU__OVNI_VIEW_THREAD, 6), "1@0=1 1@5=2 1@9=0");
    assert_string_equal(values_shown(&shown, QUIPU__OVNI_VIEW_CPU, 3), "1@0=1 1@5=0 2@5=1 2@9=0");
}

static void test_threads_are_moved_by_others(void **state) {
    (void)state;
    const struct shown shown =
        show(MADE_TRACE({.tid = 11, .cpus = 2, .events = "0 OHx i0 i-1 q0; 5 OAr i-1 i12; 20 OHe"},
                        {.tid = 12, .cpus = 2, .events = "1 OHx i1 i11 q0; 9 OHe"}));
    assert_string_equal(shown.rules, "");
    /* The virtual CPU is the third row. */
    assert_string_equal(values_shown(&shown, QUIPU__OVNI_VIEW_THREAD, 6), "1@0=1 2@1=2 2@5=3 2@9=0 1@20=0");
}

static void test_threads_that_cannot_be_moved(void **state) {
    (void)state;
    assert_rules("", "1 OAs i1; 2 OHe", "ovni.cpu-unknown");
    assert_rules("", "1 OAs i-2; 2 OHe", "ovni.cpu-unknown");
    assert_rules("", "1 OAs q0; 2 OHe", "ovni.payload");
    assert_rules("", "1 OHp; 2 OAs i-1", "ovni.thread-not-active");
    assert_rules("", "1 OAr i0 i11; 2 OHe", "ovni.affinity");
    assert_rules("", "1 OAr i0 i99; 2 OHe", "ovni.affinity");
    assert_rules("", "1 OAr i0; 2 OHe", "ovni.payload");
    assert_rules("", "1 OHe; 2 OAs i0", "ovni.thread-no-cpu");
    assert_rules("", "1 OAz i0; 2 OHe", "ovni.unknown-event");
}

/* The virtual CPU takes any number of threads; then it has no one thread, and shows none. */
static void test_threads_share_only_the_virtual_cpu(void **state) {
    (void)state;
    struct shown shown = show(MADE_TRACE({.tid = 11, .events = "0 OHx i-1 i-1 q0; 8 OHe"},
                                         {.tid = 12, .events = "3 OHx i-1 i-1 q0; 9 OHe"}));
    assert_string_equal(shown.rules, "");
    assert_string_equal(values_shown(&shown, QUIPU__OVNI_VIEW_CPU, 3), "2@0=1 2@3=2 2@8=1 2@9=0");
    assert_string_equal(values_shown(&shown, QUIPU__OVNI_VIEW_CPU, 2), "2@0=11 2@3=0 2@8=12 2@9=0");
    shown = show(MADE_TRACE({.tid = 11, .events = "0 OHx i0 i-1 q0; 8 OHe"},
                            {.tid = 12, .events = "3 OHx i0 i-1 q0; 9 OHe"}));
    assert_string_equal(shown.rules, "ovni.cpu-busy");
    /* Those that cool do not count. */
    shown = show(MADE_TRACE({.tid = 11, .events = "0 OHx i0 i-1 q0; 2 OHc; 10 OHe"},
                            {.tid = 12, .events = "3 OHx i0 i-1 q0; 9 OHe"}));
    assert_string_equal(shown.rules, "");
}

#define MARKS                                                                                                  \
    ", \"mark\": {\"1\": {\"title\": \"single\", \"chan_type\": \"single\"}, \"2\": {\"title\": \"stack\", "   \
    "\"chan_type\": \"stack\"}}"

/* Marks of type T are shown as type 100 + T while the thread is active. */
static void test_threads_marks_are_set_pushed_and_popped(void **state) {
    (void)state;
    const struct shown shown =
        show(MADE_TRACE({.tid = 11,
                         .more = MARKS,
                         .events = "0 OHx i0 i-1 q0; 1 OM= q7 i1; 2 OM= q8 i1; 3 OM[ q5 i2; 4 OM[ q6 i2; "
                                   "5 OHp; 6 OHr; 7 OM] q6 i2; 8 OM] q5 i2; 9 OHe"}));
    assert_string_equal(shown.rules, "");
    assert_string_equal(values_shown(&shown, QUIPU__OVNI_VIEW_THREAD, 101),
                        "1@0=0 1@1=7 1@2=8 1@5=0 1@6=8 1@9=0");
    assert_string_equal(values_shown(&shown, QUIPU__OVNI_VIEW_THREAD, 102),
                        "1@0=0 1@3=5 1@4=6 1@5=0 1@6=6 1@7=5 1@8=0");
}

static void assert_mark_rule(const char *events, const char *rule) {
    const struct shown shown = show(
        MADE_TRACE({.tid = 11, .more = MARKS, .events = harness_text("0 OHx i0 i-1 q0; %s; 9 OHe", events)}));
    assert_string_equal(shown.rules, rule);
}

static void test_threads_marks_that_break_rules(void **state) {
    (void)state;
    assert_mark_rule("1 OM= q1 i3", "ovni.mark-type");
    assert_mark_rule("1 OM= q1 i-1", "ovni.mark-type");
    assert_mark_rule("1 OM= q1 i100", "ovni.mark-type");
    assert_mark_rule("1 OM= q0 i1", "ovni.mark-zero");
    assert_mark_rule("1 OM[ q1 i1", "ovni.mark-kind");
    assert_mark_rule("1 OM] q1 i1", "ovni.mark-kind");
    assert_mark_rule("1 OM= q1 i2", "ovni.mark-kind");
    assert_mark_rule("1 OM[ q1 i2; 2 OM] q2 i2", "ovni.pop");
    assert_mark_rule("1 OM= q1", "ovni.payload");
    assert_mark_rule("1 OM= q1 i1; 2 OM= q1 i1", ""); /* the same value again is allowed */
}

static void test_threads_flushes_are_shown_in_any_state(void **state) {
    (void)state;
    const struct shown shown = show_events("", "1 OF[; 2 OF]; 3 OHp; 4 OF[; 5 OF]; 6 OHr; 7 OHe");
    assert_string_equal(shown.rules, "");
    assert_string_equal(values_shown(&shown, QUIPU__OVNI_VIEW_THREAD, 7), "1@1=1 1@2=0 1@4=1 1@5=0");
    assert_rules("", "1 OF]; 2 OHe", "ovni.same-value");
    assert_rules("", "1 OFx; 2 OHe", "ovni.unknown-event");
}

struct bursts {
    unsigned count;
    struct quipu__ovni_burst last;
};

static void note_burst(void *context, uint32_t thread, const struct quipu__ovni_burst *burst) {
    struct bursts *bursts = context;
    assert_int_equal(thread, 0);
    bursts->count++;
    bursts->last = *burst;
}

/* 100 events with gaps of 1, 2, … 99 ns: mean and median 50, at most 99. */
static void test_threads_tell_how_long_events_take(void **state) {
    struct bursts bursts = {0};
    const struct quipu__ovni_listener listener = {note_burst, &bursts};
    const char *events = "0 OHx i0 i-1 q0";
    (void)state;
    for (int i = 0, clock = 0; i < 100; clock += ++i)
        events = harness_text("%s; %d OB.", events, clock);
    struct shown shown =
        show_with(MADE_TRACE({.tid = 11, .events = harness_text("%s; 6000 OHe", events)}), false, &listener);
    assert_string_equal(shown.rules, "");
    assert_int_equal(bursts.count, 1);
    assert_int_equal(bursts.last.median, 50);
    assert_int_equal(bursts.last.most, 99);
    assert_true(bursts.last.mean > 49.999 && bursts.last.mean < 50.001);
}

QUIPU_TESTS(cmocka_unit_test(test_threads_go_from_state_to_state_as_the_table_allows),
            cmocka_unit_test(test_threads_show_states_and_what_their_cpus_run),
            cmocka_unit_test(test_threads_move_to_another_cpu),
            cmocka_unit_test(test_threads_are_moved_by_others),
            cmocka_unit_test(test_threads_that_cannot_be_moved),
            cmocka_unit_test(test_threads_share_only_the_virtual_cpu),
            cmocka_unit_test(test_threads_marks_are_set_pushed_and_popped),
            cmocka_unit_test(test_threads_marks_that_break_rules),
            cmocka_unit_test(test_threads_flushes_are_shown_in_any_state),
            cmocka_unit_test(test_threads_tell_how_long_events_take))
