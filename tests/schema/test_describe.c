/* test_describe.c: pages about schemas. */
#include "schema/sample.h"

static void test_describe_pages_name_every_type_and_field(void **state) {
    (void)state;
    const struct quipu_sink sink = {collect, printed};
    assert_int_equal(quipu_schema_write(&schema, false, sink, NULL), QUIPU_OK);
    assert_non_null(strstr(printed, "## sample\n\na sample. Number 5.\n"));
    assert_non_null(strstr(printed, "| extra | i32 | plain | a field. Only when rank equals root. |\n"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
QUIPU_TESTS(TEST(test_describe_pages_name_every_type_and_field))
