/* test_editions.c: events of models that had the letters T and M before 1.1.0, by the tables of the format's description. */
#include "traces.h"

#define OLD "0 OHx i0 i-1 q0; 10 TS[; 20 TS]; 30 MP[; 40 MP]; 50 OHe"

/* Every row and type has 0 at time 0. Messages are 1 and up in the type of TAMPI, parallel regions 2 in that of OpenMP. */
static void test_editions_of_the_first_release(void **state) {
    (void)state;
    const struct shown shown = show(made_old(QUIPU__OVNI_LAYOUT_1, true, OLD));
    assert_string_equal(shown.rules, "");
    assert_string_equal(values_shown(&shown, QUIPU__OVNI_VIEW_THREAD, 20), "1@0=0 1@10=1 1@20=0");
    assert_string_equal(values_shown(&shown, QUIPU__OVNI_VIEW_THREAD, 25), "1@0=0 1@30=2 1@40=0");
    assert_non_null(strstr(shown.names[QUIPU__OVNI_VIEW_THREAD], "\n1    TAMPI: Send\n"));
    assert_non_null(strstr(shown.rows[QUIPU__OVNI_VIEW_THREAD], "\nTHREAD 1.8\n"));
    assert_non_null(strstr(shown.rows[QUIPU__OVNI_VIEW_CPU], "\nCPU 0.0\nCPU 0.*\n"));
}

/* Types of the development versions: 30 and 40 of threads, 80 and 90 of CPUs. */
static void test_editions_of_development_versions(void **state) {
    (void)state;
    const struct shown shown = show(made_old(QUIPU__OVNI_LAYOUT_RAW, true, OLD));
    assert_string_equal(shown.rules, "");
    assert_string_equal(values_shown(&shown, QUIPU__OVNI_VIEW_THREAD, 30), "1@0=0 1@10=1 1@20=0");
    assert_string_equal(values_shown(&shown, QUIPU__OVNI_VIEW_THREAD, 40), "1@0=0 1@30=2 1@40=0");
    assert_string_equal(values_shown(&shown, QUIPU__OVNI_VIEW_CPU, 80), "1@0=0 2@0=0 1@10=1 1@20=0");
    assert_string_equal(values_shown(&shown, QUIPU__OVNI_VIEW_CPU, 90), "1@0=0 2@0=0 1@30=2 1@40=0");
}

/* A trace of that time without such events is shown as today. */
static void test_editions_are_of_traces_that_need_them(void **state) {
    (void)state;
    const struct shown shown =
        show(made_old(QUIPU__OVNI_LAYOUT_1, true, "0 OHx i0 i-1 q0; 1 VSh; 2 VSf; 9 OHe"));
    assert_string_equal(shown.rules, "");
    assert_non_null(strstr(shown.rows[QUIPU__OVNI_VIEW_THREAD], "\nTH 1.8\n"));
    assert_string_equal(values_shown(&shown, QUIPU__OVNI_VIEW_THREAD, 13), "1@0=0 1@1=6 1@2=0");
}

static void test_editions_have_the_events_of_their_time(void **state) {
    static const struct {
        const char *code;
        int value;
    } events[] = {{"TS[", 1}, {"TR[", 2}, {"Ts[", 3}, {"Tr[", 4},
                  {"TV[", 5}, {"TW[", 6}, {"MT[", 1}, {"MP[", 2}};
    (void)state;
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        for (int ends = 0; ends < 2; ends++) {
            const char *code = events[i].code;
            const struct quipu__ovni_event_row *row =
                quipu__ovni_old_row((uint8_t)code[0], (uint8_t)code[1], ends ? ']' : '[');
            assert_non_null(row);
            assert_int_equal(row->value, events[i].value);
            assert_int_equal(row->effect, ends ? QUIPU__OVNI_POP : QUIPU__OVNI_PUSH);
        }
    assert_null(quipu__ovni_old_row('T', 'X', '['));
    assert_null(quipu__ovni_old_row('V', 'H', 'a'));
}

static void test_editions_have_models_and_numbers_of_labels(void **state) {
    (void)state;
    assert_int_equal(quipu__ovni_edition_label_base(QUIPU__OVNI_EDITION_release_1), 666);
    assert_int_equal(quipu__ovni_edition_label_base(QUIPU__OVNI_EDITION_raw), 0);
    assert_int_equal(quipu__ovni_edition_needs(QUIPU__OVNI_EDITION_release_1, QUIPU__OVNI_MODEL_mpi),
                     QUIPU__OVNI_WHEN_ACTIVE);
    assert_int_equal(quipu__ovni_edition_needs(QUIPU__OVNI_EDITION_release_1, QUIPU__OVNI_MODEL_openmp), 0);
    assert_int_equal(quipu__ovni_edition_needs(QUIPU__OVNI_EDITION_raw, QUIPU__OVNI_MODEL_nanos6), 0);
}

/* An unknown event of the models that are gone has no effect. */
static void test_editions_ignore_what_is_unknown(void **state) {
    (void)state;
    const struct shown shown =
        show(made_old(QUIPU__OVNI_LAYOUT_1, true, "0 OHx i0 i-1 q0; 10 TX[; 11 TS[; 20 TS]; 50 OHe"));
    assert_string_equal(shown.rules, "ovni.old-event");
    assert_string_equal(values_shown(&shown, QUIPU__OVNI_VIEW_THREAD, 20), "1@0=0 1@11=1 1@20=0");
}

QUIPU_TESTS(cmocka_unit_test(test_editions_of_the_first_release),
            cmocka_unit_test(test_editions_of_development_versions),
            cmocka_unit_test(test_editions_are_of_traces_that_need_them),
            cmocka_unit_test(test_editions_have_the_events_of_their_time),
            cmocka_unit_test(test_editions_have_models_and_numbers_of_labels),
            cmocka_unit_test(test_editions_ignore_what_is_unknown))
