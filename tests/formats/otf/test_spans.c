/* test_spans.c: records that are copied as they lie, and what between them is not. */
#include "harness.h"

#include <dirent.h>
#include <inttypes.h>

static struct quipu_reader *open_trace(const char *path) {
    struct quipu_reader *reader;
    struct quipu_error err = QUIPU_ERROR_INIT;
    char text[600];
    if (quipu_reader_open(path, NULL, &reader, &err) != QUIPU_OK)
        fail_msg("%s", quipu_error_text(&err, text, sizeof text));
    return reader;
}

static void convert(const char *from, const char *to, const struct quipu_convert_options *options) {
    struct quipu_reader *reader = open_trace(from);
    struct quipu_error err = QUIPU_ERROR_INIT;
    char text[600];
    if (quipu_convert(reader, to, "otf", options, NULL, &err) != QUIPU_OK)
        fail_msg("%s", quipu_error_text(&err, text, sizeof text));
    quipu_reader_close(reader);
}

static void test_spans_times_that_go_back_are_copied(void **state) {
    (void)state;
    static const char events[] = "5\n*1\nE1\n3\n*1\nL1\n3\n*1\n";
    const char *folder = harness_folder();
    harness_write(harness_text("%s/a.otf", folder), "1:1\n", 4);
    harness_write(harness_text("%s/a.1.events", folder), events, strlen(events));
    convert(harness_text("%s/a.otf", folder), harness_text("%s/b.otf", folder), NULL);
    assert_string_equal(harness_read(harness_text("%s/b.1.events", folder), NULL), events);
}

/* Process ffffffff means "none": OTF's writer repeats no state of it at the end of a file, and nothing is made up. */
static void test_spans_repeat_no_state_of_no_process(void **state) {
    (void)state;
    static const char events[] = "5\n*1\nE1\n7\n*ffffffff\nE2\n";
    static const char only[] = "5\n*ffffffff\nE2\n";
    const char *folder = harness_folder();
    harness_write(harness_text("%s/a.otf", folder), "1:1\n2:2\n", 8);
    harness_write(harness_text("%s/a.1.events", folder), events, strlen(events));
    harness_write(harness_text("%s/a.2.events", folder), only, strlen(only));
    convert(harness_text("%s/a.otf", folder), harness_text("%s/b.otf", folder), NULL);
    assert_string_equal(harness_read(harness_text("%s/b.1.events", folder), NULL), events);
    assert_string_equal(harness_read(harness_text("%s/b.2.events", folder), NULL), only);
}

static void test_spans_end_at_lines_that_are_no_records(void **state) {
    (void)state;
    static const char events[] = "5\n*1\nE1\nQ what is this\nE1 junk\nL1\n5\n*1\n";
    const char *folder = harness_folder();
    harness_write(harness_text("%s/a.otf", folder), "# ours\n1:1\n", 11);
    harness_write(harness_text("%s/a.1.events", folder), events, strlen(events));
    convert(harness_text("%s/a.otf", folder), harness_text("%s/b.otf", folder), NULL);
    assert_string_equal(harness_read(harness_text("%s/b.1.events", folder), NULL), events);
    assert_string_equal(harness_read(harness_text("%s/b.otf", folder), NULL), "# ours\n1:1\n");
}

QUIPU_TESTS(cmocka_unit_test(test_spans_times_that_go_back_are_copied),
            cmocka_unit_test(test_spans_repeat_no_state_of_no_process),
            cmocka_unit_test(test_spans_end_at_lines_that_are_no_records))
