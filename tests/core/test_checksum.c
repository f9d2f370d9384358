/* test_checksum.c: CRC-32 as zlib computes it, of all sizes, in one piece and in two. */
#include "harness.h"

#include "core/checksum.h"

#include <zlib.h>

enum { MOST = 600 };

static void fill(uint8_t *bytes) {
    uint32_t seed = 1;
    for (size_t i = 0; i < MOST; i++) {
        seed = seed * 1103515245 + 12345;
        bytes[i] = (uint8_t)(seed >> 16);
    }
}

/* The check value that the catalogue of CRCs gives for CRC-32. */
static void test_checksum_of_the_nine_digits(void **state) {
    (void)state;
    assert_int_equal(quipu__crc32(0, "123456789", 9), 0xcbf43926);
    assert_int_equal(quipu__crc32(0, "", 0), 0);
}

static void test_checksum_is_that_of_zlib_for_every_size(void **state) {
    (void)state;
    uint8_t bytes[MOST];
    fill(bytes);
    for (size_t size = 0; size <= MOST; size++)
        assert_int_equal(quipu__crc32(0, bytes, size), crc32_z(0, bytes, size));
}

static void test_checksum_goes_on_behind_other_bytes(void **state) {
    (void)state;
    uint8_t bytes[MOST];
    fill(bytes);
    const uint32_t whole = quipu__crc32(0, bytes, MOST);
    for (size_t first = 0; first <= MOST; first++)
        assert_int_equal(quipu__crc32(quipu__crc32(0, bytes, first), bytes + first, MOST - first), whole);
}

QUIPU_TESTS(cmocka_unit_test(test_checksum_of_the_nine_digits),
            cmocka_unit_test(test_checksum_is_that_of_zlib_for_every_size),
            cmocka_unit_test(test_checksum_goes_on_behind_other_bytes))
