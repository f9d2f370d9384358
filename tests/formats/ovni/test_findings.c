/* test_findings.c: an event that breaks a rule of the emulation is found with its place and what it says. */
#include "traces.h"

/* A finding names the file, the byte (8 of the header, 28 of the first event) and the event, and what was found. */
static void test_findings_say_where_and_what(void **state) {
    const char *path = MADE_TRACE({.tid = 11, .models = "V", .events = "0 OHx i0 i-1 q0; 77 VPp; 99 OHe"});
    struct quipu_reader *reader = made_reader(path);
    struct quipu_check_result result;
    (void)state;
    assert_int_equal(quipu_check(reader, NULL, &result, NULL), QUIPU_OK);
    assert_int_equal(result.verdict, QUIPU_VERDICT_REJECT);
    assert_int_equal(result.records, 4);
    const struct quipu_finding *finding = quipu_findings_at(quipu_reader_findings(reader), 0);
    assert_string_equal(finding->rule->id, "ovni.same-value");
    assert_string_equal(finding->file, made_file(path, 11));
    assert_int_equal(finding->byte, 36);
    assert_int_equal(finding->record, 1);
    assert_string_equal(finding->type, "VPp");
    assert_non_null(strstr(finding->found, "(clock 77)"));
    quipu_reader_close(reader);
}

/* A finding about one of the things that an event names says which. */
static void test_findings_name_their_subject(void **state) {
    struct quipu_reader *reader = made_reader(
        MADE_TRACE({.tid = 11,
                    .models = "V",
                    .events = "0 OHx i0 i-1 q0; 1 VYc + i1 swork; 2 VTc i5 i1; 3 VTc i5 i1; 9 OHe"}));
    struct quipu_check_result result;
    (void)state;
    assert_int_equal(quipu_check(reader, NULL, &result, NULL), QUIPU_OK);
    assert_int_equal(quipu_findings_count(quipu_reader_findings(reader)), 1);
    const struct quipu_finding *finding = quipu_findings_at(quipu_reader_findings(reader), 0);
    assert_string_equal(finding->rule->id, "ovni.task-id");
    assert_non_null(strstr(harness_text("%s %s", finding->field, finding->found), "5"));
    assert_string_equal(finding->type, "VTc");
    quipu_reader_close(reader);
}

QUIPU_TESTS(cmocka_unit_test(test_findings_say_where_and_what),
            cmocka_unit_test(test_findings_name_their_subject))
