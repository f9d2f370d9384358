/* test_files.c: what a path can stand for, and files that are missing, cut or damaged. */
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

/* ---- Paths ---- */

static void test_files_by_metafile_folder_and_file(void **state) {
    (void)state;
    const struct made made = two_ranks();
    char *folder = harness_text("%s", made.path);
    *strrchr(folder, '/') = 0;
    assert_int_equal(count_calls(made.path), 40);
    assert_int_equal(count_calls(folder), 40);
    assert_int_equal(count_calls(made_file(&made, 1)), 20);
    assert_int_equal(streams_of(made_file(&made, 1)), 1);
}

static void test_files_of_a_folder_without_metafile(void **state) {
    (void)state;
    const struct made made = two_ranks();
    char *folder = harness_text("%s", made.path);
    *strrchr(folder, '/') = 0;
    remove(made.path);
    assert_int_equal(count_calls(folder), 40);
}

/* ---- Many files ---- */

/* Merging by time needs all files at a time, but only ten may be open. */
static void test_files_by_the_thousand_under_a_low_limit(void **state) {
    (void)state;
    enum { RANKS = 2000, EVENTS_OF_A_RANK = 20 * 4, OPEN_FILES = 10 };
    const struct made made = two_ranks();
    size_t size;
    const char *bytes = harness_read(made_file(&made, 0), &size);
    for (unsigned rank = 0; rank < RANKS; rank++)
        harness_write(made_file(&made, rank), bytes, size);
    const char *meta = harness_text("numprocs=%u\nfileprefix=made\n", RANKS);
    harness_write(made.path, meta, strlen(meta));
    struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu_reader *reader;
    struct quipu_event event, last = {.time = INT64_MIN};
    size_t count = 0;
    options.file_limit = OPEN_FILES;
    selection.order = QUIPU_ORDER_TIME;
    made_ok(quipu_reader_open(made.path, &options, &reader, &err), &err);
    made_ok(quipu_reader_select(reader, &selection, &err), &err);
    for (; quipu_reader_next(reader, &event, &err) == QUIPU_OK; count++, last = event)
        assert_true(event.time > last.time || (event.time == last.time && event.location >= last.location));
    assert_int_equal(err.status, QUIPU_OK);
    assert_int_equal(count, RANKS * EVENTS_OF_A_RANK);
    assert_int_equal(quipu_findings_count(quipu_reader_findings(reader)), 0);
    quipu_reader_close(reader);
}

/* ---- Missing and empty files ---- */

static void test_files_that_are_missing_do_not_hide_others(void **state) {
    (void)state;
    const struct made made = two_ranks();
    remove(made_file(&made, 0));
    assert_int_equal(count_calls(made.path), 20);
    assert_int_equal(findings_of(made.path, "dumpi.missing"), 1);
    struct quipu_reader *reader = opened(made.path);
    assert_true(quipu_reader_stream_at(reader, 0)->missing);
    assert_false(quipu_reader_stream_at(reader, 1)->missing);
    quipu_reader_close(reader);
}

static void test_files_that_are_empty_do_not_hide_others(void **state) {
    (void)state;
    const struct made made = two_ranks();
    harness_write(made_file(&made, 1), "", 0);
    assert_int_equal(count_calls(made.path), 20);
    assert_int_equal(findings_of(made.path, "dumpi.empty"), 1);
}

static void test_files_of_which_nothing_is_left_fail(void **state) {
    (void)state;
    const struct made made = two_ranks();
    struct quipu_error err = QUIPU_ERROR_INIT;
    for (unsigned rank = 0; rank < 2; rank++)
        harness_write(made_file(&made, rank), "", 0);
    assert_int_equal(open_status(made.path, &err), QUIPU_TRUNCATED);
    assert_true(err.message[0] != 0);
}

QUIPU_TESTS(cmocka_unit_test(test_files_by_metafile_folder_and_file),
            cmocka_unit_test(test_files_of_a_folder_without_metafile),
            cmocka_unit_test(test_files_by_the_thousand_under_a_low_limit),
            cmocka_unit_test(test_files_that_are_missing_do_not_hide_others),
            cmocka_unit_test(test_files_that_are_empty_do_not_hide_others),
            cmocka_unit_test(test_files_of_which_nothing_is_left_fail))
