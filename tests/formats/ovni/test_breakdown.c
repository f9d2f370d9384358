/* test_breakdown.c: what CPUs do, sorted: row i of a breakdown is the i-th smallest of what all CPUs show. */
#include "traces.h"

#define CAN ", \"nosv\": {\"can_breakdown\": true}"

/* Times: CPU 0 hungry (6) from 10 to 30, CPU 1 submitting (8) from 20 to 30; without a subsystem 2, without a thread 101 (resting).
 *
 *     time         0     10    20    30    40
 *     CPU 0        2     6     6     2     101
 *     CPU 1        2     2     8     2     101
 *     sorted      2 2   2 6   6 8   2 2  101 101
 *
 * CPU 0 has its thread first, so 0 stands before 2 first, and it is the first whose thread ends. */
static void test_breakdown_sorts_subsystems(void **state) {
    (void)state;
    const struct shown shown = show_with(MADE_TRACE({.tid = 11,
                                                     .cpus = 2,
                                                     .models = "V",
                                                     .top = CAN,
                                                     .events = "0 OHx i0 i-1 q0; 10 VSh; 30 VSf; 40 OHe"},
                                                    {.tid = 12,
                                                     .cpus = 2,
                                                     .models = "V",
                                                     .top = CAN,
                                                     .events = "0 OHx i1 i-1 q0; 20 VU[; 30 VU]; 40 OHe"}),
                                         true, NULL);
    assert_string_equal(shown.rules, "");
    assert_string_equal(values_shown(&shown, QUIPU__OVNI_VIEW_NOSV, 17),
                        "1@0=0 2@0=2 1@0=2 2@10=6 1@20=6 2@20=8 1@30=2 2@30=2 2@40=101 1@40=101");
}

/* A body shows the number of its type's label (work: 1107063517); paused, it shows nothing, 0. */
static void test_breakdown_bodies_show_their_types(void **state) {
    (void)state;
    const struct shown shown =
        show_with(MADE_TRACE({.tid = 11,
                              .models = "V",
                              .top = CAN,
                              .events = "0 OHx i0 i-1 q0; 1 VYc + i1 swork; 2 VTc i5 i1; 10 VTx i5 i0; 20 VTp "
                                        "i5 i0; 30 VTr i5 i0; 40 VTe i5 i0; 50 VPr; 60 OHe"}),
                  true, NULL);
    assert_string_equal(shown.rules, "");
    assert_string_equal(values_shown(&shown, QUIPU__OVNI_VIEW_NOSV, 17),
                        "1@0=2 1@10=1107063517 1@20=0 1@30=1107063517 1@40=2 1@50=101");
}

/* OpenMP: the label, or else the subsystem. Nothing is 0 here, which rows are from the beginning. */
static void test_breakdown_of_openmp_shows_labels(void **state) {
    (void)state;
    const struct shown shown = show_with(
        MADE_TRACE({.tid = 11,
                    .models = "P",
                    .events = "0 OHx i0 i-1 q0; 1 POc + i1 swork; 2 PPc i5 i1; 10 PPx i5; 20 PPe i5; 60 OHe"}),
        true, NULL);
    assert_string_equal(shown.rules, "");
    assert_string_equal(values_shown(&shown, QUIPU__OVNI_VIEW_OPENMP, 53), "1@10=1107063517 1@20=0");
}

static void test_breakdown_needs_threads_that_say_that_it_can_be_made(void **state) {
    (void)state;
    struct shown shown =
        show_with(MADE_TRACE({.tid = 11, .models = "V", .events = "0 OHx i0 i-1 q0; 40 OHe"}), true, NULL);
    assert_string_equal(shown.rules, "ovni.breakdown-key");
    shown = show_with(MADE_TRACE({.tid = 11,
                                  .models = "V",
                                  .top = ", \"nosv\": {\"can_breakdown\": false}",
                                  .events = "0 OHx i0 i-1 q0; 40 OHe"}),
                      true, NULL);
    assert_string_equal(shown.rules, "ovni.breakdown");
    assert_null(shown.lines[QUIPU__OVNI_VIEW_NOSV]);
}

QUIPU_TESTS(cmocka_unit_test(test_breakdown_sorts_subsystems),
            cmocka_unit_test(test_breakdown_bodies_show_their_types),
            cmocka_unit_test(test_breakdown_of_openmp_shows_labels),
            cmocka_unit_test(test_breakdown_needs_threads_that_say_that_it_can_be_made))
