/* test_output_files.c: files of a trace that is written. */
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

static void test_output_files_are_not_overwritten_but_replaced_all_together(void **state) {
    (void)state;
    const char *folder = harness_folder(), *to = harness_text("%s/t.otf", folder);
    struct quipu_convert_options options = QUIPU_CONVERT_OPTIONS_INIT;
    convert(harness_data("otf/small.otf"), to, NULL);
    struct quipu_reader *reader = open_trace(harness_data("otf/small.otf"));
    assert_int_equal(quipu_convert(reader, to, "otf", NULL, NULL, NULL), QUIPU_EXISTS);
    quipu_reader_close(reader);
    options.writer.replace = true;
    options.writer.compression = 1;
    convert(harness_data("otf/small.otf"), to, &options);
    assert_false(harness_exists(harness_text("%s/t.1.events", folder))); /* would be read before t.1.events.z */
    assert_true(harness_exists(harness_text("%s/t.1.events.z", folder)));
}

static void test_output_files_of_thousands_of_streams_are_few_at_a_time(void **state) {
    (void)state;
    enum { STREAMS = 2000 };
    const char *folder = harness_folder();
    struct quipu_convert_options options = QUIPU_CONVERT_OPTIONS_INIT;
    struct quipu_reader_options few = QUIPU_READER_OPTIONS_INIT;
    struct quipu_reader *reader;
    struct quipu_event event;
    char *text = malloc(STREAMS * 40);
    size_t len = 0;
    assert_non_null(text);
    for (unsigned i = 1; i <= STREAMS; i++) {
        static const char events[] = "5\n*%x\nE1\n7\n*%x\nL1\n7\n*%x\n";
        const char *contents = harness_text(events, i, i, i);
        len += (size_t)snprintf(text + len, 40, "%x:%x\n", i, i);
        harness_write(harness_text("%s/t.%x.events", folder, i), contents, strlen(contents));
    }
    harness_write(harness_text("%s/t.otf", folder), text, len);
    free(text);
    few.file_limit = 16;
    options.writer.file_limit = 16;
    options.selected = true; /* through events */
    assert_int_equal(quipu_reader_open(folder, &few, &reader, NULL), QUIPU_OK);
    assert_int_equal(quipu_convert(reader, harness_text("%s/u.otf", folder), "otf", &options, NULL, NULL),
                     QUIPU_OK);
    quipu_reader_close(reader);
    assert_int_equal(quipu_reader_open(harness_text("%s/u.otf", folder), &few, &reader, NULL), QUIPU_OK);
    assert_int_equal(quipu_reader_definitions(reader)->locations.count, STREAMS);
    unsigned count = 0;
    int64_t last = 0;
    for (; quipu_reader_next(reader, &event, NULL) == QUIPU_OK; last = event.time, count++)
        assert_true(event.time >= last);
    assert_int_equal(count, 2 * STREAMS);
    quipu_reader_close(reader);
}

QUIPU_TESTS(cmocka_unit_test(test_output_files_are_not_overwritten_but_replaced_all_together),
            cmocka_unit_test(test_output_files_of_thousands_of_streams_are_few_at_a_time))
