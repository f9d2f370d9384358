/* test_file.c: the file of an index, which is not trusted. */
#include "index/indexes.h"

static void test_file_with_any_byte_changed_is_not_used(void **state) {
    struct fixture *fixture = *state;
    size_t size;
    long_text = 100;
    make(fixture, 3, SIZE_MAX);
    char *bytes = harness_read(fixture->file, &size);
    for (size_t i = 0; i < size; i++) {
        const char was = bytes[i];
        for (unsigned bit = 0; bit < 8; bit += i < 200 ? 1 : 8) {
            bytes[i] = (char)(was ^ (1 << bit));
            replace(fixture->file, bytes, size);
            assert_int_equal(answer_only(fixture->trace, fixture->file),
                             i < 8 ? QUIPU__INDEX_FOREIGN : QUIPU__INDEX_DAMAGED);
        }
        bytes[i] = was;
        replace(fixture->file, bytes, i);
        assert_int_equal(answer_only(fixture->trace, fixture->file), QUIPU__INDEX_DAMAGED);
    }
    replace(fixture->file, bytes, size + 1);
    assert_int_equal(answer_only(fixture->trace, fixture->file), QUIPU__INDEX_DAMAGED);
    replace(fixture->file, bytes, size);
    assert_int_equal(answer_only(fixture->trace, fixture->file), QUIPU__INDEX_FITS);
}

/* Makes the check sum right again and asks for everything: nothing bad may happen, whatever the answers are. */
static void ask_forged(struct fixture *fixture, uint8_t *bytes, size_t size) {
    struct quipu__index index;
    const uLong checksum = crc32(0, bytes + 12, (uInt)(size - 12));
    for (unsigned i = 0; i < 4; i++)
        bytes[8 + i] = (uint8_t)(checksum >> (24 - 8 * i));
    replace(fixture->file, bytes, size);
    if (answer(fixture->trace, fixture->file, &index) == QUIPU__INDEX_FITS) {
        struct quipu__buffer room;
        struct quipu__slice found;
        quipu__buffer_init(&room, index.memory, 0);
        for (uint32_t point = 0; point < index.times.count; point++)
            for (uint32_t substream = 0; substream < SUBSTREAMS; substream++) {
                const uint32_t stream = substream < 2 ? 0 : 2;
                const enum quipu_status status =
                    quipu__index_section(&index, "profile 1", stream, substream < 2 ? substream : substream - 2,
                                         point, &room, &found, NULL);
                assert_true(status == QUIPU_OK || status == QUIPU_CORRUPT);
                for (; status == QUIPU_OK && found.at < found.end; found.at++)
                    assert_true(*found.at <= 255);
            }
        quipu__buffer_release(&room);
    }
    quipu__index_release(&index);
}

static void test_file_with_a_forged_sum_does_no_harm(void **state) {
    struct fixture *fixture = *state;
    size_t size;
    long_text = 100;
    make(fixture, 3, SIZE_MAX);
    uint8_t *bytes = (uint8_t *)harness_read(fixture->file, &size);
    for (size_t i = 12; i < size; i++) {
        const uint8_t was = bytes[i];
        for (unsigned bit = 0; bit < 8; bit += i < 200 ? 1 : 8) {
            bytes[i] = (uint8_t)(was ^ (1u << bit));
            ask_forged(fixture, bytes, size);
        }
        bytes[i] = 0xff;
        ask_forged(fixture, bytes, size);
        bytes[i] = was;
        ask_forged(fixture, bytes, i);
    }
    ask_forged(fixture, bytes, size);
    assert_int_equal(answer_only(fixture->trace, fixture->file), QUIPU__INDEX_FITS);
}

static void test_file_is_told_from_other_files(void **state) {
    struct fixture *fixture = *state;
    assert_int_equal(answer_only(fixture->trace, fixture->file), QUIPU__INDEX_MISSING);
    assert_int_equal(answer_only(fixture->trace, fixture->path), QUIPU__INDEX_FOREIGN);
    assert_int_equal(answer_only(fixture->trace, harness_folder()), QUIPU__INDEX_FOREIGN);
    make(fixture, 3, SIZE_MAX);
    fixture->trace->memory->limit = fixture->trace->memory->used + 100;
    struct quipu__index index = {.memory = fixture->trace->memory};
    quipu__buffer_init(&index.bytes, index.memory, 0);
    assert_int_equal(quipu__index_read(&index, fixture->trace, fixture->file, NULL), QUIPU__INDEX_UNREADABLE);
    quipu__index_release(&index);
}

QUIPU_TESTS(TEST(test_file_with_any_byte_changed_is_not_used), TEST(test_file_with_a_forged_sum_does_no_harm),
            TEST(test_file_is_told_from_other_files))
