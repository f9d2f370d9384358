/* test_rows.c: texts of rows: valid UTF-8, and one number for equal texts. */
#include "harness.h"

#include "relation/rows.h"

static void assert_utf8(const char *text, size_t len, const char *expected) {
    struct quipu__memory memory;
    struct quipu__buffer out;
    quipu__memory_init(&memory, NULL, 0);
    quipu__buffer_init(&out, &memory, 0);
    quipu__put_utf8(&out, text, len);
    assert_int_equal(out.len, strlen(expected));
    assert_memory_equal(out.data, expected, out.len);
    quipu__buffer_release(&out);
}

static void test_rows_replace_what_is_not_utf8(void **state) {
    (void)state;
    assert_utf8("plain", 5, "plain");
    assert_utf8("caf\xc3\xa9", 5, "caf\xc3\xa9");
    assert_utf8("a\xff"
                "b",
                3,
                "a\xef\xbf\xbd"
                "b");
    assert_utf8("\xc3", 1, "\xef\xbf\xbd");
    assert_utf8("\xed\xa0\x80", 3, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"); /* a surrogate */
}

static void assert_text(const struct quipu__texts *texts, int32_t number, const char *expected) {
    const size_t len = (size_t)(texts->ends[number + 1] - texts->ends[number]);
    assert_int_equal(len, strlen(expected));
    assert_memory_equal(texts->bytes + texts->ends[number], expected, len);
}

static void test_rows_dictionary_gives_equal_texts_one_number(void **state) {
    (void)state;
    struct quipu__memory memory;
    struct quipu__dictionary dictionary;
    quipu__memory_init(&memory, NULL, 0);
    quipu__dictionary_init(&dictionary, &memory);
    assert_int_equal(quipu__dictionary_find(&dictionary, 7), -1);
    assert_int_equal(quipu__dictionary_add(&dictionary, 7, "solve"), 0);
    assert_int_equal(quipu__dictionary_add(&dictionary, 8, ""), 1);
    assert_int_equal(quipu__dictionary_add(&dictionary, 9, "solve"), 0);
    assert_int_equal(quipu__dictionary_text(&dictionary, "", 0), 1);
    assert_int_equal(quipu__dictionary_find(&dictionary, 9), 0);
    struct quipu__texts *first = quipu__dictionary_texts(&dictionary),
                        *same = quipu__dictionary_texts(&dictionary);
    assert_ptr_equal(first, same);
    for (uint64_t key = 100; key < 1100; key++)
        assert_int_equal(quipu__dictionary_add(&dictionary, key, harness_text("text %d", (int)key)), key - 98);
    for (uint64_t key = 100; key < 1100; key++)
        assert_int_equal(quipu__dictionary_find(&dictionary, key), key - 98);
    struct quipu__texts *more = quipu__dictionary_texts(&dictionary);
    quipu__dictionary_release(&dictionary);
    assert_int_equal(first->count, 2); /* it stays as it was */
    assert_text(first, 0, "solve");
    assert_text(first, 1, "");
    assert_int_equal(more->count, 1002);
    assert_text(more, 1001, "text 1099");
    quipu__texts_release(first);
    quipu__texts_release(same);
    quipu__texts_release(more);
}

QUIPU_TESTS(cmocka_unit_test(test_rows_replace_what_is_not_utf8),
            cmocka_unit_test(test_rows_dictionary_gives_equal_texts_one_number))
