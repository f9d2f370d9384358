/* test_slice.c: checked takes from input bytes. */
#include "harness.h"

#include "core/slice.h"

static const uint8_t bytes[] = {0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0xf8, 0x99};

static void test_slice_takes_bytes_up_to_the_last(void **state) {
    (void)state;
    struct quipu__slice slice = quipu__slice_of(bytes, sizeof bytes);
    assert_int_equal(quipu__take_u8(&slice), 0x01);
    assert_ptr_equal(quipu__take_bytes(&slice, 7), bytes + 1);
    assert_int_equal(quipu__take_u8(&slice), 0x99);
    assert_int_equal(quipu__slice_left(&slice), 0);
    assert_false(slice.failed);
}

static void test_slice_a_take_past_the_end_takes_nothing(void **state) {
    (void)state;
    struct quipu__slice slice = quipu__slice_of(bytes, 3);
    assert_null(quipu__take_bytes(&slice, 4));
    assert_true(slice.failed);
    assert_int_equal(quipu__slice_left(&slice), 3);
}

static void test_slice_after_a_failure_every_take_gives_zero(void **state) {
    (void)state;
    struct quipu__slice slice = quipu__slice_of(bytes, 3);
    assert_null(quipu__take_bytes(&slice, SIZE_MAX));
    assert_int_equal(quipu__take_u8(&slice), 0);
    assert_null(quipu__take_bytes(&slice, 1));
}

static void test_slice_of_nothing_is_empty(void **state) {
    (void)state;
    struct quipu__slice slice = quipu__slice_of(NULL, 0);
    assert_int_equal(quipu__slice_left(&slice), 0);
    assert_int_equal(quipu__take_u8(&slice), 0);
    assert_true(slice.failed);
}

static void test_slice_loads_little_endian_numbers(void **state) {
    (void)state;
    assert_int_equal(quipu__load_le16(bytes), 0x0201);
    assert_int_equal(quipu__load_le32(bytes), 0x04030201);
    assert_true(quipu__load_le64(bytes) == UINT64_C(0xf807060504030201));
}

QUIPU_TESTS(cmocka_unit_test(test_slice_takes_bytes_up_to_the_last),
            cmocka_unit_test(test_slice_a_take_past_the_end_takes_nothing),
            cmocka_unit_test(test_slice_after_a_failure_every_take_gives_zero),
            cmocka_unit_test(test_slice_of_nothing_is_empty),
            cmocka_unit_test(test_slice_loads_little_endian_numbers))
