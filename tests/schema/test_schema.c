/* test_schema.c: the engine on a small table of its own, and the soundness of every format's table. */
#include "harness.h"

#include "schema/schema.h"

struct point {
    int16_t x;
    uint8_t y;
};
struct sample {
    int32_t count;
    uint64_t size;
    const int16_t *list;
    const char *name;
    const struct point *points;
    double ratio;
    int32_t root, rank, extra;
    const struct quipu_value *values;
};

static const struct quipu_label colours[] = {{-1, "none"}, {3, "green"}, {7, "blue"}};
static const struct quipu_domain i16 = {.name = "i16", .storage = QUIPU_STORE_I16};
static const struct quipu_domain u8 = {.name = "u8", .storage = QUIPU_STORE_U8};
static const struct quipu_domain i32 = {.name = "i32", .storage = QUIPU_STORE_I32};
static const struct quipu_domain colour = {
    .name = "colour", .storage = QUIPU_STORE_I32, .labels = colours, .label_count = 3, .other_label = NULL};
static const struct quipu_domain u64 = {.name = "u64", .storage = QUIPU_STORE_U64, .role = QUIPU_ROLE_BYTES};
static const struct quipu_domain f64 = {.name = "f64", .storage = QUIPU_STORE_F64};
static const struct quipu_domain text = {.name = "text", .storage = QUIPU_STORE_STRING};
static const struct quipu_domain record = {.name = "point", .storage = QUIPU_STORE_RECORD};
static const struct quipu_domain values = {.name = "values", .storage = QUIPU_STORE_VALUES};

/* The condition of a field that is always there. */
#define ALWAYS .when = -1, .equals = -1
#define FIELD(struct_name, member, domain_name, store, ...)                                                    \
    {                                                                                                          \
        .name = #member, .doc = "a field", .domain = &domain_name,                                             \
        .offset = offsetof(struct struct_name, member), .storage = QUIPU_STORE_##store, .count = -1,           \
        __VA_ARGS__                                                                                            \
    }

static const struct quipu_field point_fields[] = {
    FIELD(point, x, i16, I16, .shape = QUIPU_ONE, ALWAYS),
    FIELD(point, y, u8, U8, .shape = QUIPU_ONE, ALWAYS),
};
static const struct quipu_record_type point_type = {
    .name = "point", .doc = "a point", .fields = point_fields, .field_count = 2, .size = sizeof(struct point)};

static const struct quipu_field sample_fields[] = {
    FIELD(sample, count, colour, I32, .shape = QUIPU_ONE, ALWAYS),
    FIELD(sample, size, u64, U64, .shape = QUIPU_ONE, ALWAYS),
    FIELD(sample, list, i16, I16, .shape = QUIPU_LIST, ALWAYS),
    FIELD(sample, name, text, STRING, .shape = QUIPU_ONE, ALWAYS),
    FIELD(sample, points, record, RECORD, .shape = QUIPU_LIST, ALWAYS, .element = &point_type),
    FIELD(sample, ratio, f64, F64, .shape = QUIPU_ONE, ALWAYS),
    FIELD(sample, root, i32, I32, .shape = QUIPU_ONE, ALWAYS),
    FIELD(sample, rank, i32, I32, .shape = QUIPU_ONE, ALWAYS),
    FIELD(sample, extra, i32, I32, .shape = QUIPU_ONE, .when = 7, .equals = 6),
    FIELD(sample, values, values, VALUES, .shape = QUIPU_ONE, ALWAYS, .optional = true),
};
static const struct quipu_record_type sample_type = {.name = "sample",
                                                     .doc = "a sample",
                                                     .id = 5,
                                                     .fields = sample_fields,
                                                     .field_count = 10,
                                                     .size = sizeof(struct sample)};
static const struct quipu_schema schema = {.name = "test", .types = &sample_type, .type_count = 1};

static struct quipu__memory memory;
static struct quipu__scratch scratch;
static char printed[1000];

static int set_up(void **state) {
    (void)state;
    quipu__memory_init(&memory, NULL, 0);
    quipu__scratch_init(&scratch, &memory);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    quipu__scratch_release(&scratch);
    return memory.used != 0;
}

static enum quipu_status collect(void *context, const void *data, size_t size, struct quipu_error *err) {
    (void)err;
    assert_true(size < sizeof printed);
    memcpy(context, data, size);
    ((char *)context)[size] = '\0';
    return QUIPU_OK;
}

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

static void test_record_as_json(void **state) {
    (void)state;
    struct sample it = make_sample();
    assert_string_equal(
        print(&it, true),
        "{\"stream\": 2, \"at\": 40, \"record\": 7, \"type\": \"sample\", \"fields\": {\"count\": 3, "
        "\"size\": 18446744073709551615, \"list\": [-1, 32767], \"name\": \"a\\n\\\"\", \"points\": "
        "[{\"x\": -2, \"y\": 255}], \"ratio\": 0.1, \"root\": 1, \"rank\": 1, \"extra\": 9}}\n");
}

/* One value and a list of values, each of a type of its own. */
static void test_values_of_any_type_print_as_they_are(void **state) {
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

static void test_record_leaves_out_what_is_absent(void **state) {
    (void)state;
    struct sample it = {.root = 1, .rank = 2, .extra = 9};
    assert_string_equal(print(&it, true),
                        "{\"stream\": 2, \"at\": 40, \"record\": 7, \"type\": \"sample\", \"fields\": "
                        "{\"count\": 0, \"size\": 0, \"list\": null, \"name\": null, \"points\": null, "
                        "\"ratio\": 0, \"root\": 1, \"rank\": 2}}\n");
}

static void test_record_as_text_has_labels(void **state) {
    (void)state;
    struct sample it = make_sample();
    it.values = NULL;
    assert_string_equal(print(&it, false),
                        "2:40 sample count=3(green) size=18446744073709551615 list=[-1 32767] "
                        "name=\"a\\x0a\"\" points=[{x=-2 y=255}] ratio=0.1 root=1 rank=1 extra=9\n");
}

static void test_record_with_values(void **state) {
    (void)state;
    struct sample it = {.root = 0, .rank = 1};
    struct quipu_value *list = quipu__scratch_sized(&scratch, 3, sizeof *list);
    list[0] = (struct quipu_value){.key = 1, .type = QUIPU_VALUE_I8, .i = -5};
    list[1] = (struct quipu_value){.key = 2, .type = QUIPU_VALUE_BYTES, .size = 2, .data = "\x0f\xff"};
    list[2] = (struct quipu_value){.key = 3, .type = QUIPU_VALUE_F64, .f = 1e300};
    it.values = list;
    assert_non_null(strstr(print(&it, true), "\"values\": {\"1\": -5, \"2\": \"0fff\", \"3\": 1e+300}}"));
}

static void test_scratch_keeps_a_records_pointers_while_it_grows(void **state) {
    (void)state;
    for (int round = 0; round < 3; round++) {
        char *first = quipu__scratch_text(&scratch, "first", 5);
        uint32_t *large = quipu__scratch_sized(&scratch, 1000000, sizeof *large);
        assert_non_null(large);
        large[999999] = 1;
        assert_string_equal(first, "first");
        assert_int_equal(quipu_sized_count(first), 5);
        assert_int_equal(quipu_sized_count(large), 1000000);
        assert_true((uintptr_t)large % 8 == 0);
        quipu__scratch_reset(&scratch);
    }
}

static void test_scratch_does_not_allocate_once_it_is_large_enough(void **state) {
    (void)state;
    for (int i = 0; i < 10; i++, quipu__scratch_reset(&scratch))
        assert_non_null(quipu__scratch_sized(&scratch, 1000, 8));
    const uint64_t requests = memory.requests;
    for (int i = 0; i < 1000; i++, quipu__scratch_reset(&scratch))
        assert_non_null(quipu__scratch_sized(&scratch, 1000, 8));
    assert_true(memory.requests == requests);
}

static void test_scratch_refuses_what_cannot_be(void **state) {
    (void)state;
    assert_null(quipu__scratch_sized(&scratch, UINT32_MAX, SIZE_MAX / 16));
    assert_null(quipu__scratch_sized(&scratch, UINT32_MAX, 8)); /* beyond the memory limit */
}

static void test_labels_are_found_by_value(void **state) {
    (void)state;
    assert_string_equal(quipu_label_find(&colour, -1), "none");
    assert_string_equal(quipu_label_find(&colour, 7), "blue");
    assert_null(quipu_label_find(&colour, 4));
    assert_null(quipu_label_find(&i32, 4));
}

static void test_schema_fault_finds_what_is_wrong(void **state) {
    (void)state;
    char fault[200];
    assert_null(quipu__schema_fault(&schema, fault, sizeof fault));
    struct quipu_field broken[10];
    memcpy(broken, sample_fields, sizeof broken);
    struct quipu_record_type type = sample_type;
    struct quipu_schema other = {.name = "test", .types = &type, .type_count = 1};
    type.fields = broken;
    broken[1].name = "count";
    assert_string_equal(quipu__schema_fault(&other, fault, sizeof fault),
                        "sample.count has a name that is there twice");
    broken[1] = sample_fields[1];
    broken[1].offset = sizeof(struct sample) - 4;
    assert_string_equal(quipu__schema_fault(&other, fault, sizeof fault),
                        "sample.size lies outside its struct");
    broken[1] = sample_fields[1];
    broken[8].when = 9;
    assert_string_equal(quipu__schema_fault(&other, fault, sizeof fault),
                        "sample.extra depends on fields that come later");
}

static void test_schema_of_every_format_is_sound(void **state) {
    (void)state;
    char fault[200];
    for (size_t i = 0; i < quipu_format_count(); i++) {
        const struct quipu_format *format = quipu_format_at(i);
        const char *found = format->schema ? quipu__schema_fault(format->schema, fault, sizeof fault) : NULL;
        if (found)
            fail_msg("%s: %s", format->name, found);
    }
}

static void test_schema_page_names_every_type_and_field(void **state) {
    (void)state;
    const struct quipu_sink sink = {collect, printed};
    assert_int_equal(quipu_schema_write(&schema, false, sink, NULL), QUIPU_OK);
    assert_non_null(strstr(printed, "## sample\n\na sample. Number 5.\n"));
    assert_non_null(strstr(printed, "| extra | i32 | plain | a field. Only when rank equals root. |\n"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
QUIPU_TESTS(TEST(test_record_as_json), TEST(test_record_leaves_out_what_is_absent),
            TEST(test_values_of_any_type_print_as_they_are), TEST(test_record_as_text_has_labels),
            TEST(test_record_with_values), TEST(test_scratch_keeps_a_records_pointers_while_it_grows),
            TEST(test_scratch_does_not_allocate_once_it_is_large_enough),
            TEST(test_scratch_refuses_what_cannot_be), TEST(test_labels_are_found_by_value),
            TEST(test_schema_fault_finds_what_is_wrong), TEST(test_schema_of_every_format_is_sound),
            TEST(test_schema_page_names_every_type_and_field))
