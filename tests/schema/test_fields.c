/* test_fields.c: fields and labels of their values, and what is wrong with tables of them. */
#include "schema/sample.h"
#include "schema/soundness.h"

static void test_fields_have_labels_by_value(void **state) {
    (void)state;
    assert_string_equal(quipu_label_find(&colour, -1), "none");
    assert_string_equal(quipu_label_find(&colour, 7), "blue");
    assert_null(quipu_label_find(&colour, 4));
    assert_null(quipu_label_find(&i32, 4));
}

static void test_fields_that_are_wrong_are_found(void **state) {
    (void)state;
    char fault[200];
    assert_null(schema_fault(&schema, fault, sizeof fault));
    struct quipu_field broken[10];
    memcpy(broken, sample_fields, sizeof broken);
    struct quipu_record_type type = sample_type;
    struct quipu_schema other = {.name = "test", .types = &type, .type_count = 1};
    type.fields = broken;
    broken[1].name = "count";
    assert_string_equal(schema_fault(&other, fault, sizeof fault),
                        "sample.count has a name that is there twice");
    broken[1] = sample_fields[1];
    broken[1].offset = sizeof(struct sample) - 4;
    assert_string_equal(schema_fault(&other, fault, sizeof fault), "sample.size lies outside its struct");
    broken[1] = sample_fields[1];
    broken[8].when = 9;
    assert_string_equal(schema_fault(&other, fault, sizeof fault),
                        "sample.extra depends on fields that come later");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
QUIPU_TESTS(TEST(test_fields_have_labels_by_value), TEST(test_fields_that_are_wrong_are_found))
