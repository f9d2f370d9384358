/* test_keyvalues.c: values of keys behind events. */
#include "harness.h"

#include "formats/otf/lines.h"

#include "formats/otf/fast_lines.h"

static struct quipu__memory memory;
static struct quipu__scratch scratch;

static void start(void) {
    quipu__memory_init(&memory, NULL, 0);
    quipu__scratch_init(&scratch, &memory);
}

static void stop(void) {
    quipu__scratch_release(&scratch);
    assert_int_equal(memory.used, 0);
}

static struct quipu__keyed_lines lines_of(enum quipu__otf_file file, const char *text, size_t len) {
    struct quipu__keyed_lines lines = {.grammar = &quipu__otf_grammar,
                                       .kind = (uint8_t)file,
                                       .p = (const uint8_t *)text,
                                       .end = (const uint8_t *)text + len,
                                       .ended = true,
                                       .state = QUIPU__KEYED_STATE_INIT};
    return lines;
}

static void test_keyvalues_long_byte_arrays_are_split_and_joined(void **state) {
    (void)state;
    struct quipu__buffer out;
    struct quipu__otf_values values;
    uint8_t bytes[250];
    start();
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 7);
    const struct quipu_value array = {
        .key = 0x6f, .type = QUIPU_VALUE_BYTES, .size = 250, .data = (const char *)bytes};
    quipu__buffer_init(&out, &memory, 0);
    quipu__otf_encode_value(&out, &array, false);
    quipu__put_u8(&out, '\0');
    assert_non_null(strstr((const char *)out.data, "Lfa\nK6fYbV"));
    assert_non_null(strstr((const char *)out.data, "L96\nK6fYbV"));
    assert_non_null(strstr((const char *)out.data, "L32\n"));
    quipu__otf_values_init(&values, &memory);
    struct quipu__keyed_lines lines = lines_of(QUIPU__OTF_EVENTS, (const char *)out.data, out.len - 1);
    while (quipu__keyed_recognise(&lines) == QUIPU__KEYED_VALUE) {
        struct quipu__otf_value_line line;
        assert_int_equal(quipu__otf_decode_value(&lines, &line), QUIPU__KEYED_DECODED);
        assert_int_equal(quipu__otf_values_add(&values, &line), QUIPU__OTF_VALUE_ADDED);
    }
    const struct quipu_value *list = quipu__otf_values_list(&values, &scratch);
    assert_int_equal(quipu_sized_count(list), 1);
    assert_int_equal(list[0].size, 250);
    assert_memory_equal(list[0].data, bytes, 250);
    quipu__otf_values_release(&values);
    quipu__buffer_release(&out);
    stop();
}

static void test_keyvalues_empty_byte_arrays_have_a_line(void **state) {
    (void)state;
    static const struct quipu_value empty = {.key = 0x6f, .type = QUIPU_VALUE_BYTES, .data = ""};
    struct quipu__buffer out;
    struct quipu__otf_value_line line;
    start();
    quipu__buffer_init(&out, &memory, 0);
    quipu__otf_encode_value(&out, &empty, false);
    quipu__put_u8(&out, '\0');
    assert_string_equal(out.data, "K6fYbV0L0\n");
    struct quipu__keyed_lines lines = lines_of(QUIPU__OTF_EVENTS, (const char *)out.data, out.len - 1);
    assert_int_equal(quipu__keyed_recognise(&lines), QUIPU__KEYED_VALUE);
    assert_int_equal(quipu__otf_decode_value(&lines, &line), QUIPU__KEYED_DECODED);
    assert_int_equal(line.key, 0x6f);
    assert_int_equal(line.type, QUIPU_VALUE_BYTES);
    assert_int_equal(line.count, 0);
    quipu__buffer_release(&out);
    stop();
}

static void test_keyvalues_first_value_of_a_key_stays(void **state) {
    (void)state;
    struct quipu__otf_values values;
    struct quipu__otf_value_line line = {.key = 1, .type = QUIPU_VALUE_I32, .i = 5};
    start();
    quipu__otf_values_init(&values, &memory);
    assert_int_equal(quipu__otf_values_add(&values, &line), QUIPU__OTF_VALUE_ADDED);
    line.i = 6;
    assert_int_equal(quipu__otf_values_add(&values, &line), QUIPU__OTF_VALUE_AGAIN);
    const struct quipu_value *list = quipu__otf_values_list(&values, &scratch);
    assert_int_equal(quipu_sized_count(list), 1);
    assert_int_equal(list[0].i, 5);
    quipu__otf_values_release(&values);
    stop();
}

static void test_keyvalues_float_bits_survive(void **state) {
    (void)state;
    static const uint32_t bits[] = {0,          0x80000000, 0x3f800000, 0x7f800000, 0xff800000,
                                    0x7fc00000, 0x7f800001, 1,          0x7f7fffff};
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
        assert_int_equal(quipu__otf_bits_from_float(quipu__otf_float_from_bits(bits[i])), bits[i]);
}

QUIPU_TESTS(cmocka_unit_test(test_keyvalues_long_byte_arrays_are_split_and_joined),
            cmocka_unit_test(test_keyvalues_empty_byte_arrays_have_a_line),
            cmocka_unit_test(test_keyvalues_first_value_of_a_key_stays),
            cmocka_unit_test(test_keyvalues_float_bits_survive))
