/* test_encode.c: records as lines. */
#include "formats/picl/traces.h"

#include "formats/picl/statistics.h"

#include <inttypes.h>

static const char *file_of(const char *text) {
    const char *path = harness_text("%s/in.picl", harness_folder());
    harness_write(path, text, strlen(text));
    return path;
}

static void test_encode_canonical_spelling(void **state) {
    (void)state;
    const char *text = "  -3\t-901 +.5 0 -1 0\r\n"
                       "-101 -1 1.5e0 0 -1 2 \"%d%lf\" -11 0.000098 \\\n -21 .0000465\n"
                       "-5 -21 -1 -1 -1 4 \"%c\" s e n d\n"
                       "-2 7 1.0000001 0 -1 2 \"%d %d\" 4 5\n"
                       "0 7 2 0 -1 1 5 1e-9\n";
    const char *canonical = "-3 -901 0.500000 0 -1 0\n"
                            "-101 -1 1.500000 0 -1 2 \"%d%lf\" -11 0.000098 -21 4.65e-05\n"
                            "-5 -21 -1.000000 -1 -1 4 0 send\n"
                            "-2 7 1.0000001 0 -1 1 \"%d %d\" 4 5\n"
                            "0 7 2.000000 0 -1 1 5 1e-09\n";
    assert_string_equal(copy_of(file_of(text), "canonical.picl", "--set canonical=yes"), canonical);
    assert_string_equal(copy_of(file_of(canonical), "again.picl", "--set canonical=yes"), canonical);
}

QUIPU_TESTS(cmocka_unit_test(test_encode_canonical_spelling))
