/* test_check.c: tokens in definitions must stand for something. */
#include "texts.h"

#define EVENTS "a\n*1\nE1\n14\n*1\nL1\n14\n*2\nPB\n"

static void test_check_definitions_refer_to_what_is_defined(void **state) {
    (void)state;
    assert_string_equal(rules_checked(text_trace("DFG4NM\"MPI\"\nDF1G4NM\"f\"\nDPG3M1,2,NM\"all\"\n", EVENTS)),
                        "");
    /* The group of a function, a member of a group, the file of a source. */
    assert_string_equal(rules_checked(text_trace("DF1G4NM\"f\"\n", EVENTS)), "otf.undefined");
    assert_string_equal(rules_checked(text_trace("DF1G0NM\"f\"\nDPG3M1,9,NM\"all\"\n", EVENTS)),
                        "otf.undefined");
    assert_string_equal(rules_checked(text_trace("DF1G0NM\"f\"\nDS5F6LN7\n", EVENTS)), "otf.undefined");
}

/* 0 stands for nothing. */
static void test_check_zero_refers_to_nothing(void **state) {
    (void)state;
    assert_string_equal(rules_checked(text_trace("DF1G0NM\"f\"\nDS5F0LN7\n", EVENTS)), "");
}

static void test_check_findings_name_field_and_token(void **state) {
    struct quipu_reader *reader = made_reader(text_trace("DF1G4aNM\"f\"\n", EVENTS));
    struct quipu_check_result result;
    (void)state;
    assert_int_equal(quipu_check(reader, NULL, &result, NULL), QUIPU_OK);
    const struct quipu_finding *finding = quipu_findings_at(quipu_reader_findings(reader), 0);
    assert_string_equal(finding->type, "DefFunction");
    assert_string_equal(finding->field, "funcGroup");
    assert_non_null(strstr(finding->found, "74")); /* 4a in decimal */
    quipu_reader_close(reader);
}

QUIPU_TESTS(cmocka_unit_test(test_check_definitions_refer_to_what_is_defined),
            cmocka_unit_test(test_check_zero_refers_to_nothing),
            cmocka_unit_test(test_check_findings_name_field_and_token))
