/* test_identity.c: an index belongs to one state of its trace. */
#include "index/indexes.h"

static void test_identity_of_one_state_of_the_trace(void **state) {
    struct fixture *fixture = *state;
    static const char *const changed[] = {"some byteS", "Some bytes", "some byte", "some bytes.", "some bytez"};
    make(fixture, 3, SIZE_MAX);
    for (size_t i = 0; i < sizeof changed / sizeof *changed; i++) {
        replace(fixture->path, changed[i], strlen(changed[i]));
        assert_int_equal(answer_only(fixture->trace, fixture->file), QUIPU__INDEX_CHANGED);
    }
    replace(fixture->path, "some bytes", 10);
    assert_int_equal(answer_only(fixture->trace, fixture->file), QUIPU__INDEX_FITS);
    fixture->trace->variant = "another";
    assert_int_equal(answer_only(fixture->trace, fixture->file), QUIPU__INDEX_CHANGED);
    fixture->trace->variant = "";
    fixture->trace->define->definitions.clock.ticks_per_second++;
    assert_int_equal(answer_only(fixture->trace, fixture->file), QUIPU__INDEX_CHANGED);
    fixture->trace->define->definitions.clock.ticks_per_second--;
    fixture->trace->streams.items[2].missing = true;
    assert_int_equal(answer_only(fixture->trace, fixture->file), QUIPU__INDEX_CHANGED);
    fixture->trace->streams.items[2].missing = false;
    assert_int_equal(answer_only(fixture->trace, fixture->file), QUIPU__INDEX_FITS);
}

static void test_identity_notices_any_byte_of_a_large_file(void **state) {
    struct fixture *fixture = *state;
    enum { SIZE = 1 << 20 };
    static char bytes[SIZE];
    replace(fixture->path, bytes, SIZE);
    make(fixture, 1, SIZE_MAX);
    for (size_t offset = 0; offset < SIZE; offset += offset % 3 == 0 ? 9091 : 4096) {
        bytes[offset] = 1;
        replace(fixture->path, bytes, SIZE);
        assert_int_equal(answer_only(fixture->trace, fixture->file), QUIPU__INDEX_CHANGED);
        bytes[offset] = 0;
    }
    replace(fixture->path, bytes, SIZE);
    assert_int_equal(answer_only(fixture->trace, fixture->file), QUIPU__INDEX_FITS);
}

/* Made of holes, so that it takes no room on the disk. */
static void test_identity_of_huge_files_that_were_touched_is_verified_when_asked(void **state) {
    struct fixture *fixture = *state;
    const struct timespec times[2] = {{1, 0}, {1, 0}};
    struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
    struct quipu_reader *verifying;
    const struct timespec until_old = {0, 50000000};
    assert_int_equal(truncate(fixture->path, (off_t)QUIPU__IDENTITY_BYTES_MOST + 1), 0);
    nanosleep(&until_old, NULL);
    make(fixture, 1, SIZE_MAX);
    assert_int_equal(answer_only(fixture->trace, fixture->file), QUIPU__INDEX_FITS);
    assert_int_equal(utimensat(AT_FDCWD, fixture->path, times, 0), 0);
    assert_int_equal(answer_only(fixture->trace, fixture->file), QUIPU__INDEX_UNCERTAIN);
    options.verify_index = true;
    assert_int_equal(quipu__reader_open(fixture->path, &fake_format, &options, &verifying, NULL), QUIPU_OK);
    assert_int_equal(answer_only(quipu__reader_trace(verifying), fixture->file), QUIPU__INDEX_FITS);
    quipu_reader_close(verifying);
    assert_int_equal(truncate(fixture->path, (off_t)QUIPU__IDENTITY_BYTES_MOST), 0);
    assert_int_equal(answer_only(fixture->trace, fixture->file), QUIPU__INDEX_CHANGED);
}

static void test_identity_of_a_trace_that_changes_meanwhile(void **state) {
    struct fixture *fixture = *state;
    struct quipu__index_builder builder;
    struct quipu_error err = QUIPU_ERROR_INIT;
    uint64_t bytes;
    assert_int_equal(quipu__index_builder_init(&builder, fixture->trace, NULL), QUIPU_OK);
    assert_int_equal(quipu__index_builder_point(&builder, 1, NULL), QUIPU_OK);
    replace(fixture->path, "some bytes more", 15);
    assert_int_equal(quipu__index_builder_write(&builder, NULL, &bytes, &err), QUIPU_CORRUPT);
    assert_string_equal(err.message, "the trace has changed while it was read");
    quipu__index_builder_release(&builder);
}

QUIPU_TESTS(TEST(test_identity_of_one_state_of_the_trace), TEST(test_identity_notices_any_byte_of_a_large_file),
            TEST(test_identity_of_huge_files_that_were_touched_is_verified_when_asked),
            TEST(test_identity_of_a_trace_that_changes_meanwhile))
