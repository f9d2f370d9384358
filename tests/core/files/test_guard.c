/* test_guard.c: taken files are known by what they are and not by their paths, names by their folder. */
#include "harness.h"

#include "core/files/output_set.h"

#include <unistd.h>

static struct quipu__memory memory;
static struct quipu__map taken;
static const char *folder;

static int set_up(void **state) {
    (void)state;
    quipu__memory_init(&memory, NULL, 0);
    quipu__map_init(&taken, &memory);
    folder = harness_folder();
    harness_write(harness_text("%s/one", folder), "1", 1);
    harness_write(harness_text("%s/two", folder), "2", 1);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    quipu__map_release(&taken);
    return memory.used != 0;
}

static const char *in_folder(const char *name) {
    return harness_text("%s/%s", folder, name);
}

static void test_guard_taken_file_is_known_by_any_path(void **state) {
    (void)state;
    assert_true(quipu__taken_add_file(&taken, in_folder("one")));
    assert_int_equal(link(in_folder("one"), in_folder("hard")), 0);
    assert_int_equal(symlink("one", in_folder("soft")), 0);
    assert_true(quipu__taken_has_file(&taken, in_folder("one")));
    assert_true(quipu__taken_has_file(&taken, in_folder("./one")));
    assert_true(quipu__taken_has_file(&taken, in_folder("hard")));
    assert_true(quipu__taken_has_file(&taken, in_folder("soft")));
    assert_false(quipu__taken_has_file(&taken, in_folder("two")));
    assert_false(quipu__taken_has_file(&taken, in_folder("missing")));
}

static void test_guard_taken_adds_regular_files_only(void **state) {
    (void)state;
    assert_true(quipu__taken_add_file(&taken, folder));
    assert_true(quipu__taken_add_file(&taken, in_folder("missing")));
    assert_false(quipu__taken_has_file(&taken, folder));
    assert_int_equal(taken.count, 0);
}

static void test_guard_taken_name_need_not_lead_to_anything(void **state) {
    (void)state;
    assert_false(quipu__taken_has_name(&taken, in_folder("later")));
    assert_true(quipu__taken_set_name(&taken, in_folder("later"), true));
    assert_int_equal(symlink(".", in_folder("again")), 0);
    assert_true(quipu__taken_has_name(&taken, in_folder("later")));
    assert_true(quipu__taken_has_name(&taken, in_folder("again/later")));
    assert_false(quipu__taken_has_name(&taken, in_folder("other")));
    assert_false(quipu__taken_has_file(&taken, in_folder("later")));
    assert_true(quipu__taken_set_name(&taken, in_folder("again/later"), false));
    assert_false(quipu__taken_has_name(&taken, in_folder("later")));
}

static void test_guard_taken_knows_each_once(void **state) {
    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_true(quipu__taken_add_file(&taken, in_folder("one")));
        assert_true(quipu__taken_set_name(&taken, in_folder("one"), true));
    }
    assert_int_equal(taken.count, 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
QUIPU_TESTS(TEST(test_guard_taken_file_is_known_by_any_path), TEST(test_guard_taken_adds_regular_files_only),
            TEST(test_guard_taken_name_need_not_lead_to_anything), TEST(test_guard_taken_knows_each_once))
