/* test_rows.c: what the rows of a records.def expand to. */
#include "harness.h"

#include "schema/soundness.h"

#define ROWS_RECORDS "schema/rows.def"
#define ROWS_DOMAINS "schema/rows_types.def"
#define ROWS_PREFIX rows
#define ROWS_NUMBERS ROWS
#define ROWS_TYPES ROWS_TYPE
#define ROWS_GROUP(group) GROUP_##group
enum { GROUP_FIRST = 4, GROUP_SECOND };
#include "schema/rows_structs.h"
#include "schema/rows_tables.h"

static const struct quipu_field *field(const char *record, const char *name) {
    for (size_t t = 0; t < ROWS_TYPE_COUNT; t++) {
        for (size_t f = 0; f < rows_types[t].field_count; f++)
            if (strcmp(rows_types[t].name, record) == 0 && strcmp(rows_types[t].fields[f].name, name) == 0)
                return &rows_types[t].fields[f];
    }
    fail();
    return NULL;
}

static void test_rows_make_a_schema_without_faults(void **state) {
    (void)state;
    char text[200];
    const struct quipu_schema schema = {"rows", rows_types, ROWS_TYPE_COUNT, NULL};
    const char *fault = schema_fault(&schema, text, sizeof text);
    if (fault)
        fail_msg("%s", fault);
}

static void test_rows_number_types_fields_and_elements(void **state) {
    (void)state;
    assert_int_equal(ROWS_TYPE_COUNT, 3);
    assert_int_equal(ROWS_TYPE_line, 2);
    assert_int_equal(ROWS_ELEMENT_COUNT, 1);
    assert_int_equal(ROWS_binary_FIELDS, 8);
    assert_int_equal(ROWS_binary_texts, 6);
    assert_int_equal(ROWS_binary_none, -1);
    assert_true(sizeof(union rows_any) >= sizeof(struct rows_binary));
}

static void test_rows_give_each_type_its_name_number_group_and_keywords(void **state) {
    (void)state;
    const struct quipu_record_type *binary = &rows_types[ROWS_TYPE_binary],
                                   *turned = &rows_types[ROWS_TYPE_turned], *line = &rows_types[ROWS_TYPE_line];
    assert_string_equal(binary->name, "binary");
    assert_int_equal(binary->id, 7);
    assert_int_equal(binary->group, GROUP_FIRST);
    assert_int_equal(binary->size, sizeof(struct rows_binary));
    assert_int_equal(binary->fixed_bytes,
                     2 + 8 + 2); /* what depends on a version or a condition may be absent */
    assert_null(binary->order);
    assert_string_equal(turned->name, "Turned");
    assert_int_equal(turned->order[0], ROWS_turned_second);
    assert_int_equal(turned->order[1], ROWS_turned_first);
    assert_string_equal(line->key, "L");
    assert_string_equal(line->key_long, "LINE");
}

static void test_rows_say_when_a_field_is_there(void **state) {
    (void)state;
    assert_int_equal(field("binary", "sometimes")->when, ROWS_binary_count);
    assert_int_equal(field("binary", "sometimes")->equals, ROWS_binary_small);
    assert_int_equal(field("binary", "count")->when, -1);
    assert_int_equal(field("binary", "later")->since, 0x010203);
    assert_true(field("binary", "later")->optional);
    assert_false(field("binary", "count")->optional);
    assert_int_equal(field("binary", "time.in")->offset, offsetof(struct rows_binary, begin));
}

static void test_rows_say_how_a_list_lies_in_the_file(void **state) {
    (void)state;
    assert_int_equal(field("binary", "values")->shape, QUIPU_LIST);
    assert_int_equal(field("binary", "values")->wire, QUIPU__WIRE_64);
    assert_int_equal(field("binary", "values")->count, ROWS_binary_count);
    assert_int_equal(field("binary", "texts")->wire, QUIPU__FORM_FROM_FIELD);
    assert_ptr_equal(field("binary", "points")->element, &elements[ROWS_ELEMENT_point]);
    assert_int_equal(field("binary", "points")->count, -1);
}

static void test_rows_of_text_have_keywords(void **state) {
    (void)state;
    assert_string_equal(field("line", "token")->key, "");
    assert_string_equal(field("line", "source")->key, "X");
    assert_string_equal(field("line", "source")->key_long, "SCL");
    assert_int_equal(field("line", "source")->wire, QUIPU__PRESENCE_NONZERO);
    assert_true(field("line", "source")->optional);
    assert_int_equal(field("line", "members")->shape, QUIPU_LIST);
    assert_false(field("line", "members")->optional);
}

static void test_rows_name_values(void **state) {
    (void)state;
    assert_int_equal(DOMAIN_COUNT, 4);
    assert_string_equal(quipu_label_find(&domains[DOMAIN_small], 3), "blue");
    assert_string_equal(quipu_label_find(&domains[DOMAIN_small], 2), "other");
    assert_null(quipu_label_find(&domains[DOMAIN_big], 1));
}

QUIPU_TESTS(cmocka_unit_test(test_rows_make_a_schema_without_faults),
            cmocka_unit_test(test_rows_number_types_fields_and_elements),
            cmocka_unit_test(test_rows_give_each_type_its_name_number_group_and_keywords),
            cmocka_unit_test(test_rows_say_when_a_field_is_there),
            cmocka_unit_test(test_rows_say_how_a_list_lies_in_the_file),
            cmocka_unit_test(test_rows_of_text_have_keywords), cmocka_unit_test(test_rows_name_values))
