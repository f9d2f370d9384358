/* test_output.c: files appear whole or not at all. */
#include "harness.h"

#include "core/files/input.h"
#include "core/files/output.h"

#include <unistd.h>

static struct quipu__memory memory;

static int set_up(void **state) {
    (void)state;
    quipu__memory_init(&memory, NULL, 0);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    return memory.used != 0;
}

static struct quipu__outputs *new_set(bool replace, uint32_t limit) {
    struct quipu__outputs *outputs;
    assert_int_equal(quipu__outputs_new(&memory, replace, limit, NULL, &outputs, NULL), QUIPU_OK);
    return outputs;
}

static struct quipu__file *add(struct quipu__outputs *outputs, const char *path) {
    struct quipu__file *file;
    struct quipu_error err = QUIPU_ERROR_INIT;
    assert_int_equal(quipu__outputs_add(outputs, path, 0, &file, &err), QUIPU_OK);
    return file;
}

/* Names in a folder, temporary ones included. */
static int count_files(const char *folder) {
    return atoi(harness_run("ls -A '%s' | wc -l", folder).out);
}

static void test_output_appears_only_at_commit(void **state) {
    (void)state;
    const char *folder = harness_folder(), *path = harness_text("%s/a", folder);
    struct quipu__outputs *outputs = new_set(false, 0);
    assert_int_equal(quipu__file_write(add(outputs, path), "hello", 5, NULL), QUIPU_OK);
    assert_false(harness_exists(path));
    assert_int_equal(quipu__outputs_commit(outputs, NULL), QUIPU_OK);
    assert_string_equal(harness_read(path, NULL), "hello");
    assert_int_equal(count_files(folder), 1);
}

static void test_output_discard_leaves_nothing(void **state) {
    (void)state;
    const char *folder = harness_folder();
    struct quipu__outputs *outputs = new_set(false, 0);
    struct quipu__file *file = add(outputs, harness_text("%s/a", folder));
    char *data = calloc(1, 3 << 20);
    assert_int_equal(quipu__file_write(file, data, 3 << 20, NULL), QUIPU_OK);
    assert_int_equal(count_files(folder), 1);
    quipu__outputs_discard(outputs);
    assert_int_equal(count_files(folder), 0);
    free(data);
}

static void test_output_never_overwrites_unless_told(void **state) {
    (void)state;
    const char *path = harness_text("%s/a", harness_folder());
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu__file *file;
    harness_write(path, "old", 3);
    struct quipu__outputs *outputs = new_set(false, 0);
    assert_int_equal(quipu__outputs_add(outputs, path, 0, &file, &err), QUIPU_EXISTS);
    assert_string_equal(err.path, path);
    assert_non_null(strstr(err.message, "--force"));
    quipu__outputs_discard(outputs);
    assert_string_equal(harness_read(path, NULL), "old");

    outputs = new_set(true, 0);
    assert_int_equal(quipu__file_write(add(outputs, path), "new", 3, NULL), QUIPU_OK);
    assert_string_equal(harness_read(path, NULL), "old");
    assert_int_equal(quipu__outputs_commit(outputs, NULL), QUIPU_OK);
    assert_string_equal(harness_read(path, NULL), "new");
}

static void test_output_empty_files_come_into_being(void **state) {
    (void)state;
    const char *path = harness_text("%s/empty", harness_folder());
    struct quipu__outputs *outputs = new_set(false, 0);
    add(outputs, path);
    assert_int_equal(quipu__outputs_commit(outputs, NULL), QUIPU_OK);
    assert_string_equal(harness_read(path, NULL), "");
}

static void test_output_many_files_with_few_descriptors(void **state) {
    (void)state;
    const char *folder = harness_folder();
    struct quipu__outputs *outputs = new_set(false, 3);
    struct quipu__file *files[100];
    static char block[40000];
    memset(block, 'x', sizeof block);
    for (int i = 0; i < 100; i++)
        files[i] = add(outputs, harness_text("%s/%d", folder, i));
    for (int round = 0; round < 60; round++)
        for (int i = 0; i < 100; i++)
            assert_int_equal(quipu__file_write(files[i], block, sizeof block, NULL), QUIPU_OK);
    assert_int_equal(quipu__outputs_commit(outputs, NULL), QUIPU_OK);
    for (int i = 0; i < 100; i += 33) {
        size_t size;
        harness_read(harness_text("%s/%d", folder, i), &size);
        assert_int_equal(size, 60 * sizeof block);
    }
    assert_int_equal(count_files(folder), 100);
}

static void test_output_beginning_can_be_put_over(void **state) {
    const char *path = harness_text("%s/head", harness_folder());
    struct quipu__outputs *outputs = new_set(false, 0);
    struct quipu__file *file = add(outputs, path);
    (void)state;
    assert_int_equal(quipu__file_write(file, "0000 lines\n", 11, NULL), QUIPU_OK);
    assert_int_equal(quipu__file_overwrite(file, 0, "0012", 4, NULL), QUIPU_OK);
    assert_int_equal(quipu__file_write(file, "more\n", 5, NULL), QUIPU_OK);
    assert_int_equal(quipu__outputs_commit(outputs, NULL), QUIPU_OK);
    assert_string_equal(harness_read(path, NULL), "0012 lines\nmore\n");
}

/* A quarter of the memory is for buffers of 16 KiB at least: 16 of them here, and 100 files that are written in rotation. */
static void test_output_many_files_share_little_memory(void **state) {
    enum { FILES = 100, ROUNDS = 50 };
    const char *folder = harness_folder();
    struct quipu__memory small;
    struct quipu__outputs *outputs;
    struct quipu__file *files[FILES];
    (void)state;
    quipu__memory_init(&small, NULL, 1 << 20);
    assert_int_equal(quipu__outputs_new(&small, false, 0, NULL, &outputs, NULL), QUIPU_OK);
    for (int i = 0; i < FILES; i++)
        assert_int_equal(quipu__outputs_add(outputs, harness_text("%s/%d", folder, i), 0, &files[i], NULL),
                         QUIPU_OK);
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < FILES; i++)
            assert_int_equal(quipu__file_write(files[i], &(char){(char)(round + i)}, 1, NULL), QUIPU_OK);
    assert_int_equal(quipu__file_overwrite(files[7], 3, "x", 1, NULL), QUIPU_OK);
    assert_int_equal(quipu__outputs_commit(outputs, NULL), QUIPU_OK);
    for (int i = 0; i < FILES; i++) {
        size_t size;
        const char *text = harness_read(harness_text("%s/%d", folder, i), &size);
        assert_int_equal(size, ROUNDS);
        for (int round = 0; round < ROUNDS; round++)
            assert_int_equal(text[round], i == 7 && round == 3 ? 'x' : (char)(round + i));
    }
}

/* What has been written already, and what waits in the buffer, which is a MiB at most. */
static void test_output_middle_can_be_put_over(void **state) {
    enum { SIZE = 3 << 20, OLD = 1 << 20, NEW = SIZE - 2 };
    const char *path = harness_text("%s/middle", harness_folder());
    struct quipu__outputs *outputs = new_set(false, 0);
    struct quipu__file *file = add(outputs, path);
    char *zeros = calloc(SIZE, 1);
    size_t size = 0;
    (void)state;
    assert_non_null(zeros);
    assert_int_equal(quipu__file_write(file, zeros, SIZE - 3, NULL), QUIPU_OK);
    assert_int_equal(quipu__file_write(file, zeros, 3, NULL), QUIPU_OK);
    assert_int_equal(quipu__file_overwrite(file, OLD, "ab", 2, NULL), QUIPU_OK);
    assert_int_equal(quipu__file_overwrite(file, NEW, "cd", 2, NULL), QUIPU_OK);
    assert_int_equal(quipu__outputs_commit(outputs, NULL), QUIPU_OK);
    const char *text = harness_read(path, &size);
    assert_int_equal(size, SIZE);
    memcpy(zeros + OLD, "ab", 2);
    memcpy(zeros + NEW, "cd", 2);
    assert_memory_equal(text, zeros, SIZE);
    free(zeros);
}

static void test_output_beginning_of_a_device_cannot_be_put_over(void **state) {
    struct quipu__outputs *outputs = new_set(false, 0);
    struct quipu__file *file = add(outputs, "/dev/null");
    struct quipu_error err = QUIPU_ERROR_INIT;
    (void)state;
    assert_int_equal(quipu__file_write(file, "0000", 4, NULL), QUIPU_OK);
    assert_int_equal(quipu__file_overwrite(file, 0, "0012", 4, &err), QUIPU_OUTPUT);
    quipu__outputs_discard(outputs);
}

static void test_output_full_disk_is_an_error_that_names_the_file(void **state) {
    (void)state;
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu__outputs *outputs = new_set(false, 0);
    assert_int_equal(quipu__file_write(add(outputs, "/dev/full"), "x", 1, &err), QUIPU_OK);
    assert_int_equal(quipu__outputs_commit(outputs, &err), QUIPU_OUTPUT);
    assert_string_equal(err.path, "/dev/full");
    assert_non_null(strstr(err.message, "No space left"));
}

static void test_output_missing_folder_is_an_error(void **state) {
    (void)state;
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu__outputs *outputs = new_set(false, 0);
    add(outputs, harness_text("%s/none/a", harness_folder()));
    assert_int_equal(quipu__outputs_commit(outputs, &err), QUIPU_OUTPUT);
}

static void test_output_compressed_file_reads_back(void **state) {
    (void)state;
    const char *path = harness_text("%s/a.z", harness_folder());
    struct quipu__outputs *outputs = new_set(false, 0);
    struct quipu__file *file;
    assert_int_equal(quipu__outputs_add(outputs, path, 6, &file, NULL), QUIPU_OK);
    for (int i = 0; i < 200000; i++)
        assert_int_equal(quipu__file_write(file, "0123456789", 10, NULL), QUIPU_OK);
    assert_int_equal(quipu__file_size(file), 2000000);
    assert_int_equal(quipu__outputs_commit(outputs, NULL), QUIPU_OK);

    struct quipu__files files;
    struct quipu__input *input;
    uint64_t got = 0;
    quipu__files_init(&files, &memory, 0);
    assert_int_equal(quipu__input_open(&files, path, QUIPU__CODEC_ZLIB, 0, &input, NULL), QUIPU_OK);
    assert_true(input->size < 20000);
    for (; quipu__input_more(input, 10, NULL) == QUIPU_OK && input->at < input->end; got += 10, input->at += 10)
        assert_memory_equal(input->at, "0123456789", 10);
    assert_int_equal(got, 2000000);
    assert_false(input->damaged);
    quipu__input_close(input);
    quipu__files_release(&files);
}

static void test_output_public_sink(void **state) {
    (void)state;
    const char *path = harness_text("%s/table.csv", harness_folder());
    struct quipu_output *output;
    assert_int_equal(quipu_output_open(path, false, NULL, &output, NULL), QUIPU_OK);
    const struct quipu_sink sink = quipu_output_sink(output);
    assert_int_equal(sink.write(sink.context, "a,b\n", 4, NULL), QUIPU_OK);
    assert_int_equal(quipu_output_close(output, NULL), QUIPU_OK);
    assert_string_equal(harness_read(path, NULL), "a,b\n");
}

static void test_output_does_not_replace_what_appears_meanwhile(void **state) {
    (void)state;
    const char *folder = harness_folder(), *path = harness_text("%s/b", folder);
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu__outputs *outputs = new_set(false, 0);
    add(outputs, harness_text("%s/a", folder));
    add(outputs, path);
    harness_write(path, "other", 5);
    assert_int_equal(quipu__outputs_commit(outputs, &err), QUIPU_EXISTS);
    assert_string_equal(err.path, path);
    assert_string_equal(harness_read(path, NULL), "other");
    assert_int_equal(count_files(folder), 1);
}

static void test_output_does_not_replace_protected_files(void **state) {
    (void)state;
    const char *folder = harness_folder(), *input = harness_text("%s/input", folder);
    const char *link = harness_text("%s/link", folder);
    struct quipu__outputs *outputs = new_set(true, 0);
    struct quipu__file *file;
    struct quipu_error err = QUIPU_ERROR_INIT;
    harness_write(input, "input", 5);
    assert_int_equal(symlink("input", link), 0);
    assert_int_equal(quipu__outputs_protect(outputs, input, NULL), QUIPU_OK);
    assert_int_equal(quipu__outputs_add(outputs, input, 0, &file, &err), QUIPU_MISUSE);
    assert_string_equal(err.path, input);
    assert_int_equal(quipu__outputs_add(outputs, link, 0, &file, NULL), QUIPU_MISUSE);
    assert_int_equal(quipu__outputs_remove(outputs, link, NULL), QUIPU_OK);
    add(outputs, harness_text("%s/a", folder));
    assert_int_equal(quipu__outputs_add(outputs, harness_text("%s/./a", folder), 0, &file, NULL), QUIPU_MISUSE);
    assert_int_equal(quipu__outputs_commit(outputs, NULL), QUIPU_OK);
    assert_string_equal(harness_read(link, NULL), "input");
    assert_int_equal(count_files(folder), 3);
}

/* Whether an input is opened before or after the output makes no difference. */
static void test_output_does_not_replace_files_that_are_protected_later(void **state) {
    (void)state;
    const char *path = harness_text("%s/a", harness_folder());
    struct quipu_guard *guard;
    struct quipu_output *output;
    harness_write(path, "input", 5);
    assert_int_equal(quipu_guard_new(&guard, NULL), QUIPU_OK);
    assert_int_equal(quipu_output_open(path, true, guard, &output, NULL), QUIPU_OK);
    assert_int_equal(quipu_guard_protect(guard, path, NULL), QUIPU_OK);
    assert_int_equal(quipu_output_close(output, NULL), QUIPU_MISUSE);
    assert_string_equal(harness_read(path, NULL), "input");
    quipu_guard_free(guard);
}

/* What a handler of a signal does. */
static void test_output_temporaries_can_be_removed_at_any_time(void **state) {
    (void)state;
    const char *folder = harness_folder();
    struct quipu_guard *guard;
    struct quipu_output *outputs[3];
    assert_int_equal(quipu_guard_new(&guard, NULL), QUIPU_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(quipu_output_open(harness_text("%s/%d", folder, i), false, guard, &outputs[i], NULL),
                         QUIPU_OK);
        const struct quipu_sink sink = quipu_output_sink(outputs[i]);
        for (int k = 0; k < 300; k++)
            assert_int_equal(sink.write(sink.context, folder, strlen(folder), NULL), QUIPU_OK);
    }
    static char much[2 << 20];
    const struct quipu_sink sink = quipu_output_sink(outputs[2]);
    assert_int_equal(sink.write(sink.context, much, sizeof much, NULL), QUIPU_OK);
    quipu_output_discard(outputs[1]);
    assert_int_equal(count_files(folder), 1);
    assert_true(quipu_guard_remove_temporaries(guard));
    assert_int_equal(count_files(folder), 0);
    quipu_output_discard(outputs[0]);
    quipu_output_discard(outputs[2]);
    quipu_guard_free(guard);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
/* Folders that were made go too; what is in one beside the set stays, and so does the folder. */
static void test_output_folders_can_be_removed_at_any_time(void **state) {
    (void)state;
    static char much[2 << 20];
    const char *root = harness_text("%s/t", harness_folder()), *below = harness_text("%s/a/b", root);
    struct quipu__outputs *outputs;
    struct quipu__file *file;
    struct quipu_guard *guard;
    for (int is_shared = 0; is_shared < 2; is_shared++) {
        assert_int_equal(quipu_guard_new(&guard, NULL), QUIPU_OK);
        assert_int_equal(quipu__outputs_new(&memory, false, 0, guard, &outputs, NULL), QUIPU_OK);
        assert_int_equal(quipu__outputs_begin_folder(outputs, root, NULL), QUIPU_OK);
        assert_int_equal(quipu__outputs_make_folder(outputs, below, NULL), QUIPU_OK);
        assert_int_equal(quipu__outputs_add(outputs, harness_text("%s/x", below), 0, &file, NULL), QUIPU_OK);
        assert_int_equal(quipu__file_write(file, much, sizeof much, NULL), QUIPU_OK);
        if (is_shared)
            harness_write(harness_text("%s/a/other", root), "", 0);
        assert_true(quipu_guard_remove_temporaries(guard));
        assert_int_equal(harness_exists(root), is_shared);
        assert_false(harness_exists(below));
        quipu__outputs_discard(outputs);
        quipu_guard_free(guard);
    }
    assert_true(harness_exists(harness_text("%s/a/other", root)));
}

QUIPU_TESTS(TEST(test_output_appears_only_at_commit), TEST(test_output_discard_leaves_nothing),
            TEST(test_output_never_overwrites_unless_told), TEST(test_output_empty_files_come_into_being),
            TEST(test_output_many_files_with_few_descriptors), TEST(test_output_beginning_can_be_put_over),
            TEST(test_output_middle_can_be_put_over), TEST(test_output_many_files_share_little_memory),
            TEST(test_output_beginning_of_a_device_cannot_be_put_over),
            TEST(test_output_full_disk_is_an_error_that_names_the_file),
            TEST(test_output_missing_folder_is_an_error), TEST(test_output_compressed_file_reads_back),
            TEST(test_output_public_sink), TEST(test_output_does_not_replace_what_appears_meanwhile),
            TEST(test_output_does_not_replace_protected_files),
            TEST(test_output_does_not_replace_files_that_are_protected_later),
            TEST(test_output_temporaries_can_be_removed_at_any_time),
            TEST(test_output_folders_can_be_removed_at_any_time))
