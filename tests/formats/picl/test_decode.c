/* test_decode.c: records from lines. */
#include "formats/picl/traces.h"

static void test_decode_values_follow_their_control_string(void **state) {
    (void)state;
    static const struct {
        const char *data, *values;
    } cases[] = {
        {"3 2 1 -2 +3", "[1, -2, 3]"},
        {"1 \"%3d%2d%s\" 12345rest", "[123, 45, \"rest\"]"},
        {"1 \"x=%d, y=%lf\" x=4, y=0.5", "[4, 0.5]"},
        {"1 \"%*d %d\" 7 8", "[8]"},
        {"1 \"%x %o %u %i %i\" ff 17 42 0x1F 010", "[255, 15, 42, 31, 8]"},
        {"1 \"%[^;]; %d\" a b c; 9", "[\"a b c\", 9]"},
        {"1 \"%[a-c]%d%%\" abca12%", "[\"abca\", 12]"},
        {"2 \"%c%d\" a1 b2", "[\"a\", 1, \"b\", 2]"},
        {"5 0 a b c", "[\"a b c\"]"},
        {"2 \"%d%lf\" 1 .5 2 1e-3", "[1, 0.5, 2, 0.001]"},
        {"2 1 alpha \"beta\"", "[\"alpha\", \"\\\"beta\\\"\"]"},
        {"1 \"%lx\" ffffffffffffffff", "[18446744073709551615]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(values_of(harness_text(BEGIN "0 5 1.0 0 0 %s\n" END, cases[i].data), 1),
                            cases[i].values);
}

QUIPU_TESTS(cmocka_unit_test(test_decode_values_follow_their_control_string))
