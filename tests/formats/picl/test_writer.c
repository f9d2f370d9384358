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

/* Of several carriage returns none is left: one that stayed would be part of the line's end when the copy is read. */
static void test_writer_copies_have_no_carriage_returns(void **state) {
    (void)state;
    const char *path = file_of_text("10 1 0.5 0 0 2 2\r\r\n7 8\r\r\r\n10 1 0.75 0 0 1 2 9\r\r");
    assert_string_equal(copy_of(path, "copy.picl", "--from-format picl"),
                        "10 1 0.5 0 0 2 2\n7 8\n10 1 0.75 0 0 1 2 9\n");
}

/* A blank keeps a carriage return that is a character of data from the end of its line, where it would be gone. */
static void test_writer_characters_may_end_in_a_carriage_return(void **state) {
    (void)state;
    const char *path = file_of_text("10 1 0.5 0 0 2 0 x\r  \n10 1 0.75 0 0 1 2 9\n");
    assert_string_equal(copy_of(path, "copy.picl", "--from-format picl"),
                        "10 1 0.5 0 0 2 0 x\r \n10 1 0.75 0 0 1 2 9\n");
}

QUIPU_TESTS(cmocka_unit_test(test_writer_copies_have_the_same_bytes),
            cmocka_unit_test(test_writer_copies_have_no_carriage_returns),
            cmocka_unit_test(test_writer_characters_may_end_in_a_carriage_return))
