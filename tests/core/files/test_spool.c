/* test_spool.c: copies in one temporary file, found by path, up to a limit. */
#include "harness.h"

#include "core/files/input_state.h"

#include <stdlib.h>

static struct quipu__memory memory;

static int set_up(void **state) {
    (void)state;
    quipu__memory_init(&memory, NULL, 0);
    return setenv("TMPDIR", harness_folder(), 1);
}

static int tear_down(void **state) {
    (void)state;
    return memory.used != 0;
}

static uint32_t copy_of(struct quipu__spool *spool, const char *path, bool is_decoded, const char *text) {
    const uint32_t copy = quipu__spool_begin(spool, path, is_decoded);
    assert_int_not_equal(copy, QUIPU_NONE);
    assert_int_equal(quipu__spool_add(spool, text, strlen(text), NULL), QUIPU_OK);
    spool->copies.items[copy].is_complete = true;
    return copy;
}

static void assert_holds(const struct quipu__spool *spool, uint32_t copy, uint64_t offset,
                         const char *expected) {
    char text[64];
    assert_int_equal(quipu__spool_read(spool, &spool->copies.items[copy], offset, text, sizeof text),
                     strlen(expected));
    assert_memory_equal(text, expected, strlen(expected));
}

static void test_spool_keeps_copies_apart(void **state) {
    (void)state;
    struct quipu__spool *spool = quipu__spool_new(&memory, 0);
    const uint32_t first = copy_of(spool, "a", true, "first"), second = copy_of(spool, "b", true, "the second"),
                   third = copy_of(spool, "a", false, "");
    assert_int_equal(quipu__spool_find(spool, "a", true), first);
    assert_int_equal(quipu__spool_find(spool, "b", true), second);
    assert_int_equal(quipu__spool_find(spool, "a", false), third);
    assert_int_equal(quipu__spool_find(spool, "b", false), QUIPU_NONE);
    assert_holds(spool, first, 0, "first");
    assert_holds(spool, first, 3, "st");
    assert_holds(spool, first, 5, "");
    assert_holds(spool, second, 4, "second");
    assert_holds(spool, third, 0, "");
    quipu__spool_free(spool);
}

static void test_spool_finds_the_newest_of_many(void **state) {
    (void)state;
    struct quipu__spool *spool = quipu__spool_new(&memory, 0);
    for (int i = 0; i < 1000; i++)
        copy_of(spool, harness_text("%d", i % 500), true, harness_text("%d", i));
    for (int i = 0; i < 500; i++)
        assert_holds(spool, quipu__spool_find(spool, harness_text("%d", i), true), 0,
                     harness_text("%d", i + 500));
    quipu__spool_free(spool);
}

static void test_spool_takes_no_more_than_its_limit(void **state) {
    (void)state;
    struct quipu__spool *spool = quipu__spool_new(&memory, 8);
    struct quipu_error err = QUIPU_ERROR_INIT;
    copy_of(spool, "a", true, "12345");
    copy_of(spool, "b", true, "678");
    assert_int_equal(quipu__spool_begin(spool, "c", true), 2);
    assert_int_equal(quipu__spool_add(spool, "9", 1, &err), QUIPU_LIMIT);
    assert_non_null(strstr(err.message, "would need more than 8 bytes"));
    assert_string_equal(err.path, "c");
    assert_non_null(strstr(err.advice, "TMPDIR"));
    quipu__spool_free(spool);
}

static void test_spool_says_where_it_cannot_write(void **state) {
    (void)state;
    struct quipu__spool *spool = quipu__spool_new(&memory, 0);
    struct quipu_error err = QUIPU_ERROR_INIT;
    setenv("TMPDIR", "/no/such/folder", 1);
    assert_int_equal(quipu__spool_begin(spool, "-", false), 0);
    assert_int_equal(quipu__spool_add(spool, "1", 1, &err), QUIPU_LIMIT);
    assert_non_null(strstr(err.message, "the temporary file in /no/such/folder cannot be made"));
    quipu__spool_free(spool);
}

QUIPU_TESTS(cmocka_unit_test_setup_teardown(test_spool_keeps_copies_apart, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_spool_finds_the_newest_of_many, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_spool_takes_no_more_than_its_limit, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_spool_says_where_it_cannot_write, set_up, tear_down))
