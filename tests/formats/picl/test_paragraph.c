/* test_paragraph.c: what ParaGraph asks of a trace beyond the rules of the format. */
#include "formats/picl/traces.h"

/* Rules of the set that are broken, each once. */
static const char *broken(const char *text) {
    struct quipu_reader *reader = open_text(text);
    struct quipu_check_result result;
    const char *rules = "";
    assert_int_equal(quipu_check_rules(reader, "paragraph", NULL, &result, NULL), QUIPU_OK);
    const struct quipu_findings *findings = quipu_reader_findings(reader);
    for (size_t i = 0; i < quipu_findings_count(findings); i++) {
        const struct quipu_rule *rule = quipu_findings_at(findings, i)->rule;
        if (rule->severity == QUIPU_ERROR_FINDING && !strstr(rules, rule->id))
            rules = harness_text("%s%s%s", rules, *rules ? " " : "", rule->id);
    }
    quipu_reader_close(reader);
    return rules;
}

#define SECOND_BEGIN "-3 -901 0.0 1 0 0\n"
#define SECOND_END "-4 -901 9.0 1 0 0\n"

static void test_paragraph_accepts_what_it_asks_for(void **state) {
    (void)state;
    assert_string_equal(broken(BEGIN SECOND_BEGIN
                               "-3 -21 1.0 0 0 3 2 8 7 1\n-4 -21 2.0 0 0 0\n-3 -52 2.0 1 0 1 2 7\n"
                               "-4 -52 3.0 1 0 3 2 8 7 0\n" END SECOND_END),
                        "");
}

/* Two processes of processor 0; processor 2 without 1; a time that goes back; no entry of tracing. */
static void test_paragraph_finds_each_broken_rule(void **state) {
    (void)state;
    assert_string_equal(broken(BEGIN "-3 -901 0.0 0 1 0\n" END "-4 -901 9.0 0 1 0\n"), "I18");
    assert_string_equal(broken(BEGIN "-3 -901 0.0 2 0 0\n" END "-4 -901 9.0 2 0 0\n"), "I19");
    assert_string_equal(broken(BEGIN SECOND_BEGIN "-2 5 2.0 0 0 0\n-2 5 1.0 1 0 0\n" END SECOND_END),
                        "paragraph.sorted");
    assert_string_equal(broken(BEGIN "-2 5 1.0 1 0 0\n" END SECOND_END), "paragraph.tracing");
}

/* A send that does not say to which processor. */
static void test_paragraph_asks_for_the_other_side(void **state) {
    (void)state;
    assert_non_null(strstr(broken(BEGIN "-3 -21 1.0 0 0 2 2 8 7\n-4 -21 2.0 0 0 0\n" END), "paragraph.peer"));
}

QUIPU_TESTS(cmocka_unit_test(test_paragraph_accepts_what_it_asks_for),
            cmocka_unit_test(test_paragraph_finds_each_broken_rule),
            cmocka_unit_test(test_paragraph_asks_for_the_other_side))
