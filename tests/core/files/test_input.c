/* test_input.c: windows over plain files and memory. */
#include "core/files/inputs.h"

static void test_input_reads_a_plain_file_in_any_steps(void **state) {
    (void)state;
    const char *path = file_of("plain", bytes, SIZE);
    static const size_t steps[] = {1, 7, 4096, 5000, 70000};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct quipu__input *input = open_input(path, QUIPU__CODEC_DETECT);
        assert_reads(input, SIZE, steps[i]);
        assert_true(quipu__input_can_seek(input));
        quipu__input_close(input);
    }
}

static void test_input_reads_an_empty_file(void **state) {
    (void)state;
    struct quipu__input *input = open_input(file_of("empty", "", 0), QUIPU__CODEC_DETECT);
    assert_reads(input, 0, 8);
    quipu__input_close(input);
}

static void test_input_seeks_in_plain_files(void **state) {
    (void)state;
    struct quipu__input *input = open_input(file_of("plain", bytes, SIZE), QUIPU__CODEC_NONE);
    static const uint64_t offsets[] = {200000, 0, 100, 299999, 4095, SIZE};
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        assert_int_equal(quipu__input_seek(input, offsets[i], NULL), QUIPU_OK);
        assert_int_equal(quipu__input_more(input, 10, NULL), QUIPU_OK);
        assert_int_equal(quipu__input_offset(input), offsets[i]);
        const size_t left = (size_t)(SIZE - offsets[i]), here = left < 10 ? left : 10;
        assert_true((size_t)(input->end - input->at) >= here);
        assert_memory_equal(input->at, bytes + offsets[i], here);
    }
    quipu__input_close(input);
}

static void test_input_grows_its_window_up_to_a_limit(void **state) {
    (void)state;
    struct quipu__input *input = open_input(file_of("plain", bytes, SIZE), QUIPU__CODEC_NONE);
    struct quipu_error err = QUIPU_ERROR_INIT;
    assert_int_equal(quipu__input_more(input, SIZE, &err), QUIPU_OK);
    assert_memory_equal(input->at, bytes, SIZE);
    quipu__input_close(input);
    input = open_input(file_of("plain", bytes, SIZE), QUIPU__CODEC_NONE);
    assert_int_equal(quipu__input_more(input, ((size_t)64 << 20) + 1, &err), QUIPU_LIMIT);
    quipu__input_close(input);
}

static void test_input_over_memory(void **state) {
    (void)state;
    struct quipu__input *input;
    assert_int_equal(quipu__input_memory(&files, bytes, 1000, &input, NULL), QUIPU_OK);
    assert_reads(input, 1000, 17);
    assert_int_equal(quipu__input_seek(input, 10, NULL), QUIPU_OK);
    assert_ptr_equal(input->at, bytes + 10);
    quipu__input_close(input);
}

/* A window that has held other bytes, and one that holds the whole file. */
static void test_input_ends_in_zeros(void **state) {
    (void)state;
    static const uint8_t zeros[QUIPU__INPUT_ZEROS];
    static const size_t sizes[] = {SIZE, 1000, 0};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct quipu__input *input = open_input(file_of("zeros", bytes, sizes[i]), QUIPU__CODEC_SEEK);
        for (size_t read = 0; read < sizes[i];
             read += (size_t)(input->end - input->at), input->at = input->end) {
            assert_int_equal(quipu__input_more(input, 1, NULL), QUIPU_OK);
            assert_true(input->ended || input->zeros == 0);
            assert_true(input->ended || quipu__input_limit(input, 1) == input->end - 1);
        }
        assert_int_equal(quipu__input_more(input, 1, NULL), QUIPU_OK);
        assert_true(input->ended);
        assert_int_equal(input->zeros, QUIPU__INPUT_ZEROS);
        assert_int_equal(files.open, 0); /* descriptors are for those who have more to read */
        assert_memory_equal(input->end, zeros, sizeof zeros);
        assert_ptr_equal(quipu__input_limit(input, sizeof zeros), input->end);
        assert_int_equal(quipu__input_seek(input, 0, NULL), QUIPU_OK);
        assert_reads(input, sizes[i], 7);
        quipu__input_close(input);
    }
}

QUIPU_TESTS(TEST(test_input_ends_in_zeros), TEST(test_input_reads_a_plain_file_in_any_steps),
            TEST(test_input_reads_an_empty_file), TEST(test_input_seeks_in_plain_files),
            TEST(test_input_grows_its_window_up_to_a_limit), TEST(test_input_over_memory))
