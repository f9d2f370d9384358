/* test_print.c: records as JSON and as text. */
#include "schema/sample.h"

static struct sample make_sample(void) {
    struct sample it = {.count = 3, .size = UINT64_MAX, .ratio = 0.1, .root = 1, .rank = 1, .extra = 9};
    int16_t *list = quipu__scratch_sized(&scratch, 2, sizeof *list);
    list[0] = -1;
    list[1] = 32767;
    it.list = list;
    it.name = quipu__scratch_text(&scratch, "a\n\"", 3);
    struct point *points = quipu__scratch_sized(&scratch, 1, sizeof *points);
    points[0] = (struct point){-2, 255};
    it.points = points;
    return it;
}

static const char *print(const struct sample *it, bool json) {
    const struct quipu_record shown = {
        .type = &sample_type, .data = it, .stream = 2, .byte_offset = 40, .line = QUIPU_UNKNOWN, .index = 7};
    const struct quipu_sink sink = {collect, printed};
    assert_int_equal((json ? quipu_record_write_json : quipu_record_write_text)(&schema, &shown, sink, NULL),
                     QUIPU_OK);
    return printed;
}

static void test_print_records_as_json(void **state) {
    (void)state;
    struct sample it = make_sample();
    assert_string_equal(
        print(&it, true),
        "{\"stream\": 2, \"at\": 40, \"record\": 7, \"type\": \"sample\", \"fields\": {\"count\": 3, "
        "\"size\": 18446744073709551615, \"list\": [-1, 32767], \"name\": \"a\\n\\\"\", \"points\": "
        "[{\"x\": -2, \"y\": 255}], \"ratio\": 0.1, \"root\": 1, \"rank\": 1, \"extra\": 9}}\n");
}

/* One value and a list of values, each of a type of its own. */
static void test_print_values_of_any_type_as_they_are(void **state) {
    (void)state;
    struct mixed {
        struct quipu_value head;
        const struct quipu_value *list;
    };
    static const struct quipu_domain value = {.name = "value", .storage = QUIPU_STORE_VALUE};
    static const struct quipu_domain *const domain = &value;
    const struct quipu_field fields[] = {
        {.name = "head",
         .domain = domain,
         .offset = offsetof(struct mixed, head),
         .storage = QUIPU_STORE_VALUE,
         .shape = QUIPU_ONE,
         .count = -1,
         ALWAYS},
        {.name = "list",
         .domain = domain,
         .offset = offsetof(struct mixed, list),
         .storage = QUIPU_STORE_VALUE,
         .shape = QUIPU_LIST,
         .count = -1,
         ALWAYS},
    };
    const struct quipu_record_type type = {.name = "mixed", .fields = fields, .field_count = 2};
    struct quipu_value *list = quipu__scratch_sized(&scratch, 3, sizeof *list);
    list[0] = (struct quipu_value){.type = QUIPU_VALUE_I64, .i = -5};
    list[1] = (struct quipu_value){.type = QUIPU_VALUE_F64, .f = 0.5};
    list[2] = (struct quipu_value){.type = QUIPU_VALUE_STRING, .size = 2, .data = "ab"};
    const struct mixed it = {{.type = QUIPU_VALUE_STRING}, list};
    const struct quipu_record shown = {.type = &type, .data = &it, .line = QUIPU_UNKNOWN};
    const struct quipu_sink sink = {collect, printed};
    int64_t number;
    assert_int_equal(quipu_record_write_json(&schema, &shown, sink, NULL), QUIPU_OK);
    assert_non_null(strstr(printed, "\"head\": null, \"list\": [-5, 0.5, \"ab\"]}"));
    assert_int_equal(quipu_record_write_text(&schema, &shown, sink, NULL), QUIPU_OK);
    assert_non_null(strstr(printed, "head=- list=[-5 0.5 \"ab\"]"));
    assert_true(quipu__element_i64(&fields[1], list, 0, &number));
    assert_int_equal(number, -5);
    assert_false(quipu__element_i64(&fields[1], list, 1, &number));
}

static void test_print_leaves_out_what_is_absent(void **state) {
    (void)state;
    struct sample it = {.root = 1, .rank = 2, .extra = 9};
    assert_string_equal(print(&it, true),
                        "{\"stream\": 2, \"at\": 40, \"record\": 7, \"type\": \"sample\", \"fields\": "
                        "{\"count\": 0, \"size\": 0, \"list\": null, \"name\": null, \"points\": null, "
                        "\"ratio\": 0, \"root\": 1, \"rank\": 2}}\n");
}

static void test_print_as_text_has_labels(void **state) {
    (void)state;
    struct sample it = make_sample();
    it.values = NULL;
    assert_string_equal(print(&it, false),
                        "2:40 sample count=3(green) size=18446744073709551615 list=[-1 32767] "
                        "name=\"a\\x0a\"\" points=[{x=-2 y=255}] ratio=0.1 root=1 rank=1 extra=9\n");
}

static void test_print_records_with_values(void **state) {
    (void)state;
    struct sample it = {.root = 0, .rank = 1};
    struct quipu_value *list = quipu__scratch_sized(&scratch, 3, sizeof *list);
    list[0] = (struct quipu_value){.key = 1, .type = QUIPU_VALUE_I8, .i = -5};
    list[1] = (struct quipu_value){.key = 2, .type = QUIPU_VALUE_BYTES, .size = 2, .data = "\x0f\xff"};
    list[2] = (struct quipu_value){.key = 3, .type = QUIPU_VALUE_F64, .f = 1e300};
    it.values = list;
    assert_non_null(strstr(print(&it, true), "\"values\": {\"1\": -5, \"2\": \"0fff\", \"3\": 1e+300}}"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
QUIPU_TESTS(TEST(test_print_records_as_json), TEST(test_print_values_of_any_type_as_they_are),
            TEST(test_print_leaves_out_what_is_absent), TEST(test_print_as_text_has_labels),
            TEST(test_print_records_with_values))
