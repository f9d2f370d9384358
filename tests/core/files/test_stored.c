/* test_stored.c: names that stand for compressed files. */
#include "harness.h"

#include "core/files/stored.h"

#include <stdio.h>

static const char *folder;

static int set_up(void **state) {
    (void)state;
    folder = harness_folder();
    return 0;
}

static const char *in_folder(const char *name) {
    return harness_text("%s/%s", folder, name);
}

static void test_stored_len_leaves_out_the_suffix_of_a_compressor(void **state) {
    (void)state;
    assert_int_equal(quipu__stored_len("a.bin"), 5);
    assert_int_equal(quipu__stored_len("a.bin.gz"), 5);
    assert_int_equal(quipu__stored_len("folder/a.zst"), 8);
    assert_int_equal(quipu__stored_len("a.gz.zst"), 4);
    assert_int_equal(quipu__stored_len(""), 0);
}

static void assert_found(const char *name, const char *expected, enum quipu__path_kind kind, uint64_t size) {
    char found[QUIPU__STORED_PATH_BYTES];
    uint64_t bytes = 0;
    assert_int_equal(quipu__stored_find(in_folder(name), found, &bytes), kind);
    assert_string_equal(found, in_folder(expected));
    assert_int_equal(bytes, size);
    assert_int_equal(quipu__stored_find(in_folder(name), NULL, NULL), kind);
}

static void test_stored_find_prefers_the_plain_file(void **state) {
    (void)state;
    harness_write(in_folder("both"), "plain", 5);
    harness_write(in_folder("both.gz"), "1234567", 7);
    harness_write(in_folder("one.gz"), "123", 3);
    harness_write(in_folder("two.zst"), "12", 2);
    assert_found("both", "both", QUIPU__PATH_FILE, 5);
    assert_found("one", "one.gz", QUIPU__PATH_FILE, 3);
    assert_found("two", "two.zst", QUIPU__PATH_FILE, 2);
    assert_found("two.zst", "two.zst", QUIPU__PATH_FILE, 2);
    assert_found("none", "none", QUIPU__PATH_MISSING, QUIPU_UNKNOWN);
}

static enum quipu_status add_name(void *context, const char *name) {
    char *list = context;
    snprintf(list + strlen(list), 100 - strlen(list), "%s ", name);
    return QUIPU_OK;
}

static void test_stored_visit_gives_each_name_once(void **state) {
    (void)state;
    struct quipu__memory memory;
    char names[100] = "";
    quipu__memory_init(&memory, NULL, 0);
    harness_write(in_folder("both"), "", 0);
    harness_write(in_folder("both.gz"), "", 0);
    harness_write(in_folder("packed.gz"), "", 0);
    harness_write(in_folder("packed.zst"), "", 0);
    harness_write(in_folder("plain"), "", 0);
    assert_int_equal(quipu__stored_visit(&memory, folder, add_name, names, NULL), QUIPU_OK);
    assert_string_equal(names, "both packed plain ");
    assert_int_equal(memory.used, 0);
}

QUIPU_TESTS(cmocka_unit_test(test_stored_len_leaves_out_the_suffix_of_a_compressor),
            cmocka_unit_test_setup(test_stored_find_prefers_the_plain_file, set_up),
            cmocka_unit_test_setup(test_stored_visit_gives_each_name_once, set_up))
