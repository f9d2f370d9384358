/* Hexadecimal numbers by the word: one at a time, and in pairs. */
#include "harness.h"

#include "core/hex.h"

#include <inttypes.h>

static bool is_digit(uint8_t c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* Every byte at every position among valid digits. */
static void test_numbers_are_made_of_digits_only(void **state) {
    (void)state;
    for (unsigned position = 0; position < 8; position++)
        for (unsigned c = 0; c < 256; c++) {
            uint8_t left[] = "0f1e2d3c", right[] = "9a8b7c6d";
            bool valid_left, valid_right, valid_one = true;
            left[position] = (uint8_t)c;
            const uint64_t other = quipu__hex_bare(quipu__load_le64((const uint8_t *)"12345678"));
            quipu__hex_pack(quipu__load_le64(left), &valid_one);
            quipu__hex_pack_pair(quipu__hex_bare(quipu__load_le64(left)), other, &valid_left);
            right[position] = (uint8_t)c;
            quipu__hex_pack_pair(other, quipu__hex_bare(quipu__load_le64(right)), &valid_right);
            if (valid_one != is_digit((uint8_t)c) || valid_left != valid_one || valid_right != valid_one)
                fail_msg("byte %02x in position %u", c, position);
        }
}

static void test_numbers_of_all_lengths(void **state) {
    uint64_t number = 0;
    (void)state;
    for (unsigned len = 1; len <= 16; len++) {
        char text[QUIPU__HEX_BYTES + 18];
        uint64_t value;
        number = number << 4 | (len * 7 & 15) | 1;
        snprintf(text, sizeof text, "%" PRIx64 "\n%24s", number, "");
        assert_int_equal(quipu__hex_read((const uint8_t *)text, &value), len);
        assert_true(value == number);
        uint8_t written[16];
        assert_int_equal(quipu__hex_write(written, number) - written, len);
        assert_memory_equal(written, text, len);
    }
}

static void test_numbers_are_written_without_leading_zeros(void **state) {
    (void)state;
    static const struct {
        uint64_t number;
        const char *text;
    } rows[] = {
        {0, "0"}, {9, "9"}, {0xa, "a"}, {0x10, "10"}, {UINT64_C(0x9f00000000000000), "9f00000000000000"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t written[16];
        const size_t len = (size_t)(quipu__hex_write(written, rows[i].number) - written);
        assert_int_equal(len, strlen(rows[i].text));
        assert_memory_equal(written, rows[i].text, len);
    }
}

/* Shifted to the end of its word a shorter number has zeros in front. */
static void test_numbers_in_pairs(void **state) {
    static const uint32_t numbers[] = {0, 9, 0xa, 0xf, 0x10, 0xabc, 0x1234, 0xfedcb, 0x98765432, 0xffffffff};
    enum { COUNT = sizeof numbers / sizeof *numbers };
    (void)state;
    for (unsigned i = 0; i < COUNT * COUNT; i++) {
        uint64_t words[2];
        const uint32_t pair[2] = {numbers[i / COUNT], numbers[i % COUNT]};
        for (unsigned k = 0; k < 2; k++) {
            char text[16];
            const int len = snprintf(text, sizeof text, "%" PRIx32, pair[k]);
            words[k] = quipu__hex_bare(quipu__load_le64((const uint8_t *)text)) << (64 - 8 * len);
        }
        bool valid;
        assert_true(quipu__hex_pack_pair(words[0], words[1], &valid) == ((uint64_t)pair[0] << 32 | pair[1]));
        assert_true(valid);
    }
}

QUIPU_TESTS(cmocka_unit_test(test_numbers_are_made_of_digits_only),
            cmocka_unit_test(test_numbers_of_all_lengths),
            cmocka_unit_test(test_numbers_are_written_without_leading_zeros),
            cmocka_unit_test(test_numbers_in_pairs))
