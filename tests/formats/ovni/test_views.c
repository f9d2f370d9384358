/* test_views.c: names of types, values and rows, as the format's description has them. */
#include "traces.h"

#define MARKS                                                                                                  \
    ", \"mark\": {\"3\": {\"title\": \"phase\", \"chan_type\": \"single\", \"labels\": {\"1\": \"one\", "      \
    "\"4294967298\": \"two\"}}}"

static void assert_has(const char *text, const char *expected) {
    if (!strstr(text, expected))
        fail_msg("no %s in %s", expected, text);
}

static void test_views_rows_have_names(void **state) {
    (void)state;
    const struct shown shown = show(MADE_TRACE({.tid = 11, .cpus = 2, .events = "0 OHx i0 i-1 q0; 9 OHe"}));
    assert_string_equal(shown.rows[QUIPU__OVNI_VIEW_THREAD],
                        "LEVEL NODE SIZE 1\nhostname\n\nLEVEL THREAD SIZE 1\nTH 1.11\n");
    assert_string_equal(shown.rows[QUIPU__OVNI_VIEW_CPU],
                        "LEVEL NODE SIZE 1\nhostname\n\nLEVEL THREAD SIZE 3\n CPU 0.0\n CPU 0.1\nvCPU 0.*\n");
}

/* 2^32 + 2 is 2 in 32 bits. */
static void test_views_types_and_values_have_names(void **state) {
    (void)state;
    const struct shown shown =
        show(MADE_TRACE({.tid = 11, .models = "KV", .more = MARKS, .events = "0 OHx i0 i-1 q0; 9 OHe"}));
    const char *thread = shown.names[QUIPU__OVNI_VIEW_THREAD], *cpu = shown.names[QUIPU__OVNI_VIEW_CPU];
    assert_has(thread, "DEFAULT_OPTIONS\n");
    assert_has(thread, "\n4   { 60, 180,  75}\n");
    assert_has(thread, "EVENT_TYPE\n0 6          Thread: CPU affinity\nVALUES\n1     CPU 0.0\n2    vCPU 0.*\n");
    assert_has(thread, "\n\nEVENT_TYPE\n0 2          Thread: TID of the ACTIVE thread\n");
    assert_has(thread, "EVENT_TYPE\n0 4          Thread: thread state\nVALUES\n0    Unknown\n1    Running\n"
                       "2    Paused\n3    Dead\n4    Cooling\n5    Warming\n");
    assert_has(thread, "0 45         Kernel context switch \nVALUES\n3    Context switch: Out of the CPU\n");
    assert_has(thread, "0 103        phase\nVALUES\n1    one\n2    two\n");
    assert_has(thread, "0 13         nOS-V subsystem of the ACTIVE thread\nVALUES\n2    Unknown subsystem\n");
    assert_has(thread,
               "0 16         nOS-V idle state of the RUNNING thread\nVALUES\n100  Progressing\n101  Resting\n"
               "102  Absorbing noise\n");
    assert_has(cpu, "0 13         nOS-V subsystem of the RUNNING thread\n");
    assert_has(cpu, "0 45         Kernel context switch of the RUNNING thread\n");
    assert_null(strstr(cpu, "TID of the ACTIVE"));
    /* Models by their characters: K before O before V. */
    assert_true(strstr(thread, "Kernel") < strstr(thread, "Flushing ovni buffer"));
    assert_true(strstr(thread, "Flushing ovni buffer") < strstr(thread, "phase"));
    assert_true(strstr(thread, "phase") < strstr(thread, "nOS-V"));
}

/* 1 and 2^32 + 1 are the same in 32 bits. */
static void test_views_marks_that_are_one_in_32_bits(void **state) {
    (void)state;
    const struct shown shown =
        show(MADE_TRACE({.tid = 11,
                         .more = ", \"mark\": {\"3\": {\"title\": \"phase\", \"chan_type\": \"single\", "
                                 "\"labels\": {\"1\": \"one\", \"4294967297\": \"uno\"}}}",
                         .events = "0 OHx i0 i-1 q0; 9 OHe"}));
    assert_non_null(strstr(shown.rules, "ovni.mark"));
}

/* Labels of types by their numbers, each once; those of nOS-V only when the emulation came to its end. */
static void test_views_labels_of_types(void **state) {
    const char *types = "0 OHx i0 i-1 q0; 1 VYc + i1 swork; 2 VYc + i2 swork; 3 VYc + i3 salpha; ";
    (void)state;
    struct shown shown =
        show(MADE_TRACE({.tid = 11, .models = "V", .events = harness_text("%s 9 OHe", types)}));
    assert_has(
        shown.names[QUIPU__OVNI_VIEW_CPU],
        "0 11         nOS-V task type of the RUNNING thread\nVALUES\n1107063517 work\n660719635 alpha\n\n");
    shown = show(MADE_TRACE({.tid = 11, .models = "V", .events = harness_text("%s 8 VSf; 9 OHe", types)}));
    assert_string_equal(shown.rules, "ovni.pop");
    assert_null(strstr(shown.names[QUIPU__OVNI_VIEW_CPU], "1107063517 work"));
}

static void test_views_of_breakdowns(void **state) {
    (void)state;
    const struct shown shown = show_with(MADE_TRACE({.tid = 11,
                                                     .cpus = 2,
                                                     .models = "V",
                                                     .top = ", \"nosv\": {\"can_breakdown\": true}",
                                                     .events = "0 OHx i0 i-1 q0; 9 OHe"}),
                                         true, NULL);
    assert_string_equal(shown.rows[QUIPU__OVNI_VIEW_NOSV],
                        "LEVEL NODE SIZE 1\nhostname\n\nLEVEL THREAD SIZE 2\n~CPU    2\n~CPU    1\n");
    assert_has(shown.names[QUIPU__OVNI_VIEW_NOSV],
               "0 17         CPU: nOS-V Runtime/Idle/Task breakdown\nVALUES\n2    Unknown subsystem\n");
    assert_null(shown.rows[QUIPU__OVNI_VIEW_OPENMP]);
    assert_string_equal(quipu__ovni_view_names[QUIPU__OVNI_VIEW_NOSV], "nosv-breakdown");
    assert_string_equal(quipu__ovni_view_names[QUIPU__OVNI_VIEW_NANOS6], "nanos6-breakdown");
    assert_string_equal(quipu__ovni_view_names[QUIPU__OVNI_VIEW_OPENMP], "openmp-breakdown");
}

QUIPU_TESTS(cmocka_unit_test(test_views_rows_have_names),
            cmocka_unit_test(test_views_types_and_values_have_names),
            cmocka_unit_test(test_views_marks_that_are_one_in_32_bits),
            cmocka_unit_test(test_views_labels_of_types), cmocka_unit_test(test_views_of_breakdowns))
