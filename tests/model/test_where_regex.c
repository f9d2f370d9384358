/* Regular expressions of --where: how large they may be. */
#include "harness.h"

#include "model/where_regex.h"

static void assert_allowed(const char *text, bool is_allowed) {
    uint32_t size = 0;
    const char *trouble = quipu__regex_trouble(text, &size);
    if (is_allowed)
        assert_null(trouble);
    else
        assert_non_null(trouble);
}

/* The size is that of what is written out: 255 * 255 * 255 would be 16 million. */
static void test_repetitions_are_bounded_as_they_are_written_out(void **state) {
    (void)state;
    static const char *const allowed[] = {
        "a{1000}",      "(ab){500}", "MPI_I?(send|recv){2,10}", "[[:digit:]{9999}]{5}",
        "[]{9999}]{5}", "a\\{9999",  "(((((x)+)+)+)+)+",        ".*"};
    static const char *const refused[] = {
        "((a{255}){255}){255}", "a{255}{255}",    "(ab){501}", "a{1,1001}", "a{1000,}",
        "(a{0,255}b?){255}",    "[]{9999}]{1001}"};
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
        assert_allowed(allowed[i], true);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_allowed(refused[i], false);
}

static void test_groups_inside_each_other_are_bounded(void **state) {
    (void)state;
    char text[4 * 1000 + 1];
    for (size_t depth = 50; depth <= 1000; depth += 950) {
        memset(text, '(', depth);
        memset(text + depth, 'a', depth);
        memset(text + 2 * depth, ')', depth);
        text[3 * depth] = '\0';
        assert_allowed(text, depth == 50);
    }
}

static void test_back_references_are_refused(void **state) {
    (void)state;
    assert_allowed("(a)\\1", false);
    assert_allowed("\\\\1", true);
    assert_allowed("[\\1]", true);
}

static void test_all_of_an_expression_are_bounded_together(void **state) {
    (void)state;
    uint32_t size = 0;
    for (int i = 0; i < 5; i++)
        assert_null(quipu__regex_trouble("a{1000}", &size));
    assert_int_equal(size, 5000);
    assert_non_null(quipu__regex_trouble("a", &size));
}

QUIPU_TESTS(cmocka_unit_test(test_repetitions_are_bounded_as_they_are_written_out),
            cmocka_unit_test(test_groups_inside_each_other_are_bounded),
            cmocka_unit_test(test_back_references_are_refused),
            cmocka_unit_test(test_all_of_an_expression_are_bounded_together))
