/* test_kinds.c: the descriptions of event kinds and operations. */
#include "harness.h"

static void test_kinds_know_their_fields(void **state) {
    (void)state;
    const struct quipu_kind_info *send = quipu_kind_at(QUIPU_KIND_send);
    assert_string_equal(send->name, "send");
    assert_string_equal(send->family, "message");
    assert_int_equal(send->field_count, 5);
    assert_string_equal(send->fields[0].name, "peer");
    assert_int_equal(send->fields[0].column, QUIPU_COLUMN_peer);
    assert_int_equal(quipu_kind_at(QUIPU_KIND_location_begin)->field_count, 0);
    assert_int_equal(quipu_kind_at(QUIPU_KIND_enter)->field_count, 1);
    assert_null(quipu_kind_at(QUIPU_KIND_COUNT));
    assert_int_equal(quipu_kind_find("io_resize"), QUIPU_KIND_io_resize);
    assert_int_equal(quipu_kind_find("nothing"), QUIPU_KIND_COUNT);
}

static void test_kinds_use_each_column_once(void **state) {
    (void)state;
    for (int kind = 0; kind < QUIPU_KIND_COUNT; kind++) {
        const struct quipu_kind_info *info = quipu_kind_at((enum quipu_kind)kind);
        uint32_t used = 0;
        assert_int_equal(quipu_kind_find(info->name), kind);
        assert_true(strlen(info->doc) > 5);
        for (size_t i = 0; i < info->field_count; i++) {
            assert_int_equal(used >> info->fields[i].column & 1, 0);
            used |= UINT32_C(1) << info->fields[i].column;
        }
    }
}

static void test_kinds_operations_have_names_and_shapes(void **state) {
    (void)state;
    assert_string_equal(quipu_operation_name(QUIPU_REFERS_IO_OPERATION, QUIPU_IO_SEEK), "seek");
    assert_string_equal(quipu_operation_name(QUIPU_REFERS_COLLECTIVE, QUIPU_COLLECTIVE_ALLTOALLW), "alltoallw");
    assert_string_equal(quipu_operation_name(QUIPU_REFERS_RMA_OPERATION, 999), "unknown");
    assert_int_equal(quipu_collective_shape(QUIPU_COLLECTIVE_REDUCE), QUIPU_SHAPE_ALL_TO_ONE);
    assert_int_equal(quipu_collective_shape(12345), QUIPU_SHAPE_UNKNOWN);
}

QUIPU_TESTS(cmocka_unit_test(test_kinds_know_their_fields), cmocka_unit_test(test_kinds_use_each_column_once),
            cmocka_unit_test(test_kinds_operations_have_names_and_shapes))
