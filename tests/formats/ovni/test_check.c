/* test_check.c: a check runs the emulation over all of a trace, goes on behind errors. */
#include "traces.h"

static void test_check_goes_on_behind_errors(void **state) {
    (void)state;
    assert_string_equal(
        rules_checked(
            MADE_TRACE({.tid = 11, .models = "V", .events = "0 OHx i0 i-1 q0; 1 VPp; 2 VPp; 3 OHz; 9 OHe"})),
        "ovni.same-value ovni.same-value ovni.unknown-event");
    assert_string_equal(rules_checked(MADE_TRACE({.tid = 11, .events = "0 OHx i0 i-1 q0; 9 OHe"})), "");
}

/* Threads that never ended and stacks with something on them are found, too. */
static void test_check_looks_at_the_end(void **state) {
    (void)state;
    const char *rules =
        rules_checked(MADE_TRACE({.tid = 11, .models = "V", .events = "0 OHx i0 i-1 q0; 1 VSh"}));
    assert_non_null(strstr(rules, "ovni.thread-not-dead"));
    assert_non_null(strstr(rules, "ovni.stack-not-empty"));
}

/* Traces of older layouts need not say all of it, and may nest. */
static void test_check_is_lenient_with_older_layouts(void **state) {
    (void)state;
    assert_string_equal(
        rules_checked(made_old(QUIPU__OVNI_LAYOUT_1, false,
                               "0 OHx i0 i-1 q0; 1 VYc + i1 sx; 2 VTc i5 i1; 2 VTc i6 i1; 3 VTx i5; "
                               "4 VTx i6; 5 VTe i6; 6 VTe i5; 9 OHe")),
        "ovni.body-nested-deprecated");
}

QUIPU_TESTS(cmocka_unit_test(test_check_goes_on_behind_errors), cmocka_unit_test(test_check_looks_at_the_end),

            cmocka_unit_test(test_check_is_lenient_with_older_layouts))
