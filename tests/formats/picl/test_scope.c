/* test_scope.c: descriptors hold for what stands in their scope. */
#include "formats/picl/traces.h"

static void test_scope_of_descriptors(void **state) {
    (void)state;
    const char *text = "-6 5 0.0 -1 -1 1 \"%d%s\" 7 \"%d%d\"\n"
                       "-6 -1 0.0 0 -1 1 \"%d%s\" 7 \"%s\"\n" /* later, and so stronger, on processor 0 */
                       "0 5 1.0 1 0 1 7 3 4\n"
                       "0 5 1.0 0 0 1 7 3\n";
    assert_string_equal(values_of(text, 2), "[3, 4]");
    assert_string_equal(values_of(text, 3), "[\"3\"]");
    assert_non_null(strstr(codes_of("0 5 1.0 0 0 1 7 3\n-6 5 0.0 -1 -1 1 \"%d%s\" 7 \"%d\"\n"), "E07:1"));
}

QUIPU_TESTS(cmocka_unit_test(test_scope_of_descriptors))
