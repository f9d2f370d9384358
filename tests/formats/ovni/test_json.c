/* test_json.c: metadata are read as jansson reads them, but for integers beyond 64 bits, which become reals; and what its values take is
 * charged to the gate before they are made. */
#include "harness.h"

#include "formats/ovni/json.h"

#include <malloc.h>
#include <string.h>

enum { MUTATIONS = 20000 };

static const char *const texts[] = {
    "{}",
    "{ }",
    "{\"a\": 1}",
    "{\"a\": [1, 2.5, -3e2, 0.0, -0]}",
    "{\"a\": {\"b\": {\"c\": [[], [[]]]}}, \"d\": null}",
    "{\"a\": \"\\u00e9\\ud83d\\ude00\\n\\t\\\\\\\"\\/\\b\\f\\r\"}",
    "{\"\\u0041\": true, \"B\": false}",
    "{} trailing",
    "{\"a\": 01}",
    "{\"a\": 1.}",
    "{\"a\": .5}",
    "{\"a\": 1e}",
    "{\"a\": 1e400}",
    "{\"a\": 1e-400}",
    "{\"a\": -}",
    "{\"a\": +1}",
    "{\"a\": 123456789012345678901234567890}",
    "{\"a\": \"\\ud800\"}",
    "{\"a\": \"\\udc00\"}",
    "{\"a\": \"\\ud800\\u0041\"}",
    "{\"a\": \"\\u0000\"}",
    "{\"a\": \"\\x\"}",
    "{\"a\": \"\n\"}",
    "{\"a\": \"unfinished",
    "{\"a\": 1,}",
    "{\"a\": [1,]}",
    "{,}",
    "[]",
    "",
    "{\"a\" 1}",
    "{\"a\":}",
    "{a: 1}",
    "{\"a\": 1, \"a\": 2}",
    "{\"a\": truE}",
    "{\"a\": nulll}",
    "{\"a\": 1 2}",
    "{\"a\": 0x10}",
    "\xef\xbb\xbf{}",
    "\"text\"",
    "  \t\r\n{ \"a\" : [ ] } ",
    "{\"a\": [1 2]}",
    "{\"a\": tru",
    "{\"a\": \"\\u12",
    "{\"a\": [",
};

static json_t *read_by_jansson(const char *text, size_t len) {
    json_error_t trouble;
    const size_t flags = JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK;
    json_t *value = json_loadb(text, len, flags, &trouble);
    if (!value && json_error_code(&trouble) == json_error_numeric_overflow)
        value = json_loadb(text, len, flags | JSON_DECODE_INT_AS_REAL, &trouble);
    if (value && json_is_object(value))
        return value;
    json_decref(value);
    return NULL;
}

static void assert_read_alike(const char *text, size_t len) {
    struct quipu__memory memory;
    json_t *value;
    quipu__memory_init(&memory, NULL, 0);
    struct quipu__charge charge = {.memory = &memory};
    const enum quipu_status status = quipu__ovni_json_read(&charge, text, len, &value, NULL);
    json_t *expected = read_by_jansson(text, len);
    if ((value != NULL) != (expected != NULL) || (value && !json_equal(value, expected)))
        fail_msg("read in another way than jansson does: %.*s", (int)len, text);
    assert_int_equal(status, value ? QUIPU_OK : QUIPU_CORRUPT);
    assert_true(value || charge.bytes == 0);
    json_decref(value);
    json_decref(expected);
    quipu__charge_release(&charge);
    assert_int_equal(memory.used, 0);
}

static void test_json_is_read_as_jansson_does(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_read_alike(texts[i], strlen(texts[i]));
}

static uint32_t next(uint32_t *dice) {
    *dice = *dice * 1664525 + 1013904223;
    return *dice >> 8;
}

/* Bytes stay ASCII: what is no UTF-8 is replaced before. */
static void test_json_that_is_damaged_is_read_as_jansson_does(void **state) {
    static const char likely[] = "{}[]\",:\\u0123456789-+.eE \ntrufalsnd/";
    uint32_t dice = 7;
    char text[128];
    (void)state;
    for (int i = 0; i < MUTATIONS; i++) {
        const char *origin = texts[next(&dice) % 8];
        const size_t len = strlen(origin);
        memcpy(text, origin, len + 1);
        for (uint32_t changes = next(&dice) % 4; changes > 0; changes--)
            text[next(&dice) % len] = likely[next(&dice) % (sizeof likely - 1)];
        assert_read_alike(text, next(&dice) % 4 ? len : next(&dice) % (len + 1));
    }
}

static void fill(struct quipu__buffer *out, const char *begin, const char *item, int count, const char *end) {
    out->len = 0;
    quipu__put_text(out, begin);
    for (int i = 0; i < count; i++)
        quipu__put_format(out, item, i, i);
    quipu__put_text(out, end);
}

static size_t taken_from_malloc(void) {
    const struct mallinfo2 taken = mallinfo2();
    return taken.uordblks + taken.hblkhd;
}

static void test_json_values_are_charged_with_what_they_take(void **state) {
    static const char *const shapes[][3] = {
        {"{\"a\": [0", ", []", "]}"},       {"{\"a\": [0", ", {}", "]}"},
        {"{\"a\": [0", ", %d", "]}"},       {"{\"a\": [0", ", \"x\"", "]}"},
        {"{\"a\": [0", ", true", "]}"},     {"{\"a\": 0", ", \"%d\": null", "}"},
        {"{\"a\": 0", ", \"%d\": %d", "}"}, {"{\"a\": [0", ", {\"b\": 1}", "]}"}};
    struct quipu__memory memory;
    struct quipu__buffer text;
    (void)state;
    quipu__memory_init(&memory, NULL, 0);
    quipu__buffer_init(&text, &memory, 0);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct quipu__charge charge = {.memory = &memory};
        json_t *value;
        fill(&text, shapes[i][0], shapes[i][1], 20000, shapes[i][2]);
        const size_t before = taken_from_malloc();
        assert_int_equal(quipu__ovni_json_read(&charge, (const char *)text.data, text.len, &value, NULL),
                         QUIPU_OK);
        const size_t blocks = charge.bytes + charge.room, taken = taken_from_malloc() - before;
        if (taken >
            blocks) /* else the allocator is one that does not tell, as those of sanitizers; it adds a little to the blocks, too */
            assert_true(taken - blocks - blocks / 100 <= charge.bytes);
        json_decref(value);
        quipu__charge_release(&charge);
    }
    quipu__buffer_release(&text);
    assert_int_equal(memory.used, 0);
}

static void test_json_that_takes_more_than_the_gate_gives_is_no_damage(void **state) {
    struct quipu__memory memory, small;
    struct quipu__buffer text;
    json_t *value;
    (void)state;
    quipu__memory_init(&memory, NULL, 0);
    quipu__memory_init(&small, NULL, 1 << 20);
    quipu__buffer_init(&text, &memory, 0);
    fill(&text, "{\"a\": [0", ", []", 50000, "]}"); /* 200 KB of text, 7 MB of lists */
    struct quipu__charge charge = {.memory = &small};
    assert_int_equal(quipu__ovni_json_parse(&charge, text.data, text.len, &value, NULL), QUIPU_NO_MEMORY);
    assert_null(value);
    assert_int_equal(charge.bytes, 0);
    quipu__charge_release(&charge);
    assert_int_equal(small.used, 0);
    quipu__buffer_release(&text);
}

static void test_json_deeper_than_jansson_reads_is_refused(void **state) {
    char text[8200];
    (void)state;
    memcpy(text, "{\"a\":", 5);
    memset(text + 5, '[', 2047);
    memset(text + 5 + 2047, ']', 2047);
    text[5 + 2 * 2047] = '}';
    assert_read_alike(text, 6 + 2 * 2047);
    memset(text + 5, '[', 2048);
    memset(text + 5 + 2048, ']', 2048);
    text[5 + 2 * 2048] = '}';
    assert_read_alike(text, 6 + 2 * 2048);
}

QUIPU_TESTS(cmocka_unit_test(test_json_is_read_as_jansson_does),
            cmocka_unit_test(test_json_that_is_damaged_is_read_as_jansson_does),
            cmocka_unit_test(test_json_values_are_charged_with_what_they_take),
            cmocka_unit_test(test_json_that_takes_more_than_the_gate_gives_is_no_damage),
            cmocka_unit_test(test_json_deeper_than_jansson_reads_is_refused))
