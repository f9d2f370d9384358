/* test_metafile.c: what a metafile says, and what it does not say. */
#include "traces.h"

#include "formats/dumpi/format.h"

#include <fcntl.h>
#include <unistd.h>

static uint32_t streams_of(const char *path) {
    struct quipu_reader *reader = opened(path);
    const uint32_t count = quipu_reader_stream_count(reader);
    quipu_reader_close(reader);
    return count;
}

static enum quipu_status open_status(const char *path, struct quipu_error *err) {
    struct quipu_reader *reader;
    const enum quipu_status status = quipu_reader_open(path, NULL, &reader, err);
    quipu_reader_close(reader);
    return status;
}

static void rename_file(const char *from, const char *to) {
    size_t size;
    char *bytes = harness_read(from, &size);
    harness_write(to, bytes, size);
    remove(from);
}

static void test_metafile_with_other_widths_of_ranks(void **state) {
    (void)state;
    const struct made made = two_ranks();
    const char *stem = harness_text("%.*s", (int)(strlen(made.path) - 5), made.path);
    for (unsigned rank = 0; rank < 2; rank++)
        rename_file(made_file(&made, rank), harness_text("%s-%07u.bin", stem, rank));
    assert_int_equal(count_calls(made.path), 40);
}

static void test_metafile_of_several_traces_need_a_choice(void **state) {
    (void)state;
    const struct made made = two_ranks();
    struct quipu_error err = QUIPU_ERROR_INIT;
    char *folder = harness_text("%s", made.path);
    *strrchr(folder, '/') = 0;
    harness_write(harness_text("%s/other.meta", folder), "numprocs=1\nfileprefix=other\n", 28);
    assert_int_equal(open_status(folder, &err), QUIPU_UNSUPPORTED);
    assert_non_null(strstr(err.advice, "made.meta"));
}

static void write_text(const char *path, const char *text) {
    harness_write(path, text, strlen(text));
}

/* What the metafile does not say is found out by its name and the files beside it. */
static void test_metafile_of_a_metafile_that_does_not_say_all(void **state) {
    (void)state;
    static const char *const texts[] = {"hostname=a\nnumprocs=2\n", "fileprefix=made\r\n",
                                        "startime=1\nnumprocs=two\n", "startime=1\n"};
    static const size_t findings[] = {1, 1, 3, 2};
    const struct made made = two_ranks();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        write_text(made.path, texts[i]);
        assert_int_equal(count_calls(made.path), 40);
        assert_int_equal(findings_of(made.path, "dumpi.metafile"), findings[i]);
    }
}

static void test_metafile_of_a_metafile_that_says_too_little_fail(void **state) {
    (void)state;
    const struct made made = two_ranks();
    struct quipu_error err = QUIPU_ERROR_INIT;
    const char *other =
        harness_text("%.*sother.meta", (int)(strlen(made.path) - strlen("made.meta")), made.path);
    write_text(other, "numprocs=2\n");
    assert_int_equal(open_status(other, &err), QUIPU_CORRUPT);
    assert_non_null(strstr(err.message, "fileprefix"));
    write_text(other, "fileprefix=another\n");
    assert_int_equal(open_status(other, &err), QUIPU_CORRUPT);
}

/* A line of text must not make millions of ranks. */
static void test_metafile_are_not_missed_by_the_million(void **state) {
    (void)state;
    const struct made made = two_ranks();
    struct quipu_error err = QUIPU_ERROR_INIT;
    write_text(made.path, "numprocs=16777216\nfileprefix=made\n");
    assert_int_equal(streams_of(made.path), 2);
    assert_int_equal(count_calls(made.path), 40);
    assert_int_equal(findings_of(made.path, "dumpi.missing"), 1);
    write_text(made.path, "numprocs=16777216\nfileprefix=other\n");
    assert_int_equal(open_status(made.path, &err), QUIPU_CORRUPT);
    assert_string_equal(err.message, "of 16777216 ranks 0 have a file");
    write_text(made.path, "numprocs=4000\nfileprefix=made\n"); /* a part of a run */
    assert_int_equal(streams_of(made.path), 4000);
}

QUIPU_TESTS(cmocka_unit_test(test_metafile_with_other_widths_of_ranks),
            cmocka_unit_test(test_metafile_of_several_traces_need_a_choice),
            cmocka_unit_test(test_metafile_of_a_metafile_that_does_not_say_all),
            cmocka_unit_test(test_metafile_of_a_metafile_that_says_too_little_fail),
            cmocka_unit_test(test_metafile_are_not_missed_by_the_million))
