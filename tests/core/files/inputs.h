/* inputs.h: what tests of inputs share: bytes, a pool of two files, and reading all of an input. */
#ifndef QUIPU_TESTS_CORE_INPUTS_H
#define QUIPU_TESTS_CORE_INPUTS_H

#include "harness.h"

#include "core/files/input.h"

#define SIZE 300000

static struct quipu__memory test_memory;
static struct quipu__files files;
static uint8_t bytes[SIZE];

static int set_up(void **state) {
    (void)state;
    quipu__memory_init(&test_memory, NULL, 0);
    quipu__files_init(&files, &test_memory, 2);
    for (uint32_t i = 0, x = 1; i < SIZE; i++, x = x * 1664525 + 1013904223)
        bytes[i] = (uint8_t)(x >> 27 | (i & 0x60));
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    quipu__files_release(&files);
    return test_memory.used != 0 || files.open != 0;
}

static inline const char *file_of(const char *name, const void *data, size_t size) {
    const char *path = harness_text("%s/%s", harness_folder(), name);
    harness_write(path, data, size);
    return path;
}

static inline struct quipu__input *open_input(const char *path, enum quipu__codec codec) {
    struct quipu__input *input;
    struct quipu_error err = QUIPU_ERROR_INIT;
    assert_int_equal(quipu__input_open(&files, path, codec, 4096, &input, &err), QUIPU_OK);
    return input;
}

/* Reads everything in steps of need bytes and compares it with the expected bytes. */
static inline void assert_reads(struct quipu__input *input, size_t expected, size_t need) {
    size_t got = 0;
    for (;;) {
        assert_int_equal(quipu__input_more(input, need, NULL), QUIPU_OK);
        const size_t here = (size_t)(input->end - input->at);
        if (here == 0)
            break;
        const size_t taken = here < need ? here : need;
        assert_int_equal(quipu__input_offset(input), got);
        assert_true(got + taken <= expected);
        assert_memory_equal(input->at, bytes + got, taken);
        input->at += taken;
        got += taken;
    }
    assert_int_equal(got, expected);
    assert_true(input->ended);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
