/* test_tasks.c: types, tasks and their bodies, and what threads show of them. The numbers of labels are those that the format's
 * description lists: work 1107063517, alpha 660719635. */
#include "traces.h"

/* Type 1 and task 5 of it, made before time 4. */
#define NOSV(events) "1 VYc + i1 swork; 2 VYc + i2 salpha; 3 VTc i5 i1; 3 VTc i6 i2; " events
#define PARALLEL(events) "1 VYc + i1 swork; 3 VTC i5 i1; " events
#define NANOS6(events) "1 6Yc + i1 swork; 3 6Tc i5 i1; 3 6Tc i6 i1; " events
#define OPENMP(events) "1 POc + i1 swork; 3 PPc i5 i1; 3 PPc i6 i1; " events

static void test_tasks_a_body_shows_its_task_type_and_process(void **state) {
    (void)state;
    const struct shown shown =
        show(MADE_TRACE({.tid = 11,
                         .models = "V",
                         .more = ", \"rank\": 3, \"nranks\": 4",
                         .events = "0 OHx i0 i-1 q0; " NOSV(
                             "10 VTx i5 i0; 20 VTp i5 i0; 30 VTr i5 i0; 40 VTe i5 i0; 50 OHe")}));
    assert_string_equal(shown.rules, "");
    assert_string_equal(values_shown(&shown, QUIPU__OVNI_VIEW_THREAD, 10), "1@0=0 1@10=5 1@20=0 1@30=5 1@40=0");
    assert_string_equal(values_shown(&shown, QUIPU__OVNI_VIEW_THREAD, 11),
                        "1@0=0 1@10=1107063517 1@20=0 1@30=1107063517 1@40=0");
    assert_string_equal(values_shown(&shown, QUIPU__OVNI_VIEW_THREAD, 12),
                        "1@0=0 1@10=1 1@20=0 1@30=1 1@40=0"); /* application 1 */
    assert_string_equal(values_shown(&shown, QUIPU__OVNI_VIEW_THREAD, 14),
                        "1@0=0 1@10=4 1@20=0 1@30=4 1@40=0"); /* rank + 1 */
    assert_string_equal(values_shown(&shown, QUIPU__OVNI_VIEW_THREAD, 15),
                        "1@0=0 1@10=1 1@20=0 1@30=1 1@40=0"); /* the body of an ordinary task */
    assert_string_equal(values_shown(&shown, QUIPU__OVNI_VIEW_THREAD, 13),
                        "1@0=0 1@10=11 1@40=0"); /* in a body until it ends, also while it is paused */
}

/* The task under the one that ends is paused, so nothing is shown until it goes on. */
static void test_tasks_nest_over_paused_ones(void **state) {
    (void)state;
    const struct shown shown = show_events(
        "V",
        NOSV("10 VTx i5 i0; 20 VTp i5 i0; 30 VTx i6 i0; 40 VTe i6 i0; 50 VTr i5 i0; 60 VTe i5 i0; 70 OHe"));
    assert_string_equal(shown.rules, "");
    assert_string_equal(values_shown(&shown, QUIPU__OVNI_VIEW_THREAD, 10),
                        "1@0=0 1@10=5 1@20=0 1@30=6 1@40=0 1@50=5 1@60=0");
}

/* Nanos6 may begin a task over one that runs, which is shown again afterwards; that is obsolete. */
static void test_tasks_of_nanos6_nest_over_running_ones(void **state) {
    (void)state;
    const struct shown shown =
        show_events("6", NANOS6("10 6Tx i5; 15 6U[; 20 6Tx i6; 30 6Te i6; 35 6U]; 40 6Te i5; 50 OHe"));
    assert_string_equal(shown.rules, "ovni.body-nested-deprecated");
    assert_string_equal(values_shown(&shown, QUIPU__OVNI_VIEW_THREAD, 35), "1@0=0 1@10=5 1@20=6 1@30=5 1@40=0");
}

/* Bodies of a parallel task have numbers of their own. */
static void test_tasks_that_are_parallel_have_many_bodies(void **state) {
    (void)state;
    const struct shown shown =
        show(MADE_TRACE({.tid = 11,
                         .cpus = 2,
                         .models = "V",
                         .events = "0 OHx i0 i-1 q0; " PARALLEL("10 VTx i5 i1; 40 VTe i5 i1; 50 OHe")},
                        {.tid = 12,
                         .cpus = 2,
                         .models = "V",
                         .events = "0 OHx i1 i-1 q0; 20 VTx i5 i7; 30 VTe i5 i7; 50 OHe"}));
    assert_string_equal(shown.rules, "");
    assert_string_equal(values_shown(&shown, QUIPU__OVNI_VIEW_THREAD, 15),
                        "1@0=0 2@0=0 1@10=1 2@20=7 2@30=0 1@40=0");
}

/* OpenMP pushes a task and the number of its label, and pops them. */
static void test_tasks_of_openmp_are_stacks(void **state) {
    (void)state;
    const struct shown shown = show_events("P", OPENMP("10 PPx i5; 20 PPe i5; 30 PPx i5; 40 PPe i5; 50 OHe"));
    assert_string_equal(shown.rules, "");
    assert_string_equal(values_shown(&shown, QUIPU__OVNI_VIEW_THREAD, 52), "1@0=0 1@10=5 1@20=0 1@30=5 1@40=0");
    assert_string_equal(values_shown(&shown, QUIPU__OVNI_VIEW_THREAD, 51),
                        "1@0=0 1@10=1107063517 1@20=0 1@30=1107063517 1@40=0");
}

static void test_tasks_types_that_break_rules(void **state) {
    (void)state;
    assert_rules("V", "1 VYc i1 i0; 9 OHe", "ovni.not-jumbo");
    assert_rules("V", "1 VYc + x; 9 OHe", "ovni.payload");
    assert_rules("V", "1 VYc + i0 sx; 9 OHe", "ovni.type-id");
    assert_rules("V", "1 VYc + i1 sx; 2 VYc + i1 sx; 9 OHe", "ovni.type-id");
    assert_rules("V", "1 VTc i5 i1; 9 OHe", "ovni.type-unknown");
    assert_rules("V", harness_text("1 VYc + i1 s%0511d; 9 OHe", 0), "");
    assert_rules("V", harness_text("1 VYc + i1 s%0512d; 9 OHe", 0), "ovni.type-label");
    /* Two labels whose numbers are equal, which the description names. */
    assert_rules("V", "1 VYc + i1 x7461736b20363938343900; 2 VYc + i2 x7461736b20373636353300; 9 OHe",
                 "ovni.label-number");
}

static void test_tasks_that_break_rules(void **state) {
    (void)state;
    assert_rules("V", NOSV("4 VTc i5 i1; 9 OHe"), "ovni.task-id");
    assert_rules("V", NOSV("4 VTc i7; 9 OHe"), "ovni.payload");
    assert_rules("V", NOSV("4 VTx i7 i0; 9 OHe"), "ovni.task-unknown");
    assert_rules("P", "1 POc + i1 swork; 3 PPc i0 i1; 9 OHe", "ovni.task-id");
    assert_rules("V", NOSV("4 VTx i5 i1; 9 OHe"), "ovni.body-id");
    assert_rules("V", PARALLEL("4 VTx i5 i0; 9 OHe"), "ovni.body-id");
    assert_rules("V", NOSV("4 VTx i5; 9 OHe"), "ovni.payload");
    assert_rules("6", "1 6TC i1 i1; 9 OHe", "ovni.obsolete");
}

static void test_tasks_bodies_that_break_rules(void **state) {
    (void)state;
    assert_rules("V", NOSV("4 VTe i5 i0; 9 OHe"), "ovni.body-state");
    assert_rules("V", NOSV("4 VTp i5 i0; 9 OHe"), "ovni.body-state");
    assert_rules("V", NOSV("4 VTx i5 i0; 5 VTr i5 i0; 9 OHe"), "ovni.body-state");
    assert_rules("V", NOSV("4 VTx i5 i0; 5 VTp i5 i0; 6 VTe i5 i0; 9 OHe"), "ovni.body-state");
    assert_rules("V", NOSV("4 VTx i5 i0; 5 VTx i6 i0; 9 OHe"), "ovni.body-nested");
    assert_rules("V", PARALLEL("4 VTx i5 i1; 5 VTp i5 i1; 9 OHe"), "ovni.body-pause");
    assert_rules("V", PARALLEL("4 VTx i5 i1; 5 VTe i5 i1; 6 VTx i5 i1; 9 OHe"), "ovni.body-state");
    assert_rules("V", NOSV("4 VTx i5 i0; 5 VTe i5 i0; 6 VTx i5 i0; 7 VTe i5 i0; 9 OHe"), ""); /* again */
    assert_rules("6", NANOS6("4 6Tx i5; 5 6Te i5; 6 6Tx i5; 9 OHe"), "ovni.body-state");
}

/* What a thread has paused another one cannot resume. */
static void test_tasks_are_resumed_by_the_thread_that_paused_them(void **state) {
    (void)state;
    const struct shown shown = show(
        MADE_TRACE({.tid = 11,
                    .cpus = 2,
                    .models = "V",
                    .events = "0 OHx i0 i-1 q0; " NOSV("10 VTx i5 i0; 20 VTp i5 i0; 50 OHe")},
                   {.tid = 12, .cpus = 2, .models = "V", .events = "0 OHx i1 i-1 q0; 30 VTr i5 i0; 50 OHe"}));
    assert_non_null(strstr(shown.rules, "ovni.body-"));
}

QUIPU_TESTS(cmocka_unit_test(test_tasks_a_body_shows_its_task_type_and_process),
            cmocka_unit_test(test_tasks_nest_over_paused_ones),
            cmocka_unit_test(test_tasks_of_nanos6_nest_over_running_ones),
            cmocka_unit_test(test_tasks_that_are_parallel_have_many_bodies),
            cmocka_unit_test(test_tasks_of_openmp_are_stacks),
            cmocka_unit_test(test_tasks_types_that_break_rules), cmocka_unit_test(test_tasks_that_break_rules),
            cmocka_unit_test(test_tasks_bodies_that_break_rules),
            cmocka_unit_test(test_tasks_are_resumed_by_the_thread_that_paused_them))
