/* test_footer_index.c: the index at the end of a file. */
#include "traces.h"

#include "formats/dumpi/format.h"

#include <fcntl.h>
#include <unistd.h>

static void add_be64(char *at, uint64_t more) {
    uint64_t value = 0;
    for (int i = 0; i < 8; i++)
        value = value << 8 | (uint8_t)at[i];
    value += value ? more : 0;
    for (int i = 7; i >= 0; i--, value >>= 8)
        at[i] = (char)(uint8_t)value;
}

/* Moves everything behind the magic by so many bytes, most of which are a hole. False: the file system has no room. */
static bool shift_sections(const char *path, uint64_t by) {
    size_t size;
    char *bytes = harness_read(path, &size);
    const int file = open(path, O_RDWR | O_TRUNC);
    for (size_t word = 1; word < 8; word++)
        add_be64(bytes + size - 64 + word * 8, by);
    const bool done = pwrite(file, bytes, 8, 0) == 8 &&
                      pwrite(file, bytes + 8, size - 8, (off_t)(by + 8)) == (ssize_t)(size - 8);
    close(file);
    return done;
}

static void test_footer_index_has_64_bit_offsets(void **state) {
    (void)state;
    struct quipu__dumpi_index index = {.words = 8}, decoded;
    struct quipu__memory memory;
    struct quipu__buffer out;
    quipu__memory_init(&memory, NULL, 0);
    quipu__buffer_init(&out, &memory, 0);
    for (size_t i = 0; i < QUIPU__DUMPI_SECTION_COUNT; i++)
        quipu__dumpi_set_word(&index, i, (UINT64_C(1) << (33 + i)) + i);
    quipu__dumpi_index_encode(&index, &out);
    assert_int_equal(out.len, 64);
    assert_true(quipu__dumpi_index_decode(out.data, out.len, &decoded));
    for (size_t i = 0; i < QUIPU__DUMPI_SECTION_COUNT; i++)
        assert_true(quipu__dumpi_word(&decoded, i) == (UINT64_C(1) << (33 + i)) + i);
    quipu__buffer_release(&out);
}

/* The calls of this file lie behind 4 GiB. */
static void test_footer_index_of_files_beyond_4_gib(void **state) {
    (void)state;
    const uint64_t far = (UINT64_C(1) << 32) + 12345;
    const struct made made = two_ranks();
    const char *path = made_file(&made, 0);
    if (!shift_sections(path, far))
        skip();
    struct quipu_reader *reader = opened(path);
    struct quipu_record record;
    uint64_t at[3] = {0};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(quipu_reader_next_record(reader, &record, NULL), QUIPU_OK);
        at[i] = record.byte_offset;
    }
    assert_int_equal(at[0], 0);
    assert_int_equal(at[1], far + 8);
    assert_int_equal(at[2], far + 16);
    quipu_reader_close(reader);
    assert_int_equal(count_calls(path), 20);
    assert_int_equal(findings_of(path, NULL), 0);
}

static void test_footer_index_that_is_missing(void **state) {
    (void)state;
    const struct made made = two_ranks();
    size_t size;
    char *bytes = harness_read(made_file(&made, 0), &size);
    harness_write(made_file(&made, 0), bytes, 16 + 10 * 31 + 5); /* 10 records of 31 bytes, and a part of one */
    assert_int_equal(count_calls(made_file(&made, 0)), 10);
    assert_int_equal(findings_of(made_file(&made, 0), "dumpi.no-index"), 1);
    assert_int_equal(findings_of(made_file(&made, 0), "dumpi.damage"), 1);
}

static void test_footer_index_with_a_wrong_offset(void **state) {
    (void)state;
    const struct made made = two_ranks();
    size_t size;
    char *bytes = harness_read(made_file(&made, 0), &size);
    memset(bytes + size - 32, 0x7f, 8); /* of the header */
    harness_write(made_file(&made, 0), bytes, size);
    assert_int_equal(count_calls(made_file(&made, 0)), 20);
    assert_int_equal(findings_of(made_file(&made, 0), "dumpi.index-offset"), 1);
}

QUIPU_TESTS(cmocka_unit_test(test_footer_index_has_64_bit_offsets),
            cmocka_unit_test(test_footer_index_of_files_beyond_4_gib),
            cmocka_unit_test(test_footer_index_with_a_wrong_offset),
            cmocka_unit_test(test_footer_index_that_is_missing))
