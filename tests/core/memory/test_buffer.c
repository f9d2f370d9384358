/* test_buffer.c: numbers and text into buffers, JSON and terminal escapes. */
#include "harness.h"

#include "core/memory/buffer.h"

static struct quipu__memory memory;
static struct quipu__buffer buffer;

static int set_up(void **state) {
    (void)state;
    quipu__memory_init(&memory, NULL, 0);
    quipu__buffer_init(&buffer, &memory, 0);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    quipu__buffer_release(&buffer);
    return memory.used != 0;
}

static void assert_buffer(const char *expected) {
    assert_int_equal(buffer.len, strlen(expected));
    assert_memory_equal(buffer.data, expected, buffer.len);
    buffer.len = 0;
}

static void test_buffer_puts_numbers_without_leading_zeros(void **state) {
    (void)state;
    quipu__put_i64(&buffer, INT64_MIN);
    assert_buffer("-9223372036854775808");
    quipu__put_u64(&buffer, 0);
    assert_buffer("0");
    quipu__put_hex(&buffer, 0);
    assert_buffer("0");
    quipu__put_hex(&buffer, 0xbb8);
    assert_buffer("bb8");
    quipu__put_hex(&buffer, UINT64_MAX);
    assert_buffer("ffffffffffffffff");
}

static void test_buffer_puts_big_endian(void **state) {
    (void)state;
    static const uint8_t expected[] = {0x01, 0x25, 0x4d, 0x4b, 0x42, 0xe4, 0xff,
                                       0xaa, 0xdd, 0x44, 0x55, 0x4d, 0x50, 0x49};
    quipu__put_be16(&buffer, 293);
    quipu__put_be32(&buffer, 1296777956);
    quipu__put_be64(&buffer, UINT64_C(0xffaadd44554d5049));
    assert_int_equal(buffer.len, sizeof expected);
    assert_memory_equal(buffer.data, expected, sizeof expected);
}

static void test_buffer_json_escapes_what_json_must(void **state) {
    (void)state;
    quipu__put_json(&buffer, "a\"b\\c\n\t\x01\x7f", 9);
    assert_buffer("\"a\\\"b\\\\c\\n\\t\\u0001\\u007f\"");
    quipu__put_json(&buffer, "a\0b", 3);
    assert_buffer("\"a\\u0000b\"");
}

static void test_buffer_json_keeps_utf8_and_replaces_the_rest(void **state) {
    (void)state;
    quipu__put_json(&buffer, "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 9);
    assert_buffer("\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"");
    quipu__put_json(&buffer, "x\xff\xc0\xaf\xed\xa0\x80", 7); /* stray byte, overlong form, surrogate */
    assert_buffer("\"x\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\"");
    quipu__put_json(&buffer, "\xe2\x82", 2); /* cut */
    assert_buffer("\"\\ufffd\\ufffd\"");
}

static void test_buffer_escapes_terminal_controls(void **state) {
    (void)state;
    quipu__put_escaped(&buffer, "\x1b[31mred\xc2\x9b\xc3\xa9\xff", 13);
    assert_buffer("\\x1b[31mred\\xc2\\x9b\xc3\xa9\\xff");
}

/* U+202E shows "gpj.exe" as "exe.jpg"; U+E0041 shows nothing at all. */
static void test_buffer_escapes_what_does_not_show(void **state) {
    (void)state;
    const char *const text = "a\xe2\x80\xae"
                             "b\xd8\x9c\xf3\xa0\x81\x81\xef\xbb\xbf.";
    quipu__put_escaped(&buffer, text, strlen(text));
    assert_buffer("a\\xe2\\x80\\xaeb\\xd8\\x9c\\xf3\\xa0\\x81\\x81\\xef\\xbb\\xbf.");
    quipu__put_json(&buffer, text, strlen(text));
    assert_buffer("\"a\\u202eb\\u061c\\udb40\\udc41\\ufeff.\"");
    quipu__put_escaped_but(&buffer, "a\tb\nc\x1b\r", 7, "\r\n\t");
    assert_buffer("a\tb\nc\\x1b\r");
}

static void test_buffer_stops_at_its_ceiling(void **state) {
    (void)state;
    struct quipu__buffer small;
    quipu__buffer_init(&small, &memory, 300);
    for (int i = 0; i < 40; i++)
        quipu__put(&small, "0123456789", 10);
    assert_true(small.failed);
    assert_true(small.len <= 300);
    quipu__buffer_release(&small);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
/* ---- Printing ---- */

struct printed {
    size_t size, most, calls;
    bool is_right, fails;
};

/* All bytes are the low bits of their number. */
static enum quipu_status check_bytes(void *context, const void *data, size_t size, struct quipu_error *err) {
    struct printed *printed = context;
    const uint8_t *bytes = data;
    (void)err;
    if (printed->fails)
        return QUIPU_OUTPUT;
    for (size_t i = 0; i < size; i++)
        printed->is_right &= bytes[i] == (uint8_t)(printed->size + i);
    printed->size += size;
    printed->most = size > printed->most ? size : printed->most;
    printed->calls++;
    return QUIPU_OK;
}

static enum quipu_status print_much(struct printed *printed, size_t *capacity) {
    struct quipu__printing printing;
    uint8_t much[1 << 20];
    for (size_t i = 0; i < sizeof much; i++)
        much[i] = (uint8_t)i;
    quipu__printing_begin(&printing, (struct quipu_sink){check_bytes, printed}, NULL);
    for (size_t i = 0; i < 4096; i++)
        quipu__put_u8(&printing.out, (uint8_t)i);
    quipu__put(&printing.out, much, sizeof much);
    for (size_t i = 0; i < 4096; i++)
        quipu__put(&printing.out, much, 256);
    *capacity = printing.out.capacity;
    return quipu__printing_end(&printing);
}

static void test_printing_takes_little_memory_however_long_the_text_is(void **state) {
    (void)state;
    struct printed printed = {.is_right = true};
    size_t capacity;
    assert_int_equal(print_much(&printed, &capacity), QUIPU_OK);
    assert_int_equal(printed.size, 4096 + (1 << 20) + 4096 * 256);
    assert_true(printed.is_right);
    assert_in_range(capacity, 1, 64 << 10);
    assert_in_range(printed.calls, 32, 100);
}

static void test_printing_says_that_the_sink_has_failed(void **state) {
    (void)state;
    struct printed printed = {.fails = true};
    size_t capacity;
    assert_int_equal(print_much(&printed, &capacity), QUIPU_OUTPUT);
    assert_int_equal(printed.size, 0);
}

QUIPU_TESTS(cmocka_unit_test(test_printing_takes_little_memory_however_long_the_text_is),
            cmocka_unit_test(test_printing_says_that_the_sink_has_failed),
            TEST(test_buffer_puts_numbers_without_leading_zeros), TEST(test_buffer_puts_big_endian),
            TEST(test_buffer_json_escapes_what_json_must),
            TEST(test_buffer_json_keeps_utf8_and_replaces_the_rest),
            TEST(test_buffer_escapes_terminal_controls), TEST(test_buffer_escapes_what_does_not_show),
            TEST(test_buffer_stops_at_its_ceiling))
