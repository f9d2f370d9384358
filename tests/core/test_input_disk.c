/* test_input_disk.c: the pool of open files, and paths that lead to no file. */
#include "core/inputs.h"

#include "core/os.h"

static void test_input_disk_pool_keeps_to_its_number_of_files(void **state) {
    (void)state;
    struct quipu__input *inputs[5];
    const char *path = file_of("plain", bytes, SIZE);
    for (int i = 0; i < 5; i++)
        inputs[i] = open_input(path, QUIPU__CODEC_NONE);
    assert_int_equal(files.open, 2);
    for (size_t got = 0; got < SIZE; got += 3000)
        for (int i = 0; i < 5; i++) {
            assert_int_equal(quipu__input_more(inputs[i], 3000, NULL), QUIPU_OK);
            assert_memory_equal(inputs[i]->at, bytes + got, 3000);
            inputs[i]->at += 3000;
            assert_true(files.open <= 2);
        }
    for (int i = 0; i < 5; i++)
        quipu__input_close(inputs[i]);
}

static void test_input_disk_says_which_file_is_missing(void **state) {
    (void)state;
    struct quipu__input *input = (struct quipu__input *)&files;
    struct quipu_error err = QUIPU_ERROR_INIT;
    assert_int_equal(quipu__input_open(&files, "/nowhere/x.otf", QUIPU__CODEC_DETECT, 0, &input, &err),
                     QUIPU_NOT_FOUND);
    assert_null(input);
    assert_string_equal(err.path, "/nowhere/x.otf");
    assert_non_null(strstr(err.message, "No such file"));
}

static void test_input_disk_says_which_path_is_a_folder(void **state) {
    (void)state;
    struct quipu__input *input;
    struct quipu_error err = QUIPU_ERROR_INIT;
    const char *folder = harness_folder();
    assert_int_equal(quipu__input_open(&files, folder, QUIPU__CODEC_DETECT, 0, &input, &err), QUIPU_IO);
    assert_null(input);
    assert_string_equal(err.path, folder);
    assert_string_equal(err.message, "read failed: Is a directory");
}

struct reading {
    struct quipu__input *input;
    size_t got;
    bool is_right;
};

/* Reads all, going back to the beginning now and then. */
static void read_in_thread(void *context) {
    struct reading *reading = context;
    struct quipu__input *input = reading->input;
    for (unsigned round = 0; round < 3 && reading->is_right; round++) {
        reading->is_right = quipu__input_seek(input, 0, NULL) == QUIPU_OK;
        for (reading->got = 0; reading->is_right && reading->got < SIZE; reading->got += 100, input->at += 100)
            reading->is_right = quipu__input_more(input, 100, NULL) == QUIPU_OK &&
                                memcmp(input->at, bytes + reading->got, 100) == 0;
    }
}

static void test_input_disk_pool_serves_several_threads(void **state) {
    (void)state;
    struct reading readings[4];
    struct quipu__thread *threads[4];
    memory.lock = files.lock = quipu__lock_new();
    for (int i = 0; i < 4; i++) {
        const char *path = file_of("plain", bytes, SIZE);
        readings[i] = (struct reading){.input = open_input(path, QUIPU__CODEC_NONE), .is_right = true};
    }
    for (int i = 0; i < 4; i++)
        threads[i] = quipu__thread_start(read_in_thread, &readings[i]);
    for (int i = 0; i < 4; i++) {
        quipu__thread_join(threads[i]);
        assert_true(readings[i].is_right);
        assert_int_equal(readings[i].got, SIZE);
        quipu__input_close(readings[i].input);
    }
    assert_true(files.open <= 4);
    quipu__lock_free(files.lock);
    memory.lock = files.lock = NULL;
}

QUIPU_TESTS(TEST(test_input_disk_pool_keeps_to_its_number_of_files),
            TEST(test_input_disk_says_which_file_is_missing), TEST(test_input_disk_says_which_path_is_a_folder),
            TEST(test_input_disk_pool_serves_several_threads))
