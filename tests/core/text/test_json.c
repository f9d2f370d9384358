/* test_json.c: nesting and separators of JSON. */
#include "harness.h"

#include "core/text/json.h"

static void test_json_nests_and_separates(void **state) {
    (void)state;
    struct quipu__memory memory;
    struct quipu__buffer out;
    quipu__memory_init(&memory, NULL, 0);
    quipu__buffer_init(&out, &memory, 0);
    struct quipu__json json = quipu__json_init(&out);
    quipu__json_open(&json, NULL, QUIPU__JSON_OBJECT);
    quipu__json_text(&json, "text", "a \"b\"");
    quipu__json_u64(&json, "unknown", QUIPU_UNKNOWN);
    quipu__json_open(&json, "lines", QUIPU__JSON_LINES);
    quipu__json_i64(&json, NULL, -1);
    quipu__json_bool(&json, NULL, true);
    quipu__json_close(&json);
    quipu__json_open(&json, "rows", QUIPU__JSON_ROWS);
    quipu__json_open(&json, NULL, QUIPU__JSON_LIST);
    quipu__json_u64(&json, NULL, 1);
    quipu__json_u64(&json, NULL, 2);
    quipu__json_close(&json);
    quipu__json_close(&json);
    quipu__json_open(&json, "empty", QUIPU__JSON_LINES);
    quipu__json_close(&json);
    quipu__json_close(&json);
    quipu__put_u8(&out, 0);
    assert_string_equal(
        (const char *)out.data,
        "{\"text\": \"a \\\"b\\\"\", \"unknown\": null, \"lines\": [\n-1,\ntrue], \"rows\": [\n  "
        "[1, 2]], \"empty\": []}\n");
    quipu__buffer_release(&out);
    assert_int_equal(memory.used, 0);
}

QUIPU_TESTS(cmocka_unit_test(test_json_nests_and_separates))
