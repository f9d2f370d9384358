/* test_pack.c: packed numbers. */
#include "harness.h"

#include "core/memory/pack.h"

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
    return memory.used == 0 ? 0 : -1;
}

static struct quipu__slice packed(void) {
    return quipu__slice_of(buffer.data, buffer.len);
}

static void test_pack_takes_a_byte_for_seven_bits(void **state) {
    static const struct {
        uint64_t value;
        size_t len;
        uint8_t first, last;
    } cases[] = {
        {0, 1, 0, 0},          {127, 1, 127, 127},          {128, 2, 0x80, 1},        {300, 2, 0xac, 0x02},
        {1 << 14, 3, 0x80, 1}, {UINT32_MAX, 5, 0xff, 0x0f}, {UINT64_MAX, 10, 0xff, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        buffer.len = 0;
        quipu__pack_u64(&buffer, cases[i].value);
        assert_int_equal(buffer.len, cases[i].len);
        assert_int_equal(buffer.data[0], cases[i].first);
        assert_int_equal(buffer.data[buffer.len - 1], cases[i].last);
        struct quipu__slice slice = packed();
        assert_true(quipu__unpack_u64(&slice) == cases[i].value);
        assert_false(slice.failed);
        assert_int_equal(quipu__slice_left(&slice), 0);
    }
}

static void test_pack_keeps_small_numbers_of_both_signs_short(void **state) {
    static const int64_t values[] = {0, -1, 1, -64, 63, 64, -65, INT64_MAX, INT64_MIN};
    static const size_t lens[] = {1, 1, 1, 1, 1, 2, 2, 10, 10};
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        buffer.len = 0;
        quipu__pack_i64(&buffer, values[i]);
        assert_int_equal(buffer.len, lens[i]);
        struct quipu__slice slice = packed();
        assert_true(quipu__unpack_i64(&slice) == values[i]);
        assert_false(slice.failed);
    }
}

static void test_pack_keeps_bytes(void **state) {
    (void)state;
    quipu__pack_bytes(&buffer, "knot", 4);
    quipu__pack_bytes(&buffer, NULL, 0);
    quipu__pack_u64(&buffer, 7);
    struct quipu__slice slice = packed();
    const struct quipu__slice knot = quipu__unpack_bytes(&slice), none = quipu__unpack_bytes(&slice);
    assert_int_equal(quipu__slice_left(&knot), 4);
    assert_memory_equal(knot.at, "knot", 4);
    assert_int_equal(quipu__slice_left(&none), 0);
    assert_int_equal(quipu__unpack_u64(&slice), 7);
    assert_false(slice.failed);
}

static void test_pack_refuses_what_is_cut_off(void **state) {
    (void)state;
    quipu__pack_u64(&buffer, UINT64_MAX);
    for (size_t len = 0; len < buffer.len; len++) {
        struct quipu__slice slice = quipu__slice_of(buffer.data, len);
        assert_true(quipu__unpack_u64(&slice) == 0);
        assert_true(slice.failed);
    }
    struct quipu__slice longer_than_is_there = quipu__slice_of("\x05knot", 5);
    quipu__unpack_bytes(&longer_than_is_there);
    assert_true(longer_than_is_there.failed);
}

static void test_pack_refuses_numbers_that_do_not_fit(void **state) {
    (void)state;
    struct quipu__slice too_long = quipu__slice_of("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 11);
    quipu__unpack_u64(&too_long);
    assert_true(too_long.failed);
    struct quipu__slice beyond_64_bits = quipu__slice_of("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x02", 10);
    quipu__unpack_u64(&beyond_64_bits);
    assert_true(beyond_64_bits.failed);
    struct quipu__slice above_the_limit = quipu__slice_of("\x0a", 1);
    assert_true(quipu__unpack_up_to(&above_the_limit, 9) == 0);
    assert_true(above_the_limit.failed);
}

QUIPU_TESTS(cmocka_unit_test_setup_teardown(test_pack_takes_a_byte_for_seven_bits, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_pack_keeps_small_numbers_of_both_signs_short, set_up,
                                            tear_down),
            cmocka_unit_test_setup_teardown(test_pack_keeps_bytes, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_pack_refuses_what_is_cut_off, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_pack_refuses_numbers_that_do_not_fit, set_up, tear_down))
