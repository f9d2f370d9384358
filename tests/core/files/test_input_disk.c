/* test_input_disk.c: the pool of open files, and paths that lead to no file. */
#include "core/files/inputs.h"

#include "core/text/findings.h"
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

/* Reads to the end; how many bytes there were. */
static size_t read_all(struct quipu__input *input) {
    size_t got = 0;
    while (!input->ended || input->at < input->end) {
        assert_int_equal(quipu__input_more(input, 1, NULL), QUIPU_OK);
        got += (size_t)(input->end - input->at);
        input->at = input->end;
    }
    return got;
}

static void test_input_disk_file_that_shrinks_has_not_ended(void **state) {
    enum { LEFT = 10000 };
    struct quipu_findings *findings;
    struct quipu_error err = QUIPU_ERROR_INIT;
    (void)state;
    const char *path = file_of("plain", bytes, SIZE);
    struct quipu__input *input = open_input(path, QUIPU__CODEC_NONE), *other;
    assert_int_equal(quipu__input_more(input, 1, NULL), QUIPU_OK);
    harness_write(path, bytes, LEFT);
    input->at = input->end;
    assert_int_equal(quipu__input_seek(input, LEFT, NULL), QUIPU_OK);
    assert_int_equal(quipu__input_more(input, 1, &err), QUIPU_IO); /* a pool without findings */
    assert_non_null(strstr(err.message, "shorter"));
    assert_int_equal(quipu__findings_new(&test_memory, &findings, NULL), QUIPU_OK);
    files.findings = findings;
    assert_int_equal(quipu__input_seek(input, 0, NULL), QUIPU_OK);
    assert_int_equal(read_all(input), LEFT);
    assert_int_equal(quipu_findings_total(findings, QUIPU_DATA_LOSS), 1);
    assert_string_equal(quipu_findings_at(findings, 0)->rule->id, "file.shrunk");
    quipu__input_close(input);
    quipu__findings_clear(findings);
    other = open_input(path, QUIPU__CODEC_NONE); /* opened again behind that */
    assert_int_equal(read_all(other), LEFT);
    assert_int_equal(quipu_findings_total(findings, QUIPU_DATA_LOSS), 1);
    quipu__input_close(other);
    files.findings = NULL;
    quipu__findings_free(findings);
}

static void test_input_disk_file_that_grows_has_not_shrunk(void **state) {
    struct quipu_findings *findings;
    (void)state;
    const char *path = file_of("plain", bytes, SIZE / 2);
    assert_int_equal(quipu__findings_new(&test_memory, &findings, NULL), QUIPU_OK);
    files.findings = findings;
    struct quipu__input *input = open_input(path, QUIPU__CODEC_NONE);
    harness_write(path, bytes, SIZE);
    assert_int_equal(read_all(input), SIZE);
    assert_int_equal(quipu_findings_count(findings), 0);
    quipu__input_close(input);
    files.findings = NULL;
    quipu__findings_free(findings);
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
    test_memory.lock = files.lock = quipu__lock_new();
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
    test_memory.lock = files.lock = NULL;
}

QUIPU_TESTS(TEST(test_input_disk_file_that_shrinks_has_not_ended),
            TEST(test_input_disk_file_that_grows_has_not_shrunk),
            TEST(test_input_disk_pool_keeps_to_its_number_of_files),
            TEST(test_input_disk_says_which_file_is_missing), TEST(test_input_disk_says_which_path_is_a_folder),
            TEST(test_input_disk_pool_serves_several_threads))
