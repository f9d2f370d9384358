/* test_error.c: making errors, showing them, and the names of statuses. */
#include "harness.h"

#include "core/error.h"

#include <errno.h>

static const char *text_of(const struct quipu_error *err) {
    char text[1024];
    return harness_text("%s", quipu_error_text(err, text, sizeof text));
}

static void test_error_every_status_has_a_name_and_a_sentence(void **state) {
    (void)state;
#define QUIPU_STATUS(name, value, sentence)                                                                    \
    assert_string_equal(quipu_status_name((enum quipu_status)value), #name);                                   \
    assert_string_equal(quipu_status_text((enum quipu_status)value), sentence);
#include <quipu/status.def>
#undef QUIPU_STATUS
    assert_string_equal(quipu_status_name((enum quipu_status) - 1000), "UNKNOWN");
}

static void test_error_version_is_that_of_the_header(void **state) {
    (void)state;
    assert_string_equal(quipu_version(), harness_text("%d.%d.%d", QUIPU_VERSION_MAJOR, QUIPU_VERSION_MINOR,
                                                      QUIPU_VERSION_PATCH));
}

static void test_error_fail_gives_its_status_with_or_without_an_error(void **state) {
    (void)state;
    struct quipu_error err = QUIPU_ERROR_INIT;
    assert_int_equal(quipu__fail(NULL, QUIPU_CORRUPT, "x"), QUIPU_CORRUPT);
    assert_int_equal(quipu__fail(&err, QUIPU_CORRUPT, "count is %d, at most %d fit", 9, 4), QUIPU_CORRUPT);
    assert_int_equal(err.status, QUIPU_CORRUPT);
    assert_string_equal(err.message, "count is 9, at most 4 fit");
    assert_true(err.byte == QUIPU_UNKNOWN);
}

static void test_error_fail_forgets_the_error_before(void **state) {
    (void)state;
    struct quipu_error err = QUIPU_ERROR_INIT;
    quipu__fail(&err, QUIPU_CORRUPT, "first");
    quipu__at(&err, "a.bin", 12);
    quipu__advise(&err, "look elsewhere");
    quipu__fail(&err, QUIPU_LIMIT, "second");
    assert_string_equal(text_of(&err), "second");
    assert_string_equal(err.advice, "");
}

static void test_error_text_names_the_place(void **state) {
    (void)state;
    struct quipu_error err = QUIPU_ERROR_INIT;
    quipu__fail(&err, QUIPU_CORRUPT, "length 70000, at most 12 bytes are left");
    quipu__at(&err, "run/rank-3.bin", 4711);
    assert_string_equal(text_of(&err), "run/rank-3.bin: byte 4711: length 70000, at most 12 bytes are left");
    err.record = 5;
    strcpy(err.field, "MPI_Send.count");
    assert_string_equal(text_of(&err), "run/rank-3.bin: byte 4711, record 5, field MPI_Send.count: "
                                       "length 70000, at most 12 bytes are left");
}

static void test_error_text_of_a_text_file_counts_lines(void **state) {
    (void)state;
    struct quipu_error err = QUIPU_ERROR_INIT;
    quipu__fail(&err, QUIPU_CORRUPT, "not a number");
    quipu__at(&err, "x", QUIPU_UNKNOWN);
    err.line = 3;
    assert_string_equal(text_of(&err), "x: line 3: not a number");
}

static void test_error_the_first_place_stays(void **state) {
    (void)state;
    struct quipu_error err = QUIPU_ERROR_INIT;
    quipu__fail(&err, QUIPU_IO, "broken");
    quipu__at(&err, NULL, 7);
    quipu__at(&err, "inner", QUIPU_UNKNOWN);
    quipu__at(&err, "outer", 99);
    assert_string_equal(text_of(&err), "inner: byte 7: broken");
}

static void test_error_errno_is_spelled_out(void **state) {
    (void)state;
    struct quipu_error err = QUIPU_ERROR_INIT;
    assert_int_equal(quipu__fail_errno(&err, QUIPU_IO, ENOENT, "cannot be opened"), QUIPU_IO);
    assert_string_equal(err.message, "cannot be opened: No such file or directory");
}

static void test_error_text_is_cut_to_its_room(void **state) {
    (void)state;
    struct quipu_error err = QUIPU_ERROR_INIT;
    char text[8] = "#######";
    quipu__fail(&err, QUIPU_IO, "0123456789");
    assert_string_equal(quipu_error_text(&err, text, sizeof text), "0123456");
    strcpy(err.path, "path");
    for (size_t size = 1; size < sizeof text; size++)
        assert_int_equal(strlen(quipu_error_text(&err, text, size)), size - 1);
}

static void test_error_long_messages_are_cut(void **state) {
    (void)state;
    struct quipu_error err = QUIPU_ERROR_INIT;
    quipu__fail_errno(&err, QUIPU_IO, ENOENT, "%0400d", 0);
    assert_int_equal(strlen(err.message), sizeof err.message - 1);
    quipu__advise(&err, "%0400d", 0);
    assert_int_equal(strlen(err.advice), sizeof err.advice - 1);
}

static void test_error_without_a_message_says_what_the_status_means(void **state) {
    (void)state;
    struct quipu_error err = QUIPU_ERROR_INIT;
    err.status = QUIPU_TRUNCATED;
    assert_string_equal(text_of(&err), quipu_status_text(QUIPU_TRUNCATED));
}

static void test_error_text_escape_is_cut_to_size(void **state) {
    (void)state;
    char text[64], small[6];
    assert_string_equal(quipu_text_escape("a\x1b\xe2\x80\xae\xc3\xa9\xff", text, sizeof text),
                        "a\\x1b\\xe2\\x80\\xae\xc3\xa9\\xff");
    assert_string_equal(quipu_text_escape("abcdefgh", small, sizeof small), "abcde");
}

QUIPU_TESTS(cmocka_unit_test(test_error_every_status_has_a_name_and_a_sentence),
            cmocka_unit_test(test_error_version_is_that_of_the_header),
            cmocka_unit_test(test_error_fail_gives_its_status_with_or_without_an_error),
            cmocka_unit_test(test_error_fail_forgets_the_error_before),
            cmocka_unit_test(test_error_text_names_the_place),
            cmocka_unit_test(test_error_text_of_a_text_file_counts_lines),
            cmocka_unit_test(test_error_the_first_place_stays),
            cmocka_unit_test(test_error_errno_is_spelled_out),
            cmocka_unit_test(test_error_text_is_cut_to_its_room),
            cmocka_unit_test(test_error_long_messages_are_cut),
            cmocka_unit_test(test_error_without_a_message_says_what_the_status_means),
            cmocka_unit_test(test_error_text_escape_is_cut_to_size))
